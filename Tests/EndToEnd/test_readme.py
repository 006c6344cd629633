"""The examples in the README and on the page about clients in other languages."""

import re
import subprocess
from pathlib import Path

from support import programs
from support.daemon import Daemon, until
from support.repository import REPOSITORY
from support.workspace import Workspace

README = REPOSITORY / "README.md"
CLIENTS = REPOSITORY / "Sources" / "ScrollService" / "ScrollService.docc" / "Clients.md"


def examples(page: Path, language: str) -> list[tuple[str, str]]:
    """The code blocks of a page in a language, each with the next indented block, which is its output."""
    found = re.findall(rf"^```{language}\n(.*?)^```\n.*?\n\n((?:^    [^\n]*\n)+)", page.read_text(), re.S | re.M)
    assert found, f"{page.name} has no fenced block of {language} followed by its output"
    return [(code, "".join(line[4:] for line in printed.splitlines(keepends=True))) for code, printed in found]


def test_the_python_example_of_the_readme_prints_what_it_shows(
        workspace: Workspace, daemon: Daemon, pypi_packages: str) -> None:
    for code, printed in examples(README, "python"):
        # The one for tables has a test of its own, with the tables.
        if "pandas" in code:
            continue
        script = workspace.directory / "example.py"
        script.write_text(code)
        result = subprocess.run(
            [pypi_packages, str(script)], capture_output=True, text=True, timeout=60,
            env=programs.environment(SCROLLD_SOCKET=str(daemon.socket_path), PYTHONIOENCODING="utf-8"))
        assert (result.returncode, result.stderr) == (0, ""), "the example"
        assert result.stdout.splitlines() == printed.splitlines(), "what the example prints"


def test_the_documented_c_example_compiles_and_prints_what_it_shows(
        workspace: Workspace, daemon: Daemon, c_compiler: str) -> None:
    for code, printed in examples(CLIENTS, "c"):
        source, program = workspace.directory / "feed.c", workspace.directory / "feed"
        source.write_text(code)
        compiled = subprocess.run([c_compiler, "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-o",
                                   str(program), str(source)], capture_output=True, text=True, timeout=60)
        assert (compiled.returncode, compiled.stderr) == (0, ""), "compiling the example"
        result = subprocess.run([str(program)], capture_output=True, text=True, timeout=60,
                                env=programs.environment(SCROLLD_SOCKET=str(daemon.socket_path)))
        assert (result.returncode, result.stderr) == (0, ""), "the example"
        # Session ids are random, and the log's generation comes from the clock.
        lines, expected = (re.sub('[0-9a-f]{32}|"generation":[0-9]+', "ID", text).splitlines()
                           for text in (result.stdout, printed))
        assert lines == expected, "what the example prints"
    # As the page says, the session closes with its connection.
    records = until(lambda: [reply for reply in daemon.stream("org.scrolld.Observer.Read", after=6) if "record" in reply],
                    "the closing is in the log")
    assert [(record["position"], record["record"]["kind"]) for record in records] == [(7, "close")], "record 7"
