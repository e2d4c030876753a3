#!/usr/bin/python3
"""The first advice on kernels with a planted performance bug: does it name the bug and its line,
and is the promised saving what mending gives?

    advice_test.py --ptosim BIN [--table]     the latter prints the table of tests/evidence/advice.json

Expected are the bug that was planted, and the cycles of the mended kernel, which is simulated.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import planted  # noqa: E402

WITHIN = 0.20  # of what mending gives
ALL_AICS = 24  # of the chip


def run(ptosim, folder, text, blocks, case, mode="timing", words=()):
    kernel = os.path.join(folder, "kernel.pto")
    with open(kernel, "w") as file:
        file.write(text)
    result = os.path.join(folder, "result.json")
    line = [ptosim, "run", kernel, "--blocks", str(blocks), "--mode", mode, "--json", result,
            *case.options, *words]
    for argument in case.arguments:
        line += ["--arg", argument]
    process = subprocess.run(line, capture_output=True, text=True, timeout=120)
    if process.returncode != 0:
        raise SystemExit(f"{case.name}: {' '.join(line)}\n{process.stdout}{process.stderr}")
    with open(result) as file:
        return json.load(file)


def simulated(ptosim, folder):
    """Returns the errors of a run with data that has simulated the saving of other blocks."""
    case = next(case for case in planted.cases() if case.kind == "blocks")
    trace = os.path.join(folder, "trace")
    few = run(ptosim, folder, case.text, case.blocks, case, "full", ("--trace", trace))
    all_blocks = run(ptosim, folder, case.text, ALL_AICS, case)
    first = few["advice"][0]
    saved = few["cycles"] - all_blocks["cycles"]
    if (first["kind"], first["estimate"], first["saves_cycles"]) != ("blocks", "simulated", saved):
        return [f"{case.name}: {ALL_AICS} blocks save {saved}, and the first advice is {first}"]
    os.remove(os.path.join(trace, "agent.json"))
    again = subprocess.run([ptosim, "report", trace, "--write", "agent"], capture_output=True, text=True, timeout=120)
    with open(os.path.join(trace, "agent.json")) as file:
        later = json.load(file)["advice"][0]
    if (later["estimate"], later["saves_cycles"]) != ("simulated", saved):
        return [f"{case.name}: the recording says {later} {again.stderr}"]
    # Blocks that do the same work as the one four before, however many there are.
    alike = case.text.replace("%blocks_i64 = pto.get_block_num", "%blocks_i64 = arith.constant 4 : i64").replace(
        "%block_i64 = pto.get_block_idx",
        "%number = pto.get_block_idx\n%four = arith.constant 4 : i64\n%block_i64 = arith.remui %number, %four : i64")
    alone = run(ptosim, folder, alike, case.blocks, case, "full")["advice"][0]
    if alone["estimate"] == "simulated" or "divide the work between the blocks" not in alone["why"]:
        return [f"{case.name}, blocks that do not share: {alone}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    wrong = []
    if options.table:
        print("| bug | cycles | first advice | kind and line | promised | mended saves | promised / saved |\n"
              "|---|--:|---|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for case in planted.cases():
            bad = run(options.ptosim, folder, case.text, case.blocks, case)
            good = run(options.ptosim, folder, case.mended_text, case.mended_blocks or case.blocks,
                       case)
            first = (bad["advice"] or [{"kind": "none", "what": "", "saves_cycles": 0}])[0]
            named = first["kind"] == case.kind and first.get("line", 0) in case.bug_lines()
            saved = bad["cycles"] - good["cycles"]
            ratio = first["saves_cycles"] / saved if saved else 0
            near = abs(ratio - 1) <= WITHIN
            if options.table:
                print(f"| {case.name} | {bad['cycles']} | {first['what'].replace(folder + '/', '')} | "
                      f"{'right' if named else 'wrong: ' + first['kind'] + ' ' + str(first.get('line'))}"
                      f" | {first['saves_cycles']} | {saved} | {ratio:.2f} |")
            if not named:
                wrong.append(f"{case.name}: the first advice is {first}")
            elif not near:
                wrong.append(f"{case.name}: {first['saves_cycles']} cycles are promised, mending "
                             f"saves {saved}")
        for case in planted.bounded_cases():
            bad = run(options.ptosim, folder, case.text, case.blocks, case)
            good = run(options.ptosim, folder, case.mended_text, case.blocks, case)
            at = [a for a in bad["advice"]
                  if a["kind"] == case.kind and a.get("line", 0) in case.bug_lines() and case.says in a["what"]]
            promised = at[0]["saves_cycles"] if at else 0
            saved = bad["cycles"] - good["cycles"]
            if options.table:
                print(f"| {case.name} | {bad['cycles']} | (one of {len(bad['advice'])}) | "
                      f"{'right' if at else 'wrong'} | {promised} | {saved} | {promised / saved:.2f} |")
            if abs(promised / saved - 1) > WITHIN:
                wrong.append(f"{case.name}: {promised} cycles are promised, mending saves {saved}")
        wrong += simulated(options.ptosim, folder)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
