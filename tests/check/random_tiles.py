#!/usr/bin/python3
"""Random tiles under many names, and findings of `ptosim check` about their overlaps (A06).

    random_tiles.py --ptosim BIN [--seeds FROM:TO]

Each kernel has four tiles of 16 x 64 f32, written and read under random names: whole, as integers, as
one long row, by windows of rows and of columns, by pieces that are declared as large as the whole;
and half of the kernels a fifth tile of another pitch that lies across one of them. A byte is torn if it is
read under a name of one tile after the other tile has written it over bytes of the first. A kernel
that reads no torn byte must have no finding; one that reads a tile under a name by which it has been
written whole, and finds a torn byte in it, must have A06. Exit code 0 if that is so.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

TILE = "!pto.tile_buf<vec, {}x{}x{}{}>"
BYTES, ROWS, COLUMNS, TILES = 4096, 16, 64, 4
ACROSS = (8, 24)  # the tile that lies across: another pitch


def rectangle(row, column, rows, columns):
    return {(row + r) * 4 * COLUMNS + 4 * column + b for r in range(rows) for b in range(4 * columns)}


class Kernel:
    """The text of a kernel, and which reads meet torn bytes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.count = [], 0
        self.last, self.wrote = {}, {}  # byte: tile that wrote it last; (tile, byte): ever written
        self.whole = set()  # (tile, name) by which it has been written whole
        self.torn = self.sure = False

    def new(self, text):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def constant(self, value, kind="index"):
        return self.new(f"arith.constant {value} : {kind}")

    def at(self, address, rows, columns, dtype="f32", valid=""):
        kind = TILE.format(rows, columns, dtype, valid)
        return self.new(f"pto.alloc_tile addr = {self.constant(address, 'i64')} : {kind}"), kind, (rows, columns)

    def named(self, tile):
        """A name of a tile: value, type, shape, the bytes that it touches, and its description."""
        base, pick = tile * BYTES, self.random
        everything = set(range(BYTES))
        name = pick.choice(["whole", "ints", "flat", "rows", "columns", "piece"])
        if name == "whole":
            return *self.at(base, ROWS, COLUMNS), everything, name
        if name == "ints":
            return *self.at(base, ROWS, COLUMNS, "i32"), everything, name
        if name == "flat":
            return *self.at(base, 1, ROWS * COLUMNS), everything, name
        rows, columns = pick.randint(1, ROWS), pick.choice(range(8, COLUMNS + 1, 8))
        if name == "rows":
            columns = COLUMNS
        row = pick.randint(0, ROWS - rows)
        column = pick.choice(range(0, COLUMNS - columns + 1, 8))
        touched = rectangle(row, column, rows, columns)
        if name == "piece":
            valid = f", valid={rows}x{columns}"
            return *self.at(base + 4 * (row * COLUMNS + column), ROWS, COLUMNS, "f32", valid), touched, name
        source, kind, _ = self.at(base, ROWS, COLUMNS)
        window = TILE.format(rows, columns, "f32", "")
        value = self.new(f"pto.subview {source}[{self.constant(row)}, {self.constant(column)}] sizes "
                         f"[{rows}, {columns}] : {kind} -> {window}")
        return value, window, (rows, columns), touched, name

    def use(self, tile, value, kind, shape, touched, name, writes):
        integer = "i32" in kind
        scalar, dtype = ("%one", "i32") if integer else ("%two", "f32")
        everything = len(touched) == BYTES or name == "across"
        if writes:
            self.lines.append(f"pto.texpands ins({scalar} : {dtype}) outs({value} : {kind})")
            for byte in touched:
                self.last[byte] = tile
                self.wrote[tile, byte] = True
            if everything:
                self.whole.add((tile, name))
            return
        if not all((tile, byte) in self.wrote for byte in touched):
            return
        result = TILE.format(*shape, dtype, kind[kind.index(", valid"):-1] if "valid" in kind else "")
        out = self.new(f"pto.alloc_tile addr = %scratch : {result}")
        operation = "tadds" if integer else "tmuls"
        self.lines.append(f"pto.{operation} ins({value}, {scalar} : {kind}, {dtype}) outs({out} : {result})")
        torn = any(self.last[byte] != tile for byte in touched)
        self.torn |= torn
        self.sure |= torn and tile < TILES and (tile, name) in self.whole

    def text(self):
        tiles = range(TILES)
        for tile in tiles:
            value, kind, shape = self.at(tile * BYTES, ROWS, COLUMNS)
            touched = set(range(tile * BYTES, (tile + 1) * BYTES))
            self.use(tile, value, kind, shape, touched, "whole", True)
        across = None
        if self.random.random() < 0.5:
            size = 4 * ACROSS[0] * ACROSS[1]
            start = self.random.choice(range(32, TILES * BYTES - size, 32))
            across = (*self.at(start, *ACROSS), set(range(start, start + size)), "across")
        for _ in range(self.random.randint(4, 24)):
            writes = self.random.random() < 0.5
            if across and self.random.random() < 0.15:
                self.use(TILES, *across, writes)
                continue
            tile = self.random.choice(tiles)
            value, kind, shape, touched, name = self.named(tile)
            self.use(tile, value, kind, shape, {tile * BYTES + byte for byte in touched}, name, writes)
        head = ["module {", "func.func @k(%x: !pto.ptr<f32>) attributes {pto.entry, "
                "pto.kernel_kind = #pto.kernel_kind<vector>} {", "%two = arith.constant 2.0 : f32",
                "%one = arith.constant 1 : i32", "%scratch = arith.constant 65536 : i64"]
        return "\n".join([*head, *self.lines, "return", "}", "}"]) + "\n"


def run(options, seed, folder):
    """A line about the error, or nothing; and whether torn bytes are read, and surely reported."""
    kernel = Kernel(seed)
    path, report = os.path.join(folder, "k.pto"), os.path.join(folder, "found.json")
    with open(path, "w") as file:
        file.write(kernel.text())
    result = subprocess.run([options.ptosim, "check", path, "--arg", "zeros=16xf32", "--sync", "auto",
                             "--check", "bounds", "--format", "json", "--report", report],
                            capture_output=True, text=True, timeout=120)
    if result.returncode not in (0, 1):
        return f"seed {seed}: exit code {result.returncode}: {result.stderr}", kernel
    with open(report) as file:
        found = json.load(file)
    if found and not kernel.torn:
        return f"seed {seed}: nothing is torn, and told is: {found[0]['message']}", kernel
    if not found and kernel.sure:
        return f"seed {seed}: a torn tile is read, and nothing is told", kernel
    return "", kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True, help="the program")
    parser.add_argument("--seeds", default="0:200", help="FROM:TO")
    options = parser.parse_args()
    options.ptosim = os.path.abspath(options.ptosim)
    first, last = map(int, options.seeds.split(":"))
    wrong = torn = sure = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            problem, kernel = run(options, seed, folder)
            torn, sure = torn + kernel.torn, sure + kernel.sure
            if problem:
                wrong += 1
                print(problem, flush=True)
    print(f"{last - first} kernels, {torn} read torn bytes, {sure} of them have to be told; {wrong} disagree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
