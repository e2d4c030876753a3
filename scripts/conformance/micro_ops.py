#!/usr/bin/python3
"""Runs the cases of PTO-Gym's examples/pto (vector registers, copies, the cube below tiles) on the toolkit, each by the
checkout's own script.

    conformance.py micro-ops CHECKOUT [--only WORD] [--record SUITE] [--csv FILE] [--ptosim BIN] [--work DIR]
                   [--jobs N] [--python VENV/bin/python] [--check CHECKERS]

examples/pto/scripts/run_host_vpto_validation.sh assembles a case's kernel.pto with `ptoas`, compiles its launch and its
host with `bisheng`, makes data with its golden.py, runs, and compares with its compare.py. All of it is unmodified, with
DEVICE=NPU; ASCEND_HOME_PATH and PTOAS_BIN name a toolkit that `ptosim toolkit` makes. Python needs numpy (--python; for
some cases ml_dtypes). A case passes if the script ends with 0.
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import suites  # noqa: E402

CHIP = "ascend950pr"


def cases(checkout, only):
    root = checkout / "examples" / "pto"
    for kernel in sorted(root.rglob("kernel.pto")):
        name = str(kernel.parent.relative_to(root))
        if only in name and (kernel.parent / "golden.py").exists():
            yield name


def reason_of(text):
    """The first error, without what changes from run to run."""
    for pattern in (r"^.*\berror: (.*)$", r"^(\[ERROR\] .*|ERROR: .*)$", r"^(\w*Error\b.*)$"):
        found = re.search(pattern, text, re.M)
        if found:
            return found.group(1)[:150]
    return (text.strip().splitlines() or ["no output"])[-1][:150]


def run_case(name, checkout, toolkit, options):
    environment = {**os.environ, "WORK_SPACE": str(options.work / "cases"), "ASCEND_HOME_PATH": str(toolkit),
                   "PTOAS_BIN": str(toolkit / "bin" / "ptoas"), "CASE_NAME": name, "DEVICE": "NPU", "PTOSIM_CHIP": CHIP}
    if options.python:
        environment["PATH"] = f"{options.python.parent}:{environment['PATH']}"
    if options.check:
        environment["PTOSIM_CHECK"] = options.check
    script = checkout / "examples" / "pto" / "scripts" / "run_host_vpto_validation.sh"
    try:
        done = subprocess.run(["bash", script], env=environment, capture_output=True, text=True, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        return name, "failed", "time limit"
    return (name, "passed", "") if done.returncode == 0 else (name, "failed", reason_of(done.stdout + done.stderr))


def page(results, commit):
    families = {}
    for name, result, _ in results:
        family = families.setdefault(name.rsplit("/", 1)[0], [0, 0])
        family[0] += result == "passed"
        family[1] += 1
    passed = sum(result == "passed" for _, result, _ in results)
    lines = [f"Commit {commit}: {passed} of {len(results)} cases pass.", "", "| family | cases that pass |", "|---|---|"]
    lines += [f"| {family} | {good} of {count} |" for family, (good, count) in families.items()]
    lines += ["", "Those that do not:", "", "| case | first reason |", "|---|---|"]
    lines += [f"| {name} | {suites.cell(reason)} |" for name, result, reason in results if result != "passed"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="conformance.py micro-ops", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("micro-ops-work"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--python", type=pathlib.Path)
    parser.add_argument("--check", help="PTOSIM_CHECK of the runs")
    parser.add_argument("--csv", type=pathlib.Path)
    suites.add_options(parser, "ptosim", "only", "commit", "record", only={"default": ""})
    options = parser.parse_args()
    options.work = options.work.resolve()
    checkout = options.checkout.resolve()
    toolkit = options.work / "toolkit"
    options.work.mkdir(parents=True, exist_ok=True)
    subprocess.run([suites.program(options.ptosim), "toolkit", toolkit], check=True, stdout=subprocess.DEVNULL)
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda name: run_case(name, checkout, toolkit, options), list(cases(checkout, options.only))):
            print(*result, flush=True)
            results.append(result)
    if not results:
        sys.exit(f"error: no cases in {checkout}/examples/pto")
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("case", "result", "reason"), *results])
    text = page(results, suites.commit_of(checkout, options.commit))
    if options.record:
        suites.put(text, options.record, "micro-ops")
    print(text.splitlines()[0])
    return 0 if all(result == "passed" for _, result, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
