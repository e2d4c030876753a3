"""The rules of hardware profiles that are done (isa/table/profile_rules.def)."""
import numpy as np

from goldens_arithmetic import inputs, ordered
from goldens_cases import Scalar, Tile, to_bits
from goldens_fused import plain


def add_cases(book):
    wide_division(book)
    templates(book)
    for profile in ("a2a3", "a5"):
        extremes(book, f"{profile}/{profile}")
    conversions(book)


# The values of which the API's documents give all results (CANN API, boundary values of memory vector
# instructions, tables 13, 14 and 33 to 37): the ends of a type, zeros, NaN and infinities.
def boundary_values(kind):
    largest = np.finfo(kind).max
    return np.array([-largest, largest, 0.0, -0.0, np.nan, np.inf, -np.inf, 1.0], kind)


def extremes(book, arch):
    """A NaN stays, and -0 is below +0."""
    for dtype, kind in (("f32", np.float32), ("f16", np.float16)):
        edge = boundary_values(kind)
        a, b = np.repeat(edge, 8).reshape(8, 8), np.tile(edge, (8, 1))
        lines = np.ones((4, 32), kind)
        lines[0, 5], lines[1, 7], lines[2, 9:11] = np.nan, np.inf, (np.nan, -np.inf)

        def tile(values, **form):
            return Tile(dtype, to_bits(dtype, values), cols=32 // values.itemsize * (
                -(-values.shape[1] * values.itemsize // 32)), **form)

        def result(function, values):
            with np.errstate(invalid="ignore"):
                return to_bits(dtype, function(values).astype(kind))

        for short, pick in (("MAX", np.maximum), ("MIN", np.minimum)):
            both = to_bits(dtype, ordered(a, b, pick))
            out = Tile(dtype, None, valid=(8, 8), cols=16)
            name = f"{arch[:arch.index('/')]}.{dtype}.nan"
            for opcode in (f"T{short}", f"TPART{short}"):
                book.case(f"{opcode}.{name}", opcode, [out, tile(a), tile(b)], {0: both}, arch=arch)
            for i in (2, 4, 5):
                book.case(f"T{short}S.{name}.{i}", f"T{short}S",
                          [out, tile(b), Scalar(dtype, edge[i])], {0: both[[i] * 8]}, arch=arch)
            column = Tile(dtype, to_bits(dtype, a[:, :1]), rows=16, cols=1, layout="DN")
            book.case(f"TROWEXPAND{short}.{name}", f"TROWEXPAND{short}", [out, tile(b), column],
                      {0: both}, arch=arch)
            book.case(f"TCOLEXPAND{short}.{name}", f"TCOLEXPAND{short}", [out, tile(a), tile(b[:1])],
                      {0: both}, arch=arch)
            to = Tile(dtype, None, rows=16, cols=1, layout="DN", valid=(4, 1))
            book.case(f"TROW{short}.{name}", f"TROW{short}", [to, tile(lines)],
                      {0: result(lambda v: pick.reduce(v, 1)[:, None], lines)}, arch=arch)
            book.case(f"TCOL{short}.{name}", f"TCOL{short}",
                      [Tile(dtype, None, valid=(1, 32)), tile(lines)],
                      {0: result(lambda v: pick.reduce(v, 0)[None], lines)}, arch=arch)


def conversions(book):
    """a2a3: the table of Cast of the same page, and f32 to f32; a5: CANN API, Reg Cast, table 4."""
    edge = np.append(boundary_values(np.float32), np.float32(-0.25))
    source = Tile("f32", to_bits("f32", edge[None]), cols=16)
    overflows = {"f16": [0xFC00, 0x7C00, 0, 0x8000, 0x7E00, 0x7C00, 0xFC00, 0x3C00, 0xB400],
                 "bf16": [0xFF80, 0x7F80, 0, 0x8000, 0x7FC0, 0x7F80, 0xFF80, 0x3F80, 0xBE80]}
    saturated = {"f16": [0xFBFF, 0x7BFF, 0, 0x8000, 0, 0x7BFF, 0xFBFF, 0x3C00, 0xB400],
                 "bf16": [0xFF7F, 0x7F7F, 0, 0x8000, 0, 0x7F7F, 0xFF7F, 0x3F80, 0xBE80],
                 "e4m3": [0xFE, 0x7E, 0, 0x80, 0, 0x7E, 0xFE, 0x38, 0xA8],
                 "e5m2": [0xFB, 0x7B, 0, 0x80, 0, 0x7B, 0xFB, 0x3C, 0xB4]}

    def case(name, target, raw, arch, **attributes):
        book.case(f"TCVT.{name}", "TCVT", [Tile(target, None, valid=(1, 9)), source],
                  {0: np.array([raw])}, arch=arch, rmode="RINT", **attributes)

    for target, raw in overflows.items():
        for mode in ("ON", "OFF"):
            case(f"a2a3.f32_{target}.boundaries.{mode}", target, raw, "a2a3/a2a3", satMode=mode)
        case(f"a5.f32_{target}.boundaries.OFF", target, raw, "a5/a5", satMode="OFF")
    for target, raw in saturated.items():
        case(f"a5.f32_{target}.boundaries.ON", target, raw, "a5/a5", satMode="ON")
    case("a2a3.f32_f32.zeros", "f32",
         to_bits("f32", np.where(np.rint(edge) == 0, np.float32(0), np.rint(edge))), "a2a3/a2a3")
    ends = [-2 ** 31, 2 ** 31 - 1, 0, 0, 0, 2 ** 31 - 1, -2 ** 31, 1, 0]
    for mode in ("ON", "OFF"):
        case(f"a2a3.f32_i32.boundaries.{mode}", "i32", np.array(ends, np.int32).view(np.uint32),
             "a2a3/a2a3", satMode=mode)


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
    """Differences of the templates of PTOAS for a5 from pto-isa's headers."""
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
