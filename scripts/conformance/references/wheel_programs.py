"""Programs of our own and their references in numpy. Builders run inside of the wheel's interpreter, which has its bindings."""
import pathlib

NZ = {"blayout": "ColMajor", "slayout": "RowMajor"}
ZN = {"blayout": "RowMajor", "slayout": "ColMajor"}
ZZ = {"blayout": "RowMajor", "slayout": "RowMajor"}
COLUMN = {"blayout": "ColMajor"}


class Function:
    """One kernel: pointers to matrices, (dtype, rows, cols) each, and then `counts` index parameters."""

    def __init__(self, pto, matrices, counts=0, arch=None):
        from mlir import ir
        from mlir.dialects import arith, func
        self.pto, self.arith, self.ir = pto, arith, ir
        self.index = ir.IndexType.get()
        self.matrices = matrices
        self.module = ir.Module.create()
        if arch:
            self.module.operation.attributes["pto.target_arch"] = ir.StringAttr.get(arch)
        pointers = [pto.PtrType.get(self.type(dtype)) for dtype, _, _ in matrices]
        with ir.InsertionPoint(self.module.body):
            function = func.FuncOp("kernel", ir.FunctionType.get(pointers + [self.index] * counts, []))
        self.block = function.add_entry_block()
        self.counts = list(self.block.arguments)[len(matrices):]
        self.point = ir.InsertionPoint(self.block)
        self.point.__enter__()
        self.constants = {}
        self.views = [self.view(number) for number in range(len(matrices))]

    def type(self, dtype):
        return self.ir.Type.parse(dtype)

    def constant(self, value):
        if value not in self.constants:
            with self.ir.InsertionPoint.at_block_begin(self.block):
                self.constants[value] = self.arith.ConstantOp(self.index, self.ir.IntegerAttr.get(self.index, value)).result
        return self.constants[value]

    def number(self, value, dtype="f32"):
        kind = self.ir.FloatAttr if dtype[0] == "f" else self.ir.IntegerAttr
        return self.arith.ConstantOp(self.type(dtype), kind.get(self.type(dtype), value)).result

    def view(self, number):
        dtype, rows, cols = self.matrices[number]
        return self.pto.MakeTensorViewOp(
            self.pto.TensorViewType.get(2, self.type(dtype)), self.block.arguments[number],
            [self.constant(rows), self.constant(cols)], [self.constant(cols), self.constant(1)]).result

    def part(self, number, rows=None, cols=None, at=None):
        """The window of that size at these places (values) of a matrix; all of it if not said."""
        pto = self.pto
        dtype, all_rows, all_cols = self.matrices[number]
        sizes = [rows or all_rows, cols or all_cols]
        zero = self.constant(0)
        return pto.SubviewOp(pto.TileViewType.get(sizes, self.type(dtype)), self.views[number],
                             list(at or (zero, zero)), [self.constant(s) for s in sizes]).result

    def tile(self, rows, cols, dtype="f32", space="UB", blayout="RowMajor", slayout="NoneBox", fractal=512, valid=None):
        """`valid`: the two values of a valid region that is known when it runs."""
        pto = self.pto
        config = pto.TileBufConfigAttr.get(
            pto.BLayoutAttr.get(getattr(pto.BLayout, blayout)), pto.SLayoutAttr.get(getattr(pto.SLayout, slayout)), fractal,
            pto.PadValueAttr.get(pto.PadValue.Null))
        where = pto.AddressSpaceAttr.get(getattr(pto.AddressSpace, space))
        shape = [-1, -1] if valid else [rows, cols]
        given = dict(zip(("valid_row", "valid_col"), valid or ()))
        return pto.AllocTileOp(pto.TileBufType.get([rows, cols], self.type(dtype), where, shape, config), **given).result

    def load(self, part, tile):
        self.pto.TLoadOp(None, part, tile)
        return tile

    def store(self, tile, part):
        self.pto.TStoreOp(None, tile, part)

    def loaded(self, number):
        dtype, rows, cols = self.matrices[number]
        return self.load(self.part(number), self.tile(rows, cols, dtype))

    def loop(self, count, body, start=None, step=1):
        """body(round) for each round in start..count."""
        from mlir.dialects import scf
        loop = scf.ForOp(start or self.constant(0), count, self.constant(step))
        with self.ir.InsertionPoint(loop.body):
            body(loop.induction_variable)
            scf.YieldOp([])

    def branch(self, condition, then, otherwise):
        from mlir.dialects import scf
        op = scf.IfOp(condition, hasElse=True)
        for block, body in ((op.then_block, then), (op.else_block, otherwise)):
            with self.ir.InsertionPoint(block):
                body()
                scf.YieldOp([])

    def factors(self, a, b, m, k, n, dtype, left=ZZ):
        """Tiles of L0A and L0B with these parts of matrices."""
        lhs = self.load(a, self.tile(m, k, dtype, "MAT", **NZ))
        rhs = self.load(b, self.tile(k, n, dtype, "MAT", **NZ))
        l0a, l0b = self.tile(m, k, dtype, "LEFT", **left), self.tile(k, n, dtype, "RIGHT", **ZN)
        self.pto.TMovOp(None, lhs, l0a)
        self.pto.TMovOp(None, rhs, l0b)
        return l0a, l0b

    def accumulator(self, m, n, dtype="f32"):
        return self.tile(m, n, dtype, "ACC", fractal=1024, **NZ)

    def text(self):
        from mlir.dialects import func
        func.ReturnOp([])
        self.point.__exit__(None, None, None)
        return str(self.module)


