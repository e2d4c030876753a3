"""Cases of the C++ kernels of huawei-csl/pto-kernels: inputs, and the mathematics of their names in double precision."""
import numpy as np

from cpp import F16, F32, I32, Case, bf16, silu, whole

CSRC, JIT = "csrc/kernel/", "examples/jit_cpp/"
STATIC = ".skills/testing-pto-kernels/reference/static_single_core/"
DYNAMIC = ".skills/testing-pto-kernels/reference/dynamic_multi_core/"
CASES = []


def case(source, entry, label="", chip="ascend910b1"):
    """A function from a random generator to the Case, for a kernel of a source file."""
    def add(function):
        CASES.append((source, entry, label, chip, function))
        return function
    return add


# ---- vector kernels ----------------------------------------------------------------------------
for name, dtype in (("fp16", F16), ("fp32", F32)):
    @case(CSRC + "kernel_abs.cpp", f"vabs_{name}")
    def absolute(rng, dtype=dtype):
        x = rng.standard_normal(128 * 50).astype(dtype)
        return Case("aiv", 48, [x, np.zeros_like(x), x.size], {1: np.abs(x)})

    @case(CSRC + "kernel_csr_gather.cpp", f"csr_gather_{name}")
    def gather(rng, dtype=dtype):
        x, values = rng.random(2048).astype(dtype), rng.random(1200).astype(dtype)
        at = rng.integers(0, x.size, values.size).astype(I32)
        return Case("aiv", 3, [values, at, x, np.zeros_like(values), x.size, at.size], {3: values * x[at]})

    @case(CSRC + "kernel_tri_inv_col_sweep.cpp", f"triv_inv_col_sweep_{name}")
    def column_sweep(rng, dtype=dtype):
        # The inverse of the triangle of ones has ones and, next to them, minus ones.
        a = np.tril(np.ones((4, 32, 32), dtype))
        inverse = np.linalg.inv(a.astype(float))
        return Case("mix", 2, [a, np.zeros_like(a), a.size, 32], {1: inverse.astype(dtype)})


@case(CSRC + "kernel_swiglu.cpp", "swiglu_fp16")
@case(JIT + "swiglu/swiglu.cpp", "swiglu_fp16")
def swiglu(rng):
    x = rng.standard_normal((37, 512)).astype(F16)
    gate, up = np.split(x.astype(float), 2, axis=1)
    return Case("mix", 24, [x, np.zeros((37, 256), F16), 37, 512], {1: (silu(gate) * up).astype(F16)}, (5e-3, 5e-3))


@case(JIT + "silu_dynamic/silu_dynamic.cpp", "silu_custom")
def silu_dynamic(rng):
    x = rng.random(3000).astype(F16)
    return Case("mix", 20, [x, np.zeros_like(x), x.size], {1: silu(x.astype(float)).astype(F16)}, (5e-3, 1e-3))


@case(JIT + "layernorm/kernel_layernorm.cpp", "layernorm_fp16")
def layernorm(rng):
    x = rng.standard_normal((19, 768)).astype(F16)
    gamma, beta = rng.standard_normal(768).astype(F16), rng.standard_normal(768).astype(F16)
    wide = x.astype(float)
    y = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    return Case("aiv", 40, [x, gamma, beta, np.zeros_like(x), 19, 768, ("f32", 1e-5), ("f32", 1 / 768)],
                {3: (y * gamma + beta).astype(F16)}, (5e-3, 5e-3))


def walsh_hadamard(x):
    n = x.shape[-1]
    bits = np.arange(n)
    odd = np.zeros((n, n), int)
    for shift in range(n.bit_length()):
        odd ^= (bits[:, None] & bits[None, :]) >> shift & 1
    return x.astype(float) @ (1 - 2 * odd)


@case(JIT + "fast_hadamard/standard/fast_hadamard.cpp", "fast_hadamard_fp16")
def hadamard(rng):
    x = whole(rng, (22, 256), F16)
    return Case("aiv", 20, [x, 22, 256, 8], {0: walsh_hadamard(x).astype(F16)})


