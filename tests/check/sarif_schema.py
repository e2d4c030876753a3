#!/usr/bin/python3
"""Validates what `ptosim check --format sarif` writes against the schema of SARIF 2.1.0.

    sarif_schema.py SCHEMA --ptosim BIN

SCHEMA is sarif-2.1/schema/sarif-schema-2.1.0.json of a checkout of oasis-tcs/sarif-spec (its terms do
not let us carry a copy). Every kernel of reports/ and samples/ is checked, as it is and repaired, one
that cannot be read, and one outside of the current folder. Exit code 0 if all are valid.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import jsonschema

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schema")
    parser.add_argument("--ptosim", required=True)
    options = parser.parse_args()
    with open(options.schema) as file:
        validator = jsonschema.Draft4Validator(json.load(file))
    ptosim = os.path.abspath(options.ptosim)
    bad, count, results = 0, 0, 0
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
                errors = list(validator.iter_errors(document))
                count += 1
                results += len(document["runs"][0]["results"])
                for error in errors[:3]:
                    print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
                bad += bool(errors)
    print(f"{count} documents with {results} results, {bad} of them not valid")
    sys.exit(1 if bad or not count else 0)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
