"""A task between two others copies a tensor, and does nothing else."""
import pypto.language as pl
import torch
from common import MENDED, config, numbers, verdict

R, C, T = 1024, 128, 128
N = R // T


@pl.jit
def planted(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    a = pl.create_tensor([R, C], dtype=pl.FP32)
    b = pl.create_tensor([R, C], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="produce"):
        for i in pl.range(N):
            pl.store(pl.mul(pl.load(x, [i * T, 0], [T, C]), 2.0), [i * T, 0], a)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="copy"):  # FAULT
        for i in pl.range(N):
            pl.store(pl.load(a, [i * T, 0], [T, C]), [i * T, 0], b)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="consume"):
        for i in pl.range(N):
            pl.store(pl.add(pl.load(b, [i * T, 0], [T, C]), 1.0), [i * T, 0], y)
    return y


@pl.jit
def mended(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    a = pl.create_tensor([R, C], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="produce"):
        for i in pl.range(N):
            pl.store(pl.mul(pl.load(x, [i * T, 0], [T, C]), 2.0), [i * T, 0], a)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="consume"):
        for i in pl.range(N):
            pl.store(pl.add(pl.load(a, [i * T, 0], [T, C]), 1.0), [i * T, 0], y)
    return y


x, y = numbers(R, C), torch.zeros(R, C)
(mended if MENDED else planted)(x, y, config=config())
verdict(y, x * 2 + 1)
