"""Golden cases of C310's intrinsics of L1, UB and the cube core, and their models: a part of intrinsic_goldens_cube.py.

Made from cann/asc-devkit docs/zh/api/SIMD-API/C-API (asc_copy_gm2ub_align_arch_3510, asc_set_gm2ub_loop*,
asc_copy_gm2l1_nd2nz_arch_3510, asc_copy_gm2l1_dn2nz, asc_copy_l12l0a_arch_3510, asc_copy_l12l0a_mx,
asc_copy_l12bt_arch_3510, asc_copy_l12fb_arch_3510, asc_copy_l0c2ub, asc_mmad) and the packing of words in
hw-native-sys/pto-isa include/pto/common/arch/register and npu/a5.
"""
import numpy as np

import intrinsic_goldens_cube_models as models
from intrinsic_goldens_cube_models import KIND, model, number_at, to_multiple, width

# Numbers of 8 and 4 bits, by their bits.
def small_floats(exponent_bits, mantissa_bits, bias):
    values = []
    for bits in range(1 << (1 + exponent_bits + mantissa_bits)):
        sign, exponent = bits >> (exponent_bits + mantissa_bits), bits >> mantissa_bits & ((1 << exponent_bits) - 1)
        fraction = (bits & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
        number = 2.0 ** (exponent - bias) * (1 + fraction) if exponent else 2.0 ** (1 - bias) * fraction
        values.append(-number if sign else number)
    return values


SMALL = {"e4m3": small_floats(4, 3, 7), "e5m2": small_floats(5, 2, 15), "e2m1": small_floats(2, 1, 1)}


def bits_in(type_, number):
    if type_ in SMALL:
        return SMALL[type_].index(float(number))
    return int(np.frombuffer(models.bits_of(number, type_).tobytes(), dtype=f"<u{width(type_)}")[0])


def element_bits(type_):
    return 4 if type_ == "e2m1" else 8 if type_ in SMALL else 8 * width(type_)


def line_of(type_):
    return 256 // element_bits(type_)


def noise(rng, size):
    return rng.integers(0, 256, int(size), dtype=np.uint8)


def put(data, place, type_, bits):
    """An element at a place counted in elements."""
    size = element_bits(type_)
    if size == 4:
        kept = int(data[place // 2]) & (0x0F if place % 2 else 0xF0)
        data[place // 2] = kept | bits << 4 * (place % 2)
    else:
        data[place * size // 8:(place + 1) * size // 8] = np.frombuffer(bits.to_bytes(size // 8, "little"), np.uint8)


def get(data, place, type_):
    size = element_bits(type_)
    if size == 4:
        return int(data[place // 2]) >> 4 * (place % 2) & 15
    return int.from_bytes(data[place * size // 8:(place + 1) * size // 8].tobytes(), "little")


# ---- loops of bursts ------------------------------------------------------------------------------------------------
def loops(sizes, inner, outer, count, local, distant):
    """Offsets on chip and in global memory of each burst."""
    inner_count, outer_count = (sizes & 0x1FFFFF, sizes >> 21 & 0x1FFFFF) if sizes else (1, 1)
    low = (1 << 40) - 1
    for i in range(outer_count):
        for j in range(inner_count):
            for k in range(count):
                yield (i * (outer >> 40) + j * (inner >> 40) + k * local,
                       i * (outer & low) + j * (inner & low) + k * distant)


@model("copy_gm_to_ubuf_align_v2", "copy_gm_to_cbuf_align_v2")
def loops_in(name, memory, types, arguments, registers, _ctrl):
    dst, src, counts, length, src_step, dst_step = arguments
    codes, pad = (("u0", "u1", "u2"), "mp") if "ubuf" in name else (("l0", "l1", "l2"), "pl")
    target = memory["ub" if "ubuf" in name else "l1"]
    count, size = counts & 0xFFFFFFFF, width(types[0])
    before, after, constant = (counts >> 32 & 255) * size, (counts >> 40 & 255) * size, counts >> 48 & 1
    for local, distant in loops(*(registers.get(c, 0) for c in codes), count, dst_step, src_step):
        burst = memory["gm"][src + distant:src + distant + length]
        value = np.frombuffer(registers[pad].to_bytes(8, "little")[:size], np.uint8) if constant else burst[:size]
        end = before + length + after
        if constant and not (count > 1 and dst_step == length):
            end = to_multiple(end, 32)
        at = dst + local
        target[at:at + before] = np.resize(value, before)
        target[at + before:at + before + length] = burst
        target[at + before + length:at + end] = np.resize(value, end - before - length)


@model("copy_ubuf_to_gm_align_v2")
def loops_out(_name, memory, _types, arguments, registers, _ctrl):
    dst, src, count, length, dst_step, src_step = arguments
    for local, distant in loops(*(registers.get(c, 0) for c in ("o0", "o1", "o2")), count, src_step, dst_step):
        memory["gm"][dst + distant:dst + distant + length] = memory["ub"][src + local:src + local + length]


@model("copy_ubuf_to_cbuf", "copy_cbuf_to_ubuf")
def blocks(name, memory, _types, arguments, _registers, _ctrl):
    dst, src, _, count, length, src_gap, dst_gap = arguments
    to, from_ = ("l1", "ub") if name.startswith("copy_ubuf") else ("ub", "l1")
    for i in range(count):
        to_at, at = dst + 32 * i * (length + dst_gap), src + 32 * i * (length + src_gap)
        memory[to][to_at:to_at + 32 * length] = memory[from_][at:at + 32 * length]


def bursts(book):
    for name, chip, load in (("copy_gm_to_ubuf_align_v2", "ub", True), ("copy_gm_to_cbuf_align_v2", "l1", True),
                             ("copy_ubuf_to_gm_align_v2", "ub", False)):
        for i in range(48):
            burst(book, book.random(name), name, chip, load, i)
    for name, to, from_ in (("copy_ubuf_to_cbuf", "l1", "ub"), ("copy_cbuf_to_ubuf", "ub", "l1")):
        for _ in range(12):
            rng = book.random(name)
            count, length, src_gap, dst_gap = (int(v) for v in rng.integers((0, 1, 0, 0), (5, 4, 3, 3)))
            dst, src = (32 * int(v) for v in rng.integers(0, 4, 2))
            book.add(name, ("u8", "u8"), [dst, src, int(rng.integers(0, 2)), count, length, src_gap, dst_gap],
                     {to: noise(rng, dst + 32 * count * (length + dst_gap) + 64),
                      from_: noise(rng, src + 32 * count * (length + src_gap) + 64)})


def burst(book, rng, name, chip, load, i):
    type_ = ("u8", "i16", "f32")[i % 3]
    size = width(type_)
    pick = lambda low, high: int(rng.integers(low, high + 1))  # noqa: E731
    count, length = pick(1, 4), size * pick(1, 40)
    before, after, constant = (pick(0, 4), pick(0, 4), pick(0, 1)) if load and i % 2 else (0, 0, pick(0, 1) if load else 0)
    local = to_multiple((before + after) * size + length, 32) + 32 * pick(0, 2)
    if count > 1 and before == after == 0 and i % 6 == 2:
        local = length  # one burst follows the other at once
    step = length + pick(0, 9)
    inner, outer = (pick(1, 3), pick(1, 2)) if i % 4 else (1, 1)
    inner_local = to_multiple(count * local, 32) + 32 * pick(0, 1)
    inner_step = count * step + pick(0, 20)
    outer_local, outer_step = inner * inner_local + 32 * pick(0, 1), inner * inner_step + pick(0, 20)
    codes = ("l0", "l1", "l2") if chip == "l1" else ("u0", "u1", "u2") if load else ("o0", "o1", "o2")
    registers = {codes[0]: inner | outer << 21 if i % 4 else 0, codes[1]: inner_step | inner_local << 40,
                 codes[2]: outer_step | outer_local << 40}
    on_chip, distant = 32 * pick(0, 3), pick(0, 50)
    memories = {chip: noise(rng, on_chip + outer * outer_local + 64), "gm": noise(rng, distant + outer * outer_step + length + 64)}
    if load:
        registers["pl" if chip == "l1" else "mp"] = int(rng.integers(0, 1 << 32))
        counts = count | before << 32 | after << 40 | constant << 48
        book.add(name, (type_, type_), [on_chip, distant, counts, length, step, local], memories, registers)
    else:
        book.add(name, (type_, type_), [distant, on_chip, count, length, step, local], memories, {**registers, "at": 0})


# ---- grids ----------------------------------------------------------------------------------------------------------
@model("nddma_out_to_ub_b8", "nddma_out_to_ub_b16", "nddma_out_to_ub_b32")
def grid(name, memory, _types, arguments, _registers, _ctrl):
    dst, src, low, high, *steps, pads, value = arguments
    size = int(name.split("_b")[1]) // 8
    counts = [(low, high)[i // 3] >> 20 * (i % 3) & 0xFFFFF for i in range(5)]
    pads = [(high >> 40 & 255, high >> 48 & 255)] + [(pads >> 16 * i & 255, pads >> 16 * i + 8 & 255) for i in range(4)]
    for at in np.ndindex(*(before + count + after for count, (before, after) in zip(counts, pads))):
        own = [i - before for i, (before, _) in zip(at, pads)]
        near = [min(max(i, 0), count - 1) for i, count in zip(own, counts)]
        to = dst + size * sum(i * (step & 0xFFFFF) for i, step in zip(at, steps))
        from_ = src + size * sum(i * (step >> 20) for i, step in zip(near, steps))
        if own != near and high >> 56 & 1:
            memory["ub"][to:to + size] = np.frombuffer(value.to_bytes(8, "little")[:size], np.uint8)
        else:
            memory["ub"][to:to + size] = memory["gm"][from_:from_ + size]


def grids(book):
    for bits in (8, 16, 32):
        name, size = f"nddma_out_to_ub_b{bits}", bits // 8
        for i in range(24):
            rng = book.random(name)
            counts = [int(rng.integers(1, 6)) if at <= i % 5 else 1 for at in range(5)]
            pads = [(int(rng.integers(0, 3)), int(rng.integers(0, 3))) if counts[at] > 1 and i % 2 else (0, 0) for at in range(5)]
            steps, to, from_ = [0] * 5, 1, 1
            for at in (range(5), (1, 0, 2, 3, 4))[i % 3 == 1]:  # in UB some are transposed
                steps[at] = to + (int(rng.integers(0, 3)) if i % 4 == 3 else 0)
                to = steps[at] * (counts[at] + sum(pads[at]))
            for at in range(5):
                step = 0 if i % 6 == 5 and at == 1 else from_ + (int(rng.integers(0, 3)) if i % 4 == 2 else 0)  # 0: repeated
                steps[at] |= step << 20
                from_ = max(from_, step * counts[at])
            low = counts[0] | counts[1] << 20 | counts[2] << 40
            high = counts[3] | counts[4] << 20 | pads[0][0] << 40 | pads[0][1] << 48 | int(rng.integers(0, 2)) << 56
            words = sum((before | after << 8) << 16 * at for at, (before, after) in enumerate(pads[1:]))
            dst, src = 32 * int(rng.integers(0, 4)), size * int(rng.integers(0, 9))
            book.add(name, (f"u{bits}", f"u{bits}"), [dst, src, low, high, *steps, words, int(rng.integers(0, 1 << 32))],
                     {"ub": noise(rng, dst + size * to + 64), "gm": noise(rng, src + size * from_ + 64)})


# ---- global memory to NZ --------------------------------------------------------------------------------------------
@model("copy_gm_to_cbuf_multi_nd2nz", "copy_gm_to_cbuf_multi_dn2nz")
def to_nz(name, memory, types, arguments, registers, _ctrl):
    dst, src, _, step, _, n, d, matrix, _ = arguments
    size = width(types[0])
    c0, places = 32 // size, registers["nz"]
    count, row, line, to_matrix = (places >> 16 * i & 0xFFFF for i in range(4))
    for i in range(count):
        for r in range(n):
            for c in range(to_multiple(d, c0)):
                to = dst + 32 * (i * to_matrix + r * row + c // c0 * line) + size * (c % c0)
                at = src + i * matrix + (r * step + c * size if name.endswith("nd2nz") else c * step + r * size)
                memory["l1"][to:to + size] = memory["gm"][at:at + size] if c < d else 0


def matrices(book):
    for name in ("copy_gm_to_cbuf_multi_nd2nz", "copy_gm_to_cbuf_multi_dn2nz"):
        for i in range(36):
            rng = book.random(name)
            type_ = ("u8", "u16", "u32")[i % 3]
            size = width(type_)
            count, n, d = int(rng.integers(1, 4)), int(rng.integers(1, 12)), int(rng.integers(1, 70 // size))
            lines = -(-d * size // 32)
            longest, shortest = (n, d) if name.endswith("nd2nz") else (d, n)
            step = size * (shortest + int(rng.integers(0, 5)))
            matrix = longest * step + size * int(rng.integers(0, 9))
            row, to_matrix = int(rng.integers(1, 3)), 0
            line = n * row + int(rng.integers(0, 4))
            to_matrix = lines * line + int(rng.integers(0, 3))
            if i % 4 == 0:  # one after the other in each column of lines
                row, to_matrix, line = 1, n, n * count + int(rng.integers(0, 3))
            dst, src = 32 * int(rng.integers(0, 4)), int(rng.integers(0, 40))
            reach = (count - 1) * to_matrix + (lines - 1) * line + (n - 1) * row + 1
            book.add(name, (type_, type_), [dst, src, 0, step, 0, n, d, matrix, 0],
                     {"gm": noise(rng, src + count * matrix + longest * step + 64), "l1": noise(rng, dst + 32 * reach + 64)},
                     {"nz": count | row << 16 | line << 32 | to_matrix << 48})


# ---- L1 to L0A, L0B, tables -----------------------------------------------------------------------------------------
@model("load_cbuf_to_ca_c310", "load_cbuf_to_cb_c310", "load_cbuf_to_ca_s4_c310", "load_cbuf_to_cb_s4_c310")
def steps(name, memory, types, arguments, _registers, _ctrl):
    dst, src, m_first, k_first, m_steps, k_steps, from_pitch, to_pitch, transposed = arguments
    type_ = types[0]
    c0, fractal = line_of(type_), 4096 // element_bits(type_)
    source, target = memory["l1"][src:], memory["l0" + name[len("load_cbuf_to_c")]][dst:]
    before = source.copy()
    for m in range(16 * m_steps):
        for k in range(c0 * k_steps):
            at = ((k // c0 + k_first) * from_pitch + m // 16 + m_first) * fractal + m % 16 * c0 + k % c0
            row, column = (k, m) if transposed else (m, k)
            place = column // c0 * to_pitch * fractal + row * c0 + column % c0
            put(target, place, type_, get(before, at, type_))


@model("load_cbuf_to_ca_mx", "load_cbuf_to_cb_mx")
def scales(name, memory, _types, arguments, _registers, _ctrl):
    dst, src, x_first, y_first, x_steps, y_steps, from_pitch, to_pitch = arguments
    for x in range(x_steps):
        for y in range(y_steps):
            at = src + 32 * ((x + x_first) * from_pitch + y + y_first)
            to = dst + 32 * (x * to_pitch + y)
            memory["scale_" + name[len("load_cbuf_to_c")]][to:to + 32] = memory["l1"][at:at + 32]


@model("copy_cbuf_to_bt_c310")
def to_bias(_name, memory, types, arguments, _registers, _ctrl):
    dst, src, widens, count, length, gap, to_gap = arguments
    for i in range(count):
        at = src + 32 * i * (length + gap)
        part = memory["l1"][at:at + 32 * length].copy()
        if types[1] == "bf16":
            part = (part.view(np.uint16).astype(np.uint32) << 16).view(np.uint8)
        elif widens:
            part = part.view(np.float16).astype(np.float32).view(np.uint8)
        to = dst + i * (part.size + 32 * to_gap)
        memory["bias"][to:to + part.size] = part


@model("copy_cbuf_to_fbuf_c310")
def to_fixpipe(_name, memory, _types, arguments, _registers, _ctrl):
    dst, src, count, length, gap, to_gap = arguments
    for i in range(count):
        at, to = src + i * (64 * length + 32 * gap), dst + 64 * i * (length + to_gap)
        memory["fixpipe"][to:to + 64 * length] = memory["l1"][at:at + 64 * length]


def loads(book):
    for letter, nibbles in (("a", False), ("b", False), ("a", True), ("b", True)):
        name = f"load_cbuf_to_c{letter}{'_s4' if nibbles else ''}_c310"
        for i in range(12 if nibbles else 30):
            rng = book.random(name)
            type_ = "e2m1" if nibbles else ("f16", "i8", "f32", "bf16", "u8", "i32")[i % 6]
            transposed = int(rng.random() < 0.5)
            rows = {4: 4, 8: 2}.get(element_bits(type_), 1) if transposed else 1
            m_steps, k_steps = rows * int(rng.integers(1, 3)), int(rng.integers(1, 4))
            if transposed and element_bits(type_) == 32:
                k_steps *= 2
            m_first, k_first = (int(v) for v in rng.integers(0, 3, 2))
            from_pitch = m_first + m_steps + int(rng.integers(0, 2))
            lines = k_steps * line_of(type_) // 16 if transposed else m_steps
            to_pitch = lines + int(rng.integers(0, 2))
            columns = -(-16 * m_steps // line_of(type_)) if transposed else k_steps
            dst, src = 512 * int(rng.integers(0, 2)), 32 * int(rng.integers(0, 3))
            book.add(name, (type_, type_), [dst, src, m_first, k_first, m_steps, k_steps, from_pitch, to_pitch, transposed],
                     {"l1": noise(rng, src + 512 * (k_first + k_steps) * from_pitch + 64),
                      "l0" + letter: noise(rng, dst + 512 * columns * to_pitch + 64)})
    for letter in "ab":
        for _ in range(16):
            rng = book.random(f"load_cbuf_to_c{letter}_mx")
            x_first, y_first, x_steps, y_steps = (int(v) for v in rng.integers((0, 0, 0, 1), (3, 3, 4, 4)))
            from_pitch, to_pitch = y_first + y_steps + int(rng.integers(0, 2)), y_steps + int(rng.integers(0, 2))
            dst, src = 32 * int(rng.integers(0, 3)), 32 * int(rng.integers(0, 3))
            book.add(f"load_cbuf_to_c{letter}_mx", ("u8", "u8"),
                     [dst, src, x_first, y_first, x_steps, y_steps, from_pitch, to_pitch],
                     {"l1": noise(rng, src + 32 * (x_first + x_steps + 1) * from_pitch + 64),
                      "scale_" + letter: noise(rng, dst + 32 * (x_steps + 1) * to_pitch + 64)})


def tables(book):
    for i in range(24):
        rng = book.random("copy_cbuf_to_bt_c310")
        type_, widens = (("f32", 0), ("f16", 1), ("bf16", 0))[i % 3]
        count, length, gap, to_gap = int(rng.integers(1, 4)), 2 * int(rng.integers(1, 3)), int(rng.integers(0, 3)), 2 * int(rng.integers(0, 2))
        dst, src = 64 * int(rng.integers(0, 3)), 32 * int(rng.integers(0, 3))
        l1 = models.bits_of(rng.integers(-2048, 2048, (src + 32 * count * (length + gap) + 64) // width(type_)), type_)
        book.add("copy_cbuf_to_bt_c310", ("u8", type_), [dst, src, widens, count, length, gap, to_gap],
                 {"l1": l1, "bias": noise(rng, dst + count * 32 * (2 * length + to_gap) + 64)})
        rng = book.random("copy_cbuf_to_fbuf_c310")
        count, length, gap, to_gap = (int(v) for v in rng.integers((0, 1, 0, 0), (4, 4, 3, 3)))
        dst, src = 128 * int(rng.integers(0, 3)), 32 * int(rng.integers(0, 3))
        book.add("copy_cbuf_to_fbuf_c310", ("u8", "u8"), [dst, src, count, length, gap, to_gap],
                 {"l1": noise(rng, src + count * (64 * length + 32 * gap) + 64),
                  "fixpipe": noise(rng, dst + 64 * count * (length + to_gap) + 64)})


# ---- products -------------------------------------------------------------------------------------------------------
def left_place(i, k, m, type_, as_row):
    c0 = line_of(type_)
    return k if as_row else k // c0 * to_multiple(m, 16) * c0 + i * c0 + k % c0


def right_place(k, j, n, type_):
    c0 = line_of(type_)
    return (k // c0 * (to_multiple(n, 16) // 16) + j // 16) * 16 * c0 + j % 16 * c0 + k % c0


def left_scale(i, group, groups, as_row):
    return group if as_row else (i // 16 * (groups // 2) + group // 2) * 32 + i % 16 * 2 + group % 2


def right_scale(group, j, groups):
    return (j // 16 * (groups // 2) + group // 2) * 32 + j % 16 * 2 + group % 2


def value_of(data, place, type_):
    bits = get(data, place, type_)
    if type_ in SMALL:
        return SMALL[type_][bits]
    return number_at(data[place * width(type_):(place + 1) * width(type_)], 0, type_)


@model("mad_c310", "mad_mx")
def product(name, memory, types, arguments, _registers, _ctrl):
    address, a_at, b_at, m, k, n, _, in_fractals, source, zero = arguments
    to, left, right = types
    as_row = m == 1 and not in_fractals
    a = np.array([[value_of(memory["l0a"][a_at:], left_place(i, p, m, left, as_row), left) for p in range(k)]
                  for i in range(m)])
    b = np.array([[value_of(memory["l0b"][b_at:], right_place(p, j, n, right), right) for j in range(n)] for p in range(k)])
    if name == "mad_mx":
        groups = to_multiple(k, 64) // 32
        scale = lambda data, place: 2.0 ** (int(data[place]) - 127)  # noqa: E731
        a *= np.array([[scale(memory["scale_a"][a_at // 16:], left_scale(i, p // 32, groups, as_row)) for p in range(k)]
                       for i in range(m)])
        b *= np.array([[scale(memory["scale_b"][b_at // 16:], right_scale(p // 32, j, groups)) for j in range(n)]
                       for p in range(k)])
    sums = a @ b
    for i in range(m):
        for j in range(n):
            at = (address & 0xFFFFFFFF) + 4 * (j // 16 * to_multiple(m, 16) * 16 + i * 16 + j % 16)
            start = 0
            if not zero:
                start = number_at(memory["bias"], (address >> 32) + 4 * j, to) if source else number_at(memory["l0c"], at, to)
            memory["l0c"][at:at + 4] = models.bits_of(sums[i, j] + start, to)


def products(book):
    kinds = [("f16", "f16"), ("i8", "i8"), ("e4m3", "e4m3"), ("bf16", "bf16"), ("e4m3", "e5m2"), ("f32", "f32"),
             ("e5m2", "e4m3"), ("e5m2", "e5m2")]
    for i in range(80):
        one_product(book, book.random("mad_c310"), "mad_c310", *kinds[i % 8], i)
    for i in range(48):
        one_product(book, book.random("mad_mx"), "mad_mx", *(kinds[2], kinds[4], ("e2m1", "e2m1"))[i % 3], i)


def one_product(book, rng, name, left, right, i):
    """Products of small whole numbers, whose sums are the same in any order; scales are 1/2, 1 and 2."""
    m, k, n = 1 if i % 5 == 4 else int(rng.integers(1, 35)), int(rng.integers(1, 70)), int(rng.integers(1, 40))
    in_fractals, source, zero = (int(v) for v in rng.random(3) < 0.5)
    as_row = m == 1 and not in_fractals
    to = "i32" if left == "i8" else "f32"
    most = 2 if "e2m1" in (left, right) else 4
    a_at, b_at = (512 * int(v) for v in rng.integers(0, 2, 2))
    l0a = noise(rng, a_at + to_multiple(m, 16) * to_multiple(k, 64) * 4 + 512)
    l0b = noise(rng, b_at + to_multiple(n, 16) * to_multiple(k, 64) * 4)
    for p in range(k):
        for row in range(m):
            put(l0a[a_at:], left_place(row, p, m, left, as_row), left, bits_in(left, int(rng.integers(-most, most + 1)) + 0.0))
        for j in range(n):
            put(l0b[b_at:], right_place(p, j, n, right), right, bits_in(right, int(rng.integers(-most, most + 1)) + 0.0))
    c_at, bias_at = (64 * int(v) for v in rng.integers(0, 3, 2))
    kind = KIND[to]
    c = rng.integers(-99, 99, c_at // 4 + to_multiple(m, 16) * to_multiple(n, 16) + 8).astype(kind).view(np.uint8)
    bias = rng.integers(-99, 99, bias_at // 4 + n + 4).astype(kind).view(np.uint8)
    memories = {"l0a": l0a, "l0b": l0b, "l0c": c, "bias": bias}
    if name == "mad_mx":
        groups = to_multiple(k, 64) // 32
        memories["scale_a"] = rng.integers(126, 129, a_at // 16 + to_multiple(m, 16) * groups + 32).astype(np.uint8)
        memories["scale_b"] = rng.integers(126, 129, b_at // 16 + to_multiple(n, 16) * groups + 32).astype(np.uint8)
    address = c_at | (bias_at << 32 if source else 0)
    book.add(name, (to, left, right), [address, a_at, b_at, m, k, n, 0, in_fractals, source, zero], memories)


# ---- out of L0C -----------------------------------------------------------------------------------------------------
# Source and result types of a mode, and whether each column has a scale.
MODES = {0: ("same", "same", False), 1: ("f32", "f16", False), 16: ("f32", "bf16", False), 3: ("i32", "8", False),
         2: ("i32", "8", True), 5: ("i32", "f16", False), 24: ("f32", "8", False), 23: ("f32", "8", True),
         26: ("f32", "e4m3", False), 27: ("f32", "f32", False), 32: ("f32", "f16", False), 33: ("f32", "f16", True),
         34: ("f32", "bf16", False), 35: ("i32", "bf16", False), 36: ("f32", "bf16", True), 37: ("f32", "e4m3", True),
         38: ("f32", "f32", True), 39: ("i32", "bf16", True)}


@model("copy_matrix_cc_to_gm_c310", "copy_matrix_cc_to_cbuf_c310", "copy_matrix_cc_to_ub")
def drained(name, memory, types, arguments, registers, _ctrl):
    dst, src, sizes, words = arguments
    to, from_ = types
    columns, rows, stride = sizes >> 4 & 0xFFF, sizes >> 16 & 0xFFFF, sizes >> 32
    from_stride, mode = words & 0xFFFF, words >> 34 & 31 | (words >> 29 & 1) << 5
    relu, split, as_rows, as_columns = words >> 39 & 7, words >> 42 & 1, words >> 43 & 1, words >> 62 & 1
    third = registers["l3"]
    count, from_matrix, to_matrix = (third & 0xFFFF, third >> 16 & 0xFFFF, third >> 32) if as_rows or as_columns else (1, 0, 0)
    from_row = registers["ch"] >> 48 if as_columns else 1
    size = element_bits(to) // 8
    target = memory["gm" if "_gm" in name else "ub" if name.endswith("ub") else "l1"]
    table = memory["fixpipe"][(registers["fp"] >> 8 & 255) * 128:].copy().view(np.uint64)
    for matrix in range(count):
        for i in range(rows):
            for j in range(columns):
                at = src + 64 * (matrix * from_matrix + j // 16 * from_stride + i * from_row) + 4 * (j % 16)
                word = int(table[j]) if MODES[mode][2] else registers["qp"]
                value = number_at(memory["l0c"], at, from_)
                if mode >= 26:
                    value *= float(np.uint32(word & 0xFFFFFFFF).view(np.float32))
                else:
                    value = models.quantised(value, mode, word, to)
                value = max(value, 0) if relu else value
                if as_rows or as_columns:
                    place = matrix * to_matrix + (i * stride + j if as_rows else j * stride + i)
                else:
                    block = 8 if split else 32 if size == 1 else 16
                    line = 16 if size == 1 and j // 32 == columns // 32 else block
                    place = j // block * stride + i * line + j % block
                put(target[dst:], place, to, bits_in(to, value + 0.0 if to in SMALL else value))


def drains(book):
    for name, target in (("copy_matrix_cc_to_gm_c310", "gm"), ("copy_matrix_cc_to_cbuf_c310", "l1"),
                         ("copy_matrix_cc_to_ub", "ub")):
        for i in range(108 if target == "gm" else 72):
            drain(book, book.random(name), name, target, list(MODES)[i % len(MODES)], i)


def drain(book, rng, name, target, mode, i):
    from_, to, _ = MODES[mode]
    if mode == 0:
        from_ = to = ("f32", "i32")[i // 18 % 2]
    to = ("i8", "u8")[i // 18 % 2] if to == "8" else to
    size = element_bits(to) // 8
    split = int(mode == 0 and from_ == "f32" and rng.random() < 0.4)
    form = 0 if split else int(rng.integers(0, 3))  # blocks, rows, columns
    rows = int(rng.integers(1, 36))
    columns = int(rng.integers(1, 60)) if form else (8 if split else 16) * int(rng.integers(1, 4))
    from_stride = to_multiple(rows, 16) + int(rng.choice([0, 0, 16]))
    count = int(rng.integers(1, 4)) if form and rng.random() < 0.4 else 1
    from_matrix = -(-columns // 16) * from_stride + int(rng.integers(0, 3))
    if form:
        stride = (columns if form == 1 else rows) + int(rng.integers(0, 9))
        to_matrix = (rows if form == 1 else columns) * stride + int(rng.integers(0, 9))
        extent = (count * to_matrix + stride) * size
    else:
        stride = to_multiple(rows * (8 if split else 32 if size == 1 else 16), 32 // size) + 32 // size * int(rng.integers(0, 3))
        to_matrix, extent = 0, (columns // 8 + 2) * stride * size
    dst, src = int(rng.integers(0, 9)) * (size if form and target == "gm" else 32), 64 * int(rng.integers(0, 3))
    tiny = to == "e4m3"  # numbers that it holds
    values = rng.integers(*((-15, 16) if tiny else (-3000, 3000)), src // 4 + count * from_matrix * 16 + 64)
    l0c = values.astype(np.int32) if from_ == "i32" else (values / (1 if tiny else 8)).astype(np.float32)
    sizes = columns << 4 | rows << 16 | stride << 32 | (int(rng.integers(0, 2)) if target == "ub" else 0)
    words = (from_stride | (mode >> 5) << 29 | (mode & 31) << 34 | int(rng.random() < 0.3) << 39 | split << 42 |
             (form == 1) << 43 | (form == 2) << 62)
    table = 128 * int(rng.integers(0, 3))
    scale = lambda: float(rng.choice([1.0, 0.5, 0.25] if tiny else [0.5, 0.25, 0.125, 1.5, 0.03125]))  # noqa: E731
    parameter = lambda: models.parameter(scale(), int(rng.integers(-60, 60)), 0)  # noqa: E731
    parameters = np.array([parameter() for _ in range(columns)], dtype=np.uint64)
    registers = {"qp": parameter(), "fp": table // 128 << 8, "l3": count | from_matrix << 16 | to_matrix << 32, "at": 0,
                 "ch": 1 << 48}
    book.add(name, (to, from_), [dst, src, sizes, words],
             {"l0c": l0c.view(np.uint8), "fixpipe": np.concatenate([noise(rng, table), parameters.view(np.uint8)]),
              target: noise(rng, dst + extent + 64)}, registers)


CASES = (bursts, grids, matrices, loads, tables, products, drains)
