#!/usr/bin/python3
"""Random kernels with random flags: the races that `ptosim check` finds against the races of a graph.

    random_races.py --ptosim BIN [--seeds FROM:TO] [--chip NAME]

A kernel is straight: loads, moves, vector instructions, products and stores of an AIV, an AIC, or a
cluster of both, on places that overlap, with flags, signals between cores, barriers of V
and of all pipes at random places. The oracle here draws the graph of what the architecture orders and
looks at every pair of accesses: no clocks, no shadow memory, nothing of ptosim. ptosim forgets an
access that a later one of the same pipe covers, so it need not report every pair; but each report must
be a race, and of each pair that races at least one side must be reported.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import random
import re
import subprocess
import tempfile

# Operands: kind, type, bytes, and the possible places.
OPERANDS = {
    "x": ("argument 0", "!part", 1024, (0, 4, 8, 16, 32, 40, 64, 100)),  # rows of 128 bytes
    "t": ("UB", "!tile", 1024, (0, 512, 1024, 1024, 1536, 2048, 3072)),
    "h": ("argument 0", "!half", 2048, (0, 16, 32, 64, 96)),  # rows of 64 bytes
    "y": ("argument 1", "!part", 4096, (0, 16, 32, 64, 96)),
    "m": ("L1", "!mat", 2048, (0, 1024, 2048, 2048, 3072, 6144)),
    "a": ("L0A", "!left", 2048, (0, 1024, 2048, 4096)),
    "b": ("L0B", "!right", 2048, (0, 1024, 2048, 4096)),
    "z": ("argument 1", "!small", 1024, (0, 4, 8, 16, 32, 40, 64, 100)),
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
TYPES["mixed"] = TYPES["cube"] + """!small = !pto.partition_tensor_view<8x32xf32>
!tile = !pto.tile_buf<vec, 8x32xf32>
"""
ND = "{layout = #pto.layout<nd>}"
VIEWS = {"x": ("%vx", "!view"), "h": ("%vx", "!view"), "y": ("%vy", "!wide"), "z": ("%vy", "!wide")}
SIGNALS = 11


@dataclasses.dataclass
class Item:
    """A step of a core: an access, a barrier, a set or wait of a flag or signal; or `await`, the wait
    of the 910's scalar unit for a signal."""
    kind: str
    pipe: str
    reads: tuple = ()  # of (memory, begin, end)
    writes: tuple = ()
    flag: object = None
    core: str = ""
    place: object = None  # [line]


