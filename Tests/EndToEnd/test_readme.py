"""What the README and the page for clients in other languages show works as it is printed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from support import programs
from support.daemon import until
from support.runner import Skip, check, equal, require
from support.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parents[2]
README = REPOSITORY / "README.md"
CLIENTS = REPOSITORY / "Sources" / "ScrollService" / "ScrollService.docc" / "Clients.md"


def examples(page: Path, language: str) -> list[tuple[str, str]]:
    """The code of a page in a language, each with the first indented lines behind it, whatever words stand between."""
    found = re.findall(rf"^```{language}\n(.*?)^```\n.*?\n\n((?:^    [^\n]*\n)+)", page.read_text(), re.S | re.M)
    require(found, f"{page.name} has no fenced block of {language} with what it prints behind it")
    return [(code, "".join(line[4:] for line in printed.splitlines(keepends=True))) for code, printed in found]


@check("README: its Python example prints what the README says it does")
def python_example(workspace: Workspace):
    daemon = workspace.daemon()
    for code, printed in examples(README, "python"):
        script = workspace.directory / "example.py"
        script.write_text(code)
        result = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, timeout=60,
            env=programs.environment(SCROLLD_SOCKET=str(daemon.socket_path), PYTHONIOENCODING="utf-8"))
        equal((result.returncode, result.stderr), (0, ""), "the example")
        equal(result.stdout.splitlines(), printed.splitlines(), "what the example prints")


@check("other languages: the C example compiles without a warning and prints what its page says it does")
def c_example(workspace: Workspace):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise Skip("there is no C compiler")
    daemon = workspace.daemon()
    for code, printed in examples(CLIENTS, "c"):
        source, program = workspace.directory / "feed.c", workspace.directory / "feed"
        source.write_text(code)
        compiled = subprocess.run([compiler, "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-o",
                                   str(program), str(source)], capture_output=True, text=True, timeout=60)
        equal((compiled.returncode, compiled.stderr), (0, ""), "compiling the example")
        result = subprocess.run([str(program)], capture_output=True, text=True, timeout=60,
                                env=programs.environment(SCROLLD_SOCKET=str(daemon.socket_path)))
        equal((result.returncode, result.stderr), (0, ""), "the example")
        # The session's id is another one each time, and the generation that of the log.
        lines, expected = (re.sub('[0-9a-f]{32}|"generation":[0-9]+', "ID", text).splitlines()
                           for text in (result.stdout, printed))
        equal(lines, expected, "what the example prints")
    # As the page says: the session is closed with its connection.
    records = until(lambda: [reply for reply in daemon.stream("org.scrolld.Observer.Read", after=6) if "record" in reply],
                    "the closing is in the log")
    equal([(record["position"], record["record"]["kind"]) for record in records], [(7, "close")], "record 7")
