#!/usr/bin/python3
"""Writes the conformance vectors: what each instruction must compute, for every type, layout and attribute.

    export.py --ptosim BIN --goldens DIR OUT.jsonl.xz

DIR is where the build has written the golden cases (build/goldens): inputs and results by numpy and exact fractions,
nothing of ptosim. The program only gives the words of its instruction table: names of operands, rules. docs/formats.md
describes the format.
"""
import argparse
import base64
import json
import lzma
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "differential"))
import golden_cases  # noqa: E402

FORMAT = 1


def text(data):
    return base64.b64encode(data).decode()


def operand_record(operand, about):
    record = {"name": about["name"], "kind": operand.kind, "role": about["role"], "dtype": operand.dtype}
    if operand.kind == "scalar":
        return record | {"bits": operand.bits}
    if operand.kind == "tile":
        record |= {"space": operand.space, "rows": operand.rows, "cols": operand.cols, "layout": operand.layout,
                   "fractal": operand.fractal, "valid": [operand.valid_rows, operand.valid_cols], "pad": operand.pad}
    else:
        record |= {"layout": operand.layout, "shape": operand.shape, "strides": operand.strides}
    record["before"] = text(operand.before)
    if operand.after != operand.before:
        record["after"] = text(operand.after)
    return record


def case_record(case, row):
    operands = [operand and operand_record(operand, about) for operand, about in zip(case.operands, row["operands"])]
    return {"name": case.name, "instruction": case.opcode, "arch": case.arch, "profile": case.profile or "ieee",
            "attributes": case.attributes, "operands": operands}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--goldens", required=True)
    parser.add_argument("out")
    options = parser.parse_args()
    answer = subprocess.run([options.ptosim, "isa", "--json", "-"], capture_output=True, text=True, check=True)
    rows = {row["name"]: row for row in json.loads(answer.stdout) if row["kind"] == "instruction"}
    cases = golden_cases.read(options.goldens)
    used = {case.opcode for case in cases}
    head = {"format": FORMAT, "cases": len(cases),
            "instructions": {name: {"rule": rows[name]["summary"], "pipe": rows[name]["pipe"],
                                    "profile_rules": rows[name]["profile_rules"]} for name in sorted(used)}}
    with lzma.open(options.out, "wt", preset=6) as file:
        for record in (head, *(case_record(case, rows[case.opcode]) for case in cases)):
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
    print(f"{len(cases)} cases of {len(used)} instructions, {os.path.getsize(options.out)} bytes: {options.out}")


if __name__ == "__main__":
    main()
