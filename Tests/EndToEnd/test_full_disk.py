"""Full disks: a tmpfs, and an ext4 with a journal on a loop device."""

import json
import os
import subprocess
from pathlib import Path
from random import Random
from typing import Optional

import pytest

from support import programs
from support.daemon import Daemon, until
from support.disks import Disks, fill
from support.formats import is_packed
from support.recordings import Feeder, recordings
from support.subscriber import Subscriber, occurrences, history, states
from support.wire import Refused, Wire
from support.workspace import Workspace

APPEND = "org.scrolld.Recorder.Append"
CLOSE = "org.scrolld.Recorder.Close"
OPEN = "org.scrolld.Recorder.Open"
READ = "org.scrolld.Observer.Read"
STATISTICS = "org.scrolld.Manager.Statistics"

COMPLAINT = "appends are refused until there is space"


def events() -> list[dict]:
    return recordings()[0].events


def records(daemon: Daemon, **parameters) -> list[dict]:
    return [reply for reply in daemon.stream(READ, **parameters) if "record" in reply]


class Readers:
    """Clients that scroll to random places, so that their events pack badly, and every answer that they got."""

    def __init__(self, daemon: Daemon, random: Random):
        self.daemon = daemon
        self.random = random
        self.wire = daemon.connect()
        #: The next number of each open session.
        self.next: dict[str, int] = {}
        #: Position and event, by session and number.
        self.stored: dict[tuple[str, int], tuple[int, dict]] = {}
        #: The last acknowledged call, and its answer.
        self.last: tuple[dict, dict] = ({}, {})
        self._turn = 0
        for index in range(4):
            self._open(f"reader/{index}")
        #: Sessions with an event each, to be closed on a full disk.
        self.spare = [self._open_spare(f"spare/{index}") for index in range(6)]

    def _open(self, client: str) -> None:
        self.next[self.wire.call(OPEN, client=client)["session"]] = 1

    def _open_spare(self, client: str) -> str:
        session, event = self.wire.call(OPEN, client=client)["session"], self.event(1)
        answer = self.wire.call(APPEND, session=session, number=1, events=[event])
        self.stored[session, 1] = (answer["position"], event)
        return session

    def reconnect(self) -> None:
        """Reconnects to a restarted daemon, which must know every acknowledged event of each session."""
        self.wire = self.daemon.connect()
        for session, number in self.next.items():
            client = next(state["client"] for state in states(self.daemon) if state["session"] == session)
            answer = self.wire.call(OPEN, client=client, session=session)
            assert answer["nextNumber"] == number, f"nextNumber of {client}"

    def event(self, number: int) -> dict:
        time = 1_700_000_000_000_000 + number * 16_000
        if number == 1:
            return {"kind": "layout", "time": time, "contentWidth": 400.0, "contentHeight": 20_000.0,
                    "frameWidth": 400.0, "frameHeight": 800.0}
        return {"kind": "scroll", "time": time, "x": self.random.random(), "y": self.random.random() * 19_000,
                "translationX": self.random.random(), "translationY": self.random.random() - 0.5}

    def append(self, count: int) -> Optional[Refused]:
        """Appends events to one of the sessions; returns the error if the daemon refuses them."""
        self._turn += 1
        session = list(self.next)[self._turn % len(self.next)]
        first = self.next[session]
        events = [self.event(first + index) for index in range(count)]
        call = {"session": session, "number": first, "events": events}
        try:
            answer = self.wire.call(APPEND, **call)
        except Refused as refused:
            return refused
        assert answer["durable"] is True, "durable"
        for index, event in enumerate(events):
            self.stored[session, first + index] = (answer["position"] - count + 1 + index, event)
        self.next[session] = first + count
        self.last = (call, answer)
        if self._turn % 400 == 0:
            self._reopen(session)
        return None

    def _reopen(self, session: str) -> None:
        """Closes a session and opens another if there is space."""
        try:
            self.wire.call(CLOSE, session=session)
            del self.next[session]
            self._open(f"reader/{self._turn}")
        except Refused as refused:
            assert refused.short_name == "NoSpace", "the error of Close or Open"

    def fill(self) -> None:
        """Appends until there is no space for even one event, and packing frees none."""
        idle = 0
        while idle < 3:
            before = len(self.stored)
            for count in (64, 8, 1):
                for _ in range(100_000):
                    refused = self.append(count)
                    if refused:
                        assert refused.short_name == "NoSpace", "the error of Append"
                        break
                else:
                    raise AssertionError("the disk never became full")
            isPacking = any(self.daemon.log_directory.glob("*.tmp"))
            idle = 0 if isPacking or len(self.stored) > before else idle + 1

    def require_full(self) -> None:
        """Requires that the daemon refuses every write and recognizes a resend."""
        for count in (1, 64):
            assert self.append(count).short_name == "NoSpace", "the error of Append"
        assert self.wire.refusal(OPEN, client="another").short_name == "NoSpace", "the error of Open"
        # The block of a closing is shorter than that of an event, so it may fit where no event does; two of them don't.
        if not self._close_spare():
            assert self._close_spare().short_name == "NoSpace", "the error of Close"
        self.send_again()

    def _close_spare(self) -> Optional[Refused]:
        """Closes a session; returns the error if the daemon refuses it."""
        try:
            self.wire.call(CLOSE, session=self.spare[-1])
        except Refused as refused:
            return refused
        self.spare.pop()
        return None

    def send_again(self) -> None:
        call, answer = self.last
        again = self.wire.call(APPEND, **call)
        generation = self.daemon.statistics()["generation"]
        assert again == {**answer, "generation": generation}, "the answer to a resend"

    def require_stored(self) -> list[dict]:
        """Requires that the log holds exactly the acknowledged events, each at its position, next to openings and closings."""
        found = records(self.daemon)
        assert [record["position"] for record in found] == list(range(1, len(found) + 1)), "positions"
        numbered = {(record["session"], record["number"]): (record["position"], record["record"])
                    for record in found if "number" in record}
        assert len(numbered) == len(self.stored), "events in the log"
        assert numbered == self.stored, "whether the events in the log are the acknowledged ones, at their positions"
        return found


