"""Access: users write to their own sessions only, observers see all clients, managers manage."""

import grp
import os

import pytest

from support import users
from support.daemon import Daemon
from support.recordings import Feeder, recordings
from support.users import NOBODY, SOMEBODY
from support.wire import Wire
from support.workspace import Workspace

RECORDER = "org.scrolld.Recorder"
OBSERVER = "org.scrolld.Observer"
MANAGER = "org.scrolld.Manager"


def some_group() -> grp.struct_group:
    """An existing group that no test user is in."""
    for group in grp.getgrall():
        if group.gr_gid not in (0, NOBODY, SOMEBODY):
            return group
    pytest.skip("no group except root's exists here")


def caught_up(wire: Wire, **parameters) -> list[dict]:
    """The replies of a subscription up to `caughtUp`."""
    replies = []
    for reply in wire.stream(f"{OBSERVER}.Subscribe", **parameters):
        replies.append(reply)
        if reply.get("caughtUp"):
            return replies
    raise AssertionError("the subscription ended")


def clients_heard(replies: list[dict]) -> set[tuple[str, int]]:
    return {(reply[kind]["client"], reply[kind]["user"]) for reply in replies
            for kind in ("opened", "closed", "state", "transition") if kind in reply}


def what_is_seen(path: str) -> dict:
    """The clients that the calling user sees, for each way to see clients."""
    seen = {}
    with Wire(path) as wire:
        seen["list"] = {(reply["state"]["client"], reply["state"]["user"])
                        for reply in wire.stream(f"{OBSERVER}.List") if "state" in reply}
        seen["read"] = {(reply["client"], reply["user"])
                        for reply in wire.stream(f"{OBSERVER}.Read") if "client" in reply}
    with Wire(path) as wire:
        seen["present"] = clients_heard(caught_up(wire))
    with Wire(path) as wire:
        seen["past"] = clients_heard(caught_up(wire, after=0))
    return seen


def test_another_user_can_neither_write_to_nor_close_a_session(daemon: Daemon, as_user) -> None:
    path = str(daemon.socket_path)
    event = recordings()[0].events[0]
    feeder = Feeder(daemon.connect(), "roots")
    feeder.feed([event])

    def try_everything():
        with Wire(path) as wire:
            refusals = [
                wire.refusal(f"{RECORDER}.Append", session=feeder.session, number=2, events=[event]),
                wire.refusal(f"{RECORDER}.Append", session=feeder.session, number=1, events=[event]),
                wire.refusal(f"{RECORDER}.Close", session=feeder.session),
                wire.refusal(f"{RECORDER}.Respond", session=feeder.session, request=1, done=True),
            ]
            wire.send(f"{RECORDER}.Append", {"session": feeder.session, "events": [event]}, oneway=True)
            wire.send(f"{RECORDER}.Close", {"session": feeder.session}, oneway=True)
            wire.send(f"{RECORDER}.Requests", {"session": feeder.session}, more=True)
            return [refusal.name for refusal in refusals] + [wire.receive()["error"]]

    assert as_user(NOBODY, try_everything) == ["org.varlink.service.PermissionDenied"] * 5, "refusals"
    assert daemon.statistics()["lastPosition"] == 2, "records"
    feeder.feed([event])
    # An id is its user's: the same one is another session for somebody else.
    opened = as_user(NOBODY, lambda: Wire(path).call(f"{RECORDER}.Open", client="roots", session=feeder.session))
    assert (opened["session"], opened["nextNumber"]) == (feeder.session, 1), "another user's session"
    feeder.feed([event])
    # Not even root may write to another user's session.
    session = as_user(NOBODY, lambda: Feeder(Wire(path), "nobodys").session)
    refused = feeder.wire.refusal(f"{RECORDER}.Append", session=session, number=1, events=[event])
    assert refused.name == "org.varlink.service.PermissionDenied", "root's Append to another user's session"


