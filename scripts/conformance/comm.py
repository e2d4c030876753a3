#!/usr/bin/python3
"""Runs the communication tests of a checkout of hw-native-sys/pto-isa by their own script, unmodified, on the toolkit:
each rank is a process with a simulated chip.

    conformance.py comm CHECKOUT [--groups ARCH:NAME,NAME ...] [--ranks N] [--csv FILE] [--resume] [--ptosim BIN]
                   [--work DIR] [--timeout SECONDS]

    --groups a2a3:tput,tget   run_st.py -r npu -v a3 -t comm/tput -n N, ...; `a2a3:all`: the nine groups of vector
                              cores and the two of SDMA. Default: a2a3:all and a5:all
    --ranks 8                 the most: cases for 2 ranks run, those for 4 and for 8 if it is as large

A case passes if all its ranks report so. The tests pass, too, if they skip: a case that has skipped anything counts
as skipped, not as passed. The table has a line for each case and is written after every group; with
--resume, groups that it holds are not run again. Needs libgtest-dev, python3-venv and make.
"""
import argparse
import collections
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "conformance"))
import pto_isa  # noqa: E402

VERSIONS = {"a2a3": "a3", "a5": "a5"}
GROUPS = "tput tget tnotify twait ttest tgather tscatter treduce tbroadcast tput_async tget_async".split()
COLUMNS = ["arch", "group", "ranks", "case", "result", "first_reason"]
PART = re.compile(r"^\[INFO\] Running comm test: \w+ .*\(nranks=(\d+)", re.M)


def outcomes(text, ranks):
    """Outcomes of a run with `ranks` ranks: (case, result, reason)."""
    begun = re.findall(r"^\[ RUN      \] ([\w.]+)", text, re.M)
    right = collections.Counter(re.findall(r"^\[       OK \] ([\w.]+)", text, re.M))
    skipped = set(re.findall(r"^\[  SKIPPED \] ([\w.]+)", text, re.M))
    silent = len(re.findall(r"\[SKIP\]", text))  # by the harness, which names no case
    reason = pto_isa.reason_of(text)
    for case in dict.fromkeys(begun):
        if silent:
            yield case, "skipped", f"[SKIP] is said {silent} times"
        elif case in skipped:
            yield case, "skipped", ""
        elif right[case] == ranks:
            yield case, "passed", ""
        else:
            yield case, "failed", f"{right[case]} of {ranks} ranks: {reason}"[:200]


class Runner:
    def __init__(self, options):
        self.options = options
        self.work = options.work.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.python = pto_isa.make_environment(self.work)
        subprocess.run([options.ptosim, "toolkit", self.work / "toolkit"], check=True, stdout=subprocess.DEVNULL)
        self.checkout = self.work / "checkout"
        if not self.checkout.exists():
            shutil.copytree(options.checkout, self.checkout, symlinks=True)
        (self.work / "logs").mkdir(exist_ok=True)

    def run_st(self, arch, name, ranks, more=""):
        command = (f"source '{self.work}/toolkit/set_env.sh'\nsource '{self.python.parent}/activate'\n"
                   f"python3 tests/script/run_st.py -r npu -v {VERSIONS[arch]} -t comm/{name} -n {ranks} {more}\n")
        return pto_isa.run(["bash", "-ec", command], self.checkout, self.options.timeout)[1]

    def group(self, arch, name):
        text = self.run_st(arch, name, self.options.ranks)
        (self.work / "logs" / f"{arch}_{name}.log").write_text(text)
        parts = PART.split(text)
        rows = [[arch, name, int(ranks), *outcome] for ranks, part in zip(parts[1::2], parts[2::2])
                for outcome in outcomes(part, int(ranks))]
        # The script starts 2, 4 and 8 ranks: cases for another number skip themselves.
        for at, (_, _, _, case, result, _) in enumerate(rows):
            asked = re.search(r"(\d)Ranks", case)
            if result != "skipped" or not asked or int(asked[1]) in (2, 4, 8):
                continue
            text = self.run_st(arch, name, asked[1], f"-w -g '{case}'")
            outcome = next(outcomes(text, int(asked[1])), (case, "failed", "it did not run"))
            rows[at] = [arch, name, int(asked[1]), *outcome]
        return rows or [[arch, name, 0, "", "failed", pto_isa.reason_of(text)[:200]]]


def chosen(options):
    for choice in options.groups or ["a2a3:all", "a5:all"]:
        arch, names = choice.split(":", 1)
        for name in GROUPS if names == "all" else names.split(","):
            yield arch, name


def read_csv(path):
    with open(path, newline="") as file:
        return [[row[column] for column in COLUMNS] for row in csv.DictReader(file)]


def write_csv(path, rows):
    part = path.with_suffix(".part")
    with open(part, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(sorted(rows, key=lambda row: (row[0], row[1], int(row[2]))))
    part.replace(path)


def main():
    parser = argparse.ArgumentParser(prog="conformance.py comm", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--groups", action="append", default=[], metavar="ARCH:NAMES")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--csv", type=pathlib.Path, help="write a table of all cases, with the rows already in it")
    parser.add_argument("--resume", action="store_true", help="go on with what --csv FILE holds")
    parser.add_argument("--ptosim", type=pathlib.Path, default=ROOT / "build" / "ptosim")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "conformance-comm")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for a group")
    options = parser.parse_args()
    options.ptosim = options.ptosim.resolve()
    if options.resume and not options.csv:
        parser.error("--resume needs --csv FILE")
    pto_isa.need_packages()
    runner, rows, mine = Runner(options), [], []
    if options.csv and options.csv.exists():
        rows = read_csv(options.csv)
    for arch, name in chosen(options):
        held = [row for row in rows if row[:2] == [arch, name]]
        if not (options.resume and held):
            begin = time.monotonic()
            rows = [row for row in rows if row not in held]
            held = runner.group(arch, name)
            rows += held
            if options.csv:
                write_csv(options.csv, rows)
            passed = sum(row[4] == "passed" for row in held)
            print(f"{arch:5} {name:11} {passed:3} of {len(held):3} cases  {time.monotonic() - begin:6.1f} s  "
                  f"{next((row[5] for row in held if row[5]), '')}", flush=True)
        mine += held
    passed = sum(row[4] == "passed" for row in mine)
    skipped = sum(row[4] == "skipped" for row in mine)
    print(f"{passed} of {len(mine)} cases passed, {skipped} skipped")
    sys.exit(0 if passed == len(mine) else 1)


if __name__ == "__main__":
    main()
