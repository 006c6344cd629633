"""Damaged logs: flipped bits, torn tails, and other things in the place of files."""

import os
import re
from random import Random

import pytest
from support.daemon import Daemon, until
from support.formats import FIRST_BLOCK, FIRST_PAYLOAD, Block, SegmentHeader, aligned, content_end, flip_bit
from support.recordings import Feeder, recordings
from support.subscriber import history, states
from support.wire import Refused
from support.workspace import Workspace

READ = "org.scrolld.Observer.Read"


def events() -> list[dict]:
    return recordings()[0].events


def records(daemon, **parameters) -> list[dict]:
    return [reply for reply in daemon.stream(READ, **parameters) if "record" in reply]


def test_damage_to_synced_bytes_stops_the_start_with_65_and_verify_finds_it(workspace: Workspace, random: Random) -> None:
    daemon = workspace.daemon()
    feeder = Feeder(daemon.connect(), "damaged")
    feeder.feed(events(), batch=10, at_once=1)
    before = history(daemon)
    daemon.stop()
    [segment] = daemon.segments()
    whole = segment.read_bytes()
    # The last blocks record that everything in the first half was synced.
    offsets = [random.randrange(FIRST_PAYLOAD, content_end(segment) // 2) for _ in range(12)]
    for offset in (SegmentHeader.MAGIC, FIRST_BLOCK + Block.MAGIC, *offsets):
        segment.write_bytes(whole)
        flip_bit(segment, offset)
        damaged = segment.read_bytes()
        printed = len(daemon.output())
        daemon.spawn()
        assert daemon.wait() == 65, f"exit status with byte {offset} flipped: {daemon.output()[printed:]}"
        message = daemon.output()[printed:]
        found = re.search(re.escape(str(segment)) + r", byte (\d+)", message)
        assert found, f"file and byte are not named: {message}"
        assert int(found[1]) <= offset, f"byte {found[1]} is named, byte {offset} was flipped"
        assert "scrollctl repair" in message, f"the message does not name scrollctl repair: {message}"
        assert segment.read_bytes() == damaged, "bytes of the segment after the failed start"
        result = workspace.scrollctl(None, "verify", str(daemon.state_directory))
        assert result.returncode == 1, f"exit status of verify: {result.stdout}{result.stderr}"
        assert f"{segment.name}: byte {found[1]}:" in result.stdout, f"verify prints {result.stdout}"
    segment.write_bytes(whole)
    assert workspace.scrollctl(None, "verify", str(daemon.state_directory)).returncode == 0, "exit status of verify"
    daemon.start()
    assert history(daemon) == before, "the history after restoring the bytes"


def test_scrollctl_repair_sets_damage_aside_and_the_daemon_starts_again(workspace: Workspace, daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "repaired")
    feeder.feed(events(), batch=10, at_once=1)
    before = records(daemon)
    result = workspace.scrollctl(None, "repair", str(daemon.state_directory))
    assert result.returncode == 1, "exit status of repair while the daemon runs"
    daemon.stop()
    [segment] = daemon.segments()
    offset = content_end(segment) // 2
    flip_bit(segment, offset)
    damaged = segment.read_bytes()
    result = workspace.scrollctl(None, "repair", str(daemon.state_directory))
    assert result.returncode == 0, f"exit status of repair: {result.stderr}"
    kept = b"".join(path.read_bytes() for path in sorted(daemon.state_directory.rglob("*")) if path.is_file())
    tail = damaged[offset : content_end(segment) if segment.exists() else offset + 64][:64]
    assert tail in kept, "the damaged part is lost"
    daemon.start()
    # What is lost stays lost, and what checks is kept, on both sides.
    left, gap = [], None
    try:
        for reply in daemon.connect().stream(READ):
            left.append(reply)
    except Refused as refused:
        gap = refused
    assert gap and gap.short_name == "LogDamaged", "the gap"
    behind = records(daemon, after=gap.parameters["next"] - 1)
    assert left == before[: len(left)] and left, "the records before the gap"
    assert behind == before[len(before) - len(behind) :] and behind, "the records behind the gap"
    assert len(left) + len(behind) < len(before), "nothing was lost"
    assert daemon.statistics()["generation"] > feeder.generation, "the generation did not change although records were lost"
    verified = workspace.scrollctl(None, "verify", str(daemon.state_directory))
    # Nothing more can be done about what a repair lost, so it is no damage; but it is told.
    assert verified.returncode == 0, verified.stdout
    first, last = left[-1]["position"] + 1, gap.parameters["next"] - 1
    assert f"a repair could not keep positions {first} to {last}: {last - first + 1} records are missing" in verified.stdout
    again = Feeder(daemon.connect(), "repaired", feeder.session)
    # Events that are lost aren't sent again: the session continues with the number after its last one.
    assert again.next_number == len(events()) + 1
    again.feed([events()[-1]])
    assert [reply["number"] for reply in records(daemon, after=before[-1]["position"])] == [len(events()) + 1]


def test_damage_to_a_sealed_segment_fails_the_reads_that_need_it_but_not_the_start(workspace: Workspace) -> None:
    # A start reads only the index of a packed segment, so it would not report the damage.
    daemon = workspace.daemon("[Log]\nCompress=no\n")
    feeder = Feeder(daemon.connect(), "sealed")
    feeder.feed(events()[:40], batch=10, at_once=1)
    daemon.call("org.scrolld.Manager.Rotate")
    feeder.feed(events()[40:], batch=10, at_once=1)
    state = states(daemon)
    first_of_second = int(daemon.segments()[1].stem)
    later = records(daemon, after=first_of_second - 1)
    daemon.stop()
    sealed, _ = daemon.segments()
    flip_bit(sealed, content_end(sealed) * 2 // 3)
    daemon.start()
    assert str(sealed) in daemon.output(), "the damage is not reported at the start"
    assert states(daemon) == state, "states"
    assert records(daemon, after=first_of_second - 1) == later, "records after the damage"
    wire = daemon.connect()
    for method, parameters in ((READ, {}), ("org.scrolld.Observer.Subscribe", {"after": 0})):
        try:
            for _ in wire.stream(method, **parameters):
                pass
            raise AssertionError(f"{method} reads past the damage")
        except Refused as refused:
            assert (refused.name, refused.parameters["file"]) == ("org.scrolld.Observer.LogDamaged", str(sealed)), (
                method)
            assert 0 < refused.parameters["offset"] < content_end(sealed), f"offset: {refused}"
    feeder = Feeder(wire, "sealed", feeder.session)
    assert feeder.next_number == len(events()) + 1, "nextNumber"
    feeder.feed(events()[:1])
    result = workspace.scrollctl(None, "verify", str(daemon.state_directory))
    assert result.returncode == 1, "exit status of verify"
    assert f"{sealed.name}: byte" in result.stdout, f"verify prints {result.stdout}"


def readable(daemon: Daemon) -> tuple[list[dict], list[dict]]:
    """Returns the records that can be read, and the parameters of the refusals in between."""
    found, refusals, after = [], [], 0
    while True:
        try:
            for reply in daemon.connect().stream(READ, after=after):
                if "record" in reply:
                    found.append(reply)
            return found, refusals
        except Refused as refused:
            assert refused.short_name == "LogDamaged", refused
            refusals.append(refused.parameters)
            if refused.parameters.get("next") is None:
                return found, refusals
            after = refused.parameters["next"] - 1


@pytest.mark.parametrize("compress", ["yes", "no"])
def test_a_repair_of_a_sealed_segment_brings_back_what_a_bad_block_hid(workspace: Workspace, compress: str) -> None:
    daemon = workspace.daemon(f"[Log]\nCompress={compress}\n")
    for number in range(40):
        feeder = Feeder(daemon.connect(), f"client/{number}")
        feeder.feed(events()[:30], batch=10, at_once=1)
        daemon.call("org.scrolld.Recorder.Close", session=feeder.session)
    daemon.call("org.scrolld.Manager.Rotate")
    last = Feeder(daemon.connect(), "last")
    last.feed(events()[:10])
    before, _ = readable(daemon)
    if compress == "yes":
        until(lambda: daemon.metric("unpacked_records") == 0, "the sealed segment is packed")
    daemon.stop()
    sealed, _ = daemon.segments()
    # A packed log of this size is one block; what is in it is lost as a whole.
    flip_bit(sealed, content_end(sealed) // 3)
    daemon.start()
    hidden, _ = readable(daemon)
    failed = workspace.scrollctl(daemon, "log", "--json")
    assert failed.returncode == 1 and "scrollctl repair" in failed.stderr, failed.stderr
    verified = workspace.scrollctl(None, "verify", str(daemon.state_directory))
    assert verified.returncode == 1 and "“scrollctl repair” makes the good records of this file readable" in verified.stdout
    daemon.stop()
    repaired = workspace.scrollctl(None, "repair", str(daemon.state_directory))
    assert repaired.returncode == 0, repaired.stdout + repaired.stderr
    lost = [(int(first), int(end or first)) for first, end in re.findall(
        r"^Lost: positions? (\d+)(?: to (\d+))?\.$", repaired.stdout, re.MULTILINE)]
    assert len(lost) == 1 and "Sessions with lost records" in repaired.stdout, repaired.stdout
    printed = len(daemon.output())
    daemon.start()
    assert "damaged" not in daemon.output()[printed:], "the start reports what is repaired"
    found, refusals = readable(daemon)
    assert [(refusal["lost"], refusal["next"]) for refusal in refusals] == [(lost[0][0], lost[0][1] + 1)], refusals
    read = workspace.scrollctl(daemon, "log", "--json")
    assert read.returncode == 0, read.stderr
    assert f"records were lost in a repair: the positions {lost[0][0]} to {lost[0][1]}" in read.stderr, read.stderr
    named = set(re.findall(r"[0-9a-f]{32}", repaired.stdout))
    missing = [record for record in before if record not in found]
    assert all(
        lost[0][0] <= record["position"] <= lost[0][1] or record["session"] in named for record in missing), "unnamed losses"
    assert all(record in before for record in found), "records that were not there before"
    if compress == "no":
        assert len(found) > len(hidden) + 100, f"{len(hidden)} of {len(before)} records before, {len(found)} after the repair"
    verified = workspace.scrollctl(None, "verify", str(daemon.state_directory))
    assert verified.returncode == 0, verified.stdout
    again = Feeder(daemon.connect(), "last", last.session)
    assert again.next_number == 11


def test_anything_but_a_regular_file_in_place_of_a_segment_is_named_and_not_opened(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Log]\nCompress=no\n")
    feeder = Feeder(daemon.connect(), "reader")
    feeder.feed(events()[:40])
    daemon.call("org.scrolld.Manager.Rotate")
    feeder.feed(events()[40:])
    before = history(daemon)
    daemon.stop()
    for place in daemon.segments():
        kept = place.with_name("kept")
        place.rename(kept)
        for make, noun in ((os.mkfifo, "a FIFO"), (os.mkdir, "a directory"),
                           (lambda path: path.symlink_to(kept), "a symbolic link")):
            make(place)
            daemon.spawn()
            assert daemon.wait() == 65, f"exit status with {noun} for {place.name}; the daemon printed:\n{daemon.output()}"
            assert f"{place}: it is {noun}, not a regular file" in daemon.output(), (
                f"the daemon does not report {noun}:\n{daemon.output()}")
            for verb in ("verify", "repair"):
                result = workspace.scrollctl(None, verb, str(daemon.state_directory))
                assert (result.returncode, noun in result.stdout + result.stderr) == (1, True), (
                    f"{verb} with {noun}: {result.stdout}{result.stderr}")
            place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()
        kept.rename(place)
    daemon.start()
    assert history(daemon) == before, "the history after restoring the files"


def test_a_segment_of_another_log_stops_the_start_with_65_and_is_named(workspace: Workspace) -> None:
    daemons = [workspace.daemon("[Log]\nCompress=no\n", name=name) for name in ("own", "other")]
    for daemon in daemons:
        feeder = Feeder(daemon.connect(), "reader")
        feeder.feed(events()[:40])
        daemon.call("org.scrolld.Manager.Rotate")
        feeder.feed(events()[40:])
        daemon.stop()
    own, other = daemons
    place = own.segments()[0]
    whole = place.read_bytes()
    place.write_bytes(other.segments()[0].read_bytes())
    printed = len(own.output())
    own.spawn()
    assert own.wait() == 65, own.output()[printed:]
    message = own.output()[printed:]
    assert str(place) in message and "one of them belongs to another log; move the one" in message, message
    assert workspace.scrollctl(None, "verify", str(own.state_directory)).returncode == 1, "exit status of verify"
    result = workspace.scrollctl(None, "repair", str(own.state_directory))
    assert result.returncode == 1, f"exit status of repair: {result.stdout}"
    assert f"Move the one that does not belong here out of {own.state_directory}/log" in result.stdout, result.stdout
    assert place.read_bytes() == other.segments()[0].read_bytes(), "the repair changed the segment"
    place.write_bytes(whole)
    own.start()


def test_something_else_in_the_place_of_the_lock_is_named_by_start_and_repair(workspace: Workspace, daemon: Daemon) -> None:
    daemon.stop()
    lock = daemon.state_directory / "lock"
    target = daemon.state_directory / "target"
    for make, noun in ((os.mkdir, "a directory"), (lambda path: path.symlink_to(target), "a symbolic link")):
        lock.unlink()
        make(lock)
        printed = len(daemon.output())
        daemon.spawn()
        assert daemon.wait() == 65, daemon.output()[printed:]
        expected = f"{lock}: it is {noun}, not a regular file; move it away; the daemon makes a new file"
        assert expected in daemon.output()[printed:]
        result = workspace.scrollctl(None, "repair", str(daemon.state_directory))
        assert result.returncode == 1 and expected in result.stderr, result.stderr
        lock.rename(daemon.state_directory / "moved")
        daemon.start()
        daemon.stop()
        moved = daemon.state_directory / "moved"
        moved.rmdir() if moved.is_dir() and not moved.is_symlink() else moved.unlink()


def test_a_torn_tail_is_cut_and_kept_and_a_new_generation_begins(workspace: Workspace, random: Random) -> None:
    for turn in range(6):
        daemon = workspace.daemon(name=f"torn-{turn}")
        feeder = Feeder(daemon.connect(), "torn")
        feeder.feed(events(), batch=10, at_once=1)
        before = records(daemon)
        last = before[-1]["position"]
        daemon.kill()
        [segment] = daemon.segments()
        end = content_end(segment)
        data = segment.read_bytes()
        if turn % 2:
            # The last block is incomplete.
            cut = random.randrange(1, Block.SHORTEST)
            segment.write_bytes(data[: end - cut])
            torn = None
        else:
            # Something other than a block follows it.
            torn = bytes(random.randrange(1, 256) for _ in range(random.randrange(1, 300)))
            end = aligned(end)
            segment.write_bytes(data[:end] + torn)
        daemon.start()
        left = records(daemon)
        assert left == before[: len(left)], "the remaining records"
        assert last - len(left) <= 10, f"more than the last block is lost: {len(left)} of {last} records remain"
        if torn:
            assert len(left) == last, "records after cutting garbage only"
        kept = list(daemon.log_directory.glob("*.torn"))
        assert len(kept) == 1, "files with a torn tail"
        assert kept[0].name in daemon.output() and str(segment) in daemon.output(), "the daemon does not report the cut"
        if torn:
            assert torn in kept[0].read_bytes(), "the torn tail is not kept entirely"
        assert daemon.statistics()["generation"] == feeder.generation + 1, "generation"
        wire = daemon.connect()
        if len(left) < last:
            wire.send("org.scrolld.Observer.Subscribe", {"after": last, "generation": feeder.generation}, more=True)
            assert wire.receive() == {"error": "org.scrolld.Observer.PositionTakenBack",
                 "parameters": {"last": len(left)}}, "the reply to a subscriber that had seen a lost record"
        # Subscribers can resume from the part that both histories share.
        replies = wire.stream("org.scrolld.Observer.Subscribe", after=len(left), generation=feeder.generation)
        assert next(replies).get("caughtUp") is True, "the reply to a subscriber that had seen no lost record"
        again = Feeder(daemon.connect(), "torn", feeder.session)
        assert again.generation == feeder.generation + 1, "generation in the answer to Open"
        again.feed(events()[again.next_number - 1 :])
        assert [reply["record"] for reply in records(daemon)][1:] == events(), "the records after sending them again"
        daemon.restart()
        assert daemon.statistics()["generation"] == again.generation, "generation after a clean restart"
        assert len(list(daemon.log_directory.glob("*.torn"))) == 1, "files with a torn tail after a restart"
        daemon.stop()
