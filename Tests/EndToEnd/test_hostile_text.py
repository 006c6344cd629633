"""What scrollctl reads may come from somebody who means harm: another user's title, or a daemon that is none."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support import hostile, programs
from support.daemon import Daemon
from support.hostile import EVIL, SESSION, HostileDaemon
from support.wire import Wire
from support.workspace import Workspace

#: The characters that must reach neither a terminal nor a file as they are.
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
EXTREMES = [-2**63, -2**63 + 1, -2**62, -1, 0, 1, 2**53, 2**62, 2**63 - 1]
RECORDING = ('{"kind":"open","time":1700000000000000,"client":"a"}\n{"kind":"scroll","time":1700000000100000,"x":0,"y":0}\n'
             '{"kind":"close","time":1700000000200000}\n')


def command_lines(directory: Path) -> list[list[str]]:
    """Each verb that reads from the daemon. A test below checks that none is missing."""
    recording, output, backup = (str(directory / name) for name in ("r.ndjson", "out", "backup"))
    forgotten = str(directory / "forgotten")
    return [
        ["list"], ["status", "a"], ["status", "a", "--at", "10 min ago"], ["explain", "a"], ["explain", SESSION],
        ["watch", "--no-reconnect"], ["watch", "--no-reconnect", "--after", "0", "--frames"], ["log"], ["log", "-n", "5", "a"], ["log", "-f", "--no-reconnect"],
        ["log", "-r", "-n", "5", "--since", "@5", "--until", "@9"], ["forget", "--dry-run", "a"],
        ["record", recording], ["record", "--session", SESSION, recording], ["scroll-to", "a", "top", "--wait", "0.05"],
        ["scroll-to", "a", "page", "2", "--wait", "0"], ["fold", SESSION], ["fold", "a"],
        ["compare", "--policy", "safari", "--policy", "classic", "a"], ["timeline", "a"], ["timeline", "--svg", "-", "a"],
        ["check", "a"], ["export"], ["export", "--output", output], ["import", recording], ["import", "--again", recording],
        ["statistics"], ["statistics", "--format", "openmetrics"], ["reload"], ["sync"], ["rotate"],
        ["vacuum", "--max-use", "5M"], ["forget", "--yes", "a"], ["forget", "--yes", SESSION], ["forget", "--yes", "--from", forgotten],
        ["backup", backup], ["sessions"], ["sessions", "--by", "event-time", "--since", "@5"], ["sessions", "--sort", "duration", "a*"], ["reading"], ["reading", "--csv", "a"],
        ["report", "--output", output], ["export", "--sqlite", output], ["export", "--csv", output], ["export", "--flat"],
        ["sweep", "hideDistance=10..20:5", "a"]]


def run_all(workspace: Workspace, daemon: HostileDaemon, what: str) -> None:
    """Runs every verb. None may crash, hang or print an unsafe character."""
    (workspace.directory / "r.ndjson").write_text(RECORDING)
    for arguments in command_lines(workspace.directory):
        for json in ([], ["--json"]):
            for name in ("out", "backup"):
                shutil.rmtree(workspace.directory / name, ignore_errors=True)
            result = programs.run("scrollctl", "--socket", str(daemon.path), *json, *arguments, timeout=20)
            place = f"scrollctl {' '.join(json + arguments)}, {what}"
            assert result.returncode in (0, 1, 2), f"{place}: status {result.returncode}\n{result.stderr}"
            # CSV is for programs, and has texts as they are, unless it goes to a terminal: see below.
            is_table = arguments[:2] == ["reading", "--csv"] and not json
            for text in (result.stderr,) if is_table else (result.stdout, result.stderr):
                assert not UNSAFE.findall(text), f"{place} prints {UNSAFE.findall(text)}"


@pytest.fixture
def hostile_daemon(workspace: Workspace):
    daemon = HostileDaemon(workspace.directory / "socket")
    yield daemon
    daemon.close()


def test_the_command_lines_have_every_verb_that_uses_a_daemon(workspace: Workspace) -> None:
    verbs = set(re.findall(r"^  ([a-z][a-z-]*) ", programs.run("scrollctl", "--help").stdout, re.M)) - {"scrollctl"}
    used = {arguments[0] for arguments in command_lines(workspace.directory)}
    assert verbs - used == {"demo", "policies", "verify", "repair", "convert", "forgotten", "restore"}, "verbs that need no daemon"


@pytest.mark.parametrize("number", EXTREMES)
def test_extreme_numbers_from_a_daemon_crash_no_verb(workspace: Workspace, hostile_daemon, number: int) -> None:
    hostile_daemon.answer = lambda method: hostile.answers(method, number, EVIL)
    run_all(workspace, hostile_daemon, f"number {number}")


def test_numbers_at_the_edges_of_the_ranges_crash_no_verb(workspace: Workspace, hostile_daemon, random) -> None:
    for _ in range(3):
        numbers = [random.choice(EXTREMES[4:8]) for _ in range(8)]
        hostile_daemon.answer = lambda method: hostile.answers(method, numbers[len(method) % 8], "a", random.choice([1e308, 5]))
        run_all(workspace, hostile_daemon, f"numbers {numbers}")


@pytest.mark.parametrize("index", range(len(hostile.errors(0))))
def test_errors_with_extremes_and_escape_sequences_harm_no_verb(workspace: Workspace, hostile_daemon, index: int) -> None:
    error = hostile.errors(random_extreme(index))[index]
    hostile_daemon.answer = lambda method: [error]
    run_all(workspace, hostile_daemon, f"error {error}")


def test_csv_on_a_terminal_harms_nothing_and_in_a_pipe_is_what_the_client_sent(workspace: Workspace) -> None:
    recording = workspace.directory / "evil.ndjson"
    opening = {"kind": "open", "time": 1, "client": "a", "title": EVIL, "application": EVIL}
    recording.write_text(json.dumps(opening) + '\n{"kind":"scroll","time":2,"x":0,"y":0}\n')
    command = [programs.path("scrollctl"), "reading", "--csv", str(recording)]
    shown = subprocess.run(
        ["script", "-qec", " ".join(command), "/dev/null"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30,
        env=programs.environment(TERM="xterm"))
    assert shown.returncode == 0 and b"pwned" in shown.stdout, shown.stdout
    assert not UNSAFE.findall(shown.stdout.decode().replace("\r\n", "\n").replace("\r", "\n")), shown.stdout
    assert EVIL in subprocess.run(command, capture_output=True, timeout=30).stdout.decode(), "what the client sent"


def random_extreme(index: int) -> int:
    return EXTREMES[index % len(EXTREMES)]


@pytest.mark.parametrize("index", range(len(hostile.BROKEN)))
def test_bytes_that_are_no_replies_crash_no_verb(workspace: Workspace, hostile_daemon, index: int) -> None:
    hostile_daemon.answer = lambda method: hostile.BROKEN[index]
    run_all(workspace, hostile_daemon, f"bytes {hostile.BROKEN[index][:40]!r}")


@pytest.mark.parametrize("arguments", (["watch"], ["log", "-f"]))
def test_a_peer_whose_replies_are_no_daemons_is_not_waited_for(workspace: Workspace, hostile_daemon, arguments: list[str]) -> None:
    for reply in (b'{"parameters":5}\0', b"\xff\xfe\0"):
        hostile_daemon.answer = lambda method: reply
        result = programs.run("scrollctl", "--socket", str(hostile_daemon.path), *arguments, timeout=20)
        assert result.returncode == 1 and result.stderr, f"{reply}: status {result.returncode}, {result.stdout}"


def test_another_users_title_reaches_no_terminal_and_no_file_as_it_is(workspace: Workspace, daemon: Daemon, as_user) -> None:
    names = ["-rf", ".hidden", "\u202etxt", "a\u2028b", "--help", "a b'\"\\", "é" * 100]

    def open_all() -> None:
        with Wire(str(daemon.socket_path)) as wire:
            for name in names:
                session = wire.call("org.scrolld.Recorder.Open", client=name, title=EVIL, application=EVIL)["session"]
                events = [{"kind": "layout", "time": 1, "contentHeight": 4000, "frameHeight": 500}]
                events += [{"kind": "scroll", "time": time, "x": 0, "y": time * 10} for time in range(2, 9)]
                wire.call("org.scrolld.Recorder.Append", session=session, events=events)
                wire.call("org.scrolld.Recorder.Close", session=session)

    as_user(54321, open_all)
    output = workspace.directory / "out"
    for arguments in (["list"], ["log"], ["export"], ["statistics"], ["export", "--output", str(output)]):
        for json in ([], ["--json"]):
            shutil.rmtree(output, ignore_errors=True)
            result = workspace.scrollctl(daemon, *json, *arguments)
            assert result.returncode == 0, f"{arguments}: {result.stderr}"
            assert not UNSAFE.findall(result.stdout + result.stderr), f"{arguments}"
    files = os.listdir(output)
    assert len(files) == len(names), "files of the export"
    for file in files:
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*\.ndjson", file), f"{file} could be taken for an option, or is hidden"
        assert not UNSAFE.findall((output / file).read_text()), f"content of {file}"
    for name in names:
        for arguments in (["status"], ["timeline"], ["timeline", "--svg", "-"], ["explain"], ["fold"], ["log"]):
            result = workspace.scrollctl(daemon, *arguments, "--", name)
            assert result.returncode == 0, f"{arguments} of {name!r}: {result.stderr}"
            assert not UNSAFE.findall(result.stdout + result.stderr), f"{arguments} of {name!r}"
