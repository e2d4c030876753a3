"""Installed packages of operators: where their calls find the sources of kernels."""
from __future__ import annotations

import glob
import json
import os
from typing import List

#: The key of an operator's table that names the sources of the package's build (build_tools.py).
ORIGIN = "ptosim.root"


def package_folders() -> List[str]:
    """Installed packages of operators."""
    folders = [folder for folder in os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":") if folder]
    return folders + sorted(glob.glob(os.path.join(os.environ.get("ASCEND_OPP_PATH", ""), "vendors", "*", "")))


def origins(operator: str) -> List[str]:
    """Sources of the builds of installed packages with an operator."""
    found = []
    for folder in package_folders():
        for path in sorted(glob.glob(os.path.join(folder, "op_impl/ai_core/tbe/config/*/aic-*-ops-info.json"))):
            try:
                with open(path, encoding="utf-8") as file:
                    row = json.load(file).get(operator, {})
            except (OSError, ValueError):
                continue
            group, key = ORIGIN.split(".")
            root = row.get(group, {}).get(key, "")
            if root and root not in found:
                found.append(root)
    return found
