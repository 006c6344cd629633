"""Checks of scrolld under a real service manager. systemd/test-boot runs this inside a booted container, as root.

The checks are one story, told in order: the package is installed, used, upgraded and purged."""

import contextlib
import grp
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import traceback
from pathlib import Path

SOCKET = "/run/scrolld/socket"
STATE = Path("/var/lib/private/scrolld")
PATIENCE = 30
#: The repository's scripts and the programs, as an administrator has them who installs without a package.
INSTALL = "/opt/scrolld/systemd/install"
PROGRAMS = "/opt/scrolld/programs"

checks = []


def check(name):
    def register(body):
        checks.append((name, body))
        return body

    return register


def require(condition, message):
    if not condition:
        raise AssertionError(str(message))


def equal(found, expected, what):
    require(found == expected, f"{what}: is {found!r} and should be {expected!r}")


def run(*command, status=0, **options):
    """Runs a command; returns what it printed."""
    result = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=90,
        **options)
    require(status is None or result.returncode == status, f"{command}: status {result.returncode}\n{result.stdout}")
    return result.stdout


def until(condition, what, patience=PATIENCE):
    """Waits for something that nobody tells us of."""
    deadline = time.monotonic() + patience
    while not (value := condition()):
        require(time.monotonic() < deadline, f"not within {patience} s: {what}")
        time.sleep(0.02)
    return value


def show(unit, *properties):
    values = run("systemctl", "show", unit, *[f"--property={name}" for name in properties])
    found = dict(line.split("=", 1) for line in values.splitlines())
    return found[properties[0]] if len(properties) == 1 else found


def state(unit="scrolld.service"):
    return show(unit, "ActiveState")


def pid():
    return int(show("scrolld.service", "MainPID"))


def drop_in(name, text):
    """A drop-in of scrolld's configuration; an empty text takes it away."""
    path = Path("/etc/scrolld/scrolld.conf.d") / f"{name}.conf"
    path.parent.mkdir(exist_ok=True)
    if text:
        path.write_text(text)
    else:
        path.unlink()


@contextlib.contextmanager
def unit_drop_in(text):
    """A drop-in of the service's unit, for as long as the context lasts. What runs is not restarted."""
    directory = Path("/run/systemd/system/scrolld.service.d")
    directory.mkdir(parents=True)
    (directory / "test.conf").write_text(f"[Service]\n{text}")
    run("systemctl", "daemon-reload")
    try:
        yield
    finally:
        shutil.rmtree(directory)
        run("systemctl", "daemon-reload")


def systemd_version():
    return int(run("systemctl", "--version").split()[1])


class Gone(Exception):
    """The connection has ended."""


class Refused(Exception):
    """A call was answered with an error."""


class Wire:
    """A connection."""

    def __init__(self, path=SOCKET):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(str(path))
        self.buffer = b""

    def send(self, method, parameters, **flags):
        message = json.dumps({"method": f"org.scrolld.{method}", "parameters": parameters, **flags})
        try:
            self.socket.sendall(message.encode() + b"\0")
        except OSError as error:
            raise Gone from error

    def answer(self):
        while b"\0" not in self.buffer:
            try:
                received = self.socket.recv(65536)
            except (ConnectionError, TimeoutError) as error:
                raise Gone from error
            if not received:
                raise Gone
            self.buffer += received
        message, self.buffer = self.buffer.split(b"\0", 1)
        answer = json.loads(message)
        if "error" in answer:
            raise Refused(f"{answer['error']} {answer.get('parameters')}")
        return answer.get("parameters", {})

    def call(self, method, **parameters):
        self.send(method, parameters)
        return self.answer()

    def hang_up(self):
        """Ends the connection for whoever waits for an answer."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.socket.close()


def feed(client, count=1):
    """A session of some events, which stays open."""
    wire = Wire()
    session = wire.call("Recorder.Open", client=client)["session"]
    for number in range(count):
        wire.call("Recorder.Append", session=session, events=[scroll(number)])
    wire.close()
    return session


def scroll(number):
    """An event that turns the toolbar each time."""
    return {"kind": "scroll", "time": int(time.time() * 1_000_000), "x": 0.0, "y": number % 2 * 100.0}


class Feeder(threading.Thread):
    """Appends events, numbered, until it is told to stop. What was not answered is sent again."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client = client
        self.session = os.urandom(16).hex()
        self.stored = 0
        self.connections = 0
        self.refusals = []
        self.stopping = threading.Event()
        self.start()

    def run(self):
        while not self.stopping.is_set():
            try:
                wire = Wire()
            except OSError as error:
                # Where there is no daemon the socket takes connections all the same.
                self.refusals.append(error)
                self.stopping.wait(0.1)
                continue
            self.connections += 1
            try:
                number = wire.call("Recorder.Open", client=self.client, session=self.session)["nextNumber"]
                require(number > self.stored, f"{number - 1} events are left of {self.stored} that were acknowledged")
                while not self.stopping.is_set():
                    wire.call("Recorder.Append", session=self.session, number=number, events=[scroll(number)])
                    self.stored = number
                    number += 1
            except Gone:
                pass
            except Exception as error:  # told where the thread is asked for
                self.refusals.append(error)
                return
            finally:
                wire.close()

    def progress(self):
        """Waits until more is stored than now."""
        now = self.stored
        until(lambda: self.stored > now + 3 or self.refusals, "the feeder's next events")
        require(not self.refusals, f"the feeder was refused: {self.refusals}")

    def end(self):
        self.stopping.set()
        self.join(PATIENCE)
        require(not self.is_alive(), "the feeder does not end")
        require(not self.refusals, f"the feeder was refused: {self.refusals}")


