"""Options with which an operator's CMakeLists.txt has its kernel compiled."""
from __future__ import annotations

import os
import re
from typing import List

from .includes import text_of

_CALL = re.compile(r"\b(?:add_kernel_sources|add_ops_compile_options)\s*\(([^()]*)\)", re.IGNORECASE)
_COMMENT = re.compile(r"#[^\n]*")
_KEYWORDS = frozenset(("KERNEL_SRC", "COMPUTE_UNIT", "COMPUTE_UNITS", "SIMPLIFIED_KEY", "AUTO_SYNC", "IMPL_MODE", "OP_NAME",
                       "OPTIONS"))


def of_kernel(folder: str, name: str, soc: str) -> List[str]:
    """Options for the operator `name` of a folder and a chip: -DNAME[=VALUE], and --cce-auto-sync=on or =off."""
    options: List[str] = []
    for part in ("", "op_host", "op_kernel"):
        path = os.path.join(folder, part, "CMakeLists.txt")
        if not os.path.isfile(path):
            continue
        for call in _CALL.findall(_COMMENT.sub("", text_of(path))):
            given = _keywords(call)
            units = [unit.lower() for unit in given.get("COMPUTE_UNITS", []) + given.get("COMPUTE_UNIT", [])]
            if (units and "all" not in units and soc not in units) or given.get("OP_NAME", [name]) != [name]:
                continue
            if [word.lower() for word in given.get("AUTO_SYNC", [])] == ["false"]:
                options.append("--cce-auto-sync=off")
            options += [word for word in given.get("OPTIONS", [])
                        if re.fullmatch(r"-D\w+(=[^$]*)?|--cce-auto-sync=(on|off)", word)]
    return options


def _keywords(call: str) -> "dict[str, List[str]]":
    found: "dict[str, List[str]]" = {}
    words = found.setdefault("", [])
    for word in call.split():
        if word in _KEYWORDS:
            words = found.setdefault(word, [])
        else:
            words += [part for part in word.strip('"').split(";") if part]
    return found


def defines(options: List[str]) -> List[str]:
    """Macros NAME[=VALUE] for `ptosim run`. Whether ptosim inserts synchronisation is one of them (ptosim/launch.h)."""
    macros = [option[2:] for option in options if option.startswith("-D")]
    switches = [option for option in options if option.startswith("--cce-auto-sync=")]
    return macros + (["PTOSIM_AUTO_SYNC=0"] if switches and switches[-1].endswith("=off") else [])
