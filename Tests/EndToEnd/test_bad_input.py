"""Bad input: the error names index or line, field and reason, and nothing is stored."""

import json
import os

from support.daemon import Daemon
from support.recordings import Feeder, recordings
from support.repository import REPOSITORY
from support.wire import Ended
from support.workspace import Workspace

APPEND = "org.scrolld.Recorder.Append"
OPEN = "org.scrolld.Recorder.Open"

GOOD = {
    "layout": {"contentWidth": 390, "contentHeight": 2000, "frameWidth": 390, "frameHeight": 844},
    "dragBegin": {"x": 0, "y": 0}, "scroll": {"x": 0, "y": 0}, "dragEnd": {"x": 0, "y": 0},
    "scrollEnd": {"x": 0, "y": 0}, "zoomBegin": {}, "zoom": {"zoomScale": 1}, "zoomEnd": {},
}
SIZES = ("contentWidth", "contentHeight", "frameWidth", "frameHeight")
SCALES = ("minimumZoomScale", "maximumZoomScale")


def event(kind: str, **fields) -> dict:
    return {"kind": kind, "time": 1_700_000_000_000_000, **GOOD.get(kind, {"x": 0, "y": 0}), **fields}


def without(event: dict, *names: str) -> dict:
    return {name: value for name, value in event.items() if name not in names}


def bad_events() -> list[tuple[dict, str]]:
    """Every kind of bad event, and the field that the error must name."""
    scroll = event("scroll")
    bad = [
        # Kinds.
        (event("fling"), "kind"), (event("Scroll"), "kind"), (event(""), "kind"), (event("scroll\0"), "kind"),
        (without(scroll, "kind"), "kind"), ({**scroll, "kind": 1}, "kind"), ({**scroll, "kind": None}, "kind"),
        # Times.
        (without(scroll, "time"), "time"), ({**scroll, "time": -1}, "time"), ({**scroll, "time": 2**53 + 1}, "time"),
        ({**scroll, "time": 1.5}, "time"), ({**scroll, "time": "1"}, "time"), ({**scroll, "time": None}, "time"),
        # Sources and flags.
        (event("scroll", source="me"), "source"), (event("scroll", source=1), "source"),
        (event("dragEnd", willDecelerate="yes"), "willDecelerate"), (event("dragEnd", willDecelerate=1), "willDecelerate"),
        (event("layout", rightToLeft=0), "rightToLeft"),
        # Unknown fields, and fields of other kinds.
        (event("scroll", z=0), "z"), (event("layout", X=0), "X"), (event("scroll", contentWidth=1), "contentWidth"),
        (event("layout", translationY=1), "translationY"), (event("scroll", zoomScale=1), "zoomScale"),
        (event("dragBegin", source="user"), "source"), (event("zoom", translationX=1), "translationX"),
        # Numbers.
        (event("zoom", zoomScale=0), "zoomScale"), (event("zoom", zoomScale=-1), "zoomScale"),
        (event("zoomEnd", zoomScale=0), "zoomScale"), (without(event("zoom"), "zoomScale"), "zoomScale"),
    ]
    for kind in ("scroll", "dragBegin", "dragEnd", "scrollEnd"):
        for name in ("x", "y"):
            bad.append((without(event(kind), name), name))
            bad.append((event(kind, **{name: None}), name))
            bad.append((event(kind, **{name: "0"}), name))
            bad.append((event(kind, **{name: [0]}), name))
            bad.append((event(kind, **{name: True}), name))
    for name in ("translationX", "translationY"):
        bad.append((event("scroll", **{name: "0"}), name))
    for name in SIZES + SCALES + ("insetTop", "insetLeft", "insetBottom", "insetRight"):
        bad.append((event("layout", **{name: "1"}), name))
    for name in SIZES:
        bad.append((event("layout", **{name: -0.5}), name))
    for name in SCALES:
        bad.append((event("layout", **{name: 0}), name))
        bad.append((event("layout", **{name: -1}), name))
    return bad


