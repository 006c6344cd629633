"""Which source file of the package refers to which other one, and what the types store, as the compiler saw it.

File A refers to file B when a symbol that B defines occurs in A: a type, a function, a case, a member of an extension.
A call through a protocol refers to the file of the protocol, never to the files of the types that conform to it.

What the index store doesn't show:
- An inferred type. `let size = window.size` refers to the file that declares the property `size`, but not to the file
  that declares the property's type, unless a member of that type occurs as well.
- A call that isn't in the source: a closure that runs later, or the type behind a protocol.
- Branches of `#if` that weren't compiled, and the C and C++ targets.
"""

import os
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .index_store import IndexStore, IndexStoreError, Kind, Occurrence, Role, Subkind, Symbol, Unit

ROOT = Path(__file__).resolve().parents[3]

# Accessors that compute a value. A stored property has at most observers (`willSet`, `didSet`).
_COMPUTING_ACCESSORS = {
    Subkind.GETTER,
    Subkind.SETTER,
    Subkind.READ,
    Subkind.MODIFY,
    Subkind.ADDRESSOR,
    Subkind.MUTABLE_ADDRESSOR,
}
_ACCESSORS = _COMPUTING_ACCESSORS | {Subkind.WILL_SET, Subkind.DID_SET}


@dataclass(frozen=True)
class StoringType:
    """A class, an actor or a struct, with the names of its stored instance properties.

    The index store calls an actor a class.
    """

    module: str
    name: str
    kind: Kind
    file: str
    stored: tuple[str, ...]

    @property
    def full_name(self) -> str:
        """The name with its module."""
        return f"{self.module}.{self.name}"


