"""What hw-native-sys/pto-isa's headers for a5 do their own way, and image layouts out of L0C."""
from decimal import Decimal
from fractions import Fraction

import numpy as np

from goldens_cases import Scalar, Tile, View, bf16_round, round_fraction, to_bits, width
from goldens_forms import mx_quantised
from goldens_fused import plain
from goldens_moves import dense_view, random_bits
from goldens_types import TABLES

A5 = "a5/a5"


def add_cases(book):
    pairs_of_columns(book)
    wide_gathers(book)
    powers(book)
    small_floats(book)
    maxima(book)
    images(book)


def nearest(dtype, value, away):
    """The code of the nearest finite value of a small float; ties to even codes, or away from 0."""
    one_zero = dtype == "hif8"
    sides = [c for c, v in enumerate(TABLES[dtype]) if v is not None and np.isfinite(v)
             and (np.signbit(v) == np.signbit(value) or (v == 0 and one_zero))]
    distance = lambda c: abs(Fraction(TABLES[dtype][c]) - Fraction(float(value)))
    tie = (lambda c: -abs(TABLES[dtype][c])) if away else (lambda c: c & 1)
    return min(sides, key=lambda c: (distance(c), tie(c)))


def pairs_of_columns(book):
    for dtype in ("e2m1", "e1m2"):
        for cols in (13, 12):
            values = bf16_round(plain("f32", 401, (3, cols)))
            codes = np.array([[nearest(dtype, v, False) for v in row] for row in values], np.uint8)
            for profile in ("a5", A5):
                dst = Tile(dtype, None, rows=4, cols=64, valid=(3, cols))
                after = dst.before.copy()
                if profile == A5:
                    after[dst.index[:3]] = 0
                kept = cols // 2 * 2 if profile == A5 else cols
                after[dst.index[:3, :kept]] = codes[:, :kept]
                book.case(f"TCVT.bf16_{dtype}.{cols}.{profile}", "TCVT",
                          [dst, Tile("bf16", to_bits("bf16", values))], {0: after}, arch=profile,
                          rmode="RINT")


