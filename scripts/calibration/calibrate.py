#!/usr/bin/python3
"""Fits the free parameters of chip files to the measured figures, and writes them into the files.

    calibrate.py [--ptosim build/ptosim] [--only vector_a2a3,memory_a5] [--check]

The free parameters, and the begin of their search, are stated in the tables below and in
free_parameters.py; everything else in a chip file is stated by its source. A fit sees only figures that
are not held out (figures.split), and none of the chip file's values of free parameters. The
function that is fitted is the simulator itself: its residuals are linearised by runs with changed
parameters, solved by numpy's least squares, weighted such that the mean of the absolute relative
errors becomes least, and bounded below. Each parameter is written with the number of figures
it was fitted to and what remains of their error. Nothing is random. --check writes nothing, and
exits with 1 if a file holds anything else than what comes out.
"""
import argparse
import copy
import math
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
import numpy as np  # noqa: E402

import chipfile  # noqa: E402
import figures as fig  # noqa: E402
import free_parameters  # noqa: E402


PULL = 1e-4


OURS = "scripts/calibration/calibrate.py: "  # begins the source of every number that comes from here


class Parameter:
    """A free parameter: the paths that hold it, where the search begins, its bounds, which figures it
    touches, and what its grade is."""

    def __init__(self, paths, begin, affects, step, least=0.0, most=1e6, unit="cycles"):
        self.paths = (paths,) if isinstance(paths, str) else tuple(paths)
        self.begin, self.affects = begin, affects
        self.step, self.least, self.most, self.unit = step, least, most, unit
        self.value, self.grade = begin, "fitted"

    @property
    def path(self):
        return self.paths[0]

    def source(self, figures):
        """Source of the number, for a chip file; figures: the fitted ones, with their simulated values."""
        mine = [f for f in figures if self.affects(f)]
        error = float(np.mean([abs(f.error) for f in mine]))
        return f"{OURS}{len(mine)} figures of {sources_of(mine)}; {error:.1f} % of their values left"


class Computed(Parameter):
    """A number that figures give by a formula, whose text is `how`."""

    def __init__(self, paths, figures, formula, how, unit="cycles"):
        super().__init__(paths, round(formula(*(f.value for f in figures)), 3), lambda f: f in figures, 1, unit=unit)
        self.figures, self.how = figures, how

    def source(self, figures):
        return f"{OURS}{self.how.format(*(f'{f.value:g}' for f in self.figures))}, {sources_of(self.figures)}"


class Copied(Parameter):
    """A number that other free numbers give: the one at `of`, or a formula of several."""

    def __init__(self, paths, of, how, formula=lambda value: value, unit="cycles"):
        super().__init__(paths, 0, lambda f: False, 1, unit=unit)
        self.of, self.how, self.formula = of, how, formula

    def settle(self, values):
        self.value = round(self.formula(*(values[path][0] for path in self.of)), 3)
        return self

    def source(self, figures):
        return f"{OURS}{self.how}"


def sources_of(figures):
    return "; ".join(sorted({f.row["source"].split(",")[0] for f in figures}))


