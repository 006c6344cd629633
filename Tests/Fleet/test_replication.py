"""A primary with a synchronous standby that is promoted, and partitions on two other servers."""

import pytest
from fleet.cluster import Cluster

TABLES = ["machine", "record", "session", "transition", "gap", "forgotten"]


def test_a_promoted_standby_continues_where_the_primary_was(machine, workspace, installed_server, is_long) -> None:
    primary = Cluster(workspace.directory / "primary", (
        "wal_level = replica\nmax_wal_senders = 4\nwal_keep_size = 64MB\nhot_standby = on\n")).start()
    workspace.add_finalizer(lambda: primary.stop("immediate"))
    database = primary.database()
    database.init()
    standby = primary.backup(workspace.directory / "standby", "second")
    workspace.add_finalizer(lambda: standby.stop("immediate"))
    standby.start()
    primary_owner = type(database)(primary, "postgres")
    primary_owner.execute("ALTER SYSTEM SET synchronous_standby_names = 'second'")
    primary_owner.execute("SELECT pg_reload_conf()")

    desk = machine()
    both = (f"host={primary.directory},{standby.directory} user=owner dbname={database.name} "
            "target_session_attrs=read-write connect_timeout=3")
    relay = desk.start_relay(connection=both)
    for _ in range(6):
        desk.feed(100)
    desk.wait_until_stored(database)
    # It may be in the middle of a batch.
    desk.feed(1000)
    primary.kill()
    standby.promote()
    desk.feed(100)
    promoted = type(database)(standby, database.name)
    desk.wait_until_stored(promoted, patience=90)
    desk.require_stored_once(promoted)
    assert relay.process.poll() is None


@pytest.mark.parametrize("servers", [2])
def test_foreign_shards_have_each_record_once(machine, workspace, installed_server, servers) -> None:
    """The partitions are on two servers, and each machine's rows are on one of them."""
    shards = []
    for index in range(servers):
        shard = Cluster(workspace.directory / f"shard{index}").start()
        workspace.add_finalizer(lambda shard=shard: shard.stop("immediate"))
        shards.append(shard.database("fleet"))
        shards[-1].init()
    head = Cluster(workspace.directory / "head").start()
    workspace.add_finalizer(lambda: head.stop("immediate"))
    database = head.database("fleet")
    database.init("--foreign-shards")
    statements = "CREATE EXTENSION postgres_fdw;\n"
    for index, shard in enumerate(shards):
        statements += (
            f"CREATE SERVER shard{index} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{shard.cluster.directory}', dbname 'fleet');\n"
            f"CREATE USER MAPPING FOR PUBLIC SERVER shard{index} OPTIONS (user 'owner');\n")
        for table in TABLES:
            statements += (
                f"CREATE FOREIGN TABLE scroll.{table}_{index} PARTITION OF scroll.{table} FOR VALUES WITH (MODULUS {servers}, "
                f"REMAINDER {index}) SERVER shard{index} OPTIONS (schema_name 'scroll', table_name '{table}');\n")
    database.execute(statements)

    desks = [machine() for _ in range(4)]
    relays = [desk.start_relay(database) for desk in desks]
    for desk in desks:
        desk.feed(120)
        desk.feed(30, client="open/one", close=False)
    for desk in desks:
        desk.wait_until_stored(database, patience=90)
    relays[0].kill()
    desks[0].feed(100)
    shards[0].cluster.kill()
    desks[1].feed(100)
    shards[0].cluster.start()
    desks[0].start_relay(database)
    for desk in desks:
        desk.wait_until_stored(database, patience=90)
        desk.require_stored_once(database)
    counts = [int(shard.value("SELECT count(DISTINCT machine) FROM scroll.record")) for shard in shards]
    assert sum(counts) == len(desks), f"machines on the shards: {counts}"
