"""What one check may leave behind and therefore owns: a directory, daemons, other processes, open sockets."""

import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Callable, Optional

from . import programs
from .daemon import Daemon


class Workspace:
    """A check's own directory and processes, all gone after `close`, whether the check passed or not."""

    def __init__(self):
        # Short, as a socket's path must be, and open, as other users shall reach the socket.
        self.directory = Path(tempfile.mkdtemp(prefix="scrolld-", dir="/tmp"))
        os.chmod(self.directory, 0o755)
        self.daemons: list[Daemon] = []
        self._endings: list[Callable[[], None]] = []

    def daemon(self, config: Optional[str] = None, name: str = "daemon", start: bool = True, **options) -> Daemon:
        """A daemon with its own socket and state directory, serving unless `start` is false."""
        daemon = Daemon(self.directory / name, config, **options)
        self.daemons.append(daemon)
        if start:
            daemon.start()
        return daemon

    def ending(self, action: Callable[[], None]) -> None:
        """Has something done when the check is over and the daemons are gone, what was asked for last first."""
        self._endings.append(action)

    def scrollctl(self, daemon: Optional[Daemon], *arguments: str, **options) -> subprocess.CompletedProcess:
        """Runs scrollctl to its end."""
        place = [] if daemon is None else ["--socket", str(daemon.socket_path)]
        return programs.run("scrollctl", *place, *arguments, **options)

    def thread(self, body: Callable[[], None]) -> "Task":
        """Runs something beside the check."""
        return Task(body)

    def logs(self) -> str:
        """What the daemons have said, for the report of a failure."""
        return "".join(f"--- {daemon.directory.name} said:\n{daemon.said()[-4000:]}" for daemon in self.daemons)

    def close(self) -> list[str]:
        """Ends and removes everything; returns what of it went wrong."""
        problems = []
        for daemon in self.daemons:
            problems += daemon.close()
        for action in reversed(self._endings):
            try:
                action()
            except Exception as error:  # the others have to be ended, too
                problems.append(f"ending: {error!r}")
        shutil.rmtree(self.directory)
        return problems


class Task:
    """Something that runs in a thread; what it raised, `join` raises."""

    def __init__(self, body: Callable[[], None]):
        self._error: Optional[BaseException] = None
        self._body = body
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._body()
        except BaseException as error:  # handed to whoever joins
            self._error = error

    def join(self, timeout: float = 60) -> None:
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise TimeoutError(f"not done after {timeout} s")
        if self._error:
            raise self._error
