"""What a Varlink server must get right, rule by rule, against the daemon."""

import array
import json
import os
import socket

from support.daemon import until
from support.recordings import Feeder
from support.runner import Skip, check, equal, require
from support.users import NOBODY, as_user
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
    """Sends something behind a good call: the good one is answered, then the connection ends, and the daemon goes on."""
    with daemon.connect() as wire:
        wire.send_raw(message(INFO) + data)
        require("parameters" in wire.receive(), "no answer to the call before")
        wire.expect_end()
    require_alive(daemon)


def require_alive(daemon) -> None:
    equal(daemon.call(INFO)["product"], "scrolld", "product")


@check("varlink 1: a call split at every byte boundary gets the same answer")
def split(workspace: Workspace):
    daemon = workspace.daemon()
    call = message(DESCRIPTION, {"interface": "org.scrolld.Manager"})
    wire = daemon.connect()
    wire.send_raw(call)
    whole = wire.receive_raw()
    for at in range(1, len(call)):
        wire.send_raw(call[:at])
        # A call on another connection that is answered shows that the daemon has seen the first part alone.
        require_alive(daemon)
        wire.send_raw(call[at:])
        equal(wire.receive_raw(), whole, f"answer to a call split at byte {at}")
    for byte in call:
        wire.send_raw(bytes([byte]))
    equal(wire.receive_raw(), whole, "answer to a call that came byte by byte")


