"""The core of MLIR's Python bindings: contexts, locations, types, attributes, operations, modules."""
from . import missing
from ._attributes import (ArrayAttr, Attribute, BoolAttr, DenseI32ArrayAttr, DenseI64ArrayAttr,
                          FlatSymbolRefAttr, FloatAttr, IntegerAttr, StringAttr, SymbolRefAttr,
                          TypeAttr, UnitAttr)
from ._printing import Printer
from ._scope import Context, InsertionPoint, Location, current_of
from ._types import (BF16Type, F16Type, F32Type, F64Type, Float8E4M3FNType, Float8E5M2Type,
                     FloatType, FunctionType, IndexType, IntegerType, MemRefType, NoneType,
                     ShapedType, Type, VectorType)

TERMINATORS = {"func.return", "scf.yield", "scf.condition", "pto.yield", "cf.br", "cf.cond_br"}


class Value:
    def __init__(self, type, owner):
        self.type = type
        self.owner = owner

    @staticmethod
    def isinstance(other):
        return isinstance(other, Value)

    def get_name(self):
        """Its name in the text of its function, such as `%3`."""
        operation = self.owner
        if isinstance(operation, Block):
            operation = operation.owner
        while operation.block is not None and operation.name != "func.func":
            operation = operation.block.owner
        printer = Printer()
        printer.operation(operation, 0)
        return printer.value(self)


class OpResult(Value):
    pass


class BlockArgument(Value):
    pass


def value_of(given):
    """A value, or the one result of an operation."""
    if isinstance(given, Value):
        return given
    if isinstance(given, Operation):
        return given.result
    raise TypeError(f"expected a value or an operation with one result, got "
                    f"{type(given).__name__}: {given!r}")


class Block:
    def __init__(self, argument_types=(), owner=None):
        self.arguments = [BlockArgument(type, self) for type in argument_types]
        self.operations = []
        self.owner = owner

    def append(self, operation):
        self.operations.append(operation)
        operation.block = self

    def __iter__(self):
        return iter(self.operations)


class _Blocks(list):
    def __init__(self, owner):
        super().__init__()
        self.owner = owner

    def append(self, *types, arg_locs=None):
        """Makes a block with arguments of these types, and returns it."""
        block = Block(types, self.owner)
        super().append(block)
        return block


class Region:
    def __init__(self, owner):
        self.blocks = _Blocks(owner)
        self.owner = owner

    def __iter__(self):
        return iter(self.blocks)


class Operation:
    """An operation. The classes of the dialects (`TAddOp`, ...) derive from it; as in the real
    bindings, `op.operation` is the same one again."""

    def __init__(self, name, operands=(), results=(), attributes=None, regions=0, groups=None,
                 loc=None, ip=None):
        self.name_ = name
        self.operands = [value_of(operand) for operand in operands]
        self.results = [OpResult(type, self) for type in results]
        self.attributes = {key: value for key, value in (attributes or {}).items()
                           if value is not None}
        self.regions = [Region(self) for _ in range(regions)]
        self.groups = groups  # operands by the names that the operation's definition has for them
        self.location = loc or current_of("location") or Location.unknown()
        self.block = None
        point = ip if ip is not None else current_of("point")
        if point is not None and name != "builtin.module":
            point.insert(self)

    @staticmethod
    def create(name, results=None, operands=None, attributes=None, successors=None, regions=0,
               loc=None, ip=None, infer_type=False):
        if successors:
            raise missing("mlir.ir.Operation.create", "successors")
        return Operation(name, operands or (), results or (), attributes, regions, None, loc, ip)

    @property
    def name(self):
        return self.name_

    @property
    def operation(self):
        return self

    @property
    def opview(self):
        return self

    @property
    def parent(self):
        return self.block.owner if self.block is not None else None

    @property
    def context(self):
        return self.location.context

    @property
    def is_terminator(self):
        return self.name_ in TERMINATORS

    @property
    def result(self):
        if len(self.results) != 1:
            raise ValueError(f"Cannot call .result on operation {self.name_} which has "
                             f"{len(self.results)} results")
        return self.results[0]

    def verify(self):
        """True: the reader of the text verifies it."""
        return True

    def erase(self):
        self.block.operations[:] = [op for op in self.block.operations if op is not self]
        self.block = None

    def get_asm(self, enable_debug_info=False, print_generic_op_form=False, **others):
        """The text, with the location of each operation if `enable_debug_info` is set. It has one form, whatever
        `print_generic_op_form` is; `large_elements_limit` and the like do nothing."""
        return Printer(locations=enable_debug_info).operation(self, 0)

    def print(self, file=None, enable_debug_info=False, **others):
        import builtins
        builtins.print(self.get_asm(enable_debug_info), file=file)

    def __str__(self):
        return self.get_asm()


OpView = Operation


class Module:
    def __init__(self, operation):
        self.operation = operation

    @staticmethod
    def create(loc=None):
        operation = Operation("builtin.module", regions=1, loc=loc)
        operation.regions[0].blocks.append()
        return Module(operation)

    @staticmethod
    def parse(asm, context=None):
        raise missing("mlir.ir.Module", "parse")

    @property
    def body(self):
        return self.operation.regions[0].blocks[0]

    @property
    def context(self):
        return self.operation.context

    def dump(self):
        print(self)

    def __str__(self):
        return self.operation.get_asm() + "\n"


def __getattr__(name):
    raise missing(__name__, name)