def test_users_see_only_their_own_clients_even_where_names_are_equal(daemon: Daemon, as_user) -> None:
    path = str(daemon.socket_path)
    events = recordings()[0].events
    Feeder(daemon.connect(), "shared/name").feed(events)
    Feeder(daemon.connect(), "roots").feed(events)

    def record():
        with Wire(path) as wire:
            Feeder(wire, "shared/name").feed(events[:20])
            Feeder(wire, "own").feed(events[:20])

    as_user(NOBODY, record)
    as_user(SOMEBODY, record)
    own = {("shared/name", NOBODY), ("own", NOBODY)}
    for way, seen in as_user(NOBODY, lambda: what_is_seen(path)).items():
        assert seen == own, f"clients seen by {way}"
    everyone = {(name, user) for user in (NOBODY, SOMEBODY) for name in ("shared/name", "own")}
    everyone |= {("shared/name", 0), ("roots", 0)}
    for way, seen in what_is_seen(path).items():
        assert seen == everyone, f"clients that root sees by {way}"

    def get():
        with Wire(path) as wire:
            mine = wire.call(f"{OBSERVER}.Get", client="shared/name")["state"]
            return mine["user"], [
                wire.refusal(f"{OBSERVER}.Get", client="roots").name,
                wire.refusal(f"{OBSERVER}.Get", client="shared/name", user=0).name,
                wire.refusal(f"{OBSERVER}.Scroll", client="roots", target="top").name,
                wire.refusal(f"{OBSERVER}.Scroll", client="roots", user=0, target="top").name,
            ]

    assert as_user(NOBODY, get) == (NOBODY, [
        "org.scrolld.Observer.NoSuchClient", "org.varlink.service.PermissionDenied",
        "org.scrolld.Observer.NoSuchClient", "org.varlink.service.PermissionDenied"]), "Get and Scroll of others"
    with daemon.connect() as wire:
        assert wire.call(f"{OBSERVER}.Get", client="shared/name")["state"]["user"] == 0, "the user of root's own client"
        refused = wire.refusal(f"{OBSERVER}.Get", client="own")
        assert (refused.short_name, refused.parameters) == ("AmbiguousClient", {"users": [SOMEBODY, NOBODY]}), (
            "Get of a name that two users have")
        assert wire.call(f"{OBSERVER}.Get", client="own", user=SOMEBODY)["state"]["user"] == SOMEBODY, "Get with a user"


def test_a_subscriber_hears_nothing_of_other_users_clients_as_they_come(
        workspace: Workspace, daemon: Daemon, as_user) -> None:
    path = str(daemon.socket_path)
    events = recordings()[0].events

    def listen_while_root_records():
        with Wire(path) as subscriber, Wire(path) as own:
            replies = subscriber.stream(f"{OBSERVER}.Subscribe", detail="frames")
            while not next(replies).get("caughtUp"):
                pass
            Feeder(own, "own").feed(events[:1])
            Feeder(own, "go").close()  # root waits for this
            heard = []
            for reply in replies:
                heard.append(reply)
                if reply.get("opened", {}).get("client") == "end":
                    return clients_heard(heard)

    def record_when_told():
        with Wire(path) as wire, Wire(path) as feeding:
            for reply in wire.stream(f"{OBSERVER}.Subscribe", after=0):
                if reply.get("closed", {}).get("client") == "go":
                    break
            Feeder(feeding, "roots").feed(events)
        as_user(NOBODY, lambda: Feeder(Wire(path), "end").session)

    recording = workspace.run_in_thread(record_when_told)
    heard = as_user(NOBODY, listen_while_root_records)
    recording.join()
    assert heard == {("own", NOBODY), ("go", NOBODY), ("end", NOBODY)}, "clients that the subscriber hears of"


def test_observers_see_all_clients_but_cannot_make_them_scroll(workspace: Workspace, as_user) -> None:
    group = some_group()
    daemon = workspace.daemon(f"[Access]\nObserversGroup={group.gr_name}\n")
    path = str(daemon.socket_path)
    feeder = Feeder(daemon.connect(), "roots")
    feeder.feed(recordings()[0].events)
    requests = daemon.connect().stream(f"{RECORDER}.Requests", session=feeder.session)
    next(requests)

    def observe():
        seen = what_is_seen(path)
        with Wire(path) as wire:
            wire.call(f"{OBSERVER}.Get", client="roots", user=0)
            return seen, [
                wire.refusal(f"{OBSERVER}.Scroll", client="roots", target="top").name,
                wire.refusal(f"{OBSERVER}.Scroll", client="roots", user=0, target="top").name,
                wire.refusal(f"{RECORDER}.Append", session=feeder.session, events=[recordings()[0].events[0]]).name,
                wire.refusal(f"{MANAGER}.Statistics").name,
            ]

    seen, refusals = as_user(NOBODY, observe, groups=[group.gr_gid])
    for way, clients in seen.items():
        assert clients == {("roots", 0)}, f"clients that an observer sees by {way}"
    assert refusals == ["org.varlink.service.PermissionDenied"] * 4, "refusals"
    # Without the group, the same user sees nothing.
    assert as_user(NOBODY, lambda: what_is_seen(path)) == {way: set() for way in seen}, (
        "clients that a user outside the group sees")


