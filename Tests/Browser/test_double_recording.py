"""Each session is recorded twice: by the extension, and by an independent script in the page."""

import json
import os
from pathlib import Path

import pytest

from driving.scenarios import SCENARIOS, Scenario, Stage
from support.daemon import until
from support.recordings import FIXTURES
from support.workspace import Workspace

RECORDER = (Path(__file__).parent / "driving/recorder.js").read_text()
#: Where recordings are kept, with `SCROLLD_RECORD=write`.
KEPT = FIXTURES / "browser"

tally = {"right": 0, "wrong": []}


def record(scenario: Scenario, workspace: Workspace, fed) -> tuple[list[dict], list[dict], Stage]:
    """Plays a scenario; returns the daemon's recording, the page's own, and the stage."""
    target = fed.chromium.open("about:blank", width=scenario.width, height=scenario.height, mobile=scenario.mobile)
    target.call("Page.addScriptToEvaluateOnNewDocument", source=RECORDER.replace("%SELECTOR%", scenario.selector))
    known = {state["client"] for state in fed.states()}
    target.go(fed.server.address(scenario.path))
    client = fed.new_client(known)
    if scenario.selector:
        client = client.removesuffix("/0") + "/1"

    def scroll_to(place: str) -> None:
        result = workspace.scrollctl(fed.daemon, "scroll-to", client, place)
        assert result.returncode == 0, result.stderr

    stage = Stage(target, fed.own_page, scroll_to)
    # A page that has just got its size may still be laid out; the feeder allows it 0.4 s.
    stage.rest(0.5)
    scenario.act(stage)
    events = [record for record in fed.settle(client) if record["kind"] not in ("open", "close", "request", "response")]
    own = target.evaluate("recorder.events")
    target.close()
    for event in events:
        event.pop("session")
        event.pop("number")
    return events, own, stage


def write(path: Path, scenario: Scenario, events: list[dict]) -> Path:
    opening = {"kind": "open", "time": events[0]["time"], "client": f"web/{scenario.name}", "application": "Chromium 156", "title": scenario.name}
    lines = [opening, *events, {"kind": "close", "time": events[-1]["time"]}]
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return path


def transitions(workspace: Workspace, path: Path) -> list[dict]:
    result = workspace.scrollctl(None, "--json", "fold", str(path))
    assert result.returncode == 0, result.stderr
    watched = ("toolbar", "trigger", "reachBottom", "topButton", "changed")
    return [{name: row[name] for name in watched if name in row} for row in map(json.loads, result.stdout.splitlines())]


def keep_recording(workspace: Workspace, scenario: Scenario, events: list[dict]) -> None:
    """Writes a recording and its transitions to the fixtures."""
    (KEPT / "expected").mkdir(parents=True, exist_ok=True)
    path = write(KEPT / f"{scenario.name}.ndjson", scenario, events)
    fields = ("line", "time", "changed", "toolbar", "trigger", "reachBottom", "bottomLatch", "topButton", "pageIndex", "pageCount")
    folded = map(json.loads, workspace.scrollctl(None, "--json", "fold", str(path)).stdout.splitlines())
    lines = [json.dumps({name: row[name] for name in fields if name in row}, separators=(",", ":")) for row in folded]
    (KEPT / f"expected/{scenario.name}.safari.ndjson").write_text("\n".join(lines) + "\n")
    table = "".join(f"| `{each.name}` | {each.shows} |\n" for each in SCENARIOS)
    (KEPT / "README.md").write_text(README + table)


README = """\
# Recordings of the browser extension

Chromium 156 was driven by real touch, wheel, keys, scripts and layouts, and the extension fed a daemon; Tests/Browser has the driver.
`SCROLLD_RECORD=write /usr/bin/python3 -m pytest Tests/Browser/test_double_recording.py` records them again. The transitions under
the policy safari are in `expected/`.

| recording | what it shows |
|---|---|
"""


def check_sources(events: list[dict], stage: Stage) -> list[str]:
    """The scroll events with a wrong source, of those whose cause the driver knows."""
    wrong = []
    for event in events:
        if event["kind"] not in ("scroll", "scrollEnd"):
            continue
        for cause, begun, ended in stage.phases:
            if begun <= event["time"] <= ended:
                if event.get("source", "user") == cause:
                    tally["right"] += 1
                else:
                    wrong.append(f"{event} should be {cause}")
                break
    tally["wrong"] += wrong
    return wrong


