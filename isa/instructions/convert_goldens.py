"""Golden cases of isa/instructions/convert.def."""
from fractions import Fraction

import numpy as np

from goldens_a5 import A5, nearest
from goldens_arithmetic import FLOATS, inputs
from goldens_cases import Tile, bf16_round, carrier, from_bits, round_fraction, to_bits, width
from goldens_fused import plain
from goldens_moves import random_bits
from goldens_types import TABLES, codes_for, values_of_code

# hw-native-sys/pto-isa docs/isa/TCVT.md, the pairs of each architecture.
PAIRS = {
    "a2a3": {"f32": "f16 f32 bf16 i16 i32 i64", "f16": "f32 i32 i16 i8 u8 i4", "bf16": "f32 i32",
             "i16": "f16 f32", "i32": "f32 i16 i64", "i64": "f32 i32", "u8": "f16", "i8": "f16",
             "i4": "f16"},
    "a5": {"f32": "f32 f16 bf16 i16 i32 i64 e4m3 e5m2 hif8", "f16": "f32 i32 i16 i8 u8 hif8",
           "bf16": "f32 i32 f16 e1m2 e2m1", "i16": "u8 f16 f32 u32 i32", "i32": "f32 i16 u16 i64 u8",
           "i64": "f32 i32", "u8": "f16 u16", "i8": "f16 i16 i32", "u32": "u8 u16 i16",
           "e4m3": "f32", "e5m2": "f32", "hif8": "f32", "e1m2": "bf16", "e2m1": "bf16"},
}
NARROWER = {"i32": ("i16", "u8"), "u32": ("u16", "i8"), "f32": ("bf16", "u8"), "i16": ("i8",),
            "u16": ("u8",), "f16": ("u8",), "bf16": ("i8",)}


def add_cases(book):
    by_type(book)
    for profile in ("a2a3", "a5"):
        low_bits(book, profile)
    all_types(book)
    pairs_of_columns(book)
    to_odd_numbers(book)
    packed(book)


def by_type(book):
    """TCVT where numpy converts the same way: widening, and to integers with numpy's rounding."""
    def add(name, to, source, values, result, **modes):
        book.case(f"TCVT.{name}", "TCVT",
                  [Tile(to, None, valid=values.shape), Tile(source, to_bits(source, values))],
                  {0: to_bits(to, result)}, **modes)

    f32, f16 = inputs("f32", 6), inputs("f16", 6)
    # float to float: numpy rounds to nearest even; saturation is the default.
    limit = np.float32(65504)
    add("f32_f16.off", "f16", "f32", f32, f32.astype(np.float16), rmode="RINT", satMode="OFF")
    add("f32_f16.on", "f16", "f32", f32,
        np.where(np.isnan(f32), f32, np.clip(f32, -limit, limit)).astype(np.float16), rmode="RINT")
    add("f32_bf16", "bf16", "f32", f32, bf16_round(f32), rmode="RINT", satMode="OFF")
    add("f16_f32", "f32", "f16", f16, f16.astype(np.float32))
    bf16 = inputs("bf16", 6)
    add("bf16_f32", "f32", "bf16", bf16, bf16)
    rounding = {"RINT": np.rint, "FLOOR": np.floor, "CEIL": np.ceil, "TRUNC": np.trunc,
                "ROUND": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)}
    for mode, function in rounding.items():
        whole = np.nan_to_num(function(f32.astype(np.float64)), nan=0.0)
        clipped = np.clip(whole, -(2.0**31), 2.0**31 - 1)
        add(f"f32_i32.{mode}", "i32", "f32", f32, clipped.astype(np.int64).astype(np.int32),
            rmode=mode, satMode="ON")
        add(f"f32_f32.{mode}", "f32", "f32", f32, function(f32), rmode=mode)
    i32, i16 = inputs("i32", 6), inputs("i16", 6)
    add("i32_f32", "f32", "i32", i32, i32.astype(np.float32), rmode="RINT")
    add("i32_i16.on", "i16", "i32", i32, np.clip(i32, -32768, 32767).astype(np.int16), satMode="ON")
    add("i32_i16.default", "i16", "i32", i32, i32.astype(np.int16))
    add("i32_i64", "i64", "i32", i32, i32.astype(np.int64))
    add("i16_f32", "f32", "i16", i16, i16.astype(np.float32))
    u8, i8 = inputs("u8", 6), inputs("i8", 6)
    add("u8_f16", "f16", "u8", u8, u8.astype(np.float16))
    add("i8_f16", "f16", "i8", i8, i8.astype(np.float16))


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


def decode(dtype, raw):
    if dtype in TABLES:
        return values_of_code(dtype, raw)
    if dtype == "i4":
        return np.where(raw > 7, raw.astype(np.int64) - 16, raw)
    return from_bits(dtype, raw)


