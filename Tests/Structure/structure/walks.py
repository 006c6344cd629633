"""The walks through the code in Architecture.md.

A walk is a heading `## Walk: …` and a numbered list below it. Each item begins with the path of a file in backticks:

    ## Walk: an Append

    1. `Sources/ScrollService/Loop/EventLoop.swift` reads the bytes.
    2. `Sources/ScrollService/Connections/Connection.swift` finds the call in them.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from .package_index import ROOT, PackageIndex

ARCHITECTURE = ROOT / "Sources/ScrollService/ScrollService.docc/Architecture.md"

_HEADING = re.compile(r"^#{1,6}\s+(.*)$")
_WALK = re.compile(r"^##\s+Walk:\s*(.*)$")
_ITEM = re.compile(r"^\d+\.\s+(.*)$")
_PATH_FIRST = re.compile(r"^`([^`]+)`")
_PATH = re.compile(r"`((?:Sources|Tests|config|systemd)/[^`\s]+)`")


@dataclass
class Walk:
    """A walk: the files in the reader's order, and the items that name no file."""

    title: str
    files: list[str] = field(default_factory=list)
    items_without_file: list[str] = field(default_factory=list)


def parse(text: str) -> list[Walk]:
    """Returns the walks of a document."""
    walks = []
    current = None
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            walk = _WALK.match(line)
            current = Walk(walk[1].strip()) if walk else None
            if current:
                walks.append(current)
        elif current and (item := _ITEM.match(line)):
            if path := _PATH_FIRST.match(item[1]):
                current.files.append(path[1])
            else:
                current.items_without_file.append(line)
    return walks


def missing_paths(text: str, root: Path = ROOT) -> list[str]:
    """Returns the paths in backticks that don't exist, in walks and elsewhere. `*` stands for any name."""
    return [path for path in sorted(set(_PATH.findall(text))) if not any(root.glob(path.rstrip("/")))]


def repeated_files(walk: Walk) -> list[str]:
    """Returns the files that a walk names more than once."""
    return sorted({file for file in walk.files if walk.files.count(file) > 1})


def broken_steps(walk: Walk, index: PackageIndex) -> list[tuple[str, str]]:
    """Returns the steps of a walk from one file to the next that the code doesn't take.

    The code takes a step when
    - one of the two files refers to the other;
    - one file of the same walk refers to both, as a caller that passes the first file's result to the second; or
    - one of them refers to a protocol that a type in the other conforms to, so that it can call that type.
    """
    return [step for step in zip(walk.files, walk.files[1:]) if not _is_taken(step, walk, index)]


def _is_taken(step: tuple[str, str], walk: Walk, index: PackageIndex) -> bool:
    first, second = step
    refers = index.references
    return (
        (first, second) in refers
        or (second, first) in refers
        or any((caller, first) in refers and (caller, second) in refers for caller in walk.files)
        or _calls_through_protocol(first, second, index)
        or _calls_through_protocol(second, first, index)
    )


def _calls_through_protocol(caller: str, callee: str, index: PackageIndex) -> bool:
    return bool(index.protocols_used.get(caller, set()) & index.protocols_adopted.get(callee, set()))
