#!/usr/bin/python3
"""Runs the examples of cann/pypto unmodified on the toolkit: with --run_mode sim, where its own cost model runs after
its kernels have been compiled, and with --run_mode npu, where the simulated chip computes.

    cann_pypto.py CHECKOUT --toolkit FOLDER --python PYTHON --wheel FOLDER [--mode sim|npu] [--chip NAME] [--only WORD]

PYTHON has torch; FOLDER of --wheel has the installed package pypto of the checkout's release. For npu, pypto-setup of the
toolkit has been run before. Rows of other modes, chips and examples of the table stay.
"""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "conformance_cann_pypto.csv"
FIELDS = ["example", "mode", "chip", "result", "reports", "reason"]


def environment(options):
    text = subprocess.run(["bash", "-c", f"source '{options.toolkit}/set_env.sh' && env -0"], check=True,
                          capture_output=True, text=True).stdout
    made = dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)
    paths = os.pathsep.join([str(options.wheel), made.get("PYTHONPATH", "")])
    return {**made, "PYTHONPATH": paths, "PTOSIM_CHIP": options.chip, "TILE_FWK_DEVICE_ID": "0", "OMP_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1"}


def reason_of(output):
    """One line for a failure's output."""
    found = re.findall(r"^(?:error: .*|\w*Error: .*|.*: error: .*)$", output, re.M)
    line = found[0] if found else output.strip().splitlines()[-1] if output.strip() else "no message"
    return re.sub(r"\S*/", "", line)[:140]


def run(options, variables, example):
    """The row of an example. Reports: merged_swimlane.json of its cost model."""
    row = {"example": str(example), "mode": options.mode, "chip": options.chip, "reason": ""}
    with tempfile.TemporaryDirectory() as folder:
        words = [options.python, options.checkout / "examples" / example, "--run_mode", options.mode]
        try:
            done = subprocess.run(words, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                                  timeout=options.seconds)
            row["result"] = "passes" if done.returncode == 0 else "fails"
            if done.returncode != 0:
                row["reason"] = reason_of(done.stdout)
        except subprocess.TimeoutExpired:
            row.update(result="fails", reason=f"not done within {options.seconds} s")
        row["reports"] = len(list(pathlib.Path(folder).glob("output/*/CostModelSimulationOutput/merged_swimlane.json")))
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--toolkit", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--mode", choices=("sim", "npu"), default="npu")
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--only", action="append")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--csv", type=pathlib.Path, default=RECORD)
    options = parser.parse_args()
    options.checkout, options.wheel = options.checkout.resolve(), options.wheel.resolve()
    rows = {}
    if options.csv.exists():
        with open(options.csv, newline="", encoding="utf-8") as file:
            rows = {(row["example"], row["mode"], row["chip"]): row for row in csv.DictReader(file)}
    examples = options.checkout / "examples"
    variables = environment(options)
    for file in sorted(examples.glob("0*/**/*.py")):
        example = file.relative_to(examples)
        if "--run_mode" in file.read_text(encoding="utf-8") and (
                not options.only or any(word in str(example) for word in options.only)):
            rows[str(example), options.mode, options.chip] = run(options, variables, example)
    with open(options.csv, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))
    passing = sum(row["result"] == "passes" for row in rows.values())
    print(f"{passing} of {len(rows)} runs pass")


if __name__ == "__main__":
    main()
