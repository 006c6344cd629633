"""Restarts that clients don't notice: the service manager keeps the connections, the next daemon goes on with them."""

import os
import resource
import threading

from support.daemon import until
from support.recordings import Feeder
from support.runner import check, equal, randomness, require
from support.service_manager import ManagedDaemon
from support.subscriber import Subscriber, happenings, history
from support.wire import Ended, Wire, message
from support.workspace import Workspace

RESTARTS = 20
INFO = "org.varlink.service.GetInfo"


def managed(workspace: Workspace, name: str = "managed", **options) -> ManagedDaemon:
    daemon = ManagedDaemon(workspace.directory / name, **options)
    workspace.daemons.append(daemon)
    return daemon.start()


def scroll(time: int) -> dict:
    """An event of a story in which the toolbar goes up and down all the time."""
    if time == 1:
        return {"kind": "layout", "time": 1, "contentHeight": 5000.0, "frameHeight": 800.0}
    return {"kind": "scroll", "time": time, "x": 0.0, "y": 400.0 if time % 2 else 100.0}


def events_of(daemon, session: str) -> list[int]:
    """The times of a session's events, in the log's order."""
    records = [reply["record"] for reply in daemon.stream("org.scrolld.Observer.Read", session=session) if "record" in reply]
    return [record["time"] for record in records if record["kind"] in ("scroll", "layout")]


class Source:
    """Feeds a session over one connection, in a thread of its own, until it is told to stop."""

    def __init__(self, path: str, client: str, is_oneway: bool, comes_back: bool = False):
        self._path = path
        self._client = client
        self._is_oneway = is_oneway
        self._comes_back = comes_back
        self._random = randomness(client)
        self.connections = 0
        self.sent = 0
        self._connect()
        self._shall_stop = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _connect(self, session: str | None = None) -> None:
        self.connections += 1
        self.feeder = Feeder(Wire(self._path), self._client, session)
        self.sent = self.feeder.next_number - 1

    def _run(self) -> None:
        try:
            while not self._shall_stop.is_set():
                try:
                    self._send()
                except (Ended, OSError):
                    if not self._comes_back:
                        raise
                    self._connect(self.feeder.session)
            if not self._is_oneway:
                while self.feeder.unanswered:
                    self.feeder.take_answer()
        except BaseException as error:  # raised again by whoever stops it
            self._error = error

    def _send(self) -> None:
        count = self._random.choice([1, 2, 40])
        events = [scroll(self.sent + 1 + index) for index in range(count)]
        if self._is_oneway:
            # Without numbers: nothing but the connection says what was sent.
            self.feeder.wire.send(
                "org.scrolld.Recorder.Append", {"session": self.feeder.session, "events": events}, oneway=True)
        else:
            self.feeder.send(events)
            if len(self.feeder.unanswered) > 3:
                self.feeder.take_answer()
        self.sent += count

    def stop(self) -> None:
        self._shall_stop.set()
        self._thread.join(60)
        require(not self._thread.is_alive(), f"{self._client} hangs")
        if self._error:
            raise AssertionError(f"{self._client}: {self._error!r}") from self._error
        # An answered call behind the oneway ones says that they have come.
        self.feeder.wire.call(INFO)


def require_nothing_lost_or_doubled(daemon, sources: list[Source], subscribers: list[Subscriber]) -> None:
    daemon.call("org.scrolld.Manager.Sync")
    last = daemon.statistics()["lastPosition"]
    for source in sources:
        equal(events_of(daemon, source.feeder.session), list(range(1, source.sent + 1)), "the events of a source")
    told = history(daemon)
    for subscriber in subscribers:
        heard = happenings(subscriber.wait(
            lambda replies: happenings(replies)[-1:] == told[-1:], f"it had heard the last of {last} positions"))
        equal(heard, told, "what a subscriber heard")
        require(sum("caughtUp" in reply for reply in subscriber.replies) == 1, "it was told twice that it had caught up")


@check(f"restart: feeders and subscribers under way live on through {RESTARTS} of them, and nothing is lost or doubled",
       deadline=180)
