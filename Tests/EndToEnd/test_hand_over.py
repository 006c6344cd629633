"""Restarts with clients connected: the service manager keeps the connections, and the next daemon resumes them."""

import os
import resource
import threading
from random import Random

import pytest

from support.daemon import until
from support.formats import HandOverTable
from support.recordings import Feeder
from support.subscriber import Subscriber, occurrences, history
from support.wire import Ended, Wire, message
from support.workspace import Workspace

RESTARTS = 20
INFO = "org.varlink.service.GetInfo"


def scroll(time: int) -> dict:
    """An event that toggles the toolbar each time."""
    if time == 1:
        return {"kind": "layout", "time": 1, "contentHeight": 5000.0, "frameHeight": 800.0}
    return {"kind": "scroll", "time": time, "x": 0.0, "y": 400.0 if time % 2 else 100.0}


def events_of(daemon, session: str) -> list[int]:
    """The times of a session's events, in the order of the log."""
    records = [reply["record"] for reply in daemon.stream("org.scrolld.Observer.Read", session=session) if "record" in reply]
    return [record["time"] for record in records if record["kind"] in ("scroll", "layout")]


class Source:
    """Feeds a session over one connection, in a thread of its own, until it is stopped."""

    def __init__(self, path: str, client: str, random: Random, is_oneway: bool, reconnects: bool = False):
        self._path = path
        self._client = client
        self._is_oneway = is_oneway
        self._reconnects = reconnects
        self._random = Random(random.random())
        self.connections = 0
        self.sent = 0
        self._connect()
        self._stopping = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _connect(self, session: str | None = None) -> None:
        self.connections += 1
        self.feeder = Feeder(Wire(self._path), self._client, session)
        self.sent = self.feeder.next_number - 1

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                try:
                    self._send()
                except (Ended, OSError):
                    if not self._reconnects:
                        raise
                    self._connect(self.feeder.session)
            if not self._is_oneway:
                while self.feeder.unanswered:
                    self.feeder.take_answer()
        except BaseException as error:  # `stop` raises it
            self._error = error

    def _send(self) -> None:
        count = self._random.choice([1, 2, 40])
        events = [scroll(self.sent + 1 + index) for index in range(count)]
        if self._is_oneway:
            # Without numbers, only the connection tells which events were sent.
            self.feeder.wire.send(
                "org.scrolld.Recorder.Append", {"session": self.feeder.session, "events": events}, oneway=True)
        else:
            self.feeder.send(events)
            if len(self.feeder.unanswered) > 3:
                self.feeder.take_answer()
        self.sent += count

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(60)
        assert not self._thread.is_alive(), f"{self._client} hangs"
        if self._error:
            raise AssertionError(f"{self._client}: {self._error!r}") from self._error
        # The answer to a later call shows that the daemon has taken the oneway calls.
        self.feeder.wire.call(INFO)


def require_nothing_lost_or_doubled(daemon, sources: list[Source], subscribers: list[Subscriber]) -> None:
    daemon.call("org.scrolld.Manager.Sync")
    last = daemon.statistics()["lastPosition"]
    for source in sources:
        assert events_of(daemon, source.feeder.session) == list(range(1, source.sent + 1)), "events of a source"
    expected = history(daemon)
    for subscriber in subscribers:
        heard = occurrences(subscriber.wait(
            lambda replies: occurrences(replies)[-1:] == expected[-1:], f"the last of {last} positions"))
        assert heard == expected, "what a subscriber heard"
        assert sum("caughtUp" in reply for reply in subscriber.replies) == 1, "the subscriber caught up twice"


@pytest.mark.timeout(180)
def test_restarts_under_load_keep_every_connection_and_lose_or_duplicate_nothing(
        workspace: Workspace, random: Random) -> None:
    daemon = workspace.managed_daemon()
    path = str(daemon.socket_path)
    subscribers = [Subscriber(path, after=0), Subscriber(path, after=0, clients=["*"])]
    frames = Subscriber(path, detail="frames")
    sources = [Source(path, f"numbered/{index}", random, is_oneway=False) for index in range(3)]
    sources += [Source(path, f"oneway/{index}", random, is_oneway=True) for index in range(2)]
    for _ in range(RESTARTS):
        # Restarts under load, at a random moment of a commit.
        before = daemon.statistics()["lastPosition"]
        until(lambda: daemon.statistics()["lastPosition"] > before + random.randrange(2000), "more events are stored")
        daemon.restart()
    taken = daemon.metric("connections_taken_over")
    for source in sources:
        source.stop()
    require_nothing_lost_or_doubled(daemon, sources, subscribers)
    frames.wait(lambda replies: "state" in replies[-1] or "transition" in replies[-1], "a frame arrives")
    assert taken == len(sources) + len(subscribers) + 1, f"connections resumed:\n{daemon.output()[-2000:]}"
    assert [source.connections for source in sources] == [1] * len(sources), "connections of each source"
    assert "for the next daemon" in daemon.output(), "the daemon does not report the hand-over"
    for subscriber in [*subscribers, frames]:
        subscriber.close()


