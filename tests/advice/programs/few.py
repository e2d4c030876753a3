"""Two tasks, on a chip with 48 vector cores."""
import pypto.language as pl
import torch
from common import MENDED, config, numbers, verdict

R, C, T = 4096, 128, 64
TASKS = 8 if MENDED else 2
TILES = R // T // TASKS


@pl.jit
def program(x: pl.Tensor[[R, C], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    for i in pl.parallel(TASKS):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="band"):  # FAULT
            for j in pl.range(TILES):
                t = pl.load(x, [(i * TILES + j) * T, 0], [T, C])
                for _ in pl.range(8):
                    t = pl.add(t, 1.0)
                pl.store(t, [(i * TILES + j) * T, 0], y)
    return y


x, y = numbers(R, C), torch.zeros(R, C)
program(x, y, config=config())
verdict(y, x + 8)
