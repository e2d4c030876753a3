#!/usr/bin/python3
"""Changes from a base chip, searches of kernel parameters, and area and energy: ptosim sweep from outside.

    changes_test.py --ptosim BIN

Kernels are made for one known answer each: what bounds them, or which tile is the best, is planted. Sums of areas and
energies are calculated here from the figures of the chip file.
"""
import json
import math
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import command_line

PTOSIM = "ptosim"
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIBRARY = os.path.join(ROOT, "tests", "kernels", "parametric")

# A block copies its chunks of CHUNK x 256 f32 by way of UB, two slots.
COPY = """//! param CHUNKS = 192
//! param CHUNK = 64
//! param SLOTS = 2
//! search CHUNK = 8, 16, 32, 64, 96
//! blocks chip.clusters * chip.cluster.aivs
//! argument zeros=${CHUNKS * 64}x256xf32
//! argument zeros=${CHUNKS * 64}x256xf32
//! require SLOTS * CHUNK * 1024 <= chip.aiv.ub.bytes : the slots fit the UB
//! require 64 * CHUNKS % CHUNK == 0 : whole chunks
!part = !pto.partition_tensor_view<${CHUNK}x256xf32>
!tile = !pto.tile_buf<vec, ${CHUNK}x256xf32>
!view = !pto.tensor_view<?x?xf32>
module {
  func.func @copy(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant ${SLOTS} : index
    %cols = arith.constant 256 : index
    %chunk = arith.constant ${CHUNK} : index
    %chunks = arith.constant ${64 * CHUNKS / CHUNK} : index
    %rows = arith.constant ${64 * CHUNKS} : index
    %slot_bytes = arith.constant ${CHUNK * 1024} : i64
    %block_i64 = pto.get_block_idx
    %blocks_i64 = pto.get_block_num
    %block = arith.index_cast %block_i64 : i64 to index
    %blocks = arith.index_cast %blocks_i64 : i64 to index
    %xv = pto.make_tensor_view %x, shape = [%rows, %cols], strides = [%cols, %c1] {layout = #pto.layout<nd>} : !view
    %yv = pto.make_tensor_view %y, shape = [%rows, %cols], strides = [%cols, %c1] {layout = #pto.layout<nd>} : !view
    pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID1>]
    scf.for %i = %block to %chunks step %blocks {
      %turn = arith.divui %i, %blocks : index
      %slot = arith.remui %turn, %c2 : index
      %slot_i64 = arith.index_cast %slot : index to i64
      %at = arith.muli %slot_i64, %slot_bytes : i64
      %t = pto.alloc_tile addr = %at : !tile
      %row = arith.muli %i, %chunk : index
      %xp = pto.partition_view %xv, offsets = [%row, %c0], sizes = [%chunk, %cols] : !view -> !part
      %yp = pto.partition_view %yv, offsets = [%row, %c0], sizes = [%chunk, %cols] : !view -> !part
      pto.wait_flag_dyn[<PIPE_MTE3>, <PIPE_MTE2>, %slot]
      pto.tload ins(%xp : !part) outs(%t : !tile)
      pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_MTE3>, %slot]
      pto.wait_flag_dyn[<PIPE_MTE2>, <PIPE_MTE3>, %slot]
      pto.tstore ins(%t : !tile) outs(%yp : !part)
      pto.set_flag_dyn[<PIPE_MTE3>, <PIPE_MTE2>, %slot]
    }
    pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID1>]
    return
  }
}
"""


