"""Runs Python programs of public projects on the toolkit, unmodified, by their own commands.

CHECKOUT is one of huawei-csl/pto-dsl (each example by the commands that its examples/validate_all_examples.py takes out of
the README next to it, its tests by pytest) or of huawei-csl/pto-kernels (its extension by `pip install .`, which needs
scikit-build-core and pybind11; tests/ and the tests of examples/jit_cpp by pytest, its run scripts by themselves; scripts of a
folder that ends in _a5 run on a 950). It is copied into the work folder, `ptosim toolkit` makes a folder next to it, and
every command runs after `source set_env.sh`. The Python of --python needs torch, numpy and pytest; `mlir`, `torch_npu` and
`ptoas` are the toolkit's. A program passes if all of its commands end with 0. --record replaces the rows of the programs that
ran, after every program, and leaves the other rows unchanged.
"""
import importlib.util
import re
import shlex
import sys

import suites
from suites import Suite, options, place

PYTEST = "python -m pytest -q -p no:cacheprovider"
# pto-kernels' extension, which its tests need: made whatever --only chooses.
INSTALLATION = "pip install ."


def readme_commands(checkout):
    """Commands that validate_all_examples.py of PTO-DSL runs for a README, by its own code."""
    path = checkout / "examples" / "validate_all_examples.py"
    text = path.read_text().replace("from ptodsl.npu_info import", "# ")  # torch is not needed to read
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("validate_all_examples", loader=None))
    sys.modules[module.__name__] = module
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module.extract_commands


def pto_dsl(checkout):
    """(name, folder, commands) of each example, and of each folder of tests."""
    commands_of = readme_commands(checkout)
    for readme in sorted((checkout / "examples").rglob("README.md")):
        if readme.parent != checkout / "examples":
            yield str(readme.parent.relative_to(checkout)), readme.parent, commands_of(readme)
    for folder in [checkout / "tests" / "frontend", *sorted((checkout / "tests" / "npu").iterdir())]:
        if folder.is_dir():
            name = str(folder.relative_to(checkout))
            yield name, checkout, [f"{PYTEST} {name}"]


def pto_kernels(checkout):
    site = checkout.parent / "site"
    if not site.exists():
        yield INSTALLATION, checkout, [
            "export CMAKE_PREFIX_PATH=$(python -c 'import torch; print(torch.utils.cmake_prefix_path)')",
            "export ASCEND_CANN_PACKAGE_PATH=$ASCEND_HOME_PATH CMAKE_GENERATOR='Unix Makefiles'",
            f"pip install --no-build-isolation --no-deps --target {shlex.quote(str(site))} ."]
    for path in sorted((checkout / "tests").glob("test_*.py")):
        name = str(path.relative_to(checkout))
        yield name, checkout, [f"{PYTEST} {name}"]
    for folder in sorted(path for path in (checkout / "examples" / "jit_cpp").iterdir() if path.is_dir()):
        chip = ["export PTOSIM_CHIP=ascend950pr"] if folder.name.endswith("_a5") else []
        for path in sorted([*folder.rglob("test_*.py"), *folder.glob("run_*.py")]):
            run = PYTEST if path.name.startswith("test_") else "python"
            yield str(path.relative_to(checkout)), folder, [*chip, f"{run} {path.relative_to(folder)}"]


def reason_of(text):
    """The first line that gives the reason: of the simulator, of pytest, of Python."""
    return suites.reason_of(text, r"^.*\berror: (?:(?!.*\[H24\]).*)$", r"^E   .*$", r"^\w*(?:Error|Exception)\b.*$")


class Programs(Suite):
    repository = "huawei-csl/pto-dsl or huawei-csl/pto-kernels"
    options = options("ptosim only record list python", work=suites.ROOT / "build" / "conformance-python", timeout=900,
                      pto_isa=place("a checkout, for PTO_LIB_PATH, without which some scripts of PTO-DSL do nothing; its "
                                    "headers are not used"))
    columns = ("program", "result", "tests", "seconds", "first reason")
    good = None
    state, reason = "result", "first reason"

    def prepare(self):
        self.work, self.toolkit = self.given.work, suites.make_toolkit(self.given.ptosim, self.given.work)
        self.checkout = suites.copy_of(self.given.checkout, self.work / self.given.checkout.name)
        self.programs = pto_dsl if (self.checkout / "ptodsl").is_dir() else pto_kernels

    def items(self):
        return self.programs(self.checkout)

    def listed(self, item):
        return "\n    ".join([item[0], *item[2]])

    def wanted(self, name):
        return name == INSTALLATION or super().wanted(name)

    def run(self, item):
        """Result, counts of tests, seconds of processor time, first reason."""
        name, folder, commands = item
        packages = ":".join(shlex.quote(str(place)) for place in (self.work / "site", self.checkout, self.checkout / "python"))
        exports = [f"export PATH={shlex.quote(str(self.given.python.parent))}:$PATH",
                   f"export PYTHONPATH={packages}:$PYTHONPATH PYTHONDONTWRITEBYTECODE=1 PTODSL_TEST_DEVICE_ID=0"]
        if self.given.pto_isa:
            exports.append(f"export PTO_LIB_PATH={shlex.quote(str(self.given.pto_isa))}")
        status, text, seconds = suites.timed(suites.on_toolkit(self.toolkit, *exports, *commands), folder, self.given.timeout,
                                             log=self.work / "logs" / (name.replace("/", "_") + ".log"))
        tests = (re.findall(r"^(?:=+ )?((?:\d+ \w+,? ?)+) in ", text, re.M) or [""])[-1].strip()
        result, reason = ("passed", "") if status == 0 else ("failed", "time limit" if status < 0 else reason_of(text))
        if not commands:
            result, tests, reason = "no commands", "", "its README's first block has none"
        row = dict(zip(self.columns, (name, result, tests, f"{seconds:.0f}", reason)))
        if self.given.record and name != INSTALLATION:
            suites.evidence.record_row(self.given.record, "PTO-DSL" if self.programs is pto_dsl else "pto-kernels",
                                       self.columns, list(row.values()))
        return row

    def finish(self):
        self.given.record = None  # each program is recorded when it ends
        return super().finish()
