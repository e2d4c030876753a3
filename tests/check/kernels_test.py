#!/usr/bin/python3
"""Kernels with a known bug: `ptosim check` finds it, on its line, and nothing in the repaired kernel.

    kernels_test.py --ptosim BIN [--table] [NAME...]

reports/ holds kernels of our own that do what public reports describe, samples/ kernels with the bugs
that the samples of Ascend/mssanitizer inject. reports.tsv lists all reports with their verdicts, also those
without a kernel. Comments of each kernel give its options, and its findings:

    // run: OPTION...        options of ptosim for the kernel
    // check: LIST           checkers, if not all
    // wasted: N             N lines of --wasted, and no finding
    ...  // finds CODE...    findings at this line, and nowhere else
    ...  //-                 this line is not in the repaired kernel
    //+ ...                  this line is only in the repaired kernel

--table prints the findings as a table. Exit code 0 if they are those of the comments.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
UNUSABLE = re.compile(r"[ASTLGP]\d\d|E0[89]|C01")  # codes of instructions that never run: exit code 2


def header(text, key, default=""):
    found = re.search(rf"^// {key}: (.*?)(?: //-)?$", text, re.MULTILINE)
    return found.group(1) if found else default


def repaired(text):
    lines = []
    for line in text.splitlines():
        if line.rstrip().endswith("//-"):
            continue
        lines.append(re.sub(r"^(\s*)//\+ ", r"\1", line))
    return "\n".join(lines) + "\n"


def check(ptosim, folder, text):
    """Exit code, the codes found by line, the findings, and the lines about wasted waits."""
    kernel = os.path.join(folder, "k.pto")
    with open(kernel, "w") as file:
        file.write(text)
    words = [ptosim, "check", "k.pto", *header(text, "run").split(), "--format", "json", "--report",
             "found.json", "--check", header(text, "check", "all"), "--sync", "explicit", "--wasted"]
    report = os.path.join(folder, "found.json")
    process = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    with open(report) as file:
        findings = json.load(file)
    os.remove(report)
    lines = {}
    for d in [one for d in findings for one in [d, *d.get("explains", [])]]:
        lines.setdefault(d.get("location", {}).get("line", 0), []).append(d["code"])
    wasted = process.stdout.count("wasted: ")
    return process.returncode, {k: sorted(v) for k, v in lines.items()}, findings, wasted


def expected(text):
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        marks = re.search(r"// finds ([A-Z0-9 ]+?)(?: //-)?$", line.rstrip())
        if marks and not line.lstrip().startswith("//"):
            found[number] = sorted(marks.group(1).split())
    return found


def run(options, name, text, rows):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        code, found, findings, wasted = check(options.ptosim, folder, text)
        want = expected(text)
        if found != want:
            problems.append(f"finds {found}, not {want}")
        unusable = any(UNUSABLE.fullmatch(d["code"]) and d["category"] == "illegal" for d in findings)
        if code != (2 if unusable else 1 if findings else 0):
            problems.append(f"exit code {code}")
        lost = int(header(text, "wasted", "0"))
        if lost and wasted < lost:
            problems.append(f"{wasted} wasted, not {lost}")
        if not want and not lost:
            problems.append("says nothing of what is found")
        for row in findings[:1]:
            rows.append((name, " ".join(sorted({one["code"] for d in findings for one in [d, *d.get("explains", [])]})), row["message"]))
        if not findings:
            rows.append((name, "--wasted", f"{wasted} waits that order nothing"))
        code, found, findings, wasted = check(options.ptosim, folder, repaired(text))
        if code != 0 or found or (lost and wasted >= lost):
            told = [d["message"] for d in findings[:2]]
            problems.append(f"repaired: exit code {code}, finds {found}, {wasted} wasted {told}")
    print(f"{'FAILED' if problems else 'ok':7}{name}", flush=True)
    for problem in problems:
        print("        " + problem)
    return not problems


def listed():
    """Problems if reports.tsv does not name exactly the kernels of reports/, with the codes that they mark."""
    problems, named = [], set()
    with open(os.path.join(HERE, "reports.tsv")) as file:
        lines = [line.rstrip("\n").split("\t") for line in file][1:]
    for project, number, _, _, _, verdict, where in lines:
        who = f"{project} {number}"
        path = os.path.join(HERE, "reports", where + ".pto")
        if not os.path.exists(path):
            if verdict.split()[0] in ("found", "refused") and " " not in where:
                problems.append(f"{who}: no kernel {where}")
            continue
        named.add(where)
        state, *codes = verdict.split()
        with open(path) as file:
            marked = {code for codes_of in expected(file.read()).values() for code in codes_of}
        if set(codes) != marked or state not in ("found", "refused"):
            problems.append(f"{who}: '{verdict}', and the kernel marks {sorted(marked)}")
    kernels = {name.removesuffix(".pto") for name in os.listdir(os.path.join(HERE, "reports"))}
    problems += [f"not listed: {name}" for name in sorted(kernels - named)]
    for problem in problems:
        print("reports.tsv: " + problem)
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True, help="the program")
    parser.add_argument("--table", action="store_true", help="also print what is found, as a table")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.ptosim = os.path.abspath(options.ptosim)
    good, count, rows = True, 0, []
    for room in ("reports", "samples"):
        for file_name in sorted(os.listdir(os.path.join(HERE, room))):
            name = room + "/" + file_name.removesuffix(".pto")
            if not file_name.endswith(".pto") or (options.names and name not in options.names):
                continue
            with open(os.path.join(HERE, room, file_name)) as file:
                good = run(options, name, file.read(), rows) and good
            count += 1
    if not options.names:
        good = listed() and good
    if options.table:
        for row in rows:
            print("| " + " | ".join(row) + " |")
    print(f"{count} kernels")
    sys.exit(0 if good and count else 1)


if __name__ == "__main__":
    main()