#: Lines of a recording that are not events.
AROUND_EVENTS = [
    {"kind": "open", "time": 1, "client": "a"}, {"kind": "close", "time": 1},
    {"kind": "request", "time": 1, "target": "top"}, {"kind": "response", "time": 1, "request": 1, "done": True},
]

#: Numbers that JSON lacks, or that are too large for a 64-bit float.
NO_NUMBERS = ["NaN", "Infinity", "-Infinity", "nan", "1e400", "-1e400", "1e999999999999"]


def test_a_bad_event_is_refused_with_index_field_and_reason_and_nothing_is_stored(daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "bad")
    good = event("scroll")
    feeder.feed([good])
    for bad, field in bad_events() + [(line, "kind") for line in AROUND_EVENTS]:
        for index, total in ((0, 1), (0, 3), (2, 3), (4095, 4096)):
            events = [good] * total
            events[index] = bad
            refused = feeder.wire.refusal(APPEND, session=feeder.session, number=feeder.next_number, events=events)
            assert (
                (refused.name, refused.parameters["index"], refused.parameters["field"])
                == ("org.scrolld.Recorder.InvalidEvent", index, field)
            ), f"refusal of {bad} at {index}"
            assert refused.parameters["reason"], "no reason"
            assert set(refused.parameters) == {"index", "field", "reason"}, "members of InvalidEvent"
            if total == 4096:
                break
        # The daemon still expects the same number, and gives it the next position.
        feeder.feed([good])
    for no_event in (1, "scroll", None, [], True):
        refused = feeder.wire.refusal(APPEND, session=feeder.session, events=[good, no_event])
        assert (refused.short_name, refused.parameters["index"]) == ("InvalidEvent", 1), f"refusal of {no_event}"
    feeder.feed([good])
    last = feeder.next_number - 1
    assert feeder.positions == {number: number + 1 for number in range(1, last + 1)}, "positions of what was stored"
    assert daemon.statistics()["lastPosition"] == last + 1, "the last position"


def test_numbers_that_json_lacks_are_refused(daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "numbers")
    for text in NO_NUMBERS:
        wire = daemon.connect()
        data = json.dumps({"method": APPEND, "parameters": {
            "session": feeder.session, "events": [event("scroll"), event("scroll", y="NUMBER")]}})
        wire.send_raw(data.replace('"NUMBER"', text).encode() + b"\0")
        try:
            reply = wire.receive()
        except Ended:
            continue  # the daemon closed the connection, since this is not JSON
        assert (
            (reply.get("error"), reply["parameters"].get("index"), reply["parameters"].get("field"))
            == ("org.scrolld.Recorder.InvalidEvent", 1, "y")
        ), f"refusal of {text}"
    feeder.feed([event("scroll")])
    assert feeder.positions == {1: 2}, "the only event that is stored"


