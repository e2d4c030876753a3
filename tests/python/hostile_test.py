#!/usr/bin/python3
"""`ptosim serve` and callers who mean harm: each request of hostile_requests.py, and clients that are slow or gone.

    hostile_test.py --ptosim BIN [--write]    # --write: tests/evidence/hostile.json

Nothing outside of the server's own folders may change, no verdict may hold the content of a file outside, and the next
request must be answered.
"""
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import frame
import hostile_requests
from frame import ARGS, VADD

PTOSIM = ""
WRITE = False
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "sim", "python"))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import evidence  # noqa: E402
GOOD = {"kernel": VADD, "blocks": 1, "args": ARGS, "reference": "add"}
CLIENTS = ("a client that sends a byte a second", "a client that reads no verdict of 300",
           "a client that goes in the middle of a line", "a client that asks and goes",
           "a client that resets its connection", "a client that closes one direction",
           "more clients than there may be", "a client that sends 10 MiB and no line end",
           "a client whose 200 requests delay another by one", "SIGTERM and SIGHUP to the server while it judges")



def lay_out(folder):
    """A root next to forbidden files, and a trap for each way there."""
    for name in ("root/inner", "outside", "root-other"):
        os.makedirs(os.path.join(folder, name))
    secret = np.frombuffer(hostile_requests.SECRET.encode().ljust(16), np.uint8)
    for name in ("outside/secret.npy", "root-other/secret.npy"):
        np.save(os.path.join(folder, name), secret)
    for name, text in (("outside/secret.h", f'const char* s = "{hostile_requests.SECRET}" +;\n'),
                       ("outside/chip.json", f'{{"{hostile_requests.SECRET}": '),
                       ("root/extends.json", '{"extends": "../outside/chip.json"}'),
                       ("root/itself.json", '{"extends": "itself.json"}'), ("root/text.json", "no"),
                       ("root/deep.json", "[" * 100000), ("references.py", "def add(x, y, rows):\n    return x + y\n")):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for name, target in (("link.npy", "../outside/secret.npy"), ("link", "../outside"), ("twice.npy", "link.npy"),
                         ("nowhere.npy", "../nowhere"), ("loop.npy", "loop.npy"), ("zero.npy", "/dev/zero"),
                         ("link.json", "../outside/chip.json")):
        os.symlink(target, os.path.join(folder, "root", name))
    os.mkfifo(os.path.join(folder, "root", "pipe.npy"))
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.path.join(folder, "root", "socket.npy"))


def snapshot(folder):
    """Every file with its kind, time and bytes."""
    found = {}
    for base, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(base, name)
            status = os.lstat(path)
            content = b""
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    content = file.read()
            found[path] = (status.st_mode, status.st_size, status.st_mtime_ns, hashlib.sha256(content).hexdigest())
    return found


def processes(pid):
    """A process and all that it has started."""
    found = [pid]
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                for child in file.read().split():
                    found += processes(int(child))
    except OSError:
        pass
    return found


