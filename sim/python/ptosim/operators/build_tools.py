"""Tools that build.sh of operator repositories calls in a toolkit: op_build and opc."""
from __future__ import annotations

import argparse
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
from types import MappingProxyType
from typing import Any, Dict, List, Mapping, Sequence

from .. import program
from ..errors import misuse
from . import aclnn, tree
from .packages import ORIGIN

_SCRIPT = """#!/bin/sh
# Made by `ptosim toolkit`.
exec "$(dirname -- "$(readlink -f -- "$0")")/@UP@/bin/ptosim-op" --project @TOOL@ "$@"
"""
#: Where toolkits have the tools.
_LOCATIONS = {"tools/opbuild/op_build": "op_build", "bin/opc": "opc", "bin/asc_opc": "opc"}


def lay_out(folder: str) -> None:
    for location, tool in _LOCATIONS.items():
        path = os.path.join(folder, location)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        up = "/".join([".."] * location.count("/"))
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(_SCRIPT.replace("@UP@", up).replace("@TOOL@", tool))
        os.chmod(path + ".new", 0o755)
        os.replace(path + ".new", path)


def _sources_of_build(path: str) -> str:
    """The sources of the CMake build that a file belongs to; empty if it belongs to none."""
    at = os.path.dirname(os.path.abspath(path))
    while at != os.path.dirname(at):
        cache = os.path.join(at, "CMakeCache.txt")
        if os.path.isfile(cache):
            with open(cache, encoding="utf-8", errors="replace") as file:
                found = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", file.read(), re.MULTILINE)
            return found.group(1) if found else ""
        at = os.path.dirname(at)
    return ""


def op_build(words: Sequence[str], options: Mapping[str, str] = MappingProxyType({})) -> int:
    """Runs asc-devkit's op_build, and adds the sources of the build to the tables of operators that it writes. `options`
    are variables of its environment."""
    status = subprocess.call([aclnn.generator(tree.of_checkouts()), *words], env=dict(program.environment(), **options))
    plain = [word for word in words if not word.startswith("--")]
    root = _sources_of_build(plain[0]) if status == 0 and len(plain) > 1 else ""
    for path in glob.glob(os.path.join(plain[1], "*-ops-info.ini")) if root else []:
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file.read().splitlines() if not line.startswith(ORIGIN)]
        with open(path + ".new", "w", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n" + (f"{ORIGIN}={root}\n" if line.startswith("[") else ""))
        os.replace(path + ".new", path)
    return status


def opc(words: Sequence[str]) -> int:
    """Writes what packages have of a compiled operator: a description, and a file in the place of its binary. Calls compile
    the variants that their tilings select."""
    parser = argparse.ArgumentParser("opc", description=opc.__doc__, allow_abbrev=False)
    parser.add_argument("source", metavar="SOURCE.py")
    for name, needed in (("main_func", False), ("input_param", True), ("soc_version", True), ("output", True), ("impl_mode", False),
                         ("op_mode", False), ("simplified_key_mode", False)):
        parser.add_argument("--" + name, required=needed, default="")
    options, _ = parser.parse_known_args(words)
    try:
        with open(options.input_param, encoding="utf-8") as file:
            wanted = json.load(file)
        operators: List[Dict[str, Any]] = wanted["op_list"]
        name = operators[0]["bin_filename"]
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise misuse(f"{options.input_param}: not a description of an operator: {error!r}", "", "I01") from None
    note = f"{wanted.get('op_type', name)} for {options.soc_version}: ptosim compiles the variants that calls select\n".encode()
    support = {"implMode": options.impl_mode, "opMode": options.op_mode or "dynamic", "deterministic": "ignore",
               "inputs": operators[0].get("inputs"), "outputs": operators[0].get("outputs"), "staticKey": name.rpartition("_")[2]}
    if options.simplified_key_mode:
        support["simplifiedKeyMode"] = int(options.simplified_key_mode)
    if operators[0].get("attrs"):
        support["attrs"] = operators[0]["attrs"]
    table = {"binFileName": name, "binFileSuffix": ".o", "kernelName": name, "coreType": "MIX",
             "sha256": hashlib.sha256(note).hexdigest(), "supportInfo": support}
    os.makedirs(options.output, exist_ok=True)
    for ending, data in ((".o", note), (".json", json.dumps(table, indent=1).encode())):
        path = os.path.join(options.output, name + ending)
        with open(path + ".new", "wb") as binary:
            binary.write(data)
        os.replace(path + ".new", path)
    sys.stdout.write("note: " + note.decode())
    return 0
