"""What is sent, what is not, and how the user decides."""

import os
import signal

import pytest

from driving.extension import CHROMIUM_ID
from driving.session import Fed
from support.daemon import until


@pytest.fixture(autouse=True)
def clean_console(fed):
    fed.chromium.complaints.clear()
    yield
    assert fed.chromium.complaints == [], "the console"


def stored(fed) -> bytes:
    return b"".join(path.read_bytes() for path in fed.daemon.state_directory.rglob("*") if path.is_file())


def test_no_address_no_text_and_no_title_is_stored(fed):
    page = fed.open("/article?secret=word#p3")
    page.target.drag(-200)
    page.records()
    content = stored(fed)
    assert page.client.encode() in content, "what is stored can be found"
    for secret in (b"localhost", b"secret", b"article", b"Some text"):
        assert secret not in content, f"{secret}"
    page.close()


def test_the_title_is_sent_when_the_option_says_so(fed):
    fed.command("change", "{ values: { title: true } }")
    page = fed.open("/article")
    opening = next(record for record in page.records() if record["kind"] == "open")
    assert opening["title"] == "A secret title"
    fed.command("change", "{ values: { title: false } }")
    page.close()


def test_the_title_is_that_of_the_page_when_the_session_opens(fed):
    fed.command("change", "{ values: { title: true } }")
    page = fed.open("/article")
    page.target.evaluate("history.pushState(null, '', '/other'); document.title = 'Second page'; 0")
    until(lambda: [record["title"] for record in fed.records(page.client) if record["kind"] == "open"] == ["A secret title", "Second page"], "both titles")
    fed.command("change", "{ values: { title: false } }")
    page.close()


def test_other_sites_send_nothing(fed):
    before = {state["client"] for state in fed.states()}
    other = fed.chromium.open(fed.server.address("/article", host="127.0.0.1"), width=390, height=844)
    other.drag(-300)
    other.frames(20)
    page = fed.open("/article")
    assert {state["client"] for state in fed.states()} - before == {page.client}
    for target in (other, page):
        target.close()


def test_the_popup_switches_a_site_off_and_on_by_keyboard(fed):
    page = fed.open("/article")
    popup = fed.popup(page)
    popup.bring_to_front()
    popup.until("document.getElementById('on').checked")
    popup.press("Tab", 9)
    assert popup.evaluate("document.activeElement.id") == "on"
    popup.press(" ", 32, " ")
    until(lambda: page.records()[-1]["kind"] == "close", "the session is closed")
    page.target.bring_to_front()
    page.target.drag(-300)
    assert page.records()[-1]["kind"] == "close", "a site that is off sends nothing"
    popup.bring_to_front()
    popup.until("!document.getElementById('on').checked")
    popup.evaluate("document.getElementById('on').focus()")
    popup.press(" ", 32, " ")
    popup.until("document.getElementById('on').checked")
    popup.close()
    page.close()
    again = fed.open("/article")
    again.target.drag(-300)
    until(lambda: again.state()["toolbar"] == "hidden", "a site that is on again is fed")
    again.close()


def test_a_site_is_forgotten_from_the_popup(fed):
    page = fed.open("/other")
    page.target.drag(-300)
    page.records()
    assert page.client.encode() in stored(fed)
    popup = fed.popup(page)
    popup.until("!document.getElementById('forget').disabled")
    popup.evaluate("document.getElementById('forget').click()")
    text = popup.until("/records/.test(document.getElementById('forgotten').textContent) && document.getElementById('forgotten').textContent")
    assert int(text.split()[2]) > 5, text
    popup.close()
    page.close()


def forget(popup) -> str:
    """Presses the button, and waits for what the popup says."""
    popup.until("!document.getElementById('forget').disabled")
    popup.evaluate("document.getElementById('forget').click()")
    return popup.until("(text => text !== '…' && text)(document.getElementById('forgotten').textContent)")


def test_forgetting_while_the_daemon_is_away_ends_with_a_message_and_no_id_is_lost(fed):
    page = fed.open("/other")
    page.target.drag(-300)
    page.records()
    popup = fed.popup(page)
    fed.daemon.stop()
    popup.until("!document.getElementById('daemon').textContent.startsWith('connected')")
    popup.until("!document.getElementById('forget').disabled")
    popup.evaluate("document.getElementById('forget').click()")
    # Meanwhile, another page of the site opens.
    another = fed.chromium.open(fed.server.address("/article"), width=390, height=844)
    text = popup.until("(text => text !== '…' && text)(document.getElementById('forgotten').textContent)")
    assert text.startswith("not forgotten: connecting to"), text
    known = popup.evaluate("chrome.storage.local.get('sessions')")["sessions"]["http://localhost"]
    fed.daemon.start()
    popup.until("document.getElementById('daemon').textContent.startsWith('connected')")
    clients = until(lambda: len(found := [state for state in fed.states() if state["session"] in known]) >= 2 and found, "both sessions")
    assert {state["session"] for state in clients} <= set(known)
    text = forget(popup)
    assert int(text.split()[0]) == len(known), text
    for each in (popup, another, page):
        each.close()


