"""Common part of the planted programs: with 'mended' as a word of the command, the fault is not there."""
import sys

import torch
from pypto.runtime import RunConfig

MENDED = "mended" in sys.argv


def config(**options):
    return RunConfig(platform="a2a3sim", **options)


def verdict(got, want):
    wrong = int(((got - want).abs() > 1e-3 * (1 + want.abs())).sum())
    print("right" if wrong == 0 else f"wrong: {wrong} of {want.numel()} elements")
    sys.exit(wrong != 0)


def numbers(rows, cols):
    torch.manual_seed(1)
    return torch.randint(-9, 10, (rows, cols)).float()