class Subscriber(threading.Thread):
    """Takes every transition, and goes on where it was when the connection is lost."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client = client
        self.transitions = []
        self.place = {"after": 0}
        self.connections = 0
        self.problem = None
        self.wire = None
        self.stopping = threading.Event()
        self.start()

    def run(self):
        try:
            while not self.stopping.is_set():
                self.wire = Wire()
                self.connections += 1
                try:
                    self.wire.send("Observer.Subscribe", {"clients": [self.client], **self.place}, more=True)
                    while True:
                        self.take(self.wire.answer())
                except Gone:
                    pass
                finally:
                    self.wire.close()
        except Exception as error:  # told by the check
            self.problem = error

    def take(self, reply):
        self.place["after"] = reply["position"]
        if "generation" in reply:
            self.place["generation"] = reply["generation"]
        if "transition" in reply:
            self.transitions.append(reply["transition"])

    def has_all_of(self, expected):
        until(lambda: self.problem or len(self.transitions) >= len(expected), "the subscriber's last transition")
        require(self.problem is None, f"the subscriber: {self.problem!r}")
        equal(self.transitions, expected, "the subscriber's transitions")

    def end(self):
        """Ends the subscription: whoever subscribes starts the daemon again where it is down."""
        self.stopping.set()

        def has_ended():
            self.wire.hang_up()
            return not self.is_alive()

        until(has_ended, "the subscriber's end")


def transitions_in_log(client):
    """Every transition that the log makes, from its beginning on."""
    wire = Wire()
    wire.send("Observer.Subscribe", {"clients": [client], "after": 0}, more=True)
    found = []
    while not (reply := wire.answer()).get("caughtUp"):
        if "transition" in reply:
            found.append(reply["transition"])
    wire.close()
    return found


def numbers_in_log(session):
    printed = run("scrollctl", "--json", "log", session)
    return [entry["number"] for entry in map(json.loads, printed.splitlines()) if "number" in entry]


def across(name, interrupt):
    """Something happens to the daemon while clients are at work: nothing is lost, and nothing stored twice."""
    feeder, subscriber = Feeder(name), Subscriber(name)
    feeder.progress()
    before = pid()
    interrupt()
    until(lambda: pid() not in (0, before), "another process")
    feeder.progress()
    feeder.end()
    equal(numbers_in_log(feeder.session), list(range(1, feeder.stored + 1)), "the numbers of the stored events")
    subscriber.has_all_of(transitions_in_log(name))
    require(len(subscriber.transitions) > 1, "nothing has happened to subscribe to")
    subscriber.end()


def as_user(name, *command, groups="", status=0):
    entry = pwd.getpwnam(name)
    group = ["--init-groups"] if not groups else [f"--groups={grp.getgrnam(groups).gr_gid}"]
    environment = {"HOME": entry.pw_dir, "XDG_RUNTIME_DIR": f"/run/user/{entry.pw_uid}", "PATH": os.environ["PATH"]}
    return run(
        "setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", *group, *command, status=status,
        env=environment)


@check("the package's installation makes the group, enables the socket and starts it, but not the daemon")
def installation():
    run("dpkg", "--install", "/root/scrolld.deb")
    equal((state("scrolld.socket"), state()), ("active", "inactive"), "socket and service")
    equal(show("scrolld.socket", "UnitFileState"), "enabled", "the socket")
    equal(grp.getgrnam("scroll-observers").gr_mem, [], "the group's members")
    require("scrolld" in run("journalctl", "--list-catalog"), "the journal's catalog knows nothing of it")
    require(os.stat(SOCKET).st_mode & 0o777 == 0o666, "the socket is not for everyone")


@check("the first client starts the daemon, which runs as a user without privileges")
def activation():
    feed("first")
    equal(state(), "active", "the service")
    user = os.stat(f"/proc/{pid()}").st_uid
    require(user >= 61184, f"it runs as {user}")
    status = Path(f"/proc/{pid()}/status").read_text()
    require("CapEff:\t0000000000000000" in status, f"it has capabilities: {status}")
    equal(STATE.stat().st_mode & 0o777, 0o700, "the state directory's mode")


@check("another user sees their own clients, members of the group see everyone's, and neither may manage")
def access():
    run("useradd", "--create-home", "ann")
    events = "\n".join(json.dumps(event) for event in [{"kind": "open", "time": 1, "client": "ann/1"}, scroll(0)])
    Path("/home/ann/recording.ndjson").write_text(events + "\n")
    as_user("ann", "scrollctl", "--system", "record", "/home/ann/recording.ndjson")
    seen = as_user("ann", "scrollctl", "--system", "log")
    require("ann/1" in seen and "first" not in seen, f"ann sees {seen}")
    seen = as_user("ann", "scrollctl", "--system", "log", groups="scroll-observers")
    require("ann/1" in seen and "first" in seen, f"an observer sees {seen}")
    for group in ("", "scroll-observers"):
        refusal = as_user("ann", "scrollctl", "--system", "statistics", groups=group, status=1)
        require("permission denied" in refusal, f"ann may manage: {refusal}")


@check("systemctl restart, with a feeder and a subscriber at work: nothing is lost")
def restart():
    across("restarted", lambda: run("systemctl", "restart", "scrolld.service"))


@check("SIGKILL, with a feeder and a subscriber at work: it comes back, and nothing is lost")
def killed():
    across("killed", lambda: os.kill(pid(), signal.SIGKILL))


@check("a daemon that hangs is killed by the watchdog, and comes back")
def watchdog():
    with unit_drop_in("WatchdogSec=2s\n"):
        run("systemctl", "restart", "scrolld.service")
        # Longer than the watchdog waits: it is fed by a daemon that has nothing to do.
        before = pid()
        time.sleep(4)
        equal(pid(), before, "the process that idles")
        across("hanging", lambda: os.kill(pid(), signal.SIGSTOP))
        require("atchdog" in run("journalctl", "--unit=scrolld.service", "--output=cat"), "nobody says it was the watchdog")
    run("systemctl", "restart", "scrolld.service")


#: How long a start may take in the checks of long ones, in seconds.
START_LIMIT = 5
#: Reads that take long, so that a start that recovers the log tells how far it is.
SLOW_READS = "pread64:delay_enter=150ms"


@contextlib.contextmanager
def slow_disk(*delays):
    """The daemon was killed and is down; its next starts find that system calls take long, as strace(1) says it.

    strace is no parent here, so that the daemon is what systemd takes it for. The unit's filter doesn't let it trace."""
    calls = ",".join(delay.split(":")[0] for delay in delays)
    injections = " ".join(f"-e inject={delay}" for delay in delays)
    drop_in = f"""
        SystemCallFilter=
        ExecStart=
        ExecStart=/usr/bin/strace -D -f -qq -o /dev/null -e trace={calls} {injections} /usr/bin/scrolld
        Restart=no
        TimeoutStartSec={START_LIMIT}s
        TimeoutStopSec=10s
        KillMode=mixed
    """
    with unit_drop_in(re.sub("^ +", "", drop_in, flags=re.M)):
        os.kill(pid(), signal.SIGKILL)
        until(lambda: state() == "failed", "the end of the daemon that was killed")
        yield
    run("systemctl", "reset-failed", "scrolld.service")


@check("a start that takes longer than TimeoutStartSec= allows goes on as long as it gets ahead")
def long_start():
    session = feed("long-start", 50)
    # Told once, it has another minute, and the first sync takes some of it.
    with slow_disk(SLOW_READS, f"fdatasync:delay_enter={START_LIMIT + 2}s:when=1"):
        began = time.monotonic()
        run("systemctl", "start", "scrolld.service")
        took = time.monotonic() - began
        require(took > START_LIMIT, f"the start took {took:.1f} s only")
        equal(numbers_in_log(session), list(range(1, 51)), "the numbers of the stored events")
    run("systemctl", "restart", "scrolld.service")


@check("a start that hangs is killed after TimeoutStartSec=, and the next one has all")
def hanging_start():
    session = feed("hanging-start", 50)
    with slow_disk("fdatasync:delay_enter=90s:when=1"):
        run("systemctl", "start", "scrolld.service", status=1)
        equal(show("scrolld.service", "Result"), "timeout", "why the start has failed")
    run("systemctl", "start", "scrolld.service")
    equal(numbers_in_log(session), list(range(1, 51)), "the numbers of the stored events")


@check("a start that takes long is stopped at once, in order, and the next one has all")
def stopped_start():
    session = feed("stopped-start", 50)
    with slow_disk(SLOW_READS):
        run("systemctl", "start", "--no-block", "scrolld.service")
        until(lambda: show("scrolld.service", "StatusText").startswith("Recovering the log"), "the status of a long start")
        equal(state(), "activating", "the service")
        run("systemctl", "stop", "scrolld.service")
        equal(
            show("scrolld.service", "ActiveState", "Result", "ExecMainStatus", "ExecMainCode"),
            {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0", "ExecMainCode": "1"}, "the end")
        said = run("journalctl", "--unit=scrolld.service", "--output=cat", "--lines=10")
        require("asked to stop before the log was open" in said, f"the journal does not say so: {said}")
    equal(numbers_in_log(session), list(range(1, 51)), "the numbers of the stored events")


@check("a full state directory refuses what can't be stored, and nothing else; with room it goes on")
def full():
    run("systemctl", "stop", "scrolld.socket", "scrolld.service")
    run("mount", "-t", "tmpfs", "-o", "size=24M,mode=0700", "tmpfs", STATE)
    try:
        run("systemctl", "start", "scrolld.socket")
        wire = Wire()
        session = wire.call("Recorder.Open", client="full")["session"]
        wire.call("Recorder.Append", session=session, events=[scroll(0)])
        filler = STATE / "filler"
        run("dd", "if=/dev/zero", f"of={filler}", "bs=64K", status=1)
        try:
            # What the log has reserved before holds some more.
            for _ in range(500):
                wire.call("Recorder.Append", session=session, events=[scroll(number) for number in range(4096)])
            raise AssertionError("the disk never was full")
        except Refused as error:
            require("NoSpace" in str(error), error)
        equal(wire.call("Observer.Get", client="full")["state"]["client"], "full", "reading on a full disk")
        filler.unlink()
        wire.call("Recorder.Append", session=session, events=[scroll(1)])
        equal(state(), "active", "the service")
        wire.close()
    finally:
        run("systemctl", "stop", "scrolld.socket", "scrolld.service")
        run("umount", STATE)
        run("systemctl", "start", "scrolld.socket")


@check("systemctl reload takes a good configuration, and fails with a bad one, which the journal names")
def reload():
    feed("reloaded")
    before = pid()
    drop_in("test", "[Sessions]\nPolicy=classic\n")
    run("systemctl", "reload", "scrolld.service")
    feed("by-another-policy")
    require("classic" in run("scrollctl", "status", "by-another-policy"), "the new configuration is not in force")
    drop_in("test", "[Sessions]\n\nPolicy=nonsense\n")
    run("systemctl", "reload", "scrolld.service", status=1)
    equal((pid(), state()), (before, "active"), "the daemon after it")
    said = run("journalctl", "--unit=scrolld.service", "--output=cat", "--lines=20")
    require("test.conf:3: Policy=" in said, f"the journal does not name the mistake: {said}")
    feed("after-a-bad-reload")
    drop_in("test", "")
    run("systemctl", "reload", "scrolld.service")


@check("a start with a bad configuration is not tried again; after the cure the socket listens again")
def bad_start():
    drop_in("test", "nonsense\n")
    run("systemctl", "restart", "scrolld.service", status=1)
    equal(show("scrolld.service", "ExecMainStatus", "NRestarts"), {"ExecMainStatus": "78", "NRestarts": "0"}, "the end")
    drop_in("test", "")
    run("systemctl", "start", "scrolld.socket")
    feed("after-a-bad-start")


@check("Type=notify-reload, which tells no mistake, reloads by SIGHUP")
def notify_reload():
    if systemd_version() < 253:
        return "systemd is older than 253"
    with unit_drop_in("Type=notify-reload\nExecReload=\n"):
        run("systemctl", "restart", "scrolld.service")
        before = pid()
        drop_in("test", "[Sessions]\nPolicy=classic\n")
        run("systemctl", "reload", "scrolld.service")
        # systemctl has waited until it is in force.
        feed("by-notify-reload")
        require("classic" in run("scrollctl", "status", "by-notify-reload"), "the new configuration is not in force")
        drop_in("test", "nonsense\n")
        run("systemctl", "reload", "scrolld.service")
        equal((pid(), state()), (before, "active"), "the daemon after a bad reload")
        drop_in("test", "")
        run("systemctl", "reload", "scrolld.service")
    run("systemctl", "restart", "scrolld.service")


@check("systemd itself tells the daemon how many descriptors it keeps, so that the unit need not")
def descriptor_store():
    if systemd_version() < 254:
        return "systemd is older than 254"
    with unit_drop_in("Environment=\n"):
        run("systemctl", "restart", "scrolld.service")
        wire = Wire()
        session = wire.call("Recorder.Open", client="kept")["session"]
        environment = Path(f"/proc/{pid()}/environ").read_bytes().split(b"\0")
        require(b"FDSTORE=4096" in environment, f"the environment is {environment}")
        run("systemctl", "restart", "scrolld.service")
        equal(wire.call("Recorder.Append", session=session, events=[scroll(0)])["nextNumber"], 2, "the same connection's call")
        wire.close()
    run("systemctl", "restart", "scrolld.service")


def without_varlinkctl():
    return None if shutil.which("varlinkctl") else "there is no varlinkctl here"


@check("varlinkctl: info, introspect, call, call --more, and an error")
def varlinkctl():
    if reason := without_varlinkctl():
        return reason
    interfaces = ["org.scrolld.Manager", "org.scrolld.Observer", "org.scrolld.Recorder", "org.varlink.service"]
    require("Product: scrolld" in run("varlinkctl", "info", SOCKET), "varlinkctl info")
    equal(run("varlinkctl", "list-interfaces", SOCKET).split(), interfaces, "varlinkctl list-interfaces")
    for name in interfaces:
        text = run("varlinkctl", "introspect", SOCKET, name)
        require(f"interface {name}\n" in text, f"varlinkctl introspect {name}: {text}")
    answer = run("varlinkctl", "call", SOCKET, "org.scrolld.Observer.Get", '{"client":"first"}')
    equal(json.loads(answer)["state"]["client"], "first", "varlinkctl call")
    printed = run("varlinkctl", "call", "--more", SOCKET, "org.scrolld.Observer.Read", '{"client":"first"}')
    # A JSON text sequence (RFC 7464): each text stands behind a record separator.
    replies = [json.loads(text) for text in printed.split("\x1e") if text.strip()]
    records = [reply["record"]["kind"] for reply in replies if "record" in reply]
    equal(records, ["open", "scroll"], "varlinkctl call --more")
    refusal = run("varlinkctl", "call", SOCKET, "org.scrolld.Observer.Get", '{"client":"nobody"}', status=1)
    require("org.scrolld.Observer.NoSuchClient" in refusal, f"varlinkctl call of what is refused: {refusal}")


@check("varlinkctl: what the page on clients in other languages shows is what one sees")
def varlinkctl_page():
    if reason := without_varlinkctl():
        return reason
    section = Path("/opt/scrolld/Clients.md").read_text().split("\n## From a shell\n")[1].split("\n## ")[0]
    steps = shown_steps([line[4:] for line in section.splitlines() if line.startswith("    ")])
    assignment, _ = steps.pop(0)
    require(assignment.startswith("S=unix:") and len(steps) == 4, f"the page shows {steps}")
    directory = Path(assignment.removeprefix("S=unix:")).parent
    directory.mkdir()
    socket_path, log = directory / "socket", directory / "log"
    daemon = subprocess.Popen(["scrolld", "--socket", socket_path, "--state-directory", log], stderr=subprocess.DEVNULL)
    try:
        until(socket_path.exists, "the socket")
        for command, expected in steps:
            # A subscription ends when nobody wants it any more.
            client = subprocess.Popen(
                ["bash", "-c", f"{assignment}; exec {command} 2>&1"], stdout=subprocess.PIPE, text=True)
            printed = [client.stdout.readline() for _ in expected]
            client.terminate()
            client.wait(PATIENCE)
            equal([comparable(line) for line in printed], [comparable(line) for line in expected], command)
    finally:
        daemon.terminate()
        daemon.wait(PATIENCE)
        shutil.rmtree(directory)


def shown_steps(lines):
    """The commands of a transcript, each with the lines that it prints. Both may be wrapped."""
    steps = []
    for line in lines:
        if line.startswith("$ "):
            steps.append((line[2:], []))
            continue
        command, printed = steps[-1]
        if command.endswith("\\") or command.count("'") % 2:
            steps[-1] = (f"{command}\n{line}", printed)
        elif line.startswith(" "):
            printed[-1] += line.strip()
        else:
            printed.append(line)
    return steps


def comparable(line):
    """A line that was printed; a reply as what it means, without the daemon's own time and the generation that is named after it."""
    line = line.strip().lstrip("\x1e")
    if not line.startswith("{"):
        return line
    reply = json.loads(line)
    if "opened" in reply:
        reply["opened"].pop("time")
    if "generation" in reply:
        reply["generation"] = reply["generation"] > 0
    return reply


