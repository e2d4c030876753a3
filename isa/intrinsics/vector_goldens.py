#!/usr/bin/python3
"""Writes golden cases of the vector register operations of an a5: the expected results, computed by numpy.

    /usr/bin/python3 isa/intrinsics/vector_goldens.py FILE

A second implementation of the rows in vector_*.def, made from PTO-ISA/PTO-Gym
docs/PTO-micro-Instruction-SPEC.md and the expectations of examples/pto/micro-op/*/*/golden.py there
(which win where the two differ). Needs numpy, nothing of ptosim. The seed is fixed.

A register is 256 bytes. A predicate is 256 bits, one for each byte of a register, kept as bytes of 0
or 1; lane i of w bytes is active if bit i*w is set. Lanes of a result that are not active are 0, or
what source 3 has if the operation merges.

FILE is little-endian: b"VGOLDEN1", u32 number of cases, then for each case

    u8 length + ASCII label, u8 length + ASCII name of the operation,
    u8 dtype, u8 to, u8 mode, u8 round, u8 saturation is on, u8 merges,
    u16 block_stride, u16 repeat_stride, u64 scalar, u32 address,
    u8 number of sources, each u8 index + 256 bytes,
    u8 has a mask, 256 bytes if so,
    u32 size of UB before, its bytes,
    u8 number of results, each 256 bytes,
    u32 size of UB after, its bytes (both sizes 0 if UB is not touched).
"""
import dataclasses
import itertools
import pathlib
import struct
import sys
from typing import NamedTuple

import numpy as np

SEED = 20261126
BYTES = 256
BLOCK = 32
UB_BYTES = 1024
INF, NAN = np.inf, np.nan


# ---- Types -----------------------------------------------------------------------------------------


class Type(NamedTuple):
    """An element type. Floats have `precision` bits with the hidden one, and normal numbers from 2**emin on."""
    name: str
    code: int
    width: int
    kind: str  # f, i or u
    precision: int = 0
    emin: int = 0
    largest: float = 0.0

    @property
    def lanes(self):
        return BYTES // self.width

    @property
    def bits(self):
        return np.dtype(f"<u{self.width}")

    @property
    def low(self):
        return -(1 << (8 * self.width - 1)) if self.kind == "i" else 0

    @property
    def high(self):
        return (1 << (8 * self.width - (self.kind == "i"))) - 1


F32 = Type("f32", 0, 4, "f", 24, -126, float(np.finfo(np.float32).max))
F16 = Type("f16", 1, 2, "f", 11, -14, 65504.0)
BF16 = Type("bf16", 2, 2, "f", 8, -126, 255.0 * 2.0**120)
E4M3 = Type("e4m3", 5, 1, "f", 4, -6, 448.0)
E5M2 = Type("e5m2", 6, 1, "f", 3, -14, 57344.0)
E2M1 = Type("e2m1", 9, 1, "f", 2, 0, 6.0)
I8, U8 = Type("i8", 12, 1, "i"), Type("u8", 13, 1, "u")
I16, U16 = Type("i16", 14, 2, "i"), Type("u16", 15, 2, "u")
I32, U32 = Type("i32", 16, 4, "i"), Type("u32", 17, 4, "u")

FLOATS = (F32, F16, BF16)
INTEGERS = (I8, U8, I16, U16, I32, U32)
NUMBERS = FLOATS + INTEGERS
WIDTHS = (U8, U16, U32)  # of predicates, and of what moves bits about
WIDER = {I8: I16, U8: U16, I16: I32, U16: U32}
CANONICAL_NAN = {F32: 0x7FC00000, F16: 0x7E00, BF16: 0x7FC0}


# ---- Modes -----------------------------------------------------------------------------------------

NORM, BRC_B8, BRC_B16, BRC_B32, US_B8, US_B16, DS_B8, DS_B16 = range(1, 9)
UNPK_B8, UNPK_B16, UNPK_B32, UNPK4_B8, BRC_BLK, E2B_B16, E2B_B32, BDINTLV = range(9, 17)
DINTLV_B8, DINTLV_B16, DINTLV_B32 = range(17, 20)
NORM_B8, NORM_B16, NORM_B32, ONEPT_B8, ONEPT_B16, ONEPT_B32 = range(32, 38)
PK_B16, PK_B32, PK_B64, PK4_B32, INTLV_B8, INTLV_B16, INTLV_B32 = range(38, 45)
PREDICATE_NORM, PREDICATE_US, PREDICATE_DS, PREDICATE_PK, PREDICATE_PK4 = 64, 65, 66, 67, 69
LOWER, HIGHER = 72, 73
PART = 80
EQ, NE, LT, LE, GT, GE = range(88, 94)
ASCENDING, DESCENDING = 96, 97
PATTERNS = ["all", "allf", "h", "q", "vl1", "vl2", "vl3", "vl4", "vl8", "vl16", "vl32", "vl64", "vl128", "m3", "m4"]
PATTERN = 104

NEAREST_EVEN, NEAREST_AWAY, FLOOR, CEIL, TRUNCATE, ODD = 1, 2, 3, 4, 5, 6
ROUNDINGS = {0: "default", 1: "even", 2: "away", 3: "floor", 4: "ceil", 5: "zero", 6: "odd"}


# ---- Numbers: float64 for lanes of floats, int64 for lanes of integers ------------------------------


def decode(type_, register):
    """The numbers of a register's lanes."""
    if type_ == BF16:
        wide = register.view("<u2").astype(np.uint32) << 16
        return wide.view(np.float32).astype(np.float64)
    if type_.kind == "f":
        return register.view(f"<f{type_.width}").astype(np.float64)
    return register.view(f"<{type_.kind}{type_.width}").astype(np.int64)


def encode(type_, numbers):
    """The bits of numbers that the type can hold; integers lose their upper bits."""
    if type_.kind != "f":
        mask = (1 << (8 * type_.width)) - 1
        return (np.asarray(numbers).astype(np.int64) & mask).astype(type_.bits)
    numbers = np.asarray(numbers, np.float64)
    if type_ not in CANONICAL_NAN:
        return encode_small(type_, numbers)
    if type_ == F16:
        bits = numbers.astype(np.float16).view(np.uint16)
    else:
        bits = numbers.astype(np.float32).view(np.uint32)
    if type_ == BF16:
        bits = (bits >> 16).astype(np.uint16)
    return np.where(np.isnan(numbers), CANONICAL_NAN[type_], bits).astype(type_.bits)


def encode_small(type_, numbers):
    """Finite numbers of 8 or 4 bits: how many steps they are from zero, and the sign above."""
    magnitude = np.abs(numbers)
    exponent, step = grid_of(type_, magnitude)
    code = (exponent - type_.emin) * 2 ** (type_.precision - 1) + magnitude / step
    sign = 0x8 if type_ == E2M1 else 0x80
    return (code.astype(np.int64) | np.where(np.signbit(numbers), sign, 0)).astype(np.uint8)


def grid_of(type_, magnitude):
    """The exponents of magnitudes, and how far apart the type's numbers are there."""
    exponent = np.where(magnitude == 0, type_.emin, np.maximum(np.frexp(magnitude)[1] - 1, type_.emin))
    return exponent, np.ldexp(1.0, exponent - type_.precision + 1)


def round_steps(steps, negative, rounding):
    """Magnitudes to whole numbers."""
    whole = np.floor(steps)
    rest = steps - whole
    odd = whole % 2 == 1
    up = {
        0: (rest > 0.5) | ((rest == 0.5) & odd),
        NEAREST_EVEN: (rest > 0.5) | ((rest == 0.5) & odd),
        NEAREST_AWAY: rest >= 0.5,
        FLOOR: negative & (rest > 0),
        CEIL: ~negative & (rest > 0),
        TRUNCATE: np.zeros_like(odd),
        ODD: (rest > 0) & ~odd,
    }[rounding]
    return whole + up


def overflowed(type_, negative, rounding):
    """The result of IEEE 754 for a finite number beyond the largest one."""
    stays = {TRUNCATE: np.ones_like(negative), FLOOR: ~negative, CEIL: negative}
    return np.where(stays.get(rounding, np.zeros_like(negative)), type_.largest, INF)


def round_float(type_, numbers, rounding=0, saturate=False):
    """To the nearest numbers that a float type has; still as float64.

    Saturation makes infinities the largest numbers and NaN zero (conversion/vcvt-f32-special of the
    examples has both for f16).
    """
    finite, negative = np.isfinite(numbers), np.signbit(numbers)
    magnitude = np.where(finite, np.abs(numbers), 0.0)
    _, step = grid_of(type_, magnitude)
    rounded = round_steps(magnitude / step, negative, rounding) * step
    limit = type_.largest if saturate else overflowed(type_, negative, rounding)
    rounded = np.where(rounded > type_.largest, limit, rounded)
    infinity = type_.largest if saturate else INF
    rounded = np.where(np.isinf(numbers), infinity, rounded)
    rounded = np.copysign(rounded, numbers)
    return np.where(np.isnan(numbers), 0.0 if saturate else NAN, rounded)


def round_whole(numbers, rounding):
    """Floats to whole numbers that keep the sign; infinities and NaN stay."""
    with np.errstate(invalid="ignore"):
        rounded = np.copysign(round_steps(np.abs(numbers), np.signbit(numbers), rounding), numbers)
    return np.where(np.isfinite(numbers), rounded, numbers)