@case(JIT + "fast_hadamard/fuse_int8_quant/fast_hadamard_quant.cpp", "fast_hadamard_quant_fp16_to_int8")
def hadamard_int8(rng):
    x = whole(rng, (7, 256), F16)
    y = np.clip(np.rint(walsh_hadamard(x) * 0.25), -128, 127).astype(np.int8)
    scales, offsets = np.full(16, 0.25, F16), np.zeros(16, F16)
    return Case("aiv", 20, [x, np.zeros((7, 256), np.int8), scales, offsets, 0, 0,
                            7, 256, 8, ("f32", 0.25), 256, ("f32", 0)], {1: y})


@case(JIT + "fast_hadamard/fuse_int8_quant/quantize.cpp", "quantize_fp16_to_int8")
def quantize_int8(rng):
    x = rng.standard_normal((9, 512)).astype(F16) * F16(40)
    y = np.clip(np.rint((x * F16(0.5)).astype(float)), -128, 127).astype(np.int8)
    return Case("aiv", 20, [x, np.zeros((9, 512), np.int8), 9, 512, ("f32", 0.5)], {1: y})


@case(JIT + "causal_conv1d/causal_conv1d_pto.cpp", "causal_conv1d_batched_kernel")
def convolution(rng):
    batch, length, width = 2, 50, 256
    x = rng.standard_normal((batch, length, width)).astype(F16)
    taps, bias = rng.standard_normal((4, width)).astype(F32), rng.standard_normal(width)
    padded = np.concatenate([np.zeros((batch, 3, width)), x.astype(float)], axis=1)
    y = sum(padded[:, k:k + length] * taps[k] for k in range(4)) + bias.astype(F32)
    return Case("aiv", 20, [x, np.zeros_like(x), taps, bias.astype(F32), batch,
                            length, width, 1], {1: silu(y).astype(F16)}, (5e-3, 5e-3))


@case(CSRC + "kernel_gdn_chunk_cumsum.cpp", "gdn_chunk_cumsum_fp32")
def chunk_sums(rng):
    starts = np.array([0, 128, 300, 1000], I32)
    g = whole(rng, (1000, 16), F32)
    sums = np.zeros_like(g)
    for begin, end in zip(starts, starts[1:]):
        for chunk in range(begin, end, 128):
            last = min(chunk + 128, end)
            sums[chunk:last] = np.cumsum(g[chunk:last], axis=0)
    return Case("aiv", 40, [g, np.zeros_like(g), starts, ("i64", 3), ("i64", 0)], {1: sums})


# ---- cube kernels ------------------------------------------------------------------------------
for name, cast in (("fp16", lambda x: x.astype(F16)), ("bf16", bf16), ("fp32", lambda x: x.astype(F32))):
    for size in (16, 96, 128):
        @case(CSRC + "kernel_simple_matmul.cpp", f"simple_matmul_{name}", f"{size}")
        def matmul(rng, cast=cast, size=size):
            a, b = whole(rng, (size, size), F32), whole(rng, (size, size), F32)
            return Case("aic", 1, [cast(a), cast(b), np.zeros((size, size), F32), size], {2: a @ b})

for name, dtype in (("fp16", F16), ("fp32", F32)):
    @case(CSRC + "kernel_batch_matrix_square.cpp", f"batch_matrix_square_{name}")
    def square(rng, dtype=dtype):
        x = whole(rng, (5, 96, 96), dtype)
        return Case("aic", 5, [np.zeros((5, 96, 96), F32), x, 96], {0: (x.astype(F32) @ x.astype(F32))})

    for size in (16, 128):
        @case(CSRC + "kernel_scan_ul1.cpp", f"scan_ul1_{name}", f"{size}")
        def scan(rng, dtype=dtype, size=size):
            x = whole(rng, size * size, dtype, 0, 2)
            ones = np.ones((size, size), dtype)
            return Case("aic", 1, [x, ones, np.triu(ones), np.tril(ones, -1), np.zeros(size * size, F32), size],
                        {4: np.cumsum(x.astype(F32), dtype=F32)})

    for tiles in (1, 10, 20):
        @case(JIT + "scan_mc/kernel_scan_mcssa.cpp", f"scan_mcssa_{name}", f"{tiles} tiles")
        def scan_many(rng, dtype=dtype, tiles=tiles):
            side = 32
            x = whole(rng, tiles * side * side, dtype, 0, 2)
            ones = np.ones((side, side), dtype)
            return Case("mix", tiles, [x, ones, np.triu(ones), np.tril(ones, -1), np.zeros(x.size, F32), x.size, side,
                                       np.zeros(side * side, F32), np.zeros(8, np.uint8)],
                        {4: np.cumsum(x.astype(F32), dtype=F32)})


