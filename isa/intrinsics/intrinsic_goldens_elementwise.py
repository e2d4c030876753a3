"""Element-wise intrinsics: two sources, one source, a source and a scalar, shifts, fused operations.

Argument order: vadd and its like (dst, src0, src1, repeat, dst/src0/src1 block stride, dst/src0/src1 repeat
stride); vexp and its like (dst, src, repeat, dst/src block stride, dst/src repeat stride); vadds and its like the
same with the scalar after src; vshr ends with the flag of rounding. hw-native-sys/pto-isa
include/pto/costmodel/a2a3/cce_costmodel/cce_costmodel_vector_compute.hpp; types: asc-devkit
impl/basic_api/dav_c220/kernel_operator_vec_{binary,unary,binary_scalar,ternary_scalar}_impl.h.
Results: asc-devkit docs/zh/api/SIMD-API/C-API/vector_compute/asc_*.md, ShiftLeft.md, ShiftRight.md; hiascend.com,
CANN commercial 8.5.0, cceintrinsicapi cceapi_0007 (strides), 0008 (masks), 0010 (vadd), 0012 (vmla), 0017 (vshr),
0018 (vaxpy).
"""
import itertools

import numpy as np

from intrinsic_goldens_call import (ACCUMULATE, IN_PLACE_SECOND, SCENARIOS, Scenario, lanewise, models, operands,
                                    strided_call)
from intrinsic_goldens_numbers import (INF, NATIVE, UNSIGNED, any_values, canonical, common_values, is_float, limits,
                                       round_float, saturated, short_values, size_of, special, to_double, wide_values)

FLOATS = ("f16", "f32")
NUMBERS = ("f16", "f32", "i16", "i32")


# ---- Functions of lanes -------------------------------------------------------------------------------


def relu(x):
    """max(x, 0): NaN stays, -0 becomes +0."""
    return np.where(np.isnan(x) | (x > 0), x, x.dtype.type(0)) if x.dtype.kind == "f" else np.maximum(x, 0)


def extreme(a, b, greater):
    """Rule extreme_nan_zero: a number beats NaN, +0 is greater than -0."""
    if a.dtype.kind != "f":
        return np.maximum(a, b) if greater else np.minimum(a, b)
    picked = np.fmax(a, b) if greater else np.fmin(a, b)
    sign = (np.signbit(a) & np.signbit(b)) if greater else (np.signbit(a) | np.signbit(b))
    return np.where((a == 0) & (b == 0), np.where(sign, -0.0, 0.0), picked).astype(a.dtype)


def exact(function):
    """Through 64-bit significands; rounded twice, which differs about once in 2**40 values."""
    return lambda x: function(x.astype(np.longdouble)).astype(x.dtype)


def fused(name, a, b, c):
    """a * b + c rounded once: the float64 sum is rounded to odd, so that rounding it again does no harm."""
    product = to_double(name, a) * to_double(name, b)
    c = to_double(name, c)
    total = product + c
    part = total - product
    error = (product - (total - part)) + (c - part)
    even = (total.view(np.int64) & 1) == 0
    neighbour = np.nextafter(total, np.where(error > 0, INF, -INF))
    total = np.where(np.isfinite(total) & (error != 0) & even, neighbour, total)
    return round_float(name, total)


BINARY = {
    "vadd": np.add, "vsub": np.subtract, "vmul": np.multiply, "vdiv": np.divide, "vand": np.bitwise_and,
    "vor": np.bitwise_or, "vmax": lambda a, b: extreme(a, b, True), "vmin": lambda a, b: extreme(a, b, False),
    "vaddrelu": lambda a, b: relu(a + b), "vsubrelu": lambda a, b: relu(a - b),
}
BINARY_TYPES = {"vdiv": FLOATS, "vand": ("i16", "u16"), "vor": ("i16", "u16"), "vaddrelu": ("f16", "f32", "i16"),
                "vsubrelu": ("f16", "f32", "i16")}
