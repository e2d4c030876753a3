#!/usr/bin/python3
"""The toolkit's stand-in for MLIR's Python bindings: its output can be read and run.

    mlir_test.py --ptosim BIN

The programs come from mlir_programs.py; numpy computes their expected results. `ptosim isa` gives the
operands and attributes of an instruction.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = os.path.join(HERE, "..", "..", "sim", "faces", "toolkit", "python")
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(HERE, "..", "cli"), PACKAGES]
import command_line  # noqa: E402
import mlir_programs  # noqa: E402
from mlir import ir  # noqa: E402
from mlir.dialects import _definitions, arith, pto  # noqa: E402

PTOSIM = "ptosim"


class Printed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def runs(self, program, arrays, result, *words, scalars=(), locations=False, code=0):
        """Runs the text that a program prints; returns its last array and its messages."""
        with open(self.path("k.pto"), "w", encoding="utf-8") as file:
            file.write(mlir_programs.text_of(program, locations))
        arguments = []
        for number, array in enumerate(arrays):
            np.save(self.path(f"{number}.npy"), array)
            arguments += ["--arg", f"in={self.path(f'{number}.npy')}"]
        arguments += ["--arg", f"out={result}:{self.path('out.npy')}"]
        for scalar in scalars:
            arguments += ["--arg", scalar]
        done = subprocess.run([PTOSIM, "run", self.path("k.pto"), "--blocks", "1", *arguments, *words],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return (np.load(self.path("out.npy")) if code == 0 else None), done.stdout + done.stderr

    def test_loops_branches_and_views_of_one_dimension(self):
        x = np.arange(5 * 64, dtype=np.float32).reshape(5, 64)
        y, _ = self.runs(mlir_programs.scaled_sum, [x], "5x64xf32", "--sync", "insert",
                         scalars=["i32=5"])
        np.testing.assert_array_equal(y, np.concatenate([-x[:3], 3 * x[3:]]))

    def test_cube_and_flags_of_the_program(self):
        random = np.random.default_rng(1)
        a, b = (random.integers(-3, 4, (32, 32)).astype(np.float16) for _ in range(2))
        c, _ = self.runs(mlir_programs.product, [a, b], "32x32xf32", "--check", "all")
        np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))

    def test_functions_and_a_fifo(self):
        random = np.random.default_rng(2)
        a, b = (random.integers(-3, 4, (32, 32)).astype(np.float32) for _ in range(2))
        ring = np.zeros(8 * 1024, np.float32)
        c, _ = self.runs(mlir_programs.doubled_product, [ring, a, b], "32x32xf32", "--sync", "insert")
        np.testing.assert_array_equal(c, 2 * (a @ b))

    def test_windows_carried_values_and_prints(self):
        x = np.linspace(-7, 7, 32 * 64, dtype=np.float32).reshape(32, 64)
        y, said = self.runs(mlir_programs.rounded, [x], "16x64xf16")
        nearest = x[16:].astype(np.float16)
        below = np.nextafter(nearest, np.float16(-np.inf))
        np.testing.assert_array_equal(y, np.where(nearest > x[16:], below, nearest))
        self.assertIn("rows from 16", said)

    def test_a_finding_has_the_line_of_the_python_program(self):
        def without_flag():
            with ir.Location.file("program.py", 42, 7):
                text = mlir_programs.product()
            for op in list(text.body.operations[0].regions[0].blocks[0]):
                if op.name in ("pto.record_event", "pto.wait_event"):
                    op.erase()
            return text
        zeros = np.zeros((32, 32), np.float16)
        _, said = self.runs(without_flag, [zeros, zeros], "32x32xf32", "--check", "all",
                            locations=True, code=1)
        self.assertIn("program.py:42:7", said)

    def test_the_text_is_the_same_every_time(self):
        for program in (mlir_programs.scaled_sum, mlir_programs.doubled_product):
            self.assertEqual(mlir_programs.text_of(program), mlir_programs.text_of(program))


class Instructions(unittest.TestCase):
    def test_operands_and_attributes_are_those_that_the_reader_knows(self):
        listed = json.loads(subprocess.run([PTOSIM, "isa", "--json", "-"], check=True, text=True,
                                           capture_output=True).stdout)
        tried = 0
        for entry in listed:
            definition = _definitions._definitions.get("pto." + entry.get("assembly", ""))
            if definition is None or " ins(" not in entry["example"]:
                continue
            tried += 1
            known = {attribute["key"] for attribute in entry["attributes"]}
            mine = {a.name for a in definition.arguments if a.is_attribute}
            for clause, written in (("ins", False), ("outs", True)):
                found = re.search(clause + r"\(([^:{]*)", entry["example"])
                values = found.group(1).count("%") if found else 0
                least = [a for a in definition.operands if a.written == written]
                most = 9 if any(a.variadic for a in least) else len(least)
                fewest = sum(not a.optional for a in least)
                self.assertTrue(fewest <= values <= most,
                                f"{entry['name']}: {clause} of {entry['example']}")
            if known and mine:
                self.assertTrue(mine & known, f"{entry['name']}: {mine} and {known}")
        self.assertGreater(tried, 100)

    def test_members_of_enumerations_are_words_of_the_reader(self):
        listed = json.loads(subprocess.run([PTOSIM, "isa", "--json", "-"], check=True, text=True,
                                           capture_output=True).stdout)
        values = {value for entry in listed for attribute in entry.get("attributes", [])
                  for value in attribute["values"].split()}
        for name in ("RoundMode", "SaturationMode", "CmpMode", "MaskPattern", "QuantType",
                     "AccToVecMode", "ReluPreMode"):
            for attribute in pto.ENUMERATIONS[name + "Attr"].members.values():
                self.assertIn(attribute.word, values, name)


class Bindings(unittest.TestCase):
    def test_what_is_missing_says_so(self):
        with self.assertRaisesRegex(AttributeError, "mlir.dialects.pto.*no 'TNoSuchOp'.*_mlir_libs"):
            pto.TNoSuchOp
        with self.assertRaisesRegex(AttributeError, "mlir.ir.*no 'PassManager'"):
            ir.PassManager
        self.assertFalse(hasattr(arith, "FancyOp"))

    def test_wrong_arguments_are_named(self):
        with ir.Context(), ir.Location.unknown():
            with self.assertRaisesRegex(TypeError, r"TAddOp\(src0, src1, dst\).*missing.*'dst'"):
                pto.TAddOp(1, 2)
            with self.assertRaisesRegex(TypeError, "expected a value.*int"):
                pto.TAddOp(1, 2, 3)
            with self.assertRaisesRegex(ValueError, "unknown SyncOpType: 'LOAD'; one of TLOAD"):
                pto.record_event("LOAD", "TVEC", 0)

    def test_regions_slots_and_dense_constants_as_text(self):
        kind = ir.Type.parse("!pto.tile_buf<vec, 1x64xf32>")
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            zeros = ir.Type.parse("vector<4xi16>")
            arith.constant(zeros, ir.Attribute.parse("dense<0> : vector<4xi16>"))
            tile = pto.alloc_tile(kind)
            region = pto.FusionRegionOp([kind])
            with ir.InsertionPoint(region.body):
                pto.TExpOp(tile, tile)
                pto.YieldOp([tile])
            pto.talloc_to_aiv(ir.Type.parse("!pto.tensor_view<64x128xf16>"), split=1)
            pto.SetIntraBlockOp(pto.PIPE.PIPE_FIX, event_id=16)
        lines = [line.strip() for line in str(module).splitlines()[1:-1]]
        self.assertEqual(lines, [
            "%cst = arith.constant dense<0> : vector<4xi16>", f"%0 = pto.alloc_tile : {kind}",
            "%1 = pto.fusion_region {", f"pto.texp ins(%0 : {kind}) outs(%0 : {kind})",
            f"pto.yield(%0) : ({kind}) -> ()", f"}} : {kind}",
            "%2 = pto.talloc_to_aiv {split = 1} -> !pto.tensor_view<64x128xf16>",
            "pto.set_intra_block <PIPE_FIX>, 16"])

    def test_types_as_text(self):
        with ir.Context():
            f16 = ir.F16Type.get()
            self.assertEqual(str(pto.PtrType.get(f16)), "!pto.ptr<f16>")
            self.assertEqual(str(pto.TensorViewType.get(2, f16)), "!pto.tensor_view<?x?xf16>")
            self.assertEqual(str(ir.MemRefType.get([256], ir.IntegerType.get_signless(64))),
                             "memref<256xi64>")
            self.assertEqual(
                str(mlir_programs.tile_type("ACC", [16, 32], ir.F32Type.get(), [-1, 32])),
                "!pto.tile_buf<acc, 16x32xf32, valid=?x32, blayout=col_major, slayout=row_major, "
                "fractal=1024>")
            self.assertIsNotNone(ir.Context.current)
        self.assertIsNone(ir.Context.current)

    def test_real_bindings_are_used_where_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "mlir", "_mlir_libs"))
            with open(os.path.join(folder, "mlir", "ir.py"), "w") as file:
                file.write("WHO = 'the real ones'\n")
            done = subprocess.run(
                [sys.executable, "-c", "import mlir.ir; print(mlir.ir.WHO)"], text=True,
                capture_output=True, env={**os.environ, "PYTHONPATH": f"{PACKAGES}:{folder}"})
        self.assertEqual(done.stdout, "the real ones\n", done.stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
