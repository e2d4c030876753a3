"""Folders that an operator is compiled with: its own, its repository, the checkouts of the toolkit's public parts, and
ptosim's headers."""
from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence, Tuple

from .. import program
from ..errors import misuse

#: Parts that are public repositories: the variable that names the checkout, a file of it.
_PARTS = {
    "asc-devkit": ("PTOSIM_ASCENDC", "include/kernel_operator.h"),
    "metadef": ("PTOSIM_METADEF", "inc/external/register/op_impl_registry.h"),
    "opbase": ("PTOSIM_OPBASE", "include/op_common/log/log.h"),
}
_OPTIONAL = frozenset(("opbase",))


@dataclass
class Tree:
    operator: str  #: the folder with op_host and op_kernel
    repository: str  #: the outermost folder whose files the operator may include
    parts: Dict[str, str]  #: checkouts by their names in _PARTS; "" if an optional one is missing
    hosts: Tuple[str, ...] = ()  #: of a project: its host sources, instead of those in op_host
    kernels: Dict[str, str] = field(default_factory=dict)  #: of a project: sources by types of operators
    options: Dict[str, List[str]] = field(default_factory=dict)  #: of a project: for kernels, by types
    bases: Tuple[str, ...] = ()  #: of a project: folders of kernels
    new_strings: bool = False  #: C++11's ABI of std::string, which CANN's libraries lack, and GoogleTest's has

    @property
    def ascendc(self) -> str:
        return self.parts["asc-devkit"]

    @property
    def metadef(self) -> str:
        return self.parts["metadef"]

    @property
    def opbase(self) -> str:
        return self.parts["opbase"]

    def host_folders(self) -> List[str]:
        """Where hosts of operators find the toolkit's headers."""
        metadef = [os.path.join(self.metadef, folder) for folder in (
            "", "inc", "inc/external", "pkg_inc", "pkg_inc/base", "inc/external/asc", "inc/external/base", "base",
            "inc/external/exe_graph", "inc/common/util")]
        opbase = [os.path.join(self.opbase, folder) for folder in (
            "include", "include/op_common", "include/op_common/op_host", "pkg_inc", "pkg_inc/op_common",
            "pkg_inc/op_common/atvoss", "include/nnopbase", "src/op_common")] if self.opbase else []
        own = include_folder()
        ascendc = [os.path.join(self.ascendc, folder) for folder in (
            "", "include", "include/basic_api", "include/adv_api", "include/utils", "include/utils/tiling/platform",
            "impl", "impl/basic_api", "impl/adv_api", "impl/utils")]
        return [os.path.normpath(folder) for folder in
                metadef + opbase + [own, os.path.join(own, "asc_devkit")] + ascendc]

    def host_flags(self) -> List[str]:
        """Of sources that use these headers."""
        return [f"-D_GLIBCXX_USE_CXX11_ABI={int(self.new_strings)}", *(f"-I{folder}" for folder in self.host_folders())]

    def kernel_folders(self) -> List[str]:
        """Folders with headers of kernels, besides Ascend C's."""
        if not self.opbase:
            return []
        return [os.path.normpath(os.path.join(self.opbase, folder)) for folder in (
            "include", "include/op_common", "pkg_inc", "pkg_inc/op_common")]


def include_folder() -> str:
    root = os.path.dirname(os.path.dirname(os.path.realpath(program.path())))
    installed = os.path.join(root, "share", "ptosim", "include")
    if os.path.isdir(installed):
        return installed
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.normpath(os.path.join(here, "..", "..", "..", "..", "include"))


def library_folder() -> str:
    own = os.path.dirname(os.path.realpath(program.path()))
    installed = os.path.join(os.path.dirname(own), "lib")
    return installed if os.path.isfile(os.path.join(installed, "libptosim.so")) else own


def cache_folder() -> str:
    """The one of compiled kernels."""
    chosen = os.environ.get("PTOSIM_CACHE")
    if not chosen:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        chosen = os.path.join(base, "ptosim")
    return os.path.join(chosen, "operators")


