"""The commands of the README's section about many machines, in their order, and what they print."""

import os
import re
import signal
import subprocess

from fleet.cluster import BINARIES
from support import programs
from support.repository import REPOSITORY


def section() -> str:
    text = (REPOSITORY / "README.md").read_text()
    return re.search(r"^## Five minutes: many machines, one database\n(.*?)^## ", text, re.S | re.M).group(1)


def steady(text: str) -> list[str]:
    """The lines without what differs from run to run."""
    text = re.sub(r"\d+(\.\d+)? (µs|ms|s|min)\b( ago)?", "TIME", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if line.strip()]


def test_the_ten_commands_of_the_readme_print_what_it_shows(cluster, workspace) -> None:
    commands = re.search(r"^```sh\n(.*?)^```", section(), re.S | re.M).group(1).splitlines()
    assert len(commands) == 10
    # The programs are built already, and there is no system's server: the tests' own takes its place.
    commands[0] = commands[0].replace("swift build -c release; ", "").replace("$PWD/.build/release", programs.directory)
    sudo = workspace.directory / "sudo"
    sudo.write_text('#!/bin/sh\nshift 2\nPGUSER=owner PGDATABASE=postgres exec "$@"\n')
    sudo.chmod(0o755)
    environment = programs.environment(
        PGHOST=str(cluster.directory), HOME=str(workspace.directory), TMPDIR=str(workspace.directory))
    environment["PATH"] = f"{workspace.directory}:{BINARIES}:{environment['PATH']}"
    # Only the last three commands' output is shown.
    script = "set -e\n" + "\n".join(commands[:7]) + "\nexec >&3\n" + "\n".join(commands[7:]) + "\n"
    reading, writing = os.pipe()
    shell = subprocess.Popen(
        ["bash", "-c", f"exec 3>&{writing}\n{script}"], cwd=REPOSITORY, env=environment, pass_fds=[writing],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, text=True)
    os.close(writing)
    try:
        status = shell.wait(120)
    finally:
        # The daemons and the relays go on in the background.
        os.killpg(shell.pid, signal.SIGKILL)
    with os.fdopen(reading, encoding="utf-8") as shown:
        printed = shown.read()
    assert status == 0, f"{printed}\n{shell.stdout.read()}"
    expected = "".join(line[4:] + "\n" for line in section().splitlines() if line.startswith("    "))
    assert steady(printed) == steady(expected)