class Hostile(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.join(temporary.name, "host")
        lay_out(self.folder)
        self.own = os.path.join(temporary.name, "own")  # of the server: temporary files, compile cache
        os.makedirs(self.own)

    def start(self, *words, **pipes):
        environment = dict(os.environ, TMPDIR=self.own, PTOSIM_CACHE=os.path.join(self.own, "cache"),
                           PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
        return subprocess.Popen(
            [PTOSIM, "serve", "--references", os.path.join(self.folder, "references.py"), "--timeout", "10", "--memory",
             "512", *words], env=environment, cwd=self.folder, start_new_session=True, **pipes)

    def start_on_pipes(self, *words):
        return self.start(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    @staticmethod
    def ask(server, line):
        server.stdin.write(line + b"\n")
        server.stdin.flush()
        return server.stdout.readline()

    def test_requests(self):
        before = snapshot(self.folder)
        servers = {"root": self.start_on_pipes("--root", os.path.join(self.folder, "root")),
                   "text": self.start_on_pipes()}
        good = json.dumps(GOOD).encode()
        compiled = json.dumps({"kernel": hostile_requests.PLAIN, "cores": "aiv", "blocks": 1}).encode()
        for server in servers.values():
            self.assertEqual(json.loads(self.ask(server, good))["verdict"], "pass")
            self.assertEqual(json.loads(self.ask(server, compiled))["verdict"], "unjudged")
        alive = {name: len(processes(server.pid)) for name, server in servers.items()}
        rows, listed = [], hostile_requests.requests(GOOD, self.folder)
        self.assertEqual(len({row[0] for row in listed}), len(listed))
        for name, where, line, verdict, code in listed:
            with self.subTest(name):
                answer = self.ask(servers[where], line)
                self.assertLessEqual(len(answer), 4096)
                self.assertNotIn(hostile_requests.SECRET.encode(), answer)
                self.assertNotIn(b"root:x", answer)
                self.assertNotIn(b"Traceback", answer)
                found = json.loads(answer)
                self.assertEqual(found["verdict"], verdict or found["verdict"], found)
                self.assertEqual(found.get("code"), code or found.get("code"), found)
                rows.append((name, where, found["verdict"], found.get("code", "")))
        for name, server in servers.items():
            self.assertEqual(json.loads(self.ask(server, good))["verdict"], "pass")
            # Each chip that was asked for has two processes, and a few chips are kept.
            self.assertLessEqual(len(processes(server.pid)), alive[name] + 2 * 4)
            server.stdin.close()
            self.assertEqual(server.wait(30), 0)
            server.stdout.close()
        self.assertEqual(snapshot(self.folder), before)
        left = [name for name in os.listdir(self.own) if name != "cache"]
        self.assertEqual(left, [])
        self.page(rows)

    def page(self, rows):
        """The table of tests/evidence/hostile.json: one row for each request. At least 200."""
        rows = rows + [(name, "socket", "others are answered", "") for name in CLIENTS]
        self.assertGreaterEqual(len(rows), 200)
        found = [[str(number), *(evidence.plain(cell) for cell in row)] for number, row in enumerate(rows, 1)]
        suite = evidence.load("hostile")
        if WRITE:
            suite["tables"][0]["rows"] = found
            evidence.save("hostile", suite)
        self.assertEqual(suite["tables"][0]["rows"], found, "run it with --write")

    @staticmethod
    def wait_for(path):
        for _ in range(300):
            if os.path.exists(path):
                return
            time.sleep(0.1)

    def test_examples_name_options_that_there_are(self):
        """Examples: the systemd unit and the container's script."""
        from ptosim.serve import _parser
        examples = os.path.join(ROOT, "sim", "python", "examples")
        for name in ("ptosim-serve.service", "serve_in_container.sh"):
            with open(os.path.join(examples, name)) as file:
                words = re.findall(r"ptosim serve (--.*)$", file.read(), re.M)[-1].split()
            choice = _parser().parse_args(words)
            self.assertTrue(choice.root and choice.socket)

    def test_clients(self):
        path = os.path.join(self.own, "s")
        server = self.start("--socket", path, "--clients", "8", "--jobs", "1")
        self.addCleanup(server.kill)
        self.wait_for(path)
        line = json.dumps(GOOD).encode() + b"\n"

        def client():
            one = socket.socket(socket.AF_UNIX)
            self.addCleanup(one.close)
            one.settimeout(60)
            one.connect(path)
            return one

        def answered():
            one = client()
            one.sendall(line)
            verdict = json.loads(one.makefile().readline())
            one.close()
            self.assertEqual(verdict["verdict"], "pass", verdict)

        slow = client()
        slow.sendall(line[:1])
        answered()
        slow.sendall(line[1:2])
        deaf = client()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        sender = threading.Thread(target=lambda: deaf.sendall(b"5\n" * 300), daemon=True)
        sender.start()
        answered()
        half = client()
        half.sendall(line[:100])
        half.close()
        answered()
        asks = client()
        asks.sendall(line * 5)
        asks.close()
        answered()
        reset = client()
        reset.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        reset.sendall(line)
        reset.close()
        answered()
        one_way = client()
        one_way.sendall(line)
        one_way.shutdown(socket.SHUT_WR)
        self.assertEqual(json.loads(one_way.makefile().readline())["verdict"], "pass")
        endless = client()
        endless.sendall(b"x" * (10 << 20))
        answered()
        greedy = client()
        greedy.sendall(line * 200)
        begin = time.monotonic()
        answered()
        alone = time.monotonic() - begin
        reader = greedy.makefile()
        got = 0
        while json.loads(reader.readline())["verdict"] == "pass" and got < 3:
            got += 1
        self.assertLess(alone, 20)  # 200 requests take longer
        crowd = [client() for _ in range(10)]
        said = [one.makefile().readline() for one in crowd[-1:]]
        self.assertIn("clients already", said[0])
        for one in crowd:
            one.close()
        greedy.close()
        time.sleep(1)
        answered()
        self.ended_by(signal.SIGTERM, server, path, client, line)
        server = self.start("--socket", path)
        self.addCleanup(server.kill)
        self.wait_for(path)
        answered()
        self.ended_by(signal.SIGHUP, server, path, client, line)

    def ended_by(self, number, server, path, connect, line):
        """While it judges. It leaves neither socket nor process."""
        started = processes(server.pid)
        connect().sendall(line * 10)
        server.send_signal(number)
        self.assertEqual(server.wait(60), 0)
        self.assertFalse(os.path.exists(path))
        time.sleep(0.5)
        self.assertEqual([pid for pid in started if os.path.exists(f"/proc/{pid}/exe")], [])


def split_options():
    global PTOSIM, WRITE
    PTOSIM = frame.program(cache=False)
    WRITE = "--write" in sys.argv
    if WRITE:
        sys.argv.remove("--write")


if __name__ == "__main__":
    split_options()
    unittest.main()