def digest(words: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:20]


def _repository(folder: str) -> str:
    """The outermost folder that belongs to the operator's repository: its checkout, or the last one with a build."""
    best, at = folder, folder
    while True:
        at = os.path.dirname(at)
        if at == os.path.dirname(at):
            return best
        names = set(os.listdir(at)) if os.access(at, os.R_OK) else set()
        if "build.sh" in names or "CMakeLists.txt" in names:
            best = at
        if ".git" in names:
            return at


def _part(name: str, given: Optional[str], near: Sequence[str]) -> str:
    variable, file = _PARTS[name]
    chosen = given or os.environ.get(variable)
    if chosen:
        if not os.path.isfile(os.path.join(chosen, file)):
            raise misuse(f"{chosen} is not a checkout of {name}: no {file} in it",
                         f"name one by --{'ascendc' if name == 'asc-devkit' else name}, or in {variable}", "H02")
        # The folder `asc` of a toolkit consists of links into a checkout.
        include = os.path.join(chosen, "include")
        return os.path.dirname(os.path.realpath(include)) if os.path.islink(include) else os.path.abspath(chosen)
    for folder in near:
        if os.path.isfile(os.path.join(folder, name, file)):
            return os.path.join(folder, name)
    if name in _OPTIONAL:
        return ""
    raise misuse(f"operators need a checkout of {name}, and there is none next to the operator's repository",
                 f"name one by --{'ascendc' if name == 'asc-devkit' else name}, or in {variable}", "H02")


#: The file that describes a project of operators, which the toolkit's CMake functions write.
DESCRIPTION = ".ptosim"


def _project(file: str, given: Dict[str, Optional[str]]) -> Tree:
    try:
        with open(file, encoding="utf-8") as opened:
            rows = [line.rstrip("\n").split(" ", 2) for line in opened if line.strip()]
    except OSError as error:
        raise misuse(f"{file} cannot be read: {error}", "configure the project of the operators again", "I01") from None

    def of(kind: str) -> List[List[str]]:
        return [row[1:] for row in rows if row[0] == kind]
    hosts = tuple(" ".join(row) for row in of("source"))
    bases = tuple(" ".join(row) for row in of("base"))
    kernels = {name: os.path.normpath(os.path.join(base, path.lstrip("/"))) for base in reversed(bases) for name, path in of("kernel")}
    options: Dict[str, List[str]] = {}
    for name, option in of("option"):
        options.setdefault(name, []).append(option)
    root = " ".join(of("root")[0]) if of("root") else os.path.dirname(file)
    return Tree(root, root, _parts([os.path.dirname(root)], given), hosts, kernels, options, bases)


def _parts(near: List[str], given: Dict[str, Optional[str]]) -> Dict[str, str]:
    ascendc = _part("asc-devkit", given.get("ascendc"), near)
    near = [*near, os.path.dirname(ascendc)]
    return {"asc-devkit": ascendc, "metadef": _part("metadef", given.get("metadef"), near),
            "opbase": _part("opbase", given.get("opbase"), near)}


def of_checkouts(**given: Optional[str]) -> Tree:
    """A tree without an operator. Raises Error (H02)."""
    return Tree("", "", _parts([], given))


def find(folder: str, **given: Optional[str]) -> Tree:
    """The tree of an operator, or of a project by its description. `given` are checkouts: ascendc, metadef, opbase.
    Raises Error (I01, H02)."""
    if folder.endswith(DESCRIPTION):
        return _project(folder, given)
    operator = os.path.abspath(folder)
    for needed in ("op_host", "op_kernel"):
        if not os.path.isdir(os.path.join(operator, needed)):
            raise misuse(f"{folder} is not the folder of an operator: no {needed} in it",
                         "name the folder that contains op_host and op_kernel", "I01")
    repository = _repository(operator)
    return Tree(operator, repository, _parts([os.path.dirname(repository), os.path.dirname(os.path.dirname(repository))], given))
