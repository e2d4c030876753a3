#!/usr/bin/python3
"""Several devices of one process, with one clock.

    devices_test.py --ptosim BIN
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import programs  # noqa: E402

BANDWIDTH = 28e9  # of a link of host910b, bytes/s
LATENCY = 0.17e-6  # one way, s
CLOCK = 1.85e9  # Hz


class Devices(programs.Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.add_ranks(1, PTOSIM_SYSTEM="host910b")
        cls.compile("devices.cpp", "-lpthread", "-ldl", "-lhccl")

    def run_it(self, what, code=0, command=(), **environment):
        ran = subprocess.run([*command, "./devices", what], capture_output=True, text=True, timeout=120, cwd=self.folder,
                             env={**self.environment, "PTOSIM_JSON": "result.json", **environment}, check=False)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran

    def launches(self, device):
        return json.loads((self.folder / f"result.chip{device}.json").read_text())["launches"]

    def test_host_copies_kernels_and_contexts(self):
        """Access to itself is refused, device 1 reads memory of device 0, and the host copies between them."""
        self.assertEqual(self.run_it("copies").stdout, "1 1 0 1 1 1 8\n")

    def test_a_transfer_from_another_device_takes_the_link(self):
        """8 KiB from L2 of another device, and of the own one."""
        self.run_it("copies")
        _, remote, local = (launch["cycles"] for launch in self.launches(1))
        least = (2 * LATENCY + 8192 / BANDWIDTH) * CLOCK
        self.assertGreater(remote - local, least - 8192 / 1e11 * CLOCK)  # a core loads at most 100 GB/s
        self.assertLess(remote - local, least)

    def test_a_kernel_takes_what_another_device_makes(self):
        """The kernel on device 0 was launched before the other one, and waits for its signals."""
        self.assertEqual(self.run_it("signals").stdout, "0 right\n")
        (take,), makes = self.launches(0), self.launches(1)
        self.assertEqual(take["begin"], makes[0]["begin"])
        self.assertGreater(take["cycles"], makes[1]["begin"] + makes[1]["cycles"] - 1000)

    def test_times_are_those_of_a_process_for_each_device(self):
        def times():
            return [[(launch["kernel"], launch["cycles"], launch["begin"] - self.launches(0)[0]["begin"])
                     for launch in self.launches(device)] for device in (0, 1)]
        self.run_it("signals")
        found = times()
        ran = self.run_it("ranks", command=("mpirun", "-n", "2"))
        self.assertEqual(ran.stdout, "0 right 1\n")
        self.assertIn("device 1 belongs to the process of another rank", ran.stderr)
        self.assertEqual(times(), found)

    def test_a_device_runs_on_while_the_host_waits_for_another(self):
        """The host launches the second half after it has waited for device 1; device 0 still waits for that half."""
        self.assertEqual(self.run_it("late").stdout, "0 right\n")
        (take,), (first, second) = self.launches(0), self.launches(1)
        self.assertEqual(take["begin"], first["begin"])
        self.assertGreater(second["begin"], first["begin"] + first["cycles"])

    def test_a_sweep_over_systems(self):
        """A point has the time of the device that takes longest, and a link with less latency makes it shorter."""
        system = json.loads((HERE.parents[1] / "models" / "systems" / "host910b.json").read_text())
        system["name"], system["parameters"]["link"]["latency"]["value"] = "near", 0.02
        (self.folder / "near.json").write_text(json.dumps(system))
        names = ["host910b", "./near.json"]
        plan = {"chips": ["ascend910b1"], "run": {"mode": "full"},
                "kernels": [{"name": name, "program": ["./devices", "signals"], "system": name} for name in names]}
        (self.folder / "plan.json").write_text(json.dumps(plan))
        for words in (["plan.json"], ["report", "plan.sweep", "--json", "report.json"]):
            subprocess.run([self.ptosim, "sweep", *words], check=True, capture_output=True, cwd=self.folder, env=self.environment)
        cycles = [point["cycles"] for point in json.loads((self.folder / "report.json").read_text())["points"]]
        for name, found in zip(names, cycles):
            self.run_it("signals", PTOSIM_SYSTEM=name)
            results = [json.loads((self.folder / f"result.chip{device}.json").read_text()) for device in (0, 1)]
            self.assertEqual(found, max(result["cycles"] for result in results))
        self.assertLess(cycles[1], cycles[0])

    def test_deadlock(self):
        ran = self.run_it("deadlock", code=1)
        line = programs.line_of("rows.h", "WAITS")
        self.assertRegex(ran.stderr, r"for 20 ms all cores have only polled for signals \[E05\]")
        self.assertRegex(ran.stderr,
                         rf"device 0: AIV00 looks at device memory 3 \+ 0, which is 4 .*rows.h:{line}\b")

    def test_memory_without_access(self):
        ran = self.run_it("no access", code=1)
        self.assertRegex(ran.stderr, r"points to memory of device 0, and device 1 has no access to it \[H21\]")
        self.assertIn("call aclrtDeviceEnablePeerAccess(0, 0) on device 1", ran.stderr)

    def test_races_between_devices(self):
        for what in ("signals", "late", "ordered", "copies"):
            self.assertNotRegex(self.run_it(what, PTOSIM_CHECK="race").stderr, r" race in|\[[A-G]\d\d\]")
        for what, source, writer, reader in (("nothing", "rows.h", "MADE", "TAKES"),
                                             ("race", "devices.cpp", "OVERWRITES", "COPIES")):
            ran = self.run_it(what, code=1, PTOSIM_CHECK="race")
            write, read = (programs.line_of(source, mark) for mark in (writer, reader))
            self.assertRegex(ran.stderr, rf"{source}:{write}: error: WAR race in the window of chip 0 .*"
                                         rf"{source}:{read} reads.*\[G15\]")

    def test_a_thread_for_each_device(self):
        """Times and recordings do not depend on the order in which threads run."""
        found = []
        for folder in ("first", "second", "third"):
            self.assertEqual(self.run_it("threads", PTOSIM_TRACE=folder).stdout, "right\n")
            made = self.folder / folder
            files = [made / f"chip{device}" / "recording.bin" for device in range(4)]
            found.append([path.read_bytes() for path in (*files, made / "trace.json", made / "chakra.1.et")])
            self.assertEqual(len(self.launches(3)), 3)
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        self.assertIn("chip 3", (self.folder / "first" / "trace.json").read_text())

    def test_a_process_without_a_system_has_one_device(self):
        ran = self.run_it("ordered", PTOSIM_SYSTEM="")
        self.assertIn("no device 1; this process has device 0", ran.stderr)
        self.assertIn("PTOSIM_SYSTEM=host910b", ran.stderr)


if __name__ == "__main__":
    programs.main()
