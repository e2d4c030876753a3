"""Builder of kernels for calibration: the toolkit's `mlir`, and shorter words for it."""
import contextlib
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLKIT = os.path.join(ROOT, "sim", "faces", "toolkit", "python")

# The toolkit hands over to the real bindings where these are installed: they are out of the way here.
_path = sys.path[:]
sys.path[:] = [TOOLKIT] + [entry for entry in _path if not os.path.isdir(os.path.join(entry, "mlir", "_mlir_libs"))]
from mlir import ir  # noqa: E402
from mlir.dialects import arith, func, pto, scf  # noqa: E402
sys.path[:] = _path

ARCH = {"a2a3": "a3", "a5": "a5"}
BITS = {"f16": 16, "f32": 32, "bf16": 16, "i16": 16, "i32": 32, "ui32": 32, "i8": 8, "f8E4M3FN": 8,
        "f8E5M2": 8, "!pto.hif8": 8, "!pto.f4E2M1x2": 4, "!pto.f4E1M2x2": 4}


# ---- types -----------------------------------------------------------------------------------------

def element_type(name):
    """`name` is its text: "f16", "i64", "!pto.hif8", "index"."""
    known = {"f16": ir.F16Type, "bf16": ir.BF16Type, "f32": ir.F32Type, "index": ir.IndexType}
    return known[name].get() if name in known else ir.Type.parse(name)


def tile(space, rows, cols, element, blayout="row_major", slayout="none_box", fractal=512, valid=None):
    config = pto.TileBufConfigAttr.get(blayout, slayout, fractal, "null")
    return pto.TileBufType.get([rows, cols], element_type(element), space, valid, config)


def vec(rows, cols, element, **layout):
    """A tile in UB."""
    return tile("vec", rows, cols, element, **layout)


def mat(rows, cols, order="a", element="f16", **valid):
    """An operand in L1: "a" in the order of the left one, "b" in that of the right one."""
    blayout, slayout = ("col_major", "row_major") if order == "a" else ("row_major", "col_major")
    return tile("mat", rows, cols, element, blayout, slayout, **valid)


def left(arch, m, k, element="f16"):
    return tile("left", m, k, element, "col_major" if arch == "a5" else "row_major", "row_major")


def right(k, n, element="f16"):
    return tile("right", k, n, element, slayout="col_major")


def accumulator(m, n):
    return tile("acc", m, n, "f32", "col_major", "row_major", 1024)


# ---- the function under construction -----------------------------------------------------------------

