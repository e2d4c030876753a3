#!/usr/bin/python3
"""Changes one synchronisation, size or mode of passing examples of asc-devkit or Catlass, and counts the wrong mutants
that a checker finds.

    conformance.py mutants CHECKOUT --work DIR [--arch dav-2201] [--count N --each N --seed S] [--minutes M] [--table FILE]
    conformance.py mutants CATLASS --ascendc CHECKOUT --work DIR ...

A mutant is wrong if its own comparison or run fails, or if another legal timing gives other bits. The original of each
example must pass with all timings and have no finding.

Drawing: examples come in an order by --seed, in which small ones (SMALL) come early WEIGHT times as often. An example is
compiled once, with all changes in it and a choice at run time, and run once unchanged, which shows the changes that its
run reaches. Of these --each are drawn by the seed, those of the rules with the fewest mutants first. Runs continue where
the last one in the folder has stopped.
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
import catlass
from audit import audit
from suites import prepare_toolkit

# Statements that a rule removes, and texts of which it doubles or halves a number ({} in the replacement).
REMOVED = {
    "queue": r"(this->)?\w+(\[\w+\])?\.(EnQue|FreeTensor)(<[^;]*>)?\([^;]*\)",
    "flag": r"(\w+::)*(SetFlag|WaitFlag|set_flag|wait_flag|asc_sync_notify|asc_sync_wait)(<[^;]*>)?\([^;]*\)",
    "barrier": r"(\w+::)*(PipeBarrier<[^;]*>|asc_sync_pipe|asc_sync|pipe_barrier)\([^;]*\)",
    "cross": r"(\w+::)*(CrossCore(Set|Wait)Flag\w*|SyncAll|IBSet|IBWait|(Wait|Notify)\w+Block|asc_sync_block_\w+)(<[^;]*>)?"
             r"\([^;]*\)",
    "cache": r"(\w+::)*DataCacheCleanAndInvalid<[^;]*>\([^;]*\)",
    "atomic": r"(\w+::)*(SetAtomicNone|DisableDmaAtomic)\(\)",
    "mask": r"(\w+::)*(SetMaskNorm|ResetMask)\(\)",
}
CALLS = (r"(?:DataCopy|Add|Mul|Sub|Div|Max|Min|And|Or|Adds|Muls|Exp|Ln|Abs|Relu|Not|Sqrt|Rec\w*|Cast|Duplicate|Axpy|Select"
         r"|Compare|Reduce\w+)")
NUMBER = r"(?!0\b|\w*(?:[pP]aram|[mM]ask|Tensor|Local|preg|[lL]ayout|true|false|Event|MODE|RINT|Config))(\w+)"
CHANGED = {
    "depth": (r"(?<=InitBuffer\()(\w+, )(2|BUFFER_NUM)(?=, )", "({}) / 2"),
    "size": (r"(?<=InitBuffer\()(\w+, (?:\w+, )?)([^;,]+)(?=\);)", "({}) / 2"),
    "count": (rf"(\b{CALLS}(?:<[^;()]*>)?\([^;]*, ){NUMBER}(?=\);)", "({}) * 2"),
    "repeat": (r"(\w\([^;{]*, )(\w*[rR]ep\w*|\d+)(?=, \{)|(\.(?:repeat(?:Times?)?|blockCount|nBurst) = )(?!0;)(\w+)(?=;)", "({}) * 2"),
    "blocks": (rf"(Copy\w*Params \w+ ?=? ?\{{){NUMBER}(?=, )", "({}) * 2"),
    "stride": (r"((?:Params|\()[^;]*\{[\d, ]+, )([1-9]\d*)(?=\}\)?;)|(\.\w*[sS]tride = )(?!0;)(\w+)(?=;)", "({}) * 2"),
}
SMALL = ("03_basic_api", "00_introduction", "02_simd_c_api")
LARGE = ("00_matmul", "00_pytorch", "06_cpu_debug")  # not drawn: most of their code is the library's, or no kernel is run here
WEIGHT = 3
SCHEDULES = 6  # other legal timings of each launch
SOURCES = (".asc", ".cpp", ".h", ".hpp")
# The number of the mutant that runs, and the numbers of the reached ones.
CHOICE = """#pragma once
#include <cstdio>
#include <cstdlib>
inline const int ptosim_chosen_mutant = std::getenv("PTOSIM_MUTANT") ? std::atoi(std::getenv("PTOSIM_MUTANT")) : 0;
inline bool ptosim_reached_mutants[100000];
inline bool ptosim_mutant(int number) {
    if (!ptosim_reached_mutants[number]) {
        ptosim_reached_mutants[number] = true;
        if (const char* path = std::getenv("PTOSIM_REACHED"))
            if (FILE* file = std::fopen(path, "a")) std::fprintf(file, "%d\\n", number), std::fclose(file);
    }
    return number == ptosim_chosen_mutant;
}
struct PtosimNumber {
    long long value;
    template <class T>
    operator T() const { return static_cast<T>(value); }
};
"""


def mutated(line, number):
    """(rule, line that contains the change and the original) of the first rule that fits; None without one."""
    if line.lstrip().startswith(("//", "*", "/*")) or "constexpr" in line:
        return None
    for rule, pattern in REMOVED.items():
        if found := re.fullmatch(rf"(\s*)({pattern};)(\s*//.*)?", line):
            return rule, f"{found[1]}{{ if (!ptosim_mutant({number})) {found[2]} }}"
    for rule, (pattern, change) in CHANGED.items():
        if found := re.search(pattern, line):
            old = found[found.lastindex]
            new = f"ptosim_mutant({number}) ? {change.format(old)} : ({old})"
            new = f"PtosimNumber{{(long long)({new})}}" if rule in ("blocks", "stride") else f"({new})"
            start = found.start(found.lastindex)
            return rule, line[:start] + new + line[start + len(old):]
    return None


def insert_changes(folders, root, without=frozenset()):
    """Puts all changes into the sources of folders; {number: (file, line, rule)}. `without`: (file, line) that stay."""
    sites = {}
    (root / "ptosim_mutant.h").write_text(CHOICE)
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.suffix not in SOURCES or not file.is_file() or file.name == "ptosim_mutant.h":
                continue
            name, lines = str(file.relative_to(root)), file.read_text(encoding="utf-8", errors="replace").split("\n")
            count = len(sites)
            for at, line in enumerate(lines):
                change = mutated(line, len(sites) + 1) if (name, at + 1) not in without else None
                if change:
                    sites[len(sites) + 1] = (name, at + 1, change[0])
                    lines[at] = change[1]
            if len(sites) > count:
                # One line more would move those of errors.
                lines[0] = f'#include "{root}/ptosim_mutant.h"\n#line 1\n{lines[0]}'
                file.write_text("\n".join(lines))
    return sites


class AscendC:
    """Examples of asc-devkit."""

    def __init__(self, options):
        self.options = options
        prepare_toolkit(options.ptosim, options.work, options.checkout)

    def names(self):
        return [str(name) for name in ascendc.examples(self.options.checkout)
                if ascendc.commands(self.options.checkout / name, self.options.arch, "npu") is not None]

    def prepare(self, name, without):
        place = ascendc.copy_example(name, self.options)
        return insert_changes([place], place, without)

    def log(self, name):
        return (ascendc.folder_of(name, self.options) / "log.txt").read_text()

    def run(self, name, built):
        result = ascendc.run_copy(name, ascendc.folder_of(name, self.options) / name, self.options, built)
        # A warning (a tensor's bound) is a finding of a checker, which does not make the results wrong.
        log = [line for line in self.log(name).splitlines() if not line.startswith("+ ")]
        errors = [line for line in log if ": warning: " not in line]
        if result["state"] == "run" and len(errors) < len(log) and ascendc.ENDED in log:
            result["state"] = ascendc.state_of(0, "\n".join(errors), True)
        return result

    def forget(self, name):
        shutil.rmtree(ascendc.folder_of(name, self.options))


class Catlass:
    """Examples of Catlass, whose kernels are in headers that all of them share."""

    def __init__(self, options):
        self.options = options
        options.copy = options.work / "catlass"
        catlass.prepare(options)

    def names(self):
        return sorted(path.name for path in (self.options.copy / "examples").iterdir()
                      if re.match(r"\d+_", path.name) and "ascend950" not in path.name)

    def prepare(self, name, without):
        shutil.rmtree(self.options.copy)
        shutil.copytree(self.options.checkout, self.options.copy)
        return insert_changes([self.options.copy / "include", self.options.copy / "examples" / name], self.options.copy,
                              without)

    def log(self, name):
        return (self.options.work / "logs" / f"{name}.txt").read_text()

    def run(self, name, built):
        return catlass.run(name, self.options, built)

    def forget(self, name):
        pass


def run_with(variables, call, *arguments):
    """Calls a function with environment variables that it does not keep."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        return call(*arguments)
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def run_one(suite, name, built, options):
    limit = options.timeout
    options.timeout = limit if built else 5 * limit
    try:
        return suite.run(name, built)
    finally:
        options.timeout = limit


