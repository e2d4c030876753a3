"""Element by element."""
import numpy as np

from goldens_cases import Scalar, Tile, bf16_round, to_bits

SHAPE = (3, 21)
FLOATS = ("f32", "f16", "bf16")
INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1.5, 3.0, -2.5]


def inputs(dtype, seed, shape=SHAPE):
    """Values with every special one in them."""
    rng = np.random.default_rng(seed)
    count = shape[0] * shape[1]
    if dtype in FLOATS:
        values = (rng.standard_normal(count) * 4).astype(np.float32)
        tiny = {"f32": 1e-40, "f16": 3e-7, "bf16": 1e-40}[dtype]
        huge = {"f32": 3e38, "f16": 6e4, "bf16": 3e38}[dtype]
        special = SPECIAL + [tiny, -tiny, huge, -huge]
        values[: len(special)] = np.roll(np.array(special, np.float32), seed % 5)
        if dtype == "f16":
            return values.astype(np.float16).reshape(shape)
        return (bf16_round(values) if dtype == "bf16" else values).reshape(shape)
    info = np.iinfo(dtype.replace("i", "int").replace("u", "u") if dtype[0] == "i"
                    else "uint" + dtype[1:])
    values = rng.integers(info.min, info.max, count, dtype=info.dtype, endpoint=True)
    values[:4] = np.array([info.min, info.max, 0, 1], info.dtype)
    return values.reshape(shape)


def native(dtype, function, *values):
    """numpy's own arithmetic; bf16 in float32, rounded."""
    result = function(*values)
    if dtype == "bf16":
        result = bf16_round(result)
    elif dtype == "f16":
        result = result.astype(np.float16)
    elif dtype == "f32":
        result = result.astype(np.float32)
    else:
        result = result.astype(values[0].dtype)
    return to_bits(dtype, result)


def exact(dtype, function, values):
    """By 64-bit significands, rounded to the element type."""
    wide = function(values.astype(np.longdouble))
    if dtype == "bf16":
        return to_bits(dtype, bf16_round(wide.astype(np.float32)))
    return to_bits(dtype, wide.astype(np.float32 if dtype == "f32" else np.float16))


def ordered(a, b, pick):
    """Minimum and maximum that put -0 below +0, by fmin and fmax, which skip a NaN, or minimum and maximum."""
    result = pick(a, b)
    signs = np.signbit(a), np.signbit(b)
    zeros = (a == 0) & (b == 0)
    negative = signs[0] | signs[1] if pick in (np.fmin, np.minimum) else signs[0] & signs[1]
    return np.where(zeros, np.where(negative, -0.0, 0.0).astype(a.dtype), result)


def truncated_division(a, b):
    safe = np.where(b == 0, 1, b)
    with np.errstate(all="ignore"):
        quotient = np.abs(a.astype(object)) // np.abs(safe.astype(object))
        quotient = np.where((a < 0) != (safe < 0), -quotient, quotient)
        wide = np.where(b == 0, -1, quotient)
    mask = (1 << (a.dtype.itemsize * 8)) - 1
    return np.array([int(v) & mask for v in wide.ravel()], np.uint64).astype(
        a.dtype.str.replace("i", "u")).view(a.dtype).reshape(a.shape)


BINARY = {
    "TADD": (np.add, FLOATS[:2] + INTEGERS), "TSUB": (np.subtract, FLOATS + INTEGERS),
    "TMUL": (np.multiply, FLOATS + INTEGERS[2:]),
    "TAND": (np.bitwise_and, INTEGERS[:6]), "TOR": (np.bitwise_or, INTEGERS[:6]),
    "TXOR": (np.bitwise_xor, INTEGERS[:6]),
}
BINARY["TADD"] = (np.add, FLOATS + INTEGERS)


def arch_of(opcode, dtype):
    """a2a3 where it has the type, else a5."""
    a2a3 = {"TADD": "S4", "TSUB": "S4", "TMUL": "S4", "TMAX": "S4", "TMIN": "S4", "TDIV": "FP2",
            "TNEG": "S4", "TABS": "FP2", "TRELU": "FP2i32", "TADDS": "S4", "TSUBS": "S4",
            "TMULS": "S4", "TMAXS": "S4", "TMINS": "S4", "TDIVS": "S4", "TSHLS": "I4",
            "TSHRS": "I4"}.get(opcode, "any")
    sets = {"S4": ("i16", "i32", "f16", "f32"), "FP2": ("f16", "f32"),
            "FP2i32": ("f16", "f32", "i32"), "I4": ("i16", "u16", "i32", "u32"),
            "any": FLOATS + INTEGERS[:6]}
    return "a2a3" if dtype in sets[a2a3] else "a5"


