#!/usr/bin/python3
"""Runs the samples of a checkout of hw-native-sys/PTOAS (v0.27) unchanged and compares with numpy.

    scripts/conformance.py ptoas CHECKOUT [--ptosim BIN] [--only NAME] [--insert] [--json FILE]
                                          [--record SUITE]

Every .pto file under test/samples. Inputs are ours and seeded. References are ours too: numpy
written from the computation in each .pto file, not from the scripts next to it. "Arithmetic" below
lists the assumptions of references about numbers.

A file is
    right      every output, and every byte around it, equals numpy's
    ran        it runs, but stores nothing that could be compared
    accepted   no reference; it reads, binds, plans and verifies (--dry-run)
    refused    the program reports something unsupported or illegal
    unordered  the program reports that cube and vector cores hand data over through global memory
               with nothing that orders them (G04)
    wrong      other results, or a finding of the program
    crashed    internal error, signal or time limit
The exit code is 0 if no file is wrong or crashed. A file has the worst state of its runs; a run
with arguments that the kernel does not allow is right if the program refuses it for that reason.
"""

import datetime
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np

from suites import commit_of, parser_of, program, put

TIME_LIMIT = 300  # seconds for one run

# --- Arithmetic ----------------------------------------------------------------------------------
#
# f32 operations round once, by IEEE 754, as numpy's do. Functions (exp, 1/sqrt) are taken
# to be correctly rounded: computed with 64 significant bits, then rounded. A matrix product adds
# its terms in increasing k with one rounding each (fused), across the parts of a split k; where a
# bias comes in, and for sums of rows, inputs are chosen such that every partial sum is exact, so
# that the order does not matter.

f32 = np.float32


