"""Feeders and subscribers built with ScrollClient, which reconnect when the daemon ends."""

import os
import re
import subprocess
from random import Random

import pytest

from support import programs
from support.daemon import Daemon, until
from support.recordings import Feeder, recordings
from support.repository import REPOSITORY
from support.subscriber import history
from support.workspace import Workspace

EVENTS = 60_000


def example(workspace: Workspace, daemon, *arguments: str) -> subprocess.Popen:
    """Starts the example program of ScrollClient's documentation, until the end of the test."""
    output = open(workspace.directory / f"{arguments[0]}.out", "wb")
    process = programs.start(
        "toolbar-example", *arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        changes={"SCROLLD_SOCKET": str(daemon.socket_path)})
    output.close()
    workspace.add_finalizer(lambda: (process.kill(), process.wait()))
    return process


def said(workspace: Workspace, role: str) -> str:
    return (workspace.directory / f"{role}.out").read_text()


@pytest.mark.timeout(180)
def test_scroll_client_survives_repeated_kills_without_losing_or_repeating_anything(
        workspace: Workspace, random: Random) -> None:
    daemon = workspace.daemon("[Limits]\nEventsPerSecondPerUserMax=1000000\n")
    # The watcher connects before anything happens.
    watcher = example(workspace, daemon, "watch", "fed")
    until(lambda: "caught up" in said(workspace, "watch"), "the watcher has caught up")
    feeder = example(workspace, daemon, "scroll", "fed", str(EVENTS))
    kills = 0
    while feeder.poll() is None:
        goal = int(daemon.statistics()["lastPosition"]) + random.randint(1, EVENTS // 8)
        until(lambda: feeder.poll() is not None or daemon.statistics()["lastPosition"] >= goal, "more is stored")
        if feeder.poll() is None:
            daemon.kill()
            daemon.start()
            kills += 1
    assert feeder.returncode == 0, f"the feeder's exit status:\n{said(workspace, 'scroll')}"
    assert watcher.wait(60) == 0, f"the watcher's exit status:\n{said(workspace, 'watch')}"
    assert kills >= 3, f"the daemon was killed only {kills} times"
    assert f"stored {EVENTS} events" in said(workspace, "scroll"), said(workspace, "scroll")

    records = [reply for reply in daemon.stream("org.scrolld.Observer.Read", client="fed") if "record" in reply]
    numbers = [reply["number"] for reply in records if "number" in reply]
    assert numbers == list(range(1, EVENTS + 1)), "numbers of the stored events"
    offsets = [reply["record"]["y"] for reply in records if "number" in reply]
    steps = [(index % 10 if index // 10 % 2 == 0 else 9 - index % 10) * 20 for index in range(EVENTS)]
    assert offsets == steps, "offsets of the stored events"
    assert len({reply["session"] for reply in records}) == 1, "sessions"

    stored = [(reply["position"], reply["transition"]["toolbar"]) for reply in history(daemon) if "transition" in reply]
    assert len(stored) > EVENTS // 20, f"only {len(stored)} transitions"
    lines = re.findall(r"^(\d+) (shown|hidden) ", said(workspace, "watch"), re.M)
    assert [(int(position), toolbar) for position, toolbar in lines] == stored, (
        "transitions that the watcher printed")
    assert "continues after" in said(workspace, "watch"), "the watcher never had to resume"


def test_a_feeder_whose_session_was_taken_over_continues_in_a_new_one(workspace: Workspace, daemon: Daemon) -> None:
    feeder = example(workspace, daemon, "scroll", "fed", "2000000")
    until(lambda: daemon.statistics()["lastPosition"] > 100, "something is stored")
    daemon.call("org.scrolld.Recorder.Open", client="fed")
    until(lambda: re.search(r"session [0-9a-f]{32} ended, sending \d+ events again", said(workspace, "scroll")),
          "the feeder has begun another session")
    until(lambda: daemon.statistics()["sessions"] == 1, "there is one session")
    feeder.kill()


def test_a_watcher_that_returns_to_another_log_is_told_and_gets_the_present(workspace: Workspace, daemon: Daemon) -> None:
    example(workspace, daemon, "watch", "nobody")
    for _ in range(5):
        daemon.call("org.scrolld.Recorder.Open", client="somebody")
    until(lambda: "caught up" in said(workspace, "watch"), "the watcher has caught up")
    daemon.call("org.scrolld.Recorder.Open", client="nobody")
    until(lambda: "opened nobody" in said(workspace, "watch"), "the watcher has heard of the client")
    daemon.stop()
    os.rename(daemon.state_directory, workspace.directory / "other")
    daemon.start()
    until(lambda: "cannot continue: " in said(workspace, "watch"), "the watcher reports the loss")
    until(lambda: said(workspace, "watch").count("caught up") == 2, "the watcher has caught up again")


@pytest.mark.parametrize("package", ["varlink", "asyncvarlink"])
def test_the_python_examples_survive_a_kill_without_losing_or_repeating_a_change(
        workspace: Workspace, daemon: Daemon, pypi_packages: str, package: str) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    page = REPOSITORY / f"Sources/ScrollService/ScrollService.docc/Resources/watch-{package}.py"
    output = open(workspace.directory / "python.out", "wb")
    process = subprocess.Popen(
        [pypi_packages, page, "python/*"], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL,
        env=programs.environment(SCROLLD_SOCKET=str(daemon.socket_path), PYTHONIOENCODING="utf-8"))
    output.close()
    workspace.add_finalizer(lambda: (process.kill(), process.wait()))
    until(lambda: daemon.statistics()["subscribers"] == 1, "the example has subscribed")
    for round in range(3):
        feeder = Feeder(daemon.connect(), f"python/{round}")
        feeder.feed(recordings()[0].events)
        expected = [(reply["position"], reply["transition"]["toolbar"])
                    for reply in history(daemon) if "transition" in reply]
        until(lambda: len(said(workspace, "python").splitlines()) >= len(expected), "the example prints the changes")
        daemon.kill()
        daemon.start()
    lines = [line.split()[:3] for line in said(workspace, "python").splitlines()]
    assert [(int(position), toolbar) for position, _, toolbar in lines] == expected, "what the example prints"
