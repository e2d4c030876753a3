#!/usr/bin/python3
"""C++ kernels from outside: built, run by themselves and by ptosim run, and every misuse.

    build_test.py --ptosim BIN
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PTOSIM = "ptosim"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import result_schema  # noqa: E402


def call(words, cwd, **environment):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})


class Build(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        for name in ("scale_kernel.cpp", "scale_main.cpp"):
            shutil.copy(os.path.join(HERE, name), cls.folder)
        cls.words = [PTOSIM, "build", "scale_kernel.cpp", "scale_main.cpp", "-o", "app"]
        built = call(cls.words, cls.folder)
        assert built.returncode == 0, built.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def app(self, *words, **environment):
        return call(["./app", *words], self.folder, **environment)

    def test_results(self):
        result = self.app()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("synchronize 0", result.stdout)
        self.assertIn("later 1", result.stdout)
        self.assertIn("wrong 0", result.stdout)
        self.assertIn("counts 1 1", result.stdout)  # a static of each core
        self.assertEqual(result.stderr, "")

    def test_waves(self):
        # 48 AIVs: the blocks after the 48th run on cores that have counted once.
        result = self.app("run", "50")
        self.assertIn("wrong 0", result.stdout, result.stderr)
        self.assertEqual(sorted(result.stdout.split("counts ")[1].split()), ["1"] * 48 + ["2"] * 2)

    def test_launches_of_different_sizes(self):
        result = self.app("again", "8")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("wrong 0", result.stdout)
        self.assertIn("counts 6 4 3 3 3 3 3 3", result.stdout)

    def test_nothing_to_do(self):
        self.assertIn("up to date", call(self.words, self.folder).stdout)

    def test_trace_and_json(self):
        result = self.app(PTOSIM_TRACE="trace", PTOSIM_JSON="run.json", PTOSIM_CHECK="all")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no findings", result.stderr)
        with open(os.path.join(self.folder, "trace", "trace.json")) as file:
            self.assertIn("scale_kernel.cpp", file.read())
        with open(os.path.join(self.folder, "run.json")) as file:
            run = json.load(file)
        result_schema.check_result(self, run)
        self.assertEqual(run["launches"][0]["blocks"], 2)
        self.assertEqual(run["cycles"], run["launches"][0]["cycles"])
        self.app("unset", PTOSIM_JSON="found.json", PTOSIM_CHECK="all")
        with open(os.path.join(self.folder, "found.json")) as file:
            found = json.load(file)
        result_schema.check_result(self, found)
        self.assertEqual([d["code"] for d in found["diagnostics"]], ["D01"])
        self.assertIn("scale_kernel.cpp", found["diagnostics"][0]["location"]["file"])
        self.assertIn("scalar.issue", run["assumed"])

    def test_results_do_not_depend_on_the_order_of_exit_handlers(self):
        # The results of 200 launches are still being added up when the program ends.
        shutil.copy(os.path.join(HERE, "exit_main.cpp"), self.folder)
        built = call([PTOSIM, "build", "scale_kernel.cpp", "exit_main.cpp", "-o", "exit"], self.folder)
        self.assertEqual(built.returncode, 0, built.stderr)
        for environment in ({"PTOSIM_MODE": "timing", "PTOSIM_JSON": "exit.json"},
                            {"PTOSIM_CHECK": "all", "PTOSIM_REPORT": "exit.sarif"},
                            {"PTOSIM_TRACE": "exit_trace", "PTOSIM_JSON": "exit.json"}):
            with self.subTest(environment):
                result = call(["./exit", "200"], self.folder, **environment)
                self.assertEqual(result.stdout.splitlines()[-1], "0 freed blocks changed")
                self.assertEqual(result.returncode, 0, result.stderr)
        with open(os.path.join(self.folder, "exit.json")) as file:
            self.assertEqual(len(json.load(file)["launches"]), 200)
        result = call(["./exit", "2", "late"], self.folder)
        self.assertIn("late 107000", result.stdout)
        self.assertIn("scaleAdd is not run, because the program is ending and its results have been written "
                      "[H21]", result.stderr)

    def test_a_recording_that_finds_no_room_leaves_the_host_its_results(self):
        folder = os.path.join(self.folder, "no_room")
        result = subprocess.run(
            ["prlimit", "--fsize=100000", os.path.join(self.folder, "app"), "run", "50"],
            cwd=self.folder, capture_output=True, text=True, timeout=300,
            env={**os.environ, "PTOSIM_TRACE": folder})
        self.assertIn("wrong 0", result.stdout, result.stderr)
        self.assertEqual(result.returncode, 2)
        self.assertIn("recording.bin: File too large [I40]", result.stderr)
        self.assertEqual(os.listdir(folder), ["recording.bin"])
        report = call([PTOSIM, "report", folder, "--format", "json"], self.folder)
        self.assertEqual(report.returncode, 2)
        self.assertIn("is cut off", report.stderr)

    def test_misuse(self):
        for what, code, expected, returned in (
                ("overrun", "H22", "outside of its 8192 bytes", "copy 107000"),
                ("room", "H22", "bytes into", "copy 107000"),
                ("direction", "H22", "is a device pointer", "copy 107000"),
                ("free_host", "H22", "is a host pointer", "free 107000"),
                ("double_free", "H22", "a double free", "free 107000"),
                ("host_in_kernel", "H21", "argument 1 (float*) is a host pointer",
                 "synchronize 107000"),
                ("blocks", "H21", "a launch of 0 blocks", "synchronize 107000"),
                ("stream", "H22", "is not a stream", "synchronize 107003"),
                ("leak", "H24", "4 allocations of device memory", "wrong 0")):
            with self.subTest(what):
                result = self.app(what)
                self.assertIn(f"[{code}]", result.stderr)
                self.assertIn(expected, result.stderr)
                self.assertIn(returned, result.stdout)

    def test_checks_of_device_memory(self):
        for what, checks, code, expected in (
                ("unset", "all", "D01", "TLOAD 'src' reads byte 7168 of device memory 2"),
                ("freed", "all", "H21", "device memory 2 has been freed"),
                ("freed_unseen", "all", "G01", "use after free: view"),
                ("unused", "all,unused", "H25", "device memory 5 (100 bytes)")):
            with self.subTest(what):
                result = self.app(what, PTOSIM_CHECK=checks)
                self.assertIn(f"[{code}]", result.stderr)
                self.assertIn(expected, result.stderr)
                self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("no findings", self.app("unused", PTOSIM_CHECK="all").stderr)
        self.assertIn("no findings", self.app("run", PTOSIM_CHECK="all,unused").stderr)

    def test_races_between_the_host_and_its_streams(self):
        for what, expected in (
                ("copied_early", "RAW race in device memory 3 between the host and a stream: aclrtMemcpy "
                 "reads what kernel scaleAdd writes"),
                ("changed_early", "WAR race in device memory 1 between the host and a stream: aclrtMemset "
                 "writes what kernel scaleAdd reads"),
                ("copied_behind_wrong_event", "aclrtMemcpy reads what kernel scaleAdd writes"),
                ("two_streams", "RAW race in device memory 3 between two streams: kernel loadFrom reads "
                 "what kernel scaleAdd writes")):
            with self.subTest(what):
                result = self.app(what, PTOSIM_CHECK="race")
                self.assertIn(expected, result.stderr)
                self.assertIn("1 finding: 1 race", result.stderr)
                self.assertRegex(result.stderr, r"scale_kernel.cpp:\d+: error: .*\[H26\]")
                self.assertEqual(result.returncode, 1)
        for what in ("run", "again", "copied_in_stream", "copied_behind_event", "two_streams_in_order",
                     "two_readers"):
            with self.subTest(what):
                self.assertIn("no findings", self.app(what, PTOSIM_CHECK="race").stderr)

    def test_names_with_impl_are_told_at_the_kernels_line(self):
        with open(os.path.join(self.folder, "scale_kernel.cpp")) as file:
            line = 1 + file.read().split("TLOAD_IMPL")[0].count("\n")
        self.assertIn(f"scale_kernel.cpp:{line}: error: use after free",
                      self.app("freed_unseen", PTOSIM_CHECK="all").stderr)

    def test_a_report_of_the_findings(self):
        self.app("unset", PTOSIM_CHECK="all", PTOSIM_REPORT="found.sarif")
        with open(os.path.join(self.folder, "found.sarif")) as file:
            results = json.load(file)["runs"][0]["results"]
        self.assertEqual([result["ruleId"] for result in results], ["D01"])
        where = results[0]["locations"][0]["physicalLocation"]
        self.assertIn("scale_kernel.cpp", where["artifactLocation"]["uri"])
        self.app("unset", PTOSIM_CHECK="all", PTOSIM_REPORT="found.json")
        with open(os.path.join(self.folder, "found.json")) as file:
            self.assertEqual(json.load(file)[0]["location"]["line"],
                             where["region"]["startLine"])

    def test_memory_of_the_checkers(self):
        self.assertIn("no findings",
                      self.app("run", "48", PTOSIM_CHECK="all", PTOSIM_CHECK_MEMORY="1").stderr)
        for value in ("0", "much", "2000000"):
            result = self.app(PTOSIM_CHECK="all", PTOSIM_CHECK_MEMORY=value)
            self.assertEqual(result.returncode, 2)
            self.assertIn("[H20]", result.stderr)

    def test_crashes_of_kernels(self):
        for what, code, expected, returned in (
                ("null", "H10", "a null pointer", "synchronize 507015"),
                ("divide", "H16", "divides an integer by zero", "synchronize 0"),
                ("wild", "H10", "holds no memory", "synchronize 507015"),
                ("trap", "H12", "trap", "synchronize 507015"),
                ("loop", "H11", "endless loop", "synchronize 507014")):
            with self.subTest(what):
                result = self.app(what, PTOSIM_WATCHDOG="1")
                self.assertIn(f"[{code}]", result.stderr)
                self.assertIn("scale_kernel.cpp:", result.stderr)
                self.assertIn(expected, result.stderr)
                self.assertIn(returned, result.stdout)

    def test_arguments_after_a_structure(self):
        """A word of a structure is not an argument: its sizes are not pointers, and pointers after it are checked."""
        with open(os.path.join(self.folder, "shape.cpp"), "w") as file:
            file.write("""#include <cstdio>