def add_cases(book):
    def add(opcode, dtype, operands, raw, **more):
        book.case(f"{opcode}.{dtype}", opcode, [Tile(dtype, None, valid=SHAPE)] + operands,
                  {0: raw}, arch=more.pop("arch", arch_of(opcode, dtype)), **more)

    def tile(dtype, values):
        return Tile(dtype, to_bits(dtype, values))

    for opcode, (function, types) in BINARY.items():
        for dtype in types:
            if opcode.startswith("TADD") and dtype == "bf16" or dtype in ("i8", "u8"):
                pass
            a, b = inputs(dtype, 1), inputs(dtype, 2)
            add(opcode, dtype, [tile(dtype, a), tile(dtype, b)], native(dtype, function, a, b))
            scalar = b[1, 3]
            add(opcode + "S", dtype, [tile(dtype, a), Scalar(dtype, scalar)],
                native(dtype, function, a, np.full_like(a, scalar)))
    for dtype, kind in (("f32", np.float32), ("f16", np.float16)):
        a = inputs(dtype, 1)
        between = 2 ** (np.finfo(kind).nmant + 1) + 3  # half way between two floats
        for given, value in (("i32", -7), ("i64", between)):
            book.case(f"TSUBS.{dtype}.{given}_scalar", "TSUBS",
                      [Tile(dtype, None, valid=SHAPE), tile(dtype, a), Scalar(given, value)],
                      {0: native(dtype, np.subtract, a, np.full_like(a, kind(value)))})
    for opcode, pick in (("TMAX", np.fmax), ("TMIN", np.fmin)):
        for dtype in FLOATS + INTEGERS:
            a, b = inputs(dtype, 1), inputs(dtype, 2)
            choose = ordered if dtype in FLOATS else lambda x, y, p: p(x, y)
            add(opcode, dtype, [tile(dtype, a), tile(dtype, b)], to_bits(dtype, choose(a, b, pick)))
            scalar = b[1, 3]
            add(opcode + "S", dtype, [tile(dtype, a), Scalar(dtype, scalar)],
                to_bits(dtype, choose(a, np.full_like(a, scalar), pick)))
    for dtype in ("f32", "f16"):
        a, b = inputs(dtype, 1), inputs(dtype, 2)
        quotient = native(dtype, np.divide, a, b)
        add("TDIV", dtype, [tile(dtype, a), tile(dtype, b)], quotient)
        add("TRECIP", dtype, [tile(dtype, a)], native(dtype, np.divide, np.ones_like(a), a))
        add("TDIVS", dtype, [tile(dtype, a), Scalar(dtype, 3.0)],
            native(dtype, np.divide, a, np.full_like(a, 3)))
        book.case(f"TDIVS.{dtype}.scalar_first", "TDIVS",
                  [Tile(dtype, None, valid=SHAPE), Scalar(dtype, 3.0), tile(dtype, a)],
                  {0: native(dtype, np.divide, np.full_like(a, 3), a)})
    for dtype in ("i16", "u16", "i32", "u32", "i64", "u64"):
        a, b = inputs(dtype, 1), inputs(dtype, 2)
        add("TDIV", dtype, [tile(dtype, a), tile(dtype, b)],
            to_bits(dtype, truncated_division(a, b)))
    for dtype in INTEGERS:
        a = inputs(dtype, 1)
        counts = (inputs(dtype, 2).astype(np.int64) % (a.itemsize * 8)).astype(a.dtype)
        tiles = [tile(dtype, a), tile(dtype, counts)]
        scalar = [tile(dtype, a), Scalar(dtype, 3)]
        arch = "a2a3" if dtype[1:] != "64" else "a5"
        add("TSHL", dtype, tiles, to_bits(dtype, np.left_shift(a, counts)), arch=arch)
        add("TSHR", dtype, tiles, to_bits(dtype, np.right_shift(a, counts)), arch=arch)
        add("TSHLS", dtype, scalar, to_bits(dtype, np.left_shift(a, a.dtype.type(3))))
        add("TSHRS", dtype, scalar, to_bits(dtype, np.right_shift(a, a.dtype.type(3))))
        if dtype[1:] != "64":
            add("TNOT", dtype, [tile(dtype, a)], to_bits(dtype, np.invert(a)))
    for dtype in FLOATS + ("i16", "u16", "i32", "u32"):
        a = inputs(dtype, 1)
        add("TNEG", dtype, [tile(dtype, a)], native(dtype, np.negative, a))
    for dtype in ("f32", "f16", "i8", "i16", "i32"):
        a = inputs(dtype, 1)
        add("TABS", dtype, [tile(dtype, a)], native(dtype, np.abs, a))
    for dtype in ("f32", "f16", "i32"):
        a = inputs(dtype, 1)
        add("TRELU", dtype, [tile(dtype, a)],
            native(dtype, lambda x: np.where(np.isnan(x) | (x > 0), x, x.dtype.type(0)), a))
    for dtype in ("f32", "f16"):
        a = inputs(dtype, 1)
        for opcode, function in (("TEXP", np.exp), ("TLOG", np.log), ("TSQRT", np.sqrt),
                                 ("TRSQRT", lambda x: 1 / np.sqrt(x))):
            add(opcode, dtype, [tile(dtype, a)], exact(dtype, function, a))
    for dtype in FLOATS + INTEGERS:
        value = inputs(dtype, 4)[1, 5]
        add("TEXPANDS", dtype, [Scalar(dtype, value)],
            to_bits(dtype, np.full(SHAPE, value, inputs(dtype, 4).dtype)),
            arch="a2a3" if dtype[1:] != "64" else "a5")
    for dtype in ("i16", "u16", "i32", "u32"):
        kind = inputs(dtype, 1).dtype
        for down in (False, True):
            start = np.array([7], kind)[0]
            steps = np.arange(40).astype(kind)
            values = (start - steps if down else start + steps).astype(kind)[None, :]
            book.case(f"TCI.{dtype}.{'down' if down else 'up'}", "TCI",
                      [Tile(dtype, None, valid=(1, 40)), Scalar(dtype, 7)],
                      {0: to_bits(dtype, values)}, descending=str(down).lower())
    for dtype, kind, first in (("f32", np.float32, 7.3), ("f16", np.float16, -2030.5)):
        start = np.array([first], kind)
        for down in (False, True):
            steps = np.arange(40, dtype=np.float64) * (-1 if down else 1)
            values = (start.astype(np.float64) + steps).astype(kind)[None, :]
            book.case(f"TCI.{dtype}.{'down' if down else 'up'}", "TCI",
                      [Tile(dtype, None, valid=(1, 40)), Scalar(dtype, start[0])],
                      {0: to_bits(dtype, values)}, descending=str(down).lower())
