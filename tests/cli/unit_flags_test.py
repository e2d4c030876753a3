#!/usr/bin/python3
"""Unit flags: M and FIX hand products over without flags of the kernel's.

    unit_flags_test.py --ptosim BIN
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "calibration"))
import command_line  # noqa: E402
import figures as fig  # noqa: E402
import validation_kernels as kernels  # noqa: E402

PTOSIM = "ptosim"

# One product, moved out; PRODUCT and STORE are the attributes.
PAIR = """module attributes {pto.target_arch = "a3"} {
  func.func @pair(%x: !pto.ptr<f32>) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<cube>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %at = arith.constant 0 : i64
    %a = pto.alloc_tile addr = %at : !pto.tile_buf<left, 16x16xf16, slayout=row_major>
    %b = pto.alloc_tile addr = %at : !pto.tile_buf<right, 16x16xf16, slayout=col_major>
    %c = pto.alloc_tile addr = %at : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
    %v = pto.make_tensor_view %x, shape = [%c16, %c16], strides = [%c16, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x16xf32>
    pto.tmatmul ins(%a, %b : !pto.tile_buf<left, 16x16xf16, slayout=row_major>, !pto.tile_buf<right, 16x16xf16, slayout=col_major>) outs(%c : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>)PRODUCT
    pto.tstore ins(%c : !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>) outs(%p : !pto.partition_tensor_view<16x16xf32>)STORE
    return
  }
}
"""
FINAL_PRODUCT = " {accPhase = #pto<acc_phase final>}"
FINAL_STORE = " {stPhase = #pto<st_phase final>}"


def simulate(folder, text, arguments, blocks, words=()):
    with open(os.path.join(folder, "k.pto"), "w") as file:
        file.write(text)
    command = [PTOSIM, "run", "k.pto", "--sync", "explicit", "--blocks", str(blocks), *words]
    for argument in arguments:
        command += ["--arg", argument]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


class UnitFlags(unittest.TestCase):
    def test_attention_equals_numpy_with_unit_flags_and_without(self):
        rng = np.random.default_rng(5)
        q, k, v = (rng.standard_normal((rows, 128)).astype(np.float16) for rows in (128, 1280, 1280))
        scores = (q.astype(np.float64) @ k.astype(np.float64).T) / np.sqrt(128)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        expected = (weights / weights.sum(axis=1, keepdims=True)) @ v.astype(np.float64)
        found = []
        for unit_flags in (True, False):
            text, arguments, blocks = kernels.attention("a2a3", 128, 1280, unit_flags=unit_flags)
            with tempfile.TemporaryDirectory() as folder:
                for name, array in (("q", q), ("k", k), ("v", v)):
                    np.save(os.path.join(folder, name), array)
                arguments = ["in=q.npy", "in=k.npy", "in=v.npy", *arguments[3:6], "out=128x128xf32:o.npy"]
                process = simulate(folder, text, arguments, blocks)
                self.assertEqual(process.returncode, 0, process.stderr)
                found.append(np.load(os.path.join(folder, "o.npy")))
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_allclose(found[0], expected, atol=2e-3)

    def test_fix_follows_products_while_they_are_written(self):
        text, arguments, blocks = kernels.attention("a2a3", 128, 2048)
        lanes = fig.run(PTOSIM, fig.A2A3, text, arguments, blocks, trace=True)["lanes"]
        tasks = [t for t in lanes[0]["tasks"] if t["name"] in ("TMATMUL", "TMATMUL_ACC", "TSTORE")]
        products = [t for t in tasks if t["pipe"] == "M"]
        early = [s for s in tasks if s["pipe"] == "FIX"
                 and any(p["start"] < s["start"] < p["end"] < s["end"] for p in products)]
        self.assertGreater(len(early), 4)

    def test_they_are_never_slower_than_flags(self):
        for keys in (1024, 4096):
            took = []
            for unit_flags in (True, False):
                text, arguments, blocks = kernels.attention("a2a3", 256, keys, unit_flags=unit_flags)
                took.append(fig.run(PTOSIM, fig.A2A3, text, arguments, blocks)["cycles"])
            self.assertLess(took[0], took[1])

    def test_half_of_a_hand_over_is_a_deadlock(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = PAIR.replace("PRODUCT", FINAL_PRODUCT).replace("STORE", FINAL_STORE)
            process = simulate(folder, whole, ["zeros=16x16xf32"], 1)
            self.assertEqual(process.returncode, 0, process.stderr)
            half = PAIR.replace("PRODUCT", "").replace("STORE", FINAL_STORE)
            process = simulate(folder, half, ["zeros=16x16xf32"], 1)
            self.assertEqual(process.returncode, 1)
            self.assertIn("[E05]", process.stderr)
            self.assertIn("AIC00/FIX waits for unit flags that no product has set", process.stderr)
            again = whole.replace(FINAL_STORE, "").replace("    return\n", whole[whole.index("    pto.tmatmul"):whole.index("    pto.tstore")] + "    return\n")
            process = simulate(folder, again, ["zeros=16x16xf32"], 1)
            self.assertEqual(process.returncode, 1)
            self.assertIn("AIC00/M waits for unit flags that FIX has not cleared", process.stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
