#!/usr/bin/python3
"""The debugger's server of the Debug Adapter Protocol, with a client that speaks it on pipes and on a port. Expected
values are computed by numpy.

debug_adapter_test.py --ptosim BIN
"""
import base64
import os
import platform
import random
import shutil
import socket
import subprocess
import tempfile
import unittest

import command_line
import numpy
import protocol_client

PTOSIM = "ptosim"
KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels")
VADD = os.path.join(KERNELS, "vadd_f32.pto")
ROWS = 64
SECONDS = protocol_client.SECONDS


def line_of(path, text, which=0):
    with open(path) as file:
        return [number for number, line in enumerate(file, 1) if text in line][which]


class Client(protocol_client.Stream):
    """A client of the Debug Adapter Protocol."""

    def __init__(self, reads, writes):
        super().__init__(reads, writes)
        self.number, self.kept = 0, []

    def response(self, command, **arguments):
        self.number += 1
        self.send({"seq": self.number, "type": "request", "command": command, "arguments": arguments})
        while True:
            message = self.message()
            if message["type"] == "response" and message["request_seq"] == self.number:
                return message
            self.kept.append(message)

    def ask(self, command, **arguments):
        answer = self.response(command, **arguments)
        assert answer["success"], answer
        assert answer["command"] == command
        return answer["body"]

    def event(self, name):
        while True:
            for at, message in enumerate(self.kept):
                if message["event"] == name:
                    return self.kept.pop(at)["body"]
            message = self.message()
            assert message["type"] == "event", message
            self.kept.append(message)


