"""Which target may use which other one."""

import pytest

from structure.architecture import ALLOWED_IMPORTS, EXTRA_IMPORTS
from structure.imports import (
    Import,
    forbidden,
    imported_modules,
    imports,
    unused_exceptions,
    uses_of_other_targets,
)


def fail_for(found):
    if found:
        pytest.fail("\n".join(["Not allowed:", *map(str, found)]), pytrace=False)


def test_targets_import_only_what_the_table_allows():
    fail_for(forbidden(imports(), ALLOWED_IMPORTS, EXTRA_IMPORTS))


def test_targets_use_only_what_they_may_import(index):
    """Finds members of a module that a file reaches through another module's import."""
    fail_for(forbidden(uses_of_other_targets(index), ALLOWED_IMPORTS, EXTRA_IMPORTS))


def test_every_exception_is_needed():
    unused = unused_exceptions(imports(), ALLOWED_IMPORTS, EXTRA_IMPORTS)
    assert not unused, f"remove from EXTRA_IMPORTS: {unused}"


def test_no_shipped_file_imports_foundation():
    fail_for([item for item in imports() if item.module.startswith("Foundation")])


@pytest.mark.parametrize(
    "line",
    ["import M", "  import M", "public import M", "@testable import M", "@_spi(X) @preconcurrency import M"]
    + ["import struct M.S", "internal import func M.f", "import M.Submodule"],
)
def test_each_form_of_import_is_found(line):
    assert imported_modules(f"// First.\n{line}\nlet x = 1\n") == {"M"}


@pytest.mark.parametrize("line", ["// import M", "let text = imported(M)", "func imports() {}", "importM()"])
def test_other_lines_are_no_imports(line):
    assert imported_modules(line) == set()


def test_an_exception_covers_a_file_or_a_target():
    found = [Import("Sources/A/F.swift", "Glibc"), Import("Sources/B/G.swift", "Glibc")]
    assert forbidden(found, {}, {("Sources/A/F.swift", "Glibc"): ""}) == found[1:]
    assert forbidden(found, {}, {("Sources/A", "Glibc"): "", ("Sources/B", "Glibc"): ""}) == []
    assert forbidden(found, {"A": {"Glibc"}}, {}) == found[1:]


def test_an_exception_that_the_table_makes_needless_is_unused():
    found = [Import("Sources/A/F.swift", "Glibc")]
    assert unused_exceptions(found, {"A": {"Glibc"}}, {("Sources/A", "Glibc"): ""}) == {("Sources/A", "Glibc")}
    assert unused_exceptions(found, {}, {("Sources/A", "Glibc"): ""}) == set()
