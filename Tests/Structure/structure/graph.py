"""Directed graphs, as mappings from a node to the nodes that it points at."""

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)
Group = TypeVar("Group", bound=Hashable)
Graph = Mapping[Node, Collection[Node]]


def cycles(graph: Graph) -> list[list[Node]]:
    """Returns the strongly connected components of more than one node, the largest first, each sorted.

    Every node of such a component reaches every other one, so none of them can be read or changed alone.
    """
    components = [sorted(component) for component in _strongly_connected_components(graph) if len(component) > 1]
    return sorted(components, key=lambda component: (-len(component), component))


def grouped(graph: Graph, group_of: Callable[[Node], Group]) -> dict[Group, set[Group]]:
    """Merges the nodes of each group into one node. Edges inside a group disappear."""
    merged = {}
    for node, targets in graph.items():
        group = merged.setdefault(group_of(node), set())
        for target in targets:
            merged.setdefault(group_of(target), set())
            group.add(group_of(target))
    for group, targets in merged.items():
        targets.discard(group)
    return merged


def _strongly_connected_components(graph: Graph) -> list[list[Node]]:
    """Tarjan's algorithm, with a stack of its own because a path can be longer than Python's recursion limit."""
    index = {}
    lowest = {}
    path = []
    on_path = set()
    components = []

    def enter(node):
        index[node] = lowest[node] = len(index)
        path.append(node)
        on_path.add(node)
        pending.append((node, iter(graph.get(node, ()))))

    for root in graph:
        pending = []
        if root not in index:
            enter(root)
        while pending:
            node, targets = pending[-1]
            target = next(targets, None)
            if target is None:
                pending.pop()
                if pending:
                    caller = pending[-1][0]
                    lowest[caller] = min(lowest[caller], lowest[node])
                if lowest[node] == index[node]:
                    start = path.index(node)
                    components.append(path[start:])
                    on_path.difference_update(path[start:])
                    del path[start:]
            elif target not in index:
                enter(target)
            elif target in on_path:
                lowest[node] = min(lowest[node], index[target])
    return components
