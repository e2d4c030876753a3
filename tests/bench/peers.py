#!/usr/bin/python3
"""Whole kernels here and on other simulators, in one run: the tables of tests/evidence/peers.json.

    peers.py --ptosim BIN [--pto-isa CHECKOUT [--clang clang++-19]] [--simpler PYTHON]
             [--rounds 5] [--record]

CHECKOUT is one of hw-native-sys/pto-isa: our C++ sources are compiled with its headers for its CPU
simulator, too. All programs read the same arrays, write their results and take turns, round by round;
the results of each are compared with NumPy's. A launch is a run without reading and writing files.
PYTHON has simpler with its own a2a3sim (and g++-15 on PATH); it runs a program of three kernels of
ours on that and, after `ptosim simpler-setup`, on ptosim.
"""
import argparse
import datetime
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import evidence  # noqa: E402
from bench import processor  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "cpp", "kernels")
BLOCKS = 8
MODES = {"data": ("--mode", "functional"), "data, time": (),
         "data, time, checks": ("--check", "all")}


def add(generator):
    a, b = (generator.standard_normal((16384, 512), np.float32) for _ in range(2))
    return [a, b], a + b, [16384], 0.0


def softmax(generator):
    x = generator.standard_normal((16384, 512), np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return [x], (e / e.sum(axis=1, keepdims=True)).astype(np.float32), [16384], 1e-5


def gemm(generator):
    a, b = (generator.standard_normal((1024, 1024), np.float32).astype(np.float16)
            for _ in range(2))
    product = a.astype(np.float64) @ b.astype(np.float64)
    return [a, b], product.astype(np.float32), [1024] * 3, 1e-5


KERNELS = {"add of 16384 x 512 f32": (os.path.join(HERE, "add_f32.cpp"), add),
           "softmax of 16384 rows of 512 f32": (os.path.join(SOURCES, "softmax_rows_f32.cpp"),
                                                softmax),
           "GEMM 1024^3, f16 into f32": (os.path.join(SOURCES, "gemm_f16.cpp"), gemm)}


def timed(words, folder):
    """The output of a command, its time on the clock and its processor time."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    elapsed, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(words)}: {done.stderr}")
    used = sum(getattr(after, what) - getattr(before, what) for what in ("ru_utime", "ru_stime"))
    return done.stdout, elapsed, used


class Ptosim:
    """ptosim with the options of one of MODES; all modes run the same file."""

    def __init__(self, ptosim, computes):
        self.ptosim, self.computes = ptosim, computes
        self.title, self.mode = f"ptosim: {computes}", MODES[computes]
        self.name = "ptosim"

    def build(self, source, out):
        return [self.ptosim, "build", source, "-o", f"{out}.so", "--work", f"{out}.work"]

    def run(self, program, inputs, output, numbers, folder):
        shape = "x".join(map(str, output.shape))
        arrays = [word for number in range(len(inputs)) for word in ("--arg", f"in=in{number}.npy")]
        integers = [word for number in numbers for word in ("--arg", f"i32={number}")]
        words = [self.ptosim, "run", f"{program}.so", "--blocks", str(BLOCKS), *self.mode,
                 *arrays, "--arg", f"out={shape}xf32:out.npy", *integers, "--json", "run.json"]
        _, elapsed, used = timed(words, folder)
        with open(os.path.join(folder, "run.json")) as file:
            host = json.load(file)["host"]
        return (elapsed, used, host["seconds"], host["processor_seconds"],
                np.load(os.path.join(folder, "out.npy")))


class PtoIsa:
    """pto-isa's CPU simulator: a thread for each block, as its own launch makes them."""

    def __init__(self, checkout, clang):
        self.computes, self.title, self.name = "data", "pto-isa: data", "pto-isa"
        includes = (("include",), ("include", "common"), ("tests", "cpu", "stubs"),
                    ("tests", "common"))
        self.words = [clang, "-std=c++23", "-O2", "-march=native", "-D__CPU_SIM",
                      "-Wno-everything", "-include", "stdint.h", "-include", "stddef.h",
                      *(f"-I{os.path.join(checkout, *path)}" for path in includes),
                      os.path.join(HERE, "peers_main.cpp"), "-pthread", "-ldl"]

    def build(self, source, out):
        kernel = os.path.splitext(os.path.basename(source))[0]
        return [*self.words, f'-DKERNEL_FILE="{source}"', f"-DKERNEL={kernel}", "-o", out]

    def run(self, program, inputs, output, numbers, folder):
        words = [program, str(BLOCKS), *(f"in=in{number}.bin" for number in range(len(inputs))),
                 f"out=out.bin={output.nbytes}", *map(str, numbers)]
        printed, elapsed, used = timed(words, folder)
        result = np.fromfile(os.path.join(folder, "out.bin"), np.float32).reshape(output.shape)
        return elapsed, used, *map(float, printed.split()), result


def check(title, result, expected, relative):
    """Ends the program unless a result is NumPy's, within `relative` of the largest value."""
    error = np.abs(result.astype(np.float64) - expected).max() / np.abs(expected).max()
    if not error <= relative:
        sys.exit(f"error: {title}: off by {error:.3g} of the largest value, "
                 f"and {relative:g} is allowed")


def shown(values):
    """The median, and the least and the most."""
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def measure(programs, rounds):
    builds, runs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for kernel, (source, make) in KERNELS.items():
            inputs, expected, numbers, relative = make(np.random.default_rng(1))
            for number, array in enumerate(inputs):
                np.save(os.path.join(folder, f"in{number}.npy"), array)
                array.tofile(os.path.join(folder, f"in{number}.bin"))
            makers = {program.name: program for program in programs}
            seconds = {name: [] for name in makers}
            for turn in range(rounds):
                for name, program in makers.items():
                    out = os.path.join(folder, f"{name}{turn}")
                    seconds[name].append(
                        timed(program.build(os.path.abspath(source), out), folder)[1:])
            builds += [[kernel, name, *map(shown, zip(*each))] for name, each in seconds.items()]
            figures = {program.title: [] for program in programs}
            for turn in range(rounds):
                for program in programs:
                    *times, result = program.run(os.path.join(folder, f"{program.name}{turn}"),
                                                 inputs, expected, numbers, folder)
                    check(f"{kernel}, {program.title}", result, expected, relative)
                    figures[program.title].append(times)
            runs += [[kernel, *title.split(": "), *map(shown, zip(*each))]
                     for title, each in figures.items()]
            print(f"{kernel}: done", file=sys.stderr)
    return builds, runs


def measure_tasks(ptosim, python, rounds):
    """Rows of tests/mpmd/simpler, whose own golden ends a run that computes anything else."""
    folder = os.path.join(HERE, "..", "mpmd", "simpler")
    programs = [("simpler's a2a3sim", "data", []),
                ("ptosim", "data, time", [ptosim, "exec", "--"]),
                ("ptosim", "data, time, checks without cache",
                 [ptosim, "exec", "--check", "bounds,init,race,state,sync", "--"])]
    rows = []
    for tiles in (8, 128):
        words = [python, "test_layer.py", "-p", "a2a3sim", "--manual", "include",
                 "--case", f"TestLayer::tiles{tiles}"]
        commands = [[*start, *words] for _, _, start in programs]
        title = f"residual layer of {tiles} tiles, {3 * tiles} tasks"
        kinds = [(title, *program[:2]) for program in programs]
        if not rows:
            commands.insert(0, [python, "-c", "import torch, simpler_setup"])
            kinds.insert(0, ("none", "Python with its imports", "nothing"))
        for command in commands:  # compiles kernels where there is no compiled one
            timed(command, folder)
        figures = [[] for _ in commands]
        for _ in range(rounds):
            for command, times in zip(commands, figures):
                times.append(timed(command, folder)[1:])
        rows += [[*kind, *map(shown, zip(*times))] for kind, times in zip(kinds, figures)]
        print(f"{title}: done", file=sys.stderr)
    return rows


def table(title, columns, rows):
    lines = [f"## {title}", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--pto-isa", help="a checkout, whose CPU simulator runs the same kernels")
    parser.add_argument("--clang", default="clang++-19", help="compiler for it")
    parser.add_argument("--simpler", metavar="PYTHON", help="one with simpler and its a2a3sim")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="write tests/evidence/peers.json")
    options = parser.parse_args()
    ptosim = os.path.abspath(options.ptosim)
    programs = [Ptosim(ptosim, computes) for computes in MODES]
    left_out = []
    if options.pto_isa:
        programs.insert(0, PtoIsa(os.path.abspath(options.pto_isa), options.clang))
    else:
        left_out.append("pto-isa's CPU simulator is left out: no --pto-isa CHECKOUT was given.")
    if not options.simpler:
        left_out.append("simpler's a2a3sim is left out: no --simpler PYTHON was given.")
    load = [os.getloadavg()[0]]
    builds, runs = measure(programs, options.rounds)
    tasks = measure_tasks(ptosim, options.simpler, options.rounds) if options.simpler else []
    load.append(os.getloadavg()[0])
    unit = "s, median (least to most)"
    text = "\n".join([
        "# Whole kernels beside other simulators", "",
        f"Host: {processor()}, {os.cpu_count()} cores ({platform.machine()}), load {load[0]:.1f} "
        f"before and {load[1]:.1f} after. {options.rounds} rounds, in which the programs take turns; "
        f"{BLOCKS} blocks; each program with its default threads. All results are NumPy's: sums "
        "bit for bit, others within 1e-5 of the largest value.", "",
        "pto-isa is compiled by clang with -O2 for this host, ptosim's kernels as `ptosim build` "
        "compiles them. A run reads and writes the arrays; a launch does not.", "",
        *(["\n\n".join(left_out), ""] if left_out else []),
        *table("Runs", ("kernel", "program", "computes", f"run, on the clock, {unit}",
                        "run, processor", "launch, on the clock", "launch, processor"), runs),
        *table("Compiling", ("kernel", "program", f"on the clock, {unit}", "processor"), builds),
        *(table("Programs of simpler", ("program", "simulator", "computes",
                                        f"run, on the clock, {unit}", "run, processor"), tasks)
          if tasks else [])])
    print(text)
    if options.record:
        suite = evidence.load("peers")
        suite["date"] = datetime.date.today().isoformat()
        suite["tables"] = [{"title": title, "columns": columns, "rows": rows}
                           for title, columns, rows in evidence.tables(text)]
        notes = evidence.notes(text)
        sections = {note["section"] for note in notes}
        suite["notes"] = notes + [note for note in suite["notes"] if note["section"] not in sections]
        evidence.save("peers", suite)


if __name__ == "__main__":
    main()
