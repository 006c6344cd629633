"""What goes wrong between a page and the daemon, and pages that mean harm."""

import json
import os
import signal
import socket
import threading
import time

import pytest

from driving import extension
from driving.session import Fed
from support import programs
from support.daemon import until


@pytest.fixture(autouse=True)
def clean_console(fed):
    """Requires that nothing complains on any console."""
    fed.chromium.complaints.clear()
    yield
    assert fed.chromium.complaints == [], "the console"


def begin_loop(page) -> None:
    page.count_scrolls()
    page.target.evaluate("isStopped = false; go()")


def end_loop(page) -> None:
    page.target.evaluate("window.isStopped = true")
    page.target.frames(5)


def pause(seconds: float) -> None:
    """Lets the page scroll on."""
    threading.Event().wait(seconds)


def assert_complete(page) -> None:
    """The log has each scroll of the page once, in order, with numbers without a gap."""
    noted = page.noted()
    assert len(noted) > 20, "the page scrolled"
    until(lambda: len([record for record in page.fed.records(page.client) if record["kind"] == "scroll"]) >= len(noted), "all events")
    records = page.records()
    assert [record["y"] for record in records if record["kind"] == "scroll"] == noted
    for session in {record["session"] for record in records}:
        numbers = [record["number"] for record in records if record["session"] == session and record["number"] is not None]
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_killed_host_loses_and_repeats_nothing(fed):
    page = fed.open("/loop")
    begin_loop(page)
    for _ in range(2):
        pause(0.7)
        before = fed.hosts()
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        until(lambda: (found := fed.hosts()) and not set(found) & set(before), "another host")
    pause(0.5)
    end_loop(page)
    assert_complete(page)
    page.close()


#: How long the daemon is away, in seconds. A page keeps more than a minute of scrolling.
AWAY = float(os.environ.get("SCROLLD_AWAY", 4))


@pytest.mark.timeout(90 + 2 * AWAY)
def test_nothing_is_lost_while_the_daemon_is_away_and_pages_that_close_meanwhile_are_complete(fed):
    page, other = fed.open("/loop"), fed.open("/loop")
    begin_loop(page)
    begin_loop(other)
    pause(0.3)
    fed.daemon.stop()
    pause(AWAY)
    end_loop(other)
    noted = other.noted()
    other.close()
    pause(1)
    fed.daemon.start()
    pause(0.5)
    end_loop(page)
    assert_complete(page)
    until(lambda: other.offsets() == noted, "the events of the page that was closed")
    assert other.records()[-1]["kind"] == "close"
    page.close()


def test_a_service_worker_that_ends_loses_and_repeats_nothing(fed):
    page = fed.open("/loop")
    begin_loop(page)
    for _ in range(2):
        pause(0.7)
        worker = fed.chromium.worker()
        fed.chromium.call("Target.closeTarget", targetId=worker.identifier)
    pause(0.7)
    end_loop(page)
    assert_complete(page)
    page.close()


def test_tabs_keep_their_sessions_when_the_worker_ends(fed):
    pages = [fed.open("/loop", in_window=True) for _ in range(6)]
    for page in pages:
        begin_loop(page)
    pause(1)
    fed.chromium.call("Target.closeTarget", targetId=fed.chromium.worker().identifier)
    pause(1.5)
    for page in pages:
        end_loop(page)
    for page in pages:
        assert_complete(page)
        assert len({record["session"] for record in page.records()}) == 1, "no answer is taken for a loss"
        page.close()


def close_while_away(fed, count: int, seconds: float) -> dict[str, list[float]]:
    """Stops the daemon and closes pages that scroll; returns the offsets that each has had, by client."""
    pages = [fed.open("/loop", in_window=True) for _ in range(count)]
    for page in pages:
        begin_loop(page)
    pause(0.3)
    fed.daemon.stop()
    pause(seconds)
    noted = {}
    for page in pages:
        end_loop(page)
        noted[page.client] = page.noted()
    for page in pages:
        page.close()
    pause(1)
    return noted


def given_up(fed) -> int:
    return fed.command("status", f"{{ tab: 1, url: '{fed.server.address('/')}' }}")["dropped"]


