"""What a test may leave behind and therefore owns: a directory, daemons, other processes, open sockets."""

import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Callable, Optional

from . import programs
from .daemon import Daemon
from .service_manager import ManagedDaemon
from .subscriber import Subscriber

#: The most of a daemon's output that the report of a failure shows, in characters.
SHOWN = 4000


class Workspace:
    """A test's own directory and processes. `close` removes them whether the test passed or not."""

    def __init__(self):
        # Short, since it is part of sockets' paths, and open to the other users who connect to them.
        self.directory = Path(tempfile.mkdtemp(prefix="scrolld-", dir="/tmp"))
        os.chmod(self.directory, 0o755)
        self._daemons: list[Daemon] = []
        self._finalizers: list[Callable[[], None]] = []

    def daemon(self, config: Optional[str] = None, name: str = "daemon", start: bool = True, **options) -> Daemon:
        """A daemon with its own socket and state directory, serving unless `start` is false."""
        return self.adopt(Daemon(self.directory / name, config, **options), start)

    def managed_daemon(self, name: str = "managed", start: bool = True, **options) -> ManagedDaemon:
        """A daemon that is started as systemd starts it, with a descriptor store."""
        return self.adopt(ManagedDaemon(self.directory / name, **options), start)

    def adopt(self, daemon, start: bool = False):
        """Ends a daemon with the test; returns it."""
        self._daemons.append(daemon)
        return daemon.start() if start else daemon

    def add_finalizer(self, action: Callable[[], None]) -> None:
        """Has something done when the test is over and its daemons are gone, the last addition first."""
        self._finalizers.append(action)

    def subscribe(self, daemon: Daemon, **parameters) -> Subscriber:
        """A subscriber that collects what it hears until the test is over."""
        subscriber = Subscriber(str(daemon.socket_path), **parameters)
        self.add_finalizer(subscriber.close)
        return subscriber

    def scrollctl(self, daemon: Optional[Daemon], *arguments: str, **options) -> subprocess.CompletedProcess:
        """Runs scrollctl to its end, with the daemon's socket if there is one."""
        place = [] if daemon is None else ["--socket", str(daemon.socket_path)]
        return programs.run("scrollctl", *place, *arguments, **options)

    def run_in_thread(self, body: Callable[[], None]) -> "Task":
        """Runs something beside the test."""
        return Task(body)

    def outputs(self) -> list[tuple[str, str]]:
        """The end of what each daemon has printed, for the report of a failure."""
        return [(f"output of {daemon.directory.name}", daemon.output()[-SHOWN:]) for daemon in self._daemons]

    def close(self) -> list[str]:
        """Ends and removes everything; returns what went wrong."""
        problems = []
        for daemon in self._daemons:
            problems += daemon.close()
        for action in reversed(self._finalizers):
            try:
                action()
            except Exception as error:  # the other finalizers have to run, too
                problems.append(f"finalizer: {error!r}")
        shutil.rmtree(self.directory)
        return problems


class Task:
    """A function that runs in a thread. `join` raises what it raised."""

    def __init__(self, body: Callable[[], None]):
        self._error: Optional[BaseException] = None
        self._body = body
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._body()
        except BaseException as error:  # `join` raises it
            self._error = error

    def join(self, timeout: float = 60) -> None:
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise TimeoutError(f"not done after {timeout} s")
        if self._error:
            raise self._error
