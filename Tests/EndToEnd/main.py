"""Runs the end-to-end checks, one after the other, and says how many passed."""

import argparse
import importlib
import sys
from pathlib import Path

from support import programs, runner


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--products", required=True, help="the directory with scrolld and scrollctl")
    parser.add_argument("--list", action="store_true", help="print the checks' names and stop")
    parser.add_argument("words", nargs="*", help="run the checks whose names hold one of these")
    arguments = parser.parse_args()

    programs.products = arguments.products
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        importlib.import_module(path.stem)
    if arguments.list:
        print("\n".join(check.name for check in runner.checks))
        return 0
    return runner.run(arguments.words)


if __name__ == "__main__":
    sys.exit(main())
