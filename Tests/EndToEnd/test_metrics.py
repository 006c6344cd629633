"""Statistics in OpenMetrics, read by the parsers of Prometheus' Python client."""

import json
import re
import shlex
import subprocess

import pytest

from support import programs
from support.daemon import Daemon
from support.recordings import Feeder, recordings
from support.repository import REPOSITORY
from support.workspace import Workspace

PAGE = REPOSITORY / "Sources/ScrollService/ScrollService.docc/Metrics.md"


@pytest.mark.usefixtures("pypi_packages")
def test_statistics_are_valid_openmetrics_with_the_daemons_values(workspace: Workspace, daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "metrics")
    feeder.feed(recordings()[0].events)
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as families

    text = workspace.scrollctl(daemon, "statistics", "--format", "openmetrics").stdout
    found = {family.name: family for family in families(text)}
    assert text.endswith("# EOF\n"), "the text lacks # EOF"
    statistics = json.loads(workspace.scrollctl(daemon, "statistics", "--json").stdout)
    kinds = {metric["name"]: metric["kind"] for metric in statistics["metrics"]}
    # One family for each metric, one for the version, one for the start, and seven for the numbers outside the metrics.
    assert len(found) == len(kinds) + 9, "families"
    for family in found.values():
        assert family.type in ("counter", "gauge") and family.documentation, f"{family}"
        unit = "bytes" if "bytes" in family.name else "seconds" if family.name.endswith("_seconds") else ""
        assert family.unit == unit, f"unit of {family.name}"
    assert sum(family.type == "counter" for family in found.values()) == list(kinds.values()).count("counter"), (
        "counters")
    events = found["scrolld_events_appended"].samples[0]
    assert (events.name, events.value) == ("scrolld_events_appended_total", len(recordings()[0].events)), "events"
    assert found["scrolld_sessions"].samples[0].value == 1, "sessions"
    assert found["scrolld_received_bytes"].samples[0].value > 1000, "received bytes"
    assert found["scrolld_build_info"].samples[0].labels == {"version": statistics["version"]}, "version"


@pytest.mark.usefixtures("pypi_packages")
def test_statistics_are_valid_in_the_older_prometheus_text_format(workspace: Workspace, daemon: Daemon) -> None:
    text = workspace.scrollctl(daemon, "statistics", "--format", "openmetrics").stdout
    from prometheus_client import parser

    # Other readers of that format refuse types that this parser accepts.
    types = {line.split()[3] for line in text.splitlines() if line.startswith("# TYPE ")}
    assert types <= {"counter", "gauge", "untyped"}, f"types unknown to that format: {types}"
    samples = [sample for family in parser.text_string_to_metric_families(text) for sample in family.samples]
    assert len(samples) == sum(not line.startswith("#") for line in text.splitlines()), "samples"


@pytest.mark.usefixtures("pypi_packages")
def test_the_documented_units_write_the_textfile_and_remove_it_without_a_daemon(workspace: Workspace) -> None:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as families

    units = {
        name: re.sub("^ {4}", "", text, flags=re.M)
        for name, text in re.findall(r"`/etc/systemd/system/(\S+)`:\n\n((?: {4}.*\n|\n)+)", PAGE.read_text())
    }
    assert sorted(units) == ["scrolld-metrics.service", "scrolld-metrics.timer"], "units of the page"
    for name, text in units.items():
        # Runs the programs under test instead of the installed ones.
        (workspace.directory / name).write_text(text.replace("/usr/bin/scrollctl", programs.path("scrollctl")))
    said = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(workspace.directory / name for name in units)],
        capture_output=True, text=True, timeout=60)
    assert (said.returncode, said.stderr) == (0, ""), "systemd-analyze verify"

    daemon = workspace.daemon()
    target = workspace.directory / "scrolld.prom"

    def run_unit() -> bool:
        """Runs the service's commands one after the other, as systemd does; returns whether they succeeded."""
        def do(key: str, **environment: str) -> bool:
            commands = re.findall(rf"^{key}=(.*)$", units["scrolld-metrics.service"], re.M)
            assert commands, f"the unit has no {key}="
            return all(
                subprocess.run(
                    shlex.split(command.replace(
                        "/usr/bin/scrollctl --system", f"{programs.path('scrollctl')} --socket {daemon.socket_path}")),
                    env=programs.environment(**environment), cwd=workspace.directory, timeout=60,
                    stderr=subprocess.DEVNULL).returncode == 0
                for command in commands)

        succeeded = do("ExecStart")
        do("ExecStopPost", SERVICE_RESULT="success" if succeeded else "exit-code")
        return succeeded

    assert run_unit(), "the unit fails"
    assert list(families(target.read_text())), "the file has no metrics"
    daemon.stop()
    assert not run_unit(), "the unit succeeds without a daemon"
    assert not target.exists(), "the file remains without a daemon"
