#!/usr/bin/python3
"""Feeds the program mutated files and command lines of every kind that it reads, except `.pto` (scripts/fuzz.sh).

    fuzz_inputs.py --ptosim BIN [--kind KIND] [--seconds N] [--seed N] [--keep DIR]
    fuzz_inputs.py --ptosim BIN --kind KIND --seeds DIR   (DIR/seeds and DIR/words.dict, for libFuzzer)

KIND: chip, plan, npy, recording, suppressions, launch, words; without, all in turn. The program should be one with
sanitizers (cmake -DPTOSIM_SANITIZE=address,undefined). An input is a finding if the program ends by a signal, with
exit code 3 or one of a sanitizer, prints no error, or computes for more than 60 s; it is left in DIR, with a line that
runs it again. Exit code 1 if there was one.
"""
import argparse
import collections
import glob
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
KERNEL = os.path.join(ROOT, "tests", "kernels", "vadd_f32.pto")
ARGUMENTS = ["--arg", "rand=128x256xf32", "--arg", "rand=128x256xf32", "--arg", "out=128x256xf32", "--arg", "i32=128", "--blocks", "4"]
SECONDS, WALL = 60, 600  # of computing; on a host that does much else
NUMBERS = [b"0", b"-1", b"1", b"255", b"65536", b"2147483647", b"-2147483648", b"4294967296", b"9223372036854775807",
           b"-9223372036854775808", b"18446744073709551616", b"1e308", b"1e999", b"-0.0", b"nan", b"0x7fffffff", b"1e-320"]
WORDS = {
    "chip": [b"extends", b"value", b"unit", b"grade", b"source", b"assumed", b"measured", b"B/cycle", b"KiB", b"TB/s",
             b"ascend950pr", b"null", b"true", b"[]", b"{}", b'""', b"clusters", b"cluster.aivs", b"description"],
    "step": [b"nodes", b"name", b"after", b"us", b"result", b"collective", b"all_reduce", b"kib", b"ranks", b"apart"],
    "plan": [b"kernels", b"file", b"params", b"arguments", b"chips", b"set", b"where", b"blocks", b"from", b"to", b"step",
             b"times", b"${", b"}", b"chip.clusters", b"timeout", b"ascend910b1", b"mode", b"timing", b"[]", b"{}", b"null"],
    "npy": [b"fortran_order", b"descr", b"shape", b"<f4", b">f4", b"|V2", b"True", b"(,)", b"()", b"<U8", b"\x93NUMPY"],
    "recording": [b"ptosim recording"],
    "suppressions": [b"E01", b"*", b":", b"#", b"vadd_f32.pto", b"\0", b"\r\n", b" ", b"E99", b"B01"],
    "launch": [b"<<<", b">>>", b"(", b")", b"<", b">", b",", b"{", b"}", b"__global__", b"template<typename T>", b"//", b"/*",
               b'R"(', b'"', b"'", b"\\", b"#line 3", b"nullptr", b"extern \"C\"", b"decltype", b"::"],
    "words": [],
}
TURNS = [kind for kind in WORDS if kind != "launch"] * 8 + ["launch"]  # a launch takes a compiler
OPTIONS = """--chip --set --param --define --include --core --entry --blocks --warm --arg --golden --sync --emit --plan --assembler
--numerics --mode --trace --trace-formats --threads --seed --json --dry-run --format --report --check --suppress
--check-memory --wasted --html --png --svg --write --into --most-slices --tolerance --out --jobs --launcher --workers --shard
--diff --schema --example --markdown --cpp-forms -o --arch --work""".split()
VALUES = ["", "-", "0", "-1", "1", "99999999999999999999", "1e9", "nan", "ascend910b1", "x", "/", "/dev/null", ".", "..",
          "k.pto", "in=x.npy", "out=8x8xf32", "out=0xf32", "out=99999999999x9999999999xf32", "rand=8x8xi4", "zeros=8xbf16:1:2",
          "i32=9999999999", "f32=nan", "null", "inout=", "0=x.npy:1,2", "aiv.ub.bytes=1", "aiv.ub.bytes=-1KiB",
          "clusters=0", "clusters=99999999", "all", "none", "bounds,init,,race", "text", "sarif", "full", "timing", "auto",
          "insert", "A+B", "é\n\t", "%s%n", "$(true)", "a" * 5000, "3/2", "1/0", "../" * 200]
