"""Backups: made while the log grows and shrinks, restored, and interrupted."""

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

#: Retention removes the oldest segments again and again. Unpacked, a few seconds of records are enough for it, and few enough
#: to compare.
SHRINKING = """
[Log]
Compress=no
SegmentSize=1M
MaxUse=6M
"""


class Load:
    """Clients that feed their recordings over and over, so that the daemon keeps beginning new segments."""

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
    """A daemon that is started on a copy of a backup."""
    daemon = workspace.daemon(name=name, start=False)
    subprocess.run(["cp", "-a", str(backup), str(daemon.state_directory)], check=True)
    return daemon.start()


def log(workspace: Workspace, daemon: Daemon, after: int, last: int) -> list[str]:
    """The lines of `log --json` after one position up to another."""
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
    assert first > 1, "retention had removed nothing before the backup"
    assert report["records"] == last - first + 1, "records"
    assert len(report["segments"]) > 3, f"the backup has too few files: {report}"
    assert daemon.metric("backups_running") == 0, "backups running"
    checked = workspace.scrollctl(None, "verify", str(backup))
    assert checked.returncode == 0, f"exit status of verify: {checked.stdout}"

    generation = daemon.call(STATISTICS)["generation"]
    restored = restore(workspace, backup)
    assert "not shut down cleanly" not in restored.output(), f"the restored log needs a recovery: {restored.output()}"
    until(lambda: daemon.metric("log_kept_for_backup") == 0, "retention removes what was kept for the backups")
    # Retention must remove nothing during the comparison.
    daemon.config_path.write_text("")
    daemon.call("org.scrolld.Manager.Reload")
    common = max(first, daemon.call(STATISTICS)["firstPosition"])
    assert common < last, f"nothing is left to compare: {common} to {last}"
    assert log(workspace, restored, common - 1, last) == log(workspace, daemon, common - 1, last), "log --json"
    for client in load.clients:
        assert status(workspace, restored, client, last) == status(workspace, daemon, client, last), (
            f"status of {client}")

    # The daemon tells subscribers that have seen later records that these were taken back.
    assert restored.call(STATISTICS)["lastPosition"] == last, "the last position"
    assert restored.call(STATISTICS)["generation"] > report["generation"], "the restored log has no new generation"
    assert "because the log is a restored backup" in restored.output(), (
        f"the daemon does not report the restored backup: {restored.output()}")
    again = restore(workspace, backup, "restored-again")
    generations = [one.call(STATISTICS)["generation"] for one in (restored, again)]
    assert generations[0] != generations[1], f"two logs restored from one backup share a generation: {generations}"
    again.stop()
    feeder = Feeder(restored.connect(), "new")
    feeder.feed(recordings()[0].events)
    refused = next_refusal(restored, after=last + 1, generation=generation)
    assert (refused.short_name, refused.parameters) == ("PositionTakenBack", {"last": last}), (
        "the error for a subscriber that had seen more")
    for reply in restored.connect().stream(SUBSCRIBE, after=last, generation=generation):
        if "opened" in reply:
            assert (reply["opened"]["client"], reply["position"]) == ("new", last + 1), (
                "the first thing that a subscriber hears")
            break
    # Feeders continue where the backup ends.
    again = Feeder(restored.connect(), load.clients[0])
    again.feed(recordings()[0].events)


def next_refusal(daemon: Daemon, **parameters) -> Refused:
    try:
        for reply in daemon.connect().stream(SUBSCRIBE, **parameters):
            raise AssertionError(f"not refused: {reply}")
    except Refused as refused:
        return refused
    raise AssertionError("the subscription ended")


def test_killing_scrollctl_during_a_backup_releases_the_log_and_leaves_no_partial_file(
        workspace: Workspace, daemon: Daemon) -> None:
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
        # The backup was complete before the signal.
        process.communicate()
    else:
        raise AssertionError("every backup was complete before the signal")
    # While scrollctl lives, the daemon removes nothing.
    answer = daemon.call("org.scrolld.Manager.Vacuum", maxUse=0)
    assert (answer["firstPosition"], answer["freed"]) == (first, 0), (
        "first position and freed bytes of a vacuum during a backup")
    assert daemon.metric("log_kept_for_backup") == 1, "log_kept_for_backup"
    process.kill()
    process.communicate()
    until(lambda: daemon.metric("backups_running") == 0, "the daemon notices the end of the backup")
    answer = daemon.call("org.scrolld.Manager.Vacuum", maxUse=0)
    assert answer["firstPosition"] > first and answer["freed"] > 0, f"a vacuum after the backup removes nothing: {answer}"
    # Killed before the first file, it leaves an empty log, which “verify” refuses.
    if (backup / "log").exists() and any((backup / "log").iterdir()):
        checked = workspace.scrollctl(None, "verify", str(backup))
        assert checked.returncode == 0, f"exit status of verify: {checked.stdout}"
    # The next backup, in another directory, succeeds.
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
            # The backup was complete before the signal.
        else:
            raise AssertionError("every backup was complete before the signal")
        assert (process.returncode, output) == (-number, b""), f"exit status and output: {errors}"
        assert f"removing the incomplete backup {backup}" in errors.decode(), f"the message is {errors}"
        assert not backup.exists(), "the interrupted backup left a directory"
    until(lambda: daemon.metric("backups_running") == 0, "the daemon notices the end of the backup")


