"""Builds and runs the NPU tests of a checkout of hw-native-sys/pto-isa, unmodified, on the simulator.

Each folder of tests/npu/ARCH/src/st/testcase is one test program: its kernels and its GoogleTest host are compiled by
`ptosim build`, its gen_data.py makes inputs and goldens in a virtual environment with numpy, ml_dtypes and en_dtypes (made
on first use), and the program compares its results by itself. Needs libgtest-dev and python3-venv
(scripts/setup.sh --conformance).

Inputs are made once and kept in the work folder. With --resume, folders of which the JSON file holds a result by this same
build of ptosim are not run again. The findings of --check are counted for each folder, listed in the JSON, and decide
nothing.
"""
import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import suites
from suites import ROOT, Suite, flag, one, options

# numpy 2 raises where numpy 1 wraps (a Python integer that its type does not hold), and Debian's
# torch is built against numpy 1.
PACKAGES = ["numpy<2", "ml_dtypes", "en_dtypes"]
FINDINGS = {"undefined", "race", "sync", "deadlock"}
CORES = {"vec": "aiv", "cube": "aic", "mix": "mix"}
TESTS = pathlib.Path("src/st/testcase")
FOLDERS = r"\S*/(?=\w+\.\w+:)"
DEAD = "the device failed earlier"


class Skipped(Exception):
    """A folder that cannot be built or run here, with the reason."""


class Failed(Exception):
    """A folder that does not build."""


def make_environment(work):
    python = work / "venv" / "bin" / "python"
    # Not the machine's own packages: Debian's numpy may come without a fast BLAS, and a golden of a large
    # product then takes minutes.
    install = [python, "-m", "pip", "install", "--quiet", "--ignore-installed", *PACKAGES]
    ready, wanted = work / "venv" / "ready", " ".join(install[3:]) + "\n"
    if not ready.exists() or ready.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", work / "venv"], check=True)
        subprocess.run(install, check=True)
        ready.write_text(wanted)
    return python


def library_of(ptosim):
    """The library: next to the program in a build, in lib/ if it is installed."""
    beside = ptosim.parent / "libptosim.so"
    return beside if beside.exists() else ptosim.parent.parent / "lib" / "libptosim.so"


