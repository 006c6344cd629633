"""Limits for each user: events a second, and memory for incomplete messages."""

import time

from support.daemon import Daemon, until
from support.recordings import Feeder, recordings
from support.users import NOBODY, SOMEBODY
from support.wire import Ended, Wire
from support.workspace import Workspace

INFO = "org.varlink.service.GetInfo"
APPEND = "org.scrolld.Recorder.Append"
EVENT = {"kind": "scroll", "time": 1, "x": 0, "y": 0}


def test_a_user_over_the_event_rate_is_throttled_and_disturbs_nobody(workspace: Workspace, as_user) -> None:
    daemon = workspace.daemon("[Limits]\nEventsPerSecondPerUserMax=1000\n")
    path = str(daemon.socket_path)

    def flood():
        with Wire(path) as wire, Wire(path) as second:
            feeder = Feeder(wire, "flood")
            started = time.monotonic()
            # The budget holds a second's worth, so the other events take two more seconds.
            for _ in range(10):
                wire.send(APPEND, {"session": feeder.session, "events": [EVENT] * 100}, oneway=True)
            feeder.next_number += 1000
            feeder.feed([EVENT] * 2000, batch=100)
            throttled = time.monotonic() - started
            second.call(INFO)
            return throttled, feeder.next_number

    outcome = {}

    def feed_as_somebody():
        with Wire(path) as wire:
            feeder = Feeder(wire, "other")
            feeder.feed(recordings()[0].events[:100])
            return feeder.next_number

    task = workspace.run_in_thread(lambda: outcome.update(flood=as_user(NOBODY, flood)))
    until(lambda: daemon.metric("users_held_back") > 0, "the user is throttled")
    started = time.monotonic()
    assert as_user(SOMEBODY, feed_as_somebody) == 101, "the other user's next number"
    other = time.monotonic() - started
    task.join()
    throttled, next_number = outcome["flood"]
    assert next_number == 3001, "the throttled user's next number"
    assert throttled > 1.9, f"3,000 events were taken in {throttled:.2f} s"
    assert other < throttled, f"the other user took {other:.2f} s, the throttled one {throttled:.2f} s"
    assert f"user {NOBODY} sends more than 1000 events per second and is throttled" in daemon.output(), (
        "the daemon does not log it")


def test_incomplete_messages_of_a_user_stay_within_the_memory_limit(workspace: Workspace, as_user) -> None:
    daemon = workspace.daemon("[Limits]\nMessageSizeMax=16M\n")
    path = str(daemon.socket_path)
    before = daemon.resident_bytes()

    def many_halves():
        size = 15 << 20
        wires = [Wire(path) for _ in range(30)]
        closed = 0
        for wire in wires:
            try:
                wire.send_raw(b" " * size)
            except (BrokenPipeError, ConnectionResetError):
                closed += 1
        with Wire(path) as wire:
            wire.call(INFO)
        for wire in wires:
            wire.socket.settimeout(0)
            try:
                closed += wire.socket.recv(1) == b""
            except (BlockingIOError, ConnectionResetError):
                pass
            wire.socket.settimeout(10)
        return closed

    closed = as_user(NOBODY, many_halves)
    # Four messages of 15 MiB fit into the 64 MiB that a user may hold.
    assert daemon.metric("connections_dropped") == 26, "connections that were closed"
    assert closed >= 26, f"only {closed} of the peers were disconnected"
    grown = daemon.resident_bytes() - before
    assert grown < 160 << 20, f"the daemon grew by {grown >> 20} MiB"
    # The daemon logs a user's first offence at once, and the closed connections only a minute later.
    assert "sends more than 33554432 bytes per second in incomplete messages" in daemon.output(), (
        "the daemon does not log it")


def test_a_client_disconnected_for_its_memory_can_resume_its_session(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Limits]\nBufferMax=4M\nMessageSizeMax=4M\n")
    feeder = Feeder(daemon.connect(), "large")
    feeder.feed([EVENT] * 10)
    other = daemon.connect()
    # Less than what the feeder's connection holds when the limit is exceeded.
    other.send_raw(b" " * (1 << 20))
    try:
        feeder.wire.send_raw(b" " * (4 << 20))
    except (BrokenPipeError, ConnectionResetError):
        pass  # closed while it was sending
    until(lambda: daemon.metric("connections_dropped") == 1, "a connection is closed")
    try:
        feeder.wire.expect_end()
    except (Ended, BrokenPipeError, ConnectionResetError):
        pass
    again = Feeder(daemon.connect(), "large", feeder.session)
    assert again.next_number == 11, "the next number after the loss"
    again.feed([EVENT] * 10)
