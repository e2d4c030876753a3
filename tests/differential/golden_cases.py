"""The golden cases of isa/semantics/make_goldens.py as Python objects: operands, attributes, bytes before and after."""
import os
from dataclasses import dataclass, field, replace

BITS = {"f32": 32, "f16": 16, "bf16": 16, "i64": 64, "u64": 64, "i32": 32, "u32": 32, "i16": 16, "u16": 16, "i8": 8,
        "u8": 8, "e4m3": 8, "e5m2": 8, "hif8": 8, "e8m0": 8, "e2m1": 4, "e1m2": 4, "i4": 4}


@dataclass
class Tile:
    role: str
    space: str
    dtype: str
    rows: int
    cols: int
    layout: str
    fractal: int
    valid_rows: int
    valid_cols: int
    pad: str
    before: bytes = b""
    after: bytes = b""
    kind: str = "tile"


@dataclass
class View:
    role: str
    dtype: str
    layout: str
    shape: tuple
    strides: tuple
    before: bytes = b""
    after: bytes = b""
    kind: str = "view"


@dataclass
class Scalar:
    dtype: str
    bits: int
    role: str = "in"
    kind: str = "scalar"


@dataclass
class Case:
    name: str
    opcode: str
    arch: str
    profile: str  # of numbers: "" is ieee
    attributes: dict = field(default_factory=dict)
    operands: list = field(default_factory=list)  # None: left out

    def tiles(self):
        return [operand for operand in self.operands if operand is not None and operand.kind == "tile"]

    def spaces(self):
        return {tile.space for tile in self.tiles()}

    def copy(self):
        return replace(self, operands=[operand and replace(operand) for operand in self.operands])


class Blob:
    """goldens.bin: runs of literal bytes and of 0xA5, each with a 16-bit count."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()

    def count(self, at):
        return int.from_bytes(self.bytes[at:at + 2], "little")

    def read(self, place):
        at, length = map(int, place.split(":"))
        parts, size = [], 0
        while size < length:
            literal = self.count(at)
            parts.append(self.bytes[at + 2:at + 2 + literal])
            at += 2 + literal
            fill = self.count(at)
            parts.append(b"\xA5" * fill)
            at += 2
            size += literal + fill
        return b"".join(parts)


def numbers(text):
    return tuple(map(int, text.split(",")))


def read(folder):
    """All cases that `folder` holds, in their order."""
    blob = Blob(os.path.join(folder, "goldens.bin"))
    cases = []
    with open(os.path.join(folder, "goldens.txt")) as file:
        for line in file:
            kind, *words = line.split()
            if kind == "case":
                name, opcode, arch, attributes = words
                pairs = [] if attributes == "-" else [word.split("=", 1) for word in attributes.split(",")]
                arch, _, profile = arch.partition("/")
                cases.append(Case(name, opcode, arch, profile, dict(pairs)))
                continue
            operand = None
            if kind == "tile":
                role, space, dtype, rows, cols, layout, fractal, valid_rows, valid_cols, pad, before, after = words
                operand = Tile(role, space, dtype, int(rows), int(cols), layout, int(fractal), int(valid_rows),
                               int(valid_cols), pad, blob.read(before), blob.read(after))
            elif kind == "view":
                role, dtype, layout, shape, strides, before, after = words
                operand = View(role, dtype, layout, numbers(shape), numbers(strides), blob.read(before),
                               blob.read(after))
            elif kind == "scalar":
                operand = Scalar(words[0], int(words[1]))
            cases[-1].operands.append(operand)
    return cases
