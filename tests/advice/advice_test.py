#!/usr/bin/python3
"""The first advice on kernels with a planted performance bug: does it name the bug and its line,
and is the promised saving what mending gives?

    advice_test.py --ptosim BIN [--table]     the latter prints the table of README.md

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


def run(ptosim, folder, text, blocks, case):
    kernel = os.path.join(folder, "kernel.pto")
    with open(kernel, "w") as file:
        file.write(text)
    result = os.path.join(folder, "result.json")
    line = [ptosim, "run", kernel, "--blocks", str(blocks), "--mode", "timing", "--json", result,
            *case.options]
    for argument in case.arguments:
        line += ["--arg", argument]
    process = subprocess.run(line, capture_output=True, text=True, timeout=120)
    if process.returncode != 0:
        raise SystemExit(f"{case.name}: {' '.join(line)}\n{process.stdout}{process.stderr}")
    with open(result) as file:
        return json.load(file)


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
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
