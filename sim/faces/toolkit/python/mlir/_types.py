"""Types. Two are the same if they print the same."""
from . import missing
from ._printed import Printed

DYNAMIC = -(1 << 63)  # ShapedType's mark of an extent that is known only when the kernel runs


class Type(Printed):
    @staticmethod
    def parse(asm, context=None):
        return Type(asm.strip())


Type.kind = Type


def extents(shape):
    """`32x?x`: how a shape is written before its element type."""
    return "".join(f"{'?' if extent < 0 else extent}x" for extent in shape)


class IntegerType(Type):
    def __init__(self, prefix, width):
        super().__init__(f"{prefix}{width}")
        self.width = width
        self.is_signless = prefix == "i"
        self.is_signed = prefix == "si"
        self.is_unsigned = prefix == "ui"

    @staticmethod
    def get_signless(width, context=None):
        return IntegerType("i", width)

    @staticmethod
    def get_signed(width, context=None):
        return IntegerType("si", width)

    @staticmethod
    def get_unsigned(width, context=None):
        return IntegerType("ui", width)


class IndexType(Type):
    @staticmethod
    def get(context=None):
        return IndexType("index")


class FloatType(Type):
    pass


def _float_type(name, text):
    return type(name, (FloatType,), {"get": staticmethod(lambda context=None: classes[name](text))})


classes = {name: _float_type(name, text) for name, text in (
    ("F16Type", "f16"), ("BF16Type", "bf16"), ("F32Type", "f32"), ("F64Type", "f64"),
    ("FloatTF32Type", "tf32"), ("Float8E4M3FNType", "f8E4M3FN"), ("Float8E5M2Type", "f8E5M2"))}
F16Type, BF16Type, F32Type, F64Type = (
    classes[name] for name in ("F16Type", "BF16Type", "F32Type", "F64Type"))
Float8E4M3FNType, Float8E5M2Type = classes["Float8E4M3FNType"], classes["Float8E5M2Type"]


class NoneType(Type):
    @staticmethod
    def get(context=None):
        return NoneType("none")


class ShapedType(Type):
    def __init__(self, text, shape, element_type):
        super().__init__(text)
        self.shape = list(shape)
        self.element_type = element_type

    @property
    def rank(self):
        return len(self.shape)

    @staticmethod
    def get_dynamic_size():
        return DYNAMIC


class MemRefType(ShapedType):
    @staticmethod
    def get(shape, element_type, layout=None, memory_space=None, loc=None):
        behind = "".join(f", {part}" for part in (layout, memory_space) if part is not None)
        return MemRefType(f"memref<{extents(shape)}{element_type}{behind}>", shape, element_type)


class VectorType(ShapedType):
    @staticmethod
    def get(shape, element_type, loc=None, **others):
        if others:
            raise missing("mlir.ir.VectorType.get", next(iter(others)))
        return VectorType(f"vector<{extents(shape)}{element_type}>", shape, element_type)


class FunctionType(Type):
    def __init__(self, inputs, results):
        self.inputs, self.results = list(inputs), list(results)
        after = ", ".join(map(str, self.results))
        if len(self.results) != 1:
            after = f"({after})"
        super().__init__(f"({', '.join(map(str, self.inputs))}) -> {after}")

    @staticmethod
    def get(inputs, results, context=None):
        return FunctionType(inputs, results)
