"""Tests of an operator's kernel, which call it by CANN's names for CPU debugging (include/asc_devkit/tikicpulib.h).

As on a board, the kernel is compiled by itself, for all tiling keys; the key is read as it runs.
"""
from __future__ import annotations

import glob
import os
import re
import shlex
from dataclasses import dataclass
from typing import List, Optional, Sequence

from .. import program
from ..errors import misuse
from . import host, kernel
from .includes import Includes, text_of
from .tree import Tree
from .types import FORMATS, NUMBERS

_CALL = re.compile(r"^[ \t]*AddOps?TestCase\s*\(([^)]*)\)", re.MULTILINE)
_MODES = re.compile(r"\bKernelMode::(\w+)")

#: Definitions of macros; the ones that read tiling data in UB stay.
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:(?!\bget_imm\b|\bGetPhyAddr\b)(?:\\\n|[^\n]))*$", re.MULTILINE)

_KEY = """#include "ptosim/device.h"
namespace {
struct PtosimTilingKey {
    operator uint64_t() const { return ptosim_tiling_key(); }
} const g_tilingKey;
}
#define TILING_KEY_VAR g_tilingKey
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "kernel_operator.h"
"""

#: On the host a test gives the user's part of the workspace.
_WORKSPACE = """namespace AscendC {
__aicore__ inline GM_ADDR PtosimUserWorkspace(GM_ADDR workspace) { return workspace; }
}
#define GetUserWorkspace PtosimUserWorkspace
"""


@dataclass
class Case:
    """Tests as a CMakeLists.txt states them."""

    name: str  #: of the kernel's source and of the tests
    options: List[str]


def case_of(operator: str, arch35: bool) -> Optional[Case]:
    """The tests of an operator's kernel for a generation of chips."""
    root = os.path.join(operator, "tests", "ut", "op_kernel")
    for path in sorted(glob.glob(os.path.join(root, "**", "CMakeLists.txt"), recursive=True)):
        for call in _CALL.findall(text_of(path)):
            try:
                words = shlex.split(call, comments=True)
            except ValueError:
                continue
            if len(words) < 2:
                continue
            if words[0] == "OP_NAME":
                rows = dict(zip(words[::2], words[1::2]))
                words = [rows["OP_NAME"], rows.get("SOC_VERSION", ""), rows.get("OTHER_COMPILE_OPTIONS", "")]
            chips = words[1].lower().split(";")
            wanted = ("ascend950",) if arch35 else ("ascend910b", "ascend910_93")
            if any(chip.startswith(wanted) for chip in chips) and "$" not in words[0]:
                made = Case(words[0], [word for word in " ".join(words[2:3]).split() if word.startswith("-D") and "$" not in word])
                if sources(operator, arch35, made):
                    return made
    return None


def sources(operator: str, arch35: bool, case: Optional[Case] = None) -> List[str]:
    """Files with the tests."""
    case = case or case_of(operator, arch35)
    if case is None:
        return []
    root = os.path.join(operator, "tests", "ut", "op_kernel")
    found = sorted(glob.glob(os.path.join(root, f"test_{case.name}*.cpp")) +
                   glob.glob(os.path.join(root, "arch*", f"test_{case.name}*.cpp")))
    return [path for path in found if "ICPU_RUN_KF" in text_of(path)
            and ("arch35" in path[len(root):] or "regbase" in path or "_apt" in path) <= arch35]


def source_of(tree: Tree, case: Case, arch35: bool) -> str:
    folder = os.path.join(tree.operator, "op_kernel")
    names = [case.name + "_apt.cpp", case.name + ".cpp"] if arch35 else [case.name + ".cpp"]
    for name in names:
        found = [os.path.join(at, name) for at, _, files in sorted(os.walk(folder)) if name in files]
        if found:
            return min(found, key=lambda path: ("arch35" in path[len(folder):]) != arch35)
    raise misuse(f"{folder} has no source {names[-1]}", "", "I01")


def own_header(tree: Tree, case: Case) -> str:
    """The header with structures of tiling data that the tests keep; empty: it is generated."""
    root = os.path.join(tree.operator, "tests", "ut", "op_kernel")
    places = [os.path.join(root, f"{case.name}_tiling.h"), os.path.join(root, f"{case.name}_tiling_def.h")]
    if os.path.basename(os.path.dirname(tree.operator)) == "foreach":
        places.append(os.path.join(os.path.dirname(tree.operator), "foreach_abs/tests/ut/op_kernel/foreach_abs_tiling_def.h"))
    return next((path for path in places if os.path.isfile(path)), "")


