#!/usr/bin/python3
"""Fits the figures of a chip to the measurements of the kit.

    capture.py FOLDER --ptosim BIN --chip BASE [--write CHIP.json] [--clock HZ]

FOLDER has results.csv and numbers.csv of the device. The kit runs on the simulated BASE, too; figures
of the chip are changed until its times are those of the device (fit.py). A figure that moves no time
is left unchanged. It needs numpy.
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

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import fit  # noqa: E402

# Figures that the kit can determine, and the measures that move with them: a figure without one of its measures is not
# reported. First the figures of the scalar unit, whose loops issue nothing to pipes, because all other loops need them;
# then the figures that loops of one core show, then the figures that take all cores, launches or two cores. Each group
# is fitted with the ones before it as found.
VECTOR = "aiv.vector."
RATE = VECTOR + "rate."
CURVE = VECTOR + "curve."


def _of_two_sizes(name, measure, *more):
    """Rates and start of an instruction of a2a3, from two sizes of it."""
    return {f"{RATE}{name}.b32": (f"{measure}_f32_32_d", f"{measure}_f32_128_d", *more),
            f"{RATE}{name}.start": (f"{measure}_f32_32_d", f"{measure}_f32_128_d", *more)}


def _curve(name, *measures):
    return {f"{CURVE}{name}.{key}": measures for key in ("start", "pass")}


OF_THE_SCALAR_UNIT = {
    "scalar.code": ("scalar_code",),
    "scalar.load": ("scalar_load",),
}
OF_A_CORE = {
    VECTOR + "overhead": ("exp_f32_32_s", "add_f32_1_s"),
    VECTOR + "latency": ("shls_i16_32_d",),
    RATE + "TADD.start": ("add_f32_1_s", "add_f32_32_s", "add_f32_32_d"),
    RATE + "TMUL.start": ("mul_f32_32_d",),
    RATE + "TMULS.start": ("muls_f32_32_d",),
    RATE + "TADDS.start": ("adds_f32_32_d",),
    RATE + "TMAX.start": ("max_f32_32_d",),
    RATE + "TAND.start": ("and_u16_32_d",),
    RATE + "TLRELU.start": ("lrelu_f32_32_d",),
    RATE + "TCVT.start": ("cvt_f32_f16_32_d",),
    VECTOR + "read_conflict": ("add_f32_32_bank", "add_f32_128_bank"),
    VECTOR + "write_conflict": ("adds_f32_skewed",),
    VECTOR + "partial": ("add_f32_part",),
    **_of_two_sizes("TEXP", "exp", "exp_f32_1_d"),
    RATE + "TEXP.b16": ("exp_f16_32_d",),
    **_of_two_sizes("TLOG", "log", "log_f32_1_d"),
    **_of_two_sizes("TSQRT", "sqrt", "sqrt_f32_1_d"),
    **_of_two_sizes("TRSQRT", "rsqrt", "rsqrt_f32_1_d"),
    RATE + "TRECIP.b32": ("recip_f32_128_d",),
    RATE + "TDIV.b32": ("div_f32_1_d", "div_f32_32_d", "div_f32_128_d"),
    VECTOR + "row_reduce": ("rowmax_f32_8_d", "rowmax_f32_32_d"),
    VECTOR + "row_fold": ("rowmax_f32_wide",),
    RATE + "TROWMAX.dependent": ("rowmax_f32_wide",),
    RATE + "TROWSUM.start": ("rowsum_f32_8_d", "rowsum_f32_32_d"),
    RATE + "TROWSUM.dependent": ("rowsum_f32_wide",),
    RATE + "TROWARGMAX.dependent": ("rowargmax_f32_32_d",),
    VECTOR + "row_expand": ("rowexpand_f32_32_d",),
    RATE + "TCOLMAX.dependent": ("colmax_f32_8_d", "colmax_f32_32_d"),
    RATE + "TCOLSUM.dependent": ("colsum_f32_8_d", "colsum_f32_32_d"),
    RATE + "TCOLARGMAX.dependent": ("colargmax_f32_32_d",),
    VECTOR + "dependent": ("colargmax_f32_32_d",),
    VECTOR + "column_fold": ("colmax_f32_wide",),
    RATE + "TCMP.row": ("cmp_row",),
    RATE + "TCMPS.row": ("cmps_row",),
    RATE + "TSEL.row": ("sel_row",),
    RATE + "TSELS.row": ("sels_row",),
    RATE + "TSORT32.b32": ("sort32_f32_d",),
    RATE + "TMRGSORT.b32": ("mrgsort_f32_d",),
    RATE + "TGATHER.row": ("gather_f32_4_d", "gather_f32_32_d"),
    RATE + "TGATHERB.b32": ("gatherb_f32_32_d",),
    RATE + "TSCATTER.b32": ("scatter_f32_4_d",),
    RATE + "TTRANS.b32": ("trans_f32_64_d",),
    # a5: curves of passes.
    **_curve("TADD.b32", "add_f32_1_d", "add_f32_32_d", "add_f32_128_d"),
    CURVE + "TADD.b32.gap": ("add_f32_rows",),
    **_curve("TMUL.b32", "mul_f32_32_d", "mul_f32_128_d"),
    **_curve("TEXP.b32", "exp_f32_1_d", "exp_f32_32_d", "exp_f32_128_d"),
    **_curve("TSQRT.b32", "sqrt_f32_1_d", "sqrt_f32_32_d", "sqrt_f32_128_d"),
    **_curve("TRSQRT.b32", "rsqrt_f32_1_d", "rsqrt_f32_32_d", "rsqrt_f32_128_d"),
    CURVE + "binary.start": ("max_f32_32_d", "max_f32_128_d"),
    CURVE + "binary.pass": ("max_f32_32_d", "max_f32_128_d"),
    CURVE + "unary.start": ("abs_f32_32_d", "abs_f32_128_d"),
    CURVE + "unary.pass": ("abs_f32_32_d", "abs_f32_128_d"),
    CURVE + "unary.gap": ("rowexpand_f32_32_d",),
    # Transfers.
    "aiv.gm_to_ub.interval": ("load_256_s",),
    "aiv.gm_to_ub.rate": ("load_8k_s", "load_32k_s"),
    "aiv.gm_to_ub.latency": ("load_256_d", "load_8k_d"),
    "aiv.ub_to_gm.interval": ("store_256_s",),
    "aiv.ub_to_gm.rate": ("store_8k_s", "store_32k_s"),
    "aiv.ub_to_gm.latency": ("store_256_d", "store_8k_d"),
    "memory.hbm.latency": ("load_8k_cold_d",),
    "memory.outstanding": ("load_32k_cold_s",),
    # Matrices.
    "aic.cube.overhead": ("mmad_64_s", "mmad_16_s"),
    "aic.cube.latency": ("mmad_64_d",),
    "aic.cube.k_per_cycle.f16": ("mmad_64_s", "mmad_128_s"),
    "aic.cube.k_per_cycle.f32": ("mmad_f32_64_s",),
    "aic.cube.k_per_cycle.i8": ("mmad_i8_128_s",),
    "aic.l1_to_l0a.rate": ("l0a_16_s", "l0a_64_s", "l0a_128_s"),
    "aic.l1_to_l0a.overhead": ("l0a_16_s", "l0a_64_s", "l0a_128_s"),
    "aic.l1_to_l0a.latency": ("l0a_128_d",),
    "aic.l1_to_l0b.rate": ("l0b_16_s", "l0b_64_s", "l0b_128_s"),
    "aic.l1_to_l0b.overhead": ("l0b_16_s", "l0b_64_s", "l0b_128_s"),
    "aic.l1_to_l0b.latency": ("l0b_128_d",),
    "aic.l1_to_bias.rate": ("bias_64_s", "bias_192_s", "bias_256_s"),
    "aic.gm_to_l1_nd2nz.rate": ("nd2nz_64_s", "nd2nz_128_s"),
    "aic.gm_to_l1_nd2nz.overhead": ("nd2nz_16x64_s", "nd2nz_16x256_s", "nd2nz_64_s", "nd2nz_128_s"),
    "aic.gm_to_l1_nd2nz.row_cycles": ("nd2nz_64x256_s", "nd2nz_128_s"),
    "aic.gm_to_l1_nd2nz.row_least": ("nd2nz_16x64_s", "nd2nz_128x64_s"),
    "aic.gm_to_l1_nd2nz.most": ("nd2nz_16x1024_s",),
    "aic.gm_to_l1_nd2nz.latency": ("nd2nz_64_d",),
    "aic.gm_to_l1.rate": ("l1_plain_s",),
    "aic.gm_to_l1.latency": ("l1_plain_d",),
    "aic.l0c_to_gm.rate": ("fix_64_s", "fix_128_s"),
    "aic.l0c_to_gm.overhead": ("fix_64_s", "fix_128_s"),
    "aic.l0c_to_gm.latency": ("fix_128_d",),
    "aic.l0c_to_l1.rate": ("fix_l1_64_s", "fix_l1_128_s"),
}
OF_THE_CHIP = {
    "launch.block_start": ("launch_1",),
    "launch.cold_lines": ("launch_first",),
    "launch.block_interval": ("launch_blocks",),
    "launch.between": ("launch_twice",),
    "memory.hbm.rate": ("copy_256MiB", "read_256MiB"),
    "memory.hbm.window": ("read_rows_64MiB",),
    "memory.l2.read": ("read_again",),
    "memory.l2.write": ("write_again",),
    "memory.same_window": ("read_same",),
    "sync.cross_core_latency": ("signal_there_and_back", "barrier_of_all"),
}
IN_PLACE_OF = {VECTOR + "dependent": RATE + "TCOLARGMAX.dependent"}  # what is not read where the other is stated
FIGURES = {**OF_THE_SCALAR_UNIT, **OF_A_CORE, **OF_THE_CHIP}
# Is a flag a bit or a counter? The wait may be shorter than a tick.
FLAG = ("flag_second_wait", "flag_work")
COUNTER = "ticks_per_us_AIV"  # how fast the counter runs


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
    """measure -> (median, unit); needed measures exist and are above 0, but for a wait."""
    path, values = os.path.join(folder, "results.csv"), {}
    for line, (name, text, unit) in rows(path, ("measure", "value", "unit")):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        units = ("1/us",) if name.startswith("ticks_per_us") else ("ticks", "us")
        if not math.isfinite(value) or unit not in units:
            fail(f"{path}, line {line}: {name} is '{text}' '{unit}', no number of {' or '.join(units)}")
        if name == FLAG[0] and value < 0:
            fail(f"{path}, line {line}: {name} is {text}, where only 0 or more can be")
        if name in needed and name != FLAG[0] and value <= 0:
            fail(f"{path}, line {line}: {name} is {text}, where only more than 0 can be")
        values.setdefault((name, unit), []).append(value)
    medians = {name: (statistics.median(v[1:] or v), unit)  # the first finds L2 and instruction caches cold
               for (name, unit), v in values.items()}
    missing = [name for name in needed if name not in medians]
    if missing:
        fail(f"{path} has no {', '.join(missing)}")
    return medians


def cycles(medians, hz, ticks):
    """measure -> cycles of the core clock, from a counter with `ticks` ticks a microsecond."""
    per_us = hz / 1e6
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
        self.paths = [path for path in FIGURES if path in self.figures and IN_PLACE_OF.get(path) not in self.figures]
        self.measures = sorted({measure for path in self.paths for measure in FIGURES[path]})
        self.hz = number(self.figures["clock"]) * {"MHz": 1e6, "GHz": 1e9}[unit(self.figures["clock"])]
        self.ticks = self.hz / 1e6
        self.cores = int(number(self.figures["clusters"]) * number(self.figures["cluster.aivs"]))

    def build(self):
        arch = ["--arch", self.arch]
        subprocess.run([self.ptosim, "build", os.path.join(HERE, "kernels.cpp"), os.path.join(HERE, "host.cpp"),
                        "-o", self.app, "-O1", "-I", HERE] + arch, check=True, stdout=subprocess.DEVNULL)

    def output(self, what, into, changes=None, **variables):
        """Runs a part of the kit: cores, chip or numbers."""
        environment = dict(os.environ, PTOSIM_CHIP=self.chip, PTOSIM_CHECK="none", **variables)
        # The counter is as fast as the clock, for few rounds to tell whole cycles.
        values = {"system_counter": number(self.figures["clock"]), **(changes or {})}
        units = {**self.figures, "system_counter": self.figures["clock"]}
        environment["PTOSIM_SET"] = ";".join(f"{path}={round(value) if path in COUNTS else value:.6g}{unit(units[path])}"
                                              for path, value in values.items())
        process = subprocess.run([self.app, into, str(self.cores), "2", "32", what], env=environment,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if process.returncode:
            sys.exit(process.stderr)

    def times(self, what, changes):
        """Its cycles with figures changed."""
        with tempfile.TemporaryDirectory(dir=self.folder) as into:
            self.output(what, into, changes, PTOSIM_MODE="timing")
            medians = read(into, [])
        if COUNTER in medians:
            self.ticks = medians[COUNTER][0]
        simulated = cycles(medians, self.hz, self.ticks)
        for measure in self.measures:
            if simulated.get(measure, 1) <= 0:
                fail(f"on the simulated {self.chip} {measure} takes no time")
        return simulated

    def bits(self, profile):
        with tempfile.TemporaryDirectory(dir=self.folder) as into:
            self.output("numbers", into, PTOSIM_NUMERICS=profile)
            return numbers(into)


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


PROFILES = ("ieee", "a2a3", "a5")


def rules_settled(simulated, measured):
    """rule -> the numeric profiles that give the device's bits; `simulated` has the bits of each profile."""
    return {rule: [profile for profile in PROFILES if simulated[profile][rule] == bits]
            for rule, bits in measured.items()}


