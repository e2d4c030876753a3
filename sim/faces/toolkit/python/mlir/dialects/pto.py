"""The dialect `pto`: tile instructions, views, FIFOs and flags."""
from .. import missing
from .._attributes import Attribute
from .._printing import FORMS, dictionary, form, template
from ..ir import Operation, value_of
from ._definitions import DefinedOperation, define
from ._pto_attributes import (ENUMERATIONS, EventIdArrayType, PartitionTensorViewType, PipeType,
                              PtrType, TensorViewType, TileBufConfigAttr, TileBufType, TileConfig)
from ._pto_operations import INSTRUCTIONS, OTHERS

globals().update(ENUMERATIONS)


def register_dialect(context, load=True):
    """Nothing to do: the dialect is known."""


def get_op_result_or_value(value):
    return value_of(value)


# ---- operations

def _rows(text):
    """`TAdd tadd = ...` as the definitions want it: `TAddOp pto.tadd = ...`."""
    for line in filter(None, text.splitlines()):
        head, equals, tail = line.partition("=")
        name, mnemonic = head.split()
        yield f"{name}Op pto.{mnemonic} ={tail}"


def _write_instruction(printer, operation, indent):
    definition = operation.definition
    clauses = []
    for clause, written in (("ins", False), ("outs", True)):
        values = [value for argument in definition.operands if argument.written == written
                  for value in operation.operands_of(argument.name)]
        if values:
            clauses.append(f"{clause}({printer.values(values)} : {printer.types(values)})")
    text = f"{operation.name} {' '.join(clauses)}{dictionary(operation.attributes)}"
    return text + (f" -> {printer.types(operation.results)}" if operation.results else "")


for _definition in define("\n".join(_rows(INSTRUCTIONS)), globals()):
    FORMS[_definition.name] = _write_instruction

for _line in filter(None, OTHERS.splitlines()):
    _row, _, _pattern = _line.partition("|")
    for _definition in define(next(_rows(_row)), globals()):
        FORMS[_definition.name] = template(_pattern)


class _Section(Operation):
    def __init__(self, *, loc=None, ip=None):
        super().__init__(self.OPERATION_NAME, regions=1, loc=loc, ip=ip)

    @property
    def body(self):
        return self.regions[0]


class SectionCubeOp(_Section):
    OPERATION_NAME = "pto.section.cube"


class SectionVectorOp(_Section):
    OPERATION_NAME = "pto.section.vector"


@form("pto.section.cube", "pto.section.vector")
def _write_section(printer, operation, indent):
    return f"{operation.name} {printer.region(operation.regions[0], indent)}"


class FusionRegionOp(Operation):
    """Tile instructions that are one vector function; its body ends in a `YieldOp` of the results."""

    def __init__(self, results_=(), *, loc=None, ip=None):
        super().__init__("pto.fusion_region", (), results_, regions=1, loc=loc, ip=ip)
        self.regions[0].blocks.append()

    @property
    def body(self):
        return self.regions[0].blocks[0]


@form("pto.fusion_region")
def _write_fusion_region(printer, operation, indent):
    text = f"{operation.name} {printer.region(operation.regions[0], indent)}"
    return text + (f" : {printer.types(operation.results)}" if operation.results else "")


class YieldOp(Operation):
    def __init__(self, values=(), *, loc=None, ip=None):
        super().__init__("pto.yield", values, loc=loc, ip=ip)


@form("pto.yield")
def _write_yield(printer, operation, indent):
    return f"pto.yield({printer.values(operation.operands)}) : ({printer.types(operation.operands)}) -> ()"


class SubViewOp(Operation):
    """A window of a tile: its sizes are constants, and valid as far as it goes."""

    def __init__(self, source, offsets, sizes, *, valid_row=None, valid_col=None, result=None,
                 loc=None, ip=None):
        source = value_of(source)
        self.sizes = [int(getattr(size, "value", size)) for size in sizes]
        self.valid = [value_of(value) for value in (valid_row, valid_col) if value is not None]
        if result is None:
            whole = source.type
            result = TileBufType.get(self.sizes, whole.element_type, whole.memory_space,
                                     [-1, -1] if self.valid else None, whole.config)
        super().__init__("pto.subview", [source, *offsets, *self.valid], [result], loc=loc, ip=ip)


