"""A Debian that boots in a container and runs the tests in this directory."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Iterator, Optional

from support.programs import die_with_parent
from support.repository import REPOSITORY

#: Trees of releases are kept here, so that only the first run has to make them.
CACHE = REPOSITORY / ".build/boot"
#: The packages that the tests need in the tree, and not the package under test.
PACKAGES = ("systemd-sysv", "libpam-systemd", "dbus", "passwd", "python3", "python3-pytest", "python3-pytest-timeout", "strace")
#: How long the container may take for one report, in seconds: pytest in it ends a test sooner.
PATIENCE = 180
#: The documentation that the tests follow.
PAGES = "Sources/ScrollService/ScrollService.docc"
#: Where the repository's files are in the container.
INSIDE = "opt/scrolld"

UNIT = f"""
[Unit]
Description=Tests of scrolld in a booted system
After=multi-user.target
SuccessAction=poweroff-force
FailureAction=poweroff-force

[Service]
Type=oneshot
Environment=PYTHONDONTWRITEBYTECODE=1
ExecStart=/usr/bin/python3 -m pytest -p no:cacheprovider --reports /root/reports /{INSIDE}/Tests/Boot
StandardOutput=file:/root/output
StandardError=inherit

[Install]
WantedBy=multi-user.target
"""


class Unavailable(Exception):
    """This machine can't boot a container; the text says why."""


class ContainerError(Exception):
    """The container ended or stopped reporting before its time."""


