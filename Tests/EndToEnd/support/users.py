"""Calling a function as another user, in a process of its own."""

import os
import pickle
import signal
import traceback
from typing import Callable, Iterable

from .programs import die_with_parent

#: A user id that owns nothing.
NOBODY = 65534
#: Another user id, which needs no name.
SOMEBODY = 54321


def as_user(user: int, body: Callable[[], object], groups: Iterable[int] = ()) -> object:
    """Calls `body` in a child process with another user id and these supplementary groups; returns its result."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        # The parent's clean-up must not run here, so the child never returns.
        try:
            signal.alarm(60)
            die_with_parent()
            os.close(reading)
            os.setgroups(list(groups))
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            # The kernel clears the setting when the user id changes.
            die_with_parent()
            try:
                result = (True, body())
            except BaseException:
                result = (False, traceback.format_exc())
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(result, pipe)
        finally:
            os._exit(0)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as pipe:
            data = pipe.read()
    finally:
        os.waitpid(child, 0)
    if not data:
        raise AssertionError("the other user's process died")
    succeeded, value = pickle.loads(data)
    if not succeeded:
        raise AssertionError(f"as user {user}:\n{value}")
    return value
