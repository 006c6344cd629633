"""The package and the install script on a booted system, under a real service manager.

The tests are one story, told in order: the package is installed, used, upgraded and purged. conftest.py boots the system in a
container and runs them there.
"""

import contextlib
import grp
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Iterator

import pytest

from machine import (
    INSTALL, PROGRAMS, SERVICE, SOCKET, SOCKET_UNIT, STATE, connect, drop_in, feed, journal, numbers_in_log, pid, program_of,
    properties, require_nothing_lost, run, run_as, scroll, show, state, systemd_version, unit_drop_in)
from support.daemon import PATIENCE, until
from support.repository import REPOSITORY
from support.wire import Refused

PAGES = REPOSITORY / "Sources/ScrollService/ScrollService.docc"


@pytest.fixture(autouse=True)
def no_failures() -> None:
    """Lets systemd forget earlier starts: it refuses more than five in ten seconds."""
    run("systemctl", "reset-failed", SERVICE, SOCKET_UNIT, status=None)


def test_the_installation_enables_the_socket_and_does_not_start_the_daemon() -> None:
    run("dpkg", "--install", "/root/scrolld.deb")
    assert (state(SOCKET_UNIT), state()) == ("active", "inactive"), "socket and service"
    assert show(SOCKET_UNIT, "UnitFileState") == "enabled", "the socket"
    assert grp.getgrnam("scroll-observers").gr_mem == [], "the group's members"
    assert "scrolld" in run("journalctl", "--list-catalog"), "the journal's catalog lacks scrolld"
    assert os.stat(SOCKET).st_mode & 0o777 == 0o666, "mode of the socket"


def test_the_first_client_starts_the_daemon_without_privileges() -> None:
    feed("first")
    assert state() == "active", "the service"
    user = os.stat(f"/proc/{pid()}").st_uid
    assert user >= 61184, f"the daemon runs as user {user}"
    status = Path(f"/proc/{pid()}/status").read_text()
    assert "CapEff:\t0000000000000000" in status, f"the daemon has capabilities: {status}"
    assert STATE.stat().st_mode & 0o777 == 0o700, "the state directory's mode"


def test_users_see_their_own_clients_and_observers_see_all_and_neither_may_manage() -> None:
    run("useradd", "--create-home", "ann")
    events = "\n".join(json.dumps(event) for event in [{"kind": "open", "time": 1, "client": "ann/1"}, scroll(0)])
    Path("/home/ann/recording.ndjson").write_text(events + "\n")
    run_as("ann", "scrollctl", "--system", "record", "/home/ann/recording.ndjson")
    seen = run_as("ann", "scrollctl", "--system", "log")
    assert "ann/1" in seen and "first" not in seen, f"ann sees {seen}"
    seen = run_as("ann", "scrollctl", "--system", "log", group="scroll-observers")
    assert "ann/1" in seen and "first" in seen, f"an observer sees {seen}"
    for group in ("", "scroll-observers"):
        refusal = run_as("ann", "scrollctl", "--system", "statistics", group=group, status=1)
        assert "permission denied" in refusal, f"ann may manage: {refusal}"


def test_a_restart_under_load_loses_nothing() -> None:
    require_nothing_lost("restarted", lambda: run("systemctl", "restart", SERVICE))


def test_a_killed_daemon_comes_back_and_loses_nothing() -> None:
    require_nothing_lost("killed", lambda: os.kill(pid(), signal.SIGKILL))


#: The watchdog's limit in its test, in seconds.
WATCHDOG_LIMIT = 2.0


def watchdog_time() -> float:
    """When the daemon fed the watchdog last, in seconds of the monotonic clock."""
    return int(show(SERVICE, "WatchdogTimestampMonotonic")) / 1_000_000


def test_the_watchdog_kills_a_daemon_that_hangs_and_not_an_idle_one() -> None:
    with unit_drop_in(f"WatchdogSec={WATCHDOG_LIMIT:.0f}s\n"):
        run("systemctl", "restart", SERVICE)
        before, fed = pid(), watchdog_time()
        until(lambda: watchdog_time() > fed + 2 * WATCHDOG_LIMIT, "an idle daemon feeds the watchdog")
        assert pid() == before, "process of the idle daemon"
        require_nothing_lost("hanging", lambda: os.kill(pid(), signal.SIGSTOP))
        assert "atchdog" in run("journalctl", "--unit=scrolld.service", "--output=cat"), (
            "the journal does not mention the watchdog")
    run("systemctl", "restart", SERVICE)


