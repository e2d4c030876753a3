"""Bits of floats, shifts, pad values of a kernel's own, exponents; what hardware was seen to do."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, View, to_bits, width
from goldens_fused import plain
from goldens_moves import dense_view, random_bits


def add_cases(book):
    float_bits(book)
    custom_pads(book)
    exponents(book)
    hardware(book)
    shifts(book)


def float_bits(book):
    a, b = random_bits("f32", 601, (3, 37)), random_bits("f32", 602, (3, 37))
    for name, out in (("TAND", a & b), ("TOR", a | b)):
        book.case(f"{name}.bits.f32", name,
                  [Tile("f32", None, valid=a.shape), Tile("f32", a), Tile("f32", b)], {0: out}, arch="a5")
    for dtype in ("f16", "bf16"):
        a, b = random_bits(dtype, 601, (3, 37)), random_bits(dtype, 602, (3, 37))
        for arch in ("a2a3", "a5"):
            for name, out in (("TAND", a & b), ("TOR", a | b), ("TXOR", a ^ b)):
                book.case(f"{name}.bits.{dtype}.{arch}", name,
                          [Tile(dtype, None, valid=a.shape), Tile(dtype, a), Tile(dtype, b)],
                          {0: out}, arch=arch)
            book.case(f"TNOT.bits.{dtype}.{arch}", "TNOT",
                      [Tile(dtype, None, valid=a.shape), Tile(dtype, a)], {0: ~a}, arch=arch)


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
                  [dst, flat, None, None, Tile(dtype, None, valid=(1, 96))], {0: after}, arch="a5")
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
