"""Comparison of a result with its expected value."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np

from . import arrays
from .errors import misuse


@dataclass
class Writer:
    """The instruction that wrote an element last."""

    core: str = ""  #: "AIV03"
    pipe: str = ""  #: "MTE3"; "S" for a scalar store
    instruction: str = ""  #: "TSTORE"
    file: str = ""
    line: int = 0  #: from 1; 0: not known
    source: str = ""  #: the text of that line
    tile: str = ""  #: what it stored: "UB 0x400 16x64 f32"
    block: int = 0
    cycle: int = 0  #: core cycles since the chip came up
    sequence: int = 0  #: of the instruction on its core, from 0

    def __str__(self) -> str:
        where = f" at {self.file}:{self.line}" if self.line else ""
        what = f" of tile {self.tile}" if self.tile else ""
        return (f"{self.instruction}{what}{where}, block {self.block} on {self.core}/{self.pipe}, "
                f"cycle {self.cycle}")


@dataclass
class Comparison:
    """Result of compare(). Errors are absolute; ulps are units in the last place of the element type (floats only).
    True if they are equal, or within the tolerances."""

    equal: bool
    elements: int
    mismatches: int = 0
    first: Optional[Tuple[int, ...]] = None  #: index of the first element that differs
    found: Any = None  #: it
    expected: Any = None
    largest_error: float = 0.0
    mean_error: float = 0.0
    largest_ulps: int = 0
    mean_ulps: float = 0.0
    unwritten: int = 0  #: elements that still hold the poison
    tolerances: Tuple[float, float] = (0.0, 0.0)  #: rtol, atol
    writer: Optional[Writer] = None  #: who wrote the first element that differs

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.equal:
            how = "within tolerances" if any(self.tolerances) else "bit for bit"
            return f"all {self.elements} elements equal {how}"
        text = (f"{self.mismatches} of {self.elements} elements differ; first at "
                f"{list(self.first or ())}: {self.found} instead of {self.expected}; largest "
                f"error {self.largest_error:.6g}, {self.largest_ulps} ulp")
        if self.unwritten:
            text += f"; {self.unwritten} were never written"
        if self.writer:
            text += f"; written by {self.writer}"
        return text


def _bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def ulps(a: np.ndarray, b: np.ndarray, dtype: str) -> np.ndarray:
    """The distance of bit patterns in units in the last place: how many numbers of the type lie
    between, and one. The two zeros are one."""
    width = arrays.BITS[dtype]
    sign = 1 << (width - 1)

    def line(bits: np.ndarray) -> np.ndarray:
        word = bits.astype(np.int64)
        return np.where(word & sign, -(word & (sign - 1)), word)

    return np.abs(line(a) - line(b))


def compare(result: Any, golden: Any, rtol: float = 0.0, atol: float = 0.0,
            dtype: Optional[str] = None) -> Comparison:
    """Compares arrays of one shape: bit for bit, or |result - golden| <= atol + rtol |golden|.

    NaN equals NaN. `dtype` names the element type of arrays that hold bit patterns ("bf16" in
    uint16). A golden of a wider floating-point type is rounded to that of the result if both are
    NumPy types. Raises Error (I13) if the shapes differ.
    """
    a, b = arrays._numpy_view(result), arrays._numpy_view(golden)
    if a.shape != b.shape:
        raise misuse(f"the golden has the shape {list(b.shape)}, and the result {list(a.shape)}",
                     code="I13")
    name = dtype or arrays.dtype_name(a.dtype)
    if a.dtype != b.dtype:
        with np.errstate(over="ignore"):
            b = b.astype(a.dtype)
    bits_a, bits_b = _bits(a), _bits(b)
    if not any((rtol, atol)) and np.array_equal(bits_a, bits_b):
        return Comparison(True, a.size)
    real = name in arrays.FLOATS
    value_a, value_b = (arrays.to_float64(x, name) for x in (a, b))
    with np.errstate(invalid="ignore"):
        error = np.abs(value_a - value_b)
        both_nan = np.isnan(value_a) & np.isnan(value_b)
        error = np.where((value_a == value_b) | both_nan, 0.0, error)
        if any((rtol, atol)):
            wrong = ~(error <= atol + rtol * np.abs(value_b))
        else:
            wrong = (bits_a != bits_b) & ~both_nan
    distance = ulps(bits_a, bits_b, name) if real else np.zeros(1, np.int64)
    if real:
        distance = np.where(np.isnan(value_a) | np.isnan(value_b), 0, distance)
    mismatches = int(np.count_nonzero(wrong))
    report = Comparison(mismatches == 0, a.size, mismatches, tolerances=(rtol, atol))
    finite = error[np.isfinite(error)]
    if finite.size:
        report.largest_error, report.mean_error = float(finite.max()), float(finite.mean())
    if real:
        report.largest_ulps, report.mean_ulps = int(distance.max()), float(distance.mean())
    if mismatches:
        report.first = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), a.shape))
        report.found, report.expected = value_a[report.first], value_b[report.first]
        poison = np.array(-1, f"i{a.dtype.itemsize}").view(f"u{a.dtype.itemsize}")
        report.unwritten = int(np.count_nonzero(wrong & (bits_a == poison)))
    return report
