"""The Swift guide's examples, compiled in a package of their own as its readers do."""

import re
import shutil
import subprocess

import pytest

from support import programs
from support.daemon import Daemon
from support.repository import REPOSITORY
from support.workspace import Workspace

GUIDE = REPOSITORY / "Sources/ScrollClient/ScrollClient.docc/ScrollClient.md"

#: What the guide's fragments take as given, as the parameters of a function.
GIVEN = """
import ScrollClient
import ScrollModel

struct ScrollView { func scroll(to target: ScrollRequest.Target) -> Bool { true } }
func draw(_ state: StateReport) {}
func remove(_ client: String) {}
func show(_ reply: SubscriptionReply) {}
func forgetEverything() {}
func log(_ update: Any) {}
let scrollView = ScrollView()
"""


def blocks() -> tuple[str, str, list[str]]:
    """The package's manifest, its program, and the fragments."""
    found = re.findall(r"^```swift\n(.*?)^```$", GUIDE.read_text(), re.S | re.M)
    assert found[0].startswith("// swift-tools-version"), "the guide begins with a package's manifest"
    assert found[1].startswith("import ScrollClient\n"), "and a program with its imports"
    return found[0], found[1], found[2:]


@pytest.mark.timeout(900)
def test_the_swift_guide_compiles_in_another_package_and_prints_what_it_shows(
        workspace: Workspace, daemon: Daemon) -> None:
    if not shutil.which("swift"):
        pytest.skip("swift is not installed")
    manifest, program, fragments = blocks()
    # The checkout may be in a directory of any name.
    (workspace.directory / "scrolld").symlink_to(REPOSITORY)
    reader = workspace.directory / "reader"
    sources = reader / "Sources/reader"
    sources.mkdir(parents=True)
    (reader / "Package.swift").write_text(manifest)
    (sources / "main.swift").write_text(program)
    assert len(fragments) >= 4, "fragments of the guide"
    functions = []
    for index, code in enumerate(fragments):
        given = [text for name, text in (
            ("daemon", "daemon: ServiceConnection"), ("session", "session: OpenedSession"), ("scroll", "scroll: Event"), ("query", "query: SubscriptionQuery"))
            if re.search(rf"\b{name}\b", code) and not re.search(rf"(let|var) {name}\b", code)]
        functions.append(f"func fragment{index}({', '.join(given)}) throws {{\n{code}}}\n")
    (sources / "Fragments.swift").write_text(GIVEN + "\n".join(functions))
    command = ["swift", "run", "--package-path", str(reader), "--scratch-path", str(REPOSITORY / ".build/guide"), "-j", "2"]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=800,
        env=programs.environment(SCROLLD_SOCKET=str(daemon.socket_path)))
    assert result.returncode == 0, f"swift run:\n{result.stdout[-4000:]}{result.stderr[-4000:]}"
    assert result.stdout.splitlines()[-1] == "the toolbar is shown", "what the program prints"
