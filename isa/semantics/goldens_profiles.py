"""The rules of hardware profiles that are done (isa/table/profile_rules.def)."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, to_bits
from goldens_fused import plain


def add_cases(book):
    wide_division(book)
    templates(book)


def wide_division(book):
    """By zero; the rest as Python divides."""
    a = [-2**63, -7, 7, 2**63 - 1, 5, 0, -9, 8]
    b = [-1, 3, -3, 0, 0, 0, 4, 5]

    def bits(values):
        return np.array([[v % 2**64 for v in values]], np.uint64)

    def quotient(x, y):
        return 0 if y == 0 else (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)

    for opcode, function in (("TDIV", quotient), ("TREM", lambda x, y: x - y * quotient(x, y) if y else 0)):
        raw = bits([function(x, y) for x, y in zip(a, b)])
        book.case(f"{opcode}.a5.i64.zero", opcode,
                  [Tile("i64", None, valid=(1, 8)), Tile("i64", bits(a)), Tile("i64", bits(b))],
                  {0: raw}, arch="a5/a5")
        book.case(f"{opcode}S.a5.i64.zero", f"{opcode}S",
                  [Tile("i64", None, valid=(1, 8)), Tile("i64", bits(a)), Scalar("i64", 0)],
                  {0: bits([0] * 8)}, arch="a5/a5")
    counts = [0, 63, 64, 65, 1, 127, 2, 5]
    for opcode, function in (("TSHL", lambda x, n: x << n % 64), ("TSHR", lambda x, n: x >> n % 64)):
        book.case(f"{opcode}.a5.i64", opcode,
                  [Tile("i64", None, valid=(1, 8)), Tile("i64", bits(a)), Tile("i64", bits(counts))],
                  {0: bits([function(x, n) for x, n in zip(a, counts)])}, arch="a5/a5")
    book.case("TDIVS.a5.i64.zero.turned", "TDIVS",
              [Tile("i64", None, valid=(1, 8)), Scalar("i64", 9), Tile("i64", bits(b))],
              {0: bits([quotient(9, y) for y in b])}, arch="a5/a5")


def templates(book):
    """What the templates of PTOAS for a5 do otherwise than pto-isa's headers."""
    profile = "a5/a5-templates"
    for dtype, kind, step in (("f32", np.float32, 128), ("i16", np.int16, 128), ("u8", np.uint8, 256)):
        values = inputs(dtype, 235, (5, 64))
        limit = values[2, 7]
        for name, valid in (("whole", (5, 64)), ("part", (5, 37))):
            part = values[: valid[0], : valid[1]] < limit
            lines = part.reshape(1, -1) if name == "whole" else part
            padded = np.pad(lines, ((0, 0), (0, -lines.shape[1] % step)))
            stored = np.packbits(padded, axis=None, bitorder="little")
            rows = 5 if name == "whole" else 8
            before = np.full((rows, 32), 0xA5, np.uint8)
            after = before.copy()
            after.ravel()[: stored.size] = stored
            book.case(f"TCMPS.a5_templates.{dtype}.{name}", "TCMPS",
                      [Tile("u8", before, rows=rows, cols=32, valid=(5, 32)),
                       Tile(dtype, to_bits(dtype, values)[:, : valid[1]], cols=64), Scalar(dtype, limit)],
                      {0: after}, arch=profile, cmpMode="lt")
    values, vector = plain("f32", 237, (3, 24)), plain("f32", 238, (3, 8))
    book.case("TROWEXPANDADD.a5_templates.f32", "TROWEXPANDADD",
              [Tile("f32", None, valid=(3, 24)), Tile("f32", to_bits("f32", values)),
               Tile("f32", to_bits("f32", vector))],
              {0: to_bits("f32", values + vector[:, :1])}, arch=profile)
    for dtype, largest in (("f32", np.finfo(np.float32).max), ("f16", np.float16(65504))):
        values = inputs(dtype, 236, (3, 13))
        for pad, sign in ((2, 1), (3, -1)):
            out = np.full((3, 24), sign * largest, values.dtype)
            out[:, :13] = values
            book.case(f"TFILLPAD_EXPAND.a5_templates.{dtype}.{pad}", "TFILLPAD_EXPAND",
                      [Tile(dtype, None, valid=(3, 24), pad=pad), Tile(dtype, to_bits(dtype, values))],
                      {0: to_bits(dtype, out)}, arch=profile)
