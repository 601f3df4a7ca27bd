"""A command as others start one: `python -IS warm_shim.py SOCKET WORD…` asks the warm process (see tests/warm.py)."""

import json
import os
import signal
import socket
import sys

SIZE = 8


def main() -> None:
    """Hand on the streams and signals, and end as it ended."""
    made = socket.socket(socket.AF_UNIX)
    made.connect(sys.argv[1])
    body = json.dumps({"words": sys.argv[2:], "cwd": os.getcwd(), "env": dict(os.environ)}).encode()
    socket.send_fds(made, [len(body).to_bytes(SIZE, "big")], [0, 1, 2])
    made.sendall(body)
    made.shutdown(socket.SHUT_WR)
    child = number(made)
    for stream in (0, 1, 2):
        os.close(stream)
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda given, _: os.kill(child, given))
    status = number(made)
    os._exit(status if status >= 0 else 128 - status)


def number(made: socket.socket) -> int:
    """What the warm process says."""
    found = b""
    while len(found) < SIZE:
        part = made.recv(SIZE - len(found))
        if not part:
            os._exit(1)
        found += part
    return int.from_bytes(found, "big", signed=True)


if __name__ == "__main__":
    main()
