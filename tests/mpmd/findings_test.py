#!/usr/bin/python3
"""Findings of programs under `ptosim exec`: it ends with 1, whatever process they come from."""
import argparse
import importlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "sim" / "mpmd" / "python"))
OPTIONS = None

# Kernel "unordered" lacks a flag between its load and its addition (E01); a task whose dependency the runtime
# forgets to record is a race between tasks (G05).


class Program(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        platform = cls.folder / "cache" / "mpmd" / "here"
        (platform / "a2a3").mkdir(parents=True)
        (cls.folder / "tmp").mkdir()
        (platform.parent / "current").write_text("here")
        os.environ["PTOSIM_PROGRAM"] = str(OPTIONS.ptosim)
        os.environ["PTOSIM_PLATFORM"] = str(platform)
        kernels = importlib.import_module("ptosim_mpmd.kernels")
        blocks = importlib.import_module("ptosim_mpmd.instrumentation").BLOCKS
        library = OPTIONS.ptosim.parent
        for source, flags in (("runtime", []), ("processors", blocks)):
            subprocess.run(["g++", "-std=c++17", "-O1", "-fPIC", f"-I{ROOT}/include", *flags, "-c", HERE / f"{source}.cpp",
                            "-o", cls.folder / f"{source}.o"], check=True)
        for output, flags in (("runtime", []), ("runtime.so", ["-shared"])):
            subprocess.run(["g++", *flags, cls.folder / "runtime.o", cls.folder / "processors.o", "-o", cls.folder / output,
                            f"-L{library}", "-lptosim", f"-Wl,-rpath,{library}", "-lpthread", "-ldl"], check=True)
        for name, define in (("add", ""), ("unordered", "#define WITHOUT_FLAG")):
            source = cls.folder / f"{name}.cpp"
            source.write_text(f"{define}\n#include \"{HERE}/add_kernel.cpp\"\n")
            (cls.folder / f"{name}.so").write_bytes(kernels.compile_kernel(source, "aiv", "a2a3", []))

    def start(self, *words, **options):
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("PTOSIM_", "PYTEST_", "PYTHONPATH"))}
        environment["TMPDIR"] = str(self.folder / "tmp")
        environment["PTOSIM_CACHE"] = str(self.folder / "cache")
        return subprocess.Popen([OPTIONS.ptosim, "exec", *words], cwd=self.folder, env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def exec(self, *words):
        process = self.start(*words)
        output, errors = process.communicate(timeout=240)
        return subprocess.CompletedProcess(words, process.returncode, output, errors)


class Exec(Program):
    RACES = "./runtime ./unordered.so 4"

    def test_a_child_whose_exit_code_nobody_reads(self):
        result = self.exec("--check", "race", "--", "sh", "-c", f"{self.RACES}; {self.RACES}; exit 0")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"error: sh has ended with 0, and its processes have found \d+ findings")
        self.assertEqual(list((self.folder / "tmp").glob("ptosim-findings-*")), [])

    def test_the_exit_code_of_the_command(self):
        for command, code in ((f"{self.RACES}; exit 7", 7), ("./runtime ./add.so 4", 0), ("kill -SEGV $$", -signal.SIGSEGV)):
            result = self.exec("--check", "race", "--", "sh", "-c", command)
            self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(self.exec("--", "sh", "-c", self.RACES).returncode, 0)

    def test_an_exec_in_an_exec(self):
        result = self.exec("--check", "race", "--report", "found.json", "--", "sh", "-c",
                           f"{OPTIONS.ptosim} exec {self.RACES}; test $? = 1")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual({found["code"] for found in json.loads((self.folder / "found.json").read_text())}, {"E01"})

    def test_one_report_of_all_processes(self):
        result = self.exec("--check", "race", "--report", "found.sarif", "--", "sh", "-c",
                           f"{self.RACES}; FORGOTTEN=3 ./runtime ./add.so 4; cd /")
        self.assertEqual(result.returncode, 1, result.stderr)
        results = json.loads((self.folder / "found.sarif").read_text())["runs"][0]["results"]
        self.assertEqual({found["ruleId"] for found in results}, {"E01", "G05"})
        self.exec("--check", "race", "--report", "none.sarif", "--", "./runtime", "./add.so", "4")
        self.assertEqual(json.loads((self.folder / "none.sarif").read_text())["runs"][0]["results"], [])
        result = self.exec("--report", "none/found.sarif", "--", "sh", "-c", "echo begun")
        self.assertEqual((result.returncode, result.stdout), (2, ""))

    def test_signals_go_to_the_command(self):
        process = self.start("--", "sh", "-c", "trap 'echo got; exit 5' TERM; echo begun; while :; do sleep 0.1; done")
        self.assertEqual(process.stdout.readline(), "begun\n")
        process.terminate()
        self.assertEqual(process.communicate(timeout=60)[0], "got\n")
        self.assertEqual(process.returncode, 5)

    def test_the_command_does_not_outlive_exec(self):
        process = self.start("--", "sh", "-c", "echo $$; exec sleep 60")
        child = int(process.stdout.readline())
        process.kill()
        process.communicate(timeout=30)  # the child holds the pipe until it ends
        for _ in range(100):
            if not pathlib.Path(f"/proc/{child}").exists():
                return
            time.sleep(0.1)
        self.fail("the command goes on")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.ptosim = OPTIONS.ptosim.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
