"""Requests of `ptosim serve`: kernels, cases, arguments, and what must come out."""
from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import arrays
from .arrays import Out, out
from .errors import misuse
from .files import Files
from .fitted import cut

MOST_CASES = 64
MOST_NAME = 40  # characters of a case's name
MOST_BYTES = 1 << 30  # of the arrays of one case that are given by a shape


# Keys of an argument, by its kind, in addition to `kind` and `dtype`.
ARGUMENT_KEYS = {"rand": ("shape", "low", "high", "seed"), "zeros": ("shape",), "in": ("in",),
                 "inout": ("array",), "out": ("shape",)}
CASE_KEYS = ("name", "arguments", "args", "seeds", "rtol", "atol", "goldens", "reference")


def require_keys(fields: Mapping[str, Any], allowed: Sequence[str], what: str) -> None:
    """Raises Error (I61) for a field that would be ignored."""
    unknown = sorted(set(fields) - set(allowed))
    if unknown:
        raise misuse(f"{what} has the unknown field '{unknown[0]}'",
                     "there are " + ", ".join(sorted(allowed)))


def _shown(value: Any) -> str:
    return cut(repr(value), 80)


def require_kinds(fields: Mapping[str, Any], what: str) -> None:
    """Raises Error (I61) for a list, an object or a text that is none."""
    for kind, name, keys in ((str, "a text", ("kernel", "entry", "cores", "plan", "assembler",
                                              "chip", "mode", "numerics", "sync", "check", "memory", "reference")),
                             (list, "a list", ("arguments", "args", "seeds", "cases")),
                             (dict, "an object", ("set", "params", "defines", "goldens", "work"))):
        for key in keys:
            if not isinstance(fields.get(key), (kind, type(None))):
                raise misuse(f"'{key}' of {what} is {_shown(fields[key])}, not {name}")


def finite(value: Any, what: str, least: float = -sys.float_info.max) -> float:
    """A number of a request, which JSON can write so that it becomes infinite. Raises Error
    (I61)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or \
            not least <= value <= sys.float_info.max:
        raise misuse(f"{what} is {_shown(value)}, not a finite number" +
                     (f" from {least:g}" if least > -sys.float_info.max else ""))
    return float(value)


def whole(value: Any, what: str) -> int:
    """Returns a whole number from 0 to 2^63 - 1, which may be written as 1e6. Raises Error (I61) for others."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or \
            not 0 <= value < 1 << 63 or value != int(value):
        raise misuse(f"{what} is {_shown(value)}, not a whole number from 0 to 2^63 - 1")
    return int(value)


@dataclass
class Golden:
    """Expected content of an argument after the run."""

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
    bytes: int = 0  # of its arrays that are given by a shape


def _shape(fields: Mapping[str, Any], dtype: str, case: Case) -> Tuple[int, ...]:
    shape = fields.get("shape")
    if isinstance(shape, int):
        shape = [shape]
    if not isinstance(shape, list) or not all(isinstance(n, int) and n > 0 for n in shape):
        raise misuse(f"an array needs a shape of positive extents, not {_shown(shape)}",
                     code="I11")
    elements = arrays.elements_of(shape)
    case.bytes += elements * arrays.BITS[dtype] // 8
    if elements * 8 > MOST_BYTES:
        raise misuse(f"an array of shape {_shown(shape)} is larger than a request may have",
                     f"at most {MOST_BYTES // 8} elements", "I11")
    if case.bytes > MOST_BYTES:
        raise misuse("the arrays of a case are larger than a request may have",
                     f"at most {MOST_BYTES} bytes", "I11")
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


def _array(given: Any, files: Files) -> np.ndarray:
    """A file of the caller (.npy), or a list of numbers with `dtype`."""
    if isinstance(given, str):
        return files.array(given, f"the array {_shown(given)}")
    if isinstance(given, Mapping):
        dtype = arrays.numpy_dtype(arrays.dtype_name(str(given.get("dtype", "f32"))))
        try:
            values = np.array(given.get("values"), dtype)
            return values.reshape(given["shape"]) if "shape" in given else values
        except (ValueError, TypeError, OverflowError) as error:
            raise misuse(f"values of an array cannot be read: {error}", code="I11") from None
    raise misuse("an array is the name of a .npy file, or {values, dtype, shape}", code="I11")


