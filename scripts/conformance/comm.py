"""Runs the communication tests of a checkout of hw-native-sys/pto-isa by their own script, unmodified, on the toolkit: each
rank is a process with a simulated chip.

    --groups a2a3:tput,tget   run_st.py -r npu -v a3 -t comm/tput -n N, ...; `a2a3:all`: the nine groups of vector
                              cores and the two of SDMA. Default: a2a3:all and a5:all
    --ranks 8                 the most: cases for 2 ranks run, those for 4 and for 8 if it is as large

A case passes if all its ranks report so. The tests pass, too, if they skip: a case that has skipped anything counts as
skipped, not as passed. The table has a line for each case; with --resume, groups that it holds are not run again. Needs
libgtest-dev, python3-venv and make.
"""
import collections
import re

import pto_isa
import toolkit
from suites import ROOT, many, one, options

GROUPS = "tput tget tnotify twait ttest tgather tscatter treduce tbroadcast tput_async tget_async".split()
PART = re.compile(r"^\[INFO\] Running comm test: \w+ .*\(nranks=(\d+)", re.M)


def outcomes(text, ranks):
    """Outcomes of a run with `ranks` ranks: (case, result, reason)."""
    begun = re.findall(r"^\[ RUN      \] ([\w.]+)", text, re.M)
    right = collections.Counter(re.findall(r"^\[       OK \] ([\w.]+)", text, re.M))
    skipped = set(re.findall(r"^\[  SKIPPED \] ([\w.]+)", text, re.M))
    silent = len(re.findall(r"\[SKIP\]", text))  # by the harness, which names no case
    for case in dict.fromkeys(begun):
        if silent:
            yield case, "skipped", f"[SKIP] is said {silent} times"
        elif case in skipped:
            yield case, "skipped", ""
        elif right[case] == ranks:
            yield case, "passed", ""
        else:
            yield case, "failed", f"{right[case]} of {ranks} ranks: {pto_isa.reason_of(text)}"[:200]


class Groups(toolkit.OnToolkit):
    options = options("ptosim csv resume", work=ROOT / "build" / "conformance-comm", timeout=600, groups=many("ARCH:NAMES"),
                      ranks=one(8))
    columns = ("arch", "group", "ranks", "case", "result", "first_reason")
    stays = sorts = True

    def items(self):
        for choice in self.given.groups or ["a2a3:all", "a5:all"]:
            arch, names = choice.split(":", 1)
            yield from ((arch, name) for name in (GROUPS if names == "all" else names.split(",")))

    def name_of(self, item):
        return item

    def take(self, row):
        self.results.setdefault((row["arch"], row["group"]), {"rows": []})["rows"].append(
            [int(row[column]) if column == "ranks" else row[column] for column in self.columns])

    def rows_of(self, result):
        return sorted(result["rows"], key=lambda row: row[2])

    def run_st(self, arch, name, ranks, more=""):
        return self.shell(f"{arch} {name} {ranks} {more}", self.checkout, f"python3 tests/script/run_st.py -r npu -v "
                          f"{toolkit.VERSIONS[arch]} -t comm/{name} -n {ranks} {more}")[1]

    def run(self, item):
        arch, name = item
        text = self.run_st(arch, name, self.given.ranks)
        parts = PART.split(text)
        rows = [[arch, name, int(ranks), *outcome] for ranks, part in zip(parts[1::2], parts[2::2])
                for outcome in outcomes(part, int(ranks))]
        # The script starts 2, 4 and 8 ranks: cases for another number skip themselves.
        for at, (_, _, _, case, result, _) in enumerate(rows):
            asked = re.search(r"(\d)Ranks", case)
            if result == "skipped" and asked and int(asked[1]) not in (2, 4, 8):
                alone = self.run_st(arch, name, asked[1], f"-w -g '{case}'")
                outcome = next(outcomes(alone, int(asked[1])), (case, "failed", "it did not run"))
                rows[at] = [arch, name, int(asked[1]), *outcome]
        return {"rows": rows or [[arch, name, 0, "", "failed", pto_isa.reason_of(text)[:200]]]}

    def state_of(self, result):
        return "passed" if all(row[4] == "passed" for row in result["rows"]) else "failed"

    def told(self, name, result):
        passed = sum(row[4] == "passed" for row in result["rows"])
        return f"{name[0]:5} {name[1]:11} {passed:3} of {len(result['rows']):3} cases  " + next(
            (row[5] for row in result["rows"] if row[5]), "")

    def summary(self):
        found = [row[4] for result in self.reported() for row in result["rows"]]
        return f"{found.count('passed')} of {len(found)} cases passed, {found.count('skipped')} skipped"
