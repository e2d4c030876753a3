#!/usr/bin/python3
"""Scratch tiles that a file leaves out, seen from the command line.

    scratch_test.py --ptosim BIN

A file without a scratch tile is planned, verified, and runs as the same file with the one that its
author would have written. Sizes are those that the assembler documents (hw-native-sys/PTOAS v0.60,
lib/PTO/Transforms/PTOMaterializeImplicitTmp.cpp), worked out by hand below.
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
CHIPS = {"a2a3": "ascend910b1", "a5": "ascend950pr"}


def tile(shape, words=""):
    return f"!pto.tile_buf<vec, {shape}{words}>"


F, G = tile("16x64xf32"), tile("16x64xi32")
COLUMN, ROW = tile("16x1xf32", ", blayout=col_major"), tile("1x64xf32")
MASK = tile("16x64xui8")
MAKE_MASK = f"pto.tcmp ins(%x, %z {{cmpMode = #pto<cmp gt>}} : {F}, {F}) outs(%mask : {MASK})"
TAKE_COLUMN = (f"%some = pto.alloc_tile : {F}\n"
               f"pto.trowmax ins(%x, %some : {F}, {F}) outs(%column : {COLUMN})")
# name: (operands before the scratch, its type, operands after it, the result's type, text before the instruction, text
# in ins(...) after the operands)
CASES = {
    "trowsum": (["x"], F, [], COLUMN, "", ""),
    "trowmax": (["x"], F, [], COLUMN, "", ""),
    "trowmin": (["x"], F, [], COLUMN, "", ""),
    "trowprod": (["x"], F, [], COLUMN, "", ""),
    "trowargmax": (["x"], F, [], COLUMN.replace("f32", "i32"), "", ""),
    "trowargmin": (["x"], F, [], COLUMN.replace("f32", "i32"), "", ""),
    "tcolargmax": (["x"], F, [], ROW.replace("f32", "i32"), "", ""),
    "tcolargmin": (["x"], F, [], ROW.replace("f32", "i32"), "", ""),
    "tcolsum": (["x"], tile("8x64xf32"), [], ROW, "", " {isBinary = true}"),
    "txor": (["h", "h"], tile("16x64xi16"), [], tile("16x64xi16"), "", ""),
    "txors": (["h", "short"], tile("16x64xi16"), [], tile("16x64xi16"), "", ""),
    "tprelu": (["x", "z"], tile("17x32xui8", ", valid=16x8"), [], F, "", ""),
    "trem": (["x", "z"], tile("2x64xf32"), [], F, "", ""),
    "trems": (["x", "scalar"], tile("1x64xf32"), [], F, "", ""),
    "tsel": (["mask", "x", "z"], tile("1x16xi32"), [], F, MAKE_MASK, ""),
    "tsels": (["mask", "x"], tile("1x64xf32"), ["scalar"], F, MAKE_MASK, ""),
    "ttrans": (["x"], F, [], tile("64x16xf32"), "", ""),
    "tcvt": (["x"], tile("1x256xi8"), [], tile("16x64xi16"), "",
             " {rmode = #pto<round_mode RINT>, sat_mode = #pto<saturation_mode OFF>}"),
    "trowexpandadd": (["x", "column"], tile("1x2048xf32"), [], F, TAKE_COLUMN, ""),
    "trowexpandmul": (["x", "column"], tile("1x2048xf32"), [], F, TAKE_COLUMN, ""),
    "trowexpanddiv": (["x", "column"], tile("1x2048xf32"), [], F, TAKE_COLUMN, ""),
    "tci": (["start"], tile("1x192xf32"), [], tile("1x64xi32"), "", ""),
}
TYPES = {"x": F, "z": F, "h": tile("16x64xi16"), "short": "i16", "scalar": "f32", "mask": MASK,
         "column": COLUMN, "start": "i32"}
# Results that plain arithmetic of numpy on small integers gives.
EXPECTED = {
    "trowsum": lambda x, z: x.sum(1, keepdims=True),
    "trowmax": lambda x, z: x.max(1, keepdims=True),
    "trowargmax": lambda x, z: x.argmax(1).astype(np.int32)[:, None],
    "tcolsum": lambda x, z: x.sum(0, keepdims=True),
    "tcolargmin": lambda x, z: x.argmin(0).astype(np.int32)[None, :],
    "tsel": lambda x, z: np.where(x > z, x, z),
    "ttrans": lambda x, z: x.T,
    "tcvt": lambda x, z: x.astype(np.int16),
    "trowexpandadd": lambda x, z: x + x.max(1, keepdims=True),
    "tci": lambda x, z: np.arange(3, 67, dtype=np.int32)[None, :],
}
DTYPES = {"f32": np.float32, "i32": np.int32, "i16": np.int16}


def kernel(name, explicit):
    before, scratch, behind, result, first, words = CASES[name]
    operands = before + (["tmp"] if explicit else []) + behind
    types = dict(TYPES, tmp=scratch)
    rows, cols, dtype = re.search(r"(\d+)x(\d+)x(\w+)", result).groups()
    instruction = (f"pto.{name} ins({', '.join('%' + o for o in operands)}{words} : "
                   f"{', '.join(types[o] for o in operands)}) outs(%o : {result})")
    view = f"!pto.tensor_view<{rows}x{cols}x{dtype}>"
    part = view.replace("tensor_view", "partition_tensor_view")
    column = cols == "1"
    body = f"""%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c16 = arith.constant 16 : index
