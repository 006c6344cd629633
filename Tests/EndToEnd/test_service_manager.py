"""What the service manager and the daemon owe each other: sd_notify and socket activation, without a service manager."""

import os
import signal
import socket
import subprocess

from support import programs
from support.daemon import Daemon
from support.recordings import Feeder, recordings
from support.runner import check, equal, require
from support.subscriber import states
from support.threads import hanging
from support.wire import Wire
from support.workspace import Workspace

INFO = "org.varlink.service.GetInfo"


@check("sd_notify: READY, RELOADING with its time, READY again, STOPPING, each with a status")
def notifications(workspace: Workspace):
    daemon = workspace.daemon()
    require("STATUS=" in daemon.notifications[-1], f"no status: {daemon.notifications}")
    for config in ("[Log]\nSync=interval\n", "nonsense", ""):
        daemon.config_path.write_text(config)
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_notification("RELOADING=1")
        # Type=notify-reload needs it in the same message.
        require("MONOTONIC_USEC=" in daemon.notifications[-1], f"no time: {daemon.notifications[-1]}")
        daemon.wait_for_notification("READY=1")
    daemon.process.send_signal(signal.SIGTERM)
    daemon.wait_for_notification("STOPPING=1")
    equal(daemon.wait(), 0, "exit status")


@check("the watchdog is fed while the daemon is idle, and not while its disk or its loop hangs")
def watchdog(workspace: Workspace):
    daemon = workspace.daemon(start=False)
    daemon.environment["WATCHDOG_USEC"] = "400000"
    daemon.start()
    for _ in range(3):
        daemon.wait_for_notification("WATCHDOG=1")
    threads = [int(name) for name in os.listdir(f"/proc/{daemon.pid}/task")]
    require(len(threads) > 1, "there is no thread that writes")
    for hung in ([thread for thread in threads if thread != daemon.pid], [daemon.pid]):
        with hanging(hung):
            # One may have been on its way.
            daemon.forget_notifications()
            try:
                daemon.wait_for_notification("WATCHDOG=1", patience=1.2)
            except TimeoutError:
                pass
            else:
                raise AssertionError(f"the watchdog is fed while {'the loop' if daemon.pid in hung else 'the disk'} hangs")
        daemon.wait_for_notification("WATCHDOG=1")
    daemon.stop()


@check("sd_notify: the status tells of sessions, subscribers, and a bad configuration until it is cured")
def status(workspace: Workspace):
    daemon = workspace.daemon()
    daemon.config_path.write_text("[Log]\nnonsense\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for_notification("READY=1")
    require("STATUS=The configuration is bad, the old one stays. 0 sessions open, 0 subscribers, position 0."
            in daemon.notifications[-1].split("\n"), f"status: {daemon.notifications[-1]}")
    # Also where it is not a signal that asks, and without waiting for the next tick.
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
    """A daemon that is handed its listening socket, and is given no other."""

    descriptors_to_pass: list[int]

    def spawn(self) -> None:
        self._notify_begin()
        # bash puts the descriptors where sd_listen_fds(3) looks for them and tells the new process its own id.
        redirections = " ".join(
            f"{3 + index}<&{descriptor}" for index, descriptor in enumerate(self.descriptors_to_pass))
        script = (f"export LISTEN_PID=$$ LISTEN_FDS={len(self.descriptors_to_pass)}; exec {redirections}; "
                  'exec "$@"')
        with open(self.said_path, "ab") as said:
            self.process = subprocess.Popen(
                ["bash", "-c", script, "activation", programs.path("scrolld"), "--config", str(self.config_path),
                 "--state-directory", str(self.state_directory)],
                stdin=subprocess.DEVNULL, stdout=said, stderr=said, pass_fds=self.descriptors_to_pass,
                env=programs.environment(NOTIFY_SOCKET=str(self.notify_path)), preexec_fn=programs.die_with_parent)


def activated(workspace: Workspace, descriptors: list[int], name: str = "activated") -> ActivatedDaemon:
    daemon = ActivatedDaemon(workspace.directory / name)
    # Beyond those that bash moves them to.
    daemon.descriptors_to_pass = descriptors
    workspace.daemons.append(daemon)
    return daemon


@check("socket activation: who connects before the start is served after it, and across restarts and crashes")
def activation(workspace: Workspace):
    path = str(workspace.directory / "activated.socket")
    with listening_socket(path) as listener:
        daemon = activated(workspace, [listener.fileno()])
        early = Wire(path)
        early.send(INFO)
        daemon.start()
        daemon.socket_path = path
        equal(early.answer()["product"], "scrolld", "the answer to who came before the start")
        require("service manager" in daemon.said(), "it doesn't say whose socket it serves on")
        feeder = Feeder(early, "activated")
        feeder.feed(recordings()[0].events[:50])
        for end in (daemon.kill, daemon.stop):
            end()
            # The socket is not the daemon's to remove, and takes connections while there is no daemon.
            waiting = Wire(path)
            waiting.send("org.scrolld.Recorder.Open", {"client": "activated", "session": feeder.session})
            daemon.start()
            equal(waiting.answer()["nextNumber"], 51, "the answer to who came while there was no daemon")
            waiting.close()
        equal([state["client"] for state in states(daemon)], ["activated"], "open clients")
        early.close()


@check("socket activation: what is no single listening stream socket is refused")
def bad_activation(workspace: Workspace):
    path = str(workspace.directory / "socket")
    with listening_socket(path) as listener, listening_socket(path + "2") as other, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagram, socket.socket(socket.AF_UNIX) as idle, \
            open("/dev/null") as file:
        for index, descriptors in enumerate([
            [listener.fileno(), other.fileno()], [datagram.fileno()], [idle.fileno()], [file.fileno()],
        ]):
            daemon = activated(workspace, descriptors, name=f"bad-{index}")
            daemon.spawn()
            equal(daemon.wait(), 1, f"exit status: {daemon.said()}")
            require("service manager handed over" in daemon.said(), f"it doesn't say why: {daemon.said()}")
