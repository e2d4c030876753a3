"""References of the samples of PTOAS: numpy, written from the computation in each .pto file.

f32 operations round once, by IEEE 754, as numpy's do. Functions (exp, 1/sqrt) are taken to be correctly rounded: computed with
64 significant bits, then rounded. A matrix product adds its terms in increasing k with one rounding each (fused), across the
parts of a split k; where a bias comes in, and for sums of rows, inputs are chosen such that every partial sum is exact, so that
the order does not matter.
"""
import numpy as np

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
    """a * b + c, rounded once. The product of two f32 is exact in f64; their sum is rounded to odd there, which makes the
    second rounding harmless (53 >= 2 * 24 + 2)."""
    product, c = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = product + c
    part = total - product
    lost = (product - (total - part)) + (c - part)
    even = (total.view(np.uint64) & 1) == 0
    toward = np.where(lost > 0, np.inf, -np.inf)
    return np.where((lost != 0) & even, np.nextafter(total, toward), total).astype(f32)


def product(a, b):
    """a @ b in f32, each element one chain of fused multiply-adds in increasing k."""
    acc, add = np.zeros((a.shape[0], b.shape[1]), f32), fma
    if a.dtype == np.uint16:  # products of bf16 values are exact in f32
        a, b, add = f32_of(a), f32_of(b), lambda x, y, total: total + x * y
    for k in range(a.shape[1]):
        acc = add(a[:, k : k + 1], b[k : k + 1, :], acc)
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


def band(first, count, rows=False):
    """Zeros with one band of random columns or rows, for weights of hundreds of megabytes."""

    def make(rng, shape, dtype):
        array, part = np.zeros(shape, NUMPY[dtype]), slice(max(first - 16, 0), first + count + 16)
        part = part if rows else (slice(None), part)
        array[part] = uniform(-1, 1)(rng, array[part].shape, dtype)
        return array

    return make


class Tensor:
    def __init__(self, shape, dtype, make, output):
        self.shape, self.dtype, self.make, self.output = shape, dtype, make, output


def In(*shape, dtype="f32", make=uniform(-1, 1)):
    return Tensor(shape, dtype, make, False)


def Out(*shape, dtype="f32", make=None):
    """An output, full of random numbers before the run: what must stay is compared as well."""
    return Tensor(shape, dtype, make or (integers if dtype == "i16" else uniform(-100, 100)), True)


def same(count, *shape):
    """Inputs and an output of one shape."""
    return *[In(*shape)] * count, Out(*shape)


class Scalar:
    output = False

    def __init__(self, dtype, value):
        self.text, self.value = f"{dtype}={value}", f32(value) if dtype == "f32" else value


def i1(value):
    return Scalar("i1", int(value))


def i32(value):
    return Scalar("i32", value)


def index(value):
    return Scalar("i64", value)


# --- Cases ---------------------------------------------------------------------------------------


class Case:
    """One run of one file. `reference` gets all arguments in order, outputs as they are before the run, and changes the outputs
    in place; None: nothing is stored. `refused`: the code with which the program must refuse these arguments. `unordered`: the
    file does not order its cores."""

    def __init__(self, path, args, reference, variant="", refused=None, unordered=False):
        self.path, self.args, self.reference, self.variant = path, args, reference, variant
        self.refused, self.unordered = refused, unordered


CASES = []
REASONS = {}  # path -> why it is not right
REMARKS = {}  # path -> what to know in any case


def case(path, *args, **options):
    """Decorates the reference of one run."""

    def add(reference):
        CASES.append(Case(path, list(args), reference, **options))
        return reference

    return add


def gives(function, *runs, **options):
    """Runs, (path, *arguments), all of whose outputs are a function of the other arguments."""

    def reference(args, *values):
        made = function(*(value for value, argument in zip(values, args) if not argument.output))
        for out, value in zip((value for value, argument in zip(values, args) if argument.output),
                              made if isinstance(made, tuple) else (made,)):
            out[...] = value

    for path, *args in runs:
        case(path, *args, **options)(lambda *values, args=args: reference(args, *values))