def raw_replies(daemon: Daemon) -> dict[str, bytes]:
    """The raw replies with the log, everything that a subscriber hears, and the states of the open sessions."""
    found = {}
    for method, parameters, last in (
        (READ, {}, None), ("org.scrolld.Observer.List", {}, None),
        ("org.scrolld.Observer.Subscribe", {"after": 0}, b'"caughtUp":true'),
    ):
        with Wire(str(daemon.socket_path)) as wire:
            wire.send(method, parameters, more=True)
            replies = [wire.receive_raw()]
            while last not in replies[-1] if last else b'"continues":true' in replies[-1]:
                replies.append(wire.receive_raw())
        found[method] = b"\n".join(replies)
    return found


def require_same(daemon: Daemon, before: dict[str, bytes], what: str) -> None:
    """Requires the same replies as before."""
    for method, replies in raw_replies(daemon).items():
        assert replies == before[method], f"the replies to {method} differ {what}"


def require_folds(workspace: Workspace, daemon: Daemon) -> None:
    """Requires that scrollctl folds each session to the transitions that the daemon reports."""
    told: dict[str, list[dict]] = {}
    for reply in history(daemon):
        if "transition" in reply:
            transition = reply["transition"]
            told.setdefault(transition["session"], []).append(
                {name: transition.get(name) for name in ("time", "toolbar", "trigger", "topButton", "changed", "reason")})
    directory = workspace.directory / "exported"
    exported = workspace.scrollctl(daemon, "--json", "export", "--output", str(directory))
    assert (exported.returncode, exported.stderr) == (0, ""), "export"
    files = {line["session"]: line["file"] for line in map(json.loads, exported.stdout.splitlines())}
    for session, file in files.items():
        folded = workspace.scrollctl(None, "--json", "fold", file)
        assert (folded.returncode, folded.stderr) == (0, ""), "fold"
        found = [{name: line.get(name) for name in ("time", "toolbar", "trigger", "topButton", "changed", "reason")}
                 for line in map(json.loads, folded.stdout.splitlines())]
        assert found == told[session], f"the fold of {file}"


def require_no_copies(workspace: Workspace, daemon: Daemon, disk: Path) -> None:
    """Requires that copies to the full disk fail with a reason and leave nothing behind."""
    def files() -> list[Path]:
        """All files, except for what the daemon may be about to compress at any time."""
        return sorted(path for path in disk.rglob("*") if not path.name.endswith(".scrolllog.tmp"))

    before = files()
    room = os.statvfs(disk).f_bavail
    backup = workspace.scrollctl(daemon, "backup", str(disk / "backup"))
    export = workspace.scrollctl(daemon, "export", "--output", str(disk / "recordings"))
    with open(disk / "recordings.ndjson", "wb") as output:
        stream = subprocess.run([programs.path("scrollctl"), "--socket", str(daemon.socket_path), "export"],
                                stdout=output, stderr=subprocess.PIPE, text=True, env=programs.environment())
    for name, result in (("backup", backup), ("export --output", export), ("export", stream)):
        assert result.returncode == 1, f"exit status of {name}"
        assert "No space left on device" in result.stderr, f"{name} prints {result.stderr!r}"
    # The redirection created this file.
    (disk / "recordings.ndjson").unlink()
    assert files() == before, "files"
    assert os.statvfs(disk).f_bavail == room, "free blocks"


