"""Golden cases of isa/instructions/gather.def."""
import numpy as np

from goldens_a5 import A5
from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, to_bits
from goldens_fused import plain
from goldens_moves import random_bits


def add_cases(book):
    compared(book)
    thresholds(book)
    wide_gathers(book)
    patterns(book)


def compared(book):
    shape = (4, 37)
    for dtype, arch in (("f32", "a2a3"), ("f16", "a2a3"), ("i32", "a5"), ("u16", "a5")):
        values = inputs(dtype, 205, shape)
        values[:, ::5] = values[2, 9] if dtype[0] in "iu" else values.dtype.type(1.5)
        threshold = values[0, 5]
        for mode, function in (("eq", np.equal), ("gt", np.greater)):
            src, dst = Tile(dtype, to_bits(dtype, values)), Tile("i32", None, valid=shape)
            after, counts = dst.before.copy(), Tile("u32", None, valid=(1, 4))
            number = np.zeros((1, 4), np.uint32)
            for row in range(4):
                hits = src.index[row, np.flatnonzero(function(values[row], threshold))] + 100
                after[dst.index[row, : len(hits)]] = hits
                number[0, row] = len(hits)
            book.case(f"TGATHER.compare.{dtype}.{mode}", "TGATHER",
                      [dst, src, None, Scalar(dtype, threshold), None, counts], {0: after, 5: number}, arch=arch, cmpMode=mode, offset=100)


def thresholds(book):
    """TGATHER by comparison with an integer for each row, in a row or a column of them."""
    k = np.array([[0, -3, 5, 2]], np.int32)
    for dtype, kind in (("f32", "i32"), ("i32", "i32"), ("f16", "i16"), ("u16", "i16"), ("i8", "u16")):
        values = plain(dtype, 631, (4, 29))
        values[:, 7] = k[0].astype(values.dtype)
        for profile in ("a2a3", "a5"):
            if profile == "a2a3" and dtype in ("u16", "i8"):
                continue
            for mode in ("eq", "gt"):
                if dtype == "i32" and mode == "gt" and profile == "a2a3":
                    continue
                book.case(f"TGATHER.thresholds.{profile}.{dtype}.{mode}", "TGATHER",
                          *compared_rows(profile, mode, dtype, values, kind, k),
                          arch=f"{profile}/{profile}", cmpMode=mode, offset=100)


def compared_rows(profile, mode, dtype, values, kind, k):
    """Operands and results of TGATHER by comparison with k, one number for each row."""
    width = int(kind[1:])
    unsigned = k.astype(f"u{width // 8}")
    left, right = values, k.T
    if profile == "a5" and dtype != "f16":
        whole = np.rint(values).astype(np.int64) if dtype == "f32" else values.astype(np.int64)
        bits = 8 * values.dtype.itemsize
        left, right = whole % (1 << bits), unsigned.T.astype(np.int64)
    hit = left == right if mode == "eq" else left > right
    src, dst = Tile(dtype, to_bits(dtype, values)), Tile("u32", None, cols=64, valid=(4, 64))
    after = dst.before.copy()
    for row in range(4):
        found = np.flatnonzero(hit[row])
        step = 128 if dtype == "i8" else 64
        after[dst.index[row, : found.size]] = (
            row * step + found if profile == "a5" else src.index[row, found]) + 100
    # a5 copies the register that vstur advances (TGather.hpp: SPR_AR), which has bytes.
    sums = hit.sum(1)[None].astype(np.uint32) * np.uint32(4 if profile == "a5" else 1)
    if profile == "a2a3":
        numbers, counts = Tile(kind, unsigned), Tile("u32", None, valid=(1, 4))
        return [dst, src, None, numbers, None, counts], {0: after, 5: sums}
    numbers = Tile(kind, unsigned.T, rows=256 // width, cols=1, layout="DN")
    counts = Tile("u32", None, rows=8, cols=1, valid=(4, 1), layout="DN")
    return [dst, src, None, numbers, None, counts], {0: after, 5: sums.T}


def wide_gathers(book):
    raw = random_bits("i64", 402, (3, 15))
    for dtype, other in (("i64", 2), ("u64", 5)):
        pattern, step, first = {2: ("P1010", 2, 1), 5: ("P0100", 4, 2)}[other]
        taken = raw[:, : 15 // step * step][:, first::step]
        dst = Tile(dtype, None, rows=4, cols=24, valid=(3, taken.shape[1]))
        after = dst.before.copy()
        for row in range(3):
            after[row * (24 // step):][: taken.shape[1]] = taken[row]
        book.case(f"TGATHER.{dtype}.{pattern}.a5", "TGATHER",
                  [dst, Tile(dtype, raw, rows=4, cols=24)], {0: after}, arch=A5,
                  maskPattern=pattern)


def patterns(book):
    """Read from the right: P0001 takes the first of four, P1000 the last."""
    lanes = {"P0101": [0, 2], "P1010": [1, 3], "P0001": [0], "P0010": [1], "P0100": [2],
             "P1000": [3], "P1111": [0, 1, 2, 3]}
    for dtype in ("f32", "u16"):
        raw = random_bits(dtype, 503, (3, 32))
        for name, taken in lanes.items():
            columns = [c for c in range(32) if c % 4 in taken]
            dst = Tile(dtype, None, valid=(3, 32))
            after = dst.before.copy()
            after[: 3 * len(columns)] = raw[:, columns].ravel()
            book.case(f"TGATHER.{dtype}.{name}.row", "TGATHER", [dst, Tile(dtype, raw)], {0: after},
                      maskPattern=name, axis="row")
            few = raw[:, : len(columns)]
            spread = np.zeros((3, 32), raw.dtype)
            spread[:, columns] = few
            book.case(f"TSCATTER.{dtype}.{name}.row", "TSCATTER",
                      [Tile(dtype, None, valid=(3, 32)), Tile(dtype, few, cols=32)], {0: spread},
                      maskPattern=name, axis="row")
