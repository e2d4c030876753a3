#!/usr/bin/python3
"""Fits the free parameters of chip files to the measured figures, and writes them into the files.

    calibrate.py [--ptosim build/ptosim] [--only vector_a2a3,memory_a5] [--dry-run]

Which parameters are free, and where their search begins, is stated in the tables below; everything
else in a chip file is stated by its source. A fit sees only figures that are not held out
(figures.split). The function that is fitted is the simulator itself: its residuals are linearised by
runs with changed parameters, solved by numpy's least squares, weighted such that the mean of the
absolute relative errors is what becomes least, and bounded below. Each parameter is written with the
number of figures it was fitted to and what remains of their error. Nothing is random.
"""
import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
import numpy as np  # noqa: E402

import chipfile  # noqa: E402
import figures as fig  # noqa: E402


PULL = 1e-4


class Parameter:
    """A free parameter: its path, where the search begins, its bounds, which figures it touches."""

    def __init__(self, path, begin, affects, step, least=0.0, most=1e6, unit="cycles"):
        self.path, self.begin, self.affects = path, begin, affects
        self.step, self.least, self.most, self.unit = step, least, most, unit
        self.value = begin


def changed_chip(folder, base, values):
    """A chip file that extends `base`; values: path -> (number, unit)."""
    chip = {"name": "fit", "description": "a trial", "extends": os.path.abspath(base), "parameters": {}}
    for path, (value, unit) in values.items():
        chipfile.put(chip, path, round(value, 3), unit, "assumed", "a trial")
    handle, name = tempfile.mkstemp(suffix=os.path.basename(base), dir=folder)
    os.close(handle)
    chipfile.save(name, chip)
    return name


def components(parameters, figures):
    """Sets of parameters that no figure joins, each with its figures."""
    owner = list(range(len(parameters)))

    def root(i):
        while owner[i] != i:
            i = owner[i]
        return i

    touches = [[i for i, p in enumerate(parameters) if p.affects(f)] for f in figures]
    for touched in touches:
        for i in touched[1:]:
            owner[root(i)] = root(touched[0])
    blocks = {}
    for i in range(len(parameters)):
        blocks.setdefault(root(i), ([], []))[0].append(i)
    for k, touched in enumerate(touches):
        if touched:
            blocks[root(touched[0])][1].append(k)
    return list(blocks.values())


def colours(parameters, figures):
    """Parameters that touch no figure in common may be changed in one run."""
    classes = []
    for i, parameter in enumerate(parameters):
        mine = {k for k, f in enumerate(figures) if parameter.affects(f)}
        for members, taken in classes:
            if not mine & taken:
                members.append(i)
                taken |= mine
                break
        else:
            classes.append(([i], set(mine)))
    return [members for members, _ in classes]


