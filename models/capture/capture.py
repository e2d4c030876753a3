#!/usr/bin/python3
"""From what the kit has measured to figures of a chip.

    capture.py FOLDER --ptosim BIN --chip BASE [--write CHIP.json] [--clock HZ]

FOLDER has results.csv and numbers.csv of the device. The kit runs on the simulated BASE, too; figures
of the chip are changed until its times are those of the device (Gauss and Newton, relative, with one
run of the kit for each figure). It needs numpy.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
# What the kit can tell, and the measures that move with it: without one of them nothing is said.
VECTOR = "aiv.vector."
FIGURES = {
    VECTOR + "overhead": ("exp_f32_32_s", "add_f32_1_s"),
    VECTOR + "rate.TADD.start": ("add_f32_1_s", "add_f32_32_s", "add_f32_32_d"),
    VECTOR + "read_conflict": ("add_f32_32_bank",),
    VECTOR + "rate.TEXP.b32": ("exp_f32_1_d", "exp_f32_32_d"),
    VECTOR + "rate.TLOG.b32": ("log_f32_32_d",),
    VECTOR + "rate.TSQRT.b32": ("sqrt_f32_32_d",),
    VECTOR + "rate.TDIV.b32": ("div_f32_1_d", "div_f32_32_d"),
    VECTOR + "row_reduce": ("rowmax_f32_8_d", "rowmax_f32_32_d"),
    VECTOR + "row_expand": ("rowexpand_f32_32_d",),
    VECTOR + "rate.TCOLMAX.dependent": ("colmax_f32_8_d", "colmax_f32_32_d"),
    "aiv.gm_to_ub.interval": ("load_256_s",),
    "aiv.gm_to_ub.rate": ("load_8k_s",),
    "aiv.gm_to_ub.latency": ("load_8k_d",),
    "aiv.ub_to_gm.interval": ("store_256_s",),
    "aiv.ub_to_gm.rate": ("store_8k_s",),
    "aiv.ub_to_gm.latency": ("store_8k_d",),
    "aic.cube.overhead": ("mmad_64_s",),
    "aic.cube.latency": ("mmad_64_d",),
    "aic.cube.k_per_cycle.f16": ("mmad_64_s", "mmad_128_s"),
    "aic.l1_to_l0a.rate": ("l0a_64_s", "l0a_128_s"),
    "aic.l1_to_l0a.overhead": ("l0a_64_s", "l0a_128_s"),
    "aic.l1_to_l0a.latency": ("l0a_128_d",),
    "aic.l1_to_l0b.rate": ("l0b_64_s", "l0b_128_s"),
    "aic.l1_to_l0b.overhead": ("l0b_64_s", "l0b_128_s"),
    "aic.l0c_to_gm.rate": ("fix_64_s", "fix_128_s"),
    "launch.block_start": ("launch_1",),
    "memory.hbm.rate": ("copy_256MiB",),
}
TIMES = sorted({measure for measures in FIGURES.values() for measure in measures})


def read(folder):
    """measure -> (median, spread) in cycles of the device's counter or in us; the counter's rate."""
    values = {}
    with open(os.path.join(folder, "results.csv"), newline="") as file:
        for row in csv.DictReader(file):
            values.setdefault((row["measure"], row["unit"]), []).append(float(row["value"]))
    # The first round of everything finds L2 and the instruction caches cold.
    told = {name: (statistics.median(v[1:] or v), max(v[1:] or v) - min(v[1:] or v), unit)
            for (name, unit), v in values.items()}
    return told, told["ticks_per_us_AIV"][0]


def cycles(folder, hz):
    """measure -> cycles of the core clock."""
    told, ticks = read(folder)
    per_us = hz / 1e6
    return {name: value * (per_us / ticks if unit == "ticks" else per_us)
            for name, (value, _, unit) in told.items() if unit != "1/us"}


class Model:
    """The kit on the simulated chip."""

    def __init__(self, ptosim, chip, folder):
        self.chip, self.folder = chip, folder
        self.app = os.path.join(folder, "capture")
        said = json.loads(subprocess.run([ptosim, "chips", chip, "--json", "-"], check=True,
                                         capture_output=True, text=True).stdout)
        self.figures = said["parameters"]
        self.hz = number(self.figures["clock"]) * {"MHz": 1e6, "GHz": 1e9}[unit(self.figures["clock"])]
        self.cores = int(number(self.figures["clusters"]) * number(self.figures["cluster.aivs"]))
        arch = ["--arch", said["arch"]] if said["arch"] == "a5" else []
        subprocess.run([ptosim, "build", os.path.join(HERE, "kernels.cpp"), os.path.join(HERE, "host.cpp"),
                        "-o", self.app, "-O1", "-I", HERE] + arch, check=True, stdout=subprocess.DEVNULL)

    def run(self, changes, **variables):
        """Its cycles with figures changed; numbers.csv in the folder."""
        with tempfile.TemporaryDirectory(dir=self.folder) as into:
            environment = dict(os.environ, PTOSIM_CHIP=self.chip, PTOSIM_CHECK="none", **variables)
            environment["PTOSIM_SET"] = ";".join(f"{path}={value:.6g}{unit(self.figures[path])}"
                                                  for path, value in changes.items())
            process = subprocess.run([self.app, into, str(self.cores), "2", "64"], env=environment,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if process.returncode:
                sys.exit(process.stderr)
            return cycles(into, self.hz), numbers(into)


def number(figure):
    """The value of a parameter, in its unit()."""
    return float(figure["value"].split()[0])


def unit(figure):
    return (figure["value"].split() + [""])[1]


def numbers(folder):
    rules = {}
    with open(os.path.join(folder, "numbers.csv"), newline="") as file:
        for row in csv.DictReader(file):
            rules.setdefault(row["rule"], []).append(row["bits"])
    return rules


def residuals(measured, simulated):
    return np.array([np.log(simulated[m] / measured[m]) for m in TIMES])


def off_by(model, measured, figures):
    simulated, _ = model.run(figures, PTOSIM_MODE="timing")
    return residuals(measured, simulated)


def slope(model, measured, figures, path, off):
    """How the residuals move with the logarithm of a figure. Steps are wider than a cycle, to which costs are
    rounded; down first, as nothing caps what is slower."""
    for step in (0.8, 1.25):
        moved = off_by(model, measured, {**figures, path: figures[path] * step}) - off
        if np.max(np.abs(moved)) > 0.001:
            break
    return moved / np.log(step)


def whole(model, measured, found):
    """Figures of cycles that are as good as whole numbers: between two of them costs are mostly the same."""
    best = off_by(model, measured, found)
    for path in found:
        if unit(model.figures[path]) != "cycles" or found[path] < 10:
            continue
        for value in {float(np.floor(found[path])), float(np.ceil(found[path]))}:
            off = off_by(model, measured, {**found, path: value})
            if np.sum(off * off) <= np.sum(best * best):
                found, best = {**found, path: value}, off
    return found


def fit(model, measured, rounds=5):
    """The figures at which the model's times are the device's."""
    found = {path: number(model.figures[path]) for path in FIGURES}
    best, kept = np.inf, found
    for turn in range(rounds):
        off = off_by(model, measured, found)
        print(f"round {turn}: {100 * np.mean(np.abs(off)):.2f} % off", flush=True)
        if np.sum(off * off) < best:
            best, kept = np.sum(off * off), found
        if turn + 1 == rounds or np.max(np.abs(off)) < 0.002:
            break
        slopes = np.array([slope(model, measured, found, path, off) for path in found])
        steps = np.linalg.lstsq(slopes.T, -off, rcond=1e-3)[0]
        found = {path: value * float(np.exp(np.clip(by, -0.7, 0.7)))
                 for (path, value), by in zip(found.items(), steps)}
    return whole(model, measured, kept)


def rules_settled(model, told):
    """rule -> the numeric profiles whose bits are the device's."""
    settled = {rule: [] for rule in told}
    for profile in ("ieee", "a2a3", "a5"):
        _, bits = model.run({}, PTOSIM_NUMERICS=profile)
        for rule in told:
            if bits.get(rule) == told[rule]:
                settled[rule].append(profile)
    return settled


