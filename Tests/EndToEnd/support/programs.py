"""The programs under test, as processes that can't outlive this one."""

import ctypes
import os
import resource
import signal
import subprocess

#: Where the built programs are; main.py sets it.
products = ""

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def path(name: str) -> str:
    return os.path.join(products, name)


def die_with_parent() -> None:
    """To be called in a new process: it is killed when this one dies, however that comes about."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def environment(**changes: str) -> dict[str, str]:
    """An environment in which nothing of the caller's own session is found by accident."""
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


def start(name: str, *arguments: str, **options) -> subprocess.Popen:
    """Starts a program; whoever calls ends it."""
    changes = options.pop("environment", {})
    descriptor_limits = options.pop("descriptor_limits", None)

    def prepare() -> None:
        die_with_parent()
        if descriptor_limits:
            resource.setrlimit(resource.RLIMIT_NOFILE, descriptor_limits)

    return subprocess.Popen(
        [path(name), *map(str, arguments)], env=environment(**changes), preexec_fn=prepare, **options)
