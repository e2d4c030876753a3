#!/usr/bin/python3
"""The Python package from outside: the call, results, findings, what kernels do to their process.

    package_test.py --ptosim BIN

Expected values are numpy's. A kernel of the tutorial's kind is written here as text.
"""
import concurrent.futures
import importlib.util
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import frame

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "sim", "python"))
KERNELS = os.path.join(ROOT, "tests", "kernels")
VADD = os.path.join(KERNELS, "vadd_f32.pto")

CPP = """#include <pto/pto-inst.hpp>
#include <unistd.h>
#include <csignal>
__global__ AICORE void k(__gm__ float* x, __gm__ float* out, int32_t what) {
    if (what == 1) *reinterpret_cast<volatile int*>(8) = 1;
    if (what == 2) for (;;) asm volatile("");
    if (what == 3) kill(getpid(), SIGKILL);
    for (int i = 0; i < 16; ++i) out[i] = 2 * x[i];
}
"""


def vadd_arguments(rows=32):
    generator = np.random.default_rng(1)
    x, y = (generator.standard_normal((rows, 256), dtype=np.float32) for _ in range(2))
    return x, y


def _forked_run(n):
    x = np.full((32, 256), n, np.float32)
    z = np.empty_like(x)
    for _ in range(5):
        ptosim.simulate(VADD, blocks=1)(x, x, z, 32)
    return bool((z == 2 * n).all())


