"""Clients and subscribers side by side: each one hears and is told what it would alone, now, then, and as asked."""

from collections import defaultdict

from support.recordings import POLICIES, Feeder, cases, recordings
from support.runner import check, equal, randomness
from support.subscriber import Subscriber, happenings, history, transitions
from support.wire import Refused
from support.workspace import Workspace

CLIENTS = 200
CONNECTIONS = 8


@check("200 clients interleaved over 8 connections: each one's transitions as alone", deadline=180)
def interleaved(workspace: Workspace):
    random = randomness("interleaved")
    daemon = workspace.daemon(POLICIES)
    subscriber = Subscriber(str(daemon.socket_path))
    workspace.ending(subscriber.close)
    subscriber.wait_until_caught_up()
    wires = [daemon.connect() for _ in range(CONNECTIONS)]
    sources = recordings() + cases()
    clients = []
    for index in range(CLIENTS):
        recording = random.choice(sources)
        policy = random.choice(["classic", "safari"])
        feeder = Feeder(wires[index % CONNECTIONS], f"{policy}/{recording.name}/{index}")
        clients.append((policy, recording, feeder))

    # Calls go out on every connection without waiting; answers come in the order of a connection's calls.
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
    live = happenings(subscriber.wait_for_position(last + 1))
    heard = defaultdict(list)
    for reply in live:
        if "transition" in reply:
            heard[reply["transition"]["client"]].append(reply["transition"])
    for policy, recording, feeder in clients:
        recording.require_transitions(
            policy, heard[feeder.client],
            lambda transition: recording.lines[feeder.number_at(transition["position"]) - 1])
    taken = sorted(position for _, _, feeder in clients for position in feeder.positions.values())
    equal(len(set(taken)), len(taken), "positions that were given once")
    equal(history(daemon), live, "what the log gives and what was heard live")


@check("subscribers that join at any moment: each hears all behind its start, each once, without a seam")
def joining(workspace: Workspace):
    random = randomness("joining")
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
            # With calls under way, so that some join in the midst of a commit.
            parameters = random.choice([{}, {"detail": "frames"}, {"after": random.randint(0, position)},
                                        {"after": random.randint(0, position), "detail": "frames"}])
            subscriber = Subscriber(path, **parameters)
            workspace.ending(subscriber.close)
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
        equal(sum("caughtUp" in reply for reply in replies), 1, f"caughtUp with {parameters}")
        caught_up = next(index for index, reply in enumerate(replies) if "caughtUp" in reply)
        if "after" in parameters:
            start = parameters["after"]
        else:
            # The present states come first, all as of one position.
            start = replies[caught_up]["position"]
            present = [reply for reply in replies[:caught_up] if "state" in reply]
            equal(len(present), caught_up, "replies before caughtUp")
            equal({reply["position"] for reply in present} - {start}, set(), "positions of the present states")
            equal(sorted(reply["state"]["client"] for reply in present), sorted(f.client for f in feeders), "clients")
        equal(transitions(replies), [transition for transition in all_of_it if transition["position"] > start],
              f"transitions with {parameters}")
        if parameters.get("detail") == "frames":
            for feeder in feeders:
                states = [reply["state"] for reply in replies if reply.get("state", {}).get("client") == feeder.client]
                positions = [state["position"] for state in states]
                equal(positions, sorted(positions), "positions of the frames")
                equal(states[-1], daemon.call("org.scrolld.Observer.Get", client=feeder.client)["state"], "last frame")
            if "after" in parameters:
                # What stood in the log already comes with every event's state; of what comes, the newest wins.
                own = [p for feeder in feeders for p in feeder.positions.values()]
                expected = sorted(p for p in own if start < p <= stored_before)
                found = [reply["state"]["position"] for reply in replies[:caught_up] if "state" in reply]
                equal(found[: len(expected)], expected, "frames of what was stored before")


