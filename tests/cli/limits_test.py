#!/usr/bin/python3
"""Numbers and programs beyond all bounds get an error with its place: never a crash, never a silent pass, never a run
without end.

limits_test.py --ptosim BIN
"""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np

import command_line

PTOSIM = "ptosim"
# Around every power of two from which a product with a stride, an extent or a size of elements wraps around 64 bits.
LARGE = [2**58, 2**60 - 1, 2**61, 2**62, 2**62 + 2**61, 2**63 - 1, -2**61, -2**63]

HEAD = """module {
  func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %large: i64) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %n = arith.index_cast %large : i64 to index
    %t = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf32>
"""
TAIL = "    return\n  }\n}\n"
TILE = "!pto.tile_buf<vec, 8x64xf32>"
PART = "!pto.partition_tensor_view<8x64xf32>"


def view(pointer="%x", rows="%c8", row="%c64", column="%c1", at="%c0", sizes="%c8, %c64"):
    return f"""    %v = pto.make_tensor_view {pointer}, shape = [{rows}, %c64], strides = [{row}, {column}] : !pto.tensor_view<?x64xf32>
    %p = pto.partition_view %v, offsets = [{at}, %c0], sizes = [{sizes}] : !pto.tensor_view<?x64xf32> -> {PART}
"""


LOAD = f"    pto.tload ins(%p : {PART}) outs(%t : {TILE})\n"
STORE = f"    pto.tstore ins(%t : {TILE}) outs(%p : {PART})\n"
WHILE = """    scf.while : () -> () {
      %true = arith.constant true
      scf.condition(%true)
    } do {
      scf.yield
    }
"""


