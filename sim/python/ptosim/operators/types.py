"""Element types and formats of operators: their numbers, their names in kernels and in ptosim."""
from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class Type(NamedTuple):
    number: int  #: ge::DataType
    name: str  #: DT_...
    short: str  #: in ptosim; empty: none
    kernel: str  #: in kernels


TYPES: Tuple[Type, ...] = (
    Type(0, "DT_FLOAT", "f32", "float"), Type(1, "DT_FLOAT16", "f16", "half"), Type(2, "DT_INT8", "i8", "int8_t"),
    Type(3, "DT_INT32", "i32", "int32_t"), Type(4, "DT_UINT8", "u8", "uint8_t"), Type(6, "DT_INT16", "i16", "int16_t"),
    Type(7, "DT_UINT16", "u16", "uint16_t"), Type(8, "DT_UINT32", "u32", "uint32_t"),
    Type(9, "DT_INT64", "i64", "int64_t"), Type(10, "DT_UINT64", "u64", "uint64_t"),
    Type(11, "DT_DOUBLE", "f64", "double"), Type(12, "DT_BOOL", "bool", "bool"),
    Type(16, "DT_COMPLEX64", "c64", "complex64"), Type(27, "DT_BF16", "bf16", "bfloat16_t"),
    Type(29, "DT_INT4", "i4", "AscendC::int4b_t"), Type(33, "DT_COMPLEX32", "c32", "complex32"),
    Type(34, "DT_HIFLOAT8", "hif8", "hifloat8_t"), Type(35, "DT_FLOAT8_E5M2", "e5m2", "float8_e5m2_t"),
    Type(36, "DT_FLOAT8_E4M3FN", "e4m3", "float8_e4m3_t"), Type(37, "DT_FLOAT8_E8M0", "e8m0", "float8_e8m0_t"),
    Type(40, "DT_FLOAT4_E2M1", "e2m1", "float4_e2m1x2_t"), Type(41, "DT_FLOAT4_E1M2", "e1m2", "float4_e1m2x2_t"),
)
#: Numbers that kernels compare with and that no parameter has here.
_FURTHER = {"DT_STRING": 13, "DT_COMPLEX128": 17, "DT_UNDEFINED": 28, "DT_UINT1": 30, "DT_INT2": 31, "DT_UINT2": 32,
            "DT_FLOAT6_E3M2": 38, "DT_FLOAT6_E2M3": 39}
BY_NUMBER: Dict[int, Type] = {row.number: row for row in TYPES}
BY_SHORT: Dict[str, Type] = {row.short: row for row in TYPES}
NUMBERS: Dict[str, int] = {**{row.name: row.number for row in TYPES}, **_FURTHER}

FORMATS: Dict[str, int] = {
    "FORMAT_NCHW": 0, "FORMAT_NHWC": 1, "FORMAT_ND": 2, "FORMAT_NC1HWC0": 3, "FORMAT_FRACTAL_Z": 4,
    "FORMAT_HWCN": 16, "FORMAT_NDHWC": 27, "FORMAT_FRACTAL_ZZ": 28, "FORMAT_FRACTAL_NZ": 29, "FORMAT_NCDHW": 30,
    "FORMAT_DHWCN": 31, "FORMAT_NDC1HWC0": 32, "FORMAT_FRACTAL_Z_3D": 33, "FORMAT_NCL": 47,
    "FORMAT_FRACTAL_NZ_C0_16": 50, "FORMAT_FRACTAL_NZ_C0_32": 51,
}
FORMAT_NAMES: Dict[int, str] = {number: name for name, number in FORMATS.items()}
#: Formats of tensors in the order of their shape.
PLAIN = frozenset(FORMATS[name] for name in ("FORMAT_NCHW", "FORMAT_NHWC", "FORMAT_ND", "FORMAT_HWCN", "FORMAT_NDHWC",
                                            "FORMAT_NCDHW", "FORMAT_DHWCN", "FORMAT_NCL"))
#: In memory: what ptosim calls an array of the type.
STORED = {"bool": "u8", "f64": "u64", "c64": "u64", "c32": "u32"}
BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}


def stored(number: int) -> str:
    """ptosim's type of an array with elements of the type; bytes for types that it has no arrays of."""
    short = BY_NUMBER[number].short if number in BY_NUMBER else "u8"
    return STORED.get(short, short)
