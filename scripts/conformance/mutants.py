#!/usr/bin/python3
"""Changes one synchronisation, size or mode of passing examples of asc-devkit, and counts the wrong mutants that a
checker finds.

    conformance.py mutants CHECKOUT --work DIR [--arch dav-2201] [--count N --seed S] [--minutes M] [--table FILE]

A mutant is wrong if its own comparison or run fails, or if another legal timing gives other bits. The original of each example must have no finding. Runs continue
where the last one in the folder has stopped.
"""
import argparse
import csv
import json
import os
import pathlib
import random
import re
import shutil
import sys
import time

import ascendc
from audit import audit
from suites import prepare_toolkit

# Statements that a rule removes, and calls of which it changes a number.
REMOVED = {
    "queue": r"^\s*\w+(\[\w+\])?\.(EnQue|FreeTensor)(<[^;]*>)?\([^;]*\);\s*$",
    "flag": r"^\s*(AscendC::)?(SetFlag|WaitFlag)<[^;]*>\([^;]*\);\s*$",
    "barrier": r"^\s*(AscendC::)?PipeBarrier<[^;]*>\(\);\s*$",
    "cross": r"^\s*(AscendC::)?(CrossCoreSetFlag|CrossCoreWaitFlag|SyncAll|IBSet|IBWait)(<[^;]*>)?\([^;]*\);\s*$",
    "cache": r"^\s*(AscendC::)?DataCacheCleanAndInvalid<[^;]*>\([^;]*\);\s*$",
    "atomic": r"^\s*(AscendC::)?(SetAtomicNone|DisableDmaAtomic)\(\);\s*$",
    "mask": r"^\s*(AscendC::)?(SetMaskNorm|ResetMask)\(\);\s*$",
}
CHANGED = {
    "depth": (r"(InitBuffer\(\w+, )(2|BUFFER_NUM)(, )", r"\g<1>1\g<3>"),
    "size": (r"(InitBuffer\(\w+, (?:\w+, )?)([^;]+)(\);)", r"\g<1>(\g<2>) / 2\g<3>"),
    "count": (r"((?:DataCopy|Add|Mul|Sub|Adds|Muls|Exp|Relu|Cast|Duplicate)\([^;]*, )(\w+)(\);)", r"\g<1>\g<2> * 2\g<3>"),
}
SCHEDULES = 6  # other legal timings of each launch
SOURCES = (".asc", ".cpp", ".h", ".hpp")


def sites(folder):
    """(file, line, rule, changed line) of each place of an example that a rule changes."""
    for file in sorted(folder.rglob("*")):
        if file.suffix not in SOURCES or not file.is_file():
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
            for rule, pattern in REMOVED.items():
                if re.search(pattern, line):
                    yield str(file.relative_to(folder)), number, rule, ""
            for rule, (pattern, replacement) in CHANGED.items():
                if re.search(pattern, line):
                    yield str(file.relative_to(folder)), number, rule, re.sub(pattern, replacement, line, count=1)


def run_mutant(name, site, options):
    """The state of its own comparison and of other timings without checkers, and the checkers' findings."""
    file, number, _, text = site
    place = ascendc.copy_example(name, options)
    lines = (place / file).read_text(encoding="utf-8", errors="replace").split("\n")
    lines[number - 1] = text
    (place / file).write_text("\n".join(lines))
    os.environ.pop("PTOSIM_CHECK", None)
    os.environ["PTOSIM_SCHEDULES"] = str(SCHEDULES)
    own = ascendc.run_copy(name, place, options)["state"]
    del os.environ["PTOSIM_SCHEDULES"]
    found = []
    if own != "build":
        found = audit(name, lambda *_: ascendc.run_copy(name, place, options), options)["findings"]
    shutil.rmtree(ascendc.folder_of(name, options))
    return own, found


def judged(mutant):
    """(wrong, found) of a mutant that compiles."""
    return mutant["own"] in ("wrong", "run", "slow"), bool(mutant["findings"])


def write_table(mutants, options):
    with open(options.table, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["example", "file", "line", "rule", "own comparison", "codes", "outcome"])
        for mutant in mutants:
            wrong, found = judged(mutant)
            outcome = ("does not compile" if mutant["own"] == "build" else "found" if wrong and found else "missed" if wrong
                       else "reported, results right" if found else "equivalent in this run")
            codes = " ".join(sorted({code for code, _, _ in mutant["findings"]}))
            writer.writerow([mutant["example"], mutant["file"], mutant["line"], mutant["rule"], mutant["own"], codes, outcome])


def options_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--ptosim", default=str(pathlib.Path(__file__).resolve().parents[2] / "build" / "ptosim"))
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--arch", default="dav-2201")
    parser.add_argument("--only", default="", help="examples whose path contains this")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--timeout", type=int, default=300, help="seconds of an example")
    parser.add_argument("--table", help="write the mutants of all runs in the folder as CSV")
    return parser.parse_args()


def chosen(options):
    """Mutants by seed: one rule of one example at a time, so that frequent statements do not dominate."""
    by_rule = {}
    for name in ascendc.examples(options.checkout):
        if options.only not in str(name) or ascendc.commands(options.checkout / name, options.arch, "npu") is None:
            continue
        for site in sites(options.checkout / name):
            by_rule.setdefault(site[2], []).append((str(name), site))
    generator = random.Random(options.seed)
    for places in by_rule.values():
        generator.shuffle(places)
    mutants = []
    while len(mutants) < options.count and any(by_rule.values()):
        for rule in sorted(by_rule):
            if by_rule[rule] and len(mutants) < options.count:
                mutants.append(by_rule[rule].pop())
    return mutants


def main():
    options = options_of()
    options.checkout, options.work = options.checkout.resolve(), options.work.resolve()
    options.toolkit, options.run_mode, options.keep = options.work / "toolkit", "npu", False
    prepare_toolkit(options.ptosim, options.work, options.checkout)
    record = options.work / f"mutants-{options.arch}.json"
    known = json.loads(record.read_text()) if record.exists() else {"originals": {}, "mutants": {}}
    begun = time.monotonic()
    for name, site in chosen(options):
        key = f"{name}/{site[0]}:{site[1]} {site[2]}"
        if key in known["mutants"]:
            continue
        if time.monotonic() - begun > 60 * options.minutes:
            print("time is over: run it again to continue")
            break
        if name not in known["originals"]:
            known["originals"][name] = audit(name, ascendc.run, options)
        original = known["originals"][name]
        if original["state"] == "passed" and not original["findings"]:
            own, findings = run_mutant(name, site, options)
            known["mutants"][key] = {"example": name, "file": site[0], "line": site[1], "rule": site[2], "own": own,
                                     "findings": findings}
            print(f"{own:7} {key} {' '.join(sorted({code for code, _, _ in findings}))}", flush=True)
        record.write_text(json.dumps(known, indent=1))
    mutants = list(known["mutants"].values())
    compiled = [mutant for mutant in mutants if mutant["own"] != "build"]
    wrong = [mutant for mutant in compiled if judged(mutant)[0]]
    found = sum(judged(mutant)[1] for mutant in wrong)
    flagged = sum(bool(result["findings"]) for result in known["originals"].values())
    print(f"{len(mutants)} mutants, {len(compiled)} compile, {len(wrong)} are wrong, {found} of these are found; "
          f"{flagged} of {len(known['originals'])} originals are flagged")
    if options.table:
        write_table(mutants, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
