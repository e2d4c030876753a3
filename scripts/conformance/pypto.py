#!/usr/bin/python3
"""Runs programs of hw-native-sys/pypto and hw-native-sys/pypto-lib on the simulator, unmodified.

    conformance.py pypto CHECKOUT --python PYTHON [--lib PYPTO_LIB] [--ptosim BIN] [--platform a2a3sim|a2a3|a5sim|a5]
                   [--system NAME] [--only WORD[,WORD...]] [--list] [--seconds N] [--work DIR] [--json FILE [--resume]] [--record SUITE]

`scripts/pypto_env.sh CHECKOUT` makes the environment; else `ptosim simpler-setup --simpler CHECKOUT/runtime` goes
before. CHECKOUT is built in its own folder (its CMake puts
pypto_core below python/pypto, that of runtime/ _task_interface below runtime/python); PYTHON has torch, numpy, pytest
and pytest-forked 1.6 (1.7 fails with all of pytest's reports). The assembler is the one that `ptosim exec` offers,
unless PTOAS_ROOT or PATH has another. Programs are the examples (CHECKOUT/examples, PYPTO_LIB/examples,
PYPTO_LIB/models), each by its own command with its own comparison, and the files of CHECKOUT/tests/st, each by pytest.
Tests of the folder "distributed" get four chips, of which they take as many as they need; examples in such folders
are left out, and with a platform for simulators the examples that pypto-lib excludes from them.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

import pto_isa
import python_kernels
import suites


def examples(checkout):
    """(name, folder, command after `python`) of the programs of PyPTO that run by themselves; some only on a device."""
    for path in sorted((checkout / "examples").rglob("*.py")):
        text = path.read_text()
        name = path.relative_to(checkout)
        if "__main__" not in text or "distributed" in str(name):
            continue
        if '"--platform"' not in text and re.search(r'^[^#\n]*platform="a(2a3|5)"', text, re.M):
            yield str(name), checkout, None
            continue
        script = [str(name)]
        if re.search(r"^from \.", text, re.M):
            script = ["-m", ".".join(name.with_suffix("").parts)]
        yield str(name), checkout, lambda platform, script=script, text=text: [
            *script, *(["-p", platform] if '"--platform"' in text else [])]


def platform_words(platform):
    """Options for the tests' platform. For a device, the tests look for one in /dev: both are named, and the other's
    tests are left out."""
    if platform.endswith("sim"):
        return [f"--platform={platform}"]
    return [f"--platform={platform},{platform}sim", "-k", f"not {platform}sim"]


def system_tests(checkout):
    for path in sorted((checkout / "tests" / "st").rglob("test_*.py")):
        name = path.relative_to(checkout)
        if "harness" not in name.parts:
            chips = ["--device=0-3"] if "distributed" in name.parts else []
            yield str(name), checkout, lambda platform, name=name, chips=chips: [
                "-m", "pytest", "-q", "-rP", "-p", "no:cacheprovider", "--forked", *platform_words(platform), *chips,
                str(name)]


def library(checkout, simulators):
    """The examples and models of pypto-lib that have a command line, and are for simulators if that is asked for."""
    for top in ("examples", "models"):
        for path in sorted((checkout / top).rglob("*.py")):
            text = path.read_text()
            name = path.relative_to(checkout)
            unfit = simulators and re.search(r"^#\s*ci:\s*no-sim", text, re.M)
            if '"--platform"' in text and "__main__" in text and not unfit:
                yield f"pypto-lib/{name}", checkout, lambda platform, name=name: [str(name), "-p", platform]


class Runner:
    def __init__(self, options):
        self.options = options
        self.work = options.work.resolve()
        (self.work / "logs").mkdir(parents=True, exist_ok=True)
        checkout = options.checkout
        folders = [checkout / "python", checkout / "runtime" / "python", checkout / "runtime", checkout,
                   *([options.lib] if options.lib else [])]
        self.environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONDONTWRITEBYTECODE": "1",
            "PYPTO_PROG_BUILD_DIR": str(self.work / "programs"),
            "OMP_NUM_THREADS": "1"}  # torch computes what is expected: its threads wait for each other

    def program(self, name, folder, command):
        """Outcome of the program; "passed" is None if nothing ran on the chip."""
        if command is None:
            return {"passed": None, "tests": "", "seconds": 0, "runs": 0, "device_us": 0,
                    "why": "asks for the device, not for a simulator"}
        begin = python_kernels.processor_time()
        clock = ["--system", self.options.system] if self.options.system else []
        status, text = pto_isa.run([self.options.ptosim, "exec", *clock, "--", str(self.options.python),
                                    *command(self.options.platform)], folder, self.options.seconds, self.environment)
        seconds = round(python_kernels.processor_time() - begin, 1)
        (self.work / "logs" / (name.replace("/", "_") + ".log")).write_text(text)
        counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|error)s?\b", (
            re.findall(r"^(?:=+ )?(?:\d+ \w+,? ?)+ in .*", text, re.M) or [""])[-1])}
        # Time of a run on the device by simpler, in ns: the simulated time.
        runs = [int(took) for took in re.findall(r"name=\S*\.device_wall ts=\d+ dur=(\d+) clk=dev", text)]
        outcome = {"tests": ", ".join(f"{number} {word}" for word, number in counts.items()), "seconds": seconds,
                   "runs": len(runs), "device_us": round(sum(runs) / 1000, 1)}
        nothing_to_run = 5  # of pytest
        if status == nothing_to_run or (status == 0 and set(counts) == {"skipped"}):
            return {**outcome, "passed": None, "why": "has nothing for the platform"}
        if refused := re.search(r"UsageError: (.* only supports --platform.*)", text):
            return {**outcome, "passed": None, "why": refused.group(1)}
        if status == 0:
            return {**outcome, "passed": True if runs else None, "why": "" if runs else "compiles, and runs nothing"}
        why = f"not done after {self.options.seconds:g} s" if status < 0 else python_kernels.reason_of(text)
        return {**outcome, "passed": False, "why": why}


WORDS = {True: "passes", False: "fails", None: "-"}


def table(results):
    lines = ["| program | outcome | tests | runs | simulated, us | seconds | first reason |",
             "|---|---|---|---:|---:|---:|---|"]
    for name, outcome in results.items():
        lines.append(f"| {name} | {WORDS[outcome['passed']]} | {outcome['tests']} | {outcome['runs']} | "
                     f"{outcome['device_us']:.1f} | {outcome['seconds']:.0f} | {suites.cell(outcome['why'])} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="conformance.py pypto", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--lib", type=pathlib.Path, help="a checkout of pypto-lib")
    parser.add_argument("--python", type=pathlib.Path, default=pathlib.Path(sys.executable))
    parser.add_argument("--platform", default="a2a3sim", choices=("a2a3sim", "a2a3", "a5sim", "a5"),
                        help="a2a3 and a5 are for tests that are for the device alone")
    parser.add_argument("--system", help="chips of a program of several have one clock, and links of this system")
    parser.add_argument("--list", action="store_true", help="say what would run")
    parser.add_argument("--seconds", type=float, default=600, help="a program that takes longer has failed")
    parser.add_argument("--work", type=pathlib.Path, default=suites.ROOT / "build" / "conformance-pypto")
    parser.add_argument("--resume", action="store_true", help="go on with what --json FILE holds")
    suites.add_options(parser, "ptosim", "only", "json", "record",
                       only={"help": "programs whose name contains one of these words"})
    options = parser.parse_args()
    options.ptosim = suites.program(options.ptosim)
    options.python = options.python.absolute()  # a link into its virtual environment
    options.checkout = options.checkout.resolve()
    options.lib = options.lib and options.lib.resolve()
    found = [*examples(options.checkout), *system_tests(options.checkout),
             *(library(options.lib, options.platform.endswith("sim")) if options.lib else [])]
    words = options.only.split(",") if options.only else [""]
    found = [program for program in found if any(word in program[0] for word in words)]
    if options.list:
        print(*(f"{name}: {' '.join(command(options.platform)) if command else '-'}" for name, _, command in found),
              sep="\n")
        return
    if not found:
        sys.exit(f"error: there is no such program in {options.checkout}")
    results = {}
    if options.resume and options.json and pathlib.Path(options.json).exists():
        results = json.loads(pathlib.Path(options.json).read_text())
    runner = Runner(options)
    for name, folder, command in found:
        if name in results:
            continue
        results[name] = outcome = runner.program(name, folder, command)
        print(f"{WORDS[outcome['passed']]} {name} ({outcome['tests']}; {outcome['seconds']:g} s) {outcome['why']}",
              flush=True)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    outcomes = {name: results[name] for name, _, _ in found}
    if options.record:
        suites.put(table(outcomes), options.record,
                   f"PyPTO {options.platform}" + (f", {options.system}" if options.system else ""))
    for_platform = [outcome["passed"] for outcome in outcomes.values() if outcome["passed"] is not None]
    print(f"{sum(for_platform)} of {len(for_platform)} programs pass")
    sys.exit(0 if all(for_platform) else 1)


if __name__ == "__main__":
    main()
