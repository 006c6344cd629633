#!/usr/bin/env python3
"""Prints the records of segments, one a line, knowing the format from Format.md alone (checksums are not looked at)."""

import struct
import sys

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
    return " ".join(parts)


def opening(reader):
    parts = [str(reader.value("I")), reader.text(), str(reader.value("q"))]
    flags = reader.value("B")
    parts.append("application=" + reader.text() if flags & 1 else "-")
    parts.append("title=" + reader.text() if flags & 2 else "-")
    parts.append(str(flags >> 2))
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


def segment(data):
    if data[:8] != b"SCROLLOG" or struct.unpack_from("<I", data, 8)[0] != 1:
        raise ValueError("no segment of format 1")
    at = 128
    while any(data[at:at + 56]):
        if data[at:at + 4] != b"SBLK":
            raise ValueError(f"no block at byte {at}")
        length, _, kind, _, _, count, first, received = struct.unpack_from("<IIBBHIqq", data, at + 8)
        payload = data[at + 56:at + 56 + length]
        if kind == 1:
            yield from records(payload, first, received, count)
        at += 56 + (length + 7) // 8 * 8 + 8


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for line in segment(file.read()):
            print(line)
