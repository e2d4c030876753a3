#!/usr/bin/python3
"""C++ kernels that misbehave, and the cache of compiled kernels, from outside.

    faults_test.py --ptosim BIN
"""
import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

PTOSIM = "ptosim"

MISBEHAVE = """#include <pto/pto-inst.hpp>
#include <cassert>
#include <csetjmp>
#include <cstdlib>
#include <stdexcept>
using namespace pto;
static volatile int count;
static int throws() noexcept { throw 7; }
__global__ AICORE void k(__gm__ int32_t* x, int mode) {
    x[get_block_idx()] = 7;
    volatile int local[8];
    if (mode == 1) throw std::runtime_error("hello");
    if (mode == 2) throw 5;
    if (mode == 3) exit(0);
    if (mode == 4) _Exit(0);
    if (mode == 5) abort();
    if (mode == 6) assert(mode == 7);
    if (mode == 7) { static jmp_buf there; longjmp(there, 1); }
    // 8000 bytes reach the page after the kernel's frames, wherever these begin in theirs.
    count = mode == 8 ? 20 : mode == 9 ? 2000 : mode == 10 ? 1000000 : 0;
    for (int i = 0; i < count; ++i) local[i] = -1;
    if (mode == 11) throws();
    if (mode == 12) {
        char* block = static_cast<char*>(malloc(2000));  // so large that free() looks behind it
        for (int i = 0; i < 6000; ++i) static_cast<volatile char*>(block)[i] = 1;
        free(block);
    }
    if (mode == 13) {
        try { TASSIGN(*(Tile<TileType::Vec, float, 8, 64>*)local, 0); trap(); } catch (...) {}
    }
    if (mode == 14) for (;;) asm volatile("");
}
"""
LAUNCH = """
void launch(int32_t* x, int mode, void* stream) { k<<<2, nullptr, stream>>>(x, mode); }
"""
ONE = """#include <pto/pto-inst.hpp>
#include "number.h"
__global__ AICORE void k(__gm__ int32_t* x) { x[get_block_idx()] = NUMBER + PLUS; }
"""


