"""What the tests in a booted system share: commands, units, and clients at work."""

import contextlib
import grp
import json
import os
import pwd
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Callable, Iterator, Optional

from support.daemon import PATIENCE, until
from support.repository import REPOSITORY
from support.wire import Ended, Wire

SERVICE = "scrolld.service"
SOCKET_UNIT = "scrolld.socket"
SOCKET = "/run/scrolld/socket"
STATE = Path("/var/lib/private/scrolld")
#: The script and the programs, as an administrator has them who installs without a package.
INSTALL = REPOSITORY / "systemd/install"
PROGRAMS = REPOSITORY / "programs"
#: How a lost connection shows.
GONE = (Ended, OSError)


def run(*command: object, status: Optional[int] = 0, **options) -> str:
    """Runs a command that must exit with `status`; returns what it printed."""
    result = subprocess.run(
        [*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=90, **options)
    assert status is None or result.returncode == status, f"{command}: exit status {result.returncode}\n{result.stdout}"
    return result.stdout


def run_as(name: str, *command: object, group: str = "", status: int = 0) -> str:
    """Runs a command as a user, with the user's own groups or a single other one."""
    entry = pwd.getpwnam(name)
    groups = [f"--groups={grp.getgrnam(group).gr_gid}"] if group else ["--init-groups"]
    environment = {"HOME": entry.pw_dir, "XDG_RUNTIME_DIR": f"/run/user/{entry.pw_uid}", "PATH": os.environ["PATH"]}
    return run("setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", *groups, *command, status=status,
               env=environment)


# Units


def properties(unit: str, *names: str) -> dict[str, str]:
    """Some properties of a unit."""
    values = run("systemctl", "show", unit, *[f"--property={name}" for name in names])
    return dict(line.split("=", 1) for line in values.splitlines())


def show(unit: str, name: str) -> str:
    """A property of a unit."""
    return properties(unit, name)[name]


def state(unit: str = SERVICE) -> str:
    return show(unit, "ActiveState")


def pid() -> int:
    """The daemon's process, 0 if it isn't running."""
    return int(show(SERVICE, "MainPID"))


def program_of(process: int | str) -> str:
    return os.readlink(f"/proc/{process}/exe")


def systemd_version() -> int:
    return int(run("systemctl", "--version").split()[1])


def journal(lines: int) -> str:
    """The last lines that the daemon and systemd have logged about the service."""
    return run("journalctl", f"--unit={SERVICE}", "--output=cat", f"--lines={lines}")


def drop_in(name: str, text: str) -> None:
    """Writes a drop-in of scrolld's configuration; an empty text removes it."""
    path = Path("/etc/scrolld/scrolld.conf.d") / f"{name}.conf"
    path.parent.mkdir(exist_ok=True)
    if text:
        path.write_text(text)
    else:
        path.unlink()


@contextlib.contextmanager
def unit_drop_in(text: str) -> Iterator[None]:
    """A drop-in of the service's unit for as long as the context lasts. It doesn't restart the service."""
    directory = Path(f"/run/systemd/system/{SERVICE}.d")
    directory.mkdir(parents=True)
    (directory / "test.conf").write_text(f"[Service]\n{text}")
    run("systemctl", "daemon-reload")
    try:
        yield
    finally:
        shutil.rmtree(directory)
        run("systemctl", "daemon-reload")


# Clients


def connect() -> Wire:
    return Wire(SOCKET)


def scroll(number: int) -> dict:
    """An event that toggles the toolbar each time."""
    return {"kind": "scroll", "time": int(time.time() * 1_000_000), "x": 0.0, "y": number % 2 * 100.0}


def feed(client: str, count: int = 1) -> str:
    """Opens a session and appends some events; the session stays open."""
    with connect() as wire:
        session = wire.call("org.scrolld.Recorder.Open", client=client)["session"]
        for number in range(count):
            wire.call("org.scrolld.Recorder.Append", session=session, events=[scroll(number)])
    return session


class Feeder(threading.Thread):
    """Appends numbered events until it is stopped, and sends again what was not acknowledged."""

    def __init__(self, client: str):
        super().__init__(daemon=True)
        self.client = client
        self.session = os.urandom(16).hex()
        self.stored = 0
        self._refusals: list[Exception] = []
        self._stopping = threading.Event()
        self.start()

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                wire = connect()
            except OSError as error:
                # systemd's socket accepts connections even while no daemon runs.
                self._refusals.append(error)
                self._stopping.wait(0.1)
                continue
            try:
                self._append(wire)
            except GONE:
                pass
            except Exception as error:  # `progress` and `stop` report it
                self._refusals.append(error)
                return
            finally:
                wire.close()

    def _append(self, wire: Wire) -> None:
        opened = wire.call("org.scrolld.Recorder.Open", client=self.client, session=self.session)
        number = opened["nextNumber"]
        assert number > self.stored, f"{number - 1} events are left of {self.stored} that were acknowledged"
        while not self._stopping.is_set():
            wire.call("org.scrolld.Recorder.Append", session=self.session, number=number, events=[scroll(number)])
            self.stored = number
            number += 1

    def progress(self) -> None:
        """Waits until more is stored than now."""
        now = self.stored
        until(lambda: self.stored > now + 3 or self._refusals, "the feeder's next events are stored")
        assert not self._refusals, "the feeder was refused"

    def stop(self) -> None:
        self._stopping.set()
        self.join(PATIENCE)
        assert not self.is_alive(), "the feeder does not end"
        assert not self._refusals, "the feeder was refused"


class Subscriber(threading.Thread):
    """Collects every transition, and resumes where it was when it loses its connection."""

    def __init__(self, client: str):
        super().__init__(daemon=True)
        self.transitions: list[dict] = []
        self._parameters: dict = {"clients": [client], "after": 0}
        self._problem: Optional[Exception] = None
        self._wire: Optional[Wire] = None
        self._stopping = threading.Event()
        self.start()

    def run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._wire = connect()
                try:
                    for reply in self._wire.stream("org.scrolld.Observer.Subscribe", **self._parameters):
                        self._take(reply)
                except GONE:
                    pass
                finally:
                    self._wire.close()
        except Exception as error:  # `require_all` reports it
            self._problem = error

    def _take(self, reply: dict) -> None:
        self._parameters["after"] = reply["position"]
        if "generation" in reply:
            self._parameters["generation"] = reply["generation"]
        if "transition" in reply:
            self.transitions.append(reply["transition"])

    def require_all(self, expected: list[dict]) -> None:
        """Waits until as many transitions have come as are expected, and compares them."""
        until(lambda: self._problem or len(self.transitions) >= len(expected), "the subscriber gets the last transition")
        assert self._problem is None
        assert self.transitions == expected

    def stop(self) -> None:
        """Ends the subscription, which would otherwise start the daemon again while it is down."""
        self._stopping.set()

        def has_ended() -> bool:
            with contextlib.suppress(OSError):
                self._wire.socket.shutdown(socket.SHUT_RDWR)
            return not self.is_alive()

        until(has_ended, "the subscriber ends")


def transitions_in_log(client: str) -> list[dict]:
    """Every transition since the beginning of the log."""
    found = []
    with connect() as wire:
        for reply in wire.stream("org.scrolld.Observer.Subscribe", clients=[client], after=0):
            if reply.get("caughtUp"):
                return found
            if "transition" in reply:
                found.append(reply["transition"])
    raise AssertionError("the subscription ended before it had caught up")


def numbers_in_log(session: str) -> list[int]:
    """The numbers of a session's events, in the order of the log."""
    printed = run("scrollctl", "--json", "log", session)
    return [entry["number"] for entry in map(json.loads, printed.splitlines()) if "number" in entry]


def require_nothing_lost(client: str, interrupt: Callable[[], object]) -> None:
    """Interrupts the daemon while a feeder and a subscriber are at work: nothing is lost, and nothing stored twice."""
    feeder, subscriber = Feeder(client), Subscriber(client)
    feeder.progress()
    before = pid()
    interrupt()
    until(lambda: pid() not in (0, before), "another process serves")
    feeder.progress()
    feeder.stop()
    assert numbers_in_log(feeder.session) == list(range(1, feeder.stored + 1)), "the numbers of the stored events"
    subscriber.require_all(transitions_in_log(client))
    assert len(subscriber.transitions) > 1, "too few transitions to tell anything"
    subscriber.stop()