def valid_sizes(*sizes):
    """Sizes of valid regions, and how a run with them ends: a load needs a view of the very same shape, and the views of the
    samples are whole (pto-isa asserts this, too)."""
    return [(size, None if set(size) == {32} else "S04") for size in sizes]


def nothing(path, *args):
    """A run that stores nothing."""
    CASES.append(Case(path, list(args), None))


# Vectors.

P, S, F, A, G = "PyPTOIRParser/", "Sync/", "FFN/", "FlashAttention/", "GQA/"
I16 = In(32, 16, dtype="i16", make=integers)

gives(lambda a, b: a + b, ("VectorAddition/vadd.pto", *same(2, 32, 32)),
      (P + "orchestration_example_kernel_add.pto", *same(2, 16, 16)),
      (P + "vector_example_dag_kernel_add.pto", *same(2, 128, 128)))
gives(lambda a, b: a * b, (P + "orchestration_example_kernel_mul.pto", *same(2, 16, 16)),
      (P + "vector_example_dag_kernel_mul.pto", *same(2, 128, 128)))
gives(lambda a, scalar: a + scalar,
      (P + "orchestration_example_kernel_add_scalar.pto", In(16, 16), Scalar("f32", 0.7), Out(16, 16)),
      (P + "vector_example_dag_kernel_add_scalar.pto", In(128, 128), Scalar("f32", -1.3), Out(128, 128)))
gives(lambda a, b, c: (a + b) + c, ("Addc/addc.pto", *same(3, 32, 32)))
gives(lambda a, b: np.hstack((a, b)), ("Concat/concat-pto-ir.pto", I16, I16, Out(32, 32, dtype="i16")))
gives(lambda a: a, (S + "nested_loop_confliect.pto", *same(1, 32, 32)),
      (S + "test_tmov_col_major_16x1_align_a5.pto", *same(1, 16, 1)))
case(S + "compensation_test.pto", Out(32, 32), i1(True))(lambda data, condition: None)  # it stores the loaded values
for choice in (1, 0):
    gives(lambda a, b, choice: b + b if choice == 1 else b * b,
          (S + "test_if_else_tile_result.pto", In(256, 64), In(256, 64), i32(choice), Out(256, 64)), variant=f"choice {choice}")


def control_flow(a):
    for outer in (1.25, -0.75):
        for step in (outer, -0.25, 0.5, -0.25):
            a = a + f32(step)
    return a


def dynamic_branch(a, out, valid_rows, valid_columns, mode):
    x = a[:valid_rows, :valid_columns]
    out[:valid_rows, :valid_columns] = (np.clip(x * f32(2), f32(-4.0001), f32(4.0001)) + f32(1) if mode == 0
                                        else (x * x + x * f32(-0.5)) + f32(-1))


gives(control_flow, ("ControlFlow/control_flow-pto-new.pto", *same(1, 32, 32)))
for mode in (0, 1):
    for size, refused in valid_sizes((32, 32), (19, 27)):
        case("ControlFlow/control_flow_dynamic_branch.pto", In(32, 32, make=uniform(-4, 4)), Out(32, 32), i32(size[0]), i32(size[1]),
             i32(mode), variant=f"mode {mode}, valid {size[0]}x{size[1]}", refused=refused)(dynamic_branch)


def nested(a):
    acc = a[:32]
    for data in (a[:32], a[32:]):
        for _ in range(3):
            acc = acc + data * f32(0.25)
            data = data * f32(1.25)
    return acc * f32(-1)


def partition_5d(source, out, *_):
    out[0, 0, :, :16, :16] = source[0, 0, :, :16, :16]


gives(nested, ("ControlFlow/control_flow_nested_vec.pto", In(64, 32), Out(32, 32)))
CORNER = lambda rng, shape, dtype: np.pad(uniform(-1, 1)(rng, (1, 1, 16, 32, 32), dtype),
                                          ((0, 0), (0, 0), (0, 0), (0, 992), (0, 992)))