class Adapter(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        random = numpy.random.default_rng(2)
        self.x, self.y = (random.integers(-99, 99, (ROWS, 256)).astype("f4") for _ in range(2))
        self.z = self.x + self.y
        for name in "xyz":
            numpy.save(os.path.join(self.folder, name + ".npy"), getattr(self, name))

    def words(self, kernel, *more):
        return [PTOSIM, "debug", kernel, "--blocks", "2", "--arg", "in=x.npy", "--arg", "in=y.npy", "--arg",
                f"out={ROWS}x256xf32", "--arg", f"i32={ROWS}", "--golden", "2=z.npy", *more]

    def start(self, kernel=VADD, *more):
        self.server = subprocess.Popen(self.words(kernel, *more), cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
        self.addCleanup(self.end)
        self.client = Client(self.server.stdout.fileno(), self.server.stdin.fileno())
        return self.client

    def end(self):
        for stream in (self.server.stdin, self.server.stdout, self.server.stderr):
            stream.close()
        try:
            self.server.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
            raise

    def launched(self, client, lines=(), filters=("finding",), kernel=VADD, entry=False, **conditions):
        client.ask("initialize", adapterID="ptosim")
        client.event("initialized")
        client.ask("launch", stopOnEntry=entry)
        self.set_lines(client, lines, kernel, **conditions)
        client.ask("setExceptionBreakpoints", filters=list(filters))
        client.ask("configurationDone")

    def set_lines(self, client, lines, kernel=VADD, **conditions):
        body = client.ask("setBreakpoints", source={"path": kernel}, breakpoints=[{"line": line, **conditions} for line in lines])
        self.assertEqual([one["line"] for one in body["breakpoints"]], list(lines))
        return [one["id"] for one in body["breakpoints"]]

    def top(self, client, thread):
        return client.ask("stackTrace", threadId=thread)["stackFrames"][0]

    def scope(self, client, frame, name):
        scopes = client.ask("scopes", frameId=frame["id"])["scopes"]
        number = [one["variablesReference"] for one in scopes if one["name"] == name][0]
        return {one["name"]: one for one in client.ask("variables", variablesReference=number)["variables"]}

    def changed(self, old, new, which=0):
        with open(VADD) as file:
            lines = file.read().split("\n")
        lines[line_of(VADD, old, which) - 1] = lines[line_of(VADD, old, which) - 1].replace(old, new)
        path = os.path.join(self.folder, "changed.pto")
        with open(path, "w") as file:
            file.write("\n".join(lines))
        return path

    def test_breakpoints_threads_and_variables(self):
        client = self.start()
        line = line_of(VADD, "pto.tadd")
        self.launched(client, [line], condition="%row == 32")
        stop = client.event("stopped")
        self.assertEqual(stop["reason"], "breakpoint")
        threads = client.ask("threads")["threads"]
        self.assertEqual([one["name"] for one in threads], ["AIV00", "AIV01"])
        self.assertEqual(threads[stop["threadId"] - 1]["name"], "AIV01")
        frames = client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]
        self.assertEqual(frames[0]["line"], line)
        self.assertEqual(frames[0]["source"]["path"], VADD)
        self.assertTrue(any("MTE2" in frame["name"] and "TLOAD" in frame["name"] for frame in frames[1:]))
        values = self.scope(client, frames[0], "Values")
        self.assertEqual(values["%row"]["value"], "32")
        self.assertEqual(values["%x_ping"]["indexedVariables"], 16)
        pipes = self.scope(client, frames[0], "Pipes")
        self.assertIn("waits for flag MTE2->V #0", pipes["V"]["value"])
        arrays = self.scope(client, frames[0], "Arrays")
        row = client.ask("variables", variablesReference=arrays["x"]["variablesReference"], filter="indexed", start=33, count=1)
        cells = client.ask("variables", variablesReference=row["variables"][0]["variablesReference"], start=4, count=3)["variables"]
        self.assertEqual([float(cell["value"]) for cell in cells], list(self.x[33, 4:7]))
        self.assertEqual(client.ask("evaluate", expression="%row + 1", frameId=frames[0]["id"], context="watch")["result"], "33")
        memory = client.ask("readMemory", memoryReference=arrays["x"]["memoryReference"], offset=4, count=8)
        self.assertEqual(base64.b64decode(memory["data"]), self.x.tobytes()[4:12])
        self.assertIn("MTE3->V #1 is set at", client.ask("evaluate", expression="flags", context="repl")["result"])
        client.ask("continue", threadId=1)
        self.assertEqual(client.event("stopped")["description"], "the end of the run")
        client.ask("continue", threadId=1)
        client.event("terminated")
        client.ask("disconnect")

    def test_backwards(self):
        client = self.start()
        line = line_of(VADD, "pto.tadd")
        self.launched(client, [line, line + 18], hitCondition="1")
        seen = []
        for _ in range(3):
            thread = client.event("stopped")["threadId"]
            seen.append((thread, self.top(client, thread)["line"]))
            client.ask("continue", threadId=thread)
        client.event("stopped")
        back = []
        for _ in range(3):
            client.ask("reverseContinue", threadId=1)
            thread = client.event("stopped")["threadId"]
            back.append((thread, self.top(client, thread)["line"]))
        self.assertEqual(back, seen[::-1])
        thread, at = back[-1]
        self.set_lines(client, [])
        client.ask("next", threadId=thread)
        self.assertEqual(client.event("stopped")["reason"], "step")
        self.assertEqual(self.top(client, thread)["line"], at + 1)
        client.ask("stepBack", threadId=thread)
        client.event("stopped")
        self.assertEqual(self.top(client, thread)["line"], at)

    def test_data_breakpoints(self):
        client = self.start(self.changed("pto.tadd", "pto.tsub", 1))
        self.launched(client, entry=True)
        client.event("stopped")
        info = client.ask("dataBreakpointInfo", name="z")
        self.assertEqual(info["accessTypes"], ["write"])
        body = client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write", "condition": "differs"}])
        self.assertTrue(body["breakpoints"][0]["verified"])
        client.ask("continue", threadId=1)
        stop = client.event("stopped")
        self.assertEqual(stop["reason"], "data breakpoint")
        value = client.ask("evaluate", expression="z[16,3]", context="hover")["result"]
        if stop["threadId"] == 1:
            self.assertEqual(float(value), (self.x - self.y)[16, 3])
        self.assertIsNone(client.ask("dataBreakpointInfo", name="nothing")["dataId"])

    def test_a_finding(self):
        kernel = self.changed("pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]", "")
        client = self.start(kernel, "--check", "sync")
        self.launched(client, kernel=kernel)
        stop = client.event("stopped")
        self.assertEqual(stop["reason"], "exception")
        self.assertIn("waits for flag MTE2->V #1", client.ask("exceptionInfo", threadId=1)["description"])

    def test_a_port(self):
        server = subprocess.Popen(self.words(VADD, "--port", "0"), cwd=self.folder, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.stderr.close)
        try:
            port = int(server.stderr.readline().rsplit(":", 1)[1])
            with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
                client = Client(connection.fileno(), connection.fileno())
                self.launched(client, [line_of(VADD, "pto.tadd")])
                self.assertEqual(client.event("stopped")["reason"], "breakpoint")
                client.ask("disconnect")
            self.assertEqual(server.wait(SECONDS), 0)
        finally:
            server.kill()
            server.wait()

    def test_a_pause(self):
        """A loop that would take minutes, as it issues nothing."""
        path = os.path.join(self.folder, "long.pto")
        with open(path, "w") as file:
            file.write("""module {
  func.func @long(%x: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %many = arith.constant 1000000000 : index
    scf.for %i = %c0 to %many step %c1 {
      %j = arith.addi %i, %c1 : index
    }
    return
  }
}
""")
        self.server = subprocess.Popen([PTOSIM, "debug", path, "--arg", "zeros=16xf32", "--blocks", "1"], cwd=self.folder,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end)
        client = Client(self.server.stdout.fileno(), self.server.stdin.fileno())
        self.launched(client)
        self.assertFalse(client.response("evaluate", expression="what", context="watch")["success"])
        client.ask("pause", threadId=1)
        stop = client.event("stopped")
        self.assertEqual(stop["reason"], "pause")
        first = self.scope(client, self.top(client, 1), "Values")["%i"]["value"]
        client.ask("stepBack", threadId=1)
        client.event("stopped")
        self.assertLessEqual(int(self.scope(client, self.top(client, 1), "Values")["%i"]["value"]), int(first))

    @unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("gdb"), "variables of compiled code")
    def test_structures_and_arrays_of_compiled_code(self):
        path = os.path.join(self.folder, "parts.cpp")
        with open(path, "w") as file:
            file.write("""#include <pto/pto-inst.hpp>
using namespace pto;
struct Base { int id; };
struct Part : Base {
    int counts[3];
    struct { float rate; } inner;
    Tile<TileType::Vec, float, 8, 64> tile;
 private:
    bool hidden;
};
__global__ AICORE void parts(__gm__ float* x) {
    Part part{};
    part.id = 5;
    part.counts[1] = 42;
    part.inner.rate = 1.5f;
    TASSIGN(part.tile, 512);
    x[0] = part.inner.rate;
}
""")
        line = line_of(path, "x[0] =")
        self.server = subprocess.Popen([PTOSIM, "debug", path, "--core", "aiv", "--arg", "zeros=64xf32"], cwd=self.folder, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end)
        client = Client(self.server.stdout.fileno(), self.server.stdin.fileno())
        self.launched(client, [line], kernel=path)
        stop = client.event("stopped")
        part = self.scope(client, self.top(client, stop["threadId"]), "Variables")["part"]

        def members(one):
            self.assertGreater(one["variablesReference"], 0)
            list_ = client.ask("variables", variablesReference=one["variablesReference"])["variables"]
            return {member["name"]: member for member in list_}

        inside = members(part)
        self.assertEqual([inside["counts"]["value"], inside["hidden"]["value"]], ["{...}", "false"])
        self.assertEqual([one["value"] for one in members(inside["counts"]).values()], ["0", "42", "0"])
        self.assertEqual(members(inside["inner"])["rate"]["value"], "1.5")
        self.assertEqual(members(inside["Base"])["id"]["value"], "5")
        self.assertEqual((inside["tile"]["value"], inside["tile"]["indexedVariables"]), ("UB f32 8x64 ND @0x200", 8))
        name = members(inside["inner"])["rate"]["evaluateName"]
        self.assertEqual(client.ask("evaluate", expression=name, context="watch", frameId=1)["result"], "1.5")
        client.ask("disconnect")

    def test_random_requests(self):
        """Each of them gets a response, whatever it holds; then the session is usable."""
        client = self.start()
        source = random.Random(5)
        self.launched(client, [line_of(VADD, "pto.tadd")])
        client.event("stopped")
        thread, frame = {"threadId": 1}, {"frameId": 1}
        templates = (
            ("initialize", {"adapterID": "x"}), ("launch", {"stopOnEntry": True}), ("threads", {"x": 1}),
            ("setBreakpoints", {"source": {"path": VADD}, "breakpoints": [{"line": 3, "condition": "%row", "hitCondition": "1"}]}),
            ("setExceptionBreakpoints", {"filters": ["finding", "nan"]}), ("setFunctionBreakpoints", {"breakpoints": []}),
            ("dataBreakpointInfo", {"name": "z", "variablesReference": 1, "asAddress": True, "bytes": 4}),
            ("setDataBreakpoints", {"breakpoints": [{"dataId": '{"begin": 1, "end": 2}', "condition": "nan"}]}),
            ("stackTrace", {**thread, "startFrame": 0, "levels": 1}), ("scopes", frame),
            ("variables", {"variablesReference": 1, "start": 0, "count": 2}), ("next", {**thread, "granularity": "line"}),
            ("stepIn", thread), ("stepBack", thread), ("stepOut", thread), ("continue", thread), ("reverseContinue", thread),
            ("evaluate", {"expression": "z[0,0]", "context": "repl", **frame}), ("evaluate", {"expression": "break 3", "context": "repl"}),
            ("readMemory", {"memoryReference": "AIV00:UB:0x0", "offset": 0, "count": 8}), ("exceptionInfo", thread), ("pause", thread))
        refused = 0
        for _ in range(600):
            command, arguments = source.choice(templates)
            answer = client.response(command, **protocol_client.broken(arguments, source))
            refused += not answer["success"]
            self.assertTrue(answer["success"] or answer["message"])
        self.assertGreater(refused, 100)
        self.assertIn("moment 1:", client.ask("evaluate", expression="goto 1", context="repl")["result"])
        client.ask("disconnect")
        self.assertEqual(self.server.wait(SECONDS), 0)

    def test_broken_streams(self):
        for begin, code in [*((begin, 2) for begin in protocol_client.BROKEN_STREAMS), *((begin, 0) for begin in protocol_client.CUT_STREAMS)]:
            done = subprocess.run(self.words(VADD), cwd=self.folder, input=begin, capture_output=True, timeout=SECONDS)
            self.assertEqual(done.returncode, code, begin)
            self.assertEqual(b"output" in done.stdout, code == 2, begin)

    def test_broken_requests(self):
        client = self.start()
        for text in (b"{", b"[]", b"{}", b'{"type": "request"}', b'{"type":"request","command":7,"seq":"x"}'):
            client.send(text)
            answer = client.message()
            self.assertFalse(answer["success"])
            self.assertTrue(answer["message"])
        for command in ("fly", "stackTrace", "scopes", "variables", "setBreakpoints", "setDataBreakpoints", "readMemory", "next",
                        "continue", "evaluate", "setExceptionBreakpoints"):
            self.assertFalse(client.response(command)["success"], command)
        self.launched(client, [line_of(VADD, "pto.tadd")])
        client.event("stopped")
        for command, arguments in (("stackTrace", {"threadId": 99}), ("scopes", {"frameId": -1}), ("variables", {"variablesReference": 10**9}),
                                   ("setBreakpoints", {"source": {}, "breakpoints": [{"line": "x"}]}),
                                   ("setExceptionBreakpoints", {"filters": ["rain"]}), ("evaluate", {"expression": "%q["}),
                                   ("evaluate", {"expression": "brek", "context": "repl"}),
                                   ("setDataBreakpoints", {"breakpoints": [{"dataId": "{"}]}),
                                   ("readMemory", {"memoryReference": "moon", "count": 4}), ("next", {"threadId": "x"}),
                                   ("configurationDone", {})):
            answer = client.response(command, **arguments)
            self.assertFalse(answer["success"], command)
            self.assertEqual(answer["body"]["error"]["format"], answer["message"])
        self.assertEqual(client.ask("readMemory", memoryReference="AIV00:UB:0xfffffff0", count=64)["unreadableBytes"], 64)
        os.write(client.writes, b"Hello\r\n\r\n")
        while True:
            try:
                last = client.message()
            except EOFError:
                break
        self.assertIn("Content-Length", last["body"]["output"])
        self.assertEqual(self.server.wait(SECONDS), 2)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
