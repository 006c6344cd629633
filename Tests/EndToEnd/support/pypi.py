"""Packages from PyPI that the tests compare with: Varlink clients by other authors, and Prometheus' parsers."""

import os
import shutil
import subprocess
import sys

from .repository import REPOSITORY

#: The environment that holds them. Tests/varlink-certification uses it, too.
ENVIRONMENT = REPOSITORY / ".build/end-to-end/python"
REQUIRED = ("varlink==31.0.0", "prometheus-client==0.22.1")
#: Needs a newer Python than some systems have.
OPTIONAL = ("asyncvarlink==0.3.3",)


def make_importable() -> str:
    """Installs the packages, unless they are there, and puts them on the path for imports; returns their Python's path."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    complete = ENVIRONMENT / "-".join((f"python-{version}", *REQUIRED))
    if not complete.exists():
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
        _install(*REQUIRED, check=True)
        _install(*OPTIONAL, check=False)
        complete.touch()
    path = str(ENVIRONMENT / f"lib/python{version}/site-packages")
    if path not in sys.path:
        sys.path.append(path)
    return str(ENVIRONMENT / "bin/python")


def require(*requirements: str, dependencies: bool = True) -> str:
    """Makes further packages importable, or skips the test where they can't be had; returns their Python's path."""
    import pytest

    python = make_importable()
    for requirement in requirements:
        installed = ENVIRONMENT / f"has-{requirement}"
        if not installed.exists():
            try:
                _install(*([] if dependencies else ["--no-deps"]), requirement, check=True)
            except subprocess.CalledProcessError:
                pytest.skip(f"{requirement} cannot be installed from PyPI")
            installed.touch()
    return python


def _install(*requirements: str, check: bool) -> None:
    subprocess.run(
        [ENVIRONMENT / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *requirements], check=check,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"})