def test_forgetting_ends_with_a_message_when_the_host_is_killed(fed):
    page = fed.open("/other")
    popup = fed.popup(page)
    popup.until("!document.getElementById('forget').disabled")
    fed.daemon.stop()
    popup.evaluate("document.getElementById('forget').click()")
    for pid in fed.hosts():
        os.kill(pid, signal.SIGKILL)
    text = popup.until("(text => text !== '…' && text)(document.getElementById('forgotten').textContent)")
    assert text.startswith("not forgotten: "), text
    fed.daemon.start()
    popup.until("document.getElementById('daemon').textContent.startsWith('connected')")
    popup.close()
    page.close()


def test_the_sessions_of_the_example_can_be_forgotten(fed):
    example = fed.own_page("example.html")
    example.drag(-300)
    example.until("document.getElementById('bar').className !== ''")
    tab = next(state["client"].split("/")[1] for state in reversed(fed.states()))
    popup = fed.own_page(f"popup.html?tab={tab}")
    popup.until("document.getElementById('site').textContent === 'example'")
    assert popup.evaluate("document.getElementById('on').disabled")
    text = forget(popup)
    assert int(text.split()[0]) >= 1, text
    popup.close()
    example.close()


def test_a_prefix_of_dots_is_refused(fed):
    page = fed.own_page("options.html")
    page.until("document.getElementById('prefix').value")
    for value, is_valid in (("..", False), (".", False), ("a/b", False), ("", False), ("web", True), ("a..b", True)):
        assert page.evaluate(f"(input => {{ input.value = '{value}'; return input.checkValidity(); }})(document.getElementById('prefix'))") is is_valid, value
    page.close()


def test_the_focus_stays_in_the_page_after_a_site_is_switched_off(fed):
    page = fed.own_page("options.html")
    page.until("Boolean(document.querySelector('#sites button'))")
    page.evaluate("document.querySelector('#sites button').focus()")
    page.bring_to_front()
    page.press(" ", 32, " ")
    page.until("!document.querySelector('#sites button')")
    page.until("document.activeElement.id === 'bar'")
    page.close()
    fed.switch(True)


@pytest.mark.parametrize("path", ["popup.html", "options.html"])
def test_the_focus_is_seen_in_light_and_dark(fed, path):
    page = fed.own_page(path)
    page.until("Boolean(document.querySelector('input:not(:disabled), a'))")
    for scheme in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.bring_to_front()
        page.press("Tab", 9)
        colors = page.until("((a, b) => a.matches(':focus-visible') && [getComputedStyle(a).outlineColor, getComputedStyle(b).backgroundColor])(document.activeElement, document.body)")
        ring, ground = (luminance(text) for text in colors)
        contrast = (max(ring, ground) + 0.05) / (min(ring, ground) + 0.05)
        assert contrast >= 3, f"{scheme}: {colors}"
    page.close()


def luminance(color: str) -> float:
    """How bright a color is, as in WCAG."""
    parts = [int(part) / 255 for part in color[color.index("(") + 1:-1].split(",")[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_private_windows_are_not_allowed(fed):
    worker = fed.chromium.worker()
    assert worker.evaluate("chrome.runtime.getManifest().incognito") == "not_allowed"
    assert worker.evaluate("new Promise(done => chrome.extension.isAllowedIncognitoAccess(done))") is False


@pytest.mark.parametrize("path", ["popup.html", "options.html", "example.html"])
def test_the_pages_are_readable_in_light_and_dark_and_have_names_for_all_controls(fed, path):
    page = fed.own_page(path)
    colors = {}
    for scheme in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        colors[scheme] = page.evaluate("(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))")
        bright = [sum(map(int, text[4:-1].split(",")[:3])) / 3 for text in colors[scheme]]
        assert abs(bright[0] - bright[1]) > 150, f"contrast in {scheme}: {colors[scheme]}"
    assert colors["light"] != colors["dark"]
    unnamed = page.evaluate(
        "[...document.querySelectorAll('input, button, a')].filter(e => !(e.textContent.trim() || e.labels?.length || e.ariaLabel)).map(e => e.outerHTML)")
    assert unnamed == []
    unreachable = page.evaluate("[...document.querySelectorAll('[tabindex=\"-1\"], [onclick]')].map(e => e.outerHTML)")
    assert unreachable == []
    page.close()


def test_a_permission_that_the_user_withdraws_in_the_browsers_settings_ends_the_feeding(module_workspace, server):
    fed = Fed.start(module_workspace, server, name="withdrawn")
    try:
        page = fed.open("/article")
        page.target.drag(-300)
        until(lambda: page.state()["toolbar"] == "hidden", "the page is fed")
        settings = fed.chromium.open("chrome://extensions")
        settings.evaluate(f"chrome.developerPrivate.updateExtensionConfiguration({{ extensionId: '{CHROMIUM_ID}', hostAccess: 'ON_CLICK' }})")
        until(lambda: page.records()[-1]["kind"] == "close", "the session is closed")
        page.target.until("document.documentElement.lastElementChild === document.body")  # the bar is gone
        known = {state["session"] for state in fed.states()}
        page.target.bring_to_front()
        page.target.drag(250, y=300)
        page.target.go(server.address("/other"))
        page.target.drag(-300)
        assert page.records()[-1]["kind"] == "close", "nothing more is sent"
        assert {state["session"] for state in fed.states()} <= known, "no new session"
        assert fed.command("settings")["sites"] == {}, "the site is off"
        assert fed.chromium.complaints == [], "the console"
    finally:
        fed.close()
