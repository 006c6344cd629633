"""Configuration, signals, and who may run where."""

import json
import os
import signal
import socket
import subprocess
import threading

from support import programs
from support.daemon import until
from support.recordings import FIXTURES, Feeder, recordings
from support.runner import check, equal, require
from support.subscriber import history, states
from support.wire import Ended
from support.workspace import Workspace


def require_failure(daemon, status: int, *words: str) -> None:
    """Starts a daemon that must not come to serve, and says why."""
    daemon.spawn()
    equal(daemon.wait(), status, f"exit status; it said:\n{daemon.said()}")
    for word in words:
        require(word in daemon.said(), f"the message doesn't say “{word}”:\n{daemon.said()}")


@check("configuration: a bad one at start is exit status 78, and file, line and key are named")
def bad_at_start(workspace: Workspace):
    for index, (config, line, key) in enumerate([
        ("[Log]\nSync=sometimes\n", 2, "Sync"), ("[Log]\n\n# comment\nSegmentSize=1\n", 4, "SegmentSize"),
        ("[Log]\nsync=commit\n", 2, "sync"), ("[Sessions]\nPolicy=none\n", 2, "Policy"),
        ("[Sessions]\nSessionIdleSec=soon\n", 2, "SessionIdleSec"), ("[Nothing]\n", 1, None), ("Sync=commit\n", 1, "Sync"),
        ("[Log]\nnonsense\n", 2, None), ("[Log\n", 1, None),
        ("[Limits]\nMessageSizeMax=1\n", 2, "MessageSizeMax"), ("[Limits]\nConnectionsMax=0\n", 2, "ConnectionsMax"),
        ("[Policy p]\nHideDistance=far\n", 2, "HideDistance"), ("[Policy p]\nHideDistance=-1\n", 2, "HideDistance"),
        ("[Policy p]\nHideDistance=nan\n", 2, "HideDistance"), ("[Policy p]\nNoSuchParameter=1\n", 2, "NoSuchParameter"),
        ("[Policy p]\nRule=classic\nHideDistance=5\n", 3, "HideDistance"), ("[Policy p]\nRule=own\n", 2, "Rule"),
        ("[Policy p]\nRevealAtBottom=sometimes\n", 2, "RevealAtBottom"),
    ]):
        daemon = workspace.daemon(config, name=f"bad-{index}", start=False)
        place = f"{daemon.config_path}:{line}"
        require_failure(daemon, 78, f"{place}: {key}=" if key else place)
        require(not daemon.state_directory.exists(), "a log was begun")
    daemon = workspace.daemon(name="missing", start=False)
    daemon.config_path.unlink()
    require_failure(daemon, 78, str(daemon.config_path))


@check("configuration: drop-ins win over the file, in the order of their names, and are named when they are bad")
def drop_ins(workspace: Workspace):
    daemon = workspace.daemon("[Sessions]\nPolicy=classic\n[Log]\nSync=interval\n", start=False)
    directory = daemon.directory / "scrolld.conf.d"
    directory.mkdir()
    (directory / "20-second.conf").write_text("[Sessions]\nPolicy=material\n")
    (directory / "10-first.conf").write_text("[Sessions]\nPolicy=chrome\n[Log]\nSync=commit\n")
    (directory / "30-not-read.txt").write_text("nonsense")
    daemon.start()
    feeder = Feeder(daemon.connect(), "a")
    equal(states(daemon)[0]["policy"], "material", "policy")
    feeder.send(recordings()[0].events[:1])
    equal(feeder.take_answer()["durable"], True, "durable")
    daemon.stop()
    bad = directory / "40-bad.conf"
    bad.write_text("\n[Sessions]\nPolicy=none\n")
    require_failure(daemon, 78, f"{bad}:3: Policy=")


@check("configuration: the one that is shipped is good")
def shipped(workspace: Workspace):
    daemon = workspace.daemon((FIXTURES.parents[1] / "config" / "scrolld.conf").read_text())
    daemon.stop()


