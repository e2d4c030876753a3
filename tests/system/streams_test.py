#!/usr/bin/python3
"""Kernels of several streams at once on one chip.

    streams_test.py --ptosim BIN
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import programs  # noqa: E402


class Streams(programs.Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile("streams.cpp")

    def run_it(self, what, code=0, **environment):
        ran = subprocess.run(["./streams", what], capture_output=True, text=True, timeout=120, cwd=self.folder,
                             env={**self.environment, "PTOSIM_JSON": "result.json", **environment}, check=False)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        self.launches = json.loads((self.folder / "result.json").read_text())["launches"]
        return ran

    def test_a_kernel_takes_what_later_launches_of_another_stream_make(self):
        """Run one after the other, the first would wait for ever."""
        ran = self.run_it("signals")
        self.assertRegex(ran.stdout, r"^0 right")
        self.assertEqual([launch["kernel"] for launch in self.launches], ["take", "make", "make"])
        take, first, second = self.launches
        end = [launch["begin"] + launch["cycles"] for launch in self.launches]
        self.assertEqual(take["begin"], first["begin"])
        self.assertGreaterEqual(second["begin"], end[1])
        self.assertGreater(end[0], end[2])  # the last row comes after it has been made
        whole = second["time_us"] / second["cycles"] * end[2]
        self.assertAlmostEqual(float(ran.stdout.split()[2]), whole, delta=0.001)  # of the two kernels between events

    def test_an_event_orders_streams(self):
        self.assertRegex(self.run_it("event").stdout, r"^0 right")
        begins = [launch["begin"] for launch in self.launches]
        self.assertEqual(sorted(begins), begins)
        alone = [launch["cycles"] for launch in self.launches]
        self.run_it("one stream")
        self.assertEqual([launch["cycles"] for launch in self.launches], alone)
        self.assertEqual([launch["begin"] for launch in self.launches], begins)

    def test_races(self):
        for what in ("signals", "event", "one stream"):
            self.assertNotIn("error:", self.run_it(what, PTOSIM_CHECK="race").stderr)
        ran = self.run_it("nothing", code=1, PTOSIM_CHECK="race")
        self.assertRegex(ran.stderr, r"rows.h:\d+: error: .*race")
        self.assertTrue(re.search(r"\[(G0\d|H26)\]", ran.stderr), ran.stderr)

    def test_recordings_show_both(self):
        for folder in ("first", "second"):
            self.run_it("signals", PTOSIM_TRACE=folder, PTOSIM_CHECK="all")
        first, second = (self.folder / folder for folder in ("first", "second"))
        for file in ("recording.bin", "trace.json", "agent.json"):
            self.assertEqual((first / file).read_bytes(), (second / file).read_bytes(), file)
        self.assertIn("take + make", (first / "trace.json").read_text())


if __name__ == "__main__":
    programs.main()
