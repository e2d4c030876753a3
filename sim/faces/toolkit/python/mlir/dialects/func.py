"""Functions, calls and returns."""
from .. import missing
from .._attributes import FlatSymbolRefAttr, StringAttr, TypeAttr
from .._printing import dictionary, form
from .._types import FunctionType
from ..ir import Operation


class FuncOp(Operation):
    def __init__(self, name, type, *, visibility=None, body_builder=None, loc=None, ip=None):
        if isinstance(type, tuple):
            type = FunctionType.get(*type)
        attributes = {"sym_name": StringAttr.get(str(name)), "function_type": TypeAttr.get(type),
                      "sym_visibility": StringAttr.get(visibility) if visibility else None}
        super().__init__("func.func", (), (), attributes, regions=1, loc=loc, ip=ip)
        self.type = type
        if body_builder is not None:
            from ..ir import InsertionPoint
            with InsertionPoint(self.add_entry_block()):
                body_builder(self)

    @property
    def name(self):
        """The function's name in text is `@name`; that of the operation is func.func."""
        return self.name_

    @property
    def sym_name(self):
        return self.attributes["sym_name"]

    @property
    def body(self):
        return self.regions[0]

    @property
    def is_external(self):
        return not self.body.blocks

    def add_entry_block(self, arg_locs=None):
        if self.body.blocks:
            raise IndexError("The function already has an entry block!")
        return self.body.blocks.append(*self.type.inputs)

    @property
    def entry_block(self):
        if self.is_external:
            raise IndexError("External function does not have a body")
        return self.body.blocks[0]

    @property
    def arguments(self):
        return self.entry_block.arguments


@form("func.func")
def _write_function(printer, operation, indent):
    head = "func.func "
    if "sym_visibility" in operation.attributes:
        head += operation.attributes["sym_visibility"].value + " "
    head += "@" + operation.attributes["sym_name"].value
    kind = operation.attributes["function_type"].value
    external = not operation.regions[0].blocks
    if external:
        arguments = ", ".join(map(str, kind.inputs))
    else:
        block = operation.regions[0].blocks[0]
        for argument in block.arguments:
            printer.name_argument(argument)
        arguments = ", ".join(f"{printer.value(a)}: {a.type}" for a in block.arguments)
    results = ", ".join(map(str, kind.results))
    if len(kind.results) > 1:
        results = f"({results})"
    text = f"{head}({arguments})" + (f" -> {results}" if results else "")
    others = dictionary(operation.attributes, ("sym_name", "function_type", "sym_visibility"))
    text += f" attributes{others}" if others else ""
    return text if external else text + " " + printer.region(operation.regions[0], indent)


class ReturnOp(Operation):
    def __init__(self, operands_, *, loc=None, ip=None):
        super().__init__("func.return", operands_, loc=loc, ip=ip)


@form("func.return")
def _write_return(printer, operation, indent):
    if not operation.operands:
        return "return"
    return f"return {printer.values(operation.operands)} : {printer.types(operation.operands)}"


class CallOp(Operation):
    """CallOp(function, arguments), or CallOp(result types, name, arguments)."""

    def __init__(self, callee_or_results, arguments_or_callee, arguments=None, *, loc=None, ip=None):
        if isinstance(callee_or_results, FuncOp):
            callee, operands = callee_or_results.sym_name.value, arguments_or_callee
            results = callee_or_results.type.results
        else:
            callee, operands, results = arguments_or_callee, arguments, callee_or_results
        if isinstance(callee, str):
            callee = FlatSymbolRefAttr.get(callee.lstrip("@"))
        super().__init__("func.call", operands or (), results, {"callee": callee}, loc=loc, ip=ip)


@form("func.call")
def _write_call(printer, operation, indent):
    results = printer.types(operation.results)
    if len(operation.results) != 1:
        results = f"({results})"
    return (f"call {operation.attributes['callee']}({printer.values(operation.operands)})"
            f"{dictionary(operation.attributes, ('callee',))} : "
            f"({printer.types(operation.operands)}) -> {results}")


def return_(operands_, **where):
    return ReturnOp(operands_, **where)


def call(results, callee, operands_, **where):
    made = CallOp(results, callee, operands_, **where)
    return made.result if len(made.results) == 1 else made


def __getattr__(name):
    raise missing(__name__, name)
