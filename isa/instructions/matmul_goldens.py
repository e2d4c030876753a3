"""Golden cases of isa/instructions/matmul.def."""
from fractions import Fraction

import numpy as np

from goldens_cases import Tile, bf16_round, round_fraction, to_bits, width
from goldens_fused import plain
from goldens_types import FLOAT8, TABLES, codes_for, values_of_code

E4M3 = [(-1) ** (c >> 7) * ((c & 7) * 2.0**-9 if not c >> 3 & 15 else
                            (1 + (c & 7) / 8) * 2.0 ** ((c >> 3 & 15) - 7)) for c in range(256)]
E2M1 = [(-1) ** (c >> 3) * [0, 0.5, 1, 1.5, 2, 3, 4, 6][c & 7] for c in range(16)]


def add_cases(book):
    small_products(book)
    block_scaled(book)
    products(book)
    rounded_factors(book)


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


def small_products(book):
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
            if arch == "a2a3":  # b has rows behind k, in the inner boxes that k ends in
                taller = np.concatenate([b, values_of(dtype, 38, (3, n))])
                book.case(f"TMATMUL.{name}.rows_behind_k", "TMATMUL",
                          [empty(), left, tiles(arch, dtype, a, taller, m, n)[1]], {0: raw[0]}, arch=arch)
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


