"""A log whose bytes are not what was written."""

import os
import re
from pathlib import Path

from support.recordings import Feeder, recordings
from support.runner import Skip, check, equal, randomness, require
from support.subscriber import history, states
from support.wire import Refused
from support.workspace import Workspace

READ = "org.scrolld.Observer.Read"


def events() -> list[dict]:
    return recordings()[0].events


def segments(daemon) -> list[Path]:
    return sorted(daemon.log_directory.glob("*.scrolllog"))


def content_end(path: Path) -> int:
    """Where the last byte of a segment is that is not zero: space is reserved ahead."""
    return len(path.read_bytes().rstrip(b"\0"))


def flip(path: Path, offset: int) -> None:
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 0x40]))


def records(daemon, **parameters) -> list[dict]:
    return [reply for reply in daemon.stream(READ, **parameters) if "record" in reply]


def has_verb(workspace: Workspace, verb: str) -> bool:
    return workspace.scrollctl(None, verb, "--help").returncode == 0


@check("damage: bad bytes that were synced stop the start with status 65, file and byte named; verify finds them, too")
def synced_damage(workspace: Workspace):
    random = randomness("damage")
    daemon = workspace.daemon()
    feeder = Feeder(daemon.connect(), "damaged")
    feeder.feed(events(), batch=10, at_once=1)
    before = history(daemon)
    daemon.stop()
    [segment] = segments(daemon)
    whole = segment.read_bytes()
    # Somewhere in what the last blocks say was synced before them.
    for offset in (0, 130, *(random.randrange(200, content_end(segment) // 2) for _ in range(12))):
        segment.write_bytes(whole)
        flip(segment, offset)
        damaged = segment.read_bytes()
        said = len(daemon.said())
        daemon.spawn()
        equal(daemon.wait(), 65, f"exit status with byte {offset} flipped: {daemon.said()[said:]}")
        message = daemon.said()[said:]
        found = re.search(re.escape(str(segment)) + r", byte (\d+)", message)
        require(found, f"file and byte are not named: {message}")
        require(int(found[1]) <= offset, f"byte {found[1]} is named, byte {offset} was flipped")
        require("scrollctl repair" in message, f"the way out is not named: {message}")
        equal(segment.read_bytes(), damaged, "the segment is left as it was")
        result = workspace.scrollctl(None, "verify", str(daemon.state_directory))
        equal(result.returncode, 1, f"exit status of verify: {result.stdout}{result.stderr}")
        require(f"{segment.name}: byte {found[1]}:" in result.stdout, f"verify says {result.stdout}")
    segment.write_bytes(whole)
    equal(workspace.scrollctl(None, "verify", str(daemon.state_directory)).returncode, 0, "exit status of verify")
    daemon.start()
    equal(history(daemon), before, "the history, once the bytes are right again")


@check("damage: scrollctl repair sets the damaged part aside, keeps it, and the daemon starts again")
def repair(workspace: Workspace):
    if not has_verb(workspace, "repair"):
        raise Skip("scrollctl has no repair yet")
    daemon = workspace.daemon()
    feeder = Feeder(daemon.connect(), "repaired")
    feeder.feed(events(), batch=10, at_once=1)
    before = records(daemon)
    result = workspace.scrollctl(None, "repair", str(daemon.state_directory))
    equal(result.returncode, 1, "exit status of repair while the daemon runs")
    daemon.stop()
    [segment] = segments(daemon)
    offset = content_end(segment) // 2
    flip(segment, offset)
    damaged = segment.read_bytes()
    result = workspace.scrollctl(None, "repair", str(daemon.state_directory))
    equal(result.returncode, 0, f"exit status of repair: {result.stderr}")
    kept = b"".join(path.read_bytes() for path in sorted(daemon.state_directory.rglob("*")) if path.is_file())
    tail = damaged[offset : content_end(segment) if segment.exists() else offset + 64][:64]
    require(tail in kept, "the damaged part is not kept")
    daemon.start()
    left = records(daemon)
    require(0 < len(left) < len(before), f"{len(left)} of {len(before)} records are left")
    equal(left, before[: len(left)], "the records that are left")
    require(daemon.statistics()["generation"] > feeder.generation, "records were taken back within one generation")
    equal(workspace.scrollctl(None, "verify", str(daemon.state_directory)).returncode, 0, "exit status of verify")
    again = Feeder(daemon.connect(), "repaired", feeder.session)
    again.feed(events()[again.next_number - 1 :])
    equal([reply["record"] for reply in records(daemon)][1:], events(), "the records, once they are sent again")


@check("damage: a sealed segment's damage fails the reads that need it, not the start")
def sealed_damage(workspace: Workspace):
    # A start reads no more than the index of a packed segment, and so reports no damage in the rest of it.
    daemon = workspace.daemon("[Log]\nCompress=no\n")
    feeder = Feeder(daemon.connect(), "sealed")
    feeder.feed(events()[:40], batch=10, at_once=1)
    daemon.call("org.scrolld.Manager.Rotate")
    feeder.feed(events()[40:], batch=10, at_once=1)
    state = states(daemon)
    first_of_second = int(segments(daemon)[1].stem)
    later = records(daemon, after=first_of_second - 1)
    daemon.stop()
    sealed, _ = segments(daemon)
    flip(sealed, content_end(sealed) * 2 // 3)
    daemon.start()
    require(str(sealed) in daemon.said(), "the damage is not reported at the start")
    equal(states(daemon), state, "states")
    equal(records(daemon, after=first_of_second - 1), later, "records behind the damage")
    wire = daemon.connect()
    for method, parameters in ((READ, {}), ("org.scrolld.Observer.Subscribe", {"after": 0})):
        try:
            for _ in wire.stream(method, **parameters):
                pass
            raise AssertionError(f"{method} reads on over the damage")
        except Refused as refused:
            equal((refused.name, refused.parameters["file"]), ("org.scrolld.Observer.LogDamaged", str(sealed)), method)
            require(0 < refused.parameters["offset"] < content_end(sealed), f"offset: {refused}")
    feeder = Feeder(wire, "sealed", feeder.session)
    equal(feeder.next_number, len(events()) + 1, "nextNumber")
    feeder.feed(events()[:1])
    result = workspace.scrollctl(None, "verify", str(daemon.state_directory))
    equal(result.returncode, 1, "exit status of verify")
    require(f"{sealed.name}: byte" in result.stdout, f"verify says {result.stdout}")


@check("damage: what is no regular file in a segment's place is named, waited for by nobody, and no reason to start again")
def no_files(workspace: Workspace):
    daemon = workspace.daemon("[Log]\nCompress=no\n")
    feeder = Feeder(daemon.connect(), "reader")
    feeder.feed(events()[:40])
    daemon.call("org.scrolld.Manager.Rotate")
    feeder.feed(events()[40:])
    before = history(daemon)
    daemon.stop()
    for place in segments(daemon):
        kept = place.with_name("kept")
        place.rename(kept)
        for make, noun in ((os.mkfifo, "a FIFO"), (os.mkdir, "a directory"), (lambda path: path.symlink_to(kept), "a symbolic link")):
            make(place)
            daemon.spawn()
            equal(daemon.wait(), 65, f"exit status with {noun} for {place.name}; it said:\n{daemon.said()}")
            require(f"{place}: it is {noun}, not a regular file" in daemon.said(), f"not said of {noun}:\n{daemon.said()}")
            for verb in ("verify", "repair"):
                result = workspace.scrollctl(None, verb, str(daemon.state_directory))
                equal((result.returncode, noun in result.stdout + result.stderr), (1, True),
                      f"{verb} with {noun}: {result.stdout}{result.stderr}")
            place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()
        kept.rename(place)
    daemon.start()
    equal(history(daemon), before, "the history, once all is in its place")


@check("damage: a torn tail is cut and kept, a new generation begins, and subscribers are told")
def torn_tail(workspace: Workspace):
    random = randomness("torn")
    for turn in range(6):
        daemon = workspace.daemon(name=f"torn-{turn}")
        feeder = Feeder(daemon.connect(), "torn")
        feeder.feed(events(), batch=10, at_once=1)
        before = records(daemon)
        last = before[-1]["position"]
        daemon.kill()
        [segment] = segments(daemon)
        end = content_end(segment)
        data = segment.read_bytes()
        if turn % 2:
            # The last block was written in part.
            cut = random.randrange(1, 40)
            segment.write_bytes(data[: end - cut])
            torn = None
        else:
            # Something stands behind it that is no block.
            torn = bytes(random.randrange(1, 256) for _ in range(random.randrange(1, 300)))
            end = end + 7 & ~7
            segment.write_bytes(data[:end] + torn)
        daemon.start()
        left = records(daemon)
        equal(left, before[: len(left)], "the records that are left")
        equal(last - len(left) <= 10, True, f"no more than the last block is lost: {len(left)} of {last}")
        if torn:
            equal(len(left), last, "records, with nothing cut but garbage")
        kept = list(daemon.log_directory.glob("*.torn"))
        equal(len(kept), 1, "files with a torn tail")
        require(kept[0].name in daemon.said() and str(segment) in daemon.said(), "the cut is not reported")
        if torn:
            require(torn in kept[0].read_bytes(), "the torn tail is not kept whole")
        equal(daemon.statistics()["generation"], feeder.generation + 1, "generation")
        wire = daemon.connect()
        if len(left) < last:
            wire.send("org.scrolld.Observer.Subscribe", {"after": last, "generation": feeder.generation}, more=True)
            equal(wire.receive(), {"error": "org.scrolld.Observer.PositionTakenBack",
                                   "parameters": {"last": len(left)}}, "the reply to a subscriber from before")
        # What both histories share can still be gone on from.
        replies = wire.stream("org.scrolld.Observer.Subscribe", after=len(left), generation=feeder.generation)
        equal(next(replies).get("caughtUp"), True, "the reply to a subscriber that had seen no more")
        again = Feeder(daemon.connect(), "torn", feeder.session)
        equal(again.generation, feeder.generation + 1, "generation in the answer to Open")
        again.feed(events()[again.next_number - 1 :])
        equal([reply["record"] for reply in records(daemon)][1:], events(), "the records, once they are sent again")
        daemon.restart()
        equal(daemon.statistics()["generation"], again.generation, "generation after an orderly restart")
        equal(len(list(daemon.log_directory.glob("*.torn"))), 1, "files with a torn tail after a restart")
        daemon.stop()
