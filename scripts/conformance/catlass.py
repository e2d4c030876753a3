#!/usr/bin/python3
"""Builds and runs the examples of a checkout of Catlass on the toolkit, by its own CMake and the command lines of
their READMEs, unmodified.

    conformance.py catlass CHECKOUT --ascendc ASC_DEVKIT --work DIR [--only TEXT] [--resume] [--retry STATES]
                           [--jobs N] [--csv FILE] [--record SUITE]

An example passes if its own comparison prints "Compare success". States: passed, wrong (its comparison failed),
run (it ended with an error), build, slow (it took longer than --timeout seconds), none (its README has no
command line that can be run as it is).
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from suites import commit_of, parser_of, prepare_toolkit, run_examples, write_examples

STATES = ("passed", "wrong", "run", "build", "slow", "none")


def commands(folder):
    """Lines that make data, and the arguments of the program; None without a line that names all of them."""
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8", errors="ignore") if readme.exists() else ""
    lines = [line.split("#")[0].strip() for block in re.findall(r"```[^\n]*\n(.*?)```", text, re.S)
             for line in block.splitlines()]
    data = [line for line in lines if re.match(r"python3? \S*gen_data\S*\.py", line) and "$" not in line]
    runs = [line for line in lines if re.match(rf"\./(output/bin/)?{folder.name}( |$)", line) and "$" not in line]
    return (data[:1], shlex.split(runs[0])[1:]) if runs else None


def reason_of(output):
    for line in output.splitlines():
        if re.search(r"error[: ]|\[[A-Z]\d\d\]|Traceback|Error\b|failed", line):
            return re.sub(r"\S*/(?=[\w.]+:\d+)", "", line).strip()[:200]
    return output.strip().splitlines()[-1][:200] if output.strip() else ""


def call(words, options, cwd):
    environment = dict(os.environ, PATH=f"{options.work / 'bin'}:{os.environ['PATH']}")
    script = f". {options.work / 'toolkit' / 'set_env.sh'}\n" + " ".join(map(shlex.quote, words))
    done = subprocess.run(["timeout", str(options.timeout), "bash", "-c", script], cwd=cwd, capture_output=True,
                          text=True, errors="replace", env=environment)
    return done.returncode, done.stdout + done.stderr


def run(name, options, built=False):
    """Builds and runs an example; if it is built, only runs it."""
    folder = options.copy / "examples" / name
    found = commands(folder)
    if found is None:
        return {"example": name, "state": "none", "reason": "no command line without variables"}
    build = options.work / "build"
    status, output = (0, "") if built else call(["cmake", "--build", str(build), "--target", name], options, options.work)
    if status != 0:
        (options.work / "logs").mkdir(exist_ok=True)
        (options.work / "logs" / f"{name}.txt").write_text(output)
        return {"example": name, "state": "slow" if status == 124 else "build", "reason": reason_of(output)}
    data, arguments = found
    for line in data:
        words = shlex.split(line)
        words[:2] = ["python3", str(folder / pathlib.Path(words[1]).name)]
        status, output = call(words, options, folder)
        if status != 0:
            return {"example": name, "state": "run", "reason": reason_of(output)}
    status, output = call([str(build / "examples" / name / name), *arguments], options, folder)
    (options.work / "logs").mkdir(exist_ok=True)
    (options.work / "logs" / f"{name}.txt").write_text(output)
    state = ("slow" if status == 124 else "passed" if status == 0 and "Compare success" in output
             else "wrong" if "Compare failed" in output else "run")
    return {"example": name, "state": state, "reason": "" if state == "passed" else reason_of(output)}


def options_of():
    parser = parser_of(__doc__, "ptosim", "only", "commit", "json", "record")
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--ascendc", type=pathlib.Path, required=True, help="a checkout of asc-devkit")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for a copy and builds")
    parser.add_argument("--resume", action="store_true", help="only those without a result in --work")
    parser.add_argument("--retry", help="with --resume: states that are run again, as wrong,run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--csv", help="write one line per example")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.copy = options.work / "catlass"
    return options


def prepare(options):
    prepare_toolkit(options.ptosim, options.work, options.ascendc)
    if not options.copy.exists():
        shutil.copytree(options.checkout, options.copy)
    status, output = call(["cmake", "-S", str(options.copy), "-B", str(options.work / "build"), "-DCATLASS_ARCH=2201",
                           "-DNPU_MODEL=Ascend910B1", "-DCANN_VERSION=9.0.0"], options, options.work)
    if status != 0:
        sys.exit(output)


def main():
    options = options_of()
    prepare(options)
    names = sorted(path.name for path in (options.copy / "examples").iterdir()
                   if re.match(r"\d+_", path.name) and "ascend950" not in path.name)
    names = [name for name in names if not options.only or options.only in name]
    results = run_examples(names, run, options, options.work / "results.json")
    states = [result["state"] for result in results]
    text = (f"Catlass {commit_of(options.checkout, options.commit)[:12]}, dav-2201: "
            + ", ".join(f"{states.count(state)} {state}" for state in STATES) + "\n")
    return write_examples(results, text, options, "catlass")


if __name__ == "__main__":
    sys.exit(main())
