#!/usr/bin/python3
"""Simulated against measured: runs our kernels that do the work of measured ones, and prints the errors.

    validate.py [--ptosim build/ptosim] [--write] [--fast]

The figures and their sources are models/measured/*.csv; a third of each group is held out of every fit
(scripts/calibration/calibrate.py) and reported apart. --write also writes the plot validation.svg next to the
report. --fast leaves out the longest five. The exit code is 1 if a group is further off
than its target, unless it is one that is known to miss.
"""
import argparse
import csv
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import calibrate  # noqa: E402
import chipfile  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import evidence  # noqa: E402
import figures as fig  # noqa: E402

# Group -> the mean absolute error that it shall have, in per cent: the error reached and up to a quarter more.
TARGETS = {
    "vector 910B3": 3, "vector 910B3, by columns": 2, "derived integers": 2, "bank conflicts": 2,
    "a5 vector": 3, "a5 vector functions": 6.6, "gemm and conv time": 5, "gemm and conv M and MTE1": 8,
    "gemm and conv MTE2": 3, "mx matmul": 6, "flash attention": 8, "gemm and mx, other sizes": 4.5, "bandwidth": 3.2,
    "reads past L2": 10, "element-wise streams": 6, "launch": 2, "streams of a 950DT": 8.4,
    "steps fitted by PyPTO": 6, "products in columns of tiles": 8.6, "hand-offs between cores": 16,
    "products of 4-bit floats": 5.2, "products of 4-bit floats, tiles tried": 6, "products said to be of 4-bit floats": 6,
    "top-k": 6,
}
# Groups that miss their target, and the assumed reason.
MISSES = {
    "launch": "the blocks of 32 clusters start almost at once on the device (1 to 32 blocks differ by 0.13 us), further ones "
              "14 to 19 ns apart: one interval cannot give both",
    "steps fitted by PyPTO": "its fit of a sweep on one core is at odds with what others measured: 128 x 256 results "
                             "leave in 1275 cycles by it, in 1840 as f32 and 1000 as f16 elsewhere; operands of "
                             "128 x 64 x 256 move in 510, elsewhere in 367 and 411",
    "flash attention": "sixteen clusters are 12 to 22 % fast, as is said above; and the time of a signal, which hand-offs on the "
                       "same chip bear out, makes short sequences up to 17 % slow, whose launches are not those of longer ones",
    "products of 4-bit floats, tiles tried": "the same page has 1555 TFLOPS at most for the kernel that takes 1782 us here, "
                                             "which are 1234; what it measured with other tiles was another state of it",
    "products said to be of 4-bit floats": "they are products at 8192 multiplications a cycle and core, half of what the chip has "
                                           "for 4-bit floats and all that it has for those of 8, which the page beside them names",
    "top-k": "of 5640 cycles a row, 3400 are explained: merges of more than 32 numbers a list were never measured, nor copies "
             "within UB but for two figures of a block a cycle",
}
VECTOR_CHIP = {"vector_a2a3": "ascend910b3", "vector_a5": "ascend950pr"}
# Kernels of more than three seconds each: half of all time.
SLOW = ("fa_16384_16384", "fa_32768_32768", "mx4_32768_16384_256_512", "mx4_32768_12288_256_512", "columns_4224_16384")


def simulate(ptosim, figures, fast):
    """Sets the simulated values; returns the figures that were run."""
    for is_a5 in (False, True):
        vector = [f for f in figures if "instruction" in f.row and (f.group == "a5 vector") == is_a5]
        chip = VECTOR_CHIP["vector_a5" if is_a5 else "vector_a2a3"]
        for figure, cycles in zip(vector, fig.vector_cycles(ptosim, chip, [f.row for f in vector])):
            figure.simulated = cycles
    answers, done = {}, []
    for figure in figures:
        if "kernel" in figure.row:
            key = figure.row["chip"], figure.row["kernel"]
            if fast and key[1] in SLOW:
                continue
            if key not in answers:
                answers[key] = fig.simulate_kernel(ptosim, *key)
            figure.simulated = answers[key][figure.row["metric"]]
            figure.rests_on = answers[key].get("rests_on", {})
        done.append(figure)
    return done


def not_fitted():
    """A table of the numbers in the chip files of the two families that are neither official nor fitted."""
    rows = {}
    for model in (fig.A2A3, fig.A5):
        chip = chipfile.load(os.path.join(fig.ROOT, "models", model + ".json"))
        for path, number in chipfile.numbers(chip).items():
            if number["grade"] != "official" and not number["source"].startswith("scripts/calibration/"):
                rows.setdefault((model, number["grade"], number["source"]), []).append(
                    f"`{path}` {number['value']} {number['unit']}".strip())
    lines = ["| chip | grade | source | numbers |", "|---|---|---|---|"]
    lines += [f"| {model} | {grade} | {source} | {', '.join(numbers)} |"
              for (model, grade, source), numbers in sorted(rows.items())]
    return "\n".join(lines) + "\n"


def mean(values):
    return sum(values) / len(values) if values else None


def number(value):
    return "–" if value is None else f"{value:.1f}"


