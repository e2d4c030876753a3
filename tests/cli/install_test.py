#!/usr/bin/python3
"""An installation by `cmake --install` is whole, and may be moved.

install_test.py --ptosim BIN --build FOLDER --cmake PROGRAM
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

CMAKE = BUILD = ""
KERNEL = """#include <pto/pto-inst.hpp>
__global__ AICORE void fill(__gm__ float* out) { out[get_block_idx()] = 0.5f + get_block_idx(); }
#ifndef DEVICE_ONLY
#include <acl/acl.h>
int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    float* out;
    aclrtMalloc(reinterpret_cast<void**>(&out), 64, ACL_MEM_MALLOC_HUGE_FIRST);
    fill<<<2, nullptr, nullptr>>>(out);
    aclrtSynchronizeStream(nullptr);
    float back[2];
    aclrtMemcpy(back, 8, out, 8, ACL_MEMCPY_DEVICE_TO_HOST);
    return back[0] == 0.5f && back[1] == 1.5f ? 0 : 1;
}
#endif
"""


def call(words, cwd):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PTOSIM")}
    environment["XDG_CACHE_HOME"] = os.path.join(cwd, "cache")
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300,
                          env=environment)


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        first = os.path.join(self.folder, "first")
        done = call([CMAKE, "--install", BUILD, "--prefix", first], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.prefix = os.path.join(self.folder, "moved here")
        os.rename(first, self.prefix)
        self.program = os.path.join(self.prefix, "bin", "ptosim")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def test_its_own_files(self):
        result = call([self.program, "build", "--cflags"], self.folder)
        self.assertEqual(result.stdout.strip(), f"-I{self.prefix}/share/ptosim/include")
        with open(os.path.join(self.prefix, "share/ptosim/models/mine.json"), "w") as file:
            file.write("{}")
        result = call([self.program, "chips", "mine"], self.folder)
        self.assertIn(f"chip file {self.prefix}/share/ptosim/models/mine.json", result.stderr)
        self.assertEqual(call([self.program, "chips", "ascend910b1"], self.folder).returncode, 0)

    def test_pages_and_completions(self):
        """The man page has every command and option; bash completes commands, options and chips."""
        share = os.path.join(self.prefix, "share")
        with open(os.path.join(share, "man", "man1", "ptosim.1")) as file:
            page = file.read().replace("\\-", "-")
        said = call([self.program, "help"], self.folder).stdout.split("Subcommands:")[1]
        commands = [line.split()[0] for line in said.splitlines() if line.startswith("  ") and line[2] != " "]
        self.assertGreater(len(commands), 15)
        for command in commands:
            self.assertIn(f".B {command}\n", page)
        self.assertIn("--schedules", page)
        script = os.path.join(share, "bash-completion", "completions", "ptosim")

        def complete(*words):
            done = call(["bash", "-c", f"PATH='{self.prefix}/bin':$PATH; source '{script}'; "
                         f"COMP_WORDS=(ptosim {' '.join(words)}); COMP_CWORD={len(words)}; _ptosim; "
                         "echo ${COMPREPLY[@]}"], self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.split()

        self.assertEqual(complete("com"), ["compare"])
        self.assertEqual(complete("check", "--sched"), ["--schedules"])
        self.assertEqual(complete("run", "--chip", "ascend910b4"), ["ascend910b4"])
        for name in ("zsh/site-functions/_ptosim", "fish/vendor_completions.d/ptosim.fish"):
            self.assertTrue(os.path.getsize(os.path.join(share, name)))

    def test_guides_and_reference_pages(self):
        pages = os.listdir(os.path.join(self.prefix, "share", "doc", "ptosim"))
        for name in ("start.md", "evidence.md", "instructions.md", "operations.md", "cpp_api.md", "diagnostics.md", "commands.md"):
            self.assertIn(name, pages)

    def test_the_version_names_its_commit(self):
        said = call([self.program, "--version"], self.folder).stdout
        self.assertRegex(said, r"^ptosim \d+\.\d+\.\d+( \([0-9a-f]{10}\))?\n$")

    def test_the_server(self):
        result = subprocess.run([self.program, "serve"], input="5\n", capture_output=True, text=True,
                                env={"PATH": "/usr/bin:/bin"})
        self.assertIn('"verdict": "error"', result.stdout, result.stderr)

    def test_kernels_and_programs(self):
        with open(os.path.join(self.folder, "fill.cpp"), "w") as file:
            file.write(KERNEL)
        result = call([self.program, "run", "fill.cpp", "--define", "DEVICE_ONLY", "--blocks", "3",
                       "--arg", "out=3xf32:out.npy"], self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(np.load(os.path.join(self.folder, "out.npy")).tolist(), [0.5, 1.5, 2.5])
        result = call([self.program, "build", "fill.cpp", "-o", "app"], self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        result = call(["./app"], self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        maps = call(["ldd", "app"], self.folder).stdout
        self.assertIn(f"{self.prefix}/lib/libptosim.so", maps)

    def test_a_program_without_its_files(self):
        alone = shutil.copy(self.program, os.path.join(self.folder, "alone"))
        result = call([alone, "chips", "mine"], self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("[I22]", result.stderr)
        self.assertIn(f"{alone} is not installed", result.stderr)
        self.assertIn("PTOSIM_MODELS", result.stderr)
        models = os.path.join(self.prefix, "share/ptosim/models")
        result = call(["env", f"PTOSIM_MODELS={models}", alone, "chips", "ascend910b1"], self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        os.mkdir(os.path.join(self.folder, "none"))
        result = call(["env", "PTOSIM_MODELS=none", alone, "chips", "ascend910b1"], self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("no chip files in none [I22]", result.stderr)
        self.assertNotIn("is not installed", result.stderr)


if __name__ == "__main__":
    BUILD = sys.argv[sys.argv.index("--build") + 1]
    CMAKE = sys.argv[sys.argv.index("--cmake") + 1]
    unittest.main(argv=sys.argv[:1])
