"""What people, pages and browsers do, as the driver makes them do it. Each scenario tells the recorder the cause of each step."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Callable

from .chromium import Target


@dataclass
class Stage:
    """A page under a scenario's hands."""

    target: Target
    own_page: Callable[[str], Target]
    scroll_to: Callable[..., None]
    #: The steps so far: who moved the page, and when by its clock, in microseconds.
    phases: list[tuple[str, float, float]] = field(default_factory=list)

    def now(self) -> float:
        return self.target.evaluate("(performance.timeOrigin + performance.now()) * 1000")

    @contextmanager
    def cause(self, name: str, rest: float = 0.36):
        """A step whose scroll events have one cause. It ends when the page has stopped."""
        self.target.evaluate(f"recorder.cause = '{name}'")
        begun = self.now()
        yield
        self.rest(rest)
        self.phases.append((name, begun, self.now()))

    def rest(self, seconds: float = 0.36) -> None:
        """Waits until nothing has scrolled for a while."""
        self.target.evaluate(
            "new Promise(done => { let seen = -1, since = performance.now(); const look = () => {"
            f"const count = recorder.events.length; if (count !== seen) since = performance.now(); seen = count;"
            f"performance.now() - since > {seconds * 1000} ? done() : setTimeout(look, 20) }}; look() }})")

    def script(self, text: str) -> None:
        self.target.evaluate(f"(() => {{ {text} }})()")


@dataclass
class Scenario:
    """A name, what it shows, the page, and what happens there."""

    name: str
    shows: str
    path: str
    act: Callable[[Stage], None]
    #: The element whose recording it is; by default the document.
    selector: str = ""
    width: int = 390
    height: int = 844
    mobile: bool = True


SCENARIOS: list[Scenario] = []


def scenario(shows: str, path: str = "/article", **options):
    def add(act: Callable[[Stage], None]) -> Callable[[Stage], None]:
        SCENARIOS.append(Scenario(act.__name__.replace("_", "-"), shows, path, act, **options))
        return act

    return add


END = ("End", 35)
HOME = ("Home", 36)
SPACE = (" ", 32, " ")
PAGE_DOWN = ("PageDown", 34)
PAGE_UP = ("PageUp", 33)
DOWN = ("ArrowDown", 40)
UP = ("ArrowUp", 38)


@scenario("a finger drags down the page, and up again")
def touch_read(stage):
    for distance in (-300, -300, 250):
        with stage.cause("user"):
            stage.target.drag(distance, y=500 if distance < 0 else 300)


@scenario("flings, whose momentum is the user's as well")
def touch_fling(stage):
    for _ in range(2):
        with stage.cause("user"):
            stage.target.drag(-500, y=700, steps=5, pause=0.004)


@scenario("a second pull at the bottom, where nothing moves any more")
def touch_pull_at_the_bottom(stage):
    with stage.cause("user"):
        stage.target.drag(-300)
    with stage.cause("program"):
        stage.script("scrollTo(0, 1e6)")
    for _ in range(2):
        with stage.cause("user"):
            stage.target.drag(-250)


@scenario("a wheel scrolls down, and up again")
def wheel_read(stage):
    for distance in (120, 120, 240, -120, -240):
        with stage.cause("user"):
            stage.target.wheel(distance)


@scenario("a wheel turns on at the bottom", "/short", height=300)
def wheel_push_at_the_bottom(stage):
    for distance in (240, 240, 60, 60):
        with stage.cause("user"):
            stage.target.wheel(distance, y=100)


@scenario("two fingers zoom in and out, and one finger scrolls in between")
def pinch(stage):
    with stage.cause("user"):
        stage.target.drag(-300)
    with stage.cause("user"):
        stage.target.pinch(1.8)
    with stage.cause("user"):
        stage.target.drag(-200)
    with stage.cause("user"):
        stage.target.pinch(0.4)


@scenario("Space, as one pages through an article", mobile=False)
def keyboard_space(stage):
    for _ in range(4):
        with stage.cause("user"):
            stage.target.press(*SPACE)


@scenario("End and Home", mobile=False)
def keyboard_ends(stage):
    for key in (END, HOME, END):
        with stage.cause("user"):
            stage.target.press(*key)


@scenario("Page Down, Page Up and the arrows", mobile=False)
def keyboard_pages(stage):
    for key in (PAGE_DOWN, PAGE_DOWN, PAGE_UP, DOWN, DOWN, DOWN, UP, UP):
        with stage.cause("user"):
            stage.target.press(*key)


@scenario("a link to a place in the page, which is the page's doing", mobile=False)
def anchor_link(stage):
    with stage.cause("program"):
        stage.target.click(20, 20)
    with stage.cause("user"):
        stage.target.wheel(240)
    with stage.cause("program"):
        stage.script("location.hash = '#p5'")


