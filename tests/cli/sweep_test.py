#!/usr/bin/python3
"""ptosim sweep from outside: results, resuming, shards, bad plans and files.

    sweep_test.py --ptosim BIN

Every cycle count is compared with that of `ptosim run` on the same kernel with the numbers written
out by hand. Nothing that was done may be lost or run twice.
"""
import fcntl
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import numpy

import command_line

PTOSIM = "ptosim"

# Copies ROWS x 64 f32 in chunks; COUNT chunks one after the other.
KERNEL = """//! param CHUNK = chip.aiv.ub.bytes / 4096   // rows at a time
//! param COUNT = 4
//! require CHUNK % 8 == 0 : whole blocks
!part = !pto.partition_tensor_view<${CHUNK}x64xf32>
!tile = !pto.tile_buf<vec, ${CHUNK}x64xf32>
module {
  func.func @copy(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %chunk = arith.constant ${CHUNK} : index
    %count = arith.constant ${COUNT} : index
    %rows = arith.constant ${CHUNK * COUNT} : index
    %c64 = arith.constant 64 : index
    %at = arith.constant 0 : i64
    %xv = pto.make_tensor_view %x, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %t = pto.alloc_tile addr = %at : !tile
    scf.for %i = %c0 to %count step %c1 {
      %row = arith.muli %i, %chunk : index
      %xp = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%chunk, %c64] : !pto.tensor_view<?x?xf32> -> !part
      %yp = pto.partition_view %yv, offsets = [%row, %c0], sizes = [%chunk, %c64] : !pto.tensor_view<?x?xf32> -> !part
      pto.tload ins(%xp : !part) outs(%t : !tile)
      pto.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
      pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
      pto.tstore ins(%t : !tile) outs(%yp : !part)
      pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
      pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    }
    return
  }
}
"""

CPP_KERNEL = """#include <pto/pto-inst.hpp>
using namespace pto;
extern "C" __global__ AICORE void copy(__gm__ float *x, __gm__ float *y) {
    using View = GlobalTensor<float, pto::Shape<1, 1, 1, TILE_ROWS, 64>, pto::Stride<1, 1, 1, 64, 1>>;
    View in(x), out(y);
    Tile<TileType::Vec, float, TILE_ROWS, 64> tile;
    TASSIGN(tile, 0x0);
    TLOAD(tile, in);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    TSTORE(out, tile);
}
"""


