#!/usr/bin/python3
"""Breaks kernels in a branch that their run does not take, and asks whether `ptosim check` sees it.

    path_mutants.py --ptosim BIN --data DIR [--seed N] [--mutants N] [--right N] [--results FILE] [--minutes N]
                    [--table FILE]

The kernels are from tests/kernels, and the repaired ones of reports/ and samples/. A mutant has an
arm more, whose condition does not hold with the arguments that it is run with:

    remove, id, swap, early, late   as in mutation.py, in that arm alone
    pipe                            a flag or barrier has another pipe
    weaken                          a barrier of all pipes is one of a single pipe
    overlap                         a tile has the address of another one

The condition follows from an argument, arithmetic on one, two of them, the block index, a loaded
number (compared at once, by way of another branch, or added up in a loop) or a float; or a loop around
the operation makes no iteration. A mutant counts if `ptosim
check --paths 0` finds something with arguments that lead there: then it is one, and `ptosim check` with
the others must find it. Of a right kernel, made in the same way with the operation in both arms, or
with flags under equal conditions, it must find nothing.

--results keeps the outcomes, so that a further call goes on; --minutes ends after that time. Exit code
1 if more than 5 % are missed, or more than one right kernel of a hundred has a finding.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "kernels")
sys.path.insert(0, HERE)
sys.path.insert(0, KERNELS)
sys.dont_write_bytecode = True

import kernels_test  # noqa: E402
import mutate  # noqa: E402
import mutation  # noqa: E402
import run_cases  # noqa: E402

MUTATIONS = ("remove", "id", "swap", "early", "late", "pipe", "weaken", "overlap")
# Text that computes %pg_c and, by the same operations, %pg_d; the values of %pg_n, %pg_m, %pg_f and of
# the number in memory with which they do not hold, and with which they do.
CONDITIONS = {
    "argument": ["%pg_{c} = arith.cmpi sgt, %pg_n, %pg_0 : i32", (0, 0, 0.0, 0), (1, 0, 0.0, 0)],
    "product": ["%pg_{c}1 = arith.muli %pg_n, %pg_3 : i32\n%pg_{c}2 = arith.addi %pg_{c}1, %pg_7 : i32\n"
                "%pg_{c} = arith.cmpi eq, %pg_{c}2, %pg_52 : i32", (0, 0, 0.0, 0), (15, 0, 0.0, 0)],
    "remainder": ["%pg_{c}1 = arith.remsi %pg_n, %pg_52 : i32\n%pg_{c} = arith.cmpi eq, %pg_{c}1, %pg_7 : i32",
                  (3, 0, 0.0, 0), (7, 0, 0.0, 0)],
    "quotient": ["%pg_{c}1 = arith.divsi %pg_n, %pg_7 : i32\n%pg_{c} = arith.cmpi sge, %pg_{c}1, %pg_52 : i32",
                 (9, 0, 0.0, 0), (364, 0, 0.0, 0)],
    "select": ["%pg_{c}1 = arith.cmpi slt, %pg_n, %pg_0 : i32\n"
               "%pg_{c}2 = arith.select %pg_{c}1, %pg_7, %pg_0 : i32\n"
               "%pg_{c} = arith.cmpi eq, %pg_{c}2, %pg_7 : i32", (0, 0, 0.0, 0), (-1, 0, 0.0, 0)],
    "two": ["%pg_{c}1 = arith.cmpi eq, %pg_n, %pg_3 : i32\n%pg_{c}2 = arith.cmpi sge, %pg_m, %pg_7 : i32\n"
            "%pg_{c} = arith.andi %pg_{c}1, %pg_{c}2 : i1", (0, 0, 0.0, 0), (3, 7, 0.0, 0)],
    "block": ["%pg_{c}1 = pto.get_block_idx\n%pg_{c}2 = arith.trunci %pg_{c}1 : i64 to i32\n"
              "%pg_{c} = arith.cmpi eq, %pg_{c}2, %pg_n : i32", (-1, 0, 0.0, 0), (0, 0, 0.0, 0)],
    "load": ["%pg_{c} = arith.cmpi sgt, %pg_v, %pg_3 : i32", (0, 0, 0.0, 0), (0, 0, 0.0, 9)],
    "merged": ["%pg_{c}1 = arith.cmpi sgt, %pg_v, %pg_3 : i32\n%pg_{c} = scf.if %pg_{c}1 -> (i1) {\n"
               "%pg_{c}2 = arith.cmpi eq, %pg_0, %pg_0 : i32\nscf.yield %pg_{c}2 : i1\n} else {\n"
               "%pg_{c}2 = arith.cmpi ne, %pg_0, %pg_0 : i32\nscf.yield %pg_{c}2 : i1\n}",
               (0, 0, 0.0, 0), (0, 0, 0.0, 9)],
    "carried": ["%pg_{c}1 = scf.for %pg_{c}i = %pg_i0 to %pg_i3 step %pg_i1 iter_args(%pg_{c}2 = %pg_0) -> (i32) {\n"
                "%pg_{c}3 = arith.addi %pg_{c}2, %pg_v : i32\nscf.yield %pg_{c}3 : i32\n}\n"
                "%pg_{c} = arith.cmpi sgt, %pg_{c}1, %pg_7 : i32", (0, 0, 0.0, 0), (0, 0, 0.0, 9)],
    "float": ["%pg_{c} = arith.cmpf ogt, %pg_f, %pg_half : f32", (0, 0, 0.0, 0), (0, 0, 1.0, 0)],
    "loop": ["", (1, 0, 0.0, 0), (0, 0, 0.0, 0)],
}
CONSTANTS = """%pg_0 = arith.constant 0 : i32
%pg_3 = arith.constant 3 : i32
%pg_7 = arith.constant 7 : i32
%pg_52 = arith.constant 52 : i32
%pg_half = arith.constant 0.5 : f32
%pg_i0 = arith.constant 0 : index
%pg_i1 = arith.constant 1 : index
%pg_i3 = arith.constant 3 : index
%pg_turns = arith.index_cast %pg_n : i32 to index"""
LOAD = "%pg_v = pto.load_scalar %pg_p[%pg_i0] : !pto.ptr<i32> -> i32"
PARAMETERS = "%pg_n: i32, %pg_m: i32, %pg_f: f32, %pg_p: !pto.ptr<i32>"
CHIP_PIPES = (("MTE2", "MTE1", "M", "FIX"), ("MTE2", "V", "MTE3"))


class Kernel:
    def __init__(self, name, text, line):
        self.name, self.line = name, line
        self.lines = text.splitlines()
        begin = text.index("func.func @")
        depth, at = 0, text.index("(", begin)
        while True:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            if depth == 0:
                break
            at += 1
        self.parameter_line = text[:at].count("\n")
        self.parameter_column = at - (text[:at].rfind("\n") + 1)
        # The body begins after the brace that ends a line.
        self.body_line = next(i for i in range(self.parameter_line, len(self.lines))
                              if self.lines[i].rstrip().endswith("{"))

    def pipes(self):
        text = "\n".join(self.lines)
        return CHIP_PIPES[0] if "PIPE_M>" in text or "PIPE_MTE1>" in text else CHIP_PIPES[1]

    def with_condition(self, lines, kind):
        """The kernel with other lines after its own, parameters of the condition, and what computes it."""
        lines = list(lines)
        line = lines[self.parameter_line]
        empty = line[:self.parameter_column].rstrip().endswith("(")
        lines[self.parameter_line] = (line[:self.parameter_column] + ("" if empty else ", ") + PARAMETERS +
                                      line[self.parameter_column:])
        text = CONDITIONS[kind][0]
        lines.insert(self.body_line + 1, "\n".join(
            [CONSTANTS] + ([LOAD] if "%pg_v" in text else []) +
            ([text.replace("{c}", name) for name in "cd"] if text else [])))
        return "\n".join(lines) + "\n"


def arguments(kind, taken, folder):
    n, m, f, v = CONDITIONS[kind][2 if taken else 1]
    path = os.path.join(folder, "number.npy")
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (16,), }".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() +
                   v.to_bytes(4, "little") * 16)
    return ["--arg", f"i32={n}", "--arg", f"i32={m}", "--arg", f"f32={f}", "--arg", f"in={path}"]


def kernels(data):
    """Kernels with flags that give no finding, and how they are run."""
    found = []
    with open(os.path.join(data, "cases.json")) as file:
        for case in json.load(file)["cases"]:
            with open(os.path.join(KERNELS, case["kernel"])) as kernel:
                found.append((case["name"], kernel.read(), mutation.without_goldens(case)))
    for room in ("reports", "samples"):
        for name in sorted(os.listdir(os.path.join(HERE, room))):
            with open(os.path.join(HERE, room, name)) as file:
                text = file.read()
            found.append((name.removesuffix(".pto"), kernels_test.repaired(text),
                          [*kernels_test.header(text, "run").split(), "--sync", "explicit"]))
    return [Kernel(*one) for one in found
            if one[1].count("func.func @") == 1 and mutate.flag_operations(one[1].splitlines())]


# ---- one change -----------------------------------------------------------------------------------


def operation(lines, i):
    return re.sub(r"\s*//.*", "", lines[i])


def arm(text, otherwise):
    return ["scf.if %pg_c {", *text, "} else {", *otherwise, "}"]


def other_pipe(line, pipes, rng):
    names = mutation.PIPES.findall(line)
    if not names or "sync." in line:
        return None
    which = rng.randrange(len(names))
    choices = [p for p in pipes if p not in names]
    if not choices:
        return None
    new = rng.choice(choices)
    parts = re.split(r"(<PIPE_\w+>)", line)
    parts[2 * which + 1] = f"<PIPE_{new}>"
    return "".join(parts)


def overlapping(kernel, rng):
    """A tile of UB at the address of another one."""
    text = "\n".join(kernel.lines)
    used = re.findall(r"alloc_tile addr = (%\w+)\s*:", text)
    constants = {name: i for i, line in enumerate(kernel.lines) for name in used
                 if re.match(rf"\s*{re.escape(name)} = arith.constant \d+ : i64\s*$", line)}
    if len(constants) < 2:
        return None
    name, other = rng.sample(sorted(constants), 2)
    i = constants[name]
    value = kernel.lines[constants[other]].split("=")[1].strip()
    own = kernel.lines[i].split("=")[1].strip()
    return kernel.lines[:i] + [f"{name} = scf.if %pg_c -> (i64) {{", f"%pg_o = {value}", "scf.yield %pg_o : i64",
                               "} else {", f"%pg_o = {own}", "scf.yield %pg_o : i64", "}"] + kernel.lines[i + 1:]


def change(kernel, kind, rng):
    """Lines of the kernel with a mutation of that kind under %pg_c, or None."""
    lines = kernel.lines
    if kind == "overlap":
        return overlapping(kernel, rng)
    operations = mutate.flag_operations(lines)
    i = rng.choice(operations)
    own = operation(lines, i)
    if kind == "remove":
        return lines[:i] + arm([], [own]) + lines[i + 1:]
    if kind == "id":
        new = mutation.other_id(own)
        head = ["%other_id = arith.constant 7 : index"] if new and "%other_id" in new else []
        return new and lines[:i] + arm([*head, new], [own]) + lines[i + 1:]
    if kind == "swap":
        new = mutation.swapped_ids(lines, operations, i)
        return lines[:i] + arm([operation([rng.choice(new)], 0)], [own]) + lines[i + 1:] if new else None
    if kind == "pipe":
        new = other_pipe(own, kernel.pipes(), rng) if "barrier" not in own else None
        return new and lines[:i] + arm([new], [own]) + lines[i + 1:]
    if kind == "weaken":
        if "barrier" not in own:
            return None
        new = other_pipe(own, kernel.pipes(), rng)
        return new and lines[:i] + arm([new], [own]) + lines[i + 1:]
    pipes, sets = mutation.PIPES.findall(own), "set" in own.split("[")[0]
    if not pipes or "barrier" in own or sets != (kind == "early"):
        return None
    j = mutation.neighbour(lines, i, -1 if sets else 1, pipes[0] if sets else pipes[-1])
    if j is None:
        return None
    here, there = arm([], [own]), ["scf.if %pg_c {", own, "}"]
    return (lines[:j] + there + lines[j:i] + here + lines[i + 1:] if sets else
            lines[:i] + here + lines[i + 1:j + 1] + there + lines[j + 1:])


def make(kernels_, seed):
    """Text of a mutant, its kind and that of its condition, and its kernel."""
    rng = random.Random(seed)
    while True:
        kernel, kind, condition = rng.choice(kernels_), rng.choice(MUTATIONS), rng.choice(sorted(CONDITIONS))
        if condition == "loop":
            kind = "remove"
            i = rng.choice(mutate.flag_operations(kernel.lines))
            lines = (kernel.lines[:i] + ["scf.for %pg_turn = %pg_i0 to %pg_turns step %pg_i1 {",
                                         operation(kernel.lines, i), "}"] + kernel.lines[i + 1:])
        else:
            lines = change(kernel, kind, rng)
        if lines:
            return kernel, kind, condition, kernel.with_condition(lines, condition)


def make_right(kernels_, seed):
    """Makes a variant of a kernel that stays right."""
    rng = random.Random(f"right {seed}")
    kernel = rng.choice(kernels_)
    condition = rng.choice(sorted(set(CONDITIONS) - {"loop"}))
    lines = list(kernel.lines)
    kind = rng.choice(("both arms", "equal conditions", "loop"))
    if kind == "both arms":
        i = rng.choice(mutate.flag_operations(lines))
        lines[i:i + 1] = arm([operation(lines, i)], [operation(lines, i)])
    else:
        flag = ("MTE2", "MTE1" if "MTE1" in kernel.pipes() else "V")
        text = "pto.{}_flag[<PIPE_%s>, <PIPE_%s>, <EVENT_ID7>]" % flag
        back = "pto.{}_flag[<PIPE_%s>, <PIPE_%s>, <EVENT_ID7>]" % flag[::-1]
        if kind == "loop":
            new = ["scf.for %pg_turn = %pg_i0 to %pg_turns step %pg_i1 {", text.format("set"), text.format("wait"),
                   back.format("set"), back.format("wait"), "}"]
        else:
            new = ["scf.if %pg_c {", text.format("set"), "}", "scf.if %pg_d {", text.format("wait"), "}"]
        lines[kernel.body_line + 1:kernel.body_line + 1] = new
    return kernel, kind, condition, kernel.with_condition(lines, condition)


# ---- runs -----------------------------------------------------------------------------------------


def check(options, kernel, condition, text, taken):
    """Exit code and findings."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.pto")
        with open(path, "w") as file:
            file.write(text)
        extra = arguments(condition, taken, folder) + (["--paths", "0"] if taken else [])
        code, result, errors, seconds = run_cases.execute(options.ptosim, "check", [path, *kernel.line], options.data,
                                                          extra)
    return code, [d["code"] + " " + d["message"] for d in result.get("diagnostics", [])], errors, seconds