@scenario("scripts that jump and glide")
def script_jumps(stage):
    for text in ("scrollTo(0, 2000)", "scrollTo({ top: 500, behavior: 'smooth' })", "scrollBy(0, 30)", "document.getElementById('p20').scrollIntoView()"):
        with stage.cause("program"):
            stage.script(text)


@scenario("a person and a script in turn, each soon after the other")
def script_after_wheel(stage):
    for _ in range(4):
        with stage.cause("user", rest=0.15):
            stage.target.wheel(240)
        with stage.cause("program", rest=0.15):
            stage.script("scrollBy(0, -60)")


@scenario("a script jumps right after a fling")
def script_after_fling(stage):
    for _ in range(2):
        with stage.cause("user", rest=0.3):
            stage.target.drag(-400, y=600, steps=6, pause=0.006)
        with stage.cause("program", rest=0.3):
            stage.script("scrollTo(0, 4000)")


@scenario("items are put above while nobody scrolls, and scroll anchoring keeps the place", "/prepending")
def anchoring(stage):
    with stage.cause("user"):
        stage.target.drag(-400, y=600)
    for count in (3, 10, 1):
        with stage.cause("layout"):
            stage.script(f"prepend({count})")
    with stage.cause("user"):
        stage.target.drag(-300)
    with stage.cause("layout"):
        stage.script("for (let i = 0; i < 5; i++) document.getElementById('list').firstChild.remove()")


@scenario("a list grows at its end while it is read", "/endless")
def endless_list(stage):
    for _ in range(4):
        with stage.cause("user"):
            stage.target.drag(-600, y=750, steps=6, pause=0.006)


@scenario("a sticky header collapses while the content is read", "/collapsing")
def collapsing_header(stage):
    with stage.cause("user"):
        stage.target.drag(-500, y=600)
    with stage.cause("layout"):
        stage.script("collapse(true)")
    with stage.cause("user"):
        stage.target.drag(300, y=300)
    with stage.cause("layout"):
        stage.script("collapse(false)")


@scenario("content becomes shorter than the offset", "/prepending")
def shrinking(stage):
    with stage.cause("program"):
        stage.script("scrollTo(0, 1e6)")
    with stage.cause("layout"):
        stage.script("for (let i = 0; i < 20; i++) document.getElementById('list').lastChild.remove()")
    with stage.cause("user"):
        stage.target.drag(300, y=300)


@scenario("the document around a frame that a wheel scrolls to its end first", "/frames", mobile=False)
def frame_chaining(stage):
    with stage.cause("user"):
        stage.target.wheel(400, y=300)
    with stage.cause("user"):
        stage.target.wheel(100, y=500)
    stage.script("document.getElementById('frame').contentWindow.scrollTo(0, 1e6)")
    with stage.cause("user"):
        stage.target.wheel(200, y=500)


@scenario("an element that scrolls by itself", "/inner", selector="#box")
def inner_scroller(stage):
    for distance in (-250, -150, 200):
        with stage.cause("user"):
            stage.target.drag(distance, y=350 if distance < 0 else 100)
    with stage.cause("program"):
        stage.script("document.getElementById('box').scrollTop = 900")


@scenario("the document below an element that scrolls by itself", "/inner", mobile=False)
def beside_an_inner_scroller(stage):
    with stage.cause("user"):
        stage.target.wheel(240, y=600)
    with stage.cause("program"):
        stage.script("scrollTo(0, 0)")
    with stage.cause("user"):
        stage.target.wheel(300, y=700)


@scenario("the device is turned, and the text wraps at other places", "/flowing")
def rotation(stage):
    with stage.cause("user"):
        stage.target.drag(-500, y=700)
    with stage.cause("layout"):
        stage.target.resize(844, 390)
    with stage.cause("user"):
        stage.target.drag(-150, y=300)
    with stage.cause("layout"):
        stage.target.resize(390, 844)


@scenario("the browser's zoom, which is another layout", "/flowing", mobile=False)
def browser_zoom(stage):
    with stage.cause("user"):
        stage.target.wheel(480)
    page = stage.own_page("options.html")
    for factor in (1.5, 1):
        with stage.cause("layout"):
            page.evaluate(
                "chrome.tabs.query({}).then(tabs => Promise.all(tabs.filter(tab => tab.url?.startsWith('http'))"
                f".map(tab => chrome.tabs.setZoom(tab.id, {factor}))))")
        stage.target.bring_to_front()
    page.close()
    with stage.cause("user"):
        stage.target.wheel(240)


@scenario("scrollctl asks for the bottom, a place and the top")
def scroll_requests(stage):
    with stage.cause("user"):
        stage.target.drag(-300)
    for target in ("bottom", "0,1200", "top"):
        with stage.cause("program"):
            stage.scroll_to(target)