def plus(a, b):
    """a + b; of floats so that rounding the result again is the same as rounding the exact sum.

    That is rounding to odd: the error of the float64 sum is known exactly, and if there is one, the
    last bit must be 1.
    """
    if a.dtype.kind == "i":
        return a + b
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    even = (total.view(np.int64) & 1) == 0
    neighbour = np.nextafter(total, np.where(error > 0, INF, -INF))
    return np.where(np.isfinite(total) & (error != 0) & even, neighbour, total)


def minus(a, b):
    return plus(a, -b)


def times(a, b):
    """Exact: the product of two elements has at most 48 bits; of integers, the low 64 bits."""
    return a * b


def quotient(a, b):
    """For floats this is exact enough, because no quotient of two elements is close to the middle of two others."""
    if a.dtype.kind == "f":
        return a / b
    whole = np.abs(a) // np.abs(b)
    return np.where((a < 0) != (b < 0), -whole, whole)


def remainder(a, b):
    """The remainder of floor(a / b), as TREM; quotient() truncates."""
    rest = a - quotient(a, b) * b
    return np.where((rest != 0) & ((rest < 0) != (b < 0)) & (b != 0), rest + b, rest)


def leaky(a, slope):
    return np.where(a >= 0, a, times(slope, a))


def order_key(type_, bits):
    """Whole numbers that order elements as max and min do: -0 is less than +0."""
    signed = bits.astype(np.int64)
    if type_.kind != "f":
        return decode(type_, bits.view(np.uint8))
    sign = 1 << (8 * type_.width - 1)
    return np.where(signed & sign, -1 - (signed & ~sign), signed)


def extreme(type_, a, b, greater):
    """Bits of the greater or lesser ones; a NaN wins against a number (binary-vector/vmin-f32-exceptional)."""
    a_key, b_key = order_key(type_, a), order_key(type_, b)
    picked = np.where((a_key >= b_key) if greater else (a_key <= b_key), a, b)
    if type_.kind != "f":
        return picked
    a_nan, b_nan = (np.isnan(decode(type_, x.view(np.uint8))) for x in (a, b))
    return np.where(a_nan | b_nan, CANONICAL_NAN[type_], picked).astype(type_.bits)


# ---- An operation ----------------------------------------------------------------------------------


@dataclasses.dataclass
class Operation:
    name: str
    type: Type
    to: Type
    mode: int = 0
    round: int = 0
    saturate: bool = False
    merges: bool = False
    block_stride: int = 0
    repeat_stride: int = 0
    scalar: int = 0
    address: int = 0
    sources: dict = dataclasses.field(default_factory=dict)
    mask: np.ndarray = None
    ub: np.ndarray = None

    def bits(self, source, width=None):
        return self.sources[source].view(f"<u{width or self.type.width}")

    def numbers(self, source):
        return decode(self.type, self.sources[source])

    def scalar_bits(self):
        return np.full(self.type.lanes, self.scalar, self.type.bits)

    def scalar_numbers(self):
        return decode(self.type, self.scalar_bits().view(np.uint8))

    def active(self, width=None):
        """The active lanes of `width` bytes."""
        width = width or self.type.width
        mask = np.ones(BYTES, np.uint8) if self.mask is None else self.mask
        return mask[::width] == 1

    def masked(self, bits):
        """Lanes of a result as a register."""
        old = self.bits(3, bits.itemsize) if self.merges else np.zeros_like(bits)
        return np.where(self.active(bits.itemsize), bits, old).view(np.uint8)

    def part(self):
        return self.mode - PART if PART <= self.mode < PART + 4 else 0


MODELS = {}


def models(*names):
    """Marks what computes the results of operations: a function of one, giving registers."""
    def mark(function):
        MODELS.update({name: function for name in names})
        return function
    return mark


def compute(operation):
    """The results of an operation, and UB after it."""
    before = operation.ub
    operation.ub = None if before is None else before.copy()
    with np.errstate(all="ignore"):
        results = MODELS[operation.name](operation)
    after, operation.ub = operation.ub, before
    return [np.ascontiguousarray(result).view(np.uint8) for result in results], after


def lane_bits(flags, width):
    """Lanes that are true as a predicate: the first bit of each."""
    predicate = np.zeros(BYTES, np.uint8)
    predicate[::width] = flags
    return predicate


# ---- Loads and stores ------------------------------------------------------------------------------

# Reads of VLDS: (bytes of an element, elements, repetitions of each, step between them, bytes of the
# lane that each becomes).
LOADS = {
    NORM: (1, 256, 1, 1, 1), BRC_B8: (1, 1, 256, 1, 1), BRC_B16: (2, 1, 128, 1, 2), BRC_B32: (4, 1, 64, 1, 4),
    US_B8: (1, 128, 2, 1, 1), US_B16: (2, 64, 2, 1, 2), DS_B8: (1, 256, 1, 2, 1), DS_B16: (2, 128, 1, 2, 2),
    UNPK_B8: (1, 128, 1, 1, 2), UNPK_B16: (2, 64, 1, 1, 4), UNPK_B32: (4, 32, 1, 1, 8), UNPK4_B8: (1, 64, 1, 1, 4),
    BRC_BLK: (32, 1, 8, 1, 32), E2B_B16: (2, 8, 16, 1, 2), E2B_B32: (4, 8, 8, 1, 4),
}


@models("VLDS")
def vlds(op):
    size, count, repeats, stride, lane = LOADS[op.mode]
    read = op.ub[op.address:op.address + size * count * stride].reshape(count * stride, size)[::stride]
    lanes = np.zeros((count * repeats, lane), np.uint8)
    lanes[:, :size] = np.repeat(read, repeats, axis=0)
    return [lanes.ravel()]


@models("VLDSX2")
def vldsx2(op):
    size = BLOCK if op.mode == BDINTLV else 1 << (op.mode - DINTLV_B8)
    read = op.ub[op.address:op.address + 2 * BYTES].reshape(-1, size)
    return [read[0::2].ravel(), read[1::2].ravel()]


@models("VLDUS")
def vldus(op):
    return [op.ub[op.address:op.address + BYTES].copy()]


def strided_blocks(op):
    """The active blocks and their addresses in UB. Lane k of a mask of 32 bits activates block k."""
    for block in np.flatnonzero(op.active(4)[:8]):
        yield block, op.address + BLOCK * (op.repeat_stride + block * op.block_stride)


@models("VSLDB")
def vsldb(op):
    result = np.zeros((8, BLOCK), np.uint8)
    for block, address in strided_blocks(op):
        result[block] = op.ub[address:address + BLOCK]
    return [result.ravel()]


@models("VSSTB")
def vsstb(op):
    for block, address in strided_blocks(op):
        op.ub[address:address + BLOCK] = op.sources[0][block * BLOCK:(block + 1) * BLOCK]
    return []


@models("VGATHER2")
def vgather2(op):
    result = np.zeros(op.type.lanes, op.type.bits)
    elements = op.ub[op.address:].view(op.type.bits)
    active = op.active()
    result[active] = elements[op.bits(0)[active]]
    return [result]


@models("VGATHERB")
def vgatherb(op):
    result = np.zeros((8, BLOCK), np.uint8)
    for block in np.flatnonzero(op.active(4)[:8]):
        address = op.address + int(op.bits(0, 4)[block])
        result[block] = op.ub[address:address + BLOCK]
    return [result.ravel()]


@models("VSCATTER")
def vscatter(op):
    elements = op.ub[op.address:].view(op.type.bits)
    active = op.active()
    elements[op.bits(1)[active]] = op.bits(0)[active]
    return []


# Stores of VSTS: (bytes of a lane, bytes of it that are stored).
STORES = {NORM_B8: (1, 1), NORM_B16: (2, 2), NORM_B32: (4, 4), PK_B16: (2, 1), PK_B32: (4, 2), PK_B64: (8, 4),
          PK4_B32: (4, 1)}


@models("VSTS")
def vsts(op):
    if ONEPT_B8 <= op.mode <= ONEPT_B32:
        size = 1 << (op.mode - ONEPT_B8)
        op.ub[op.address:op.address + size] = op.sources[0][:size]
        return []
    lane, size = STORES[op.mode]
    stored = op.sources[0].reshape(-1, lane)[:, :size]
    place = op.ub[op.address:op.address + stored.size].reshape(-1, size)
    active = op.active(lane)
    place[active] = stored[active]
    return []


@models("VSTSX2")
def vstsx2(op):
    size = 1 << (op.mode - INTLV_B8)
    pair = [op.sources[i].reshape(-1, size) for i in (0, 1)]
    op.ub[op.address:op.address + 2 * BYTES] = np.stack(pair, axis=1).ravel()
    return []


@models("VSTUS")
def vstus(op):
    op.ub[op.address:op.address + op.scalar] = op.sources[0][:op.scalar]
    return []


@models("PLDS")
def plds(op):
    size = {PREDICATE_NORM: 32, PREDICATE_US: 16, PREDICATE_DS: 64}[op.mode]
    bits = np.unpackbits(op.ub[op.address:op.address + size], bitorder="little")
    return [{PREDICATE_NORM: bits, PREDICATE_US: np.repeat(bits, 2), PREDICATE_DS: bits[::2]}[op.mode]]


