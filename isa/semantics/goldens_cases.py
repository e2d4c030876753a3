"""Types, layouts, memory images and the file of cases."""
import os
import re
import struct
from fractions import Fraction

import numpy as np

SENTINEL = 0xA5
NUMPY = {
    "f32": np.float32, "f16": np.float16, "i8": np.int8, "u8": np.uint8, "i16": np.int16,
    "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64,
}
# (fraction bits, smallest normal exponent, largest exponent) of the binary floats.
BINARY = {"f32": (23, -126, 127), "f16": (10, -14, 15), "bf16": (7, -126, 127)}
BITS = {"bf16": 16, "e4m3": 8, "e5m2": 8, "e8m0": 8, "hif8": 8, "i4": 4, "e2m1": 4, "e1m2": 4}


def width(dtype):
    return BITS.get(dtype) or np.dtype(NUMPY[dtype]).itemsize * 8


def carrier(dtype):
    """The unsigned numpy type that holds the bits of an element (4-bit: one byte each)."""
    return {4: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[width(dtype)]


def to_bits(dtype, values):
    """Element bits of numbers that the type can hold exactly, with the canonical NaN."""
    if dtype == "bf16":
        raw = np.asarray(values, np.float32).view(np.uint32) >> 16
        return np.where(np.isnan(values), 0x7FC0, raw).astype(np.uint16)
    values = np.asarray(values, NUMPY[dtype])
    raw = values.view(carrier(dtype)).copy()
    if dtype == "f32":
        raw[np.isnan(values)] = 0x7FC00000
    if dtype == "f16":
        raw[np.isnan(values)] = 0x7E00
    return raw


def from_bits(dtype, raw):
    """bf16 comes back as float32."""
    raw = np.asarray(raw, carrier(dtype))
    if dtype == "bf16":
        return (raw.astype(np.uint32) << 16).view(np.float32)
    return raw.view(NUMPY[dtype])


def bf16_round(values):
    """float32 to the nearest bf16, ties to even, as float32."""
    raw = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((raw + 0x7FFF + ((raw >> 16) & 1)) >> 16 << 16).astype(np.uint32)
    return np.where(np.isnan(values), np.float32(np.nan), rounded.view(np.float32))


def round_fraction(dtype, value):
    """A Fraction to the nearest float of the type, ties to even; overflow gives infinity."""
    fraction_bits, low, high = BINARY[dtype]
    if value == 0:
        return 0.0
    sign = -1.0 if value < 0 else 1.0
    value = abs(value)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, low) - fraction_bits)
    count = round(value / unit)  # Python rounds halves to even
    result = count * unit
    if result >= Fraction(2) ** (high + 1):
        return sign * float("inf")
    return sign * float(result)


