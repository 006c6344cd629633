"""The daemon's system calls are killed, failed or interrupted one at a time: every acknowledged record survives."""

import concurrent.futures
import copy
import json
import re
import select
import shutil
import signal
import time
from pathlib import Path
from random import Random

import pytest

from support import programs
from support.daemon import PATIENCE, Daemon, until
from support.recordings import recordings
from support.subscriber import states
from support.tracing import signal_traced, start_traced
from support.wire import Ended, Wire
from support.workspace import Workspace

#: The calls that change files or inform others, between which a kill can make a difference.
CALLS = ("pwrite64", "fdatasync", "fsync", "rename", "renameat2", "ftruncate", "fallocate", "unlink", "openat", "sendmsg",
         "sendto", "pread64", "mkdir", "fstat")
#: The number of kills.
POINTS = 320
#: How many daemons run side by side.
AT_ONCE = 3

GONE = (Ended, BrokenPipeError, ConnectionResetError, ConnectionRefusedError, FileNotFoundError)


class Client:
    """One client's events by number, and the answers for them."""

    def __init__(self, index: int):
        self.name = f"calls/{index}"
        self.session = f"{index + 1:032x}"
        self._events = recordings()[index].events
        #: The acknowledged position of each number.
        self.answered: dict[int, int] = {}
        self.is_opened = False

    def events(self, first: int, count: int) -> list[dict]:
        return [dict(self._events[(number - 1) % len(self._events)]) for number in range(first, first + count)]


class Passing:
    """A session to forget: its positions, and whether the daemon was asked to forget it and has answered."""

    def __init__(self, turn: int):
        self.client = Client(turn)
        self.client.name, self.client.session = "calls/passing", f"{0xF0 + turn:032x}"
        self.positions = range(0)
        self.is_asked = self.is_answered = False


class Life:
    """The calls and answers of the clients in one life of the daemon, or in two, one after the other."""

    def __init__(self, removes: bool = True):
        self.clients = [Client(index) for index in range(3)]
        #: Whether the clients have records forgotten and removed.
        self.removes = removes
        self.passing: list[Passing] = []
        #: The first position of the log; `None` while the answer to a vacuum is missing.
        self.first: int | None = 1

    def feed(self, daemon: Daemon) -> None:
        """Opens, appends, begins segments, forgets and removes, until done or until the daemon ends."""
        with Wire(str(daemon.socket_path), timeout=PATIENCE) as wire:
            for client in self.clients:
                opened = wire.call("org.scrolld.Recorder.Open", client=client.name, session=client.session)
                client.is_opened = True
                # The log has every acknowledged event, and perhaps more of those that were sent.
                assert opened["nextNumber"] > max(client.answered, default=0), f"nextNumber of {client.name}: {opened}"
                self.append(wire, client, opened["nextNumber"], 12)
            for count in (1, 2, 5, 1, 40, 3):
                for client in self.clients:
                    self.append(wire, client, max(client.answered) + 1, count)
            wire.call("org.scrolld.Manager.Rotate")
            for client in self.clients[:2]:
                self.append(wire, client, max(client.answered) + 1, 7)
            if self.removes:
                self.forget(wire)
            # A resend, as by a client that lost the answer.
            again = self.clients[0]
            last = max(again.answered)
            answer = wire.call("org.scrolld.Recorder.Append", session=again.session, number=last - 3,
                               events=again.events(last - 3, 4))
            assert answer["position"] == again.answered[last], "the position in the answer to a resend"
            wire.call("org.scrolld.Manager.Rotate")
            self.append(wire, self.clients[1], max(self.clients[1].answered) + 1, 3)
            # Only in the second life, so that the first one's records can be lost.
            if self.removes and len(self.passing) == 2:
                self.remove(wire, daemon)

    def forget(self, wire: Wire) -> None:
        passing = Passing(len(self.passing))
        self.passing.append(passing)
        client = passing.client
        wire.call("org.scrolld.Recorder.Open", client=client.name, session=client.session)
        self.append(wire, client, 1, 5)
        # Includes the opening before and the closing after the events.
        passing.positions = range(client.answered[1] - 1, client.answered[5] + 2)
        passing.is_asked = True
        # A forgetting that an earlier kill interrupted does not add to this one's records.
        assert wire.call("org.scrolld.Manager.Forget", session=client.session)["records"] == 7, (
            "forgotten records")
        passing.is_answered = True

    def remove(self, wire: Wire, daemon: Daemon) -> None:
        # A packing at the same time would free space.
        until(lambda: daemon.metric("unpacked_records") == 0, "every sealed segment is packed")
        use = daemon.metric("log_bytes")
        self.first = None
        # One byte less than the log uses removes the oldest segment.
        first = wire.call("org.scrolld.Manager.Vacuum", maxUse=use - 1)["firstPosition"]
        assert first > 1, "nothing was removed"
        self.first = first

    def append(self, wire: Wire, client: Client, number: int, count: int) -> None:
        answer = wire.call("org.scrolld.Recorder.Append", session=client.session, number=number,
                           events=client.events(number, count))
        assert answer["durable"], "an answer with Sync=commit is not durable"
        for index in range(count):
            client.answered[number + index] = answer["position"] - count + 1 + index