class Changes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("copy.pto", COPY)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def ptosim(self, *words, code=0):
        done = subprocess.run([PTOSIM, *words], cwd=self.folder.name, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def report(self, file):
        return json.loads(self.ptosim("sweep", "report", file, "--json", "-").stdout)

    def ask(self, kernel, *words):
        """The rows of the only table of changes, by their names, and the table."""
        self.ptosim("sweep", kernel, *words)
        tables = self.report(os.path.splitext(os.path.basename(kernel))[0] + ".sweep")["changes"]
        self.assertEqual(len(tables), 1)
        return {row["change"]: row for row in tables[0]["rows"]}, tables[0]

    def test_a_copy_that_hbm_bounds(self):
        rows, table = self.ask("copy.pto", "--no-search", "--param", "CHUNKS=768", "--change", "memory.hbm.rate=x2",
                               "--change", "aic.cube.k_per_cycle.f16=32", "--change", "memory.l2.bytes=x2",
                               "--change", "aiv.ub.bytes=256KiB")
        self.assertEqual(list(rows)[0], "base")
        self.assertIn("HBM bounds the time", rows["base"]["reason"])
        hbm = next(row for name, row in rows.items() if name.startswith("memory.hbm.rate="))
        self.assertGreater(hbm["speed_up"], 1.2)
        self.assertIn("HBM was busy", hbm["reason"])
        cube = rows["aic.cube.k_per_cycle.f16=32"]
        self.assertEqual(cube["speed_up"], 1)
        self.assertIn("it does not use M", cube["reason"])
        # 2 slots of 64 x 256 x 4 bytes are 128 KiB.
        ub = rows["aiv.ub.bytes=256KiB"]
        self.assertIn("its tiles take 128 of 192 KiB of UB; a larger UB cannot change this kernel", ub["reason"])
        self.assertEqual(table["together"], rows["all"]["speed_up"])
        product = math.prod(row["speed_up"] for name, row in rows.items() if name not in ("base", "all"))
        self.assertAlmostEqual(table["interaction"], rows["all"]["speed_up"] / product, 9)

    def test_waves_of_blocks(self):
        # 50 chunks are two waves on 48 AIVs, of which the second has 2, and one on 50. Slow transfers make it the cores' time.
        self.write("plan.json", json.dumps({
            "chips": ["ascend910b1"], "set": {"aiv.gm_to_ub.rate": [4], "aiv.ub_to_gm.rate": [4]},
            "changes": [{"clusters": 25}, {"name": "28 of them", "clusters": 28}],
            "kernels": [{"file": "copy.pto", "params": {"CHUNKS": 50}}]}))
        self.ptosim("sweep", "plan.json")
        rows = {row["change"]: row for row in self.report("plan.sweep")["changes"][0]["rows"]}
        self.assertEqual(set(rows), {"base", "clusters=25", "28 of them"})
        base, more = rows["base"], rows["clusters=25"]
        self.assertGreater(more["speed_up"], 1.2)
        self.assertRegex(more["reason"], r"more than the change of 1.04 times")
        self.assertRegex(more["reason"], r"cores are filled to \d+ % instead of 5\d %")
        self.assertAlmostEqual(rows["28 of them"]["cycles"], more["cycles"], delta=0.05 * base["cycles"])

    def test_reads_that_meet_in_windows_of_l2(self):
        # 1536 queries are 24 tasks of a head: on 24 clusters all of them read the same keys at the same time.
        rows, _ = self.ask(os.path.join(LIBRARY, "attention.pto"), "--no-search", "--param", "QT=64", "--change", "clusters=32")
        self.assertRegex(rows["base"]["reason"], r"MTE2 bounds the time \(busy 9\d %, [45]\d % because reads of several cores meet")
        more = rows["clusters=32"]
        self.assertGreater(more["speed_up"], 32 / 24)
        self.assertIn("more than the change of 1.33 times", more["reason"])
        self.assertRegex(more["reason"], "meet another core's read of the same windows of L2 lose [0-9]+ cycles a core instead of 4[0-9]{4}")

    def test_blocks_that_do_not_follow_the_chip(self):
        rows, _ = self.ask("copy.pto", "--no-search", "--param", "CHUNKS=48", "--blocks", "48", "--change", "clusters=32")
        self.assertIn("it runs 48 blocks on either chip", rows["clusters=32"]["reason"])

    def test_a_search_finds_the_exhaustive_best(self):
        for kernel, words, axes, blocks in (
                ("softmax", ["ROWS=2048", "COLS=512"], {"CHUNK": [8, 16, 32, 64, 128]}, "8"),
                ("layer_norm", ["ROWS=2048", "COLS=256"], {"CHUNK": [8, 16, 32, 64, 128]}, "8"),
                ("gemm", ["M=256", "N=256", "K=256"],
                 {"TM": [32, 64, 128, 256], "TN": [64, 128, 256], "TK": [64, 128, 256, 512], "C_SLOTS": [1, 2]}, "4")):
            given = dict(word.split("=") for word in words)
            given = {name: int(value) for name, value in given.items()}
            file = os.path.join(LIBRARY, kernel + ".pto")
            base = {"file": file, "blocks": blocks, "params": given}
            self.write("all.json", json.dumps({"chips": ["ascend910b1"],
                                               "kernels": [{**base, "params": {**given, **axes}}]}))
            self.write("best.json", json.dumps({"chips": ["ascend910b1"],
                                                "kernels": [{**base, "search": axes}]}))
            self.ptosim("sweep", "all.json")
            ran = json.loads(self.ptosim("sweep", "best.json", "--json", "-").stdout)["ran"]
            every = [p for p in self.report("all.sweep")["points"] if p["status"] == "done"]
            best = min(point["cycles"] for point in every)
            found = self.report("best.sweep")["points"]
            self.assertEqual(len(found), 1)
            self.assertLessEqual(found[0]["cycles"], 1.03 * best, kernel)
            self.assertLessEqual(ran, len(every) + 1)
            self.assertEqual(set(found[0]["chosen"]), set(axes))
            # The point has the cycles of a run with the parameters that it names.
            words = [f"--param={name}={value}" for name, value in {**given, **found[0]["chosen"]}.items()]
            shapes = {"softmax": ["2048x512xf32"] * 2, "layer_norm": ["2048x256xf32", "1x256xf32", "1x256xf32", "2048x256xf32"],
                      "gemm": ["256x256xf16", "256x256xf16", "256x256xf32"]}[kernel]
            arguments = [f"--arg=zeros={shape}" for shape in shapes]
            self.ptosim("run", file, "--mode", "timing", "--blocks", blocks, *words, *arguments, "--json", "run.json")
            with open(self.path("run.json")) as result:
                self.assertEqual(json.load(result)["cycles"], found[0]["cycles"])

    def test_a_search_that_keeps_its_tiles(self):
        # Five tiles of 32 x 512 f32 are 320 KiB, of 16 rows 160 KiB.
        rows, _ = self.ask(os.path.join(LIBRARY, "softmax.pto"), "--param", "ROWS=2048", "--change", "aiv.ub.bytes=256KiB")
        reason = rows["aiv.ub.bytes=256KiB"]["reason"]
        self.assertEqual(rows["base"]["chosen"], rows["aiv.ub.bytes=256KiB"]["chosen"])
        if rows["base"]["chosen"]["CHUNK"] == 16:
            self.assertIn("the search keeps CHUNK = 16", reason)
            self.assertIn("CHUNK = 32 is excluded by 'five tiles fit the UB'", reason)

    def test_a_search_in_shards_and_after_a_stop(self):
        plan = {"chips": ["ascend910b1"], "set": {"aiv.ub.bytes": ["48KiB", "192KiB"]},
                "kernels": [{"file": "copy.pto", "blocks": "8", "params": {"CHUNKS": 24}, "search": True}]}
        self.write("whole.json", json.dumps(plan))
        self.write("parts.json", json.dumps(plan))
        self.ptosim("sweep", "whole.json")
        whole = self.report("whole.sweep")["points"]
        for _ in range(6):
            for part in ("0/2", "1/2"):
                self.ptosim("sweep", "parts.json", "--shard", part)
            # A dry run takes over the shards and runs nothing.
            left = self.ptosim("sweep", "parts.json", "--dry-run").stdout
            if not left.strip():
                break
        self.assertEqual(left.strip(), "")
        done = json.loads(self.ptosim("sweep", "parts.json", "--json", "-").stdout)
        self.assertEqual(done["ran"], 0)
        self.assertEqual(self.report("parts.sweep")["points"], whole)
        # 96 rows of 1 KiB do not fit 48 KiB in two slots; 16 do.
        self.assertLessEqual(whole[0]["chosen"]["CHUNK"], 24)

    def test_a_search_by_mpi(self):
        # In place of mpirun -n N --output-filename F COMMAND..., one process after the other.
        self.write("mpirun", "#!/bin/sh\ncount=$2\nshift 4\nrank=0\nwhile [ $rank -lt $count ]; do\n"
                             "OMPI_COMM_WORLD_RANK=$rank \"$@\" || exit 1\nrank=$((rank + 1))\ndone\n")
        os.chmod(self.path("mpirun"), 0o755)
        plan = {"chips": ["ascend910b1"], "changes": [{"aiv.ub.bytes": "48KiB"}],
                "kernels": [{"file": "copy.pto", "blocks": "8", "params": {"CHUNKS": 24}, "search": True}]}
        for name in ("here", "there"):
            self.write(name + ".json", json.dumps({"title": "t", **plan}))
        self.ptosim("sweep", "here.json")
        done = subprocess.run([PTOSIM, "sweep", "there.json", "--launcher", "mpi", "--workers", "3"], cwd=self.folder.name,
                              capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PATH": self.folder.name + ":" + os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.report("there.sweep"), self.report("here.sweep"))

    def test_kernels_without_lines_for_sweeps(self):
        # The arguments of a '// run:' line; two slots of 64 rows of 1 KiB.
        fixed = "".join(line for line in COPY.replace("${", "{").splitlines(True) if not line.startswith("//!"))
        for name, value in (("SLOTS", 2), ("CHUNK * 1024", 65536), ("64 * CHUNKS / CHUNK", 12), ("64 * CHUNKS", 768), ("CHUNK", 64)):
            fixed = fixed.replace("{" + name + "}", str(value))
        self.write("fixed.pto", "// run: --blocks 12 --arg zeros=768x256xf32 --arg zeros=768x256xf32\n" + fixed)
        rows, _ = self.ask("fixed.pto", "--change", "aiv.ub.bytes=256KiB", "--change", "clusters=32")
        self.assertIn("its tiles take 64 of 192 KiB of UB; a larger UB cannot change this kernel",
                      rows["aiv.ub.bytes=256KiB"]["reason"])
        self.assertIn("it runs 12 blocks on either chip", rows["clusters=32"]["reason"])

    def test_area_and_energy(self):
        rows, _ = self.ask("copy.pto", "--no-search", "--param", "CHUNKS=48", "--change", "aiv.ub.bytes=384KiB",
                           "--change", "memory.l2.bytes=x2")
        with open(os.path.join(ROOT, "models", "ascend910b1.json")) as file:
            cost = json.load(file)["parameters"]["cost"]
        value = lambda part, name: cost[part][name]["value"] * (1e6 if cost[part][name]["unit"] == "mm2" else 1)
        kib = 24 * (2 * 192 + 512 + 64 + 64 + 128)
        parts = [(value("sram", "area") * kib, value("sram", "area_range")),
                 (value("l2", "area") * 192 * 1024, value("l2", "area_range")),
                 (value("hbm", "area") * 1.531, value("hbm", "area_range")),
                 (value("mac", "area") * 4096 * 24, value("mac", "area_range")),
                 (value("lane", "area") * 64 * 48, value("lane", "area_range")),
                 (value("core", "area") * 72, value("core", "area_range")),
                 (cost["rest"]["value"] * 1e6, cost["rest_range"]["value"])]
        expected = [sum(area / factor for area, factor in parts) / 1e6, sum(area for area, _ in parts) / 1e6,
                    sum(area * factor for area, factor in parts) / 1e6]
        for got, want in zip(rows["base"]["area_mm2"], expected):
            self.assertAlmostEqual(got, want, 3)
        ub, l2 = rows["aiv.ub.bytes=384KiB"], next(r for n, r in rows.items() if n.startswith("memory.l2.bytes"))
        self.assertAlmostEqual(ub["area_mm2"][1] - rows["base"]["area_mm2"][1], 520 * 24 * 2 * 192 / 1e6, 3)
        self.assertAlmostEqual(l2["area_mm2"][2] - rows["base"]["area_mm2"][2], 1500 * 1.7 * 192 * 1024 / 1e6, 3)
        # Energy: 48 chunks of 64 KiB are read from HBM, and 96 pass L2; UB is written and read once.
        bytes_ = 48 * 64 * 1024
        core = next(iter(self.report("copy.sweep")["points"]))
        area, time = rows["base"]["area_mm2"][1], core["time_us"]
        least = bytes_ * 40 + 2 * bytes_ * 6 + 2 * bytes_ * 0.2 * math.sqrt(3) + area * 40 * time * 1e3
        self.assertAlmostEqual(rows["base"]["energy_uj"][1], least / 1e6, delta=0.02 * least / 1e6)
        self.assertLess(rows["base"]["energy_uj"][0], rows["base"]["energy_uj"][1])
        # A larger UB costs energy, and gives nothing.
        self.assertGreater(ub["energy_ratio"][1], 1)
        front = self.report("copy.sweep")["cost_front"]["copy"]
        self.assertEqual(front, [0])

    def test_the_page(self):
        self.write("plan.json", json.dumps({
            "chips": ["ascend910b1"], "set": {"memory.hbm.rate": ["0.5TB/s", "2TB/s"], "aiv.gm_to_ub.rate": [20, 40, 80]},
            "kernels": [{"file": "copy.pto", "params": {"CHUNKS": 48}}]}))
        self.ptosim("sweep", "plan.json", "--html", "page.html")
        with open(self.path("page.html")) as file:
            page = file.read()
        self.assertIn("Time of copy by aiv.gm_to_ub.rate and memory.hbm.rate", page)
        self.assertIn("Time of copy against area, mm2", page)
        self.assertIn("Time of copy against energy, uJ", page)
        self.assertEqual(page.count("<figure"), page.count("</svg>"))
        own = [picture.split("</figcaption>")[1].split("</figure>")[0] for picture in page.split("<figcaption>")[1:]]
        self.assertEqual(len(own), 3)
        for picture in own:
            xml.etree.ElementTree.fromstring(picture)
        done = self.ptosim("sweep", "copy.pto", "--no-search", "--param", "CHUNKS=48", "--change", "memory.hbm.rate=x2",
                           "--change", "clusters=32", "--html", "changes.html")
        self.assertIn("page: changes.html", done.stdout)
        with open(self.path("changes.html")) as file:
            page = file.read()
        self.assertIn("Speed-up of each change: copy", page)
        self.assertIn("Why: copy", page)

    def test_changes_that_exclude_each_other(self):
        rows, table = self.ask("copy.pto", "--no-search", "--param", "CHUNKS=48", "--change", "clusters=25", "--change", "clusters=28")
        self.assertEqual(list(rows), ["base", "clusters=25", "clusters=28"])
        self.assertNotIn("together", table)

    def test_a_program(self):
        for name in ("scale_kernel.cpp", "scale_main.cpp"):
            with open(os.path.join(ROOT, "tests", "cpp", name)) as file:
                self.write(name, file.read())
        self.ptosim("build", "scale_kernel.cpp", "scale_main.cpp", "-o", "scale")
        plan = {"chips": ["ascend910b1"], "changes": [{"memory.hbm.latency": 2000}], "kernels": [{"program": ["./scale"]}]}
        self.write("plan.json", json.dumps(plan))
        self.ptosim("sweep", "plan.json")
        rows = {row["change"]: row for row in self.report("plan.sweep")["changes"][0]["rows"]}
        for change, setting in (("base", ""), ("memory.hbm.latency=2000", "memory.hbm.latency=2000")):
            subprocess.run(["./scale"], cwd=self.folder.name, check=True, capture_output=True,
                           env={**os.environ, "PTOSIM_CHIP": "ascend910b1", "PTOSIM_SET": setting, "PTOSIM_JSON": "run.json",
                                "PTOSIM_MODE": "timing"})
            with open(self.path("run.json")) as file:
                self.assertEqual(rows[change]["cycles"], json.load(file)["cycles"])
        plan["kernels"] = [{"program": ["./scale"], "file": "copy.pto"}]
        self.write("plan.json", json.dumps(plan))
        self.assertIn("kernels[0].file: is for a kernel", self.ptosim("sweep", "plan.json", code=2).stderr)

    def test_bad_questions(self):
        for words, fragments in (
                (["copy.pto", "--change", "aiv.ubb.bytes=1"], ["no parameter of a chip is named 'aiv.ubb.bytes'", "aiv.ub.bytes"]),
                (["copy.pto", "--change", "aiv.ub.bytes=x"], ["aiv.ub.bytes"]),
                (["copy.pto", "--change", "aiv.ub.bytes"], ["expected NAME=VALUE"]),
                (["copy.pto", "--change", "aiv.ub.bytes=1GHz"], ["unit 'GHz' does not fit"]),
                (["copy.pto", "--change", "clusters=30", "--param", "CHUNK_S=2"], ["has no parameter 'CHUNK_S'", "did you mean"]),
                (["copy.pto"], ["no --change is given"]),
                # Two slots of 8 rows of 1 KiB are 16 KiB.
                (["copy.pto", "--change", "clusters=30", "--chip", "./tiny.json"],
                 ["no choice of the search is legal on this chip; the smallest, CHUNK = 8", "the slots fit the UB"])):
            self.write("tiny.json", json.dumps({
                "name": "tiny", "description": "", "extends": "ascend910b1",
                "parameters": {"grade": "assumed", "source": "a test", "aiv": {"ub": {"bytes": {"value": 8, "unit": "KiB"}}}}}))
            done = self.ptosim("sweep", *words, code=2)
            for fragment in fragments:
                self.assertIn(fragment, done.stderr, words)
            self.assertTrue(done.stderr.startswith("error: "), done.stderr)
        self.write("plan.json", json.dumps({"chips": ["ascend910b1"], "kernels": [{"file": "copy.pto", "search": {"CHUNKY": [8]}}]}))
        self.assertIn("did you mean 'CHUNKS'?", self.ptosim("sweep", "plan.json", code=2).stderr)
        self.assertFalse([name for name in os.listdir(self.folder.name) if name == "plan.sweep"])


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