#include <acl/acl.h>
#include <pto/pto-inst.hpp>
struct Shape3 { uint32_t m, n, k; };
__global__ AICORE void sum(Shape3 shape, __gm__ int* out, Shape3 other, __gm__ int* last) {
    last[0] = out[0] = static_cast<int>(shape.m + shape.k + other.n);
    dcci(out, SINGLE_CACHE_LINE);
    dcci(last, SINGLE_CACHE_LINE);
}
int main(int count, char**) {
    int *out, *last, host = 0, mine = 0;
    aclrtStream stream;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc(reinterpret_cast<void**>(&out), 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(reinterpret_cast<void**>(&last), 64, ACL_MEM_MALLOC_HUGE_FIRST);
    sum<<<1, nullptr, stream>>>(Shape3{256, 512, 1024}, out, Shape3{1, 2, 3}, count > 1 ? &mine : last);
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(&host, 4, last, 4, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("sum %d\\n", host);
    aclrtFree(out);
    aclrtFree(last);
}
""")
        self.assertEqual(call([PTOSIM, "build", "shape.cpp", "-o", "shape"], self.folder).returncode, 0)
        result = call([os.path.join(self.folder, "shape")], self.folder)
        self.assertEqual((result.stdout, result.returncode), ("sum 1282\n", 0), result.stderr)
        self.assertIn("argument 3 (int*) is a host pointer", call([os.path.join(self.folder, "shape"), "host"],
                                                                  self.folder).stderr)

    def test_device_pointer_on_the_host(self):
        result = self.app("read_on_host")
        self.assertIn("[H23]", result.stderr)
        self.assertLess(result.returncode, 0)

    def test_variables(self):
        for name, value in (("PTOSIM_MODE", "fast"), ("PTOSIM_CHECK", "race,luck")):
            result = self.app(**{name: value})
            self.assertEqual(result.returncode, 2)
            self.assertIn("[H20]", result.stderr)
        self.assertIn("[H21]", self.app(PTOSIM_CHIP="ascend950pr").stderr)

    def test_run_by_name(self):
        words = ["--entry", "justCount", "--blocks", "3", "--arg", "out=3xi32:o.npy", "--arg",
                 "i32=5"]
        for kernel in ("app", "scale_kernel.cpp"):
            result = call([PTOSIM, "run", kernel, *words], self.folder,
                          XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
            self.assertEqual(result.returncode, 0, result.stderr)
            out = np.load(os.path.join(self.folder, "o.npy"))
            self.assertEqual(out.tolist(), [5, 6, 7])
        for words, code in ((["--entry", "nothing"], "H05"), ([], "H05"),
                            (["--entry", "justCount", "--chip", "ascend950pr"], "H01")):
            result = call([PTOSIM, "run", "app", *words], self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"[{code}]", result.stderr)

    def test_instantiated_templates(self):
        path = os.path.join(self.folder, "fill.cpp")
        with open(path, "w") as file:
            file.write("#include <pto/pto-inst.hpp>\nnamespace of {\n"
                       "template <int N, class T>\n"
                       "__global__ AICORE void fill(__gm__ T* out, T plus) { out[0] = N + plus; }\n"
                       "}\n"
                       "template __global__ AICORE void of::fill<(3 > 2), float>(__gm__ float*, "
                       "float);\n"
                       "namespace of {\n"
                       "template __global__ AICORE void fill<7, int32_t>(__gm__ int32_t*, int32_t);"
                       "\n}\n")
        cache = {"XDG_CACHE_HOME": os.path.join(self.folder, "cache")}
        for name, out, plus, expected in (("of::fill<(3>2),float>", "1xf32", "f32=0.5", 1.5),
                                          ("fill<7, int32_t>", "1xi32", "i32=4", 11)):
            result = call([PTOSIM, "run", "fill.cpp", "--entry", name, "--blocks", "1", "--arg",
                           f"out={out}:f.npy", "--arg", plus], self.folder, **cache)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(np.load(os.path.join(self.folder, "f.npy")).tolist(), [expected])
        result = call([PTOSIM, "run", "fill.cpp", "--dry-run"], self.folder, **cache)
        self.assertIn("kernel fill<7, int32_t>", result.stdout)
        self.assertIn("kernel of::fill<(3 > 2), float>", result.stdout)
        result = call([PTOSIM, "run", "fill.cpp"], self.folder, **cache)
        self.assertIn("several kernels: fill<7, int32_t>, of::fill<(3 > 2), float>", result.stderr)
        with open(path, "w") as file:
            file.write("#include <pto/pto-inst.hpp>\ntemplate <int N>\n"
                       "__global__ AICORE void fill(__gm__ int* out) { out[0] = N; }\n")
        result = call([PTOSIM, "run", "fill.cpp"], self.folder, **cache)
        self.assertEqual(result.returncode, 2)
        self.assertIn("fill.cpp: contains no kernels [H01]", result.stderr)
        self.assertIn("explicit instantiation", result.stderr)

    def test_unit_flags(self):
        # Whole numbers: every partial sum is exact.
        rng = np.random.default_rng(4)
        a = rng.integers(-8, 9, (128, 128)).astype(np.float16)
        b = rng.integers(-8, 9, (128, 64)).astype(np.float16)
        for name, value in (("ua", a), ("ub", b),
                            ("uc.golden", a.astype(np.float32) @ b.astype(np.float32))):
            np.save(os.path.join(self.folder, name + ".npy"), value)
        shutil.copy(os.path.join(HERE, "unit_flags_kernel.cpp"), self.folder)
        result = call([PTOSIM, "run", "unit_flags_kernel.cpp", "--arg", "in=ua.npy", "--arg",
                       "in=ub.npy", "--arg", "out=128x64xf32", "--golden", "2=uc.golden.npy"],
                      self.folder, XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_buffer_ids(self):
        x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
        np.save(os.path.join(self.folder, "bx.npy"), x)
        np.save(os.path.join(self.folder, "by.golden.npy"), x + 1)
        shutil.copy(os.path.join(HERE, "buffer_ids_kernel.cpp"), self.folder)
        result = call([PTOSIM, "check", "buffer_ids_kernel.cpp", "--chip", "ascend950pr", "--arg", "in=bx.npy",
                       "--arg", "out=64x64xf32", "--golden", "1=by.golden.npy", "--blocks", "1"],
                      self.folder, XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_structure_is_copied_on_both_core_types(self):
        shutil.copy(os.path.join(HERE, "copied_struct_kernel.cpp"), self.folder)
        built = call([PTOSIM, "build", "copied_struct_kernel.cpp", "--arch", "a5", "-o", "copied"], self.folder)
        self.assertEqual(built.returncode, 0, built.stderr)
        result = call(["./copied"], self.folder, PTOSIM_CHIP="ascend950pr")
        # fifth[1] is byte 16: 17 bytes hold all members.
        self.assertEqual((result.stdout, result.stderr), ("1000000203051 1000000203051 1000000203051\n", ""))

    def test_passes_may_skip_launches(self):
        shutil.copy(os.path.join(HERE, "skipped_launch_kernel.cpp"), self.folder)
        built = call([PTOSIM, "build", "skipped_launch_kernel.cpp", "-o", "skipped"], self.folder)
        self.assertEqual(built.returncode, 0, built.stderr)
        result = call(["./skipped"], self.folder)
        self.assertEqual((result.stdout, result.stderr), ("7 8\n", ""))

    def test_atomics_wait_for_workers(self):
        given = np.arange(64 * 128, dtype=np.int32).reshape(64, 128)
        expected = given + 300
        expected[np.arange(64), np.arange(64)] += 1000000
        np.save(os.path.join(self.folder, "x.npy"), given)
        np.save(os.path.join(self.folder, "y.npy"), expected)
        shutil.copy(os.path.join(HERE, "atomic_kernel.cpp"), self.folder)
        for threads in ("1", "3"):
            result = call([PTOSIM, "run", "atomic_kernel.cpp", "--arg", "in=x.npy", "--arg",
                           "out=64x128xi32", "--arg", "i32=300", "--golden", "1=y.npy",
                           "--blocks", "1", "--threads", threads], self.folder,
                          XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_system_counter(self):
        # Its frequency is the chip's, whatever that of the cores.
        with open(os.path.join(self.folder, "counter.cpp"), "w") as file:
            file.write("""#include <pto/pto-inst.hpp>
using namespace pto;
__global__ AICORE void k(__gm__ float* x, __gm__ int64_t* y) {
#ifdef __DAV_VEC__
    Tile<TileType::Vec, float, 64, 64> a;
    GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, 64, 1>> from(x);
    TASSIGN(a, 0);
    uint64_t end;
    const int64_t begin = get_sys_cnt();
    for (int i = 0; i < 64; ++i) {
        TLOAD(a, from);
        pipe_barrier(PIPE_ALL);
    }
    uint64_t where;
    asm volatile("mov %0, pc \\n" : "=l"(where) : :);  // as Ascend C's PRELOAD has it
    asm volatile("MOV %0, SYS_CNT\\n" : "+l"(end));
    y[0] = static_cast<int64_t>(end) - begin;
#endif
}
""")
        np.save(os.path.join(self.folder, "cx.npy"), np.zeros((64, 64), np.float32))

        def ticks(*words):
            result = call([PTOSIM, "run", "counter.cpp", "--core", "aiv", "--blocks", "1", "--arg",
                           "in=cx.npy", "--arg", "out=1xi64:cy.npy", *words], self.folder,
                          XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            return int(np.load(os.path.join(self.folder, "cy.npy"))[0])

        cycles = ticks("--set", "system_counter=1850MHz")  # the 910B1's clock
        self.assertGreater(cycles, 64 * 16384 / 128)  # what a UB can take in a cycle: 128 bytes
        self.assertAlmostEqual(ticks(), cycles / 37, delta=1)  # 50 MHz
        self.assertAlmostEqual(ticks("--set", "system_counter=1GHz"), cycles / 1.85, delta=1)

    def test_words_of_device_code(self):
        # A namespace detail next to `using namespace pto`, scalar min and max, an intrinsic of the other generation in
        # a template that nobody instantiates, the atomic register, headers in a separate folder, a pointer to void.
        os.makedirs(os.path.join(self.folder, "own"), exist_ok=True)
        with open(os.path.join(self.folder, "own", "help.h"), "w") as file:
            file.write("""#include <algorithm>
#include <runtime/rt_ffts.h>
#include <pto/pto-inst.hpp>
using namespace pto;
namespace detail { constexpr int kRows = 8; }
template <pipe_t Pipe_>
void other_generation() { set_intra_block(Pipe_, 3); }
""")
        with open(os.path.join(self.folder, "words.cpp"), "w") as file:
            file.write("""#include "help.h"
__global__ AICORE void k(__gm__ void* x, __gm__ void* y, uint32_t rows) {
#ifdef __DAV_VEC__
    set_padding(0);
    set_atomic_none();
    Tile<TileType::Vec, half, detail::kRows, 64, BLayout::RowMajor, -1, -1> a(
        min(rows, static_cast<uint32_t>(detail::kRows)), max(64, 3l));
    GlobalTensor<half, Shape<1, 1, 1, -1, 64>, Stride<1, 1, 1, 64, 1>> from((__gm__ half*)x,
        Shape<1, 1, 1, -1, 64>(rows)), to((__gm__ half*)y, Shape<1, 1, 1, -1, 64>(rows));
    TASSIGN(a, 0);
    TLOAD(a, from);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    set_atomic_f16();
    set_atomic_add();
    TSTORE(to, a);
    set_atomic_max();
    TSTORE(to, a);
    set_atomic_none();
#endif
}
""")
        x = np.arange(-256, 256, dtype=np.float16).reshape(8, 64)
        y = np.full((8, 64), 7, np.float16)
        for name, value in (("wx", x), ("wy", y), ("wz", np.maximum(x + y, x))):
            np.save(os.path.join(self.folder, name + ".npy"), value)
        words = [PTOSIM, "run", "words.cpp", "-I", "own", "--core", "aiv", "--blocks", "1", "--arg",
                 "in=wx.npy", "--arg", "inout=wy.npy", "--arg", "i32=8"]
        cache = {"XDG_CACHE_HOME": os.path.join(self.folder, "cache")}
        result = call([*words, "--golden", "1=wz.npy"], self.folder, **cache)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("AIV", result.stdout)
        self.assertNotIn("AIC", result.stdout)
        result = call([*words[:9], "--arg", "null", "--arg", "null", "--arg", "null"], self.folder,
                      **cache)
        self.assertIn("parameter 2 (%rows) is not a pointer", result.stderr)
        result = call([*words[:3], *words[5:]], self.folder, **cache)
        self.assertEqual(result.returncode, 2)
        self.assertIn("help.h: No such file", result.stderr)
        result = call([PTOSIM, "run", "words.cpp", "-I", "own", "--dry-run"], self.folder, **cache)
        self.assertIn("%x: pointer to elements of any type", result.stdout)
        result = call([PTOSIM, "run", "app", "--core", "aiv"], self.folder, **cache)
        self.assertIn("app is not C++ source, so it ignores --core [I50]", result.stderr)
        with open(os.path.join(self.folder, "own", "help.h"), "a") as file:
            file.write("inline void used() { other_generation<PIPE_V>(); }\n")
        result = call(words, self.folder, **cache)
        self.assertIn("set_intra_block is an intrinsic of the a5", result.stderr)

    def test_a_tile_without_an_address(self):
        np.save(os.path.join(self.folder, "n.npy"), np.zeros((8, 64), np.float32))
        with open(os.path.join(self.folder, "nowhere.cpp"), "w") as file:
            file.write("""#include <pto/pto-inst.hpp>
using namespace pto;
__global__ AICORE void k(__gm__ float* x) {
#ifdef __DAV_VEC__
    using T = Tile<TileType::Vec, float, 8, 64>;
    GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>> view(x);
    T a, b;
    TASSIGN(a, 0);
    TLOAD(a, view);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADD(b, a, a);
#endif
}
""")
        result = call([PTOSIM, "run", "nowhere.cpp", "--arg", "in=n.npy"], self.folder,
                      XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("nowhere.cpp:12:", result.stderr)
        self.assertIn("operand 'dst'", result.stderr)
        self.assertIn("A05", result.stderr)

    def test_lines_of_a_store_that_are_longer_than_the_views(self):
        """The engine moves the tile's bytes (hw-native-sys/pto-isa include/pto/npu/a2a3/TStore.hpp)."""
        np.save(os.path.join(self.folder, "x.npy"), np.arange(32, dtype=np.float32))
        with open(os.path.join(self.folder, "long.cpp"), "w") as file:
            file.write("""#include <pto/pto-inst.hpp>
using namespace pto;
__global__ AICORE void k(__gm__ float* x, __gm__ float* y, int columns) {
#ifdef __DAV_VEC__
    Tile<TileType::Vec, float, 1, 32, BLayout::RowMajor, -1, -1> tile(1, columns);
    GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 16, 1>> from(x), to(y);
    TASSIGN(tile, 0);
    TLOAD(tile, from);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    TSTORE(to, tile);
#endif
}
""")
        for columns, count in ((16, 0), (24, 1), (12, 0)):
            result = call([PTOSIM, "run", "long.cpp", "--blocks", "1", "--arg", "in=x.npy", "--arg", "out=32xf32:y.npy",
                           "--arg", f"i32={columns}"], self.folder, XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr.count("[S04]"), count, result.stderr)
            self.assertIn("long.cpp:11: warning: operand 'src' has lines of 24 elements, but the view's have 16: "
                          "the bytes after each are overwritten" if count else "", result.stderr)
            self.assertTrue(np.array_equal(np.load(os.path.join(self.folder, "y.npy")),
                                           np.where(np.arange(32) < columns, np.arange(32), 0)))

    LAUNCH = ("#include <pto/pto-inst.hpp>\n__global__ AICORE void k(__gm__ float* x) {}\n"
              "void f(void* s) {\n  k<<<1, nullptr, s>>>%s;\n}\n")

    def test_errors_at_the_users_line(self):
        path = os.path.join(self.folder, "bad.cpp")
        for text, code, expected in (
                ("#include <pto/pto-inst.hpp>\nAICORE void f() {\n  TNOTHING();\n}\n", "H02",
                 "bad.cpp:3:"),
                ("#include <pto/pto-inst.hpp>\nvoid f(void* s) {\n  k<<<1, nullptr, s>>;\n}\n",
                 "H03", "bad.cpp:3:"),
                # an intrinsic below tile level that is not there, by its name
                ("#include <pto/pto-inst.hpp>\n__global__ AICORE void k(__gm__ float* x) {\n"
                 "  vadd(x, x, x);\n}\n", "H02", "vadd"),
                # launches whose arguments are not the kernel's: too many, none, of another type
                (self.LAUNCH % "(s, s)", "H02", "bad.cpp:4:"),
                (self.LAUNCH % "()", "H02", "bad.cpp:4:"),
                (self.LAUNCH % "(1.5)", "H02", "bad.cpp:4:")):
            with open(path, "w") as file:
                file.write(text)
            result = call([PTOSIM, "build", "bad.cpp", "-o", "bad.so"], self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"[{code}]", result.stderr)
            self.assertIn(expected, result.stderr)
        for words in (["-o", "x"], ["scale_kernel.cpp"], ["x.f90", "-o", "x"],
                      ["scale_kernel.cpp", "-o", "x", "--arch", "a9"]):
            result = call([PTOSIM, "build", *words], self.folder)
            self.assertIn("[H04]", result.stderr)

    def test_what_only_one_compiler_finds_ambiguous(self):
        """g++ takes instantiations of pto-isa's own tests for ambiguous that a clang does not."""
        if "clang" in call(["c++", "--version"], self.folder).stdout:
            self.skipTest("the compiler is a clang")
        with open(os.path.join(self.folder, "twice.cpp"), "w") as file:
            file.write("template <int N> void f(float* x) { *x = N; }\n"
                       "template <int N, int M = 2> void f(float* x) { *x = N + M; }\ntemplate void f<1>(float*);\n")
        result = call([PTOSIM, "build", "twice.cpp", "-o", "twice.so"], self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("PTOSIM_CXX for the toolkit's bisheng", result.stderr)

    def test_a_chip_that_kernels_are_not_compiled_for_is_told_without_a_way_that_is_none(self):
        """No help line may name an --arch that `ptosim build` refuses."""
        with open(os.path.join(self.folder, "one.cpp"), "w") as file:
            file.write("#include <pto/pto-inst.hpp>\n__global__ AICORE void k(__gm__ float* x) {}\n")
        self.assertEqual(call([PTOSIM, "build", "one.cpp", "-o", "one.so"], self.folder).returncode, 0)
        for words, code in ((["run", "one.cpp", "--chip", "kirin9030", "--arg", "zeros=8xf32"], "H04"),
                            (["run", "one.so", "--chip", "kirin9030", "--arg", "zeros=8xf32"], "H01"),
                            (["build", "one.cpp", "-o", "other.so", "--arch", "kirin"], "H04")):
            result = call([PTOSIM, *words], self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"[{code}]", result.stderr)
            self.assertIn("compiled for a2a3 and a5 only", result.stderr)
            self.assertNotIn("--arch kirin", result.stderr)


if __name__ == "__main__":
    PTOSIM = os.path.abspath(sys.argv[sys.argv.index("--ptosim") + 1])
    unittest.main(argv=sys.argv[:1])
