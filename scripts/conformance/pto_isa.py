#!/usr/bin/python3
"""Builds and runs the NPU tests of a checkout of hw-native-sys/pto-isa, unmodified, on the simulator.

    conformance.py pto-isa CHECKOUT --arch a2a3|a5 [--only NAME,...] [--jobs N]
                   [--json FILE [--resume]] [--record SUITE] [--csv FILE] [--check LIST] [--no-build]

Each folder of tests/npu/ARCH/src/st/testcase is one test program: its kernels and its GoogleTest
host are compiled by `ptosim build`, its gen_data.py makes inputs and goldens in a virtual
environment with numpy, ml_dtypes and en_dtypes (made on first use), and the program compares its
results by itself. Needs libgtest-dev and python3-venv (scripts/setup.sh --conformance).

Inputs are made once and kept in the work folder. The JSON file is written after every folder; with
--resume, folders of which it holds a result by this same build of ptosim are not run again.

With --check the checkers look at every launch (LIST as for `ptosim check`); their findings are counted
for each folder, listed in the JSON, and decide nothing.
"""
import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from suites import put

ROOT = pathlib.Path(__file__).resolve().parents[2]
# numpy 2 raises where numpy 1 wraps (a Python integer that its type does not hold), and Debian's
# torch is built against numpy 1.
PACKAGES = ["numpy<2", "ml_dtypes", "en_dtypes"]
FINDINGS = {"undefined", "race", "sync", "deadlock"}
CORES = {"vec": "aiv", "cube": "aic", "mix": "mix"}


class Skipped(Exception):
    """A folder that cannot be built or run here, with the reason."""


class Failed(Exception):
    """A folder that does not build."""


def run(words, cwd, timeout, env=None):
    """Exit status and output, standard error merged in; -1 after the time limit."""
    process = subprocess.Popen(words, cwd=cwd, env=env, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # what a script has started, too
        output, _ = process.communicate()
        status = -1
    return status, output.decode(errors="replace")


def make_environment(work):
    python = work / "venv" / "bin" / "python"
    # Not the machine's own packages: Debian's numpy may come without a fast BLAS, and a golden of a large
    # product then takes minutes.
    install = [python, "-m", "pip", "install", "--quiet", "--ignore-installed", *PACKAGES]
    ready, wanted = work / "venv" / "ready", " ".join(install[3:]) + "\n"
    if not ready.exists() or ready.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", work / "venv"],
                       check=True)
        subprocess.run(install, check=True)
        ready.write_text(wanted)
    return python


def library_of(ptosim):
    """The library: next to the program in a build, in lib/ if it is installed."""
    beside = ptosim.parent / "libptosim.so"
    return beside if beside.exists() else ptosim.parent.parent / "lib" / "libptosim.so"


