"""Runs the model kernels of a checkout of PTOAS (v0.60) on ptosim, with arguments made up here.

The kernels are the .pto files under test/samples/{Qwen3*,Deepseek*}: verbatim output of PyPTO for models. They come without
arguments, so the arguments follow from the text:

  * Sizes and values as sim/python/ptosim/corpus/made_arguments.py makes them up.
  * One block on the chip of the file's target.

A kernel has run if one of these attempts comes to its end without a finding, except findings of --check; if that takes longer than
60 s, without data (--mode timing), which is reported. With several --sync modes the run is made in each, and all outputs must
be the same, bit for bit. The mode `emitted`, after `insert`, runs the text that --emit wrote: it must take the same cycles, and
--emit of it must give itself. With --check, the checkers watch the runs of the last mode (LIST as for `ptosim check`): their
findings are listed in the JSON and decide nothing. With --goldens, where the checkout has a numpy golden (NAME_golden.py that
writes one), that script, run from the checkout, makes inputs and expected outputs; outputs must be within this tolerance,
in each mode: bf16 2^-8, f32 1e-3 relative to the largest element, i8 1, other integers equal. --resume keeps the kernels of
--json that ran; with --goldens or --check it adds the missing parts, the quickest first.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

from suites import ROOT, Suite, flag, launch, markdown, one, options

sys.path.insert(0, str(ROOT / "sim" / "python"))
from ptosim.corpus.made_arguments import ATTEMPTS, MOST, NUMPY, SOME, Pool, Text, arguments, tries  # noqa: E402

LIMIT = 60  # seconds for one run; a longer one is repeated without data
LONGER = 600  # seconds for a golden's script, and for a run without data
CHIPS = {"a5": "ascend950pr", "a3": "ascend910b1"}
FINDINGS = {"race", "undefined", "sync"}
NICE = ["nice", "-n", "19"]


def first_line(text):
    for line in text.splitlines():
        if "error" in line or "[" in line and line.endswith("]"):
            return re.sub(r"^\S*?:(\d+:\d+): ", r"\1: ", line.strip())[:300]
    return text.strip().splitlines()[-1][:300] if text.strip() else "no message"


def run(ptosim, path, chip, words, sync, mode="full", check=None, emit=None):
    """The result of a run, or None and the reason."""
    command = launch(ptosim, "run", path, "--chip", chip, "--blocks", "1", "--threads", "1", "--sync", sync, "--mode", mode,
                     "--json", "-", "--check", check or "none", *(["--emit", emit] if emit else []), arguments=words)
    try:
        done = subprocess.run([*NICE, *command], capture_output=True, text=True, check=False,
                              timeout=LIMIT if mode == "full" else LONGER)
    except subprocess.TimeoutExpired:
        if mode == "full":
            return run(ptosim, path, chip, words, sync, "timing", check, emit)
        return None, f"no end after {LONGER} s"
    found = json.loads(done.stdout)["diagnostics"] if check and done.returncode == 1 else []
    if done.returncode != 0 and not (found and all(diagnostic["category"] in FINDINGS for diagnostic in found)):
        return None, first_line(done.stderr)
    return {**json.loads(done.stdout), "mode": mode}, ""


def decided_by(parameters):
    """True if numbers among the arguments decide the control flow."""
    return any(p["kind"] == "scalar" or p["dtype"] in ("i32", "i64") for p in parameters)


def hashes(result):
    return [output["sha256"] for output in result["outputs"]]


# --- Goldens of the checkout -----------------------------------------------------------------------

HOST_TYPES = {"f32": "float", "bf16": "bfloat16_t", "f16": "half", "i8": "int8_t", "i32": "int32_t",
              "i64": "int64_t", "u8": "uint8_t", "i16": "int16_t", "u32": "uint32_t"}


def describe_for_golden(folder, text, parameters, implicit):
    """The two files from which the checkout's scripts read the arguments."""
    given = {"%" + p["name"]: 0 for p in parameters if p["kind"] == "scalar"}
    lines, outputs = [], []
    for number, p in enumerate(parameters, 1):
        if p["kind"] == "scalar":
            ctype = "int64_t" if p["dtype"] == "i64" else "int32_t"
            lines.append(f"float v{number} = 1.0;" if p["dtype"] in ("f32", "f16") else f"{ctype} v{number} = 0;")
            continue
        count = max(text.elements("%" + p["name"], given), p["elements"])
        lines += [f"size_t elemCount_v{number} = {count};",
                  f"size_t fileSize_v{number} = elemCount_v{number} * sizeof({HOST_TYPES[p['dtype']]});",
                  f'ReadFile("./v{number}.bin", x);']
        if "%" + p["name"] in text.outputs:
            outputs.append(f"v{number}")
    lines += [f"int32_t s{i} = {value};" for i, value in enumerate(implicit)]
    (folder / "main.cpp").write_text("\n".join(lines) + "\n")
    (folder / "outputs.txt").write_text("\n".join(outputs) + "\n")