@check("configuration: SIGHUP and scrollctl reload take a good one for new sessions, and keep the old one else")
def reload(workspace: Workspace):
    daemon = workspace.daemon("[Sessions]\nPolicy=classic\n")
    recording = recordings()[0]
    half = len(recording.events) // 2
    old = Feeder(daemon.connect(), "old")
    old.feed(recording.events[:half])

    daemon.config_path.write_text("[Sessions]\nPolicy=safari\n[Log]\nSync=perhaps\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for_notification("RELOADING=1")
    daemon.wait_for_notification("READY=1")
    require(f"{daemon.config_path}:4: Sync=" in daemon.said(), f"it doesn't say what is bad:\n{daemon.said()}")
    result = workspace.scrollctl(daemon, "reload")
    equal(result.returncode, 1, "exit status of scrollctl reload")
    for word in (str(daemon.config_path), "4", "Sync", "perhaps"):
        require(word in result.stderr, f"scrollctl reload doesn't say “{word}”: {result.stderr}")
    Feeder(daemon.connect(), "meanwhile")

    daemon.config_path.write_text("[Sessions]\nPolicy=safari\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for_notification("READY=1")
    new = Feeder(daemon.connect(), "new")
    new.feed(recording.events)
    old.feed(recording.events[half:])
    policies = {state["client"]: state["policy"] for state in states(daemon)}
    equal(policies, {"old": "classic", "meanwhile": "classic", "new": "safari"}, "policies")

    def require_both():
        transitions = [reply["transition"] for reply in history(daemon) if "transition" in reply]
        for feeder, policy in ((old, "classic"), (new, "safari")):
            recording.require_transitions(
                policy, [transition for transition in transitions if transition["client"] == feeder.client],
                lambda transition: recording.lines[feeder.number_at(transition["position"]) - 1])

    require_both()
    # What a policy's name stands for now changes nothing about what was folded with it.
    daemon.config_path.write_text("[Policy safari]\nHideDistance=1000\n[Policy classic]\nRule=safari\n")
    daemon.restart()
    require_both()
    daemon.config_path.write_text("[Policy other]\nRule=classic\n[Sessions]\nPolicy=other\n")
    result = workspace.scrollctl(daemon, "reload")
    equal((result.returncode, result.stderr), (0, ""), "scrollctl reload")
    Feeder(daemon.connect(), "last")
    equal({state["client"]: state["policy"] for state in states(daemon)}["last"], "other", "policy")


@check("configuration: limits that a reload changes hold from then on")
def reload_limits(workspace: Workspace):
    daemon = workspace.daemon()
    kept = [daemon.connect() for _ in range(4)]
    for wire in kept:
        wire.call("org.varlink.service.GetInfo")
    daemon.config_path.write_text("[Limits]\nConnectionsMax=3\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for_notification("READY=1")
    with daemon.connect() as extra:
        extra.expect_end()
    for wire in kept:
        wire.call("org.varlink.service.GetInfo")


@check("command line: what is printed reaches no socket where standard output is closed, and that is an error")
def closed_output(workspace: Workspace):
    daemon = workspace.daemon()
    Feeder(daemon.connect(), "reader").feed([scroll for scroll in recordings()[0].events])
    for arguments in (["list"], ["log"], ["--help"]):
        result = subprocess.run(
            ["sh", "-c", '"$0" "$@" >&-', programs.path("scrollctl"), "--socket", str(daemon.socket_path), *arguments],
            capture_output=True, text=True, timeout=30)
        equal((result.returncode, "Bad file descriptor" in result.stderr), (1, True), f"{arguments}: {result.stderr}")
    for option in ("--help", "--version"):
        with open("/dev/full", "w") as full:
            result = subprocess.run([programs.path("scrolld"), option], stdout=full, stderr=subprocess.PIPE, text=True)
        equal((result.returncode, "No space left" in result.stderr), (1, True), f"{option}: {result.stderr}")
    equal(daemon.metric("protocol_violations"), 0, "connections that got what was meant for people")


@check("signals: SIGTERM and SIGINT under load lose nothing that was answered")
def stop_under_load(workspace: Workspace):
    daemon = workspace.daemon(start=False)
    answered: dict[str, dict[int, int]] = {}
    for turn, number in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGTERM)):
        daemon.start()
        feeders = [Feeder(daemon.connect(), f"load/{turn}/{index}") for index in range(4)]
        enough = threading.Event()

        def feed(feeder: Feeder):
            events = recordings()[0].events
            try:
                while True:
                    feeder.send(events[:20])
                    if len(feeder.unanswered) > 8:
                        feeder.take_answer()
                    if len(feeder.positions) > 500:
                        enough.set()
            except (Ended, OSError):
                pass  # the daemon has stopped
            try:
                while feeder.unanswered:
                    feeder.take_answer()
            except (Ended, OSError):
                pass  # it had not taken these calls any more

        tasks = [workspace.thread(lambda feeder=feeder: feed(feeder)) for feeder in feeders]
        require(enough.wait(60), "nothing is answered")
        daemon.process.send_signal(number)
        equal(daemon.wait(), 0, "exit status")
        for task in tasks:
            task.join()
        for feeder in feeders:
            answered[feeder.session] = feeder.positions
    daemon.start()
    stored: dict[str, dict[int, int]] = {session: {} for session in answered}
    expected = 0
    for reply in daemon.stream("org.scrolld.Observer.Read"):
        expected += 1
        equal(reply["position"], expected, "positions without a gap")
        if "number" in reply:
            stored[reply["session"]][reply["number"]] = reply["position"]
    for session, positions in answered.items():
        equal({number: stored[session].get(number) for number in positions}, positions, "events that were answered")
    require("not stopped in order" not in daemon.said(), "an orderly stop needed recovery")


@check("socket: a stale one is replaced, a live one and anything else at its place is left alone")
def socket_paths(workspace: Workspace):
    daemon = workspace.daemon()
    daemon.kill()
    require(daemon.socket_path.is_socket(), "a killed daemon leaves its socket")
    daemon.start()
    equal(os.stat(daemon.socket_path).st_mode & 0o7777, 0o666, "mode of the socket")
    inode = os.stat(daemon.socket_path).st_ino

    second = workspace.daemon(name="second", start=False, socket_path=daemon.socket_path)
    require_failure(second, 1, "another scrolld answers", str(daemon.socket_path))
    equal(os.stat(daemon.socket_path).st_ino, inode, "the first one's socket")
    daemon.call("org.varlink.service.GetInfo")

    # One that is full of connections nobody accepts doesn't refuse them: it is live, too.
    with socket.socket(socket.AF_UNIX) as listener:
        path = workspace.directory / "busy"
        listener.bind(str(path))
        listener.listen(0)
        with socket.socket(socket.AF_UNIX) as waiting, socket.socket(socket.AF_UNIX) as another:
            waiting.connect(str(path))
            another.setblocking(False)
            another.connect_ex(str(path))
            third = workspace.daemon(name="third", start=False, socket_path=path)
            require_failure(third, 1, str(path))

    file = workspace.directory / "file"
    file.write_text("precious")
    fourth = workspace.daemon(name="fourth", start=False, socket_path=file)
    require_failure(fourth, 1, "is no socket", str(file))
    equal(file.read_text(), "precious", "the file's text")
    too_long = workspace.daemon(name="fifth", start=False, socket_path=workspace.directory / ("x" * 120))
    require_failure(too_long, 1, "x" * 120)
    daemon.stop()
    require(not daemon.socket_path.exists(), "the socket is left after an orderly stop")


@check("state directory: a second daemon on the same one is refused, and the first goes on")
def state_directory_lock(workspace: Workspace):
    daemon = workspace.daemon()
    feeder = Feeder(daemon.connect(), "a")
    second = workspace.daemon(name="second", start=False, state_directory=daemon.state_directory)
    require_failure(second, 1, "lock", str(daemon.state_directory))
    feeder.feed(recordings()[0].events)
    daemon.kill()
    # The lock ends with its holder, however that ended.
    second.start()
    equal(second.call("org.scrolld.Observer.Get", client="a")["state"]["position"], len(recordings()[0].events) + 1,
          "position of the state")


@check("command line: help, version, and mistakes of it")
def command_line(workspace: Workspace):
    for program, arguments, status, word in [
        ("scrolld", ["--help"], 0, "--state-directory"), ("scrolld", ["--version"], 0, "scrolld"),
        ("scrolld", ["--nonsense"], 2, "--nonsense"), ("scrolld", ["--socket"], 2, "--socket"),
        ("scrolld", ["--socket", ""], 2, "--socket must not be empty"),
        ("scrolld", ["--state-directory="], 2, "--state-directory must not be empty"),
        ("scrolld", ["extra"], 2, "extra"), ("scrollctl", ["--help"], 0, "record"),
        ("scrollctl", ["--version"], 0, "scrollctl"),
        ("scrollctl", [], 2, ""), ("scrollctl", ["nonsense"], 2, "nonsense"),
        ("scrollctl", ["list", "--nonsense"], 2, "--nonsense"),
        ("scrollctl", ["fold"], 2, "FILE"),
        ("scrollctl", ["--socket", str(workspace.directory / "nobody"), "list"], 1, str(workspace.directory / "nobody")),
    ]:
        result = programs.run(program, *arguments)
        equal(result.returncode, status, f"exit status of {program} {arguments}: {result.stderr}")
        stream, other = (result.stdout, result.stderr) if status == 0 else (result.stderr, result.stdout)
        require(word in stream, f"{program} {arguments} doesn't say “{word}”: {stream}")
        equal(other, "", f"the other stream of {program} {arguments}")


@check("sessions: closeOnDisconnect ends with the connection, others don't")
def close_on_disconnect(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    wire.call("org.scrolld.Recorder.Open", client="fleeting", closeOnDisconnect=True)
    wire.call("org.scrolld.Recorder.Open", client="lasting")
    wire.close()
    until(lambda: [state["client"] for state in states(daemon)] == ["lasting"], "the session is closed")
    equal([reply["closed"]["reason"] for reply in history(daemon) if "closed" in reply], ["disconnected"], "reasons")


@check("scrollctl: list, status, log, watch, explain and statistics talk with the daemon")
def scrollctl_verbs(workspace: Workspace):
    daemon = workspace.daemon()
    recording = recordings()[0]
    feeder = Feeder(daemon.connect(), "verbs/1")
    feeder.feed(recording.events)
    last = len(recording.events) + 1

    def run(*arguments: str) -> str:
        result = workspace.scrollctl(daemon, *arguments)
        equal((result.returncode, result.stderr), (0, ""), f"scrollctl {arguments}")
        return result.stdout

    state = daemon.call("org.scrolld.Observer.Get", client="verbs/1")["state"]
    equal([json.loads(line) for line in run("--json", "list").splitlines()], [state], "list --json")
    equal(json.loads(run("--json", "status", "verbs/1")), state, "status --json")
    equal(json.loads(run("--json", "status", "verbs/1", "--at", "2"))["position"], 2, "status --at")
    require("verbs/1" in run("list"), "list")
    equal(len(run("--json", "log", "verbs/1").splitlines()), last, "lines of log --json")
    equal(len(run("log", feeder.session, "--after", "10").splitlines()) >= last - 10, True, "lines of log")
    require(run("explain", "verbs/1").strip(), "explain says nothing")
    equal(json.loads(run("--json", "statistics"))["lastPosition"], last, "statistics --json")
    refused = workspace.scrollctl(daemon, "status", "nobody")
    equal(refused.returncode, 1, "exit status for a client that there is not")
    require("no client" in refused.stderr, f"the message doesn't say so: {refused.stderr}")

    watching = programs.start(
        "scrollctl", "--socket", str(daemon.socket_path), "--json", "watch", "--after", "0", stdout=-1, text=True)
    workspace.ending(watching.kill)
    heard = []
    for line in watching.stdout:
        reply = json.loads(line)
        if "changed" in reply:
            heard.append(reply)
        if reply.get("caughtUp"):
            break
    recording.require_transitions("safari", heard, lambda transition: recording.lines[transition["position"] - 2])
    watching.terminate()
    watching.wait(30)
    watching.stdout.close()


@check("file descriptors: connections leave the log as many as it needs, and the limit is raised as far as it may be")
def descriptors(workspace: Workspace):
    daemon = workspace.daemon(descriptor_limits=(64, 64))
    feeder = Feeder(daemon.connect(), "descriptors")
    wires = [daemon.connect() for _ in range(100)]
    served = []
    for wire in wires:
        try:
            wire.call("org.varlink.service.GetInfo")
            served.append(wire)
        except (Ended, OSError):
            continue
    require(15 <= len(served) < 64, f"{len(served)} of 100 connections are served with 64 descriptors")
    # Each of them reads the log and doesn't get on with it.
    for wire in served:
        wire.send("org.scrolld.Observer.Subscribe", {"after": 0, "detail": "frames"}, more=True)
    for turn in range(3):
        feeder.feed(recordings()[0].events)
        feeder.wire.call("org.scrolld.Manager.Rotate")
        equal(sum("record" in reply for reply in feeder.wire.stream("org.scrolld.Observer.Read")),
              1 + (turn + 1) * len(recordings()[0].events), "records")
    for wire in wires:
        wire.close()
    until(lambda: _is_served(daemon), "there is room again")

    raised = workspace.daemon(name="raised", descriptor_limits=(64, 1024))
    for _ in range(200):
        raised.connect().call("org.varlink.service.GetInfo")


def _is_served(daemon) -> bool:
    with daemon.connect() as wire:
        try:
            wire.call("org.varlink.service.GetInfo")
            return True
        except (Ended, OSError):
            return False
