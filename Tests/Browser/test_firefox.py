"""The core of the cases in Firefox ESR."""

import json
import os
import signal
import threading
import time

import pytest

from driving import extension
from driving.firefox import Firefox
from driving.scenarios import Scenario
from driving.session import SITE, Fed
from support.daemon import until
from test_double_recording import RECORDER, transitions, write


@pytest.fixture(scope="module")
def firefox(module_workspace, server):
    """A daemon, and a Firefox that feeds it."""
    daemon = module_workspace.daemon(name="for-firefox")
    directory = module_workspace.directory / "firefox"
    directory.mkdir()
    extension.install_host(directory / ".mozilla/native-messaging-hosts", "firefox")
    firefox = Firefox(directory, extension.copy(directory, SITE), {"SCROLLD_SOCKET": str(daemon.socket_path)})
    fed = Fed(daemon, firefox, server)
    firefox.command("switch", json.dumps({"site": SITE, "isOn": True}))
    yield fed
    fed.close()


class Stage:
    """A page in Firefox."""

    def __init__(self, fed: Fed, path: str):
        self.fed, self.firefox = fed, fed.chromium
        known = {state["session"] for state in fed.states()}
        self.firefox.go(fed.server.address(path))

        def found():
            return [state for state in fed.states() if state["session"] not in known and state["client"].endswith("/0/0")]

        [state] = until(found, "a session")
        self.client, self.session = state["client"], state["session"]

    def scrolls(self) -> list[dict]:
        return [record for record in self.fed.settle(self.client, pause=0.35)
                if record["session"] == self.session and record["kind"] in ("scroll", "scrollEnd")]

    def does(self, act, source: str) -> list[dict]:
        """Acts, and checks that every scroll event since has a source."""
        before = self.scrolls()
        act()
        until(lambda: len([record for record in self.fed.records(self.client) if record["session"] == self.session
                           and record["kind"] == "scroll"]) > sum(event["kind"] == "scroll" for event in before), "the page scrolls")
        new = self.scrolls()[len(before):]
        assert {event.get("source", "user") for event in new} == {source}, new
        return new

    def toolbar(self) -> str:
        return self.fed.daemon.call("org.scrolld.Observer.Get", client=self.client)["state"]["toolbar"]


def test_a_finger_scrolls_and_the_bar_follows(firefox):
    stage = Stage(firefox, "/article")
    events = stage.does(lambda: firefox.chromium.drag(-300), "user")
    assert stage.toolbar() == "hidden"
    assert any(event.get("translationY", 0) < -100 for event in events), "the finger's way"
    stage.does(lambda: firefox.chromium.drag(300, y=300), "user")
    assert stage.toolbar() == "shown"


def test_wheel_keys_and_scripts_have_their_sources(firefox):
    stage = Stage(firefox, "/article")
    for act in (lambda: firefox.chromium.wheel(300), lambda: firefox.chromium.press(" ")):
        stage.does(act, "user")
    stage.does(lambda: firefox.chromium.press("\ue010"), "user")  # End
    stage.does(lambda: firefox.chromium.evaluate("scrollTo(0, 3000)"), "program")
    stage.does(lambda: firefox.chromium.evaluate("scrollTo({ top: 100, behavior: 'smooth' })"), "program")
    stage.does(lambda: firefox.chromium.evaluate("location.hash = '#p30'; 0"), "program")


def test_scroll_anchoring_is_a_layout(firefox):
    stage = Stage(firefox, "/prepending")
    stage.does(lambda: firefox.chromium.drag(-400), "user")
    stage.does(lambda: firefox.chromium.evaluate("prepend(5); 0"), "layout")
    stage.does(lambda: firefox.chromium.evaluate("prepend(1); 0"), "layout")


def test_scrollctl_scrolls_the_page(firefox, module_workspace):
    stage = Stage(firefox, "/article")

    def ask() -> None:
        result = module_workspace.scrollctl(firefox.daemon, "scroll-to", stage.client, "bottom")
        assert result.returncode == 0, result.stderr

    stage.does(ask, "program")
    assert firefox.chromium.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")


def test_another_page_is_another_session_and_coming_back_a_third(firefox):
    stage = Stage(firefox, "/article")
    Stage(firefox, "/other")
    firefox.chromium.marionette.go_back()
    sessions = until(lambda: len(found := {record["session"] for record in firefox.records(stage.client)}) >= 3 and found, "three sessions")
    assert stage.session in sessions


