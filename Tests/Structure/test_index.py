"""What the index says of a small package, so that a change of the compiler's index can't make the checks blind."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from structure.index_store import IndexStoreError, find_library
from structure.package_index import PackageIndex, folder_of, module_of

SOURCES = {
    "Shape.swift": """
        protocol Shape { var area: Int { get }; func draw() }
        func drawAll(_ shapes: [any Shape]) { for shape in shapes { shape.draw() } }
        """,
    "Square.swift": """
        struct Square: Shape {
          let side: Int
          var color = 0 { didSet { redrawn += 1 } }
          var redrawn = 0
          lazy var cached = side
          private(set) static var made = 0
          var area: Int { side * side }
          var doubled: Int { get { side } set { color = newValue } }
          var position: Int { _read { yield redrawn } _modify { yield &redrawn } }
          subscript(index: Int) -> Int { index }
          func draw() { let local = area; _ = local }
        }
        """,
    "Folder/Square+Text.swift": """
        extension Square {
          var text: String { "square" }
          struct Frame { var width = 1 }
        }
        """,
    "Window.swift": """
        final class Window {
          weak var parent: Window?
          unowned(unsafe) let screen: Window
          var title = Square(side: 1).text
          init(screen: Window) { self.screen = screen }
        }
        actor Printer { var pages = 0; nonisolated let name = ""; init() { drawAll([]) } }
        """,
}
MODULE = "Sample"


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("package").resolve()
    for name, text in SOURCES.items():
        path = root / "Sources" / MODULE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    build(root)
    return root


@pytest.fixture
def copy(root, tmp_path) -> Path:
    """The package built in a place of its own, for a test that changes it."""
    shutil.copytree(root / "Sources", tmp_path / "Sources")
    build(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def sample(root) -> PackageIndex:
    return PackageIndex.load(root)


def build(root: Path) -> None:
    store = root / ".build/debug/index/store"
    store.mkdir(parents=True, exist_ok=True)
    objects = root / ".build/objects"
    objects.mkdir(exist_ok=True)
    subprocess.run(
        ["swiftc", "-module-name", MODULE, "-parse-as-library", "-Onone", "-emit-object"]
        + ["-index-store-path", store, "-index-ignore-system-modules"]
        + sorted((root / "Sources" / MODULE).rglob("*.swift")),
        cwd=objects,
        check=True,
    )


def edge(sample: PackageIndex, source: str, target: str) -> set[str]:
    return sample.references.get((f"Sources/{MODULE}/{source}", f"Sources/{MODULE}/{target}"), set())


def stored(sample: PackageIndex, name: str) -> list[str]:
    [type] = [type for type in sample.storing_types if type.name == name]
    return sorted(type.stored)


def test_a_conforming_type_refers_to_its_protocol(sample):
    assert edge(sample, "Square.swift", "Shape.swift") == {"Shape"}


def test_a_call_through_a_protocol_does_not_refer_to_the_conforming_type(sample):
    assert edge(sample, "Shape.swift", "Square.swift") == set()


def test_an_extension_refers_to_the_type_that_it_extends(sample):
    assert edge(sample, "Folder/Square+Text.swift", "Square.swift") == {"Square"}


def test_a_member_of_an_extension_belongs_to_the_extensions_file(sample):
    assert edge(sample, "Window.swift", "Folder/Square+Text.swift") == {"Square.text"}


def test_a_call_of_a_function_and_of_a_memberwise_initializer_are_references(sample):
    assert edge(sample, "Window.swift", "Shape.swift") == {"drawAll(_:)"}
    assert "Square" in edge(sample, "Window.swift", "Square.swift")


def test_computed_and_static_properties_and_subscripts_are_not_stored(sample):
    assert stored(sample, "Square") == ["cached", "color", "redrawn", "side"]


def test_weak_and_unowned_properties_are_stored(sample):
    assert stored(sample, "Window") == ["parent", "screen", "title"]


def test_an_actor_stores_its_nonisolated_constants_as_well(sample):
    assert stored(sample, "Printer") == ["name", "pages"]


def test_a_type_in_an_extension_has_its_own_stored_properties(sample):
    assert stored(sample, "Square.Frame") == ["width"]


def test_a_file_beside_the_folders_counts_as_the_targets_own_folder():
    assert folder_of("Sources/Sample/Folder/Square+Text.swift") == "Folder"
    assert folder_of("Sources/Sample/Folder/Deeper/A.swift") == "Folder"
    assert folder_of("Sources/Sample/Window.swift") == "(Sample)"
    assert module_of("Sources/Sample/Window.swift") == MODULE


def test_a_file_changed_since_the_build_is_an_error(copy):
    path = copy / "Sources" / MODULE / "Shape.swift"
    later = path.stat().st_mtime + 60
    os.utime(path, (later, later))
    with pytest.raises(IndexStoreError, match="changed since the build"):
        PackageIndex.load(copy)


def test_a_file_that_was_never_built_is_an_error(copy):
    (copy / "Sources" / MODULE / "New.swift").write_text("struct New {}")
    with pytest.raises(IndexStoreError, match="not in the index store: .*New.swift"):
        PackageIndex.load(copy)


def test_a_file_that_moved_is_read_where_it_is_now(copy):
    (copy / "Sources" / MODULE / "Window.swift").rename(copy / "Sources" / MODULE / "Folder/Window.swift")
    build(copy)
    moved = PackageIndex.load(copy)
    assert f"Sources/{MODULE}/Window.swift" not in moved.files
    assert edge(moved, "Folder/Window.swift", "Shape.swift") == {"drawAll(_:)"}


def test_a_build_without_an_index_store_is_an_error(tmp_path):
    with pytest.raises(IndexStoreError, match="no index store; run `swift build`"):
        PackageIndex.load(tmp_path)


def test_a_missing_library_is_an_error_that_names_it(monkeypatch, tmp_path):
    swift = tmp_path / "usr/bin/swift"
    swift.parent.mkdir(parents=True)
    swift.write_text("#!/bin/sh\n")
    swift.chmod(0o755)
    monkeypatch.setenv("PATH", str(swift.parent))
    monkeypatch.delenv("SCROLLD_INDEX_STORE_LIBRARY", raising=False)
    with pytest.raises(IndexStoreError, match="libIndexStore.so, a part of the Swift toolchain, is in none of"):
        find_library()
