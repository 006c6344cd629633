"""A start that takes long: what the service manager hears of it meanwhile, and how it is stopped."""

import signal
import time
from pathlib import Path

from support.recordings import Feeder, recordings
from support.subscriber import states
from support.tracing import signal_traced, start_traced
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
    assert len(before) == 4, "clients"
    daemon.kill()
    return daemon, before


def test_a_long_start_asks_the_service_manager_for_more_time_and_reports_progress(workspace: Workspace, strace: str) -> None:
    daemon, before = killed_daemon(workspace)
    start_traced(daemon, strace, ["pread64"], f"pread64:delay_enter={DELAY}")
    began = time.monotonic()
    daemon.wait_for_notification("EXTEND_TIMEOUT_USEC=60000000")
    # Not before a start is long; and generous towards a machine that is busy.
    took = time.monotonic() - began
    assert 1 <= took < 8, f"the service manager is asked after {took:.1f} s"
    told = daemon.notifications[-1].split("\n")
    assert "STATUS=Recovering the log, 0 MiB read and written." in told, f"no status: {told}"
    daemon.wait_for_notification("READY=1")
    assert states(daemon) == before, "the clients' states"
    signal_traced(daemon, signal.SIGTERM)
    assert daemon.wait() == 0, f"exit status: {daemon.output()}"


def test_a_long_start_can_be_stopped_at_once_and_loses_nothing(workspace: Workspace, strace: str) -> None:
    daemon, before = killed_daemon(workspace)
    log = contents(daemon.log_directory)
    for number in (signal.SIGTERM, signal.SIGINT):
        start_traced(daemon, strace, ["pread64"], f"pread64:delay_enter={DELAY}")
        daemon.wait_for_notification("EXTEND_TIMEOUT_USEC=60000000")
        asked = time.monotonic()
        signal_traced(daemon, number)
        assert daemon.wait() == 0, f"exit status: {daemon.output()}"
        # The read that is under way, and little more.
        took = time.monotonic() - asked
        assert took < 5, f"it took {took:.1f} s to end"
        daemon.forget_notifications()
        assert not any("READY=1" in message for message in daemon.notifications), "it has served"
        assert "asked to stop before the log was open" in daemon.output(), f"it doesn't say so: {daemon.output()}"
        assert not daemon.socket_path.exists(), "its socket stays behind"
        assert contents(daemon.log_directory) == log, "the log"
    daemon.start()
    assert states(daemon) == before, "the clients' states"
    daemon.stop()


def test_connections_survive_a_long_start_that_was_stopped(workspace: Workspace, strace: str) -> None:
    daemon = workspace.managed_daemon()
    recording = recordings()[0]
    feeder = Feeder(daemon.connect(), "kept")
    feeder.feed(recording.events[:40])
    # What was answered before this is noted as well: the feeder's connection is at rest.
    daemon.call("org.varlink.service.GetInfo")
    daemon.kill()
    daemon.prefix = [
        strace, "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pread64", "-e",
        f"inject=pread64:delay_enter={DELAY}"]
    daemon.spawn()
    daemon.wait_for_notification("EXTEND_TIMEOUT_USEC=60000000")
    daemon.stop()
    assert "asked to stop before the log was open" in daemon.output(), f"it has served: {daemon.output()}"
    daemon.prefix = []
    daemon.start()
    # On the same connection, which knows of nothing.
    feeder.feed(recording.events[40:])
    assert daemon.metric("connections_taken_over") == 1, "connections that go on"
    daemon.stop()