@case(JIT + "scan/kernel_scan_single_core.cpp", "kernel_scan_single_core")
def scan_one(rng):
    side, tiles = 64, 5
    x = whole(rng, tiles * side * side, F32, 0, 2)
    return Case("mix", 1, [x, np.zeros_like(x), np.triu(np.ones((side, side), F32)), np.zeros(8, np.uint8), x.size],
                {1: np.cumsum(x, dtype=F32)}, defines=[f"SCAN_TILE_SIZE={side}"])


@case(CSRC + "kernel_tri_inv_trick.cpp", "tri_inv_trick_fp16")
def inverse_trick(rng):
    a = np.zeros((3, 64, 64))
    for k in range(0, 64, 16):
        a[:, k:k + 16, k:k + 16] = np.triu(np.ones((16, 16)), 1)
    inverse = np.linalg.inv(a + np.eye(64))
    return Case("aic", 3, [np.zeros((3, 64, 64), F32), a.astype(F16), -np.eye(64, dtype=F16),
                           64, 16], {0: np.rint(inverse).astype(F32)})


@case(CSRC + "kernel_tri_inv_ns.cpp", "tri_inv_ns_fp16")
def inverse_newton(rng):
    a = (0.1 * np.triu(rng.random((5, 64, 64)), 1)).astype(F16)
    inverse = np.linalg.inv(a.astype(float) + np.eye(64))
    return Case("aic", 5, [np.zeros((5, 64, 64), F32), a, -np.eye(64, dtype=F16), np.eye(64, dtype=F16) / F16(128), 64, 12,
                           5], {0: inverse.astype(F32)}, (1e-1, 5e-3))


for source in ("block_rotate_fp16", "block_rotate_fp16_double_buffer"):
    @case(JIT + f"block_rotate_fp16/{source}.cpp", "block_rotate_fp16")
    def rotate(rng):
        a, b = whole(rng, (640, 128), F16), whole(rng, (128, 128), F16)
        product = a.astype(F32) @ b.astype(F32)
        return Case("aic", 4, [a, b, np.zeros((640, 128), F16), 640], {2: product.astype(F16)})


for lower in (0, 1):
    @case(CSRC + "kernel_tri_inv_rec_unroll.cpp", "tri_inv_rec_unroll_fp16", "lower" if lower else "upper")
    def inverse_recursive(rng, lower=lower):
        a = 0.1 * np.triu(rng.random((6, 64, 64)), 1)
        a = (a.swapaxes(1, 2) if lower else a).astype(F16)
        inverse = np.linalg.inv(a.astype(float) + np.eye(64))
        return Case("aic", 6, [np.zeros_like(a), a, -np.eye(64, dtype=F16), 64, 6,
                               0, lower, None], {0: inverse.astype(F16)}, (5e-2, 5e-3))


@case(JIT + "matmul_swizzle/matmul_original_pto.cpp", "gemm_kernel_entry")
def matmul_original(rng):
    m, n, k = 1536, 1536, 512
    a, b = whole(rng, (m, k), F16, -1, 2), whole(rng, (n, k), F16, -1, 2)
    return Case("aic", 24, [np.zeros((m, n), F32), a, b], {0: a.astype(F32) @ b.astype(F32).T},
                defines=[f"ORIG_PTO_M={m}", f"ORIG_PTO_N={n}", f"ORIG_PTO_K={k}"])


@case(JIT + "matmul_swizzle/matmul_custom_pto.cpp", "matmul_kernel_ABt")
def matmul_swizzle(rng):
    m, n, k = 256, 512, 1024
    a, b = whole(rng, (m, k), F16, -1, 2), whole(rng, (n, k), F16, -1, 2)
    return Case("aic", 4, [a, b, np.zeros((m, n), F16), m, n, k, 1, 3], {2: (a.astype(F32) @ b.astype(F32).T).astype(F16)})


