"""Every instruction with every type of an architecture that the other files leave out."""
from fractions import Fraction

import numpy as np

from goldens_arithmetic import FLOATS, INTEGERS, inputs, native, ordered, truncated_division
from goldens_cases import Scalar, Tile, bf16_round, carrier, from_bits, to_bits, width
from goldens_fused import packed, plain
from goldens_moves import dense_view, random_bits
from goldens_rows import sequential

ALL9 = ("f32", "f16", "bf16") + INTEGERS[:6]
ALL11 = ALL9 + ("i64", "u64")
S4 = ("f32", "f16", "i16", "i32")
LOW = ("e4m3", "e5m2", "e8m0", "hif8", "e2m1", "e1m2")
FLOAT8 = ("e4m3", "e5m2", "hif8")
B16B32 = ("f32", "f16", "bf16", "i16", "u16", "i32", "u32")


def small_float(exponent_bits, fraction_bits, bias, infinity):
    """Values of a small float by its fields; NaN codes as None."""
    values = []
    for code in range(1 << (1 + exponent_bits + fraction_bits)):
        sign = -1 if code >> (exponent_bits + fraction_bits) else 1
        exponent = code >> fraction_bits & ((1 << exponent_bits) - 1)
        fraction = code & ((1 << fraction_bits) - 1)
        if infinity and exponent == (1 << exponent_bits) - 1:
            values.append(sign * float("inf") if fraction == 0 else None)
            continue
        scale = Fraction(2) ** (max(exponent, 1) - bias - fraction_bits)
        values.append(sign * float((fraction + ((1 << fraction_bits) if exponent else 0)) * scale))
    return values


def hif8_values():
    """HiFloat8: sign, a prefix that gives the length of the exponent, exponent, mantissa."""
    values = []
    for code in range(256):
        sign = -1 if code >> 7 else 1
        rest = code & 0x7F
        if rest == 0:
            values.append(0.0 if sign > 0 else None)
            continue
        if rest == 0x6F:
            values.append(sign * float("inf"))
            continue
        bits = f"{rest:07b}"
        for prefix, length in (("11", 4), ("10", 3), ("01", 2), ("001", 1), ("0001", 0)):
            if bits.startswith(prefix):
                break
        else:
            values.append(sign * 2.0 ** ((rest & 7) - 23))
            continue
        field = bits[len(prefix): len(prefix) + length]
        mantissa = bits[len(prefix) + length:]
        exponent = 0
        if length:
            exponent = int("1" + field[1:], 2) * (-1 if field[0] == "1" else 1)
        values.append(sign * 2.0 ** exponent * (1 + int(mantissa, 2) / 2 ** len(mantissa)))
    return values


TABLES = {"e4m3": small_float(4, 3, 7, False), "e5m2": small_float(5, 2, 15, True),
          "e2m1": small_float(2, 1, 1, False), "e1m2": small_float(1, 2, 1, False),
          "hif8": hif8_values()}
TABLES["e4m3"][0x7F] = TABLES["e4m3"][0xFF] = None


def values_of_code(dtype, codes):
    table = np.array([np.nan if v is None else v for v in TABLES[dtype]], np.float64)
    return table[codes]


def codes_for(dtype, seed, shape):
    """Codes of finite values."""
    finite = [c for c, v in enumerate(TABLES[dtype]) if v is not None and abs(v) < 1e6]
    return np.random.default_rng(seed).choice(finite, shape).astype(np.uint8)


def raw_inputs(dtype, seed, shape):
    return random_bits(dtype, seed, shape)


def arch_for(dtype, a2a3):
    return "a2a3" if dtype in a2a3 else "a5"


def add_cases(book):
    bits_moved(book)
    rows_and_columns(book)
    lanes(book)
    indexed(book)


