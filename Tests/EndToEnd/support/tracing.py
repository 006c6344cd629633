"""Daemons whose system calls strace(1) changes."""

import os
from pathlib import Path
from typing import Iterable

from .daemon import Daemon


def start_traced(daemon: Daemon, strace: str, calls: Iterable[str], *injections: str, output: str = "/dev/null") -> None:
    """Starts the daemon under strace, which takes the place of its process. `injections` are values of strace's `inject=`."""
    daemon.prefix = [
        strace, "-f", "-y", "-qq", "--seccomp-bpf", "-o", output, "-e", f"trace={','.join(calls)}",
        *(word for injection in injections for word in ("-e", f"inject={injection}"))]
    try:
        daemon.spawn()
    finally:
        daemon.prefix = []


def signal_traced(daemon: Daemon, number: int) -> None:
    """Sends a signal to the daemon that strace runs."""
    try:
        children = Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text().split()
    except FileNotFoundError:
        return
    for child in children:
        try:
            os.kill(int(child), number)
        except ProcessLookupError:
            pass