@check("the timer's units of the page on metrics leave a file for node_exporter while the daemon runs, and take it away")
def metrics():
    page = Path("/opt/scrolld/Metrics.md").read_text()
    for name, text in re.findall(r"`/etc/systemd/system/(\S+)`:\n\n((?: {4}.*\n|\n)+)", page):
        Path("/etc/systemd/system", name).write_text(re.sub("^ {4}", "", text, flags=re.M))
    target = Path("/var/lib/prometheus/node-exporter/scrolld.prom")
    target.parent.mkdir(parents=True)
    run("systemctl", "daemon-reload")
    run("systemctl", "start", "scrolld-metrics.timer", "scrolld-metrics.service")
    require(target.read_text().endswith("# EOF\n"), "the file has no end")
    run("systemctl", "stop", "scrolld.service")
    run("systemctl", "start", "scrolld-metrics.service")
    require(not target.exists(), "the file of before is still there")
    equal(state(), "inactive", "the daemon, which nobody but the timer has asked")
    run("systemctl", "stop", "scrolld-metrics.timer")
    for unit in Path("/etc/systemd/system").glob("scrolld-metrics.*"):
        unit.unlink()
    run("systemctl", "daemon-reload")


@check("a user's own daemon starts with its first client, and keeps its log in the user's home")
def users():
    run("loginctl", "enable-linger", "ann")
    runtime = Path(f"/run/user/{pwd.getpwnam('ann').pw_uid}")
    until(lambda: (runtime / "systemd/private").exists(), "ann's service manager")
    as_user("ann", "systemctl", "--user", "enable", "--now", "scrolld.socket")
    as_user("ann", "scrollctl", "record", "/home/ann/recording.ndjson")
    equal(as_user("ann", "systemctl", "--user", "is-active", "scrolld.service"), "active\n", "ann's service")
    require((runtime / "scrolld/socket").exists(), "ann's socket")
    require(list(Path("/home/ann/.local/state/scrolld/log").glob("*.scrolllog")), "ann's log")
    as_user("ann", "systemctl", "--user", "reload", "scrolld.service")
    as_user("ann", "systemctl", "--user", "disable", "--now", "scrolld.socket", "scrolld.service")
    require(not (runtime / "scrolld/socket").exists(), "ann's socket stays behind")


