"""Many clients and subscribers at once, past states, and requests to scroll."""

from collections import defaultdict
from random import Random

import pytest

from support.daemon import Daemon, until
from support.recordings import POLICIES, Feeder, cases, recordings
from support.subscriber import Subscriber, occurrences, history, states, transitions
from support.wire import Refused
from support.workspace import Workspace

CLIENTS = 200
CONNECTIONS = 8


@pytest.mark.timeout(180)
def test_200_interleaved_clients_get_the_same_transitions_as_alone(workspace: Workspace, random: Random) -> None:
    daemon = workspace.daemon(POLICIES)
    subscriber = workspace.subscribe(daemon)
    subscriber.wait_until_caught_up()
    wires = [daemon.connect() for _ in range(CONNECTIONS)]
    sources = recordings() + cases()
    clients = []
    for index in range(CLIENTS):
        recording = random.choice(sources)
        policy = random.choice(["classic", "safari"])
        feeder = Feeder(wires[index % CONNECTIONS], f"{policy}/{recording.name}/{index}")
        clients.append((policy, recording, feeder))

    # Sends calls on every connection without waiting. Answers come in the order of a connection's calls.
    rest = {index: 0 for index in range(CLIENTS)}
    unanswered = [[] for _ in wires]
    while rest:
        index = random.choice(list(rest))
        _, recording, feeder = clients[index]
        start = rest[index]
        end = start + random.choice([1, 2, 5, 20, 60])
        feeder.send(recording.events[start:end])
        queue = unanswered[index % CONNECTIONS]
        queue.append(feeder)
        if end < len(recording.events):
            rest[index] = end
        else:
            del rest[index]
        while len(queue) > 16:
            queue.pop(0).take_answer()
    for queue in unanswered:
        for feeder in queue:
            feeder.take_answer()

    last = max(max(feeder.positions.values()) for _, _, feeder in clients)
    daemon.call("org.scrolld.Recorder.Open", client="last")
    live = occurrences(subscriber.wait_for_position(last + 1))
    heard = defaultdict(list)
    for reply in live:
        if "transition" in reply:
            heard[reply["transition"]["client"]].append(reply["transition"])
    for policy, recording, feeder in clients:
        recording.require_transitions(
            policy, heard[feeder.client],
            lambda transition: recording.lines[feeder.number_at(transition["position"]) - 1])
    taken = sorted(position for _, _, feeder in clients for position in feeder.positions.values())
    assert len(set(taken)) == len(taken), "distinct positions"
    assert history(daemon) == live, "the log's history and what the subscriber heard live"


def test_subscribers_that_join_at_any_moment_hear_everything_after_their_start_once(
        workspace: Workspace, random: Random) -> None:
    daemon = workspace.daemon(POLICIES)
    path = str(daemon.socket_path)
    feeders = [Feeder(daemon.connect(), f"classic/{index}") for index in range(4)]
    sources = recordings()
    subscribers: list[tuple[dict, int, Subscriber]] = []
    position = 0
    for round in range(60):
        for feeder in feeders:
            events = random.choice(sources).events
            start = random.randrange(len(events))
            feeder.send(events[start : start + random.choice([1, 10, 100])])
        if len(subscribers) < 40:
            # With calls in flight, so that some join during a commit.
            parameters = random.choice([{}, {"detail": "frames"}, {"after": random.randint(0, position)},
                                        {"after": random.randint(0, position), "detail": "frames"}])
            subscriber = Subscriber(path, **parameters)
            workspace.add_finalizer(subscriber.close)
            subscribers.append((parameters, position, subscriber))
        if random.random() < 0.1:
            daemon.call("org.scrolld.Manager.Rotate")
        for feeder in feeders:
            position = max(position, feeder.take_answer()["position"])
    last = Feeder(daemon.connect(), "last")
    all_of_it = transitions(history(daemon))
    for parameters, stored_before, subscriber in subscribers:
        replies = subscriber.wait(
            lambda replies: any(reply.get("opened", {}).get("session") == last.session for reply in replies), "the end")
        assert sum("caughtUp" in reply for reply in replies) == 1, f"caughtUp with {parameters}"
        caught_up = next(index for index, reply in enumerate(replies) if "caughtUp" in reply)
        if "after" in parameters:
            start = parameters["after"]
        else:
            # The current states come first, all as of one position.
            start = replies[caught_up]["position"]
            present = [reply for reply in replies[:caught_up] if "state" in reply]
            assert len(present) == caught_up, "replies before caughtUp"
            assert {reply["position"] for reply in present} - {start} == set(), "positions of the current states"
            assert sorted(reply["state"]["client"] for reply in present) == sorted(f.client for f in feeders), "clients"
        assert transitions(replies) == [transition for transition in all_of_it if transition["position"] > start], (
            f"transitions with {parameters}")
        if parameters.get("detail") == "frames":
            for feeder in feeders:
                states = [reply["state"] for reply in replies if reply.get("state", {}).get("client") == feeder.client]
                positions = [state["position"] for state in states]
                assert positions == sorted(positions), "positions of the frames"
                assert states[-1] == daemon.call("org.scrolld.Observer.Get", client=feeder.client)["state"], (
                    "last frame")
            if "after" in parameters:
                # The log's past comes with the state after every event; live states may be merged into the newest.
                own = [p for feeder in feeders for p in feeder.positions.values()]
                expected = sorted(p for p in own if start < p <= stored_before)
                found = [reply["state"]["position"] for reply in replies[:caught_up] if "state" in reply]
                assert found[: len(expected)] == expected, "frames of the past"


