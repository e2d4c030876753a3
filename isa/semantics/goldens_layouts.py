"""Copies between two layouts, which show every index of both. Not all of them are paths of TMOV:
those without an architecture are only run."""
import numpy as np

from goldens_cases import Tile
from goldens_moves import random_bits


def add_cases(book):
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