def judge(options, kernels_, seed, right):
    kernel, kind, condition, text = (make_right if right else make)(kernels_, seed)
    code, direct, errors, _ = check(options, kernel, condition, text, True)
    outcome = {"seed": seed, "right": right, "kernel": kernel.name, "kind": kind, "condition": condition}
    if code != (0 if right else 1):
        return {**outcome, "counts": False, "why": (direct or errors.splitlines() or [""])[0][:200]}
    code, found, errors, seconds = check(options, kernel, condition, text, False)
    outcome.update(counts=code in (0, 1), found=sorted({f.split()[0] for f in found}), seconds=round(seconds, 2),
                   direct=sorted({f.split()[0] for f in direct}))
    if code not in (0, 1):
        outcome["why"] = errors[:200]
    if bool(found) == right:
        outcome["text"] = found[:1] if right else direct[:1]
    return outcome


def report(outcomes):
    """The table, the missed mutants and the false findings."""
    mutants = [o for o in outcomes if o["counts"] and not o["right"]]
    right = [o for o in outcomes if o["counts"] and o["right"]]
    conditions = list(CONDITIONS)
    text = "| mutation | " + " | ".join(conditions) + " | all | caught | missed |\n" + "|---" * (len(conditions) + 4) + "|\n"
    for kind in (*MUTATIONS, "**all**"):
        rows = [o for o in mutants if kind in (o["kind"], "**all**")]
        cells = []
        for condition in conditions:
            some = [o for o in rows if o["condition"] == condition]
            cells.append(f"{sum(bool(o['found']) for o in some)} of {len(some)}" if some else "")
        caught = sum(bool(o["found"]) for o in rows)
        text += f"| {kind} | " + " | ".join([*cells, str(len(rows)), str(caught), str(len(rows) - caught)]) + " |\n"
    text += "\n| right kernels | number | with a finding |\n|---|---|---|\n"
    for kind in sorted({o["kind"] for o in right}) + ["**all**"]:
        rows = [o for o in right if kind in (o["kind"], "**all**")]
        text += f"| {kind} | {len(rows)} | {sum(bool(o['found']) for o in rows)} |\n"
    wrong = [o for o in mutants if not o["found"]] + [o for o in right if o["found"]]
    return text, mutants, right, wrong


