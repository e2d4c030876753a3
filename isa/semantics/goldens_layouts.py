"""Copies between two layouts, which show every index of both."""
import numpy as np

from goldens_cases import Tile
from goldens_moves import random_bits


def add_cases(book):
    # On A5 UB tiles move between all layouts.
    for dtype in ("f32", "f16", "i8"):
        raw = random_bits(dtype, 71, (32, 32))
        for source in ("ND", "DN", "NZ", "ZN", "ZZ", "NN"):
            for target in ("ND", "DN", "NZ", "ZN", "ZZ", "NN"):
                if dtype != "f16" and source not in ("ND", target):
                    continue
                book.case(f"TMOV.{dtype}.{source}_{target}", "TMOV",
                          [Tile(dtype, None, rows=32, cols=32, layout=target, valid=(29, 23)),
                           Tile(dtype, raw, layout=source)], {0: raw[:29, :23]}, arch="a5")
