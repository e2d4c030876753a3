"""Unit tests of an operator's repository: `ptosim op FOLDER --tests`.

A repository has a frame (main functions, contexts of tilings) in tests/ut, and each operator has sources with GoogleTest's
cases in its own tests/ut. Both are compiled as they are and linked to the operator's host functions.
"""
from __future__ import annotations

import glob
import os
import re
import subprocess
import sys
import tempfile
from typing import List, Sequence

from .. import program
from ..errors import misuse
from . import host
from .includes import Includes, text_of
from .tree import Tree, cache_folder, digest, library_folder

#: Folders of frames below a repository.
_FRAMES = ("tests/ut", "tests/ut/framework_normal")
#: Sources of metadef that only tests use.
_METADEF = ("base/registry/op_impl_space_registry_v2.cc", "base/registry/opp_package_utils.cc")
_HOST = re.compile(r"test_\w+_(tiling|infershape)\w*\.(cpp|cc)$")
_GOOGLETEST = "libgtest.a"


def frame_of(tree: Tree) -> str:
    """The nearest frame of a folder that contains the operator. Raises Error (I01)."""
    at = tree.operator
    while len(at) > len(tree.repository):
        at = os.path.dirname(at)
        for folder in _FRAMES:
            path = os.path.join(at, folder)
            if os.path.isdir(os.path.join(path, "common")):
                return path
    raise misuse(f"{tree.repository} has no frame for tests of operators",
                 "repositories have one in " + " or ".join(_FRAMES), "I01")


def _is_for(path: str, root: str, arch35: bool) -> bool:
    """Folders named archNN have the tests of a generation of chips; 35 is the 950's."""
    found = re.findall(r"arch(\d\d)", os.path.dirname(path)[len(root):])
    return not found or ("35" in found) == arch35


def host_sources(operator: str, arch35: bool) -> List[str]:
    """Tests of tilings and of functions of shapes for a generation of chips."""
    root = os.path.join(operator, "tests", "ut", "op_host")
    return [path for path in sorted(glob.glob(os.path.join(root, "**", "test_*.*"), recursive=True))
            if _HOST.search(os.path.basename(path)) and _is_for(path, root, arch35)
            and not {"op_api", "op_kernel"} & set(path[len(root):].split(os.sep))]


#: Kinds of tests, and their sources in an operator's folder.
KINDS = {"host": host_sources}


def _googletest() -> str:
    done = host._run([host.compiler(), "-print-file-name=" + _GOOGLETEST])
    path = done.stdout.strip()
    if not os.path.isfile(path):
        raise misuse("tests of operators need GoogleTest, and the compiler finds no " + _GOOGLETEST,
                     "apt-get install libgtest-dev nlohmann-json3-dev", "H02")
    return path


