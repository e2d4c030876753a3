"""Reductions and broadcasts along rows and columns."""
import numpy as np

from goldens_arithmetic import FLOATS, inputs, native, ordered
from goldens_cases import Tile, to_bits

SHAPE = (11, 19)
COMBINE = {
    "SUM": lambda d, a, b: native(d, np.add, a, b), "PROD": lambda d, a, b: native(d, np.multiply, a, b),
    "MAX": lambda d, a, b: to_bits(d, ordered(a, b, np.fmax) if d in FLOATS else np.fmax(a, b)),
    "MIN": lambda d, a, b: to_bits(d, ordered(a, b, np.fmin) if d in FLOATS else np.fmin(a, b)),
}


def values_of(dtype, seed, shape, plain=False):
    values = inputs(dtype, seed, shape)
    if plain and dtype in FLOATS:  # finite, so that the order of additions shows in the bits
        rng = np.random.default_rng(seed)
        values = rng.standard_normal(shape).astype(values.dtype)
        if dtype == "bf16":
            from goldens_cases import bf16_round
            values = bf16_round(values)
    return values


def sequential(dtype, kind, lines):
    """lines[0] op lines[1] op ..., one after the other; lines are arrays."""
    from goldens_cases import from_bits
    result = lines[0]
    for line in lines[1:]:
        result = from_bits(dtype, COMBINE[kind](dtype, result, line))
    return to_bits(dtype, result)


def add_cases(book):
    for plain in (False, True):
        tag = ".finite" if plain else ""
        for dtype in ("f32", "f16", "i16", "i32"):
            a = values_of(dtype, 11, SHAPE, plain)
            for kind in COMBINE:
                result = sequential(dtype, kind, [a[:, j] for j in range(SHAPE[1])])[:, None]
                book.case(f"TROW{kind}.{dtype}{tag}", f"TROW{kind}",
                          [Tile(dtype, None, rows=16, cols=1, layout="DN", valid=(SHAPE[0], 1)),
                           Tile(dtype, to_bits(dtype, a))], {0: result})
                result = sequential(dtype, kind, list(a))[None, :]
                book.case(f"TCOL{kind}.{dtype}{tag}", f"TCOL{kind}",
                          [Tile(dtype, None, valid=(1, SHAPE[1])), Tile(dtype, to_bits(dtype, a))],
                          {0: result})
    a = values_of("f32", 12, SHAPE, True)
    lines = list(a)
    while len(lines) > 1:  # pairs of neighbours; the odd one joins the first sum
        sums = [x + y for x, y in zip(lines[0::2], lines[1::2])]
        if len(lines) % 2:
            sums[0] = sums[0] + lines[-1]
        lines = sums
    book.case("TCOLSUM.f32.binary", "TCOLSUM",
              [Tile("f32", None, valid=(1, SHAPE[1])), Tile("f32", to_bits("f32", a))],
              {0: to_bits("f32", lines[0][None, :])}, isBinary="true")
    broadcasts(book)


def broadcasts(book):
    shape = (5, 40)
    for dtype in ("f32", "f16", "bf16", "i8", "i16", "i32"):
        a = to_bits(dtype, inputs(dtype, 21, shape))
        column, line = a[:, :1], a[:1, :]
        book.case(f"TROWEXPAND.{dtype}", "TROWEXPAND",
                  [Tile(dtype, None, valid=shape), Tile(dtype, column, rows=32, cols=1, layout="DN")],
                  {0: np.repeat(column, shape[1], 1)})
        book.case(f"TCOLEXPAND.{dtype}", "TCOLEXPAND",
                  [Tile(dtype, None, valid=shape), Tile(dtype, line)],
                  {0: np.repeat(line, shape[0], 0)})
    operations = {
        "ADD": np.add, "SUB": np.subtract, "MUL": np.multiply, "DIV": np.divide,
        "MAX": lambda x, y: ordered(x, y, np.fmax) if x.dtype.kind == "f" else np.fmax(x, y),
        "MIN": lambda x, y: ordered(x, y, np.fmin) if x.dtype.kind == "f" else np.fmin(x, y),
    }
    for kind, function in operations.items():
        for dtype in ("f32", "f16") + (() if kind == "DIV" else ("i16", "i32")):
            a, b = inputs(dtype, 22, shape), inputs(dtype, 23, shape)
            matrix = Tile(dtype, to_bits(dtype, a))
            column, line = b[:, 3:4], b[2:3, :]
            by_row = np.repeat(column, shape[1], 1)
            book.case(f"TROWEXPAND{kind}.{dtype}", f"TROWEXPAND{kind}",
                      [Tile(dtype, None, valid=shape), matrix,
                       Tile(dtype, to_bits(dtype, column), rows=32, cols=1, layout="DN")],
                      {0: native(dtype, function, a, by_row)})
            book.case(f"TROWEXPAND{kind}.{dtype}.vector_first", f"TROWEXPAND{kind}",
                      [Tile(dtype, None, valid=shape),
                       Tile(dtype, to_bits(dtype, column), rows=32, cols=1, layout="DN"), matrix],
                      {0: native(dtype, function, by_row, a)})
            book.case(f"TCOLEXPAND{kind}.{dtype}", f"TCOLEXPAND{kind}",
                      [Tile(dtype, None, valid=shape), matrix, Tile(dtype, to_bits(dtype, line))],
                      {0: native(dtype, function, a, np.repeat(line, shape[0], 0))})
    for dtype in ("f32", "f16"):
        a, b = inputs(dtype, 24, shape), inputs(dtype, 25, shape)
        column, line = b[:, 3:4], b[2:3, :]
        for opcode, vector, tile in (
                ("TROWEXPANDEXPDIF", np.repeat(column, shape[1], 1),
                 Tile(dtype, to_bits(dtype, column), rows=32, cols=1, layout="DN")),
                ("TCOLEXPANDEXPDIF", np.repeat(line, shape[0], 0), Tile(dtype, to_bits(dtype, line)))):
            difference = a.astype(np.float32) - vector.astype(np.float32)
            power = np.exp(difference.astype(np.longdouble)).astype(np.float32)
            book.case(f"{opcode}.{dtype}", opcode,
                      [Tile(dtype, None, valid=shape), Tile(dtype, to_bits(dtype, a)), tile],
                      {0: to_bits(dtype, power.astype(a.dtype))})
