"""Ascend NPU kernels on a simulated chip: bits, cycles, findings.

>>> import ptosim
>>> r = ptosim.simulate("softmax.pto", chip="ascend910b1", check="all")(x, out)
>>> r.cycles, r.findings, r.bottleneck

The pages: docs/python.md; every option: docs/running.md.
"""
import sys as _sys

if _sys.version_info < (3, 9):
    raise ImportError("ptosim needs Python 3.9 or later, and %s is %d.%d" %
                      (_sys.executable, *_sys.version_info[:2]))
try:
    import numpy as _numpy
except ImportError as _error:
    raise ImportError(f"ptosim needs NumPy, but {_sys.executable} has none ({_error}): "
                      "pip install numpy, or apt-get install python3-numpy") from None

from .arrays import inout, out
from .chips import Chip, chips, isa
from .compare import Comparison, Writer, compare
from .cost import Cost, cost
from .debug import debug
from .device import Device, DeviceArray, Launch, Options, Simulation, simulate
from .errors import DeviceLost, Error, Finding, InternalError, Timeout
from .kernels import Kernel
from .measures import Lane, PipeUse, Work
from .operators import op
from .result import Difference, FindingsError, Result, diff
from .sweep import Sweep, sweep
from .worker import warm

__all__ = [
    "Chip", "Comparison", "Cost", "Device", "DeviceArray", "DeviceLost", "Difference", "Error", "Finding",
    "FindingsError", "InternalError", "Kernel", "Lane", "Launch", "Options", "PipeUse", "Result",
    "Simulation", "Sweep", "Timeout", "Work", "Writer", "chips", "compare", "cost", "debug", "diff", "inout",
    "isa", "op", "out", "simulate", "sweep", "warm",
]
__version__ = "0.1.0"
