"""The help, the manual, the completions, the example configuration and the installer of scroll-relay agree."""

import re
import shutil
import subprocess

import pytest
from support import programs
from support.repository import REPOSITORY

SYSTEMD = REPOSITORY / "systemd"
MANUAL = (SYSTEMD / "man/scroll-relay.8").read_text().replace("\\-", "-")


def help_text() -> str:
    return programs.run("scroll-relay", "--help").stdout


def options() -> set[str]:
    return set(re.findall(r"^ {2,6}(--[a-z-]+)", help_text(), re.M))


def test_the_manual_has_each_option_verb_and_exit_status_of_the_help() -> None:
    assert len(options()) >= 14
    assert {option for option in options() if option not in MANUAL} == set()
    for verb in ("init", "run", "status", "export"):
        assert f"\n.TP\n.B {verb}\n" in MANUAL, verb
    statuses = re.findall(r"\b(\d+) ", help_text().split("Exit status:")[1])
    documented = re.findall(r"^\.TP\n(\d+)$", MANUAL.split('.SH "EXIT STATUS"')[1], re.M)
    assert documented == statuses == ["0", "1", "2", "77", "78"]


def test_the_manual_and_the_example_have_each_key_of_the_configuration(workspace) -> None:
    path = workspace.directory / "scroll-relay.conf"
    path.write_text("[Relay]\nNothing=\n")
    keys = programs.run("scroll-relay", "--config", str(path), "run").stderr.split("the keys are ")[1].strip().split(", ")
    assert len(keys) == 7
    for key in keys:
        assert f"{key}=" in MANUAL, key
    example = (REPOSITORY / "config/scroll-relay.conf").read_text()
    assert re.findall(r"^#([A-Z]\w+)=", re.sub(r"^# .*$", "", example, flags=re.M), re.M) == keys
    # The example with its defaults is a valid configuration.
    path.write_text(re.sub(r"^#([A-Z]\w+=.*)$", r"\1", example, flags=re.M))
    assert "DB" not in programs.run("scroll-relay", "--config", str(path), "init", "--print").stderr


@pytest.mark.parametrize("shell", ["bash", "_", "fish"])
def test_the_completions_have_each_option_and_verb(shell) -> None:
    text = (SYSTEMD / "completions" / ("_scroll-relay" if shell == "_" else f"scroll-relay.{shell}")).read_text()
    for option in options():
        assert (f"-l {option[2:]} " if shell == "fish" else option) in text, option
    for verb in ("init", "run", "status", "export"):
        assert verb in text


def test_bash_completes_the_options_of_a_verb() -> None:
    library = "/usr/share/bash-completion/bash_completion"
    script = (f"source {library}; source {SYSTEMD}/completions/scroll-relay.bash; COMP_WORDS=(scroll-relay init --p); COMP_CWORD=2; "
              "COMP_LINE='scroll-relay init --p'; COMP_POINT=21; _scroll_relay; printf '%s\\n' \"${COMPREPLY[@]}\"")
    if not shutil.which("bash") or not __import__("os").path.exists(library):
        pytest.skip("bash-completion is not installed")
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["--partitions", "--period", "--print"], done.stderr


def test_a_mistake_on_the_command_line_is_explained() -> None:
    for arguments, words in [
        ([], "a verb is missing"), (["rn"], "unknown verb “rn”"), (["run", "x"], "unexpected argument “x”"),
        (["--machine", "x", "run"], "32 hexadecimal digits"), (["run", "--json"], "an option of “status”"),
        (["init", "--partitions", "0"], "from 1 to 1024"), (["init", "--partitions=2", "--distributed"], "exclude each other"),
        (["init", "--period", "year"], "month, week or day"), (["init", "--period=day", "--distributed"], "cannot be combined"),
        (["status", "--format", "xml"], "text, json or openmetrics"), (["--database"], "needs a value"),
    ]:
        failed = programs.run("scroll-relay", *arguments)
        assert failed.returncode == 2 and words in failed.stderr, (arguments, failed.stderr)