@pytest.mark.parametrize("name, acts", [
    ("finger", [lambda page: page.drag(-300), lambda page: page.drag(-200), lambda page: page.drag(250, y=300)]),
    ("wheel", [lambda page: page.wheel(400), lambda page: page.wheel(300), lambda page: page.wheel(-300)]),
    ("keys", [lambda page: page.press(" "), lambda page: page.press("\ue010"), lambda page: page.press("\ue011")]),
])
def test_both_recordings_fold_to_the_same_transitions(firefox, module_workspace, name, acts):
    stage = Stage(firefox, "/article")
    page = firefox.chromium
    record(page)
    for act in acts:
        stage.does(lambda act=act: act(page), "user")
    events = [record for record in firefox.settle(stage.client)
              if record["session"] == stage.session and record["kind"] not in ("open", "close", "request", "response")]
    compare(module_workspace, name, events, page.evaluate("recorder.events"))


def compare(workspace, name: str, events: list[dict], own: list[dict]) -> None:
    """Requires that both recordings fold to the same transitions."""
    for event in events:
        event.pop("session"), event.pop("number")
    scenario = Scenario(f"firefox-{name}", "", "", lambda stage: None)
    rows = [[row for row in transitions(workspace, write(workspace.directory / f"{name}.{which}.ndjson", scenario, each))
             if "trigger" in row["changed"]] for which, each in (("extension", events), ("page", own))]
    assert rows[0] == rows[1] and len(rows[0]) >= 2


def record(page, selector: str = "") -> None:
    """Has the page record its own scrolling from now on."""
    text = RECORDER.replace("%SELECTOR%", selector)
    page.evaluate(text + "; dispatchEvent(new Event('load')); new Promise(done => setTimeout(done, 300, 0))")


@pytest.mark.parametrize("pinch", ["pinch", "pinch_on_touchpad"])
def test_a_pinch_is_a_zoom(firefox, pinch):
    stage = Stage(firefox, "/article")
    page = firefox.chromium
    getattr(page, pinch)(3)
    until(lambda: page.evaluate("visualViewport.scale") > 1.3, "the page is zoomed")
    events = [event for event in firefox.settle(stage.client, pause=0.5) if event["session"] == stage.session]
    zooms = [event for event in events if event["kind"].startswith("zoom")]
    assert [zooms[0]["kind"], zooms[-1]["kind"]] == ["zoomBegin", "zoomEnd"]
    assert abs(zooms[-1]["zoomScale"] - page.evaluate("visualViewport.scale")) < 0.01
    assert all(event["kind"] != "scroll" or event.get("source", "user") == "user" for event in events)


def test_an_element_that_scrolls_by_itself_is_recorded_like_the_page_does(firefox, module_workspace):
    stage = Stage(firefox, "/inner")
    page = firefox.chromium
    record(page, "#box")
    for act in (lambda: page.drag(-250, y=350), lambda: page.drag(-150, y=350), lambda: page.drag(200, y=100)):
        act()
        threading.Event().wait(0.8)
    client = stage.client[:-1] + "1"
    events = [event for event in firefox.settle(client, pause=0.5) if event["kind"] not in ("open", "close")]
    assert {event.get("source", "user") for event in events if event["kind"] == "scroll"} == {"user"}, events
    compare(module_workspace, "inner", events, page.evaluate("recorder.events"))
    page.evaluate("document.getElementById('box').scrollTop = 900")
    later = firefox.settle(client, pause=0.5)[len(events) + 1:]
    assert {event.get("source", "user") for event in later if event["kind"] == "scroll"} == {"program"}
    assert not stage.scrolls(), "the document rests"


def test_a_frame_is_a_client_of_its_own(firefox):
    stage = Stage(firefox, "/frames")
    page = firefox.chromium
    stage.does(lambda: page.wheel(300, y=100), "user")
    tab = stage.client.rsplit("/", 2)[0]

    def frames() -> list[str]:
        return [state["client"] for state in firefox.states() if state["client"].startswith(tab + "/") and not state["client"].startswith(tab + "/0/")]

    [frame] = until(frames, "the frame's session")
    page.wheel(200, y=450)
    until(lambda: any(event["kind"] == "scroll" for event in firefox.records(frame)), "the frame scrolls")
    assert {event.get("source", "user") for event in firefox.settle(frame, pause=0.5) if event["kind"] == "scroll"} == {"user"}