PROGRAMS = {}  # name -> (matrices, counts, reference, chip, flags of its own, builder)


def program(name, matrices, reference, counts=(), chip="ascend910b1", flags=False):
    """Registers a program. The last matrix is the result, whose expected value is reference(*inputs, *counts)."""
    def add(builder):
        PROGRAMS[name] = (matrices, counts, reference, chip, flags, builder)
        return builder
    return add


SQUARE = ("f32", 64, 64)


def f32(values):
    return values.astype("float32")


@program("add", [SQUARE] * 3, lambda a, b: a + b)
def add(f, pto):
    c = f.tile(64, 64)
    pto.TAddOp(f.loaded(0), f.loaded(1), c)
    f.store(c, f.part(2))


@program("chain", [SQUARE] * 3, lambda a, b: __import__("numpy").maximum(abs(a - b) * a, b))
def chain(f, pto):
    a, b, c, d = f.loaded(0), f.loaded(1), f.tile(64, 64), f.tile(64, 64)
    pto.TSubOp(a, b, c)
    pto.TAbsOp(c, d)
    pto.TMulOp(d, a, c)
    pto.TMaxOp(c, b, d)
    f.store(d, f.part(2))


@program("scalars", [SQUARE] * 2, lambda a: (a * 3 + 5).clip(-7, 19))
def scalars(f, pto):
    a, b = f.loaded(0), f.tile(64, 64)
    pto.TMulsOp(a, f.number(3.0), b)
    pto.TAddSOp(b, f.number(5.0), b)
    pto.TMinsOp(b, f.number(19.0), b)
    pto.TMaxSOp(b, f.number(-7.0), b)
    f.store(b, f.part(1))


def centred(f, top, expand):
    """Subtracts from a the result of `top` of a, spread over it by `expand`."""
    a, c = f.loaded(0), f.tile(64, 64)
    expand(a, top(a), c)
    f.store(c, f.part(1))


@program("centre", [SQUARE] * 2, lambda a: a - a.max(0, keepdims=True))
def centre(f, pto):
    def top(a):
        tops = f.tile(1, 64)
        pto.TColMaxOp(a, tops)
        return tops

    def expand(a, tops, c):
        spread = f.tile(64, 64)
        pto.TColExpandOp(tops, spread)
        pto.TSubOp(a, spread, c)
    centred(f, top, expand)


@program("centre_rows", [SQUARE] * 2, lambda a: a - a.max(1, keepdims=True))
def centre_rows(f, pto):
    def top(a):
        tops = f.tile(64, 1, **COLUMN)
        pto.TRowMaxOp(a, tops)
        return tops
    centred(f, top, pto.TRowExpandSubOp)