def values_of(parameters):
    """path -> (number, unit)."""
    return {path: (p.value, p.unit) for p in parameters for path in p.paths}


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

    simulate(values: path -> (number, unit), figures) returns the simulated values of these figures. Returns the loss of
    each parameter's block; parameters' values are set."""
    measured = np.array([f.value for f in figures])
    counts = {}
    for f in figures:
        counts[f.weight_class] = counts.get(f.weight_class, 0) + 1
    share = np.array([1.0 / counts[f.weight_class] for f in figures])
    blocks = components(parameters, figures)
    classes = colours(parameters, figures)

    def residuals(values, which=None):
        which = list(range(len(figures))) if which is None else which
        got = np.array(simulate({path: (v, p.unit) for p, v in zip(parameters, values) for path in p.paths},
                                [figures[k] for k in which]))
        result = np.zeros(len(figures))
        result[which] = (got - measured[which]) / measured[which]
        return result

    begin = np.array([p.begin for p in parameters], float)
    scale = np.array([max(abs(p.begin), p.step) for p in parameters])

    def pull(members, touched, values):
        """Keeps a parameter at its initial value if no figure determines it."""
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
    return block_loss


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
        if any(not (by_row and r["dtype"] in INTEGERS) for r in mine):
            add(f"{RATE}{op}.start", 24, 2, lambda r, op=op, by_row=by_row: r["instruction"] == op and
                not (by_row and r["dtype"] in INTEGERS))
        if by_row and any(r["dtype"] in INTEGERS for r in mine):
            add(f"{RATE}{op}.integer_start", 10, 2,
                lambda r, op=op: r["instruction"] == op and r["dtype"] in INTEGERS)
        for width in ("b16", "b32"):
            if (op, width) in OFFICIAL and any(is_wide(r) == (width == "b32") for r in mine):
                add(f"{RATE}{op}.{width}", OFFICIAL[op, width], 0.1,
                    lambda r, op=op, w=width: r["instruction"] == op and is_wide(r) == (w == "b32"), 0.5)
    add("aiv.vector.read_conflict", 1, 0.1,
        lambda r: r["instruction"] in TWO_SOURCES and r["layout"] not in NO_READ_CONFLICT)
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


def vector_computed(figures):
    """Parameters that single figures of the vector unit determine."""
    def single(path, repeats, how):
        mine = [f for f in figures if f.key == free_parameters.SINGLE[path]]
        return Computed(path, mine, lambda cycles: cycles - repeats, how)

    return [single("aiv.vector.overhead", 64, "{} cycles of which 64 repeats are 64"),
            single("aiv.vector.latency", 64, "{} cycles of which 32 repeats with conflicts are 64")]


def vector_copied(free):
    """Instructions of which a fit sees no figure, and which are made like others."""
    def integers(path):
        of = [f"{RATE}{op}.integer_start" for op in ("TADDS", "TMULS", "TMINS")]
        return Copied(path, of, "the mean of TADDS, TMULS and TMINS", lambda *starts: sum(starts) / 3)

    copied = [integers(f"{RATE}TMAXS.integer_start"), integers(f"{RATE}TSUBS.integer_start"),
              Copied(f"{RATE}TROWMIN.start", [f"{RATE}TROWMAX.start"], "as TROWMAX"),
              Copied(f"{RATE}TCOLMIN.start", [f"{RATE}TCOLMAX.start"], "as TCOLMAX"),
              Copied(f"{RATE}TCOLMIN.dependent", [f"{RATE}TCOLMAX.dependent"], "as TCOLMAX")]
    copied += [Copied(f"{RATE}TRECIP.{key}", [f"{RATE}TDIVS.{key}"], "as TDIVS, of which it is made")
               for key in ("b16", "b32", "start")]
    copied += [Copied(f"{RATE}TLOG.{key}", [f"{RATE}TEXP.{key}"], "as TEXP") for key in ("b16", "b32", "start")]
    taken = {path for p in free for path in p.paths}
    return [p for p in copied if p.path not in taken]


def free_vector_a2a3(figures):
    free = vector_a2a3(figures)
    return free + vector_computed(figures) + vector_copied(free)


def fit_vector_a2a3(ptosim, name, fitted):
    base = model_of(name)
    for f in fitted:
        f.weight_class = (f.group, f.row["instruction"])
    parameters = vector_a2a3(fitted)
    computed = vector_computed(fitted)
    fixed = values_of(computed)
    with tempfile.TemporaryDirectory() as folder:
        def simulate(values, chosen):
            chip = changed_chip(folder, base, {**fixed, **values})
            answer = fig.vector_cycles(ptosim, chip, [f.row for f in chosen])
            os.unlink(chip)
            return answer
        fit(parameters, fitted, simulate)
    values = values_of(parameters)
    return parameters + computed + [p.settle(values) for p in vector_copied(parameters)]


# ---- vector functions of a5 -----------------------------------------------------------------------

BITS = {"f32": 32, "i32": 32, "f16": 16, "bf16": 16, "i16": 16, "i8": 8, "f8e4m3": 8, "f8e5m2": 8,
        "hif8": 8, "f4e1m2": 4, "f4e2m1": 4}


def variant(row):
    """The name of the curve that the instruction takes (sim/machine/model/vector_variant.cpp)."""
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


def curve_parameters(curve, begin_nested, short):
    """Free parameters of a curve, and the number of cycles by which a further row is short, which is tried and not
    fitted."""
    slow = "precise" in curve

    def free(key, begin, step, least, unit="cycles"):
        p = Parameter(f"{curve}.{key}", begin, lambda f: curve_of(f.row) == curve, step, least, unit=unit)
        p.grade = "vendor simulator"
        return p

    return [free("start", 55, 4, 1), free("pass", 300 if slow else 1.5, 0.3, 0.1), free("gap", 5, 1, 0),
            free("nested", 300 if slow else begin_nested, 0.3, 0)], free("short_row", short, 1, 0, "")


def curves_copied():
    copied = [Copied(f"aiv.vector.curve.{kind}.{key}", [f"aiv.vector.curve.{like}.{key}"], f"as {like}",
                     unit="" if key == "short_row" else "cycles")
              for kind, like in (("unary", "TNEG.b32"), ("binary", "TADD.b32"))
              for key in ("start", "pass", "gap", "nested", "short_row")]
    for p in copied:
        p.grade = "vendor simulator"
    return copied


def fit_vector_a5(ptosim, name, fitted):
    base = model_of(name)
    for f in fitted:
        f.weight_class = f.group
    curves = sorted({curve_of(f.row) for f in fitted})
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for short, begin_nested in ((0, 2), (0, 40), (2, 2), (2, 40)):
            of_curve = {curve: curve_parameters(curve, begin_nested, short) for curve in curves}
            parameters = [p for curve in curves for p in of_curve[curve][0]]
            fixed = values_of([of_curve[curve][1] for curve in curves])

            def simulate(values, chosen, fixed=fixed):
                chip = changed_chip(folder, base, {**fixed, **values})
                answer = fig.vector_cycles(ptosim, chip, [f.row for f in chosen])
                os.unlink(chip)
                return answer

            losses = fit(parameters, fitted, simulate, 25)
            for curve in curves:
                loss = losses[f"{curve}.start"]
                if curve not in best or loss < best[curve][0] - 1e-6:
                    best[curve] = (loss, [*of_curve[curve][0], of_curve[curve][1]])
    chosen = [p for curve in curves for p in best[curve][1]]
    values = values_of(chosen)
    return chosen + [p.settle(values) for p in curves_copied()]


# ---- matrices, transfers and memory ---------------------------------------------------------------

def runs_kernels(ptosim, chip, figures):
    """Simulated values of figures of kernels; kernels run in parallel, each once."""
    names = list(dict.fromkeys(f.row["kernel"] for f in figures))
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        answers = dict(zip(names, workers.map(lambda name: fig.simulate_kernel(ptosim, chip, name), names)))
    return [answers[f.row["kernel"]][f.row["metric"]] for f in figures]


def memory_stages(model):
    return [[Parameter(free.paths, free.begin[model], free.affects, free.step, free.least, unit=free.unit)
             for free in members] for _, members in free_parameters.of_chip(model)]


def memory_computed(figures):
    return [Computed(c.paths, [f for f in figures if c.affects(f)], c.formula, c.how, c.unit)
            for c in free_parameters.COMPUTED]


def fit_memory(ptosim, name, fitted):
    base = model_of(name)
    for f in fitted:
        f.weight_class = (f.group, f.row["metric"])
    stages = memory_stages(FITS[name].model)
    done = memory_computed(fitted)
    values = values_of(done + [p for stage in stages for p in stage])
    with tempfile.TemporaryDirectory() as folder:
        for parameters in stages:
            def simulate(changed, chosen):
                chip = changed_chip(folder, base, {**values, **changed})
                answer = runs_kernels(ptosim, chip, chosen)
                os.unlink(chip)
                return answer

            fit(parameters, [f for f in fitted if any(p.affects(f) for p in parameters)], simulate, 6)
            values.update(values_of(parameters))
            done += parameters
    return done


# ---- what comes out -------------------------------------------------------------------------------

class Fit:
    """A fit: the chip file that it writes, the test for its figures, the free parameters given these figures, and the
    function that fits them."""

    def __init__(self, model, is_mine, free, run):
        self.model, self.is_mine, self.free, self.run = model, is_mine, free, run


def of_instructions(is_a5):
    return lambda f: "instruction" in f.row and (f.group == "a5 vector") == is_a5


def of_kernels(model):
    return lambda f: f.row.get("chip") == model


def free_memory(model):
    return lambda figures: [p for stage in memory_stages(model) for p in stage] + memory_computed(figures)


# In this order: the kernels of a memory fit need the vector unit of the same chip.
FITS = {
    "vector_a2a3": Fit(fig.A2A3, of_instructions(False), free_vector_a2a3, fit_vector_a2a3),
    "memory_a2a3": Fit(fig.A2A3, of_kernels(fig.A2A3), free_memory(fig.A2A3), fit_memory),
    "vector_a5": Fit(fig.A5, of_instructions(True), lambda figures: [
        p for curve in sorted({curve_of(f.row) for f in figures}) for members, short in [curve_parameters(curve, 2, 0)]
        for p in [*members, short]] + curves_copied(), fit_vector_a5),
    "memory_a5": Fit(fig.A5, of_kernels(fig.A5), free_memory(fig.A5), fit_memory),
}


def model_of(name):
    return os.path.join(fig.ROOT, "models", FITS[name].model + ".json")


def seen_by(name, figures):
    """The figures of a fit's kind that are not held out."""
    return [f for f in figures if FITS[name].is_mine(f) and not f.held_out]


