"""Runs programs of cann/pypto unmodified on the toolkit: its examples with --run_mode sim, where its own cost model runs
after its kernels have been compiled, or with --run_mode npu, where the simulated chip computes; its system tests
(python/tests/st) and models by pytest, which are npu.

--python has torch, pytest and pytest-forked, with which the checkout's build_ci.py runs each test alone; FOLDER of --wheel
has the installed package pypto of the checkout's release. For npu, pypto-setup of the toolkit has been run before. Other
rows of the table stay. Parameters in PTOSIM_SET are part of a row's chip. tests/evidence/pypto.json names the table.
"""
import collections
import os
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as xml

import suites
from suites import ROOT, Suite, many, one, options, place

# Folder of each kind, and the files in it.
KINDS = {"examples": ("examples", "0*/**/*.py"), "tests": ("python/tests/st", "**/test_*.py"),
         "models": ("models", "*/*_*.py")}
# Causes of failures that were found by reading.
CAUSES = {
    "examples/01_beginner/basic/symbolic_scalar.py":
        "PyPTO drops the body of the loop: its program.json has no operation there, and the result is zeros",
    "python/tests/st/test_indexput_onboard.py": "an array of pointers to UB, which is read as host memory",
    "examples/02_intermediate/basic_nn/ffn/ffn_module.py":
        "a few bf16 results differ by one unit in the last place, 2^-8, and the tolerance is 3e-3; its data is random",
}


def has_tests(file):
    return re.search(r"^ *def test\w*\(", file.read_text(encoding="utf-8"), re.M) is not None


def reason_of(output):
    """One line for a failure's output."""
    found = re.findall(r"^(?:E +)?((?:error: |\w*Error: |\S+: error: |\w*Exception: ).*)$", output, re.M)
    found = [line for line in found if "matplotlib" not in line]
    wrong = re.search(r"Mismatched elements: .*", output)
    if found and wrong and found[0].rstrip().endswith("Error:"):
        return wrong[0][:140]
    if "no tests ran" in output:
        return "its tests are for another chip"
    return suites.reason_of(found[0] if found else output, longest=140, folders=r"\S*/", nothing="no message")


def counts(file):
    """Passed and failed tests in a file of pytest."""
    cases = list(xml.parse(file).getroot().iter("testcase"))
    bad = sum(1 for case in cases if case.find("failure") is not None or case.find("error") is not None)
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    return len(cases) - bad - skipped, bad


class Programs(Suite):
    repository = "cann/pypto"
    options = options("toolkit! python! resume", wheel=place("folder with the installed package pypto", required=True),
                      kind=one("examples", choices=KINDS), mode=one("npu", choices=("sim", "npu")), chip=one("ascend910b1"),
                      only=many("WORD", default=None), case={"metavar": "WORD", "help": "tests that pytest's -k selects"},
                      seconds=one(300, "of one program"), csv=ROOT / "tests" / "conformance_cann_pypto.csv")
    columns = ("program", "mode", "chip", "result", "passed", "failed", "reports", "reason")
    good = None
    key = ("program", "mode", "chip")
    state = "result"
    stays = whole = sorts = True

    def prepare(self):
        given = self.given
        if given.kind != "examples" and given.mode != "npu":
            sys.exit(f"error: --kind {given.kind} with --mode {given.mode}: its programs are for npu")
        self.chip = " ".join([given.chip, *os.environ.get("PTOSIM_SET", "").split()])
        self.variables = suites.toolkit_environment(given.toolkit, [given.wheel], PTOSIM_CHIP=given.chip, TILE_FWK_DEVICE_ID="0")

    def items(self):
        """Paths in the checkout of the files with an entry that can be run."""
        folder, pattern = KINDS[self.given.kind]
        for file in sorted((self.given.checkout / folder).glob(pattern)):
            runs = self.given.kind != "examples" and has_tests(file) or "--run_mode" in file.read_text(encoding="utf-8")
            if runs and "pypto_pro" not in file.parts:
                yield file.relative_to(self.given.checkout)

    def name_of(self, item):
        return f"{item}::{self.given.case}" if self.given.case else str(item), self.given.mode, self.chip

    def run(self, item):
        """The row of a program. Reports: merged_swimlane.json of its cost model."""
        given, file = self.given, self.given.checkout / item
        row = {**dict(zip(self.key, self.name_of(item))), "result": "fails", "passed": "", "failed": "", "reason": ""}
        with tempfile.TemporaryDirectory() as name:
            folder, table = pathlib.Path(name), pathlib.Path(name, "results.xml")
            words = [given.python, file, "--run_mode", given.mode]
            if given.kind != "examples" and has_tests(file):
                words = [given.python, "-m", "pytest", "-q", "--forked", "-p", "no:cacheprovider", f"--junitxml={table}", file,
                         *(["-k", given.case] if given.case else [])]
            status, output = suites.run(words, folder, given.seconds, self.variables)
            if status == suites.TIME_LIMIT:
                row["reason"] = f"not done within {given.seconds} s"
            else:
                if table.exists():
                    row["passed"], row["failed"] = counts(table)
                    if status == 0 and not row["passed"]:
                        status, output = 1, "all its tests are skipped"
                row["result"] = "passes" if status == 0 else "fails"
                row["reason"] = "" if status == 0 else CAUSES.get(row["program"]) or reason_of(output)
            row["reports"] = len(list(folder.glob("output/*/CostModelSimulationOutput/merged_swimlane.json")))
        return row

    def summary(self):
        """Passing and all programs by kind, mode and chip."""
        groups = collections.defaultdict(list)
        for row in self.reported():
            kind = next(kind for kind, (folder, _) in KINDS.items() if row["program"].startswith(folder))
            groups[kind, row["mode"], row["chip"]].append(row["result"] == "passes")
        return "\n".join(f"{' '.join(key)}: {sum(group)} of {len(group)} pass" for key, group in sorted(groups.items()))

    def finish(self):
        suites.evidence.PAGE.write_text(suites.evidence.page(), encoding="utf-8")
        return super().finish()
