"""Modules as text. Dialects give the syntax of an operation by `form`; without it, the operation is written in MLIR's
general form, "name"(operands) <attributes> : (types) -> types."""
import re

FORMS = {}
VALUE_NAMES = {}  # how the results of an operation are called, by its name


def form(*names):
    def keep(function):
        for name in names:
            FORMS[name] = function
        return function
    return keep


def dictionary(attributes, leave_out=()):
    """` {a = 1 : i32, flag}`, or nothing."""
    parts = [key if str(value) == "unit" else f"{key} = {value}"
             for key, value in attributes.items() if key not in leave_out]
    return " {" + ", ".join(parts) + "}" if parts else ""


class Printer:
    def __init__(self, locations=False):
        self.locations = locations
        self.names = {}  # of values, by id
        self.used = set()
        self.next_result = self.next_argument = 0

    # ---- values

    def value(self, value):
        if id(value) not in self.names:
            raise ValueError(f"a value of {getattr(value.owner, 'name', 'a block')} is used before "
                             "it is made, or outside of the region that makes it")
        return self.names[id(value)]

    def values(self, values):
        return ", ".join(self.value(value) for value in values)

    @staticmethod
    def types(values):
        return ", ".join(str(value.type) for value in values)

    def _keep(self, value, wanted):
        name, number = wanted, 0
        while name in self.used:
            name = f"{wanted}_{number}"
            number += 1
        self.used.add(name)
        self.names[id(value)] = "%" + name

    def name_argument(self, value):
        self._keep(value, f"arg{self.next_argument}")
        self.next_argument += 1

    def name_results(self, operation):
        wanted = VALUE_NAMES.get(operation.name)
        if wanted is not None:
            for result in operation.results:
                self._keep(result, wanted(operation))
        elif operation.results:
            whole, self.next_result = str(self.next_result), self.next_result + 1
            for number, result in enumerate(operation.results):
                behind = f"#{number}" if len(operation.results) > 1 else ""
                self.names[id(result)] = f"%{whole}{behind}"

    # ---- operations

    def operation(self, operation, indent):
        if operation.name == "builtin.module":
            return self._module(operation, indent)
        if operation.name == "func.func":
            self.names, self.used, self.next_result, self.next_argument = {}, set(), 0, 0
        write = FORMS.get(operation.name)
        # Results are not in scope inside of the operation, but their numbers come first.
        self.name_results(operation)
        left = ""
        if operation.results:
            names = [self.names[id(result)] for result in operation.results]
            count = len(names)
            left = (names[0].partition("#")[0] + f":{count}" if "#" in names[0]
                    else ", ".join(names)) + " = "
        text = (write or Printer._general)(self, operation, indent)
        behind = f" {operation.location}" if self.locations else ""
        return "  " * indent + left + text + behind

    def block(self, block, indent, leave_out=None):
        """The operations of a block, a line each; not the terminator `leave_out` if it passes
        nothing on."""
        lines = [self.operation(operation, indent) for operation in block.operations
                 if not (operation.name == leave_out and not operation.operands)]
        return "".join(line + "\n" for line in lines)

    def region(self, region, indent, leave_out=None):
        body = "".join(self.block(block, indent + 1, leave_out) for block in region.blocks)
        return "{\n" + body + "  " * indent + "}"

    def _module(self, operation, indent):
        attributes = dictionary(operation.attributes)
        head = "module attributes" + attributes if attributes else "module"
        return "  " * indent + head + " " + self.region(operation.regions[0], indent)

    def _general(self, operation, indent):
        regions = ""
        if operation.regions:
            regions = " (" + ", ".join(self.region(region, indent)
                                       for region in operation.regions) + ")"
        results = self.types(operation.results)
        if len(operation.results) != 1:
            results = f"({results})"
        return (f'"{operation.name}"({self.values(operation.operands)}){regions}'
                f"{dictionary(operation.attributes)} : "
                f"({self.types(operation.operands)}) -> {results}")


_FIELD = re.compile(r"\{(\w+)(?::(\w+))?\}")


def template(text):
    """A form from a pattern: `{x}` is an operand's or result's name, or an attribute in the short form of operations
    with custom syntax; `{x:type}` its type. `[[...]]` is left out if the value that it names is missing; `{attributes}`
    are the attributes that the pattern does not name."""
    named = {match.group(1) for match in _FIELD.finditer(text)}
    pieces = re.split(r"\[\[(.*?)\]\]", text)

    def write(printer, operation, indent):
        def field(match):
            name, what = match.groups()
            if name == "attributes":
                return dictionary(operation.attributes, named)
            if name in operation.attributes:
                return operation.attributes[name].short
            values = operation.operands_of(name)
            return printer.types(values) if what == "type" else printer.values(values)

        def there(piece):
            return all(match.group(1) in operation.attributes or
                       operation.operands_of(match.group(1)) for match in _FIELD.finditer(piece))

        kept = [piece for i, piece in enumerate(pieces) if i % 2 == 0 or there(piece)]
        return operation.name + _FIELD.sub(field, "".join(kept))

    return write
