"""Golden cases of isa/instructions/convolution.def."""
import numpy as np

from goldens_cases import Scalar, Tile, width
from goldens_convolution import conv_tile
from goldens_moves import random_bits


def add_cases(book):
    columns(book)
    turned_windows(book)


def columns(book):
    for arch, layout in (("a2a3", "ZZ"), ("a5", "NZ")):
        for dtype in ("i8", "f16", "bf16", "f32") + (("u8", "i16", "u16", "i32", "u32")
                                                     if arch == "a5" else ()):
            window(book, f"TIMG2COL.{arch}.{dtype}", arch, layout, dtype, images=2, c1=2, h=5, w=6,
                   pads=(1, 2, 0, 1), kernel=(3, 2), dilation=(1, 2), stride=(2, 1), m=7, k=None)
        for i, (pads, kernel, dilation, stride) in enumerate((
                ((0, 0, 0, 0), (1, 1), (1, 1), (1, 1)), ((1, 1, 1, 1), (3, 3), (1, 1), (1, 1)),
                ((2, 0, 3, 1), (2, 4), (3, 1), (3, 2)))):
            window(book, f"TIMG2COL.{arch}.form{i}", arch, layout, "f16", 1, 2, 6, 7, pads, kernel,
                   dilation, stride, m=0, k=16)


def window(book, name, arch, layout, dtype, images, c1, h, w, pads, kernel, dilation, stride, m, k):
    c0 = 256 // width(dtype)
    source = random_bits(dtype, 241, (images, c1, h, w, c0))
    pad_value = 37
    left, right, top, bottom = pads
    padded = np.full((images, c1, h + top + bottom, w + left + right, c0), pad_value, source.dtype)
    padded[:, :, top: top + h, left: left + w] = source
    reach = [d * (n - 1) + 1 for d, n in zip(dilation, kernel)]
    view = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=(2, 3))
    view = view[:, :, :: stride[0], :: stride[1], :, :: dilation[0], :: dilation[1]]
    # [n, c1, oh, ow, c0, kh, kw] to rows (n, oh, ow) and columns (c1, kh, kw, c0).
    matrix = view.transpose(0, 2, 3, 1, 5, 6, 4).reshape(images * view.shape[2] * view.shape[3], -1)
    k = c0 if k is None else k
    part = matrix[m:, k:]
    rows, cols = min(part.shape[0], 37), min(part.shape[1], 3 * c0)
    part = part[:rows, :cols]
    dst = Tile(dtype, None, rows=48, cols=4 * c0, space="L0A", layout=layout, valid=(rows, cols))
    book.case(name, "TIMG2COL",
              [dst, conv_tile(dtype, source), Scalar("i64", m), Scalar("i64", k)], {0: part},
              arch=arch, fmap=f"{h}x{w}", pads="x".join(map(str, pads)),
              filter=f"{kernel[0]}x{kernel[1]}", dilation=f"{dilation[0]}x{dilation[1]}",
              stride=f"{stride[0]}x{stride[1]}", channels=c1 * c0, padValue=pad_value)


def turned_windows(book):
    """TIMG2COL: repeated, transposed, and at a position; the filter is 1 x 1, so that the matrix
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