def wide_gathers(book):
    raw = random_bits("i64", 402, (3, 15))
    for dtype, other in (("i64", 2), ("u64", 5)):
        pattern, step, first = {2: ("P1010", 2, 1), 5: ("P0100", 4, 2)}[other]
        taken = raw[:, : 15 // step * step][:, first::step]
        dst = Tile(dtype, None, rows=4, cols=24, valid=(3, taken.shape[1]))
        after = dst.before.copy()
        for row in range(3):
            after[row * (24 // step):][: taken.shape[1]] = taken[row]
        book.case(f"TGATHER.{dtype}.{pattern}.a5", "TGATHER",
                  [dst, Tile(dtype, raw, rows=4, cols=24)], {0: after}, arch=A5,
                  maskPattern=pattern)


def rounded(dtype, exact):
    """Once, and by way of f32; as element bits."""
    kind = np.float16 if dtype == "f16" else np.float32
    once = round_fraction(dtype, exact)
    twice = round_fraction(dtype, Fraction(round_fraction("f32", exact)))
    return [int(to_bits(dtype, np.array([v]).astype(kind))[0]) for v in (once, twice)]


def powers(book):
    """By decimals of 60 digits; half of the inputs are those whose two roundings differ."""
    rng = np.random.default_rng(403)
    for dtype, kind in (("f16", np.float16), ("bf16", np.float32)):
        shape = lambda v: v.astype(np.float16) if dtype == "f16" else bf16_round(v.astype(np.float32))
        a, b = shape(rng.uniform(0.1, 5, 600000)), shape(rng.uniform(0, 3, 600000))
        power = a.astype(np.float64) ** b.astype(np.float64)
        narrow = lambda v: v.astype(kind) if dtype == "f16" else bf16_round(v.astype(np.float32))
        # Within a thousandth of an f32 unit around the middle of two neighbours.
        low = np.nextafter(power.astype(np.float32), np.float32(0))
        high = np.nextafter(power.astype(np.float32), np.float32(9e9))
        near = np.flatnonzero(narrow(low) != narrow(high))
        exact = {i: Fraction(Decimal(float(a[i])) ** Decimal(float(b[i]))) for i in near}
        differ = [i for i in near if len(set(rounded(dtype, exact[i]))) == 2][:8]
        assert len(differ) >= 4, dtype
        chosen = (differ + list(range(32 - len(differ))))
        for i in chosen:
            exact.setdefault(i, Fraction(Decimal(float(a[i])) ** Decimal(float(b[i]))))
        tile = lambda v: Tile(dtype, to_bits(dtype, v[chosen].reshape(2, 16)))
        for profile, which in (("a5", 0), (A5, 1)):
            raw = np.array([rounded(dtype, exact[i])[which] for i in chosen]).reshape(2, 16)
            book.case(f"TPOW.{dtype}.rounding.{profile}", "TPOW",
                      [Tile(dtype, None, valid=(2, 16)), tile(a), tile(b)], {0: raw}, arch=profile)
        i = differ[0]
        for profile, which in (("a5", 0), (A5, 1)):
            book.case(f"TPOWS.{dtype}.rounding.{profile}", "TPOWS",
                      [Tile(dtype, None, valid=(1, 1)), Tile(dtype, to_bits(dtype, a[i:i + 1])[None]),
                       Scalar(dtype, b[i])],
                      {0: np.array([[rounded(dtype, exact[i])[which]]])}, arch=profile)


def small_floats(book):
    """Out of L0C to hif8: whole numbers, many of them between two of its values."""
    values = np.random.default_rng(404).integers(-60, 60, (21, 19)).astype(np.float32)
    acc = Tile("f32", to_bits("f32", values), rows=32, cols=32, space="L0C", layout="NZ",
               fractal=1024)
    for profile in ("a5", A5):
        raw = np.array([[nearest("hif8", v * np.float32(0.5), profile == A5) for v in row]
                        for row in values], np.uint8)
        target = lambda r: dense_view("hif8", r, "ND", 32)
        book.case(f"TSTORE.hif8.{profile}", "TSTORE",
                  [target(raw * 0), acc, None, Scalar("f32", 0.5)], {0: target(raw).before},
                  arch=profile)
        book.case(f"TMOV.hif8.{profile}", "TMOV",
                  [Tile("hif8", None, rows=32, cols=32, space="UB", valid=(21, 19)), acc, None,
                   Scalar("f32", 0.5)], {0: raw}, arch=profile)


def maxima(book):
    values = plain("f32", 405, (64, 19)).astype(np.float16).astype(np.float32)
    raw = to_bits("f16", values.astype(np.float16))
    codes, exponents, largest, scaling = mx_quantised(values, 1, 0, 1)
    for profile in ("a5", A5):
        if profile == A5:
            kept = (largest.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        else:
            kept = to_bits("f16", largest.astype(np.float16))
        book.case(f"TQUANT_MX.f16.e2m1.maximum.{profile}", "TQUANT_MX",
                  [Tile("e2m1", None, valid=(64, 19)), Tile("f16", raw),
                   Tile("u8", None, valid=(2, 19)), Tile("f16", None, valid=(2, 19)),
                   Tile("f16", None, valid=(2, 19))],
                  {0: codes, 2: exponents, 3: kept, 4: to_bits("bf16", scaling.astype(np.float32))},
                  arch=profile, quant_type="MXFP4_E2M1", grpAxis="axis0")
    values = plain("f32", 406, (128, 19))
    codes, exponents, largest, scaling = mx_quantised(values, 0, 1, 1)
    paired = exponents.reshape(2, 2, 19).transpose(0, 2, 1).reshape(2, 38)
    book.case("TQUANT_MX.f32.e4m3.interleave", "TQUANT_MX",
              [Tile("u8", None, valid=(128, 19)), Tile("f32", to_bits("f32", values)),
               Tile("u8", None, valid=(2, 38)), Tile("f32", None, valid=(4, 19)),
               Tile("f32", None, valid=(4, 19))],
              {0: codes, 2: paired, 3: to_bits("f32", largest.astype(np.float32)),
               4: to_bits("f32", scaling.astype(np.float32))}, arch="a5", quant_type="MXFP8",
              quantScaleAlg="nv", grpAxis="axis0", interleave="true")


def images(book):
    """Positions are rows of the accumulator, channels its columns; with gaps in global memory."""
    n, c, h, w = 2, 19, 3, 5
    values = plain("f32", 407, (n * h * w, c))
    acc = Tile("f32", to_bits("f32", values), rows=32, cols=32, space="L0C", layout="NZ",
               fractal=1024)
    whole = {"NHWC": (1, n, h + 1, w, c), "NCHW": (1, n, c + 2, h, w), "NCDHW": (n, c, 3, h, w)}
    shape = {"NHWC": (1, n, h, w, c), "NCHW": (1, n, c, h, w), "NCDHW": (n, c, 1, h, w)}
    for dtype in ("f32", "f16", "bf16"):
        raw = {"f32": lambda v: v, "f16": lambda v: v.astype(np.float16), "bf16": bf16_round}[dtype]
        cells = to_bits(dtype, raw(values)).reshape(n, h, w, c)
        for layout in whole:
            memory = np.full(whole[layout], 0xA5A5 if width(dtype) == 16 else 0xA5A5A5A5,
                             cells.dtype)
            before, window = memory.copy(), tuple(slice(0, e) for e in shape[layout])
            turned = cells if layout == "NHWC" else cells.transpose(0, 3, 1, 2)
            memory[window] = turned.reshape(shape[layout])
            stride = [int(np.prod(whole[layout][i + 1:])) for i in range(5)]
            book.case(f"TSTORE.acc.{layout}.{dtype}", "TSTORE",
                      [View(dtype, before, shape[layout], stride, layout), acc],
                      {0: memory.ravel()}, arch="a5")