#: The limit of a start in the tests of long ones, in seconds.
START_LIMIT = 5
#: Slows a recovery down until it reports its progress.
SLOW_READS = "pread64:delay_enter=150ms"


@contextlib.contextmanager
def slow_disk(*delays: str) -> Iterator[None]:
    """Kills the daemon, and slows down system calls of its next starts with delays as strace(1) takes them."""
    calls = ",".join(delay.split(":")[0] for delay in delays)
    injections = " ".join(f"-e inject={delay}" for delay in delays)
    # With -D, systemd takes the daemon and not strace for the main process. The unit's filter would not let strace trace.
    drop_in = f"""
        SystemCallFilter=
        ExecStart=
        ExecStart=/usr/bin/strace -D -f -qq -o /dev/null -e trace={calls} {injections} /usr/bin/scrolld
        Restart=no
        TimeoutStartSec={START_LIMIT}s
        TimeoutStopSec=5s
        KillMode=mixed
    """
    with unit_drop_in(re.sub("^ +", "", drop_in, flags=re.M)):
        os.kill(pid(), signal.SIGKILL)
        until(lambda: state() == "failed", "the service fails")
        yield
    run("systemctl", "reset-failed", SERVICE)


def test_a_start_longer_than_timeout_start_sec_continues_while_it_makes_progress() -> None:
    session = feed("long-start", 50)
    # After the first report of progress, systemd allows another minute, of which the first sync takes a part.
    with slow_disk(SLOW_READS, f"fdatasync:delay_enter={START_LIMIT + 2}s:when=1"):
        began = time.monotonic()
        run("systemctl", "start", SERVICE)
        took = time.monotonic() - began
        assert took > START_LIMIT, f"the start took only {took:.1f} s"
        assert numbers_in_log(session) == list(range(1, 51)), "the numbers of the stored events"
    run("systemctl", "restart", SERVICE)


def test_a_start_that_hangs_is_killed_and_the_next_one_has_everything() -> None:
    session = feed("hanging-start", 50)
    with slow_disk("fdatasync:delay_enter=90s:when=1"):
        run("systemctl", "start", SERVICE, status=1)
        assert show(SERVICE, "Result") == "timeout", "result of the start"
    run("systemctl", "start", SERVICE)
    assert numbers_in_log(session) == list(range(1, 51)), "the numbers of the stored events"


def test_a_long_start_can_be_stopped_cleanly_and_the_next_one_has_everything() -> None:
    session = feed("stopped-start", 50)
    with slow_disk(SLOW_READS):
        run("systemctl", "start", "--no-block", SERVICE)
        until(lambda: show(SERVICE, "StatusText").startswith("Recovering the log"), "the status reports a recovery")
        assert state() == "activating", "the service"
        run("systemctl", "stop", SERVICE)
        assert (
            properties(SERVICE, "ActiveState", "Result", "ExecMainStatus", "ExecMainCode")
            == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0", "ExecMainCode": "1"}
        ), "how the service ended"
        logged = journal(lines=10)
        assert "asked to stop before the log was open" in logged, f"the journal lacks the early stop: {logged}"
    assert numbers_in_log(session) == list(range(1, 51)), "the numbers of the stored events"


def test_a_full_state_directory_refuses_appends_only_and_recovers() -> None:
    run("systemctl", "stop", SOCKET_UNIT, SERVICE)
    run("mount", "-t", "tmpfs", "-o", "size=24M,mode=0700", "tmpfs", STATE)
    try:
        run("systemctl", "start", SOCKET_UNIT)
        wire = connect()
        session = wire.call("org.scrolld.Recorder.Open", client="full")["session"]
        wire.call("org.scrolld.Recorder.Append", session=session, events=[scroll(0)])
        filler = STATE / "filler"
        run("dd", "if=/dev/zero", f"of={filler}", "bs=64K", status=1)
        try:
            # Some events still fit into the space that the log has reserved.
            for _ in range(500):
                wire.call("org.scrolld.Recorder.Append", session=session, events=[scroll(number) for number in range(4096)])
            raise AssertionError("the disk never became full")
        except Refused as error:
            assert "NoSpace" in str(error), error
        assert wire.call("org.scrolld.Observer.Get", client="full")["state"]["client"] == "full", "reading on a full disk"
        filler.unlink()
        wire.call("org.scrolld.Recorder.Append", session=session, events=[scroll(1)])
        assert state() == "active", "the service"
        wire.close()
    finally:
        run("systemctl", "stop", SOCKET_UNIT, SERVICE)
        run("umount", STATE)
        run("systemctl", "start", SOCKET_UNIT)