def encode_exact(dtype, value):
    """Saturating, to nearest, ties to even; `value` is a float or an integer."""
    if dtype[0] in "iu" and dtype not in TABLES:
        size = width(dtype)
        low, high = (-(1 << size - 1), (1 << size - 1) - 1) if dtype[0] == "i" else (0, (1 << size) - 1)
        if isinstance(value, float) and value != value:
            return 0
        if isinstance(value, float) and abs(value) == float("inf"):
            value = low if value < 0 else high
        whole = min(max(round(Fraction(value)), low), high)
        return whole & ((1 << size) - 1)
    if dtype in TABLES:
        table = TABLES[dtype]
        if value != value:
            return {"e4m3": 0x7F, "e5m2": 0x7E, "hif8": 0x80}.get(dtype, 0)
        sign = len(table) // 2 if np.signbit(value) else 0
        finite = [(Fraction(v), c) for c, v in enumerate(table[: len(table) // 2])
                  if v is not None and abs(v) != float("inf")]
        if abs(value) == float("inf"):
            code = max(finite)[1]
        else:
            code = min(finite, key=lambda p: (abs(p[0] - abs(Fraction(value))), p[1] & 1))[1]
        return 0 if dtype == "hif8" and code == 0 else code | sign
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        limit = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38}[dtype]
        value = value if value != value else np.copysign(limit, value)
    else:
        negative = np.signbit(value) if isinstance(value, float) else value < 0
        limit = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38}[dtype]
        value = np.copysign(abs(round_fraction(dtype, Fraction(value))), -1.0 if negative else 1.0)
        value = min(max(value, -limit), limit)
    kind = np.float16 if dtype == "f16" else np.float32
    return int(to_bits(dtype, np.array([value]).astype(kind))[0])


def all_types(book):
    for arch, pairs in PAIRS.items():
        for source, targets in pairs.items():
            shape = (2, 32)
            if source in TABLES:
                raw = codes_for(source, 361, shape)
            elif source == "i4":
                raw = random_bits("i4", 361, (2, 64))
            else:
                raw = to_bits(source, inputs(source, 361, shape))
            if width(source) == 4:
                raw = random_bits(source, 361, (2, 64)) if source == "i4" else codes_for(
                    source, 361, (2, 64))
            values = decode(source, raw)
            for target in targets.split():
                if (source, target) == ("f32", "f32"):
                    continue  # rounds to whole numbers: goldens_arithmetic.py
                used, bits = values, raw
                if width(target) == 4:
                    used = np.concatenate([values, values[:, ::-1]], 1)
                    bits = np.concatenate([raw, raw[:, ::-1]], 1)
                    used = np.where(np.isnan(used), 1, used) if target != "i4" else used
                    bits = to_bits(source, used.astype(np.float16 if source == "f16" else np.float32))
                out = np.array([[encode_exact(target, v.item()) for v in row] for row in used],
                               np.uint64).astype(carrier(target))
                # If nothing can be out of range, infinities stay.
                holds = target == "f32" or (target == "bf16" and source != "f32")
                if holds and source in FLOATS + tuple(TABLES):
                    kind = np.float32
                    out = to_bits(target, used.astype(kind))
                book.case(f"TCVT.types.{arch}.{source}_{target}", "TCVT",
                          [Tile(target, None, valid=used.shape), Tile(source, bits)], {0: out},
                          arch=arch, rmode="RINT", satMode="ON")


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


def to_odd(value, bits_kept):
    """f32 to fewer fraction bits: the odd one of its two neighbours, or itself."""
    raw = np.asarray(value, np.float32).view(np.uint32)
    low = np.uint32((1 << (23 - bits_kept)) - 1)
    return np.where(raw & low, (raw & ~low) | np.uint32(low + 1), raw).view(np.float32)


def to_odd_numbers(book):
    values = plain("f32", 507, (3, 32)) * np.float32(9)
    values[0, :4] = (1, -1, 1 + 2.0 ** -12, -(1 + 2.0 ** -11))
    source = Tile("f32", to_bits("f32", values))
    odd = to_odd(values, 10)
    assert np.array_equal(odd.astype(np.float16).astype(np.float32), odd)
    book.case("TCVT.f32_f16.odd", "TCVT", [Tile("f16", None, valid=(3, 32)), source],
              {0: to_bits("f16", odd.astype(np.float16))}, rmode="ODD")
    for rmode in ("NONE", "CAST_RINT"):
        book.case(f"TCVT.f32_f16.{rmode}", "TCVT", [Tile("f16", None, valid=(3, 32)), source],
                  {0: to_bits("f16", values.astype(np.float16))}, rmode=rmode)
        book.case(f"TCVT.f32_i32.{rmode}", "TCVT", [Tile("i32", None, valid=(3, 32)), source],
                  {0: np.rint(values).astype(np.int32).view(np.uint32)}, rmode=rmode)


def packed(book):
    for seed, (wide, targets) in enumerate(NARROWER.items()):
        raw = random_bits(wide, 700 + seed, (5, 37))
        for narrow in targets:
            low = np.dtype(carrier(narrow))
            step = raw.dtype.itemsize // low.itemsize
            packed = np.ascontiguousarray(raw).view(low)[:, ::step]  # the low bits come first
            book.case(f"TPACK.{wide}_{narrow}", "TPACK",
                      [Tile(narrow, None, rows=6, cols=64, valid=(5, 37)),
                       Tile(wide, raw, rows=5, cols=48)], {0: packed}, arch="a5")
