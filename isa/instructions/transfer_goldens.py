"""Golden cases of isa/instructions/transfer.def."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, View, bf16_round, to_bits, width
from goldens_convolution import empty, fractal, nc1hwc0, text
from goldens_forms import encode
from goldens_fused import plain
from goldens_modes import nz_view
from goldens_moves import dense_view, random_bits


def add_cases(book):
    loads_and_stores(book)
    small_floats(book)
    loads(book)
    global_memory(book)
    filled_blocks(book)
    deep_channels(book)
    images(book)


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


def small_floats(book):
    """The fixpipe on a5: f32 times a scale in e4m3, f32, f16 and bf16."""
    shape = (21, 19)
    values = plain("f32", 212, shape) * np.float32(30)
    scale = np.float32(0.71875)
    acc = Tile("f32", to_bits("f32", values), rows=32, cols=32, space="L0C", layout="NZ",
               fractal=1024)
    scaled = values * scale
    results = {
        "e4m3": np.vectorize(lambda v: encode("e4m3", v), otypes=[np.uint8])(scaled),
        "f32": to_bits("f32", scaled), "f16": to_bits("f16", scaled.astype(np.float16)),
        "bf16": to_bits("bf16", bf16_round(scaled)),
    }
    for dtype, raw in results.items():
        target = lambda r: dense_view(dtype, r, "ND", 25)
        book.case(f"TSTORE.scaled.{dtype}", "TSTORE",
                  [target(raw * 0), acc, None, Scalar("f32", scale)], {0: target(raw).before},
                  arch="a5")


def dense(shape):
    return tuple(int(np.prod(shape[i + 1:])) for i in range(len(shape)))


def load(book, name, arch, dtype, view, shape, layout, result, keep=None):
    dst = empty(dtype, int(np.prod(shape)))
    after = np.ascontiguousarray(result).ravel()
    if keep is not None:
        after = np.where(keep.ravel(), dst.before[: after.size], after)
    image = dst.before.copy()
    image[: after.size] = after
    book.case(name, "TLOAD", [dst, view], {0: image}, arch=arch, dstConv=text(layout, shape))


def view_of(dtype, array, layout, leading=0, gap=0):
    """The array as a view with its second dimension `gap` elements further apart."""
    memory = np.ascontiguousarray(array)
    stride = list(dense(memory.shape))
    if gap:
        lines = memory.reshape(memory.shape[0], memory.shape[1], -1)
        room = np.full((*lines.shape[:2], lines.shape[2] + gap), 5, memory.dtype)
        room[:, :, : lines.shape[2]] = lines
        memory = room
        stride[1] += gap
        stride[0] = stride[1] * array.shape[1]
    shape = (1,) * leading + array.shape
    return View(dtype, memory, shape, (stride[0] * shape[leading],) * leading + tuple(stride),
                layout)


def loads(book):
    for arch in ("a2a3", "a5"):
        for dtype in ("i8", "f16", "f32"):
            c0 = 256 // width(dtype)
            image = random_bits(dtype, 242, (2, 3, 4, 5, c0))
            load(book, f"TLOAD.{arch}.{dtype}.nc1hwc0", arch, dtype,
                 view_of(dtype, image, "NC1HWC0", gap=c0), image.shape, "NC1HWC0", image)
            filters = random_bits(dtype, 243, (6, 2, 16, c0))
            load(book, f"TLOAD.{arch}.{dtype}.fractal_z", arch, dtype,
                 view_of(dtype, filters, "FRACTAL_Z", leading=1), filters.shape, "FRACTAL_Z",
                 filters)
            filters = random_bits(dtype, 244, (2, 3, 2, 7, c0))
            load(book, f"TLOAD.{arch}.{dtype}.fractal_z_5d", arch, dtype,
                 view_of(dtype, filters, "FRACTAL_Z", gap=2 * c0), filters.shape, "FRACTAL_Z",
                 filters)
    image = random_bits("f16", 245, (2, 2, 2, 3, 4, 16))
    view = View("f16", image, (2, 2, 2, 3, 4), dense(image.shape)[:5], "NDC1HWC0")
    load(book, "TLOAD.a2a3.ndc1hwc0", "a2a3", "f16", view, image.shape, "NDC1HWC0", image)
    filters = random_bits("f16", 246, (12, 2, 16, 16))
    load(book, "TLOAD.a2a3.fractal_z_3d", "a2a3", "f16",
         view_of("f16", filters, "FRACTAL_Z_3D", leading=1), filters.shape, "FRACTAL_Z_3D", filters)
    for dtype in ("i8", "f16", "f32", "e4m3"):
        c0 = 256 // width(dtype)
        image = random_bits(dtype, 247, (2, c0 + 3, 4, 5))
        five = nc1hwc0(image, c0)
        load(book, f"TLOAD.a5.{dtype}.nchw_nc1hwc0", "a5", dtype,
             view_of(dtype, image, "NCHW", leading=1, gap=7), five.shape, "NC1HWC0", five)
        rows = np.moveaxis(image, 1, -1)
        load(book, f"TLOAD.a5.{dtype}.nhwc_nc1hwc0", "a5", dtype,
             view_of(dtype, rows, "NHWC", leading=1), five.shape, "NC1HWC0", five)
        filters = random_bits(dtype, 248, (19, c0 + 3, 2, 3))
        four = fractal(filters, c0)
        missing = fractal(np.ones_like(filters), c0).reshape(-1, 32, c0)[:, :, :1] == 0
        missing = np.broadcast_to(missing, (four.shape[0], 32, c0))
        load(book, f"TLOAD.a5.{dtype}.nchw_fractal_z", "a5", dtype,
             view_of(dtype, filters, "NCHW", leading=1), four.shape, "FRACTAL_Z", four,
             keep=missing)
    deep = random_bits("f16", 249, (2, 19, 3, 2, 5))
    six = np.moveaxis(nc1hwc0(deep, 16), 2, 1)  # [n, c1, d, ...] to [n, d, c1, ...]
    load(book, "TLOAD.a5.ncdhw_ndc1hwc0", "a5", "f16", view_of("f16", deep, "NCDHW"), six.shape,
         "NDC1HWC0", six)
    filters = random_bits("f16", 250, (16, 19, 3, 2, 2))
    four = fractal(filters, 16)
    load(book, "TLOAD.a5.ncdhw_fractal_z_3d", "a5", "f16", view_of("f16", filters, "NCDHW"),
         four.shape, "FRACTAL_Z_3D", four)


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


def filled_blocks(book):
    """The last block of an NZ tile leaves whole."""
    matrix = random_bits("i8", 623, (32, 64))
    view = nz_view("i8", matrix * 0)
    tile = Tile("i8", matrix, layout="NZ")
    tile.valid = (32, 63)
    book.case("TSTORE.NZ.filled", "TSTORE", [view, tile], {0: nz_view("i8", matrix).before})


def deep_channels(book):
    """L0C into [n, d, c1, h, w] blocks of c0: columns are depth and channels."""
    values = inputs("f32", 632, (12, 96))
    for dtype, bits, c0 in (("f16", to_bits("f16", values.astype(np.float16)), 16),
                            ("f32", to_bits("f32", values), 8)):
        six = bits.reshape(1, 3, 4, 2, 48 // c0, c0).transpose(0, 3, 4, 1, 2, 5)
        stride = tuple(int(np.prod(six.shape[i + 1:])) for i in range(5))
        blocks = lambda array: View(dtype, array, six.shape[:5], stride, "NDC1HWC0")
        acc = Tile("f32", to_bits("f32", values), rows=16, space="L0C", layout="NZ", fractal=1024)
        book.case(f"TSTORE.acc.NDC1HWC0.{dtype}", "TSTORE", [blocks(six * 0), acc],
                  {0: blocks(six).before})


def images(book):
    """Positions are rows of the accumulator, channels its columns; with gaps in global memory."""
    n, c, h, w = 2, 19, 3, 5
    values = plain("f32", 407, (n * h * w, c))
    acc = Tile("f32", to_bits("f32", values), rows=32, cols=32, space="L0C", layout="NZ",
               fractal=1024)
    whole = {"NHWC": (1, n, h + 1, w, c), "NCHW": (1, n, c + 2, h, w), "NCDHW": (n, c, 3, h, w)}
    shape = {"NHWC": (1, n, h, w, c), "NCHW": (1, n, c, h, w), "NCDHW": (n, c, 1, h, w)}
    for dtype in ("f32", "f16", "bf16"):
        raw = {"f32": lambda v: v, "f16": lambda v: v.astype(np.float16), "bf16": bf16_round}[dtype]
        cells = to_bits(dtype, raw(values)).reshape(n, h, w, c)
        for layout in whole:
            memory = np.full(whole[layout], 0xA5A5 if width(dtype) == 16 else 0xA5A5A5A5,
                             cells.dtype)
            before, window = memory.copy(), tuple(slice(0, e) for e in shape[layout])
            turned = cells if layout == "NHWC" else cells.transpose(0, 3, 1, 2)
            memory[window] = turned.reshape(shape[layout])
            stride = [int(np.prod(whole[layout][i + 1:])) for i in range(5)]
            book.case(f"TSTORE.acc.{layout}.{dtype}", "TSTORE",
                      [View(dtype, before, shape[layout], stride, layout), acc],
                      {0: memory.ravel()}, arch="a5")
