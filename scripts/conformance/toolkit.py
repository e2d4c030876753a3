"""Runs programs of a checkout of hw-native-sys/pto-isa by their own scripts, unmodified, on the toolkit.

    --st a2a3:tadd,tmatmul   tests/script/run_st.py -r npu -v a3 -t tadd, ...; `a2a3:all` is every folder
    --manual a2a3/topk       kernels/manual/a2a3/topk: scripts/gen_data.py, then run.sh -r npu; `all`
    --timed a2a3/topk        the same run.sh with PTOSIM_MODE=timing: its last launch's time; `all`

The checkout is copied into the work folder, `ptosim toolkit` makes a folder next to it, and every command runs after
`source set_env.sh`, with a virtual environment for the scripts that make data (numpy, ml_dtypes, en_dtypes). A test passes
if its script ends with 0; a kernel if its script does and reports that the test succeeded; in time only, if its launch has a
time. Seconds are processor time, including the compiler and the scripts that make data. Needs libgtest-dev, python3-venv
and make.
"""
import json
import re
import shlex

import pto_isa
import suites
from suites import ROOT, Suite, many, options

VERSIONS = {"a2a3": "a3", "a5": "a5"}
CHIPS = {"a2a3": "Ascend910B1", "a5": "Ascend910_9599"}
RIGHT = re.compile(r"test success|test pass|\[PASS\]|compare pass|All tests passed", re.I)
WRONG = re.compile(r"test failed|\[FAIL", re.I)


class OnToolkit(Suite):
    """Base of the suites whose commands run in a copy of pto-isa, with its virtual environment."""
    repository = "hw-native-sys/pto-isa"

    def prepare(self):
        pto_isa.need_packages()
        self.work, self.environment = self.given.work, pto_isa.make_environment(self.given.work).parent
        self.toolkit = suites.make_toolkit(self.given.ptosim, self.work)
        self.checkout = suites.copy_of(self.given.checkout, self.work / "checkout")

    def shell(self, name, folder, command):
        """Exit status, text and seconds of a command as a user types it."""
        return suites.timed(suites.on_toolkit(self.toolkit, f"source {shlex.quote(str(self.environment))}/activate", command),
                            folder, self.given.timeout, log=self.work / "logs" / (re.sub(r"\W+", "_", name) + ".log"))


class Programs(OnToolkit):
    options = options("ptosim json csv resume", work=ROOT / "build" / "conformance-toolkit", timeout=900, st=many("ARCH:NAMES"),
                      manual={"default": "", "metavar": "PATHS"}, timed={"default": "", "metavar": "PATHS"})
    columns = ("program", "result", "passed", "cases", "us", "seconds", "first_reason")
    state, reason = "result", "first_reason"
    stays = sorts = True

    def items(self):
        for chosen in self.given.st:
            arch, names = chosen.split(":", 1)
            names = pto_isa.folders_of(self.given.checkout, arch) if names == "all" else names.split(",")
            yield from ((f"{arch} {name}", self.system_test, (arch, name)) for name in names)
        yield from ((path, self.manual_kernel, (path,)) for path in self.manual(self.given.manual))
        yield from ((f"{path} timed", self.timed_kernel, (path,)) for path in self.manual(self.given.timed))

    def manual(self, paths):
        root = self.given.checkout / "kernels" / "manual"
        if paths == "all":
            return sorted(str(path.parent.relative_to(root)) for arch in CHIPS for path in (root / arch).glob("*/run.sh"))
        return [path for path in paths.split(",") if path]

    def run(self, item):
        name, how, words = item
        command, right, status, text, seconds, more = how(*words)
        reason = "" if right else "time limit" if status < 0 else pto_isa.reason_of(text, 150, r"\S*/(?=[\w.-]+:)")
        return {"program": name, "command": command, "result": "passed" if right else "failed", "seconds": seconds,
                "first_reason": reason, **more}

    def told(self, name, result):
        cases = f" ({result['passed']} of {result['cases']} cases)" if "cases" in result else f" {result.get('us', '')}"
        return super().told(name, result) + cases

    def system_test(self, arch, name):
        command = f"python3 tests/script/run_st.py -r npu -v {VERSIONS[arch]} -t {name}"
        status, text, seconds = self.shell(f"{arch} {name}", self.checkout, command)
        count = {key: len(re.findall(rf"^\[ {word} \]", text, re.M)) for key, word in (("passed", "      OK"),
                                                                                     ("cases", "RUN     "))}
        return command, status == 0, status, text, seconds, count

    def manual_kernel(self, path):
        command = f"bash run.sh -r npu -v {CHIPS[path.split('/')[0]]}"
        folder = self.checkout / "kernels" / "manual" / path
        if (folder / "scripts/gen_data.py").exists() and "gen_data.py" not in (folder / "run.sh").read_text():
            command = "python3 scripts/gen_data.py && " + command
        status, text, seconds = self.shell(path, folder, command)
        right = status == 0 and RIGHT.search(text) is not None and not WRONG.search(text)
        return command, right, status, text, seconds, {}

    def timed_kernel(self, path):
        """Like the method above, in time only: its comparison fails, and does not count."""
        shown = f"PTOSIM_MODE=timing bash run.sh -r npu -v {CHIPS[path.split('/')[0]]}"
        made = self.work / "timed.json"
        made.unlink(missing_ok=True)
        status, text, seconds = self.shell(path + " timed", self.checkout / "kernels" / "manual" / path,
                                           f"PTOSIM_JSON={shlex.quote(str(made))} {shown}")
        launches = json.loads(made.read_text())["launches"] if made.exists() else []
        us = {"us": f"{launches[-1]['time_us']:.1f}"} if launches else {}
        return shown, bool(launches), status, text, seconds, us