def bf16_values(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def close(dtype, expected, got):
    """None, or how far they are apart."""
    tolerance = 1e-3
    if dtype == "bf16":
        expected, got, tolerance = bf16_values(expected), bf16_values(got), 2.0 ** -8
    if expected.dtype.kind in "iu":
        off = np.abs(expected.astype(np.int64) - got.astype(np.int64)).max(initial=0)
        return None if off <= (1 if dtype == "i8" else 0) else f"off by {off}"
    expected, got = expected.astype(np.float64), got.astype(np.float64)
    if np.isnan(expected).tobytes() != np.isnan(got).tobytes():
        return "NaN at other places"
    scale = np.nanmax(np.abs(expected), initial=0.0)
    off = np.nanmax(np.abs(expected - got), initial=0.0)
    return None if off <= tolerance * max(scale, 1e-30) else f"off by {off:.3g} of {scale:.3g}"


def run_golden(ptosim, path, chip, parameters, script, modes):
    """'matches' (in all modes), 'no expected output', or the difference."""
    source = path.read_text()
    text, implicit = Text(source), [int(name.endswith("block_num")) for name in re.findall(r"%(__pypto_spmd_\w+):", source)]
    with tempfile.TemporaryDirectory(prefix="golden-") as name:
        folder = pathlib.Path(name)
        describe_for_golden(folder, text, parameters, implicit)
        done = subprocess.run([*NICE, sys.executable, str(script)], cwd=folder, capture_output=True, text=True, timeout=LONGER,
                              check=False, env={"PYTHONPATH": f"{script.parent}:{script.parent.parent}", "PATH": "/usr/bin:/bin",
                                                "SOC_VERSION": "950" if chip == CHIPS["a5"] else "910b"})
        if done.returncode != 0:
            return f"its script fails: {done.stderr.strip().splitlines()[-1][:160]}"
        if not list(folder.glob("golden_*.bin")):
            return "no expected output"
        words, outputs = [], []
        for number, p in enumerate(parameters, 1):
            if p["kind"] == "scalar":
                words.append(f"{p['dtype']}={'1' if p['dtype'] in ('f32', 'f16') else '0'}")
                continue
            np.save(folder / f"v{number}.npy", np.fromfile(folder / f"v{number}.bin", NUMPY[p["dtype"]]))
            if "%" + p["name"] in text.outputs:
                words.append(f"inout={folder}/v{number}.npy:{folder}/out{number}.npy")
                outputs.append((number, NUMPY[p["dtype"]], p["dtype"]))
            else:
                words.append(f"in={folder}/v{number}.npy")
        worst = []
        for mode in modes:
            result, message = run(ptosim, path, chip, words, mode)
            if result is None:
                return message
            if result["mode"] == "timing":
                return f"no data after {LIMIT} s"
            for number, kind, dtype in outputs:
                expected = folder / f"golden_v{number}.bin"
                apart = expected.exists() and close(dtype, np.fromfile(expected, kind),
                                                    np.load(folder / f"out{number}.npy").reshape(-1))
                if apart:
                    worst.append(f"argument {number - 1}: {apart}")
        return "; ".join(dict.fromkeys(worst)) or "matches"


# --- All of them -----------------------------------------------------------------------------------


def matching(results):
    """The number of goldens that match, of all with an expected output."""
    goldens = [result["golden"] for result in results if result["golden"] not in ("", "no expected output")]
    return f"{goldens.count('matches')} of {len(goldens)}"


class Models(Suite):
    repository = "PTOAS (v0.60)"
    options = options("ptosim only json record resume limit check", sync=one("auto", "modes, separated by commas"),
                      goldens=flag("compare with the checkout's, too"))
    columns = ("path", "state", "message")
    reason = "message"
    good = ("ran",)
    mark = "models"
    whole = sorts = True

    def prepare(self):
        self.samples, self.modes = self.given.checkout / "test" / "samples", self.given.sync.split(",")
        self.temporary = tempfile.TemporaryDirectory(prefix="models-")
        self.folder = pathlib.Path(self.temporary.name)

    def items(self):
        """The results of --dry-run for all kernels, of vector cores alone first."""
        entries = []
        for place in sorted(place for place in self.samples.iterdir() if re.match(r"(Qwen3|Deepseek)", place.name)):
            if list(place.rglob("*.pto")):
                file = self.folder / "dry.json"
                subprocess.run([self.given.ptosim, "run", "--dry-run", place, "--json", file], stdout=subprocess.DEVNULL,
                               check=False)
                entries += json.loads(file.read_text())
        return sorted(entries, key=lambda entry: (bool(entry["kernels"]) and "AIC" in entry["kernels"][0]["cores"],
                                                  entry["file"]))

    def name_of(self, item):
        return str(pathlib.Path(item["file"]).relative_to(self.samples))

    def wanted(self, name):
        return super().wanted(f"{self.samples}/{name}")

    def read(self):
        super().read()
        self.results = {name: result for name, result in self.results.items() if result["state"] == "ran"}

    def is_done(self, name):
        return super().is_done(name) and not (self.given.goldens or self.given.check)

    def outcomes(self, items):
        if self.given.resume:
            items = sorted(items, key=lambda item: self.results.get(self.name_of(item), {}).get("seconds", LONGER))
        return super().outcomes(items)

    def run(self, item):
        name, path, pool = self.name_of(item), pathlib.Path(item["file"]), Pool(str(self.folder))
        result = self.results.get(name) or self.run_model(name, path, item, pool)
        if self.given.goldens:
            self.add_golden(result, path, item)
        if self.given.check:
            self.add_findings(result, path, item, pool)
        return result

    def attempts(self, path, chip, parameters, pool):
        """The first attempt that comes to an end: its value, words and result; or all messages."""
        text, messages = Text(path.read_text()), []
        for group in tries(text, ATTEMPTS if decided_by(parameters) else ATTEMPTS[:1]):
            for some, value, found in group:
                words, _ = arguments(text, parameters, value, pool, some, found)
                result, message = run(self.given.ptosim, path, chip, words, self.modes[0])
                if result is not None:
                    return (value, found), words, result, ""
                messages.append(f"{value}: {message}")
            if not any("[G01]" in message for message in messages):
                break
        return None, [], None, "; ".join(dict.fromkeys(messages))

    def run_model(self, name, path, entry, pool):
        result = {"path": name, "state": "refused", "message": "", "golden": "", "attempt": None, "cycles": {}, "mode": ""}
        if not entry["accepted"]:
            return {**result, "message": entry["diagnostics"][0]["message"]}
        start, ptosim, chip, made = time.monotonic(), self.given.ptosim, entry["chip"], pool.folder / "made.pto"
        value, words, first, message = self.attempts(path, chip, entry["kernels"][0]["parameters"], pool)
        if first is None:
            return {**result, "state": "fails", "message": message}
        result.update(state="ran", attempt=value, mode=first["mode"], cycles={self.modes[0]: first["cycles"]})
        for mode in self.modes[1:]:
            if mode == "emitted":
                other, message = run(ptosim, made, chip, words, "explicit", result["mode"])
                if other is not None:
                    message = self.emits_itself(made, chip, pool.folder / "again.pto")
                    if other["cycles"] != result["cycles"]["insert"]:
                        message = f"{other['cycles']} cycles, not {result['cycles']['insert']}"
                    other = None if message else other
            else:
                other, message = run(ptosim, path, chip, words, mode, emit=made)
            if other is None:
                result["state"], result["message"] = "fails", f"--sync {mode}: {message}"
            elif other["mode"] != first["mode"]:  # one of them took too long for data
                result["mode"], result["cycles"][mode] = "timing", other["cycles"]
            elif hashes(other) != hashes(first):
                result["state"] = "differs"
                result["message"] = f"--sync {mode} gives other outputs than --sync {self.modes[0]}"
            else:
                result["cycles"][mode] = other["cycles"]
        return {**result, "seconds": round(time.monotonic() - start, 2)}

    def emits_itself(self, path, chip, again):
        """Problem of the text that --emit makes of a file that it has made, or nothing."""
        done = subprocess.run([self.given.ptosim, "run", "--dry-run", path, "--chip", chip, "--sync", "insert", "--emit", again],
                              capture_output=True, text=True, timeout=LONGER, check=False)
        if done.returncode != 0:
            return first_line(done.stderr)
        return "" if again.read_bytes() == path.read_bytes() else "emitted once more, it is not the same"

    def add_golden(self, result, path, entry):
        """The golden's verdict in each mode, into the result."""
        script = self.samples / path.relative_to(self.samples).parts[0] / f"{path.stem}_golden.py"
        if not script.exists() or result["golden"] or not entry["accepted"]:
            return
        start = time.monotonic()
        result["golden"] = run_golden(self.given.ptosim, path, entry["chip"], entry["kernels"][0]["parameters"], script,
                                      self.modes)
        result["golden_seconds"] = round(time.monotonic() - start, 2)

    def add_findings(self, result, path, entry, pool):
        """Adds the findings of the checkers, with the arguments of the attempt that came to an end."""
        if result["state"] != "ran" or "findings" in result:
            return
        text, (value, found) = Text(path.read_text()), result["attempt"]
        for some in (SOME, MOST):
            words, _ = arguments(text, entry["kernels"][0]["parameters"], value, pool, some, found)
            checked, message = run(self.given.ptosim, path, entry["chip"], words, self.modes[-1], result["mode"],
                                   self.given.check)
            if checked is not None or "[G01]" not in message:
                break
        result["findings"] = [{"code": "", "message": message}] if checked is None else [
            {"code": d["code"], "line": d.get("location", {}).get("line", 0), "count": d["count"], "message": d["message"]}
            for d in checked["diagnostics"]]

    def told(self, name, result):
        codes = collections.Counter(finding["code"] for finding in result.get("findings", []))
        return " ".join([super().told(name, result), result["golden"],
                         *(f"{code}: {count}" for code, count in sorted(codes.items()))]).rstrip()

    def summary(self):
        results = self.reported()
        timed = sum(result["mode"] == "timing" for result in results)
        return f"{super().summary()}, {timed} without data; {matching(results)} goldens match"

    def page(self):
        by_model, bad = collections.defaultdict(list), []
        for result in self.reported():
            by_model[result["path"].split("/")[0]].append(result)
            if result["state"] != "ran" or result["golden"] not in ("", "matches", "no expected output"):
                bad.append((result["path"], result["state"], result["message"] or f"golden: {result['golden']}"))
        text = markdown(("model", "kernels", "ran", "goldens"), [
            (model, len(group), sum(result["state"] == "ran" for result in group), matching(group))
            for model, group in sorted(by_model.items())])
        return text + ("\n" + markdown(("kernel", "state", "why"), bad) if bad else "")
