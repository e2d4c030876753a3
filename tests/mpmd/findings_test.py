#!/usr/bin/python3
"""Findings of programs under `ptosim exec`: the test of pytest that has made them fails, whatever process they
come from, and exec ends with 1.

    findings_test.py --ptosim BIN [--python PYTHON]

PYTHON has a pytest, pytest-xdist and pytest-forked; missing ones are left out (default: this Python).
"""
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
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "sim" / "faces" / "mpmd" / "python"))
OPTIONS = None

# Kernel "unordered" lacks a flag between its load and its addition (E01); a task whose dependency the runtime
# forgets to record is a race between tasks (G05).
PROJECT = """
import ctypes
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


def words(kernel):
    return [b"runtime", f"{HERE}/{kernel}.so".encode(), b"4"]


def run(kernel):
    assert ctypes.CDLL(f"{HERE}/runtime.so").main(3, (ctypes.c_char_p * 4)(*words(kernel), None)) == 0


def test_right():
    run("add")


def test_race():
    run("unordered")


def test_right_after_it():
    run("add")


def test_same_race():
    run("unordered")


def test_between_tasks(monkeypatch):
    monkeypatch.setenv("FORGOTTEN", "3")
    run("add")


def test_child():
    subprocess.run([f"{HERE}/runtime", *words("unordered")[1:]])


@pytest.fixture
def raced():
    run("unordered")


def test_fixture(raced):
    pass


@pytest.fixture
def races_after():
    yield
    run("unordered")


def test_teardown(races_after):
    pass


def test_wrong_itself():
    run("unordered")
    assert 1 == 2


@pytest.mark.xfail
def test_expected():
    run("unordered")
"""
WRONG = {"test_race": "E01", "test_same_race": "E01", "test_between_tasks": "G05", "test_child": "E01",
         "test_fixture": "E01", "test_teardown": "E01", "test_wrong_itself": "E01"}