@check("an upgrade restarts the daemon with clients at work: no connection is refused, and nothing is lost")
def upgrade():
    across("upgraded", lambda: run("dpkg", "--install", "/root/scrolld-next.deb"))
    equal((state("scrolld.socket"), state()), ("active", "active"), "socket and service")
    require("+next" in run("dpkg-query", "--show", "scrolld"), "it is not upgraded")


@check("removing the package keeps log and configuration, and installing it again goes on with them")
def removal():
    drop_in("mine", "[Sessions]\nSessionIdleSec=2days\n")
    run("dpkg", "--remove", "scrolld")
    equal((state("scrolld.socket"), state()), ("inactive", "inactive"), "socket and service")
    require(not Path(SOCKET).exists(), "the socket is still there")
    require(list((STATE / "log").glob("*.scrolllog")), "the log is gone")
    require(Path("/etc/scrolld/scrolld.conf.d/mine.conf").exists(), "the configuration is gone")
    run("dpkg", "--install", "/root/scrolld.deb")
    equal(Wire().call("Observer.Get", client="upgraded")["state"]["client"], "upgraded", "what was there before")


@check("purging the package leaves nothing behind, and where there is no groupdel an empty group")
def purge():
    groupdel = Path(shutil.which("groupdel"))
    away = groupdel.rename("/root/groupdel")
    run("dpkg", "--purge", "scrolld")
    equal(grp.getgrnam("scroll-observers").gr_mem, [], "the group's members")
    away.rename(groupdel)
    run("dpkg", "--install", "/root/scrolld.deb")
    run("dpkg", "--purge", "scrolld")
    left = run("find", "/", "-xdev", "-iname", "*scroll*", "-not", "-path", "/proc/*", "-not", "-path", "/root/*",
               "-not", "-path", "/home/*", "-not", "-path", "/opt/*")
    equal(left, "", "what is left")
    require("scroll" not in Path("/etc/group").read_text(), "the group is left")
    equal(run("systemctl", "list-units", "--all", "--plain", "--no-legend", "scrolld*"), "", "units")