class Call(unittest.TestCase):
    def test_outputs_are_numpys_and_cycles_those_of_the_command_line(self):
        x, y = vadd_arguments()
        out = np.zeros_like(x)
        r = ptosim.simulate(VADD, blocks=1, check="all")(x, y, out, 32)
        np.testing.assert_array_equal(out, x + y)
        self.assertIs(r.outputs[0], out)
        self.assertEqual((r.output_names, r.findings, r.finished, r.ok), (["z"], [], True, True))
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "r.json")
            ptosim.program.call(["run", VADD, "--blocks", "1", "--arg", "rand=32x256xf32", "--arg",
                                 "rand=32x256xf32", "--arg", "out=32x256xf32", "--arg", "i32=32",
                                 "--json", result])
            with open(result) as file:
                expected = json.load(file)
        self.assertEqual(r.cycles, expected["cycles"])
        self.assertEqual(r.json["cores"], expected["cores"])
        self.assertEqual(r.work.global_write_bytes, 32 * 256 * 4)
        self.assertGreater(r.work.bound_cycles, 0)
        self.assertLess(r.work.bound_cycles, r.cycles)
        self.assertIn("MTE2", r.bottleneck)
        pipe = r.lanes[0].pipes["MTE2"]
        self.assertEqual(pipe.busy + pipe.wait + pipe.idle, r.cycles)

    def test_times_of_many_cores_are_those_of_the_command_line(self):
        # A device's chip has begun before its first launch; that must not show.
        generator = np.random.default_rng(2)
        rows = generator.standard_normal((1024, 512), dtype=np.float32)
        a, b = (generator.standard_normal((512, 512)).astype(np.float16) for _ in range(2))
        for kernel, blocks, arguments in (
                ("softmax_rows_f32", 48, [rows, ptosim.out(rows.shape), 1024]),
                ("gemm_f16", 16, [a, b, ptosim.out((512, 512)), 512, 512, 512])):
            path = os.path.join(KERNELS, kernel + ".pto")
            r = ptosim.simulate(path, blocks=blocks)(*arguments)
            with tempfile.TemporaryDirectory() as folder:
                words = []
                for i, argument in enumerate(arguments):
                    if isinstance(argument, np.ndarray):
                        np.save(os.path.join(folder, f"{i}.npy"), argument)
                        words += ["--arg", f"in={folder}/{i}.npy"]
                    elif isinstance(argument, int):
                        words += ["--arg", f"i32={argument}"]
                    else:
                        shape = "x".join(str(n) for n in argument.shape)
                        words += ["--arg", f"out={shape}xf32:{folder}/{i}.npy"]
                result = os.path.join(folder, "r.json")
                ptosim.program.call(["run", path, "--blocks", str(blocks), "--json", result, *words])
                with open(result) as file:
                    expected = json.load(file)
                self.assertEqual((r.cycles, r.json["cores"]), (expected["cycles"], expected["cores"]))
                position = next(i for i, v in enumerate(arguments) if not isinstance(v, (int, np.ndarray)))
                np.testing.assert_array_equal(r.outputs[0], np.load(f"{folder}/{position}.npy"))

    def test_runs_keep_what_they_were_given(self):
        # Arrays are mapped into devices, and their files used again: nothing of one run is another's.
        def run(n, rows):
            x, y = (np.full((rows, 256), value, np.float32) for value in (n, 1))
            return ptosim.simulate(VADD, blocks=1)(x, y, np.empty_like(x), rows)

        for rows in (32, 1600):  # 1.6 MB: files of several sizes
            kept = [run(n, rows) for n in range(3)]
            for n, r in enumerate(kept):
                self.assertTrue((r.outputs[0] == n + 1).all())
                golden = np.full((rows, 256), n + 2, np.float32)
                self.assertEqual(r.compare(golden).writer.instruction, "TSTORE")  # runs once more
            del r, kept
            for n in range(3):
                self.assertTrue((run(n + 5, rows).outputs[0] == n + 6).all())

    def test_a_source_that_changes_between_two_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.cpp")
            with open(path, "w") as file:
                file.write(CPP)
            x, golden = np.arange(16, dtype=np.float32), 2 * np.arange(16, dtype=np.float32)
            run = ptosim.simulate(path, cores="aiv", blocks=1)
            for _ in range(2):  # the second call expects the parameters of the first
                np.testing.assert_array_equal(run(x, ptosim.out(16), 0).outputs[0], golden)
            with open(path, "w") as file:
                file.write(CPP.replace("k(", "k(int32_t first, ", 1))
            with self.assertRaisesRegex(ptosim.Error, "takes 4 arguments .*%first.* received 3"):
                run(x, ptosim.out(16), 0)
            np.testing.assert_array_equal(run(7, x, ptosim.out(16), 0).outputs[0], golden)
            with open(path, "w") as file:
                file.write(CPP)
            np.testing.assert_array_equal(run(x, ptosim.out(16), 0).outputs[0], golden)

    def test_inputs_stay_as_they_are_in_the_caller(self):
        x, y = vadd_arguments()
        before = x.copy()
        with open(VADD) as file:
            text = file.read().replace("make_tensor_view %z,", "make_tensor_view %x,")
        r = ptosim.simulate(text, blocks=1)(x, ptosim.inout(y), ptosim.out(x.shape), 32)
        np.testing.assert_array_equal(x, before)  # given as an input, whatever the kernel does
        self.assertEqual(r.uses["x"]["writes"] > 0, True)
        both = ptosim.simulate(text, blocks=1)(ptosim.inout(x), y, ptosim.out((32, 256)), 32)
        np.testing.assert_array_equal(x, before + y)
        self.assertIs(both.outputs[0], x)

    def test_processes_forked_by_multiprocessing_share_no_arrays(self):
        x, y = vadd_arguments()
        r = ptosim.simulate(VADD, blocks=1)(x, y, np.empty_like(x), 32)
        del r  # its file waits to be used again
        with multiprocessing.get_context("fork").Pool(2) as pool:
            for n, right in enumerate(pool.map(_forked_run, range(8))):
                self.assertTrue(right, n)

    def test_what_is_not_written_keeps_the_poison(self):
        x, y = vadd_arguments()
        out = np.zeros((64, 256), np.float32)  # the kernel writes half of it
        ptosim.simulate(VADD, blocks=1)(x, y, out, 32)
        np.testing.assert_array_equal(out[:32], x + y)
        self.assertTrue(np.isnan(out[32:]).all())
        ptosim.simulate(VADD, blocks=1, poison=False)(x, y, ptosim.out(out), 32)
        self.assertTrue((out[32:] == 0).all())  # fresh memory of the device

    def test_reading_an_output_before_it_is_written_is_found_behind_the_poison(self):
        x, y = vadd_arguments()
        with open(VADD) as file:
            text = file.read().replace("make_tensor_view %y,", "make_tensor_view %z,")
        for poison in (True, False):
            r = ptosim.simulate(text, blocks=1, check="all", poison=poison)(
                x, y, ptosim.out(x.shape), 32)
            found = [f for f in r.findings if f.code == "D01"]
            self.assertTrue(found, poison)
            self.assertIn("reads byte 0 of z, which neither", found[0].message)
        with ptosim.Device(check="all") as d:
            z = d.empty(x.shape)
            d.launch(VADD, d.put(x), z, d.empty(x.shape), 32, blocks=1)
        self.assertIn("D01", {f.code for f in d.result.findings})

    def test_advice_without_a_trace(self):
        x, y = vadd_arguments()
        r = ptosim.simulate(VADD, blocks=1)(x, y, np.empty_like(x), 32)
        self.assertEqual(r.advice[0]["kind"], "blocks")
        self.assertIn(r.advice[0]["what"], r.bottleneck)
        none = ptosim.simulate(VADD, blocks=1, advice=False)(x, y, np.empty_like(x), 32)
        self.assertEqual((none.advice, none.cycles), ([], r.cycles))

    def test_formats_of_a_trace_change_no_outputs(self):
        zeros, out = np.zeros((32, 256), np.float32), np.zeros((32, 256), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            r = ptosim.simulate(VADD, blocks=1, trace=folder, trace_formats="agent")(
                zeros, zeros.copy(), out, 32)
            # The sum of zeros is zero: only the run without data shows that z is an output.
            self.assertEqual(r.output_names, ["z"])
            differs = r.compare(np.ones_like(out))  # runs again, to find who wrote it
            self.assertIn("vadd_f32.pto", str(differs.writer))
        with self.assertRaises(ptosim.Error) as caught:  # its own words are still refused
            ptosim.simulate(VADD, trace_formats="agent")(zeros, zeros, out, 32)
        self.assertEqual(caught.exception.code, "I00")

    def test_what_is_wrong_with_a_run_that_finds_outputs_is_told(self):
        zeros = np.zeros((32, 256), np.float32)
        simulation = ptosim.simulate(VADD, blocks=1)
        simulation._plain = lambda **changes: ptosim.Options(numerics="none")
        with self.assertRaisesRegex(ptosim.Error, "numerics is 'none', not one of ieee"):
            simulation(zeros, zeros, zeros.copy(), 32)

    def test_counts_that_no_device_can_have(self):
        zeros = np.zeros((32, 256), np.float32)
        for name, value in (("blocks", -1), ("blocks", (1 << 32) + 1), ("warm", 0.5),
                            ("schedules", -1), ("seed", 1e30), ("max_cycles", 1 << 64)):
            with self.assertRaisesRegex(ptosim.Error, f"{name} is .*, not a whole number") as caught:
                ptosim.simulate(VADD, **{name: value})(zeros, zeros, ptosim.out(zeros.copy()), 32)
            self.assertEqual(caught.exception.code, "I61")

    def test_scope_and_other_schedules(self):
        x, y = vadd_arguments()
        r = ptosim.simulate(VADD, blocks=1, scope=True, schedules=2, seed=3)(
            x, y, np.empty_like(x), 32)
        self.assertEqual(r.scope["line"]["reached"], r.scope["line"]["all"])
        self.assertEqual(r.json["schedules"], {"run": 2, "differ": 0})

    def test_a_shape_for_an_output_and_text_for_a_kernel(self):
        x, y = vadd_arguments()
        with open(VADD) as file:
            text = file.read()
        r = ptosim.simulate(text, blocks=1)(x, y, ptosim.out(x.shape, "f32"), np.int64(32))
        np.testing.assert_array_equal(r.output("z"), x + y)

    def test_other_chips_in_one_process_from_threads(self):
        x, y = vadd_arguments()

        def cycles(chip):
            out = np.empty_like(x)
            r = ptosim.simulate(VADD, blocks=1, chip=chip)(x, y, out, 32)
            np.testing.assert_array_equal(out, x + y)
            return r.cycles

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(cycles, ["ascend910b1", "ascend910b4", "kirin9030"] * 2))
        self.assertEqual(found[:3], found[3:])
        slow = ptosim.Chip.load("ascend910b1").set("aiv.ub.bytes", "16KiB")
        self.assertEqual(slow["aiv.ub.bytes"], "16 KiB")
        with self.assertRaises(ptosim.Error) as caught:
            ptosim.simulate(VADD, blocks=1, chip=slow)(x, y, np.empty_like(x), 32)
        self.assertEqual(caught.exception.code, "A03")
        self.assertGreater(caught.exception.line, 0)

    def test_an_output_that_cannot_be_written_to(self):
        x, y = vadd_arguments()
        z = np.full_like(x, 7)
        z.setflags(write=False)
        simulation = ptosim.simulate(VADD, blocks=1)
        for given in (z, ptosim.out(z), ptosim.inout(z), list(z)):
            with self.assertRaises(ptosim.Error) as caught:
                simulation(x, y, given, 32)
            self.assertIn("argument 2 (%z) is an output, and its array is read-only",
                          str(caught.exception))
        self.assertTrue((z == 7).all())
        x.setflags(write=False)  # inputs may be
        r = simulation(x, y, ptosim.out(z.shape), 32)
        np.testing.assert_array_equal(r.outputs[0], x + y)
        self.assertEqual(ptosim.simulate(VADD, blocks=1, mode="timing")(x, y, z, 32).cycles, r.cycles)
        # Code that uses plain pointers: which arrays are outputs shows when it has run.
        out = np.zeros(16, np.float32)
        out.setflags(write=False)
        with self.assertRaisesRegex(ptosim.Error, r"argument 1 \(%.*\) is an output"):
            ptosim.simulate(CPP, cores="aiv", blocks=1)(np.ones(16, np.float32), out, 0)

    def test_values_that_options_cannot_have(self):
        # Allowed values: the ranges and words of `ptosim run --help`.
        for name, values, text in (
                ("blocks", (-1, "a", 1.5, True, None, 2**32 + 1), "a whole number from 0 to 1048576"),
                ("warm", (-1, 1001, "a"), "a whole number from 0 to 1000"),
                ("schedules", (-1, 100001, 0.5), "a whole number from 0 to 100000"),
                ("seed", (-1, "a", 2**64), "a whole number from 0 to 2^64 - 1"),
                ("max_cycles", (-5, 0, 2**62 + 1, "x"), "a whole number from 1 to 2^62, or None"),
                ("max_instructions", (0, -1), "a whole number from 1 to 2^62, or None"),
                ("threads", (-1, 1025), "a whole number from 0 to 1024; 0: as many as the host"),
                ("check_memory", (0, -1, 2**20 + 1), "a whole number from 1 to 1048576 (MiB)"),
                ("memory_mib", (-1, "1"), "a whole number from 0"),
                ("timeout", (0, -1, "x", float("nan"), float("inf"), True), "above 0, or None"),
                ("plan", ("x", 1), "one of legacy, modern"),
                ("cores", ("aix",), "one of aic, aiv, mix; empty: as the kernel declares"),
                ("mode", ("fast", 1), "one of full, timing, functional"),
                ("numerics", ("a4",), "one of ieee, a2a3, a5, a5-templates, chip"),
                ("sync", ("none", None), "one of explicit, auto, insert; empty"),
                ("memory", ("host",), "one of device, exact"),
                ("check", (True, None, ["race"]), 'text: "all"'),
                ("set", (["aiv.ub.bytes=1"], "x"), "chip parameters with values, {path: value}"),
                ("chip", (5, None), "a chip's name, a chip file, or a Chip"),
                ("trace", (5, True), "the name of a file or folder"),
                ("suppress", (5,), "the name of a file or folder"),
                ("poison", ("no", 2), "True or False"), ("advice", (1,), "True or False"),
                ("includes", ("folder", [5]), "a list of folders"), ("params", ([1],), "{name: value}"),
                ("limits", ({"cpu": 1}, {"cpu_seconds": -1}, {"cpu_seconds": "a"}, 5),
                 "numbers from 0 by cpu_seconds, file_mib, open_files")):
            for value in values:
                with self.assertRaises(ptosim.Error, msg=f"{name}={value!r}") as caught:
                    ptosim.simulate(VADD, **{name: value})
                self.assertEqual(caught.exception.code, "I61")
                self.assertIn(f"error: {name} is {value!r}, not ", str(caught.exception))
                self.assertIn(text, caught.exception.message)
        with self.assertRaisesRegex(ptosim.Error, "schedules is -1, not a whole number"):
            ptosim.Device(schedules=-1)
        with self.assertRaisesRegex(ptosim.Error, "unknown option blocks"):
            ptosim.Device(blocks=1)
        with ptosim.Device() as d:
            for name in ("blocks", "warm"):
                with self.assertRaisesRegex(ptosim.Error, f"{name} is -1, not a whole number"):
                    d.launch(VADD, None, None, None, 32, **{name: -1})
        x, y = vadd_arguments()  # numbers of NumPy are numbers
        r = ptosim.simulate(VADD, blocks=np.int64(1), seed=np.uint32(1), max_cycles=np.int32(10**6),
                            timeout=np.float32(60), scope=np.bool_(True), threads=0)(
                                x, y, np.empty_like(x), 32)
        self.assertTrue(r.ok)

    def test_text_and_names_of_files(self):
        one_line = "module { func.func @k() attributes {pto.kernel_kind = " \
            "#pto.kernel_kind<vector>} { return } }"
        self.assertEqual(ptosim.simulate(one_line)().kernel, "k")
        for text in ("", " \n"):
            with self.assertRaisesRegex(ptosim.Error, "the kernel's text is empty") as caught:
                ptosim.simulate(text)
            self.assertEqual(caught.exception.code, "I61")
        with self.assertRaisesRegex(ptosim.Error, "none.pto"):
            ptosim.simulate("none.pto")()

    def test_errors_have_the_codes_of_the_command_line(self):
        x, y = vadd_arguments()
        for code, call in {
                "I22": lambda: ptosim.simulate(VADD, chip="ascend999")(x, y, x, 32),
                "I16": lambda: ptosim.simulate(VADD, check="everything")(x, y, x, 32),
                "I01": lambda: ptosim.simulate("no_such.pto")(x),
                "I61": lambda: ptosim.simulate(VADD)(x, y),
                "I21": lambda: ptosim.Chip.load().set("no.such", 1)}.items():
            with self.assertRaises(ptosim.Error) as caught:
                call()
            self.assertIn(f"[{code}]", str(caught.exception))
            self.assertEqual(caught.exception.code, code)
        with self.assertRaisesRegex(ptosim.Error, r"points to f32, and the array has .* f16"):
            ptosim.simulate(VADD)(x.astype(np.float16), y, x, 32)
        with self.assertRaisesRegex(ptosim.Error, "unknown option chips"):
            ptosim.simulate(VADD, chips=2)
        with self.assertRaises(ptosim.Error) as caught:
            ptosim.simulate("module {\n  func.func @k() { pto.nothing }\n}\n")()
        self.assertEqual((caught.exception.file, caught.exception.line), ("kernel.pto", 2))

    def test_a_missing_flag_is_a_finding_with_its_line(self):
        x, y = vadd_arguments()
        with open(VADD) as file:
            lines = file.readlines()
        line = next(i for i, text in enumerate(lines) if "wait_flag[<PIPE_MTE2>, <PIPE_V>" in text)
        lines[line] = "\n"
        r = ptosim.simulate("".join(lines), blocks=1, check="all")(x, y, np.empty_like(x), 32)
        self.assertIn("race", {f.category for f in r.findings})
        race = next(f for f in r.findings if f.category == "race")
        self.assertEqual(race.file, "kernel.pto")
        self.assertIn(race.source.strip(), "".join(lines))
        with self.assertRaisesRegex(AssertionError, "kernel.pto"):
            r.check()

    def test_an_access_beyond_an_array_is_a_warning_of_memory_in_pages(self):
        x, y = vadd_arguments()
        with open(VADD) as file:  # both loads of x, of which there are two rows
            loads = [i for i, text in enumerate(file, 1) if "pto.tload ins(%x_" in text]
        r = ptosim.simulate(VADD, blocks=1)(x[:2], y, np.empty_like(x), 32)
        self.assertEqual((r.ok, r.findings), (True, []))
        self.assertEqual([(w.code, w.file, w.line) for w in r.warnings],
                         [("G01", VADD, line) for line in loads])
        self.assertIn("pto.tload ins(%x_", r.warnings[0].source)
        # The words of the command line, but for the name of the argument.
        done = ptosim.program.call(["run", VADD, "--blocks", "1", "--arg", "rand=2x256xf32",
                                    "--arg", "rand=32x256xf32", "--arg", "out=32x256xf32", "--arg",
                                    "i32=32"])
        printed = done.stderr.replace("argument 0", "x")
        self.assertEqual(r.findings_text().splitlines(), printed.splitlines())
        self.assertIn(r.findings_text(), str(r))
        self.assertRegex(str(r), r"\nfindings +0\nwarnings +2\n")
        self.assertIn("no findings, 2 warnings", r._repr_html_())
        self.assertIn("warning: view f32", r._repr_html_())
        self.assertIn("ok, 2 warnings", repr(r))
        self.assertEqual(len(r.records("warnings")), 2)
        checked = ptosim.simulate(VADD, blocks=1, check="bounds")(x[:2], y, np.empty_like(x), 32)
        self.assertEqual(([f.code for f in checked.findings], checked.warnings), (["G01"] * 2, []))
        self.assertRegex(str(checked), r"\nfindings +2\n")
        with ptosim.Device() as d:
            d.launch(VADD, d.put(x[:2]), d.put(y), d.empty(x.shape), 32, blocks=1)
        self.assertEqual([w.source for w in d.result.warnings], [w.source for w in r.warnings])

    def test_a_deadlock_is_a_finding(self):
        x, y = vadd_arguments()
        with open(VADD) as file:
            text = file.read().replace("pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n", "\n", 1)
        r = ptosim.simulate(text, blocks=1)(x, y, np.empty_like(x), 32)
        self.assertFalse(r.finished)
        self.assertEqual(r.findings[0].category, "deadlock")

    def test_deadline(self):
        endless = """module {
  func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 1000000000000 : index
    scf.for %i = %c0 to %n step %c1 {
      pto.barrier <PIPE_V>
    }
    return
  }
}
"""
        begin = time.monotonic()
        with self.assertRaises(ptosim.Timeout):
            ptosim.simulate(endless, timeout=0.5)()
        self.assertLess(time.monotonic() - begin, 5)