def live(daemon: Daemon, life: Life) -> None:
    """Feeds a daemon for as long as it lives, then stops it."""
    try:
        daemon.wait_for_notification("READY=1")
        life.feed(daemon)
    except (AssertionError, *GONE):
        # The daemon was killed, as intended. Any other problem shows in the log.
        if daemon.process.poll() is None:
            daemon.process.wait(PATIENCE)
        return
    signal_traced(daemon, signal.SIGTERM)
    daemon.process.wait(PATIENCE)


def verify(workspace: Workspace, daemon: Daemon, life: Life, place: str) -> None:
    """Requires that each acknowledged record is at its position, and that the log holds only what was sent, without a gap."""
    daemon.start()
    first = daemon.call("org.scrolld.Manager.Statistics")["firstPosition"]
    if life.first is not None:
        assert first == life.first, f"{place}: the first position"
    clients = {client.session: client for client in life.clients + [passing.client for passing in life.passing]}
    # If a client's beginning was removed, its numbers follow the first that remains.
    numbers = {session: (0 if first == 1 else None) for session in clients}
    records: dict[str, list[dict]] = {session: [] for session in clients}
    forgettable = {position for passing in life.passing if passing.is_asked for position in passing.positions}
    forgotten = {passing.client.session for passing in life.passing if passing.is_answered}
    position = first - 1
    for reply in daemon.stream("org.scrolld.Observer.Read"):
        if "record" not in reply:
            continue
        position += 1
        while position < reply["position"] and position in forgettable:
            position += 1
        assert reply["position"] == position, f"{place}: the next position"
        session, record = reply["session"], reply["record"]
        assert session not in forgotten, f"{place}: the record at {position} is acknowledged as forgotten"
        records[session].append(record)
        if "number" not in reply:
            continue
        numbers[session] = reply["number"] if numbers[session] is None else numbers[session] + 1
        client, number = clients[session], numbers[session]
        assert reply["number"] == number, f"{place}: the next number of {client.name}"
        assert record == client.events(number, 1)[0], f"{place}: event {number} of {client.name}"
        assert client.answered.get(number, position) == position, f"{place}: the position of event {number}"
    present = {state["session"]: state for state in states(daemon)}
    with Wire(str(daemon.socket_path)) as wire:
        for client in life.clients:
            last = max(client.answered, default=0)
            assert (numbers[client.session] or 0) >= last, (
                f"{place}: event {last} of {client.name} was acknowledged and is lost")
            assert not client.is_opened or client.session in present, f"{place}: {client.name} was opened and is not open"
            if last:
                answer = wire.call("org.scrolld.Recorder.Append", session=client.session, number=last,
                                   events=client.events(last, 1))
                assert answer["position"] == client.answered[last], f"{place}: the answer to a resend of event {last}"
    require_folds(workspace, records, present, place)
    daemon.stop()


def require_folds(workspace: Workspace, records: dict, present: dict, place: str) -> None:
    """Requires that each state is the one that scrollctl folds from the session's records."""
    for session, state in present.items():
        # A session cannot be folded without its beginning.
        if not records[session] or records[session][0]["kind"] != "open":
            continue
        folded = programs.run("scrollctl", "--json", "fold", "-",
                              input="".join(json.dumps(record) + "\n" for record in records[session]))
        assert (folded.returncode, folded.stderr) == (0, ""), f"{place}: fold"
        last = folded.stdout.splitlines()[-1:] or ["{}"]
        transition = json.loads(last[0])
        for name in ("toolbar", "trigger", "reachBottom", "bottomLatch", "topButton", "pageIndex", "pageCount"):
            if name in transition:
                assert state.get(name) == transition[name], f"{place}: {name} of {state['client']}"


