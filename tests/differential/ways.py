"""The program under test, and one kernel run in every way that there is."""
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
from dataclasses import dataclass

import numpy as np

from write_pto import Instructions

ORDER = re.compile("_FLAG|BARRIER|CROSS_")  # instructions that only order others
UNDEFINED = re.compile(r"\[(N0\d|G07)\]")  # findings about data that hardware leaves undefined
TIMEOUT, TIMEOUT_OF_BUILDS = 60, 600  # seconds of a processor, of each process
HANGS_AFTER = 7200  # seconds elapsed, on a host that does much else


class Program:
    """The program under test, and how often it has run."""

    def __init__(self, path, chip):
        self.path, self.chip, self.runs = os.path.abspath(path), chip, 0
        text = subprocess.run([self.path, "isa", "--json", "-"], capture_output=True, text=True, check=True).stdout
        self.instructions = Instructions(json.loads(text))
        chips = subprocess.run([self.path, "chips", chip, "--json", "-"], capture_output=True, text=True, check=True)
        about = json.loads(chips.stdout)
        self.generation, self.vectors = about["arch"], int(about["parameters"]["cluster.aivs"]["value"])
        self.arch = "a3" if self.generation == "a2a3" else "a5"  # of the text

    def call(self, *words, cwd=None):
        self.runs += 1
        seconds = TIMEOUT_OF_BUILDS if words[0] == "build" else TIMEOUT
        try:
            answer = subprocess.run([self.path, *words], cwd=cwd, capture_output=True, text=True, timeout=HANGS_AFTER,
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5)))
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, -99, "", f"still there after {HANGS_AFTER} s")
        if answer.returncode == -signal.SIGXCPU:
            answer.stderr += f"took more than {seconds} s of a processor"
        return answer


@dataclass
class Way:
    """One way to run a kernel, and what came out."""
    name: str
    code: int
    error: str
    outputs: dict
    cycles: int
    trace: str  # its folder, or None


def streams(way, keep_order):
    """{lane: [(instruction, operands)]} of its trace, with or without flags and barriers."""
    with open(os.path.join(way.trace, "trace.json")) as file:
        events = json.load(file)["traceEvents"]
    names = {(e["pid"], e.get("tid")): e["args"]["name"] for e in events
             if e["ph"] == "M" and e["name"] == "thread_name"}
    lanes = {}
    for event in events:
        if event["ph"] != "X" or "sequence" not in event.get("args", {}):
            continue
        if keep_order or not ORDER.search(event["name"]):
            lane = (event["pid"], names[event["pid"], event["tid"]])
            args = event["args"]
            lanes.setdefault(lane, []).append((args["sequence"], event["name"], args.get("operands")))
    return {lane: [row[1:] for row in sorted(rows, key=lambda row: row[0])] for lane, rows in lanes.items()}


def first_difference(mine, theirs):
    for lane in sorted(mine.keys() | theirs.keys(), key=str):
        a, b = mine.get(lane, []), theirs.get(lane, [])
        for at in range(max(len(a), len(b))):
            pair = [rows[at] if at < len(rows) else None for rows in (a, b)]
            if pair[0] != pair[1]:
                return f"{lane[1]} #{at}: {pair[0]}, not {pair[1]}"
    return None


def bytes_of(way, name):
    with open(os.path.join(way.trace, name), "rb") as file:
        return file.read()


