#!/usr/bin/python3
"""Clusters whose time is simulated apart from each other, on several threads, against runs in which all have one time.

    apart_test.py --ptosim BIN

A run that is recorded (--trace) keeps its clusters together.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels")
PTOSIM = "ptosim"
ONLY_RECORDED = {"trace", "time_basis"}
OF_THE_HOST = {"host"}


def gemm(m, n, k, blocks=24):
    return ["gemm_f16.pto", "--blocks", str(blocks), "--arg", f"zeros={m}x{k}xf16", "--arg", f"zeros={k}x{n}xf16",
            "--arg", f"out={m}x{n}xf32", "--arg", f"i32={m}", "--arg", f"i32={n}", "--arg", f"i32={k}"]


def attention(heads, queries, keys):
    return ["attention_f16.pto", "--blocks", "24", "--arg", f"zeros={heads * queries}x64xf16",
            "--arg", f"zeros={heads * keys}x64xf16", "--arg", f"zeros={heads * keys}x64xf16",
            "--arg", "zeros=24x2x128x128xf32", "--arg", "zeros=24x2x128x128xf16",
            "--arg", "zeros=24x2x128x64xf32", "--arg", f"out={heads * queries}x64xf32",
            "--arg", f"i32={heads}", "--arg", f"i32={queries}", "--arg", f"i32={keys}"]


def linear(rows):
    return ["linear_relu_mixed_f16.pto", "--blocks", "24", "--arg", f"zeros={rows}x256xf16", "--arg", "zeros=256x2048xf16",
            "--arg", "zeros=1x2048xf32", "--arg", "zeros=24x2x128x128xf32", "--arg", f"out={rows}x2048xf16",
            "--arg", f"i32={rows}", "--arg", "i32=2048"]


def sums(rows, blocks):
    return ["vadd_f32.pto", "--blocks", str(blocks), "--arg", f"zeros={rows}x256xf32", "--arg", f"zeros={rows}x256xf32",
            "--arg", f"out={rows}x256xf32", "--arg", f"i32={rows}"]


PROGRAMS = {
    "products of matrices": gemm(1536, 1536, 1024),
    "one cluster": gemm(256, 256, 512, blocks=1),
    "more blocks than cores": gemm(2048, 1024, 256, blocks=61),
    "cores that begin one after another": [*gemm(1024, 1024, 512), "--set", "launch.block_interval=37cycles"],
    "small L2": [*gemm(1536, 1536, 512), "--set", "memory.l2.bytes=1MiB"],
    "attention, signals within clusters": attention(6, 512, 512),
    "products and vectors": linear(1536),
    "vectors bound by memory": sums(6144, 48),
    "vectors on half of the cores": sums(3000, 24),
    "no flags, a scoreboard": [*sums(1024, 8), "--sync", "auto"],
}


def difference(one, other):
    return {key: (one.get(key), other.get(key)) for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


class Apart(unittest.TestCase):
    def run_kernel(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            done = subprocess.run([PTOSIM, "run", *arguments, "--mode", "timing", "--no-advice", "--json", path],
                                  cwd=KERNELS, capture_output=True, text=True)
            result = {}
            if os.path.exists(path):
                with open(path) as file:
                    result = {key: value for key, value in json.load(file).items() if key not in OF_THE_HOST}
        return done, result

    def together(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            return self.run_kernel(*arguments, "--trace", folder, "--trace-formats", "none")

    def test_every_thread_count_gives_the_times_of_a_run_together(self):
        for name, arguments in PROGRAMS.items():
            with self.subTest(name):
                done, together = self.together(*arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                first = None
                for threads in ("1", "2", "3", "7"):
                    done, apart = self.run_kernel(*arguments, "--threads", threads)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    first = first or (apart, done.stdout)
                    self.assertTrue((apart, done.stdout) == first, difference(apart, first[0]))
                self.assertGreater(together["cycles"], 0)
                differing = difference(together, first[0])
                self.assertLessEqual(differing.keys(), ONLY_RECORDED, differing)

    def test_errors_are_the_same(self):
        cases = {
            "an access beyond an array": [*gemm(1536, 1536, 512)[:4], "zeros=700x512xf16", *gemm(1536, 1536, 512)[5:], "--memory", "exact"],
            "too many instructions": [*gemm(1536, 1536, 512), "--max-instructions", "9000"],
            "too many cycles": [*gemm(1536, 1536, 512), "--max-cycles", "9000"],
        }
        for name, arguments in cases.items():
            with self.subTest(name):
                done, _ = self.together(*arguments)
                self.assertIn(done.returncode, (1, 2), done.stderr)
                told = done.stderr.splitlines()[0]
                first = None
                for threads in ("1", "2", "3"):
                    apart, _ = self.run_kernel(*arguments, "--threads", threads)
                    self.assertEqual(apart.returncode, done.returncode, apart.stdout)
                    self.assertIn("[" + told.rpartition("[")[2], apart.stderr)
                    first = first or (apart.stderr, apart.stdout)
                    self.assertEqual((apart.stderr, apart.stdout), first)

    def test_a_deadlock_is_found(self):
        with open(os.path.join(KERNELS, "attention_f16.pto")) as file:
            lines = file.read().splitlines()
        sets = [i for i, line in enumerate(lines) if "sync.set" in line]
        self.assertTrue(sets)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "attention_f16.pto")
            with open(path, "w") as file:
                file.write("\n".join(lines[:sets[0]] + lines[sets[0] + 1:]) + "\n")
            arguments = [path, *attention(6, 512, 512)[1:]]
            done, _ = self.together(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn("deadlock", done.stderr)
            for threads in ("1", "2"):
                apart, _ = self.run_kernel(*arguments, "--threads", threads)
                self.assertEqual((apart.returncode, apart.stderr), (done.returncode, done.stderr))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", default=PTOSIM)
    known, rest = parser.parse_known_args()
    PTOSIM = os.path.abspath(known.ptosim)
    unittest.main(argv=[sys.argv[0], *rest])
