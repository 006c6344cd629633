"""Varlink clients by other authors."""

import asyncio
import json
import shutil
import subprocess

import pytest

from support.daemon import Daemon
from support.recordings import Feeder, recordings

INTERFACES = ["org.scrolld.Manager", "org.scrolld.Observer", "org.scrolld.Recorder", "org.scrolld.Relay", "org.varlink.service"]


@pytest.mark.usefixtures("pypi_packages")
def test_the_varlink_module_of_pypi_can_call_every_kind_of_method(daemon: Daemon) -> None:
    import varlink

    recording = recordings()[0]
    with varlink.Client.new_with_address(f"unix:{daemon.socket_path}") as client:
        assert sorted(client.get_interfaces()) == INTERFACES, "interfaces"
        for name in INTERFACES:
            # Fetches and parses the description.
            assert client.get_interface(name).name == name, f"{name} does not parse"
        with client.open("org.scrolld.Recorder") as recorder, client.open("org.scrolld.Observer") as observer:
            opened = recorder.Open("python/1", "Python", "A title")
            assert opened["nextNumber"] == 1, "nextNumber"
            replies = observer.Subscribe(["python/*"], 0, _more=True)
            assert next(replies)["opened"]["title"] == "A title", "the first reply"
            assert next(replies)["caughtUp"] is True, "the second reply"
            appended = recorder.Append(opened["session"], 1, recording.events)
            assert (appended["position"], appended["durable"]) == (len(recording.events) + 1, True), "Append"
            heard = []
            while len(heard) < len(recording.expected("safari")):
                reply = next(replies)
                if reply.get("transition"):
                    heard.append({name: value for name, value in reply["transition"].items() if value is not None})
            recording.require_transitions(
                "safari", heard, lambda transition: recording.lines[transition["position"] - 2])
        with client.open("org.scrolld.Observer") as observer:
            state = observer.Get("python/1")["state"]
            assert (state["client"], state["position"]) == ("python/1", appended["position"]), "Get"
            listed = [reply["state"]["client"] for reply in observer.List(_more=True)]
            assert listed == ["python/1"], "List"
            records = [reply["record"]["kind"] for reply in observer.Read(opened["session"], _more=True)]
            assert records == ["open"] + [event["kind"] for event in recording.events], "Read"
            try:
                observer.Get("nobody")
                raise AssertionError("Get of an unknown client succeeded")
            except varlink.VarlinkError as error:
                assert error.error() == "org.scrolld.Observer.NoSuchClient", "the error"
        with client.open("org.scrolld.Recorder") as recorder:
            try:
                recorder.Append(opened["session"], None, [{"kind": "scroll", "time": 1, "x": 0.0}])
                raise AssertionError("a bad event was accepted")
            except varlink.VarlinkError as error:
                assert (error.error(), error.parameters()["field"]) == ("org.scrolld.Recorder.InvalidEvent", "y"), (
                    "error")
            recorder.Close(opened["session"], _oneway=True)
            assert recorder.Open("python/2")["session"], "no answer after a oneway call"
        with client.open("org.scrolld.Manager") as manager:
            metrics = {metric["name"]: metric["value"] for metric in manager.Statistics()["metrics"]}
            assert metrics["events_appended"] == len(recording.events), "events_appended"


@pytest.mark.usefixtures("pypi_packages")
def test_asyncvarlink_of_pypi_can_subscribe_and_pipeline_calls(daemon: Daemon) -> None:
    pytest.importorskip("asyncvarlink", reason="asyncvarlink is not installed")
    from asyncvarlink import VarlinkClientProtocol, VarlinkMethodCall, connect_unix_varlink

    recording = recordings()[0]

    async def connect():
        transport, protocol = await connect_unix_varlink(VarlinkClientProtocol, str(daemon.socket_path))
        return transport, protocol

    async def call(protocol, method: str, **parameters) -> dict:
        reply, _ = await protocol.call(VarlinkMethodCall(method, parameters))
        assert (reply.error, reply.continues) == (None, False), f"{method} {reply.parameters}"
        return reply.parameters

    async def subscribe(protocol, heard: list[dict]) -> None:
        parameters = {"clients": ["async"], "after": 0}
        async for reply, _ in protocol.call_more(
                VarlinkMethodCall("org.scrolld.Observer.Subscribe", parameters, more=True)):
            assert (reply.error, reply.continues) == (None, True), "a reply of Subscribe"
            heard.append(reply.parameters)
            if "closed" in reply.parameters:
                return

    async def talk() -> list[dict]:
        # Closing a connection with an open call makes asyncvarlink report an unhandled exception.
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        (one, feeding), (other, listening) = await connect(), await connect()
        heard: list[dict] = []
        try:
            info = await call(feeding, "org.varlink.service.GetInfo")
            assert sorted(info["interfaces"]) == INTERFACES, "interfaces"
            subscription = asyncio.create_task(subscribe(listening, heard))
            session = (await call(feeding, "org.scrolld.Recorder.Open", client="async"))["session"]
            await asyncio.gather(*(
                call(feeding, "org.scrolld.Recorder.Append", session=session, number=number, events=[event])
                for number, event in enumerate(recording.events, 1)))
            await call(feeding, "org.scrolld.Recorder.Close", session=session)
            await subscription
        finally:
            one.close()
            other.close()
        return heard

    heard = asyncio.run(asyncio.wait_for(talk(), 60))
    transitions = [reply["transition"] for reply in heard if "transition" in reply]
    recording.require_transitions("safari", transitions, lambda transition: recording.lines[transition["position"] - 2])


def test_varlinkctl_can_introspect_and_call(daemon: Daemon) -> None:
    if not shutil.which("varlinkctl"):
        pytest.skip("varlinkctl is not installed (systemd 255 or later has it)")
    recording = recordings()[0]
    feeder = Feeder(daemon.connect(), "shell/1")
    feeder.feed(recording.events)
    feeder.close()
    Feeder(daemon.connect(), "shell/2")
    address = f"unix:{daemon.socket_path}"

    def run(*arguments: str) -> str:
        result = subprocess.run(["varlinkctl", *arguments], capture_output=True, text=True, timeout=30)
        assert (result.returncode, result.stderr) == (0, ""), f"varlinkctl {arguments}"
        return result.stdout

    assert "scrolld" in run("info", address), "varlinkctl info"
    for name in INTERFACES:
        assert f"interface {name}" in run("introspect", address, name), f"varlinkctl introspect {name}"
    state = json.loads(run("call", "--json=short", address, "org.scrolld.Observer.Get", '{"client":"shell/1"}'))["state"]
    assert state["client"] == "shell/1", "varlinkctl call"
    # A JSON text sequence (RFC 7464): a record separator precedes each text.
    texts = run("call", "--more", "--json=short", address, "org.scrolld.Observer.Read", "{}").split("\x1e")
    records = [json.loads(text) for text in texts if text.strip()]
    assert [record["position"] for record in records] == list(range(1, len(recording.events) + 4)), "positions"
