"""The configuration: at the start, after a reload, and when it is bad."""

import signal

from support.daemon import Daemon
from support.recordings import Feeder, recordings
from support.repository import REPOSITORY
from support.subscriber import history, states
from support.workspace import Workspace


def test_a_bad_configuration_at_start_exits_with_78_and_names_file_line_and_key(workspace: Workspace) -> None:
    for index, (config, line, key) in enumerate([
        ("[Log]\nSync=sometimes\n", 2, "Sync"), ("[Log]\n\n# comment\nSegmentSize=1\n", 4, "SegmentSize"),
        ("[Log]\nsync=commit\n", 2, "sync"), ("[Sessions]\nPolicy=none\n", 2, "Policy"),
        ("[Sessions]\nSessionIdleSec=soon\n", 2, "SessionIdleSec"), ("[Nothing]\n", 1, None), ("Sync=commit\n", 1, "Sync"),
        ("[Log]\nnonsense\n", 2, None), ("[Log\n", 1, None),
        ("[Limits]\nMessageSizeMax=1\n", 2, "MessageSizeMax"), ("[Limits]\nConnectionsMax=0\n", 2, "ConnectionsMax"),
        ("[Policy p]\nHideDistance=far\n", 2, "HideDistance"), ("[Policy p]\nHideDistance=-1\n", 2, "HideDistance"),
        ("[Policy p]\nHideDistance=nan\n", 2, "HideDistance"), ("[Policy p]\nNoSuchParameter=1\n", 2, "NoSuchParameter"),
        ("[Policy p]\nRule=classic\nHideDistance=5\n", 3, "HideDistance"), ("[Policy p]\nRule=own\n", 2, "Rule"),
        ("[Policy p]\nRevealAtBottom=sometimes\n", 2, "RevealAtBottom"),
    ]):
        daemon = workspace.daemon(config, name=f"bad-{index}", start=False)
        place = f"{daemon.config_path}:{line}"
        daemon.assert_start_fails(78, f"{place}: {key}=" if key else place)
        assert not daemon.state_directory.exists(), "the daemon began a log"
    daemon = workspace.daemon(name="missing", start=False)
    daemon.config_path.unlink()
    daemon.assert_start_fails(78, str(daemon.config_path))


def test_drop_ins_override_the_file_in_the_order_of_their_names(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Sessions]\nPolicy=classic\n[Log]\nSync=interval\n", start=False)
    directory = daemon.directory / "scrolld.conf.d"
    directory.mkdir()
    (directory / "20-second.conf").write_text("[Sessions]\nPolicy=material\n")
    (directory / "10-first.conf").write_text("[Sessions]\nPolicy=chrome\n[Log]\nSync=commit\n")
    (directory / "30-not-read.txt").write_text("nonsense")
    daemon.start()
    feeder = Feeder(daemon.connect(), "a")
    assert states(daemon)[0]["policy"] == "material", "policy"
    feeder.send(recordings()[0].events[:1])
    assert feeder.take_answer()["durable"] is True, "durable"
    daemon.stop()
    bad = directory / "40-bad.conf"
    bad.write_text("\n[Sessions]\nPolicy=none\n")
    daemon.assert_start_fails(78, f"{bad}:3: Policy=")


def test_the_shipped_configuration_is_valid(workspace: Workspace) -> None:
    daemon = workspace.daemon((REPOSITORY / "config/scrolld.conf").read_text())
    daemon.stop()


def test_a_reload_applies_a_good_configuration_to_new_sessions_and_rejects_a_bad_one(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Sessions]\nPolicy=classic\n")
    recording = recordings()[0]
    half = len(recording.events) // 2
    old = Feeder(daemon.connect(), "old")
    old.feed(recording.events[:half])

    daemon.config_path.write_text("[Sessions]\nPolicy=safari\n[Log]\nSync=perhaps\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for_notification("RELOADING=1")
    daemon.wait_for_notification("READY=1")
    assert f"{daemon.config_path}:4: Sync=" in daemon.output(), (
        f"the daemon does not report the bad value:\n{daemon.output()}")
    result = workspace.scrollctl(daemon, "reload")
    assert result.returncode == 1, "exit status of scrollctl reload"
    for word in (str(daemon.config_path), "4", "Sync", "perhaps"):
        assert word in result.stderr, f"scrollctl reload does not print “{word}”: {result.stderr}"
    Feeder(daemon.connect(), "third")

    daemon.config_path.write_text("[Sessions]\nPolicy=safari\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for_notification("READY=1")
    new = Feeder(daemon.connect(), "new")
    new.feed(recording.events)
    old.feed(recording.events[half:])
    policies = {state["client"]: state["policy"] for state in states(daemon)}
    assert policies == {"old": "classic", "third": "classic", "new": "safari"}, "policies"

    def require_both():
        transitions = [reply["transition"] for reply in history(daemon) if "transition" in reply]
        for feeder, policy in ((old, "classic"), (new, "safari")):
            recording.require_transitions(
                policy, [transition for transition in transitions if transition["client"] == feeder.client],
                lambda transition: recording.lines[feeder.number_at(transition["position"]) - 1])

    require_both()
    # Sessions keep the policy that they were opened with, even if its name now means another.
    daemon.config_path.write_text("[Policy safari]\nHideDistance=1000\n[Policy classic]\nRule=safari\n")
    daemon.restart()
    require_both()
    daemon.config_path.write_text("[Policy other]\nRule=classic\n[Sessions]\nPolicy=other\n")
    result = workspace.scrollctl(daemon, "reload")
    assert (result.returncode, result.stderr) == (0, ""), "scrollctl reload"
    Feeder(daemon.connect(), "last")
    assert {state["client"]: state["policy"] for state in states(daemon)}["last"] == "other", "policy"


def test_limits_changed_by_a_reload_apply_from_then_on(daemon: Daemon) -> None:
    kept = [daemon.connect() for _ in range(4)]
    for wire in kept:
        wire.call("org.varlink.service.GetInfo")
    daemon.config_path.write_text("[Limits]\nConnectionsMax=3\n")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for_notification("READY=1")
    with daemon.connect() as extra:
        extra.expect_end()
    for wire in kept:
        wire.call("org.varlink.service.GetInfo")
