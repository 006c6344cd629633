"""What is sent, what is not, and how the user decides."""

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
