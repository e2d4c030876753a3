"""Block-scaled quantisation, gathers by comparison, indexed concatenation, second results, fixpipe
scaling to small floats."""
from decimal import Decimal, getcontext
from fractions import Fraction
from math import frexp

import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, bf16_round, carrier, round_fraction, to_bits
from goldens_fused import plain
from goldens_moves import dense_view, random_bits


def values_of(dtype):
    """(magnitude, code) of the finite non-negative values of an 8- or 4-bit float."""
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
    return negative | min(values_of(dtype), key=lambda v: (abs(v[0] - exact), v[1] & 1))[1]


def shared_exponent(largest, fp4, nvidia):
    if np.isnan(largest):
        return 255
    if nvidia:
        with np.errstate(all="ignore"):
            quotient = np.float32(largest) * (np.float32(1) / np.float32(6 if fp4 else 448))
        if np.isinf(quotient):
            return 254
        code = 0
        while code < 254 and Fraction(2) ** (code - 127) < Fraction(float(quotient)):
            code += 1
        return code
    if np.isinf(largest):
        return 255 - (2 if fp4 else 8)
    if largest < 2.0 ** -126:
        return 0
    return max(0, frexp(float(largest))[1] - 1 + 127 - (2 if fp4 else 8))


def mx_quantised(source, fp4, nvidia, down):
    data = source.T if down else source
    groups = data.reshape(data.shape[0], -1, 32).astype(np.float64)
    largest = np.max(np.abs(groups), axis=2)
    exponents = np.array([[shared_exponent(m, fp4, nvidia) for m in row] for row in largest])
    scaling = np.where(exponents == 255, np.nan, 2.0 ** (127.0 - exponents))
    with np.errstate(all="ignore"):
        scaled = groups * scaling[..., None]
    codes = np.vectorize(lambda v: encode("e2m1" if fp4 else "e4m3", v), otypes=[np.uint8])(scaled)
    codes = codes.reshape(data.shape)
    turn = (lambda x: x.T) if down else (lambda x: x)
    return turn(codes), turn(exponents).astype(np.uint8), turn(largest), turn(scaling)


def add_cases(book):
    block_scaled(book)
    compared(book)
    concatenated(book)
    second_results(book)
    small_floats(book)
    powers(book)
    book.case("TPREFETCH.f16", "TPREFETCH",
              [Tile("f16", None, valid=(5, 11)),
               dense_view("f16", random_bits("f16", 201, (5, 11)), "ND", 37)], {})


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


def block_scaled(book):
    for dtype, fp4 in (("f32", 0), ("f16", 0), ("bf16", 0), ("f16", 1), ("bf16", 1)):
        for nvidia in (0, 1):
            for down in (0, 1):
                shape = (64, 19) if down else (3, 96)
                values = plain("f32", 202, shape) * np.float32(37)
                values = values * np.float32(2.0) ** np.round(plain("f32", 203, shape) / 4)
                line = (slice(0, 32), 1) if down else (1, slice(0, 32))
                values[line] = 0
                line = (slice(32, 64), 2) if down else (2, slice(32, 64))
                special = np.full(32, 2.0 ** -9, np.float32)
                special[5], special[9] = np.float32(448), -np.float32("inf")
                values[line] = special
                values[(40, 3) if down else (0, 70)] = np.nan
                values[(33, 4) if down else (1, 65)] = np.float32(2.0 ** -14)
                if dtype == "f16":
                    values = values.astype(np.float16).astype(np.float32)
                if dtype == "bf16":
                    values = bf16_round(values)
                raw = to_bits(dtype, values.astype(np.float16) if dtype == "f16" else values)
                codes, exponents, largest, scaling = mx_quantised(values, fp4, nvidia, down)
                factors = to_bits("f32" if dtype == "f32" else "bf16", scaling.astype(np.float32))
                maxima = to_bits(dtype, largest.astype(np.float16 if dtype == "f16" else np.float32))
                if down:
                    side = lambda t, bits: (Tile(t, None, valid=bits.shape), bits)
                else:
                    # Compact, whatever the rows of the tile are.
                    def side(t, bits):
                        tile = Tile(t, None, rows=3, valid=bits.shape)
                        image = tile.before.copy()
                        image[: bits.size] = bits.ravel()
                        return tile, image
                maximum, factor = side(dtype, maxima), side(dtype, factors)
                book.case(f"TQUANT_MX.{dtype}.{'e2m1' if fp4 else 'e4m3'}."
                          f"{'nv' if nvidia else 'ocp'}.axis{1 - down}", "TQUANT_MX",
                          [Tile("e2m1" if fp4 else "u8", None, valid=shape), Tile(dtype, raw),
                           Tile("u8", None, valid=exponents.shape), maximum[0], factor[0]],
                          {0: codes, 2: exponents, 3: maximum[1], 4: factor[1]}, arch="a5",
                          quant_type="MXFP4_E2M1" if fp4 else "MXFP8",
                          quantScaleAlg="nv" if nvidia else "ocp", grpAxis=f"axis{1 - down}")
    for dtype, fp4 in (("f16", 0), ("bf16", 0), ("bf16", 1)):
        values = plain("f32", 213, (128, 19)) * np.float32(2.0) ** np.round(plain("f32", 214, (128, 19)) / 4)
        values = bf16_round(values) if dtype == "bf16" else values.astype(np.float16).astype(np.float32)
        raw = to_bits(dtype, values if dtype == "bf16" else values.astype(np.float16))
        codes, exponents, largest, scaling = mx_quantised(values, fp4, 0, 1)
        pairs = exponents.reshape(2, 2, 19).transpose(0, 2, 1).reshape(2, 38)
        kind = np.float16 if dtype == "f16" else np.float32
        book.case(f"TQUANT_MX.{dtype}.{'e2m1' if fp4 else 'e4m3'}.interleave", "TQUANT_MX",
                  [Tile("e2m1" if fp4 else "u8", None, valid=(128, 19)), Tile(dtype, raw),
                   Tile("u8", None, valid=(2, 38)), Tile(dtype, None, valid=(4, 19)),
                   Tile(dtype, None, valid=(4, 19))],
                  {0: codes, 2: pairs, 3: to_bits(dtype, largest.astype(kind)),
                   4: to_bits("bf16", scaling.astype(np.float32))}, arch="a5",
                  quant_type="MXFP4_E2M1" if fp4 else "MXFP8", grpAxis="axis0", interleave="true")
    flat = plain("f32", 204, (2, 64))
    codes, exponents, largest, scaling = mx_quantised(flat, 0, 0, 0)
    book.case("TQUANT_MX.flat", "TQUANT_MX",
              [Tile("e4m3", None, valid=(2, 64)), Tile("f32", to_bits("f32", flat)),
               Tile("e8m0", None, valid=(1, 4)), Tile("f32", None, valid=(1, 4)),
               Tile("f32", None, valid=(1, 4))],
              {0: codes, 2: exponents.reshape(1, 4),
               3: to_bits("f32", largest.astype(np.float32)).reshape(1, 4),
               4: to_bits("f32", scaling.astype(np.float32)).reshape(1, 4)}, arch="a5",
              quant_type="MXFP8")