def states_of(suite, name, number, built, options):
    """The state of an example with a change in all timings, and its result under all checkers."""
    chosen = {"PTOSIM_MUTANT": str(number)}
    for variable in ("PTOSIM_CHECK", "PTOSIM_FINDINGS"):
        os.environ.pop(variable, None)
    own = run_with({**chosen, "PTOSIM_SCHEDULES": str(SCHEDULES)}, run_one, suite, name, built, options)
    if own["state"] == "build":
        return own, {"state": "build", "findings": []}
    return own, run_with(chosen, audit, name, lambda *_: run_one(suite, name, True, options), options)


def build(suite, name, options):
    """Builds an example with all changes that compile: its changes, those that its run reaches, and the original's result."""
    without, reached = set(), options.work / "reached.txt"
    for _ in range(4):
        sites = suite.prepare(name, without)
        reached.unlink(missing_ok=True)
        own, checked = run_with({"PTOSIM_REACHED": str(reached)}, states_of, suite, name, 0, False, options)
        if own["state"] != "build" or not sites:
            break
        named = {(file, int(line)) for file, line in re.findall(r"([\w./-]+):(\d+):\d+", suite.log(name))}
        bad = {site[:2] for site in sites.values()
               if any(line == site[1] and (file.endswith("/" + site[0]) or site[0].endswith(file)) for file, line in named)}
        if not bad:
            break
        without |= bad
    numbers = sorted({int(number) for number in reached.read_text().split()}) if reached.exists() else []
    state = own["state"] if own["state"] != "passed" else checked["state"]
    return sites, numbers, {"state": state, "reason": own.get("reason", ""), "findings": checked["findings"],
                            "not compiled": len(without)}


