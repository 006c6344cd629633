"""How much state a type has."""

import pytest

from structure import report
from structure.architecture import LARGE_STRUCTS, MAX_STORED_PROPERTIES
from structure.index_store import Kind


def large_types(index, kind):
    return [type for type in index.storing_types if type.kind is kind and len(type.stored) > MAX_STORED_PROPERTIES]


def fail_for(large):
    if large:
        lines = [f"More than {MAX_STORED_PROPERTIES} stored properties:", *map(report.describe, large)]
        pytest.fail("\n".join(lines), pytrace=False)


def test_no_class_or_actor_has_too_many_stored_properties(index):
    print(report.largest_types(index))
    fail_for(large_types(index, Kind.CLASS))


def test_only_listed_structs_have_too_many_stored_properties(index):
    fail_for([type for type in large_types(index, Kind.STRUCT) if type.full_name not in LARGE_STRUCTS])


def test_every_listed_struct_is_large(index):
    small = set(LARGE_STRUCTS) - {type.full_name for type in large_types(index, Kind.STRUCT)}
    assert not small, f"remove from LARGE_STRUCTS: {', '.join(sorted(small))}"
