"""The program that browsers start, without a browser."""

import json
import struct
import subprocess
import threading
from pathlib import Path

import pytest

from support import programs
from support.daemon import until
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


def test_a_host_with_a_full_queue_is_small_while_the_daemon_is_away_and_after(workspace):
    daemon = workspace.daemon(start=False)
    host = subprocess.Popen([programs.path("scroll-native-host"), "chrome-extension://id/"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, env=programs.environment(SCROLLD_SOCKET=str(daemon.socket_path)))
    answers: list[dict] = []
    threading.Thread(target=read_answers, args=[host.stdout, answers], daemon=True).start()

    def seen(type: str) -> int:
        return sum(answer["type"] == type for answer in answers)

    def assert_small(when: str) -> None:
        fields = dict(line.split(":\t") for line in Path(f"/proc/{host.pid}/status").read_text().splitlines())
        peak, own = (int(fields[name].split()[0]) for name in ("VmHWM", "RssAnon"))
        print(f"{when}: {peak / 1024:.1f} MiB resident at most, {own / 1024:.1f} MiB of them not of the program and its libraries")
        assert peak <= 12 * 1024 and own <= 3 * 1024

    sessions = [f"{number:032x}" for number in range(1, 51)]
    operations = [{"op": "open", "session": session, "client": f"web/{number}/0/0"} for number, session in enumerate(sessions)]
    for first in (1, 1001):
        events = [{"kind": "scroll", "time": 1_790_000_000_000_000 + number, "x": 0, "y": number + 0.1234, "source": "program"}
                  for number in range(first, first + 1000)]
        operations += [{"op": "append", "session": session, "number": first, "events": events} for session in sessions]
    for operation in operations:
        host.stdin.write(frame({"operations": [operation]}))
    host.stdin.flush()
    until(lambda: seen("full") >= 99, "all batches but one are refused")
    assert_small("while the daemon is away")
    daemon.start()
    until(lambda: seen("stored") and seen("opened") == 50, "the daemon has the sessions")
    assert_small("after it has come")
    host.stdin.close()
    assert host.wait(10) == 0


def read_answers(output, answers: list[dict]) -> None:
    while length := output.read(4):
        answers.append(json.loads(output.read(struct.unpack("=I", length)[0])))


def test_help_and_bad_usage():
    result = run(b"", "--help")
    assert result.returncode == 0 and b"Exit status" in result.stdout
    result = run(b"", "--frob")
    assert result.returncode == 2 and "unknown option “--frob”".encode() in result.stderr