@program("cast", [("f32", 32, 64), ("i32", 32, 64)], lambda a: a.astype("int32") * 2)
def cast(f, pto):
    """Through f16 and back: the numbers are small."""
    a, half, whole, out = (f.tile(32, 64, t) for t in ("f32", "f16", "f32", "i32"))
    mode = f.ir.Attribute.parse("#pto<round_mode ROUND>")
    f.load(f.part(0), a)
    pto.TCvtOp(a, half, rmode=mode)
    pto.TCvtOp(half, whole, rmode=mode)
    pto.TCvtOp(whole, out, rmode=mode)
    pto.TAddOp(out, out, out)
    f.store(out, f.part(1))


@program("bits", [("i16", 32, 64)] * 3, lambda a, b: (a & b) | ~a)
def bits(f, pto):
    a, b, c, d = f.loaded(0), f.loaded(1), f.tile(32, 64, "i16"), f.tile(32, 64, "i16")
    pto.TAndOp(a, b, c)
    pto.TNotOp(a, d)
    pto.TOrOp(c, d, c)
    f.store(c, f.part(2))


@program("select", [("f32", 16, 64)] * 3, lambda a, b: __import__("numpy").where(a == b, a * 100, b))
def select(f, pto):
    a, b, c = f.loaded(0), f.loaded(1), f.tile(16, 64)
    mask = f.tile(16, 32, "i8")
    pto.TCmpOp(a, b, mask)
    pto.TMulsOp(a, f.number(100.0), a)
    pto.TSelOp(mask, a, b, c)
    f.store(c, f.part(2))


@program("in_place_rows", [("f32", 256, 64)] * 2, lambda a, rows: a * 2 + 1, counts=(256,))
def in_place_rows(f, pto):
    """A loop over blocks of rows; how many there are is an argument."""
    eight = f.constant(8)
    blocks = f.arith.DivUIOp(f.counts[0], eight).result

    def body(i):
        row = f.arith.MulIOp(i, eight).result
        tile = f.load(f.part(0, 8, 64, (row, f.constant(0))), f.tile(8, 64))
        pto.TMulsOp(tile, f.number(2.0), tile)
        pto.TAddSOp(tile, f.number(1.0), tile)
        f.store(tile, f.part(1, 8, 64, (row, f.constant(0))))
    f.loop(blocks, body)


@program("nested", [("f32", 64, 128)] * 2, lambda a: a.reshape(64, 2, 64)[:, ::-1].reshape(64, 128))
def nested(f, pto):
    """Two loops and a branch: the halves of all columns change places."""
    sixteen, half = f.constant(16), f.constant(64)

    def rows(i):
        row = f.arith.MulIOp(i, sixteen).result

        def halves(j):
            first = f.arith.CmpIOp(0, j, f.constant(0)).result
            source = f.arith.MulIOp(j, half).result
            tile = f.load(f.part(0, 16, 64, (row, source)), f.tile(16, 64))
            f.branch(first, lambda: f.store(tile, f.part(1, 16, 64, (row, half))),
                     lambda: f.store(tile, f.part(1, 16, 64, (row, f.constant(0)))))
        f.loop(f.constant(2), halves)
    f.loop(f.constant(4), rows)


@program("dynamic", [("f32", 32, 64)] * 2, lambda a, rows, cols: a.sum(1, keepdims=True) + 0 * a, counts=(32, 64))
def dynamic(f, pto):
    """Valid regions that are arguments: sums of rows, spread."""
    rows, cols = f.counts
    a = f.load(f.part(0), f.tile(32, 64, valid=(rows, cols)))
    sums = f.tile(32, 1, valid=(rows, f.constant(1)), **COLUMN)
    out = f.tile(32, 64, valid=(rows, cols))
    pto.TRowSumOp(a, sums)
    pto.TRowExpandOp(sums, out)
    f.store(out, f.part(1))


@program("elements", [("f32", 1, 64)] * 2, lambda a: __import__("numpy").concatenate([a[:, 63:], a[:, 1:63], a[:, :1]], 1))
def elements(f, pto):
    """Single elements through the scalar unit: the first and the last change places."""
    a = f.loaded(0)
    first, last = (pto.TGetValOp(f.type("f32"), a, f.constant(at)).result for at in (0, 63))
    pto.TSetValOp(a, f.constant(0), last)
    pto.TSetValOp(a, f.constant(63), first)
    f.store(a, f.part(1))