CUBES = [kind(1, 1, 16, 1024, 1024, make=CORNER) for kind in (In, Out)]
case("Partition5D/partition5d.pto", *CUBES)(partition_5d)
case("Partition5D/partition5d_dynamic.pto", *CUBES, *[index(0)] * 5, index(1), index(1), *[index(16)] * 3)(partition_5d)

# Files that store nothing.

for name in ("rar_optimization_test", "test_auto_sync_tail_hint"):
    nothing(f"Sync/{name}.pto", In(32, 32), In(32, 32))
nothing("Sync/test_dynamic_valid_shape.pto", In(64), In(64), i32(64))
for name in ("Sync/test_tmov_row_major_1x16_control_a5", "Sync/test_a5_buf_sync", "Sync/test_inject_sync_intra_pipe_barrier",
             "SCF/scf_for_break_like", "SCF/scf_while_break"):
    nothing(f"{name}.pto")
nothing(P + "paged_attention_example_kernel_init_inplace.pto", In(16, 128), In(16, 1), In(16, 1))
nothing("Complex/mix_kernel.pto", In(32, 32), In(32, 32), In(32, 32))
for path in ("test1", "test2", "a3/test1", "a3/test2"):
    slot = [In(8, 16, 16)] if path.startswith("a3") else []
    nothing(f"TPushTPop/{path}/kernel.pto", In(16, 16), In(16 if path.endswith("1") else 64, 16), *slot)
nothing("TPushTPop/test3/kernel.pto", In(16, 16), In(16, 16))
nothing("TPushTPop/test5/kernel.pto", Out(16, 128), In(16, 64), In(64, 128))

# Products of matrices.

for path in ("MatMul/tmatmulk.pto", "MatMul/0.pto", "Sync/matmul.pto"):
    for with_bias in (False, True):
        make = eighths(4) if with_bias else uniform(-1, 1)
        gives(lambda a, b, bias, with_bias: product(a, b) + (bias if with_bias else f32(0)),
              (path, Out(32, 32), In(32, 256, make=make), In(256, 32, make=make), In(1, 32, make=make), i1(with_bias)),
              variant=f"bias {with_bias}")
gives(lambda a, b, bias: product(a, b) + bias,
      ("MatmulVectorMix/matmul_vector_mix-pto-new.pto", In(32, 32, make=eighths(4)), In(32, 32, make=eighths(4)),
       In(1, 32, make=eighths(4)), Out(32, 32)))
for a_by_columns in (False, True):
    for b_by_rows in (False, True):
        gives(lambda a, b, a_by_columns, b_by_rows: product(a.reshape(256, 32).T if a_by_columns else a,
                                                            b if b_by_rows else b.reshape(32, 256).T),
              ("Matmul_transpose/Matmul_transpose-pto-ir.pto", Out(32, 32), In(32, 256), In(256, 32), i1(a_by_columns),
               i1(b_by_rows)), variant=f"a {'DN' if a_by_columns else 'ND'}, b {'ND' if b_by_rows else 'DN'}")

BF16 = {"dtype": "bf16"}
SPLIT = In(32, 128), In(128, 32), Out(32, 32)
PAGED = In(16, 128, **BF16), In(128, 128, **BF16), Out(16, 128)
gives(product, *((path, *same(2, 32, 32)) for path in (
    G + "gqa_qk.pto", G + "gqa_sv.pto", A + "flash_attention_qk.pto", A + "flash_attention_sv.pto", F + "ffn_fc2.pto")),
      *((path, *SPLIT) for path in (G + "gqa_qk_splitk.pto", A + "flash_attention_qk_splitk.pto",
                                    A + "flash_attention_sv_splitk.pto")),
      (P + "paged_attention_example_kernel_pv_matmul.pto", *PAGED))
