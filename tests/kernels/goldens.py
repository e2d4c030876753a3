#!/usr/bin/python3
"""Inputs and expected outputs of the kernels in this directory.

    goldens.py OUTDIR [CASE...]      write them, and OUTDIR/cases.json; no CASE means all
    goldens.py --list                name the cases

The manifest lists, per case: the kernel file, its entry, the number of blocks, one `ptosim --arg`
per parameter (paths relative to OUTDIR), and the outputs to compare: parameter index and file,
compared bit for bit unless it has "rtol" and "atol". run_cases.py runs it.

bfloat16 has no numpy type: its arrays are uint16 bit patterns, and the parameter's own type in the
kernel (!pto.ptr<bf16>) gives their meaning.

Where the expected values come from. They are computed here with numpy alone, by the rules of the
`ieee` profile (isa/table/profile_rules.h), in the kernels' own order of operations, so that they can
be compared bit for bit. Each case also proves them against plain mathematics in float64 (`close`),
so a mistake made in both the kernel and here would be seen.

 * Products of two f16 values have at most 22 significant bits and an exponent within f32's range:
   they are exact in f32. One f32 addition after an exact product rounds once, as a fused
   multiply-add does; so `fma_chain` below is the chain of fused multiply-adds in increasing k.
 * exp and rsqrt are correctly rounded: computed with a 64-bit mantissa (x87 long double) and rounded
   to f32. That is wrong only if the true value lies within 2^-63 relative of a tie between two f32
   values, of probability about 2^-38 per value.
 * Sums go in increasing index order, rounded to f32 at each step. Division and square root of f32
   are IEEE in numpy, too.
"""

import json
import os
import sys
import zlib

import numpy as np

f16, f32, f64 = np.float16, np.float32, np.float64
LONG = np.longdouble
assert np.finfo(LONG).nmant >= 63, "needs a long double of 64 bits of mantissa or more"

DTYPE_NAMES = {"float16": "f16", "float32": "f32", "int8": "i8", "int32": "i32", "uint16": "bf16"}
CASES = {}
ENTRIES = {}


# ---- the arithmetic of the instructions -------------------------------------------------------

def fma_chain(acc, a, b):
    """acc + a b, one k after the other: exact f16 products, one rounding per addition."""
    acc = acc.astype(f32).copy()
    a, b = a.astype(f32), b.astype(f32)
    for k in range(a.shape[1]):
        acc += a[:, k : k + 1] * b[k : k + 1, :]
    return acc


def matmul(a, b):
    return fma_chain(np.zeros((a.shape[0], b.shape[1]), f32), a, b)


def row_sum(x):
    acc = x[:, 0].copy()
    for j in range(1, x.shape[1]):
        acc = acc + x[:, j]
    return acc


def col_sum(x):
    acc = x[0].copy()
    for i in range(1, x.shape[0]):
        acc = acc + x[i]
    return acc


def exp(x):
    return np.exp(x.astype(LONG)).astype(f32)


def rsqrt(x):
    return (LONG(1) / np.sqrt(x.astype(LONG))).astype(f32)


def to_bf16(x):
    """Round f32 to nearest even bfloat16, as bits. No NaNs here."""
    bits = x.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(f32)


