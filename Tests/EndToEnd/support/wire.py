"""Varlink over a plain socket, which can also send what the protocol forbids."""

import json
import socket
from typing import Iterator, Optional


class Refused(Exception):
    """An error reply."""

    def __init__(self, name: str, parameters: dict):
        super().__init__(f"{name} {json.dumps(parameters)}")
        self.name = name
        self.parameters = parameters

    @property
    def short_name(self) -> str:
        return self.name.rpartition(".")[2]


class Ended(Exception):
    """The daemon has ended the connection."""


def message(method: str, parameters: Optional[dict] = None, **flags: bool) -> bytes:
    """The bytes of a call."""
    call = {"method": method, **flags}
    if parameters is not None:
        call["parameters"] = parameters
    return json.dumps(call, ensure_ascii=False, separators=(",", ":")).encode() + b"\0"


class Wire:
    """One connection. Every wait ends after `timeout` seconds."""

    def __init__(self, path: str, timeout: float = 30, receive_buffer: Optional[int] = None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self._buffer = bytearray()
        self._searched = 0

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    # Sending

    def send(self, method: str, parameters: Optional[dict] = None, **flags: bool) -> None:
        self.socket.sendall(message(method, parameters, **flags))

    def send_raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    # Receiving

    def receive_raw(self) -> bytes:
        """The next message without its NUL."""
        while True:
            end = self._buffer.find(0, self._searched)
            if end >= 0:
                data = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._searched = 0
                return data
            self._searched = len(self._buffer)
            try:
                received = self.socket.recv(1 << 18)
            except ConnectionResetError:
                received = b""
            if not received:
                raise Ended("the daemon has ended the connection")
            self._buffer += received

    def receive(self) -> dict:
        """The next reply, after checks of what the protocol forbids."""
        data = self.receive_raw()
        reply = json.loads(data)
        unknown = set(reply) - {"parameters", "continues", "error"}
        if unknown:
            raise AssertionError(f"a reply with {unknown}: {data!r}")
        if "parameters" in reply and not isinstance(reply["parameters"], dict):
            raise AssertionError(f"parameters that are not an object: {data!r}")
        if "error" in reply and "continues" in reply:
            raise AssertionError(f"an error that continues: {data!r}")
        return reply

    def answer(self) -> dict:
        """The parameters of the next reply; raises `Refused` for an error."""
        reply = self.receive()
        if "error" in reply:
            raise Refused(reply["error"], reply.get("parameters", {}))
        return reply.get("parameters", {})

    def call(self, method: str, **parameters) -> dict:
        self.send(method, parameters)
        return self.answer()

    def refusal(self, method: str, **parameters) -> Refused:
        """Makes a call that the daemon must refuse; returns the error."""
        try:
            answer = self.call(method, **parameters)
        except Refused as refused:
            return refused
        raise AssertionError(f"{method} {parameters} was not refused but answered {answer}")

    def stream(self, method: str, **parameters) -> Iterator[dict]:
        """Calls with `more` and yields the replies' parameters until the last one."""
        self.send(method, parameters, more=True)
        while True:
            reply = self.receive()
            if "error" in reply:
                raise Refused(reply["error"], reply.get("parameters", {}))
            yield reply.get("parameters", {})
            if not reply.get("continues", False):
                return

    def expect_end(self) -> None:
        """Waits for the daemon to end the connection, which it must do without a reply."""
        try:
            data = self.receive_raw()
        except Ended:
            return
        raise AssertionError(f"a reply instead of the end: {data!r}")
