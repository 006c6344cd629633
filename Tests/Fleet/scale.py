#!/usr/bin/env python3
"""Measures a fleet: real relays, one server, and a program that plays the daemons' side of Follow from generated logs.

    /usr/bin/python3 Tests/Fleet/scale.py [--programs DIR] [--machines 200] [--events 12000000] [--lag]

Prints rows per second, beside those of `psql \\copy` of the same rows into an equal table, and the most memory that a relay held.
With --lag, each machine instead makes 1,000 events a second for 20 s, and the lag is printed.
"""

import argparse
import asyncio
import functools
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "EndToEnd"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from support import programs  # noqa: E402

from fleet.cluster import BINARIES, Cluster  # noqa: E402

#: Events of a session, and records of a reply, as the daemon sends them.
SESSION = 500
REPLY = 256
STARTED = 1_790_000_000_000_000
#: What stands for the machine's half of a session's id, so that machines can share what was generated.
MACHINE = "MACHINE-MACHINE-"


def record(position: int, now: int) -> tuple[str, str]:
    """A record as JSON, and the description of its session if it is the first one."""
    session, number = divmod(position - 1, SESSION + 2)
    digits = f"{MACHINE}{session:016x}"
    time_of = now or STARTED + position * 8000
    head = f'{{"position":{position},"received":{time_of},"session":"{digits}"'
    if number == 0:
        described = (f'{{"session":"{digits}","client":"kiosk/{session % 4}","user":1000,"received":{time_of},"policy":"safari"}}')
        return (head + f',"record":{{"kind":"open","time":{time_of},"client":"kiosk/{session % 4}","application":"Kiosk 3",'
                f'"title":"Page {session % 50}","policy":"safari","rule":"safari","parameters":[]}}}}', described)
    if number == SESSION + 1:
        return (head + f',"record":{{"kind":"close","time":{time_of},"reason":"asked"}},"summary":{{"events":{SESSION},'
                '"duration":4000000,"reach":0.75,"flips":20,"flickers":0}}', "")
    y = number * 7.25 % 4000
    body = f'{{"kind":"scroll","time":{time_of},"x":0,"y":{y},"translationY":{-number}.5}}'
    if number == 1:
        body = (f'{{"kind":"layout","time":{time_of},"contentWidth":390,"contentHeight":5000,"frameWidth":390,"frameHeight":844}}')
    change = ""
    if number % 25 == 0:
        toolbar, trigger = ("hidden", "scrollDown") if number % 50 else ("shown", "scrollUp")
        change = (f',"change":{{"toolbar":"{toolbar}","trigger":"{trigger}","reachBottom":false,"topButton":false,'
                  '"changed":["toolbar","trigger"],"reason":"travelDown 12.5 ≥ hideDistance 10"}')
    return head + f',"number":{number},"record":{body}{change}}}', ""


@functools.lru_cache(maxsize=400)
def pattern(first: int, last: int, now: int) -> bytes:
    """A reply with the records from one position to another, for any machine."""
    found = [record(position, now) for position in range(first, last + 1)]
    sessions = ",".join(described for _, described in found if described)
    received = now or STARTED + last * 8000
    return (f'{{"parameters":{{"position":{last},"generation":1,"received":{received}'
            + (f',"sessions":[{sessions}]' if sessions else "")
            + f',"records":[{",".join(text for text, _ in found)}]}},"continues":true}}').encode() + b"\0"


def reply(machine: int, first: int, last: int, now: int = 0) -> bytes:
    return pattern(first, last, now).replace(MACHINE.encode(), f"{machine:016x}".encode())


