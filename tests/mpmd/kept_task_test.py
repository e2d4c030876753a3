#!/usr/bin/python3
"""A task of a program that is kept and runs alone: `exec --keep-task`, then run, check and debug. Task i of the program
adds i % 8 of each element to the result of the task before, so its operands and its result follow by hand.

kept_task_test.py --ptosim BIN
"""
import argparse
import json
import os
import pathlib
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import frame
import numpy as np

HERE = frame.HERE
sys.path.insert(0, str(HERE.parent / "cli"))
OPTIONS = None
TASKS = 8
STEP = (np.arange(64 * 64) % 8).astype(np.float32).reshape(64, 64)
LINES = platform.machine() == "x86_64" and shutil.which("gdb") is not None  # lines and variables of compiled code


def line_of(text, name="add_kernel.cpp"):
    return next(number for number, line in enumerate((HERE / name).read_text().splitlines(), 1) if text in line)


class KeptTask(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.cache = cls.folder / "cache"
        (cls.cache / "mpmd" / "here").mkdir(parents=True)
        (cls.cache / "mpmd" / "current").write_text("here")
        cls.frame = frame.Frame(OPTIONS.ptosim, cls.folder)
        runtime = cls.frame.compiled("runtime", "runtime.o")
        processors = cls.frame.compiled("processors", "processors.o", *frame.module("instrumentation").BLOCKS)
        cls.program = cls.frame.linked("runtime", runtime, processors)
        cls.kernels = {}

    def kernel(self, name, define="", source="add_kernel", core="aiv", arch="a2a3"):
        if name not in self.kernels:
            path = self.folder / f"{name}.cpp"
            path.write_text(f"{define}\n#include \"{HERE}/{source}.cpp\"\n")
            self.kernels[name] = self.frame.kernel(name, path, arch, core)
        return self.kernels[name]

    def ptosim(self, *words, **more):
        environment = frame.environment(PTOSIM_CACHE=str(self.cache))
        return subprocess.run([OPTIONS.ptosim, *map(str, words)], cwd=self.folder, env=environment | more.pop("variables", {}),
                              capture_output=True, text=True, check=False, timeout=300, **more)

    def keep(self, task, kernel, *options, **variables):
        """The folder of the task, and the program's run."""
        kept = self.folder / f"kept{len(list(self.folder.glob('kept*')))}"
        variables = {"TENSORS": "1", "NAMED": "1", **variables}
        done = self.ptosim("exec", *options, "--keep-task", f"{task}={kept}", "--", self.program, kernel, TASKS,
                           variables={name: value for name, value in variables.items() if value})
        return kept, done

    def kept(self, task, kernel, **variables):
        kept, done = self.keep(task, kernel, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return kept, done

    def console(self, kept, *commands, options=()):
        done = self.ptosim("debug", kept, "--console", *options, input="\n".join(commands) + "\n")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def saved(self, kept, array, *commands):
        out = self.folder / "saved.npy"
        self.console(kept, *commands, "continue", f"save {array} {out}")
        return np.load(out)

    def test_its_arguments_and_its_result(self):
        for task in ("r0t5", "add:4"):
            kept, done = self.kept(task, self.kernel("add"))
            self.assertIn(f"kept task r0t5 (add): ptosim debug {kept}", done.stderr)
            out = self.console(kept, f"save arg0 {kept}/a.npy", f"save arg1 {kept}/b.npy", "continue", f"save arg2 {kept}/c.npy")
            self.assertIn("no findings", out)
            a, b, c = (np.load(kept / f"{name}.npy") for name in "abc")
            np.testing.assert_array_equal(a, 4 * STEP)
            np.testing.assert_array_equal(b, STEP)
            np.testing.assert_array_equal(c, 5 * STEP)

    def test_run_and_check_it(self):
        kept, _ = self.kept("r0t5", self.kernel("add"))
        np.save(self.folder / "golden.npy", 5 * STEP)
        for words in (("run", kept), ("check", kept), ("run", kept, "--golden", f"2={self.folder}/golden.npy")):
            done = self.ptosim(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ptosim("run", kept, "--dry-run").returncode, 0)
        np.save(self.folder / "golden.npy", 6 * STEP)
        done = self.ptosim("run", kept, "--golden", f"2={self.folder}/golden.npy")
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_a_task_without_a_number(self):
        """The runtime's records name it at the end; without them its arrays are unknown."""
        kept, done = self.kept("add:4", self.kernel("add"), NAMED="")
        self.assertIn("kept task r0t5 (add)", done.stderr)
        np.testing.assert_array_equal(self.saved(kept, "arg2"), 5 * STEP)
        kept, _ = self.kept("add:4", self.kernel("add"), NAMED="", TENSORS="")
        self.assertEqual(self.ptosim("run", kept).returncode, 0)

    @unittest.skipUnless(LINES, "lines of compiled code")
    def test_lines_and_variables(self):
        kept, _ = self.kept("r0t3", self.kernel("add"))
        line = line_of("TADD(c, a, b)")
        out = self.console(kept, f"break add_kernel.cpp:{line}", "continue", "frames", "to V->MTE3 #0", "print c[0, 0:8]")
        self.assertRegex(out, rf"AIV00 \(block 0\) at .*add_kernel\.cpp:{line}\n")
        self.assertIn("0 3 6 9 12 15 18 21", re.sub(" +", " ", out))
        self.assertRegex(out, rf"kernel_entry at .*add_kernel\.cpp:{line}")
        self.assertNotIn("ptosim_task", out)

    @unittest.skipUnless(LINES, "lines of compiled code")
    def test_the_writer_of_a_wrong_element(self):
        """The sub-block is added, which is a mistake here: 0 on the first core, but the second one of a5 adds 1."""
        kept, _ = self.kept("r0t5", self.kernel("adds_subblock", "#define ADDS_SUBBLOCK", arch="a5"), ARCH="a5")
        np.save(self.folder / "golden.npy", 5 * STEP)
        out = self.console(kept, "watch arg2[3,7] differs", "continue", "writer c[3,7]",
                           options=("--golden", f"2={self.folder}/golden.npy"))
        self.assertRegex(out, rf"add_kernel\.cpp:{line_of('TSTORE(out, c)')}")
        self.assertRegex(out, rf"add_kernel\.cpp:{line_of('TADDS(c, c')}  TADDS")

    def test_a_race(self):
        kept, _ = self.kept("r0t2", self.kernel("unordered", "#define WITHOUT_WAIT"))
        out = self.console(kept, "continue")
        self.assertRegex(out, r"RAW race in UB between pipes MTE2 and V")
        self.assertRegex(out, rf"TLOAD 'dst' at .*add_kernel\.cpp:{line_of('TLOAD(a, in0)')}")
        self.assertEqual(self.ptosim("check", kept).returncode, 1)

    def test_a_deadlock(self):
        """The program ends with an error, and the task is kept all the same."""
        kept, done = self.keep("r0t1", self.kernel("stuck", "#define STUCK"))
        self.assertEqual(done.returncode, 1, done.stderr)
        out = self.console(kept, "continue", "why", "flags")
        line = line_of("wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1)")
        self.assertRegex(out, rf"waits for flag MTE2->V #1; .*add_kernel\.cpp:{line}")

    def test_a_signal_of_another_task(self):
        kept, done = self.keep("r0t1", self.kernel("signalled", "#define WAITS_FOR_SIGNAL"))
        self.assertEqual(done.returncode, 1, done.stderr)
        done = self.ptosim("run", kept)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, rf"add_kernel\.cpp:{line_of('comm::TWAIT(signal')}.*signalled on AIV00 waits for a word of global "
                                      r"memory that is 0, and continues when it is == 7; nothing in this task sets it \[E05\]")

    def test_a_mixed_task(self):
        kernel = self.kernel("mixed", source="mixed_kernel", core="mix")
        kept, _ = self.kept("r0t4", kernel, MIXED="1")
        parts = json.loads((kept / "task.json").read_text())["parts"]
        self.assertEqual(sorted(part["core"] for part in parts), ["AIC00", "AIV00", "AIV01"])
        np.testing.assert_array_equal(self.saved(kept, "arg2"), 4 * STEP)
        self.assertEqual(self.ptosim("check", kept).returncode, 0)
        if LINES:
            line = line_of("TADD(a, a, b)", "mixed_kernel.cpp")
            out = self.console(kept, f"break mixed_kernel.cpp:{line} core AIV01", "continue", "print a[0, 0:8]")
            self.assertIn("0 3 6 9 12 15 18 21", re.sub(" +", " ", out))
        kernel = self.kernel("mute", "#define WITHOUT_SIGNAL", "mixed_kernel", "mix")
        kept, done = self.keep("r0t1", kernel, MIXED="1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("waits for cross-core flag #0", self.console(kept, "continue", "core AIV01", "why MTE2"))

    def test_the_source_has_changed_since(self):
        source = self.folder / "edited.cpp"
        kernel = self.kernel("edited")
        kept, _ = self.kept("r0t5", kernel)
        text = source.read_text()
        source.write_text("#define ADDS_SUBBLOCK\n#define get_subblockid() 100\n" + text)
        np.testing.assert_array_equal(self.saved(kept, "arg2"), 5 * STEP + 100)
        source.unlink()
        done = self.ptosim("debug", kept, "--console", input=f"continue\nsave arg2 {kept}/c.npy\n")
        self.assertIn("edited.cpp is no longer there: the code of edited that has run is taken", done.stderr)
        np.testing.assert_array_equal(np.load(kept / "c.npy"), 5 * STEP)

    def test_tasks_that_have_not_run(self):
        for task in ("r0t99", "r0t5:3", "add:8", "sub"):
            kept, done = self.keep(task, self.kernel("add"))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"--keep-task {task}: this program has run no such task", done.stderr)
            self.assertIn("tasks that have run, by kernel: add (8, first r0t1)", done.stderr)
            self.assertIn("is a folder without a kept task", self.ptosim("debug", kept).stderr)

    def test_wishes_that_cannot_be(self):
        (self.folder / "full").mkdir()
        (self.folder / "full" / "x").touch()
        for wish, words in (("r0t5", "is not TASK=DIR"), ("=x", "is not TASK=DIR"), ("add:x=y", "is not TASK=DIR"),
                            ("add:-1=y", "is not TASK=DIR"), ("r0t5=full", "holds other files than a kept task")):
            done = self.ptosim("exec", "--keep-task", wish, "--", "true")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertIn("[I70]", done.stderr)
        _, done = self.keep("r0t5", self.kernel("add"), "--mode", "timing")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--keep-task needs data", done.stderr)

    def test_options_that_do_not_apply(self):
        kept, _ = self.kept("r0t1", self.kernel("add"))
        for words in (("--arg", "i32=1"), ("--define", "X"), ("--entry", "k"), ("--sync", "insert"), ("--blocks", "2"), ("--chip", "ascend950pr")):
            done = self.ptosim("run", kept, *words)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertIn(str(kept) if words[0] != "--arg" else "a kept task has its own arguments", done.stderr)

    def test_damaged_folders(self):
        kept, _ = self.kept("r0t1", self.kernel("add"))
        file = kept / "task.json"
        whole = file.read_text()
        generator = random.Random(7)
        memory = (kept / "memory").read_bytes()
        (kept / "memory").write_bytes(memory[:-1])
        done = self.ptosim("run", kept)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("memory is damaged", done.stderr)
        (kept / "memory").write_bytes(memory)
        for text in ("", "{}", "[]", whole[:200], whole.replace('"format": 1', '"format": 2'), whole.replace("AIV", "AIX"),
                     whole.replace('"chip": "', '"chip": "x'), whole.replace('"f32"', '"f31"'), re.sub(r'"base": \d+', '"base": 4096', whole)):
            file.write_text(text)
            done = self.ptosim("run", kept)
            self.assertEqual(done.returncode, 2, done.stderr)
        numbers = list(re.finditer(r"\b\d+\b", whole))
        for number in generator.sample(numbers, 12):
            other = str(generator.choice((0, 1, 7, 2**40, 2**63, 2**64 - 1)))
            file.write_text(whole[:number.start()] + other + whole[number.end():])
            done = self.ptosim("run", kept)
            self.assertIn(done.returncode, (0, 1, 2), (number.group(), other, done.stderr))

    def test_an_editor(self):
        import debug_adapter_test
        kept, _ = self.kept("r0t3", self.kernel("add"))
        with subprocess.Popen([OPTIONS.ptosim, "debug", kept], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=frame.environment(PTOSIM_CACHE=str(self.cache))) as server:
            client = debug_adapter_test.Client(server.stdout.fileno(), server.stdin.fileno())
            client.ask("initialize")
            client.ask("launch")
            line, path = line_of("TADD(c, a, b)"), str(HERE / "add_kernel.cpp")
            given = [{"line": line}, {"line": 10000}]
            points = client.ask("setBreakpoints", source={"path": path}, breakpoints=given)["breakpoints"]
            if LINES:
                self.assertEqual([point["verified"] for point in points], [True, False])
            client.ask("configurationDone")
            stop = client.event("stopped")
            if LINES:
                self.assertEqual(stop["reason"], "breakpoint")
                top = client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"][0]
                self.assertEqual((top["line"], top["source"]["path"]), (line, path))
                self.assertIn("kernel_entry", top["name"])
            self.assertFalse(client.response("setDataBreakpoints", breakpoints=[{"dataId": "no"}])["success"])
            answer = client.ask("evaluate", expression="print arg0[0, 0:8]", context="repl")["result"]
            self.assertIn("0 2 4 6 8 10 12 14", re.sub(" +", " ", answer))
            client.ask("disconnect")


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
