"""Small file systems of a test's own."""

import ctypes
import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .workspace import Workspace

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS = 0x00020000
_MS_REC = 0x4000
_MS_PRIVATE = 1 << 18

_has_own_mounts = False

#: How much `fill` writes at once, in bytes: a block of the file systems here.
BLOCK = 4096


def _take_own_mounts() -> None:
    """Gives this process and its children mounts of their own, which the kernel removes with them."""
    global _has_own_mounts
    if _has_own_mounts:
        return
    if os.getuid() != 0:
        pytest.skip("needs root, to mount a small file system")
    if _libc.unshare(_CLONE_NEWNS) != 0 or _libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None) != 0:
        pytest.skip(f"cannot make a mount namespace here: {os.strerror(ctypes.get_errno())}")
    _has_own_mounts = True


class Disks:
    """Mounts small file systems in a workspace, or skips the test where nothing can be mounted."""

    def __init__(self, workspace: Workspace):
        self._workspace = workspace

    def tmpfs(self, size: str) -> Path:
        """Mounts a file system in memory, of a size such as `3m`."""
        return self._mount("-t", "tmpfs", "-o", f"size={size},mode=755", "scrolld-test")

    def ext4(self, size: str) -> Path:
        """Mounts an ext4 of a size such as `24m`, with a journal, delayed allocation and no blocks reserved for root."""
        if not shutil.which("mkfs.ext4", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            pytest.skip("mkfs.ext4 is not installed")
        image = self._workspace.directory / "image"
        subprocess.run(["truncate", "--size", size, str(image)], check=True)
        # mkfs.ext4 chooses smaller blocks for a file system as small as this, which disks don't have.
        subprocess.run(["mkfs.ext4", "-q", "-b", str(BLOCK), "-m", "0", str(image)], check=True)
        return self._mount("-o", "loop", str(image))

    def resize_tmpfs(self, disk: Path, size: str) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)

    def _mount(self, *arguments: str) -> Path:
        _take_own_mounts()
        disk = self._workspace.directory / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", *arguments, str(disk)], capture_output=True, text=True)
        if mounted.returncode != 0:
            pytest.skip(f"cannot mount here: {mounted.stderr.strip()}")
        self._workspace.add_finalizer(lambda: subprocess.run(["umount", str(disk)], check=True))
        return disk


def fill(path: Path, room: int = 0) -> None:
    """Makes a file that fills its file system down to `room` free bytes, or to the last block."""
    with open(path, "wb", buffering=0) as file:
        try:
            while not room or _available(path.parent) > room:
                file.write(b"x" * BLOCK)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        os.fsync(file.fileno())


def _available(path: Path) -> int:
    space = os.statvfs(path)
    return space.f_bavail * space.f_frsize