def program_of(process):
    return os.readlink(f"/proc/{process}/exe")


@check("systemd/install puts it under /usr/local, where it runs and reloads, and --uninstall takes it back")
def installed():
    said = run(INSTALL, "--programs", PROGRAMS)
    require("systemctl enable --now scrolld.socket" in said, f"it does not say how to go on: {said}")
    run("systemctl", "enable", "--now", "scrolld.socket")
    feed("installed")
    equal(program_of(pid()), "/usr/local/bin/scrolld", "what runs")
    run("systemctl", "reload", "scrolld.service")
    require(grp.getgrnam("scroll-observers"), "there is no group")
    require("scrolld" in run("journalctl", "--list-catalog"), "the journal's catalog knows nothing of it")
    before = pid()
    require("scrolld runs" in run(INSTALL, "--programs", PROGRAMS), "it does not say that the old one still runs")
    equal(pid(), before, "the process that a second installation leaves alone")
    run(INSTALL, "--uninstall")
    equal((state("scrolld.socket"), state()), ("inactive", "inactive"), "socket and service")
    equal([path for path in Path("/usr/local").rglob("*scroll*")], [], "what is left")
    require(Path("/etc/scrolld/scrolld.conf").exists() and list(STATE.rglob("*.scrolllog")), "configuration or log is gone")


