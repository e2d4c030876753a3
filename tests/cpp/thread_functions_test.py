#!/usr/bin/python3
"""Functions of threads in kernels of tiles, with the compiler that the machine has: data, findings and limits.

    thread_functions_test.py --ptosim BIN
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import command_line  # noqa: E402

PTOSIM = "ptosim"
KERNEL = """#include <pto/pto-inst.hpp>
using namespace pto;
__simt_callee__ inline float sum(float a, float b) { return a + b; }
__simt_vf__ LAUNCH_BOUND(256) inline void add(__ubuf__ float* tile, __gm__ float* table, __gm__ int32_t* count, float more) {
    const int32_t at = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
    tile[at INDEX] = sum(tile[at], more) + table[255 - at];
    if (at % 2 == 1) atomicAdd(count, 2);
}
__global__ AICORE void kernel(__gm__ float* x, __gm__ float* table, __gm__ float* out, __gm__ int32_t* count) {
    using T = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor>;
    using G = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 256, 1>>;
    T a, b;
    TASSIGN(a, 0x400);
    TASSIGN(b, 0x800);
    G from(x), to(out);
    TLOAD(a, from);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TMULS(b, a, 2.0f);
    cce::async_invoke<add>(cce::dim3{SHAPE}, (__ubuf__ float*)b.data(), table, count, 1.25f);
    TMULS(LAST, b, 0.5f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    WAIT
    TSTORE(to, LAST);
}
"""
WAIT = "wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);"


class ThreadFunctions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.x = np.arange(256, dtype=np.float32)
        self.table = 3 * np.arange(256, dtype=np.float32)[::-1].copy()
        np.save(self.path / "x.npy", self.x)
        np.save(self.path / "table.npy", self.table)
        np.save(self.path / "zero.npy", np.zeros(1, dtype=np.int32))

    def run_kernel(self, command, shape="8, 4, 8", index="", wait=WAIT, last="a", chip="ascend950pr"):
        text = KERNEL.replace("SHAPE", shape).replace(" INDEX", index).replace("WAIT", wait).replace("LAST", last)
        (self.path / "k.cpp").write_text(text)
        return subprocess.run(
            [PTOSIM, command, "k.cpp", "--chip", chip, "--blocks", "1", "--arg", "in=x.npy", "--arg", "in=table.npy", "--arg",
             "out=256xf32:out.npy", "--arg", "inout=zero.npy:count.npy"],
            cwd=self.path, capture_output=True, text=True, check=False,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.path), "PTOSIM_CACHE": str(self.path / "cache")})

    def line_of(self, text):
        lines = (self.path / "k.cpp").read_text().splitlines()
        return next(i for i, line in enumerate(lines, 1) if text in line)

    def test_data_between_tiles(self):
        done = self.run_kernel("check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no findings", done.stderr + done.stdout)
        expected = (self.x * 2 + 1.25 + self.table[::-1]) * 0.5
        np.testing.assert_array_equal(np.load(self.path / "out.npy").ravel(), expected)
        self.assertEqual(np.load(self.path / "count.npy").ravel()[0], 128 * 2)

    def test_a_store_that_does_not_wait(self):
        done = self.run_kernel("check", wait="", last="b")
        self.assertIn("[E01]", done.stderr)
        self.assertIn(f"k.cpp:{self.line_of('TSTORE')}", done.stderr)

    def test_an_index_beyond_ub(self):
        done = self.run_kernel("run", index=" + 65536")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"k.cpp:{self.line_of('tile[at + 65536]')}: error: thread (0, 0, 0) writes 4 bytes at byte 264192 of UB, "
                      "which has 262144", done.stderr)

    def test_more_threads_than_the_function_permits(self):
        done = self.run_kernel("run", shape="8, 8, 8")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a block of 512 threads runs a function for at most 256", done.stderr)

    def test_a_chip_without_threads(self):
        done = self.run_kernel("run", chip="ascend910b1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("__simt_vf__: vector cores of a2a3 run no threads", done.stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
