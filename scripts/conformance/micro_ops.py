"""Runs the cases of PTO-Gym's examples/pto (vector registers, copies, the cube below tiles) on the toolkit, each by the
checkout's own script.

examples/pto/scripts/run_host_vpto_validation.sh assembles a case's kernel.pto with `ptoas`, compiles its launch and its host
with `bisheng`, makes data with its golden.py, runs, and compares with its compare.py. All of it is unmodified, with
DEVICE=NPU; ASCEND_HOME_PATH and PTOAS_BIN name a toolkit that `ptosim toolkit` makes. Python needs numpy (--python; for
some cases ml_dtypes). A case passes if the script ends with 0.
"""
import os
import pathlib

import suites
from suites import Suite, options

CHIP = "ascend950pr"


class Cases(Suite):
    repository = "PTO-ISA/PTO-Gym"
    options = options("ptosim only commit csv record check", work=pathlib.Path("micro-ops-work").absolute(),
                      jobs=os.cpu_count(), python={"default": None})
    columns = ("case", "result", "reason")
    state = "result"
    mark = "micro-ops"

    def prepare(self):
        self.root = self.given.checkout / "examples" / "pto"
        self.toolkit = suites.make_toolkit(self.given.ptosim, self.given.work)

    def items(self):
        return [str(kernel.parent.relative_to(self.root)) for kernel in sorted(self.root.rglob("kernel.pto"))
                if (kernel.parent / "golden.py").exists()]

    def run(self, item):
        environment = {**os.environ, "WORK_SPACE": str(self.given.work / "cases"), "ASCEND_HOME_PATH": str(self.toolkit),
                       "PTOAS_BIN": str(self.toolkit / "bin" / "ptoas"), "CASE_NAME": item, "DEVICE": "NPU", "PTOSIM_CHIP": CHIP}
        if self.given.python:
            environment["PATH"] = f"{self.given.python.parent}:{environment['PATH']}"
        if self.given.check:
            environment["PTOSIM_CHECK"] = self.given.check
        status, output = suites.run(["bash", self.root / "scripts" / "run_host_vpto_validation.sh"], None, 600, environment,
                                    merged=False)
        # The first error, without what changes from run to run.
        reason = "" if status == 0 else "time limit" if status < 0 else suites.reason_of(
            output, r"^.*\berror: (.*)$", r"^(\[ERROR\] .*|ERROR: .*)$", r"^(\w*Error\b.*)$", folders=r"(?!)")
        return {"case": item, "result": "passed" if status == 0 else "failed", "reason": reason}

    def page(self):
        families = {}
        for result in self.reported():
            families.setdefault(result["case"].rsplit("/", 1)[0], []).append(result["result"] == "passed")
        bad = [(result["case"], result["reason"]) for result in self.reported() if result["result"] != "passed"]
        return (suites.markdown(("family", "cases that pass"), [(family, f"{sum(found)} of {len(found)}")
                                                                for family, found in families.items()])
                + "\n" + suites.markdown(("case", "first reason"), bad))

    def summary(self):
        return f"{self.commit()}: {super().summary()}"
