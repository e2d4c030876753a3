"""Arrays of the caller as bytes of the device, and back: NumPy, torch (CPU), DLPack, ml_dtypes."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from .errors import misuse

# NumPy's own types by the names of the simulator.
NUMPY_OF = {
    "f32": np.float32, "f16": np.float16, "i8": np.int8, "u8": np.uint8, "i16": np.int16,
    "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64,
}
# Types of ml_dtypes, by name: the package need not be there.
ML_DTYPES = {
    "bfloat16": "bf16", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "e8m0", "float4_e2m1fn": "e2m1", "int4": "i4",
}
BITS = {"f32": 32, "tf32": 32, "hf32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "e8m0": 8,
        "hif8": 8, "e2m1": 4, "e1m2": 4, "i4": 4, "i8": 8, "u8": 8, "i16": 16, "u16": 16,
        "i32": 32, "u32": 32, "i64": 64, "u64": 64}
# (exponent bits, fraction bits) of floating-point types, for distances in the last place.
FLOATS = {"f32": (8, 23), "f16": (5, 10), "bf16": (8, 7), "e4m3": (4, 3), "e5m2": (5, 2),
          "e2m1": (2, 1)}
_SHORT = {np.dtype(t): name for name, t in NUMPY_OF.items()}


def dtype_name(dtype: Any) -> str:
    """The simulator's name of an element type: np.float32, "f32", ml_dtypes.bfloat16, "bf16".

    Raises Error (I61) for a type that kernels do not have.
    """
    if isinstance(dtype, str) and dtype in BITS:
        return dtype
    try:
        found = np.dtype(dtype)
    except TypeError:
        raise misuse(f"unknown element type {str(dtype)[:80]}",
                     "known are " + ", ".join(BITS)) from None
    if found in _SHORT:
        return _SHORT[found]
    if found.name in ML_DTYPES:
        return ML_DTYPES[found.name]
    if found == np.dtype(bool):
        return "u8"
    raise misuse(f"no kernel has elements of type {found.name}",
                 "known are " + ", ".join(BITS))


def numpy_dtype(name: str) -> np.dtype:
    """NumPy type that holds elements of a kernel's type: that of ml_dtypes if it is there,
    else unsigned integers of their width; 4-bit elements are bytes that hold two each."""
    if name in NUMPY_OF:
        return np.dtype(NUMPY_OF[name])
    for ml_name, short in ML_DTYPES.items():
        if short == name and BITS[name] >= 8:
            try:
                import ml_dtypes
                return np.dtype(getattr(ml_dtypes, ml_name))
            except (ImportError, AttributeError):
                break
    return np.dtype(f"u{max(BITS[name], 8) // 8}")


@dataclass
class Out:
    """An output that the caller does not hold yet, or an array that is nothing but one."""

    shape: Tuple[int, ...] = ()
    dtype: Any = "f32"
    array: Any = None
    keep: bool = False  # what it holds is read, too


def out(shape_or_array: Any, dtype: Any = "f32") -> Out:
    """An output of a kernel: an array to fill, or the shape and element type of a new one.

    It is poisoned before the run (all bits set: NaN, or -1). With poison=False it holds zeros.
    Reading it before the kernel has written it is a finding of the `init` checker.
    """
    if hasattr(shape_or_array, "dtype") or hasattr(shape_or_array, "__dlpack__"):
        return Out(array=shape_or_array)
    shape = (shape_or_array,) if isinstance(shape_or_array, int) else tuple(shape_or_array)
    return Out(shape=shape, dtype=dtype)


def inout(array: Any) -> Out:
    """An array that the kernel reads and writes: never poisoned."""
    return Out(array=array, keep=True)


class Host:
    """One argument's elements as the caller has them, and as bytes.

    `view` is a NumPy array over the caller's memory where that can be (C order), else a copy;
    `write_back` is false for copies that must be stored into the caller's array element by element.
    """

    def __init__(self, given: Any, parameter: str, expected: str):
        self.given = given
        self.torch = type(given).__module__.split(".")[0] == "torch"
        source = _numpy_view(given)
        self.array: np.ndarray = source
        self.dtype = dtype_name(source.dtype) if not self.torch else _torch_dtype(given)
        wide = BITS.get(expected, 0)
        # fp4 and int4 of ml_dtypes hold one element in a byte; kernels have two.
        self.packed = BITS[self.dtype] == 4
        same = self.dtype == expected
        unsigned = source.dtype.kind == "u" and (source.dtype.itemsize * 8 == wide or
                                                 (wide == 4 and source.dtype.itemsize == 1))
        if expected and not same and not unsigned:
            raise misuse(f"{parameter} points to {expected}, and the array has elements of type "
                         f"{self.dtype}", "convert it, or give its bits as unsigned integers")
        if not same and expected:
            self.dtype = expected
        flat = np.ascontiguousarray(source)
        self.contiguous = flat is source or flat.base is source or source.flags.c_contiguous
        self.bytes = _pack(flat) if self.packed else flat.reshape(-1).view(np.uint8)

    @property
    def elements(self) -> int:
        return int(self.bytes.size * 8 // BITS[self.dtype])

    def store(self, raw: np.ndarray) -> Any:
        """Writes bytes of the device into the caller's array, and returns that."""
        if self.packed:
            values = _unpack(raw, self.array.size).view(self.array.dtype)
        else:
            values = raw.view(self.array.dtype)
        values = values.reshape(self.array.shape)
        self.array[...] = values
        return self.given

    @property
    def read_only(self) -> bool:
        """Elements of the device cannot be stored into it."""
        return not self.array.flags.writeable

    def as_given(self, raw: np.ndarray) -> Any:
        """A new array of the caller's kind with bytes of the device."""
        if self.packed:
            values = _unpack(raw, self.array.size).view(self.array.dtype)
        else:
            values = raw.view(self.array.dtype)
        values = values.reshape(self.array.shape).copy()
        if self.torch:
            import torch
            return torch.from_numpy(values).view(self.given.dtype)
        return values


