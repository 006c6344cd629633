"""Every recording comes to the expected transitions: live, after a restart, and folded without a daemon."""

import json
import signal
import subprocess

from support import programs
from support.recordings import POLICIES, Feeder, Recording, cases, recordings
from support.runner import check, equal, require
from support.subscriber import Subscriber, happenings, history, states
from support.workspace import Workspace


def prefixes(recording: Recording) -> list[str]:
    """The policies that there are expectations for, which begin the clients' names, too."""
    return ["classic", "safari"] + (["arrival"] if recording.path.parent.name == "cases" else [])


def everything() -> list[tuple[str, Recording]]:
    return [(policy, recording) for recording in recordings() + cases() for policy in prefixes(recording)]


def require_history_and_restart(workspace, daemon, subscriber, clients):
    """What was heard live is heard again from the log, before and after a restart, and the states are the same."""
    last = daemon.statistics()["lastPosition"]
    live = happenings(subscriber.wait_for_position(last))
    states_before = states(daemon)
    newest_before = [daemon.call("org.scrolld.Observer.Get", client=client) for client in clients]
    equal(history(daemon), live, "what the log gives and what was heard live")
    daemon.stop()
    require("stopped in order" in daemon.said(), "the daemon doesn't say that it stopped in order")
    daemon.start()
    equal(states(daemon), states_before, "states of open sessions after a restart")
    newest_after = [daemon.call("org.scrolld.Observer.Get", client=client) for client in clients]
    equal(newest_after, newest_before, "each client's newest state after a restart")
    equal(history(daemon), live, "what the log gives after a restart and what was heard live")


@check("recordings through the socket: expected transitions, in order, each once, also after a restart")
def through_the_socket(workspace: Workspace):
    daemon = workspace.daemon(POLICIES)
    subscriber = Subscriber(str(daemon.socket_path), after=0)
    workspace.ending(subscriber.close)
    wire = daemon.connect()
    clients = []
    for index, (policy, recording) in enumerate(everything()):
        feeder = Feeder(wire, f"{policy}/{recording.name}")
        feeder.feed(recording.events, batch=[1, 7, 64, 4096][index % 4])
        # Every third one stays open, so that the restart has open sessions to restore.
        if index % 3:
            feeder.close()
        clients.append((policy, recording, feeder))
    last = daemon.statistics()["lastPosition"]
    subscriber.wait_for_position(last)
    for policy, recording, feeder in clients:
        heard = subscriber.transitions(feeder.client)
        recording.require_transitions(
            policy, heard, lambda transition: recording.lines[feeder.number_at(transition["position"]) - 1])
        equal({transition["session"] for transition in heard} - {feeder.session}, set(), "sessions of transitions")
        # The names of policies are those of the configuration.
        equal({transition["policy"] for transition in heard} - {policy}, set(), "policies of transitions")
    require_history_and_restart(workspace, daemon, subscriber, [feeder.client for _, _, feeder in clients])


@check("recordings with [Sessions] Policy=classic: expected transitions")
def classic_by_default(workspace: Workspace):
    daemon = workspace.daemon("[Sessions]\nPolicy=classic\n")
    subscriber = Subscriber(str(daemon.socket_path))
    workspace.ending(subscriber.close)
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


@check("recordings through scrollctl record: expected transitions, also after a restart")
def through_scrollctl(workspace: Workspace):
    daemon = workspace.daemon(POLICIES)
    subscriber = Subscriber(str(daemon.socket_path), after=0)
    workspace.ending(subscriber.close)
    clients = []
    for index, (policy, recording) in enumerate(everything()):
        client = f"{policy}/{recording.name}"
        source = {"input": recording.path.read_bytes()} if index % 2 else {}
        result = workspace.scrollctl(
            daemon, "--json", "record", "--client", client, "-" if source else str(recording.path), **source)
        equal((result.returncode, result.stderr), (0, ""), f"record {recording.name}")
        sent = json.loads(result.stdout)
        equal(sent["events"], len(recording.events), f"events that record says it sent of {recording.name}")
        clients.append((policy, recording, client, sent["position"] - len(recording.events)))
    subscriber.wait_for_position(daemon.statistics()["lastPosition"])
    for policy, recording, client, before in clients:
        recording.require_transitions(
            policy, subscriber.transitions(client),
            lambda transition: recording.lines[transition["position"] - before - 1])
    require_history_and_restart(workspace, daemon, subscriber, [client for _, _, client, _ in clients])


@check("scrollctl record with several files at once, under the names that they give")
def several_files(workspace: Workspace):
    daemon = workspace.daemon()
    paths = [str(recording.path) for recording in recordings()]
    result = workspace.scrollctl(daemon, "record", *paths)
    equal((result.returncode, result.stderr), (0, ""), "record")
    opened = [happening["opened"]["client"] for happening in history(daemon) if "opened" in happening]
    equal(opened, [recording.client for recording in recordings()], "clients that were opened")


@check("scrollctl record from a pipe: Ctrl-C closes the session with all that had come")
def interrupted(workspace: Workspace):
    daemon = workspace.daemon()
    subscriber = Subscriber(str(daemon.socket_path))
    workspace.ending(subscriber.close)
    subscriber.wait_until_caught_up()
    recording = recordings()[0]
    process = programs.start(
        "scrollctl", "--socket", str(daemon.socket_path), "--json", "record", "-",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    workspace.ending(process.kill)
    text = b"".join(recording.path.read_bytes().splitlines(keepends=True)[:101])
    process.stdin.write(text)
    process.stdin.flush()
    subscriber.wait_for_position(101)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    equal((process.returncode, errors), (1, b"scrollctl: interrupted\n"), "exit status and words of record")
    equal(json.loads(output)["events"], 100, "events that record says it sent")
    equal([name for name in ("opened", "closed") for item in history(daemon) if name in item], ["opened", "closed"],
          "what became of the session")


@check("scrollctl fold --json: expected transitions, without a daemon")
def fold(workspace: Workspace):
    for recording in recordings() + cases():
        for policy, arguments in {
            "classic": ["--policy", "classic"],
            "safari": ["--policy", "safari"],
            "arrival": ["--policy", "safari", "--set", "revealAtBottom=arrival"],
        }.items():
            if policy not in prefixes(recording):
                continue
            result = workspace.scrollctl(None, "--json", "fold", *arguments, str(recording.path))
            equal((result.returncode, result.stderr), (0, ""), f"fold {recording.name}")
            recording.require_transitions(policy, [json.loads(line) for line in result.stdout.splitlines()])
