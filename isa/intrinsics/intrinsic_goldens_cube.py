#!/usr/bin/python3
"""Writes golden cases of intrinsics of L1 and the cube core: the expected content of memories, by numpy.

    /usr/bin/python3 isa/intrinsics/intrinsic_goldens_cube.py FILE

A second implementation, made from the public documents: cann/asc-devkit docs/zh/api/SIMD-API (C-API/cube_datamove,
cube_compute; LoadData_3D, Fixpipe, DataCopy) and the argument orders of hw-native-sys/pto-isa include/pto/common
and npu/a2a3. Needs numpy, nothing of ptosim. Random numbers depend on the names of intrinsics alone.

FILE is a sequence of

    case NAME TYPES CTRL NARGS a1 ... aN [CODE=VALUE ...] memories=NAME:BYTES,...\\n
    <for each memory: bytes before, bytes after>

with decimal numbers. TYPES are those of the address operands; CODE names a register of
include/ptosim/core_registers.def that the call has. Addresses are byte offsets in their memory (gm, ub, l1, l0a, l0b,
l0c, bias, fixpipe, scale_a, scale_b).
"""
import sys
import zlib

import numpy as np

import intrinsic_goldens_c310
import intrinsic_goldens_cube_models as models

WIDTH = {"u8": 1, "i8": 1, "u16": 2, "f16": 2, "bf16": 2, "i16": 2, "u32": 4, "f32": 4, "i32": 4}


