"""Projects of operators in the toolkit's CMake functions, and the part of the toolkit that operators need."""
from __future__ import annotations

import argparse
import glob
import os
import shutil
import sys
import tarfile
from typing import List, Sequence

from ..errors import misuse
from . import aclnn, build_tools, generated, host, tree
from .tree import Tree

#: Chips whose configurations are tried for a definition's parameters.
_CHIPS = ("", "ascend910c", "ascend950pr")

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


def generate(description: str, out: str) -> None:
    """Headers and sources of the calls of a project's operators, and what CMake needs to compile its hosts."""
    made_for = tree.find(description)
    os.makedirs(out, exist_ok=True)
    left: List[str] = []
    for chip in _CHIPS:
        library = host.library(made_for, chip or os.environ.get("PTOSIM_CHIP", ""))
        for source, messages in library.failed.items():
            raise misuse(f"{source} does not compile:\n{host.shortened(messages)}", "", "H02")
        found = host.definitions(library, chip or os.environ.get("PTOSIM_CHIP", ""))
        for definition in found:
            if definition["type"] not in left and (definition["inputs"] or definition["outputs"]):
                left.append(definition["type"])
                aclnn.write_calls(definition, out, f"ptosim_aclnn_operators(\"{description}\");")
        if len(left) == len(found):
            break
    if not left:
        raise misuse(f"the sources of {made_for.operator} define no operator (OP_ADD)", "", "H02")
    # The engine of graphs, which would read the prototypes of operators, is not simulated.
    _write(os.path.join(out, "op_proto.cc"), "// No graphs: prototypes of operators have no reader.\n")
    _write(os.path.join(out, "op_proto.h"), "// No graphs: prototypes of operators have no reader.\n")
    base = host.platform(made_for)
    _write(os.path.join(out, "hosts.cmake"),
           "set(PTOSIM_HOST_INCLUDES " + " ".join(f'"{folder}"' for folder in [os.path.dirname(base.library), *made_for.host_folders()])
           + ")\nset(PTOSIM_HOST_OPTIONS -std=c++17 -w -DOS_TYPE=0 -DNO_METADEF_ABI_COMPATIABLE -D_GLIBCXX_USE_CXX11_ABI=0)\n")
    print("calls: " + ", ".join("aclnn" + name for name in left))


def package(folder: str, target: str, vendor: str) -> None:
    """An installer of the libraries and headers of a build."""
    calls = os.path.join(folder, "ACLNN")
    if not os.path.isdir(calls):
        raise misuse(f"{folder} has no library of calls", "npu_op_library(NAME ACLNN ...), npu_op_package_add(... LIBRARY NAME)", "H02")
    text = _INSTALLER.replace("@VENDOR@", vendor)
    text = text.replace("@LINE@", str(text.count("\n") + 1))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target + ".new", "wb") as file:
        file.write(text.encode())
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            for name in sorted(os.listdir(calls)):
                archive.add(os.path.join(calls, name), f"{vendor}/op_api/lib/{name}")
            autogen = os.path.join(folder, "autogen")
            for name in sorted(os.listdir(autogen)):
                if name.endswith(".h") and name.startswith("aclnn"):
                    for at in ("include", "include/aclnnop"):
                        archive.add(os.path.join(autogen, name), f"{vendor}/op_api/{at}/{name}")
            hosts = os.path.join(folder, "TILING")
            for name in sorted(os.listdir(hosts)) if os.path.isdir(hosts) else []:
                archive.add(os.path.join(hosts, name), f"{vendor}/op_impl/ai_core/tbe/op_tiling/{name}")
    os.chmod(target + ".new", 0o755)
    os.replace(target + ".new", target)
    print(f"package: {target}")


def _graph_headers(ge: str, include: str) -> None:
    """Headers and messages of the engine of graphs, which packages of operators are compiled with."""
    needed = "inc/graph_metadef/external/graph/graph.h"
    if not os.path.isfile(os.path.join(ge, needed)):
        raise misuse(f"{ge} is not a checkout of ge: no {needed} in it", "name one by --ge", "H02")
    for source in ("inc/graph_metadef/external", "inc/external"):
        _merge(os.path.join(os.path.abspath(ge), source), include, ["acl"])
    messages = os.path.join(include, "proto")
    os.makedirs(messages, exist_ok=True)
    for path in glob.glob(os.path.join(os.path.abspath(ge), "graph_metadef/proto/**/*.proto"), recursive=True):
        aclnn._link(path, os.path.join(messages, os.path.basename(path)))


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
    aclnn._link(os.path.join(made_for.metadef, "inc", "external"), os.path.join(include, "external"))
    aclnn._link(os.path.join(made_for.opbase, "include", "nnopbase", "aclnn"), os.path.join(include, "aclnn"))
    aclnn._link(os.path.join(made_for.opbase, "include", "aclnnop"), os.path.join(include, "aclnnop"))
    if ge:
        _graph_headers(ge, include)
    roots = (made_for.metadef, made_for.opbase, made_for.ascendc)
    # Where an installed toolkit has them, the first of a name. The compiler finds headers of kernels in the checkout.
    for source in made_for.host_folders():
        below = next((source[len(root):].strip(os.sep) for root in roots if source.startswith(root)), "")
        if below.startswith(("include", "inc/external", "pkg_inc")) or source.startswith(tree.include_folder()):
            kernels = [name for name in os.listdir(source) if name.startswith("kernel_") and source.startswith(made_for.ascendc)]
            _merge(source, include, [*os.listdir(tree.include_folder()), *kernels])


def _link_hosts(library: str, lib: str) -> None:
    """Gives hosts of any compiler the tilings of Ascend C (-ltiling_api), and registries (-lregister): `library`, and
    functions for what it lacks."""
    folder = os.path.dirname(library)
    rest = os.path.join(lib, "libhost_rest.so")
    made = host._stand_ins([], library, folder, [os.path.join(tree.library_folder(), "libptosim.so")])
    done = host._run([host.compiler(), "-shared", "-o", rest + ".new", made])
    if done.returncode != 0:
        raise misuse(f"{rest} cannot be made:\n{done.stderr.strip()}", "", "H02")
    os.replace(rest + ".new", rest)
    for name in ("tiling_api.so", "register.so", "rt2_registry_static.a"):
        target = os.path.join(lib, "lib" + name)
        if os.path.lexists(target):
            os.unlink(target)
        _write(target, f"INPUT(-l{os.path.basename(library)[3:-3]} -lhost_rest)\n")


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
    if rest[:1] == ["generate"] and len(rest) == 3:
        generate(rest[1], rest[2])
        return 0
    if rest[:1] == ["package"] and len(rest) == 4:
        package(*rest[1:])
        return 0
    if rest[:1] in (["op_build"], ["opc"]):
        return {"op_build": build_tools.op_build, "opc": build_tools.opc}[rest[0]](rest[1:])
    print("error: ptosim op --project generate DESCRIPTION DIR, or package DIR FILE VENDOR", file=sys.stderr)
    return 2