def build_of(ptosim):
    """Digest that identifies this simulator and its headers."""
    digest, base = hashlib.sha256(), ptosim.parent.parent
    headers = next((folder / "include" for folder in (base, base / "share" / "ptosim", ROOT)
                    if (folder / "include" / "pto").exists()))
    for file in (library_of(ptosim), *sorted(headers.rglob("*.h*"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def need_packages():
    """Reports missing packages before anything is compiled."""
    missing = []
    if not any(pathlib.Path(folder, "gtest/gtest.h").exists() for folder in ("/usr/include", "/usr/local/include")):
        missing.append("libgtest-dev")
    if subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True, check=False).returncode != 0:
        missing.append("python3-venv")
    if missing:
        sys.exit(f"error: these Debian packages are missing: {', '.join(missing)}\n"
                 "  help: scripts/setup.sh --conformance installs them")


def folders_of(checkout, arch):
    """Names of the folders of tests."""
    return sorted(place.name for place in (checkout / "tests" / "npu" / arch / TESTS).iterdir()
                  if (place / "CMakeLists.txt").exists())


def kernel_sources(folder):
    """(source, cores) of the folder's kernels, from its CMakeLists.txt."""
    text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text(errors="replace"))
    found = [(f"{name}_kernel.cpp", CORES[kind]) for kind, name in re.findall(r"pto_(vec|cube|mix)_st\(\s*(\w+)\s*\)", text)]
    for target, source in re.findall(r"add_library\(\s*(\w+)\s+SHARED\s+(\w+\.cpp)", text):
        options = re.search(rf"target_compile_options\(\s*{target}\s[^)]*dav-c\d+(-vec|-cube)?", text)
        found.append((source, CORES[((options and options.group(1)) or "-mix")[1:]]))
    found += [(source, "mix") for source in re.findall(r"^\s*pto_\w+_kernel\(\s*\w+\s+(\w+\.cpp)", text, re.M)]
    known = dict((source, cores) for source, cores in found if (folder / source).exists())
    if not known:
        raise Skipped("its CMakeLists.txt names no kernel source")
    return list(known.items())


def reason_of(text, longest=300, folders=r"(?!)"):
    """The first line that gives the reason of a failure."""
    return suites.reason_of(text, r"^.*error: .*$", r"^.*undefined reference.*$", r"^.*\[H\d\d\].*$", r"^\[ERROR\].*$",
                            r"^.*Failure$", r"^.*(?:Error|Exception): .*$", longest=longest, folders=folders)


def passed_cases(result):
    return sum(1 for why in result["cases"].values() if why is None)


class Folders(Suite):
    """The folders of tests. Base of the suite that compares two levels."""
    repository = "hw-native-sys/pto-isa"
    common = options("ptosim json resume record", only={"help": "folders, separated by commas"}, jobs=os.cpu_count(),
                     timeout=300, build_timeout=one(900))
    options = {**common, **options("csv check", work=ROOT / "build" / "conformance-pto-isa", arch={
        "choices": ["a2a3", "a5"], "required": True}, flags=one("-O1", "further compiler flags (default -O1)"),
        no_build=flag("run the programs that --work has already, with this --ptosim's library"))}
    columns = ("folder", "result", "passed", "cases", "first_reason")
    state = "status"
    good = ("passed", "skipped")
    whole = sorts = exact = True

    def prepare(self):
        need_packages()
        given = self.given
        if given.resume and not given.json:
            self.error("--resume needs --json FILE")
        self.mark = f"failures on {given.arch}"
        self.flags, self.no_build = getattr(given, "flags", "").split(), getattr(given, "no_build", False)
        self.check = given.check
        self.root = given.checkout / "tests" / "npu" / given.arch / TESTS
        self.work = given.work / given.arch
        self.python, self.built = make_environment(given.work), build_of(given.ptosim)

    def items(self):
        names = folders_of(self.given.checkout, self.given.arch)
        missing = [name for name in (self.given.only or "").split(",") if name and name not in names]
        if missing:
            sys.exit(f"error: there is no folder {', '.join(missing)} in {self.root}")
        return names

    def is_done(self, name):
        return super().is_done(name) and self.results[name].get("build") == self.built

    def build(self, name):
        folder, place = self.root / name, self.work / name
        (place / "bin").mkdir(parents=True, exist_ok=True)
        program = place / "bin" / name
        if self.no_build:
            if not program.exists():
                raise Skipped("not built before (--no-build)")
            return program
        sources = kernel_sources(folder)
        cores = {of for _, of in sources}
        libraries = ["-lgtest", "-lgtest_main", "-lpthread"]

        def build(words, output, of):
            words = [self.given.ptosim, "build", *words, "-o", output, "--arch", self.given.arch, "--core", of, "--jobs", "1",
                     "-I", self.given.checkout / "tests" / "common", "-include", "stdint.h", "-include", "stddef.h", "-w",
                     *self.flags]
            # The device's compiler is a clang; g++ is stricter about overloaded templates.
            for more in ([], ["--cxx", "clang++"]):
                status, text = suites.run([*words, *more], place, self.given.build_timeout)
                (place / "build.log").write_text(text)
                if status <= 0 or "ambiguous template specialization" not in text or not shutil.which("clang++"):
                    break
            if status != 0:
                raise Failed("build: " + ("time limit" if status < 0 else reason_of(text)))

        if len(cores) == 1:
            build([*(folder / source for source, _ in sources), folder / "main.cpp", *libraries], program, cores.pop())
            return program
        parts = []
        for of in sorted(cores):
            parts.append(place / "bin" / f"lib{name}_{of}.so")
            build([folder / source for source, mine in sources if mine == of], parts[-1], of)
        build([folder / "main.cpp", *parts, *libraries], program, "auto")
        return program

    def make_data(self, name):
        folder, place = self.root / name, self.work / name
        if (place / "data.ready").exists() or not (folder / "gen_data.py").exists():
            return
        for script in folder.glob("*.py"):
            shutil.copy(script, place)
        status, text = suites.run([self.python, "gen_data.py"], place, self.given.build_timeout)
        (place / "data.log").write_text(text)
        if status != 0:
            raise Skipped("gen_data.py: " + ("time limit" if status < 0 else (text.strip().splitlines() or [""])[-1][:200]))
        (place / "data.ready").write_text("")

    def environment(self, name):
        # The goldens are of the hardware: rules of rounding that it has, and IEEE has not.
        result = {"PTOSIM_NUMERICS": self.given.arch, **os.environ}
        if self.check:
            result.update(PTOSIM_CHECK=self.check, PTOSIM_JSON=str(self.work / name / "found.json"))
        if self.no_build:
            result["LD_LIBRARY_PATH"] = str(library_of(self.given.ptosim).parent)
        return result

    def collect(self, name, findings):
        """Adds the findings of the checkers in the run that has just ended, by site."""
        found = self.work / name / "found.json"
        if not self.check or not found.exists():
            return
        for finding in json.loads(found.read_text())["diagnostics"]:
            where = finding.get("location", {})
            if finding["category"] in FINDINGS:
                findings[finding["code"], where.get("file"), where.get("line"), finding["message"]] = finding
        found.unlink()

    def run_cases(self, name, program, findings, wanted=None):
        """Result of each case: None is passed, a text the reason of its failure."""
        status, text = suites.run([program, *(["--gtest_filter=" + wanted] if wanted else [])], program.parent,
                                  self.given.timeout, self.environment(name))
        self.collect(name, findings)
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
                output = "\n".join(lines)
                results[current] = (DEAD if DEAD in output else reason_of(output)) if "FAILED" in ended.group(1) else None
                current = None
            else:
                lines.append(line)
        if current is not None:
            why = "time limit" if status < 0 else reason_of("\n".join(lines))
            results[current] = f"{why} (ended with {status})"
        return results

    def cases(self, name, program, findings):
        status, text = suites.run([program, "--gtest_list_tests"], program.parent, 60)
        if status != 0:
            raise Failed("run: " + reason_of(text))
        names, group = [], ""
        for line in text.splitlines():
            line = line.split("#")[0].rstrip()
            if line and not line.startswith(" ") and line.endswith("."):
                group = line
            elif line.startswith("  "):
                names.append(group + line.strip())
        results = self.run_cases(name, program, findings)
        # A case that ended the program, or the device, does not decide about the others.
        for case in names:
            if results.get(case, "not run") in (DEAD, "not run"):
                results[case] = self.run_cases(name, program, findings, case).get(case, "not run")
        return {case: results[case] for case in names}

    def run(self, item):
        begin, findings = time.monotonic(), {}
        result = {"folder": item, "build": self.built, "status": "passed", "reason": "", "cases": {}}
        try:
            program = self.build(item)
            self.make_data(item)
            result["cases"] = self.cases(item, program, findings)
            failures = [why for why in result["cases"].values() if why]
            if failures:
                result["status"], result["reason"] = "failed", failures[0]
        except Failed as why:
            result["status"], result["reason"] = "failed", str(why)
        except Skipped as why:
            result["status"], result["reason"] = "skipped", str(why)
        if self.check:
            result["findings"] = list(findings.values())
        result["seconds"] = round(time.monotonic() - begin, 1)
        return result

    def told(self, name, result):
        codes = collections.Counter(finding["code"] for finding in result.get("findings", []))
        found = "".join(f" {code}: {count}" for code, count in sorted(codes.items()))
        return f"{super().told(name, result)} ({passed_cases(result)}/{len(result['cases'])}){found}"

    def row_of(self, result):
        return (result["folder"], result["status"], passed_cases(result), len(result["cases"]),
                re.sub(FOLDERS, "", result["reason"])[:150])

    def page(self):
        """The folders that do not pass; --csv has all of them."""
        rows = [row for row in map(self.row_of, self.reported()) if row[1] != "passed"]
        return suites.markdown(("folder", "result", "cases", "first reason"), [
            (folder, status, f"{passed} of {cases}", reason) for folder, status, passed, cases, reason in rows])

    def summary(self):
        results = self.reported()
        builds = len({result.get("build") for result in results})
        return (f"{super().summary()} folders; {sum(map(passed_cases, results))} of "
                f"{sum(len(result['cases']) for result in results)} cases passed"
                + (f"; by {builds} different builds of ptosim" if builds > 1 else ""))