def compared(book):
    shape = (4, 37)
    for dtype, arch in (("f32", "a2a3"), ("f16", "a2a3"), ("i32", "a5"), ("u16", "a5")):
        values = inputs(dtype, 205, shape)
        values[:, ::5] = values[2, 9] if dtype[0] in "iu" else values.dtype.type(1.5)
        threshold = values[0, 5]
        for mode, function in (("eq", np.equal), ("gt", np.greater)):
            dst = Tile("i32", None, valid=shape)
            after, counts = dst.before.copy(), Tile("u32", None, valid=(1, 4))
            number = np.zeros((1, 4), np.uint32)
            for row in range(4):
                hits = np.flatnonzero(function(values[row], threshold)) + 100
                after[dst.index[row, : len(hits)]] = hits
                number[0, row] = len(hits)
            book.case(f"TGATHER.compare.{dtype}.{mode}", "TGATHER",
                      [dst, Tile(dtype, to_bits(dtype, values)), None, Scalar(dtype, threshold),
                       None, counts], {0: after, 5: number}, arch=arch, cmpMode=mode, offset=100)


def concatenated(book):
    a, b = random_bits("f16", 206, (5, 20)), random_bits("f16", 207, (5, 30))
    for index in ("i32", "u8"):
        size = 4 if index == "i32" else 1
        first, second = np.array([3, 20, 0, 25, 20]), np.array([4, 30, 7, 2, 29])
        dst = Tile("f16", None, cols=48, valid=(5, 40))
        after, total = dst.before.copy(), np.zeros((5, 1), carrier(index))
        for row in range(5):
            line = np.concatenate([a[row, : first[row]], b[row, : second[row]]])[:40]
            after[dst.index[row, : len(line)]] = line
            total[row] = len(line) * size
        column = lambda v: Tile(index, (v * size)[:, None])
        book.case(f"TCONCATIDX.{index}", "TCONCATIDX",
                  [dst, Tile("f16", a), Tile("f16", b), column(first), column(second),
                   Tile(index, None, valid=(5, 1))], {0: after, 5: total})


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


def small_floats(book):
    """The fixpipe on a5: f32 times a scale in e4m3, f32, f16 and bf16."""
    shape = (21, 19)
    values = plain("f32", 212, shape) * np.float32(30)
    scale = np.float32(0.71875)
    acc = Tile("f32", to_bits("f32", values), rows=32, cols=32, space="L0C", layout="NZ",
               fractal=1024)
    scaled = values * scale
    results = {
        "e4m3": np.vectorize(lambda v: encode("e4m3", v), otypes=[np.uint8])(scaled),
        "f32": to_bits("f32", scaled), "f16": to_bits("f16", scaled.astype(np.float16)),
        "bf16": to_bits("bf16", bf16_round(scaled)),
    }
    for dtype, raw in results.items():
        target = lambda r: dense_view(dtype, r, "ND", 25)
        book.case(f"TSTORE.scaled.{dtype}", "TSTORE",
                  [target(raw * 0), acc, None, Scalar("f32", scale)], {0: target(raw).before},
                  arch="a5")