def test_bad_event_numbers_and_sessions_are_refused_and_resends_are_recognized(daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "calls")
    wire, session, good = feeder.wire, feeder.session, event("scroll")
    feeder.feed([good] * 3)

    def refused(expected: str, expected_parameters: dict, method: str = APPEND, **parameters):
        error = wire.refusal(method, **parameters)
        assert (error.short_name, error.parameters) == (expected, expected_parameters), f"{method} {parameters}"[:200]

    refused("NumberGap", {"expected": 4}, session=session, number=5, events=[good])
    refused("NumberGap", {"expected": 4}, session=session, number=2**60, events=[good])
    refused("TooManyEvents", {"limit": 4096}, session=session, number=4, events=[good] * 4097)
    refused("NoSuchSession", {}, session="f" * 32, number=1, events=[good])
    refused("NoSuchSession", {}, "org.scrolld.Recorder.Close", session="f" * 32)
    for bad in ("", "f" * 31, "f" * 33, "g" * 32, "0x" + "f" * 30):
        refused("InvalidParameter", {"parameter": "session"}, session=bad, number=1, events=[good])
    # A resend stores nothing, even if its events are different or bad: only the number counts.
    assert wire.call(APPEND, session=session, number=1, events=[good] * 3)["position"] == 4, "position of a resend"
    assert wire.call(APPEND, session=session, number=2, events=[event("zoom")])["position"] == 3, (
        "position of a partial resend")
    answer = wire.call(APPEND, session=session, number=2, events=[good] * 4)
    assert (answer["position"], answer["nextNumber"]) == (6, 6), "a resend followed by new events"
    assert wire.call(APPEND, session=session, events=[good] * 4096)["position"] == 4102, (
        "the largest number of events in a call")
    wire.call("org.scrolld.Recorder.Close", session=session)
    refused("SessionClosed", {}, session=session, number=1, events=[good])
    refused("SessionClosed", {}, "org.scrolld.Recorder.Close", session=session)
    refused("SessionClosed", {}, OPEN, client="calls", session=session)
    before = Feeder(wire, "calls")
    Feeder(wire, "calls")
    refused("SessionClosed", {}, session=before.session, number=1, events=[good])
    # A session belongs to one client.
    refused("InvalidParameter", {"parameter": "client"}, OPEN, client="other", session=Feeder(wire, "calls").session)


def test_bad_client_names_are_refused_and_good_ones_accepted(daemon: Daemon) -> None:
    wire = daemon.connect()
    bad = ["", "a" * 256, "é" * 128, "a\0b", "\n", "a\x1bb", "\x7f", "a\x80", "\x9f"]
    for name in bad:
        refused = wire.refusal(OPEN, client=name)
        assert refused.short_name in ("InvalidClient", "InvalidParameter"), f"“{name!r}”: {refused}"
        if refused.short_name == "InvalidClient":
            assert refused.parameters["reason"], "no reason"
    assert daemon.statistics()["lastPosition"] == 0, "records"
    good = ["a", "a" * 255, "é" * 127 + "a", "app/window-3", "日本語", " ", "*", "\u00a0", "🧭"]
    for name in good:
        wire.call(OPEN, client=name)
    assert [reply["state"]["client"] for reply in daemon.stream("org.scrolld.Observer.List")] == good, "open clients"


def test_an_invalid_oneway_call_is_counted_and_leaves_a_gap_until_the_session_is_reopened(daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "oneway")
    wire, session, good = feeder.wire, feeder.session, event("scroll")
    for number, events in [(1, [good]), (2, [good, event("fling")]), (4, [good])]:
        wire.send(APPEND, {"session": session, "number": number, "events": events}, oneway=True)
    wire.send(APPEND, {"session": session, "events": [good]}, oneway=True)
    refused = wire.refusal(APPEND, session=session, events=[good])
    assert (refused.short_name, refused.parameters) == ("NumberGap", {"expected": 2}), (
        "a call without a number after the gap")
    assert daemon.metric("oneway_calls_refused") == 3, "refused oneway calls"
    assert "oneway" in daemon.output() and "fling" in daemon.output(), "the refusal is not logged"
    assert wire.call(OPEN, client="oneway", session=session)["nextNumber"] == 2, "nextNumber"
    assert wire.call(APPEND, session=session, events=[good])["nextNumber"] == 3, "nextNumber after reopening"


def bad_lines() -> list[tuple[str, str]]:
    """Bad lines of a recording, and what the message must name."""
    lines = [(json.dumps(bad), field) for bad, field in bad_events()]
    for text in NO_NUMBERS:
        lines.append((json.dumps(event("scroll", y="NUMBER")).replace('"NUMBER"', text), ""))
    lines += [("{", ""), ("[]", ""), ("1", ""), ("nonsense", ""), ('{"kind":"scroll","time":1,"x":0,"y":0', ""),
              ('{"kind":"scroll","time":1,"x":0,"x":0,"y":0}', "x"), ("\xff", ""),
              (json.dumps({"kind": "close", "time": -1}), "time"), (json.dumps({"kind": "open", "time": 1}), "client"),
              (json.dumps({"kind": "open", "time": 1, "client": ""}), "client"),
              (json.dumps({"kind": "open", "time": 1, "client": "a" * 256}), "client"),
              (json.dumps({"kind": "open", "time": 1, "client": "a\u0007"}), "client"),
              (json.dumps({"kind": "request", "time": 1, "target": "left"}), "target")]
    return lines


