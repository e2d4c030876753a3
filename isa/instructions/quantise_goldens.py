"""Golden cases of isa/instructions/quantise.def."""
from fractions import Fraction
from math import frexp

import numpy as np

from goldens_a5 import A5
from goldens_cases import Tile, bf16_round, to_bits
from goldens_forms import encode
from goldens_fused import plain


def add_cases(book):
    block_scaled(book)
    maxima(book)


def shared_exponent(largest, fp4, nvidia):
    if np.isnan(largest):
        return 255
    if nvidia:
        with np.errstate(all="ignore"):
            quotient = np.float32(largest) * (np.float32(1) / np.float32(6 if fp4 else 448))
        if np.isinf(quotient):
            return 254
        code = 0
        while code < 254 and Fraction(2) ** (code - 127) < Fraction(float(quotient)):
            code += 1
        return code
    if np.isinf(largest):
        return 255 - (2 if fp4 else 8)
    if largest < 2.0 ** -126:
        return 0
    return max(0, frexp(float(largest))[1] - 1 + 127 - (2 if fp4 else 8))


def mx_quantised(source, fp4, nvidia, down):
    data = source.T if down else source
    groups = data.reshape(data.shape[0], -1, 32).astype(np.float64)
    largest = np.max(np.abs(groups), axis=2)
    exponents = np.array([[shared_exponent(m, fp4, nvidia) for m in row] for row in largest])
    scaling = np.where(exponents == 255, np.nan, 2.0 ** (127.0 - exponents))
    with np.errstate(all="ignore"):
        scaled = groups * scaling[..., None]
    codes = np.vectorize(lambda v: encode("e2m1" if fp4 else "e4m3", v), otypes=[np.uint8])(scaled)
    codes = codes.reshape(data.shape)
    turn = (lambda x: x.T) if down else (lambda x: x)
    return turn(codes), turn(exponents).astype(np.uint8), turn(largest), turn(scaling)


