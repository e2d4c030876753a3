"""ptosim op --serve: plans and compiled variants for two-phase calls (aclnn/engine.h), which ask by standard input."""
from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import tempfile
from typing import Dict, Iterator, List, Optional, Sequence, TextIO, Tuple

import numpy as np

from .. import program
from ..errors import Error, misuse
from . import kernel, packages, tree
from .includes import text_of
from .operator import DYNAMIC, Operator, Plan, Tensor

_SKIPPED = frozenset((".git", "build", "build_out", "docs", "node_modules", "__pycache__", "tests", "test", "examples"))


# ---- where operators are ----------------------------------------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def folders_below(root: str) -> Tuple[str, ...]:
    """Folders of operators, those of experiments last; of a project its description."""
    found = [root] if root.endswith(tree.DESCRIPTION) and os.path.isfile(root) else []
    for folder, folders, _ in os.walk(root):
        if "op_host" in folders and "op_kernel" in folders:
            found.append(folder)
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and name not in ("op_host", "op_kernel", "op_api"))
    return tuple(sorted(found, key=lambda path: ("experimental" in path, path)))


def _defines(folder: str, name: str) -> bool:
    added = re.compile(rf"\bOP_ADD\s*\(\s*{re.escape(name)}\b")
    if folder.endswith(tree.DESCRIPTION):
        return any(added.search(text_of(source)) for source in tree.find(folder).hosts)
    for at, _, files in os.walk(os.path.join(folder, "op_host")):
        if any(file.endswith((".cpp", ".cc")) and added.search(text_of(os.path.join(at, file))) for file in files):
            return True
    return False


@functools.lru_cache(maxsize=None)
def folder_of(name: str, roots: Tuple[str, ...]) -> str:
    """The folder that defines an operator. Raises Error (H02)."""
    plain = kernel.snake(name).replace("_", "")
    for alike in (True, False):
        for root in roots:
            for folder in folders_below(root):
                if (os.path.basename(folder).replace("_", "") == plain) == alike and _defines(folder, name):
                    return folder
    raise misuse(f"no folder defines the operator {name} (OP_ADD)",
                 "folders that were searched: " + (", ".join(roots) or "none") + "; PTOSIM_OPERATORS names more", "H02")


@functools.lru_cache(maxsize=None)
def _operator(name: str, roots: Tuple[str, ...], parts: Tuple[Tuple[str, str], ...]) -> Operator:
    given = {"ascendc" if part == "asc-devkit" else part: path or None for part, path in parts}
    return Operator(folder_of(name, roots), os.environ.get("PTOSIM_CHIP", ""), name, **given)


# ---- requests ---------------------------------------------------------------------------------------------------------

class _Request:
    def __init__(self, lines: Sequence[str], scratch: str):
        self.what, self.type, self.attributes = "", "", []  # type: str, str, List[str]
        self.folders: List[str] = []
        self.parts: Tuple[Tuple[str, str], ...] = ()
        self.sides: Dict[str, List[List[Tensor]]] = {"input": [], "output": []}
        current: List[Tensor] = []
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "request":
                self.what = rest
            elif word == "folder":
                self.folders.append(rest)
            elif word == "parts":
                self.parts = tuple(tuple(part.split("=", 1)) for part in rest.split(":"))
            elif word == "op":
                self.type = rest
            elif word == "attr":
                self.attributes.append(rest)
            elif word in self.sides:
                current = []
                self.sides[word].append(current)
            elif word == "tensor":
                dtype, layout, data, _, *dims = rest.split()
                tensor = Tensor(int(dtype), tuple(map(int, dims)), int(layout))
                if data.startswith("="):
                    tensor.file = os.path.join(scratch, f"value{sum(map(len, self.sides['input']))}.bin")
                    with open(tensor.file, "wb") as file:
                        file.write(bytes.fromhex(data[1:]))
                current.append(tensor)

    def named(self, operator: Operator, side: str) -> Dict[str, List[Tensor]]:
        rows = operator.inputs if side == "input" else operator.outputs
        given = self.sides[side]
        if len(given) > len(rows):
            raise misuse(f"{operator.name} has {len(rows)} {side}s, but the call gives {len(given)}", "", "I11")
        return {row["name"]: tensors for row, tensors in zip(rows, given)
                if tensors or (side == "output" and row["kind"] != DYNAMIC)}