class Comparing(unittest.TestCase):
    def test_outputs_frames_and_reports_that_are_not_there(self):
        x, y = vadd_arguments()
        r = ptosim.simulate(VADD, blocks=1)(x, y, np.empty_like(x), 32)
        none = ptosim.simulate(VADD, blocks=1, mode="timing")(x, y, np.empty_like(x), 32)
        for call, text in ((lambda: r.compare(x, output=5), "unknown output 5 .*\n.*outputs are 0 .z."),
                           (lambda: r.output("q"), "unknown output 'q' .*\n.*outputs are 0 .z."),
                           (lambda: none.compare(x), "unknown output 0 .*\n.*the run has none"),
                           (lambda: r.records("rows"), "unknown frame 'rows' .*\n.*lanes, findings, warnings"),
                           (lambda: r.report("pdf"), "unknown report 'pdf' .*\n.*md, json, summary, html")):
            with self.assertRaisesRegex(ptosim.Error, text):
                call()

    def test_who_wrote_the_first_wrong_element(self):
        x, y = vadd_arguments()
        r = ptosim.simulate(VADD, blocks=1)(x, y, np.empty_like(x), 32)
        self.assertTrue(r.compare(x + y))
        golden = x + y
        golden[17, 3] = np.nextafter(golden[17, 3], np.float32(np.inf))
        found = r.compare(golden)
        self.assertEqual((found.mismatches, found.first, found.largest_ulps), (1, (17, 3), 1))
        # The second 16 rows are the "pong" half of the loop, which the last tstore stores.
        with open(VADD) as file:
            stores = [i + 1 for i, line in enumerate(file) if "pto.tstore" in line]
        self.assertEqual((found.writer.instruction, found.writer.line), ("TSTORE", stores[-1]))
        self.assertEqual((found.writer.pipe, found.writer.tile), ("MTE3", "UB 0x14200 16x256 f32"))
        self.assertTrue(r.compare(golden, rtol=1e-6))

    def test_arrays_that_are_read_and_written_are_run_again_from_their_first_elements(self):
        x = np.arange(16, dtype=np.float32)
        text = CPP.replace("out[i] = 2 * x[i]", "out[i] = out[i] + x[i]")
        out = np.ones(16, np.float32)
        r = ptosim.simulate(text, cores="aiv", blocks=1)(x, ptosim.inout(out), 0)
        np.testing.assert_array_equal(out, 1 + x)
        found = r.compare(out + 1)
        self.assertEqual((found.mismatches, found.largest_error), (16, 1))

    def test_ulps_and_nan(self):
        one = np.float32(1)
        a = np.array([one, np.nan, -0.0], np.float32)
        b = np.array([np.nextafter(one, np.float32(2)), np.nan, 0.0], np.float32)
        found = ptosim.compare(a, b)
        self.assertEqual((found.mismatches, found.largest_ulps, found.first), (2, 1, (0,)))
        self.assertEqual(ptosim.compare(a, a).equal, True)
        with self.assertRaises(ptosim.Error):
            ptosim.compare(a, b[:2])


