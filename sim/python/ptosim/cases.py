"""Requests of `ptosim serve`: kernels, cases, arguments, and what must come out."""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import arrays
from .arrays import Out, out
from .errors import misuse

MOST_CASES = 64
MOST_NAME = 40  # characters of a case's name
MOST_BYTES = 1 << 30  # of the arrays of one case


CASE_KEYS = ("name", "args", "seeds", "rtol", "atol", "goldens", "reference")


def require_keys(fields: Mapping[str, Any], allowed: Sequence[str], what: str) -> None:
    """Raises Error (I61) for a field that would be ignored."""
    unknown = sorted(set(fields) - set(allowed))
    if unknown:
        raise misuse(f"{what} has the unknown field '{unknown[0]}'",
                     "there are " + ", ".join(sorted(allowed)))


@dataclass
class Golden:
    """What an argument must hold after the run."""

    argument: int
    values: np.ndarray
    rtol: float = 0.0
    atol: float = 0.0


@dataclass
class Case:
    """One run of a kernel: its arguments, and what must come out. Goldens stay on this side."""

    name: str
    arguments: List[Any]
    goldens: List[Golden] = field(default_factory=list)
    dtypes: Dict[int, str] = field(default_factory=dict)  # of outputs
    group: str = ""  # the name without the seed


def _shape(fields: Mapping[str, Any]) -> Tuple[int, ...]:
    shape = fields.get("shape")
    if isinstance(shape, int):
        shape = [shape]
    if not isinstance(shape, list) or not all(isinstance(n, int) and n > 0 for n in shape):
        raise misuse(f"an array needs a shape of positive extents, not {shape!r}", code="I11")
    if arrays.elements_of(shape) * 8 > MOST_BYTES:
        raise misuse(f"an array of shape {shape} is larger than a request may have", code="I11")
    return tuple(shape)


def random_array(shape: Tuple[int, ...], dtype: str, seed: int, low: float = -1.0,
                 high: float = 1.0) -> np.ndarray:
    """Uniform numbers, the same on every host: floats in [low, high), integers likewise."""
    generator = np.random.Generator(np.random.PCG64(seed))
    made = arrays.numpy_dtype(dtype)
    if made.kind == "f" and dtype in arrays.NUMPY_OF:
        return (generator.random(shape) * (high - low) + low).astype(made)
    if dtype in arrays.NUMPY_OF:
        if high - low <= 2:
            low, high = (0, 16) if made.kind == "u" else (-8, 8)
        return generator.integers(int(low), int(high), shape).astype(made)
    if dtype == "bf16":  # the upper half of a float, cut
        value = (generator.random(shape) * (high - low) + low).astype(np.float32)
        return (value.view(np.uint32) >> 16).astype(np.uint16)
    return generator.integers(0, 1 << min(arrays.BITS[dtype] - 1, 8), shape).astype(made)


