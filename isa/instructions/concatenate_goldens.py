"""Golden cases of isa/instructions/concatenate.def."""
import numpy as np

from goldens_cases import Tile, carrier
from goldens_moves import random_bits


def add_cases(book):
    concatenated(book)


def concatenated(book):
    a, b = random_bits("f16", 206, (5, 20)), random_bits("f16", 207, (5, 30))
    for index in ("i32", "u8"):
        size = 4 if index == "i32" else 1
        first, second = np.array([3, 20, 0, 25, 20]), np.array([4, 30, 7, 2, 29])
        dst = Tile("f16", None, cols=48, valid=(5, 40))
        after, total = dst.before.copy(), np.zeros((5, 1), carrier(index))
        for row in range(5):
            line = np.concatenate([a[row, : first[row]], b[row, : second[row]]])[:40]
            after[dst.index[row, : len(line)]] = line
            total[row] = len(line) * size
        column = lambda v: Tile(index, (v * size)[:, None])
        book.case(f"TCONCATIDX.{index}", "TCONCATIDX",
                  [dst, Tile("f16", a), Tile("f16", b), column(first), column(second),
                   Tile(index, None, valid=(5, 1))], {0: after, 5: total})
