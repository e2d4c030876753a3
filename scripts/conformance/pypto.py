"""Runs programs of hw-native-sys/pypto and hw-native-sys/pypto-lib on the simulator, unmodified.

`scripts/pypto_env.sh CHECKOUT` makes the environment; else `ptosim simpler-setup --simpler CHECKOUT/runtime` goes before.
CHECKOUT is built in its own folder (its CMake puts pypto_core below python/pypto, that of runtime/ _task_interface below
runtime/python); --python has torch, numpy, pytest and pytest-forked 1.6 (1.7 fails with all of pytest's reports). The
assembler is the one that `ptosim exec` offers, unless PTOAS_ROOT or PATH has another. Programs are the examples
(CHECKOUT/examples, PYPTO_LIB/examples, PYPTO_LIB/models), each by its own command with its own comparison, and the files of
CHECKOUT/tests/st, each by pytest. Tests of the folder "distributed" get four chips, of which they take as many as they need;
examples in such folders are left out, and with a platform for simulators the examples that pypto-lib excludes from them.
"""
import os
import re

import suites
from python_kernels import reason_of
from suites import Suite, one, options, place

PLATFORMS = ("a2a3sim", "a2a3", "a5sim", "a5")
NOTHING_TO_RUN = 5  # exit status of pytest


def examples(checkout):
    """(name, folder, command after `python`) of the programs of PyPTO that run by themselves; some only on a device."""
    for path in sorted((checkout / "examples").rglob("*.py")):
        text, name = path.read_text(), path.relative_to(checkout)
        if "__main__" not in text or "distributed" in str(name):
            continue
        takes = '"--platform"' in text
        if not takes and re.search(r'^[^#\n]*platform="a(2a3|5)"', text, re.M):
            yield str(name), checkout, None
            continue
        script = ["-m", ".".join(name.with_suffix("").parts)] if re.search(r"^from \.", text, re.M) else [str(name)]
        yield str(name), checkout, lambda platform, script=script, takes=takes: [*script, *["-p", platform] * takes]


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
            chips = ["--device=0-3"] * ("distributed" in name.parts)
            yield str(name), checkout, lambda platform, name=name, chips=chips: [
                "-m", "pytest", "-q", "-rP", "-p", "no:cacheprovider", "--forked", *platform_words(platform), *chips, str(name)]


def library(checkout, simulators):
    """The examples and models of pypto-lib that have a command line, and are for simulators if that is asked for."""
    for top in ("examples", "models"):
        for path in sorted((checkout / top).rglob("*.py")):
            text, name = path.read_text(), path.relative_to(checkout)
            unfit = simulators and re.search(r"^#\s*ci:\s*no-sim", text, re.M)
            if '"--platform"' in text and "__main__" in text and not unfit:
                yield f"pypto-lib/{name}", checkout, lambda platform, name=name: [str(name), "-p", platform]


class OnDevice(Suite):
    """Base of the suites whose items may have nothing for the platform: "passed" is True, False or None."""
    state, reason = "passed", "why"
    good = ("passes", "-")

    def state_of(self, result):
        return {True: "passes", False: "fails", None: "-"}[result["passed"]]

    def summary(self):
        found = [result["passed"] for result in self.reported() if result["passed"] is not None]
        return f"{sum(found)} of {len(found)} programs pass"


class Programs(OnDevice):
    repository = "hw-native-sys/pypto"
    options = options("ptosim json record resume list python", seconds=600, work=suites.ROOT / "build" / "conformance-pypto",
                      only={"help": "programs whose name contains one of these words, separated by commas"},
                      lib=place("a checkout of pypto-lib"), platform=one(
                          "a2a3sim", "a2a3 and a5 are for tests that are for the device alone", PLATFORMS),
                      system={"help": "chips of a program of several have one clock, and links of this system"})
    columns = ("program", "outcome", "tests", "runs", "simulated, us", "seconds", "first reason")

    def prepare(self):
        given = self.given
        self.mark = f"PyPTO {given.platform}" + (f", {given.system}" if given.system else "")
        folders = [given.checkout / "python", given.checkout / "runtime" / "python", given.checkout / "runtime",
                   given.checkout, *([given.lib] if given.lib else [])]
        self.environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONDONTWRITEBYTECODE": "1",
            "PYPTO_PROG_BUILD_DIR": str(given.work / "programs"),
            "OMP_NUM_THREADS": "1"}  # torch computes what is expected: its threads wait for each other

    def items(self):
        given = self.given
        return [*examples(given.checkout), *system_tests(given.checkout),
                *(library(given.lib, given.platform.endswith("sim")) if given.lib else [])]

    def listed(self, item):
        return f"{item[0]}: {' '.join(item[2](self.given.platform)) if item[2] else '-'}"

    def run(self, item):
        """Outcome of the program; "passed" is None if nothing ran on the chip."""
        name, folder, command = item
        if command is None:
            return {"program": name, "passed": None, "tests": "", "seconds": 0, "runs": 0, "device_us": 0,
                    "why": "asks for the device, not for a simulator"}
        clock = ["--system", self.given.system] if self.given.system else []
        status, text, seconds = suites.timed(
            [self.given.ptosim, "exec", *clock, "--", self.given.python, *command(self.given.platform)], folder,
            self.given.seconds, self.environment, self.given.work / "logs" / (name.replace("/", "_") + ".log"))
        counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|error)s?\b", (
            re.findall(r"^(?:=+ )?(?:\d+ \w+,? ?)+ in .*", text, re.M) or [""])[-1])}
        # Time of a run on the device by simpler, in ns: the simulated time.
        runs = [int(took) for took in re.findall(r"name=\S*\.device_wall ts=\d+ dur=(\d+) clk=dev", text)]
        passed, why = self.judged(status, text, counts, runs)
        return {"program": name, "tests": ", ".join(f"{number} {word}" for word, number in counts.items()), "seconds": seconds,
                "runs": len(runs), "device_us": round(sum(runs) / 1000, 1), "passed": passed, "why": why}

    def judged(self, status, text, counts, runs):
        if status == NOTHING_TO_RUN or (status == 0 and set(counts) == {"skipped"}):
            return None, "has nothing for the platform"
        if refused := re.search(r"UsageError: (.* only supports --platform.*)", text):
            return None, refused.group(1)
        if status == 0:
            return (True, "") if runs else (None, "compiles, and runs nothing")
        return False, f"not done after {self.given.seconds:g} s" if status < 0 else reason_of(text)

    def row_of(self, result):
        return (result["program"], self.state_of(result), result["tests"], result["runs"], f"{result['device_us']:.1f}",
                f"{result['seconds']:.0f}", result["why"])