def _array(given: Any) -> np.ndarray:
    """A file of the caller (.npy), or a list of numbers with `dtype`."""
    if isinstance(given, str):
        try:
            return np.load(given, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise misuse(f"{given}: {error}", code="I10") from None
    if isinstance(given, Mapping):
        values = np.array(given.get("values"), arrays.numpy_dtype(str(given.get("dtype", "f32"))))
        return values.reshape(given["shape"]) if "shape" in given else values
    raise misuse("an array is the name of a .npy file, or {values, dtype, shape}", code="I11")


def _argument(index: int, given: Any, seed: int, case: Case) -> Any:
    if given is None or isinstance(given, (int, float)):
        return given
    if not isinstance(given, Mapping):
        raise misuse(f"argument {index} is none that is known: {given!r}",
                     "a number, or an object with rand, zeros, in, inout or out", "I11")
    dtype = arrays.dtype_name(str(given.get("dtype", "f32")))
    what = given.get("kind", "in" if "in" in given else "")
    if what == "rand":
        return random_array(_shape(given), dtype, int(given.get("seed", seed * 1000 + index)),
                            float(given.get("low", -1.0)), float(given.get("high", 1.0)))
    if what == "zeros":
        return np.zeros(_shape(given), arrays.numpy_dtype(dtype))
    if what == "in":
        return _array(given["in"])
    if what == "inout":
        case.dtypes[index] = dtype
        return Out(array=np.array(_array(given["array"])), keep=True)
    if what == "out":
        case.dtypes[index] = dtype
        return out(arrays.new_array(_shape(given), dtype))
    raise misuse(f"argument {index} has the unknown kind {what!r}",
                 "rand, zeros, in, inout, out", "I11")


def cases_of(request: Mapping[str, Any], references: Mapping[str, Any]) -> List[Case]:
    """The runs of a request: its cases (or itself as the only one), each with every seed."""
    listed = request.get("cases") or [request]
    if not isinstance(listed, list):
        raise misuse("cases are a list", code="I11")
    made: List[Case] = []
    for number, fields in enumerate(listed):
        if not isinstance(fields, Mapping):
            raise misuse(f"case {number} is no object", code="I11")
        if fields is not request:
            require_keys(fields, CASE_KEYS, f"case {number}")
        seeds = fields.get("seeds") or request.get("seeds") or [1]
        for seed in seeds:
            group = str(fields.get("name", number))[:MOST_NAME]
            name = group + (f", seed {seed}" if len(seeds) > 1 else "")
            case = Case(name, [], group=group)
            made.append(_fill(case, fields, request, int(seed), references))
        if len(made) > MOST_CASES:
            raise misuse(f"a request has at most {MOST_CASES} runs", code="I11")
    return made


def _fill(case: Case, fields: Mapping[str, Any], request: Mapping[str, Any], seed: int,
          references: Mapping[str, Any]) -> Case:
    given = fields.get("args", request.get("args", []))
    case.arguments = [_argument(i, argument, seed, case) for i, argument in enumerate(given)]
    rtol = float(fields.get("rtol", request.get("rtol", 0.0)))
    atol = float(fields.get("atol", request.get("atol", 0.0)))
    goldens = fields.get("goldens", request.get("goldens")) or {}
    for index, golden in goldens.items():
        case.goldens.append(Golden(int(index), _array(golden), rtol, atol))
    reference = fields.get("reference", request.get("reference"))
    if reference is not None and not case.goldens:
        case.goldens = _from_reference(str(reference), references, case, rtol, atol)
    return case


def _from_reference(name: str, references: Mapping[str, Any], case: Case, rtol: float,
                    atol: float) -> List[Golden]:
    """A function of the server's own: takes the arguments that are no outputs, gives the outputs
    in their order."""
    function = references.get(name)
    if function is None:
        raise misuse(f"there is no reference '{name}'",
                     "known are " + (", ".join(sorted(references)) or "none: --references FILE"))
    inputs = []
    for argument in case.arguments:
        if isinstance(argument, Out):
            if argument.keep:
                inputs.append(np.array(argument.array))
        else:
            inputs.append(np.array(argument) if isinstance(argument, np.ndarray) else argument)
    try:
        with np.errstate(all="ignore"):
            values = function(*inputs)
    except Exception as error:
        raise misuse(f"reference '{name}' failed: {type(error).__name__}: {error}",
                     "it gets the arguments of the kernel that are no outputs", "I11") from None
    if not isinstance(values, (tuple, list)):
        values = [values]
    outputs = [i for i, argument in enumerate(case.arguments) if isinstance(argument, Out)]
    if len(values) != len(outputs):
        raise misuse(f"reference '{name}' gives {len(values)} arrays for {len(outputs)} outputs")
    return [Golden(i, np.asarray(value), rtol, atol) for i, value in zip(outputs, values)]


def load_references(path: Optional[str]) -> Dict[str, Any]:
    """The functions of a Python file of who runs the server."""
    if path is None:
        return {}
    names: Dict[str, Any] = {"__name__": "references", "__file__": os.path.abspath(path)}
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), names)
    return {name: value for name, value in names.items()
            if callable(value) and not name.startswith("_")}