def _library(operator: Operator, plan: Plan) -> str:
    """A library with the variant, and a function that launches it."""
    count = len(plan.arguments) + 2
    text = text_of(plan.source) + (
        'extern "C" void ptosim_operator_launch(uint32_t blocks, void* stream, void* const* words) {\n'
        "    ptosim_operator<<<blocks, nullptr, stream>>>("
        + ", ".join(f"reinterpret_cast<GM_ADDR>(words[{i}])" for i in range(count)) + ");\n}\n")
    folder = os.path.dirname(plan.source)
    source = os.path.join(folder, "launch_" + os.path.basename(plan.source))
    if not os.path.isfile(source) or text_of(source) != text:
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
    words = [program.path(), "build", source, "--ascendc", operator.tree.ascendc,
             "--arch", "a5" if "950" in operator.definition["soc"] else "a2a3"]
    for include in plan.includes:
        words += ["-I", include]
    words += ["-D" + define for define in plan.defines]
    library = os.path.join(folder, f"lib-{tree.digest([*words, _state(program.path())])}.so")
    if not os.path.isfile(library):
        new = os.path.join(folder, f"new{os.getpid()}.so")
        done = subprocess.run([*words, "-o", new], capture_output=True, text=True, env=program.environment())
        if done.returncode != 0:
            raise misuse(f"the variant of {operator.name} does not compile:\n{(done.stdout + done.stderr).strip()}", "", "H02")
        os.replace(new, library)
    return library


def _state(path: str) -> str:
    return f"{os.path.getmtime(os.path.realpath(path))}"


def _answer(request: _Request) -> Iterator[str]:
    roots = [*request.folders, *packages.origins(request.type)]
    operator = _operator(request.type, tuple(dict.fromkeys(roots)), request.parts)
    inputs, outputs = request.named(operator, "input"), request.named(operator, "output")
    if request.what == "shapes":
        for out in operator.shapes_of_call(inputs, request.attributes, outputs):
            yield f"shape {out['dtype']} " + " ".join(map(str, out["shape"]))
        return
    plan = operator.plan_call(inputs, request.attributes, outputs)
    yield "library " + _library(operator, plan)
    yield f"launch {plan.blocks} {plan.workspace}"
    yield f"server {operator.definition['server']}"
    groups: List[str] = []
    data = plan.tiling_bytes.tobytes()
    places = {(side, name, at): place for side in ("input", "output")
              for place, (name, at) in enumerate(_flat(operator, request.sides[side], side))}
    for argument in plan.arguments:
        if argument.role == "table":
            yield f"argument data {len(data)}"
            data += np.ascontiguousarray(argument.words).tobytes()
            continue
        if argument.role == "group":
            yield f"argument group {len(groups)}"
            groups.append(argument.name)
            continue
        name, _, rest = argument.name.partition("[")
        side = "input" if argument.role == "in" else "output"
        place = places[side, name, int(rest[:-1]) if rest else 0]
        tensor = [one for tensors in request.sides[side] for one in tensors][place]
        if tensor.file:  # a value of the host
            data += bytes(-len(data) % 512)
            yield f"argument data {len(data)}"
            with open(tensor.file, "rb") as file:
                data += file.read()
            data += bytes(-len(data) % 32 + 32)
        else:
            yield f"argument {'in' if side == 'input' else 'out'} {place}"
    for name in groups:
        yield "group " + name.encode().hex()
    yield "data " + data.hex()


def _flat(operator: Operator, sides: List[List[Tensor]], side: str) -> Iterator[Tuple[str, int]]:
    for row, tensors in zip(operator.inputs if side == "input" else operator.outputs, sides):
        for at in range(len(tensors)):
            yield row["name"], at


def serve(given: TextIO, out: TextIO) -> int:
    lines: List[str] = []
    for line in given:
        if line.strip() != "end":
            lines.append(line.rstrip("\n"))
            continue
        with tempfile.TemporaryDirectory(prefix="ptosim-op-") as scratch:
            try:
                answer: Optional[List[str]] = list(_answer(_Request(lines, scratch)))
            except Error as error:
                answer = ["error " + str(error).removeprefix("error: ").encode().hex()]
            except (OSError, ValueError, KeyError, IndexError, StopIteration) as error:
                answer = ["error " + f"{type(error).__name__}: {error}".encode().hex()]
        out.write("".join(line + "\n" for line in answer) + "end\n")
        out.flush()
        lines = []
    return 0


def main() -> int:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else prints must not mix with answers
    return serve(sys.stdin, out)
