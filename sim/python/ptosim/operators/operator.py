"""One operator: its definition, a launch of it with shapes, and its run."""
from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ..errors import misuse
from . import blocks, compile_options, host, kernel, prototypes, tree
from .includes import text_of
from .types import BY_NUMBER, BY_SHORT, PLAIN, stored

OPTIONAL, REQUIRED, DYNAMIC = 1, 2, 3
_WORDS_OF_SHAPE = 9
#: The profile of operators, unless a run names another: their libraries rely on what chips do.
NUMERICS = "chip"
_SYSTEM_WORKSPACE = 16 << 20  # bytes that libraries of Ascend C use before the operator's own


@dataclass
class Tensor:
    """An input or output: element type (a number of ge::DataType), shape, and a file with its bytes."""

    dtype: int
    shape: Tuple[int, ...]
    layout: int = 2
    file: str = ""
    logical: Optional[Tuple[int, ...]] = None  #: of an array that the operator takes in blocks; `shape` is that of the blocks

    def placed(self, array: np.ndarray) -> np.ndarray:
        """The array as the kernel finds it."""
        return array if self.logical is None else blocks.in_blocks(array, self.shape[-1])


@dataclass
class Argument:
    """One parameter of the compiled kernel."""

    name: str
    role: str  #: in, out, inout; table: addresses of the tensors of a list; group: the context of the communicator `name`
    tensor: Tensor
    words: Optional[np.ndarray] = None  #: of a table


@dataclass
class Plan:
    """A launch: what the tiling chose, and the source of the variant."""

    key: int
    blocks: int
    workspace: int
    tiling: bytes
    source: str  #: of the wrapper
    origin: str  #: of op_kernel
    includes: List[str]
    defines: List[str]  #: NAME or NAME=VALUE, by the operator's CMakeLists.txt
    kernel_type: str
    arguments: List[Argument] = field(default_factory=list)
    attributes: Dict[str, Any] = field(default_factory=dict)
    guessed: bool = False  #: the operator has no function of shapes, and outputs are shaped like inputs

    @property
    def tiling_bytes(self) -> np.ndarray:
        size = (len(self.tiling) + 64) // 64 * 64 + 64
        return np.frombuffer(self.tiling.ljust(size, b"\0"), np.uint8).copy()