# ---- attention ---------------------------------------------------------------------------------
def softmax(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


for shape in ((1, 1, 1, 128, 512), (1, 4, 2, 256, 512), (2, 2, 1, 128, 1024)):
    for causal in (0, 1):
        @case(CSRC + "kernel_flash_attention.cpp", "fa_fp16", "x".join(map(str, shape)) + (" causal" if causal else ""))
        def attention(rng, shape=shape, causal=causal):
            batch, heads, kv_heads, length, kv_length = shape
            width, slots, rows, columns = 128, 8, 128, 512
            q = rng.standard_normal((batch, heads, length, width)).astype(F16)
            k, v = (rng.standard_normal((batch, kv_heads, kv_length, width)).astype(F16) for _ in range(2))
            wide_k, wide_v = (np.repeat(x.astype(float), heads // kv_heads, 1) for x in (k, v))
            scores = q.astype(float) @ wide_k.swapaxes(2, 3) / np.sqrt(width)
            if causal:
                scores[..., np.arange(kv_length) > np.arange(length)[:, None]] = -np.inf
            cores = min(batch * heads * length // rows, 24)
            queue = lambda cols, dtype: np.zeros(cores * slots * rows * cols, dtype)
            strides = [("i64", n) for n in (heads * length * width, length * width, width,
                                            kv_heads * kv_length * width, kv_length * width, width)]
            return Case("mix", cores, [np.zeros(64, np.uint8), q, k, v, queue(columns, F16),
                                       queue(1, F32), np.zeros(q.shape, F32), queue(columns, F32),
                                       queue(width, F32), length, kv_length, 4, batch, heads, kv_heads, *strides, causal],
                        {6: (softmax(scores) @ wide_v).astype(F32)},
                        # Probabilities are f16; the first rows of a causal mask average few.
                        (0, float(np.abs(v).max()) * 2**-11 if causal else 1e-4))


# ---- gated delta rule: 16 heads of 128, in chunks of 128 tokens ---------------------------------
class Delta:
    """Sequences of 200 and 128 tokens: keys of length one, gates summed up within their chunk."""
    heads, width, chunk, cores = 16, 128, 128, 24

    def __init__(self, rng):
        self.starts = np.array([0, 200, 328], I32)
        self.tokens = int(self.starts[-1])
        self.chunks = [(i, begin, min(begin + self.chunk, end))
                       for i, (first, end) in enumerate(zip(self.starts, self.starts[1:]))
                       for begin in range(first, end, self.chunk)]
        shape = (self.tokens, self.heads, self.width)
        self.q, self.k, self.v = (rng.standard_normal(shape) for _ in range(3))
        self.q, self.k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (self.q, self.k))
        self.q, self.k, self.v = (x.astype(F16) for x in (self.q, self.k, self.v))
        self.beta = rng.random((self.tokens, self.heads)).astype(F16)
        gates = np.log(1 / (1 + np.exp(-rng.standard_normal((self.tokens, self.heads)))))
        self.g = np.zeros((self.tokens, self.heads), F32)
        for _, begin, end in self.chunks:
            self.g[begin:end] = np.cumsum(gates[begin:end], axis=0)

    def each(self):
        """Every chunk of every head: its sequence, number, tokens, head."""
        for number, (sequence, begin, end) in enumerate(self.chunks):
            for head in range(self.heads):
                yield sequence, number, slice(begin, end), head

    def turned(self, x):
        return np.ascontiguousarray(x.T)

    def by_head(self, x):
        """(tokens, heads, width) as (heads, tokens, width)."""
        return np.ascontiguousarray(x.swapaxes(0, 1))

    def gates_by_width(self, rng):
        """A gate for each place in a head, summed up within chunks."""
        gates = np.zeros(self.v.shape, F32)
        for _, begin, end in self.chunks:
            gates[begin:end] = np.cumsum(-0.05 * rng.random((end - begin, *self.v.shape[1:])), axis=0)
        return gates

    def room(self, *shape):
        return np.zeros((self.cores, *shape), F16)

    @property
    def sizes(self):
        return [self.starts, ("i64", 2), ("i64", 0), ("i64", self.tokens)]


@case(CSRC + "kernel_gdn_scaled_dot_kkt.cpp", "gdn_scaled_dot_kkt")
def delta_products(rng):
    d = Delta(rng)
    out = np.zeros((d.tokens, d.heads, d.chunk))
    for _, _, at, head in d.each():
        k, g, n = d.k[at, head].astype(float), d.g[at, head].astype(float), at.stop - at.start
        gate = np.exp(np.minimum(g[:, None] - g[None, :], 0)) * d.beta[at, head][:, None]
        out[at, head, :n] = np.tril(k @ k.T * gate, -1)
    mask = np.tril(np.ones((d.chunk, d.chunk), F32), -1)
    return Case("mix", d.cores, [d.k, d.turned(d.beta), d.turned(d.g), mask,
                                 d.room(2, d.chunk, d.chunk), out.astype(F16) * 0, *d.sizes],
                {5: out.astype(F16)}, (1e-2, 1e-3))


@case(CSRC + "kernel_kda_gate_cumsum.cpp", "kda_gate_cumsum")
def delta_gates(rng):
    d = Delta(rng)
    g = whole(rng, d.v.shape, F16)
    sums = np.zeros(d.v.shape, F32)
    for _, begin, end in d.chunks:
        sums[begin:end] = np.cumsum(g[begin:end].astype(F32), axis=0)
    return Case("aiv", 2 * d.cores, [g, np.zeros_like(sums), *d.sizes[:3]], {1: sums})


@case(CSRC + "kernel_kda_kkt.cpp", "kda_kkt")
def delta_gated_products(rng):
    d = Delta(rng)
    k, gates = d.by_head(d.k), d.by_head(d.gates_by_width(rng))
    out = np.zeros((d.tokens, d.heads, d.chunk))
    for _, _, at, head in d.each():
        part, g, n = k[head, at].astype(float), gates[head, at].astype(float), at.stop - at.start
        products = np.einsum("rd,cd,rcd->rc", part, part, np.exp(np.minimum(g[:, None] - g[None], 0)))
        out[at, head, :n] = np.tril(products * d.beta[at, head].astype(float)[:, None], -1)
    mask = np.tril(np.ones((d.chunk, d.chunk), F32), -1)
    return Case("mix", d.cores, [k, gates, d.turned(d.beta), mask, out.astype(F16) * 0, *d.sizes],
                {4: out.astype(F16)}, (1e-2, 1e-3), ["KDA_KKT_H=16"])


@case(CSRC + "kernel_kda_wy.cpp", "kda_wy")
def gated_representation(rng):
    d = Delta(rng)
    gates = d.gates_by_width(rng)
    a = (0.1 * rng.standard_normal((d.tokens, d.heads, d.chunk))).astype(F16)
    w, u = np.zeros(d.v.shape), np.zeros(d.v.shape)
    for _, _, at, head in d.each():
        factor = (a[at, head, :at.stop - at.start].astype(float) * d.beta[at, head].astype(float)[None, :])
        u[at, head] = factor @ d.v[at, head].astype(float)
        w[at, head] = factor @ (d.k[at, head] * np.exp(gates[at, head].astype(float)))
    return Case("mix", d.cores, [d.by_head(d.k), d.v, d.turned(d.beta), d.by_head(gates), a,
                                 d.room(d.chunk, d.chunk), d.room(d.chunk, d.width),
                                 np.zeros_like(d.v), np.zeros_like(d.v), *d.sizes],
                {7: u.astype(F16), 8: w.astype(F16)}, (1e-2, 1e-2))


@case(CSRC + "kernel_kda_chunk_h.cpp", "kda_chunk_h")
def gated_states(rng):
    d = Delta(rng)
    gates = d.gates_by_width(rng)
    w = (0.1 * rng.standard_normal(d.v.shape)).astype(F16)
    states = np.zeros((len(d.chunks), d.heads, d.width, d.width))
    last, rest = np.zeros((2, d.heads, d.width, d.width)), np.zeros(d.v.shape)
    for sequence, number, at, head in d.each():
        g, state = gates[at, head].astype(float), last[sequence, head]
        states[number, head] = state
        rest[at, head] = d.v[at, head] - w[at, head].astype(float) @ state
        last[sequence, head] = (np.exp(g[-1])[:, None] * state + (d.k[at, head] * np.exp(g[-1] - g)).T @ rest[at, head])
    return Case("mix", d.cores, [d.by_head(d.k), w, d.v, d.by_head(gates), np.zeros(states.shape, F16), np.zeros_like(d.v),
                                 d.room(5, d.width, d.width), *d.sizes],
                {4: states.astype(F16), 5: rest.astype(F16)}, (1e-2, 1e-2))


@case(CSRC + "kernel_kda_chunk_o.cpp", "kda_chunk_o")
def gated_output(rng):
    d = Delta(rng)
    gates = d.gates_by_width(rng)
    states = (0.1 * rng.standard_normal((len(d.chunks), d.heads, d.width, d.width))).astype(F16)
    out = np.zeros(d.v.shape)
    for _, number, at, head in d.each():
        g = gates[at, head].astype(float)
        q, k = d.q[at, head] * np.exp(g), d.k[at, head] * np.exp(-g)
        out[at, head] = (q @ states[number, head].astype(float) + np.tril(q @ k.T) @ d.v[at, head].astype(float))
    mask = np.tril(np.ones((d.chunk, d.chunk), F32))
    return Case("mix", d.cores, [d.by_head(d.q), d.by_head(d.k), d.v, states, d.by_head(gates), mask,
                                 np.zeros((d.cores, 7, d.width, d.width), F32), np.zeros_like(d.v),
                                 *d.sizes], {7: out.astype(F16)}, (1e-2, 1e-2))


@case(CSRC + "kernel_gdn_wy_fast.cpp", "gdn_wy_fast")
def delta_representation(rng):
    d = Delta(rng)
    a = (0.1 * rng.standard_normal((d.tokens, d.heads, d.chunk))).astype(F16)
    w, u = np.zeros(d.v.shape), np.zeros(d.v.shape)
    for _, _, at, head in d.each():
        n = at.stop - at.start
        factor, scaled = a[at, head, :n].astype(float), d.beta[at, head].astype(float)[:, None]
        u[at, head] = factor @ (d.v[at, head] * scaled)
        w[at, head] = factor @ (d.k[at, head] * scaled * np.exp(d.g[at, head].astype(float))[:, None])
    return Case("mix", d.cores, [d.k, d.v, d.turned(d.beta), d.turned(d.g), a,
                                 d.room(d.chunk, d.chunk), d.room(d.chunk, d.chunk),
                                 np.zeros_like(d.v), np.zeros_like(d.v), *d.sizes],
                {7: w.astype(F16), 8: u.astype(F16)}, (1e-2, 1e-2))


@case(CSRC + "kernel_gdn_chunk_h.cpp", "gdn_chunk_h")
def delta_states(rng):
    d = Delta(rng)
    w = (0.1 * rng.standard_normal(d.v.shape)).astype(F16)
    states = np.zeros((len(d.chunks), d.heads, d.width, d.width))
    last, rest = np.zeros((2, d.heads, d.width, d.width)), np.zeros(d.v.shape)
    for sequence, number, at, head in d.each():
        g, state = d.g[at, head].astype(float), last[sequence, head]
        states[number, head] = state
        rest[at, head] = d.v[at, head] - w[at, head].astype(float) @ state
        last[sequence, head] = np.exp(g[-1]) * state + (
            d.k[at, head].astype(float).T @ (rest[at, head] * np.exp(g[-1] - g)[:, None]))
    return Case("mix", d.cores, [d.k, w, d.v, d.turned(d.g), np.zeros(states.shape, F16),
                                 np.zeros_like(d.v), np.zeros(last.shape, F16), d.room(4, d.width, d.width), *d.sizes],
                {4: states.astype(F16), 5: rest.astype(F16), 6: last.astype(F16)}, (1e-2, 1e-2))


@case(CSRC + "kernel_gdn_chunk_o.cpp", "gdn_chunk_o")
def delta_output(rng):
    d = Delta(rng)
    states = (0.1 * rng.standard_normal((len(d.chunks), d.heads, d.width, d.width))).astype(F16)
    out = np.zeros(d.v.shape)
    for _, number, at, head in d.each():
        q, k, g = (x[at, head].astype(float) for x in (d.q, d.k, d.g))
        gate = np.tril(np.exp(np.minimum(g[:, None] - g[None, :], 0)))
        out[at, head] = (q @ states[number, head].astype(float) * np.exp(g)[:, None]
                         + (q @ k.T * gate) @ d.v[at, head].astype(float))
    mask = np.tril(np.ones((d.chunk, d.chunk), F32))
    return Case("mix", d.cores, [d.q, d.k, d.v, states, d.turned(d.g), mask,
                                 d.room(d.chunk, d.chunk), d.room(d.chunk, d.width),
                                 d.room(d.chunk, d.chunk), np.zeros_like(d.v), *d.sizes], {9: out.astype(F16)}, (1e-2, 1e-2))


# ---- from the guide to writing kernels ---------------------------------------------------------
for arch, chip in (("a2a3", "ascend910b1"), ("a5", "ascend950pr")):
    @case(DYNAMIC + arch + "/add.cpp", "add_kernel", chip=chip)
    def add_many(rng):
        x, z = whole(rng, 5000, F16), whole(rng, 5000, F16)
        return Case("aiv", 4, [np.zeros_like(x), x, z, 5000], {0: x + z})

@case(DYNAMIC + "a2a3/matmul.cpp", "simple_matmul_kernel")
def matmul_many(rng):
    a, b = whole(rng, (512, 128), F16, -1, 2), whole(rng, (128, 128), F16, -1, 2)
    return Case("aic", 4, [a, b, np.zeros((512, 128), F16), 512], {2: (a.astype(F32) @ b.astype(F32)).astype(F16)})


# C = A B + D, or (A + B) D, by tiles of 128 rows that cube and vector hand to each other: through memory on a2a3.
for arch, chip, source, entry, is_add, width in (
        ("a2a3", "ascend910b1", "matmul_add", "matmul_add_c2v_kernel", False, F16),
        ("a2a3", "ascend910b1", "add_matmul", "add_matmul_v2c_kernel", True, F16),
        ("a5", "ascend950pr", "matmul_add", "matmul_add_c2v_kernel", False, F32),
        ("a5", "ascend950pr", "add_matmul", "add_matmul_v2c_kernel", True, F16)):
    @case(DYNAMIC + f"{arch}/{source}.cpp", entry, chip=chip)
    def product_plus(rng, arch=arch, is_add=is_add, width=width):
        rows, tile = 4 * 128 * 2, 128
        a, b, d = (whole(rng, shape, F16, -1, 2) for shape in (
            ((rows, tile), (rows, tile), (tile, tile)) if is_add else ((rows, tile), (tile, tile), (rows, tile))))
        c = (a.astype(F32) + b) @ d.astype(F32) if is_add else a.astype(F32) @ b.astype(F32) + d
        fifo = [np.zeros(8 * 128 * 128, F16), ("i64", rows), ("i64", 0)] if arch == "a2a3" else [("i64", rows)]
        return Case("mix", 4, [a, b, np.zeros((rows, tile), width), d.astype(F16 if is_add else width), *fifo],
                    {2: c.astype(width)})


for arch, chip in (("a2a3", "ascend910b1"), ("a5", "ascend950pr")):
    @case(STATIC + arch + "/add.cpp", "static_add_kernel", chip=chip)
    def add_one(rng):
        x, z = whole(rng, (64, 64), F16), whole(rng, (64, 64), F16)
        return Case("aiv", 1, [np.zeros_like(x), x, z], {0: x + z})


@case(STATIC + "a2a3/matmul.cpp", "static_matmul_kernel")
def matmul_one(rng):
    a, b = whole(rng, (128, 128), F16, -1, 2), whole(rng, (128, 128), F16, -1, 2)
    return Case("aic", 1, [a, b, np.zeros_like(a)], {2: (a.astype(F32) @ b.astype(F32)).astype(F16)})


@case(STATIC + "a5/matmul.cpp", "static_matmul_kernel", chip="ascend950pr")
@case(DYNAMIC + "a5/matmul.cpp", "dynamic_matmul_kernel", chip="ascend950pr")
def matmul_one_a5(rng):
    a, b = whole(rng, (16, 16), F16), whole(rng, (16, 16), F16)
    return Case("aic", 1, [np.zeros((16, 16), F32), a, b], {0: a.astype(F32) @ b.astype(F32)})
