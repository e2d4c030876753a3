"""Projects of operators in the toolkit's CMake functions, and the part of the toolkit that operators need."""
from __future__ import annotations

import argparse
import glob
import os
import re
import shutil
import sys
import tarfile
from typing import List, Sequence

from ..errors import misuse
from . import aclnn, build_tools, generated, host, tree
from .includes import text_of
from .tree import Tree

_INSTALLER = r"""#!/bin/sh
# Installs calls of operators: --install-path=DIR, else ASCEND_OPP_PATH.
to=$ASCEND_OPP_PATH
for word in "$@"; do
    case $word in --install-path=*) to=${word#--install-path=} ;; esac
done
if [ -z "$to" ]; then
    echo "error: no folder to install in; source the toolkit's set_env.sh, or give --install-path=DIR" >&2
    exit 2
fi
mkdir -p "$to/vendors" && tail -n +@LINE@ "$0" | tar xzf - -C "$to/vendors" || exit 2
ini=$to/vendors/config.ini
others=$(sed -n 's/^load_priority=//p' "$ini" 2>/dev/null)
case ",$others," in
    *",@VENDOR@,"*) ;;
    *) echo "load_priority=@VENDOR@${others:+,$others}" > "$ini" ;;
esac
echo SUCCESS
exit 0
"""


def generate(description: str, out: str, options: Sequence[str] = ()) -> None:
    """Calls and tables of a project's operators by op_build, and what CMake needs to compile its hosts. `options`: of
    op_build, NAME=VALUE."""
    made_for = tree.find(description)
    os.makedirs(out, exist_ok=True)
    library = host.library(made_for, os.environ.get("PTOSIM_CHIP", ""))
    for source, messages in library.failed.items():
        raise misuse(f"{source} does not compile:\n{host.shortened(messages)}", "", "H02")
    operators = os.path.join(out, _ALL_OPERATORS)  # projects run op_build with it again
    shutil.copyfile(library.path, operators + ".new")
    os.replace(operators + ".new", operators)
    before = set(os.listdir(out))
    if build_tools.op_build([operators, out], dict(option.split("=", 1) for option in options)) != 0:
        raise misuse(f"op_build has not made calls of the operators of {made_for.operator}",
                     "sources of definitions are those with OP_ADD", "H02")
    calls = sorted(name for name in os.listdir(out) if name.startswith("aclnn") and name.endswith(".cpp"))
    for name in calls:
        with open(os.path.join(out, name), encoding="utf-8") as file:
            text = file.read()
        if _AT_LOAD not in text:
            _write(os.path.join(out, name), text + _AT_LOAD.replace("@DESCRIPTION@", description))
    # The engine of graphs, which would read the prototypes of operators, is not simulated.
    for name in {"op_proto.cc", "op_proto.h"} - before:
        _write(os.path.join(out, name), "// No graphs: prototypes of operators have no reader.\n")
    _write(os.path.join(out, "hosts.cmake"),
           "set(PTOSIM_HOST_INCLUDES " + " ".join(f'"{folder}"' for folder in
                                                  [os.path.dirname(library.platform.library), *made_for.host_folders()])
           + ")\nset(PTOSIM_HOST_OPTIONS -std=c++17 -w -DOS_TYPE=0 -DNO_METADEF_ABI_COMPATIABLE -D_GLIBCXX_USE_CXX11_ABI=0)\n")
    names = sorted({name for call in calls for name in re.findall(r"\b(aclnn\w+)GetWorkspaceSize\s*\(", text_of(os.path.join(out, call)))})
    print("calls: " + ", ".join(names))


_ALL_OPERATORS = "libascend_all_ops.so"
#: Calls find their operators by the description of the project.
_AT_LOAD = """
extern "C" void ptosim_aclnn_operators(const char* folders);
__attribute__((constructor)) static void ptosim_at_load() { ptosim_aclnn_operators("@DESCRIPTION@"); }
"""


def package(staged: str, target: str, vendor: str = "") -> None:
    """An installer of the files that a build has installed below packages/vendors. `vendor`: empty if there is one."""
    root = os.path.join(staged, "packages", "vendors")
    vendor = vendor or "".join(sorted(os.listdir(root))[:1] if os.path.isdir(root) else [])
    if not glob.glob(os.path.join(root, "*", "op_api", "lib", "*.so")):
        raise misuse(f"{root} has no library of calls", "npu_op_library(NAME ACLNN ...), npu_op_package_add(... LIBRARY NAME)", "H02")
    text = _INSTALLER.replace("@VENDOR@", vendor)
    text = text.replace("@LINE@", str(text.count("\n") + 1))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target + ".new", "wb") as file:
        file.write(text.encode())
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            for name in sorted(os.listdir(root)):
                archive.add(os.path.join(root, name), name)
    os.chmod(target + ".new", 0o755)
    os.replace(target + ".new", target)
    print(f"package: {target}")


