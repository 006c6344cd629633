"""Every recording yields the expected transitions: live, after a restart, and folded without a daemon."""

import json
import signal
import subprocess

from support import programs
from support.daemon import Daemon, until
from support.recordings import POLICIES, Feeder, Recording, cases, recordings
from support.subscriber import occurrences, history, states
from support.workspace import Workspace


def prefixes(recording: Recording) -> list[str]:
    """The policies with expected transitions for a recording. Clients' names begin with them, too."""
    return ["classic", "safari"] + (["arrival"] if recording.path.parent.name == "cases" else [])


def everything() -> list[tuple[str, Recording]]:
    return [(policy, recording) for recording in recordings() + cases() for policy in prefixes(recording)]


def require_history_and_restart(workspace, daemon, subscriber, clients):
    """Requires that the log repeats what was heard live, before and after a restart, with the same states."""
    last = daemon.statistics()["lastPosition"]
    live = occurrences(subscriber.wait_for_position(last))
    states_before = states(daemon)
    newest_before = [daemon.call("org.scrolld.Observer.Get", client=client) for client in clients]
    assert history(daemon) == live, "the log's history and what was heard live"
    daemon.stop()
    assert "stopped cleanly" in daemon.output(), "the daemon does not report a clean stop"
    daemon.start()
    assert states(daemon) == states_before, "states of open sessions after a restart"
    newest_after = [daemon.call("org.scrolld.Observer.Get", client=client) for client in clients]
    assert newest_after == newest_before, "each client's newest state after a restart"
    assert history(daemon) == live, "the log's history after a restart and what was heard live"


def test_recordings_sent_through_the_socket_yield_the_expected_transitions(workspace: Workspace) -> None:
    daemon = workspace.daemon(POLICIES)
    subscriber = workspace.subscribe(daemon, after=0)
    wire = daemon.connect()
    clients = []
    for index, (policy, recording) in enumerate(everything()):
        feeder = Feeder(wire, f"{policy}/{recording.name}")
        feeder.feed(recording.events, batch=[1, 7, 64, 4096][index % 4])
        # Every third session stays open for the restart.
        if index % 3:
            feeder.close()
        clients.append((policy, recording, feeder))
    last = daemon.statistics()["lastPosition"]
    subscriber.wait_for_position(last)
    for policy, recording, feeder in clients:
        heard = subscriber.transitions(feeder.client)
        recording.require_transitions(
            policy, heard, lambda transition: recording.lines[feeder.number_at(transition["position"]) - 1])
        assert {transition["session"] for transition in heard} - {feeder.session} == set(), "sessions of transitions"
        # Policies have their names in the configuration.
        assert {transition["policy"] for transition in heard} - {policy} == set(), "policies of transitions"
    require_history_and_restart(workspace, daemon, subscriber, [feeder.client for _, _, feeder in clients])


def test_recordings_yield_the_expected_transitions_with_classic_as_the_default_policy(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Sessions]\nPolicy=classic\n")
    subscriber = workspace.subscribe(daemon)
    subscriber.wait_until_caught_up()
    wire = daemon.connect()
    for recording in recordings() + cases():
        feeder = Feeder(wire, recording.client)
        feeder.feed(recording.events)
        feeder.close()
        subscriber.wait_for_position(daemon.statistics()["lastPosition"])
        recording.require_transitions(
            "classic", subscriber.transitions(recording.client),
            lambda transition: recording.lines[feeder.number_at(transition["position"]) - 1])


def test_recordings_sent_by_scrollctl_record_yield_the_expected_transitions(workspace: Workspace) -> None:
    daemon = workspace.daemon(POLICIES)
    subscriber = workspace.subscribe(daemon, after=0)
    clients = []
    for index, (policy, recording) in enumerate(everything()):
        client = f"{policy}/{recording.name}"
        source = {"input": recording.path.read_bytes()} if index % 2 else {}
        result = workspace.scrollctl(
            daemon, "--json", "record", "--client", client, "-" if source else str(recording.path), **source)
        assert (result.returncode, result.stderr) == (0, ""), f"record {recording.name}"
        sent = json.loads(result.stdout)
        assert sent["events"] == len(recording.events), f"events of {recording.name} that record reports"
        clients.append((policy, recording, client, sent["position"] - len(recording.events)))
    subscriber.wait_for_position(daemon.statistics()["lastPosition"])
    for policy, recording, client, before in clients:
        recording.require_transitions(
            policy, subscriber.transitions(client),
            lambda transition: recording.lines[transition["position"] - before - 1])
    require_history_and_restart(workspace, daemon, subscriber, [client for _, _, client, _ in clients])


def test_scrollctl_record_takes_several_files_each_with_its_own_client(workspace: Workspace, daemon: Daemon) -> None:
    paths = [str(recording.path) for recording in recordings()]
    result = workspace.scrollctl(daemon, "record", *paths)
    assert (result.returncode, result.stderr) == (0, ""), "record"
    opened = [happening["opened"]["client"] for happening in history(daemon) if "opened" in happening]
    assert opened == [recording.client for recording in recordings()], "clients that were opened"


def test_ctrl_c_ends_scrollctl_record_and_closes_the_session_with_all_that_came(
        workspace: Workspace, daemon: Daemon) -> None:
    recording = recordings()[0]
    process = programs.start(
        "scrollctl", "--socket", str(daemon.socket_path), "--json", "record", "-",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    workspace.add_finalizer(process.kill)
    text = b"".join(recording.path.read_bytes().splitlines(keepends=True)[:101])
    process.stdin.write(text)
    process.stdin.flush()
    until(lambda: daemon.statistics()["lastPosition"] == 101, "100 events are stored")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (1, b"scrollctl: interrupted\n"), "exit status and message of record"
    assert json.loads(output)["events"] == 100, "events that record reports"
    assert (
        [name for name in ("opened", "closed") for item in history(daemon) if name in item] == ["opened", "closed"]
    ), "openings and closings"


def test_scrollctl_fold_yields_the_expected_transitions_without_a_daemon(workspace: Workspace) -> None:
    for recording in recordings() + cases():
        for policy, arguments in {
            "classic": ["--policy", "classic"],
            "safari": ["--policy", "safari"],
            "arrival": ["--policy", "safari", "--set", "revealAtBottom=arrival"],
        }.items():
            if policy not in prefixes(recording):
                continue
            result = workspace.scrollctl(None, "--json", "fold", *arguments, str(recording.path))
            assert (result.returncode, result.stderr) == (0, ""), f"fold {recording.name}"
            recording.require_transitions(policy, [json.loads(line) for line in result.stdout.splitlines()])
