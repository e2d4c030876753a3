"""Kernels with one performance bug each, and their mended versions.

A bug is a command: a kernel, its blocks, arguments and options; so is its mended version. The line
of the bug has the comment BUG; where the bug is in how a kernel is launched, the line that asks for
the block. The kernels are put together from one frame, so that the two differ in the bug alone.
"""

import os
from dataclasses import dataclass, field

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernels")

FRAME = """\
!ptr  = !pto.ptr<f32>
!view = !pto.tensor_view<?x?xf32>
{types}
module attributes {{pto.target_arch = "a3"}} {{
  func.func @{name}(%x: !ptr, %y: !ptr, %z: !ptr)
      attributes {{pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>}} {{
{constants}
    %block_i64 = pto.get_block_idx
    %blocks_i64 = pto.get_block_num
    %block = arith.index_cast %block_i64 : i64 to index
    %blocks = arith.index_cast %blocks_i64 : i64 to index
{body}
    return
  }}
}}
"""


def kernel(name, shapes, addresses, body, values=()):
    """`shapes`: of tiles and parts, by name; `addresses`: name of a tile to its type and address."""
    types = "".join(f"!part_{n} = !pto.partition_tensor_view<{r}x{c}xf32>\n"
                    f"!tile_{n} = !pto.tile_buf<vec, {r}x{c}xf32>\n" for n, (r, c) in shapes.items())
    constants = "".join(f"    %c{v} = arith.constant {v} : index\n" for v in sorted({0, 1, *values}))
    for tile, (_, address) in addresses.items():
        constants += f"    %{tile}_addr = arith.constant {address} : i64\n"
    tiles = "".join(f"    %{t} = pto.alloc_tile addr = %{t}_addr : !tile_{kind}\n"
                    for t, (kind, _) in addresses.items())
    return FRAME.format(name=name, types=types, constants=constants.rstrip("\n"),
                        body=tiles + body.rstrip("\n"))


def view(name, rows, cols):
    return (f"    %{name}_view = pto.make_tensor_view %{name}, shape = [%c{rows}, %c{cols}], "
            f"strides = [%c{cols}, %c1] {{layout = #pto.layout<nd>}} : !view\n")


def part(name, of, kind, row, col, rows, cols):
    return (f"      %{name} = pto.partition_view %{of}_view, offsets = [%{row}, %{col}], "
            f"sizes = [%c{rows}, %c{cols}] : !view -> !part_{kind}\n")


def load(part_name, tile, kind, mark=""):
    return f"      pto.tload ins(%{part_name} : !part_{kind}) outs(%{tile} : !tile_{kind}){mark}\n"


def store(tile, part_name, kind):
    return f"      pto.tstore ins(%{tile} : !tile_{kind}) outs(%{part_name} : !part_{kind})\n"


def set_flag(source, destination, event, mark=""):
    return f"      pto.set_flag[<PIPE_{source}>, <PIPE_{destination}>, <EVENT_ID{event}>]{mark}\n"


def wait_flag(source, destination, event, mark=""):
    return f"      pto.wait_flag[<PIPE_{source}>, <PIPE_{destination}>, <EVENT_ID{event}>]{mark}\n"


def add(a, b, to, kind, mark=""):
    return f"      pto.tadd ins(%{a}, %{b} : !tile_{kind}, !tile_{kind}) outs(%{to} : !tile_{kind}){mark}\n"


def one(op, a, to, kind):
    return f"      pto.{op} ins(%{a} : !tile_{kind}) outs(%{to} : !tile_{kind})\n"


BARRIER_V = "      pto.barrier <PIPE_V>\n"
BUG = "  // BUG"


@dataclass
class Case:
    name: str
    kind: str  # of the advice that should come first
    text: str  # the kernel
    blocks: int
    arguments: list
    mended_text: str = ""
    mended_blocks: int = 0
    line: int = 0  # of the bug; 0: the one with BUG
    options: list = field(default_factory=list)
    says: str = ""  # a part of the advice

    def bug_lines(self):
        if self.line:
            return {self.line}
        return {n for n, line in enumerate(self.text.split("\n"), 1) if "BUG" in line}


