"""Cases of our kernels on the device library of tilelang-ascend (tilelang_kernels.cpp)."""
import numpy as np

from cpp import F16, F32, Case, silu, whole
from suites import ROOT

SOURCE = str(ROOT / "scripts" / "conformance" / "tilelang_kernels.cpp")
CASES = []


def for_a5(make):
    def made(rng):
        result = make(rng)
        result.defines = ["PTO_PLATFORM_A5"]
        return result
    return made


def case(entry, a5=True):
    def add(function):
        CASES.append((SOURCE, entry, "a2a3", "ascend910b1", function))
        if a5:
            CASES.append((SOURCE, entry, "a5", "ascend950pr", for_a5(function)))
        return function
    return add


@case("masks")
def masks(rng):
    x, y = rng.standard_normal((2, 8, 64)).astype(F32)
    out = np.zeros((8, 32), np.uint8)
    out[:, :8] = np.packbits(x > y, axis=1, bitorder="little") & 15
    return Case("aiv", 1, [x, y, np.zeros_like(out)], {2: out})


@case("sigmoids")
def sigmoids(rng):
    x = rng.standard_normal((4, 128)).astype(F16)
    padded = np.zeros((4, 128))
    padded[:3, :100] = x[:3, :100]
    out = silu(padded)
    out[1] = np.abs(out[1])
    return Case("aiv", 1, [x, np.zeros_like(x), np.ones((1, 128), F32)],
                {1: out.astype(F16), 2: (1 + out[:1]).astype(F32)}, (5e-3, 5e-3))


@case("rows", a5=False)
def rows(rng):
    x, shift, scale = whole(rng, (16, 64), F32), whole(rng, 16, F32), whole(rng, 16, F32)
    out = np.maximum((x - shift[:, None]) * scale[:, None] + x, F32(0.5))
    return Case("aiv", 1, [x, shift, scale, np.zeros_like(x)], {3: out})


def pairs(values, count, kept):
    order = np.argsort(-values[:count].astype(float), kind="stable")
    out = np.full((1, 2 * len(values)), -np.inf)
    out[0, 1::2] = np.arange(len(values))
    out[0, :2 * count:2], out[0, 1:2 * count:2] = values[order], order
    return out[:, :2 * kept]


@case("sort_all", a5=False)
def sort_all(rng):
    x = rng.permutation(256).astype(F32)
    return Case("aiv", 1, [x, np.zeros((1, 512), F32)], {1: pairs(x, 200, 256).astype(F32)})


@case("sort_top", a5=False)
def sort_top(rng):
    x = rng.permutation(512).astype(F16)
    return Case("aiv", 1, [x, np.zeros((1, 32), F16)], {1: pairs(x, 512, 16).astype(F16)})


def operands(rng, transposed):
    a, b = whole(rng, (128, 256), F16), whole(rng, (256, 64), F16)
    product = a.astype(F32) @ b.astype(F32)
    return a, np.ascontiguousarray(b.T) if transposed else b, product


@case("gemm_plain")
def gemm_plain(rng):
    a, b, product = operands(rng, False)
    return Case("aic", 1, [a, b, np.zeros_like(product)], {2: product})


@case("gemm_transposed")
def gemm_transposed(rng):
    a, b, product = operands(rng, True)
    return Case("aic", 1, [a, b, np.zeros_like(product)], {2: product})


@case("handed_over", a5=False)
def handed_over(rng):
    a, b, product = operands(rng, False)
    return Case("mix", 1, [a, b, np.zeros_like(product), np.zeros_like(product), ("i64", 0)], {3: 2 * product})
