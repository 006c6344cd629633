"""Becomes a program as a service manager starts it, with descriptors from 3 on and their names.

The first argument is the descriptor of a socket, over which come the length of the names as text, the names as JSON, and the
descriptors, several per message. The other arguments are the program and its arguments.
"""

import array
import fcntl
import json
import os
import socket
import sys

FIRST = 3


def receive_exactly(control: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        received = control.recv(count - len(data))
        if not received:
            sys.exit("become: the descriptors' names end early")
        data += received
    return data


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    names = json.loads(receive_exactly(control, int(receive_exactly(control, 8))))
    descriptors = array.array("i")
    while len(descriptors) < len(names):
        data, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(250 * descriptors.itemsize))
        if not data:
            sys.exit("become: descriptors are missing")
        for _, _, carried in ancillary:
            descriptors.frombytes(carried)
    control.close()
    # Moves them out of the way first, since their numbers may overlap with the final ones.
    above = FIRST + 2 * len(descriptors) + 64
    moved = []
    for descriptor in descriptors:
        moved.append(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, above))
        os.close(descriptor)
    for index, descriptor in enumerate(moved):
        os.dup2(descriptor, FIRST + index, inheritable=True)
    os.environ["LISTEN_PID"] = str(os.getpid())
    os.environ["LISTEN_FDS"] = str(len(names))
    os.environ["LISTEN_FDNAMES"] = ":".join(names)
    os.execv(sys.argv[2], sys.argv[2:])


main()
