"""The rules of hardware profiles that are done (isa/profile_rules.def)."""
from fractions import Fraction

import numpy as np

from goldens_arithmetic import inputs, ordered
from goldens_cases import Scalar, Tile, round_fraction, to_bits
from goldens_fused import plain
from goldens_moves import random_bits


def add_cases(book):
    for profile in ("a2a3", "a5"):
        low_bits(book, profile)
    part_fill(book)
    fused_products(book)
    wide_division(book)
    templates(book)
    exponents(book)


def exponents(book):
    """What lies behind the last row of exponents becomes zero, as far as the source goes."""
    for room in (320, 256):
        raw = random_bits("u8", 239, (37, 6))
        filled = np.zeros((48, 6), np.uint8)
        filled[:37] = raw
        source = Tile("u8", raw.reshape(1, -1), cols=room)
        dst = Tile("u8", None, rows=48, cols=6, layout="ZZ", fractal=32, valid=raw.shape)
        boxes, behind = dst.before.copy(), source.before.copy()
        boxes[dst.index] = filled
        behind[: filled.size] = filled.ravel()[:room]
        book.case(f"TMOV.a5.boxes.{room}", "TMOV",
                  [dst, source, None, None, Tile("u8", None, valid=(1, 64))], {0: boxes, 1: behind},
                  arch="a5/a5")


def fused_products(book):
    """Sums where most of the product cancels, so that its rounding shows; exact fractions."""
    rng = np.random.default_rng(234)
    for dtype, kind in (("f32", np.float32), ("f16", np.float16)):
        a = rng.standard_normal((3, 21)).astype(kind)
        b = rng.standard_normal((3, 21)).astype(kind)
        scalar = kind(1.3)

        def once(x, y, z):
            exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
            return round_fraction(dtype, exact)

        def case(opcode, factor, operands):
            start = (-(a * factor)).astype(kind)
            by = np.broadcast_to(factor, a.shape)
            raw = to_bits(dtype, np.array([[once(a[i, j], by[i, j], start[i, j]) for j in range(21)]
                                           for i in range(3)], kind))
            book.case(f"{opcode}.a5.{dtype}.fused", opcode,
                      [Tile(dtype, to_bits(dtype, start)), Tile(dtype, to_bits(dtype, a)), operands],
                      {0: raw}, arch="a5/a5")

        case("TAXPY", scalar, Scalar(dtype, scalar))
        case("TMULADDDST", b, Tile(dtype, to_bits(dtype, b)))


def wide_division(book):
    """By zero; the rest as Python divides."""
    a = [-2**63, -7, 7, 2**63 - 1, 5, 0, -9, 8]
    b = [-1, 3, -3, 0, 0, 0, 4, 5]

    def bits(values):
        return np.array([[v % 2**64 for v in values]], np.uint64)

    def quotient(x, y):
        return 0 if y == 0 else (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)

    for opcode, function in (("TDIV", quotient), ("TREM", lambda x, y: x - y * quotient(x, y) if y else 0)):
        raw = bits([function(x, y) for x, y in zip(a, b)])
        book.case(f"{opcode}.a5.i64.zero", opcode,
                  [Tile("i64", None, valid=(1, 8)), Tile("i64", bits(a)), Tile("i64", bits(b))],
                  {0: raw}, arch="a5/a5")
        book.case(f"{opcode}S.a5.i64.zero", f"{opcode}S",
                  [Tile("i64", None, valid=(1, 8)), Tile("i64", bits(a)), Scalar("i64", 0)],
                  {0: bits([0] * 8)}, arch="a5/a5")
    counts = [0, 63, 64, 65, 1, 127, 2, 5]
    for opcode, function in (("TSHL", lambda x, n: x << n % 64), ("TSHR", lambda x, n: x >> n % 64)):
        book.case(f"{opcode}.a5.i64", opcode,
                  [Tile("i64", None, valid=(1, 8)), Tile("i64", bits(a)), Tile("i64", bits(counts))],
                  {0: bits([function(x, n) for x, n in zip(a, counts)])}, arch="a5/a5")
    book.case("TDIVS.a5.i64.zero.turned", "TDIVS",
              [Tile("i64", None, valid=(1, 8)), Scalar("i64", 9), Tile("i64", bits(b))],
              {0: bits([quotient(9, y) for y in b])}, arch="a5/a5")


