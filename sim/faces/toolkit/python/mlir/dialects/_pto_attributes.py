"""Types and attributes of the dialect `pto`. The members of an enumeration are called as in PTOAS'
bindings (hw-native-sys/PTOAS include/PTO/IR/PTOAttrs.td), and have the text that the reader takes."""
import enum

from .._attributes import Attribute, IntegerAttr
from .._types import ShapedType, Type, extents

# Class, how its attribute is written (`*` is the member's text; `<*>` alone: in an operation that
# has a place for it), members. A member without `=text` is its own text.
_ENUMERATIONS = """
AddressSpace #pto.address_space<*> Zero=zero GM=gm MAT=mat LEFT=left RIGHT=right ACC=acc VEC=vec BIAS=bias SCALING=scaling
BLayout #pto.blayout<*> RowMajor=row_major ColMajor=col_major
SLayout #pto.slayout<*> NoneBox=none_box RowMajor=row_major ColMajor=col_major
PadValue #pto.pad_value<*> Null=null Zero=zero Max=max Min=min
CompactMode #pto.compact_mode<*> Null=null Normal=normal RowPlusOne=row_plus_one
Layout #pto.layout<*> ND=nd DN=dn NZ=nz
AccToVecMode #pto<acc_to_vec_mode,*> SingleModeVec0=single_mode_vec0 SingleModeVec1=single_mode_vec1 DualModeSplitM=dual_mode_split_m DualModeSplitN=dual_mode_split_n
ReluPreMode #pto<relu_pre_mode,*> NoRelu=no_relu NormalRelu=normal_relu
StPhase #pto<st_phase,*> Unspecified=unspecified Partial=partial Final=final
AtomicType #pto<atomic_type,*> AtomicNone=atomic_none AtomicAdd=atomic_add
RoundMode #pto<round_mode,*> NONE RINT ROUND FLOOR CEIL TRUNC ODD CAST_RINT
SaturationMode #pto<saturation_mode,*> ON OFF
CmpMode #pto<cmp,*> EQ=eq NE=ne LT=lt LE=le GT=gt GE=ge
MaskPattern #pto<mask_pattern,*> P0101 P1010 P0001 P0010 P0100 P1000 P1111
QuantType #pto<quant_type,*> INT8_SYM INT8_ASYM
GatherOOB #pto<gather_oob,*> Undefined=undefined Clamp=clamp Wrap=wrap Zero=zero
ScatterAtomicOp #pto<scatter_atomic_op,*> None=none Add=add Max=max Min=min
ScatterOOB #pto<scatter_oob,*> Undefined=undefined Skip=skip Clamp=clamp Wrap=wrap
PrintFormat #pto<print_format,*> Width8_Precision4=width8_precision4 Width8_Precision2=width8_precision2 Width10_Precision6=width10_precision6
PIPE <*> PIPE_S PIPE_V PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_ALL PIPE_MTE4 PIPE_MTE5 PIPE_V2 PIPE_FIX
EVENT <*> EVENT_ID0 EVENT_ID1 EVENT_ID2 EVENT_ID3 EVENT_ID4 EVENT_ID5 EVENT_ID6 EVENT_ID7
SyncOpType <*> TLOAD TSTORE_ACC TSTORE_VEC TMOV_M2L TMOV_M2S TMOV_M2B TMOV_M2V TMOV_V2M TMATMUL TVEC TVECWAIT_EVENT
"""
_ATTRIBUTE_CLASSES = {"PIPE": "PipeAttr", "EVENT": "EventAttr"}


class EnumAttr(Attribute):
    @classmethod
    def get(cls, value, context=None):
        return cls.members[value] if not isinstance(value, Attribute) else value


def _enumeration(line):
    name, pattern, *members = line.split()
    texts = dict((word.partition("=")[0], word.partition("=")[2] or word) for word in members)
    kind = enum.Enum(name, list(texts), module=__name__)
    holder = type(_ATTRIBUTE_CLASSES.get(name, name + "Attr"), (EnumAttr,), {})
    holder.members = {}
    for member in kind:
        written = pattern.replace(",", " ").replace("*", texts[member.name])
        holder.members[member] = holder(written)
        holder.members[member].value = member
        holder.members[member].word = texts[member.name]
    kind.attribute = lambda self: holder.members[self]
    kind.__int__ = lambda self: self.value - 1
    return {name: kind, holder.__name__: holder}


