"""Convolutions: windows of feature maps, and changes of layout, by numpy's own indexing."""
import numpy as np

from goldens_cases import Scalar, Tile, View, carrier, width
from goldens_moves import random_bits


def blocks(channels, c0):
    return -(-channels // c0)


def nc1hwc0(nchw, c0):
    """[n, c, ...] to [n, c1, ..., c0], channels beyond the last filled up with zeros."""
    n, c = nchw.shape[:2]
    full = np.zeros((n, blocks(c, c0) * c0) + nchw.shape[2:], nchw.dtype)
    full[:, :c] = nchw
    return np.moveaxis(full.reshape((n, -1, c0) + nchw.shape[2:]), 2, -1)


def fractal(nchw, c0):
    """[n, c, h, w] to [c1 h w, n / 16, 16, c0], filters beyond the last zero."""
    five = nc1hwc0(nchw, c0)
    full = np.zeros((-(-five.shape[0] // 16) * 16,) + five.shape[1:], five.dtype)
    full[: five.shape[0]] = five
    moved = np.moveaxis(full, 0, -2)  # [c1, ..., n, c0]
    return moved.reshape(-1, full.shape[0] // 16, 16, c0)


def conv_tile(dtype, array, space="L1"):
    """A tile with the elements of an array one after the other."""
    c0 = 256 // width(dtype)
    return Tile(dtype, np.ascontiguousarray(array).reshape(-1, c0), space=space)


def empty(dtype, count, space="L1"):
    c0 = 256 // width(dtype)
    return Tile(dtype, None, space=space, valid=(-(-count // c0), c0))


def text(layout, shape):
    return f"{layout}:{'x'.join(map(str, shape))}"


def dense(shape):
    return tuple(int(np.prod(shape[i + 1:])) for i in range(len(shape)))


def add_cases(book):
    columns(book)
    loads(book)
    turns(book)


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
