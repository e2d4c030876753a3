"""Random legal kernels for vector cores, and their text as `.pto` and as C++.

A kernel is a list of items and of groups of items: loops and branches. An item is a golden case at random addresses:
raw bytes are loaded under its operands, it computes, raw bytes are stored from its results. Operands may be the results
of earlier items (chained); addresses of different items overlap, so that every order matters. Each block of the launch
has a separate part of the arrays.
"""
import random
from dataclasses import dataclass, field

import numpy as np

from golden_cases import BITS

PTO_TYPES = {"u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2",
             "hif8": "!pto.hif8", "e8m0": "!pto.f8E8M0", "e2m1": "!pto.f4E2M1x2", "e1m2": "!pto.f4E1M2x2", "i4": "si4"}
CPP_TYPES = {"f32": "float", "f16": "half", "bf16": "bfloat16_t", "e4m3": "float8_e4m3_t", "e5m2": "float8_e5m2_t",
             "hif8": "hifloat8_t", "e8m0": "float8_e8m0_t", "e2m1": "float4_e2m1x2_t", "e1m2": "float4_e1m2x2_t",
             "i4": "int4b_t", **{f"{s}{w}": f"{'u' * (s == 'u')}int{w}_t" for s in "iu" for w in (8, 16, 32, 64)}}
LAYOUTS = {"ND": ("row_major", "none_box"), "DN": ("col_major", "none_box"), "NZ": ("col_major", "row_major"),
           "ZN": ("row_major", "col_major"), "ZZ": ("row_major", "row_major"), "NN": ("col_major", "col_major")}
CPP_LAYOUTS = {"row_major": "RowMajor", "col_major": "ColMajor", "none_box": "NoneBox"}
PADS = ("null", "zero", "max", "min")
SPACE = 128 * 1024  # of UB that kernels use: every chip has as much
# Operands of these decide their addresses, or have to be in order: any bytes would not be legal.
MEANINGFUL = {"TGATHER", "TGATHERB", "TSCATTER", "MGATHER", "MSCATTER", "TMRGSORT", "TCONCAT", "THISTOGRAM", "TSHL",
              "TCONCATIDX", "TSHR", "TSHLS", "TSHRS", "TSORT32", "TPREFETCH", "TSUBVIEW"}
# Other spellings of attributes than `ptosim isa` shows.
SPELLINGS = {"satMode": "sat_mode", "quantType": "quant_type", "roundMode": "rmode", "cmp_mode": "cmpMode"}