def f32_of(bits):
    """The values of bf16 bit patterns."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def bf16_of(values):
    """The bit patterns of finite f32 values in bf16: to nearest, ties away from zero (ROUND)."""
    return ((values.astype(f32).view(np.uint32) + 0x8000) >> 16).astype(np.uint16)


def exp(x):
    return np.exp(x.astype(np.longdouble)).astype(f32)


def rsqrt(x):
    return (1 / np.sqrt(x.astype(np.longdouble))).astype(f32)


def fma(a, b, c):
    """a * b + c, rounded once. The product of two f32 is exact in f64; their sum is rounded to odd
    there, which makes the second rounding harmless (53 >= 2 * 24 + 2)."""
    product = a.astype(np.float64) * b.astype(np.float64)
    c = c.astype(np.float64)
    total = product + c
    part = total - product
    lost = (product - (total - part)) + (c - part)
    even = (total.view(np.uint64) & 1) == 0
    toward = np.where(lost > 0, np.inf, -np.inf)
    total = np.where((lost != 0) & even, np.nextafter(total, toward), total)
    return total.astype(f32)


def product(a, b, start=None):
    """a @ b in f32, each element one chain of fused multiply-adds in increasing k."""
    acc = np.zeros((a.shape[0], b.shape[1]), f32) if start is None else start
    if a.dtype == np.uint16:  # products of bf16 values are exact in f32
        a, b = f32_of(a), f32_of(b)
        for k in range(a.shape[1]):
            acc = acc + a[:, k : k + 1] * b[k : k + 1, :]
        return acc
    for k in range(a.shape[1]):
        acc = fma(a[:, k : k + 1], b[k : k + 1, :], acc)
    return acc


def row_sum(x):
    """Sums of rows. Not reordered by numpy, although inputs make every order exact."""
    total = x[:, 0].copy()
    for column in range(1, x.shape[1]):
        total = total + x[:, column]
    return total[:, None]


# --- Arguments -----------------------------------------------------------------------------------

NUMPY = {"f32": np.float32, "bf16": np.uint16, "i16": np.int16}


def uniform(low, high):
    """Random numbers of full precision."""

    def make(rng, shape, dtype):
        values = rng.uniform(low, high, shape).astype(f32)
        return bf16_of(values) if dtype == "bf16" else values

    return make


def eighths(limit):
    """Random multiples of 1/8 up to +-limit: products and their sums are exact in f32."""

    def make(rng, shape, dtype):
        values = (rng.integers(-8 * limit, 8 * limit + 1, shape) / 8).astype(f32)
        return bf16_of(values) if dtype == "bf16" else values

    return make


def integers(rng, shape, dtype):
    info = np.iinfo(NUMPY[dtype])
    return rng.integers(info.min, info.max, shape, NUMPY[dtype], endpoint=True)


def columns(first, count):
    """Zeros with one band of random columns, for weights of hundreds of megabytes."""

    def make(rng, shape, dtype):
        array = np.zeros(shape, NUMPY[dtype])
        band = slice(max(first - 16, 0), first + count + 16)
        array[:, band] = uniform(-1, 1)(rng, array[:, band].shape, dtype)
        return array

    return make


def rows(first, count):
    def make(rng, shape, dtype):
        array = np.zeros(shape, NUMPY[dtype])
        band = slice(max(first - 16, 0), first + count + 16)
        array[band] = uniform(-1, 1)(rng, array[band].shape, dtype)
        return array

    return make


class Tensor:
    def __init__(self, shape, dtype, make, output):
        self.shape, self.dtype, self.make, self.output = shape, dtype, make, output


def In(*shape, dtype="f32", make=uniform(-1, 1)):
    return Tensor(shape, dtype, make, False)


def Out(*shape, dtype="f32", make=None):
    """An output, full of random numbers before the run: what must stay is compared as well."""
    if make is None:
        make = integers if dtype == "i16" else uniform(-100, 100)
    return Tensor(shape, dtype, make, True)


class Scalar:
    def __init__(self, dtype, value):
        self.text = f"{dtype}={value}"
        self.value = f32(value) if dtype == "f32" else value


def i1(value):
    return Scalar("i1", int(value))


def i32(value):
    return Scalar("i32", value)


def index(value):
    return Scalar("i64", value)


# --- Cases ---------------------------------------------------------------------------------------


class Case:
    """One run of one file. `reference` gets all arguments in order, outputs as they are before the
    run, and changes the outputs in place; None: nothing is stored. `sync` None obeys the file.
    `refused`: the code with which the program must refuse these arguments. `settled`: the
    reference for launches after the first, of a file that does not order its cores."""

    def __init__(self, path, args, reference, variant="", blocks=1, entry=None, sync=None,
                 refused=None, settled=None):
        self.path, self.args, self.reference, self.variant = path, args, reference, variant
        self.blocks, self.entry, self.sync = blocks, entry, sync
        self.refused, self.settled = refused, settled


CASES = []
REASONS = {}  # path -> why it is not right
REMARKS = {}  # path -> what to know in any case


def case(path, *args, **options):
    """Decorates the reference of one run."""

    def add(reference):
        CASES.append(Case(path, list(args), reference, **options))
        return reference

    return add


def valid_sizes(*sizes):
    """Sizes of valid regions, and how a run with them ends: a load needs a view of the very same
    shape, and the views of the samples are whole (pto-isa asserts this, too)."""
    return [(size, None if set(size) == {32} else "S04") for size in sizes]


def nothing(path, *args, **options):
    """A run that stores nothing."""
    CASES.append(Case(path, list(args), None, **options))


# Vectors.


@case("VectorAddition/vadd.pto", In(32, 32), In(32, 32), Out(32, 32))
@case("PyPTOIRParser/orchestration_example_kernel_add.pto", In(16, 16), In(16, 16), Out(16, 16))
@case("PyPTOIRParser/vector_example_dag_kernel_add.pto", In(128, 128), In(128, 128), Out(128, 128))
def add(a, b, out):
    out[:] = a + b


@case("PyPTOIRParser/orchestration_example_kernel_mul.pto", In(16, 16), In(16, 16), Out(16, 16))
@case("PyPTOIRParser/vector_example_dag_kernel_mul.pto", In(128, 128), In(128, 128), Out(128, 128))
def multiply(a, b, out):
    out[:] = a * b


@case("PyPTOIRParser/orchestration_example_kernel_add_scalar.pto",
      In(16, 16), Scalar("f32", 0.7), Out(16, 16))
@case("PyPTOIRParser/vector_example_dag_kernel_add_scalar.pto",
      In(128, 128), Scalar("f32", -1.3), Out(128, 128))
def add_scalar(a, scalar, out):
    out[:] = a + scalar


@case("Addc/addc.pto", In(32, 32), In(32, 32), In(32, 32), Out(32, 32))
def add_three(a, b, c, out):
    out[:] = (a + b) + c


@case("Concat/concat-pto-ir.pto", In(32, 16, dtype="i16", make=integers),
      In(32, 16, dtype="i16", make=integers), Out(32, 32, dtype="i16"))
def concat(a, b, out):
    out[:, :16], out[:, 16:] = a, b


@case("Sync/nested_loop_confliect.pto", In(32, 32), Out(32, 32))
@case("Sync/test_tmov_col_major_16x1_align_a5.pto", In(16, 1), Out(16, 1))
def copy(a, out):
    out[:] = a


@case("Sync/compensation_test.pto", Out(32, 32), i1(True))
def store_what_was_loaded(data, condition):
    pass


def if_else(a, b, choice, out):
    out[:] = b + b if choice == 1 else b * b


for choice in (1, 0):
    case("Sync/test_if_else_tile_result.pto", In(256, 64), In(256, 64), i32(choice), Out(256, 64),
         variant=f"choice {choice}")(if_else)


@case("ControlFlow/control_flow-pto-new.pto", In(32, 32), Out(32, 32))
def control_flow(a, out):
    for outer in (1.25, -0.75):
        a = a + f32(outer)
        for inner in (-0.25, 0.5, -0.25):
            a = a + f32(inner)
    out[:] = a


def dynamic_branch(a, out, valid_rows, valid_columns, mode):
    x = a[:valid_rows, :valid_columns]
    if mode == 0:
        x = np.clip(x * f32(2), f32(-4.0001), f32(4.0001)) + f32(1)
    else:
        x = (x * x + x * f32(-0.5)) + f32(-1)
    out[:valid_rows, :valid_columns] = x


for mode in (0, 1):
    for size, refused in valid_sizes((32, 32), (19, 27)):
        case("ControlFlow/control_flow_dynamic_branch.pto", In(32, 32, make=uniform(-4, 4)),
             Out(32, 32), i32(size[0]), i32(size[1]), i32(mode),
             variant=f"mode {mode}, valid {size[0]}x{size[1]}", refused=refused)(dynamic_branch)


@case("ControlFlow/control_flow_nested_vec.pto", In(64, 32), Out(32, 32))
def nested(a, out):
    acc = a[:32]
    for data in (a[:32], a[32:]):
        for _ in range(3):
            acc = acc + data * f32(0.25)
            data = data * f32(1.25)
    out[:] = acc * f32(-1)


def partition_5d(source, out, *_):
    out[0, 0, :, :16, :16] = source[0, 0, :, :16, :16]


CUBE = (1, 1, 16, 1024, 1024)
CORNER = lambda rng, shape, dtype: np.pad(uniform(-1, 1)(rng, (1, 1, 16, 32, 32), dtype),
                                          ((0, 0), (0, 0), (0, 0), (0, 992), (0, 992)))
case("Partition5D/partition5d.pto", In(*CUBE, make=CORNER), Out(*CUBE, make=CORNER))(partition_5d)
case("Partition5D/partition5d_dynamic.pto", In(*CUBE, make=CORNER), Out(*CUBE, make=CORNER),
     *[index(0)] * 5, index(1), index(1), *[index(16)] * 3)(partition_5d)

# Files that store nothing.

for name in ("rar_optimization_test", "test_auto_sync_tail_hint"):
    nothing(f"Sync/{name}.pto", In(32, 32), In(32, 32))
nothing("Sync/test_dynamic_valid_shape.pto", In(64), In(64), i32(64))
nothing("Sync/test_tmov_row_major_1x16_control_a5.pto")
nothing("Sync/test_a5_buf_sync.pto")
nothing("Sync/test_inject_sync_intra_pipe_barrier.pto")
nothing("SCF/scf_for_break_like.pto")
nothing("SCF/scf_while_break.pto")
nothing("PyPTOIRParser/paged_attention_example_kernel_init_inplace.pto",
        In(16, 128), In(16, 1), In(16, 1))
nothing("Complex/mix_kernel.pto", In(32, 32), In(32, 32), In(32, 32))
for path in ("test1", "test2", "a3/test1", "a3/test2"):
    slot = [In(8, 16, 16)] if path.startswith("a3") else []
    b = In(16 if path.endswith("1") else 64, 16)
    nothing(f"TPushTPop/{path}/kernel.pto", In(16, 16), b, *slot)
nothing("TPushTPop/test3/kernel.pto", In(16, 16), In(16, 16))
nothing("TPushTPop/test5/kernel.pto", Out(16, 128), In(16, 64), In(64, 128))

# Products of matrices.


def split_k(out, a, b, bias, with_bias):
    out[:] = product(a, b) + (bias if with_bias else f32(0))


for path in ("MatMul/tmatmulk.pto", "MatMul/0.pto", "Sync/matmul.pto"):
    for with_bias in (False, True):
        make = eighths(4) if with_bias else uniform(-1, 1)
        case(path, Out(32, 32), In(32, 256, make=make), In(256, 32, make=make),
             In(1, 32, make=make), i1(with_bias), variant=f"bias {with_bias}")(split_k)


@case("MatmulVectorMix/matmul_vector_mix-pto-new.pto", In(32, 32, make=eighths(4)),
      In(32, 32, make=eighths(4)), In(1, 32, make=eighths(4)), Out(32, 32))
def product_and_bias(a, b, bias, out):
    out[:] = product(a, b) + bias


def transposed(out, a, b, a_by_columns, b_by_rows):
    left = a.reshape(256, 32).T if a_by_columns else a
    right = b if b_by_rows else b.reshape(32, 256).T
    out[:] = product(left, right)


for a_by_columns in (False, True):
    for b_by_rows in (False, True):
        case("Matmul_transpose/Matmul_transpose-pto-ir.pto", Out(32, 32), In(32, 256), In(256, 32),
             i1(a_by_columns), i1(b_by_rows),
             variant=f"a {'DN' if a_by_columns else 'ND'}, b {'ND' if b_by_rows else 'DN'}",
             )(transposed)


@case("GQA/gqa_qk.pto", In(32, 32), In(32, 32), Out(32, 32))
@case("GQA/gqa_sv.pto", In(32, 32), In(32, 32), Out(32, 32))
@case("GQA/gqa_qk_splitk.pto", In(32, 128), In(128, 32), Out(32, 32))
@case("FlashAttention/flash_attention_qk.pto", In(32, 32), In(32, 32), Out(32, 32))
@case("FlashAttention/flash_attention_sv.pto", In(32, 32), In(32, 32), Out(32, 32))
@case("FlashAttention/flash_attention_qk_splitk.pto", In(32, 128), In(128, 32), Out(32, 32))
@case("FlashAttention/flash_attention_sv_splitk.pto", In(32, 128), In(128, 32), Out(32, 32))
@case("FFN/ffn_fc2.pto", In(32, 32), In(32, 32), Out(32, 32))
@case("PyPTOIRParser/paged_attention_example_kernel_pv_matmul.pto",
      In(16, 128, dtype="bf16"), In(128, 128, dtype="bf16"), Out(16, 128))
def matmul(a, b, out):
    out[:] = product(a, b)


@case("PyPTOIRParser/paged_attention_example_kernel_qk_matmul.pto",
      In(16, 128, dtype="bf16"), In(128, 128, dtype="bf16"), Out(16, 128))
def matmul_of_transposed(a, b, out):
    out[:] = product(a, b.T)


def boundary(a, b, out, m, k, n):
    out[:m, :n] = product(a[:m, :k], b[:k, :n])


for (m, k, n), refused in valid_sizes((32, 32, 32), (21, 24, 27)):
    case("FlashAttention/flash_attention_qk_boundary.pto", In(32, 32), In(32, 32), Out(32, 32),
         i32(m), i32(k), i32(n), variant=f"valid m {m}, k {k}, n {n}", refused=refused)(boundary)


@case("FFN/ffn_fc1.pto", In(32, 32), In(32, 32), In(32, 32), Out(32, 32), Out(32, 32))
@case("FFN/ffn_fc1_splitk.pto", In(32, 128), In(128, 32), In(128, 32), Out(32, 32), Out(32, 32))
def two_products(x, w1, w3, h1, h2):
    h1[:], h2[:] = product(x, w1), product(x, w3)


def product_not_halved(a, b, out):
    # Again and again: the vector cores halve the last product while the next one is on its way.
    out[:] = product(a[:, :32], b[:32])


@case("ControlFlow/control_flow_mixed_pipe.pto", In(32, 64), In(64, 32), Out(32, 32),
      settled=product_not_halved)
def product_halved(a, b, out):
    out[:] = product(a[:, :32], b[:32]) * f32(0.5)


# Attention with a polynomial for exp, and the gated activation.


def soft(scores, group=None, cubic=False):
    x = scores if group is None else scores * group
    x = np.clip(x * f32(1.767767e-01), f32(-4.0001), f32(4.0001))
    x2 = x * x
    x3 = x2 * x
    x4 = x3 * x
    total = (x + x2 * f32(0.5)) + x3 * f32(1.666667e-01)
    if not cubic:
        total = total + x4 * f32(4.166667e-02)
    return (total + f32(1.0001)) / f32(3.200010e01)


WIDE = uniform(-30, 30)  # reaches the clamps


@case("FlashAttention/flash_attention_softmax.pto", In(32, 32, make=WIDE), Out(32, 32))
def softmax(scores, out):
    out[:] = soft(scores)


@case("GQA/gqa_softmax.pto", In(32, 32, make=WIDE), In(32, 32), Out(32, 32))
def softmax_grouped(scores, group, out):
    out[:] = soft(scores, group)


def softmax_valid(scores, out, m, n):
    out[:m, :n] = soft(scores[:m, :n])


def softmax_grouped_valid(scores, group, out, m, n):
    out[:m, :n] = soft(scores[:m, :n], group[:m, :n])


for (m, n), refused in valid_sizes((32, 32), (19, 27)):
    size = i32(m), i32(n)
    text = f"valid {m}x{n}"
    case("FlashAttention/flash_attention_softmax_boundary.pto", In(32, 32, make=WIDE), Out(32, 32),
         *size, variant=text, refused=refused)(softmax_valid)
    case("GQA/gqa_softmax_dynamic.pto", In(32, 32, make=WIDE), In(32, 32), Out(32, 32), *size,
         variant=text, refused=refused)(softmax_grouped_valid)


def mixed(path, *args):
    """A file for cube and vector cores that does not order them."""

    def add(reference):
        CASES.append(Case(path, list(args), reference, settled=reference))
        return reference

    return add


@mixed("FlashAttention/flash_attention-pto-new.pto", *[In(32, 32)] * 3, *[Out(32, 32)] * 3)
@mixed("FlashAttention/flash_attention_full_intermediate.pto", *[In(32, 32)] * 3,
       *[Out(32, 32)] * 3)
@mixed("FlashAttention/flash_attention_full_tiled.pto", In(32, 128), In(128, 32), In(32, 32),
       *[Out(32, 32)] * 3)
def attention(q, kt, v, scores, weights, out):
    scores[:] = product(q, kt)
    weights[:] = soft(scores)
    out[:] = product(weights, v)


@mixed("GQA/gqa-pto-new.pto", *[In(32, 32)] * 4, *[Out(32, 32)] * 3)
def attention_grouped(q, kt, v, group, scores, weights, out, cubic=False):
    scores[:] = product(q, kt)
    weights[:] = soft(scores, group, cubic)
    out[:] = product(weights, v)


@mixed("GQA/gqa_full_tiled.pto", In(32, 128), In(128, 32), In(32, 32), In(32, 32),
       *[Out(32, 32)] * 3)
def attention_grouped_cubic(*args):
    attention_grouped(*args, cubic=True)


def gate(h1, h2, power):
    x = np.clip(h1, f32(-4.0001), f32(4.0001))
    x2 = x * x
    curve = {3: x2 * x, 5: x2 * (x2 * x), -5: (x2 * x2) * x}[power] * f32(-2.083333e-02)
    line = x * f32(0.25)
    factor = (curve + line) + f32(0.5) if power == -5 else (line + f32(0.5)) + curve
    return factor * h2


def activation(h1, h2, out, m, n):
    out[:m, :n] = gate(h1[:m, :n], h2[:m, :n], 3)


def activation_dynamic(h1, h2, out, m, n):
    out[:m, :n] = gate(h1[:m, :n], h2[:m, :n], 5)


for (m, n), refused in valid_sizes((32, 32), (19, 27)):
    for path, reference in (("FFN/ffn_act.pto", activation),
                            ("FFN/ffn_act_dynamic.pto", activation_dynamic)):
        case(path, In(32, 32, make=uniform(-6, 6)), In(32, 32), Out(32, 32), i32(m), i32(n),
             variant=f"valid {m}x{n}", refused=refused)(reference)


@mixed("FFN/ffn-pto-new.pto", *[In(32, 32)] * 4, *[Out(32, 32)] * 4, i32(32), i32(32))
def feed_forward(x, w1, w3, w2, h1, h2, h, out, m, n, power=3):
    h1[:], h2[:] = product(x, w1), product(x, w3)
    h[:m, :n] = gate(h1[:m, :n], h2[:m, :n], power)
    out[:] = product(h, w2)


@mixed("FFN/ffn_full_tiled.pto", In(32, 128), In(128, 32), In(128, 32), In(32, 32),
       *[Out(32, 32)] * 4)
def feed_forward_tiled(*args):
    feed_forward(*args, 32, 32, power=-5)


# Paged attention.


@case("PyPTOIRParser/paged_attention_example_kernel_softmax_prepare.pto",
      In(16, 128, make=uniform(-2, 2)), Scalar("f32", 0.9), Out(16, 128, dtype="bf16"), Out(16, 1),
      Out(16, 1))
def softmax_prepare(scores, scale, weights, maximum, total):
    x = scores * scale
    maximum[:] = x.max(axis=1, keepdims=True)
    weights[:] = bf16_of(exp(x - maximum))
    total[:] = row_sum(f32_of(weights))


def online_update(m_new, l_new, o_new, m, l, o, out, first, last):
    if first:
        m[:], l[:], o[:] = m_new, l_new, o_new
    else:
        top = np.maximum(m, m_new)
        alpha, beta = exp(m - top), exp(m_new - top)
        l[:] = alpha * l + beta * l_new
        o[:] = o * alpha + o_new * beta
        m[:] = top
    out[:] = o / l if last else f32(0)


for first in (False, True):
    for last in (False, True):
        case("PyPTOIRParser/paged_attention_example_kernel_online_update.pto", In(16, 1),
             In(16, 1, make=uniform(1, 2)), In(16, 128), Out(16, 1, make=uniform(-1, 1)),
             Out(16, 1, make=uniform(1, 2)), Out(16, 128, make=uniform(-1, 1)), Out(16, 128),
             i1(first), i1(last), variant=f"first {first}, last {last}")(online_update)

# A layer of Qwen3. The files for A3 and A5 differ in the declared architecture only.


def qwen3(number, *args, **options):
    def add(reference):
        for chip in ("A3", "A5"):
            case(f"Qwen3Decode{chip}/qwen3_decode_incore_{number}.pto", *args,
                 **options)(reference)
        return reference

    return add


BF16 = {"dtype": "bf16"}
GRID = {"dtype": "bf16", "make": eighths(4)}  # sums of 8192 squares are exact


def rms_norm(x, gamma, out, chunk, factor, inverse):
    total = np.zeros((16, 1), f32)
    for first in range(0, x.shape[1], chunk):
        part = x[:, first : first + chunk]
        total = total + row_sum(part * part)
    scale = inverse(total * f32(factor) + f32(1e-6))
    out[:] = bf16_of((x * scale) * gamma)


@qwen3(0, In(16, 8192, **GRID), In(1, 8192), Out(16, 8192, **BF16), index(0))
def input_norm(hidden, gamma, out, row):
    rms_norm(f32_of(hidden), gamma, out, 512, 1 / 8192, lambda x: f32(1) / np.sqrt(x))


@qwen3(11, Out(16, 8192, **BF16), In(1, 8192), In(16, 8192, make=eighths(4)))
def post_norm(out, gamma, residual):
    rms_norm(residual, gamma, out, 128, 1 / 8192, lambda x: f32(1) / np.sqrt(x))


@case("Sync/decode_projection_incore_0.pto", In(16, 8192, **GRID), In(1, 8192),
      Out(16, 8192, **BF16), index(0))
def projection_norm(hidden, gamma, out, row):
    rms_norm(f32_of(hidden), gamma, out, 128, 1.220703e-04, rsqrt)


@case("Sync/rmsnorm_incore_0.pto", In(16, 5120, **GRID), In(1, 5120), Out(16, 5120, **BF16),
      index(0))
def norm_by_variance(hidden, gamma, out, row):
    # Like the file, it scales by the variance itself, not by 1 / sqrt of it.
    rms_norm(f32_of(hidden), gamma, out, 128, 1.953125e-04, lambda x: x)


@qwen3(1, In(16, 8192, **BF16), Out(16, 8192),
       In(8192, 8192, dtype="bf16", make=columns(1280, 256)), index(0), index(5))
def project_q(x, out, w, row, group):
    band = slice(256 * group, 256 * group + 256)
    out[:, band] = product(x, w[:, band])


@qwen3(2, Out(16, 1024), In(16, 8192, **BF16), Out(16, 1024), In(8192, 1024, **BF16),
       In(8192, 1024, **BF16), index(0), index(3))
def project_kv(k, x, v, wk, wv, row, group):
    band = slice(256 * group, 256 * group + 256)
    k[:, band], v[:, band] = product(x, wk[:, band]), product(x, wv[:, band])


@qwen3(3, Out(2048, 128, **BF16))
def pad_q(q):
    q.reshape(128, 16, 128)[:, 8:] = 0


CACHE = {"dtype": "bf16", "make": rows(3 * 32768, 32768)}


@qwen3(4, Out(2048, 128, **BF16), In(1, 64), In(1, 64), Out(524288, 128, **CACHE), In(16, 1024),
       In(16, 8192), In(1, 64), In(1, 64), Out(524288, 128, **CACHE), In(16, 1024), index(3),
       index(0), index(77))
def rotate(q_padded, cos_hi, cos_lo, k_cache, k, q, sin_hi, sin_lo, v_cache, v, b, group, position):
    def turned(x):
        low, high = x[:, :64], x[:, 64:]
        return bf16_of(np.hstack((low * cos_lo - high * sin_lo, high * cos_hi + low * sin_hi)))

    lines = b * 32768 + np.arange(8) * 4096 + position
    k_cache[lines] = turned(k[b].reshape(8, 128))
    v_cache[lines] = bf16_of(v[b].reshape(8, 128))
    heads = q_padded[b * 128 : b * 128 + 128].reshape(8, 16, 128)
    heads[:, :8] = turned(q[b].reshape(64, 128)).reshape(8, 8, 128)


HEAD = 2 * 32768 + 5 * 4096  # where the keys of sequence 2, head 5 begin
KEYS = {"dtype": "bf16", "make": rows(HEAD, 4096)}


@qwen3(5, Out(1024, 64), In(524288, 128, **KEYS), In(16, 128, **BF16), index(2), index(5), index(5),
       index(0))
def scores_of_blocks(scores, k_cache, q, b, count, head, group):
    for block in range(count):
        keys = k_cache[HEAD + 64 * block : HEAD + 64 * block + 64]
        scores[16 * block : 16 * block + 16] = product(q, keys.T)


@qwen3(6, Out(512, 1), Out(512, 1), Out(1024, 64, **BF16), In(1024, 64, make=uniform(-20, 20)),
       index(4), i32(3 * 64 + 41), index(0))
def softmax_of_blocks(total, maximum, weights, raw, count, length, group):
    for block in range(count):
        valid = min(length - 64 * block, 64)
        x = np.full((8, 64), -np.inf, f32)
        x[:, :valid] = raw[16 * block : 16 * block + 8, :valid]
        x = x * f32(8.83883476483184327e-02)
        top = x.max(axis=1, keepdims=True)
        w = bf16_of(exp(x - top))
        weights[16 * block : 16 * block + 8] = w
        maximum[8 * block : 8 * block + 8] = top
        total[8 * block : 8 * block + 8] = row_sum(f32_of(w))


@qwen3(7, In(1024, 64, **BF16), Out(1024, 128), In(524288, 128, **KEYS), index(2), index(5),
       index(5), index(0))
def values_of_blocks(weights, out, v_cache, b, count, head, group):
    for block in range(count):
        lines = slice(16 * block, 16 * block + 16)
        values = v_cache[HEAD + 64 * block : HEAD + 64 * block + 64]
        out[lines] = product(weights[lines], values)


@qwen3(8, In(512, 1, make=uniform(1, 2)), In(512, 1), In(1024, 128), Out(1, 8192, **BF16), index(6),
       index(16))
def merge_blocks(totals, maxima, values, out, count, head):
    m, l, o = maxima[:8], totals[:8], values[:8]
    for block in range(1, count):
        m_new, l_new = maxima[8 * block : 8 * block + 8], totals[8 * block : 8 * block + 8]
        top = np.maximum(m, m_new)
        alpha, beta = exp(m - top), exp(m_new - top)
        l = alpha * l + beta * l_new
        o = o * alpha + values[16 * block : 16 * block + 8] * beta
        m = top
    out[0, 128 * head : 128 * head + 1024] = bf16_of(o / l).reshape(1024)


@qwen3(9, In(16, 8192, **BF16), In(8192, 8192, dtype="bf16", make=columns(640, 64)), Out(16, 64),
       index(0), index(640))
def project_out(x, w, out, row, column):
    out[:] = product(x, w[:, column : column + 64])


@qwen3(10, In(16, 8192, **BF16), In(16, 64), Out(16, 8192), index(0), index(640))
def first_residual(hidden, x, out, row, column):
    band = slice(column, column + 64)
    out[:, band] = x + f32_of(hidden[:, band])


@qwen3(12, In(16, 8192, **BF16), In(8192, 25600, dtype="bf16", make=columns(1024, 256)),
       Out(16, 256), index(1024))
@qwen3(13, In(16, 8192, **BF16), In(8192, 25600, dtype="bf16", make=columns(25344, 256)),
       Out(16, 256), index(25344))
def project_wide(x, w, out, column):
    out[:] = product(x, w[:, column : column + 256])


@qwen3(14, In(16, 256, make=uniform(-5, 5)), In(16, 256), Out(16, 25600, **BF16))
def swish(g, up, out):
    sigmoid = f32(1) / (exp(-g) + f32(1))
    out[:, :256] = bf16_of((g * sigmoid) * up)


@qwen3(15, In(16, 25600, **BF16), In(25600, 8192, dtype="bf16", make=columns(384, 128)),
       Out(16, 128), index(384))
def project_down(x, w, out, column):
    out[:] = product(x, w[:, column : column + 128])


@qwen3(16, In(16, 128), Out(16, 8192, **BF16), In(16, 8192), index(0), index(384))
def second_residual(x, out, residual, row, column):
    band = slice(column, column + 128)
    out[:, band] = bf16_of(x + residual[:, band])


# Two kinds of cores.


@case("TPushTPop/test4/kernel.pto", Out(16, 512), In(16, 64, **BF16), In(64, 512, **BF16))
def add_product(out, a, b):
    out[:] = out + product(a, b)


# --- What to know --------------------------------------------------------------------------------

# These use features of A5 only: FIFOs on chip, buffer ids.
A5_ONLY = {"Sync/test_a5_buf_sync.pto"} | {f"TPushTPop/test{i}/kernel.pto" for i in range(1, 6)}
REASONS |= {
    "Addc/addc.pto": "pto-isa has TADDC on its CPU simulation only.",
    "Complex/mix_kernel.pto": "L0C to UB is an A5 move; the file stores nothing anyway.",
    "MatMul/0.pto": "Older spelling: v0.27 has neither `pto.subview` nor `!pto.tile_view`. With "
                    "`partition_view` in those lines the kernel is right.",
    "Subset/Subset.pto": "A test of one pass: its parameters are a tile and memrefs, which nobody "
                         "can launch.",
    "Sync/test_inject_sync_intra_pipe_barrier.pto": "A test of one pass, below tiles (memref).",
    "Sync/test_a5_buf_sync.pto": "Vector work in a section of the cube core.",
    "Sync/test_dynamic_valid_shape.pto": "The second turn of the loop makes 33 columns valid in a "
                                         "tile of 32; the file stores nothing anyway.",
}
REMARKS |= {path: "On ascend950pr." for path in A5_ONLY}
REMARKS |= {
    "Sync/compensation_test.pto": "With condition true; false stores a tile never written.",
    "Sync/rmsnorm_incore_0.pto": "As written: scaled by the variance, not 1 / sqrt of it.",
}


def explain(case):
    if case.settled:
        REASONS[case.path] = ("Cube and vector cores hand over through global memory without "
                              "cross-core flags; ptoas v0.27 inserts none either.")
    elif case.path.startswith("TPushTPop"):
        REASONS[case.path] = "Pipes between cube and vector cores."
        REASONS[case.path] += (" Its factors share bytes of L1: one of 32768 from 0 on, the other at "
                               "16384." if "test5" in case.path else " Stores nothing.")
    elif case.reference is None:
        REASONS.setdefault(case.path, "Stores nothing.")
    if case.refused:
        REMARKS[case.path] = (f"Valid regions smaller than the view are refused as they must be "
                              f"[{case.refused}].")


for each in CASES:
    explain(each)

# --- Running -------------------------------------------------------------------------------------

WORST_FIRST = ["crashed", "wrong", "unordered", "refused", "accepted", "ran", "right"]


def first_line(text):
    for line in text.splitlines():
        if "error" in line:
            return line.strip()
    return text.strip().splitlines()[0] if text.strip() else "no message"


def execute(command, folder):
    """State by exit code, and the message."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                              timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return "crashed", f"no end after {TIME_LIMIT} s"
    if done.returncode == 0:
        return "right", ""
    state = {1: "wrong", 2: "refused"}.get(done.returncode, "crashed")
    if done.returncode == 1 and "[G04]" in done.stderr:
        state = "unordered"
    return state, first_line(done.stderr) if done.returncode > 0 else f"signal {-done.returncode}"


