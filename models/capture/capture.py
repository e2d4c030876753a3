#!/usr/bin/python3
"""From what the kit has measured to figures of a chip.

    capture.py FOLDER --ptosim BIN --chip BASE [--write CHIP.json] [--clock HZ]

FOLDER has results.csv and numbers.csv of the device. The kit runs on the simulated BASE, too; figures
of the chip are changed until its times are those of the device (Gauss and Newton, relative, with one
run of the kit for each figure). A figure with which no time moves is left as it is. It needs numpy.
"""
import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    numpy = None

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
COUNTER = "ticks_per_us_AIV"  # how fast the counter runs
NIL = 0.001  # of a slope


def fail(text):
    print(f"error: {text}", file=sys.stderr)
    sys.exit(2)


def rows(path, columns):
    """(line, values of the columns) of a whole CSV file of the kit."""
    try:
        with open(path, newline="") as file:
            reader = csv.reader(file)
            header = next(reader, [])
            for column in columns:
                if column not in header:
                    fail(f"{path}, line 1: no column '{column}'")
            for row in reader:
                if len(row) != len(header):
                    fail(f"{path}, line {reader.line_num}: {row[0] if row else 'it'} is cut off: "
                         f"{len(row)} of {len(header)} columns")
                yield reader.line_num, [row[header.index(column)] for column in columns]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        fail(f"{path}: {error}")


def read(folder, needed):
    """measure -> (median, unit); those that are needed are there and above 0."""
    path, values = os.path.join(folder, "results.csv"), {}
    for line, (name, text, unit) in rows(path, ("measure", "value", "unit")):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        units = ("1/us",) if name.startswith("ticks_per_us") else ("ticks", "us")
        if not math.isfinite(value) or unit not in units:
            fail(f"{path}, line {line}: {name} is '{text}' '{unit}', no number of {' or '.join(units)}")
        if name in needed and value <= 0:
            fail(f"{path}, line {line}: {name} is {text}, where only more than 0 can be")
        values.setdefault((name, unit), []).append(value)
    medians = {name: (statistics.median(v[1:] or v), unit)  # the first finds L2 and instruction caches cold
               for (name, unit), v in values.items()}
    missing = [name for name in needed if name not in medians]
    if missing:
        fail(f"{path} has no {', '.join(missing)}")
    return medians


def cycles(medians, hz):
    """measure -> cycles of the core clock."""
    per_us, ticks = hz / 1e6, medians[COUNTER][0]
    return {name: value * (per_us / ticks if unit == "ticks" else per_us)
            for name, (value, unit) in medians.items() if unit != "1/us"}


