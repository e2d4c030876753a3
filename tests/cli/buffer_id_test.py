#!/usr/bin/python3
"""Buffer ids of a5 (get_buf, rls_buf), seen from the command line.

    buffer_id_test.py --ptosim BIN

Expectations follow from their purpose (PTO-ISA/PTO-Gym docs/PTO-micro-Instruction-SPEC.md):
a pipe that gets an id comes after all that released it earlier in the program, without flags to
prime or to drain.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import command_line

sys.dont_write_bytecode = True
PTOSIM = "ptosim"
TILE = "!pto.tile_buf<vec, 16x256xf32>"
PART = "!pto.partition_tensor_view<16x256xf32>"
ROUNDS = 12

# y = x + x in rounds of 16 rows. What comes in and what goes out is held in turn by the pipes that
# touch it; SLOTS of each, whose ids are computed.
KERNEL = f"""module attributes {{pto.target_arch = "a5"}} {{
  func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %slots = arith.constant SLOTS : index
    %c16 = arith.constant 16 : index
    %c256 = arith.constant 256 : index
    %rounds = arith.constant {ROUNDS} : index
    %rows = arith.muli %rounds, %c16 : index
    %xv = pto.make_tensor_view %x, shape = [%rows, %c256], strides = [%c256, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%rows, %c256], strides = [%c256, %c1] : !pto.tensor_view<?x?xf32>
    %size = arith.constant 16384 : i64
    scf.for %i = %c0 to %rounds step %c1 {{
      %slot = arith.remui %i, %slots : index
      %in_id = arith.muli %slot, %c2 : index
      %out_id = arith.addi %in_id, %c1 : index
      %in_at64 = arith.index_cast %in_id : index to i64
      %in_at = arith.muli %in_at64, %size : i64
      %out_at = arith.addi %in_at, %size : i64
      %in = pto.alloc_tile addr = %in_at : {TILE}
      %out = pto.alloc_tile addr = %out_at : {TILE}
      %row = arith.muli %i, %c16 : index
      %xp = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%c16, %c256] : !pto.tensor_view<?x?xf32> -> {PART}
      %yp = pto.partition_view %yv, offsets = [%row, %c0], sizes = [%c16, %c256] : !pto.tensor_view<?x?xf32> -> {PART}
      pto.get_buf_dyn[#pto.pipe_event_type<TLOAD>, %in_id]
      pto.tload ins(%xp : {PART}) outs(%in : {TILE})
      pto.rls_buf_dyn[#pto.pipe_event_type<TLOAD>, %in_id]
      pto.get_buf_dyn "PIPE_V", %in_id
      pto.get_buf_dyn "PIPE_V", %out_id, 0
      pto.tadd ins(%in, %in : {TILE}, {TILE}) outs(%out : {TILE})
      pto.rls_buf_dyn "PIPE_V", %in_id
      pto.rls_buf_dyn "PIPE_V", %out_id
      pto.get_buf_dyn[#pto.pipe_event_type<TSTORE_VEC>, %out_id]
      pto.tstore ins(%out : {TILE}) outs(%yp : {PART})
      pto.rls_buf_dyn[#pto.pipe_event_type<TSTORE_VEC>, %out_id]
    }}
    return
  }}
}}
"""
FUNCTION = """module {
  func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
BODY
    return
  }
}
"""


class BufferIds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        x = np.random.default_rng(5).standard_normal((16 * ROUNDS, 256)).astype(np.float32)
        np.save(os.path.join(self.folder, "x.npy"), x)
        np.save(os.path.join(self.folder, "y.npy"), x + x)

    def run_kernel(self, text, *words, chip="ascend950pr", command="run"):
        with open(os.path.join(self.folder, "k.pto"), "w") as file:
            file.write(text)
        return subprocess.run(
            [PTOSIM, command, "k.pto", "--chip", chip, "--blocks", "1", "--arg", "in=x.npy", "--arg",
             f"out={16 * ROUNDS}x256xf32", *words], cwd=self.folder, capture_output=True, text=True,
            timeout=120)

    def cycles(self, text, *words):
        result = self.run_kernel(text, "--golden", "1=y.npy", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return int(re.search(r"time\s+(\d+) cycles", result.stdout)[1])

    def found(self, code, body, exit_code, *words, **more):
        result = self.run_kernel(FUNCTION.replace("BODY", body), *words, **more)
        self.assertIn(f"[{code}]", result.stderr)
        self.assertEqual(result.returncode, exit_code, result.stderr)
        return result.stderr

    def test_pipes_take_turns(self):
        one, two = (self.cycles(KERNEL.replace("SLOTS", n)) for n in "12")
        # Two slots let loads, sums and stores overlap.
        self.assertLess(two, one)
        # The scoreboard, which orders as little as it must, is not slower.
        self.assertLessEqual(self.cycles(KERNEL.replace("SLOTS", "2"), "--sync", "auto"), two)

    def test_the_checkers_know_the_order(self):
        text = KERNEL.replace("SLOTS", "2")
        clean = self.run_kernel(text, command="check")
        self.assertEqual(clean.returncode, 0, clean.stderr)
        for pipe in ("PIPE_V", "TSTORE_VEC"):
            line = next(line for line in text.split("\n") if "get_buf" in line and pipe in line)
            missing = self.run_kernel(text.replace(line + "\n", ""), command="check")
            self.assertEqual(missing.returncode, 1, pipe)
            self.assertRegex(missing.stderr, r"\[(H0|E15|A0|G0)")

    def test_without_the_ids_the_results_are_wrong(self):
        text = re.sub(r".*(get|rls)_buf.*\n", "", KERNEL.replace("SLOTS", "2"))
        result = self.run_kernel(text, "--golden", "1=y.npy", "--sync", "explicit")
        self.assertEqual(result.returncode, 1)

    def test_in_mode_1_the_release_waits(self):
        tile = "%t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 16x256xf32>"
        body = f"""%at = arith.constant 0 : i64
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c16 = arith.constant 16 : index
%c256 = arith.constant 256 : index
{tile}
%xv = pto.make_tensor_view %x, shape = [%c16, %c256], strides = [%c256, %c1] : !pto.tensor_view<16x256xf32>
%xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c16, %c256] : !pto.tensor_view<16x256xf32> -> {PART}
pto.get_buf "PIPE_MTE2", 3, 1
pto.tload ins(%xp : {PART}) outs(%t : {TILE})
pto.rls_buf "PIPE_MTE2", 3, 1
pto.get_buf "PIPE_V", 3, 1
pto.rls_buf[#pto.pipe_event_type<TVEC>, 3] {{mode = 1 : i32}}
pto.tadd ins(%t, %t : {TILE}, {TILE}) outs(%t : {TILE})"""
        good = self.run_kernel(FUNCTION.replace("BODY", body), command="check")
        self.assertEqual(good.returncode, 0, good.stderr)
        bad = self.run_kernel(FUNCTION.replace("BODY", body.replace("{mode = 1 : i32}", "")),
                              command="check")
        self.assertEqual(bad.returncode, 1, bad.stderr)

    def test_misuse(self):
        get, release = 'pto.get_buf "PIPE_V", 3\n', 'pto.rls_buf "PIPE_V", 3\n'
        self.assertIn("V acquires buffer id 3, which it holds already",
                      self.found("E14", get + get + release, 1))
        self.assertIn("V acquires buffer id 3, which MTE2 holds",
                      self.found("E14", 'pto.get_buf "PIPE_MTE2", 3\n' + get + release +
                                 'pto.rls_buf "PIPE_MTE2", 3', 1))
        self.found("E15", release, 1)
        self.found("E16", get, 1)
        self.found("K09", 'pto.get_buf "PIPE_V", 32', 2)
        self.found("K09", 'pto.get_buf "PIPE_ALL", 3', 2)
        self.found("K09", 'pto.get_buf "PIPE_V", 3, 2', 2)
        self.found("K06", 'pto.get_buf "PIPE_V"', 2)
        self.found("E08", "%n = pto.get_block_idx\n%c = arith.constant 40 : i64\n"
                   "%m = arith.addi %n, %c : i64\n%i = arith.index_cast %m : i64 to index\n"
                   'pto.get_buf_dyn "PIPE_V", %i', 2)
        self.found("L01", 'pto.get_buf "PIPE_M", 3', 2)

    def test_a_deadlock_names_the_buffer(self):
        text = self.found("E05", """pto.get_buf "PIPE_MTE2", 3
pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
pto.rls_buf "PIPE_MTE2", 3
pto.get_buf "PIPE_V", 3
pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
pto.rls_buf "PIPE_V", 3""", 1)
        self.assertIn("AIV00/V waits for buffer #3 to be released", text)
        self.assertIn("a cycle", text)

    def test_they_exist_on_a5(self):
        body = 'pto.get_buf "PIPE_V", 3\npto.rls_buf "PIPE_V", 3'
        self.found("P01", body, 2, chip="ascend910b1")
        with open(os.path.join(self.folder, "d.pto"), "w") as file:
            file.write(FUNCTION.replace("BODY", body))
        dry = subprocess.run([PTOSIM, "run", "--dry-run", "d.pto", "--chip", "ascend950pr"],
                             cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(dry.returncode, 0, dry.stderr)
        self.assertIn("buffer  ids: 3", dry.stdout)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
