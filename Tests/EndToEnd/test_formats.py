"""The named offsets at which the tests damage files are those of the documented log and of a running daemon."""

import os
import re

import pytest

from support.daemon import Daemon
from support.formats import FIRST_BLOCK, Block, HandOverTable, SegmentHeader, block_length, content_end, i64, is_packed, u32
from support.recordings import Feeder, recordings
from support.repository import REPOSITORY
from support.service_manager import ManagedDaemon

FORMAT = REPOSITORY / "Sources/ScrollLog/ScrollLog.docc/Format.md"
#: The version of the hand-over table that the named offsets belong to.
TABLE_VERSION = 1


def documented(heading: str) -> dict[int, str]:
    """The rows of the table below a heading of Format.md: what is at each offset."""
    section = FORMAT.read_text().split(f"### {heading}\n")[1].split("\n###")[0]
    return {int(offset): what for offset, what in re.findall(r"^\| (\d+) \| [^|]+ \| (.+) \|$", section, re.M)}


@pytest.mark.parametrize("heading, offset, word", [
    ("Header, 128 bytes", SegmentHeader.MAGIC, SegmentHeader.MAGIC_BYTES.decode()),
    ("Header, 128 bytes", SegmentHeader.VERSION, "version"),
    ("Header, 128 bytes", SegmentHeader.LENGTH_FIELD, f"{SegmentHeader.LENGTH}"),
    ("Header, 128 bytes", SegmentHeader.FIRST_POSITION, "first position"),
    ("Header, 128 bytes", SegmentHeader.FEATURES, "feature"),
    ("Header, 128 bytes", SegmentHeader.CHECKSUM, "checksum"),
    ("Block", Block.MAGIC, Block.MAGIC_BYTES.decode()),
    ("Block", Block.PAYLOAD_LENGTH, "length"),
    ("Block", Block.KIND, "kind"),
    ("Block", Block.FIRST_POSITION, "position"),
    ("Block", Block.PAYLOAD, "payload"),
])
def test_the_named_offsets_are_those_of_the_documented_log_format(heading: str, offset: int, word: str) -> None:
    assert word in documented(heading)[offset]


def test_a_segment_is_made_of_blocks_at_the_named_offsets(daemon: Daemon) -> None:
    Feeder(daemon.connect(), "blocks").feed(recordings()[0].events, batch=10, at_once=1)
    daemon.stop()
    [path] = daemon.segments()
    data = path.read_bytes()
    assert data.startswith(SegmentHeader.MAGIC_BYTES)
    assert u32(data, SegmentHeader.LENGTH_FIELD) == SegmentHeader.LENGTH
    assert i64(data, SegmentHeader.FIRST_POSITION) == 1
    assert not is_packed(path)
    offset = FIRST_BLOCK
    positions = []
    while offset < content_end(path):
        assert data[offset:].startswith(Block.MAGIC_BYTES), f"no block at byte {offset}"
        positions.append(i64(data, offset + Block.FIRST_POSITION))
        offset += block_length(data, offset)
    assert positions == sorted(positions), "positions of the blocks"
    assert positions[-1] == len(recordings()[0].events) + 2, "the position after the last record"


def test_the_table_for_hand_over_has_its_fields_at_the_named_offsets(managed_daemon: ManagedDaemon) -> None:
    managed_daemon.stored()
    table = os.pread(managed_daemon.stored_table(), HandOverTable.CHECKSUM, 0)
    assert table.startswith(HandOverTable.MAGIC_BYTES)
    assert u32(table, HandOverTable.VERSION) == TABLE_VERSION
    # One place in the store is the table's own.
    assert u32(table, HandOverTable.SLOT_COUNT) == managed_daemon.store.limit - 1
