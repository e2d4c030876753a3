"""Every path between memories and layouts: what the other files leave out."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, View, bf16_round, to_bits
from goldens_moves import dense_view, random_bits


def index(value):
    return Scalar("i64", value)


def add_cases(book):
    scales(book)
    windows(book)
    accumulators(book)
    global_memory(book)


def move(book, opcode, name, source, target, raw, row=0, col=0, arch="a5"):
    """TMOV or TEXTRACT of the window of the target's valid region at (row, col)."""
    rows, cols = target.valid
    part = raw[row: row + rows, col: col + cols]
    more = [] if opcode == "TMOV" else [index(row), index(col)]
    book.case(f"{opcode}.path.{name}", opcode, [target, source] + more, {0: part}, arch=arch)


def insert(book, name, parent, source, raw, row, col, arch="a5"):
    after = parent.before.copy()
    after[parent.index[row: row + raw.shape[0], col: col + raw.shape[1]]] = raw
    book.case(f"TINSERT.path.{name}", "TINSERT", [parent, source, index(row), index(col)],
              {0: after}, arch=arch)


def scales(book):
    """e8m0 scales from global memory to L1 and on to the buffers beside L0A and L0B."""
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
                      valid=(13, 16)), raw, *at, arch=arch)
        nd = Tile("f16", raw)
        move(book, opcode, "ND_L1", nd,
             Tile("f16", None, rows=32, cols=48 if opcode == "TMOV" else 16, space="L1",
                  valid=(13, 16)), raw, *at)
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
                move(book, "TMOV", tag, acc, tile(32, 48, (29, 43)), out)
                if layout != "DN":
                    move(book, "TEXTRACT", tag, acc, tile(32, 16, (13, 16)), out, 16, 32)
                if space == "UB" or layout == "NZ":
                    kept = random_bits(dtype, 408, (64, 64))
                    insert(book, tag, Tile(dtype, kept, space=space, layout=layout), acc, out, 16, 16)
    move(book, "TEXTRACT", "acc.a2a3", acc,
         Tile("f16", None, rows=32, cols=16, space="L1", layout="NZ", valid=(13, 16)),
         convert["f16"](values), 16, 32, arch="a2a3")


def global_memory(book):
    raw = random_bits("f16", 409, (5, 11))
    for layout in ("ND", "DN"):
        shape = dict(rows=5) if layout == "ND" else dict(rows=16, cols=11)
        view = dense_view("f16", raw, layout, 37)
        book.case(f"TLOAD.path.L1.{layout}", "TLOAD",
                  [Tile("f16", None, layout=layout, space="L1", valid=(5, 11), **shape), view],
                  {0: raw})
        target = dense_view("f16", raw * 0 + 7, layout, 37)
        book.case(f"TSTORE.path.L1.{layout}", "TSTORE",
                  [target, Tile("f16", raw, layout=layout, space="L1", **shape)], {0: view.before})
    raw = random_bits("f16", 410, (21, 37))
    book.case("TLOAD.path.DN_NZ", "TLOAD",
              [Tile("f16", None, rows=32, cols=48, space="L1", layout="NZ", valid=(21, 37)),
               dense_view("f16", raw, "DN", 50)], {0: raw}, arch="a5")
    matrix = random_bits("f16", 411, (32, 32))
    fractals = matrix.reshape(2, 16, 2, 16).transpose(2, 0, 1, 3)
    view = View("f16", fractals, (1, 2, 2, 16, 16), (1024, 512, 256, 16, 1), "NZ")
    book.case("TLOAD.path.UB.NZ", "TLOAD",
              [Tile("f16", None, rows=32, cols=32, layout="NZ", valid=(32, 32)), view], {0: matrix})
    book.case("TSTORE.path.UB.NZ", "TSTORE",
              [View("f16", fractals * 0, view.shape, view.stride, "NZ"),
               Tile("f16", matrix, layout="NZ")], {0: view.before})
    values = inputs("f32", 412, (24, 32))
    half = to_bits("f16", values.astype(np.float16))
    acc = Tile("f32", to_bits("f32", values), rows=32, space="L0C", layout="NZ", fractal=1024)
    # DN and blocks of channels: two images of 3 x 4.
    target = lambda r: dense_view("f16", r, "DN", 37)
    book.case("TSTORE.path.acc.DN", "TSTORE", [target(half * 0), acc], {0: target(half).before},
              arch="a5")
    for dtype, bits, c0 in (("f16", half, 16), ("f32", to_bits("f32", values), 8)):
        five = bits.reshape(2, 3, 4, 32 // c0, c0).transpose(0, 3, 1, 2, 4)
        stride = tuple(int(np.prod(five.shape[i + 1:])) for i in range(5))
        blocks = lambda r: View(dtype, r, five.shape, stride, "NC1HWC0")
        book.case(f"TSTORE.path.acc.NC1HWC0.{dtype}", "TSTORE", [blocks(five * 0), acc],
                  {0: blocks(five).before})
        whole = Tile("f32", to_bits("f32", np.vstack([values, values])[:32]), space="L0C",
                     layout="NZ", fractal=1024)
        square = np.vstack([bits, bits])[:32]
        nz = square.reshape(2, 16, 32 // c0, c0).transpose(2, 0, 1, 3)
        stride = (nz.size,) + tuple(int(np.prod(nz.shape[i + 1:])) for i in range(4))
        boxes = lambda r: View(dtype, r, (1,) + nz.shape, stride, "NZ")
        book.case(f"TSTORE.path.acc.NZ.{dtype}", "TSTORE", [boxes(nz * 0), whole],
                  {0: boxes(nz).before})
