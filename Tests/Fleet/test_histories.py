"""What a log loses on purpose or by accident: retention, forgetting, a crash, and logs that are not the machine's."""

import shutil
import time

from fleet.machine import Machine

MANAGER = "org.scrolld.Manager"


def test_positions_that_retention_took_are_recorded_as_a_gap(machine, database) -> None:
    desk: Machine = machine()
    desk.feed(100)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    relay.stop()
    stored = desk.last_position()
    desk.feed(100)
    desk.daemon.call(f"{MANAGER}.Rotate")
    desk.daemon.call(f"{MANAGER}.Vacuum", maxUse=0)
    first = desk.daemon.statistics()["firstPosition"]
    assert first > stored + 1
    desk.feed(50)
    desk.start_relay(database)
    desk.wait_until_stored(database)
    assert database.rows("SELECT first, last FROM scroll.gap") == [[str(stored + 1), str(first - 1)]]
    kept = database.value(f"SELECT count(*) FROM scroll.record WHERE position <= {stored}")
    assert int(kept) == stored, "what was stored before stays"
    assert int(database.value(f"SELECT count(*) FROM scroll.record WHERE position > {stored}")) == len(desk.records())
    assert "MISSED" in database.relay("status").stdout


def test_what_is_forgotten_on_the_machine_is_removed_from_the_database(machine, database) -> None:
    desk = machine()
    desk.feed(80, client="secret/one")
    desk.feed(80, client="kept/one")
    desk.feed(40, client="secret/open", close=False)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    assert int(database.value("SELECT count(*) FROM scroll.record WHERE client LIKE 'secret/%'")) > 100

    # Once while the relay follows, and once while it is away.
    assert desk.workspace.scrollctl(desk.daemon, "forget", "--yes", "secret/one").returncode == 0
    deadline = time.monotonic() + 30
    while database.value("SELECT count(*) FROM scroll.record WHERE client = 'secret/one'") != "0":
        assert time.monotonic() < deadline, "the database still has what was forgotten"
        time.sleep(0.05)
    relay.stop()
    assert desk.workspace.scrollctl(desk.daemon, "forget", "--yes", "secret/open").returncode == 0
    desk.feed(30, client="secret/open")
    desk.start_relay(database)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    for table in ("record", "session", "transition"):
        found = database.rows(
            f"SELECT count(*) FROM scroll.{table} WHERE session IN (SELECT session FROM scroll.forgotten)")
        assert found == [["0"]], table
    assert database.value("SELECT count(*) FROM scroll.forgotten") == "2"
    assert database.value("SELECT count(*) FROM scroll.session WHERE client = 'secret/open'") == "1", "it came back"


def test_a_history_that_a_crash_took_back_stays_marked_and_is_stored_again(machine, database) -> None:
    desk = machine("[Log]\nSync=never\n")
    desk.feed(60, close=False)
    desk.daemon.call(f"{MANAGER}.Sync")
    kept = desk.last_position()
    # The state of the directory after a power loss: what came after the last sync is gone.
    saved = desk.daemon.directory / "saved"
    shutil.copytree(desk.daemon.state_directory, saved)
    desk.feed(40, client="lost/one")
    desk.daemon.call(f"{MANAGER}.Sync")
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    lost = desk.last_position() - kept
    assert lost > 40
    relay.stop()
    desk.daemon.kill()
    shutil.rmtree(desk.daemon.state_directory)
    shutil.copytree(saved, desk.daemon.state_directory)
    # A torn block at the end makes recovery begin a new generation.
    with open(desk.daemon.segments()[-1], "r+b") as segment:
        data = segment.read()
        end = len(data.rstrip(b"\0"))
        segment.seek(end - 20)
        segment.write(b"\xff" * 20)
    desk.daemon.start()
    assert str(desk.daemon.statistics()["generation"]) != database.value("SELECT generation FROM scroll.machine")
    left = desk.last_position()
    assert left < kept + lost
    desk.feed(70, client="new/one")
    # Only what is on the disk is sent.
    desk.daemon.call(f"{MANAGER}.Sync")
    desk.start_relay(database)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    marked = int(database.value("SELECT count(*) FROM scroll.record WHERE NOT stands"))
    assert marked == kept + lost - left
    assert database.value("SELECT stands FROM scroll.session WHERE client = 'lost/one'") == "f"


def test_a_cloned_machine_is_stopped_with_a_message_that_names_both(machine, database, workspace) -> None:
    desk = machine()
    desk.feed(60)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    relay.stop()
    desk.daemon.stop()
    clone = machine(start=False)
    shutil.copytree(desk.daemon.state_directory, clone.daemon.state_directory)
    desk.daemon.start()
    clone.daemon.start()
    clone.id = desk.id
    # The original stores more, so the clone's log has no such position.
    desk.feed(60)
    original = desk.start_relay(database)
    desk.wait_until_stored(database)
    clone.start_relay(database).wait_for_end(1, "clone", "desk2", str(desk.last_position()), "Nothing was stored")
    # Then the clone has more positions, but others.
    clone.feed(200)
    clone.start_relay(database).wait_for_end(1, "OtherHistory", "clone")
    desk.feed(20)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    assert original.process.poll() is None


def test_only_clients_that_match_leave_the_machine(machine, database, workspace) -> None:
    desk = machine()
    desk.feed(40, client="kiosk/1")
    desk.feed(40, client="private/1")
    path = workspace.directory / "scroll-relay.conf"
    path.write_text(f"[Relay]\nDatabase={database.connection}\nClients=kiosk/*\nMachine={desk.id}\n")
    from support import programs
    process = programs.start("scroll-relay", "--config", str(path), "--socket", str(desk.daemon.socket_path), "run")
    workspace.add_finalizer(lambda: (process.kill(), process.wait()))
    desk.wait_until_stored(database)
    assert database.rows("SELECT DISTINCT client FROM scroll.record") == [["kiosk/1"]]
