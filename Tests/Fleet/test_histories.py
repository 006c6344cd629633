"""What a log loses on purpose or by accident: retention, forgetting, a crash, and logs that are not the machine's."""

import shutil
import time

import pytest
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
    # Unlike the log, this file is always synced.
    shutil.copy(desk.daemon.state_directory / "runs", saved)
    shutil.rmtree(desk.daemon.state_directory)
    shutil.copytree(saved, desk.daemon.state_directory)
    # A torn block at the end makes recovery begin a new generation.
    tear(desk)
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


def clone_of(desk: Machine, machine) -> Machine:
    """Another machine with a copy of this one's disk, and so with its id."""
    desk.daemon.stop()
    clone = machine(start=False)
    shutil.copytree(desk.daemon.state_directory, clone.daemon.state_directory)
    desk.daemon.start()
    clone.daemon.start()
    clone.id = desk.id
    return clone


def tear(desk: Machine) -> None:
    """Lets the daemon begin a new generation, as after a crash that left a torn block at the end of the log."""
    if desk.daemon.process.poll() is None:
        desk.daemon.kill()
    with open(desk.daemon.segments()[-1], "r+b") as segment:
        end = len(segment.read().rstrip(b"\0"))
        segment.seek(end - 20)
        segment.write(b"\xff" * 20)
    desk.daemon.start()


def trim(desk: Machine) -> None:
    """Lets retention remove all records."""
    desk.daemon.call(f"{MANAGER}.Rotate")
    desk.daemon.call(f"{MANAGER}.Vacuum", maxUse=0)


def test_a_cloned_machine_is_stopped_with_a_message_that_names_both(machine, database) -> None:
    desk = machine()
    desk.feed(60)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    relay.stop()
    clone = clone_of(desk, machine)
    # The original stores more, so the clone's log has no such position.
    desk.feed(60)
    original = desk.start_relay(database)
    desk.wait_until_stored(database)
    clone.start_relay(database).wait_for_end(1, "clone", "“desk1”", "“desk2”", str(desk.last_position()), "Nothing was stored")
    # Then the clone has more positions, but others.
    clone.feed(200)
    clone.start_relay(database).wait_for_end(1, "another record there", "clone")
    desk.feed(20)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    assert original.process.poll() is None


@pytest.mark.parametrize("had_relay", [True, False], ids=["relay-before", "no-relay-before"])
@pytest.mark.parametrize("change", ["retention", "crash", "crash-and-retention", "many-crashes", "restarts-and-retention"])
def test_a_clone_is_recognized_when_its_log_lacks_the_record_of_the_cursor(machine, database, change, had_relay) -> None:
    desk = machine()
    desk.feed(60)
    if had_relay:
        relay = desk.start_relay(database)
        desk.wait_until_stored(database)
        relay.stop()
    clone = clone_of(desk, machine)
    desk.feed(60)
    original = desk.start_relay(database)
    desk.wait_until_stored(database)
    if change.startswith("crash"):
        tear(clone)
    elif change == "many-crashes":
        for _ in range(3):
            tear(clone)
            clone.feed(10)
    clone.feed(400)
    if change.startswith("restarts"):
        clone.daemon.restart()
    if change.endswith("retention"):
        trim(clone)
        clone.feed(50)
    before = database.rows("SELECT * FROM scroll.machine")
    for _ in range(2):
        clone.start_relay(database).wait_for_end(1, "another record there", "clone", "“desk1”", "“desk2”", "Nothing was stored")
    found = database.rows("SELECT * FROM scroll.machine")
    assert [row[:6] for row in found] == [row[:6] for row in before]
    assert database.value("SELECT count(*) FROM scroll.record WHERE NOT stands") == "0"
    assert database.value("SELECT count(*) FROM scroll.gap") == "0"
    desk.feed(20)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    # Nor does the original take its own restarts, crashes and retention for a clone's.
    desk.daemon.restart()
    desk.feed(20)
    desk.wait_until_stored(database)
    assert original.process.poll() is None
    original.stop()
    tear(desk)
    desk.feed(100)
    trim(desk)
    desk.feed(20)
    last = desk.start_relay(database)
    desk.wait_until_stored(database)
    assert last.process.poll() is None


