"""Named offsets in the files that the tests read or damage.

Format.md documents a segment of the log, and the comment in HandOverTable.swift the table of a hand-over. test_formats.py
compares the offsets with the documentation and with a running daemon.
"""

from pathlib import Path


class SegmentHeader:
    """The header of a segment."""

    MAGIC = 0
    VERSION = 8
    LENGTH_FIELD = 12
    FIRST_POSITION = 32
    FEATURES = 72
    CHECKSUM = 120
    LENGTH = 128

    MAGIC_BYTES = b"SCROLLOG"
    #: The bit of the features that says that a segment is packed.
    IS_PACKED = 1 << 0


class Block:
    """A block of a segment: a header, the payload with zeros up to a multiple of `ALIGNMENT`, and a checksum."""

    MAGIC = 0
    PAYLOAD_LENGTH = 8
    KIND = 16
    FIRST_POSITION = 24
    PAYLOAD = 56
    CHECKSUM_LENGTH = 8
    ALIGNMENT = 8
    #: The length of a block without a payload.
    SHORTEST = PAYLOAD + CHECKSUM_LENGTH

    MAGIC_BYTES = b"SBLK"


class HandOverTable:
    """The table in which a daemon leaves the state of its connections for the next one."""

    MAGIC = 0
    VERSION = 8
    SLOT_COUNT = 12
    CHECKSUM = 24

    MAGIC_BYTES = b"scrollho"


#: The offset of a segment's first block, and of that block's payload.
FIRST_BLOCK = SegmentHeader.LENGTH
FIRST_PAYLOAD = FIRST_BLOCK + Block.PAYLOAD


def u32(data: bytes, offset: int) -> int:
    """The little-endian number of 32 bits at an offset."""
    return int.from_bytes(data[offset : offset + 4], "little")


def i64(data: bytes, offset: int) -> int:
    """The little-endian signed number of 64 bits at an offset."""
    return int.from_bytes(data[offset : offset + 8], "little", signed=True)


def aligned(offset: int) -> int:
    """The first offset from this one on at which a block may begin."""
    return -(-offset // Block.ALIGNMENT) * Block.ALIGNMENT


def block_length(data: bytes, offset: int) -> int:
    """The length of the block at an offset, with its checksum."""
    return Block.PAYLOAD + aligned(u32(data, offset + Block.PAYLOAD_LENGTH)) + Block.CHECKSUM_LENGTH


def content_end(path: Path) -> int:
    """The end of a segment's content: the space reserved after it is zero."""
    return len(path.read_bytes().rstrip(b"\0"))


def is_packed(path: Path) -> bool:
    """Whether a segment is packed."""
    return u32(path.read_bytes(), SegmentHeader.FEATURES) & SegmentHeader.IS_PACKED != 0


def flip_bit(path: Path, offset: int, bit: int = 6) -> None:
    """Flips a bit of the byte at an offset."""
    with open(path, "r+b") as file:
        file.seek(offset)
        [byte] = file.read(1)
        file.seek(offset)
        file.write(bytes([byte ^ 1 << bit]))
