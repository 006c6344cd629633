"""The way of the tests' reports from the pytest in the container to the one on the host.

The versions of pytest may differ, so the reports are written as JSON of their own, one a line.
"""

import json
import time
from pathlib import Path
from typing import Iterator, Optional

import pytest

from container import Container, ContainerError, Unavailable

DIRECTORY = Path(__file__).parent
#: How many lines of the journal the report of a failure shows.
JOURNAL_LINES = 80


class Writer:
    """In the container: writes each report to a file as soon as it is made."""

    def __init__(self, path: str):
        self._file = open(path, "w", buffering=1)
        self._started = 0

    def pytest_runtest_logstart(self) -> None:
        self._started = int(time.time())

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self):
        outcome = yield
        report = outcome.get_result()
        if report.failed:
            from machine import run

            journal = run("journalctl", f"--since=@{self._started}", "--no-pager", f"--lines={JOURNAL_LINES}", status=None)
            report.sections.append(("journal", journal))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        reason = report.longrepr[2] if report.skipped else report.longreprtext
        self._file.write(json.dumps({
            "test": report.nodeid.split("::", 1)[1], "when": report.when, "outcome": report.outcome,
            "duration": report.duration, "reason": reason, "sections": report.sections}) + "\n")


class Reader:
    """On the host: boots the container for the first test, and reports every test as the container does."""

    def __init__(self, suite: Optional[str], package: Optional[str]):
        self._suite = suite
        self._package = package
        self._container: Optional[Container] = None
        #: Why there is no container.
        self._obstacle = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item):
        if item.path.parent != DIRECTORY:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._reports(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_unconfigure(self) -> None:
        if self._container:
            self._container.close()

    def _reports(self, item: pytest.Item) -> Iterator[pytest.TestReport]:
        if not (self._container or self._obstacle):
            try:
                self._container = Container(self._suite, self._package)
            except Unavailable as error:
                self._obstacle = str(error)
        if self._obstacle:
            yield report_of(item, {"when": "setup", "outcome": "skipped", "reason": self._obstacle})
            return
        try:
            for report in self._container.reports(item.nodeid.split("::", 1)[1]):
                yield report_of(item, report)
        except ContainerError as error:
            yield report_of(item, {"when": "call", "outcome": "failed", "reason": str(error)})


def report_of(item: pytest.Item, report: dict) -> pytest.TestReport:
    """The report of a test from what the container wrote."""
    reason = report["reason"]
    if report["outcome"] == "skipped":
        reason = (str(item.path), item.location[1], reason)
    return pytest.TestReport(
        nodeid=item.nodeid, location=item.location, keywords=dict.fromkeys(item.keywords, 1), outcome=report["outcome"],
        longrepr=reason or None, when=report["when"], duration=report.get("duration", 0),
        sections=[tuple(section) for section in report.get("sections", [])])
