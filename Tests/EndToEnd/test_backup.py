"""Copies of the log: made while it grows and shrinks, restored, and called off."""

import json
import signal
import subprocess
import threading
from pathlib import Path

from support import programs
from support.daemon import Daemon, until
from support.recordings import Feeder, recordings
from support.wire import Refused
from support.workspace import Workspace

READ = "org.scrolld.Observer.Read"
ROTATE = "org.scrolld.Manager.Rotate"
STATISTICS = "org.scrolld.Manager.Statistics"
SUBSCRIBE = "org.scrolld.Observer.Subscribe"

#: Small files, and few of them: the oldest go again and again.
#: Unpacked, so that a few seconds' records are enough to be trimmed, and few enough to be compared.
SHRINKING = """
[Log]
Compress=no
SegmentSize=1M
MaxUse=6M
"""


class Load:
    """Clients that feed their recordings over and over, the daemon beginning new files all the while."""

    def __init__(self, workspace: Workspace, daemon: Daemon, clients: int = 3):
        self._ending = threading.Event()
        self.clients = [f"load/{index}" for index in range(clients)]
        self._tasks = [workspace.run_in_thread(lambda index=index: self._feed(daemon, index)) for index in range(clients)]

    def _feed(self, daemon: Daemon, index: int) -> None:
        events = recordings()[index].events
        feeder = Feeder(daemon.connect(), self.clients[index])
        while not self._ending.is_set():
            feeder.feed(events)

    def end(self) -> None:
        self._ending.set()
        for task in self._tasks:
            task.join()


def restore(workspace: Workspace, backup: Path, name: str = "restored") -> Daemon:
    """A daemon that is started on a copy of a backup, as cp -a makes it."""
    daemon = workspace.daemon(name=name, start=False)
    subprocess.run(["cp", "-a", str(backup), str(daemon.state_directory)], check=True)
    return daemon.start()


def log(workspace: Workspace, daemon: Daemon, after: int, last: int) -> list[str]:
    """The lines of `log --json` behind a position up to another."""
    result = workspace.scrollctl(daemon, "--json", "log", "--after", str(after), "--limit", str(last - after))
    assert result.returncode == 0, f"exit status of log: {result.stderr}"
    return result.stdout.splitlines()


def status(workspace: Workspace, daemon: Daemon, client: str, position: int) -> str:
    result = workspace.scrollctl(daemon, "--json", "status", client, "--at", str(position))
    assert result.returncode == 0, f"exit status of status: {result.stderr}"
    return result.stdout


def test_a_backup_made_under_load_equals_the_log_and_continues_as_another_history(workspace: Workspace) -> None:
    daemon = workspace.daemon(SHRINKING)
    load = Load(workspace, daemon)
    until(lambda: daemon.metric("segments_removed") > 3, "the log is trimmed")
    for turn in range(3):
        backup = workspace.directory / f"backup-{turn}"
        made = workspace.scrollctl(daemon, "--json", "backup", str(backup))
        assert made.returncode == 0, f"exit status of backup: {made.stdout}{made.stderr}"
    load.end()
    report = json.loads(made.stdout)
    first, last = report["firstPosition"], report["lastPosition"]
    assert first > 1, "the beginning had gone by then"
    assert report["records"] == last - first + 1, "records"
    assert len(report["segments"]) > 3, f"a backup of several files: {report}"
    assert daemon.metric("backups_running") == 0, "backups running"
    checked = workspace.scrollctl(None, "verify", str(backup))
    assert checked.returncode == 0, f"exit status of verify: {checked.stdout}"

    generation = daemon.call(STATISTICS)["generation"]
    restored = restore(workspace, backup)
    assert "not stopped in order" not in restored.output(), f"needs a recovery: {restored.output()}"
    until(lambda: daemon.metric("log_kept_for_backup") == 0, "what was kept for the backups goes")
    # Nothing more goes while the two are compared.
    daemon.config_path.write_text("")
    daemon.call("org.scrolld.Manager.Reload")
    common = max(first, daemon.call(STATISTICS)["firstPosition"])
    assert common < last, f"nothing is left to compare: {common} to {last}"
    assert log(workspace, restored, common - 1, last) == log(workspace, daemon, common - 1, last), "log --json"
    for client in load.clients:
        assert status(workspace, restored, client, last) == status(workspace, daemon, client, last), (
            f"status of {client}")

    # What came behind the backup's end is not in the copy, and whoever has seen it is told.
    assert restored.call(STATISTICS)["lastPosition"] == last, "the last position"
    assert restored.call(STATISTICS)["generation"] > report["generation"], "no generation begins with the restoring"
    assert "since the log is a restored backup" in restored.output(), f"it doesn't say so: {restored.output()}"
    again = restore(workspace, backup, "restored-again")
    generations = [one.call(STATISTICS)["generation"] for one in (restored, again)]
    assert generations[0] != generations[1], f"two logs of one backup go on in the same generation: {generations}"
    again.stop()
    feeder = Feeder(restored.connect(), "new")
    feeder.feed(recordings()[0].events)
    refused = next_refusal(restored, after=last + 1, generation=generation)
    assert (refused.short_name, refused.parameters) == ("PositionTakenBack", {"last": last}), "who had seen more"
    for reply in restored.connect().stream(SUBSCRIBE, after=last, generation=generation):
        if "opened" in reply:
            assert (reply["opened"]["client"], reply["position"]) == ("new", last + 1), (
                "what a subscriber hears of first")
            break
    # Feeders go on where the backup ends.
    again = Feeder(restored.connect(), load.clients[0])
    again.feed(recordings()[0].events)