def test_init_prints_the_statements_of_each_layout() -> None:
    plain = programs.run("scroll-relay", "init", "--print").stdout
    assert "CREATE TABLE scroll.record" in plain and not re.search("PARTITION BY (HASH|RANGE)", plain)
    assert "MODULUS 4, REMAINDER 3" in programs.run("scroll-relay", "init", "--print", "--partitions", "4").stdout
    citus = programs.run("scroll-relay", "init", "--print", "--distributed").stdout
    assert "create_distributed_table('scroll.record', 'machine'" in citus
    assert "PRIMARY KEY" not in programs.run("scroll-relay", "init", "--print", "--foreign-shards").stdout


def test_the_installer_installs_and_removes_the_relay(workspace) -> None:
    stand_ins, root = workspace.directory / "programs", workspace.directory / "root"
    stand_ins.mkdir()
    shutil.copy("/bin/true", stand_ins / "scroll-relay")
    command = [SYSTEMD / "install", "--relay", "--destdir", root, "--prefix", "/usr"]
    subprocess.run([*command, "--programs", stand_ins], check=True, env=programs.environment())
    found = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert found == {
        "usr/bin/scroll-relay", "usr/lib/systemd/system/scroll-relay.service", "usr/lib/sysusers.d/scroll-relay.conf",
        "usr/share/man/man8/scroll-relay.8", "usr/share/bash-completion/completions/scroll-relay",
        "usr/share/zsh/site-functions/_scroll-relay", "usr/share/fish/vendor_completions.d/scroll-relay.fish",
        "usr/share/scrolld/installed-relay", "etc/scrolld/scroll-relay.conf"}
    subprocess.run([*command, "--uninstall"], check=True, env=programs.environment(), capture_output=True)
    assert {path.name for path in root.rglob("*") if path.is_file()} == {"scroll-relay.conf"}


@pytest.mark.parametrize("layout", [[], ["--partitions=2"], ["--period=day"], ["--foreign-shards"], ["--row-security"]])
def test_each_table_view_and_column_of_the_schema_has_a_comment(shared_cluster, layout) -> None:
    database = shared_cluster.database()
    database.init(*layout)
    # A partition has the columns of its table.
    relations = "FROM pg_class AS c WHERE c.relnamespace = 'scroll'::regnamespace AND c.relkind NOT IN ('i', 'I') AND NOT c.relispartition"
    assert database.rows(f"SELECT c.relname {relations} AND obj_description(c.oid, 'pg_class') IS NULL") == []
    count = int(database.value(f"SELECT count(*) {relations}"))
    assert count >= 12
    missing = database.rows(
        "SELECT c.relname, a.attname FROM pg_attribute AS a, LATERAL (SELECT c.oid, c.relname "
        f"{relations} AND c.oid = a.attrelid) AS c WHERE a.attnum > 0 AND NOT a.attisdropped AND col_description(c.oid, a.attnum) IS NULL")
    assert missing == []


def test_a_partitioned_schema_stores_each_record_once(shared_cluster, machine) -> None:
    database = shared_cluster.database()
    database.init("--partitions", "4")
    desks = [machine() for _ in range(3)]
    for desk in desks:
        desk.feed(60)
        desk.start_relay(database)
    for desk in desks:
        desk.wait_until_stored(database)
        desk.require_stored_once(database)


def partitions(database, table: str) -> list[str]:
    return [row[0] for row in database.rows(
        f"SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'scroll.{table}'::regclass ORDER BY 1::text")]


