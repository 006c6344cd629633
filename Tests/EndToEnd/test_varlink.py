"""The rules of the Varlink protocol, one by one."""

import array
import json
import os
import socket

from support.daemon import Daemon, until
from support.recordings import Feeder
from support.users import NOBODY
from support.wire import Ended, Refused, Wire, message
from support.workspace import Workspace

INFO = "org.varlink.service.GetInfo"
DESCRIPTION = "org.varlink.service.GetInterfaceDescription"
OPEN = "org.scrolld.Recorder.Open"
APPEND = "org.scrolld.Recorder.Append"
GET = "org.scrolld.Observer.Get"
LIST = "org.scrolld.Observer.List"
READ = "org.scrolld.Observer.Read"
SUBSCRIBE = "org.scrolld.Observer.Subscribe"

SCROLL = {"kind": "scroll", "time": 1, "x": 0, "y": 0}


def require_closed_without_reply(daemon, data: bytes) -> None:
    """Sends something after a good call: the daemon answers the good call, closes the connection, and continues."""
    with daemon.connect() as wire:
        wire.send_raw(message(INFO) + data)
        assert "parameters" in wire.receive(), "no answer to the good call"
        wire.expect_end()
    require_alive(daemon)


def require_alive(daemon) -> None:
    assert daemon.call(INFO)["product"] == "scrolld", "product"


def test_a_call_split_at_any_byte_gets_the_same_answer(daemon: Daemon) -> None:
    call = message(DESCRIPTION, {"interface": "org.scrolld.Manager"})
    wire = daemon.connect()
    wire.send_raw(call)
    whole = wire.receive_raw()
    for at in range(1, len(call)):
        wire.send_raw(call[:at])
        # The answer on another connection shows that the daemon has received the first part alone.
        require_alive(daemon)
        wire.send_raw(call[at:])
        assert wire.receive_raw() == whole, f"answer to a call split at byte {at}"
    for byte in call:
        wire.send_raw(bytes([byte]))
    assert wire.receive_raw() == whole, "answer to a call that came byte by byte"


