#!/usr/bin/python3
"""Kernels that were reported to stop for ever, or to compute wrongly, on other simulators and to work on boards.

    reported_test.py --ptosim BIN

hw-native-sys/pto-isa 183 and 288: a persistent kernel that pushes and pops tiles both ways; 280: where
TMATMUL_ACC begins; 259: a list of causes, of which two are here. Expected values: whole numbers, by numpy.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE / "reported"
OPTIONS = None


class Reported(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_kernel(self, name, arguments, blocks=1, define="", check=False):
        source = self.folder / f"{name}{len(define)}.cpp"
        source.write_text(f"{define}\n#include \"{KERNELS}/{name}.cpp\"\n")
        command = [OPTIONS.ptosim, "check" if check else "run", source, "--entry", name, "--core", "mix", "--blocks",
                   str(blocks)]
        for i, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                np.save(self.folder / f"{i}.npy", argument)
                argument = f"in={self.folder}/{i}.npy"
            command += ["--arg", argument]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    def output(self):
        return np.load(self.folder / "out.npy")

    def both_ways(self, rows, cols, tasks, blocks, define="", check=False):
        rng = np.random.default_rng(183)
        a = rng.integers(-2, 3, (tasks * rows, cols)).astype(np.float16)
        b, w = (rng.integers(-1, 2, (cols, cols)).astype(np.float16) for _ in range(2))
        result = self.run_kernel(
            "both_ways", [a, b, w, f"out={tasks * rows}x{cols}xf32:{self.folder}/out.npy",
                          f"zeros={blocks * 8 * rows}x{cols}xf32", f"i32={tasks}"], blocks, define, check)
        kept = np.maximum(a.astype(np.float32) @ b.astype(np.float32), 0)
        return result, kept @ w.astype(np.float32)

    def test_tiles_go_both_ways(self):
        """Nine tasks of each block and a ring of four slots, gone round several times; blocks of which one has less."""
        for tasks, blocks in ((18, 2), (5, 3), (1, 1)):
            result, expected = self.both_ways(32, 64, tasks, blocks)
            self.assertEqual(result.returncode, 0, result.stderr)
            np.testing.assert_array_equal(self.output(), expected)

    def test_tiles_that_are_not_split_go_both_ways(self):
        result, expected = self.both_ways(64, 128, 12, 2, define="#define NO_SPLIT")
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(self.output(), expected)

    def test_checkers_find_nothing_there(self):
        result, _ = self.both_ways(32, 64, 18, 2, check=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_tile_that_is_not_pushed(self):
        """The kernel, the line and the wait are named, of every core that cannot go on."""
        result, _ = self.both_ways(32, 64, 6, 1, define="#define LAST_IS_NOT_PUSHED")
        self.assertNotEqual(result.returncode, 0)
        said = result.stdout + result.stderr
        self.assertIn("[E05]", said)
        self.assertRegex(said, r"both_ways\.cpp:\d+")
        self.assertIn("TPOP<Pipe, L1<kRows, kCols>, kSplit>(pipe, popped)", said)
        self.assertRegex(said, r"AIC00/\w+ waits for .*cross-core flag #2")
        self.assertRegex(said, r"AIV0[01]/\w+ waits for ")

    def test_sums_begin_with_the_accumulator(self):
        left, right = np.zeros((2, 5, 16, 16), np.float16)
        left[0, :, 0] = right[0, 0] = 4096  # 2^24 at every place
        left[1:, :, :4] = right[1:, :4] = 1  # four ones more, four times
        result = self.run_kernel("sums", [left.reshape(80, 16), right.reshape(80, 16),
                                          f"out=16x16xf32:{self.folder}/out.npy", "i32=5"])
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(self.output(), np.full((16, 16), 2**24, np.float32))

    def test_views_of_rows_and_shapes_of_both_kinds(self):
        x = np.random.default_rng(279).integers(-9, 10, (32, 64)).astype(np.float16)
        result = self.run_kernel("views", [x, (2 * np.eye(64)).astype(np.float16), "zeros=32x64xf32",
                                           f"out=32x64xf32:{self.folder}/out.npy"])
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(self.output(), 3 * x.astype(np.float32))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