def block_scaled(book):
    m, k, n = 3, 64, 5
    rng = np.random.default_rng(161)
    for dtype, table in (("e4m3", E4M3), ("e2m1", E2M1)):
        limit = len(table)
        a = rng.integers(0, limit, (m, k), dtype=np.uint8)
        b = rng.integers(0, limit, (k, n), dtype=np.uint8)
        if dtype == "e4m3":  # no NaN
            a[a & 127 == 127] = 0
            b[b & 127 == 127] = 0
        sa = rng.integers(117, 137, (m, k // 32), dtype=np.uint8)
        sb = rng.integers(117, 137, (k // 32, n), dtype=np.uint8)
        table = np.array(table, np.float32)
        left = table[a] * np.repeat(2.0 ** (sa.astype(np.float32) - 127), 32, 1)
        right = table[b] * np.repeat(2.0 ** (sb.astype(np.float32) - 127), 32, 0)
        start = rng.standard_normal((m, n)).astype(np.float32)
        zero = np.zeros((m, n), np.float32)
        acc = lambda raw=None: Tile("f32", raw, rows=16, cols=16, space="L0C", layout="NZ",
                                    fractal=1024, valid=(m, n))
        factors = [Tile(dtype, a, rows=16, cols=64, space="L0A", layout="NZ"),
                   Tile("e8m0", sa, rows=16, cols=2, space="SCALEA", layout="ZZ", fractal=32),
                   Tile(dtype, b, rows=64, cols=16, space="L0B", layout="ZN"),
                   Tile("e8m0", sb, rows=2, cols=16, space="SCALEB", layout="NN", fractal=32)]
        bias = Tile("f32", to_bits("f32", start[:1]), cols=16, space="BIAS")
        bits = lambda v: to_bits("f32", v)
        book.case(f"TMATMUL_MX.{dtype}", "TMATMUL_MX", [acc()] + factors,
                  {0: bits(product(left, right, zero, None))}, arch="a5")
        book.case(f"TMATMUL_MX_ACC.{dtype}", "TMATMUL_MX_ACC", [acc(), acc(bits(start))] + factors,
                  {0: bits(product(left, right, start, None))}, arch="a5")
        book.case(f"TMATMUL_MX_BIAS.{dtype}", "TMATMUL_MX_BIAS", [acc()] + factors + [bias],
                  {0: bits(product(left, right, zero, start[:1]))}, arch="a5")
        if dtype != "e4m3":
            continue
        m1 = 1
        acc = lambda raw=None: Tile("f32", raw, rows=16, cols=16, space="L0C", layout="NZ",
                                    fractal=1024, valid=(m1, n))
        factors[0] = Tile(dtype, a[:1], rows=16, cols=64, space="L0A", layout="NZ")
        factors[1] = Tile("e8m0", sa[:1], rows=16, cols=2, space="SCALEA", layout="ZZ", fractal=32)
        book.case("TGEMV_MX", "TGEMV_MX", [acc()] + factors,
                  {0: bits(product(left[:1], right, zero[:1], None))}, arch="a5")
        book.case("TGEMV_MX_ACC", "TGEMV_MX_ACC", [acc(), acc(bits(start[:1]))] + factors,
                  {0: bits(product(left[:1], right, start[:1], None))}, arch="a5")
        book.case("TGEMV_MX_BIAS", "TGEMV_MX_BIAS", [acc()] + factors + [bias],
                  {0: bits(product(left[:1], right, zero[:1], start[:1]))}, arch="a5")


def factor(dtype, seed, shape):
    """(element bits, values) of a factor of a product."""
    if dtype in TABLES:
        codes = codes_for(dtype, seed, shape)
        return codes, values_of_code(dtype, codes)
    if dtype == "i8":
        values = np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)
        return values.view(np.uint8), values
    rng = np.random.default_rng(seed)
    values = (rng.standard_normal(shape) * 2.0 ** rng.integers(-6, 6, shape)).astype(np.float32)
    if dtype == "f16":
        values = values.astype(np.float16)
    if dtype == "bf16":
        values = bf16_round(values)
    return to_bits(dtype, values), values


def products(book):
    cube = ("i8", "f16", "bf16", "f32")
    for arch, types in (("a2a3", cube), ("a5", cube + FLOAT8)):
        for dtype in types:
            for name, m in (("TMATMUL", 3), ("TGEMV", 1)):
                product_cases(book, name, arch, dtype, dtype, m)
    rounded_products(book)
    product_cases(book, "TMATMUL", "a5", "e4m3", "e5m2", 3)
    product_cases(book, "TMATMUL", "a5", "e5m2", "e4m3", 3)
    for left in ("e4m3", "e5m2", "e2m1", "e1m2"):
        for right in ("e4m3", "e5m2", "e2m1", "e1m2"):
            if (width(left) == 4) == (width(right) == 4):
                for name, m in (("TMATMUL_MX", 3), ("TGEMV_MX", 1)):
                    scaled_product_cases(book, name, left, right, m)


def product_cases(book, name, arch, dtype, other, m):
    k, n = 19, 5
    unit = 256 // width(dtype)
    depth = -(-k // max(unit, 16)) * max(unit, 16)
    raw_a, a = factor(dtype, 351, (m, k))
    raw_b, b = factor(other, 352, (k, n))
    out = "i32" if dtype == "i8" else "f32"
    left = Tile(dtype, raw_a, rows=16 if m > 1 else 1, cols=depth, space="L0A",
                layout="ZZ" if arch == "a2a3" else "NZ")
    right = Tile(other, raw_b, rows=depth, cols=16, space="L0B", layout="ZN")
    acc = lambda raw=None: Tile(out, raw, rows=16, cols=16, space="L0C", layout="NZ", fractal=1024,
                                valid=(m, n))
    if out == "i32":
        start = np.random.default_rng(353).integers(-2**20, 2**20, (m, n)).astype(np.int32)
        plain_sum = a.astype(np.int32) @ b.astype(np.int32)
        results = plain_sum, plain_sum + start, plain_sum + start[:1]
    else:
        start = np.random.default_rng(353).standard_normal((m, n)).astype(np.float32)
        zero = np.zeros((m, n), np.float32)
        results = (product(a, b, zero, None), product(a, b, start, None),
                   product(a, b, zero, start[:1]))
    raw = [to_bits(out, r) for r in results]
    table = Tile(out, to_bits(out, start[:1]), cols=16, space="BIAS")
    tag = f"types.{arch}.{dtype}" + ("" if dtype == other else f"_{other}")
    book.case(f"{name}.{tag}", name, [acc(), left, right], {0: raw[0]}, arch=arch)
    book.case(f"{name}_ACC.{tag}", f"{name}_ACC", [acc(), acc(to_bits(out, start)), left, right],
              {0: raw[1]}, arch=arch)
    book.case(f"{name}_BIAS.{tag}", f"{name}_BIAS", [acc(), left, right, table], {0: raw[2]},
              arch=arch)


def to_fraction_bits(values, kept, away):
    """Finite floats to `kept` fraction bits, to nearest; ties away from zero or to even."""
    def one(value):
        if value == 0:
            return value
        exact = Fraction(float(value))
        unit = Fraction(2) ** (max(int(np.floor(np.log2(abs(float(value))))), -126) - kept)
        count = exact / unit
        whole = round(count)
        if away and abs(count - int(count)) == Fraction(1, 2):
            whole = int(count) + (1 if count > 0 else -1)
        return float(whole * unit)
    return np.vectorize(one, otypes=[np.float32])(values)


def rounded_products(book):
    for arch, word, kept in (("a5", "tf32", 10), ("a2a3", "hf32", 11)):
        for mode in ("away", "even"):
            raw, values = factor("f32", 357, (3, 19))
            _, b = factor("f32", 358, (19, 5))
            # Half way between two neighbours, and next to that point.
            for i, step in enumerate((2 ** (22 - kept), 3 * 2 ** (22 - kept), 2 ** (22 - kept) + 1)):
                one = np.array([0x3F800000 + step], np.uint32)
                values[0, 3 * i], values[1, 3 * i] = one.view(np.float32)[0], -one.view(np.float32)[0]
            a, used = to_bits("f32", values), to_fraction_bits(values, kept, mode == "away")
            result = product(used, to_fraction_bits(b, kept, mode == "away"),
                             np.zeros((3, 5), np.float32), None)
            left = Tile("f32", a, rows=16, cols=32, space="L0A",
                        layout="ZZ" if arch == "a2a3" else "NZ")
            right = Tile("f32", to_bits("f32", b), rows=32, cols=16, space="L0B", layout="ZN")
            book.case(f"TMATMUL.{word}.{mode}", "TMATMUL",
                      [Tile("f32", None, rows=16, cols=16, space="L0C", layout="NZ", fractal=1024,
                            valid=(3, 5)), left, right], {0: to_bits("f32", result)}, arch=arch,
                      tf32_mode=f"{word}_round_{mode}")


def scaled_product_cases(book, name, left_type, right_type, m):
    k, n = 64, 3
    raw_a, a = factor(left_type, 354, (m, k))
    raw_b, b = factor(right_type, 355, (k, n))
    rng = np.random.default_rng(356)
    sa = rng.integers(120, 134, (m, 2), dtype=np.uint8)
    sb = rng.integers(120, 134, (2, n), dtype=np.uint8)
    a = a * np.repeat(2.0 ** (sa.astype(np.float64) - 127), 32, 1)
    b = b * np.repeat(2.0 ** (sb.astype(np.float64) - 127), 32, 0)
    start = rng.standard_normal((m, n)).astype(np.float32)
    zero = np.zeros((m, n), np.float32)
    acc = lambda raw=None: Tile("f32", raw, rows=16, cols=16, space="L0C", layout="NZ",
                                fractal=1024, valid=(m, n))
    factors = [Tile(left_type, raw_a, rows=16, cols=64, space="L0A", layout="NZ"),
               Tile("e8m0", sa, rows=16, cols=2, space="SCALEA", layout="ZZ", fractal=32),
               Tile(right_type, raw_b, rows=64, cols=64 if width(right_type) == 4 else 32,
                    space="L0B", layout="ZN"),
               Tile("e8m0", sb, rows=2, cols=16, space="SCALEB", layout="NN", fractal=32)]
    bits = lambda v: to_bits("f32", v)
    bias = Tile("f32", bits(start[:1]), cols=16, space="BIAS")
    tag = f"types.{left_type}_{right_type}"
    book.case(f"{name}.{tag}", name, [acc()] + factors, {0: bits(product(a, b, zero, None))},
              arch="a5")
    book.case(f"{name}_ACC.{tag}", f"{name}_ACC", [acc(), acc(bits(start))] + factors,
              {0: bits(product(a, b, start, None))}, arch="a5")
    book.case(f"{name}_BIAS.{tag}", f"{name}_BIAS", [acc()] + factors + [bias],
              {0: bits(product(a, b, zero, start[:1]))}, arch="a5")


def rounded_factors(book):
    """f32 factors with fewer fraction bits, in the forms with an accumulator, a bias, one row."""
    for arch, kept, word in (("a2a3", 11, "hf32"), ("a5", 10, "tf32")):
        for m, family in ((5, "TMATMUL"), (1, "TGEMV")):
            a, b = plain("f32", 508, (m, 24)), plain("f32", 509, (24, 19))
            start, bias = plain("f32", 510, (m, 19)), plain("f32", 511, (1, 19))
            zero = np.zeros((m, 19), np.float32)
            acc = lambda raw=None: Tile("f32", raw, rows=16, cols=32, space="L0C", layout="NZ",
                                        fractal=1024, valid=(m, 19))
            left = Tile("f32", to_bits("f32", a), rows=16 if m > 1 else 1, cols=24, space="L0A",
                        layout="ZZ" if arch == "a2a3" else "NZ")
            right = Tile("f32", to_bits("f32", b), rows=24, cols=32, space="L0B", layout="ZN")
            table = Tile("f32", to_bits("f32", bias), cols=32, space="BIAS")
            for away in (True, False):
                mode = f"{word}_round_{'away' if away else 'even'}"
                ra, rb = to_fraction_bits(a, kept, away), to_fraction_bits(b, kept, away)

                def case(form, operands, start_at, added):
                    book.case(f"{family}{form}.{mode}", f"{family}{form}", operands,
                              {0: to_bits("f32", product(ra, rb, start_at, added))}, arch=arch,
                              tf32_mode=mode)

                case("_ACC", [acc(), acc(to_bits("f32", start)), left, right], start, None)
                case("_BIAS", [acc(), left, right, table], zero, bias)
                if m == 1:
                    case("", [acc(), left, right], zero, None)