def test_a_reload_applies_a_good_configuration_and_fails_with_a_bad_one() -> None:
    feed("reloaded")
    before = pid()
    drop_in("test", "[Sessions]\nPolicy=classic\n")
    run("systemctl", "reload", SERVICE)
    feed("by-another-policy")
    assert "classic" in run("scrollctl", "status", "by-another-policy"), "the new configuration is not in force"
    drop_in("test", "[Sessions]\n\nPolicy=nonsense\n")
    run("systemctl", "reload", SERVICE, status=1)
    assert (pid(), state()) == (before, "active"), "the daemon after it"
    logged = journal(lines=20)
    assert "test.conf:3: Policy=" in logged, f"the journal does not name the bad value: {logged}"
    feed("after-a-bad-reload")
    drop_in("test", "")
    run("systemctl", "reload", SERVICE)


def test_a_bad_configuration_fails_the_start_once_and_a_fix_lets_the_socket_listen_again() -> None:
    drop_in("test", "nonsense\n")
    run("systemctl", "restart", SERVICE, status=1)
    assert properties(SERVICE, "ExecMainStatus", "NRestarts") == {"ExecMainStatus": "78", "NRestarts": "0"}, (
        "how the service ended")
    drop_in("test", "")
    run("systemctl", "start", SOCKET_UNIT)
    feed("after-a-bad-start")


def require_systemd(version: int) -> None:
    if systemd_version() < version:
        pytest.skip(f"systemd is older than {version}")


def test_notify_reload_reloads_and_survives_a_bad_configuration() -> None:
    require_systemd(253)
    with unit_drop_in("Type=notify-reload\nExecReload=\n"):
        run("systemctl", "restart", SERVICE)
        before = pid()
        drop_in("test", "[Sessions]\nPolicy=classic\n")
        run("systemctl", "reload", SERVICE)
        # systemctl waits for the end of the reload.
        feed("by-notify-reload")
        assert "classic" in run("scrollctl", "status", "by-notify-reload"), "the new configuration is not in force"
        drop_in("test", "nonsense\n")
        run("systemctl", "reload", SERVICE)
        assert (pid(), state()) == (before, "active"), "the daemon after a bad reload"
        drop_in("test", "")
        run("systemctl", "reload", SERVICE)
    run("systemctl", "restart", SERVICE)


def test_systemd_passes_the_size_of_its_descriptor_store() -> None:
    require_systemd(254)
    with unit_drop_in("Environment=\n"):
        run("systemctl", "restart", SERVICE)
        wire = connect()
        session = wire.call("org.scrolld.Recorder.Open", client="kept")["session"]
        environment = Path(f"/proc/{pid()}/environ").read_bytes().split(b"\0")
        assert b"FDSTORE=4096" in environment, f"the environment is {environment}"
        run("systemctl", "restart", SERVICE)
        assert wire.call("org.scrolld.Recorder.Append", session=session, events=[scroll(0)])["nextNumber"] == 2, (
            "the same connection's call")
        wire.close()
    run("systemctl", "restart", SERVICE)


@pytest.fixture
def varlinkctl() -> None:
    """Skips a test where varlinkctl is missing."""
    if not shutil.which("varlinkctl"):
        pytest.skip("varlinkctl is not installed (systemd 255 or later has it)")


@pytest.mark.usefixtures("varlinkctl")
def test_varlinkctl_can_introspect_and_call() -> None:
    interfaces = [
        "org.scrolld.Manager", "org.scrolld.Observer", "org.scrolld.Recorder", "org.scrolld.Relay", "org.varlink.service"]
    assert "Product: scrolld" in run("varlinkctl", "info", SOCKET), "varlinkctl info"
    assert run("varlinkctl", "list-interfaces", SOCKET).split() == interfaces, "varlinkctl list-interfaces"
    for name in interfaces:
        text = run("varlinkctl", "introspect", SOCKET, name)
        assert f"interface {name}\n" in text, f"varlinkctl introspect {name}: {text}"
    answer = run("varlinkctl", "call", SOCKET, "org.scrolld.Observer.Get", '{"client":"first"}')
    assert json.loads(answer)["state"]["client"] == "first", "varlinkctl call"
    printed = run("varlinkctl", "call", "--more", SOCKET, "org.scrolld.Observer.Read", '{"client":"first"}')
    # A JSON text sequence (RFC 7464): a record separator precedes each text.
    replies = [json.loads(text) for text in printed.split("\x1e") if text.strip()]
    records = [reply["record"]["kind"] for reply in replies if "record" in reply]
    assert records == ["open", "scroll"], "varlinkctl call --more"
    refusal = run("varlinkctl", "call", SOCKET, "org.scrolld.Observer.Get", '{"client":"nobody"}', status=1)
    assert "org.scrolld.Observer.NoSuchClient" in refusal, f"varlinkctl call for an unknown client: {refusal}"


