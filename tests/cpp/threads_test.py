#!/usr/bin/python3
"""Kernels of threads (`ptosim build --enable-simt`): indices, UB, barriers, warps, atomic operations, limits. The library
is a small one of this test's own, laid out as a checkout of asc-devkit is.

    threads_test.py --ptosim BIN
"""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import command_line  # noqa: E402

PTOSIM = "ptosim"
# What asc-devkit's headers make of the names of the device's compiler.
LIBRARY = """#pragma once
#include "__clang_cce_simt_atomic.h"
#define OF_THREAD __aicore__ inline
namespace __asc_simt_vf {
OF_THREAD int asc_atomic_add(int* address, int value) { return __atomic_add(address, value); }
OF_THREAD unsigned asc_atomic_cas(unsigned* address, unsigned old, unsigned value) { return __atomic_cas(address, old, value); }
OF_THREAD unsigned asc_atomic_inc(unsigned* address, unsigned value) { return __atomic_inc(address, value); }
}
OF_THREAD void asc_syncthreads() { __sync_workitems(); }
OF_THREAD void asc_threadfence() { __threadfence(); }
OF_THREAD unsigned asc_ballot(int value) { return __ballot(value); }
OF_THREAD int asc_shfl_down(int value, unsigned distance, int width = 32) { return __shfl_down(value, distance, width); }
OF_THREAD int asc_reduce_add(int value) { return __reduce_add(value); }
OF_THREAD void asc_nop() { asm volatile("NOP wait:0b0000000 stall:15" ::); }
OF_THREAD int float2int_rn(float x) { return __cvt_int32_t<ROUND::R, RoundingSaturation::RS_ENABLE_VALUE>(x); }
"""
HOST = """
#include <cstdio>
#include "acl/acl.h"
int main() {
    constexpr unsigned kCount = 8192;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    int *device = nullptr, *host = nullptr;
    aclrtMalloc((void**)&device, 4 * kCount, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMallocHost((void**)&host, 4 * kCount);
    aclrtMemset(device, 4 * kCount, 0, 4 * kCount);
    LAUNCH
    const aclError error = aclrtSynchronizeStream(stream);
    aclrtMemcpy(host, 4 * kCount, device, 4 * kCount, ACL_MEMCPY_DEVICE_TO_HOST);
    for (unsigned i = 0; i < kCount; ++i) std::printf("%d ", host[i]);
    aclrtFree(device);
    aclrtFreeHost(host);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return error == 0 ? 0 : 1;
}
"""
SCRIPT = "import sys\nopen(sys.argv[2], 'w').write('#pragma once\\n')\n"


