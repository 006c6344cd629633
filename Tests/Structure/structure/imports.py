"""The modules that each file imports.

Read from the source, because the index store knows only the branches of `#if` that were compiled. Swift allows
`import` at the start of a statement only, so one pattern finds every import.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from .package_index import ROOT, PackageIndex, module_of, swift_files

_IMPORT = re.compile(
    r"""^\s*
        (?:@[\w()]+\s+)*
        (?:(?:public|package|internal|fileprivate|private)\s+)?
        import\s+
        (?:(?:typealias|struct|class|enum|protocol|let|var|func|actor)\s+)?
        (\w+)""",
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True)
class Import:
    """A file and a module that it depends on."""

    file: str
    module: str

    def __str__(self):
        return f"{self.file} → {self.module}"


def imported_modules(text: str) -> set[str]:
    """Returns the modules that a Swift source imports."""
    return set(_IMPORT.findall(text))


def imports(root: Path = ROOT) -> list[Import]:
    """Returns the imports of all files under Sources."""
    return [
        Import(file, module)
        for file in swift_files(root)
        for module in sorted(imported_modules((root / file).read_text()))
    ]


def uses_of_other_targets(index: PackageIndex) -> list[Import]:
    """Returns which files refer to which other targets, by an import of their own or through another module's."""
    uses = {
        Import(source, module_of(target))
        for source, target in index.references
        if module_of(source) != module_of(target)
    }
    return sorted(uses, key=lambda use: (use.file, use.module))


def forbidden(
    found: list[Import], allowed: dict[str, set[str]], extra: dict[tuple[str, str], str]
) -> list[Import]:
    """Returns the imports that neither the table nor an exception allows. A target without a row may import nothing."""
    return [
        item
        for item in found
        if item.module not in allowed.get(module_of(item.file), set()) and not _matching(item, extra)
    ]


def unused_exceptions(
    found: list[Import], allowed: dict[str, set[str]], extra: dict[tuple[str, str], str]
) -> set[tuple[str, str]]:
    """Returns the exceptions that no import needs."""
    used = {exception for item in forbidden(found, allowed, {}) for exception in _matching(item, extra)}
    return set(extra) - used


def _matching(item: Import, extra: dict[tuple[str, str], str]) -> list[tuple[str, str]]:
    return [
        (path, module)
        for path, module in extra
        if module == item.module and (item.file == path or item.file.startswith(f"{path}/"))
    ]
