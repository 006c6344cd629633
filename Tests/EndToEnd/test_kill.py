"""SIGKILL at random moments: every acknowledged event is in the log at its position, and nothing that was not sent."""

import json
import shutil
import time
from random import Random

import pytest

from support.daemon import Daemon
from support.recordings import Feeder, recordings
from support.subscriber import history, states
from support.wire import Ended
from support.workspace import Workspace

ROUNDS = 25
CLIENTS = 4
CONNECTIONS = 2
#: How many calls of a connection are in flight when the daemon is killed.
UNANSWERED = 6

OWN_TO_PLACE = {"client", "session", "position", "line", "policy", "user"}


class Source:
    """A client whose events can be sent again after any crash, since an event's number determines it."""

    def __init__(self, index: int):
        self.name = f"kill/{index}"
        self.session = f"{index + 1:032x}"
        self._events = recordings()[index].events
        #: The acknowledged position of each event, by its number.
        self.answered: dict[int, int] = {}
        #: The largest number that was sent or is stored.
        self.sent = 0

    def event(self, number: int) -> dict:
        """The event of a number, from the recording played over and over as time passes."""
        turn, index = divmod(number - 1, len(self._events))
        event = dict(self._events[index])
        event["time"] += turn * 1_000_000_000
        return event

    def events(self, number: int, count: int) -> list[dict]:
        return [self.event(number + index) for index in range(count)]


class Verified:
    """The part of the log that was verified so far. Each round verifies the new part, and the last round everything."""

    def __init__(self, sources: list[Source]):
        self.sources = {source.session: source for source in sources}
        self.position = 0
        self.numbers = {source.session: 0 for source in sources}

    def read_on(self, daemon: Daemon, from_start: bool = False) -> None:
        if from_start:
            self.position = 0
            self.numbers = dict.fromkeys(self.numbers, 0)
        for reply in daemon.stream("org.scrolld.Observer.Read", after=self.position):
            if "record" not in reply:
                continue
            assert reply["position"] == self.position + 1, "the next position"
            self.position = reply["position"]
            session, record = reply["session"], reply["record"]
            source = self.sources[session]
            if record["kind"] == "open":
                assert self.numbers[session] == 0, f"events of {source.name} before it was opened"
                continue
            number = reply["number"]
            assert number == self.numbers[session] + 1, f"the next number of {source.name}"
            self.numbers[session] = number
            assert record == source.event(number), f"event {number} of {source.name}"
            if number in source.answered:
                assert reply["position"] == source.answered[number], f"the position of event {number} of {source.name}"
        for session, source in self.sources.items():
            assert max(source.answered, default=0) <= self.numbers[session], (
                    f"{source.name}: event {max(source.answered, default=0)} was acknowledged and is lost, "
                    f"the last one is {self.numbers[session]}"
                )


def feed_until_killed(daemon: Daemon, sources: list[Source], verified: Verified, random) -> None:
    """Feeds the daemon, and kills it at a random moment."""
    wires = [daemon.connect() for _ in range(CONNECTIONS)]
    feeders = []
    for index, source in enumerate(sources):
        feeder = Feeder(wires[index % CONNECTIONS], source.name, source.session)
        assert feeder.session == source.session, "the resumed session"
        assert feeder.next_number == verified.numbers[source.session] + 1, f"nextNumber of {source.name}"
        source.sent = feeder.next_number - 1
        feeders.append(feeder)
    last_answers = random.randrange(0, 60)
    queues = [[] for _ in wires]
    killed = False
    answers = 0
    try:
        while True:
            index = random.randrange(len(sources))
            source, feeder, queue = sources[index], feeders[index], queues[index % CONNECTIONS]
            if random.random() < 0.15 and feeder.next_number > 3 and not killed:
                # A resend, as by a client that lost the answer, must store nothing twice.
                first = random.randrange(max(1, feeder.next_number - 40), feeder.next_number)
                feeder.next_number = first
            feeder.send(source.events(feeder.next_number, random.choice([1, 1, 3, 20, 150])))
            queue.append((source, feeder, source.sent))
            source.sent = max(source.sent, feeder.next_number - 1)
            if answers >= last_answers and not killed:
                # With calls in flight, and after a random delay, so that the kill hits any stage of a commit.
                deadline = time.monotonic() + random.choice([0, random.uniform(0, 0.004)])
                while time.monotonic() < deadline:
                    pass
                daemon.process.kill()
                killed = True
            if random.random() < 0.01 and not killed:
                # Now and then, begins a new segment with a checkpoint of the open sessions.
                feeder.wire.send("org.scrolld.Manager.Rotate", oneway=True)
            if killed or len(queue) > UNANSWERED:
                take_answer(*queue.pop(0))
                answers += 1
    except (Ended, BrokenPipeError, ConnectionResetError):
        assert killed, f"the daemon ended by itself:\n{daemon.output()}"
    daemon.wait()
    # Answers that the daemon sent before the kill may still be in the socket.
    for queue in queues:
        try:
            while queue:
                take_answer(*queue.pop(0))
        except (Ended, BrokenPipeError, ConnectionResetError, IndexError):
            continue
    for wire in wires:
        wire.close()