class Container:
    """A booted container. Its tests run in their order; `reports` waits for those of one test."""

    def __init__(self, suite: Optional[str], package: Optional[str]):
        if os.geteuid() != 0:
            raise Unavailable("needs root, to boot a container")
        for tool in ("systemd-nspawn", "mmdebstrap"):
            if not shutil.which(tool):
                raise Unavailable(f"{tool} is not installed")
        suite = suite or _own_suite()
        self._package = Path(package).absolute() if package else _make_package(suite)
        self._temporary = tempfile.TemporaryDirectory(prefix="scrolld-boot-")
        self._directory = Path(self._temporary.name)
        self._tree = self._directory / "tree"
        self._console = self._directory / "console"
        self._reports: dict[str, list[dict]] = {}
        self._read = 0
        self._process: Optional[subprocess.Popen] = None
        try:
            self._make_tree(_base_tree(suite, self._package))
            self._boot()
        except BaseException:
            self.close()
            raise

    def reports(self, test: str) -> Iterator[dict]:
        """The reports of a test, as soon as the container has made each."""
        yielded = 0
        deadline = time.monotonic() + PATIENCE
        while True:
            has_ended = self._process.poll() is not None
            self._read_reports()
            reports = self._reports.get(test, [])
            while yielded < len(reports):
                deadline = time.monotonic() + PATIENCE
                yielded += 1
                yield reports[yielded - 1]
                if reports[yielded - 1]["when"] == "teardown":
                    return
            if has_ended:
                raise ContainerError(f"the container ended before the end of this test\n{self._output()}")
            if time.monotonic() > deadline:
                raise ContainerError(f"the container has not reported for {PATIENCE} s\n{self._output()}")
            time.sleep(0.05)

    def close(self) -> None:
        """Ends the container, if it is still up, and removes its tree."""
        # The first SIGTERM asks for a shutdown, which would wait for the tests. The second ends the container at once.
        while self._process and self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
        self._temporary.cleanup()

    def _make_tree(self, base: Path) -> None:
        self._tree.mkdir()
        subprocess.run(["tar", "--extract", "--numeric-owner", "--file", base, "--directory", self._tree], check=True)
        next_version = self._make_next_version()
        shutil.copy(self._package, self._tree / "root/scrolld.deb")
        shutil.copy(next_version, self._tree / "root/scrolld-next.deb")
        inside = self._tree / INSIDE
        for name in ("systemd", "config", "Sources", "Tests/Boot", "Tests/EndToEnd/support", "Tests/Fixtures/recordings"):
            shutil.copytree(REPOSITORY / name, inside / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("Tests/pytest.ini", f"{PAGES}/Metrics.md", f"{PAGES}/Clients.md"):
            (inside / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, inside / name)
        shutil.copy(REPOSITORY / "README.md", inside)
        shutil.copytree(self._directory / "next/usr/bin", inside / "programs")
        (self._tree / "etc/systemd/system/boot-tests.service").write_text(UNIT)
        self._systemctl("enable", "boot-tests.service")
        # They would keep the machine busy during the tests.
        self._systemctl("mask", "apt-daily.timer", "apt-daily-upgrade.timer")
        # Has systemd give the machine an id of its own.
        (self._tree / "etc/machine-id").write_text("uninitialized\n")

    def _make_next_version(self) -> Path:
        """Packs the package under test again with a higher version."""
        unpacked, package = self._directory / "next", self._directory / "next.deb"
        subprocess.run(["dpkg-deb", "--raw-extract", self._package, unpacked], check=True)
        control = unpacked / "DEBIAN/control"
        control.write_text(re.sub("^Version: .*", r"\g<0>+next", control.read_text(), flags=re.M))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", unpacked, package], check=True,
                       stdout=subprocess.DEVNULL)
        return package

    def _systemctl(self, *arguments: str) -> None:
        subprocess.run(["systemctl", "--quiet", f"--root={self._tree}", *arguments], check=True)

    def _boot(self) -> None:
        with open(self._console, "wb") as console:
            self._process = subprocess.Popen(
                ["systemd-nspawn", "--quiet", f"--directory={self._tree}", "--boot", "--private-network", "--register=no",
                 "--keep-unit", "--console=read-only"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, preexec_fn=die_with_parent)

    def _read_reports(self) -> None:
        path = self._tree / "root/reports"
        if not path.exists():
            return
        with open(path, "rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    return  # it is still being written
                self._read += len(line)
                report = json.loads(line)
                self._reports.setdefault(report["test"], []).append(report)

    def _output(self) -> str:
        """What pytest in the container and the console have printed at the end."""
        texts = []
        for name, path in (("pytest", self._tree / "root/output"), ("the console", self._console)):
            lines = path.read_text(errors="replace").splitlines() if path.exists() else []
            texts.append("\n".join([f"--- the last lines of {name}:", *lines[-50:]]))
        return "\n".join(texts)


def _own_suite() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        name, _, value = line.partition("=")
        if name == "VERSION_CODENAME":
            return value.strip('"')
    raise Unavailable("this is not a release of Debian; name one with --suite")


def _make_package(suite: str) -> Path:
    """Makes the package under test; returns its path, which systemd/package prints."""
    made = subprocess.run([REPOSITORY / "systemd/package", "--suite", suite], check=True, stdout=subprocess.PIPE, text=True)
    return Path(made.stdout.strip())


def _base_tree(suite: str, package: Path) -> Path:
    """A tree of the release, as a tar file, with what the package depends on and what the tests need."""
    field = subprocess.run(["dpkg-deb", "--field", package, "Depends"], check=True, stdout=subprocess.PIPE, text=True).stdout
    # The first of several alternatives, and any version.
    depends = [re.sub(r"\([^)]*\)|\|.*", "", dependency).strip() for dependency in field.split(",")]
    include = ",".join([*depends, *PACKAGES])
    base = CACHE / f"{suite}-{hashlib.sha256(include.encode()).hexdigest()[:12]}.tar"
    if not base.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        incomplete = base.with_suffix(".incomplete.tar")
        made = subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=apt", f"--include={include}", "--dpkgopt=path-exclude=/usr/share/man/*",
             "--dpkgopt=path-exclude=/usr/share/locale/*", suite, incomplete],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode != 0:
            incomplete.unlink(missing_ok=True)
            raise Unavailable(f"mmdebstrap cannot make a tree of {suite}: {made.stdout.strip()}")
        incomplete.rename(base)
    return base
