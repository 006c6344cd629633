"""Export and import of sessions between daemons."""

import json
import re
import signal
import subprocess

from support import programs
from support.daemon import Daemon
from support.formats import content_end, flip_bit
from support.recordings import FIXTURES, POLICIES, Feeder, recordings
from support.subscriber import history
from support.workspace import Workspace

READ = "org.scrolld.Observer.Read"


def records(daemon: Daemon) -> list[dict]:
    """The records without what differs between daemons: positions and times of receipt."""
    found = [reply for reply in daemon.stream(READ) if "record" in reply]
    return [{name: reply.get(name) for name in ("client", "user", "session", "number", "record")} for reply in found]


def by_session(found: list[dict]) -> dict[str, list[dict]]:
    sessions: dict[str, list[dict]] = {}
    for record in found:
        sessions.setdefault(record["session"], []).append(record)
    return sessions


def transitions(daemon: Daemon) -> dict[str, list[dict]]:
    """Each session's transitions, without their positions."""
    found: dict[str, list[dict]] = {}
    for reply in history(daemon):
        if "transition" in reply:
            transition = {key: value for key, value in reply["transition"].items() if key != "position"}
            found.setdefault(transition["session"], []).append(transition)
    return found


def exported(workspace: Workspace, daemon: Daemon, *arguments: str) -> str:
    result = workspace.scrollctl(daemon, "export", *arguments)
    assert (result.returncode, result.stderr) == (0, ""), "export"
    return result.stdout


def unreceived(text: str) -> str:
    """Removes when the daemon received the openings, which no two daemons have in common."""
    return re.sub(r',"received":\d+}$', "}", text, flags=re.MULTILINE)


def test_an_imported_export_equals_the_original(workspace: Workspace) -> None:
    # The second daemon does not know the policies of the first.
    first = workspace.daemon(POLICIES, name="first")
    second = workspace.daemon(name="second")
    wire = first.connect()
    feeders = []
    for index, recording in enumerate(recordings()):
        policy = ("classic", "arrival", "safari")[index % 3]
        feeders.append((Feeder(wire, f"{policy}/{recording.name}"), recording.events))
    # Interleaves the sessions in the log.
    for start in range(0, 700, 50):
        for feeder, events in feeders:
            if events[start : start + 50]:
                feeder.feed(events[start : start + 50])
    for feeder, _ in feeders:
        feeder.close()
    text = exported(workspace, first)
    imported = workspace.scrollctl(second, "import", "-", input=text)
    assert (imported.returncode, imported.stderr) == (0, ""), "import"
    assert by_session(records(second)) == by_session(records(first)), "the records of each session"
    assert transitions(second) == transitions(first), "the transitions of each session"
    assert unreceived(exported(workspace, second)) == unreceived(text), "the export of the import"
    # A second import duplicates nothing.
    last = second.statistics()["lastPosition"]
    again = workspace.scrollctl(second, "import", "-", input=text)
    assert again.returncode == 0, f"exit status of the second import: {again.stderr}"
    assert again.stdout.count("is already in the log") == len(feeders), f"sessions that are skipped: {again.stdout}"
    assert second.statistics()["lastPosition"] == last, "the last position"
    # Exported files fold to the same transitions without a daemon.
    directory = workspace.directory / "out"
    exported(workspace, first, "--output", str(directory), "safari/*")
    files = sorted(directory.iterdir())
    assert len(files) == sum(feeder.client.startswith("safari/") for feeder, _ in feeders), "files"
    for file in files:
        folded = workspace.scrollctl(None, "--json", "fold", str(file))
        session = json.loads(file.read_text().splitlines()[0])["session"]
        assert len(folded.stdout.splitlines()) == len(transitions(first)[session]), f"transitions of {file.name}"


