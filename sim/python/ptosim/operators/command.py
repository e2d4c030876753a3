"""ptosim op FOLDER: an operator from its folder (docs/kernels.md)."""
from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .. import program
from ..errors import misuse
from .operator import DYNAMIC, NUMERICS, REQUIRED, Operator, Plan, Tensor
from .tree import find
from .types import BY_NUMBER, BY_SHORT, stored


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("ptosim op", add_help=False, allow_abbrev=False)
    parser.add_argument("folder", nargs="+")
    for name in ("shape", "dtype", "attr", "in", "out", "golden"):
        parser.add_argument("--" + name, action="append", default=[], dest=name + "s")
    for name in ("chip", "ascendc", "metadef", "opbase"):
        parser.add_argument("--" + name, default="" if name == "chip" else None)
    parser.add_argument("--aclnn", default="")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--dry-run", action="store_true", dest="dry_run")
    parser.add_argument("--tests", default="")
    return parser


def _named(words: Sequence[str], names: Sequence[str], what: str) -> Dict[str, str]:
    """NAME=VALUE, or values in the order of the names, separated by commas; -: none."""
    found: Dict[str, str] = {}
    for word in words:
        for at, part in enumerate(word.lstrip(",").split(",") if what != "--attr" and "=" not in word else [word]):
            name, equals, value = part.partition("=")
            if part == "-":
                continue
            if not equals:
                if at >= len(names):
                    raise misuse(f"{what} {word}: there are {len(names)} inputs", "", "I11")
                name, value = names[at], part
            found[name] = value
    return found


def _shape(text: str) -> Tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split("x")) if text not in ("", "scalar") else ()
    except ValueError:
        raise misuse(f"'{text}' is not a shape", "such as 4x1024", "I11") from None


def _dtype(text: str) -> int:
    if text not in BY_SHORT:
        raise misuse(f"unknown element type '{text}'", "known are " + ", ".join(BY_SHORT), "I11")
    return BY_SHORT[text].number


def _tensors(operator: Operator, options: argparse.Namespace, folder: str
             ) -> Tuple[Dict[str, Any], Dict[str, List[Tuple[int, ...]]], Dict[str, int], Dict[str, str]]:
    """Inputs, shapes and types of outputs, files of inputs by the names of arguments."""
    names = [row["name"] for row in operator.inputs]
    every_name = names + [row["name"] for row in operator.outputs]
    files = _named(options.ins, names, "--in")
    every = [word for word in options.shapes if "=" not in word and "," not in word]
    shapes = {row["name"]: word for word in every for row in operator.inputs if row["kind"] in (REQUIRED, DYNAMIC)}
    shapes.update(_named([word for word in options.shapes if word not in every], every_name, "--shape"))
    same = [word for word in options.dtypes if "=" not in word and "," not in word]
    types = _named([word for word in options.dtypes if word not in same], names, "--dtype")
    known = set(names) | {row["name"] for row in operator.outputs}
    for name in [*files, *shapes, *types]:
        if name not in known:
            raise misuse(f"{operator.name} has no parameter '{name}'", "it has " + ", ".join(sorted(known)), "I11")
    arrays: Dict[str, List[np.ndarray]] = {}
    for name, paths in files.items():
        for path in paths.split(";"):
            try:
                arrays.setdefault(name, []).append(np.load(path, allow_pickle=False))
            except (OSError, ValueError) as error:
                raise misuse(f"{path} cannot be read: {error}", "", "I01") from None
    given = {name: _dtype(text) for name, text in types.items()}
    for name, values in arrays.items():
        if name not in given:
            short = {"float32": "f32", "float16": "f16", "bool": "bool"}.get(values[0].dtype.name)
            given[name] = _dtype(short or values[0].dtype.name.replace("uint", "u").replace("int", "i"))
    if same and operator.inputs:
        first = next((name for name in names if name in shapes or name in files), names[0])
        given.setdefault(first, _dtype(same[-1]))
    dtypes = {name: number for name, number in given.items() if name not in names}
    at = operator.column({name: number for name, number in given.items() if name in names}, dtypes)
    tensors: Dict[str, Any] = {}
    by_argument: Dict[str, str] = {}
    for row in operator.inputs:
        name = row["name"]
        if name not in shapes and name not in arrays:
            continue
        number = given.get(name, row["dtypes"][min(at, len(row["dtypes"]) - 1)])
        if name in arrays:
            made = []
            for i, (array, path) in enumerate(zip(arrays[name], files[name].split(";"))):
                made.append(Tensor(number, tuple(array.shape), file=os.path.join(folder, f"{name}.{i}.bin")))
                array.tofile(made[-1].file)
                by_argument[f"{name}[{i}]" if row["kind"] == DYNAMIC else name] = path
        else:
            made = [Tensor(number, _shape(part)) for part in shapes[name].split(";")]
            for i, tensor in enumerate(made):  # tilings read the values of some inputs
                if not _is_random(number):
                    tensor.file = os.path.join(folder, f"{name}.{i}.bin")
                    np.zeros(tensor.shape, _numpy(number)).tofile(tensor.file)
        tensors[name] = made
    outputs = {name: [_shape(part) for part in text.split(";")] for name, text in shapes.items() if name not in names}
    return tensors, outputs, dtypes, by_argument


def _array_word(tensor: Tensor) -> str:
    return "x".join(map(str, tensor.shape or (1,))) + "x" + stored(tensor.dtype)


