#!/usr/bin/python3
"""Sampled time: runs with --sample against whole runs of the same kernels.

    sample_test.py --ptosim BIN
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


def gemm(m, n, k):
    return ["gemm_f16.pto", "--blocks", "24", "--arg", f"zeros={m}x{k}xf16", "--arg", f"zeros={k}x{n}xf16",
            "--arg", f"out={m}x{n}xf32", "--arg", f"i32={m}", "--arg", f"i32={k}", "--arg", f"i32={n}"]


def attention(blocks, heads, queries, keys):
    return ["attention_f16.pto", "--blocks", str(blocks), "--arg", f"zeros={heads * queries}x64xf16",
            "--arg", f"zeros={heads * keys}x64xf16", "--arg", f"zeros={heads * keys}x64xf16",
            "--arg", f"zeros={blocks}x2x128x128xf32", "--arg", f"zeros={blocks}x2x128x128xf16",
            "--arg", f"zeros={blocks}x2x128x64xf32", "--arg", f"out={heads * queries}x64xf32",
            "--arg", f"i32={heads}", "--arg", f"i32={queries}", "--arg", f"i32={keys}"]


def run(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = subprocess.run([PTOSIM, "run", *arguments, "--json", path], cwd=KERNELS, capture_output=True, text=True)
        if done.returncode != 0:
            return done, {}
        with open(path) as file:
            return done, json.load(file)


class Sample(unittest.TestCase):
    def compare(self, kernel, most_simulated):
        """The time is within 1 % of the whole run's, and at most this share of it is simulated."""
        _, whole = run(*kernel, "--mode", "timing")
        done, part = run(*kernel, "--mode", "timing", "--sample")
        self.assertEqual(done.returncode, 0, done.stderr)
        sampled = part["sampled"]
        self.assertEqual(sampled["simulated_cycles"] + sampled["skipped_cycles"], part["cycles"])
        self.assertEqual(part["instructions"], whole["instructions"])
        self.assertLess(abs(part["cycles"] / whole["cycles"] - 1), 0.01)
        self.assertLess(sampled["simulated_cycles"] / part["cycles"], most_simulated)
        return done, whole, part

    def test_products(self):
        done, _, part = self.compare(gemm(3072, 6144, 6144), 0.7)
        self.assertIn("equal periods were not simulated", done.stdout)
        self.assertEqual(run(*gemm(3072, 6144, 6144), "--mode", "timing", "--sample")[1]["cycles"], part["cycles"])

    def test_cores_that_exchange_signals(self):
        self.compare(attention(8, 4, 512, 16384), 0.5)

    def test_signals_are_balanced(self):
        """Hand-offs within a cluster: a stretch that has more sets than waits, or fewer, must not be skipped."""
        sys.path.insert(0, os.path.join(os.path.dirname(KERNELS), "..", "scripts", "calibration"))
        sys.dont_write_bytecode = True
        import figures
        text, arguments, blocks = figures.hand_off_kernel("a5", "ascend950pr", "handoff_c2v_direct_1024".split("_"))
        whole, part = (figures.run(PTOSIM, "ascend950pr", text, arguments, blocks, options=options)
                       for options in ((), ("--sample",)))
        self.assertEqual(part["instructions"], whole["instructions"])
        self.assertLess(abs(part["cycles"] / whole["cycles"] - 1), 0.01)

    def test_a_short_run_is_simulated_whole(self):
        arguments = ["vadd_f32.pto", "--blocks", "2", "--arg", "rand=64x256xf32", "--arg", "rand=64x256xf32",
                     "--arg", "out=64x256xf32", "--arg", "i32=64", "--mode", "timing"]
        done, part = run(*arguments, "--sample")
        self.assertEqual(part["sampled"]["stretches"], 0)
        self.assertEqual(part["cycles"], run(*arguments)[1]["cycles"])
        self.assertIn("no long part of the run repeats itself", " ".join(done.stdout.split()))

    def test_what_needs_every_period(self):
        for options, text in ((["--sample"], "--sample skips periods of a run, and --mode full computes all data"),
                              (["--sample", "--mode", "functional"], "--mode functional computes all data"),
                              (["--sample", "--mode", "timing", "--check", "all"], "of which --check needs every one"),
                              (["--sample", "--mode", "timing", "--trace", "unused"], "of which --trace needs every one")):
            done, _ = run(*gemm(128, 128, 256), *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, " ".join(done.stderr.split()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", default=PTOSIM)
    known, rest = parser.parse_known_args()
    PTOSIM = os.path.abspath(known.ptosim)
    unittest.main(argv=[sys.argv[0], *rest])