def _torch_dtype(tensor: Any) -> str:
    name = str(tensor.dtype).split(".")[-1]
    names = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "int8": "i8", "uint8": "u8",
             "int16": "i16", "int32": "i32", "int64": "i64", "float8_e4m3fn": "e4m3",
             "float8_e5m2": "e5m2", "bool": "u8"}
    if name not in names:
        raise misuse(f"no kernel has elements of type torch.{name}")
    return names[name]


def _numpy_view(given: Any) -> np.ndarray:
    if isinstance(given, np.ndarray):
        return given
    module = type(given).__module__.split(".")[0]
    if module == "torch":
        tensor = given.detach()
        if tensor.device.type != "cpu":
            raise misuse(f"the tensor is on {tensor.device}, not on the CPU", "give tensor.cpu()")
        import torch
        same_width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        try:
            return _from_dlpack(tensor)
        except (TypeError, RuntimeError, BufferError, AttributeError):
            bits = tensor.view(same_width[tensor.element_size()]).numpy()
            return bits.view(f"u{bits.dtype.itemsize}")
    if hasattr(given, "__dlpack__"):
        return _from_dlpack(given)
    return np.asarray(given)


class _Writable:
    """The elements of an array that NumPy holds to be read-only."""

    def __init__(self, array: np.ndarray):
        self._array = array
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface


def _from_dlpack(given: Any) -> np.ndarray:
    """The caller's memory. Before 2.1 NumPy marks all of it read-only: it asks for it by the first
    version of DLPack, which has no such mark, and by which read-only memory is not handed out."""
    view = np.from_dlpack(given)
    marks = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)
    return view if marks or view.flags.writeable else np.asarray(_Writable(view))


def _pack(array: np.ndarray) -> np.ndarray:
    """Two 4-bit elements to a byte, the even one in the low half."""
    flat = array.reshape(-1).view(np.uint8) & 0xF
    if flat.size % 2:
        flat = np.append(flat, np.uint8(0))
    return (flat[0::2] | (flat[1::2] << 4)).astype(np.uint8)


def _unpack(raw: np.ndarray, count: int) -> np.ndarray:
    result = np.empty(raw.size * 2, np.uint8)
    result[0::2], result[1::2] = raw & 0xF, raw >> 4
    return result[:count].copy()


def elements_of(shape: Sequence[int]) -> int:
    count = 1
    for extent in shape:
        count *= int(extent)
    return count


def new_array(shape: Sequence[int], dtype: Any) -> np.ndarray:
    """For an output that is given by its shape."""
    name = dtype if isinstance(dtype, str) and dtype in BITS else dtype_name(dtype)
    extents = list(shape)
    if BITS[name] == 4 and extents:
        extents[-1] = (extents[-1] + 1) // 2
    return np.empty(extents, numpy_dtype(name))


def to_float64(array: np.ndarray, dtype: Optional[str] = None) -> np.ndarray:
    """Values for people and for errors: bit patterns of types that NumPy lacks are decoded."""
    name = dtype or dtype_name(array.dtype)
    if array.dtype.kind != "u" or name not in FLOATS:
        return array.astype(np.float64)
    return decode(array, name)


def decode(bits: np.ndarray, name: str) -> np.ndarray:
    """Unsigned bit patterns of a floating-point type as float64, exactly."""
    exponent_bits, fraction_bits = FLOATS[name]
    word = bits.astype(np.int64)
    fraction = word & ((1 << fraction_bits) - 1)
    exponent = (word >> fraction_bits) & ((1 << exponent_bits) - 1)
    sign = np.where((word >> (exponent_bits + fraction_bits)) & 1, -1.0, 1.0)
    bias = (1 << (exponent_bits - 1)) - 1
    scale = np.where(exponent == 0, 1 - bias, exponent - bias) - fraction_bits
    value = np.ldexp((fraction + np.where(exponent == 0, 0, 1 << fraction_bits)).astype(float),
                     scale)
    top = (1 << exponent_bits) - 1
    if name == "e4m3":
        value = np.where((exponent == top) & (fraction == 7), np.nan, value)
    elif name != "e2m1":
        value = np.where(exponent == top, np.where(fraction == 0, np.inf, np.nan), value)
    return sign * value
