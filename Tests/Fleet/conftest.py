"""Fixtures of the tests of a fleet: daemons, relays, and PostgreSQL servers that the tests start themselves.

    /usr/bin/python3 -m pytest Tests/Fleet [--long] [-k WORDS] [--seed N] [--programs DIR]

Without `--long`, each trial is short, and all of them take a few minutes. The servers belong to the user `nobody`, since
PostgreSQL refuses to run as root, and are gone after the tests.
"""

import os
import random as random_numbers
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "EndToEnd"))
pytest.register_assert_rewrite("support", "fleet")

from support import programs, signals  # noqa: E402
from support.disks import Disks  # noqa: E402
from support.repository import REPOSITORY  # noqa: E402
from support.workspace import Workspace  # noqa: E402

from fleet.cluster import BINARIES, Cluster  # noqa: E402
from fleet.machine import Machine  # noqa: E402


def pytest_addoption(parser):
    group = parser.getgroup("fleet")
    group.addoption("--long", action="store_true", help="try each thing many more times")
    group.addoption("--seed", type=int, default=random_numbers.SystemRandom().randrange(1 << 32), metavar="N",
                    help="seed of the random tests; by default another one in each run")
    group.addoption("--programs", metavar="DIR",
                    help="directory of the release programs; by default they are built and taken from the build's")


def pytest_configure(config):
    signals.end_cleanly()
    config.addinivalue_line("markers", "long: only with --long")


def pytest_report_header(config):
    return f"random tests: --seed {config.option.seed}"


def pytest_collection_modifyitems(config, items):
    if config.option.long:
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="only with --long"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    report = outcome.get_result()
    workspace = getattr(item, "funcargs", {}).get("workspace")
    if report.failed and workspace:
        report.sections += workspace.outputs()


@pytest.fixture(scope="session", autouse=True)
def built_programs(request):
    """Finds the programs under test, and builds them first unless `--programs` names a directory."""
    directory = request.config.option.programs
    if not directory:
        for product in ("scrollctl", "scroll-relay"):
            subprocess.run(["swift", "build", "-c", "release", "--product", product], check=True, cwd=REPOSITORY)
        shown = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], check=True, cwd=REPOSITORY,
                               stdout=subprocess.PIPE, text=True)
        directory = shown.stdout.strip()
    programs.directory = os.path.abspath(directory)


@pytest.fixture
def is_long(request) -> bool:
    return request.config.option.long


@pytest.fixture
def random(request):
    """The test's random numbers, the same for the same seed whichever other tests run."""
    return random_numbers.Random(f"{request.config.option.seed} {request.node.name}")


@pytest.fixture(scope="session")
def installed_server():
    """Skips the test where PostgreSQL is not installed, or where this process may not become another user."""
    if BINARIES is None:
        pytest.skip("PostgreSQL is not installed")
    if os.getuid() != 0:
        pytest.skip("needs root, to start servers as another user")


@pytest.fixture
def workspace():
    """A directory and processes of the test's own, which are gone after it."""
    workspace = Workspace()
    yield workspace
    problems = workspace.close()
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="session")
def shared_cluster(installed_server):
    """A server for all tests that don't harm it."""
    workspace = Workspace()
    cluster = Cluster(workspace.directory / "server").start()
    yield cluster
    cluster.stop("immediate")
    workspace.close()


@pytest.fixture
def database(shared_cluster):
    """A database of the test's own, with the schema."""
    database = shared_cluster.database()
    database.init()
    return database


@pytest.fixture
def cluster(installed_server, workspace):
    """A server of the test's own."""
    cluster = Cluster(workspace.directory / "server").start()
    workspace.add_finalizer(lambda: cluster.stop("immediate"))
    return cluster


@pytest.fixture
def machine(workspace):
    """A function that makes a machine: a daemon, and an id for its relay."""
    count = 0

    def make(config: str = "", **options) -> Machine:
        nonlocal count
        count += 1
        return Machine(workspace, workspace.daemon(config, name=f"machine{count}", **options), count)

    return make


@pytest.fixture
def disks(workspace):
    """Mounts small file systems."""
    return Disks(workspace)