def line_with(text, words):
    return next(n for n, line in enumerate(text.split("\n"), 1) if words in line)


def read(name):
    with open(os.path.join(KERNELS, name)) as file:
        return file.read()


def too_few_blocks():
    text = read("gemm_f16.pto")
    arguments = ["out=512x512xf16", "out=512x512xf16", "out=512x512xf32"] + 3 * ["i32=512"]
    return Case("too few blocks", "blocks", text, 4, arguments, text, 16,
                line=line_with(text, "%block_i64 = pto.get_block_idx"))


def single_buffer():
    text = read("gemm_f16_single.pto")
    arguments = ["out=512x512xf16", "out=512x512xf16", "out=512x512xf32"] + 3 * ["i32=512"]
    return Case("single buffer", "buffer", text, 16, arguments, read("gemm_f16.pto"), 16,
                line=line_with(text, "pto.wait_flag[<PIPE_MTE1>, <PIPE_MTE2>"))


def ping_pong(name, barrier="", cyclic=True):
    """z = exp(x) + x by chunks of 16 x 512, in two slots; chunk after chunk, or a band a block."""
    body = view("x", 4096, 512) + view("z", 4096, 512)
    for slot in (0, 1):
        body += set_flag("V", "MTE2", slot) + set_flag("MTE3", "V", slot)
    if cyclic:
        body += "    %step = arith.muli %blocks, %c2 : index\n"
        body += "    %first = arith.muli %block, %c2 : index\n"
        body += "    scf.for %chunk = %first to %c160 step %step {\n"
    else:
        # Six chunks a block, and the rest for the last one.
        body += "    %first = arith.muli %block, %c6 : index\n"
        body += "    %end = arith.addi %first, %c6 : index\n"
        body += "    %next_block = arith.addi %block, %c1 : index\n"
        body += "    %is_last = arith.cmpi eq, %next_block, %blocks : index\n"
        body += "    %until = arith.select %is_last, %c160, %end : index\n"
        body += "    scf.for %chunk = %first to %until step %c2 {" + BUG + "\n"
    for slot in (0, 1):
        body += f"      %chunk{slot} = arith.addi %chunk, %c{slot} : index\n"
        body += f"      %row{slot} = arith.muli %chunk{slot}, %c16 : index\n"
        body += part(f"x_part{slot}", "x", "t", f"row{slot}", "c0", 16, 512)
        body += part(f"z_part{slot}", "z", "t", f"row{slot}", "c0", 16, 512)
        body += wait_flag("V", "MTE2", slot) + load(f"x_part{slot}", f"x{slot}", "t")
        body += set_flag("MTE2", "V", slot) + wait_flag("MTE2", "V", slot)
        body += wait_flag("MTE3", "V", slot)
        body += one("texp", f"x{slot}", f"z{slot}", "t") + BARRIER_V
        body += add(f"z{slot}", f"x{slot}", f"z{slot}", "t")
        body += set_flag("V", "MTE2", slot) + set_flag("V", "MTE3", slot)
        body += wait_flag("V", "MTE3", slot) + store(f"z{slot}", f"z_part{slot}", "t")
        body += set_flag("MTE3", "V", slot)
    body += barrier + "    }\n"
    for slot in (0, 1):
        body += wait_flag("V", "MTE2", slot) + wait_flag("MTE3", "V", slot)
    tiles = {"x0": ("t", 0), "x1": ("t", 32768), "z0": ("t", 65536 + 256), "z1": ("t", 98304 + 256)}
    return kernel(name, {"t": (16, 512)}, tiles, body, (2, 6, 16, 160, 512, 4096))


MATRICES = 3 * ["out=4096x512xf32"]


def needless_barrier():
    bug = ping_pong("exp_add", "      pto.barrier <PIPE_ALL>" + BUG + "\n")
    return Case("needless barrier", "barrier", bug, 16, MATRICES, ping_pong("exp_add"))


def uneven_split():
    return Case("uneven split", "uneven", ping_pong("exp_add", cyclic=False), 16, MATRICES,
                ping_pong("exp_add"))


