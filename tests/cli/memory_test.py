#!/usr/bin/python3
"""Ends of arrays: at the pages that device memory has for them, or at their last byte (--memory).

memory_test.py --ptosim BIN
"""
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import command_line

PTOSIM = "ptosim"
ROWS = 8  # of the array; a tile has 16, of 64 elements
GAP = (2048 + 65536) // 256  # rows from the begin of an array of 8 rows to the begin of the next one

HEAD = """module {
  func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %at: i64, %sixteen: i64) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %row = arith.index_cast %at : i64 to index
    %rows = arith.index_cast %sixteen : i64 to index
    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
    %xv = pto.make_tensor_view %x, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %xp = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x64xf32>
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x64xf32>
"""
LOAD = "    pto.tload ins(%xp : !pto.partition_tensor_view<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)\n"
STORE = "    pto.tstore ins(%t : !pto.tile_buf<vec, 16x64xf32>) outs(%yp : !pto.partition_tensor_view<16x64xf32>)\n"
TAIL = "    return\n  }\n}\n"


class Memory(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.x = np.arange(1, ROWS * 64 + 1, dtype=np.float32).reshape(ROWS, 64)
        np.save(os.path.join(self.folder.name, "x.npy"), self.x)

    def ptosim(self, body, *words, row=0, y="out=16x64xf32:y.npy", command="run"):
        with open(os.path.join(self.folder.name, "k.pto"), "w") as file:
            file.write(HEAD + body + TAIL)
        return subprocess.run([PTOSIM, command, "k.pto", "--arg", "in=x.npy", "--arg", y, "--arg", f"i64={row}", "--arg",
                               "i64=16", "--json", "r.json", *words],
                              cwd=self.folder.name, capture_output=True, text=True, timeout=60)

    def result(self):
        with open(os.path.join(self.folder.name, "r.json")) as file:
            return json.load(file)

    def output(self):
        return np.load(os.path.join(self.folder.name, "y.npy"))

    def test_a_load_beyond_an_array_goes_on_and_is_told(self):
        for words in ((), ("--memory", "device")):
            run = self.ptosim(LOAD + STORE, *words)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("warning: view f32 [1,1,1,16,64]", run.stderr)
            self.assertIn("argument 0 has 2048 [G01]", run.stderr)
            self.assertIn("the run continues: the bytes are in the pages of 2097152 bytes", run.stderr)
            self.assertIn("--memory exact", run.stderr)
            # The bytes between arrays are zero.
            np.testing.assert_array_equal(self.output()[:ROWS], self.x)
            np.testing.assert_array_equal(self.output()[ROWS:], 0)
            self.assertEqual(self.result()["diagnostics"], [])
            self.assertEqual([d["code"] for d in self.result()["warnings"]], ["G01"])

    def test_a_finding_for_check(self):
        check = self.ptosim(LOAD + STORE, "--sync", "auto", command="check", y="out=8x64xf32:y.npy")
        self.assertEqual(check.returncode, 1, check.stdout + check.stderr)
        found = self.result()["diagnostics"]
        self.assertEqual([(d["code"], d["category"], d["instruction"]) for d in found],
                         [("G01", "undefined", "TLOAD"), ("G01", "undefined", "TSTORE")])
        np.testing.assert_array_equal(self.output(), self.x)

    def test_once_a_site(self):
        loop = "    scf.for %i = %c0 to %c5 step %c1 {\n" + LOAD + "    }\n" + STORE
        run = self.ptosim(loop)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr.count("[G01]"), 1)
        self.assertEqual(self.result()["warnings"][0]["count"], 5)

    def test_exact_memory_stops(self):
        for command in ("run", "check"):
            run = self.ptosim(LOAD + STORE, "--memory", "exact", command=command)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("error: view f32", run.stderr)

    def test_neighbours(self):
        """The next array's bytes are there, and bytes stored beyond an array are read beyond it."""
        y = np.arange(16 * 64, dtype=np.float32).reshape(16, 64) - 5000
        np.save(os.path.join(self.folder.name, "y0.npy"), y)
        to_x = STORE.replace("%yp", "%xp") + LOAD + STORE
        for body, expected in ((LOAD + STORE, y), (to_x, np.zeros_like(y))):
            run = self.ptosim(body, row=GAP, y="inout=y0.npy:y.npy")
            self.assertEqual(run.returncode, 0, run.stderr)
            np.testing.assert_array_equal(self.output(), expected)

    def test_beyond_the_pages_every_run_stops(self):
        for words in ((), ("--memory", "exact")):
            for row in (1 << 14, -(1 << 14)):  # 4 MiB
                run = self.ptosim(LOAD + STORE, *words, row=row)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn("[G01]", run.stderr)

    def test_a_chip_with_larger_pages(self):
        run = self.ptosim(LOAD + STORE, "--set", "memory.page=16MiB", row=1 << 14)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("pages of 16777216 bytes", run.stderr)

    def test_scalar_accesses(self):
        body = "    %far = arith.addi %row, %row : index\n" \
               "    %s = pto.load_scalar %x[%far] : !pto.ptr<f32> -> f32\n" \
               "    pto.store_scalar %s, %y[%c0] : !pto.ptr<f32>, f32\n"
        run = self.ptosim(body, row=300)  # of 512 elements
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("warning: scalar load of 4 bytes at argument 0 + 2400 is outside every allocation", run.stderr)
        self.assertEqual(self.ptosim(body, "--memory", "exact", row=300).returncode, 2)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
