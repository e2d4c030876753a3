"""Builds and runs the examples of a checkout of asc-devkit on the toolkit, by the commands of their READMEs, unmodified.

An example passes if each command ends with 0, none of them prints an error, and the last one reports right results.
States: passed; wrong (its own comparison failed); build (it does not compile); run (a kernel or host ended with an error);
slow (it took longer than --timeout seconds); none (its README has no commands, or not for this architecture).
"""
import importlib.util
import re
import shutil

import suites
from suites import TIME_LIMIT, Suite, flag, one, options

GROUPS = ("examples/01_simd_cpp_api", "examples/02_simd_c_api")
STATES = ("passed", "wrong", "run", "build", "slow", "none")
# Output of examples with right results.
# Hello World: an example that only prints. OK: a unit test of Python.
RIGHT = re.compile(r"pass|success|correct|精度|equal|Hello World|^OK$", re.I | re.M)
WRONG = re.compile(r"test failed|verify failed|precision error|result error|mismatch|\bfail(ed)?\b", re.I)
ENDED = "ptosim-ended"  # last line of a script whose commands have ended with 0
# A line that gives the reason of an end.
REASON = (r"^(?!.*\[ERROR\]  failed to get file).*(?:error[: ]|\[[A-Z]\d\d\]|No such file|undefined reference|Traceback|Error\b"
          r"|not found).*$")
FOLDERS = r"\S*/(?=[\w.]+:\d+)"


def examples(checkout):
    for group in GROUPS:
        for file in sorted((checkout / group).rglob("CMakeLists.txt")):
            if (file.parent / "README.md").exists():
                yield file.parent.relative_to(checkout)


def without_notes(line):
    line = re.sub(r"\s#.*", "", " " + line).strip()
    return "" if line.startswith("#") else line


def commands(folder, arch, mode="npu", block=r"```[^\n]*\n(.*?)```"):
    """The lines of the README's block that builds and runs; None without one. `block` finds blocks."""
    text = (folder / "README.md").read_text(encoding="utf-8", errors="ignore")
    cmake = (folder / "CMakeLists.txt").read_text(encoding="utf-8", errors="ignore")
    # The architectures of an example are the values of its CMake variable that the README lists, else all.
    listed = re.findall(r"CMAKE_ASC_ARCHITECTURES`\s*\|([^\n]*)", text)
    if arch not in re.findall(r"dav-\d{4}", listed[0].split("|")[0] if listed else text + cmake):
        return None
    for found in re.findall(block, text, re.S | re.M):
        lines = [line for line in map(without_notes, found.splitlines()) if line]
        runs = [line for line in lines if re.match(r"(\./|python3? |SCENARIO)", line)]
        if not any("cmake" in line for line in lines) or not runs:
            continue
        lines = [re.sub(r"dav-\d{4}", arch, line) for line in lines if "install_path" not in line]
        if mode != "npu":
            lines = [re.sub(r"\bcmake ", f"cmake -DCMAKE_ASC_RUN_MODE={mode} ", line) for line in lines]
        return [line.replace("make -j;", "make;").rstrip(";") for line in lines]
    return None


def state_of(status, output, built):
    if status == TIME_LIMIT:
        return "slow"
    if not built:
        return "build"
    # H24: the example has not freed all of its memory; results are right nevertheless.
    errors = re.findall(r"^error: .*|.*\[[GHRSEADFIN]\d\d\]$", output, re.M)
    if any("[H24]" not in line for line in errors):
        return "run"
    if status != 0:
        return "wrong" if WRONG.search(output) else "run"
    if WRONG.search(output) and not re.search(r"0 fail", output):
        return "wrong"
    return "passed" if RIGHT.search(output) else "run"


class Examples(Suite):
    """Examples of asc-devkit, each in a copy; base of the suites that change or watch them, too."""
    repository = "asc-devkit"
    options = options("ptosim only commit json csv record resume retry sample seed work!", jobs=2, timeout=300,
                      arch=one("dav-2201", "architecture of the examples"), run_mode=one("npu", choices=("npu", "cpu", "sim")),
                      keep=flag("keep the folders of examples that pass"))
    columns = ("example", "state", "reason")
    good = ("passed", "none")

    def prepare(self):
        self.mark, self.mode = self.given.arch, getattr(self.given, "run_mode", "npu")
        suites.make_toolkit(self.given.ptosim, self.given.work, self.given.checkout)
        self.store = self.given.work / f"results-{self.given.arch}-{self.mode}.json"

    def items(self):
        return examples(self.given.checkout)

    def choose(self, items):
        return sorted(super().choose(items))

    def commands(self, name):
        return commands(self.given.checkout / name, self.given.arch, self.mode)

    def folder_of(self, name):
        return self.given.work / "run" / str(name).replace("/", "__")

    def copy_example(self, name):
        """Copies an example, with the files of its neighbours that it includes, into a new folder; returns its place there."""
        source, folder = self.given.checkout / name, self.folder_of(name)
        shutil.rmtree(folder, ignore_errors=True)
        # Examples include files of their neighbours: the group's folders keep their places.
        place = folder / name
        place.parent.mkdir(parents=True)
        shutil.copytree(source, place)
        for extra in ("utils", "common", "include", "data_utils.h"):
            if (source.parent / extra).exists() and not (place.parent / extra).exists():
                (place.parent / extra).symlink_to((source.parent / extra).resolve())
        return place

    def run(self, item):
        name = str(item)
        if self.commands(name) is None:
            return {"example": name, "state": "none", "reason": "no commands for this architecture"}
        result = self.run_copy(name, self.copy_example(name))
        if result["state"] == "passed" and not getattr(self.given, "keep", False):
            shutil.rmtree(self.folder_of(name))
        return result

    def run_copy(self, name, place, built=False):
        """Builds and runs a copy; if it is built, only runs it."""
        marked = []
        for line in self.commands(name):
            builds = "make" in line and "mkdir" not in line
            if not (built and builds):
                marked.append(line)
            if builds and "cmake -S" not in line:
                marked.append("echo ptosim-built")
        environment = suites.with_path(self.given.work / "bin")
        if importlib.util.find_spec("tensorflow") is None:
            environment["PYTHONPATH"] = str(suites.ROOT / "scripts" / "conformance" / "stand_ins")
        status, output = suites.run(suites.on_toolkit(self.given.work / "toolkit", "set -x", *marked, f"echo {ENDED}"),
                                    place, self.given.timeout, environment, merged=False)
        (self.folder_of(name) / "log.txt").write_text(output)
        clean = "\n".join(line for line in output.splitlines() if not line.startswith("+ ") and line != ENDED)
        state = state_of(status, clean, "ptosim-built" in clean)
        return {"example": name, "state": state, "reason": "" if state == "passed" else suites.reason_of(
            clean, REASON, longest=200, folders=FOLDERS, nothing="")}

    def summary(self):
        return self.commit()[:12] + ", " + self.given.arch + ": " + super().summary()

    def page(self):
        groups = {}
        for result in self.reported():
            for group in ("/".join(result["example"].split("/")[1:3]), "~all"):
                groups.setdefault(group, []).append(result["state"])
        return suites.markdown(("group", *STATES), [(group.lstrip("~"), *map(found.count, STATES))
                                                    for group, found in sorted(groups.items())])