@pytest.mark.timeout(180)
@pytest.mark.parametrize("compress", ["yes", "no"])
def test_acknowledged_events_survive_a_crash_a_stop_and_starts_on_a_full_ext4(
        workspace: Workspace, disks: Disks, random: Random, compress: str) -> None:
    disk = disks.ext4("24m")
    ballast = disk / "ballast"
    fill(ballast, room=3 << 20)
    config = f"[Log]\nSync=commit\nCompress={compress}\nSegmentSize=1M\nKeepFree=0\nMaxUse=1T\n"
    daemon = workspace.daemon(config, state_directory=disk / "state")
    readers = Readers(daemon, random)
    subscriber = Subscriber(str(daemon.socket_path), after=0)
    readers.fill()
    assert COMPLAINT in daemon.output(), "the daemon does not report that the disk is full"

    # Everything except for writing continues.
    readers.require_full()
    before = raw_replies(daemon)
    found = readers.require_stored()
    last = found[-1]["position"]
    assert len(daemon.segments()) > 2, "the log has too few segments"
    happened = history(daemon)
    heard = subscriber.wait_for_position(happened[-1]["position"])
    assert occurrences(heard) == happened, "what the subscriber heard"
    state = daemon.call("org.scrolld.Observer.Get", client="reader/0", position=last // 2)["state"]
    assert state["position"] <= last // 2, f"a past state: {state}"
    require_no_copies(workspace, daemon, disk)

    # A crash, a start, a clean stop and another start, each without a free block.
    daemon.kill()
    fill(disk / "rest")
    printed = len(daemon.output())
    daemon.start()
    assert "not shut down cleanly, and the disk is full" in daemon.output()[printed:], (
        f"the daemon printed {daemon.output()[printed:]}")
    require_same(daemon, before, "after a crash on the full disk")
    readers.reconnect()
    readers.send_again()
    daemon.stop()
    printed = len(daemon.output())
    daemon.start()
    assert "not shut down cleanly" not in daemon.output()[printed:], f"the stop was not clean: {daemon.output()[printed:]}"
    require_same(daemon, before, "after a stop on the full disk")
    readers.reconnect()
    readers.fill()
    readers.require_full()
    before = raw_replies(daemon)
    daemon.stop()
    checked = workspace.scrollctl(None, "verify", str(daemon.state_directory))
    assert checked.returncode == 0, f"exit status of verify: {checked.stdout}{checked.stderr}"
    daemon.start()
    require_same(daemon, before, "after another stop on the full disk")

    # The daemon notices by itself that there is space again.
    readers.reconnect()
    readers.fill()
    readers.require_full()
    (disk / "rest").unlink()
    ballast.unlink()
    for _ in range(400):
        assert readers.append(64) is None, "an append after freeing space"
    assert "there is space again" in daemon.output(), "the daemon does not report that there is space again"
    if compress == "yes":
        daemon.call("org.scrolld.Manager.Rotate")
        until(lambda: all(map(is_packed, daemon.segments()[:-1])),
              "every sealed segment is packed, including those that had no space before")
    found, present = readers.require_stored(), states(daemon)
    require_folds(workspace, daemon)

    # Retention keeps what it must, and nothing else.
    daemon.config_path.write_text(config.replace("MaxUse=1T", "MaxUse=2M"))
    daemon.call("org.scrolld.Manager.Reload")
    until(lambda: daemon.metric("segments_removed") > 0, "the log is trimmed")
    first = until(lambda: daemon.call(STATISTICS)["firstPosition"], "there is a first position")
    assert first > 1, f"the log begins at {first}"
    assert records(daemon, after=first - 1) == found[first - 1 :], "the remaining records"
    assert states(daemon) == present, "states after retention"
    # With KeepFree=, the log never fills the disk.
    daemon.config_path.write_text(config.replace("KeepFree=0", "KeepFree=4M"))
    daemon.stop()
    fill(ballast, room=6 << 20)
    daemon.start()
    readers.reconnect()
    for _ in range(2500):
        assert readers.append(64) is None, "an append to a log that is trimmed"
    assert daemon.metric("segments_removed") > 0, "KeepFree= removed nothing"
    # Between two checks, the log may grow by a segment and the space reserved ahead.
    room = os.statvfs(disk)
    assert room.f_bavail * room.f_frsize > 2 << 20, f"{room.f_bavail} blocks are free"
    daemon.stop()
    checked = workspace.scrollctl(None, "verify", str(daemon.state_directory))
    assert checked.returncode == 0, f"exit status of verify: {checked.stdout}{checked.stderr}"


def test_a_full_disk_refuses_appends_only_and_recovers_by_itself(workspace: Workspace, disks: Disks) -> None:
    disk = disks.tmpfs("3m")
    ballast = disk / "ballast"
    ballast.write_bytes(b"x" * (2 << 20))
    # Small segments would be packed, and a packed log holds millions of events here.
    daemon = workspace.daemon("[Log]\nCompress=no\nMaxUse=1G\nSegmentSize=64M\n", state_directory=disk / "state")
    wire = daemon.connect()
    feeder = Feeder(wire, "full")
    listener = daemon.connect()
    replies = listener.stream("org.scrolld.Observer.Subscribe")
    while not next(replies).get("caughtUp"):
        pass
    cycle = events()[:60]

    def append_until_full() -> None:
        # If many events don't fit, a few may.
        for count in (60, 1):
            for _ in range(100_000):
                refused = try_append(count)
                if refused:
                    assert refused.name == "org.scrolld.Recorder.NoSpace", "the error"
                    break
            else:
                raise AssertionError("the disk never became full")

    def next_events(count: int) -> list[dict]:
        return [cycle[(feeder.next_number - 1 + index) % len(cycle)] for index in range(count)]

    def try_append(count: int):
        try:
            answer = wire.call("org.scrolld.Recorder.Append", session=feeder.session, number=feeder.next_number,
                               events=next_events(count))
        except Refused as refused:
            return refused
        for index in range(count):
            feeder.positions[feeder.next_number + index] = answer["position"] - count + 1 + index
        feeder.next_number = answer["nextNumber"]
        return None

    append_until_full()
    complaints = daemon.output().count(COMPLAINT)
    assert complaints >= 1, "the daemon does not report that the disk is full"
    last = daemon.statistics()["lastPosition"]
    for _ in range(3):
        assert try_append(1).short_name == "NoSpace", "an append succeeded on a full disk"
        refused = wire.refusal("org.scrolld.Recorder.Open", client="another")
        assert refused.short_name == "NoSpace", "the error of Open"
    # The daemon refuses and counts oneway calls, too.
    wire.send("org.scrolld.Recorder.Append",
              {"session": feeder.session, "number": feeder.next_number, "events": next_events(60)}, oneway=True)
    # Everything else continues.
    assert wire.call("org.scrolld.Observer.Get", client="full")["state"]["position"] == last, "position of the state"
    assert len(records(daemon)) == last, "records"
    assert daemon.statistics()["lastPosition"] == last, "the last position"
    assert daemon.metric("oneway_calls_refused") >= 1, "the oneway call is not counted"
    assert daemon.output().count(COMPLAINT) == complaints, "reports of the full disk: one, not one per call"
    # As soon as there is space, appends continue with the next number and position.
    ballast.unlink()
    answer = wire.call("org.scrolld.Recorder.Open", client="full", session=feeder.session)
    assert answer["nextNumber"] == feeder.next_number, "nextNumber"
    assert try_append(60) is None, "an append after freeing space"
    assert min(position for position in feeder.positions.values() if position > last) == last + 1, "the next position"
    assert "there is space again" in daemon.output(), "the daemon does not report that there is space again"
    # The disk fills again, and this time the daemon is killed.
    append_until_full()
    before = (records(daemon), states(daemon))
    daemon.kill()
    disks.resize_tmpfs(disk, "12m")
    daemon.start()
    assert (records(daemon), states(daemon)) == before, "records and states after a crash on a full disk"
    assert (
        [reply["record"] for reply in before[0] if "number" in reply]
        == [cycle[index % len(cycle)] for index in range(feeder.next_number - 1)]
    ), "the stored events"
    assert {reply["number"]: reply["position"] for reply in before[0] if "number" in reply} == feeder.positions, (
        "positions of the stored events")


def test_a_killed_daemon_starts_on_a_full_disk_and_stops_cleanly(workspace: Workspace, disks: Disks) -> None:
    disk = disks.tmpfs("8m")
    daemon = workspace.daemon(state_directory=disk / "state")
    Feeder(daemon.connect(), "full").feed(events())
    before = records(daemon)
    daemon.kill()
    ballast = disk / "ballast"
    fill(ballast)
    daemon.start()
    assert "the disk is full: rewrote" in daemon.output(), f"the daemon does not report the full disk: {daemon.output()}"
    assert records(daemon) == before, "records on the full disk"
    daemon.stop()
    daemon.start()
    assert records(daemon) == before, "records after a restart on the full disk"
    ballast.unlink()
    Feeder(daemon.connect(), "later").feed(events())
    after = records(daemon)
    assert after[: len(before)] == before, "records after freeing space"
    assert len(after) > len(before), "nothing was appended after freeing space"