def plain_right(options, kernels_):
    """The kernels themselves, as they are run by default."""
    def one(kernel):
        code, result, _, seconds = run_cases.execute(
            options.ptosim, "check", [kernel.path, *kernel.line], options.data, [])
        return {"seed": kernel.name, "right": True, "kernel": kernel.name, "kind": "as they are", "condition": "none",
                "counts": True, "found": sorted({d["code"] for d in result.get("diagnostics", [])}), "seconds": seconds}

    with tempfile.TemporaryDirectory() as folder:
        for kernel in kernels_:
            kernel.path = os.path.join(folder, kernel.name + ".pto")
            with open(kernel.path, "w") as file:
                file.write("\n".join(kernel.lines) + "\n")
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            return list(pool.map(one, kernels_))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True, help="the program")
    parser.add_argument("--data", required=True, help="where goldens.py has written")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutants", type=int, default=200, help="that count")
    parser.add_argument("--right", type=int, default=200, help="kernels that are right, the plain ones among them")
    parser.add_argument("--results", help="outcomes of earlier calls, and of this one: JSON lines")
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", help="write the table here")
    options = parser.parse_args()
    options.ptosim = os.path.abspath(options.ptosim)
    end = time.monotonic() + 60 * options.minutes
    all_kernels = kernels(options.data)
    outcomes = []
    if options.results and os.path.exists(options.results):
        with open(options.results) as file:
            outcomes = [json.loads(line) for line in file]
    done = {(o["seed"], o["right"]) for o in outcomes}

    def keep(outcome):
        outcomes.append(outcome)
        if options.results:
            with open(options.results, "a") as file:
                file.write(json.dumps(outcome) + "\n")

    if not any(o["kind"] == "as they are" for o in outcomes):
        for outcome in plain_right(options, all_kernels):
            keep(outcome)
    for right, wanted in ((False, options.mutants), (True, options.right)):
        seed = options.seed
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            while time.monotonic() < end:
                missing = wanted - sum(o["counts"] and o["right"] == right for o in outcomes)
                if missing <= 0:
                    break
                batch = []
                while len(batch) < min(missing, 4 * options.jobs):
                    if (seed, right) not in done:
                        batch.append(seed)
                    seed += 1
                for outcome in pool.map(lambda s, r=right: judge(options, all_kernels, s, r), batch):
                    keep(outcome)
    text, mutants, right, wrong = report(outcomes)
    print(text)
    for o in wrong:
        print(("missed: " if not o["right"] else "false: ") + f"seed {o['seed']}: {o['kernel']}, {o['kind']}, "
              f"{o['condition']}: {o.get('text') or o['found']}")
    dropped = collections.Counter((o["right"], o.get("why", "")[:60]) for o in outcomes if not o["counts"])
    print(f"{len(mutants)} mutants, {len(right)} right kernels; {sum(dropped.values())} tries did not count")
    if options.table:
        with open(options.table, "w") as file:
            file.write(text)
    missed = [o for o in wrong if not o["right"]]
    bad = 20 * len(missed) > len(mutants) or 100 * (len(wrong) - len(missed)) > max(100, len(right))
    sys.exit(1 if bad or len(mutants) < options.mutants or len(right) < options.right else 0)


if __name__ == "__main__":
    main()
