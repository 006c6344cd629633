"""The figures of the package's structure, as text."""

from .graph import cycles, grouped
from .index_store import Kind
from .package_index import PackageIndex, StoringType, folder_of

_LARGEST_TYPES = 10


def largest_types(index: PackageIndex) -> str:
    """Returns the types with the most stored properties, a line each: the classes and actors, then the structs."""
    lines = []
    for title, kind in (("Classes and actors", Kind.CLASS), ("Structs", Kind.STRUCT)):
        lines.append(f"{title} with the most stored properties:")
        types = [type for type in index.storing_types if type.kind is kind]
        lines += [f"  {describe(type)}" for type in types[:_LARGEST_TYPES]]
    return "\n".join(lines)


def describe(type: StoringType) -> str:
    """Returns a type's size, name and file."""
    return f"{len(type.stored):3}  {type.full_name}  ({type.file})"


def file_cycles(index: PackageIndex, module: str) -> list[list[str]]:
    """Returns the groups of a target's files in which each file refers to each other one, directly or through others."""
    return cycles(index.file_graph(module))


def folder_cycles(index: PackageIndex, module: str) -> list[list[str]]:
    """Returns the groups of a target's folders in which each folder refers to each other one."""
    return cycles(grouped(index.file_graph(module), folder_of))


def describe_file_cycle(index: PackageIndex, module: str, cycle: list[str], symbols: int | None = None) -> str:
    """Returns a cycle's files and its edges, with up to `symbols` of the symbols that make each edge."""
    prefix = f"Sources/{module}/"
    lines = [f"{len(cycle)} files of {module} refer to each other:"]
    for source in cycle:
        lines.append(f"  {source.removeprefix(prefix)}")
        for target in cycle:
            if names := index.references.get((source, target)):
                lines.append(f"    → {target.removeprefix(prefix)}: {_listed(names, symbols)}")
    return "\n".join(lines)


def describe_folder_cycle(index: PackageIndex, module: str, cycle: list[str], symbols: int | None = None) -> str:
    """Returns a cycle's folders, and the references between files that make its edges."""
    prefix = f"Sources/{module}/"
    lines = [f"{len(cycle)} folders of {module} refer to each other: {', '.join(cycle)}"]
    edges = {}
    for source, target in index.references:
        if source.startswith(prefix) and target.startswith(prefix):
            edges.setdefault((folder_of(source), folder_of(target)), []).append((source, target))
    for (source_folder, target_folder), references in sorted(edges.items()):
        if source_folder == target_folder or not {source_folder, target_folder} <= set(cycle):
            continue
        lines.append(f"  {source_folder} → {target_folder}")
        for source, target in sorted(references):
            names = _listed(index.references[source, target], symbols)
            lines.append(f"    {source.removeprefix(prefix)} → {target.removeprefix(prefix)}: {names}")
    return "\n".join(lines)


def summary(index: PackageIndex, module: str) -> str:
    """Returns a target's figures in one line."""
    files = [_size(cycle) for cycle in file_cycles(index, module)]
    folders = [" ".join(cycle) for cycle in folder_cycles(index, module)]
    return (
        f"{module:16} {len(index.file_graph(module)):3} files; "
        f"cycles of files: {' + '.join(files) or 'none'}; cycles of folders: {' | '.join(folders) or 'none'}"
    )


def _size(cycle: list[str]) -> str:
    """Returns the number of files, and what is left when the `Type+Part.swift` files count as parts of `Type.swift`."""
    types = {file.rsplit("/", 1)[1].removesuffix(".swift").split("+")[0] for file in cycle}
    return f"{len(cycle)}" if len(types) == len(cycle) else f"{len(cycle)} (with Type+Part merged: {len(types)})"


def _listed(names: set[str], limit: int | None) -> str:
    ordered = sorted(names)
    if limit is None or len(ordered) <= limit:
        return ", ".join(ordered)
    return f"{', '.join(ordered[:limit])} and {len(ordered) - limit} more"
