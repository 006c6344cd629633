"""Who scrolled, when the page is busy and when it makes that hard to see."""

import threading

import pytest

from support.daemon import until

#: How long the page stalls, in milliseconds: longer than a scroll may pause.
STALL = 400


@pytest.fixture
def page(fed):
    page = fed.open("/article")
    page.target.frames(30)
    yield page
    page.close()


def stall(page, event: str, times: int) -> None:
    """Has the page do nothing else for a while at each of the next events of a kind."""
    page.target.evaluate(f"""(() => {{
      let left = {times};
      addEventListener('{event}', () => {{
        if (left-- <= 0) return;
        const end = performance.now() + {STALL};
        while (performance.now() < end);
      }}, {{ capture: true, passive: true }});
    }})()""")


def sources(page, act) -> list[str]:
    """Acts, and waits until the page has stopped; returns the sources of the scroll events since."""
    before = sum(record["kind"] == "scroll" for record in page.fed.records(page.client))
    act()
    until(lambda: sum(record["kind"] == "scroll" for record in page.fed.records(page.client)) > before, "the page scrolls")
    events = [record for record in page.fed.settle(page.client, pause=0.6) if record["kind"] == "scroll"]
    return [event.get("source", "user") for event in events[before:]]


def fling(page, **options) -> None:
    page.target.drag(-400, y=700, steps=6, pause=0.004, **options)


@pytest.mark.parametrize("event, times", [("touchend", 1), pytest.param("scroll", 4, marks=pytest.mark.long)])
def test_a_fling_in_a_page_that_stalls_is_the_users(page, event, times):
    stall(page, event, times)
    assert set(sources(page, lambda: fling(page))) == {"user"}
    # Nor is the next one ended by what the page hears of the first.
    assert set(sources(page, lambda: fling(page))) == {"user"}
    assert set(sources(page, lambda: page.target.evaluate("scrollBy(0, 50)"))) == {"program"}


@pytest.mark.parametrize("event", ["wheel", pytest.param("scroll", marks=pytest.mark.long)])
def test_a_wheel_in_a_page_that_stalls_is_the_users(page, event):
    stall(page, event, 2)
    assert set(sources(page, lambda: page.target.wheel(300))) == {"user"}
    assert set(sources(page, lambda: page.target.evaluate("scrollBy(0, -50)"))) == {"program"}


@pytest.mark.long
def test_a_fling_outlasts_the_end_of_another_scroll(page):
    page.target.evaluate("""
      const box = document.body.appendChild(document.createElement('div'));
      box.style.cssText = 'position: fixed; top: 0; left: 200px; width: 100px; height: 50px; overflow: auto';
      box.innerHTML = '<div style="height: 900px"></div>';
      addEventListener('touchend', () => { const timer = setInterval(() => { box.scrollTop += 5 }, 50); setTimeout(() => clearInterval(timer), 600) }); 0""")
    assert set(sources(page, lambda: fling(page))) == {"user"}


@pytest.mark.long
def test_a_fling_after_a_finger_that_trembled_is_the_users(page):
    def tremble() -> None:
        target = page.target
        target.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": 100, "y": 700}])
        for y in (640, 580, 500, 420, 340, 340.6):
            target.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": 100, "y": y}])
            threading.Event().wait(0.008)
        target.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    assert set(sources(page, tremble)) == {"user"}


@pytest.mark.long
def test_a_list_that_removes_what_was_touched_is_still_scrolled_by_the_user(fed):
    page = fed.open("/inner")
    page.target.frames(30)
    page.target.evaluate("""
      const list = document.getElementById('box');
      list.addEventListener('touchmove', ({ target }) => target.remove(), { once: true, passive: true }); 0""")
    client = page.client.removesuffix("/0") + "/1"
    page.target.drag(-300, y=350, steps=10, pause=0.01)
    until(lambda: len([record for record in fed.records(client) if record["kind"] == "scroll"]) > 3, "the list scrolls")
    scrolls = [record for record in fed.settle(client, pause=0.6) if record["kind"] == "scroll"]
    assert {record.get("source", "user") for record in scrolls} - {"layout"} == {"user"}, scrolls
    page.close()


@pytest.mark.parametrize("act, script", [
    (lambda target: target.wheel(240), "scrollBy(0, 60)"),
    (lambda target: target.press("ArrowDown", 40), "scrollBy(0, 100)"),
    (lambda target: target.press(" ", 32, " "), "scrollBy(0, 50)"),
], ids=["wheel", "arrow", "space"])
def test_a_script_that_goes_on_where_the_wheel_or_a_key_stopped_is_the_program(page, act, script):
    for _ in range(2):
        before = sum(record["kind"] == "scroll" for record in page.fed.records(page.client))
        act(page.target)
        page.target.evaluate("new Promise(done => { let last = -1; const look = () => { if (scrollY === last) done(); last = scrollY; setTimeout(look, 80) }; look() })")
        page.target.evaluate(f"{script}; 0")
        events = [record for record in page.fed.settle(page.client, pause=0.6) if record["kind"] == "scroll"][before:]
        assert [event.get("source", "user") for event in events[-1:]] == ["program"], events
        assert {event.get("source", "user") for event in events[:-1]} == {"user"}, events


def test_a_script_that_scrolls_while_a_finger_rests_is_the_program(page):
    page.target.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": 100, "y": 500}])
    threading.Event().wait(0.4)
    for _ in range(3):
        assert set(sources(page, lambda: page.target.evaluate("scrollBy(0, 80)"))) == {"program"}
    page.target.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


def test_a_script_that_scrolls_while_the_mouse_is_held_in_the_page_is_the_program(page):
    held = {"x": 200, "y": 300, "button": "left", "clickCount": 1}
    page.target.call("Input.dispatchMouseEvent", type="mousePressed", buttons=1, **held)
    for _ in range(2):
        assert set(sources(page, lambda: page.target.evaluate("scrollBy(0, 90)"))) == {"program"}
    page.target.call("Input.dispatchMouseEvent", type="mouseReleased", **held)


def test_a_wheel_soon_after_a_resize_is_the_users(fed):
    page = fed.open("/flowing", mobile=False)
    page.target.wheel(480)
    page.records()
    for width, height in ((700, 600), (390, 844)):
        page.target.resize(width, height, mobile=False)
        threading.Event().wait(0.08)
        assert set(sources(page, lambda: page.target.wheel(240))) == {"user"}
    page.close()
