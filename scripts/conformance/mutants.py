"""Changes one synchronisation, size or mode of passing examples of asc-devkit or Catlass, and counts the wrong mutants that a
checker finds. With --ascendc CHECKOUT of asc-devkit, CHECKOUT is one of Catlass.

A mutant is wrong if its own comparison or run fails, or if another legal timing gives other bits. The original of each
example must pass with all timings and have no finding.

Drawing: examples come in an order by --seed, in which small ones (SMALL) come early WEIGHT times as often. An example is
compiled once, with all changes in it and a choice at run time, and run once unchanged, which shows the changes that its
run reaches. Of these --each are drawn by the seed, rules with the fewest mutants first. Runs continue where
the last one in the folder has stopped.
"""
import json
import os
import random
import re
import shutil

import ascendc
import catlass
from audit import audit, codes_of
from suites import Suite, one, options, place, write

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
                # One line more would move the lines of errors.
                lines[0] = f'#include "{root}/ptosim_mutant.h"\n#line 1\n{lines[0]}'
                file.write_text("\n".join(lines))
    return sites


class AscendC(ascendc.Examples):
    """Examples of asc-devkit."""

    def usable(self):
        return [str(name) for name in self.items() if self.commands(name) is not None]

    def changed(self, name, without):
        place = self.copy_example(name)
        return insert_changes([place], place, without)

    def log(self, name):
        return (self.folder_of(name) / "log.txt").read_text()

    def run(self, item, built=False):
        result = self.run_copy(item, self.folder_of(item) / item, built)
        # A warning (a tensor's bound) is a finding of a checker, which does not make the results wrong.
        log = [line for line in self.log(item).splitlines() if not line.startswith("+ ")]
        errors = [line for line in log if ": warning: " not in line]
        if result["state"] == "run" and len(errors) < len(log) and ascendc.ENDED in log:
            result["state"] = ascendc.state_of(0, "\n".join(errors), True)
        return result

    def forget(self, name):
        shutil.rmtree(self.folder_of(name))


class Catlass(catlass.Examples):
    """Examples of Catlass, whose kernels are in headers that all of them share."""

    def usable(self):
        return self.items()

    def changed(self, name, without):
        shutil.rmtree(self.copy)
        shutil.copytree(self.given.checkout, self.copy)
        return insert_changes([self.copy / "include", self.copy / "examples" / name], self.copy, without)

    def log(self, name):
        return (self.work / "logs" / f"{name}.txt").read_text()

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


def judged(mutant):
    """(wrong, found) of a mutant."""
    return mutant["own"] in ("wrong", "run", "slow"), bool(mutant["findings"])


