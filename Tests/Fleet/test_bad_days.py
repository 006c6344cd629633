"""Bad days: each has a message that says what to do, an exit status that the unit knows, and loses nothing."""

import os
import pwd
import subprocess

import pytest
from fleet.clock import Clock
from fleet.cluster import USER, Cluster
from support.disks import fill


def test_a_database_without_the_schema_is_refused_and_init_makes_it(shared_cluster, machine) -> None:
    database = shared_cluster.database()
    desk = machine()
    desk.feed(20)
    desk.start_relay(database).wait_for_end(78, "scroll-relay init")
    assert "Made the schema" in database.relay("init").stdout
    assert "already has version" in database.relay("init").stdout
    desk.start_relay(database)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


@pytest.mark.parametrize("version, words", [(1, "scroll-relay init"), (99, "upgrade scroll-relay")])
def test_the_schema_of_another_version_is_refused(database, machine, version, words) -> None:
    database.execute(f"DELETE FROM scroll.version; INSERT INTO scroll.version (version) VALUES ({version})")
    desk = machine()
    desk.start_relay(database).wait_for_end(78, f"version {version}", words)
    status = database.relay("status")
    assert status.returncode == 78 and f"version {version}" in status.stderr


def go_back(database, version: int) -> None:
    """Turns the schema into that of an older version."""
    database.execute("DROP VIEW scroll.reading_by_depth, scroll.reading")
    if version < 2:
        database.execute(
            "DROP VIEW scroll.standing, scroll.reach_curve, scroll.reading_by_title, scroll.time_to_bottom, scroll.flickers_by_policy")
    database.execute(f"ALTER TABLE scroll.machine DROP COLUMN run; DELETE FROM scroll.version WHERE version > {version}")


def test_a_running_relay_ends_when_the_schema_gets_another_version(database, machine) -> None:
    desk = machine()
    desk.feed(20)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    database.execute("INSERT INTO scroll.version (version) VALUES (99)")
    desk.feed(20)
    relay.wait_for_end(78, "version 99", "upgrade scroll-relay")
    database.execute("DELETE FROM scroll.version WHERE version = 99")
    desk.start_relay(database)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


def test_rows_beyond_a_deleted_cursor_are_explained(database, machine) -> None:
    desk = machine()
    desk.feed(20)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    relay.stop()
    database.execute("DELETE FROM scroll.machine")
    relay = desk.start_relay(database)
    relay.wait_for_message("duplicate key", "delete its rows of all tables")
    database.execute("DELETE FROM scroll.record; DELETE FROM scroll.transition; DELETE FROM scroll.session; DELETE FROM scroll.gap")
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


@pytest.mark.parametrize("statement, words", [
    ("ALTER ROLE shut NOLOGIN", "check the role in Database="),
    ("REVOKE CONNECT ON DATABASE {database} FROM PUBLIC", "GRANT CONNECT ON DATABASE"),
])
def test_a_role_that_may_not_connect_is_refused_with_what_to_do(shared_cluster, machine, statement, words) -> None:
    database = shared_cluster.database()
    database.init()
    database.execute("DROP ROLE IF EXISTS shut; CREATE ROLE shut LOGIN; " + statement.format(database=database.name))
    machine().start_relay(connection=database.connection.replace("user=owner", "user=shut")).wait_for_end(77, words)


def test_init_upgrades_an_older_schema_and_keeps_its_rows(database, machine) -> None:
    desk = machine()
    desk.feed(30)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    relay.stop()
    go_back(database, 1)
    upgraded = database.relay("init")
    assert upgraded.returncode == 0 and "from version 1 to 3" in upgraded.stdout, upgraded.stderr
    desk.require_stored_once(database)
    assert database.value("SELECT count(*) FROM scroll.reach_curve") == "100"


def test_a_failed_init_leaves_nothing(shared_cluster) -> None:
    database = shared_cluster.database()
    database.execute("CREATE SCHEMA scroll; CREATE TABLE scroll.gap (x integer)")
    failed = database.relay("init")
    assert failed.returncode != 0 and "gap" in failed.stderr
    assert database.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'scroll'") == "1"