@check("subscribers and lists with globs hear of the clients that they ask for")
def globs(workspace: Workspace):
    daemon = workspace.daemon()
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
        equal(listed, expected, f"List of {patterns}")
        heard = []
        for reply in daemon.connect().stream("org.scrolld.Observer.Subscribe", after=0, **parameters):
            if reply.get("caughtUp"):
                break
            heard += [reply["opened"]["client"]] if "opened" in reply else []
        equal(heard, expected, f"Subscribe to {patterns}")


@check("the past: Get at a position and at a time, explained by the transitions up to it")
def the_past(workspace: Workspace):
    daemon = workspace.daemon()
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
    equal(sorted(frames), sorted(feeder.positions.values()), "positions with a frame")
    for position, state in frames.items():
        equal(wire.call("org.scrolld.Observer.Get", client="past", position=position)["state"], state, f"at {position}")
    received = {reply["position"]: reply["received"] for reply in daemon.stream("org.scrolld.Observer.Read")}
    for time in sorted(set(received.values())):
        last = max(position for position, other in received.items() if other <= time)
        state = wire.call("org.scrolld.Observer.Get", client="past", time=time)["state"]
        equal(state["position"], last, f"position at the time {time}")
        if last in frames:
            equal(state, frames[last], f"state at the time {time}")
    first = min(received.values())
    equal(wire.refusal("org.scrolld.Observer.Get", client="past", time=first - 1).short_name, "NoSuchClient", "before")
    last = max(received)
    refused = wire.refusal("org.scrolld.Observer.Get", client="past", position=last + 1)
    equal((refused.short_name, refused.parameters), ("NoSuchPosition", {"last": last}), "behind the end")


@check("scroll requests: to the client that listens, in the log, and answered once")
def scroll_requests(workspace: Workspace):
    daemon = workspace.daemon()
    feeder = Feeder(daemon.connect(), "asked")
    wire = daemon.connect()
    scroll = "org.scrolld.Observer.Scroll"
    equal(wire.refusal(scroll, client="asked", target="top").short_name, "ClientAway", "nobody listens")
    equal(wire.refusal(scroll, client="nobody", target="top").short_name, "NoSuchClient", "no such client")
    listening = daemon.connect().stream("org.scrolld.Recorder.Requests", session=feeder.session)
    equal(next(listening), {}, "the first reply")
    positions = [wire.call(scroll, client="asked", **target)["position"] for target in (
        {"target": "top"}, {"target": "bottom"}, {"target": "page", "page": 2}, {"target": "offset", "x": 0, "y": 10.5})]
    equal([next(listening)["request"] for _ in positions], [
        {"request": positions[0], "target": "top"}, {"request": positions[1], "target": "bottom"},
        {"request": positions[2], "target": "page", "page": 2},
        {"request": positions[3], "target": "offset", "x": 0, "y": 10.5}], "requests")
    respond = "org.scrolld.Recorder.Respond"
    feeder.wire.call(respond, session=feeder.session, request=positions[0], done=True)
    refused = feeder.wire.refusal(respond, session=feeder.session, request=positions[0], done=True)
    equal(refused.short_name, "NoSuchRequest", "a second response")
    # A listener that comes anew is told of what is not answered; the one before hears that it is not the one any more.
    newer = daemon.connect().stream("org.scrolld.Recorder.Requests", session=feeder.session)
    equal(next(newer), {}, "the first reply")
    equal([next(newer)["request"]["request"] for _ in positions[1:]], positions[1:], "requests that are not answered")
    try:
        next(listening)
        raise AssertionError("the older listener goes on")
    except Refused as refused:
        equal(refused.short_name, "RequestsTakenOver", "what the older listener hears")
    # What is asked of a client is no event: its state and its numbers are as before.
    feeder.feed(recordings()[0].events[:1])
    feeder.close()
    try:
        while next(newer):
            pass
        raise AssertionError("the listener goes on without its session")
    except Refused as refused:
        equal(refused.short_name, "SessionClosed", "what the listener hears")
