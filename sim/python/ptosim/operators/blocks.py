"""Arrays in blocks (FORMAT_FRACTAL_NZ): the last two axes in blocks of 16 rows of 32 bytes, column by column of blocks."""
from __future__ import annotations

from typing import Tuple

import numpy as np

from .types import BY_NUMBER, BYTES, FORMATS

_COLUMNS = {FORMATS["FORMAT_FRACTAL_NZ_C0_16"]: 16, FORMATS["FORMAT_FRACTAL_NZ_C0_32"]: 32}
FRACTAL = frozenset((FORMATS["FORMAT_FRACTAL_NZ"], *_COLUMNS))


def columns(layout: int, dtype: int) -> int:
    """Elements of a row of a block."""
    short = BY_NUMBER[dtype].short if dtype in BY_NUMBER else ""
    return _COLUMNS.get(layout) or (64 if short == "i4" else 32 // BYTES.get(short, 1))


def are_blocks(shape: Tuple[int, ...], width: int) -> bool:
    return len(shape) >= 4 and shape[-2:] == (16, width)


def shape_in_blocks(shape: Tuple[int, ...], width: int) -> Tuple[int, ...]:
    return (*shape[:-2], -(-shape[-1] // width), -(-shape[-2] // 16), 16, width)


def in_blocks(array: np.ndarray, width: int) -> np.ndarray:
    """Missing rows and columns of the last blocks are 0."""
    *outer, rows, cols = array.shape
    pads = [(0, 0)] * len(outer) + [(0, -rows % 16), (0, -cols % width)]
    whole = np.pad(array, pads)
    split = whole.reshape(*outer, whole.shape[-2] // 16, 16, whole.shape[-1] // width, width)
    axes = [*range(len(outer)), len(outer) + 2, len(outer), len(outer) + 1, len(outer) + 3]
    return np.ascontiguousarray(split.transpose(axes))
