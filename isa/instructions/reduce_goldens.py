"""Golden cases of isa/instructions/reduce.def."""
import numpy as np

from goldens_arithmetic import FLOATS, inputs
from goldens_cases import Tile, bf16_round, to_bits
from goldens_rows import COMBINE, sequential

SHAPE = (11, 19)
NUMPY = {"f32": np.float32, "f16": np.float16}


def add_cases(book):
    one_after_the_other(book)
    for dtype in ("f32", "f16"):
        rows_of_a2a3(book, dtype)
        rows_of_a5(book, dtype)
    shaped(book)
    columns(book)


def values_of(dtype, seed, shape, plain=False):
    values = inputs(dtype, seed, shape)
    if plain and dtype in FLOATS:  # finite, so that the order of additions shows in the bits
        rng = np.random.default_rng(seed)
        values = rng.standard_normal(shape).astype(values.dtype)
        if dtype == "bf16":
            from goldens_cases import bf16_round
            values = bf16_round(values)
    return values


def one_after_the_other(book):
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
    """A sum by a tree of a5 is never -0, because it starts at +0."""
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