def host_program(tree: Tree, chip: str) -> str:
    """The program that runs the tests of an operator's host functions. Raises Error (I01, H02)."""
    arch35 = "950" in chip
    sources = host_sources(tree.operator, arch35)
    if not sources:
        raise misuse(f"{tree.operator}/tests/ut/op_host has no tests for this chip", "", "I01")
    frame, library, googletest = frame_of(tree), host.library(tree, chip), _googletest()
    main = os.path.join(frame, "op_host", "test_op_host_main.cpp")
    common = sorted(glob.glob(os.path.join(frame, "common", "*.cpp")))
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "space_registry.cpp")
    shared = [main, *common, own, *(os.path.join(tree.metadef, path) for path in _METADEF)]
    near = [os.path.join(frame, "common"), os.path.join(tree.metadef, "inc/external/base/context_builder"), tree.repository,
            os.path.dirname(library.platform.library), *tree.host_folders()]
    options = [f"-DBUILD_SOC_VERSION={'ascend950' if arch35 else _soc(chip)}", "-DCFG_BUILD_DEBUG", "-fno-access-control",
               "-include", os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_names.h")]
    folder = os.path.join(cache_folder(), "tests-" + digest([tree.operator, *tree.parts.values(), *options]))
    os.makedirs(folder, exist_ok=True)
    frames = os.path.join(cache_folder(), "frame-" + digest([frame, *tree.parts.values(), *options]))
    objects = []
    with host._Lock(frames + ".lock"):
        flags = _flags(shared, near, tree, frames) + options
        needed = [path for path in shared if path not in common]
        objects += _compiled(needed, flags, frames)
        # A frame also serves tests of graphs, whose engine is closed: what they need is left out.
        objects += [path for path, messages in host._objects(common, flags, frames) if not messages]
    with host._Lock(folder + ".lock"):
        at = [os.path.join(tree.operator, "op_host"), tree.operator, *near]
        objects += _usable(sources, _flags(sources, at, tree, folder) + options, folder)
        made = os.path.join(folder, "host_tests")
        libptosim = os.path.join(library_folder(), "libptosim.so")
        rest = host._stand_ins([*objects, googletest], library.platform.library, folder, [library.path, libptosim])
        done = host._run([host.compiler(), *objects, rest, "-Wl,--no-as-needed", "-Wl,--whole-archive", googletest, "-Wl,--no-whole-archive",
                          library.path, library.platform.library, libptosim, "-rdynamic", "-lpthread", "-ldl", "-o", made + ".new",
                          "-Wl,-z,lazy,--allow-shlib-undefined",
                          "-Wl,-rpath," + ":".join((os.path.dirname(library.path), os.path.dirname(library.platform.library),
                                                    library_folder()))])
        if done.returncode != 0:
            raise misuse(f"the tests of {tree.operator} cannot be linked:\n{host.shortened(done.stderr)}", "", "H02")
        os.replace(made + ".new", made)
        # Where the main function of the frame looks for the operators.
        for name in re.findall(r'"[^"]*?(lib\w+\.so)"', text_of(main)):
            for at_folder in (folder, os.path.join(folder, "tests/ut/framework_normal/op_host")):
                os.makedirs(at_folder, exist_ok=True)
                link = os.path.join(at_folder, name)
                if os.path.lexists(link):
                    os.unlink(link)
                os.symlink(library.path, link)
    return made


def _soc(chip: str) -> str:
    return "ascend910_93" if "910c" in chip else "ascend910b"


def _flags(sources: Sequence[str], folders: Sequence[str], tree: Tree, folder: str) -> List[str]:
    includes = Includes(sources, folders, tree.repository, tree.operator)
    os.makedirs(folder, exist_ok=True)
    return [f"-I{at}" for at in [*folders, *includes.added]] + host.farm(includes, folder)


def _compiled(sources: Sequence[str], flags: Sequence[str], folder: str) -> List[str]:
    made = host._objects(sources, flags, folder)
    for source, (_, messages) in zip(sources, made):
        if messages:
            raise misuse(f"{source} does not compile:\n{host.shortened(messages)}", "", "H02")
    return [path for path, _ in made]


def _usable(sources: Sequence[str], flags: Sequence[str], folder: str) -> List[str]:
    """Objects of the sources that compile; others are left out and told."""
    made = list(zip(sources, host._objects(sources, flags, folder)))
    failed = [(source, messages) for source, (_, messages) in made if messages]
    if len(failed) == len(made):
        raise misuse(f"{failed[0][0]} does not compile:\n{host.shortened(failed[0][1])}", "", "H02")
    for source, messages in failed:
        print(f"note: {source} is left out: {host.shortened(messages, 1)}", file=sys.stderr)
    return [path for _, (path, messages) in made if not messages]


def run(tree: Tree, kind: str, chip: str, words: Sequence[str]) -> int:
    """Runs the tests with GoogleTest's options in `words`. Returns its exit code."""
    if kind not in KINDS:
        raise misuse(f"there are no tests '{kind}'", "there are " + ", ".join(KINDS), "I11")
    made = host_program(tree, chip)
    environment = dict(program.environment(), BUILD_PATH=os.path.dirname(made), SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
    if chip:
        environment["PTOSIM_CHIP"] = chip
    with tempfile.TemporaryDirectory(prefix="ptosim-tests-") as folder:
        sys.stdout.flush()
        status = subprocess.call([made, *words], cwd=folder, env=environment)
    if status < 0:
        raise misuse(f"the tests have ended by signal {-status}", "the last line above names the test", "H02")
    return status