@pytest.mark.timeout(180)
def test_idle_connections_survive_kills_and_busy_ones_can_reconnect(workspace: Workspace, random: Random) -> None:
    daemon = workspace.managed_daemon()
    path = str(daemon.socket_path)
    feeder = Feeder(Wire(path), "idle")
    # The first two events toggle nothing: subscribers would hear of them only by the next heartbeat.
    sent = 2
    feeder.feed([scroll(1), scroll(2)])
    subscribers = [Subscriber(path, after=0) for _ in range(2)]
    for subscriber in subscribers:
        subscriber.wait_until_caught_up()
    for _ in range(RESTARTS):
        feeder.feed([scroll(sent + 1), scroll(sent + 2)])
        sent += 2
        for subscriber in subscribers:
            subscriber.wait_for_position(feeder.positions[sent])
        # The answer shows that the daemon has recorded the earlier answers, too.
        daemon.call(INFO)
        daemon.kill()
        daemon.start()
    assert daemon.metric("connections_taken_over") == 3, f"connections resumed:\n{daemon.output()[-2000:]}"
    assert daemon.metric("connections_lost") == 0, "connections lost"
    # Now with busy connections.
    sources = [Source(path, f"busy/{index}", random, is_oneway=False, reconnects=True) for index in range(3)]
    for _ in range(RESTARTS):
        before = daemon.statistics()["lastPosition"]
        until(lambda: daemon.statistics()["lastPosition"] > before + random.randrange(2000), "more events are stored")
        daemon.kill()
        daemon.start()
    for source in sources:
        source.stop()
    # Subscribers may have been busy, too. The feeder was idle all the time.
    feeder.feed([scroll(sent + 1)])
    assert events_of(daemon, feeder.session) == list(range(1, sent + 2)), "events of the idle feeder"
    require_nothing_lost_or_doubled(daemon, sources, [])
    expected = history(daemon)
    for subscriber in subscribers:
        heard = occurrences(subscriber.replies)
        assert heard == expected[: len(heard)], "what a subscriber heard"
        subscriber.close()


def test_a_connection_that_received_more_since_a_restart_is_not_resumed_from_its_old_state(workspace: Workspace) -> None:
    daemon = workspace.managed_daemon()
    reader = Wire(str(daemon.socket_path), receive_buffer=4096)
    reader.send("org.scrolld.Observer.Subscribe", {"after": 0}, more=True)
    replies = [reader.answer()]
    daemon.call(INFO)
    daemon.kill()
    # While the connection is stored, the log grows by more than the next daemon can send before it is killed.
    other = workspace.daemon(name="other", state_directory=daemon.state_directory)
    Feeder(other.connect(), "feeder").feed([scroll(time) for time in range(1, 6001)])
    other.stop()
    daemon.start()
    assert daemon.metric("connections_taken_over") == 1, f"connections resumed:\n{daemon.output()}"
    replies.append(reader.answer())
    daemon.kill()
    daemon.start()
    try:
        while replies[-1]["position"] < 6001:
            replies.append(reader.answer())
    except Ended:
        pass  # the connection was busy; a client would reconnect with the last position that it heard of
    heard = occurrences(replies)
    assert heard == history(daemon)[: len(heard)], "what the reader heard"
    assert daemon.metric("connections_lost") == 1, f"connections lost:\n{daemon.output()}"


def test_half_a_call_unread_answers_and_owned_sessions_survive_a_restart(workspace: Workspace) -> None:
    daemon = workspace.managed_daemon()
    path = str(daemon.socket_path)
    half = Wire(path)
    call = message(INFO)
    half.send_raw(call + call[:20])
    half.answer()
    lazy = Wire(path, receive_buffer=4096)
    feeder = Feeder(Wire(path), "feeder")
    feeder.feed([scroll(time) for time in range(1, 6001)])
    lazy.send("org.scrolld.Observer.Subscribe", {"after": 0}, more=True)
    owner = Wire(path)
    session = owner.call("org.scrolld.Recorder.Open", client="owned", closeOnDisconnect=True)["session"]
    silent = Wire(path)
    daemon.call(INFO)
    daemon.stop()
    # A failed start keeps the connections.
    good = daemon.config_path.read_text()
    daemon.config_path.write_text("nonsense")
    daemon.spawn()
    assert daemon.wait() == 78, "exit status with a bad configuration"
    daemon.config_path.write_text(good)
    daemon.start()
    half.send_raw(call[20:])
    assert half.answer()["product"] == "scrolld", "the answer to a call in two halves, one per daemon"
    assert silent.call(INFO)["product"] == "scrolld", "the answer to a client that had never called"
    daemon.restart()
    replies = [lazy.answer()]
    while not replies[-1].get("caughtUp"):
        replies.append(lazy.answer())
    heard = occurrences(replies)
    assert heard == history(daemon)[: len(heard)], "what the late reader heard"
    owner.call("org.scrolld.Recorder.Append", session=session, events=[scroll(1)])
    owner.close()
    closed = lambda: [reply for reply in history(daemon) if "closed" in reply]
    until(closed, "the session ends with its connection")
    assert [reply["closed"]["reason"] for reply in closed()] == ["disconnected"], "reasons of the closings"


