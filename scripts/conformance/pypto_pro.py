#!/usr/bin/python3
"""Runs the system tests of PyPTO Pro (cann/pypto, python/tests/st/pypto_pro) unmodified on the toolkit.

    pypto_pro.py CHECKOUT --toolkit FOLDER --python PYTHON [--path FOLDER ...] [--results FOLDER] [--csv FILE]

PYTHON has torch and pytest; the folders of --path have pypto with its native part, and pypto_pro. Each file is a process
with a separate folder below --results; files that have a result there are not run again. The chip is an ascend950pr.
--only WORD, which may be repeated, runs the files whose path has one of the words; the others keep their row in the table.
"""
import argparse
import concurrent.futures
import csv
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import suites  # noqa: E402

TESTS = pathlib.Path("python/tests/st/pypto_pro")
RECORD = suites.ROOT / "tests" / "conformance_pypto_pro.csv"
# Reasons by the output of the first failing test of a file; the first that fits.
REASONS = (
    (r"SIMT|simt|is an intrinsic of|__simt", "SIMT: threads are not simulated"),
    (r"\[H02\]|bisheng compilation failed", "does not compile: "),
    (r"Timeout|timed out", "not done within the limit of time"),
)


def is_done(folder):
    """True if its process has come to an end; one that was interrupted is run again."""
    return any((folder / name).exists() for name in ("ended", "timeout"))


def run_file(options, variables, file):
    folder = options.results / str(file).replace("/", "_")
    if is_done(folder):
        return
    folder.mkdir(parents=True, exist_ok=True)
    words = [options.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={folder}/j.xml",
             options.checkout / TESTS / file]
    code, used = suites.run_limited(words, folder, variables, folder / "log", options.seconds)
    (folder / ("timeout" if code is None else "ended")).write_text(f"{used:.1f}\n", encoding="utf-8")


def reason_of(text):
    """One line for a failure's text."""
    for pattern, reason in REASONS:
        if re.search(pattern, text):
            if not reason.endswith(": "):
                return reason
            error = re.search(r"error: (static assertion failed: )?([^\n]+)", text)
            return reason + (error.group(2).strip()[:110] if error else "no message")
    lines = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return (lines[0] if lines else text.strip().splitlines()[-1] if text.strip() else "no message")[:140]


def row_of(options, file):
    folder = options.results / str(file).replace("/", "_")
    result = folder / "j.xml"
    log = (folder / "log").read_text(errors="replace") if (folder / "log").exists() else ""
    if not result.exists():
        fatal = re.search(r"Fatal Python error: (.*)", log)
        reason = (f"the process ended: {fatal.group(1)}" if fatal else "not done within the limit of time"
                  if (folder / "timeout").exists() else "the process ended without a result")
        return {"file": file, "passed": 0, "failed": 0, "reason": reason}
    cases = list(xml.parse(result).getroot().iter("testcase"))
    bad = [problem for case in cases for problem in (*case.iter("failure"), *case.iter("error"))]
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    # An error of the compiler is in the log that pytest has captured.
    captured = "".join(output.text or "" for case in cases for output in case.iter("system-err"))
    text = ((bad[0].text or "") + captured + log) if bad else ""
    reason = reason_of(text) if bad else ("no test for this chip" if not cases or skipped == len(cases) else "")
    return {"file": file, "passed": len(cases) - len(bad) - skipped, "failed": len(bad), "reason": reason}


def rows_of(options, files):
    """For files without a result, their present row of the table, or a row that marks them as untried."""
    before = {}
    if options.csv.exists():
        with open(options.csv, encoding="utf-8") as table:
            before = {row["file"]: row for row in csv.DictReader(table)}
    for file in files:
        if is_done(options.results / str(file).replace("/", "_")):
            yield row_of(options, file)
        else:
            yield before.get(str(file), {"file": file, "passed": 0, "failed": 0, "reason": "not tried"})


def main():
    parser = argparse.ArgumentParser(usage="pypto_pro.py CHECKOUT --toolkit FOLDER --python PYTHON [options]",
                                     description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--toolkit", type=pathlib.Path, required=True)
    parser.add_argument("--python", type=pathlib.Path, required=True)
    parser.add_argument("--path", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("pypto_pro_results"))
    parser.add_argument("--csv", type=pathlib.Path, default=RECORD)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=300, help="of processors, for one file")
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--only-read", action="store_true", help="make the table of the results that there are")
    options = parser.parse_args()
    files = sorted(path.relative_to(options.checkout / TESTS) for path in (options.checkout / TESTS).rglob("test_*.py"))
    if not files:
        sys.exit(f"error: {options.checkout / TESTS} has no tests: is this a checkout of cann/pypto?")
    options.results = options.results.resolve()
    if not options.only_read:
        variables = suites.toolkit_environment(options.toolkit, options.path, PTOSIM_CHIP="ascend950pr")
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            chosen = [file for file in files if not options.only or any(word in str(file) for word in options.only)]
            list(pool.map(lambda file: run_file(options, variables, file), chosen))
    rows = list(rows_of(options, files))
    with open(options.csv, "w", newline="", encoding="utf-8") as output:
        writer = csv.DictWriter(output, ("file", "passed", "failed", "reason"), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    whole = sum(1 for row in rows if int(row["passed"]) and not int(row["failed"]) and not row["reason"])
    passed, failed = (sum(int(row[name]) for row in rows) for name in ("passed", "failed"))
    untried = sum(1 for row in rows if row["reason"] == "not tried")
    print(f"{whole} of {len(files)} files pass, {passed} tests of {passed + failed}; {untried} files have not been tried")


if __name__ == "__main__":
    main()
