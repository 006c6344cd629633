"""Daemons to whose system calls something is done, by strace(1)."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Iterable

from . import programs
from .daemon import Daemon
from .runner import Skip


def require_strace() -> None:
    if shutil.which("strace") is None:
        raise Skip("needs strace")
    if subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        raise Skip("strace may not trace here")


def start_traced(daemon: Daemon, calls: Iterable[str], *injections: str, output: str = "/dev/null") -> None:
    """Starts the daemon with something done to some of its system calls, as strace(1) says it. The process is then strace's."""
    daemon._notify_begin()
    with open(daemon.said_path, "ab") as said:
        daemon.process = subprocess.Popen(
            ["strace", "-f", "-y", "-qq", "--seccomp-bpf", "-o", output, "-e", f"trace={','.join(calls)}",
             *(word for injection in injections for word in ("-e", f"inject={injection}")),
             programs.path("scrolld"), "--config", str(daemon.config_path), "--state-directory",
             str(daemon.state_directory), "--socket", str(daemon.socket_path)],
            stdin=subprocess.DEVNULL, stdout=said, stderr=said, preexec_fn=programs.die_with_parent,
            env=programs.environment(NOTIFY_SOCKET=str(daemon.notify_path)))


def end_traced(daemon: Daemon, number: int) -> None:
    """Sends the daemon below strace a signal."""
    try:
        children = Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text().split()
    except FileNotFoundError:
        return
    for child in children:
        try:
            os.kill(int(child), number)
        except ProcessLookupError:
            pass
