"""Operand forms and modes that came last: bits of floats, scratch, fractals in memory, exponents."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, View, to_bits, width
from goldens_convolution import conv_tile
from goldens_fused import plain
from goldens_moves import dense_view, random_bits


def add_cases(book):
    float_bits(book)
    positions(book)
    wider_concatenation(book)
    vectors_first(book)
    odd_pairs(book)
    custom_pads(book)
    fractal_tables(book)
    gathers_into_l1(book)
    unsigned_indices(book)
    exponents(book)
    splits(book)
    filled_blocks(book)
    turned_windows(book)
    hardware(book)
    thresholds(book)
    shifts(book)
    deep_channels(book)


def float_bits(book):
    for dtype in ("f16", "bf16"):
        a, b = random_bits(dtype, 601, (3, 37)), random_bits(dtype, 602, (3, 37))
        for arch in ("a2a3", "a5"):
            for name, out in (("TAND", a & b), ("TOR", a | b), ("TXOR", a ^ b)):
                book.case(f"{name}.bits.{dtype}.{arch}", name,
                          [Tile(dtype, None, valid=a.shape), Tile(dtype, a), Tile(dtype, b)],
                          {0: out}, arch=arch)
            book.case(f"TNOT.bits.{dtype}.{arch}", "TNOT",
                      [Tile(dtype, None, valid=a.shape), Tile(dtype, a)], {0: ~a}, arch=arch)


def positions(book):
    """Positions of 16 bits for sources of 16 bits."""
    for source in ("f16", "u16"):
        values = plain(source, 603, (9, 23))
        for name, function in (("MAX", np.argmax), ("MIN", np.argmin)):
            out = function(values, axis=0)[None]
            for target in ("u16", "i16"):
                book.case(f"TCOLARG{name}.{source}.{target}", f"TCOLARG{name}",
                          [Tile(target, None, valid=out.shape), Tile(source, to_bits(source, values))],
                          {0: out.astype(np.uint16)})


def wider_concatenation(book):
    a, b = random_bits("f16", 604, (5, 31)), random_bits("f16", 605, (5, 17))
    dst = Tile("f16", None, cols=64, valid=(5, 64))
    after = dst.before.copy()
    after[dst.index[:, :48]] = np.hstack([a, b])
    book.case("TCONCAT.wider", "TCONCAT", [dst, Tile("f16", a), Tile("f16", b)], {0: after})


def vectors_first(book):
    """A row of values as the first source of TCOLEXPAND*."""
    row, matrix = plain("f32", 606, (1, 21)), plain("f32", 607, (6, 21))
    for name, out in (("ADD", row + matrix), ("SUB", row - matrix), ("MUL", row * matrix),
                      ("DIV", row / matrix), ("MAX", np.fmax(row, matrix)),
                      ("MIN", np.fmin(row, matrix))):
        book.case(f"TCOLEXPAND{name}.vector_first", f"TCOLEXPAND{name}",
                  [Tile("f32", None, valid=matrix.shape), Tile("f32", to_bits("f32", row)),
                   Tile("f32", to_bits("f32", matrix))], {0: to_bits("f32", out.astype(np.float32))})


def odd_pairs(book):
    for dtype in ("f16", "f32"):
        values = plain(dtype, 608, (4, 15))
        out = values[:, 0:14:2] + values[:, 1:14:2]
        book.case(f"TPAIRREDUCESUM.{dtype}.odd", "TPAIRREDUCESUM",
                  [Tile(dtype, None, valid=out.shape), Tile(dtype, to_bits(dtype, values))],
                  {0: to_bits(dtype, out)})


def custom_pads(book):
    raw = random_bits("f16", 609, (3, 21))
    pad = 0x3C01
    dst = Tile("f16", None, rows=5, cols=48, pad=f"4:{pad}", valid=(5, 48))
    out = np.full((5, 48), pad, np.uint16)
    out[:3, :21] = raw
    book.case("TFILLPAD_EXPAND.custom", "TFILLPAD_EXPAND", [dst, Tile("f16", raw)], {0: out})
    raw = random_bits("f32", 610, (4, 13))
    dst = Tile("f32", None, cols=24, pad=f"4:{0xDEADBEEF}", valid=(4, 13))
    after = dst.before.copy()
    after[dst.index[:, :13]] = raw
    after[dst.index[:, 13:16]] = 0xDEADBEEF  # to the end of the block of 32 bytes
    book.case("TLOAD.custom_pad", "TLOAD", [dst, dense_view("f32", raw)], {0: after})


def nz_view(dtype, matrix, gap=0):
    """A matrix as column blocks of fractals, `gap` elements apart."""
    c0 = 256 // width(dtype)
    rows, cols = matrix.shape
    blocks = matrix.reshape(rows // 16, 16, cols // c0, c0).transpose(2, 0, 1, 3)
    lines = np.full((cols // c0, rows * c0 + gap), 9, matrix.dtype)
    lines[:, : rows * c0] = blocks.reshape(cols // c0, -1)
    step = rows * c0 + gap
    return View(dtype, lines, (1, cols // c0, rows // 16, 16, c0), (lines.size, step, 16 * c0, c0, 1),
                "NZ")


def fractal_tables(book):
    for dtype in ("f16", "i8", "f32"):
        c0 = 256 // width(dtype)
        table = random_bits(dtype, 611, (32, 2 * c0))
        view = nz_view(dtype, table, gap=3 * c0)
        rows = np.array([[31, 0, 17, 17, 5]], np.uint32)
        lines = Tile(dtype, None, rows=16, cols=2 * c0, layout="NZ", valid=(5, 2 * c0))
        book.case(f"MGATHER.nz.{dtype}", "MGATHER", [lines, view, Tile("u32", rows)],
                  {0: table[rows[0]]})
        at = np.random.default_rng(612).permutation(table.size)[: 5 * c0].reshape(5, c0)
        book.case(f"MGATHER.nz_elements.{dtype}", "MGATHER",
                  [Tile(dtype, None, rows=16, cols=c0, layout="NZ", valid=(5, c0)), view,
                   Tile("u32", at.astype(np.uint32))], {0: table.ravel()[at]}, coalesce="elem")
        values = random_bits(dtype, 613, (5, 2 * c0))
        after = table.copy()
        for line, value in zip(rows[0], values):
            after[line] = value
        book.case(f"MSCATTER.nz.{dtype}", "MSCATTER",
                  [view, Tile(dtype, values, rows=16, layout="NZ"), Tile("u32", rows)],
                  {0: nz_view(dtype, after, gap=3 * c0).before})
    # With the policy zero, the whole of a tile of fractals is cleared first.
    table = random_bits("f16", 614, (16, 32))
    rows = np.array([[3, 16, 2]], np.uint32)
    tile = Tile("f16", None, rows=16, cols=32, layout="NZ", valid=(3, 32))
    out = np.zeros(tile.before.shape, np.uint16)
    out[tile.index[0]], out[tile.index[2]] = table[3], table[2]
    book.case("MGATHER.nz.zero", "MGATHER", [tile, nz_view("f16", table), Tile("u32", rows)],
              {0: out}, gatherOob="zero")


def gathers_into_l1(book):
    """Indices are in global memory."""
    for arch in ("a2a3", "a5"):
        table = random_bits("f16", 615, (20, 48))
        rows = np.array([[19, 4, 4, 0, 7]], np.uint32)
        tile = Tile("f16", None, rows=16, cols=48, space="L1", layout="NZ", valid=(5, 48))
        book.case(f"MGATHER.{arch}.l1", "MGATHER",
                  [tile, dense_view("f16", table), dense_view("u32", rows)],
                  {0: table[rows[0]]}, arch=arch)
        at = np.random.default_rng(616).integers(0, table.size, (3, 20), dtype=np.uint32)
        tile = Tile("f16", None, rows=16, cols=32, space="L1", layout="NZ", valid=at.shape)
        out = np.zeros(tile.before.shape, np.uint16)  # cleared whole
        out[tile.index[:3, :20]] = table.ravel()[at]
        book.case(f"MGATHER.{arch}.l1_elements", "MGATHER",
                  [tile, dense_view("f16", table), dense_view("i32", at, pitch=24),
                   dense_view("f16", np.zeros((16, 32), np.uint16))], {0: out}, arch=arch,
                  coalesce="elem")


def unsigned_indices(book):
    """-3 is 4294967293, which is beyond the last row."""
    table = random_bits("u16", 617, (9, 16))
    wild = np.array([[3, -3, 8]], np.int32).view(np.uint32)
    for policy, used in (("clamp", np.minimum(wild, 8)), ("wrap", wild % 9)):
        book.case(f"MGATHER.unsigned.{policy}", "MGATHER",
                  [Tile("u16", None, valid=(3, 16)), dense_view("u16", table), Tile("i32", wild)],
                  {0: table[used[0]]}, gatherOob=policy)


def exponents(book):
    """Exponents of block-scaled floats into boxes of 16 x 2."""
    for dtype in ("u8", "e8m0", "hif8"):
        raw = random_bits(dtype, 618, (37, 6))
        flat = Tile(dtype, raw.reshape(1, -1))
        dst = Tile(dtype, None, rows=48, cols=6, layout="ZZ", fractal=32, valid=raw.shape)
        filled = np.zeros((48, 6), np.uint8)
        filled[:37] = raw
        after = dst.before.copy()
        after[dst.index] = filled
        book.case(f"TMOV.boxes.{dtype}", "TMOV",
                  [dst, flat, None, None, Tile(dtype, None, valid=(1, 64))], {0: after}, arch="a5")
        down = random_bits(dtype, 619, (4, 64))
        dst = Tile(dtype, None, rows=64, cols=4, layout="ZZ", fractal=32, valid=(64, 4))
        book.case(f"TMOV.boxes.down.{dtype}", "TMOV",
                  [dst, Tile(dtype, down), None, None, Tile(dtype, None, valid=(1, 64))],
                  {0: down.T}, arch="a5", grpAxis="axis0")
    values = inputs("f32", 620, (32, 64))
    values = np.abs(np.nan_to_num(values, nan=1.0, posinf=2.0, neginf=2.0)) % 1000 + 1
    values = values.astype(np.float32)
    largest = values.reshape(32, 2, 32).max(axis=2)
    exponent = (largest.view(np.uint32) >> 23) - 8
    scaling = ((254 - exponent) << 23).astype(np.uint32)
    scaled = values * np.repeat(scaling.view(np.float32), 32, axis=1)
    boxes = exponent.reshape(2, 16, 1, 2).transpose(0, 2, 1, 3)
    flat = lambda dtype, count: Tile(dtype, None, rows=1, valid=(1, count))
    book.case("TQUANT_MX.boxes", "TQUANT_MX",
              [Tile("e4m3", None, valid=values.shape), Tile("f32", to_bits("f32", values)),
               flat("u8", 64), flat("f32", 64), flat("f32", 64), flat("u8", 64)],
              {0: e4m3(scaled), 2: exponent.reshape(1, -1).astype(np.uint8),
               3: largest.view(np.uint32).reshape(1, -1), 4: scaling.reshape(1, -1),
               5: boxes.reshape(1, -1).astype(np.uint8)}, arch="a5", quant_type="MXFP8")


def e4m3(values):
    """Nearest even by search among all values of the format."""
    codes = np.arange(127)
    exponent, fraction = codes >> 3, codes & 7
    grid = np.where(exponent == 0, fraction * 2.0**-9, (8 + fraction) * 2.0 ** (exponent - 10.0))
    wide = values.astype(np.float64)
    above = np.clip(np.searchsorted(grid, wide), 1, 126)
    middle = (grid[above - 1] + grid[above]) / 2
    up = (wide > middle) | ((wide == middle) & (above % 2 == 0))
    return np.where(up, above, above - 1).astype(np.uint8)


def splits(book):
    whole, part = random_bits("f16", 621, (32, 96)), random_bits("f16", 622, (16, 64))
    for mode in ("split2", "split4"):
        tile = Tile("f16", whole, space="L1", layout="NZ")
        after = tile.before.copy()
        after[tile.index[16:32, 16:80]] = part
        book.case(f"TINSERT.{mode}", "TINSERT",
                  [tile, Tile("f16", part, layout="NZ"), Scalar("i64", 16), Scalar("i64", 16)],
                  {0: after}, arch="a5", insertMode=mode)


def filled_blocks(book):
    """The last block of an NZ tile leaves whole."""
    matrix = random_bits("i8", 623, (32, 64))
    view = nz_view("i8", matrix * 0)
    tile = Tile("i8", matrix, layout="NZ")
    tile.valid = (32, 63)
    book.case("TSTORE.NZ.filled", "TSTORE", [view, tile], {0: nz_view("i8", matrix).before})


def turned_windows(book):
    """TIMG2COL: repeated, turned, and at a place of its own; the filter is 1 x 1, so that the matrix
    is the feature map itself."""
    image = random_bits("f16", 624, (4, 7, 9, 16))
    matrix = image.transpose(1, 2, 0, 3).reshape(63, 64)
    source = conv_tile("f16", image)
    scalars = [Scalar("i64", 5), Scalar("i64", 16)]
    modes = dict(fmap="7x9", channels=64, pads="0x0x0x0")
    for arch, layout in (("a2a3", "ZZ"), ("a5", "NZ")):
        tile = lambda r, c, v: Tile("f16", None, rows=r, cols=c, space="L0A", layout=layout, valid=v)
        down = tile(48, 16, (16, 16))
        after = down.before.copy()
        for i in range(3):
            after[down.index[16 * i: 16 * i + 16]] = matrix[5 + 16 * i: 21 + 16 * i, 16:32]
        book.case(f"TIMG2COL.{arch}.repeat_rows", "TIMG2COL", [down, source, *scalars], {0: after},
                  arch=arch, repeat="1x3x0", **modes)
        right = tile(16, 32, (16, 16))
        after = right.before.copy()
        after[right.index] = np.hstack([matrix[5:21, 16:32], matrix[5:21, 48:64]])
        book.case(f"TIMG2COL.{arch}.repeat_columns", "TIMG2COL", [right, source, *scalars],
                  {0: after}, arch=arch, repeat="2x2x1", **modes)
        flat = tile(32, 48, (32, 48))
        turned = Tile("f16", None, rows=48, cols=32, space="L0A", layout=layout, valid=(48, 32))
        after = turned.before.copy()
        after[turned.index] = matrix[5:37, 16:64].T
        book.case(f"TIMG2COL.{arch}.transposed", "TIMG2COL", [flat, source, *scalars], {0: after},
                  arch=arch, transpose="true", **modes)
    wide = Tile("f16", None, rows=64, cols=32, space="L0A", layout="NZ", valid=(16, 32))
    after = wide.before.copy()
    after[wide.index[32:48]] = matrix[5:21, 16:48]
    book.case("TIMG2COL.a5.position", "TIMG2COL", [wide, source, *scalars], {0: after}, arch="a5",
              dstPosition=2, dstStride=4, **modes)
    # Columns of blocks two blocks apart in a tile of four.
    narrow = Tile("f16", None, rows=32, cols=64, space="L0A", layout="NZ", valid=(1, 1))
    after = wide.before.copy()
    after[narrow.index[:16, :32]] = matrix[5:21, 16:48]
    book.case("TIMG2COL.a5.stride", "TIMG2COL", [wide, source, *scalars], {0: after}, arch="a5",
              dstStride=2, **modes)


def hardware(book):
    """Rules of a2a3 and a5 for f16."""
    a, b, c = (plain("f16", 625 + i, (5, 29)) for i in range(3))
    unfused = (a * c).astype(np.float16) + b
    bits = lambda v: to_bits("f16", v.astype(np.float16))
    difference = (a - b).astype(np.float16)
    for profile in ("a2a3", "a5"):
        book.case(f"TFUSEDMULADD.{profile}.f16", "TFUSEDMULADD",
                  [Tile("f16", bits(c)), Tile("f16", bits(a)), Tile("f16", bits(b))],
                  {0: bits(unfused)}, arch=f"{profile}/{profile}")
        book.case(f"TFUSEDMULADDRELU.{profile}.f16", "TFUSEDMULADDRELU",
                  [Tile("f16", bits(c)), Tile("f16", bits(a)), Tile("f16", bits(b))],
                  {0: bits(np.fmax(unfused, 0) + 0.0)}, arch=f"{profile}/{profile}")
        # In double precision and rounded once; checked not to be near a midpoint.
        row = (a[:1] / 64).astype(np.float16)
        small = (b / 64).astype(np.float16)
        difference = (small - row).astype(np.float16)
        exact = np.exp(difference.astype(np.float64))
        out = exact.astype(np.float16)
        neighbours = np.nextafter(out, np.float16(np.inf)), np.nextafter(out, np.float16(0))
        for other in neighbours:
            middle = (out.astype(np.float64) + other.astype(np.float64)) / 2
            assert (np.abs(exact - middle) > 1e-9 * exact).all()
        book.case(f"TCOLEXPANDEXPDIF.{profile}.f16", "TCOLEXPANDEXPDIF",
                  [Tile("f16", None, valid=b.shape), Tile("f16", bits(small)), Tile("f16", bits(row))],
                  {0: bits(out)}, arch=f"{profile}/{profile}")
        column = (a[:, :1] / 64).astype(np.float16)
        difference = (small - column).astype(np.float16)
        exact = np.exp(difference.astype(np.float64))
        book.case(f"TROWEXPANDEXPDIF.{profile}.f16", "TROWEXPANDEXPDIF",
                  [Tile("f16", None, valid=b.shape), Tile("f16", bits(small)),
                   Tile("f16", bits(column), layout="DN", rows=16)],
                  {0: bits(exact.astype(np.float16))}, arch=f"{profile}/{profile}")


def thresholds(book):
    """TGATHER by comparison with an integer for each row: by value, on a5 by bits."""
    k = np.array([[0, -3, 5, 2]], np.int32)
    for dtype, kind in (("f32", "i32"), ("i32", "i32"), ("f16", "i16")):
        values = plain(dtype, 631, (4, 29))
        values[:, 7] = k[0]
        raw = to_bits(dtype, values)
        bits = k.astype(np.int16 if kind == "i16" else np.int32)
        unsigned = bits.view(np.uint16 if kind == "i16" else np.uint32)
        for profile in ("a2a3", "a5"):
            for mode in ("eq", "gt"):
                if dtype == "i32" and mode == "gt" and profile == "a2a3":
                    continue
                left, right = (raw, unsigned.T) if profile == "a5" else (values, k.T)
                hit = left == right if mode == "eq" else left > right
                dst = Tile("u32", None, cols=32, valid=(4, 32))
                after = dst.before.copy()
                for row in range(4):
                    found = np.flatnonzero(hit[row]) + 100
                    after[dst.index[row, : found.size]] = found
                book.case(f"TGATHER.thresholds.{profile}.{dtype}.{mode}", "TGATHER",
                          [dst, Tile(dtype, raw), None, Tile(kind, unsigned), None,
                           Tile("u32", None, valid=(1, 4))],
                          {0: after, 5: hit.sum(1)[None].astype(np.uint32)},
                          arch=f"{profile}/{profile}", cmpMode=mode, offset=100)


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


def shifts(book):
    """Counts from the width on shift everything out: Python's integers do."""
    for dtype in ("i8", "u16", "i32", "u32"):
        size = width(dtype)
        signed = dtype[0] == "i"
        raw = random_bits(dtype, 633, (3, 29))
        counts = np.random.default_rng(634).integers(0, 2 * size, raw.shape)
        values = raw.astype(np.int64)
        if signed:
            values = np.where(values >= 1 << (size - 1), values - (1 << size), values)
        mask = (1 << size) - 1
        left = np.array([[(int(v) << int(c)) & mask for v, c in zip(*line)]
                         for line in zip(values, counts)])
        right = np.array([[(int(v) >> int(c)) & mask for v, c in zip(*line)]
                          for line in zip(values, counts)])
        for profile in ("a2a3", "a5"):
            for name, out in (("TSHL", left), ("TSHR", right)):
                book.case(f"{name}.out.{profile}.{dtype}", name,
                          [Tile(dtype, None, valid=raw.shape), Tile(dtype, raw),
                           Tile(dtype, counts.astype(raw.dtype))], {0: out.astype(raw.dtype)},
                          arch=f"{profile}/{profile}")
            if dtype == "i8":
                continue
            all_out = np.where(values < 0, mask, 0) if signed else values * 0
            for name, out in (("TSHLS", values * 0), ("TSHRS", all_out)):
                book.case(f"{name}.out.{profile}.{dtype}", name,
                          [Tile(dtype, None, valid=raw.shape), Tile(dtype, raw),
                           Scalar(dtype, size + 3)], {0: out.astype(raw.dtype)},
                          arch=f"{profile}/{profile}")