def take_answer(source: Source, feeder: Feeder, sent_before: int) -> None:
    """Takes an answer to a call. The events up to `sent_before` had been sent or stored before that call."""
    number, count = feeder.unanswered[0]
    answer = feeder.take_answer()
    assert answer["durable"], "an answer with Sync=commit is not durable"
    last = number + count - 1
    if last in source.answered:
        assert answer["position"] == source.answered[last], f"the position in the answer to a resend of {source.name}"
    # New events of a call are consecutive. Repeated ones may be anywhere before.
    for repeated_or_new in range(min(last, max(number, sent_before + 1)), last + 1):
        source.answered[repeated_or_new] = answer["position"] - (last - repeated_or_new)


def require_states_are_folds(workspace: Workspace, daemon: Daemon, sources: list[Source]) -> None:
    """Requires that transitions and states are those that scrollctl folds from the log's records."""
    told = [reply["transition"] for reply in history(daemon) if "transition" in reply]
    present = {state["session"]: state for state in states(daemon)}
    assert sorted(present) == sorted(source.session for source in sources), "open sessions"
    for source in sources:
        path = workspace.directory / "read.ndjson"
        with open(path, "w") as file:
            for reply in daemon.stream("org.scrolld.Observer.Read", session=source.session):
                file.write(json.dumps(reply["record"]) + "\n")
        result = workspace.scrollctl(None, "--json", "fold", str(path))
        assert (result.returncode, result.stderr) == (0, ""), "fold"
        folded = [json.loads(line) for line in result.stdout.splitlines()]
        own = [transition for transition in told if transition["session"] == source.session]
        assert [strip(transition) for transition in own] == [strip(transition) for transition in folded], (
            f"transitions of {source.name} and the fold of its records")
        watched = ("toolbar", "trigger", "reachBottom", "bottomLatch", "topButton", "pageIndex", "pageCount")
        assert (
            {name: present[source.session].get(name) for name in watched}
            == {name: folded[-1].get(name) for name in watched}
        ), f"state of {source.name}"


def strip(transition: dict) -> dict:
    return {name: value for name, value in transition.items() if name not in OWN_TO_PLACE}


@pytest.mark.timeout(240)
def test_a_killed_daemon_loses_no_acknowledged_event(workspace: Workspace, random: Random) -> None:
    daemon = workspace.daemon(start=False)
    sources = [Source(index) for index in range(CLIENTS)]
    verified = Verified(sources)
    # A new log takes its generation from the clock.
    generation = None
    torn_before = 0
    for round in range(ROUNDS):
        # Some daemons are killed before they serve.
        if random.random() < 0.3:
            daemon.spawn()
            deadline = time.monotonic() + random.uniform(0, 0.02)
            while time.monotonic() < deadline:
                pass
            daemon.kill()
        daemon.start()
        # With Sync=commit, no record is taken back unless clients might have seen the records in a torn tail.
        torn = len(list(daemon.log_directory.glob("*.torn")))
        now = daemon.statistics()["generation"]
        if torn == torn_before:
            assert now == (generation or now), f"generation in round {round}, nothing torn"
        else:
            assert now > (generation or 0), f"generation in round {round}, a tail was torn"
        generation, torn_before = now, torn
        verified.read_on(daemon)
        feed_until_killed(daemon, sources, verified, random)
    daemon.start()
    verified.read_on(daemon, from_start=True)
    assert verified.position > ROUNDS, f"only {verified.position} records were stored"
    assert len(daemon.segments()) > 1, "the log has only one segment"
    require_states_are_folds(workspace, daemon, sources)
    before = (states(daemon), history(daemon))
    daemon.restart()
    assert (states(daemon), history(daemon)) == before, "states and history after a clean restart"
    daemon.stop()
    result = workspace.scrollctl(None, "verify", str(daemon.state_directory))
    assert (result.returncode, result.stderr) == (0, ""), f"verify: {result.stdout}"