@dataclass(repr=False)
class PackageIndex:
    """Everything that the Swift files under Sources define and refer to. Files are paths relative to the root."""

    occurrences: dict[str, list[Occurrence]]

    @classmethod
    def load(cls, root: Path = ROOT, scratch_path: Path | None = None) -> "PackageIndex":
        """Reads the index store of the last debug build. Fails when a file was changed since, or never built."""
        store = IndexStore((scratch_path or root / ".build") / "debug/index/store")
        try:
            units = _current_units(root, store.units())
            return cls({file: store.occurrences(unit.record) if unit.record else [] for file, unit in units.items()})
        finally:
            store.close()

    @cached_property
    def files(self) -> list[str]:
        """The files, sorted."""
        return sorted(self.occurrences)

    @cached_property
    def modules(self) -> list[str]:
        """The targets under Sources that hold Swift, sorted."""
        return sorted({module_of(file) for file in self.files})

    @cached_property
    def definitions(self) -> dict[str, str]:
        """The file that defines each symbol, by the symbol's USR."""
        return {
            occurrence.symbol.usr: file
            for file, occurrences in self.occurrences.items()
            for occurrence in occurrences
            if occurrence.roles & Role.DEFINITION
        }

    @cached_property
    def references(self) -> dict[tuple[str, str], set[str]]:
        """The symbols that make each edge: (the file that refers, the file that defines) to their names.

        A property's accessors are left out, since the property itself is there as well. So is what the compiler
        relates without a reference, above all a protocol's requirement and its witness: a call through a protocol
        refers to the protocol's file alone.
        """
        edges = defaultdict(set)
        for file, occurrences in self.occurrences.items():
            for occurrence in occurrences:
                symbol = occurrence.symbol
                if not occurrence.roles & Role.REFERENCE or symbol.subkind in _ACCESSORS:
                    continue
                target = self.definitions.get(symbol.usr)
                if target is not None and target != file:
                    edges[file, target].add(self._qualified_names[symbol.usr])
        return dict(edges)

    def file_graph(self, module: str | None = None) -> dict[str, set[str]]:
        """Returns which files each file refers to, inside one module or everywhere."""
        graph = {file: set() for file in self.files if module in (None, module_of(file))}
        for source, target in self.references:
            if source in graph and target in graph:
                graph[source].add(target)
        return graph

    @cached_property
    def protocols_adopted(self) -> dict[str, set[str]]:
        """The package's protocols that types in each file conform to, as USRs."""
        return self._protocols(lambda roles: roles & Role.BASE_OF)

    @cached_property
    def protocols_used(self) -> dict[str, set[str]]:
        """The package's protocols that each file refers to other than by conforming to them, as USRs."""
        return self._protocols(lambda roles: roles & Role.REFERENCE and not roles & Role.BASE_OF)

    @cached_property
    def storing_types(self) -> list[StoringType]:
        """The classes, actors and structs, those with the most stored properties first."""
        computed = {
            parent.usr
            for occurrences in self.occurrences.values()
            for occurrence in occurrences
            if occurrence.symbol.subkind in _COMPUTING_ACCESSORS and not occurrence.roles & Role.IMPLICIT
            for role, parent in occurrence.relations
            if role & (Role.ACCESSOR_OF | Role.CHILD_OF)
        }
        types = {}
        stored = defaultdict(list)
        for file, occurrences in self.occurrences.items():
            for occurrence in occurrences:
                symbol = occurrence.symbol
                if not occurrence.roles & Role.DEFINITION:
                    continue
                if symbol.kind in (Kind.CLASS, Kind.STRUCT):
                    types[symbol.usr] = (file, symbol)
                elif (
                    symbol.kind is Kind.INSTANCE_PROPERTY
                    and symbol.subkind is not Subkind.SUBSCRIPT
                    and symbol.usr not in computed
                ):
                    for role, parent in occurrence.relations:
                        if role & Role.CHILD_OF:
                            stored[parent.usr].append(symbol.name)
        result = [
            StoringType(
                module=module_of(file),
                name=self._qualified_names[usr],
                kind=symbol.kind,
                file=file,
                stored=tuple(stored[usr]),
            )
            for usr, (file, symbol) in types.items()
        ]
        return sorted(result, key=lambda type: (-len(type.stored), type.module, type.name))

    def _protocols(self, is_wanted: Callable[[Role], bool]) -> dict[str, set[str]]:
        return {
            file: {
                occurrence.symbol.usr
                for occurrence in occurrences
                if occurrence.symbol.kind is Kind.PROTOCOL
                and occurrence.symbol.usr in self.definitions
                and is_wanted(occurrence.roles)
            }
            for file, occurrences in self.occurrences.items()
        }

    @cached_property
    def _qualified_names(self) -> dict[str, str]:
        """The names with the types around them, `Service.Part.run(_:)`, by USR."""
        parents: dict[str, Symbol] = {}
        names = {}
        for occurrences in self.occurrences.values():
            for occurrence in occurrences:
                if occurrence.roles & Role.DEFINITION:
                    names[occurrence.symbol.usr] = occurrence.symbol.name
                    for role, parent in occurrence.relations:
                        if role & Role.CHILD_OF:
                            parents[occurrence.symbol.usr] = parent

        def qualified(usr, name):
            parent = parents.get(usr)
            return f"{qualified(parent.usr, parent.name)}.{name}" if parent else name

        return {usr: qualified(usr, name) for usr, name in names.items()}


def module_of(file: str) -> str:
    """Returns the target that a file belongs to: the folder under Sources."""
    return file.split("/")[1]


def folder_of(file: str) -> str:
    """Returns the folder of a file inside its target, or the target itself for a file beside the folders."""
    parts = file.split("/")
    return parts[2] if len(parts) > 3 else f"({parts[1]})"


def swift_files(root: Path) -> list[str]:
    """Returns the Swift files under Sources, relative to the root."""
    return sorted(str(path.relative_to(root)) for path in (root / "Sources").rglob("*.swift"))


def _current_units(root: Path, units: list[Unit]) -> dict[str, Unit]:
    """Returns the newest unit of each file. The store keeps units of files that have moved since."""
    newest = {}
    for unit in units:
        known = newest.get((unit.source, unit.module))
        if known is None or known.modified < unit.modified:
            newest[unit.source, unit.module] = unit
    current, missing, stale = {}, [], []
    for file in swift_files(root):
        path = root / file
        unit = newest.get((path, module_of(file).replace("-", "_")))
        if unit is None:
            missing.append(file)
            continue
        current[file] = unit
        if unit.modified < os.stat(path).st_mtime:
            stale.append(file)
    if missing or stale:
        files = missing or stale
        what = "not in the index store" if missing else "changed since the build that wrote the index store"
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        raise IndexStoreError(f"{what}: {files[0]}{more}; run `swift build` (without --disable-index-store)")
    return current