@program("flags", [SQUARE] * 2, lambda a: a + a, flags=True)
def flags(f, pto):
    pipe = lambda name: f.ir.Attribute.parse(f"#pto.pipe<PIPE_{name}>")
    event = f.ir.Attribute.parse("#pto.event<EVENT_ID3>")
    a, b = f.loaded(0), f.tile(64, 64)
    pto.SetFlagOp(pipe("MTE2"), pipe("V"), event)
    pto.WaitFlagOp(pipe("MTE2"), pipe("V"), event)
    pto.TAddOp(a, a, b)
    pto.SetFlagOp(pipe("V"), pipe("MTE3"), event)
    pto.WaitFlagOp(pipe("V"), pipe("MTE3"), event)
    f.store(b, f.part(1))
    pto.BarrierOp(pipe("ALL"))


@program("product", [SQUARE] * 3, lambda a, b: a @ b)
def product(f, pto):
    left, right = f.factors(f.part(0), f.part(1), 64, 64, 64, "f32")
    out = f.accumulator(64, 64)
    pto.TMatmulOp(None, left, right, out)
    f.store(out, f.part(2))


@program("product_over_k", [("f16", 64, 256), ("f16", 256, 64), SQUARE], lambda a, b: f32(a) @ f32(b))
def product_over_k(f, pto):
    """The first part of k, and then a loop that adds the others."""
    out, zero, part = f.accumulator(64, 64), f.constant(0), f.constant(64)

    def step(at):
        return f.factors(f.part(0, 64, 64, (zero, at)), f.part(1, 64, 64, (at, zero)), 64, 64, 64, "f16")
    pto.TMatmulOp(None, *step(zero), out)
    f.loop(f.constant(4), lambda i: pto.TMatmulAccOp(
        None, out, *step(f.arith.MulIOp(i, part).result), out), start=f.constant(1))
    f.store(out, f.part(2))


@program("product_bias", [("f16", 32, 64), ("f16", 64, 32), ("f32", 1, 32), ("f32", 32, 32)],
         lambda a, b, bias: f32(a) @ f32(b) + bias)
def product_bias(f, pto):
    left, right = f.factors(f.part(0), f.part(1), 32, 64, 32, "f16")
    row, table = f.tile(1, 32, "f32", "MAT"), f.tile(1, 32, "f32", "BIAS")
    f.load(f.part(2), row)
    pto.TMovOp(None, row, table)
    out = f.accumulator(32, 32)
    pto.TMatmulBiasOp(None, left, right, table, out)
    f.store(out, f.part(3))


@program("product_i8", [("i8", 32, 64), ("i8", 64, 32), ("i32", 32, 32)], lambda a, b: a.astype("int32") @ b.astype("int32"))
def product_i8(f, pto):
    left, right = f.factors(f.part(0), f.part(1), 32, 64, 32, "i8")
    out = f.accumulator(32, 32, "i32")
    pto.TMatmulOp(None, left, right, out)
    f.store(out, f.part(2))


@program("product_a5", [("f16", 64, 64), ("f16", 64, 64), SQUARE], lambda a, b: f32(a) @ f32(b), chip="ascend950pr")
def product_a5(f, pto):
    left, right = f.factors(f.part(0), f.part(1), 64, 64, 64, "f16", left=NZ)
    out = f.accumulator(64, 64)
    pto.TMatmulOp(None, left, right, out)
    f.store(out, f.part(2))


@program("vector_a5", [("f32", 128, 64)] * 3, lambda a, b: abs(a) - b, chip="ascend950pr")
def vector_a5(f, pto):
    def body(i):
        at = (f.arith.MulIOp(i, f.constant(32)).result, f.constant(0))
        a, b = (f.load(f.part(n, 32, 64, at), f.tile(32, 64)) for n in (0, 1))
        pto.TAbsOp(a, a)
        pto.TSubOp(a, b, b)
        f.store(b, f.part(2, 32, 64, at))
    f.loop(f.constant(4), body)


ARCHS = {"ascend910b1": "a3", "ascend950pr": "a5"}


def write(folder):
    from mlir.dialects import pto
    from mlir.ir import Context, Location
    with Context() as context, Location.unknown():
        pto.register_dialect(context, load=True)
        for name, (matrices, counts, _, chip, _, builder) in PROGRAMS.items():
            f = Function(pto, matrices, len(counts), ARCHS[chip])
            builder(f, pto)
            (pathlib.Path(folder) / f"{name}.pto").write_text(f.text() + "\n")