class Mutants(Suite):
    """An item is an example; all mutants are kept in one file of the work folder."""
    repository = "asc-devkit or Catlass"
    options = options("ptosim only table work!", arch=one("dav-2201"), count=one(200, "mutants"), seed=1, minutes=12.0,
                      ascendc=place("the checkout is one of Catlass; this is one of asc-devkit"),
                      each=one(5, "most mutants of an example"),
                      timeout=one(60, "seconds of a run; of a build and a run 5 times as many"),
                      again={"help": "run the mutants of this outcome again: missed, or reported"})
    columns = ("example", "file", "line", "rule", "own comparison", "codes", "outcome")
    resumes = True
    good = None

    def prepare(self):
        self.examples = Catlass() if self.given.ascendc else AscendC()
        self.examples.given = self.given
        self.examples.prepare()
        self.record = self.given.work / f"mutants-{self.given.arch}.json"
        self.known = json.loads(self.record.read_text()) if self.record.exists() else {"originals": {}, "mutants": {}}

    def items(self):
        generator, names = random.Random(self.given.seed), self.examples.usable()
        keys = {name: generator.random() ** (1 / (WEIGHT if any(small in name for small in SMALL) else 1)) for name in names}
        return [name for name in sorted(names, key=keys.get, reverse=True) if not any(large in name for large in LARGE)]

    def is_done(self, name):
        if self.given.again:
            return not any(self.is_again(mutant) for mutant in self.known["mutants"].values() if mutant["example"] == name)
        return name in self.known["originals"]

    def is_again(self, mutant):
        wrong, found = judged(mutant)
        return wrong and not found if self.given.again == "missed" else found and not wrong

    def outcomes(self, items):
        pairs = super().outcomes(items)
        while self.given.again or len(self.known["mutants"]) < self.given.count:
            pair = next(pairs, None)
            if pair is None:
                return
            yield pair

    def run_one(self, name, built):
        limit = self.given.timeout
        self.given.timeout = limit if built else 5 * limit
        try:
            return self.examples.run(name, built)
        finally:
            self.given.timeout = limit

    def states_of(self, name, number, built):
        """The result of an example with a change in all timings, and its result under all checkers."""
        chosen = {"PTOSIM_MUTANT": str(number)}
        for variable in ("PTOSIM_CHECK", "PTOSIM_FINDINGS"):
            os.environ.pop(variable, None)
        own = run_with({**chosen, "PTOSIM_SCHEDULES": str(SCHEDULES)}, self.run_one, name, built)
        if own["state"] == "build":
            return own, {"state": "build", "findings": []}
        checked = run_with(chosen, audit, name, lambda _: self.run_one(name, True), self.given.work)
        if not checked["findings"]:  # a host that aborts writes no report
            shown = re.findall(r"^(\S+:\d+): error: (.*) \[([A-Z]\d\d)\]$", self.examples.log(name), re.M)
            checked["findings"] = [(code, place, message) for place, message, code in shown]
        return own, checked

    def build(self, name):
        """Builds an example with all changes that compile: its changes, the reached ones, and the original's result."""
        without, reached = set(), self.given.work / "reached.txt"
        for _ in range(4):
            sites = self.examples.changed(name, without)
            reached.unlink(missing_ok=True)
            own, checked = run_with({"PTOSIM_REACHED": str(reached)}, self.states_of, name, 0, False)
            if own["state"] != "build" or not sites:
                break
            named = {(file, int(line)) for file, line in re.findall(r"([\w./-]+):(\d+):\d+", self.examples.log(name))}
            bad = {site[:2] for site in sites.values()
                   if any(line == site[1] and (file.endswith("/" + site[0]) or site[0].endswith(file)) for file, line in named)}
            if not bad:
                break
            without |= bad
        numbers = sorted({int(number) for number in reached.read_text().split()}) if reached.exists() else []
        state = own["state"] if own["state"] != "passed" else checked["state"]
        return sites, numbers, {"state": state, "reason": own.get("reason", ""), "findings": checked["findings"],
                                "not compiled": len(without)}

    def drawn(self, sites, reached, name):
        """Numbers of the mutants of an example, by rules with the fewest mutants so far."""
        generator = random.Random(f"{self.given.seed} {name}")
        counts = {rule: sum(mutant["rule"] == rule for mutant in self.known["mutants"].values())
                  for rule in (*REMOVED, *CHANGED)}
        left, numbers = generator.sample(reached, len(reached)), []
        while left and len(numbers) < self.given.each:
            number = min(left, key=lambda one: counts[sites[one][2]])
            counts[sites[number][2]] += 1
            left.remove(number)
            numbers.append(number)
        return numbers

    def run(self, item):
        """Runs the original of an example and its mutants, or with --again the mutants of that outcome."""
        known = self.known["mutants"]
        again = {key for key, mutant in known.items() if self.given.again and mutant["example"] == item and self.is_again(mutant)}
        sites, reached, original = self.build(item)
        self.known["originals"][item] = original
        print(f"{original['state']:7} {item} {original['reason']} {len(original['findings'])} findings, {len(sites)} changes, "
              f"{len(reached)} reached", flush=True)
        keys = {number: f"{item}/{site[0]}:{site[1]} {site[2]}" for number, site in sites.items()}
        numbers = []
        if original["state"] == "passed" and not original["findings"]:
            numbers = ([number for number, key in keys.items() if key in again] if self.given.again
                       else self.drawn(sites, reached, item))
        for number in numbers:
            own, checked = self.states_of(item, number, True)
            file, line, rule = sites[number]
            known[keys[number]] = {"example": item, "file": file, "line": line, "rule": rule, "own": own["state"],
                                   "reason": own["reason"], "findings": checked["findings"]}
            print(f"    {own['state']:7} {file}:{line} {rule} {codes_of(checked['findings'])} {own['reason']}", flush=True)
        write(self.record, json.dumps(self.known, indent=1))
        self.examples.forget(item)
        return original

    def told(self, name, result):
        return ""  # run() prints a line for each mutant

    def reported(self, whole=None):
        return list(self.known["mutants"].values())

    def row_of(self, mutant):
        wrong, found = judged(mutant)
        outcome = ("found" if wrong and found else "missed" if wrong else "reported, results right" if found
                   else "equivalent in this run")
        return [*(mutant[key] for key in ("example", "file", "line", "rule", "own")), codes_of(mutant["findings"]), outcome]

    def summary(self):
        mutants, originals = self.reported(), self.known["originals"].values()
        verdicts = [judged(mutant) for mutant in mutants]
        return (f"{len(mutants)} mutants of {len({mutant['example'] for mutant in mutants})} examples: "
                f"{sum(wrong for wrong, _ in verdicts)} are wrong, {verdicts.count((True, True))} of these are found; "
                f"{verdicts.count((False, True))} are reported with right results; "
                f"{sum(bool(original['findings']) for original in originals)} of {len(originals)} originals are flagged, "
                f"{sum(original['state'] == 'passed' for original in originals)} pass")
