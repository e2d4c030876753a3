#!/usr/bin/python3
"""Number of broken kernels that other timings alone find, without a checker and without a golden.

    schedules.py --ptosim BIN --data DIR [--schedules N] [--seed S] [--table FILE] [--every N] [CASE...]

The mutants are from mutation.py and are not equivalent to their kernels. Each is run by `ptosim run
--check none --schedules N`; it counts as found by the run itself if the machine stops it (a deadlock, an
illegal instruction), else by schedules if one of them has other bits or findings. For mutants with
a reported race (E30), the two places are compared with the races that `ptosim check` finds. The kernels
themselves have to give the same bits under each schedule. Exit code 0 if they do and at least
--least per cent of the mutants are found.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import mutation  # noqa: E402
import run_cases  # noqa: E402

RACES = ("E01", "E02", "E03", "E04", "G04")


def execute(options, command, line, text, extra):
    with tempfile.TemporaryDirectory() as folder:
        kernel = os.path.join(folder, "mutant.pto")
        with open(kernel, "w") as file:
            file.write("\n".join(text) + "\n")
        return run_cases.execute(options.ptosim, command, [kernel, *line], options.data, extra)


def places(finding):
    """The lines of the two accesses of a race."""
    sides = [finding.get("location", {})] + [r.get("location", {}) for r in finding.get("related", [])]
    return frozenset(side.get("line") for side in sides)


def outcome(options, line, text):
    extra = ["--check", "none", "--schedules", str(options.schedules), "--seed", str(options.seed)]
    code, result, errors, _ = execute(options, "run", line, text, extra)
    findings = result.get("diagnostics", [])
    codes = {d["code"] for d in findings}
    if code == 0:
        return "missed", codes, False
    if code not in (1, 2) or not findings:
        return "failed", {errors.strip()[-200:]}, False
    if result.get("schedules", {}).get("run", 0) == 0 or any(
            not any("not in the chip's own timing" in note or " of seed " in note
                    for note in d.get("notes", [])) for d in findings):
        return "run", codes, False
    told = [places(d) for d in findings if d["code"] == "E30" and d.get("related")]
    if not told:
        return "schedules", codes, False
    _, checked, _, _ = execute(options, "check", line, text, ["--schedules", "0"])
    races = {places(d) for d in checked.get("diagnostics", []) if d["code"] in RACES}
    return "schedules", codes, all(pair in races for pair in told)


def run(options, name, source, line, equivalents, pool):
    code, result, errors, _ = execute(
        options, "run", line, source.splitlines(),
        ["--check", "none", "--schedules", str(options.schedules), "--seed", str(options.seed)])
    clean = code == 0 and result.get("schedules", {}) == {"run": options.schedules, "differ": 0}
    if not clean:
        print(f"FAILED {name}: the kernel itself ends with {code}: {errors.strip()[-300:]}")
    work = [m for m in mutation.mutants(source) if m[0] not in equivalents.get(name, {})]
    work = work[::options.every]
    counts = collections.Counter(mutants=len(work))
    missed = []
    for (mutant, number, _), (what, codes, agrees) in zip(
            work, pool.map(lambda m: outcome(options, line, m[2]), work)):
        counts[what] += 1
        counts["E30"] += "E30" in codes
        counts["same places"] += agrees
        if what in ("missed", "failed"):
            missed.append(f"line {number}: {mutant} {' '.join(codes) if what == 'failed' else ''}")
    print(f"{'ok' if clean else 'FAILED':7}{name:24}{len(work):5} mutants, {counts['run']:4} by the run, "
          f"{counts['schedules']:4} by schedules, {counts['missed']:3} missed, {counts['failed']} failed",
          flush=True)
    if options.verbose:
        for text in missed:
            print(f"        {text}")
    return name, clean and not counts["failed"], counts


def table(rows):
    columns = ("mutants", "run", "schedules", "E30", "same places", "missed")
    text = "| case | mutants | found by the run | found by schedules | told as a race | places as `check` has them | missed |\n"
    text += "|---" * (len(columns) + 1) + "|\n"
    total = collections.Counter()
    for name, _, counts in rows:
        total.update(counts)
        text += f"| {name} | " + " | ".join(str(counts[c]) for c in columns) + " |\n"
    return text + "| **all** | " + " | ".join(str(total[c]) for c in columns) + " |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True, help="the program")
    parser.add_argument("--data", default=".", help="where goldens.py has written")
    parser.add_argument("--schedules", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=1, help="take each Nth mutant only")
    parser.add_argument("--least", type=float, default=0, help="per cent that have to be found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", help="write a table here")
    parser.add_argument("--verbose", action="store_true", help="also list the missed ones")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    options.ptosim = os.path.abspath(options.ptosim)
    with open(os.path.join(HERE, "equivalents.json")) as file:
        equivalents = json.load(file)["cases"]
    rows = []
    with open(os.path.join(options.data, "cases.json")) as file, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case in json.load(file)["cases"]:
            if options.cases and case["name"] not in options.cases:
                continue
            with open(os.path.join(mutation.KERNELS, case["kernel"])) as kernel:
                rows.append(run(options, case["name"], kernel.read(),
                                mutation.without_goldens(case), equivalents, pool))
    total = collections.Counter()
    for _, _, counts in rows:
        total.update(counts)
    if options.table:
        with open(options.table, "w") as file:
            file.write(table(rows))
    found = total["run"] + total["schedules"]
    share = 100 * found / max(1, total["mutants"])
    print(f"{len(rows)} kernels, {total['mutants']} mutants, {found} found ({share:.1f} %)")
    sys.exit(0 if rows and all(ok for _, ok, _ in rows) and share >= options.least else 1)


if __name__ == "__main__":
    main()