def test_another_size_of_the_window_is_a_layout(firefox):
    stage = Stage(firefox, "/flowing")
    page = firefox.chromium
    stage.does(lambda: page.wheel(480), "user")
    before = page.marionette.window_rect
    known = len(firefox.settle(stage.client))
    try:
        page.marionette.set_window_rect(width=before["width"] - 200, height=before["height"] - 100)
        events = until(lambda: (found := firefox.settle(stage.client, pause=0.5)[known:]) and found, "the new sizes")
        assert {"contentHeight", "frameWidth", "frameHeight"} <= {name for event in events if event["kind"] == "layout" for name in event}
        assert {event.get("source") for event in events if event["kind"] == "scroll"} <= {"layout"}
        stage.does(lambda: page.wheel(-240), "user")
    finally:
        page.marionette.set_window_rect(width=before["width"], height=before["height"])


@pytest.mark.parametrize("fault", ["host", "daemon", "event page"])
def test_what_ends_loses_and_repeats_nothing(firefox, fault):
    stage = Stage(firefox, "/loop")
    page = firefox.chromium
    page.evaluate("window.noted = []; document.addEventListener('scroll', () => noted.push(scrollY)); isStopped = false; go(); 0")
    threading.Event().wait(0.7)
    if fault == "host":
        for pid in firefox.hosts(extension.FIREFOX_ID):
            os.kill(pid, signal.SIGKILL)
    elif fault == "daemon":
        firefox.daemon.stop()
        threading.Event().wait(2)
        firefox.daemon.start()
    else:
        page.chrome("WebExtensionPolicy.getByID(arguments[0]).extension.terminateBackground({ ignoreDevToolsAttached: true })", extension.FIREFOX_ID)
    threading.Event().wait(0.7)
    page.evaluate("window.isStopped = true; new Promise(done => setTimeout(done, 200, 0))")
    noted = page.evaluate("noted")
    assert len(noted) > 20, "the page scrolled"

    def stored() -> list[float]:
        return [round(event["y"]) for event in firefox.records(stage.client) if event["session"] == stage.session and event["kind"] == "scroll"]

    until(lambda: len(stored()) >= len(noted), "all events")
    assert stored() == [round(y) for y in noted]


def test_the_browsers_zoom_is_a_layout(firefox):
    stage = Stage(firefox, "/flowing")
    stage.does(lambda: firefox.chromium.wheel(480), "user")
    known = len([record for record in firefox.settle(stage.client) if record["kind"] == "layout"])
    try:
        firefox.chromium.chrome("gBrowser.selectedBrowser.fullZoom = 1.5")
        until(lambda: len([record for record in firefox.records(stage.client) if record["kind"] == "layout"]) > known, "the new sizes")
        events = [record for record in firefox.settle(stage.client, pause=0.6) if record["session"] == stage.session]
        assert not [record for record in events if record["kind"].startswith("zoom")], "no pinch"
        last = max(index for index, record in enumerate(events) if record["kind"] == "layout")
        assert {record.get("source") for record in events[last:] if record["kind"] == "scroll"} <= {"layout"}
    finally:
        firefox.chromium.chrome("gBrowser.selectedBrowser.fullZoom = 1")
    stage.scrolls()
    stage.does(lambda: firefox.chromium.wheel(240), "user")


def test_the_bar_follows_after_back_and_forward(firefox):
    stage = Stage(firefox, "/article")
    Stage(firefox, "/other")
    marionette = firefox.chromium.marionette
    seen = {record["session"] for record in firefox.records(stage.client)}
    for go in (marionette.go_back, marionette.go_forward):
        go()
        seen |= until(lambda: {record["session"] for record in firefox.records(stage.client)} - seen, "another session")
        firefox.chromium.drag(-300)
        until(lambda: stage.toolbar() == "hidden", "the bar hides")
        firefox.chromium.drag(300, y=300)
        until(lambda: stage.toolbar() == "shown", "the bar shows")


def test_the_pages_bar_follows(firefox):
    page = firefox.chromium
    page.go(page.origin + "example.html")
    time_limit = time.monotonic() + 20

    def bar() -> str:
        return page.marionette.execute_script("return document.getElementById('bar').className")

    while bar() != "shown":
        assert time.monotonic() < time_limit, "the bar has its first state"
        threading.Event().wait(0.05)
    page.drag(-300)
    until(lambda: bar() == "hidden", "the bar hides")


def test_a_site_that_is_off_sends_nothing(firefox):
    page = firefox.chromium
    before = {state["client"] for state in firefox.states()}
    page.go(firefox.server.address("/article", host="127.0.0.1"))
    page.drag(-300)
    assert {state["client"] for state in firefox.states()} <= before


def test_the_console_has_no_error_of_the_extensions(firefox):
    messages = firefox.chromium.chrome("return Services.console.getMessageArray().map(message => String(message.message ?? message))")
    assert not [message for message in messages if "moz-extension://" in message and "Error" in message]