def test_a_subscriber_that_reconnects_after_a_kill_resumes_where_it_was(daemon: Daemon) -> None:
    recording = recordings()[0]
    session = "5e55" * 8
    half = len(recording.events) // 2
    Feeder(daemon.connect(), "resume", session).feed(recording.events[:half], batch=5)
    heard, position, generation = [], 0, 0
    for events in (recording.events[half:], []):
        wire = daemon.connect()
        parameters = {"generation": generation} if generation else {}
        for reply in wire.stream("org.scrolld.Observer.Subscribe", after=position, **parameters):
            position = reply["position"]
            if "transition" in reply:
                heard.append(reply["transition"])
            if reply.get("caughtUp"):
                generation = reply["generation"]
                break
        daemon.kill()
        daemon.start()
        if events:
            Feeder(daemon.connect(), "resume", session).feed(events, batch=5)
    all_of_it = [reply["transition"] for reply in history(daemon) if "transition" in reply]
    assert heard == all_of_it, "transitions from two subscriptions"
    recording.require_transitions(
        "safari", heard, lambda transition: recording.lines[transition["position"] - 2])


def test_a_position_of_an_unknown_generation_is_reported_as_taken_back(daemon: Daemon) -> None:
    Feeder(daemon.connect(), "generations").feed(recordings()[0].events)
    wire = daemon.connect()
    wire.send("org.scrolld.Observer.Subscribe", {"after": 5, "generation": 77}, more=True)
    assert wire.receive() == {"error": "org.scrolld.Observer.PositionTakenBack", "parameters": {"last": 0}}, "the reply"


def test_a_subscriber_of_a_lost_log_is_not_resumed_in_another_one(daemon: Daemon) -> None:
    seen = Feeder(daemon.connect(), "first")
    seen.feed(recordings()[0].events)
    daemon.stop()
    shutil.rmtree(daemon.state_directory)
    daemon.start()
    Feeder(daemon.connect(), "second").feed(recordings()[1].events)
    wire = daemon.connect()
    wire.send("org.scrolld.Observer.Subscribe", {"after": 5, "generation": seen.generation}, more=True)
    assert wire.receive() == {"error": "org.scrolld.Observer.PositionTakenBack", "parameters": {"last": 0}}, "the reply"


def test_sessions_opened_and_closed_before_a_kill_stay_so(daemon: Daemon) -> None:
    event = recordings()[0].events[0]
    wire = daemon.connect()
    closed = Feeder(wire, "closed")
    closed.feed([event])
    closed.close()
    replaced, kept = Feeder(wire, "again"), Feeder(wire, "again")
    for _ in range(3):
        daemon.kill()
        daemon.start()
        wire = daemon.connect()
        for session in (closed.session, replaced.session):
            for method, parameters in [("Append", {"number": 1, "events": [event]}), ("Close", {})]:
                refused = wire.refusal(f"org.scrolld.Recorder.{method}", session=session, **parameters)
                assert refused.name == "org.scrolld.Recorder.SessionClosed", method
        # Another client cannot use the id of a closed session.
        refused = wire.refusal("org.scrolld.Recorder.Open", client="other", session=closed.session)
        assert refused.name == "org.scrolld.Recorder.SessionClosed", "Open"
        assert [state["session"] for state in states(daemon)] == [kept.session], "open sessions"
        assert wire.call("org.scrolld.Recorder.Open", client="again", session=kept.session)["nextNumber"] == 1, (
            "nextNumber")


def test_unsynced_events_survive_a_kill_but_are_not_called_durable(workspace: Workspace) -> None:
    for mode in ("interval", "never"):
        daemon = workspace.daemon(f"[Log]\nSync={mode}\nSyncIntervalSec=1h\n", name=mode)
        recording = recordings()[0]
        feeder = Feeder(daemon.connect(), "written")
        for start in range(0, len(recording.events), 50):
            feeder.send(recording.events[start : start + 50])
            assert feeder.take_answer()["durable"] is False, f"durable with Sync={mode}"
        before = history(daemon)
        synced = daemon.call("org.scrolld.Manager.Sync")["position"]
        assert (synced, daemon.statistics()["syncedPosition"]) == (len(recording.events) + 1,) * 2, (
            "the position that Sync reports, and the one in the statistics")
        generation = daemon.statistics()["generation"]
        daemon.kill()
        daemon.start()
        assert daemon.statistics()["generation"] == generation, "generation after a kill of the daemon alone"
        assert history(daemon) == before, "the history"
        recording.require_transitions(
            "safari", [reply["transition"] for reply in before if "transition" in reply],
            lambda transition: recording.lines[transition["position"] - 2])
