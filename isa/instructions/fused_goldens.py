"""Golden cases of isa/instructions/fused.def."""
from fractions import Fraction

import numpy as np

from goldens_cases import Scalar, Tile, round_fraction, to_bits
from goldens_fused import plain


def add_cases(book):
    fused_products(book)
    odd_pairs(book)


def fused_products(book):
    """Sums where most of the product cancels, so that its rounding shows; exact fractions."""
    rng = np.random.default_rng(234)
    for dtype, kind in (("f32", np.float32), ("f16", np.float16)):
        a = rng.standard_normal((3, 21)).astype(kind)
        b = rng.standard_normal((3, 21)).astype(kind)
        scalar = kind(1.3)

        def once(x, y, z):
            exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
            return round_fraction(dtype, exact)

        def case(opcode, factor, operands):
            start = (-(a * factor)).astype(kind)
            by = np.broadcast_to(factor, a.shape)
            raw = to_bits(dtype, np.array([[once(a[i, j], by[i, j], start[i, j]) for j in range(21)]
                                           for i in range(3)], kind))
            book.case(f"{opcode}.a5.{dtype}.fused", opcode,
                      [Tile(dtype, to_bits(dtype, start)), Tile(dtype, to_bits(dtype, a)), operands],
                      {0: raw}, arch="a5/a5")

        case("TAXPY", scalar, Scalar(dtype, scalar))
        case("TMULADDDST", b, Tile(dtype, to_bits(dtype, b)))


def odd_pairs(book):
    for dtype in ("f16", "f32"):
        values = plain(dtype, 608, (4, 15))
        out = values[:, 0:14:2] + values[:, 1:14:2]
        book.case(f"TPAIRREDUCESUM.{dtype}.odd", "TPAIRREDUCESUM",
                  [Tile(dtype, None, valid=out.shape), Tile(dtype, to_bits(dtype, values))],
                  {0: to_bits(dtype, out)})
