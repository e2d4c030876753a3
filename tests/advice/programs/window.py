"""A window of four tasks: the orchestration waits for the oldest before it submits another."""
import os

import pypto.language as pl
import torch
from common import MENDED, config, numbers, verdict

N, T, C = 48, 32, 128


@pl.jit
def program(x: pl.Tensor[[N * T, C], pl.FP32], y: pl.Out[pl.Tensor[[N * T, C], pl.FP32]]):
    for i in pl.parallel(N):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="band"):  # FAULT
            t = pl.load(x, [i * T, 0], [T, C])
            for _ in pl.range(400):
                t = pl.add(t, 1.0)
            pl.store(t, [i * T, 0], y)
    return y


x, y = numbers(N * T, C), torch.zeros(N * T, C)
if not MENDED:
    os.environ["PTO2_RING_TASK_WINDOW"] = "4"
program(x, y, config=config())
verdict(y, x + 400)
