"""The index of the last debug build, read once for all checks."""

from pathlib import Path

import pytest

from structure.index_store import IndexStoreError
from structure.package_index import ROOT, PackageIndex


def pytest_addoption(parser):
    parser.addoption(
        "--scratch-path",
        type=lambda path: Path(path).absolute(),
        default=ROOT / ".build",
        help="the directory that `swift build` was given by the same option; .build if it was given none",
    )


@pytest.fixture(scope="session")
def index(request) -> PackageIndex:
    """The index of the package. Without one, the checks that need it fail."""
    try:
        return PackageIndex.load(scratch_path=request.config.getoption("--scratch-path"))
    except IndexStoreError as error:
        pytest.fail(str(error), pytrace=False)