def test_the_store_releases_closed_connections_and_a_final_stop_ends_them_all(workspace: Workspace) -> None:
    daemon = workspace.managed_daemon()
    path = str(daemon.socket_path)
    assert daemon.stored() == ["c.table"], "stored descriptors without connections"
    idle = [Wire(path) for _ in range(5)]
    assert daemon.stored() == ["c.table"], "stored descriptors with connections that never called"
    for wire in idle:
        wire.call(INFO)
    assert len(daemon.stored()) == 6, "stored descriptors"
    idle.pop().close()
    until(lambda: len(daemon.stored()) == 5, "the store releases a closed connection")
    # A peer that closes its connection while no daemon runs.
    daemon.stop()
    idle.pop().close()
    daemon.start()
    assert len(daemon.stored()) == 4, "stored descriptors after a peer left while no daemon ran"
    # A client that breaks the protocol is disconnected, although the store holds the socket as well.
    broken = idle.pop()
    broken.send_raw(b"nonsense\0")
    broken.expect_end()
    daemon.stop_and_release()
    for wire in idle:
        wire.expect_end()
    daemon.start()
    assert daemon.metric("connections_taken_over") == 0, "connections resumed after a final stop"


def test_connections_beyond_the_store_limit_end_with_the_daemon(workspace: Workspace) -> None:
    daemon = workspace.managed_daemon(store_limit=8)
    wires = [Wire(str(daemon.socket_path)) for _ in range(12)]
    for wire in wires:
        wire.call(INFO)
    daemon.restart()
    for wire in wires[:7]:
        wire.call(INFO)
    for wire in wires[7:]:
        wire.expect_end()
    assert daemon.store.refused == 0, "descriptors that the store refused"
    assert daemon.metric("connections_taken_over") == 7, "connections resumed"


@pytest.mark.timeout(120)
def test_as_many_connections_as_allowed_survive_restarts(workspace: Workspace) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # This process holds the clients' ends and the store, and the next daemon briefly twice the store.
    count = min(4095, (hard - 200) // 3)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    workspace.add_finalizer(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
    daemon = workspace.managed_daemon()
    wires = [Wire(str(daemon.socket_path)) for _ in range(count)]
    workspace.add_finalizer(lambda: [wire.close() for wire in wires])
    for wire in wires:
        wire.call(INFO)
    daemon.restart()
    for wire in wires:
        wire.call(INFO)
    # With the largest number of connections, another call has no place.
    wires.pop().close()
    until(lambda: "connections_taken_over" in str(daemon.statistics()), "the daemon accepts another connection")
    assert daemon.metric("connections_taken_over") == count, "connections resumed"
    daemon.kill()
    daemon.start()
    for wire in wires:
        wire.call(INFO)


def test_state_from_another_version_is_not_guessed_at_and_its_connections_end(workspace: Workspace) -> None:
    daemon = workspace.managed_daemon()
    wire = Wire(str(daemon.socket_path))
    wire.call(INFO)
    for offset, value, word in ((HandOverTable.VERSION, 9, "version 9"), (HandOverTable.SLOT_COUNT, 1, "checksum")):
        daemon.stored()
        daemon.stop()
        os.pwrite(daemon.stored_table(), value.to_bytes(4, "little"), offset)
        daemon.start()
        wire.expect_end()
        assert word in daemon.output(), f"the daemon does not report “{word}”: {daemon.output()}"
        wire = Wire(str(daemon.socket_path))
        wire.call(INFO)
        assert len(daemon.stored()) == 2, "stored descriptors after starting over"
    # Afterwards, restarts keep connections as usual.
    daemon.restart()
    wire.call(INFO)


def test_without_a_store_connections_end_with_the_daemon(workspace: Workspace) -> None:
    daemon = workspace.managed_daemon(store_limit=0)
    wire = Wire(str(daemon.socket_path))
    wire.call(INFO)
    daemon.restart()
    wire.expect_end()
    assert daemon.store.entries == [], "stored descriptors"
