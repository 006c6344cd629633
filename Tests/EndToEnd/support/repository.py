"""Places in the repository."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