def test_a_clone_of_a_running_daemons_directory_is_recognized(machine, database) -> None:
    """The copy is made while the daemon runs, and the original goes on in the same run."""
    desk = machine()
    desk.feed(60)
    original = desk.start_relay(database)
    desk.wait_until_stored(database)
    clone = machine(start=False)
    shutil.copytree(desk.daemon.state_directory, clone.daemon.state_directory)
    clone.daemon.start()
    clone.id = desk.id
    clone.feed(300)
    trim(clone)
    clone.feed(10)
    desk.feed(60)
    desk.wait_until_stored(database)
    clone.start_relay(database).wait_for_end(1, "another record there", "clone")
    desk.feed(20)
    desk.wait_until_stored(database)
    desk.require_stored_once(database)
    assert original.process.poll() is None


@pytest.mark.parametrize("restarts", [0, 2], ids=["same-run", "later-runs"])
@pytest.mark.parametrize("is_trimmed", [False, True], ids=["whole", "trimmed"])
def test_a_restored_backup_continues_and_the_original_is_stopped(machine, database, restarts, is_trimmed) -> None:
    desk = machine()
    desk.feed(60)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    relay.stop()
    backup = desk.daemon.directory / "backup"
    made = desk.workspace.scrollctl(desk.daemon, "backup", str(backup))
    assert made.returncode == 0, made.stderr
    for _ in range(restarts):
        desk.daemon.restart()
        desk.feed(20)
        relay = desk.start_relay(database)
        desk.wait_until_stored(database)
        relay.stop()
    desk.feed(20)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    relay.stop()
    # The disk is lost. The new one has the backup.
    new = machine(start=False)
    new.id = desk.id
    restored = desk.workspace.scrollctl(None, "restore", str(backup), "-D", str(new.daemon.state_directory))
    assert restored.returncode == 0, restored.stderr
    new.daemon.start()
    new.feed(80)
    if is_trimmed:
        trim(new)
        new.feed(10)
    running = new.start_relay(database)
    new.wait_until_stored(database)
    count = int(database.value("SELECT count(*) FROM scroll.record WHERE stands AND "
                               f"position >= {new.daemon.statistics()['firstPosition']}"))
    assert count == len(new.records())
    assert running.process.poll() is None
    # The old disk, should it come back, is now the other history.
    desk.feed(10)
    desk.start_relay(database).wait_for_end(1, "another record there", "“desk1”", "“desk2”")


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


def lose(desk: Machine, feeder, events: list, through_close: bool = False) -> None:
    """Lets the session go on, and retention remove that before a relay comes."""
    feeder.feed(events)
    if through_close:
        feeder.close()
    trim(desk)


@pytest.mark.parametrize("case", ["middle", "end", "closing", "still open"])
def test_a_session_with_a_gap_is_left_out_of_the_export_and_not_cut(machine, database, case) -> None:
    from support.recordings import recordings
    source = recordings()[0].events
    desk = machine()
    whole = desk.feed(40, client="whole/one")
    feeder = desk.feed(100, client="part/one", close=False)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    relay.stop()
    lose(desk, feeder, [source[index % len(source)] for index in range(200)], through_close=case == "closing")
    if case == "middle":
        feeder.feed([source[index % len(source)] for index in range(50)])
    if case in ("middle", "end"):
        feeder.close()
    desk.feed(30, client="later/one")
    desk.start_relay(database)
    desk.wait_until_stored(database)
    assert database.value("SELECT count(*) FROM scroll.gap") == "1"
    exported = database.relay("export")
    assert exported.returncode == 1, exported.stderr
    assert "left out the session" in exported.stderr and "part/one" in exported.stderr
    found = [line for line in exported.stdout.splitlines() if '"kind":"open"' in line]
    assert len(found) == 2 and "whole/one" in found[0] and "later/one" in found[1]
    alone = database.relay("export", "part/*")
    assert (alone.returncode, alone.stdout) == (1, "") and "only a part of it" in alone.stderr
    assert database.relay("export", "whole/*").returncode == 0
    assert whole.session


def test_an_export_that_leaves_sessions_out_says_how_many_and_fails(machine, database) -> None:
    desk = machine()
    for name in ("one", "two", "three"):
        desk.feed(20, client=name)
    desk.start_relay(database)
    desk.wait_until_stored(database)
    database.execute("DELETE FROM scroll.record WHERE kind = 'open' AND client = 'two'")
    left = database.relay("export")
    assert left.returncode == 1 and "left out the session" in left.stderr and "two" in left.stderr
    database.execute("DELETE FROM scroll.record WHERE number = 7 AND client = 'one'")
    left = database.relay("export")
    assert left.returncode == 1 and "left out 2 sessions" in left.stderr
    assert left.stdout.count('"kind":"open"') == 1