UNARY = {
    "vexp": exact(np.exp), "vln": exact(np.log), "vsqrt": exact(np.sqrt), "vrsqrt": exact(lambda x: 1 / np.sqrt(x)),
    "vrec": lambda x: x.dtype.type(1) / x, "vabs": np.abs, "vrelu": relu, "vnot": np.invert,
}
UNARY_TYPES = {"vrelu": ("f16", "f32", "i32"), "vnot": ("i16", "u16")}
SCALAR = {
    "vadds": np.add, "vmuls": np.multiply, "vmaxs": BINARY["vmax"], "vmins": BINARY["vmin"],
    "vlrelu": lambda x, alpha: np.where(x > 0, x, x * alpha).astype(x.dtype),
}
SCALAR_TYPES = {"vlrelu": FLOATS}


def finished(call, name, values):
    return saturated(name, canonical(name, values), call.ctrl)


@models(*BINARY)
def binary(call):
    (dst, *sources), repeat, _ = operands(call.types, call.args, 3)
    function = BINARY[call.name]
    lanewise(call, dst, sources, repeat, lambda a, b: finished(call, dst.type, function(a, b)))


@models(*UNARY)
def unary(call):
    (dst, *sources), repeat, _ = operands(call.types, call.args, 2)
    function = UNARY[call.name]
    lanewise(call, dst, sources, repeat, lambda a: finished(call, dst.type, function(a)))


def element(name, bits):
    """The one element of these bits."""
    return np.array([bits], UNSIGNED[size_of(name)]).view(NATIVE[name])


@models(*SCALAR)
def scalar_operation(call):
    (dst, src), repeat, bits = operands(call.types, call.args, 2, scalar=True)
    value, function = element(dst.type, bits), SCALAR[call.name]
    lanewise(call, dst, [src], repeat,
             lambda a: finished(call, dst.type, function(a, np.broadcast_to(value, a.shape))))


@models("vshl")
def vshl(call):
    """Bits move up. Rule shl_moves_sign: of signed elements the sign does, too."""
    (dst, src), repeat, count = operands(call.types, call.args, 2, scalar=True)

    def shift(a):
        moved = a.view(UNSIGNED[a.itemsize]).astype(np.uint64) << np.uint64(count)
        return moved.astype(UNSIGNED[a.itemsize]).view(a.dtype)
    lanewise(call, dst, [src], repeat, shift)


@models("vshr")
def vshr(call):
    """Signed: the sign comes in; with the flag the last bit that leaves is added."""
    (dst, src), repeat, count = operands(call.types, call.args, 2, scalar=True)
    rounds = call.args[-1]

    def shift(a):
        wide = a.astype(np.int64)
        last = (wide >> (count - 1)) & 1 if rounds and count else 0
        return ((wide >> count) + last).astype(a.dtype)
    lanewise(call, dst, [src], repeat, shift)


# ---- Fused operations ---------------------------------------------------------------------------------


@models("vmadd", "vmaddrelu")
def vmadd(call):
    """src0 * dst + src1. Rule fused_madd: with one rounding (a rounded product is the alternative)."""
    (dst, *sources), repeat, _ = operands(call.types, call.args, 3)
    after = relu if call.name == "vmaddrelu" else lambda x: x
    lanewise(call, dst, sources, repeat,
             lambda d, a, b: finished(call, dst.type, after(fused(dst.type, a, d, b))), reads_dst=True)


@models("vmla")
def vmla(call):
    """src0 * src1 + dst. Rule rounded_product: the product is rounded to dst's type (fused is the alternative)."""
    (dst, *sources), repeat, _ = operands(call.types, call.args, 3)
    lanewise(call, dst, sources, repeat,
             lambda d, a, b: finished(call, dst.type, a.astype(d.dtype) * b.astype(d.dtype) + d), reads_dst=True)


@models("vaxpy")
def vaxpy(call):
    """src * scalar + dst, under the rule of vmla."""
    (dst, src), repeat, bits = operands(call.types, call.args, 2, scalar=True)
    value = element(src.type, bits).astype(NATIVE[dst.type])
    lanewise(call, dst, [src], repeat,
             lambda d, a: finished(call, dst.type, a.astype(d.dtype) * value + d), reads_dst=True)


