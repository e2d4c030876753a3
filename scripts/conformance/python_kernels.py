#!/usr/bin/python3
"""Runs Python programs of public projects on the toolkit, unmodified, by their own commands.

    conformance.py python-kernels CHECKOUT --python VENV/bin/python [--only WORD] [--list]
                   [--pto-isa CHECKOUT] [--record SUITE] [--ptosim BIN] [--work DIR] [--timeout SECONDS]

CHECKOUT is one of huawei-csl/pto-dsl (each example by the commands that its
examples/validate_all_examples.py takes out of the README next to it, its tests by pytest) or of
huawei-csl/pto-kernels (its extension by `pip install .`, which needs scikit-build-core and pybind11;
tests/ and the tests of examples/jit_cpp by pytest, its run scripts by themselves; scripts of a folder
that ends in _a5 run on a 950).
It is copied into the work folder, `ptosim toolkit` makes a folder next to it, and every command runs
after `source set_env.sh`. The Python of VENV needs torch, numpy and pytest; `mlir`, `torch_npu` and
`ptoas` are the toolkit's. A program passes if all of its commands end with 0. Some scripts of PTO-DSL do
nothing without a checkout of pto-isa: --pto-isa names one (PTO_LIB_PATH); its headers are not used.
--record SUITE replaces the rows of the programs that ran, after every program, and leaves the other rows unchanged.
"""
import argparse
import importlib.util
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.path.insert(0, str(ROOT / "scripts" / "conformance"))
import evidence  # noqa: E402
import pto_isa  # noqa: E402
import suites  # noqa: E402

COLUMNS = ["program", "result", "tests", "seconds", "first reason"]


def readme_commands(checkout):
    """Commands that validate_all_examples.py of PTO-DSL runs for a README, by its own code."""
    path = checkout / "examples" / "validate_all_examples.py"
    text = path.read_text().replace("from ptodsl.npu_info import", "# ")  # torch is not needed to read
    spec = importlib.util.spec_from_loader("validate_all_examples", loader=None)
    module = importlib.util.module_from_spec(spec)
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
            yield name, checkout, [f"python -m pytest -q -p no:cacheprovider {name}"]


# pto-kernels' extension, which its tests need: made whatever --only chooses.
INSTALLATION = "pip install ."


def pto_kernels(checkout):
    site = checkout.parent / "site"
    if not site.exists():
        yield INSTALLATION, checkout, [
            "export CMAKE_PREFIX_PATH=$(python -c 'import torch; print(torch.utils.cmake_prefix_path)')",
            "export ASCEND_CANN_PACKAGE_PATH=$ASCEND_HOME_PATH CMAKE_GENERATOR='Unix Makefiles'",
            f"pip install --no-build-isolation --no-deps --target {shlex.quote(str(site))} ."]
    for path in sorted((checkout / "tests").glob("test_*.py")):
        name = str(path.relative_to(checkout))
        yield name, checkout, [f"python -m pytest -q -p no:cacheprovider {name}"]
    for folder in sorted(path for path in (checkout / "examples" / "jit_cpp").iterdir() if path.is_dir()):
        chip = ["export PTOSIM_CHIP=ascend950pr"] if folder.name.endswith("_a5") else []
        for path in sorted([*folder.rglob("test_*.py"), *folder.glob("run_*.py")]):
            run = "-m pytest -q -p no:cacheprovider " if path.name.startswith("test_") else ""
            yield str(path.relative_to(checkout)), folder, [*chip, f"python {run}{path.relative_to(folder)}"]


class Runner:
    def __init__(self, options):
        self.options = options
        self.work = options.work.resolve()
        (self.work / "logs").mkdir(parents=True, exist_ok=True)
        self.toolkit = self.work / "toolkit"
        subprocess.run([options.ptosim, "toolkit", self.toolkit], check=True,
                       stdout=subprocess.DEVNULL)
        self.checkout = self.work / options.checkout.name
        if not self.checkout.exists():
            shutil.copytree(options.checkout, self.checkout, symlinks=True)

    def program(self, name, folder, commands):
        """Result, counts of tests, seconds of processor time, first reason."""
        script = (f"source {shlex.quote(str(self.toolkit))}/set_env.sh\n"
                  f"export PATH={shlex.quote(str(self.options.python.parent))}:$PATH\n"
                  f"export PYTHONPATH={shlex.quote(str(self.work / 'site'))}:{shlex.quote(str(self.checkout))}:"
                  f"{shlex.quote(str(self.checkout / 'python'))}:$PYTHONPATH\n"
                  "export PYTHONDONTWRITEBYTECODE=1 PTODSL_TEST_DEVICE_ID=0\n")
        if self.options.pto_isa:
            script += f"export PTO_LIB_PATH={shlex.quote(str(self.options.pto_isa.resolve()))}\n"
        script += "\n".join(commands) + "\n"
        begin = processor_time()
        status, text = pto_isa.run(["bash", "-e", "-c", script], folder, self.options.timeout)
        seconds = processor_time() - begin
        (self.work / "logs" / (name.replace("/", "_") + ".log")).write_text(text)
        last = re.findall(r"^(?:=+ )?((?:\d+ \w+,? ?)+) in ", text, re.M)
        if not commands:
            return "no commands", "", seconds, "its README's first block has none"
        if status == 0:
            return "passed", last[-1].strip() if last else "", seconds, ""
        reason = "time limit" if status < 0 else reason_of(text)
        return "failed", last[-1].strip() if last else "", seconds, reason


def processor_time():
    """Processor time of all commands that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def reason_of(text):
    """The first line that gives the reason: of the simulator, of pytest, of Python."""
    for pattern in (r"^.*\berror: (?!.*\[H24\]).*$", r"^E   .*$", r"^\w*(?:Error|Exception)\b.*$"):
        found = re.search(pattern, text, re.M)
        if found:
            return re.sub(r"\S*/([\w.]+:)", r"\1", found.group().strip())[:150]
    return (text.strip().splitlines() or ["no output"])[-1][:150]


def main():
    parser = argparse.ArgumentParser(prog="conformance.py python-kernels", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--python", type=pathlib.Path, default=pathlib.Path(sys.executable))
    parser.add_argument("--pto-isa", type=pathlib.Path, help="a checkout, for PTO_LIB_PATH")
    parser.add_argument("--list", action="store_true", help="say what would run")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "conformance-python")
    parser.add_argument("--timeout", type=int, default=900, help="seconds for a program")
    suites.add_options(parser, "ptosim", "only", "record")
    options = parser.parse_args()
    options.ptosim = suites.program(options.ptosim)
    options.python = options.python.absolute()  # a link into its virtual environment
    options.checkout = options.checkout.resolve()
    runner = Runner(options)
    programs = pto_dsl if (options.checkout / "ptodsl").is_dir() else pto_kernels
    passed, tried = 0, 0
    for name, folder, commands in programs(runner.checkout):
        if options.only and options.only not in name and name != INSTALLATION:
            continue
        if options.list:
            print(name, *commands, sep="\n    ")
            continue
        result, tests, seconds, reason = runner.program(name, folder, commands)
        tried += 1
        passed += result == "passed"
        row = f"| {name} | {result} | {tests} | {seconds:.0f} | {suites.cell(reason)} |"
        print(row, flush=True)
        if options.record and name != INSTALLATION:
            evidence.record_row(options.record, "PTO-DSL" if programs is pto_dsl else "pto-kernels", COLUMNS,
                                [name, result, tests, f"{seconds:.0f}", reason])
    print(f"{passed} of {tried} passed")


if __name__ == "__main__":
    main()
