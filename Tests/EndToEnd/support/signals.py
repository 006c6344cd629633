"""Ending a run of the tests by a signal."""

import signal

import pytest


def end_cleanly() -> None:
    """Has SIGTERM and SIGHUP end the run as Ctrl-C does: fixtures still remove daemons, directories and mounts."""

    def end(number, _frame):
        pytest.exit(f"ended by signal {number}", 128 + number)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGHUP, end)
