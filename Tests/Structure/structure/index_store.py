"""The compiler's index store, read through the toolchain's libIndexStore.

A debug build writes one unit per source file, and each unit names a record: the symbols that the file mentions and each
place where it defines or refers to one. The C API is declared in the toolchain's `indexstore/indexstore.h`.
"""

import ctypes
import os
import shutil
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from pathlib import Path


class IndexStoreError(Exception):
    """The index store can't be read. The message says what is missing and how to get it."""


class Kind(IntEnum):
    """The kinds of symbol that the checks tell apart."""

    OTHER = 0
    ENUM = 5
    STRUCT = 6
    CLASS = 7
    PROTOCOL = 8
    EXTENSION = 9
    INSTANCE_METHOD = 16
    INSTANCE_PROPERTY = 19
    STATIC_PROPERTY = 21
    PARAMETER = 25

    @classmethod
    def _missing_(cls, value):
        return cls.OTHER


class Subkind(IntEnum):
    """The kinds of accessor that make a property computed, and those that only observe a stored one."""

    OTHER = 0
    GETTER = 3
    SETTER = 4
    WILL_SET = 1000
    DID_SET = 1001
    ADDRESSOR = 1002
    MUTABLE_ADDRESSOR = 1003
    GENERIC_PARAMETER = 1013
    SUBSCRIPT = 1011
    READ = 1014
    MODIFY = 1015

    @classmethod
    def _missing_(cls, value):
        return cls.OTHER


class Role(IntFlag):
    """What an occurrence does with its symbol, and how two symbols are related."""

    DECLARATION = 1 << 0
    DEFINITION = 1 << 1
    REFERENCE = 1 << 2
    CALL = 1 << 5
    DYNAMIC = 1 << 6
    IMPLICIT = 1 << 8
    CHILD_OF = 1 << 9
    BASE_OF = 1 << 10
    OVERRIDE_OF = 1 << 11
    CALLED_BY = 1 << 13
    EXTENDED_BY = 1 << 14
    ACCESSOR_OF = 1 << 15
    CONTAINED_BY = 1 << 16


LOCAL = 1 << 7


@dataclass(frozen=True)
class Symbol:
    """A symbol as a record describes it. Its `usr` is the same in every file of the program."""

    usr: str
    name: str
    kind: Kind
    subkind: Subkind
    is_local: bool


@dataclass(frozen=True)
class Occurrence:
    """A place in a file where a symbol is defined or referred to, with the symbols that the place relates it to."""

    symbol: Symbol
    roles: Role
    line: int
    relations: tuple[tuple[Role, Symbol], ...]


@dataclass(frozen=True)
class Unit:
    """What one compilation of one source file left in the store."""

    module: str
    source: Path
    output: str
    modified: float
    record: str | None


class _String(ctypes.Structure):
    """A string as the library returns it: bytes and their count, not terminated."""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


_UNIT_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, _String)
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)

# The functions in use: their result and their arguments.
_POINTER = ctypes.c_void_p
_SIGNATURES = {
    "error_get_description": (ctypes.c_char_p, [_POINTER]),
    "error_dispose": (None, [_POINTER]),
    "store_create": (_POINTER, [ctypes.c_char_p, ctypes.POINTER(_POINTER)]),
    "store_dispose": (None, [_POINTER]),
    "store_units_apply_f": (ctypes.c_bool, [_POINTER, ctypes.c_uint, _POINTER, _UNIT_CALLBACK]),
    "unit_reader_create": (_POINTER, [_POINTER, ctypes.c_char_p, ctypes.POINTER(_POINTER)]),
    "unit_reader_dispose": (None, [_POINTER]),
    "unit_reader_is_system_unit": (ctypes.c_bool, [_POINTER]),
    "unit_reader_is_module_unit": (ctypes.c_bool, [_POINTER]),
    "unit_reader_get_main_file": (_String, [_POINTER]),
    "unit_reader_get_module_name": (_String, [_POINTER]),
    "unit_reader_get_output_file": (_String, [_POINTER]),
    "unit_reader_get_modification_time": (
        None,
        [_POINTER, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int64)],
    ),
    "unit_reader_dependencies_apply_f": (ctypes.c_bool, [_POINTER, _POINTER, _CALLBACK]),
    "unit_dependency_get_kind": (ctypes.c_int, [_POINTER]),
    "unit_dependency_get_name": (_String, [_POINTER]),
    "unit_dependency_get_filepath": (_String, [_POINTER]),
    "record_reader_create": (_POINTER, [_POINTER, ctypes.c_char_p, ctypes.POINTER(_POINTER)]),
    "record_reader_dispose": (None, [_POINTER]),
    "record_reader_occurrences_apply_f": (ctypes.c_bool, [_POINTER, _POINTER, _CALLBACK]),
    "occurrence_get_symbol": (_POINTER, [_POINTER]),
    "occurrence_get_roles": (ctypes.c_uint64, [_POINTER]),
    "occurrence_get_line_col": (
        None,
        [_POINTER, ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint)],
    ),
    "occurrence_relations_apply_f": (ctypes.c_bool, [_POINTER, _POINTER, _CALLBACK]),
    "symbol_relation_get_roles": (ctypes.c_uint64, [_POINTER]),
    "symbol_relation_get_symbol": (_POINTER, [_POINTER]),
    "symbol_get_kind": (ctypes.c_int, [_POINTER]),
    "symbol_get_subkind": (ctypes.c_int, [_POINTER]),
    "symbol_get_properties": (ctypes.c_uint64, [_POINTER]),
    "symbol_get_name": (_String, [_POINTER]),
    "symbol_get_usr": (_String, [_POINTER]),
}