def catches(process, number):
    """Waits until a process has a handler for a signal; false if it ends before."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status") as file:
            caught = next(int(line.split()[1], 16) for line in file if line.startswith("SigCgt:"))
        if caught >> (number - 1) & 1:
            return True
        time.sleep(0.05)
    return False


def processor_time(process):
    """Seconds of a processor that it has had."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Limits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        np.save(os.path.join(self.folder.name, "x.npy"), np.arange(512, dtype=np.float32))

    def ptosim(self, text, *words, large=0, command="run", timeout=60, **environment):
        with open(os.path.join(self.folder.name, "k.pto"), "w") as file:
            file.write(text)
        arguments = [] if "--dry-run" in words else \
            ["--arg", "in=x.npy", "--arg", "out=8x64xf32", "--arg", f"i64={large}", "--blocks", "1"]
        return subprocess.run([PTOSIM, command, "k.pto", *arguments, *words], cwd=self.folder.name,
                              capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **environment})

    def line_of(self, text, fragment):
        return next(i for i, line in enumerate(text.split("\n"), 1) if fragment in line)

    def found(self, result, code, line, exit=1):
        self.assertEqual(result.returncode, exit, result.stdout + result.stderr)
        self.assertIn(f"[{code}]", result.stderr)
        self.assertIn(f"k.pto:{line}", result.stderr)

    def test_the_kernels_run_with_small_numbers(self):
        for body, large in ((view(row="%n") + LOAD, 64), (view(at="%n") + LOAD, 0),
                            ("    %s = pto.load_scalar %x[%n] : !pto.ptr<f32> -> f32\n", 511)):
            result = self.ptosim(HEAD + body + TAIL, large=large)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_strides_and_offsets_that_are_computed(self):
        for body, code in ((view(row="%n") + LOAD, "G01"), (view(row="%n") + STORE, "G01"),
                           (view(column="%n") + LOAD, "G01"), (view(at="%n") + LOAD, "G01"),
                           (view(at="%n", row="%n") + LOAD, "G01"),
                           (view(rows="%n") + LOAD, "S02"), (view(sizes="%n, %c64") + LOAD, "S02"),
                           ("    %q = pto.addptr %x, %n : !pto.ptr<f32> -> !pto.ptr<f32>\n" +
                            view("%q") + LOAD, "G01")):
            for command in ("run", "check"):
                for large in LARGE:
                    with self.subTest(body=body, command=command, large=large):
                        result = self.ptosim(HEAD + body + TAIL, large=large, command=command)
                        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                        self.assertIn(f"[{code}]", result.stderr)
                        self.assertIn("k.pto:", result.stderr)

    def test_scalar_accesses(self):
        for body, code in (("    %s = pto.load_scalar %x[%n] : !pto.ptr<f32> -> f32\n", "G01"),
                           ("    %f = arith.constant 1.0 : f32\n"
                            "    pto.store_scalar %f, %y[%n] : !pto.ptr<f32>, f32\n", "G01"),
                           (f"    %s = pto.tgetval ins(%t, %n : {TILE}, index) outs : f32\n", "A03"),
                           ("    %f = arith.constant 1.0 : f32\n"
                            f"    pto.tsetval ins(%n, %f : index, f32) outs(%t : {TILE})\n", "A03")):
            for large in LARGE:
                with self.subTest(body=body, large=large):
                    text = HEAD + body + TAIL
                    self.found(self.ptosim(text, large=large), code,
                               self.line_of(text, body.strip().split("\n")[-1].strip()), exit=2)

    def test_constants_are_found_before_the_run(self):
        bodies = [view(row="%big") + LOAD, view(column="%big") + LOAD, view(at="%big") + LOAD,
                  view(rows="%big") + LOAD, view(sizes="%big, %c64") + LOAD,
                  "    %q = pto.addptr %x, %big : !pto.ptr<f32> -> !pto.ptr<f32>\n",
                  "    %s = pto.load_scalar %x[%big] : !pto.ptr<f32> -> f32\n",
                  f"    %s = pto.tgetval ins(%t, %big : {TILE}, index) outs : f32\n"]
        for body in bodies:
            for large in (2**58, 2**61, 2**62, 2**63 - 1):
                text = HEAD + f"    %big = arith.constant {large} : index\n" + body + TAIL
                for words in ((), ("--dry-run",)):
                    with self.subTest(body=body, large=large, words=words):
                        line = next(line for line in body.split("\n") if "%big" in line)
                        self.found(self.ptosim(text, *words), "K07", self.line_of(text, line), exit=2)

    def test_literals_of_64_bits(self):
        for type, literal, fits in (("index", 2**63, False), ("i64", 2**63, True), ("i64", 2**64 - 1, True),
                                    ("i8", 2**64 - 1, False), ("index", -2**63, True), ("i64", 2**64, False)):
            with self.subTest(type=type, literal=literal):
                text = HEAD + f"    %l = arith.constant {literal} : {type}\n" + TAIL
                self.assertEqual(self.ptosim(text).returncode, 0 if fits else 2)

    def test_calls_that_multiply(self):
        functions = "".join(f"  func.func private @f{i}() {{\n    func.call @f{i + 1}() : () -> ()\n"
                            f"    func.call @f{i + 1}() : () -> ()\n    return\n  }}\n" for i in range(59))
        text = HEAD + "    func.call @f0() : () -> ()\n    return\n  }\n" + functions + \
            "  func.func private @f59() {\n    return\n  }\n}\n"
        for words in ((), ("--dry-run",)):
            result = self.ptosim(text, *words, timeout=20)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("[K08]", result.stderr)
            self.assertIn("k calls f0 calls f1", result.stderr)

    def test_a_loop_whose_step_is_a_constant_zero(self):
        text = HEAD + "    scf.for %i = %c0 to %c8 step %c0 {\n    }\n" + TAIL
        for words in ((), ("--dry-run",)):
            self.found(self.ptosim(text, *words), "K11", self.line_of(text, "scf.for"), exit=2)

    def test_loops_without_an_end(self):
        spin = WHILE.replace("%true = arith.constant true", "%s = pto.load_scalar %x[%c0] : !pto.ptr<f32> -> f32\n"
                             "      %true = arith.constant true")
        for body, line in ((WHILE, "scf.while"), (spin, "scf.while"),
                           ("    cf.br ^again\n  ^again:\n    cf.br ^again  // back\n  ^end:\n", "// back")):
            for words in ((), ("--mode", "functional"), ("--sync", "auto")):
                with self.subTest(body=body, words=words):
                    text = HEAD + body + TAIL
                    self.found(self.ptosim(text, *words, PTOSIM_WATCHDOG="1"), "H11", self.line_of(text, line))

    def test_loops_that_issue_without_an_end(self):
        issue = f"      pto.tabs ins(%t : {TILE}) outs(%t : {TILE})\n"
        loop = "    %many = arith.constant 4000000000000 : index\n    scf.for %i = %c0 to %many step %c1 {\n" + \
            issue + "    }\n"
        outer = WHILE.replace("      scf.yield\n", loop.replace("%many =", "%few =").replace("%many", "%c8").replace(
            "    %few = arith.constant 4000000000000 : index\n", "") + "      scf.yield\n")
        for body, header in ((loop, "scf.for"), (outer, "scf.while")):
            for words in ((), ("--mode", "functional"), ("--sync", "auto"), ("--mode", "timing")):
                with self.subTest(body=body, words=words):
                    text = HEAD + body + TAIL
                    result = self.ptosim(text, "--max-instructions", "5000", *words)
                    self.found(result, "E21", self.line_of(text, "pto.tabs"))
                    self.assertIn("the launch has issued 5000 instructions without ending", result.stderr)
                    self.assertIn(f"AIV00 is in the loop at k.pto:{self.line_of(text, header)}: scf.", result.stderr)
        few = HEAD + f"    scf.for %i = %c0 to %c8 step %c1 {{\n{issue}    }}\n" + TAIL
        self.assertEqual(self.ptosim(few, "--max-instructions", "100").returncode, 0)
        self.found(self.ptosim(few, "--max-instructions", "3"), "E21", self.line_of(few, "pto.tabs"))
        self.found(self.ptosim(HEAD + loop + TAIL, "--max-cycles", "20000"), "E21",
                   self.line_of(HEAD + loop, "pto.tabs"))

    def test_an_endless_loop_without_instructions_names_its_line(self):
        sums = "    %many = arith.constant 4000000000000 : index\n" \
               "    scf.for %i = %c0 to %many step %c1 {\n      %j = arith.addi %i, %c1 : index\n    }\n"
        for before in ("", f"    pto.tabs ins(%t : {TILE}) outs(%t : {TILE})\n"):
            for words in ((), ("--mode", "functional"), ("--mode", "timing")):
                with self.subTest(before=before, words=words):
                    text = HEAD + before + sums + TAIL
                    result = self.ptosim(text, "--max-cycles", "100000", *words)
                    loop = self.line_of(text, "scf.for")
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertRegex(result.stderr, rf"k.pto:({loop}|{loop + 1}|{loop + 2}):\d+: error: the launch "
                                                    "has taken 100000 cycles, or scalar operations, without ending")
                    self.assertIn(f"AIV00 is in the loop at k.pto:{loop}: scf.for", result.stderr)

    def test_a_launch_ends_within_some_instructions_of_its_cycles(self):
        body = "    %many = arith.constant 4000000000000 : index\n    scf.for %i = %c0 to %many step %c1 {\n" + \
            f"      pto.tabs ins(%t : {TILE}) outs(%t : {TILE})\n    }}\n"
        ended = []
        for cycles in (2000, 2100, 2200):
            result = self.ptosim(HEAD + body + TAIL, "--max-cycles", str(cycles), "--json", "r.json")
            self.assertEqual(result.returncode, 1, result.stderr)
            with open(os.path.join(self.folder.name, "r.json")) as file:
                done = json.load(file)
            # The control flow is up to 32 instructions ahead, which are alike.
            each = done["cycles"] / done["instructions"]
            self.assertTrue(cycles < done["cycles"] <= cycles + 34 * each, done)
            ended.append(done["cycles"])
        self.assertEqual(ended, sorted(ended))

    def test_an_interrupted_run_tells_what_is_known(self):
        text = HEAD + "    %many = arith.constant 4000000000000 : index\n    scf.for %i = %c0 to %many step %c1 {\n" + \
            f"      pto.tabs ins(%t : {TILE}) outs(%t : {TILE})\n    }}\n" + TAIL
        with open(os.path.join(self.folder.name, "k.pto"), "w") as file:
            file.write(text)
        for number in (signal.SIGINT, signal.SIGTERM):
            # A shell returns 128 plus the signal's number; here the number is negative.
            process = subprocess.Popen([PTOSIM, "run", "k.pto", "--arg", "in=x.npy", "--arg", "out=8x64xf32:y.npy",
                                        "--arg", "i64=0", "--blocks", "1", "--mode", "timing", "--max-instructions",
                                        str(10**12)],
                                       cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertTrue(catches(process, number))
            begin = processor_time(process.pid)  # a busy host gives it less than the clock tells
            while process.poll() is None and processor_time(process.pid) < begin + 0.5:
                time.sleep(0.05)
            self.assertIsNone(process.poll())
            process.send_signal(number)
            told, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, -number)
            self.assertIn("[I43]", errors)
            self.assertIn(", where the run was interrupted:", told)
            self.assertIn("AIV00: util", told)
            self.assertFalse(os.path.exists(os.path.join(self.folder.name, "y.npy")))

    def test_a_long_loop_that_ends_is_no_endless_one(self):
        text = HEAD + "    %many = arith.constant 3000000 : index\n    scf.for %i = %c0 to %many step %c1 {\n    }\n" + TAIL
        self.assertEqual(self.ptosim(text).returncode, 0)

    def test_a_byte_order_mark(self):
        self.assertEqual(self.ptosim("\ufeff" + HEAD + TAIL).returncode, 0)

    def test_two_functions_of_one_name(self):
        text = HEAD + "    return\n  }\n  func.func private @f() {\n    return\n  }\n  func.func private @f() {  // second\n" + TAIL
        for words in ((), ("--dry-run",)):
            self.found(self.ptosim(text, *words), "K08", self.line_of(text, "// second"), exit=2)

    def test_architectures_that_do_not_exist_or_do_not_fit(self):
        for arch, words, fragment in (("a7", (), "'a7' is not an architecture"),
                                      ("a5", ("--chip", "ascend910b1"), "made for a5"),
                                      ("a3", ("--chip", "ascend950pr"), "made for a2a3")):
            text = (HEAD + TAIL).replace("module {", f'module attributes {{pto.target_arch = "{arch}"}} {{')
            result = self.ptosim(text, "--dry-run", *words)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(fragment, result.stdout + result.stderr)

    def test_run_check_and_dry_run_choose_one_chip(self):
        def chips(arch, *words):
            text = HEAD + TAIL if arch is None else \
                (HEAD + TAIL).replace("module {", f'module attributes {{pto.target_arch = "{arch}"}} {{')
            said = []
            for command, more in (("run", ()), ("check", ()), ("run", ("--dry-run",))):
                result = self.ptosim(text, "--json", "r.json", *more, *words, command=command)
                self.assertEqual(result.returncode, 0, result.stderr)
                with open(os.path.join(self.folder.name, "r.json")) as file:
                    said.append(json.load(file)["chip"])
                mismatch = "made for a5" in result.stderr
                self.assertEqual(mismatch, arch == "a5" and bool(words), result.stderr)
            return said
        self.assertEqual(chips(None), ["ascend910b1"] * 3)
        self.assertEqual(chips("a3"), ["ascend910b1"] * 3)
        self.assertEqual(chips("a5"), ["ascend950pr"] * 3)
        self.assertEqual(chips("a5", "--chip", "ascend910b2"), ["ascend910b2"] * 3)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
