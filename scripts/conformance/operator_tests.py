"""Unit tests of operators, unmodified, in the frames of their repositories: `ptosim op FOLDER --tests`.

CHECKOUTS is a folder with checkouts of ops-math, ops-nn and ops-transformer, and of asc-devkit, metadef and opbase. An item
is an operator with tests of the chosen kind for the chip: `host` for tilings and functions of shapes, which compare keys,
blocks, workspaces, tiling data and shapes with the numbers that the repository states; `kernel` for kernels, of which many
run without a comparison. Column left_out counts sources of
tests that do not compile; `reason` is then that of the first.

    build     the tests, the host functions or the kernel cannot be compiled or linked
    run       the program does not run to its end
    wrong     a test fails
    passed    all tests pass
"""
import collections
import os
import re
import sys

import suites
from suites import ROOT, Suite, one, options

sys.path.insert(0, str(ROOT / "sim" / "python"))

from ptosim.operators import tests  # noqa: E402

REPOSITORIES = ("ops-math", "ops-nn", "ops-transformer")
FAILURE = re.compile(r"(?:^|/)([\w.]+:\d+): Failure\n(.*(?:\n  .*)*)", re.M)


class OperatorTests(Suite):
    repository = "the repositories"
    places = {"checkouts": {"type": suites.path}}
    options = options("ptosim only sample seed json csv resume retry minutes list limit record work!", timeout=300,
                      chip=one("ascend910b1"), kind=one("host", "of the tests", choices=tests.KINDS),
                      repositories=one(",".join(REPOSITORIES), "that items are from"))
    columns = ("operator", "kind", "state", "passed", "failed", "left_out", "reason")
    key = ("operator", "kind")
    stays = sorts = True

    def prepare(self):
        os.environ["PTOSIM_PROGRAM"] = str(self.given.ptosim)
        for name in ("ascendc", "metadef", "opbase"):
            os.environ["PTOSIM_" + name.upper()] = str(self.given.checkouts / {"ascendc": "asc-devkit"}.get(name, name))

    def items(self):
        for repository in self.given.repositories.split(","):
            root = self.given.checkouts / repository
            for found in sorted(root.rglob("tests/ut")):
                folder = found.parents[1]
                if {"experimental", "examples"} & set(folder.relative_to(root).parts) or not (folder / "op_host").is_dir() \
                        or not (folder / "op_kernel").is_dir():
                    continue
                if tests.KINDS[self.given.kind](str(folder), "950" in self.given.chip):
                    yield str(folder.relative_to(self.given.checkouts)), folder

    def name_of(self, item):
        return item[0], self.given.kind

    def listed(self, item):
        return item[0]

    def run(self, item):
        name, folder = item
        status, output = suites.run([self.given.ptosim, "op", folder, "--tests", self.given.kind, "--chip", self.given.chip],
                                    self.given.work, self.given.timeout)
        (self.given.work / f"{folder.name}.{self.given.kind}.log").write_text(output)
        passed, failed = output.count("[       OK ]"), len(set(re.findall(r"\[  FAILED  \] ([\w.]+/?\w*)", output)))
        told = re.search(r"^tests: (\d+) of (\d+) have passed$", output, re.M)  # each in its own process
        if told:
            passed, failed = int(told[1]), int(told[2]) - int(told[1])
        left = re.findall(r"left out: .*?([\w.]+:\d.*)", output)
        result = {"operator": name, "kind": self.given.kind, "state": "passed", "passed": passed, "failed": failed,
                  "left_out": len(left), "reason": left[0][:160] if left else ""}
        if status == 2 and "have ended by signal" not in output:
            return result | {"state": "build", "reason": reason_of(output)}
        if status == suites.TIME_LIMIT:
            return result | {"state": "run", "reason": f"longer than {self.given.timeout} s"}
        if not told and not re.search(r"^\[==========\] .* ran\.", output, re.M):
            last = (re.findall(r"\[ RUN      \] (\S+)", output) or ["the begin"])[-1]
            signal = re.search(r"have ended by (signal \d+)", output)
            return result | {"state": "run", "reason": f"{signal[1] if signal else 'end'} in {last}: {reason_of(output)}"[:160]}
        if failed or status != 0 or not passed:
            reported = re.search(r"error: .*\[[A-Z]\d\d\]$", output, re.M)
            if told and reported:
                return result | {"state": "wrong", "reason": re.sub(r"/\S*/", "", reported[0])[:160]}
            found = FAILURE.search(output) or re.search(r"(unknown file: )Failure\n(.*(?:\n  .*)*)", output)
            reason = f"{found[1]}: {' '.join(found[2].split())}"[:160] if found else reason_of(output)
            return result | {"state": "wrong", "reason": reason}
        return result

    def summary(self):
        rows = self.reported(False)
        passed = sum(int(row["passed"]) for row in rows)
        return f"{super().summary()}; {passed} of {passed + sum(int(row['failed']) for row in rows)} tests pass"

    def page(self):
        """A row for each state and kind of reason."""
        counts = collections.Counter((row["kind"], row["state"], re.sub(r"\d+", "N", row["reason"])[:80]) for row in self.reported())
        return suites.markdown(("kind", "state", "operators", "reason"),
                               [(kind, state, str(count), reason) for (kind, state, reason), count in counts.most_common()])


def reason_of(output):
    missing = re.search(r"undefined symbol: (\S+)", output)
    if missing:
        return missing[0][:160]
    lines = [line for line in output.splitlines() if "error:" in line]
    if len(lines) > 1 and "does not compile" in lines[0]:
        lines = lines[1:]
    line = lines[0] if lines else (output.strip().splitlines() or ["nothing printed"])[-1]
    return re.sub(r"(?:/[\w.+-]+)+/", "", line.strip())[:160]
