"""A daemon that means harm: it answers every call with whatever a test gives it."""

import json
import socket
import threading
from pathlib import Path
from typing import Callable

#: Escape sequences, control characters, and characters that change the writing direction or break lines.
EVIL = "\x1b]0;pwned\x07\x1b[2J\x9b31m\x7f\r\u202eevil\u2028\u200f\u2066<b>"
SESSION = "0123456789abcdef0123456789abcdef"


class HostileDaemon:
    """Listens on a socket, and sends what `answer` returns for a method's short name: replies, or raw bytes."""

    def __init__(self, path: Path):
        self.path = path
        self.answer: Callable[[str], "list[dict] | bytes"] = lambda method: []
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        received = b""
        with connection:
            try:
                while data := connection.recv(65536):
                    received += data
                    *messages, received = received.split(b"\0")
                    for message in messages:
                        if not self._reply(connection, json.loads(message)):
                            return
            except OSError:
                pass  # the program under test has seen enough

    def _reply(self, connection: socket.socket, call: dict) -> bool:
        """Answers a call; returns whether the connection stays open."""
        if call.get("oneway"):
            return True
        answers = self.answer(call["method"].rsplit(".", 1)[-1])
        if isinstance(answers, bytes):
            connection.sendall(answers)
            return bool(answers)
        for index, answer in enumerate(answers):
            continues = {"continues": True} if call.get("more") and index + 1 < len(answers) else {}
            connection.sendall(json.dumps({**answer, **continues}).encode() + b"\0")
        return True


def state(number: int, text: str) -> dict:
    return {"client": text, "user": 1000, "session": SESSION, "position": number, "time": number, "toolbar": "hidden",
            "trigger": "scrollDown", "reachBottom": True, "bottomLatch": True, "topButton": True, "x": 1e308, "y": -1e308,
            "zoomScale": 5e-324, "pageIndex": number, "pageCount": number, "indicatorOffset": 1e308, "indicatorWidth": 0,
            "policy": text}


def answers(method: str, number: int, text: str, size: float = 1e308) -> list[dict]:
    """Well-formed answers to a method, with a number and a text in every place for one, and events of some size."""
    def record(content: dict, **members: int) -> dict:
        return {"position": number, "received": number, "client": text, "user": 1000, "session": SESSION, **members,
                "record": content}

    about = {"client": text, "user": 1, "session": SESSION, "time": number}
    time = min(max(number, 0), 2**53)
    opening = {"kind": "open", "time": time, "client": "a", "application": text, "title": text, "policy": "safari",
               "rule": "safari", "parameters": [{"name": "hideDistance", "value": "10"}]}
    events = [{"kind": "layout", "time": time, "contentHeight": size, "frameHeight": 5e-324, "contentWidth": size,
               "frameWidth": 5e-324, "insetTop": -size},
              {"kind": "scroll", "time": 0, "x": size, "y": size}, {"kind": "scroll", "time": time, "x": -size, "y": -size}]
    replies = {
        "List": [{"state": state(number, text)}], "Get": [{"state": state(number, text)}],
        "Subscribe": [
            {"position": number, "opened": {**about, "application": text, "title": text, "policy": text}},
            {"position": number, "transition": {**state(number, text), "changed": ["toolbar", text], "reason": text}},
            {"position": number, "state": state(number, text)},
            {"position": number, "closed": {**about, "reason": text}},
            {"position": number, "caughtUp": True, "generation": number}],
        "Read": [
            record(opening), *(record(event, number=number) for event in events),
            record({"kind": "request", "time": time, "target": "page", "page": max(number, 0)}),
            record({"kind": "response", "time": time, "request": number, "done": False, "reason": text}),
            record({"kind": "close", "time": time, "reason": "asked"})],
        "Statistics": [{
            "version": text, "generation": number, "firstPosition": number, "lastPosition": number,
            "syncedPosition": number, "sessions": number, "connections": number, "subscribers": number,
            "metrics": [{"name": name, "value": number, "kind": "counter"}
                        for name in (text, "packed_records", "packed_bytes", "log_bytes", "")]}],
        "Vacuum": [{"firstPosition": number, "freed": number}], "Forget": [{"records": number}],
        "Scroll": [{"position": number}], "Sync": [{"position": number}],
        "Backup": [{"directory": "/nonexistent", "firstPosition": number, "lastPosition": number, "generation": number,
                    "files": [{"name": "../../etc/passwd", "firstPosition": number, "bytes": number}] * 3}],
        "Open": [{"session": SESSION, "nextNumber": number, "generation": number}],
        "Import": [{"session": SESSION, "nextNumber": number, "generation": number}],
        "Append": [{"position": number, "nextNumber": number, "durable": True, "generation": number}],
    }
    return [{"parameters": parameters} for parameters in replies.get(method, [{}])]


def errors(number: int) -> list[dict]:
    """Errors of the interfaces, with a number and an evil text in every place for one."""
    return [{"error": name, "parameters": parameters} for name, parameters in [
        ("org.scrolld.Observer.LogDamaged", {"file": EVIL, "offset": number, "next": number}),
        ("org.scrolld.Manager.BadConfiguration", {"file": EVIL, "line": number, "key": EVIL, "reason": EVIL}),
        ("org.scrolld.Recorder.InvalidEvent", {"index": number, "field": EVIL, "reason": EVIL}),
        ("org.scrolld.Recorder.NumberGap", {"expected": number}),
        ("org.scrolld.Recorder.TooManyEvents", {"limit": number}),
        ("org.scrolld.Observer.AmbiguousClient", {"users": [number, -1]}),
        ("org.scrolld.Observer.PositionTrimmed", {"first": number}),
        ("org.scrolld.Observer.PositionTakenBack", {"last": number}),
        ("org.scrolld.Manager.NotRemoved", {"file": EVIL, "reason": EVIL}),
        ("org.varlink.service.InvalidParameter", {"parameter": EVIL}),
        (EVIL, {EVIL: EVIL})]]


#: Bytes that are no replies. Empty ones close the connection.
BROKEN = [b"\xff\xfe\0", b"{}\0{}\0{}\0", b'{"parameters":{"state":' + b"[" * 5000 + b"\0", b'{"parameters":5}\0',
          b'{"error":5}\0', b"\0", b""]
