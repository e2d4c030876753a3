"""Random products of matrices, with a bias, a fixpipe and vector cores that go on with the result.

Values are small whole numbers, so that every sum is exact in any order and numpy gives the answer.
"""
import os
import random
from dataclasses import dataclass, replace

import numpy as np

from write_cpp import CPP_TYPES
from write_pto import pto_type

ACCUMULATED = {"i8": "i32"}
FACTORS = {"a2a3": ("f16", "bf16", "f32", "i8"), "a5": ("f16", "bf16", "f32", "i8"), "kirin": ("f16", "i8")}
NPY = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "i32": np.int32}
UNARY = ("tabs", "trelu", "tneg")


def bf16(values):
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


@dataclass
class Product:
    """c = a b, of `steps` parts along k; then perhaps relu, and `stage` by the two vector cores of the cluster."""
    name: str
    arch: str
    blocks: int
    dtype: str
    m: int  # of these rows the last box may be used in part
    n: int
    k: int  # of a step
    steps: int
    bias: bool
    extract: bool  # TEXTRACT in place of TMOV into L0
    stored: str  # element type of the result
    relu: bool
    stage: tuple  # vector instructions, or ()
    loop: bool  # the further steps are a loop
    vectors: int  # cores of a cluster
    numerics: str = "ieee"

    @property
    def sums(self):
        return ACCUMULATED.get(self.dtype, "f32")

    @property
    def rows(self):
        return -(-self.m // 16) * 16

    def parameters(self):
        """(name, element type, elements of a block, is an input) of each pointer."""
        found = [("a", self.dtype, self.m * self.k * self.steps, True),
                 ("b", self.dtype, self.k * self.steps * self.n, True)]
        if self.bias:
            found.append(("bias", self.sums, self.n, True))
        found.append(("c", self.stored, self.m * self.n, False))
        if self.stage:
            found.append(("d", self.sums, self.m * self.n, False))
        return found

    # ---- data

    def inputs(self, seed):
        pick = np.random.default_rng(seed)
        return {name: pick.integers(-3, 4, self.blocks * count) for name, _, count, given in self.parameters() if given}

    def files(self, folder, seed):
        """Writes the inputs; the --arg words, seen from a folder below, and {output: its file}."""
        words, outputs = [], {}
        values = self.inputs(seed)
        for name, dtype, count, given in self.parameters():
            if given:
                array = bf16(values[name]) if dtype == "bf16" else values[name].astype(NPY[dtype])
                np.save(os.path.join(folder, name + ".npy"), array)
                words += ["--arg", f"in=../{name}.npy"]
            else:
                words += ["--arg", f"out={self.blocks * count}x{dtype}:{name}.npy"]
                outputs[name] = name + ".npy"
        return words, outputs

    def wrong(self, outputs, seed):
        """Differences from numpy's answer, or None."""
        values = self.inputs(seed)
        depth = self.k * self.steps
        a = values["a"].reshape(self.blocks, self.m, depth)
        c = a @ values["b"].reshape(self.blocks, depth, self.n)
        if self.bias:
            c = c + values["bias"].reshape(self.blocks, 1, self.n)
        stored = np.maximum(c, 0) if self.relu else c
        if self.stored == "bf16" and np.abs(stored).max() > 256:
            return None
        expected = bf16(stored) if self.stored == "bf16" else stored.astype(NPY[self.stored])
        if expected.tobytes() != outputs["c"]:
            return "product: c is not numpy's"
        if self.stage:
            d = stored
            for word in self.stage:
                d = {"tabs": np.abs, "trelu": lambda x: np.maximum(x, 0), "tneg": np.negative}[word](d)
            d = d.astype(NPY[self.sums])
            found = np.frombuffer(outputs["d"], NPY[self.sums]).reshape(d.shape)
            if not np.array_equal(found, d):
                return "product: d is not numpy's"
        return None

    # ---- instructions, in both languages

    def tiles(self):
        """{name: (`.pto` type, C++ type, address)}"""
        t, s = pto_type(self.dtype), pto_type(self.sums)
        ct, cs = CPP_TYPES[self.dtype], CPP_TYPES[self.sums]
        m, n, k, r = self.m, self.n, self.k, self.rows

        def mat(rows, cols, valid):
            return (f"!pto.tile_buf<mat, {rows}x{cols}x{t}, valid={valid}x{cols}, blayout=col_major, slayout=row_major>",
                    f"Tile<TileType::Mat, {ct}, {rows}, {cols}, BLayout::ColMajor, {valid}, {cols}, SLayout::RowMajor>")

        tiles = {"l1a": (*mat(r, k, m), 0), "l1b": (*mat(k, n, k), 65536),
                 "l0a": (f"!pto.tile_buf<left, {r}x{k}x{t}, valid={m}x{k}, slayout=row_major>",
                         f"TileLeft<{ct}, {r}, {k}, {m}, {k}>", 0),
                 "l0b": (f"!pto.tile_buf<right, {k}x{n}x{t}, slayout=col_major>", f"TileRight<{ct}, {k}, {n}>", 0),
                 "l0c": (f"!pto.tile_buf<acc, {r}x{n}x{s}, valid={m}x{n}, blayout=col_major, slayout=row_major, "
                         "fractal=1024>", f"TileAcc<{cs}, {r}, {n}, {m}, {n}>", 0)}
        if self.bias:
            tiles["l1bias"] = (f"!pto.tile_buf<mat, 1x{n}x{s}>", f"Tile<TileType::Mat, {cs}, 1, {n}>", 131072)
            tiles["table"] = (f"!pto.tile_buf<bias, 1x{n}x{s}>", f"Tile<TileType::Bias, {cs}, 1, {n}>", 0)
        return tiles

    def part_rows(self):
        """Rows of a vector core."""
        return self.m // self.vectors

    def vector_tile(self):
        return (f"!pto.tile_buf<vec, {self.part_rows()}x{self.n}x{pto_type(self.sums)}>",
                f"Tile<TileType::Vec, {CPP_TYPES[self.sums]}, {self.part_rows()}, {self.n}>")


def draw(program, seed):
    pick = random.Random(f"product {program.generation} {seed}")
    dtype = pick.choice(FACTORS[program.generation])
    unit = 32 if dtype == "i8" else 16
    sums = ACCUMULATED.get(dtype, "f32")
    stage = tuple(pick.choice(UNARY) for _ in range(pick.randint(1, 3))) if pick.random() < 0.4 else ()
    others = ("f32", "f16") if program.generation == "kirin" else ("f32", "f32", "f16", "bf16")
    stored = sums if stage or sums == "i32" else pick.choice(others)
    if sums == "i32":
        stage = ()
    m = pick.choice((1, 7, 16, 17, 32, 48, 64))
    if stage:
        m = pick.choice((2, 16, 34, 64))
    return Product(f"m{seed}", program.arch, pick.choice((1, 2, 3)), dtype, m, unit * pick.randint(1, 3), unit * pick.randint(1, 4),
                   pick.randint(1, 4), pick.random() < 0.3, pick.random() < 0.5, stored,
                   stored != "i32" and pick.random() < 0.3, stage, pick.random() < 0.7,
                   program.vectors)


def smaller(kernel):
    changes = [{"blocks": 1}, {"steps": 1}, {"bias": False}, {"extract": False}, {"relu": False}, {"loop": False},
               {"stage": ()}, {"stage": kernel.stage[:1]}, {"k": 32}, {"n": 32}, {"m": 16}]
    for change in changes:
        candidate = replace(kernel, **change)
        if candidate != kernel:
            yield candidate


class Text:
    """Lines of one language; if `explicit`, a chain of flags orders the operations."""

    def __init__(self, explicit, barrier, flag, indent):
        self.explicit, self.write_barrier, self.write_flag = explicit, barrier, flag
        self.lines, self.last, self.indent = [], None, indent

    def add(self, text):
        self.lines.append(self.indent + text)

    def on(self, pipe, text):
        if self.explicit and self.last == pipe:
            if pipe not in ("M", "FIX"):
                self.add(self.write_barrier(pipe))
        elif self.explicit and self.last:
            for line in self.write_flag(self.last, pipe):
                self.add(line)
        self.last = pipe
        self.add(text)

    def all(self):
        if self.explicit:
            self.add(self.write_barrier("ALL"))
        self.last = None


def pto_text(explicit):
    return Text(explicit, lambda pipe: f"pto.barrier <PIPE_{pipe}>",
                lambda a, b: [f"pto.{word}_flag[<PIPE_{a}>, <PIPE_{b}>, <EVENT_ID0>]" for word in ("set", "wait")], "    ")


def cpp_text(explicit):
    return Text(explicit, lambda pipe: f"pipe_barrier(PIPE_{pipe});",
                lambda a, b: [f"{word}_flag(PIPE_{a}, PIPE_{b}, EVENT_ID0);" for word in ("set", "wait")], "    ")


class PtoProduct:
    def __init__(self, kernel, explicit):
        self.kernel, self.text, self.constants, self.count = kernel, pto_text(explicit), {}, 0
        self.kinds = {}

    def constant(self, value, kind="index"):
        name = f"%c{value}_{kind}"
        self.constants[name] = f"    {name} = arith.constant {value} : {kind}"
        return name

    def new(self, text):
        self.count += 1
        self.text.add(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def tile(self, name, kind, address):
        self.text.add(f"%{name} = pto.alloc_tile addr = {self.constant(address, 'i64')} : {kind}")
        self.kinds["%" + name] = kind
        return "%" + name

    def part(self, parameter, dtype, all_rows, all_cols, row, col, rows, cols):
        """Part of the matrix of all blocks, `row` and `col` as values."""
        kind = pto_type(dtype)
        one, c = self.constant(1), self.constant
        view = self.new(f"pto.make_tensor_view %{parameter}, shape = [{c(all_rows)}, {c(all_cols)}], strides = "
                        f"[{c(all_cols)}, {one}] : !pto.tensor_view<?x?x{kind}>")
        part = self.new(f"pto.partition_view {view}, offsets = [{row}, {col}], sizes = [{c(rows)}, {c(cols)}] : "
                        f"!pto.tensor_view<?x?x{kind}> -> !pto.partition_tensor_view<{rows}x{cols}x{kind}>")
        self.kinds[part] = f"!pto.partition_tensor_view<{rows}x{cols}x{kind}>"
        return part

    def times(self, value, by, plus=0):
        product = self.new(f"arith.muli {value}, {self.constant(by)} : index")
        return self.new(f"arith.addi {product}, {self.constant(plus)} : index") if plus else product

    def operation(self, pipe, name, ins, outs, attributes=""):
        clause = lambda values, inner="": (f"({', '.join(values)}{inner} : "
                                           f"{', '.join(self.kinds[value] for value in values)})")
        self.text.on(pipe, f"pto.{name} ins{clause(ins, attributes)} outs{clause(outs)}")

    def into_l0(self, target, source):
        if self.kernel.extract:
            zero = self.constant(0)
            self.text.on("MTE1", f"pto.textract ins({source}, {zero}, {zero} : {self.kinds[source]}, index, index) "
                                 f"outs({target} : {self.kinds[target]})")
        else:
            self.operation("MTE1", "tmov", [source], [target])

    def step(self, tiles, first, step):
        """Loads and multiplies part `step`, a value."""
        k = self.kernel
        depth = self.times(step, k.k)
        a = self.part("a", k.dtype, k.blocks * k.m, k.k * k.steps, self.a_row, depth, k.m, k.k)
        b_row = self.new(f"arith.addi {self.b_row}, {depth} : index")
        b = self.part("b", k.dtype, k.blocks * k.k * k.steps, k.n, b_row, self.constant(0), k.k, k.n)
        self.operation("MTE2", "tload", [a], [tiles["l1a"]])
        self.operation("MTE2", "tload", [b], [tiles["l1b"]])
        self.into_l0(tiles["l0a"], tiles["l1a"])
        self.into_l0(tiles["l0b"], tiles["l1b"])
        if first and k.bias:
            bias = self.part("bias", k.sums, k.blocks, k.n, "%block", self.constant(0), 1, k.n)
            self.operation("MTE2", "tload", [bias], [tiles["l1bias"]])
            self.operation("MTE1", "tmov", [tiles["l1bias"]], [tiles["table"]])
            self.operation("M", "tmatmul.bias", [tiles["l0a"], tiles["l0b"], tiles["table"]], [tiles["l0c"]])
        elif first:
            self.operation("M", "tmatmul", [tiles["l0a"], tiles["l0b"]], [tiles["l0c"]])
        else:
            self.operation("M", "tmatmul.acc", [tiles["l0c"], tiles["l0a"], tiles["l0b"]], [tiles["l0c"]])

    def cube(self):
        k = self.kernel
        tiles = {name: self.tile(name, kind, address) for name, (kind, _, address) in k.tiles().items()}
        self.a_row, self.b_row = self.times("%block", k.m), self.times("%block", k.k * k.steps)
        self.step(tiles, True, self.constant(0))
        if k.loop and k.steps > 1:
            self.text.all()
            self.text.add(f"scf.for %i = {self.constant(1)} to {self.constant(k.steps)} step {self.constant(1)} {{")
            self.step(tiles, False, "%i")
            self.text.all()
            self.text.add("}")
        else:
            for step in range(1, k.steps):
                self.step(tiles, False, self.constant(step))
        to = self.part("c", k.stored, k.blocks * k.m, k.n, self.a_row, self.constant(0), k.m, k.n)
        relu = " {reluPreMode = #pto<relu_pre_mode normal_relu>}" if k.relu else ""
        self.text.on("FIX", f"pto.tstore ins({tiles['l0c']} : {self.kinds[tiles['l0c']]}) outs({to} : "
                            f"{self.kinds[to]}){relu}")
        if k.stage:
            self.text.add("pto.sync.set <PIPE_FIX>, 0 {ffts_mode = 2 : i32}")

    def vector(self):
        k = self.kernel
        kind = k.vector_tile()[0]
        self.text.last = None
        self.text.add("pto.sync.wait <PIPE_MTE2>, 0")
        sub64 = self.new("pto.get_subblock_idx")
        sub = self.new(f"arith.index_cast {sub64} : i64 to index")
        both = self.times("%block", k.vectors)
        row = self.times(self.new(f"arith.addi {both}, {sub} : index"), k.part_rows())
        x, y = self.tile("x", kind, 0), self.tile("y", kind, 65536)
        zero = self.constant(0)
        self.operation("MTE2", "tload", [self.part("c", k.sums, k.blocks * k.m, k.n, row, zero, k.part_rows(), k.n)], [x])
        for word in k.stage:
            self.operation("V", word, [x], [y])
            x, y = y, x
        self.operation("MTE3", "tstore", [x], [self.part("d", k.sums, k.blocks * k.m, k.n, row, zero, k.part_rows(), k.n)])

    def function(self):
        k = self.kernel
        if k.stage:
            self.text.add("pto.section.cube {")
        self.cube()
        if k.stage:
            self.text.add("}")
            self.text.add("pto.section.vector {")
            self.vector()
            self.text.add("}")
        kind = "" if k.stage else ", pto.kernel_kind = #pto.kernel_kind<cube>"
        parameters = ", ".join(f"%{name}: !pto.ptr<{pto_type(dtype)}>" for name, dtype, _, _ in k.parameters())
        return "\n".join([f'module attributes {{pto.target_arch = "{k.arch}"}} {{',
                          f"  func.func @{k.name}({parameters}) attributes {{pto.entry{kind}}} {{",
                          *self.constants.values(), "    %block64 = pto.get_block_idx",
                          "    %block = arith.index_cast %block64 : i64 to index", *self.text.lines, "    return", "  }",
                          "}"]) + "\n"


class CppProduct:
    def __init__(self, kernel, explicit):
        self.kernel, self.text, self.count = kernel, cpp_text(explicit), 0

    def tile(self, name, kind, address):
        self.text.add(f"{kind} {name};")
        self.text.add(f"TASSIGN({name}, {address});")

    def part(self, parameter, dtype, all_cols, offset, rows, cols):
        self.count += 1
        self.text.add(f"GlobalTensor<{CPP_TYPES[dtype]}, Shape<1, 1, 1, {rows}, {cols}>, Stride<1, 1, 1, {all_cols}, 1>> "
                      f"p{self.count}({parameter} + {offset});")
        return f"p{self.count}"

    def into_l0(self, target, source):
        self.text.on("MTE1", f"TEXTRACT({target}, {source}, 0, 0);" if self.kernel.extract else
                     f"TMOV({target}, {source});")

    def step(self, first, step):
        k = self.kernel
        a = self.part("a", k.dtype, k.k * k.steps, f"block * {k.m * k.k * k.steps} + {step} * {k.k}", k.m, k.k)
        b = self.part("b", k.dtype, k.n, f"(block * {k.steps} + {step}) * {k.k * k.n}", k.k, k.n)
        self.text.on("MTE2", f"TLOAD(l1a, {a});")
        self.text.on("MTE2", f"TLOAD(l1b, {b});")
        self.into_l0("l0a", "l1a")
        self.into_l0("l0b", "l1b")
        if first and k.bias:
            bias = self.part("bias", k.sums, k.n, f"block * {k.n}", 1, k.n)
            self.text.on("MTE2", f"TLOAD(l1bias, {bias});")
            self.text.on("MTE1", "TMOV(table, l1bias);")
            self.text.on("M", "TMATMUL_BIAS(l0c, l0a, l0b, table);")
        elif first:
            self.text.on("M", "TMATMUL(l0c, l0a, l0b);")
        else:
            self.text.on("M", "TMATMUL_ACC(l0c, l0c, l0a, l0b);")

    def cube(self):
        k = self.kernel
        for name, (_, kind, address) in k.tiles().items():
            self.tile(name, kind, address)
        self.step(True, 0)
        if k.loop and k.steps > 1:
            self.text.all()
            self.text.add(f"for (int i = 1; i < {k.steps}; ++i) {{")
            self.step(False, "i")
            self.text.all()
            self.text.add("}")
        else:
            for step in range(1, k.steps):
                self.step(False, step)
        to = self.part("c", k.stored, k.n, f"block * {k.m * k.n}", k.m, k.n)
        chosen = "<decltype(l0c), decltype(%s), AtomicType::AtomicNone, ReluPreMode::NormalRelu>" % to if k.relu else ""
        self.text.on("FIX", f"TSTORE{chosen}({to}, l0c);")
        if k.stage:
            self.text.add("ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(2, 0));")

    def vector(self):
        k = self.kernel
        self.text.last = None
        self.text.add("wait_flag_dev(PIPE_MTE2, 0);")
        for name, address in (("x", 0), ("y", 65536)):
            self.tile(name, k.vector_tile()[1], address)
        at = f"(block * {k.vectors} + get_subblockid()) * {k.part_rows() * k.n}"
        self.text.on("MTE2", f"TLOAD(x, {self.part('c', k.sums, k.n, at, k.part_rows(), k.n)});")
        x, y = "x", "y"
        for word in k.stage:
            self.text.on("V", f"{word.upper()}({y}, {x});")
            x, y = y, x
        self.text.on("MTE3", f"TSTORE({self.part('d', k.sums, k.n, at, k.part_rows(), k.n)}, {x});")

    def function(self):
        k = self.kernel
        parameters = ", ".join(f"__gm__ {CPP_TYPES[dtype]}* {name}" for name, dtype, _, _ in k.parameters())
        self.text.add("// 0: product")
        self.text.add("[[maybe_unused]] const int block = get_block_idx();")
        if k.stage:
            self.text.lines.append("#if defined(__DAV_CUBE__)")
        self.cube()
        if k.stage:
            self.text.lines += ["#endif", "#if defined(__DAV_VEC__)"]
            self.vector()
            self.text.lines.append("#endif")
        return [f"__global__ AICORE void {k.name}({parameters}) {{", *self.text.lines, "}"]
