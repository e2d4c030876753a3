#!/usr/bin/env python3
"""Compares an implementation of the instructions with the conformance vectors, byte by byte.

    run_vectors.py VECTORS.jsonl.xz IMPLEMENTATION.py [--arch a2a3|a5] [--only NAME] [--results FILE.json]

Needs Python 3.8 and nothing else. IMPLEMENTATION.py is a module with one function:

    def compute(case):
        '''The bytes of the written operands after the instruction, {index of the operand: bytes}; None if this
        implementation does not have the instruction with these operands.'''

`case` is a record as docs/formats.md describes it, with "before" (and "after", which compute() does not see) as bytes. A
module may have a function start(cases) that is called once, with all cases of the run. Whole physical tiles are
compared: bytes outside of the valid region must not change. Exit code 1 if a case differs.
"""
import argparse
import base64
import collections
import importlib.util
import json
import lzma
import os
import sys

FORMAT = 1


def read(path):
    """The head, and every case with its bytes."""
    with lzma.open(path, "rt") as file:
        head = json.loads(next(file))
        if head["format"] != FORMAT:
            sys.exit(f"error: {path} has format {head['format']}, this program reads {FORMAT}")
        return head, [decoded(json.loads(line)) for line in file]


def decoded(case):
    for operand in case["operands"]:
        if operand and "before" in operand:
            operand["before"] = base64.b64decode(operand["before"])
            operand["after"] = base64.b64decode(operand["after"]) if "after" in operand else operand["before"]
    return case


def question(case):
    """The case without its answers."""
    operands = [operand and {key: value for key, value in operand.items() if key != "after"}
                for operand in case["operands"]]
    return {**case, "operands": operands}


def written(case):
    return {index: operand["after"] for index, operand in enumerate(case["operands"])
            if operand and operand["kind"] != "scalar" and operand["role"] in ("out", "in/out")}


def judge(case, answer):
    """('agrees' | 'differs' | 'not there', a line about it)"""
    if answer is None:
        return "not there", ""
    for index, expected in written(case).items():
        found = answer.get(index)
        if found is None or len(found) != len(expected):
            return "differs", f"operand {index} has {len(found or b'')} bytes, not {len(expected)}"
        if found != expected:
            wrong = [at for at, (a, b) in enumerate(zip(found, expected)) if a != b]
            return "differs", (f"operand {index} differs in {len(wrong)} of {len(expected)} bytes, first at {wrong[0]}: "
                               f"{found[wrong[0]]:#04x}, not {expected[wrong[0]]:#04x}")
    return "agrees", ""


def load(path):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("implementation", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors")
    parser.add_argument("implementation")
    parser.add_argument("--arch", help="only cases of this architecture")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--results", help="write what became of each case")
    options = parser.parse_args()
    head, cases = read(options.vectors)
    cases = [case for case in cases if options.only in case["name"] and options.arch in (None, case["arch"])]
    module = load(options.implementation)
    if hasattr(module, "start"):
        module.start([question(case) for case in cases])
    results, by_instruction = {}, collections.defaultdict(collections.Counter)
    for case in cases:
        outcome, note = judge(case, module.compute(question(case)))
        results[f"{case['name']} {case['arch']} {case['profile']}"] = [outcome, note]
        by_instruction[case["instruction"]][outcome] += 1
        if outcome == "differs":
            print(f"{case['name']} ({case['arch']}, {case['profile']}): {note}")
    print(f"{'instruction':24}{'agrees':>8}{'differs':>9}{'not there':>11}")
    for name, counts in sorted(by_instruction.items()):
        print(f"{name:24}{counts['agrees']:8}{counts['differs']:9}{counts['not there']:11}")
    total = sum(by_instruction.values(), collections.Counter())
    print(f"{'all':24}{total['agrees']:8}{total['differs']:9}{total['not there']:11}")
    if options.results:
        with open(options.results, "w") as file:
            json.dump({"cases": results, "of": head["cases"]}, file, indent=0)
    return 1 if total["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
