"""Golden cases of isa/instructions/move.def."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, bf16_round, to_bits
from goldens_moves import random_bits
from goldens_paths import index, move


def add_cases(book):
    between_layouts(book)
    exponents(book)
    windows(book)
    accumulators(book)
    splits(book)


def between_layouts(book):
    # On A5 UB tiles move between all layouts.
    for dtype, size in (("f32", 16), ("f16", 32), ("i8", 32)):
        raw = random_bits(dtype, 71, (size, size))
        for source in ("ND", "DN", "NZ", "ZN", "ZZ", "NN"):
            for target in ("ND", "DN", "NZ", "ZN", "ZZ", "NN"):
                if dtype == "f16" or source == "ND" and target != "ND":
                    add(book, dtype, raw, source, target)


def add(book, dtype, raw, source, target):
    size = len(raw)
    path = source == target or (source == "ND" and target in ("NZ", "ZN", "ZZ"))
    book.case(f"TMOV.{dtype}.{source}_{target}", "TMOV",
              [Tile(dtype, None, rows=size, cols=size, layout=target, valid=(size - 3, size - 9)),
               Tile(dtype, raw, layout=source)], {0: raw[: size - 3, : size - 9]}, arch="a5" if path else "none")


def exponents(book):
    """Bytes after the last row of exponents become zero, up to the end of the source."""
    for room in (320, 256):
        raw = random_bits("u8", 239, (37, 6))
        filled = np.zeros((48, 6), np.uint8)
        filled[:37] = raw
        source = Tile("u8", raw.reshape(1, -1), cols=room)
        dst = Tile("u8", None, rows=48, cols=6, layout="ZZ", fractal=32, valid=raw.shape)
        boxes, behind = dst.before.copy(), source.before.copy()
        boxes[dst.index] = filled
        behind[: filled.size] = filled.ravel()[:room]
        book.case(f"TMOV.a5.boxes.{room}", "TMOV",
                  [dst, source, None, None, Tile("u8", None, valid=(1, 96))], {0: boxes, 1: behind},
                  arch="a5/a5")


def insert(book, name, parent, source, raw, row, col, arch="a5"):
    after = parent.before.copy()
    after[parent.index[row: row + raw.shape[0], col: col + raw.shape[1]]] = raw
    book.case(f"TINSERT.path.{name}", "TINSERT", [parent, source, index(row), index(col)],
              {0: after}, arch=arch)


def windows(book):
    raw = random_bits("f16", 404, (32, 48))
    nz = Tile("f16", raw, layout="NZ")
    for opcode in ("TMOV", "TEXTRACT"):
        at = (0, 0) if opcode == "TMOV" else (16, 16)
        for space in ("UB", "L1"):
            if opcode == "TMOV" and space == "UB":
                continue
            arch = "a2a3" if space == "UB" else "a5"
            move(book, opcode, f"NZ_{space}", nz,
                 Tile("f16", None, rows=32 if opcode == "TMOV" else 16,
                      cols=48 if opcode == "TMOV" else 16, space=space, layout="NZ",
                      valid=(13, 16)), raw, *at, arch=arch, moved=(16 if space == "L1" else 13, 16))
        # As many bytes as the valid region has, in one run: pto-isa's TExtractVecToMat.
        target = Tile("f16", None, rows=32, cols=48 if opcode == "TMOV" else 16, space="L1", valid=(13, 16))
        after, first = target.before.copy(), at[0] * 48 + at[1]
        after[: 13 * 16] = raw.ravel()[first : first + 13 * 16]
        more = [] if opcode == "TMOV" else [index(i) for i in at]
        book.case(f"{opcode}.path.ND_L1", opcode, [target, Tile("f16", raw), *more], {0: after}, arch="none")
    move(book, "TEXTRACT", "ND_NZ", Tile("f16", raw),
         Tile("f16", None, rows=16, cols=16, layout="NZ", valid=(16, 16)), raw, 16, 32, arch="a2a3")
    part = random_bits("f16", 405, (16, 16))
    for layout in ("ND", "NZ", "ZN", "ZZ"):
        for space in ("UB", "L1"):
            if space == "UB" and layout != "NZ":
                continue
            insert(book, f"{layout}_{space}", Tile("f16", raw, space=space, layout=layout),
                   Tile("f16", part, layout=layout), part, 16, 32,
                   arch="a2a3" if space == "UB" else "a5")
    scale = random_bits("e8m0", 406, (32, 4))
    insert(book, "scales", Tile("e8m0", scale, space="L1", layout="ZZ", fractal=32),
           Tile("e8m0", scale[:16, :2], layout="ZZ", fractal=32), scale[:16, :2], 16, 2)


def accumulators(book):
    values = inputs("f32", 407, (32, 48))
    raw = to_bits("f32", values)
    acc = Tile("f32", raw, space="L0C", layout="NZ", fractal=1024)
    convert = {"f32": lambda v: to_bits("f32", v), "f16": lambda v: to_bits("f16", v.astype(np.float16)),
               "bf16": lambda v: to_bits("bf16", bf16_round(v))}
    for dtype, function in convert.items():
        out = raw if dtype == "f32" else function(values)
        for space in ("L1", "UB"):
            for layout in ("ND", "DN", "NZ"):
                tile = lambda r, c, v: Tile(dtype, None, rows=r, cols=c, space=space, layout=layout,
                                            valid=v)
                tag = f"acc.{dtype}.{space}.{layout}"
                move(book, "TMOV", tag, acc, tile(32, 48, (29, 43)), out,
                     moved=(32, 48) if layout == "NZ" else None)  # boxes
                if layout != "DN":
                    move(book, "TEXTRACT", tag, acc, tile(32, 16, (13, 16)), out, 16, 32)
                if space == "UB" or layout == "NZ":
                    kept = random_bits(dtype, 408, (64, 64))
                    insert(book, tag, Tile(dtype, kept, space=space, layout=layout), acc, out, 16, 16)
    move(book, "TEXTRACT", "acc.a2a3", acc,
         Tile("f16", None, rows=32, cols=16, space="L1", layout="NZ", valid=(13, 16)),
         convert["f16"](values), 16, 32, arch="a2a3")


def splits(book):
    whole, part = random_bits("f16", 621, (32, 96)), random_bits("f16", 622, (16, 64))
    for mode in ("split2", "split4"):
        tile = Tile("f16", whole, space="L1", layout="NZ")
        after = tile.before.copy()
        after[tile.index[16:32, 16:80]] = part
        book.case(f"TINSERT.{mode}", "TINSERT",
                  [tile, Tile("f16", part, layout="NZ"), Scalar("i64", 16), Scalar("i64", 16)],
                  {0: after}, arch="a5", insertMode=mode)