gives(lambda a, b: product(a, b.T), (P + "paged_attention_example_kernel_qk_matmul.pto", *PAGED))
gives(lambda x, w1, w3: (product(x, w1), product(x, w3)), (F + "ffn_fc1.pto", *same(3, 32, 32), Out(32, 32)),
      (F + "ffn_fc1_splitk.pto", In(32, 128), In(128, 32), In(128, 32), Out(32, 32), Out(32, 32)))
gives(lambda a, b: product(a[:, :32], b[:32]) * f32(0.5),
      ("ControlFlow/control_flow_mixed_pipe.pto", In(32, 64), In(64, 32), Out(32, 32)), unordered=True)


def boundary(a, b, out, m, k, n):
    out[:m, :n] = product(a[:m, :k], b[:k, :n])


for (m, k, n), refused in valid_sizes((32, 32, 32), (21, 24, 27)):
    case(A + "flash_attention_qk_boundary.pto", *same(2, 32, 32), i32(m), i32(k), i32(n), variant=f"valid m {m}, k {k}, n {n}",
         refused=refused)(boundary)


# Attention with a polynomial for exp, and the gated activation.


def soft(scores, group=None, cubic=False):
    x = scores if group is None else scores * group
    x = np.clip(x * f32(1.767767e-01), f32(-4.0001), f32(4.0001))
    x2 = x * x
    x3 = x2 * x
    total = (x + x2 * f32(0.5)) + x3 * f32(1.666667e-01)
    if not cubic:
        total = total + (x3 * x) * f32(4.166667e-02)
    return (total + f32(1.0001)) / f32(3.200010e01)


def gate(h1, h2, power):
    x = np.clip(h1, f32(-4.0001), f32(4.0001))
    x2 = x * x
    curve = {3: x2 * x, 5: x2 * (x2 * x), -5: (x2 * x2) * x}[power] * f32(-2.083333e-02)
    line = x * f32(0.25)
    factor = (curve + line) + f32(0.5) if power == -5 else (line + f32(0.5)) + curve
    return factor * h2


def in_region(function):
    """A reference for a valid region: of the last input `out`, rows and columns."""

    def reference(*values):
        *inputs, out, m, n = values
        out[:m, :n] = function(*(value[:m, :n] for value in inputs))

    return reference


def attention(q, kt, v, group=None, cubic=False):
    scores = product(q, kt)
    weights = soft(scores, group, cubic)
    return scores, weights, product(weights, v)


def feed_forward(x, w1, w3, w2, *sizes, power=3):
    h1, h2 = product(x, w1), product(x, w3)
    h = gate(h1, h2, power)
    return h1, h2, h, product(h, w2)


WIDE = In(32, 32, make=uniform(-30, 30))  # reaches the clamps
ONE, OUT = In(32, 32), Out(32, 32)
LONG = In(32, 128), In(128, 32)
gives(soft, (A + "flash_attention_softmax.pto", WIDE, OUT), (G + "gqa_softmax.pto", WIDE, ONE, OUT))
for (m, n), refused in valid_sizes((32, 32), (19, 27)):
    for path, inputs, function in (
            (A + "flash_attention_softmax_boundary.pto", [WIDE], soft), (G + "gqa_softmax_dynamic.pto", [WIDE, ONE], soft),
            (F + "ffn_act.pto", [In(32, 32, make=uniform(-6, 6)), ONE], lambda h1, h2: gate(h1, h2, 3)),
            (F + "ffn_act_dynamic.pto", [In(32, 32, make=uniform(-6, 6)), ONE], lambda h1, h2: gate(h1, h2, 5))):
        case(path, *inputs, OUT, i32(m), i32(n), variant=f"valid {m}x{n}", refused=refused)(in_region(function))
# Files for cube and vector cores that do not order them.
gives(attention, *((A + name, *[ONE] * 3, *[OUT] * 3) for name in ("flash_attention-pto-new.pto",
                                                                  "flash_attention_full_intermediate.pto")),
      (A + "flash_attention_full_tiled.pto", *LONG, ONE, *[OUT] * 3), (G + "gqa-pto-new.pto", *[ONE] * 4, *[OUT] * 3),
      unordered=True)
