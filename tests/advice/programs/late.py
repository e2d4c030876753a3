"""The orchestration reads a long task's output before it submits tasks that do not need it."""
import pypto.language as pl
import torch
from common import MENDED, config, numbers, verdict

R, C = 64, 128


@pl.jit
def planted(x: pl.Tensor[[R, C], pl.FP32], n: pl.Out[pl.Tensor[[8, 8], pl.INT32]], y: pl.Out[pl.Tensor[[R, C], pl.FP32]],
            z: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="count"):
        t = pl.load(n, [0, 0], [8, 8])
        for _ in pl.range(2000):
            t = pl.add(t, 1)
        pl.store(t, [0, 0], n)
    rounds = pl.read(n, [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="uses"):
        t = pl.load(x, [0, 0], [R, C])
        for _ in pl.range(rounds // 500):
            t = pl.add(t, 1.0)
        pl.store(t, [0, 0], y)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):  # FAULT
        t = pl.load(x, [0, 0], [R, C])
        for _ in pl.range(100):
            t = pl.add(t, 1.0)
        pl.store(t, [0, 0], z)
    return n, y, z


@pl.jit
def mended(x: pl.Tensor[[R, C], pl.FP32], n: pl.Out[pl.Tensor[[8, 8], pl.INT32]], y: pl.Out[pl.Tensor[[R, C], pl.FP32]],
           z: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="count"):
        t = pl.load(n, [0, 0], [8, 8])
        for _ in pl.range(2000):
            t = pl.add(t, 1)
        pl.store(t, [0, 0], n)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="other"):
        t = pl.load(x, [0, 0], [R, C])
        for _ in pl.range(100):
            t = pl.add(t, 1.0)
        pl.store(t, [0, 0], z)
    rounds = pl.read(n, [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="uses"):
        t = pl.load(x, [0, 0], [R, C])
        for _ in pl.range(rounds // 500):
            t = pl.add(t, 1.0)
        pl.store(t, [0, 0], y)
    return n, y, z


x, n, y, z = numbers(R, C), torch.zeros(8, 8, dtype=torch.int32), torch.zeros(R, C), torch.zeros(R, C)
(mended if MENDED else planted)(x, n, y, z, config=config())
verdict(torch.cat([y, z]), torch.cat([x + 4, x + 100]))
