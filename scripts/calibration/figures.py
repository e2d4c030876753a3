"""Measured figures and their simulated values.

models/measured/*.csv hold the figures, each with its source. A figure is held out of every fit, or may be fitted: of
each group the third whose keys come first by CRC-32 is held out, but for figures without which a number could not be
found at all (free_parameters.found).
"""
import csv
import json
import os
import subprocess
import tempfile
import zlib

import chipfile
import free_parameters
import validation_kernels as kernels
from free_parameters import A2A3, A5

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MEASURED = os.path.join(ROOT, "models", "measured")


class Figure:
    """One measured number: its group, its key, its value, and the columns of its row."""

    def __init__(self, group, key, value, row):
        self.group, self.key, self.value, self.row = group, key, value, row
        self.held_out = False
        self.simulated = None
        self.rests_on = {}  # shares of the run's critical path by grade

    @property
    def error(self):
        return 100 * (self.simulated - self.value) / self.value


def rows_of(name):
    with open(os.path.join(MEASURED, name), newline="") as file:
        return list(csv.DictReader(file))


UNFITTED = ("flash attention", "gemm and mx, other sizes", "a5 vector functions", "streams of a 950DT",
            "steps fitted by PyPTO", "products in columns of tiles", "hand-offs between cores", "products of 4-bit floats",
            "products of 4-bit floats, tiles tried", "products said to be of 4-bit floats", "top-k")  # groups that no fit sees at all
# Groups that may have measured something other than the simulated kernels (validate.MISSES gives the reasons): they
# show nothing about the model's errors.
DOUBTFUL = ("products of 4-bit floats, tiles tried", "products said to be of 4-bit floats")


