"""Golden cases of isa/instructions/select.def."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Scalar, Tile, from_bits, to_bits
from goldens_fused import packed


def add_cases(book):
    selections(book)


def selections(book):
    shape = (3, 37)
    rng = np.random.default_rng(97)
    flags = rng.integers(0, 2, shape).astype(bool)
    mask = Tile("u8", packed(flags, 8))
    for dtype, arch in (("f32", "a2a3"), ("i16", "a2a3"), ("i8", "a5")):
        a, b = to_bits(dtype, inputs(dtype, 98, shape)), to_bits(dtype, inputs(dtype, 99, shape))
        book.case(f"TSEL.{dtype}", "TSEL",
                  [Tile(dtype, None, valid=shape), mask, Tile(dtype, a), Tile(dtype, b)],
                  {0: np.where(flags, a, b)}, arch=arch)
        value = from_bits(dtype, b)[1, 2]
        book.case(f"TSELS.{dtype}", "TSELS",
                  [Tile(dtype, None, valid=shape), mask, Tile(dtype, a), None, Scalar(dtype, value)],
                  {0: np.where(flags, a, to_bits(dtype, np.array([value]))[0])}, arch=arch)
