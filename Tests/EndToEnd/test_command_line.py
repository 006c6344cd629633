"""The programs' command lines: options, mistakes, and what scrollctl's verbs print."""

import json
import subprocess

from support import programs
from support.daemon import Daemon
from support.recordings import Feeder, recordings
from support.workspace import Workspace


def test_the_command_lines_print_help_and_version_and_name_mistakes(workspace: Workspace) -> None:
    for program, arguments, status, word in [
        ("scrolld", ["--help"], 0, "--state-directory"), ("scrolld", ["--version"], 0, "scrolld"),
        ("scrolld", ["--nonsense"], 2, "--nonsense"), ("scrolld", ["--socket"], 2, "--socket"),
        ("scrolld", ["--socket", ""], 2, "--socket must not be empty"),
        ("scrolld", ["--state-directory="], 2, "--state-directory must not be empty"),
        ("scrolld", ["--socket", "a", "--state-directory", "b", "--socket=c"], 2, "--socket appears twice"),
        ("scrolld", ["extra"], 2, "extra"), ("scrollctl", ["--help"], 0, "record"),
        ("scrollctl", ["--version"], 0, "scrollctl"),
        ("scrollctl", [], 0, "record"), ("scrollctl", ["--json"], 2, "missing verb"),
        ("scrollctl", ["nonsense"], 2, "nonsense"),
        ("scrollctl", ["list", "--nonsense"], 2, "--nonsense"),
        ("scrollctl", ["fold"], 2, "FILE"), ("scrollctl", ["fold", "/dev/null"], 1, "/dev/null has no events"),
        ("scrollctl", ["explain", "/dev/null"], 1, "/dev/null has no events"),
        ("scrollctl", ["check", "/nowhere.ndjson", "/dev/null"], 1, "/dev/null has no events"),
        ("scrollctl", ["--socket", str(workspace.directory / "nobody"), "list"], 1, str(workspace.directory / "nobody")),
    ]:
        result = programs.run(program, *arguments)
        assert result.returncode == status, f"exit status of {program} {arguments}: {result.stderr}"
        stream, other = (result.stdout, result.stderr) if status == 0 else (result.stderr, result.stdout)
        assert word in stream, f"{program} {arguments} does not print “{word}”: {stream}"
        assert other == "", f"the other stream of {program} {arguments}"


def test_times_without_a_zone_mean_the_same_in_a_table_and_in_start(workspace: Workspace) -> None:
    counted, dated = workspace.directory / "counted.csv", workspace.directory / "dated.csv"
    counted.write_text("time,y\n1000,0\n")
    dated.write_text("time,y\n2026-09-01 10:00:01,0\n")
    times = []
    for arguments in (["--start", "2026-09-01 10:00", str(counted)], [str(dated)]):
        result = programs.run("scrollctl", "convert", *arguments, TZ="America/New_York")
        assert result.returncode == 0, result.stderr
        times.append(json.loads(result.stdout.splitlines()[0])["time"])
    assert times == [1_788_256_801_000_000] * 2, "2026-09-01 10:00:01 in UTC"


def test_output_to_a_closed_descriptor_is_an_error_and_never_reaches_a_socket(daemon: Daemon) -> None:
    Feeder(daemon.connect(), "reader").feed([scroll for scroll in recordings()[0].events])
    for arguments in (["list"], ["log"], ["--help"]):
        result = subprocess.run(
            ["sh", "-c", '"$0" "$@" >&-', programs.path("scrollctl"), "--socket", str(daemon.socket_path), *arguments],
            capture_output=True, text=True, timeout=30)
        assert (result.returncode, "Bad file descriptor" in result.stderr) == (1, True), f"{arguments}: {result.stderr}"
    for option in ("--help", "--version"):
        with open("/dev/full", "w") as full:
            result = subprocess.run([programs.path("scrolld"), option], stdout=full, stderr=subprocess.PIPE, text=True)
        assert (result.returncode, "No space left" in result.stderr) == (1, True), f"{option}: {result.stderr}"
    assert daemon.metric("protocol_violations") == 0, "connections that received the output"


def test_scrollctl_verbs_show_what_the_daemon_has(workspace: Workspace, daemon: Daemon) -> None:
    recording = recordings()[0]
    feeder = Feeder(daemon.connect(), "verbs/1")
    feeder.feed(recording.events)
    last = len(recording.events) + 1

    def run(*arguments: str) -> str:
        result = workspace.scrollctl(daemon, *arguments)
        assert (result.returncode, result.stderr) == (0, ""), f"scrollctl {arguments}"
        return result.stdout

    state = daemon.call("org.scrolld.Observer.Get", client="verbs/1")["state"]
    assert [json.loads(line) for line in run("--json", "list").splitlines()] == [state], "list --json"
    assert json.loads(run("--json", "status", "verbs/1")) == state, "status --json"
    assert json.loads(run("--json", "status", "verbs/1", "--at", "2"))["position"] == 2, "status --at"
    assert "verbs/1" in run("list"), "list"
    assert len(run("--json", "log", "verbs/1").splitlines()) == last, "lines of log --json"
    assert len(run("log", feeder.session, "--after", "10").splitlines()) >= last - 10, "lines of log"
    assert run("explain", "verbs/1").strip(), "explain prints nothing"
    assert run("check", "verbs/1") == f"verbs/1: nothing looks wrong in {last - 1} events\n", "check"
    assert json.loads(run("--json", "statistics"))["lastPosition"] == last, "statistics --json"
    refused = workspace.scrollctl(daemon, "status", "nobody")
    assert refused.returncode == 1, "exit status for an unknown client"
    assert "no client" in refused.stderr, f"the message is {refused.stderr}"

    watching = programs.start(
        "scrollctl", "--socket", str(daemon.socket_path), "--json", "watch", "--after", "0", stdout=-1, text=True)
    workspace.add_finalizer(watching.kill)
    heard = []
    for line in watching.stdout:
        reply = json.loads(line)
        if "changed" in reply:
            heard.append(reply)
        if reply["kind"] == "caughtUp":
            break
    recording.require_transitions("safari", heard, lambda transition: recording.lines[transition["position"] - 2])
    watching.terminate()
    watching.wait(30)
    watching.stdout.close()