#: Archives that packages link into kernels of the AICPU. Calls do not run those, so they are empty.
_AICPU = ("aicpu_context", "base_ascend_protobuf", "host_ascend_protobuf")


def _write_versions(ge: str, made_for: Tree, folder: str) -> None:
    """Headers with the versions of checkouts, which sources compare."""
    os.makedirs(folder, exist_ok=True)
    for checkout, file in ((ge, "ge-compiler"), (made_for.ascendc, "asc_devkit"), (made_for.metadef, "cann")):
        path = os.path.join(checkout, "version.cmake")
        found = re.search(r'\bVERSION\s+"(\d+)\.(\d+)\.(\d+)', text_of(path) if os.path.isfile(path) else "")
        numbers = [int(number) for number in found.groups()] if found else [0, 0, 0]
        name = file.upper().replace("-", "_")
        rows = [(f"{name}_{part}", str(number)) for part, number in zip(("MAJOR", "MINOR", "PATCH"), numbers)]
        rows += [(f"{name}_VERSION_NUM", str(sum(number * weight for number, weight in zip(numbers, (10000000, 100000, 1000))))),
                 (f"{name}_VERSION_STR", '"' + ".".join(map(str, numbers)) + '"')]
        _write(os.path.join(folder, file + "_version.h"), "#pragma once\n" + "".join(f"#define {key} {value}\n" for key, value in rows))


def _graph_parts(ge: str, made_for: Tree, folder: str) -> None:
    """What packages of operators are compiled with besides: headers and messages of the engine of graphs."""
    include = os.path.join(folder, "include")
    needed = "inc/graph_metadef/external/graph/graph.h"
    if not os.path.isfile(os.path.join(ge, needed)):
        raise misuse(f"{ge} is not a checkout of ge: no {needed} in it", "name one by --ge", "H02")
    os.makedirs(os.path.join(include, "ge"), exist_ok=True)
    aclnn._link("../../share/cmake/ge", os.path.join(include, "ge", "cmake"))
    builders = "inc/external/ge/eager_style_graph_builder"
    for source, below in (("inc/graph_metadef/external", ""), ("inc/external", ""), (builders + "/c", "ge"), (builders + "/cpp", "ge")):
        _merge(os.path.join(os.path.abspath(ge), source), os.path.join(include, below), ["acl"])
    aclnn._link(os.path.join(os.path.abspath(ge), "graph_metadef/third_party/transformer/inc"), os.path.join(include, "transformer"))
    _write_versions(ge, made_for, os.path.join(include, "version"))
    template = os.path.join(folder, "tools/op_project_templates/ascendc/customize")
    os.makedirs(os.path.join(template, "cmake"), exist_ok=True)
    for of, name in (("util", "cmake/util"), ("scripts", "scripts")):
        aclnn._link(os.path.join(made_for.ascendc, "cmake/asc/fwk_modules", of), os.path.join(template, name))
    aclnn._link("../../../../../share/cmake/op_project/makeself.cmake", os.path.join(template, "cmake/makeself.cmake"))
    messages = os.path.join(include, "proto")
    os.makedirs(messages, exist_ok=True)
    for path in glob.glob(os.path.join(os.path.abspath(ge), "graph_metadef/proto/**/*.proto"), recursive=True):
        aclnn._link(path, os.path.join(messages, os.path.basename(path)))
    for name in _AICPU:
        _write(os.path.join(folder, "lib64", f"lib{name}.a"), "!<arch>\n")


