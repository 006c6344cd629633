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
