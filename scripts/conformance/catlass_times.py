"""Times of Catlass' matrix products against the times that its documents publish.

A table (tests/catlass_times.csv) has a line for each published time: the example, its generation, the problem (m n k) and
the duration of the task in microseconds, which the example's page gives (43: docs/zh/2_Design/01_kernel_design/05_aswt.md,
columns of the swizzled product; the slow products of 46's page belong to 43). Examples are built by Catlass' own CMake
and run in timing mode without their data. No fit has seen these times but the one of 2048 x 2038 x 256, from which
aic.l0c_to_gm.unaligned of the 950 is derived.
"""
import json
import re
import shlex
import statistics
import sys

import suites
from api_times import Published
from suites import ROOT, options, place

CHIPS = {"2201": ("Ascend910B1", "ascend910b1"), "3510": ("Ascend950", "ascend950pr")}


class Products(Published):
    repository = "Catlass"
    options = options("ptosim only resume work!", table=ROOT / "tests" / "catlass_times.csv", timeout=300,
                      ascendc=place("a checkout of asc-devkit", required=True))
    facts = ("example", "arch", "problem")
    figures = ("published", "simulated", "ratio")

    def prepare(self):
        suites.make_toolkit(self.given.ptosim, self.given.work, self.given.ascendc)
        self.copy = suites.copy_of(self.given.checkout, self.given.work / "catlass")
        self.built = {}

    def is_done(self, name):
        return bool(self.results[name]["simulated"])

    def call(self, words, **variables):
        return suites.run(suites.on_toolkit(self.given.work / "toolkit", shlex.join(map(str, words)), strict=False),
                          self.given.work, self.given.timeout,
                          suites.with_path(self.given.work / "bin", **variables), merged=False)

    def build(self, example, arch):
        """The program of an example; an example is built once."""
        folder = self.given.work / f"build-{arch}"
        if arch not in self.built:
            status, output = self.call(["cmake", "-S", self.copy, "-B", folder, f"-DCATLASS_ARCH={arch}",
                                        f"-DNPU_MODEL={CHIPS[arch][0]}", "-DCANN_VERSION=9.0.0"])
            if status != 0:
                sys.exit(output)
            self.built[arch] = set()
        if example not in self.built[arch]:
            status, output = self.call(["cmake", "--build", folder, "--target", example])
            (self.given.work / f"{example}.log").write_text(output)
            if status == 0:
                self.built[arch].add(example)
        return folder / "examples" / example / example

    def run(self, item):
        program, result = self.build(item["example"], item["arch"]), self.given.work / "result.json"
        result.unlink(missing_ok=True)
        _, output = self.call([program, *item["problem"].split(), 0], PTOSIM_MODE="timing",
                              PTOSIM_CHIP=CHIPS[item["arch"]][1], PTOSIM_JSON=str(result), PTOSIM_CHECK="none")
        found = json.loads(result.read_text()) if result.exists() else {}
        if "task_basis" not in found:  # a run that ended early has none
            print(*re.findall(r"error: .*", output)[:1])
            found = {}
        return self.with_figure(item, found.get("task_us"), ".6g", found.get("task_basis"))

    def summary(self):
        lines = []
        for arch in CHIPS:
            rows = [row for row in self.reported() if row["arch"] == arch and row["ratio"]]
            ratios = [float(row["ratio"]) for row in rows]
            if ratios:
                lines.append(f"{arch}: {len(ratios)} products, ratio {min(ratios)} to {max(ratios)}, median "
                             f"{statistics.median(ratios):.3f}, {self.within(rows)}")
        return "\n".join(lines)