def flag_in_the_wrong_place():
    """A chain on x that needs no y, and its flag: set before or after y is loaded."""
    def text(late):
        body = view("x", 4096, 512) + view("y", 4096, 512) + view("z", 4096, 512)
        body += "      %row = arith.muli %block, %c32 : index\n"
        for name in "xyz":
            body += part(f"{name}_part", name, "t", "row", "c0", 32, 512)
        body += load("x_part", "x_tile", "t")
        if not late:
            body += set_flag("MTE2", "V", 0)
        body += load("y_part", "y_tile", "t")
        if late:
            body += set_flag("MTE2", "V", 0, BUG)
        body += set_flag("MTE2", "V", 1) + wait_flag("MTE2", "V", 0)
        for _ in range(6):
            body += one("texp", "x_tile", "x_tile", "t") + BARRIER_V
        body += wait_flag("MTE2", "V", 1) + add("x_tile", "y_tile", "x_tile", "t")
        body += set_flag("V", "MTE3", 0) + wait_flag("V", "MTE3", 0)
        body += store("x_tile", "z_part", "t")
        return kernel("late_flag", {"t": (32, 512)}, {"x_tile": ("t", 0), "y_tile": ("t", 65536 + 256)},
                      body, (32, 512, 4096))
    return Case("flag in the wrong place", "flag", text(True), 48, MATRICES, text(False))


def bank_conflict():
    """Sums of the same two tiles again and again: 256 bytes apart or in the same banks."""
    def text(apart, mark):
        body = view("x", 4096, 512) + view("y", 4096, 512) + view("z", 4096, 512)
        body += "      %row = arith.muli %block, %c16 : index\n"
        for name in "xyz":
            body += part(f"{name}_part", name, "t", "row", "c0", 16, 512)
        body += load("x_part", "x_tile", "t") + load("y_part", "y_tile", "t")
        body += set_flag("MTE2", "V", 0) + wait_flag("MTE2", "V", 0)
        body += "    scf.for %i = %c0 to %c32 step %c1 {\n"
        body += add("x_tile", "y_tile", "z_tile", "t", mark) + BARRIER_V
        body += "    }\n" + set_flag("V", "MTE3", 0) + wait_flag("V", "MTE3", 0)
        body += store("z_tile", "z_part", "t")
        return kernel("banks", {"t": (16, 512)},
                      {"x_tile": ("t", 0), "y_tile": ("t", 32768 + apart), "z_tile": ("t", 131072)},
                      body, (16, 32, 512, 4096))
    return Case("bank conflict", "banks", text(0, BUG), 48, MATRICES, text(256, ""))


def short_bursts():
    """The demo's product with steps of 32 or of 256 along K: rows of A have 64 or 512 bytes."""
    def text(step):
        text = read("gemm_f16.pto").replace("256", str(step)).replace("65536", "65536", 1)
        text = text.replace("%c4 step", "%c1 step").replace("128x64xf16", f"128x{step}xf16")
        text = text.replace("64x128xf16", f"{step}x128xf16", 1) if step > 64 else text
        text = text.replace("!pto.tile_buf<right, 64x128xf16", f"!pto.tile_buf<right, {step}x128xf16")
        load = "outs(%l1a : !l1_a)\n"
        at = text.index(load, text.index("pto.tload"))
        return text[:at] + load.rstrip("\n") + BUG + text[at + len(load) - 1:]
    arguments = ["out=512x512xf16", "out=512x512xf16", "out=512x512xf32"] + 3 * ["i32=512"]
    return Case("short bursts", "bursts", text(32), 16, arguments, read("gemm_f16.pto"))