def plan(**changes):
    result = {
        "chips": ["ascend910b1"],
        "set": {"aiv.ub.bytes": ["96KiB", "192KiB"]},
        "kernels": [{"file": "copy.pto", "blocks": 1, "params": {"COUNT": [1, 2, 3]},
                     "arguments": ["zeros=${CHUNK * COUNT}x64xf32", "zeros=${CHUNK * COUNT}x64xf32"]}],
    }
    result.update(changes)
    return result


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("copy.pto", KERNEL)
        self.write("plan.json", json.dumps(plan()))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def ptosim(self, *words, **options):
        return subprocess.run([PTOSIM, *words], cwd=self.folder.name, capture_output=True,
                              text=True, timeout=120, **options)

    def sweep(self, *words, code=0):
        done = self.ptosim("sweep", "plan.json", "--json", "-", *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def results(self, name="plan.sweep"):
        with sqlite3.connect(self.path(name)) as db:
            return {row[0]: row[1:] for row in
                    db.execute("SELECT key, status, cycles, finished, seconds FROM result")}

    def points(self):
        done = self.ptosim("sweep", "report", "plan.sweep", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["points"]

    def refused(self, content, *fragments):
        if content is not None:
            self.write("plan.json", content if isinstance(content, str) else json.dumps(content))
        before = sorted(os.listdir(self.folder.name))
        done = self.ptosim("sweep", "plan.json")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for fragment in fragments:
            self.assertIn(fragment, done.stderr)
        self.assertTrue(done.stderr.startswith("error: "), done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), before, "left a file behind")

    def test_sampled_points(self):
        """A loop of 512 rounds on one core, whose time a sampled run gives, too."""
        sampled = plan(set={}, run={"sample": True})
        sampled["kernels"][0]["params"] = {"COUNT": 512}
        self.write("plan.json", json.dumps(sampled))
        self.sweep()
        words = ["run", "copy.pto", "--blocks", "1", "--param", "COUNT=512", "--arg", "zeros=24576x64xf32", "--arg",
                 "zeros=24576x64xf32", "--json", "-", "--mode", "timing"]
        part, whole = (json.loads(self.ptosim(*words, *more).stdout) for more in (["--sample"], []))
        self.assertGreater(part["sampled"]["skipped_cycles"], whole["cycles"] / 2)
        self.assertLess(abs(part["cycles"] / whole["cycles"] - 1), 0.01)
        self.assertEqual([row[1] for row in self.results().values()], [part["cycles"]])
        self.refused(plan(run={"sample": 1}), "must be true or false")
        self.refused(plan(run={"sample": True, "mode": "full"}), "it needs mode timing")

    def test_labelled_runs_are_a_trend(self):
        self.sweep("--label", "one")
        before = {json.dumps(p["coordinates"], sort_keys=True): p["cycles"] for p in self.points()}
        self.write("copy.pto", KERNEL.replace("pto.tload ins", "pto.barrier <PIPE_ALL>\n    pto.tload ins", 1))
        self.sweep("--label", "two")
        now = {json.dumps(p["coordinates"], sort_keys=True): p["cycles"] for p in self.points()}
        self.assertTrue(all(now[key] > before[key] for key in before), (before, now))
        done = self.ptosim("sweep", "report", "plan.sweep", "--json", "-")
        found = json.loads(done.stdout)
        self.assertEqual([run["label"] for run in found["runs"]], ["one", "two"])
        self.assertEqual(sorted(line["cycles"] for line in found["trend"]),
                         sorted([before[key], now[key]] for key in before))
        ratios = numpy.array([now[key] / before[key] for key in before])
        self.assertAlmostEqual(found["trend_mean"][1], numpy.exp(numpy.log(ratios).mean()))
        said = self.ptosim("sweep", "report", "plan.sweep").stdout
        self.assertIn("6 points slower, 0 faster, 0 the same", said)
        worst = max(before, key=lambda key: now[key] / before[key])
        self.assertIn(f"+{100 * (now[worst] / before[worst] - 1):.1f} %", said)
        # A run with the same label replaces the earlier one.
        self.write("copy.pto", KERNEL)
        self.assertEqual(self.sweep("--label", "two")["ran"], 0)
        said = self.ptosim("sweep", "report", "plan.sweep", "--html", "trend.html").stdout
        self.assertIn("0 points slower, 0 faster, 6 the same", said)
        with open(self.path("trend.html")) as file:
            page = file.read()
        self.assertIn("<h2>Trend</h2>", page)
        self.assertEqual(page.count("class=spark>"), 6)

    def test_the_history_of_one_kernel(self):
        """A plan of one point: what CI keeps of a kernel, commit by commit."""
        one = plan(set={})
        one["kernels"][0]["params"] = {"COUNT": 4}
        self.write("plan.json", json.dumps(one))
        cycles = {}
        for label, barriers in (("a1", 0), ("b2", 2), ("c3", 1)):
            self.write("copy.pto", KERNEL.replace("pto.tload ins", barriers * "pto.barrier <PIPE_ALL>\n    " +
                                                  "pto.tload ins", 1))
            self.sweep("--label", label)
            text = self.ptosim("run", "copy.pto", "--blocks", "1", "--param", "COUNT=4", "--arg", "zeros=192x64xf32",
                               "--arg", "zeros=192x64xf32", "--json", "-", "--mode", "timing").stdout
            cycles[label] = json.loads(text)["cycles"]
        self.assertLess(cycles["a1"], cycles["c3"])
        self.assertLess(cycles["c3"], cycles["b2"])
        with sqlite3.connect(self.path("plan.sweep")) as db:
            self.assertEqual(sorted(row[0] for row in db.execute("SELECT cycles FROM result")),
                             sorted(cycles.values()))
        found = json.loads(self.ptosim("sweep", "report", "plan.sweep", "--json", "-").stdout)
        self.assertEqual([run["label"] for run in found["runs"]], ["a1", "b2", "c3"])
        self.assertEqual([line["cycles"] for line in found["trend"]], [list(cycles.values())])
        said = self.ptosim("sweep", "report", "plan.sweep", "--html", "trend.html").stdout
        self.assertIn("3 runs, the last is c3", said)
        self.assertIn("0 points slower, 1 faster, 0 the same", said)
        with open(self.path("trend.html")) as file:
            page = file.read()
        self.assertEqual(page.count("class=spark>"), 1)
        for label in cycles:
            self.assertIn(label, page)

    def test_a_file_without_labels_has_no_trend(self):
        self.sweep()
        self.assertNotIn("Trend", self.ptosim("sweep", "report", "plan.sweep").stdout)

    def test_points_have_the_cycles_of_runs(self):
        counts = self.sweep()
        self.assertEqual((counts["points"], counts["done"], counts["ran"]), (6, 6, 6))
        for point in self.points():
            at = point["coordinates"]
            chunk = {"96KiB": 24, "192KiB": 48}[at["aiv.ub.bytes"]]
            text = KERNEL.replace("${CHUNK * COUNT}", str(chunk * at["COUNT"]))
            text = text.replace("${CHUNK}", str(chunk)).replace("${COUNT}", str(at["COUNT"]))
            self.write("by_hand.pto", "\n".join(l for l in text.splitlines() if not l.startswith("//!")))
            rows = f"zeros={chunk * at['COUNT']}x64xf32"
            done = self.ptosim("run", "by_hand.pto", "--blocks", "1", "--arg", rows, "--arg", rows,
                               "--json", "r.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("r.json")) as file:
                self.assertEqual(point["cycles"], json.load(file)["cycles"])
            # Clusters of the 910B1: 24, each with two UBs, 512 KiB of L1, 64 + 64 + 128 KiB of L0.
            self.assertEqual(point["onchip_bytes"],
                             24 * (2 * 4096 * chunk + (512 + 64 + 64 + 128) * 1024))

    def test_only_what_changed_runs_again(self):
        self.sweep()
        first = self.results()
        self.assertEqual(self.sweep()["ran"], 0)
        changed = plan()
        changed["kernels"][0]["params"]["COUNT"] = [1, 2, 3, 5]
        self.write("plan.json", json.dumps(changed))
        counts = self.sweep()
        self.assertEqual((counts["points"], counts["ran"]), (8, 2))
        self.assertEqual({k: v for k, v in self.results().items() if k in first}, first)
        self.write("copy.pto", KERNEL.replace("EVENT_ID0", "EVENT_ID1"))
        self.assertEqual(self.sweep()["ran"], 8)

    def test_a_killed_sweep_goes_on(self):
        wide = plan()
        wide["kernels"][0]["params"]["COUNT"] = {"from": 1, "to": 150, "step": 1}
        self.write("plan.json", json.dumps(wide))
        for how, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 1)):
            process = subprocess.Popen([PTOSIM, "sweep", "plan.json", "--jobs", "1"],
                                       cwd=self.folder.name, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            before = len(self.results()) if os.path.exists(self.path("plan.sweep")) else 0
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                try:
                    if len(self.results()) >= before + 5:
                        break
                except sqlite3.OperationalError:
                    pass
                time.sleep(0.005)
            process.send_signal(how)
            self.assertEqual(process.wait(timeout=60), code)
        kept = self.results()
        self.assertGreaterEqual(len(kept), 10)
        self.assertLess(len(kept), 300)
        counts = self.sweep()
        self.assertEqual((counts["done"], counts["ran"]), (300, 300 - len(kept)))
        self.assertEqual({k: v for k, v in self.results().items() if k in kept}, kept)

    def test_shards_together_are_the_sweep(self):
        self.sweep("--out", "whole.sweep")
        ran = [self.sweep("--shard", f"{i}/3")["ran"] for i in range(3)]
        self.assertEqual(sum(ran), 6)
        self.assertEqual(self.sweep()["ran"], 0)
        with sqlite3.connect(self.path("plan.sweep")) as db, \
                sqlite3.connect(self.path("whole.sweep")) as whole:
            query = "SELECT key, cycles FROM result ORDER BY key"
            self.assertEqual(list(db.execute(query)), list(whole.execute(query)))
        self.assertEqual([n for n in os.listdir(self.folder.name) if "shard" in n], [])

    def test_failures_and_what_does_not_fit_are_rows(self):
        odd = plan()
        odd["kernels"][0]["where"] = "COUNT != 2"
        odd["set"]["aiv.ub.bytes"] = ["192KiB", "100KiB"]  # 25 rows: not whole blocks
        odd["kernels"].append({"name": "missing", "file": "broken.pto"})
        self.write("broken.pto", "not a kernel")
        self.write("plan.json", json.dumps(odd))
        counts = self.sweep(code=1)
        self.assertEqual((counts["done"], counts["failed"], counts["skipped"]), (2, 2, 4))
        messages = {p["message"] for p in self.points() if p["status"] != "done"}
        self.assertIn("where COUNT != 2", messages)
        self.assertTrue(any("whole blocks: CHUNK % 8 == 0 does not hold" in m for m in messages), messages)
        self.assertTrue(any("broken.pto:1:1" in m for m in messages), messages)
        self.assertEqual(self.sweep(code=1)["ran"], 0)
        self.assertEqual(self.sweep("--retry-failed", code=1)["ran"], 2)

    def test_paths_are_as_seen_from_where_one_stands(self):
        os.makedirs(self.path("plans/deep"))
        odd = plan()
        odd["kernels"][0]["file"] = "../../copy.pto"
        odd["set"]["aiv.ub.bytes"] = ["192KiB", "100KiB"]
        self.write("broken.pto", "not a kernel")
        odd["kernels"].append({"name": "missing", "file": "../../broken.pto"})
        self.write("plans/deep/plan.json", json.dumps(odd))
        done = self.ptosim("sweep", "plans/deep/plan.json", "--dry-run")
        self.assertEqual(done.stdout.splitlines()[0], "cd plans/deep")
        self.assertIn("ptosim run ../../copy.pto", done.stdout)
        self.assertEqual(self.ptosim("sweep", "plans/deep/plan.json").returncode, 1)
        text = self.ptosim("sweep", "report", "plans/deep/plan.sweep").stdout
        # A failure is printed at once, not only in the report.
        self.assertIn("the first that failed: broken.pto:1:1: error",
                      self.ptosim("sweep", "plans/deep/plan.json").stdout)
        self.assertRegex(text, r"skipped +copy\.pto:3: whole blocks")
        self.assertRegex(text, r"failed +broken\.pto:1:1: error")
        self.assertNotIn("../", text)

    def test_time_out_is_a_failure(self):
        endless = KERNEL.replace("to %count", "to %many").replace(
            "    %at =", "    %many = arith.constant 1000000000 : index\n    %at =").replace(
            "arith.muli %i, %chunk", "arith.muli %c0, %chunk")
        self.write("copy.pto", endless)
        self.write("plan.json", json.dumps(plan(run={"timeout": 0.5}, set={})))
        self.assertEqual(self.sweep(code=1)["failed"], 3)
        self.assertIn("not done within", self.points()[0]["message"])

    def test_report(self):
        self.sweep()
        done = self.ptosim("sweep", "report", "plan.sweep", "--csv", "t.csv")
        self.assertIn("6 points: 6 done", done.stdout)
        self.assertIn("What the time depends on", done.stdout)
        self.assertIn("What each value is worth", done.stdout)
        report = json.loads(self.ptosim("sweep", "report", "plan.sweep", "--json", "-").stdout)
        self.assertIn("Assumed figures of the chips", done.stdout)
        self.assertEqual(report["assumed"]["scalar.operation"], 6)
        self.assertNotIn("clock", report["assumed"])  # official
        self.assertTrue(report["best_by_value"])
        for best in report["best_by_value"]:
            times = [point["time_us"] for point in report["points"]
                     if str(point["coordinates"][best["factor"]]) == best["value"]]
            self.assertEqual(best["time_us"], min(times), best)
        with open(self.path("t.csv")) as file:
            self.assertEqual(len(file.readlines()), 7)
        if shutil.which("gnuplot"):
            done = self.ptosim("sweep", "report", "plan.sweep", "--html", "t.html", "--png", "plots")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("t.html")) as file:
                page = file.read()
            self.assertEqual(page.count("<figure"), page.count("</svg>"))
            self.assertNotIn("http://", page.replace("http://www.w3.org", ""))
            with open(self.path("plots/pareto_copy.png"), "rb") as file:
                self.assertEqual(file.read(4), b"\x89PNG")
        done = self.ptosim("sweep", "report", "plan.sweep", "--png", "plots", env={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("[I55]", done.stderr)

    def test_bad_plans(self):
        def with_kernel(**changes):
            result = plan()
            result["kernels"][0].update(changes)
            return result
        self.refused("{", "plan plan.json is not JSON")
        self.refused("[]", "must be an object")
        self.refused(plan(chip=["x"]), "plan plan.json: chip: unknown key", "did you mean 'chips'?")
        self.refused(plan(chips=[]), "chips: has no values: the product is empty")
        self.refused(plan(chips=["ascend910b9"]), "chips[0]: unknown chip 'ascend910b9'", "did you mean")
        self.refused(plan(set={"aiv.ubb.bytes": [1]}), "set.aiv.ubb.bytes", "did you mean 'aiv.ub.bytes'?")
        self.refused(plan(set={"aiv.ub.bytes": ["1GHz"]}), "unit 'GHz' does not fit")
        self.refused(plan(set={"aiv.ub.bytes": []}), "set.aiv.ub.bytes: has no values")
        self.refused(plan(kernels=[]), "kernels: must be a list with at least one kernel")
        self.refused(plan(kernels=[{"name": "x"}]), "kernels[0]: 'file' is missing")
        self.refused(plan(kernels=[{"file": "no.pto"}]), "kernels[0].file: there is no file")
        self.refused(with_kernel(params={"CONT": [1]}), "has no parameter 'CONT'", "did you mean 'COUNT'?")
        self.refused(with_kernel(params={"COUNT": ["many"]}), "not a whole number")
        self.refused(with_kernel(params={"COUNT": {"from": 4, "to": 1, "step": 1}}), "the product is empty")
        self.refused(with_kernel(params={"COUNT": {"from": 1, "to": 4}}), "needs either 'step' or 'times'")
        self.refused(plan(kernels=plan()["kernels"] * 2), "two kernels are named 'copy'")
        self.refused(with_kernel(blocks="0"), "kernel copy: 'blocks' is 0", "at least 1 and at most 1048576")
        self.refused(with_kernel(blocks="COUNT * 10000000"), "kernel copy: 'blocks' is", "'where' leaves such points out")
        self.refused(plan(run={"mode": "fast"}), "run.mode: unknown value 'fast'")
        self.write("fixed.pto", KERNEL.replace("//!", "//"))
        self.refused(with_kernel(file="fixed.pto"), "declares no parameters: its tiling cannot vary")
        os.remove(self.path("fixed.pto"))

    def test_conditions_that_cannot_be_evaluated(self):
        for changes, word in (({"where": ["COUNTS > 1"]}, "did you mean 'COUNT'?"),
                              ({"where": ["chip.aiv.ub.byte > 1"]}, "did you mean 'chip.aiv.ub.bytes'?")):
            self.write("plan.json", json.dumps(plan(**changes)))
            done = self.ptosim("sweep", "plan.json")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)
        self.write("plan.json", json.dumps(plan(where=["COUNT > 100"])))
        done = self.ptosim("sweep", "plan.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("every point is skipped: where COUNT > 100", done.stderr)

    def test_bad_files(self):
        self.write("plan.sweep", "not a database, and long enough to look at" * 100)
        done = self.ptosim("sweep", "plan.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[I52]", done.stderr)
        os.remove(self.path("plan.sweep"))
        self.sweep()
        with sqlite3.connect(self.path("plan.sweep")) as db:
            db.execute("PRAGMA user_version=7")
        for words in (("sweep", "plan.json"), ("sweep", "report", "plan.sweep")):
            done = self.ptosim(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is of format 7, and this version reads and writes format 2", done.stderr)
        with sqlite3.connect(self.path("other.sweep")) as db:
            db.execute("CREATE TABLE t(x)")
        self.assertIn("of another program", self.ptosim("sweep", "report", "other.sweep").stderr)
        self.assertIn("does not exist", self.ptosim("sweep", "report", "none.sweep").stderr)
        self.assertEqual(self.ptosim("sweep", "plan.json", "--out", "no/folder.sweep").returncode, 2)

    def test_a_file_of_the_first_format(self):
        self.sweep()
        points = self.points()
        with sqlite3.connect(self.path("plan.sweep")) as db:
            db.execute("ALTER TABLE point DROP COLUMN facts")
            db.execute("PRAGMA user_version=1")
        without = [{name: value for name, value in point.items() if name not in ("area_mm2", "energy_uj")} for point in points]
        self.assertEqual(self.points(), without)
        self.assertEqual(self.sweep()["ran"], 0)
        self.assertEqual(self.points(), points)

    def test_a_full_disk_keeps_what_was_done(self):
        self.sweep()
        before = self.results()
        changed = plan()
        changed["kernels"][0]["params"]["COUNT"] = {"from": 1, "to": 40, "step": 1}
        self.write("plan.json", json.dumps(changed))
        size = os.path.getsize(self.path("plan.sweep")) + 16384

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        done = self.ptosim("sweep", "plan.json", preexec_fn=limit)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("[I52]", done.stderr)
        kept = self.results()
        self.assertEqual({k: v for k, v in kept.items() if k in before}, before)
        self.assertEqual(self.sweep()["ran"], 80 - len(kept))

    def test_two_sweeps_of_one_file(self):
        self.sweep()
        with open(self.path("plan.sweep")) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            done = self.ptosim("sweep", "plan.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is being written by another sweep", done.stderr)

    def test_launchers_and_shards_that_are_not_there(self):
        for launcher, package in (("mpi", "openmpi-bin"), ("slurm", "slurm-client")):
            done = self.ptosim("sweep", "plan.json", "--launcher", launcher, env={"PATH": "/nowhere"})
            self.assertEqual(done.returncode, 2)
            self.assertIn("[I54]", done.stderr)
            self.assertIn(package, done.stderr)
        for word in ("3/3", "-1/2", "1", "x/y", "0/0"):
            done = self.ptosim("sweep", "plan.json", f"--shard={word}")
            self.assertEqual(done.returncode, 2, word)
            self.assertIn("[I54]", done.stderr)
        done = self.ptosim("sweep", "plan.json", "--shard", "mpi/2", env={"PATH": "/usr/bin"})
        self.assertIn("no rank in the environment", done.stderr)

    def test_parameters_of_cpp_kernels_are_macros(self):
        self.write("copy.cpp", CPP_KERNEL)
        kernel = {"file": "copy.cpp", "blocks": 1, "params": {"TILE_ROWS": [32, 64]},
                  "arguments": ["rand=${TILE_ROWS}x64xf32", "out=${TILE_ROWS}x64xf32"]}
        self.write("plan.json", json.dumps({"chips": ["ascend910b1"], "kernels": [kernel],
                                            "run": {"mode": "full"}}))
        env = dict(os.environ, XDG_CACHE_HOME=self.path("cache"))
        done = self.ptosim("sweep", "plan.json", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        cycles = [point["cycles"] for point in self.points()]
        self.assertLess(cycles[0], cycles[1])
        words = ["run", "copy.cpp", "--blocks", "1", "--arg", "rand=32x64xf32", "--arg", "out=32x64xf32"]
        done = self.ptosim(*words, "--define", "TILE_ROWS=32", "--json", "r.json", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("r.json")) as file:
            self.assertEqual(json.load(file)["cycles"], cycles[0])
        done = self.ptosim(*words, "--param", "TILE_ROWS=32", env=env)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--define TILE_ROWS=32 defines a macro", done.stderr)
        done = self.ptosim("run", "copy.pto", "--define", "X")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not C++ source", done.stderr)

    def test_run_takes_parameters(self):
        rows = "zeros=96x64xf32"
        words = ["run", "copy.pto", "--blocks", "1", "--arg", rows, "--arg", rows]
        done = self.ptosim(*words, "--param", "CHUNK=24")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.ptosim(*words, "--param", "CHUNK=25")
        self.assertEqual(done.returncode, 2)
        self.assertIn("copy.pto:3: whole blocks: CHUNK % 8 == 0 does not hold with CHUNK = 25", done.stderr)
        done = self.ptosim(*words, "--param", "CHNK=24")
        self.assertIn("did you mean 'CHUNK'?", done.stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