class Types(unittest.TestCase):
    def test_bit_patterns(self):
        # 1.5 in bf16 is 0x3FC0, in e4m3 0x3C, in e2m1 3: by hand from the formats.
        self.assertEqual(arrays.decode(np.array([0x3FC0], np.uint16), "bf16")[0], 1.5)
        self.assertEqual(arrays.decode(np.array([0x3C], np.uint8), "e4m3")[0], 1.5)
        self.assertEqual(arrays.decode(np.array([3], np.uint8), "e2m1")[0], 1.5)
        self.assertTrue(np.isnan(arrays.decode(np.array([0x7F], np.uint8), "e4m3")[0]))

    def test_bf16_as_unsigned_integers(self):
        text = CPP.replace("__gm__ float* x, __gm__ float* out", "__gm__ bfloat16_t* x, "
                           "__gm__ bfloat16_t* out").replace("2 * x[i]", "x[i]")
        x = np.arange(16, dtype=np.uint16) + 0x3F80
        out = np.zeros_like(x)
        ptosim.simulate(text, cores="aiv")(x, out, 0)
        np.testing.assert_array_equal(out, x)


def has(package):
    return importlib.util.find_spec(package) is not None


COPY = CPP.replace("2 * x[i]", "x[i]")


@unittest.skipUnless(has("ml_dtypes"), "this Python has no ml_dtypes")
class MlDtypes(unittest.TestCase):
    def test_bf16_goes_in_and_comes_out(self):
        import ml_dtypes
        text = COPY.replace("float*", "bfloat16_t*")
        x = np.linspace(-2, 2, 16).astype(ml_dtypes.bfloat16)
        r = ptosim.simulate(text, cores="aiv")(x, ptosim.out((16,), "bf16"), 0)
        self.assertEqual(r.outputs[0].dtype, x.dtype)
        self.assertTrue(r.compare(x))
        other = x.copy()
        other[3] = ml_dtypes.bfloat16(-1.21875)  # two units in the last place of 2^-7 from -1.203125
        self.assertEqual(float(x[3]), -1.203125)
        found = r.compare(other)
        self.assertEqual((found.first, found.largest_ulps), ((3,), 2))

    def test_fp8_and_fp4_keep_their_bits_on_a_device(self):
        import ml_dtypes
        values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -6, 2, 0.5, 6, 1, -3], np.float32)
        for name in ("float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"):
            if not hasattr(ml_dtypes, name):
                continue  # versions for Python 3.9 have no 4-bit floats
            x = values.astype(getattr(ml_dtypes, name))
            with ptosim.Device() as d:
                back = d.get(d.put(x))
            self.assertEqual(back.dtype, x.dtype)
            np.testing.assert_array_equal(back.astype(np.float32), values)