def test_a_role_without_rights_is_told_what_to_grant(database, machine) -> None:
    database.execute("DROP ROLE IF EXISTS weak; CREATE ROLE weak LOGIN")
    desk = machine()
    desk.feed(20)
    weak = database.connection.replace("user=owner", "user=weak")
    desk.start_relay(connection=weak).wait_for_end(77, "GRANT scroll_relay")
    for verb in ("status", "export"):
        refused = database.relay(verb, connection=weak)
        assert refused.returncode == 77 and "GRANT scroll_reader TO" in refused.stderr, refused.stderr
        assert "scroll_relay" not in refused.stderr
    refused = database.relay("init", connection=weak)
    assert refused.returncode == 77 and "owner of the database" in refused.stderr and "GRANT scroll" not in refused.stderr
    database.execute("GRANT scroll_relay TO weak")
    desk.start_relay(connection=weak)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


def test_readers_read_and_do_not_write(database, machine) -> None:
    database.execute("DROP ROLE IF EXISTS student; CREATE ROLE student LOGIN; GRANT scroll_reader TO student")
    student = database.connection.replace("user=owner", "user=student")
    assert database.execute("SELECT count(*) FROM scroll.reach_curve", connection=student).strip() == "0"
    refused = database.psql("DELETE FROM scroll.record", connection=student)
    assert refused.returncode != 0 and "permission denied" in refused.stderr