gives(lambda *inputs: attention(*inputs, cubic=True), (G + "gqa_full_tiled.pto", *LONG, ONE, ONE, *[OUT] * 3), unordered=True)
gives(feed_forward, (F + "ffn-pto-new.pto", *[ONE] * 4, *[OUT] * 4, i32(32), i32(32)), unordered=True)
gives(lambda *inputs: feed_forward(*inputs, power=-5), (F + "ffn_full_tiled.pto", *LONG, In(128, 32), ONE, *[OUT] * 4),
      unordered=True)

# Paged attention.


def softmax_prepare(scores, scale):
    x = scores * scale
    maximum = x.max(axis=1, keepdims=True)
    weights = bf16_of(exp(x - maximum))
    return weights, maximum, row_sum(f32_of(weights))


def merged(m, l, o, m_new, l_new, o_new):
    """Maximum, total and output of two parts of a softmax."""
    top = np.maximum(m, m_new)
    alpha, beta = exp(m - top), exp(m_new - top)
    return top, alpha * l + beta * l_new, o * alpha + o_new * beta


def online_update(m_new, l_new, o_new, m, l, o, out, first, last):
    m[:], l[:], o[:] = (m_new, l_new, o_new) if first else merged(m, l, o, m_new, l_new, o_new)
    out[:] = o / l if last else f32(0)


gives(softmax_prepare, (P + "paged_attention_example_kernel_softmax_prepare.pto", In(16, 128, make=uniform(-2, 2)),
                        Scalar("f32", 0.9), Out(16, 128, **BF16), Out(16, 1), Out(16, 1)))
for first in (False, True):
    for last in (False, True):
        case(P + "paged_attention_example_kernel_online_update.pto", In(16, 1), In(16, 1, make=uniform(1, 2)), In(16, 128),
             Out(16, 1, make=uniform(-1, 1)), Out(16, 1, make=uniform(1, 2)), Out(16, 128, make=uniform(-1, 1)), Out(16, 128),
             i1(first), i1(last), variant=f"first {first}, last {last}")(online_update)

# A layer of Qwen3. The files for A3 and A5 differ in the declared architecture only.


def qwen3(number, *args):
    def add(reference):
        for chip in ("A3", "A5"):
            case(f"Qwen3Decode{chip}/qwen3_decode_incore_{number}.pto", *args)(reference)
        return reference

    return add


GRID = {"dtype": "bf16", "make": eighths(4)}  # sums of 8192 squares are exact
CACHE = Out(524288, 128, dtype="bf16", make=band(3 * 32768, 32768, rows=True))
HEAD = 2 * 32768 + 5 * 4096  # where the keys of sequence 2, head 5 begin
KEYS = In(524288, 128, dtype="bf16", make=band(HEAD, 4096, rows=True))
HIDDEN = In(16, 8192, **BF16)


def rms_norm(x, gamma, chunk, factor, inverse):
    total = np.zeros((16, 1), f32)
    for first in range(0, x.shape[1], chunk):
        part = x[:, first : first + chunk]
        total = total + row_sum(part * part)
    scale = inverse(total * f32(factor) + f32(1e-6))
    return bf16_of((x * scale) * gamma)


@qwen3(0, In(16, 8192, **GRID), In(1, 8192), Out(16, 8192, **BF16), index(0))
def input_norm(hidden, gamma, out, row):
    out[:] = rms_norm(f32_of(hidden), gamma, 512, 1 / 8192, lambda x: f32(1) / np.sqrt(x))


@qwen3(11, Out(16, 8192, **BF16), In(1, 8192), In(16, 8192, make=eighths(4)))
def post_norm(out, gamma, residual):
    out[:] = rms_norm(residual, gamma, 128, 1 / 8192, lambda x: f32(1) / np.sqrt(x))