@check("systemd/install --user does the same in a user's home")
def installed_by_user():
    home = Path("/home/ann")
    as_user("ann", INSTALL, "--user", "--programs", PROGRAMS)
    as_user("ann", "systemctl", "--user", "enable", "--now", "scrolld.socket")
    as_user("ann", home / ".local/bin/scrollctl", "record", home / "recording.ndjson")
    process = as_user("ann", "systemctl", "--user", "show", "--property=MainPID", "--value", "scrolld.service").strip()
    equal(program_of(process), str(home / ".local/bin/scrolld"), "what runs")
    as_user("ann", "systemctl", "--user", "reload", "scrolld.service")
    as_user("ann", INSTALL, "--user", "--uninstall")
    left = {str(path.relative_to(home)) for path in home.rglob("*scroll*")} - {".local/state/scrolld"}
    left = {path for path in left if not path.startswith(".local/state/scrolld/")}
    equal(left, {".config/scrolld", ".config/scrolld/scrolld.conf"}, "what is left besides the log")


def main():
    passed = failed = 0
    for name, body in checks:
        # Five starts in ten seconds are too many for systemd, and here each check begins anew.
        run("systemctl", "reset-failed", "scrolld.service", "scrolld.socket", status=None)
        started = time.monotonic()
        since = f"@{int(time.time())}"
        try:
            outcome, detail = "ok  ", body()
            passed += 1
        except Exception:
            outcome, detail, problem = "FAIL", None, traceback.format_exc()
            failed += 1
        took = f"({time.monotonic() - started:.1f} s)"
        print(outcome, name, took, *([f"– {detail}"] if detail else []))
        if outcome == "FAIL":
            print(problem)
            print(run("journalctl", f"--since={since}", "--no-pager", "--lines=80", status=None))
    print(f"{passed} passed, {failed} failed")


if __name__ == "__main__":
    main()