def seen(figures):
    """The figures that a fit sees: not held out, and touched by something that is free."""
    found = set()
    for name in FITS:
        mine = seen_by(name, figures)
        free = FITS[name].free(mine)
        found |= {id(f) for f in mine if any(p.affects(f) for p in free)}
    return [f for f in figures if id(f) in found]


def sources(model, figures):
    """path -> source of the number there, for a chip file; figures: all, with their simulated values."""
    said = {}
    for name, one in FITS.items():
        if one.model == model:
            mine = seen_by(name, figures)
            said.update({path: p.source(mine) for p in one.free(mine) for path in p.paths})
    return said


def stated(model):
    """path -> source in the chip file, of the numbers whose source is this script."""
    chip = chipfile.load(os.path.join(fig.ROOT, "models", model + ".json"))
    return {path: number["source"] for path, number in chipfile.numbers(chip).items()
            if number["source"].startswith(OURS)}


def simulate_all(ptosim, chip, figures):
    """Sets the simulated values of figures, of instructions or of kernels."""
    values = fig.vector_cycles(ptosim, chip, [f.row for f in figures]) if "instruction" in figures[0].row \
        else runs_kernels(ptosim, chip, figures)
    for f, value in zip(figures, values):
        f.simulated = value


def report(title, figures, used):
    print(title)
    groups = {}
    for f in figures:
        groups.setdefault((f.group, "fitted" if used(f) else "not fitted"), []).append(abs(f.error))
    for (group, kind), errors in sorted(groups.items()):
        print(f"  {group:26} {kind:10} {len(errors):4} figures  mean {np.mean(errors):5.1f} %  worst {max(errors):6.1f} %")


