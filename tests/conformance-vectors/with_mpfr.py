"""An implementation by MPFR: functions of one and two floats, correctly rounded, in the profile ieee.

It is also an example of how to fill in compute() of run_vectors.py. Needs the library libmpfr.
"""
import ctypes
import ctypes.util
import struct

mpfr = ctypes.CDLL(ctypes.util.find_library("mpfr") or "libmpfr.so.6")
NEAREST = 0
PRECISION = 400  # bits: a quotient or function of floats that is no tie at 24 bits is none at 400
FORMATS = {"f32": ("<f", 4, 24, -149), "f16": ("<e", 2, 11, -24)}  # struct's letter, bytes, precision, least exponent


class Number(ctypes.Structure):
    _fields_ = [("precision", ctypes.c_long), ("sign", ctypes.c_int), ("exponent", ctypes.c_long),
                ("limbs", ctypes.c_void_p)]


def number():
    value = Number()
    mpfr.mpfr_init2(ctypes.byref(value), ctypes.c_long(PRECISION))
    return value


A, B, RESULT = number(), number(), number()
mpfr.mpfr_get_d.restype = ctypes.c_double
mpfr.mpfr_get_d_2exp.restype = ctypes.c_double


def function(name):
    call = getattr(mpfr, "mpfr_" + name)
    return lambda: call(ctypes.byref(RESULT), ctypes.byref(A), NEAREST)


def operation(name):
    call = getattr(mpfr, "mpfr_" + name)
    return lambda: call(ctypes.byref(RESULT), ctypes.byref(A), ctypes.byref(B), NEAREST)


def reciprocal():
    mpfr.mpfr_ui_div(ctypes.byref(RESULT), ctypes.c_ulong(1), ctypes.byref(A), NEAREST)


def reciprocal_root():
    mpfr.mpfr_rec_sqrt(ctypes.byref(RESULT), ctypes.byref(A), NEAREST)


UNARY = {"TEXP": function("exp"), "TLOG": function("log"), "TSQRT": function("sqrt"), "TRECIP": reciprocal,
         "TRSQRT": reciprocal_root}
BINARY = {"TADD": operation("add"), "TSUB": operation("sub"), "TMUL": operation("mul"), "TDIV": operation("div")}
CANONICAL_NAN = {"f32": 0x7FC00000, "f16": 0x7E00}


def rounded(dtype):
    """RESULT in the format, rounded once to nearest even, subnormals too."""
    letter, size, precision, least = FORMATS[dtype]
    if mpfr.mpfr_nan_p(ctypes.byref(RESULT)):
        return CANONICAL_NAN[dtype].to_bytes(size, "little")
    exact = mpfr.mpfr_get_d(ctypes.byref(RESULT), NEAREST)
    if exact in (0.0, float("inf"), float("-inf")) and (not mpfr.mpfr_regular_p(ctypes.byref(RESULT))):
        return struct.pack(letter, exact)
    exponent = ctypes.c_long()
    mpfr.mpfr_get_d_2exp(ctypes.byref(exponent), ctypes.byref(RESULT), NEAREST)  # 0.5 <= fraction < 1
    unit = max(exponent.value - precision, least)
    scaled = number()
    mpfr.mpfr_mul_2si(ctypes.byref(scaled), ctypes.byref(RESULT), ctypes.c_long(-unit), NEAREST)
    mpfr.mpfr_rint(ctypes.byref(scaled), ctypes.byref(scaled), NEAREST)
    mpfr.mpfr_mul_2si(ctypes.byref(scaled), ctypes.byref(scaled), ctypes.c_long(unit), NEAREST)
    value = mpfr.mpfr_get_d(ctypes.byref(scaled), NEAREST)
    mpfr.mpfr_clear(ctypes.byref(scaled))
    try:
        return struct.pack(letter, value)
    except OverflowError:
        return struct.pack(letter, float("inf") if value > 0 else float("-inf"))


def elements(tile):
    """Offsets of the valid elements, row by row; the layout is ND."""
    size = FORMATS[tile["dtype"]][1]
    rows, cols = tile["valid"]
    return [(row * tile["cols"] + col) * size for row in range(rows) for col in range(cols)]


def compute(case):
    operands = case["operands"]
    count = 2 if case["instruction"] in UNARY else 3
    call = UNARY.get(case["instruction"]) or BINARY.get(case["instruction"])
    tiles = [operand for operand in operands if operand]
    if (call is None or case["profile"] != "ieee" or case["attributes"] or len(tiles) < count or
            any(tile["kind"] != "tile" or tile["layout"] != "ND" for tile in tiles) or
            tiles[0]["dtype"] not in FORMATS or len({tile["dtype"] for tile in tiles[:count]}) != 1 or
            len({tuple(tile["valid"]) for tile in tiles[:count]}) != 1):
        return None
    letter, size, _, _ = FORMATS[tiles[0]["dtype"]]
    result = bytearray(tiles[0]["before"])
    places = [elements(tile) for tile in tiles[:count]]
    for place in zip(*places):
        for value, tile, at in zip((A, B), tiles[1:count], place[1:]):
            mpfr.mpfr_set_d(ctypes.byref(value), ctypes.c_double(struct.unpack_from(letter, tile["before"], at)[0]),
                            NEAREST)
        call()
        result[place[0]:place[0] + size] = rounded(tiles[0]["dtype"])
    return {0: bytes(result)}