class DLPack(unittest.TestCase):
    def test_arrays_of_others_are_filled_in_place(self):
        class Others:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **words):
                return self.array.__dlpack__(**words)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        x, y = vadd_arguments()
        z = np.zeros_like(x)
        ptosim.simulate(VADD, blocks=1)(Others(x), Others(y), Others(z), 32)
        np.testing.assert_array_equal(z, x + y)


@unittest.skipUnless(has("torch"), "this Python has no torch")
class Torch(unittest.TestCase):
    def test_tensors_are_read_and_filled_in_place(self):
        import torch
        for dtype, word in ((torch.float32, "float"), (torch.bfloat16, "bfloat16_t")):
            x = torch.linspace(-2, 2, 16).to(dtype)
            out = torch.zeros_like(x)
            r = ptosim.simulate(COPY.replace("float*", word + "*"), cores="aiv")(x, out, 0)
            self.assertTrue(torch.equal(out, x))
            self.assertIs(r.outputs[0], out)


@unittest.skipUnless(has("pandas"), "this Python has no pandas")
class Pandas(unittest.TestCase):
    def test_frames(self):
        x, y = vadd_arguments()
        r = ptosim.simulate(VADD, blocks=1)(x, y, np.empty_like(x), 32)
        frame = r.frame("lanes").set_index("pipe")
        self.assertEqual(frame.loc["MTE2", "busy"], r.lanes[0].pipes["MTE2"].busy)
        self.assertEqual(len(r.frame("findings")), 0)