class Book:
    def __init__(self):
        self.cases = []
        self.counts = {}

    def random(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1
        return np.random.default_rng([zlib.crc32(name.encode()), self.counts[name]])

    def add(self, name, types, arguments, memories, registers=None, ctrl=0):
        """Runs the model of `name` on copies of the memories."""
        registers = registers or {}
        before = {memory: np.array(data) for memory, data in memories.items()}
        after = {memory: np.array(data) for memory, data in memories.items()}
        models.MODELS[name](after, types, [int(a) for a in arguments], registers, ctrl)
        self.cases.append((name, types, ctrl, [int(a) for a in arguments], registers, before, after))

    def write(self, path):
        with open(path, "wb") as file:
            for name, types, ctrl, arguments, registers, before, after in self.cases:
                words = ["case", name, ",".join(types), ctrl, len(arguments), *arguments]
                words += [f"{code}={value}" for code, value in registers.items()]
                words.append("memories=" + ",".join(f"{memory}:{data.size}" for memory, data in before.items()))
                file.write((" ".join(map(str, words)) + "\n").encode())
                for memory, data in before.items():
                    file.write(data.tobytes())
                    file.write(after[memory].tobytes())


def noise(rng, size):
    return rng.integers(0, 256, int(size), dtype=np.uint8)


def matrices(book):
    for name, size in (("b8", 1), ("b16", 2), ("b32s", 4)):
        name = "copy_gm_to_cbuf_multi_nd2nz_" + name
        for _ in range(36):
            rng = book.random(name)
            c0 = 32 // size
            count, rows = int(rng.integers(1, 4)), int(rng.integers(1, 12))
            columns = int(rng.integers(1, 3 * c0 + 2))
            row = columns + int(rng.integers(0, 9))
            matrix = rows * row + int(rng.integers(0, 30))
            n_stride = int(rng.choice([1, 1, 2, 3]))
            c0_stride = rows * n_stride + int(rng.integers(0, 5))
            lines = -(-columns // c0)
            to_matrix = (lines * c0_stride + int(rng.integers(0, 3))) * c0
            if rng.random() < 0.3:
                n_stride, to_matrix, c0_stride = 1, rows * c0, rows * count + int(rng.integers(0, 3))
            dst, src = 32 * int(rng.integers(0, 4)), int(rng.integers(0, 40))
            l1 = dst + ((count - 1) * to_matrix // c0 + (lines - 1) * c0_stride + (rows - 1) * n_stride + 1) * 32 + 64
            gm = src + (count * matrix + row) * size + 64
            book.add(name, ("u8", "u8"), [dst, src, 0, count, rows, columns, matrix, row, c0_stride, n_stride, to_matrix],
                     {"gm": noise(rng, gm), "l1": noise(rng, l1)})


def fills(book):
    for name, memory, block in (("create_cbuf_matrix", "l1", 32), ("create_cbuf_matrix_bf16", "l1", 32),
                                ("create_ca_matrix", "l0a", 512), ("create_cb_matrix", "l0b", 512),
                                ("create_ca_matrix_bf16", "l0a", 512), ("create_cb_matrix_bf16", "l0b", 512)):
        for i in range(12):
            rng = book.random(name)
            type_ = "bf16" if name.endswith("bf16") else ("f16", "u32", "f32", "i16")[i % 4]
            count, length, gap = int(rng.integers(0 if i == 0 else 1, 5)), int(rng.integers(1, 4)), int(rng.integers(0, 3))
            dst = block * int(rng.integers(0, 3))
            size = dst + count * (length + gap) * block + 64
            value = int(rng.integers(0, 1 << 8 * WIDTH[type_]))
            book.add(name, (type_,), [dst, count | length << 16 | gap << 32, value], {memory: noise(rng, size)})


def fractals(book):
    for name, memory in (("load_cbuf_to_ca", "l0a"), ("load_cbuf_to_cb", "l0b"), ("load_cbuf_to_ca_s4", "l0a"),
                         ("load_cbuf_to_cb_s4", "l0b")):
        for i in range(30 if not name.endswith("s4") else 8):
            rng = book.random(name)
            nibbles = name.endswith("s4")
            type_ = "u8" if nibbles else ("f16", "bf16", "i8", "f32", "u32", "u8")[i % 6]
            transposed = WIDTH[type_] == 2 and rng.random() < 0.6
            book.add(name, (type_, type_), *places(rng, memory, "l1", 512, 512, transposed=transposed))
    for name, memory in (("load_gm_to_ca", "l0a"), ("load_gm_to_cb", "l0b"), ("load_gm_to_cbuf", "l1")):
        for _ in range(16):
            rng = book.random(name)
            book.add(name, ("f16", "f16"), *places(rng, memory, "gm", 512, 512, transposed=None))


def places(rng, to, from_, unit, end, transposed, squares=None):
    count, stride, gap = int(rng.integers(0, 6)), int(rng.integers(0, 4)), int(rng.integers(0, 4))
    down = int(rng.random() < 0.3)
    first = int(rng.integers(0, 3)) + (max(count - 1, 0) * stride if down else 0)
    dst, src = 512 * int(rng.integers(0, 3)), 32 * int(rng.integers(0, 5))
    arguments = [dst, src, first, count, stride, gap]
    reach = dst + count * (1 + gap) * 512 + end + 64
    if squares is not None:
        arguments += [down, squares]
        reach += (1 + squares) * 512
    elif transposed is None:
        arguments += [0, down]
    else:
        arguments += [0, int(transposed), down]
    source = src + (first + 1 + (0 if down else count * stride)) * unit + 64
    return arguments, {from_: noise(rng, source), to: noise(rng, reach)}


def squares(book):
    for name, memory in (("load_cbuf_to_ca_transpose", "l0a"), ("load_cbuf_to_cb_transpose", "l0b")):
        for i in range(36):
            rng = book.random(name)
            type_ = ("i8", "f16", "f32", "u8", "bf16", "i32")[i % 6]
            unit = 512 if WIDTH[type_] == 2 else 1024
            gap = int(rng.integers(0, 4))
            arguments, memories = places(rng, memory, "l1", unit, 512, None, gap)
            # The fractals of the target do not overlap.
            count, step, within = arguments[3], 1 + arguments[5], 1 + gap
            if unit == 1024:
                taken = [j * step + part * within for j in range(count) for part in (0, 1)]
                if len(set(taken)) != len(taken):
                    arguments[5], arguments[7] = 1, 0
                    memories[memory] = noise(rng, arguments[0] + (2 * count + 2) * 512)
            book.add(name, (type_, type_), arguments, memories)


def nibble_squares(book):
    name = "load_cbuf_to_cb_transpose_s4"
    for _ in range(24):
        rng = book.random(name)
        gap = int(rng.integers(0, 4))
        arguments, memories = places(rng, "l0b", "l1", 2048, 2048, None, gap)
        count, step, within = arguments[3], 1 + arguments[5], 1 + gap
        taken = [j * step + part * within for j in range(count) for part in range(4)]
        if len(set(taken)) != len(taken):
            arguments[5], arguments[7] = 3, 0
        memories["l0b"] = noise(rng, arguments[0] + (count * (1 + arguments[5]) + 4 * within) * 512)
        book.add(name, ("u8", "u8"), arguments, memories)


def images(book):
    for name, memory in (("img2colv2_cbuf_to_ca", "l0a"), ("img2colv2_cbuf_to_cb", "l0b"),
                         ("img2colv2_cbuf_to_ca_c310", "l0a")):
        for i in range(60):
            rng = book.random(name)
            type_ = ("f16", "i8", "f32", "bf16", "u8", "i32")[i % 6]
            image(book, rng, name, memory, type_, i)


def image(book, rng, name, memory, type_, i):
    size = WIDTH[type_]
    c0 = 32 // size
    pick = lambda low, high: int(rng.integers(low, high + 1))  # noqa: E731
    height, width = pick(1, 7), pick(1, 9)
    pads = [pick(0, 2) for _ in range(4)]  # left, right, top, bottom
    filter_h, filter_w = pick(1, min(3, height + pads[2] + pads[3])), pick(1, min(3, width + pads[0] + pads[1]))
    dilation_h = pick(1, 2) if filter_h * 2 <= height + pads[2] + pads[3] else 1
    dilation_w = pick(1, 2) if filter_w * 2 <= width + pads[0] + pads[1] else 1
    stride_h, stride_w = pick(1, 3), pick(1, 3)
    channels = c0 * pick(1, 2) + (4 if size > 1 and i % 5 == 4 else 0)
    out_h = (height + pads[2] + pads[3] - dilation_h * (filter_h - 1) - 1) // stride_h + 1
    out_w = (width + pads[0] + pads[1] - dilation_w * (filter_w - 1) - 1) // stride_w + 1
    depth = channels * filter_h * filter_w
    transposed = int(size > 1 and rng.random() < 0.35)
    # A part of the matrix that has all its windows.
    windows = out_h * out_w
    row = 16 * pick(0, 1) if windows > 16 else 0
    column = c0 * pick(0, max(depth // c0 - 1, 0))
    rows, columns = pick(1, min(20, windows - row)), min(pick(1, 2 * c0), depth - column)
    times, mode, step = 1, 0, 0
    if rng.random() < 0.4:
        times, mode, step = pick(1, 3), pick(0, 1), pick(0, 2)
        end = row + 16 + (0 if mode else (times - 1) * step * 16), column + c0 + ((times - 1) * step * c0 if mode else 0)
        if end[0] <= windows and end[1] <= depth:
            rows, columns = 16, c0
        else:
            times, mode, step = 1, 0, 0
    repetition = step | times << 16 | mode << 24
    all_rows, all_columns = rows * (1 if mode else times), columns * (times if mode else 1)
    if name.endswith("c310") and rng.random() < 0.5:  # the distance between columns of fractals
        repetition |= (-(-(all_columns if transposed else all_rows) // 16) + pick(0, 1)) << 32
    dst, src = 512 * pick(0, 2), 32 * pick(0, 3)
    # A number of the size of an element; numbers of 8 bits occur twice.
    padding = int(rng.integers(0, 1 << 8 * size)) * (257 if size == 1 else 1)
    config0 = columns | rows << 16 | column << 32 | row << 48
    of_b = int(rng.random() < 0.5)
    config1 = (stride_w | stride_h << 6 | filter_w << 12 | filter_h << 20 | dilation_w << 28 | dilation_h << 36 |
               transposed << 46 | of_b << 47 | channels << 48)
    feature = width | height << 16 | sum(pad << 32 + 8 * j for j, pad in enumerate(pads))
    other = int(rng.integers(0, 1 << 32))
    registers = {"fm": other if of_b else feature, "fb": feature if of_b else other,
                 "rp": repetition if rng.random() < 0.8 or times != 1 or step or mode or repetition >> 32 else 0, "pd": padding}
    extent = (-(-rows * times // 16) + 2) * 16 * (-(-columns * times // 16) + 4) * 32 * size
    book.add(name, (type_, type_), [dst, src, config0, config1],
             {"l1": noise(rng, src + height * width * channels * size + 64), memory: noise(rng, dst + extent)}, registers)


def tables(book):
    for i in range(24):
        rng = book.random("copy_cbuf_to_bt")
        widens = i % 2
        count, length, gap, to_gap = (int(v) for v in rng.integers(1, 4, 4))
        dst, src = 64 * int(rng.integers(0, 3)), 32 * int(rng.integers(0, 3))
        l1 = noise(rng, src + count * (64 * length + 32 * gap) + 64)
        if widens:  # of numbers
            l1 = rng.integers(-2048, 2048, l1.size // 2).astype(np.float16).view(np.uint8)
        bias = noise(rng, dst + count * 64 * (length * (1 + widens) + to_gap) + 64)
        book.add("copy_cbuf_to_bt", ("f32", "f16"), [dst, src, widens, count, length, gap, to_gap], {"l1": l1, "bias": bias})
        rng = book.random("copy_cbuf_to_fbuf")
        count, length = int(rng.integers(0, 4)), int(rng.integers(1, 4))
        step, to_step = 4 * length + int(rng.integers(0, 3)), length + int(rng.integers(0, 2))
        dst, src = 128 * int(rng.integers(0, 3)), 32 * int(rng.integers(0, 3))
        book.add("copy_cbuf_to_fbuf", ("u8", "u8"), [dst, src, count, length, step, to_step],
                 {"l1": noise(rng, src + count * step * 32 + 512), "fixpipe": noise(rng, dst + count * to_step * 128 + 512)})


def products(book):
    for i in range(96):
        rng = book.random("mad")
        product(book, rng, "mad", ("f16", "bf16", "f32", "i8")[i % 4], i)
    for i in range(16):
        product(book, book.random("mad_s4"), "mad_s4", "i4", i)


def product(book, rng, name, type_, i):
    """Products of small whole numbers, whose sums are the same in any order."""
    m, k, n = 1 if i % 6 == 5 else int(rng.integers(1, 35)), int(rng.integers(1, 70)), int(rng.integers(1, 40))
    aligned = int(rng.random() < 0.5)
    source, zero = int(rng.random() < 0.5), int(rng.random() < 0.4)
    to = "i32" if type_ in ("i8", "i4") else "f32"
    low, high = (-8, 8) if type_ == "i4" else (-9, 10)
    ctrl = 0
    a, b = rng.integers(low, high, (m, k)).astype(float), rng.integers(low, high, (k, n)).astype(float)
    if type_ == "f32" and i % 8 == 2:  # 2^11 and more do not fit into hf32
        ctrl = 1 << 46
        a = a * 1024 + rng.integers(0, 7, (m, k))
    l0a, l0b = models.left(a, type_, aligned, rng), models.right(b, type_, rng)
    at = {"a": 512 * int(rng.integers(0, 2)), "b": 512 * int(rng.integers(0, 2)), "c": 64 * int(rng.integers(0, 3)),
          "bias": 64 * int(rng.integers(0, 3))}
    kind = np.int32 if to == "i32" else np.float32
    c = rng.integers(-99, 99, at["c"] // 4 + -(-m // 16) * 16 * -(-n // 16) * 16 + 8).astype(kind).view(np.uint8)
    bias = rng.integers(-99, 99, at["bias"] // 4 + n + 4).astype(kind).view(np.uint8)
    memories = {"l0a": np.concatenate([noise(rng, at["a"]), l0a]), "l0b": np.concatenate([noise(rng, at["b"]), l0b]),
                "l0c": c, "bias": bias}
    address = at["c"] | (at["bias"] << 32 if source else 0)
    types = ("i32", "u8", "u8") if type_ == "i4" else (to, type_, type_)
    book.add(name, types, [address, at["a"], at["b"], m, k, n, 0, aligned, source, zero], memories, ctrl=ctrl)


MODES = {0: ("same", "same"), 1: ("f32", "f16"), 16: ("f32", "bf16"), 2: ("i32", "8"), 3: ("i32", "8"), 4: ("i32", "f16"),
         5: ("i32", "f16"), 12: ("i32", "i16"), 13: ("i32", "i16"), 23: ("f32", "8"), 24: ("f32", "8")}


def drains(book):
    for name, memory in (("copy_matrix_cc_to_gm", "gm"), ("copy_matrix_cc_to_cbuf", "l1")):
        for i in range(132 if memory == "gm" else 88):
            rng = book.random(name)
            drain(book, rng, name, memory, list(MODES)[i % len(MODES)], i)


def drain(book, rng, name, memory, mode, i):
    from_, to = MODES[mode]
    if mode == 0:
        from_ = to = ("f32", "i32")[i // 11 % 2]
    if to == "8":
        to = ("i8", "u8")[i // 11 % 2]
    split = int(mode == 0 and from_ == "f32" and rng.random() < 0.4)
    as_rows = int(not split and rng.random() < 0.5)
    rows = int(rng.integers(1, 36))
    columns = int(rng.integers(1, 60)) if as_rows else (8 if split else 16) * int(rng.integers(1, 4))
    from_stride = -(-rows // 16) * 16 + int(rng.choice([0, 0, 16]))
    count = int(rng.integers(1, 4)) if as_rows and rng.random() < 0.4 else 1
    size = WIDTH[to]
    blocks = -(-columns // 16)
    from_matrix = (blocks * from_stride + 15) // 16 + int(rng.integers(0, 2))
    if as_rows:
        stride = columns + int(rng.integers(0, 9))
        to_matrix = rows * stride + int(rng.integers(0, 9))
        extent = (count * to_matrix + stride) * size
    else:
        stride = max(1, (8 if split else 16) * WIDTH[to] * rows // 32 * (2 if size == 1 else 1)) + int(rng.integers(0, 4))
        to_matrix, extent = 0, (columns // 8 + 2) * stride * 32
    dst, src = int(rng.integers(0, 9)) * (size if as_rows and memory == "gm" else 32), 64 * int(rng.integers(0, 3))
    values = rng.integers(-3000, 3000, src // 4 + count * from_matrix * 256 + 64)
    l0c = values.astype(np.int32) if from_ == "i32" else (values / 8).astype(np.float32)
    relu = int(rng.random() < 0.3)
    sizes = columns << 4 | rows << 16 | stride << 32
    modes = from_stride | mode << 34 | relu << 39 | split << 42 | as_rows << 43
    table = 128 * int(rng.integers(0, 3))
    signed = rng.integers(-60, 60, columns)
    scale = lambda: float(rng.choice([0.5, 0.25, 0.125, 1.5, 0.03125, 0.1]))  # noqa: E731
    parameter = lambda offset: models.parameter(scale(), int(offset), int(rng.integers(0, 16)))  # noqa: E731
    scales = np.array([parameter(offset) for offset in signed], dtype=np.uint64)
    registers = {"qp": parameter(int(signed[0])), "fp": table // 128 << 8,
                 "nd": count | from_matrix << 16 | to_matrix << 32}
    memories = {"l0c": l0c.view(np.uint8), "fixpipe": np.concatenate([noise(rng, table), scales.view(np.uint8)]),
                memory: noise(rng, dst + extent + 64)}
    if memory == "gm":
        registers["at"] = 0
        if to in ("f32", "f16", "i32", "bf16") and rng.random() < 0.25:
            registers["at"] = 1 | (1 + models.NUMBER[to]) << 8
            memories["gm"] = models.bits_of(rng.integers(-99, 99, memories["gm"].size // size + 1), to)
            dst -= dst % size
    book.add(name, (to, from_), [dst, src, sizes, modes], memories, registers)


def write(path):
    book = Book()
    for cases in (matrices, fills, fractals, squares, nibble_squares, images, tables, products, drains, *intrinsic_goldens_c310.CASES):
        cases(book)
    book.write(path)
    return book


if __name__ == "__main__":
    write(sys.argv[1])
