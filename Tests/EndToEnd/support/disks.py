"""Small file systems of a check's own."""

import ctypes
import errno
import os
import shutil
import subprocess
from pathlib import Path

from .runner import Skip
from .workspace import Workspace

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS = 0x00020000
_MS_REC = 0x4000
_MS_PRIVATE = 1 << 18

_has_own_mounts = False


def _take_own_mounts() -> None:
    """From here on this process and what it starts have mounts of their own, which go with them however they end."""
    global _has_own_mounts
    if _has_own_mounts:
        return
    if os.getuid() != 0:
        raise Skip("needs root, to mount a small file system")
    if _libc.unshare(_CLONE_NEWNS) != 0 or _libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None) != 0:
        raise Skip(f"no mounts of one's own here: {os.strerror(ctypes.get_errno())}")
    _has_own_mounts = True


def _mount(workspace: Workspace, *arguments: str) -> Path:
    disk = workspace.directory / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", *arguments, str(disk)], capture_output=True, text=True)
    if mounted.returncode != 0:
        raise Skip(f"nothing can be mounted here: {mounted.stderr.strip()}")
    workspace.ending(lambda: subprocess.run(["umount", str(disk)], check=True))
    return disk


def tmpfs(workspace: Workspace, size: str) -> Path:
    """Mounts a file system in memory, of a size such as `3m`."""
    _take_own_mounts()
    return _mount(workspace, "-t", "tmpfs", "-o", f"size={size},mode=755", "scrolld-check")


def ext4(workspace: Workspace, size: str) -> Path:
    """Mounts an ext4 of a size such as `24m`, as a disk has it: with a journal, delayed allocation and nothing kept for root."""
    _take_own_mounts()
    if not shutil.which("mkfs.ext4", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
        raise Skip("mkfs.ext4 is not installed")
    image = workspace.directory / "image"
    subprocess.run(["truncate", "--size", size, str(image)], check=True)
    # The block size that disks have: by itself it takes a smaller one for so small a file system.
    subprocess.run(["mkfs.ext4", "-q", "-b", "4096", "-m", "0", str(image)], check=True)
    return _mount(workspace, "-o", "loop", str(image))


def fill(path: Path, room: int = 0) -> None:
    """Makes a file that takes up all of its file system, but so many bytes; without room to the last block there is."""
    with open(path, "wb", buffering=0) as file:
        try:
            while not room or _available(path.parent) > room:
                file.write(b"x" * 4096)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        os.fsync(file.fileno())


def _available(path: Path) -> int:
    space = os.statvfs(path)
    return space.f_bavail * space.f_frsize