def test_the_recordings_can_be_imported_and_importing_them_twice_stores_them_once(
        workspace: Workspace, daemon: Daemon) -> None:
    files = [str(path) for path in sorted((FIXTURES / "recordings").glob("*.ndjson"))]
    for turn in range(2):
        result = workspace.scrollctl(daemon, "import", *files)
        assert (result.returncode, result.stderr) == (0, ""), "import"
    assert daemon.statistics()["lastPosition"] == sum(len(recording.events) + 2 for recording in recordings()), (
        "records")
    found = by_session(records(daemon))
    for recording in recordings():
        lines = [json.loads(line) for line in recording.path.read_text().splitlines()]
        [stored] = [records for records in found.values() if records[0]["record"]["title"] == lines[0]["title"]]
        assert stored[0]["record"]["time"] == lines[0]["time"], "the opening's time"
        assert stored[-1]["record"]["time"] == lines[-1]["time"], "the closing's time"
        sent = [record for record in stored if record["number"]]
        assert len(sent) == len(recording.events), f"events of {recording.name}"
    found_transitions = transitions(daemon)
    for recording in recordings():
        [session] = [id for id, records in found.items() if records[0]["record"]["title"] == recording.name]
        assert len(found_transitions[session]) == len(recording.expected("safari")), f"transitions of {recording.name}"


def test_a_killed_import_can_be_repeated_and_duplicates_nothing(workspace: Workspace) -> None:
    first, second = workspace.daemon(name="first"), workspace.daemon(name="second")
    feeder = Feeder(first.connect(), "reader")
    for _ in range(40):
        feeder.feed(recordings()[0].events, batch=216)
    feeder.close()
    text = exported(workspace, first)
    for _ in range(3):
        process = programs.start("scrollctl", "--socket", str(second.socket_path), "import", "-",
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.stdin.write(text.encode())
        process.stdin.close()
        before = second.statistics()["lastPosition"]
        while process.poll() is None and second.statistics()["lastPosition"] < before + 500:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
    result = workspace.scrollctl(second, "import", "-", input=text)
    assert (result.returncode, result.stderr) == (0, ""), "the last import"
    assert records(second) == records(first), "the records"


def test_a_session_whose_beginning_was_removed_is_not_exported_and_is_reported(
        workspace: Workspace, daemon: Daemon) -> None:
    cut = Feeder(daemon.connect(), "cut")
    cut.feed(recordings()[0].events)
    daemon.call("org.scrolld.Manager.Rotate")
    cut.feed(recordings()[0].events[:5])
    whole = Feeder(daemon.connect(), "whole")
    whole.feed(recordings()[1].events)
    daemon.call("org.scrolld.Manager.Vacuum", maxUse=0)
    result = workspace.scrollctl(daemon, "export")
    assert result.returncode == 1, "exit status"
    assert f"skipped the session {cut.session} of cut: the log no longer has its beginning" in result.stderr, result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert (lines[0]["client"], len(lines)) == ("whole", len(recordings()[1].events) + 1), "the export"
    assert workspace.scrollctl(daemon, "export", "whole").returncode == 0, "exit status without it"


def test_an_export_of_a_damaged_log_contains_every_whole_session_and_reports_the_rest(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Log]\nCompress=no\n")
    feeders = {}
    for name in ("before", "open", "lost", "behind"):
        feeders[name] = Feeder(daemon.connect(), name)
        feeders[name].feed(recordings()[0].events[:50])
        if name == "open":
            feeders["before"].close()
        if name != "before":
            daemon.call("org.scrolld.Manager.Rotate")
    whole = {name: exported(workspace, daemon, name) for name in feeders}
    daemon.stop()
    middle = daemon.segments()[1]
    flip_bit(middle, content_end(middle) // 2)
    daemon.start()
    result = workspace.scrollctl(daemon, "export")
    assert result.returncode == 1, "exit status"
    assert result.stdout == whole["before"] + whole["behind"], "the export"
    next_position = daemon.segments()[2].stem.lstrip("0")
    assert f"{middle}, byte " in result.stderr and f"and {next_position}, skipping sessions" in result.stderr, (
        result.stderr)
    assert f"skipped the session {feeders['open'].session} of open" in result.stderr, result.stderr
    assert workspace.scrollctl(daemon, "export", "behind").stdout == whole["behind"], (
        "the export of a client after the damage")