def test_with_row_security_a_reader_sees_the_listed_users_only(shared_cluster, machine) -> None:
    database = shared_cluster.database()
    database.init("--row-security")
    desk = machine()
    desk.feed(20)
    desk.start_relay(database)
    desk.wait_until_stored(database)
    database.execute("DROP ROLE IF EXISTS pupil; CREATE ROLE pupil LOGIN; GRANT scroll_reader TO pupil")
    pupil = database.connection.replace("user=owner", "user=pupil")
    for table in ("record", "standing", "session"):
        assert database.execute(f"SELECT count(*) FROM scroll.{table}", connection=pupil).strip() == "0"
    database.execute(f"INSERT INTO scroll.reader (role, uid) VALUES ('pupil', {os.getuid()})")
    for table in ("record", "standing", "session"):
        assert database.execute(f"SELECT count(*) FROM scroll.{table}", connection=pupil).strip() != "0"


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_upgrade_keeps_row_security(shared_cluster, machine, version) -> None:
    database = shared_cluster.database()
    database.init("--row-security")
    desk = machine()
    desk.feed(20)
    desk.start_relay(database)
    desk.wait_until_stored(database)
    database.execute("DROP ROLE IF EXISTS scholar; CREATE ROLE scholar LOGIN; GRANT scroll_reader TO scholar")
    scholar = database.connection.replace("user=owner", "user=scholar")
    if version < 3:
        go_back(database, version)
    database.init()
    relations = [row[0] for row in database.rows(
        "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'scroll'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND ("
        "c.relkind = 'v' OR EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'uid' AND NOT a.attisdropped))")]
    assert {"record", "session", "transition", "standing", "time_to_bottom", "reading"} <= set(relations)
    for relation in relations:
        assert database.execute(f"SELECT count(*) FROM scroll.{relation}", connection=scholar).strip() == "0", relation
    assert database.value("SELECT count(*) FROM scroll.standing") != "0"
    # A site without it does not get it.
    plain = shared_cluster.database()
    plain.init()
    plain.init()
    assert plain.value("SELECT relrowsecurity FROM pg_class WHERE oid = 'scroll.record'::regclass") == "f"


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII", "EUC_JP"])
def test_a_database_of_another_encoding_is_refused_before_a_name_stops_the_relay(shared_cluster, machine, encoding) -> None:
    from fleet.cluster import Database
    database = shared_cluster.database()
    Database(shared_cluster, "postgres").execute(f"DROP DATABASE {database.name}")
    Database(shared_cluster, "postgres").execute(
        f"CREATE DATABASE {database.name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
    refused = database.relay("init")
    assert refused.returncode == 78 and encoding in refused.stderr and "createdb --template=template0 --encoding=UTF8" in refused.stderr
    assert database.value("SELECT count(*) FROM pg_namespace WHERE nspname = 'scroll'") == "0"
    # A schema that an earlier version has made there.
    made = database.relay("init", "--print")
    database.execute(made.stdout)
    desk = machine()
    desk.feed(5, client="日本/1")
    desk.start_relay(database).wait_for_end(78, encoding, "createdb")


def test_row_security_cannot_be_gone_around_by_reading_a_partition(shared_cluster) -> None:
    database = shared_cluster.database()
    database.init("--row-security", "--partitions", "2", "--period", "month")
    database.execute("DROP ROLE IF EXISTS curious; CREATE ROLE curious LOGIN; GRANT scroll_reader TO curious")
    curious = database.connection.replace("user=owner", "user=curious")
    assert database.execute("SELECT count(*) FROM scroll.record", connection=curious).strip() == "0"
    names = [row[0] for row in database.rows(
        "SELECT oid::regclass FROM pg_class WHERE relnamespace = 'scroll'::regnamespace AND relispartition AND relkind IN ('r', 'p')")]
    assert len(names) >= 20
    for name in names:
        refused = database.psql(f"SELECT FROM {name}", connection=curious)
        assert refused.returncode != 0 and "permission denied" in refused.stderr, name


@pytest.fixture(scope="module")
def tls_server(installed_server, tmp_path_factory):
    """A server on 127.0.0.1 with a password and a certificate for the name `localhost`."""
    from support.workspace import Workspace
    workspace = Workspace()
    directory = workspace.directory
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", str(directory / "key.pem"), "-out", str(directory / "cert.pem")],
        check=True, capture_output=True)
    owner = pwd.getpwnam(USER)
    os.chown(directory / "key.pem", owner.pw_uid, owner.pw_gid)
    os.chmod(directory / "key.pem", 0o600)
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    cluster = Cluster(directory / "server", (
        f"listen_addresses = '127.0.0.1'\nport = {port}\nssl = on\nssl_cert_file = '{directory}/cert.pem'\n"
        f"ssl_key_file = '{directory}/key.pem'\n"))
    cluster.port = port
    cluster._make()
    (cluster.data / "pg_hba.conf").write_text("local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n")
    cluster.start()
    from fleet.cluster import Database

    class PortDatabase(Database):
        @property
        def connection(self) -> str:
            return f"{super().connection} port={port}"

    database = PortDatabase(cluster, "fleet")
    PortDatabase(cluster, "postgres").execute("CREATE DATABASE fleet")
    database.init()
    database.execute("CREATE ROLE far LOGIN PASSWORD 'right'; GRANT scroll_relay TO far")
    database.tls = (f"host=localhost hostaddr=127.0.0.1 port={port} dbname=fleet user=far sslmode=verify-full "
                    f"sslrootcert={directory}/cert.pem")
    yield database
    cluster.stop("immediate")
    workspace.close()


def test_a_password_from_a_credential_and_a_certificate_that_matches_let_the_relay_in(tls_server, machine, workspace) -> None:
    desk = machine()
    desk.feed(20)
    (workspace.directory / "scroll-relay.password").write_text("right\n")
    desk.start_relay(connection=tls_server.tls, CREDENTIALS_DIRECTORY=str(workspace.directory))
    desk.wait_until_stored(tls_server)
    desk.require_stored_once(tls_server)


def test_a_wrong_password_is_refused(tls_server, machine, workspace) -> None:
    (workspace.directory / "scroll-relay.password").write_text("wrong\n")
    machine().start_relay(connection=tls_server.tls, CREDENTIALS_DIRECTORY=str(workspace.directory)).wait_for_end(
        77, "password", "credential")
    machine().start_relay(connection=tls_server.tls).wait_for_end(77, "password")


