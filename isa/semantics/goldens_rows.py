"""Reductions one after the other: what cases are made of."""
import numpy as np

from goldens_arithmetic import FLOATS, native, ordered
from goldens_cases import to_bits

COMBINE = {
    "SUM": lambda d, a, b: native(d, np.add, a, b), "PROD": lambda d, a, b: native(d, np.multiply, a, b),
    "MAX": lambda d, a, b: to_bits(d, ordered(a, b, np.fmax) if d in FLOATS else np.fmax(a, b)),
    "MIN": lambda d, a, b: to_bits(d, ordered(a, b, np.fmin) if d in FLOATS else np.fmin(a, b)),
}


def sequential(dtype, kind, lines):
    """lines[0] op lines[1] op ..., one after the other; lines are arrays."""
    from goldens_cases import from_bits
    result = lines[0]
    for line in lines[1:]:
        result = from_bits(dtype, COMBINE[kind](dtype, result, line))
    return to_bits(dtype, result)