def require_refused_line(workspace, daemon, lines: list[bytes], number: int, field: str, through_file: bool) -> None:
    path = workspace.directory / "bad.ndjson"
    path.write_bytes(b"\n".join(lines) + b"\n")
    if through_file:
        result = workspace.scrollctl(daemon, "record", str(path))
        place = f"{path}:{number}: {field}"
    else:
        result = workspace.scrollctl(daemon, "record", "-", input=path.read_bytes())
        place = f":{number}: {field}"
    assert result.returncode == 1, f"exit status with {lines[number - 1]!r}: {result.stderr}"
    first = result.stderr.splitlines()[0]
    assert place in first, f"the message lacks {place}: {first}"
    assert len(first.partition(place)[2].strip()) > 5, f"the message gives no reason: {first}"


def test_scrollctl_record_names_line_and_field_of_a_bad_file_and_stores_nothing(
        workspace: Workspace, daemon: Daemon) -> None:
    good = [line.encode() for line in recordings()[0].path.read_text().splitlines()]
    for index, (text, field) in enumerate(bad_lines()):
        line = text.encode("latin-1" if text == "\xff" else "utf-8")
        number = [2, 5, len(good)][index % 3]
        lines = good[: number - 1] + [line] + good[number - 1 :]
        require_refused_line(workspace, daemon, lines, number, field, through_file=True)
    assert daemon.statistics()["lastPosition"] == 0, "records stored from bad files"
    # Events before the first open have no client.
    require_refused_line(workspace, daemon, good[1:], 1, "", through_file=True)
    result = workspace.scrollctl(daemon, "record", str(workspace.directory / "missing.ndjson"))
    assert result.returncode == 1, "exit status for a missing file"
    assert "missing.ndjson" in result.stderr, f"the message does not name the file: {result.stderr}"
    assert daemon.statistics()["lastPosition"] == 0, "records stored from bad files"
    result = workspace.scrollctl(daemon, "record", str(recordings()[0].path))
    assert result.returncode == 0, "exit status for a good file afterwards"


def test_scrollctl_record_names_line_and_field_of_bad_standard_input(workspace: Workspace, daemon: Daemon) -> None:
    good = [line.encode() for line in recordings()[0].path.read_text().splitlines()]
    for text, field in bad_lines()[::4]:
        line = text.encode("latin-1" if text == "\xff" else "utf-8")
        require_refused_line(workspace, daemon, good[:4] + [line] + good[4:], 5, field, through_file=False)
    # Events before a bad line may be stored, in a session that is then closed. The bad line and later ones are not.
    for reply in daemon.stream("org.scrolld.Observer.Read"):
        if "record" in reply and "number" in reply:
            assert reply["record"] == json.loads(good[reply["number"]]), f"event {reply['number']}"
            assert reply["number"] <= 3, "an event after the bad line is stored"
    assert [reply for reply in daemon.stream("org.scrolld.Observer.List") if "state" in reply] == [], "open sessions"


# The page about bad input shows the messages in a short form.
BEGIN, END = "<!-- made by the end-to-end checks: begin -->", "<!-- made by the end-to-end checks: end -->"
PAGE = REPOSITORY / "Sources/ScrollService/ScrollService.docc/BadInput.md"