def fit(parameters, figures, simulate, iterations=12):
    """Least mean absolute relative error by reweighted, damped Gauss-Newton steps.

    simulate(values: path -> (number, unit), figures) gives what the simulator says for these figures.
    Returns the loss of each parameter's block and the residuals; parameters' values are set."""
    measured = np.array([f.value for f in figures])
    counts = {}
    for f in figures:
        counts[f.weight_class] = counts.get(f.weight_class, 0) + 1
    share = np.array([1.0 / counts[f.weight_class] for f in figures])
    blocks = components(parameters, figures)
    classes = colours(parameters, figures)

    def residuals(values, which=None):
        which = list(range(len(figures))) if which is None else which
        got = np.array(simulate({p.path: (v, p.unit) for p, v in zip(parameters, values)},
                                [figures[k] for k in which]))
        result = np.zeros(len(figures))
        result[which] = (got - measured[which]) / measured[which]
        return result

    begin = np.array([p.begin for p in parameters], float)
    scale = np.array([max(abs(p.begin), p.step) for p in parameters])

    def pull(members, touched, values):
        """What keeps a parameter where it begins if no figure says otherwise."""
        away = (values[members] - begin[members]) / scale[members]
        return PULL * float(np.mean(share[touched])) * float(np.sum(away ** 2))

    def loss(r, members, touched, values):
        return float(np.sum(share[touched] * np.abs(r[touched]))) + pull(members, touched, values)

    values = begin.copy()
    damping = np.full(len(blocks), 1e-3)
    now = residuals(values)
    for _ in range(iterations):
        jacobian = np.zeros((len(figures), len(parameters)))
        for members in classes:
            trial = values.copy()
            steps = {}
            for i in members:
                p = parameters[i]
                steps[i] = p.step if values[i] + p.step <= p.most else -p.step
                trial[i] += steps[i]
            there = residuals(trial, [k for k, f in enumerate(figures)
                                      if any(parameters[i].affects(f) for i in members)])
            for i in members:
                touched = [k for k, f in enumerate(figures) if parameters[i].affects(f)]
                jacobian[touched, i] = (there[touched] - now[touched]) / steps[i]
        trial = values.copy()
        for b, (members, touched) in enumerate(blocks):
            if not touched:
                continue
            weight = np.sqrt(share[touched] / np.maximum(np.abs(now[touched]), 0.005))
            a = jacobian[np.ix_(touched, members)] * scale[members] * weight[:, None]
            one = np.eye(len(members))
            pulled = np.sqrt(PULL * np.mean(share[touched]))
            away = (values[members] - begin[members]) / scale[members]
            step, *_ = np.linalg.lstsq(
                np.vstack([a, np.sqrt(damping[b] * np.mean(share[touched])) * one, pulled * one]),
                np.concatenate([-now[touched] * weight, np.zeros(len(members)), -pulled * away]),
                rcond=None)
            for i, s in zip(members, step * scale[members]):
                trial[i] = min(max(values[i] + s, parameters[i].least), parameters[i].most)
        there = residuals(trial)
        moved = False
        for b, (members, touched) in enumerate(blocks):
            if touched and loss(there, members, touched, trial) < loss(now, members, touched, values) - 1e-9:
                values[members] = trial[members]
                damping[b] = max(damping[b] / 4, 1e-6)
                moved = True
            else:
                damping[b] = min(damping[b] * 8, 1e3)
        now = residuals(values)
        if not moved and np.min(damping) > 1e2:
            break
    for p, v in zip(parameters, values):
        p.value = round(float(v), 3)
    final = residuals([p.value for p in parameters])
    block_loss = {}
    for members, touched in blocks:
        for i in members:
            block_loss[parameters[i].path] = loss(final, members, touched, values) if touched else 0.0
    return block_loss, final


def write(base, parameters, figures, final, grade, what):
    chip = chipfile.load(base)
    for p in parameters:
        touched = [k for k, f in enumerate(figures) if p.affects(f)]
        if not touched:
            continue
        error = 100 * float(np.mean(np.abs(final[touched])))
        sources = sorted({figures[k].row["source"].split(",")[0] for k in touched})
        chipfile.put(chip, p.path, p.value, p.unit, grade,
                     f"scripts/calibrate.py: {len(touched)} figures of {'; '.join(sources)}; "
                     f"{error:.1f} % of {what} left")
    chipfile.save(base, chip)


def report(title, figures, simulate_all):
    print(title)
    groups = {}
    for f, value in zip(figures, simulate_all(figures)):
        f.simulated = value
        groups.setdefault((f.group, "held out" if f.held_out else "fitted"), []).append(abs(f.error))
    for (group, kind), errors in sorted(groups.items()):
        print(f"  {group:20} {kind:9} {len(errors):4} figures  mean {np.mean(errors):5.1f} %  worst {max(errors):6.1f} %")


# ---- vector instructions of a2a3 ------------------------------------------------------------------

