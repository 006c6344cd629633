"""Recordings out of the log of one daemon, and into that of another: the same as they were."""

import json
import signal
import subprocess

from support import programs
from support.daemon import Daemon
from support.recordings import FIXTURES, POLICIES, Feeder, recordings
from support.runner import check, equal, require
from support.subscriber import history
from support.workspace import Workspace

READ = "org.scrolld.Observer.Read"


def records(daemon: Daemon) -> list[dict]:
    """The log without what is another daemon's: positions and when it was received."""
    found = [reply for reply in daemon.stream(READ) if "record" in reply]
    return [{name: reply.get(name) for name in ("client", "user", "session", "number", "record")} for reply in found]


def by_session(found: list[dict]) -> dict[str, list[dict]]:
    sessions: dict[str, list[dict]] = {}
    for record in found:
        sessions.setdefault(record["session"], []).append(record)
    return sessions


def transitions(daemon: Daemon) -> dict[str, list[dict]]:
    """Each session's transitions as a subscriber hears them, without their positions."""
    found: dict[str, list[dict]] = {}
    for reply in history(daemon):
        if "transition" in reply:
            transition = {key: value for key, value in reply["transition"].items() if key != "position"}
            found.setdefault(transition["session"], []).append(transition)
    return found


def exported(workspace: Workspace, daemon: Daemon, *arguments: str) -> str:
    result = workspace.scrollctl(daemon, "export", *arguments)
    equal((result.returncode, result.stderr), (0, ""), "export")
    return result.stdout


@check("export: what one daemon exports and another imports is the same there: events, times, policy, transitions")
def both_ways(workspace: Workspace):
    # The policies of the first are not known to the second.
    first = workspace.daemon(POLICIES, name="first")
    second = workspace.daemon(name="second")
    wire = first.connect()
    feeders = []
    for index, recording in enumerate(recordings()):
        policy = ("classic", "arrival", "safari")[index % 3]
        feeders.append((Feeder(wire, f"{policy}/{recording.name}"), recording.events))
    # The sessions stand between each other in the log.
    for start in range(0, 700, 50):
        for feeder, events in feeders:
            if events[start : start + 50]:
                feeder.feed(events[start : start + 50])
    for feeder, _ in feeders:
        feeder.close()
    text = exported(workspace, first)
    imported = workspace.scrollctl(second, "import", "-", input=text)
    equal((imported.returncode, imported.stderr), (0, ""), "import")
    equal(by_session(records(second)), by_session(records(first)), "the records of each session")
    equal(transitions(second), transitions(first), "the transitions of each session")
    equal(exported(workspace, second), text, "what is exported again")
    # Again: nothing is doubled.
    last = second.statistics()["lastPosition"]
    again = workspace.scrollctl(second, "import", "-", input=text)
    equal(again.returncode, 0, f"exit status of the second import: {again.stderr}")
    equal(again.stdout.count("is in the log already"), len(feeders), f"sessions that are passed over: {again.stdout}")
    equal(second.statistics()["lastPosition"], last, "the last position")
    # As files, too, which fold without a daemon to what the daemon made of them.
    directory = workspace.directory / "out"
    exported(workspace, first, "--output", str(directory), "safari/*")
    files = sorted(directory.iterdir())
    equal(len(files), sum(feeder.client.startswith("safari/") for feeder, _ in feeders), "files")
    for file in files:
        folded = workspace.scrollctl(None, "--json", "fold", str(file))
        session = json.loads(file.read_text().splitlines()[0])["session"]
        equal(len(folded.stdout.splitlines()), len(transitions(first)[session]), f"transitions of {file.name}")


@check("export: all recordings of the fixtures can be imported, once")
def fixtures(workspace: Workspace):
    daemon = workspace.daemon()
    files = [str(path) for path in sorted((FIXTURES / "recordings").glob("*.ndjson"))]
    for turn in range(2):
        result = workspace.scrollctl(daemon, "import", *files)
        equal((result.returncode, result.stderr), (0, ""), "import")
    equal(daemon.statistics()["lastPosition"], sum(len(recording.events) + 2 for recording in recordings()), "records")
    found = by_session(records(daemon))
    for recording in recordings():
        lines = [json.loads(line) for line in recording.path.read_text().splitlines()]
        [stored] = [records for records in found.values() if records[0]["record"]["title"] == lines[0]["title"]]
        equal(stored[0]["record"]["time"], lines[0]["time"], "the opening's time")
        equal(stored[-1]["record"]["time"], lines[-1]["time"], "the closing's time")
        sent = [record for record in stored if record["number"]]
        equal(len(sent), len(recording.events), f"events of {recording.name}")
    told = transitions(daemon)
    for recording in recordings():
        [session] = [id for id, records in found.items() if records[0]["record"]["title"] == recording.name]
        equal(len(told[session]), len(recording.expected("safari")), f"transitions of {recording.name}")


@check("export: an import that is killed goes on when it is done again, and nothing is doubled")
def interrupted(workspace: Workspace):
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
    equal((result.returncode, result.stderr), (0, ""), "the last import")
    equal(records(second), records(first), "the records")


@check("export: a session whose beginning has gone is left out, and told")
def trimmed(workspace: Workspace):
    daemon = workspace.daemon()
    cut = Feeder(daemon.connect(), "cut")
    cut.feed(recordings()[0].events)
    daemon.call("org.scrolld.Manager.Rotate")
    cut.feed(recordings()[0].events[:5])
    whole = Feeder(daemon.connect(), "whole")
    whole.feed(recordings()[1].events)
    daemon.call("org.scrolld.Manager.Vacuum", maxUse=0)
    result = workspace.scrollctl(daemon, "export")
    equal(result.returncode, 1, "exit status")
    require(f"the beginning of the session {cut.session} of cut" in result.stderr, result.stderr)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    equal((lines[0]["client"], len(lines)), ("whole", len(recordings()[1].events) + 1), "what is exported")
    equal(workspace.scrollctl(daemon, "export", "whole").returncode, 0, "exit status without it")


@check("export: of a log with a damaged file all sessions come that are whole, and what can't be read is told")
def damaged(workspace: Workspace):
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
    middle = sorted(daemon.log_directory.glob("*.scrolllog"))[1]
    with open(middle, "r+b") as file:
        content = middle.read_bytes().rstrip(b"\0")
        file.seek(len(content) // 2)
        file.write(bytes([content[len(content) // 2] ^ 0x40]))
    daemon.start()
    result = workspace.scrollctl(daemon, "export")
    equal(result.returncode, 1, "exit status")
    equal(result.stdout, whole["before"] + whole["behind"], "what is exported")
    next_position = sorted(daemon.log_directory.glob("*.scrolllog"))[2].stem.lstrip("0")
    require(f"{middle}, byte " in result.stderr and f"and {next_position} can't all be read" in result.stderr, result.stderr)
    require(f"the session {feeders['open'].session} of open is left out" in result.stderr, result.stderr)
    equal(workspace.scrollctl(daemon, "export", "behind").stdout, whole["behind"], "what stands behind the damage")
