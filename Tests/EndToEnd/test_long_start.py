"""Long starts: notifications to the service manager, and stops during the recovery."""

import signal
import time
from pathlib import Path

from support.recordings import Feeder, recordings
from support.subscriber import states
from support.tracing import signal_traced, start_traced
from support.workspace import Workspace

#: How long each read of the recovery takes, in microseconds.
DELAY = 250_000


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def killed_daemon(workspace: Workspace):
    """A killed daemon, whose next start has to recover the log, and the states of its clients."""
    daemon = workspace.daemon()
    for index, recording in enumerate(recordings()[:4]):
        Feeder(daemon.connect(), f"long/{index}").feed(recording.events)
    before = states(daemon)
    assert len(before) == 4, "clients"
    daemon.kill()
    return daemon, before


def test_a_long_start_asks_the_service_manager_for_more_time_and_reports_progress(
        workspace: Workspace, strace: str) -> None:
    daemon, before = killed_daemon(workspace)
    start_traced(daemon, strace, ["pread64"], f"pread64:delay_enter={DELAY}")
    began = time.monotonic()
    daemon.wait_for_notification("EXTEND_TIMEOUT_USEC=60000000")
    # Only a start of more than a second asks. The other limit is generous, since the machine may be busy.
    took = time.monotonic() - began
    assert 1 <= took < 8, f"the daemon asks for more time after {took:.1f} s"
    fields = daemon.notifications[-1].split("\n")
    assert "STATUS=Recovering the log, 0 MiB read and written." in fields, f"no status: {fields}"
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
        # The daemon finishes the current read, and little more.
        took = time.monotonic() - asked
        assert took < 5, f"the daemon took {took:.1f} s to stop"
        daemon.forget_notifications()
        assert not any("READY=1" in message for message in daemon.notifications), "the daemon became ready"
        assert "asked to stop before the log was open" in daemon.output(), (
            f"the daemon does not report the early stop: {daemon.output()}")
        assert not daemon.socket_path.exists(), "the socket remains"
        assert contents(daemon.log_directory) == log, "contents of the log"
    daemon.start()
    assert states(daemon) == before, "the clients' states"
    daemon.stop()


def test_connections_survive_a_long_start_that_was_stopped(workspace: Workspace, strace: str) -> None:
    daemon = workspace.managed_daemon()
    recording = recordings()[0]
    feeder = Feeder(daemon.connect(), "kept")
    feeder.feed(recording.events[:40])
    # The answer shows that the daemon has recorded the feeder's connection as idle.
    daemon.call("org.varlink.service.GetInfo")
    daemon.kill()
    daemon.prefix = [
        strace, "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pread64", "-e",
        f"inject=pread64:delay_enter={DELAY}"]
    daemon.spawn()
    daemon.wait_for_notification("EXTEND_TIMEOUT_USEC=60000000")
    daemon.stop()
    assert "asked to stop before the log was open" in daemon.output(), (
        f"the daemon does not report the early stop: {daemon.output()}")
    daemon.prefix = []
    daemon.start()
    # On the same connection.
    feeder.feed(recording.events[40:])
    assert daemon.metric("connections_taken_over") == 1, "connections resumed"
    daemon.stop()
