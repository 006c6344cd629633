"""Fixtures of the tests with real browsers: the programs, a daemon, and a browser whose profile has the extension.

    /usr/bin/python3 -m pytest Tests/Browser [-k WORDS] [--programs DIR] [--every N]

A test whose browser can't be had is skipped, and the summary says why.
"""

import os
import subprocess
from pathlib import Path

import pytest

pytest.register_assert_rewrite("support", "driving")

from driving import extension  # noqa: E402
from driving.chromium import Chromium  # noqa: E402
from driving.pages import Server  # noqa: E402
from driving.session import Fed  # noqa: E402
from support import programs, signals  # noqa: E402
from support.repository import REPOSITORY  # noqa: E402
from support.workspace import Workspace  # noqa: E402


def pytest_addoption(parser):
    group = parser.getgroup("browser")
    group.addoption("--programs", metavar="DIR",
                    help="directory of the programs; by default they are built for release and taken from the build's")
    group.addoption("--every", type=int, default=1, metavar="N", help="play only every Nth scenario of the double recordings, and leave out the long tests if N is more than 1")


def pytest_collection_modifyitems(config, items):
    scenarios = [item for item in items if "scenario" in getattr(item, "fixturenames", ())]
    left_out = {item for index, item in enumerate(scenarios) if index % config.option.every}
    if config.option.every > 1:
        left_out |= {item for item in items if item.get_closest_marker("long")}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def pytest_configure(config):
    config.addinivalue_line("markers", "long: a variant of another test, for runs by hand")
    signals.end_cleanly()


@pytest.fixture(scope="session", autouse=True)
def built_programs(request):
    """Finds the programs under test, and builds them first unless `--programs` names a directory."""
    directory = request.config.option.programs
    if not directory:
        directory = programs.build()
        subprocess.run(["swift", "build", "-c", "release", "--product", "scroll-native-host"], check=True, cwd=REPOSITORY)
    programs.directory = os.path.abspath(directory)
    return programs.directory


@pytest.fixture(scope="module")
def module_workspace():
    """A directory and processes of a file of tests, which are gone after it."""
    workspace = Workspace()
    yield workspace
    problems = workspace.close()
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="module")
def server(module_workspace):
    """The pages."""
    server = Server(EXTENSION=extension.CHROMIUM_ID)
    yield server
    server.close()


@pytest.fixture(scope="module")
def fed(module_workspace, server):
    """A daemon and a Chromium that feeds it from http://localhost."""
    fed = Fed.start(module_workspace, server)
    yield fed
    fed.close()