@models("PSTS")
def psts(op):
    bits = op.sources[0][::{PREDICATE_PK: 2, PREDICATE_PK4: 4}.get(op.mode, 1)]
    image = np.packbits(bits, bitorder="little")
    op.ub[op.address:op.address + image.size] = image
    return []


# ---- Lane by lane ----------------------------------------------------------------------------------

# Arithmetic: a function and its operands, which are sources by number, or s for the scalar.
ARITHMETIC = {
    "VADD": (plus, "01"), "VSUB": (minus, "01"), "VMUL": (times, "01"), "VDIV": (quotient, "01"),
    "VMOD": (remainder, "01"), "VADDS": (plus, "0s"), "VMULS": (times, "0s"),
    "VLRELU": (leaky, "0s"), "VPRELU": (leaky, "01"),
    "VEXP": (np.exp, "0"), "VLN": (np.log, "0"), "VSQRT": (np.sqrt, "0"),
}
# Products of f16 are rounded before the sum, except in VAXPY (hw-native-sys/pto-isa, tests of
# tfusedmuladd, tmuladddst and taxpy).
FUSED = {
    "VMULA": (lambda sum_, a, b: (a, b, sum_), "012"),
    "VMADD": (lambda a, b, c: (a, b, c), "012"),
    "VAXPY": (lambda a, b, scale: (scale, a, b), "01s"),
}


@models(*FUSED)
def fused(op):
    order, names = FUSED[op.name]
    a, b, c = order(*(op.scalar_numbers() if name == "s" else op.numbers(int(name)) for name in names))
    numbers = times(a, b)
    if op.type.kind == "f":
        numbers = round_float(op.type, plus(round_float(op.type, numbers) if op.type == F16 and op.name != "VAXPY" else numbers, c))
    else:
        numbers = plus(numbers, c)
    return [op.masked(encode(op.type, numbers))]


@models(*ARITHMETIC)
def arithmetic(op):
    function, names = ARITHMETIC[op.name]
    numbers = function(*(op.scalar_numbers() if name == "s" else op.numbers(int(name)) for name in names))
    if op.type.kind == "f":
        numbers = round_float(op.type, numbers)
    return [op.masked(encode(op.type, numbers))]


@models("VMAX", "VMIN", "VMAXS", "VMINS", "VRELU")
def lane_extreme(op):
    if op.name == "VRELU":
        other = np.zeros(op.type.lanes, op.type.bits)
    else:
        other = op.scalar_bits() if op.name.endswith("S") else op.bits(1)
    return [op.masked(extreme(op.type, op.bits(0), other, not op.name.startswith("VMIN")))]


def shift_left(a, count, type_):
    """Counts from the width on shift everything out (hw-native-sys/pto-isa, tests of tshl); of 64 bits they wrap."""
    out = (count < 0) | (count >= 8 * type_.width) if type_.width < 8 else np.zeros(count.shape, bool)
    return encode(type_, np.where(out, 0, a << (count & (8 * type_.width - 1))))


def shift_right(a, count, type_):
    out = (count < 0) | (count >= 8 * type_.width) if type_.width < 8 else np.zeros(count.shape, bool)
    return encode(type_, np.where(out, np.where(a < 0, -1, 0), a >> (count & (8 * type_.width - 1))))


SHIFTS = {"VSHL": (shift_left, False), "VSHR": (shift_right, False), "VSHLS": (shift_left, True),
          "VSHRS": (shift_right, True)}


@models(*SHIFTS)
def shift(op):
    function, by_scalar = SHIFTS[op.name]
    counts = op.scalar_bits() if by_scalar else op.bits(1)
    return [op.masked(function(op.numbers(0), counts.astype(np.int64), op.type))]


BITWISE = {"VAND": np.bitwise_and, "VOR": np.bitwise_or, "VXOR": np.bitwise_xor}


@models(*BITWISE)
def bitwise(op):
    return [op.masked(BITWISE[op.name](op.bits(0), op.bits(1)))]


@models("VNOT")
def vnot(op):
    return [op.masked(~op.bits(0))]


@models("VMOV")
def vmov(op):
    return [op.masked(op.bits(0))]


@models("VABS", "VNEG")
def sign(op):
    """Encoding makes a NaN the canonical one, whatever its sign was."""
    function = np.abs if op.name == "VABS" else np.negative
    return [op.masked(encode(op.type, function(op.numbers(0))))]


@models("VSEL")
def vsel(op):
    chosen = op.sources[2][::op.type.width] == 1
    return [np.where(chosen, op.bits(0), op.bits(1))]


@models("VMULL")
def vmull(op):
    wide = np.int64 if op.type == I32 else np.uint64
    product = op.numbers(0).astype(wide) * op.numbers(1).astype(wide)
    return [op.masked((product >> wide(shift_)).astype(np.uint64).astype(np.uint32)) for shift_ in (0, 32)]


@models("VADDC", "VADDCS", "VSUBC", "VSUBCS")
def carry(op):
    """Carries are computed for unsigned lanes, whatever the type."""
    a, b = (op.bits(i).astype(np.int64) for i in (0, 1))
    if op.name.endswith("S"):
        given = (op.sources[2][::4] == 1).astype(np.int64)
    else:
        given = np.full(op.type.lanes, 1 if op.name == "VSUBC" else 0, np.int64)
    if op.name.startswith("VADD"):
        result = a + b + given
        out = result >= 1 << 32
    else:
        result = a - b - 1 + given
        out = result >= 0
    return [op.masked(encode(op.type, result)), lane_bits(out & op.active(), 4)]


COMPARISONS = {EQ: np.equal, NE: np.not_equal, LT: np.less, LE: np.less_equal, GT: np.greater, GE: np.greater_equal}


@models("VCMP", "VCMPS")
def compare(op):
    other = op.scalar_numbers() if op.name == "VCMPS" else op.numbers(1)
    return [lane_bits(COMPARISONS[op.mode](op.numbers(0), other) & op.active(), op.type.width)]


@models("VEXPDIF")
def vexpdif(op):
    """f32 of f32 lanes, or of every second f16 lane; the mask is that of the sources."""
    step = 4 // op.type.width
    part = op.part() if step == 2 else 0
    a, b = (op.numbers(i)[part::step] for i in (0, 1))
    bits = encode(F32, round_float(F32, np.exp(round_float(F32, minus(a, b)))))
    return [np.where(op.active()[part::step], bits, 0).astype(np.uint32)]


# ---- Other types -----------------------------------------------------------------------------------


def convert(numbers, from_, to, rounding, saturate):
    """Elements of one type to bits of another."""
    if to.kind == "f":
        return encode(to, round_float(to, numbers.astype(np.float64), rounding, saturate))
    if from_.kind == "f":
        whole = round_whole(numbers, rounding)
        whole = np.clip(np.where(np.isnan(whole), 0.0, whole), to.low, to.high)
        assert saturate or np.array_equal(whole, round_whole(numbers, rounding))
        return encode(to, whole)
    return encode(to, np.clip(numbers, to.low, to.high) if saturate else numbers)


@models("VCVT")
def vcvt(op):
    if op.to == E2M1:
        return [convert_pairs(op)]
    from_, to, part = op.type, op.to, op.part()
    step = max(from_.width, to.width) // min(from_.width, to.width)
    if from_.width <= to.width:
        bits = convert(op.numbers(0)[part::step], from_, to, op.round, op.saturate)
        return [np.where(op.active()[part::step], bits, 0).astype(to.bits)]
    result = np.zeros(to.lanes, to.bits)
    bits = convert(op.numbers(0), from_, to, op.round, op.saturate)
    result[part::step] = np.where(op.active(), bits, 0)
    return [result]


def convert_pairs(op):
    """Two neighbours become one byte, the even one its lower half; byte j goes to byte 4*j + part."""
    nibbles = convert(op.numbers(0), op.type, op.to, op.round, op.saturate)
    nibbles = np.where(op.active(), nibbles, 0).astype(np.uint8)
    result = np.zeros(BYTES, np.uint8)
    result[op.part()::4] = nibbles[0::2] | (nibbles[1::2] << 4)
    return result


@models("VTRC")
def vtrc(op):
    return [op.masked(encode(op.type, round_whole(op.numbers(0), op.round)))]


# ---- What moves lanes ------------------------------------------------------------------------------


@models("VDUPS")
def vdups(op):
    return [op.masked(op.scalar_bits())]


@models("VDUP")
def vdup(op):
    return [op.masked(np.full(op.type.lanes, op.bits(0)[-1 if op.mode == HIGHER else 0], op.type.bits))]


@models("VCI")
def vci(op):
    index = np.arange(op.type.lanes)
    if op.mode != ASCENDING:  # asc_arange: the last lane has the scalar
        index = index[::-1]
    if op.type.kind == "f":
        return [encode(op.type, round_float(op.type, plus(op.scalar_numbers(), index.astype(np.float64))))]
    return [encode(op.type, op.scalar_numbers() + index)]


def interleave(a, b):
    return np.stack([a, b], axis=1).reshape(2, *a.shape)


def deinterleave(a, b):
    both = np.concatenate([a, b])
    return both[0::2], both[1::2]


@models("VINTLV", "PINTLV", "VDINTLV", "PDINTLV")
def interleaving(op):
    """Whole lanes also move in predicates: as many bits as a lane has bytes."""
    function = deinterleave if op.name.endswith("DINTLV") else interleave
    lanes = (op.sources[i].reshape(-1, op.type.width) for i in (0, 1))
    return [result.ravel() for result in function(*lanes)]