def cold_l2():
    """Blocks read 8 tiles of a table 16 times: all of them again and again, or each 16 times."""
    def text(passes_outside):
        body = view("x", 4096, 512) + view("z", 4096, 512)
        body += "      %z_row = arith.muli %block, %c16 : index\n"
        body += part("z_part", "z", "t", "z_row", "c0", 16, 512)
        body += "      %own = arith.muli %block, %c8 : index\n"
        body += set_flag("V", "MTE2", 0) + set_flag("V", "MTE2", 1)
        body += "      pto.texpands ins(%zero : f32) outs(%z_tile : !tile_t)\n" + BARRIER_V
        body += "    scf.for %i = %c0 to %c128 step %c2 {\n"
        for slot in (0, 1):
            body += f"      %i{slot} = arith.addi %i, %c{slot} : index\n"
            split = "remui" if passes_outside else "divui"
            by = 8 if passes_outside else 16
            body += f"      %tile{slot} = arith.{split} %i{slot}, %c{by} : index\n"
            body += f"      %turned{slot} = arith.addi %tile{slot}, %own : index\n"
            body += f"      %row{slot} = arith.muli %turned{slot}, %c16 : index\n"
            body += part(f"x_part{slot}", "x", "t", f"row{slot}", "c0", 16, 512)
            body += wait_flag("V", "MTE2", slot)
            body += load(f"x_part{slot}", f"x{slot}", "t", BUG if passes_outside else "")
            body += set_flag("MTE2", "V", slot) + wait_flag("MTE2", "V", slot)
            body += add("z_tile", f"x{slot}", "z_tile", "t") + set_flag("V", "MTE2", slot) + BARRIER_V
        body += "    }\n" + wait_flag("V", "MTE2", 0) + wait_flag("V", "MTE2", 1)
        body += set_flag("V", "MTE3", 0) + wait_flag("V", "MTE3", 0) + store("z_tile", "z_part", "t")
        text = kernel("table", {"t": (16, 512)},
                      {"x0": ("t", 0), "x1": ("t", 32768), "z_tile": ("t", 131072 + 256)}, body,
                      (2, 8, 16, 128, 512, 4096))
        return text.replace("    %c0 = ", "    %zero = arith.constant 0.000000e+00 : f32\n    %c0 = ", 1)
    return Case("cold L2", "cache", text(True), 24, MATRICES, text(False),
                options=["--set", "memory.l2.bytes=2MiB"])


def order_of_tiles():
    """Results (i, j) of x(i) and y(j), 16 by 96 of them. Row by row all of y is read anew for each i, and L2 holds a
    third of it; in groups of 8 rows, column by column, what cores read stays there."""
    rows, columns, group, blocks = 16, 96, 8, 24
    tiles = rows * columns
    def text(grouped):
        body = view("x", 16 * rows, 512) + view("y", 16 * columns, 512) + view("z", tiles, 512)
        for slot in (0, 1):
            body += set_flag("V", "MTE2", slot) + set_flag("MTE3", "V", slot)
        body += "      %two = arith.muli %blocks, %c2 : index\n"
        body += f"    scf.for %t = %block to %c{tiles} step %two {{\n"
        for slot in (0, 1):
            body += f"      %blocks{slot} = arith.muli %blocks, %c{slot} : index\n"
            body += f"      %t{slot} = arith.addi %t, %blocks{slot} : index\n"
            if grouped:
                body += f"      %group{slot} = arith.divui %t{slot}, %c{group * columns} : index\n"
                body += f"      %in{slot} = arith.remui %t{slot}, %c{group * columns} : index\n"
                body += f"      %up{slot} = arith.muli %group{slot}, %c{group} : index\n"
                body += f"      %of{slot} = arith.remui %in{slot}, %c{group} : index\n"
                body += f"      %i{slot} = arith.addi %up{slot}, %of{slot} : index\n"
                body += f"      %j{slot} = arith.divui %in{slot}, %c{group} : index\n"
            else:
                body += f"      %i{slot} = arith.divui %t{slot}, %c{columns} : index\n"
                body += f"      %j{slot} = arith.remui %t{slot}, %c{columns} : index\n"
            for name, index in (("x", "i"), ("y", "j")):
                body += f"      %{name}_row{slot} = arith.muli %{index}{slot}, %c16 : index\n"
                body += part(f"{name}_part{slot}", name, "t", f"{name}_row{slot}", "c0", 16, 512)
            body += part(f"z_part{slot}", "z", "row", f"t{slot}", "c0", 1, 512)
            body += wait_flag("V", "MTE2", slot) + load(f"x_part{slot}", f"x{slot}", "t")
            body += load(f"y_part{slot}", f"y{slot}", "t", "" if grouped else BUG)
            body += set_flag("MTE2", "V", slot) + wait_flag("MTE2", "V", slot) + wait_flag("MTE3", "V", slot)
            body += add(f"x{slot}", f"y{slot}", f"z{slot}", "t") + set_flag("V", "MTE2", slot)
            body += set_flag("V", "MTE3", slot) + wait_flag("V", "MTE3", slot)
            body += store(f"first{slot}", f"z_part{slot}", "row") + set_flag("MTE3", "V", slot)
        body += "    }\n"
        for slot in (0, 1):
            body += wait_flag("V", "MTE2", slot) + wait_flag("MTE3", "V", slot)
        at = {}
        for slot in (0, 1):
            for place, name in enumerate("xyz"):
                at[f"{name}{slot}"] = ("t", (3 * slot + place) * 32768)
            at[f"first{slot}"] = ("row", at[f"z{slot}"][1])
        return kernel("pairs", {"t": (16, 512), "row": (1, 512)}, at, body,
                      (2, 16, 512, group, columns, group * columns, tiles, 16 * rows, 16 * columns))
    arguments = [f"out={16 * rows}x512xf32", f"out={16 * columns}x512xf32", f"out={tiles}x512xf32"]
    return Case("order of tiles", "cache", text(False), blocks, arguments, text(True),
                options=["--set", "memory.l2.bytes=1MiB"])


