"""Stopping single threads of another process, as if they waited forever."""

import contextlib
import ctypes
import os
from typing import Iterable, Iterator

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long
_PTRACE_SEIZE, _PTRACE_INTERRUPT, _PTRACE_DETACH = 0x4206, 0x4207, 17
_WALL = 0x40000000


def _ptrace(request: int, thread: int) -> None:
    if _libc.ptrace(request, thread, None, None) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"ptrace({request:#x}, {thread}): {os.strerror(number)}")


@contextlib.contextmanager
def hanging(threads: Iterable[int]) -> Iterator[None]:
    """Stops these threads of a child process for as long as the context lasts."""
    held = []
    try:
        for thread in threads:
            _ptrace(_PTRACE_SEIZE, thread)
            held.append(thread)
            _ptrace(_PTRACE_INTERRUPT, thread)
            os.waitpid(thread, _WALL)
        yield
    finally:
        for thread in held:
            _ptrace(_PTRACE_DETACH, thread)
