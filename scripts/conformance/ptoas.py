"""Runs the samples of a checkout of hw-native-sys/PTOAS (v0.27) unchanged and compares with numpy.

Every .pto file under test/samples. Inputs are ours and seeded. References are ours too (references/ptoas.py): numpy written
from the computation in each .pto file, not from the scripts next to it.

A file is
    right      every output, and every byte around it, equals numpy's
    ran        it runs, but stores nothing that could be compared
    accepted   no reference; it reads, binds, plans and verifies (--dry-run)
    refused    the program reports something unsupported or illegal
    unordered  the program reports that cube and vector cores hand data over through global memory
               with nothing that orders them (G04)
    wrong      other results, or a finding of the program
    crashed    internal error, signal or time limit
The exit code is 0 if no file is wrong or crashed. A file has the worst state of its runs; a run with arguments that the kernel
does not allow is right if the program refuses it for that reason.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np

from references.ptoas import A5_ONLY, CASES, REASONS, REMARKS, Scalar
from suites import Suite, flag, launch, options

LIMIT = 300  # seconds for one run
WORST_FIRST = ["crashed", "wrong", "unordered", "refused", "accepted", "ran", "right"]


def first_line(text):
    return next((line.strip() for line in text.splitlines() if "error" in line), (text.strip().splitlines() or ["no message"])[0])


def difference(expected, got):
    """None, or a sentence. Bits are compared."""
    if expected.shape != got.shape:
        return f"shape {got.shape}, not {expected.shape}"
    if expected.tobytes() == got.tobytes():
        return None
    bits = [np.ascontiguousarray(array).view(f"u{expected.dtype.itemsize}") for array in (expected, got)]
    differs = np.argwhere(bits[0] != bits[1])
    where = tuple(int(i) for i in differs[0])
    return f"{len(differs)} of {expected.size} elements differ, first at {where}: {got[where]}, not {expected[where]}"


class Samples(Suite):
    repository = "hw-native-sys/PTOAS"
    options = options("ptosim only commit json record", insert=flag(
        "under every checker, with inserted flags (--sync insert)"))
    columns = ("file", "state", "runs", "message, reason")
    key, reason = "path", "message"
    good = ("right", "ran", "accepted", "refused", "unordered")
    mark = "table"

    def prepare(self):
        self.samples = self.given.checkout / "test" / "samples"

    def items(self):
        self.paths = sorted(str(path.relative_to(self.samples)) for path in self.samples.rglob("*.pto"))
        for path in sorted({case.path for case in CASES} - set(self.paths)):
            print(f"note: the checkout has no {path}", file=sys.stderr)
        return self.paths

    def execute(self, command):
        """State by exit code, and the message."""
        try:
            done = subprocess.run(command, cwd=self.samples, capture_output=True, text=True, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return "crashed", f"no end after {LIMIT} s"
        if done.returncode == 0:
            return "right", ""
        state = {1: "unordered" if "[G04]" in done.stderr else "wrong", 2: "refused"}.get(done.returncode, "crashed")
        return state, first_line(done.stderr) if done.returncode > 0 else f"signal {-done.returncode}"

    def run_case(self, case):
        rng = np.random.default_rng(zlib.crc32(f"{case.path} {case.variant}".encode()))
        with tempfile.TemporaryDirectory(prefix="conformance-") as name:
            folder, words, values, outputs = pathlib.Path(name), [], [], []
            for i, argument in enumerate(case.args):
                if isinstance(argument, Scalar):
                    words.append(argument.text)
                    values.append(argument.value)
                    continue
                values.append(argument.make(rng, argument.shape, argument.dtype))
                np.save(folder / f"{i}.npy", values[-1])
                words.append(f"inout={folder}/{i}.npy:{folder}/{i}.out.npy" if argument.output else f"in={folder}/{i}.npy")
                outputs += [i] if argument.output else []
            command = ["check", "--sync", "insert"] if self.given.insert else ["run"]
            state, message = self.execute(launch(
                self.given.ptosim, *command, case.path, "--blocks", "1",
                *(["--chip", "ascend950pr"] if case.path in A5_ONLY else []), arguments=words))
            if case.refused:
                if state == "refused" and f"[{case.refused}]" in message:
                    return "right", ""
                return ("wrong", f"not refused with {case.refused}") if state == "right" else (state, message)
            if state != "right" or case.reference is None:
                return ("ran", "") if state == "right" else (state, message)
            case.reference(*values)
            for i in outputs:
                file = folder / f"{i}.out.npy"
                text = difference(values[i], np.load(file)) if file.exists() else "no file of results"
                if text:
                    return "wrong", f"argument {i}: {text}"
            return "right", ""

    def run(self, item):
        start, cases, worst, text = time.monotonic(), [case for case in CASES if case.path == item], "right", ""
        if not cases:
            worst, text = self.execute([self.given.ptosim, "run", item, "--dry-run"])
            worst = "accepted" if worst == "right" else worst
        for case in cases:
            state, message = self.run_case(case)
            if WORST_FIRST.index(state) < WORST_FIRST.index(worst):
                worst, text = state, f"({case.variant}) {message}" if case.variant and message else message
        remarks = [REASONS.get(item, "") if worst != "right" else "", REMARKS.get(item, ""),
                   "Declares a5." if 'target_arch = "a5"' in (self.samples / item).read_text() else ""]
        return {"path": item, "state": worst, "message": text, "runs": len(cases), "seconds": round(time.monotonic() - start, 2),
                "note": " ".join(filter(None, remarks))}

    def document(self):
        digest = hashlib.sha256()
        for path in self.paths:
            digest.update(path.encode() + b"\0" + (self.samples / path).read_bytes() + b"\0")
        states = [result["state"] for result in self.reported()]
        return {"repository": self.repository, "commit": self.commit(), "sha256": digest.hexdigest(),
                "counts": {state: states.count(state) for state in reversed(WORST_FIRST) if state in states},
                "files": self.reported()}

    def row_of(self, result):
        message = f"`{result['message']}`" if result["message"] else ""
        return result["path"], result["state"], result["runs"], " ".join(filter(None, [message, result["note"]]))