def next_refusal(daemon: Daemon, **parameters) -> Refused:
    try:
        for reply in daemon.connect().stream(SUBSCRIBE, **parameters):
            raise AssertionError(f"not refused: {reply}")
    except Refused as refused:
        return refused
    raise AssertionError("the subscription ended")


def test_killing_scrollctl_during_a_backup_releases_the_log_and_leaves_no_partial_file(workspace: Workspace, daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "reader")
    for recording in recordings():
        feeder.feed(recording.events)
        daemon.call(ROTATE)
    first = daemon.call(STATISTICS)["firstPosition"]
    for turn in range(50):
        backup = workspace.directory / f"backup-{turn}"
        process = programs.start("scrollctl", "--socket", str(daemon.socket_path), "backup", str(backup),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while process.poll() is None and daemon.metric("backups_running") == 0:
            pass
        process.send_signal(signal.SIGSTOP)
        if process.poll() is None and daemon.metric("backups_running") == 1:
            break
        # It was faster.
        process.communicate()
    else:
        raise AssertionError("no backup could be caught in the middle")
    # As long as it lives nothing goes.
    answer = daemon.call("org.scrolld.Manager.Vacuum", maxUse=0)
    assert (answer["firstPosition"], answer["freed"]) == (first, 0), "what vacuum removes during a backup"
    assert daemon.metric("log_kept_for_backup") == 1, "log_kept_for_backup"
    process.kill()
    process.communicate()
    until(lambda: daemon.metric("backups_running") == 0, "the daemon notices")
    answer = daemon.call("org.scrolld.Manager.Vacuum", maxUse=0)
    assert answer["firstPosition"] > first and answer["freed"] > 0, f"what vacuum removes afterwards: {answer}"
    if backup.exists() and (backup / "log").exists():
        checked = workspace.scrollctl(None, "verify", str(backup))
        assert checked.returncode == 0, f"exit status of verify: {checked.stdout}"
    # The next one needs a directory of its own, and works.
    made = workspace.scrollctl(daemon, "backup", str(workspace.directory / "whole"))
    assert made.returncode == 0, f"exit status of backup: {made.stderr}"


def test_a_signal_during_a_backup_ends_it_and_removes_what_was_copied(workspace: Workspace, daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "reader")
    for recording in recordings():
        feeder.feed(recording.events)
        daemon.call(ROTATE)
    for turn, number in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)):
        for attempt in range(50):
            backup = workspace.directory / f"backup-{turn}-{attempt}"
            process = programs.start("scrollctl", "--socket", str(daemon.socket_path), "backup", str(backup),
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while process.poll() is None and not (backup / "log").exists():
                pass
            process.send_signal(number)
            output, errors = process.communicate()
            if process.returncode != 0:
                break
            # It was faster.
        else:
            raise AssertionError("no backup could be caught in the middle")
        assert (process.returncode, output) == (-number, b""), f"exit status and output: {errors}"
        assert f"what was copied to {backup} is removed again" in errors.decode(), f"it says {errors}"
        assert list((backup / "log").iterdir()) == [], "files that are left"
    until(lambda: daemon.metric("backups_running") == 0, "the daemon notices")


def test_a_backup_without_a_daemon_needs_an_unused_log_and_an_empty_directory(workspace: Workspace, daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "reader")
    feeder.feed(recordings()[0].events)
    state, backup = str(daemon.state_directory), workspace.directory / "backup"
    locked = workspace.scrollctl(None, "backup", "-D", state, str(backup))
    assert locked.returncode == 1, "exit status while a daemon has the log"
    assert "a daemon has the log open" in locked.stderr, locked.stderr
    assert not backup.exists(), "a backup was begun all the same"
    # After a kill, too.
    daemon.kill()
    made = workspace.scrollctl(None, "backup", "-D", state, str(backup))
    assert made.returncode == 0, f"exit status of backup: {made.stderr}"
    records = len(recordings()[0].events) + 1
    assert f"{records} records in 1 file, positions 1 to {records}, " in made.stdout, made.stdout
    full = workspace.scrollctl(None, "backup", "-D", state, str(backup))
    assert full.returncode == 1, "exit status where there is a backup already"
    assert "is not empty" in full.stderr, full.stderr
    before = daemon.start().stream(READ)
    assert restore(workspace, backup).stream(READ) == before, "the records"