def order(rows, cols, layout, dtype, fractal=512):
    """The index in memory of each element, as an array of rows x cols; from reshaping a range."""
    c0 = 256 // width(dtype)
    along, across = {512: (c0, 16), 1024: (16, 16), 32: (2, 16)}[fractal]
    count = rows * cols
    memory = np.arange(count)
    if layout == "ND":
        return memory.reshape(rows, cols)
    if layout == "DN":
        return memory.reshape(cols, rows).T
    if layout == "NZ":
        return memory.reshape(cols // along, rows, along).transpose(1, 0, 2).reshape(rows, cols)
    if layout == "ZN":
        return memory.reshape(rows // along, cols, along).transpose(0, 2, 1).reshape(rows, cols)
    if layout == "ZZ":
        lines = min(rows, across)
        boxes = memory.reshape(rows // lines, cols // along, lines, along)
        return boxes.transpose(0, 2, 1, 3).reshape(rows, cols)
    if layout == "NN":
        boxes = memory.reshape(cols // across, rows // along, across, along)
        return boxes.transpose(1, 3, 0, 2).reshape(rows, cols)
    raise ValueError(layout)


def pack(dtype, raw):
    if width(dtype) != 4:
        return np.ascontiguousarray(raw).tobytes()
    nibbles = np.asarray(raw, np.uint8) & 15
    return (nibbles[0::2] | nibbles[1::2] << 4).tobytes()


class Tile:
    """A tile whose valid region holds element bits `raw` (None: nothing is known of it)."""
    def __init__(self, dtype, raw, rows=None, cols=None, space="UB", layout="ND", fractal=512,
                 pad=0, valid=None):
        self.dtype, self.space, self.layout, self.fractal, self.pad = (dtype, space, layout,
                                                                       fractal, pad)
        if raw is not None:
            raw = np.asarray(raw, carrier(dtype))
        self.valid = valid or raw.shape
        unit = 256 // width(dtype)
        self.rows = rows or self.valid[0]
        self.cols = cols or -(-self.valid[1] // unit) * unit
        self.index = order(self.rows, self.cols, layout, dtype, fractal)
        self.before = self.image(raw)

    def image(self, raw, base=None):
        fill = int.from_bytes(bytes([SENTINEL]) * 8, "little") & ((1 << width(self.dtype)) - 1)
        image = np.full(self.rows * self.cols, fill, carrier(self.dtype)) if base is None else base
        if raw is not None:
            raw = np.asarray(raw, carrier(self.dtype))
            image[self.index[: raw.shape[0], : raw.shape[1]]] = raw
        return image

    def line(self, book, role, after):
        before = pack(self.dtype, self.before)
        final = before if after is None else pack(self.dtype, after)
        return (f"tile {role} {self.space} {self.dtype} {self.rows} {self.cols} {self.layout} "
                f"{self.fractal} {self.valid[0]} {self.valid[1]} {self.pad} "
                f"{book.data(before)} {book.data(final)}")


class View:
    """Global memory: `memory` is the bits of all elements, in order of their offsets."""

    def __init__(self, dtype, memory, shape, stride, layout="ND"):
        self.dtype, self.shape, self.stride, self.layout = dtype, shape, stride, layout
        self.before = np.asarray(memory, carrier(dtype)).ravel()

    def line(self, book, role, after):
        before = pack(self.dtype, self.before)
        final = before if after is None else pack(self.dtype, after)
        return (f"view {role} {self.dtype} {self.layout} {','.join(map(str, self.shape))} "
                f"{','.join(map(str, self.stride))} {book.data(before)} {book.data(final)}")


class Scalar:
    def __init__(self, dtype, value):
        self.dtype = dtype
        self.bits = int(to_bits(dtype, np.array([value]))[0])

    def line(self, book, role, after):
        return f"scalar {self.dtype} {self.bits}"


def packed(raw):
    """Counts of literal bytes, the bytes, and counts of sentinel bytes, in turn."""
    out, at = bytearray(), 0
    for run in re.finditer(bytes([SENTINEL]) + b"{5,}", raw):
        out += run_of(raw[at:run.start()], run.end() - run.start())
        at = run.end()
    return bytes(out + run_of(raw[at:], 0))


def run_of(literal, count):
    out = bytearray()
    while len(literal) > 65535 or count > 65535:
        part = min(len(literal), 65535)
        rest = min(count, 65535) if part == len(literal) else 0
        out += struct.pack("<H", part) + literal[:part] + struct.pack("<H", rest)
        literal, count = literal[part:], count - rest
    return out + struct.pack("<H", len(literal)) + literal + struct.pack("<H", count)


class Book:
    def __init__(self):
        self.lines, self.blob, self.known = [], bytearray(), {}

    def data(self, raw):
        if raw not in self.known:
            self.known[raw] = len(self.blob)
            self.blob += packed(raw)
        return f"{self.known[raw]}:{len(raw)}"

    def case(self, name, opcode, operands, results, arch="a2a3", **attributes):
        """`results`: {operand index: element bits of its valid region, or a whole image}."""
        keys = ",".join(f"{k}={v}" for k, v in attributes.items()) or "-"
        self.lines.append(f"case {name} {opcode} {arch} {keys}")
        for i, operand in enumerate(operands):
            if operand is None:
                self.lines.append("none")
                continue
            after = results.get(i)
            if after is not None and np.ndim(after) == 2 and isinstance(operand, Tile):
                after = operand.image(after, operand.before.copy())
            self.lines.append(operand.line(self, "out" if i in results else "in", after))

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/goldens.txt", "w") as text:
            text.write("\n".join(self.lines) + "\n")
        with open(f"{folder}/goldens.bin", "wb") as binary:
            binary.write(self.blob)
        counts = {}
        for line in self.lines:
            if line.startswith("case"):
                _, _, opcode, arch, _ = line.split()
                row = counts.setdefault(opcode, [0, 0, 0])
                row[0] += 1
                if not arch.startswith("none"):
                    row[2 if arch.startswith("a5") else 1] += 1
        with open(f"{folder}/golden_counts.def", "w") as text:
            text.write("// Cases of goldens.txt: all, for a2a3, for a5; by make_goldens.py.\n")
            text.writelines(f'{{"{opcode}", {{{", ".join(map(str, counts[opcode]))}}}}},\n'
                            for opcode in sorted(counts))
        print(f"{sum(l.startswith('case') for l in self.lines)} cases, {len(self.blob)} bytes")