RATE = "aiv.vector.rate."
# Cycles per repeat with which the search begins: the official throughput table.
OFFICIAL = {("TEXP", "b32"): 2, ("TEXP", "b16"): 4, ("TLOG", "b32"): 2, ("TSQRT", "b32"): 2,
            ("TSQRT", "b16"): 4, ("TDIV", "b32"): 4, ("TDIVS", "b32"): 5, ("TDIVS", "b16"): 9,
            ("TRSQRT", "b32"): 1, ("TRSQRT", "b16"): 1, ("TLRELU", "b32"): 1, ("TCVT", "b32"): 1}
TWO_SOURCES = ("TADD", "TSUB", "TMUL", "TMAX", "TMIN", "TAND", "TOR")
NO_READ_CONFLICT = ("free", "0x20000/0/0x10100", "0x4000/0/0x10100", "0x4020/0/0x10100", "0x10100/0/0x10100")
INTEGERS = ("i16", "i32")
BY_ROW_INTEGERS = ("TADDS", "TMULS", "TMINS")


def is_wide(row):
    return any(t in ("f32", "i32") for t in row["dtype"].split(">"))


def whole_repeats(row):
    size = 4 if is_wide(row) else 2
    return int(row["cols"]) * size % 256 == 0


def vector_a2a3(figures):
    """Start-up, rates and conflicts of single instructions, and what reductions are made of."""
    p = []

    def add(path, begin, step, affects, least=0.0):
        p.append(Parameter(path, begin, lambda f: affects(f.row), step, least))

    ops = sorted({f.row["instruction"] for f in figures})
    for op in ops:
        mine = [f.row for f in figures if f.row["instruction"] == op]
        by_row = op in BY_ROW_INTEGERS
        if any(not (by_row and r["dtype"] in INTEGERS) and r["how"] != "stream" for r in mine):
            add(f"{RATE}{op}.start", 24, 2, lambda r, op=op, by_row=by_row: r["instruction"] == op and
                not (by_row and r["dtype"] in INTEGERS) and r["how"] != "stream")
        if by_row and any(r["dtype"] in INTEGERS for r in mine):
            add(f"{RATE}{op}.integer_start", 10, 2,
                lambda r, op=op: r["instruction"] == op and r["dtype"] in INTEGERS)
        if op in TWO_SOURCES:
            add(f"{RATE}{op}.conflict", 1, 0.1,
                lambda r, op=op: r["instruction"] == op and r["layout"] not in NO_READ_CONFLICT)
        for width in ("b16", "b32"):
            if (op, width) in OFFICIAL and any(is_wide(r) == (width == "b32") for r in mine):
                add(f"{RATE}{op}.{width}", OFFICIAL[op, width], 0.1,
                    lambda r, op=op, w=width: r["instruction"] == op and is_wide(r) == (w == "b32"), 0.5)
    add("aiv.vector.write_conflict", 0.8, 0.1, lambda r: r["layout"] == "0x4020/0/0x10100")
    add("aiv.vector.partial", 17, 3, lambda r: r["instruction"] not in fig.BY_COLUMN | {"TROWEXPAND"}
        and not whole_repeats(r))
    add("aiv.vector.row_reduce", 7, 0.5, lambda r: r["instruction"] in fig.BY_ROW)
    add("aiv.vector.row_fold", 1.4, 0.2, lambda r: r["instruction"] in fig.BY_ROW)
    add("aiv.vector.dependent", 17.5, 2, lambda r: r["instruction"] in fig.BY_ROW)
    add("aiv.vector.column_fold", 2, 0.3, lambda r: r["instruction"] in fig.BY_COLUMN)
    add("aiv.vector.row_expand", 14, 1, lambda r: r["instruction"] == "TROWEXPAND")
    for op in sorted(fig.BY_COLUMN & set(ops)):
        add(f"{RATE}{op}.dependent", 17.5, 2, lambda r, op=op: r["instruction"] == op)
    return p


