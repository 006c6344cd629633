"""The graph algorithms, on graphs small enough to draw."""

from structure.graph import cycles, grouped


def test_a_chain_has_no_cycle():
    assert cycles({"a": ["b"], "b": ["c"], "c": []}) == []


def test_a_node_that_points_at_itself_is_no_cycle():
    assert cycles({"a": ["a"]}) == []


def test_two_nodes_that_point_at_each_other_are_a_cycle():
    assert cycles({"b": ["a"], "a": ["b"]}) == [["a", "b"]]


def test_cycles_that_share_a_node_are_one():
    assert cycles({"a": ["b"], "b": ["a", "c"], "c": ["b"]}) == [["a", "b", "c"]]


def test_cycles_joined_one_way_stay_apart_and_the_largest_comes_first():
    graph = {"a": ["b"], "b": ["a", "c"], "c": ["d"], "d": ["e"], "e": ["c", "f"], "f": []}
    assert cycles(graph) == [["c", "d", "e"], ["a", "b"]]


def test_a_node_without_a_row_ends_the_path():
    assert cycles({"a": ["b"]}) == []


def test_a_cycle_may_be_longer_than_the_recursion_limit():
    length = 10_000
    graph = {node: [(node + 1) % length] for node in range(length)}
    assert [len(cycle) for cycle in cycles(graph)] == [length]


def test_grouping_merges_edges_and_drops_those_inside_a_group():
    graph = {"A1": ["A2", "B1"], "A2": ["B2"], "B1": [], "B2": ["A1"]}
    assert grouped(graph, lambda node: node[0]) == {"A": {"B"}, "B": {"A"}}