def test_pages_that_close_while_the_daemon_is_away_are_complete_though_the_host_is_killed(fed):
    before = given_up(fed)
    noted = close_while_away(fed, 3, AWAY)
    for pid in fed.hosts():
        os.kill(pid, signal.SIGKILL)
    pause(0.5)
    fed.daemon.start()
    for client, offsets in noted.items():
        until(lambda: fed.records(client)[-1]["kind"] == "close", "the session is closed")
        assert [record["y"] for record in fed.records(client) if record["kind"] == "scroll"] == offsets
    assert given_up(fed) == before


@pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "counted"])
def test_what_an_ended_worker_had_of_closed_pages_is_complete_unless_the_browser_ends_too(fed, is_kept):
    before = given_up(fed)
    noted = close_while_away(fed, 2, 2)
    worker = fed.chromium.worker()
    if not is_kept:  # The browser keeps it until it ends.
        worker.evaluate("chrome.storage.session.clear()")
    fed.chromium.call("Target.closeTarget", targetId=worker.identifier)
    # Otherwise its host may still deliver what it has.
    for pid in fed.hosts():
        os.kill(pid, signal.SIGKILL)
    fed.daemon.start()
    another = fed.open("/other")
    for client in noted:
        until(lambda: fed.records(client)[-1]["kind"] == "close", "the session is closed")
    stored = {client: [record["y"] for record in fed.records(client) if record["kind"] == "scroll"] for client in noted}
    if is_kept:
        assert stored == noted
        assert given_up(fed) == before
    else:
        lost = sum(map(len, noted.values())) - sum(map(len, stored.values()))
        # Each of them has its end, too.
        until(lambda: given_up(fed) - before >= lost > 0, "the popup's number")
        assert given_up(fed) - before <= 2 * lost + 10
    another.close()


def test_a_title_of_half_a_character_or_of_any_length_stops_nothing(fed):
    fed.command("change", "{ values: { title: true } }")
    page, other = fed.open("/article"), fed.open("/article")
    hosts, before = fed.hosts(), given_up(fed)
    page.target.bring_to_front()
    for title in ("\\ud800", "x\\udc00".rjust(5000, "x"), "\\u20ac".ljust(30000, "y"), "a\\0b"):
        known = {record["session"] for record in page.records()}
        page.target.evaluate(f"document.title = '{title}'; history.pushState(null, '', '/other?{len(known)}'); 0")
        page.target.drag(-100)
        new = until(lambda: {record["session"] for record in fed.records(page.client)} - known, "the next session")
        assert len(new) == 1
    opened = [record.get("title", "") for record in page.records() if record["kind"] == "open"]
    assert opened[1] == "\ufffd" and [len(title) for title in opened[2:4]] == [1365, 1365], opened[1:]
    seen = len(other.records())
    other.target.bring_to_front()
    other.target.drag(-200)
    assert len(other.records()) > seen, "another tab is fed"
    assert (fed.hosts(), given_up(fed)) == (hosts, before)
    fed.command("change", "{ values: { title: false } }")
    page.close()
    other.close()


@pytest.mark.timeout(180)
def test_fifty_tabs_that_scroll_at_once_are_complete(fed):
    known = {state["client"] for state in fed.states()}
    # A tab behind another one has no frames, so each has a window.
    targets = [fed.chromium.open(fed.server.address("/loop"), in_window=True) for _ in range(50)]
    clients = until(lambda: len(new := {state["client"] for state in fed.states()} - known) == 50 and new, "fifty sessions")
    for target in targets:
        target.evaluate("window.noted = []; document.addEventListener('scroll', () => noted.push(scrollY));"
                        "window.timer = setInterval(() => scrollBy(0, 9), 16); 0")
    pause(2)
    for target in targets:
        target.evaluate("clearInterval(timer)")
    pause(1)
    noted = sorted(target.evaluate("noted") for target in targets)

    def stored() -> list[list[float]]:
        return sorted([record["y"] for record in fed.records(client) if record["kind"] == "scroll"] for client in clients)

    until(lambda: stored() == noted, "all events of all tabs")
    for target in targets:
        target.close()
    total = sum(map(len, noted))
    print(f"{total} scrolls in fifty tabs")
    assert total > 200, "the tabs scrolled"


def test_of_two_hundred_scroll_views_some_are_fed_and_the_others_counted(fed):
    page = fed.open("/nested")
    for _ in range(20):
        page.target.evaluate("shake()")
        page.target.frames(1)
    clients = until(lambda: (found := [state for state in fed.states() if state["client"].startswith(page.client[:-1])]) and len(found) >= 8 and found,
                    "eight sessions")
    assert len(clients) == 8
    popup = fed.popup(page)
    text = popup.until("document.getElementById('dropped').textContent.includes('further') && document.getElementById('dropped').textContent")
    # The document doesn't scroll.
    assert int(text.split()[3]) == 200 + 1 - 8, text
    popup.close()
    page.close()