def fit_vector_a2a3(ptosim, dry_run):
    base = os.path.join(fig.ROOT, "models", fig.A2A3 + ".json")
    every = [f for f in fig.split(fig.vector_figures()) if f.group != "a5 vector"]
    for f in every:
        f.weight_class = (f.group, f.row["instruction"])
    fitted = [f for f in every if not f.held_out]
    parameters = vector_a2a3(fitted)
    with tempfile.TemporaryDirectory() as folder:
        def simulate(values, chosen):
            chip = changed_chip(folder, base, values)
            answer = fig.vector_cycles(ptosim, chip, [f.row for f in chosen])
            os.unlink(chip)
            return answer
        _, final = fit(parameters, fitted, simulate)
        values = {p.path: (p.value, p.unit) for p in parameters}
        report("vector instructions of a2a3", every, lambda chosen: simulate(values, chosen))
    if not dry_run:
        write(base, parameters, fitted, final, "derived", "their cycles")


# ---- vector functions of a5 -----------------------------------------------------------------------

BITS = {"f32": 32, "i32": 32, "f16": 16, "bf16": 16, "i16": 16, "i8": 8, "f8e4m3": 8, "f8e5m2": 8,
        "hif8": 8, "f4e1m2": 4, "f4e2m1": 4}


def variant(row):
    """The name of the curve that the instruction takes (sim/model/vector_variant.cpp)."""
    types = [BITS[t] for t in row["dtype"].split(">")]
    if row["instruction"] == "TCVT":
        source, result = types
        if source == result:
            return "b32" if result >= 32 else "b16"
        if source in (4, 8):
            return f"widen{source}"
        if source == 16:
            return "widen16" if result > 16 else f"narrow16to{result}"
        return "narrow32" if result >= 16 else "narrow32to8"
    width = 32 if types[-1] >= 32 else 16
    return f"precise{width}" if row["precision"] else f"b{width}"


def curve_of(row):
    return f"aiv.vector.curve.{row['instruction']}.{variant(row)}"


def fit_vector_a5(ptosim, dry_run):
    base = os.path.join(fig.ROOT, "models", fig.A5 + ".json")
    every = [f for f in fig.split(fig.vector_figures()) if f.group == "a5 vector"]
    for f in every:
        f.weight_class = f.group
    fitted = [f for f in every if not f.held_out]
    curves = sorted({curve_of(f.row) for f in fitted})
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for short, begin_nested in ((0, 2), (0, 40), (2, 2), (2, 40)):
            parameters = []
            for curve in curves:
                slow = "precise" in curve
                for key, begin, step, least in (("start", 55, 4, 1), ("pass", 300 if slow else 1.5, 0.3, 0.1),
                                                ("gap", 5, 1, 0),
                                                ("nested", 300 if slow else begin_nested, 0.3, 0)):
                    parameters.append(Parameter(f"{curve}.{key}", begin,
                                                lambda f, c=curve: curve_of(f.row) == c, step, least))
            fixed = {f"{curve}.short_row": (short, "") for curve in curves}

            def simulate(values, chosen, fixed=fixed):
                chip = changed_chip(folder, base, {**fixed, **values})
                answer = fig.vector_cycles(ptosim, chip, [f.row for f in chosen])
                os.unlink(chip)
                return answer

            losses, _ = fit(parameters, fitted, simulate, 25)
            for curve in curves:
                loss = losses[f"{curve}.start"]
                if curve not in best or loss < best[curve][0] - 1e-6:
                    mine = [p for p in parameters if p.path.startswith(curve + ".")]
                    best[curve] = (loss, mine + [Parameter(f"{curve}.short_row", short,
                                                           lambda f, c=curve: curve_of(f.row) == c, 1, unit="")])
        chosen_parameters = [p for curve in curves for p in best[curve][1]]
        values = {p.path: (p.value, p.unit) for p in chosen_parameters}
        report("vector functions of a5", every, lambda chosen: simulate(values, chosen, {}))
        measured = np.array([f.value for f in fitted])
        final = (np.array(simulate(values, fitted, {})) - measured) / measured
    if not dry_run:
        write(base, chosen_parameters, fitted, final, "vendor simulator", "their cycles")


