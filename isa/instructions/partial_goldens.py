"""Golden cases of isa/instructions/partial.def."""
import numpy as np

from goldens_arithmetic import ordered
from goldens_cases import Tile, to_bits
from goldens_fused import plain
from goldens_moves import random_bits


def add_cases(book):
    partials(book)
    part_fill(book)


def partials(book):
    whole, part = (4, 21), (3, 9)
    combine = {"ADD": np.add, "MUL": np.multiply, "MAX": np.maximum, "MIN": np.minimum}
    for dtype in ("f32", "f16", "i32"):
        a, b = plain(dtype, 141, whole), plain(dtype, 142, part)
        for kind, function in combine.items():
            out = a.copy()
            out[:3, :9] = function(a[:3, :9], b)
            tiles = [Tile(dtype, to_bits(dtype, a)), Tile(dtype, to_bits(dtype, b))]
            book.case(f"TPART{kind}.{dtype}", f"TPART{kind}",
                      [Tile(dtype, None, valid=whole)] + tiles, {0: to_bits(dtype, out)})
            book.case(f"TPART{kind}.{dtype}.turned", f"TPART{kind}",
                      [Tile(dtype, None, valid=whole)] + tiles[::-1], {0: to_bits(dtype, out)})
        if dtype == "i32":
            continue
        i, j = random_bits("u32", 143, whole), random_bits("u32", 144, part)
        for kind, better in (("MAX", np.greater), ("MIN", np.less)):
            take = better(b, a[:3, :9])
            values, indices = a.copy(), i.copy()
            values[:3, :9][take] = b[take]
            indices[:3, :9][take] = j[take]
            book.case(f"TPARTARG{kind}.{dtype}", f"TPARTARG{kind}",
                      [Tile(dtype, None, valid=whole), Tile(dtype, to_bits(dtype, a)),
                       Tile(dtype, to_bits(dtype, b)), Tile("u32", None, valid=whole),
                       Tile("u32", i), Tile("u32", j)],
                      {0: to_bits(dtype, values), 3: indices})


def part_fill(book):
    extremes = {"f32": (-np.finfo(np.float32).max, np.finfo(np.float32).max),
                "f16": (-65504, 65504), "bf16": (0xFF7F, 0x7F7F),
                "i8": (-128, 127), "u16": (0, 65535), "i32": (-2**31, 2**31 - 1)}
    for dtype, (low, high) in extremes.items():
        a, b = plain(dtype, 232, (3, 21)), plain(dtype, 233, (4, 9))
        for kind, fill, function in (("MAX", low, np.maximum), ("MIN", high, np.minimum)):
            if dtype == "bf16":
                out = np.full((4, 21), fill, np.uint16)
                out[:3] = to_bits(dtype, a)
                out[:, :9] = to_bits(dtype, b)
                out[:3, :9] = to_bits(dtype, ordered(a[:, :9], b[:3], function))
            else:
                out = np.full((4, 21), fill, a.dtype)
                out[:3], out[:, :9] = a, b
                out[:3, :9] = ordered(a[:, :9], b[:3], function)
                out = to_bits(dtype, out)
            book.case(f"TPART{kind}.{dtype}.fill", f"TPART{kind}",
                      [Tile(dtype, None, valid=(4, 21)), Tile(dtype, to_bits(dtype, a)),
                       Tile(dtype, to_bits(dtype, b))], {0: out}, arch="a5/a5")
