"""How long the bar takes, and what the extension costs the page."""

import os
import statistics
from pathlib import Path

import pytest

from driving.session import Fed

#: Set SPEED to check what an idle machine with release programs has to reach. The looser bounds, and fewer scrolls, are for debug
#: programs and machines that are busy with others.
SPEED = bool(os.environ.get("SPEED"))
#: How long 95 of 100 scrolls take at most until the bar has changed, in milliseconds.
BOUND = 33 if SPEED else 250
SCROLLS = int(os.environ.get("SCROLLD_SCROLLS", 500 if SPEED else 100))


@pytest.fixture(scope="module")
def quick(module_workspace, server):
    """A browser whose wheel scrolls at once, so that each turn is one scroll."""
    fed = Fed.start(module_workspace, server, "--disable-smooth-scrolling", name="quick")
    yield fed
    fed.close()


@pytest.mark.timeout(240)
def test_the_bar_changes_soon_after_the_scroll(quick):
    page = quick.open("/article")
    target = page.target
    target.evaluate("""
      window.taken = [];
      window.bar = document.body.appendChild(document.createElement('div'));
      bar.className = 'shown';
      document.addEventListener('scrolld', event => {
        const state = JSON.parse(event.detail);
        if (bar.className === state.toolbar) return;
        bar.className = state.toolbar;
        taken.push(performance.timeOrigin + performance.now() - state.time / 1000);
      }); 0""")
    target.frames(20)
    target.wheel(2000)
    target.until("taken.length === 1")
    for turn in range(1, SCROLLS + 1):
        target.wheel(-40 if turn % 2 else 40)
        target.until(f"taken.length > {turn}")
    taken = sorted(target.evaluate("taken")[1:])
    quantile = statistics.quantiles(taken, n=100)
    print(f"from the scroll to the bar's change, {len(taken)} scrolls: median {quantile[49]:.1f} ms, "
          f"p95 {quantile[94]:.1f} ms, p99 {quantile[98]:.1f} ms, most {taken[-1]:.1f} ms")
    assert len(taken) == SCROLLS
    assert quantile[94] <= BOUND
    page.close()


# In microseconds. The third, which moves 200 scroll views in each frame, takes more than the 0.2 ms: 16 of them are fed, and each
# of the others' scroll events has to be counted.
@pytest.mark.parametrize("path, act, bound", [
    ("/loop", "go()", 200 if SPEED else 2_000),
    ("/endless", "setInterval(() => scrollBy(0, 15), 16)", 200 if SPEED else 2_000),
    ("/nested", "setInterval(shake, 16)", 1_000 if SPEED else 30_000),
])
def test_a_frame_costs_the_page_little(quick, path, act, bound):
    page = quick.open(path)
    target = page.target
    target.evaluate("window.frames_ = 0; const count = () => { frames_++; requestAnimationFrame(count) }; count()")
    target.evaluate(f"void {act}")
    target.frames(30)
    target.call("Profiler.enable")
    target.call("Profiler.setSamplingInterval", interval=500)
    before = target.evaluate("frames_")
    target.call("Profiler.start")
    target.frames(120)
    profile = target.call("Profiler.stop")["profile"]
    frames = target.evaluate("frames_") - before
    cost = cost_of_extension(profile) / frames
    print(f"{path}: {cost / 1000:.3f} ms a frame in {frames} frames")
    assert cost <= bound, "microseconds a frame"
    page.close()


def test_a_page_at_rest_runs_nothing_of_the_extension(quick):
    page = quick.open("/article")
    target = page.target
    target.drag(-400, y=700)
    page.records()
    target.call("Profiler.enable")
    # The last scroll may still be ending.
    target.frames(90)
    target.call("Profiler.setSamplingInterval", interval=100)
    target.call("Profiler.start")
    target.frames(60)
    cost = cost_of_extension(target.call("Profiler.stop")["profile"])
    print(f"a page at rest: {cost / 1000:.3f} ms in 60 frames")
    assert cost == 0, "microseconds"
    page.close()


def cost_of_extension(profile: dict) -> float:
    """The time in functions of the extension and what they call, in microseconds."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    own = set()

    def visit(number: int, inside: bool) -> None:
        node = nodes[number]
        inside = inside or node["callFrame"]["url"].startswith("chrome-extension://")
        if inside:
            own.add(number)
        for child in node.get("children", []):
            visit(child, inside)

    visit(profile["nodes"][0]["id"], False)
    return sum(delta for sample, delta in zip(profile["samples"], profile["timeDeltas"][1:]) if sample in own)


def test_the_host_and_the_extension_are_small(module_workspace, quick):
    page = quick.open("/loop")
    page.target.evaluate("go()")
    page.target.frames(120)
    [host] = quick.hosts()
    resident = next(int(line.split()[1]) for line in Path(f"/proc/{host}/status").read_text().splitlines() if line.startswith("VmRSS"))
    size = sum(path.stat().st_size for path in (module_workspace.directory / "quick-chromium/extension").iterdir())
    print(f"host {resident / 1024:.1f} MiB resident, the extension's files {size / 1024:.1f} KiB")
    assert resident <= 12 * 1024
    assert size <= 40 * 1024
    page.close()
