"""A machine of the fleet: a daemon with its log, and the relay that copies it."""

import os
import signal
import subprocess
import time
from typing import Optional

from support import programs
from support.daemon import PATIENCE, Daemon
from support.recordings import Feeder, recordings

from .cluster import Database

OBSERVER = "org.scrolld.Observer"


class Machine:
    """A daemon, its feeders and its relays."""

    def __init__(self, workspace, daemon: Daemon, number: int):
        self.workspace = workspace
        self.daemon = daemon
        self.id = f"{number:032x}"
        self.name = f"desk{number}"
        self._fed = 0
        self.relays: list[RelayProcess] = []

    # Feeding

    def feed(self, events: int = 400, client: Optional[str] = None, close: bool = True) -> Feeder:
        """Records a session with so many events, made of those that a browser sent."""
        source = recordings()[self._fed % len(recordings())].events
        self._fed += 1
        feeder = Feeder(self.daemon.connect(), client or f"reader/{self._fed % 3}")
        feeder.feed([source[index % len(source)] for index in range(events)])
        if close:
            feeder.close()
        return feeder

    def records(self) -> list[dict]:
        """What the log holds."""
        return [entry for entry in self.daemon.stream(f"{OBSERVER}.Read") if "record" in entry]

    def last_position(self) -> int:
        return self.daemon.statistics()["lastPosition"]

    # Relaying

    def start_relay(self, database: Optional[Database] = None, *arguments: str, connection: Optional[str] = None,
                    machine: Optional[str] = None, prefix: tuple = (), **changes: str) -> "RelayProcess":
        relay = RelayProcess(self, connection or database.connection, machine or self.id, arguments, prefix, changes)
        self.relays.append(relay)
        return relay

    def wait_until_stored(self, database: Database, position: Optional[int] = None, patience: float = PATIENCE) -> None:
        """Waits until the database has everything up to a position of this generation, or up to the end of the log."""
        statistics = self.daemon.statistics()
        wanted = position or statistics["lastPosition"]
        generation = statistics["generation"]
        deadline = time.monotonic() + patience
        while True:
            found = database.psql(
                f"SELECT position FROM scroll.machine WHERE machine = '{self.id}' AND generation = {generation}").stdout.strip()
            if found and int(found) >= wanted:
                return
            assert time.monotonic() < deadline, (
                f"the database has position {found or 'none'} of {wanted}; the last relay printed: {self.relays[-1].output()}")
            time.sleep(0.05)

    def require_stored_once(self, database: Database) -> None:
        """Requires that the database has each record of the log exactly once, and gives each session back byte for byte."""
        log = self.records()
        count, distinct = database.rows(
            "SELECT count(*), count(DISTINCT (generation, position)) FROM scroll.record "
            f"WHERE machine = '{self.id}' AND stands")[0]
        assert (int(count), int(distinct)) == (len(log), len(log)), "rows, distinct rows and records of the log"
        stored = database.rows(
            "SELECT position, (extract(epoch FROM received) * 1000000)::bigint, replace(session::text, '-', ''), client, uid, "
            f"coalesce(number, 0), kind FROM scroll.record WHERE machine = '{self.id}' AND stands ORDER BY position")
        expected = [[str(entry[name]) for name in ("position", "received", "session", "client", "user")]
                    + [str(entry.get("number", 0)), entry["record"]["kind"]] for entry in log]
        assert stored == expected, "the rows"
        self.require_equal_exports(database)

    def require_equal_exports(self, database: Database) -> None:
        theirs = database.relay("export", "--of", self.id)
        ours = self.workspace.scrollctl(self.daemon, "export")
        assert theirs.stdout == ours.stdout, f"the exports differ: {theirs.stderr} {ours.stderr}"
        assert ours.stdout, "nothing was exported"


class RelayProcess:
    """A running scroll-relay."""

    def __init__(self, machine: Machine, connection: str, machine_id: str, arguments, prefix, changes):
        self.output_path = machine.workspace.directory / f"relay-{machine.name}-{time.monotonic_ns()}"
        with open(self.output_path, "wb") as output:
            self.process = programs.start(
                "scroll-relay", "--config", "/dev/null", "--database", connection, "--machine", machine_id, "--name", machine.name,
                "--socket", str(machine.daemon.socket_path), *arguments, "run", prefix=prefix, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, changes=changes)
        machine.workspace.add_finalizer(self.kill)

    def output(self) -> str:
        return self.output_path.read_text(errors="replace")

    def kill(self) -> None:
        if self.process.poll() is None:
            # A relay would survive the tracer that started it.
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
                for child in children.read().split():
                    os.kill(int(child), signal.SIGKILL)
            self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE)
        assert status == 0, f"the relay ended with {status}: {self.output()}"

    def wait_for_end(self, status: int, *words: str) -> None:
        """Waits for it to end by itself, with a status and a message that has these words."""
        found = self.process.wait(PATIENCE)
        assert found == status, f"the relay ended with {found}: {self.output()}"
        for word in words:
            assert word in self.output(), f"the message lacks “{word}”: {self.output()}"

    def wait_for_message(self, *words: str, patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        while not all(word in self.output() for word in words):
            assert self.process.poll() is None, f"the relay ended: {self.output()}"
            assert time.monotonic() < deadline, f"the relay has not printed {words}: {self.output()}"
            time.sleep(0.05)

    def resident_bytes(self) -> int:
        """The most memory that it has held, in bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
        return int(fields["VmHWM"].split()[0]) * 1024
