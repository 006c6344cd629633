"""How much some clients slow others down, measured as ratios within a run, so that the machine's other load cancels out."""

import os
import statistics
import subprocess
from pathlib import Path

import pytest

from support.daemon import until
from support.programs import die_with_parent
from support.users import NOBODY, SOMEBODY
from support.workspace import Workspace

NATIVE = Path(__file__).resolve().parent / "native"
#: Leaves the disk out of the measurement.
CONFIG = "[Log]\nSync=never\n"
#: How often each measurement is repeated. The median counts.
ROUNDS = 5
#: The same for a flood, whose measurement is shorter.
FLOODS = 15


@pytest.fixture
def idle_machine(as_user) -> None:
    """Skips a test unless this machine is said to be idle: on a busy one, it would measure the kernel's scheduling only."""
    if "SCROLLD_MEASURE" not in os.environ:
        pytest.skip("measures, which takes an idle machine: set SCROLLD_MEASURE=1")
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    if load > 2 * processors:
        pytest.skip(f"needs idle processors: {load:.0f} processes want {processors}")


@pytest.fixture
def build(workspace: Workspace, c_compiler: str):
    """Compiles one of the programs that measure. They are in C, in which little else takes time."""

    def build(name: str) -> str:
        program = workspace.directory / name
        subprocess.run([c_compiler, "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O2", "-o", str(program),
                        str(NATIVE / f"{name}.c")], check=True, timeout=60)
        return str(program)

    return build


def become(user: int):
    """For `preexec_fn`: makes a new process another user's."""

    def prepare() -> None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        die_with_parent()

    return prepare


def measure(program: str, *arguments: str, prepare=die_with_parent) -> list[tuple[float, float]]:
    """Runs a program that prints p50 and p99 in microseconds, a line for each side of its comparison."""
    result = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, preexec_fn=prepare)
    assert result.returncode == 0, f"{Path(program).name} failed: {result.stderr}"
    return [tuple(map(float, line.split())) for line in result.stdout.splitlines()]


@pytest.mark.timeout(300)
def test_1000_subscribers_hear_as_quickly_beside_slow_ones(workspace: Workspace, build) -> None:
    latency = build("latency")
    plain = workspace.daemon(CONFIG, name="plain")
    burdened = workspace.daemon(CONFIG, name="burdened")
    ratios = []
    for _ in range(ROUNDS):
        alone, beside = measure(latency, str(plain.socket_path), str(burdened.socket_path), "1000", "40")
        ratios.append((beside[0] / alone[0], beside[1] / alone[1]))
        print(f"p50 {alone[0]:.0f} µs and {beside[0]:.0f} µs, p99 {alone[1]:.0f} µs and {beside[1]:.0f} µs")
    assert burdened.metric("subscribers_fallen_behind") >= 2, "no subscriber fell behind, so the test proves nothing"
    for index, name in enumerate(("p50", "p99")):
        ratio = statistics.median(pair[index] for pair in ratios)
        assert ratio <= 1.5, f"beside the slow ones, {name} is {ratio:.2f} times as long"


@pytest.mark.timeout(300)
def test_an_append_under_another_users_flood_takes_at_most_twice_as_long_as_an_echo(
        workspace: Workspace, build, idle_machine) -> None:
    flood, echo, roundtrip = (build(name) for name in ("flood", "echo", "roundtrip"))
    daemon = workspace.daemon(CONFIG)
    echo_path = workspace.directory / "echoing"
    server = subprocess.Popen([echo, str(echo_path)], preexec_fn=die_with_parent)
    workspace.add_finalizer(lambda: (server.kill(), server.wait()))
    until(echo_path.exists, "the echo server listens")
    slow = []
    for kind in ("garbage", "halves", "connects"):
        ratios = []
        for _ in range(FLOODS):
            # One after the other: with both floods at once, each side would wait for the processors.
            pairs = []
            for flooded in (echo_path, daemon.socket_path):
                flooding = subprocess.Popen([flood, str(flooded), kind], preexec_fn=become(NOBODY))
                try:
                    pairs.append(measure(roundtrip, str(echo_path), str(daemon.socket_path), "500",
                                         prepare=become(SOMEBODY)))
                finally:
                    flooding.kill()
                    flooding.wait()
            echoed, appended = pairs[0][0], pairs[1][1]
            ratios.append(appended[1] / echoed[1])
            print(f"{kind}: p50 {echoed[0]:.0f} µs and {appended[0]:.0f} µs, "
                  f"p99 {echoed[1]:.0f} µs and {appended[1]:.0f} µs")
        print(f"{kind}: the p99 of an Append is {statistics.median(ratios):.2f} times an echo's")
        if statistics.median(ratios) > 2:
            slow.append(f"{kind}: the p99 of an Append is {statistics.median(ratios):.2f} times an echo's")
    assert not slow, "; ".join(slow)
