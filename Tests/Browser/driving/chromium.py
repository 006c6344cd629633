"""Debian's Chromium with the extension, without a screen, driven by the DevTools protocol."""

import itertools
import json
import queue
import subprocess
import threading
import time
from pathlib import Path
from typing import Optional

import pytest

from support import programs, pypi

#: The program itself: Debian's wrapper loads extensions of its own.
PROGRAM = Path("/usr/lib/chromium/chromium")
#: How long Chromium may take to start or to answer, in seconds.
PATIENCE = 60


class ProtocolError(Exception):
    """An error that the browser answered."""


class Chromium:
    """A browser with the extension in a fresh profile. Each tab, frame and worker is a `Target` of its own."""

    def __init__(self, directory: Path, extension: Path, environment: dict[str, str], *flags: str):
        if not PROGRAM.exists():
            pytest.skip("chromium is not installed:  apt-get install chromium")
        pypi.require("websocket-client==1.9.2")
        import websocket

        self.directory = directory
        self._process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
             "--remote-allow-origins=*", "--touch-events=enabled", f"--load-extension={extension}",
             "--disable-features=DisableLoadExtensionCommandLineSwitch", f"--user-data-dir={directory}", *flags, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(directory / "stderr", "ab"),
            env=programs.environment(HOME=str(directory), **environment), preexec_fn=programs.die_with_parent)
        port, path = self._address(directory / "DevToolsActivePort")
        self._socket = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", timeout=PATIENCE)
        self._socket.settimeout(None)
        self._sending = threading.Lock()
        self._ids = itertools.count(1)
        self._answers: dict[int, queue.Queue] = {}
        self._sessions: dict[str, "Target"] = {}
        self._infos: dict[str, dict] = {}
        #: What the consoles of all targets complained about.
        self.complaints: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()
        self.call("Target.setDiscoverTargets", discover=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    def _address(self, file: Path) -> tuple[int, str]:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._process.poll() is None:
            if file.exists() and len(lines := file.read_text().splitlines()) == 2:
                return int(lines[0]), lines[1]
            threading.Event().wait(0.05)
        self._process.kill()
        pytest.skip(f"chromium does not start here: {(self.directory / 'stderr').read_text()[-500:]}")

    def _listen(self) -> None:
        while True:
            try:
                message = json.loads(self._socket.recv())
            except Exception:  # the browser has ended
                return
            if "id" in message:
                self._answers.pop(message["id"]).put(message)
                continue
            method, parameters = message["method"], message["params"]
            if method in ("Target.targetCreated", "Target.targetInfoChanged"):
                self._infos[parameters["targetInfo"]["targetId"]] = parameters["targetInfo"]
            elif method == "Target.targetDestroyed":
                self._infos.pop(parameters["targetId"], None)
            elif target := self._sessions.get(message.get("sessionId")):
                target.handle(method, parameters)

    def call(self, method: str, session: Optional[str] = None, **parameters) -> dict:
        """Calls a method of the protocol."""
        number = next(self._ids)
        answer = self._answers[number] = queue.Queue()
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        with self._sending:
            self._socket.send(json.dumps(message))
        message = answer.get(timeout=PATIENCE)
        if "error" in message:
            raise ProtocolError(f"{method}: {message['error']}")
        return message["result"]

    def targets(self, type: str) -> list[dict]:
        return [info for info in list(self._infos.values()) if info["type"] == type]

    def attach(self, identifier: str) -> "Target":
        session = self.call("Target.attachToTarget", targetId=identifier, flatten=True)["sessionId"]
        target = self._sessions[session] = Target(self, identifier, session)
        target.enable()
        return target

    def worker(self) -> "Target":
        """The extension's service worker, which is started if it is asleep."""
        deadline = time.monotonic() + PATIENCE
        while not (found := [info for info in self.targets("service_worker") if "background.js" in info["url"]]):
            assert time.monotonic() < deadline, "the service worker does not run"
            threading.Event().wait(0.05)
        return self.attach(found[0]["targetId"])

    def open(self, address: str, in_window: bool = False, **size: int) -> "Target":
        """Opens a tab, or a window, and waits until its page is loaded."""
        target = self.attach(self.call("Target.createTarget", url="about:blank", newWindow=in_window)["targetId"])
        if size:
            target.resize(**size)
        target.go(address)
        return target

    def close(self) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait()


class Target:
    """A tab's page, or a worker."""

    def __init__(self, browser: Chromium, identifier: str, session: str):
        self.browser, self.identifier, self.session = browser, identifier, session
        self._loaded = threading.Event()

    def call(self, method: str, **parameters) -> dict:
        return self.browser.call(method, self.session, **parameters)

    def enable(self) -> None:
        for domain in ("Runtime", "Log", "Page"):
            try:
                self.call(f"{domain}.enable")
            except ProtocolError:  # a worker is no page
                pass

    def handle(self, method: str, parameters: dict) -> None:
        complaints = self.browser.complaints
        if method == "Runtime.exceptionThrown":
            complaints.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            complaints.append(json.dumps(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            complaints.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        elif method == "Page.loadEventFired":
            self._loaded.set()

    def go(self, address: str) -> None:
        """Loads a page."""
        self._loaded.clear()
        self.call("Page.navigate", url=address)
        assert self._loaded.wait(PATIENCE), f"{address} does not load"

    def evaluate(self, expression: str):
        """Returns the value of an expression, or of the promise that it is."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def until(self, expression: str, patience: float = 20):
        """Waits until an expression is true; returns its value."""
        deadline = time.monotonic() + patience
        while not (value := self.evaluate(expression)):
            assert time.monotonic() < deadline, f"not within {patience} s: {expression}; now {self.evaluate('document.body.innerText')[:300]}"
            threading.Event().wait(0.02)
        return value

    def close(self) -> None:
        self.browser.call("Target.closeTarget", targetId=self.identifier)

    # Input

    def resize(self, width: int, height: int, scale: float = 1, mobile: bool = True) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)
        self.call("Emulation.setTouchEmulationEnabled", enabled=mobile, maxTouchPoints=5)

    def bring_to_front(self) -> None:
        self.call("Page.bringToFront")

    def frames(self, count: int = 2) -> None:
        """Waits until the page has drawn some frames."""
        self.evaluate(f"new Promise(done => {{ let left = {count}; const next = () => left-- ? requestAnimationFrame(next) : done(); next() }})")

    def drag(self, distance: float, x: float = 100, y: float = 500, steps: int = 12, sideways: float = 0, pause: float = 0.012) -> None:
        """Moves a finger by a distance, negative for up, and lifts it."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for step in range(1, steps + 1):
            self.call("Input.dispatchTouchEvent", type="touchMove",
                      touchPoints=[{"x": x + sideways * step / steps, "y": y + distance * step / steps}])
            threading.Event().wait(pause)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def wheel(self, distance: float, x: float = 100, y: float = 300, sideways: float = 0) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=sideways, deltaY=distance)

    def pinch(self, factor: float, x: float = 195, y: float = 400) -> None:
        """Puts two fingers on the page, moves them until their distance has changed by a factor, and lifts them."""
        nearer, further = (40, 40 * factor) if factor > 1 else (160, 160 * factor)
        steps = 15

        def points(step: int) -> list[dict]:
            half = nearer + (further - nearer) * step / steps
            return [{"x": x, "y": y - half, "id": 0}, {"x": x, "y": y + half, "id": 1}]

        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(0))
        for step in range(1, steps + 1):
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(step))
            threading.Event().wait(0.016)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key: str, code: int, text: str = "") -> None:
        shared = {"key": key, "code": {" ": "Space"}.get(key, key), "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **({"text": text} if text else {}), **shared)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shared)

    def click(self, x: float, y: float) -> None:
        for type in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=type, x=x, y=y, button="left", clickCount=1)
