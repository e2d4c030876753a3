"""Lines of JSON from callers who may send anything, slowly, or vanish."""
from __future__ import annotations

import json
import select
import socket
import threading
from typing import Any, BinaryIO, List

MOST_DEPTH = 64  # lists and objects in each other
MOST_LISTS = 1 << 18  # lists and objects of a line; braces of texts count, too
MOST_VALUES = 1 << 22  # commas of a line
MOST_DIGITS = 64  # of a whole number
MOST_BATCH = 1024  # requests of a line
STALLED = 60.0  # seconds without a byte, within a line or while a verdict is written


def parse(line: bytes) -> Any:
    """Parses a request. Raises ValueError with the problem."""
    if line.count(b"[") + line.count(b"{") > MOST_LISTS:
        raise ValueError(f"it has more than {MOST_LISTS} lists and objects")
    if line.count(b",") > MOST_VALUES:
        raise ValueError(f"it has more than {MOST_VALUES} values")
    try:
        request = json.loads(line, parse_int=_whole)
    except RecursionError:
        raise ValueError(f"it is more than {MOST_DEPTH} lists and objects deep") from None
    _require_flat(request)
    if isinstance(request, list) and len(request) > MOST_BATCH:
        raise ValueError(f"it is a batch of more than {MOST_BATCH} requests")
    return request


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has more than {MOST_DIGITS} digits")
    return int(digits)


def _require_flat(request: Any) -> None:
    level: List[Any] = [request]
    for _ in range(MOST_DEPTH + 1):
        level = [inner for outer in level if isinstance(outer, (list, dict))
                 for inner in (outer.values() if isinstance(outer, dict) else outer)
                 if isinstance(inner, (list, dict))]
        if not level:
            return
    raise ValueError(f"it is more than {MOST_DEPTH} lists and objects deep")


def skip_line(reader: BinaryIO) -> None:
    while True:
        part = reader.readline(1 << 20)
        if not part or part.endswith(b"\n"):
            return


class Budget:
    """Bytes of requests that a caller may have in flight; one request is always let in."""

    def __init__(self, most: int):
        self._most, self._used = most, 0
        self._changed = threading.Condition()

    def take(self, count: int) -> None:
        with self._changed:
            while self._used and self._used + count > self._most:
                self._changed.wait()
            self._used += count

    def give(self, count: int) -> None:
        with self._changed:
            self._used -= count
            self._changed.notify()


class SocketLines:
    """Both directions of a client's socket. Between lines it may take its time; one that stops
    within a line, or does not read its verdicts, is let go (OSError)."""

    def __init__(self, connection: socket.socket):
        self._socket = connection
        self._received = bytearray()
        self._ended = False

    def readline(self, most: int) -> bytes:
        searched = 0
        while True:
            end = self._received.find(b"\n", searched, most)
            if end >= 0 or len(self._received) >= most or self._ended:
                length = end + 1 if end >= 0 else min(most, len(self._received))
                line = bytes(self._received[:length])
                del self._received[:length]
                return line
            searched = len(self._received)
            self._wait(select.POLLIN, STALLED if self._received else None)
            more = self._socket.recv(1 << 16)
            self._ended = not more
            self._received += more

    def write(self, data: bytes) -> None:
        while data:
            self._wait(select.POLLOUT, STALLED)
            try:
                data = data[self._socket.send(data, socket.MSG_DONTWAIT):]
            except BlockingIOError:
                pass

    def flush(self) -> None:
        pass

    def _wait(self, what: int, seconds: "float | None") -> None:
        poll = select.poll()
        poll.register(self._socket, what)
        if not poll.poll(None if seconds is None else seconds * 1000):
            raise TimeoutError("the client has stalled")
