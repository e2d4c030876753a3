"""Intrinsics that move elements: fills, copies, broadcasts of blocks, gathers, compression, transposition.

Argument order, from hw-native-sys/pto-isa include/pto/costmodel/a2a3/cce_costmodel/cce_costmodel_vector_compute.hpp
and cce_costmodel_memory.hpp:
    vector_dup (dst, scalar, repeat, dst/src block stride, dst/src repeat stride), the strides of src unused
    vcopy (dst, src, repeat, dst/src block stride, dst/src repeat stride)
    copy_ubuf_to_ubuf (dst, src, sid, bursts, length, gap of src, gap of dst), in blocks
    vbrcb (dst, src, dst block stride, dst repeat stride, repeat)
    vgather (dst, offsets, base of src, dst repeat stride, repeat)
    vgatherb (dst, offsets, base of src, dst repeat stride, dst block stride, repeat)
    vreducev2 (dst, src0, src1, repeat, src0 block stride, pattern, src0 repeat stride, src1 repeat stride)
    scatter_vnchwconv_b* (dst VA register, src VA register, repeat, dst/src stride[, dst/src high half])
    vtranspose (dst, src), from asc-devkit impl/basic_api/dav_c220/kernel_operator_vec_transpose_impl.h
Results: asc-devkit docs/zh/api/SIMD-API/C-API/vector_compute/asc_{duplicate,copy,brcb,gather,gather_datablock,
reduce,transto5hd,transpose}.md, GatherMask.md, Gatherb(ISASI).md, TransDataTo5HD.md; the transposition of 32-bit
elements: pto-isa include/pto/npu/a2a3/TTrans.hpp; hiascend.com, CANN commercial 8.5.0, cceintrinsicapi cceapi_0056
(vector_dup), 0058 (vgatherb).
"""
import itertools

import numpy as np

from intrinsic_goldens_call import (BLOCK, FULL, SCENARIOS, Call, Operand, Window, lanewise, mask_of, models,
                                    operands, strided_call)
from intrinsic_goldens_elementwise import element, scalar_bits
from intrinsic_goldens_numbers import size_of, special, wide_values

DUPLICATED = ("f16", "bf16", "i16", "u16", "f32", "i32", "u32")


@models("vector_dup")
def vector_dup(call):
    dst_at, bits, repeat, block, _, stride, _ = call.args
    dst = Operand(call.types[0], dst_at, block, stride)
    lanes = 256 // size_of(dst.type)
    lanewise(call, dst, [], repeat, lambda: np.repeat(element(dst.type, bits), lanes))


@models("vcopy")
def vcopy(call):
    """In counter mode each repeat copies mask word 0 elements, block after block: TFILLPAD of pto-isa's headers copies
    rows so, and its tests pass on devices."""
    (dst, src), repeat, _ = operands(call.types, call.args, 2)
    if not call.counter:
        lanewise(call, dst, [src], repeat, lambda a: a)
        return
    size = size_of(dst.type)
    for chunk in range(0, call.mask[0] * size, 256):  # all repeats of 256 bytes each
        count = min(256, call.mask[0] * size - chunk)
        for r in range(repeat):
            for at in range(0, count, BLOCK):
                blocks = (chunk + at) // BLOCK
                to = dst.base + BLOCK * (r * dst.repeat + blocks * dst.block)
                from_ = src.base + BLOCK * (r * src.repeat + blocks * src.block)
                n = int(min(BLOCK, count - at))
                call.ub[int(to):int(to) + n] = call.ub[int(from_):int(from_) + n].copy()


@models("copy_ubuf_to_ubuf")
def copy_ubuf_to_ubuf(call):
    dst, src, _, bursts, length, src_gap, dst_gap = call.args
    for burst in range(bursts):
        to, from_ = (at + BLOCK * burst * (length + gap) for at, gap in ((dst, dst_gap), (src, src_gap)))
        call.ub[to:to + BLOCK * length] = call.ub[from_:from_ + BLOCK * length].copy()


@models("set_cmpmask")
def set_cmpmask(call):
    """(src): the 16 bytes at src."""
    at = call.args[0]
    call.cmp = tuple(int(w) for w in call.ub[at:at + 16].view(np.uint64))


