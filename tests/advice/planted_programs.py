#!/usr/bin/python3
"""Programs of PyPTO with one performance fault each: does the first advice name it, and save what it promises?

    planted_programs.py --ptosim BIN --python PYTHON [--only NAME[,NAME...]]

PYTHON has PyPTO and what it needs (PYTHONPATH counts), and `ptosim simpler-setup` goes before. Each of programs/ is
run as it is and with the word `mended`. The line of the fault has the comment FAULT. Prints the table of tests/evidence/advice.json;
ends with 1 if an advice is wrong, or promises more than a fifth more or less than mending gains.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
# Kind of the first advice, and words of it.
EXPECTED = {
    "chain": ("dependency", "form a chain through `y`: make pl.range in line"),
    "barrier": ("dependency", "Drop the dependency of second"),
    "copies": ("dependency", "Let consume (copies.py:"),
    "small": ("tasks", "8 times the work: 32 tasks instead of 256"),
    "few": ("tasks", "into 8 tasks instead of 2"),
    "last": ("tasks", "Submit tall (last.py:"),
    "uneven": ("tasks", "Share the work of triangle"),
    "window": ("ring", "Set PTO2_RING_TASK_WINDOW"),
    "late": ("orchestration", "Submit other (late.py:"),
}


def run(options, name, words, folder):
    result = subprocess.run([options.ptosim, "exec", "--trace", folder, "--", options.python, PROGRAMS / f"{name}.py",
                             *words], capture_output=True, text=True, check=False, cwd=folder.parent)
    if result.returncode != 0 or "right" not in result.stdout:
        sys.exit(f"{name} {' '.join(words)} has failed:\n{result.stdout}{result.stderr}")
    return json.loads((folder / "agent.json").read_text())


def is_right(name, advice):
    kind, words = EXPECTED[name]
    source = PROGRAMS / f"{name}.py"
    line = source.read_text().splitlines()[advice.get("line", 1) - 1]
    return (advice["kind"] == kind and words in advice["what"] and pathlib.Path(advice.get("file", "")) == source
            and "# FAULT" in line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptosim", type=pathlib.Path, required=True)
    parser.add_argument("--python", type=pathlib.Path, required=True)
    parser.add_argument("--only", default=",".join(EXPECTED))
    options = parser.parse_args()
    options.ptosim, options.python = options.ptosim.resolve(), options.python.absolute()
    wrong = []
    print("| program | us | first advice | promised, us | mended saves, us | promised / saved |\n|---|--:|---|--:|--:|--:|")
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            planted = run(options, name, [], pathlib.Path(folder) / "planted")
            mended = run(options, name, ["mended"], pathlib.Path(folder) / "mended")
        first = planted["advice"][0]
        saved = planted["time_us"] - mended["time_us"]
        promised = first["saves_percent"] / 100 * planted["time_us"]
        if not is_right(name, first) or not 0.8 <= promised / saved <= 1.2:
            wrong.append(name)
        print(f"| {name} | {planted['time_us']:.1f} | {first['what']} | {promised:.1f} | {saved:.1f} | "
              f"{promised / saved:.2f} |", flush=True)
    sys.exit(f"wrong: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
