"""Debian's Firefox ESR with the extension, without a screen, driven by Marionette."""

import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest

from support import programs, pypi

from . import extension

PATIENCE = 60
PREFERENCES = {
    "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True,
    "network.captive-portal-service.enabled": False,
    "dom.w3c_touch_events.enabled": 1,
    "apz.allow_zooming": True,
    "general.smoothScroll": True,
    "xpinstall.signatures.required": False,
    "extensions.autoDisableScopes": 0,
    "extensions.originControls.grantByDefault": True,
}


class Firefox:
    """A browser with the extension in a fresh profile, and one tab."""

    def __init__(self, directory: Path, copied: Path, environment: dict[str, str]):
        program = shutil.which("firefox-esr")
        if not program:
            pytest.skip("firefox-esr is not installed:  apt-get install firefox-esr")
        pypi.require("marionette_driver==3.4.0")
        from marionette_driver.addons import Addons
        from marionette_driver.marionette import Marionette

        profile = directory / "profile"
        profile.mkdir(parents=True)
        lines = [f'user_pref("{name}", {str(value).lower() if isinstance(value, bool) else value});' for name, value in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines) + "\n")
        self._process = subprocess.Popen(
            [program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", str(profile), "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(directory / "stderr", "ab"),
            env=programs.environment(HOME=str(directory), MOZ_HEADLESS_WIDTH="800", MOZ_HEADLESS_HEIGHT="900", **environment),
            preexec_fn=programs.die_with_parent)
        self.marionette = Marionette(host="127.0.0.1", port=self._port(profile / "MarionetteActivePort"), bin=None)
        self.marionette.start_session()
        self.marionette.timeout.script = PATIENCE
        Addons(self.marionette).install(str(copied), temp=True)
        self.origin = self.chrome("return WebExtensionPolicy.getByID(arguments[0]).getURL('')", extension.FIREFOX_ID)

    def _port(self, file: Path) -> int:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._process.poll() is None:
            if file.exists() and (text := file.read_text().strip()):
                return int(text)
            threading.Event().wait(0.1)
        self._process.kill()
        pytest.skip("firefox-esr does not start here")

    def chrome(self, script: str, *arguments):
        """Runs a script with the browser's own rights."""
        with self.marionette.using_context("chrome"):
            return self.marionette.execute_script(script, script_args=arguments)

    def go(self, address: str) -> None:
        self.marionette.navigate(address)

    def evaluate(self, expression: str):
        """Returns the value of an expression in the page, or of the promise that it is."""
        return self.marionette.execute_async_script(
            "const [expression, done] = arguments; Promise.resolve(window.eval(expression)).then(done, error => done('error: ' + error))",
            script_args=[expression], sandbox=None)

    def command(self, name: str, rest: str = "{}"):
        """Gives the extension a command, as its popup does."""
        self.go(self.origin + "options.html")
        return self.marionette.execute_async_script(
            "const done = arguments[arguments.length - 1]; const rest = JSON.parse(arguments[0]);"
            f"window.wrappedJSObject.chrome.runtime.sendMessage(Components.utils?.cloneInto?.({{ command: '{name}', ...rest }}, window) ?? {{ command: '{name}', ...rest }})"
            ".then(result => done(JSON.stringify(result ?? null)), error => done('error: ' + error))",
            script_args=[rest])

    def touch(self, points: list[tuple[float, float]], pause: float = 0.016) -> None:
        """Moves a real finger through points of the page, and lifts it."""
        for index, (x, y) in enumerate(points):
            self._touch_point(x, y, "TOUCH_CONTACT")
            threading.Event().wait(pause)
        self._touch_point(*points[-1], "TOUCH_REMOVE")

    def _touch_point(self, x: float, y: float, state: str, finger: int = 1) -> None:
        self.chrome(
            """const [x, y, state, finger] = arguments;
            const browser = gBrowser.selectedBrowser, box = browser.getBoundingClientRect(), utils = window.windowUtils;
            const scale = window.devicePixelRatio;
            utils.sendNativeTouchPoint(finger, utils[state], Math.round((window.mozInnerScreenX + box.left + x) * scale),
              Math.round((window.mozInnerScreenY + box.top + y) * scale), 1, 90)""", x, y, state, finger)

    def pinch(self, factor: float, x: float = 200, y: float = 400) -> None:
        """Moves two fingers from or to each other, until their distance has changed by a factor."""
        nearer, further = (40, 40 * factor) if factor > 1 else (160, 160 * factor)
        for step in range(16):
            half = nearer + (further - nearer) * step / 15
            for finger, side in ((1, -half), (2, half)):
                self._touch_point(x, y + side, "TOUCH_CONTACT", finger)
            threading.Event().wait(0.016)
        for finger, side in ((1, -half), (2, half)):
            self._touch_point(x, y + side, "TOUCH_REMOVE", finger)

    def pinch_on_touchpad(self, factor: float, x: float = 200, y: float = 400) -> None:
        for step in range(16):
            self.chrome(
                """const [phase, scale, x, y] = arguments;
                const box = gBrowser.selectedBrowser.getBoundingClientRect(), utils = window.windowUtils, ratio = window.devicePixelRatio;
                utils.sendNativeTouchpadPinch(utils[phase], scale, Math.round((window.mozInnerScreenX + box.left + x) * ratio),
                  Math.round((window.mozInnerScreenY + box.top + y) * ratio), 0)""",
                {0: "PHASE_BEGIN", 15: "PHASE_END"}.get(step, "PHASE_UPDATE"), 1 + (factor - 1) * step / 15, x, y)
            threading.Event().wait(0.016)

    def drag(self, distance: float, x: float = 200, y: float = 500, steps: int = 15) -> None:
        self.touch([(x, y + distance * step / steps) for step in range(steps + 1)])

    def wheel(self, distance: float, x: float = 200, y: float = 300) -> None:
        turn = {"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": distance, "origin": "viewport", "duration": 0}
        self.marionette._send_message("WebDriver:PerformActions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [turn]}]})

    def press(self, key: str) -> None:
        from marionette_driver.marionette import ActionSequence

        ActionSequence(self.marionette, "key", "keyboard").key_down(key).key_up(key).perform()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
