#!/usr/bin/python3
"""Takes the flags out of the kernels of this directory, and lets ptosim put its own in.

    insert_cases.py --ptosim BIN [--data DIR] [CASE...]

Each case runs three times: with a scoreboard (--sync auto), with inserted flags under every checker
(ptosim check --sync insert --emit FILE), and from FILE. The three must have the same outputs, equal
to the golden; the checkers must find nothing; the last two must take the same cycles. A fourth run,
with a barrier of all pipes before every instruction, bounds them from above, and the scoreboard from
below: in the kernels of CROWDED where nothing that starts sooner takes from others what they share.
Inserted flags cost at most a tenth more than flags written by hand (SLOWER). DIR is where goldens.py
writes. Exit code 0 if all is as it should be.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import run_cases  # noqa: E402

FLAGS = re.compile(r"^\s*pto\.(set_flag|wait_flag|set_flag_dyn|wait_flag_dyn|record_event|"
                   r"wait_event|barrier|barrier_sync)\b.*\n", re.MULTILINE)


WORK = re.compile(r"^(?=\s*(?:%[\w$.\-]+ = )?pto\.(?:t[a-z]|load_scalar|store_scalar))",
                  re.MULTILINE)
# Loads that a scoreboard starts sooner write L1 while MTE1 reads it, which makes it slower, by about
# 0.2 %; flags let them come later. Without the contention a scoreboard is the quicker one.
CROWDED = {"attention_f16_uneven": "aic.l1.contention=0"}
SLOWER = 1.1  # at most, of inserted flags against those written by hand


def strip(text):
    """The text without flags and barriers; signals between cores stay."""
    return FLAGS.sub("", text)


def all_barriers(text):
    """Before every instruction of a text without flags a barrier of all pipes."""
    text = WORK.sub("pto.barrier <PIPE_ALL>\n", text)
    return re.sub(r"^(\s*)(func\.)?return\b", r"\1pto.barrier <PIPE_ALL>\n\1\2return", text,
                  flags=re.MULTILINE)


def outputs(result):
    return [output["sha256"] for output in result.get("outputs", [])]


def run_case(options, case, folder):
    """Returns the error, or nothing."""
    with open(os.path.join(HERE, case["kernel"])) as file:
        text = file.read()
    bare = os.path.join(folder, "bare.pto")
    made = os.path.join(folder, "made.pto")
    slow = os.path.join(folder, "slow.pto")
    with open(bare, "w") as file:
        file.write(strip(text))
    with open(slow, "w") as file:
        file.write(all_barriers(strip(text)))
    run = lambda command, kernel, *extra: run_cases.execute(
        options.ptosim, command, run_cases.command_line(case, kernel), options.data, list(extra))
    runs = {}
    for name, command, kernel, extra in (
            ("explicit", "run", os.path.join(HERE, case["kernel"]), []),
            ("auto", "run", bare, ["--sync", "auto"]),
            ("insert", "check", bare, ["--sync", "insert", "--emit", made]),
            ("emitted", "run", made, ["--sync", "explicit"]),
            ("barriers", "run", slow, ["--sync", "explicit"])):
        code, result, errors, _ = run(command, kernel, *extra)
        if code != 0:
            return f"{name}: exit code {code}\n{errors}", runs
        runs[name] = result
    for name in ("auto", "insert", "emitted", "barriers"):
        if outputs(runs[name]) != outputs(runs["explicit"]):
            return f"{name}: other outputs", runs
    if runs["emitted"]["cycles"] != runs["insert"]["cycles"]:
        return "the emitted file takes other cycles", runs
    alone = {name: runs[name]["cycles"] for name in ("explicit", "auto", "insert")}
    if case["name"] in CROWDED:
        change = ["--set", CROWDED[case["name"]]]
        for name, kernel, extra in (("explicit", os.path.join(HERE, case["kernel"]), []),
                                    ("auto", bare, ["--sync", "auto"]),
                                    ("insert", bare, ["--sync", "insert"])):
            alone[name] = run("run", kernel, *extra, *change)[1]["cycles"]
    for name in ("explicit", "insert"):
        if alone["auto"] > alone[name]:
            return f"the scoreboard takes longer than {name}", runs
    if runs["insert"]["cycles"] > SLOWER * runs["explicit"]["cycles"]:
        return "inserted flags take longer than those written by hand", runs
    if runs["insert"]["cycles"] > runs["barriers"]["cycles"]:
        return "flags take longer than barriers of all pipes", runs
    return None, runs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--data", default=os.path.join(HERE, "data"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.ptosim = os.path.abspath(options.ptosim)
    with open(os.path.join(options.data, "cases.json")) as file:
        cases = json.load(file)["cases"]
    failed = 0
    for case in cases:
        if options.names and case["name"] not in options.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            problem, runs = run_case(options, case, folder)
        cycles = " ".join(f"{name} {runs[name]['cycles']:>7}" for name in runs if name != "emitted")
        print(f"{'FAILED' if problem else 'ok':7}{case['name']:24}{cycles}", flush=True)
        if problem:
            failed += 1
            print("        " + problem.strip().replace("\n", "\n        "))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