class Model:
    """The kit on the simulated chip."""

    def __init__(self, ptosim, chip, folder):
        self.ptosim, self.chip, self.folder = ptosim, chip, folder
        self.app = os.path.join(folder, "capture")
        asked = subprocess.run([ptosim, "chips", chip, "--json", "-"], stdout=subprocess.PIPE, text=True)
        if asked.returncode:
            sys.exit(asked.returncode)
        said = json.loads(asked.stdout)
        self.arch, self.figures = said["arch"], said["parameters"]
        self.paths = [path for path in FIGURES if path in self.figures]
        self.measures = sorted({measure for path in self.paths for measure in FIGURES[path]})
        self.hz = number(self.figures["clock"]) * {"MHz": 1e6, "GHz": 1e9}[unit(self.figures["clock"])]
        self.cores = int(number(self.figures["clusters"]) * number(self.figures["cluster.aivs"]))

    def build(self):
        arch = ["--arch", self.arch] if self.arch == "a5" else []
        subprocess.run([self.ptosim, "build", os.path.join(HERE, "kernels.cpp"), os.path.join(HERE, "host.cpp"),
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
            simulated = cycles(read(into, [COUNTER]), self.hz)
            for measure in self.measures:
                if simulated[measure] <= 0:
                    fail(f"on the simulated {self.chip} {measure} takes no time")
            return simulated, numbers(into)


def number(figure):
    """The value of a parameter, in its unit()."""
    return float(figure["value"].split()[0])


def unit(figure):
    return (figure["value"].split() + [""])[1]


def numbers(folder):
    rules = {}
    for _, (rule, bits) in rows(os.path.join(folder, "numbers.csv"), ("rule", "bits")):
        rules.setdefault(rule, []).append(bits)
    return rules


def residuals(measured, simulated):
    return [math.log(simulated[m] / measured[m]) for m in measured]


def squares(off):
    return sum(residual * residual for residual in off)


def off_by(model, measured, figures):
    simulated, _ = model.run(figures, PTOSIM_MODE="timing")
    return residuals(measured, simulated)


def slope(model, measured, figures, path, off):
    """How the residuals move with the logarithm of a figure. Steps are wider than a cycle, to which costs are
    rounded; down first, as nothing caps what is slower."""
    if figures[path] != 0:
        for step in (0.8, 1.25):
            stepped = off_by(model, measured, {**figures, path: figures[path] * step})
            moved = [now - before for now, before in zip(stepped, off)]
            if max(map(abs, moved)) > NIL:
                return [by / math.log(step) for by in moved]
    return [0.0] * len(off)


def with_slope(model, measured, figures):
    """The paths of those with which a time moves: times say nothing of the others."""
    off = off_by(model, measured, figures)
    return [path for path in figures if any(slope(model, measured, figures, path, off))]


def whole(model, measured, found):
    """Figures of cycles that are as good as whole numbers: between two of them costs are mostly the same."""
    best = off_by(model, measured, found)
    for path in found:
        if unit(model.figures[path]) != "cycles" or found[path] < 10:
            continue
        for value in {float(math.floor(found[path])), float(math.ceil(found[path]))}:
            off = off_by(model, measured, {**found, path: value})
            if squares(off) <= squares(best):
                found, best = {**found, path: value}, off
    return found


def fit(model, measured, rounds=5):
    """The figures at which the model's times are the device's, those that can be told."""
    found = {path: number(model.figures[path]) for path in model.paths}
    least, best = math.inf, found
    for count in range(rounds):
        off = off_by(model, measured, found)
        print(f"round {count}: {100 * statistics.mean(map(abs, off)):.2f} % off", flush=True)
        if squares(off) < least:
            least, best = squares(off), found
        if count + 1 == rounds or max(map(abs, off)) < 0.002:
            break
        slopes = numpy.array([slope(model, measured, found, path, off) for path in found])
        steps = numpy.linalg.lstsq(slopes.T, -numpy.array(off), rcond=1e-3)[0]
        found = {path: value * math.exp(min(max(float(by), -0.7), 0.7))
                 for (path, value), by in zip(found.items(), steps)}
    best = {path: best[path] for path in with_slope(model, measured, best)}
    return whole(model, measured, best)


def rules_settled(model, measured):
    """rule -> the numeric profiles whose bits are the device's."""
    settled = {rule: [] for rule in measured}
    for profile in ("ieee", "a2a3", "a5"):
        _, simulated = model.run({}, PTOSIM_NUMERICS=profile)
        for rule in measured:
            if simulated.get(rule) == measured[rule]:
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
    if options.clock is not None and not (options.clock > 0 and math.isfinite(options.clock)):
        fail("--clock needs Hz above 0")
    with tempfile.TemporaryDirectory() as folder:
        model = Model(options.ptosim, options.chip, folder)
        left_out = [path for path in FIGURES if path not in model.paths]
        if left_out:
            print(f"{options.chip} has no {', '.join(left_out)}", flush=True)
        medians = read(options.folder, [COUNTER, *model.measures])
        measured = cycles(medians, options.clock or model.hz)
        measured = {measure: measured[measure] for measure in model.measures}
        bits = numbers(options.folder)
        if numpy is None:
            fail("the import needs python3 with numpy")
        model.build()
        before, simulated_bits = model.run({})
        for rule, simulated in simulated_bits.items():
            if len(bits.get(rule, [])) != len(simulated):
                fail(f"{options.folder}/numbers.csv has {len(bits.get(rule, []))} of {len(simulated)} {rule}")
        found = fit(model, measured)
        after, _ = model.run(found)
        settled = rules_settled(model, bits)
    print(f"\n{'measure':<22}{'device':>12}{'before %':>10}{'after %':>10}")
    for m in measured:
        print(f"{m:<22}{measured[m]:>12.1f}{100 * (before[m] / measured[m] - 1):>+10.1f}"
              f"{100 * (after[m] / measured[m] - 1):>+10.1f}")
    print(f"\n{'figure':<34}{'grade was':<18}{'was':>14}{'is':>14}")
    for path, value in found.items():
        grade = model.figures[path]["grade"]
        print(f"{path:<34}{grade:<18}{number(model.figures[path]):>14.6g}{value:>14.6g}"
              f"{'   settled' if grade == 'assumed' else ''}")
    not_told = [path for path in model.paths if path not in found]
    if not_told:
        print(f"\ncould not be told, as no time moves with them: {', '.join(not_told)}")
    print("\nnumeric rules:")
    for rule, profiles in settled.items():
        print(f"{rule:<8}{'as ' + ', '.join(profiles) if profiles else 'like no profile: look at numbers.csv'}")
    if options.write:
        with open(options.write, "w") as out:
            json.dump(chip_file(options.chip, model.figures, found), out, indent=2)
            out.write("\n")


if __name__ == "__main__":
    main()
