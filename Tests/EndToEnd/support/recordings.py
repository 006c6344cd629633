"""The recordings among the fixtures, their expected transitions, and a client that sends them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .repository import REPOSITORY
from .wire import Wire

FIXTURES = REPOSITORY / "Tests/Fixtures"

#: The members that an expected transition and a reported one have in common.
EXPECTED = ("time", "changed", "toolbar", "trigger", "reachBottom", "bottomLatch", "topButton", "pageIndex", "pageCount")

#: A configuration with the policies of the expectations, each for the clients whose names begin with it.
POLICIES = """
[Policy classic]
Rule=classic
Clients=classic/*

[Policy arrival]
Rule=safari
RevealAtBottom=arrival
Clients=arrival/*
"""


@dataclass
class Recording:
    path: Path
    client: str
    #: The events, without open, close, requests and responses.
    events: list[dict]
    #: The line number of each event in the file.
    lines: list[int]

    @property
    def name(self) -> str:
        return self.path.stem

    def expected(self, policy: str) -> list[dict]:
        """The transitions that a policy must yield."""
        path = self.path.parent / "expected" / f"{self.name}.{policy}.ndjson"
        return [json.loads(line) for line in path.read_text().splitlines()]

    def require_transitions(self, policy: str, transitions: list[dict], line_of=None) -> None:
        """Requires exactly the expected transitions.

        `line_of` returns the line of a transition's event. Without it, a transition has its `line`.
        """
        found = [
            {"line": line_of(transition) if line_of else transition["line"],
             **{name: transition[name] for name in EXPECTED if name in transition}}
            for transition in transitions
        ]
        assert found == self.expected(policy), f"{self.name} with {policy}"


def load(path: Path) -> Recording:
    client, events, lines = "", [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        record = json.loads(line)
        if record["kind"] == "open":
            client = record["client"]
        elif record["kind"] not in ("close", "request", "response"):
            events.append(record)
            lines.append(number)
    return Recording(path, client, events, lines)


def recordings() -> list[Recording]:
    """The recordings made in a browser."""
    return _load_all("recordings")


def cases() -> list[Recording]:
    """The small recordings, each made after a bug report."""
    return _load_all("cases")


def _load_all(directory: str) -> list[Recording]:
    found = [load(path) for path in sorted((FIXTURES / directory).glob("*.ndjson"))]
    assert found, f"no recordings in {FIXTURES / directory}"
    return found


class Feeder:
    """A client that sends numbered events over one connection and remembers where each was stored."""

    def __init__(self, wire: Wire, client: str, session: Optional[str] = None):
        self.wire = wire
        self.client = client
        parameters = {"client": client}
        if session:
            parameters["session"] = session
        answer = wire.call("org.scrolld.Recorder.Open", **parameters)
        self.session: str = answer["session"]
        self.next_number: int = answer["nextNumber"]
        self.generation: int = answer["generation"]
        #: The position of each acknowledged event, by its number. Not reliable after a resend.
        self.positions: dict[int, int] = {}
        #: The first number and the count of each call without an answer.
        self.unanswered: list[tuple[int, int]] = []

    def send(self, events: list[dict]) -> None:
        """Sends events without waiting for the answer."""
        self.wire.send(
            "org.scrolld.Recorder.Append", {"session": self.session, "number": self.next_number, "events": events})
        self.unanswered.append((self.next_number, len(events)))
        self.next_number += len(events)

    def take_answer(self) -> dict:
        """Takes the answer to the oldest call without one."""
        answer = self.wire.answer()
        number, count = self.unanswered.pop(0)
        assert answer["nextNumber"] == number + count, "nextNumber"
        for index in range(count):
            self.positions[number + index] = answer["position"] - (count - 1) + index
        return answer

    def feed(self, events: list[dict], batch: int = 64, at_once: int = 4) -> None:
        """Sends events in calls of `batch` events, `at_once` of them in flight, and waits for all answers."""
        for start in range(0, len(events), batch):
            if len(self.unanswered) >= at_once:
                self.take_answer()
            self.send(events[start : start + batch])
        while self.unanswered:
            self.take_answer()

    def close(self) -> None:
        self.wire.call("org.scrolld.Recorder.Close", session=self.session)

    def number_at(self, position: int) -> int:
        """The number of the event at a position."""
        if not hasattr(self, "_numbers") or len(self._numbers) != len(self.positions):
            self._numbers = {position: number for number, position in self.positions.items()}
        return self._numbers[position]
