"""Element types of a2a3's vector intrinsics as numpy arrays: bits, rounding, saturation, test values.

Values travel as native numpy arrays (f32, f16, integers); bf16 is the upper half of an f32 and travels as
uint16, i4 as int8. Rounding is exact: every f16, bf16, f32 and integer of up to 32 bits is a float64.
"""
import numpy as np

NATIVE = {
    "f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i8": np.int8, "u8": np.uint8, "i16": np.int16,
    "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64,
}
# Bits of the significand with the hidden one, exponent of the smallest normal number, largest number.
FORMATS = {"f32": (24, -126, float(np.finfo(np.float32).max)), "f16": (11, -14, 65504.0),
           "bf16": (8, -126, 255.0 * 2.0**120)}
NAN_BITS = {"f32": 0x7FC00000, "f16": 0x7E00, "bf16": 0x7FC0}
UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}

# CTRL: bit 48 set keeps infinities and NaN of f16 and bf16 results (clear: largest numbers, and 0 for NaN);
# bit 59 clear clamps conversions to integers (set: low bits). AscendC's SetCtrlSpr, pto-isa's TCvt.hpp.
KEEP_INFINITY, WRAP = 1 << 48, 1 << 59


def size_of(name):
    """Bytes of an element; i4 has half a byte."""
    return 0.5 if name == "i4" else np.dtype(NATIVE[name]).itemsize


def is_float(name):
    return name in FORMATS


def limits(name):
    if name == "i4":
        return -8, 7
    info = np.iinfo(NATIVE[name])
    return int(info.min), int(info.max)


def to_double(name, values):
    """Exact float64 of elements (not of 64-bit integers)."""
    if name == "bf16":
        values = (values.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):  # signalling NaN
        return values.astype(np.float64)


def from_double(name, values):
    """Elements of float64 values that the type holds exactly."""
    values = np.asarray(values, np.float64)
    if name == "bf16":
        bits = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return np.where(np.isnan(values), NAN_BITS[name], bits).astype(np.uint16)
    return canonical(name, values.astype(NATIVE[name]))


def canonical(name, values):
    """Rule canonical_nan: a NaN result is the positive quiet NaN without payload."""
    if name not in ("f32", "f16"):
        return values
    bits = values.view(UNSIGNED[values.itemsize]).copy()
    bits[np.isnan(values)] = NAN_BITS[name]
    return bits.view(values.dtype)


def saturated(name, values, ctrl):
    """Rule saturate_half: with CTRL[48] clear an f16 or bf16 result has no infinity and no NaN."""
    if name not in ("f16", "bf16") or ctrl & KEEP_INFINITY:
        return values
    wide, largest = to_double(name, values), FORMATS[name][2]
    return from_double(name, np.where(np.isnan(wide), 0.0, np.clip(wide, -largest, largest)))


# ---- Rounding ----------------------------------------------------------------------------------------


def round_whole(values, letter):
    """float64 to whole numbers; a result of 0 keeps the sign of its operand."""
    if letter in ("r", ""):
        rounded = np.rint(values)
    elif letter == "a":
        whole = np.trunc(values)
        rounded = whole + np.where(np.abs(values - whole) >= 0.5, np.sign(values), 0.0)
    elif letter == "o":
        whole = np.trunc(values)
        rounded = whole + np.where((whole != values) & (whole % 2 == 0), np.sign(values), 0.0)
    else:
        rounded = {"f": np.floor, "c": np.ceil, "z": np.trunc}[letter](values)
    return np.copysign(rounded, values)


def round_float(name, values, letter=""):
    """float64 to the numbers of a float type.

    Rule directed_overflow: a number whose magnitude rounds to 2**(emax+1) or more becomes an infinity for
    r, a and the letter that rounds away from zero; the largest number for the others, as IEEE 754 has it.
    """
    precision, lowest, largest = FORMATS[name]
    finite = np.isfinite(values)
    safe = np.where(finite, values, 0.0)
    exponent = np.where(safe == 0, lowest, np.maximum(np.frexp(safe)[1] - 1, lowest))
    step = np.ldexp(1.0, exponent - precision + 1)
    rounded = round_whole(safe / step, letter) * step
    negative = np.signbit(values)
    stays = {"z": np.ones_like(negative), "o": np.ones_like(negative), "f": ~negative, "c": negative}
    limit = np.where(stays.get(letter, np.zeros_like(negative)), largest, np.inf)
    rounded = np.where(np.abs(rounded) > largest, np.copysign(limit, values), rounded)
    return from_double(name, np.where(finite, rounded, values))