COMMANDS = ["run", "check", "report", "diff", "sweep", "chips", "isa", "capture", "build", "compare", "estimate", "help",
            ""]


def mutated(pick, data, words):
    """A few changes, from a bit to a part that is taken twice."""
    data = bytearray(data)
    for _ in range(pick.choice((1, 1, 1, 2, 3, 8))):
        at = pick.randrange(len(data) + 1)
        kind = pick.randrange(8)
        if kind == 0 and data:
            data[pick.randrange(len(data))] ^= 1 << pick.randrange(8)
        elif kind == 1:
            data[at:at] = bytes(pick.randrange(256) for _ in range(pick.randint(1, 8)))
        elif kind == 2:
            del data[at:at + pick.choice((1, 2, 4, 16, 200))]
        elif kind == 3 and words:
            data[at:at + pick.choice((0, 4))] = pick.choice(words)
        elif kind == 4:
            numbers = list(re.finditer(rb"-?\d+(\.\d+)?", bytes(data)))
            if numbers:
                found = pick.choice(numbers)
                data[found.start():found.end()] = pick.choice(NUMBERS)
        elif kind == 5:
            end = min(len(data), at + pick.choice((1, 8, 64, 512)))
            data[at:at] = data[at:end] * pick.choice((1, 2, 50))
        elif kind == 6:
            del data[at:]
        elif len(data) >= 8:
            place = pick.randrange(len(data) - 7)
            width = pick.choice((1, 2, 4, 8))
            value = pick.choice((0, 1, 2**(8 * width - 1), 2**(8 * width) - 1, 2**(8 * width - 1) - 1))
            data[place:place + width] = value.to_bytes(width, "little")
    return bytes(data)


def whole_json(pick, data, words):
    """Half of the mutated JSON stays JSON: a value is replaced, repeated or left out."""
    if pick.random() < 0.5:
        return mutated(pick, data, words)
    tree = json.loads(data)
    places = []

    def walk(node):
        for key in (node if isinstance(node, dict) else range(len(node))):
            places.append((node, key))
            if isinstance(node[key], (dict, list)):
                walk(node[key])

    walk(tree)
    for _ in range(pick.choice((1, 1, 2))):
        node, key = pick.choice(places)
        other, name = pick.choice(places)
        value = pick.choice([None, True, -1, 0, 2**63, 1e308, "", "x", [], {}, [[]], 10**30, "-1KiB", "1e999TB/s"])
        try:
            node[key] = pick.choice([value, other[name]])
            text = json.dumps(tree)
        except (KeyError, IndexError, TypeError, ValueError, RecursionError):
            return mutated(pick, data, words)
    return text.encode()


# Lines that tests/fuzz/words_main.cpp reads.
LINES = ["arg " + word for word in (
    "in=x.npy", "out=8x8xf32", "out=8x8xf32:y.npy", "inout=x.npy:y.npy", "rand=8x8xi4:7", "zeros=8xbf16", "i32=5", "f32=0.5",
    "bf16=-1e9", "i1=true", "null")] + [
    "golden 0=x.npy:1e-3,1e-5", "golden 2=y.npy", "set aiv.ub.bytes=128KiB", "set memory.hbm.bandwidth=1.6TB/s",
    "set clusters=20", "set core.clock=1.8GHz", "expression min(256, M / (4 * 2)) + up(N, 16) % 3 ? pow2(M) : floor(2.5)",
    "expression ${M}x${N * 2}", "kernel param TILE_M = min(128, chip.clusters)", "kernel require M % 16 == 0 : whole boxes",
    "formats chrome,html,none", "PTOSIM_CHECK bounds,init,race", "PTOSIM_SET aiv.ub.bytes=1;clusters=2",
    "PTOSIM_CHIP ascend950pr", "PTOSIM_MAX_CYCLES 100", "PTOSIM_SCHEDULES 3", "PTOSIM_SEED 18446744073709551615",
    "PTOSIM_MODE timing", "PTOSIM_MEMORY exact", "PTOSIM_NUMERICS chip", "PTOSIM_SYNC insert", "PTOSIM_REPORT x.sarif"]


