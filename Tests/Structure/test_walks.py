"""The walks through the code in Architecture.md, which would otherwise go stale unnoticed."""

import pytest

from structure import walks
from structure.walks import ARCHITECTURE, Walk

EXAMPLE = """
# Architecture

1. `Sources/Elsewhere.swift` is in no walk.

## Walk: an Append

Some text.

1. `Sources/A.swift` reads the bytes
   and goes to `Sources/Other.swift`.
2. `Sources/B.swift`: finds the call.
3. The log writes it.

### More

4. `Sources/Elsewhere.swift` is in no walk.

## Walk: a start

1. `Sources/A.swift`
2. `Sources/A.swift`
"""


@pytest.fixture
def text() -> str:
    if not ARCHITECTURE.exists():
        pytest.skip(f"{ARCHITECTURE.name} doesn't exist yet")
    return ARCHITECTURE.read_text()


@pytest.fixture
def document(text) -> list[Walk]:
    found = walks.parse(text)
    assert found, "no heading begins with `## Walk: `"
    return found


def test_every_path_in_the_document_exists(text):
    assert walks.missing_paths(text) == []


def test_every_step_of_a_walk_names_a_swift_file(document):
    for walk in document:
        assert walk.items_without_file == [], walk.title
        assert len(walk.files) > 1, f"{walk.title}: not a walk"
        assert [file for file in walk.files if not file.endswith(".swift")] == [], walk.title


def test_a_walk_names_each_file_once(document):
    for walk in document:
        assert walks.repeated_files(walk) == [], walk.title


def test_each_step_of_a_walk_is_one_that_the_code_takes(index, document):
    broken = [
        f"{walk.title}: {first} and {second} have nothing to do with each other"
        for walk in document
        for first, second in walks.broken_steps(walk, index)
    ]
    assert not broken, "\n".join(broken)


def test_parsing_takes_the_first_path_of_each_item():
    append, start = walks.parse(EXAMPLE)
    assert append == Walk("an Append", ["Sources/A.swift", "Sources/B.swift"], ["3. The log writes it."])
    assert start.title == "a start"
    assert walks.repeated_files(start) == ["Sources/A.swift"]


def test_missing_paths_are_found_anywhere(tmp_path):
    (tmp_path / "Sources/Part").mkdir(parents=True)
    (tmp_path / "Sources/Part/A.swift").touch()
    text = "`Sources/Part/A.swift`, `Sources/Part/`, `Sources/*/A.swift`, `Sources/Part/B.swift`, `swift build`"
    assert walks.missing_paths(text, tmp_path) == ["Sources/Part/B.swift"]


class Index:
    """An index with just what the steps are judged by."""

    def __init__(self, references, used={}, adopted={}):
        self.references = dict.fromkeys(references, {"x"})
        self.protocols_used = used
        self.protocols_adopted = adopted


@pytest.mark.parametrize(
    "index",
    [
        Index([("a", "b")]),
        Index([("b", "a")]),
        Index([("c", "a"), ("c", "b")]),
        Index([], used={"a": {"P"}}, adopted={"b": {"P"}}),
    ],
    ids=["forwards", "backwards", "shared caller", "through a protocol"],
)
def test_a_step_along_a_reference_is_taken(index):
    assert ("a", "b") not in walks.broken_steps(Walk("", ["a", "b", "c"]), index)


@pytest.mark.parametrize(
    "index",
    [
        Index([]),
        Index([("d", "a"), ("d", "b")]),
        Index([("a", "c"), ("b", "c")]),
        Index([], used={"a": {"P"}, "b": {"P"}}),
    ],
    ids=["nothing", "a caller outside the walk", "a shared callee", "a protocol that neither adopts"],
)
def test_a_step_without_a_reference_is_broken(index):
    assert ("a", "b") in walks.broken_steps(Walk("", ["a", "b", "c"]), index)
