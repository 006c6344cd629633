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


#: What an idle machine has to reach, in milliseconds of the processor in the page's main thread for each frame.
COST = 0.2
TURNS = 5 if SPEED else 2


def read_with_a_finger(target) -> None:
    for distance in (-300, -300, 250):
        target.drag(distance, y=600 if distance < 0 else 200, steps=20, pause=0.016)


# On a machine that is busy with others, the processor is slower, but for the page itself as well. So the other bound is for the
# extension's scripts, as a share of what the page costs alone: 0.5 to 0.9 ms, and 8 ms if 200 scroll views move. Their share was 0.13
# when each of these was listened to.
@pytest.mark.timeout(240)
@pytest.mark.parametrize("path, act, share", [
    ("/loop", "scrollBy(0, 12)", 0.3),
    ("/endless", "scrollBy(0, 15)", 0.3),
    ("/nested", "shake()", 0.09),
    ("/article", "", 0.5),
], ids=["script", "endless", "nested", "finger"])
def test_a_frame_costs_the_page_little(quick, path, act, share):
    # The extension's own bar costs what it is drawn for.
    quick.command("change", "{ values: { bar: false } }")
    target = quick.chromium.open("about:blank", width=390, height=844)
    target.bring_to_front()

    def cost(host: str) -> tuple[float, float]:
        """The time of the main thread and of scripts for a frame of a page that scrolls, in milliseconds of the processor."""
        target.go(quick.server.address(path, host=host))
        target.evaluate(f"window.drawn = 0; const draw = () => {{ drawn++; {act}; requestAnimationFrame(draw) }}; draw()")
        # The browser compiles what runs for the first time.
        target.frames(40) if act else read_with_a_finger(target)
        target.call("Performance.enable", timeDomain="threadTicks")
        before, frames = times(target), target.evaluate("drawn")
        target.frames(80) if act else read_with_a_finger(target)
        after, frames = times(target), target.evaluate("drawn") - frames
        return tuple((after[name] - before[name]) * 1000 / frames for name in ("TaskDuration", "ScriptDuration"))

    turns = [(*cost("127.0.0.1"), *cost("localhost")) for _ in range(TURNS)]
    alone, scripts_alone, fed, scripts_fed = map(statistics.median, zip(*turns))
    total, scripts = fed - alone, scripts_fed - scripts_alone
    print(f"{path}: {alone:.3f} ms a frame alone; {total:.3f} ms more with the extension, {scripts:.3f} ms of them in scripts ({scripts / alone:.0%})")
    assert scripts <= alone * share
    # 200 scroll views are more than the extension can follow in that time.
    assert not SPEED or path == "/nested" or total <= COST
    target.close()


def times(target) -> dict[str, float]:
    """How long the page's main thread has used the processor, in seconds."""
    return {metric["name"]: metric["value"] for metric in target.call("Performance.getMetrics")["metrics"]}


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
