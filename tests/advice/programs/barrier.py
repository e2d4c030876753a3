"""The second stage names the first as a dependency, and reads nothing that it writes."""
import pypto.language as pl
import torch
from common import MENDED, config, numbers, verdict

R, C = 64, 128


@pl.jit
def planted(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]], z: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first") as one:
        t = pl.load(x, [0, 0], [R, C])
        for _ in pl.range(100):
            t = pl.add(t, 1.0)
        pl.store(t, [0, 0], y)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second", deps=[one]):  # FAULT
        t = pl.load(x, [0, 0], [R, C])
        for _ in pl.range(100):
            t = pl.sub(t, 1.0)
        pl.store(t, [0, 0], z)
    return y, z


@pl.jit
def mended(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]], z: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
        t = pl.load(x, [0, 0], [R, C])
        for _ in pl.range(100):
            t = pl.add(t, 1.0)
        pl.store(t, [0, 0], y)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second"):
        t = pl.load(x, [0, 0], [R, C])
        for _ in pl.range(100):
            t = pl.sub(t, 1.0)
        pl.store(t, [0, 0], z)
    return y, z


x, y, z = numbers(R, C), torch.zeros(R, C), torch.zeros(R, C)
(mended if MENDED else planted)(x, y, z, config=config())
verdict(torch.cat([y, z]), torch.cat([x + 100, x - 100]))
