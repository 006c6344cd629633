"""A wall clock of a program's own."""

import os
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


class Clock:
    """A clock that a test lets jump. `environment` is for the programs that are to have it."""

    def __init__(self, directory: Path):
        library = directory / "clock.so"
        # The compiler that builds the programs.
        subprocess.run(["clang", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
        self._file = directory / "clock-shift"
        self.set(0)
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_SHIFT_FILE": str(self._file)}

    def set(self, seconds: int) -> None:
        """Lets the clock differ from the true one."""
        new = self._file.with_suffix(".new")
        new.write_text(str(seconds))
        os.rename(new, self._file)