def test_a_certificate_that_does_not_match_is_refused(tls_server, machine, workspace) -> None:
    other = tls_server.tls.replace("host=localhost ", "host=db.example ")
    machine().start_relay(connection=other + " password=right").wait_for_end(77, "certificate", "db.example")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=other", "-keyout",
         str(workspace.directory / "key.pem"), "-out", str(workspace.directory / "other.pem")], check=True, capture_output=True)
    root = tls_server.tls.partition("sslrootcert=")[0] + f"sslrootcert={workspace.directory}/other.pem password=right"
    machine().start_relay(connection=root).wait_for_end(77, "certificate", "sslrootcert=")


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_root_certificate_that_cannot_be_read_is_not_blamed_on_the_server(tls_server, machine, workspace, content) -> None:
    path = workspace.directory / "root.pem"
    if content:
        path.write_text(content)
    root = tls_server.tls.partition("sslrootcert=")[0] + f"sslrootcert={path} password=right"
    relay = machine().start_relay(connection=root)
    relay.wait_for_end(77, str(path), "must name a readable file")
    assert "must name the host" not in relay.output()


def test_a_full_disk_is_waited_for_and_nothing_is_lost(installed_server, machine, workspace, disks) -> None:
    disk = disks.tmpfs("160m")
    cluster = Cluster(disk / "server", "max_wal_size = 32MB\nmin_wal_size = 32MB\n")
    cluster.start()
    workspace.add_finalizer(lambda: cluster.stop("immediate"))
    database = cluster.database()
    database.init()
    desk = machine()
    relay = desk.start_relay(database)
    desk.feed(50)
    desk.wait_until_stored(database)
    fill(disk / "filler", 128 << 10)
    for _ in range(4):
        desk.feed(2000)
    relay.wait_for_message("full", patience=60)
    os.remove(disk / "filler")
    # A server whose own log found no space has ended itself.
    if database.psql("SELECT 1").returncode != 0:
        cluster.stop("immediate")
        cluster.start()
    desk.wait_until_stored(database, patience=90)
    desk.require_stored_once(database)


@pytest.mark.parametrize("jump, words", [(3_000_000, "s ahead of"), (-3_000_000, "s behind")])
def test_a_clock_that_jumps_is_reported_and_nothing_is_lost(database, machine, workspace, jump, words) -> None:
    clock = Clock(workspace.directory)
    desk = machine(start=False)
    desk.daemon.environment = clock.environment
    desk.daemon.start()
    desk.feed(40)
    relay = desk.start_relay(database, **clock.environment)
    desk.wait_until_stored(database)
    clock.set(jump)
    desk.feed(40)
    relay.wait_for_message(words, "timedatectl")
    clock.set(0)
    desk.feed(40)
    relay.wait_for_message("agree again")
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    assert relay.process.poll() is None


def test_a_relay_that_the_daemon_refuses_names_the_setting(database, machine) -> None:
    desk = machine()
    from support.users import NOBODY
    relay = desk.start_relay(
        database, prefix=("setpriv", f"--reuid={NOBODY}", "--clear-groups", "--"))
    relay.wait_for_end(77, "Relays=", "scrolld.conf")


def test_a_user_in_relays_may_relay(database, machine) -> None:
    from support.users import NOBODY
    desk = machine(f"[Access]\nRelays={NOBODY}\n")
    desk.feed(20)
    desk.start_relay(database, prefix=("setpriv", f"--reuid={NOBODY}", "--clear-groups", "--"))
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


@pytest.mark.parametrize("text, words", [
    ("[Relay]\nDatabse=x\n", ("2", "Databse=", "the keys are Database")),
    ("[Relay]\nBatchRecords=0\n", ("2", "BatchRecords=", "a number from 1 to 65536")),
    ("[Log]\n", ("1", "the only section is [Relay]")),
    ("[Relay]\nBatchDelaySec=1fortnight\n", ("BatchDelaySec=", "time span")),
    ("[Relay]\nMachine=x\n", ("Machine=", "32 hexadecimal digits")),
])
def test_a_bad_configuration_is_refused_with_file_line_and_key(workspace, text, words) -> None:
    from support import programs
    path = workspace.directory / "scroll-relay.conf"
    path.write_text(text)
    failed = programs.run("scroll-relay", "--config", str(path), "run")
    assert failed.returncode == 78
    for word in (str(path), *words):
        assert word in failed.stderr, failed.stderr


