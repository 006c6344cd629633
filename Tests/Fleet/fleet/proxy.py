"""A proxy between a relay and its server, which cuts connections around a COMMIT."""

import os
import select
import socket
import threading
from pathlib import Path

from .cluster import Cluster

#: What a relay sends to commit: a message of the simple query protocol.
COMMIT = b"Q\x00\x00\x00\x0bCOMMIT\x00"


class CuttingProxy:
    """Listens like a server in a directory of its own. `cuts` is a list of what to do at each COMMIT, then nothing:
    `pass` it, cut `before` the server gets it, or cut `after` the server has answered, so that the relay can't know."""

    def __init__(self, directory: Path, cluster: Cluster, cuts: list[str]):
        directory.mkdir()
        self.directory = directory
        self._target = str(cluster.directory / ".s.PGSQL.5432")
        self._cuts = list(cuts)
        self.done: list[str] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(directory / ".s.PGSQL.5432"))
        os.chmod(directory / ".s.PGSQL.5432", 0o777)
        self._listening.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server:
            try:
                server.connect(self._target)
                while True:
                    readable, _, _ = select.select([client, server], [], [])
                    if server in readable:
                        data = server.recv(1 << 16)
                        if not data:
                            return
                        client.sendall(data)
                    if client in readable:
                        data = client.recv(1 << 16)
                        if not data:
                            return
                        if data.endswith(COMMIT) and self._cuts:
                            cut = self._cuts.pop(0)
                            self.done.append(cut)
                            if cut == "before":
                                return
                            server.sendall(data)
                            if cut == "after":
                                # The answer shows that it is committed, and is not passed on.
                                answer = b""
                                while b"COMMIT\x00" not in answer:
                                    answer += server.recv(1 << 16)
                                return
                            continue
                        server.sendall(data)
            except OSError:
                return
