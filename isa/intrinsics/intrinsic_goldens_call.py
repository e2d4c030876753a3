"""A call of an intrinsic on a window of UB: its lanes, where they lie, and the file of cases.

Lanes (asc-devkit docs/zh/api, the pages on strided computation and masks): a repeat handles 256 bytes of its
widest operand, in blocks of 32 bytes. Block b of repeat r lies at base + 32 * (r * repeat stride + b * block
stride). Lane i takes part if bit i of the mask is set; in counter mode mask word 0 is the number of lanes over
all repeats, and the argument `repeat` has no effect.

Repeats run in order: a repeat reads all its lanes before it writes any, and sees what earlier ones wrote.
"""
import dataclasses
import pathlib
import zlib

import numpy as np

from intrinsic_goldens_numbers import KEEP_INFINITY, NATIVE, any_values, size_of

BLOCK = 32
FULL = (1 << 64) - 1


@dataclasses.dataclass
class Call:
    name: str
    types: list
    args: list
    ub: np.ndarray
    mask: tuple = (FULL, FULL)
    counter: bool = False
    ctrl: int = KEEP_INFINITY
    cmp: tuple = (0, 0)
    registers: dict = dataclasses.field(default_factory=dict)
    after: dict = dataclasses.field(default_factory=dict)  # registers that the call wrote

    def view(self, name):
        return self.ub.view(NATIVE[name])

    def repeats(self, lanes, repeat):
        """For each repeat its number and which of its lanes take part."""
        if self.counter:
            for r in range(-(-self.mask[0] // lanes)):
                yield r, np.arange(lanes) < self.mask[0] - r * lanes
            return
        active = bits_of(self.mask)[:lanes]
        for r in range(repeat):
            yield r, active


def bits_of(words):
    """Bits of two words of 64, the lowest first."""
    return np.unpackbits(np.array(words, np.uint64).view(np.uint8), bitorder="little").astype(bool)


def words_of(bits):
    """The two words of 128 bits."""
    words = np.packbits(bits.astype(np.uint8), bitorder="little").view(np.uint64)
    return tuple(int(w) for w in words)


@dataclasses.dataclass
class Operand:
    type: str
    base: int
    block: int  # strides, in blocks
    repeat: int

    def offsets(self, lanes, r):
        """The byte of UB at which each lane of a repeat begins (of i4: twice that, in nibbles)."""
        at = (np.arange(lanes) * size_of(self.type)).astype(np.int64)
        start = self.base + BLOCK * (r * self.repeat + at // BLOCK * self.block) + at % BLOCK
        return start * 2 + np.arange(lanes) % 2 if self.type == "i4" else start

    def read(self, call, lanes, r):
        at = self.offsets(lanes, r)
        if self.type == "i4":
            nibbles = call.ub[at // 2] >> (at % 2 * 4).astype(np.uint8) & 15
            return (nibbles.astype(np.int8) ^ 8) - 8
        return call.view(self.type)[at // size_of(self.type)]

    def write(self, call, lanes, r, values, active):
        at = self.offsets(lanes, r)[active]
        if self.type == "i4":
            for place, value in zip(at.tolist(), values[active].tolist()):
                kept = call.ub[place // 2] & (0xF0 if place % 2 == 0 else 0x0F)
                call.ub[place // 2] = kept | (value & 15) << (place % 2 * 4)
            return
        call.view(self.type)[at // size_of(self.type)] = values[active]


def lanes_of(types):
    return int(256 / max(size_of(t) for t in types))


def lanewise(call, dst, sources, repeat, function, reads_dst=False):
    """dst = function(sources...) lane by lane; function gets dst's values first if it reads them."""
    lanes = lanes_of([o.type for o in [dst] + sources])
    for r, active in call.repeats(lanes, repeat):
        values = [o.read(call, lanes, r) for o in ([dst] if reads_dst else []) + sources]
        with np.errstate(all="ignore"):
            dst.write(call, lanes, r, function(*values), active)


MODELS = {}


def models(*names):
    """Marks the function that applies a call to its UB window and registers."""
    def mark(function):
        MODELS.update({name: function for name in names})
        return function
    return mark


class Book:
    """The cases. Each name has random numbers that depend on the name alone."""
    def __init__(self):
        self.cases = []
        self.counts = {}
        self.rules = set()

    def rng(self, name):
        self.counts[name] = self.counts.get(name, -1) + 1
        return np.random.default_rng([zlib.crc32(name.encode()), self.counts[name]])

    def add(self, call, rule=""):
        """`rule` names a choice that public documents leave open; the reader may skip such cases by it."""
        self.rules |= {rule} - {""}
        before = call.ub.copy()
        cmp_before = call.cmp
        MODELS[call.name](call)
        words = ["case", call.name, ",".join(call.types) or "-", *call.mask, int(call.counter), call.ctrl, *cmp_before,
                 len(call.args), *call.args, *(f"{k}={v}" for k, v in call.registers.items()),
                 *(f"after_{k}={v}" for k, v in call.after.items()), *([f"rule={rule}"] if rule else []), len(before)]
        header = " ".join(str(w) for w in words) + "\n"
        cmp_after = np.array(call.cmp, np.uint64).tobytes()
        self.cases.append(header.encode() + before.tobytes() + call.ub.tobytes() + cmp_after)

    def write(self, path):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_bytes(b"".join(self.cases))


class Window:
    """Places operands in a window of UB, some blocks apart, over random bytes."""
    def __init__(self, rng):
        self.rng = rng
        self.size = 0
        self.contents = []

    def place(self, size, values=None, align=BLOCK):
        """The address of an operand of `size` bytes, filled with values from its start on."""
        self.size += BLOCK * int(self.rng.integers(0, 3))
        self.size = -(-self.size // align) * align
        address = self.size
        self.size += -(-int(size) // BLOCK) * BLOCK
        if values is not None:
            self.contents.append((address, np.ascontiguousarray(values).view(np.uint8).ravel()))
        return address

    def ub(self):
        bytes_ = self.rng.integers(0, 256, self.size + BLOCK).astype(np.uint8)
        for address, values in self.contents:
            bytes_[address:address + values.size] = values
        return bytes_


def extent(name, lanes, block, repeat, count):
    """Bytes from the first to the last that `count` repeats of an operand touch."""
    operand = Operand(name, 0, block, repeat)
    last = max(int(operand.offsets(lanes, r).max()) for r in {0, max(count - 1, 0)})
    return (last // 2 if name == "i4" else last) + max(int(size_of(name)), 1)


# ---- Scenarios: masks, strides, repeats -----------------------------------------------------------------


@dataclasses.dataclass
class Scenario:
    """Strides of dst and of each source as (block, repeat); a repeat stride of None is that of dense lanes."""
    repeat: int = 1
    mask: object = "full"
    count: object = None  # elements of counter mode, as a function of the lanes of a repeat
    dst: tuple = (1, None)
    sources: tuple = ((1, None),)
    alias: int = -1  # the source that lies where dst does

    def source(self, i):
        return self.sources[min(i, len(self.sources) - 1)]


SCENARIOS = {
    "one": Scenario(),
    "two": Scenario(2, "low"),
    "seven": Scenario(7, "part"),
    "spread": Scenario(2, "odd", dst=(2, 16), sources=((2, 16),)),
    "same block": Scenario(2, "single", sources=((0, 9), (1, 8))),
    "interleaved": Scenario(3, "random", dst=(8, 1), sources=((8, 1),)),
    "again": Scenario(7, "random", sources=((1, 0), (1, None))),
    "nine": Scenario(2, "high", dst=(1, 9), sources=((1, 9),)),
    "first and last": Scenario(2, "ends", dst=(1, 16), sources=((2, 16), (1, 9))),
    "no lane": Scenario(2, "zero"),
    "no repeat": Scenario(0),
    "many": Scenario(255, "part", dst=(1, 1), sources=((1, 0), (0, 0))),
    "count 1": Scenario(3, count=lambda lanes: 1),
    "count gap": Scenario(1, count=lambda lanes: lanes + 2, dst=(2, 16), sources=((2, 16),)),
    "count tail": Scenario(0, count=lambda lanes: 3 * lanes - 5),
    "count whole": Scenario(1, count=lambda lanes: 2 * lanes, dst=(1, 9), sources=((1, 8), (1, None))),
    "count 0": Scenario(2, count=lambda lanes: 0),
    "in place": Scenario(3, "random", alias=0),
    "count in place": Scenario(1, count=lambda lanes: 2 * lanes + 7, alias=0),
}
# Documented as allowed for sums and extremes: dst is the second source of all repeats.
ACCUMULATE = Scenario(7, "part", dst=(1, 0), sources=((1, None), (1, 0)), alias=1)
IN_PLACE_SECOND = Scenario(2, "full", alias=1)


def mask_of(rng, kind):
    random = [int.from_bytes(rng.bytes(8), "little") for _ in range(2)]
    one = 1 << int(rng.integers(0, 64))
    return {
        "full": (FULL, FULL), "low": (FULL, 0), "part": (FULL >> int(rng.integers(1, 63)), random[1] & 0xFF),
        "odd": (0xAAAAAAAAAAAAAAAA, 0x5555555555555555), "single": (one, one >> 1), "random": tuple(random),
        "high": (0, random[1]), "ends": (1 << 63 | 1, 1 << 63 | 1), "zero": (0, 0),
    }[kind]


def layout(scenario, types, lanes):
    """(block stride, repeat stride) of each operand of the types, dst first, and the repeats that run."""
    strides = []
    for i, name in enumerate(types):
        block, repeat = scenario.source(i - 1) if i else scenario.dst
        dense = max(int(lanes * size_of(name)) // BLOCK, 1)
        if i - 1 == scenario.alias:
            block, repeat = scenario.dst
        strides.append((block, dense if repeat is None else repeat))
    count = scenario.count(lanes) if scenario.count else None
    return strides, scenario.repeat if count is None else -(-count // lanes), count


def strided_call(book, name, types, scenario, fill=None, scalar=None, tail=(), has_dst=True, given=None, **fields):
    """A call whose arguments are addresses, a scalar, repeat, block strides, repeat strides and a tail.

    `given` holds values of single operands (0 is dst), in the order of memory.
    """
    rng = book.rng(name)
    lanes = lanes_of(types)
    strides, runs, count = layout(scenario, types, lanes)
    window, addresses = Window(rng), {}
    for i in rng.permutation(len(types)).tolist():
        if i == scenario.alias + 1 and i or not i and not has_dst:
            continue
        size = extent(types[i], lanes, *strides[i], runs)
        values = None
        if types[i] != "i4":
            values = (fill or any_values)(rng, types[i], int(-(-size // BLOCK) * BLOCK / size_of(types[i])))
        if given and i in given:
            values = given[i]
        addresses[i] = window.place(size, values)
    order = [0 if i == scenario.alias + 1 else i for i in range(len(types))]
    args = [addresses[i] for i in order if i in addresses]
    args += [] if scalar is None else [scalar]
    args += [scenario.repeat] + [s[0] for s in strides] + [s[1] for s in strides] + list(tail)
    mask = (count, 0) if count is not None else mask_of(rng, scenario.mask)
    shown = types if has_dst else types[1:]
    shown = shown[:1] if len(set(shown)) == 1 else shown
    return Call(name, shown, args, window.ub(), mask, count is not None, **fields)


def operands(types, args, count, scalar=False):
    """Operands of a call's arguments in the order of strided_call; the repeat; the scalar."""
    types = types * count if len(types) == 1 else types
    at = count + scalar
    made = [Operand(types[i], args[i], args[at + 1 + i], args[at + 1 + count + i]) for i in range(count)]
    return made, args[at], args[count] if scalar else None
