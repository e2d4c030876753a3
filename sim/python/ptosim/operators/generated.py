"""Two-phase calls that are made from an operator's definition: aclnn_x.h and aclnn_x.cpp, as the toolkit's own generator
names and orders their parameters."""
from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

from . import kernel
from .operator import DYNAMIC, OPTIONAL
from .types import NUMBERS

_ATTRIBUTES = {
    "bool": ("bool", "PTOSIM_BOOL"), "int": ("int64_t", "PTOSIM_INT"), "float": ("double", "PTOSIM_FLOAT"),
    "str": ("char*", "PTOSIM_STRING"), "listbool": ("const aclBoolArray*", "PTOSIM_BOOL_LIST"),
    "listint": ("const aclIntArray*", "PTOSIM_INT_LIST"), "listfloat": ("const aclFloatArray*", "PTOSIM_FLOAT_LIST")}
_FLOAT, _BOOL = NUMBERS["DT_FLOAT"], NUMBERS["DT_BOOL"]


class _Parameter(NamedTuple):
    type: str
    name: str
    kind: str
    optional: bool
    extra: str  #: initialiser of pointer, integer and number


def camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match.group(1).upper(), name[:1].lower() + name[1:])


def _parameters(definition: Dict[str, Any]) -> Iterator[Tuple[_Parameter, bool]]:
    """Parameters in the order of the definition, and whether the call's function has them."""
    inputs = [row["name"] for row in definition["inputs"]]
    outputs = [row["name"] for row in definition["outputs"]]
    for row in definition["inputs"]:
        name = camel(row["name"]) + ("Ref" if row["name"] in outputs else "") + ("Optional" if row["kind"] == OPTIONAL else "")
        number = 0
        if row["value"] and row["kind"] != DYNAMIC:
            number = row["dtypes"][0]
            made, kind = (("const aclFloatArray*", "PTOSIM_INPUT_FLOATS") if number == _FLOAT else
                          ("const aclBoolArray*", "PTOSIM_INPUT_BOOLS") if number == _BOOL else
                          ("const aclIntArray*", "PTOSIM_INPUT_VALUES"))
        elif row["kind"] == DYNAMIC:
            made, kind = "const aclTensorList*", "PTOSIM_INPUT_LIST"
        else:
            made, kind = "const aclTensor*", "PTOSIM_INPUT"
        if row["name"] in outputs:
            made = made[len("const "):]
        yield _Parameter(made, name, kind, row["kind"] == OPTIONAL, f"{name}, {number}, 0"), True
    for row in definition["attrs"]:
        plain = row["type"].lower().replace("_", "")
        if plain not in _ATTRIBUTES:
            continue
        made, kind = _ATTRIBUTES[plain]
        name = camel(row["name"]) + ("" if row["required"] or plain in ("bool", "int", "float") else "Optional")
        values = {"bool": f"nullptr, {name} ? 1 : 0, 0", "int": f"nullptr, {name}, 0", "float": f"nullptr, 0, {name}"}
        yield _Parameter(made, name, kind, True, values.get(plain, f"{name}, 0, 0")), True
    for row in definition["outputs"]:
        ref = row["name"] in inputs
        suffix = "Optional" if row["kind"] == OPTIONAL else ""
        name = ("out" if len(outputs) == 1 else camel(row["name"]) + "Out") + suffix
        if ref:
            of = next(one for one in definition["inputs"] if one["name"] == row["name"])
            name = camel(row["name"]) + "Ref" + ("Optional" if of["kind"] == OPTIONAL else "")
        dynamic = row["kind"] == DYNAMIC
        yield _Parameter("const aclTensorList*" if dynamic else "const aclTensor*", name,
                         "PTOSIM_OUTPUT_LIST" if dynamic else "PTOSIM_OUTPUT", row["kind"] == OPTIONAL, f"{name}, 0, 0"), not ref


#: The beginning of the names of calls that calls of op_api use, and that users do not see.
INNER = "aclnnInner"


def name_of(definition: Dict[str, Any]) -> str:
    return definition.get("prefix", "aclnn") + definition["type"]


def file_of(definition: Dict[str, Any]) -> str:
    return definition.get("prefix", "aclnn") + "_" + kernel.snake(definition["type"])


def _first(definition: Dict[str, Any]) -> str:
    words = [f"{one.type} {one.name}" for one, shown in _parameters(definition) if shown]
    return (f"aclnnStatus {name_of(definition)}GetWorkspaceSize(" +
            ", ".join([*words, "uint64_t* workspaceSize", "aclOpExecutor** executor"]) + ")")


def _second(definition: Dict[str, Any]) -> str:
    return (f"aclnnStatus {name_of(definition)}(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, "
            "aclrtStream stream)")


def header(definition: Dict[str, Any]) -> str:
    guard = file_of(definition).upper() + "_H_"
    return (f"// Made from the definition of {definition['type']}.\n#ifndef {guard}\n#define {guard}\n\n"
            '#include "aclnn/acl_meta.h"\n#include "acl/acl.h"\n\n#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
            f"{_first(definition)};\n\n{_second(definition)};\n\n#ifdef __cplusplus\n}}\n#endif\n#endif\n")


def source(definition: Dict[str, Any]) -> str:
    rows: List[str] = [f'        {{{one.kind}, "{one.name}", {int(one.optional)}, {one.extra}}},\n'
                       for one, _ in _parameters(definition)]
    return (f"// Made from the definition of {definition['type']}.\n"
            f'#include "{file_of(definition)}.h"\n\n#include "acl/operator_calls.h"\n\nextern "C" {{\n\n'
            f"{_first(definition)} {{\n    const ptosim_argument arguments[] = {{\n{''.join(rows)}    }};\n"
            f'    return ptosim_aclnn_prepare("{name_of(definition)}", "{definition["type"]}", arguments, '
            f"{len(rows)}, workspaceSize, executor);\n}}\n\n"
            f"{_second(definition)} {{ return ptosim_aclnn_run(workspace, workspaceSize, executor, stream); }}\n\n}}\n")