def _words(plan: Plan, options: argparse.Namespace, files: Dict[str, str], folder: str) -> List[str]:
    """The command that runs the variant."""
    outs = _named(options.outs, [], "--out")
    goldens = _named(options.goldens, [], "--golden")
    words = ["check" if options.check else "run", plan.source, "--blocks", str(plan.blocks)]
    if options.chip:
        words += ["--chip", options.chip]
    for include in plan.includes:
        words += ["-I", include]
    for define in plan.defines:
        words += ["--define", define]
    names = [argument.name for argument in plan.arguments if argument.role in ("out", "inout")]
    for name in [*outs, *goldens]:
        if name not in names:
            raise misuse(f"'{name}' is not an output", "outputs are " + ", ".join(names), "I11")
    for index, argument in enumerate(plan.arguments):
        name, target = argument.name, outs.get(argument.name)
        if argument.role == "table":
            path = os.path.join(folder, f"table{index}.npy")
            np.save(path, argument.words)
            words += ["--arg", f"inout={path}"]
            continue
        ending = f":{target}" if target else ""
        if argument.role == "out":
            words += ["--arg", f"out={_array_word(argument.tensor)}{ending}"]
        elif name in files:
            words += ["--arg", f"{argument.role}={_readable(files[name], folder, name, argument.tensor)}{ending}"]
        else:
            generated = _is_random(argument.tensor.dtype)
            if argument.role == "inout":
                path = os.path.join(folder, name + ".npy")
                np.save(path, np.zeros(argument.tensor.shape or (1,), _numpy(argument.tensor.dtype)))
                words += ["--arg", f"inout={path}{ending}"]
            else:
                words += ["--arg", f"{'rand' if generated else 'zeros'}={_array_word(argument.tensor)}"]
        if name in goldens:
            words += ["--golden", f"{index}={goldens[name]}"]
    path = os.path.join(folder, "tiling.npy")
    np.save(path, plan.tiling_bytes)
    return words + ["--arg", f"zeros={plan.workspace}xu8", "--arg", f"in={path}"]


def _is_random(number: int) -> bool:
    """Other generated values are 0, because they are indices, sizes or masks."""
    return BY_NUMBER[number].short not in ("i16", "u16", "i32", "u32", "i64", "u64", "bool")


def _numpy(number: int) -> np.dtype:
    from ..arrays import numpy_dtype
    return numpy_dtype(stored(number))


def _readable(path: str, folder: str, name: str, tensor: Tensor) -> str:
    """The file, or a copy whose type and order kernels have."""
    array = np.load(path, allow_pickle=False)
    if tensor.logical is not None:
        path = os.path.join(folder, name + "_blocks.npy")
        array = tensor.placed(array)
        np.save(path, array)
    if array.dtype not in (np.dtype(bool), np.dtype(np.float64), np.dtype(np.complex64)) and array.ndim > 0:
        return path
    view = array.view(np.uint8) if array.dtype == np.dtype(bool) else np.atleast_1d(array).view(np.uint64) \
        if array.dtype.itemsize == 8 else array
    copy = os.path.join(folder, name + "_bits.npy")
    np.save(copy, np.atleast_1d(view))
    return copy


def describe(operator: Operator, plan: Plan) -> str:
    def row(argument: object) -> str:
        tensor = argument.tensor  # type: ignore[attr-defined]
        short = BY_NUMBER[tensor.dtype].short if tensor.dtype in BY_NUMBER else str(tensor.dtype)
        return f"{argument.name} {'x'.join(map(str, tensor.shape)) or 'scalar'} {short}"  # type: ignore[attr-defined]
    inputs = ", ".join(row(one) for one in plan.arguments if one.role in ("in", "inout"))
    outputs = ", ".join(row(one) for one in plan.arguments if one.role in ("out", "inout"))
    return (f"operator      {operator.name}: {inputs} -> {outputs}\n"
            f"tiling        key {plan.key}, {plan.blocks} blocks, {len(plan.tiling)} bytes of tiling data, "
            f"{plan.workspace} bytes of workspace\n"
            f"variant       {plan.origin}" + (f", {plan.kernel_type}" if plan.kernel_type else ""))


def main(words: Sequence[str]) -> int:
    if list(words) == ["--serve"]:
        from .serve import main as serve
        return serve()
    if words and words[0] in ("--toolkit", "--project"):
        from .project import main as project
        return project(words)
    if not words or words[0] in ("--help", "-h"):
        return program.run(["op", "--help"])
    options, rest = _parser().parse_known_args(list(words))
    if options.aclnn:
        from . import aclnn
        calls = aclnn.library(options.folder, options.aclnn, options.chip, ascendc=options.ascendc, metadef=options.metadef,
                              opbase=options.opbase)
        print(f"{options.aclnn}: " + ", ".join(calls))
        return 0
    if len(options.folder) > 1:
        raise misuse(f"{options.folder[1]}: one folder runs at a time", "several make calls together (--aclnn DIR)", "I11")
    if options.tests:
        from . import tests
        given = {name: getattr(options, name) for name in ("ascendc", "metadef", "opbase")}
        return tests.run(find(options.folder[0], **given), options.tests, options.chip, options.check, rest)
    operator = Operator(options.folder[0], options.chip, ascendc=options.ascendc, metadef=options.metadef,
                        opbase=options.opbase)
    with tempfile.TemporaryDirectory(prefix="ptosim-op-") as folder:
        tensors, outputs, dtypes, files = _tensors(operator, options, folder)
        attributes = _named(options.attrs, [], "--attr")
        plan = operator.plan(tensors, attributes, outputs, dtypes)
        print(describe(operator, plan), flush=True)
        if options.dry_run:
            print(f"source        {plan.source}")
            return 0
        operator.require_one_rank()
        environment = dict(program.environment(), PTOSIM_ASCENDC=operator.tree.ascendc)
        environment.setdefault("PTOSIM_NUMERICS", NUMERICS)
        return subprocess.call([program.path(), *_words(plan, options, files, folder), *rest], env=environment)
