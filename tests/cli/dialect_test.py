#!/usr/bin/python3
"""Operations of the dialect around the tile instructions, run from the command line: fences, caches,
prefetches, tiles in several slots, modules in modules, the generic form.

    dialect_test.py --ptosim BIN
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
TILE, PART = "!pto.tile_buf<vec, 16x64xf32>", "!pto.partition_tensor_view<16x64xf32>"
ROUNDS = 6
HEAD = f"""%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c16 = arith.constant 16 : index
%c64 = arith.constant 64 : index
%rounds = arith.constant {ROUNDS} : index
%rows = arith.constant {16 * ROUNDS} : index
%one = arith.constant 1.0 : f32
%xv = pto.make_tensor_view %x, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
%yv = pto.make_tensor_view %y, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
"""
VIEWS = f"""%row = arith.muli %i, %c16 : index
%xp = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> {PART}
%yp = pto.partition_view %yv, offsets = [%row, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> {PART}
"""
LOAD = f"pto.tload ins(%xp : {PART}) outs(%t : {TILE})\n"
ADD = f"pto.tadds ins(%t, %one : {TILE}, f32) outs(%t : {TILE})\n"
STORE = f"pto.tstore ins(%t : {TILE}) outs(%yp : {PART})\n"


def kernel(body, before="", name="k"):
    return (f"func.func @{name}(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {{\n{HEAD}{before}"
            f"scf.for %i = %c0 to %rounds step %c1 {{\n{VIEWS}{body}}}\nreturn\n}}\n")


def module(text):
    return f"module {{\n{text}}}\n"


class Dialect(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.x = np.random.default_rng(29).integers(-99, 99, (16 * ROUNDS, 64)).astype(np.float32)
        np.save(os.path.join(self.folder, "x.npy"), self.x)
        np.save(os.path.join(self.folder, "y.npy"), self.x + 1)

    def run_kernel(self, text, *words, chip="ascend910b1"):
        with open(os.path.join(self.folder, "k.pto"), "w") as file:
            file.write(text)
        return subprocess.run(
            [PTOSIM, "run", "k.pto", "--chip", chip, "--blocks", "1", "--arg", "in=x.npy", "--arg",
             f"out={16 * ROUNDS}x64xf32", "--golden", "1=y.npy", *words], cwd=self.folder,
            capture_output=True, text=True, timeout=120)

    def right(self, text, *words, **more):
        result = self.run_kernel(text, *words, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_fences_order_all_pipes(self):
        place = f"%at = arith.constant 0 : i64\n%t = pto.alloc_tile addr = %at : {TILE}\n"
        for fence in ("pto.fence.barrier_all #pto.fence_scope<gm>", "pto.fence.barrier_all <all>",
                      'pto.dsb "DDR"'):
            body = f"{LOAD}{fence}\n{ADD}{fence}\n{STORE}{fence}\n"
            for chip in ("ascend910b1", "ascend950pr"):
                with self.subTest(fence=fence, chip=chip):
                    self.right(module(kernel(body, place)), "--sync", "explicit", chip=chip)
        wrong = self.run_kernel(module(kernel(LOAD + ADD + STORE, place)), "--sync", "explicit")
        self.assertEqual(wrong.returncode, 1)

    def test_caches_and_prefetches_change_no_result(self):
        before = """%n = arith.constant 64 : index
%flat = pto.make_tensor_view %x, shape = [%n], strides = [%c1] : !pto.tensor_view<64xf32>
%part = pto.partition_view %flat, offsets = [%c0], sizes = [%n] : !pto.tensor_view<64xf32> -> !pto.partition_tensor_view<64xf32>
%ctx = pto.make_prefetch_async_context(%y : !pto.ptr<f32>) -> !pto.prefetch_async_context
%event = pto.tprefetch_async(%part, %ctx : !pto.partition_tensor_view<64xf32>, !pto.prefetch_async_context) -> !pto.async_event
%session = pto.get_prefetch_async_session %ctx : !pto.prefetch_async_context -> !pto.async_session
%done = pto.comm.wait_async_event(%event, %session : !pto.async_event, !pto.async_session) -> i1
pto.cmo.cacheinvalid all #pto.address_space<gm>
pto.cmo.cacheinvalid %x single_cache_line : !pto.ptr<f32>
"""
        body = f"%t = pto.alloc_tile : {TILE}\n" + LOAD + "scf.if %done {\n" + ADD + "}\n" + STORE
        for sync in ("auto", "insert"):
            self.right(module(kernel(body, before)), "--sync", sync)

    def test_tiles_in_several_slots(self):
        before = f"%ts = pto.alloc_multi_tile : !pto.multi_tile_buf<{TILE}, count=2>\n"
        body = ("%s = arith.remui %i, %c2 : index\n%t = pto.multi_tile_get %ts[%s] : "
                f"!pto.multi_tile_buf<{TILE}, count=2> -> {TILE}\n" + LOAD + ADD + STORE)
        one = f"%t = pto.alloc_tile : {TILE}\n"
        cycles = []
        for text in (kernel(body, before), kernel(LOAD + ADD + STORE, one)):
            result = self.right(module(text), "--sync", "insert")
            cycles.append(int(re.search(r"time\s+(\d+) cycles", result.stdout)[1]))
            self.right(module(text), "--sync", "auto")
        self.assertLess(*cycles)  # two slots overlap what one cannot
        dry = subprocess.run([PTOSIM, "run", "--dry-run", "k.pto"], cwd=self.folder,
                             capture_output=True, text=True, timeout=120)
        self.assertIn("UB 4096 of", dry.stdout)

    def test_modules_in_modules(self):
        body = f"%t = pto.alloc_tile : {TILE}\n" + LOAD + ADD + STORE
        helper = kernel(body, name="inner").replace("func.func @", "func.func private @")
        outer = ("func.func @outer(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>) attributes {pto.entry} {\n"
                 "func.call @inner(%a, %b) : (!pto.ptr<f32>, !pto.ptr<f32>) -> ()\nreturn\n}\n")
        text = ('module attributes {pto.target_arch = "a3"} {\nmodule attributes {pto.backend = '
                f'"emitc"}} {{\n{outer}{helper}}}\n}}\n')
        self.right(text)

    def test_scales_of_factors_lie_box_by_box(self):
        """A view of scales without a layout, or with theirs, has the order of its tile's boxes:
        ZZ of 16 rows and two scales for the left factor, NN for the right one. Along k, 128 or 110 of
        the 128 that the tiles have."""
        for said, k in ((False, 128), (True, 128), (False, 110)):
            with self.subTest(said=said, k=k):
                self.scaled_product(said, k)

    def scaled_product(self, said, k):
        tile = lambda space, shape, words: f"!pto.tile_buf<{space}, {shape}{words}>"
        nz, zn = ", blayout=col_major, slayout=row_major", ", slayout=col_major"
        zz32 = ", blayout=row_major, slayout=row_major, fractal=32"
        nn32 = ", blayout=col_major, slayout=col_major, fractal=32"
        operands = (  # pointer, view, tile in L1, tile in L0
            ("a", "32x128xf8E4M3FN", tile("mat", "32x128xf8E4M3FN", f", valid=32x{k}" + nz),
             tile("left", "32x128xf8E4M3FN", f", valid=32x{k}" + nz)),
            ("b", "128x32xf8E4M3FN", tile("mat", "128x32xf8E4M3FN", f", valid={k}x32" + nz),
             tile("right", "128x32xf8E4M3FN", f", valid={k}x32" + zn)),
            ("sa", "32x4x!pto.f8E8M0", tile("mat", "32x4x!pto.f8E8M0", zz32),
             tile("scaling", "32x4x!pto.f8E8M0", zz32)),
            ("sb", "4x32x!pto.f8E8M0", tile("mat", "4x32x!pto.f8E8M0", nn32),
             tile("scaling", "4x32x!pto.f8E8M0", nn32)))
        acc = tile("acc", "32x32xf32", nz + ", fractal=1024")
        layouts = {"sa": "{layout = #pto.layout<mx_a_zz>} ", "sb": "{layout = #pto.layout<mx_b_nn>} "}
        rng = np.random.default_rng(31)
        sa, sb = rng.integers(124, 131, (32, 4)), rng.integers(124, 131, (4, 32))
        # Both factors are 1, so that a block of 32 along k gives 32 times its two scales, and the last
        # as many as there are; sums are exact.
        count = np.array([32, 32, 32, k - 96])
        expected = (count * np.exp2(sa - 127.0) @ np.exp2(sb - 127.0)).astype(np.float32)
        boxes = lambda scales: scales.reshape(-1, 16, 2, 2).transpose(0, 2, 1, 3)
        for name, values in (("a", np.full((32, 128), 0x38)), ("b", np.full((128, 32), 0x38)),
                             ("sa", boxes(sa)), ("sb", boxes(sb.T))):
            np.save(os.path.join(self.folder, f"{name}.npy"), values.astype(np.uint8))
        body = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 1, 4, 32, 128))
        for name, shape, in_l1, in_l0 in operands:
            rows, cols, _ = shape.split("x", 2)
            view = f"!pto.tensor_view<{shape}>"
            part = view.replace("tensor_view", "partition_tensor_view")
            layout = layouts.get(name, "") if said else ""
            body += (f"%{name}v = pto.make_tensor_view %{name}, shape = [%c{rows}, %c{cols}], "
                     f"strides = [%c{cols}, %c1] {layout}: {view}\n"
                     f"%{name}p = pto.partition_view %{name}v, offsets = [%c0, %c0], sizes = "
                     f"[%c{rows}, %c{cols}] : {view} -> {part}\n"
                     f"%{name}1 = pto.alloc_tile : {in_l1}\n%{name}0 = pto.alloc_tile : {in_l0}\n"
                     f"pto.tload ins(%{name}p : {part}) outs(%{name}1 : {in_l1})\n"
                     f"pto.tmov ins(%{name}1 : {in_l1}) outs(%{name}0 : {in_l0})\n")
        for name, of, index in (("sa", "a", 2), ("sb", "b", 3)):
            body += (f"pto.tget_scale_addr ins(%{of}0 : {operands[index - 2][3]}) "
                     f"outs(%{name}0 : {operands[index][3]})\n")
        types = [operands[i][3] for i in (0, 2, 1, 3)]
        view = "!pto.tensor_view<32x32xf32>"
        part = view.replace("tensor_view", "partition_tensor_view")
        body += (f"%d = pto.alloc_tile : {acc}\n"
                 f"pto.tmatmul.mx ins(%a0, %sa0, %b0, %sb0 : {', '.join(types)}) outs(%d : {acc})\n"
                 "%cv = pto.make_tensor_view %c, shape = [%c32, %c32], strides = [%c32, %c1] : "
                 f"{view}\n%cp = pto.partition_view %cv, offsets = [%c0, %c0], sizes = "
                 f"[%c32, %c32] : {view} -> {part}\n"
                 f"pto.tstore ins(%d : {acc}) outs(%cp : {part})\n")
        text = ("module attributes {pto.target_arch = \"a5\"} {\nfunc.func @k("
                "%a: !pto.ptr<f8E4M3FN>, %b: !pto.ptr<f8E4M3FN>, %sa: !pto.ptr<!pto.f8E8M0>, "
                f"%sb: !pto.ptr<!pto.f8E8M0>, %c: !pto.ptr<f32>) {{\n{body}return\n}}\n}}\n")
        with open(os.path.join(self.folder, "k.pto"), "w") as file:
            file.write(text)
        words = [word for name, *_ in operands for word in ("--arg", f"in={name}.npy")]
        result = subprocess.run(
            [PTOSIM, "check", "k.pto", "--chip", "ascend950pr", "--blocks", "1", "--sync",
             "insert", *words, "--arg",
             "out=32x32xf32:c.npy"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(np.load(os.path.join(self.folder, "c.npy")), expected)

    def test_the_generic_form_has_its_own_order(self):
        body = (f"%s = pto.alloc_tile : {TILE}\n%t = pto.alloc_tile : {TILE}\n" +
                LOAD.replace("%t", "%s") + f'"pto.tmov"(%s, %t) : ({TILE}, {TILE}) -> ()\n' + ADD +
                STORE)
        self.right(module(kernel(body)))


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