async def serve(machine: int, events: int, is_live: bool, reader, writer) -> None:
    call = json.loads((await reader.readuntil(b"\0"))[:-1])
    if call["method"].endswith("Forgotten"):
        writer.write(b'{"parameters":{"forgotten":[]}}\0')
        await writer.drain()
        return
    after = call.get("parameters", {}).get("after", 0)
    received = f',"received":{STARTED + after * 8000}' if after else ""
    writer.write(f'{{"parameters":{{"position":{after},"generation":1{received},"forgotten":"none"}},"continues":true}}'.encode()
                 + b"\0")
    position, began = after, time.monotonic()
    while position < events:
        last = min(events, position + (250 if is_live else REPLY))
        writer.write(reply(machine, position + 1, last, time.time_ns() // 1000 if is_live else 0))
        await writer.drain()
        position = last
        if is_live:
            await asyncio.sleep(max(0, began + (position - after) / 1000 - time.monotonic()))
    writer.write(f'{{"parameters":{{"position":{position},"generation":1,"caughtUp":true}},"continues":true}}'.encode() + b"\0")
    await writer.drain()
    await reader.read()


def play(directory: str, machines: range, events: int, is_live: bool) -> None:
    """Plays the daemons of some machines."""

    async def run() -> None:
        for machine in machines:
            def handle(reader, writer, machine=machine):
                return serve(machine, events, is_live, reader, writer)
            await asyncio.start_unix_server(handle, f"{directory}/{machine}", limit=1 << 22)
        await asyncio.Event().wait()

    programs.die_with_parent()
    asyncio.run(run())


def private_bytes(pid: int) -> int:
    """The memory that a process shares with no other one."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_")) * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=".build/release", metavar="DIR")
    parser.add_argument("--machines", type=int, default=200)
    parser.add_argument("--events", type=int, default=12_000_000)
    parser.add_argument("--lag", action="store_true")
    options = parser.parse_args()
    programs.directory = os.path.abspath(options.programs)
    events = 20_000 if options.lag else options.events // options.machines
    with tempfile.TemporaryDirectory(prefix="scrollfleet-", dir="/tmp") as directory:
        os.chmod(directory, 0o755)
        cluster = Cluster(Path(directory) / "server", (
            f"max_connections = {options.machines + 20}\nshared_buffers = 512MB\nmax_wal_size = 4GB\nfsync = on\n")).start()
        database = cluster.database()
        database.init()
        players = [multiprocessing.Process(target=play, args=(directory, part, events, options.lag), daemon=True)
                   for part in (range(start, options.machines, 2) for start in range(2)) if len(part)]
        for player in players:
            player.start()
        time.sleep(1)
        log_start = database.value("SELECT pg_current_wal_lsn()")
        began = time.monotonic()
        relays = [programs.start(
            "scroll-relay", "--config", "/dev/null", "--database", database.connection, "--machine", f"{machine:032x}", "--name",
            f"m{machine}", "--socket", f"{directory}/{machine}", "run", stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for machine in range(options.machines)]
        total, lag, rows = events * options.machines, 0.0, 0
        while rows < total:
            time.sleep(0.5)
            rows = int(database.value("SELECT coalesce(sum(position), 0) FROM scroll.machine"))
            worst = database.value("SELECT coalesce(max(extract(epoch FROM lag)), 0) FROM scroll.machine")
            lag = max(lag, float(worst)) if time.monotonic() - began > 3 else lag
        seconds = time.monotonic() - began
        log = int(database.value(f"SELECT pg_current_wal_lsn() - '{log_start}'::pg_lsn"))
        backends = [private_bytes(int(row[0])) for row in database.rows(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'scroll-relay'")]
        memory = 0
        for relay in relays:
            fields = dict(line.split(":", 1) for line in open(f"/proc/{relay.pid}/status"))
            memory = max(memory, int(fields["VmHWM"].split()[0]))
            relay.kill()
            relay.wait()
        for player in players:
            player.kill()
        count, distinct = database.rows("SELECT count(*), count(DISTINCT (machine, generation, position)) FROM scroll.record")[0]
        assert int(count) == int(distinct) == total, f"{count} rows, {distinct} distinct, of {total}"
        print(f"{options.machines} machines, {total} rows, each once, in {seconds:.1f} s: {total / seconds:,.0f} rows/s")
        print(f"most memory of a relay: {memory / 1024:.1f} MiB; private memory of a connection's server process: "
              f"{sum(backends) / len(backends) / (1 << 20):.1f} MiB; write-ahead log: {log / total:.0f} bytes a row")
        if options.lag:
            print(f"greatest lag: {lag:.2f} s")
        else:
            size = int(database.value("SELECT pg_total_relation_size('scroll.record')"))
            print(f"size with indexes: {size / total:.0f} bytes a row")
            # Text is psql's default; the relays send binary rows.
            for form in ("binary", "text"):
                database.execute(
                    f"COPY scroll.record TO PROGRAM 'cat > {cluster.directory}/rows' (FORMAT {form}); "
                    "DROP TABLE IF EXISTS scroll.copied; CREATE TABLE scroll.copied (LIKE scroll.record INCLUDING ALL); CHECKPOINT",
                    timeout=600)
                sent = os.path.getsize(f"{cluster.directory}/rows")
                began = time.monotonic()
                database.execute(f"\\copy scroll.copied FROM '{cluster.directory}/rows' (FORMAT {form})", timeout=1200)
                copied = time.monotonic() - began
                print(f"psql \\copy of the same rows as {form}, {sent / total:.0f} bytes a row: {copied:.1f} s: "
                      f"{total / copied:,.0f} rows/s; relays / copy = {copied / seconds:.2f}")
        cluster.stop("immediate")


if __name__ == "__main__":
    main()