class Kernel:
    """Lines of a kernel, and for the oracle the steps of its cores, in an order in which they can be done.

    Half of the kernels are ordered at random, half with care: each instruction is ordered after the instructions that
    it depends on, but for one time in `careless`. A mixed kernel is one AIC and two AIVs, whose parts of shared arrays
    are 128 rows apart.
    """

    def __init__(self, seed, a5):
        self.rng = random.Random(seed)
        self.name = ("cube", "vector", "mixed")[seed % 3]
        self.a5 = a5
        self.careless = self.rng.choice((0, 0, 0.02, 0.1)) if seed // 3 % 2 else None
        self.cores = ["cube", "vector"] if self.name == "mixed" else [self.name]
        self.texts = {core: [] for core in self.cores}  # of [text], which becomes [text, line]
        self.items = []
        self.made = set()
        self.pending = []
        self.used = set()
        self.signals = list(range(SIGNALS))
        self.chance = self.rng.choice((0.2, 0.4, 0.6))
        self.barriers = self.rng.choice((0.0, 0.05, 0.3))
        for _ in range(self.rng.randint(3, 22)):
            core = self.rng.choice(self.cores)
            self.instruction(core)
            if self.careless is not None:
                continue
            while self.rng.random() < self.chance:
                self.flag(core)
            if self.rng.random() < self.barriers and core == "vector":
                self.emit(core, "pto.barrier <PIPE_V>", Item("barrier", "V"))
            if self.rng.random() < 0.02:
                self.emit(core, "pto.barrier <PIPE_ALL>", Item("barrier", "ALL"))
            if len(self.cores) > 1 and self.rng.random() < self.chance / 2:
                self.signal(core, self.pipe(core), self.pipe(self.other(core)))
        while self.pending:
            self.wait()
        self.lines = self.written(a5)

    def written(self, a5):
        """The lines of the file."""
        several = self.name != "vector"
        kind = "" if self.name == "mixed" \
            else f", pto.kernel_kind = #pto.kernel_kind<{self.name}>"
        lines = TYPES[self.name].replace("LEFT", LEFT[a5]).splitlines()
        lines += ["module {",
                  f"  func.func @k(%x: !ptr{', %y: !out' if several else ''}) attributes "
                  f"{{pto.entry{kind}}} {{"]
        for name, value in (("c0", 0), ("c1", 1), ("r8", 8), ("r32", 32), ("apart", 128),
                            ("all", 256)):
            lines.append(f"    %{name} = arith.constant {value} : index")
        for name, view in ("x", "!view"), ("y", "!wide"):
            if name == "x" or several:
                lines.append(f"    %v{name} = pto.make_tensor_view %{name}, shape = [%all, %r32], "
                             f"strides = [%r32, %c1] {ND} : {view}")
        for core in self.cores:
            if self.name == "mixed":
                lines.append(f"    pto.section.{core} {{")
                if core == "vector":
                    lines += ["    %sub_i64 = pto.get_subblock_idx",
                              "    %sub = arith.index_cast %sub_i64 : i64 to index",
                              "    %shift = arith.muli %sub, %apart : index"]
            for text in self.texts[core]:
                lines.append("    " + text[0])
                text.append(len(lines))
            if self.name == "mixed":
                lines.append("    }")
        return lines + ["    return", "  }", "}"]

    def other(self, core):
        return self.cores[1 - self.cores.index(core)]

    def pipe(self, core):
        return self.rng.choice(INSTRUCTIONS[core])[1]

    def emit(self, core, text, item):
        place = [text]
        self.texts[core].append(place)
        self.items += self.steps(core, item, place)

    def steps(self, core, item, place=None):
        """Steps of the cores that run this section."""
        if self.name != "mixed" or core == "cube":
            return [dataclasses.replace(item, core=core, place=place)]

        def shifted(regions, rows):
            return tuple((m, b + rows * 128, e + rows * 128) if m == "argument 1" else (m + str(rows),
                         b, e) for m, b, e in regions)
        return [dataclasses.replace(item, core=f"vector{rows}", place=place,
                                    reads=shifted(item.reads, rows),
                                    writes=shifted(item.writes, rows)) for rows in (0, 128)]

    def operand(self, core, kind):
        """Its name and type, and the bytes that it covers."""
        if self.name == "mixed" and kind == "x":
            kind = "z"
        memory, type_, size, places = OPERANDS[kind]
        at = self.rng.choice(places)
        name = f"%{kind}_{at}"
        tile = not memory.startswith("argument")
        begin = at if tile else at * (64 if kind == "h" else 128)
        if name not in self.made:
            self.made.add(name)
            say = self.texts[core].append
            say([f"{name}_at = arith.constant {at} : {'i64' if tile else 'index'}"])
            row = f"{name}_at"
            if kind == "z":
                say([f"{name}_row = arith.addi {name}_at, %shift : index"])
                row = f"{name}_row"
            if tile:
                say([f"{name} = pto.alloc_tile addr = {name}_at : {type_}"])
            else:
                view, view_type = VIEWS[kind]
                rows = "%r8" if kind in "xz" else "%r32"
                say([f"{name} = pto.partition_view {view}, offsets = [{row}, %c0], "
                     f"sizes = [{rows}, %r32] : {view_type} -> {type_}"])
        return name, type_, (memory, begin, begin + size)

    def order(self, core, item):
        """Orders `item` after the items that it depends on; returns whether there was a way."""
        new = self.steps(core, item)
        self.items += new
        count = len(self.items)
        racing = [self.items[i] for i, j in self.pairs() if j >= count - len(new)]
        del self.items[count - len(new):]
        for there, pipe in dict.fromkeys((x.core.rstrip("0128"), x.pipe) for x in racing):
            if self.rng.random() < self.careless:
                continue
            free = [n for n in range(8) if (core, pipe, item.pipe, n) not in self.used]
            if there != core:
                if not self.signals:
                    return False
                self.signal(there, pipe, item.pipe)
            elif pipe == item.pipe:  # V
                self.emit(core, f"pto.barrier <PIPE_{pipe}>", Item("barrier", pipe))
            elif self.rng.random() < 0.1 or not free:
                self.emit(core, "pto.barrier <PIPE_ALL>", Item("barrier", "ALL"))
            else:
                self.set((core, pipe, item.pipe, self.rng.choice(free)))
                self.wait(self.pending[-1])
        return True

    def instruction(self, core):
        operation, pipe, inputs, output = self.rng.choice(INSTRUCTIONS[core])
        result = self.operand(core, output)
        # an accumulator is in the place of its sum
        sources = [result if kind == output == "c" else self.operand(core, kind) for kind in inputs]
        text = (f"pto.{operation} ins({', '.join(s[0] for s in sources)} : "
                f"{', '.join(s[1] for s in sources)}) outs({result[0]} : {result[1]})")
        item = Item("access", pipe, tuple(s[2] for s in sources), (result[2],))
        if self.careless is None or self.order(core, item):
            self.emit(core, text, item)

    def flag(self, core):
        if self.pending and self.rng.random() < 0.6:
            return self.wait()
        pipes = sorted({row[1] for row in INSTRUCTIONS[core]})
        flag = (core, *self.rng.sample(pipes, 2), self.rng.randrange(8))
        return None if flag in self.used else self.set(flag)

    def set(self, flag):
        self.used.add(flag)
        self.pending.append(flag)
        self.emit(flag[0], f"pto.set_flag[<PIPE_{flag[1]}>, <PIPE_{flag[2]}>, <EVENT_ID{flag[3]}>]",
                  Item("set", flag[1], flag=flag))

    def wait(self, flag=None):
        flag = flag or self.rng.choice(self.pending)
        self.pending.remove(flag)
        self.emit(flag[0], f"pto.wait_flag[<PIPE_{flag[1]}>, <PIPE_{flag[2]}>, <EVENT_ID{flag[3]}>]",
                  Item("wait", flag[2], flag=flag))

    def signal(self, core, pipe, waiter):
        """From a pipe of this core (of both AIVs) to a pipe of the other (of both AIVs)."""
        if self.signals:
            number = self.signals.pop()
            self.emit(core, f"pto.sync.set <PIPE_{pipe}>, {number} {{ffts_mode = 2 : i32}}",
                      Item("set", pipe, flag=number))
            self.emit(self.other(core), f"pto.sync.wait <PIPE_{waiter}>, {number}",
                      Item("wait" if self.a5 else "await", waiter, flag=number))

    def races(self):
        """{(line, line): kinds}."""
        found = {}
        for (i, j), kinds in self.pairs().items():
            lines = [self.items[i].place[1], self.items[j].place[1]]
            if lines[0] > lines[1]:
                lines.reverse()
                kinds = {TURNED[kind] for kind in kinds}
            found.setdefault(tuple(lines), set()).update(kinds)
        return found

    def follows(self, before, item):
        """True if `item` begins after the end of `before`, which precedes it in its core."""
        if before.kind == "await":  # whatever is issued behind it
            return True
        if item.kind == "await":  # waits for a signal, and for nothing of its own core
            return False
        if before.pipe != item.pipe and "ALL" not in (before.pipe, item.pipe):
            return False
        # A pipe takes its items in order and ends each before the next. V without interlocks does not: there, an
        # instruction is over for barriers and sets alone, and items after a set do not wait for it.
        if item.pipe != "V" or self.a5 or item.kind == "barrier":
            return True
        return before.kind in ("barrier", "wait") or (before.kind == "access" and item.kind == "set")

    def pairs(self):
        """{(item, item): kinds}: pairs of accesses that no path orders."""
        # Every item begins and ends; an edge is from a moment to a later one.
        count = len(self.items)
        begin, end = (lambda i: 2 * i), (lambda i: 2 * i + 1)
        later = [set() for _ in range(2 * count)]
        sets = {}
        for i, item in enumerate(self.items):
            later[begin(i)].add(end(i))
            for j, before in enumerate(self.items[:i]):
                if before.core == item.core and self.follows(before, item):
                    later[end(j)].add(begin(i))
            key = (item.flag, item.core if isinstance(item.flag, tuple) else None)
            if item.kind == "set":
                sets.setdefault(key, []).append(i)
            if item.kind in ("wait", "await"):
                for j in sets[key]:
                    later[end(j)].add(begin(i))
        reach = [0] * (2 * count)  # bits
        for moment in reversed(range(2 * count)):
            for following in later[moment]:
                assert following > moment
                reach[moment] |= 1 << following | reach[following]
        found = {}
        for j, second in enumerate(self.items):
            for i, first in enumerate(self.items[:j]):
                if first.kind != "access" or second.kind != "access" \
                        or reach[end(i)] >> begin(j) & 1:
                    continue
                kinds = set()
                for a, b, kind in ((first.writes, second.reads, "RAW"),
                                   (first.reads, second.writes, "WAR"),
                                   (first.writes, second.writes, "WAW")):
                    if any(x[0] == y[0] and x[1] < y[2] and y[1] < x[2] for x in a for y in b):
                        kinds.add(kind)
                if kinds:
                    found[i, j] = kinds
        return found


