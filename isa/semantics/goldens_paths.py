"""Scales on the way out of L0C; moves and their windows."""
import numpy as np

from goldens_cases import Scalar, Tile, View
from goldens_moves import dense_view, random_bits


def index(value):
    return Scalar("i64", value)


def add_cases(book):
    scales(book)


def move(book, opcode, name, source, target, raw, row=0, col=0, arch="a5", moved=None):
    """TMOV or TEXTRACT of a window at (row, col): `moved` rows and columns, or the target's valid region."""
    rows, cols = moved or target.valid
    part = raw[row: row + rows, col: col + cols]
    more = [] if opcode == "TMOV" else [index(row), index(col)]
    book.case(f"{opcode}.path.{name}", opcode, [target, source] + more, {0: part}, arch=arch)


def scales(book):
    """e8m0 scales from global memory to L1 and on to the buffers for scales of L0A and L0B."""
    raw = random_bits("e8m0", 401, (48, 6))
    rows = raw.shape[0]
    pairs = raw.reshape(48, 3, 2)
    views = {
        "MX_A_ND": View("e8m0", pairs, (1, 1, 48, 3, 2), (288, 288, 6, 2, 1), "MX_A_ND"),
        "MX_A_DN": View("e8m0", pairs.transpose(1, 0, 2), (1, 1, 3, 48, 2), (288, 288, 96, 2, 1),
                        "MX_A_DN"),
        "MX_A_ZZ": View("e8m0", pairs.reshape(3, 16, 3, 2).transpose(0, 2, 1, 3),
                        (1, 3, 3, 16, 2), (288, 96, 32, 2, 1), "MX_A_ZZ"),
    }
    for name, view in views.items():
        book.case(f"TLOAD.path.{name}", "TLOAD",
                  [Tile("e8m0", None, rows=64, cols=8, space="L1", layout="ZZ", fractal=32,
                        valid=raw.shape), view], {0: raw}, arch="a5")
    two = View("e8m0", np.stack([pairs.reshape(3, 16, 3, 2).transpose(0, 2, 1, 3)] * 2),
               (2, 3, 3, 16, 2), (288, 96, 32, 2, 1), "MX_A_ZZ")
    book.case("TLOAD.path.MX_A_ZZ.two", "TLOAD",
              [Tile("e8m0", None, rows=96, cols=6, space="L1", layout="ZZ", fractal=32,
                    valid=(2 * rows, 6)), two], {0: np.vstack([raw, raw])}, arch="a5")
    turned = raw.T  # k x n
    views = {
        "MX_B_ND": View("e8m0", pairs.transpose(1, 0, 2), (1, 1, 3, 48, 2), (288, 288, 96, 2, 1),
                        "MX_B_ND"),
        "MX_B_DN": View("e8m0", pairs, (1, 1, 48, 3, 2), (288, 288, 6, 2, 1), "MX_B_DN"),
        "MX_B_NN": View("e8m0", pairs.reshape(3, 16, 3, 2).transpose(0, 2, 1, 3),
                        (1, 3, 3, 16, 2), (288, 96, 32, 2, 1), "MX_B_NN"),
    }
    for name, view in views.items():
        book.case(f"TLOAD.path.{name}", "TLOAD",
                  [Tile("e8m0", None, rows=8, cols=64, space="L1", layout="NN", fractal=32,
                        valid=turned.shape), view], {0: turned}, arch="a5")
    line = random_bits("e8m0", 402, (1, 32))
    book.case("TLOAD.path.scale_vector", "TLOAD",
              [Tile("e8m0", None, cols=32, space="L1", layout="ZZ", fractal=32, valid=(1, 32)),
               dense_view("e8m0", line)], {0: line}, arch="a5")
    for space, layout, bits in (("SCALEA", "ZZ", raw), ("SCALEB", "NN", turned)):
        shape = (64, 8) if layout == "ZZ" else (8, 64)
        source = Tile("e8m0", bits, rows=shape[0], cols=shape[1], space="L1", layout=layout, fractal=32)
        target = lambda r, c, v: Tile("e8m0", None, rows=r, cols=c, space=space, layout=layout,
                                      fractal=32, valid=v)
        move(book, "TMOV", f"{space}", source, target(*shape, bits.shape), bits)
        small = (16, 2) if layout == "ZZ" else (2, 16)
        move(book, "TEXTRACT", f"{space}", source, target(*small, small), bits, *small[:1],
             small[1])
    table = random_bits("u64", 403, (1, 32))
    book.case("TMOV.path.fixpipe", "TMOV",
              [Tile("u64", None, cols=32, space="FIXPIPE", valid=(1, 32)),
               Tile("u64", table, space="L1")], {0: table})
