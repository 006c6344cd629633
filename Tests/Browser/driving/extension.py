"""The extension and its native host, as a browser finds them in a profile of a test's own."""

import json
import shutil
import subprocess
from pathlib import Path

from support import programs
from support.repository import REPOSITORY

SOURCE = REPOSITORY / "Sources/WebExtension"
HOST = "org.scrolld.feeder"
#: What the key in the manifest makes of the extension.
CHROMIUM_ID = json.loads((REPOSITORY / "systemd/browser/chromium.json").read_text())["allowed_origins"][0].split("/")[2]
FIREFOX_ID = json.loads((SOURCE / "manifest.json").read_text())["browser_specific_settings"]["gecko"]["id"]


def copy(directory: Path, *hosts: str) -> Path:
    """A copy that already has the permission for some sites, since nobody is there to answer the browser's question."""
    target = directory / "extension"
    shutil.copytree(SOURCE, target)
    # As the installer does.
    compact = REPOSITORY / "systemd/browser/compact.sed"
    subprocess.run(["sed", "-i", "-E", "-f", compact, *target.glob("*.js")], check=True)
    subprocess.run(["sed", "-i", "-E", "s/^ +//", *target.glob("*.html"), *target.glob("*.css")], check=True)
    manifest = json.loads((target / "manifest.json").read_text())
    manifest["host_permissions"] = [f"{host}/*" for host in hosts]
    (target / "manifest.json").write_text(json.dumps(manifest))
    return target


def install_host(directory: Path, browser: str, program: Path | None = None) -> Path:
    """Writes the host's manifest to a directory of a profile; returns its path."""
    manifest = json.loads((REPOSITORY / f"systemd/browser/{browser}.json").read_text())
    manifest["path"] = str(program or programs.path("scroll-native-host"))
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{HOST}.json"
    path.write_text(json.dumps(manifest))
    return path
