"""Reductions of repeats, blocks and pairs; comparisons; selection.

Argument order, from hw-native-sys/pto-isa include/pto/costmodel/a2a3/cce_costmodel/cce_costmodel_vector_compute.hpp and
cce_costmodel_vector_compare.hpp and asc-devkit impl/basic_api/dav_c220/kernel_operator_vec_{reduce,cmp,cmpsel}_impl.h:
    vcadd (dst, src, repeat, dst repeat stride, src block stride, src repeat stride, accumulates)
    vcmax, vcmin the same with the order of value and index instead
    vcgadd, vcgmax, vcgmin, vcpadd the same without
    vcmp_* (src0, src1, repeat, dst/src0/src1 block stride, dst/src0/src1 repeat stride)
    vcmpv_* the same after dst; vcmpvs_* (dst, src, scalar, repeat, dst/src block stride, dst/src repeat stride)
    vsel as vadd, with a mode at the end unless it is 0
Results: asc-devkit docs/zh/api/SIMD-API, ReduceRepeat.md, ReduceDataBlock.md, ReducePairElem.md, ReduceSum.md,
GetReduceRepeatMaxMinSpr(ISASI).md, Compare*.md, Compares.md, Select.md, SetCmpMask(ISASI).md; hiascend.com, CANN
commercial 8.5.0, cceintrinsicapi cceapi_0034 (vcadd), 0039 (vsel), 0043 (vcmpvs), 0118 (vcmp), 0119 (vcmpv).
"""
import itertools

import numpy as np

from intrinsic_goldens_call import (SCENARIOS, Call, Operand, Scenario, Window, bits_of, extent, lanes_of, mask_of,
                                    models, operands, strided_call, words_of)
from intrinsic_goldens_elementwise import FLOATS, crossed, element, extreme, finished, scalar_bits
from intrinsic_goldens_numbers import NATIVE, UNSIGNED, any_values, common_values, size_of, special, wide_values

# Rule order_values: AscendC's ReduceOrder, whose names Order_t shares; the numbers of Order_t are not public.
VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX = range(4)


# ---- Reductions ---------------------------------------------------------------------------------------


def tree_sum(call, name, values, active):
    """Neighbours are added, then neighbouring sums. Rule masked_zero: a lane that takes no part counts as +0."""
    values = np.where(active, values, values.dtype.type(0))
    with np.errstate(all="ignore"):
        while values.shape[-1] > 1:
            values = finished(call, name, values[..., 0::2] + values[..., 1::2])
    return values[..., 0]


def source_of(call):
    """dst, repeat, stride of dst, the source."""
    dst, src, repeat, stride, block, src_stride = call.args[:6]
    return dst, repeat, stride, Operand(call.types[0], src, block, src_stride)


