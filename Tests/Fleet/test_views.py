"""The measures and views of the database against those that the machines compute."""

import json

import pytest
from support.recordings import Feeder, recordings


def feed_all(desk) -> None:
    """Records each recording of the fixtures as a session."""
    for recording in recordings():
        feeder = Feeder(desk.daemon.connect(), recording.name)
        feeder.feed(recording.events)
        desk.daemon.call("org.scrolld.Recorder.Close", session=feeder.session, time=recording.events[-1]["time"])


def test_measures_and_views_are_those_of_the_machine(database, machine) -> None:
    desk = machine()
    feed_all(desk)
    desk.start_relay(database)
    desk.wait_until_stored(database)
    summaries = [reply["summary"] for reply in desk.daemon.stream("org.scrolld.Observer.Sessions") if "summary" in reply]
    assert len(summaries) == len(recordings())
    for summary in summaries:
        found = database.rows(
            "SELECT events, (extract(epoch FROM duration) * 1000000)::bigint, coalesce(reach, -1), flips, flickers, reason, "
            "opened_position FROM scroll.session "
            f"WHERE session = '{summary['session']}'")[0]
        expected = [summary["events"], summary["duration"], summary.get("reach", -1), summary["flips"], summary["flickers"]]
        assert [float(value) for value in found[:5]] == [float(value) for value in expected], summary["client"]
        assert found[5:] == [summary["reason"], str(summary["position"])]

    readings = [json.loads(line) for line in desk.workspace.scrollctl(desk.daemon, "--json", "reading").stdout.splitlines()]
    bottoms = {reading["client"]: reading["bottomReached"] for reading in readings if "bottomReached" in reading}
    found = database.rows("SELECT client, (extract(epoch FROM bottom_reached) * 1000000)::bigint FROM scroll.time_to_bottom")
    assert bottoms and {client: int(time) for client, time in found} == bottoms

    reaches = [summary["reach"] for summary in summaries if "reach" in summary]
    for percent, sessions, share in database.rows("SELECT percent, sessions, share FROM scroll.reach_curve"):
        assert int(sessions) == len(reaches)
        expected = sum(reach >= int(percent) / 100 for reach in reaches) / len(reaches)
        assert float(share) == pytest.approx(expected), percent
    flips = database.rows("SELECT policy, sessions, flips, flickers FROM scroll.flickers_by_policy")
    assert flips == [["safari", str(len(summaries)), str(sum(s["flips"] for s in summaries)),
                      str(sum(s["flickers"] for s in summaries))]]
    assert int(database.value("SELECT sum(sessions) FROM scroll.reading_by_title")) == len(reaches)


#: The columns of scroll.reading that are times, and the other measures, with their names in scrollctl's JSON.
TIMES = {"active_time": "activeTime", "reached25": "reached25", "reached50": "reached50", "reached75": "reached75",
         "reached90": "reached90", "reached100": "reached100", "duration": "duration"}
MEASURES = {"reach": "reach", "scrolled": "scrolled", "distance": "distance", "distance_up": "distanceUp",
            "regressions": "regressions", "mean_speed": "meanSpeed", "max_speed": "maxSpeed", "depth": "depth",
            "toolbar_hidden": "toolbarHidden", "flips": "flips", "flickers": "flickers"}


def odd_sessions(desk) -> None:
    """Sessions that the fixtures lack: sizes that come late or change, insets, zoom, a clock that goes back, pauses, no movement."""
    layout = dict(kind="layout", contentWidth=390, contentHeight=4000, frameWidth=390, frameHeight=800)
    scrolls = [dict(kind="scroll", x=0, y=y) for y in (0, 300, 250, 900, 3200, 3300, -40, 100)]
    sessions = {
        "late sizes": [*scrolls[:4], layout, *scrolls[4:]],
        "no sizes": scrolls,
        "growing": [dict(layout, contentHeight=900), *scrolls[:3], dict(kind="layout", contentHeight=8000), *scrolls[3:]],
        "insets": [dict(layout, insetTop=50, insetBottom=30), *scrolls, dict(kind="layout", x=0, y=10, insetTop=0), *scrolls[2:]],
        "relayout": [layout, *scrolls[:3], dict(kind="scroll", x=0, y=1000, source="layout"), *scrolls[2:]],
        "short content": [dict(layout, contentHeight=300), *scrolls[:3]],
        "one sample": [dict(kind="dragBegin", x=0, y=0)],
        "only a layout": [layout],
        "zoom": [dict(layout, minimumZoomScale=1, maximumZoomScale=4), *scrolls[:3], dict(kind="zoomBegin", zoomScale=1),
                 dict(kind="zoom", zoomScale=2), dict(kind="zoomEnd", zoomScale=2), *scrolls[2:]],
    }
    for name, events in sessions.items():
        feeder = Feeder(desk.daemon.connect(), name)
        time = 1_700_000_000_000_000
        for index, event in enumerate(events):
            # A long pause counts as 30 s.
            time += 45_000_000 if index == 4 else 150_000
            feeder.feed([dict(event, time=time)])
        desk.daemon.call("org.scrolld.Recorder.Close", session=feeder.session, time=time + 2_000_000)


def test_the_reading_view_has_the_measures_that_scrollctl_computes(database, machine) -> None:
    desk = machine()
    feed_all(desk)
    odd_sessions(desk)
    desk.feed(20, close=False)
    relay = desk.start_relay(database)
    desk.wait_until_stored(database)
    # A relay that comes back in the middle of a session makes no difference.
    feeder = desk.feed(60, client="interrupted", close=False)
    desk.wait_until_stored(database)
    relay.stop()
    feeder.feed([dict(kind="scroll", time=1_900_000_000_000_000, x=0, y=5)])
    desk.daemon.call("org.scrolld.Recorder.Close", session=feeder.session, time=1_900_000_000_500_000)
    desk.start_relay(database)
    desk.wait_until_stored(database)

    readings = {reading["session"]: reading for reading in map(
        json.loads, desk.workspace.scrollctl(desk.daemon, "--json", "reading").stdout.splitlines()) if "session" in reading}
    columns = ", ".join([f"(extract(epoch FROM {name}) * 1000000)::bigint AS {name}" for name in TIMES] + list(MEASURES))
    rows = [json.loads(row) for row in database.execute(
        f"SELECT row_to_json(r) FROM (SELECT replace(session::text, '-', '') AS session, client, {columns} FROM scroll.reading) AS r").splitlines()]
    assert len(rows) > len(recordings())
    for row in rows:
        reading = readings[row["session"]]
        for name, measure in {**TIMES, **MEASURES}.items():
            expected = reading.get(measure)
            assert row[name] == (pytest.approx(expected, rel=1e-9, abs=1e-9) if isinstance(expected, float) else expected), (
                row["client"], name)
    closed = {reading["session"] for reading in readings.values()} - {row["session"] for row in rows}
    assert {readings[session]["client"] for session in closed} <= {"only a layout", "reader/0", "reader/1", "reader/2"}

    depths = {row["depth"] for row in rows}
    assert int(database.value("SELECT sum(sessions) FROM scroll.reading_by_depth")) == len(rows)
    assert int(database.value("SELECT count(*) FROM scroll.reading_by_depth")) == len(depths)
