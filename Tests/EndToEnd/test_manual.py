"""The manual pages and the shells' completions."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from support import programs
from support.recordings import Feeder
from support.repository import REPOSITORY
from support.workspace import Workspace

SYSTEMD = REPOSITORY / "systemd"
PAGES = sorted((SYSTEMD / "man").glob("*.[1-8]"))
COMPLETIONS = SYSTEMD / "completions"


def tool(name: str) -> str:
    path = shutil.which(name)
    if not path:
        pytest.skip(f"{name} is not installed")
    return path


def quiet(*command: object) -> None:
    """Runs a command that must succeed without a message."""
    result = subprocess.run([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    assert (result.returncode, result.stderr.decode()) == (0, ""), f"{command}"


def test_mandoc_and_groff_accept_every_manual_page() -> None:
    mandoc, groff = tool("mandoc"), tool("groff")
    assert [page.name for page in PAGES] == [
        "org.scrolld.7", "scroll-native-host.1", "scroll-recording.5", "scroll-relay.8", "scrollctl.1", "scrolld.8", "scrolld.conf.5"], (
        "the pages")
    for page in PAGES:
        said = subprocess.run([mandoc, "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
        assert (said.returncode, said.stdout) == (0, ""), f"mandoc -T lint {page.name}"
        quiet(groff, "-ww", "-K", "utf8", "-T", "utf8", "-man", page)


def test_every_manual_page_that_is_referred_to_exists() -> None:
    there = {(page.name.rsplit(".", 1)[0], page.suffix[1:]) for page in PAGES}
    for unit in [*SYSTEMD.glob("*.s[eo]*"), *SYSTEMD.glob("user/*")]:
        for name, section in re.findall(r"man:(\S+)\((\d)\)", unit.read_text()):
            if "scroll" in name:
                assert (name, section) in there, f"{unit.name} names {name}({section})"
    for page in PAGES:
        for name, section in re.findall(r"^\.BR (\S+) \((\d)\)", page.read_text(), re.M):
            if "scroll" in name:
                assert (name, section) in there, f"{page.name} names {name}({section})"


def test_scrolld_8_lists_the_options_and_exit_statuses_of_the_help_text() -> None:
    text = programs.run("scrolld", "--help").stdout
    page = (SYSTEMD / "man/scrolld.8").read_text().replace("\\-", "-")
    options = re.findall(r"^ {2}(--[a-z-]+)", text, re.M)
    documented = re.findall(r'^\.B[IR]? "?(--[a-z-]+)', page.split(".SH OPTIONS")[1].split(".SH")[0], re.M)
    assert documented == options, "options"
    statuses = re.findall(r"\b(\d+) ", text.split("Exit status:")[1])
    assert len(statuses) == 6, f"exit statuses of --help: {statuses}"
    documented = re.findall(r"^\.TP\n\.B (\d+)$", page.split('.SH "EXIT STATUS"')[1].split(".SH")[0], re.M)
    assert documented == statuses, "exit statuses"


def with_programs() -> dict[str, str]:
    environment = programs.environment(TERM="dumb")
    environment["PATH"] = f"{programs.directory}:{environment['PATH']}"
    return environment


def daemon_with_clients(workspace: Workspace) -> str:
    daemon = workspace.daemon()
    for name in ("reader/main", "reader/side:2", "feed"):
        Feeder(daemon.connect(), name)
    return str(daemon.socket_path)


def bash(line: str) -> list[str]:
    """The candidates that bash offers for the last word of a line."""
    script = r'''
        source "$1"; source "$2"
        COMP_LINE=$3 COMP_POINT=${#3} COMP_TYPE=9 COMP_KEY=9
        # Words are split as readline splits them.
        read -ra COMP_WORDS <<<"$(sed 's/[:=]/ & /g' <<<"$3")"
        [[ $3 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _scrollctl
        [[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
    '''
    library = Path("/usr/share/bash-completion/bash_completion")
    if not library.exists():
        pytest.skip("bash-completion is not installed")
    result = subprocess.run(
        ["bash", "--norc", "-O", "extglob", "-c", script, "bash", library, COMPLETIONS / "scrollctl.bash", line],
        capture_output=True, text=True, timeout=60, env=with_programs(), cwd=SYSTEMD.parent)
    assert result.stderr == "", f"bash's errors for “{line}”"
    return result.stdout.splitlines()


def test_bash_completes_verbs_options_values_files_and_clients(workspace: Workspace) -> None:
    socket = daemon_with_clients(workspace)
    assert bash("scrollctl sta") == ["status", "statistics"], "verbs"
    assert bash("scrollctl help ver") == ["verify"], "verbs after help"
    assert bash("scrollctl log --fo") == ["--follow"], "options of a verb"
    assert bash("scrollctl --json log --s") == ["--since", "--system", "--socket"], "its options, and those of every verb"
    assert bash("scrollctl fold --policy saf") == ["safari", "safari-arrival"], "policies"
    assert bash("scrollctl fold --policy=saf") == ["safari", "safari-arrival"], "policies after ="
    assert bash("scrollctl fold --policy safari READ") == ["README.md"], "files"
    assert bash("scrollctl fold --set READ") == [], "values of unknown type"
    assert bash("scrollctl verify syst") == ["systemd"], "directories"
    assert bash("scrollctl verify READ") == [], "files, for a directory argument"
    assert bash(f"scrollctl --socket {socket} status r") == ["reader/main", "reader/side:2"], "clients"
    assert bash(f"scrollctl --socket={socket} status reader/side:") == ["2"], "clients after a colon"
    assert bash(f"scrollctl --socket {socket} scroll-to feed ") == ["top", "bottom", "page"], "targets"
    assert bash(f"scrollctl --socket {socket} status feed ") == [], "an argument too many"
    assert bash("scrollctl --socket /nonexistent status ") == [], "clients without a daemon"


def test_fish_completes_verbs_options_values_files_and_clients(workspace: Workspace) -> None:
    fish = tool("fish")
    socket = daemon_with_clients(workspace)
    home = workspace.directory / "home"
    home.mkdir()
    quiet(fish, "--no-execute", COMPLETIONS / "scrollctl.fish")

    def offered(line: str) -> list[str]:
        script = "source $argv[1]; complete --do-complete $argv[2]"
        result = subprocess.run(
            [fish, "--no-config", "--command", script, COMPLETIONS / "scrollctl.fish", line], capture_output=True,
            text=True, timeout=60, env={**with_programs(), "HOME": str(home)}, cwd=SYSTEMD.parent)
        assert result.stderr == "", f"fish's errors for “{line}”"
        return [candidate.split("\t")[0] for candidate in result.stdout.splitlines()]

    assert offered("scrollctl sta") == ["statistics", "status"], "verbs"
    assert offered("scrollctl log --fo") == ["--follow"], "options of a verb"
    assert offered("scrollctl fold --policy saf") == ["safari", "safari-arrival"], "policies"
    assert offered("scrollctl fold READ") == ["README.md"], "files"
    assert offered("scrollctl verify syst") == ["systemd/"], "directories"
    assert offered(f"scrollctl --socket {socket} status r") == ["reader/main", "reader/side:2"], "clients"
    assert offered(f"scrollctl --socket {socket} scroll-to feed b") == ["bottom"], "targets"


class Zsh:
    """An interactive zsh, since zsh completes nothing for a script."""

    def __init__(self, home: Path):
        zsh = tool("zsh")
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            programs.die_with_parent()
            os.chdir(SYSTEMD.parent)
            os.execve(zsh, [zsh, "-f", "-i"], {**with_programs(), "HOME": str(home)})
        # Has zsh list all candidates at once, without a question.
        self._write("PS1=''; unset zle_bracketed_paste; LISTMAX=1000; unsetopt list_ambiguous list_beep\n")
        # Lines are not run, so a key of its own reports the end of a completion.
        self._write(f"fpath=('{COMPLETIONS}' $fpath); autoload -Uz compinit; compinit -D; bindkey '^I' complete-word\n")
        self._write("_done() { zle -M 'that was ''all'; }; zle -N _done; bindkey '^X' _done; print rea''dy\n")
        self._read("ready\r\n")

    def _write(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def _read(self, end: str) -> str:
        said = b""
        deadline = time.monotonic() + 20
        while end.encode() not in said:
            if not select.select([self._terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"zsh has not printed “{end}” but {said!r}")
            said += os.read(self._terminal, 65536)
        return said.decode()

    def completed(self, line: str) -> str:
        """What zsh shows after Tab: the completed line and the list below it."""
        self._write(line + "\t\x18")
        said = self._read("that was all")
        self._write("\x15\x0c")
        return said

    def close(self) -> None:
        os.close(self._terminal)
        os.waitpid(self._process, 0)


def test_zsh_completes_verbs_options_values_files_and_clients(workspace: Workspace) -> None:
    quiet(tool("zsh"), "-n", COMPLETIONS / "_scrollctl")
    socket = daemon_with_clients(workspace)
    zsh = Zsh(workspace.directory)
    workspace.add_finalizer(zsh.close)
    for line, expected in [
        ("scrollctl sta", ["statistics", "status"]), ("scrollctl log --fol", ["--follow"]),
        ("scrollctl fold --policy saf", ["safari", "safari-arrival"]), ("scrollctl fold READ", ["README.md"]),
        ("scrollctl verify syst", ["systemd/"]),
        (f"scrollctl --socket {socket} status r", ["reader/main", "reader/side:2"]),
        (f"scrollctl --socket {socket} scroll-to feed ", ["top", "bottom", "page"]),
    ]:
        said = zsh.completed(line)
        for word in expected:
            assert word in said, f"zsh does not offer {word} for “{line}”: {said!r}"