# ---- Cases --------------------------------------------------------------------------------------------


def no_overflow(name):
    """Fill so that integers do not overflow, and a rule about that has no effect."""
    def fill(rng, type_, count):
        if is_float(type_):
            return any_values(rng, type_, count)
        high = limits(type_)[1]
        bound = int(high**0.5) if "mul" in name else high // 2
        return rng.integers(-bound, bound, count, endpoint=True).astype(NATIVE[type_])
    return fill


def ordered_values(rng, name, count):
    """No NaN and no -0, for extremes."""
    values = any_values(rng, name, count)
    if not is_float(name):
        return values
    return np.where(np.isnan(values), 1.5, np.where(values == 0, 0.0, values)).astype(values.dtype)


def short_or_special(rng, name, count):
    """Exact products and sums, some infinities, zeros and NaN."""
    values = short_values(rng, name, count)
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], NATIVE[name])
    edges = canonical(name, edges)
    return np.where(rng.integers(0, 8, count) == 0, edges[rng.integers(0, 6, count)], values).astype(values.dtype)


def without_zero(rng, name, count):
    values = any_values(rng, name, count)
    return np.where(values == 0, values.dtype.type(3), values)


def fill_for(name):
    if name == "vdiv":
        return without_zero
    if "max" in name or "min" in name:
        return ordered_values
    return no_overflow(name)


def crossed(name, values=None):
    """Every special value with every other: two arrays, and the scenario that runs over them."""
    values = special(name) if values is None else values
    pairs = values.size**2
    return np.repeat(values, values.size), np.tile(values, values.size), Scenario(count=lambda lanes: pairs)


def binary_cases(book):
    for name in BINARY:
        for type_ in BINARY_TYPES.get(name, NUMBERS):
            types, fill = [type_] * 3, fill_for(name)
            scenarios = list(SCENARIOS.values()) + [IN_PLACE_SECOND]
            sums = name not in ("vdiv", "vand", "vor")
            if sums and type_ != "i16" and (name, type_) != ("vmul", "i32"):
                scenarios.append(ACCUMULATE)
            for scenario in scenarios:
                slow = scenario is ACCUMULATE and not is_float(type_)
                book.add(strided_call(book, name, types, scenario, common_values if slow else fill))
            rule = ("extreme_nan_zero" if fill is ordered_values else "") if is_float(type_) else "integer_wraps"
            rule = "" if name in ("vand", "vor") or fill is ordered_values and not is_float(type_) else rule
            rule = "divide_by_zero" if name == "vdiv" else rule
            a, b, scenario = crossed(type_)
            book.add(strided_call(book, name, types, scenario, given={1: a, 2: b}), rule)
            if type_ == "f16":
                for which in ("two", "count tail"):
                    book.add(strided_call(book, name, types, SCENARIOS[which], wide_values, ctrl=0), "saturate_half")


def unary_cases(book):
    for name in UNARY:
        for type_ in UNARY_TYPES.get(name, FLOATS):
            for scenario in SCENARIOS.values():
                book.add(strided_call(book, name, [type_] * 2, scenario))
            sweep = Scenario(count=lambda lanes: 8 * lanes + 3)
            for fill in (wide_values, common_values, positive_values):
                book.add(strided_call(book, name, [type_] * 2, sweep, fill))
            if type_ == "f16":
                book.add(strided_call(book, name, [type_] * 2, sweep, ctrl=0), "saturate_half")


def positive_values(rng, name, count):
    values = common_values(rng, name, count)
    return np.abs(values).astype(values.dtype)


def scalar_bits(value):
    return int(value.view(UNSIGNED[value.dtype.itemsize]))


def scalar_cases(book):
    for name in SCALAR:
        for type_ in SCALAR_TYPES.get(name, NUMBERS):
            types, fill = [type_] * 2, fill_for(name)
            for i, scenario in enumerate(SCENARIOS.values()):
                scalar = scalar_bits(fill(np.random.default_rng(i), type_, 1)[0])
                book.add(strided_call(book, name, types, scenario, fill, scalar))
            values = special(type_)
            rule = "integer_wraps" if name in ("vadds", "vmuls") and not is_float(type_) else ""
            rule = "extreme_nan_zero" if fill is ordered_values and is_float(type_) else rule
            for value in values:
                book.add(strided_call(book, name, types, Scenario(count=lambda lanes: values.size), None,
                                      scalar_bits(value), given={1: values}), rule)


