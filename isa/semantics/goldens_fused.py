"""Remainders, fused operations and comparisons."""
from fractions import Fraction

import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, round_fraction, to_bits

SHAPE = (3, 21)


def plain(dtype, seed, shape=SHAPE):
    """Finite values, no zeros."""
    rng = np.random.default_rng(seed)
    if dtype in ("f32", "f16"):
        values = rng.standard_normal(shape) * 8
        return values.astype(np.float32 if dtype == "f32" else np.float16)
    values = inputs(dtype, seed, shape)
    return np.where(values == 0, np.ones_like(values) * 3, values)


def relu(values):
    return np.where(np.isnan(values) | (values > 0), values, values.dtype.type(0))


def packed(flags, width):
    """One bit per column, the lowest first, in elements of `width` bits."""
    raw = np.packbits(flags, axis=1, bitorder="little")
    raw = np.pad(raw, ((0, 0), (0, -raw.shape[1] % (width // 8))))
    return raw.view(np.uint8 if width == 8 else np.uint32)


def add_cases(book):
    def case(name, opcode, operands, raw, **more):
        shape = more.pop("shape", SHAPE)
        first = operands[0] if isinstance(operands[0], Tile) and more.pop("in_out", False) else None
        tiles = operands if first else [Tile(more.pop("to", operands[-1].dtype), None, valid=shape)] + operands
        book.case(f"{opcode}.{name}", opcode, tiles, {0: raw}, **more)

    def tile(dtype, values):
        return Tile(dtype, to_bits(dtype, values))

    def bits_of(dtype, values):
        return to_bits(dtype, values)

    for dtype, arch in (("f32", "a2a3"), ("i32", "a2a3"), ("i16", "a5"), ("u32", "a5"), ("f16", "a5")):
        a, b = plain(dtype, 81), plain(dtype, 82)
        case(dtype, "TREM", [tile(dtype, a), tile(dtype, b)], bits_of(dtype, np.mod(a, b)), arch=arch)
        scalar = b[0, 5]
        case(dtype, "TREMS", [tile(dtype, a), Scalar(dtype, scalar)],
             bits_of(dtype, np.mod(a, scalar)), arch=arch)
    for dtype, arch in (("f32", "a2a3"), ("i32", "a5"), ("u16", "a5"), ("f16", "a5")):
        a, b = plain(dtype, 83), plain(dtype, 84)
        case(dtype, "TFMOD", [tile(dtype, a), tile(dtype, b)], bits_of(dtype, np.fmod(a, b)), arch=arch)
        case(dtype, "TFMODS", [tile(dtype, a), Scalar(dtype, b[0, 5])],
             bits_of(dtype, np.fmod(a, b[0, 5])), arch=arch)
    for dtype in ("i8", "u16", "i32"):
        base = plain(dtype, 85)
        exponent = (np.arange(63).reshape(SHAPE) % 9).astype(base.dtype)
        width = base.dtype.itemsize * 8
        power = [[pow(int(x), int(y)) % 2**width for x, y in zip(r, s)] for r, s in zip(base, exponent)]
        kind = np.dtype(f"uint{width}")
        case(dtype, "TPOW", [tile(dtype, base), tile(dtype, exponent)], np.array(power, kind))
        power = [[pow(int(x), 5) % 2**width for x in r] for r in base]
        case(dtype, "TPOWS", [tile(dtype, base), Scalar(dtype, 5)], np.array(power, kind))
    for dtype in ("f32", "f16"):
        fused(book, case, tile, dtype)
    i32 = [np.random.default_rng(s).integers(-9000, 9000, SHAPE).astype(np.int32) for s in (1, 2)]
    scaled = ((i32[0] + i32[1]).astype(np.float32) * np.float32(0.37)).astype(np.float16)
    case("i32", "TADDDEQRELU", [tile("i32", i32[0]), tile("i32", i32[1]), Scalar("f32", 0.37)],
         bits_of("f16", relu(scaled)), to="f16")
    for source, to, limit in (("f32", "f16", 65504), ("f16", "i8", 127), ("i16", "i8", 127)):
        a = (plain(source, 86).astype(np.float32) * 40).astype(plain(source, 86).dtype)
        b = plain(source, 87)
        if source == "i16":
            a, b = a % 200, b % 100
        for opcode, function in (("TADDRELUCONV", np.add), ("TSUBRELUCONV", np.subtract)):
            value = np.minimum(relu(function(a, b)).astype(np.float32), limit)
            out = value.astype(np.float16) if to == "f16" else np.rint(value).astype(np.int8)
            case(source, opcode, [tile(source, a), tile(source, b)], bits_of(to, out), to=to)
    comparisons(book, tile)


def fused(book, case, tile, dtype):
    a, b, c = plain(dtype, 91), plain(dtype, 92), plain(dtype, 93)
    kind = a.dtype.type
    slope = np.where(a > 0, a, a * b)
    case(dtype, "TPRELU", [tile(dtype, a), tile(dtype, b)], to_bits(dtype, slope))
    case(dtype, "TLRELU", [tile(dtype, a), Scalar(dtype, kind(0.1))],
         to_bits(dtype, np.where(a > 0, a, a * kind(0.1))))
    product = a * kind(1.7)
    case(dtype, "TAXPY", [tile(dtype, c), tile(dtype, a), Scalar(dtype, kind(1.7))],
         to_bits(dtype, c + product), in_out=True)
    exact = [[round_fraction(dtype, Fraction(float(x)) * Fraction(float(z)) + Fraction(float(y)))
              for x, y, z in zip(*rows)] for rows in zip(a, b, c)]
    exact = np.array(exact).astype(a.dtype)
    case(dtype, "TFUSEDMULADD", [tile(dtype, c), tile(dtype, a), tile(dtype, b)],
         to_bits(dtype, exact), in_out=True)
    case(dtype, "TFUSEDMULADDRELU", [tile(dtype, c), tile(dtype, a), tile(dtype, b)],
         to_bits(dtype, relu(exact)), in_out=True)
    case(dtype, "TMULADDDST", [tile(dtype, c), tile(dtype, a), tile(dtype, b)],
         to_bits(dtype, a * b + c), in_out=True)
    case(dtype, "TSUBRELU", [tile(dtype, a), tile(dtype, b)], to_bits(dtype, relu(a - b)))
    case(dtype, "TADDRELU", [tile(dtype, a), tile(dtype, b)], to_bits(dtype, relu(a + b)))
    sums = a[:, 0:20:2] + a[:, 1:20:2]
    book.case(f"TPAIRREDUCESUM.{dtype}", "TPAIRREDUCESUM",
              [Tile(dtype, None, valid=(3, 10)), tile(dtype, a)], {0: to_bits(dtype, sums)})
    if dtype == "f32":
        # No generation has these four; arch "none" runs them without asking whether they are legal.
        for opcode, value, operands in (
                ("TADDC", a + b + c, [a, b, c]), ("TSUBC", a - b + c, [a, b, c]),
                ("TADDSC", a + kind(2.5) + c, [a, None, c]),
                ("TSUBSC", a - kind(2.5) + c, [a, None, c])):
            sources = [Scalar(dtype, kind(2.5)) if o is None else tile(dtype, o) for o in operands]
            case(dtype, opcode, sources, to_bits(dtype, value), arch="none")
        half = plain("f16", 94)
        exact = half.astype(np.float32) * np.float32(np.float16(0.3))
        case("f16_f32", "TAXPY", [tile("f32", c), tile("f16", half), Scalar("f16", np.float16(0.3))],
             to_bits("f32", c + exact), in_out=True)


def comparisons(book, tile):
    functions = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
                 "gt": np.greater, "ge": np.greater_equal}
    shape = (3, 37)
    for dtype, arch in (("f32", "a2a3"), ("f16", "a2a3"), ("i32", "a5"), ("u8", "a5")):
        a, b = inputs(dtype, 95, shape), inputs(dtype, 96, shape)
        b[:, ::3] = a[:, ::3]
        for mode, function in functions.items():
            to = "u8" if arch == "a2a3" else "u32"
            raw = packed(function(a, b), 8 if to == "u8" else 32)
            book.case(f"TCMP.{dtype}.{mode}", "TCMP",
                      [Tile(to, None, valid=raw.shape), tile(dtype, a), tile(dtype, b)], {0: raw},
                      arch=arch, cmpMode=mode)
            raw = packed(function(a, a[1, 9]), 8 if to == "u8" else 32)
            book.case(f"TCMPS.{dtype}.{mode}", "TCMPS",
                      [Tile(to, None, valid=raw.shape), tile(dtype, a), Scalar(dtype, a[1, 9])],
                      {0: raw}, arch=arch, cmpMode=mode)
            one = np.pad(b[1:, 3:], ((0, 0), (0, 3)))  # its first element counts
            raw = packed(function(a, b[1, 3]), 8 if to == "u8" else 32)
            book.case(f"TCMPS.{dtype}.{mode}.tile", "TCMPS",
                      [Tile(to, None, valid=raw.shape), tile(dtype, a), tile(dtype, one)],
                      {0: raw}, arch=arch, cmpMode=mode)