@models("vbrcb")
def vbrcb(call):
    """Element 8r+j fills block j of repeat r."""
    dst, src, block, stride, repeat = call.args
    elements = call.view(call.types[0])
    each = BLOCK // size_of(call.types[0])
    for r, j in itertools.product(range(repeat), range(8)):
        at = (dst + BLOCK * (r * stride + j * block)) // size_of(call.types[0])
        elements[at:at + each] = elements[src // size_of(call.types[0]) + 8 * r + j]


@models("vgather")
def vgather(call):
    """Offsets are bytes, densely stored for all lanes of all repeats."""
    dst_at, offsets, base, stride, repeat = call.args
    dst = Operand(call.types[0], dst_at, 1, stride)
    lanes = 256 // size_of(dst.type)
    for r, active in call.repeats(lanes, repeat):
        places = call.view("u32")[offsets // 4 + lanes * r:][:lanes].astype(np.int64)
        places = np.where(active, places, 0)
        dst.write(call, lanes, r, call.view(dst.type)[(base + places) // size_of(dst.type)], active)


@models("vgatherb")
def vgatherb(call):
    """Blocks; offsets are bytes, eight for a repeat. A block stride of 0 counts as 1."""
    dst, offsets, base, stride, block, repeat = call.args
    for r, j in itertools.product(range(repeat), range(8)):
        from_ = base + int(call.view("u32")[offsets // 4 + 8 * r + j])
        to = dst + BLOCK * (r * stride + j * (block or 1))
        call.ub[to:to + BLOCK] = call.ub[from_:from_ + BLOCK].copy()


PATTERNS = {1: (2, (0,)), 2: (2, (1,)), 3: (4, (0,)), 4: (4, (1,)), 5: (4, (2,)), 6: (4, (3,)), 7: (1, (0,))}


@models("vreducev2")
def vreducev2(call):
    """Elements that the pattern or the bits at src1 select, one after the other; their number is RSVD_CNT.

    Outside counter mode a repeat has 256 bytes whatever the mask; in counter mode mask word 0 is the number of
    elements of each repeat, the argument counts the repeats (asc-devkit GatherMask.md, first way).
    """
    dst, src0, src1, repeat, block, pattern, stride, src1_stride = call.args
    size = size_of(call.types[0])
    lanes = call.mask[0] if call.counter else 256 // size
    source, elements = Operand(call.types[0], src0, block, stride), call.view(call.types[0])
    kept = 0
    for r in range(repeat):
        if pattern:
            period, chosen = PATTERNS[pattern]
            selected = np.isin(np.arange(lanes) % period, chosen)
        else:
            at = src1 + BLOCK * r * src1_stride
            selected = np.unpackbits(call.ub[at:at + -(-lanes // 8)], bitorder="little")[:lanes].astype(bool)
        values = source.read(call, lanes, r)[selected]
        elements[dst // size + kept:dst // size + kept + values.size] = values
        kept += values.size
    call.after["rsvd_cnt"] = kept


def va_addresses(call, register):
    words = ",".join(call.registers[f"va{register + i}"] for i in range(2))
    return [int(w) for w in words.split(",")]


@models("scatter_vnchwconv_b8", "scatter_vnchwconv_b16", "scatter_vnchwconv_b32")
def scatter_vnchwconv(call):
    """16 rows become columns. One repeat alone begins one stride further (asc-devkit asc_transto5hd.md)."""
    dst_va, src_va, repeat, dst_stride, src_stride = call.args[:5]
    width = int(call.name[-2:].strip("b")) // 8
    dst_high, src_high = call.args[5:] if width == 1 else (0, 0)
    to, from_ = va_addresses(call, dst_va), va_addresses(call, src_va)
    for r in range(repeat):
        step = BLOCK * (1 if repeat == 1 else r)
        columns = BLOCK // width if width > 1 else 16
        rows = np.stack([call.ub[a + step * src_stride + 16 * src_high:][:columns * width] for a in from_])
        turned = rows.reshape(16, columns, width).transpose(1, 0, 2).reshape(columns, 16 * width).copy()
        for i, address in enumerate(to):
            line = turned[i] if width < 4 else turned[i // 2].reshape(2, BLOCK)[i % 2]
            at = address + step * dst_stride + 16 * dst_high
            call.ub[at:at + line.size] = line


@models("vtranspose")
def vtranspose(call):
    """16 x 16 elements of 16 bits."""
    dst, src = (at // 2 for at in call.args)
    call.view("u16")[dst:dst + 256] = call.view("u16")[src:src + 256].reshape(16, 16).T.ravel()


# ---- Cases --------------------------------------------------------------------------------------------


def fill_and_copy_cases(book):
    for type_ in DUPLICATED:
        values = special(type_)
        for i, scenario in enumerate(SCENARIOS.values()):
            if scenario.alias < 0:
                call = strided_call(book, "vector_dup", [type_], scenario, wide_values,
                                    scalar_bits(values[i % values.size]))
                dst, scalar, repeat, block, stride = call.args
                call.args = [dst, scalar, repeat, block, 1, stride, 0]
                book.add(call)
    for type_ in ("i16", "u16", "i32", "u32"):
        for scenario in SCENARIOS.values():
            if scenario.alias < 0 and scenario.count is None:
                book.add(strided_call(book, "vcopy", [type_] * 2, scenario, wide_values))
        counted_copy_cases(book, type_)


def counted_copy_cases(book, type_):
    """vcopy in counter mode: (repeats, elements of each, block strides, repeat strides of dst and src)."""
    size = int(size_of(type_))
    for repeat, count, blocks, repeats in ((1, 1, (1, 1), (8, 8)), (3, 70, (1, 1), (10, 20)), (4, 160, (1, 1), (20, 24)),
                                           (2, 33, (2, 1), (40, 8)), (5, 16, (1, 0), (2, 0)), (3, 128, (1, 1), (16, 0)),
                                           (0, 40, (1, 1), (8, 8)), (7, 300, (1, 2), (75, 90))):
        rng = book.rng("vcopy")
        window = Window(rng)
        dst, src = (window.place(BLOCK * (max(repeat - 1, 0) * stride + -(-count * size // BLOCK) * max(block, 1)))
                    for block, stride in zip(blocks, repeats))
        book.add(Call("vcopy", [type_], [dst, src, repeat, *blocks, *repeats], window.ub(), (count, 0), True))


def block_copy_cases(book):
    shapes = [(1, 1, 0, 0), (1, 9, 0, 0), (4, 2, 0, 0), (4, 2, 3, 0), (4, 2, 0, 3), (3, 5, 1, 2), (0, 4, 0, 0),
              (4, 0, 1, 1), (16, 1, 1, 0), (16, 1, 0, 1), (2, 31, 2, 7), (1, 128, 0, 0), (7, 3, 5, 5), (64, 1, 2, 1)]
    for bursts, length, src_gap, dst_gap in shapes:
        rng = book.rng("copy_ubuf_to_ubuf")
        window = Window(rng)
        src = window.place(BLOCK * max(bursts * (length + src_gap), 1))
        dst = window.place(BLOCK * max(bursts * (length + dst_gap), 1))
        for to, from_, gap_to, gap_from in ((dst, src, dst_gap, src_gap), (src, dst, src_gap, dst_gap)):
            book.add(Call("copy_ubuf_to_ubuf", [], [to, from_, 0, bursts, length, gap_from, gap_to], window.ub(),
                          mask_of(rng, "random")))
    for _ in range(6):
        rng = book.rng("set_cmpmask")
        window = Window(rng)
        at = window.place(64) + BLOCK * int(rng.integers(0, 2))
        book.add(Call("set_cmpmask", [], [at], window.ub(), cmp=(5, FULL)))


def broadcast_cases(book):
    shapes = [(1, 8, 1), (1, 8, 2), (2, 16, 2), (1, 9, 7), (8, 1, 3), (2, 1, 2), (1, 8, 0), (1, 0, 3), (1, 16, 5),
              (1, 8, 30)]
    for type_, (block, stride, repeat) in itertools.product(("u16", "u32"), shapes):
        rng = book.rng("vbrcb")
        window = Window(rng)
        places = [lambda: window.place(BLOCK * (7 * block + stride * max(repeat - 1, 0) + 1)),
                  lambda: window.place(8 * size_of(type_) * max(repeat, 1))]
        order = rng.permutation(2)
        at = {int(i): places[i]() for i in order}
        book.add(Call("vbrcb", [type_], [at[0], at[1], block, stride, repeat], window.ub()))


def gather_cases(book):
    runs = [(1, "full", None, 8), (3, "part", None, 8), (2, "random", None, 9), (2, "single", None, 16),
            (2, "high", None, 8), (2, "zero", None, 8), (0, "full", None, 8), (4, "ends", None, 8),
            (1, "full", 1, 8), (1, "full", 77, 8), (1, "full", 300, 8), (1, "full", 130, 16), (9, "full", 0, 8),
            (3, "odd", None, 0)]
    for type_, (repeat, mask, count, stride) in itertools.product(("u16", "u32"), runs):
        rng, size = book.rng("vgather"), size_of(type_)
        lanes = 256 // size
        times = max(repeat if count is None else -(-count // lanes), 1)
        window = Window(rng)
        base = window.place(1024) + size * int(rng.integers(0, 5))
        places = rng.integers(0, 900 // size, lanes * times) * size
        offsets = window.place(4 * places.size, places.astype(np.uint32))
        dst = window.place(256 + BLOCK * stride * (times - 1))
        words = (count, 0) if count is not None else mask_of(rng, mask)
        book.add(Call("vgather", [type_, "u32"], [dst, offsets, base, stride, repeat], window.ub(), words,
                      count is not None))
    shapes = [(8, 1, 1), (8, 1, 2), (16, 2, 2), (9, 1, 7), (1, 8, 3), (8, 0, 2), (8, 1, 0), (0, 1, 3), (8, 1, 20)]
    for type_, (stride, block, repeat) in itertools.product(("u16", "u32"), shapes):
        rng = book.rng("vgatherb")
        window = Window(rng)
        base = window.place(64 * BLOCK)
        places = rng.integers(0, 64, 8 * max(repeat, 1)) * BLOCK
        offsets = window.place(4 * places.size, places.astype(np.uint32))
        dst = window.place(BLOCK * (7 * (block or 1) + stride * max(repeat - 1, 0) + 1))
        book.add(Call("vgatherb", [type_, "u32"], [dst, offsets, base, stride, block, repeat], window.ub()))


def compress_cases(book):
    # Repeats, block stride, repeat stride of src0, stride of src1, elements of counter mode.
    runs = [(1, 1, 8, 0, None), (3, 1, 8, 1, None), (2, 2, 16, 0, None), (2, 1, 9, 1, None), (0, 1, 8, 0, None),
            (2, 1, 8, 0, 70), (3, 1, 4, 1, 33), (1, 1, 8, 1, 5), (1, 1, 8, 0, 257), (2, 2, 40, 1, 150),
            (7, 1, 1, 0, 1)]
    for type_, pattern, run in itertools.product(("u16", "u32"), range(8), runs):
        repeat, block, stride, stride1, count = run
        rng, size = book.rng("vreducev2"), size_of(type_)
        lanes = count if count is not None else 256 // size
        window = Window(rng)
        blocks = (lanes * size - 1) // BLOCK * block + stride * max(repeat - 1, 0) + 1
        src0 = window.place(BLOCK * blocks)
        src1 = window.place(BLOCK * (stride1 * max(repeat - 1, 0) + 1) + lanes // 8) if not pattern else src0
        dst = window.place(lanes * size * max(repeat, 1))
        dst = src0 if pattern and run in runs[1:2] else dst
        book.add(Call("vreducev2", [type_], [dst, src0, src1, repeat, block, pattern, stride, stride1], window.ub(),
                      mask_of(rng, "full") if count is None else (count, 0), count is not None))
    for type_, pattern in itertools.product(("u16", "u32"), (0, 2, 7)):  # the mask has no effect
        rng = book.rng("vreducev2")
        window = Window(rng)
        src0, src1, dst = window.place(512), window.place(64), window.place(512)
        book.add(Call("vreducev2", [type_], [dst, src0, src1, 2, 1, pattern, 8, 1], window.ub(), (0, 0)))


def transpose_cases(book):
    for mask in ("full", "random", "full", "zero"):
        rng = book.rng("vtranspose")
        window = Window(rng)
        src, dst = window.place(512), window.place(512)
        book.add(Call("vtranspose", ["u16"], [dst, src], window.ub(), mask_of(rng, mask)))
    runs = [(1, 0, 0), (1, 1, 2), (2, 16, 16), (3, 1, 16), (4, 16, 1), (0, 1, 1), (2, 2, 1)]
    halves = {"b8": list(itertools.product((0, 1), (0, 1))), "b16": [()], "b32": [()]}
    for width, (repeat, dst_stride, src_stride) in itertools.product(halves, runs):
        for half, scattered in itertools.product(halves[width], (False, True)):
            rng = book.rng(f"scatter_vnchwconv_{width}")
            dst_va, src_va = rng.permutation([0, 2, 4, 6])[:2].tolist()
            window, registers = Window(rng), {}
            for va, stride in ((dst_va, dst_stride), (src_va, src_stride)):
                each = 1 if stride >= 16 else 1 + stride * max(repeat, 1)  # rows of all repeats lie apart
                start = window.place(BLOCK * (16 * each + stride * max(repeat, 1)))
                rows = rng.permutation(16) if scattered else np.arange(16)
                places = [start + BLOCK * each * int(row) for row in rows]
                registers[f"va{va}"] = ",".join(map(str, places[:8]))
                registers[f"va{va + 1}"] = ",".join(map(str, places[8:]))
            book.add(Call(f"scatter_vnchwconv_{width}", [], [dst_va, src_va, repeat, dst_stride, src_stride, *half],
                          window.ub(), mask_of(rng, "random"), registers=dict(sorted(registers.items()))))


CASES = (fill_and_copy_cases, block_copy_cases, broadcast_cases, gather_cases, compress_cases, transpose_cases)
