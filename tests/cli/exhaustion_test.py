#!/usr/bin/python3
"""When the host runs out of something: a message, an exit code, and outputs that are whole or not there.

    exhaustion_test.py --ptosim BIN [--thorough]

Memory, open files, sizes of files, the stack, /proc, a home, standard streams; of every command. Full and read-only
disks are in tests/traces/broken_off_test.py. --thorough takes many more limits between the ends of each range.
"""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import command_line

PTOSIM, THOROUGH = "ptosim", False
MIB = 1 << 20
LOADER = 127  # the dynamic loader's exit code, when the program itself cannot be loaded

KERNEL = """module {
  func.func @twice(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %two = arith.constant 2.0 : f32
    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
    %xv = pto.make_tensor_view %x, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x64xf32>
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x64xf32>
    pto.tload ins(%xp : !pto.partition_tensor_view<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
    pto.tmuls ins(%t, %two : !pto.tile_buf<vec, 16x64xf32>, f32) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 16x64xf32>) outs(%yp : !pto.partition_tensor_view<16x64xf32>)
    return
  }
}
"""
CPP = """#include <pto/pto-inst.hpp>
__global__ AICORE void twice(__gm__ float* x, __gm__ float* y) {
    using namespace pto;
    GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>> from(x), to(y);
    Tile<TileType::Vec, float, 16, 64> t;
    TASSIGN(t, 0);
    TLOAD(t, from);
    TMULS(t, t, 2.0f);
    TSTORE(to, t);
}
"""
PLAN = {"kernels": [{"file": "twice.pto", "arguments": ["zeros=16x64xf32", "zeros=16x64xf32"]}],
        "chips": ["ascend910b1"], "set": {"aiv.ub.bytes": ["128KiB", "192KiB"]}}
STEP = {"name": "step", "nodes": [{"name": "work", "us": 5, "source": "a guess"},
                                  {"name": "sum", "collective": "all_reduce", "kib": 64}]}
ARGUMENTS = ["--arg", "in=x.npy", "--arg", "out=16x64xf32:y.npy"]
COMMANDS = {
    "run": ["run", "twice.pto", *ARGUMENTS, "--json", "r.json", "--trace", "t", "--trace-formats", "chrome,report"],
    "check": ["check", "twice.pto", *ARGUMENTS, "--json", "r.json"],
    "run of C++": ["run", "twice.cpp", "--sync", "auto", *ARGUMENTS, "--json", "r.json"],
    "report": ["report", "recorded", "--html", "page.html"],
    "diff": ["diff", "recorded", "recorded", "--json", "r.json"],
    "sweep": ["sweep", "plan.json", "--jobs", "1"],
    "chips": ["chips", "ascend950pr"],
    "isa": ["isa", "TADD"],
    "capture": ["capture", "--out", "kit"],
    "estimate": ["estimate", "step.json", "--system", "host910b", "--json", "r.json", "--chakra", "et", "--tables", "db"],
}


def limit(which, value):
    return lambda: resource.setrlimit(which, (value, value))


def closing(*descriptors):
    return lambda: [os.close(descriptor) for descriptor in descriptors]


def between(ends, more):
    return sorted({*ends, *more}) if THOROUGH else ends