def has(module):
    return subprocess.run([OPTIONS.python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


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
            subprocess.run(["g++", "-std=c++17", "-O1", "-fPIC", f"-I{ROOT}/include", *flags, "-c",
                            HERE / f"{source}.cpp", "-o", cls.folder / f"{source}.o"], check=True)
        for output, flags in (("runtime", []), ("runtime.so", ["-shared"])):
            subprocess.run(["g++", *flags, cls.folder / "runtime.o", cls.folder / "processors.o", "-o",
                            cls.folder / output, f"-L{library}", "-lptosim", f"-Wl,-rpath,{library}", "-lpthread",
                            "-ldl"], check=True)
        for name, define in (("add", ""), ("unordered", "#define WITHOUT_FLAG")):
            source = cls.folder / f"{name}.cpp"
            source.write_text(f"{define}\n#include \"{HERE}/add_kernel.cpp\"\n")
            (cls.folder / f"{name}.so").write_bytes(kernels.compile_kernel(source, "aiv", "a2a3", []))
        (cls.folder / "test_project.py").write_text(PROJECT)

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
        self.assertRegex(result.stderr, r"error: sh exited with 0, but its processes reported \d+ findings")
        self.assertEqual(list((self.folder / "tmp").glob("ptosim-findings-*")), [])

    def test_the_exit_code_of_the_command(self):
        for command, code in ((f"{self.RACES}; exit 7", 7), ("./runtime ./add.so 4", 0),
                              ("kill -SEGV $$", -signal.SIGSEGV)):
            result = self.exec("--check", "race", "--", "sh", "-c", command)
            self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(self.exec("--", "sh", "-c", self.RACES).returncode, 0)

    def test_forms_of_an_option(self):
        for words in (["--check=race", "--"], ["--check=race"], ["--check", "race"], ["--check=race", "--mode", "full", "--"]):
            result = self.exec(*words, "./runtime", "./unordered.so", "4")
            self.assertEqual(result.returncode, 1, result.stderr)
        result = self.exec("--", "sh", "-c", 'echo "$@"', "sh", "--", "--check=none")
        self.assertEqual((result.returncode, result.stdout), (0, "-- --check=none\n"), result.stderr)

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


class Pytest(Program):
    def setUp(self):
        if not has("pytest"):
            self.skipTest(f"{OPTIONS.python} has no pytest (Debian: python3-pytest)")

    def check(self, *words):
        """The project's tests, and the tests that are not WRONG, end as they should."""
        for name in ("junit.xml", "found.sarif"):
            (self.folder / name).unlink(missing_ok=True)
        result = self.exec("--check", "race", "--report", "found.sarif", "--", OPTIONS.python, "-m", "pytest", "-p",
                           "no:cacheprovider", "--junitxml=junit.xml", *words, "test_project.py")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        tests = {}
        for case in xml.parse(self.folder / "junit.xml").iter("testcase"):
            found = tests.setdefault(case.get("name"), [set(), set()])
            found[0] |= {child.tag for child in case if child.tag in ("failure", "error", "skipped")}
            found[1] |= {p.get("value").rsplit("[", 1)[1].rstrip("]") for p in case.iter("property")
                         if p.get("name") == "ptosim_finding"}
        expected = {name: [set(), set()] for name in ("test_right", "test_right_after_it")}
        expected["test_expected"] = [{"skipped"}, {"E01"}]
        for name, code in WRONG.items():
            expected[name] = [{"error" if name in ("test_fixture", "test_teardown") else "failure"}, {code}]
        self.assertEqual(tests, expected, result.stdout + result.stderr)
        named = {}
        for found in json.loads((self.folder / "found.sarif").read_text())["runs"][0]["results"]:
            named.setdefault(found["message"]["text"].split("in test test_project.py::")[1].split("\n")[0], set()).add(
                found["ruleId"])
        self.assertEqual(named, {name: {code} for name, code in {**WRONG, "test_expected": "E01"}.items()})
        return result

    def test_one_process(self):
        result = self.check()
        self.assertRegex(result.stdout, r"FAILED test_project.py::test_race\b")
        self.assertIn("ptosim findings", result.stdout)
        self.assertIn("add_kernel.cpp:", result.stdout)
        self.assertNotIn("RAW race", result.stderr)  # they have been shown

    def test_xdist(self):
        if not has("xdist"):
            self.skipTest(f"{OPTIONS.python} has no pytest-xdist")
        for count in ("1", "2"):
            self.check("-n", count)

    def test_forked(self):
        if not has("pytest_forked"):
            self.skipTest(f"{OPTIONS.python} has no pytest-forked")
        (self.folder / "test_plain.py").write_text("def test_plain():\n    pass\n")
        plain = subprocess.run([OPTIONS.python, "-m", "pytest", "--forked", "-p", "no:cacheprovider", "test_plain.py"],
                               cwd=self.folder, capture_output=True, text=True, check=False)
        if plain.returncode != 0:
            self.skipTest(f"the pytest-forked of {OPTIONS.python} does not run with its pytest: {plain.stdout}")
        self.check("--forked")

    def test_without_checkers(self):
        result = self.exec("--", OPTIONS.python, "-m", "pytest", "-p", "no:cacheprovider", "test_project.py", "-k",
                           "test_race")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_expected_findings(self):
        result = self.exec("--check", "race", "--", OPTIONS.python, "-m", "pytest", "-p", "no:cacheprovider",
                           "test_project.py", "-k", "test_expected")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("1 xfailed", result.stdout)
        self.assertIn("exited with 0, but its processes reported", result.stderr)

    def test_when_a_module_is_imported(self):
        (self.folder / "test_imported.py").write_text(
            "from test_project import run\nrun('unordered')\n\n\ndef test_nothing():\n    pass\n")
        result = self.exec("--check", "race", "--", OPTIONS.python, "-m", "pytest", "-p", "no:cacheprovider",
                           "test_imported.py")
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertIn("ERROR test_imported.py", result.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=sys.executable)
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.ptosim = OPTIONS.ptosim.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
