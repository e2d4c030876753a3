#!/usr/bin/python3
"""`ptosim cost`, the Python call and the C++ call: the time of fragments.

    cost_test.py --ptosim BIN [--figures]    # --figures: microseconds for each request

Times are held against whole kernels that `ptosim run` runs, and against the figures of chip files.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

import frame

PTOSIM = ""
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "sim", "python"))
VEC = "!pto.tile_buf<vec, 16x64xf32>"
PART = "!pto.partition_tensor_view<16x64xf32>"
ADD = f"pto.tadd ins(%a, %b : {VEC}, {VEC}) outs(%b : {VEC})"
EXP = f"pto.texp ins(%b : {VEC}) outs(%b : {VEC})"
LOAD = f"pto.tload ins(%x : {PART}) outs(%a : {VEC})"
STORE = f"pto.tstore ins(%b : {VEC}) outs(%x : {PART})"
TILES = {"a": "vec, 16x64xf32", "b": "vec, 16x64xf32"}
PROGRAM = """#include <ptosim/ptosim.hpp>
#include <cstdio>
#include <iostream>
int main() {
    ptosim::CostOracle oracle(ptosim::Chip("ascend910b1"));
    ptosim::Fragment fragment;
    fragment.tiles = {{"a", "vec, 16x64xf32"}, {"b", "vec, 16x64xf32"}};
    fragment.text = R"(%s)";
    std::printf("%%d\\n", int(oracle.cost(fragment).cycles));
    fragment.text = "\\npto.none";
    try { oracle.cost(fragment); } catch (const ptosim::Error& e) {
        std::printf("%%s %%u\\n", e.findings()[0].code.c_str(), e.findings()[0].line); }
    try { ptosim::Device device; } catch (const ptosim::Error& e) {
        std::printf("%%s\\n", e.findings()[0].code.c_str()); }
    for (std::string line; std::getline(std::cin, line);) std::cout << oracle.answer(line) << '\\n';
}
"""


def figures():
    """Microseconds of a request and its answer, by fragment, on this host; the median of 2000."""
    server = subprocess.Popen([PTOSIM, "cost"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for name, text in (("one TADD", ADD), ("TLOAD, TADD, TEXP, TSTORE", "\n".join([LOAD, ADD, EXP, STORE])),
                       ("32 instructions", "\n".join([ADD, EXP] * 16))):
        times = []
        for number in range(2000):
            line = json.dumps({"text": f"{text}\n// {number}", "tiles": TILES, "arrays": {"x": "16x64xf32"}}).encode()
            begin = time.perf_counter()
            server.stdin.write(line + b"\n")
            server.stdin.flush()
            server.stdout.readline()
            times.append(time.perf_counter() - begin)
        times.sort()
        print(f"{name}: median {times[1000] * 1e6:.0f} us, 99 of 100 below {times[1980] * 1e6:.0f} us")
    server.stdin.close()
    server.wait()


class Cost(unittest.TestCase):
    def ask(self, *requests, words=()):
        done = subprocess.run([PTOSIM, "cost", *words], input="".join(json.dumps(one) + "\n" for one in requests),
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def cycles(self, *requests):
        return [answer["cycles"] for answer in self.ask(*requests)]

    def of_kernel(self, body):
        """Cycles of a kernel of one block."""
        text = f"""module {{
  func.func @k() attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %a = pto.alloc_tile : {VEC}
    %b = pto.alloc_tile : {VEC}
    {body}
    return
  }}
}}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.pto")
            with open(path, "w") as file:
                file.write(text)
            done = subprocess.run([PTOSIM, "run", path, "--mode", "timing", "--blocks", "1", "--sync", "auto", "--json",
                                   "-"], capture_output=True, text=True)
        return json.loads(done.stdout)["cycles"]

    def test_it_is_what_a_kernel_takes_longer(self):
        empty = self.of_kernel("")
        for body in (ADD, f"{ADD}\n{EXP}", "\n".join([ADD, EXP] * 8)):
            self.assertEqual(self.cycles({"text": body, "tiles": TILES}), [self.of_kernel(body) - empty], body)

    def test_the_same_request_has_the_same_answer(self):
        """Whatever was asked before: other arrays, far too large for L2 together, and stores to them."""
        def request(rows, memory, text):
            part = f"!pto.partition_tensor_view<{rows}x64xf32>"
            tile = f"vec, {rows}x64xf32"
            return {"text": text.replace(PART, part).replace(VEC, f"!pto.tile_buf<{tile}>"), "memory": memory,
                    "tiles": {"a": tile, "b": tile}, "arrays": {"x": f"{rows}x64xf32"}}

        asked = [request(rows, memory, f"{LOAD}\n{ADD}\n{STORE}") for rows in (1, 8, 16, 64, 128)
                 for memory in ("l2", "hbm")]
        alone = [self.cycles(one)[0] for one in asked]
        order = [random.Random(5).randrange(len(asked)) for _ in range(200)]
        self.assertEqual(self.cycles(*(asked[i] for i in order)), [alone[i] for i in order])
        for l2, hbm in zip(alone[::2], alone[1::2]):
            self.assertLess(l2, hbm)

    def test_repetitions(self):
        (one, eight, sixteen, steady) = self.ask(*(
            {"text": ADD, "tiles": TILES, **more} for more in ({}, {"repeat": 8}, {"repeat": 16}, {"steady": True})))
        self.assertEqual(steady["steady"], (sixteen["cycles"] - eight["cycles"]) / 8)
        self.assertEqual(steady["cycles"], one["cycles"])
        self.assertEqual(eight["instructions"], 8)
        self.assertLess(steady["steady"], one["cycles"])  # the pipe overlaps them

    def test_chips_values_cubes_and_flags(self):
        (slow,) = self.ask({"text": ADD, "tiles": TILES}, words=["--set", "clock=0.925GHz"])
        (fast,) = self.ask({"text": ADD, "tiles": TILES})
        self.assertEqual((slow["cycles"], round(slow["time_us"], 6)), (fast["cycles"], round(2 * fast["time_us"], 6)))
        found = self.ask(
            {"id": [1], "values": {"f": "f32=0.5"}, "tiles": TILES,
             "text": f"pto.tmuls ins(%a, %f : {VEC}, f32) outs(%b : {VEC})"},
            {"core": "cube", "tiles": {"l": "mat, 64x64xf16, blayout=col_major, slayout=row_major",
                                       "d": "left, 64x64xf16, blayout=row_major, slayout=row_major"},
             "text": "pto.tmov ins(%l : !pto.tile_buf<mat, 64x64xf16, blayout=col_major, slayout=row_major>) "
                     "outs(%d : !pto.tile_buf<left, 64x64xf16, blayout=row_major, slayout=row_major>)"},
            {"text": f"{ADD}\npto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]\n"
                     "pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]", "tiles": TILES})
        self.assertEqual(found[0]["id"], [1])
        for answer in found:
            self.assertGreater(answer.get("cycles", 0), 0, answer)

    def test_what_is_wrong_is_in_the_answer(self):
        for request, code, line, text in (
                ("{", "I61", None, "an object in a line of JSON"), (5, "I61", None, "an object"),
                ({"tiles": {}}, "I61", None, "no 'text'"),
                ({"text": "", "tile": {}}, "I61", None, "unknown field 'tile'"),
                ({"text": "", "version": 2}, "I61", None, "another version than 1"),
                ({"text": 5}, "I61", None, "'text' of the request is of another type"),
                ({"text": "", "tiles": {"a": 5}}, "I61", None, "is not text"),
                ({"text": "", "tiles": {"a b": "vec, 1x8xf32"}}, "I61", None, "cannot name a value"),
                ({"text": "", "tiles": {"a": "vec, 1x8xf32>\n%x"}}, "I61", None, "more than a line"),
                ({"text": "", "arrays": {"a": "8"}}, "I61", None, "is '8'"),
                ({"text": "", "arrays": {"a": "8x8xf99"}}, "I61", None, "type 'f99'"),
                ({"text": "", "arrays": {"a": "16777216x64xf32"}}, "I61", None, "half of L2"),
                ({"text": "", "memory": "ub"}, "I61", None, "not l2 or hbm"),
                ({"text": "", "core": "aic"}, "I61", None, "not 'aic'"),
                ({"text": "", "repeat": 0}, "I61", None, "out of range"),
                ({"text": f"{ADD}\npto.taddd ins(%a) outs(%b)", "tiles": TILES}, "K02", 2, "taddd"),
                ({"text": "}\n}\nmodule {"}, None, None, ""),
                ({"text": "pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]"}, "E05", 1, "deadlock"),
                ({"text": ADD, "tiles": {"a": TILES["a"], "b": "vec, 8x64xf32"}}, None, None, "")):
            line_of_json = request if isinstance(request, str) else json.dumps(request)
            done = subprocess.run([PTOSIM, "cost"], input=f"{line_of_json}\n{json.dumps({'text': ''})}\n",
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            answers = [json.loads(answer) for answer in done.stdout.splitlines()]
            error = answers[0]["error"]
            self.assertEqual((error["code"], error.get("line")),
                             (code or error["code"], line or error.get("line")), error)
            self.assertIn(text, error["message"] + error.get("hint", ""))
            self.assertEqual(answers[1].get("cycles", -1), 0, answers)  # the next one is answered

    def test_python(self):
        import ptosim
        found = ptosim.cost(ADD, tiles=TILES, steady=True)
        (said,) = self.ask({"text": ADD, "tiles": TILES, "steady": True})
        self.assertEqual((found.cycles, found.steady), (said["cycles"], said["steady"]))
        self.assertEqual(ptosim.cost(ADD, tiles=TILES, set={"clock": "0.925GHz"}).cycles, found.cycles)
        self.assertGreater(ptosim.cost(LOAD, tiles=TILES, arrays={"x": "16x64xf32"}, chip="ascend950pr").cycles, 0)
        with self.assertRaises(ptosim.Error) as raised:
            ptosim.cost("pto.none")
        self.assertEqual((raised.exception.code, raised.exception.line), ("K02", 1))
        with self.assertRaises(ptosim.Error) as raised:
            ptosim.cost(ADD, chip="none")
        self.assertEqual(raised.exception.code, "I22")

    def test_cpp(self):
        folder = os.path.dirname(PTOSIM)
        with tempfile.TemporaryDirectory() as made:
            source, binary = os.path.join(made, "ask.cpp"), os.path.join(made, "ask")
            with open(source, "w") as file:
                file.write(PROGRAM % ADD)
            subprocess.run(["c++", "-std=c++20", source, "-o", binary, f"-I{ROOT}/include", f"-L{folder}", "-lptosim",
                            f"-Wl,-rpath,{folder}"], check=True)
            done = subprocess.run([binary], input=json.dumps({"text": ADD, "tiles": TILES}) + "\n", capture_output=True,
                                  text=True, timeout=60)
        (cycles,) = self.cycles({"text": ADD, "tiles": TILES})
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:3], [str(cycles), "K02 2", "I60"], done.stderr)
        self.assertEqual(json.loads(lines[3])["cycles"], cycles)


if __name__ == "__main__":
    PTOSIM = frame.program(cache=False)
    if "--figures" in sys.argv:
        figures()
    else:
        unittest.main()
