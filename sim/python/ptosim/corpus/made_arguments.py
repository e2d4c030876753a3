"""Arguments for .pto kernels that come without any, from their texts.

Nothing describes the launch of such a kernel, so:

  * A pointer's elements: the largest view that `pto.make_tensor_view` makes of it, extents and
    strides read as constants, or as the values that index parameters get here, and then at least
    2^20 if the latter. A pointer that is read by `pto.load_scalar`, or of i32 or i64, gets at least
    2^20, and so does the ring of a FIFO (`gm_slot_buffer`); one whose views have extents or
    addresses that are computed inside, 2^24.
  * A pointer that some `pto.tstore`, `store_scalar`, `comm.tput` or `comm.tnotify` reaches is an
    output: zeros before the run, its SHA-256 taken afterwards.
  * Floats are uniform in [-1, 1), i8 whole in [-8, 8), with fixed seeds; arrays of more than 256 MiB
    are zeros.
    i32 and i64 arrays (lengths, positions, tables, contexts of communication) decide where a
    kernel goes: all elements have one value; 2^20 where `comm.twait` looks.
  * Integer parameters and those arrays get 1; where the kernel refuses that, 0; then 2, 8,
    16, 64, 128. If an access lies outside of an argument, once more, where the kernel looks
    something up in an array at a place that it has computed from what it loaded (the block of a
    position), with 1 in those arrays; then all over again with 2^27 elements where it was 2^20.
"""
from __future__ import annotations

import os
import pathlib
import re
import threading

import numpy as np

SOME, MANY, MOST = 1 << 20, 1 << 24, 1 << 27
LARGE = 1 << 28  # bytes
FEW_RANDOM = 1 << 18  # that ptosim makes itself; more come from files
ATTEMPTS = [1, 0, 2, 8, 16, 64, 128]
SIGNAL = 1 << 20
BYTES = {"f32": 4, "bf16": 2, "f16": 2, "i8": 1, "u8": 1, "i16": 2, "i32": 4, "i64": 8, "u32": 4}
NUMPY = {"f32": np.float32, "bf16": np.uint16, "f16": np.float16, "i8": np.int8, "i32": np.int32,
         "i64": np.int64, "u8": np.uint8, "i16": np.int16, "u32": np.uint32}
VALUE = r"%[\w$.\-]+"


class Text:
    """The parameters of a kernel, read from its text."""

    def __init__(self, text):
        self.constants = {}
        self.names = []     # parameters of the function that is launched, in order
        self.roots = {}     # value -> name of the parameter that it comes from
        self.views = []     # (parameter or None, extents, strides)
        self.outputs, self.scalar_reads, self.signals = set(), set(), set()
        self.moved, self.rings, self.tables = set(), set(), set()
        self.loaded = set()  # values that come from a load_scalar
        for line in text.splitlines():
            self.read(line)

    def read(self, line):
        if "func.func" in line and "func.func private" not in line:
            self.names = re.findall(rf"({VALUE}): ", line)
            self.roots = {name: name for name in self.names}
            return
        if "func.func private" in line:
            self.names = []  # helpers come last; what they read is known
            return
        if match := re.search(rf"gm_slot_buffer = ({VALUE})", line):
            self.rings.add(self.roots.get(match[1]))
        self.follow(line)
        if match := re.match(rf"\s*({VALUE}) = arith.constant (-?\d+)", line):
            self.constants[match[1]] = int(match[2])
        elif match := re.match(rf"\s*({VALUE}) = pto.make_tensor_view ({VALUE}), "
                               r"shape = \[(.*?)\], strides = \[(.*?)\]", line):
            self.roots[match[1]] = self.roots.get(match[2])
            self.views.append((self.roots.get(match[2]), match[3].split(", "), match[4].split(", ")))
        elif match := re.match(rf"\s*({VALUE}) = pto.addptr ({VALUE})", line):
            self.roots[match[1]] = self.roots.get(match[2])
            self.moved.add(self.roots.get(match[2]))
        elif match := re.match(rf"\s*({VALUE}) = pto.(?:partition_view|castptr) ({VALUE})", line):
            self.roots[match[1]] = self.roots.get(match[2])
        elif match := re.search(rf"pto.load_scalar ({VALUE})\[", line):
            self.scalar_reads.add(self.roots.get(match[1]))
        elif match := re.search(rf"pto.store_scalar {VALUE}, ({VALUE})\[", line):
            self.outputs.add(self.roots.get(match[1]))
            self.scalar_reads.add(self.roots.get(match[1]))
        elif match := re.search(rf"pto.(?:tstore|mscatter).* outs\(({VALUE})", line):
            self.outputs.add(self.roots.get(match[1]))
        elif match := re.search(rf"pto.comm.(?:tput|tnotify)\(({VALUE})", line):
            self.outputs.add(self.roots.get(match[1]))
        elif match := re.search(rf"pto.comm.twait\(({VALUE})", line):
            self.signals.add(self.roots.get(match[1]))

    def follow(self, line):
        """Follows a line: values, and then arrays, that are found by loaded values."""
        if match := re.match(rf"\s*({VALUE}) = pto.load_scalar ({VALUE})\[({VALUE})\]", line):
            self.loaded.add(match[1])
            if match[3] in self.loaded:
                self.tables.add(self.roots.get(match[2]))
        elif match := re.match(rf"\s*({VALUE}) = arith\.\S+ (.*)", line):
            if self.loaded.intersection(re.findall(VALUE, match[2])):
                self.loaded.add(match[1])

    def elements(self, name, given, some=SOME):
        """Least number of elements, if index parameters have the values `given`."""
        most = 1
        if name in self.scalar_reads or name in self.rings:
            most = SOME
        if name in self.moved:
            most = MANY
        for root, extents, strides in self.views:
            if root != name:
                continue
            known = {**self.constants, **given}
            sizes = [known.get(value) for value in extents + strides]
            if None in sizes:
                most = max(most, MANY)
                continue
            if any(value in given for value in extents + strides):
                most = max(most, some)
            half = len(sizes) // 2
            most = max(most, 1 + sum((extent - 1) * stride
                                     for extent, stride in zip(sizes[:half], sizes[half:])))
        return most