class Operator:
    """The operator of a folder, compiled for a chip."""

    def __init__(self, folder: str, chip: str = "", name: str = "", **parts: Optional[str]):
        """`name`: the type of one of several operators that the folder defines."""
        self.tree = tree.find(folder, **parts)
        self.chip = chip
        self.library = host.library(self.tree, chip)
        self.definition = self._choose(host.definitions(self.library, chip), name)
        if not self.definition["attrs"]:
            self.definition["attrs"] = prototypes.attributes(self.tree.operator, self.definition["type"])
        self.inputs: List[Dict[str, Any]] = self.definition["inputs"]
        self.outputs: List[Dict[str, Any]] = self.definition["outputs"]

    @property
    def name(self) -> str:
        return self.definition["type"]

    def _choose(self, found: List[Dict[str, Any]], name: str) -> Dict[str, Any]:
        own = os.path.basename(self.tree.operator)
        if not found:
            failed = "".join(f"\n  note: {os.path.basename(source)}: {host.shortened(text, 1)}"
                             for source, text in self.library.failed.items())
            raise misuse(f"{self.tree.operator}/op_host defines no operator (OP_ADD){failed}", "", "H02")
        if name and all(row["type"] != name for row in found):
            raise misuse(f"{self.tree.operator} defines no operator {name}", "it defines " + ", ".join(row["type"] for row in found),
                         "H02")
        named = [row for row in found if row["type"] == name or not name and kernel.snake(row["type"]).replace("_", "") == own.replace("_", "")]
        chosen = named[0] if named else found[0]
        if not chosen["inputs"] and not chosen["outputs"]:
            raise misuse(f"{chosen['type']} has no configuration for {chosen['soc'] or 'this chip'}",
                         "it has some for " + ", ".join(chosen["socs"]), "H02")
        return chosen

    # ---- calls --------------------------------------------------------------------------

    def column(self, given: Mapping[str, int], outputs: Mapping[str, int] = MappingProxyType({}),
               formats: Mapping[str, int] = MappingProxyType({})) -> int:
        """The combination of element types that contains the given ones. Raises Error (H02). `outputs`, and formats of
        inputs (ND without), choose among several."""
        count = max((len(row["dtypes"]) for row in self.inputs + self.outputs), default=0)

        def other_formats(at: int) -> int:
            """How many given inputs would have blocks, or others than theirs."""
            columns = ((formats.get(row["name"], 2), _at(row["formats"], at, 2)) for row in self.inputs if row["name"] in given)
            return sum(own != of and not {own, of} <= PLAIN for own, of in columns)

        for wanted in (outputs, {}) if outputs else ({},):
            found = [at for at in range(count)
                     if all(row["name"] not in of or at >= len(row["dtypes"]) or row["dtypes"][at] == of[row["name"]]
                            for rows, of in ((self.inputs, given), (self.outputs, wanted)) for row in rows)]
            if found:
                return min(found, key=other_formats)
        words = ", ".join(f"{name} {BY_NUMBER[number].short}" for name, number in given.items() if number in BY_NUMBER)
        rows = "; ".join(f"{row['name']}: " + " ".join(BY_NUMBER[n].short for n in row["dtypes"] if n in BY_NUMBER)
                         for row in self.inputs)
        raise misuse(f"{self.name} has no combination of element types with {words}", f"by columns: {rows}", "H02")

    def attribute_words(self, given: Mapping[str, Any]) -> List[str]:
        unknown = set(given) - {row["name"] for row in self.definition["attrs"]}
        if unknown:
            raise misuse(f"{self.name} has no attribute '{sorted(unknown)[0]}'",
                         "it has " + ", ".join(row["name"] for row in self.definition["attrs"]), "I11")
        lines = []
        for row in self.definition["attrs"]:
            if row["name"] not in given and row["required"]:
                raise misuse(f"{self.name} needs the attribute '{row['name']}' ({row['type']})",
                             f"--attr {row['name']}=VALUE", "I11")
            lines.append(_attribute(row, given[row["name"]] if row["name"] in given else row["default"]))
        return lines

    def plan(self, inputs: Mapping[str, Union[Tensor, Sequence[Tensor], None]],
             attributes: Optional[Mapping[str, Any]] = None,
             shapes: Optional[Mapping[str, Sequence[Tuple[int, ...]]]] = None,
             dtypes: Optional[Mapping[str, int]] = None) -> Plan:
        """Runs the tiling, and writes the source of the chosen variant. `shapes`, `dtypes`: of outputs, instead of the
        inferred ones and of the first that the definition has for these inputs."""
        attributes = dict(attributes or {})
        return self._plan(inputs, self.attribute_words(attributes), dict(shapes or {}), {}, attributes, dict(dtypes or {}))

    def plan_call(self, inputs: Mapping[str, Sequence[Tensor]], attributes: List[str],
                  outputs: Mapping[str, Sequence[Tensor]]) -> Plan:
        """The same for a call with given outputs, each a parameter of the kernel. `attributes`: KIND VALUES in the order
        of the definition."""
        return self._plan(inputs, self.attribute_lines(attributes), {}, outputs, None)

    def shapes_of_call(self, inputs: Mapping[str, Sequence[Tensor]], attributes: List[str],
                       outputs: Mapping[str, Sequence[Tensor]]) -> List[Dict[str, Any]]:
        """Element types and shapes that the operator infers for its outputs."""
        lines = self._request(inputs, self.attribute_lines(attributes), {}, outputs).lines
        at = next(i for i, line in enumerate(lines) if line.startswith("output "))
        lines[at:] = [" ".join([*line.split()[:4], "?"]) if line.startswith("tensor ") else line for line in lines[at:]]
        return host.tiling(self.library, "\n".join(lines) + "\n", self.chip, "shapes")["outputs"]

    def attribute_lines(self, given: Sequence[str]) -> List[str]:
        """Attributes of a call by their order, as the types of the definition; defaults for those that are left out."""
        rows = self.definition["attrs"]
        if not rows:  # nothing public declares them
            return list(given)
        if len(given) > len(rows):
            raise misuse(f"{self.name} has {len(rows)} attributes, but the call gives {len(given)}", "", "I11")
        lines = self.attribute_words({row["name"]: "" for row in rows[:len(given)] if row["required"]})
        for at, line in enumerate(given):
            kind, *values = line.split()
            wanted = lines[at].split()[0]
            if kind != wanted and {kind, wanted} - {"bool", "int", "float"}:
                raise misuse(f"{self.name}: attribute '{rows[at]['name']}' is a {wanted}, but the call gives a {kind}", "", "I11")
            if kind != wanted and wanted == "int":
                values = [str(int(float(value))) for value in values]
            elif kind != wanted and wanted == "bool":
                values = ["1" if float(values[0]) else "0"]
            lines[at] = " ".join([wanted, *values])
        return lines

    def require_one_rank(self) -> None:
        """Raises Error (H02) for operators that ranks run together."""
        if self.definition["groups"]:
            raise misuse(f"{self.name} runs on several ranks",
                         "make its calls (ptosim op FOLDER --aclnn DIR), and start a program that uses them with the toolkit's "
                         "mpirun", "H02")

    def groups(self, attribute_lines: Sequence[str]) -> List[str]:
        """Names of the communicators that the attributes of a call name; empty: none."""
        words = dict(zip((row["name"] for row in self.definition["attrs"]), attribute_lines))
        return [bytes.fromhex(words[name].partition(" ")[2]).decode() if name in words else ""
                for name in self.definition["groups"]]

    def _request(self, inputs: Mapping[str, Any], attribute_lines: List[str], shapes: Mapping[str, Any],
                 given_outputs: Mapping[str, Sequence[Tensor]], dtypes: Mapping[str, int] = MappingProxyType({})) -> "_Request":
        unknown = set(inputs) - {row["name"] for row in self.inputs}
        if unknown:
            raise misuse(f"{self.name} has no input '{sorted(unknown)[0]}'",
                         "it has " + ", ".join(row["name"] for row in self.inputs), "I11")
        lists = {name: (list(value) if isinstance(value, (list, tuple)) else [value])
                 for name, value in inputs.items() if value is not None}
        at = self.column({name: value[0].dtype for name, value in lists.items() if value},
                         {**dtypes, **{name: value[0].dtype for name, value in given_outputs.items() if value}},
                         {name: value[0].layout for name, value in lists.items() if value})
        lines, types = [f"op {self.name}"], {}
        for row in self.inputs:
            value = lists.get(row["name"], [])
            if not value and row["kind"] == REQUIRED:
                raise misuse(f"{self.name} needs the input '{row['name']}'", f"--shape {row['name']}=...", "I12")
            lines.append(f"input {len(value)}")
            for tensor in value:
                layout = _at(row["formats"], at, 2)
                if layout in blocks.FRACTAL and tensor.layout in PLAIN and len(tensor.shape) > 1:
                    width = blocks.columns(layout, tensor.dtype)
                    if not blocks.are_blocks(tensor.shape, width):
                        tensor.logical, tensor.shape = tensor.shape, blocks.shape_in_blocks(tensor.shape, width)
                tensor.layout = layout
                lines.append(_tensor_line(tensor))
            types[row["name"]] = (value[0].dtype if value else _at(row["dtypes"], at, 0), _at(row["formats"], at, 2))
        counts = []
        for row in self.outputs:
            count = 1 if row["kind"] != DYNAMIC else max((len(v) for v in lists.values()), default=1)
            dtype, layout = _at(row["dtypes"], at, 28), _at(row["formats"], at, 2)
            stated = shapes.get(row["name"])
            given = given_outputs.get(row["name"])
            count = len(stated) if stated else len(given) if given is not None else count
            counts.append(count)
            lines.append(f"output {count}")
            for i in range(count):
                extents = stated[i] if stated else given[i].shape if given else None
                lines.append(f"tensor {given[i].dtype if given else dtype} {layout} - " +
                             (f"{len(extents)} " + " ".join(map(str, extents)) if extents is not None else "?"))
            types.setdefault(row["name"], (given[0].dtype if given else dtype, layout))
        lines += ["attr " + line for line in attribute_lines] + [f"class {name}" for name in self.library.classes]
        return _Request(lines, types, lists, counts)

    def _plan(self, inputs: Mapping[str, Any], attribute_lines: List[str], shapes: Mapping[str, Any],
              given_outputs: Mapping[str, Sequence[Tensor]], attributes: Optional[Dict[str, Any]],
              dtypes: Mapping[str, int] = MappingProxyType({})) -> Plan:
        """`attributes`: None for a call, whose outputs are all parameters."""
        request = self._request(inputs, attribute_lines, shapes, given_outputs, dtypes)
        types = request.types
        chosen = host.tiling(self.library, "\n".join(request.lines) + "\n", self.chip)

        if chosen["guessed"] and attributes is not None:
            names = [row["name"] for row in self.outputs if row["name"] not in shapes]
            print(f"note: {self.name} has no function of shapes; {', '.join(names)}: as the inputs (--shape {names[0]}=...)",
                  file=sys.stderr)
        entry = _Entry(chosen["blocks"], attributes is None)
        entry.add_groups(self.groups(attribute_lines))
        for row in self.inputs:
            entry.add(row, [(tensor, "in") for tensor in request.lists.get(row["name"], [])])
        outputs = iter(chosen["outputs"])
        for row, count in zip(self.outputs, request.counts):
            made_here = [next(outputs) for _ in range(count)]
            for out in made_here:
                if any(extent < 0 for extent in out["shape"]):
                    raise misuse(f"{self.name} cannot infer the shape of '{row['name']}'",
                                 f"state it: --shape {row['name']}=...", "H02")
            types[row["name"]] = (made_here[0]["dtype"], types[row["name"]][1]) if made_here else types[row["name"]]
            layout = types[row["name"]][1]
            entry.add(row, [(Tensor(out["dtype"], tuple(out["shape"]), layout), "out") for out in made_here])
        if any(row.get("computed") for row in self.outputs):
            entry.add_shapes(sum(request.counts))
        arguments = entry.arguments
        made = kernel.wrapper(self.tree, self.definition, types, entry, chosen)
        return Plan(chosen["key"], max(chosen["blocks"], 1), max(chosen["workspace"], 0) + _SYSTEM_WORKSPACE,
                    bytes.fromhex(chosen["data"]), *self._written(made),
                    compile_options.defines([*compile_options.of_kernel(self.tree.operator, self.name, self.definition["soc"]),
                                             *self.tree.options.get(self.name, [])]),
                    made.kernel_type, arguments, attributes or {},
                    bool(chosen["guessed"]))

    def _written(self, made: kernel.Wrapper) -> Tuple[str, str, List[str]]:
        folder = os.path.join(tree.cache_folder(), "kernel-" + tree.digest([made.text, *self.tree.parts.values()]))
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, kernel.snake(self.name) + ".cpp")
        if not os.path.isfile(path) or text_of(path) != made.text:
            new = f"{path}.{os.getpid()}"  # ranks write it at the same time
            with open(new, "w", encoding="utf-8") as file:
                file.write(made.text)
            os.replace(new, path)
        includes = [os.path.join(self.tree.operator, "op_kernel"), self.tree.operator, *made.includes.added,
                    *self.tree.kernel_folders(), *(flag[2:] for flag in host.farm(made.includes, folder))]
        return path, made.source, includes


