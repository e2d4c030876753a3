"""Attributes of operators whose definition has none: the prototype in their folder declares them."""
from __future__ import annotations

import os
import re
from typing import Any, Dict, List

from .includes import text_of

_ATTRIBUTE = re.compile(r"\.(REQUIRED_)?ATTR\s*\(\s*(\w+)\s*,\s*(\w+)\s*(?:,\s*((?:[^()\"]|\"[^\"]*\")*))?\)")


def attributes(folder: str, name: str) -> List[Dict[str, Any]]:
    """Rows as those of a definition, in the order of REG_OP(name) in a header NAME_proto.h of the folder."""
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(one for one in folders if one not in ("tests", "test", "op_kernel", "op_host"))
        for file in sorted(files):
            if not file.endswith("_proto.h"):
                continue
            found = re.search(rf"\bREG_OP\s*\(\s*{re.escape(name)}\s*\)(.*?)\bOP_END_FACTORY_REG\b", text_of(os.path.join(at, file)),
                              re.DOTALL)
            if found:
                return [{"name": attribute, "type": kind, "required": bool(required), "default": _default(kind, value or "")}
                        for required, attribute, kind, value in _ATTRIBUTE.findall(found.group(1))]
    return []


def _default(kind: str, text: str) -> str:
    """As definitions give it: 1.0, true, BSND, [1, 2]."""
    text = text.strip()
    if kind.startswith("List"):
        return "[" + text.strip("{}") + "]"
    return text.strip('"').rstrip("fF") if kind == "Float" else text.strip('"')
