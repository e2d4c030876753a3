"""Builds and runs the examples of a checkout of Catlass on the toolkit, by its own CMake and the command lines of their
READMEs, unmodified.

An example passes if its own comparison prints "Compare success". States: passed, wrong (its comparison failed), run (it
ended with an error), build, slow (it took longer than --timeout seconds), none (its README has no command line that can be
run as it is).
"""
import pathlib
import re
import shlex
import sys

import suites
from suites import TIME_LIMIT, Suite, options, place

REASON = r"^.*(?:error[: ]|\[[A-Z]\d\d\]|Traceback|Error\b|failed).*$"


def commands(folder):
    """Lines that make data, and the arguments of the program; None without a line that names all of them."""
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8", errors="ignore") if readme.exists() else ""
    lines = [line.split("#")[0].strip() for block in re.findall(r"```[^\n]*\n(.*?)```", text, re.S)
             for line in block.splitlines()]
    data = [line for line in lines if re.match(r"python3? \S*gen_data\S*\.py", line) and "$" not in line]
    runs = [line for line in lines if re.match(rf"\./(output/bin/)?{folder.name}( |$)", line) and "$" not in line]
    return (data[:1], shlex.split(runs[0])[1:]) if runs else None


class Examples(Suite):
    repository = "Catlass"
    options = options("ptosim only commit json csv record resume retry work!", jobs=2, timeout=300,
                      ascendc=place("a checkout of asc-devkit", required=True))
    columns = ("example", "state", "reason")
    good = ("passed", "none")
    mark = "catlass"

    def prepare(self):
        self.work, self.store = self.given.work, self.given.work / "results.json"
        suites.make_toolkit(self.given.ptosim, self.work, self.given.ascendc)
        self.copy = suites.copy_of(self.given.checkout, self.work / "catlass")
        status, output = self.call(["cmake", "-S", self.copy, "-B", self.work / "build", "-DCATLASS_ARCH=2201",
                                    "-DNPU_MODEL=Ascend910B1", "-DCANN_VERSION=9.0.0"], self.work)
        if status != 0:
            sys.exit(output)

    def items(self):
        return sorted(path.name for path in (self.copy / "examples").iterdir()
                      if re.match(r"\d+_", path.name) and "ascend950" not in path.name)

    def call(self, words, folder):
        return suites.run(suites.on_toolkit(self.work / "toolkit", shlex.join(map(str, words)), strict=False), folder,
                          self.given.timeout, suites.with_path(self.work / "bin"), merged=False)

    def run(self, item, built=False):
        """Builds and runs an example; if it is built, only runs it."""
        state, output = self.outcome(item, built)
        reason = "" if state == "passed" else output if state == "none" else suites.reason_of(
            output, REASON, longest=200, folders=r"\S*/(?=[\w.]+:\d+)", nothing="")
        return {"example": item, "state": state, "reason": reason}

    def outcome(self, name, built):
        folder, build = self.copy / "examples" / name, self.work / "build"
        found = commands(folder)
        if found is None:
            return "none", "no command line without variables"
        log = self.work / "logs" / f"{name}.txt"
        log.parent.mkdir(exist_ok=True)
        status, output = (0, "") if built else self.call(["cmake", "--build", build, "--target", name], self.work)
        if status != 0:
            log.write_text(output)
            return "slow" if status == TIME_LIMIT else "build", output
        data, arguments = found
        for line in data:
            script, *words = shlex.split(line)[1:]
            status, output = self.call(["python3", folder / pathlib.Path(script).name, *words], folder)
            if status != 0:
                return "run", output
        status, output = self.call([build / "examples" / name / name, *arguments], folder)
        log.write_text(output)
        if status == 0 and "Compare success" in output:
            return "passed", output
        return "slow" if status == TIME_LIMIT else "wrong" if "Compare failed" in output else "run", output

    def page(self):
        return ""  # the table is that of --csv