def judged(mutant):
    """(wrong, found) of a mutant."""
    return mutant["own"] in ("wrong", "run", "slow"), bool(mutant["findings"])


def write_table(mutants, options):
    with open(options.table, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["example", "file", "line", "rule", "own comparison", "codes", "outcome"])
        for mutant in mutants:
            wrong, found = judged(mutant)
            outcome = ("found" if wrong and found else "missed" if wrong
                       else "reported, results right" if found else "equivalent in this run")
            codes = " ".join(sorted({code for code, _, _ in mutant["findings"]}))
            writer.writerow([mutant["example"], mutant["file"], mutant["line"], mutant["rule"], mutant["own"], codes, outcome])


def options_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--ascendc", type=pathlib.Path, help="the checkout is one of Catlass; this is one of asc-devkit")
    parser.add_argument("--ptosim", default=str(pathlib.Path(__file__).resolve().parents[2] / "build" / "ptosim"))
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--arch", default="dav-2201")
    parser.add_argument("--only", default="", help="examples whose path contains this")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--each", type=int, default=5, help="most mutants of an example")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--timeout", type=int, default=60, help="seconds of a run; of a build and a run 5 times as many")
    parser.add_argument("--again", help="run the mutants of this outcome again: missed, or reported")
    parser.add_argument("--table", help="write the mutants of all runs in the folder as CSV")
    return parser.parse_args()