def put_all(chip, parameters, figures):
    """Puts numbers into a chip, each with its source; figures: the figures that were not held out, with their simulated
    values."""
    for p in parameters:
        for path in p.paths:
            chipfile.put(chip, path, p.value, p.unit, p.grade, p.source(figures))


def same(old, new):
    """True if numbers agree to the printed digits: other libraries of algebra round differently."""
    if isinstance(old, float) and isinstance(new, (int, float)):
        return math.isclose(old, new, rel_tol=1e-3, abs_tol=2e-3)
    return old == new


def differences(old, new, path=""):
    """Differences of two trees of JSON, as lines."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in list(old) + [k for k in new if k not in old]:
            yield from differences(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    elif not same(old, new):
        yield f"{path}: {old} in the file, {new} comes out"


def calibrate(ptosim, names, check):
    """Runs fits; writes what comes out, or returns how the files differ from it."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            begin = time.time()
            path = model_of(name)
            before = chipfile.load(path)
            figures = [f for f in fig.all_figures() if FITS[name].is_mine(f)]
            fitted = seen_by(name, figures)
            parameters = FITS[name].run(ptosim, name, fitted)
            after = copy.deepcopy(before)
            simulate_all(ptosim, changed_chip(folder, path, values_of(parameters)), figures)
            put_all(after, parameters, fitted)
            report(f"{name}: {len(values_of(parameters))} numbers in {time.time() - begin:.0f} s", figures,
                   lambda f: not f.held_out and any(p.affects(f) for p in parameters))
            wrong += [f"{FITS[name].model}: {line}" for line in differences(before, after)]
            if not check:
                chipfile.save(path, after)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", default=os.path.join(fig.ROOT, "build", "ptosim"))
    parser.add_argument("--only", default=",".join(FITS), help="which fits, separated by commas")
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    arguments = parser.parse_args()
    names = arguments.only.split(",")
    for name in names:
        if name not in FITS:
            parser.error(f"no fit '{name}'; there are {', '.join(FITS)}")
    wrong = calibrate(os.path.abspath(arguments.ptosim), names, arguments.check)
    for line in wrong:
        print(line)
    return 1 if arguments.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