class Kernel:
    """A function. Within `with`, operations go to the end of its innermost open block. `kind` is that of
    its core ("cube", "vector"), or None if it has a section for each."""

    def __init__(self, arch, name, kind, parameters):
        """`parameters`: (name, type of the elements)."""
        self.module = ir.Module.create()
        self.module.operation.attributes["pto.target_arch"] = ir.StringAttr.get(ARCH[arch])
        pointers = [pto.PtrType.get(element_type(element)) for _, element in parameters]
        with ir.InsertionPoint(self.module.body):
            function = func.FuncOp(name, (pointers, []))
        function.attributes["pto.entry"] = ir.UnitAttr.get()
        if kind is not None:
            function.attributes["pto.kernel_kind"] = ir.Attribute.parse(f"#pto.kernel_kind<{kind}>")
        self.entry = function.add_entry_block()
        self.arguments = {name: value for (name, _), value in zip(parameters, self.entry.arguments)}
        self.point = ir.InsertionPoint(self.entry)
        self.constants = {}

    def __enter__(self):
        self.point.__enter__()
        return self

    def __exit__(self, *exception):
        func.ReturnOp([])
        return self.point.__exit__(*exception)

    def text(self):
        return str(self.module)

    # ---- scalars: where values are expected, numbers are constants of the type index

    def constant(self, number, kind="index"):
        """At the begin of the function, once."""
        if (number, kind) not in self.constants:
            with ir.InsertionPoint.at_block_begin(self.entry):
                self.constants[number, kind] = arith.constant(element_type(kind), number)
        return self.constants[number, kind]

    def value(self, given, kind="index"):
        return self.constant(given, kind) if isinstance(given, int) else given

    def pair(self, a, b):
        """Two values of one type: a number is of the other's."""
        kind = next((str(x.type) for x in (a, b) if not isinstance(x, int)), "index")
        return self.value(a, kind), self.value(b, kind)

    def __getattr__(self, name):
        """addi, muli, remui, ...: of `arith`, of two values or numbers."""
        if name not in ("addi", "subi", "muli", "divui", "remui", "minui", "andi"):
            raise AttributeError(name)
        return lambda a, b: getattr(arith, name)(*self.pair(a, b))

    def compare(self, how, a, b):
        return arith.cmpi(arith.CmpIPredicate[how], *self.pair(a, b))

    def select(self, condition, a, b):
        return arith.select(condition, *self.pair(a, b))

    def i64(self, value):
        """An index or a number as i64, as addresses are."""
        i64 = ir.IntegerType.get_signless(64)
        return self.constant(value, "i64") if isinstance(value, int) else arith.index_cast(i64, value)

    @staticmethod
    def as_index(value):
        return arith.index_cast(ir.IndexType.get(), value)

    def block(self):
        return self.as_index(pto.get_block_idx())

    def subblock(self):
        return self.as_index(pto.get_subblock_idx())

    # ---- control flow

    @contextlib.contextmanager
    def loop(self, stop, start=0, step=1):
        made = scf.ForOp(self.value(start), self.value(stop), self.value(step))
        with ir.InsertionPoint(made.body):
            yield made.induction_variable

    @contextlib.contextmanager
    def when(self, condition):
        with ir.InsertionPoint(scf.IfOp(condition).then_block):
            yield

    @staticmethod
    def choose(condition, then, otherwise):
        """One of two calls without arguments, when the kernel runs."""
        made = scf.IfOp(condition, hasElse=True)
        for block, call in ((made.then_block, then), (made.else_block, otherwise)):
            with ir.InsertionPoint(block):
                call()

    @contextlib.contextmanager
    def section(self, core):
        """Section that only one type of core executes: "cube", "vector"."""
        made = {"cube": pto.SectionCubeOp, "vector": pto.SectionVectorOp}[core]()
        with ir.InsertionPoint(made.body.blocks.append()):
            yield

    # ---- tiles and views

    def tile(self, kind, address=0):
        return pto.alloc_tile(kind, addr=self.constant(address, "i64") if isinstance(address, int) else address)

    def view(self, pointer, element, shape, strides=None, layout="nd"):
        """The tensor at an argument (its name) or pointer; rows follow each other unless `strides` are given."""
        if isinstance(pointer, str):
            pointer = self.arguments[pointer]
        strides = strides or [shape[1], 1]
        kind = pto.TensorViewType.get(len(shape), element_type(element))
        return pto.make_tensor_view(kind, pointer, list(map(self.value, shape)), list(map(self.value, strides)),
                                    layout=ir.Attribute.parse(f"#pto.layout<{layout}>"))

    def part(self, view, offsets, sizes):
        kind = pto.PartitionTensorViewType.get(list(sizes), view.type.element_type)
        return pto.partition_view(kind, view, list(map(self.value, offsets)), list(map(self.value, sizes)))

    # ---- instructions that every kernel has

    @staticmethod
    def load(part, to):
        pto.tload(None, part, to)

    @staticmethod
    def store(source, part, **attributes):
        pto.tstore(None, source, part, **attributes)

    @staticmethod
    def barrier(pipe):
        pto.barrier(f"PIPE_{pipe}")

    @staticmethod
    def set_flag(source, to, event):
        """`event`: a number, or a value."""
        pto.set_flag(f"PIPE_{source}", f"PIPE_{to}", event)

    @staticmethod
    def wait_flag(source, to, event):
        pto.wait_flag(f"PIPE_{source}", f"PIPE_{to}", event)

    def hand_over(self, source, to, event):
        """The pipe `to` goes on when `source` has come here."""
        self.set_flag(source, to, event)
        self.wait_flag(source, to, event)


def zeros(*shapes):
    """Arguments of `ptosim run`: ((rows, ...), type of the elements)."""
    return [f"zeros={'x'.join(map(str, extents))}x{element}" for extents, element in shapes]
