#!/usr/bin/python3
"""The capture kit end to end, the simulator for the board.

    proof.py --ptosim BIN [--chip ascend910b1] [--seed 1] [--profile a2a3] [--sets 15]

A chip file in which every figure of the kit is multiplied by a random number from 0.7 to 1.4 is the board; the
kit is written, built, and run on it under another numeric profile; the import, which knows the chip's own
file, must find each figure within 2 %, the profile of every rule exactly, and whether a flag is a bit or a counter.
Results are in tests/evidence/capture.json. It takes some minutes, and python3 with numpy.
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

WITHIN = 2  # per cent
ROUNDS = "1024"  # of a loop; a tick of the counter of a2a3 is 37 cycles, a 28th of a cycle of a round
VECTOR_OVERHEAD = "aiv.vector.overhead"


def board(base, figures, seed, sets):
    """A chip file, and its values by path. Costs of cycles are whole, as on a board."""
    chance, truth, parameters = random.Random(seed), {}, {}
    for path in capture.FIGURES:
        if path not in figures:
            continue
        value = capture.number(figures[path]) * chance.uniform(0.7, 1.4)
        if path == VECTOR_OVERHEAD and base != "ascend910b1":  # beyond the least start-up nothing moves with it
            value *= 0.65
        if capture.is_whole(path, figures[path]):
            value = round(value)
        truth[path] = float(f"{value:.4g}")
        node = parameters
        *groups, last = path.split(".")
        for group in groups:
            node = node.setdefault(group, {})
        node[last] = {"value": truth[path], "unit": capture.unit(figures[path]), "grade": "assumed",
                      "source": "a random number"}
    parameters["flags"] = {"sets": {"value": sets, "unit": "", "grade": "assumed", "source": "a choice"}}
    return {"name": "board", "description": "a board", "extends": base, "parameters": parameters}, truth


def with_this_python():
    """So that the import's python3 is the one that runs this, which has numpy."""
    folders = (os.path.dirname(sys.executable), os.environ.get("PATH", ""))
    return dict(os.environ, PATH=os.pathsep.join(folders))


def leaf(chip, path):
    node = chip["parameters"]
    for key in path.split("."):
        node = node[key]
    return node["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--profile", default="a2a3")
    parser.add_argument("--sets", type=int, default=15, help="that a flag of the board holds")
    options = parser.parse_args()
    ptosim = os.path.abspath(options.ptosim)
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([ptosim, "chips", options.chip, "--json", "-"], check=True, capture_output=True,
                              text=True)
        base = json.loads(said.stdout)
        figures = base["parameters"]
        chip, truth = board(options.chip, figures, options.seed, options.sets)
        with open(os.path.join(folder, "board.json"), "w") as file:
            json.dump(chip, file)
        kit = os.path.join(folder, "kit")
        subprocess.run([ptosim, "capture", "--out", kit], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([ptosim, "build", "kernels.cpp", "host.cpp", "-o", "capture", "-O1", "--arch", base["arch"]],
                       cwd=kit, check=True, stdout=subprocess.DEVNULL)
        cores = capture.number(figures["clusters"]) * capture.number(figures["cluster.aivs"])
        for part, mode in (("all", "timing"), ("numbers", "full")):  # times do not rest on data
            subprocess.run(["./capture", ".", str(int(cores)), "3", ROUNDS, part], cwd=kit, check=True,
                           stdout=subprocess.DEVNULL,
                           env=dict(os.environ, PTOSIM_CHIP=os.path.join(folder, "board.json"),
                                    PTOSIM_CHECK="none", PTOSIM_MODE=mode, PTOSIM_NUMERICS=options.profile))
        found_file = os.path.join(folder, "found.json")
        done = subprocess.run([ptosim, "capture", "--import", kit, "--chip", options.chip, "--write", found_file],
                              check=True, stdout=subprocess.PIPE, text=True, env=with_this_python())
        with open(found_file) as file:
            found = json.load(file)
    print(done.stdout)
    print("| figure | the board's | found | off % |\n|---|--:|--:|--:|")
    wrong, untold = [], []
    for path, value in truth.items():
        try:
            is_found = leaf(found, path)
        except KeyError:
            print(f"| `{path}` | {value:g} | not told | |")
            untold.append(path)
            continue
        off = 100 * (is_found / value - 1)
        print(f"| `{path}` | {value:g} | {is_found:g} | {off:+.1f} |")
        if abs(off) > WITHIN:
            wrong.append(path)
    rules = done.stdout.split("numeric rules:\n")[1].splitlines()
    wrong += [line for line in rules if options.profile not in line]
    if ("counter" in done.stdout.split("sets that a flag holds: ")[1].splitlines()[0]) != (options.sets > 1):
        wrong.append("flags.sets")
    others = [profile for profile in capture.PROFILES
              if profile != options.profile and all(profile in line for line in rules)]
    wrong += [f"the rules do not tell {profile} from {options.profile}" for profile in others]
    print("\nno time moves with: " + (", ".join(untold) or "none"))
    print("\n" + ("not found: " + ", ".join(wrong) if wrong else "all found"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
