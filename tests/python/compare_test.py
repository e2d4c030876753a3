#!/usr/bin/python3
"""`ptosim compare` from outside: verdicts, results that are kept, shards, bisection.

    compare_test.py --ptosim BIN
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import frame
from frame import VADD

PTOSIM = ""
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WAIT = "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]"
WORDS = "// run: --blocks 1 --arg rand=32x256xf32 --arg rand=32x256xf32 --arg out=32x256xf32 --arg i32=32\n"
KERNEL = WORDS + VADD
CPP = """// run: --core aiv --blocks 1 --arg rand=1x64xf32 --arg out=1x64xf32
#include <pto/pto-inst.hpp>
using namespace pto;
__global__ AICORE void twice(__gm__ float* x, __gm__ float* y) {
    using Vector = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<64, 64, 64, 64, 1>>;
    Tile<TileType::Vec, float, 1, 64> t;
    TASSIGN(t, 0);
    Vector from(x), to(y);
    TLOAD(t, from);
    TADD(t, t, t);
    TSTORE(to, t);
}
"""
# A version of ptosim that notes that it was called, and may take more time than the one under it.
WRAPPER = """#!/bin/sh
case "$1" in run) echo "$@" >> {log};; esac
case "$1$*" in run*--dry-run*) exec {ptosim} "$@";; run*) shift; exec {ptosim} run {more} "$@";; esac
exec {ptosim} "$@"
"""


class Compare(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def run_it(self, *words, code=0, **environment):
        path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
        done = subprocess.run([PTOSIM, "compare", *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=300, env={**os.environ, "PATH": path, **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def compared(self, *words, code=0, **environment):
        """Verdict and reason by kernel."""
        told = json.loads(self.run_it(*words, "--json", "-", code=code, **environment).stdout)
        return {one["kernel"]: (one["verdict"], one["why"]) for one in told["kernels"]}

    def wrapper(self, name, more=""):
        log = os.path.join(self.folder, name + ".log")
        return self.write(name, WRAPPER.format(log=log, ptosim=PTOSIM, more=more), 0o755), log

    def test_each_verdict(self):
        texts = {"broken": KERNEL.replace("pto.tadd", "pto.taddd", 1), "findings": KERNEL.replace(WAIT, "", 1),
                 "bits": KERNEL.replace("pto.tadd ", "pto.tsub ", 1), "same": KERNEL}
        for name, text in texts.items():
            self.write(f"a/{name}.pto", KERNEL)
            self.write(f"b/{name}.pto", text)
        self.write("a/mended.pto", texts["broken"])
        self.write("b/mended.pto", KERNEL)
        self.write("a/fails.pto", texts["broken"])
        self.write("b/fails.pto", texts["broken"])
        done = self.run_it("", "kernels=b", "a", "--check", "all", "--json", "t.json", "--junit", "t.xml", code=1)
        with open(os.path.join(self.folder, "t.json")) as file:
            told = {one["kernel"][:-4]: one for one in json.load(file)["kernels"]}
        self.assertEqual({name: one["verdict"] for name, one in told.items()}, {name: name for name in told})
        self.assertEqual(len(told), 6)
        self.assertRegex(told["findings"]["why"], r"^[A-Z]\d\d line \d+")
        self.assertEqual(told["bits"]["why"], "output 0")
        self.assertIn("unknown instruction", told["broken"]["why"].replace("operation", "instruction"))
        listed = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertEqual(listed, ["verdict", "broken", "findings", "bits", "mended", "6"])
        suite = xml.etree.ElementTree.parse(os.path.join(self.folder, "t.xml")).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("skipped")), ("6", "3", "1"))
        self.assertEqual([case.get("name") for case in suite if case.find("failure") is not None],
                         ["broken.pto", "findings.pto", "bits.pto"])

    def test_cycles_and_their_tolerance(self):
        self.write("k/a.pto", KERNEL)
        more = "set=launch.block_start=1555"
        self.assertEqual(self.compared("", more, "k", code=1)["a.pto"][0], "slower")
        self.assertEqual(self.compared(more, "", "k")["a.pto"][0], "faster")
        self.run_it(more, "", "k", "--strict", code=1)
        self.assertEqual(self.compared("", more, "k", "--tolerance", "100")["a.pto"][0], "same")

    def test_cpp_programs_and_lists(self):
        self.write("k/twice.cpp", CPP)
        self.write("k/host.cpp", "int main() {}\n")  # no kernel
        self.write("k/vadd.pto", VADD)
        words = WORDS.split(": ", 1)[1]
        self.write("list.json", json.dumps([
            {"kernel": "k/vadd.pto", "name": "one", "words": words},
            {"name": "program", "command": ["{ptosim}", "run", "k/vadd.pto", *words.split(), "--json", "{json}"]},
            {"name": "copy", "command": "sh -c 'echo $PTOSIM_NUMERICS > y.txt'", "outputs": ["y.txt"]}]))
        found = self.compared("", "numerics=a2a3", "k/twice.cpp", "list.json", code=1)
        self.assertEqual({name: one[0] for name, one in found.items()},
                         {"k/twice.cpp": "same", "one": "same", "program": "same", "copy": "bits"})

    def test_arguments_are_made_up(self):
        self.write("k/vadd.pto", VADD)
        done = self.run_it("", "sync=auto", "k", "--all", "--json", "t.json")
        with open(os.path.join(self.folder, "t.json")) as file:
            (one,) = json.load(file)["kernels"]
        self.assertGreater(one["a"]["cycles"], 0)
        self.assertEqual(len(one["a"]["outputs"]), 1)
        self.assertIn("1 kernels", done.stdout)

    def test_what_is_known_is_not_run_again(self):
        self.write("k/a.pto", KERNEL)
        self.write("k/b.pto", VADD)
        one, log = self.wrapper("one")
        for _ in range(2):
            self.compared(f"ptosim={one}", f"ptosim={one} sync=auto", "k")
            with open(log) as file:
                runs = [line for line in file if "--dry-run" not in line]
        first = len(runs)
        self.assertGreaterEqual(first, 4)
        self.write("k/a.pto", KERNEL + "\n")
        self.compared(f"ptosim={one}", f"ptosim={one} sync=auto", "k")
        with open(log) as file:
            self.assertEqual(len([line for line in file if "--dry-run" not in line]), first + 2)

    def test_shards_on_slurm(self):
        """sbatch is a script that runs the tasks of the array."""
        for i in range(6):
            self.write(f"k/{i}.pto", KERNEL + f"// {i}\n")
        self.write("bin/sbatch", """#!/bin/sh
