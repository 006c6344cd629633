"""A small service manager, which passes a listening socket and keeps descriptors between one daemon and the next."""

import array
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from . import programs
from .daemon import PATIENCE, Daemon

BECOME = Path(__file__).with_name("become.py")


class DescriptorStore:
    """A descriptor store like systemd's: it removes descriptors by name, and sockets whose peer has hung up by itself."""

    def __init__(self, limit: int):
        self.limit = limit
        #: How many descriptors arrived when the store was full.
        self.refused = 0
        self.entries: list[tuple[str, int]] = []
        self._epoll = select.epoll()

    def add(self, name: str, descriptor: int) -> None:
        if len(self.entries) >= self.limit:
            self.refused += 1
            os.close(descriptor)
            return
        self.entries.append((name, descriptor))
        try:
            self._epoll.register(descriptor, 0)  # epoll always reports a hang-up
        except PermissionError:
            pass  # a memory file has no peer

    def remove(self, name: str) -> None:
        for entry in [entry for entry in self.entries if entry[0] == name]:
            self._remove_entry(entry)

    def remove_hung_up(self) -> None:
        gone = {descriptor for descriptor, _ in self._epoll.poll(0)}
        for entry in [entry for entry in self.entries if entry[1] in gone]:
            self._remove_entry(entry)

    def release(self) -> None:
        for entry in list(self.entries):
            self._remove_entry(entry)

    def _remove_entry(self, entry: tuple[str, int]) -> None:
        self.entries.remove(entry)
        try:
            self._epoll.unregister(entry[1])
        except (PermissionError, FileNotFoundError):
            pass
        os.close(entry[1])

    def close(self) -> None:
        self.release()
        self._epoll.close()


class ManagedDaemon(Daemon):
    """A daemon that is started as systemd starts a service with a socket and a descriptor store."""

    def __init__(self, directory: Path, store_limit: int = 4096, **options):
        super().__init__(directory, **options)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self._listener.bind(str(self.socket_path))
        self._listener.listen(4096)
        os.chmod(self.socket_path, 0o666)
        self.store = DescriptorStore(store_limit)
        self.environment["FDSTORE"] = str(store_limit)
        self._changed = threading.Condition()
        self._is_closing = False
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._notify.bind(str(self.notify_path))
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def spawn(self) -> None:
        with self._changed:
            # The previous daemon's last notifications come before the start of the next one.
            self._take_notifications()
            self.notifications = []
            self.store.remove_hung_up()
            passed = [("varlink", self._listener.fileno())] + self.store.entries
            ours, theirs = socket.socketpair()
            with ours, theirs, open(self.output_path, "ab") as output:
                self.process = subprocess.Popen(
                    [sys.executable, str(BECOME), str(theirs.fileno()), *self.prefix, programs.path("scrolld"), "--config",
                     str(self.config_path), "--state-directory", str(self.state_directory)],
                    stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=[theirs.fileno()],
                    env=programs.environment(NOTIFY_SOCKET=str(self.notify_path), **self.environment),
                    preexec_fn=programs.die_with_parent)
                names = json.dumps([name for name, _ in passed]).encode()
                ours.sendall(f"{len(names):8}".encode() + names)
                for start in range(0, len(passed), 250):
                    descriptors = array.array("i", [descriptor for _, descriptor in passed[start : start + 250]])
                    ours.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])

    def wait_for_notification(self, wanted: str, patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        seen = 0
        with self._changed:
            while True:
                for message in self.notifications[seen:]:
                    seen += 1
                    if wanted in message.split("\n"):
                        return
                if self.process.poll() is not None:
                    raise AssertionError(f"scrolld ended with {self.process.returncode}:\n{self.output()}")
                if time.monotonic() > deadline:
                    raise TimeoutError(f"scrolld has not sent {wanted}")
                self._changed.wait(0.1)

    def stored(self) -> list[str]:
        """The names of the stored descriptors, once the daemon has sent every notification that is due."""
        self.call("org.varlink.service.GetInfo")
        with self._changed:
            self._take_notifications()
            self.store.remove_hung_up()
            return sorted(name for name, _ in self.store.entries)

    def stored_table(self) -> int:
        """The descriptor of the table that is stored for the next daemon."""
        [table] = [descriptor for name, descriptor in self.store.entries if name == "c.table"]
        return table

    def stop_and_release(self) -> None:
        """Stops it as `systemctl stop` does, which also releases the store."""
        self.stop()
        with self._changed:
            self._take_notifications()
            self.store.release()

    def close(self) -> list[str]:
        problems = super().close()
        with self._changed:
            self._is_closing = True
        self._thread.join(10)
        self.store.close()
        self._listener.close()
        self._notify.close()
        return problems

    def _listen(self) -> None:
        while True:
            select.select([self._notify], [], [], 0.05)
            with self._changed:
                if self._is_closing:
                    return
                self._take_notifications()
                self.store.remove_hung_up()

    def _take_notifications(self) -> None:
        while select.select([self._notify], [], [], 0)[0]:
            data, ancillary, _, _ = self._notify.recvmsg(65536, socket.CMSG_SPACE(4 * 8))
            descriptors = array.array("i")
            for _, _, carried in ancillary:
                descriptors.frombytes(carried)
            message = data.decode()
            fields = dict(line.split("=", 1) for line in message.split("\n") if "=" in line)
            if fields.get("FDSTOREREMOVE") == "1":
                self.store.remove(fields["FDNAME"])
            for descriptor in descriptors:
                if fields.get("FDSTORE") == "1":
                    self.store.add(fields["FDNAME"], descriptor)
                else:
                    os.close(descriptor)
            self.notifications.append(message)
            self._changed.notify_all()

    def _open_notify_socket(self) -> None:
        pass  # one socket receives from all daemons

    def _close_notify_socket(self) -> None:
        pass
