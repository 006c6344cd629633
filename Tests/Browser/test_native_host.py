"""The program that browsers start, without a browser."""

import json
import struct
import subprocess

import pytest

from support import programs
from support.workspace import Workspace


@pytest.fixture
def workspace():
    workspace = Workspace()
    yield workspace
    assert workspace.close() == []


def frame(message) -> bytes:
    text = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack("=I", len(text)) + text


#: A path that no program makes, unlike /nonexistent, which is the home of users without one.
ABSENT = "/run/absent/scrolld"


def run(sent: bytes, *arguments: str, socket: str = ABSENT) -> subprocess.CompletedProcess:
    return subprocess.run([programs.path("scroll-native-host"), *arguments], input=sent, capture_output=True, timeout=30,
                          env=programs.environment(SCROLLD_SOCKET=socket))


def messages(output: bytes) -> list[dict]:
    found = []
    while output:
        [length] = struct.unpack("=I", output[:4])
        found.append(json.loads(output[4:4 + length]))
        output = output[4 + length:]
    return found


@pytest.mark.parametrize("sent, said", [
    (b"\0\0\0\0", b"a message of 0 bytes from the browser"),
    (struct.pack("=I", 5 << 20), b"at most 1048576 bytes are allowed"),
    (frame({})[:-1], b"the browser's last message is incomplete: it ends after 5 bytes"),
    (b"\1", b"it ends after 1 bytes"),
    (frame(b"{x}"), b"a message from the browser is not JSON"),
])
def test_broken_frames_end_the_host_with_a_reason(sent, said):
    result = run(sent, "chrome-extension://id/")
    assert result.returncode == 1
    assert said in result.stderr and result.stderr.startswith(b"scroll-native-host: ")
    assert all(message["type"] == "daemon" for message in messages(result.stdout)), "standard output has frames only"


def test_the_end_of_the_input_ends_the_host(workspace):
    daemon = workspace.daemon()
    # Firefox passes the path of the manifest and the extension's id.
    result = run(b"", "/path/org.scrolld.feeder.json", "feeder@scrolld.org", socket=str(daemon.socket_path))
    assert (result.returncode, result.stderr) == (0, b"")


def test_what_was_sent_before_the_end_is_delivered(workspace):
    daemon = workspace.daemon()
    session = "0123456789abcdef0123456789abcdef"
    events = [{"kind": "scroll", "time": number, "x": 0, "y": number} for number in range(1, 1001)]
    operations = [{"op": "open", "session": session, "client": "web/1/0/0"},
                  {"op": "append", "session": session, "number": 1, "events": events}, {"op": "close", "session": session}]
    result = run(frame({"operations": operations}), socket=str(daemon.socket_path))
    assert (result.returncode, result.stderr) == (0, b"")
    types = [message["type"] for message in messages(result.stdout)]
    assert [type for type in types if type not in ("state", "closed")] == ["daemon", "opened", "stored", "ended"]
    records = daemon.stream("org.scrolld.Observer.Read", client="web/1/0/0")
    assert [record["record"]["kind"] for record in records] == ["open", *["scroll"] * 1000, "close"]


def test_what_could_not_be_delivered_is_reported(workspace):
    session = "0123456789abcdef0123456789abcdef"
    operations = [{"op": "open", "session": session, "client": "web/1/0/0"},
                  {"op": "append", "session": session, "number": 1, "events": [{"kind": "scroll", "time": 1, "x": 0, "y": 0}]}]
    result = run(frame({"operations": operations}))
    assert result.returncode == 0
    assert f"1 events did not reach the daemon at {ABSENT}".encode() in result.stderr
    [away] = messages(result.stdout)
    assert away["connected"] is False and "No such file or directory" in away["error"]


def test_help_and_bad_usage():
    result = run(b"", "--help")
    assert result.returncode == 0 and b"Exit status" in result.stdout
    result = run(b"", "--frob")
    assert result.returncode == 2 and "unknown option “--frob”".encode() in result.stderr
