"""A browser that feeds a daemon."""

import subprocess
import threading
from pathlib import Path

from support.daemon import Daemon, until
from support.workspace import Workspace

from . import extension
from .chromium import Chromium, Target
from .pages import Server

SITE = "http://localhost"


class Fed:
    """A daemon, a Chromium with the extension, and the site http://localhost, which is on."""

    def __init__(self, daemon: Daemon, chromium: Chromium, server: Server):
        self.daemon, self.chromium, self.server = daemon, chromium, server
        self._closed = threading.Event()
        threading.Thread(target=self._read_notifications, daemon=True).start()

    @classmethod
    def start(cls, workspace: Workspace, server: Server, *flags: str, name: str = "daemon", config: str | None = None, is_on: bool = True) -> "Fed":
        daemon = workspace.daemon(config, name=name)
        directory = workspace.directory / f"{name}-chromium"
        directory.mkdir()
        extension.install_host(directory / "NativeMessagingHosts", "chromium")
        copied = extension.copy(directory, SITE)
        chromium = Chromium(directory, copied, {"SCROLLD_SOCKET": str(daemon.socket_path)}, *flags)
        fed = cls(daemon, chromium, server)
        if is_on:
            fed.switch(True)
        return fed

    def _read_notifications(self) -> None:
        """Reads what the daemon tells the service manager, as a manager does: the daemon waits while nobody reads."""
        while not self._closed.wait(0.2):
            if self.daemon.process.poll() is None:
                self.daemon.forget_notifications()

    def own_page(self, path: str) -> Target:
        """Opens a page of the extension."""
        return self.chromium.open(f"chrome-extension://{extension.CHROMIUM_ID}/{path}")

    def command(self, name: str, rest: str = "{}"):
        """Gives the extension a command, as its popup does."""
        page = self.own_page("options.html")
        try:
            return page.evaluate(f"chrome.runtime.sendMessage({{ command: '{name}', ...{rest} }})")
        finally:
            page.close()

    def switch(self, is_on: bool) -> None:
        self.command("switch", f"{{ site: '{SITE}', isOn: {'true' if is_on else 'false'} }}")

    def open(self, path: str, width: int = 390, height: int = 844, **options) -> "FedPage":
        """Opens a page and waits until the daemon has its session."""
        known = {state["client"] for state in self.states()}
        target = self.chromium.open(self.server.address(path), width=width, height=height, **options)
        return FedPage(self, target, self.new_client(known))

    def new_client(self, known: set[str]) -> str:
        """Waits for the session of a document that is not among the known clients; returns its client."""

        def found():
            return [state["client"] for state in self.states() if state["client"] not in known and state["client"].endswith("/0/0")]

        return until(found, "a new session")[0]

    def states(self) -> list[dict]:
        return [reply["state"] for reply in self.daemon.stream("org.scrolld.Observer.List") if "state" in reply]

    def records(self, client: str) -> list[dict]:
        """What the log has of a client: records of its sessions."""
        replies = self.daemon.stream("org.scrolld.Observer.Read", client=client)
        return [{**reply["record"], "session": reply["session"], "number": reply.get("number")} for reply in replies if "record" in reply]

    def settle(self, client: str, pause: float = 0.25) -> list[dict]:
        """Waits until no more records of a client arrive; returns them."""
        before = -1
        while len(records := self.records(client)) != before:
            before = len(records)
            threading.Event().wait(pause)
        return records

    def hosts(self, argument: str = f"chrome-extension://{extension.CHROMIUM_ID}/") -> list[int]:
        """The processes of the native host, of which a browser is known by an argument."""
        found = subprocess.run(["pgrep", "--full", f"scroll-native-host .*{argument}"], capture_output=True, text=True)
        mine = str(self.daemon.socket_path).encode()
        return [pid for pid in map(int, found.stdout.split()) if mine in Path(f"/proc/{pid}/environ").read_bytes()]

    def popup(self, page: "FedPage") -> Target:
        """Opens the popup for a page, in a tab."""
        tab = page.client.split("/")[1]
        return self.own_page(f"popup.html?tab={tab}")

    def close(self) -> None:
        self._closed.set()
        self.chromium.close()


class FedPage:
    """A page of a site that is on."""

    def __init__(self, fed: Fed, target: Target, client: str):
        self.fed, self.target, self.client = fed, target, client

    def state(self) -> dict:
        return self.fed.daemon.call("org.scrolld.Observer.Get", client=self.client)["state"]

    def records(self) -> list[dict]:
        return self.fed.settle(self.client)

    def offsets(self) -> list[float]:
        """The offsets of the scroll events in the log, in order."""
        return [record["y"] for record in self.fed.records(self.client) if record["kind"] == "scroll"]

    def count_scrolls(self) -> None:
        """Has the page itself note the offset at each of its scroll events."""
        self.target.evaluate("window.noted = []; document.addEventListener('scroll', () => noted.push(scrollY)); 0")

    def noted(self) -> list[float]:
        return self.target.evaluate("noted")

    def close(self) -> None:
        self.target.close()
