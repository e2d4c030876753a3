"""Each task has the whole of `y` as in and out, so each waits for the one before it."""
import pypto.language as pl
import torch
from common import MENDED, config, numbers, verdict

R, C, B = 4096, 128, 16


@pl.jit
def planted(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    for i in pl.range(R // B):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="rows"):  # FAULT
            y[i * B:i * B + B, :] = pl.mul(x[i * B:i * B + B, :], 2.0)
    return y


@pl.jit
def mended(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    for i in pl.parallel(R // B):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="rows"):
            y[i * B:i * B + B, :] = pl.mul(x[i * B:i * B + B, :], 2.0)
    return y


x, y = numbers(R, C), torch.zeros(R, C)
(mended if MENDED else planted)(x, y, config=config())
verdict(y, x * 2)
