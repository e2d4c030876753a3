"""Golden cases of isa/instructions/rearrange.def."""
import numpy as np

from goldens_cases import Tile, carrier, width
from goldens_convolution import conv_tile, empty, fractal, nc1hwc0, text
from goldens_moves import random_bits


def add_cases(book):
    rearrangements(book)
    turns(book)
    wider_concatenation(book)


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


def turn(book, name, arch, dtype, source, source_layout, result, layout, stored=None):
    """`stored`: the source as it lies in memory, where that is not one element after the other."""
    c0 = 256 // width(dtype)
    flat = np.ascontiguousarray(source if stored is None else stored).ravel()
    room = np.zeros(-(-flat.size // c0) * c0, flat.dtype)
    room[: flat.size] = flat
    dst = empty(dtype, result.size, "UB")
    image = dst.before.copy()
    image[: result.size] = np.ascontiguousarray(result).ravel()
    book.case(name, "TTRANS", [dst, conv_tile(dtype, room, "UB")], {0: image}, arch=arch,
              srcConv=text(source_layout, source.shape), dstConv=text(layout, result.shape))


def turns(book):
    for arch in ("a2a3", "a5"):
        for dtype in ("i8", "f16", "f32"):
            c0 = 256 // width(dtype)
            image = random_bits(dtype, 251, (2, c0 + 3, 4, 8))
            five = nc1hwc0(image, c0)
            turn(book, f"TTRANS.{arch}.{dtype}.nchw", arch, dtype, image, "NCHW", five, "NC1HWC0")
            groups = random_bits(dtype, 252, (2, 3, c0 + 3, 2, 16))
            six = np.stack([nc1hwc0(g, c0) for g in groups])
            turn(book, f"TTRANS.{arch}.{dtype}.gnchw", arch, dtype, groups, "GNCHW", six,
                 "GNC1HWC0")
            filters = nc1hwc0(random_bits(dtype, 253, (19, 2 * c0, 2, 3)), c0)
            back = np.moveaxis(filters, -1, 2).reshape(19, 2 * c0, 2, 3)
            turn(book, f"TTRANS.{arch}.{dtype}.fractal_z", arch, dtype, filters, "NC1HWC0",
                 fractal(back, c0), "FRACTAL_Z")
            grouped = np.stack([nc1hwc0(random_bits(dtype, 254 + i, (5, c0, 2, 3)), c0)
                                for i in range(2)])
            fours = np.concatenate([fractal(np.moveaxis(g, -1, 2).reshape(5, c0, 2, 3), c0)
                                    for g in grouped])
            # Each group of the source has room for whole blocks of filters (pto-isa TTrans.hpp).
            stored = random_bits(dtype, 260, (2, 16) + grouped.shape[2:])
            stored[:, :5] = grouped
            turn(book, f"TTRANS.{arch}.{dtype}.grouped_fractal_z", arch, dtype, grouped, "GNC1HWC0",
                 fours, "FRACTAL_Z", stored)
            if arch == "a5":
                continue
            turn(book, f"TTRANS.{arch}.{dtype}.to_nchw", arch, dtype, five, "NC1HWC0",
                 np.moveaxis(five, -1, 2).reshape(2, -1, 4, 8), "NCHW")
            turn(book, f"TTRANS.{arch}.{dtype}.to_gnchw", arch, dtype, six, "GNC1HWC0",
                 np.moveaxis(six, -1, 3).reshape(2, 3, -1, 2, 16), "GNCHW")
            deep = random_bits(dtype, 256, (17, c0 + 3, 2, 2, 4))
            by_depth = [fractal(deep[:, :, d], c0) for d in range(2)]
            turn(book, f"TTRANS.{arch}.{dtype}.fractal_z_3d", arch, dtype, deep, "NCDHW",
                 np.concatenate(by_depth), "FRACTAL_Z_3D")


def wider_concatenation(book):
    a, b = random_bits("f16", 604, (5, 31)), random_bits("f16", 605, (5, 17))
    dst = Tile("f16", None, cols=64, valid=(5, 64))
    after = dst.before.copy()
    after[dst.index[:, :48]] = np.hstack([a, b])
    book.case("TCONCAT.wider", "TCONCAT", [dst, Tile("f16", a), Tile("f16", b)], {0: after})
