"""A PostgreSQL server of a test's own."""

import atexit
import functools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Optional

from support import programs

#: The user that runs the servers, since PostgreSQL refuses root.
USER = "nobody"

#: Where Debian keeps the newest server's programs; `None` without one.
BINARIES = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=None)

#: Settings that make a server quick to start and to stop. The machine does not crash in these tests, only the server does.
SETTINGS = """
listen_addresses = ''
fsync = off
max_connections = 40
shared_buffers = 32MB
max_wal_size = 256MB
log_min_messages = warning
"""


def _owned(command: list[str], **options) -> subprocess.CompletedProcess:
    """Runs a command as the servers' user."""
    return subprocess.run(["runuser", "-u", USER, "--", *command], capture_output=True, text=True, cwd="/", **options)


@functools.cache
def _template() -> Path:
    """A new server's directory, which is made once, since that takes longer than to copy it."""
    directory = Path(tempfile.mkdtemp(prefix="scrolld-server-"))
    atexit.register(shutil.rmtree, directory)
    owner = pwd.getpwnam(USER)
    os.chown(directory, owner.pw_uid, owner.pw_gid)
    made = _owned([str(BINARIES / "initdb"), "-D", str(directory / "data"), "-U", "owner", "-A", "trust", "-E", "UTF8",
                   "--locale=C.UTF-8", "--no-sync"])
    assert made.returncode == 0, made.stderr
    return directory / "data"


class Cluster:
    """A server with its own directory, on a Unix socket there."""

    def __init__(self, directory: Path, settings: str = ""):
        self.directory = directory
        self.data = directory / "data"
        self.log = directory / "log"
        self._settings = settings
        self._databases = 0
        self.port = 5432
        self.process: Optional[subprocess.Popen] = None

    def _make(self) -> None:
        self.directory.mkdir(exist_ok=True)
        owner = pwd.getpwnam(USER)
        os.chown(self.directory, owner.pw_uid, owner.pw_gid)
        copied = _owned(["cp", "--archive", str(_template()), str(self.data)])
        assert copied.returncode == 0, copied.stderr
        self.configure(self._settings)

    def configure(self, settings: str) -> None:
        """Adds settings, which the next start reads."""
        with open(self.data / "postgresql.conf", "a") as file:
            if settings is self._settings:
                file.write(SETTINGS + f"unix_socket_directories = '{self.directory}'\n")
            file.write(settings + "\n")

    def start(self) -> "Cluster":
        if not self.data.exists():
            self._make()
        owner = pwd.getpwnam(USER)

        def prepare() -> None:
            os.setgroups([])
            os.setgid(owner.pw_gid)
            os.setuid(owner.pw_uid)
            programs.die_with_parent()

        # A child of this process, which takes its exit status: a killed server that nobody waits for would count as running.
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(BINARIES / "postgres"), "-D", str(self.data)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                env=programs.environment(), preexec_fn=prepare)
        deadline = time.monotonic() + 60
        ready = [str(BINARIES / "pg_isready"), "-q", "-h", str(self.directory), "-p", str(self.port)]
        while subprocess.run(ready).returncode != 0:
            assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)
        return self

    def stop(self, mode: str = "fast") -> None:
        """Stops it as `pg_ctl stop` does."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT if mode == "immediate" else signal.SIGINT)
            self.process.wait(60)

    def promote(self) -> None:
        promoted = _owned([str(BINARIES / "pg_ctl"), "-D", str(self.data), "-w", "promote"])
        assert promoted.returncode == 0, promoted.stderr

    def kill(self) -> None:
        """Kills the server and all its processes, and waits until they are gone."""
        pid = self.process.pid
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()
        for victim in [pid, *map(int, children)]:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(30)
        deadline = time.monotonic() + 30
        for victim in [*map(int, children)]:
            while _is_alive(victim):
                assert time.monotonic() < deadline, "the killed server does not end"
                time.sleep(0.01)

    def backup(self, directory: Path, name: str) -> "Cluster":
        """Makes a standby of this server; it is not started."""
        standby = Cluster(directory)
        directory.mkdir()
        owner = pwd.getpwnam(USER)
        os.chown(directory, owner.pw_uid, owner.pw_gid)
        made = _owned([str(BINARIES / "pg_basebackup"), "-h", str(self.directory), "-U", "owner", "-D", str(standby.data), "-R",
                       "-c", "fast", "--no-sync"])
        assert made.returncode == 0, made.stderr
        with open(standby.data / "postgresql.auto.conf", "a") as file:
            file.write(f"primary_conninfo = 'host={self.directory} user=owner application_name={name}'\n")
        with open(standby.data / "postgresql.conf", "a") as file:
            file.write(f"unix_socket_directories = '{directory}'\nsynchronous_standby_names = ''\n")
        return standby

    def database(self, name: Optional[str] = None) -> "Database":
        """Creates a database."""
        self._databases += 1
        database = Database(self, name or f"fleet{self._databases}")
        Database(self, "postgres").execute(f'CREATE DATABASE "{database.name}"')
        return database


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Database:
    """A database of a server."""

    def __init__(self, cluster: Cluster, name: str):
        self.cluster = cluster
        self.name = name

    @property
    def connection(self) -> str:
        """libpq's connection string for its owner."""
        return f"host={self.cluster.directory} user=owner dbname={self.name}"

    def psql(self, text: str, connection: Optional[str] = None, timeout: float = 60) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(BINARIES / "psql"), "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-At", "-d", connection or self.connection, "-f", "-"],
            input=text, capture_output=True, text=True, timeout=timeout, env=programs.environment(PGOPTIONS=""))

    def execute(self, text: str, **options) -> str:
        """Runs statements; returns what they print."""
        done = self.psql(text, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def value(self, query: str) -> str:
        return self.execute(query).strip()

    def rows(self, query: str) -> list[list[str]]:
        return [line.split("|") for line in self.execute(query).splitlines()]

    def relay(self, *arguments: str, connection: Optional[str] = None, **options) -> subprocess.CompletedProcess:
        """Runs scroll-relay to its end."""
        return programs.run("scroll-relay", "--config", "/dev/null", "--database", connection or self.connection, *arguments,
                            **options)

    def init(self, *arguments: str) -> None:
        made = self.relay("init", *arguments)
        assert made.returncode == 0, made.stderr