_RECORD_DEPENDENCY = 2


def find_library() -> Path:
    """Returns the path of libIndexStore: `$SCROLLD_INDEX_STORE_LIBRARY`, or the one beside the `swift` on PATH."""
    named = os.environ.get("SCROLLD_INDEX_STORE_LIBRARY")
    if named:
        if Path(named).exists():
            return Path(named)
        raise IndexStoreError(f"SCROLLD_INDEX_STORE_LIBRARY={named}: no such file")
    swift = shutil.which("swift")
    if swift is None:
        raise IndexStoreError("no swift on PATH, so its libIndexStore.so can't be found; run config/bootstrap")
    looked = []
    for program in (Path(swift), Path(swift).resolve()):
        for directory in ("lib", "lib64", "lib/swift/host", "lib/swift/linux"):
            path = program.parent.parent / directory
            found = sorted(path.glob("libIndexStore.so*"))
            if found:
                return found[0]
            looked.append(str(path))
    raise IndexStoreError(
        "libIndexStore.so, a part of the Swift toolchain, is in none of "
        + ", ".join(dict.fromkeys(looked))
        + "; set SCROLLD_INDEX_STORE_LIBRARY to its path"
    )


class IndexStore:
    """An open index store."""

    def __init__(self, path: Path, library: Path | None = None):
        if not path.is_dir():
            raise IndexStoreError(f"{path}: no index store; run `swift build` (without --disable-index-store) first")
        library = library or find_library()
        try:
            loaded = ctypes.CDLL(str(library))
        except OSError as error:
            raise IndexStoreError(f"cannot load {library}: {error}") from error
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(loaded, f"indexstore_{name}")
            function.restype = result
            function.argtypes = arguments
            setattr(self, f"_{name}", function)
        self._store = self._checked(self._store_create, os.fsencode(path))

    def close(self):
        """Releases the library's memory."""
        self._store_dispose(self._store)

    def units(self) -> list[Unit]:
        """Returns the units of source files, without those of modules that came from elsewhere."""
        names = []

        @_UNIT_CALLBACK
        def collect(_, name):
            names.append(str(name))
            return True

        self._store_units_apply_f(self._store, 0, None, collect)
        units = (self._unit(name) for name in names)
        return [unit for unit in units if unit is not None]

    def occurrences(self, record: str) -> list[Occurrence]:
        """Returns everything that one file defines and refers to, in the file's order."""
        reader = self._checked(self._record_reader_create, self._store, record.encode())
        symbols = {}
        occurrences = []

        def symbol(pointer):
            if pointer not in symbols:
                symbols[pointer] = Symbol(
                    usr=str(self._symbol_get_usr(pointer)),
                    name=str(self._symbol_get_name(pointer)),
                    kind=Kind(self._symbol_get_kind(pointer)),
                    subkind=Subkind(self._symbol_get_subkind(pointer)),
                    is_local=bool(self._symbol_get_properties(pointer) & LOCAL),
                )
            return symbols[pointer]

        relations = []

        @_CALLBACK
        def collect_relation(_, relation):
            relations.append(
                (
                    Role(self._symbol_relation_get_roles(relation)),
                    symbol(self._symbol_relation_get_symbol(relation)),
                )
            )
            return True

        line, column = ctypes.c_uint(), ctypes.c_uint()

        @_CALLBACK
        def collect(_, occurrence):
            relations.clear()
            self._occurrence_relations_apply_f(occurrence, None, collect_relation)
            self._occurrence_get_line_col(occurrence, ctypes.byref(line), ctypes.byref(column))
            occurrences.append(
                Occurrence(
                    symbol=symbol(self._occurrence_get_symbol(occurrence)),
                    roles=Role(self._occurrence_get_roles(occurrence)),
                    line=line.value,
                    relations=tuple(relations),
                )
            )
            return True

        self._record_reader_occurrences_apply_f(reader, None, collect)
        self._record_reader_dispose(reader)
        return occurrences

    def _unit(self, name):
        reader = self._checked(self._unit_reader_create, self._store, name.encode())
        try:
            if self._unit_reader_is_system_unit(reader) or self._unit_reader_is_module_unit(reader):
                return None
            source = Path(str(self._unit_reader_get_main_file(reader)))
            seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
            self._unit_reader_get_modification_time(reader, ctypes.byref(seconds), ctypes.byref(nanoseconds))
            record = None

            @_CALLBACK
            def find_record(_, dependency):
                nonlocal record
                is_record = self._unit_dependency_get_kind(dependency) == _RECORD_DEPENDENCY
                if is_record and Path(str(self._unit_dependency_get_filepath(dependency))) == source:
                    record = str(self._unit_dependency_get_name(dependency))
                return True

            self._unit_reader_dependencies_apply_f(reader, None, find_record)
            return Unit(
                module=str(self._unit_reader_get_module_name(reader)),
                source=source,
                output=str(self._unit_reader_get_output_file(reader)),
                modified=seconds.value + nanoseconds.value / 1e9,
                record=record,
            )
        finally:
            self._unit_reader_dispose(reader)

    def _checked(self, create, *arguments):
        error = _POINTER()
        result = create(*arguments, ctypes.byref(error))
        if result:
            return result
        text = "unknown error"
        if error.value:
            text = self._error_get_description(error).decode()
            self._error_dispose(error)
        raise IndexStoreError(f"cannot read the index store: {text}")
