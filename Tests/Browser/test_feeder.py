"""The feeder alone, as in a web view: what it makes of the native host's answers."""

import pytest

from driving import extension

#: A page's own feeder, whose messages are kept, with a session of 40 events of which two batches were sent.
PREPARED = """
  window.sent = [];
  window.feeder = new ScrollFeeder({ transport: ({ operations }) => sent.push(...operations) });
  feeder.start();
  window.session = feeder.document.session;
  window.answer = (type, rest) => feeder.receive({ type, session: session.id, ...rest });
  window.batch = count => {
    for (let number = 0; number < count; number += 1) session.add({ kind: 'scroll', time: 1, x: 0, y: number });
    feeder.flush();
  };
  batch(19); batch(20); 0"""


@pytest.fixture
def page(fed):
    target = fed.chromium.open(fed.server.address("/article", host="127.0.0.1"), width=390, height=844)
    target.evaluate((extension.SOURCE / "feeder.js").read_text() + ";globalThis.ScrollFeeder = ScrollFeeder; 0")
    target.evaluate(PREPARED)
    yield target
    target.close()


def test_an_answer_that_is_older_than_the_opening_begins_no_session_and_repeats_nothing(page):
    assert page.evaluate("sent.filter(({ op }) => op === 'append').map(({ number }) => number)") == [1, 21]
    before = page.evaluate("session.id")
    # The service worker has ended, the page sends both batches again, and the daemon has them.
    page.evaluate("feeder.detach(); feeder.attach(); answer('opened', { nextNumber: 41 }); batch(5); sent.length = 0; 0")
    page.evaluate("answer('stored', { nextNumber: 21 }); answer('stored', { nextNumber: 41 }); feeder.flush(); 0")
    assert page.evaluate("session.id") == before
    assert page.evaluate("sent") == []
    assert page.evaluate("[session.confirmed, session.sent.map(({ number }) => number)]") == [41, [41]]


def test_an_opening_that_knows_less_than_was_stored_begins_a_session(page):
    before = page.evaluate("session.id")
    page.evaluate("answer('stored', { nextNumber: 41 }); answer('opened', { nextNumber: 21 }); 0")
    assert page.evaluate("session.id") != before, "the daemon has lost events"


def test_a_session_that_is_invalid_twice_is_given_up_and_counted(page):
    page.evaluate("answer('ended', { reason: 'invalid: title' }); feeder.flush(); 0")
    assert page.evaluate("[session.isOver, feeder.dropped]") == [False, 40]
    page.evaluate("batch(3); answer('ended', { reason: 'invalid: title' }); sent.length = 0; batch(2); feeder.attach(); 0")
    assert page.evaluate("[session.isOver, sent.length, session.queue.length]") == [True, 0, 0]
    assert page.evaluate("feeder.dropped") == 46, "the new session's layout and three scrolls, and two since"


def test_one_invalid_batch_among_good_ones_does_not_end_the_feeding(page):
    for _ in range(3):
        page.evaluate("answer('ended', { reason: 'invalid: x' }); batch(2); answer('stored', { nextNumber: 3 }); 0")
    assert page.evaluate("session.isOver") is False