@form("pto.subview")
def _write_subview(printer, operation, indent):
    source, *offsets = operation.operands
    if operation.valid:
        offsets = offsets[:-len(operation.valid)]
    valid = f" valid [{printer.values(operation.valid)}]" if operation.valid else ""
    return (f"pto.subview {printer.value(source)}[{printer.values(offsets)}] "
            f"sizes [{', '.join(map(str, operation.sizes))}]{valid} : "
            f"{source.type} -> {operation.result.type}")


def subview(source, offsets, sizes, **others):
    return SubViewOp(source, offsets, sizes, **others).result


SubsetOp, subset = SubViewOp, subview  # its older name

# ---- synchronisation: enumerations, their names, numbers and attributes are all taken


def _member(value, kind, prefix=""):
    kind = ENUMERATIONS[kind]
    if isinstance(value, (kind, Attribute)):
        return value
    name = f"{prefix}{value}" if isinstance(value, int) else str(value).upper()
    if name not in kind.__members__:
        raise ValueError(f"unknown {kind.__name__}: {value!r}; one of {', '.join(kind.__members__)}")
    return kind[name]


def record_event(src_op, dst_op, event_id, **where):
    return RecordEventOp(_member(src_op, "SyncOpType"), _member(dst_op, "SyncOpType"),
                         _member(event_id, "EVENT", "EVENT_ID"), **where)


def wait_event(src_op, dst_op, event_id, **where):
    return WaitEventOp(_member(src_op, "SyncOpType"), _member(dst_op, "SyncOpType"),
                       _member(event_id, "EVENT", "EVENT_ID"), **where)


def barrier(op, **where):
    """Barrier of a pipe, or of the pipe of an operation (SyncOpType)."""
    if isinstance(op, str) and op.upper() in PIPE.__members__:
        op = PIPE[op.upper()]
    if isinstance(op, (PIPE, PipeAttr)):
        return BarrierOp(op, **where)
    return BarrierSyncOp(_member(op, "SyncOpType"), **where)


def _flag(fixed, computed):
    def make(src_pipe, dst_pipe, event_id, **where):
        pipes = _member(src_pipe, "PIPE"), _member(dst_pipe, "PIPE")
        if isinstance(event_id, (EVENT, Attribute, str, int)):
            return fixed(*pipes, _member(event_id, "EVENT", "EVENT_ID"), **where)
        return computed(*pipes, event_id, **where)
    return make


set_flag, wait_flag = _flag(SetFlagOp, SetFlagDynOp), _flag(WaitFlagOp, WaitFlagDynOp)


def _event(event_id):
    """A number or a value: which of the two arguments of sync.set it is."""
    fixed = isinstance(event_id, (int, Attribute))
    return {"event_id" if fixed else "event_id_dyn": event_id}


def sync_set(pipe, event_id, ffts_mode=2, **where):
    return SyncSetOp(_member(pipe, "PIPE"), ffts_mode=None if ffts_mode == 2 else ffts_mode,
                     **_event(event_id), **where)


def sync_wait(pipe, event_id, **where):
    return SyncWaitOp(_member(pipe, "PIPE"), **_event(event_id), **where)


sync_set_dyn, sync_wait_dyn = sync_set, sync_wait

# ---- shorter names

globals().update(SyncOpType.__members__)
globals().update(EVENT.__members__)
globals().update({name[:-2]: made for name, made in list(globals().items())
                  if isinstance(made, type) and issubclass(made, Operation) and
                  name.endswith("Op") and name[:-2] not in globals()})


def __getattr__(name):
    raise missing(__name__, name)
