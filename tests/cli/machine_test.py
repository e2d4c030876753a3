#!/usr/bin/python3
"""Properties of the machine, tested by the command line, on the demo kernels.

machine_test.py --ptosim BIN --data DIR      DIR: output of tests/kernels/goldens.py
"""
import filecmp
import json
import os
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "kernels")
sys.path.insert(0, KERNELS)
sys.dont_write_bytecode = True

import command_line  # noqa: E402
import mutate  # noqa: E402
import result_schema  # noqa: E402

PTOSIM, DATA = "ptosim", "data"


class Machine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(DATA, "cases.json")) as file:
            self.cases = {case["name"]: case for case in json.load(file)["cases"]}

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def kernel(self, name):
        return os.path.join(KERNELS, name)

    def mutant(self, kernel, *removals):
        """The kernel without some of its flag operations, as a file of the same lines."""
        with open(self.kernel(kernel)) as file:
            text = file.read()
        for which in removals:
            text = mutate.remove(text, which)
        path = self.path(kernel)
        with open(path, "w") as file:
            file.write(text)
        return path

    def run_case(self, name, *extra, kernel=None, golden=True, blocks=None):
        case = self.cases[name]
        result = self.path("result.json")
        words = [PTOSIM, "run", kernel or self.kernel(case["kernel"]), "--entry", case["entry"],
                 "--blocks", str(blocks or case["blocks"]), "--json", result]
        for arg in case["args"]:
            words += ["--arg", arg]
        for comparison in case["golden"] if golden else []:
            words += ["--golden", f"{comparison['parameter']}={comparison['file']}"]
        process = subprocess.run([*words, *extra], cwd=DATA, capture_output=True, text=True,
                                 timeout=300)
        with open(result) as file:
            return process, json.load(file)

    def busy(self, result, pipe):
        return [core["pipes"][pipe]["busy"] for core in result["cores"] if pipe in core["pipes"]]

    # ---- asynchronous pipes
    def test_loads_moves_and_products_overlap(self):
        """In the double-buffered GEMM, MTE2, MTE1 and M work in the same cycles."""
        process, _ = self.run_case("gemm_f16", "--trace", self.path("trace"), "--trace-formats",
                                   "lanes")
        self.assertEqual(process.returncode, 0, process.stderr)
        with open(self.path("trace/lanes.json")) as file:
            lanes = json.load(file)
        for lane in lanes:
            at = {pipe: set() for pipe in ("MTE2", "MTE1", "M")}
            for task in lane["tasks"]:
                if task["pipe"] in at:
                    at[task["pipe"]].update(range(task["start"], task["end"]))
            self.assertGreater(len(at["MTE2"] & at["MTE1"] & at["M"]), 100, lane["lane"])
            self.assertGreater(len(at["MTE1"] & at["M"]), 500, lane["lane"])

    def test_the_matrix_pipe_is_busy_for_its_products_and_their_start_up(self):
        """4096 fp16 multiply-adds a cycle, and 12.5 cycles per instruction, 61 if the pipe had to wait for
        its factors (timing reference 2.3)."""
        _, result = self.run_case("gemm_f16")
        products = 512 // 64  # per tile of 128 x 128
        expected = products * (128 * 128 * 64 / 4096 + 12.5)
        for busy in self.busy(result, "M"):
            waits = round((busy - expected) / 48.5)
            self.assertIn(waits, range(1, products))  # the first product waits, not every one
            self.assertAlmostEqual(busy, expected + waits * 48.5, delta=products)

    def test_double_buffering_pays(self):
        ran, double = self.run_case("gemm_f16", "--warm", "1")
        also_ran, single = self.run_case("gemm_f16_single", "--warm", "1")
        self.assertEqual((ran.returncode, also_ran.returncode), (0, 0))
        self.assertLess(double["cycles"], 0.8 * single["cycles"])

    def test_a_missing_wait_changes_the_result(self):
        """MTE1 no longer waits for MTE2: it moves data that have not arrived yet."""
        kernel = self.mutant("gemm_f16.pto", "wait_flag_dyn[<PIPE_MTE2>, <PIPE_MTE1>")
        # L2 effectively holds all, because slower loads end in a deadlock, which has no result to compare.
        process, _ = self.run_case("gemm_f16", "--set", "memory.hbm.latency=0",
                                   "--set", "memory.hbm.rate=5TB/s", kernel=kernel)
        self.assertEqual(process.returncode, 1, process.stderr)
        self.assertIn("elements differ", process.stderr)

    def test_a_missing_set_is_a_deadlock_with_names(self):
        kernel = self.mutant("gemm_f16.pto", "set_flag_dyn[<PIPE_MTE1>, <PIPE_M>")
        with open(kernel) as file:
            line = [i for i, text in enumerate(file, 1)
                    if "pto.wait_flag_dyn[<PIPE_MTE1>, <PIPE_M>" in text][0]
        process, result = self.run_case("gemm_f16", kernel=kernel)
        self.assertEqual(process.returncode, 1)
        first = process.stderr.splitlines()[0]
        for part in ("deadlock", "AIC00/M", "MTE1->M #0", f"gemm_f16.pto:{line}", f"line {line}"):
            self.assertIn(part, first)
        result_schema.check_result(self, result)
        self.assertEqual(result["diagnostics"][0]["category"], "deadlock")
        self.assertEqual(result["diagnostics"][0]["location"]["line"], line)

    def test_a_missing_signal_between_cores_is_a_deadlock(self):
        kernel = self.mutant("attention_f16.pto", "sync.set <PIPE_FIX>, 0")
        process, result = self.run_case("attention_f16", kernel=kernel)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(result["diagnostics"][0]["category"], "deadlock")
        self.assertIn("cross-core flag #0", process.stderr)

    def test_a_barrier_of_all_cores_needs_all_blocks_at_once(self):
        process, _ = self.run_case("center_columns_f32", "--set", "clusters=2")
        self.assertEqual(process.returncode, 1)
        self.assertIn("[C03]", process.stderr)

    # ---- flags
    FLAGS = """module {
  func.func @flags(%x: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    BODY
    return
  }
}
"""

    def run_flags(self, *lines, command="run"):
        kernel = self.path("flags.pto")
        with open(kernel, "w") as file:
            file.write(self.FLAGS.replace("BODY", "\n    ".join(f"pto.{line}" for line in lines)))
        return subprocess.run([PTOSIM, command, kernel, "--blocks", "1", "--arg", "zeros=8x8xf32"],
                              capture_output=True, text=True, timeout=60)

    def test_sets_on_different_ids_are_outstanding_together(self):
        sets = [f"set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID{i}>]" for i in range(8)]
        waits = [f"wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID{i}>]" for i in reversed(range(8))]
        self.assertEqual(self.run_flags(*sets, *waits).returncode, 0)

    def test_a_second_set_on_a_pending_flag_is_reported(self):
        flag = "[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID2>]"
        lines = ("set_flag" + flag, "set_flag" + flag, "wait_flag" + flag, "wait_flag" + flag)
        self.assertEqual(self.run_flags(*lines).returncode, 0)  # flags count
        process = self.run_flags(*lines, command="check")
        self.assertEqual(process.returncode, 1)
        said = process.stdout + process.stderr
        self.assertIn("E07", said)
        self.assertIn("flags.pto:4", said)
        self.assertIn("V->MTE3 #2 is set again", said)
        self.assertIn("flags.pto:3", said)

    def test_a_wait_holds_its_pipe_and_nothing_else(self):
        """V waits for MTE3, which waits for MTE2: the scalar unit issues all of it."""
        process = self.run_flags("wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]",
                                 "wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]",
                                 "set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]",
                                 "set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]")
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_a_crossed_pair_of_waits_is_a_deadlock(self):
        process = self.run_flags("wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]",
                                 "set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID1>]",
                                 "wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID1>]",
                                 "set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]")
        self.assertEqual(process.returncode, 1)
        self.assertIn("held up in the queue of MTE3", process.stderr)
        self.assertIn("held up in the queue of V", process.stderr)

    def test_flags_outside_the_machine_are_refused(self):
        for flag in ("[<PIPE_M>, <PIPE_V>, <EVENT_ID0>]", "[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID8>]",
                     "[<PIPE_V>, <PIPE_V>, <EVENT_ID0>]"):
            process = self.run_flags("set_flag" + flag)
            self.assertEqual(process.returncode, 2, flag + process.stderr)
            self.assertIn("flags.pto:3", process.stderr.splitlines()[0])

    # ---- the same bits, whatever the schedule
    def test_everything_is_the_same_from_run_to_run(self):
        for name in ("gemm_f16", "attention_f16", "softmax_rows_f32"):
            first, second = self.path(name + "1"), self.path(name + "2")
            a, _ = self.run_case(name, "--trace", first)
            b, _ = self.run_case(name, "--trace", second)
            self.assertEqual(a.stdout.replace(first, ""), b.stdout.replace(second, ""))
            files = sorted(os.listdir(first))
            self.assertGreaterEqual(len(files), 3)
            self.assertEqual(filecmp.cmpfiles(first, second, files, shallow=False)[0], files)

    def test_nothing_depends_on_the_number_of_threads(self):
        """Data, times, traces and findings, also where a missing wait makes the data wrong."""
        broken = self.mutant("gemm_f16.pto", "wait_flag_dyn[<PIPE_MTE2>, <PIPE_MTE1>")
        for name, kernel in (("gemm_f16", None), ("linear_relu_mixed_f16", None),
                             ("attention_f16", None), ("embedding_f32", None),
                             ("gemm_f16", broken)):
            seen = []
            for threads in ("1", "2", "4"):
                _, result = self.run_case(name, "--threads", threads, "--trace",
                                          self.path(threads), kernel=kernel, golden=False)
                del result["host"]
                files = {}
                for file in sorted(os.listdir(self.path(threads))):
                    with open(os.path.join(self.path(threads), file), "rb") as content:
                        files[file] = content.read()
                seen.append((result, files))
            self.assertEqual(seen[0], seen[1], name)
            self.assertEqual(seen[0], seen[2], name)

    def test_results_do_not_depend_on_time(self):
        base = self.run_case("gemm_f16")[1]["outputs"][0]["sha256"]
        for change in ("queue.depth=1", "memory.l2.read=50GB/s", "aic.gm_to_l1_nd2nz.latency=9000",
                       "aic.cube.latency=4000", "scalar.issue=100"):
            process, result = self.run_case("gemm_f16", "--set", change)
            self.assertEqual(process.returncode, 0, change + process.stderr)
            self.assertEqual(result["outputs"][0]["sha256"], base, change)

    def test_results_do_not_depend_on_the_number_of_blocks(self):
        for blocks in (1, 7, 24, 40):
            process, _ = self.run_case("gemm_f16", blocks=blocks)
            self.assertEqual(process.returncode, 0, f"{blocks} blocks: {process.stderr}")

    def test_modes_agree(self):
        full = self.run_case("softmax_rows_f32")[1]
        timing = self.run_case("softmax_rows_f32", "--mode", "timing", golden=False)[1]
        functional = self.run_case("softmax_rows_f32", "--mode", "functional")
        self.assertEqual(timing["cycles"], full["cycles"])
        self.assertEqual(functional[0].returncode, 0, functional[0].stderr)
        self.assertEqual(functional[1]["outputs"], full["outputs"])
        said = functional[0].stdout
        self.assertIn("time          none: data alone (--mode functional)\n", said)
        self.assertIn(f"instructions  {full['instructions']}\n", said)
        for word in ("cycles", "busy", "bottleneck"):
            self.assertNotIn(word, said)

    def test_the_scoreboard_gives_the_same_bits_as_the_flags(self):
        for name in ("gemm_f16", "softmax_rows_f32", "matmul_bias_f16", "rmsnorm_f32"):
            process, _ = self.run_case(name, "--sync", "auto")
            self.assertEqual(process.returncode, 0, name + process.stderr)

    def test_the_scoreboard_orders_a_kernel_without_flags(self):
        kernel = self.path("gemm_f16.pto")
        with open(self.kernel("gemm_f16.pto")) as source, open(kernel, "w") as out:
            out.writelines(line for line in source if not mutate.FLAG_OPERATION.match(line))
        process, _ = self.run_case("gemm_f16", kernel=kernel)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("--sync auto", process.stdout)

    # ---- time
    def test_more_bandwidth_never_slows(self):
        cycles = [self.run_case("vadd_f32", "--set", f"memory.hbm.rate={rate}GB/s")[1]["cycles"]
                  for rate in (100, 400, 1600, 6400)]
        self.assertEqual(cycles, sorted(cycles, reverse=True))
        self.assertGreater(cycles[0], 2 * cycles[-1])

    def test_what_a_launch_leaves_in_l2_helps_the_next(self):
        """The first load of the critical path comes 343 cycles later from HBM (memory.hbm.latency)."""
        cold = self.run_case("gemm_f16")[1]
        process, warm = self.run_case("gemm_f16", "--warm", "1")
        self.assertEqual(process.returncode, 0, process.stderr)  # the same bits
        self.assertGreaterEqual(cold["cycles"] - warm["cycles"], 343)
        without = self.run_case("gemm_f16", "--warm", "1", "--set", "memory.l2.bytes=0")[1]
        self.assertGreater(without["cycles"], warm["cycles"])

    def test_work_and_the_least_time_for_it(self):
        """C = A B of 512^3: 16 tiles of 128 x 128, each from 128 x 512 of A and 512 x 128 of B."""
        for mode in ("full", "timing"):
            _, result = self.run_case("gemm_f16", "--mode", mode, golden=False)
            work = result["work"]
            self.assertEqual(work["flops"], 2 * 512**3)
            self.assertEqual(work["global_read_bytes"], 16 * 2 * 128 * 512 * 2)
            self.assertEqual(work["global_write_bytes"], 512 * 512 * 4)
            self.assertEqual(work["compute_cycles"], -(-(512**3) // (24 * 16**3)))  # 16^3 a cycle and cube
            self.assertEqual(work["occupancy_cycles"],
                             max(p["busy"] for core in result["cores"]
                                 for name, p in core["pipes"].items() if name != "S"))
            for bound in ("compute_cycles", "bandwidth_cycles", "occupancy_cycles"):
                self.assertLessEqual(work[bound], result["cycles"])

    def test_busy_wait_and_idle_add_up(self):
        for name in ("gemm_f16", "attention_f16"):
            _, result = self.run_case(name)
            for core in result["cores"]:
                for pipe, account in core["pipes"].items():
                    total = account["busy"] + account["wait"] + account["idle"]
                    self.assertEqual(total, result["cycles"], f"{core['lane']} {pipe}")
            instructions = sum(account["instructions"] for core in result["cores"]
                               for account in core["pipes"].values())
            self.assertEqual(instructions, result["instructions"])

    def test_the_result_has_the_fields_of_the_contract(self):
        _, result = self.run_case("attention_f16")
        self.assertEqual(sorted(result), sorted(["chip", "kernel", "cycles", "time_us", "task_us",
                                                 "time_basis", "task_basis", "assumed", "instructions", "cores", "advice",
                                                 "diagnostics", "outputs", "host", "work"]))
        result_schema.check_result(self, result)
        self.assertEqual(result["time_basis"]["of"], "critical path")
        self.assertAlmostEqual(sum(result["time_basis"]["shares"].values()), 1, delta=0.005)
        # The task also includes the launch: 10905 cycles, and 3330 of a first one (models/ascend910b1.json).
        self.assertAlmostEqual(result["task_us"] - result["time_us"], 14235 / 1850, places=6)
        self.assertAlmostEqual(result["time_us"], result["cycles"] / 1850, places=6)
        # It is derived, and a derived figure may be off by error.derived: the ranges add up by their parts of the task.
        with open(os.path.join(HERE, "..", "..", "models", "ascend910b1.json")) as file:
            chip = json.load(file)
        derived = chip["parameters"]["error"]["derived"]["value"]
        of_time = result["time_us"] / result["task_us"]
        self.assertAlmostEqual(result["task_basis"]["range_percent"],
                               of_time * result["time_basis"]["range_percent"] + (1 - of_time) * derived, delta=0.11)
        lanes = [core["lane"] for core in result["cores"]]
        self.assertEqual(lanes[:4], ["AIC00", "AIV00", "AIV01", "AIC01"])

    def test_without_advice_the_rest_is_the_same(self):
        _, advised = self.run_case("gemm_f16")
        _, plain = self.run_case("gemm_f16", "--no-advice")
        self.assertGreater(len(advised["advice"]), 0)
        self.assertNotIn("advice", plain)
        self.assertEqual(plain["time_basis"]["of"], "work of all pipes")
        for what in ("cycles", "instructions", "cores", "work", "assumed", "outputs"):
            self.assertEqual(plain[what], advised[what])

    def test_a_result_says_which_assumed_figures_it_rests_on(self):
        _, vector = self.run_case("vadd_f32")
        assumed = set(vector["assumed"])
        self.assertIn("aiv.ub_to_gm.interval", assumed)  # stores from UB
        self.assertIn("scalar.issue", assumed)
        self.assertFalse([p for p in assumed if p.startswith("aic.") or p.startswith("sync.")])
        _, mixed = self.run_case("attention_f16")
        self.assertIn("aic.l0c_to_gm.interval", mixed["assumed"])
        self.assertNotIn("clock", mixed["assumed"])  # official
        # All loads into L1 lay the matrix out anew: the loads that do not have separate rates.
        _, product = self.run_case("gemm_f16")
        self.assertFalse([p for p in product["assumed"] if p.startswith("aic.gm_to_l1.")])
        _, slower = self.run_case("gemm_f16", "--set", "aic.gm_to_l1.overhead=400")
        self.assertEqual(slower["cycles"], product["cycles"])

    # ---- chip files
    def test_chip_files_satisfy_the_schema_that_the_program_prints(self):
        process = subprocess.run([PTOSIM, "chips", "--schema"], capture_output=True, text=True)
        validator = jsonschema.Draft202012Validator(json.loads(process.stdout))
        validator.check_schema(validator.schema)
        models = os.path.join(HERE, "..", "..", "models")
        files = [name for name in os.listdir(models) if name.endswith(".json")]
        self.assertGreaterEqual(len(files), 2)
        for name in files:
            with open(os.path.join(models, name)) as file:
                chip = json.load(file)
            validator.validate(chip)
        for change in ({"clok": {"value": 1}}, {"clock": {"value": -1}}, {"clock": {"value": 1, "unit": "KiB"}},
                       {"clock": {"value": 1, "grade": "guess"}}):
            bad = dict(chip, parameters=dict(chip["parameters"], **change))
            self.assertFalse(validator.is_valid(bad), change)

    def test_two_chips_side_by_side(self):
        process = subprocess.run([PTOSIM, "chips", "--diff", "ascend910b1", "ascend950pr", "--json", "-"],
                                 capture_output=True, text=True)
        difference = json.loads(process.stdout)["parameters"]
        self.assertEqual((difference["aiv.ub.bytes"]["a"], difference["aiv.ub.bytes"]["b"]),
                         ("192 KiB", "248 KiB"))
        self.assertNotIn("aic.l1.bytes", difference)  # 512 KiB on both

    # ---- traces
    def test_the_chrome_trace_is_one_that_viewers_open(self):
        """A process per core, a lane per pipe, no two slices of a lane over each other, arrows.

        Loops are nested in each other and in their blocks."""
        self.run_case("attention_f16", "--trace", self.path("trace"))
        with open(self.path("trace/trace.json")) as file:
            events = json.load(file)["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.assertIn("AIC00", names.values())
        self.assertIn("AIV01", names.values())
        threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
        self.assertIn("MTE2", threads.values())
        slices = {}
        for e in events:
            if e["ph"] == "X":
                slices.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"], e["name"]))
        self.assertTrue(any(name == "TMATMUL" for lane in slices.values() for _, _, name in lane))
        for where, lane in slices.items():
            nested = threads[where] == "block"
            around = []
            for begin, end, _ in sorted(lane, key=lambda s: (s[0], -s[1] if nested else s[1])):
                while around and around[-1] <= begin + 1e-9:
                    around.pop()
                self.assertTrue(nested or not around)
                self.assertLessEqual(end, around[-1] + 1e-9 if around else end)
                around.append(end)
        starts = [e for e in events if e["ph"] == "s"]
        ends = {e["id"] for e in events if e["ph"] == "f"}
        self.assertGreater(len(starts), 100)
        self.assertTrue(all(e["id"] in ends for e in starts))


if __name__ == "__main__":
    PTOSIM = command_line.program()
    DATA = os.path.abspath(command_line.take("--data"))
    unittest.main()
