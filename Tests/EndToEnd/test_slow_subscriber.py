"""Subscribers and clients that read slowly or not at all."""

import time

import pytest

from support.daemon import Daemon
from support.recordings import Feeder
from support.wire import Wire
from support.workspace import Workspace

#: Enough that their transitions exceed the buffers of the kernel and the daemon.
EVENTS = 40_000
BATCH = 500

CONFIG = "[Limits]\nOutputMax=64K\n[Policy flipping]\nRule=classic\nClients=*\n"


def flips(count: int) -> list[dict]:
    """Events that each toggle the toolbar under the classic rule."""
    return [{"kind": "scroll", "time": number, "x": 0, "y": 0, "translationY": 1 if number % 2 else -1}
            for number in range(count)]


def feed_timed(feeder: Feeder, events: list[dict]) -> float:
    started = time.monotonic()
    feeder.feed(events, batch=BATCH)
    return time.monotonic() - started


def require_every_transition(replies: list[dict], client: str, first: int) -> None:
    """Requires a transition for each event, at consecutive positions, since each event toggled the toolbar."""
    positions = [reply["transition"]["position"] for reply in replies
                 if "transition" in reply and reply["transition"]["client"] == client]
    assert positions == list(range(first, first + EVENTS)), f"positions of the transitions of {client}"


@pytest.mark.timeout(180)
def test_a_slow_subscriber_delays_nobody_and_gets_every_transition_once(workspace: Workspace) -> None:
    daemon = workspace.daemon(CONFIG)
    events = flips(EVENTS)
    alone = feed_timed(Feeder(daemon.connect(), "before"), events)
    before = daemon.resident_bytes()

    stopped = [Wire(str(daemon.socket_path), timeout=60, receive_buffer=4096) for _ in range(3)]
    for wire, parameters in zip(stopped, ({}, {"detail": "frames"}, {"after": EVENTS + 1})):
        wire.send("org.scrolld.Observer.Subscribe", {**parameters, "clients": ["measured", "last"]}, more=True)
        workspace.add_finalizer(wire.close)
    # One of them reads a few replies now and then.
    slow_reader = stopped[0]
    while not slow_reader.answer().get("caughtUp"):
        pass
    quick = workspace.subscribe(daemon, clients=["measured", "last"])
    quick.wait_until_caught_up()

    feeder = Feeder(daemon.connect(), "measured")
    opened = daemon.statistics()["lastPosition"]
    slowly_read = []
    seconds = 0.0
    for start in range(0, EVENTS, EVENTS // 10):
        seconds += feed_timed(feeder, events[start : start + EVENTS // 10])
        slowly_read += [slow_reader.answer() for _ in range(20)]
    # Ten times as long would mean waiting for a subscriber. Other load on the machine can explain less.
    assert seconds < 10 * alone + 2, f"feeding took {seconds:.2f} s beside slow subscribers, {alone:.2f} s without"
    Feeder(daemon.connect(), "last")
    live = quick.wait(lambda replies: replies[-1].get("opened", {}).get("client") == "last", "the last opening")
    require_every_transition(live, "measured", opened + 1)
    assert daemon.metric("subscribers_fallen_behind") >= 2, "no subscriber fell behind, so the test proves nothing"
    grown = daemon.resident_bytes() - before
    assert grown < 64 << 20, f"the daemon holds {grown >> 20} MiB more for subscribers that don't read"

    for wire, replies in ((slow_reader, slowly_read), (stopped[1], []), (stopped[2], [])):
        while not (replies and replies[-1].get("opened", {}).get("client") == "last"):
            replies.append(wire.answer())
        require_every_transition(replies, "measured", opened + 1)
        positions = [reply["position"] for reply in replies if "state" not in reply]
        assert positions == sorted(positions), "positions in order"
    # The daemon merged frames that were not read in time into the newest.
    frames = [reply for reply in replies if "state" in reply]
    assert len(frames) < EVENTS, "the daemon kept every frame for a subscriber that did not read"
    # All subscribers are live again.
    feeder.feed(flips(2)[:1])
    for wire in stopped:
        while wire.answer()["position"] < opened + 1 + EVENTS:
            pass


def test_a_slow_subscriber_to_frames_ends_with_the_newest_state(workspace: Workspace) -> None:
    daemon = workspace.daemon(CONFIG)
    wire = Wire(str(daemon.socket_path), timeout=60, receive_buffer=4096)
    workspace.add_finalizer(wire.close)
    wire.send("org.scrolld.Observer.Subscribe", {"detail": "frames"}, more=True)
    while not wire.answer().get("caughtUp"):
        pass
    feeder = Feeder(daemon.connect(), "framed")
    # After the first event, only the offset changes.
    events = [{"kind": "scroll", "time": number, "x": 0, "y": number, "translationY": -1} for number in range(EVENTS)]
    feeder.feed(events, batch=BATCH)
    states = []
    while not states or states[-1]["y"] != EVENTS - 1:
        reply = wire.answer()
        if "state" in reply:
            states.append(reply["state"])
    offsets = [state["y"] for state in states]
    assert offsets == sorted(set(offsets)), "increasing offsets of the frames"
    assert states[-1] == daemon.call("org.scrolld.Observer.Get", client="framed")["state"], "the last frame"


def test_a_client_that_reads_no_answers_is_not_read_from_without_end(workspace: Workspace, daemon: Daemon) -> None:
    wire = Wire(str(daemon.socket_path), receive_buffer=4096)
    workspace.add_finalizer(wire.close)
    wire.socket.setblocking(False)
    call = b'{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.scrolld.Observer"}}\0'
    sent = 0
    try:
        while sent < 64 << 20:
            sent += wire.socket.send(call * 100)
        raise AssertionError("the daemon read 64 MiB of calls while no answer was read")
    except BlockingIOError:
        pass
    daemon.call("org.varlink.service.GetInfo")
    assert daemon.resident_bytes() < 128 << 20, "the daemon holds too much memory for a client that does not read"
