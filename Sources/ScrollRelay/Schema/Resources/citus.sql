-- For Citus: the tables are distributed by machine, so that each transaction of a relay touches one shard.
SELECT create_distributed_table('scroll.machine', 'machine');
SELECT create_distributed_table('scroll.record', 'machine', colocate_with => 'scroll.machine');
SELECT create_distributed_table('scroll.session', 'machine', colocate_with => 'scroll.machine');
SELECT create_distributed_table('scroll.transition', 'machine', colocate_with => 'scroll.machine');
SELECT create_distributed_table('scroll.gap', 'machine', colocate_with => 'scroll.machine');
SELECT create_distributed_table('scroll.forgotten', 'machine', colocate_with => 'scroll.machine');
-- The version is read in the same statement as a machine's row.
SELECT create_reference_table('scroll.version');
