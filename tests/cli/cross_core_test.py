#!/usr/bin/python3
"""Flags and barriers between cores, seen from the command line.

    cross_core_test.py --ptosim BIN
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import command_line

sys.dont_write_bytecode = True
PTOSIM = "ptosim"
REPORTS = pathlib.Path(__file__).resolve().parents[1] / "check" / "reports"

CLUSTER = """module {
  func.func @flags(%x: !pto.ptr<f32>) {
    pto.section.cube {
      CUBE
    }
    pto.section.vector {
      VECTOR
    }
    return
  }
}
"""

# Every block writes twice its row; after the barrier every block adds up all rows.
MEETING = """module {
  func.func @meeting(%x: !pto.ptr<f32>, %t: !pto.ptr<f32>, %y: !pto.ptr<f32>)
      attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %block = pto.get_block_idx
    %b = arith.index_cast %block : i64 to index
    %blocks = pto.get_block_num
    %n = arith.index_cast %blocks : i64 to index
    %xv = pto.make_tensor_view %x, shape = [%n, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %tv = pto.make_tensor_view %t, shape = [%n, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%n, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %row = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>
    %sum = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>
    %mine = pto.partition_view %xv, offsets = [%b, %c0], sizes = [%c1, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
    pto.tload ins(%mine : !pto.partition_tensor_view<1x64xf32>) outs(%row : !pto.tile_buf<vec, 1x64xf32>)
    pto.tadd ins(%row, %row : !pto.tile_buf<vec, 1x64xf32>, !pto.tile_buf<vec, 1x64xf32>) outs(%row : !pto.tile_buf<vec, 1x64xf32>)
    %told = pto.partition_view %tv, offsets = [%b, %c0], sizes = [%c1, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
    pto.tstore ins(%row : !pto.tile_buf<vec, 1x64xf32>) outs(%told : !pto.partition_tensor_view<1x64xf32>)
    BARRIER
    pto.texpands ins(%zero : f32) outs(%sum : !pto.tile_buf<vec, 1x64xf32>)
    scf.for %i = %c0 to %n step %c1 {
      %other = pto.partition_view %tv, offsets = [%i, %c0], sizes = [%c1, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
      pto.tload ins(%other : !pto.partition_tensor_view<1x64xf32>) outs(%row : !pto.tile_buf<vec, 1x64xf32>)
      pto.tadd ins(%sum, %row : !pto.tile_buf<vec, 1x64xf32>, !pto.tile_buf<vec, 1x64xf32>) outs(%sum : !pto.tile_buf<vec, 1x64xf32>)
    }
    %out = pto.partition_view %yv, offsets = [%b, %c0], sizes = [%c1, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
    pto.tstore ins(%sum : !pto.tile_buf<vec, 1x64xf32>) outs(%out : !pto.partition_tensor_view<1x64xf32>)
    return
  }
}
"""
BARRIER = ("pto.syncall() mode = #pto.sync_all_mode<hard>, "
           "core_type = #pto.sync_core_type<aiv_only>")


class CrossCore(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ptosim(self, text, *words, command="run", chip="ascend950pr"):
        with open(os.path.join(self.folder, "k.pto"), "w") as file:
            file.write(text)
        return subprocess.run([PTOSIM, command, "k.pto", "--chip", chip, *words],
                              cwd=self.folder, capture_output=True, text=True, timeout=120)

    def flags(self, cube, vector, chip="ascend950pr", command="run"):
        lines = ["\n      ".join(f"pto.{line}" for line in side) for side in (cube, vector)]
        text = CLUSTER.replace("CUBE", lines[0]).replace("VECTOR", lines[1])
        return self.ptosim(text, "--blocks", "1", "--sync", "explicit", "--arg", "zeros=8x8xf32",
                           command=command, chip=chip)

    # The AIC answers only after MTE3 of both AIVs has signalled, after their waiting V.
    ANSWER = (["wait_intra_block <PIPE_FIX>, 1", "wait_intra_block <PIPE_FIX>, 17",
               "set_intra_block <PIPE_FIX>, 0", "set_intra_block <PIPE_FIX>, 16"],
              ["wait_intra_block <PIPE_V>, 0", "set_intra_block <PIPE_MTE3>, 1"])

    def test_on_a5_a_wait_for_another_core_holds_its_pipe_only(self):
        process = self.flags(*self.ANSWER, command="check")
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_on_a2a3_it_holds_the_core(self):
        cube = ["sync.wait <PIPE_FIX>, 1", "sync.set <PIPE_FIX>, 0"]
        vector = ["sync.wait <PIPE_V>, 0", "sync.set <PIPE_MTE3>, 1"]
        self.assertEqual(self.flags(cube, vector).returncode, 0)
        process = self.flags(cube, vector, chip="ascend910b1")
        self.assertEqual(process.returncode, 1)
        self.assertIn("deadlock", process.stderr)

    def test_a_signal_that_one_of_two_aivs_does_not_get_is_a_deadlock(self):
        process = self.flags(self.ANSWER[0][:3], self.ANSWER[1])
        self.assertEqual(process.returncode, 1)
        self.assertIn("AIV01/V waits for intra-block flag #0", process.stderr)

    def test_a_full_fifo_whose_consumer_waits_is_a_deadlock_that_slots_may_mend(self):
        kernel = REPORTS / "simpler_767_one_consumer_does_not_free.pto"  # of the 8 slots of one direction
        words = kernel.read_text().split("// run: ")[1].split("\n")[0].split()
        process = subprocess.run([PTOSIM, "run", kernel, *words], capture_output=True, text=True, check=False)
        self.assertIn("[E05]", process.stderr)
        self.assertIn("the FIFO is full (slots: 8)", process.stderr)
        self.assertIn("pl.cross_core_slot(slot_num=16)", process.stderr)

    def test_a_signal_too_many_is_left_over(self):
        process = self.flags([*self.ANSWER[0], "set_intra_block <PIPE_FIX>, 18"],
                             self.ANSWER[1], command="check")
        self.assertEqual(process.returncode, 1)
        self.assertIn("[C06]", process.stderr)
        self.assertIn("intra-block flag #2 of AIV01", process.stderr)

    def test_counters_have_four_bits(self):
        sets = ["set_intra_block <PIPE_FIX>, 0"] * 16
        process = self.flags(sets, ["barrier <PIPE_V>"])
        self.assertEqual(process.returncode, 1)
        self.assertIn("[C02]", process.stderr)

    def test_ids_end_at_15_and_for_the_aic_at_31(self):
        self.assertIn("[C01]", self.flags(["set_intra_block <PIPE_FIX>, 32"],
                                          ["barrier <PIPE_V>"]).stderr)
        self.assertIn("[C01]", self.flags(["barrier <PIPE_M>"],
                                          ["wait_intra_block <PIPE_V>, 16"]).stderr)

    def test_a_signal_to_a_core_that_takes_no_part_is_reported(self):
        text = CLUSTER.replace("CUBE", "").replace("VECTOR", "pto.set_intra_block <PIPE_V>, 3")
        process = self.ptosim(text.replace("pto.section.cube {", "scf.execute_region {"),
                              "--blocks", "1", "--arg", "zeros=8x8xf32")
        self.assertEqual(process.returncode, 1)
        self.assertIn("[C04]", process.stderr)

    def meet(self, text, chip, *words):
        values = np.random.default_rng(7).integers(-50, 50, (8, 64)).astype(np.float32)
        np.save(os.path.join(self.folder, "x.npy"), values)
        golden = np.tile((2 * values).sum(0), (8, 1))
        np.save(os.path.join(self.folder, "y.npy"), golden)
        return self.ptosim(text, "--blocks", "8", "--sync", "auto", "--arg", "in=x.npy", "--arg",
                           "out=8x64xf32", "--arg", "out=8x64xf32", "--golden", "2=y.npy", *words,
                           command="check", chip=chip)

    def test_a_barrier_of_all_cores_orders_what_they_write(self):
        for chip in ("ascend910b1", "ascend950pr"):
            process = self.meet(MEETING.replace("BARRIER", BARRIER), chip)
            self.assertEqual(process.returncode, 0, process.stderr)

    def test_without_it_there_is_a_race(self):
        process = self.meet(MEETING.replace("BARRIER", ""), "ascend950pr")
        self.assertEqual(process.returncode, 1)
        self.assertIn("[G04]", process.stderr)

    def test_a_barrier_of_fewer_cores_than_blocks_does_not_order_the_others(self):
        soft = BARRIER.replace("hard", "soft").replace("()", "(%work, %four : !pto.ptr<i32>, i32)")
        text = MEETING.replace("BARRIER", "%four = arith.constant 4 : i32\n    " + soft)
        text = text.replace("%y: !pto.ptr<f32>)", "%y: !pto.ptr<f32>, %work: !pto.ptr<i32>)")
        process = self.meet(text, "ascend950pr", "--arg", "zeros=1x16xi32")
        self.assertEqual(process.returncode, 1)
        process = self.meet(text.replace("constant 4 :", "constant 8 :"), "ascend950pr",
                            "--arg", "zeros=1x16xi32")
        self.assertEqual(process.returncode, 0, process.stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