gives(lambda hidden, gamma, row: rms_norm(f32_of(hidden), gamma, 128, 1.220703e-04, rsqrt),
      (S + "decode_projection_incore_0.pto", In(16, 8192, **GRID), In(1, 8192), Out(16, 8192, **BF16), index(0)))
# Like the file, it scales by the variance itself, not by 1 / sqrt of it.
gives(lambda hidden, gamma, row: rms_norm(f32_of(hidden), gamma, 128, 1.953125e-04, lambda x: x),
      (S + "rmsnorm_incore_0.pto", In(16, 5120, **GRID), In(1, 5120), Out(16, 5120, **BF16), index(0)))


@qwen3(1, HIDDEN, Out(16, 8192), In(8192, 8192, dtype="bf16", make=band(1280, 256)), index(0), index(5))
def project_q(x, out, w, row, group):
    columns = slice(256 * group, 256 * group + 256)
    out[:, columns] = product(x, w[:, columns])


@qwen3(2, Out(16, 1024), HIDDEN, Out(16, 1024), In(8192, 1024, **BF16), In(8192, 1024, **BF16), index(0), index(3))
def project_kv(k, x, v, wk, wv, row, group):
    columns = slice(256 * group, 256 * group + 256)
    k[:, columns], v[:, columns] = product(x, wk[:, columns]), product(x, wv[:, columns])


@qwen3(3, Out(2048, 128, **BF16))
def pad_q(q):
    q.reshape(128, 16, 128)[:, 8:] = 0


@qwen3(4, Out(2048, 128, **BF16), In(1, 64), In(1, 64), CACHE, In(16, 1024), In(16, 8192), In(1, 64), In(1, 64), CACHE,
       In(16, 1024), index(3), index(0), index(77))
def rotate(q_padded, cos_hi, cos_lo, k_cache, k, q, sin_hi, sin_lo, v_cache, v, b, group, position):
    def turned(x):
        low, high = x[:, :64], x[:, 64:]
        return bf16_of(np.hstack((low * cos_lo - high * sin_lo, high * cos_hi + low * sin_hi)))

    lines = b * 32768 + np.arange(8) * 4096 + position
    k_cache[lines] = turned(k[b].reshape(8, 128))
    v_cache[lines] = bf16_of(v[b].reshape(8, 128))
    heads = q_padded[b * 128 : b * 128 + 128].reshape(8, 16, 128)
    heads[:, :8] = turned(q[b].reshape(64, 128)).reshape(8, 8, 128)


@qwen3(5, Out(1024, 64), KEYS, In(16, 128, **BF16), index(2), index(5), index(5), index(0))
def scores_of_blocks(scores, k_cache, q, b, count, head, group):
    for block in range(count):
        scores[16 * block : 16 * block + 16] = product(q, k_cache[HEAD + 64 * block : HEAD + 64 * block + 64].T)


@qwen3(6, Out(512, 1), Out(512, 1), Out(1024, 64, **BF16), In(1024, 64, make=uniform(-20, 20)), index(4), i32(3 * 64 + 41),
       index(0))
def softmax_of_blocks(total, maximum, weights, raw, count, length, group):
    for block in range(count):
        valid, lines = min(length - 64 * block, 64), slice(8 * block, 8 * block + 8)
        x = np.full((8, 64), -np.inf, f32)
        x[:, :valid] = raw[16 * block : 16 * block + 8, :valid]
        x = x * f32(8.83883476483184327e-02)
        maximum[lines] = x.max(axis=1, keepdims=True)
        w = weights[16 * block : 16 * block + 8] = bf16_of(exp(x - maximum[lines]))
        total[lines] = row_sum(f32_of(w))


@qwen3(7, In(1024, 64, **BF16), Out(1024, 128), KEYS, index(2), index(5), index(5), index(0))
def values_of_blocks(weights, out, v_cache, b, count, head, group):
    for block in range(count):
        lines = slice(16 * block, 16 * block + 16)
        out[lines] = product(weights[lines], v_cache[HEAD + 64 * block : HEAD + 64 * block + 64])


