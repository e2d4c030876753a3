"""Programs of our own, built with the Python bindings of PyPI's wheel `ptoas`, and run here.

    python3.12 -m venv VENV && VENV/bin/pip install ptoas numpy
    scripts/conformance.py wheel-programs --python VENV/bin/python

The bindings build a module and print it; the wheel's dialect is older than PTOAS v0.27 (tiles lie in `ub`, partitions are
`pto.subview`, and as it has no sections, kinds of functions or FIFOs, nothing marks the work of only one of the two core types:
no program is for both). Each program runs with `--sync auto` and with `--sync insert` under every checker, or, if it has flags,
unchanged; results are compared with numpy, bit for bit. Inputs are small integers, so that every order of sums gives the same.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import suites
from references.wheel_programs import PROGRAMS, write
from suites import ROOT, Suite, launch, options, place

NUMPY = {"f32": "float32", "f16": "float16", "i32": "int32", "i16": "int16", "i8": "int8"}


class Programs(Suite):
    places = {}
    options = options("ptosim python!", keep=place("folder for the wheel's output"), write=place(argparse.SUPPRESS))
    columns = ("program", "sync", "state", "reason")
    key = ("program", "sync")
    good = ("right",)

    def prepare(self):
        if self.given.write:
            write(self.given.write)
            sys.exit(0)
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.given.keep or pathlib.Path(self.temporary.name)
        self.folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([self.given.python, ROOT / "scripts" / "conformance.py", "wheel-programs", "--python", self.given.python,
                        "--ptosim", self.given.ptosim, "--write", self.folder], check=True)

    def items(self):
        """(name, command, --sync): inputs and goldens are made for all programs, from one generator."""
        import numpy as np
        random, self.words, items = np.random.default_rng(23), {}, []
        for name, (matrices, counts, reference, _, flags, _) in PROGRAMS.items():
            inputs = [random.integers(-8, 8, shape).astype(NUMPY[dtype]) for dtype, *shape in matrices[:-1]]
            dtype, rows, cols = matrices[-1]
            for number, values in enumerate([*inputs, reference(*inputs, *counts).astype(NUMPY[dtype])]):
                np.save(self.folder / f"{name}.{number}.npy", values)
            self.words[name] = [*(f"in={name}.{number}.npy" for number in range(len(inputs))), f"out={rows}x{cols}x{dtype}",
                                *(f"i64={count}" for count in counts)]
            items += [(name, "check", "explicit")] if flags else [(name, "run", "auto"), (name, "check", "insert")]
        return items

    def name_of(self, item):
        return item[0], item[2]

    def run(self, item):
        name, command, sync = item
        last = len(PROGRAMS[name][0]) - 1
        status, text = suites.run(launch(
            self.given.ptosim, command, f"{name}.pto", "--chip", PROGRAMS[name][3], "--blocks", "1", "--sync", sync, "--golden",
            f"{last}={name}.{last}.npy", arguments=self.words[name]), self.folder, None)
        return dict(zip(self.columns, (name, sync, "wrong" if status else "right", text.strip() if status else "")))

    def told(self, name, result):
        return f"{name[0]:15} --sync {name[1]:9} {result['reason'] or 'right'}"