@dataclass
class _Request:
    """A request to the driver (tiling_driver.cpp), and what it was made from."""

    lines: List[str]
    types: Dict[str, Tuple[int, int]]  #: element type and format by parameter
    lists: Dict[str, List[Tensor]]  #: inputs
    counts: List[int]  #: of the tensors of each output


class _Entry(kernel.Entry):
    """Parameters of the compiled kernel, and what it passes on."""

    def __init__(self, blocks: int, separate: bool):
        """`separate`: an output has a parameter also if an input has its name."""
        super().__init__()
        self._separate = separate
        self.arguments: List[Argument] = []
        self._blocks = max(blocks, 1)
        self._places: Dict[str, int] = {}

    def add_groups(self, groups: Sequence[str]) -> None:
        """Contexts of communicators, which kernels do not get as parameters."""
        for i, name in enumerate(groups):
            parameter = self._parameter(Argument(name, "group", Tensor(4, ())))
            self.contexts.append(f"    AscendC::SetHcclContext<{i}>({parameter});")

    def add(self, row: Dict[str, Any], tensors: Sequence[Tuple[Tensor, str]]) -> None:
        name = row["name"]
        if row["kind"] == DYNAMIC:
            self._add_list(name, tensors)
        elif tensors and tensors[0][1] == "out" and name in self._places and not self._separate:  # the operator changes its input
            self.arguments[self._places[name]].role = "inout"
            self.passed.append(f"p{self._places[name]}")
        elif tensors and int(np.prod(tensors[0][0].shape)) != 0:
            self._places[name] = len(self.arguments)
            self.passed.append(self._parameter(Argument(name, tensors[0][1], tensors[0][0])))
        else:
            self.passed.append("nullptr")

    def add_shapes(self, outputs: int) -> None:
        """Memory into which a kernel writes the shapes of outputs that it computes: rank and extents of each."""
        words = np.zeros(outputs * _WORDS_OF_SHAPE, np.uint64)
        self.shapes = self._parameter(Argument("shapes[]", "table", Tensor(10, words.shape), words))

    def _parameter(self, argument: Argument) -> str:
        self.arguments.append(argument)
        self.parameters.append(f"p{len(self.arguments) - 1}")
        return self.parameters[-1]

    def _add_list(self, name: str, tensors: Sequence[Tuple[Tensor, str]]) -> None:
        """The layout that ListTensorDesc reads: the offset of the addresses, a rank, number and shape for each tensor,
        the addresses. Each core has a copy, into which it writes the addresses."""
        if name in self._places and not self._separate:  # a list that the operator changes
            for argument in self.arguments[self._places[name]:self._places[name] + len(tensors)]:
                argument.role = "inout"
            self.passed.append(f"list_{name}")
            return
        self._places[name] = len(self.arguments)
        own = [self._parameter(Argument(f"{name}[{i}]", role, tensor)) for i, (tensor, role) in enumerate(tensors)]
        words: List[int] = [0]
        for i, (tensor, _) in enumerate(tensors):
            words += [len(tensor.shape) | i << 32, *tensor.shape]
        words[0] = 8 * len(words)
        at = len(words)
        words += [0] * len(tensors)
        words += [0] * (-len(words) % 64)
        copies = np.array(words * (3 * self._blocks), np.uint64)
        table = self._parameter(Argument(f"{name}[]", "table", Tensor(10, copies.shape), copies))
        self.setup += [f"    GM_ADDR list_{name} = {table} + ptosim_core * {8 * len(words)};"]
        self.setup += [f"    *reinterpret_cast<__gm__ uint64_t*>(list_{name} + {8 * (at + i)}) = "
                       f"reinterpret_cast<uint64_t>({parameter});" for i, parameter in enumerate(own)]
        self.setup += [f"    dcci(reinterpret_cast<__gm__ uint64_t*>(list_{name}), ENTIRE_DATA_CACHE, CACHELINE_OUT);"]
        self.setup += ["    dsb(DSB_ALL);"]  # threads read the addresses, too
        self.passed.append(f"list_{name}")


