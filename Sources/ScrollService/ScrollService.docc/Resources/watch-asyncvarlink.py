"""Prints the toolbars of clients and each change, across restarts of scrolld, with asyncio.

    pip install asyncvarlink
    python3 watch-asyncvarlink.py [GLOB…]
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal

from asyncvarlink import VarlinkClientProtocol, VarlinkMethodCall, connect_unix_varlink

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


async def toolbars(path: str, clients: list[str]) -> AsyncIterator[Toolbar]:
    """Yields present states first, then each change once, whatever happens to the daemon."""
    position: dict[str, int] = {}
    delay = 0.1
    while True:
        transport = None
        try:
            transport, protocol = await connect_unix_varlink(VarlinkClientProtocol, path)
            call = VarlinkMethodCall(
                "org.scrolld.Observer.Subscribe", {"clients": clients, **position}, more=True)
            async for reply, _ in protocol.call_more(call):
                if reply.error in POSITION_LOST:
                    position = {}
                    break
                if reply.error:
                    raise RuntimeError(f"{reply.error}: {reply.parameters}")
                delay = 0.1
                if reply.parameters.get("caughtUp"):
                    position["generation"] = reply.parameters["generation"]
                if position:
                    position["after"] = reply.parameters["position"]
                changed = reply.parameters.get("transition") or reply.parameters.get("state")
                if changed:
                    yield Toolbar.of(changed)
        except OSError as error:
            print(f"away: {error or type(error).__name__}", file=sys.stderr)
        finally:
            if transport:
                transport.close()
        await asyncio.sleep(delay)
        delay = min(delay * 2, 5.0)


async def main() -> None:
    path = os.environ.get("SCROLLD_SOCKET", "/run/scrolld/socket")
    async for toolbar in toolbars(path, sys.argv[1:]):
        print(toolbar.position, toolbar.client, toolbar.shown, toolbar.reason or "", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
