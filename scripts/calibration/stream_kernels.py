"""Copies between global memory and the cores, with little or nothing computed between."""
from kernel_builder import Kernel, accumulator, mat, pto, vec


def unit_of(space):
    return "cube" if space == "mat" else "vector"


def tile_in(space, rows, cols, **valid):
    """A tile of f16, in UB or in the order of L1."""
    if space == "vec":
        return vec(rows, cols, "f16", **valid)
    return mat(rows, cols, **valid)


def read_stream(arch, space, rows, cols, tile_rows, tile_cols, blocks, passes=1, splits=1):
    """Every core reads its band of an f16 matrix tile by tile, `passes` times: all of it at a time,
    or one of `splits` parts of the columns after the other."""
    band, part = rows // blocks, cols // splits
    full, tail = part // tile_cols, part % tile_cols
    with Kernel(arch, "read_stream", unit_of(space), [("x", "f16")]) as k:
        tile = k.tile(tile_in(space, tile_rows, tile_cols))
        first = k.muli(k.block(), band)
        view = k.view("x", "f16", [rows, cols])
        with k.loop(splits) as split:
            left = k.muli(split, part)
            with k.loop(passes), k.loop(band // tile_rows) as r:
                row = k.addi(first, k.muli(r, tile_rows))
                with k.loop(full) as c:
                    col = k.addi(left, k.muli(c, tile_cols))
                    k.load(k.part(view, [row, col], [tile_rows, tile_cols]), tile)
                if tail:
                    last = k.addi(left, full * tile_cols)
                    rest = k.tile(tile_in(space, tile_rows, tile_cols, valid=[tile_rows, tail]))
                    k.load(k.part(view, [row, last], [tile_rows, tail]), rest)
    return k.text()


def shared_reads(arch, space, rows, cols, tile_rows, tile_cols, blocks, staggered):
    """Every core reads all of an f16 matrix tile by tile: all begin at the same place, or each at a different place."""
    across = cols // tile_cols
    tiles = rows // tile_rows * across
    with Kernel(arch, "shared_reads", unit_of(space), [("x", "f16")]) as k:
        tile = k.tile(tile_in(space, tile_rows, tile_cols))
        first = k.muli(k.block(), tiles // blocks if staggered else 0)
        view = k.view("x", "f16", [rows, cols])
        with k.loop(tiles) as i:
            n = k.remui(k.addi(i, first), tiles)
            down, across_at = k.divui(n, across), k.remui(n, across)
            row, col = k.muli(down, tile_rows), k.muli(across_at, tile_cols)
            k.load(k.part(view, [row, col], [tile_rows, tile_cols]), tile)
    return k.text()


# ---- streams through UB, with flags between the pipes ----------------------------------------------

def add_places(tile, slots, ub_bytes, packed):
    """Addresses of x, y and z in each slot: z takes the place of x if UB does not hold all."""
    slot_bytes = tile * 2 if packed else -(-(tile * 2) // 512) * 512
    in_place = 3 * slots * slot_bytes > ub_bytes
    wide = (2 if in_place else 3) * slot_bytes
    return [(slot * wide, slot * wide + slot_bytes, slot * wide + (0 if in_place else 2 * slot_bytes))
            for slot in range(slots)]


def add_stream(arch, elements, tile, blocks, slots, ub_bytes, packed=False):
    """z = x + y on f16 in tiles of `tile` elements: one slot (all in turn) or two; in place of x where
    UB does not hold all; in places of whole 512 bytes, or one after the other."""
    kind = vec(1, tile, "f16")
    with Kernel(arch, "add_stream", "vector", [(p, "f16") for p in "xyz"]) as k:
        block = k.block()
        views = [k.view(p, "f16", [1, elements]) for p in "xyz"]
        places = [[k.tile(kind, address) for address in slot] for slot in add_places(tile, slots, ub_bytes, packed)]
        for slot in range(slots):
            k.set_flag("V", "MTE2", slot)
            k.set_flag("MTE3", "V", slot)
        with k.loop(elements // tile, block, blocks * slots) as t:
            for slot, tiles in enumerate(places):
                at = k.addi(t, slot * blocks)
                with k.when(k.compare("slt", at, elements // tile)):
                    begin = k.muli(at, tile)
                    add_one(k, slot, tiles, [k.part(view, [0, begin], [1, tile]) for view in views])
        for slot in range(slots):
            k.wait_flag("V", "MTE2", slot)
            k.wait_flag("MTE3", "V", slot)
    return k.text()


def add_one(k, slot, tiles, parts):
    """A tile of add_stream."""
    x, y, z = tiles
    k.wait_flag("V", "MTE2", slot)
    k.load(parts[0], x)
    k.load(parts[1], y)
    k.hand_over("MTE2", "V", slot)
    k.wait_flag("MTE3", "V", slot)
    pto.tadd(x, y, z)
    k.set_flag("V", "MTE2", slot)
    k.hand_over("V", "MTE3", slot)
    k.store(z, parts[2])
    k.set_flag("MTE3", "V", slot)


def copy_stream(arch, elements, outputs, tile, blocks, slots):
    """Reads `elements` of f16 tile by tile, and for each tile writes outputs[i] bytes into
    array i; `slots` tiles are under way. Computations between are left out."""
    tiles = elements // tile
    parameters = [("x", "f16")] + [(f"y{i}", "i8") for i in range(len(outputs))]
    with Kernel(arch, "copy_stream", "vector", parameters) as k:
        block = k.block()
        source = k.view("x", "f16", [1, elements])
        results = [k.view(f"y{i}", "i8", [1, tiles * out]) for i, out in enumerate(outputs)]
        for slot in range(slots):
            k.set_flag("MTE3", "MTE2", slot)
        with k.loop(tiles, block, blocks * slots) as t:
            for slot in range(slots):
                at = k.addi(t, slot * blocks)
                with k.when(k.compare("slt", at, tiles)):
                    part = k.part(source, [0, k.muli(at, tile)], [1, tile])
                    k.wait_flag("MTE3", "MTE2", slot)
                    k.load(part, k.tile(vec(1, tile, "f16"), 2 * tile * slot))
                    k.hand_over("MTE2", "MTE3", slot)
                    for i, (view, out) in enumerate(zip(results, outputs)):
                        written = k.tile(vec(1, out, "i8"), 2 * tile * slot + sum(outputs[:i]))
                        k.store(written, k.part(view, [0, k.muli(at, out)], [1, out]))
                    k.set_flag("MTE3", "MTE2", slot)
        for slot in range(slots):
            k.wait_flag("MTE3", "MTE2", slot)
    return k.text()


# ---- single copies ----------------------------------------------------------------------------------

def one_core_copies(arch, kind, shapes, write=False):
    """Copies between global memory and UB ("vec"), or loads into L1 with conversion ("mat"), of rows of a matrix of
    8192 columns; a barrier at the end, and a copy that marks the end."""
    with Kernel(arch, "one_core_copies", unit_of(kind), [("x", "f16")]) as k:
        view = k.view("x", "f16", [8192, 8192])

        def copy(row, rows, cols):
            tile, part = k.tile(tile_in(kind, rows, cols)), k.part(view, [row, 0], [rows, cols])
            if write:
                k.store(tile, part)
            else:
                k.load(part, tile)

        for i, (rows, cols) in enumerate(shapes):
            copy(sum(above for above, _ in shapes[:i]), rows, cols)
        k.barrier("MTE3" if write else "MTE2")
        copy(0, *((1, 64) if kind == "vec" else (16, 16)))
    return k.text()


def results_out(arch, m, n, out, times=4):
    """Every core writes accumulators to separate places."""
    with Kernel(arch, "results_out", "cube", [("x", out)]) as k:
        tile, view = k.tile(accumulator(m, n)), k.view("x", out, [8192, 8192])
        row = k.muli(k.block(), m)
        for i in range(times):
            k.store(tile, k.part(view, [row, i * n], [m, n]))
    return k.text()


def nothing(arch):
    with Kernel(arch, "nothing", "vector", [("x", "f16")]) as k:
        pass
    return k.text()