def _argument(index: int, given: Any, seed: int, case: Case, files: Files) -> Any:
    if given is None or isinstance(given, (int, float)):
        return given
    if not isinstance(given, Mapping):
        raise misuse(f"argument {index} is neither a number nor an object: {_shown(given)}",
                     "a number, null, or an object with rand, zeros, in, inout or out", "I11")
    dtype = arrays.dtype_name(str(given.get("dtype", "f32")))
    what = given.get("kind", "in" if "in" in given else "")
    if isinstance(what, str) and what in ARGUMENT_KEYS:
        require_keys(given, ("kind", "dtype", *ARGUMENT_KEYS[what]),
                     f"argument {index} of kind {what}")
    field = {"in": "in", "inout": "array"}.get(what) if isinstance(what, str) else None
    if field is not None and field not in given:
        raise misuse(f"argument {index} of kind {what} has no '{field}'",
                     "the name of a .npy file, or {values, dtype, shape}", "I11")
    if what == "rand":
        name = f"of argument {index}"
        own = whole(given["seed"], f"seed {name}") if "seed" in given else seed * 1000 + index
        low, high = (finite(given.get(key, otherwise), f"{key} {name}")
                     for key, otherwise in (("low", -1.0), ("high", 1.0)))
        if low > high:
            raise misuse(f"low {name} is {low:g}, above high, {high:g}",
                         "without them, low is -1 and high is 1", "I11")
        try:
            return random_array(_shape(given, dtype, case), dtype, own, low, high)
        except (ValueError, OverflowError) as error:
            raise misuse(f"argument {index} from {low:g} to {high:g}: {error}",
                         code="I11") from None
    if what == "zeros":
        return np.zeros(_shape(given, dtype, case), arrays.numpy_dtype(dtype))
    if what == "in":
        return _array(given["in"], files)
    if what == "inout":
        case.dtypes[index] = dtype
        return Out(array=np.array(_array(given["array"], files)), keep=True)
    if what == "out":
        case.dtypes[index] = dtype
        return out(arrays.new_array(_shape(given, dtype, case), dtype))
    raise misuse(f"argument {index} has the unknown kind {_shown(what)}",
                 "rand, zeros, in, inout, out", "I11")


def cases_of(request: Mapping[str, Any], references: Mapping[str, Any],
             files: Files) -> List[Case]:
    """The runs of a request: its cases (or itself as the only one), each with every seed."""
    listed = request.get("cases") or [request]
    made: List[Case] = []
    for number, fields in enumerate(listed):
        if not isinstance(fields, Mapping):
            raise misuse(f"case {number} is not an object", code="I11")
        if fields is not request:
            require_keys(fields, CASE_KEYS, f"case {number}")
            require_kinds(fields, f"case {number}")
        seeds = fields.get("seeds") or request.get("seeds") or [1]
        for seed in seeds:
            if len(made) == MOST_CASES:
                raise misuse(f"a request has at most {MOST_CASES} runs", code="I11")
            seed = whole(seed, "a seed")
            group = str(fields.get("name", number))[:MOST_NAME]
            name = group + (f", seed {seed}" if len(seeds) > 1 else "")
            case = Case(name, [], group=group)
            made.append(_fill(case, fields, request, seed, references, files))
    return made


def _fill(case: Case, fields: Mapping[str, Any], request: Mapping[str, Any], seed: int,
          references: Mapping[str, Any], files: Files) -> Case:
    # `args` is an older name.
    given = next((found[key] for found in (fields, request) for key in ("arguments", "args")
                  if found.get(key) is not None), [])
    case.arguments = [_argument(i, argument, seed, case, files)
                      for i, argument in enumerate(given)]
    rtol, atol = (finite(fields.get(key, request.get(key, 0.0)), key, 0.0)
                  for key in ("rtol", "atol"))
    if fields.get("goldens") and fields.get("reference") is not None:
        raise misuse(f"case {case.group} has goldens and a reference",
                     "give exactly one of them as the expected result", "I11")
    goldens = fields.get("goldens", request.get("goldens")) or {}
    if fields.get("reference") is not None:
        goldens = {}  # the request's, in whose place the case has a reference
    for index, golden in goldens.items():
        if not index.isdecimal() or len(index) > 6:
            raise misuse(f"goldens are by the position of their argument, not {_shown(index)}",
                         'such as {"2": "golden.npy"}', "I11")
        case.goldens.append(Golden(int(index), _array(golden, files), rtol, atol))
    reference = fields.get("reference", request.get("reference"))
    if reference is not None and not case.goldens:
        case.goldens = _from_reference(str(reference), references, case, rtol, atol)
    return case


def _from_reference(name: str, references: Mapping[str, Any], case: Case, rtol: float,
                    atol: float) -> List[Golden]:
    """Calls a function of the server that takes the arguments other than outputs and returns the outputs in their
    order."""
    function = references.get(name)
    if function is None:
        raise misuse(f"unknown reference '{name}'",
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
                     "it receives the kernel's arguments except outputs", "I11") from None
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
