#!/usr/bin/env python3
"""Prints the snapshots beside a segment, one per line. Written from Format.md alone; does not check checksums."""

import struct
import sys


def blocks(data):
    """Yields kind, flags, next position, time and payload of each block."""
    at = 0
    while at < len(data):
        magic, _, length, unpacked, kind, flags, _, count, position, received, _, _ = struct.unpack_from(
            "<4sIIIBBHIqqqq", data, at)
        if magic != b"SBLK" or length != unpacked or count:
            raise ValueError(f"no block of a snapshot begins at byte {at}")
        yield kind, flags, position, received, data[at + 56:at + 56 + length]
        at += 56 + (length + 7) // 8 * 8 + 8
    if at != len(data):
        raise ValueError("the last block is cut off")


def table(payload, at, code):
    """Returns the rows of a table that begins with their number, and the offset of its end."""
    [count] = struct.unpack_from("<I", payload, at)
    size = struct.calcsize(code)
    rows = [struct.unpack_from(code, payload, at + 4 + index * size) for index in range(count)]
    return rows, at + 4 + count * size


def main(path):
    with open(path, "rb") as file:
        parts = blocks(file.read())
    for kind, _, position, received, payload in parts:
        if kind != 5:
            raise ValueError("a snapshot does not begin with its index")
        version, offset, before, first_received = struct.unpack_from("<Iqqq", payload)
        entries, at = table(payload, 28, "<qqq")
        closed, at = table(payload, at, "<16sI")
        # Older snapshots end here.
        synced = 0
        if at < len(payload):
            [synced] = struct.unpack_from("<q", payload, at)
            at += 8
        if at != len(payload):
            raise ValueError("the index goes on")
        sessions = []
        continues = True
        while continues:
            kind, flags, of, _, checkpoint = next(parts)
            if kind != 2 or of != position:
                raise ValueError("the checkpoint of another snapshot")
            continues = flags & 1
            at = 0
            while at < len(checkpoint):
                tag = checkpoint[at]
                if tag == 16:
                    at_position, _, fold, generations = struct.unpack_from("<qqII", checkpoint, at + 1)
                    [count] = struct.unpack_from("<Q", checkpoint, at + 25 + 16 * generations)
                    if (at_position, fold) != (position - 1, version):
                        raise ValueError("index and checkpoint differ")
                    at += 33 + 16 * generations
                else:
                    [length] = struct.unpack_from("<I", checkpoint, at + 1)
                    sessions.append(checkpoint[at + 5:at + 21].hex())
                    at += 5 + length
        if len(sessions) != count:
            raise ValueError("another number of sessions")
        print(
            position - 1, received, version, offset, before, first_received, synced,
            ",".join(":".join(map(str, entry)) for entry in entries) or "-",
            ",".join(f"{session.hex()}:{user}" for session, user in closed) or "-", ",".join(sessions) or "-")


main(sys.argv[1])
