"""Kernels of ours, written with the names of MLIR's Python bindings; mlir_test.py runs their output."""
from mlir.dialects import arith, func, pto, scf
from mlir.ir import (BoolAttr, Context, F16Type, F32Type, FlatSymbolRefAttr, IndexType, InsertionPoint,
                     IntegerType, Location, Module, Attribute, UnitAttr)

# Layouts of the cube's tiles: blayout, slayout, bytes of a fractal.
LAYOUTS = {"VEC": ("RowMajor", "NoneBox", 512), "MAT": ("ColMajor", "RowMajor", 512),
           "LEFT": ("RowMajor", "RowMajor", 512), "RIGHT": ("RowMajor", "ColMajor", 512),
           "ACC": ("ColMajor", "RowMajor", 1024)}


def tile_type(space, shape, element, valid=None):
    blayout, slayout, fractal = LAYOUTS[space]
    config = pto.TileBufConfigAttr.get(
        pto.BLayoutAttr.get(pto.BLayout[blayout]), pto.SLayoutAttr.get(pto.SLayout[slayout]), fractal,
        pto.PadValueAttr.get(pto.PadValue.Null))
    return pto.TileBufType.get(shape, element, pto.AddressSpaceAttr.get(pto.AddressSpace[space]),
                               shape if valid is None else valid, config)


def index(value):
    return arith.ConstantOp(IndexType.get(), value).result


def matrix(pointer, rows, cols, element):
    """A view of a dense matrix, whole."""
    view = pto.MakeTensorViewOp(pto.TensorViewType.get(2, element), pointer,
                                [index(rows), index(cols)], [index(cols), index(1)]).result
    return pto.PartitionViewOp(pto.PartitionTensorViewType.get([rows, cols], element), view,
                               offsets=[index(0), index(0)], sizes=[index(rows), index(cols)]).result


def function(module, name, types, **attributes):
    with InsertionPoint(module.body):
        made = func.FuncOp(name, func.FunctionType.get(types, []))
    for key, value in attributes.items():
        made.operation.attributes["pto." + key] = value
    return made, made.add_entry_block()


def kind(word):
    return Attribute.parse(f"#pto.kernel_kind<{word}>")


def scaled_sum():
    """y = 2 x + x for each of its blocks of 64, and -x in rows 0 to 2: loops, branches, constants,
    a computed valid extent, a view of one dimension with a tile of two."""
    module = Module.create()
    element = F32Type.get()
    pointer = pto.PtrType.get(element)
    _, block = function(module, "scaled_sum", [pointer, pointer, IntegerType.get_signless(32)])
    with InsertionPoint(block):
        x, y, count = block.arguments
        columns = arith.IndexCastOp(IndexType.get(), count).result
        c64 = index(64)
        whole = arith.MulIOp(columns, c64).result
        line = pto.TensorViewType.get(1, element)
        views = [pto.MakeTensorViewOp(line, p, [whole], [index(1)]).result for p in (x, y)]
        section = pto.SectionVectorOp()
        with InsertionPoint(section.body.blocks.append()):
            kind_of = tile_type("VEC", [1, 64], element, [1, -1])
            source, target = (pto.AllocTileOp(kind_of, valid_col=c64).result for _ in range(2))
            loop = scf.ForOp(index(0), columns, index(1))
            with InsertionPoint(loop.body):
                at = arith.MulIOp(loop.induction_variable, c64).result
                part = pto.PartitionTensorViewType.get([1, 64], element)
                parts = [pto.PartitionViewOp(part, v, offsets=[at], sizes=[c64]).result for v in views]
                pto.TLoadOp(None, parts[0], source)
                few = arith.CmpIOp(arith.CmpIPredicate.slt, loop.induction_variable, index(3)).result
                branch = scf.IfOp(few, [], hasElse=True)
                with InsertionPoint(branch.then_block):
                    pto.TNegOp(source, target)
                    scf.YieldOp([])
                with InsertionPoint(branch.else_block):
                    pto.tmuls(source, arith.ConstantOp(element, 2.0).result, target)
                    pto.TAddOp(source, target, target)
                    scf.YieldOp([])
                pto.TStoreOp(None, target, parts[1])
                scf.YieldOp([])
        func.ReturnOp([])
    return module


def product():
    """c = a b, flags of ours between the pipes."""
    module = Module.create()
    half, single = F16Type.get(), F32Type.get()
    types = [pto.PtrType.get(half), pto.PtrType.get(half), pto.PtrType.get(single)]
    _, block = function(module, "product", types, entry=UnitAttr.get(), kernel_kind=kind("cube"))
    with InsertionPoint(block):
        sides = []
        for pointer, space in zip(block.arguments, ("LEFT", "RIGHT")):
            near = pto.AllocTileOp(tile_type("MAT", [32, 32], half)).result
            pto.TLoadOp(None, matrix(pointer, 32, 32, half), near)
            sides.append((near, pto.AllocTileOp(tile_type(space, [32, 32], half)).result))
        pto.record_event(pto.TLOAD, pto.TMOV_M2L, pto.EVENT_ID0)
        pto.wait_event("tload", "tmov_m2l", 0)
        for near, side in sides:
            pto.TMovOp(None, near, side)
        pto.set_flag("PIPE_MTE1", pto.PIPE.PIPE_M, 1)
        pto.wait_flag("PIPE_MTE1", pto.PIPE.PIPE_M, 1)
        result = pto.AllocTileOp(tile_type("ACC", [32, 32], single)).result
        pto.TMatmulOp(None, sides[0][1], sides[1][1], result)
        pto.record_event(pto.TMATMUL, pto.TSTORE_ACC, 2)
        pto.wait_event(pto.TMATMUL, pto.TSTORE_ACC, 2)
        pto.TStoreOp(None, result, matrix(block.arguments[2], 32, 32, single))
        func.ReturnOp([])
    return module


