"""A start that takes long: what the service manager hears of it meanwhile, and how it is stopped."""

import shutil
import signal
import time
from pathlib import Path

from support.recordings import Feeder, recordings
from support.runner import check, equal, require
from support.service_manager import ManagedDaemon
from support.subscriber import states
from support.tracing import end_traced, require_strace, start_traced
from support.workspace import Workspace

#: How long each of recovery's reads takes, in microseconds.
DELAY = 250_000


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def killed_daemon(workspace: Workspace):
    """A daemon that was killed, and what it told of its clients: its next start has to recover the log."""
    daemon = workspace.daemon()
    for index, recording in enumerate(recordings()[:4]):
        Feeder(daemon.connect(), f"long/{index}").feed(recording.events)
    before = states(daemon)
    equal(len(before), 4, "clients")
    daemon.kill()
    return daemon, before


@check("a long start: the service manager is asked for more time, and hears how far it is")
def extended(workspace: Workspace):
    require_strace()
    daemon, before = killed_daemon(workspace)
    start_traced(daemon, ["pread64"], f"pread64:delay_enter={DELAY}")
    began = time.monotonic()
    daemon.wait_for_notification("EXTEND_TIMEOUT_USEC=60000000")
    # Not before a start is long; and generous towards a machine that is busy.
    took = time.monotonic() - began
    require(1 <= took < 8, f"the service manager is asked after {took:.1f} s")
    told = daemon.notifications[-1].split("\n")
    require("STATUS=Recovering the log, 0 MiB read and written." in told, f"no status: {told}")
    daemon.wait_for_notification("READY=1")
    equal(states(daemon), before, "the clients' states")
    end_traced(daemon, signal.SIGTERM)
    equal(daemon.wait(), 0, f"exit status: {daemon.said()}")


@check("a long start: SIGTERM and SIGINT end it at once, nothing is lost, and the next start has all")
def given_up(workspace: Workspace):
    require_strace()
    daemon, before = killed_daemon(workspace)
    log = contents(daemon.log_directory)
    for number in (signal.SIGTERM, signal.SIGINT):
        start_traced(daemon, ["pread64"], f"pread64:delay_enter={DELAY}")
        daemon.wait_for_notification("EXTEND_TIMEOUT_USEC=60000000")
        asked = time.monotonic()
        end_traced(daemon, number)
        equal(daemon.wait(), 0, f"exit status: {daemon.said()}")
        # The read that is under way, and little more.
        took = time.monotonic() - asked
        require(took < 5, f"it took {took:.1f} s to end")
        daemon.forget_notifications()
        require(not any("READY=1" in message for message in daemon.notifications), "it has served")
        require("asked to stop before the log was open" in daemon.said(), f"it doesn't say so: {daemon.said()}")
        require(not daemon.socket_path.exists(), "its socket stays behind")
        equal(contents(daemon.log_directory), log, "the log")
    daemon.start()
    equal(states(daemon), before, "the clients' states")
    daemon.stop()


@check("a long start: where it was stopped, connections of the daemon before go on with the next one")
def handed_over(workspace: Workspace):
    require_strace()
    daemon = ManagedDaemon(workspace.directory / "managed")
    workspace.daemons.append(daemon)
    daemon.start()
    recording = recordings()[0]
    feeder = Feeder(daemon.connect(), "kept")
    feeder.feed(recording.events[:40])
    # What was answered before this is noted as well: the feeder's connection is at rest.
    daemon.call("org.varlink.service.GetInfo")
    daemon.kill()
    daemon.prefix = [
        str(shutil.which("strace")), "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pread64", "-e",
        f"inject=pread64:delay_enter={DELAY}"]
    daemon.spawn()
    daemon.wait_for_notification("EXTEND_TIMEOUT_USEC=60000000")
    daemon.stop()
    require("asked to stop before the log was open" in daemon.said(), f"it has served: {daemon.said()}")
    daemon.prefix = []
    daemon.start()
    # On the same connection, which knows of nothing.
    feeder.feed(recording.events[40:])
    equal(daemon.metric("connections_taken_over"), 1, "connections that go on")
    daemon.stop()
