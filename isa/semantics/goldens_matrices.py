"""Matrix products, each term by exact fractions."""
from fractions import Fraction

import numpy as np

from goldens_cases import Tile, bf16_round, round_fraction, to_bits


def values_of(dtype, seed, shape):
    rng = np.random.default_rng(seed)
    if dtype == "i8":
        return rng.integers(-128, 127, shape, dtype=np.int8, endpoint=True)
    values = (rng.standard_normal(shape) * 2.0 ** rng.integers(-6, 6, shape)).astype(np.float32)
    return {"f16": lambda v: v.astype(np.float16), "bf16": bf16_round, "f32": lambda v: v}[dtype](
        values)


def product(a, b, start, bias):
    """One rounding per term, k ascending; the bias after the last."""
    result = np.empty((a.shape[0], b.shape[1]), np.float32)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = float(start[i, j])
            for k in range(a.shape[1]):
                term = Fraction(float(a[i, k])) * Fraction(float(b[k, j]))
                total = round_fraction("f32", Fraction(total) + term)
            if bias is not None:
                total = round_fraction("f32", Fraction(total) + Fraction(float(bias[0, j])))
            result[i, j] = total
    return result


def add_cases(book):
    def tiles(arch, dtype, a, b, m, n):
        unit = 32 // (1 if dtype == "i8" else 4 if dtype == "f32" else 2)
        up = lambda value, by: -(-value // by) * by
        k = up(a.shape[1], max(unit, 16))
        left = Tile(dtype, to_bits(dtype, a), rows=up(m, 16) if m > 1 else 1, cols=k, space="L0A",
                    layout="ZZ" if arch == "a2a3" else "NZ")
        right = Tile(dtype, to_bits(dtype, b), rows=k, cols=up(n, 16), space="L0B", layout="ZN")
        return left, right, up(m, 16), up(n, 16)

    for dtype in ("f16", "bf16", "f32", "i8"):
        for arch, (m, k, n) in (("a2a3", (19, 37, 21)), ("a5", (5, 16, 33))):
            if arch == "a5" and dtype not in ("bf16", "i8"):
                continue
            a, b = values_of(dtype, 31, (m, k)), values_of(dtype, 32, (k, n))
            left, right, rows, cols = tiles(arch, dtype, a, b, m, n)
            out = "i32" if dtype == "i8" else "f32"
            empty = lambda raw=None: Tile(out, raw, rows=rows, cols=cols, space="L0C", layout="NZ",
                                          fractal=1024, valid=(m, n))
            start = (np.random.default_rng(33).integers(-2**31, 2**31 - 1, (m, n), dtype=np.int32)
                     if dtype == "i8" else values_of("f32", 33, (m, n)))
            bias = start[:1, ::-1]
            if dtype == "i8":
                plain = a.astype(np.int32) @ b.astype(np.int32)
                results = plain, plain + start, plain + bias
            else:
                zero = np.zeros((m, n), np.float32)
                results = (product(a, b, zero, None), product(a, b, start, None),
                           product(a, b, zero, bias))
            name = f"{dtype}.{arch}"
            raw = [to_bits(out, r) for r in results]
            table = Tile(out, to_bits(out, bias), cols=cols, space="BIAS")
            book.case(f"TMATMUL.{name}", "TMATMUL", [empty(), left, right], {0: raw[0]}, arch=arch)
            book.case(f"TMATMUL_ACC.{name}", "TMATMUL_ACC",
                      [empty(), empty(to_bits(out, start)), left, right], {0: raw[1]}, arch=arch)
            book.case(f"TMATMUL_BIAS.{name}", "TMATMUL_BIAS", [empty(), left, right, table],
                      {0: raw[2]}, arch=arch)
    # A vector: one row of a, in one-line boxes.
    a, b = values_of("f16", 34, (1, 37)), values_of("f16", 35, (37, 21))
    left, right, rows, cols = tiles("a2a3", "f16", a, b, 1, 21)
    start = values_of("f32", 36, (1, 21))
    empty = lambda raw=None: Tile("f32", raw, rows=16, cols=cols, space="L0C", layout="NZ",
                                  fractal=1024, valid=(1, 21))
    zero = np.zeros((1, 21), np.float32)
    table = Tile("f32", to_bits("f32", start), cols=cols, space="BIAS")
    book.case("TGEMV.f16", "TGEMV", [empty(), left, right],
              {0: to_bits("f32", product(a, b, zero, None))})
    book.case("TGEMV_ACC.f16", "TGEMV_ACC", [empty(), empty(to_bits("f32", start)), left, right],
              {0: to_bits("f32", product(a, b, start, None))})
    book.case("TGEMV_BIAS.f16", "TGEMV_BIAS", [empty(), left, right, table],
              {0: to_bits("f32", product(a, b, zero, start))})
