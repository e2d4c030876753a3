#!/usr/bin/python3
"""Programs of several chips under one clock: a host of our own gives runs to chips, which are processes that it forks.

    job_test.py --ptosim BIN
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import frame

OPTIONS = None
# simpler docs/investigations/2026-07-host-dispatch-latency-budget.md, ns: of a run, of a task, of a mailbox.
RUN, TASK, WAKE = 43300, 8080, 3500
LINE = re.compile(r"chip (\d+): result (-?\d+), begin (\d+) ns, end (\d+) ns, received (\d+)")


class Job(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        made = frame.Frame(OPTIONS.ptosim, cls.folder)
        cls.program = made.linked("job", made.compiled("job", "job.o"))
        with unittest.mock.patch.dict(os.environ, PTOSIM_ASCENDC="/nowhere"):
            cls.kernel = made.kernel("kernel", frame.HERE / "job_kernel.cpp")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_job(self, chips, *plan, code=0, kernel=None, **variables):
        environment = frame.environment(PTOSIM_SYSTEM="host910b") | variables
        result = subprocess.run([self.program, kernel or self.kernel, str(chips), *plan], env=environment,
                                capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertEqual(self.processes_left(), [])
        return result

    def processes_left(self):
        left = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.program).encode() in path.read_bytes():
                    left.append(path.parent.name)
            except OSError:
                pass
        return left

    def lines(self, result):
        """By chip: (begin, end, received) of its runs."""
        found = {}
        for chip, code, begin, end, received in LINE.findall(result.stdout):
            self.assertEqual(code, "0")
            found.setdefault(int(chip), []).append((int(begin), int(end), int(received)))
        return found

    def test_a_ring(self):
        for chips in (2, 4):
            first = self.lines(self.run_job(chips, "ring"))
            self.assertEqual([first[chip][0][2] for chip in range(chips)],
                             [100 + (chip - 1) % chips for chip in range(chips)])
            busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count())]
            try:
                self.assertEqual(self.lines(self.run_job(chips, "ring")), first)
                self.assertEqual(self.lines(self.run_job(chips, "ring")), first)
            finally:
                for process in busy:
                    process.kill()
                    process.wait()

    def test_runs_begin_when_the_host_has_submitted_them(self):
        runs = self.lines(self.run_job(3, "ring"))
        begins = [runs[chip][0][0] for chip in range(3)]
        self.assertEqual([begins[1] - begins[0], begins[2] - begins[0]], [TASK, 2 * TASK])
        start = begins[0] - (RUN + TASK)  # of a block
        self.assertLess(abs(start), 1000)
        # Chip 0 sends at once, and awaits what chip 2 sends two tasks later.
        self.assertGreater(runs[0][0][1] - begins[0], 2 * TASK)
        self.assertLess(runs[0][0][1] - begins[0], 2 * TASK + 4000)
        slow = self.lines(self.run_job(3, "ring", PTOSIM_SET="system.host.task=20us"))
        self.assertEqual(slow[1][0][0] - slow[0][0][0], 20000)

    def test_a_run_after_those_of_other_chips(self):
        runs = self.lines(self.run_job(2, "ring", "after", "0", "ring"))
        first_end = max(runs[chip][0][1] for chip in range(2))
        start = runs[0][0][0] - (RUN + TASK)
        host = RUN + 2 * TASK  # after the first ring, whose runs it does not wait for
        self.assertLess(abs(runs[0][1][0] - max(first_end + WAKE, host + RUN + TASK) - start), 3)
        # The host has waited for that.
        self.assertLess(abs(runs[0][2][0] - (runs[0][1][1] + WAKE + RUN + TASK) - start), 3)
        self.assertLess(abs(runs[1][1][0] - (runs[0][1][1] + WAKE + RUN + 2 * TASK) - start), 3)

    def test_nodes_with_a_chip_each(self):
        first = self.lines(self.run_job(3, "ring", "after", "0", JOB_NODES="1"))
        self.assertEqual([first[chip][0][2] for chip in range(3)], [102, 100, 101])
        begins = [first[chip][0][0] for chip in range(3)]
        self.assertEqual([begins[1] - begins[0], begins[2] - begins[0]], [TASK, 2 * TASK])
        start = begins[0] - 2 * (RUN + TASK)  # the host's, and the node's
        self.assertLess(abs(start), 1000)
        # A node's task ends when it has seen its run end, and the host goes on when it has seen all tasks end.
        last = max(first[chip][0][1] for chip in range(3)) + WAKE
        submitted = 2 * RUN + 4 * TASK
        self.assertLess(abs(first[0][1][0] - start - (max(last + WAKE, submitted) + RUN + TASK)), 3)
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count())]
        try:
            self.assertEqual(self.lines(self.run_job(3, "ring", "after", "0", JOB_NODES="1")), first)
        finally:
            for process in busy:
                process.kill()
                process.wait()

    def test_nodes_of_a_network(self):
        of_network = self.lines(self.run_job(2, "ring", JOB_NODES="1", PTOSIM_SYSTEM="pod910b"))
        # Its network1 as the link of one host.
        on_host = self.lines(self.run_job(2, "ring", JOB_NODES="1",
                                          PTOSIM_SET="system.link.latency=1.5us;system.link.rate=25GB/s"))
        self.assertEqual(of_network, on_host)
        self.assertNotEqual(of_network, self.lines(self.run_job(2, "ring", JOB_NODES="1")))
        result = self.run_job(2, "ring", code=2, JOB_NODES="1", PTOSIM_SYSTEM="pod910b",
                              PTOSIM_SET="system.network1.members=1;system.chips=1")
        self.assertIn("a program of 2 chips, and pod910b has 1 devices [H30]", result.stderr)

    def test_a_node_of_another_system(self):
        result = self.run_job(1, code=1, JOB_NODES="1", JOB_OTHER="host910c")
        self.assertIn("this node's system is host910c, and that of the program of level 4 host910b [H30]", result.stderr)

    def test_the_report_states_the_waits(self):
        folder = self.folder / "out"
        self.run_job(2, "ring", PTOSIM_TRACE=str(folder))
        text = (folder / "chip0" / "program.md").read_text()
        self.assertIn("Chip 0 of several with one clock", text)
        self.assertIn("Begins at 51.380 us of the common clock", text)
        waits = re.search(r"\| \S+ \| 1 \| (\S+) \| (\S+) \|\n", text)
        self.assertEqual(waits[1], waits[2])
        self.assertLess(abs(float(waits[1]) - TASK / 1000), 2.5)
        events = json.loads((folder / "chip0" / "trace.json").read_text())["traceEvents"]
        sent = [event["name"] for event in events if event.get("cat") == "message" and event["tid"] == 50001 and
                event["ph"] == "X"]
        self.assertEqual(sent, ["store", "atomic"] + ["loaded"] * sent.count("loaded"))  # a row, a signal; answers
        self.assertNotIn("longest, us", (folder / "chip1" / "program.md").read_text())  # it has come before it looked

    def test_chips_that_wait_for_each_other(self):
        result = self.run_job(3, "cycle", code=1)
        self.assertEqual(result.stderr.count("[E05]"), 3, result.stderr)
        for chip in range(3):
            self.assertRegex(result.stderr, rf"of chip {chip} waits for a signal that never arrives: word \d+ of a window")

    def test_a_signal_that_is_never_sent(self):
        result = self.run_job(2, "silent", "1", code=1)
        self.assertEqual(result.stderr.count("[E05]"), 1, result.stderr)
        self.assertIn("of chip 0 waits for a signal that never arrives", result.stderr)

    def test_a_chip_that_is_killed(self):
        result = self.run_job(3, "kill", "1", code=1)
        self.assertIn("chip 1 has ended, and this chip, chip 2, waits for it [H27]", result.stderr)

    def test_windows_of_two_sizes(self):
        result = self.run_job(2, "ring", code=1, JOB_SMALLER="1")
        self.assertIn("chip 1 has made its window of 2048 bytes, and chip 0 of 2112 [H30]", result.stderr)

    def beyond(self, access, beyond, code):
        source = frame.HERE / "beyond_kernel.cpp"
        case = self.folder / f"{access}.cpp"
        case.write_text(f'#define ACCESS {access}\n#define BEYOND {beyond}\n#include "{source}"\n')
        made = frame.Frame(OPTIONS.ptosim, self.folder)
        with unittest.mock.patch.dict(os.environ, PTOSIM_ASCENDC="/nowhere"):
            kernel = made.kernel(f"{access}_{beyond}", case)
        result = self.run_job(3, "after", "0", code=code, kernel=kernel)
        line = next(number for number, text in enumerate(source.read_text().splitlines(), 1)
                    if text.endswith(f"//@ {access}"))
        return result.stderr, rf"beyond_kernel\.cpp:{line}: error: "

    def test_views_that_reach_beyond_a_window(self):
        for access, what, owner, reaches in (("load", "TLOAD 'src'", 1, 64), ("store", "TSTORE 'dst'", 1, 64),
                                             ("add", "TSTORE 'dst'", 1, 64), ("put", "TSTORE 'dst'", 1, 64),
                                             ("get", "TLOAD 'src'", 1, 64), ("own", "TLOAD 'src'", 0, 64),
                                             ("notify", "a scalar atomic operation", 1, 2),
                                             ("test", "a read of signals", 1, 64),
                                             ("wait", "a read of signals", 1, 64)):
            with self.subTest(access=access):
                self.assertEqual(self.beyond(access, 0, 0)[0], "")
                found, where = self.beyond(access, reaches, 1)
                self.assertRegex(found, where + rf"{what} of chip 0 begins in the window of chip {owner}, which has 2112 "
                                 rf"bytes, and reaches {reaches} bytes beyond it \[(\w+)\]\n.*\n  at: AIV00, ")
                self.assertEqual(re.findall(r"\[(\w+)\]\n", found), ["G16"])

    def test_checkers_see_the_order_of_runs(self):
        result = self.run_job(3, "ring", "ring", "after", "0", "ring", PTOSIM_CHECK="all")
        self.assertNotIn("error:", result.stderr)
        result = self.run_job(3, "ring", "ring", "after", "0", "ring", JOB_NODES="1", PTOSIM_CHECK="all")
        self.assertNotIn("error:", result.stderr)

    def test_two_workers_at_once(self):
        class Worker:
            level, _config, ptosim_node = 3, {"device_ids": [0, 1]}, None

            def _start_hierarchical(self):
                return "started"

            def _wait_run_handle(self, run):
                return run

            def _control_admission(self):
                return contextlib.nullcontext()

            def close(self):
                return "closed"

            def run(self):
                return "run"

        job = frame.module("job")
        job.follow_worker(types.SimpleNamespace(Worker=Worker))
        simulator = unittest.mock.Mock()
        simulator.ptosim_mpmd_job_begin.return_value = 1
        with unittest.mock.patch.object(job, "library", return_value=simulator):
            first, second = Worker(), Worker()
            self.assertEqual(first._start_hierarchical(), "started")
            with self.assertRaisesRegex(RuntimeError, r"close\(\) the first worker before the second one starts"):
                second._start_hierarchical()
            self.assertEqual(first.close(), "closed")
            self.assertEqual(second._start_hierarchical(), "started")
            self.assertEqual(second.close(), "closed")

    def test_systems_that_do_not_fit(self):
        self.assertIn("a program of 9 chips, and host910b has 8 devices [H30]",
                      self.run_job(9, "ring", code=2).stderr)
        self.assertIn("[I21]", self.run_job(2, "ring", code=2, PTOSIM_SET="system.link.rate=0GB/s").stderr)
        self.assertIn("unknown system 'nowhere'", self.run_job(2, "ring", code=2, PTOSIM_SYSTEM="nowhere").stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
