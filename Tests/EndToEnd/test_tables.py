"""Measures and tables: `scrollctl reading`, and `scrollctl export --sqlite` and `--csv`."""

import csv
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from support import programs, pypi
from support.daemon import Daemon
from support.formats import content_end, flip_bit
from support.recordings import FIXTURES, Feeder, recordings
from support.repository import REPOSITORY
from support.workspace import Workspace

RECORDINGS = sorted((FIXTURES / "recordings").glob("*.ndjson"))
TABLES = ("session", "event", "transition", "reading", "band")
README = REPOSITORY / "README.md"
START = 1_700_000_000_000_000


def export(workspace: Workspace, daemon: Daemon | None, *arguments: object, status: int = 0):
    result = workspace.scrollctl(daemon, "export", *map(str, arguments), timeout=300)
    assert result.returncode == status, result.stderr
    return result


def measured(workspace: Workspace, daemon: Daemon | None, *arguments: object) -> list[dict]:
    result = workspace.scrollctl(daemon, "--json", "reading", *map(str, arguments))
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def import_recordings(workspace: Workspace, daemon: Daemon) -> None:
    result = workspace.scrollctl(daemon, "import", *map(str, RECORDINGS))
    assert (result.returncode, result.stderr) == (0, ""), "import"


def opened(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    return database


def test_the_tables_of_the_log_are_whole_and_agree_with_reading_and_fold(workspace: Workspace, daemon: Daemon) -> None:
    import_recordings(workspace, daemon)
    path = workspace.directory / "log.db"
    printed = export(workspace, daemon, "--sqlite", path).stdout
    assert printed == f"{path}: {len(RECORDINGS)} sessions, {sum(len(r.events) for r in recordings())} events\n"
    database = opened(path)
    assert database.execute("PRAGMA user_version").fetchone()[0] == 1
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert database.execute("PRAGMA foreign_key_check").fetchall() == [], "foreign keys"
    for table in TABLES:
        [(definition,)] = database.execute("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", [table])
        assert "STRICT" in definition and definition.count("--") > definition.count("\n") - 5, f"{table} is explained"
    sessions = measured(workspace, daemon)[:-1]
    found = database.execute("SELECT * FROM session JOIN reading USING (session) ORDER BY session").fetchall()
    for row, session in zip(found, sessions, strict=True):
        assert row["id"] == session["session"]
        for name in row.keys():
            if name not in ("session", "id", "file", "rule", "parameters", "opened", "closed", "reason"):
                assert row[name] == session.get(name), f"{name} of {session['title']}"
        bands = database.execute("SELECT time FROM band WHERE session = ? ORDER BY band", [row["session"]])
        assert [time for time, in bands] == session["bands"], session["title"]
    for recording in recordings():
        [key] = database.execute("SELECT session FROM session WHERE title = ?", [recording.name]).fetchone()
        events = database.execute("SELECT * FROM event WHERE session = ? ORDER BY number", [key]).fetchall()
        for row, event in zip(events, recording.events, strict=True):
            fields = {name: row[name] for name in row.keys()
                      if row[name] is not None and name not in ("event", "session", "number", "position", "received")}
            assert fields == event, f"event {row['number']} of {recording.name}"
        turns = database.execute("SELECT toolbar, trigger, time FROM transition WHERE session = ? ORDER BY event", [key])
        assert [tuple(row) for row in turns] == [
            (expected["toolbar"], expected.get("trigger"), expected["time"]) for expected in recording.expected("safari")
        ], recording.name


def test_the_csv_files_have_the_rows_of_the_database(workspace: Workspace) -> None:
    database, directory = workspace.directory / "all.db", workspace.directory / "all"
    export(workspace, None, "--sqlite", database, *RECORDINGS)
    export(workspace, None, "--csv", directory, *RECORDINGS)
    assert sorted(path.name for path in directory.iterdir()) == sorted(f"{table}.csv" for table in TABLES)
    connection = opened(database)
    for table in TABLES:
        with open(directory / f"{table}.csv", newline="") as file:
            assert file.readline().endswith("\r\n"), "RFC 4180"
            file.seek(0)
            rows = list(csv.DictReader(file))
        expected = connection.execute(f"SELECT * FROM {table}").fetchall()
        assert len(rows) == len(expected) > 0, table
        for row, values in zip(rows, expected):
            for name in values.keys():
                kind = type(values[name])
                assert (None if row[name] == "" else kind(row[name])) == values[name], f"{table}.{name}"


def test_the_same_question_in_sql_pandas_and_r_has_the_answer_of_reading(workspace: Workspace) -> None:
    """Runs the examples of the README's section for researchers."""
    section = README.read_text().split("## Five minutes: how far do people read?")[1].split("\n## ")[0]
    blocks = dict(re.findall(r"^```(sql|python|r)\n(.*?)^```$", section, re.S | re.M))
    outputs = {language: text for language, text in re.findall(
        r"^```(sql|python|r)\n.*?^```\n\n((?:^    [^\n]*\n)+)", section, re.S | re.M)}
    assert set(blocks) == {"sql", "python", "r"}, "the README asks the question in three languages"
    (workspace.directory / "log.db").unlink(missing_ok=True)
    export(workspace, None, "--sqlite", workspace.directory / "log.db", *RECORDINGS)
    expected = {group["population"]: group["measures"].get("bottomReached", {"count": 0})["count"] / group["sessions"]
                for group in measured(workspace, None, "--by", "title", *RECORDINGS) if group.get("by") == "title"}
    assert 0 < sum(expected.values()) < len(expected), "some got to the end, and some did not"
    shell = shutil.which("sqlite3")
    commands = {"sql": [shell, "-header", "-column", "log.db", blocks["sql"]],
                "python": [pypi.require("pandas==3.1.1"), "-c", blocks["python"]],
                "r": [shutil.which("Rscript"), "--vanilla", "-e", blocks["r"]]}
    ran = []
    for language, command in commands.items():
        if command[0] is None:
            continue
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=workspace.directory,
                                env=programs.environment(PYTHONIOENCODING="utf-8"))
        if language == "r" and "there is no package" in result.stderr:
            continue
        assert result.returncode == 0, f"{language}: {result.stderr}"
        found = {name: float(share) for name, share in
                 re.findall(r"^\s*(?:\d+\s+)?([a-z]+-[a-z-]+|pager)\s+([\d.]+)\s*$", result.stdout, re.M)}
        assert found == expected, f"{language}: {result.stdout}"
        shown = "".join(line[4:] for line in outputs[language].splitlines(keepends=True))
        assert result.stdout.split() == shown.split(), f"the README's output of {language}"
        ran.append(language)
    missing = set(commands) - set(ran)
    if missing:
        pytest.skip(f"not installed: {', '.join(sorted(missing))} (sqlite3, r-base-core, r-cran-rsqlite); the others agree")


