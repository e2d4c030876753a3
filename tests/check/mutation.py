#!/usr/bin/python3
"""Breaks the synchronisation of kernels in every single place, and asks whether `ptosim check` sees it.

    mutation.py --ptosim BIN --data DIR [--table FILE] [--every N] [CASE...]
    mutation.py --ptosim BIN --parametric [CASE...]             kernels of tests/kernels/parametric
    mutation.py --ptosim BIN --kernel K.pto [-- OPTION...]      your own kernel, with ptosim's options
    mutation.py ... --fix                                       also repair each by `ptosim check --fix`

Each mutant differs from its kernel in one operation:

    remove   a set_flag, wait_flag, barrier, or a signal or wait between cores is left out
    id       its event id is another one, which nobody uses
    swap     its event id is that of another operation of the same kind and pipes
    early    a set comes before the instruction whose completion it announces
    late     a wait comes after the instruction that it guards
    fifo     a push or a free is left out; one end of a FIFO has half the slots, or slots of half the
             size

A mutant is reported if ptosim ends with a finding (exit code 1, or 2 if it is one of an instruction
that never runs); no golden is compared.
One that is not reported must be in equivalents.json, with the reason why it behaves like its kernel. The
kernels themselves must give no finding. Exit code 0 if all that holds. --every N takes each Nth
mutant only; --table writes a table of all mutants.

Of those that are reported, the first finding counts as being at the mutated place (first_finding.py).
With --fix the repaired kernel is run against its goldens: it is right, or wrong although the message
says that it was checked, or not repaired.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "kernels")
sys.path.insert(0, KERNELS)
sys.path.insert(0, os.path.join(KERNELS, "parametric"))
sys.dont_write_bytecode = True

import first_finding  # noqa: E402
import mutate  # noqa: E402
import run_cases  # noqa: E402

TILE_OPERATION = re.compile(r"^\s*pto\.(t\w+|mgather|mscatter|store_scalar|load_scalar)\b")
PIPES = re.compile(r"<PIPE_(\w+)>")
KINDS = ("remove", "id", "swap", "early", "late", "fifo")
FIFO_STEP = re.compile(r"^\s*pto\.(tpush|tfree)")
FIFO_BEGIN = re.compile(r"^\s*pto\.(aic|aiv)_initialize_pipe")


def pipe_of(line):
    """The pipe of a tile operation, as far as its text tells."""
    name = TILE_OPERATION.match(line).group(1)
    if name.startswith("tload"):
        return "MTE2"
    if name.startswith("tstore"):
        return "STORE"
    if name.startswith(("tmatmul", "tgemv")):
        return "M"
    return "V or MTE1"


def on_pipe(line, pipe):
    if not TILE_OPERATION.match(line):
        return False
    return pipe in {"STORE": ("MTE3", "FIX"), "V or MTE1": ("V", "MTE1", "FIX", "S")}.get(
        pipe_of(line), (pipe_of(line),))


def indent(line):
    return len(line) - len(line.lstrip())


def neighbour(lines, i, step, pipe):
    """The next line before or after line i, in its block, that is an operation of the pipe."""
    j = i + step
    while 0 <= j < len(lines) and (not lines[j].strip() or indent(lines[j]) >= indent(lines[i])):
        if indent(lines[j]) == indent(lines[i]) and on_pipe(lines[j], pipe):
            return j
        j += step
    return None


def moved(lines, i, j):
    rest = lines[:i] + lines[i + 1:]
    return rest[:j] + [lines[i]] + rest[j:]


def other_id(line):
    """The line with another event id, or None."""
    static = re.search(r"<EVENT_ID(\d)>", line)
    if static:
        return line.replace(static.group(0), f"<EVENT_ID{(int(static.group(1)) + 1) % 8}>")
    dynamic = re.search(r"(_dyn\[<PIPE_\w+>, <PIPE_\w+>, )%\w+\]", line)
    if dynamic:
        return line.replace(dynamic.group(0), f"{dynamic.group(1)}%other_id]")
    signal = re.search(r"((?:sync\.(?:set|wait)|(?:set|wait)_intra_block) <PIPE_\w+>, )(\d+)", line)
    if signal:
        return line.replace(signal.group(0), f"{signal.group(1)}{(int(signal.group(2)) + 1) % 16}")
    return None


def swapped_ids(lines, operations, i):
    """The line with the ids of other operations of its kind and pipes."""
    def parts(line):
        found = re.match(r"\s*pto\.(\w+_flag)(?:_dyn)?\[(<PIPE_\w+>, <PIPE_\w+>), (.*?)\]", line)
        return found.groups() if found else None

    own = parts(lines[i])
    if own is None or not own[2].startswith("<"):
        return []
    ids = {parts(lines[j])[2] for j in operations if parts(lines[j]) and parts(lines[j])[:2] == own[:2]}
    return [lines[i].replace(own[2], other) for other in sorted(ids - {own[2]}) if other[0] == "<"]


def halved(line, attribute, default=None):
    found = re.search(rf"{attribute} = (\d+)", line)
    if found:
        return line.replace(found.group(0), f"{attribute} = {int(found.group(1)) // 2}")
    return line.replace("slot_size", f"{attribute} = {default // 2}, slot_size", 1)


def fifo_mutants(lines):
    seen = collections.Counter()
    for i, line in enumerate(lines):
        step, begin = FIFO_STEP.match(line), FIFO_BEGIN.match(line)
        if not step and not begin:
            continue
        text = (step or begin).group(1)
        seen[text] += 1
        name = text + (f"@{seen[text]}" if seen[text] > 1 else "")
        if step:
            yield f"fifo without {name}", i + 1, lines[:i] + [" " * indent(line) + "// removed"] + lines[i + 1:]
            continue
        for attribute, default in (("slot_num", 8), ("slot_size", None)):
            yield (f"fifo half {attribute} of {name}", i + 1,
                   lines[:i] + [halved(line, attribute, default)] + lines[i + 1:])


def mutants(source):
    """Yields (name, line number, text of the mutant)."""
    lines = source.splitlines()
    yield from fifo_mutants(lines)
    operations = mutate.flag_operations(lines)
    seen = collections.Counter()
    for i in operations:
        text = re.sub(r"\s+", " ", lines[i].strip().removeprefix("pto."))
        seen[text] += 1
        name = text + (f"@{seen[text]}" if seen[text] > 1 else "")
        yield f"remove {name}", i + 1, lines[:i] + [" " * indent(lines[i]) + "// removed"] + lines[i + 1:]
        changed = other_id(lines[i])
        if changed:
            new = lines[:i] + [changed] + lines[i + 1:]
            if "%other_id" in changed:
                new.insert(i, " " * indent(lines[i]) + "%other_id = arith.constant 7 : index")
            yield f"id {name}", i + 1, new
        for new in swapped_ids(lines, operations, i):
            event = re.search(r"EVENT_ID(\d)", new).group(1)
            yield f"swap {name} to {event}", i + 1, lines[:i] + [new] + lines[i + 1:]
        pipes = PIPES.findall(lines[i])
        if "set" in text.split()[0]:
            j = neighbour(lines, i, -1, pipes[0])
            if j is not None:
                yield f"early {name}", i + 1, moved(lines, i, j)
        elif "wait" in text.split()[0]:
            j = neighbour(lines, i, 1, pipes[-1])
            if j is not None:
                yield f"late {name}", i + 1, moved(lines, i, j)


def check(ptosim, line, data, text):
    """Exit code, the codes found and the first finding."""
    with tempfile.TemporaryDirectory() as folder:
        kernel = os.path.join(folder, "mutant.pto")
        with open(kernel, "w") as file:
            file.write("\n".join(text) + "\n")
        code, result, _, _ = run_cases.execute(ptosim, "check", [kernel, *line], data, [])
    found = result.get("diagnostics", [])
    codes = {one["code"] for d in found for one in [d, *d.get("explains", [])]}
    return code, sorted(codes), found[0] if found else None


def fix(ptosim, line, data, text, goldens):
    """What becomes of a mutant: right, wrong, or unrepaired."""
    with tempfile.TemporaryDirectory() as folder:
        kernel, fixed = (os.path.join(folder, name) for name in ("mutant.pto", "mutant.fixed.pto"))
        with open(kernel, "w") as file:
            file.write("\n".join(text) + "\n")
        try:
            subprocess.run([ptosim, "check", kernel, *line, "--fix"], cwd=data,
                           capture_output=True, timeout=600)
        except subprocess.TimeoutExpired:
            return "unrepaired"
        if not os.path.exists(fixed):
            return "unrepaired"
        code, _, _, _ = run_cases.execute(ptosim, "check", [fixed, *line, *goldens], data, [])
    return "right" if code == 0 else "wrong"


def without_goldens(case):
    line = run_cases.command_line({**case, "golden": []}, "")[1:]
    return [*line, "--sync", "explicit"]


def goldens_of(case):
    line = run_cases.command_line(case, "")
    return [word for at, word in enumerate(line) if "--golden" in line[max(0, at - 1):at + 1]]


def parametric_cases(names, data):
    """Name, text and options of the parametric kernels; they compute nothing (--mode timing)."""
    import parametric_test  # needs numpy, which your own kernels do not
    for name in names or parametric_test.CASES:
        folder = os.path.join(data, name)
        os.makedirs(folder, exist_ok=True)
        kernel, words = parametric_test.command_line(name, folder)
        line = []
        for key, value in zip(words[::2], words[1::2]):
            if key != "--golden":
                line += [key, value.replace("in=", f"in={name}/") if key == "--arg" else value]
        with open(kernel) as file:
            yield name, file.read(), [*line, "--sync", "explicit", "--mode", "timing"]


def run(options, name, source, line, goldens, equivalents, pool):
    """Prints and returns a row of the table: counts, and the mutants that went unnoticed."""
    code, found, _ = check(options.ptosim, line, options.data, source.splitlines())
    if code != 0:
        print(f"FAILED {name}: the kernel itself ends with {code}, found {found}")
        return {"name": name, "clean": False, "missed": [name],
                "counts": collections.Counter(), "codes": {}}
    work = [m for i, m in enumerate(mutants(source)) if i % options.every == 0]
    outcomes = list(pool.map(lambda m: check(options.ptosim, line, options.data, m[2]), work))
    counts, codes = collections.Counter(), collections.Counter()
    missed, known = [], []
    fixes = [None] * len(work)
    if options.fix:
        fixes = list(pool.map(
            lambda one: None if one[1][0] == 0 else
            fix(options.ptosim, line, options.data, one[0][2], goldens), zip(work, outcomes)))
    for (mutant, number, text), (code, found, first), fixed in zip(work, outcomes, fixes):
        kind = mutant.split()[0]
        counts[kind] += 1
        if code in (1, 2) and found:
            counts[kind, "reported"] += 1
            codes.update(found)
            there = first_finding.is_at(first, source.splitlines(), text, number)
            counts["first"] += there
            counts[fixed] += fixed is not None
            if options.verbose and not there:
                print(f"        elsewhere: line {number}: {mutant}: {first['code']} "
                      f"{first.get('location', {}).get('line')}: {first['message'][:150]}")
            if options.verbose and fixed not in (None, "right"):
                print(f"        {fixed}: line {number}: {mutant}: {first.get('hint')}")
        elif mutant in equivalents.get(name, {}):
            counts[kind, "equivalent"] += 1
            known.append(mutant)
        else:
            missed.append(f"line {number}: {mutant} (exit {code})")
    stale = [] if options.every > 1 else sorted(set(equivalents.get(name, {})) - set(known))
    total = sum(counts[kind] for kind in KINDS)
    print(f"{'FAILED' if missed or stale else 'ok':7}{name:24}{total:5} mutants, "
          f"{sum(counts[k, 'reported'] for k in KINDS):4} reported, {len(known):3} equivalent, "
          f"{len(missed):3} missed, {counts['first']:4} first at the place" +
          (f", {counts['right']} repaired, {counts['wrong']} wrong" if options.fix else ""),
          flush=True)
    for line in missed:
        print(f"        missed: {line}")
    for mutant in stale:
        print(f"        in equivalents.json, but reported or gone: {mutant}")
    return {"name": name, "clean": True, "missed": missed + stale, "counts": counts, "codes": codes}


def table(rows):
    text = "| case | " + " | ".join(KINDS) + " | reported | equivalent | missed | codes |\n"
    text += "|---" * (len(KINDS) + 5) + "|\n"
    totals = collections.Counter()
    for row in rows:
        counts = row["counts"]
        totals.update(counts)
        totals["missed"] += len(row["missed"])
        cells = [str(counts[k]) for k in KINDS]
        cells += [str(sum(counts[k, what] for k in KINDS)) for what in ("reported", "equivalent")]
        cells += [str(len(row["missed"])), " ".join(sorted(row["codes"]))]
        text += f"| {row['name']} | " + " | ".join(cells) + " |\n"
    cells = [str(totals[k]) for k in KINDS]
    cells += [str(sum(totals[k, what] for k in KINDS)) for what in ("reported", "equivalent")]
    return text + "| **all** | " + " | ".join([*cells, str(totals["missed"]), ""]) + " |\n"


def main():
    arguments, extra = sys.argv[1:], []
    if "--" in arguments:
        split = arguments.index("--")
        arguments, extra = arguments[:split], arguments[split + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True, help="the program")
    parser.add_argument("--data", default=".", help="where goldens.py has written")
    parser.add_argument("--kernel", help="another kernel; ptosim's options for it follow --")
    parser.add_argument("--parametric", action="store_true", help="the parametric kernels")
    parser.add_argument("--every", type=int, default=1, help="take each Nth mutant only")
    parser.add_argument("--fix", action="store_true", help="also repair each mutant")
    parser.add_argument("--verbose", action="store_true",
                        help="print first findings elsewhere and kernels that were not repaired")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", help="write a table of all mutants here")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args(arguments)
    options.ptosim = os.path.abspath(options.ptosim)

    with open(os.path.join(HERE, "equivalents.json")) as file:
        equivalents = json.load(file)["cases"]
    work = []
    if options.parametric:
        folder = tempfile.TemporaryDirectory()
        options.data = folder.name
        work = [(*one, []) for one in parametric_cases(options.cases, folder.name)]
    elif options.kernel:
        with open(options.kernel) as file:
            work.append((os.path.basename(options.kernel), file.read(), extra, []))
    else:
        with open(os.path.join(options.data, "cases.json")) as file:
            for case in json.load(file)["cases"]:
                if not options.cases or case["name"] in options.cases:
                    with open(os.path.join(KERNELS, case["kernel"])) as kernel:
                        work.append((case["name"], kernel.read(), without_goldens(case),
                                     goldens_of(case)))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = [run(options, *one, equivalents, pool) for one in work]
    if options.table:
        with open(options.table, "w") as file:
            file.write(table(rows))
    missed = sum(len(row["missed"]) for row in rows)
    print(f"{len(rows)} kernels, {missed} mutants missed")
    reported = sum(row["counts"][kind, "reported"] for row in rows for kind in KINDS)
    for what in ("first", *(("right", "wrong", "unrepaired") if options.fix else ())):
        count = sum(row["counts"][what] for row in rows)
        print(f"{what:11}{count:5} of {reported} ({100 * count / max(1, reported):.1f} %)")
    sys.exit(1 if missed or not rows else 0)


if __name__ == "__main__":
    main()