@unittest.skipUnless(any(shutil.which(f"clang++-{n}") for n in (19, 20, 21, 22)), "needs clang++ 19 or newer")
class Threads(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        for name, text in (("include/kernel_operator.h", ""), ("impl/basic_api/kernel_tpipe_impl.h", ""),
                           ("include/simt_api/asc_simt.h", LIBRARY), ("include/adv_api/softmax_tilingdata.h", ""),
                           ("impl/adv_api/cmake/scripts/gen_kernel_tiling_data_def.py", SCRIPT)):
            file = self.path / "asc" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": folder.name, "PTOSIM_CACHE": str(self.path / "cache")}

    def build(self, kernel, launch, *options, arch="a5", within=False):
        self.source = '#include "simt_api/asc_simt.h"\n' + kernel + HOST.replace("LAUNCH", launch)
        (self.path / "k.asc").write_text(self.source)
        words = () if within else ("--enable-simt",)
        return subprocess.run([PTOSIM, "build", "--arch", arch, *words, "--ascendc", "asc", "k.asc", "-o", "app", *options],
                              cwd=self.path, capture_output=True, text=True, env=self.environment, check=False)

    def run_it(self, chip="ascend950pr", **variables):
        return subprocess.run(["./app"], cwd=self.path, capture_output=True, text=True, check=False, timeout=300,
                              env={**self.environment, "PTOSIM_CHIP": chip, **variables})

    def ran(self, kernel, launch, *options):
        built = self.build(kernel, launch, *options)
        self.assertEqual(built.returncode, 0, built.stderr)
        return self.run_it()

    def values(self, kernel, launch, *options):
        ran = self.ran(kernel, launch, *options)
        self.assertEqual(ran.returncode, 0, ran.stdout[:200] + ran.stderr)
        return [int(word) for word in ran.stdout.split("\n")[-1].split()]

    def line_of(self, text):
        return self.source.split(text)[0].count("\n") + 1

    INDICES = """__global__ void kernel(int* out) {
        const int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y * blockDim.z
            + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        out[i] = 1000 * blockIdx.x + 100 * blockIdx.y + 10 * threadIdx.z + threadIdx.y;
    }
    """

    def test_indices(self):
        expected = [1000 * bx + 100 * by + 10 * z + y for by in range(2) for bx in range(3)
                    for z in range(2) for y in range(4) for _ in range(5)]
        for optimisation in ("-O0", "-O2"):
            values = self.values(self.INDICES, "kernel<<<dim3(3, 2), dim3(5, 4, 2), 0, stream>>>(device);", optimisation)
            self.assertEqual(values[:240], expected)
            self.assertEqual(set(values[240:]), {0})

    def test_a_kernel_of_another_source(self):
        self.build("__global__ void kernel(int* out);\n", "kernel<<<2, 64, 0, stream>>>(device);")  # writes the source
        (self.path / "main.cpp").write_text(self.source.replace('#include "simt_api/asc_simt.h"', ""))
        (self.path / "k.asc").write_text("__global__ void kernel(int* out) { out[blockIdx.x * 64 + threadIdx.x] = 7; }\n")
        built = subprocess.run([PTOSIM, "build", "--arch", "a5", "--enable-simt", "--ascendc", "asc", "main.cpp", "k.asc",
                                "-o", "app"], cwd=self.path, capture_output=True, text=True, env=self.environment,
                               check=False)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual([int(word) for word in self.run_it().stdout.split()][:129], [7] * 128 + [0])

    def test_a_reduction_in_shared_memory(self):
        kernel = """template <int N> __global__ void kernel(int* out) {
            __ubuf__ int values[N];
            extern __ubuf__ int more[];
            __ubuf__ int last;
            values[threadIdx.x] = threadIdx.x + blockIdx.x;
            more[threadIdx.x] = 1;
            if (threadIdx.x == 0) last = 5;
            asc_syncthreads();
            for (int step = N / 2; step > 0; step /= 2) {
                if (threadIdx.x < step) {
                    values[threadIdx.x] += values[threadIdx.x + step];
                    more[threadIdx.x] += more[threadIdx.x + step];
                }
                asc_syncthreads();
            }
            if (threadIdx.x == 0) out[blockIdx.x] = 1000000 * last + 1000 * more[0] + values[0];
        }
        """
        for optimisation in ("-O0", "-O2"):
            values = self.values(kernel, "kernel<128><<<70, 128, 512, stream>>>(device);", optimisation)
            self.assertEqual(values[:70], [5128000 + 128 * 127 // 2 + 128 * block for block in range(70)])

    def test_lanes_that_diverge_meet_again(self):
        kernel = """__global__ void kernel(int* out) {
            const int lane = threadIdx.x % 32;
            int sum = 0;
            for (int i = 0; i < lane / 8; ++i) sum += asc_reduce_add(1);
            unsigned votes = lane % 2 == 0 ? asc_ballot(lane % 4 == 0) : asc_ballot(1);
            const int below = asc_shfl_down(lane, 4, 8);
            out[threadIdx.x] = sum * 100 + __popc(votes) * 1000 + below;
        }
        """
        # Lanes of group g take part in g rounds; round r has the 24 - 8 r lanes of the groups above r.
        expected = [100 * sum(24 - 8 * r for r in range(lane // 8)) + 1000 * (8 if lane % 2 == 0 else 16)
                    + (lane + 4 if lane % 8 < 4 else lane) for lane in range(32)]
        for optimisation in ("-O0", "-O2"):
            values = self.values(kernel, "kernel<<<1, 64, 0, stream>>>(device);", optimisation)
            self.assertEqual(values[:64], expected * 2)

    def test_atomic_operations(self):
        kernel = """__global__ void kernel(int* out) {
            __ubuf__ int count;
            if (threadIdx.x == 0) count = 0;
            asc_syncthreads();
            asc_atomic_add(&count, 2);
            asc_atomic_add(out, 1);
            asc_atomic_inc((unsigned*)out + 1, 9);
            if (asc_atomic_cas((unsigned*)out + 2, 0, blockIdx.x + 1) == 0) out[3] = threadIdx.x + 1;
            asc_syncthreads();
            if (threadIdx.x == 0) asc_atomic_add(out + 4, count);
        }
        """
        values = self.values(kernel, "kernel<<<4, 100, 0, stream>>>(device);")
        self.assertEqual(values[0], 400)
        self.assertEqual(values[1], 400 % 10)
        self.assertIn(values[2], range(1, 5))
        self.assertEqual(values[3], 1)
        self.assertEqual(values[4], 800)
        checked = self.run_it(PTOSIM_CHECK="all")
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_a_thread_that_waits_for_another_warp(self):
        kernel = """__global__ void kernel(int* out) {
            volatile int* flag = out + 64;
            if (threadIdx.x == 0) { while (*flag == 0) {} out[0] = *flag; }
            if (threadIdx.x == 33) { asc_nop(); *flag = 9; }
        }
        """
        self.assertEqual(self.values(kernel, "kernel<<<1, 64, 0, stream>>>(device);")[0], 9)

    def test_conversions_saturate(self):
        kernel = """__global__ void kernel(int* out) {
            const float values[] = {2.5f, -3.5f, 3e9f, -3e9f, NAN};
            out[threadIdx.x] = float2int_rn(values[threadIdx.x]);
        }
        """
        self.assertEqual(self.values(kernel, "kernel<<<1, 5, 0, stream>>>(device);")[:5], [2, -4, 2**31 - 1, -2**31, 0])

    def test_printing(self):
        kernel = """__global__ void kernel(int* out) {
            if (threadIdx.x == 40) printf("thread %u of block %u: %.1f\\n", threadIdx.x, blockIdx.x, (half)1.5f);
            if (threadIdx.x == 41) printf("plain text\\n");
        }
        """
        ran = self.ran(kernel, "kernel<<<1, 64, 0, stream>>>(device);")
        self.assertIn("thread 40 of block 0: 1.5\n", ran.stdout + ran.stderr)
        self.assertIn("plain text\n", ran.stdout + ran.stderr)

    def refused(self, kernel, launch, code, *words, chip="ascend950pr", **variables):
        built = self.build(kernel, launch)
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = self.run_it(chip, **variables)
        self.assertNotEqual(ran.returncode, 0)
        for word in (f"[{code}]", *words):
            self.assertIn(word, ran.stderr)
        return ran.stderr

    def cycles(self, kernel, launch):
        self.assertEqual(self.build(kernel, launch).returncode, 0)
        ran = self.run_it(PTOSIM_JSON="result.json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads((self.path / "result.json").read_text())["cycles"]

    def test_stores_of_columns_take_longer(self):
        """asc-devkit matrix_transpose_practice: 36.3 us for a transposition, 6.3 us for a copy."""
        copy = "__global__ void kernel(int* out) { for (int i = 0; i < 8; ++i) out[i * 1024 + threadIdx.x] = i; }\n"
        column = "__global__ void kernel(int* out) { for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = i; }\n"
        apart = "__global__ void kernel(int* out) { for (int i = 0; i < 8; ++i) out[threadIdx.x % 256 * 32 + i] = i; }\n"
        times = [self.cycles(kernel, "kernel<<<1, 1024, 0, stream>>>(device);") for kernel in (copy, column, apart)]
        self.assertLess(1.5 * times[0], times[1])
        self.assertLess(2 * times[1], times[2])

    def test_blocks_that_write_the_same_words(self):
        kernel = "__global__ void kernel(int* out) { out[threadIdx.x] = blockIdx.x; }\n"
        told = self.refused(kernel, "kernel<<<2, 64, 0, stream>>>(device);", "G04", "WAW", "THREADS", PTOSIM_CHECK="race")
        self.assertIn("k.asc:", told)
        apart = kernel.replace("threadIdx.x", "blockIdx.x * 64 + threadIdx.x", 1)
        self.assertEqual(self.build(apart, "kernel<<<2, 64, 0, stream>>>(device);").returncode, 0)
        ran = self.run_it(PTOSIM_CHECK="all")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    # Lanes of a warp hand values over without a barrier: right on a device, which executes them in lockstep.
    TOGETHER = """__global__ void kernel(int* out) {
            __ubuf__ int values[64];
            const int i = threadIdx.x;
            values[i] = i;
            for (int j = 0; j < MORE; ++j) out[4096 + j % 64 * 64 + i] = j;
            const int before = values[i];
            values[i / 32 * 32 + (i + 1) % 32] = before;
            out[blockIdx.x * 64 + i] = values[i];
            for (int step = 16; step > 0; step /= 2)
                if (i % 32 < step) values[i] += values[i + step];
            if (i % 32 == 0) out[1024 + blockIdx.x * 2 + i / 32] = values[i];
        }
        """

    def test_lanes_in_lockstep(self):
        values = self.values(self.TOGETHER.replace("MORE", "0"), "kernel<<<3, 64, 0, stream>>>(device);")
        shifted = [w + (i + 31) % 32 for w in (0, 32) for i in range(32)]
        self.assertEqual(values[:192], 3 * shifted)
        self.assertEqual(values[1024:1030], 3 * [sum(range(32)), sum(range(32, 64))])

    def test_lanes_that_need_lockstep_late(self):
        kernel = self.TOGETHER.replace("MORE", "10000")
        told = self.refused(kernel, "kernel<<<3, 64, 0, stream>>>(device);", "H35", "lanes of a warp hand data over by memory")
        self.assertIn(f"k.asc:{self.line_of('= before;')}", told)
        ran = self.run_it(PTOSIM_LOCKSTEP="1")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual([int(w) for w in ran.stdout.split("\n")[-1].split()][1024:1026], [sum(range(32)), sum(range(32, 64))])

    def test_a_trace_shows_what_warps_wait_for(self):
        kernel = """__global__ void kernel(int* out) {
            __ubuf__ int values[32 * 64];
            for (int i = 0; i < 32; ++i) values[i * 64 + threadIdx.x] = 1;
            asc_syncthreads();
            int sum = 0;
            for (int i = 0; i < 32; ++i) sum += values[(threadIdx.x * 64 + i) % 2048];
            out[threadIdx.x * 64] = sum;
        }
        """
        self.assertEqual(self.build(kernel, "kernel<<<1, 64, 0, stream>>>(device);").returncode, 0)
        ran = self.run_it(PTOSIM_TRACE="trace")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        events = json.loads((self.path / "trace" / "trace.json").read_text())["traceEvents"]
        processes = {e["args"]["name"]: e["pid"] for e in events if e["name"] == "process_name"}
        warps = [e for e in events if e["pid"] == processes["AIV00 warps"] and e.get("cat") == "warp"]
        self.assertEqual({e["tid"] % 100 for e in warps}, {0, 1})
        self.assertIn("barrier", {e["name"] for e in warps})
        block = next(e for e in events if e["name"] == "THREADS" and "dur" in e)
        cycle = 0.001  # us
        self.assertGreater(min(e["ts"] for e in warps), block["ts"] - cycle)
        self.assertLess(max(e["ts"] + e["dur"] for e in warps), block["ts"] + block["dur"] + cycle)
        page = (self.path / "trace" / "report.html").read_text()
        for warp in (0, 1):
            self.assertIn(f'{{"core":"AIV00","pipe":"warp {warp}","slices":', page)
        report = subprocess.run([PTOSIM, "report", "trace", "--format", "json"], cwd=self.path, capture_output=True, text=True,
                                check=True, env=self.environment)
        threads, = json.loads(report.stdout)["threads"]
        self.assertEqual((threads["blocks"], threads["warps"]), (1, 2))
        # 64 stores of warps one pass each; 64 loads whose lanes are 256 bytes apart, which meet in one bank.
        self.assertEqual((threads["ub_accesses"], threads["bank_passes"]), (128, 64 + 64 * 32))
        self.assertEqual(threads["conflicting"]["stride"], 256)
        self.assertIn(f"k.asc:{self.line_of('sum +=')}", threads["conflicting"]["at"])
        # A lane's word in each line: 32 lines of 128 bytes, where one would do.
        self.assertEqual((threads["lines"], threads["least_lines"]), (2 * 32, 2))
        self.assertLess(threads["cycles_without_conflicts"], threads["cycles"])

    def test_threads_that_race(self):
        """Each barrier is needed but the third, whose accesses are of one warp."""
        reduction = """__global__ void kernel(int* out) {
            __ubuf__ int values[128];
            values[threadIdx.x] = threadIdx.x;
            asc_syncthreads();  // 1
            if (threadIdx.x < 64) values[threadIdx.x] += values[threadIdx.x + 64];
            asc_syncthreads();  // 2
            if (threadIdx.x < 32) out[threadIdx.x] = values[threadIdx.x] + values[threadIdx.x + 32];
            asc_syncthreads();  // 3
            if (threadIdx.x == 0) values[0] = 0;
            asc_syncthreads();  // 4
            asc_atomic_add(&values[0], 1);
            asc_syncthreads();  // 5
            if (threadIdx.x == 127) out[32] = values[0];
        }
        """
        launch = "kernel<<<1, 128, 0, stream>>>(device);"
        self.assertEqual(self.build(reduction, launch).returncode, 0)
        ran = self.run_it(PTOSIM_CHECK="all")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for number in (1, 2, 4, 5):
            barrier = f"asc_syncthreads();  // {number}"
            told = self.refused(reduction.replace(barrier, f"// {number}"), launch, "E36", "without asc_syncthreads",
                                PTOSIM_CHECK="all")
            self.assertRegex(told, r"k.asc:\d+")
        self.build(reduction.replace("asc_syncthreads();  // 1", "// 1"), launch)
        told = self.run_it(PTOSIM_CHECK="all").stderr
        for text in ("values[threadIdx.x] = threadIdx.x", "values[threadIdx.x] += "):
            self.assertIn(f"k.asc:{self.line_of(text)}", told)

    def test_data_handed_over_without_a_fence(self):
        """The last block adds what the others have stored."""
        total = """__global__ void kernel(int* out) {
            __ubuf__ int last;
            if (threadIdx.x == 0) {
                out[1 + blockIdx.x] = blockIdx.x;
                asc_threadfence();
                last = asc_atomic_add(&out[0], 1) == 3;
            }
            asc_syncthreads();
            if (last && threadIdx.x == 40)
                out[5] = out[1] + out[2] + out[3] + out[4];
        }
        """
        launch = "kernel<<<4, 64, 0, stream>>>(device);"
        self.assertEqual(self.build(total, launch).returncode, 0)
        ran = self.run_it(PTOSIM_CHECK="all")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("E37", ran.stderr)
        told = self.refused(total.replace("asc_threadfence();", ""), launch, "E37", "without asc_threadfence",
                            PTOSIM_CHECK="all")
        for text in ("out[5] = out[1]", "out[1 + blockIdx.x] = "):
            self.assertIn(f"k.asc:{self.line_of(text)}", told)

    def test_a_barrier_of_warps_without_asc_syncthreads(self):
        """Lane 0 of each warp waits for the other warps; its other lanes meet it at the fence after the loop."""
        kernel = """__global__ void kernel(int* out) {
            __ubuf__ int values[128], own[128];
            __ubuf__ int arrived;
            const int i = threadIdx.x;
            if (i == 0) arrived = 0;
            asc_syncthreads();
            values[i] = 3 * i;
            asc_threadfence();
            if (i % 32 == 0) {
                __asc_simt_vf::asc_atomic_add(&arrived, 1);
                while (*(volatile int*)&arrived < 4) asc_nop();
            }
            asc_threadfence();
            out[i] = values[i ^ 127];
            if (i % 32 < 2) own[i] = 3 * i + 1;
            out[128 + i] = __ballot(i % 2) == 0xAAAAAAAA ? own[i / 32 * 32] : 0;
        }
        """
        launch = "kernel<<<1, 128, 0, stream>>>(device);"
        expected = [3 * (i ^ 127) for i in range(128)] + [3 * (i // 32 * 32) + 1 for i in range(128)]
        self.assertEqual(self.build(kernel, launch).returncode, 0)
        for variables in ({}, {"PTOSIM_CHECK": "all"}, {"PTOSIM_LOCKSTEP": "1"}):
            ran = self.run_it(**variables)
            self.assertEqual((ran.returncode, ran.stderr), (0, "no findings\n" if "PTOSIM_CHECK" in variables else ""))
            self.assertEqual([int(word) for word in ran.stdout.split("\n")[-1].split()][:256], expected)
        without = kernel[:kernel.index("            asc_threadfence()")] + kernel[kernel.index("            out[i] ="):]
        told = self.refused(without, launch, "E36", "without asc_syncthreads", PTOSIM_CHECK="all")
        self.assertIn(f"k.asc:{self.line_of('values[i] = 3')}", told)

    def test_words_of_shared_memory_that_nobody_has_written(self):
        kernel = """__global__ void kernel(int* out) {
            __ubuf__ int values[64];
            if (threadIdx.x LESS 32) values[threadIdx.x] = 1;
            asc_syncthreads();
            out[threadIdx.x] = values[threadIdx.x];
        }
        """
        self.refused(kernel.replace("LESS", "<"), "kernel<<<1, 64, 0, stream>>>(device);", "D01", "THREADS",
                     PTOSIM_CHECK="all")
        self.assertEqual(self.build(kernel.replace("LESS", "+ 32 >="), "kernel<<<1, 64, 0, stream>>>(device);").returncode, 0)
        ran = self.run_it(PTOSIM_CHECK="all")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_a_barrier_that_some_threads_never_reach(self):
        kernel = """__global__ void kernel(int* out) {
            volatile int* flag = out;
            if (threadIdx.x < 32) { asc_syncthreads(); *flag = 1; }
            else while (*flag == 0) {}
        }
        """
        self.refused(kernel, "kernel<<<1, 64, 0, stream>>>(device);", "H11", "thread (0, 0, 0)", "asc_syncthreads",
                     PTOSIM_WATCHDOG="2")

    def test_threads_that_end_before_a_barrier(self):
        kernel = """__global__ void kernel(int* out) {
            if (threadIdx.x >= 40) return;
            asc_syncthreads();
            out[threadIdx.x] = 1;
        }
        """
        ran = self.ran(kernel, "kernel<<<1, 64, 0, stream>>>(device);")
        self.assertIn("thread (40, 0, 0) has ended, and other threads of its block wait", ran.stderr)
        self.assertIn("[H34]", ran.stderr)
        self.assertEqual(ran.stdout.split()[:41], ["1"] * 40 + ["0"])

    def test_limits(self):
        plain = "__global__ void kernel(int* out) { out[threadIdx.x] = 1; }\n"
        bound = "__global__ __launch_bounds__(64) void kernel(int* out) { out[threadIdx.x] = 1; }\n"
        self.refused(plain, "kernel<<<1, 2049, 0, stream>>>(device);", "H33", "2049 x 1 x 1 = 2049 threads", "1 to 2048")
        self.refused(plain, "kernel<<<dim3(256, 257), 32, 0, stream>>>(device);", "H21", "1 to 65535")
        self.refused(plain, "kernel<<<1, 32, 221185, stream>>>(device);", "H33", "221185 bytes of dynamic UB")
        told = self.refused(plain, "kernel<<<1, 1025, 0, stream>>>(device);", "H33", "1025 threads", "at most 1024",
                            "__launch_bounds__(1025)")
        self.assertIn(f"k.asc:{self.line_of('__global__')}", told)
        self.refused(bound, "kernel<<<1, 65, 0, stream>>>(device);", "H33", "65 threads", "at most 64")
        large = "__global__ void kernel(int* out) { __ubuf__ int a[60000]; a[threadIdx.x] = 1; out[0] = a[0]; }\n"
        self.refused(large, "kernel<<<1, 1, 0, stream>>>(device);", "H33", "240000 bytes in UB")

    def test_chips_without_threads(self):
        built = self.build(self.INDICES, "kernel<<<1, 1, 0, stream>>>(device);", arch="a2a3")
        self.assertEqual(built.returncode, 2)
        self.assertIn("the vector cores of a2a3 run no threads [H04]", built.stderr)

    WITHIN = """__simt_vf__ __launch_bounds__(256) inline void fill(__ubuf__ int* to, int base) {
            to[threadIdx.x] = base + threadIdx.x;
        }
        __simt_vf__ inline void sum(__gm__ int* to, __ubuf__ int* from, __ubuf__ int* more) {
            __syncthreads_of_library();
            const int other = (threadIdx.x + 1) % blockDim.x;
            to[blockIdx.x * blockDim.x + threadIdx.x] = from[threadIdx.x] + more[other] + asc_shfl(from[threadIdx.x], 0, 32);
            if (threadIdx.x == 0) printf("block %d of %d\\n", blockIdx.x, gridDim.x);
        }
        __global__ __vector__ void kernel(__gm__ int* out) {
            __ubuf__ int values[256];
            extern __ubuf__ int more[];
            asc_vf_call<fill>(dim3(COUNT), values, 1000 * (int)block_idx);
            asc_vf_call<fill>(dim3{256}, more, 0);
            asc_vf_call<sum>(dim3{256}, out, values, more);
        }
        """

    def test_thread_functions_within_a_kernel(self):
        """Functions start after each other; UB keeps its data between them."""
        self.mixed_library()
        for optimisation in ("-O0", "-O2"):
            built = self.build(self.WITHIN.replace("COUNT", "256"), "kernel<<<3, 1024, stream>>>(device);", optimisation,
                               within=True)
            self.assertEqual(built.returncode, 0, built.stderr)
            ran = self.run_it()
            self.assertEqual(ran.returncode, 0, ran.stderr)
            values = [int(word) for word in ran.stdout.split("\n")[-1].split()]
            expected = [1000 * block + i + (i + 1) % 256 + 1000 * block + i // 32 * 32 for block in range(3) for i in range(256)]
            self.assertEqual(values[:768], expected)
            self.assertIn("block 2 of 3", ran.stdout + ran.stderr)

    SHARED = """__simt_vf__ inline void turn(__gm__ int* to, __ubuf__ int* kept) {
            __ubuf__ int mine[256];
            mine[threadIdx.x] = 10 * threadIdx.x;
            __builtin_cce_dcci(nullptr, 1, 0);  // unique_dim of ops-nn calls both by the compiler's names
            __syncthreads();
            int4 four{1, 2, 3, 4};
            four[2] = mine[(threadIdx.x + 1) % blockDim.x];
            to[threadIdx.x] = four.z + kept[threadIdx.x];
            to[256 + threadIdx.x] = __shfl((int)threadIdx.x, 16 << 16 | 31 << 8 | 3);
            to[512 + threadIdx.x] = __shfl_up((int)threadIdx.x, 24 << 16 | 2);
        }
        __global__ __vector__ void kernel(__gm__ int* out) {
            __ubuf__ int kept[256];
            asc_vf_call<fill>(dim3{256}, kept, 5000);
            asc_vf_call<turn>(dim3{256}, out, kept);
        }
        """

    BARRIER = """
        __simt_vf__ inline void turn(__gm__ int* to) {
            __ubuf__ int values[128];
            __ubuf__ int arrived;
            const int i = threadIdx.x;
            if (i == 0) arrived = 0;
            __syncthreads_of_library();
            values[i] = 3 * i;
            __threadfence();
            if (i % 32 == 0) {
                __atomic_add(&arrived, 1);
                while (*(volatile __ubuf__ int*)&arrived < 4) {}
            }
            __threadfence();
            to[i] = values[i ^ 127];
        }
        __global__ __vector__ void kernel(__gm__ int* out) { asc_vf_call<turn>(dim3{128}, out); }
        """

    def test_a_barrier_of_warps_within_a_kernel(self):
        self.mixed_library()
        built = self.build(self.BARRIER, "kernel<<<1, 1024, stream>>>(device);", within=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = self.run_it(PTOSIM_CHECK="all")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual([int(word) for word in ran.stdout.split("\n")[-1].split()][:128], [3 * (i ^ 127) for i in range(128)])

    def test_an_array_of_all_threads_and_words_of_shuffles(self):
        """An array that a function of threads declares exists once in a block and shares no bytes with the
        kernel's. A shuffle's word has 32 less the lanes of a group above bit 16."""
        self.mixed_library()
        built = self.build(self.WITHIN.split("__simt_vf__ inline void sum")[0] + self.SHARED,
                           "kernel<<<1, 1024, stream>>>(device);", within=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = self.run_it()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        values = [int(word) for word in ran.stdout.split("\n")[-1].split()]
        self.assertEqual(values[:256], [10 * ((i + 1) % 256) + 5000 + i for i in range(256)])
        self.assertEqual(values[256:512], [i // 16 * 16 + 3 for i in range(256)])
        self.assertEqual(values[512:768], [i - 2 if i % 8 >= 2 else i for i in range(256)])

    PIPE = """class TPipe {
         public:
            __aicore__ TPipe() {
                extern __ubuf__ uint32_t start[];
                first = (uint64_t)&start[0];
            }
            uint64_t first;
        };
        template <class T> __aicore__ void fill_all(__gm__ int* out, int at) {
            __ubuf__ T values[40];
            __ubuf__ T more[8];
            asc_vf_call<fill>(dim3{8}, (__ubuf__ int*)values, 100);
            asc_vf_call<fill>(dim3{8}, (__ubuf__ int*)more, 200);
            out[at] = (int)(uint64_t)&values[0];
            out[at + 1] = (int)(uint64_t)&more[0];
            out[at + 2] = ((__ubuf__ int*)values)[7];
        }
        __global__ __vector__ void kernel(__gm__ int* out) {
            TPipe pipe;
            fill_all<int>(out, 1);
            fill_all<unsigned>(out, 4);
            out[0] = (int)pipe.first;
        }
        """

    def test_the_buffers_of_a_pipe_follow_all_arrays(self):
        """asc-devkit's page on UB in mixed kernels: static memory, then dynamic memory with the buffers of pipes, which begin
        before the arrays are declared."""
        self.mixed_library()
        built = self.build(self.WITHIN.split("__simt_vf__ inline void sum")[0] + self.PIPE, "kernel<<<1, 1024, stream>>>(device);",
                           within=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = self.run_it()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        start, *rest = [int(word) for word in ran.stdout.split("\n")[-1].split()][:7]
        places = sorted(zip((rest[0], rest[1], rest[3], rest[4]), (160, 32, 160, 32)))
        for (begin, size), (after, _) in zip(places, [*places[1:], (start, 0)]):
            self.assertLessEqual(begin + size, after)
        self.assertLess(start, 1024)
        self.assertEqual((rest[2], rest[5]), (107, 107))

    def test_lanes_that_wait_for_the_first_one(self):
        """The compiler puts the search of lane 0 after the warp's function. The block's number is a call of the core."""
        self.mixed_library()
        kernel = """__simt_callee__ inline bool lock(__gm__ unsigned* word) {
            while (true) {
                const unsigned now = *(volatile __gm__ unsigned*)word;
                if (now == 7) continue;
                if (now == 0) {
                    if (__atomic_cas(word, 0u, 7u) == 0) return true;
                    continue;
                }
                if (now == 9) {
                    if (__atomic_cas(word, 9u, 7u) == 9) return true;
                    continue;
                }
                return false;
            }
        }
        __simt_vf__ inline void fill(__gm__ int* out, uint32_t block) {
            __gm__ int* const mine = out + 512 * block;
            for (uint32_t round = 0; round < 3; ++round) {
                uint32_t at = 0;
                int found = 0;
                if (threadIdx.x == 0) {
                    for (uint32_t i = 0; i < 64; ++i) {
                        if (lock((__gm__ unsigned*)(mine + at))) {
                            found = 1;
                            break;
                        }
                        at = (at + 1) & 63;
                    }
                }
                found = asc_shfl(found, 0, 32);
                at = asc_shfl(at, 0, 32);
                if (found == 1) {
                    mine[64 + 32 * at + threadIdx.x] = 100 * block + at + 1;
                    __threadfence();
                    if (threadIdx.x == 0) *(volatile __gm__ int*)&mine[at] = 5;
                }
            }
        }
        __global__ __vector__ void kernel(__gm__ int* out) { asc_vf_call<fill>(dim3(32), out, block_idx); }
        """
        built = self.build(kernel, "kernel<<<2, 1024, stream>>>(device);", within=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        for variables in ({}, {"PTOSIM_LOCKSTEP": "1"}, {"PTOSIM_CHECK": "all"}):
            ran = self.run_it(**variables)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            values = [int(word) for word in ran.stdout.split()]
            for block in range(2):
                self.assertEqual(values[512 * block:512 * block + 64], [5] * 3 + [0] * 61)
                self.assertEqual(values[512 * block + 64:512 * block + 160],
                                 [100 * block + at + 1 for at in range(3) for _ in range(32)])

    def test_a_thread_function_with_too_many_threads(self):
        self.mixed_library()
        built = self.build(self.WITHIN.replace("COUNT", "288"), "kernel<<<3, 1024, stream>>>(device);", within=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = self.run_it()
        self.assertIn("288 threads runs a function for at most 256", ran.stderr)
        self.assertIn(f"k.asc:{self.line_of('__simt_vf__')}", ran.stderr)

    def mixed_library(self):
        (self.path / "asc/include/simt_api/asc_simt.h").write_text("""#pragma once
#define OF_THREAD __simt_callee__ inline
OF_THREAD void __syncthreads_of_library() { __sync_workitems(); }
OF_THREAD int asc_shfl(int value, int lane, int width) { return __shfl(value, lane, width); }
template <auto function, class... Arguments>
__aicore__ inline void asc_vf_call(dim3 threads, Arguments&&... arguments) {
#ifdef __DAV_VEC__
    cce::async_invoke<function>(threads, arguments...);
#endif
}
""")

    def test_an_assertion(self):
        kernel = """#include <cassert>
        __global__ void kernel(int* out) {
            assert(threadIdx.x != 3);
        }
        """
        told = self.refused(kernel, "kernel<<<1, 32, 0, stream>>>(device);", "H12", "thread (3, 0, 0)")
        self.assertIn(f"k.asc:{self.line_of('assert(')}", told)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