def saturated(exps, groups, late):
    """Cores that begin at different times and stream through one slot: together they use most of HBM's bandwidth, and
    little of it is left for a second slot. `exps` a chunk; the blocks are `groups` groups, each begins `late`
    exponentials after the one before."""
    blocks, chunks, rows = 48, 16, 16
    def text(slots):
        all_rows = blocks * chunks * rows
        body = view("x", all_rows, 512) + view("z", all_rows, 512)
        body += "    %group = arith.divui %block, %in_group : index\n"
        body += "    %late = arith.muli %group, %late_by : index\n"
        body += "    scf.for %i = %c0 to %late step %c1 {\n"
        body += one("texp", "z0", "z0", "t") + BARRIER_V + "    }\n"
        for slot in range(slots):
            body += set_flag("V", "MTE2", slot) + set_flag("MTE3", "V", slot)
        body += f"    %first = arith.muli %block, %c{chunks} : index\n"
        body += f"    %end = arith.addi %first, %c{chunks} : index\n"
        body += f"    scf.for %chunk = %first to %end step %c{slots} {{\n"
        for slot in range(slots):
            body += f"      %chunk{slot} = arith.addi %chunk, %c{slot} : index\n"
            body += f"      %row{slot} = arith.muli %chunk{slot}, %c{rows} : index\n"
            body += part(f"x_part{slot}", "x", "t", f"row{slot}", "c0", rows, 512)
            body += part(f"z_part{slot}", "z", "t", f"row{slot}", "c0", rows, 512)
            body += wait_flag("V", "MTE2", slot, BUG) + load(f"x_part{slot}", f"x{slot}", "t")
            body += set_flag("MTE2", "V", slot) + wait_flag("MTE2", "V", slot)
            body += wait_flag("MTE3", "V", slot) + exps * one("texp", f"x{slot}", f"z{slot}", "t") + BARRIER_V
            body += set_flag("V", "MTE2", slot) + set_flag("V", "MTE3", slot)
            body += wait_flag("V", "MTE3", slot) + store(f"z{slot}", f"z_part{slot}", "t")
            body += set_flag("MTE3", "V", slot)
        body += "    }\n"
        for slot in range(slots):
            body += wait_flag("V", "MTE2", slot) + wait_flag("MTE3", "V", slot)
        tiles = {}
        for slot in range(slots):
            tiles[f"x{slot}"] = ("t", 2 * slot * 33024)
            tiles[f"z{slot}"] = ("t", (2 * slot + 1) * 33024)
        made = kernel("stream", {"t": (rows, 512)}, tiles, body,
                      (slots, rows, 512, all_rows, chunks))
        constants = (f"    %in_group = arith.constant {blocks // groups} : index\n"
                     f"    %late_by = arith.constant {late} : index\n")
        return made.replace("    %c0 = ", constants + "    %c0 = ", 1)
    arguments = 3 * [f"out={blocks * chunks * rows}x512xf32"]
    return Case(f"HBM is busy: {exps} exponentials a chunk, {groups} groups of cores", "buffer",
                text(1), blocks, arguments, text(2))