# ---- matrices, transfers and memory ---------------------------------------------------------------

def is_kernel(*names, metric=None):
    """Figures of these kinds of kernels, of a metric if one is given."""
    return lambda f: f.row["kernel"].split("_")[0] in names and (metric is None or f.row["metric"] == metric)


def either(*tests):
    return lambda f: any(test(f) for test in tests)


def reads(space):
    return lambda f: f.row["kernel"].startswith(f"read_{space}")


def rows_of(space):
    return lambda f: f.row["kernel"].startswith((f"read_{space}", f"shared_{space}"))


PRODUCTS = ("gemm", "conv", "matmul", "mxfp8", "mxfp4")
CONVERTING = ("gemm", "matmul", "mxfp8", "mxfp4")


def memory_parameters(begin):
    """What is free, beginning at `begin`: path -> number; times of whole kernels are fitted to nothing."""
    stepwise = {
        "aic.cube.overhead": (either(is_kernel("mmad"), is_kernel(*PRODUCTS, metric="M")), 2, 0, "cycles"),
        "aic.cube.latency": (is_kernel("mmad"), 4, 0, "cycles"),
        "aic.l1_to_l0a.overhead": (is_kernel("pair"), 2, 0, "cycles"),
        "aic.l1_to_l0b.overhead": (is_kernel("pair"), 2, 0, "cycles"),
        "aic.l1.contention": (is_kernel(*PRODUCTS, metric="MTE1"), 0.05, 0, ""),
        "aic.gm_to_l1.rate": (is_kernel("conv", metric="MTE2"), 5, 20, "B/cycle"),
        "aic.gm_to_l1_nd2nz.rate": (either(is_kernel("nd2nz"), reads("mat"), is_kernel(*CONVERTING, metric="MTE2")), 8, 50, "B/cycle"),
        "aic.gm_to_l1_nd2nz.row_cycles": (either(is_kernel("nd2nz"), reads("mat"), is_kernel(*CONVERTING, metric="MTE2")), 0.2, 0, "cycles"),
        "aic.gm_to_l1_nd2nz.overhead": (either(is_kernel("nd2nz"), reads("mat"), is_kernel(*CONVERTING, metric="MTE2")), 15, 0, "cycles"),
        "aic.gm_to_l1_nd2nz.row_bytes": (rows_of("mat"), 8, 0, "B"),
        "aiv.gm_to_ub.row_bytes": (rows_of("vec"), 4, 0, "B"),
        "memory.hbm.rate": (either(reads("vec"), reads("mat"), is_kernel("add", metric="core")), 0.05, 0.5, "TB/s"),
        "memory.hbm.window": (lambda f: f.row["kernel"].endswith("_odd"), 30, 0, "B"),
        "memory.l2.read": (lambda f: f.row["kernel"].endswith("_parts"), 0.4, 1, "TB/s"),
        "memory.hbm.past_l2": (is_kernel("shared"), 0.05, 0.1, ""),
        "memory.same_window": (lambda f: f.row["kernel"].endswith("_same"), 0.03, 0, "cycles"),
        "memory.hbm.latency": (is_kernel("load"), 20, 0, "cycles"),
        "aiv.ub_to_gm.latency": (is_kernel("store"), 20, 0, "cycles"),
        "aiv.gm_to_ub.interval": (is_kernel("interval"), 2, 0, "cycles"),
        "aic.l0c_to_gm.rate": (is_kernel("fix"), 5, 20, "B/cycle"),
        "aic.l0c_to_gm.overhead": (is_kernel("fix"), 15, 0, "cycles"),
        "launch.overhead": (is_kernel("empty"), 200, 0, "cycles"),
        "launch.block_interval": (is_kernel("empty"), 1, 0, "cycles"),
    }
    return [Parameter(path, begin[path], *stepwise[path][:2], least=stepwise[path][2], unit=stepwise[path][3])
            for path in begin]