class Trial:
    """The ways of one kernel, in a separate folder. `library`: its C++, compiled, or None."""

    def __init__(self, program, kernel, folder, library=None):
        self.program, self.kernel, self.folder, self.library = program, kernel, folder, library
        os.makedirs(folder, exist_ok=True)
        self.seed = int(hashlib.sha256(kernel.name.encode()).hexdigest()[:8], 16)
        self.arguments, self.outputs = kernel.files(folder, self.seed)
        for name, explicit in (("auto.pto", False), ("explicit.pto", True)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(kernel.pto(program.instructions, explicit))

    def run(self, name, source, *words, trace=False, command="run"):
        """Runs in a separate folder, because recordings hold the names of files."""
        where = os.path.join(self.folder, name)
        os.makedirs(where, exist_ok=True)
        options = ["--chip", self.program.chip, "--blocks", str(self.kernel.blocks), "--numerics",
                   self.kernel.numerics, "--json", "result.json", *words]
        if trace:
            options += ["--trace", "trace", "--trace-formats", "chrome"]
        source = source if os.path.isabs(source) else "../" + source
        answer = self.program.call(command, source, *self.arguments, *options, cwd=where)

        def path(file):
            return os.path.join(where, file)

        outputs = {output: np.load(path(file)).tobytes() if os.path.exists(path(file)) else None
                   for output, file in self.outputs.items()}
        cycles = None
        if os.path.exists(path("result.json")):
            with open(path("result.json")) as file:
                cycles = json.load(file).get("cycles")
        return Way(name, answer.returncode, answer.stderr, outputs, cycles, path("trace") if trace else None)

    def compare(self):
        """The difference, 'refused: ...' if the kernel is not to be run, or None."""
        base = self.run("auto", "auto.pto", "--sync", "auto", "--threads", "1", trace=True)
        if base.code == 2 or UNDEFINED.search(base.error):
            return "refused: " + base.error[:300]
        if base.code != 0:
            return f"auto: exit code {base.code}: {base.error[:500]}"
        wrong = self.kernel.wrong(base.outputs, self.seed)
        if wrong:
            return wrong
        ways = [self.run("auto4", "auto.pto", "--sync", "auto", "--threads", "4"),
                self.run("auto2", "auto.pto", "--sync", "auto", "--threads", "2", trace=True),
                self.run("timing", "auto.pto", "--sync", "auto", "--mode", "timing", trace=True),
                self.run("insert", "auto.pto", "--sync", "insert", "--emit", "../emitted.pto", trace=True),
                self.run("explicit", "explicit.pto", "--sync", "explicit", "--threads", "2", trace=True),
                self.run("functional", "explicit.pto", "--mode", "functional"),
                self.run("checked", "explicit.pto", "--sync", "explicit", command="check")]
        if os.path.exists(os.path.join(self.folder, "emitted.pto")):
            ways += [self.run("emitted", "emitted.pto", "--sync", "explicit", trace=True),
                     self.run("emitted_checked", "emitted.pto", "--sync", "explicit", command="check")]
        if self.library:
            entry = ["--entry", self.kernel.name]
            ways += [self.run("cpp", self.library, "--sync", "explicit", "--threads", "1", *entry, trace=True),
                     self.run("cpp_auto", self.library, "--sync", "auto", "--threads", "4", *entry)]
        return self.among(base, {way.name: way for way in ways})

    @staticmethod
    def among(base, ways):
        for way in ways.values():
            if way.code != 0:
                return f"{way.name}: exit code {way.code}, auto has 0: {way.error[:2000]}"
            if way.name != "timing" and way.outputs != base.outputs:
                other = [name for name in base.outputs if way.outputs[name] != base.outputs[name]]
                return f"{way.name}: other bytes than auto in {', '.join(other)}"
        for name, other in (("auto4", base), ("auto2", base), ("timing", base), ("emitted", ways["insert"]),
                            ("checked", ways["explicit"])):
            if name in ways and ways[name].cycles != other.cycles:
                return f"{name}: {ways[name].cycles} cycles, {other.name} has {other.cycles}"
        # A timing run has no outputs, whose hashes its recording would hold.
        for name, file in (("auto2", "recording.bin"), ("auto2", "trace.json"), ("timing", "trace.json")):
            if bytes_of(ways[name], file) != bytes_of(base, file):
                return f"{name}: another {file} than auto"
        for name, other, keep_order in (("insert", base, False), ("explicit", base, False),
                                        ("emitted", ways["insert"], True), ("cpp", ways["explicit"], True)):
            difference = name in ways and first_difference(streams(ways[name], keep_order), streams(other, keep_order))
            if difference:
                return f"{name}: other instructions than {other.name}: {difference}"
        return None
