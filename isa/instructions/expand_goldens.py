"""Golden cases of isa/instructions/expand.def."""
import numpy as np

from goldens_arithmetic import inputs, native, ordered
from goldens_cases import Tile, to_bits
from goldens_fused import plain


def add_cases(book):
    broadcasts(book)
    vectors_first(book)


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


def vectors_first(book):
    """A row of values as the first source of TCOLEXPAND*."""
    row, matrix = plain("f32", 606, (1, 21)), plain("f32", 607, (6, 21))
    for name, out in (("ADD", row + matrix), ("SUB", row - matrix), ("MUL", row * matrix),
                      ("DIV", row / matrix), ("MAX", np.fmax(row, matrix)),
                      ("MIN", np.fmin(row, matrix))):
        book.case(f"TCOLEXPAND{name}.vector_first", f"TCOLEXPAND{name}",
                  [Tile("f32", None, valid=matrix.shape), Tile("f32", to_bits("f32", row)),
                   Tile("f32", to_bits("f32", matrix))], {0: to_bits("f32", out.astype(np.float32))})
