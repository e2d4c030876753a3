"""The framing of the Debug Adapter Protocol and the Language Server Protocol, on two descriptors."""
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
