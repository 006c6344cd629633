"""The protocol between service manager and daemon, sd_notify and socket activation, without a service manager."""

import os
import signal
import socket
from pathlib import Path

from support.daemon import Daemon
from support.recordings import Feeder, recordings
from support.subscriber import states
from support.threads import hanging
from support.wire import Wire
from support.workspace import Workspace

INFO = "org.varlink.service.GetInfo"
#: The first descriptor that a service manager passes.
FIRST_PASSED = 3


def test_start_reload_and_stop_are_notified_with_a_status(daemon: Daemon) -> None:
    assert "STATUS=" in daemon.notifications[-1], f"no status: {daemon.notifications}"
    for config in ("[Log]\nSync=interval\n", "nonsense", ""):
        daemon.config_path.write_text(config)
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_notification("RELOADING=1")
        # Type=notify-reload requires the time in the same message.
        assert "MONOTONIC_USEC=" in daemon.notifications[-1], f"no time: {daemon.notifications[-1]}"
        daemon.wait_for_notification("READY=1")
    daemon.process.send_signal(signal.SIGTERM)
    daemon.wait_for_notification("STOPPING=1")
    assert daemon.wait() == 0, "exit status"


def test_the_watchdog_is_fed_when_idle_and_not_while_the_disk_or_the_loop_hangs(workspace: Workspace) -> None:
    daemon = workspace.daemon(start=False)
    daemon.environment["WATCHDOG_USEC"] = "400000"
    daemon.start()
    for _ in range(3):
        daemon.wait_for_notification("WATCHDOG=1")
    threads = [int(name) for name in os.listdir(f"/proc/{daemon.pid}/task")]
    assert len(threads) > 1, "the daemon has no commit thread"
    for hung in ([thread for thread in threads if thread != daemon.pid], [daemon.pid]):
        with hanging(hung):
            # One may have been sent before.
            daemon.forget_notifications()
            try:
                daemon.wait_for_notification("WATCHDOG=1", patience=1.2)
            except TimeoutError:
                pass
            else:
                raise AssertionError(f"the watchdog is fed while {'the loop' if daemon.pid in hung else 'the disk'} hangs")
        daemon.wait_for_notification("WATCHDOG=1")
    daemon.stop()


def test_the_status_shows_sessions_subscribers_and_a_bad_configuration(workspace: Workspace, daemon: Daemon) -> None:
    daemon.config_path.write_text("[Log]\nnonsense\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for_notification("READY=1")
    assert (
        "STATUS=Invalid configuration, keeping the old one. 0 sessions open, 0 subscribers, position 0."
        in daemon.notifications[-1].split("\n")
    ), f"status: {daemon.notifications[-1]}"
    # A reload by a call updates the status at once, too.
    daemon.config_path.write_text("")
    workspace.scrollctl(daemon, "reload")
    daemon.wait_for_notification("STATUS=0 sessions open, 0 subscribers, position 0.")
    Feeder(daemon.connect(), "one")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for_notification("STATUS=1 sessions open, 0 subscribers, position 1.")


def listening_socket(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    listener.bind(path)
    listener.listen(64)
    return listener


class ActivatedDaemon(Daemon):
    """A daemon that gets its listening socket from a service manager."""

    def __init__(self, directory: Path, descriptors: list[int]):
        super().__init__(directory)
        self._descriptors = descriptors
        # bash moves the descriptors to where sd_listen_fds(3) looks for them, and knows the id of the process.
        redirections = " ".join(
            f"{FIRST_PASSED + index}<&{descriptor}" for index, descriptor in enumerate(descriptors))
        script = f'export LISTEN_PID=$$ LISTEN_FDS={len(descriptors)}; exec {redirections}; exec "$@"'
        self.prefix = ["bash", "-c", script, "activation"]

    def _arguments(self) -> list[str]:
        return ["--config", str(self.config_path), "--state-directory", str(self.state_directory)]

    def _passed_descriptors(self) -> list[int]:
        return self._descriptors


def activated(workspace: Workspace, descriptors: list[int], name: str = "activated") -> ActivatedDaemon:
    return workspace.adopt(ActivatedDaemon(workspace.directory / name, descriptors))


def test_clients_that_connect_to_an_activated_socket_before_the_start_are_served(workspace: Workspace) -> None:
    path = str(workspace.directory / "activated.socket")
    with listening_socket(path) as listener:
        daemon = activated(workspace, [listener.fileno()])
        early = Wire(path)
        early.send(INFO)
        daemon.start()
        daemon.socket_path = path
        assert early.answer()["product"] == "scrolld", "the answer to a client that connected before the start"
        assert "service manager" in daemon.output(), "the daemon does not report the service manager's socket"
        feeder = Feeder(early, "activated")
        feeder.feed(recordings()[0].events[:50])
        for end in (daemon.kill, daemon.stop):
            end()
            # The daemon must not remove the socket, which accepts connections even while no daemon runs.
            waiting = Wire(path)
            waiting.send("org.scrolld.Recorder.Open", {"client": "activated", "session": feeder.session})
            daemon.start()
            assert waiting.answer()["nextNumber"] == 51, "the answer to a client that connected while no daemon ran"
            waiting.close()
        assert [state["client"] for state in states(daemon)] == ["activated"], "open clients"
        early.close()


def test_anything_but_one_listening_stream_socket_is_refused(workspace: Workspace) -> None:
    path = str(workspace.directory / "socket")
    with listening_socket(path) as listener, listening_socket(path + "2") as other, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagram, socket.socket(socket.AF_UNIX) as idle, \
            open("/dev/null") as file:
        for index, descriptors in enumerate([
            [listener.fileno(), other.fileno()], [datagram.fileno()], [idle.fileno()], [file.fileno()],
        ]):
            daemon = activated(workspace, descriptors, name=f"bad-{index}")
            daemon.spawn()
            assert daemon.wait() == 1, f"exit status: {daemon.output()}"
            assert "the service manager passed" in daemon.output(), (
                f"the daemon does not report the reason: {daemon.output()}")
