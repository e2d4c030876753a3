"""Conversions: vconv_FROM2TO with a letter of rounding, dequantisation, sums with ReLU and conversion.

Argument order: vconv_* (dst, src, repeat, dst/src block stride, dst/src repeat stride); vaddreluconv_* and
vsubreluconv_* that of vadd and a flag that is 0. hw-native-sys/pto-isa include/pto/costmodel/a2a3/cce_costmodel/
cce_costmodel_vector_convert_*.hpp, include/pto/npu/a2a3/TAddReluConv.hpp; the names: asc-devkit
impl/basic_api/dav_c220/kernel_operator_vec_vconv_impl.h. Letters: r to nearest even, a ties away, f down, c up,
z to zero, o to odd; without a letter as r where a conversion can be inexact.
Results: asc-devkit docs/zh/api/SIMD-API, precision_conversion.md, Cast.md (a repeat has as many lanes as the
wider type fits), CastDequant.md, SetDeqScale.md, AddReluCast.md; pto-isa TCvt.hpp for CTRL[59].
"""
import itertools

import numpy as np

from intrinsic_goldens_call import BLOCK, SCENARIOS, Scenario, lanewise, models, operands, strided_call
from intrinsic_goldens_elementwise import BINARY, element, relu, scalar_bits
from intrinsic_goldens_numbers import (FORMATS, KEEP_INFINITY, NATIVE, WRAP, any_values, from_double,
                                       integer_to_float, integers, is_float, limits, round_float, round_whole,
                                       saturated, size_of, special, to_double, whole_to_integer, wide_values)

ALL, PLAIN = "rafcz", [""]
CONVERSIONS = {
    ("f32", "f16"): ["", *"rafczo"], ("f32", "f32"): [*ALL], ("f32", "bf16"): [*ALL], ("f32", "i16"): [*ALL],
    ("f32", "i32"): [*ALL], ("f32", "i64"): [*ALL], ("f16", "f32"): PLAIN, ("f16", "i16"): [*ALL],
    ("f16", "i32"): [*ALL], ("f16", "i8"): ["", *ALL], ("f16", "u8"): ["", *ALL], ("f16", "i4"): ["", *ALL],
    ("bf16", "f32"): PLAIN, ("bf16", "i32"): [*ALL], ("i16", "f16"): ["", *ALL], ("i16", "f32"): PLAIN,
    ("i32", "f32"): ["", *ALL], ("i32", "i16"): PLAIN, ("i32", "i64"): PLAIN, ("i64", "i32"): PLAIN,
    ("i64", "f32"): [*ALL], ("i4", "f16"): PLAIN, ("i8", "f16"): PLAIN, ("u8", "f16"): PLAIN,
}


def cce(name):
    return name.replace("i", "s")


NAMES = {f"vconv_{cce(from_)}2{cce(to)}{letter}": (from_, to, letter)
         for (from_, to), letters in CONVERSIONS.items() for letter in letters}


def converted(values, from_, to, letter, ctrl):
    if is_float(from_):
        wide = to_double(from_, values)
        if not is_float(to):
            return whole_to_integer(to, round_whole(wide, letter), ctrl)
        if from_ == to:
            return from_double(to, np.where(np.isfinite(wide), round_whole(wide, letter), wide))
        return saturated(to, round_float(to, wide, letter), ctrl)
    numbers = values.tolist()
    if not is_float(to):
        return integers(to, numbers, ctrl)
    return from_double(to, [integer_to_float(to, n, letter) for n in numbers])


@models(*NAMES)
def vconv(call):
    from_, to, letter = NAMES[call.name]
    (dst, src), repeat, _ = operands([to, from_], call.args, 2)
    lanewise(call, dst, [src], repeat, lambda a: converted(a, from_, to, letter, call.ctrl))


@models("vconv_deq")
def vconv_deq(call):
    """i32 times the f16 in DEQSCALE, to f16. Rule deq_once: rounded once."""
    (dst, src), repeat, _ = operands(["f16", "i32"], call.args, 2)
    scale = float(element("f16", call.registers["deqscale"] & 0xFFFF)[0])
    lanewise(call, dst, [src], repeat,
             lambda a: saturated("f16", round_float("f16", a.astype(np.float64) * scale), call.ctrl))