def many(path: Path, events: int) -> Path:
    """Sessions of the recordings, one after the other, as one file."""
    sources = recordings()
    count = turn = 0
    with open(path, "w") as file:
        while count < events:
            recording = sources[turn % len(sources)]
            shift = turn * 60_000_000
            print(json.dumps({"kind": "open", "time": START + shift, "client": f"reader/{turn % 50}",
                              "title": f"Article {turn % 12}"}), file=file)
            for event in recording.events:
                print(json.dumps({**event, "time": event["time"] + shift}, separators=(",", ":")), file=file)
            print(json.dumps({"kind": "close", "time": recording.events[-1]["time"] + shift}), file=file)
            count += len(recording.events)
            turn += 1
    return path


#: The memory that an export may have beyond the program itself, in MiB: a database's cache of 16 MiB, and some batches of rows.
#: Half of the events of the test would need more.
MEMORY = 40


def test_an_export_needs_no_more_memory_for_many_events_and_a_database_is_hardly_larger_than_csv(
        workspace: Workspace) -> None:
    recording = many(workspace.directory / "many.ndjson", 600_000)
    database, directory = workspace.directory / "many.db", workspace.directory / "many"
    start = time.monotonic()
    for option, path in (("--sqlite", database), ("--csv", directory)):
        process = programs.start("scrollctl", "export", option, str(path), str(recording), stdout=subprocess.DEVNULL,
                                 prefix=["prlimit", f"--data={MEMORY << 20}"])
        assert process.wait(300) == 0, f"{option} with {MEMORY} MiB"
        print(f"{option}: {600_000 / (time.monotonic() - start):.0f} events/s")
        start = time.monotonic()
    size = sum(path.stat().st_size for path in directory.iterdir())
    assert database.stat().st_size <= 1.2 * size, "bytes, against CSV"


