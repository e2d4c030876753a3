#!/usr/bin/python3
"""Transfers and signals between ranks, seen from the command line.

    transfer_test.py --ptosim BIN
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import command_line

sys.dont_write_bytecode = True
PTOSIM = "ptosim"

TILE = "!pto.tile_buf<vec, 8x32xf32>"
PART = "!pto.partition_tensor_view<20x72xf32>"
# A view of 20 x 72 through tiles of 8 x 32: nine pieces, at both edges smaller ones.
COPY = f"""module {{
  func.func @copy(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %c72 = arith.constant 72 : index
    %c80 = arith.constant 80 : index
    %xv = pto.make_tensor_view %x, shape = [%c20, %c72], strides = [%c80, %c1] {{layout = #pto.layout<nd>}} : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%c20, %c72], strides = [%c72, %c1] {{layout = #pto.layout<nd>}} : !pto.tensor_view<?x?xf32>
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c20, %c72] : !pto.tensor_view<?x?xf32> -> {PART}
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c20, %c72] : !pto.tensor_view<?x?xf32> -> {PART}
    %ping = pto.alloc_tile : {TILE}
    %pong = pto.alloc_tile : {TILE}
    pto.comm.OPERATION
    pto.barrier <PIPE_ALL>
    return
  }}
}}
"""
ONE = f"(%yp, %xp, buf(%ping) : {PART}, {PART}, {TILE})"
TWO = f"(%yp, %xp, buf(%ping, %pong) : {PART}, {PART}, {TILE}, {TILE})"

# A block of 16 rows, of which the array has %n left.
ROWS = "!pto.partition_tensor_view<?x64xf32>"
BLOCK = "!pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=64, v_row=?, v_col=64, blayout=row_major, slayout=none_box, fractal=512, pad=0>"
LAST_BLOCK = f"""module {{
  func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %xv = pto.make_tensor_view %x, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%n, %c64] : !pto.tensor_view<?x?xf32> -> {ROWS}
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%n, %c64] : !pto.tensor_view<?x?xf32> -> {ROWS}
    %t = pto.alloc_tile valid_row = %n : {BLOCK}
    pto.tload ins(%xp : {ROWS}) outs(%t : {BLOCK})
    pto.tstore ins(%t : {BLOCK}) outs(%yp : {ROWS})
    return
  }}
}}
"""

# Block 0 writes data and signals block 1, which waits, reads them and answers with its result.
SIGNAL = """module {
  func.func @k(%flag: !pto.ptr<i32>, %data: !pto.ptr<i32>, %out: !pto.ptr<i32>, %__pypto_spmd_block_idx: i32)
      attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %value = arith.constant 4711 : i32
    %fv = pto.make_tensor_view %flag, shape = [%c1, %c1], strides = [%c1, %c1] : !pto.tensor_view<?x?xi32>
    %fp = pto.partition_view %fv, offsets = [%c0, %c0], sizes = [%c1, %c1] : !pto.tensor_view<?x?xi32> -> !pto.partition_tensor_view<1x1xi32>
    %first = arith.cmpi eq, %__pypto_spmd_block_idx, %zero : i32
    scf.if %first {
      pto.store_scalar %value, %data[%c0] : !pto.ptr<i32>, i32
      NOTIFY
    } else {
      pto.comm.twait(%fp, %seven : !pto.partition_tensor_view<1x1xi32>, i32) {cmp = #pto<wait_cmp COMPARE>}
      %found = pto.load_scalar %data[%c0] : !pto.ptr<i32> -> i32
      pto.store_scalar %found, %out[%c0] : !pto.ptr<i32>, i32
      %yes = pto.comm.ttest(%fp, %seven : !pto.partition_tensor_view<1x1xi32>, i32) {cmp = #pto<wait_cmp eq>} -> i1
      %bit = arith.extui %yes : i1 to i32
      pto.store_scalar %bit, %out[%c1] : !pto.ptr<i32>, i32
    }
    return
  }
}
"""
NOTIFY = "pto.comm.tnotify(%fp, %seven : !pto.partition_tensor_view<1x1xi32>, i32) {notifyOp = #pto<notify_op MODE>}"


class Transfers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_text(self, text, words):
        with open(os.path.join(self.folder, "k.pto"), "w") as file:
            file.write(text)
        return subprocess.run([PTOSIM, "run", "k.pto", *words], cwd=self.folder,
                              capture_output=True, text=True, timeout=120)

    def copy(self, operation, chip="ascend910b1", before=0.0, check="all"):
        x = np.random.default_rng(3).integers(-50, 50, (20, 80)).astype(np.float32)
        np.save(f"{self.folder}/x.npy", x)
        np.save(f"{self.folder}/y.npy", np.full((20, 72), before, np.float32))
        result = self.run_text(COPY.replace("OPERATION", operation),
                               ["--arg", "in=x.npy", "--arg", "inout=y.npy:out.npy", "--blocks",
                                "1", "--chip", chip, "--check", check])
        self.assertEqual(result.returncode, 0, result.stderr)
        return x[:, :72], np.load(f"{self.folder}/out.npy")

    def test_whole_views_come_through_small_tiles(self):
        for chip in ("ascend910b1", "ascend950pr"):
            for operands in (ONE, TWO):
                for name in ("tput", "tget"):
                    with self.subTest(chip=chip, operation=name, operands=operands[:30]):
                        x, y = self.copy(name + operands, chip, check="race,sync")
                        np.testing.assert_array_equal(x, y)

    def test_a_put_adds_where_it_is_told(self):
        x, y = self.copy(f"tput{TWO} {{atomicType = #pto<atomic_type atomic_add>}}", before=2.5,
                         check="none")
        np.testing.assert_array_equal(x + np.float32(2.5), y)

    def test_a_get_is_not_atomic(self):
        result = self.run_text(
            COPY.replace("OPERATION", f"tget{ONE} {{atomicType = #pto<atomic_type atomic_add>}}"),
            ["--dry-run"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("[K09]", result.stderr)

    def test_sizes_that_differ_are_refused(self):
        text = COPY.replace("OPERATION", "tput" + ONE)
        text = text.replace("sizes = [%c20, %c72] : !pto.tensor_view<?x?xf32> -> " + PART,
                            "sizes = [%c1, %c72] : !pto.tensor_view<?x?xf32> -> "
                            "!pto.partition_tensor_view<?x72xf32>", 1)
        result = self.run_text(text, ["--arg", "zeros=1600xf32", "--arg", "out=1440xf32",
                                      "--blocks", "1"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("[S04]", result.stderr)

    def test_what_is_left_of_an_array_may_be_nothing(self):
        x = np.random.default_rng(4).random((16, 64), np.float32)
        np.save(f"{self.folder}/x.npy", x)
        np.save(f"{self.folder}/y.npy", np.full((16, 64), 2, np.float32))
        for chip in ("ascend910b1", "ascend950pr"):
            for rows in (0, 5):
                with self.subTest(chip=chip, rows=rows):
                    result = self.run_text(LAST_BLOCK, [
                        "--arg", "in=x.npy", "--arg", "inout=y.npy:out.npy", "--arg", f"i64={rows}", "--sync", "insert",
                        "--chip", chip, "--check", "all", "--blocks", "1", "--trace", f"trace_{chip}_{rows}"])
                    self.assertEqual(result.returncode, 0, result.stderr)
                    out = np.load(f"{self.folder}/out.npy")
                    np.testing.assert_array_equal(out[:rows], x[:rows])
                    np.testing.assert_array_equal(out[rows:], 2)

    def signal(self, notify, compare, flag):
        np.save(f"{self.folder}/flag.npy", np.array([flag], np.int32))
        return self.run_text(SIGNAL.replace("NOTIFY", notify).replace("COMPARE", compare),
                             ["--arg", "in=flag.npy", "--arg", "out=1xi32", "--arg",
                              "out=2xi32:out.npy", "--blocks", "2"])

    def test_a_signal_orders_two_blocks(self):
        for mode, compare, flag, equal in (("set", "eq", 0, 1), ("set", "ge", -3, 1),
                                           ("atomic_add", "gt", 5, 0), ("atomic_add", "eq", 0, 1)):
            with self.subTest(mode=mode, compare=compare, flag=flag):
                result = self.signal(NOTIFY.replace("MODE", mode), compare, flag)
                self.assertEqual(result.returncode, 0, result.stderr)
                np.testing.assert_array_equal(np.load(f"{self.folder}/out.npy"), [4711, equal])

    def test_a_signal_that_never_comes_is_a_deadlock(self):
        result = self.signal("", "ge", 6)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("[E06]", result.stderr)
        self.assertIn("its value is still not >= 7", result.stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