@models("VSQZ")
def vsqz(op):
    result = np.zeros(op.type.lanes, op.type.bits)
    kept = op.bits(0)[op.active()]
    result[:kept.size] = kept
    return [result]


@models("VUSQZ")
def vusqz(op):
    return [encode(op.type, np.cumsum(op.active()) - op.active())]


@models("VSELR")
def vselr(op):
    index = op.bits(1).astype(np.int64)
    inside = index < op.type.lanes
    return [np.where(inside, op.bits(0)[np.where(inside, index, 0)], 0).astype(op.type.bits)]


@models("VPACK")
def vpack(op):
    result = np.zeros(2 * op.type.lanes, op.to.bits)
    first = op.type.lanes if op.mode == HIGHER else 0
    result[first:first + op.type.lanes] = op.bits(0).astype(op.to.bits)
    return [result]


@models("VSUNPACK", "VZUNPACK")
def unpack(op):
    half = op.sources[0].reshape(2, -1)[1 if op.mode == HIGHER else 0]
    kind = "i" if op.name == "VSUNPACK" else "u"
    lanes = half.view(f"<{kind}{op.type.width}").astype(np.int64)
    return [encode(WIDER[U8] if op.type.width == 1 else WIDER[U16], lanes)]


# ---- Reductions ------------------------------------------------------------------------------------


def tree_sum(type_, numbers):
    """Neighbours are added, then neighbours of the results; along the last axis."""
    while numbers.shape[-1] > 1:
        numbers = round_float(type_, plus(numbers[..., 0::2].copy(), numbers[..., 1::2].copy()))
    return numbers[..., 0]


def total(op, rows):
    numbers = np.where(op.active(), op.numbers(0), 0).reshape(rows, -1)
    return tree_sum(op.type, numbers) if op.type.kind == "f" else numbers.sum(axis=1)


@models("VCADD", "VCGADD")
def sums(op):
    rows = 8 if op.name == "VCGADD" else 1
    result = np.zeros(op.to.lanes, op.to.bits)
    result[:rows] = encode(op.to, total(op, rows))
    return [result]


@models("DHISTV2", "CHISTV2")
def histogram(op):
    """asc_frequency_histogram, asc_cumulative_histogram: values of one half, or up to each value of it."""
    first = 128 if op.mode == HIGHER else 0
    values = op.sources[1][op.active(1)].astype(np.int64)
    counts = np.bincount(values, minlength=256)
    if op.name == "CHISTV2":
        counts = np.cumsum(counts)
    return [(op.sources[0].view("<u2").astype(np.int64) + counts[first:first + 128]).astype("<u2")]


