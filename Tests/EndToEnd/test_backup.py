"""Copies of the log: made while it grows and shrinks, restored, and called off."""

import json
import signal
import subprocess
import threading
from pathlib import Path

from support import programs
from support.daemon import Daemon, until
from support.recordings import Feeder, recordings
from support.runner import check, equal, require
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
        self._tasks = [workspace.thread(lambda index=index: self._feed(daemon, index)) for index in range(clients)]

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
    equal(result.returncode, 0, f"exit status of log: {result.stderr}")
    return result.stdout.splitlines()


def status(workspace: Workspace, daemon: Daemon, client: str, position: int) -> str:
    result = workspace.scrollctl(daemon, "--json", "status", client, "--at", str(position))
    equal(result.returncode, 0, f"exit status of status: {result.stderr}")
    return result.stdout


@check("backup: a copy made while the log grows, is rotated and trimmed is what the log was, and goes on as another history")
def under_load(workspace: Workspace):
    daemon = workspace.daemon(SHRINKING)
    load = Load(workspace, daemon)
    until(lambda: daemon.metric("segments_removed") > 3, "the log is trimmed")
    for turn in range(3):
        backup = workspace.directory / f"backup-{turn}"
        made = workspace.scrollctl(daemon, "--json", "backup", str(backup))
        equal(made.returncode, 0, f"exit status of backup: {made.stdout}{made.stderr}")
    load.end()
    report = json.loads(made.stdout)
    first, last = report["firstPosition"], report["lastPosition"]
    require(first > 1, "the beginning had gone by then")
    equal(report["records"], last - first + 1, "records")
    require(len(report["segments"]) > 3, f"a backup of several files: {report}")
    equal(daemon.metric("backups_running"), 0, "backups running")
    checked = workspace.scrollctl(None, "verify", str(backup))
    equal(checked.returncode, 0, f"exit status of verify: {checked.stdout}")

    generation = daemon.call(STATISTICS)["generation"]
    restored = restore(workspace, backup)
    equal("not stopped in order" in restored.said(), False, f"needs a recovery: {restored.said()}")
    until(lambda: daemon.metric("log_kept_for_backup") == 0, "what was kept for the backups goes")
    # Nothing more goes while the two are compared.
    daemon.config_path.write_text("")
    daemon.call("org.scrolld.Manager.Reload")
    common = max(first, daemon.call(STATISTICS)["firstPosition"])
    require(common < last, f"nothing is left to compare: {common} to {last}")
    equal(log(workspace, restored, common - 1, last), log(workspace, daemon, common - 1, last), "log --json")
    for client in load.clients:
        equal(
            status(workspace, restored, client, last), status(workspace, daemon, client, last), f"status of {client}")

    # What came behind the backup's end is not in the copy, and whoever has seen it is told.
    equal(restored.call(STATISTICS)["lastPosition"], last, "the last position")
    require(restored.call(STATISTICS)["generation"] > report["generation"], "no generation begins with the restoring")
    require("since the log is a restored backup" in restored.said(), f"it doesn't say so: {restored.said()}")
    again = restore(workspace, backup, "restored-again")
    generations = [one.call(STATISTICS)["generation"] for one in (restored, again)]
    require(generations[0] != generations[1], f"two logs of one backup go on in the same generation: {generations}")
    again.stop()
    feeder = Feeder(restored.connect(), "new")
    feeder.feed(recordings()[0].events)
    refused = next_refusal(restored, after=last + 1, generation=generation)
    equal((refused.short_name, refused.parameters), ("PositionTakenBack", {"last": last}), "who had seen more")
    for reply in restored.connect().stream(SUBSCRIBE, after=last, generation=generation):
        if "opened" in reply:
            equal((reply["opened"]["client"], reply["position"]), ("new", last + 1), "what a subscriber hears of first")
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


@check("backup: kill -9 of scrollctl in the middle lets go of the log's files, and leaves no file that is half of one")
def killed(workspace: Workspace):
    daemon = workspace.daemon()
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
    equal((answer["firstPosition"], answer["freed"]), (first, 0), "what vacuum removes during a backup")
    equal(daemon.metric("log_kept_for_backup"), 1, "log_kept_for_backup")
    process.kill()
    process.communicate()
    until(lambda: daemon.metric("backups_running") == 0, "the daemon notices")
    answer = daemon.call("org.scrolld.Manager.Vacuum", maxUse=0)
    require(answer["firstPosition"] > first and answer["freed"] > 0, f"what vacuum removes afterwards: {answer}")
    if backup.exists() and (backup / "log").exists():
        checked = workspace.scrollctl(None, "verify", str(backup))
        equal(checked.returncode, 0, f"exit status of verify: {checked.stdout}")
    # The next one needs a directory of its own, and works.
    made = workspace.scrollctl(daemon, "backup", str(workspace.directory / "whole"))
    equal(made.returncode, 0, f"exit status of backup: {made.stderr}")


@check("backup: a signal in the middle ends it, and nothing of it is left")
def interrupted(workspace: Workspace):
    daemon = workspace.daemon()
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
        equal((process.returncode, output), (-number, b""), f"exit status and output: {errors}")
        require(f"what was copied to {backup} is removed again" in errors.decode(), f"it says {errors}")
        equal(list((backup / "log").iterdir()), [], "files that are left")
    until(lambda: daemon.metric("backups_running") == 0, "the daemon notices")


@check("backup: without a daemon, from a directory that none has open; and what is wrong is said")
def offline(workspace: Workspace):
    daemon = workspace.daemon()
    feeder = Feeder(daemon.connect(), "reader")
    feeder.feed(recordings()[0].events)
    state, backup = str(daemon.state_directory), workspace.directory / "backup"
    locked = workspace.scrollctl(None, "backup", "-D", state, str(backup))
    equal(locked.returncode, 1, "exit status while a daemon has the log")
    require("a daemon has the log open" in locked.stderr, locked.stderr)
    require(not backup.exists(), "a backup was begun all the same")
    # After a kill, too.
    daemon.kill()
    made = workspace.scrollctl(None, "backup", "-D", state, str(backup))
    equal(made.returncode, 0, f"exit status of backup: {made.stderr}")
    records = len(recordings()[0].events) + 1
    require(f"{records} records in 1 file, positions 1 to {records}, " in made.stdout, made.stdout)
    full = workspace.scrollctl(None, "backup", "-D", state, str(backup))
    equal(full.returncode, 1, "exit status where there is a backup already")
    require("is not empty" in full.stderr, full.stderr)
    before = daemon.start().stream(READ)
    equal(restore(workspace, backup).stream(READ), before, "the records")
