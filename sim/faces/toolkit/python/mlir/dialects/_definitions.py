"""Classes of operations from rows that list the operands of each.

A row is `CLASS NAME = ARGUMENTS -> RESULT`:
  x      an operand                    x?   an optional one (a keyword)     x*   any number of them
  >x     an operand that is written to (it stands in `outs`)
  @x:K   an attribute of kind K (_attributes.CONVERSIONS, or an enumeration); @x:K? is optional
  RESULT `r` its type is the first argument, `r?` the same, and may be None, `r=TYPE` it is TYPE,
         `r=(x)` it is the type of operand x, `r=!TEXT` the type of that text
Optional arguments are keywords, as in the bindings that MLIR generates.
"""
import inspect
import re

from .._attributes import attribute_of
from .._types import IndexType, IntegerType, Type
from ..ir import Operation, value_of

_ARGUMENT = re.compile(r"(>?)(@?)(\w+)(?::(\w+))?([?*]?)$")


class Argument:
    def __init__(self, text):
        written, attribute, self.name, self.kind, mark = _ARGUMENT.match(text).groups()
        self.written, self.is_attribute = bool(written), bool(attribute)
        self.optional, self.variadic = mark == "?", mark == "*"


class Definition:
    def __init__(self, row):
        head, _, tail = row.partition(" =")
        self.class_name, self.name = head.split()
        arguments, _, result = tail.partition("->")
        self.arguments = [Argument(word) for word in arguments.split()]
        self.result = result.strip()
        self.result_name = re.match(r"\w*", self.result).group()
        explicit = self.result and "=" not in self.result
        self.signature = inspect.Signature(
            ([inspect.Parameter(self.result_name, inspect.Parameter.POSITIONAL_OR_KEYWORD)]
             if explicit else []) +
            [inspect.Parameter(a.name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
             for a in self.arguments if not a.optional] +
            [inspect.Parameter(a.name, inspect.Parameter.KEYWORD_ONLY, default=None)
             for a in self.arguments if a.optional])

    @property
    def operands(self):
        return [a for a in self.arguments if not a.is_attribute]

    def result_types(self, given, groups):
        if not self.result:
            return []
        if "=" not in self.result:
            return [] if given[self.result_name] is None else [given[self.result_name]]
        how = self.result.partition("=")[2]
        if how.startswith("("):
            return [groups[how[1:-1]][0].type]
        if how.startswith("!"):
            return [Type(how)]
        return [IndexType.get() if how == "index" else IntegerType.get_signless(int(how[1:]))]

    def group(self, operands):
        """Operands of an operation that was made by its name alone."""
        if any(a.variadic or a.optional for a in self.operands) and \
                len(operands) != len(self.operands):
            raise TypeError(f"{self.name}: make it by its class {self.class_name}, which knows "
                            "which of its operands are given")
        return {a.name: [operand] for a, operand in zip(self.operands, operands)}


class DefinedOperation(Operation):
    definition = None

    def __init__(self, *arguments, loc=None, ip=None, **keywords):
        definition = self.definition
        try:
            given = definition.signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{definition.class_name}{definition.signature}: {error}") from None
        given.apply_defaults()
        groups, attributes = {}, {}
        for argument in definition.arguments:
            value = given.arguments[argument.name]
            if argument.is_attribute:
                attributes[argument.name] = attribute_of(value, argument.kind)
            elif argument.variadic:
                groups[argument.name] = [value_of(each) for each in value]
            else:
                groups[argument.name] = [] if value is None else [value_of(value)]
        operands = [value for group in groups.values() for value in group]
        super().__init__(definition.name, operands, definition.result_types(given.arguments, groups),
                         attributes, self.region_count(), groups, loc, ip)

    @classmethod
    def region_count(cls):
        return 0


_definitions = {}


def _operands_of(self, name):
    definition = _definitions.get(self.name)
    if self.groups is None and definition is not None:
        self.groups = definition.group(self.operands)
    if definition is not None and name == definition.result_name:
        return self.results
    return (self.groups or {}).get(name, [])


Operation.operands_of = _operands_of


def __getattr_of(definition):
    """`op.src0`: an operand, several, or None."""
    def get(self, name):
        for argument in definition.operands:
            if argument.name == name:
                values = _operands_of(self, name)
                return list(values) if argument.variadic else (values[0] if values else None)
        raise AttributeError(f"{definition.class_name} has no '{name}'")
    return get


def define(rows, module, **bases):
    """Makes the classes of `rows` in a module, and the functions in lower case that make one and return its result.
    `bases`: classes with additional methods, by the name of the class."""
    for row in filter(None, (line.partition("#")[0].strip() for line in rows.splitlines())):
        definition = Definition(row)
        made = type(definition.class_name, (bases.get(definition.class_name, DefinedOperation),),
                    {"definition": definition, "__getattr__": __getattr_of(definition),
                     "__module__": module["__name__"], "OPERATION_NAME": definition.name})
        _definitions[definition.name] = definition
        module[definition.class_name] = made
        function = definition.name.partition(".")[2].replace(".", "_")
        if function in ("print", "yield"):
            function += "_"
        module.setdefault(function, _function(made))
        yield definition


def _function(made):
    def make(*arguments, **keywords):
        operation = made(*arguments, **keywords)
        return operation.result if len(operation.results) == 1 else operation
    make.__doc__ = f"Makes a {made.__name__}; returns its result, or it."
    return make