%c64 = arith.constant 64 : index
%rows = arith.constant {rows} : index
%cols = arith.constant {cols} : index
%scalar = arith.constant 3.0 : f32
%short = arith.constant 5 : i16
%start = arith.constant 3 : i32
%xv = pto.make_tensor_view %xp, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<16x64xf32>
%xs = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>
%zv = pto.make_tensor_view %zp, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<16x64xf32>
%zs = pto.partition_view %zv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>
%x = pto.alloc_tile : {F}
%z = pto.alloc_tile : {F}
pto.tload ins(%xs : !pto.partition_tensor_view<16x64xf32>) outs(%x : {F})
pto.tload ins(%zs : !pto.partition_tensor_view<16x64xf32>) outs(%z : {F})
"""
    if "h" in operands:
        body += (f"%h = pto.alloc_tile : {types['h']}\npto.tcvt ins(%x {{rmode = #pto<round_mode RINT>}} "
                 f": {F}) outs(%h : {types['h']})\n")
    if "mask" in operands:
        body += f"%mask = pto.alloc_tile : {MASK}\n"
    if "column" in operands:
        body += f"%column = pto.alloc_tile : {COLUMN}\n"
    body += first + "\n"
    layout = " {layout = #pto.layout<dn>}" if column else ""
    strides = "[%c1, %rows]" if column else "[%cols, %c1]"
    tmp = f"%tmp = pto.alloc_tile : {scratch}\n" if explicit else ""
    body += f"""%o = pto.alloc_tile : {result}
{tmp}{instruction}
%ov = pto.make_tensor_view %op, shape = [%rows, %cols], strides = {strides}{layout} : {view}
%os = pto.partition_view %ov, offsets = [%c0, %c0], sizes = [%rows, %cols] : {view} -> {part}
pto.tstore ins(%o : {result}) outs(%os : {part})
"""
    return (f"module {{\nfunc.func @k(%xp: !pto.ptr<f32>, %zp: !pto.ptr<f32>, %op: !pto.ptr<{dtype}>) "
            f"{{\n{body}return\n}}\n}}\n"), (int(rows), int(cols), dtype)


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        random = np.random.default_rng(17)
        # No two of a row or column are equal, so that the first of equals is not asked for.
        self.x = random.permutation(np.arange(-512, 512)).reshape(16, 64).astype(np.float32)
        self.z = random.permutation(np.arange(-511, 513)).reshape(16, 64).astype(np.float32)
        np.save(os.path.join(self.folder, "x.npy"), self.x)
        np.save(os.path.join(self.folder, "z.npy"), self.z)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def ptosim(self, *words):
        return subprocess.run([PTOSIM, *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=120)

    def run_kernel(self, file, chip, shape, *words):
        rows, cols, dtype = shape
        result = self.ptosim("run", file, "--chip", chip, "--blocks", "1", "--arg", "in=x.npy",
                             "--arg", "in=z.npy", "--arg", f"out={rows}x{cols}x{dtype}:o.npy", *words)
        self.assertEqual(result.returncode, 0, f"{file}: {result.stderr}")
        cycles = int(re.search(r"time\s+(\d+) cycles", result.stdout)[1])
        return np.load(os.path.join(self.folder, "o.npy")), cycles

    def test_operands_with_a_type_each(self):
        """ins(%a : T, %b : T), as the bindings of PyPI's wheel `ptoas` print it."""
        text, shape = kernel("tsel", False)
        listed = f"ins(%mask, %x, %z : {MASK}, {F}, {F})"
        self.assertIn(listed, text)
        self.write("typed.pto", text.replace(listed, f"ins(%mask : {MASK}, %x : {F}, %z : {F})"))
        out, cycles = self.run_kernel("typed.pto", CHIPS["a2a3"], shape, "--sync", "insert",
                                      "--emit", "emitted.pto")
        np.testing.assert_array_equal(out, EXPECTED["tsel"](self.x, self.z))
        again, cycles_emitted = self.run_kernel("emitted.pto", CHIPS["a2a3"], shape)
        np.testing.assert_array_equal(out, again)
        self.assertEqual(cycles, cycles_emitted)

    def test_without_is_as_with(self):
        for name in CASES:
            for arch, chip in CHIPS.items():
                with self.subTest(instruction=name, arch=arch):
                    text, shape = kernel(name, False)
                    self.write("without.pto", text)
                    self.write("with.pto", kernel(name, True)[0])
                    dry = self.ptosim("run", "--dry-run", "without.pto", "--chip", chip)
                    self.assertEqual(dry.returncode, 0, dry.stderr)
                    without, cycles = self.run_kernel("without.pto", chip, shape, "--sync", "insert",
                                                      "--emit", "emitted.pto")
                    given, cycles_given = self.run_kernel("with.pto", chip, shape, "--sync", "insert")
                    emitted, cycles_emitted = self.run_kernel("emitted.pto", chip, shape)
                    np.testing.assert_array_equal(without, given)
                    np.testing.assert_array_equal(without, emitted)
                    self.assertEqual(cycles, cycles_given)
                    self.assertEqual(cycles, cycles_emitted)
                    with open(os.path.join(self.folder, "emitted.pto")) as file:
                        self.assertEqual("_tmp" in file.read(), arch == "a2a3")
                    if name in EXPECTED:
                        np.testing.assert_array_equal(without, EXPECTED[name](self.x, self.z))

    def test_it_takes_room(self):
        def needs(chip):
            dry = self.ptosim("run", "--dry-run", "k.pto", "--chip", chip)
            return dry, re.search(r"UB (\d+) of", dry.stdout)

        self.write("k.pto", kernel("trowsum", False)[0])
        # x, z, o (a column of 16 words in 64 bytes) and, on a2a3, scratch like x.
        self.assertEqual(int(needs(CHIPS["a5"])[1][1]), 2 * 4096 + 64)
        self.assertEqual(int(needs(CHIPS["a2a3"])[1][1]), 3 * 4096 + 64)
        large = kernel("trowsum", False)[0].replace("16x64", "16x1536").replace(
            "%c64 = arith.constant 64", "%c64 = arith.constant 1536")
        self.write("k.pto", large)
        dry, _ = needs(CHIPS["a2a3"])  # 3 x 96 KiB in 192
        self.assertEqual(dry.returncode, 2)
        self.assertIn("[K10]", dry.stderr)
        self.assertEqual(needs(CHIPS["a5"])[0].returncode, 0)

    def test_a_file_with_places_gets_none(self):
        text = kernel("trowsum", False)[0]
        places = iter(range(0, 1 << 16, 8192))
        text = re.sub(r"( *)(%\w+) = pto.alloc_tile", lambda m: (
            f"{m[2]}_at = arith.constant {next(places)} : i64\n{m[2]} = pto.alloc_tile addr = "
            f"{m[2]}_at"), text)
        self.write("k.pto", text)
        dry = self.ptosim("run", "--dry-run", "k.pto", "--chip", CHIPS["a2a3"])
        self.assertEqual(dry.returncode, 0, dry.stderr)
        self.assertIn(f"UB {2 * 8192 + 64} of", dry.stdout)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