def write_seeds(kinds, kind, folder):
    """Initial inputs of libFuzzer: seeds, and a dictionary."""
    os.makedirs(os.path.join(folder, "seeds"), exist_ok=True)
    seeds = [line.encode() for line in LINES] if kind == "words" else kinds.seeds[kind]
    words = [value.encode() for value in VALUES if value] if kind == "words" else WORDS[kind]
    for number, seed in enumerate(seeds):
        with open(os.path.join(folder, "seeds", str(number)), "wb") as file:
            file.write(seed)
    with open(os.path.join(folder, "words.dict"), "w") as file:
        for word in [*words, *NUMBERS]:
            if len(word) <= 64:
                file.write('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n')


class Kinds:
    """For each kind the seeds, the file that is mutated, and the command that reads it."""

    def __init__(self, ptosim, folder):
        self.ptosim, self.folder = ptosim, folder
        recorded = os.path.join(folder, "recorded")
        for extra in ([], ["--mode", "timing"]):
            subprocess.run([ptosim, "run", KERNEL, *ARGUMENTS, "--trace", recorded + str(len(extra)),
                            "--trace-formats", "none", *extra], check=True, capture_output=True)
        arrays = []
        for dtype in (np.float32, np.float16, np.uint8, ">f4", "<U3", np.complex64):
            path = os.path.join(folder, "seed.npy")
            np.save(path, np.zeros((128, 256), dtype))
            arrays.append(self.bytes(path))
        models = glob.glob(os.path.join(ROOT, "models", "*.json"))
        launches = glob.glob(os.path.join(ROOT, "tests", "cpp", "*_main.cpp"))
        plan = {"chips": ["ascend910b1"], "set": {"aiv.ub.bytes": ["128KiB", "192KiB"]},
                "kernels": [{"file": KERNEL, "blocks": 4, "arguments": [
                    "zeros=128x256xf32", "zeros=128x256xf32", "zeros=128x256xf32", "i32=128"]}]}
        step = {"name": "layer", "repeat": 3, "nodes": [
            {"name": "add", "us": 7.5, "source": "a stop-watch", "type": "Add", "inputs": ["1024,256 FLOAT ND"],
             "outputs": ["1024,256 FLOAT ND"]},
            {"name": "sum", "collective": "all_reduce", "kib": 4096, "ranks": 4, "after": ["add"]}]}
        self.seeds = {
            "chip": [self.bytes(path) for path in models if os.path.getsize(path) < 200000],
            "plan": [json.dumps(plan).encode(), *map(self.bytes, glob.glob(os.path.join(ROOT, "models/studies/*.json")))],
            "step": [json.dumps(step).encode()],
            "npy": arrays,
            "recording": [self.bytes(path) for path in glob.glob(recorded + "*/recording.bin")],
            "suppressions": [b"E01 vadd_f32.pto:12\n* *.pto\n# known\nE07 a/b.pto\n"],
            "launch": [self.bytes(path) for path in launches] + [
                b"template <class T> __global__ AICORE void k(T* x) {}\nint f() { k<float><<<2, nullptr, s>>>(p); }\n"],
            "words": [b""],
        }

    @staticmethod
    def bytes(path):
        with open(path, "rb") as file:
            return file.read()

    def prepare(self, kind, data, where):
        """Writes the input; the command that reads it."""
        names = {"chip": "chip.json", "plan": "plan.json", "step": "step.json", "npy": "x.npy", "recording": "t/recording.bin",
                 "suppressions": "known.txt", "launch": "k.cpp"}
        path = os.path.join(where, names[kind])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        run = ["run", KERNEL, "--mode", "timing", *ARGUMENTS]
        return {"chip": [*run, "--chip", "chip.json"], "plan": ["sweep", "plan.json", "--dry-run"],
                "step": ["estimate", "step.json", "--system", "host910b", "--chakra", "et", "--tables", "tables"],
                "npy": ["run", KERNEL, "--arg", "in=x.npy", *ARGUMENTS[2:]],
                "recording": ["report", "t", "--html", "page.html"],
                "suppressions": ["check", KERNEL, *ARGUMENTS, "--suppress", "known.txt"],
                "launch": ["build", "-c", "k.cpp", "-o", "k.o"]}[kind]

    def attempt(self, kind, pick, where):
        """The command line of a new input of a kind, whose files are in `where`."""
        if kind == "words":
            shutil.copy(KERNEL, os.path.join(where, "k.pto"))
            words = [pick.choice(COMMANDS), *([] if pick.random() < 0.4 else ["k.pto"])]
            if pick.random() < 0.5:
                words += ARGUMENTS
            for _ in range(pick.randint(0, 4)):
                words.append(pick.choice(OPTIONS) if pick.random() < 0.9 else pick.choice(VALUES))
                if pick.random() < 0.8:
                    words.append(pick.choice(VALUES))
            return words
        change = whole_json if kind in ("chip", "plan", "step") else mutated
        return self.prepare(kind, change(pick, pick.choice(self.seeds[kind]), WORDS[kind]), where)


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def wrong(result):
    """Why the end of a run is a finding, or None."""
    if result is None:
        return f"still running after {WALL} s"
    text = result.stderr.decode(errors="replace")
    if "Sanitizer" in text or "runtime error:" in text:
        return re.search(r".*(?:Sanitizer|runtime error:).*", text).group(0)[:200]
    if result.returncode not in (0, 1, 2):
        return f"exit code {result.returncode}: {text[:200]}"
    if result.returncode == 2 and not (text + result.stdout.decode(errors="replace")).strip():
        return "exit code 2 without a word"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--kind", choices=WORDS)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="fuzz-found")
    parser.add_argument("--seeds", metavar="DIR", help="write seeds and a dictionary of --kind, and fuzz nothing")
    options = parser.parse_args()
    ptosim, started = os.path.abspath(options.ptosim), time.time()
    codes, found, number = collections.Counter(), 0, options.seed
    with tempfile.TemporaryDirectory() as folder:
        kinds = Kinds(ptosim, folder)
        if options.seeds:
            write_seeds(kinds, options.kind, options.seeds)
            return 0
        environment = {**os.environ, "PTOSIM_CACHE": os.path.join(folder, "cache"), "PTOSIM_WATCHDOG": "5"}
        while time.time() - started < options.seconds:
            kind = options.kind or TURNS[number % len(TURNS)]
            where = os.path.join(folder, "input")
            shutil.rmtree(where, ignore_errors=True)
            os.makedirs(where)
            words = kinds.attempt(kind, random.Random(f"{kind} {number}"), where)
            number += 1
            try:
                result = subprocess.run([ptosim, *words], cwd=where, env=environment, capture_output=True,
                                        timeout=WALL, stdin=subprocess.DEVNULL, preexec_fn=limited)
            except subprocess.TimeoutExpired:
                result = None
            problem = wrong(result)
            codes[kind, "finding" if problem else result.returncode] += 1
            if problem:
                found += 1
                keep = os.path.join(os.path.abspath(options.keep), f"{kind}-{number - 1}")
                shutil.rmtree(keep, ignore_errors=True)
                shutil.copytree(where, keep)
                print(f"{kind} {number - 1}: {problem}\n  again: cd {keep} && ptosim {words}", flush=True)
    for kind in WORDS:
        counts = {code: count for (name, code), count in codes.items() if name == kind}
        if counts:
            print(f"{kind:13} {sum(counts.values()):6} inputs, by exit code: "
                  + ", ".join(f"{code}: {count}" for code, count in sorted(counts.items(), key=str)))
    print(f"{number - options.seed} inputs in {time.time() - started:.0f} s, {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