def bits_moved(book):
    """Instructions that copy bits, with arbitrary patterns."""
    for dtype in ALL11 + LOW:
        arch = arch_for(dtype, ALL11)
        unit = 256 // width(dtype)
        raw = raw_inputs(dtype, 301, (3, unit))
        book.case(f"TLOAD.types.{dtype}", "TLOAD",
                  [Tile(dtype, None, valid=raw.shape), dense_view(dtype, raw, "ND", 2 * unit)],
                  {0: raw}, arch=arch)
        target = lambda r: dense_view(dtype, r, "ND", 2 * unit)
        book.case(f"TSTORE.types.{dtype}", "TSTORE", [target(raw * 0), Tile(dtype, raw)],
                  {0: target(raw).before}, arch=arch)
        book.case(f"TMOV.types.{dtype}", "TMOV", [Tile(dtype, None, valid=raw.shape), Tile(dtype, raw)],
                  {0: raw}, arch=arch)
        arch = arch_for(dtype, ALL9)
        wide = raw_inputs(dtype, 302, (5, 2 * unit))
        index = lambda v: Scalar("i64", v)
        book.case(f"TEXTRACT.types.{dtype}", "TEXTRACT",
                  [Tile(dtype, None, valid=(3, unit)), Tile(dtype, wide), index(2), index(unit)],
                  {0: wide[2:, unit:]}, arch=arch)
        parent = Tile(dtype, wide)
        after = parent.before.copy()
        after[parent.index[1:4, unit:]] = raw
        book.case(f"TINSERT.types.{dtype}", "TINSERT",
                  [parent, Tile(dtype, raw), index(1), index(unit)], {0: after}, arch=arch)
        if width(dtype) < 64:
            valid = (3, unit) if width(dtype) == 4 else (3, unit - 1)
            part = raw_inputs(dtype, 303, (2 * unit if width(dtype) == 4 else unit, unit))
            part = part[: valid[1] if width(dtype) != 4 else 2 * unit]
            book.case(f"TTRANS.types.{dtype}", "TTRANS",
                      [Tile(dtype, None, valid=part.T.shape), Tile(dtype, part)], {0: part.T},
                      arch=arch)
    for dtype in ALL9:
        raw, other = raw_inputs(dtype, 304, (3, 9)), raw_inputs(dtype, 305, (3, 11))
        unit = 256 // width(dtype)
        cols = -(-20 // unit) * unit
        book.case(f"TCONCAT.types.{dtype}", "TCONCAT",
                  [Tile(dtype, None, cols=cols, valid=(3, 20)), Tile(dtype, raw), Tile(dtype, other)],
                  {0: np.hstack([raw, other])})
        lengths = np.array([[3], [9], [0]]), np.array([[4], [11], [5]])
        dst = Tile(dtype, None, cols=cols, valid=(3, 20))
        after = dst.before.copy()
        for row in range(3):
            line = np.concatenate([raw[row, : lengths[0][row, 0]], other[row, : lengths[1][row, 0]]])
            after[dst.index[row, : len(line)]] = line
        book.case(f"TCONCATIDX.types.{dtype}", "TCONCATIDX",
                  [dst, Tile(dtype, raw), Tile(dtype, other)] +
                  [Tile("i32", (v * 4).astype(np.uint32)) for v in lengths], {0: after})
        floats = {"f32": (0x7F800000, 0xFF800000), "f16": (0x7C00, 0xFC00), "bf16": (0x7F80, 0xFF80)}
        size = width(dtype)
        high, low = floats.get(dtype) or (
            ((1 << size - 1) - 1, 1 << size - 1) if dtype[0] == "i" else ((1 << size) - 1, 0))
        for pad, value in ((2, high), (3, low)):
            for opcode, shape in (("TFILLPAD", (4, unit)), ("TFILLPAD_INPLACE", (4, unit)),
                                  ("TFILLPAD_EXPAND", (5, 2 * unit))):
                source = raw_inputs(dtype, 306, (3, unit - 1))
                filled = np.full(shape, value, carrier(dtype))
                filled[:3, : unit - 1] = source
                book.case(f"{opcode}.types.{dtype}.{pad}", opcode,
                          [Tile(dtype, None, pad=pad, valid=shape), Tile(dtype, source, rows=4)],
                          {0: filled})
        a, b = raw_inputs(dtype, 307, (3, unit)), raw_inputs(dtype, 308, (3, unit))
        mixed = np.stack([a, b], -1).reshape(3, 2 * unit)
        empty = lambda: Tile(dtype, None, valid=(3, unit))
        book.case(f"TINTERLEAVE.types.{dtype}", "TINTERLEAVE",
                  [empty(), empty(), Tile(dtype, b), Tile(dtype, a)],
                  {0: mixed[:, unit:], 1: mixed[:, :unit]}, arch="a5")
        both = np.hstack([a, b])
        book.case(f"TDEINTERLEAVE.types.{dtype}", "TDEINTERLEAVE",
                  [empty(), empty(), Tile(dtype, b), Tile(dtype, a)],
                  {0: both[:, 1::2], 1: both[:, 0::2]}, arch="a5")


def rows_and_columns(book):
    shape = (5, 37)
    column_tile = lambda dtype, raw: Tile(dtype, raw, rows=32, cols=1, layout="DN", valid=(5, 1))
    for dtype in ALL11:
        raw = to_bits(dtype, inputs(dtype, 311, shape))
        arch = arch_for(dtype, ALL9)
        book.case(f"TROWEXPAND.types.{dtype}", "TROWEXPAND",
                  [Tile(dtype, None, valid=shape), column_tile(dtype, raw[:, :1])],
                  {0: np.repeat(raw[:, :1], shape[1], 1)}, arch=arch)
        book.case(f"TCOLEXPAND.types.{dtype}", "TCOLEXPAND",
                  [Tile(dtype, None, valid=shape), Tile(dtype, raw[:1])],
                  {0: np.repeat(raw[:1], shape[0], 0)}, arch=arch)
    for dtype in ALL11:
        a = inputs(dtype, 312, shape)
        arch = arch_for(dtype, S4)
        kinds = {"SUM": ALL11, "MAX": ALL11, "MIN": ALL11,
                 "PROD": ("f32", "f16", "bf16", "i16", "u16", "i32", "u32")}
        for kind, types in kinds.items():
            if dtype in types:
                book.case(f"TCOL{kind}.types.{dtype}", f"TCOL{kind}",
                          [Tile(dtype, None, valid=(1, shape[1])), Tile(dtype, to_bits(dtype, a))],
                          {0: sequential(dtype, kind, list(a))[None]}, arch=arch)
        by_row = {"SUM": ("i64", "u64"), "MAX": ("i8", "u8", "i64", "u64"),
                  "MIN": ("i8", "u8", "i64", "u64")}
        for kind, types in by_row.items():
            if dtype in types:
                lines = [a[:, j] for j in range(shape[1])]
                book.case(f"TROW{kind}.types.{dtype}", f"TROW{kind}",
                          [column_tile(dtype, None), Tile(dtype, to_bits(dtype, a))],
                          {0: sequential(dtype, kind, lines)[:, None]}, arch=arch)
    for dtype in ALL9:
        a, b = inputs(dtype, 313, shape), inputs(dtype, 314, shape)
        pick = (lambda f: lambda x, y: ordered(x, y, f)) if dtype in FLOATS else (lambda f: f)
        divide = np.divide if dtype in FLOATS else truncated_division
        kinds = {"ADD": np.add, "SUB": np.subtract, "MUL": np.multiply, "DIV": divide,
                 "MAX": pick(np.fmax), "MIN": pick(np.fmin)}
        for kind, function in kinds.items():
            arch = arch_for(dtype, ("f32", "f16") if kind == "DIV" else S4)
            column = np.repeat(b[:, 3:4], shape[1], 1)
            book.case(f"TROWEXPAND{kind}.types.{dtype}", f"TROWEXPAND{kind}",
                      [Tile(dtype, None, valid=shape), Tile(dtype, to_bits(dtype, a)),
                       column_tile(dtype, to_bits(dtype, b[:, 3:4]))],
                      {0: native(dtype, function, a, column)}, arch=arch)
            line = np.repeat(b[2:3], shape[0], 0)
            book.case(f"TCOLEXPAND{kind}.types.{dtype}", f"TCOLEXPAND{kind}",
                      [Tile(dtype, None, valid=shape), Tile(dtype, to_bits(dtype, a)),
                       Tile(dtype, to_bits(dtype, b[2:3]))],
                      {0: native(dtype, function, a, line)}, arch=arch)
    for dtype in ALL9:
        a = inputs(dtype, 315, shape)
        a[:, 20], a[3] = a[:, 3], a[1]
        for kind, function, worst in (("MAX", np.argmax, -1), ("MIN", np.argmin, 1)):
            key = a
            if dtype in FLOATS:
                key = np.where(np.isnan(a), worst * np.float64("inf"), a.astype(np.float64))
            if dtype in B16B32:
                book.case(f"TROWARG{kind}.types.{dtype}", f"TROWARG{kind}",
                          [Tile("i32", None, rows=8, cols=1, layout="DN", valid=(5, 1)),
                           Tile(dtype, to_bits(dtype, a))],
                          {0: function(key, 1).astype(np.uint32)[:, None]}, arch=arch_for(dtype, S4))
            book.case(f"TCOLARG{kind}.types.{dtype}", f"TCOLARG{kind}",
                      [Tile("u32", None, valid=(1, 37)), Tile(dtype, to_bits(dtype, a))],
                      {0: function(key, 0).astype(np.uint32)[None]},
                      arch=arch_for(dtype, ("f32", "f16", "u16", "u32")))


def lanes(book):
    shape = (3, 21)
    tile = lambda dtype, v: Tile(dtype, to_bits(dtype, v))
    empty = lambda dtype: Tile(dtype, None, valid=shape)
    for dtype in ("i16", "i32"):
        a, b = inputs(dtype, 321), inputs(dtype, 322)
        total = (a + b).astype(a.dtype)
        book.case(f"TADDRELU.types.{dtype}", "TADDRELU", [empty(dtype), tile(dtype, a), tile(dtype, b)],
                  {0: to_bits(dtype, np.maximum(total, 0))})
    compare = {"eq": np.equal, "lt": np.less, "ge": np.greater_equal}
    for dtype in ALL11:
        a, b = inputs(dtype, 323), inputs(dtype, 324)
        b[:, ::3] = a[:, ::3]
        for mode, function in compare.items():
            for opcode, other, types in (("TCMP", b, ("f32", "f16", "i32")),
                                         ("TCMPS", a[1, 9], ("i32", "u16", "i16", "f16", "f32"))):
                arch = arch_for(dtype, types)
                if arch == "a2a3" and dtype == "i32" and mode != "eq":
                    arch = "a5"
                size = 8 if arch == "a2a3" else 32
                raw = packed(function(a, other), size)
                second = tile(dtype, b) if opcode == "TCMP" else Scalar(dtype, other)
                book.case(f"{opcode}.types.{dtype}.{mode}", opcode,
                          [Tile("u8" if size == 8 else "u32", None, valid=raw.shape),
                           tile(dtype, a), second], {0: raw}, arch=arch, cmpMode=mode)
    for dtype in ("i16", "u16", "i32", "u32", "i64", "u64"):
        a = inputs(dtype, 325)
        for name, x, y, operands in (
                ("", a, np.full_like(a, 7), [tile(dtype, a), Scalar(dtype, 7)]),
                (".scalar_first", np.full_like(a, 31), a, [Scalar(dtype, 31), tile(dtype, a)])):
            book.case(f"TDIVS.types.{dtype}{name}", "TDIVS", [empty(dtype)] + operands,
                      {0: to_bits(dtype, truncated_division(x, y))},
                      arch=arch_for(dtype, ("i16", "i32")))
    for dtype in ("bf16", "i16", "u16", "i32", "u32", "i64", "u64"):
        a, b = plain(dtype, 326), plain(dtype, 327)
        if dtype == "bf16":
            a = np.where(np.isfinite(a), a, np.float32(3.5))
            b = np.where(np.isfinite(b), b, np.float32(-1.25))
        for opcode, function, types in (("TREM", np.mod, ("u16", "i64", "u64")),
                                        ("TFMOD", np.fmod, ("bf16", "i16", "u32"))):
            if dtype not in types:
                continue
            exact = function(a.astype(np.float64), b.astype(np.float64)) if dtype == "bf16" else (
                function(a, b))
            result = bf16_round(exact.astype(np.float32)) if dtype == "bf16" else exact
            book.case(f"{opcode}.types.{dtype}", opcode, [empty(dtype), tile(dtype, a), tile(dtype, b)],
                      {0: to_bits(dtype, result)}, arch="a5")
            scalar = b[0, 5]
            exact = function(a.astype(np.float64), np.float64(scalar)) if dtype == "bf16" else (
                function(a, scalar))
            result = bf16_round(exact.astype(np.float32)) if dtype == "bf16" else exact
            book.case(f"{opcode}S.types.{dtype}", opcode + "S",
                      [empty(dtype), tile(dtype, a), Scalar(dtype, scalar)],
                      {0: to_bits(dtype, result)}, arch="a5")
    for dtype in ("u8", "i16", "u32"):
        base = plain(dtype, 328)
        exponent = (np.arange(63).reshape(shape) % 9).astype(base.dtype)
        size = width(dtype)
        power = [[pow(int(x), int(y)) % 2**size for x, y in zip(r, s)] for r, s in zip(base, exponent)]
        book.case(f"TPOW.types.{dtype}", "TPOW", [empty(dtype), tile(dtype, base), tile(dtype, exponent)],
                  {0: np.array(power, carrier(dtype))})
        power = [[pow(int(x), 5) % 2**size for x in r] for r in base]
        book.case(f"TPOWS.types.{dtype}", "TPOWS", [empty(dtype), tile(dtype, base), Scalar(dtype, 5)],
                  {0: np.array(power, carrier(dtype))})
    flags = np.random.default_rng(329).integers(0, 2, shape).astype(bool)
    mask = Tile("u8", packed(flags, 8))
    for dtype in ALL11:
        a, b = raw_inputs(dtype, 330, shape), raw_inputs(dtype, 331, shape)
        arch = arch_for(dtype, B16B32)
        book.case(f"TSEL.types.{dtype}", "TSEL", [empty(dtype), mask, Tile(dtype, a), Tile(dtype, b)],
                  {0: np.where(flags, a, b)}, arch=arch)
        value = from_bits(dtype, to_bits(dtype, np.array([3])))[0]
        book.case(f"TSELS.types.{dtype}", "TSELS",
                  [empty(dtype), mask, Tile(dtype, a), None, Scalar(dtype, value)],
                  {0: np.where(flags, a, to_bits(dtype, np.array([3]))[0])}, arch=arch)
        for upper, function in ((0, np.tril), (1, np.triu)):
            ones = function(np.ones((5, 9)), 1)
            book.case(f"TTRI.types.{dtype}.{upper}", "TTRI",
                      [Tile(dtype, None, valid=(5, 9)), Scalar("i32", 1)], {0: to_bits(dtype, ones)},
                      arch=arch_for(dtype, ("f32", "f16") + INTEGERS[2:6]), upperOrLower=upper)
    whole, part = (4, 21), (3, 9)
    for dtype in ALL11:
        a, b = plain(dtype, 332, whole), plain(dtype, 333, part)
        pick = (lambda f: lambda x, y: ordered(x, y, f)) if dtype in FLOATS else (lambda f: f)
        for kind, function in (("ADD", np.add), ("MUL", np.multiply), ("MAX", pick(np.fmax)),
                               ("MIN", pick(np.fmin))):
            if kind == "MUL" and dtype not in ALL9:
                continue
            raw = to_bits(dtype, a)
            raw[:3, :9] = native(dtype, function, a[:3, :9], b)
            book.case(f"TPART{kind}.types.{dtype}", f"TPART{kind}",
                      [Tile(dtype, None, valid=whole), tile(dtype, a), tile(dtype, b)], {0: raw},
                      arch=arch_for(dtype, S4))


def indexed(book):
    rng = np.random.default_rng(341)
    for dtype in ALL11 + FLOAT8:
        table = random_bits(dtype, 342, (9, 24))
        view = dense_view(dtype, table)
        arch = arch_for(dtype, ALL9)
        rows = np.array([[3, 8, 0, 3, 5]], np.uint32)
        if dtype not in ("i64", "u64"):
            book.case(f"MGATHER.types.{dtype}", "MGATHER",
                      [Tile(dtype, None, valid=(5, 24)), view, Tile("u32", rows)],
                      {0: table[rows[0]]}, arch=arch)
            unique = np.array([[3, 8, 0, 6, 5]], np.uint32)
            values = random_bits(dtype, 343, (5, 24))
            after = table.copy()
            after[unique[0]] = values
            book.case(f"MSCATTER.types.{dtype}", "MSCATTER",
                      [view, Tile(dtype, values), Tile("u32", unique)], {0: after.ravel()}, arch=arch)
        unit = 256 // width(dtype)
        source = random_bits(dtype, 344, (4, 32))
        indices = rng.integers(0, 128, (3, 24), dtype=np.uint32)
        book.case(f"TGATHER.types.{dtype}", "TGATHER",
                  [Tile(dtype, None, valid=(3, 24)), Tile(dtype, source), Tile("u32", indices)],
                  {0: source.ravel()[indices]}, arch=arch_for(dtype, B16B32))
        if dtype in FLOAT8:
            continue
        kind = {8: "u16", 16: "u16", 32: "u32", 64: "u32"}[width(dtype)]
        target = Tile(dtype, random_bits(dtype, 345, (4, 32)))
        places = rng.permutation(128)[:60].reshape(3, 20).astype(carrier(kind))
        values = random_bits(dtype, 346, (3, 20))
        after = target.before.copy()
        after[places.ravel()] = values.ravel()
        book.case(f"TSCATTER.types.{dtype}", "TSCATTER",
                  [target, Tile(dtype, values), Tile(kind, places)], {0: after}, arch=arch)
        if dtype in ALL9:
            blocks = rng.integers(0, 128 // unit, (2, 3), dtype=np.uint32)
            book.case(f"TGATHERB.types.{dtype}", "TGATHERB",
                      [Tile(dtype, None, valid=(2, 3 * unit)), Tile(dtype, source),
                       Tile("u32", blocks * 32)],
                      {0: source.reshape(-1, unit)[blocks].reshape(2, -1)})
    out = np.zeros((1, 40), np.uint32)
    from goldens_indexed import philox
    for lane in range(10):
        out[0, 4 * lane: 4 * lane + 4] = philox([5 + lane, 1, 2, 3], (7, 9), 10)
    book.case("TRANDOM.types.i32", "TRANDOM",
              [Tile("i32", None, valid=(1, 40))] + [Scalar("u32", v) for v in (7, 9, 5, 1, 2, 3)],
              {0: out}, arch="a5", rounds=10)
