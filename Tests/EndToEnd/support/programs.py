"""The programs under test, as processes that can't outlive this one."""

import ctypes
import os
import resource
import signal
import subprocess
from typing import Iterable, Optional

from .repository import REPOSITORY

#: Where the built programs are; the fixture `built_programs` sets it.
directory = ""

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def build() -> str:
    """Builds the programs for release and returns their directory."""
    for product in ("scrollctl", "toolbar-example"):
        subprocess.run(["swift", "build", "-c", "release", "--product", product], check=True, cwd=REPOSITORY)
    shown = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], check=True, cwd=REPOSITORY,
                           stdout=subprocess.PIPE, text=True)
    return shown.stdout.strip()


def path(name: str) -> str:
    return os.path.join(directory, name)


def die_with_parent() -> None:
    """Has the kernel kill this process when its parent dies; for `preexec_fn`."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def environment(**changes: str) -> dict[str, str]:
    """An environment without the caller's session, in which no daemon is found by accident."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", **changes}


def run(name: str, *arguments: str, input: str | bytes | None = None, timeout: float = 60, **changes: str):
    """Runs a program to its end; the result has `returncode`, `stdout` and `stderr` as text."""
    if isinstance(input, str):
        input = input.encode()
    result = subprocess.run(
        [path(name), *map(str, arguments)], input=input, stdin=None if input is not None else subprocess.DEVNULL,
        capture_output=True, timeout=timeout, env=environment(**changes), preexec_fn=die_with_parent)
    result.stdout = result.stdout.decode()
    result.stderr = result.stderr.decode()
    return result


def start(name: str, *arguments: str, prefix: Iterable[str] = (), changes: Optional[dict[str, str]] = None,
          descriptor_limits: Optional[tuple[int, int]] = None, **options) -> subprocess.Popen:
    """Starts a program, which the caller ends.

    `prefix` is a command that starts it in turn, and `changes` are changes to the environment.
    """

    def prepare() -> None:
        die_with_parent()
        if descriptor_limits:
            resource.setrlimit(resource.RLIMIT_NOFILE, descriptor_limits)

    return subprocess.Popen([*prefix, path(name), *map(str, arguments)], env=environment(**(changes or {})),
                            preexec_fn=prepare, **options)
