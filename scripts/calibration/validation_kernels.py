"""Our own kernels that do what the measured kernels do, as `.pto` text.

They keep to what decides time: tile sizes, which bytes are read how often and in which order, how
deep buffers are, and which instructions depend on which. They run in `--mode timing`, on zeros.
"""

TYPES = {"f16": 16, "f32": 32, "bf16": 16, "i16": 16, "i32": 32, "ui32": 32, "i8": 8, "f8E4M3FN": 8,
         "f8E5M2": 8, "!pto.hif8": 8, "!pto.f4E2M1x2": 4, "!pto.f4E1M2x2": 4}
ARCH = {"a2a3": "a3", "a5": "a5"}


def module(arch, name, kind, parameters, body):
    arguments = ", ".join(f"%{p}: {t}" for p, t in parameters)
    lines = "\n".join("    " + line for line in body)
    return (f'module attributes {{pto.target_arch = "{ARCH[arch]}"}} {{\n'
            f"  func.func @{name}({arguments})\n"
            f"      attributes {{pto.entry, pto.kernel_kind = #pto.kernel_kind<{kind}>}} {{\n"
            f"{lines}\n    return\n  }}\n}}\n")


def constants(*numbers):
    return [f"%c{n} = arith.constant {n} : index" for n in sorted(set(numbers))]


# ---- single vector instructions ---------------------------------------------------------------

def vector_instructions(arch, cases):
    """Each case by itself, a barrier after it: the distance of two starts is what it takes; the last
    start is that of one more instruction.

    A case: opcode (as in the assembly), operands: (role, type, rows, cols, valid_rows,
    valid_cols, address) with role "in", "out" or a scalar's type, the attributes' text, and how many
    of it follow each other without a barrier."""
    body, tiles = [], 0
    for opcode, operands, attributes, times in cases:
        ins, outs = [], []
        for operand in operands:
            role = operand[0]
            if role == "scalar":
                _, dtype, value = operand
                body.append(f"%v{tiles} = arith.constant {value} : {dtype}")
                ins.append((f"%v{tiles}", dtype))
            else:
                _, dtype, rows, cols, vrows, vcols, address, layout = operand
                kind = f"!pto.tile_buf<loc=vec, dtype={dtype}, rows={rows}, cols={cols}, v_row={vrows}, " \
                       f"v_col={vcols}, blayout={layout}, slayout=none_box, fractal=512, pad=0>"
                body.append(f"%a{tiles} = arith.constant {address} : i64")
                body.append(f"%v{tiles} = pto.alloc_tile addr = %a{tiles} : {kind}")
                (ins if role == "in" else outs).append((f"%v{tiles}", kind))
            tiles += 1
        def listed(items, extra=""):
            return ", ".join(v for v, _ in items) + extra + " : " + ", ".join(t for _, t in items)
        body += [f"pto.{opcode} ins({listed(ins, attributes)}) outs({listed(outs)})"] * times
        body.append("pto.barrier <PIPE_V>")
    # One more, whose start says when the last one has ended.
    kind = "!pto.tile_buf<vec, 1x64xf32>"
    body += ["%a_end = arith.constant 0 : i64", f"%v_end = pto.alloc_tile addr = %a_end : {kind}",
             f"pto.tadd ins(%v_end, %v_end : {kind}, {kind}) outs(%v_end : {kind})"]
    return module(arch, "vector_instructions", "vector", [("x", "!pto.ptr<f32>")], body)


# ---- vector functions of several instructions ----------------------------------------------------

# What they read, what they compute, and which of it they store. A name may be computed anew.
VECTOR_FUNCTIONS = {
    "silu": (["x"], ["e = tmuls x", "e = texp e", "e = tadds e", "n = tmuls x", "n = tadds n", "q = tdiv n e",
                     "y = tmul x q"], ["y"]),
    "swiglu": (["x", "g"], ["e = tmuls x", "e = texp e", "e = tadds e", "n = tmuls x", "n = tadds n", "q = tdiv n e",
                            "q = tmul x q", "y = tmul q g"], ["y"]),
    "gelu": (["x"], ["a = tabs x", "b = tmuls a", "c = tmuls x", "c = texp c", "c = tmul x c", "d = tsub x a",
                     "d = tmul d c", "b = texp b", "b = tadds b", "y = tdiv d b"], ["y"]),
    "gelupoly": (["x"], ["h = tmuls x", "c = tmuls x", "c = tmins c", "c = tmaxs c", "sq = tmul c c", "p = tmuls sq",
                         "p = tadds p"] + ["p = tmul p sq", "p = tadds p"] * 4 + ["p = tmul p c", "q = tadds sq"] +
                 ["q = tmul q sq", "q = tadds q"] * 4 + ["q = tdiv p q", "q = tadds q", "y = tmul q h"], ["y"]),
    "onlineupdate": (["a", "b", "c", "d"], ["m = tmax a b", "e = tsub a m", "e = texp e", "f = tsub b m", "f = texp f",
                                            "g = tmul e c", "h = tmul d f", "h = tadd g h"], ["m", "e", "f", "h"]),
    "fanout": (["x"], [f"{t} = tadds x" for t in "abcd"] + ["a = tadd a b", "c = tadd c d", "y = tadd a c"], ["y"]),
    "branches": (["x", "z"], ["a = tadds x", "b = tadds x", "a = tadd a z", "b = tadd b z", "y = tadd a b"], ["y"]),
    "twochains": (["x", "z"], ["a = tadds x"] + ["a = tadds a"] * 3 + ["b = tadds z"] + ["b = tadds b"] * 3, ["a", "b"]),
    "gelusigmoid": (["x"], ["y = tmul x x", "y = tmul y x", "y = tmuls y", "y = tadd x y", "y = tmuls y", "y = texp y",
                            "y = tadds y", "y = tdiv x y"], ["y"]),
    "eltwise": (["y"], ["y = tadds y", "y = tmul y y", "y = tmuls y", "y = tadds y", "y = texp y"], ["y"]),
    "adds": (["x"], ["y = tadds x"], ["y"]),
    "exps": (["x"], ["y = texp x"], ["y"]),
}
WITH_SCALAR = ("tadds", "tmuls", "tmins", "tmaxs")


def vector_function(names, passes, times=1, functions=1):
    """Vector functions, one after the other, of so many passes over f32; the chain of "adds" and "exps" is
    `times` long; "a-b" is all of a and then all of b in one function, "a.b" in two; `functions` 0: each
    instruction by itself. One more instruction behind them, whose start is their end."""
    parts = [[VECTOR_FUNCTIONS[name] for name in part.split("-")] for part in names.split(".")]
    inputs, outputs = parts[0][0][0], parts[-1][-1][2]
    each = [[step for _, steps, _ in part for step in steps] for part in parts]
    each[-1] += [each[-1][-1][:-1] + "y"] * (times - 1)
    kind = f"!pto.tile_buf<vec, 1x{64 * passes}xf32>"
    tiles = list(dict.fromkeys(inputs + [step.split()[0] for steps in each for step in steps]))
    body = ["%one = arith.constant 1.0 : f32"]
    body += [f"%a_{name} = arith.constant {256 * passes * i} : i64" for i, name in enumerate(tiles)]
    body += [f"%{name} = pto.alloc_tile addr = %a_{name} : {kind}" for name in inputs]
    stored, kinds = len(outputs), ", ".join([kind] * len(outputs))
    for function, steps in enumerate(each * max(1, functions)):
        now = {name: f"%{name}" for name in inputs}
        if function % len(each):  # what the one before stored
            now = {name: f"%r{function - 1}#{i}" for i, name in enumerate(outputs)} | {k: v for k, v in now.items() if k not in outputs}
        inside = []
        for i, step in enumerate(steps):
            result, _, opcode, *sources = step.split()
            operands = [(now[source], kind) for source in sources] + [("%one", "f32")] * (opcode in WITH_SCALAR)
            now[result] = f"%v{i}"
            inside += [f"%v{i} = pto.alloc_tile addr = %a_{result} : {kind}",
                       f"pto.{opcode} ins({', '.join(v for v, _ in operands)} : {', '.join(t for _, t in operands)}) "
                       f"outs(%v{i} : {kind})"]
        if functions == 0:
            body += inside
        else:
            body += [f"%r{function}:{stored} = pto.fusion_region {{", *inside,
                     f"pto.yield({', '.join(now[name] for name in outputs)}) : ({kinds}) -> ()", f"}} : {kinds}"]
    body.append(f"pto.tadd ins(%{inputs[0]}, %{inputs[0]} : {kind}, {kind}) outs(%{inputs[0]} : {kind})")
    return module("a5", "vector_function", "vector", [("unused", "!pto.ptr<f32>")], body)


# ---- streams ------------------------------------------------------------------------------------

def read_stream(arch, space, rows, cols, tile_rows, tile_cols, blocks, passes=1, splits=1):
    """Every core reads its band of an f16 matrix tile by tile, `passes` times: all of it at a time,
    or one of `splits` parts of the columns after the other."""
    band = rows // blocks
    part = cols // splits
    kind = "cube" if space == "mat" else "vector"
    tile = (f"!pto.tile_buf<mat, {tile_rows}x{tile_cols}xf16, blayout=col_major, slayout=row_major>"
            if space == "mat" else f"!pto.tile_buf<vec, {tile_rows}x{tile_cols}xf16>")
    view, cut = "!pto.tensor_view<?x?xf16>", f"!pto.partition_tensor_view<{tile_rows}x{tile_cols}xf16>"
    full, tail = part // tile_cols, part % tile_cols
    body = constants(0, 1, rows, cols, band, part, tile_rows, tile_cols, full, band // tile_rows, splits,
                     passes)
    body += ["%zero = arith.constant 0 : i64", f"%tile = pto.alloc_tile addr = %zero : {tile}",
             "%block_i64 = pto.get_block_idx", "%block = arith.index_cast %block_i64 : i64 to index",
             f"%first = arith.muli %block, %c{band} : index",
             f"%view = pto.make_tensor_view %x, shape = [%c{rows}, %c{cols}], strides = [%c{cols}, %c1] "
             f"{{layout = #pto.layout<nd>}} : {view}",
             f"scf.for %split = %c0 to %c{splits} step %c1 {{",
             f"%left = arith.muli %split, %c{part} : index",
             f"scf.for %pass = %c0 to %c{passes} step %c1 {{",
             f"scf.for %r = %c0 to %c{band // tile_rows} step %c1 {{",
             f"%down = arith.muli %r, %c{tile_rows} : index",
             "%row = arith.addi %first, %down : index",
             f"scf.for %c = %c0 to %c{full} step %c1 {{",
             f"%right = arith.muli %c, %c{tile_cols} : index",
             "%col = arith.addi %left, %right : index",
             f"%part = pto.partition_view %view, offsets = [%row, %col], "
             f"sizes = [%c{tile_rows}, %c{tile_cols}] : {view} -> {cut}",
             f"pto.tload ins(%part : {cut}) outs(%tile : {tile})", "}"]
    if tail:
        body[:0] = constants(tail, full * tile_cols)
        small = tile.replace(f"{tile_rows}x{tile_cols}xf16", f"{tile_rows}x{tile_cols}xf16, valid={tile_rows}x{tail}")
        tail_cut = cut.replace(f"x{tile_cols}xf16", f"x{tail}xf16")
        body += [f"%last = arith.addi %left, %c{full * tile_cols} : index",
                 f"%rest = pto.alloc_tile addr = %zero : {small}",
                 f"%part_rest = pto.partition_view %view, offsets = [%row, %last], "
                 f"sizes = [%c{tile_rows}, %c{tail}] : {view} -> {tail_cut}",
                 f"pto.tload ins(%part_rest : {tail_cut}) outs(%rest : {small})"]
    body += ["}", "}", "}"]
    return module(arch, "read_stream", kind, [("x", "!pto.ptr<f16>")], body)