def false_sources(figures):
    """Errors in what chip files state of fitted numbers: the figures that they were fitted to, the rest of their error,
    or that they were fitted at all."""
    lines = []
    for model in (fig.A2A3, fig.A5):
        said = calibrate.stated(model)
        holds = calibrate.sources(model, figures)
        lines += [f"models/{model}.json, {path}: the file says '{said.get(path, 'nothing of scripts/calibration/calibrate.py')}', and "
                  f"'{holds.get(path, 'that it is fitted is wrong')}' holds: run scripts/calibration/calibrate.py"
                  for path in sorted(set(said) | set(holds)) if said.get(path) != holds.get(path)]
    return lines


class Row:
    """The row of the table for one group of figures."""

    def __init__(self, group, figures):
        seen = {id(f) for f in calibrate.seen(figures)}
        mine = [f for f in figures if f.group == group]
        errors = [(abs(f.error), id(f) in seen) for f in mine]
        self.group, self.count, self.target = group, len(mine), TARGETS[group]
        self.not_seen = sum(1 for _, was_seen in errors if not was_seen)
        self.mean, self.worst = mean([e for e, _ in errors]), max(e for e, _ in errors)
        self.seen_mean = mean([e for e, was_seen in errors if was_seen])
        self.not_seen_mean = mean([e for e, was_seen in errors if not was_seen])


def summary(figures):
    return [Row(group, figures) for group in TARGETS if any(f.group == group for f in figures)]


def text_of(rows, figures, seconds, details):
    lines = ["| group | figures | of them not fitted | mean error % | fitted % | not fitted % | worst % | target % | |",
             "|---|--:|--:|--:|--:|--:|--:|--:|---|"]
    for row in rows:
        verdict = "reached" if row.mean <= row.target else "**missed**"
        lines.append(f"| {row.group} | {row.count} | {row.not_seen} | {number(row.mean)} | {number(row.seen_mean)} | "
                     f"{number(row.not_seen_mean)} | {number(row.worst)} | {row.target:g} | {verdict} |")
    lines += ["", f"{len(figures)} figures in {seconds:.0f} seconds."]
    if details:
        lines += ["", "Every figure: [validation.csv](validation.csv)."]
        lines += ["", "## Neither official nor fitted", "", not_fitted()]
    return "\n".join(lines) + "\n"


def write_figures(figures, path):
    """Every figure: its measured and its simulated value, and whether a fit has seen it."""
    seen = {id(f) for f in calibrate.seen(figures)}
    with open(path, "w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["group", "chip", "what", "measured", "unit", "simulated", "error_percent", "fitted",
                        "rests_on"])
        for f in figures:
            chip = f.row.get("chip") or VECTOR_CHIP["vector_a5" if f.group == "a5 vector" else "vector_a2a3"]
            what = f"{f.row['kernel']} {f.row['metric']}" if "kernel" in f.row else f.key.rstrip(",")
            table.writerow([f.group, chip, what, f"{f.value:g}", f.row.get("unit") or "cycles",
                            f"{f.simulated:.5g}", f"{f.error:+.1f}", "yes" if id(f) in seen else "no",
                            " ".join(f"{grade.replace(' ', '_')}:{share:g}" for grade, share in f.rests_on.items())])


def plot(figures, path):
    """Simulated over measured for each figure, a colour per group, by gnuplot."""
    blocks = []
    groups = [g for g in TARGETS if any(f.group == g for f in figures)]
    for group in groups:
        blocks.append("\n".join(f"{f.value:.6g} {f.simulated / f.value:.6g}" for f in figures if f.group == group))
    script = [
        "set terminal svg size 1000,620 font 'sans,13'", f"set output '{path}'",
        "set logscale x", "set yrange [0.4:1.6]", "set key outside right", "set grid",
        "set xlabel 'measured (cycles or us)'", "set ylabel 'simulated / measured'",
        "set title 'Simulated against measured'",
        "plot 1 lc 'black' notitle, 1.1 dt 2 lc 'gray' notitle, 0.9 dt 2 lc 'gray' notitle, " +
        ", ".join(f"'-' with points pt 7 ps 0.5 title '{group}'" for group in groups)]
    script += [block + "\ne" for block in blocks]
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", default=os.path.join(fig.ROOT, "build", "ptosim"))
    parser.add_argument("--write", action="store_true",
                        help="write the figures and the plot into models/, the tables into tests/evidence/validation.json")
    parser.add_argument("--fast", action="store_true", help="leave out the longest five kernels")
    arguments = parser.parse_args()
    begin = time.time()
    figures = simulate(os.path.abspath(arguments.ptosim), fig.all_figures(), arguments.fast)
    rows = summary(figures)
    seconds = time.time() - begin
    print(text_of(rows, figures, seconds, False))
    if arguments.write:
        folder = os.path.join(fig.ROOT, "models")
        groups = text_of(rows, figures, seconds, True).split("\n## ")[0]
        evidence.record("validation", "# Validation\n\n" + groups)
        write_figures(figures, os.path.join(folder, "validation.csv"))
        plot(figures, os.path.join(folder, "validation.svg"))
    missed = [row.group for row in rows if row.mean > row.target]
    for group in missed:
        print(f"{group} misses its target: {MISSES.get(group, 'no reason is known')}")
    untrue = false_sources(figures)
    for line in untrue:
        print(line)
    too_few = [row.group for row in rows if 3 * row.not_seen < row.count]
    for group in too_few:
        print(f"{group}: less than a third is held out of the fits")
    return 1 if [group for group in missed if group not in MISSES] or untrue or too_few else 0


if __name__ == "__main__":
    sys.exit(main())