def shown_bytes() -> list[tuple[str, bytes]]:
    """Messages that are not calls, with their names on the page."""
    info = "org.varlink.service.GetInfo"
    return [(f"`{text}`", text.encode()) for text in [
        "nonsense", "[]", "1", "{", "{}", '{"method":1}', f'{{"method":"{info}","method":"{info}"}}',
        f'{{"method":"{info}","parameters":[]}}', f'{{"method":"{info}","more":1}}',
        f'{{"method":"{info}","oneway":true,"more":true}}', f'{{"method":"{info}","extra":1}}',
    ]] + [("nothing but the NUL byte", b""), ("bytes that are not UTF-8", b'{"method":"\xff"}'),
          ("nesting 1,100 deep", b"[" * 1100 + b"]" * 1100)]


def shown_calls(session: str) -> list[tuple[str, dict]]:
    """Calls that are refused. Their names lack the interface if it is the Recorder's."""
    scroll = {"kind": "scroll", "time": 1, "x": 0, "y": 0}

    def append(*events, **parameters) -> tuple[str, dict]:
        return ("Append", {"session": session, "events": list(events), **parameters})

    calls = [
        ("org.example.Nothing", {}), ("NoSuchMethod", {}), ("Open", {}), ("Open", {"client": 1}), ("Open", {"client": ""}),
        ("Open", {"client": "a\n"}), ("Open", {"client": "a", "colour": "red"}), ("Open", {"client": "a", "session": "7"}),
        append(), append(scroll, number=0), append(scroll, number=9), append({}), append({**scroll, "kind": "fling"}),
        append({"kind": "scroll", "time": 1, "x": 0}), append({**scroll, "time": -1}), append({**scroll, "y": "0"}),
        append({**scroll, "z": 0}), append({**scroll, "contentWidth": 1}), append(scroll, {**scroll, "source": "me"}),
        append({"kind": "zoom", "time": 1, "zoomScale": 0}), append({"kind": "layout", "time": 1, "frameWidth": -1}),
        ("Append", {"session": "f" * 32, "events": [scroll]}), ("Respond", {"session": session, "request": 1, "done": True}),
        ("org.scrolld.Observer.Subscribe", {}), ("org.scrolld.Observer.Get", {"client": "nobody"}),
        ("org.scrolld.Observer.Scroll", {"client": "page", "target": "left"}),
        ("org.scrolld.Observer.Scroll", {"client": "page", "target": "top"}),
    ]
    return [(f"`{name}` `{shown(parameters, session)}`",
             {"method": name if "." in name else f"org.scrolld.Recorder.{name}", "parameters": parameters})
            for name, parameters in calls]


def shown(value: dict, session: str) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace(session, "…").replace("f" * 32, "fff…")


def rows(daemon) -> list[str]:
    """The lines of the table, from the daemon's present answers."""
    made = []
    for name, data in shown_bytes():
        with daemon.connect() as wire:
            wire.send_raw(data + b"\0")
            wire.expect_end()
        made.append((name, "closed"))
    session = "0123456789abcdef0123456789abcdef"
    daemon.call(OPEN, client="page", session=session)
    with daemon.connect() as wire:
        for name, call in shown_calls(session):
            wire.send_raw(json.dumps(call).encode() + b"\0")
            reply = wire.receive()
            assert "error" in reply, f"{name} is not refused: {reply}"
            parameters = shown(reply.get("parameters", {}), session)
            error = reply["error"].removeprefix("org.scrolld.Recorder.")
            made.append((name, f"`{error}`" + (f" `{parameters}`" if parameters != "{}" else "")))
    return ["| sent | what it gets |", "|---|---|"] + [
        f"| {name.replace('|', chr(92) + '|')} | {answer} |" for name, answer in made]


def test_the_page_about_bad_input_shows_what_the_daemon_answers(daemon: Daemon) -> None:
    made = rows(daemon)
    assert daemon.statistics()["lastPosition"] == 1, "records, of which the opening is the only one"
    before, rest = PAGE.read_text().split(BEGIN)
    table, after = rest.split(END)
    if os.environ.get("SCROLLD_UPDATE_GOLDEN") == "1":
        PAGE.write_text("\n".join([before + BEGIN, *made, END + after]))
        return
    assert table.strip().splitlines() == made, "the table, which SCROLLD_UPDATE_GOLDEN=1 updates"