for word; do case "$word" in --array=1-*) count=${word#--array=1-};; esac; last=$word; done
echo "$@" > sbatch.words
for i in $(seq $count); do SLURM_ARRAY_TASK_ID=$i sh -c "$last" || exit 1; done
""", 0o755)
        path = f"{self.folder}/bin:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
        one, log = self.wrapper("one")
        found = self.compared(f"ptosim={one}", f"ptosim={one} sync=auto", "k", "--slurm", "3",
                              "--launcher-option=--partition=x", PATH=path)
        self.assertEqual(len(found), 6)
        with open(log) as file:
            self.assertEqual(len(file.readlines()), 12)  # each once, in its shard
        with open(os.path.join(self.folder, "sbatch.words")) as file:
            self.assertIn("--wait --array=1-3 --partition=x --wrap", file.read())
        self.assertEqual([name for name in os.listdir(self.folder) if "shard" in name], [])

    def test_trends(self):
        self.write("k/a.pto", KERNEL)
        for label, more in (("v1", ""), ("v2", "set=launch.block_start=1555"), ("v2", "set=launch.block_start=1556")):
            self.run_it("", more, "k", "--label", label, "--html", "t.html", code=1 if more else 0)
        with sqlite3.connect(os.path.join(self.folder, "compare.sqlite")) as base:
            self.assertEqual(base.execute("SELECT label FROM runs ORDER BY id").fetchall(), [("v1",), ("v2",)])
        os.unlink(os.path.join(self.folder, "t.html"))
        self.run_it("--html", "t.html")
        with open(os.path.join(self.folder, "t.html")) as file:
            page = file.read()
        self.assertEqual(len(re.findall("<circle", page)), 2)
        self.assertIn("set=launch.block_start=1556", page)

    def git(self, *words):
        return subprocess.run(["git", "-C", os.path.join(self.folder, "repo"), "-c", "user.name=n", "-c",
                               "user.email=e", *words], check=True, capture_output=True, text=True).stdout.strip()

    def test_bisection_of_twenty_commits(self):
        """Bisection in a repository whose program becomes slower in its 13th commit, and whose 7th does not build."""
        self.write("k/a.pto", KERNEL)
        os.makedirs(os.path.join(self.folder, "repo"))
        self.git("init", "-q")
        for number in range(1, 21):
            wrapper, log = self.wrapper("repo/source", "--set launch.block_start=1555" if number >= 13 else "")
            if number == 1:
                self.write("repo/.gitignore", "*.log\nptosim\n")
            self.write("repo/number", f"{number}\n")
            self.git("add", "-A")
            self.git("commit", "-q", "-m", f"Commit {number}")
        commits = self.git("log", "--format=%H", "--reverse").split()
        build = "echo {} >> ../../built; test $(cat number) != 7 && cp source ptosim"
        words = ("", "ptosim={}/ptosim", "k", "--bisect", "repo", commits[0], commits[19], "--build", build,
                 "--builds", "builds")
        for _ in range(2):
            done = self.run_it(*words)
            self.assertRegex(done.stdout, r"^the first bad commit:\n  \w+ n, [\d-]+: Commit 13\n")
            self.assertRegex(done.stdout, r"slower .* a.pto")
            with open(os.path.join(self.folder, "built")) as file:
                built = file.read().split()
            # 20 commits: two ends and five halvings, or one more where a commit does not build.
            self.assertLessEqual(len(built), 8 + 1)
        good = [name for name in built if not name.endswith(commits[6])]
        self.assertEqual(len(good), len(set(good)))  # none that was built was built again
        self.assertEqual(self.git("status", "--short"), "")
        done = self.run_it(*words[:4], "repo", commits[1], commits[5], *words[7:], code=2)
        self.assertIn("shows no regression", done.stderr)

    def test_errors(self):
        self.write("k/a.pto", KERNEL)
        self.write("bad.json", "{")
        self.write("both.json", '[{"kernel": "k/a.pto", "command": "x"}]')
        self.write("text.sqlite", "no database, and long enough to be none: " * 40)
        for words, text in ((("", "", "none"), "none: no such file or folder [I01]"),
                            (("", "chp=x", "k"), "'chp=x' is not an option of a side of the comparison [I61]"),
                            (("", "ptosim=/none", "k"), "/none is not a program [I01]"),
                            (("", "headers=/none", "k"), "headers=/none is not a folder [I01]"),
                            (("", "", "bad.json"), "bad.json: Expecting"),
                            (("", "", "both.json"), "both.json, entry 0 has neither or both"),
                            (("", "", "k", "k"), "two kernels of the corpus are named k/a.pto"),
                            (("", "", "k", "--out", "text.sqlite"), "file is not a database"),
                            (("", "", "k", "--jobs", "0"), "argument --jobs: invalid whole number above 0 value: '0'"),
                            (("", "", "k", "--html", "x.html", "--shard", "3/2"), "argument --shard"),
                            (("", "ptosim={}/x", "k", "--bisect", "none", "a", "b"), "git rev-parse"),
                            (("", "", "k", "--bisect", ".", "a", "b"), "--bisect needs {} in B"),
                            (("--html", "x.html"), "holds no labelled run"), ((), "needs A, B and a CORPUS")):
            self.assertIn(text, self.run_it(*words, code=2).stderr)

    def test_help_and_parser_have_the_same_options(self):
        environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "sim", "python"))
        of_python = subprocess.run([sys.executable, "-m", "ptosim", "compare", "--help"], capture_output=True,
                                   text=True, env=environment).stdout
        options = re.findall(r"^  (--[a-z-]+)", self.run_it("--help", PATH="/nowhere").stdout, re.M)
        self.assertGreater(len(options), 10)
        self.assertEqual(options, re.findall(r"^  (--[a-z-]+)", of_python, re.M))


if __name__ == "__main__":
    PTOSIM = frame.program()
    unittest.main()
