"""Second results of reductions and sorts; encodings of small floats."""
import bisect
import functools
from fractions import Fraction

import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Tile, to_bits
from goldens_fused import plain
from goldens_moves import dense_view, random_bits


@functools.cache
def values_of(dtype):
    """(magnitude, code) of the finite non-negative values of an 8- or 4-bit float, in increasing order."""
    if dtype == "e2m1":
        return [(Fraction(v), i) for i, v in enumerate((0, .5, 1, 1.5, 2, 3, 4, 6))]
    table = []
    for code in range(0x7F):
        exponent, fraction = code >> 3, code & 7
        scale = Fraction(2) ** (max(exponent, 1) - 7)
        table.append(((Fraction(fraction, 8) + (exponent > 0)) * scale, code))
    return table


def encode(dtype, value):
    """To nearest, ties to the even code; saturating."""
    sign = 8 if dtype == "e2m1" else 128
    if np.isnan(value):
        return 7 if dtype == "e2m1" else 0x7F
    negative = sign if np.signbit(value) else 0
    if np.isinf(value):
        return negative | values_of(dtype)[-1][1]
    exact = abs(Fraction(float(value)))
    above = bisect.bisect_left(values_of(dtype), (exact, 0))
    neighbours = values_of(dtype)[max(above - 1, 0):above + 1]
    return negative | min(neighbours, key=lambda v: (abs(v[0] - exact), v[1] & 1))[1]


def add_cases(book):
    second_results(book)
    book.case("TPREFETCH.f16", "TPREFETCH",
              [Tile("f16", None, valid=(5, 11)),
               dense_view("f16", random_bits("f16", 201, (5, 11)), "ND", 37)], {})


def second_results(book):
    values = inputs("f32", 208, (5, 37))
    book.case("TROWARGMAX.value", "TROWARGMAX",
              [Tile("i32", None, rows=8, cols=1, layout="DN", valid=(5, 1)),
               Tile("f32", to_bits("f32", values)), None,
               Tile("f32", None, rows=8, cols=1, layout="DN", valid=(5, 1))],
              {0: np.nanargmax(values, 1).astype(np.uint32)[:, None],
               3: to_bits("f32", np.nanmax(values, 1)[:, None])})
    book.case("TCOLARGMIN.value", "TCOLARGMIN",
              [Tile("u32", None, valid=(1, 37)), Tile("f32", to_bits("f32", values)), None,
               Tile("f32", None, valid=(1, 37))],
              {0: np.nanargmin(values, 0).astype(np.uint32)[None],
               3: to_bits("f32", np.nanmin(values, 0)[None])})
    # Merging until a list is empty: how many records of each were used.
    lists = [np.sort(np.round(plain("f32", 209 + i, (n,)) * 4))[::-1] for i, n in enumerate((9, 16, 12))]
    used, out = [0, 0, 0], []
    while all(u < len(l) for u, l in zip(used, lists)):
        best = max(range(3), key=lambda i: (lists[i][used[i]], -i))
        out.append((best, used[best]))
        used[best] += 1
    record = lambda i, k: [int(np.float32(lists[i][k]).view(np.uint32)), 1000 * i + k]
    tiles = [Tile("f32", np.array([sum((record(i, k) for k in range(len(l))), [])], np.uint32))
             for i, l in enumerate(lists)]
    raw = np.array([sum((record(i, k) for i, k in out), [])], np.uint32)
    dst = Tile("f32", None, valid=(1, 80))
    after = dst.before.copy()
    after[: raw.size] = raw[0]
    book.case("TMRGSORT.executed", "TMRGSORT",
              [dst, None] + tiles + [None, None, Tile("u16", None, valid=(1, 4))],
              {0: after, 7: np.array([used + [0]], np.uint16)}, exhausted="true")