def test_a_killed_or_interrupted_export_leaves_no_file_under_its_name(workspace: Workspace) -> None:
    recording = many(workspace.directory / "many.ndjson", 200_000)
    for kill, left in ((signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, 1)):
        for option in ("--sqlite", "--csv"):
            target = workspace.directory / "out" / "target"
            target.parent.mkdir()
            process = programs.start("scrollctl", "export", option, str(target), str(recording),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not list(target.parent.iterdir()) and process.poll() is None:
                pass
            process.send_signal(kill)
            assert process.wait(60) != 0, "exit status"
            assert not target.exists(), f"{option} after {kill.name}"
            assert len(list(target.parent.iterdir())) == left, f"{option} after {kill.name}"
            shutil.rmtree(target.parent)


@pytest.mark.parametrize("option", ["--sqlite", "--csv"])
def test_a_full_disk_fails_an_export_and_keeps_nothing_of_it(workspace: Workspace, disks, option: str) -> None:
    disk = disks.tmpfs("400k")
    recording = many(workspace.directory / "many.ndjson", 40_000)
    result = export(workspace, None, option, disk / "out", recording, status=1)
    assert "No space left on device" in result.stderr, result.stderr
    assert str(disk / "out") in result.stderr and ".tmp" not in result.stderr, "the name that was asked for"
    assert list(disk.iterdir()) == [], "files on the disk"


def test_a_damaged_segment_in_the_middle_leaves_out_the_sessions_that_it_touches(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Log]\nCompress=no\n")
    feeders = {}
    for name in ("before", "open", "lost", "behind"):
        feeders[name] = Feeder(daemon.connect(), name)
        feeders[name].feed(recordings()[0].events[:50])
        if name == "open":
            feeders["before"].close()
        if name != "before":
            daemon.call("org.scrolld.Manager.Rotate")
    daemon.stop()
    middle = daemon.segments()[1]
    flip_bit(middle, content_end(middle) // 2)
    daemon.start()
    path = workspace.directory / "log.db"
    result = export(workspace, daemon, "--sqlite", path, status=1)
    assert f"{middle}, byte " in result.stderr and "left out 2 sessions: 2 that may have lost events; and the sessions that began" in result.stderr, result.stderr
    clients = [client for client, in opened(path).execute("SELECT client FROM session ORDER BY session")]
    assert clients == ["before", "behind"], "the sessions"
    assert [path.name for path in workspace.directory.glob("log*")] == ["log.db"], "files"
    result = workspace.scrollctl(daemon, "--json", "reading")
    assert result.returncode == 1, "reading"
    assert [json.loads(line)["client"] for line in result.stdout.splitlines()[:-1]] == ["before", "behind"]


def test_files_clients_sessions_globs_and_times_select_alike_for_reading_report_and_export(
        workspace: Workspace, daemon: Daemon) -> None:
    import_recordings(workspace, daemon)
    sessions = measured(workspace, daemon)[:-1]
    assert len(sessions) == len(RECORDINGS)
    pager = next(session for session in sessions if session["title"] == "pager")
    for arguments, titles in [
            (["chromium/art*"], [path.stem for path in RECORDINGS if path.stem.startswith("art")]),
            (["chromium/pager"], ["pager"]), ([pager["session"]], ["pager"]),
            ([RECORDINGS[0], "chromium/pager"], [RECORDINGS[0].stem, "pager"]), (["--since", "1h ago"], None),
            (["--until", "1h ago"], [])]:
        expected = [session["title"] for session in sessions] if titles is None else titles
        result = workspace.scrollctl(daemon, "--json", "reading", *map(str, arguments))
        path = workspace.directory / "out.db"
        path.unlink(missing_ok=True)
        exported = workspace.scrollctl(daemon, "export", "--sqlite", str(path), *map(str, arguments))
        page = workspace.scrollctl(daemon, "report", *map(str, arguments))
        if not expected:
            for outcome in (result, exported, page):
                assert outcome.returncode == 1 and "the log has no session that you may see in the given time" in outcome.stderr
            assert not path.exists()
            continue
        found = [json.loads(line).get("title") for line in result.stdout.splitlines()[:-1]]
        assert sorted(found) == sorted(expected), f"{arguments}"
        found = [title for title, in opened(path).execute("SELECT title FROM session")]
        assert sorted(found) == sorted(expected), f"{arguments}"
        assert page.returncode == 0 and all(title in page.stdout for title in expected), f"{arguments}"


def test_a_client_with_several_sessions_is_never_taken_in_part_without_a_word(workspace: Workspace, daemon: Daemon) -> None:
    for title in ("article-read", "pager"):
        recording = FIXTURES / f"recordings/{title}.ndjson"
        assert workspace.scrollctl(daemon, "record", "--client", "reader", str(recording)).returncode == 0
    newest = measured(workspace, daemon)[1]
    name = f"reader@{newest['session'][:8]}"
    note = f"“reader” has 2 sessions, of which only the newest is taken: {name}"
    verbs = [["reading"], ["report"], ["timeline"], ["compare"], ["fold"], ["check"], ["sweep", "hideDistance=5..10"]]
    for verb in verbs:
        taken = workspace.scrollctl(daemon, *verb, "reader")
        assert note in taken.stderr and "the pattern “[r]eader” takes them all" in taken.stderr, f"{verb}: {taken.stderr}"
        for others in (["[r]eader"], [name], ["reader", "[r]eader"]):
            result = workspace.scrollctl(daemon, *verb, *others)
            assert "only the newest" not in result.stderr, f"{verb} {others}: {result.stderr}"
    for option in ([], ["--flat"], ["--sqlite", str(workspace.directory / "a.db"), "--force"]):
        everything, one = (export(workspace, daemon, *option, argument).stdout for argument in ("reader", name))
        if option[:1] == ["--sqlite"]:
            assert ": 2 sessions, " in everything and ": 1 session, " in one
        else:
            assert everything.endswith(one) and len(one) < len(everything), "the newest of two"
    missing = export(workspace, daemon, "reader@00000000", status=1)
    assert "no client “reader@00000000”" in missing.stderr, missing.stderr


@pytest.mark.parametrize("option", ["--sqlite", "--csv"])
def test_tables_have_no_sessions_that_lost_events(workspace: Workspace, daemon: Daemon, option: str) -> None:
    result = export(workspace, daemon, "--damaged", option, workspace.directory / "out", status=2)
    assert f"--damaged and {option}" in result.stderr, result.stderr


def test_a_bad_file_does_not_hide_what_the_others_have(workspace: Workspace) -> None:
    empty, text = workspace.directory / "empty.ndjson", workspace.directory / "text.ndjson"
    empty.write_text("")
    text.write_text("hello\n")
    for verb in (["--json", "reading"], ["report", "--force", "-o", str(workspace.directory / "r.html")],
                 ["export", "--force", "--sqlite", str(workspace.directory / "t.db")]):
        result = workspace.scrollctl(None, *verb, str(empty), str(RECORDINGS[0]), str(text))
        assert result.returncode == 1 and result.stdout, f"{verb}: {result.stderr}"
        assert "empty.ndjson has no events" in result.stderr and "text.ndjson:1: " in result.stderr, f"{verb}: {result.stderr}"
    assert len(opened(workspace.directory / "t.db").execute("SELECT * FROM session").fetchall()) == 1
    nothing = workspace.scrollctl(None, "reading", str(empty), str(text))
    assert nothing.returncode == 1 and not nothing.stdout, nothing.stdout
    assert "empty.ndjson has no events" in nothing.stderr and "text.ndjson:1: " in nothing.stderr, nothing.stderr
