#!/usr/bin/python3
"""Programs of many kernels, with a runtime of our own: processors, registers, clock, kernels as tasks, output of a run,
its determinism, and messages when it cannot go on."""
import argparse
import ctypes
import importlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import frame

HERE, ROOT = frame.HERE, frame.ROOT
OPTIONS = None
TASKS = 8


class Mpmd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        made = frame.Frame(OPTIONS.ptosim, cls.folder)
        instrumentation = frame.module("instrumentation")
        runtime = made.compiled("runtime", "runtime.o")
        processors = made.compiled("processors", "processors.o", *instrumentation.BLOCKS)
        flags = instrumentation.access_flags(cls.access_specs())
        cls.program = made.linked("runtime", runtime, processors)
        cls.library = made.linked("runtime.so", "-shared", runtime, processors)
        # Compiled and linked by one command, like orchestrations.
        cls.program_with_accesses = made.linked("runtime_accesses", runtime, "-std=c++17", "-O1", f"-I{ROOT}/include",
                                                *instrumentation.BLOCKS, *flags, HERE / "processors.cpp")

        def kernel(name, define="", arch="a2a3"):
            source = cls.folder / f"{name}.cpp"
            source.write_text(f"{define}\n#include \"{HERE}/add_kernel.cpp\"\n")
            return made.kernel(name, source, arch)

        with unittest.mock.patch.dict(os.environ, PTOSIM_ASCENDC="/nowhere"):  # of a toolkit for Ascend C
            cls.add = kernel("add")
        with unittest.mock.patch.dict(os.environ, PTOSIM_CHECK="cache"):
            cls.add_with_accesses = kernel("add_with_accesses")
            cls.late = kernel("late", "#define STORES_LATE")
            cls.uncleaned = kernel("uncleaned", "#define STORES_WORD 77")
            cls.cleaned = kernel("cleaned", "#define STORES_WORD 77\n#define CLEANS")
        cls.stuck = kernel("stuck", "#define STUCK")
        cls.popping = kernel("popping", "#define POPS")
        cls.signalled = kernel("signalled", "#define WAITS_FOR_SIGNAL")
        cls.unordered = kernel("unordered", "#define WITHOUT_WAIT")
        cls.patient = kernel("patient", "#define WAITS_TICKS 1250000")
        cls.forgetful = kernel("forgetful", "#define LOADS_ONCE")
        cls.of_subblock = {arch: kernel(f"of_subblock_{arch}", "#define ADDS_SUBBLOCK", arch)
                           for arch in ("a2a3", "a5")}

    @classmethod
    def access_specs(cls):
        """The file that `ptosim exec` writes for the commands that compile code of the AICPU."""
        platform = cls.folder / "cache" / "mpmd" / "here"
        platform.mkdir(parents=True)
        (platform.parent / "current").write_text("here")
        return subprocess.run([OPTIONS.ptosim, "exec", "--chip", "ascend910b1", "--check", "cache", "sh", "-c",
                               "echo $PTOSIM_ACCESS_SPECS"], env={**os.environ, "PTOSIM_CACHE": str(cls.folder / "cache")},
                              capture_output=True, text=True, check=True).stdout.strip()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_program(self, kernel, tasks=TASKS, program=None, **variables):
        return subprocess.run([program or self.program, kernel, str(tasks)], env=frame.environment(**variables),
                              capture_output=True, text=True, check=False, timeout=120)

    def test_tasks_follow_each_other_and_compute(self):
        result = self.run_program(self.add)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = dict(line.split(" ", 1) for line in result.stdout.splitlines())
        self.assertEqual(lines["sum"], f"{TASKS} {7 * TASKS}")
        # A task: at least the time of its registers, its dcci and its reads after that (140 + 225 + 113 + 100 ns).
        self.assertGreater(int(lines["ns"]), TASKS * 578)
        self.assertLess(int(lines["ns"]), TASKS * 10000)

    def test_a_sweep_over_tasks(self):
        """The base takes the cycles of a run by hand; the tasks use no cube core; twice the clock halves their time, because
        latencies are in cycles (docs/running.md)."""
        plan = {"chips": ["ascend910b1"], "run": {"mode": "full"}, "changes": [{"clock": "x2"}, {"aic.l1.bytes": "x2"}],
                "kernels": [{"name": "tasks", "params": {"N": [TASKS, 2 * TASKS]},
                             "program": [str(self.program), str(self.add), "${N}"]}]}
        (self.folder / "tasks.json").write_text(json.dumps(plan))
        for words in (["tasks.json"], ["report", "tasks.sweep", "--json", "tasks.report.json"]):
            done = subprocess.run([OPTIONS.ptosim, "sweep", *words], cwd=self.folder, env=frame.environment(), timeout=120,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        tables = json.loads((self.folder / "tasks.report.json").read_text())["changes"]
        by_hand = self.folder / "by_hand.json"
        for table, tasks in zip(tables, (TASKS, 2 * TASKS), strict=True):
            self.assertEqual(self.run_program(self.add, tasks, PTOSIM_JSON=str(by_hand)).returncode, 0)
            base, clock, l1, _ = table["rows"]
            self.assertEqual(base["cycles"], json.loads(by_hand.read_text())["cycles"])
            self.assertEqual((l1["speed_up"], l1["reason"]), (1, "it uses no L1; a larger L1 cannot change this kernel"))
            self.assertAlmostEqual(clock["speed_up"], 2, places=2)

    # Tasks go to AIV 1, 2, ... of the chip: every second one is the second of its cluster. a2a3: simpler's
    # docs/tpush-tpop.md, section 3; a5: simpler's spmd_paged_attention for that device leaves the number to it.
    def test_the_subblock_of_a_task(self):
        for arch, second in (("a2a3", 0), ("a5", 1)):
            result = self.run_program(self.of_subblock[arch], ARCH=arch)
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = dict(line.split(" ", 1) for line in result.stdout.splitlines())
            added = second * TASKS // 2
            self.assertEqual(lines["sum"], f"{TASKS + added} {7 * TASKS + added}", arch)

    def test_the_record(self):
        trace = self.folder / "trace"
        result = self.run_program(self.add, PTOSIM_TRACE=str(trace))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, f"(?m)^add +{TASKS} ")
        events = json.loads((trace / "program.json").read_text())["traceEvents"]
        tasks = [event for event in events if event["ph"] == "X" and event["name"] == "add"]
        self.assertEqual(len(tasks), TASKS)
        ends = [task["ts"] + task["dur"] for task in tasks]
        for end, later in zip(ends, tasks[1:]):
            # From the end of a task to the begin of the next: the store of the end, its load, the
            # next task's store and its way, a dcci.
            self.assertGreater(later["ts"] - end, 0.365)
            self.assertLess(later["ts"] - end, 1.0)
        processors = [event for event in events if event["name"] == "run"]
        self.assertEqual(len(processors), 2)
        self.assertGreater(processors[1]["args"]["register_loads"], TASKS)
        names = {event["name"] for event in json.loads((trace / "trace.json").read_text())["traceEvents"]}
        self.assertTrue({"TLOAD", "TADD", "TSTORE"} <= names, names)
        # The tasks are there, too: in each core's process, around their instructions.
        events = json.loads((trace / "trace.json").read_text())["traceEvents"]
        cores = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        added = [event for event in events if event["ph"] == "X" and event["name"] == "add"]
        self.assertEqual(len(added), TASKS)
        for task in added:
            inside = [event for event in events if event["ph"] == "X" and event["pid"] == task["pid"]
                      and event["name"] == "TADD" and task["ts"] <= event["ts"] < task["ts"] + task["dur"]]
            self.assertEqual(len(inside), 1, cores[task["pid"]])
        arrows = [event for event in events if event["name"] == "dependency"]
        self.assertEqual(len(arrows), 2 * (TASKS - 1))

    def test_dependencies_of_the_runtimes_records(self):
        trace = self.folder / "records"
        result = self.run_program(self.add, PTOSIM_TRACE=str(trace))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("note: the runtime's records", result.stderr)
        events = json.loads((trace / "program.json").read_text())["traceEvents"]
        self.assertEqual(sum(event["ph"] == "s" for event in events), TASKS - 1)
        tasks = [event for event in events if event["ph"] == "X" and event["name"] == "add"]
        self.assertEqual([task["args"]["task"] for task in tasks], [f"r0t{i}" for i in range(1, TASKS + 1)])
        # The page has them: at the times of program.json, each needing the one before.
        html = (trace / "report.html").read_text()
        page = json.loads(re.search(r'<script type="application/json" id="tasks">(.*?)</script>', html, re.S).group(1))
        self.assertEqual(page["kernels"], ["add"])
        self.assertEqual([name for *_, name in page["tasks"]], [f"r0t{i}" for i in range(1, TASKS + 1)])
        self.assertEqual(page["dependencies"], [[i, i + 1] for i in range(TASKS - 1)])
        for (_, _, begin, cycles, _), task in zip(page["tasks"], tasks):
            self.assertAlmostEqual(begin / 1850, task["ts"], delta=0.001)  # cycles of 1.85 GHz
            self.assertEqual(cycles, task["args"]["cycles"])
        self.assertTrue(html.endswith("</html>\n"))
        # program.json has the times of the runtime's own records.
        rows = json.loads((trace / "program_runs" / "0" / "chip_swimlane_records.json").read_text())["aicore_tasks"]
        begins = {row[1]: row[3] - 1 for row in rows}
        for number, task in enumerate(tasks, 1):
            self.assertAlmostEqual(task["ts"] * 1000, begins[number], delta=2)
        names = json.loads((trace / "program_runs" / "0" / "name_map_program.json").read_text())
        self.assertEqual(names["callable_id_to_name"], {"5": "add"})
        # All tasks are one chain: the critical path has each.
        self.assertIn(f" in {TASKS} kernels, ", result.stderr)
        self.assertIn("| r0t2 | add |", (trace / "program.md").read_text())

    def test_the_advice_is_that_of_the_tasks(self):
        """Executors poll registers on S all the time, which is not advice. program.md gives the limit of the run: a
        chain of tasks, of which each waits for the one before."""
        trace = self.folder / "advice"
        result = self.run_program(self.add, PTOSIM_TRACE=str(trace),
                                  PTOSIM_TRACE_FORMATS="html,report,agent,json,summary")
        self.assertEqual(result.returncode, 0, result.stderr)
        kinds = {"orchestration", "scheduling", "starvation", "kernel"}
        program = (trace / "program.md").read_text()
        named = re.findall(r"^\| ([^|]+?) \| (\d+\.\d+) \|$", program.split("What a change would save")[1], re.M)
        self.assertTrue(named)
        agent = json.loads((trace / "agent.json").read_text())
        report = json.loads((trace / "report.json").read_text())
        for advice in (agent["advice"], report["advice"]):
            self.assertTrue(advice)
            self.assertLessEqual({one["kind"] for one in advice}, kinds)
            # The first is the first of program.md, with what that saves there.
            change, microseconds = named[0]
            self.assertIn(change.split(" in half")[0], advice[0]["what"])
            self.assertAlmostEqual(advice[0]["saves_cycles"] / 1850, float(microseconds), delta=0.01)
        kernel = [one for one in report["advice"] if one["kind"] == "kernel"]
        self.assertEqual([one["what"] for one in kernel], ["Make kernel add faster: at half its time"])
        self.assertRegex(kernel[0]["source"], "TLOAD|TADD|TSTORE")
        # Half of the cycles of the eight tasks of the chain, from program.json.
        events = json.loads((trace / "program.json").read_text())["traceEvents"]
        cycles = [event["args"]["cycles"] for event in events if event["ph"] == "X" and event["name"] == "add"]
        self.assertAlmostEqual(kernel[0]["saves_cycles"], sum(cycles) / 2, delta=len(cycles))
        self.assertEqual(report["savings"], [])
        for cores in agent["cores"].values():
            self.assertNotIn("S", cores["busy_percent"])
        # One bottleneck, everywhere; nothing in it is of an executor's pipe.
        first = report["bottleneck"]
        self.assertIn(advice[0]["what"], first)
        self.assertIn("Where the cores' time went", first)
        self.assertNotRegex(first, r"Share the work|\bS (is|of|waits)\b|busy \d+ % of the time on")
        self.assertIn(first, (trace / "report.md").read_text())
        self.assertIn(first.split(" (")[0], (trace / "summary.txt").read_text())
        # The critical path goes through the tasks, not through an executor that waits.
        path = report["critical_path"]
        spent = path["spent"]
        self.assertEqual(sum(spent.values()), report["cycles"])
        outside = sum(spent.get(what, 0) for what in ("signal", "block"))
        self.assertEqual(report["cycles"] - outside, sum(cycles))
        loads = [step for step in path["steps"] if step.get("instruction") == "TLOAD"]
        self.assertEqual(len({step["begin"] for step in loads if step["spent"] == "work"}), 2 * TASKS)
        # Also in the report that is made again from the recording alone.
        again = subprocess.run([OPTIONS.ptosim, "report", trace, "--format", "json"], capture_output=True, text=True,
                               check=True)
        self.assertEqual(json.loads(again.stdout)["advice"], report["advice"])
        self.assertEqual(json.loads(again.stdout)["bottleneck"], first)

    def test_the_same_bytes_again(self):
        files = []
        for number in range(2):
            trace = self.folder / f"again{number}"
            result = self.run_program(self.add, PTOSIM_TRACE=str(trace))
            files.append({str(path.relative_to(trace)): path.read_bytes() for path in trace.rglob("*")
                          if path.is_file()})
            files[-1]["out"] = result.stdout
        self.assertEqual(files[0].keys(), files[1].keys())
        for name, content in files[0].items():
            self.assertEqual(content, files[1][name], name)

    def test_a_kernel_that_never_goes_on_is_named(self):
        result = self.run_program(self.stuck)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("waits for flag MTE2->V #1", result.stderr)
        self.assertIn("add_kernel.cpp", result.stderr)
        self.assertRegex(result.stderr, r"note: AIV\d+ runs stuck, since \d+\.\d+ us")
        self.assertIn("results -1 -1", result.stdout)

    def test_a_kernel_that_waits_for_a_tile_is_named(self):
        result = self.run_program(self.popping)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"add_kernel\.cpp:\d+: error: deadlock: AIV\d+/S waits for .*cross-core flag #0")
        self.assertIn("TPOP<decltype(pipe), Vector", result.stderr)
        self.assertRegex(result.stderr, r"note: AIV\d+ runs popping, since \d+\.\d+ us")

    def test_a_kernel_that_waits_for_a_signal_is_named(self):
        result = self.run_program(self.signalled)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"add_kernel\.cpp:\d+: error: deadlock: task signalled on AIV\d+ waits for a signal "
                         r"that never arrives: the word at 0x\w+ is -?\d+, and the task continues when it is == 7")
        self.assertIn("TWAIT(signal, 7, comm::WaitCmp::EQ)", result.stderr)

    def test_a_word_from_a_core_to_a_processor(self):
        """The time is taken before a dcci (225 ns) and a store (7.5 ns); a load of the register takes 100 ns, and a
        round of the loop with its blocks up to 20 ns more: seen at the end of the first load that begins later."""
        result = self.run_program(self.add, WORDS="100")
        self.assertEqual(result.returncode, 0, result.stderr)
        mean, least = map(float, re.search(r"^words (\S+) (\d+)$", result.stdout, re.M).groups())
        self.assertGreaterEqual(least, 232)
        self.assertLess(least, 260)
        self.assertAlmostEqual(mean, 232.5 + 60, delta=20)

    def test_the_clock_of_the_host(self):
        """2000 rounds of a loop of one block, 2.5 ns each (sim/faces/mpmd/host_clock.h), in the thread that asks for runs."""
        for folder, process in (("clock", 1), ("chip3", 4)):
            result = self.run_program(self.add, 1, HOST_CLOCK="1", PTOSIM_TRACE=str(self.folder / folder))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("host 5000 0 0\n", result.stdout)
            self.assertIn(f"threads {process} 1 2\n", result.stdout)
        # Not recorded, they are the system's.
        result = self.run_program(self.add, 1, HOST_CLOCK="1")
        numbers = [int(word) for word in re.search(r"^threads (.*)$", result.stdout, re.M).group(1).split()]
        self.assertGreater(numbers[0], 4)
        self.assertEqual(numbers[1], numbers[0])
        self.assertGreater(numbers[2], numbers[1])

    def test_a_kernel_that_waits_for_long(self):
        """25 ms of a counter of 50 MHz: a thousand times the time of a task, and longer than one may hang."""
        result = self.run_program(self.patient, 1)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = dict(line.split(" ", 1) for line in result.stdout.splitlines())
        self.assertEqual(lines["sum"], "1 7")
        self.assertGreater(int(lines["ns"]), 25000000)
        self.assertLess(int(lines["ns"]), 25000000 * (1 + 1 / 256) + 10000)

    def test_checkers_do_not_report_what_the_scheduler_has_ordered(self):
        result = self.run_program(self.add, PTOSIM_CHECK="all")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("error", result.stderr)

    def test_races_inside_a_kernel(self):
        result = self.run_program(self.unordered, PTOSIM_CHECK="race")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"RAW race in UB between pipes MTE2 and V: TADD .* reads what TLOAD")
        self.assertNotIn("[G04]", result.stderr)
        self.assertNotIn("[G05]", result.stderr)

    def test_a_forked_process_that_leaves_at_once(self):
        """Its findings are reported and its files written, once, and only by the process that has made the runs."""
        script = (f"import ctypes, os, sys\nsys.path.insert(0, {str(ROOT / 'sim/faces/mpmd/python')!r})\n"
                  "from ptosim_mpmd import hooks\nhooks.finish_before_leaving()\n"
                  "def run():\n"
                  "    words = (ctypes.c_char_p * 4)(b'runtime', sys.argv[2].encode(), b'4', None)\n"
                  "    return ctypes.CDLL(sys.argv[1]).main(3, words)\n"
                  "before = sys.argv[3] == 'before'\n"
                  "first = run() if before else 0\n"
                  "child = os.fork()\n"
                  "if child == 0:\n"
                  "    status = 0 if before else run()\n"
                  "    os.close(1), os.close(2)  # as pytest-forked does\n"
                  "    os._exit(status)\n"
                  "status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
                  "print('child', status, flush=True)\n"
                  "sys.exit(first)\n")
        for when, child, code in (("before", 0, 1), ("after", 1, 0)):
            with self.subTest(when):
                result = subprocess.run([sys.executable, "-c", script, self.library, self.unordered, when],
                                        env={**frame.environment(), "PTOSIM_CHECK": "race",
                                             "PTOSIM_JSON": f"{self.folder}/{when}.json"},
                                        capture_output=True, text=True, check=False, timeout=120)
                self.assertIn(f"child {child}\n", result.stdout, result.stderr)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertEqual(result.stderr.count("TADD 'src0' reads"), 1, result.stderr)
                self.assertEqual(json.loads((self.folder / f"{when}.json").read_text())["diagnostics"][0]["code"], "E01")

    def test_there_is_always_another_key(self):
        """A host has 1024 keys; simpler takes five in each run."""
        library = ctypes.CDLL(OPTIONS.ptosim.resolve().parent / "libptosim.so")
        library.ptosim_mpmd_core_get.restype = ctypes.c_void_p
        keys = [library.ptosim_mpmd_core_key() for _ in range(3000)]
        self.assertEqual(len(set(keys)), 3000)
        self.assertIsNone(library.ptosim_mpmd_core_get(keys[-1]))
        library.ptosim_mpmd_core_set(keys[-1], ctypes.c_void_p(7))
        self.assertEqual(library.ptosim_mpmd_core_get(keys[-1]), 7)
        self.assertIsNone(library.ptosim_mpmd_core_get(keys[0]))

    def test_a_race_between_tasks_is_reported_once(self):
        result = self.run_program(self.add, PTOSIM_CHECK="race", FORGOTTEN="5")
        self.assertNotIn("[G04]", result.stderr)

    def test_a_task_that_reads_what_nobody_has_written(self):
        result = self.run_program(self.add, PTOSIM_CHECK="init", UNWRITTEN="1")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("[D01]", result.stderr)
        self.assertIn("TLOAD(a, in0)", result.stderr)
        result = self.run_program(self.add, PTOSIM_CHECK="init")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_task_that_reads_what_is_left_in_on_chip_memory(self):
        result = self.run_program(self.forgetful, PTOSIM_CHECK="init")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("[D01]", result.stderr)
        self.assertIn("TADD(c, a, b)", result.stderr)

    def test_the_second_run_begins_with_its_launch(self):
        trace = self.folder / "twice"
        result = self.run_program(self.add, PTOSIM_TRACE=str(trace), RUNS="2",
                                  PTOSIM_SET="launch.between=1000000")
        self.assertEqual(result.returncode, 0, result.stderr)
        spans = [float(span) for span in re.findall(r"run \d: (\S+) us", result.stderr)]
        self.assertEqual(len(spans), 2)
        self.assertAlmostEqual(spans[0], spans[1], delta=0.05 * spans[0])
        # Time of the runs, without the time between them: until the last of their processors has ended.
        events = json.loads((trace / "program.json").read_text())["traceEvents"]
        work = [event for event in events if event["ph"] == "X" and event["name"] == "run"]
        begins = [min(event["ts"] for event in work[i:i + 2]) for i in (0, 2)]
        ends = [max(event["ts"] + event["dur"] for event in work[i:i + 2]) for i in (0, 2)]
        taken = int(re.search(r"^run_ns (\d+)$", result.stdout, re.M).group(1))
        self.assertAlmostEqual(taken / 1000, sum(ends) - sum(begins), delta=0.01)
        self.assertLess(taken / 1000, begins[1])

    def test_a_dependency_that_is_missing_is_a_race(self):
        result = self.run_program(self.add, PTOSIM_CHECK="race", FORGOTTEN="5")
        self.assertEqual(result.returncode, 1, result.stderr)
        # Task 5 reads the sum that task 4 has written, and overwrites the input of an earlier one.
        self.assertRegex(result.stderr, r"RAW race between tasks: add \(r0t5, AIV\d+\) reads 16384 bytes at \w+ "
                                        r"that add \(r0t4, AIV\d+\) writes")
        self.assertIn("[G05]", result.stderr)
        self.assertIn("TLOAD(a, in0)", result.stderr)

    # simpler's docs/hardware/cache-coherency.md: on a2a3 a line that the AICPU's cache holds misses the host's writes
    # until it is invalidated.
    def test_a_load_of_what_the_host_has_written_since(self):
        def run(setting, runs="2", check="cache"):
            return self.run_program(self.add_with_accesses, program=self.program_with_accesses, PTOSIM_CHECK=check,
                                    SETTING=setting, RUNS=runs)

        result = run("read")
        self.assertEqual(result.returncode, 1, result.stderr)
        load = next(i for i, line in enumerate((HERE / "processors.cpp").read_text().splitlines(), 1)
                    if "*program.setting == 0" in line)
        self.assertRegex(result.stderr, rf"processors.cpp:{load}: error: processor \d, in \w+\(.*\), loads 4 "
                                        r"bytes at device memory \+ 0, which the host has overwritten .*\[E22\]")
        self.assertIn("if (program.setting != nullptr && *program.setting == 0)", result.stderr)
        self.assertEqual(run("read", runs="4").stderr.count("[E22]"), 1)
        for silent in (run("invalidated"), run("same"), run("read", runs="1"), run("read", check="none")):
            self.assertEqual(silent.returncode, 0, silent.stderr)
            self.assertNotIn("E22", silent.stderr)

    def test_that_a_task_has_ended_does_not_make_its_stores_visible(self):
        """Word 7 of the third task's result: 3 x 7.0, or then 77; before, nobody has written to that buffer."""
        sum_of_three = int.from_bytes(struct.pack("<f", 21.0), "little")
        line = next(i for i, line in enumerate((HERE / "processors.cpp").read_text().splitlines(), 1)
                    if "program.read =" in line)
        for kernel, why, read in ((self.add_with_accesses, None, sum_of_three), (self.late, "a store is still on its way to", 0),
                                  (self.uncleaned, "a scalar store has not been cleaned to", sum_of_three),
                                  (self.cleaned, None, 77)):
            result = self.run_program(kernel, program=self.program_with_accesses, tasks=3, PTOSIM_CHECK="cache",
                                      READS_RESULTS="1")
            with self.subTest(kernel=kernel.name):
                self.assertIn(f"read {read}\n", result.stdout)
                if why is None:
                    self.assertEqual(result.returncode, 0, result.stderr)
                    continue
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr, rf"processors.cpp:{line}: error: processor \d, in .*, loads 4 bytes at "
                                                rf".*, where {why} memory: it gets the old value \[E23\]")
                self.assertRegex(result.stderr, r"the store at .*add_kernel\.cpp:\d+")

    def test_records_that_cannot_be_read_are_named(self):
        trace = self.folder / "malformed"
        result = self.run_program(self.add, PTOSIM_TRACE=str(trace), MALFORMED="99999999999999999999")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, "note: .*deps.json cannot be read: '99999999999999999999'")
        self.assertIn("deps.json cannot be read", (trace / "program.md").read_text())
        # The order of the tasks is not known then: that is not a race, and not the absence of one.
        result = self.run_program(self.add, PTOSIM_CHECK="race", MALFORMED="2x")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(result.stderr, "deps.json cannot be read: '2x'.*I01")
        self.assertNotIn("[G05]", result.stderr)

    def test_races_that_cannot_be_looked_for_are_an_error(self):
        result = self.run_program(self.add, PTOSIM_CHECK="race", TMPDIR=str(self.folder / "nothing"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("[I02]", result.stderr)
        self.assertIn("TMPDIR", result.stderr)

    def test_the_chip_of_another_architecture(self):
        result = self.run_program(self.add, PTOSIM_CHIP="ascend950pr")
        self.assertEqual(result.returncode, 2)
        self.assertIn("[H30]", result.stderr)

    def test_one_chip_of_a_system(self):
        """A program of one chip has no links: it runs as on the chip alone."""
        alone = self.run_program(self.add)
        result = self.run_program(self.add, PTOSIM_SYSTEM="host910b")
        self.assertEqual((result.returncode, result.stdout), (0, alone.stdout))


class Orchestrations(unittest.TestCase):
    """Sources that an orchestration is linked from: the runtime's are compiled once, the program's each time."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name)
        (self.root / "number.h").write_text("#define NUMBER 1\n")
        (self.root / "common.cpp").write_text("#include \"number.h\"\nint common() { return NUMBER; }\n")
        (self.root / "main.cpp").write_text("int common();\nextern \"C\" int entry() { return common(); }\n")
        self.command = ["g++", "-shared", "-fPIC", "-Wl,--build-id=sha1", "common.cpp", "-I.", "-o",
                        str(self.root / "out.so"), "main.cpp"]

    def with_objects(self):
        orchestration = importlib.import_module("ptosim_mpmd.orchestration")
        return orchestration.with_objects(self.command, self.root, self.root / "kept")

    def entry(self, command):
        subprocess.run(command, cwd=self.root, check=True)
        ask = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).entry())"
        return subprocess.run([sys.executable, "-c", ask, self.root / "out.so"], capture_output=True, text=True,
                              check=True).stdout.strip()

    def test_one_object_for_all_programs(self):
        first = self.with_objects()
        self.assertEqual([word for word in first if word.endswith(".cpp")], ["main.cpp"])
        self.assertEqual(self.entry(first), "1")
        made = {path: path.stat().st_mtime_ns for path in (self.root / "kept").iterdir()}
        self.assertEqual(self.with_objects(), first)
        self.assertEqual({path: path.stat().st_mtime_ns for path in (self.root / "kept").iterdir()}, made)

    def test_a_header_that_has_changed(self):
        first = self.with_objects()
        (self.root / "number.h").write_text("#define NUMBER 2\n")
        second = self.with_objects()
        self.assertNotEqual(second, first)
        self.assertEqual(self.entry(second), "2")

    def test_other_flags(self):
        first = self.with_objects()
        self.command.insert(1, "-O2")
        self.assertNotEqual([word for word in self.with_objects() if word != "-O2"], first)

    def test_a_source_that_does_not_compile_is_left_to_the_command(self):
        (self.root / "common.cpp").write_text("no C++\n")
        self.assertEqual(self.with_objects(), self.command)


class Platforms(unittest.TestCase):
    """Folders of compiled platforms are named after what they are compiled from."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name)
        for name in ("src/a.cpp", "src/a.h", "src/build_config.py", "src/CMakeLists.txt", "cmake/switches.h.in",
                     "cmake/log.cmake"):
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text("1\n")

    def digest(self):
        return importlib.import_module("ptosim_mpmd.setup").digest_of(self.root, "g++", ROOT / "include")

    def test_what_a_build_leaves_in_the_checkout(self):
        before = self.digest()
        (self.root / "src" / "compile_commands.json").write_text("[]\n")
        (self.root / "src" / "__pycache__").mkdir()
        (self.root / "src" / "__pycache__" / "build_config.cpython-311.pyc").write_text("code")
        self.assertEqual(self.digest(), before)

    def test_what_the_compiler_reads(self):
        seen = {self.digest()}
        for path in sorted(path for path in self.root.rglob("*") if path.is_file()):
            path.write_text("2\n")
            self.assertNotIn(self.digest(), seen, path)
            seen.add(self.digest())


class Started:
    def _start_hierarchical(self):
        pass


class Nodes(unittest.TestCase):
    """Workers of level 3 below one of level 4: the platform that they ask for, and the numbers of their chips."""

    def setUp(self):
        self.hooks, self.nodes = frame.module("hooks"), frame.module("nodes")
        self.addCleanup(setattr, self.nodes, "here", None)

        class Spec:
            def __init__(self, platform, comm_profile="sim"):
                self.platform, self.comm_profile = platform, comm_profile

        class Worker(Started):
            def __init__(self, level, platform="", **config):
                self.level, self._config = level, config
                self._next_level_worker_ids, self._next_level_workers = [], []

            def _resolved_global_nodes(self):
                ids = {5: [0, 1], 2: [4, 7, 9], 8: [0]}
                return {identity: types.SimpleNamespace(device_ids=ids[identity], node_rank=rank)
                        for rank, identity in enumerate((5, 2, 8))}

            def _build_remote_manifest(self, *, worker_id):
                return {"worker_id": worker_id}

        self.module = types.SimpleNamespace(Worker=Worker, RemoteWorkerSpec=Spec,
                                            _chip_process_loop=lambda device_id: os.environ["PTOSIM_CHIP_NUMBER"])
        self.hooks.change_worker(self.module)

    def number_of(self, device):
        with unittest.mock.patch.dict(os.environ):
            return int(self.module._chip_process_loop(device))

    def test_names_of_devices(self):
        for asked, got in ((("a2a3", "a3-fabric-v1"), ("a2a3sim", "sim")), (("a2a3sim", "sim"), ("a2a3sim", "sim")),
                           (("other", "a3-fabric-v1"), ("other", "a3-fabric-v1")), (("a5", "sim"), ("a5sim", "sim")),
                           # The real worker refuses this one, by the profile's name.
                           (("a5", "a3-fabric-v1"), ("a5sim", "a3-fabric-v1"))):
            spec = self.module.RemoteWorkerSpec(*asked)
            self.assertEqual((spec.platform, spec.comm_profile), got)

    def test_chips_of_a_node_that_the_program_forks(self):
        child, program = self.module.Worker(3, device_ids=[4, 7, 9]), self.module.Worker(4)
        program._next_level_worker_ids, program._next_level_workers = [2], [child]
        program._start_hierarchical()
        child._start_hierarchical()  # in the forked process
        self.assertEqual([self.number_of(device) for device in (4, 7, 9)], [2, 3, 4])

    def test_chips_of_a_node_that_a_daemon_starts(self):
        program = self.module.Worker(4)
        program._start_hierarchical()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "manifest.json"
            path.write_text(json.dumps(program._build_remote_manifest(worker_id=8)))
            main = types.SimpleNamespace(__spec__=types.SimpleNamespace(name="simpler.remote_l3_session"))
            with unittest.mock.patch.object(sys, "argv", ["", "--manifest", str(path), "--ready-fd", "3"]), \
                    unittest.mock.patch.dict(sys.modules, __main__=main):
                self.module.Worker(3, device_ids=[0])._start_hierarchical()
        self.assertEqual(self.number_of(0), 5)

    def test_a_worker_without_nodes(self):
        self.module.Worker(3, device_ids=[6])._start_hierarchical()
        self.assertEqual(self.number_of(6), 6)


class DeviceNames(unittest.TestCase):
    """Programs that ask for a device get the simulated platform, and go on calling it by the device's name."""

    @classmethod
    def setUpClass(cls):
        cls.hooks = importlib.import_module("ptosim_mpmd.hooks")

    def test_a_worker(self):
        class Worker(Started):
            def __init__(self, level, **config):
                self.level, self.config = level, config

        self.hooks.change_worker(types.SimpleNamespace(Worker=Worker, _chip_process_loop=lambda device_id: None))
        for asked, got in (("a2a3", "a2a3sim"), ("a5", "a5sim"), ("a5sim", "a5sim"), ("other", "other")):
            worker = Worker(level=2, platform=asked, device_id=3)
            self.assertEqual((worker.level, worker.config), (2, {"platform": got, "device_id": 3}))
        self.assertEqual(Worker(3).config, {})

    def test_each_chip_of_several_has_files_of_its_own(self):
        seen = {}

        def loop(buf, bins, device_id, log_level=25):
            seen[device_id] = (os.environ["PTOSIM_TRACE"], os.environ["PTOSIM_JSON"])

        module = types.SimpleNamespace(Worker=type("Worker", (Started,), {"__init__": lambda self, **config: None}),
                                       _chip_process_loop=loop)
        self.hooks.change_worker(module)
        with unittest.mock.patch.dict(os.environ, PTOSIM_TRACE="out/here", PTOSIM_JSON="a.b/r.json"):
            module._chip_process_loop(b"", None, 3)
        self.assertEqual(seen, {3: ("out/here/chip3", "a.b/r.chip3.json")})

    def test_a_default(self):
        class Compiler:
            def __init__(self, platform="a2a3"):
                self.platform = platform

        class Derived(Compiler):
            pass

        self.hooks.name_simulated(Compiler)
        self.assertEqual(Compiler().platform, "a2a3sim")
        self.assertEqual(Derived("a5").platform, "a5sim")
        self.assertEqual(Derived(platform="a2a3sim").platform, "a2a3sim")

    def test_what_is_taken_out_of_an_object(self):
        module = types.SimpleNamespace(extract_text_section=lambda binary: b"text of " + bytes(binary[:1]))
        self.hooks.change_elf_parser(module)
        library = (OPTIONS.ptosim.resolve().parent / "libptosim.so").read_bytes()
        self.assertEqual(module.extract_text_section(library), library)
        self.assertEqual(module.extract_text_section(b"\x7fELF of a device"), b"text of \x7f")


class Commands(unittest.TestCase):
    def run_ptosim(self, *words, **variables):
        return subprocess.run([OPTIONS.ptosim, *words], env={**os.environ, **variables}, capture_output=True,
                              text=True, check=False, timeout=60)

    def test_exec_without_a_platform(self):
        with tempfile.TemporaryDirectory() as cache:
            result = self.run_ptosim("exec", "--", "true", PTOSIM_CACHE=cache)
        self.assertEqual(result.returncode, 2)
        self.assertIn("ptosim simpler-setup --simpler CHECKOUT", result.stderr)

    def test_exec_with_the_platform_of_another_ptosim(self):
        with tempfile.TemporaryDirectory() as cache:
            folder = pathlib.Path(cache) / "mpmd" / "abc"
            folder.mkdir(parents=True)
            (folder.parent / "current").write_text("abc\n")
            for library, code in ((OPTIONS.ptosim.resolve().parent, 0), (pathlib.Path(cache), 2)):
                (folder / "setup.json").write_text(json.dumps({"library": str(library)}))
                result = self.run_ptosim("exec", "true", PTOSIM_CACHE=cache)
                self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(f"would load the libptosim in {cache}", result.stderr)

    def test_exec_passes_options_on(self):
        with tempfile.TemporaryDirectory() as cache:
            folder = pathlib.Path(cache) / "mpmd" / "abc"
            folder.mkdir(parents=True)
            (folder.parent / "current").write_text("abc\n")
            result = self.run_ptosim("exec", "--chip", "ascend910b2", "--set=clusters=4", "--set", "clock=2GHz",
                                     "sh", "-c", "echo $PTOSIM_CHIP $PTOSIM_SET $PTOSIM_PLATFORM; exit 7",
                                     PTOSIM_CACHE=cache)
            self.assertEqual(result.stdout, f"ascend910b2 clusters=4;clock=2GHz {folder}\n")
            self.assertEqual(result.returncode, 7)

    def test_exec_offers_an_assembler_where_there_is_no_other(self):
        module = "module { func.func @k() { return } }\n"
        with tempfile.TemporaryDirectory() as cache:
            folder = pathlib.Path(cache) / "mpmd" / "abc"
            folder.mkdir(parents=True)
            (folder.parent / "current").write_text("abc\n")
            (pathlib.Path(cache) / "k.pto").write_text(module)
            without = {"PTOSIM_CACHE": cache, "PTOAS_ROOT": "", "PATH": "/usr/bin:/bin"}
            result = self.run_ptosim("exec", "sh", "-c", f"$PTOAS_ROOT/ptoas {cache}/k.pto -o -", **without)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("void k()", result.stdout)
            theirs = pathlib.Path(cache) / "bin" / "ptoas"
            theirs.parent.mkdir()
            theirs.write_text("#!/bin/sh\n")
            theirs.chmod(0o755)
            show = ("exec", "sh", "-c", "echo $PTOAS_ROOT")
            self.assertEqual(self.run_ptosim(*show, **{**without, "PTOAS_ROOT": "/theirs"}).stdout, "/theirs\n")
            result = self.run_ptosim(*show, **{**without, "PATH": f"{theirs.parent}:/usr/bin:/bin"})
            self.assertEqual(result.stdout, "\n")

    def test_exec_of_nothing_and_of_what_is_not_there(self):
        with tempfile.TemporaryDirectory() as cache:
            folder = pathlib.Path(cache) / "mpmd" / "abc"
            folder.mkdir(parents=True)
            (folder.parent / "current").write_text("abc\n")
            (folder / "a2a3").mkdir()
            # Errors of the chip are also reported if no platform has been made.
            result = self.run_ptosim("exec", "--chip", "no-such-chip", "true", PTOSIM_CACHE=cache + "/none")
            self.assertEqual(result.returncode, 2)
            self.assertIn("no-such-chip", result.stderr)
            for words in ([], ["--"], ["--what", "true"], ["--chip"], ["--mode", "wrong", "true"], ["no-such-program"],
                          ["--chip", "no-such-chip", "true"], ["--set", "no.such=1", "true"],
                          ["--set", "clusters=many", "true"]):
                result = self.run_ptosim("exec", *words, PTOSIM_CACHE=cache)
                self.assertEqual(result.returncode, 2, words)
                self.assertIn("error: ", result.stderr)
            self.assertEqual(self.run_ptosim("exec", "--set", "clusters=2", "true", PTOSIM_CACHE=cache).returncode, 0)

    def test_what_the_conformance_script_reads(self):
        sys.path.insert(0, str(ROOT / "scripts" / "conformance"))
        outcome_of = importlib.import_module("simpler_programs").outcome_of
        skip = '            pytest.skip(f"No cases matched {name} (platform={st_platform})")\n'
        failure = f"{skip}E   RuntimeError: run failed: -1\nFAILED tests/st/test_a.py::TestA::test_run - RuntimeError\n"
        for output, code, passed in ((failure + "1 failed in 95.0s\n", 1, False), ("1 passed in 2.0s\n", 0, True),
                                     ("1 skipped in 0.1s\n", 0, None), ("no tests ran in 0.1s\n", 5, None),
                                     ("ValueError: No cases matched platform=a2a3sim (manual=exclude)\n", 1, None),
                                     ("  TestA::case PASSED\n", 0, True),
                                     ("  L3 TestA (rt=x, dev=2): PASSED on devices [0, 1]\n", 0, True),
                                     ("  L3 TestA (rt=x, dev=2): FAILED (rc=1) on devices [0, 1]\n", 1, False),
                                     ("Segmentation fault\n", -11, False)):
            self.assertEqual(outcome_of(output, code, "a2a3sim")["passed"], passed, output)

    def test_setup_of_what_is_no_checkout(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.run_ptosim("simpler-setup", "--simpler", folder, PTOSIM_CACHE=folder)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("[H32]", result.stderr)
        self.assertIn("is missing", result.stderr)

    def test_setup_of_what_is_no_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, message in (("none", "is not there"), ("file", "is no folder")):
                (pathlib.Path(folder) / "file").touch()
                result = self.run_ptosim("simpler-setup", "--simpler", f"{folder}/{path}", PTOSIM_CACHE=folder)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(message, result.stderr)

    def test_setup_without_a_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.run_ptosim("simpler-setup", "--simpler", folder, "--cxx", "no-such-compiler",
                                     PTOSIM_CACHE=folder)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("there is no compiler no-such-compiler", result.stderr)

    def test_setup_compiles_once_what_is_the_same_text(self):
        with tempfile.TemporaryDirectory() as folder:
            checkout = pathlib.Path(folder)
            for path, text in {"cmake/profiling_build_config.h.in": "",
                               "src/common/worker/pto_runtime_c_api.h": "int simpler_run(const void *config);\n",
                               "one/size.h": "", "other/size.h": "#define SIZE 2\n",
                               "log.cpp": '#include "size.h"\n#ifndef SIZE\n#define SIZE 1\n#endif\nint size = SIZE;\n',
                               "wrong.cpp": "int wrong = missing;\n"}.items():
                (checkout / path).parent.mkdir(parents=True, exist_ok=True)
                (checkout / path).write_text(text)
            setup = importlib.import_module("ptosim_mpmd.setup")
            options = argparse.Namespace(simpler=checkout, cxx="g++", include=checkout)
            builder = setup.Builder(options, checkout / "made")

            def made(*flags):
                return builder.compile(checkout / "log.cpp", [*flags])

            first = made(f"-I{checkout}/one")
            self.assertEqual(first, made(f"-I{checkout}/one", "-DPLATFORM=2"))
            objects = {first, made(f"-I{checkout}/other"), made(f"-I{checkout}/one", "-DSIZE=3"),
                       made(f"-I{checkout}/one", "-fsanitize-coverage=trace-pc")}
            self.assertEqual(len(objects), 4)
            self.assertEqual(set((checkout / "made" / "objects").glob("*.o")), objects)
            with self.assertRaisesRegex(setup.SetupError, r"wrong\.cpp:1:13: error: .*missing"):
                builder.compile(checkout / "wrong.cpp", [])

    def test_setup_names_the_symbol_that_nothing_defines(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            libraries = [folder / "libcontext.so", folder / "a2a3" / "some_runtime" / "libhost_runtime.so"]
            libraries[1].parent.mkdir(parents=True)
            for library, text in zip(libraries, ("int of_context() { return 1; }",
                                                 "int of_context(); int moved_away(int); "
                                                 "int here() { return of_context() + moved_away(1); }")):
                source = folder / "source.cpp"
                source.write_text(text)
                subprocess.run(["g++", "-shared", "-fPIC", source, "-o", library], check=True)
            setup = importlib.import_module("ptosim_mpmd.setup")
            with self.assertRaisesRegex(setup.SetupError, r"needs what nothing defines: moved_away\(int\)"):
                setup.check_symbols(libraries[0], libraries[1:])


def record_into(folder):
    """The recorded program that scripts/test_viewer.sh looks at."""
    Mpmd.setUpClass()
    try:
        result = Mpmd("run_program").run_program(Mpmd.add, PTOSIM_TRACE=str(folder))
        sys.stderr.write(result.stderr)
        return result.returncode
    finally:
        Mpmd.tearDownClass()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    parser.add_argument("--into", type=pathlib.Path, help="record a program into this folder, test nothing")
    OPTIONS, rest = parser.parse_known_args()
    if OPTIONS.into:
        sys.exit(record_into(OPTIONS.into.resolve()))
    unittest.main(argv=[sys.argv[0], *rest])