def test_1000_calls_in_one_write_get_1000_answers_in_order(daemon: Daemon) -> None:
    wire = daemon.connect()
    feeder = Feeder(wire, "pipelined")
    calls = []
    for number in range(1, 1001):
        if number % 2:
            event = {**SCROLL, "y": number}
            calls.append(message(APPEND, {"session": feeder.session, "number": (number + 1) // 2, "events": [event]}))
        else:
            calls.append(message("org.scrolld.Recorder.NoSuchMethod" + str(number)))
    wire.send_raw(b"".join(calls))
    for number in range(1, 1001):
        reply = wire.receive()
        if number % 2:
            assert reply["parameters"]["nextNumber"] == (number + 1) // 2 + 1, f"answer {number}"
        else:
            assert reply["parameters"] == {"method": f"org.scrolld.Recorder.NoSuchMethod{number}"}, f"answer {number}"


def test_whitespace_between_tokens_is_accepted_and_never_sent(daemon: Daemon) -> None:
    wire = daemon.connect()
    wire.send_raw(b' \r\n{\t"method" :\n"' + OPEN.encode() + b'" , "parameters"\r: { "client" : "a b" } } \n\0')
    data = wire.receive_raw()
    assert data == json.dumps(json.loads(data), separators=(",", ":")).encode(), "the reply without spaces"


def test_absent_null_and_empty_parameters_are_the_same(daemon: Daemon) -> None:
    wire = daemon.connect()
    answers = []
    for rest in (b"", b',"parameters":null', b',"parameters":{}'):
        wire.send_raw(b'{"method":"' + INFO.encode() + b'"' + rest + b"}\0")
        answers.append(wire.receive_raw())
    assert answers == answers[:1] * 3, "answers"


def test_a_oneway_call_is_never_answered_and_the_next_call_is(daemon: Daemon) -> None:
    wire = daemon.connect()
    session = "0123456789abcdef0123456789abcdef"
    wire.send(INFO, oneway=True)
    wire.send("org.scrolld.Recorder.NoSuchMethod", oneway=True)
    wire.send("no.such.interface.Method", oneway=True)
    wire.send(OPEN, {"client": ""}, oneway=True)
    wire.send(OPEN, {"client": "oneway", "session": session}, oneway=True)
    wire.send(APPEND, {"session": session, "number": 1, "events": [SCROLL, SCROLL]}, oneway=True)
    wire.send(APPEND, {"session": session, "number": 9, "events": [SCROLL]}, oneway=True)
    wire.send(LIST, oneway=True)
    answer = wire.call(OPEN, client="oneway", session=session)
    assert (answer["session"], answer["nextNumber"]) == (session, 3), "the only answer"
    assert daemon.metric("oneway_calls_refused") >= 4, "refused oneway calls are counted"


def test_a_call_with_two_flags_closes_the_connection(daemon: Daemon) -> None:
    for flags in ({"oneway": True, "more": True}, {"more": True, "upgrade": True}, {"oneway": True, "upgrade": True},
                  {"oneway": True, "more": True, "upgrade": True}):
        require_closed_without_reply(daemon, message(INFO, **flags))
    # A false flag is the same as an absent one.
    wire = daemon.connect()
    wire.send(INFO, oneway=False, more=True, upgrade=False)
    assert "parameters" in wire.receive(), "a call with two flags that are false"


def test_a_flag_that_is_not_a_boolean_closes_the_connection(daemon: Daemon) -> None:
    for flag in ("oneway", "more", "upgrade"):
        for value in ("1", "0", '"true"', "null", "[]", "{}"):
            require_closed_without_reply(daemon, f'{{"method":"{INFO}","{flag}":{value}}}\0'.encode())


def test_an_unknown_member_without_a_dot_closes_the_connection(daemon: Daemon) -> None:
    for name in ("id", "", "Method", "error", "continues"):
        require_closed_without_reply(daemon, f'{{"method":"{INFO}","{name}":1}}\0'.encode())


def test_an_unknown_member_with_a_dot_is_ignored(daemon: Daemon) -> None:
    wire = daemon.connect()
    wire.send_raw(f'{{"com.example.trace":{{"deep":[1,{{}}]}},"method":"{INFO}","a.b":null}}\0'.encode())
    assert wire.answer()["product"] == "scrolld", "product"


def test_a_call_without_a_method_name_closes_the_connection(daemon: Daemon) -> None:
    for text in ("{}", '{"parameters":{}}', '{"method":null}', '{"method":1}', '{"method":["a.B"]}', '{"method":{}}'):
        require_closed_without_reply(daemon, text.encode() + b"\0")


def test_a_message_that_is_not_a_json_object_closes_the_connection(daemon: Daemon) -> None:
    good = message(INFO)[:-1]
    bad = [
        b"", b" ", b"[]", b"1", b"null", b'"text"', b"{", good[:-1], good + b"}", good + b" {}", good[:-1] + b",}",
        b"{'method':'" + INFO.encode() + b"'}", b"GET / HTTP/1.1\r\n\r\n", b"\xff\xfe", b"\xef\xbb\xbf" + good,
        b'{"method":"' + INFO.encode() + b'","parameters":[]}',
        b'{"method":"' + INFO.encode() + b'","parameters":"x"}',
    ]
    # The daemon checks even the values of ignored members.
    for value in (b"tru", b"nul", b"01", b"1.", b".5", b"+1", b"[1 2]", b"[1,]", b"{1:2}", b'{"a" 1}', b"NaN",
                  b"Infinity", b"-", b"1e", b'"\x01"', b'"\\x"', b'"\\u12"', b'"\xc3\x28"', b'"\xed\xa0\x80"',
                  b'"\\ud800"'):
        bad.append(b'{"method":"' + INFO.encode() + b'","a.b":' + value + b"}")
    for data in bad:
        try:
            require_closed_without_reply(daemon, data + b"\0")
        except AssertionError as error:
            raise AssertionError(f"{data!r}: {error}") from error


def test_unknown_interfaces_and_methods_have_their_own_errors(daemon: Daemon) -> None:
    wire = daemon.connect()
    for method, error, parameters in [
        ("org.example.Nothing.Do", "InterfaceNotFound", {"interface": "org.example.Nothing"}),
        ("org.scrolld.Recorder.Nothing", "MethodNotFound", {"method": "org.scrolld.Recorder.Nothing"}),
        ("org.varlink.service.Nothing", "MethodNotFound", {"method": "org.varlink.service.Nothing"}),
    ]:
        refused = wire.refusal(method)
        assert (refused.name, refused.parameters) == (f"org.varlink.service.{error}", parameters), method
    refused = wire.refusal(DESCRIPTION, interface="org.example.Nothing")
    assert (
        (refused.name, refused.parameters)
        == ("org.varlink.service.InterfaceNotFound", {"interface": "org.example.Nothing"})
    ), "the error for an unknown interface"
    for method in ("", "Nothing", ".", "a.", "org.scrolld.Recorder."):
        assert wire.refusal(method).name.startswith("org.varlink.service."), f"refusal of “{method}”"


def test_a_missing_unknown_or_mistyped_parameter_is_named(daemon: Daemon) -> None:
    wire = daemon.connect()
    session = wire.call(OPEN, client="parameters")["session"]
    bad = [
        (OPEN, {}, "client"), (OPEN, {"client": 1}, "client"), (OPEN, {"client": "a", "more": 1}, "more"),
        (OPEN, {"client": "a", "application": []}, "application"), (OPEN, {"client": "a", "title": {}}, "title"),
        (OPEN, {"client": "a", "session": "xyz"}, "session"), (OPEN, {"client": "a", "session": 1}, "session"),
        (OPEN, {"client": "a", "closeOnDisconnect": "yes"}, "closeOnDisconnect"),
        (APPEND, {"session": session}, "events"), (APPEND, {"events": []}, "session"),
        (APPEND, {"session": session, "events": {}}, "events"), (APPEND, {"session": session, "events": []}, "events"),
        (APPEND, {"session": session, "number": "1", "events": [SCROLL]}, "number"),
        (APPEND, {"session": session, "number": 1.5, "events": [SCROLL]}, "number"),
        (APPEND, {"session": session, "number": 0, "events": [SCROLL]}, "number"),
        (APPEND, {"session": session, "events": [SCROLL], "x": 1}, "x"),
        ("org.scrolld.Recorder.Close", {}, "session"),
        ("org.scrolld.Recorder.Respond", {"session": session, "request": 1}, "done"),
        (GET, {}, "client"), (GET, {"client": "a", "position": 0}, "position"),
        (GET, {"client": "a", "time": "now"}, "time"), (GET, {"client": "a", "user": -1}, "user"),
        ("org.scrolld.Observer.Scroll", {"client": "parameters"}, "target"),
        ("org.scrolld.Observer.Scroll", {"client": "parameters", "target": "left"}, "target"),
        ("org.scrolld.Observer.Scroll", {"client": "parameters", "target": "page"}, "page"),
        ("org.scrolld.Observer.Scroll", {"client": "parameters", "target": "offset", "x": 1}, "y"),
        ("org.scrolld.Manager.Sync", {"now": True}, "now"), (INFO, {"a": 1}, "a"), (DESCRIPTION, {}, "interface"),
    ]
    for method, parameters, name in bad:
        refused = wire.refusal(method, **parameters)
        assert (refused.name, refused.parameters) == ("org.varlink.service.InvalidParameter", {"parameter": name}), (
            f"{method} {parameters}")
    for method, parameters, name in [
        (LIST, {"clients": "a"}, "clients"), (LIST, {"clients": [1]}, "clients"), (LIST, {"globs": []}, "globs"),
        (SUBSCRIBE, {"after": -1}, "after"), (SUBSCRIBE, {"detail": "all"}, "detail"), (SUBSCRIBE, {"a": 0}, "a"),
        (READ, {"limit": 0}, "limit"), (READ, {"session": "x"}, "session"), (READ, {"after": "0"}, "after"),
        ("org.scrolld.Recorder.Requests", {"session": 5}, "session"),
    ]:
        wire.send(method, parameters, more=True)
        reply = wire.receive()
        assert reply == {"error": "org.varlink.service.InvalidParameter", "parameters": {"parameter": name}}, (
            f"{method} {parameters}")


def test_more_on_a_method_with_one_answer_gets_one_reply(daemon: Daemon) -> None:
    wire = daemon.connect()
    for method, parameters in [(INFO, {}), (OPEN, {"client": "a"}), (GET, {"client": "a"}),
                               ("org.scrolld.Manager.Statistics", {})]:
        wire.send(method, parameters, more=True)
        assert not wire.receive().get("continues", False), f"{method} continues"
    assert wire.call(INFO)["product"] == "scrolld", "the next call's answer"


def test_a_streaming_method_without_more_expects_more(daemon: Daemon) -> None:
    wire = daemon.connect()
    session = wire.call(OPEN, client="a")["session"]
    for method, parameters in [(LIST, {}), (READ, {}), (SUBSCRIBE, {}),
                               ("org.scrolld.Recorder.Requests", {"session": session})]:
        assert wire.refusal(method, **parameters).name == "org.varlink.service.ExpectedMore", method
    assert wire.call(INFO)["product"] == "scrolld", "the next call's answer"


def test_no_error_continues_and_nothing_continues_without_more(daemon: Daemon) -> None:
    wire = daemon.connect()
    # Wire.receive fails on an error that continues.
    wire.send(SUBSCRIBE, {"after": 99}, more=True)
    assert wire.receive() == {"error": "org.scrolld.Observer.NoSuchPosition", "parameters": {"last": 0}}, "the reply"
    for method, parameters in [(INFO, {}), (OPEN, {"client": "a"}), (GET, {"client": "a"}), (LIST, {}), (READ, {})]:
        wire.send(method, parameters)
        assert not wire.receive().get("continues", False), f"{method} without more continues"


def test_calls_after_a_stream_wait_for_its_end(daemon: Daemon) -> None:
    wire = daemon.connect()
    feeder = Feeder(wire, "queued")
    feeder.feed([SCROLL] * 5000, batch=2500)
    # If the stream ends, all of it comes before the answer to the next call.
    wire.send_raw(message(READ, {}, more=True) + message(INFO))
    numbers = []
    while True:
        reply = wire.receive()
        numbers.append(reply["parameters"].get("number"))
        if not reply.get("continues", False):
            break
    assert numbers == [None, *range(1, 5001)], "numbers of the records"
    assert wire.answer()["product"] == "scrolld", "the answer after the stream"
    # If the stream does not end, the daemon does not execute later calls.
    wire.send_raw(message(SUBSCRIBE, {}, more=True) + message(OPEN, {"client": "never"}))
    while not wire.receive()["parameters"].get("caughtUp"):
        pass
    for _ in range(100):
        require_alive(daemon)
    assert [state["client"] for state in map(lambda r: r["state"], daemon.stream(LIST))] == ["queued"], "open clients"


def test_a_client_that_hangs_up_during_a_stream_leaks_nothing(daemon: Daemon) -> None:
    feeder = Feeder(daemon.connect(), "hang-up")
    feeder.feed([SCROLL] * 20_000, batch=4000)
    require_alive(daemon)
    before = until(lambda: daemon.statistics()["connections"] == 2 and daemon.descriptors(), "one connection remains")
    for method, parameters in [(READ, {}), (SUBSCRIBE, {"after": 0}), (SUBSCRIBE, {"after": 0, "detail": "frames"}),
                               (SUBSCRIBE, {}), ("org.scrolld.Recorder.Requests", {"session": feeder.session})]:
        wires = []
        for _ in range(10):
            wire = Wire(str(daemon.socket_path), receive_buffer=4096)
            wire.send(method, parameters, more=True)
            wires.append(wire)
        for index, wire in enumerate(wires):
            if method != "org.scrolld.Recorder.Requests":
                wire.answer()
            if index % 2:
                # The daemon has unread bytes when the connection ends.
                wire.send(INFO)
            wire.close()
        until(lambda: daemon.statistics()["connections"] == 2, f"{method}: the connections are closed")
        assert daemon.statistics()["subscribers"] == 0, f"{method}: remaining subscribers"
        # The connection that asks for statistics counts, too.
        until(lambda: daemon.descriptors() <= before, f"{method}: the descriptors are closed")
    used = daemon.processor_seconds()
    for _ in range(50):
        require_alive(daemon)
    assert daemon.processor_seconds() - used < 1, "the daemon keeps working for closed connections"


def test_a_client_that_shuts_down_its_sending_side_gets_its_answers(daemon: Daemon) -> None:
    wire = daemon.connect()
    feeder = Feeder(wire, "half")
    wire.send_raw(
        message(APPEND, {"session": feeder.session, "number": 1, "events": [SCROLL] * 4000})
        + message(GET, {"client": "half"}) + message(READ, {"limit": 3000}, more=True) + message(INFO))
    wire.socket.shutdown(socket.SHUT_WR)
    assert wire.answer()["nextNumber"] == 4001, "nextNumber"
    assert wire.answer()["state"]["position"] == 4001, "position of the state"
    records = 0
    while True:
        records += 1
        if not wire.receive().get("continues", False):
            break
    assert records == 3000, "records"
    assert wire.answer()["product"] == "scrolld", "product"
    wire.expect_end()
    # A truncated call gets no answer.
    wire = daemon.connect()
    wire.send_raw(message(INFO)[:-1])
    wire.socket.shutdown(socket.SHUT_WR)
    wire.expect_end()


def test_extreme_integers_pass_and_excessive_input_is_refused(daemon: Daemon) -> None:
    wire = daemon.connect()
    session = wire.call(OPEN, client="extremes")["session"]
    # Errors name the parameter or the expected number, whatever integer was sent.
    refused = wire.refusal(APPEND, session=session, number=2**63 - 1, events=[SCROLL])
    assert (refused.short_name, refused.parameters) == ("NumberGap", {"expected": 1}), "the largest number"
    for value in (-(2**63), 2**63, 2**64, -(2**63) - 1, 10**30):
        refused = wire.refusal(APPEND, session=session, number=value, events=[SCROLL])
        assert (refused.short_name, refused.parameters) == ("InvalidParameter", {"parameter": "number"}), f"{value}"
    for value in (2**63 - 1, -(2**63), 2**64):
        refused = wire.refusal(APPEND, session=session, events=[{**SCROLL, "time": value}])
        assert (refused.short_name, refused.parameters["field"]) == ("InvalidEvent", "time"), f"time {value}"
    assert wire.call(APPEND, session=session, number=1, events=[{**SCROLL, "time": 2**53}])["nextNumber"] == 2, "2^53"
    assert daemon.stream(READ, after=1)[0]["record"]["time"] == 2**53, "the largest time"
    wire.send_raw(f'{{"method":"{APPEND}","parameters":{{"session":"{session}","events":['
                  f'{{"kind":"scroll","time":1,"x":0,"y":1e400}}]}}}}\0'.encode())
    try:
        wire.answer()
        raise AssertionError("1e400 is accepted")
    except Refused as refused:
        assert (refused.short_name, refused.parameters["field"]) == ("InvalidEvent", "y"), "1e400"
    except Ended:
        pass  # the JSON reader may reject the number, which closes the connection
    for depth in (1_000, 100_000):
        for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
            deep = opening * depth + b"1" + closing * depth
            with daemon.connect() as other:
                other.send_raw(b'{"method":"' + INFO.encode() + b'","parameters":{"a":' + deep + b"}}\0")
                try:
                    other.answer()
                    raise AssertionError(f"nesting {depth} deep is accepted")
                except (Refused, Ended):
                    require_alive(daemon)
    for twice in (f'{{"method":"{INFO}","method":"{INFO}"}}', f'{{"method":"{INFO}","parameters":{{}},"parameters":{{}}}}',
                  f'{{"method":"{OPEN}","parameters":{{"client":"a","client":"b"}}}}',
                  f'{{"method":"{OPEN}","parameters":{{"client":"a","cli\\u0065nt":"b"}}}}',
                  f'{{"method":"{INFO}","a.b":{{"c":1,"c":1}}}}',
                  f'{{"method":"{APPEND}","parameters":{{"session":"{session}","events":['
                  f'{{"kind":"scroll","time":1,"x":0,"x":0,"y":0}}]}}}}'):
        require_closed_without_reply(daemon, twice.encode() + b"\0")
    assert daemon.statistics()["lastPosition"] == 2, "records"


def test_a_message_over_the_size_limit_gets_the_error_and_closes_the_connection(workspace: Workspace) -> None:
    for config, limit in (("[Limits]\nMessageSizeMax=64K\n", 64 << 10), (None, 1 << 20)):
        daemon = workspace.daemon(config, name=f"limit-{limit}")
        frame = len(message(INFO, **{"a.b": ""})) - 1
        wire = daemon.connect()
        wire.send_raw(message(INFO, **{"a.b": "x" * (limit - frame)}))
        assert wire.answer()["product"] == "scrolld", f"answer to a message of {limit} bytes"
        for excess in (1, 16 << 20):
            other = daemon.connect()
            other.send_raw(message(INFO) + message(INFO, **{"a.b": "x" * (limit - frame + excess)}))
            assert other.answer()["product"] == "scrolld", "answer to the call before"
            try:
                other.answer()
                raise AssertionError(f"a message of {limit + excess} bytes is accepted")
            except Refused as refused:
                assert (refused.name, refused.parameters) == ("org.scrolld.MessageTooLarge", {"limit": limit})
            other.expect_end()
        # The daemon does not read an endless message forever.
        endless = daemon.connect()
        try:
            for _ in range((64 << 20) // 65536 + limit // 65536 + 200):
                endless.send_raw(b"x" * 65536)
            raise AssertionError("the daemon reads an endless message without a limit")
        except (BrokenPipeError, ConnectionResetError):
            pass
        require_alive(daemon)
        assert daemon.resident_bytes() < (256 << 20), "the daemon holds too much memory"


def test_the_connection_over_the_limit_is_closed(workspace: Workspace) -> None:
    daemon = workspace.daemon("[Limits]\nConnectionsMax=5\n")
    wires = [daemon.connect() for _ in range(5)]
    for wire in wires:
        wire.call(INFO)
    with socket.socket(socket.AF_UNIX) as extra:
        extra.settimeout(10)
        extra.connect(str(daemon.socket_path))
        assert extra.recv(1) == b"", "what the connection over the limit reads"
    for wire in wires:
        assert wire.call(INFO)["product"] == "scrolld", "answers to the other connections"
    wires.pop().close()
    until(lambda: _answers(daemon), "the daemon accepts another connection")


def _answers(daemon) -> bool:
    with daemon.connect() as wire:
        try:
            wire.call(INFO)
            return True
        except (Ended, BrokenPipeError):
            return False


def test_a_users_connection_limit_does_not_affect_other_users(workspace: Workspace, as_user) -> None:
    daemon = workspace.daemon("[Limits]\nConnectionsPerUserMax=3\n")
    path = str(daemon.socket_path)

    def many():
        wires = [Wire(path) for _ in range(3)]
        for wire in wires:
            wire.call(INFO)
        extra = Wire(path)
        extra.expect_end()
        return [wire.call(INFO)["product"] for wire in wires]

    roots = [daemon.connect() for _ in range(10)]
    assert as_user(NOBODY, many) == ["scrolld"] * 3, "answers to the user at its limit"
    for wire in roots:
        assert wire.call(INFO)["product"] == "scrolld", "root's answers"
    until(lambda: daemon.statistics()["connections"] == 11, "the other user's connections are closed")
    assert as_user(NOBODY, many) == ["scrolld"] * 3, "answers to the user after closing its connections"


def test_descriptors_sent_along_are_closed_at_once(daemon: Daemon) -> None:
    wire = daemon.connect()
    wire.call(INFO)
    before = daemon.descriptors()
    reading, writing = os.pipe()
    try:
        for count in (1, 8, 250):
            data = array.array("i", [writing] * count).tobytes()
            wire.socket.sendmsg([message(INFO)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, data)])
            assert wire.answer()["product"] == "scrolld", "product"
            assert daemon.descriptors() == before, f"descriptors after {count} were sent"
        os.close(writing)
        writing = -1
        # The pipe ends only when every copy of its writing end is closed.
        assert os.read(reading, 1) == b"", "the pipe's end"
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)


def test_upgrade_is_refused_and_the_connection_continues(daemon: Daemon) -> None:
    wire = daemon.connect()
    for method in (INFO, OPEN, SUBSCRIBE):
        wire.send(method, {"client": "a"} if method == OPEN else {}, upgrade=True)
        assert "error" in wire.receive(), f"{method} with upgrade"
    assert wire.call(INFO)["product"] == "scrolld", "the next call's answer"
    assert daemon.statistics()["lastPosition"] == 0, "records"


def test_get_info_lists_every_interface_and_each_has_a_description(daemon: Daemon) -> None:
    info = daemon.call(INFO)
    assert set(info) == {"vendor", "product", "version", "url", "interfaces"}, "members of GetInfo"
    assert (
        sorted(info["interfaces"])
        == ["org.scrolld.Manager", "org.scrolld.Observer", "org.scrolld.Recorder", "org.scrolld.Relay", "org.varlink.service"]
    ), "interfaces"
    for interface in info["interfaces"]:
        text = daemon.call(DESCRIPTION, interface=interface)["description"]
        assert f"interface {interface}\n" in text, f"the text of {interface} does not name it"