def restarts(workspace: Workspace):
    random = randomness("restarts")
    daemon = managed(workspace)
    path = str(daemon.socket_path)
    subscribers = [Subscriber(path, after=0), Subscriber(path, after=0, clients=["*"])]
    frames = Subscriber(path, detail="frames")
    sources = [Source(path, f"numbered/{index}", is_oneway=False) for index in range(3)]
    sources += [Source(path, f"oneway/{index}", is_oneway=True) for index in range(2)]
    for _ in range(RESTARTS):
        # Well under way each time, and at no particular moment of a commit.
        before = daemon.statistics()["lastPosition"]
        until(lambda: daemon.statistics()["lastPosition"] > before + random.randrange(2000), "events come")
        daemon.restart()
    taken = daemon.metric("connections_taken_over")
    for source in sources:
        source.stop()
    require_nothing_lost_or_doubled(daemon, sources, subscribers)
    frames.wait(lambda replies: "state" in replies[-1] or "transition" in replies[-1], "frames come")
    equal(taken, len(sources) + len(subscribers) + 1, f"connections taken over:\n{daemon.said()[-2000:]}")
    equal([source.connections for source in sources], [1] * len(sources), "connections of each source")
    require("to go on with the next daemon" in daemon.said(), "it doesn't say that it hands over")
    for subscriber in [*subscribers, frames]:
        subscriber.close()


@check(f"restart: through {RESTARTS} SIGKILLs those at rest live on, those in the midst come back, nothing is lost or doubled",
       deadline=180)
def kills(workspace: Workspace):
    random = randomness("kills")
    daemon = managed(workspace)
    path = str(daemon.socket_path)
    subscribers = [Subscriber(path, after=0) for _ in range(2)]
    feeder = Feeder(Wire(path), "resting")
    sent = 0
    for _ in range(RESTARTS):
        feeder.feed([scroll(sent + 1), scroll(sent + 2)])
        sent += 2
        for subscriber in subscribers:
            subscriber.wait_for_position(feeder.positions[sent])
        # What was sent before this call was answered is noted as well.
        daemon.call(INFO)
        daemon.kill()
        daemon.start()
    equal(daemon.metric("connections_taken_over"), 3, f"connections taken over:\n{daemon.said()[-2000:]}")
    equal(daemon.metric("connections_lost"), 0, "connections lost")
    # Now in the midst of it.
    sources = [Source(path, f"busy/{index}", is_oneway=False, comes_back=True) for index in range(3)]
    for _ in range(RESTARTS):
        before = daemon.statistics()["lastPosition"]
        until(lambda: daemon.statistics()["lastPosition"] > before + random.randrange(2000), "events come")
        daemon.kill()
        daemon.start()
    for source in sources:
        source.stop()
    # Subscribers may have been in the midst of it, too; the feeder was at rest all the time.
    feeder.feed([scroll(sent + 1)])
    equal(events_of(daemon, feeder.session), list(range(1, sent + 2)), "the events of the feeder at rest")
    require_nothing_lost_or_doubled(daemon, sources, [])
    told = history(daemon)
    for subscriber in subscribers:
        heard = happenings(subscriber.replies)
        equal(heard, told[: len(heard)], "what a subscriber heard")
        subscriber.close()


@check("restart: what was taken over and has been told something since is not taken over as it was before")
def taken_over_twice(workspace: Workspace):
    daemon = managed(workspace)
    reader = Wire(str(daemon.socket_path), receive_buffer=4096)
    reader.send("org.scrolld.Observer.Subscribe", {"after": 0}, more=True)
    replies = [reader.answer()]
    daemon.call(INFO)
    daemon.kill()
    # So much happens while it is kept that the next daemon can't tell it all before it is killed.
    other = workspace.daemon(name="other", state_directory=daemon.state_directory)
    Feeder(other.connect(), "feeder").feed([scroll(time) for time in range(1, 6001)])
    other.stop()
    daemon.start()
    equal(daemon.metric("connections_taken_over"), 1, f"connections taken over:\n{daemon.said()}")
    replies.append(reader.answer())
    daemon.kill()
    daemon.start()
    try:
        while replies[-1]["position"] < 6001:
            replies.append(reader.answer())
    except Ended:
        pass  # it was in the midst of it, and would come back with the last position that it heard of
    heard = happenings(replies)
    equal(heard, history(daemon)[: len(heard)], "what it heard")
    equal(daemon.metric("connections_lost"), 1, f"connections lost:\n{daemon.said()}")


