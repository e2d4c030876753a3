"""Between global memory and tiles, and between on-chip memories; padding and rearrangement."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import SENTINEL, Tile, View, bf16_round, carrier, order, to_bits


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
    loads_and_stores(book)
    accumulators(book)
    on_chip(book)
    rearrangements(book)


def loads_and_stores(book):
    for dtype in ("f32", "f16", "i8", "i64"):
        raw = random_bits(dtype, 41, (5, 11))
        for layout in ("ND", "DN"):
            shape = dict(rows=5) if layout == "ND" else dict(rows=32, cols=11)
            view = dense_view(dtype, raw, layout, 37)
            book.case(f"TLOAD.{dtype}.{layout}", "TLOAD",
                      [Tile(dtype, None, layout=layout, valid=(5, 11), **shape), view], {0: raw})
            target = dense_view(dtype, raw * 0 + 7, layout, 37)
            after = dense_view(dtype, raw, layout, 37).before
            book.case(f"TSTORE.{dtype}.{layout}", "TSTORE",
                      [target, Tile(dtype, raw, layout=layout, **shape)], {0: after})
    # Five dimensions: rows are dims 0..3 of ND, columns dims 0..2 and 4 of DN.
    memory = np.arange(1000, 1000 + 2 * 3 * 2 * 4 * 16, dtype=np.uint16).reshape(2, 3, 2, 4, 16)
    stride = (384, 128, 64, 16, 1)
    book.case("TLOAD.nd_5d", "TLOAD",
              [Tile("f16", None, valid=(36, 10)),
               View("f16", memory, (2, 3, 2, 3, 10), stride)],
              {0: memory[:, :, :, :3, :10].reshape(36, 10)})
    turned = memory.transpose(3, 0, 1, 2, 4)  # DN: dim 3 is rows, its stride is 1
    book.case("TLOAD.dn_5d", "TLOAD",
              [Tile("f16", None, rows=16, cols=36, layout="DN", valid=(10, 36)),
               View("f16", memory, (2, 3, 2, 10, 3), (384, 128, 64, 1, 16), "DN")],
              {0: memory[:, :, :, :3, :10].transpose(4, 0, 1, 2, 3).reshape(10, 36)})
    del turned
    # Fractals in global memory, [c1, r1, 16, c0].
    matrix = random_bits("f16", 42, (32, 32))
    fractals = matrix.reshape(2, 16, 2, 16).transpose(2, 0, 1, 3)
    view = View("f16", fractals, (1, 2, 2, 16, 16), (1024, 512, 256, 16, 1), "NZ")
    book.case("TLOAD.nz_nz", "TLOAD",
              [Tile("f16", None, rows=48, cols=32, space="L1", layout="NZ", valid=(32, 32)), view],
              {0: matrix})
    book.case("TSTORE.nz_nz", "TSTORE",
              [View("f16", fractals * 0, view.shape, view.stride, "NZ"),
               Tile("f16", matrix, rows=48, cols=32, space="L1", layout="NZ")], {0: view.before})
    for dtype in ("f32", "f16", "i8"):
        unit = {"f32": 8, "f16": 16, "i8": 32}[dtype]
        raw = random_bits(dtype, 43, (21, 37))
        book.case(f"TLOAD.{dtype}.nd_nz", "TLOAD",
                  [Tile(dtype, None, rows=32, cols=64, space="L1", layout="NZ", valid=(21, 37)),
                   dense_view(dtype, raw, "ND", 50)],
                  {0: np.pad(raw, ((0, 0), (0, -37 % unit)))})  # the last boxes are filled with 0
        book.case(f"TLOAD.{dtype}.dn_zn", "TLOAD",
                  [Tile(dtype, None, rows=2 * unit if unit > 16 else 32, cols=48, space="L1",
                        layout="ZN", valid=(21, 37)),
                   dense_view(dtype, raw, "DN", 50)],
                  {0: np.pad(raw, ((0, -21 % unit), (0, 0)))})
    # A vector between row and column form.
    raw = random_bits("f32", 44, (1, 24))
    book.case("TLOAD.vector_to_column", "TLOAD",
              [Tile("f32", None, rows=32, cols=1, layout="DN", valid=(24, 1)),
               dense_view("f32", raw, "ND")], {0: raw.T})
    # The last 32-byte block of a row takes the pad value, and nothing beyond it does.
    raw = random_bits("f16", 45, (3, 21))
    for pad, value in ((1, 0), (2, 0x7C00), (3, 0xFC00)):
        tile = Tile("f16", None, cols=48, pad=pad, valid=(3, 21))
        padded = np.full((3, 32), value, np.uint16)
        padded[:, :21] = raw
        book.case(f"TLOAD.pad{pad}", "TLOAD", [tile, dense_view("f16", raw)],
                  {0: tile.image(padded, tile.before.copy())})
    # A row that ends with its block takes none.
    tile = Tile("f16", None, cols=48, pad=2, valid=(3, 16))
    book.case("TLOAD.pad.whole_block", "TLOAD", [tile, dense_view("f16", raw[:, :16])],
              {0: raw[:, :16]})
    for mode, function in (("atomic_add", np.add), ("atomic_max", np.maximum),
                           ("atomic_min", np.minimum)):
        for dtype in ("f32", "f16", "i32", "i16"):
            rng = np.random.default_rng(46)
            a, b = (rng.integers(-99, 99, (4, 17)) for _ in range(2))
            kind = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i16": np.int16}[dtype]
            a, b = a.astype(kind), b.astype(kind)
            book.case(f"TSTORE.{dtype}.{mode}", "TSTORE",
                      [dense_view(dtype, to_bits(dtype, a), "ND", 20), Tile(dtype, to_bits(dtype, b))],
                      {0: dense_view(dtype, to_bits(dtype, function(a, b)), "ND", 20).before},
                      atomicType=mode)


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
            book.case(f"TMOV.acc_l1.{dtype}.{mode}", "TMOV",
                      [Tile(dtype, None, rows=32, cols=32, space="L1", layout="NZ",
                            valid=(21, 19)), acc], {0: out}, reluPreMode=mode)
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
                          {0: raw[: size - 5, : size - 9]}, arch=arch)
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
    parent = Tile("bf16", random_bits("bf16", 56, (48, 48)), space="L1", layout="NZ")
    values = inputs("f32", 57, (32, 16))
    acc = Tile("f32", to_bits("f32", values), space="L0C", layout="NZ", fractal=1024, cols=16)
    after = parent.before.copy()
    after[parent.index[16:48, 32:48]] = to_bits("bf16", bf16_round(values))
    book.case("TINSERT.acc_l1", "TINSERT", [parent, acc, _index(16), _index(32)], {0: after})


def _index(value):
    from goldens_cases import Scalar
    return Scalar("i64", value)


def rearrangements(book):
    for dtype in ("f32", "f16", "i8"):
        raw = random_bits(dtype, 61, (11, 13))
        book.case(f"TTRANS.{dtype}", "TTRANS",
                  [Tile(dtype, None, valid=(13, 11)), Tile(dtype, raw)], {0: raw.T})
        other = random_bits(dtype, 62, (11, 30))
        book.case(f"TCONCAT.{dtype}", "TCONCAT",
                  [Tile(dtype, None, cols=64, valid=(11, 43)), Tile(dtype, raw),
                   Tile(dtype, other)], {0: np.hstack([raw, other])})
        for pad in (1, 2, 3) if dtype == "f16" else (3,):
            value = {"f32": (0, 0x7F800000, 0xFF800000), "f16": (0, 0x7C00, 0xFC00),
                     "i8": (0, 127, 128)}[dtype][pad - 1]
            for opcode, rows, cols in (("TFILLPAD", 16, 32), ("TFILLPAD_INPLACE", 16, 32),
                                       ("TFILLPAD_EXPAND", 17, 64)):
                filled = np.full((rows, cols), value, carrier(dtype))
                filled[:11, :13] = raw
                book.case(f"{opcode}.{dtype}.pad{pad}", opcode,
                          [Tile(dtype, None, rows=rows, cols=cols, pad=pad, valid=(rows, cols)),
                           Tile(dtype, raw, rows=16, cols=32)], {0: filled})
