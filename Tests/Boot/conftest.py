"""Boots a Debian in a container and runs the tests of this directory there, as if they ran here.

    /usr/bin/python3 -m pytest Tests/Boot [--suite SUITE] [--package FILE]

Needs root, systemd-nspawn, mmdebstrap and a Debian archive; without them the tests are skipped. The container always runs the
whole story up to the last test that is selected.
"""

import argparse

import reporting
from support import signals


def pytest_addoption(parser):
    group = parser.getgroup("boot")
    group.addoption("--suite", help="release of Debian to boot; by default this machine's")
    group.addoption("--package", metavar="FILE",
                    help="package to test, made for that release; by default systemd/package makes it")
    # Given to the pytest in the container.
    group.addoption("--reports", help=argparse.SUPPRESS)


def pytest_configure(config):
    signals.end_cleanly()
    if config.option.reports:
        config.pluginmanager.register(reporting.Writer(config.option.reports))
    else:
        config.pluginmanager.register(reporting.Reader(config.option.suite, config.option.package))