def dequantised(values, parameters):
    """i16 by the parameters of each lane: bits 0-31 an f32 scale, 37-45 a signed offset, 46 a signed result.

    Rule deq_nearest: the product is rounded to nearest even before the offset is added.
    """
    bits = []
    for value, word in zip(values.tolist(), parameters):
        scale = float(element("f32", word & 0xFFFFFFFF)[0])
        offset = (word >> 37 & 0x1FF ^ 0x100) - 0x100
        low, high = (-128, 127) if word >> 46 & 1 else (0, 255)
        bits.append(min(max(int(np.rint(value * scale)) + offset, low), high) & 255)
    return np.array(bits, np.uint8)


@models("vconv_deqs162b8l", "vconv_deqs162b8h", "vconv_vdeqs162b8l", "vconv_vdeqs162b8h")
def vconv_deqs162b8(call):
    """A block of 16 i16 becomes the lower (l) or upper (h) half of the block of dst with the same number.

    vdeq: DEQSCALE is the block in UB at which 16 parameter words begin, one for each lane of a block.
    """
    (dst, src), repeat, _ = operands(["i16", "i16"], call.args, 2)
    word = call.registers["deqscale"]
    for r, active in call.repeats(128, repeat):
        words = [word] * 16
        if call.name.startswith("vconv_vdeq"):
            words = call.ub[word * BLOCK:word * BLOCK + 128].view(np.uint64).tolist()
        result = dequantised(src.read(call, 128, r), words * 8)
        lanes = np.arange(128)
        at = dst.base + BLOCK * (r * dst.repeat + lanes // 16 * dst.block) + lanes % 16
        at += 16 if call.name.endswith("h") else 0
        call.ub[at[active]] = result[active]


FUSED = {f"v{op}reluconv_{cce(from_)}2{cce(to)}": (f"v{op}", from_, to)
         for op in ("add", "sub") for from_, to in (("f32", "f16"), ("f16", "i8"), ("i16", "i8"))}


@models(*FUSED)
def vaddreluconv(call):
    """Rule sum_rounded_first: the sum has the type of the sources before it is converted, to nearest even."""
    op, from_, to = FUSED[call.name]
    (dst, *sources), repeat, _ = operands([to, from_, from_], call.args, 3)
    lanewise(call, dst, sources, repeat,
             lambda a, b: converted(relu(BINARY[op](a, b)), from_, to, "", call.ctrl))


# ---- Values -------------------------------------------------------------------------------------------


def near_halves(rng, from_, to, count):
    """Float64 values that a conversion to `to` must round: halves, ends of the range, neighbours of these."""
    if not is_float(to):
        low, high = limits(to)
        halves = rng.integers(-130, 130, count) / 2
        ends = rng.choice([float(low), float(high)], count) + rng.integers(-4, 5, count) / 2
        values = np.where(rng.integers(0, 2, count) == 0, halves, ends)
    elif from_ == to:
        values = rng.integers(-1000, 1000, count) / rng.choice([2.0, 4.0, 1024.0], count)
    else:
        precision, lowest, _ = FORMATS[to]
        exponent = rng.integers(lowest - 3, 4 if to == "bf16" else 15, count)
        step = np.ldexp(1.0, np.maximum(exponent, lowest) - precision + 1)
        whole = np.floor(np.ldexp(rng.uniform(1, 2, count), exponent) / step)
        values = (whole + rng.choice([0.0, 0.25, 0.5, 0.5, 0.75], count)) * step * rng.choice([-1.0, 1.0], count)
    nudge = rng.choice([0.0, 0.0, 2.0**-23, -(2.0**-23)], count) if from_ == "f32" else 0.0
    return values + values * nudge


def to_convert(from_, to, letter, rules=False):
    """Fill for the sources of a conversion. Without `rules`, values whose results the documents fix."""
    def fill(rng, type_, count):
        if type_ != from_:
            return wide_values(rng, type_, count)
        if not is_float(from_):
            return integers_to_round(rng, from_, to, count)
        halves = round_float(from_, near_halves(rng, from_, to, count))
        values = np.where(rng.integers(0, 2, count) == 0, halves, any_values(rng, from_, count)).astype(halves.dtype)
        if rules:
            return values
        wide = to_double(from_, values)
        drop = np.isnan(wide) if not is_float(to) else np.zeros(count, bool)
        if letter not in ("", "r", "a") and to == "f16":
            drop = np.isfinite(wide) & (np.abs(wide) >= 65536)
        return np.where(drop, from_double(from_, [2.5])[0], values).astype(values.dtype)
    return fill


def integers_to_round(rng, from_, to, count):
    low, high = limits(from_)
    values = any_values(rng, from_, count).astype(object)
    if is_float(to):
        precision = FORMATS[to][0]
        room = max(high.bit_length() - precision, 0)
        if room:
            shift = rng.integers(1, room + 1, count)
            whole = rng.integers(1 << (precision - 1), 1 << precision, count)
            rest = [(int(w) << int(s)) + (1 << int(s) >> 1) + int(d)
                    for w, s, d in zip(whole, shift, rng.integers(-1, 2, count))]
            rest = np.array(rest, object) * rng.choice([-1, 1], count)
            values = np.where(rng.integers(0, 2, count) == 0, values, rest)
    elif size_of(to) < size_of(from_):
        ends = np.array(rng.choice(limits(to), count).tolist(), object) + rng.integers(-2, 3, count)
        values = np.where(rng.integers(0, 2, count) == 0, values, ends)
    return np.array([min(max(int(v), low), high) for v in values], NATIVE[from_])


def f16_scaled(scale):
    """i32 whose product with an f16 gives the same f16 with or without roundings to f32 in between."""
    def fill(rng, type_, count):
        if type_ != "i32":
            return wide_values(rng, type_, count)
        values = np.where(rng.integers(0, 2, count) == 0, rng.integers(-70000, 70000, count),
                          any_values(rng, "i32", count)).astype(np.int32)
        once = round_float("f16", values.astype(np.float64) * scale)
        stepped = round_float("f16", to_double("f32", values.astype(np.float32) * np.float32(scale)))
        same = once.view(np.uint16) == stepped.view(np.uint16)
        return np.where(same, values, 1).astype(np.int32)
    return fill


def short_sums(rng, name, count):
    """Sums of two of them are exact, and halfway cases when converted."""
    if name == "f32":
        return (rng.integers(-1 << 16, 1 << 16, count) / 4096).astype(np.float32)
    if name == "f16":
        return (rng.integers(-300, 300, count) / 2).astype(np.float16)
    return rng.integers(-300, 300, count).astype(NATIVE[name])


# ---- Cases --------------------------------------------------------------------------------------------

USED = ("two", "seven", "spread", "same block", "interleaved", "nine", "no lane", "count gap", "count tail", "count 1")


def conversion_cases(book):
    for name, (from_, to, letter) in NAMES.items():
        types, fill = [to, from_], to_convert(from_, to, letter)
        which = USED + (("many", "no repeat", "count whole", "first and last") if letter in ("", "r") else ())
        for word in which + (("in place",) if size_of(from_) == size_of(to) else ()):
            book.add(strided_call(book, name, types, SCENARIOS[word], fill))
        long, every = Scenario(count=lambda lanes: 6 * lanes + 1), to_convert(from_, to, letter, True)
        if is_float(from_):
            rule = "directed_overflow" if to == "f16" and letter in ("f", "c", "z", "o") else ""
            rule = rule if is_float(to) else "nan_to_integer"
            edges = Scenario(count=lambda lanes: special(from_).size)
            book.add(strided_call(book, name, types, edges, given={1: special(from_)}), rule)
            book.add(strided_call(book, name, types, long, every), rule)
        if is_float(from_) and to in ("f16", "bf16"):
            book.add(strided_call(book, name, types, long, every, ctrl=0), "saturate_half")
        if not is_float(to) and (is_float(from_) or size_of(to) < size_of(from_)):
            rule, kept = "wrap_to_integer" if is_float(from_) else "", KEEP_INFINITY | WRAP
            for scenario in (long, SCENARIOS["two"]):
                book.add(strided_call(book, name, types, scenario, finite(fill, from_), ctrl=kept), rule)


def finite(fill, from_):
    def without(rng, type_, count):
        values = fill(rng, type_, count)
        if type_ != from_ or not is_float(from_):
            return values
        other = from_double(from_, [300.5])[0]
        return np.where(np.isfinite(to_double(from_, values)), values, other).astype(values.dtype)
    return without


def dequantisation_cases(book):
    for scale in (1.0, 0.5, 0.37, -3.0, 2.0**-17, 1e-3, 60000.0):
        half = np.float16(scale)
        registers = {"deqscale": scalar_bits(half)}
        for word in ("two", "seven", "count tail", "spread", "nine", "no lane", "same block"):
            book.add(strided_call(book, "vconv_deq", ["f16", "i32"], SCENARIOS[word], f16_scaled(float(half)),
                                  registers=dict(registers)))
        book.add(strided_call(book, "vconv_deq", ["f16", "i32"], SCENARIOS["seven"], wide_values,
                              registers=dict(registers)), "deq_once")
        book.add(strided_call(book, "vconv_deq", ["f16", "i32"], SCENARIOS["seven"], f16_scaled(float(half)),
                              registers=dict(registers), ctrl=0), "saturate_half")
    parameters = [(1.0, 0, 1), (1.0, 0, 0), (0.5, 3, 1), (0.25, -5, 0), (0.013, -256, 1), (-0.37, 255, 0), (3.0, 1, 1)]
    for half, (i, parameter) in itertools.product("lh", enumerate(parameters)):
        for word in ("two", "seven", "spread", "count tail", "nine"):
            byte_case(book, f"vconv_deqs162b8{half}", word, [parameter] * 16)
        byte_case(book, f"vconv_vdeqs162b8{half}", list(SCENARIOS)[i], [parameters[(i + j) % 7] for j in range(16)])
        byte_case(book, f"vconv_vdeqs162b8{half}", "count tail", [parameters[(i * j) % 7] for j in range(16)])


def parameter_word(scale, offset, signed):
    return scalar_bits(np.float32(scale)) | (offset & 0x1FF) << 37 | signed << 46


def byte_case(book, name, word, parameters):
    """i16 sources whose products are never halves, so that all roundings to nearest agree."""
    words = [parameter_word(*p) for p in parameters]

    def fill(rng, type_, count):
        values = np.where(rng.integers(0, 3, count) == 0, wide_values(rng, "i16", count),
                          rng.integers(-600, 600, count)).astype(np.int16)
        scales = np.array([element("f32", w & 0xFFFFFFFF)[0] for w in words], np.float64)
        products = values * np.resize(scales, count)
        return np.where(products % 1 == 0.5, 4, values).astype(np.int16)

    call = strided_call(book, name, ["i16", "i16"], SCENARIOS[word], fill)
    call.types = ["i8" if parameters[0][2] else "u8", "i16"]
    call.registers["deqscale"] = words[0]
    if name.startswith("vconv_vdeq"):
        call.registers["deqscale"] = call.ub.size // BLOCK
        call.ub = np.concatenate([call.ub, np.array(words, np.uint64).view(np.uint8)])
    book.add(call)


def fused_conversion_cases(book):
    for name, (op, from_, to) in FUSED.items():
        types = [to, from_, from_]
        for scenario in SCENARIOS.values():
            if scenario.alias < 0:
                book.add(strided_call(book, name, types, scenario, short_sums, tail=(0,)))
        if is_float(from_):
            for word in ("two", "seven", "count tail"):
                rule = "sum_rounded_first" if to != "i8" else "nan_to_integer"
                book.add(strided_call(book, name, types, SCENARIOS[word], any_values, tail=(0,)), rule)
        else:
            book.add(strided_call(book, name, types, SCENARIOS["seven"], any_values, tail=(0,)), "integer_wraps")
        if to == "f16":
            book.add(strided_call(book, name, types, SCENARIOS["seven"], any_values, tail=(0,), ctrl=0),
                     "saturate_half")


CASES = (conversion_cases, dequantisation_cases, fused_conversion_cases)
