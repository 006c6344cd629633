"""Limits for each user: events and bytes a second, connections, and the memory for everything that a user makes the daemon keep."""

import os
import time
from pathlib import Path

import pytest

from support.daemon import Daemon, until
from support.recordings import Feeder, recordings
from support.users import NOBODY, SOMEBODY
from support.wire import Ended, Wire, message
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


def test_open_sessions_cost_their_own_memory_and_not_that_of_their_snapshots(workspace: Workspace) -> None:
    # The C library kept what snapshots and checkpoints took for a moment: 10,000 sessions were 61 MB.
    daemon = workspace.daemon("[Log]\nSync=never\n")
    count = 10_000
    wire = daemon.connect()
    opened = 0
    for first in range(0, count, 500):
        calls = [
            message("org.scrolld.Recorder.Open", {"client": f"reader/{number}", "session": f"{number:032}"})
            for number in range(first, first + 500)]
        wire.send_raw(b"".join(calls))
        for _ in calls:
            assert b'"error"' not in wire.receive_raw()
            opened += 1
    assert opened == count
    wire.call(INFO)
    wire.call("org.scrolld.Manager.Rotate")
    # Packing takes memory too, which it gives back.
    until(lambda: daemon.metric("unpacked_records") == 0, "the sealed segment is packed")

    def anonymous() -> int:
        lines = Path(f"/proc/{daemon.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon"))

    held = anonymous()
    assert held < 36 << 20, f"{count} sessions take {held >> 20} MiB"


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


#: What each stream is called with. The calls of a subscriber are padded with spaces, which the daemon need not keep.
STREAMS = {
    "List": {},
    "Subscribe": {},
    "Subscribe after": {"after": 1},
    "Subscribe frames": {"after": 1, "detail": "frames"},
    "Read": {"after": 0},
    "Get": {"client": "crowd0", "position": 2000},
}


@pytest.mark.parametrize("kind", STREAMS)
def test_unread_streams_stay_within_a_users_memory(workspace: Workspace, as_user, kind: str) -> None:
    # Without the limits, a hundred of these took from 1.4 to 3.8 GB.
    daemon = workspace.daemon("[Log]\nSync=never\n")
    path, pid = str(daemon.socket_path), daemon.pid

    def resident() -> int:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def open_crowd() -> None:
        with Wire(path) as wire:
            for first in range(0, 1500, 50):
                for index in range(first, first + 50):
                    wire.send("org.scrolld.Recorder.Open",
                              {"client": f"crowd{index}", "title": "t" * 4096, "application": "a" * 4096})
                for index in range(first, first + 50):
                    wire.receive()

    def stream() -> int:
        text = message(f"org.scrolld.Observer.{kind.split()[0]}", STREAMS[kind], more=True)
        padded = text[:-2] + b" " * 500_000 + text[-2:]
        wires, most = [], 0
        for _ in range(200):
            wire = Wire(path, receive_buffer=4096)
            try:
                wire.send_raw(padded)
            except (BrokenPipeError, ConnectionResetError):
                pass
            wires.append(wire)
            most = max(most, resident())
        # Each answer follows a turn of the streams.
        with Wire(path) as probe:
            for _ in range(300):
                probe.call(INFO)
                most = max(most, resident())
        return most

    as_user(NOBODY, open_crowd)
    with daemon.connect() as root:
        # Walks begin at the checkpoint at the head of the new file, which has all sessions.
        root.call("org.scrolld.Manager.Rotate")
    before = daemon.resident_bytes()
    most = as_user(NOBODY, stream)
    print(f"{kind}: the daemon grew by {(most - before) >> 20} MiB")
    assert most - before < 96 << 20, f"the daemon grew by {(most - before) >> 20} MiB"
    assert most < 512 << 20, f"the daemon took {most >> 20} MiB"
    with daemon.connect() as root:
        root.call(INFO)


def test_a_crowd_of_users_leaves_the_last_connections_to_administrators(workspace: Workspace, as_user) -> None:
    daemon = workspace.daemon("[Limits]\nConnectionsMax=64\n")
    path = str(daemon.socket_path)

    def fill() -> int:
        wires = []
        for _ in range(64):
            wire = Wire(path)
            try:
                wire.call(INFO)
                wires.append(wire)
            except (Ended, BrokenPipeError, ConnectionResetError):
                break
        with open(filled, "w", encoding="ascii") as file:
            file.write(str(len(wires)))
        while not os.path.exists(done):
            time.sleep(0.02)
        return len(wires)

    shared = workspace.directory / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    filled, done = shared / "filled", shared / "done"
    outcome = {}
    task = workspace.run_in_thread(lambda: outcome.update(count=as_user(NOBODY, fill)))
    until(filled.exists, "the user has all connections that it gets")

    def newcomer() -> bool:
        with Wire(path) as wire:
            wire.call(INFO)
            return True

    assert as_user(SOMEBODY, newcomer), "a user without a connection gets one"
    with daemon.connect() as root:
        root.call(INFO)
    done.touch()
    task.join()
    # The test itself may have one.
    assert 50 <= outcome["count"] <= 56, "all but an eighth"


def test_a_user_who_writes_many_bytes_is_throttled(workspace: Workspace, as_user) -> None:
    daemon = workspace.daemon("[Log]\nSync=never\n[Limits]\nBytesPerSecondPerUserMax=256K\n")
    path = str(daemon.socket_path)

    def flood() -> float:
        with Wire(path) as wire:
            started = time.monotonic()
            for index in range(96):
                wire.send("org.scrolld.Recorder.Open",
                          {"client": f"c{index % 4}", "title": "t" * 4096, "application": "a" * 4096})
            for _ in range(96):
                wire.receive()
            return time.monotonic() - started

    # 96 openings take 800 KB, of which the budget holds a second's worth.
    assert as_user(NOBODY, flood) > 1.9
    assert f"user {NOBODY} writes more than 262144 bytes per second to the log and is throttled" in daemon.output()


def test_a_long_method_name_does_not_fill_the_journal(daemon: Daemon, as_user) -> None:
    path = str(daemon.socket_path)

    def call() -> None:
        with Wire(path) as wire:
            wire.send("org.scrolld.Recorder." + "A" * 900_000, oneway=True)
            wire.call(INFO)

    before = len(daemon.output())
    as_user(NOBODY, call)
    until(lambda: "oneway org.scrolld.Recorder.AAA" in daemon.output(), "the refusal is logged")
    assert len(daemon.output()) - before < 2048
