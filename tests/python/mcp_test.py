#!/usr/bin/python3
"""`ptosim mcp`, asked by the SDK's own client; and the tools without it.

    mcp_test.py --ptosim BIN [--python PYTHON] [--figures]

PYTHON has the package mcp (a virtual environment); where it has none, the tests of the protocol are skipped.
--figures: milliseconds of each call, and of them the part without the simulation.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import frame
from frame import ARGS, VADD

PTOSIM = ""
PYTHON = sys.executable
FIGURES = False
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "sim", "python"))
WAIT = "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]"
# Runs in PYTHON: reads calls, a list of [tool or "resource", arguments], and prints what comes back with milliseconds.
CLIENT = """
import asyncio, json, sys, time

def text_of(result):
    return "".join(getattr(part, "text", "") for part in result)

async def talk(session, calls):
    told = {"tools": {tool.name: tool.description for tool in (await session.list_tools()).tools}, "answers": []}
    for name, arguments in calls:
        begin = time.perf_counter()
        try:
            if name == "resource":
                answer = text_of((await session.read_resource(arguments)).contents)
            else:
                result = await session.call_tool(name, arguments)
                wrong = getattr(result, "is_error", getattr(result, "isError", False))
                answer = ("error: " if wrong else "") + text_of(result.content)
        except Exception as error:
            answer = f"error: {error}"
        told["answers"].append([answer, (time.perf_counter() - begin) * 1000])
    return told

async def main(command, calls):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(__import__("os").environ))
    async with stdio_client(parameters) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            return await talk(session, calls)

