"""A scrolld process with a directory of its own."""

import os
import select
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Optional

from . import programs
from .wire import Wire

#: How long a daemon may take to serve or to end, in seconds.
PATIENCE = 30


class Daemon:
    """A scrolld with its own configuration, socket and state directory, which can be started and stopped repeatedly."""

    def __init__(self, directory: Path, config: Optional[str] = None, state_directory: Optional[Path] = None,
                 socket_path: Optional[Path] = None, descriptor_limits: Optional[tuple[int, int]] = None):
        self.directory = directory
        directory.mkdir(parents=True)
        self.socket_path = socket_path or directory / "socket"
        self.state_directory = state_directory or directory / "state"
        self.config_path = directory / "scrolld.conf"
        self.config_path.write_text(config or "")
        self.output_path = directory / "output"
        self.notify_path = directory / "notify"
        #: The soft and the hard limit of file descriptors to start it with.
        self.descriptor_limits = descriptor_limits
        #: Variables that the service manager sets, except for `NOTIFY_SOCKET`.
        self.environment: dict[str, str] = {}
        #: A command that starts the program in turn, such as a tracer.
        self.prefix: list[str] = []
        self.process: Optional[subprocess.Popen] = None
        self._notify: Optional[socket.socket] = None
        self._wires: list[Wire] = []
        self.notifications: list[str] = []

    @property
    def log_directory(self) -> Path:
        return self.state_directory / "log"

    def segments(self) -> list[Path]:
        """The segments of its log, the oldest first."""
        return sorted(self.log_directory.glob("*.scrolllog"))

    @property
    def pid(self) -> int:
        return self.process.pid

    # Starting and ending

    def spawn(self) -> None:
        """Starts the process without waiting until it serves."""
        self._open_notify_socket()
        with open(self.output_path, "ab") as output:
            self.process = programs.start(
                "scrolld", *self._arguments(), prefix=self.prefix, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                changes={"NOTIFY_SOCKET": str(self.notify_path), **self.environment},
                descriptor_limits=self.descriptor_limits, pass_fds=self._passed_descriptors())

    def _arguments(self) -> list[str]:
        return ["--config", str(self.config_path), "--state-directory", str(self.state_directory),
                "--socket", str(self.socket_path)]

    def _passed_descriptors(self) -> list[int]:
        return []

    def start(self) -> "Daemon":
        """Starts the process and waits until it is ready."""
        self.spawn()
        self.wait_for_notification("READY=1")
        return self

    def wait_for_notification(self, wanted: str, patience: float = PATIENCE) -> None:
        """Waits for the next message to the service manager with this line."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            readable, _, _ = select.select([self._notify], [], [], 0.1)
            if readable:
                message = self._notify.recv(65536).decode()
                self.notifications.append(message)
                if wanted in message.split("\n"):
                    return
            elif self.process.poll() is not None:
                raise AssertionError(f"scrolld ended with {self.process.returncode}:\n{self.output()}")
        raise TimeoutError(f"scrolld has not sent {wanted}")

    def forget_notifications(self) -> None:
        """Skips the messages that the daemon has sent to the service manager so far."""
        while select.select([self._notify], [], [], 0)[0]:
            self.notifications.append(self._notify.recv(65536).decode())

    def wait(self) -> int:
        """Waits for the process to end; returns its exit status, negative for a signal."""
        return self.process.wait(PATIENCE)

    def assert_start_fails(self, status: int, *words: str) -> None:
        """Starts it and expects it to end with this exit status and a message that contains these words."""
        self.spawn()
        assert self.wait() == status, f"exit status; the daemon printed:\n{self.output()}"
        for word in words:
            assert word in self.output(), f"the message lacks “{word}”: {self.output()}"

    def stop(self) -> None:
        """Stops it as the service manager does, and expects a clean end."""
        self.process.send_signal(signal.SIGTERM)
        status = self.wait()
        if status != 0:
            raise AssertionError(f"scrolld ended with {status} after SIGTERM:\n{self.output()}")

    def kill(self) -> None:
        """Ends it as a crash does."""
        self.process.kill()
        self.wait()

    def restart(self) -> "Daemon":
        self.stop()
        return self.start()

    def close(self) -> list[str]:
        """Ends the process and closes the connections; returns problems."""
        for wire in self._wires:
            wire.close()
        self._wires = []
        self._close_notify_socket()
        if self.process is None:
            return []
        status = self.process.poll()
        if status is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        elif status < 0 and status != -signal.SIGKILL:
            return [f"{self.directory.name} died of signal {-status}"]
        return []

    def _open_notify_socket(self) -> None:
        """Opens the socket for the next process's messages to the service manager."""
        self._close_notify_socket()
        self.notify_path.unlink(missing_ok=True)
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._notify.bind(str(self.notify_path))
        self.notifications = []

    def _close_notify_socket(self) -> None:
        if self._notify:
            self._notify.close()
            self._notify = None

    # Talking to it

    def connect(self, **options) -> Wire:
        """A new connection, which is closed when the test is over."""
        wire = Wire(str(self.socket_path), **options)
        self._wires.append(wire)
        return wire

    def call(self, method: str, **parameters):
        """One call on a connection of its own."""
        with Wire(str(self.socket_path)) as wire:
            return wire.call(method, **parameters)

    def stream(self, method: str, **parameters) -> list[dict]:
        """All replies of a streaming call that ends."""
        with Wire(str(self.socket_path)) as wire:
            return list(wire.stream(method, **parameters))

    # Looking at it

    def output(self) -> str:
        """What it has printed so far."""
        return self.output_path.read_text(errors="replace") if self.output_path.exists() else ""

    def descriptors(self) -> int:
        """How many file descriptors it has open."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def resident_bytes(self) -> int:
        """How much memory it holds."""
        with open(f"/proc/{self.pid}/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self) -> float:
        """How much processor time it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def statistics(self) -> dict:
        return self.call("org.scrolld.Manager.Statistics")

    def metric(self, name: str) -> int:
        return {metric["name"]: metric["value"] for metric in self.statistics()["metrics"]}[name]


def until(condition, what: str, patience: float = PATIENCE):
    """Waits until a condition is true; returns its value. `what` describes the condition."""
    deadline = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {patience} s: {what}")
        time.sleep(0.005)
