#!/usr/bin/python3
"""Random kernels with random flags: the races that `ptosim check` finds against those of a graph.

    random_races.py --ptosim BIN [--seeds FROM:TO] [--chip NAME]

A kernel is straight: loads, moves, vector instructions, products and stores of one core, on places that
overlap, with flags, barriers of V and of all pipes at random places. The oracle here draws the graph of what the
architecture orders and looks at every pair of accesses: no clocks, no shadow memory, nothing of
ptosim. ptosim forgets an access that a later one of the same pipe covers, so it need not tell every
pair; but what it tells must be a race, and each instruction that races must be told of.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import tempfile

# What operands are: where, their type, their bytes, and the places that they may have.
OPERANDS = {
    "x": ("argument 0", "!part", 1024, (0, 4, 8, 16, 32, 40, 64, 100)),  # rows of 128 bytes
    "t": ("UB", "!tile", 1024, (0, 512, 1024, 1024, 1536, 2048, 3072)),
    "h": ("argument 0", "!half", 2048, (0, 16, 32, 64, 96)),  # rows of 64 bytes
    "y": ("argument 1", "!part", 4096, (0, 16, 32, 64, 96)),
    "m": ("L1", "!mat", 2048, (0, 1024, 2048, 2048, 3072, 6144)),
    "a": ("L0A", "!left", 2048, (0, 1024, 2048, 4096)),
    "b": ("L0B", "!right", 2048, (0, 1024, 2048, 4096)),
    "c": ("L0C", "!acc", 4096, (0, 2048, 4096, 4096)),
}
# Instructions by core: operation, pipe, inputs, output.
INSTRUCTIONS = {
    "vector": (("tload", "MTE2", "x", "t"), ("tstore", "MTE3", "t", "x"),
               ("tadd", "V", "tt", "t"), ("tmul", "V", "tt", "t")),
    "cube": (("tload", "MTE2", "h", "m"), ("tmov", "MTE1", "m", "a"), ("tmov", "MTE1", "m", "b"),
             ("tmatmul", "M", "ab", "c"), ("tmatmul.acc", "M", "cab", "c"),
             ("tstore", "FIX", "c", "y")),
}
TYPES = {
    "vector": """!ptr = !pto.ptr<f32>
!view = !pto.tensor_view<?x32xf32>
!part = !pto.partition_tensor_view<8x32xf32>
!tile = !pto.tile_buf<vec, 8x32xf32>
""",
    "cube": """!ptr = !pto.ptr<f16>
