#!/usr/bin/python3
"""Runs the scene tests of a checkout of hw-native-sys/simpler on the simulator, unmodified.

    conformance.py simpler-programs CHECKOUT --ptosim BIN --python PYTHON [--arch a2a3|a5] [--runtime NAME]
                                    [--only TEXT] [--seconds N] [--json FILE [--resume]]

`ptosim simpler-setup` goes before; PYTHON has simpler and torch. Each test_*.py below examples/ and tests/st that
names the platform and the runtime is run as a script, with its own golden; cases that it leaves to be asked for
(manual) are run, too.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import time


def tests(checkout, arch, runtime):
    for top in ("examples", "tests/st"):
        for path in sorted((checkout / top).rglob("test_*.py")):
            text = path.read_text(errors="replace")
            if ("@scene_test" in text and f'runtime="{runtime}"' in text and f'"{arch}sim"' in text
                    and 'level=2' in text):
                yield path.relative_to(checkout)


def run(options, path):
    """What became of the test, in seconds of this host."""
    begin = time.monotonic()
    command = [str(options.ptosim), "exec", "--", options.python, path.name, "-p", f"{options.arch}sim", "--manual",
               "include"]
    try:
        result = subprocess.run(command, cwd=(options.checkout / path).parent, capture_output=True, text=True,
                                check=False, timeout=options.seconds)
    except subprocess.TimeoutExpired:
        return {"passed": False, "why": f"not done after {options.seconds} s", "seconds": options.seconds}
    output = result.stdout + result.stderr
    passed = len(re.findall(r"^\s+\S+::\S+ PASSED", output, re.M))
    failed = re.findall(r"^\s+(\S+::\S+) FAILED: ?(.*)", output, re.M)
    error = re.search(r"^.*(?:error|Error): .*$", output, re.M)
    why = error.group(0) if error else failed[0][1] if failed else ""
    return {"passed": result.returncode == 0 and passed > 0 and not failed, "cases": passed + len(failed),
            "cases_passed": passed, "why": why.strip()[:240] if result.returncode or failed else "",
            "seconds": round(time.monotonic() - begin, 1)}


def main():
    parser = argparse.ArgumentParser(prog="conformance.py simpler-programs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--arch", default="a2a3", choices=("a2a3", "a5"))
    parser.add_argument("--runtime", default="tensormap_and_ringbuffer")
    parser.add_argument("--only", help="paths that hold this text")
    parser.add_argument("--seconds", type=float, default=600, help="a test that takes longer has failed")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--resume", action="store_true", help="go on with what --json FILE holds")
    options = parser.parse_args()
    options.checkout, options.ptosim = options.checkout.resolve(), options.ptosim.resolve()
    found = [path for path in tests(options.checkout, options.arch, options.runtime)
             if not options.only or options.only in str(path)]
    if not found:
        sys.exit(f"error: there is no such test in {options.checkout}")
    results = {}
    if options.resume and options.json and options.json.exists():
        results = json.loads(options.json.read_text())
    for path in found:
        if str(path) in results:
            continue
        results[str(path)] = outcome = run(options, path)
        print(f"{'passed' if outcome['passed'] else 'FAILED'} {path} ({outcome.get('cases_passed', 0)} of "
              f"{outcome.get('cases', 0)} cases, {outcome['seconds']} s) {outcome['why']}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n")
    good = sum(1 for path in found if results[str(path)]["passed"])
    print(f"{good} of {len(found)} tests pass")
    sys.exit(0 if good == len(found) else 1)


if __name__ == "__main__":
    main()
