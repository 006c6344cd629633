"""Many clients at once, their events interleaved: each comes to what it comes to alone."""

from collections import defaultdict

from support.recordings import POLICIES, Feeder, cases, recordings
from support.runner import check, equal, randomness
from support.subscriber import Subscriber, happenings, history
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