@pytest.mark.usefixtures("varlinkctl")
def test_the_documented_varlinkctl_session_prints_what_it_shows() -> None:
    section = (PAGES / "Clients.md").read_text().split("\n## From a shell\n")[1].split("\n## ")[0]
    steps = shown_steps([line[4:] for line in section.splitlines() if line.startswith("    ")])
    assignment, _ = steps.pop(0)
    assert assignment.startswith("S=unix:") and len(steps) == 4, f"the page shows {steps}"
    directory = Path(assignment.removeprefix("S=unix:")).parent
    directory.mkdir()
    socket_path, log = directory / "socket", directory / "log"
    daemon = subprocess.Popen(["scrolld", "--socket", socket_path, "--state-directory", log], stderr=subprocess.DEVNULL)
    try:
        until(socket_path.exists, "the daemon has made its socket")
        for command, expected in steps:
            # A subscription never ends by itself.
            client = subprocess.Popen(
                ["bash", "-c", f"{assignment}; exec {command} 2>&1"], stdout=subprocess.PIPE, text=True)
            printed = [client.stdout.readline() for _ in expected]
            client.terminate()
            client.wait(PATIENCE)
            assert [comparable(line) for line in printed] == [comparable(line) for line in expected], command
    finally:
        daemon.terminate()
        daemon.wait(PATIENCE)
        shutil.rmtree(directory)


def shown_steps(lines):
    """The commands of a transcript, each with its output. The lines of both may be wrapped."""
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
    """A printed line; if it is a reply, its contents without the daemon's time and generation."""
    line = line.strip().lstrip("\x1e")
    if not line.startswith("{"):
        return line
    reply = json.loads(line)
    if "opened" in reply:
        reply["opened"].pop("time")
    if "generation" in reply:
        reply["generation"] = reply["generation"] > 0
    return reply


def test_the_documented_timer_writes_the_textfile_and_removes_it_without_a_daemon() -> None:
    page = (PAGES / "Metrics.md").read_text()
    for name, text in re.findall(r"`/etc/systemd/system/(\S+)`:\n\n((?: {4}.*\n|\n)+)", page):
        Path("/etc/systemd/system", name).write_text(re.sub("^ {4}", "", text, flags=re.M))
    target = Path("/var/lib/prometheus/node-exporter/scrolld.prom")
    target.parent.mkdir(parents=True)
    run("systemctl", "daemon-reload")
    run("systemctl", "start", "scrolld-metrics.timer", "scrolld-metrics.service")
    assert target.read_text().endswith("# EOF\n"), "the file lacks # EOF"
    run("systemctl", "stop", SERVICE)
    run("systemctl", "start", "scrolld-metrics.service")
    assert not target.exists(), "the file remains without a daemon"
    assert state() == "inactive", "the daemon, which the timer must not start"
    run("systemctl", "stop", "scrolld-metrics.timer")
    for unit in Path("/etc/systemd/system").glob("scrolld-metrics.*"):
        unit.unlink()
    run("systemctl", "daemon-reload")


def test_a_users_own_daemon_starts_with_its_first_client() -> None:
    run("loginctl", "enable-linger", "ann")
    runtime = Path(f"/run/user/{pwd.getpwnam('ann').pw_uid}")
    until(lambda: (runtime / "systemd/private").exists(), "ann's service manager runs")
    run_as("ann", "systemctl", "--user", "enable", "--now", SOCKET_UNIT)
    run_as("ann", "scrollctl", "record", "/home/ann/recording.ndjson")
    assert run_as("ann", "systemctl", "--user", "is-active", SERVICE) == "active\n", "ann's service"
    assert (runtime / "scrolld/socket").exists(), "ann's socket"
    assert list(Path("/home/ann/.local/state/scrolld/log").glob("*.scrolllog")), "ann's log"
    run_as("ann", "systemctl", "--user", "reload", SERVICE)
    run_as("ann", "systemctl", "--user", "disable", "--now", SOCKET_UNIT, SERVICE)
    assert not (runtime / "scrolld/socket").exists(), "ann's socket remains"


