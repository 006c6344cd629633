"""A small test runner: named checks, a deadline for each, nothing left behind, and a count at the end."""

import os
import random
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from typing import Callable, Iterable

from .workspace import Workspace

#: How long a check may take, in seconds, if it doesn't say otherwise. Generous: machines that build are slow.
DEADLINE = 90


@dataclass
class Check:
    name: str
    body: Callable[[Workspace], None]
    deadline: int


class Skip(Exception):
    """Raised by a check that can't be done here; the text says why."""


class Overdue(BaseException):
    """Raised in a check whose deadline has passed. No `except Exception` in a check can swallow it."""


checks: list[Check] = []


def check(name: str, deadline: int = DEADLINE):
    """Registers a function as a check: it gets a fresh workspace and raises to fail."""

    def register(body: Callable[[Workspace], None]):
        if any(other.name == name for other in checks):
            raise ValueError(f"two checks are called “{name}”")
        checks.append(Check(name, body, deadline))
        return body

    return register


def require(condition: object, message: object) -> None:
    """Fails the check unless a condition holds. Unlike `assert` it is never optimised away."""
    if not condition:
        raise AssertionError(str(message))


def equal(found: object, expected: object, what: str) -> None:
    """Fails the check unless two things are equal, showing where lists first differ."""
    if found == expected:
        return
    if isinstance(found, list) and isinstance(expected, list):
        for index, (one, other) in enumerate(zip(found, expected)):
            if one != other:
                raise AssertionError(f"{what}: item {index} is\n  {one!r}\nand should be\n  {other!r}")
        raise AssertionError(f"{what}: {len(found)} items, and should be {len(expected)}")
    raise AssertionError(f"{what}: is\n  {found!r}\nand should be\n  {expected!r}")


def seed() -> int:
    """The seed of this run: $SCROLLD_SEED, or else a new one, which the runner prints."""
    return _seed


_seed = int(os.environ.get("SCROLLD_SEED") or random.SystemRandom().randrange(1 << 32))


def randomness(name: str) -> random.Random:
    """A check's own random numbers, the same for the same seed whichever other checks run."""
    return random.Random(f"{_seed} {name}")


def run(words: Iterable[str]) -> int:
    """Runs the checks whose names hold one of the words, all without words; returns the exit status."""
    words = list(words)
    chosen = [check for check in checks if not words or any(word in check.name for word in words)]
    if not chosen:
        print("no check's name holds that", file=sys.stderr)
        return 2

    def overdue(_signal, _frame):
        raise Overdue("the check's deadline has passed")

    def ended(number, _frame):
        # Unwinds through every `finally`, so that daemons and directories go, too.
        raise SystemExit(128 + number)

    signal.signal(signal.SIGALRM, overdue)
    signal.signal(signal.SIGTERM, ended)
    signal.signal(signal.SIGHUP, ended)
    print(f"random checks: SCROLLD_SEED={_seed}")
    passed = failed = skipped = 0
    for check in chosen:
        outcome, detail, seconds = _run(check)
        print(f"{outcome:4} {check.name} ({seconds:.1f} s){detail}", flush=True)
        passed += outcome == "ok"
        failed += outcome == "FAIL"
        skipped += outcome == "skip"
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _run(check: Check) -> tuple[str, str, float]:
    started = time.monotonic()
    workspace = Workspace()
    outcome, detail = "ok", ""
    try:
        signal.alarm(check.deadline)
        check.body(workspace)
    except Skip as reason:
        outcome, detail = "skip", f": {reason}"
    except (Exception, Overdue):
        outcome, detail = "FAIL", "\n" + _indented(traceback.format_exc() + workspace.logs())
    finally:
        signal.alarm(0)
        problems = workspace.close()
    if problems and outcome == "ok":
        outcome, detail = "FAIL", "\n" + _indented("\n".join(problems))
    return outcome, detail, time.monotonic() - started


def _indented(text: str) -> str:
    return "\n".join("     " + line for line in text.rstrip().splitlines())