ENUMERATIONS = {}
for _line in filter(None, _ENUMERATIONS.splitlines()):
    ENUMERATIONS.update(_enumeration(_line))


def _word(given, name):
    """The text of a member, from it, its attribute, or the text itself."""
    if isinstance(given, str):
        return given
    return ENUMERATIONS[name + "Attr"].get(given).word


class TileBufConfigAttr(Attribute):
    @staticmethod
    def get(blayout, slayout, s_fractal_size, pad, compact_mode=None, context=None):
        if isinstance(s_fractal_size, IntegerAttr):
            s_fractal_size = s_fractal_size.value
        words = [_word(blayout, "BLayout"), _word(slayout, "SLayout"), int(s_fractal_size),
                 _word(pad, "PadValue"),
                 _word("null" if compact_mode is None else compact_mode, "CompactMode")]
        made = TileBufConfigAttr("#pto.tile_buf_config<" + ", ".join(map(str, words)) + ">")
        made.words = words
        return made

    @staticmethod
    def get_default(context=None):
        return TileBufConfigAttr.get("row_major", "none_box", 512, "null")


# Numbers of the names in a type's configuration.
_PAD_NUMBERS = {"null": 0, "zero": 1, "max": 2, "min": 3}
_COMPACT_NUMBERS = {"null": 0, "normal": 1, "row_plus_one": 2}


class TileBufType(ShapedType):
    @staticmethod
    def get(shape, element_type, memory_space, valid_shape=None, config=None, context=None):
        """Extents below 0 are known only when the kernel runs."""
        valid = list(shape if valid_shape is None else valid_shape)
        config = config or TileBufConfigAttr.get_default()
        blayout, slayout, fractal, pad, compact = config.words
        text = f"{_word(memory_space, 'AddressSpace')}, {extents(shape)}{element_type}"
        if valid != list(shape):
            text += ", valid=" + extents(valid).rstrip("x")
        for key, value, default in (
                ("blayout", blayout, "row_major"), ("slayout", slayout, "none_box"),
                ("fractal", fractal, 512), ("pad", _PAD_NUMBERS[pad], 0),
                ("compact", _COMPACT_NUMBERS[compact], 0)):
            if value != default:
                text += f", {key}={value}"
        made = TileBufType(f"!pto.tile_buf<{text}>", shape, element_type)
        made.memory_space, made.valid_shape, made.config = memory_space, valid, config
        return made


def _view_type(name, mnemonic):
    @staticmethod
    def get(shape, element_type, context=None):
        """`shape` may be a rank: its extents are known only when the kernel runs."""
        if isinstance(shape, int):
            shape = [-1] * shape
        return kind(f"!pto.{mnemonic}<{extents(shape)}{element_type}>", shape, element_type)
    kind = type(name, (ShapedType,), {"get": get})
    return kind


TensorViewType = _view_type("TensorViewType", "tensor_view")
PartitionTensorViewType = _view_type("PartitionTensorViewType", "partition_tensor_view")


class PtrType(Type):
    @staticmethod
    def get(element_type, memory_space=None, context=None):
        space = "" if memory_space is None else f", {_word(memory_space, 'AddressSpace')}"
        made = PtrType(f"!pto.ptr<{element_type}{space}>")
        made.element_type = element_type
        return made


class PipeType(Type):
    @staticmethod
    def get(context=None):
        return PipeType("!pto.pipe")


class EventIdArrayType(Type):
    @staticmethod
    def get(size, context=None):
        return EventIdArrayType(f"!pto.eventid_array<{size}>")


class TileConfig:
    """Sizes of fractals, in bytes."""
    alignedSize = 32
    fixedRowSize = fixedColSize = fixedMxRowSize = 16
    fixedMxColSize = 2
    fractalABSize = 512
    fractalCSize = 1024
    fractalMxSize = 32


