"""Reductions in the order of a2a3 and a5, and functions of a5 that flush subnormals."""
import numpy as np

from goldens_cases import Scalar, Tile, bf16_round, to_bits
from goldens_rows import values_of

NUMPY = {"f32": np.float32, "f16": np.float16}


def add_cases(book):
    for dtype in ("f32", "f16"):
        rows_of_a2a3(book, dtype)
        rows_of_a5(book, dtype)
    shaped(book)
    columns(book)
    flushed(book)


def neighbours(values, op):
    """Along the last axis, whose length is a power of two."""
    while values.shape[-1] > 1:
        values = op(values[..., 0::2], values[..., 1::2])
    return values[..., 0]


def filled(values, width, with_):
    out = np.full((values.shape[0], width), with_, values.dtype)
    out[:, : values.shape[1]] = values
    return out


def rows(book, name, opcode, dtype, profile, values, result, column=True):
    """-0 is no sum of a tree of a5, which starts at +0."""
    count = values.shape[0]
    dst = Tile(dtype, None, rows=-(-count // 16) * 16, cols=1, layout="DN", valid=(count, 1))
    if not column:
        dst = Tile(dtype, None, valid=(count, 1))
    book.case(name, opcode, [dst, Tile(dtype, to_bits(dtype, values))],
              {0: to_bits(dtype, result)[:, None]}, arch=f"{profile}/{profile}")


def sum_of_a2a3(values, width):
    whole = values.shape[1] // width
    vectors = [values[:, i * width:(i + 1) * width] for i in range(whole)]
    rest = values[:, whole * width:]
    if not vectors:
        return neighbours(filled(rest, width, 0), np.add)
    level = [a + b for a, b in zip(vectors[0::2], vectors[1::2])] or [vectors[0]]
    if whole > 1 and whole % 2:
        level[0] = level[0] + vectors[-1]
    if rest.shape[1]:
        level[0] = np.concatenate([level[0][:, : rest.shape[1]] + rest,
                                   level[0][:, rest.shape[1]:]], axis=1)
    while len(level) > 1:
        sums = [a + b for a, b in zip(level[0::2], level[1::2])]
        if len(level) % 2:
            sums[-1] = sums[-1] + level[-1]
        level = sums
    return neighbours(level[0], np.add)


def rows_of_a2a3(book, dtype):
    width, block = (64, 8) if dtype == "f32" else (128, 16)
    for cols in (5, width, width + 7, 2 * width, 3 * width + 1, 7 * width + 30, 11 * width):
        values = values_of(dtype, 300 + cols, (3, cols), True)
        rows(book, f"TROWSUM.a2a3.{dtype}.{cols}", "TROWSUM", dtype, "a2a3", values,
             sum_of_a2a3(values, width))
    zeros = np.full((2, 3), -0.0, NUMPY[dtype])
    rows(book, f"TROWSUM.a2a3.{dtype}.zeros", "TROWSUM", dtype, "a2a3", zeros,
         np.zeros(2, NUMPY[dtype]))
    for cols in (5, 5 * block + 3, 9 * block):
        values = values_of(dtype, 400 + cols, (3, cols), True)
        lanes = filled(values[:, :block], block, 1)
        for at in range(block, cols, block):
            part = values[:, at:at + block]
            lanes[:, : part.shape[1]] = lanes[:, : part.shape[1]] * part
        product = lanes[:, 0].astype(np.float32)
        for i in range(1, block):
            product = product * lanes[:, i].astype(np.float32)
        rows(book, f"TROWPROD.a2a3.{dtype}.{cols}", "TROWPROD", dtype, "a2a3", values,
             product.astype(NUMPY[dtype]))


def rows_of_a5(book, dtype):
    kind, width = NUMPY[dtype], 64 if dtype == "f32" else 128
    for cols in (5, width, 2 * width + 7, 5 * width + 30):
        values = values_of(dtype, 500 + cols, (3, cols), True)
        total = np.zeros(3, kind)
        product = np.ones((3, width), kind)
        for at in range(0, cols, width):
            part = values[:, at:at + width]
            total = total + neighbours(filled(part, width, 0), np.add)
            product = product * filled(part, width, 1)
        rows(book, f"TROWSUM.a5.{dtype}.{cols}", "TROWSUM", dtype, "a5", values, total)
        while product.shape[1] > 1:
            middle = product.shape[1] // 2
            product = product[:, :middle] * product[:, middle:]
        rows(book, f"TROWPROD.a5.{dtype}.{cols}", "TROWPROD", dtype, "a5", values, product[:, 0])
    zeros = np.full((2, width), -0.0, kind)
    rows(book, f"TROWSUM.a5.{dtype}.zeros", "TROWSUM", dtype, "a5", zeros, np.zeros(2, kind))


def blocks(values):
    return neighbours(values.reshape(values.shape[0], -1, 8), np.add)


def halves(values):
    pairs = values.reshape(values.shape[0], -1, 2, 8)
    return (pairs[:, :, 0] + pairs[:, :, 1]).reshape(values.shape[0], -1)


def shaped(book):
    for count, cols, steps in ((64, 128, (blocks, halves, blocks)),
                               (32, 256, (blocks, halves, halves, blocks)),
                               (16, 512, (blocks, blocks, blocks)),
                               (8, 1024, (blocks, blocks, halves, blocks))):
        values = values_of("f32", 600 + cols, (count, cols), True)
        result = values
        for step in steps:
            result = step(result)
        rows(book, f"TROWSUM.a2a3.shape.{cols}", "TROWSUM", "f32", "a2a3", values, result[:, 0])
        if cols < 512:
            rows(book, f"TROWSUM.a2a3.shape.{cols}.nd", "TROWSUM", "f32", "a2a3", values,
                 sum_of_a2a3(values, 64), column=False)


def columns(book):
    rounds = {"f32": np.asarray, "f16": np.asarray, "bf16": bf16_round}
    for dtype, rounded in rounds.items():
        for count in (1, 2, 6, 11):
            values = values_of(dtype, 700 + count, (count, 19), True)
            for kind, op in (("SUM", np.add), ("PROD", np.multiply)):
                result = values[0]
                for row in range(1, count, 2):
                    pair = values[row]
                    if row + 1 < count:
                        pair = rounded(op(pair, values[row + 1]))
                    result = rounded(op(result, pair))
                book.case(f"TCOL{kind}.a5.{dtype}.{count}", f"TCOL{kind}",
                          [Tile(dtype, None, valid=(1, 19)), Tile(dtype, to_bits(dtype, values))],
                          {0: to_bits(dtype, result)[None, :]}, arch="a5/a5")
            lines = list(values)
            while len(lines) > 1:
                sums = [rounded(a + b) for a, b in zip(lines[0::2], lines[1::2])]
                if len(lines) % 2:
                    sums[-1] = rounded(sums[-1] + lines[-1])
                lines = sums
            book.case(f"TCOLSUM.a5.{dtype}.binary.{count}", "TCOLSUM",
                      [Tile(dtype, None, valid=(1, 19)), Tile(dtype, to_bits(dtype, values))],
                      {0: to_bits(dtype, lines[0])[None, :]}, arch="a5/a5", isBinary="true")


def flush(values, least):
    return np.where(np.abs(values) < least, values * values.dtype.type(0), values)


def flushed(book):
    """Subnormals and their neighbours. The first two quotients are examples of the API's documents
    (CANN API, Reg Div, table 8), but for the bits of NaN."""
    with np.errstate(all="ignore"):
        one_by_one(book)


def one_by_one(book):
    for dtype, kind, least in (("f32", np.float32, np.float32(2.0 ** -126)),):
        below, tiny = np.nextafter(least, kind(0)), np.nextafter(kind(0), kind(1))
        huge = np.finfo(kind).max
        a = np.array([[1, below, tiny, -tiny, least, -below, 3, 0, huge, least, -below, least, -least,
                       kind(np.inf), kind(np.nan), below]], kind)
        b = np.array([[-below, tiny, 1, 1, 2, -2, 4, below, huge, huge, huge, 1, 1, tiny, 1, below]], kind)
        if dtype == "f32":
            a[0, :2] = np.array([0x3F800000, 0x0014440B], np.uint32).view(np.float32)
            b[0, :2] = np.array([0x8036A794, 0x0053E3CF], np.uint32).view(np.float32)
        count = a.shape[1]
        wide = lambda values: flush(values, least)
        quotient = wide((wide(a) / wide(b)).astype(kind))
        if dtype == "f32":
            assert quotient[0, 0] == -np.inf and np.isnan(quotient[0, 1])
        out = Tile(dtype, None, valid=(1, count))

        def case(name, opcode, operands, result, **attributes):
            book.case(f"{name}.a5.{dtype}", opcode, [out, *operands], {0: to_bits(dtype, result)},
                      arch="a5/a5", **attributes)

        def tile(values):
            return Tile(dtype, to_bits(dtype, values))

        case("TDIV.flush", "TDIV", [tile(a), tile(b)], quotient)
        case("TDIV.kept", "TDIV", [tile(a), tile(b)], (a / b).astype(kind),
             precisionType="high_precision")
        for divisor, name in ((kind(3), "normal"), (below, "subnormal")):
            case(f"TDIVS.flush.{name}", "TDIVS", [tile(a), Scalar(dtype, divisor)],
                 wide((wide(a) / wide(np.array(divisor, kind))).astype(kind)))
        case("TCOLEXPANDDIV.flush", "TCOLEXPANDDIV", [tile(a), tile(b)], quotient)
        case("TROWEXPANDDIV.flush", "TROWEXPANDDIV",
             [tile(a), Tile(dtype, to_bits(dtype, b[:, :1]), rows=16, cols=1, layout="DN")],
             wide((wide(a) / wide(b[:, :1])).astype(kind)))
        case("TRECIP.flush", "TRECIP", [tile(np.where(a == 1, huge, a))],
             wide((kind(1) / wide(np.where(a == 1, huge, a))).astype(kind)))
        roots = np.sqrt(wide(a))
        case("TSQRT.flush", "TSQRT", [tile(a)], roots)
        case("TRSQRT.flush", "TRSQRT", [tile(a)], (kind(1) / roots).astype(kind))
        # Where the results are certain: beyond the least normal one, of zeros, and infinite.
        arguments = np.array([[tiny, -below, 0, -np.inf, -1000, np.inf, np.nan, -17 if dtype == "f16"
                               else -100]], kind)
        case_of = np.array([[1, 1, 1, 0, 0, np.inf, np.nan, 0]], kind)
        book.case(f"TEXP.flush.a5.{dtype}", "TEXP",
                  [Tile(dtype, None, valid=(1, 8)), tile(arguments)], {0: to_bits(dtype, case_of)},
                  arch="a5/a5")
        logs = np.array([[1, tiny, -below, 0, np.inf]], kind)
        book.case(f"TLOG.flush.a5.{dtype}", "TLOG", [Tile(dtype, None, valid=(1, 5)), tile(logs)],
                  {0: to_bits(dtype, np.array([[0, -np.inf, -np.inf, -np.inf, np.inf]], kind))},
                  arch="a5/a5")
        difference = np.array([[-17 if dtype == "f16" else -100, 0, -1000]], kind)
        for opcode, layout in (("TROWEXPANDEXPDIF", "DN"), ("TCOLEXPANDEXPDIF", "ND")):
            vector = Tile(dtype, to_bits(dtype, np.zeros((1, 1) if layout == "DN" else (1, 3), kind)),
                          **({"rows": 16, "cols": 1, "layout": "DN"} if layout == "DN" else {}))
            book.case(f"{opcode}.flush.a5.{dtype}", opcode,
                      [Tile(dtype, None, valid=(1, 3)), tile(difference), vector],
                      {0: to_bits(dtype, np.array([[0, 1, 0]], kind))}, arch="a5/a5")