def difference(expected, got):
    """None, or a sentence. Bits are compared."""
    if expected.shape != got.shape:
        return f"shape {got.shape}, not {expected.shape}"
    if expected.tobytes() == got.tobytes():
        return None
    unsigned = np.dtype(f"u{expected.dtype.itemsize}")
    differs = np.argwhere(np.ascontiguousarray(expected).view(unsigned) !=
                          np.ascontiguousarray(got).view(unsigned))
    where = tuple(int(i) for i in differs[0])
    return (f"{len(differs)} of {expected.size} elements differ, first at {where}: "
            f"{got[where]}, not {expected[where]}")


def compare(expected, outputs, folder):
    for i in outputs:
        path = pathlib.Path(f"{folder}/{i}.out.npy")
        text = difference(expected[i], np.load(path)) if path.exists() else "no file of results"
        if text:
            return f"argument {i}: {text}"
    return None


INSERTED = ["check", "--sync", "insert"]  # instead of what a file asks for


def run_case(case, ptosim, samples, inserted=False):
    rng = np.random.default_rng(zlib.crc32(f"{case.path} {case.variant}".encode()))
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        command = [ptosim, *(INSERTED if inserted else ["run"]), case.path, "--blocks",
                   str(case.blocks)]
        if case.path in A5_ONLY:
            command += ["--chip", "ascend950pr"]
        if case.entry:
            command += ["--entry", case.entry]
        if case.sync and not inserted:
            command += ["--sync", case.sync]
        values, outputs = [], []
        for i, argument in enumerate(case.args):
            if isinstance(argument, Scalar):
                command += ["--arg", argument.text]
                values.append(argument.value)
                continue
            array = argument.make(rng, argument.shape, argument.dtype)
            np.save(f"{folder}/{i}.npy", array)
            values.append(array)
            if argument.output:
                outputs.append(i)
                command += ["--arg", f"inout={folder}/{i}.npy:{folder}/{i}.out.npy"]
            else:
                command += ["--arg", f"in={folder}/{i}.npy"]
        state, message = execute(command, samples)
        if case.refused:
            if state == "refused" and f"[{case.refused}]" in message:
                return "right", ""
            return ("wrong", f"not refused with {case.refused}") if state == "right" else (
                state, message)
        if state != "right":
            return state, message
        if case.reference is None:
            return "ran", ""
        case.reference(*values)
        text = compare(values, outputs, folder)
        return ("wrong", text) if text else ("right", "")


