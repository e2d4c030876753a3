"""48 tasks, of which the last has twice the tiles of the mean: the split of a triangle by rows."""
import pypto.language as pl
import torch
from common import MENDED, config, numbers, verdict

C, T, N, STEPS = 128, 64, 48, 4


@pl.jit
def planted(x: pl.Tensor[[N * T, C], pl.FP32], y: pl.Out[pl.Tensor[[N * T, C], pl.FP32]]):
    for i in pl.parallel(N):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="triangle"):  # FAULT
            t = pl.load(x, [i * T, 0], [T, C])
            for _ in pl.range(i * 2 * STEPS):
                t = pl.add(t, 1.0)
            pl.store(t, [i * T, 0], y)
    return y


@pl.jit
def mended(x: pl.Tensor[[N * T, C], pl.FP32], y: pl.Out[pl.Tensor[[N * T, C], pl.FP32]]):
    for i in pl.parallel(N):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="triangle"):
            t = pl.load(x, [i * T, 0], [T, C])
            for _ in pl.range((N - 1) * STEPS):
                t = pl.add(t, 1.0)
            pl.store(t, [i * T, 0], y)
    return y


x, y = numbers(N * T, C), torch.zeros(N * T, C)
(mended if MENDED else planted)(x, y, config=config())
steps = torch.full((N,), float((N - 1) * STEPS)) if MENDED else torch.arange(N) * 2.0 * STEPS
verdict(y, x + steps.repeat_interleave(T)[:, None])