def _own(path: str, folder: str) -> str:
    """Includes a test's header. On the host, tiling data have no address space, and macros for them name any: kernels get
    them in global memory."""
    copy = os.path.join(folder, "tiling-" + os.path.basename(path))
    text = _MACRO.sub(lambda macro: macro.group().replace("__ubuf__", "__gm__"), text_of(path))
    _write(copy, f'#line 1 "{path}"\n{text}')
    return f'#include "{copy}"\n'


def _generated(tree: Tree, case: Case, library: host.Library, chip: str, texts: Sequence[str]) -> str:
    classes = host.classes(library, chip)
    kind = "".join(part.capitalize() for part in case.name.split("_"))
    structure = kernel.registered_structure(texts, 0) or kernel._default_structure(classes, kind, 0)
    if not structure:
        structure = next((row["class"] for name, row in classes.items() if name.lower() == kind.lower()), "")
    lines = ['#include "kernel_tiling/kernel_tiling.h"', kernel._PRELUDE, kernel.structures(classes, texts)]
    if structure:
        lines.append(f"#define PTOSIM_TILING_STRUCT {structure}")
    return "\n".join(lines)


@dataclass
class Units:
    """Sources for the device's compiler, and its options."""

    kernel: str
    tests: List[str]
    options: List[str]


def units(tree: Tree, case: Case, library: host.Library, chip: str, frame: str, folder: str) -> Units:
    """Writes the sources that are compiled: each includes what a test's build puts before the repository's."""
    arch35 = "950" in chip
    source, tests = source_of(tree, case, arch35), sources(tree.operator, arch35, case)
    near = [os.path.join(tree.operator, "op_kernel"), tree.operator, *tree.kernel_folders()]
    toolkit = [os.path.dirname(library.platform.library), *kernel._own_headers()]
    # The compiler finds headers of Ascend C by itself.
    known = [os.path.join(tree.ascendc, at) for at in ("", "include", "include/basic_api", "include/adv_api", "include/utils", "impl")]
    includes = Includes([source], near + known + toolkit, tree.repository, tree.operator)
    texts = [kernel.without_comments(text_of(path)) for path in includes.files if path.startswith(tree.repository)]
    own = own_header(tree, case)
    header = _own(own, folder) if own else _generated(tree, case, library, chip, texts)
    defines = "".join(f"#define {name} {value or 1}\n" for name, _, value in
                      (option[2:].partition("=") for option in case.options) if name != "UT_CUSTOM_TILING_DATA_KEYS")
    numbers = "".join(f"#define {name} {number}\n#define C_{name} {number}\n" for name, number in NUMBERS.items())
    numbers += "".join(f"#define {name} {number}\n" for name, number in FORMATS.items())
    made = Units(os.path.join(folder, "kernel.asc"), [], [])
    _write(made.kernel, _KEY + _WORKSPACE + numbers + defines + header + f'\n#include "{source}"\n')
    for at, test in enumerate(tests):
        made.tests.append(os.path.join(folder, f"test{at}.asc"))
        _write(made.tests[-1], _KEY + '#ifndef PTOSIM_DEVICE_PASS\n#include "tikicpulib.h"\n#define __CCE_KT_TEST__ 1\n' + defines
               + header + f'\n#include "{test}"\n#endif\n')
    frames = [os.path.join(frame, name) for name in ("op_kernel", "common")]
    frames.append(os.path.join(tree.metadef, "inc/external/base/context_builder"))
    of_tests = Includes(tests, [os.path.dirname(tests[0]), *near, *frames, *known, *toolkit, *tree.host_folders()],
                        tree.repository, tree.operator)
    near += [os.path.dirname(own)] if own else []
    folders = [*near, *includes.added, *frames, *of_tests.added, *toolkit, os.path.dirname(tests[0]), *tree.host_folders()]
    modes = {mode for test in tests for mode in _MODES.findall(text_of(test))}
    core = "-vec" if modes == {"AIV_MODE"} else "-cube" if modes == {"AIC_MODE"} else ""
    made.options = ["-xasc", f"--cce-aicore-arch={'dav-c310' if arch35 else 'dav-c220'}{core}", "-std=c++17", "-w",
                    "-fno-access-control", *(f"-I{at}" for at in dict.fromkeys(folders)), *host.farm(includes, folder)]
    return made


def compiled(made: Units, tree: Tree) -> List[str]:
    """Objects of the units. Raises Error (H02)."""
    objects = []
    environment = dict(program.environment(), PTOSIM_ASCENDC=tree.ascendc)
    for source in [made.kernel, *made.tests]:
        words = [program.path(), "as", "bisheng", *made.options, "-c", source, "-o", source + ".o"]
        done = host._run(words, env=environment)
        if done.returncode != 0:
            raise misuse(f"{source} does not compile:\n{host.shortened(done.stdout + done.stderr)}", "", "H02")
        objects.append(source + ".o")
    return objects


def _write(path: str, text: str) -> None:
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