def split(figures):
    """Marks a third of each group as held out, and all of a group that no fit sees."""
    groups = {}
    for figure in figures:
        groups.setdefault(figure.group, []).append(figure)
        figure.held_out = figure.group in UNFITTED
    of_kernels = [f for f in figures if "kernel" in f.row]
    for group, members in groups.items():
        left = 0 if group in UNFITTED else -(-len(members) // 3)
        for figure in sorted(members, key=lambda f: (zlib.crc32(f.key.encode()), f.key)):
            if left == 0:
                break
            if figure.key in free_parameters.SINGLE.values():
                continue
            figure.held_out = True
            if "kernel" in figure.row and not free_parameters.found([f for f in of_kernels if not f.held_out]):
                figure.held_out = False
            else:
                left -= 1
    return figures


def run(ptosim, chip, text, arguments=(), blocks=1, warm=0, trace=False, sets=(), bypass_l2=(), options=()):
    """The result of a kernel in time only, and its instructions by core and pipe if traced; `bypass_l2`:
    parameters that L2 does not keep; `options`: further options of the run."""
    with tempfile.TemporaryDirectory() as folder:
        file, result = os.path.join(folder, "k.pto"), os.path.join(folder, "r.json")
        with open(file, "w") as out:
            out.write(text)
        words = [ptosim, "run", file, "--chip", chip, "--mode", "timing", "--sync", "explicit",
                 "--blocks", str(blocks), "--warm", str(warm), "--json", result, *options]
        for argument in arguments:
            words += ["--arg", argument]
        for word in sets:
            words += ["--set", word]
        if bypass_l2:
            words += ["--bypass-l2", ",".join(map(str, bypass_l2))]
        if trace:
            words += ["--trace", os.path.join(folder, "t")]
        process = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if process.returncode:
            raise RuntimeError(process.stderr)
        with open(result) as opened:
            answer = json.load(opened)
        if trace:
            subprocess.run([ptosim, "report", os.path.join(folder, "t"), "--write", "lanes"],
                           check=True, stdout=subprocess.DEVNULL)
            with open(os.path.join(folder, "t", "lanes.json")) as opened:
                answer["lanes"] = json.load(opened)
    return answer


# ---- single vector instructions -----------------------------------------------------------------

ASSEMBLY = {"f32": "f32", "f16": "f16", "bf16": "bf16", "i16": "i16", "i32": "i32", "i8": "i8",
            "f8e4m3": "f8E4M3FN", "f8e5m2": "f8E5M2", "hif8": "!pto.hif8",
            "f4e1m2": "!pto.f4E1M2x2", "f4e2m1": "!pto.f4E2M1x2"}
UNARY = {"TEXP", "TLOG", "TSQRT", "TRSQRT", "TRECIP", "TABS", "TRELU", "TNEG", "TCVT"}
SCALAR = {"TADDS", "TMULS", "TDIVS", "TMAXS", "TMINS", "TLRELU"}
BY_ROW = {"TROWSUM", "TROWMAX", "TROWMIN"}
BY_COLUMN = {"TCOLSUM", "TCOLMAX", "TCOLMIN"}
# Addresses of operands in UB: destination, first and second source. A figure may contain others.
LAYOUTS = {"conflict": (0x20000, 0, 0x10000), "free": (0x20000, 0, 0x10100), "same": (0, 0, 0)}


def vector_case(arch, row):
    """Case of validation_kernels.vector_instructions for a row of a file of vector figures."""
    opcode, rows, cols = row["instruction"], int(row["rows"]), int(row["cols"])
    types = [ASSEMBLY[t] for t in row["dtype"].split(">")]
    layout = row.get("layout") or "same"
    to, first, second = LAYOUTS[layout] if layout in LAYOUTS else [int(a, 0) for a in layout.split("/")]
    source, result = types[0], types[-1]
    pitch = int(row.get("pitch") or 0) or cols

    def tile(role, dtype, r, c, address, pitch=None, layout="row_major"):
        pad = 32 * 8 // kernels.BITS[dtype]  # whole blocks of 32 bytes
        wide = -(-(pitch or c) // pad) * pad
        if layout == "col_major":
            return (role, dtype, -(-r // pad) * pad, c, r, c, address, layout)
        return (role, dtype, r, wide, r, c, address, layout)

    def plain(role, dtype, address):
        return tile(role, dtype, rows, cols, address, pitch)

    attributes = {}
    if opcode == "TCVT":
        operands = [plain("in", source, first), plain("out", result, to)]
        attributes["rmode"] = "#pto<round_mode RINT>"
    elif opcode == "TSEL":
        mask = tile("in", "i8", rows, -(-cols // 8), second + 0x8000)
        operands = [mask, plain("in", source, first), plain("in", source, second),
                    tile("in", "i8", 1, 32, 0x2e000), plain("out", source, to)]
    elif opcode == "TSORT32":
        operands = [plain("in", source, first), tile("in", "ui32", rows, cols, second),
                    tile("out", source, rows, 2 * cols, to)]
    elif opcode in BY_ROW:
        operands = [plain("in", source, first), plain("in", source, second),
                    tile("out", source, rows, 1, to, None, "col_major")]
    elif opcode in BY_COLUMN:
        operands = [plain("in", source, first)]
        if opcode == "TCOLSUM":
            operands.append(plain("in", source, second))
            attributes["isBinary"] = "false"
        operands.append(tile("out", source, 1, cols, to))
    elif opcode == "TROWEXPAND":
        operands = [tile("in", source, rows, 1, first, None, "col_major"), plain("out", source, to)]
    elif opcode in SCALAR:
        operands = [plain("in", source, first), ("scalar", source, "1.0" if "f" in source else "1"),
                    plain("out", source, to)]
    elif opcode in UNARY:
        operands = [plain("in", source, first), plain("out", source, to)]
    else:
        operands = [plain("in", source, first), plain("in", source, second), plain("out", source, to)]
    if row.get("precision") == "precise":
        attributes = {"highPrecision": "true"}
    return opcode.lower(), operands, attributes, 2 if row.get("how") == "stream" else 1


def vector_cycles(ptosim, chip, rows):
    """Cycles of each instruction: alone, from its start until its result is there; in a stream (given by "how"), to the
    start of the next one."""
    arch = "a5" if chip_is_a5(chip) else "a2a3"
    text = kernels.vector_instructions(arch, [vector_case(arch, row) for row in rows])
    lanes = run(ptosim, chip, text, ["zeros=16xf32"], trace=True)["lanes"]
    starts = [t["start"] for lane in lanes for t in lane["tasks"]
              if t["pipe"] == "V" and t["name"] != "PIPE_BARRIER"]
    taken, at = [], 0
    for row in rows:
        taken.append(starts[at + 1] - starts[at])
        at += 2 if row.get("how") == "stream" else 1
    assert at == len(starts) - 1
    return taken


def chip_is_a5(chip):
    return "950" in os.path.basename(chip)


def vector_figures():
    figures = []
    for row in rows_of("vector_a2a3.csv"):
        key = ",".join((row["instruction"], row["dtype"], row["rows"], row["cols"], row["layout"], row["how"]))
        figures.append(Figure(row["group"], key, float(row["cycles"]), row))
    for row in rows_of("vector_a5.csv"):
        key = ",".join(row[k] for k in ("instruction", "dtype", "rows", "cols", "pitch", "precision"))
        figures.append(Figure("a5 vector", key, float(row["cycles"]), row))
    return figures


# ---- kernels ------------------------------------------------------------------------------------

def clusters(chip):
    return 32 if chip_is_a5(chip) else 24


SCALES = {"mxfp8": 32, "mxfp4": 8}  # base depths whose scales a load takes


def matmul_kernel(arch, chip, words):
    """gemm_N, matmul_N, conv_CHANNELS, mxfp8_N, mxfp4_N."""
    kind, n = words[0], int(words[1])
    if kind == "gemm":
        return kernels.matmul(arch, n, n, n, n // 4, n // 6, (128, 64, 256), 4, 4, 24, m_first=False), \
            [f"zeros={n}x{n}xf16"] * 2 + [f"zeros={n}x{n}xf32"], 24
    if kind == "conv":
        height, width = {8: (8, 48), 16: (12, 64), 24: (12, 96), 32: (16, 96), 40: (15, 128)}[n]
        m, k = 4 * height * width, n * 144
        return kernels.matmul(arch, m, k, m, m // 4, m // 6, (128, 48, 256), 3, 3, 24, "f16",
                              m_first=False, window=width + 1), \
            [f"zeros={n * m + 512}x16xf16", f"zeros={k}x{m}xf16", f"zeros={m}x{m}xf16"], 24
    if kind == "matmul":
        base, steps, single_n = ((256, 64, 256), (4, 4), 1024) if arch == "a5" else ((128, 64, 256), (8, 4), 1536)
        return kernels.matmul(arch, n, n, n, 2048, single_n, base, *steps, clusters(chip), "f16", True), \
            [f"zeros={n}x{n}xf16"] * 3, clusters(chip)
    dtype, base, steps = (("f8E4M3FN", (128, 128, 256), 4) if kind == "mxfp8" else
                          ("!pto.f4E2M1x2", (256, 256, 256), 2))
    name = dtype.split(".")[-1]
    return kernels.matmul(arch, n, n, n, n // 4, n // 8, base, steps, steps, 32, "bf16", kind == "mxfp4", dtype=dtype,
                          scales=SCALES[kind]), \
        [f"zeros={n}x{n}x{name}"] * 2 + [f"zeros={n}x{n}xbf16"] + [f"zeros={n}x{n // 32}xf8E8M0"] * 2, 32


def mx4_kernel(arch, chip, words):
    """mx4_M_K_N_SINGLEM_SINGLEN: products of 4-bit floats in pieces. mx4_M_N_BASE_SLAB: M x N times N x N in tiles of
    256 x BASE that the blocks take in turn, by eight rows of tiles, or two; loads of SLAB of the depth; the scales of a tile in
    one load each."""
    sizes = list(map(int, words[1:]))
    if len(sizes) == 5:
        m, k, n, single_m, single_n = sizes
        text = kernels.matmul(arch, m, k, n, single_m, single_n, (256, 256, 256), 2, 2, 32, "bf16", dtype="!pto.f4E2M1x2",
                              scales=SCALES["mxfp4"])
    else:
        m, k, base, slab = sizes
        n = k
        text = kernels.matmul(arch, m, k, n, m, n, (256, 256, base), slab // 256, slab // 256, 32, "bf16", dtype="!pto.f4E2M1x2",
                              scales=k // 256, scale_places=1, groups=2 if n // base >= 48 else 8)
    return text, [f"zeros={m}x{k}xf4E2M1x2", f"zeros={n}x{k}xf4E2M1x2", f"zeros={m}x{n}xbf16",
                  f"zeros={m}x{k // 32}xf8E8M0", f"zeros={n}x{k // 32}xf8E8M0"], 32


def top_k_kernel(arch, chip, words):
    """topk_ROWS: the 1000 largest of 1024 numbers of each row of 1280."""
    return kernels.top_k(arch, int(words[1]), 1024, 1280, 1000, 2 * clusters(chip))


def hand_off_kernel(arch, chip, words):
    """handoff_WAY_HOW_TIMES: validation_kernels.hand_offs; HOW "direct": without global memory."""
    if words[2] == "direct":
        return kernels.direct_hand_offs(words[1], int(words[3]), clusters(chip))
    return kernels.hand_offs(arch, words[1], words[2], int(words[3]), clusters(chip))


def columns_kernel(arch, chip, words):
    """columns_M_N: M x N times N x N in tiles of 128 x 256, five columns of tiles after the other."""
    m, n = map(int, words[1:])
    return kernels.matmul(arch, m, n, n, m, n, (128, 64, 256), 8, 4, 24, "f16", columns=5), \
        [f"zeros={m}x{n}xf16", f"zeros={n}x{n}xf16", f"zeros={m}x{n}xf16"], 24


def read_kernel(arch, chip, words):
    """read_SPACE_TILE[_odd|_again|_parts]: every core its band of a matrix of 12288 rows of f16; rows
    one element short of whole windows, four times over, or a quarter four times over after the other."""
    space, (rows, cols) = words[1], map(int, words[2].split("x"))
    how = words[3] if len(words) > 3 else ""
    width = 12287 if how == "odd" else 12288
    blocks = clusters(chip) * (1 if space == "mat" else 2)
    passes = 4 if how in ("again", "parts") else 1
    return kernels.read_stream(arch, space, 12288, width, rows, cols, blocks, passes, 4 if how == "parts" else 1), \
        [f"zeros=12288x{width}xf16"], blocks


def shared_kernel(arch, chip, words):
    """shared_SPACE_same|staggered: every core reads all of a matrix of 512 columns of f16, past L2."""
    rows = 256 * clusters(chip)
    blocks = clusters(chip) * (1 if words[1] == "mat" else 2)
    return kernels.shared_reads(arch, words[1], rows, 512, 256 if words[1] == "mat" else 128, 64, blocks,
                                words[2] == "staggered"), [f"zeros={rows}x512xf16"], blocks


def add_kernel(arch, chip, words):
    """add_TILE_SLOTS[_past[_apart]]: z = x + y on 8192 x 8192 f16; x and y past L2; x and y in bank groups
    apart."""
    blocks = 2 * clusters(chip)
    elements = 8192 * 8192
    return kernels.add_stream(arch, elements - elements % int(words[1]), int(words[1]), blocks, int(words[2]),
                              (248 if arch == "a5" else 192) * 1024, "apart" in words), \
        [f"zeros={elements - elements % int(words[1])}xf16"] * 3, blocks


def stream_kernel(arch, chip, words):
    """copy_MIB_TIMES: MIB MiB of f16 to another place, in tiles of 16 KiB; quant_K_TIMES: 65536 rows of K numbers of 16
    bits in, as many of 4 bits and a byte for 32 of them out. TIMES times, each in a separate place, as launches that
    take the buffers of a pool in turn."""
    size, times = int(words[1]), int(words[2])
    elements = times * (size * 2**19 if words[0] == "copy" else size * 65536)
    tile, blocks = 8192, 2 * clusters(chip)
    outputs = [2 * tile] if words[0] == "copy" else [tile // 2, tile // 32]
    return kernels.copy_stream(arch, elements, outputs, tile, blocks, 4), \
        [f"zeros={elements}xf16"] + [f"zeros={elements // tile * out}xi8" for out in outputs], blocks


def step_kernel(arch, chip, words):
    """One step by itself, and how to read its cycles off the instructions of the first core."""
    kind = words[0]
    if kind == "mmad":
        m, k, n = map(int, words[1].split("x"))
        alone = words[2] == "alone"
        return kernels.products(arch, m, k, n, alone), ["zeros=16xf16"], 1, \
            lambda t: (t[-1]["start"] - t[2]["start"]) / (len(t) - 3)
    if kind == "pair":
        m, k, n = map(int, words[1].split("x"))
        return kernels.operand_moves(arch, m, k, n), ["zeros=16xf16"], 1, \
            lambda t: (t[-2]["start"] - t[0]["start"]) / (len(t) / 2 - 1)
    if kind == "nd2nz":
        shapes = [(int(rows), 64) for rows in words[1].split("+")]
        return kernels.one_core_copies(arch, "mat", shapes), ["zeros=8192x8192xf16"], 1, \
            lambda t: sum(x["end"] - x["start"] for x in t[:2])
    if kind == "load":
        return kernels.one_core_copies(arch, "vec", [(1, int(words[1]))] * 2), ["zeros=8192x8192xf16"], 1, \
            lambda t: (t[2]["start"] - t[0]["start"]) / 2
    if kind == "store":
        return kernels.one_core_copies(arch, "vec", [(1, int(words[1]))], True), ["zeros=8192x8192xf16"], 1, \
            lambda t: t[1]["start"] - t[0]["start"]
    if kind == "interval":
        return kernels.one_core_copies(arch, "vec", [(1, 64)] * 32), ["zeros=8192x8192xf16"], 1, \
            lambda t: (t[31]["start"] - t[7]["start"]) / 24
    if kind == "vf":  # vf_NAMES_PASSES[_TIMES[_FUNCTIONS]]
        return kernels.vector_function(words[1], *map(int, words[2:])), ["zeros=16xf32"], 1, \
            lambda t: t[-1]["start"] - t[0]["start"]
    m, n = map(int, words[1].split("x"))
    blocks = 1 if "alone" in words else clusters(chip)
    return kernels.results_out(arch, m, n, words[2]), [f"zeros=8192x8192x{words[2]}"], blocks, \
        lambda t: sum(x["end"] - x["start"] for x in t) / len(t)


def between_launches(chip):
    """The cycles of launch.between, which a chip file may leave out."""
    stated = chipfile.numbers(chipfile.load(os.path.join(ROOT, "models", chip + ".json")))
    return stated.get("launch.between", {"value": 0})["value"]


FAMILIES = {"gemm": matmul_kernel, "conv": matmul_kernel, "matmul": matmul_kernel, "mxfp8": matmul_kernel,
            "mxfp4": matmul_kernel, "mx4": mx4_kernel, "topk": top_k_kernel, "handoff": hand_off_kernel, "columns": columns_kernel, "read": read_kernel, "shared": shared_kernel, "add": add_kernel,
            "copy": stream_kernel, "quant": stream_kernel}
STEPS = ("mmad", "pair", "nd2nz", "load", "store", "interval", "fix", "vf")


def simulate_kernel(ptosim, chip, name):
    """Results of a run of a kernel, by metric: `task` from the launch to the end of the last core and `core` from the
    begin to the end of a core in the mean over the cores, as profilers give them; the time for which each pipe is busy
    in the mean over the cores, in us; the basis of the time; cycles of a step; `launch`, a share of a run that
    represents several launches, with the time between them if the source counts it."""
    arch = "a5" if chip_is_a5(chip) else "a2a3"
    words = name.split("_")
    if words[0] in STEPS:
        text, arguments, blocks, read = step_kernel(arch, chip, words)
        answer = run(ptosim, chip, text, arguments, blocks, trace=True)
        skip = ("PIPE_BARRIER", "SET_FLAG", "WAIT_FLAG")
        return {"cycles": read([t for t in answer["lanes"][0]["tasks"] if t["name"] not in skip])}
    warm = 0
    bypass_l2 = (0,) if words[0] == "shared" else (0, 1) if "past" in words else ()
    if words[0] == "empty":
        text, arguments, blocks = kernels.nothing(arch), ["zeros=16xf16"], int(words[1])
    elif words[0] == "fa":
        text, arguments, blocks = kernels.attention(arch, int(words[1]), int(words[2]))
        warm = 1
    else:
        text, arguments, blocks = FAMILIES[words[0]](arch, chip, words)
    if words[0] in ("add", "copy", "quant", "handoff"):  # L2 holds what an earlier launch wrote, or read
        warm = 1
    answer = run(ptosim, chip, text, arguments, blocks, warm, bypass_l2=bypass_l2)
    per_us = answer["cycles"] / answer["time_us"]
    ends = [core["finished"] for core in answer["cores"] if core["instructions"]]
    said = {"task": answer["task_us"], "core": sum(ends) / max(1, len(ends)) / per_us,
            "rests_on": answer.get("time_basis", {}).get("shares", {})}
    if words[0] in ("copy", "quant"):
        said["launch"] = answer["time_us"] / int(words[2])
    if words[0] == "columns":
        said["launch"] = answer["time_us"]
    if words[0] == "copy":  # timed from the host; the quantisations' times are the kernels' own
        said["launch"] += between_launches(chip) / per_us
    for pipe in ("MTE2", "MTE1", "M", "FIX", "V", "MTE3"):
        busy = [core["pipes"][pipe]["busy"] for core in answer["cores"]
                if core["pipes"].get(pipe, {}).get("instructions")]
        said[pipe] = sum(busy) / len(busy) / per_us if busy else 0.0
    return said


def kernel_figures():
    figures = []
    for row in rows_of("kernels.csv"):
        key = ",".join((row["chip"], row["kernel"], row["metric"]))
        figures.append(Figure(row["group"], key, float(row["value"]), row))
    return figures


def all_figures():
    return split(vector_figures() + kernel_figures())