def _at(values: Sequence[int], at: int, otherwise: int) -> int:
    return values[min(at, len(values) - 1)] if values else otherwise


def _tensor_line(tensor: Tensor) -> str:
    of = " of " + " ".join(map(str, tensor.logical)) if tensor.logical else ""
    return f"tensor {tensor.dtype} {tensor.layout} {tensor.file or '-'} {len(tensor.shape)} " + \
        " ".join(map(str, tensor.shape)) + of


def _integer(value: Any) -> int:
    """All 64 bits; 1e3 is one, too."""
    try:
        return int(str(value or 0).strip(), 0)
    except ValueError:
        return int(float(value))


_TRUE = {True, 1, "true", "True", "1"}


def _attribute(row: Dict[str, Any], value: Any) -> str:
    """The request's words for an attribute: a value of Python, or its text."""
    kind = row["type"].lower().replace("_", "")
    if kind in ("bool",):
        return f"bool {int(value in _TRUE)}"
    if kind in ("int", "int64"):
        return f"int {_integer(value)}"
    if kind in ("float", "float32"):
        return f"float {float(value) if value != '' else 0.0!r}"
    if kind in ("str", "string"):
        return "str " + str(value).strip('"').encode().hex()
    items = _items(value)
    if kind in ("listint", "listint64"):
        return "list_int " + " ".join(str(int(item)) for item in items)
    if kind in ("listfloat", "listfloat32"):
        return "list_float " + " ".join(repr(float(item)) for item in items)
    if kind == "listbool":
        return "list_bool " + " ".join(str(int(item in _TRUE)) for item in items)
    if kind == "listlistint":
        return "list_list_int " + " ".join(" ".join(map(str, inner)) + " ;" for inner in items)
    raise misuse(f"the attribute '{row['name']}' has the type {row['type']}, which is not supported", "", "I11")


def _items(value: Any) -> List[Any]:
    if isinstance(value, str):
        import json
        text = value.strip()
        return json.loads(text if text.startswith("[") else f"[{text}]") if text else []
    return list(value)