def test_only_root_and_managers_may_call_manager_and_ask_any_client_to_scroll(workspace: Workspace, as_user) -> None:
    daemon = workspace.daemon(f"[Access]\nManagers={SOMEBODY}\n")
    path = str(daemon.socket_path)
    methods = ["Statistics", "Sync", "Rotate", "Reload"]

    def manage():
        names = []
        with Wire(path) as wire:
            for method in methods:
                wire.send(f"{MANAGER}.{method}")
                names.append(wire.receive().get("error"))
        return names

    assert as_user(NOBODY, manage) == ["org.varlink.service.PermissionDenied"] * 4, "refusals"
    assert as_user(SOMEBODY, manage) == [None] * 4, "a manager's refusals"
    assert manage() == [None] * 4, "root's refusals"

    feeder = Feeder(daemon.connect(), "roots")
    requests = daemon.connect().stream(f"{RECORDER}.Requests", session=feeder.session)
    assert next(requests) == {}, "the first reply of Requests"
    position = as_user(SOMEBODY, lambda: Wire(path).call(
        f"{OBSERVER}.Scroll", client="roots", user=0, target="offset", x=1.5, y=-2)["position"])
    assert next(requests) == {"request": {"request": position, "target": "offset", "x": 1.5, "y": -2}}, "the request"
    feeder.wire.call(f"{RECORDER}.Respond", session=feeder.session, request=position, done=False, reason="not now")
    records = [reply["record"] for reply in daemon.stream(f"{OBSERVER}.Read", after=position - 1)]
    for record in records:
        record.pop("time")
    assert records == [
        {"kind": "request", "target": "offset", "x": 1.5, "y": -2},
        {"kind": "response", "request": position, "done": False, "reason": "not now"}], "the records"


def test_only_users_and_groups_in_feeders_may_feed_and_refusals_are_logged(workspace: Workspace, as_user) -> None:
    group = some_group()
    daemon = workspace.daemon(f"[Access]\nFeeders={SOMEBODY} @{group.gr_name}\n")
    path = str(daemon.socket_path)
    event = recordings()[0].events[0]

    def feed():
        with Wire(path) as wire:
            Feeder(wire, "own").feed([event])

    def try_to_feed():
        with Wire(path) as wire:
            refusals = [wire.refusal(f"{RECORDER}.Open", client="own").name for _ in range(3)]
            refusals.append(wire.refusal(f"{RECORDER}.Append", session="0" * 32, events=[event]).name)
            return refusals

    denied = ["org.varlink.service.PermissionDenied"] * 4
    assert as_user(NOBODY, try_to_feed) == denied, "refusals"
    as_user(SOMEBODY, feed)
    as_user(NOBODY, feed, groups=[group.gr_gid])
    feed()
    assert daemon.metric("permissions_denied") == 4, "refusals that are counted"
    # The daemon logs the first refusal at once, and the others once a minute.
    assert daemon.output().count(f"user {NOBODY}: ") == 1, "refusals in the log so far"
    assert f"user {NOBODY}: {RECORDER}.Open refused: permission denied" in daemon.output(), "the refusal is not logged"
    # A user whom a reload removes from the list can no longer feed, but still sees its clients.
    daemon.config_path.write_text(f"[Access]\nFeeders={NOBODY}\n")
    daemon.call(f"{MANAGER}.Reload")
    assert as_user(SOMEBODY, try_to_feed) == denied, "refusals after a reload"
    assert as_user(SOMEBODY, lambda: what_is_seen(path))["list"] == {("own", SOMEBODY)}, "clients seen after a reload"


def test_unknown_users_and_groups_are_reported_with_file_and_line_and_grant_nothing(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Access]\nFeeders=no-one-at-all\nObserversGroup=no-such-group\nManagers=@no-such-group\n")
    for line, key, what in [(2, "Feeders", "user “no-one-at-all”"), (3, "ObserversGroup", "group “no-such-group”"),
                            (4, "Managers", "group “no-such-group”")]:
        wanted = f"{daemon.config_path}:{line}: {key}=: unknown {what}"
        assert wanted in daemon.output(), f"the daemon does not report: {wanted}"
    if os.getuid() == 0:
        with_wire = users.as_user(NOBODY, lambda: Wire(str(daemon.socket_path)).refusal(f"{RECORDER}.Open", client="a").name)
        assert with_wire == "org.varlink.service.PermissionDenied", "refusal"
