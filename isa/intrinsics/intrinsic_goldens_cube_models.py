"""Models for intrinsic_goldens_cube.py: intrinsics of L1 and the cube core, element by element, with numpy.

A model takes the memories (bytes, changed in place), the types of the addresses, the arguments, registers by their code
and CTRL.
"""
import numpy as np

NUMBER = {"f32": 0, "f16": 1, "bf16": 2, "i32": 16}  # enum ptosim_dtype
KIND = {"u8": np.uint8, "i8": np.int8, "u16": np.uint16, "f16": np.float16, "bf16": np.uint16, "i16": np.int16,
        "u32": np.uint32, "f32": np.float32, "i32": np.int32}
MODELS = {}


def model(*names):
    def register(function):
        for name in names:
            MODELS[name] = lambda *rest, name=name: function(name, *rest)
        return function
    return register


def width(type_):
    return np.dtype(KIND[type_]).itemsize


def to_multiple(value, multiple):
    return -(-value // multiple) * multiple


def bf16_bits(values):
    """Rounds finite f32 numbers to the nearest, ties to even."""
    words = np.asarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype(np.uint16)


def bits_of(values, type_):
    """The bytes of numbers."""
    values = np.atleast_1d(values)
    if type_ == "bf16":
        return bf16_bits(values).view(np.uint8)
    return values.astype(KIND[type_]).view(np.uint8)


def number_at(data, at, type_):
    if type_ == "bf16":
        return float((np.uint32(data[at:at + 2].view(np.uint16)[0]) << np.uint32(16)).view(np.float32))
    return data[at:at + width(type_)].copy().view(KIND[type_])[0].item()


# ---- L1 -----------------------------------------------------------------------------------------------------------
@model("copy_gm_to_cbuf_multi_nd2nz_b8", "copy_gm_to_cbuf_multi_nd2nz_b16", "copy_gm_to_cbuf_multi_nd2nz_b32s")
def nd2nz(name, memory, _types, arguments, _registers, _ctrl):
    dst, src, _, count, rows, columns, matrix, row, c0_stride, n_stride, to_matrix = arguments
    size = {"8": 1, "6": 2, "s": 4}[name[-1]]
    c0 = 32 // size
    for i in range(count):
        for r in range(rows):
            for c in range(to_multiple(columns, c0)):
                to = dst + size * (i * to_matrix + c // c0 * c0_stride * c0 + r * n_stride * c0 + c % c0)
                at = src + size * (i * matrix + r * row + c)
                memory["l1"][to:to + size] = memory["gm"][at:at + size] if c < columns else 0


@model("create_cbuf_matrix", "create_cbuf_matrix_bf16", "create_ca_matrix", "create_ca_matrix_bf16", "create_cb_matrix",
       "create_cb_matrix_bf16")
def create(name, memory, types, arguments, _registers, _ctrl):
    dst, configuration, value = arguments
    block = 32 if "cbuf" in name else 512
    data = memory["l1" if "cbuf" in name else "l0" + name[8]]
    repeat, length, gap = (configuration >> shift & 0x7FFF for shift in (0, 16, 32))
    size = width(types[0])
    pattern = np.frombuffer(value.to_bytes(8, "little")[:size], dtype=np.uint8)
    for i in range(repeat):
        begin = dst + i * (length + gap) * block
        data[begin:begin + length * block] = np.tile(pattern, length * block // size)


def move_fractals(data, source, dst, src, first, count, stride, gap, down, turn=None):
    for i in range(count):
        at = src + (first - i * stride if down else first + i * stride) * 512
        to = dst + i * (1 + gap) * 512
        fractal = source[at:at + 512].copy()
        data[to:to + 512] = turn(fractal) if turn else fractal


@model("load_cbuf_to_ca", "load_cbuf_to_cb", "load_cbuf_to_ca_s4", "load_cbuf_to_cb_s4")
def load_2d(name, memory, _types, arguments, _registers, _ctrl):
    dst, src, first, count, stride, gap, _, transposed, down = arguments
    turn = (lambda f: f.view(np.uint16).reshape(16, 16).T.copy().reshape(-1).view(np.uint8)) if transposed else None
    move_fractals(memory["l0" + name[len("load_cbuf_to_c")]], memory["l1"], dst, src, first, count, stride, gap, down, turn)


@model("load_gm_to_ca", "load_gm_to_cb", "load_gm_to_cbuf")
def load_gm(name, memory, _types, arguments, _registers, _ctrl):
    dst, src, first, count, stride, gap, _, down = arguments
    target = {"ca": "l0a", "cb": "l0b", "cbuf": "l1"}[name[len("load_gm_to_"):]]
    move_fractals(memory[target], memory["gm"], dst, src, first, count, stride, gap, down)


@model("load_cbuf_to_ca_transpose", "load_cbuf_to_cb_transpose")
def load_transposed(name, memory, types, arguments, _registers, _ctrl):
    dst, src, first, count, stride, gap, down, within = arguments
    size = width(types[0])
    word = {1: np.uint8, 2: np.uint16, 4: np.uint32}[size]
    target = memory["l0" + name[len("load_cbuf_to_c")]]
    unit = 512 if size == 2 else 1024
    for i in range(count):
        at = src + (first - i * stride if down else first + i * stride) * unit
        fractals = memory["l1"][at:at + unit].copy().view(word).reshape(-1, 16, 32 // size)
        if size == 1:  # one below the other
            square = fractals.reshape(32, 32).T
            parts = [square[:16], square[16:]]
        elif size == 4:  # side by side
            square = np.concatenate([fractals[0], fractals[1]], axis=1).T
            parts = [square[:, :8], square[:, 8:]]
        else:
            parts = [fractals[0].T]
        for j, part in enumerate(parts):
            to = dst + (i * (1 + gap) + j * (1 + within)) * 512
            target[to:to + 512] = np.ascontiguousarray(part).reshape(-1).view(np.uint8)


@model("load_cbuf_to_cb_transpose_s4")
def load_transposed_nibbles(_name, memory, _types, arguments, _registers, _ctrl):
    dst, src, first, count, stride, gap, down, within = arguments
    for i in range(count):
        at = src + (first - i * stride if down else first + i * stride) * 2048
        packed = memory["l1"][at:at + 2048].reshape(64, 32)
        square = np.empty((64, 64), np.uint8)
        square[:, 0::2], square[:, 1::2] = packed & 15, packed >> 4
        turned = square.T
        packed = (turned[:, 0::2] | turned[:, 1::2] << 4).reshape(4, 512)
        for j in range(4):
            to = dst + (i * (1 + gap) + j * (1 + within)) * 512
            memory["l0b"][to:to + 512] = packed[j]


@model("img2colv2_cbuf_to_ca", "img2colv2_cbuf_to_cb", "img2colv2_cbuf_to_ca_c310")
def img2col(name, memory, types, arguments, registers, _ctrl):
    dst, src, config0, config1 = arguments
    columns, rows, column, row = (config0 >> shift & 0xFFFF for shift in (0, 16, 32, 48))
    stride_w, stride_h = config1 & 63, config1 >> 6 & 63
    filter_w, filter_h, dilation_w, dilation_h = (config1 >> shift & 255 for shift in (12, 20, 28, 36))
    transposed, of_b, channels = config1 >> 46 & 1, config1 >> 47 & 1, config1 >> 48
    if name[-1] == "b":  # LoadData_3D.md: on the way to L0B the flag has no effect
        transposed = 0
    feature = registers["fb" if of_b else "fm"]
    w, h = feature & 0xFFFF, feature >> 16 & 0xFFFF
    left, right, top, bottom = (feature >> shift & 255 for shift in (32, 40, 48, 56))
    size = width(types[0])
    c0 = 32 // size
    word = {1: np.uint8, 2: np.uint16, 4: np.uint32}[size]
    padding = registers["pd"] & ((1 << 8 * size) - 1)
    # Each block of channels with its padding around it.
    data, blocks = memory["l1"][src:src + h * w * channels * size].view(word), []
    for first in range(0, channels, c0):
        count = min(c0, channels - first)
        block = data[first * h * w:(first + count) * h * w].reshape(h, w, count)
        blocks.append(np.pad(block, ((top, bottom), (left, right), (0, 0)), constant_values=padding))
    out_w = (w + left + right - dilation_w * (filter_w - 1) - 1) // stride_w + 1
    out_h = (h + top + bottom - dilation_h * (filter_h - 1) - 1) // stride_h + 1
    pieces = []
    for block in blocks:
        for y in range(filter_h):
            for x in range(filter_w):
                seen = block[y * dilation_h::stride_h, x * dilation_w::stride_w][:out_h, :out_w]
                pieces.append(seen.reshape(out_h * out_w, -1))
    whole = np.concatenate(pieces, axis=1)
    repetition = registers["rp"]
    step, times, mode = repetition & 0xFFFF, (repetition >> 16 & 255 if repetition else 1), repetition >> 24 & 1
    parts = [whole[row + (0 if mode else i * step * 16):, column + (i * step * c0 if mode else 0):][:rows, :columns]
             for i in range(times)]
    part = np.concatenate(parts, axis=1 if mode else 0)
    part = part.T if transposed else part
    if name.endswith("c310"):
        pitch = (repetition >> 32 & 0xFFFF) * 16 or to_multiple(part.shape[0], 16)
        for i in range(part.shape[0]):
            for j in range(part.shape[1]):
                to = dst + size * (j // c0 * pitch * c0 + i * c0 + j % c0)
                memory["l0a"][to:to + size] = np.array([part[i, j]], dtype=word).view(np.uint8)
        return
    target = memory["l0" + name[-1]]
    lines, across = (c0, 16) if name[-1] == "b" else (16, c0)
    across_all = to_multiple(part.shape[1], 16 if size == 4 and transposed else across) // across
    for i in range(part.shape[0]):
        for j in range(part.shape[1]):
            inner = (j % 16) * c0 + i % c0 if name[-1] == "b" else (i % 16) * c0 + j % c0
            to = dst + size * ((i // lines * across_all + j // across) * 16 * c0 + inner)
            target[to:to + size] = np.array([part[i, j]], dtype=word).view(np.uint8)


@model("copy_cbuf_to_bt")
def to_bias(_name, memory, _types, arguments, _registers, _ctrl):
    dst, src, widens, count, length, gap, to_gap = arguments
    for i in range(count):
        at = src + i * (64 * length + 32 * gap)
        burst = memory["l1"][at:at + 64 * length]
        if widens:
            burst = burst.view(np.float16).astype(np.float32).view(np.uint8)
        to = dst + i * (burst.size + 64 * to_gap)
        memory["bias"][to:to + burst.size] = burst


@model("copy_cbuf_to_fbuf")
def to_fixpipe(_name, memory, _types, arguments, _registers, _ctrl):
    dst, src, count, length, step, to_step = arguments
    for i in range(count):
        memory["fixpipe"][dst + i * to_step * 128:][:length * 128] = memory["l1"][src + i * step * 32:][:length * 128]


# ---- products -------------------------------------------------------------------------------------------------------
def line_of(type_):
    return 64 if type_ == "i4" else 32 // width(type_)


def left_place(i, k, m, depth, type_, aligned):
    c0 = line_of(type_)
    if m == 1:
        return k
    across = to_multiple(depth, 16 if type_ == "f32" and aligned else c0) // c0
    return (i // 16 * across + k // c0) * 16 * c0 + i % 16 * c0 + k % c0


def right_place(k, j, n, type_):
    c0 = line_of(type_)
    return (k // c0 * (to_multiple(n, 16) // 16) + j // 16) * 16 * c0 + j % 16 * c0 + k % c0


def packed(values, places, type_, rng):
    """Elements at their places, noise between them."""
    if type_ == "i4":
        data = rng.integers(0, 256, max(places) // 2 + 1, dtype=np.uint8)
        for value, place in zip(values, places):
            nibble = int(value) & 15
            data[place // 2] = (data[place // 2] & 0x0F | nibble << 4) if place % 2 else (data[place // 2] & 0xF0 | nibble)
        return data
    size = width(type_)
    data = rng.integers(0, 256, (max(places) + 1) * size, dtype=np.uint8)
    for value, place in zip(values, places):
        data[place * size:(place + 1) * size] = bits_of(value, type_)
    return data


def left(a, type_, aligned, rng):
    m, depth = a.shape
    at = [(i, k) for i in range(m) for k in range(depth)]
    return packed([a[p] for p in at], [left_place(i, k, m, depth, type_, aligned) for i, k in at], type_, rng)


def right(b, type_, rng):
    depth, n = b.shape
    at = [(k, j) for k in range(depth) for j in range(n)]
    return packed([b[p] for p in at], [right_place(k, j, n, type_) for k, j in at], type_, rng)


def factor_at(data, base, place, type_):
    if type_ == "i4":
        nibble = int(data[base + place // 2]) >> 4 * (place % 2) & 15
        return nibble - 16 if nibble > 7 else nibble
    return number_at(data, base + place * width(type_), type_)


def to_hf32(values):
    """Twelve significant bits, the nearest, ties to even."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.rint(mantissa * 4096), exponent - 12)


@model("mad", "mad_s4")
def mad(name, memory, types, arguments, _registers, ctrl):
    address, a_at, b_at, m, k, n, _, aligned, source, zero = arguments
    type_, to = ("i4", "i32") if name == "mad_s4" else (types[1], types[0])
    a = np.array([[factor_at(memory["l0a"], a_at, left_place(i, p, m, k, type_, aligned), type_) for p in range(k)]
                  for i in range(m)], dtype=np.float64)
    b = np.array([[factor_at(memory["l0b"], b_at, right_place(p, j, n, type_), type_) for j in range(n)]
                  for p in range(k)], dtype=np.float64)
    if type_ == "f32" and ctrl >> 46 & 1:
        a, b = to_hf32(a), to_hf32(b)
    sums = a @ b  # whole numbers below 2^53
    for i in range(m):
        for j in range(n):
            at = (address & 0xFFFFFFFF) + 4 * (j // 16 * to_multiple(m, 16) * 16 + i * 16 + j % 16)
            start = 0
            if not zero:
                start = number_at(memory["bias"], (address >> 32) + 4 * j, to) if source else number_at(memory["l0c"], at, to)
            memory["l0c"][at:at + 4] = bits_of(sums[i, j] + start, to)


# ---- out of L0C -------------------------------------------------------------------------------------------------------
def parameter(scale, offset, shift):
    return int(np.float32(scale).view(np.uint32)) | shift << 32 | (offset & 511) << 37


def quantised(value, mode, word, to):
    """`word`: the scale in bits 31 to 13, a shift less 1 in 35 to 32, an offset in 45 to 37."""
    if mode == 0:
        return value
    if mode in (1, 16):
        return value
    if mode in (12, 13):
        return int(np.clip(int(value) >> (word >> 32 & 15) + 1, -32768, 32767))
    scaled = value * float(np.uint32(word & 0xFFFFE000).view(np.float32))
    if mode in (4, 5):
        return scaled
    offset = word >> 37 & 511
    whole = np.clip(np.rint(scaled), -256, 255) + (offset - 512 if offset > 255 else offset)
    return int(np.clip(whole, *((0, 255) if to == "u8" else (-128, 127))))


@model("copy_matrix_cc_to_gm", "copy_matrix_cc_to_cbuf")
def drain(name, memory, types, arguments, registers, _ctrl):
    dst, src, sizes, modes = arguments
    to, from_ = types
    columns, rows, stride = sizes >> 4 & 0xFFF, sizes >> 16 & 0xFFFF, sizes >> 32
    from_stride, mode, relu, split, as_rows = (modes & 0xFFFF, modes >> 34 & 31, modes >> 39 & 7, modes >> 42 & 1,
                                               modes >> 43 & 1)
    nd = registers["nd"]
    count, from_matrix, to_matrix = (nd & 0xFFFF, nd >> 16 & 0xFFFF, nd >> 32 & 0xFFFF) if as_rows else (1, 0, 0)
    size = width(to)
    target = memory["gm" if name.endswith("gm") else "l1"]
    scales = memory["fixpipe"][(registers["fp"] >> 8 & 255) * 128:].copy().view(np.uint64)
    for matrix in range(count):
        for i in range(rows):
            for j in range(columns):
                at = src + 4 * (matrix * from_matrix * 256 + j // 16 * from_stride * 16 + i * 16 + j % 16)
                word = int(scales[j]) if mode in (2, 4, 12, 23) else registers["qp"]
                value = quantised(number_at(memory["l0c"], at, from_), mode, word, to)
                value = max(value, 0) if relu else value
                if as_rows:
                    place = dst + size * (matrix * to_matrix + i * stride + j)
                else:
                    # Blocks of 8 f32, of 32 bytes, or of 16; a last one of 16 bytes is left alone.
                    block = 8 if split else 32 if size == 1 else 16
                    line = 16 if size == 1 and j // 32 == columns // 32 else block
                    place = dst + j // block * stride * 32 + size * (i * line + j % block)
                if registers.get("at", 0):
                    value = number_at(target, place, to) + number_at(bits_of(value, to), 0, to)
                target[place:place + size] = bits_of(value, to)
