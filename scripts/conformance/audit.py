#!/usr/bin/python3
"""Runs examples of asc-devkit and Catlass that pass under all checkers, and lists every finding.

    conformance.py audit ascendc CHECKOUT --work DIR [--arch dav-2201] [--sample N --seed S] [--minutes M] [--table FILE]
    conformance.py audit catlass CHECKOUT --ascendc ASC_DEVKIT --work DIR ...

Examples are public code that gives right results, so each finding is either true of that code or an error of a checker.
Runs continue where the last one in the folder has stopped, until the minutes are over. The table has one row for each
finding: example, code, line, message, and the verdict that --verdicts FILE (lines of EXAMPLE CODE LINE VERDICT) gives.
"""
import argparse
import csv
import importlib
import json
import os
import pathlib
import random
import re
import shutil
import sys
import time

import ascendc
import catlass
from suites import prepare_toolkit


def without_folders(text):
    return re.sub(r"[\w./-]*/(?=[\w.-]+:\d+)", "", text)


def findings_of(folder):
    """(code, line, first line of its text) of the findings that programs have left in a folder."""
    found = []
    for file in sorted(folder.rglob("*.json")):
        for finding in json.loads(file.read_text())["findings"]:
            place, message = re.fullmatch(r"(?:(\S+?:\d+): )?(.*?)(?: \[\w+\])?", finding["line"]).groups()
            found.append((finding["code"], without_folders(place or "-"), without_folders(message)))
    return list(dict.fromkeys(found))


def audit(name, run, options):
    """The state of an example under all checkers, and its findings."""
    folder = options.work / "findings" / name.replace("/", "__")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ.update(PTOSIM_CHECK="all", PTOSIM_FINDINGS=str(folder))
    result = run(name, options)
    found = findings_of(folder)
    shutil.rmtree(folder)
    return {**result, "findings": found}


def names_of(options):
    if options.suite == "ascendc":
        return sorted(str(name) for name in ascendc.examples(options.checkout)
                      if ascendc.commands(options.checkout / name, options.arch, "npu") is not None)
    return sorted(path.name for path in (options.copy / "examples").iterdir()
                  if re.match(r"\d+_", path.name) and "ascend950" not in path.name)


def prepare(options):
    for place in ("checkout", "work"):
        setattr(options, place, getattr(options, place).resolve())
    options.toolkit, options.copy = options.work / "toolkit", options.work / "catlass"
    options.run_mode, options.keep = "npu", False
    if options.suite == "catlass":
        catlass.prepare(options)
    else:
        prepare_toolkit(options.ptosim, options.work, options.checkout)


def verdicts_of(path):
    """{(example, code, line): verdict} of a file."""
    if not path:
        return {}
    lines = [line.split(maxsplit=3) for line in pathlib.Path(path).read_text().splitlines() if line.strip()]
    return {tuple(line[:3]): line[3] for line in lines}


def write_table(known, options):
    verdicts = verdicts_of(options.verdicts)
    with open(options.table, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["suite", "example", "state", "code", "line", "message", "verdict"])
        suite = options.suite if options.suite == "catlass" else options.arch
        for name, result in sorted(known.items()):
            if not result["findings"]:
                writer.writerow([suite, name, result["state"], "", "", "no findings", ""])
            for code, line, message in result["findings"]:
                verdict = verdicts.get((name, code, line), "not judged")
                writer.writerow([suite, name, result["state"], code, line, message, verdict])


def options_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=("ascendc", "catlass"))
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--ptosim", default=str(pathlib.Path(__file__).resolve().parents[2] / "build" / "ptosim"))
    parser.add_argument("--ascendc", type=pathlib.Path, help="catlass: a checkout of asc-devkit")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for copies, builds and results")
    parser.add_argument("--arch", default="dav-2201")
    parser.add_argument("--only", default="", help="examples whose path contains this")
    parser.add_argument("--sample", type=int, help="number of examples, chosen by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--timeout", type=int, default=300, help="seconds of an example")
    parser.add_argument("--table", help="write the findings of all runs in the folder as CSV")
    parser.add_argument("--verdicts", help="file with a verdict for each finding")
    return parser.parse_args()


def main():
    options = options_of()
    prepare(options)
    run = importlib.import_module(options.suite).run
    names = [name for name in names_of(options) if options.only in name]
    if options.sample:
        names = sorted(random.Random(options.seed).sample(names, min(options.sample, len(names))))
    record = options.work / f"audit-{options.suite}-{options.arch}.json"
    known = json.loads(record.read_text()) if record.exists() else {}
    begun = time.monotonic()
    for name in names:
        if name in known:
            continue
        if time.monotonic() - begun > 60 * options.minutes:
            print(f"{sum(name not in known for name in names)} examples are left for the next run")
            break
        known[name] = audit(name, run, options)
        record.write_text(json.dumps(known, indent=1))
        print(f"{known[name]['state']:7} {name} {len(known[name]['findings'])} findings", flush=True)
        for code, line, message in known[name]["findings"]:
            print(f"        {code} {line} {message}")
    if options.table:
        write_table(known, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
