"""Small floats out of L0C, as hw-native-sys/pto-isa's headers for a5 make them."""
from fractions import Fraction

import numpy as np

from goldens_cases import Scalar, Tile, to_bits
from goldens_moves import dense_view
from goldens_types import TABLES

A5 = "a5/a5"


def add_cases(book):
    small_floats(book)


def nearest(dtype, value, away):
    """The code of the nearest finite value of a small float; ties to even codes, or away from 0."""
    one_zero = dtype == "hif8"
    sides = [c for c, v in enumerate(TABLES[dtype]) if v is not None and np.isfinite(v)
             and (np.signbit(v) == np.signbit(value) or (v == 0 and one_zero))]
    distance = lambda c: abs(Fraction(TABLES[dtype][c]) - Fraction(float(value)))
    tie = (lambda c: -abs(TABLES[dtype][c])) if away else (lambda c: c & 1)
    return min(sides, key=lambda c: (distance(c), tie(c)))


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