@models("vcadd")
def vcadd(call):
    """One sum for a repeat, none if no lane takes part.

    With the flag the sums are added in order, the total is in ACC_VAL, UB is not written.
    """
    dst, repeat, stride, src = source_of(call)
    lanes, size, total = lanes_of([src.type]), size_of(src.type), None
    for r, active in call.repeats(lanes, repeat):
        if not active.any():
            continue
        value = tree_sum(call, src.type, src.read(call, lanes, r), active)
        if not call.args[6]:
            call.view(src.type)[dst // size + r * stride] = value
        elif total is None:
            total = value
        else:
            total = finished(call, src.type, np.array([total + value]))[0]
    if call.args[6] and total is not None:
        call.after["acc_val"] = scalar_bits(total)


@models("vcmax", "vcmin")
def vcmax(call):
    """The extreme of a repeat and the number of the first lane that has it. Rule extreme_nan_zero."""
    dst, repeat, stride, src = source_of(call)
    lanes, order, bits = lanes_of([src.type]), call.args[6], UNSIGNED[size_of(src.type)]
    best = []
    for r, active in call.repeats(lanes, repeat):
        if not active.any():
            continue
        values = src.read(call, lanes, r)
        index = first_extreme(values, np.flatnonzero(active), call.name == "vcmax")
        value = values[index:index + 1].view(bits)
        best.append((r, index, values[index]))
        parts = {VALUE_INDEX: [value, bits(index)], INDEX_VALUE: [bits(index), value], ONLY_VALUE: [value],
                 ONLY_INDEX: [np.uint32(index)]}[order]
        line = np.concatenate([np.atleast_1d(p).view(np.uint8) for p in parts])
        at = dst + r * stride * line.size
        call.ub[at:at + line.size] = line
    if best and call.args[4:6] == [1, 8] and not call.counter:  # the only layout whose count is documented
        winners = np.array([value for _, _, value in best])
        r, index, value = best[first_extreme(winners, np.arange(len(best)), call.name == "vcmax")]
        call.after["max_min_cnt"] = scalar_bits(value) | (r * lanes + index) << 32


def first_extreme(values, places, greater):
    """The first place with the extreme value; NaN is passed over unless there is nothing else."""
    best = places[0]
    for place in places[1:]:
        if values[place] > values[best] if greater else values[place] < values[best]:
            best = place
        elif np.isnan(values[best]) and not np.isnan(values[place]):
            best = place
    return int(best)


@models("vcgadd", "vcgmax", "vcgmin")
def vcgadd(call):
    """One result for each of the eight blocks of a repeat, none for a block without lanes that take part."""
    dst, repeat, stride, src = source_of(call)
    lanes, size = lanes_of([src.type]), size_of(src.type)
    for r, active in call.repeats(lanes, repeat):
        values, active = src.read(call, lanes, r).reshape(8, -1), active.reshape(8, -1)
        if call.name == "vcgadd":
            results = tree_sum(call, src.type, values, active)
        else:
            greater = call.name == "vcgmax"
            worst = values.dtype.type(-np.inf if greater else np.inf)
            results = np.where(active, values, worst)[:, 0]
            for i in range(1, values.shape[1]):
                results = extreme(results, np.where(active, values, worst)[:, i], greater)
        some = active.any(axis=1)
        call.view(src.type)[dst // size + 8 * stride * r + np.flatnonzero(some)] = results[some]


@models("vcpadd")
def vcpadd(call):
    """Sums of neighbours, in steps of 128 bytes a repeat; none for a pair without lanes that take part."""
    dst, repeat, stride, src = source_of(call)
    lanes, size = lanes_of([src.type]), size_of(src.type)
    for r, active in call.repeats(lanes, repeat):
        values, pairs = src.read(call, lanes, r).reshape(-1, 2), active.reshape(-1, 2)
        results, some = tree_sum(call, src.type, values, pairs), pairs.any(axis=1)
        call.view(src.type)[(dst + 128 * stride * r) // size + np.flatnonzero(some)] = results[some]


# ---- Comparisons and selection ------------------------------------------------------------------------

COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
               "ge": np.greater_equal}


@models(*(f"vcmp_{c}" for c in COMPARISONS))
def vcmp(call):
    """One repeat into CMPMASK. Bits of lanes that take no part stay, and of f32 the upper word."""
    name, (a, b, _), strides = call.types[0], call.args[:3], call.args[3:]
    lanes = lanes_of([name])
    _, active = next(call.repeats(lanes, 1))
    values = [Operand(name, at, strides[i], strides[3 + i]).read(call, lanes, 0) for at, i in ((a, 1), (b, 2))]
    bits = bits_of(call.cmp)
    bits[:lanes] = np.where(active, COMPARISONS[call.name[-2:]](*values), bits[:lanes])
    call.cmp = words_of(bits)


def store_bits(call, dst, r, flags):
    """Bits of a repeat follow the bits of the previous one, whatever the strides of dst."""
    at = dst + flags.size // 8 * r
    call.ub[at:at + flags.size // 8] = np.packbits(flags, bitorder="little")


@models(*(f"vcmpv_{c}" for c in COMPARISONS))
def vcmpv(call):
    """All lanes, whatever the mask."""
    (dst, a, b), repeat, _ = operands(call.types, call.args, 3)
    lanes = lanes_of([a.type])
    for r in range(repeat):
        flags = COMPARISONS[call.name[-2:]](a.read(call, lanes, r), b.read(call, lanes, r))
        store_bits(call, dst.base, r, flags)


@models(*(f"vcmpvs_{c}" for c in COMPARISONS))
def vcmpvs(call):
    (dst, src), repeat, bits = operands(call.types, call.args, 2, scalar=True)
    lanes, value = lanes_of([src.type]), element(src.type, bits)
    for r in range(repeat):
        store_bits(call, dst.base, r, COMPARISONS[call.name[-2:]](src.read(call, lanes, r), value))


@models("vsel")
def vsel(call):
    """src0 where a bit is set, else src1. Bits and the other value by mode:

    0: the same bits of CMPMASK in each repeat; 1: bits at src1, one after the other, else the element in
    CMPMASK; 2: bits at the address in CMPMASK, one after the other.
    """
    mode = call.args[10] if len(call.args) > 10 else 0
    (dst, a, b), repeat, _ = operands(call.types, call.args, 3)
    lanes, words = lanes_of([dst.type]), np.array(call.cmp, np.uint64)
    for r, active in call.repeats(lanes, repeat):
        if mode == 0:
            chosen = bits_of(call.cmp)[:lanes]
        else:
            at = (b.base if mode == 1 else int(words.view(np.uint32)[0])) + lanes // 8 * r
            chosen = np.unpackbits(call.ub[at:at + lanes // 8], bitorder="little").astype(bool)
        other = words.view(NATIVE[dst.type])[0] if mode == 1 else b.read(call, lanes, r)
        dst.write(call, lanes, r, np.where(chosen, a.read(call, lanes, r), other), active)


# ---- Cases --------------------------------------------------------------------------------------------


def whole_sums(rng, name, count):
    """Small whole numbers, whose sums are exact in any order."""
    return rng.integers(-8, 9, count).astype(NATIVE[name])


def sums_with_infinity(rng, name, count):
    values = whole_sums(rng, name, count)
    edges = special(name)[[4, 5, 6]][rng.integers(0, 3, count)]  # infinities and NaN
    return np.where(rng.integers(0, 200, count) == 0, edges, values).astype(values.dtype)


def unlike_values(rng, name, count):
    """Numbers with many equal ones, no NaN and no zero."""
    values = np.where(rng.integers(0, 2, count) == 0, any_values(rng, name, count), rng.integers(-9, 9, count))
    return np.where(np.isnan(values) | (values == 0), 0.5, values).astype(NATIVE[name])


# Repeats, mask, dst stride, src block stride, src repeat stride, elements of counter mode.
RUNS = [(1, "full", 1, 1, 8, None), (2, "low", 1, 1, 8, None), (7, "part", 1, 1, 8, None), (3, "random", 2, 1, 9, None),
        (2, "single", 1, 2, 16, None), (3, "odd", 3, 8, 1, None), (2, "high", 1, 0, 8, None),
        (2, "zero", 1, 1, 8, None),
        (0, "full", 1, 1, 8, None), (4, "ends", 1, 1, 0, None), (9, "random", 1, 1, 1, None), (1, "full", 1, 1, 8, 1),
        (1, "full", 1, 1, 8, 37), (1, "full", 1, 1, 8, 300), (1, "full", 2, 2, 16, 130), (3, "full", 1, 1, 8, 0),
        (255, "part", 1, 1, 0, None)]


def reduction(book, name, type_, run, unit, fill, tail=(), given=None, **fields):
    """A call of a reduction; `unit` is how many bytes a step of dst has."""
    repeat, mask, stride, block, src_stride, count = run
    rng = book.rng(name)
    lanes = lanes_of([type_])
    times = max(repeat if count is None else -(-count // lanes), 1)
    window = Window(rng)
    size = extent(type_, lanes, block, src_stride, times)
    values = fill(rng, type_, size // size_of(type_)) if given is None else given
    src = window.place(size, values)
    aligned = min(unit, 32)
    dst = window.place(unit * (stride * (times - 1) + 2) + 64) + aligned * int(rng.integers(0, 32 // aligned))
    words = (count, 0) if count is not None else mask_of(rng, mask)
    return Call(name, [type_], [dst, src, repeat, stride, block, src_stride, *tail], window.ub(), words,
                count is not None, **fields)


def sum_cases(book):
    for name, type_ in itertools.product(("vcadd", "vcgadd", "vcpadd"), FLOATS):
        size = size_of(type_)
        unit, tail = {"vcadd": (size, (0,)), "vcgadd": (8 * size, ()), "vcpadd": (128, ())}[name]
        runs = [run for run in RUNS if run[0] < 255 or name != "vcpadd"]
        for run in runs:
            book.add(reduction(book, name, type_, run, unit, whole_sums, tail))
            book.add(reduction(book, name, type_, run, unit, sums_with_infinity, tail))
        for run in RUNS[:8] + RUNS[11:15]:
            book.add(reduction(book, name, type_, run, unit, common_values, tail))
        for run in (RUNS[0], RUNS[2]):
            zeros = np.full(256 * run[0] // size, -0.0, NATIVE[type_])
            rule = "masked_zero" if run[1] != "full" else ""
            book.add(reduction(book, name, type_, run, unit, None, tail, zeros), rule)
        if type_ == "f16":
            for run in RUNS[:3]:
                book.add(reduction(book, name, type_, run, unit, wide_values, tail, ctrl=0), "saturate_half")
        if name == "vcadd":
            for run, fill in itertools.product([RUNS[0], RUNS[2]] + RUNS[11:15], (whole_sums, common_values)):
                book.add(reduction(book, name, type_, run, unit, fill, (1,)))


def extreme_cases(book):
    for name, type_ in itertools.product(("vcmax", "vcmin"), FLOATS):
        size = size_of(type_)
        units = {VALUE_INDEX: 2 * size, INDEX_VALUE: 2 * size, ONLY_VALUE: size, ONLY_INDEX: 4}
        for order, run in itertools.product(units, RUNS[:-1]):
            book.add(reduction(book, name, type_, run, units[order], unlike_values, (order,)),
                     "order_values" if order != VALUE_INDEX else "")
        book.add(reduction(book, name, type_, RUNS[-1], units[0], unlike_values, (0,)))
        book.add(reduction(book, name, type_, (7, "full", 1, 1, 8, None), units[0], unlike_values, (0,)))
        special_extremes(book, name, type_, units[0], (0,))
    for name, type_ in itertools.product(("vcgmax", "vcgmin"), FLOATS):
        for run in RUNS:
            book.add(reduction(book, name, type_, run, 8 * size_of(type_), unlike_values))
        special_extremes(book, name, type_, 8 * size_of(type_), ())


def special_extremes(book, name, type_, unit, tail):
    """NaN among numbers, zeros of both signs."""
    rng, count = np.random.default_rng(3), 256 // size_of(type_)
    numbers = common_values(rng, type_, count)
    for share in (2, 16):
        numbers[rng.integers(0, share, count) == 0] = np.nan
        values = np.where(np.isnan(numbers), special(type_)[6], numbers).astype(numbers.dtype)
        book.add(reduction(book, name, type_, RUNS[0], unit, None, tail, values), "extreme_nan_zero")
    zeros = np.where(rng.integers(0, 2, count), 0.0, -0.0).astype(NATIVE[type_])
    book.add(reduction(book, name, type_, RUNS[0], unit, None, tail, zeros), "extreme_nan_zero")


def some_equal(rng, name, count):
    """Few different values, so that two operands often agree; with NaN, infinities and both zeros."""
    values = special(name)[:8]
    return values[rng.integers(0, values.size, count)]


def comparison_cases(book):
    apart = [w for w, s in SCENARIOS.items() if s.count is None and s.alias < 0]
    for letters, type_ in itertools.product(COMPARISONS, FLOATS):
        name = f"vcmp_{letters}"
        for word in apart:
            scenario = SCENARIOS[word]
            one = Scenario(1, scenario.mask, dst=scenario.dst, sources=scenario.sources)
            for fill in (some_equal, any_values):
                cmp = mask_of(np.random.default_rng(len(book.cases)), "random")
                call = strided_call(book, name, [type_] * 3, one, fill, has_dst=False, cmp=cmp)
                book.add(call)
        call = strided_call(book, name, [type_] * 3, SCENARIOS["two"], some_equal, has_dst=False, cmp=(3, 5))
        book.add(call, "vcmp_one_repeat")
    for letters, type_ in itertools.product(COMPARISONS, FLOATS + ("i32",)):
        if type_ == "i32" and letters != "eq":
            continue
        fills = (some_equal, any_values) if type_ != "i32" else (some_equal, common_values)
        for name, word, fill in itertools.product((f"vcmpv_{letters}", f"vcmpvs_{letters}"), apart, fills):
            vector_comparison(book, name, type_, SCENARIOS[word], fill)
        a, b, scenario = crossed(type_)
        pairs = Scenario(-(-a.size // lanes_of([type_])))
        vector_comparison(book, f"vcmpv_{letters}", type_, pairs, any_values, {1: a, 2: b})


def vector_comparison(book, name, type_, scenario, fill, given=None):
    scalar = name.startswith("vcmpvs")
    count = 2 if scalar else 3
    value = scalar_bits(fill(np.random.default_rng(len(book.cases)), type_, 1)[0]) if scalar else None

    def by_type(rng, t, n):
        return fill(rng, t, n) if t != "u8" else wide_values(rng, t, n)
    call = strided_call(book, name, ["u8"] + [type_] * (count - 1), scenario, by_type, value, given=given)
    first = count + scalar + 1
    call.args[first], call.args[first + count] = 1, 8  # strides of dst that callers give
    book.add(call)


def selection_cases(book):
    for mode, type_, (word, scenario) in itertools.product((0, 1, 2), FLOATS, SCENARIOS.items()):
        if mode and word == "many" or mode == 1 and scenario.alias >= 0 and word != "in place":
            continue
        types = [type_, type_, "u8"] if mode == 1 else [type_] * 3
        for short in (True, False) if not mode else (False,):
            call = strided_call(book, "vsel", types, scenario, tail=() if short else (mode,))
            rng = np.random.default_rng(len(book.cases))
            if mode == 0:
                call.cmp = mask_of(rng, "random")
            elif mode == 1:
                repeated = any_values(rng, type_, 1).repeat(16 // size_of(type_)).view(np.uint64)
                call.cmp = tuple(int(w) for w in repeated)
            else:
                address = call.ub.size
                call.ub = np.concatenate([call.ub, rng.integers(0, 256, 256).astype(np.uint8)])
                call.cmp = (address | address << 32,) * 2
            book.add(call)


CASES = (sum_cases, extreme_cases, comparison_cases, selection_cases)