@qwen3(8, In(512, 1, make=uniform(1, 2)), In(512, 1), In(1024, 128), Out(1, 8192, **BF16), index(6), index(16))
def merge_blocks(totals, maxima, values, out, count, head):
    parts = [(maxima[8 * block :][:8], totals[8 * block :][:8], values[16 * block :][:8]) for block in range(count)]
    whole = parts[0]
    for part in parts[1:]:
        whole = merged(*whole, *part)
    out[0, 128 * head : 128 * head + 1024] = bf16_of(whole[2] / whole[1]).reshape(1024)


@qwen3(9, HIDDEN, In(8192, 8192, dtype="bf16", make=band(640, 64)), Out(16, 64), index(0), index(640))
def project_out(x, w, out, row, column):
    out[:] = product(x, w[:, column : column + 64])


@qwen3(10, HIDDEN, In(16, 64), Out(16, 8192), index(0), index(640))
def first_residual(hidden, x, out, row, column):
    out[:, column : column + 64] = x + f32_of(hidden[:, column : column + 64])


@qwen3(12, HIDDEN, In(8192, 25600, dtype="bf16", make=band(1024, 256)), Out(16, 256), index(1024))
@qwen3(13, HIDDEN, In(8192, 25600, dtype="bf16", make=band(25344, 256)), Out(16, 256), index(25344))
@qwen3(15, In(16, 25600, **BF16), In(25600, 8192, dtype="bf16", make=band(384, 128)), Out(16, 128), index(384))
def project_wide(x, w, out, column):
    out[:] = product(x, w[:, column : column + out.shape[1]])


@qwen3(14, In(16, 256, make=uniform(-5, 5)), In(16, 256), Out(16, 25600, **BF16))
def swish(g, up, out):
    sigmoid = f32(1) / (exp(-g) + f32(1))
    out[:, :256] = bf16_of((g * sigmoid) * up)


@qwen3(16, In(16, 128), Out(16, 8192, **BF16), In(16, 8192), index(0), index(384))
def second_residual(x, out, residual, row, column):
    out[:, column : column + 128] = bf16_of(x + residual[:, column : column + 128])


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
    "MatMul/0.pto": "Older spelling: v0.27 has neither `pto.subview` nor `!pto.tile_view`. With `partition_view` in those lines "
                    "the kernel is right.",
    "Subset/Subset.pto": "A test of one pass: its parameters are a tile and memrefs, which nobody can launch.",
    "Sync/test_inject_sync_intra_pipe_barrier.pto": "A test of one pass, below tiles (memref).",
    "Sync/test_a5_buf_sync.pto": "Vector work in a section of the cube core.",
    "Sync/test_dynamic_valid_shape.pto": "The second turn of the loop makes 33 columns valid in a tile of 32; the file stores "
                                         "nothing anyway.",
}
REMARKS |= {path: "On ascend950pr." for path in A5_ONLY}
REMARKS |= {
    "Sync/compensation_test.pto": "With condition true; false stores a tile never written.",
    "Sync/rmsnorm_incore_0.pto": "As written: scaled by the variance, not 1 / sqrt of it.",
}
for each in CASES:
    if each.unordered:
        REASONS[each.path] = ("Cube and vector cores hand over through global memory without cross-core flags; ptoas v0.27 inserts "
                              "none either.")
    elif each.path.startswith("TPushTPop"):
        REASONS[each.path] = "Pipes between cube and vector cores." + (
            " Its factors share bytes of L1: one of 32768 from 0 on, the other at 16384." if "test5" in each.path
            else " Stores nothing.")
    elif each.reference is None:
        REASONS.setdefault(each.path, "Stores nothing.")
    if each.refused:
        REMARKS[each.path] = f"Valid regions smaller than the view are refused as they must be [{each.refused}]."