@check("restart: half a call, answers that nobody has read, and a session that ends with its connection live on, too")
def unfinished(workspace: Workspace):
    daemon = managed(workspace)
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
    # A start that comes to nothing takes nothing from them.
    good = daemon.config_path.read_text()
    daemon.config_path.write_text("nonsense")
    daemon.spawn()
    equal(daemon.wait(), 78, "exit status with a bad configuration")
    daemon.config_path.write_text(good)
    daemon.start()
    half.send_raw(call[20:])
    equal(half.answer()["product"], "scrolld", "the answer to a call that two daemons got half of each")
    equal(silent.call(INFO)["product"], "scrolld", "the answer to who has never called before")
    daemon.restart()
    replies = [lazy.answer()]
    while not replies[-1].get("caughtUp"):
        replies.append(lazy.answer())
    heard = happenings(replies)
    equal(heard, history(daemon)[: len(heard)], "what who reads late heard")
    owner.call("org.scrolld.Recorder.Append", session=session, events=[scroll(1)])
    owner.close()
    closed = lambda: [told for told in history(daemon) if "closed" in told]
    until(closed, "the session ends with its connection")
    equal([told["closed"]["reason"] for told in closed()], ["disconnected"], "why sessions ended")


@check("restart: what is stored is let go of with its connection; a stop for good ends all")
def let_go(workspace: Workspace):
    daemon = managed(workspace)
    path = str(daemon.socket_path)
    equal(daemon.stored(), ["c.table"], "stored while nobody has called for long")
    idle = [Wire(path) for _ in range(5)]
    equal(daemon.stored(), ["c.table"], "stored of connections that have never called")
    for wire in idle:
        wire.call(INFO)
    equal(len(daemon.stored()), 6, "stored")
    idle.pop().close()
    until(lambda: len(daemon.stored()) == 5, "what is stored goes with its connection")
    # Peers that go while there is no daemon.
    daemon.stop()
    idle.pop().close()
    daemon.start()
    equal(len(daemon.stored()), 4, "stored after a peer went while there was no daemon")
    # One that breaks the protocol sees the end, although the store holds the socket as well.
    broken = idle.pop()
    broken.send_raw(b"nonsense\0")
    broken.expect_end()
    daemon.stop_for_good()
    for wire in idle:
        wire.expect_end()
    daemon.start()
    equal(daemon.metric("connections_taken_over"), 0, "connections taken over after a stop for good")


@check("restart: the store's limit holds; who finds no place ends with the daemon, the others live on")
def limit(workspace: Workspace):
    daemon = managed(workspace, store_limit=8)
    wires = [Wire(str(daemon.socket_path)) for _ in range(12)]
    for wire in wires:
        wire.call(INFO)
    daemon.restart()
    for wire in wires[:7]:
        wire.call(INFO)
    for wire in wires[7:]:
        wire.expect_end()
    equal(daemon.store.refused, 0, "descriptors that the store had to refuse")
    equal(daemon.metric("connections_taken_over"), 7, "connections taken over")


@check("restart: as many connections as there may be live on", deadline=120)
def many(workspace: Workspace):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Here are the clients' ends and the store, and in the next daemon for a moment twice the store.
    count = min(4095, (hard - 200) // 3)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    workspace.ending(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
    daemon = managed(workspace)
    wires = [Wire(str(daemon.socket_path)) for _ in range(count)]
    workspace.ending(lambda: [wire.close() for wire in wires])
    for wire in wires:
        wire.call(INFO)
    daemon.restart()
    for wire in wires:
        wire.call(INFO)
    # Root's own call finds no place beside them where they are as many as may be.
    wires.pop().close()
    until(lambda: "connections_taken_over" in str(daemon.statistics()), "there is a place for one more")
    equal(daemon.metric("connections_taken_over"), count, "connections taken over")
    daemon.kill()
    daemon.start()
    for wire in wires:
        wire.call(INFO)


@check("restart: what another version has left is not guessed at: the connections end, and it says why")
def other_version(workspace: Workspace):
    daemon = managed(workspace)
    wire = Wire(str(daemon.socket_path))
    wire.call(INFO)
    for value, word in ((9, "version 9"), (1, "checksum")):
        daemon.stored()
        daemon.stop()
        [table] = [descriptor for name, descriptor in daemon.store.entries if name == "c.table"]
        # The version, and then the count of slots.
        os.pwrite(table, value.to_bytes(4, "little"), 8 if value == 9 else 12)
        daemon.start()
        wire.expect_end()
        require(word in daemon.said(), f"it doesn't say why: {daemon.said()}")
        wire = Wire(str(daemon.socket_path))
        wire.call(INFO)
        equal(len(daemon.stored()), 2, "stored after a new beginning")
    # And from a new beginning it goes on as ever.
    daemon.restart()
    wire.call(INFO)


@check("restart: without a store nothing is kept, and connections end with the daemon")
def no_store(workspace: Workspace):
    daemon = managed(workspace, store_limit=0)
    wire = Wire(str(daemon.socket_path))
    wire.call(INFO)
    daemon.restart()
    wire.expect_end()
    equal(daemon.store.entries, [], "stored")
