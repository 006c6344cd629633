#!/usr/bin/env python3
"""Prints the records of segments, one per line. Written from Format.md alone; does not check checksums."""

import struct
import sys

import zstandard

KINDS = "layout dragBegin scroll dragEnd scrollEnd zoomBegin zoom zoomEnd".split()
NUMBERS = """x y translationX translationY zoomScale contentWidth contentHeight frameWidth frameHeight insetTop insetLeft
insetBottom insetRight minimumZoomScale maximumZoomScale""".split()
SOURCES = "user program layout".split()
REASONS = "asked reopened idle disconnected forgotten".split()


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise ValueError("an entry reaches beyond its block")
        self.at += count
        return self.data[self.at - count:self.at]

    def value(self, code):
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def text(self):
        return self.take(self.value("I")).decode()

    def session(self):
        return self.take(16).hex()

    def number(self):
        return self.take(8)[::-1].hex()

    def variable(self):
        value = shift = 0
        while True:
            byte = self.value("B")
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def signed(self):
        return unfold(self.variable())


def unfold(place):
    return place // 2 if place % 2 == 0 else -(place + 1) // 2


def event(reader):
    word = reader.value("I")
    parts = [KINDS[word >> 24], str(reader.value("q"))]
    for bit, name in enumerate(NUMBERS):
        if word >> bit & 1:
            parts.append(f"{name}={reader.number()}")
    for bit, name in ((15, "willDecelerate"), (16, "rightToLeft")):
        if word >> bit & 1:
            parts.append(f"{name}={reader.value('B')}")
    if word >> 17 & 1:
        parts.append("source=" + SOURCES[reader.value("B")])
    if word >> 18 & 1:
        parts.append(f"pageWidth={reader.number()}")
    if word >> 19 & 1:
        parts.append(f"toolbarPinned={reader.value('B')}")
    return " ".join(parts)


def opening(reader):
    parts = [str(reader.value("I")), reader.text(), str(reader.value("q"))]
    flags = reader.value("B")
    parts.append("application=" + reader.text() if flags & 1 else "-")
    parts.append("title=" + reader.text() if flags & 2 else "-")
    parts.append("id=" + reader.session() if flags & 8 else "-")
    parts.append(str(flags >> 2 & 1))
    parts.append(str(flags >> 4))
    parts += [reader.text(), reader.text()]
    for _ in range(reader.value("H")):
        parts.append(reader.text() + "=" + reader.text())
    return " ".join(parts)


def request(reader):
    time = reader.value("q")
    target = reader.value("B")
    if target == 2:
        return f"{time} page {reader.value('q')}"
    if target == 3:
        return f"{time} offset {reader.number()} {reader.number()}"
    return f"{time} {('top', 'bottom')[target]}"


def response(reader):
    time, position, done = reader.value("q"), reader.value("q"), reader.value("B")
    return f"{time} {position} {done} " + (reader.text() if reader.value("B") else "-")


def records(payload, position, received, count):
    reader = Reader(payload)
    end = position + count
    while reader.at < len(payload):
        tag = reader.value("B")
        if tag == 6:
            position += reader.value("I")
            continue
        session = reader.session()
        if tag == 7:
            position += 1
            continue
        if tag == 1:
            number, length = reader.value("q"), reader.value("I")
            for index in range(length):
                yield f"{position + index} {received} {session} event {number + index} {event(reader)}"
            position += length
            continue
        if tag == 2:
            text = "open " + opening(reader)
        elif tag == 3:
            text = f"close {reader.value('q')} {REASONS[reader.value('B')]}"
        elif tag == 4:
            text = "request " + request(reader)
        elif tag == 5:
            text = "response " + response(reader)
        else:
            raise ValueError(f"no entry has the tag {tag}")
        yield f"{position} {received} {session} {text}"
        position += 1
    if position != end:
        raise ValueError(f"a block of {count} records ends before position {position}")


