#!/usr/bin/python3
"""Long runs must not allocate per instruction, or hold tensors that nobody reads.

steady_test.py --ptosim BIN --cc COMPILER
"""
import os
import subprocess
import tempfile
import unittest

import command_line

HERE = os.path.dirname(os.path.abspath(__file__))
SMALL = os.path.join(HERE, "..", "bench", "many_small_f32.pto")
GEMM = os.path.join(HERE, "..", "kernels", "gemm_f16.pto")
PTOSIM, CC = "ptosim", "cc"


class Steady(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_ptosim(self, words, environment=None):
        """The kilobytes that it held at most."""
        process = subprocess.Popen([PTOSIM, "run", *words], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        self.assertEqual(status, 0, words)
        return usage.ru_maxrss

    def allocations(self, rounds, *extra):
        environment = {**os.environ, "LD_PRELOAD": self.path("allocations.so"),
                       "PTOSIM_ALLOCATIONS": self.path("count")}
        self.run_ptosim([SMALL, "--blocks", "4", "--arg", "rand=16x16xf32", "--arg",
                         "out=16x16xf32", "--arg", f"i32={rounds}", "--threads", "1", *extra],
                        environment)
        with open(self.path("count")) as file:
            return int(file.read())

    def test_no_instruction_allocates(self):
        subprocess.run([CC, "-x", "c", "-shared", "-fPIC", "-o", self.path("allocations.so"),
                        os.path.join(HERE, "allocations.c")], check=True)
        for extra in (("--mode", "timing"), ("--mode", "full"), ("--mode", "functional"),
                      ("--mode", "timing", "--sync", "auto")):
            with self.subTest(extra):
                few = self.allocations(10000, *extra)
                self.assertGreater(few, 1000)  # it does count
                # 320000 instructions more; the texts of the summary may have other lengths.
                self.assertLess(abs(self.allocations(50000, *extra) - few), 32)

    def test_time_alone_needs_no_memory_for_tensors(self):
        depth = 255 * 256

        def held(rows):
            return self.run_ptosim(
                [GEMM, "--blocks", "8", "--mode", "timing", "--arg", f"zeros={rows}x{depth}xf16",
                 "--arg", f"zeros={depth}x128xf16", "--arg", f"out={rows}x128xf32", "--arg",
                 f"i32={rows}", "--arg", "i32=128", "--arg", f"i32={depth}"])
        # Half a gibibyte of tensors more.
        small, large = held(128), held(128 * 32)
        self.assertLess(large - small, 16 * 1024)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    CC = command_line.take("--cc")
    unittest.main()
