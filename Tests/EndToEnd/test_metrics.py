"""Statistics for Prometheus and its kin, read by the parsers of its own Python client."""

import json
import re
import shlex
import subprocess
from pathlib import Path

from prometheus_client import parser
from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
from support import programs
from support.recordings import Feeder, recordings
from support.runner import check, equal, require
from support.workspace import Workspace

PAGE = Path(__file__).resolve().parents[2] / "Sources/ScrollService/ScrollService.docc/Metrics.md"


@check("metrics: OpenMetrics as its own parser wants it, with a type, a unit and a help each, and the daemon's values")
def openmetrics_text(workspace: Workspace):
    daemon = workspace.daemon()
    feeder = Feeder(daemon.connect(), "metrics")
    feeder.feed(recordings()[0].events)
    text = workspace.scrollctl(daemon, "statistics", "--format", "openmetrics").stdout
    found = {family.name: family for family in families(text)}
    require(text.endswith("# EOF\n"), "there is no end")
    statistics = json.loads(workspace.scrollctl(daemon, "statistics", "--json").stdout)
    kinds = {metric["name"]: metric["kind"] for metric in statistics["metrics"]}
    # One family for each metric, and those for the version and the seven numbers that stand beside the metrics.
    equal(len(found), len(kinds) + 8, "families")
    for family in found.values():
        require(family.type in ("counter", "gauge") and family.documentation, f"{family}")
        equal(family.unit, "bytes" if "bytes" in family.name else "", f"unit of {family.name}")
    equal(sum(family.type == "counter" for family in found.values()), list(kinds.values()).count("counter"), "counters")
    events = found["scrolld_events_appended"].samples[0]
    equal((events.name, events.value), ("scrolld_events_appended_total", len(recordings()[0].events)), "events")
    equal(found["scrolld_sessions"].samples[0].value, 1, "sessions")
    require(found["scrolld_received_bytes"].samples[0].value > 1000, "received bytes")
    equal(found["scrolld_build_info"].samples[0].labels, {"version": statistics["version"]}, "version")


@check("metrics: the textfile collector's older format takes the same text")
def prometheus_text(workspace: Workspace):
    daemon = workspace.daemon()
    text = workspace.scrollctl(daemon, "statistics", "--format", "openmetrics").stdout
    # What that format's own readers refuse, where this one is patient.
    types = {line.split()[3] for line in text.splitlines() if line.startswith("# TYPE ")}
    require(types <= {"counter", "gauge", "untyped"}, f"types that it has not: {types}")
    samples = [sample for family in parser.text_string_to_metric_families(text) for sample in family.samples]
    equal(len(samples), sum(not line.startswith("#") for line in text.splitlines()), "samples")


@check("metrics: the units that the page shows are units, and what they run leaves the file, or takes it away")
def textfile(workspace: Workspace):
    units = {
        name: re.sub("^ {4}", "", text, flags=re.M)
        for name, text in re.findall(r"`/etc/systemd/system/(\S+)`:\n\n((?: {4}.*\n|\n)+)", PAGE.read_text())
    }
    equal(sorted(units), ["scrolld-metrics.service", "scrolld-metrics.timer"], "units of the page")
    for name, text in units.items():
        # On this machine the programs are elsewhere.
        (workspace.directory / name).write_text(text.replace("/usr/bin/scrollctl", programs.path("scrollctl")))
    said = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(workspace.directory / name for name in units)],
        capture_output=True, text=True, timeout=60)
    equal((said.returncode, said.stderr), (0, ""), "systemd-analyze verify")

    daemon = workspace.daemon()
    target = workspace.directory / "scrolld.prom"

    def run_unit() -> bool:
        """Runs the service's commands one after the other, as systemd does; tells whether they did well."""
        def do(key: str, **environment: str) -> bool:
            commands = re.findall(rf"^{key}=(.*)$", units["scrolld-metrics.service"], re.M)
            require(commands, f"there is no {key}=")
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

    require(run_unit(), "the unit fails")
    require(list(families(target.read_text())), "the file holds nothing")
    daemon.stop()
    require(not run_unit(), "the unit does well without a daemon")
    require(not target.exists(), "the file of before is still there")
