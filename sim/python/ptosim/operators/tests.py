"""Unit tests of an operator's repository: `ptosim op FOLDER --tests`.

A repository has a frame (main functions, contexts of tilings) in tests/ut, and each operator has sources with GoogleTest's
cases in its own tests/ut. Both are compiled as they are and linked to the operator's host functions.
"""
from __future__ import annotations

import dataclasses
import glob
import os
import re
import subprocess
import sys
import tempfile
from typing import Dict, List, Sequence

from .. import program
from ..errors import misuse
from . import host, kernel_tests
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
KINDS = {"host": host_sources, "kernel": kernel_tests.sources}


def _googletest() -> str:
    done = host._run([host.compiler(), "-print-file-name=" + _GOOGLETEST])
    path = done.stdout.strip()
    if not os.path.isfile(path):
        raise misuse("tests of operators need GoogleTest, and the compiler finds no " + _GOOGLETEST,
                     "apt-get install libgtest-dev nlohmann-json3-dev", "H02")
    return path


class _Program:
    """A program of tests: sources of the frame, of the operator, and its host functions."""

    def __init__(self, tree: Tree, kind: str, chip: str):
        tree = dataclasses.replace(tree, new_strings=True)
        self.tree, self.kind = tree, kind
        self.frame, self.googletest = frame_of(tree), _googletest()
        self.library = host.library(tree, chip)
        self.main = os.path.join(self.frame, f"op_{kind}", f"test_op_{kind}_main.cpp")
        own = os.path.dirname(os.path.abspath(__file__))
        self.options = ["-D_GLIBCXX_USE_CXX11_ABI=1", f"-DBUILD_SOC_VERSION={'ascend950' if '950' in chip else _soc(chip)}", "-DCFG_BUILD_DEBUG",
                        "-fno-access-control", "-include", os.path.join(own, "test_names.h")]
        self.near = [os.path.join(self.frame, name) for name in ("common", f"op_{kind}")]
        self.near += [os.path.join(tree.metadef, "inc/external/base/context_builder"), tree.repository,
                      os.path.dirname(self.library.platform.library), *tree.host_folders()]
        self.folder = os.path.join(cache_folder(), "tests-" + digest([tree.operator, kind, *tree.parts.values(), *self.options]))
        os.makedirs(self.folder, exist_ok=True)
        self.needed = [self.main, os.path.join(own, "space_registry.cpp"), *(os.path.join(tree.metadef, path) for path in _METADEF)]

    def of_frame(self) -> List[str]:
        """Objects of the frame. A frame also serves tests of graphs, whose engine is closed: what they need is left out."""
        common = glob.glob(os.path.join(self.frame, "common", "*.cpp"))
        common += [path for path in glob.glob(os.path.join(self.frame, f"op_{self.kind}", "*.cpp")) if path != self.main]
        folder = os.path.join(cache_folder(), "frame-" + digest([self.frame, self.kind, *self.tree.parts.values(), *self.options]))
        with host._Lock(folder + ".lock"):
            flags = _flags([*self.needed, *common], self.near, self.tree, folder) + self.options
            made = _compiled(self.needed, flags, folder)
            return made + [path for path, messages in host._objects(sorted(common), flags, folder) if not messages]

    def link(self, objects: List[str]) -> str:
        """The program. Raises Error (H02)."""
        made = os.path.join(self.folder, f"{self.kind}_tests")
        library, base = self.library.path, self.library.platform.library
        libptosim = os.path.join(library_folder(), "libptosim.so")
        rest = host._stand_ins([*objects, self.googletest], base, self.folder, [library, libptosim])
        paths = ":".join((os.path.dirname(library), os.path.dirname(base), library_folder()))
        done = host._run([host.compiler(), *objects, rest, "-Wl,--no-as-needed", "-Wl,--whole-archive", self.googletest,
                          "-Wl,--no-whole-archive", library, base, libptosim, "-rdynamic", "-lpthread", "-ldl", "-o", made + ".new",
                          "-Wl,-z,lazy,--allow-shlib-undefined", "-Wl,-rpath," + paths])
        if done.returncode != 0:
            raise misuse(f"the tests of {self.tree.operator} cannot be linked:\n{host.shortened(done.stderr)}", "", "H02")
        os.replace(made + ".new", made)
        # Where the main function of the frame looks for the operators.
        for below, name in re.findall(r'"([^"]*?)(lib\w+\.so)"', text_of(self.main)):
            at = os.path.normpath(os.path.join(self.folder, below.lstrip("/")))
            os.makedirs(at, exist_ok=True)
            link = os.path.join(at, name)
            if os.path.lexists(link):
                os.unlink(link)
            os.symlink(library, link)
        return made


