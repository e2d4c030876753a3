"""Numbers of a run: what its cores and pipes did."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping


@dataclass(frozen=True)
class PipeUse:
    """A pipe's cycles: busy + wait + idle is the duration of the run."""

    busy: int
    wait: int
    idle: int
    instructions: int


@dataclass(frozen=True)
class Lane:
    """A core and its pipes."""

    name: str  #: "AIC00"
    util: float  #: share of the time in which at least one pipe works, 0 to 1
    cycles: int  #: at which its last block ended
    instructions: int  #: completed
    pipes: Mapping[str, PipeUse]


@dataclass(frozen=True)
class Work:
    """Work of a run, and the least cycles in which the chip can do it."""

    flops: int  #: two for each term of a matrix product
    global_read_bytes: int
    global_write_bytes: int
    compute_cycles: int
    bandwidth_cycles: int
    occupancy_cycles: int  #: that the busiest pipe was busy

    @property
    def bound_cycles(self) -> int:
        """The roofline: no run of this work can be shorter on this chip."""
        return max(self.compute_cycles, self.bandwidth_cycles)


def lanes_of(cores: List[Dict[str, Any]]) -> List[Lane]:
    lanes = []
    for core in cores:
        pipes = {name: PipeUse(pipe.get("busy", 0), pipe.get("wait", 0), pipe.get("idle", 0),
                               pipe.get("instructions", 0))
                 for name, pipe in core.get("pipes", {}).items()}
        lanes.append(Lane(core["lane"], core.get("util", 0.0), core.get("finished", 0),
                          core.get("instructions", 0), pipes))
    return lanes
