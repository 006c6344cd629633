"""Each record is stored exactly once, whatever fails: the relay, the server, the connection between them, or the daemon."""

import shutil
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


#: The system calls at which a relay is killed: those that it makes with the daemon and with the server.
CALLS = ("sendto", "recvfrom", "epoll_pwait", "poll", "read", "write")


def test_a_relay_that_is_killed_at_any_system_call_loses_and_doubles_nothing(machine, database, is_long) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    desk = machine()
    desk.feed(60, close=False)
    kills = 0
    for call in CALLS:
        # Most of the calls are those of a batch, after some dozen of the connection's.
        for number in range(1, 41 if is_long else 22, 2 if is_long else 7):
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
            kills += relay.process.poll() is not None
            relay.kill()
    assert kills >= (100 if is_long else 6), f"the relay was killed only {kills} times"
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