def wrong_pipe():
    """The next load waits until its predecessor's result is stored, and needs only that it was read."""
    chunks, rows, blocks = 24, 16, 8
    def text(wrong):
        all_rows = blocks * chunks * rows
        after, mark = ("MTE3", BUG) if wrong else ("V", "")
        body = view("x", all_rows, 512) + view("z", all_rows, 512)
        body += set_flag(after, "MTE2", 0) + set_flag("MTE3", "V", 0)
        body += f"    %first = arith.muli %block, %c{chunks} : index\n"
        body += f"    %end = arith.addi %first, %c{chunks} : index\n"
        body += "    scf.for %chunk = %first to %end step %c1 {\n"
        body += f"      %row = arith.muli %chunk, %c{rows} : index\n"
        body += part("x_part", "x", "t", "row", "c0", rows, 512)
        body += part("z_part", "z", "t", "row", "c0", rows, 512)
        body += wait_flag(after, "MTE2", 0, mark) + load("x_part", "x_tile", "t")
        body += set_flag("MTE2", "V", 0) + wait_flag("MTE2", "V", 0) + wait_flag("MTE3", "V", 0)
        body += one("texp", "x_tile", "z_tile", "t")
        body += "" if wrong else set_flag("V", "MTE2", 0)
        body += set_flag("V", "MTE3", 0) + wait_flag("V", "MTE3", 0) + store("z_tile", "z_part", "t")
        body += (set_flag("MTE3", "MTE2", 0) if wrong else "") + set_flag("MTE3", "V", 0) + "    }\n"
        body += wait_flag(after, "MTE2", 0) + wait_flag("MTE3", "V", 0)
        return kernel("stream", {"t": (rows, 512)}, {"x_tile": ("t", 0), "z_tile": ("t", 33024)}, body,
                      (rows, 512, all_rows, chunks))
    arguments = 3 * [f"out={blocks * chunks * rows}x512xf32"]
    return Case("a wait for the wrong pipe", "flag", text(True), blocks, arguments, text(False),
                says="Make MTE2 wait for V instead of MTE3, flag MTE3->MTE2 #0")


def small_tiles():
    """z = |x| by 32 elements at a time, or by 1024."""
    elements, blocks = 2048, 48
    def text(tile):
        body = "".join(f"    %{name}_view = pto.make_tensor_view %{name}, shape = [%c1, %call], strides = [%call, %c1] "
                       "{layout = #pto.layout<nd>} : !view\n" for name in "xz")
        body += f"    %first = arith.muli %block, %c{elements} : index\n"
        body += set_flag("V", "MTE2", 0) + set_flag("MTE3", "V", 0)
        body += f"    scf.for %i = %c0 to %c{elements} step %c{tile} {{\n"
        body += "      %at = arith.addi %first, %i : index\n"
        body += part("x_part", "x", "t", "c0", "at", 1, tile) + part("z_part", "z", "t", "c0", "at", 1, tile)
        body += wait_flag("V", "MTE2", 0) + load("x_part", "x_tile", "t", BUG if tile == 32 else "")
        body += set_flag("MTE2", "V", 0) + wait_flag("MTE2", "V", 0) + wait_flag("MTE3", "V", 0)
        body += one("tabs", "x_tile", "z_tile", "t") + set_flag("V", "MTE2", 0)
        body += set_flag("V", "MTE3", 0) + wait_flag("V", "MTE3", 0) + store("z_tile", "z_part", "t")
        body += set_flag("MTE3", "V", 0) + "    }\n" + wait_flag("V", "MTE2", 0) + wait_flag("MTE3", "V", 0)
        made = kernel("small", {"t": (1, tile)}, {"x_tile": ("t", 0), "z_tile": ("t", 8448)}, body, (tile, elements))
        return made.replace("    %c0 = ", f"    %call = arith.constant {elements * blocks} : index\n    %c0 = ", 1)
    arguments = 3 * [f"out=1x{elements * blocks}xf32"]
    return Case("small tiles", "tiles", text(32), blocks, arguments, text(1024))


