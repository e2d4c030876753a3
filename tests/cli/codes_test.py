#!/usr/bin/python3
"""Codes of instructions and data that the machine and the reader report.

    codes_test.py --ptosim BIN
"""
import os
import subprocess
import tempfile
import unittest

import numpy as np

import command_line

PTOSIM = "ptosim"
HEAD = """module {
  func.func @k(%x: !pto.ptr<f32>, %n: i32) attributes {pto.kernel_kind = #pto.kernel_kind<KIND>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i32
    %at = arith.constant ADDRESS : i64
    %xv = pto.make_tensor_view %x, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<16x64xf32>
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>
"""
TILE = "!pto.tile_buf<vec, 16x64xf32>"
LOAD = f"""    %t = pto.alloc_tile addr = %at : {TILE}
    pto.tload ins(%xp : !pto.partition_tensor_view<16x64xf32>) outs(%t : {TILE})
"""
INTEGERS = "!pto.tile_buf<vec, 1x64xi32>"
ZERO_TILE = f"""    %t = pto.alloc_tile addr = %at : {INTEGERS}
    pto.texpands ins(%zero : i32) outs(%t : {INTEGERS})
    pto.barrier <PIPE_ALL>
"""
TAIL = "    return\n  }\n}\n"


class Codes(unittest.TestCase):
    def run_kernel(self, body, kind="vector", address=0, chip=None, rows=16, words=()):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.pto")
            with open(path, "w") as file:
                file.write(HEAD.replace("KIND", kind).replace("ADDRESS", str(address)) + body + TAIL)
            np.save(os.path.join(folder, "x.npy"), np.zeros((rows, 64), np.float32))
            chip_words = ["--chip", chip] if chip else []
            return subprocess.run([PTOSIM, "run", path, "--arg", "in=x.npy", "--arg", "i32=0",
                                   "--blocks", "1", *chip_words, *words],
                                  cwd=folder, capture_output=True, text=True, timeout=120)

    def found(self, code, body, exit_code=2, **more):
        result = self.run_kernel(body, **more)
        self.assertIn(f"[{code}]", result.stderr)
        self.assertEqual(result.returncode, exit_code, result.stderr)

    def test_the_load_itself_runs(self):
        result = self.run_kernel(LOAD)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_memory_of_the_other_core(self):
        self.found("A01", LOAD, kind="cube")

    def test_a_tile_larger_than_its_memory(self):
        self.found("A02", LOAD.replace("alloc_tile addr = %at : " + TILE,
                                       "alloc_tile addr = %at : !pto.tile_buf<vec, 1024x64xf32, valid=16x64>")
                   .replace(f"outs(%t : {TILE})", "outs(%t : !pto.tile_buf<vec, 1024x64xf32, valid=16x64>)"))

    def test_a_tile_beyond_the_end(self):
        self.found("A03", LOAD, address=195584)

    def test_a_tile_of_one_row_extends_as_far_as_it_is_used(self):
        """It may be a window of a longer one: 256 bytes before the end of UB."""
        wide = ZERO_TILE.replace(INTEGERS, "!pto.tile_buf<vec, 1x1024xi32, valid=1x64>")
        self.assertEqual(self.run_kernel(wide, address=196352).returncode, 0)
        self.found("A03", wide, address=196384)
        self.found("A03", wide.replace("1x1024", "2x512"), address=196352)

    def test_scratch_beyond_the_end(self):
        """A gather of f32 by indices needs none (hw-native-sys/pto-isa docs/isa/TGATHER.md), one of f16 does."""
        gather = """    %far = arith.constant 195584 : i64
    %i = pto.alloc_tile addr = %at : INDICES
    %t = pto.alloc_tile addr = %at : ELEMENTS
    %s = pto.alloc_tile addr = %far : INDICES
    pto.tgather ins(%t, %i, %s : ELEMENTS, INDICES, INDICES) outs(%t : ELEMENTS)
""".replace("INDICES", "!pto.tile_buf<vec, 16x64xi32, valid=16x64>")
        element = "!pto.tile_buf<vec, 16x64xTYPE, valid=16x64>"
        self.found("A03", gather.replace("ELEMENTS", element.replace("TYPE", "f16")))
        result = self.run_kernel(gather.replace("ELEMENTS", element.replace("TYPE", "f32")))
        self.assertNotIn("[A03]", result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_beyond_every_array(self):
        self.found("G01", """    %far = arith.constant 1000000 : index
    %v = pto.load_scalar %x[%far] : !pto.ptr<f32> -> f32
""")

    def test_half_a_byte_of_an_address(self):
        self.found("G03", """    %p = pto.castptr %x : !pto.ptr<f32> -> !pto.ptr<!pto.f4E2M1x2>
    %v = pto.make_tensor_view %p, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<16x64x!pto.f4E2M1x2>
    %w = pto.partition_view %v, offsets = [%c0, %c1], sizes = [%c1, %c1] : !pto.tensor_view<16x64x!pto.f4E2M1x2> -> !pto.partition_tensor_view<1x1x!pto.f4E2M1x2>
""")

    def test_another_shape_for_what_is_not_contiguous(self):
        self.found("S10", LOAD + f"""    %s = pto.subview %t[%c0, %c0] sizes [16, 32] : {TILE} -> !pto.tile_buf<vec, 16x32xf32>
    %r = pto.treshape %s : !pto.tile_buf<vec, 16x32xf32> -> !pto.tile_buf<vec, 8x64xf32>
""")

    def test_an_element_without_data(self):
        self.found("U02", LOAD + f"""    %e = pto.tgetval ins(%t, %c0 : {TILE}, index) outs : f32
""", words=["--mode", "timing"])

    def test_a_dimension_that_a_view_does_not_have(self):
        self.found("S01", """    %n5 = arith.index_cast %n : i32 to index
    %d = arith.addi %n5, %c16 : index
    %e = pto.get_tensor_view_dim %xv, %d : !pto.tensor_view<16x64xf32> -> index
""")

    def test_division_by_zero_in_data(self):
        body = ZERO_TILE + f"""    pto.tfmod ins(%t, %t : {INTEGERS}, {INTEGERS}) outs(%t : {INTEGERS})
    pto.tfmod ins(%t, %t : {INTEGERS}, {INTEGERS}) outs(%t : {INTEGERS})
"""
        result = self.run_kernel(body, chip="ascend950pr")
        self.assertEqual(result.stderr.count("[N01]"), 2, result.stderr)
        self.assertEqual(result.returncode, 1, result.stderr)

    def test_saturation_that_only_the_assembler_states(self):
        """On a2a3 the mode does not reach conversions to f16."""
        half = "!pto.tile_buf<vec, 16x64xf16>"
        body = LOAD + f"""    pto.barrier <PIPE_ALL>
    %big = arith.constant 1.0e+09 : f32
    %free = arith.constant 65536 : i64
    %h = pto.alloc_tile addr = %free : {half}
    pto.texpands ins(%big : f32) outs(%t : {TILE})
    pto.tcvt ins(%t MODE: {TILE}) outs(%h : {half})
"""
        for words, mode in (((), "off"), (("--assembler", "v0.60"), "off"), (("--assembler", "v0.63"), "on")):
            result = self.run_kernel(body.replace("MODE", ""), chip="ascend950pr", words=words)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"v0.63 turns it on, and it is {mode} here: at (0, 0) and 1023 more [N11]", result.stderr)
        self.assertNotIn("N11", self.run_kernel(body.replace("MODE", "")).stderr)
        stated = body.replace("MODE", "{satmode = #pto<saturation_mode ON>} ")
        self.assertNotIn("N11", self.run_kernel(stated, chip="ascend950pr").stderr)

    def test_choices_of_the_profile_are_told_when_asked_for(self):
        body = LOAD + f"""    pto.barrier <PIPE_ALL>
    pto.tlog ins(%t : {TILE}) outs(%t : {TILE})
"""
        self.assertEqual(self.run_kernel(body).returncode, 0)
        self.found("N02", body, exit_code=1, words=["--check", "choices"])
        told = self.run_kernel(body, words=["--check", "choices"]).stderr
        self.assertIn("rule 'high-precision-is-default'", told)
        self.assertEqual(told.count("[N02]"), 1, told)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
