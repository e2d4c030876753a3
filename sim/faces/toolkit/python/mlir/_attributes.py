"""Attributes. `str` is the form in a dictionary; `short` the form in an operation whose syntax contains the type."""
import struct

from ._printed import Printed
from ._types import F32Type, FloatType, IntegerType, Type


class Attribute(Printed):
    def __init__(self, text, short=None):
        super().__init__(text)
        self.short = text if short is None else short

    @staticmethod
    def parse(asm, context=None):
        return Attribute(asm.strip())


Attribute.kind = Attribute


class UnitAttr(Attribute):
    @staticmethod
    def get(context=None):
        return UnitAttr("unit", "")


class BoolAttr(Attribute):
    @staticmethod
    def get(value, context=None):
        made = BoolAttr("true" if value else "false")
        made.value = bool(value)
        return made


class IntegerAttr(Attribute):
    @staticmethod
    def get(type, value):
        if str(type) == "i1":
            return BoolAttr.get(value)
        made = IntegerAttr(f"{value} : {type}", str(value))
        made.type, made.value = type, value
        return made

    def __int__(self):
        return self.value


def float_text(value, type):
    """A literal that reads as the same number: decimal if that is exact enough, else bits."""
    value = float(value)
    if value != value or value in (float("inf"), float("-inf")):
        codes = {"f16": ("e", "H", 4), "f32": ("f", "I", 8), "f64": ("d", "Q", 16)}
        if str(type) == "bf16":
            bits = struct.unpack("<I", struct.pack("<f", value))[0] >> 16
            return f"0x{bits:04X}"
        code, whole, digits = codes[str(type)]
        bits = struct.unpack("<" + whole, struct.pack("<" + code, value))[0]
        return f"0x{bits:0{digits}X}"
    short = f"{value:.6e}"
    return short if float(short) == value else f"{value:.17e}"


class FloatAttr(Attribute):
    @staticmethod
    def get(type, value, loc=None):
        text = float_text(value, type)
        made = FloatAttr(f"{text} : {type}", text)
        made.type, made.value = type, float(value)
        return made

    @staticmethod
    def get_f32(value, context=None):
        return FloatAttr.get(F32Type.get(), value)


class StringAttr(Attribute):
    @staticmethod
    def get(value, context=None):
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        for character, escape in (("\n", "\\0A"), ("\t", "\\09"), ("\r", "\\0D"), ("\0", "\\00")):
            quoted = quoted.replace(character, escape)
        made = StringAttr(f'"{quoted}"')
        made.value = value
        return made


class FlatSymbolRefAttr(Attribute):
    @staticmethod
    def get(value, context=None):
        made = FlatSymbolRefAttr(f"@{value}")
        made.value = value
        return made


SymbolRefAttr = FlatSymbolRefAttr


class TypeAttr(Attribute):
    @staticmethod
    def get(value, context=None):
        made = TypeAttr(str(value))
        made.value = value
        return made


class ArrayAttr(Attribute):
    @staticmethod
    def get(attributes, context=None):
        entries = list(attributes)
        made = ArrayAttr("[" + ", ".join(map(str, entries)) + "]",
                         "[" + ", ".join(entry.short for entry in entries) + "]")
        made.entries = entries
        return made

    def __iter__(self):
        return iter(self.entries)

    def __len__(self):
        return len(self.entries)


def _dense(name, element):
    @staticmethod
    def get(values, context=None):
        entries = list(values)
        made = kind(f"array<{element}" + (": " if entries else "") +
                    ", ".join(map(str, entries)) + ">")
        made.entries = entries
        return made
    kind = type(name, (Attribute,), {"get": get, "__iter__": lambda self: iter(self.entries)})
    return kind


DenseI32ArrayAttr = _dense("DenseI32ArrayAttr", "i32")
DenseI64ArrayAttr = _dense("DenseI64ArrayAttr", "i64")


def constant(type, value):
    """The attribute of a constant of a type: of a number, or as it is given."""
    if isinstance(value, Attribute):
        return value
    if isinstance(type, FloatType) or str(type) in ("f16", "bf16", "f32", "f64"):
        return FloatAttr.get(type, value)
    return IntegerAttr.get(type, int(value))


def _integer(width):
    return lambda value: IntegerAttr.get(IntegerType.get_signless(width), int(value))


# Conversions of plain Python values to attributes, by the kind that an operation declares.
CONVERSIONS = {
    "i8": _integer(8), "i32": _integer(32), "i64": _integer(64), "bool": BoolAttr.get,
    "str": StringAttr.get, "symbol": lambda name: FlatSymbolRefAttr.get(name.lstrip("@")),
    "unit": lambda value: UnitAttr.get() if value else None,
    "i64s": lambda values: ArrayAttr.get([_integer(64)(value) for value in values]),
}


def attribute_of(value, kind):
    """`value` as an attribute of a kind: an attribute is taken as it is, None stays None."""
    if value is None or isinstance(value, Attribute):
        return value
    if hasattr(value, "attribute"):  # a member of an enumeration
        return value.attribute()
    if kind not in CONVERSIONS:
        raise TypeError(f"expected an attribute ({kind}), got {type(value).__name__}")
    return CONVERSIONS[kind](value)


def is_type(value):
    return isinstance(value, Type)