def flag_sets(medians):
    """Number of sets that a flag holds, from the time of a wait that only a counter lets through."""
    waited, worked = (medians[name][0] for name in FLAG)
    return "several (a counter)" if 2 * waited < worked else "one (a bit)"


# Cycles of an instruction, which are whole, and not of a repeat, a row or a pass.
OF_AN_INSTRUCTION = ("overhead", "latency", "start", "interval", "block_start", "cross_core_latency", "load")


COUNTS = ("launch.cold_lines",)  # of which a chip takes whole numbers only


def is_whole(path, figure):
    if path in COUNTS:
        return True
    return unit(figure) == "cycles" and (path.split(".")[-1] in OF_AN_INSTRUCTION or number(figure) >= 10) and \
        ".curve." not in path and path != "launch.block_interval"


def fitted(model, figures, what, measured, changes):
    """The figures with which the kit's times are the device's, of a part of them."""
    paths = [path for path in model.paths if path in figures]
    measures = sorted({measure for path in paths for measure in figures[path]})
    start = {path: number(model.figures[path]) for path in paths}

    def off(found):
        simulated = model.times(what, {**changes, **found})
        return [math.log(simulated[m] / measured[m]) for m in measures]

    return fit.fit(off, start, {path for path in paths if is_whole(path, model.figures[path])},
                   lambda text: print(f"{what}, {text}", flush=True))


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
            print(f"not looked for on {options.chip}: {', '.join(left_out)}", flush=True)
        medians = read(options.folder, [COUNTER, *FLAG, *model.measures])
        measured = cycles(medians, options.clock or model.hz, medians[COUNTER][0])
        measured = {measure: measured[measure] for measure in model.measures}
        bits = numbers(options.folder)
        if fit.numpy is None:
            fail("the import needs python3 with numpy")
        model.build()
        simulated_bits = {profile: model.bits(profile) for profile in PROFILES}
        for rule, simulated in simulated_bits["ieee"].items():
            if len(bits.get(rule, [])) != len(simulated):
                fail(f"{options.folder}/numbers.csv has {len(bits.get(rule, []))} of {len(simulated)} {rule}")
        before = {**model.times("cores", {}), **model.times("chip", {})}
        found = fitted(model, OF_THE_SCALAR_UNIT, "cores", measured, {})
        found.update(fitted(model, OF_A_CORE, "cores", measured, found))
        found.update(fitted(model, OF_THE_CHIP, "chip", measured, found))
        after = {**model.times("cores", found), **model.times("chip", found)}
        settled = rules_settled(simulated_bits, bits)
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
    held = model.figures["flags.sets"]
    print(f"\nsets that a flag holds: {flag_sets(medians)}; {options.chip} has {held['value'].strip()} ({held['grade']})")
    print("\nnumeric rules:")
    for rule, profiles in settled.items():
        print(f"{rule:<26}{'as ' + ', '.join(profiles) if profiles else 'like no profile: look at numbers.csv'}")
    if options.write:
        with open(options.write, "w") as out:
            json.dump(chip_file(options.chip, model.figures, found), out, indent=2)
            out.write("\n")


if __name__ == "__main__":
    main()
