#!/usr/bin/python3
"""Steps of programs of many chips: their time, Chakra's execution traces and tables for msmodeling.

    estimate_test.py --ptosim BIN
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "cli"))
import chakra  # noqa: E402
import command_line  # noqa: E402

PTOSIM = "ptosim"
LINK = ["--set", "system.link.latency=1us", "--set", "system.link.rate=20GB/s", "--set", "system.port.rate=100GB/s"]
# Numbers of CollectiveCommType, mlcommons/chakra schema/protobuf/et_def.proto.
COMM_TYPES = {"all_reduce": 0, "all_gather": 2, "all_to_all": 6, "reduce_scatter": 7}


class Estimates(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.home.name)

    def tearDown(self):
        self.home.cleanup()

    def estimate(self, step, *words, system="host910b", code=0):
        (self.folder / "step.json").write_text(step if isinstance(step, str) else json.dumps(step))
        ran = subprocess.run([PTOSIM, "estimate", "step.json", "--system", system, *words], cwd=self.folder,
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran

    def layer(self):
        """A product whose time a run gives, a sum that only half of a measured time hides, and an exchange."""
        kernel = ROOT / "tests" / "kernels" / "vadd_f32.pto"
        subprocess.run([PTOSIM, "run", kernel, "--blocks", "16", "--arg", "rand=1024x256xf32", "--arg",
                        "rand=1024x256xf32", "--arg", "out=1024x256xf32", "--arg", "i32=1024", "--json",
                        self.folder / "vadd.json"], check=True, capture_output=True)
        self.vadd = json.loads((self.folder / "vadd.json").read_text())["time_us"]
        return {"name": "layer", "repeat": 3, "nodes": [
            {"name": "add", "result": "vadd.json", "type": "Add", "operation": "aten.add.Tensor",
             "inputs": ["1024,256 FLOAT ND", "1024,256 FLOAT ND"], "outputs": ["1024,256 FLOAT ND"]},
            {"name": "sum", "collective": "all_reduce", "kib": 4096, "ranks": 4},
            {"name": "router", "us": 100, "source": "a stop-watch", "after": ["add"]},
            {"name": "dispatch", "collective": "all_to_all", "kib": 8192, "after": ["sum", "router"]}]}

    def test_a_layer(self):
        step = self.layer()
        shown = json.loads(self.estimate(step, *LINK, "--json", "-").stdout)
        ring = 2 * 3 * 2 + 1.5 * 4096 * 1024 / 20e3  # 20 GB/s are 20e3 bytes a us
        exchange = 1 + 8192 * 1024 * 7 / 8 / 100e3
        self.assertAlmostEqual(shown["time_us"], 3 * (self.vadd + ring + exchange), places=6)
        self.assertAlmostEqual(shown["exposed_us"], ring - 100 + exchange, places=6)
        self.assertEqual(shown["critical"], ["add", "sum", "dispatch"])
        text = self.estimate(step, *LINK).stdout
        self.assertIn("critical path: add, sum, dispatch", text)
        far = json.loads(self.estimate(step, *LINK, "--json", "-", system="pod910b").stdout)
        self.assertEqual(far["ranks"], 128)
        self.assertGreater(far["time_us"], shown["time_us"])

    def test_traces_for_astra_sim(self):
        step = self.layer()
        self.estimate(step, *LINK, "--chakra", "out/layer")
        files = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(files, sorted([f"layer.{rank}.et" for rank in range(8)] + ["layer.groups.json"]))
        groups = json.loads((self.folder / "out" / "layer.groups.json").read_text())
        self.assertEqual(groups, {"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]})
        for rank in range(8):
            version, nodes = chakra.read(self.folder / "out" / f"layer.{rank}.et")
            self.assertEqual(version, "1.0.0")
            self.assertEqual([node["name"] for node in nodes], 3 * ["add", "sum", "router", "dispatch"])
            self.assertEqual([node["type"] for node in nodes], 3 * ["work", "collective", "work", "collective"])
            self.assertEqual([node["id"] for node in nodes], list(range(1, 13)))
            self.assertEqual([node["deps"] for node in nodes[:5]], [[], [1], [1], [2, 3], [4]])
            self.assertEqual(nodes[0]["duration_micros"], round(self.vadd))
            self.assertEqual(nodes[2]["duration_micros"], 100)
            for node in nodes:
                self.assertEqual(node["attributes"]["is_cpu_op"], 0)
                self.assertEqual(node["kinds"]["is_cpu_op"], "bool")
            for node, name, size in ((nodes[1], "all_reduce", 4 << 20), (nodes[3], "all_to_all", 8 << 20)):
                self.assertEqual(node["attributes"]["comm_type"], COMM_TYPES[name])
                self.assertEqual(node["attributes"]["comm_size"], size)
                self.assertEqual((node["kinds"]["comm_type"], node["kinds"]["comm_size"]), ("int64", "int64"))
            self.assertEqual(nodes[1]["attributes"]["pg_name"], "1" if rank < 4 else "2")
            self.assertNotIn("pg_name", nodes[3]["attributes"])

    def test_groups_of_ranks_that_are_apart(self):
        self.estimate({"name": "data parallel", "nodes": [
            {"name": "inner", "collective": "reduce_scatter", "kib": 64, "ranks": 4},
            {"name": "outer", "collective": "all_reduce", "kib": 16, "ranks": 2, "apart": 4}]}, "--chakra", "dp")
        groups = json.loads((self.folder / "dp.groups.json").read_text())
        self.assertEqual(groups, {"1": [0, 1, 2, 3], "2": [4, 5, 6, 7],
                                  "3": [0, 4], "4": [1, 5], "5": [2, 6], "6": [3, 7]})
        for rank in range(8):
            _, nodes = chakra.read(self.folder / f"dp.{rank}.et")
            for node in nodes:
                self.assertIn(rank, groups[node["attributes"]["pg_name"]])

    def test_tables_for_msmodeling(self):
        """Columns as in Ascend/msmodeling tensor_cast/performance_model/profiling_database."""
        self.estimate(self.layer(), *LINK, "--tables", "tables")
        tables = self.folder / "tables"
        with open(tables / "kernels" / "Add.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 1)
        shapes = [tuple(map(int, shape.split(","))) for shape in rows[0]["Input Shapes"].split(";")]
        self.assertEqual(shapes, [(1024, 256), (1024, 256)])
        self.assertEqual(rows[0]["Input Data Types"], "FLOAT;FLOAT")
        self.assertEqual(rows[0]["Output Shapes"], "1024,256")
        self.assertEqual(rows[0]["Output Formats"], "ND")
        self.assertAlmostEqual(float(rows[0]["Average Duration(us)"]), self.vadd, places=3)
        mapping = (tables / "kernels" / "op_mapping.yaml").read_text()
        self.assertIn('  "aten.add.Tensor":\n    kernel_type: Add\n', mapping)
        self.assertTrue((tables / "kernels" / "../hccl/").is_dir())
        self.assertIn('communication_data_ref: "../hccl/"', mapping)
        for name, operation, whole in (("hcom_allReduce_", "all_reduce", 1), ("hcom_allGather_", "all_gather", 4),
                                       ("hcom_reduceScatter_", "reduce_scatter", 4), ("hcom_alltoallv_", "all_to_all", 1)):
            self.assertIn(f'"tensor_cast.{operation}.default":\n    kernel_type: {name}\n', mapping)
            with open(tables / "hccl" / f"{name}.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual({(row["num_devices"], row["topology_tier"]) for row in rows}, {("4", "0"), ("8", "0")})
            row, = [row for row in rows if (row["message_bytes"], row["num_devices"]) == ("1048576", "4")]
            known = json.loads(subprocess.run(
                [PTOSIM, "chips", "--system", "host910b", *LINK, "--collective", operation, "--ranks", "4", "--kib",
                 str(1024 * whole)], check=True, capture_output=True, text=True).stdout)["time_us"]
            self.assertAlmostEqual(float(row["Duration(us)"]), known, places=3)
            self.assertAlmostEqual(float(row["bandwidth_gbps"]), 1048.576 / known, places=3)
        self.estimate(self.layer(), "--tables", "far", system="pod910b")
        with open(self.folder / "far" / "hccl" / "hcom_alltoallv_.csv", newline="", encoding="utf-8") as file:
            self.assertEqual({(row["num_devices"], row["topology_tier"]) for row in csv.DictReader(file)},
                             {("4", "1"), ("8", "1"), ("128", "0")})

    def test_launches_of_a_program(self):
        (self.folder / "program.json").write_text(json.dumps({"time_us": 9, "launches": [
            {"kernel": "a", "time_us": 2}, {"kernel": "b", "time_us": 7}, {"kernel": "a", "time_us": 4}]}))
        shown = self.estimate({"name": "x", "nodes": [{"name": "a", "result": "program.json", "kernel": "a"}]},
                              "--json", "-")
        self.assertEqual(json.loads(shown.stdout)["time_us"], 3)

    def test_bad_steps(self):
        node = {"name": "a", "us": 1, "source": "x"}
        (self.folder / "functional.json").write_text("{}")
        for step, told in (
                ("{", "is not a JSON object"),
                ({"name": "x", "nodes": []}, "'nodes' must be a list"),
                ({"name": "x", "nodes": [node], "speed": 1}, "unknown key 'speed'"),
                ({"name": "x", "nodes": [node, node]}, "a second node named 'a'"),
                ({"name": "x", "nodes": [node | {"after": ["b"]}]}, "'after' names 'b'"),
                ({"name": "x", "nodes": [{"name": "a"}]}, "has a time in 'us' or in the run record"),
                ({"name": "x", "nodes": [{"name": "a", "us": 1}]}, "'source' must be text"),
                ({"name": "x", "nodes": [node | {"us": -1}]}, "'us' is out of range"),
                ({"name": "x", "nodes": [{"name": "a", "result": "functional.json"}]}, "has no time_us"),
                ({"name": "x", "nodes": [{"name": "a", "result": "functional.json", "kernel": "k"}]},
                 "has no launch of k"),
                ({"name": "x", "nodes": [node | {"type": "../up", "inputs": [], "outputs": []}]}, "'type' must be a name"),
                ({"name": "x", "nodes": [node | {"type": "Add", "inputs": ["4 ND"], "outputs": []}]},
                 "a tensor has a shape, a type and a format"),
                ({"name": "x", "nodes": [{"name": "s", "collective": "sum", "kib": 1}]}, "unknown collective 'sum'"),
                ({"name": "x", "nodes": [{"name": "s", "collective": "all_reduce", "kib": 1, "ranks": 3}]},
                 "do not divide the 8 of host910b"),
                ({"name": "x", "repeat": 0, "nodes": [node]}, "'repeat' must be a whole number")):
            with self.subTest(told):
                self.assertRegex(self.estimate(step, code=2).stderr, f"(?s){told}.*\\[I23\\]")
        self.assertIn("[I01]", self.estimate({"name": "x", "nodes": [{"name": "a", "result": "no.json"}]}, code=2).stderr)


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