def run_file(path, ptosim, samples, inserted=False):
    cases = [case for case in CASES if case.path == path]
    if not cases:
        state, message = execute([ptosim, "run", path, "--dry-run"], samples)
        return {"path": path, "state": "accepted" if state == "right" else state,
                "message": message, "runs": 0, "sync": ""}
    worst, text = "right", ""
    for case in cases:
        state, message = run_case(case, ptosim, samples, inserted)
        if WORST_FIRST.index(state) < WORST_FIRST.index(worst):
            worst = state
            text = f"({case.variant}) {message}" if case.variant and message else message
    sync = next((case.sync for case in cases if case.sync), "")
    return {"path": path, "state": worst, "message": text, "runs": len(cases), "sync": sync}


# --- Reports -------------------------------------------------------------------------------------


def identity(checkout, paths, samples, commit):
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.encode() + b"\0" + (samples / path).read_bytes() + b"\0")
    return commit_of(checkout, commit), digest.hexdigest()


def counts(results):
    return {state: count for state in reversed(WORST_FIRST)
            if (count := sum(result["state"] == state for result in results))}


def declares_a5(file):
    return 'target_arch = "a5"' in file.read_text()


def markdown(results, commit, digest):
    lines = [f"{datetime.date.today()}; hw-native-sys/PTOAS at {commit}; sha256 over its "
             f"{len(results)} files {digest[:16]}.", "",
             ", ".join(f"{count} {state}" for state, count in counts(results).items()) + ".", "",
             "| file | state | runs | message, reason |", "|---|---|---|---|"]
    for result in results:
        parts = [f"`{result['message']}`" if result["message"] else "", result["note"]]
        text = " ".join(part for part in parts if part).replace("|", "\\|")
        lines.append(f"| {result['path']} | {result['state']} | {result['runs']} | {text} |")
    return "\n".join(lines) + "\n"