def test_a_backup_without_a_daemon_needs_an_unused_log_and_an_empty_directory(workspace: Workspace, daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "reader")
    feeder.feed(recordings()[0].events)
    state, backup = str(daemon.state_directory), workspace.directory / "backup"
    locked = workspace.scrollctl(None, "backup", "-D", state, str(backup))
    assert locked.returncode == 1, "exit status while a daemon has the log open"
    assert "a daemon has the log open" in locked.stderr, locked.stderr
    assert not backup.exists(), "the refused backup left a directory"
    # A killed daemon no longer has the log open.
    daemon.kill()
    made = workspace.scrollctl(None, "backup", "-D", state, str(backup))
    assert made.returncode == 0, f"exit status of backup: {made.stderr}"
    records = len(recordings()[0].events) + 1
    assert f"{records} records in 1 file, positions 1 to {records}, " in made.stdout, made.stdout
    full = workspace.scrollctl(None, "backup", "-D", state, str(backup))
    assert full.returncode == 1, "exit status for a directory with a backup"
    assert "is not empty" in full.stderr, full.stderr
    before = daemon.start().stream(READ)
    assert restore(workspace, backup).stream(READ) == before, "the records"


def test_a_backup_into_the_state_directory_is_refused_by_any_path(workspace: Workspace, daemon: Daemon) -> None:
    Feeder(daemon.connect(), "reader").feed(recordings()[0].events)
    state = daemon.state_directory
    link = workspace.directory / "link"
    link.symlink_to(state)
    for target in (state, state / "backup", state / "log" / "backup", link, link / "new" / "backup",
                   state / ".." / state.name / "backup"):
        for source in ([], ["-D", str(state)]):
            refused = workspace.scrollctl(None if source else daemon, "backup", *source, str(target))
            assert refused.returncode == 1, f"exit status for {target}"
            assert f"is in the state directory {state}" in refused.stderr, refused.stderr
    assert sorted(path.name for path in state.iterdir()) == ["clock", "forgotten.key", "lock", "log"], "files of the state directory"
    made = workspace.scrollctl(daemon, "backup", str(workspace.directory / "beside"))
    assert made.returncode == 0, made.stderr


SECRET = "secret/client"


def secrets(directory: Path) -> list[str]:
    """The files under a directory that hold the client's name."""
    return [str(path) for path in directory.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def test_a_restored_backup_does_not_bring_forgotten_people_back(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Log]\nCompress=no\n")
    kept = Feeder(daemon.connect(), "kept")
    kept.feed(recordings()[0].events)
    Feeder(daemon.connect(), SECRET).feed(recordings()[1].events)
    daemon.call(ROTATE)
    backup = workspace.directory / "backup"
    assert workspace.scrollctl(daemon, "backup", str(backup)).returncode == 0
    assert secrets(backup), "the backup does not have the client"
    assert workspace.scrollctl(daemon, "forget", "--yes", SECRET).returncode == 0
    # Later than the forgetting: these come back.
    listed = workspace.scrollctl(None, "--json", "forgotten", str(daemon.state_directory))
    assert listed.returncode == 0 and SECRET not in listed.stdout, listed.stdout
    entry = json.loads(listed.stdout)
    assert sorted(entry) == ["hash", "key", "received"], entry
    saved = workspace.directory / "list.json"
    saved.write_text(listed.stdout)
    daemon.stop()
    state = daemon.state_directory

    # In place: the log is moved away, and the list has stayed.
    over = workspace.scrollctl(None, "restore", str(backup), "-D", str(state))
    assert over.returncode == 1 and f"mv {state}/log" in over.stderr, over.stderr
    (state / "log").rename(workspace.directory / "old")
    restored = workspace.scrollctl(None, "--json", "restore", str(backup), "-D", str(state))
    assert restored.returncode == 0, restored.stderr
    report = json.loads(restored.stdout)
    assert report["forgotten"] > len(recordings()[1].events), report
    assert secrets(state) == [], "files with the client's name"
    daemon.start()
    assert {reply["client"] for reply in daemon.stream(READ)} == {"kept"}, "clients of the restored log"
    again = Feeder(daemon.connect(), SECRET)
    again.feed(recordings()[1].events)
    assert SECRET in {reply["client"] for reply in daemon.stream(READ)}, "the client's new session"
    daemon.stop()

    # On another machine, with the saved list.
    elsewhere = workspace.directory / "elsewhere"
    restored = workspace.scrollctl(None, "restore", str(backup), "-D", str(elsewhere), "--list", str(saved))
    assert restored.returncode == 0, restored.stderr
    assert secrets(elsewhere) == [], "files with the client's name"
    assert (elsewhere / "forgotten").stat().st_mode & 0o777 == 0o600, "mode of the list"

    # Put back by hand, and forgotten again by the running daemon.
    copied = restore(workspace, backup, "copied")
    assert secrets(copied.state_directory), "the copy does not have the client"
    forgotten = workspace.scrollctl(copied, "forget", "--yes", "--from", str(saved))
    assert forgotten.returncode == 0 and forgotten.stdout.startswith("Forgot "), forgotten.stdout + forgotten.stderr
    assert secrets(copied.state_directory) == [], "files with the client's name"
