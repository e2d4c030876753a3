"""The framing of the Debug Adapter Protocol and the Language Server Protocol, on two descriptors."""
import copy
import json
import os
import select

SECONDS = 120  # without an answer, on a host that does much else


class Stream:
    def __init__(self, reads, writes):
        self.reads, self.writes, self.bytes = reads, writes, b""

    def message(self):
        while True:
            head, found, rest = self.bytes.partition(b"\r\n\r\n")
            size = int(head.split(b":")[1]) if found else 0
            if found and len(rest) >= size:
                self.bytes = rest[size:]
                return json.loads(rest[:size])
            if not select.select([self.reads], [], [], SECONDS)[0]:
                raise TimeoutError("the server does not answer")
            chunk = os.read(self.reads, 65536)
            if not chunk:
                raise EOFError("the server has ended")
            self.bytes += chunk

    def send(self, message):
        """An object, or bytes as they are."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        os.write(self.writes, b"Content-Length: %d\r\n\r\n" % len(data) + data)


ODD = (None, True, False, -1, 0, 1, 7, 2**31, 2**63, 2**64, -2**63, 1e300, "", "x", "%row", "x[0,0]", "\u0000", "a" * 5000, "x[" * 50,
       [], [[]], [None], {}, {"line": -1}, {"dataId": "{}"}, {"path": None})


def broken(values, random):
    """An object like this one with some values replaced, doubled, removed, or added."""
    values = copy.deepcopy(values)
    for _ in range(random.randint(1, 3)):
        inner = values
        while inner:
            key = random.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
            if isinstance(inner[key], (dict, list)) and inner[key] and random.random() < 0.6:
                inner = inner[key]
                continue
            if random.random() < 0.2:
                del inner[key]
            else:
                inner[key] = copy.deepcopy(random.choice(ODD))
            break
    return values


# Beginnings after which a server cannot find the next message.
BROKEN_STREAMS = (b"Content-Length: -1\r\n\r\n", b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length: 2147483648\r\n\r\n{}",
                  b"Content-Length: x\r\n\r\n{}", b"Length: 2\r\n\r\n{}", b"\0" * 5000, b"Content-Length:\r\n\r\n")
# Beginnings of a message that is never complete: the end of the stream, not an error.
CUT_STREAMS = (b"", b"Content", b"Content-Length: 20\r\n", b'Content-Length: 20\r\n\r\n{"type"')