def children(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            found += [int(child) for child in file.read().split()]
    return found


class Templates(unittest.TestCase):
    """The process of a chip that forks devices ahead of time."""

    @classmethod
    def setUpClass(cls):
        cls.x, cls.y = vadd_arguments()
        cls.simulation = ptosim.simulate(VADD, blocks=1, set={"queue.depth": 7})  # a chip of its own
        cls.run_once()
        worker = ptosim.worker._worker._process.pid
        cls.template = children(worker)[-1]  # in the order they were made; the newest is this chip's

    @classmethod
    def run_once(cls):
        z = np.empty_like(cls.x)
        cls.simulation(cls.x, cls.y, z, 32)
        np.testing.assert_array_equal(z, cls.x + cls.y)

    def waits(self):
        """Until one process waits, and no other is there."""
        for _ in range(200):
            if len(children(self.template)) == 1:
                return children(self.template)[0]
            time.sleep(0.05)
        self.fail(f"processes of the template: {children(self.template)}")

    def fewest_files(self):
        """Open files of the template while it does nothing: it has more for a moment about each fork."""
        self.waits()
        fewest = len(os.listdir(f"/proc/{self.template}/fd"))
        for _ in range(20):
            time.sleep(0.02)
            fewest = min(fewest, len(os.listdir(f"/proc/{self.template}/fd")))
        return fewest

    def test_one_process_waits_and_nothing_is_left(self):
        files = self.fewest_files()
        own = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            self.run_once()
        self.assertEqual(self.fewest_files(), files)
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), own + 1)  # an array's file, kept

    def test_a_process_that_waits_may_be_killed(self):
        for _ in range(3):
            waiting = self.waits()
            os.kill(waiting, signal.SIGKILL)
            while os.path.exists(f"/proc/{waiting}"):
                time.sleep(0.01)
            self.run_once()

    def test_a_device_that_is_killed_says_so(self):
        device = self.simulation.options.connect(self.simulation.kernel)
        self.assertTrue(device.interpreted)
        device.request([self.simulation.options.request()])
        busy = set(children(self.template))
        for pid in busy:  # and the one that waits
            os.kill(pid, signal.SIGKILL)
        with self.assertRaisesRegex(ptosim.DeviceLost, r"signal 9 \(SIGKILL\)"):
            device.request([self.simulation.kernel.request()])
        device.close()
        while any(os.path.exists(f"/proc/{pid}") for pid in busy):
            time.sleep(0.01)  # one that is dying would still be taken
        self.run_once()

    def test_devices_of_interpreted_kernels_take_nothing_else(self):
        for words, request in (({}, {"op": "load", "path": "/usr/lib/libm.so"}),
                               ({}, {"op": "compile", "path": "k.cpp", "output": "k.so"}),
                               ({"schedules": 2}, None)):
            options = ptosim.Options(**words)
            device = ptosim.worker.Connection("ascend910b1", [], interpreted=True)
            with self.assertRaisesRegex(ptosim.Error, "on a device for interpreted kernels .I61"):
                device.request([options.request(), *([request] if request else [])])
            device.close()

    def test_callers_that_go_away_take_their_devices_with_them(self):
        device = self.simulation.options.connect(self.simulation.kernel)
        device.request([self.simulation.options.request()])
        device.close()
        self.waits()