def block_scaled(book):
    for dtype, fp4 in (("f32", 0), ("f16", 0), ("bf16", 0), ("f16", 1), ("bf16", 1)):
        for nvidia in (0, 1):
            for down in (0, 1):
                shape = (64, 19) if down else (3, 96)
                values = plain("f32", 202, shape) * np.float32(37)
                values = values * np.float32(2.0) ** np.round(plain("f32", 203, shape) / 4)
                line = (slice(0, 32), 1) if down else (1, slice(0, 32))
                values[line] = 0
                line = (slice(32, 64), 2) if down else (2, slice(32, 64))
                special = np.full(32, 2.0 ** -9, np.float32)
                special[5], special[9] = np.float32(448), -np.float32("inf")
                values[line] = special
                values[(40, 3) if down else (0, 70)] = np.nan
                values[(33, 4) if down else (1, 65)] = np.float32(2.0 ** -14)
                if dtype == "f16":
                    values = values.astype(np.float16).astype(np.float32)
                if dtype == "bf16":
                    values = bf16_round(values)
                raw = to_bits(dtype, values.astype(np.float16) if dtype == "f16" else values)
                codes, exponents, largest, scaling = mx_quantised(values, fp4, nvidia, down)
                factors = to_bits("f32" if dtype == "f32" else "bf16", scaling.astype(np.float32))
                maxima = to_bits(dtype, largest.astype(np.float16 if dtype == "f16" else np.float32))
                if down:
                    side = lambda t, bits: (Tile(t, None, valid=bits.shape), bits)
                else:
                    # Compact, whatever the rows of the tile are.
                    def side(t, bits):
                        tile = Tile(t, None, rows=3, valid=bits.shape)
                        image = tile.before.copy()
                        image[: bits.size] = bits.ravel()
                        return tile, image
                maximum, factor = side(dtype, maxima), side(dtype, factors)
                book.case(f"TQUANT_MX.{dtype}.{'e2m1' if fp4 else 'e4m3'}."
                          f"{'nv' if nvidia else 'ocp'}.axis{1 - down}", "TQUANT_MX",
                          [Tile("e2m1" if fp4 else "u8", None, valid=shape), Tile(dtype, raw),
                           Tile("u8", None, valid=exponents.shape), maximum[0], factor[0]],
                          {0: codes, 2: exponents, 3: maximum[1], 4: factor[1]}, arch="a5",
                          quant_type="MXFP4_E2M1" if fp4 else "MXFP8",
                          quantScaleAlg="nv" if nvidia else "ocp", grpAxis=f"axis{1 - down}")
    for dtype, fp4 in (("f16", 0), ("bf16", 0), ("bf16", 1)):
        values = plain("f32", 213, (128, 19)) * np.float32(2.0) ** np.round(plain("f32", 214, (128, 19)) / 4)
        values = bf16_round(values) if dtype == "bf16" else values.astype(np.float16).astype(np.float32)
        raw = to_bits(dtype, values if dtype == "bf16" else values.astype(np.float16))
        codes, exponents, largest, scaling = mx_quantised(values, fp4, 0, 1)
        pairs = exponents.reshape(2, 2, 19).transpose(0, 2, 1).reshape(2, 38)
        kind = np.float16 if dtype == "f16" else np.float32
        book.case(f"TQUANT_MX.{dtype}.{'e2m1' if fp4 else 'e4m3'}.interleave", "TQUANT_MX",
                  [Tile("e2m1" if fp4 else "u8", None, valid=(128, 19)), Tile(dtype, raw),
                   Tile("u8", None, valid=(2, 38)), Tile(dtype, None, valid=(4, 19)),
                   Tile(dtype, None, valid=(4, 19))],
                  {0: codes, 2: pairs, 3: to_bits(dtype, largest.astype(kind)),
                   4: to_bits("bf16", scaling.astype(np.float32))}, arch="a5",
                  quant_type="MXFP4_E2M1" if fp4 else "MXFP8", grpAxis="axis0", interleave="true")
    flat = plain("f32", 204, (2, 64))
    codes, exponents, largest, scaling = mx_quantised(flat, 0, 0, 0)
    book.case("TQUANT_MX.flat", "TQUANT_MX",
              [Tile("e4m3", None, valid=(2, 64)), Tile("f32", to_bits("f32", flat)),
               Tile("e8m0", None, valid=(1, 4)), Tile("f32", None, valid=(1, 4)),
               Tile("f32", None, valid=(1, 4))],
              {0: codes, 2: exponents.reshape(1, 4),
               3: to_bits("f32", largest.astype(np.float32)).reshape(1, 4),
               4: to_bits("f32", scaling.astype(np.float32)).reshape(1, 4)}, arch="a5",
              quant_type="MXFP8")
    # The last group of a row is not whole: its other columns count as zero (hw-native-sys/pto-isa a5/TQuant.hpp).
    part = bf16_round(plain("f32", 215, (2, 48)))
    codes, exponents, largest, scaling = mx_quantised(np.pad(part, ((0, 0), (0, 16))), 0, 0, 0)
    book.case("TQUANT_MX.part", "TQUANT_MX",
              [Tile("e4m3", None, valid=(2, 48)), Tile("bf16", to_bits("bf16", part)),
               Tile("e8m0", None, valid=(1, 4)), Tile("bf16", None, valid=(1, 4)),
               Tile("bf16", None, valid=(1, 4))],
              {0: codes[:, :48], 2: exponents.reshape(1, 4),
               3: to_bits("bf16", largest.astype(np.float32)).reshape(1, 4),
               4: to_bits("bf16", scaling.astype(np.float32)).reshape(1, 4)}, arch="a5",
              quant_type="MXFP8")


def maxima(book):
    values = plain("f32", 405, (64, 19)).astype(np.float16).astype(np.float32)
    raw = to_bits("f16", values.astype(np.float16))
    codes, exponents, largest, scaling = mx_quantised(values, 1, 0, 1)
    for profile in ("a5", A5):
        if profile == A5:
            kept = (largest.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        else:
            kept = to_bits("f16", largest.astype(np.float16))
        book.case(f"TQUANT_MX.f16.e2m1.maximum.{profile}", "TQUANT_MX",
                  [Tile("e2m1", None, valid=(64, 19)), Tile("f16", raw),
                   Tile("u8", None, valid=(2, 19)), Tile("f16", None, valid=(2, 19)),
                   Tile("f16", None, valid=(2, 19))],
                  {0: codes, 2: exponents, 3: kept, 4: to_bits("bf16", scaling.astype(np.float32))},
                  arch=profile, quant_type="MXFP4_E2M1", grpAxis="axis0")
    values = plain("f32", 406, (128, 19))
    codes, exponents, largest, scaling = mx_quantised(values, 0, 1, 1)
    paired = exponents.reshape(2, 2, 19).transpose(0, 2, 1).reshape(2, 38)
    book.case("TQUANT_MX.f32.e4m3.interleave", "TQUANT_MX",
              [Tile("u8", None, valid=(128, 19)), Tile("f32", to_bits("f32", values)),
               Tile("u8", None, valid=(2, 38)), Tile("f32", None, valid=(4, 19)),
               Tile("f32", None, valid=(4, 19))],
              {0: codes, 2: paired, 3: to_bits("f32", largest.astype(np.float32)),
               4: to_bits("f32", scaling.astype(np.float32))}, arch="a5", quant_type="MXFP8",
              quantScaleAlg="nv", grpAxis="axis0", interleave="true")
