#!/usr/bin/python3
"""Report of `ptosim check` on parts that did not run: its scope, and flags on paths that no core has taken.

scope_test.py --ptosim BIN
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_test  # noqa: E402
from check_test import AGAIN, DOUBLE, FIRST, HEAD, LOAD, STORE, TAIL, both, flag  # noqa: E402

# %n is the kernel's third argument; %some is true if it is above 0.
N = HEAD.replace("%yp: !ptr)", "%yp: !ptr, %n: i32)") + """    %turns = arith.index_cast %n : i32 to index
    %some = arith.cmpi sgt, %turns, %c0 : index
"""
LINE = N.count("\n") + 1
SET, WAIT = flag("set", "MTE2", "V", 3), flag("wait", "MTE2", "V", 3)
KERNEL = LOAD + both("MTE2", "V") + DOUBLE + both("V", "MTE3") + STORE
BARRIER = "pto.barrier <PIPE_V>\n"


def branch(then, otherwise=None):
    return "scf.if %some {\n" + then + ("} else {\n" + otherwise if otherwise is not None else "") + "}\n"


def loop(body, turns="%turns"):
    return f"scf.for %i = %c0 to {turns} step %c1 {{\n{body}}}\n"


class Scope(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def check(self, body, n, *extra, code=None, command="check"):
        """The result, and standard output."""
        with open(self.path("k.pto"), "w") as file:
            file.write(N + body + TAIL)
        done = subprocess.run(
            [check_test.PTOSIM, command, "k.pto", "--blocks", "1", "--sync", "explicit", "--json", "r.json",
             "--arg", "rand=16x64xf32", "--arg", "out=16x64xf32", "--arg", f"i32={n}", *extra],
            cwd=self.folder.name, capture_output=True, text=True, timeout=120)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        with open(self.path("r.json")) as file:
            return json.load(file), done.stdout

    def missing(self, body, n, *extra):
        scope = self.check(body, n, *extra)[0]["scope"]
        return [(p["kind"], p["line"] - LINE, p.get("what", "")) for p in scope["not_reached"]]

    # ---- reached lines
    def test_everything_was_reached(self):
        result, text = self.check(KERNEL, 1, code=0)
        self.assertEqual(result["scope"]["not_reached"], [])
        self.assertEqual(result["scope"]["line"], {"reached": 7, "all": 7})
        self.assertEqual(result["scope"]["flag"], {"reached": 4, "all": 4})
        self.assertIn("reached by 1 run: 7 of 7 lines, 4 of 4 flag sites\n", text)

    def test_branches(self):
        body = KERNEL + branch(BARRIER, BARRIER)
        self.assertEqual(self.missing(body, 0), [("branch", 7, "then"), ("line", 8, "")])
        self.assertEqual(self.missing(body, 1), [("branch", 7, "else"), ("line", 10, "")])

    def test_loops(self):
        body = KERNEL + loop(BARRIER)
        self.assertEqual(self.missing(body, 0),
                         [("loop", 7, "one iteration"), ("loop", 7, "several iterations"), ("line", 8, "")])
        self.assertEqual(self.missing(body, 1), [("loop", 7, "no iteration"), ("loop", 7, "several iterations")])
        self.assertEqual(self.missing(body, 2), [("loop", 7, "no iteration")])
        self.assertEqual(self.missing(KERNEL + loop(BARRIER, "%c4"), 0), [])

    def test_flags(self):
        body = KERNEL + branch(SET + WAIT)
        self.assertEqual(self.missing(body, 0), [("branch", 7, "then"), ("line", 8, ""), ("flag", 8, ""),
                                                 ("line", 9, ""), ("flag", 9, "")])

    def test_several_runs(self):
        body = KERNEL + branch(BARRIER, BARRIER) + loop(BARRIER)
        self.assertEqual(len(self.missing(body, 0, "--scope", "s.json")), 5)
        self.assertEqual(self.missing(body, 1, "--scope", "s.json"), [("loop", 12, "several iterations")])
        result, text = self.check(body, 2, "--scope", "s.json")
        self.assertEqual((result["scope"]["runs"], result["scope"]["not_reached"]), (3, []))
        self.assertIn("reached by 3 runs: ", text)
        # Runs of another text do not count, and are kept.
        self.assertEqual(self.check(KERNEL, 1, "--scope", "s.json")[0]["scope"]["runs"], 1)
        self.assertEqual(self.check(body, 2, "--scope", "s.json")[0]["scope"]["runs"], 4)

    def test_runs_that_add_at_once(self):
        with open(self.path("k.pto"), "w") as file:
            file.write(N + KERNEL + TAIL)
        words = [check_test.PTOSIM, "check", "k.pto", "--blocks", "1", "--scope", "s.json", "--arg",
                 "rand=16x64xf32", "--arg", "out=16x64xf32", "--arg", "i32=1"]
        runs = [subprocess.Popen(words, cwd=self.folder.name, stdout=subprocess.DEVNULL) for _ in range(6)]
        self.assertEqual([run.wait() for run in runs], [0] * 6)
        self.assertEqual(self.check(KERNEL, 1, "--scope", "s.json")[0]["scope"]["runs"], 7)

    def test_a_file_that_is_none(self):
        with open(self.path("s.json"), "w") as file:
            file.write("[]")
        with open(self.path("k.pto"), "w") as file:
            file.write(N + KERNEL + TAIL)
        done = subprocess.run([check_test.PTOSIM, "run", "k.pto", "--scope", "s.json", "--arg", "rand=16x64xf32",
                               "--arg", "out=16x64xf32", "--arg", "i32=1"], cwd=self.folder.name,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("[I67]", done.stderr)
        with open(self.path("s.json")) as file:
            self.assertEqual(file.read(), "[]")

    def test_only_where_it_is_asked_for(self):
        result, text = self.check(KERNEL, 1, command="run")
        self.assertNotIn("scope", result)
        self.assertNotIn("reached by", text)

    def test_sarif(self):
        self.check(KERNEL + branch(BARRIER), 0, "--format", "sarif", "--report", "f.sarif")
        with open(self.path("f.sarif")) as file:
            run = json.load(file)["runs"][0]
        self.assertEqual(run["properties"]["scope"]["branch"], {"reached": 1, "all": 2})

    def test_a_compiled_kernel(self):
        kernel = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cpp", "kernels",
                              "softmax_rows_f32.cpp")
        done = subprocess.run([check_test.PTOSIM, "check", kernel, "--blocks", "2", "--arg", "rand=64x512xf32",
                               "--arg", "out=64x512xf32", "--arg", "i32=64"],
                              cwd=self.folder.name, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"reached by 1 run: \d+ lines; ")
        self.assertIn("other lines are unknown, because the code is compiled, and were not checked", done.stdout)

    # ---- flags along all paths
    def codes(self, body, n):
        result, text = self.check(body, n)
        return [(d["code"], d["location"]["line"] - LINE) for d in result["diagnostics"]], text

    def test_a_wait_behind_a_branch_that_sets(self):
        body = KERNEL + branch(SET) + WAIT
        found, _ = self.codes(body, 1)
        self.assertEqual(found, [("E31", 7)])
        result, _ = self.check(body, 1, code=1)
        message = result["diagnostics"][0]["message"]
        self.assertIn("a wait for flag MTE2->V #3 has no set if the branch at k.pto:", message)
        self.assertIn("is not taken", message)
        # If it did run, the run itself reports that it waits for ever.
        self.assertEqual([code for code, _ in self.codes(body, 0)[0]], ["E05"])

    def test_a_set_before_a_branch_that_waits(self):
        body = KERNEL + SET + branch(WAIT)
        self.assertEqual(self.codes(body, 1)[0], [("E31", 8)])
        self.assertEqual([code for code, _ in self.codes(body, 0)[0]], ["E10"])

    def test_a_branch_that_only_sets(self):
        self.assertEqual(self.codes(KERNEL + branch(SET), 0)[0], [("E31", 7)])
        self.assertEqual(self.codes(KERNEL + branch(BARRIER, SET), 1)[0], [("E31", 7)])

    def test_flags_that_balance_on_every_path(self):
        for body in (branch(SET + WAIT), SET + branch(WAIT, WAIT), branch(SET, SET) + WAIT,
                     loop(SET + WAIT), SET + loop(WAIT + SET) + WAIT, SET + loop(branch(WAIT + SET)) + WAIT,
                     loop(SET, "%c2") + loop(WAIT, "%c2"), loop(branch(SET + WAIT), "%c2")):
            for n in (0, 2):
                found, text = self.codes(KERNEL + body, n)
                self.assertEqual([code for code, _ in found if code == "E31"], [], body)
                self.assertNotIn("not shown to balance", text)

    def test_branches_that_belong_together_are_a_note(self):
        body = KERNEL + branch(SET) + BARRIER + branch(WAIT)
        for n in (0, 1):
            found, text = self.codes(body, n)
            self.assertEqual(found, [])
            self.assertIn("not shown to balance on every path: MTE2->V #3 (k.pto:", text)

    def test_a_loop_that_makes_no_turn_is_a_note(self):
        # The wait for the last turn's set comes after the loop.
        body = KERNEL + "%c3 = arith.constant 3 : index\n" + loop(
            "%later = arith.cmpi sgt, %i, %c0 : index\nscf.if %later {\n" + WAIT + "}\n" + SET) + WAIT
        found, text = self.codes(body, 2)
        self.assertNotIn("E31", [code for code, _ in found])
        self.assertIn("a wait for flag MTE2->V #3 has no set if the loop at k.pto:", text)
        self.assertIn("makes no iteration", text)

    def test_a_loop_that_only_sets(self):
        self.assertEqual(self.codes(KERNEL + loop(SET), 0)[0], [("E31", 7)])


if __name__ == "__main__":
    at = sys.argv.index("--ptosim")
    check_test.PTOSIM = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
