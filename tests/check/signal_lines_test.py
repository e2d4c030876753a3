#!/usr/bin/python3
"""TNOTIFY(Set) writes back the line of 64 bytes that holds the signal, as on a device: signals of several cores in one
line are lost (hw-native-sys/pto-isa issue 322), signals in separate lines are not, and neither are atomic ones."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

OPTIONS = None
REPORT = pathlib.Path(__file__).parent / "reports" / "pto_isa_322_packed_signals.pto"


def signals(apart, *options, operation="set"):
    """The signals that four blocks have set, `apart` words from one to the next."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        numpy.save(folder / "before.npy", numpy.zeros(64, numpy.int32))
        text = REPORT.read_text().replace("%apart = arith.constant 1 ", f"%apart = arith.constant {apart} ")
        kernel = folder / "k.pto"
        kernel.write_text(text.replace("notify_op set", f"notify_op {operation}"))
        subprocess.run([OPTIONS.ptosim.resolve(), "run", kernel, "--blocks", "4", "--arg",
                        f"inout={folder / 'before.npy'}:{folder / 'after.npy'}", *options],
                       check=True, capture_output=True, text=True)
        after = numpy.load(folder / "after.npy")
        others = numpy.delete(after, [apart * block for block in range(4)])
        assert not others.any(), others
        return after[[apart * block for block in range(4)]].tolist()


class SignalLines(unittest.TestCase):
    def test_signals_in_one_line_are_lost(self):
        for apart in (1, 4):
            self.assertEqual(sum(signals(apart)), 1, f"{apart} words apart")

    def test_two_in_each_line(self):
        self.assertEqual(sum(signals(8)), 2)

    def test_a_line_for_each(self):
        self.assertEqual(signals(16), [1, 1, 1, 1])

    def test_atomic_operations_lose_nothing(self):
        self.assertEqual(signals(1, operation="atomic_add"), [1, 1, 1, 1])
        self.assertEqual(signals(1, "--set", "sync.set_by_line=0"), [1, 1, 1, 1])

    def test_more_data_threads(self):
        self.assertEqual(signals(1, "--threads", "4"), signals(1, "--threads", "1"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    OPTIONS, others = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *others])
