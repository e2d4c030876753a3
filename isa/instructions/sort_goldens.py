"""Golden cases of isa/instructions/sort.def."""
import numpy as np

from goldens_cases import Scalar, Tile, to_bits
from goldens_fused import plain


def add_cases(book):
    sorts(book)


def records(dtype, values, indices):
    """Bytes of (value, index) records."""
    out = np.zeros(values.shape + (2,), np.uint32)
    out[..., 0] = to_bits(dtype, values)
    out[..., 1] = indices
    raw = out.reshape(values.shape[0], -1)
    return raw if dtype == "f32" else raw.view(np.uint16)


def descending(values):
    return np.argsort(-values.astype(np.float64), kind="stable")


def sorts(book):
    for dtype in ("f32", "f16"):
        values = np.round(plain(dtype, 102, (2, 64)))  # many ties
        indices = np.arange(128, dtype=np.uint32).reshape(2, 64) + 1000
        sorted_values, sorted_indices = values.copy(), indices.copy()
        for row in range(2):
            for block in (slice(0, 32), slice(32, 64)):
                order = descending(values[row, block])
                sorted_values[row, block] = values[row, block][order]
                sorted_indices[row, block] = indices[row, block][order]
        raw = records(dtype, sorted_values, sorted_indices)
        book.case(f"TSORT32.{dtype}", "TSORT32",
                  [Tile(dtype, None, valid=raw.shape), Tile(dtype, to_bits(dtype, values)),
                   Tile("u32", indices)], {0: raw})
        # Merges: stable, the earlier list first.
        lists, start = [], 0
        for count in (24, 40, 16, 8):
            v = np.sort(np.round(plain(dtype, 103 + start, (count,))))[::-1]
            lists.append((v, np.arange(start, start + count, dtype=np.uint32)))
            start += count
        for used in (2, 3, 4):
            v = np.concatenate([l[0] for l in lists[:used]])
            i = np.concatenate([l[1] for l in lists[:used]])
            order = descending(v)
            raw = records(dtype, v[order][None], i[order][None])
            tiles = [Tile(dtype, records(dtype, l[0][None], l[1][None])) for l in lists[:used]]
            book.case(f"TMRGSORT.{dtype}.{used}", "TMRGSORT",
                      [Tile(dtype, None, valid=raw.shape), None] + tiles, {0: raw})
        v = np.concatenate([np.sort(np.round(plain(dtype, 110 + b, (32,))))[::-1] for b in range(4)])
        i = np.arange(128, dtype=np.uint32)
        order = descending(v)
        raw = records(dtype, v[order][None], i[order][None])
        book.case(f"TMRGSORT.{dtype}.blocks", "TMRGSORT",
                  [Tile(dtype, None, valid=raw.shape), None,
                   Tile(dtype, records(dtype, v[None], i[None])), None, None, None,
                   Scalar("i32", 64 if dtype == "f32" else 128)], {0: raw})
