"""Golden cases of isa/instructions/reduce_argument.def."""
import numpy as np

from goldens_arithmetic import inputs
from goldens_cases import Tile, to_bits
from goldens_fused import plain


def add_cases(book):
    arguments(book)
    positions(book)
    second_results(book)


def arguments(book):
    shape = (5, 37)
    for dtype in ("f32", "f16", "u32"):
        a = inputs(dtype, 101, shape)
        a[:, 20] = a[:, 3]  # ties: the first wins
        a[3] = a[1]
        for kind, function, worst in (("MAX", np.argmax, -1), ("MIN", np.argmin, 1)):
            key = a
            if dtype != "u32":
                key = np.where(np.isnan(a), worst * np.float64("inf"), a.astype(np.float64))
            if dtype != "u32":
                book.case(f"TROWARG{kind}.{dtype}", f"TROWARG{kind}",
                          [Tile("i32", None, rows=8, cols=1, layout="DN", valid=(5, 1)),
                           Tile(dtype, to_bits(dtype, a))],
                          {0: function(key, 1).astype(np.uint32)[:, None]})
            book.case(f"TCOLARG{kind}.{dtype}", f"TCOLARG{kind}",
                      [Tile("u32", None, valid=(1, 37)), Tile(dtype, to_bits(dtype, a))],
                      {0: function(key, 0).astype(np.uint32)[None, :]})


def positions(book):
    """Positions of 16 bits for sources of 16 bits."""
    for source in ("f16", "u16"):
        values = plain(source, 603, (9, 23))
        for name, function in (("MAX", np.argmax), ("MIN", np.argmin)):
            out = function(values, axis=0)[None]
            for target in ("u16", "i16"):
                book.case(f"TCOLARG{name}.{source}.{target}", f"TCOLARG{name}",
                          [Tile(target, None, valid=out.shape), Tile(source, to_bits(source, values))],
                          {0: out.astype(np.uint16)})


def second_results(book):
    """The extreme itself in addition to its position."""
    values = inputs("f32", 501, (5, 37))
    book.case("TROWARGMIN.value", "TROWARGMIN",
              [Tile("i32", None, rows=8, cols=1, layout="DN", valid=(5, 1)),
               Tile("f32", to_bits("f32", values)), None,
               Tile("f32", None, rows=8, cols=1, layout="DN", valid=(5, 1))],
              {0: np.nanargmin(values, 1).astype(np.uint32)[:, None],
               3: to_bits("f32", np.nanmin(values, 1)[:, None])})
    book.case("TCOLARGMAX.value", "TCOLARGMAX",
              [Tile("u32", None, valid=(1, 37)), Tile("f32", to_bits("f32", values)), None,
               Tile("f32", None, valid=(1, 37))],
              {0: np.nanargmax(values, 0).astype(np.uint32)[None],
               3: to_bits("f32", np.nanmax(values, 0)[None])})