def chip_file(base, figures, found):
    """A chip that extends the base, with the figures that were found."""
    parameters = {}
    for path, value in found.items():
        node = parameters
        *groups, last = path.split(".")
        for group in groups:
            node = node.setdefault(group, {})
        node[last] = {"value": float(f"{value:.6g}"), "unit": unit(figures[path]), "grade": "fitted",
                      "source": "capture kit: " + ", ".join(FIGURES[path])}
    return {"name": f"{base}-captured", "description": f"{base} with what the capture kit has measured",
            "extends": base, "parameters": parameters}


def main():
    parser = argparse.ArgumentParser(prog="ptosim capture --import", description=__doc__.split("\n")[0])
    parser.add_argument("folder", metavar="FOLDER", help="with results.csv and numbers.csv")
    parser.add_argument("--ptosim", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--chip", default="ascend910b1", help="the chip file that is nearest to the device")
    parser.add_argument("--clock", type=float, help="Hz of the device's cores, if not the chip's")
    parser.add_argument("--write", metavar="FILE", help="a chip file with what was found")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = Model(options.ptosim, options.chip, folder)
        measured = cycles(options.folder, options.clock or model.hz)
        missing = [m for m in TIMES if m not in measured]
        if missing:
            sys.exit(f"error: {options.folder}/results.csv has no {', '.join(missing)}")
        before, _ = model.run({})
        found = fit(model, measured)
        after, _ = model.run(found)
        told = numbers(options.folder)
        settled = rules_settled(model, told)
    print(f"\n{'measure':<22}{'device':>12}{'before %':>10}{'after %':>10}")
    for m in TIMES:
        print(f"{m:<22}{measured[m]:>12.1f}{100 * (before[m] / measured[m] - 1):>+10.1f}"
              f"{100 * (after[m] / measured[m] - 1):>+10.1f}")
    print(f"\n{'figure':<34}{'grade was':<18}{'was':>14}{'is':>14}")
    for path, value in found.items():
        grade = model.figures[path]["grade"]
        print(f"{path:<34}{grade:<18}{number(model.figures[path]):>14.6g}{value:>14.6g}"
              f"{'   settled' if grade == 'assumed' else ''}")
    print("\nnumeric rules:")
    for rule, profiles in settled.items():
        print(f"{rule:<8}{'as ' + ', '.join(profiles) if profiles else 'like no profile: look at numbers.csv'}")
    if options.write:
        with open(options.write, "w") as out:
            json.dump(chip_file(options.chip, model.figures, found), out, indent=2)
            out.write("\n")


if __name__ == "__main__":
    main()
