#!/usr/bin/python3
"""Ranks of a program on the toolkit: mpirun, libmpi.so, communicators, windows; and what goes wrong with them.

    ranks_test.py --ptosim BIN
"""
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import programs  # noqa: E402


class Ranks(programs.Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.add_ranks(2)
        cls.program = cls.compile("ring.cpp", "-ldl", "-lhccl")

    def run_it(self, ranks, *words, **environment):
        return subprocess.run(["mpirun", "-n", str(ranks), self.program, *words], capture_output=True, text=True,
                              timeout=120, env={**self.environment, **environment}, check=False)

    def test_a_ring_gets_the_right_bytes(self):
        for ranks in (1, 2, 4):
            ran = self.run_it(ranks)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            self.assertEqual(sorted(ran.stdout.splitlines()),
                             [f"rank {rank} of {ranks} is right" for rank in range(ranks)])

    def test_devices_are_as_many_as_ranks(self):
        ran = self.run_it(2, "device")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("no device 2; there are devices 0 to 1", ran.stderr)
        ran = self.run_it(2, "second device")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("this process has device 0, and cannot have device 1, too [H22]", ran.stderr)

    def test_ranks_that_disagree(self):
        ran = self.run_it(2, "sizes")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("the window of rank 0 has 2097152 bytes, and this one's 3145728 [H27]", ran.stderr)
        ran = self.run_it(3, "ranks")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("rank 1 says that there are 4 ranks, and this one 3 [H27]", ran.stderr)
        ran = self.run_it(2, HCCL_BUFFSIZE="2e6")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("HCCL_BUFFSIZE=2e6 is not a number of MiB [H27]", ran.stderr)

    def test_a_rank_that_never_comes(self):
        ran = self.run_it(2, "missing", HCCL_CONNECT_TIMEOUT="2")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("HcclCommInitRootInfo: rank 1 has not come [H27]", ran.stderr)
        self.assertEqual(self.left(), [])

    def test_a_killed_rank_ends_the_others(self):
        before = set(os.listdir("/dev/shm"))
        begin = time.monotonic()
        ran = self.run_it(3, "killed")
        self.assertEqual(ran.returncode, 137, ran.stdout + ran.stderr)
        self.assertIn("mpirun: rank 1 has ended by signal 9; the others are ended", ran.stderr)
        self.assertIn("rank 1 has ended", ran.stderr)
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(self.left(), [])
        self.assertEqual(set(os.listdir("/dev/shm")), before)

    def test_mpirun_that_is_killed_leaves_no_rank(self):
        process = subprocess.Popen(["mpirun", "-n", "2", "sleep", "97.31"], env=self.environment)
        self.wait_for(lambda: len(self.running("sleep 97.31")) == 3)
        process.kill()
        process.wait()
        self.wait_for(lambda: not self.running("sleep 97.31"))
        process = subprocess.Popen(["mpirun", "-n", "2", "sleep", "97.32"], env=self.environment)
        self.wait_for(lambda: len(self.running("sleep 97.32")) == 3)
        process.terminate()
        self.assertEqual(process.wait(timeout=20), 143)
        self.assertEqual(self.running("sleep 97.32"), [])

    def test_words_of_mpirun(self):
        for words, told in ((["-n", "x", "true"], "'x' is not a number of ranks"),
                            (["-n", "65", "true"], "'65' is not a number of ranks"),
                            (["--hostfile", "h", "true"], "--hostfile is not supported"),
                            (["-n", "2"], "the program is missing"),
                            (["-n", "2", "true", ":", "-n", "1", "true"], "one program only"),
                            (["-n", "1", "no such program"], "cannot be run")):
            ran = subprocess.run(["mpirun", *words], capture_output=True, text=True, env=self.environment, check=False)
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn(told, ran.stderr)
            self.assertIn("[H04]", ran.stderr)
        ran = subprocess.run(["mpiexec", "-np", "2", "-genv", "WORD", "here", "sh", "-c", "echo $PMI_SIZE $WORD"],
                             capture_output=True, text=True, env=self.environment, check=True)
        self.assertEqual(ran.stdout, "2 here\n2 here\n")

    def left(self):
        return self.running(str(self.program))

    @staticmethod
    def running(text):
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if text in words:
                found.append(words)
        return found

    def wait_for(self, holds):
        end = time.monotonic() + 20
        while not holds():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)


if __name__ == "__main__":
    programs.main()