def shift_cases(book):
    for name, type_ in itertools.product(("vshl", "vshr"), ("i16", "u16", "i32", "u32")):
        bits = 8 * size_of(type_)
        tails = [(0,), (1,)] if name == "vshr" and type_[0] == "i" else [(0,)] if name == "vshr" else [()]
        for tail in tails:
            for i, scenario in enumerate(SCENARIOS.values()):
                count = (1, 3, bits - 1, 5, 2, 0, bits // 2)[i % 7]
                if name == "vshl" and type_[0] == "i":
                    # Signed elements that keep their sign however the bits move.
                    def fill(rng, t, n, count=count):
                        bound = 1 << max(8 * size_of(t) - 2 - count, 0)
                        return rng.integers(0, bound, n).astype(NATIVE[t])
                else:
                    fill = wide_values
                book.add(strided_call(book, name, [type_] * 2, scenario, fill, count, tail))
            for count in (0, 1, 2, bits // 2, bits - 1, bits):
                rule = "shl_moves_sign" if name == "vshl" and type_[0] == "i" else ""
                rule = "shift_by_width" if count == bits else rule
                book.add(strided_call(book, name, [type_] * 2, SCENARIOS["seven"], None, count, tail), rule)


def fused_cases(book):
    apart = [s for s in SCENARIOS.values() if s.repeat != 255]
    same, mixed = [("f16", "f16"), ("f32", "f32")], [("f32", "f16")]
    pairs = [*itertools.product(("vmadd", "vmaddrelu"), same), *itertools.product(("vmla", "vaxpy"), same + mixed)]
    for name, (to, from_) in pairs:
        types = [to, from_] if name == "vaxpy" else [to, from_, from_]
        rule = "fused_madd" if name.startswith("vmadd") else "rounded_product"
        for i, scenario in enumerate(apart):
            if scenario.alias >= 0 and to != from_:
                continue
            scalar = scalar_bits(short_values(np.random.default_rng(i), from_, 1)[0]) if name == "vaxpy" else None
            book.add(strided_call(book, name, types, scenario, short_or_special, scalar))
        for which in ("two", "seven", "count tail"):
            scalar = scalar_bits(common_values(np.random.default_rng(7), from_, 1)[0]) if name == "vaxpy" else None
            book.add(strided_call(book, name, types, SCENARIOS[which], common_values, scalar),
                     rule if to == from_ else "")  # f16 products are exact in f32


def payload_cases(book):
    """NaN with a sign, a payload or the signalling bit."""
    for type_ in FLOATS:
        quiet = {"f16": 0x7E00, "f32": 0x7FC00000}[type_]
        sign, infinity = 1 << (8 * size_of(type_) - 1), {"f16": 0x7C00, "f32": 0x7F800000}[type_]
        bits = [quiet, quiet | sign, quiet | 5, infinity | 1, infinity | sign | 3, quiet | sign | 1]
        values = np.concatenate([np.array(bits, UNSIGNED[size_of(type_)]).view(NATIVE[type_]), special(type_)[:6]])
        a, b, scenario = crossed(type_, values)
        for name in BINARY:
            if type_ in BINARY_TYPES.get(name, NUMBERS):
                rule = {"vmax": "extreme_nan_zero", "vmin": "extreme_nan_zero"}.get(name, "canonical_nan")
                book.add(strided_call(book, name, [type_] * 3, scenario, given={1: a, 2: b}), rule)
        for name in UNARY:
            if type_ in UNARY_TYPES.get(name, FLOATS):
                book.add(strided_call(book, name, [type_] * 2, scenario, given={1: a}), "canonical_nan")


CASES = (binary_cases, unary_cases, scalar_cases, shift_cases, fused_cases, payload_cases)
