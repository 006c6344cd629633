"""A subscriber that collects what it hears, and what the replies contain."""

import threading
from typing import Callable, Optional

from .wire import Ended, Refused, Wire


class Subscriber:
    """Subscribes and collects the replies in a thread of its own until its connection ends."""

    def __init__(self, path: str, timeout: float = 60, **parameters):
        self._wire = Wire(path, timeout)
        self._wire.send("org.scrolld.Observer.Subscribe", parameters, more=True)
        self._changed = threading.Condition()
        self._replies: list[dict] = []
        self._error: Optional[BaseException] = None
        self._has_ended = False
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def _collect(self) -> None:
        try:
            while True:
                reply = self._wire.receive()
                if "error" in reply:
                    raise Refused(reply["error"], reply.get("parameters", {}))
                with self._changed:
                    self._replies.append(reply.get("parameters", {}))
                    self._changed.notify_all()
        except (Ended, OSError):
            pass  # the daemon has ended, or the test is over
        except BaseException as error:  # `wait` raises it
            self._error = error
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    @property
    def replies(self) -> list[dict]:
        with self._changed:
            return list(self._replies)

    def wait(self, condition: Callable[[list[dict]], bool], what: str, timeout: float = 60) -> list[dict]:
        """Waits until the replies so far fulfil a condition, and returns them."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_ended or condition(self._replies), timeout)
            if self._error:
                raise self._error
            if not condition(self._replies):
                ending = "the connection ended" if self._has_ended else f"waited {timeout} s"
                raise TimeoutError(f"{ending} before {what}; {len(self._replies)} replies, last {self._replies[-1:]}")
            return list(self._replies)

    def wait_until_caught_up(self) -> list[dict]:
        return self.wait(lambda replies: any("caughtUp" in reply for reply in replies), "it had caught up")

    def wait_for_position(self, position: int) -> list[dict]:
        """Waits for a reply at or after a position."""
        return self.wait(lambda replies: bool(replies) and replies[-1]["position"] >= position, f"position {position}")

    def transitions(self, client: Optional[str] = None) -> list[dict]:
        return transitions(self.replies, client)

    def close(self) -> None:
        # Wakes the thread from its receiving, which closing alone would not do.
        try:
            self._wire.socket.shutdown(2)
        except OSError:
            pass  # the daemon closed it first
        self._thread.join(10)
        self._wire.close()


def transitions(replies: list[dict], client: Optional[str] = None) -> list[dict]:
    """The transitions among replies."""
    found = [reply["transition"] for reply in replies if "transition" in reply]
    return [transition for transition in found if client is None or transition["client"] == client]


def occurrences(replies: list[dict]) -> list[dict]:
    """The openings, closings and transitions among replies."""
    return [reply for reply in replies if {"opened", "closed", "transition"} & set(reply)]


def history(daemon) -> list[dict]:
    """All openings, closings and transitions in the log, as a subscriber from position 0 hears them."""
    wire = daemon.connect()
    replies = []
    try:
        for reply in wire.stream("org.scrolld.Observer.Subscribe", after=0):
            replies.append(reply)
            if reply.get("caughtUp"):
                return occurrences(replies)
    finally:
        wire.close()
    raise AssertionError("the subscription ended before it had caught up")


def states(daemon) -> list[dict]:
    """The states of all open sessions."""
    return [reply["state"] for reply in daemon.stream("org.scrolld.Observer.List") if "state" in reply]