def padded(size, unit=32):
    return -(-size // unit) * unit


@dataclass
class Item:
    case: object
    addresses: list  # of its operands; views and scalars: None
    loaded: list  # operands under which bytes are loaded before
    dynamic: bool = False  # valid regions are given at run time
    golden: bool = True  # block 0 gets the bytes of the golden case in its first iteration

    def tiles(self):
        return [i for i, operand in enumerate(self.case.operands) if operand is not None and operand.kind == "tile"]

    def views(self):
        return [i for i, operand in enumerate(self.case.operands) if operand is not None and operand.kind == "view"]

    def stored(self):
        return [i for i in self.tiles() if self.case.operands[i].role in ("out", "inout")]


    def place(self, index):
        return self.addresses[index], self.addresses[index] + padded(len(self.case.operands[index].before))

    def chained(self):
        """Places at which it reads results of earlier items."""
        return [self.place(i) for i in self.tiles() if i not in self.loaded]

    def written(self):
        return [self.place(i) for i in self.tiles() if i in self.loaded or self.case.operands[i].role != "in"]


@dataclass
class Group:
    kind: str  # "for" or "if"
    number: int  # iterations; which parity of the block executes it
    items: list = field(default_factory=list)


@dataclass
class Kernel:
    name: str
    arch: str  # of the text: a3 or a5
    blocks: int
    steps: list
    numerics: str = "ieee"

    def items(self):
        """Every item with its group."""
        for step in self.steps:
            for item in step.items if isinstance(step, Group) else [step]:
                yield item, step if isinstance(step, Group) else None


def stale(items, at):
    """True if a second iteration finds other bytes than the first, because an item takes bytes from before the loop."""
    for begin, end in items[at].chained():
        writers = [number for number, item in enumerate(items)
                   if any(begin < last and first < end for first, last in item.written())]
        if writers and writers[0] >= at:
            return True
    return False


def iterations(group):
    return group.number if group is not None and group.kind == "for" else 1


# ---- random kernels --------------------------------------------------------------------------------------------


class Maker:
    """Draws kernels from a pool: {opcode: [case]}."""

    def __init__(self, pool, arch):
        self.pool, self.arch, self.opcodes = pool, arch, sorted(pool)

    def draw(self, seed):
        pick = random.Random(f"{self.arch} {seed}")
        self.left = []  # (address, size, dtype): what items have written and nothing has overwritten
        steps = []
        for _ in range(pick.randint(1, 6)):
            kind = pick.random()
            if kind < 0.2:
                steps.append(self.loop(pick))
            elif kind < 0.35:
                before = list(self.left)
                steps.append(Group("if", pick.randint(0, 1), [self.item(pick) for _ in range(pick.randint(1, 2))]))
                self.left = [region for region in self.left if region in before]
            else:
                steps.append(self.item(pick))
        kernel = Kernel(f"k{seed}", self.arch, pick.choice((1, 1, 2, 3)), steps)
        profiles = {item.case.profile for item, _ in kernel.items()}
        kernel.numerics = profiles.pop() or "ieee" if len(profiles) == 1 else "ieee"
        return kernel

    def loop(self, pick):
        """A group whose items do not overwrite what one of them finds left from before the loop."""
        before = list(self.left)
        while True:
            group = Group("for", pick.randint(1, 3), [self.item(pick) for _ in range(pick.randint(1, 3))])
            if not any(stale(group.items, at) for at in range(len(group.items))):
                return group
            self.left = list(before)

    def item(self, pick):
        case = pick.choice(self.pool[pick.choice(self.opcodes)]).copy()
        reshaped = case.opcode not in MEANINGFUL and pick.random() < 0.5 and self.reshape(pick, case)
        addresses, loaded, taken = [], [], []
        for index, operand in enumerate(case.operands):
            address = None
            if operand is not None and operand.kind == "tile":
                size = padded(len(operand.before))
                address = self.chained(pick, case, operand, size, taken)
                if address is None:
                    loaded.append(index)
                    address = self.free(pick, size, taken)
                taken.append((address, address + size))
            addresses.append(address)
        for index in loaded:
            self.overwrite(addresses[index], len(case.operands[index].before))
        item = Item(case, addresses, loaded, pick.random() < 0.3)
        item.golden = loaded == item.tiles() and not reshaped and pick.random() < 0.7
        for index in item.tiles():
            if case.operands[index].role in ("tmp", "scratch"):
                self.overwrite(addresses[index], len(case.operands[index].before))
        for index in item.stored():
            operand = case.operands[index]
            self.overwrite(addresses[index], len(operand.before))
            self.left.append((addresses[index], len(operand.before), operand.dtype))
        return item

    @staticmethod
    def reshape(pick, case):
        """Other valid regions, where all tiles are of one shape: any part of it is as legal."""
        tiles = case.tiles()
        others = [operand for operand in case.operands if operand is not None and operand.kind == "view"]
        if len({(tile.valid_rows, tile.valid_cols, tile.layout) for tile in tiles}) != 1 or others:
            return False
        if tiles[0].layout != "ND" or any(BITS[tile.dtype] < 8 for tile in tiles):
            return False
        rows, cols = pick.randint(1, tiles[0].valid_rows), pick.randint(1, tiles[0].valid_cols)
        for tile in tiles:
            tile.valid_rows, tile.valid_cols = rows, cols
        return True

    def free(self, pick, size, taken):
        while True:
            address = 32 * pick.randint(0, (SPACE - size) // 32)
            if all(address + size <= begin or end <= address for begin, end in taken):
                return address

    def chained(self, pick, case, operand, size, taken):
        if operand.role != "in" or case.opcode in MEANINGFUL or pick.random() < 0.5:
            return None
        fitting = [address for address, length, dtype in self.left if dtype == operand.dtype and length >= size and
                   all(address + size <= begin or end <= address for begin, end in taken)]
        return pick.choice(fitting) if fitting else None

    def overwrite(self, address, size):
        self.left = [(begin, length, dtype) for begin, length, dtype in self.left
                     if begin + length <= address or address + padded(size) <= begin]


# ---- arrays ----------------------------------------------------------------------------------------------------


class Arrays:
    """Place of each item's bytes: places in one input and one output array, and an array for each view."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.inputs, self.outputs, self.views = {}, {}, {}  # (item, operand): (offset, stride of an iteration)
        self.input_slice = self.output_slice = 0
        for number, (item, group) in enumerate(kernel.items()):
            for index in item.loaded:
                self.inputs[number, index] = (self.input_slice, padded(len(item.case.operands[index].before)))
                self.input_slice += self.inputs[number, index][1] * iterations(group)
            for index in item.stored():
                self.outputs[number, index] = (self.output_slice, padded(len(item.case.operands[index].before)))
                self.output_slice += self.outputs[number, index][1] * iterations(group)
            for index in item.views():
                self.views[number, index] = padded(len(item.case.operands[index].before), 512)
        self.input_slice, self.output_slice = max(self.input_slice, 32), max(self.output_slice, 32)

    def data(self, seed):
        """The input array, and that of each view: bytes."""
        pick = np.random.default_rng(seed)
        kernel = self.kernel
        total = np.zeros(kernel.blocks * self.input_slice, np.uint8)
        views = {}
        for number, (item, group) in enumerate(kernel.items()):
            for block in range(kernel.blocks):
                for index in item.loaded:
                    operand = item.case.operands[index]
                    offset, stride = self.inputs[number, index]
                    for iteration in range(iterations(group)):
                        at = block * self.input_slice + offset + iteration * stride
                        golden = item.golden and block == 0 and iteration == 0
                        values = self.bytes_of(pick, item, operand, golden)
                        total[at:at + len(values)] = values
            for index in item.views():
                operand = item.case.operands[index]
                part = np.zeros(self.views[number, index], np.uint8)
                part[:len(operand.before)] = np.frombuffer(operand.before, np.uint8)
                views[number, index] = np.tile(part, kernel.blocks)
        return total, views

    @staticmethod
    def bytes_of(pick, item, operand, golden):
        before = np.frombuffer(operand.before, np.uint8)
        if golden or item.case.opcode in MEANINGFUL or operand.role != "in":
            return before
        if operand.dtype in ("f32", "f16") and pick.random() < 0.7:  # mostly ordinary numbers
            kind = {"f32": np.float32, "f16": np.float16}[operand.dtype]
            count = len(before) * 8 // BITS[operand.dtype]
            values = (pick.standard_normal(count) * 4).astype(kind)
            return values.view(np.uint8)
        return pick.integers(0, 256, len(before), dtype=np.uint8)

    def expected(self, item, group, number):
        """Places at which block 0 must have the golden bytes, and these bytes."""
        if not item.golden or (group is not None and group.kind == "if" and group.number == 1):
            return []
        return [(self.outputs[number, index][0], item.case.operands[index].after) for index in item.stored()]


# ---- one walk for both languages -------------------------------------------------------------------------------


def write_body(kernel, arrays, writer, explicit):
    """Tells `writer` the kernel's operations in order; with `explicit` also what orders them."""
    last = None
    number = 0

    def step(item, number):
        nonlocal last
        writer.item(item, number)
        for index in item.loaded:
            last = follow(last, "MTE2")
            writer.load(number, index, item)
        last = follow(last, writer.pipe(item))
        writer.compute(number, item)
        for index in item.stored():
            last = follow(last, "MTE3")
            writer.store(number, index, item)

    def follow(before, after):
        if explicit and before is not None:
            if "?" in (before, after):
                writer.barrier("ALL")
            elif before == after:
                writer.barrier(after)
            else:
                writer.flag(before, after)
        return after

    for part in kernel.steps:
        if isinstance(part, Group):
            if explicit:  # outside: a branch may not be taken
                writer.barrier("ALL")
            writer.open(part)
            if explicit and part.kind == "for":
                writer.barrier("ALL")
            last = None
            for item in part.items:
                step(item, number)
                number += 1
            writer.close()
            if explicit:
                writer.barrier("ALL")
            last = None
        else:
            step(part, number)
            number += 1