class Faults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.cache = os.path.join(self.folder, "cache")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def call(self, words, **environment):
        variables = {**os.environ, "PTOSIM_CACHE": self.cache, **environment}
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={name: value for name, value in variables.items() if value is not None})

    def ptosim(self, *words, **environment):
        return self.call([PTOSIM, *words], **environment)

    # ---- kernels that leave, crash or loop

    def misbehave(self, mode, **environment):
        return self.ptosim("run", "misbehave.cpp", "--blocks", "4", "--arg", "out=4xi32:out.npy", "--arg",
                           f"i32={mode}", **environment)

    def test_what_ends_a_kernel_is_a_finding_and_leaves_no_output(self):
        self.write("misbehave.cpp", MISBEHAVE)
        for mode, code, text in ((1, "H15", "has thrown an exception: std::runtime_error: hello"),
                                 (2, "H15", "has thrown an exception: int"),
                                 (3, "H12", "it called exit()"), (4, "H12", "it called _Exit()"),
                                 (5, "H12", "it called abort()"), (6, "H12", "its assertion 'mode == 7' has failed"),
                                 (7, "H12", "it called longjmp()"),
                                 (8, "H12", "it has written beyond the end of a local array"),
                                 (9, "H10", "it has written beyond the end of a local array"),
                                 (10, "H10", "it has written beyond the end of a local array"),
                                 (11, "H10", "an exception left a function that is noexcept"),
                                 (12, "H10", "it wrote beyond memory that it allocated"),
                                 (13, "H12", "trap() was called")):
            with self.subTest(mode):
                result = self.misbehave(mode)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(f"[{code}]", result.stderr)
                self.assertIn(text, result.stderr)
                self.assertIn("kernel k", result.stderr)
                self.assertIn("AIV0", result.stderr)
                line = 1 + MISBEHAVE.split({6: "assert(mode", 13: "trap()"}.get(mode, "void k"))[0].count("\n")
                self.assertIn(f"misbehave.cpp:{line}:", result.stderr)
                self.assertFalse(os.path.exists(os.path.join(self.folder, "out.npy")))
        self.assertEqual(self.misbehave(0).returncode, 0)

    def test_the_watchdog_is_of_the_launch_not_of_each_core(self):
        self.write("misbehave.cpp", MISBEHAVE)
        self.misbehave(0)
        begin = time.monotonic()
        result = self.ptosim("run", "misbehave.cpp", "--blocks", "48", "--arg", "out=48xi32", "--arg", "i32=14",
                             PTOSIM_WATCHDOG="1")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("endless loop [H11]", result.stderr)
        self.assertLess(time.monotonic() - begin, 30)  # 48 times a second would be more
        for value in ("abc", "-1", "1s", "99999999999"):
            result = self.misbehave(0, PTOSIM_WATCHDOG=value)
            self.assertEqual(result.returncode, 2, value)
            self.assertIn(f"PTOSIM_WATCHDOG={value} is not a number of seconds [H20]", result.stderr)

    def test_who_goes_through_memory_does_not_poll(self):
        # Checkers that follow each access take longer for them than a kernel may poll.
        self.write("loops.cpp", """#include <pto/pto-inst.hpp>
using namespace pto;
__global__ AICORE void k(__gm__ int32_t* x, int rounds) {
    if (rounds == 0)
        while (static_cast<volatile __gm__ int32_t*>(x)[1] == 0) {}
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < 16384; ++i) x[i] += 1;
}
""")
        for rounds, code, error in ((400, 0, ""), (0, 1, "[H11]")):
            result = self.ptosim("check", "loops.cpp", "--core", "aiv", "--check", "race", "--schedules", "0", "--arg",
                                 "zeros=16384xi32", "--arg", f"i32={rounds}", PTOSIM_WATCHDOG="1")
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(error, result.stderr)

    def test_a_host_that_ignores_a_failed_launch_does_not_succeed(self):
        self.write("misbehave.cpp", MISBEHAVE + LAUNCH)
        self.write("host.cpp", """#include <acl/acl.h>
#include <cstdio>
#include <cstdlib>
void launch(int32_t* x, int mode, void* stream);
int main(int, char** words) {
    void* x = nullptr;
    aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    launch(static_cast<int32_t*>(words[1][0] == 'h' ? static_cast<void*>(&x) : x), std::atoi(words[1]), nullptr);
    aclrtSynchronizeStream(nullptr);
    aclrtFree(x);
    std::puts("test success");
}
""")
        built = self.ptosim("build", "misbehave.cpp", "host.cpp", "-o", "host")
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual(self.call(["./host", "0"]).returncode, 0)
        for what, code in (("1", "H15"), ("3", "H12"), ("10", "H10"), ("h", "H21")):
            with self.subTest(what):
                result = self.call(["./host", what])
                self.assertIn("test success", result.stdout)
                self.assertIn(f"[{code}]", result.stderr)
                self.assertIn("a launch of kernel k failed", result.stderr.splitlines()[-1])
                self.assertEqual(result.returncode, 1)

    def test_a_host_that_replaces_the_handlers_of_signals(self):
        self.write("misbehave.cpp", MISBEHAVE + LAUNCH)
        self.write("host.cpp", """#include <acl/acl.h>
#include <csignal>
#include <cstdlib>
#include <unistd.h>
void launch(int32_t* x, int mode, void* stream);
extern "C" void caught(int) {
    if (write(1, "the host's handler\\n", 19) < 0) _exit(4);
    _exit(3);
}
int main(int, char** words) {
    void* x = nullptr;
    aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    signal(SIGSEGV, caught);
    launch(static_cast<int32_t*>(x), std::atoi(words[1]), nullptr);
    aclrtSynchronizeStream(nullptr);
    if (words[2] != nullptr) *reinterpret_cast<volatile int*>(16) = 1;
}
""")
        built = self.ptosim("build", "misbehave.cpp", "host.cpp", "-o", "host")
        self.assertEqual(built.returncode, 0, built.stderr)
        for what, code in (("1", "H15"), ("9", "H10"), ("10", "H10"), ("13", "H12")):
            with self.subTest(what):
                result = self.call(["./host", what])
                self.assertIn(f"[{code}]", result.stderr)
                self.assertEqual((result.returncode, result.stdout), (1, ""))
        result = self.call(["./host", "0", "crash"])
        self.assertEqual((result.returncode, result.stdout), (3, "the host's handler\n"), result.stderr)

    def test_hosts_that_compute_between_launches(self):
        self.write("misbehave.cpp", MISBEHAVE + LAUNCH)
        self.write("host.cpp", """#include <acl/acl.h>
#include <cstdio>
#include <ctime>
void launch(int32_t* x, int mode, void* stream);
int main() {
    void* x = nullptr;
    aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    for (int i = 0; i < 2; ++i) {
        launch(static_cast<int32_t*>(x), 0, nullptr);
        std::printf("synchronize %d\\n", aclrtSynchronizeStream(nullptr));
        const clock_t begin = clock();  // longer than kernels may poll
        while (i == 0 && clock() - begin < 4.5 * CLOCKS_PER_SEC) {}
    }
    aclrtFree(x);
}
""")
        built = self.ptosim("build", "misbehave.cpp", "host.cpp", "-o", "host")
        self.assertEqual(built.returncode, 0, built.stderr)
        result = self.call(["./host"], PTOSIM_WATCHDOG="1")
        self.assertEqual(result.stdout, "synchronize 0\nsynchronize 0\n", result.stderr)
        self.assertEqual(result.returncode, 0)

    def test_a_kernel_that_another_thread_has_launched(self):
        # While one thread launches, the other computes: signals are the kernel's in its thread only.
        self.write("misbehave.cpp", MISBEHAVE + LAUNCH)
        self.write("host.cpp", """#include <acl/acl.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
void launch(int32_t* x, int mode, void* stream);
int main(int, char** words) {
    void* x = nullptr;
    aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    std::atomic<bool> done = false;
    std::thread thread([&] {
        launch(static_cast<int32_t*>(x), std::atoi(words[1]), nullptr);
        std::printf("synchronize %d\\n", aclrtSynchronizeStream(nullptr));
        done = true;
    });
    volatile unsigned long count = 0;
    while (!done) count = count + 1;
    thread.join();
    aclrtFree(x);
}
""")
        built = self.ptosim("build", "misbehave.cpp", "host.cpp", "-o", "host", "-pthread")
        self.assertEqual(built.returncode, 0, built.stderr)
        for mode, code, returned in (("14", "H11", "507014"), ("10", "H10", "507015"), ("1", "H15", "507015")):
            with self.subTest(mode):
                result = self.call(["./host", mode], PTOSIM_WATCHDOG="1")
                self.assertIn(f"[{code}]", result.stderr)
                self.assertIn(f"synchronize {returned}", result.stdout)
                self.assertEqual(result.returncode, 1)

    def test_kernels_may_have_the_names_of_other_functions(self):
        self.write("names.cpp", """#include <pto/pto-inst.hpp>
#include <cmath>
using namespace pto;
template <class A, class B> struct Two { A a; B b; };
__global__ AICORE void trap(__gm__ int32_t* x, int32_t n = (3, 4), Two<int, int> = {1, 2}) { x[0] = n; }
__global__ AICORE void exp(__gm__ int32_t* x, [[maybe_unused]] const int32_t n) { x[0] = n + 1; }
__global__ AICORE void exp(__gm__ float* x) { x[0] = 1; }
""")
        result = self.ptosim("run", "names.cpp", "--dry-run")
        self.assertIn("kernel trap", result.stdout, result.stderr)
        self.assertIn("kernel exp", result.stdout, result.stderr)

    # ---- the cache

    def value(self, *words, source="one.cpp", **environment):
        out = os.path.join(self.folder, f"{time.monotonic_ns()}.npy")
        result = self.ptosim("run", source, "--blocks", "1", "--arg", f"out=1xi32:{out}", *words, **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("error", result.stderr)
        return int(np.load(out)[0]), result.stderr

    def write_one(self, number, plus):
        self.write("one.cpp", ONE.replace("NUMBER", str(number)))
        self.write("number.h", f"#define PLUS {plus}\n")
        for name in ("one.cpp", "number.h"):  # as if nothing had been edited since
            os.utime(os.path.join(self.folder, name), (1, 1))

    def entries(self):
        return sorted(glob.glob(os.path.join(self.cache, "*.kernels")))

    def test_parallel_runs_compile_once_and_never_use_what_is_stale(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for count, (number, plus) in enumerate(((1, 10), (2, 10), (2, 20), (1, 10), (3, 10))):
                self.write_one(number, plus)
                values = pool.map(lambda _: self.value()[0], range(8))
                self.assertEqual(list(values), [number + plus] * 8)
                self.assertEqual(len(self.entries()), (1, 2, 3, 3, 4)[count])
        self.assertEqual(len(os.listdir(self.cache)), 4, "left files behind")

    def test_a_header_that_is_found_earlier_is_not_missed(self):
        self.write_one(1, 10)
        self.write("elsewhere.h", "")
        for name in ("first", "second"):
            os.mkdir(os.path.join(self.folder, name))
        os.rename(os.path.join(self.folder, "number.h"), os.path.join(self.folder, "second/number.h"))
        self.assertEqual(self.value("-I", "first", "-I", "second")[0], 11)
        self.write("first/number.h", "#define PLUS 30\n")
        self.assertEqual(self.value("-I", "first", "-I", "second")[0], 31)

    def test_a_damaged_entry_is_made_again(self):
        self.write_one(1, 10)
        self.value()
        entry, = self.entries()
        with open(entry, "rb") as file:
            whole = file.read()
        for damaged in (whole[:-1], whole[:40], b"", whole.replace(b"ELF", b"FLE", 1), whole + b" "):
            with open(entry, "wb") as file:
                file.write(damaged)
            self.assertEqual(self.value()[0], 11)
            with open(entry, "rb") as file:
                self.assertEqual(len(file.read()), len(whole))

    def test_without_a_place_for_it_nothing_is_kept(self):
        self.write_one(1, 10)
        self.write("file", "")
        for environment in ({"PTOSIM_CACHE": None, "XDG_CACHE_HOME": None, "HOME": None},
                            {"PTOSIM_CACHE": os.path.join(self.folder, "file", "in_it")},
                            {"PTOSIM_CACHE": "/proc/nowhere"},
                            {"PTOSIM_CACHE": None, "XDG_CACHE_HOME": None, "HOME": "/proc"}):
            with self.subTest(environment):
                value, told = self.value(**environment)
                self.assertEqual(value, 11)
                self.assertIn("note: compiled kernels are not kept", told)
                self.assertIn("PTOSIM_CACHE", told)

    def test_sweeps_of_a_kernel_that_nobody_has_compiled(self):
        self.write_one(1, 10)
        self.write("plan.json", """{"chips": ["ascend910b1"], "kernels": [{"file": "one.cpp", "blocks": "1",
            "arguments": ["out=8xi32"]}], "set": {"clock": ["1000MHz", "1100MHz", "1200MHz", "1300MHz", "1400MHz",
            "1500MHz", "1600MHz", "1700MHz"]}}""")
        result = self.ptosim("sweep", "plan.json", "--jobs", "2", "--out", "results")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(len(self.entries()), 1)

    # ---- variables

    def test_unknown_variables_are_told(self):
        result = self.ptosim("chips", PTOSIM_CHIPS="x", PTOSIM_FROBNICATE="1", PTOSIM_CHIP="x")
        self.assertEqual(result.returncode, 0)
        self.assertIn("warning: unknown variable PTOSIM_CHIPS; did you mean PTOSIM_CHIP?\n", result.stderr)
        self.assertIn("warning: unknown variable PTOSIM_FROBNICATE\n", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 2)

    # ---- outputs of builds

    def test_a_build_makes_no_folders_for_its_output(self):
        self.write_one(1, 10)
        result = self.ptosim("build", "one.cpp", "-o", "no/such/one.so")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no/such/one.so: cannot be written: no such folder no/such [I02]", result.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "no")))

    def test_parallel_builds_of_one_output(self):
        self.write_one(1, 10)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for number in (1, 2, 3):
                self.write_one(number, 10)
                for built in pool.map(lambda _: self.ptosim("build", "one.cpp", "-o", "one.so"), range(4)):
                    self.assertEqual(built.returncode, 0, built.stderr)
                self.assertEqual(self.value(source="one.so")[0], number + 10)


if __name__ == "__main__":
    at = sys.argv.index("--ptosim")
    PTOSIM = os.path.abspath(sys.argv[at + 1])
    unittest.main(argv=sys.argv[:at] + sys.argv[at + 2:])