def test_subscriptions_and_lists_match_clients_by_glob(daemon: Daemon) -> None:
    names = ["app/1", "app/2", "app2/1", "reader/app/1", "[x]"]
    wire = daemon.connect()
    for name in names:
        Feeder(wire, name).feed(recordings()[0].events[:1])
    for patterns, expected in [
        ([], names), (["*"], names), (["app/*"], ["app/1", "app/2"]), (["app?/*"], ["app2/1"]),
        (["*/1"], ["app/1", "app2/1", "reader/app/1"]), (["app/1", "[[]x]"], ["app/1", "[x]"]), (["none"], []),
    ]:
        parameters = {"clients": patterns}
        listed = [reply["state"]["client"] for reply in daemon.stream("org.scrolld.Observer.List", **parameters)
                  if "state" in reply]
        assert listed == expected, f"List of {patterns}"
        heard = []
        for reply in daemon.connect().stream("org.scrolld.Observer.Subscribe", after=0, **parameters):
            if reply.get("caughtUp"):
                break
            heard += [reply["opened"]["client"]] if "opened" in reply else []
        assert heard == expected, f"Subscribe to {patterns}"


def test_get_returns_past_states_by_position_and_by_time(daemon: Daemon) -> None:
    recording = recordings()[0]
    feeder = Feeder(daemon.connect(), "past")
    for start in range(0, len(recording.events), 20):
        feeder.feed(recording.events[start : start + 20])
        if start == 80:
            daemon.call("org.scrolld.Manager.Rotate")
    wire = daemon.connect()
    frames = {}
    for reply in daemon.connect().stream("org.scrolld.Observer.Subscribe", after=0, detail="frames"):
        if reply.get("caughtUp"):
            break
        if "state" in reply:
            frames[reply["state"]["position"]] = reply["state"]
    assert sorted(frames) == sorted(feeder.positions.values()), "positions with a frame"
    for position, state in frames.items():
        assert wire.call("org.scrolld.Observer.Get", client="past", position=position)["state"] == state, (
            f"at {position}")
    received = {reply["position"]: reply["received"] for reply in daemon.stream("org.scrolld.Observer.Read")}
    for time in sorted(set(received.values())):
        last = max(position for position, other in received.items() if other <= time)
        state = wire.call("org.scrolld.Observer.Get", client="past", time=time)["state"]
        assert state["position"] == last, f"position at the time {time}"
        if last in frames:
            assert state == frames[last], f"state at the time {time}"
    first = min(received.values())
    assert wire.refusal("org.scrolld.Observer.Get", client="past", time=first - 1).short_name == "NoSuchClient", (
        "Get before the first record")
    last = max(received)
    refused = wire.refusal("org.scrolld.Observer.Get", client="past", position=last + 1)
    assert (refused.short_name, refused.parameters) == ("NoSuchPosition", {"last": last}), "Get after the last record"


def test_a_scroll_request_reaches_the_listening_client_and_is_answered_once(daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "asked")
    wire = daemon.connect()
    scroll = "org.scrolld.Observer.Scroll"
    assert wire.refusal(scroll, client="asked", target="top").short_name == "ClientAway", (
        "the error while the client does not listen")
    assert wire.refusal(scroll, client="nobody", target="top").short_name == "NoSuchClient", (
        "the error for an unknown client")
    listening = daemon.connect().stream("org.scrolld.Recorder.Requests", session=feeder.session)
    assert next(listening) == {}, "the first reply"
    positions = [wire.call(scroll, client="asked", **target)["position"] for target in (
        {"target": "top"}, {"target": "bottom"}, {"target": "page", "page": 2}, {"target": "offset", "x": 0, "y": 10.5})]
    assert [next(listening)["request"] for _ in positions] == [
        {"request": positions[0], "target": "top"}, {"request": positions[1], "target": "bottom"},
        {"request": positions[2], "target": "page", "page": 2},
        {"request": positions[3], "target": "offset", "x": 0, "y": 10.5}], "requests"
    respond = "org.scrolld.Recorder.Respond"
    feeder.wire.call(respond, session=feeder.session, request=positions[0], done=True)
    refused = feeder.wire.refusal(respond, session=feeder.session, request=positions[0], done=True)
    assert refused.short_name == "NoSuchRequest", "a second response"
    # A new listener gets the requests without an answer, and the old listener an error.
    newer = daemon.connect().stream("org.scrolld.Recorder.Requests", session=feeder.session)
    assert next(newer) == {}, "the first reply"
    assert [next(newer)["request"]["request"] for _ in positions[1:]] == positions[1:], "requests without an answer"
    try:
        next(listening)
        raise AssertionError("the older listener is not replaced")
    except Refused as refused:
        assert refused.short_name == "RequestsTakenOver", "the error for the older listener"
    # A request is not an event: it changes neither the client's state nor its numbers.
    feeder.feed(recordings()[0].events[:1])
    feeder.close()
    try:
        while next(newer):
            pass
        raise AssertionError("the listener outlives its session")
    except Refused as refused:
        assert refused.short_name == "SessionClosed", "the error for the listener"


def test_only_sessions_with_close_on_disconnect_end_with_their_connection(daemon: Daemon) -> None:
    wire = daemon.connect()
    wire.call("org.scrolld.Recorder.Open", client="fleeting", closeOnDisconnect=True)
    wire.call("org.scrolld.Recorder.Open", client="lasting")
    wire.close()
    until(lambda: [state["client"] for state in states(daemon)] == ["lasting"], "the session is closed")
    assert [reply["closed"]["reason"] for reply in history(daemon) if "closed" in reply] == ["disconnected"], (
        "reasons of the closings")
