"""Loops and branches."""
from .. import missing
from .._printing import form
from .._types import IndexType
from ..ir import InsertionPoint, Operation, value_of


class ForOp(Operation):
    def __init__(self, lower_bound, upper_bound, step, iter_args=None, *, loc=None, ip=None):
        carried = [value_of(value) for value in iter_args or ()]
        bounds = [value_of(value) for value in (lower_bound, upper_bound, step)]
        super().__init__("scf.for", bounds + carried, [value.type for value in carried], regions=1,
                         loc=loc, ip=ip)
        self.regions[0].blocks.append(bounds[0].type, *(value.type for value in carried))

    @property
    def body(self):
        return self.regions[0].blocks[0]

    @property
    def induction_variable(self):
        return self.body.arguments[0]

    @property
    def inner_iter_args(self):
        return self.body.arguments[1:]

    @property
    def initArgs(self):
        return self.operands[3:]


@form("scf.for")
def _write_for(printer, operation, indent):
    block = operation.regions[0].blocks[0]
    for argument in block.arguments:
        printer.name_argument(argument)
    first, last, step = map(printer.value, operation.operands[:3])
    counter = block.arguments[0]
    text = f"scf.for {printer.value(counter)} = {first} to {last} step {step}"
    if operation.results:
        pairs = ", ".join(f"{printer.value(inner)} = {printer.value(outer)}"
                          for inner, outer in zip(block.arguments[1:], operation.operands[3:]))
        text += f" iter_args({pairs}) -> ({printer.types(operation.results)})"
    if not isinstance(counter.type, IndexType):
        text += f" : {counter.type}"
    return text + " " + printer.region(operation.regions[0], indent, "scf.yield")


class IfOp(Operation):
    def __init__(self, cond, results_=None, *, hasElse=False, has_else=False, loc=None, ip=None):
        super().__init__("scf.if", [cond], results_ or (), regions=2, loc=loc, ip=ip)
        self.regions[0].blocks.append()
        if hasElse or has_else:
            self.regions[1].blocks.append()

    @property
    def then_block(self):
        return self.regions[0].blocks[0]

    @property
    def else_block(self):
        return self.regions[1].blocks[0] if self.regions[1].blocks else None


@form("scf.if")
def _write_if(printer, operation, indent):
    text = f"scf.if {printer.value(operation.operands[0])}"
    if operation.results:
        text += f" -> ({printer.types(operation.results)})"
    text += " " + printer.region(operation.regions[0], indent, "scf.yield")
    if operation.regions[1].blocks:
        text += " else " + printer.region(operation.regions[1], indent, "scf.yield")
    return text


class WhileOp(Operation):
    """`before` and `after` get their blocks from the caller: op.before.blocks.append(types...)."""

    def __init__(self, results_, inits, *, loc=None, ip=None):
        super().__init__("scf.while", inits, results_, regions=2, loc=loc, ip=ip)

    @property
    def before(self):
        return self.regions[0]

    @property
    def after(self):
        return self.regions[1]


@form("scf.while")
def _write_while(printer, operation, indent):
    before, after = (region.blocks[0] for region in operation.regions)
    for argument in before.arguments + after.arguments:
        printer.name_argument(argument)
    pairs = ", ".join(f"{printer.value(inner)} = {printer.value(outer)}"
                      for inner, outer in zip(before.arguments, operation.operands))
    results = printer.types(operation.results)
    if len(operation.results) != 1:
        results = f"({results})"
    label = ", ".join(f"{printer.value(a)}: {a.type}" for a in after.arguments)
    body = ("{\n" + "  " * indent + (f"^bb0({label}):\n" if label else "") +
            printer.block(after, indent + 1) + "  " * indent + "}")
    return (f"scf.while ({pairs}) : ({printer.types(operation.operands)}) -> {results} " +
            printer.region(operation.regions[0], indent) + " do " + body)


class YieldOp(Operation):
    def __init__(self, results_=(), *, loc=None, ip=None):
        super().__init__("scf.yield", results_ or (), loc=loc, ip=ip)


@form("scf.yield")
def _write_yield(printer, operation, indent):
    if not operation.operands:
        return "scf.yield"
    return f"scf.yield {printer.values(operation.operands)} : {printer.types(operation.operands)}"


class ConditionOp(Operation):
    def __init__(self, condition, args=(), *, loc=None, ip=None):
        super().__init__("scf.condition", [condition, *args], loc=loc, ip=ip)


@form("scf.condition")
def _write_condition(printer, operation, indent):
    text = f"scf.condition({printer.value(operation.operands[0])})"
    passed = operation.operands[1:]
    return text + (f" {printer.values(passed)} : {printer.types(passed)}" if passed else "")


def yield_(results_=(), **where):
    return YieldOp(results_, **where)


def for_(start, stop=None, step=None, iter_args=None, *, loc=None, ip=None):
    """A loop's counter, once; with `iter_args` also the carried values and the results. The body
    ends in a `yield_` of the caller's."""
    from . import arith
    bounds = (0, start, step) if stop is None else (start, stop, step)
    bounds = [arith.constant(IndexType.get(), bound) if isinstance(bound, int) else bound
              for bound in (*bounds[:2], 1 if bounds[2] is None else bounds[2])]
    loop = ForOp(*bounds, iter_args, loc=loc, ip=ip)
    with InsertionPoint(loop.body):
        if not loop.inner_iter_args:
            yield loop.induction_variable
            return
        carried = list(loop.inner_iter_args)
        results = list(loop.results)
        yield (loop.induction_variable, carried[0] if len(carried) == 1 else carried,
               results[0] if len(results) == 1 else results)


def __getattr__(name):
    raise missing(__name__, name)
