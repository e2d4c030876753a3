#!/usr/bin/python3
"""The parametric kernels compute the right bits, whatever their tiles.

    parametric_test.py --ptosim BIN [NAME...]

Each case runs under `ptosim check`, which must find nothing, and its output is compared bit for bit
with numpy (../goldens.py explains why that is exact). Tiles are those of the chip, or smaller ones that
make every loop turn more than once. Sizes are small; the kernels' own defaults are for timing.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True

from goldens import (attention_data, close, col_sum, exp, f16, f32, f64, matmul, normal, row_sum,  # noqa: E402
                     rsqrt)

CASES = {}


def case(kernel, chip, blocks, **params):
    def add(function):
        name = "-".join([kernel, chip] + [f"{k}{v}" for k, v in params.items() if k.startswith("T") or
                                          k in ("QT", "KT", "CHUNK", "C_SLOTS")])
        CASES[name] = (kernel, chip, blocks, params, function)
        return function
    return add


@case("gemm", "ascend910b1", 4, M=256, N=512, K=512)
@case("gemm", "ascend910b1", 3, M=256, N=192, K=384, C_SLOTS=1, TM=64, TN=96, TK=128, SK=64)
@case("gemm", "ascend910b1", 2, M=128, N=128, K=96, C_SLOTS=2, TM=32, TN=64, TK=96, SK=32)
@case("gemm", "ascend950pr", 4, M=512, N=512, K=512)
def gemm(rng, p, blocks):
    a, b = normal(rng, (p["M"], p["K"]), f16), normal(rng, (p["K"], p["N"]), f16)
    c = matmul(a, b)
    close(c, a.astype(f64) @ b.astype(f64), 1e-3, 1e-3)
    return [a, b, None], {2: c}


@case("matmul_i8", "ascend910b1", 4, M=256, N=256, K=256)
@case("matmul_i8", "ascend910b1", 2, M=128, N=128, K=192, C_SLOTS=1, TM=64, TN=64, TK=96, SK=32)
@case("matmul_i8", "ascend950pr", 4, M=512, N=512, K=512)
def matmul_i8(rng, p, blocks):
    a = rng.integers(-128, 128, (p["M"], p["K"]), np.int8)
    b = rng.integers(-128, 128, (p["K"], p["N"]), np.int8)
    product = a.astype(np.int64) @ b.astype(np.int64)
    assert abs(product).max() < 2**24  # exact in f32, and so is the division by 128
    return [a, b, None], {2: (product.astype(f32) / f32(128)).astype(f16)}


@case("softmax", "ascend910b1", 3, ROWS=256, COLS=512)
@case("softmax", "ascend910b1", 2, ROWS=64, COLS=136, CHUNK=8)
@case("softmax", "ascend950pr", 3, ROWS=256, COLS=512)
def softmax(rng, p, blocks):
    x = normal(rng, (p["ROWS"], p["COLS"]), f32, scale=4)
    e = exp(x - x.max(axis=1, keepdims=True))
    y = e / row_sum(e)[:, None]
    weights = np.exp(x.astype(f64) - x.max(axis=1, keepdims=True))
    close(y, weights / weights.sum(axis=1, keepdims=True), 1e-4, 1e-7)
    return [x, None], {1: y}


@case("attention", "ascend910b1", 3, HEADS=2, QUERIES=256, KEYS=384)
@case("attention", "ascend910b1", 2, HEADS=3, QUERIES=64, KEYS=192, QT=64, KT=64)
@case("attention", "ascend950pr", 2, HEADS=2, QUERIES=128, KEYS=384)
def attention(rng, p, blocks):
    tile = p.get("KT", 192 if p["KEYS"] % 192 == 0 and p["chip"] == "ascend950pr" else 128)
    q, k, v, o = attention_data(rng, p["HEADS"], p["QUERIES"], p["KEYS"], tile)
    rows = 2 * p.get("QT", 128) * blocks
    return [q, k, v, ((rows, tile), "f32"), ((rows, tile), "f16"), ((rows, 64), "f32"), None], {6: o}


@case("moe_ffn", "ascend910b1", 3, EXPERTS=2, TOKENS=256, HIDDEN=128, INNER=256)
@case("moe_ffn", "ascend910b1", 2, EXPERTS=3, TOKENS=64, HIDDEN=128, INNER=192, TM=32, TN=64, TK=32,
      CHUNK=8)
@case("moe_ffn", "ascend950pr", 3, EXPERTS=2, TOKENS=256, HIDDEN=256, INNER=256)
def moe_ffn(rng, p, blocks):
    experts, tokens, hidden, inner = p["EXPERTS"], p["TOKENS"], p["HIDDEN"], p["INNER"]
    x = normal(rng, (experts * tokens, hidden), f16)
    wg, wu = (normal(rng, (experts * hidden, inner), f16, scale=0.1) for _ in range(2))
    wd = normal(rng, (experts * inner, hidden), f16, scale=0.1)
    y = np.zeros((experts * tokens, hidden), f32)
    for i in range(experts):
        rows, depth, deep = (slice(i * n, (i + 1) * n) for n in (tokens, hidden, inner))
        g, u = matmul(x[rows], wg[depth]), matmul(x[rows], wu[depth])
        h = (g / (exp(-g) + f32(1)) * u).astype(f16)
        y[rows] = matmul(h, wd[deep])
        g, u = (x[rows].astype(f64) @ w[depth].astype(f64) for w in (wg, wu))
        close(y[rows], (g / (1 + np.exp(-g)) * u) @ wd[deep].astype(f64), 2e-2, 2e-2)
    rows = 2 * p.get("TM", 128) * blocks
    return [x, wg, wu, wd, ((rows, inner), "f32"), ((rows, inner), "f32"), ((rows, inner), "f16"),
            None], {7: y}


@case("layer_norm", "ascend910b1", 3, ROWS=256, COLS=512)
@case("layer_norm", "ascend910b1", 2, ROWS=64, COLS=136, CHUNK=8)
@case("layer_norm", "ascend950pr", 3, ROWS=256, COLS=512)
def layer_norm(rng, p, blocks):
    x = normal(rng, (p["ROWS"], p["COLS"]), f32, scale=2)
    gamma, beta = normal(rng, (1, p["COLS"]), f32), normal(rng, (1, p["COLS"]), f32)
    centred = x - (row_sum(x) / f32(p["COLS"]))[:, None]
    variance = row_sum(centred * centred) / f32(p["COLS"]) + f32(1e-6)
    y = centred * rsqrt(variance)[:, None] * gamma + beta
    wide = x.astype(f64) - x.astype(f64).mean(axis=1, keepdims=True)
    close(y, wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6) * gamma + beta, 1e-4, 1e-5)
    return [x, gamma, beta, None], {3: y}


@case("dequantise_gemv", "ascend910b1", 3, ROWS=256, K=512, TK=128, CHUNK=32)
@case("dequantise_gemv", "ascend910b1", 2, ROWS=128, K=192, TK=64, CHUNK=64)
@case("dequantise_gemv", "ascend950pr", 3, ROWS=256, K=512, TK=256, CHUNK=32)
def dequantise_gemv(rng, p, blocks):
    w = rng.integers(-128, 128, (p["ROWS"], p["K"]), np.int8)
    x = normal(rng, (1, p["K"]), f32)
    scale = np.abs(normal(rng, (1, p["ROWS"]), f32)) / f32(64)
    sums = np.zeros(p["ROWS"], f32)
    for begin in range(0, p["K"], p["TK"]):
        part = slice(begin, begin + p["TK"])
        sums = sums + row_sum(w[:, part].astype(f32) * x[:, part])
    y = sums[None, :] * scale
    close(y, (w.astype(f64) @ x[0].astype(f64)) * scale, 1e-3, 1e-3)
    return [w, x, scale, None], {3: y}


@case("attention_decode", "ascend910b1", 3, TASKS=4, KEYS=128, D=64, KT=32)
@case("attention_decode", "ascend910b1", 2, TASKS=2, KEYS=256, D=128)
@case("attention_decode", "ascend950pr", 3, TASKS=4, KEYS=128, D=64, KT=64)
def attention_decode(rng, p, blocks):
    heads, keys, depth = 8 * p["TASKS"], p["KEYS"], p["D"]
    tile = p.get("KT", 64)
    q = normal(rng, (heads, depth), f32)
    k, v = normal(rng, (heads * keys, depth), f16), normal(rng, (heads * keys, depth), f16)
    products = k.astype(f32).reshape(heads, keys, depth) * q[:, None, :]
    scores = row_sum(products.reshape(heads * keys, depth)).reshape(heads, keys) * f32(0.125)
    weights = exp(scores - scores.max(axis=1, keepdims=True))
    weights = weights / row_sum(weights)[:, None]
    o = np.zeros((heads, depth), f32)
    wide = v.astype(f32).reshape(heads, keys, depth) * weights[:, :, None]
    for begin in range(0, keys, tile):
        for head in range(heads):
            o[head] = o[head] + col_sum(wide[head, begin : begin + tile])
    s = np.einsum("hkd,hd->hk", k.astype(f64).reshape(heads, keys, depth), q.astype(f64)) / 8
    e = np.exp(s - s.max(axis=1, keepdims=True))
    close(o, np.einsum("hk,hkd->hd", e / e.sum(axis=1, keepdims=True), v.astype(f64).reshape(heads, keys, depth)), 1e-3, 1e-4)
    return [q, k, v, None], {3: o}


@case("top_k", "ascend910b1", 3, ROWS=96, COLS=512, K=64)
@case("top_k", "ascend910b1", 2, ROWS=16, COLS=128, K=32, CHUNK=4)
@case("top_k", "ascend950pr", 3, ROWS=32, COLS=2048, K=16, CHUNK=8)
def top_k(rng, p, blocks):
    # Every value is there several times: equal ones keep the order of their places.
    x = (rng.integers(-200, 200, (p["ROWS"], p["COLS"])) / 8).astype(f32)
    places = np.arange(p["COLS"], dtype=np.uint32)[None, :]
    order = np.argsort(-x, axis=1, kind="stable")[:, : p["K"]]
    y = np.zeros((p["ROWS"], 2 * p["K"]), f32)
    y[:, 0::2] = np.take_along_axis(x, order, axis=1)
    y[:, 1::2] = order.astype(np.uint32).view(f32)
    return [x, places, None], {2: y}


TYPES = {"float16": "f16", "float32": "f32"}


def command_line(name, folder):
    """The kernel's file, and ptosim's options to be used in `folder`, where the inputs are written."""
    kernel, chip, blocks, params, function = CASES[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    arguments, goldens = function(rng, {**params, "chip": chip}, blocks)
    words = ["--chip", chip, "--blocks", str(blocks)]
    for key, value in params.items():
        words += ["--param", f"{key}={value}"]
    for i, argument in enumerate(arguments):
        if argument is None:
            golden = goldens[i]
            np.save(os.path.join(folder, f"golden{i}.npy"), golden)
            shape = "x".join(map(str, golden.shape))
            words += ["--arg", f"out={shape}x{TYPES[str(golden.dtype)]}", "--golden", f"{i}=golden{i}.npy"]
        elif isinstance(argument, tuple):
            words += ["--arg", "out=" + "x".join(map(str, argument[0])) + "x" + argument[1]]
        else:
            np.save(os.path.join(folder, f"{i}.npy"), argument)
            words += ["--arg", f"in={i}.npy"]
    return os.path.join(HERE, kernel + ".pto"), words


def run(ptosim, name, folder):
    kernel, words = command_line(name, folder)
    done = subprocess.run([ptosim, "check", kernel, *words], cwd=folder, capture_output=True, text=True, timeout=300)
    print(f"{'ok' if done.returncode == 0 else 'FAILED':7}{name}", flush=True)
    if done.returncode != 0:
        print(done.stderr[:2000])
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptosim", required=True)
    parser.add_argument("names", nargs="*", help="cases; default: all")
    options = parser.parse_args()
    good = True
    for name in options.names or CASES:
        with tempfile.TemporaryDirectory() as folder:
            good = run(os.path.abspath(options.ptosim), name, folder) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
