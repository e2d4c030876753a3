#!/usr/bin/python3
"""Takes out operations that `ptosim check --wasted` lists, and prints the saving and whether they were needed.

    wasted_table.py --ptosim BIN --data DIR [--table FILE] [CASE...]

DIR is where tests/kernels/goldens.py has written. Of each kernel case every flag (with all its ends)
and every barrier that is listed is taken out by itself; the kernel without it is compared with its
goldens, and watched by every checker. Exit code 0 if nothing is found in any of them.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "kernels")
sys.path.insert(0, KERNELS)
sys.dont_write_bytecode = True

import run_cases  # noqa: E402

ENTRY = re.compile(r"^\S+?:(\d+): (wait_flag|barrier): .*?(?:; it can be removed with (.*))? "
                   r"\(passed (\d+) times, held up (\d+) cycles\)$")


def check(options, case, text):
    """Exit code and result of the kernel under the checkers, and the operations that they list as wasted."""
    with tempfile.TemporaryDirectory() as folder:
        kernel, result = os.path.join(folder, "k.pto"), os.path.join(folder, "result.json")
        with open(kernel, "w") as file:
            file.write("\n".join(text) + "\n")
        words = [options.ptosim, "check", *run_cases.command_line(case, kernel), "--json", result,
                 "--sync", "explicit", "--wasted"]
        process = subprocess.run(words, cwd=options.data, capture_output=True, text=True, timeout=600)
        with open(result) as file:
            content = json.load(file)
    listed = [line.removeprefix("wasted: ") for line in process.stdout.splitlines()
              if line.startswith("wasted: ")]
    return process.returncode, content, listed


def rows_of(options, case):
    with open(os.path.join(KERNELS, case["kernel"])) as file:
        text = file.read().splitlines()
    _, whole, listed = check(options, case, text)
    for entry in listed:
        first, what, others, passed, held = ENTRY.match(entry).groups()
        lines = sorted({int(first), *(int(n) for n in re.findall(r":(\d+)", others or ""))})
        rest = ["// removed" if i + 1 in lines else line for i, line in enumerate(text)]
        code, result, _ = check(options, case, rest)
        found = sorted({d["code"] for d in result["diagnostics"]})
        yield {"case": case["name"], "what": what.removeprefix("wait_"), "lines": lines,
               "passed": int(passed), "held": int(held), "code": code, "found": found,
               "cycles": whole["cycles"], "saved": whole["cycles"] - result["cycles"]}


def table(rows):
    text = "| case | what | lines | passed | held up, cycles | cycles saved | found then |\n"
    text += "|---" * 7 + "|\n"
    for row in rows:
        text += (f"| {row['case']} | {row['what']} | {', '.join(map(str, row['lines']))} | {row['passed']} | "
                 f"{row['held']} | {row['saved']} of {row['cycles']} | "
                 f"{' '.join(row['found']) or 'nothing'} |\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True, help="the program")
    parser.add_argument("--data", required=True, help="where goldens.py has written")
    parser.add_argument("--table", help="write the table here")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    options.ptosim = os.path.abspath(options.ptosim)
    with open(os.path.join(options.data, "cases.json")) as file:
        cases = json.load(file)["cases"]
    cases = [case for case in cases if not options.cases or case["name"] in options.cases]
    rows = [row for case in cases for row in rows_of(options, case)]
    print(table(rows), end="")
    listed = {row["case"] for row in rows}
    print(f"{len(cases)} cases, {len(cases) - len(listed)} of which list nothing")
    if options.table:
        with open(options.table, "w") as file:
            file.write(table(rows))
    sys.exit(any(row["code"] != 0 for row in rows))


if __name__ == "__main__":
    main()
