#!/usr/bin/python3
"""Loops that load and store rows of one matrix, with buffers used in turn: inserted flags.

    rounds_test.py --ptosim BIN [--seeds FIRST LAST]

Random programs: the place of the rows moves on with the rounds of one or two loops, evenly or not, by
the loop's variable or by a value that the loop carries; loads and stores meet, or do not. With inserted
flags under every checker there is no finding, and the matrix equals numpy's.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

ROWS, COLS, HEIGHT = 640, 64, 8
TILE = f"!pto.tile_buf<vec, {HEIGHT}x{COLS}xf32>"
VIEW = "!pto.tensor_view<?x?xf32>"
PART = f"!pto.partition_tensor_view<{HEIGHT}x{COLS}xf32>"


class Program:
    """Copies of rows to rows, in all rounds: (pace, start, pace of the outer loop) of both."""

    def __init__(self, seed):
        choose = random.Random(seed)
        self.slots, self.step = choose.choice([2, 3, 4]), choose.choice([1, 1, 2])
        self.rounds, self.outer = choose.choice([3, 4, 6, 8, 9, 12]), choose.choice([1, 1, 2, 3])
        self.carried = choose.choice([0, 0, 4, 8, 16])  # rows that a round hands on, if any
        pace, outer = self.carried or choose.choice([4, 8, 16]), choose.choice([0, 8, 96])
        # Mostly one pace for both, so that their places never change against each other.
        place = lambda: (choose.choice([0, 4, 8, 16] + [pace] * 8),
                         choose.choice([0, 4, 8, 24, 40] + [0] * 5), outer)
        self.copies = [(place(), place(), choose.random() < 0.8)
                       for _ in range(choose.choice([1, 1, 2]))]
        self.constants = {0, 1, HEIGHT, COLS, ROWS}

    def constant(self, value):
        self.constants.add(value)
        return f"%c{value}"

    def row(self, name, pace, start, outer):
        lines = [f"%{name}k = arith.muli %j, {self.constant(outer)} : index"]
        if self.carried and pace == self.carried:
            at = "%row"
        else:
            at = f"%{name}m"
            lines.append(f"{at} = arith.muli %i, {self.constant(pace)} : index")
        return lines + [f"%{name}b = arith.addi {at}, {self.constant(start)} : index",
                        f"%{name} = arith.addi %{name}b, %{name}k : index",
                        f"%{name}p = pto.partition_view %xv, offsets = [%{name}, %c0], sizes = "
                        f"[%c{HEIGHT}, %c{COLS}] : {VIEW} -> {PART}"]

    def text(self):
        pitch = HEIGHT * COLS * 4 // self.step  # the address moves on by a tile in each round
        body = [f"%s = arith.remui %i, {self.constant(self.slots * self.step)} : index",
                "%w = arith.index_cast %s : index to i64", f"%pitch = arith.constant {pitch} : i64",
                "%place = arith.muli %w, %pitch : i64"]
        for n, (source, target, adds) in enumerate(self.copies):
            body += self.row(f"f{n}", *source) + self.row(f"t{n}", *target)
            body += [f"%base{n} = arith.constant {n * 65536} : i64",
                     f"%a{n} = arith.addi %place, %base{n} : i64",
                     f"%u{n} = pto.alloc_tile addr = %a{n} : {TILE}",
                     f"pto.tload ins(%f{n}p : {PART}) outs(%u{n} : {TILE})"]
            if adds:
                body.append(f"pto.tadds ins(%u{n}, %one : {TILE}, f32) outs(%u{n} : {TILE})")
            body.append(f"pto.tstore ins(%u{n} : {TILE}) outs(%t{n}p : {PART})")
        head = (f"scf.for %i = %c0 to {self.constant(self.rounds * self.step)} "
                f"step {self.constant(self.step)}")
        if self.carried:
            head = f"%last = {head} iter_args(%row = %c0) -> (index)"
            pace = self.constant(self.carried * self.step)
            body += [f"%next = arith.addi %row, {pace} : index", "scf.yield %next : index"]
        body = [f"scf.for %j = %c0 to {self.constant(self.outer)} step %c1 {{", head + " {", *body,
                "}", "}"]
        constants = [f"%c{n} = arith.constant {n} : index" for n in sorted(self.constants)]
        return "\n".join(["module {", "func.func @k(%x: !pto.ptr<f32>) {", *constants,
                          "%one = arith.constant 1.0 : f32",
                          f"%xv = pto.make_tensor_view %x, shape = [%c{ROWS}, %c{COLS}], strides = "
                          f"[%c{COLS}, %c1] : {VIEW}", *body, "return", "}", "}", ""])

    def run(self, x):
        for j in range(self.outer):
            for i in range(0, self.rounds * self.step, self.step):
                for source, target, adds in self.copies:
                    at, to = (pace * i + start + outer * j for pace, start, outer in (source, target))
                    x[to : to + HEIGHT] = x[at : at + HEIGHT] + adds
        return x


def check(ptosim, seed, folder):
    """Returns the error, or nothing; and whether flags take turns."""
    program = Program(seed)
    x = np.random.default_rng(seed).integers(-9, 9, (ROWS, COLS)).astype(np.float32)
    np.save(os.path.join(folder, "x.npy"), x)
    with open(os.path.join(folder, "k.pto"), "w") as file:
        file.write(program.text())
    done = subprocess.run([ptosim, "check", "k.pto", "--blocks", "1", "--sync", "insert", "--emit",
                           "made.pto", "--arg", "inout=x.npy:y.npy"], cwd=folder,
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return done.stderr, False
    with open(os.path.join(folder, "made.pto")) as file:
        turns = "set_flag_dyn" in file.read()
    same = np.array_equal(np.load(os.path.join(folder, "y.npy")), program.run(x))
    return "" if same else "other results", turns


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--seeds", nargs=2, type=int, default=[0, 40])
    options = parser.parse_args()
    failed = turns = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(*options.seeds):
            wrong, turn = check(os.path.abspath(options.ptosim), seed, folder)
            turns += turn
            if wrong:
                failed += 1
                print(f"seed {seed}: {wrong}")
    print(f"{options.seeds[1] - options.seeds[0]} programs, {turns} with flags in turn, {failed} wrong")
    sys.exit(1 if failed or turns == 0 else 0)


if __name__ == "__main__":
    main()