def whole_to_integer(name, values, ctrl):
    """Whole float64 (or NaN, infinities) to an integer type: clamped, or its low bits.

    Rule nan_to_integer: NaN gives 0. Infinities with CTRL[59] set are not tested.
    """
    low, high = limits(name)
    numbers = [0 if v != v else (high if v > 0 else low) if np.isinf(v) else int(v) for v in values.tolist()]
    return integers(name, numbers, ctrl)


def integers(name, numbers, ctrl):
    """Python integers to an integer type: clamped, or with CTRL[59] set their low bits."""
    low, high = limits(name)
    if ctrl & WRAP:
        bits = high - low + 1
        numbers = [(n - low) % bits + low for n in numbers]
    else:
        numbers = [min(max(n, low), high) for n in numbers]
    return np.array(numbers, np.int8 if name == "i4" else NATIVE[name])


def integer_to_float(name, number, letter):
    """One Python integer of any size, rounded to a float type; as float64."""
    precision = FORMATS[name][0]
    shift = abs(number).bit_length() - precision
    if shift <= 0:
        return float(number)
    whole, rest = divmod(abs(number), 1 << shift)
    half = 1 << (shift - 1)
    up = {"r": rest > half or (rest == half and whole % 2), "": rest > half or (rest == half and whole % 2),
          "a": rest >= half, "z": False, "f": rest and number < 0, "c": rest and number > 0}[letter]
    magnitude = (whole + bool(up)) << shift
    return float(-magnitude if number < 0 else magnitude)


# ---- Test values -------------------------------------------------------------------------------------

INF, NAN = np.inf, np.nan
SPECIAL = {
    "f32": [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 2.0**-149, -2.0**-149, 2.0**-126, 2.0**-126 - 2.0**-149,
            -(2.0**-126 - 2.0**-149), FORMATS["f32"][2], -FORMATS["f32"][2], 0.5, 1.5, -2.5, 2.0**24 + 2,
            1 + 2.0**-23, 1 - 2.0**-24, 65504.0, 88.5, -87.4, 1e-30],
    "f16": [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 2.0**-24, -2.0**-24, 2.0**-14, 2.0**-14 - 2.0**-24,
            -(2.0**-14 - 2.0**-24), 65504.0, -65504.0, 0.5, 1.5, -2.5, 2050.0, 1 + 2.0**-10, 1 - 2.0**-11,
            11.08, -9.7, 255.9, 1e-5],
}
SPECIAL["bf16"] = SPECIAL["f32"]


def special(name):
    if is_float(name):
        return round_float(name, np.array(SPECIAL[name], np.float64))
    low, high = limits(name)
    values = [low, low + 1, -2, -1, 0, 1, 2, 3, high // 3, high // 2, high - 1, high]
    return np.array([v for v in values if low <= v <= high], NATIVE[name])


def any_values(rng, name, count):
    """A third special values, the others of common magnitude or of any."""
    plain = common_values(rng, name, count)
    wide = wide_values(rng, name, count)
    edges = special(name)[rng.integers(0, len(special(name)), count)]
    return np.choose(rng.integers(0, 3, count), [plain, wide, edges]).astype(plain.dtype)


def common_values(rng, name, count):
    """Floats between -16 and 16, integers of at most 7 bits."""
    if is_float(name):
        return round_float(name, rng.uniform(-16, 16, count))
    low, high = limits(name)
    return rng.integers(max(low, -100), min(high, 100), count, endpoint=True).astype(NATIVE[name])


def wide_values(rng, name, count):
    """Any finite float, any integer."""
    bits = rng.integers(0, 1 << 32, count).astype(np.uint64) << np.uint64(32)
    bits |= rng.integers(0, 1 << 32, count).astype(np.uint64)
    values = bits.astype(UNSIGNED[size_of(name)]).view(NATIVE[name])
    if not is_float(name):
        return values
    return np.where(np.isfinite(to_double(name, values)), values, from_double(name, [1.25])[0]).astype(values.dtype)


def short_values(rng, name, count):
    """Floats whose products and sums of products are exact, so that any order of roundings gives the same."""
    scale = 16 if name == "f32" else 4
    return from_double(name, rng.integers(-2 * scale, 2 * scale, count, endpoint=True) / scale)
