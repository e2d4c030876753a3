"""One task takes as long as all the others, and is submitted last."""
import pypto.language as pl
import torch
from common import MENDED, config, numbers, verdict

R, C, T, N = 2048, 128, 32, 64


@pl.jit
def planted(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]], z: pl.Out[pl.Tensor[[T, C], pl.FP32]]):
    for i in pl.parallel(N):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="small"):
            t = pl.load(x, [i * T, 0], [T, C])
            for _ in pl.range(40):
                t = pl.add(t, 1.0)
            pl.store(t, [i * T, 0], y)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="tall"):  # FAULT
        u = pl.load(x, [0, 0], [T, C])
        for _ in pl.range(400):
            u = pl.add(u, 1.0)
        pl.store(u, [0, 0], z)
    return y, z


@pl.jit
def mended(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]], z: pl.Out[pl.Tensor[[T, C], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="tall"):
        u = pl.load(x, [0, 0], [T, C])
        for _ in pl.range(400):
            u = pl.add(u, 1.0)
        pl.store(u, [0, 0], z)
    for i in pl.parallel(N):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="small"):
            t = pl.load(x, [i * T, 0], [T, C])
            for _ in pl.range(40):
                t = pl.add(t, 1.0)
            pl.store(t, [i * T, 0], y)
    return y, z


x, y, z = numbers(R, C), torch.zeros(R, C), torch.zeros(T, C)
(mended if MENDED else planted)(x, y, z, config=config())
verdict(torch.cat([y, z]), torch.cat([x + 40, x[:T] + 400]))
