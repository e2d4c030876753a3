#!/usr/bin/python3
"""Runs the kernels of this directory on ptosim and compares their outputs.

    run_cases.py --ptosim BIN [--data DIR] [--command run|check] [CASE...] [-- OPTION...]
    run_cases.py --ptosim BIN --broken [--command check|run] [NAME...]

DIR is where goldens.py writes (made if it has no manifest). Options after `--` go to ptosim as they
are. With --broken the mutated kernels of broken.json are run under `ptosim check`, each of which
must exit with 1 and report one of the expected categories. Under `ptosim run`, which has no
checkers, it is enough that each exits with 1, if only for wrong outputs; mutations that only a checker
can find are left out. Exit code 0 if all is as it should be.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import mutate  # noqa: E402


def command_line(case, kernel):
    """ptosim's arguments for a case, to be run in the data directory."""
    line = [kernel, "--entry", case["entry"], "--blocks", str(case["blocks"])]
    for arg in case["args"]:
        line += ["--arg", arg]
    for golden in case["golden"]:
        spec = f"{golden['parameter']}={golden['file']}"
        if "rtol" in golden:
            spec += f":{golden['rtol']},{golden['atol']}"
        line += ["--golden", spec]
    return line


def execute(ptosim, command, line, data, extra):
    """Returns exit code, result (a dictionary, empty if there is none), error text, seconds."""
    with tempfile.TemporaryDirectory() as directory:
        result = os.path.join(directory, "result.json")
        begin = time.monotonic()
        try:
            process = subprocess.run([ptosim, command, *line, "--json", result, *extra], cwd=data,
                                     capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return None, {}, "did not end within 600 s", 600
        seconds = time.monotonic() - begin
        content = {}
        if os.path.exists(result):
            with open(result) as file:
                content = json.load(file)
    return process.returncode, content, process.stderr, seconds


def run_case(options, case, extra):
    kernel = os.path.join(HERE, case["kernel"])
    code, result, errors, seconds = execute(
        options.ptosim, options.command, command_line(case, kernel), options.data, extra)
    print(f"{'ok' if code == 0 else 'FAILED':7}{case['name']:24}{result.get('cycles', '-'):>9} cycles "
          f"{seconds:7.2f} s", flush=True)
    if code != 0:
        print(f"        exit code {code}\n        " + errors.strip().replace("\n", "\n        "))
    return code == 0


def run_broken(options, broken, case, extra):
    with open(os.path.join(HERE, case["kernel"])) as file:
        text = mutate.remove(file.read(), broken["remove"])
    with tempfile.TemporaryDirectory() as directory:
        kernel = os.path.join(directory, broken["name"] + ".pto")
        with open(kernel, "w") as file:
            file.write(text)
        code, result, errors, seconds = execute(
            options.ptosim, options.command, command_line(case, kernel), options.data, extra)
    # A finding names those that its cause explains by their codes.
    found = {d.get("category") for d in result.get("diagnostics", [])}
    notes = [str(note) for d in result.get("diagnostics", []) for note in d.get("notes", [])]
    found |= {"race" for note in notes if "explains" in note and re.search(r"\b(E0[1-3]|G04) at", note)}
    good = code == 1 and (options.command == "run" or bool(found & set(broken["expect"])))
    print(f"{'ok' if good else 'FAILED':7}{broken['name']:32} exit {code}, found {sorted(map(str, found))}, "
          f"expected {broken['expect']} {seconds:7.2f} s", flush=True)
    if not good:
        print("        " + errors.strip().replace("\n", "\n        "))
    return good


def main():
    arguments = sys.argv[1:]
    extra = []
    if "--" in arguments:
        split = arguments.index("--")
        arguments, extra = arguments[:split], arguments[split + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True, help="the program")
    parser.add_argument("--data", default=os.path.join(tempfile.gettempdir(), "ptosim-kernels"),
                        help="where goldens.py writes")
    parser.add_argument("--command", choices=["run", "check"],
                        help="of ptosim; default: run, and check for --broken")
    parser.add_argument("--broken", action="store_true", help="run the mutated kernels instead")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(arguments)
    options.ptosim = os.path.abspath(options.ptosim)
    options.command = options.command or ("check" if options.broken else "run")

    manifest = os.path.join(options.data, "cases.json")
    if not os.path.exists(manifest):
        subprocess.run(["/usr/bin/python3", os.path.join(HERE, "goldens.py"), options.data], check=True)
    with open(manifest) as file:
        cases = {case["name"]: case for case in json.load(file)["cases"]}
    with open(os.path.join(HERE, "broken.json")) as file:
        broken = {entry["name"]: entry for entry in json.load(file)["broken"]
                  if options.command == "check" or not entry.get("needs_check")}

    known = broken if options.broken else cases
    names = options.names or list(known)
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"run_cases.py: no such case: {', '.join(unknown)}")
    if options.broken:
        passed = [run_broken(options, broken[n], cases[broken[n]["case"]], extra) for n in names]
    else:
        passed = [run_case(options, cases[n], extra) for n in names]
    print(f"{sum(passed)} of {len(passed)} as expected")
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