def shared_reads(arch, space, rows, cols, tile_rows, tile_cols, blocks, staggered):
    """Every core reads all of an f16 matrix tile by tile: all begin at the same place, or each at a
    place of its own."""
    across = cols // tile_cols
    tiles = rows // tile_rows * across
    tile = (f"!pto.tile_buf<mat, {tile_rows}x{tile_cols}xf16, blayout=col_major, slayout=row_major>"
            if space == "mat" else f"!pto.tile_buf<vec, {tile_rows}x{tile_cols}xf16>")
    view, cut = "!pto.tensor_view<?x?xf16>", f"!pto.partition_tensor_view<{tile_rows}x{tile_cols}xf16>"
    apart = tiles // blocks if staggered else 0
    body = constants(0, 1, rows, cols, tile_rows, tile_cols, tiles, across, apart)
    body += ["%zero = arith.constant 0 : i64", f"%tile = pto.alloc_tile addr = %zero : {tile}",
             "%block_i64 = pto.get_block_idx", "%block = arith.index_cast %block_i64 : i64 to index",
             f"%first = arith.muli %block, %c{apart} : index",
             f"%view = pto.make_tensor_view %x, shape = [%c{rows}, %c{cols}], strides = [%c{cols}, %c1] "
             f"{{layout = #pto.layout<nd>}} : {view}",
             f"scf.for %i = %c0 to %c{tiles} step %c1 {{", "%j = arith.addi %i, %first : index",
             f"%n = arith.remui %j, %c{tiles} : index", f"%down = arith.divui %n, %c{across} : index",
             f"%right = arith.remui %n, %c{across} : index", f"%row = arith.muli %down, %c{tile_rows} : index",
             f"%col = arith.muli %right, %c{tile_cols} : index",
             f"%part = pto.partition_view %view, offsets = [%row, %col], "
             f"sizes = [%c{tile_rows}, %c{tile_cols}] : {view} -> {cut}",
             f"pto.tload ins(%part : {cut}) outs(%tile : {tile})", "}"]
    return module(arch, "shared_reads", "cube" if space == "mat" else "vector", [("x", "!pto.ptr<f16>")], body)


