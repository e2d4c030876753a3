#!/usr/bin/python3
"""Findings of `ptosim check` on paths that the given arguments do not take, and their texts.

paths_test.py --ptosim BIN
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_test  # noqa: E402
from check_test import DOUBLE, HEAD, LOAD, STORE, TAIL, both, flag  # noqa: E402

# %n, %m and %f are arguments; %turns is %n as an index.
N = HEAD.replace("%yp: !ptr)", "%yp: !ptr, %n: i32, %m: i32, %f: f32, %ip: !pto.ptr<i32>)") + """
    %turns = arith.index_cast %n : i32 to index
    %other = arith.index_cast %m : i32 to index
    %zero = arith.constant 0.0 : f32
"""
BARRIER = "pto.barrier <PIPE_V>\n"
ADD = "pto.tadd ins(%t1, %t1 : !tile, !tile) outs(%t2 : !tile)\n"
# The addition depends on the doubling: without a barrier in between it is an E04.
BEFORE = LOAD + both("MTE2", "V") + DOUBLE
AFTER = ADD + both("V", "MTE3") + STORE


def compare(predicate, left, right, name="%c"):
    return f"{name} = arith.cmpi {predicate}, {left}, {right} : index\n"


def branch(then, otherwise=None, condition="%c"):
    return f"scf.if {condition} {{\n{then}" + (f"}} else {{\n{otherwise}" if otherwise is not None else "") + "}\n"


def number(name, value):
    return f"{name} = arith.constant {value} : index\n"


class Paths(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check(self, body, n=1, m=1, f=1.0, extra=("--blocks", "1")):
        """The result, and standard output."""
        with open(os.path.join(self.folder.name, "k.pto"), "w") as file:
            file.write(N + body + TAIL)
        done = subprocess.run(
            [check_test.PTOSIM, "check", "k.pto", "--sync", "explicit", "--json", "r.json", "--arg",
             "rand=1024x64xf32", "--arg", "out=1024x64xf32", "--arg", f"i32={n}", "--arg", f"i32={m}", "--arg",
             f"f32={f}", "--arg", "zeros=16xi32", *extra],
            cwd=self.folder.name, capture_output=True, text=True, timeout=120)
        with open(os.path.join(self.folder.name, "r.json")) as file:
            result = json.load(file)
        self.assertEqual(done.returncode, 1 if result["diagnostics"] else 0, done.stderr)
        return result, done.stdout

    def found(self, body, *arguments, **more):
        """Codes of the findings, and the messages."""
        diagnostics = self.check(body, *arguments, **more)[0]["diagnostics"]
        return sorted({d["code"] for d in diagnostics}), "\n".join(d["message"] for d in diagnostics)

    def missing_barrier(self, condition, *arguments, **more):
        """Description of a run in which the branch with the barrier is not taken."""
        codes, text = self.found(BEFORE + condition + branch(BARRIER) + AFTER, *arguments, **more)
        self.assertEqual(codes, ["E04"])
        return text.splitlines()[0].split("nothing orders them, ")[1]

    # ---- other arguments
    def test_a_barrier_in_a_branch(self):
        body = BEFORE + compare("sgt", "%turns", "%c0") + branch(BARRIER) + AFTER
        self.assertEqual(self.found(body, 1, extra=("--blocks", "1", "--paths", "0"))[0], [])
        self.assertEqual(self.found(body, 1)[0], ["E04"])
        self.assertEqual(self.missing_barrier(compare("sgt", "%turns", "%c0"), 1), "with %n = 0")

    def test_arithmetic(self):
        # By hand: 3 n + 5 = 50 for n = 15; n mod 48 = 16 for 16; n / 7 = 3 for 21 first.
        equations = (("%l = arith.muli %turns, %k3 : index\n%s = arith.addi %l, %k5 : index\n", "%k50", 15),
                     ("%s = arith.remui %turns, %k48 : index\n", "%c16", 16),
                     ("%s = arith.divui %turns, %k7 : index\n", "%k3", 21))
        numbers = "".join(number(f"%k{value}", value) for value in (3, 5, 7, 48, 50))
        for text, right, n in equations:
            self.assertEqual(self.missing_barrier(numbers + text + compare("ne", "%s", right), 1), f"with %n = {n}")

    def test_two_arguments(self):
        # Both must be 0: no argument alone leads there.
        text = (compare("ne", "%turns", "%c0", "%a") + compare("ne", "%other", "%c0", "%b") +
                "%c = arith.ori %a, %b : i1\n")
        self.assertEqual(self.missing_barrier(text, 3, 5), "with %n = 0, %m = 0")

    def test_a_branch_within_a_branch(self):
        body = (BEFORE + compare("sgt", "%turns", "%c4", "%outer") + compare("ne", "%other", "%c2") +
                branch(branch(BARRIER, "") + AFTER, BARRIER + AFTER, "%outer"))
        codes, text = self.found(body, 1, 1)
        self.assertEqual(codes, ["E04"])
        self.assertIn("with %n = 8, %m = 2", text)

    def test_the_number_of_blocks(self):
        text = compare("ne", "%blocks", "%c1")
        self.assertEqual(self.missing_barrier(text, extra=()), "with 1 block")
        # An explicit option is the user's choice.
        body = BEFORE + text + branch(BARRIER) + AFTER
        self.assertEqual(self.found(body, extra=("--blocks", "4"))[0], [])

    def test_loops(self):
        body = BEFORE + "scf.for %i = %c0 to %turns step %c1 {\n" + BARRIER + "}\n" + AFTER
        self.assertIn("with %n = 0", self.found(body, 3)[1])
        # A tile that the iteration before still reads is loaded.
        body = ("scf.for %i = %c0 to %turns step %c1 {\n" + LOAD + both("MTE2", "V") + DOUBLE + "}\n" +
                both("V", "MTE3") + STORE)
        codes, text = self.found(body, 1)
        self.assertIn("E02", codes)
        self.assertIn("with %n = 2", text)

    # ---- forced
    SCALAR = "%v = pto.load_scalar %ip[%c0] : !pto.ptr<i32> -> i32\n%w = arith.index_cast %v : i32 to index\n"

    def test_a_load_decides(self):
        result, text = self.check(BEFORE + self.SCALAR + compare("slt", "%w", "%c4") + branch(BARRIER) + AFTER)
        self.assertEqual({d["code"] for d in result["diagnostics"]}, {"E04"})
        self.assertRegex(result["diagnostics"][0]["message"], r", where the load at k.pto:\d+ gives [4-9]")
        self.assertTrue(any("forced" in note for note in result["diagnostics"][0]["notes"]))
        self.assertIn("(forced)", text)

    def test_a_float_decides(self):
        condition = "%c = arith.cmpf ogt, %f, %zero : f32\n"
        result, _ = self.check(BEFORE + condition + branch(BARRIER) + AFTER)
        self.assertRegex(result["diagnostics"][0]["message"], r", where the condition at k.pto:\d+ does not hold")

    def test_equal_conditions_go_one_way(self):
        one, two = ("%{} = arith.cmpf ogt, %f, %zero : f32\n".format(name) for name in "ab")
        for second in ("%a", "%b"):
            body = (BEFORE + BARRIER + AFTER + one + two + branch(flag("set", "MTE2", "V", 3), None, "%a") + BARRIER +
                    branch(flag("wait", "MTE2", "V", 3), None, second))
            self.assertEqual(self.found(body, f=1.0)[0], [])
            self.assertEqual(self.found(body, f=-1.0)[0], [])
        # Another condition may differ.
        three = "%b = arith.cmpf ogt, %f, %two : f32\n"
        body = (BEFORE + BARRIER + AFTER + one + three + branch(flag("set", "MTE2", "V", 3), None, "%a") + BARRIER +
                branch(flag("wait", "MTE2", "V", 3), None, "%b"))
        self.assertNotEqual(self.found(body, f=-1.0)[0], [])

    def test_negations_go_the_other_way(self):
        one = self.SCALAR + "%w2 = arith.muli %w, %w : index\n" + compare("slt", "%w2", "%c0", "%a")
        two = compare("sge", "%w2", "%c0", "%b")
        body = (BEFORE + BARRIER + AFTER + one + two + flag("set", "MTE2", "V", 3) +
                branch(flag("wait", "MTE2", "V", 3), None, "%a") + BARRIER +
                branch(flag("wait", "MTE2", "V", 3), None, "%b"))
        self.assertEqual(self.found(body)[0], [])

    # ---- paths without a verdict, and messages
    def test_values_and_arrays_are_not_judged(self):
        # Rows beyond the arrays, on one core after the other: %n is theirs to give.
        far = "%far = pto.partition_view %xv, offsets = [%turns, %c0], sizes = [%c16, %c64] : !view -> !part\n"
        body = (compare("sgt", "%turns", "%c64") +
                branch(far + "pto.tload ins(%far : !part) outs(%t3 : !tile)\n") + BEFORE + BARRIER + AFTER)
        self.assertEqual(self.found(body, 1)[0], [])

    def test_rows_that_blocks_share_with_other_arguments(self):
        # A block stores 16 rows at %n times its index: with fewer than 16 they overlap.
        body = ("%at = arith.muli %block, %turns : index\n"
                "%mine = pto.partition_view %yv, offsets = [%at, %c0], sizes = [%c16, %c64] : !view -> !part\n" +
                compare("sgt", "%turns", "%c4") + branch("", BARRIER) + LOAD + both("MTE2", "MTE3") +
                "pto.tstore ins(%t0 : !tile) outs(%mine : !part)\n")
        self.assertEqual(self.found(body, 16, extra=("--blocks", "4"))[0], [])

    def test_the_budget(self):
        body = BEFORE + BARRIER + AFTER
        for i, value in enumerate((2, 4, 16)):
            body += compare("eq", "%turns", f"%c{value}", f"%d{i}") + branch(BARRIER, None, f"%d{i}")
        # Paths of 9 instructions and a barrier each.
        result, text = self.check(body, 1)
        self.assertEqual((result["paths"]["runs"], result["paths"]["used_up"]), (3, False))
        self.assertIn("paths: 3 further runs (budget: 32 runs of together 60000 instructions, 30 issued): k.pto:", text)
        self.assertNotIn("not reached, and not checked", text)
        result, text = self.check(body, 1, extra=("--blocks", "1", "--paths", "2"))
        self.assertEqual((result["paths"]["runs"], result["paths"]["used_up"]), (2, True))
        self.assertIn("not reached, and not checked: k.pto:", text)
        result, text = self.check(body, 1, extra=("--blocks", "1", "--paths"))  # without its number
        self.assertEqual(result["paths"]["most_runs"], 32)
        result, text = self.check(body, 1, extra=("--paths", "--blocks", "1"))
        self.assertEqual(result["paths"]["most_runs"], 32)
        result, text = self.check(body, 1, extra=("--blocks", "1", "--paths", "0"))
        self.assertNotIn("paths", result)
        self.assertNotIn("paths:", text)

    def test_arms_that_nothing_leads_to(self):
        # Twice a number is never odd.
        text = ("%l = arith.muli %turns, %c2 : index\n%s = arith.remui %l, %c2 : index\n" +
                compare("eq", "%s", "%c0"))
        result, said = self.check(BEFORE + text + branch(BARRIER) + AFTER)
        self.assertEqual((result["diagnostics"], result["paths"]["reached"]), ([], []))
        self.assertIn("not reached, and not checked: k.pto:", said)

    def test_a_branch_that_flags_show_to_be_wrong(self):
        # The control flow alone shows it (E31): the run that finds it is named there.
        body = BEFORE + BARRIER + AFTER + compare("sgt", "%turns", "%c0") + branch(flag("set", "MTE2", "V", 3))
        diagnostics = self.check(body, 0)[0]["diagnostics"]
        self.assertEqual([d["code"] for d in diagnostics], ["E31"])
        self.assertIn("a run with %n = 1 finds it: E10", diagnostics[0]["notes"])


# %n and %m again: without the barrier the second addition is an E04, without an iteration the store an E01.
COMPILED = """#include <pto/pto-inst.hpp>
using namespace pto;
using View = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using Rows = Tile<TileType::Vec, float, 16, 64>;
__global__ AICORE void k(__gm__ float* x, __gm__ float* y, int32_t n, int32_t m) {
    Rows a, b, c;
    TASSIGN(a, 0);
    TASSIGN(b, 4096);
    TASSIGN(c, 8192);
    View from(x), to(y);
    TLOAD(a, from);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADD(b, a, a);
    if (CONDITION) pipe_barrier(PIPE_V);
    TADD(c, b, b);
    LOOP {
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    TSTORE(to, c);
}
"""
BARRIER_LINE = COMPILED[:COMPILED.index("pipe_barrier")].count("\n") + 1


class CompiledKernels(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check(self, condition="true", loop="", n=1, m=2, extra=(), compiler=None):
        with open(os.path.join(self.folder.name, "k.cpp"), "w") as file:
            file.write(COMPILED.replace("CONDITION", condition).replace("LOOP", loop))
        done = subprocess.run(
            [check_test.PTOSIM, "check", "k.cpp", "--blocks", "1", "--json", "r.json", "--arg", "rand=16x64xf32", "--arg",
             "out=16x64xf32", "--arg", f"i32={n}", "--arg", f"i32={m}", *extra], cwd=self.folder.name,
            env={**os.environ, **({"CXX": compiler} if compiler else {})}, capture_output=True, text=True, timeout=300)
        with open(os.path.join(self.folder.name, "r.json")) as file:
            result = json.load(file)
        self.assertEqual(done.returncode, 1 if result["diagnostics"] else 0, done.stderr)
        return [(d["code"], d["message"].split("nothing orders them")[1]) for d in result["diagnostics"]], done.stdout

    def test_what_branches_compare(self):
        # By hand: n = 15 and m = 7 for the first; 21 to 27 are the numbers whose seventh is 3.
        for condition, leads in (("3 * n + 5 != 50 || m != 7", "with n = 15, m = 7"), ("n / 7 != 3", "with n = 2[1-7]"),
                                 ("n != 300 - 7", "with n = 293"), ("n > 0", "with n = 0")):
            found, text = self.check(condition)
            self.assertEqual([code for code, _ in found], ["E04"] * 2, condition)
            self.assertRegex(found[0][1], leads)
            self.assertRegex(text, " other branches " + leads)
            self.assertEqual(self.check(condition, extra=("--paths", "0"))[0], [], condition)

    def test_a_loop_without_an_iteration(self):
        self.assertEqual(self.check(loop="for (int i = 0; i < m; ++i)")[0], [("E01", ", with m = 0")])

    def test_a_switch(self):
        found, _ = self.check("[&] { switch (n) { case 1: return true; case 40: return false; case 90: return true; "
                              "case 1000: return true; default: return true; } }()")
        self.assertEqual(found, [("E04", ", with n = 40")] * 2)

    def test_lines_that_are_new(self):
        _, text = self.check(loop="if (n == 77)")
        # The first and the last of the four flags.
        self.assertRegex(text, rf"k.cpp:{BARRIER_LINE + 3}, .*k.cpp:{BARRIER_LINE + 6} with n = 77")
        _, text = self.check("n != 9", extra=("--paths", "5"))
        self.assertIn("(budget: 5 runs of together 60000 instructions, ", text)

    @unittest.skipUnless(shutil.which("clang++"), "no clang++")
    def test_with_clang(self):
        found, _ = self.check("3 * n + 5 != 50 || m != 7", compiler="clang++")
        self.assertEqual(found, [("E04", ", with n = 15, m = 7")] * 2)


if __name__ == "__main__":
    at = sys.argv.index("--ptosim")
    check_test.PTOSIM = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
