"""What the README shows works as it is printed."""

import re
import subprocess
import sys
from pathlib import Path

from support import programs
from support.runner import check, equal, require
from support.workspace import Workspace

README = Path(__file__).resolve().parents[3] / "README.md"


@check("README: its Python example prints what the README says it does")
def python_example(workspace: Workspace):
    text = README.read_text()
    # The code, whatever words stand between, and the first indented lines behind it.
    examples = re.findall(r"^```python\n(.*?)^```\n.*?\n\n((?:^    [^\n]*\n)+)", text, re.S | re.M)
    require(examples, "the README has no fenced block of Python with what it prints behind it")
    daemon = workspace.daemon()
    for code, printed in examples:
        script = workspace.directory / "example.py"
        script.write_text(code)
        result = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, timeout=60,
            env=programs.environment(SCROLLD_SOCKET=str(daemon.socket_path), PYTHONIOENCODING="utf-8"))
        equal((result.returncode, result.stderr), (0, ""), "the example")
        expected = "".join(line[4:] for line in printed.splitlines(keepends=True))
        equal(result.stdout.splitlines(), expected.splitlines(), "what the example prints")