def build_of(ptosim):
    """Digest that identifies this simulator and its headers."""
    digest = hashlib.sha256()
    library = library_of(ptosim)
    base = ptosim.parent.parent
    headers = next((folder / "include" for folder in (base, base / "share" / "ptosim", ROOT)
                    if (folder / "include" / "pto").exists()))
    for file in (library, *sorted(headers.rglob("*.h*"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def need_packages():
    """Reports missing packages before anything is compiled."""
    missing = []
    if not any(pathlib.Path(folder, "gtest/gtest.h").exists()
               for folder in ("/usr/include", "/usr/local/include")):
        missing.append("libgtest-dev")
    if subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True,
                      check=False).returncode != 0:
        missing.append("python3-venv")
    if missing:
        sys.exit(f"error: these Debian packages are missing: {', '.join(missing)}\n"
                 "  help: scripts/setup.sh --conformance installs them")


def kernel_sources(folder):
    """(source, cores) of the folder's kernels, from its CMakeLists.txt."""
    text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text(errors="replace"))
    found = []
    for kind, name in re.findall(r"pto_(vec|cube|mix)_st\(\s*(\w+)\s*\)", text):
        found.append((f"{name}_kernel.cpp", CORES[kind]))
    for target, source in re.findall(r"add_library\(\s*(\w+)\s+SHARED\s+(\w+\.cpp)", text):
        options = re.search(rf"target_compile_options\(\s*{target}\s[^)]*dav-c\d+(-vec|-cube)?",
                            text)
        suffix = (options.group(1) or "") if options else ""
        found.append((source, {"-vec": "aiv", "-cube": "aic", "": "mix"}[suffix]))
    for source in re.findall(r"^\s*pto_\w+_kernel\(\s*\w+\s+(\w+\.cpp)", text, re.M):
        found.append((source, "mix"))
    known = dict((source, cores) for source, cores in found if (folder / source).exists())
    if not known:
        raise Skipped("its CMakeLists.txt names no kernel source")
    return list(known.items())


def reason_of(text):
    """The first line that gives the reason of a failure."""
    for pattern in (r"^.*error: .*$", r"^.*undefined reference.*$", r"^.*\[H\d\d\].*$",
                    r"^\[ERROR\].*$", r"^.*Failure$", r"^.*(?:Error|Exception): .*$"):
        found = re.search(pattern, text, re.M)
        if found:
            return re.sub(r"\s+", " ", found.group(0).strip())[:300]
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else "no output"


class Suite:
    def __init__(self, options):
        self.options = options
        self.checkout = options.checkout.resolve()
        self.root = self.checkout / "tests" / "npu" / options.arch / "src" / "st" / "testcase"
        self.work = options.work.resolve() / options.arch
        self.python = make_environment(options.work.resolve())
        self.built = build_of(options.ptosim)
        self.found = {}  # of each folder: the findings, by site

    def folders(self):
        names = sorted(path.name for path in self.root.iterdir()
                       if (path / "CMakeLists.txt").exists())
        if self.options.only:
            wanted = self.options.only.split(",")
            missing = [name for name in wanted if name not in names]
            if missing:
                sys.exit(f"error: there is no folder {', '.join(missing)} in {self.root}")
            names = [name for name in names if name in wanted]
        return names

    def build(self, name):
        folder, place = self.root / name, self.work / name
        (place / "bin").mkdir(parents=True, exist_ok=True)
        common = ["-I", str(self.checkout / "tests" / "common"), "-include", "stdint.h", "-include",
                  "stddef.h", "-w", *self.options.flags.split()]
        libraries = ["-lgtest", "-lgtest_main", "-lpthread"]
        program = place / "bin" / name
        if self.options.no_build:
            if not program.exists():
                raise Skipped("not built before (--no-build)")
            return program
        sources = kernel_sources(folder)
        cores = {of for _, of in sources}

        def build(words, output, of):
            words = [str(self.options.ptosim), "build", *map(str, words), "-o", str(output),
                     "--arch", self.options.arch, "--core", of, "--jobs", "1", *common]
            status, text = run(words, place, self.options.build_timeout)
            (place / "build.log").write_text(text)
            # The device's compiler is a clang; g++ is stricter about overloaded templates.
            if status > 0 and "ambiguous template specialization" in text and shutil.which("clang++"):
                status, text = run([*words, "--cxx", "clang++"], place, self.options.build_timeout)
                (place / "build.log").write_text(text)
            if status != 0:
                raise Failed("build: " + ("time limit" if status < 0 else reason_of(text)))

        kernels = [folder / source for source, _ in sources]
        if len(cores) == 1:
            build([*kernels, folder / "main.cpp", *libraries], program, cores.pop())
            return program
        parts = []
        for of in sorted(cores):
            part = place / "bin" / f"lib{name}_{of}.so"
            build([folder / source for source, mine in sources if mine == of], part, of)
            parts.append(part)
        build([folder / "main.cpp", *parts, *libraries], program, "auto")
        return program

    def make_data(self, name):
        folder, place = self.root / name, self.work / name
        if (place / "data.ready").exists() or not (folder / "gen_data.py").exists():
            return
        for script in folder.glob("*.py"):
            shutil.copy(script, place)
        status, text = run([str(self.python), "gen_data.py"], place, self.options.build_timeout)
        (place / "data.log").write_text(text)
        if status != 0:
            reason = "time limit" if status < 0 else (text.strip().splitlines() or [""])[-1]
            raise Skipped(f"gen_data.py: {reason[:200]}")
        (place / "data.ready").write_text("")

    def environment(self, name):
        # The goldens are of the hardware: rules of rounding that it has, and IEEE has not.
        result = {"PTOSIM_NUMERICS": self.options.arch, **os.environ}
        if self.options.check:
            result["PTOSIM_CHECK"] = self.options.check
            result["PTOSIM_JSON"] = str(self.work / name / "found.json")
        if self.options.no_build:
            result["LD_LIBRARY_PATH"] = str(library_of(self.options.ptosim).parent)
        return result

    def collect(self, name):
        """Collects the findings of the checkers in the run that has just ended."""
        found = self.work / name / "found.json"
        if not self.options.check or not found.exists():
            return
        for finding in json.loads(found.read_text())["diagnostics"]:
            where = finding.get("location", {})
            key = (finding["code"], where.get("file"), where.get("line"), finding["message"])
            if finding["category"] in FINDINGS:
                self.found.setdefault(name, {})[key] = finding
        found.unlink()

    def run_cases(self, name, program, wanted=None):
        """Result of each case: None is passed, a text the reason of its failure."""
        words = [str(program)]
        if wanted:
            words.append("--gtest_filter=" + wanted)
        status, text = run(words, program.parent, self.options.timeout, self.environment(name))
        self.collect(name)
        log = self.work / name / "run.log"
        log.write_text((log.read_text() if wanted and log.exists() else "") + text)
        results, current, lines = {}, None, []
        for line in text.splitlines():
            begun = re.match(r"\[ RUN      \] (\S+)", line)
            ended = re.search(r"\[       (OK|.*FAILED) \] (\S+?)(?:,| \()", line) or re.search(
                r"\[  (FAILED|SKIPPED) +\] (\S+?)(?:,| \()", line)
            if begun:
                current, lines = begun.group(1), []
            elif ended and current == ended.group(2):
                whole = "\n".join(lines)
                results[current] = reason_of(whole) if "FAILED" in ended.group(1) else None
                if results[current] is not None and "the device failed earlier" in whole:
                    results[current] = "the device failed earlier"
                current = None
            else:
                lines.append(line)
        if current is not None:
            why = "time limit" if status < 0 else reason_of("\n".join(lines))
            results[current] = f"{why} (ended with {status})"
        return results

    def cases(self, name, program):
        status, text = run([str(program), "--gtest_list_tests"], program.parent, 60)
        if status != 0:
            raise Failed("run: " + reason_of(text))
        names, suite = [], ""
        for line in text.splitlines():
            line = line.split("#")[0].rstrip()
            if line and not line.startswith(" ") and line.endswith("."):
                suite = line
            elif line.startswith("  "):
                names.append(suite + line.strip())
        results = self.run_cases(name, program)
        # A case that ended the program, or the device, does not decide about the others.
        for case in names:
            if results.get(case, "not run") in ("the device failed earlier", "not run"):
                results[case] = self.run_cases(name, program, case).get(case, "not run")
        return {case: results[case] for case in names}

    def folder(self, name):
        begin = time.monotonic()
        result = {"folder": name, "build": self.built, "status": "passed", "reason": "",
                  "cases": {}}
        try:
            program = self.build(name)
            self.make_data(name)
            result["cases"] = self.cases(name, program)
            failures = [why for why in result["cases"].values() if why]
            if failures:
                result["status"], result["reason"] = "failed", failures[0]
        except Failed as why:
            result["status"], result["reason"] = "failed", str(why)
        except Skipped as why:
            result["status"], result["reason"] = "skipped", str(why)
        if self.options.check:
            result["findings"] = list(self.found.get(name, {}).values())
        result["seconds"] = round(time.monotonic() - begin, 1)
        return result


def passed_cases(result):
    return sum(1 for why in result["cases"].values() if why is None)


def show(result):
    codes = collections.Counter(finding["code"] for finding in result.get("findings", []))
    found = "".join(f" {code}: {count}" for code, count in sorted(codes.items()))
    print(f"{result['status']:8} {result['folder']:32} "
          f"{passed_cases(result):4}/{len(result['cases']):<4} "
          f"{result['seconds']:6.1f} s {found} {result['reason']}", flush=True)


class Results:
    """Results of the folders, kept in a file while they run."""

    def __init__(self, options):
        self.file, self.of = options.json, {}
        if options.resume:
            if not self.file:
                sys.exit("error: --resume needs --json FILE")
            if self.file.exists():
                self.of = {result["folder"]: result for result in json.loads(self.file.read_text())}

    def has(self, name, built):
        return name in self.of and self.of[name].get("build") == built

    def add(self, result):
        self.of[result["folder"]] = result
        if self.file:
            whole = self.file.with_suffix(".part")
            whole.write_text(json.dumps(self.all(), indent=1) + "\n")
            whole.replace(self.file)

    def all(self):
        return [self.of[name] for name in sorted(self.of)]

    def summary(self):
        results = self.all()
        lines = [f"{status}: {sum(1 for of in results if of['status'] == status)} of "
                 f"{len(results)} folders" for status in ("passed", "failed", "skipped")]
        lines.append(f"cases: {sum(map(passed_cases, results))} of "
                     f"{sum(len(of['cases']) for of in results)} passed")
        builds = len({of.get("build") for of in results})
        if builds > 1:
            lines.append(f"by {builds} different builds of ptosim")
        return lines

    def rows(self):
        for of in self.all():
            reason = re.sub(r"\S*/(\w+\.\w+:)", r"\1", of["reason"])[:150]
            yield of["folder"], of["status"], passed_cases(of), len(of["cases"]), reason

    def markdown(self):
        """The folders that do not pass; `csv` has all of them."""
        lines = ["| folder | result | cases | first reason |", "|---|---|---|---|"]
        for folder, status, passed, cases, reason in self.rows():
            if status != "passed":
                escaped = reason.replace("|", "\\|")
                lines.append(f"| {folder} | {status} | {passed} of {cases} | {escaped} |")
        return "\n".join([*lines, "", *self.summary()]) + "\n"

    def csv(self, path):
        with open(path, "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["folder", "result", "passed", "cases", "first_reason"])
            table.writerows(self.rows())


def arguments():
    parser = argparse.ArgumentParser(prog="conformance.py pto-isa", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--arch", choices=["a2a3", "a5"], required=True)
    parser.add_argument("--only", help="folders, separated by commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="write the results here, too")
    parser.add_argument("--resume", action="store_true", help="go on with what --json FILE holds")
    parser.add_argument("--record", metavar="SUITE", help="put a table of the failures into tests/evidence/SUITE.json")
    parser.add_argument("--csv", type=pathlib.Path, help="write all of them here")
    parser.add_argument("--check", metavar="LIST", help="checkers that watch (all, ...)")
    parser.add_argument("--no-build", action="store_true",
                        help="run the programs that --work has already, with this --ptosim's library")
    parser.add_argument("--ptosim", type=pathlib.Path, default=ROOT / "build" / "ptosim")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "conformance-pto-isa")
    parser.add_argument("--flags", default="-O1", help="further compiler flags (default -O1)")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for a program")
    parser.add_argument("--build-timeout", type=int, default=900)
    return parser.parse_args()


def main():
    options = arguments()
    options.ptosim = options.ptosim.resolve()
    need_packages()
    suite, results = Suite(options), Results(options)
    names = [name for name in suite.folders() if not results.has(name, suite.built)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in concurrent.futures.as_completed(pool.submit(suite.folder, name)
                                                      for name in names):
            show(future.result())
            results.add(future.result())
    print("\n".join(results.summary()))
    if options.record:
        put(results.markdown(), options.record, f"failures on {options.arch}")
    if options.csv:
        results.csv(options.csv)
    sys.exit(0 if all(of["status"] != "failed" for of in results.all()) else 1)


if __name__ == "__main__":
    main()