BEGIN = {
    fig.A2A3: {"aic.cube.overhead": 12, "aic.cube.latency": 60, "aic.l1_to_l0a.overhead": 24,
               "aic.l1_to_l0b.overhead": 24, "aic.l1.contention": 0.2, "aic.gm_to_l1.rate": 110,
               "aic.gm_to_l1_nd2nz.row_bytes": 50, "aiv.gm_to_ub.row_bytes": 12, "memory.hbm.rate": 1.6,
               "memory.hbm.window": 500, "memory.hbm.past_l2": 1, "memory.same_window": 0.3,
               "memory.l2.read": 6, "memory.hbm.latency": 350, "aiv.ub_to_gm.latency": 200,
               "aiv.gm_to_ub.interval": 20, "aic.l0c_to_gm.rate": 75, "aic.l0c_to_gm.overhead": 150},
    fig.A5: {"aic.cube.overhead": 3, "aic.cube.latency": 90, "aic.l1_to_l0a.overhead": 14,
             "aic.l1_to_l0b.overhead": 14, "aic.l1.contention": 0.2, "aic.gm_to_l1_nd2nz.rate": 110,
             "aic.gm_to_l1_nd2nz.row_cycles": 0.3, "aic.gm_to_l1_nd2nz.overhead": 250,
             "aic.gm_to_l1_nd2nz.row_bytes": 50, "aiv.gm_to_ub.row_bytes": 15, "memory.hbm.rate": 1.6,
             "memory.hbm.window": 40, "memory.hbm.past_l2": 1, "memory.same_window": 0.3,
             "memory.l2.read": 5, "memory.hbm.latency": 350, "aiv.gm_to_ub.interval": 39,
             "aic.l0c_to_gm.overhead": 70, "launch.overhead": 4000, "launch.block_interval": 10},
}


def fit_memory(ptosim, dry_run, name):
    base = os.path.join(fig.ROOT, "models", name + ".json")
    every = [f for f in fig.split(fig.kernel_figures()) if f.row["chip"] == name]
    for f in every:
        f.weight_class = (f.group, f.row["metric"])
    parameters = memory_parameters(BEGIN[name])
    fitted = [f for f in every if not f.held_out and any(p.affects(f) for p in parameters)]
    with tempfile.TemporaryDirectory() as folder:
        def simulate(values, chosen):
            chip = changed_chip(folder, base, values)
            answers = {}
            for f in chosen:
                if f.row["kernel"] not in answers:
                    answers[f.row["kernel"]] = fig.simulate_kernel(ptosim, chip, f.row["kernel"])
            os.unlink(chip)
            return [answers[f.row["kernel"]][f.row["metric"]] for f in chosen]

        _, final = fit(parameters, fitted, simulate, 6)
        values = {p.path: (p.value, p.unit) for p in parameters}
        report(f"matrices, transfers and memory of {name}", every, lambda chosen: simulate(values, chosen))
    for p in parameters:
        print(f"  {p.path} = {p.value} {p.unit}")
    if not dry_run:
        write(base, parameters, fitted, final, "derived", "their values")


def fit_memory_a2a3(ptosim, dry_run):
    fit_memory(ptosim, dry_run, fig.A2A3)


def fit_memory_a5(ptosim, dry_run):
    fit_memory(ptosim, dry_run, fig.A5)


FITS = {"memory_a2a3": fit_memory_a2a3, "memory_a5": fit_memory_a5, "vector_a2a3": fit_vector_a2a3, "vector_a5": fit_vector_a5}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", default=os.path.join(fig.ROOT, "build", "ptosim"))
    parser.add_argument("--only", default=",".join(FITS), help="which fits, separated by commas")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        if name not in FITS:
            parser.error(f"no fit '{name}'; there are {', '.join(FITS)}")
        FITS[name](os.path.abspath(arguments.ptosim), arguments.dry_run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
