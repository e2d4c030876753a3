"""The least cycles that work can take on a chip, from its parameters: no device computes it."""
from __future__ import annotations

from typing import Mapping

from .chips import Chip

_UNITS = {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12,
          "Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
_PRODUCTS = 16 * 16  # that a cube multiplies in a cycle, for each step of its depth


def _quantity(chip: Chip, path: str) -> float:
    """In bytes or cycles per second."""
    number, unit = chip[path].split()
    return float(number) * _UNITS[unit]


def least_cycles(chip: Chip, work: Mapping[str, float]) -> int:
    """Of work that a task cannot do without, whatever a kernel does:

    `flops`: of matrix products (two for each term), in the chip's fastest type or the one that
    `type` names; `bytes`: between the cores and global memory, both ways together, through an L2
    that holds all of it; `written`: of these, from the cores.
    """
    clock = _quantity(chip, "clock")
    prefix = "aic.cube.k_per_cycle."
    depths = {path[len(prefix):]: int(chip[path]) for path in chip.parameters
              if path.startswith(prefix)}
    depth = depths.get(str(work.get("type", "")), max(depths.values()))
    write = _quantity(chip, "memory.l2.write") / clock
    both = write + _quantity(chip, "memory.l2.read") / clock
    return int(max(work.get("flops", 0) / (2 * _PRODUCTS * depth * chip.clusters),
                   work.get("bytes", 0) / both, work.get("written", 0) / write))
