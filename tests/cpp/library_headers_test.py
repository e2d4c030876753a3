#!/usr/bin/python3
"""Kernels with a tile library's own headers (`--pto-headers`): here a library of one header without a tile."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

OPTIONS = None
KERNEL = """#include <pto/pto-inst.hpp>
extern "C" __global__ __aicore__ void kernel(__gm__ float* x, __gm__ float* y) {
    __ubuf__ float* source = (__ubuf__ float*)0;
    __ubuf__ float* target = (__ubuf__ float*)0x2000;
    copy_gm_to_ubuf_align_b32(source, x, 0, 1, 1024, 0, 0, 0, 0);
    copy_gm_to_ubuf_align_b32(target, x, 0, 1, 1024, 0, 0, 0, 0);
    set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    for (int i = 0; i < COUNT; ++i) target[i] = source[i] * source[255 - i];
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    copy_ubuf_to_gm_align_b32(y, target, 0, 1, 1024, 0, 0, 0, 0);
}
"""
POINTERS = """#include <pto/pto-inst.hpp>
extern "C" __global__ __aicore__ void kernel(__gm__ float* x, __gm__ float* y) {
    float sum = 0;
    for (int round = 0; round < ROUNDS; ++round)
        for (int i = 0; i < 16; ++i) sum += x[i * STEP];
    ((__ubuf__ float*)0)[0] = sum;
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    copy_ubuf_to_gm_align_b32(y, (__ubuf__ float*)0, 0, 1, 1024, 0, 0, 0, 0);
}
"""
TWO_LOADS = """#include <pto/pto-inst.hpp>
#ifdef PTO_NPU_ARCH_A5
#define LOAD(FROM, CONTROL) \\
    copy_gm_to_ubuf_align_v2((__ubuf__ float*)0, FROM, 0, 1, 512, 0, 0, false, CONTROL, 512, 512)
#else  // SetL2CacheHint of Ascend C adds a distance, which the runtime states, to addresses.
#define LOAD(FROM, CONTROL) \\
    copy_gm_to_ubuf_align_b32((__ubuf__ float*)0, (__gm__ float*)((uint64_t)(FROM) | (uint64_t)CONTROL << 58), 0, 1, \\
                              512, 0, 0, 0, 0)
#endif
#define TWICE(WINDOW, FIRST, SECOND) \\
    LOAD(x + 128 * WINDOW, FIRST);   \\
    LOAD(x + 128 * WINDOW, SECOND)
extern "C" __global__ __aicore__ void kernel(__gm__ float* x, __gm__ float* y) {
    TWICE(0, 0, 0);
    TWICE(1, 4, 0);
    TWICE(2, 4, 4);
    TWICE(3, 0, 4);
}
"""
COMPILERS = ["clang++-22", "clang++-21", "clang++-20", "clang++-19"]


@unittest.skipUnless(any(map(shutil.which, COMPILERS)), "--pto-headers needs clang++ 19 or newer")
class LibraryHeaders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "library/pto").mkdir(parents=True)
        (self.path / "library/pto/pto-inst.hpp").write_text("#pragma once\n")
        self.x = np.random.default_rng(7).standard_normal(256).astype(np.float32)
        np.save(self.path / "x.npy", self.x)

    def cycles(self, count, options=(), settings=()):
        return self.cycles_of(KERNEL.replace("COUNT", str(count)), options, settings)

    def cycles_of(self, kernel, options=(), settings=(), chip="ascend910b1"):
        (self.path / "k.cpp").write_text(kernel)
        arch = "a5" if "950" in chip else "a2a3"
        for words in (["build", "k.cpp", "-o", "k.so", "--arch", arch, "--core", "aiv", "--pto-headers", "library", *options],
                      ["run", "k.so", "--chip", chip, "--arg", "in=x.npy", "--arg",
                       "out=256xf32:y.npy", "--json", "result.json", *settings]):
            result = subprocess.run([OPTIONS.ptosim.resolve(), *words], cwd=self.path, capture_output=True,
                                    text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return json.loads((self.path / "result.json").read_text())["cycles"]

    def test_scalar_code_reads_and_writes_ub(self):
        self.cycles(100)
        expected = self.x.copy()
        expected[:100] = self.x[:100] * self.x[:155:-1]
        np.testing.assert_array_equal(np.load(self.path / "y.npy"), expected)

    def test_the_library_named_as_a_folder_of_headers(self):
        """Build scripts give bisheng the library by -isystem."""
        for options in (["-isystem", str(self.path / "library")], [f"-isystem{self.path}/library/."]):
            self.cycles(100, options)

    def test_scalar_code_takes_the_time_of_its_instructions(self):
        def loop(rounds, cost):
            settings = ["--set", f"scalar.code={cost}"]
            return self.cycles(rounds + 50, settings=settings) - self.cycles(50, settings=settings)

        self.assertEqual(loop(200, 0), 0)
        # Each round has two loads, a multiplication, a store, and a test of the end at least.
        self.assertGreaterEqual(loop(200, 1), 200 * 5)
        self.assertEqual(loop(200, 2), 2 * loop(200, 1))
        self.assertEqual(loop(100, 2), loop(200, 1))

    def test_loads_by_pointers_use_the_data_cache(self):
        def loads(step, rounds, **settings):
            kernel = POINTERS.replace("STEP", str(step)).replace("ROUNDS", str(rounds))
            values = {"scalar.code": 0, "scalar.load": 100, **settings}
            return self.cycles_of(kernel, settings=[word for path, value in values.items()
                                                    for word in ("--set", f"{path}={value}")])

        one_line = loads(1, 1)
        self.assertEqual(loads(16, 1), one_line + 15 * 100)  # 16 floats in a line of 64 bytes
        self.assertEqual(loads(16, 3), one_line + 15 * 100)
        self.assertEqual(loads(16, 3, **{"scalar.cache_lines": 8}), one_line + (3 * 16 - 1) * 100)
        self.assertEqual(loads(16, 3, **{"scalar.load": 0}), one_line - 100)
        self.assertEqual(np.load(self.path / "y.npy")[0], np.add.accumulate(np.tile(self.x[::16], 3))[-1])

    def test_loads_past_l2_leave_nothing_there(self):
        """4 is the cache control that disables L2 in cann/asc-devkit's L2CacheAlter."""
        np.save(self.path / "x.npy", np.zeros(512, np.float32))
        for chip in ("ascend910b1", "ascend950pr"):
            with self.subTest(chip):
                self.cycles_of(TWO_LOADS, settings=["--trace", "t", "--check", "none"], chip=chip)
                events = json.loads((self.path / "t/trace.json").read_text())["traceEvents"]
                self.assertEqual([event["args"]["l2_miss_bytes"] for event in events
                                  if "l2_miss_bytes" in event.get("args", {})], [512, 0, 512, 512, 512, 512, 512, 0])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
