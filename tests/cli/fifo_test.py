#!/usr/bin/python3
"""FIFOs between the cores of a cluster, seen from the command line.

    fifo_test.py --ptosim BIN
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

# y[i] = a @ b[i] + 1, for as many products as there are: more than slots, so that the producer has
# to wait for free ones.
KERNEL = """module {
  func.func @cube(%a: !pto.ptr<f16>, %b: !pto.ptr<f16>, %y: !pto.ptr<f32>, %ring: !pto.ptr<f32>, %n: i32)
      attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %count = arith.index_cast %n : i32 to index
    %rows = arith.muli %count, %c32 : index
    %slots = pto.import_reserved_buffer {name = "slots", peer_func = @vector} -> i32
    pto.aic_initialize_pipe {dir_mask = 1, slot_size = 4096} (gm_slot_buffer = %ring : !pto.ptr<f32>, c2v_consumer_buf = %slots : i32, v2c_consumer_buf = %zero : i32)
    %av = pto.make_tensor_view %a, shape = [%c32, %c32], strides = [%c32, %c1] : !pto.tensor_view<?x?xf16>
    %bv = pto.make_tensor_view %b, shape = [%rows, %c32], strides = [%c32, %c1] : !pto.tensor_view<?x?xf16>
    %at = pto.alloc_tile : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>
    %bt = pto.alloc_tile : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>
    %al = pto.alloc_tile : !pto.tile_buf<left, 32x32xf16, blayout=row_major, slayout=row_major>
    %br = pto.alloc_tile : !pto.tile_buf<right, 32x32xf16, blayout=row_major, slayout=col_major>
    %c = pto.alloc_tile : !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
    %ap = pto.partition_view %av, offsets = [%c0, %c0], sizes = [%c32, %c32] : !pto.tensor_view<?x?xf16> -> !pto.partition_tensor_view<32x32xf16>
    pto.tload ins(%ap : !pto.partition_tensor_view<32x32xf16>) outs(%at : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>)
    pto.tmov ins(%at : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>) outs(%al : !pto.tile_buf<left, 32x32xf16, blayout=row_major, slayout=row_major>)
    scf.for %i = %c0 to %count step %c1 {
      %row = arith.muli %i, %c32 : index
      %bp = pto.partition_view %bv, offsets = [%row, %c0], sizes = [%c32, %c32] : !pto.tensor_view<?x?xf16> -> !pto.partition_tensor_view<32x32xf16>
      pto.tload ins(%bp : !pto.partition_tensor_view<32x32xf16>) outs(%bt : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>)
      pto.tmov ins(%bt : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>) outs(%br : !pto.tile_buf<right, 32x32xf16, blayout=row_major, slayout=col_major>)
      pto.tmatmul ins(%al, %br : !pto.tile_buf<left, 32x32xf16, blayout=row_major, slayout=row_major>, !pto.tile_buf<right, 32x32xf16, blayout=row_major, slayout=col_major>) outs(%c : !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>)
      pto.tpush_to_aiv(%c : !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>) {split = SPLIT}
    }
    return
  }
  func.func @vector(%a: !pto.ptr<f16>, %b: !pto.ptr<f16>, %y: !pto.ptr<f32>, %ring: !pto.ptr<f32>, %n: i32)
      attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %cr = arith.constant ROWS : index
    %cc = arith.constant COLS : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1.0 : f32
    %count = arith.index_cast %n : i32 to index
    %rows = arith.muli %count, %c32 : index
    %sub64 = pto.get_subblock_idx
    %sub = arith.index_cast %sub64 : i64 to index
    %r0 = arith.muli %sub, DOWN : index
    %k0 = arith.muli %sub, RIGHT : index
    %slots = pto.reserve_buffer {name = "slots", size = 32768, location = #pto.address_space<vec>, auto = true} -> i32
    pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 4096} (gm_slot_buffer = %ring : !pto.ptr<f32>, c2v_consumer_buf = %slots : i32, v2c_consumer_buf = %zero : i32)
    %yv = pto.make_tensor_view %y, shape = [%rows, %c32], strides = [%c32, %c1] : !pto.tensor_view<?x?xf32>
    %o = pto.alloc_tile : !pto.tile_buf<vec, ROWSxCOLSxf32>
    scf.for %i = %c0 to %count step %c1 {
      %base = arith.muli %i, %c32 : index
      %row = arith.addi %base, %r0 : index
      %t = pto.tpop_from_aic {split = SPLIT} -> !pto.tile_buf<vec, ROWSxCOLSxf32>
      pto.tadds ins(%t, %one : !pto.tile_buf<vec, ROWSxCOLSxf32>, f32) outs(%o : !pto.tile_buf<vec, ROWSxCOLSxf32>)
      pto.tfree_from_aic {split = SPLIT}
      %yp = pto.partition_view %yv, offsets = [%row, %k0], sizes = [%cr, %cc] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<ROWSxCOLSxf32>
      pto.tstore ins(%o : !pto.tile_buf<vec, ROWSxCOLSxf32>) outs(%yp : !pto.partition_tensor_view<ROWSxCOLSxf32>)
    }
    return
  }
}
"""
SPLITS = {0: (32, 32, "%c0", "%c0"), 1: (16, 32, "%cr", "%c0"), 2: (32, 16, "%c0", "%cc")}


class Fifo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def kernel(self, split):
        rows, cols, down, right = SPLITS[split]
        return (KERNEL.replace("SPLIT", str(split)).replace("ROWS", str(rows))
                .replace("COLS", str(cols)).replace("DOWN", down).replace("RIGHT", right))

    def test_the_ends_are_those_with_one_buffer_whatever_their_ids(self):
        text = self.kernel(1)
        cube, vector = text.split("  func.func @vector")
        named = [re.sub(r"{(dir_mask|split)", rf"{{id = {number}, \1", part)
                 for number, part in ((0, cube), (7, vector))]
        for chip in ("ascend910b1", "ascend950pr"):
            result = self.run_kernel("  func.func @vector".join(named), chip)
            self.assertEqual(result.returncode, 0, result.stderr)

    def run_kernel(self, text, chip, count=21, command="run"):
        random = np.random.default_rng(11)
        a = random.integers(-8, 8, (32, 32)).astype(np.float16)
        b = random.integers(-8, 8, (count, 32, 32)).astype(np.float16)
        golden = (a.astype(np.float32) @ b.astype(np.float32) + 1).reshape(-1, 32)
        for name, value in (("a", a), ("b", b.reshape(-1, 32)), ("y", golden)):
            np.save(os.path.join(self.folder, name + ".npy"), value.astype(
                np.float32 if name == "y" else np.float16))
        with open(os.path.join(self.folder, "k.pto"), "w") as file:
            file.write(text)
        return subprocess.run(
            [PTOSIM, command, "k.pto", "--chip", chip, "--blocks", "1", "--sync", "auto",
             "--entry", "cube+vector", "--arg", "in=a.npy", "--arg", "in=b.npy", "--arg",
             f"out={32 * count}x32xf32", "--arg", "zeros=8x1024xf32", "--arg", f"i32={count}",
             "--golden", "2=y.npy"], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def test_tiles_go_through_global_memory_on_a2a3_and_on_chip_on_a5(self):
        for chip in ("ascend910b1", "ascend950pr"):
            for split in SPLITS:
                with self.subTest(chip=chip, split=split):
                    process = self.run_kernel(self.kernel(split), chip)
                    self.assertIn("all 21504 elements equal", process.stdout)
                    # Whole slots go to both vector cores of a2a3, which then store the same bytes.
                    both = chip == "ascend910b1" and split == 0
                    self.assertEqual("[G04]" in process.stderr, both, process.stderr)
                    self.assertEqual(process.returncode, int(both), process.stderr)

    def test_credits_come_out_even_for_any_number_of_tiles(self):
        for chip in ("ascend910b1", "ascend950pr"):
            for count in (1, 4, 8, 9, 16, 17):
                with self.subTest(chip=chip, count=count):
                    process = self.run_kernel(self.kernel(1), chip, count)
                    self.assertEqual(process.returncode, 0, process.stderr)

    def test_the_checkers_find_nothing(self):
        for chip in ("ascend910b1", "ascend950pr"):
            with self.subTest(chip=chip):
                process = self.run_kernel(self.kernel(1), chip, command="check")
                self.assertEqual(process.returncode, 0, process.stderr)

    def epilogue(self, quant, result, scale, chip, relu="normal_relu"):
        # The vector core stores the received tile, in the type that the fixpipe has made.
        text = self.kernel(0).replace("dir_mask = 1,", "dir_mask = 1, acc_push_epilogue = "
                                      f"#pto.acc_push_epilogue<layout = nz2nd, quant = {quant}, "
                                      f"relu = {relu}>,")
        text = text.replace("      pto.tpush_to_aiv", scale + "      pto.tpush_to_aiv")
        head, tail = text.split("func.func @vector")
        tail = tail.replace("xf32>", f"x{result}>").replace("!pto.ptr<f32>", f"!pto.ptr<{result}>")
        tail = tail.replace("%ring: !pto.ptr<" + result, "%ring: !pto.ptr<f32")
        tail = tail.replace("gm_slot_buffer = %ring : !pto.ptr<" + result,
                            "gm_slot_buffer = %ring : !pto.ptr<f32")
        tail = "\n".join(line for line in tail.splitlines() if "pto.tadds" not in line)
        tail = tail.replace("ins(%o :", "ins(%t :")
        # A popped tile is read until it is stored.
        lines = tail.splitlines()
        free = next(line for line in lines if "tfree" in line)
        lines.remove(free)
        lines.insert(next(i for i, line in enumerate(lines) if "tstore" in line) + 1, free)
        text = head.replace("%y: !pto.ptr<f32>", f"%y: !pto.ptr<{result}>") + \
            "func.func @vector" + "\n".join(lines)
        random = np.random.default_rng(12)
        a = random.integers(-8, 8, (32, 32)).astype(np.float16)
        b = random.integers(-8, 8, (9, 32, 32)).astype(np.float16)
        product = (a.astype(np.float32) @ b.astype(np.float32)).reshape(-1, 32)
        for name, value in (("a", a), ("b", b.reshape(-1, 32))):
            np.save(os.path.join(self.folder, name + ".npy"), value)
        with open(os.path.join(self.folder, "k.pto"), "w") as file:
            file.write(text)
        process = subprocess.run(
            [PTOSIM, "run", "k.pto", "--chip", chip, "--blocks", "1", "--sync", "auto", "--entry",
             "cube+vector", "--arg", "in=a.npy", "--arg", "in=b.npy", "--arg",
             f"out=288x32x{result}:y.npy", "--arg", "zeros=8x1024xf32", "--arg", "i32=9"],
            cwd=self.folder, capture_output=True, text=True, timeout=120)
        return process, product

    def test_the_fixpipe_converts_and_clips_what_is_pushed(self):
        # The products are whole numbers below 2048: exact in f16, and halved by the scale.
        scale = "%half = arith.constant 0.5 : f32\npto.set_quant_scalar(%half : f32) {id = 0}\n"
        for quant, factor, set_scale in (("f32_f16", 1, ""), ("qf322f16_pre_scalar", 0.5, scale)):
            with self.subTest(quant=quant):
                process, product = self.epilogue(quant, "f16", set_scale, "ascend950pr")
                self.assertEqual(process.returncode, 0, process.stderr)
                np.testing.assert_array_equal(
                    np.load(os.path.join(self.folder, "y.npy")),
                    np.maximum(product * factor, 0).astype(np.float16))

    def test_a_push_that_needs_a_scale_says_so(self):
        process, _ = self.epilogue("qf322f16_pre_scalar", "f16", "", "ascend950pr")
        self.assertEqual(process.returncode, 2)
        self.assertIn("needs a scale", process.stderr)
        self.assertIn("[K11]", process.stderr)

    def test_both_ends_agree_on_what_comes_out(self):
        process, _ = self.epilogue("f32_f16", "bf16", "", "ascend950pr")
        self.assertEqual(process.returncode, 2)
        self.assertIn("quant = f32_f16 gives f16, not bf16", process.stderr)

    def test_a_consumer_that_frees_nothing_is_a_deadlock(self):
        text = self.kernel(1).replace("pto.tfree_from_aic {split = 1}", "")
        process = self.run_kernel(text, "ascend950pr")
        self.assertEqual(process.returncode, 1)
        self.assertIn("deadlock", process.stderr)

    def test_a_tile_larger_than_a_slot_is_refused(self):
        text = self.kernel(1).replace("slot_size = 4096", "slot_size = 2048")
        process = self.run_kernel(text, "ascend910b1")
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn("[F01]", process.stderr)

    def refused(self, code, text, chip, message):
        process = self.run_kernel(text, chip)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn(f"[{code}]", process.stderr)
        self.assertIn(message, process.stderr)

    def test_a_push_before_its_fifo_is_initialised(self):
        """One path through the kernel leaves the initialisation out."""
        text = self.kernel(1)
        begin = next(line for line in text.splitlines() if "pto.aic_initialize_pipe" in line)
        text = text.replace(begin, "    %never = arith.cmpi slt, %count, %c0 : index\n"
                                   "    scf.if %never {\n" + begin + "\n    }")
        self.refused("F02", text, "ascend910b1", "has not been initialised on this path")

    def test_a_slot_on_chip_has_no_address(self):
        entry = "!pto.tensor_view<32x32xf32>"
        whole = "!pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>"
        text = self.kernel(0).replace(
            f"      pto.tpush_to_aiv(%c : {whole}) {{split = 0}}",
            f"      %slot = pto.talloc_to_aiv {{split = 0}} -> {entry}\n"
            f"      pto.tpush_to_aiv(%slot : {entry}) {{split = 0}}")
        self.refused("F02", text, "ascend950pr", "has no address in global memory")

    def test_rows_that_two_vector_cores_cannot_share(self):
        whole = "!pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>"
        odd = whole.replace("f32, b", "f32, valid=31x32, b")
        text = self.kernel(1).replace(
            f"      pto.tpush_to_aiv(%c : {whole})",
            f"      %o = pto.subview %c[%c0, %c0] sizes [32, 32] valid [%c31, %c32] : {whole} -> {odd}\n"
            f"      pto.tpush_to_aiv(%o : {odd})")
        text = text.replace("    %c32 =", "    %c31 = arith.constant 31 : index\n    %c32 =", 1)
        self.refused("F03", text, "ascend950pr", "31 valid rows cannot be split over two vector cores")

    def test_parts_of_different_sizes_do_not_exist_on_chip(self):
        text = self.kernel(1).replace("{split = 1}", "{split = 3}")
        self.refused("F03", text, "ascend950pr", "parts of different sizes")

    def test_a_pop_without_a_pipe_is_refused(self):
        text = self.kernel(1).replace("pto.tpop_from_aic {", "pto.tpop_from_aic {id = 3, ")
        process = self.run_kernel(text, "ascend910b1")
        self.assertEqual(process.returncode, 2)
        self.assertIn("[K11]", process.stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