class Columns:
    """Unpacks a packed block to the blocks in it."""

    def __init__(self, payload):
        reader = Reader(payload)
        lengths = [reader.value("I") for _ in range(35)]
        columns = [Reader(reader.take(length)) for length in lengths]
        (self.heads, self.marks, self.tags, self.places, self.ids, self.runs, self.word_places, self.word_values,
         self.times, self.others, self.lengths, self.contents) = columns[:12]
        self.numbers, self.planes = columns[12:27], columns[27:]
        self.sessions, self.words, self.received = [], [], 0

    def blocks(self):
        while self.heads.at < len(self.heads.data):
            kind = self.heads.value("B")
            self.received += self.heads.signed()
            count = self.heads.variable()
            if kind != 1:
                self.marks.take(count)
                continue
            payload = b"".join(self.entry() for _ in range(self.heads.variable()))
            yield count, self.received, payload

    def session(self):
        place = self.places.variable()
        if place == len(self.sessions):
            self.sessions.append({
                "id": self.ids.take(16), "next": 1, "time": self.received, "units": [0] * 15, "bits": [0] * 15})
        return self.sessions[place]

    def entry(self):
        tag = self.tags.take(1)
        if tag == b"\1":
            session = self.session()
            first, count = session["next"] + self.runs.signed(), self.runs.variable()
            session["next"] = first + count
            events = b"".join(self.event(session) for _ in range(count))
            return tag + session["id"] + struct.pack("<qI", first, count) + events
        session = b"" if tag == b"\6" else self.session()["id"]
        return tag + session + self.contents.take(self.lengths.variable())

    def event(self, session):
        place = self.word_places.variable()
        if place == len(self.words):
            self.words.append(self.word_values.value("I"))
        word = self.words[place]
        token = self.times.variable()
        session["time"] += unfold(token // 2) * (1 if token % 2 else 100)
        parts = [struct.pack("<Iq", word, session["time"])]
        parts += [self.number(session, field) for field in range(15) if word >> field & 1]
        parts += [self.others.take(8 if bit == 18 else 1) for bit in range(15, 20) if word >> bit & 1]
        return b"".join(parts)

    def number(self, session, field):
        token = self.numbers[field].variable()
        if token == 2:
            changed = bytes(plane.value("B") for plane in self.planes)
            session["bits"][field] ^= int.from_bytes(changed, "little")
            return session["bits"][field].to_bytes(8, "little")
        session["units"][field] += unfold(token // 4) * (1 if token % 4 else 120_000)
        data = struct.pack("<d", session["units"][field] / 120_000)
        session["bits"][field] = int.from_bytes(data, "little")
        return data


def packed(payload, position):
    for count, received, content in Columns(payload).blocks():
        yield from records(content, position, received, count)
        position += count


def block(data, at):
    """Returns the header fields and the payload of the block at an offset, and the offset of the next block."""
    if data[at:at + 4] != b"SBLK":
        raise ValueError(f"no block at byte {at}")
    length, unpacked, kind, flags, _, count, first, received = struct.unpack_from("<IIBBHIqq", data, at + 8)
    payload = data[at + 56:at + 56 + length]
    if flags & 2:
        payload = zstandard.ZstdDecompressor().decompress(payload)
        if len(payload) != unpacked:
            raise ValueError(f"the block at byte {at} is {len(payload)} bytes once it is unpacked, not {unpacked}")
    return kind, count, first, received, payload, at + 56 + (length + 7) // 8 * 8 + 8


def segment(data):
    if data[:8] != b"SCROLLOG" or struct.unpack_from("<I", data, 8)[0] != 1:
        raise ValueError("no segment of format 1")
    features = struct.unpack_from("<I", data, 72)[0]
    if features > 1:
        raise ValueError("a feature that this reader doesn't know")
    found = []
    at, end, last = 128, 0, 0
    while any(data[at:at + 56]):
        start = at
        kind, count, first, received, payload, at = block(data, at)
        if kind == 1:
            yield from records(payload, first, received, count)
        elif kind == 6:
            found.append((start, first, count))
            yield from packed(payload, first)
            end = first + count
        elif kind == 7:
            checkpoint(payload, end)
        elif kind == 10 and (features or any(data[at:]) or len(payload) != 8):
            raise ValueError("a seal that is not at the end")
        last = start
    if features == 1:
        check(data, last, found)


def checkpoint(payload, end):
    # Only the first block of a checkpoint has the head.
    if payload[:1] == b"\x10" and struct.unpack_from("<q", payload, 1)[0] != end - 1:
        raise ValueError(f"the checkpoint behind position {end - 1} stands elsewhere")


def check(data, last, found):
    """Checks that the index lists the packed blocks that were found."""
    kind, _, _, _, payload, _ = block(data, last)
    if kind != 9:
        raise ValueError("a packed segment doesn't end with the place of its index")
    kind, _, _, _, payload, _ = block(data, struct.unpack("<q", payload)[0])
    if kind != 8:
        raise ValueError("there is no index where it should be")
    reader = Reader(payload)
    sessions = []
    for _ in range(reader.value("I")):
        sessions.append(reader.session())
        if reader.value("B") & 1:
            reader.value("I"), reader.text()
    blocks = []
    for _ in range(reader.value("I")):
        blocks.append((reader.value("q"), reader.value("q"), reader.value("q")))
        reader.take(16)
        for _ in range(reader.value("I")):
            sessions[reader.value("I")]
    for _ in range(reader.value("I")):
        offset, _, _ = (reader.value("q") for _ in range(3))
        if block(data, offset)[0] != 7:
            raise ValueError(f"there is no checkpoint at byte {offset}")
    # Older indexes end here.
    for _ in sessions if reader.at < len(payload) else []:
        reader.value("q")
    if blocks != found or reader.at != len(payload):
        raise ValueError("the index isn't that of the blocks")


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for line in segment(file.read()):
            print(line)