!out = !pto.ptr<f32>
!view = !pto.tensor_view<?x32xf16>
!wide = !pto.tensor_view<?x32xf32>
!half = !pto.partition_tensor_view<32x32xf16>
!part = !pto.partition_tensor_view<32x32xf32>
!mat = !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>
!left = !pto.tile_buf<left, 32x32xf16, LEFT>
!right = !pto.tile_buf<right, 32x32xf16, slayout=col_major>
!acc = !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
""",
}
LEFT = {False: "slayout=row_major", True: "blayout=col_major, slayout=row_major"}
BEGIN = """module {{
  func.func @k(%x: !ptr{more}) attributes {{pto.entry, pto.kernel_kind = #pto.kernel_kind<{core}>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = arith.constant {rows} : index
    %cols = arith.constant 32 : index
    %all = arith.constant 256 : index
    %vx = pto.make_tensor_view %x, shape = [%all, %cols], strides = [%cols, %c1] {{layout = #pto.layout<nd>}} : !view
"""
SECOND = "    %vy = pto.make_tensor_view %y, shape = [%all, %cols], strides = [%cols, %c1] " \
         "{layout = #pto.layout<nd>} : !wide\n"


class Kernel:
    """Its lines, and for the oracle: items of (kind, pipe, ...) in program order.

    Half of the kernels are ordered at random, half with care: each instruction is ordered behind
    those that it depends on, but for one time in `careless`.
    """

    def __init__(self, seed, a5):
        self.rng = random.Random(seed)
        self.core = "cube" if seed % 3 == 0 else "vector"
        self.pipes = sorted({row[1] for row in INSTRUCTIONS[self.core]})
        self.interlocked = a5
        self.careless = self.rng.choice((0, 0, 0.02, 0.1)) if seed % 2 else None
        cube = self.core == "cube"
        head = TYPES[self.core].replace("LEFT", LEFT[a5]) + BEGIN.format(
            more=", %y: !out" if cube else "", core=self.core, rows=32 if cube else 8)
        self.lines = (head + (SECOND if cube else "")).splitlines()
        self.items = []  # (line, what)
        self.made = set()
        self.pending = []
        self.used = set()
        self.chance = self.rng.choice((0.2, 0.4, 0.6))
        self.barriers = self.rng.choice((0.0, 0.05, 0.3))
        for _ in range(self.rng.randint(3, 22)):
            self.instruction()
            if self.careless is not None:
                continue
            while self.rng.random() < self.chance:
                self.flag()
            if self.rng.random() < self.barriers and not cube:
                self.emit("pto.barrier <PIPE_V>", ("barrier", "V"))
            if self.rng.random() < 0.02:
                self.emit("pto.barrier <PIPE_ALL>", ("barrier", "ALL"))
        while self.pending:
            self.wait()
        self.lines += ["    return", "  }", "}"]

    def emit(self, text, what):
        self.lines.append("    " + text)
        self.items.append((len(self.lines), what))

    def operand(self, kind):
        """Its name and type, and the bytes that it covers."""
        memory, type_, size, places = OPERANDS[kind]
        at = self.rng.choice(places)
        name = f"%{kind}_{at}"
        tile = not memory.startswith("argument")
        begin = at if tile else at * (64 if kind == "h" else 128)
        if name not in self.made:
            self.made.add(name)
            self.lines.append(f"    {name}_at = arith.constant {at} : {'i64' if tile else 'index'}")
            if tile:
                self.lines.append(f"    {name} = pto.alloc_tile addr = {name}_at : {type_}")
            else:
                view = {"x": "%vx : !view", "h": "%vx : !view", "y": "%vy : !wide"}[kind]
                self.lines.append(
                    f"    {name} = pto.partition_view {view.split()[0]}, offsets = [{name}_at, %c0]"
                    f", sizes = [%rows, %cols] : {view.split()[2]} -> {type_}")
        return name, type_, (memory, begin, begin + size)

    def order(self, item):
        """What orders `item` behind what it depends on."""
        self.items.append((None, item))
        racing = [i for i, j in self.pairs() if j == len(self.items) - 1]
        self.items.pop()
        for pipe in dict.fromkeys(self.items[i][1][1] for i in racing):
            if self.rng.random() < self.careless:
                continue
            free = [n for n in range(8) if (pipe, item[1], n) not in self.used]
            if pipe == item[1]:  # V
                self.emit(f"pto.barrier <PIPE_{pipe}>", ("barrier", pipe))
            elif self.rng.random() < 0.1 or not free:
                self.emit("pto.barrier <PIPE_ALL>", ("barrier", "ALL"))
            else:
                flag = (pipe, item[1], self.rng.choice(free))
                self.used.add(flag)
                self.set(flag)
                self.pending.append(flag)
                self.wait(flag)

    def do(self, text, item):
        if self.careless is not None:
            self.order(item)
        self.emit(text, item)

    def instruction(self):
        operation, pipe, inputs, output = self.rng.choice(INSTRUCTIONS[self.core])
        result = self.operand(output)
        # an accumulator is in the place of its sum
        sources = [result if kind == output == "c" else self.operand(kind) for kind in inputs]
        text = (f"pto.{operation} ins({', '.join(s[0] for s in sources)} : "
                f"{', '.join(s[1] for s in sources)}) outs({result[0]} : {result[1]})")
        self.do(text, ("access", pipe, [s[2] for s in sources], [result[2]]))

    def flag(self):
        if self.pending and self.rng.random() < 0.6:
            return self.wait()
        source, destination = self.rng.sample(self.pipes, 2)
        number = self.rng.randrange(8)
        if (source, destination, number) in self.used:
            return None
        self.used.add((source, destination, number))
        self.pending.append((source, destination, number))
        return self.set((source, destination, number))

    def set(self, flag):
        self.emit(f"pto.set_flag[<PIPE_{flag[0]}>, <PIPE_{flag[1]}>, <EVENT_ID{flag[2]}>]",
                  ("set", flag[0], flag))

    def wait(self, flag=None):
        flag = flag or self.rng.choice(self.pending)
        self.pending.remove(flag)
        self.emit(f"pto.wait_flag[<PIPE_{flag[0]}>, <PIPE_{flag[1]}>, <EVENT_ID{flag[2]}>]",
                  ("wait", flag[1], flag))

    def races(self):
        """{(line, line): kinds}."""
        return {(self.items[i][0], self.items[j][0]): kinds
                for (i, j), kinds in self.pairs().items()}

    def pairs(self):
        """{(item, item): kinds}: pairs of accesses that no path orders."""
        # Every item begins and ends; an edge is from a moment to a later one.
        count = len(self.items)
        begin, end = (lambda i: 2 * i), (lambda i: 2 * i + 1)
        later = [set() for _ in range(2 * count)]
        sets = {}
        for i, (_, item) in enumerate(self.items):
            later[begin(i)].add(end(i))
            for j in range(i):
                before = self.items[j][1]
                if before[1] != item[1] and "ALL" not in (before[1], item[1]):
                    continue
                # A pipe takes its items in order and ends each before the next. So not V without
                # interlocks: there, an instruction is over for barriers and sets alone, and what
                # stands behind a set does not wait for it.
                loose = item[1] == "V" and not self.interlocked
                if not loose or item[0] == "barrier" or before[0] in ("barrier", "wait"):
                    later[end(j)].add(begin(i))
                elif before[0] == "access" and item[0] == "set":
                    later[end(j)].add(begin(i))
            if item[0] == "set":
                sets[item[2]] = i
            if item[0] == "wait":
                later[end(sets[item[2]])].add(begin(i))
        reach = [set() for _ in later]
        for moment in reversed(range(2 * count)):
            for following in later[moment]:
                assert following > moment
                reach[moment] |= {following} | reach[following]
        found = {}
        for j, (_, second) in enumerate(self.items):
            for i, (_, first) in enumerate(self.items[:j]):
                if first[0] != "access" or second[0] != "access" or begin(j) in reach[end(i)]:
                    continue
                kinds = set()
                for a, b, kind in ((first[3], second[2], "RAW"), (first[2], second[3], "WAR"),
                                   (first[3], second[3], "WAW")):
                    if any(x[0] == y[0] and x[1] < y[2] and y[1] < x[2] for x in a for y in b):
                        kinds.add(kind)
                if kinds:
                    found[i, j] = kinds
        return found


def told(ptosim, chip, path, arguments):
    """{(line, line): kinds} of ptosim, in program order."""
    result = subprocess.run([ptosim, "check", path, "--sync", "explicit", "--check", "race",
                             "--chip", chip, "--format",
                             "json", "--mode", "timing", "--blocks", "1", *arguments], capture_output=True, text=True, timeout=60)
    if result.returncode not in (0, 1):
        raise SystemExit(f"{path}: {result.stderr}")
    assert result.stdout, result.stderr
    found = {}
    for finding in json.loads(result.stdout):
        lines = [int(re.search(r" at [^:]*:(\d+)", note).group(1)) for note in finding["notes"][:2]]
        kind = re.match(r"(RAW|WAR|WAW)", finding["message"]).group(1)
        if lines[0] > lines[1]:
            lines.reverse()
            kind = {"RAW": "WAR", "WAR": "RAW", "WAW": "WAW"}[kind]
        found.setdefault(tuple(lines), set()).add(kind)
    return found


def compare(ptosim, chip, seed, folder):
    kernel = Kernel(seed, chip.startswith("ascend950"))
    path = os.path.join(folder, f"k{seed}.pto")
    with open(path, "w") as file:
        file.write("\n".join(kernel.lines) + "\n")
    expected = kernel.races()
    arguments = ["--arg", "zeros=256x32xf16", "--arg", "zeros=256x32xf32"] \
        if kernel.core == "cube" else ["--arg", "zeros=256x32xf32"]
    found = told(ptosim, chip, path, arguments)
    problems = [f"lines {pair} are told to be a {'/'.join(kinds - expected.get(pair, set()))} race,"
                " and are none"
                for pair, kinds in found.items() if kinds - expected.get(pair, set())]
    touched = {line for pair in found for line in pair}
    problems += [f"lines {pair} race ({'/'.join(sorted(kinds))}), and neither is told of"
                 for pair, kinds in expected.items() if not touched & set(pair)]
    if len(expected) == 1 and set(found) != set(expected):
        problems.append(f"the one race {expected} is told as {found}")
    if not problems:
        os.remove(path)
    return seed, len(expected), len(found), problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("--seeds", default="0:60")
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="folder for the kernels that do not agree")
    options = parser.parse_args()
    first, last = (int(x) for x in options.seeds.split(":"))
    folder = options.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    racing = pairs = reported = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, expected, found, problems in pool.map(
                lambda s: compare(options.ptosim, options.chip, s, folder), range(first, last)):
            racing += expected > 0
            pairs += expected
            reported += found
            for problem in problems:
                print(f"seed {seed}: {problem}")
            wrong += bool(problems)
    print(f"{options.chip}: {last - first} kernels, {racing} with races, {pairs} pairs that race, "
          f"{reported} told; {wrong} kernels disagree"
          + (f": {folder}" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