class Devices(unittest.TestCase):
    def test_arrays_stay_between_launches(self):
        x, y = vadd_arguments()
        with ptosim.Device(check="all") as d:
            a, b, c = d.put(x), d.put(y), d.empty(x.shape)
            first = d.launch(VADD, a, b, c, 32, blocks=1)
            d.launch(VADD, c, b, a, 32, blocks=1)
            np.testing.assert_array_equal(d.get(c), x + y)
            np.testing.assert_array_equal(d.get(a), x + y + y)
        self.assertEqual(len(d.result.json["launches"]), 2)
        self.assertGreater(d.result.cycles, first.cycles)
        self.assertEqual(first.kernel, "vadd_f32")
        self.assertEqual(d.result.findings, [])

    def test_misuse(self):
        x, _ = vadd_arguments()
        with ptosim.Device() as d, ptosim.Device() as other:
            with self.assertRaisesRegex(ptosim.Error, "another device"):
                d.get(other.put(x))
            with self.assertRaisesRegex(ptosim.Error, "put"):
                d.launch(VADD, x, x, x, 32)
            a = d.put(x)
            d.release(a)
            with self.assertRaisesRegex(ptosim.Error, "not a device array"):
                d.get(a)

    def test_a_device_that_has_been_closed(self):
        x, y = vadd_arguments()
        with ptosim.Device() as d:
            a = d.put(x)
            d.launch(VADD, a, a, a, 32, blocks=1)
        later = ptosim.Device()
        later.close()
        for call in (lambda: d.get(a), lambda: d.put(x), lambda: d.set(a, y), lambda: d.release(a),
                     lambda: d.empty(4), lambda: d.launch(VADD, a, a, a, 32),
                     lambda: d.load(VADD, entry="k"), later.finish):
            with self.assertRaisesRegex(ptosim.Error, "the device has been closed") as caught:
                call()
            self.assertEqual(caught.exception.code, "I61")
        self.assertGreater(d.finish().cycles, 0)


class Isolation(unittest.TestCase):
    def setUp(self):
        self.x = np.arange(16, dtype=np.float32)
        self.out = np.zeros(16, np.float32)

    def run_kernel(self, what, **options):
        return ptosim.simulate(CPP, cores="aiv", **options)(self.x, ptosim.out(self.out), what)

    def test_a_crash_is_a_finding_and_the_next_run_works(self):
        self.assertEqual(self.run_kernel(1).findings[0].code, "H10")
        self.run_kernel(0)
        np.testing.assert_array_equal(self.out, 2 * self.x)

    def test_an_endless_loop_ends_at_the_deadline(self):
        with self.assertRaises(ptosim.Timeout):
            self.run_kernel(2, timeout=1.5)

    def test_a_kernel_that_ends_its_process(self):
        with self.assertRaises(ptosim.DeviceLost) as caught:
            self.run_kernel(3)
        self.assertEqual(caught.exception.signal, signal.SIGKILL)
        self.run_kernel(0)

    def test_threads_share_one_compilation(self):
        device = importlib.import_module("ptosim.device")
        compiled, calls = device.compiled, []

        def counted(*arguments):
            calls.append(arguments)
            return compiled(*arguments)

        device.compiled = counted
        try:
            simulation = ptosim.simulate(CPP, cores="aiv", sandbox=True)
            outs = [np.zeros(16, np.float32) for _ in range(4)]
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda out: simulation(self.x, ptosim.out(out), 0), outs))
        finally:
            device.compiled = compiled
        self.assertEqual(len(calls), 1)

    def test_interrupt(self):
        threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            self.run_kernel(2)
        self.run_kernel(0)

    def test_a_fork_of_python_has_devices_of_its_own(self):
        self.run_kernel(0)
        child = os.fork()
        if child == 0:
            try:
                self.run_kernel(0)
                os._exit(0)
            except BaseException:
                os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.run_kernel(0)