command, calls = json.loads(sys.stdin.read())
print(json.dumps(asyncio.run(main(command, calls))))
"""


def has_sdk():
    return subprocess.run([PYTHON, "-c", "import mcp"], capture_output=True).returncode == 0


def ask(calls, *words):
    path = f"{os.path.dirname(PYTHON)}:{os.environ['PATH']}"
    done = subprocess.run([PYTHON, "-c", CLIENT], input=json.dumps([[PTOSIM, "mcp", *words], calls]),
                          capture_output=True, text=True, timeout=200, env={**os.environ, "PATH": path})
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Protocol(unittest.TestCase):
    def setUp(self):
        if not has_sdk():
            self.skipTest(f"{PYTHON} has no package mcp (pip install mcp)")

    def test_the_walk_of_an_agent(self):
        """From a wrong kernel to a right one, and to what would make it faster."""
        kernel = {"arguments": ARGS, "blocks": 1}
        broken = VADD.replace(WAIT, "", 1)
        told = ask([["check", {**kernel, "kernel": broken}], ["explain", {"code": "E01"}],
                    ["check", {**kernel, "kernel": VADD}], ["run", {**kernel, "kernel": VADD}],
                    ["advise", {**kernel, "kernel": VADD}],
                    ["compare", {**kernel, "before": VADD, "after": VADD.replace("pto.tadd ", "pto.tsub ", 1)}],
                    ["instruction", {"name": "tadd"}], ["describe_chip", {}],
                    ["describe_chip", {"name": "ascend950pr", "parameters": "aiv.ub"}],
                    ["resource", "ptosim://recordings/r1/report.md"], ["resource", "ptosim://recordings/r9/report.md"],
                    ["check", {**kernel, "kernel": "/etc/passwd"}], ["run", {**kernel, "kernel": "nothing.pto"}]])
        answers = [answer for answer, _ in told["answers"]]
        self.assertEqual(set(told["tools"]), {"check", "run", "advise", "compare", "explain", "instruction",
                                              "describe_chip"})
        self.assertTrue(all(told["tools"].values()))
        for answer in answers[:9]:
            self.assertFalse(answer.startswith("error"), answer)
            self.assertLess(len(answer), 6000)
        first, right = json.loads(answers[0]), json.loads(answers[2])
        self.assertEqual((first["verdict"], right["verdict"]), ("fail", "unjudged"))
        self.assertGreater(first["races"], 0)
        self.assertRegex(answers[1], "^E01: ")
        ran = json.loads(answers[3])
        self.assertEqual(ran["cycles"], right["cycles"])
        self.assertIn("ptosim://recordings/r1/report.md", ran["resources"])
        self.assertEqual(json.loads(answers[4])["format"], "ptosim agent 1")
        compared = json.loads(answers[5])
        self.assertEqual((compared["same_bits"], compared["before"]["cycles"]), (False, ran["cycles"]))
        self.assertIn("TADD", answers[6])
        self.assertIn("ascend910b1", answers[7])
        self.assertIn("aiv.ub.bytes", answers[8])
        self.assertIn("# vadd_f32 on ascend910b1", answers[9])
        for answer in answers[10:11] + answers[12:]:
            self.assertTrue(answer.startswith("error"), answer)
        self.assertEqual(json.loads(answers[11])["code"], "I68")
        self.assertNotIn("root:", answers[11])

    def test_files_below_the_root(self):
        (answer, _), = ask([["check", {"kernel": "vadd_f32.pto", "arguments": ARGS, "blocks": 1}]], "--root",
                           os.path.join(ROOT, "tests", "kernels"))["answers"]
        self.assertEqual(json.loads(answer)["verdict"], "unjudged", answer)

    def test_a_call_costs_little_beside_the_simulation(self):
        """Under 50 ms: the median of ten, so that a busy host does not decide."""
        calls = [["explain", {"code": "E05"}], ["instruction", {"name": "TADD"}],
                 ["check", {"kernel": VADD, "arguments": ARGS, "blocks": 1}]]
        told = ask([call for call in calls for _ in range(10)])["answers"]
        for number, (name, _) in enumerate(calls):
            part = told[10 * number:10 * number + 10]
            beside = sorted(ms - 1000 * (json.loads(answer)["seconds"] if name == "check" else 0) for answer, ms in part)
            if FIGURES:
                print(f"{name}: {sorted(ms for _, ms in part)[5]:.1f} ms, beside the simulation {beside[5]:.1f} ms")
            self.assertLess(beside[5], 50, name)


class WithoutProtocol(unittest.TestCase):
    def test_help_and_parser_have_the_same_options(self):
        from ptosim import mcp_server
        of_python = mcp_server.parser().format_help()
        of_program = subprocess.run([PTOSIM, "mcp", "--help"], capture_output=True, text=True).stdout
        self.assertEqual(re.findall(r"^  (--[a-z-]+)", of_program, re.M), re.findall(r"^  (--[a-z-]+)", of_python, re.M))

    def test_without_the_sdk(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "mcp"))
            with open(os.path.join(folder, "mcp", "__init__.py"), "w") as file:
                file.write("raise ImportError('none here')\n")
            done = subprocess.run([PTOSIM, "mcp"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  env={**os.environ, "PYTHONPATH": folder,
                                       "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("needs the Python SDK of the Model Context Protocol", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_old_recordings_go(self):
        from ptosim import mcp_server
        from ptosim.files import Files
        from ptosim.runs import Limits
        tools = mcp_server.Tools(Limits(seconds=60), Files())
        kept, mcp_server.MOST_RECORDINGS = mcp_server.MOST_RECORDINGS, 2
        try:
            for _ in range(3):
                tools.advise(VADD, ARGS, 1)
        finally:
            mcp_server.MOST_RECORDINGS = kept
        self.assertIn("vadd_f32", tools.recording("r3", "report.md"))
        for name, file in (("r1", "report.md"), ("r3", "../r3/report.md"), ("r3", "recording"), ("..", "agent.json")):
            with self.assertRaises(mcp_server.Error):
                tools.recording(name, file)
        self.assertEqual(sorted(os.listdir(tools._folder.name)), ["r2", "r3"])


if __name__ == "__main__":
    PTOSIM = frame.program(cache=False)
    PYTHON = os.path.abspath(frame.command_line.take("--python", PYTHON))
    if "--figures" in sys.argv:
        FIGURES = True
        sys.argv.remove("--figures")
    unittest.main()
