#!/usr/bin/python3
"""Runs examples of tile-ai/tilelang-ascend unmodified on the toolkit: its code generator writes C++, bisheng compiles it,
and the example compares the result with PyTorch.

    tilelang_examples.py CHECKOUT --toolkit FOLDER --python PYTHON [--all] [--only WORD] [--chip NAME] [--results FOLDER]

CHECKOUT has the code generator built (scripts/tilelang_env.sh does it); PYTHON has torch. Run are the examples that name
target="pto", and with --all the others, too. Other rows of the table stay.
"""
import argparse
import concurrent.futures
import csv
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import suites  # noqa: E402

RECORD = suites.ROOT / "tests" / "conformance_tilelang_examples.csv"
FIELDS = ("example", "chip", "result", "seconds", "reason")


def takes_pto(file):
    return re.search(r"target=['\"]pto['\"]", file.read_text(encoding="utf-8")) is not None


def reason_of(output):
    """The first error of the simulator or the compiler, else of Python."""
    found = re.search(r"(?:^|: )error: (.+)$", output, re.M) or re.search(r"^(\w*(?:Error|Exception)\b.*)$", output, re.M)
    lines = output.strip().splitlines()
    return re.sub(r"\S*/", "", found[1] if found else lines[-1] if lines else "no message")[:140]


def run(options, variables, name):
    folder = options.results / name.replace("/", "_")
    folder.mkdir(parents=True, exist_ok=True)
    file = options.checkout / "examples" / name
    # In its folder, from which the generator's include paths start.
    code, used = suites.run_limited([options.python, str(file)], file.parent, variables, folder / "log", options.seconds)
    output = (folder / "log").read_text(errors="replace")
    row = {"example": name, "chip": options.chip, "result": "passes" if code == 0 else "fails", "seconds": round(used),
           "reason": ""}
    if code is None:
        row["reason"] = "not done within the limit of time"
    elif code < 0:
        row["reason"] = f"ended by signal {-code}"
    elif code > 0:
        row["reason"] = reason_of(output)
    print(f"{row['result']:6} {row['seconds']:4} s {name} {row['reason']}", flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--toolkit", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--all", action="store_true", help="examples of any target")
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("tilelang_results"))
    parser.add_argument("--csv", type=pathlib.Path, default=RECORD)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=300, help="of processors, for one example")
    options = parser.parse_args()
    options.checkout, options.results = options.checkout.resolve(), options.results.resolve()
    folder = options.checkout / "examples"
    names = [str(file.relative_to(folder)) for file in sorted(folder.rglob("*.py")) if options.all or takes_pto(file)]
    if not names:
        sys.exit(f"error: {folder} has no examples: is this a checkout of tile-ai/tilelang-ascend?")
    chosen = [name for name in names if not options.only or any(word in name for word in options.only)]
    variables = suites.toolkit_environment(options.toolkit, [options.checkout], PTOSIM_CHIP=options.chip)
    rows = {}
    if options.csv.exists():
        with open(options.csv, encoding="utf-8", newline="") as table:
            rows = {(row["example"], row["chip"]): row for row in csv.DictReader(table)}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda name: run(options, variables, name), chosen):
            rows[row["example"], row["chip"]] = row
            with open(options.csv, "w", newline="", encoding="utf-8") as output:
                writer = csv.DictWriter(output, FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows[key] for key in sorted(rows))
    print(f"{sum(row['result'] == 'passes' for row in rows.values())} of {len(rows)} examples pass")


if __name__ == "__main__":
    main()
