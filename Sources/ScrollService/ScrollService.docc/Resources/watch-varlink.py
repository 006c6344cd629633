"""Prints the toolbars of clients and each change, across restarts of scrolld.

    pip install varlink
    python3 watch-varlink.py [GLOB…]
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import varlink

#: The subscription can't continue from its position: begin again with the present states.
POSITION_LOST = {f"org.scrolld.Observer.{name}" for name in (
    "PositionTakenBack", "PositionTrimmed", "NoSuchPosition", "LogDamaged")}


@dataclass(frozen=True)
class Toolbar:
    """A client's toolbar, after a change or as it is."""

    position: int
    client: str
    shown: Literal["shown", "hidden"]
    changed: tuple[str, ...] = ()
    reason: str | None = None

    @classmethod
    def of(cls, state: dict[str, Any]) -> Toolbar:
        return cls(state["position"], state["client"], state["toolbar"], tuple(state.get("changed") or ()),
                   state.get("reason"))


def toolbars(address: str, clients: list[str]) -> Iterator[Toolbar]:
    """Yields present states first, then each change once, whatever happens to the daemon."""
    after: int | None = None
    generation: int | None = None
    delay = 0.1
    while True:
        try:
            with varlink.Client(address) as client, client.open("org.scrolld.Observer") as observer:
                for reply in observer.Subscribe(clients=clients, after=after, generation=generation, _more=True):
                    delay = 0.1
                    if reply.get("caughtUp"):
                        generation = reply["generation"]
                    if generation is not None:
                        after = reply["position"]
                    changed = reply.get("transition") or reply.get("state")
                    if changed:
                        yield Toolbar.of(changed)
        except varlink.VarlinkError as error:
            if error.error() not in POSITION_LOST:
                raise
            after = generation = None
        except OSError as error:
            print(f"away: {error}", file=sys.stderr)
        time.sleep(delay)
        delay = min(delay * 2, 5.0)


def main() -> None:
    address = "unix:" + os.environ.get("SCROLLD_SOCKET", "/run/scrolld/socket")
    for toolbar in toolbars(address, sys.argv[1:]):
        print(toolbar.position, toolbar.client, toolbar.shown, toolbar.reason or "", flush=True)


if __name__ == "__main__":
    main()