@models("VCPADD")
def vcpadd(op):
    result = np.zeros(op.type.lanes, op.type.bits)
    result[:op.type.lanes // 2] = encode(op.type, total(op, op.type.lanes // 2))
    return [result]


def reduction_bits(op, greater):
    """Lanes for an extreme: inactive lanes have a value that every other one beats."""
    type_ = op.type
    worst = encode(type_, np.array([-INF if greater else INF])) if type_.kind == "f" else \
        encode(type_, np.array([type_.low if greater else type_.high]))
    return np.where(op.active(), op.bits(0), worst).astype(type_.bits)


@models("VCMAX", "VCMIN", "VCGMAX", "VCGMIN")
def reduced_extreme(op):
    """NaN if there is one, with the place of the first one (CANN API, Reg Reduce and ReduceDataBlock)."""
    greater = op.name.endswith("MAX")
    rows = 8 if op.name.startswith("VCG") else 1
    bits = reduction_bits(op, greater).reshape(rows, -1)
    keys = order_key(op.type, bits.ravel()).reshape(rows, -1)
    index = (np.argmax if greater else np.argmin)(keys, axis=1)
    if op.type.kind == "f":
        nan = np.isnan(decode(op.type, bits.ravel().view(np.uint8))).reshape(rows, -1)
        index = np.where(nan.any(axis=1), np.argmax(nan, axis=1), index)
    result = np.zeros(op.type.lanes, op.type.bits)
    result[:rows] = bits[np.arange(rows), index]
    if rows == 1:
        result[1] = index[0]
    return [result]


# ---- Predicates ------------------------------------------------------------------------------------


def pattern_lanes(pattern, lanes):
    index = np.arange(lanes)
    if pattern.startswith("vl"):
        return index < int(pattern[2:])
    if pattern.startswith("m"):
        return index % int(pattern[1:]) == 0
    return index < {"all": lanes, "allf": 0, "h": lanes // 2, "q": lanes // 4}[pattern]


@models("PSET")
def pset(op):
    return [lane_bits(pattern_lanes(PATTERNS[op.mode - PATTERN], op.type.lanes), op.type.width)]


@models("PLT")
def plt(op):
    return [lane_bits(np.arange(op.type.lanes) < op.scalar, op.type.width)]


@models("PAND", "POR", "PXOR", "PNOT", "PMOV")
def predicate_bits(op):
    a = op.sources[0]
    result = {
        "PAND": lambda: a & op.sources[1], "POR": lambda: a | op.sources[1], "PXOR": lambda: a ^ op.sources[1],
        "PNOT": lambda: 1 - a, "PMOV": lambda: a,
    }[op.name]()
    return [result if op.mask is None else result & op.mask]


@models("PSEL")
def psel(op):
    return [np.where(op.sources[2] == 1, op.sources[0], op.sources[1])]


@models("PPACK")
def ppack(op):
    result = np.zeros((2, BYTES // 2), np.uint8)
    result[op.mode - LOWER] = op.sources[0][::2]
    return [result.ravel()]


@models("PUNPACK")
def punpack(op):
    result = np.zeros(BYTES, np.uint8)
    result[::2] = op.sources[0].reshape(2, -1)[op.mode - LOWER]
    return [result]


# ---- Inputs ----------------------------------------------------------------------------------------


class Inputs:
    """Registers, predicates and UB with random contents."""

    def __init__(self):
        self.rng = np.random.default_rng(SEED)

    def any_register(self):
        return self.rng.integers(0, 256, BYTES, np.uint8)

    def predicate(self):
        return self.rng.integers(0, 2, BYTES, np.uint8)

    def ub(self):
        return self.rng.integers(0, 256, UB_BYTES, np.uint8)

    def address(self, step, last):
        return int(self.rng.integers(0, last // step + 1)) * step

    def floats(self, type_, count, nan=True):
        """`count` registers in which every pair of special values meets in some lane."""
        lanes = type_.lanes
        numbers = self.finite(type_, (count, lanes))
        core = [0.0, -0.0, INF, -INF, 1.5] + ([NAN] if nan else [])
        pairs = list(itertools.product(range(len(core)), repeat=2))
        tiny = 2.0**type_.emin
        least = tiny * 2.0**(1 - type_.precision)
        ends = [type_.largest, -type_.largest, tiny, least, -3 * least, -tiny]
        for source in range(count):
            chosen = [(i, j, (i + j) % len(core))[source] for i, j in pairs]
            special = [core[k] for k in chosen] + list(np.roll(ends, source * 2 - 1))
            numbers[source, :len(special)] = special
        order = self.rng.permutation(lanes)
        return [encode(type_, row[order]).view(np.uint8) for row in numbers]

    def finite(self, type_, shape):
        scale = np.ldexp(1.0, self.rng.integers(-3, 4, shape))
        return round_float(type_, self.rng.standard_normal(shape) * scale)

    def integers(self, type_, count):
        lanes = type_.lanes
        numbers = self.rng.integers(type_.low, type_.high, (count, lanes), np.int64, endpoint=True)
        core = [type_.low, type_.high, 0, 1, type_.high >> 1, -1]
        pairs = list(itertools.product(range(len(core)), repeat=2))
        for source in range(count):
            numbers[source, :len(pairs)] = [core[(i, j, (i + j) % len(core))[source]] for i, j in pairs]
        order = self.rng.permutation(lanes)
        return [encode(type_, row[order]).view(np.uint8) for row in numbers]

    def registers(self, type_, count, nan=True):
        return self.floats(type_, count, nan) if type_.kind == "f" else self.integers(type_, count)

    def scalar(self, type_):
        number = self.finite(type_, 1) if type_.kind == "f" else \
            self.rng.integers(type_.low, type_.high, 1, np.int64, endpoint=True)
        return int(encode(type_, number)[0])


def register_of(type_, numbers, order=None):
    """A register of these numbers, repeated as often as it has room for; in another order."""
    numbers = np.resize(np.asarray(numbers), type_.lanes)
    return encode(type_, numbers if order is None else numbers[order]).view(np.uint8)


def settled(type_, exact):
    """True for numbers that even an inexact computation rounds correctly: not near the middle of two elements.

    Numbers outside of the normal range of f32 are excluded, too, unless they surely become 0.
    """
    magnitude = np.where(np.isfinite(exact), np.abs(exact), 0.0)
    _, step = grid_of(type_, magnitude)
    steps = magnitude / step
    middle = np.abs(steps - np.floor(steps) - 0.5) * step
    near = (middle < magnitude * (1e-9 if type_ == F32 else 1e-6)) & (magnitude > 0)
    small = (magnitude < 2.0**type_.emin) & (magnitude > 2.0**(type_.emin - type_.precision - 2))
    return ~near & ~(small & (type_ != F16))


# ---- Cases -----------------------------------------------------------------------------------------


class Book(Inputs):
    """The cases."""

    def __init__(self):
        super().__init__()
        self.labels = set()
        self.parts = []

    def add(self, label, name, type_, to=None, sources=(), **fields):
        """Computes a case and keeps it. `sources` are those from number 0 on, or numbered ones."""
        sources = dict(sources) if isinstance(sources, dict) else dict(enumerate(sources))
        operation = Operation(name, type_, to or type_, sources=sources, **fields)
        results, after = compute(operation)
        label = " ".join([name, type_.name, *label.split()])
        assert label not in self.labels, label
        self.labels.add(label)
        self.parts.append(case_bytes(label, operation, results, after))

    def variants(self, label, name, type_, make, merges=True, **fields):
        """A case with all lanes, one with some, and one that merges; `make()` gives sources of each."""
        self.add(f"{label} all", name, type_, sources=make(), **fields)
        self.add(f"{label} mask", name, type_, sources=make(), mask=self.predicate(), **fields)
        if merges:
            sources = dict(enumerate(make())) | {3: self.any_register()}
            self.add(f"{label} merge", name, type_, sources=sources, mask=self.predicate(), merges=True, **fields)


def case_bytes(label, op, results, after):
    def text(word):
        return struct.pack("<B", len(word)) + word.encode("ascii")

    out = [text(label), text(op.name)]
    out.append(struct.pack("<6B", op.type.code, op.to.code, op.mode, op.round, op.saturate, op.merges))
    out.append(struct.pack("<HHQI", op.block_stride, op.repeat_stride, op.scalar, op.address))
    out.append(struct.pack("<B", len(op.sources)))
    for index, register in sorted(op.sources.items()):
        assert register.size == BYTES and register.dtype == np.uint8
        out += [struct.pack("<B", index), register.tobytes()]
    out.append(b"\0" if op.mask is None else b"\1" + op.mask.tobytes())
    before = b"" if op.ub is None else op.ub.tobytes()
    out += [struct.pack("<I", len(before)), before, struct.pack("<B", len(results))]
    for result in results:
        assert result.size == BYTES
        out.append(result.tobytes())
    end = b"" if after is None else after.tobytes()
    return b"".join(out + [struct.pack("<I", len(end)), end])


LOAD_NAMES = {NORM: "norm", BRC_B8: "brc_b8", BRC_B16: "brc_b16", BRC_B32: "brc_b32", US_B8: "us_b8",
              US_B16: "us_b16", DS_B8: "ds_b8", DS_B16: "ds_b16", UNPK_B8: "unpk_b8", UNPK_B16: "unpk_b16",
              UNPK_B32: "unpk_b32", UNPK4_B8: "unpk4_b8", BRC_BLK: "brc_blk", E2B_B16: "e2b_b16", E2B_B32: "e2b_b32"}


def load_cases(book):
    for mode, name in LOAD_NAMES.items():
        size, count, _, stride, _ = LOADS[mode]
        step = size if name.startswith("brc_b") and mode != BRC_BLK else BLOCK
        for type_ in NUMBERS if mode in (NORM, BRC_BLK) else [t for t in NUMBERS if t.width == size] + [F32, I16]:
            where = book.address(step, UB_BYTES - size * count * stride)
            if f"VLDS {type_.name} {name}" not in book.labels:
                book.add(name, "VLDS", type_, mode=mode, ub=book.ub(), address=where)
    names = {BDINTLV: "bdintlv", DINTLV_B8: "dintlv_b8", DINTLV_B16: "dintlv_b16", DINTLV_B32: "dintlv_b32"}
    for (mode, name), type_ in itertools.product(names.items(), (U8, I8, F16, BF16, I16, U16, F32, I32, U32)):
        if mode == BDINTLV or type_ == F32 or type_.width == 1 << (mode - DINTLV_B8):
            book.add(name, "VLDSX2", type_, mode=mode, ub=book.ub(), address=book.address(BLOCK, 512))
    for type_ in NUMBERS:
        book.add("any address", "VLDUS", type_, ub=book.ub(), address=book.address(2, UB_BYTES - BYTES - 2) + 1)
        book.add("element address", "VLDUS", type_, ub=book.ub(),
                 address=book.address(type_.width, UB_BYTES - BYTES))


def block_cases(book):
    """VSLDB and VSSTB. The meaning of a mask of 8-bit or 16-bit lanes is undocumented, so these use all blocks."""
    strides = [(1, 0), (2, 4), (3, 1), (4, 0)]
    for type_, (block, repeat) in itertools.product(NUMBERS, strides):
        masks = [("all", None)] + ([("mask", book.predicate())] if type_.width == 4 else [])
        for label, mask in masks:
            fields = dict(block_stride=block, repeat_stride=repeat, mask=mask, ub=book.ub(),
                          address=book.address(BLOCK, UB_BYTES - BLOCK * (repeat + 7 * block + 1)))
            book.add(f"{block},{repeat} {label}", "VSLDB", type_, **fields)
            book.add(f"{block},{repeat} {label}", "VSSTB", type_, sources=[book.any_register()], **fields)
    few = lane_bits(np.arange(64) < 3, 4)
    for name, sources in (("VSLDB", []), ("VSSTB", [book.any_register()])):
        book.add("others outside of UB", name, F32, sources=sources, mask=few, block_stride=15, repeat_stride=1,
                 ub=book.ub(), address=0)
    book.add("0,2 all", "VSLDB", F32, block_stride=0, repeat_stride=2, ub=book.ub(), address=64)


def gather_index(book, type_, mask, elements):
    """Indices that differ from each other; indices of other lanes are far outside."""
    chosen = book.rng.permutation(elements)[:type_.lanes]
    far = type_.high if type_.width > 1 else 255
    active = np.ones(type_.lanes, bool) if mask is None else mask[::type_.width] == 1
    return register_of(type_, np.where(active, chosen, far))


def gather_cases(book):
    for type_, (label, mask) in itertools.product(NUMBERS, (("all", None), ("mask", book.predicate()))):
        index_type = {1: U8, 2: U16, 4: U32}[type_.width]
        elements = min(UB_BYTES // type_.width, 1 << (8 * type_.width)) - (BLOCK if type_.width > 1 else 0)
        index = gather_index(book, index_type, mask, elements)
        fields = dict(mask=mask, ub=book.ub(), address=book.address(BLOCK, BLOCK))
        book.add(label, "VGATHER2", type_, sources=[index], **fields)
        book.add(label, "VSCATTER", type_, sources=[book.any_register(), index], **fields)
        again = register_of(index_type, np.arange(type_.lanes) // 4 * 3 % elements)
        book.add(f"{label} again", "VGATHER2", type_, sources=[again], **fields)
        blocks = book.any_register().view("<u4").copy()
        blocks[:8] = book.rng.integers(0, UB_BYTES // BLOCK - 2, 8) * BLOCK
        if mask is not None:
            blocks[:8][mask[:BLOCK:4] == 0] = 0xFFFFFFE0
        book.add(label, "VGATHERB", type_, sources=[blocks.view(np.uint8)], mask=mask, ub=book.ub(),
                 address=book.address(BLOCK, BLOCK))


def store_cases(book):
    wide = {NORM_B8: "norm_b8", NORM_B16: "norm_b16", NORM_B32: "norm_b32", PK_B16: "pk_b16", PK_B32: "pk_b32",
            PK_B64: "pk_b64", PK4_B32: "pk4_b32"}
    for mode, name in wide.items():
        for type_ in [t for t in NUMBERS if t.width == min(STORES[mode][0], 4)]:
            for label, mask in (("all", None), ("mask", book.predicate())):
                book.add(f"{name} {label}", "VSTS", type_, sources=[book.any_register()], mode=mode, mask=mask,
                         ub=book.ub(), address=book.address(BLOCK, UB_BYTES - BYTES))
    for mode, type_ in itertools.product((ONEPT_B8, ONEPT_B16, ONEPT_B32), NUMBERS):
        size = 1 << (mode - ONEPT_B8)
        if size == type_.width:
            for label, mask in (("all", None), ("off", np.zeros(BYTES, np.uint8))):
                book.add(f"1pt_b{8 * size} {label}", "VSTS", type_, sources=[book.any_register()], mode=mode,
                         mask=mask, ub=book.ub(), address=book.address(size, UB_BYTES - size))
    for mode, type_ in itertools.product((INTLV_B8, INTLV_B16, INTLV_B32), NUMBERS):
        size = 1 << (mode - INTLV_B8)
        if size == type_.width or type_ == F32:
            book.add(f"intlv_b{8 * size}", "VSTSX2", type_, sources=[book.any_register(), book.any_register()],
                     mode=mode, ub=book.ub(), address=book.address(BLOCK, 512))
    for type_, elements in itertools.product(NUMBERS, (0, 1, 13, 33, 64)):
        book.add(f"{elements} elements", "VSTUS", type_, sources=[book.any_register()],
                 scalar=elements * type_.width, ub=book.ub(), address=book.address(2, UB_BYTES - BYTES - 2) + 1)
    book.add("255 bytes", "VSTUS", U8, sources=[book.any_register()], scalar=255, ub=book.ub(), address=77)


def predicate_memory_cases(book):
    loads = ((PREDICATE_NORM, "norm", 32, 32), (PREDICATE_US, "us", 8, 16), (PREDICATE_DS, "ds", 32, 64))
    stores = ((PREDICATE_NORM, "norm", 32, 32), (PREDICATE_PK, "pk", 8, 16), (PREDICATE_PK4, "pk4", 8, 8))
    for type_ in WIDTHS:
        for mode, name, step, size in loads:
            book.add(name, "PLDS", type_, mode=mode, ub=book.ub(), address=book.address(step, UB_BYTES - size))
        for mode, name, step, size in stores:
            book.add(name, "PSTS", type_, sources=[book.predicate()], mode=mode, ub=book.ub(),
                     address=book.address(step, UB_BYTES - size))


def safe_division(type_, a, b):
    """Divisors that are not 0, no quotient beyond the type, none that f32 has no normal number for."""
    x, y = decode(type_, a), decode(type_, b)
    with np.errstate(all="ignore"):
        if type_.kind == "f":
            small = [(np.abs(v) < 2.0**type_.emin) & (v != 0) & (type_ != F16) for v in (x, y)]
            bad = small[0] | small[1] | ~settled(type_, x / y)
        else:
            bad = (y == 0) | ((x == type_.low) & (y == -1))
    replaced = [np.where(bad, value, v).astype(v.dtype) for value, v in ((7, x), (2, y))]
    return [encode(type_, v).view(np.uint8) for v in replaced]


def binary_cases(book):
    for name in ("VADD", "VSUB", "VMUL"):
        for type_ in NUMBERS:
            book.variants("", name, type_, lambda t=type_: book.registers(t, 2))
    for name, types in (("VDIV", NUMBERS), ("VMOD", INTEGERS)):
        for type_ in types:
            book.variants("", name, type_, lambda t=type_: safe_division(t, *book.registers(t, 2)))
            if type_.kind != "f":  # divisors of about the square root
                book.variants("small", name, type_, lambda t=type_: safe_division(
                    t, book.registers(t, 1)[0],
                    register_of(t, book.rng.integers(t.low // 2**(4 * t.width), 1 << 4 * t.width, t.lanes))))
    for name in ("VMAX", "VMIN"):
        for type_ in NUMBERS:
            book.variants("", name, type_, lambda t=type_: book.registers(t, 2, nan=False))
            if type_.kind == "f":
                book.add("nan", name, type_, sources=book.registers(type_, 2))
    for name, type_ in itertools.product(("VAND", "VOR", "VXOR"), NUMBERS):
        book.variants("", name, type_, lambda: [book.any_register(), book.any_register()])
    for name, type_ in itertools.product(("VSHL", "VSHR"), INTEGERS):
        book.variants("", name, type_, lambda t=type_: [
            book.integers(t, 1)[0], register_of(t, book.rng.integers(0, 8 * t.width, t.lanes))])
        book.variants("modulo", name, type_, lambda t=type_: book.integers(t, 2), merges=False)
    for type_ in FLOATS:
        book.variants("", "VPRELU", type_, lambda t=type_: book.floats(t, 2))
        for name in ("VADD", "VMUL"):
            odd_nan = {F32: 0xFF800001, F16: 0xFC01, BF16: 0xFF81}[type_]
            sources = [np.full(type_.lanes, odd_nan, type_.bits).view(np.uint8), book.floats(type_, 1)[0]]
            book.add("any nan", name, type_, sources=sources)


def scalar_cases(book):
    for name, types in (("VADDS", NUMBERS), ("VMULS", NUMBERS), ("VLRELU", FLOATS)):
        for type_ in types:
            for label in ("a", "b"):
                book.variants(label, name, type_, lambda t=type_: book.registers(t, 1), scalar=book.scalar(type_))
    for type_ in FLOATS:
        for label, value in (("inf", INF), ("zero", -0.0), ("nan", NAN)):
            for name in ("VADDS", "VMULS", "VLRELU"):
                book.add(label, name, type_, sources=book.floats(type_, 1),
                         scalar=int(encode(type_, np.array([value]))[0]))
            for name in ("VMAXS", "VMINS"):
                book.add(f"scalar {label}", name, type_, sources=book.floats(type_, 1, nan=False),
                         scalar=int(encode(type_, np.array([value]))[0]))
    for name, type_ in itertools.product(("VMAXS", "VMINS"), NUMBERS):
        for label in ("a", "b"):
            book.variants(label, name, type_, lambda t=type_: book.registers(t, 1, nan=False),
                          scalar=book.scalar(type_))
        if type_.kind == "f":
            book.add("nan", name, type_, sources=book.floats(type_, 1), scalar=book.scalar(type_))
    for name, type_ in itertools.product(("VSHLS", "VSHRS"), INTEGERS):
        for count in (0, 1, 3, 8 * type_.width - 1, 8 * type_.width, 8 * type_.width + 2):
            book.variants(f"by {count}", name, type_, lambda t=type_: book.integers(t, 1),
                          merges=count == 3, scalar=count)


def unary_cases(book):
    for name, type_ in itertools.product(("VABS", "VNEG", "VRELU"), NUMBERS):
        book.variants("", name, type_, lambda t=type_: book.registers(t, 1, nan=False))
        if type_.kind == "f":
            book.add("nan", name, type_, sources=book.floats(type_, 1))
    for name, type_ in itertools.product(("VNOT", "VMOV"), NUMBERS):
        book.variants("", name, type_, lambda: [book.any_register()])


def function_register(book, type_, function, special, low, high, logarithmic=False):
    """Numbers for a function of which the rounded value is beyond doubt."""
    numbers = book.rng.uniform(low, high, type_.lanes)
    numbers = round_float(type_, np.exp(numbers) if logarithmic else numbers)
    numbers[:len(special)] = special
    with np.errstate(all="ignore"):
        good = settled(type_, function(numbers))
    small = (np.abs(numbers) < 2.0**type_.emin) & (numbers != 0)
    numbers = np.where(good & ~small, numbers, 1.0 if function is not np.exp else 0.0)
    return register_of(type_, round_float(type_, numbers), book.rng.permutation(type_.lanes))


def function_cases(book):
    exp_special = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 3.5, 40.0, 88.0, 90.0, 104.0, -120.0]
    other_special = [0.0, -0.0, INF, -INF, NAN, 1.0, 2.0, 4.0, 9.0, 16.0, 0.5, 1024.0, -1.0, -4.0]
    for type_ in FLOATS:
        ends = [type_.largest, 2.0**type_.emin, 2.0**(type_.emin + 1)]
        low, high = (-9.0, 11.0) if type_ == F16 else (-80.0, 85.0)
        book.variants("", "VEXP", type_, lambda t=type_: [
            function_register(book, t, np.exp, exp_special, low, high)])
        book.variants("near zero", "VEXP", type_, lambda t=type_: [
            function_register(book, t, np.exp, exp_special, -1.0, 1.0)], merges=False)
        low, high = (-9.0, 11.0) if type_ == F16 else (-85.0, 85.0)
        for name, function in (("VLN", np.log), ("VSQRT", np.sqrt)):
            book.variants("", name, type_, lambda t=type_, f=function, e=ends: [
                function_register(book, t, f, other_special + e, low, high, logarithmic=True)])
            book.variants("near one", name, type_, lambda t=type_, f=function: [
                function_register(book, t, f, other_special, -0.5, 0.5, logarithmic=True)], merges=False)


def difference_registers(book, type_, scale):
    """Pairs of which the rounded exponential of the difference is beyond doubt."""
    a, b = (round_float(type_, book.rng.uniform(-scale, scale, type_.lanes)) for _ in range(2))
    special = [(0.0, 0.0), (88.0, 0.0), (-120.0, 0.0), (NAN, 1.0), (INF, INF), (-INF, -INF), (INF, 1.0), (-INF, 2.0),
               (1.0, -1.0), (1.0, NAN), (90.0, 0.0), (50.0, 100.0), (-50.0, -100.0), (3.0, 3.0), (10.0, 20.0)]
    a[:len(special)], b[:len(special)] = zip(*special)
    with np.errstate(all="ignore"):
        good = settled(F32, np.exp(round_float(F32, minus(a, b))))
    a, b = np.where(good, a, 1.0), np.where(good, b, 1.0)
    order = book.rng.permutation(type_.lanes)
    return [register_of(type_, v, order) for v in (a, b)]


def difference_cases(book):
    for type_, part, scale in itertools.product((F32, F16), (0, 1), (4.0, 30.0)):
        for label, mask in (("all", None), ("mask", book.predicate())):
            book.add(f"p{part} {scale:g} {label}", "VEXPDIF", type_, to=F32, mode=PART + part, mask=mask,
                     sources=difference_registers(book, type_, scale))


def fused_sources(book, type_, name, scale):
    """Sums that almost cancel: the result is the error of a rounded product."""
    a, b = book.finite(type_, (2, type_.lanes))
    if name == "VAXPY":
        b = np.full(type_.lanes, scale)
    sign_ = np.where(book.rng.integers(0, 4, type_.lanes) == 0, 1.0, -1.0)
    c = sign_ * round_float(type_, a * b)
    order = {"VMULA": (c, a, b), "VMADD": (a, b, c), "VAXPY": (a, c)}[name]
    return [register_of(type_, v) for v in order]


def fused_cases(book):
    for name, types, count in (("VMULA", NUMBERS, 3), ("VMADD", NUMBERS, 3), ("VAXPY", FLOATS, 2)):
        for type_ in types:
            scale = book.scalar(type_) if name == "VAXPY" else 0
            book.variants("", name, type_, lambda t=type_, n=count: book.registers(t, n), scalar=scale)
            if type_.kind == "f":
                number = float(decode(type_, np.full(type_.lanes, scale, type_.bits).view(np.uint8))[0])
                book.variants("cancel", name, type_, lambda t=type_, m=name, s=number: fused_sources(book, t, m, s),
                              merges=False, scalar=scale)


def carry_cases(book):
    for type_ in (I32, U32):
        for label, masked in (("all", False), ("mask", True)):
            for name in ("VMULL", "VADDC", "VSUBC"):
                book.add(label, name, type_, sources=book.integers(type_, 2), mask=book.predicate() if masked else None)
            for name, given in itertools.product(("VADDCS", "VSUBCS"), ("some", "none", "ones")):
                bits = {"some": book.predicate(), "none": np.zeros(BYTES, np.uint8), "ones": np.ones(BYTES, np.uint8)}
                book.add(f"{given} {label}", name, type_, sources=book.integers(type_, 2) + [bits[given]],
                         mask=book.predicate() if masked else None)


def comparison_cases(book):
    names = {EQ: "eq", NE: "ne", LT: "lt", LE: "le", GT: "gt", GE: "ge"}
    for (mode, word), type_ in itertools.product(names.items(), NUMBERS):
        for label, masked in (("all", False), ("mask", True)):
            sources = book.registers(type_, 2)
            equal = book.rng.integers(0, 4, type_.lanes) == 0
            sources[1] = np.where(equal, sources[0].view(type_.bits), sources[1].view(type_.bits)).view(np.uint8)
            mask = book.predicate() if masked else None
            book.add(f"{word} {label}", "VCMP", type_, sources=sources, mode=mode, mask=mask)
            scalar = int(sources[0].view(type_.bits)[book.rng.integers(type_.lanes)]) if masked else book.scalar(type_)
            book.add(f"{word} {label}", "VCMPS", type_, sources=sources[:1], mode=mode, mask=mask, scalar=scalar)
    for type_ in NUMBERS:
        for label in ("a", "b"):
            book.add(label, "VSEL", type_, sources=[book.any_register(), book.any_register(), book.predicate()])


# ---- Cases of conversions --------------------------------------------------------------------------


def parts_of(from_, to):
    """(mode, name) of each way to convert."""
    ratio = max(from_.width, to.width) // min(from_.width, to.width)
    return [(0, "")] if ratio == 1 else [(PART + i, f" p{i}") for i in range(ratio)]


def whole_numbers(book, from_, to, rounding, saturate):
    """Floats around integers: halves, near halves, and numbers beyond the type only if they are clamped."""
    span = min(float(to.high), from_.largest / 2)
    numbers = book.rng.uniform(-1.5, 1.5, from_.lanes) * span
    third = from_.lanes // 3
    numbers[:third] = book.rng.integers(-40, 40, third) / 2
    numbers[third:2 * third] = book.rng.standard_normal(third) * 4
    special = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 0.25, -0.75, float(to.high), float(to.low),
               to.high + 0.5, to.low - 0.5, INF, -INF, NAN, from_.largest, -from_.largest]
    numbers[third - len(special):third] = special
    numbers = round_float(from_, numbers)
    if not saturate:
        whole = round_whole(numbers, rounding)
        numbers = np.where((whole >= to.low) & (whole <= to.high), numbers, 1.5)
    return register_of(from_, numbers, book.rng.permutation(from_.lanes))


def float_to_integer_cases(book):
    pairs = [(F32, I32), (F32, I16), (F16, I16), (F16, I8), (F16, U8), (F16, I32), (BF16, I32)]
    for (from_, to), rounding, saturate in itertools.product(pairs, ROUNDINGS, (True, False)):
        for mode, part in parts_of(from_, to):
            for label, mask in (("all", None), ("mask", book.predicate())):
                book.add(f"to {to.name} {ROUNDINGS[rounding]}{' sat' if saturate else ''}{part} {label}", "VCVT", from_,
                         to=to, mode=mode, round=rounding, saturate=saturate, mask=mask,
                         sources=[whole_numbers(book, from_, to, rounding, saturate)])


def narrow_numbers(book, from_, to, beyond, nan):
    """Floats around the values of a narrower type: any, middles of two, small ones, infinities, and larger ones."""
    lanes = from_.lanes
    numbers = book.rng.standard_normal(lanes) * 4
    quarter = lanes // 4
    near = round_float(to, numbers[:quarter])
    numbers[:quarter] = near + grid_of(to, np.abs(near))[1] / 2
    least = 2.0**(to.emin - to.precision + 1)
    numbers[quarter:2 * quarter] = book.rng.uniform(-1.0, 1.0, quarter) * least * 2**to.precision
    special = [0.0, -0.0, to.largest, -to.largest, least, least / 2, least * 1.5, -least / 2, least / 4, 123.75, 1 / 3]
    special += [INF, -INF] if beyond is None else []
    special += [NAN] if nan else []
    if beyond:
        special += [x for s in (1.001, 1.003, 1.02, 1.0625, 1.25, 1.9, 2.0) for x in (to.largest * s, -to.largest * s)]
    special = [x for x in special if abs(x) <= from_.largest or not np.isfinite(x)]
    numbers[lanes - len(special):] = special
    numbers = round_float(from_, numbers)
    numbers = np.where(np.isfinite(numbers) & ~beyond_limit(to, numbers, beyond), numbers,
                       np.where(np.isfinite(numbers), 1.0, numbers))
    return register_of(from_, numbers, book.rng.permutation(lanes))


def beyond_limit(to, numbers, beyond):
    return (np.abs(numbers) > to.largest) & np.isfinite(numbers) & (not beyond)


def float_to_float_cases(book):
    """Numbers beyond the largest one are separate cases because directed modes differ there; so is a NaN that saturates."""
    for (from_, to), rounding in itertools.product([(F32, F16), (F32, BF16), (BF16, F16)], ROUNDINGS):
        for (mode, part), saturate in itertools.product(parts_of(from_, to), (True, False)):
            word = f"to {to.name} {ROUNDINGS[rounding]}{' sat' if saturate else ''}{part}"
            fields = dict(to=to, mode=mode, round=rounding, saturate=saturate)
            for label, mask in (("all", None), ("mask", book.predicate())):
                book.add(f"{word} {label}", "VCVT", from_, mask=mask, **fields,
                         sources=[narrow_numbers(book, from_, to, None, not saturate)])
            if saturate or rounding != ODD:
                book.add(f"{word} beyond", "VCVT", from_, **fields,
                         sources=[narrow_numbers(book, from_, to, True, False)])
    for mode, part in parts_of(F32, F16):
        book.add(f"to f16 even sat{part} nan", "VCVT", F32, to=F16, mode=mode, round=NEAREST_EVEN, saturate=True,
                 sources=[register_of(F32, [NAN, 1.0, INF, -INF])])
    for from_, to in ((F16, F32), (BF16, F32)):
        for (mode, part), (label, mask) in itertools.product(parts_of(from_, to),
                                                             (("all", None), ("mask", book.predicate()))):
            book.add(f"to f32{part} {label}", "VCVT", from_, to=to, mode=mode, mask=mask,
                     sources=book.floats(from_, 1))


def small_float_cases(book):
    for to, (label, mask) in itertools.product((E4M3, E5M2), (("all", None), ("mask", book.predicate()))):
        for mode, part in parts_of(F32, to):
            for beyond in (False, True):
                book.add(f"to {to.name} sat{part} {'beyond ' if beyond else ''}{label}", "VCVT", F32, to=to, mode=mode,
                         round=NEAREST_EVEN, saturate=True, mask=mask,
                         sources=[narrow_numbers(book, F32, to, beyond, False)])
        infinite = register_of(F32, [INF, -INF, 1.0, -0.0])
        book.add(f"to {to.name} sat p1 inf {label}", "VCVT", F32, to=to, mode=PART + 1, round=NEAREST_EVEN,
                 saturate=True, mask=mask, sources=[infinite])
    for part, (label, mask) in itertools.product(range(4), (("all", None), ("mask", book.predicate()))):
        numbers = np.concatenate([np.arange(-32, 32) / 4, book.rng.uniform(-8, 8, 52),
                                  [0.0, -0.0, 0.1, -0.1, 5.0, -5.0, 7.0, 100.0, -1e30, INF, -INF, 6.0]])
        book.add(f"to e2m1 sat p{part} {label}", "VCVT", BF16, to=E2M1, mode=PART + part, round=NEAREST_EVEN,
                 saturate=True, mask=mask, sources=[register_of(BF16, round_float(BF16, numbers),
                                                                book.rng.permutation(BF16.lanes))])


def integer_conversion_cases(book):
    """To wider integers of another sign the low bits stay, as without saturation."""
    widening = [(U8, U16), (U8, U32), (I8, I16), (I8, I32), (U16, U32), (I16, U32), (I16, I32)]
    narrowing = [(U16, U8), (I16, U8), (U32, U8), (U32, U16), (U32, I16), (I32, U8), (I32, U16), (I32, I16)]
    pairs = [(pair, False) for pair in widening + narrowing] + [(pair, True) for pair in narrowing]
    for (from_, to), saturate in pairs:
        for (mode, part), (label, mask) in itertools.product(parts_of(from_, to),
                                                             (("all", None), ("mask", book.predicate()))):
            numbers = decode(from_, book.integers(from_, 1)[0])
            if from_.width > to.width:
                near = book.rng.integers(-3, 4, from_.lanes // 2)
                numbers[:near.size] = np.clip(np.where(near % 2 == 0, to.low, to.high) + near, from_.low, from_.high)
            sources = [register_of(from_, numbers, book.rng.permutation(from_.lanes))]
            book.add(f"to {to.name}{' sat' if saturate else ''}{part} {label}", "VCVT", from_, to=to, mode=mode,
                     saturate=saturate, mask=mask, sources=sources)
    for (from_, to), rounding in itertools.product([(I32, F32), (I16, F16)], ROUNDINGS):
        for label, mask in (("all", None), ("mask", book.predicate())):
            book.add(f"to {to.name} {ROUNDINGS[rounding]} {label}", "VCVT", from_, to=to, round=rounding, mask=mask,
                     sources=book.integers(from_, 1))
    for from_, to in ((U8, F16), (I8, F16), (I16, F32)):
        for (mode, part), (label, mask) in itertools.product(parts_of(from_, to),
                                                             (("all", None), ("mask", book.predicate()))):
            book.add(f"to {to.name}{part} {label}", "VCVT", from_, to=to, mode=mode, mask=mask,
                     sources=book.integers(from_, 1))


def truncation_cases(book):
    for type_, rounding in itertools.product(FLOATS, ROUNDINGS):
        def numbers(t=type_):
            halves = np.arange(-9, 10) / 2
            special = [0.0, -0.0, INF, -INF, NAN, t.largest, 0.25, -0.25, 0.75, -0.75, 1e-3, -1e-3]
            rest = book.rng.uniform(-300, 300, t.lanes - halves.size - len(special))
            return [register_of(t, round_float(t, np.concatenate([halves, special, rest])),
                                book.rng.permutation(t.lanes))]
        book.variants(ROUNDINGS[rounding], "VTRC", type_, numbers, round=rounding)


# ---- Cases of what moves lanes, reductions, predicates ---------------------------------------------


def moving_cases(book):
    for type_ in NUMBERS:
        book.variants("", "VDUPS", type_, lambda: [], scalar=book.scalar(type_))
        for mode, word in ((LOWER, "lowest"), (HIGHER, "highest")):
            book.variants(word, "VDUP", type_, lambda: [book.any_register()], mode=mode)
        for name in ("VINTLV", "VDINTLV"):
            book.add("", name, type_, sources=[book.any_register(), book.any_register()])
        book.variants("", "VSQZ", type_, lambda: [book.any_register()], merges=False)
        index_type = {1: U8, 2: U16, 4: U32}[type_.width]
        inside = register_of(index_type, book.rng.integers(0, type_.lanes, type_.lanes))
        book.add("inside", "VSELR", type_, sources=[book.any_register(), inside])
        some = np.where(book.rng.integers(0, 2, type_.lanes), decode(index_type, inside), index_type.high)
        some[:4] = [0, type_.lanes - 1, min(type_.lanes, index_type.high), 1]
        book.add("outside", "VSELR", type_, sources=[book.any_register(), register_of(index_type, some)])
    for type_ in INTEGERS:
        book.variants("", "VUSQZ", type_, lambda: [], merges=False)
        book.add("none", "VUSQZ", type_, mask=np.zeros(BYTES, np.uint8))
        if type_.width > 1:
            for mode, word in ((LOWER, "lower"), (HIGHER, "higher")):
                book.add(word, "VPACK", type_, to={2: U8, 4: U16}[type_.width], sources=book.integers(type_, 1),
                         mode=mode)
        if type_.width < 4:
            for name, (mode, word) in itertools.product(("VSUNPACK", "VZUNPACK"), ((LOWER, "lower"),
                                                                                   (HIGHER, "higher"))):
                book.add(word, name, type_, to=WIDER[type_], sources=book.integers(type_, 1), mode=mode)


def index_cases(book):
    starts = {F32: [0.0, -7.5, 16777210.0], F16: [0.0, -3.25, 2040.0], BF16: [0.0, 1.5, 250.0]}
    for type_ in NUMBERS:
        for start in starts.get(type_, [0, 5, type_.high - 3]):
            scalar = int(encode(type_, np.array([start]))[0])
            for mode, word in ((ASCENDING, "up"), (DESCENDING, "down")):
                book.add(f"{word} from {start}", "VCI", type_, mode=mode, scalar=scalar)


def reduction_registers(book, type_):
    """Without special values, of which one would hide all others. Some extremes of blocks occur twice."""
    if type_.kind != "f":
        return book.integers(type_, 1)
    blocks = book.finite(type_, (8, type_.lanes // 8))
    blocks[blocks == 0] = 1.0
    blocks[:, 1], blocks[:, -3] = blocks.max(axis=1), blocks.min(axis=1)
    return [register_of(type_, blocks.ravel())]


def reduction_cases(book):
    for name in ("VCADD", "VCGADD", "VCMAX", "VCMIN", "VCGMAX", "VCGMIN"):
        for type_ in NUMBERS:
            to = WIDER.get(type_, type_) if name == "VCADD" else type_

            def sources(t=type_, n=name):
                small = n == "VCGADD" and t.width == 1  # sums of a block that a byte can hold
                return [register_of(t, book.rng.integers(-4 if t.kind == "i" else 0, 4, t.lanes))] if small else \
                    reduction_registers(book, t)

            for label in ("a", "b"):
                book.variants(label, name, type_, sources, merges=False, to=to)
            book.add("none", name, type_, sources=sources(), mask=np.zeros(BYTES, np.uint8), to=to)
    for name in ("DHISTV2", "CHISTV2"):
        for half, mode in (("low", LOWER), ("high", HIGHER)):
            def counted():
                start = book.rng.integers(0, 65536, 128).astype("<u2").view(np.uint8)
                return [start, book.rng.integers(0, 256, BYTES).astype(np.uint8)]
            book.variants(half, name, U8, counted, merges=False, mode=mode)
    for type_ in FLOATS:
        book.variants("", "VCPADD", type_, lambda t=type_: book.floats(t, 1), merges=False)
        special_reductions(book, type_)


def special_reductions(book, type_):
    minus_zero = register_of(type_, [-0.0])
    numbers = decode(type_, reduction_registers(book, type_)[0])
    infinite, invalid, several = numbers.copy(), numbers.copy(), numbers.copy()
    infinite[3] = INF
    invalid[[4, 9]] = INF, -INF
    several[5::7] = NAN
    for name in ("VCADD", "VCGADD"):
        book.add("-0", name, type_, sources=[minus_zero])
        book.add("-0 mask", name, type_, sources=[minus_zero], mask=book.predicate())
        book.add("inf", name, type_, sources=[register_of(type_, infinite)])
        book.add("inf - inf", name, type_, sources=[register_of(type_, invalid)])
        book.add("nan", name, type_, sources=[register_of(type_, several)])
    for name in ("VCMAX", "VCMIN", "VCGMAX", "VCGMIN"):
        book.add("inf", name, type_, sources=[register_of(type_, invalid)])
        book.add("nan", name, type_, sources=[register_of(type_, several)])


def predicate_cases(book):
    for type_ in WIDTHS:
        for i, word in enumerate(PATTERNS):
            book.add(word, "PSET", type_, mode=PATTERN + i)
        for count in (0, 1, 3, 13, type_.lanes - 1, type_.lanes, type_.lanes + 1, 1000):
            book.add(f"{count}", "PLT", type_, scalar=count)
        for name, count in (("PAND", 2), ("POR", 2), ("PXOR", 2), ("PNOT", 1), ("PMOV", 1)):
            book.variants("", name, type_, lambda n=count: [book.predicate() for _ in range(n)], merges=False)
        book.add("", "PSEL", type_, sources=[book.predicate() for _ in range(3)])
        for name in ("PINTLV", "PDINTLV"):
            book.add("", name, type_, sources=[book.predicate() for _ in range(2)])
            lanes = [lane_bits(pattern_lanes(word, type_.lanes), type_.width) for word in ("vl8", "m4")]
            book.add("vl8 m4", name, type_, sources=lanes)
        for name, (mode, word) in itertools.product(("PPACK", "PUNPACK"), ((LOWER, "lower"), (HIGHER, "higher"))):
            book.add(word, name, type_, sources=[book.predicate()], mode=mode)


FAMILIES = (
    load_cases, block_cases, gather_cases, store_cases, predicate_memory_cases, binary_cases, scalar_cases, unary_cases,
    function_cases, difference_cases, fused_cases, carry_cases, comparison_cases, float_to_integer_cases,
    float_to_float_cases, small_float_cases, integer_conversion_cases, truncation_cases, moving_cases, index_cases,
    reduction_cases, predicate_cases,
)


def main(path):
    book = Book()
    for family in FAMILIES:
        family(book)
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"VGOLDEN1" + struct.pack("<I", len(book.parts)) + b"".join(book.parts))


if __name__ == "__main__":
    main(sys.argv[1])