def test_an_upgrade_under_load_refuses_no_connection_and_loses_nothing() -> None:
    require_nothing_lost("upgraded", lambda: run("dpkg", "--install", "/root/scrolld-next.deb"))
    assert (state(SOCKET_UNIT), state()) == ("active", "active"), "socket and service"
    assert "+next" in run("dpkg-query", "--show", "scrolld"), "the package is not upgraded"


def test_removing_the_package_keeps_log_and_configuration() -> None:
    drop_in("mine", "[Sessions]\nSessionIdleSec=2days\n")
    run("dpkg", "--remove", "scrolld")
    assert (state(SOCKET_UNIT), state()) == ("inactive", "inactive"), "socket and service"
    assert not Path(SOCKET).exists(), "the socket remains"
    assert list((STATE / "log").glob("*.scrolllog")), "the log was removed"
    assert Path("/etc/scrolld/scrolld.conf.d/mine.conf").exists(), "the configuration was removed"
    run("dpkg", "--install", "/root/scrolld.deb")
    assert connect().call("org.scrolld.Observer.Get", client="upgraded")["state"]["client"] == "upgraded", (
        "a client from before the removal")


def test_purging_the_package_leaves_nothing_behind() -> None:
    groupdel = Path(shutil.which("groupdel"))
    away = groupdel.rename("/root/groupdel")
    run("dpkg", "--purge", "scrolld")
    assert grp.getgrnam("scroll-observers").gr_mem == [], "the group's members"
    away.rename(groupdel)
    run("dpkg", "--install", "/root/scrolld.deb")
    run("dpkg", "--purge", "scrolld")
    left = run("find", "/", "-xdev", "-iname", "*scroll*", "-not", "-path", "/proc/*", "-not", "-path", "/root/*",
               "-not", "-path", "/home/*", "-not", "-path", "/opt/*")
    assert left == "", "remaining files"
    assert "scroll" not in Path("/etc/group").read_text(), "the group remains"
    assert run("systemctl", "list-units", "--all", "--plain", "--no-legend", "scrolld*") == "", "remaining units"


def test_the_install_script_installs_upgrades_and_uninstalls() -> None:
    printed = run(INSTALL, "--programs", PROGRAMS)
    assert "systemctl enable --now scrolld.socket" in printed, f"the script does not print the next command: {printed}"
    run("systemctl", "enable", "--now", SOCKET_UNIT)
    feed("installed")
    assert program_of(pid()) == "/usr/local/bin/scrolld", "the running program"
    run("systemctl", "reload", SERVICE)
    assert grp.getgrnam("scroll-observers"), "the group does not exist"
    assert "scrolld" in run("journalctl", "--list-catalog"), "the journal's catalog lacks scrolld"
    before = pid()
    assert "The previous scrolld is still running" in run(INSTALL, "--programs", PROGRAMS), (
        "the script does not report that the old daemon still runs")
    assert pid() == before, "process after a second installation"
    run(INSTALL, "--uninstall")
    assert (state(SOCKET_UNIT), state()) == ("inactive", "inactive"), "socket and service"
    assert [path for path in Path("/usr/local").rglob("*scroll*")] == [], "remaining files"
    assert Path("/etc/scrolld/scrolld.conf").exists() and list(STATE.rglob("*.scrolllog")), (
        "configuration or log was removed")


def test_the_install_script_installs_for_a_single_user() -> None:
    home = Path("/home/ann")
    run_as("ann", INSTALL, "--user", "--programs", PROGRAMS)
    run_as("ann", "systemctl", "--user", "enable", "--now", SOCKET_UNIT)
    run_as("ann", home / ".local/bin/scrollctl", "record", home / "recording.ndjson")
    process = run_as("ann", "systemctl", "--user", "show", "--property=MainPID", "--value", SERVICE).strip()
    assert program_of(process) == str(home / ".local/bin/scrolld"), "the running program"
    run_as("ann", "systemctl", "--user", "reload", SERVICE)
    run_as("ann", INSTALL, "--user", "--uninstall")
    left = {str(path.relative_to(home)) for path in home.rglob("*scroll*")} - {".local/state/scrolld"}
    left = {path for path in left if not path.startswith(".local/state/scrolld/")}
    assert left == {".config/scrolld", ".config/scrolld/scrolld.conf"}, "remaining files except for the log"