@pytest.mark.parametrize("string, words", [
    ("hots=x", "hots"), ("host='unterminated", "unterminated"), ("postgresql://%zz", "%zz"), ("postgresql://h:x/db", "port"),
    ("postgresql://h/db?x", "separator"), ("postgresql://[::1/db", "IPv6"), ("dbname=x host", "missing"), ("port=abc", "abc"),
    ("port=99999999", "99999999"), ("sslmode=verify", "sslmode"), ("target_session_attrs=primry", "primry"), ("gssencmode=x", "gssencmode"),
    ("channel_binding=x", "channel_binding"), ("host=a,b port=1,2,3", "match"), ("service=absent", "absent"),
    ("ssl_min_protocol_version=SSLv9", "SSLv9"), ("host=127.0.0.1 keepalives=x port=1", "keepalives"),
])
def test_a_bad_connection_string_is_refused_and_the_key_is_named(machine, string, words) -> None:
    machine().start_relay(connection=string).wait_for_end(78, "Database=", words, "correct the connection string")
    for verb in ("init", "status", "export"):
        from support import programs
        refused = programs.run("scroll-relay", "--config", "/dev/null", "--database", string, verb)
        assert refused.returncode == 78 and "Database=" in refused.stderr and words in refused.stderr, refused.stderr


def test_a_distributed_schema_without_citus_is_refused_with_what_is_missing(shared_cluster) -> None:
    database = shared_cluster.database()
    refused = database.relay("init", "--distributed")
    assert refused.returncode == 78 and "CREATE EXTENSION citus" in refused.stderr, refused.stderr
    assert "with this version" not in refused.stderr
    assert database.value("SELECT count(*) FROM pg_namespace WHERE nspname = 'scroll'") == "0"


def test_a_server_without_tls_is_refused_with_what_to_do(machine, cluster) -> None:
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    cluster.stop()
    cluster.configure(f"listen_addresses = '127.0.0.1'\nport = {port}\n")
    cluster.port = port
    cluster.start()
    connection = f"host=127.0.0.1 port={port} user=owner dbname=postgres sslmode=require"
    machine().start_relay(connection=connection).wait_for_end(77, "does not support SSL", "ssl=on", "sslmode=")


def test_a_rule_of_pg_hba_that_rejects_names_the_file(machine, cluster) -> None:
    database = cluster.database()
    database.init()
    database.execute("CREATE ROLE banned LOGIN")
    rules = cluster.data / "pg_hba.conf"
    rules.write_text("local all banned reject\nlocal all all trust\n")
    database.execute("SELECT pg_reload_conf()")
    banned = database.connection.replace("user=owner", "user=banned")
    machine().start_relay(connection=banned).wait_for_end(77, "rejects connection", "check the role in Database=")


def test_a_role_with_too_many_connections_is_waited_for_with_what_to_do(machine, database) -> None:
    database.execute("DROP ROLE IF EXISTS narrow; CREATE ROLE narrow LOGIN CONNECTION LIMIT 0; GRANT scroll_relay TO narrow")
    desk = machine()
    desk.feed(20)
    relay = desk.start_relay(connection=database.connection.replace("user=owner", "user=narrow"))
    relay.wait_for_message("too many connections", "CONNECTION LIMIT of the role")
    database.execute("ALTER ROLE narrow CONNECTION LIMIT -1")
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


def test_an_unknown_user_without_a_role_is_told_to_name_one(machine, database) -> None:
    desk = machine()
    connection = f"host={database.cluster.directory} dbname={database.name}"
    # As for the unit's dynamic user, the system has no name for this id.
    relay = desk.start_relay(connection=connection, prefix=("setpriv", "--reuid=63323", "--clear-groups", "--"))
    relay.wait_for_end(78, "63323", "user= in Database=")


def test_a_server_that_is_away_is_reported_once_and_waited_for(machine, cluster) -> None:
    database = cluster.database()
    database.init()
    cluster.stop()
    desk = machine()
    relay = desk.start_relay(database)
    relay.wait_for_message("scroll-relay:", ".s.PGSQL")
    desk.feed(20)
    cluster.start()
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    assert relay.output().count("No such file") == 1, relay.output()
