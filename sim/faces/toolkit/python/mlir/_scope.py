"""Context, Location and InsertionPoint: `with` makes one the current one of this thread."""
import threading

_local = threading.local()


def _stack(kind):
    stacks = _local.__dict__.setdefault("stacks", {})
    return stacks.setdefault(kind, [])


def current_of(kind):
    stack = _stack(kind)
    return stack[-1] if stack else None


class _Scoped:
    kind = ""

    def __enter__(self):
        _stack(self.kind).append(self)
        return self

    def __exit__(self, *exception):
        _stack(self.kind).pop()
        return False


class _CurrentContext(type):
    @property
    def current(cls):
        """The innermost context; None outside of all."""
        return current_of("context")


class Context(_Scoped, metaclass=_CurrentContext):
    kind = "context"

    def __init__(self):
        self.allow_unregistered_dialects = False


class _CurrentLocation(type):
    @property
    def current(cls):
        if current_of("location") is None:
            raise ValueError("No current Location: enter one with 'with Location.unknown():'")
        return current_of("location")


class Location(_Scoped, metaclass=_CurrentLocation):
    """Origin of an operation: a file, a line and a column, or unknown."""
    kind = "location"

    def __init__(self, text, context=None):
        self.text = text
        self.context = context or Context.current

    @staticmethod
    def unknown(context=None):
        return Location("unknown", context)

    @staticmethod
    def file(filename, line, col, context=None):
        quoted = str(filename).replace("\\", "\\\\").replace('"', '\\"')
        return Location(f'"{quoted}":{line}:{col}', context)

    @staticmethod
    def name(name, childLoc=None, context=None):
        child = f"({childLoc.text})" if childLoc is not None else ""
        return Location(f'"{name}"{child}', context)

    def __str__(self):
        return f"loc({self.text})"


class _CurrentPoint(type):
    @property
    def current(cls):
        if current_of("point") is None:
            raise ValueError(
                "No current InsertionPoint: enter one with 'with InsertionPoint(block):'")
        return current_of("point")


class InsertionPoint(_Scoped, metaclass=_CurrentPoint):
    """Place for new operations: the end of a block, or before one of its operations."""
    kind = "point"

    def __init__(self, place, before=None):
        if not hasattr(place, "operations"):  # an operation, not a block
            place, before = place.block, place
        self.block = place
        self.ref_operation = before

    @staticmethod
    def at_block_begin(block):
        return InsertionPoint(block, block.operations[0] if len(block.operations) else None)

    @staticmethod
    def at_block_terminator(block):
        last = block.operations[-1] if len(block.operations) else None
        if last is None or not last.is_terminator:
            raise ValueError("Block has no terminator")
        return InsertionPoint(block, last)

    def insert(self, operation):
        where = len(self.block.operations)
        if self.ref_operation is not None:
            where = next(i for i, op in enumerate(self.block.operations)
                         if op is self.ref_operation)
        self.block.operations.insert(where, operation)
        operation.block = self.block
