#!/usr/bin/python3
"""Simulated against measured: runs our kernels that do what measured ones do, and says how far off.

    validate.py [--ptosim build/ptosim] [--write models/VALIDATION.md] [--fast]

The figures and their sources are models/measured/*.csv; a third of each group is held out of every fit
(scripts/calibrate.py) and reported apart. --write also writes the plot validation.svg beside the
report. --fast leaves out kernels of more than a second. The exit code is 1 if a group is further off
than its target, unless it is one that is known to miss.
"""
import argparse
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import figures as fig  # noqa: E402

# Group -> the mean absolute error that it shall have, in per cent; which chip runs its instructions.
TARGETS = {
    "vector 910B3": 5, "vector 910B3, by columns": 5, "derived integers": 5, "bank conflicts": 5,
    "a5 vector": 6, "gemm and conv time": 8, "gemm and conv M and MTE1": 8, "gemm and conv MTE2": 20,
    "mx matmul": 10, "flash attention": 20, "gemm and mx, other sizes": 10, "bandwidth": 10, "reads past L2": 10,
    "element-wise streams": 10, "launch": 10,
}
# Groups that miss their target, and what is thought to be the reason.
MISSES = {}
VECTOR_CHIP = {"vector_a2a3": "ascend910b3", "vector_a5": "ascend950pr"}
SLOW = ("matmul_8192", "gemm_6144", "gemm_7680", "mxfp8_8192", "conv_40", "conv_32", "mxfp4_8192")


def simulate(ptosim, figures, fast):
    """Sets what the simulator says; returns the figures that were run."""
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
        done.append(figure)
    return done


def mean(values):
    return sum(values) / len(values) if values else None


def number(value):
    return "–" if value is None else f"{value:.1f}"


def summary(figures):
    """Per group: figures, mean of all, fitted and held out, worst, target."""
    rows = []
    for group in TARGETS:
        mine = [f for f in figures if f.group == group]
        if not mine:
            continue
        errors = [abs(f.error) for f in mine]
        rows.append((group, len(mine), mean(errors), mean([abs(f.error) for f in mine if not f.held_out]),
                     mean([abs(f.error) for f in mine if f.held_out]), max(errors), TARGETS[group]))
    return rows


def text_of(rows, figures, seconds, details):
    lines = ["| group | figures | mean error % | fitted % | held out % | worst % | target % | |",
             "|---|--:|--:|--:|--:|--:|--:|---|"]
    for group, count, every, fitted, held, worst, target in rows:
        verdict = "reached" if every <= target else "**missed**"
        lines.append(f"| {group} | {count} | {number(every)} | {number(fitted)} | {number(held)} | "
                     f"{number(worst)} | {target} | {verdict} |")
    lines += ["", f"{len(figures)} figures in {seconds:.0f} seconds."]
    if details:
        lines += ["", "## Every figure", "", "| group | chip | what | measured | simulated | error % | |",
                  "|---|---|---|--:|--:|--:|---|"]
        for f in figures:
            chip = f.row.get("chip") or VECTOR_CHIP["vector_a5" if f.group == "a5 vector" else "vector_a2a3"]
            what = f"{f.row['kernel']} {f.row['metric']}" if "kernel" in f.row else f.key.rstrip(",")
            unit = f.row.get("unit") or "cycles"
            lines.append(f"| {f.group} | {chip} | {what} | {f.value:g} {unit} | {f.simulated:.5g} | "
                         f"{f.error:+.1f} | {'held out' if f.held_out else ''} |")
    return "\n".join(lines) + "\n"


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


REPORT = """# Validation

What `scripts/validate.py --write models/VALIDATION.md` printed. Each figure is a measurement whose
source is in `models/measured/`; a kernel of ours that does the same work runs in the simulator. *Held
out* figures were not seen by any fit (`scripts/calibrate.py`): a third of each group, chosen by the
CRC-32 of what identifies them. The error is |simulated - measured| / measured. Parameters that are not
fitted are stated in the chip files with their sources, some of which are computed from figures below.

`task` is from the launch to the end of the last core, `core` the time of a core in the mean over the
cores, as the profilers of the sources give them: where the blocks are not alike (matmul_8192 on the
910B1: five columns of 1536 and one of 512) they differ by more than the launch. No fit sees flash
attention, products of other sizes, nor the times of whole kernels but `core` of the adding streams.

Parameters of the 910B1 that are stated and not fitted, but computed by hand from figures that are
compared below, held-out ones among them: `aic.cube.overhead` and `aic.cube.latency` (mmad),
`aic.l1_to_l0a.overhead` and `aic.l1_to_l0b.overhead` (pair), `aic.gm_to_l1_nd2nz.*` (nd2nz, gemm_6144),
`memory.hbm.window` (read_..._odd), `memory.l2.read` (read_..._parts). Their errors say how well one number
fits all of these figures, not how well it foretells them.

Not compared: vector functions of several instructions (GeLU, quantisation), top-k. Known to be off:

- reads of one matrix by all AICs of the 950PR in the same order, past L2: the mean core took 252 us
  (aic_total_cycles), the last one 370; why some wait so much longer is not known, AIVs do not;
- flash attention on 16 clusters: all cores read the same K and V, and `memory.same_window` holds them up,
  as much as measured on 24 clusters, but by a quarter too little on 16;
- products of 8192 and 7680 on the 910B1: their MTE2 takes a tenth longer than L2 and HBM explain;
- MTE1 of convolutions, whose windows are moved as plain matrices, and of mx products, whose scales are not
  moved at all;
- streams of 21760 elements on the 950PR: the vector pipe of the measured code takes 29 + 2.07 cycles a
  pass (95.0 cycles for 32 passes, 381 for 170), the vendor's simulator 55 + 1.25. It is not the DMA: the
  pipe takes as long whether transfers run beside it (10.98 us) or in turn with it (11.12 us), so V and
  DMA do not hold up each other in this model either;
- 256 x 16 scalar multiplication, measured with an older instruction sequence; conversions to 4-bit floats.

![Simulated over measured](validation.svg)

{table}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", default=os.path.join(fig.ROOT, "build", "ptosim"))
    parser.add_argument("--write", metavar="FILE", help="write the report and the plot beside it")
    parser.add_argument("--fast", action="store_true", help="leave out kernels of more than a second")
    arguments = parser.parse_args()
    begin = time.time()
    figures = simulate(os.path.abspath(arguments.ptosim), fig.all_figures(), arguments.fast)
    rows = summary(figures)
    seconds = time.time() - begin
    print(text_of(rows, figures, seconds, False))
    if arguments.write:
        with open(arguments.write, "w") as out:
            out.write(REPORT.format(table=text_of(rows, figures, seconds, True)))
        plot(figures, os.path.join(os.path.dirname(arguments.write) or ".", "validation.svg"))
    missed = [row[0] for row in rows if row[2] > row[6]]
    for group in missed:
        print(f"{group} misses its target: {MISSES.get(group, 'no reason is known')}")
    return 1 if [group for group in missed if group not in MISSES] else 0


if __name__ == "__main__":
    sys.exit(main())