def templates(book):
    """What the templates of PTOAS for a5 do otherwise than pto-isa's headers."""
    profile = "a5/a5-templates"
    for dtype, kind, step in (("f32", np.float32, 128), ("i16", np.int16, 128), ("u8", np.uint8, 256)):
        values = inputs(dtype, 235, (5, 64))
        limit = values[2, 7]
        for name, valid in (("whole", (5, 64)), ("part", (5, 37))):
            part = values[: valid[0], : valid[1]] < limit
            lines = part.reshape(1, -1) if name == "whole" else part
            padded = np.pad(lines, ((0, 0), (0, -lines.shape[1] % step)))
            stored = np.packbits(padded, axis=None, bitorder="little")
            rows = 5 if name == "whole" else 8
            before = np.full((rows, 32), 0xA5, np.uint8)
            after = before.copy()
            after.ravel()[: stored.size] = stored
            book.case(f"TCMPS.a5_templates.{dtype}.{name}", "TCMPS",
                      [Tile("u8", before, rows=rows, cols=32, valid=(5, 32)),
                       Tile(dtype, to_bits(dtype, values)[:, : valid[1]], cols=64), Scalar(dtype, limit)],
                      {0: after}, arch=profile, cmpMode="lt")
    values, vector = plain("f32", 237, (3, 24)), plain("f32", 238, (3, 8))
    book.case("TROWEXPANDADD.a5_templates.f32", "TROWEXPANDADD",
              [Tile("f32", None, valid=(3, 24)), Tile("f32", to_bits("f32", values)),
               Tile("f32", to_bits("f32", vector))],
              {0: to_bits("f32", values + vector[:, :1])}, arch=profile)
    for dtype, largest in (("f32", np.finfo(np.float32).max), ("f16", np.float16(65504))):
        values = inputs(dtype, 236, (3, 13))
        for pad, sign in ((2, 1), (3, -1)):
            out = np.full((3, 24), sign * largest, values.dtype)
            out[:, :13] = values
            book.case(f"TFILLPAD_EXPAND.a5_templates.{dtype}.{pad}", "TFILLPAD_EXPAND",
                      [Tile(dtype, None, valid=(3, 24), pad=pad), Tile(dtype, to_bits(dtype, values))],
                      {0: to_bits(dtype, out)}, arch=profile)


def low_bits(book, profile):
    """Through a saturating 32-bit integer."""
    for source, targets in (("f16", ("i8", "u8", "i16")), ("f32", ("i16",))):
        values = inputs(source, 231)
        values[2, :6] = (300.7, -129.5, 40000, -40000, 255.5, 256)
        if source == "f32":
            values[2, 6:9] = (3e9, -3e9, 65535.5)
        whole = np.clip(np.rint(np.nan_to_num(values.astype(np.float64), nan=0.0)),
                        -(2.0 ** 31), 2.0 ** 31 - 1).astype(np.int64)
        for target in targets:
            size = 1 << (8 if target[1:] == "8" else 16)
            raw = (whole % size).astype(np.uint8 if size == 256 else np.uint16)
            book.case(f"TCVT.{profile}.{source}_{target}.low_bits", "TCVT",
                      [Tile(target, None, valid=values.shape), Tile(source, to_bits(source, values))],
                      {0: raw}, arch=f"{profile}/{profile}", rmode="RINT", satMode="OFF")


def part_fill(book):
    extremes = {"f32": (-np.finfo(np.float32).max, np.finfo(np.float32).max),
                "f16": (-65504, 65504), "bf16": (0xFF7F, 0x7F7F),
                "i8": (-128, 127), "u16": (0, 65535), "i32": (-2**31, 2**31 - 1)}
    for dtype, (low, high) in extremes.items():
        a, b = plain(dtype, 232, (3, 21)), plain(dtype, 233, (4, 9))
        for kind, fill, function in (("MAX", low, np.fmax), ("MIN", high, np.fmin)):
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
