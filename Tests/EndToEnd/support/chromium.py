"""Debian's Chromium without a screen, driven by the DevTools protocol."""

import base64
import itertools
import json
import queue
import shutil
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

import pytest

from . import programs, pypi

#: How long Chromium may take to start or to answer, in seconds.
PATIENCE = 60


class Chromium:
    """A browser with one page. It notes every request, and every message of the console that is a complaint."""

    def __init__(self, directory: Path):
        path = shutil.which("chromium")
        if not path:
            pytest.skip("chromium is not installed:  apt-get install chromium")
        pypi.require("websocket-client==1.9.2")
        import websocket

        self._process = subprocess.Popen(
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
             "--remote-allow-origins=*", "--hide-scrollbars", f"--user-data-dir={directory}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=programs.environment(HOME=str(directory)), preexec_fn=programs.die_with_parent)
        port = self._port(directory / "DevToolsActivePort")
        threading.Thread(target=self._process.stderr.read, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE) as reply:
            [page] = [target for target in json.load(reply) if target["type"] == "page"]
        self._socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=PATIENCE)
        self._ids = itertools.count(1)
        self._answers: dict[int, queue.Queue] = {}
        #: The addresses that were requested, and the complaints of the console.
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def _port(self, file: Path) -> int:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._process.poll() is None:
            if file.exists() and (lines := file.read_text().splitlines()):
                return int(lines[0])
            threading.Event().wait(0.05)
        self._process.kill()
        pytest.skip(f"chromium does not start here: {self._process.stderr.read()[-500:]}")

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
            if method == "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            elif method == "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(parameters["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                self.complaints.append(json.dumps(parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                self.complaints.append(parameters["entry"]["text"])
            elif method == "Page.javascriptDialogOpening":
                self.complaints.append(f"dialog: {parameters['message']}")
            elif method == "Page.loadEventFired":
                self._loaded.set()

    def call(self, method: str, **parameters) -> dict:
        """Calls a method of the protocol."""
        number = next(self._ids)
        answer = self._answers[number] = queue.Queue()
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        message = answer.get(timeout=PATIENCE)
        assert "error" not in message, f"{method}: {message.get('error')}"
        return message["result"]

    def open(self, path: Path, fragment: str = "") -> None:
        """Loads a file afresh."""
        for address in ("about:blank", f"file://{path}{fragment}"):
            self._loaded.clear()
            self.call("Page.navigate", url=address)
            assert self._loaded.wait(PATIENCE), f"{address} does not load"

    def evaluate(self, expression: str):
        """Returns the value of an expression, or of the promise that it is."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def show(self, width: int, height: int = 900, scheme: str = "light") -> None:
        """Sets the size of the window, and whether the user prefers light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key: str, code: int, text: str = "", shift: bool = False) -> None:
        """Presses and releases a key."""
        shared = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **({"text": text} if text else {}), **shared)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shared)

    def screenshot(self, path: Path) -> None:
        """Takes a picture of the whole page."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(picture["data"]))

    def close(self) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait()
