#!/usr/bin/python3
"""Warnings of text that the assembler refuses, which are errors with --strict. It refuses text by MLIR's grammar
(attributes and numbers), and by hw-native-sys/PTOAS lib/PTO/IR/PTO.cpp, AllocTileOp::verify and the verifiers of
operations.

strict_test.py --ptosim BIN
"""
import os
import re
import subprocess
import tempfile
import unittest

import command_line

PTOSIM = "ptosim"
REPORTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check", "reports")
KERNEL = """module {
  func.func @k(%x: !pto.ptr<f32>, %n: index) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %two = arith.constant TWO : f32
    %t = pto.alloc_tileVALID : !pto.tile_buf<vec, TYPE>
    pto.tmuls ins(%t, %twoTYPES) outs(%t : !pto.tile_buf<vec, TYPE>)
    pto.tcvt ins(%t {rmode = MODE} : !pto.tile_buf<vec, TYPE>) outs(%t : !pto.tile_buf<vec, TYPE>)
    return
  }
}
"""
GOOD = {"TWO": "2.0", "VALID": "", "TYPES": " : !pto.tile_buf<vec, TYPE>, f32", "MODE": "#pto<round_mode FLOOR>",
        "TYPE": "16x64xf32"}


class Strict(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def ptosim(self, *words, **changes):
        text = KERNEL
        for name, value in {**GOOD, **changes}.items():
            text = text.replace(name, value)
        with open(os.path.join(self.folder.name, "k.pto"), "w") as file:
            file.write(text)
        arguments = [] if "--dry-run" in words else ["--arg", "zeros=16x64xf32", "--arg", "index=16"]
        return subprocess.run([PTOSIM, "run", "k.pto", *arguments, *words], cwd=self.folder.name, capture_output=True,
                              text=True, timeout=60)

    def test_what_the_assembler_takes(self):
        for words in ((), ("--strict",), ("--dry-run", "--strict")):
            run = self.ptosim(*words)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertNotIn("warning", run.stderr)
        # The operand valid_row of a tile whose type leaves it open.
        self.assertEqual(self.ptosim("--strict", TYPE="16x64xf32, valid=?x64", VALID=" valid_row = %n").returncode, 0)

    def test_every_refusal_says_whose_it_is(self):
        changes = {"TWO": "2", "MODE": "FLOOR"}
        for words, note in ((("--strict",), "the assembler rejects this"),
                            ((), "the assembler rejects this, but ptosim runs it (an error with --strict)")):
            self.assertEqual(self.ptosim(*words, **changes).stderr.count(note), 2)

    def test_what_the_run_warns_of_as_well_is_shown_once(self):
        """Scratch with rows that are too short, which the verifier finds, and the machine."""
        report = os.path.join(REPORTS, "pypto_2082_row_maxima_with_scratch_of_their_own_shape.pto")
        with open(report) as file:
            arguments = re.search("^// run: (.*)$", file.read(), re.MULTILINE).group(1).split()
        run = subprocess.run([PTOSIM, "run", report, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.stderr.count("[S16]"), 1, run.stderr)
        self.assertEqual(run.stderr.count("the assembler rejects this, but ptosim runs it"), 1, run.stderr)

    def test_what_it_does_not_read(self):
        for line, message, changes in (
                (4, "'2' is a whole number, and the constant is f32", {"TWO": "2"}),
                (5, "'valid_row' of a tile whose type declares that 16 are valid", {"VALID": " valid_row = %n"}),
                (6, "the operands of ins(...) have no types", {"TYPES": ""}),
                (7, "the value of 'rmode' is the bare word 'FLOOR'", {"MODE": "FLOOR"})):
            with self.subTest(message=message):
                for words in (("--strict",), ("--dry-run", "--strict")):
                    refused = self.ptosim(*words, **changes)
                    self.assertEqual(refused.returncode, 2, refused.stdout + refused.stderr)
                    self.assertIn(f"k.pto:{line}:", refused.stderr)
                    self.assertIn(f"{message} [K12]", refused.stderr)
                for words in ((), ("--dry-run",)):
                    run = self.ptosim(*words, **changes)
                    self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                    self.assertIn(f"warning: {message} [K12]", run.stderr)
                    self.assertIn("the assembler rejects this, but ptosim runs it", run.stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