def in_order(names, options):
    generator = random.Random(options.seed)
    keys = {name: generator.random() ** (1 / (WEIGHT if any(small in name for small in SMALL) else 1)) for name in names}
    return [name for name in sorted(names, key=keys.get, reverse=True)
            if options.only in name and not any(large in name for large in LARGE)]


def drawn(sites, reached, known, name, options):
    """Numbers of the mutants of an example, by rules with the fewest mutants so far."""
    generator = random.Random(f"{options.seed} {name}")
    counts = {rule: sum(mutant["rule"] == rule for mutant in known.values()) for rule in (*REMOVED, *CHANGED)}
    left, numbers = generator.sample(reached, len(reached)), []
    while left and len(numbers) < options.each:
        number = min(left, key=lambda one: counts[sites[one][2]])
        counts[sites[number][2]] += 1
        left.remove(number)
        numbers.append(number)
    return numbers


def run_example(suite, name, known, record, options):
    """Runs the original of an example and its mutants, or those that are to be run again."""
    again = {key for key, mutant in known["mutants"].items() if mutant["example"] == name} if options.again else set()
    sites, reached, known["originals"][name] = build(suite, name, options)
    original = known["originals"][name]
    print(f"{original['state']:7} {name} {original['reason']} {len(original['findings'])} findings, {len(sites)} changes, "
          f"{len(reached)} reached", flush=True)
    keys = {number: f"{name}/{site[0]}:{site[1]} {site[2]}" for number, site in sites.items()}
    numbers = []
    if original["state"] == "passed" and not original["findings"]:
        numbers = ([number for number, key in keys.items() if key in again and missed(known["mutants"][key], options)]
                   if options.again else drawn(sites, reached, known["mutants"], name, options))
    for number in numbers:
        own, checked = states_of(suite, name, number, True, options)
        file, line, rule = sites[number]
        known["mutants"][keys[number]] = {"example": name, "file": file, "line": line, "rule": rule, "own": own["state"],
                                          "reason": own["reason"], "findings": checked["findings"]}
        print(f"    {own['state']:7} {file}:{line} {rule} {' '.join(sorted({code for code, _, _ in checked['findings']}))} "
              f"{own['reason']}", flush=True)
    record.write_text(json.dumps(known, indent=1))
    suite.forget(name)


def missed(mutant, options):
    wrong, found = judged(mutant)
    return wrong and not found if options.again == "missed" else found and not wrong


def main():
    options = options_of()
    options.checkout, options.work = options.checkout.resolve(), options.work.resolve()
    options.toolkit, options.run_mode, options.keep = options.work / "toolkit", "npu", True
    suite = Catlass(options) if options.ascendc else AscendC(options)
    record = options.work / f"mutants-{options.arch}.json"
    known = json.loads(record.read_text()) if record.exists() else {"originals": {}, "mutants": {}}
    begun = time.monotonic()
    for name in in_order(suite.names(), options):
        of_it = [mutant for mutant in known["mutants"].values() if mutant["example"] == name]
        if not any(missed(mutant, options) for mutant in of_it) if options.again else name in known["originals"]:
            continue
        if len(known["mutants"]) >= options.count and not options.again:
            break
        if time.monotonic() - begun > 60 * options.minutes:
            print("time is over: run it again to continue")
            break
        run_example(suite, name, known, record, options)
    mutants, originals = list(known["mutants"].values()), known["originals"].values()
    wrong = [mutant for mutant in mutants if judged(mutant)[0]]
    found = sum(judged(mutant)[1] for mutant in wrong)
    reported = sum(judged(mutant) == (False, True) for mutant in mutants)
    flagged = sum(bool(result["findings"]) for result in originals)
    passed = sum(result["state"] == "passed" for result in originals)
    print(f"{len(mutants)} mutants of {len({mutant['example'] for mutant in mutants})} examples: {len(wrong)} are wrong, "
          f"{found} of these are found; {reported} are reported with right results; "
          f"{flagged} of {len(originals)} originals are flagged, {passed} pass")
    if options.table:
        write_table(mutants, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
