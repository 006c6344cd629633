"""systemd/install, into directories of the test's own."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from support import programs, users
from support.repository import REPOSITORY
from support.users import NOBODY
from support.workspace import Workspace


#: The files that every installation puts under its prefix, except for those that only systemd reads.
COMMON = {
    "bin/scrolld", "bin/scrollctl",
    "share/man/man1/scrollctl.1", "share/man/man5/scrolld.conf.5", "share/man/man5/scroll-recording.5",
    "share/man/man7/org.scrolld.7",
    "share/man/man8/scrolld.8",
    "share/bash-completion/completions/scrollctl", "share/zsh/site-functions/_scrollctl",
    "share/fish/vendor_completions.d/scrollctl.fish",
    "share/scrolld/installed",
}
DOCUMENTS = {path.name for path in REPOSITORY.glob("Sources/*/*.docc/*.md")} | {"README.md"}
DOCUMENTS |= {f"interfaces/{path.name}" for path in REPOSITORY.glob("Sources/ScrollService/Interfaces/*.varlink")}
DOCUMENTS |= {f"examples/{path.name}" for path in REPOSITORY.glob("Sources/ScrollService/ScrollService.docc/Resources/*.py")}
DOCUMENTS |= {"examples/toolbar-example.swift", "examples/article-read.ndjson"}
COMMON |= {f"share/doc/scrolld/{name}" for name in DOCUMENTS}
USER_UNITS = {"systemd/user/scrolld.service", "systemd/user/scrolld.socket"}
SYSTEM = USER_UNITS | {"systemd/system/scrolld.service", "systemd/system/scrolld.socket", "sysusers.d/scrolld.conf"}
SYSTEM |= {f"systemd/catalog/{path.name}" for path in (REPOSITORY / "systemd").glob("*.catalog")}


def stand_ins(workspace: Workspace) -> Path:
    """A directory of programs that do nothing."""
    directory = workspace.directory / "programs"
    directory.mkdir(exist_ok=True)
    for name in ("scrolld", "scrollctl", "scroll-native-host"):
        shutil.copy("/bin/true", directory / name)
    return directory


def install(*arguments: object, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [REPOSITORY / "systemd/install", *map(str, arguments)], capture_output=True, text=True, timeout=60,
        stdin=subprocess.DEVNULL, env=programs.environment(**environment))


def installed(*arguments: object, **environment: str) -> str:
    result = install(*arguments, **environment)
    assert (result.returncode, result.stderr) == (0, ""), f"systemd/install {arguments}"
    return result.stdout


def files(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir()}


def below(prefix: str, names: set[str]) -> set[str]:
    return {f"{prefix}/{name}" for name in names}


def test_the_prefix_decides_where_files_go_and_uninstall_removes_them(workspace: Workspace) -> None:
    for prefix, library in (("usr", "usr/lib"), ("usr/local", "usr/local/lib"), ("opt/scrolld", "usr/local/lib")):
        root = workspace.directory / prefix.replace("/", "-")
        options = ("--destdir", root, "--prefix", f"/{prefix}")
        installed(*options, "--programs", stand_ins(workspace))
        expected = below(prefix, COMMON) | below(library, SYSTEM) | {"etc/scrolld/scrolld.conf"}
        assert sorted(files(root)) == sorted(expected), "installed files"
        for unit in root.rglob("scrolld.service"):
            started = re.findall(r"^Exec\w+=(\S+)", unit.read_text(), re.M)
            assert started == [f"/{prefix}/bin/scrolld", f"/{prefix}/bin/scrollctl"], f"{unit}"
        assert os.stat(root / prefix / "bin/scrolld").st_mode & 0o777 == 0o755, "the program's mode"
        installed(*options, "--uninstall")
        left = {str(path.relative_to(root)) for path in root.rglob("*")}
        assert left == {"etc", "etc/scrolld", "etc/scrolld/scrolld.conf"}, "remaining files"
        assert "nothing is installed" in install(*options, "--uninstall").stderr, (
            "a second --uninstall does not report that nothing is installed")


def test_the_installed_pages_link_to_each_other(workspace: Workspace) -> None:
    root = workspace.directory / "root"
    installed("--destdir", root, "--prefix", "/usr", "--programs", stand_ins(workspace))
    documents = root / "usr/share/doc/scrolld"
    readme = (documents / "README.md").read_text()
    links = re.findall(r"\]\(([^):#]+\.(?:md|varlink|py))\)", readme)
    assert "Feeding.md" in links and "interfaces/org.scrolld.Recorder.varlink" in links, "links of README"
    for page in documents.glob("*.md"):
        for link in re.findall(r"\]\(([^):#]+\.(?:md|varlink|py))\)", page.read_text()):
            assert (documents / link).exists(), f"{page.name} links to {link}"


def test_what_cannot_be_below_the_prefix_is_named(workspace: Workspace) -> None:
    home = workspace.directory / "home"
    home.mkdir()
    prefix = workspace.directory / "prefix"
    said = installed("--user", "--prefix", prefix, "--programs", stand_ins(workspace), HOME=str(home))
    named = {line.strip() for line in said.splitlines() if line.startswith("  /")}
    assert named == {
        f"{home}/.config/systemd/user/scrolld.service", f"{home}/.config/systemd/user/scrolld.socket",
        f"{home}/.config/scrolld/scrolld.conf"}, f"what is elsewhere: {said}"


def test_an_upgrade_keeps_the_configuration_and_other_files_and_removes_obsolete_ones(workspace: Workspace) -> None:
    root = workspace.directory / "root"
    options = ("--destdir", root, "--programs", stand_ins(workspace))
    (root / "etc/scrolld").mkdir(parents=True)
    (root / "etc/scrolld/scrolld.conf").write_text("# mine\n")
    (root / "usr/local/share/man/man1").mkdir(parents=True)
    (root / "usr/local/share/man/man1/other.1").write_text("")
    (root / "usr/local/lib").mkdir()
    installed(*options)
    manifest = root / "usr/local/share/scrolld/installed"
    # As if an older version had installed another file, in a directory of its own.
    manifest.write_text("/usr/local/share/old/\n/usr/local/share/old/file\n" + manifest.read_text())
    (root / "usr/local/share/old").mkdir()
    (root / "usr/local/share/old/file").write_text("")
    installed(*options)
    assert not (root / "usr/local/share/old/file").exists(), "the older version's file remains"
    assert (root / "etc/scrolld/scrolld.conf").read_text() == "# mine\n", "the configuration"
    installed("--destdir", root, "--uninstall")
    assert files(root) == {"etc/scrolld/scrolld.conf", "usr/local/share/man/man1/other.1"}, "remaining files"
    directories = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir()}
    others = {"etc", "etc/scrolld", "usr", "usr/local", "usr/local/lib"}
    others |= {"usr/local/share", "usr/local/share/man", "usr/local/share/man/man1"}
    assert directories == others, "remaining directories"


EXTENSION = {path.name for path in (REPOSITORY / "Sources/WebExtension").iterdir()}


def test_the_browsers_part_is_found_by_each_browser_and_uninstalled_without_a_trace(workspace: Workspace) -> None:
    root = workspace.directory / "root"
    for options, prefix, manifests in (
        (("--destdir", root), "usr/local",
         {"etc/chromium/native-messaging-hosts", "etc/opt/chrome/native-messaging-hosts", "usr/lib/mozilla/native-messaging-hosts"}),
        (("--user",), ".local",
         {".config/chromium/NativeMessagingHosts", ".config/google-chrome/NativeMessagingHosts", ".mozilla/native-messaging-hosts"}),
    ):
        root.mkdir(exist_ok=True)
        installed("--browser", *options, "--programs", stand_ins(workspace), HOME=str(root))
        expected = below(prefix, {"bin/scroll-native-host", "share/man/man1/scroll-native-host.1", "share/scrolld/installed-browser"})
        expected |= below(f"{prefix}/share/webext/scrolld", EXTENSION)
        expected |= {f"{directory}/org.scrolld.feeder.json" for directory in manifests}
        size = sum((root / prefix / "share/webext/scrolld" / name).stat().st_size for name in EXTENSION)
        assert size <= 40 << 10, "bytes of the extension, without the scripts' comments and indentation"
        links = {path for path in root.rglob("*") if path.is_symlink()}
        assert files(root) - {str(link.relative_to(root)) for link in links} == expected, "installed files"
        for link in links:
            assert (link / "manifest.json").is_file(), f"{link} leads nowhere"
        assert len(links) == (2 if prefix == "usr/local" else 0), "links for Debian's browsers"
        for directory in manifests:
            host = json.loads((root / directory / "org.scrolld.feeder.json").read_text())
            program = "/usr/local/bin/scroll-native-host" if prefix == "usr/local" else f"{root}/.local/bin/scroll-native-host"
            assert (host["name"], host["path"], host["type"]) == ("org.scrolld.feeder", program, "stdio"), directory
        installed("--browser", *options, "--uninstall", HOME=str(root))
        assert not root.exists() or not list(root.iterdir()), "remaining files"


def test_an_ordinary_user_can_install_into_the_home_directory_and_uninstall(workspace: Workspace) -> None:
    home = workspace.directory / "home"
    home.mkdir()
    source = stand_ins(workspace)

    def body() -> list[set[str]]:
        installed("--user", "--programs", source, HOME=str(home))
        after = files(home)
        installed("--user", "--uninstall", HOME=str(home))
        return [after, files(home)]

    if os.getuid() == 0:
        os.chown(home, NOBODY, NOBODY)
        after, left = users.as_user(NOBODY, body)
    else:
        after, left = body()
    configuration = {".config/scrolld/scrolld.conf"}
    assert sorted(after) == sorted(below(".local", COMMON) | below(".config", USER_UNITS) | configuration), (
        "installed files")
    assert left == configuration, "remaining files"


def test_an_impossible_installation_is_refused_with_a_reason_and_changes_nothing(workspace: Workspace) -> None:
    root = workspace.directory / "root"
    if os.getuid() == 0:
        said = users.as_user(NOBODY, lambda: install("--programs", "/usr/bin").stderr)
    else:
        said = install("--programs", "/usr/bin").stderr
    assert "not root" in said and "--user" in said, f"the message for a user other than root: {said}"
    cases = [
        (["--frob"], "unknown option “--frob”"), (["--prefix"], "needs a directory"),
        (["--prefix", "opt"], "begin with a slash"),
        (["--prefix", "/opt/with space"], "characters that are not allowed"),
        (["--programs", "/nonexistent"], "no such program: /nonexistent/scrolld"),
    ]
    # The programs under test are usually not linked for installation.
    linked = subprocess.run(["ldd", programs.path("scrolld")], capture_output=True, text=True).stdout
    if "libswiftCore" in linked:
        cases.append((["--programs", programs.directory], "needs a Swift toolchain"))
    for arguments, expected in cases:
        result = install("--destdir", root, *arguments)
        assert result.returncode == 1, f"exit status of {arguments}"
        assert expected in result.stderr, f"{arguments}: {result.stderr}"
    assert not root.exists(), "a refused installation has installed something"