def test_partitions_by_time_get_the_records_of_their_month_and_can_be_dropped(shared_cluster, machine) -> None:
    database = shared_cluster.database()
    database.init("--period", "month", "--partitions", "2")
    assert len(partitions(database, "record")) == 5, "this month, the next three, and the rest"
    month = database.value("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')")
    desk = machine()
    desk.feed(60)
    desk.start_relay(database)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    for table in ("record", "transition"):
        assert database.value(f"SELECT count(*) FROM scroll.{table}_{month}") == database.value(f"SELECT count(*) FROM scroll.{table}")
        assert len(partitions(database, f"{table}_{month}")) == 2
    # The layout of a schema that exists stays.
    assert "stay divided as they are" in database.relay("init", "--period", "day").stdout
    assert len(partitions(database, "record")) == 5
    before = database.value("SELECT count(*) FROM scroll.session")
    database.execute(f"DROP TABLE scroll.record_{month}, scroll.transition_{month}")
    assert database.value("SELECT count(*) FROM scroll.session") == before != "0"
    left = database.relay("export")
    assert (left.returncode, left.stdout) == (1, "") and "the database has only a part of it" in left.stderr


def test_records_of_a_time_without_a_partition_are_stored_and_moved_by_the_next_init(shared_cluster, machine) -> None:
    database = shared_cluster.database()
    database.init("--period", "day")
    today = database.value("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM_DD')")
    database.execute(f"DROP TABLE scroll.record_{today}, scroll.transition_{today}")
    desk = machine()
    desk.feed(60)
    desk.start_relay(database)
    desk.wait_until_stored(database)
    assert int(database.value("SELECT count(*) FROM scroll.record_rest")) == desk.last_position()
    database.init()
    assert database.value("SELECT count(*) FROM scroll.record_rest") == "0"
    assert int(database.value(f"SELECT count(*) FROM scroll.record_{today}")) == desk.last_position()
    assert database.value("SELECT count(*) FROM scroll.transition_rest") == "0"
    desk.feed(20)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


def test_status_lists_machines_for_people_programs_and_monitoring(database, machine) -> None:
    import json
    assert database.relay("status").stdout == "No machine has stored anything yet.\n"
    desk = machine()
    desk.feed(20)
    desk.start_relay(database)
    desk.wait_until_stored(database)
    assert "desk1" in database.relay("status").stdout
    assert len(database.relay("status").stdout.splitlines()) == 2
    status = json.loads(database.relay("status", "--json").stdout)
    assert (status["name"], status["position"], status["records"]) == ("desk1", desk.last_position(), desk.last_position())
    metrics = database.relay("status", "--format", "openmetrics").stdout
    labels = f'{{machine="{desk.id}",name="desk1"}}'
    assert f"scroll_relay_records_total{labels} {desk.last_position()}\n" in metrics
    assert "# TYPE scroll_relay_lag_seconds gauge\n# UNIT scroll_relay_lag_seconds seconds\n" in metrics
    assert f"scroll_relay_retries_total{labels} 0\n" in metrics and metrics.endswith("# EOF\n")


def test_a_name_that_two_machines_have_is_not_taken_for_one(database, machine) -> None:
    desks = [machine(), machine()]
    for desk in desks:
        desk.name = "kiosk"
        desk.feed(20)
        desk.start_relay(database)
    for desk in desks:
        desk.wait_until_stored(database)
    refused = database.relay("export", "--of", "kiosk")
    assert (refused.returncode, refused.stdout) == (1, "") and all(desk.id in refused.stderr for desk in desks)
    for desk in desks:
        desk.require_equal_exports(database)


@pytest.mark.parametrize("name", ["two\nlines", "\r\n", "tab\tand\x1b[31mred", "line\u2028separator", 'a "quote" and \\'])
def test_a_name_with_a_line_break_does_not_break_a_line_of_status(database, machine, name) -> None:
    import json
    desk = machine()
    desk.name = name
    desk.feed(10)
    desk.start_relay(database)
    desk.wait_until_stored(database)
    text = database.relay("status").stdout
    assert text.count("\n") == 2 and len(text.splitlines()) == 2 and "\x1b" not in text, text
    assert json.loads(database.relay("status", "--json").stdout)["name"] == name
    metrics = database.relay("status", "--format", "openmetrics").stdout
    assert all(re.fullmatch(r"# .*|scroll_relay_\w+\{.*\} \S+", line) for line in metrics.split("\n") if line), metrics
