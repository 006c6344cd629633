"""Idle connections and sessions. These tests wait for the daemon's own clock."""

import time

from support.daemon import until
from support.recordings import Feeder, recordings
from support.subscriber import history, states
from support.wire import Wire
from support.workspace import Workspace


def restarted_daemon(workspace: Workspace):
    """A daemon after a crash with three sessions, two of which end with their connections. One of their clients returns."""
    daemon = workspace.daemon(name="restarted")
    for name in ("comes-back", "stays-away", "lasting"):
        daemon.connect().call("org.scrolld.Recorder.Open", client=name, session=session_of(name),
                              closeOnDisconnect=name != "lasting")
    daemon.kill()
    daemon.start()
    wire = daemon.connect()
    wire.call("org.scrolld.Recorder.Open", client="comes-back", session=session_of("comes-back"), closeOnDisconnect=True)
    return daemon, wire


def session_of(name: str) -> str:
    return name.encode().hex().ljust(32, "0")[:32]


def test_idle_streams_get_heartbeats_and_clients_cut_off_by_a_crash_may_return_for_a_while(workspace: Workspace) -> None:
    # Both parts take half a minute, so they share a test.
    restarted, kept = restarted_daemon(workspace)
    assert len(states(restarted)) == 3, "open sessions right after a crash"
    daemon = workspace.daemon()
    feeder = Feeder(daemon.connect(), "idle")
    feeder.feed(recordings()[0].events)
    streams = []
    for method, parameters in [
        ("org.scrolld.Observer.Subscribe", {}), ("org.scrolld.Observer.Subscribe", {"clients": ["nobody"]}),
        ("org.scrolld.Observer.Subscribe", {"after": 0, "detail": "frames"}),
        ("org.scrolld.Recorder.Requests", {"session": feeder.session}),
    ]:
        wire = Wire(str(daemon.socket_path), timeout=30)
        workspace.add_finalizer(wire.close)
        stream = wire.stream(method, **parameters)
        while True:
            reply = next(stream)
            if reply.get("caughtUp") or method.endswith("Requests"):
                break
        streams.append((method, stream))
    started = time.monotonic()
    last = daemon.statistics()["lastPosition"]
    for method, stream in streams:
        # The socket's timeout ends the wait.
        reply = next(stream)
        assert reply == ({} if method.endswith("Requests") else {"position": last}), f"heartbeat of {method}"
    assert time.monotonic() - started < 30, "the heartbeats came late"

    until(lambda: len(states(restarted)) == 2, "the session of the client that stays away is closed", patience=60)
    assert [state["client"] for state in states(restarted)] == ["comes-back", "lasting"], "open sessions"
    kept.close()
    until(lambda: len(states(restarted)) == 1, "the session ends with its client's new connection")
    reasons = [(reply["closed"]["client"], reply["closed"]["reason"]) for reply in history(restarted) if "closed" in reply]
    assert reasons == [("stays-away", "disconnected"), ("comes-back", "disconnected")], "closings"


def test_a_session_without_records_for_session_idle_sec_is_closed(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Sessions]\nSessionIdleSec=2s\n")
    subscriber = workspace.subscribe(daemon, after=0)
    event = recordings()[0].events[0]
    idle, busy = Feeder(daemon.connect(), "idle"), Feeder(daemon.connect(), "busy")
    idle.feed([event])
    closed: list[dict] = []
    started = time.monotonic()
    while not closed:
        busy.feed([event])
        closed = [reply["closed"] for reply in subscriber.replies if "closed" in reply]
        assert time.monotonic() - started < 30, "the idle session was not closed"
    assert [(one["client"], one["reason"]) for one in closed] == [("idle", "idle")], "closed sessions"
    refused = idle.wire.refusal("org.scrolld.Recorder.Append", session=idle.session, number=2, events=[event])
    assert refused.name == "org.scrolld.Recorder.SessionClosed", "the error"
    busy.feed([event])