def to_nz(x, box_cols):
    """Matrix to NZ: block columns of boxes of 16 x box_cols."""
    rows, cols = x.shape
    boxes = x.reshape(rows // 16, 16, cols // box_cols, box_cols)
    return np.ascontiguousarray(boxes.transpose(2, 0, 1, 3))


# ---- how a case is written down ---------------------------------------------------------------

class Input:
    def __init__(self, name, data):
        self.name, self.data = name, data


class Output:
    """Expected data of a parameter; `initial` if the kernel also reads it."""

    def __init__(self, name, expected, initial=None, rtol=None, atol=0.0):
        self.name, self.expected, self.initial = name, expected, initial
        self.rtol, self.atol = rtol, atol


class Workspace:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


class Scalar:
    def __init__(self, dtype, value):
        self.text = f"{dtype}={value}"


def i32(value):
    return Scalar("i32", value)


def case(kernel, blocks, name=None, entry=None):
    def add(function):
        key = name or kernel
        CASES[key] = (kernel, blocks, function)
        ENTRIES[key] = entry or kernel
        return function
    return add


def close(got, mathematics, rtol, atol):
    """The golden itself must be right: compare it with float64 mathematics."""
    np.testing.assert_allclose(got.astype(f64), mathematics, rtol=rtol, atol=atol)


def shape_text(shape, dtype):
    return "x".join(str(n) for n in shape) + "x" + dtype


def write_case(out_dir, name):
    kernel, blocks, function = CASES[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    os.makedirs(os.path.join(out_dir, name), exist_ok=True)

    def save(file, data):
        path = f"{name}/{file}.npy"
        np.save(os.path.join(out_dir, path), np.ascontiguousarray(data))
        return path

    args, golden = [], []
    for index, parameter in enumerate(function(rng)):
        if isinstance(parameter, Input):
            args.append("in=" + save(parameter.name, parameter.data))
        elif isinstance(parameter, Workspace):
            args.append("zeros=" + shape_text(parameter.shape, parameter.dtype))
        elif isinstance(parameter, Scalar):
            args.append(parameter.text)
        else:
            expected = parameter.expected
            if parameter.initial is not None:
                args.append("inout=" + save(parameter.name, parameter.initial))
            else:
                args.append("out=" + shape_text(expected.shape, DTYPE_NAMES[expected.dtype.name]))
            entry = {"parameter": index, "file": save(parameter.name + ".golden", expected)}
            if parameter.rtol is not None:
                entry.update(rtol=parameter.rtol, atol=parameter.atol)
            golden.append(entry)
    return {"name": name, "kernel": kernel + ".pto", "entry": ENTRIES[name], "blocks": blocks,
            "args": args, "golden": golden}


# ---- matrix kernels ---------------------------------------------------------------------------

def normal(rng, shape, dtype=f32, scale=1.0):
    return (rng.standard_normal(shape) * scale).astype(dtype)


def gemm_case(rng, m, n, k):
    a, b = normal(rng, (m, k), f16), normal(rng, (k, n), f16)
    c = matmul(a, b)
    close(c, a.astype(f64) @ b.astype(f64), 1e-4, 1e-3)
    return [Input("a", a), Input("b", b), Output("c", c), i32(m), i32(n), i32(k)]


@case("gemm_f16", 16)
def _(rng):
    return gemm_case(rng, 512, 512, 512)


@case("gemm_f16", 5, "gemm_f16_uneven")  # 12 tiles over 5 blocks: 2 or 3 each, three steps of K
def _(rng):
    return gemm_case(rng, 384, 512, 768)


@case("gemm_f16_single", 16)
def _(rng):
    return gemm_case(rng, 512, 512, 512)


@case("gemm_f16_wide", 8)
def _(rng):
    return gemm_case(rng, 512, 512, 512)


@case("gemm_f16_wide", 3, "gemm_f16_wide_uneven")
def _(rng):
    return gemm_case(rng, 256, 512, 768)


@case("matmul_bias_f16", 1)
def _(rng):
    a, b = normal(rng, (128, 128), f16), normal(rng, (128, 128), f16)
    bias = normal(rng, (1, 128), scale=10)
    c = matmul(a[:, :64], b[:64]) + bias  # the bias comes after the product that it belongs to
    c = fma_chain(c, a[:, 64:], b[64:])
    close(c, a.astype(f64) @ b.astype(f64) + bias, 1e-4, 1e-3)
    relu = np.maximum(c, f32(0)).astype(f16)
    return [Input("a", a), Input("b", b), Input("bias", bias), Output("c", c), Output("relu", relu)]


@case("matmul_i8", 6)
def _(rng):
    a = rng.integers(-128, 128, (128, 256)).astype(np.int8)
    b = rng.integers(-128, 128, (256, 192)).astype(np.int8)
    c = a.astype(np.int32) @ b.astype(np.int32)
    return [Input("a", a), Input("b", b), Output("c", c), i32(128), i32(192)]


@case("matmul_layouts_f16", 1)
def _(rng):
    a, b = normal(rng, (64, 128), f16), normal(rng, (64, 128), f16)
    c = matmul(a, b.T).astype(f16)
    close(c, a.astype(f64) @ b.astype(f64).T, 2e-3, 2e-3)
    return [Input("a", to_nz(a, 16)), Input("b", b), Output("c", to_nz(c, 16))]


# ---- vector kernels ---------------------------------------------------------------------------

@case("vadd_f32", 8)
def _(rng):
    x, y = normal(rng, (1024, 256)), normal(rng, (1024, 256))
    return [Input("x", x), Input("y", y), Output("z", x + y), i32(1024)]


@case("axpy_triple_f32", 4)
def _(rng):
    x, y = normal(rng, (256, 512)), normal(rng, (256, 512))
    expected = x * f32(1.5) + y
    return [Input("x", x), Output("y", expected, initial=y), i32(256)]


@case("elementwise_chain_f32", 4)
def _(rng):
    x = normal(rng, (128, 128), scale=3)
    y = np.minimum(exp(-np.abs(x)) * x + f32(0.25), f32(1))
    close(y, np.minimum(np.exp(-np.abs(x.astype(f64))) * x + 0.25, 1), 1e-6, 1e-6)
    return [Input("x", x), Output("y", y)]


@case("row_col_reduce_f32", 4)
def _(rng):
    rows, blocks = 512, 4
    x = normal(rng, (rows, 256))
    sums, maxima = [], []
    for band in np.split(x, blocks):
        acc = np.zeros(256, f32)
        for tile in np.split(band, len(band) // 32):
            acc = acc + col_sum(tile)
        sums.append(acc)
        maxima.append(band.max(axis=0))
    sums, maxima, row_sums = np.array(sums), np.array(maxima), row_sum(x).reshape(1, rows)
    close(row_sums[0], x.astype(f64).sum(axis=1), 1e-4, 1e-4)
    close(sums, x.astype(f64).reshape(blocks, -1, 256).sum(axis=1), 1e-4, 1e-4)
    return [Input("x", x), Output("row_sums", row_sums), Output("col_sums", sums),
            Output("col_maxima", maxima), i32(rows)]


@case("cast_f32_f16_bf16", 2)
def _(rng):
    # Values that exercise the conversions: general, ties of f32 -> i32 (quarters), ties of
    # f32 -> f16 (12 bits), and subnormal f16.
    x = np.concatenate([
        normal(rng, (16, 256), scale=100),
        rng.integers(-400, 400, (16, 256)).astype(f32) / 4,
        rng.integers(-8191, 8191, (16, 256)).astype(f32),
        normal(rng, (16, 256), scale=1e-6)])
    half = x.astype(f16)
    brain = to_bf16(half.astype(f32))
    whole = np.trunc(x).astype(np.int32) + np.rint(x).astype(np.int32)
    close(half[:48], x[:48].astype(f64), 1e-3, 1e-7)
    close(from_bf16(brain), half.astype(f64), 4e-3, 1e-9)
    return [Input("x", x), Output("half", half), Output("brain", brain), Output("whole", whole),
            i32(len(x))]


@case("affine_tail_f32", 3)
def _(rng):
    x = normal(rng, (205, 197))  # 7 tiles, the last of 13 rows; 197 columns of 256
    return [Input("x", x), Output("y", x * f32(2) + f32(1)), i32(205), i32(197)]


@case("softmax_rows_f32", 16)
def _(rng):
    x = normal(rng, (1024, 512), scale=4)
    e = exp(x - x.max(axis=1, keepdims=True))
    y = e / row_sum(e)[:, None]
    wide = np.exp(x.astype(f64) - x.max(axis=1, keepdims=True))
    close(y, wide / wide.sum(axis=1, keepdims=True), 1e-4, 1e-9)
    return [Input("x", x), Output("y", y), i32(1024)]


@case("rmsnorm_f32", 4)
def _(rng):
    x, gamma = normal(rng, (128, 512), scale=2), normal(rng, (1, 512))
    mean = row_sum(x * x) * f32(1 / 512) + f32(1e-6)
    y = x * rsqrt(mean)[:, None] * gamma
    wide = x.astype(f64)
    close(y, wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6) * gamma, 1e-5, 1e-6)
    return [Input("x", x), Input("gamma", gamma), Output("y", y), i32(128)]


@case("ragged_rows_f32", 3)
def _(rng):
    lengths = np.array([256, 1, 8, 100, 31, 255, 64, 3], np.int32)
    x = normal(rng, (8 * len(lengths), 256)) - f32(5)  # negative maxima: padding must be -inf
    maxima = np.zeros((len(lengths), 8), f32)
    sums = np.zeros((len(lengths), 8), f32)
    for i, length in enumerate(lengths):
        valid = x[8 * i : 8 * i + 8, :length]
        maxima[i], sums[i] = valid.max(axis=1), row_sum(valid)
        close(sums[i], valid.astype(f64).sum(axis=1), 1e-4, 1e-4)
    return [Input("x", x), Input("lengths", lengths), Output("maxima", maxima),
            Output("sums", sums), i32(len(lengths))]


@case("embedding_f32", 3)
def _(rng):
    table = normal(rng, (64, 256))
    tokens = rng.integers(0, 64, 40).astype(np.int32)
    out = table[tokens]
    return [Input("table", table), Input("tokens", tokens), Output("out", out),
            Output("first", out[:, 0].copy()), i32(64), i32(40)]


@case("where_f32", 2)
def _(rng):
    x = normal(rng, (64, 256))
    return [Input("x", x), Output("y", np.where(x > f32(0.5), x, x * f32(0.125)))]


@case("layouts_f32", 1)
def _(rng):
    x = normal(rng, (64, 32))
    by_columns, nz = np.ascontiguousarray(x.T), to_nz(x, 8)
    return [Input("x", x), Input("x_dn", by_columns), Input("x_nz", nz), Output("dn", by_columns),
            Output("nz", nz), Output("transposed", by_columns),
            Output("window", x[16:32, 8:24] + f32(1))]


@case("center_columns_f32", 8)
def _(rng):
    blocks = 8
    x = normal(rng, (64 * blocks, 256)) + f32(3)
    partial = np.array([col_sum(band) for band in np.split(x, blocks)])
    y = x - col_sum(partial) * f32(1 / len(x))
    close(y, x - x.astype(f64).mean(axis=0), 1e-4, 1e-4)
    return [Input("x", x), Workspace((blocks, 256), "f32"), Output("y", y),
            Scalar("f32", 1 / len(x))]


# ---- mixed kernels ----------------------------------------------------------------------------

@case("linear_relu_mixed_f16", 4)
def _(rng):
    m, n, k, blocks = 384, 512, 256, 4  # 12 tiles, 3 per block: both slots, and one again
    a, b, bias = normal(rng, (m, k), f16), normal(rng, (k, n), f16), normal(rng, (1, n), scale=8)
    y = np.maximum(matmul(a, b) + bias, f32(0)).astype(f16)
    close(y, np.maximum(a.astype(f64) @ b.astype(f64) + bias, 0), 1e-3, 1e-3)
    return [Input("a", a), Input("b", b), Input("bias", bias),
            Workspace((blocks, 2, 128, 128), "f32"), Output("y", y), i32(m), i32(n)]


@case("fifo_relu_f16", 2, entry="cube+vector")  # 19 products on 2 blocks: the ring goes round twice
def _(rng):
    n, blocks = 19, 2
    a, b = normal(rng, (32, 32), f16), normal(rng, (n, 32, 32), f16)
    y = np.concatenate([np.maximum(matmul(a, bi), f32(0)) for bi in b])
    close(y, np.maximum(a.astype(f64) @ b.astype(f64), 0).reshape(-1, 32), 1e-4, 1e-4)
    return [Input("a", a), Input("b", b.reshape(-1, 32)), Output("y", y),
            Workspace((blocks, 4, 32, 32), "f32"), i32(n)]


def attention_data(rng, heads, queries, keys, key_tile, d=64):
    """q, k, v and the result of online softmax over tiles of keys, in the order of the kernels."""
    q = normal(rng, (heads, queries, d), f16)
    k = normal(rng, (heads, keys, d), f16)
    v = normal(rng, (heads, keys, d), f16)
    o = np.zeros((heads, queries, d), f32)
    for h in range(heads):
        largest = np.full(queries, -np.inf, f32)
        total = np.zeros(queries, f32)
        result = np.zeros((queries, d), f32)
        for j in range(0, keys, key_tile):
            s = matmul(q[h], k[h, j : j + key_tile].T) * f32(0.125)
            new_largest = np.maximum(largest, s.max(axis=1))
            alpha = exp(largest - new_largest)
            p = exp(s - new_largest[:, None])
            largest = new_largest
            total = total * alpha + row_sum(p)
            result = result * alpha[:, None] + matmul(p.astype(f16), v[h, j : j + key_tile])
        o[h] = result / total[:, None]
        scores = q[h].astype(f64) @ k[h].astype(f64).T / 8
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        close(o[h], weights / weights.sum(axis=1, keepdims=True) @ v[h].astype(f64), 5e-3, 5e-4)
    return [x.reshape(-1, d) for x in (q, k, v, o)]


def attention_case(rng, heads, queries, keys, blocks):
    q, k, v, o = attention_data(rng, heads, queries, keys, 128)
    d = q.shape[1]
    return [Input("q", q), Input("k", k), Input("v", v),
            Workspace((blocks, 2, 128, 128), "f32"), Workspace((blocks, 2, 128, 128), "f16"),
            Workspace((blocks, 2, 128, d), "f32"), Output("o", o),
            i32(heads), i32(queries), i32(keys)]


@case("attention_f16", 8)
def _(rng):
    return attention_case(rng, heads=4, queries=256, keys=512, blocks=8)


@case("attention_f16", 2, "attention_f16_uneven")  # 5 tasks on 2 blocks, an odd number of key tiles
def _(rng):
    return attention_case(rng, heads=5, queries=128, keys=384, blocks=2)


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    out_dir, names = sys.argv[1], sys.argv[2:] or list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"goldens.py: no case named {', '.join(unknown)}; --list names them")
    os.makedirs(out_dir, exist_ok=True)
    cases = [write_case(out_dir, name) for name in names]
    with open(os.path.join(out_dir, "cases.json"), "w") as file:
        json.dump({"cases": cases}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
