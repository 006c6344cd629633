"""Fixtures of the end-to-end tests: the programs, each test's daemons, users and disks, and its random numbers.

    /usr/bin/python3 -m pytest Tests/EndToEnd [-k WORDS] [--seed N] [--programs DIR]

A test that this machine can't run is skipped, and the summary says why. To test as other users and on full disks, be root.
"""

import os
import random as random_numbers
import shutil
import subprocess

import pytest

pytest.register_assert_rewrite("support")

from support import programs, pypi, signals, users  # noqa: E402
from support.comparison import explain  # noqa: E402
from support.disks import Disks  # noqa: E402
from support.workspace import Workspace  # noqa: E402


def pytest_addoption(parser):
    group = parser.getgroup("end-to-end")
    group.addoption("--seed", type=int, default=random_numbers.SystemRandom().randrange(1 << 32), metavar="N",
                    help="seed of the random tests; by default another one in each run")
    group.addoption("--programs", metavar="DIR",
                    help="directory of the release programs; by default they are built and taken from the build's")


def pytest_configure():
    signals.end_cleanly()


def pytest_report_header(config):
    return f"random tests: --seed {config.option.seed}"


def pytest_terminal_summary(terminalreporter, config):
    if terminalreporter.stats.get("failed"):
        terminalreporter.write_line(f"random tests: --seed {config.option.seed} repeats them")


def pytest_assertrepr_compare(op, left, right):
    return explain(left, right) if op == "==" else None


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
    directory = request.config.option.programs or programs.build()
    programs.directory = os.path.abspath(directory)
    return programs.directory


@pytest.fixture(scope="session")
def pypi_packages():
    """Makes clients and parsers from PyPI importable; returns the path of a Python that has them, too."""
    return pypi.make_importable()


@pytest.fixture
def workspace():
    """A directory and processes of the test's own, which are gone after it."""
    workspace = Workspace()
    yield workspace
    problems = workspace.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def daemon(workspace):
    """A running daemon with the default configuration."""
    return workspace.daemon()


@pytest.fixture
def managed_daemon(workspace):
    """A running daemon whose connections the service manager keeps over restarts."""
    return workspace.managed_daemon()


@pytest.fixture
def random(request):
    """The test's random numbers, the same for the same seed whichever other tests run."""
    return random_numbers.Random(f"{request.config.option.seed} {request.node.name}")


@pytest.fixture
def as_user():
    """A function that calls another one as another user."""
    if os.getuid() != 0:
        pytest.skip("needs root, to be other users")
    return users.as_user


@pytest.fixture
def disks(workspace):
    """Mounts small file systems."""
    return Disks(workspace)


@pytest.fixture
def strace():
    """The path of strace(1)."""
    path = shutil.which("strace")
    if path is None:
        pytest.skip("strace is not installed")
    if subprocess.run([path, "-f", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        pytest.skip("strace may not trace here")
    return path


@pytest.fixture
def c_compiler():
    """The path of a C compiler."""
    for name in ("cc", "gcc", "clang"):
        if path := shutil.which(name):
            return path
    pytest.skip("no C compiler is installed")
