"""Feature maps, filters and convolution tiles, by numpy's own indexing: what cases are made of."""
import numpy as np

from goldens_cases import Tile, width


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
