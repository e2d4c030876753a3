#!/usr/bin/python3
"""A kernel in C++ and in assembly is the same stream of instructions.

    same_stream_test.py --ptosim BIN --data DIR

Each kernel of tests/cpp/kernels says what the .pto of its name says. Both must give the golden of
that case, and on every pipe of every core the same instructions with the same operands in the same
order, each as long on the pipes that compute. The whole time may differ by what the assembler's
scalar arithmetic costs: the scalar code of C++ runs on the host and is not counted.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(os.path.dirname(HERE), "kernels")
sys.path.insert(0, KERNELS)
sys.dont_write_bytecode = True

from run_cases import command_line  # noqa: E402

PTOSIM = DATA = ""
COMPUTING = ("M", "V")
SCALAR_COST = 0.01  # of the time


class SameStream(unittest.TestCase):
    def check(self, name):
        with open(os.path.join(DATA, "cases.json")) as file:
            case = next(c for c in json.load(file)["cases"] if c["name"] == name)
        streams, cycles = [], []
        for kernel in (os.path.join(KERNELS, case["kernel"]),
                       os.path.join(HERE, "kernels", case["entry"] + ".cpp")):
            with tempfile.TemporaryDirectory() as folder:
                result = subprocess.run(
                    [PTOSIM, "run", *command_line(case, kernel), "--trace", folder,
                     "--trace-formats", "chrome", "--check", "bounds,init,race,sync", "--json",
                     os.path.join(folder, "run.json")],
                    cwd=DATA, capture_output=True, text=True, timeout=300,
                    env={**os.environ, "XDG_CACHE_HOME": folder})
                self.assertEqual(result.returncode, 0, result.stderr)
                streams.append(self.stream(os.path.join(folder, "trace.json")))
                with open(os.path.join(folder, "run.json")) as file:
                    cycles.append(json.load(file)["cycles"])
        assembly, cpp = streams
        self.assertEqual(assembly.keys(), cpp.keys())
        self.assertGreater(sum(map(len, assembly.values())), 100)
        for lane, instructions in assembly.items():
            self.assertEqual(instructions, cpp[lane], lane)
        self.assertLessEqual(abs(cycles[1] - cycles[0]), SCALAR_COST * cycles[0])

    @staticmethod
    def stream(path):
        """lane: [(sequence, instruction, operands, cycles where it computes)]"""
        with open(path) as file:
            events = json.load(file)["traceEvents"]
        names = {(e["pid"], e.get("tid")): e["args"]["name"] for e in events
                 if e["ph"] == "M" and e["name"] in ("thread_name", "process_name")}
        lanes = {}
        for event in events:
            if event["ph"] != "X" or "sequence" not in event.get("args", {}):
                continue
            args = event["args"]
            lanes.setdefault((event["pid"], names[event["pid"], event["tid"]]), []).append(
                (args["sequence"], event["name"], args.get("operands"),
                 args["cycles"] if event["cat"] in COMPUTING else None))
        return {lane: sorted(stream) for lane, stream in lanes.items()}

    def test_vector_kernel(self):
        self.check("softmax_rows_f32")

    def test_cube_kernel(self):
        self.check("gemm_f16")

    def test_blocks_that_get_different_shares(self):
        self.check("gemm_f16_uneven")

    def test_mixed_kernel(self):
        self.check("attention_f16")


if __name__ == "__main__":
    words = sys.argv[1:]
    PTOSIM = os.path.abspath(words[words.index("--ptosim") + 1])
    DATA = os.path.abspath(words[words.index("--data") + 1])
    unittest.main(argv=sys.argv[:1])
