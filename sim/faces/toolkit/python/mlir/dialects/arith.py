"""Scalars: constants, arithmetic, comparisons and conversions."""
import enum

from .. import missing
from .._attributes import Attribute, BoolAttr, IntegerAttr, constant as constant_attribute
from .._printing import FORMS, VALUE_NAMES, form, template
from .._types import FloatType, IndexType, IntegerType
from ..ir import Operation, value_of
from ._definitions import define


class CmpIPredicate(enum.IntEnum):
    eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge = range(10)

    def attribute(self):
        return Attribute(f"{int(self)} : i64", self.name)


class CmpFPredicate(enum.IntEnum):
    (AlwaysFalse, OEQ, OGT, OGE, OLT, OLE, ONE, ORD, UEQ, UGT, UGE, ULT, ULE, UNE, UNO,
     AlwaysTrue) = range(16)

    def attribute(self):
        return Attribute(f"{int(self)} : i64", self.name.lower())


_BINARY = ("AddI SubI MulI DivSI DivUI CeilDivSI CeilDivUI FloorDivSI RemSI RemUI AndI OrI XOrI "
           "ShLI ShRSI ShRUI MaxSI MaxUI MinSI MinUI "
           "AddF SubF MulF DivF RemF MaximumF MinimumF MaxNumF MinNumF")
_CASTS = "IndexCast IndexCastUI ExtSI ExtUI TruncI SIToFP UIToFP FPToSI FPToUI ExtF TruncF Bitcast"

for _class in _BINARY.split():
    for _row in define(f"{_class}Op arith.{_class.lower()} = lhs rhs -> result=(lhs)", globals()):
        FORMS[_row.name] = template(" {lhs}, {rhs} : {lhs:type}")
for _class in _CASTS.split():
    _name = {"IndexCast": "index_cast", "IndexCastUI": "index_castui"}.get(_class, _class.lower())
    for _row in define(f"{_class}Op arith.{_name} = in_ -> out", globals()):
        FORMS[_row.name] = template(" {in_} : {in_:type} to {out:type}")
for _row in define("""
    NegFOp arith.negf = operand -> result=(operand)
    CmpIOp arith.cmpi = @predicate:CmpIPredicate lhs rhs -> result=i1
    CmpFOp arith.cmpf = @predicate:CmpFPredicate lhs rhs -> result=i1
    SelectOp arith.select = condition true_value false_value -> result=(true_value)
""", globals()):
    FORMS[_row.name] = template({
        "arith.negf": " {operand} : {operand:type}",
        "arith.select": " {condition}, {true_value}, {false_value} : {true_value:type}",
    }.get(_row.name, " {predicate}, {lhs}, {rhs} : {lhs:type}"))


class ConstantOp(Operation):
    def __init__(self, result, value, *, loc=None, ip=None):
        self.literal = constant_attribute(result, value)
        super().__init__("arith.constant", (), [result], {"value": self.literal}, loc=loc, ip=ip)

    @property
    def value(self):
        return self.attributes["value"]

    @property
    def literal_value(self):
        return self.value.value

    @classmethod
    def create_index(cls, value, *, loc=None, ip=None):
        return cls(IndexType.get(), value, loc=loc, ip=ip)


def constant(result, value, *, loc=None, ip=None):
    """Makes a constant of type `result`; returns its value."""
    return ConstantOp(result, value, loc=loc, ip=ip).result


@form("arith.constant")
def _write_constant(printer, operation, indent):
    return f"arith.constant {operation.attributes['value']}"


def _constant_name(operation):
    value, kind = operation.attributes["value"], operation.results[0].type
    if isinstance(kind, FloatType) or not isinstance(value, (IntegerAttr, BoolAttr)):
        return "cst"
    if str(kind) == "i1":
        return str(value)
    suffix = "" if isinstance(kind, IndexType) else f"_{kind}"
    return f"c{value.short}{suffix}"


VALUE_NAMES["arith.constant"] = _constant_name


def __getattr__(name):
    raise missing(__name__, name)