def host_program(tree: Tree, chip: str) -> str:
    """The program that runs the tests of an operator's host functions. Raises Error (I01, H02)."""
    sources = host_sources(tree.operator, "950" in chip)
    if not sources:
        raise misuse(f"{tree.operator}/tests/ut/op_host has no tests for this chip", "", "I01")
    made = _Program(tree, "host", chip)
    objects = made.of_frame()
    with host._Lock(made.folder + ".lock"):
        at = [os.path.join(tree.operator, "op_host"), tree.operator, *made.near]
        return made.link(objects + _usable(sources, _flags(sources, at, tree, made.folder) + made.options, made.folder))


def kernel_program(tree: Tree, chip: str) -> str:
    """The program that runs the tests of an operator's kernel. Raises Error (I01, H02)."""
    case = kernel_tests.case_of(tree.operator, "950" in chip)
    if case is None:
        raise misuse(f"{tree.operator}/tests/ut/op_kernel has no tests for this chip", "", "I01")
    made = _Program(tree, "kernel", chip)
    objects = made.of_frame()
    with host._Lock(made.folder + ".lock"):
        units = kernel_tests.units(tree, case, made.library, chip, made.frame, made.folder)
        return made.link(objects + kernel_tests.compiled(units, tree))


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


def _one_by_one(made: str, words: Sequence[str], at: str, environment: Dict[str, str]) -> int:
    """Runs each test in a process of its own: no kernel runs on a device after one has failed."""
    listed = subprocess.run([made, *words, "--gtest_list_tests"], cwd=at, env=environment, stdout=subprocess.PIPE, text=True)
    suite, names = "", []
    for line in listed.stdout.splitlines():
        if re.match(r"\w[\w/]*\.", line):
            suite = line.split()[0]
        elif line.startswith("  ") and suite:
            names.append(suite + line.split()[0])
    others = [word for word in words if not word.startswith("--gtest_filter")]
    failed = []
    for name in names:
        if subprocess.call([made, *others, "--gtest_filter=" + name], cwd=at, env=environment) != 0:
            failed.append(name)
    print(f"tests: {len(names) - len(failed)} of {len(names)} have passed")
    for name in failed:
        print(f"failed: {name}")
    return int(bool(failed) or not names)


def run(tree: Tree, kind: str, chip: str, check: bool, words: Sequence[str]) -> int:
    """Runs the tests with GoogleTest's options in `words`. Returns its exit code."""
    if kind not in KINDS:
        raise misuse(f"there are no tests '{kind}'", "there are " + ", ".join(KINDS), "I11")
    made = host_program(tree, chip) if kind == "host" else kernel_program(tree, chip)
    environment = dict(program.environment(), BUILD_PATH=os.path.dirname(made), SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
    if chip:
        environment["PTOSIM_CHIP"] = chip
    if check:
        environment["PTOSIM_CHECK"] = "all"
    with tempfile.TemporaryDirectory(prefix="ptosim-tests-") as folder:
        for name in os.listdir(tree.repository):  # tests find their data by paths from the folder of the build
            if name != "build":
                os.symlink(os.path.join(tree.repository, name), os.path.join(folder, name))
        at = os.path.join(folder, "build", "tests", "ut", f"op_{kind}")
        os.makedirs(at)
        sys.stdout.flush()
        if kind == "kernel":
            return _one_by_one(made, words, at, environment)
        status = subprocess.call([made, *words], cwd=at, env=environment)
    if status < 0:
        raise misuse(f"the tests have ended by signal {-status}", "the last line above names the test", "H02")
    return status
