#!/usr/bin/python3
"""Validates what `ptosim check --format sarif` writes: the schema of SARIF 2.1.0, what GitHub's documents
ask for (code_scanning.py), and the validator that these name.

    sarif_schema.py SCHEMA --ptosim BIN [--multitool PROGRAM]

SCHEMA is sarif-2.1/schema/sarif-schema-2.1.0.json of a checkout of oasis-tcs/sarif-spec (its terms do
not let us carry a copy). Every kernel of reports/ and samples/ is checked, as it is and repaired, one
that cannot be read, and one outside of the current folder. PROGRAM is Sarif.Multitool of the npm package
@microsoft/sarif-multitool (on Linux in node_modules/@microsoft/sarif-multitool-linux): its rules of GitHub
(Gh) and of SARIF, errors and warnings but SARIF2005 (this program has no address in the web). Exit
code 0 if all are valid.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema

import code_scanning
import kernels_test

HERE = os.path.dirname(os.path.abspath(__file__))


def kernels():
    for room in ("reports", "samples"):
        for name in sorted(os.listdir(os.path.join(HERE, room))):
            with open(os.path.join(HERE, room, name)) as file:
                text = file.read()
            yield f"{room}/{name}", text
            yield f"{room}/{name}, repaired", kernels_test.repaired(text)
    yield "not a kernel", "// run: --blocks 1\nnothing\n"


def multitool(program, folder):
    """Lines of its rules' errors and warnings about all documents of a folder."""
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    process = subprocess.run([program, "validate", os.path.join(folder, "*.sarif"), "--rule-kind",
                              "Sarif;Gh", "--level", "Error;Warning", "--output",
                              os.path.join(folder, "log.json")],
                             env=environment, capture_output=True, text=True, timeout=900)
    if process.returncode not in (0, 1):
        sys.exit(process.stdout + process.stderr)
    return [line for line in process.stdout.splitlines()
            if re.search(r": (error|warning) (?!SARIF2005)", line)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schema")
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--multitool", help="Sarif.Multitool")
    options = parser.parse_args()
    with open(options.schema) as file:
        validator = jsonschema.Draft4Validator(json.load(file))
    ptosim = os.path.abspath(options.ptosim)
    bad, count, results, rules = 0, 0, 0, {}
    with tempfile.TemporaryDirectory() as folder:
        here = os.path.join(folder, "here")
        os.mkdir(here)
        for name, text in kernels():
            for path in ("k.pto", "../a kernel.pto"):
                with open(os.path.join(here, path), "w") as file:
                    file.write(text)
                process = subprocess.run(
                    [ptosim, "check", path, *kernels_test.header(text, "run").split(), "--check",
                     kernels_test.header(text, "check", "all"), "--format", "sarif"],
                    cwd=here, capture_output=True, text=True, timeout=300)
                document = json.loads(process.stdout)
                errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
                          for error in validator.iter_errors(document)]
                errors += code_scanning.problems(process.stdout)
                for rule in document["runs"][0]["tool"]["driver"]["rules"]:
                    if rules.setdefault(rule["id"], rule) != rule:
                        errors.append(f"rule {rule['id']} differs from what another document says")
                with open(os.path.join(folder, f"{count}.sarif"), "w") as file:
                    file.write(process.stdout)
                count += 1
                results += len(document["runs"][0]["results"])
                for error in errors[:3]:
                    print(f"{name}: {error}")
                bad += bool(errors)
        told = multitool(options.multitool, folder) if options.multitool else []
        print("\n".join(told[:20]))
    print(f"{count} documents with {results} results, {bad} of them not valid")
    if options.multitool:
        print(f"{len(told)} errors and warnings of Sarif.Multitool")
    sys.exit(1 if bad or told or not count else 0)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