def scrolled(events: list[dict], phase: tuple[str, float, float]) -> bool:
    """Whether the page has moved in a step. A browser may report scrolls that move nothing."""
    before = {"x": 0, "y": 0}
    for event in events:
        if "y" not in event:
            continue
        moved = abs(event["y"] - before["y"]) > 0.5 or abs(event["x"] - before["x"]) > 0.5
        if moved and phase[1] <= event["time"] <= phase[2]:
            return True
        before = event
    return False


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_both_recordings_fold_to_the_same_transitions(module_workspace, fed, scenario):
    fed.chromium.complaints.clear()
    events, own, stage = record(scenario, module_workspace, fed)
    assert any(event["kind"] == "scroll" for event in own), "nothing scrolled"
    assert [scrolled(events, phase) for phase in stage.phases] == [scrolled(own, phase) for phase in stage.phases], "steps that scrolled"
    wrong = check_sources(events, stage)
    theirs = write(module_workspace.directory / f"{scenario.name}.extension.ndjson", scenario, events)
    ours = write(module_workspace.directory / f"{scenario.name}.page.ndjson", scenario, own)
    if os.environ.get("SCROLLD_RECORD") == "write":
        keep_recording(module_workspace, scenario, events)
    if keep := os.environ.get("SCROLLD_KEEP"):
        write(Path(keep) / f"{scenario.name}.extension.ndjson", scenario, events)
        write(Path(keep) / f"{scenario.name}.page.ndjson", scenario, own)
    assert transitions(module_workspace, theirs) == transitions(module_workspace, ours)
    assert not wrong
    assert fed.chromium.complaints == [], "the console"


def test_each_page_of_a_tab_is_a_session_back_and_forward_too(module_workspace, fed):
    fed.chromium.complaints.clear()
    target = fed.chromium.open("about:blank", width=390, height=844)
    # A restored offset is nobody's scroll.
    target.call("Page.addScriptToEvaluateOnNewDocument", source=RECORDER.replace("%SELECTOR%", "").replace("cause: 'user'", "cause: 'program'"))
    stage = Stage(target, fed.own_page, lambda place: None)
    seen = {state["session"] for state in fed.states()}
    first = 0
    for step in ("/article", "/other", "history.back()", "history.forward()"):
        if step.startswith("/"):
            target.go(fed.server.address(step))
        else:
            target.evaluate(f"void {step}")

        def new():
            return [state for state in fed.states() if state["session"] not in seen and state["client"].endswith("/0/0")]

        [state] = until(new, f"a session after {step}")
        seen.add(state["session"])
        stage.rest(0.5)
        with stage.cause("user"):
            target.drag(-300)
        with stage.cause("user"):
            target.drag(250, y=300)
        events = [record for record in fed.settle(state["client"]) if record["session"] == state["session"] and record["kind"] != "open"]
        own = [event for event in target.evaluate("recorder.events") if event["kind"] == "layout" or event["time"] >= events[0]["time"]]
        wrong = check_sources([event for event in events if event["time"] >= stage.phases[-2][1]], stage)
        for event in events:
            event.pop("session"), event.pop("number")
        name = Scenario(f"page-{len(seen)}", "", "", lambda stage: None)
        rows = [[row for row in transitions(module_workspace, write(module_workspace.directory / f"{len(seen)}.{which}.ndjson", name, each)) if "trigger" in row["changed"]]
                for which, each in (("extension", events), ("page", own))]
        assert rows[0] == rows[1] and len(rows[0]) >= 2, f"after {step}"
        assert not wrong
    closed = {record["session"]: record for record in fed.settle(state["client"]) if record["kind"] == "close"}
    assert len(closed) >= 3, "pages that were left are closed"
    target.close()
    until(lambda: fed.settle(state["client"])[-1]["kind"] == "close", "the tab's last session is closed")
    assert fed.chromium.complaints == [], "the console"


def test_fewer_than_one_scroll_event_in_a_hundred_has_a_wrong_source():
    total = tally["right"] + len(tally["wrong"])
    print(f"{len(tally['wrong'])} of {total} scroll events have a wrong source")
    assert total > 300
    assert len(tally["wrong"]) < total / 100, "\n".join(tally["wrong"])
