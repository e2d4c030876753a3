"""Builds and runs asc-devkit's examples with threads, kernels of threads and thread functions within Ascend C, on the
toolkit, by the commands of their READMEs, unmodified, with the states of the suite ascendc. Some only print; two stop by
an assertion, which is then their result.
"""
import re

import ascendc
from ascendc import Examples
from suites import flag, one, options

GROUPS = ("examples/03_simt_api", "examples/05_simd_simt_hybrid")
PRINTED = {"00_printf": r"\[SIMT print 2\]", "atomic_intrinsics": r"returned OK"}
STOPPED = {"01_assert": r"its assertion '.*' has failed", "09_log": r"its assertion '.*' has failed"}


class Simt(Examples):
    """Examples whose code is, at least in part, that of a thread."""
    options = options("ptosim only commit json csv record resume retry sample seed work!", jobs=2, timeout=600,
                      arch=one("dav-3510", "architecture of the examples"), run_mode=one("npu", choices=("npu",)),
                      keep=flag("keep the folders of examples that pass"))

    def commands(self, name):
        # Their texts have fences within lines, too.
        return ascendc.commands(self.given.checkout / name, self.given.arch, self.mode, r"^\s*```\w*\n(.*?)^\s*```\s*$")

    def items(self):
        for group in GROUPS:
            for file in sorted((self.given.checkout / group).rglob("CMakeLists.txt")):
                if (file.parent / "README.md").exists():
                    yield file.parent.relative_to(self.given.checkout)

    def run_copy(self, name, place, built=False):
        result = super().run_copy(name, place, built)
        last = name.rsplit("/", 1)[-1]
        log = (self.folder_of(name) / "log.txt").read_text()
        errors = re.search(r"^error: |\[[GHRSEADFIN]\d\d\]$", log, re.M)
        shown = last in PRINTED and not errors and re.search(PRINTED[last], log)
        if result["state"] == "run" and (shown or last in STOPPED and re.search(STOPPED[last], log)):
            result.update(state="passed", reason="")
        return result
