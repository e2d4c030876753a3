#!/usr/bin/python3
"""The capture kit end to end, the simulator for the board.

    proof.py --ptosim BIN [--seed 1] [--profile a2a3]

A chip file in which every figure of the kit is multiplied by a random number from 0.7 to 1.4 is the board; the
kit is written, built, and run on it under another numeric profile; the import, which knows the 910B1's own
file, must find each figure within 2 %, and the profile of every rule exactly. README.md has what came out.
It takes some minutes, and python3 with numpy.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "models", "capture"))
import capture  # noqa: E402

BASE = "ascend910b1"
WITHIN = 2  # per cent


def board(figures, seed):
    """A chip file, and what it says by path. Costs of cycles are whole, as on a board."""
    chance, truth, parameters = random.Random(seed), {}, {}
    for path in capture.FIGURES:
        value = capture.number(figures[path]) * chance.uniform(0.7, 1.4)
        if capture.unit(figures[path]) == "cycles" and value > 10:
            value = round(value)
        truth[path] = float(f"{value:.4g}")
        node = parameters
        *groups, last = path.split(".")
        for group in groups:
            node = node.setdefault(group, {})
        node[last] = {"value": truth[path], "unit": capture.unit(figures[path]), "grade": "assumed",
                      "source": "a random number"}
    return {"name": "board", "description": "a board", "extends": BASE, "parameters": parameters}, truth


def leaf(chip, path):
    node = chip["parameters"]
    for key in path.split("."):
        node = node[key]
    return node["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--profile", default="a2a3")
    options = parser.parse_args()
    ptosim = os.path.abspath(options.ptosim)
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([ptosim, "chips", BASE, "--json", "-"], check=True, capture_output=True, text=True)
        chip, truth = board(json.loads(said.stdout)["parameters"], options.seed)
        with open(os.path.join(folder, "board.json"), "w") as file:
            json.dump(chip, file)
        kit = os.path.join(folder, "kit")
        subprocess.run([ptosim, "capture", "--out", kit], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([ptosim, "build", "kernels.cpp", "host.cpp", "-o", "capture", "-O1"], cwd=kit, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["./capture", ".", "48", "3"], cwd=kit, check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, PTOSIM_CHIP=os.path.join(folder, "board.json"),
                                PTOSIM_NUMERICS=options.profile))
        found_file = os.path.join(folder, "found.json")
        done = subprocess.run([ptosim, "capture", "--import", kit, "--chip", BASE, "--write", found_file],
                              check=True, stdout=subprocess.PIPE, text=True)
        with open(found_file) as file:
            found = json.load(file)
    print(done.stdout)
    print("| figure | the board's | found | off % |\n|---|--:|--:|--:|")
    wrong = []
    for path, value in truth.items():
        off = 100 * (leaf(found, path) / value - 1)
        print(f"| `{path}` | {value:g} | {leaf(found, path):g} | {off:+.1f} |")
        if abs(off) > WITHIN:
            wrong.append(path)
    rules = done.stdout.split("numeric rules:\n")[1].splitlines()
    wrong += [line for line in rules if options.profile not in line]
    print("\n" + ("not found: " + ", ".join(wrong) if wrong else "all found"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