@check("varlink 2: 1,000 calls in one write get 1,000 answers in order")
def pipelined(workspace: Workspace):
    daemon = workspace.daemon()
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
            equal(reply["parameters"]["nextNumber"], (number + 1) // 2 + 1, f"answer {number}")
        else:
            equal(reply["parameters"], {"method": f"org.scrolld.Recorder.NoSuchMethod{number}"}, f"answer {number}")


@check("varlink 3: spaces and newlines between tokens are accepted, and none is sent")
def spaces(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    wire.send_raw(b' \r\n{\t"method" :\n"' + OPEN.encode() + b'" , "parameters"\r: { "client" : "a b" } } \n\0')
    data = wire.receive_raw()
    equal(data, json.dumps(json.loads(data), separators=(",", ":")).encode(), "the reply without spaces")


@check("varlink 4: parameters that are absent, null and empty are the same")
def no_parameters(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    answers = []
    for rest in (b"", b',"parameters":null', b',"parameters":{}'):
        wire.send_raw(b'{"method":"' + INFO.encode() + b'"' + rest + b"}\0")
        answers.append(wire.receive_raw())
    equal(answers, answers[:1] * 3, "answers")


@check("varlink 5: a oneway call is never answered, not even with an error; the next call is")
def oneway(workspace: Workspace):
    daemon = workspace.daemon()
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
    equal((answer["session"], answer["nextNumber"]), (session, 3), "the only answer")
    equal(daemon.metric("oneway_calls_refused") >= 4, True, "refused oneway calls are counted")


@check("varlink 6: two of the flags true: closed without a reply")
def two_flags(workspace: Workspace):
    daemon = workspace.daemon()
    for flags in ({"oneway": True, "more": True}, {"more": True, "upgrade": True}, {"oneway": True, "upgrade": True},
                  {"oneway": True, "more": True, "upgrade": True}):
        require_closed_without_reply(daemon, message(INFO, **flags))
    # False is as good as absent.
    wire = daemon.connect()
    wire.send(INFO, oneway=False, more=True, upgrade=False)
    require("parameters" in wire.receive(), "a call with two flags that are false")


@check("varlink 7: a flag that is no boolean: closed")
def flag_types(workspace: Workspace):
    daemon = workspace.daemon()
    for flag in ("oneway", "more", "upgrade"):
        for value in ("1", "0", '"true"', "null", "[]", "{}"):
            require_closed_without_reply(daemon, f'{{"method":"{INFO}","{flag}":{value}}}\0'.encode())


@check("varlink 8: an unknown member without a dot in its name: closed")
def unknown_member(workspace: Workspace):
    daemon = workspace.daemon()
    for name in ("id", "", "Method", "error", "continues"):
        require_closed_without_reply(daemon, f'{{"method":"{INFO}","{name}":1}}\0'.encode())


@check("varlink 9: an unknown member with a dot in its name: ignored")
def dotted_member(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    wire.send_raw(f'{{"com.example.trace":{{"deep":[1,{{}}]}},"method":"{INFO}","a.b":null}}\0'.encode())
    equal(wire.answer()["product"], "scrolld", "product")


@check("varlink 10: no method, or one that is no string: closed")
def no_method(workspace: Workspace):
    daemon = workspace.daemon()
    for text in ("{}", '{"parameters":{}}', '{"method":null}', '{"method":1}', '{"method":["a.B"]}', '{"method":{}}'):
        require_closed_without_reply(daemon, text.encode() + b"\0")


@check("varlink 11: no object, bad JSON, bad UTF-8, an empty message: closed")
def garbage(workspace: Workspace):
    daemon = workspace.daemon()
    good = message(INFO)[:-1]
    bad = [
        b"", b" ", b"[]", b"1", b"null", b'"text"', b"{", good[:-1], good + b"}", good + b" {}", good[:-1] + b",}",
        b"{'method':'" + INFO.encode() + b"'}", b"GET / HTTP/1.1\r\n\r\n", b"\xff\xfe", b"\xef\xbb\xbf" + good,
        b'{"method":"' + INFO.encode() + b'","parameters":[]}',
        b'{"method":"' + INFO.encode() + b'","parameters":"x"}',
    ]
    # Values that nobody asks for are looked at all the same.
    for value in (b"tru", b"nul", b"01", b"1.", b".5", b"+1", b"[1 2]", b"[1,]", b"{1:2}", b'{"a" 1}', b"NaN",
                  b"Infinity", b"-", b"1e", b'"\x01"', b'"\\x"', b'"\\u12"', b'"\xc3\x28"', b'"\xed\xa0\x80"',
                  b'"\\ud800"'):
        bad.append(b'{"method":"' + INFO.encode() + b'","a.b":' + value + b"}")
    for data in bad:
        try:
            require_closed_without_reply(daemon, data + b"\0")
        except AssertionError as error:
            raise AssertionError(f"{data!r}: {error}") from error


@check("varlink 12: unknown interface and unknown method, each with its own error")
def unknown(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    for method, error, parameters in [
        ("org.example.Nothing.Do", "InterfaceNotFound", {"interface": "org.example.Nothing"}),
        ("org.scrolld.Recorder.Nothing", "MethodNotFound", {"method": "org.scrolld.Recorder.Nothing"}),
        ("org.varlink.service.Nothing", "MethodNotFound", {"method": "org.varlink.service.Nothing"}),
    ]:
        refused = wire.refusal(method)
        equal((refused.name, refused.parameters), (f"org.varlink.service.{error}", parameters), method)
    refused = wire.refusal(DESCRIPTION, interface="org.example.Nothing")
    equal((refused.name, refused.parameters),
          ("org.varlink.service.InterfaceNotFound", {"interface": "org.example.Nothing"}), "description of an unknown one")
    for method in ("", "Nothing", ".", "a.", "org.scrolld.Recorder."):
        require(wire.refusal(method).name.startswith("org.varlink.service."), f"refusal of “{method}”")


@check("varlink 13: a missing, unknown or wrongly typed parameter is named")
def bad_parameters(workspace: Workspace):
    daemon = workspace.daemon()
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
        equal((refused.name, refused.parameters), ("org.varlink.service.InvalidParameter", {"parameter": name}),
              f"{method} {parameters}")
    for method, parameters, name in [
        (LIST, {"clients": "a"}, "clients"), (LIST, {"clients": [1]}, "clients"), (LIST, {"globs": []}, "globs"),
        (SUBSCRIBE, {"after": -1}, "after"), (SUBSCRIBE, {"detail": "all"}, "detail"), (SUBSCRIBE, {"a": 0}, "a"),
        (READ, {"limit": 0}, "limit"), (READ, {"session": "x"}, "session"), (READ, {"after": "0"}, "after"),
        ("org.scrolld.Recorder.Requests", {"session": 5}, "session"),
    ]:
        wire.send(method, parameters, more=True)
        reply = wire.receive()
        equal(reply, {"error": "org.varlink.service.InvalidParameter", "parameters": {"parameter": name}},
              f"{method} {parameters}")


@check("varlink 14: more on a method with one answer: one reply without continues")
def needless_more(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    for method, parameters in [(INFO, {}), (OPEN, {"client": "a"}), (GET, {"client": "a"}),
                               ("org.scrolld.Manager.Statistics", {})]:
        wire.send(method, parameters, more=True)
        require(not wire.receive().get("continues", False), f"{method} continues")
    equal(wire.call(INFO)["product"], "scrolld", "the next call's answer")


@check("varlink 15: a streaming method called without more: ExpectedMore")
def missing_more(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    session = wire.call(OPEN, client="a")["session"]
    for method, parameters in [(LIST, {}), (READ, {}), (SUBSCRIBE, {}),
                               ("org.scrolld.Recorder.Requests", {"session": session})]:
        equal(wire.refusal(method, **parameters).name, "org.varlink.service.ExpectedMore", method)
    equal(wire.call(INFO)["product"], "scrolld", "the next call's answer")


@check("varlink 16: no error continues, and without more nothing does")
def continues(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    # Wire.receive fails on an error that continues.
    wire.send(SUBSCRIBE, {"after": 99}, more=True)
    equal(wire.receive(), {"error": "org.scrolld.Observer.NoSuchPosition", "parameters": {"last": 0}}, "the reply")
    for method, parameters in [(INFO, {}), (OPEN, {"client": "a"}), (GET, {"client": "a"}), (LIST, {}), (READ, {})]:
        wire.send(method, parameters)
        require(not wire.receive().get("continues", False), f"{method} without more continues")


@check("varlink 17: calls queued behind a stream wait for its end")
def behind_a_stream(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    feeder = Feeder(wire, "queued")
    feeder.feed([SCROLL] * 5000, batch=2500)
    # A stream that ends: all of it comes before the answer to the next call.
    wire.send_raw(message(READ, {}, more=True) + message(INFO))
    numbers = []
    while True:
        reply = wire.receive()
        numbers.append(reply["parameters"].get("number"))
        if not reply.get("continues", False):
            break
    equal(numbers, [None, *range(1, 5001)], "numbers of the records")
    equal(wire.answer()["product"], "scrolld", "the answer behind the stream")
    # A stream that doesn't end: what stands behind it is not carried out.
    wire.send_raw(message(SUBSCRIBE, {}, more=True) + message(OPEN, {"client": "never"}))
    while not wire.receive()["parameters"].get("caughtUp"):
        pass
    for _ in range(100):
        require_alive(daemon)
    equal([state["client"] for state in map(lambda r: r["state"], daemon.stream(LIST))], ["queued"], "open clients")


@check("varlink 18: the client hangs up in mid-stream: the work stops and nothing leaks")
def hang_up(workspace: Workspace):
    daemon = workspace.daemon()
    feeder = Feeder(daemon.connect(), "hang-up")
    feeder.feed([SCROLL] * 20_000, batch=4000)
    require_alive(daemon)
    before = until(lambda: daemon.statistics()["connections"] == 2 and daemon.descriptors(), "one connection left")
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
                # Bytes unread on the daemon's side when it ends.
                wire.send(INFO)
            wire.close()
        until(lambda: daemon.statistics()["connections"] == 2, f"{method}: connections gone")
        equal(daemon.statistics()["subscribers"], 0, f"{method}: subscribers left")
        # The connection that asks for statistics is counted, too.
        until(lambda: daemon.descriptors() <= before, f"{method}: descriptors closed")
    used = daemon.processor_seconds()
    for _ in range(50):
        require_alive(daemon)
    require(daemon.processor_seconds() - used < 1, "the daemon goes on working for nobody")


@check("varlink 19: the client shuts down its writing side and still gets its answers")
def half_close(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    feeder = Feeder(wire, "half")
    wire.send_raw(
        message(APPEND, {"session": feeder.session, "number": 1, "events": [SCROLL] * 4000})
        + message(GET, {"client": "half"}) + message(READ, {"limit": 3000}, more=True) + message(INFO))
    wire.socket.shutdown(socket.SHUT_WR)
    equal(wire.answer()["nextNumber"], 4001, "nextNumber")
    equal(wire.answer()["state"]["position"], 4001, "position of the state")
    records = 0
    while True:
        records += 1
        if not wire.receive().get("continues", False):
            break
    equal(records, 3000, "records")
    equal(wire.answer()["product"], "scrolld", "product")
    wire.expect_end()
    # A call that was cut off is none.
    wire = daemon.connect()
    wire.send_raw(message(INFO)[:-1])
    wire.socket.shutdown(socket.SHUT_WR)
    wire.expect_end()


@check("varlink 20: extreme integers pass; what is beyond, deep or given twice is refused and crashes nothing")
def extremes(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    session = wire.call(OPEN, client="extremes")["session"]
    # Integers come back unharmed in the errors that repeat or refuse them.
    refused = wire.refusal(APPEND, session=session, number=2**63 - 1, events=[SCROLL])
    equal((refused.short_name, refused.parameters), ("NumberGap", {"expected": 1}), "the largest number")
    for value in (-(2**63), 2**63, 2**64, -(2**63) - 1, 10**30):
        refused = wire.refusal(APPEND, session=session, number=value, events=[SCROLL])
        equal((refused.short_name, refused.parameters), ("InvalidParameter", {"parameter": "number"}), f"{value}")
    for value in (2**63 - 1, -(2**63), 2**64):
        refused = wire.refusal(APPEND, session=session, events=[{**SCROLL, "time": value}])
        equal((refused.short_name, refused.parameters["field"]), ("InvalidEvent", "time"), f"time {value}")
    equal(wire.call(APPEND, session=session, number=1, events=[{**SCROLL, "time": 2**53}])["nextNumber"], 2, "2^53")
    equal(daemon.stream(READ, after=1)[0]["record"]["time"], 2**53, "the largest time")
    wire.send_raw(f'{{"method":"{APPEND}","parameters":{{"session":"{session}","events":['
                  f'{{"kind":"scroll","time":1,"x":0,"y":1e400}}]}}}}\0'.encode())
    try:
        wire.answer()
        raise AssertionError("1e400 is accepted")
    except Refused as refused:
        equal((refused.short_name, refused.parameters["field"]), ("InvalidEvent", "y"), "1e400")
    except Ended:
        pass  # refused as a number that JSON's reader can't hold, which is as good
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
    equal(daemon.statistics()["lastPosition"], 2, "records")


@check("varlink 21: a message just under the size limit is answered, one over it closes the connection")
def size_limit(workspace: Workspace):
    for config, limit in (("[Limits]\nMessageSizeMax=64K\n", 64 << 10), (None, 16 << 20)):
        daemon = workspace.daemon(config, name=f"limit-{limit}")
        frame = len(message(INFO, **{"a.b": ""})) - 1
        wire = daemon.connect()
        wire.send_raw(message(INFO, **{"a.b": "x" * (limit - frame)}))
        equal(wire.answer()["product"], "scrolld", f"answer to a message of {limit} bytes")
        other = daemon.connect()
        try:
            other.send_raw(message(INFO, **{"a.b": "x" * (limit - frame + 1)}))
            other.expect_end()
        except BrokenPipeError:
            pass  # closed while we were still sending
        # One that never ends is not waited for, either.
        endless = daemon.connect()
        try:
            for _ in range(limit // 65536 + 200):
                endless.send_raw(b"x" * 65536)
            raise AssertionError("a message without an end is taken in without a bound")
        except (BrokenPipeError, ConnectionResetError):
            pass
        require_alive(daemon)
        require(daemon.resident_bytes() < (256 << 20), "it holds much memory")


@check("varlink 22: limits on connections hold, and the one too many is shut down")
def connection_limit(workspace: Workspace):
    daemon = workspace.daemon("[Limits]\nConnectionsMax=5\n")
    wires = [daemon.connect() for _ in range(5)]
    for wire in wires:
        wire.call(INFO)
    with socket.socket(socket.AF_UNIX) as extra:
        extra.settimeout(10)
        extra.connect(str(daemon.socket_path))
        equal(extra.recv(1), b"", "what the one too many reads")
    for wire in wires:
        equal(wire.call(INFO)["product"], "scrolld", "the others' answers")
    wires.pop().close()
    until(lambda: _answers(daemon), "a place is free again")


def _answers(daemon) -> bool:
    with daemon.connect() as wire:
        try:
            wire.call(INFO)
            return True
        except (Ended, BrokenPipeError):
            return False


@check("varlink 22: limits for each user hold, and other users don't notice")
def connection_limit_per_user(workspace: Workspace):
    if os.getuid() != 0:
        raise Skip("needs root, to be a second user")
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
    equal(as_user(NOBODY, many), ["scrolld"] * 3, "answers to the user at its limit")
    for wire in roots:
        equal(wire.call(INFO)["product"], "scrolld", "root's answers")
    until(lambda: daemon.statistics()["connections"] == 11, "the other user's connections gone")
    equal(as_user(NOBODY, many), ["scrolld"] * 3, "answers once the places are free again")


@check("varlink 23: file descriptors that are sent along are closed at once")
def sent_descriptors(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    wire.call(INFO)
    before = daemon.descriptors()
    reading, writing = os.pipe()
    try:
        for count in (1, 8, 250):
            data = array.array("i", [writing] * count).tobytes()
            wire.socket.sendmsg([message(INFO)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, data)])
            equal(wire.answer()["product"], "scrolld", "product")
            equal(daemon.descriptors(), before, f"descriptors after {count} were sent")
        os.close(writing)
        writing = -1
        # Only when every copy of the writing end is closed does the pipe end.
        equal(os.read(reading, 1), b"", "the pipe's end")
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)


@check("varlink 24: upgrade: an error, and the connection goes on")
def upgrade(workspace: Workspace):
    daemon = workspace.daemon()
    wire = daemon.connect()
    for method in (INFO, OPEN, SUBSCRIBE):
        wire.send(method, {"client": "a"} if method == OPEN else {}, upgrade=True)
        require("error" in wire.receive(), f"{method} with upgrade")
    equal(wire.call(INFO)["product"], "scrolld", "the next call's answer")
    equal(daemon.statistics()["lastPosition"], 0, "records")


@check("varlink 25: GetInfo lists every interface, itself too, and each one's text is given")
def introspection(workspace: Workspace):
    daemon = workspace.daemon()
    info = daemon.call(INFO)
    equal(set(info), {"vendor", "product", "version", "url", "interfaces"}, "members of GetInfo")
    equal(sorted(info["interfaces"]),
          ["org.scrolld.Manager", "org.scrolld.Observer", "org.scrolld.Recorder", "org.varlink.service"], "interfaces")
    for interface in info["interfaces"]:
        text = daemon.call(DESCRIPTION, interface=interface)["description"]
        require(f"interface {interface}\n" in text, f"the text of {interface} does not name it")
