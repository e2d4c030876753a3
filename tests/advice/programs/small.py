"""A task for each 16 rows: submitting one takes longer than running it."""
import pypto.language as pl
import torch
from common import MENDED, config, numbers, verdict

R, C = 4096, 128
B = 128 if MENDED else 16


@pl.jit
def program(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    for i in pl.parallel(R // B):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="rows"):  # FAULT
            y[i * B:i * B + B, :] = pl.mul(x[i * B:i * B + B, :], 2.0)
    return y


x, y = numbers(R, C), torch.zeros(R, C)
program(x, y, config=config())
verdict(y, x * 2)