def test_a_hostile_page_changes_nothing(fed):
    page = fed.open("/hostile")
    page.records()
    before = {state["client"] for state in fed.states()}
    page.target.evaluate("attack()")
    page.target.frames(5)
    assert {state["client"] for state in fed.states()} == before, "clients"
    assert [record["kind"] for record in page.records()] == ["open", "layout"], "events"
    page.target.drag(-200)
    until(lambda: page.state()["toolbar"] == "hidden", "the bar hides")
    page.target.evaluate("document.forms[0].querySelector('p').parentNode.scrollTo(0, 300)")
    inner = until(lambda: [state for state in fed.states() if state["client"] == page.client[:-1] + "1"], "the form's session")
    assert inner[0]["client"].count("/") == 3
    assert page.state()["y"] > 100
    page.close()


def test_a_missing_socket_is_reported_and_found_later(module_workspace, server):
    fed = Fed.start(module_workspace, server, name="late")
    path = fed.daemon.socket_path
    try:
        page = fed.open("/article")
        fed.daemon.stop()
        popup = fed.popup(page)
        popup.until(f"document.getElementById('daemon').textContent.includes('connecting to unix:{path}')")
        page.target.bring_to_front()
        page.target.drag(-200)
        popup.bring_to_front()
        # Somebody else's daemon, which denies everything.
        path.unlink(missing_ok=True)
        denying = socket.socket(socket.AF_UNIX)
        denying.bind(str(path))
        denying.listen()
        connections: list[socket.socket] = []
        threading.Thread(target=deny, args=[denying, connections], daemon=True).start()
        popup.until("document.getElementById('daemon').textContent.includes('PermissionDenied')")
        path.unlink()
        for each in (denying, *connections):
            each.shutdown(socket.SHUT_RDWR)
            each.close()
        fed.daemon.start()
        popup.until("document.getElementById('daemon').textContent.startsWith('connected')")
        until(lambda: page.state()["toolbar"] == "hidden", "the events that waited")
        assert fed.chromium.complaints == [], "the console"
    finally:
        fed.close()


def test_denied_permissions_are_reported_and_the_events_wait(module_workspace, server):
    fed = Fed.start(module_workspace, server, name="denied")
    try:
        directory = module_workspace.directory / "denied-chromium/NativeMessagingHosts"
        path = extension.install_host(directory, "chromium")
        manifest = json.loads(path.read_text())
        path.write_text(json.dumps({**manifest, "allowed_origins": [f"chrome-extension://{'a' * 32}/"]}))
        target = fed.chromium.open(server.address("/article"), width=390, height=844)
        target.drag(-200)
        popup = fed.own_page("popup.html")
        popup.until("document.getElementById('daemon').textContent.includes('forbidden')")
        # Root may use every socket, so the host is another user's.
        socket_path = fed.daemon.socket_path
        socket_path.chmod(0)
        host = programs.path("scroll-native-host")
        if os.getuid() == 0:
            other = module_workspace.directory / "host-of-nobody"
            other.write_text(f'#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups "{host}" "$@"\n')
            other.chmod(0o755)
            host = other
        extension.install_host(directory, "chromium", host)
        popup.until(f"(text => text.includes('{socket_path}') && text.includes('Permission denied'))(document.getElementById('daemon').textContent)", patience=40)
        print(popup.evaluate("document.getElementById('daemon').textContent"))
        socket_path.chmod(0o666)
        popup.until("document.getElementById('daemon').textContent.startsWith('connected')")
        until(lambda: any(state["toolbar"] == "hidden" for state in fed.states()), "the events that waited")
        assert fed.chromium.complaints == [], "the console"
    finally:
        fed.close()


def deny(listener: socket.socket, connections: list[socket.socket]) -> None:
    """Answers every call with PermissionDenied, until the sockets are shut down."""

    def answer(connection: socket.socket) -> None:
        try:
            while data := connection.recv(65536):
                connection.sendall(b'{"error":"org.varlink.service.PermissionDenied"}\0' * data.count(b"\0"))
        except OSError:  # the test is over
            pass

    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        connections.append(connection)
        threading.Thread(target=answer, args=[connection], daemon=True).start()
