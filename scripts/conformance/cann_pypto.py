#!/usr/bin/python3
"""Runs programs of cann/pypto unmodified on the toolkit: its examples with --run_mode sim, where its own cost model
runs after its kernels have been compiled, or with --run_mode npu, where the simulated chip computes; its system tests
(python/tests/st) and models by pytest, which are npu.

    cann_pypto.py CHECKOUT --toolkit FOLDER --python PYTHON --wheel FOLDER [--kind examples|tests|models]
                  [--mode sim|npu] [--chip NAME] [--only WORD] [--case WORD] [--resume]

PYTHON has torch, pytest and pytest-forked, with which the checkout's build_ci.py runs each test alone; FOLDER of
--wheel has the installed package pypto of the checkout's release. For npu, pypto-setup of the toolkit has been run
before. --case runs the tests of a file that pytest's -k selects. Other rows of the table stay; --resume runs programs
without a row only. Parameters in PTOSIM_SET are part of a row's chip. tests/evidence/pypto.json names the table.
"""
import argparse
import collections
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import suites  # noqa: E402

RECORD = suites.ROOT / "tests" / "conformance_cann_pypto.csv"
FIELDS = ["program", "mode", "chip", "result", "passed", "failed", "reports", "reason"]
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


def programs(options):
    """Paths in the checkout of what has an entry that can be run."""
    folder, pattern = KINDS[options.kind]
    for file in sorted((options.checkout / folder).glob(pattern)):
        runs = options.kind != "examples" and has_tests(file) or "--run_mode" in file.read_text(encoding="utf-8")
        if runs and "pypto_pro" not in file.parts:
            yield file.relative_to(options.checkout)


def reason_of(output):
    """One line for a failure's output."""
    found = re.findall(r"^(?:E +)?((?:error: |\w*Error: |\S+: error: |\w*Exception: ).*)$", output, re.M)
    found = [line for line in found if "matplotlib" not in line]
    wrong = re.search(r"Mismatched elements: .*", output)
    if found and wrong and found[0].rstrip().endswith("Error:"):
        return wrong[0][:140]
    if "no tests ran" in output:
        return "its tests are for another chip"
    line = found[0] if found else output.strip().splitlines()[-1] if output.strip() else "no message"
    return re.sub(r"\S*/", "", line)[:140].strip()


def counts(file):
    """Passed and failed tests in a file of pytest."""
    cases = list(xml.parse(file).getroot().iter("testcase"))
    bad = sum(1 for case in cases if case.find("failure") is not None or case.find("error") is not None)
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    return len(cases) - bad - skipped, bad


def chip_of(options):
    return " ".join([options.chip, *os.environ.get("PTOSIM_SET", "").split()])


def name_of(options, program):
    return f"{program}::{options.case}" if options.case else str(program)


def run(options, variables, program):
    """The row of a program. Reports: merged_swimlane.json of its cost model."""
    row = {"program": name_of(options, program), "mode": options.mode, "chip": chip_of(options), "result": "fails",
           "passed": "", "failed": "", "reason": ""}
    with tempfile.TemporaryDirectory() as name:
        folder, table = pathlib.Path(name), pathlib.Path(name, "results.xml")
        words = [options.python, options.checkout / program, "--run_mode", options.mode]
        if options.kind != "examples" and has_tests(options.checkout / program):
            words = [options.python, "-m", "pytest", "-q", "--forked", "-p", "no:cacheprovider", f"--junitxml={table}",
                     options.checkout / program, *(["-k", options.case] if options.case else [])]
        try:
            done = subprocess.run(words, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                                  timeout=options.seconds)
            output, passes = done.stdout, done.returncode == 0
            if table.exists():
                row["passed"], row["failed"] = counts(table)
                if passes and not row["passed"]:
                    passes, output = False, "all its tests are skipped"
            row["result"] = "passes" if passes else "fails"
            row["reason"] = "" if passes else CAUSES.get(row["program"]) or reason_of(output)
        except subprocess.TimeoutExpired:
            row["reason"] = f"not done within {options.seconds} s"
        row["reports"] = len(list(folder.glob("output/*/CostModelSimulationOutput/merged_swimlane.json")))
    return row


def read(file):
    if not file.exists():
        return {}
    with open(file, newline="", encoding="utf-8") as table:
        return {(row["program"], row["mode"], row["chip"]): row for row in csv.DictReader(table)}


def write(file, rows):
    with open(file, "w", newline="", encoding="utf-8") as table:
        writer = csv.DictWriter(table, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def summary(rows):
    """Passing and all programs by kind, mode and chip."""
    groups = collections.defaultdict(list)
    for row in rows.values():
        kind = next(kind for kind, (folder, _) in KINDS.items() if row["program"].startswith(folder))
        groups[kind, row["mode"], row["chip"]].append(row["result"] == "passes")
    return [(*key, sum(group), len(group)) for key, group in sorted(groups.items())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--toolkit", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--kind", choices=KINDS, default="examples")
    parser.add_argument("--mode", choices=("sim", "npu"), default="npu")
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--only", action="append", metavar="WORD")
    parser.add_argument("--case", metavar="WORD")
    parser.add_argument("--seconds", type=int, default=300, help="of one program")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--csv", type=pathlib.Path, default=RECORD)
    options = parser.parse_args()
    if options.kind != "examples" and options.mode != "npu":
        sys.exit(f"error: --kind {options.kind} with --mode {options.mode}: its programs are for npu")
    options.checkout, options.wheel = options.checkout.resolve(), options.wheel.resolve()
    rows = read(options.csv)
    variables = suites.toolkit_environment(options.toolkit, [options.wheel], PTOSIM_CHIP=options.chip,
                                           TILE_FWK_DEVICE_ID="0")
    for program in programs(options):
        key = name_of(options, program), options.mode, chip_of(options)
        chosen = not options.only or any(word in key[0] for word in options.only)
        if not chosen or (options.resume and key in rows):
            continue
        row = run(options, variables, program)
        rows[key] = row
        write(options.csv, rows)
        print(f"{row['program']}: {row['result']} {row['reason']}", flush=True)
    for line in summary(rows):
        print("{} {} {}: {} of {} pass".format(*line))
    suites.evidence.PAGE.write_text(suites.evidence.page(), encoding="utf-8")


if __name__ == "__main__":
    main()