TURNED = {"RAW": "WAR", "WAR": "RAW", "WAW": "WAW"}


def told(ptosim, chip, path, arguments):
    """{(line, line): kinds} of ptosim, in program order."""
    result = subprocess.run([ptosim, "check", path, "--sync", "explicit", "--check", "race",
                             "--chip", chip, "--format", "json", "--mode", "timing", "--blocks",
                             "1", *arguments], capture_output=True, text=True, timeout=60)
    if result.returncode not in (0, 1):
        raise SystemExit(f"{path}: {result.stderr}")
    assert result.stdout, result.stderr
    found = {}
    for finding in json.loads(result.stdout):
        lines = [site["location"]["line"] for site in (finding["related"][0], finding)]
        kind = re.match(r"(RAW|WAR|WAW)", finding["message"]).group(1)
        if lines[0] > lines[1]:
            lines.reverse()
            kind = TURNED[kind]
        found.setdefault(tuple(lines), set()).add(kind)
    return found


def compare(ptosim, chip, seed, folder):
    kernel = Kernel(seed, chip.startswith("ascend950"))
    path = os.path.join(folder, f"k{seed}.pto")
    with open(path, "w") as file:
        file.write("\n".join(kernel.lines) + "\n")
    expected = kernel.races()
    arguments = ["--arg", "zeros=256x32xf16", "--arg", "zeros=256x32xf32"] \
        if kernel.name != "vector" else ["--arg", "zeros=256x32xf32"]
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
