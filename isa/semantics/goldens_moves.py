"""Accumulators, and moves between on-chip memories; views and bits that other cases are made of."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import SENTINEL, Tile, View, bf16_round, carrier, to_bits


def random_bits(dtype, seed, shape):
    kind = carrier(dtype)
    limit = 16 if dtype in ("i4", "e2m1", "e1m2") else np.iinfo(kind).max
    return np.random.default_rng(seed).integers(0, limit, shape, dtype=kind)


def dense_view(dtype, matrix, layout="ND", pitch=None):
    """A matrix as a view; ND with rows `pitch` apart, DN with columns `pitch` apart."""
    rows, cols = matrix.shape
    lines = matrix if layout == "ND" else matrix.T
    pitch = pitch or lines.shape[1]
    fill = np.full((lines.shape[0], pitch), SENTINEL * 0x0101010101010101 &
                   np.iinfo(carrier(dtype)).max, carrier(dtype))
    fill[:, : lines.shape[1]] = lines
    stride = (1, 1, 1, pitch, 1) if layout == "ND" else (1, 1, 1, 1, pitch)
    return View(dtype, fill, (1, 1, 1, rows, cols), stride, layout)


def add_cases(book):
    accumulators(book)
    on_chip(book)


def accumulators(book):
    values = inputs("f32", 47, (21, 19))
    raw = to_bits("f32", values)
    acc = Tile("f32", raw, rows=32, cols=32, space="L0C", layout="NZ", fractal=1024)
    relu = np.where(np.isnan(values) | (values > 0), values, np.float32(0))
    convert = {"f32": lambda v: v, "f16": lambda v: v.astype(np.float16), "bf16": bf16_round}
    for dtype, function in convert.items():
        for mode, source in (("no_relu", values), ("normal_relu", relu)):
            out = to_bits(dtype, function(source))
            if dtype == "f32" and mode == "no_relu":
                out = raw
            book.case(f"TSTORE.acc.{dtype}.{mode}", "TSTORE",
                      [dense_view(dtype, out * 0, "ND", 25), acc],
                      {0: dense_view(dtype, out, "ND", 25).before}, reluPreMode=mode)
            if dtype == "f32":
                continue
            # All rows of the accumulator, and columns in blocks of 16.
            all_values = inputs("f32", 67, (32, 32))
            moved = all_values if mode == "no_relu" else np.where(
                np.isnan(all_values) | (all_values > 0), all_values, np.float32(0))
            book.case(f"TMOV.acc_l1.{dtype}.{mode}", "TMOV",
                      [Tile(dtype, None, rows=32, cols=32, space="L1", layout="NZ", valid=(21, 19)),
                       Tile("f32", to_bits("f32", all_values), rows=32, cols=32, space="L0C", layout="NZ", fractal=1024,
                            valid=(21, 19))],
                      {0: to_bits(dtype, function(moved))}, reluPreMode=mode)
    whole = random_bits("i32", 48, (21, 19))
    acc = Tile("i32", whole, rows=32, cols=32, space="L0C", layout="NZ", fractal=1024)
    book.case("TSTORE.acc.i32", "TSTORE", [dense_view("i32", whole * 0, "ND", 25), acc],
              {0: dense_view("i32", whole, "ND", 25).before})


def on_chip(book):
    for dtype in ("f16", "i8"):
        size = {"f32": 32, "f16": 32, "i8": 64}[dtype]
        part = size // 2
        raw = random_bits(dtype, 51, (size, size))
        for source in ("NZ", "ZN"):
            mat = Tile(dtype, raw, space="L1", layout=source)
            for space, layout, arch in (("L0A", "ZZ", "a2a3"), ("L0A", "NZ", "a5"),
                                        ("L0B", "ZN", "a2a3")):
                if dtype == "i8" and (source == "ZN") == (layout == "ZN"):
                    continue
                name = f"{dtype}.{source}_{layout}.{space}"
                book.case(f"TMOV.{name}", "TMOV",
                          [Tile(dtype, None, rows=size, cols=size, space=space, layout=layout,
                                valid=(size - 5, size - 9)), mat],
                          {0: raw}, arch=arch)  # all boxes of the target
                book.case(f"TEXTRACT.{name}", "TEXTRACT",
                          [Tile(dtype, None, rows=part, cols=part, space=space, layout=layout,
                                valid=(part, part)), mat, _index(part), _index(part)],
                          {0: raw[part:, part:]}, arch=arch)
    bias = inputs("f16", 52, (1, 40))
    table = lambda: Tile("f32", None, cols=48, space="BIAS", valid=(1, 40))
    book.case("TMOV.bias.f16_f32", "TMOV",
              [table(), Tile("f16", to_bits("f16", bias), cols=48, space="L1")],
              {0: to_bits("f32", bias.astype(np.float32))})
    raw = random_bits("f32", 53, (1, 40))
    book.case("TMOV.bias.f32", "TMOV", [table(), Tile("f32", raw, cols=48, space="L1")], {0: raw})
    raw = random_bits("f16", 54, (7, 40))
    book.case("TMOV.ub", "TMOV", [Tile("f16", None, cols=64, valid=(7, 40)), Tile("f16", raw)],
              {0: raw})
    book.case("TEXTRACT.ub", "TEXTRACT",
              [Tile("f16", None, valid=(3, 16)), Tile("f16", raw), _index(2), _index(16)],
              {0: raw[2:5, 16:32]})
    parent = Tile("f16", random_bits("f16", 55, (7, 48)))
    after = parent.before.copy()
    after[parent.index[3:6, 16:32]] = raw[:3, :16]
    book.case("TINSERT.ub", "TINSERT", [parent, Tile("f16", raw[:3, :16]), _index(3), _index(16)],
              {0: after})
    raw = random_bits("u8", 62, (3, 40))
    book.case("TMOV.l1_ub", "TMOV", [Tile("u8", None, cols=64, valid=(3, 40)),
                                     Tile("u8", raw, cols=64, space="L1")], {0: raw}, arch="a5")
    for dtype in ("e4m3", "e5m2", "e8m0", "hif8", "e2m1", "e1m2"):
        raw = random_bits(dtype, 63, (21, 37))
        filled = np.zeros((32, 128), carrier(dtype))
        filled[:21, :37] = raw
        book.case(f"TFILLPAD.l1.{dtype}", "TFILLPAD",
                  [Tile(dtype, None, rows=32, cols=128, space="L1", layout="NZ", pad=1,
                        valid=(32, 128)),
                   Tile(dtype, raw, rows=32, cols=128, space="L1", layout="NZ")], {0: filled},
                  arch="a5")
    blocks_to_l1(book)
    parent = Tile("bf16", random_bits("bf16", 56, (48, 48)), space="L1", layout="NZ")
    values = inputs("f32", 57, (32, 16))
    acc = Tile("f32", to_bits("f32", values), space="L0C", layout="NZ", fractal=1024, cols=16)
    after = parent.before.copy()
    after[parent.index[16:48, 32:48]] = to_bits("bf16", bf16_round(values))
    book.case("TINSERT.acc_l1", "TINSERT", [parent, acc, _index(16), _index(32)], {0: after})


def blocks_to_l1(book):
    """UB to L1 in blocks of 32 bytes, 16 columns (hw-native-sys/pto-isa include/pto/npu/a5/TInsert.hpp, TInsertImpl,
    TInsertSplitImpl and TInsertNDImpl; TExtract.hpp, TExtractVecToMat)."""
    raw = random_bits("f16", 64, (32, 64))
    part = Tile("f16", raw, rows=32, cols=64, layout="NZ", valid=(9, 36))
    for split, rows in ((None, 9), ("split2", 16), ("split4", 16)):  # columns of 9 rows; or in parts, of whole boxes
        parent = Tile("f16", random_bits("f16", 65, (64, 80)), space="L1", layout="NZ")
        after = parent.before.copy()
        after[parent.index[7 : 7 + rows, 16:64]] = raw[:rows, :48]
        words = {} if split is None else {"insertMode": split}
        book.case(f"TINSERT.ub_l1.nz.{split}", "TINSERT", [parent, part, _index(7), _index(16)], {0: after},
                  arch="a5", **words)
    # Three boxes of 16 rows each from rows 16 on: a target of as many rows has no gap.
    target = Tile("f16", None, rows=16, cols=48, space="L1", layout="NZ", valid=(9, 36))
    book.case("TEXTRACT.ub_l1.nz", "TEXTRACT", [target, Tile("f16", raw, layout="NZ"), _index(16), _index(16)],
              {0: raw[16:32, 16:64]}, arch="a5")
    # Of rows of 24 elements, the first block and no more; of all of them in one run, the whole blocks.
    parent = Tile("f16", random_bits("f16", 66, (8, 64)), space="L1")
    # The gap between rows is one of whole blocks as well: 2 after the block that moves, so that rows begin 96 bytes apart.
    after = parent.before.copy()
    for row in range(3):
        first = 2 * 64 + 32 + 48 * row
        after[first : first + 16] = raw.ravel()[48 * row : 48 * row + 16]
    book.case("TINSERT.ub_l1.rows", "TINSERT",
              [parent, Tile("f16", raw, rows=32, cols=64, valid=(3, 24)), _index(2), _index(32)], {0: after}, arch="none")
    target = Tile("f16", None, rows=3, cols=32, space="L1", valid=(3, 24))
    after = target.before.copy()
    after[:64] = raw.ravel()[:64]
    book.case("TMOV.ub_l1.rows", "TMOV", [target, Tile("f16", raw, rows=32, cols=64, valid=(3, 64))], {0: after},
              arch="none")
    for opcode, row in (("TMOV", 0), ("TEXTRACT", 2)):
        more = [] if opcode == "TMOV" else [_index(row), _index(0)]
        book.case(f"{opcode}.ub_l1.whole", opcode,
                  [Tile("f16", None, rows=8, cols=64, space="L1", valid=(5, 64)), Tile("f16", raw), *more],
                  {0: raw[row : row + 5]}, arch="a5")


def _index(value):
    from goldens_cases import Scalar
    return Scalar("i64", value)
