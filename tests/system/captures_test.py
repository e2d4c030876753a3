#!/usr/bin/python3
"""Streams that a host captures into models, which run later and several times.

    captures_test.py --ptosim BIN
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import programs  # noqa: E402


class Captures(programs.Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile("captures.cpp")

    def run_it(self, what, code=0, **environment):
        ran = subprocess.run(["./captures", what], capture_output=True, text=True, timeout=120, cwd=self.folder,
                             env={**self.environment, "PTOSIM_JSON": "result.json", **environment}, check=False)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        self.launches = json.loads((self.folder / "result.json").read_text())["launches"]
        return ran

    def test_work_runs_when_its_model_does(self):
        ran = self.run_it("replay", PTOSIM_CHECK="all")
        self.assertRegex(ran.stdout, "^status 11\nstatus 0\ncaptured: 0 0\nonce: 1 1\nthree times: 3 3\n"
                         r"model 0x\w+: 1 streams\n  stream 0: 5 pieces of work\n$")
        self.assertEqual([launch["kernel"] for launch in self.launches], ["add"] * 3)

    def test_streams_join_a_capture(self):
        """a is 1, b 11, a 111; then 112, 122, 222."""
        ran = self.run_it("fork", PTOSIM_CHECK="all")
        self.assertEqual(ran.stdout.splitlines(), ["captured: 0 0", "twice: 222 122"])
        self.assertEqual(len(self.launches), 6)

    def test_a_model_within_a_model(self):
        ran = self.run_it("nested")
        self.assertEqual(ran.stdout.splitlines(), ["called 0 times", "four times: 4 4", "seen 1", "seen 2", "seen 3",
                                                   "seen 4", "at once"])

    def test_freed_memory(self):
        ran = self.run_it("freed", code=1)
        self.assertEqual(ran.stdout.splitlines(), ["executed 0", "synchronized 107000"])
        self.assertIn("captures.cpp", ran.stderr)

    def test_refused_calls(self):
        """Codes of CANN's rt_error_codes.h."""
        ran = self.run_it("refused")
        self.assertEqual(ran.stdout.splitlines(), [
            "default stream 107031", "not captured 107029", "no model 107000", "no mode 107000", "twice 107027",
            "copy 107030, in another thread 107030", "fill 107030", "pageable 107030", "synchronize 107027 107030",
            "destroy 107027", "another thread ends 107036", "mode before 0", "relaxed copy 0", "mode before 2",
            "foreign event 107024", "event 107028", "active model 107026", "joined 107027", "not joined 107025",
            "local copy 107030, in another thread 0", "relaxed copy 0, in another thread 0", "another thread ends 0"])


if __name__ == "__main__":
    programs.main()
