#!/usr/bin/python3
"""The profiler of the toolkit: its command lines, and the files that it leaves.

    msprof_test.py --ptosim BIN

fill_kernel.cpp is launched once by each library that load.py is given, on two clusters; each of
their four vector cores stores once. Column names are those of Ascend/msopprof.
"""
import csv
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import command_line  # noqa: E402
import toolkit_folder  # noqa: E402

PTOSIM = "ptosim"
BUILD = "-fPIC -shared -xcce -O1 -std=c++17 --npu-arch=dav-2201".split()
LOAD = [sys.executable, os.path.join(HERE, "load.py")]


class Profiler(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="msprof é ")
        home = os.path.join(cls.folder, "toolkit")
        subprocess.run([PTOSIM, "toolkit", home], check=True, capture_output=True)
        cls.environment = toolkit_folder.environment(home, os.path.join(cls.folder, "cache"))
        cls.libraries = []
        for scale in (1, 10):
            cls.libraries.append(os.path.join(cls.folder, f"fill{scale}.so"))
            subprocess.run(
                ["bisheng", *BUILD, f"-DSCALE={scale}", os.path.join(HERE, "fill_kernel.cpp"),
                 "-o", cls.libraries[-1]],
                check=True, capture_output=True, env=cls.environment)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.work = tempfile.mkdtemp(dir=self.folder)

    def msprof(self, *words, code=0):
        done = subprocess.run(["msprof", *words], cwd=self.work, capture_output=True, text=True,
                              timeout=120, env=self.environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def result(self, output="."):
        (folder,) = glob.glob(os.path.join(glob.escape(os.path.join(self.work, output)),
                                           "OPPROF_*"))
        return folder

    def stores(self, folder):
        with open(os.path.join(folder, "simulator", "trace.json")) as file:
            events = json.load(file)["traceEvents"]
        return sorted(event["pid"] for event in events
                      if event.get("ph") == "X" and event.get("tid") == "MTE3")

    def rows(self, folder, name):
        with open(os.path.join(folder, name)) as file:
            return list(csv.DictReader(file))

    def test_op_simulator(self):
        done = self.msprof("op", "simulator", "--aic-metrics=PipeUtilization",
                           "--kernel-name=_Z4fillPf_mix_aiv", "--output=out of it",
                           "--launch-count", "5", "--soc-version=Ascend910B2", "--timeout=1",
                           *LOAD, self.libraries[0])
        self.assertIn("1 2 3 4\n", done.stdout)
        self.assertIn("Profiling running finished. All task success.", done.stdout)
        folder = self.result("out of it")
        self.assertEqual(self.stores(folder), ["core0.veccore0", "core0.veccore1",
                                               "core1.veccore0", "core1.veccore1"])
        self.assertTrue(os.path.exists(os.path.join(folder, "simulator", "visualize_data.bin")))
        self.assertFalse(os.path.exists(os.path.join(folder, "OpBasicInfo.csv")))
        # Once more, from the files that the run has left.
        self.msprof("op", "simulator", "--export=" + os.path.join(folder, "dump"), "--output=more")
        with open(os.path.join(folder, "simulator", "trace.json")) as first, \
                open(os.path.join(self.result("more"), "simulator", "trace.json")) as second:
            self.assertEqual(first.read(), second.read())

    def test_several_launches(self):
        self.msprof("op", "simulator", "--launch-count=2", "--kernel-name=nothing|fi*",
                    "--application=" + " ".join(f"'{word}'" for word in LOAD + self.libraries))
        for number in ("0", "1"):
            folder = os.path.join(self.result(), "fill", number)
            self.assertEqual(len(self.stores(folder)), 4)
        # By default the first.
        self.msprof("op", "simulator", "--output=one", *LOAD, *self.libraries)
        self.assertEqual(len(self.stores(self.result("one"))), 4)

    def test_tables(self):
        self.msprof("op", *LOAD, self.libraries[0])
        folder = self.result()
        (basic,) = self.rows(folder, "OpBasicInfo.csv")
        self.assertEqual([basic[name] for name in ("Op Name", "Op Type", "Block Dim",
                                                   "Mix Block Dim")], ["fill", "mix", "2", "4"])
        pipes = self.rows(folder, "PipeUtilization.csv")
        self.assertEqual([(row["block_id"], row["sub_block_id"]) for row in pipes],
                         [(block, core) for block in "01"
                          for core in ("cube0", "vector0", "vector1")])
        for row in pipes:
            cube = row["sub_block_id"] == "cube0"
            self.assertEqual(row["aiv_vec_ratio"] == "NA", cube)
            if not cube:
                self.assertGreater(float(row["aiv_mte3_ratio"]), 0)
                self.assertAlmostEqual(float(row["aiv_vec_time(us)"]),
                                       float(row["aiv_vec_ratio"]) * float(row["aiv_time(us)"]), 5)
                self.assertLess(float(row["aiv_time(us)"]), float(basic["Task Duration(us)"]))
        self.assertEqual(len(self.rows(folder, "L2Cache.csv")), 6)

    def test_the_program_behind_it(self):
        # msopprof is what `msprof op` of the vendor calls: it is called without `op`.
        behind = os.path.join(self.environment["ASCEND_HOME_PATH"], "tools/msopprof/bin/msopprof")
        for number, words in enumerate(([], ["simulator"], ["--output=2"])):
            subprocess.run([behind, *words, *([f"--output={number}"] if number < 2 else []), *LOAD,
                            self.libraries[0]], cwd=self.work, check=True, capture_output=True,
                           timeout=120, env=self.environment)
            folder = self.result(str(number))
            self.assertEqual(len(self.stores(folder)), 4)
            self.assertEqual(os.path.exists(os.path.join(folder, "OpBasicInfo.csv")), number != 1)
        self.assertIn("--application", subprocess.run(["msopprof", "simulator", "--help"], capture_output=True, text=True,
                                                      check=True, env=self.environment).stdout)
        for word in ("-h", "--help"):
            self.assertIn("msprof op", subprocess.run([behind, word], capture_output=True, text=True,
                                                      check=True, env=self.environment).stdout)

    def npusim(self, *words, code=0, name="npusim"):
        done = subprocess.run([name, *words], cwd=self.work, capture_output=True, text=True, timeout=120,
                              env=self.environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_chip_simulator(self):
        # Command lines of cann/ops-math docs/zh/debug/cann_sim.md and of pto-kernels.
        done = self.npusim("record", " ".join(f"'{word}'" for word in LOAD), "-s", "Ascend910B2", "-g", "-o", "out",
                           "-u", f"'{self.libraries[0]}'")
        self.assertIn("1 2 3 4\n", done.stdout)
        (folder,) = glob.glob(os.path.join(glob.escape(self.work), "out", "cannsim_*"))
        with open(os.path.join(folder, "cannsim.log")) as file:
            self.assertIn("1 2 3 4\n", file.read())
        traces = os.path.join(folder, "report", "trace_reports")
        self.assertEqual(os.listdir(traces), ["trace_core0.json"])  # by default one cluster
        self.npusim("report", "-e", folder, "--core-id", "all", "-o", "again", name="cannsim")
        traces = os.path.join(self.work, "again", "report", "trace_reports")
        self.assertEqual(sorted(os.listdir(traces)), ["trace_core0.json", "trace_core1.json"])
        with open(os.path.join(traces, "trace_core1.json")) as file:
            stores = [event["pid"] for event in json.load(file)["traceEvents"]
                      if event.get("ph") == "X" and event.get("tid") == "MTE3"]
        self.assertEqual(sorted(stores), ["core1.veccore0", "core1.veccore1"])

    def test_chip_simulator_refuses(self):
        for words, named in ((["play"], "'play'"), (["record"], "no program"), (["report"], "folder"),
                             (["record", "true", "-s", "Ascend777"], "Ascend777"),
                             (["record", "true", "--core-id", "some"], "some"),
                             (["record", "true"], "launched no kernel")):
            with self.subTest(words=words):
                self.assertIn(named, self.npusim(*words, code=2).stderr)
        self.npusim("record", "sh -c 'exit 7'", code=7)
        self.assertIn("-g", self.npusim("--help").stdout)

    def test_types_that_a_source_defines(self):
        # Compilers for dav-2201 have no types of 8 bits: PTOAS and pypto-lib's profiling skill define them in sources.
        source = os.path.join(self.work, "own_types.cpp")
        with open(os.path.join(HERE, "fill_kernel.cpp")) as kernel, open(source, "w") as file:
            for name in ("hifloat8_t", "float8_e4m3_t", "float8_e5m2_t", "float8_e8m0_t", "float4_e1m2x2_t",
                         "float4_e2m1x2_t"):
                file.write(f"struct own_{name} {{ unsigned char v; }};\ntypedef own_{name} {name};\n")
            file.write(kernel.read())
        subprocess.run(["bisheng", *BUILD, "-DSCALE=1", source, "-o", os.path.join(self.work, "own.so")], check=True,
                       capture_output=True, env=self.environment)

    def test_the_chip_of_the_run(self):
        # The time of a task from its launch to its first block is not recorded: 1000 cycles here, of 1 ns, are 1 us
        # more than none.
        with open(os.path.join(ROOT, "models", "ascend910b1.json")) as file:
            model = json.load(file)
        model["name"] = "my_chip"
        chip = os.path.join(self.work, "my.json")
        with open(chip, "w") as file:
            json.dump(model, file)
        times = []
        for output, cycles in (("none", 0), ("thousand", 1000)):
            chosen = {"PTOSIM_CHIP": chip, "PTOSIM_SET": f"clock=1GHz;launch.overhead={cycles}"}
            done = subprocess.run(["msprof", "op", "--output=" + output, *LOAD, self.libraries[0]],
                                  cwd=self.work, capture_output=True, text=True, timeout=120,
                                  env={**self.environment, **chosen})
            self.assertEqual(done.returncode, 0, done.stderr)
            (basic,) = self.rows(self.result(output), "OpBasicInfo.csv")
            times.append(float(basic["Task Duration(us)"]))
        self.assertAlmostEqual(times[1] - times[0], 1)
        # Without that environment the chip is not known any more.
        self.msprof("op", "--export=" + os.path.join(self.result("none"), "dump"), "--output=later")
        (basic,) = self.rows(self.result("later"), "OpBasicInfo.csv")
        self.assertEqual(basic["Task Duration(us)"], "NA")

    def test_chips_by_the_names_that_the_compiler_takes(self):
        for name, chip in (("Ascend910_9391", "ascend910c"), ("ascend910b2C", "ascend910b2")):
            self.msprof("op", "--soc-version=" + name, "--output=" + chip, *LOAD, self.libraries[0])
            recording = os.path.join(self.result(chip), "dump")
            told = subprocess.run([PTOSIM, "report", recording], capture_output=True, text=True,
                                  check=True).stdout
            self.assertIn(chip, told)

    def test_what_it_cannot_do_is_named(self):
        for words, named in ((["--application=x"], "msprof op"), (["op"], "no program"),
                             (["op", "--turbo", "x"], "--turbo"),
                             (["op", "--launch-count=no", "x"], "--launch-count=no"),
                             (["op", "--timeout=4294967295", "x"], "from 1 to 1000000"),
                             (["op", "--timeout=0", "x"], "from 1 to 1000000"),
                             (["op", "--soc-version=Ascend310", "x"], "Ascend310"),
                             (["op", "--config=a.json", "x"], "--config"),
                             (["op", "--kernel-name=other", *LOAD, self.libraries[0]],
                              "it has launched: fill"),
                             (["op", "true"], "'true' has launched no kernel")):
            with self.subTest(words):
                done = self.msprof(*words, code=2)
                self.assertIn(named, done.stderr)
        self.msprof("op", "sh", "-c", "exit 7", code=7)
        self.assertIn("nothing.py", self.msprof("op", "nothing.py", code=127).stderr)

    def test_the_help_is_a_table_of_options(self):
        toolkit_folder.check_help(self, self.msprof("op", "--help").stdout.split("\n\n", 3)[3])


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
