-- The keys and indexes of version 1. With foreign shards, each shard's tables have them.
ALTER TABLE scroll.machine ADD PRIMARY KEY (machine);
ALTER TABLE scroll.record ADD PRIMARY KEY (machine, generation, position/*time*/);
CREATE INDEX record_session ON scroll.record (machine, session);
ALTER TABLE scroll.session ADD PRIMARY KEY (machine, session);
ALTER TABLE scroll.transition ADD PRIMARY KEY (machine, generation, position/*time*/);
CREATE INDEX transition_session ON scroll.transition (machine, session);
ALTER TABLE scroll.gap ADD PRIMARY KEY (machine, generation, first);
ALTER TABLE scroll.forgotten ADD PRIMARY KEY (machine, session);
