"""The rules of hardware profiles that are done (isa/profile_rules.cpp)."""
import numpy as np

from goldens_arithmetic import inputs, ordered
from goldens_cases import Tile, to_bits
from goldens_fused import plain


def add_cases(book):
    for profile in ("a2a3", "a5"):
        low_bits(book, profile)
    part_fill(book)


def low_bits(book, profile):
    """Through a saturating 32-bit integer."""
    for source, targets in (("f16", ("i8", "u8", "i16")), ("f32", ("i16",))):
        values = inputs(source, 231)
        values[2, :6] = (300.7, -129.5, 40000, -40000, 255.5, 256)
        if source == "f32":
            values[2, 6:9] = (3e9, -3e9, 65535.5)
        whole = np.clip(np.rint(np.nan_to_num(values.astype(np.float64), nan=0.0)),
                        -(2.0 ** 31), 2.0 ** 31 - 1).astype(np.int64)
        for target in targets:
            size = 1 << (8 if target[1:] == "8" else 16)
            raw = (whole % size).astype(np.uint8 if size == 256 else np.uint16)
            book.case(f"TCVT.{profile}.{source}_{target}.low_bits", "TCVT",
                      [Tile(target, None, valid=values.shape), Tile(source, to_bits(source, values))],
                      {0: raw}, arch=f"{profile}/{profile}", rmode="RINT", satMode="OFF")


def part_fill(book):
    extremes = {"f32": (-np.finfo(np.float32).max, np.finfo(np.float32).max),
                "f16": (-65504, 65504), "bf16": (0xFF7F, 0x7F7F),
                "i8": (-128, 127), "u16": (0, 65535), "i32": (-2**31, 2**31 - 1)}
    for dtype, (low, high) in extremes.items():
        a, b = plain(dtype, 232, (3, 21)), plain(dtype, 233, (4, 9))
        for kind, fill, function in (("MAX", low, np.fmax), ("MIN", high, np.fmin)):
            if dtype == "bf16":
                out = np.full((4, 21), fill, np.uint16)
                out[:3] = to_bits(dtype, a)
                out[:, :9] = to_bits(dtype, b)
                out[:3, :9] = to_bits(dtype, ordered(a[:, :9], b[:3], function))
            else:
                out = np.full((4, 21), fill, a.dtype)
                out[:3], out[:, :9] = a, b
                out[:3, :9] = ordered(a[:, :9], b[:3], function)
                out = to_bits(dtype, out)
            book.case(f"TPART{kind}.{dtype}.fill", f"TPART{kind}",
                      [Tile(dtype, None, valid=(4, 21)), Tile(dtype, to_bits(dtype, a)),
                       Tile(dtype, to_bits(dtype, b))], {0: out}, arch="a5/a5")