def prepare(workspace: Workspace, config: str | None = None, removes: bool = True) -> tuple[Path, Life]:
    """A log of several segments whose daemon was killed, so that each life begins with a recovery."""
    daemon = workspace.daemon(config, name="before")
    life = Life(removes)
    life.feed(daemon)
    daemon.kill()
    return daemon.state_directory, life


def copied(life: Life) -> Life:
    return copy.deepcopy(life)


def count_calls(
        workspace: Workspace, strace: str, before: Path, life: Life, config: str | None = None) -> dict[str, int]:
    """The largest number of each call that a thread makes in an undisturbed life."""
    daemon = workspace.daemon(config, name="counted", start=False)
    shutil.copytree(before, daemon.state_directory)
    output = daemon.directory / "calls"
    start_traced(daemon, strace, CALLS, output=str(output))
    live(daemon, copied(life))
    counts: dict[tuple[str, str], int] = {}
    for line in output.read_text().splitlines():
        found = re.match(r"(\d+) +(\w+)\(", line)
        if found:
            counts[found[1], found[2]] = counts.get((found[1], found[2]), 0) + 1
    most: dict[str, int] = {}
    for (_, call), count in counts.items():
        most[call] = max(most.get(call, 0), count)
    return most


def side_by_side(points: list, body) -> list:
    """Calls `body` for each point, some at a time. Returns the results, or raises the first error."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return [done.result() for done in concurrent.futures.as_completed([pool.submit(body, point) for point in points])]


@pytest.mark.timeout(600)
def test_a_daemon_killed_at_any_system_call_loses_nothing_acknowledged(
        workspace: Workspace, random: Random, strace: str) -> None:
    before, life = prepare(workspace)
    counts = count_calls(workspace, strace, before, life)
    assert counts.get("fdatasync", 0) > 10 and counts.get("pwrite64", 0) > 10, f"the calls are {counts}"
    every = [(call, number + 1) for call, count in sorted(counts.items()) for number in range(count)]
    # All calls that change files, and a sample of the others.
    chosen = [point for point in every if point[0] not in ("openat", "pread64", "fstat", "sendmsg", "sendto")]
    others = [point for point in every if point not in set(chosen)]
    chosen += random.sample(others, max(0, min(len(others), POINTS - len(chosen))))
    points = chosen
    while len(points) < POINTS:
        points = points + random.sample(chosen, min(len(chosen), POINTS - len(points)))

    def body(numbered) -> None:
        index, (call, number) = numbered
        daemon = Daemon(workspace.directory / f"point-{index}")
        try:
            shutil.copytree(before, daemon.state_directory)
            own = copied(life)
            start_traced(daemon, strace, CALLS, f"{call}:signal=KILL:when={number}")
            live(daemon, own)
            verify(workspace, daemon, own, f"{call} {number}")
        finally:
            daemon.close()
            shutil.rmtree(daemon.directory, ignore_errors=True)

    side_by_side(list(enumerate(points)), body)


def whole_calls(text: str) -> list[str]:
    """The calls in strace's output, in the order of their beginnings.

    strace prints a call in two parts if another thread's call interrupts it. The second part has the result.
    """
    lines = []
    unfinished = {}
    for line in text.splitlines():
        thread = line.split(maxsplit=1)[0]
        if line.endswith("<unfinished ...>"):
            unfinished[thread] = len(lines)
            lines.append(line.removesuffix("<unfinished ...>"))
        elif " resumed>" in line and thread in unfinished:
            lines[unfinished.pop(thread)] += line.split(" resumed>", 1)[1]
        else:
            lines.append(line)
    return lines


@pytest.mark.timeout(300)
def test_a_failed_sync_is_never_acknowledged_and_ends_the_daemon(workspace: Workspace, strace: str) -> None:
    # strace counts calls per thread, and a failed sync of the packing thread does not end the daemon.
    config = "[Log]\nCompress=no\n"
    # Neither does a failed sync while forgetting or removing, which clients repeat.
    before, life = prepare(workspace, config, removes=False)
    counts = count_calls(workspace, strace, before, life, config)
    points = [(call, number + 1) for call in ("fdatasync", "fsync") for number in range(counts.get(call, 0))]
    assert len(points) > 12, f"the calls are {counts}"

    def body(numbered) -> bool:
        """Whether the sync with this number was made, and so failed."""
        index, (call, number) = numbered
        daemon = Daemon(workspace.directory / f"failing-{index}", config)
        try:
            shutil.copytree(before, daemon.state_directory)
            own = copied(life)
            output = daemon.directory / "calls"
            # Only once: a second attempt would succeed, although the data is lost.
            start_traced(daemon, strace, CALLS, f"{call}:error=EIO:when={number}", output=str(output))
            live(daemon, own)
            syncs = [line for line in whole_calls(output.read_text()) if "sync(" in line]
            failed = [index for index, line in enumerate(syncs) if "(INJECTED)" in line]
            assert len(failed) <= 1, f"{call} {number}: calls that failed"
            if not failed:
                # Which thread syncs, and how many appends share a sync, is decided by the disk's pace in each life anew.
                assert daemon.process.returncode == 0, f"no {call} failed: {daemon.output()}"
                verify(workspace, daemon, own, f"without a {call} {number}")
                return False
            # A failed sync of a snapshot is harmless: without the snapshot, the next start reads the segment.
            if not any(".snapshots>" in line for line in syncs[max(0, failed[0] - 1) : failed[0] + 1]):
                what = syncs[failed[0]]
                assert "Input/output error" in daemon.output(), f"{what}: the daemon does not report it: {daemon.output()}"
                assert daemon.process.returncode != 0, f"{what}: the daemon exits with 0"
            verify(workspace, daemon, own, f"{call} {number} failed")
            return True
        finally:
            daemon.close()
            shutil.rmtree(daemon.directory, ignore_errors=True)

    reached = side_by_side(list(enumerate(points)), body)
    assert sum(reached) > len(points) * 2 // 3, f"only {sum(reached)} of {len(points)} syncs were made, and so failed"


@pytest.mark.timeout(120)
def test_interrupted_system_calls_are_completed(workspace: Workspace, strace: str) -> None:
    before, life = prepare(workspace)
    daemon = workspace.daemon(name="interrupted", start=False)
    shutil.copytree(before, daemon.state_directory)
    own = copied(life)
    # The first reads are the dynamic loader's, which does not retry.
    start_traced(daemon, strace, CALLS, "pwrite64,fdatasync,fsync,ftruncate,fallocate,rename:error=EINTR:when=2+3",
                 "pread64:error=EINTR:when=30+3")
    live(daemon, own)
    assert daemon.process.returncode == 0, f"exit status: {daemon.output()}"
    assert len(own.clients[1].answered) > len(life.clients[1].answered), "nothing was appended"
    verify(workspace, daemon, own, "interrupted")


#: How long each sync of a disk that hangs takes, in seconds.
HANG = 1.5


@pytest.mark.timeout(120)
def test_a_disk_that_hangs_holds_reads_up_for_one_sync_at_most(workspace: Workspace, strace: str) -> None:
    daemon = workspace.daemon(name="hanging", start=False)
    # At first it is fast, so that the loop syncs by itself for a single feeder, as long as it can know no better.
    start_traced(daemon, strace, ["fdatasync"], f"fdatasync:delay_enter={round(HANG * 1_000_000)}:when=100+")
    daemon.wait_for_notification("READY=1")
    feeder, reader = daemon.connect(), daemon.connect()
    session = feeder.call("org.scrolld.Recorder.Open", client="hanging")["session"]
    held_up, hung, number = 0, 0, 0
    while hung < 4:
        number += 1
        assert number < 200, "no sync has hung"
        began = time.monotonic()
        feeder.send("org.scrolld.Recorder.Append", {
            "session": session, "number": number, "events": [{"kind": "scroll", "time": number, "x": 0, "y": number}]})
        while not select.select([feeder.socket], [], [], 0)[0]:
            asked = time.monotonic()
            reader.call("org.scrolld.Observer.Get", client="hanging")
            held_up += time.monotonic() - asked > HANG / 2
        assert feeder.answer()["durable"]
        hung += time.monotonic() - began > HANG * 0.9
    assert held_up <= 1, f"{held_up} reads waited for the disk"
    signal_traced(daemon, signal.SIGTERM)