def unaligned_rows():
    """Rows of 512 bytes that begin 64 bytes after a sector of L2, or at one; L2 holds them after the first time."""
    rows, blocks, times = 64, 48, 40
    def text(first):
        body = view("x", rows * blocks, 160) + view("z", rows * blocks, 128)
        body += f"    %row = arith.muli %block, %c{rows} : index\n"
        body += part("x_part", "x", "t", "row", f"c{first}", rows, 128) + part("z_part", "z", "t", "row", "c0", rows, 128)
        body += f"    scf.for %i = %c0 to %c{times} step %c1 {{\n"
        body += load("x_part", "x_tile", "t", BUG if first else "") + "    }\n"
        body += set_flag("MTE2", "MTE3", 0) + wait_flag("MTE2", "MTE3", 0) + store("x_tile", "z_part", "t")
        return kernel("unaligned", {"t": (rows, 128)}, {"x_tile": ("t", 0)}, body, (16, rows, times, 128, 160, rows * blocks))
    arguments = [f"out={rows * blocks}x160xf32", "out=1x1xf32", f"out={rows * blocks}x128xf32"]
    return Case("unaligned rows", "alignment", text(16), blocks, arguments, text(0),
                says="Align rows to 128 bytes in global memory: those of TLOAD are not aligned")


def one_flag_for_two_slots():
    """A load waits until the other slot has been read: both slots have one flag."""
    chunks, rows, blocks = 32, 16, 8
    def text(ids, marked):
        all_rows = blocks * chunks * rows
        body = view("x", all_rows, 512) + view("z", all_rows, 512)
        for event in range(ids):
            body += set_flag("V", "MTE2", event)
        body += "      pto.texpands ins(%zero : f32) outs(%z_tile : !tile_t)\n" + BARRIER_V
        body += f"    %first = arith.muli %block, %c{chunks} : index\n"
        body += f"    %end = arith.addi %first, %c{chunks} : index\n"
        body += "    scf.for %chunk = %first to %end step %c2 {\n"
        for slot in (0, 1):
            body += f"      %chunk{slot} = arith.addi %chunk, %c{slot} : index\n"
            body += f"      %row{slot} = arith.muli %chunk{slot}, %c{rows} : index\n"
            body += part(f"x_part{slot}", "x", "t", f"row{slot}", "c0", rows, 512)
            body += wait_flag("V", "MTE2", slot % ids, BUG if slot in marked else "")
            body += load(f"x_part{slot}", f"x{slot}", "t")
            body += set_flag("MTE2", "V", slot) + wait_flag("MTE2", "V", slot)
            body += add("z_tile", f"x{slot}", "z_tile", "t") + set_flag("V", "MTE2", slot % ids) + BARRIER_V
        body += "    }\n"
        for event in range(ids):
            body += wait_flag("V", "MTE2", event)
        body += "      %z_row = arith.muli %block, %c16 : index\n" + part("z_part", "z", "t", "z_row", "c0", rows, 512)
        body += set_flag("V", "MTE3", 0) + wait_flag("V", "MTE3", 0) + store("z_tile", "z_part", "t")
        made = kernel("sums", {"t": (rows, 512)}, {"x0": ("t", 0), "x1": ("t", 33024), "z_tile": ("t", 66560)}, body,
                      (2, rows, 512, all_rows, chunks))
        return made.replace("    %c0 = ", "    %zero = arith.constant 0.000000e+00 : f32\n    %c0 = ", 1)
    arguments = 3 * [f"out={blocks * chunks * rows}x512xf32"]
    return Case("one flag for two slots", "flag", text(1, (0, 1)), blocks, arguments, text(2, ()),
                says="Use one flag per slot instead of flag V->MTE2 #0: it waits for TADD")


def bounded_cases():
    """Cases in which shared memory limits the gain, and cases in which another change would gain more; the advice need
    not be the first one."""
    return [saturated(2, 2, 2), saturated(4, 3, 2), saturated(4, 4, 1), wrong_pipe(), one_flag_for_two_slots(),
            unaligned_rows()]


def cases():
    return [too_few_blocks(), single_buffer(), needless_barrier(), flag_in_the_wrong_place(),
            bank_conflict(), short_bursts(), uneven_split(), cold_l2(),
            order_of_tiles(), small_tiles()]