def toolkit(folder: str, made_for: Tree, ge: str = "") -> None:
    """Adds libraries and headers of two-phase calls and of hosts' tilings to a toolkit."""
    nnopbase = aclnn.engine(made_for)
    lib = os.path.join(folder, "lib64")
    for path in (nnopbase, host.platform(made_for).library):
        target = os.path.join(lib, os.path.basename(path))
        if os.path.islink(target):
            os.unlink(target)
        shutil.copyfile(path, target + ".new")
        os.replace(target + ".new", target)
    aclnn._link("libnnopbase.so", os.path.join(lib, "libopapi.so"))  # where programs look for aclCreateTensor
    _link_hosts(host.platform(made_for).library, lib)
    build_tools.lay_out(folder)
    include = os.path.join(folder, "include")
    aclnn._link(os.path.join(made_for.opbase, "include", "nnopbase", "aclnn"), os.path.join(include, "aclnn"))
    aclnn._link(os.path.join(made_for.opbase, "include", "aclnnop"), os.path.join(include, "aclnnop"))
    # Headers of packages name it as if it were beside them.
    aclnn._link("aclnnop/aclnn_util.h", os.path.join(include, "aclnn_util.h"))
    if ge:
        _graph_parts(ge, made_for, folder)
    roots = (made_for.metadef, made_for.opbase, made_for.ascendc)
    own = tree.include_folder()
    but = set(os.listdir(own)) - set(os.listdir(os.path.join(own, "asc_devkit")))
    # Where an installed toolkit has them, the first of a name. The compiler finds headers of kernels in the checkout.
    for source in made_for.host_folders():
        below = next((source[len(root):].strip(os.sep) for root in roots if source.startswith(root)), "")
        if below.startswith(("include", "inc/external", "pkg_inc")) or source.startswith(tree.include_folder()):
            kernels = [name for name in os.listdir(source) if name.startswith("kernel_") and source.startswith(made_for.ascendc)]
            _merge(source, include, [*but, *kernels])
    structures = os.path.join(include, "kernel_tiling")
    if os.path.islink(structures):
        os.unlink(structures)
        shutil.copytree(os.path.join(os.path.dirname(host.platform(made_for).library), "kernel_tiling"), structures)
    external = os.path.join(include, "external")  # another path of all headers
    os.makedirs(external, exist_ok=True)
    for name in os.listdir(include):
        if name not in ("external", "experiment"):
            aclnn._link(os.path.join("..", name), os.path.join(external, name))
    experiment = os.path.join(include, "experiment")  # by these paths modules of CMake look for some
    os.makedirs(os.path.join(experiment, "cce"), exist_ok=True)
    for name, of in (("msprof", "../external"), ("runtime", "../external"), ("cce/aicpu_engine_struct.h", "../../aicpu_engine_struct.h")):
        aclnn._link(of, os.path.join(experiment, name))


def _link_hosts(library: str, lib: str) -> None:
    """Gives hosts of any compiler the tilings of Ascend C (-ltiling_api), and registries (-lregister): `library`, and
    functions for what it lacks."""
    folder = os.path.dirname(library)
    rest = os.path.join(lib, "libhost_rest.so")
    made = host._stand_ins([], library, folder, [os.path.join(tree.library_folder(), "libptosim.so")])
    done = host._run([host.compiler(), "-shared", "-Wl,-soname," + os.path.basename(rest), "-o", rest + ".new", made])
    if done.returncode != 0:
        raise misuse(f"{rest} cannot be made:\n{done.stderr.strip()}", "", "H02")
    os.replace(rest + ".new", rest)
    hosts = f"{os.path.basename(library)} {os.path.basename(rest)}"
    names = ("tiling_api.so", "register.so", "metadef.so", "opp_registry.so", "rt2_registry_static.a", "rt2_registry.a", "tiling_api.a")
    for name, of in (*((name, hosts) for name in names), ("c_sec.a", "libptosim.so")):
        target = os.path.join(lib, "lib" + name)
        if os.path.lexists(target):
            os.unlink(target)
        _write(target, f"INPUT({of})\n")


def _merge(source: str, target: str, but: Sequence[str] = ()) -> None:
    """Links headers of a folder, except some names, and unless the target has them."""
    for name in sorted(set(os.listdir(source)) - set(but)):
        path, link = os.path.join(source, name), os.path.join(target, name)
        if not os.path.isdir(path):
            if name.endswith(".h") and not os.path.lexists(link):
                os.symlink(path, link)
        elif not os.path.lexists(link):
            os.symlink(path, link)
        elif os.path.realpath(path) != os.path.realpath(link):
            if os.path.islink(link):  # both folders have some
                first = os.path.realpath(link)
                os.unlink(link)
                os.mkdir(link)
                _merge(first, link)
            _merge(path, link)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(words: Sequence[str]) -> int:
    what, *rest = words or [""]
    if what == "--toolkit":
        parser = argparse.ArgumentParser("ptosim op --toolkit")
        parser.add_argument("folder")
        for name in ("ascendc", "metadef", "opbase", "ge"):
            parser.add_argument("--" + name)
        options = parser.parse_args(rest)
        toolkit(options.folder, tree.of_checkouts(ascendc=options.ascendc, metadef=options.metadef, opbase=options.opbase),
                options.ge or "")
        return 0
    if rest[:1] == ["generate"] and len(rest) >= 3:
        generate(rest[1], rest[2], rest[3:])
        return 0
    if rest[:1] == ["package"] and len(rest) in (3, 4):
        package(*rest[1:])
        return 0
    if rest[:1] in (["op_build"], ["opc"]):
        return {"op_build": build_tools.op_build, "opc": build_tools.opc}[rest[0]](rest[1:])
    print("error: ptosim op --project generate DESCRIPTION DIR [NAME=VALUE...], or package DIR FILE [VENDOR]", file=sys.stderr)
    return 2