def add_stream(arch, elements, tile, blocks, slots, ub_bytes, packed=False):
    """z = x + y on f16 in tiles of `tile` elements: one slot (all in turn) or two; in place of x where
    UB does not hold all; in places of whole 512 bytes, or one behind the other."""
    slot_bytes = tile * 2 if packed else -(-(tile * 2) // 512) * 512
    in_place = 3 * slots * slot_bytes > ub_bytes
    kind = f"!pto.tile_buf<vec, 1x{tile}xf16>"
    view, cut = "!pto.tensor_view<?x?xf16>", f"!pto.partition_tensor_view<1x{tile}xf16>"
    tiles = elements // tile
    body = constants(0, 1, 2, tile, tiles, blocks, elements)
    body += ["%block_i64 = pto.get_block_idx", "%block = arith.index_cast %block_i64 : i64 to index"]
    for name in "xyz":
        body.append(f"%{name}v = pto.make_tensor_view %{name}, shape = [%c1, %c{elements}], strides = "
                    f"[%c{elements}, %c1] {{layout = #pto.layout<nd>}} : {view}")
    address = 0
    for slot in range(slots):
        begin = address
        for name in "xyz":
            at = address
            if name == "z" and in_place:
                at, address = begin, address - slot_bytes
            body += [f"%{name}a{slot} = arith.constant {at} : i64",
                     f"%{name}t{slot} = pto.alloc_tile addr = %{name}a{slot} : {kind}"]
            address += slot_bytes
    for slot in range(slots):
        body += [f"pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID{slot}>]",
                 f"pto.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID{slot}>]"]
    step = blocks * slots
    if step not in (0, 1, 2, tile, tiles, blocks, elements):
        body += constants(step)
    body.append(f"scf.for %t = %block to %c{tiles} step %c{step} {{")
    for slot in range(slots):
        body += [f"%ahead{slot} = arith.constant {slot * blocks} : index",
                 f"%t{slot} = arith.addi %t, %ahead{slot} : index",
                 f"%in{slot} = arith.cmpi slt, %t{slot}, %c{tiles} : index",
                 f"scf.if %in{slot} {{", f"%at{slot} = arith.muli %t{slot}, %c{tile} : index"]
        for name in "xyz":
            body.append(f"%{name}p{slot} = pto.partition_view %{name}v, offsets = [%c0, %at{slot}], "
                        f"sizes = [%c1, %c{tile}] : {view} -> {cut}")
        body += [f"pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID{slot}>]",
                 f"pto.tload ins(%xp{slot} : {cut}) outs(%xt{slot} : {kind})",
                 f"pto.tload ins(%yp{slot} : {cut}) outs(%yt{slot} : {kind})",
                 f"pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID{slot}>]",
                 f"pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID{slot}>]",
                 f"pto.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID{slot}>]",
                 f"pto.tadd ins(%xt{slot}, %yt{slot} : {kind}, {kind}) outs(%zt{slot} : {kind})",
                 f"pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID{slot}>]",
                 f"pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID{slot}>]",
                 f"pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID{slot}>]",
                 f"pto.tstore ins(%zt{slot} : {kind}) outs(%zp{slot} : {cut})",
                 f"pto.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID{slot}>]", "}"]
    body.append("}")
    for slot in range(slots):
        body += [f"pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID{slot}>]",
                 f"pto.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID{slot}>]"]
    return module(arch, "add_stream", "vector", [(p, "!pto.ptr<f16>") for p in "xyz"], body)


def copy_stream(arch, elements, outputs, tile, blocks, slots):
    """Reads `elements` of f16 tile by tile, and writes so many bytes for each tile into each of `outputs`
    arrays of bytes; `slots` tiles are under way. What is computed between is not there."""
    read, view, view_out = f"!pto.tile_buf<vec, 1x{tile}xf16>", "!pto.tensor_view<?x?xf16>", "!pto.tensor_view<?x?xi8>"
    cut, tiles = f"!pto.partition_tensor_view<1x{tile}xf16>", elements // tile
    written = [f"!pto.tile_buf<vec, 1x{out}xi8>" for out in outputs]
    parts = [f"!pto.partition_tensor_view<1x{out}xi8>" for out in outputs]
    body = constants(0, 1, tile, tiles, elements, blocks, blocks * slots, *outputs, *(tiles * out for out in outputs))
    body += ["%block_i64 = pto.get_block_idx", "%block = arith.index_cast %block_i64 : i64 to index",
             f"%xv = pto.make_tensor_view %x, shape = [%c1, %c{elements}], strides = [%c{elements}, %c1] "
             f"{{layout = #pto.layout<nd>}} : {view}"]
    body += [f"%yv{i} = pto.make_tensor_view %y{i}, shape = [%c1, %c{tiles * out}], strides = [%c{tiles * out}, %c1] "
             f"{{layout = #pto.layout<nd>}} : {view_out}" for i, out in enumerate(outputs)]
    for slot in range(slots):
        body += [f"%xa{slot} = arith.constant {2 * tile * slot} : i64", f"%xt{slot} = pto.alloc_tile addr = %xa{slot} : {read}"]
        body += [line for i in range(len(outputs)) for line in (
            f"%ya{slot}_{i} = arith.constant {2 * tile * slot + sum(outputs[:i])} : i64",
            f"%yt{slot}_{i} = pto.alloc_tile addr = %ya{slot}_{i} : {written[i]}")]
        body.append(f"pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID{slot}>]")
    body.append(f"scf.for %t = %block to %c{tiles} step %c{blocks * slots} {{")
    for slot in range(slots):
        body += [f"%ahead{slot} = arith.constant {slot * blocks} : index", f"%t{slot} = arith.addi %t, %ahead{slot} : index",
                 f"%in{slot} = arith.cmpi slt, %t{slot}, %c{tiles} : index", f"scf.if %in{slot} {{",
                 f"%at{slot} = arith.muli %t{slot}, %c{tile} : index",
                 f"%xp{slot} = pto.partition_view %xv, offsets = [%c0, %at{slot}], sizes = [%c1, %c{tile}] : {view} -> {cut}",
                 f"pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID{slot}>]",
                 f"pto.tload ins(%xp{slot} : {cut}) outs(%xt{slot} : {read})",
                 f"pto.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID{slot}>]",
                 f"pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID{slot}>]"]
        for i, out in enumerate(outputs):
            body += [f"%to{slot}_{i} = arith.muli %t{slot}, %c{out} : index",
                     f"%yp{slot}_{i} = pto.partition_view %yv{i}, offsets = [%c0, %to{slot}_{i}], sizes = [%c1, %c{out}] "
                     f": {view_out} -> {parts[i]}",
                     f"pto.tstore ins(%yt{slot}_{i} : {written[i]}) outs(%yp{slot}_{i} : {parts[i]})"]
        body += [f"pto.set_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID{slot}>]", "}"]
    body.append("}")
    body += [f"pto.wait_flag[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID{slot}>]" for slot in range(slots)]
    arguments = [("x", "!pto.ptr<f16>")] + [(f"y{i}", "!pto.ptr<i8>") for i in range(len(outputs))]
    return module(arch, "copy_stream", "vector", arguments, body)


# ---- products -----------------------------------------------------------------------------------

def matmul(arch, m, k, n, single_m, single_n, base, steps_a, steps_b, blocks, out="f32", n_outer=False,
           m_first=True, dtype="f16", window=0, columns=0, scales=0, scale_places=2, groups=0):
    """C = A B^T of `dtype`; 4-bit and 8-bit floats with e8m0 scales (mx), a 32nd as many: a load takes those of
    `scales` base depths, behind the operand that they belong to and into two places in turn (or one, which the tile before
    must have left), and each move to L0 is followed by that of its scales. `window`: a convolution, A's rows are windows of so many places of a
    feature map in blocks of 16 channels, of which L1 gets the map (NC1HWC0) and not the windows; B is
    in fractals already. Blocks take pieces of single_m x single_n; a piece is worked off in tiles
    base = (m, k, n), loads of `steps` base depths at a time in two slots of L1, two slots of L0,
    one of L0C. `columns`: no pieces, the blocks take the tiles of so many columns of tiles in turn, row by row,
    down the first columns, up the next ones; `groups`: of so many rows of tiles, column by column."""
    bm, bk, bn = base
    turn = max(steps_a, steps_b)
    loads_a, loads_b = turn // steps_a, turn // steps_b
    ka, kb = bk * steps_a, bk * steps_b
    grid_m, grid_n = -(-m // single_m), -(-n // single_n)
    t, size = dtype, TYPES[dtype]
    mx = size < 16
    l1_a = f"!pto.tile_buf<mat, {bm}x{ka}x{t}, blayout=col_major, slayout=row_major>"
    l1_b = f"!pto.tile_buf<mat, {kb}x{bn}x{t}, blayout=row_major, slayout=col_major>"
    l0_a = f"!pto.tile_buf<left, {bm}x{bk}x{t}, {'blayout=col_major, ' if arch == 'a5' else ''}slayout=row_major>"
    l0_b = f"!pto.tile_buf<right, {bk}x{bn}x{t}, slayout=col_major>"
    deep = min(scales * bk, k) // 32  # scales of a row in one load
    l1_sa = f"!pto.tile_buf<mat, {bm}x{deep}xf8E8M0FNU, slayout=row_major, fractal=32>"
    l1_sb = f"!pto.tile_buf<mat, {deep}x{bn}xf8E8M0FNU, blayout=col_major, slayout=col_major, fractal=32>"
    view_s = "!pto.tensor_view<?x?x?x?x?xf8E8M0FNU>"
    cut_s = {"a": f"!pto.partition_tensor_view<1x1x{bm}x{deep // 2}x2xf8E8M0FNU>",
             "b": f"!pto.partition_tensor_view<1x1x{bn}x{deep // 2}x2xf8E8M0FNU>"}
    scale_a = f"!pto.tile_buf<scaling, {bm}x{bk // 32}xf8E8M0FNU, slayout=row_major, fractal=32>"
    scale_b = f"!pto.tile_buf<scaling, {bk // 32}x{bn}xf8E8M0FNU, blayout=col_major, slayout=col_major, fractal=32>"
    l0_c = f"!pto.tile_buf<acc, {bm}x{bn}xf32, blayout=col_major, slayout=row_major, fractal=1024>"
    view, view_c = f"!pto.tensor_view<?x?x{t}>", f"!pto.tensor_view<?x?x{out}>"
    cut_a, cut_b = f"!pto.partition_tensor_view<{bm}x{ka}x{t}>", f"!pto.partition_tensor_view<{kb}x{bn}x{t}>"
    if window:
        places = -(-(bm + 2 * window) // 16) * 16  # of the map under the windows of a tile, in one load
        l1_map = f"!pto.tile_buf<mat, {places}x16x{t}, blayout=col_major, slayout=row_major>"
        l1_k = f"!pto.tile_buf<mat, {bn}x{kb}x{t}, blayout=col_major, slayout=row_major>"
        view5 = f"!pto.tensor_view<?x?x?x?x?x{t}>"
        cut_map = f"!pto.partition_tensor_view<1x1x{places // 16}x16x16x{t}>"
        cut_k = f"!pto.partition_tensor_view<1x{kb // 16}x{bn // 16}x16x16x{t}>"
    cut_c = f"!pto.partition_tensor_view<{bm}x{bn}x{out}>"
    bytes_a, bytes_b = bm * ka * size // 8, kb * bn * size // 8
    turns = k // (bk * turn)
    known = set()

    def c(*numbers):
        fresh = set(numbers) - known
        known.update(fresh)
        return constants(*fresh)

    b = c(0, 1, 2, m, n, k, single_m, single_n, bm, bk, bn, ka, kb, turn, steps_a, steps_b, turns, grid_m,
          grid_n, loads_a, loads_b, turn * bk, single_m // bm, single_n // bn, 3, 4)
    b += [f"%bytes_a = arith.constant {bytes_a} : i64", f"%bytes_b = arith.constant {bytes_b} : i64",
          f"%base_b = arith.constant {2 * bytes_a} : i64", f"%l0a_bytes = arith.constant {bm * bk * size // 8} : i64",
          f"%l0b_bytes = arith.constant {bn * bk * size // 8} : i64", "%zero = arith.constant 0 : i64",
          *([] if window else [
              f"%va = pto.make_tensor_view %a, shape = [%c{m}, %c{k}], strides = [%c{k}, %c1] {{layout = #pto.layout<nd>}} : {view}",
              f"%vb = pto.make_tensor_view %b, shape = [%c{k}, %c{n}], strides = [%c1, %c{k}] {{layout = #pto.layout<dn>}} : {view}"]),
          f"%vc = pto.make_tensor_view %c, shape = [%c{m}, %c{n}], strides = [%c{n}, %c1] {{layout = #pto.layout<nd>}} : {view_c}",
          f"%l0c = pto.alloc_tile addr = %zero : {l0_c}",
          "%block_i64 = pto.get_block_idx", "%block = arith.index_cast %block_i64 : i64 to index"]
    if window:
        boxes = (k // ka * m + 512) // 16
        b += c(16, places // 16, kb // 16, bn // 16, boxes, k // 16, n // 16, 256, 256 * boxes, 16 * n, n * k)
        b += [f"%vmap = pto.make_tensor_view %a, shape = [%c1, %c1, %c{boxes}, %c16, %c16], "
              f"strides = [%c{256 * boxes}, %c{256 * boxes}, %c256, %c16, %c1] {{layout = #pto.layout<nz>}} : {view5}",
              f"%vk = pto.make_tensor_view %b, shape = [%c1, %c{k // 16}, %c{n // 16}, %c16, %c16], "
              f"strides = [%c{n * k}, %c{16 * n}, %c256, %c16, %c1] {{layout = #pto.layout<nz>}} : {view5}"]
    if mx:
        base = 2 * bytes_a + 2 * bytes_b
        b += c(32, 64, bm, bn, k // 32, k // 64, deep // 2, m * k // 32, n * k // 32, deep * 32, bk // 32, -(-k // (deep * 32)), scale_places)
        b += [f"%bytes_sa = arith.constant {bm * deep} : i64", f"%bytes_sb = arith.constant {bn * deep} : i64",
              f"%base_sa = arith.constant {base} : i64", f"%base_sb = arith.constant {base + scale_places * bm * deep} : i64",
              "%sixteen = arith.constant 16 : i64"]
        b += [f"%vs{x} = pto.make_tensor_view %s{x}, shape = [%c1, %c1, %c{rows}, %c{k // 64}, %c2], strides = "
              f"[%c{rows * k // 32}, %c{rows * k // 32}, %c{k // 32}, %c2, %c1] {{layout = #pto.layout<{order}>}} : {view_s}"
              for x, rows, order in (("a", m, "mx_a_nd"), ("b", n, "mx_b_dn"))]
    if m_first:
        b += [f"%mi = arith.remui %block, %c{grid_m} : index", f"%ni = arith.divui %block, %c{grid_m} : index"]
    else:
        b += [f"%mi = arith.divui %block, %c{grid_n} : index", f"%ni = arith.remui %block, %c{grid_n} : index"]
    if groups:
        down, across = m // bm, n // bn
        assert down % groups == 0
        b += c(blocks, groups, groups * across, down * across + blocks - 1)
        b += [f"%ahead = arith.subi %c{down * across + blocks - 1}, %block : index",
              f"%tiles = arith.divui %ahead, %c{blocks} : index"]
    elif columns:
        down, across = m // bm, n // bn
        b += c(blocks, columns, columns * down, down - 1, across, down * across + blocks - 1)
        b += [f"%ahead = arith.subi %c{down * across + blocks - 1}, %block : index",
              f"%tiles = arith.divui %ahead, %c{blocks} : index"]
    else:
        b += [f"%m0 = arith.muli %mi, %c{single_m} : index", f"%n0 = arith.muli %ni, %c{single_n} : index",
              f"%m_left = arith.subi %c{m}, %m0 : index", f"%n_left = arith.subi %c{n}, %n0 : index",
              f"%m_have = arith.divui %m_left, %c{bm} : index", f"%n_have = arith.divui %n_left, %c{bn} : index",
              f"%mt = arith.minui %m_have, %c{single_m // bm} : index", f"%nt = arith.minui %n_have, %c{single_n // bn} : index",
              "%tiles = arith.muli %mt, %nt : index"]
    b += [f"%steps = arith.muli %tiles, %c{turns} : index", "%last = arith.addi %steps, %c1 : index"]
    for i in range(4 + (mx and scale_places == 1)):
        b.append(f"pto.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID{i}>]")
    b += ["pto.set_flag[<PIPE_M>, <PIPE_MTE1>, <EVENT_ID0>]", "pto.set_flag[<PIPE_M>, <PIPE_MTE1>, <EVENT_ID1>]",
          "pto.set_flag[<PIPE_FIX>, <PIPE_M>, <EVENT_ID0>]", "scf.for %turn = %c0 to %last step %c1 {",
          "%loads = arith.cmpi slt, %turn, %steps : index", "scf.if %loads {"]

    def where(step, p):
        """Row and column of the tile of a step, and the depth at which it begins."""
        if groups:
            return [f"%{p}tile = arith.divui {step}, %c{turns} : index", f"%{p}kt = arith.remui {step}, %c{turns} : index",
                    f"%{p}turn = arith.muli %{p}tile, %c{blocks} : index", f"%{p}li = arith.addi %{p}turn, %block : index",
                    f"%{p}group = arith.divui %{p}li, %c{groups * across} : index",
                    f"%{p}at = arith.remui %{p}li, %c{groups * across} : index",
                    f"%{p}top = arith.muli %{p}group, %c{groups} : index", f"%{p}below = arith.remui %{p}at, %c{groups} : index",
                    f"%{p}mi = arith.addi %{p}top, %{p}below : index", f"%{p}ni = arith.divui %{p}at, %c{groups} : index",
                    f"%{p}row = arith.muli %{p}mi, %c{bm} : index", f"%{p}col = arith.muli %{p}ni, %c{bn} : index",
                    f"%{p}k0 = arith.muli %{p}kt, %c{turn * bk} : index"]
        if columns:
            return [f"%{p}tile = arith.divui {step}, %c{turns} : index", f"%{p}kt = arith.remui {step}, %c{turns} : index",
                    f"%{p}turn = arith.muli %{p}tile, %c{blocks} : index", f"%{p}li = arith.addi %{p}turn, %block : index",
                    f"%{p}group = arith.divui %{p}li, %c{columns * down} : index",
                    f"%{p}at = arith.remui %{p}li, %c{columns * down} : index",
                    f"%{p}left = arith.muli %{p}group, %c{columns} : index",
                    f"%{p}rest = arith.subi %c{across}, %{p}left : index",
                    f"%{p}wide = arith.minui %{p}rest, %c{columns} : index",
                    f"%{p}below = arith.divui %{p}at, %{p}wide : index",
                    f"%{p}above = arith.subi %c{down - 1}, %{p}below : index",
                    f"%{p}way = arith.remui %{p}group, %c2 : index", f"%{p}up = arith.cmpi eq, %{p}way, %c1 : index",
                    f"%{p}mi = arith.select %{p}up, %{p}above, %{p}below : index",
                    f"%{p}beside = arith.remui %{p}at, %{p}wide : index",
                    f"%{p}ni = arith.addi %{p}left, %{p}beside : index",
                    f"%{p}row = arith.muli %{p}mi, %c{bm} : index", f"%{p}col = arith.muli %{p}ni, %c{bn} : index",
                    f"%{p}k0 = arith.muli %{p}kt, %c{turn * bk} : index"]
        outer, inner = ("%nt", "%mt") if n_outer else ("%mt", "%nt")
        i, j = (f"%{p}in", f"%{p}out") if n_outer else (f"%{p}out", f"%{p}in")
        inner_count = "%mt" if n_outer else "%nt"
        return [f"%{p}tile = arith.divui {step}, %c{turns} : index",
                f"%{p}kt = arith.remui {step}, %c{turns} : index",
                f"%{p}out = arith.divui %{p}tile, {inner_count} : index",
                f"%{p}in = arith.remui %{p}tile, {inner_count} : index",
                f"%{p}mo = arith.muli {i}, %c{bm} : index", f"%{p}row = arith.addi %m0, %{p}mo : index",
                f"%{p}no = arith.muli {j}, %c{bn} : index", f"%{p}col = arith.addi %n0, %{p}no : index",
                f"%{p}k0 = arith.muli %{p}kt, %c{turn * bk} : index"]

    def scale_place(step, p):
        """In which of the two places of scales those of a step are, and whether they begin there."""
        return [f"%{p}sk = arith.divui %{p}k0, %c{deep * 32} : index", f"%{p}before = arith.muli %{p}tile, %c{-(-k // (deep * 32))} : index",
                f"%{p}nth = arith.addi %{p}before, %{p}sk : index", f"%{p}ss = arith.remui %{p}nth, %c{scale_places} : index",
                f"%{p}ss64 = arith.index_cast %{p}ss : index to i64",
                f"%{p}sin = arith.remui %{p}k0, %c{deep * 32} : index", f"%{p}snew = arith.cmpi eq, %{p}sin, %c0 : index",
                *(f"%{p}s{x}{w} = {op}" for x in "ab" for w, op in (
                    ("off", f"arith.muli %{p}ss64, %bytes_s{x} : i64"), ("at", f"arith.addi %{p}s{x}off, %base_s{x} : i64")))]

    def scales_of(what, p, row, rows, kind):
        if not mx or p[1:] != "0":
            return []
        left = ["pto.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID4>]"] if scale_places == 1 and what == "a" else []
        return ["scf.if %lsnew {", *left, f"%{p}sk = arith.divui %lk0, %c64 : index",
                f"%{p}sp = pto.partition_view %vs{what}, offsets = [%c0, %c0, {row}, %{p}sk, %c0], "
                f"sizes = [%c1, %c1, %c{rows}, %c{deep // 2}, %c2] : {view_s} -> {cut_s[what]}",
                f"%{p}st = pto.alloc_tile addr = %ls{what}at : {kind}",
                f"pto.tload ins(%{p}sp : {cut_s[what]}) outs(%{p}st : {kind})", "}"]

    b += where("%turn", "l")
    b += scale_place("%turn", "l") if mx else []
    for loads, what, depth in ((loads_a, "a", ka), (loads_b, "b", kb)):
        for i in range(loads):
            p = f"{what}{i}"
            b += [f"%{p}n = arith.muli %turn, %c{loads} : index",
                  f"%{p}i = arith.constant {i} : index", f"%{p}q = arith.addi %{p}n, %{p}i : index",
                  f"%{p}s = arith.remui %{p}q, %c2 : index",
                  f"%{p}s64 = arith.index_cast %{p}s : index to i64",
                  f"%{p}off = arith.muli %{p}s64, %bytes_{what} : i64",
                  f"%{p}d = arith.constant {i * depth} : index", f"%{p}k = arith.addi %lk0, %{p}d : index"]
            if what == "a":
                if window:  # 16 channels of the places that the windows of the tile cover
                    b += [f"%{p}t = pto.alloc_tile addr = %{p}off : {l1_map}",
                          f"%{p}ch = arith.divui %{p}k, %c{ka} : index", f"%{p}first = arith.muli %{p}ch, %c{m} : index",
                          f"%{p}place = arith.addi %{p}first, %lrow : index",
                          f"%{p}box = arith.divui %{p}place, %c16 : index",
                          f"%{p}p = pto.partition_view %vmap, offsets = [%c0, %c0, %{p}box, %c0, %c0], "
                          f"sizes = [%c1, %c1, %c{places // 16}, %c16, %c16] : {view5} -> {cut_map}",
                          f"pto.wait_flag_dyn[<PIPE_MTE1>, <PIPE_MTE2>, %{p}s]",
                          f"pto.tload ins(%{p}p : {cut_map}) outs(%{p}t : {l1_map})",
                          f"pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_MTE1>, %{p}s]"]
                    continue
                b += [f"%{p}t = pto.alloc_tile addr = %{p}off : {l1_a}",
                      f"%{p}p = pto.partition_view %va, offsets = [%lrow, %{p}k], sizes = [%c{bm}, %c{ka}] : {view} -> {cut_a}",
                      f"pto.wait_flag_dyn[<PIPE_MTE1>, <PIPE_MTE2>, %{p}s]",
                      f"pto.tload ins(%{p}p : {cut_a}) outs(%{p}t : {l1_a})",
                      *scales_of("a", p, "%lrow", bm, l1_sa),
                      f"pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_MTE1>, %{p}s]"]
            else:
                if window:
                    b += [f"%{p}at = arith.addi %{p}off, %base_b : i64", f"%{p}t = pto.alloc_tile addr = %{p}at : {l1_k}",
                          f"%{p}e = arith.addi %{p}s, %c2 : index", f"%{p}kbox = arith.divui %{p}k, %c16 : index",
                          f"%{p}nbox = arith.divui %lcol, %c16 : index",
                          f"%{p}p = pto.partition_view %vk, offsets = [%c0, %{p}kbox, %{p}nbox, %c0, %c0], "
                          f"sizes = [%c1, %c{kb // 16}, %c{bn // 16}, %c16, %c16] : {view5} -> {cut_k}",
                          f"pto.wait_flag_dyn[<PIPE_MTE1>, <PIPE_MTE2>, %{p}e]",
                          f"pto.tload ins(%{p}p : {cut_k}) outs(%{p}t : {l1_k})",
                          f"pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_MTE1>, %{p}e]"]
                    continue
                b += [f"%{p}at = arith.addi %{p}off, %base_b : i64", f"%{p}t = pto.alloc_tile addr = %{p}at : {l1_b}",
                      f"%{p}e = arith.addi %{p}s, %c2 : index",
                      f"%{p}p = pto.partition_view %vb, offsets = [%{p}k, %lcol], sizes = [%c{kb}, %c{bn}] : {view} -> {cut_b}",
                      f"pto.wait_flag_dyn[<PIPE_MTE1>, <PIPE_MTE2>, %{p}e]",
                      f"pto.tload ins(%{p}p : {cut_b}) outs(%{p}t : {l1_b})",
                      *scales_of("b", p, "%lcol", bn, l1_sb),
                      f"pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_MTE1>, %{p}e]"]
    b += ["}", "%multiplies = arith.cmpi sgt, %turn, %c0 : index", "scf.if %multiplies {",
          "%step = arith.subi %turn, %c1 : index"]
    b += where("%step", "m")
    b += scale_place("%step", "m") if mx else []
    b += ["%is_first = arith.cmpi eq, %mkt, %c0 : index", "scf.if %is_first {",
          "pto.wait_flag[<PIPE_FIX>, <PIPE_M>, <EVENT_ID0>]", "}"]
    b.append(f"scf.for %sub = %c0 to %c{turn} step %c1 {{")
    for what, loads, steps in (("a", loads_a, steps_a), ("b", loads_b, steps_b)):
        b += [f"%x{what}n = arith.muli %step, %c{loads} : index", f"%x{what}i = arith.divui %sub, %c{steps} : index",
              f"%x{what}q = arith.addi %x{what}n, %x{what}i : index", f"%x{what}s = arith.remui %x{what}q, %c2 : index",
              f"%x{what}s64 = arith.index_cast %x{what}s : index to i64",
              f"%x{what}off = arith.muli %x{what}s64, %bytes_{what} : i64",
              f"%x{what}w = arith.remui %sub, %c{steps} : index", f"%x{what}k = arith.muli %x{what}w, %c{bk} : index",
              f"%x{what}new = arith.cmpi eq, %x{what}w, %c0 : index"]
    def scale_moves(what, kind, source, at):
        if not mx:
            return []
        first = [f"%xsub = arith.muli %sub, %c{bk // 32} : index", f"%xskd = arith.divui %msin, %c32 : index",
                 "%xsk = arith.addi %xsub, %xskd : index"] if what == "a" else []
        return first + [f"%xs{what}t = pto.alloc_tile addr = %ms{what}at : {source}",
                        f"%s{what}_at = arith.divui %l0{what}a, %sixteen : i64",
                        f"%s{what}0 = pto.alloc_tile addr = %s{what}_at : {kind}",
                        f"pto.textract ins(%xs{what}t, {at[0]}, {at[1]} : {source}, index, index) outs(%s{what}0 : {kind})"]

    b += ["%xbat = arith.addi %xboff, %base_b : i64", "%xbe = arith.addi %xbs, %c2 : index",
          f"%xat = pto.alloc_tile addr = %xaoff : {l1_a}", f"%xbt = pto.alloc_tile addr = %xbat : {l1_b}",
          f"%gone = arith.muli %step, %c{turn} : index", "%count = arith.addi %gone, %sub : index",
          "%l0s = arith.remui %count, %c2 : index", "%l0s64 = arith.index_cast %l0s : index to i64",
          "%l0aa = arith.muli %l0s64, %l0a_bytes : i64", "%l0ba = arith.muli %l0s64, %l0b_bytes : i64",
          f"%l0a = pto.alloc_tile addr = %l0aa : {l0_a}", f"%l0b = pto.alloc_tile addr = %l0ba : {l0_b}",
          "scf.if %xanew {", "pto.wait_flag_dyn[<PIPE_MTE2>, <PIPE_MTE1>, %xas]", "}",
          "scf.if %xbnew {", "pto.wait_flag_dyn[<PIPE_MTE2>, <PIPE_MTE1>, %xbe]", "}",
          "pto.wait_flag_dyn[<PIPE_M>, <PIPE_MTE1>, %l0s]",
          f"pto.textract ins(%xat, %c0, %xak : {l1_a}, index, index) outs(%l0a : {l0_a})",
          *scale_moves("a", scale_a, l1_sa, ("%c0", "%xsk")),
          f"pto.textract ins(%xbt, %xbk, %c0 : {l1_b}, index, index) outs(%l0b : {l0_b})",
          *scale_moves("b", scale_b, l1_sb, ("%xsk", "%c0")),
          "pto.set_flag_dyn[<PIPE_MTE1>, <PIPE_M>, %l0s]"]
    for what, steps, event in (("a", steps_a, "%xas"), ("b", steps_b, "%xbe")):
        b += [f"%x{what}end = arith.constant {steps - 1} : index",
              f"%x{what}last = arith.cmpi eq, %x{what}w, %x{what}end : index", f"scf.if %x{what}last {{",
              f"pto.set_flag_dyn[<PIPE_MTE1>, <PIPE_MTE2>, {event}]", "}"]
    b += ["pto.wait_flag_dyn[<PIPE_MTE1>, <PIPE_M>, %l0s]", "%sub0 = arith.cmpi eq, %sub, %c0 : index",
          "%starts = arith.andi %is_first, %sub0 : i1", "scf.if %starts {",
          f"pto.tmatmul.mx ins(%l0a, %sa0, %l0b, %sb0 : {l0_a}, {scale_a}, {l0_b}, {scale_b}) outs(%l0c : {l0_c})" if mx else
          f"pto.tmatmul ins(%l0a, %l0b : {l0_a}, {l0_b}) outs(%l0c : {l0_c})", "} else {",
          f"pto.tmatmul.mx.acc ins(%l0c, %l0a, %sa0, %l0b, %sb0 : {l0_c}, {l0_a}, {scale_a}, {l0_b}, {scale_b}) "
          f"outs(%l0c : {l0_c})" if mx else
          f"pto.tmatmul.acc ins(%l0c, %l0a, %l0b : {l0_c}, {l0_a}, {l0_b}) outs(%l0c : {l0_c})", "}",
          "pto.set_flag_dyn[<PIPE_M>, <PIPE_MTE1>, %l0s]", "}",
          f"%end_k = arith.constant {turns - 1} : index", "%is_last = arith.cmpi eq, %mkt, %end_k : index",
          "scf.if %is_last {",
          *(["pto.set_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID4>]"] if mx and scale_places == 1 else []),
          f"%cp = pto.partition_view %vc, offsets = [%mrow, %mcol], sizes = [%c{bm}, %c{bn}] : {view_c} -> {cut_c}",
          "pto.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]", "pto.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]",
          f"pto.tstore ins(%l0c : {l0_c}) outs(%cp : {cut_c})",
          "pto.set_flag[<PIPE_FIX>, <PIPE_M>, <EVENT_ID0>]", "}", "}", "}"]
    for i in range(4 + (mx and scale_places == 1)):
        b.append(f"pto.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>, <EVENT_ID{i}>]")
    b += ["pto.wait_flag[<PIPE_M>, <PIPE_MTE1>, <EVENT_ID0>]", "pto.wait_flag[<PIPE_M>, <PIPE_MTE1>, <EVENT_ID1>]",
          "pto.wait_flag[<PIPE_FIX>, <PIPE_M>, <EVENT_ID0>]"]
    arguments = [("a", t), ("b", t), ("c", out)] + [("sa", "f8E8M0FNU"), ("sb", "f8E8M0FNU")] * mx
    return module(arch, "matmul", "cube", [(name, f"!pto.ptr<{kind}>") for name, kind in arguments], b)


# ---- single steps of the matrix pipeline ---------------------------------------------------------

def mat(rows, cols, order="a", dtype="f16"):
    layouts = "blayout=col_major, slayout=row_major" if order == "a" else "blayout=row_major, slayout=col_major"
    return f"!pto.tile_buf<mat, {rows}x{cols}x{dtype}, {layouts}>"


def left(arch, m, k):
    return f"!pto.tile_buf<left, {m}x{k}xf16, {'blayout=col_major, ' if arch == 'a5' else ''}slayout=row_major>"


def right(k, n):
    return f"!pto.tile_buf<right, {k}x{n}xf16, slayout=col_major>"


def accumulator(m, n):
    return f"!pto.tile_buf<acc, {m}x{n}xf32, blayout=col_major, slayout=row_major, fractal=1024>"


def tiles_at(*pairs):
    lines = []
    for name, kind, address in pairs:
        lines += [f"%{name}_at = arith.constant {address} : i64", f"%{name} = pto.alloc_tile addr = %{name}_at : {kind}"]
    return lines


def products(arch, m, k, n, alone, times=8):
    """Products into one accumulator, each after the one before has ended, or in a stream."""
    a, b, c = left(arch, m, k), right(k, n), accumulator(m, n)
    body = tiles_at(("a", a, 0), ("b", b, 0), ("c", c, 0))
    body.append(f"pto.tmatmul ins(%a, %b : {a}, {b}) outs(%c : {c})")
    for _ in range(times):
        if alone:
            body.append("pto.barrier <PIPE_M>")
        body.append(f"pto.tmatmul.acc ins(%c, %a, %b : {c}, {a}, {b}) outs(%c : {c})")
    return module(arch, "products", "cube", [("x", "!pto.ptr<f16>")], body)


def operand_moves(arch, m, k, n, times=4):
    """Moves of A and B from L1 to L0, in turn."""
    la, lb, a, b = mat(m, k), mat(k, n, "b"), left(arch, m, k), right(k, n)
    body = constants(0) + tiles_at(("la", la, 0), ("lb", lb, m * k * 2), ("a", a, 0), ("b", b, 0))
    body += [f"pto.textract ins(%la, %c0, %c0 : {la}, index, index) outs(%a : {a})",
             f"pto.textract ins(%lb, %c0, %c0 : {lb}, index, index) outs(%b : {b})"] * times
    return module(arch, "operand_moves", "cube", [("x", "!pto.ptr<f16>")], body)


def one_core_copies(arch, kind, shapes, write=False):
    """Copies between global memory and UB ("vec"), or loads into L1 with conversion ("mat"), of rows of
    a matrix of 8192 columns; a barrier at the end."""
    unit = "vector" if kind == "vec" else "cube"
    pipe = "PIPE_MTE3" if write else "PIPE_MTE2"
    view = "!pto.tensor_view<?x?xf16>"
    body = constants(0, 1, 8192, *(x for shape in shapes for x in shape))
    body += [f"%view = pto.make_tensor_view %x, shape = [%c8192, %c8192], strides = [%c8192, %c1] "
             f"{{layout = #pto.layout<nd>}} : {view}"]
    row = 0
    for i, (rows, cols) in enumerate(shapes):
        tile = f"!pto.tile_buf<vec, {rows}x{cols}xf16>" if kind == "vec" else mat(rows, cols)
        cut = f"!pto.partition_tensor_view<{rows}x{cols}xf16>"
        body += tiles_at((f"t{i}", tile, 0))
        body += [f"%row{i} = arith.constant {row} : index",
                 f"%part{i} = pto.partition_view %view, offsets = [%row{i}, %c0], sizes = [%c{rows}, %c{cols}] : {view} -> {cut}",
                 f"pto.tstore ins(%t{i} : {tile}) outs(%part{i} : {cut})" if write else
                 f"pto.tload ins(%part{i} : {cut}) outs(%t{i} : {tile})"]
        row += rows
    body.append(f"pto.barrier <{pipe}>")
    # Nothing but an end to the barrier.
    tile = "!pto.tile_buf<vec, 1x64xf16>" if kind == "vec" else mat(16, 16)
    rows, cols = (1, 64) if kind == "vec" else (16, 16)
    cut = f"!pto.partition_tensor_view<{rows}x{cols}xf16>"
    body += tiles_at(("end", tile, 0))
    body += [f"%n_rows = arith.constant {rows} : index", f"%n_cols = arith.constant {cols} : index",
             f"%part_end = pto.partition_view %view, offsets = [%c0, %c0], sizes = [%n_rows, %n_cols] : {view} -> {cut}",
             f"pto.tstore ins(%end : {tile}) outs(%part_end : {cut})" if write else
             f"pto.tload ins(%part_end : {cut}) outs(%end : {tile})"]
    return module(arch, "one_core_copies", unit, [("x", "!pto.ptr<f16>")], body)


def results_out(arch, m, n, out, times=4):
    """Every core writes accumulators to places of its own."""
    c, view, cut = accumulator(m, n), f"!pto.tensor_view<?x?x{out}>", f"!pto.partition_tensor_view<{m}x{n}x{out}>"
    body = constants(0, 1, 8192, m, n) + tiles_at(("c", c, 0))
    body += [f"%view = pto.make_tensor_view %x, shape = [%c8192, %c8192], strides = [%c8192, %c1] "
             f"{{layout = #pto.layout<nd>}} : {view}",
             "%block_i64 = pto.get_block_idx", "%block = arith.index_cast %block_i64 : i64 to index",
             f"%row = arith.muli %block, %c{m} : index"]
    for i in range(times):
        body += [f"%col{i} = arith.constant {i * n} : index",
                 f"%part{i} = pto.partition_view %view, offsets = [%row, %col{i}], sizes = [%c{m}, %c{n}] : {view} -> {cut}",
                 f"pto.tstore ins(%c : {c}) outs(%part{i} : {cut})"]
    return module(arch, "results_out", "cube", [("x", f"!pto.ptr<{out}>")], body)


def nothing(arch):
    return module(arch, "nothing", "vector", [("x", "!pto.ptr<f16>")], [])


# ---- top-k ------------------------------------------------------------------------------------------

def top_k(arch, rows, cols, pitch, k, blocks):
    """The k largest of each row of f32, and where they were: rows are sorted in runs of 32 with their places behind
    them, four runs merged into one as long as four are there, the two that are left merged, and the numbers taken
    apart from the places. Each core takes rows two by two, in two slots in turn; instructions of V wait for each
    other."""
    pairs = 2 * cols
    t = {"two": f"!pto.tile_buf<vec, 2x{cols}xf32>", "row": f"!pto.tile_buf<vec, 1x{cols}xf32>",
         "places": f"!pto.tile_buf<vec, 1x{cols}xui32>", "pairs": f"!pto.tile_buf<vec, 1x{pairs}xf32>",
         "half": f"!pto.tile_buf<vec, 1x{pairs // 2}xf32>", "best": f"!pto.tile_buf<vec, 1x{2 * k}xf32>",
         "best places": f"!pto.tile_buf<vec, 1x{2 * k}xui32>", "out": f"!pto.tile_buf<vec, 1x{k}xf32>",
         "out places": f"!pto.tile_buf<vec, 1x{k}xui32>", "outs": f"!pto.tile_buf<vec, 2x{k}xf32>",
         "outs places": f"!pto.tile_buf<vec, 2x{k}xui32>"}
    each = rows // blocks
    body = constants(0, 1, 2, 4, rows, cols, pitch, k, each) + [f"%run{n} = arith.constant {n} : i32" for n in (64, 256)] + \
        ["%done = arith.constant dense<0> : vector<4xi16>"]
    names = {}

    def tile(kind, address):
        if (kind, address) not in names:
            names[kind, address] = name = f"%t{len(names)}"
            body.extend([f"{name}_at = arith.constant {address} : i64", f"{name} = pto.alloc_tile addr = {name}_at : {t[kind]}"])
        return names[kind, address], t[kind]

    def op(name, ins, outs, attributes="", after=True):
        steps.append(f"pto.{name} ins({', '.join(v for v, _ in ins)}{attributes} : {', '.join(kind for _, kind in ins)}) "
                     f"outs({', '.join(v for v, _ in outs)} : {', '.join(kind for _, kind in outs)})")
        if after:
            steps.append("pto.barrier <PIPE_V>")

    def flag(how, source, to, event):
        steps.append(f"pto.{how}_flag[<PIPE_{source}>, <PIPE_{to}>, <EVENT_ID{event}>]")

    long, row = pairs * 4, cols * 4
    index, spare = 8 * long, (8 * long + row, 8 * long + 3 * row)
    results, sources = 8 * long + 5 * row, 8 * long + 5 * row + 16 * k
    sources += -sources % 32
    steps = []
    for slot in range(2):
        sorted_at, merged, source = slot * 2 * long, (4 + 2 * slot) * long, sources + slot * 2 * row
        numbers, places = results + slot * 8 * k, results + 16 * k + slot * 8 * k
        views = [("x", "f32", pitch, cols, "f32"), ("y", "f32", k, k, "f32"), ("z", "ui32", k, k, "ui32")]
        steps += [f"%first{slot} = arith.constant {2 * slot} : index", f"%down{slot} = arith.addi %i, %first{slot} : index",
                  f"%row{slot} = arith.addi %begin, %down{slot} : index"]
        steps += [f"%{x}p{slot} = pto.partition_view %{x}v, offsets = [%row{slot}, %c0], sizes = [%c2, %c{wide}] : "
                  f"!pto.tensor_view<?x?x{kind}> -> !pto.partition_tensor_view<2x{wide}x{kind}>" for x, kind, _, wide, _ in views]
        flag("wait", "V", "MTE2", slot)
        op("tload", [(f"%xp{slot}", f"!pto.partition_tensor_view<2x{cols}xf32>")], [tile("two", source)], after=False)
        flag("set", "MTE2", "V", slot)
        flag("wait", "MTE2", "V", slot)
        for i in range(2):
            op("tsort32", [tile("row", source + i * row), tile("places", index)], [tile("pairs", sorted_at + i * long)])
        flag("set", "V", "MTE2", slot)
        for i in range(2):
            at, temporary = sorted_at + i * long, spare[slot]
            for run in (64, 256):
                op("tmrgsort", [tile("pairs", at), (f"%run{run}", "i32")], [tile("pairs", temporary)])
                op("tmov", [tile("pairs", temporary)], [tile("pairs", at)])
            op("tmrgsort", [tile("half", at), tile("half", at + long // 2), tile("pairs", temporary)],
               [tile("pairs", at), ("%done", "vector<4xi16>")], " {exhausted = false}")
            op("tmov", [tile("best", at)], [tile("best", merged + i * long)])
        for what, source_kind, kind, base, pattern, event in (("out", "best", "outs", numbers, "P0101", slot),
                                                              ("out places", "best places", "outs places", places, "P1010", slot + 2)):
            for i in range(2):
                op("tgather", [tile(source_kind, merged + i * long)], [tile(what, base + i * 4 * k)],
                   f", {{maskPattern = #pto.mask_pattern<{pattern}>}}", after=False)
            flag("set", "V", "MTE3", event)
            steps.append("pto.barrier <PIPE_V>")
        for x, kind, base, element, event in (("y", "outs", numbers, "f32", slot), ("z", "outs places", places, "ui32", slot + 2)):
            flag("wait", "V", "MTE3", event)
            op("tstore", [tile(kind, base)], [(f"%{x}p{slot}", f"!pto.partition_tensor_view<2x{k}x{element}>")], after=False)
    where = ["%block_i64 = pto.get_block_idx", "%block = arith.index_cast %block_i64 : i64 to index",
             f"%begin = arith.muli %block, %c{each} : index"]
    where += [f"%{x}v = pto.make_tensor_view %{x}, shape = [%c{rows}, %c{wide}], strides = [%c{wide}, %c1] "
              f"{{layout = #pto.layout<nd>}} : !pto.tensor_view<?x?x{kind}>"
              for x, kind, wide in (("x", "f32", pitch), ("y", "f32", k), ("z", "ui32", k))]
    where += [f"%iv = pto.make_tensor_view %n, shape = [%c1, %c{cols}], strides = [%c{cols}, %c1] {{layout = #pto.layout<nd>}} : "
              "!pto.tensor_view<?x?xui32>",
              f"%ip = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%c1, %c{cols}] : !pto.tensor_view<?x?xui32> -> "
              f"!pto.partition_tensor_view<1x{cols}xui32>",
              "pto.tload ins(%ip : !pto.partition_tensor_view<1x{0}xui32>) outs({1[0]} : {1[1]})".format(cols, tile("places", index)),
              "pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]", "pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID1>]"]
    body += where + [f"scf.for %i = %c0 to %c{each} step %c4 {{", *steps, "}",
                     "pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]", "pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID1>]"]
    text = module(arch, "top_k", "vector", [("x", "!pto.ptr<f32>"), ("n", "!pto.ptr<ui32>"), ("y", "!pto.ptr<f32>"),
                                            ("z", "!pto.ptr<ui32>")], body)
    return text, [f"zeros={rows}x{pitch}xf32", f"zeros=1x{cols}xui32", f"zeros={rows}x{k}xf32", f"zeros={rows}x{k}xui32"], blocks


# ---- hand-offs between the cores of a cluster ------------------------------------------------------

def hand_offs(arch, direction, how, times, blocks):
    """A tile of 128 x 128 f16 from the AIC to its AIVs ("c2v") or back ("v2c"), half of the rows for each AIV, `times`
    over through global memory: by flags of the kernel's own and one place ("flags"), by pushing and popping tiles
    through a ring of two slots, which has f32 from the AIC ("tiles"), or by taking, filling and giving back such slots
    ("slots"). All pipes of a core wait for each other after each step, but where a FIFO moves the tile. What the AIVs
    send is the sum of two tiles of f16 that they read."""
    flags, tiles, up = how == "flags", how == "tiles", direction == "v2c"
    slot = 128 * 128 * (4 if tiles and not up else 2)
    t = "f32" if tiles and not up else "f16"
    acc, in_l1 = "!pto.tile_buf<acc, 128x128xf32, blayout=col_major, slayout=row_major, fractal=1024>", mat(128, 128)
    half, view = f"!pto.tile_buf<vec, 64x128x{t}>", "!pto.tensor_view<?x?xf16>"
    cut = {rows: f"!pto.partition_tensor_view<{rows}x128xf16>" for rows in (64, 128)}
    whole = {rows: f"!pto.tensor_view<{rows}x128xf16>" for rows in (64, 128)}
    rows = 128 * blocks
    ring = 2 * slot // (4 if t == "f32" else 2)
    body = constants(0, 1, 64, 128, rows, times, ring, rows * times) + [
        "%zero = arith.constant 0 : i32", "%b0 = arith.constant 0 : i64", "%b16 = arith.constant 16384 : i64",
        "%block_i64 = pto.get_block_idx", "%block = arith.index_cast %block_i64 : i64 to index",
        "%row = arith.muli %block, %c128 : index", f"%ring_at = arith.muli %block, %c{ring} : index",
        f"%ring = pto.addptr %r, %ring_at : !pto.ptr<{t}> -> !pto.ptr<{t}>",
        f"%c = pto.alloc_tile addr = %b0 : {acc}", f"%l = pto.alloc_tile addr = %b0 : {in_l1}"]
    body += [f"%v = pto.alloc_tile addr = %b0 : {half}"] if up or not tiles else []
    if flags:
        body += [f"%space = pto.make_tensor_view %r, shape = [%c{rows}, %c128], strides = [%c128, %c1] : {view}",
                 f"%place = pto.partition_view %space, offsets = [%row, %c0], sizes = [%c128, %c128] : {view} -> {cut[128]}"]
    barrier = "pto.barrier <PIPE_ALL>"
    fifo = (f"{{dir_mask = {2 if up else 1}, slot_size = {slot}, slot_num = 2}} (gm_slot_buffer = %ring : !pto.ptr<{t}>, "
            "c2v_consumer_buf = %zero : i32, v2c_consumer_buf = %zero : i32)")
    loop, first = f"scf.for %i = %c0 to %c{times} step %c1 {{", "%again = arith.cmpi sgt, %i, %c0 : index"
    to, of = ("aic", "aiv") if up else ("aiv", "aic")

    def pushed(size, tile, kind):
        """A slot of so many rows that is taken, filled and given on."""
        return [f"%slot = pto.talloc_to_{to} {{split = 1}} -> {whole[size]}",
                f"%part = pto.partition_view %slot, offsets = [%c0, %c0], sizes = [%c{size}, %c128] : {whole[size]} -> {cut[size]}",
                f"pto.tstore ins({tile} : {kind}) outs(%part : {cut[size]})", barrier,
                f"pto.tpush_to_{to}(%slot : {whole[size]}) {{split = 1}}"]

    def popped(size, tile, kind):
        """One that is taken, read and given back: an AIC takes both halves."""
        split = 0 if up else 1
        return [f"%slot = pto.tpop_from_{of} {{split = {split}}} -> {whole[size]}",
                f"%part = pto.partition_view %slot, offsets = [%c0, %c0], sizes = [%c{size}, %c128] : {whole[size]} -> {cut[size]}",
                f"pto.tload ins(%part : {cut[size]}) outs({tile} : {kind})", barrier,
                f"pto.tfree_from_{of} {{split = {split}}}"]

    body.append("pto.section.cube {")
    if not flags:
        body.append("pto.aic_initialize_pipe " + fifo)
    if not up:
        a, b = left(arch, 128, 128), right(128, 128)
        body += [f"%a = pto.alloc_tile addr = %b0 : {a}", f"%b = pto.alloc_tile addr = %b0 : {b}",
                 f"pto.tmatmul ins(%a, %b : {a}, {b}) outs(%c : {acc})", barrier]
    body.append(loop)
    if flags and up:
        body += ["pto.sync.wait <PIPE_MTE2>, 1", f"pto.tload ins(%place : {cut[128]}) outs(%l : {in_l1})",
                 "pto.sync.set <PIPE_MTE2>, 0 {ffts_mode = 2 : i32}", "pto.barrier <PIPE_MTE2>"]
    elif flags:
        body += [first, "scf.if %again {", "pto.sync.wait <PIPE_FIX>, 1", barrier, "}",
                 f"pto.tstore ins(%c : {acc}) outs(%place : {cut[128]})", barrier,
                 "pto.sync.set <PIPE_FIX>, 0 {ffts_mode = 2 : i32}"]
    elif tiles and up:
        body += [f"%got = pto.tpop_from_aiv {{split = 1}} -> {in_l1}", "pto.tfree_from_aiv {split = 1}", barrier]
    elif tiles:
        body.append(f"pto.tpush_to_aiv(%c : {acc}) {{split = 1}}")
    else:
        body += popped(128, "%l", in_l1) if up else pushed(128, "%c", acc)
    body += ["}", "}", "pto.section.vector {", "%sub_i64 = pto.get_subblock_idx",
             "%sub = arith.index_cast %sub_i64 : i64 to index", "%down = arith.muli %sub, %c64 : index",
             "%my_row = arith.addi %row, %down : index"]
    if flags:
        body.append(f"%mine = pto.partition_view %space, offsets = [%my_row, %c0], sizes = [%c64, %c128] : {view} -> {cut[64]}")
    else:
        body.append("pto.aiv_initialize_pipe " + fifo)
    if up:
        body += [f"%{x}s = pto.make_tensor_view %{x}, shape = [%c{rows * times}, %c128], strides = [%c128, %c1] : {view}" for x in "xy"]
        body.append(f"%w = pto.alloc_tile addr = %b16 : {half}")
    body.append(loop)
    if up:
        body += [f"%turn = arith.muli %i, %c{rows} : index", "%from = arith.addi %turn, %my_row : index"]
        for x, tile in (("x", "%v"), ("y", "%w")):
            body += [f"%{x}p = pto.partition_view %{x}s, offsets = [%from, %c0], sizes = [%c64, %c128] : {view} -> {cut[64]}",
                     f"pto.tload ins(%{x}p : {cut[64]}) outs({tile} : {half})"]
        body += [barrier, f"pto.tadd ins(%v, %w : {half}, {half}) outs(%v : {half})", barrier]
    if flags and up:
        body += [first, "scf.if %again {", "pto.sync.wait <PIPE_MTE3>, 0", barrier, "}",
                 f"pto.tstore ins(%v : {half}) outs(%mine : {cut[64]})", barrier, "pto.sync.set <PIPE_MTE3>, 1 {ffts_mode = 2 : i32}"]
    elif flags:
        body += ["pto.sync.wait <PIPE_MTE2>, 0", barrier, f"pto.tload ins(%mine : {cut[64]}) outs(%v : {half})", barrier,
                 "pto.sync.set <PIPE_MTE3>, 1 {ffts_mode = 2 : i32}"]
    elif tiles and up:
        body.append(f"pto.tpush_to_aic(%v : {half}) {{split = 1}}")
    elif tiles:
        body += [f"%got = pto.tpop_from_aic {{split = 1}} -> {half}", "pto.tfree_from_aic {split = 1}"]
    else:
        body += pushed(64, "%v", half) if up else popped(64, "%v", half)
    body += ["}", "}"]
    text = module(arch, "hand_offs", "vector", [("x", "!pto.ptr<f16>"), ("y", "!pto.ptr<f16>"), ("r", f"!pto.ptr<{t}>")], body)
    sums = rows * times if up else 1
    return text.replace(", pto.kernel_kind = #pto.kernel_kind<vector>", ""), \
        [f"zeros={sums}x128xf16"] * 2 + [f"zeros={2 * rows}x128x{t}"], blocks


def direct_hand_offs(direction, times, blocks):
    """On a5, without global memory: 128 x 128 f32 from L0C into the UBs of both AIVs, half of the rows each ("c2v"), or
    64 x 128 f16 from each UB to L1 ("v2c"), `times` over; who takes it only says so."""
    up = direction == "v2c"
    acc = "!pto.tile_buf<acc, 128x128xf32, blayout=col_major, slayout=row_major, fractal=1024>"
    half, nz = "!pto.tile_buf<vec, 64x128xf32>", "!pto.tile_buf<vec, 64x128xf16, blayout=col_major, slayout=row_major>"
    body = constants(0, 1, times) + ["%b0 = arith.constant 0 : i64", "%one = arith.constant 1 : i32"]
    loop, again = f"scf.for %i = %c0 to %c{times} step %c1 {{", "%again = arith.cmpi sgt, %i, %c0 : index"

    def both(how, pipe, flag):
        """Of the AIC: its two AIVs have flags of their own."""
        return [f"pto.{how}_intra_block <PIPE_{pipe}>, {flag + apart}" for apart in (0, 16)]

    ready, free = (2, 3) if up else (0, 1)
    body.append("pto.section.cube {")
    if not up:
        a, b = left("a5", 128, 128), right(128, 128)
        body += tiles_at(("a", a, 0), ("b", b, 0), ("c", acc, 0), ("u", half, 0)) + [
            f"pto.tmatmul ins(%a, %b : {a}, {b}) outs(%c : {acc})", "pto.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]",
            "pto.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]"]
    body.append(loop)
    body += [*both("wait", "MTE1", ready), *both("set", "MTE1", free)] if up else [
        again, "scf.if %again {", *both("wait", "FIX", free), "}",
        f"pto.tmov ins(%c : {acc}) outs(%u : {half}) {{accToVecMode = #pto<acc_to_vec_mode dual_mode_split_m>}}",
        "pto.barrier <PIPE_ALL>", *both("set", "FIX", ready)]
    body += ["}", *([] if up else both("wait", "FIX", free)), "}", "pto.section.vector {"]
    if up:
        l1 = mat(128, 128)
        body += tiles_at(("n", nz, 0), ("l", l1, 0)) + [
            "%sub_i64 = pto.get_subblock_idx", "%sub = arith.index_cast %sub_i64 : i64 to index", "%c64 = arith.constant 64 : index",
            "%row = arith.muli %sub, %c64 : index"]
    body.append(loop)
    body += [again, "scf.if %again {", f"pto.wait_intra_block <PIPE_MTE3>, {free}", "}",
             f"pto.tinsert ins(%n, %row, %c0 : {nz}, index, index) outs(%l : {l1})",
             f"pto.set_intra_block <PIPE_MTE3>, {ready}"] if up else [f"pto.wait_intra_block <PIPE_V>, {ready}", f"pto.set_intra_block <PIPE_V>, {free}"]
    body += ["}", *([f"pto.wait_intra_block <PIPE_MTE3>, {free}"] if up else []), "}"]
    text = module("a5", "direct_hand_offs", "vector", [("x", "!pto.ptr<f16>")], body)
    return text.replace(", pto.kernel_kind = #pto.kernel_kind<vector>", ""), ["zeros=16xf16"], blocks


# ---- attention ------------------------------------------------------------------------------------

def attention(arch, s0, s1, head=128, tile=256, preload=4, depth=8, unit_flags=True):
    """O = softmax(Q K^T / sqrt(head)) V on f16, a block per 128 rows of Q, as a pipeline of four steps
    per `tile` keys: scores (AIC), probabilities (AIV), products with V (AIC), accumulation (AIV), which
    hand each other their results through rings of `depth` tiles in global memory. The first two steps
    run `preload` tiles ahead. The AIC takes 128 keys at a time and hands products from M to FIX by unit
    flags; each AIV has 64 rows, of which it takes as many at a time as fit with all keys of a tile.

    Returns the text, the arguments and the number of blocks."""
    rows, subs, tiles, blocks = 128, tile // 128, s1 // tile, s0 // 128
    part = rows // 2 // subs  # rows of a tile that an AIV takes at a time
    qk, p = f"{rows}x128xf32", f"{rows}x128xf16"
    ring = depth * subs * rows  # rows of the rings of scores and probabilities, of one block
    known, b = set(), []

    def c(*numbers):
        fresh = set(numbers) - known
        known.update(fresh)
        return constants(*fresh)

    def alloc(name, address, kind):
        b.append(f"%{name}_at = arith.constant {address} : i64")
        b.append(f"%{name} = pto.alloc_tile addr = %{name}_at : {kind}")
        return f"%{name}"

    count = [0]

    def cut(view, kind, offsets, sizes):
        """A part of a matrix; offsets: numbers, or (the value of a row, a number to add to it)."""
        count[0] += 1
        n, row = count[0], offsets[0]
        if isinstance(row, tuple):
            b.append(f"%cut{n}_o = arith.constant {row[1]} : index")
            b.append(f"%cut{n}_r = arith.addi {row[0]}, %cut{n}_o : index")
        else:
            b.append(f"%cut{n}_r = arith.constant {row} : index")
        b.append(f"%cut{n}_c = arith.constant {offsets[1]} : index")
        text = "x".join(map(str, sizes)) + "x" + kind
        b.append(f"%cut{n} = pto.partition_view %{view}, offsets = [%cut{n}_r, %cut{n}_c], sizes = "
                 f"[%c{sizes[0]}, %c{sizes[1]}] : !pto.tensor_view<?x?x{kind}> -> !pto.partition_tensor_view<{text}>")
        return f"%cut{n}", f"!pto.partition_tensor_view<{text}>"

    def load(what, tile_name, kind):
        b.append(f"pto.tload ins({what[0]} : {what[1]}) outs({tile_name} : {kind})")

    def store(tile_name, kind, what, attributes=""):
        b.append(f"pto.tstore ins({tile_name} : {kind}) outs({what[0]} : {what[1]}){attributes}")

    def flag(how, source, to, event):
        b.append(f"pto.{how}_flag[<PIPE_{source}>, <PIPE_{to}>, <EVENT_ID{event}>]")

    def view(name, argument, kind, shape, order="nd"):
        """The matrix at an argument; shape: numbers or values."""
        names = [s if isinstance(s, str) else f"%c{s}" for s in shape]
        strides = f"[{names[1]}, %c1]" if order == "nd" else f"[%c1, {names[0]}]"
        b.append(f"%{name} = pto.make_tensor_view %{argument}, shape = [{names[0]}, {names[1]}], strides = "
                 f"{strides} {{layout = #pto.layout<{order}>}} : !pto.tensor_view<?x?x{kind}>")

    b += c(0, 1, 2, 64, 128, head, rows, part, s0, s1, tile, ring, ring * blocks, depth * rows, depth * rows * blocks)
    b += ["%block_i64 = pto.get_block_idx", "%block = arith.index_cast %block_i64 : i64 to index",
          f"%row0 = arith.muli %block, %c{rows} : index", f"%ring0 = arith.muli %block, %c{ring} : index",
          f"%out0 = arith.muli %block, %c{depth * rows} : index"]
    view("scores", "s", "f32", (ring * blocks, 128))
    view("probabilities", "p", "f16", (ring * blocks, 128))
    view("products", "pv", "f32", (depth * rows * blocks, head))

    def slot(t, sub):  # rows of the rings of scores and probabilities
        return ("%ring0", (t % depth * subs + sub) * rows)

    ready_s, taken_s, ready_p, taken_p, ready_o, taken_o = range(6)

    def signal(pipe, number):
        b.append(f"pto.sync.set <PIPE_{pipe}>, {number} {{ffts_mode = 2 : i32}}")

    def wait(pipe, number):
        b.append(f"pto.sync.wait <PIPE_{pipe}>, {number}")

    # ---- the AIC
    a = "blayout=col_major, slayout=row_major"
    l1_q, l1_k = f"!pto.tile_buf<mat, {rows}x{head}xf16, {a}>", f"!pto.tile_buf<mat, {head}x128xf16, blayout=row_major, slayout=col_major>"
    l1_p, l1_v = f"!pto.tile_buf<mat, {rows}x128xf16, {a}>", f"!pto.tile_buf<mat, 128x{head}xf16, {a}>"
    kinds = {"s": (left(arch, rows, head), right(head, 128), accumulator(rows, 128)),
             "o": (left(arch, rows, 128), right(128, head), accumulator(rows, head))}
    b.append("pto.section.cube {")
    view("qv", "q", "f16", (s0, head))
    view("kv", "k", "f16", (head, s1), "dn")
    view("vv", "v", "f16", (s1, head))
    size = 128 * head * 2
    q1 = alloc("q1", 0, l1_q)
    k1 = [alloc(f"k1_{i}", size * (1 + i), l1_k) for i in range(2)]
    p1 = [alloc(f"p1_{i}", size * 3 + 128 * 128 * 2 * i, l1_p) for i in range(2)]
    v1 = [alloc(f"v1_{i}", size * 3 + 128 * 128 * 4 + size * i, l1_v) for i in range(2)]
    left0 = {w: [alloc(f"a{w}{i}", 0x8000 * i, kinds[w][0]) for i in range(2)] for w in kinds}
    right0 = {w: [alloc(f"b{w}{i}", 0x8000 * i, kinds[w][1]) for i in range(2)] for w in kinds}
    result = {w: [alloc(f"c{w}{i}", 0x10000 * i, kinds[w][2]) for i in range(2)] for w in kinds}
    state = {"l0": 0, "k": 0, "v": 0, "c": 0}

    def multiply(w, first, second, sources, accumulate, final, at):
        s = state["l0"]
        state["l0"] ^= 1
        ka, kb, kc = kinds[w]
        flag("wait", "M", "MTE1", s)
        b.append(f"pto.textract ins({first}, %c0, %c0 : {sources[0]}, index, index) outs({left0[w][s]} : {ka})")
        b.append(f"pto.textract ins({second}, %c0, %c0 : {sources[1]}, index, index) outs({right0[w][s]} : {kb})")
        flag("set", "MTE1", "M", s)
        flag("wait", "MTE1", "M", s)
        out = result[w][at]
        phase = f" {{accPhase = #pto<acc_phase {'final' if final else 'partial'}>}}" if unit_flags else ""
        if accumulate:
            b.append(f"pto.tmatmul.acc ins({out}, {left0[w][s]}, {right0[w][s]} : {kc}, {ka}, {kb}) outs({out} : {kc}){phase}")
        else:
            b.append(f"pto.tmatmul ins({left0[w][s]}, {right0[w][s]} : {ka}, {kb}) outs({out} : {kc}){phase}")
        flag("set", "M", "MTE1", s)

    def to_fix(at, source, kind, what):
        if not unit_flags:
            flag("set", "M", "FIX", at)
            flag("wait", "M", "FIX", at)
        store(source, kind, what, " {stPhase = #pto<st_phase final>}" if unit_flags else "")
        if not unit_flags:
            flag("set", "FIX", "M", at)

    def score(t, sub, at):
        k = state["k"]
        state["k"] ^= 1
        flag("wait", "MTE1", "MTE2", k)
        if t == 0 and sub == 0:
            load(cut("qv", "f16", (("%row0", 0), 0), (rows, head)), q1, l1_q)
        load(cut("kv", "f16", (0, t * tile + sub * 128), (head, 128)), k1[k], l1_k)
        flag("set", "MTE2", "MTE1", k)
        flag("wait", "MTE2", "MTE1", k)
        if not unit_flags:
            flag("wait", "FIX", "M", at)
        multiply("s", q1, k1[k], (l1_q, l1_k), False, True, at)
        flag("set", "MTE1", "MTE2", k)
        if sub == 0 and t >= depth:
            wait("FIX", taken_s)
        to_fix(at, result["s"][at], kinds["s"][2], cut("scores", "f32", (slot(t, sub), 0), (rows, 128)))
        if sub == subs - 1:
            signal("FIX", ready_s)

    def product(t, sub, at):
        v = state["v"]
        state["v"] ^= 1
        flag("wait", "MTE1", "MTE2", 2 + v)
        load(cut("vv", "f16", (t * tile + sub * 128, 0), (128, head)), v1[v], l1_v)
        if sub == 0:
            wait("MTE2", ready_p)
        load(cut("probabilities", "f16", (slot(t, sub), 0), (rows, 128)), p1[v], l1_p)
        if sub == subs - 1:
            signal("MTE2", taken_p)
        flag("set", "MTE2", "MTE1", 2 + v)
        flag("wait", "MTE2", "MTE1", 2 + v)
        if not unit_flags and sub == 0:
            flag("wait", "FIX", "M", at)
        multiply("o", p1[v], v1[v], (l1_p, l1_v), sub > 0, sub == subs - 1, at)
        flag("set", "MTE1", "MTE2", 2 + v)
        if sub < subs - 1:
            return
        if t >= depth:
            wait("FIX", taken_o)
        to_fix(at, result["o"][at], kinds["o"][2],
               cut("products", "f32", (("%out0", t % depth * rows), 0), (rows, head)))
        signal("FIX", ready_o)

    for i in range(2):
        flag("set", "M", "MTE1", i)
        if not unit_flags:
            flag("set", "FIX", "M", i)
    for i in range(4):
        flag("set", "MTE1", "MTE2", i)
    ahead = min(preload, tiles)
    for t in range(ahead):
        for sub in range(subs):
            score(t, sub, state["c"])
            state["c"] ^= 1
    for t in range(tiles):
        at_s, at_o = state["c"], state["c"]
        if t + preload < tiles:
            at_o ^= 1
        else:
            state["c"] ^= 1
        for sub in range(subs):
            if t + preload < tiles:
                score(t + preload, sub, at_s)
            product(t, sub, at_o)
    for i in range(2):
        flag("wait", "M", "MTE1", i)
        if not unit_flags:
            flag("wait", "FIX", "M", i)
    for i in range(4):
        flag("wait", "MTE1", "MTE2", i)
    for _ in range(min(depth, tiles)):
        wait("FIX", taken_s)
        wait("FIX", taken_o)
    b.append("}")

    # ---- an AIV
    b.append("pto.section.vector {")
    b += ["%sub_i64 = pto.get_subblock_idx", "%sub = arith.index_cast %sub_i64 : i64 to index",
          "%half = arith.muli %sub, %c64 : index", "%my_row0 = arith.addi %row0, %half : index",
          "%my_ring0 = arith.addi %ring0, %half : index", "%my_out0 = arith.addi %out0, %half : index"]
    view("ov", "o", "f32", (s0, head))
    f32 = f"!pto.tile_buf<vec, {part}x{tile}xf32>"
    f32_piece = f"!pto.tile_buf<vec, {part}x{tile}xf32, valid={part}x128>"
    f16 = f"!pto.tile_buf<vec, {part}x{tile}xf16>"
    f16_piece = f"!pto.tile_buf<vec, {part}x{tile}xf16, valid={part}x128>"
    flat32, flat16 = f"!pto.tile_buf<vec, 1x{part * tile}xf32>", f"!pto.tile_buf<vec, 1x{part * tile}xf16>"
    out = f"!pto.tile_buf<vec, 64x{head}xf32>"
    column, row = f"!pto.tile_buf<vec, {part}x1xf32, blayout=col_major>", f"!pto.tile_buf<vec, 1x{part}xf32>"
    long_column = "!pto.tile_buf<vec, 64x1xf32, blayout=col_major>"
    place = [0]

    def space(size):
        place[0] += size
        return place[0] - size

    big = max(part * tile * 4, 64 * head * 4)
    s_at = [space(big) for _ in range(2)]
    local_max, global_max, local_sum, global_sum = (space(256) for _ in range(4))
    factors = [space(256) for _ in range(depth)]
    scratch_at = space(part * tile * 4)
    p_at = [space(part * tile * 2) for _ in range(2)]
    sum_at = space(64 * head * 4)
    src = [alloc(f"vs{i}", s_at[i], f32) for i in range(2)]
    src_flat = [alloc(f"vsf{i}", s_at[i], flat32) for i in range(2)]
    pieces = [[alloc(f"vs{i}_{j}", s_at[i] + 512 * j, f32_piece) for j in range(subs)] for i in range(2)]
    pv = [alloc(f"vo{i}", s_at[i], out) for i in range(2)]
    px = [alloc(f"vp{i}", p_at[i], flat16) for i in range(2)]
    px_pieces = [[alloc(f"vp{i}_{j}", p_at[i] + 256 * j, f16_piece) for j in range(subs)] for i in range(2)]
    scratch, total = alloc("scratch", scratch_at, f32), alloc("total", sum_at, out)
    columns = {}
    for name, address in [("m", local_max), ("gm", global_max), ("l", local_sum), ("gl", global_sum)] + \
            [(f"f{i}", at) for i, at in enumerate(factors)]:
        for j in range(subs):
            columns[name, j] = (alloc(f"{name}c{j}", address + part * 4 * j, column),
                                alloc(f"{name}r{j}", address + part * 4 * j, row))
        columns[name] = alloc(f"{name}a", address, long_column)
    b.append(f"%scale = arith.constant {head ** -0.5} : f32")
    b.append("%one = arith.constant 1.0 : f32")
    turn = [0]

    def op(name, ins, outs, attributes=""):
        b.append(f"pto.{name} ins({', '.join(v for v, _ in ins)}{attributes} : {', '.join(t for _, t in ins)}) "
                 f"outs({outs[0]} : {outs[1]})")

    def bar():
        b.append("pto.barrier <PIPE_V>")

    def softmax(t, j, s):
        x, xf, y = (src[s], f32), (src_flat[s], flat32), (px[s], flat16)
        m, gm, l, gl, f = (columns[n, j] for n in ("m", "gm", "l", "gl", f"f{t % depth}"))
        cm, cgm, cl, cgl = ((v[0], column) for v in (m, gm, l, gl))
        rm, rgm, rl, rgl, rf = ((v[1], row) for v in (m, gm, l, gl, f))
        temporary, k = (scratch, f32), ("%scale", "f32")
        op("trowmax", [x, temporary], cgm if t == 0 else cm)
        bar()
        if t == 0:
            op("trowexpandsub", [x, cgm], x)
            op("tmuls", [x, k], x)
            op("texp", [x], x)
            bar()
            op("trowsum", [x, temporary], cgl)
            op("tcvt", [xf], y, " {rmode = #pto<round_mode ROUND>}")
            return
        op("tmax", [rm, rgm], rm)
        bar()
        op("tsub", [rgm, rm], rf)
        bar()
        op("tmuls", [rm, ("%one", "f32")], rgm)
        bar()
        op("trowexpandsub", [x, cm], x)
        op("tmuls", [rf, k], rf)
        op("tmuls", [x, k], x)
        op("texp", [rf], rf)
        op("texp", [x], x)
        op("tcvt", [xf], y, " {rmode = #pto<round_mode ROUND>}")
        bar()
        op("tmul", [rf, rgl], rgl)
        op("trowsum", [x, temporary], cl)
        bar()
        op("tadd", [rgl, rl], rgl)

    def probabilities(t, j):
        s = turn[0] % 2
        turn[0] += 1
        flag("wait", "V", "MTE2", s)
        if j == 0:
            wait("MTE2", ready_s)
        for i in range(subs):
            base = (t % depth * subs + i) * rows + j * part
            load(cut("scores", "f32", (("%my_ring0", base), 0), (part, 128)), pieces[s][i], f32_piece)
        if j == subs - 1:
            signal("MTE2", taken_s)
        flag("set", "MTE2", "V", s)
        flag("wait", "MTE2", "V", s)
        flag("wait", "MTE3", "V", s)
        softmax(t, j, s)
        flag("set", "V", "MTE2", s)
        flag("set", "V", "MTE3", s)
        flag("wait", "V", "MTE3", s)
        if j == 0 and t >= depth:
            wait("MTE3", taken_p)
        for i in range(subs):
            base = (t % depth * subs + i) * rows + j * part
            store(px_pieces[s][i], f16_piece, cut("probabilities", "f16", (("%my_ring0", base), 0), (part, 128)))
        if j == subs - 1:
            signal("MTE3", ready_p)
        flag("set", "MTE3", "V", s)

    def accumulate(t):
        s = turn[0] % 2
        turn[0] += 1
        factor, sums, o = (columns[f"f{t % depth}"], long_column), (columns["gl"], long_column), (total, out)
        wait("MTE2", ready_o)
        flag("wait", "V", "MTE2", s)
        what = cut("products", "f32", (("%my_out0", t % depth * rows), 0), (64, head))
        load(what, total if t == 0 else pv[s], out)
        flag("set", "MTE2", "V", s)
        flag("wait", "MTE2", "V", s)
        if t > 0:
            op("trowexpandmul", [o, factor], o)
            op("tadd", [o, (pv[s], out)], o)
        if t == tiles - 1:
            op("trowexpanddiv", [o, sums], o)
        flag("set", "V", "MTE2", s)
        signal("MTE2", taken_o)
        if t == tiles - 1:
            flag("set", "V", "MTE3", 0)
            flag("wait", "V", "MTE3", 0)
            store(total, out, cut("ov", "f32", (("%my_row0", 0), 0), (64, head)))

    for i in range(2):
        flag("set", "V", "MTE2", i)
        flag("set", "MTE3", "V", i)
    for t in range(ahead):
        for j in range(subs):
            probabilities(t, j)
    for t in range(tiles):
        for j in range(subs):
            if t + preload < tiles:
                probabilities(t + preload, j)
        accumulate(t)
    for i in range(2):
        flag("wait", "V", "MTE2", i)
        flag("wait", "MTE3", "V", i)
    for _ in range(min(depth, tiles)):
        wait("MTE3", taken_p)
    b.append("}")
    text = module(arch, "attention", "vector", [("q", "!pto.ptr<f16>"), ("k", "!pto.ptr<f16>"), ("v", "!pto.ptr<f16>"),
                                              ("s", "!pto.ptr<f32>"), ("p", "!pto.ptr<f16>"), ("pv", "!pto.ptr<f32>"),
                                              ("o", "!pto.ptr<f32>")], b).replace(", pto.kernel_kind = #pto.kernel_kind<vector>", "")
    arguments = [f"zeros={s0}x{head}xf16", f"zeros={s1}x{head}xf16", f"zeros={s1}x{head}xf16",
                 f"zeros={ring * blocks}x128xf32", f"zeros={ring * blocks}x128xf16",
                 f"zeros={depth * rows * blocks}x{head}xf32", f"zeros={s0}x{head}xf32"]
    return text, arguments, blocks