class Pool:
    """Large random inputs, made once for each type and size."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def file(self, dtype, count, value=None):
        path = self.folder / f"{dtype}-{count}-{value}.npy"
        if not path.exists():
            if value is not None:
                array = np.full(count, value, NUMPY[dtype])
            else:
                rng = np.random.default_rng(20)
                block = rng.uniform(-1, 1, 1 << 20).astype(np.float32)
                if dtype == "bf16":
                    block = (block.view(np.uint32) >> 16).astype(np.uint16)
                elif dtype in ("i8", "u8", "i16"):
                    block = rng.integers(0 if dtype == "u8" else -8, 8, 1 << 20)
                array = np.resize(block.astype(NUMPY[dtype]), count)
            part = self.folder / f"{path.stem}-{threading.get_ident()}.part.npy"
            np.save(part, array)
            os.replace(part, path)
        return path


def tries(text, values):
    """Lists of (elements where they are many, value of integers, value in tables), one list after
    the other as long as some access lies outside of an argument."""
    yield [(SOME, value, value) for value in values]
    if text.tables:
        yield [(SOME, value, 1) for value in values if value > 1]
    yield [(MOST, value, value) for value in values]


def arguments(text, parameters, attempt, pool, some=SOME, found=None):
    """The words of --arg, and the numbers of the outputs. `found`: the value in tables."""
    given = {"%" + p["name"]: attempt for p in parameters if p["kind"] == "scalar"}
    words, outputs = [], []
    for number, p in enumerate(parameters):
        name, dtype = "%" + p["name"], p["dtype"]
        if p["kind"] == "scalar":
            words.append(f"{dtype}={attempt}" if dtype != "u8" else "i1=true")
            continue
        count = max(text.elements(name, given, some), p["elements"], 1)
        decides = dtype in ("i32", "i64")
        if decides:
            count = max(count, SOME)
        if decides:
            value = SIGNAL if name in text.signals else attempt
            if name in text.tables and found is not None:
                value = found
            words.append(f"in={pool.file(dtype, count, value)}")
        elif name not in text.outputs:
            words.append(f"rand={count}x{dtype}" if count <= FEW_RANDOM else
                         f"zeros={count}x{dtype}" if count * BYTES[dtype] > LARGE else
                         f"in={pool.file(dtype, count)}")
        if name in text.outputs:
            outputs.append(number)
            if decides:
                words[-1] = "inout" + words[-1][2:]
            else:
                words.append(f"out={count}x{dtype}")
    return words, outputs
