"""Golden cases of isa/instructions/remainder.def."""
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np

from goldens_a5 import A5
from goldens_cases import Scalar, Tile, bf16_round, round_fraction, to_bits
from goldens_fused import plain


def add_cases(book):
    powers(book)
    powers_of_bf16(book)


def powers(book):
    """By decimals of 60 digits."""
    getcontext().prec = 60
    power = lambda x, y: Decimal(float(x)) ** Decimal(float(y))
    for dtype, arch in (("f32", "a2a3"), ("f16", "a5"), ("bf16", "a5")):
        a = np.abs(plain("f32", 221, (3, 21))) + np.float32(0.01)
        b = np.round(plain("f32", 222, (3, 21))) / np.float32(4)
        a[0, :4], b[0, :4] = (9, 25, 2, 0.25), (0.5, -0.5, 5, -2)
        if dtype == "f16":
            a, b = a.astype(np.float16), b.astype(np.float16)
        if dtype == "bf16":
            a, b = bf16_round(a), bf16_round(b)
        def result(x, y):
            rows = [[round_fraction(dtype, Fraction(power(p, q))) for p, q in zip(*r)]
                    for r in zip(x, y)]
            kind = np.float16 if dtype == "f16" else np.float32
            return to_bits(dtype, np.array(rows).astype(kind))
        tile = lambda v: Tile(dtype, to_bits(dtype, v))
        book.case(f"TPOW.{dtype}", "TPOW", [Tile(dtype, None, valid=(3, 21)), tile(a), tile(b)],
                  {0: result(a, b)}, arch=arch)
        book.case(f"TPOWS.{dtype}", "TPOWS",
                  [Tile(dtype, None, valid=(3, 21)), tile(a), Scalar(dtype, 1.5)],
                  {0: result(a, np.full_like(a, 1.5))}, arch=arch)


def rounded(dtype, exact):
    """Once, and by way of f32; as element bits."""
    kind = np.float16 if dtype == "f16" else np.float32
    once = round_fraction(dtype, exact)
    twice = round_fraction(dtype, Fraction(round_fraction("f32", exact)))
    return [int(to_bits(dtype, np.array([v]).astype(kind))[0]) for v in (once, twice)]


def powers_of_bf16(book):
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
