#!/usr/bin/python3
"""Runs our kernels that do what measured kernels do, and prints simulated against measured.

    validate.py [--ptosim build/ptosim]

Figures and their sources: models/measured/kernels.csv. Nothing is fitted here. The GEMM of 6144 and
the copies of whole matrices did give some parameters of the chip files; their sources say which.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
import validation_kernels as kernels  # noqa: E402


def kernel(chip, name):
    """The text of a kernel, its arguments and its number of blocks."""
    arch = "a5" if chip.startswith("ascend950") else "a2a3"
    clusters = 32 if arch == "a5" else 24
    kind, *rest = name.split("_")
    if kind == "gemm":
        n = int(rest[0])
        text = kernels.matmul(arch, n, n, n, n // 4, n // 6, (128, 64, 256), 4, 4, 24, m_first=False)
        return text, [f"zeros={n}x{n}xf16"] * 2 + [f"zeros={n}x{n}xf32"], 24
    if kind == "matmul":
        n = int(rest[0])
        if arch == "a5":
            text = kernels.matmul(arch, n, n, n, 2048, 1024, (256, 64, 256), 4, 4, 32, "f16", True)
        else:
            text = kernels.matmul(arch, n, n, n, 2048, 1536, (128, 64, 256), 8, 4, 24, "f16", True)
        return text, [f"zeros={n}x{n}xf16"] * 3, clusters
    space, shape = rest
    rows, cols = map(int, shape.split("x"))
    blocks = clusters if space == "mat" else 2 * clusters
    return kernels.read_stream(arch, space, 12288, 12288, rows, cols, blocks), ["zeros=12288x12288xf16"], blocks


def simulate(ptosim, chip, name):
    """Microseconds: the whole run, and how long each pipe is busy in the mean over the cores."""
    text, arguments, blocks = kernel(chip, name)
    with tempfile.TemporaryDirectory() as folder:
        file, result = os.path.join(folder, "k.pto"), os.path.join(folder, "r.json")
        with open(file, "w") as out:
            out.write(text)
        words = [ptosim, "run", file, "--chip", chip, "--mode", "timing", "--sync", "explicit",
                 "--blocks", str(blocks), "--json", result]
        for argument in arguments:
            words += ["--arg", argument]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        with open(result) as opened:
            run = json.load(opened)
    per_us = run["cycles"] / run["time_us"]
    times = {"time": run["time_us"]}
    for pipe in ("MTE2", "MTE1", "M", "FIX", "V", "MTE3"):
        busy = [core["pipes"].get(pipe, {}).get("busy", 0) for core in run["cores"]]
        times[pipe] = sum(busy) / len(busy) / per_us
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", default=os.path.join(HERE, "..", "build", "ptosim"))
    options = parser.parse_args()
    with open(os.path.join(HERE, "..", "models", "measured", "kernels.csv")) as file:
        figures = list(csv.DictReader(file))
    runs, errors = {}, {}
    print("| group | chip | kernel | what | measured us | simulated us | error % |")
    print("|---|---|---|---|---|---|---|")
    for figure in figures:
        key = figure["chip"], figure["kernel"]
        if key not in runs:
            runs[key] = simulate(options.ptosim, *key)
        measured, simulated = float(figure["value"]), runs[key][figure["metric"]]
        error = 100 * (simulated / measured - 1)
        errors.setdefault(figure["group"], []).append(abs(error))
        print(f"| {figure['group']} | {figure['chip']} | {figure['kernel']} | {figure['metric']} | "
              f"{measured:.1f} | {simulated:.1f} | {error:+.1f} |")
    print("\n| group | figures | mean error % | worst % |\n|---|---|---|---|")
    for group, values in errors.items():
        print(f"| {group} | {len(values)} | {sum(values) / len(values):.1f} | {max(values):.1f} |")


if __name__ == "__main__":
    main()
