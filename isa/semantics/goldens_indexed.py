"""Gathers, generators, quantisation and histograms."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, carrier, to_bits
from goldens_fused import plain
from goldens_moves import dense_view, random_bits


def add_cases(book):
    gathers(book)
    generators(book)
    quantisation(book)


def gathers(book):
    rng = np.random.default_rng(120)
    for dtype in ("f32", "f16"):
        source = random_bits(dtype, 121, (4, 32))
        indices = rng.integers(0, 128, (3, 24), dtype=np.uint32)
        book.case(f"TGATHER.{dtype}", "TGATHER",
                  [Tile(dtype, None, valid=(3, 24)), Tile(dtype, source), Tile("u32", indices)],
                  {0: source.ravel()[indices]})
        for pattern, step, first in (("P0101", 2, 0), ("P1010", 2, 1), ("P0001", 4, 0),
                                     ("P0010", 4, 1), ("P0100", 4, 2), ("P1000", 4, 3)):
            chosen = source[:, first::step]
            flat = chosen.reshape(1, -1)
            book.case(f"TGATHER.{dtype}.{pattern}", "TGATHER",
                      [Tile(dtype, None, valid=flat.shape), Tile(dtype, source)], {0: flat},
                      maskPattern=pattern)
            if step == 2:
                spread = np.zeros((4, 64), carrier(dtype))
                spread[:, first::step] = source
                book.case(f"TSCATTER.{dtype}.{pattern}", "TSCATTER",
                          [Tile(dtype, None, valid=(4, 64)), Tile(dtype, source)], {0: spread},
                          maskPattern=pattern)
        for pattern, step, first in (("P1010", 2, 1), ("P0010", 4, 1)):
            tall = random_bits(dtype, 126, (8, 21))
            chosen = tall[first::step]
            book.case(f"TGATHER.{dtype}.{pattern}.col", "TGATHER",
                      [Tile(dtype, None, valid=chosen.shape), Tile(dtype, tall)], {0: chosen},
                      maskPattern=pattern, axis="col")
            spread = np.zeros_like(tall)
            spread[first::step] = chosen
            book.case(f"TSCATTER.{dtype}.{pattern}.col", "TSCATTER",
                      [Tile(dtype, None, valid=tall.shape), Tile(dtype, chosen)], {0: spread},
                      maskPattern=pattern, axis="col")
        kind = "u32" if dtype == "f32" else "u16"
        target = Tile(dtype, random_bits(dtype, 122, (4, 32)))
        indices = rng.integers(0, 128, (3, 20)).astype(carrier(dtype))
        after = target.before.copy()
        for at, value in zip(indices.ravel(), random_bits(dtype, 123, (3, 20)).ravel()):
            after[at] = value
        book.case(f"TSCATTER.{dtype}", "TSCATTER",
                  [target, Tile(dtype, random_bits(dtype, 123, (3, 20))), Tile(kind, indices)],
                  {0: after})
        unit = 8 if dtype == "f32" else 16
        blocks = rng.integers(0, 128 // unit, (2, 3), dtype=np.uint32)
        book.case(f"TGATHERB.{dtype}", "TGATHERB",
                  [Tile(dtype, None, valid=(2, 3 * unit)), Tile(dtype, source),
                   Tile("u32", blocks * 32)],
                  {0: source.reshape(-1, unit)[blocks].reshape(2, -1)})
        for other, bits in (("i8", np.uint8), ("i16", np.uint16), ("u32", np.uint32)):
            taken = source.reshape(-1, unit)[blocks].reshape(2, -1).view(bits)
            book.case(f"TGATHERB.{dtype}.as_{other}", "TGATHERB",
                      [Tile(other, None, valid=taken.shape), Tile(dtype, source),
                       Tile("u32", blocks * 32)], {0: taken})
    table = random_bits("f16", 124, (9, 24))
    view = dense_view("f16", table)
    rows = np.array([[3, 8, 0, 3, 5]], np.uint32)
    book.case("MGATHER.rows", "MGATHER",
              [Tile("f16", None, valid=(5, 24)), view, Tile("u32", rows)], {0: table[rows[0]]})
    wild = np.array([[3, -1, 12, 8]], np.int32)
    unsigned = wild.view(np.uint32)
    for policy, used in (("clamp", np.minimum(unsigned, 8)), ("wrap", unsigned % 9), ("zero", wild)):
        out = np.where(((used >= 0) & (used < 9)).T, table[used[0] % 9], 0)
        book.case(f"MGATHER.rows.{policy}", "MGATHER",
                  [Tile("f16", None, valid=(4, 24)), view, Tile("i32", wild.view(np.uint32))],
                  {0: out}, gatherOob=policy)
    elements = rng.integers(0, 216, (3, 20), dtype=np.uint32)
    book.case("MGATHER.elements", "MGATHER",
              [Tile("f16", None, valid=(3, 20)), view, Tile("u32", elements)],
              {0: table.ravel()[elements]}, coalesce="elem")
    values = random_bits("f16", 125, (5, 24))
    after = table.copy()
    for at, line in zip(rows[0], values):
        after[at] = line
    book.case("MSCATTER.rows", "MSCATTER", [view, Tile("f16", values), Tile("u32", rows)],
              {0: after.ravel()})
    ints = np.arange(30, dtype=np.int32).reshape(1, 30)
    at = rng.integers(0, 50, (1, 30), dtype=np.uint32)
    total = np.zeros(50, np.int32)
    np.add.at(total, at[0], ints[0])
    book.case("MSCATTER.elements.add", "MSCATTER",
              [dense_view("i32", np.zeros((5, 10), np.uint32)), Tile("i32", ints.view(np.uint32)),
               Tile("u32", at)], {0: total.view(np.uint32)}, coalesce="elem",
              scatterAtomicOp="add")


def philox(counter, key, rounds):
    """Philox 4x32 by Python integers (Salmon et al., SC 2011)."""
    c, k = list(counter), list(key)
    for _ in range(rounds):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & 0xFFFFFFFF, (a >> 32) ^ c[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


# The known answer of the Random123 distribution (kat_vectors: philox4x32 10, zeros).
assert philox([0] * 4, [0] * 2, 10) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def generators(book):
    a, b = random_bits("f16", 131, (3, 32)), random_bits("f16", 132, (3, 32))
    mixed = np.stack([a, b], -1).reshape(3, 64)
    book.case("TINTERLEAVE", "TINTERLEAVE",
              [Tile("f16", None, valid=(3, 32)), Tile("f16", None, valid=(3, 32)),
               Tile("f16", b), Tile("f16", a)], {0: mixed[:, 32:], 1: mixed[:, :32]}, arch="a5")
    both = np.hstack([a, b])
    book.case("TDEINTERLEAVE", "TDEINTERLEAVE",
              [Tile("f16", None, valid=(3, 32)), Tile("f16", None, valid=(3, 32)),
               Tile("f16", b), Tile("f16", a)], {0: both[:, 1::2], 1: both[:, 0::2]}, arch="a5")
    book.case("TDEINTERLEAVE.one", "TDEINTERLEAVE",
              [Tile("f16", None, valid=(3, 16)), Tile("f16", None, valid=(3, 16)), Tile("f16", a)],
              {0: a[:, 1::2], 1: a[:, 0::2]}, arch="a5")
    for upper, function in ((0, np.tril), (1, np.triu)):
        for diagonal in (-2, 0, 3):
            ones = function(np.ones((5, 9)), diagonal)
            for dtype in ("f32", "u16"):
                book.case(f"TTRI.{dtype}.{upper}.{diagonal}", "TTRI",
                          [Tile(dtype, None, valid=(5, 9)), Scalar("i32", diagonal)],
                          {0: to_bits(dtype, ones)}, upperOrLower=upper)
    key, start = (0x12345678, 0x9ABCDEF0), 0xFFFFFFE0  # the counter carries
    out = np.zeros((2, 300), np.uint32)
    position = start
    for row in range(2):
        for group in (0, 256):
            for lane in range(64):
                count = position + lane
                words = philox([count >> (32 * i) & 0xFFFFFFFF for i in range(4)], key, 7)
                for i in range(4):
                    col = group + 4 * lane + i
                    if col < 300:
                        out[row, col] = words[i]
            position += 64 if group == 0 else 299 % 64 + 1
    book.case("TRANDOM", "TRANDOM",
              [Tile("u32", None, valid=(2, 300))] + [Scalar("u32", v) for v in (*key, start, 0, 0, 0)],
              {0: out}, arch="a5", rounds=7)


def quantisation(book):
    shape = (5, 37)
    a = plain("f32", 151, shape) * 30
    scale = np.abs(plain("f32", 152, (5, 1)))
    zero = np.round(plain("f32", 153, (5, 1)))
    column = lambda v: Tile("f32", to_bits("f32", v), rows=8, cols=1, layout="DN")
    book.case("TQUANT.sym", "TQUANT",
              [Tile("i8", None, valid=shape), Tile("f32", to_bits("f32", a)), column(scale)],
              {0: np.clip(np.rint(a * scale), -128, 127).astype(np.int8).view(np.uint8)},
              quant_type="INT8_SYM")
    book.case("TQUANT.asym", "TQUANT",
              [Tile("u8", None, valid=shape), Tile("f32", to_bits("f32", a)), column(scale),
               column(zero)],
              {0: np.clip(np.rint(a * scale + zero), 0, 255).astype(np.uint8)},
              quant_type="INT8_ASYM")
    # Row-major scales: numpy's view of the tile's elements, one after the other.
    scales = np.abs(plain("f32", 156, (5, 16)))
    zeros = np.round(plain("f32", 157, (5, 16)))
    columns = np.arange(shape[1])[None, :]
    lane = 8 * np.arange(shape[0])[:, None] + columns % 8
    for name, profile, of, tmp in (
            ("blocks", "a2a3/a2a3", lambda v: v.ravel()[lane], []),
            ("rows", "a2a3/ieee", lambda v: v[:, :1], []),
            ("column", "a2a3/a2a3", lambda v: v.ravel()[: shape[0], None], [Tile("f32", None, valid=shape)])):
        book.case(f"TQUANT.sym.row_major.{name}", "TQUANT",
                  [Tile("i8", None, valid=shape), Tile("f32", to_bits("f32", a)), Tile("f32", to_bits("f32", scales)),
                   None, *tmp],
                  {0: np.clip(np.rint(a * of(scales)), -128, 127).astype(np.int8).view(np.uint8)},
                  arch=profile, quant_type="INT8_SYM")
        book.case(f"TQUANT.asym.row_major.{name}", "TQUANT",
                  [Tile("u8", None, valid=shape), Tile("f32", to_bits("f32", a)), Tile("f32", to_bits("f32", scales)),
                   Tile("f32", to_bits("f32", zeros)), *tmp],
                  {0: np.clip(np.rint(a * of(scales) + of(zeros)), 0, 255).astype(np.uint8)},
                  arch=profile, quant_type="INT8_ASYM")
    for dtype in ("i8", "i16"):
        q = inputs(dtype, 154, shape)
        out = (q.astype(np.float32) - zero) * scale
        book.case(f"TDEQUANT.{dtype}", "TDEQUANT",
                  [Tile("f32", None, valid=shape), Tile(dtype, to_bits(dtype, q)), column(scale),
                   column(zero)], {0: to_bits("f32", out)})
    for dtype in ("u16", "u32"):
        values = random_bits(dtype, 155, (2, 40)) & carrier(dtype)(0x03030303 & (2**(16 if dtype == "u16" else 32) - 1))
        top = 1 if dtype == "u16" else 3
        for byte in range(top + 1):
            filters = np.array([[1], [2], [3]], np.uint8)
            counts = np.zeros((2, 256), np.uint32)
            for row in range(2):
                for value in values[row]:
                    parts = [int(value) >> 8 * k & 255 for k in range(top + 1)]
                    if top == 1:
                        kept = byte == 1 or parts[1] == filters[row, 0]
                    else:
                        kept = all(parts[k] == filters[3 - k, 0] for k in range(byte + 1, 4))
                    if kept:
                        counts[row, parts[byte]] += 1
            book.case(f"THISTOGRAM.{dtype}.{byte}", "THISTOGRAM",
                      [Tile("u32", None, valid=(2, 256)), Tile(dtype, values),
                       Tile("u8", filters, rows=32, cols=1, layout="DN")],
                      {0: counts.cumsum(1).astype(np.uint32)}, arch="a5", byte=byte)
    fixpipe(book)


def fixpipe(book):
    """f32 and i32 accumulators to 8 bits, f16 and i16."""
    shape = (21, 19)
    floats = plain("f32", 156, shape) * 20
    ints = np.random.default_rng(157).integers(-(2**20), 2**20, shape).astype(np.int32)
    acc = lambda dtype, v: Tile(dtype, to_bits(dtype, v), rows=32, cols=32, space="L0C",
                                layout="NZ", fractal=1024)
    scale = np.float32(0.71875)  # fits a 1-8-10 float
    offset = -7
    bits = int(scale.view(np.uint32)) | (offset & 0x1FF) << 37 | 1 << 46
    for source, values, factor in (("f32", floats, scale), ("i32", ints // 4096, scale)):
        whole = np.clip(np.rint(values.astype(np.float32) * factor), -256, 255) + offset
        for to, low, high in (("i8", -128, 127), ("u8", 0, 255)):
            raw = np.clip(whole, low, high).astype(np.int16).astype(np.uint8)
            target = lambda r: dense_view(to, r, "ND", 25)
            book.case(f"TSTORE.quant.{source}_{to}.scalar", "TSTORE",
                      [target(raw * 0), acc(source, values), None, Scalar("u64", bits)],
                      {0: target(raw).before})
            # One parameter per column, with doubling scales.
            scales = (np.float32(2.0) ** (np.arange(19) % 3)).astype(np.float32)
            table = np.array([int(s.view(np.uint32)) | 3 << 37 for s in scales], np.uint64)[None]
            whole_v = np.clip(np.rint(values.astype(np.float32) * scales), -256, 255) + 3
            raw_v = np.clip(whole_v, low, high).astype(np.int16).astype(np.uint8)
            book.case(f"TSTORE.quant.{source}_{to}.vector", "TSTORE",
                      [target(raw * 0), acc(source, values),
                       Tile("u64", table, cols=32, space="FIXPIPE")], {0: target(raw_v).before})
    # Moves take all rows of the accumulator, and columns in blocks of 16.
    ints = np.random.default_rng(158).integers(-(2**20), 2**20, (32, 32)).astype(np.int32)
    moved = lambda: Tile("i32", to_bits("i32", ints), rows=32, cols=32, space="L0C", layout="NZ", fractal=1024,
                         valid=shape)
    out = np.clip(ints.astype(np.float32) * scale, -65504, 65504).astype(np.float16)
    relu = np.where(out > 0, out, np.float16(0))
    book.case("TMOV.quant.i32_f16.relu", "TMOV",
              [Tile("f16", None, rows=32, cols=32, space="L1", layout="NZ", valid=shape),
               moved(), None, Scalar("u64", int(scale.view(np.uint32)))],
              {0: to_bits("f16", relu)}, reluPreMode="normal_relu")
    shifted = np.clip(ints >> 5, -32768, 32767).astype(np.int16)
    book.case("TMOV.quant.i32_i16", "TMOV",
              [Tile("i16", None, rows=32, cols=32, space="L1", layout="NZ", valid=shape),
               moved(), None, Scalar("u64", 4 << 32)], {0: to_bits("i16", shifted)})
