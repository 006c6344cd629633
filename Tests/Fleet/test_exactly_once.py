"""Each record is stored exactly once, whatever fails: the relay, the server, the connection between them, or the daemon."""

import re
import shutil
import signal
import time

import pytest
from fleet.machine import Machine
from fleet.proxy import CuttingProxy


def test_a_log_is_stored_then_followed_live(machine, database) -> None:
    desk: Machine = machine()
    desk.feed(300)
    desk.feed(50, close=False)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    for _ in range(3):
        desk.feed(100)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    relay.stop()
    # Another run finds nothing to do.
    desk.start_relay(database)
    desk.feed(10)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


def test_two_machines_share_a_database(machine, database) -> None:
    desks = [machine(), machine()]
    for desk in desks:
        desk.feed(200)
        desk.start_relay(database)
    for desk in desks:
        desk.wait_until_stored(database)
        desk.require_stored_once(database)
    assert [row[0] for row in database.rows("SELECT name FROM scroll.machine ORDER BY name")] == ["desk1", "desk2"]


#: The first system call of main, which blocks the signals that the loop receives. What comes before are the loader's.
MAIN = re.compile(r"rt_sigprocmask\(SIG_BLOCK, \[INT TERM\]")


def calls_of_a_run(desk: Machine, database) -> list[tuple[str, int]]:
    """The system calls of a relay from main until it has stored a session: each with how many of its name came up to it."""
    path = desk.workspace.directory / "trace"
    desk.feed(20)
    relay = desk.start_relay(database, prefix=("strace", "-f", "-qq", "-o", str(path)))
    desk.wait_until_stored(database)
    relay.kill()
    found = []
    counts: dict[str, int] = {}
    is_in_main = False
    for line in path.read_text(errors="replace").splitlines():
        is_in_main = is_in_main or MAIN.search(line) is not None
        call = re.match(r"\d+ +(\w+)\(", line)
        if call:
            name = call.group(1)
            counts[name] = counts.get(name, 0) + 1
            if is_in_main:
                found.append((name, counts[name]))
    return found


def test_a_relay_that_is_killed_at_any_system_call_loses_and_doubles_nothing(machine, database, is_long) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    desk = machine()
    desk.feed(60, close=False)
    calls = calls_of_a_run(desk, database)
    names = {name for name, _ in calls}
    assert {"sendto", "recvfrom"} <= names and names & {"epoll_wait", "epoll_pwait"}, names
    # Each name's first call, and others from the whole run. A few more than needed, since no run is quite like the one before.
    wanted = 130 if is_long else 30
    step = max(1, len(calls) // wanted)
    chosen = sorted(set(calls[::step]) | {next(call for call in calls if call[0] == name) for name in names if is_long})
    killed = set()
    for call, number in chosen:
        desk.feed(20)
        relay = desk.start_relay(
            database, prefix=("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=SIGKILL:when={number}"))
        deadline = time.monotonic() + 20
        stored = ""
        while relay.process.poll() is None:
            stored = database.psql(f"SELECT position FROM scroll.machine WHERE machine = '{desk.id}'").stdout.strip()
            if stored and int(stored) >= desk.last_position():
                break
            assert time.monotonic() < deadline, f"{call} {number}: {relay.output()}"
            time.sleep(0.02)
        if relay.process.poll() is not None:
            assert relay.process.returncode == -signal.SIGKILL, f"{call} {number}: {relay.output()}"
            killed.add((call, number))
        relay.kill()
    kinds = {call for call, _ in killed}
    assert len(killed) >= (100 if is_long else 8), f"the relay was killed only at {len(killed)} calls of {len(chosen)}: {killed}"
    assert not is_long or len(kinds) >= 8, f"it was killed only at {kinds} of {names}"
    desk.start_relay(database)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


def test_a_commit_whose_answer_is_lost_is_neither_repeated_nor_left_out(machine, database, workspace, random, is_long) -> None:
    desk = machine()
    cuts = ["after", "before", "after", "after", "before"] + random.choices(["after", "before", "pass"], k=60 if is_long else 4)
    proxy = CuttingProxy(workspace.directory / "proxy", database.cluster, cuts)
    workspace.add_finalizer(proxy.close)
    relay = desk.start_relay(connection=database.connection.replace(str(database.cluster.directory), str(proxy.directory)))
    for _ in range(len(cuts)):
        desk.feed(30)
        desk.wait_until_stored(database, patience=90)
    desk.require_stored_once(database)
    assert "after" in proxy.done and "before" in proxy.done, proxy.done
    assert relay.process.poll() is None
    assert "relaying again" in relay.output()


@pytest.mark.parametrize("way", ["immediate", "kill"])
def test_a_server_that_ends_without_warning_is_waited_for(machine, cluster, way, random, is_long) -> None:
    database = cluster.database()
    database.init()
    desk = machine()
    desk.start_relay(database)
    for _ in range(20 if is_long else 2):
        for _ in range(3):
            desk.feed(100)
        time.sleep(random.uniform(0, 0.3))
        cluster.kill() if way == "kill" else cluster.stop("immediate")
        desk.feed(50)
        cluster.start()
        desk.wait_until_stored(database, patience=90)
        desk.require_stored_once(database)


def test_two_relays_of_one_machine_do_not_double_anything(machine, database, is_long) -> None:
    desk = machine()
    relays = [desk.start_relay(database) for _ in range(2)]
    for _ in range(30 if is_long else 6):
        desk.feed(80)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    assert all(relay.process.poll() is None for relay in relays)


@pytest.mark.parametrize("way", ["restart", "kill"])
def test_a_daemon_that_restarts_is_followed_again(machine, database, way, is_long) -> None:
    desk = machine()
    desk.start_relay(database)
    for _ in range(10 if is_long else 2):
        desk.feed(60)
        desk.feed(10, client="open/one", close=False)
        desk.daemon.restart() if way == "restart" else (desk.daemon.kill(), desk.daemon.start())
        desk.feed(60)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)


def test_a_relay_holds_little_memory_while_it_stores_much(machine, database) -> None:
    desk = machine()
    for _ in range(6):
        desk.feed(4000)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database, patience=90)
    desk.require_stored_once(database)
    assert relay.resident_bytes() <= 32 << 20