class Looking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        x, y = vadd_arguments()
        cls.r = ptosim.simulate(VADD, blocks=1)(x, y, np.empty_like(x), 32)

    def test_report_and_html(self):
        self.assertIn("**Bottleneck:**", self.r.report())
        page = self.r._repr_html_()
        self.assertIn("<svg", page)
        self.assertIn(f"{self.r.cycles} cycles", page)
        self.assertLess(len(page), 300_000)
        self.assertNotIn("http-equiv", page)

    def test_records(self):
        rows = self.r.records("lanes")
        self.assertEqual({row["pipe"] for row in rows}, {"S", "MTE2", "V", "MTE3"})
        with self.assertRaises(ptosim.Error):
            self.r.records("colours")

    def test_diff(self):
        x, y = vadd_arguments()
        other = ptosim.simulate(VADD, blocks=2)(np.tile(x, (2, 1)), np.tile(y, (2, 1)),
                                                np.empty((64, 256), np.float32), 64)
        again = ptosim.simulate(VADD, blocks=1)(x, y, np.empty_like(x), 32)
        self.assertFalse(ptosim.diff(self.r, again))
        self.assertIn("cycles:", str(ptosim.diff(self.r, again)))
        self.assertNotEqual(ptosim.Difference(self.r, other).pipes, {})

    def test_introspection(self):
        self.assertIn("ascend950pr", ptosim.chips())
        self.assertEqual(ptosim.Chip.load("ascend910b1").clusters, 24)
        self.assertEqual(ptosim.isa("TADD").operands[0]["name"], "dst")
        self.assertIn("dst = src0 + src1", str(ptosim.isa("TADD")))
        with self.assertRaisesRegex(ptosim.Error, "TADDX"):
            ptosim.isa("TADDX")

    def test_sweep(self):
        found = ptosim.sweep(kernel=VADD, chips=["ascend910b1", "ascend910b3"], blocks=1,
                             arguments=["rand=32x256xf32"] * 2 + ["out=32x256xf32", "i32=32"])
        self.assertEqual(len(found), 2)
        self.assertEqual({row["chip"] for row in found.rows}, {"ascend910b1", "ascend910b3"})
        self.assertGreater(found.best()["cycles"], 0)

    def test_sweep_of_changes_with_a_search(self):
        kernel = os.path.join(ROOT, "tests", "kernels", "parametric", "softmax.pto")
        found = ptosim.sweep(kernel=kernel, params={"ROWS": 256}, changes=[{"memory.hbm.rate": "x2"}],
                             search={"CHUNK": [8, 16]})
        self.assertEqual([row["change"] for row in found.rows], ["base", "memory.hbm.rate=3.062TB/s"])
        self.assertTrue(all(row["chosen"] in ("CHUNK=8", "CHUNK=16") for row in found.rows))


class Program(unittest.TestCase):
    def test_module_is_the_command_line(self):
        import subprocess
        environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "sim", "python"))
        done = subprocess.run([sys.executable, "-m", "ptosim", "run", "nothing.pto"],
                              capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 2)
        self.assertIn("[I01]", done.stderr)


class Documents(unittest.TestCase):
    def test_the_cells_of_the_notebook(self):
        """Shows the value of a cell's last expression, like a notebook."""
        import ast
        import contextlib
        import io
        import json
        with open(os.path.join(ROOT, "sim", "python", "tutorial.ipynb")) as file:
            cells = ["".join(cell["source"]) for cell in json.load(file)["cells"]
                     if cell["cell_type"] == "code"]
        self.assertGreater(len(cells), 8)
        names, shown = {}, []
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.path.join(ROOT, "sim", "python")  # of `python -m ptosim`
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                for cell in cells:
                    tree = ast.parse(cell)
                    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
                    exec(compile(tree, "tutorial.ipynb", "exec"), names)
                    if last is not None:
                        value = eval(compile(ast.Expression(last.value), "tutorial.ipynb", "eval"),
                                     names)
                        if hasattr(value, "_repr_html_"):
                            shown.append(value._repr_html_())
        finally:
            if before is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = before
        self.assertEqual(len(shown), 1)
        self.assertIn("<svg", shown[0])
        self.assertLess(len(shown[0]), 300_000)
        self.assertIn("Use more blocks", printed.getvalue())


if __name__ == "__main__":
    frame.program()
    import ptosim
    import ptosim.program
    from ptosim import arrays
    unittest.main()
