"""The least cycles that work can take on a chip, from its parameters: no device computes it."""
from __future__ import annotations

from typing import Any, Mapping

from .chips import Chip
from .errors import misuse

_UNITS = {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12,
          "Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
# Types whose products go at the rate of another, by which the chip's parameter is named
# (sim/machine/model/cube_types.h).
_RATE_OF = {"tf32": "hf32", "bf16": "f16", "u8": "i8", "e4m3": "i8", "e5m2": "i8", "hif8": "i8",
            "e2m1": "f4", "e1m2": "f4", "i4": "f4"}
_PRODUCTS = 16 * 16  # that a cube multiplies in a cycle, for each step of its depth


def _quantity(chip: Chip, path: str) -> float:
    """In bytes or cycles per second."""
    number, unit = chip[path].split()
    return float(number) * _UNITS[unit]


def product_depth(chip: Chip, dtype: str = "") -> float:
    """Steps of depth of 16 x 16 products that a cube does in a cycle; without a type, the steps of the chip's fastest.
    Raises Error (I61) for a type that has no products."""
    prefix = "aic.cube.k_per_cycle."
    depths = {path[len(prefix):]: float(chip[path]) for path in chip.parameters
              if path.startswith(prefix)}
    if not dtype:
        return max(depths.values())
    rate = _RATE_OF.get(dtype, dtype)
    if rate not in depths:
        raise misuse(f"no products of type '{dtype}'",
                     "known are " + ", ".join([*depths, *_RATE_OF]))
    return depths[rate]


def least_cycles(chip: Chip, work: Mapping[str, Any]) -> int:
    """Least cycles of the work that a task needs, whatever a kernel does:

    `flops`: of matrix products (two for each term), in the chip's fastest type or the one that `type` names; `bytes`:
    between the cores and global memory, both ways together, through an L2 that holds all of it; `written`: of these,
    from the cores.
    """
    clock = _quantity(chip, "clock")
    depth = product_depth(chip, work.get("type", ""))
    write = _quantity(chip, "memory.l2.write") / clock
    both = write + _quantity(chip, "memory.l2.read") / clock
    return int(max(work.get("flops", 0) / (2 * _PRODUCTS * depth * chip.clusters),
                   work.get("bytes", 0) / both, work.get("written", 0) / write))
