"""Starts and stops: under load, with a socket or state directory in use, and with few file descriptors."""

import os
import re
import signal
import socket
import threading

from support.daemon import Daemon, until
from support.recordings import Feeder, recordings
from support.tracing import start_traced
from support.wire import Ended
from support.workspace import Workspace


def test_sigterm_and_sigint_under_load_lose_nothing_acknowledged(workspace: Workspace) -> None:
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
                pass  # the daemon had not taken these calls

        tasks = [workspace.run_in_thread(lambda feeder=feeder: feed(feeder)) for feeder in feeders]
        assert enough.wait(60), "the daemon answers too few calls"
        daemon.process.send_signal(number)
        assert daemon.wait() == 0, "exit status"
        for task in tasks:
            task.join()
        for feeder in feeders:
            answered[feeder.session] = feeder.positions
    daemon.start()
    stored: dict[str, dict[int, int]] = {session: {} for session in answered}
    expected = 0
    for reply in daemon.stream("org.scrolld.Observer.Read"):
        expected += 1
        assert reply["position"] == expected, "positions without a gap"
        if "number" in reply:
            stored[reply["session"]][reply["number"]] = reply["position"]
    for session, positions in answered.items():
        assert {number: stored[session].get(number) for number in positions} == positions, "acknowledged events"
    assert "not shut down cleanly" not in daemon.output(), "a start after a clean stop needed recovery"


def test_a_stale_socket_is_replaced_and_anything_else_in_its_place_is_kept(workspace: Workspace, daemon: Daemon) -> None:
    daemon.kill()
    assert daemon.socket_path.is_socket(), "a killed daemon removed its socket"
    daemon.start()
    assert os.stat(daemon.socket_path).st_mode & 0o7777 == 0o666, "mode of the socket"
    inode = os.stat(daemon.socket_path).st_ino

    second = workspace.daemon(name="second", start=False, socket_path=daemon.socket_path)
    second.assert_start_fails(1, "another scrolld listens", str(daemon.socket_path))
    assert os.stat(daemon.socket_path).st_ino == inode, "the first daemon's socket"
    daemon.call("org.varlink.service.GetInfo")

    # A socket whose backlog is full does not refuse connections, so it is in use, too.
    with socket.socket(socket.AF_UNIX) as listener:
        path = workspace.directory / "busy"
        listener.bind(str(path))
        listener.listen(0)
        with socket.socket(socket.AF_UNIX) as waiting, socket.socket(socket.AF_UNIX) as another:
            waiting.connect(str(path))
            another.setblocking(False)
            another.connect_ex(str(path))
            third = workspace.daemon(name="third", start=False, socket_path=path)
            third.assert_start_fails(1, str(path))

    file = workspace.directory / "file"
    file.write_text("precious")
    fourth = workspace.daemon(name="fourth", start=False, socket_path=file)
    fourth.assert_start_fails(1, "exists and is not a socket", str(file))
    assert file.read_text() == "precious", "the file's text"
    too_long = workspace.daemon(name="fifth", start=False, socket_path=workspace.directory / ("x" * 120))
    too_long.assert_start_fails(1, "x" * 120)
    daemon.stop()
    assert not daemon.socket_path.exists(), "the socket remains after a clean stop"


def test_a_second_daemon_on_the_same_state_directory_is_refused(workspace: Workspace, daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "a")
    second = workspace.daemon(name="second", start=False, state_directory=daemon.state_directory)
    second.assert_start_fails(1, "lock", str(daemon.state_directory))
    feeder.feed(recordings()[0].events)
    daemon.kill()
    # The lock ends with the process that held it.
    second.start()
    assert (
        second.call("org.scrolld.Observer.Get", client="a")["state"]["position"] == len(recordings()[0].events) + 1
    ), "position of the state"


def test_connections_leave_the_log_enough_descriptors_and_the_soft_limit_is_raised(workspace: Workspace) -> None:
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
    assert 15 <= len(served) < 64, f"{len(served)} of 100 connections are served with 64 descriptors"
    # Each connection reads the log and makes no progress.
    for wire in served:
        wire.send("org.scrolld.Observer.Subscribe", {"after": 0, "detail": "frames"}, more=True)
    for turn in range(3):
        feeder.feed(recordings()[0].events)
        feeder.wire.call("org.scrolld.Manager.Rotate")
        assert (
            sum("record" in reply for reply in feeder.wire.stream("org.scrolld.Observer.Read"))
            == 1 + (turn + 1) * len(recordings()[0].events)
        ), "records"
    for wire in wires:
        wire.close()
    until(lambda: _is_served(daemon), "the daemon accepts a connection again")

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


#: How many points of a start are tried.
EARLY_POINTS = 40


def early_calls(workspace: Workspace, strace: str) -> list[tuple[str, str]]:
    """The system calls of the first thread from its beginning until it serves clients, with their arguments."""
    daemon = workspace.daemon(name="counted", start=False)
    output = daemon.directory / "calls"
    start_traced(daemon, strace, ["all"], output=str(output))
    daemon.wait_for_notification("READY=1")
    daemon.kill()
    lines = output.read_text().splitlines()
    first = lines[0].split()[0]
    found = [re.match(rf"{first} +(\w+)\((.*)", line) for line in lines]
    calls = [(match[1], match[2]) for match in found if match]
    ready = next(index for index, (_, arguments) in enumerate(calls) if "READY=1" in arguments)
    return calls[:ready]


def test_sigterm_at_any_early_system_call_ends_cleanly(workspace: Workspace, strace: str) -> None:
    calls = early_calls(workspace, strace)
    blocked = next(index for index, (call, arguments) in enumerate(calls)
                   if call == "rt_sigprocmask" and "SIG_BLOCK" in arguments and "TERM" in arguments)
    # Before that, the daemon has done nothing that it would have to end: the loader has mapped libraries.
    for call, arguments in calls[:blocked]:
        assert call not in ("socket", "bind", "mkdir", "rename", "unlink", "flock"), f"{call}({arguments}) comes before"
        # The output is a file of the test, and the runtime asks what kind it is.
        assert str(workspace.directory) not in arguments or call in ("execve", "ioctl"), f"{call}({arguments}) comes before"
    counts: dict[str, int] = {}
    points = []
    for index, (call, _) in enumerate(calls):
        counts[call] = counts.get(call, 0) + 1
        if index > blocked:
            points.append((call, counts[call]))
    assert len(points) > EARLY_POINTS, f"a start has only {len(points)} calls"
    for index in range(EARLY_POINTS):
        call, number = points[index * len(points) // EARLY_POINTS]
        daemon = workspace.daemon(name=f"early-{index}", start=False)
        start_traced(daemon, strace, ["all"], f"{call}:signal=TERM:when={number}")
        assert daemon.wait() == 0, f"exit status after SIGTERM at {call} {number}: {daemon.output()}"
        assert not daemon.socket_path.exists(), f"the socket is left after SIGTERM at {call} {number}"
        # The next start finds nothing to recover.
        daemon.start()
        assert "not shut down cleanly" not in daemon.output(), f"after SIGTERM at {call} {number}: {daemon.output()}"
        daemon.stop()