def ptoas(options):
    checkout = pathlib.Path(options.checkout).resolve()
    samples = checkout / "test" / "samples"
    paths = sorted(str(path.relative_to(samples)) for path in samples.rglob("*.pto"))
    if not paths:
        sys.exit(f"error: no .pto files under {samples}")
    for path in sorted({case.path for case in CASES} - set(paths)):
        print(f"note: the checkout has no {path}", file=sys.stderr)
    chosen = [path for path in paths if not options.only or options.only in path]
    if not chosen:
        sys.exit(f"error: no file has '{options.only}' in its path")
    commit, digest = identity(checkout, paths, samples, options.commit)
    ptosim = program(options.ptosim)
    results = []
    for path in chosen:
        start = time.monotonic()
        result = run_file(path, ptosim, samples, options.insert)
        result["seconds"] = round(time.monotonic() - start, 2)
        remarks = [REASONS.get(path, "") if result["state"] != "right" else "",
                   REMARKS.get(path, ""),
                   "Declares a5." if declares_a5(samples / path) else ""]
        result["note"] = " ".join(text for text in remarks if text)
        results.append(result)
        print(f"{result['state']:9} {result['seconds']:6.1f} s  {path}  {result['message']}",
              flush=True)
    print(", ".join(f"{count} {state}" for state, count in counts(results).items()))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(
            {"repository": "hw-native-sys/PTOAS", "commit": commit, "sha256": digest,
             "counts": counts(results), "files": results}, indent=1) + "\n")
    if options.record:
        put(markdown(results, commit, digest), options.record, "table")
    return any(result["state"] in ("wrong", "crashed") for result in results)


def main():
    parser = parser_of(__doc__, "ptosim", "only", "commit", "json", "record")
    parser.add_argument("checkout")
    parser.add_argument("--insert", action="store_true",
                        help="under every checker, with inserted flags (--sync insert)")
    sys.exit(1 if ptoas(parser.parse_args()) else 0)


if __name__ == "__main__":
    main()