def doubled_product():
    """c = 2 a b: the cube core pushes the product through a FIFO, a vector core doubles it."""
    module = Module.create()
    single, i32 = F32Type.get(), IntegerType.get_signless(32)
    pointer = pto.PtrType.get(single)
    types = [pointer] * 4  # ring, a, b, c
    _, cube = function(module, "cube_part", types, kernel_kind=kind("cube"))
    _, vector = function(module, "vector_part", types, kernel_kind=kind("vector"))
    _, both = function(module, "doubled_product", types, entry=UnitAttr.get())
    with InsertionPoint(cube):
        ring, a, b, _ = cube.arguments
        slots = pto.ImportReservedBufferOp("slots", FlatSymbolRefAttr.get("vector_part")).result
        none = arith.ConstantOp(i32, 0).result
        pto.AicInitializePipeOp(1, 4096, gm_slot_buffer=ring, c2v_consumer_buf=slots,
                                v2c_consumer_buf=none)
        sides = []
        for source, space in ((a, "LEFT"), (b, "RIGHT")):
            near = pto.AllocTileOp(tile_type("MAT", [32, 32], single)).result
            pto.TLoadOp(None, matrix(source, 32, 32, single), near)
            side = pto.AllocTileOp(tile_type(space, [32, 32], single)).result
            pto.TMovOp(None, near, side)
            sides.append(side)
        result = pto.AllocTileOp(tile_type("ACC", [32, 32], single)).result
        pto.TMatmulOp(None, *sides, result)
        pto.TPushToAivOp(result, 0)
        func.ReturnOp([])
    with InsertionPoint(vector):
        ring, _, _, c = vector.arguments
        slots = pto.ReserveBufferOp("slots", 32768, pto.AddressSpaceAttr.get(pto.AddressSpace.VEC),
                                    True, base=None).result
        none = arith.ConstantOp(i32, 0).result
        pto.AivInitializePipeOp(1, 4096, gm_slot_buffer=ring, c2v_consumer_buf=slots,
                                v2c_consumer_buf=none)
        first = arith.CmpIOp(arith.CmpIPredicate.eq, pto.GetSubBlockIdxOp().result,
                             arith.ConstantOp(IntegerType.get_signless(64), 0).result).result
        got = pto.TPopFromAicOp(tile_type("VEC", [32, 32], single), 0).result
        branch = scf.IfOp(first)
        with InsertionPoint(branch.then_block):
            twice = pto.AllocTileOp(tile_type("VEC", [32, 32], single)).result
            pto.TAddOp(got, got, twice)
            pto.TStoreOp(None, twice, matrix(c, 32, 32, single))
            scf.YieldOp([])
        pto.TFreeFromAicOp(0)
        func.ReturnOp([])
    with InsertionPoint(both):
        for part in ("cube_part", "vector_part"):
            func.CallOp([], part, list(both.arguments))
        func.ReturnOp([])
    return module


def rounded():
    """y = the lower half of x as f16, towards minus infinity: a window of a tile, attributes of instructions,
    `for_` with a carried value (the sum of 0, 1, 2 is the row where the window begins less 13)."""
    module = Module.create()
    single, half = F32Type.get(), F16Type.get()
    _, block = function(module, "rounded", [pto.PtrType.get(single), pto.PtrType.get(half)])
    with InsertionPoint(block):
        x, y = block.arguments
        whole = pto.AllocTileOp(tile_type("VEC", [32, 64], single)).result
        pto.TLoadOp(None, matrix(x, 32, 64, single), whole)
        for at, total, row in scf.for_(0, 3, 1, iter_args=[index(13)]):
            scf.yield_([arith.addi(at, total)])
        window = pto.subview(whole, [row, index(0)], [16, 64])
        small = pto.AllocTileOp(tile_type("VEC", [16, 64], half)).result
        pto.TCvtOp(src=window, dst=small, rmode=pto.RoundModeAttr.get(pto.RoundMode.FLOOR))
        pto.TStoreOp(None, small, matrix(y, 16, 64, half))
        pto.print_("rows from %d\n", row)
        func.ReturnOp([])
    return module


def text_of(program, locations=False):
    with Context() as context, Location.unknown():
        pto.register_dialect(context, load=True)
        module = program()
        assert module.operation.verify()
        assert BoolAttr.get(True).value
        return module.operation.get_asm(enable_debug_info=locations)
