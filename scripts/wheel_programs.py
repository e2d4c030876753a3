#!/usr/bin/python3
"""Programs of our own, built with the Python bindings of PyPI's wheel `ptoas`, and run here.

    python3.12 -m venv VENV && VENV/bin/pip install ptoas numpy
    scripts/wheel_programs.py --python VENV/bin/python [--ptosim BIN] [--keep FOLDER]

The bindings build a module and print it; the wheel's dialect is older than PTOAS v0.27 (tiles lie in
`ub`, partitions are `pto.subview`). Results are compared with numpy, bit for bit; inputs are small
integers, so that every order of sums gives the same.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROWS = COLS = 64


# ---- inside of the wheel's interpreter -------------------------------------------------------------

class Function:
    """One kernel with `count` pointers to f32 matrices of ROWS x COLS, or of other shapes."""

    def __init__(self, pto, shapes):
        from mlir.dialects import arith, func
        from mlir.ir import F32Type, FunctionType, IndexType, InsertionPoint, IntegerAttr, Module
        self.pto, self.arith, self.f32, self.index = pto, arith, F32Type.get(), IndexType.get()
        self.attribute = IntegerAttr
        self.module = Module.create()
        pointer = pto.PtrType.get(self.f32)
        with InsertionPoint(self.module.body):
            function = func.FuncOp("kernel", FunctionType.get([pointer] * len(shapes), []))
        self.block = function.add_entry_block()
        self.point = InsertionPoint(self.block)
        self.point.__enter__()
        self.constants = {}
        self.parts = [self.part(i, *shape) for i, shape in enumerate(shapes)]

    def constant(self, value):
        if value not in self.constants:
            self.constants[value] = self.arith.ConstantOp(
                self.index, self.attribute.get(self.index, value)).result
        return self.constants[value]

    def part(self, number, rows, cols):
        pto = self.pto
        shape, one, zero = [self.constant(rows), self.constant(cols)], self.constant(1), self.constant(0)
        view = pto.MakeTensorViewOp(pto.TensorViewType.get(2, self.f32), self.block.arguments[number],
                                    shape, [self.constant(cols), one]).result
        return pto.SubviewOp(pto.TileViewType.get([rows, cols], self.f32), view, [zero, zero],
                             shape).result

    def tile(self, space="UB", rows=ROWS, cols=COLS, blayout="RowMajor", slayout="NoneBox",
             fractal=512):
        pto = self.pto
        config = pto.TileBufConfigAttr.get(
            pto.BLayoutAttr.get(getattr(pto.BLayout, blayout)),
            pto.SLayoutAttr.get(getattr(pto.SLayout, slayout)), fractal,
            pto.PadValueAttr.get(pto.PadValue.Null))
        where = pto.AddressSpaceAttr.get(getattr(pto.AddressSpace, space))
        return pto.AllocTileOp(
            pto.TileBufType.get([rows, cols], self.f32, where, [rows, cols], config)).result

    def load(self, number, tile):
        self.pto.TLoadOp(None, self.parts[number], tile)
        return tile

    def store(self, tile, number):
        self.pto.TStoreOp(None, tile, self.parts[number])

    def text(self):
        from mlir.dialects import func
        func.ReturnOp([])
        self.point.__exit__(None, None, None)
        return str(self.module)


def add(pto):
    f = Function(pto, [(ROWS, COLS)] * 3)
    a, b, c = f.load(0, f.tile()), f.load(1, f.tile()), f.tile()
    pto.TAddOp(a, b, c)
    f.store(c, 2)
    return f.text()


def chain(pto):
    f = Function(pto, [(ROWS, COLS)] * 3)
    a, b, c, d = f.load(0, f.tile()), f.load(1, f.tile()), f.tile(), f.tile()
    pto.TSubOp(a, b, c)
    pto.TAbsOp(c, d)
    pto.TMulOp(d, a, c)
    pto.TMaxOp(c, b, d)
    f.store(d, 2)
    return f.text()


def centre(pto):
    f = Function(pto, [(ROWS, COLS)] * 3)
    a, c = f.load(0, f.tile()), f.tile()
    top, all_tops = f.tile(rows=1), f.tile()
    pto.TColMaxOp(a, top)
    pto.TColExpandOp(top, all_tops)
    pto.TSubOp(a, all_tops, c)
    f.store(c, 2)
    return f.text()


def centre_rows(pto):
    f = Function(pto, [(ROWS, COLS)] * 3)
    a, c = f.load(0, f.tile()), f.tile()
    top = f.tile(cols=1, blayout="ColMajor")
    pto.TRowMaxOp(a, top)
    pto.TRowExpandSubOp(a, top, c)
    f.store(c, 2)
    return f.text()


def product(pto):
    f = Function(pto, [(ROWS, COLS)] * 3)
    nz = {"blayout": "ColMajor", "slayout": "RowMajor"}
    a, b = f.load(0, f.tile("MAT", **nz)), f.load(1, f.tile("MAT", **nz))
    left = f.tile("LEFT", blayout="RowMajor", slayout="RowMajor")
    right = f.tile("RIGHT", blayout="RowMajor", slayout="ColMajor")
    out = f.tile("ACC", fractal=1024, **nz)
    pto.TMovOp(None, a, left)
    pto.TMovOp(None, b, right)
    pto.TMatmulOp(None, left, right, out)
    f.store(out, 2)
    return f.text()


PROGRAMS = {"add": add, "chain": chain, "centre": centre, "centre_rows": centre_rows,
            "product": product}


def write(folder):
    from mlir.dialects import pto
    from mlir.ir import Context, Location
    with Context() as context, Location.unknown():
        pto.register_dialect(context, load=True)
        for name, program in PROGRAMS.items():
            (pathlib.Path(folder) / f"{name}.pto").write_text(program(pto) + "\n")


# ---- here --------------------------------------------------------------------------------------------

def run(folder, ptosim):
    import numpy as np
    random = np.random.default_rng(23)
    a, b = (random.integers(-8, 8, (ROWS, COLS)).astype(np.float32) for _ in range(2))
    expected = {"add": a + b, "chain": np.maximum(abs(a - b) * a, b),
                "centre": a - a.max(0, keepdims=True),
                "centre_rows": a - a.max(1, keepdims=True), "product": a @ b}
    for name, values in (("a", a), ("b", b)):
        np.save(folder / f"{name}.npy", values)
    failed = 0
    for name in PROGRAMS:
        np.save(folder / f"{name}.golden.npy", expected[name])
        for sync in ("auto", "insert"):
            result = subprocess.run(
                [ptosim, "run", f"{name}.pto", "--blocks", "1", "--sync", sync, "--arg", "in=a.npy",
                 "--arg", "in=b.npy", "--arg", f"out={ROWS}x{COLS}xf32", "--golden",
                 f"2={name}.golden.npy"], cwd=folder, capture_output=True, text=True, check=False)
            failed += result.returncode != 0
            said = result.stderr.strip() or result.stdout.strip().split("\n")[-1]
            print(f"{name:12} --sync {sync:6}  {said}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", help="the interpreter that has the wheel")
    default = pathlib.Path(__file__).resolve().parent.parent / "build" / "ptosim"
    parser.add_argument("--ptosim", default=str(default), help="the program")
    parser.add_argument("--keep", help="a folder for what the wheel writes")
    parser.add_argument("--write", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        return write(options.write)
    if not options.python:
        sys.exit("error: --python names the interpreter that has the wheel `ptoas`")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([options.python, __file__, "--write", str(folder)], check=True)
        return sys.exit(1 if run(folder, os.path.abspath(options.ptosim)) else 0)


if __name__ == "__main__":
    main()