class Exhaustion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.source = os.path.join(cls.made.name, "source")
        os.makedirs(cls.source)
        cls.x = np.random.default_rng(3).standard_normal((16, 64)).astype(np.float32)
        np.save(os.path.join(cls.source, "x.npy"), cls.x)
        for name, text in (("twice.pto", KERNEL), ("twice.cpp", CPP), ("plan.json", json.dumps(PLAN)),
                           ("step.json", json.dumps(STEP))):
            with open(os.path.join(cls.source, name), "w") as file:
                file.write(text)
        cls.environment = {**os.environ, "PTOSIM_CACHE": os.path.join(cls.made.name, "cache")}
        for words in (["run", "twice.pto", *ARGUMENTS[:2], "--arg", "out=16x64xf32", "--trace", "recorded"],
                      ["run", "twice.cpp", "--sync", "auto", *ARGUMENTS[:2], "--arg", "out=16x64xf32"]):
            subprocess.run([PTOSIM, *words], cwd=cls.source, env=cls.environment, check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def hold(self, what, before=None, commands=COMMANDS, wrapped=(), environment=None, told=True, succeeds=False):
        """Each command ends as it should, whatever `before` takes from it."""
        for name in commands:
            folder = os.path.join(self.made.name, "run")
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.source, folder)
            with self.subTest(command=name, what=what):
                result = subprocess.run([*wrapped, PTOSIM, *COMMANDS[name]], cwd=folder, preexec_fn=before,
                                        env=self.environment if environment is None else environment,
                                        capture_output=True, text=True, timeout=60)
                if result.returncode == LOADER and "shared" in result.stderr:
                    continue
                self.assertIn(result.returncode, (0,) if succeeds else (0, 1, 2), result.stderr)
                if told and result.returncode != 0:  # points of a sweep fail each for itself
                    self.assertRegex(result.stderr + result.stdout, r"error: .*\[[A-Z]\d\d\]|[1-9]\d* failed")
                self.whole(folder, result.returncode)

    def whole(self, folder, code):
        y, answer, page = (os.path.join(folder, name) for name in ("y.npy", "r.json", "page.html"))
        if os.path.exists(y):
            np.testing.assert_array_equal(np.load(y), 2 * self.x)
        if os.path.exists(answer):
            with open(answer) as file:
                json.load(file)
        if os.path.exists(page):
            with open(page) as file:
                self.assertIn("</html>", file.read()[-20:])
        if code == 0:
            self.assertFalse([name for name in os.listdir(folder) if name.endswith((".tmp", ".part"))])

    def test_memory(self):
        for size in between((40, 400), (34, 36, 44, 48, 56, 64, 80, 96, 128, 192, 256, 512, 1024, 4096)):
            self.hold(f"{size} MiB of addresses", limit(resource.RLIMIT_AS, size * MIB))

    def test_a_limit_on_addresses_as_clusters_have_it(self):
        """600 MB are enough, for every command but the server's: the chip's memory is the rest of them."""
        self.hold("600 MB of addresses", limit(resource.RLIMIT_AS, 600_000 << 10), succeeds=True,
                  commands=[name for name in COMMANDS if name != "run of C++"])
        words = ["run", "twice.pto", "--arg", "zeros=131072x1024xf32", "--arg", "out=16x64xf32"]
        result = subprocess.run([PTOSIM, *words], cwd=self.source, capture_output=True, text=True, timeout=60,
                                preexec_fn=limit(resource.RLIMIT_AS, 600_000 << 10))
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^error: .* needs 536870912 bytes of global memory, more than is free of the "
                                        r"\d+ MiB that the limit on virtual memory allows \[I30\]\n  help: raise the "
                                        r"limit on virtual memory \(ulimit -v\)")

    def test_an_array_that_this_host_has_no_memory_for(self):
        with open("/proc/meminfo") as file:
            kib = dict(line.split()[:2] for line in file)
        left = (int(kib["MemAvailable:"]) + int(kib["SwapFree:"])) >> 20
        if left > 50:
            self.skipTest("the chip's memory is no larger than this host's")
        array = f"{(left + 4) * 1024}x262144xf32"  # 4 GiB more
        result = subprocess.run([PTOSIM, "run", "twice.pto", "--arg", f"rand={array}", "--arg", "out=16x64xf32"],
                                cwd=self.source, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertRegex(result.stderr, rf"error: --arg rand={array} needs {left + 4} GiB of this host's memory, "
                                        r"which has \d+ GiB left \[I03\]\n  help: .*zeros=")

    def test_open_files(self):
        for count in between((4, 6, 9), range(4, 20)):
            self.hold(f"{count} open files", limit(resource.RLIMIT_NOFILE, count))

    def test_sizes_of_files(self):
        for size in between((0, 3000), (1, 100, 1000, 2000, 4096, 8192, 16384, 40000, 65536, 200000, 700000)):
            self.hold(f"files of {size} bytes", limit(resource.RLIMIT_FSIZE, size))

    def test_a_small_stack(self):
        self.hold("a stack of 1 MiB", limit(resource.RLIMIT_STACK, MIB), succeeds=True)

    def test_no_home_and_no_environment(self):
        commands = [name for name in COMMANDS if "C++" not in name]
        self.hold("an empty environment", environment={}, commands=commands, succeeds=True)
        path = {"PATH": os.environ["PATH"]}
        self.hold("no home", environment=path, commands=["run of C++"])
        self.hold("a home that is not there", environment={**path, "HOME": "/nonexistent/home"}, commands=["run of C++"])
        self.hold("a home that is a file", environment={**path, "HOME": "/dev/null"}, commands=["run of C++"])

    def test_standard_streams_that_are_closed(self):
        self.hold("no standard input", closing(0), succeeds=True)
        self.hold("no standard output", closing(1))
        self.hold("no standard error", closing(2), told=False)
        self.hold("no standard stream", closing(0, 1, 2), told=False)

    def test_no_proc(self):
        """The program still finds its files, and what needs /proc does without."""
        wrapped = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$0" "$@"']
        if subprocess.run([*wrapped, "true"], capture_output=True).returncode != 0:
            self.skipTest("needs the right to mount")
        self.hold("no /proc", wrapped=wrapped)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    THOROUGH = "--thorough" in sys.argv
    if THOROUGH:
        sys.argv.remove("--thorough")
    unittest.main()
