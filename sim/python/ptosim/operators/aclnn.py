"""Two-phase calls of operators: the library that executes them, and libraries with the calls of one folder."""
from __future__ import annotations

import concurrent.futures
import functools
import os
import re
import shutil
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from .. import program
from ..errors import misuse
from . import generated, host, tree
from .includes import Includes, _is_stand_in, headers_below, text_of
from .tree import Tree

#: Sources of opbase with the classes of tensors and their helpers.
_OPBASE = tuple(f"src/nnopbase/{path}.cpp" for path in (
    *(f"common/utils/{name}" for name in (
        "common_types", "object", "data_type_utils", "shape_utils", "format_utils", "fp16_t", "float8_e4m3fn", "float8_e5m2",
        "float8_e8m0", "float6_e2m3", "float6_e3m2", "float4_e1m2", "float4_e2m1", "hifloat4", "hifloat8")),
    "composite_op/aclnn_engine/op_arg_def", "composite_op/utils/op_def", "composite_op/utils/tensor_view_utils"))
_OWN = ("calls.cpp", "executor.cpp", "generated_calls.cpp", "objects.cpp", "services.cpp")


def flags(made_for: Tree) -> List[str]:
    """Of sources that use headers of two-phase calls."""
    opbase = [os.path.join(made_for.opbase, at) for at in (
        "include", "include/nnopbase", "include/nnopbase/opdev", "include/nnopbase/aclnn", "src/nnopbase/common/inc",
        "src/nnopbase/composite_op")]
    return [*(f"-I{folder}" for folder in opbase), *made_for.host_flags()]


def _own_folder() -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "aclnn")


def engine(made_for: Tree) -> str:
    """libnnopbase.so, made once for each state of the checkouts. Raises Error (H02)."""
    if not made_for.opbase:
        raise misuse("two-phase calls need a checkout of opbase", "name one by --opbase, or in PTOSIM_OPBASE", "H02")
    base = host.platform(made_for)
    given = [*flags(made_for), "-O1", f'-DPTOSIM_PROGRAM_PATH="{os.path.realpath(program.path())}"', "-DLOG_CPP",
             f'-DPTOSIM_PARTS="{":".join(f"{name}={path}" for name, path in made_for.parts.items())}"']
    folder = os.path.join(tree.cache_folder(), "aclnn-" + tree.digest([host.compiler(), *given]))
    library = os.path.join(folder, "libnnopbase.so")
    own = [os.path.join(_own_folder(), name) for name in _OWN]
    sources = [*own, *(os.path.join(made_for.opbase, path) for path in _OPBASE)]
    libptosim = os.path.join(tree.library_folder(), "libptosim.so")
    return host.made_once("the calls of operators of opbase", library, sources, given, lambda objects: [
        "-shared", "-Wl,-soname,libnnopbase.so", *objects, host._stand_ins(objects, base.library, folder, [libptosim]), base.library,
        libptosim, f"-Wl,-rpath,$ORIGIN:{os.path.dirname(base.library)}:{tree.library_folder()}"])


def generator(made_for: Tree) -> str:
    """asc-devkit's op_build, which writes calls and tables of a library of definitions; made once. Raises Error (H02)."""
    base = host.platform(made_for)
    at = os.path.join(made_for.ascendc, "tools/build/opbuild")
    # The order of its CMakeLists.txt: objects register in it.
    names = dict.fromkeys(re.findall(r"\bop_\w+\.cpp\b", text_of(os.path.join(at, "CMakeLists.txt"))))
    sources = [os.path.join(at, name) for name in names]
    if not sources:
        raise misuse(f"{made_for.ascendc} has no sources of op_build", "name a newer checkout of asc-devkit", "H02")
    given = [f"-I{os.path.join(made_for.ascendc, 'tools/build/common')}", *flags(made_for), "-DNO_OPERATOR_IMPL"]
    folder = os.path.join(tree.cache_folder(), "op_build-" + tree.digest([host.compiler(), *given]))
    return host.made_once("op_build of asc-devkit", os.path.join(folder, "op_build"), sources, given, lambda objects: [
        *objects, base.library, os.path.join(tree.library_folder(), "libptosim.so"), "-rdynamic", "-ldl",
        "-Wl,--allow-shlib-undefined", f"-Wl,-rpath,{os.path.dirname(base.library)}:{tree.library_folder()}"])


# ---- the calls of a folder --------------------------------------------------------------------------------------------

_CALLS = "op_api"
_INNER = re.compile(rf"\b{generated.INNER}([A-Z]\w*?)GetWorkspaceSize\b")


def _call_sources(operator: str) -> List[str]:
    found = []
    for at, folders, files in os.walk(operator):
        folders[:] = sorted(name for name in folders if name not in ("tests", "test", "examples", "op_kernel", "docs"))
        if _CALLS in at[len(operator):].split(os.sep):
            found += [os.path.join(at, name) for name in sorted(files) if name.endswith((".cpp", ".cc"))]
    return found


def repositories(made_for: Tree) -> List[str]:
    """The operator's repository, and those next to it that have operators with calls."""
    found = [made_for.repository]
    parent = os.path.dirname(made_for.repository)
    for name in ("ops-math", "ops-nn", "ops-transformer", "ops-cv"):
        path = os.path.join(parent, name)
        if os.path.isdir(path) and path not in found:
            found.append(path)
    return found


_DEFINITION = re.compile(r"\b(\w+)\s*\([^;{}]*\)\s*(?:const\s*)?(?:noexcept\s*)?\{")
_STATEMENTS = frozenset(("if", "for", "while", "switch", "catch"))


@functools.lru_cache(maxsize=8)
def _definitions(root: str) -> Dict[str, Tuple[str, ...]]:
    """Sources of calls by the functions that they may define."""
    found: Dict[str, List[str]] = {}
    for file, paths in headers_below(root).items():
        if not file.endswith((".cpp", ".cc")):
            continue
        for path in paths:
            inner = path[len(root):]
            if "op_kernel" in inner or _is_stand_in(inner) or "_tiling" in inner or "_infershape" in inner:
                continue
            for name in set(_DEFINITION.findall(text_of(path))) - _STATEMENTS:
                found.setdefault(name, []).append(path)
    return {name: tuple(paths) for name, paths in found.items()}


def _definers(symbol: str, roots: Sequence[str], near: str) -> List[str]:
    """Sources that may define a function of calls, the nearest first."""
    parts = re.sub(r"\[abi:\w+\]", "", symbol).split("(")[0].split("<")[0].split("::")
    found = [path for root in roots for path in _definitions(root).get(parts[-1], ())
             if len(parts) < 2 or parts[-2] in text_of(path)]
    return sorted(found, key=lambda path: ("experimental" in path and "experimental" not in near, _CALLS not in path,
                                           -len(os.path.commonpath((path, near))), path))[:3]


def library(folders: Sequence[str], out: str, chip: str = "", **parts: Optional[str]) -> List[str]:
    """Makes `out`/include and `out`/lib with the calls of folders. Returns the names of the calls. Raises Error."""
    trees = [tree.find(folder, **parts) for folder in folders]
    made_for = trees[0]
    nnopbase = engine(made_for)
    base = host.platform(made_for)
    work = os.path.join(tree.cache_folder(), "calls-" + tree.digest([*(one.operator for one in trees), *made_for.parts.values()]))
    roots = list(dict.fromkeys(root for one in trees for root in repositories(one)))
    owners: Dict[str, Tree] = {}
    for one in trees:
        own = _call_sources(one.operator)
        if not any(os.path.basename(source).startswith("aclnn_") for source in own):
            own += _generate(one, work, chip)
        own += _generate_inner(own, one, roots, work, chip)
        owners.update({source: one for source in own if source not in owners})
    sources = list(owners)
    objects: Dict[str, str] = {}
    waiting, tried, unresolved = list(sources), set(sources), []  # type: List[str], Set[str], List[str]
    os.makedirs(work, exist_ok=True)
    for _ in range(12):
        for source, (compiled, messages) in zip(waiting, _compiled(waiting, owners, roots, base, work)):
            if compiled:
                objects[source] = compiled
            elif source in sources:
                raise misuse(f"{source} does not compile:\n{host.shortened(messages)}", "", "H02")
        unresolved = _undefined(list(objects.values()), [nnopbase, base.library])
        waiting = []
        for symbol in unresolved:
            for source in _definers(symbol, roots, made_for.operator):
                if source not in tried:
                    owners[source] = made_for
                    waiting.append(source)
                    tried.add(source)
                    break
        if not waiting:
            break
    registering = os.path.join(work, "folders.cpp")
    with open(registering, "w", encoding="utf-8") as file:
        listed = ":".join([*(one.operator for one in trees), *roots])
        file.write('extern "C" void ptosim_aclnn_operators(const char*);\n'
                   f'__attribute__((constructor)) static void add_folders() {{ ptosim_aclnn_operators("{listed}"); }}\n')
    stand_ins = host._stand_ins(list(objects.values()), nnopbase, work, [base.library, os.path.join(tree.library_folder(), "libptosim.so")])
    lib = os.path.join(out, "lib")
    os.makedirs(lib, exist_ok=True)
    target = os.path.join(lib, "libcust_opapi.so")
    done = host._run([host.compiler(), "-shared", "-fPIC", "-Wl,-soname,libcust_opapi.so,-z,muldefs", *objects.values(), registering,
                      stand_ins, nnopbase, base.library, "-Wl,-z,lazy",
                      f"-Wl,-rpath,{os.path.dirname(nnopbase)}:{os.path.dirname(base.library)}", "-o", target + ".new"])
    if done.returncode != 0:
        raise misuse(f"{target} cannot be linked:\n{done.stderr.strip()}", "", "H02")
    os.replace(target + ".new", target)
    _link(nnopbase, os.path.join(lib, "libnnopbase.so"))
    for name in ("libptosim.so", "libascendcl.so", "libacl_rt.so", "libhccl.so"):
        _link(os.path.join(tree.library_folder(), "libptosim.so"), os.path.join(lib, name))
    _link("libcust_opapi.so", os.path.join(lib, "libopapi.so"))
    return _headers(made_for, sources, out)


def _generate(made_for: Tree, work: str, chip: str) -> List[str]:
    """Sources of calls that are made from the definitions of the folder."""
    sources = []
    os.makedirs(work, exist_ok=True)
    for definition in host.definitions(host.library(made_for, chip), chip):
        if not definition["inputs"] and not definition["outputs"]:
            continue  # none for this chip
        sources.append(write_calls(definition, work))
    if not sources:
        raise misuse(f"{made_for.operator} defines no operator for this chip", "", "H02")
    return sources


def write_calls(definition: Dict[str, Any], folder: str) -> str:
    """Writes the header and the source of an operator's calls. Returns the source."""
    path = os.path.join(folder, generated.file_of(definition))
    for ending, text in ((".h", generated.header(definition)), (".cpp", generated.source(definition))):
        if not os.path.isfile(path + ending) or text_of(path + ending) != text:
            with open(path + ending, "w", encoding="utf-8") as file:
                file.write(text)
    return path + ".cpp"


def _generate_inner(sources: Sequence[str], made_for: Tree, roots: Sequence[str], work: str, chip: str) -> List[str]:
    """Sources of the inner calls that `sources` use, from definitions of any folder."""
    from . import serve
    os.makedirs(work, exist_ok=True)
    made = []
    for name in sorted({name for source in sources for name in _INNER.findall(text_of(source))}):
        folder = serve.folder_of(name, (made_for.operator, *roots))
        own = made_for if folder == made_for.operator else tree.find(folder, **_given(made_for))
        for definition in host.definitions(host.library(own, chip), chip):
            if definition["type"] == name:
                made.append(write_calls(dict(definition, prefix=generated.INNER), work))
    return made


def _given(made_for: Tree) -> Dict[str, Optional[str]]:
    return {"ascendc" if name == "asc-devkit" else name: path or None for name, path in made_for.parts.items()}


def _compiled(sources: Sequence[str], owners: Dict[str, Tree], roots: Sequence[str], base: host.Platform,
              work: str) -> List[Tuple[str, str]]:
    """Objects, which the calls of all folders share, or messages."""
    folder = os.path.join(tree.cache_folder(), "calls")
    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda source: host._object(source, _flags_of(source, owners[source], roots, base, work), folder), sources))


def _flags_of(source: str, made_for: Tree, roots: Sequence[str], base: host.Platform, work: str) -> List[str]:
    own = flags(made_for)
    root = next((one for one in roots if source.startswith(one + os.sep)), roots[0])
    found = Includes([source], [flag[2:] for flag in own if flag.startswith("-I")], root, source, [one for one in roots if one != root])
    inner = [f"-I{work}"] if _INNER.search(text_of(source)) else []
    return [*own, f"-I{os.path.dirname(base.library)}", *(f"-I{folder}" for folder in found.added), *inner]


def _undefined(objects: Sequence[str], libraries: Sequence[str]) -> List[str]:
    wanted: Set[str] = set()
    defined: Set[str] = set()
    for path in objects:
        wanted |= host._symbols(path, "--undefined-only")
        defined |= host._symbols(path, "--defined-only")
    for path in libraries:
        defined |= host._symbols(path, "-D", "--defined-only")
    return sorted(name for name in wanted - defined
                  if ("::" in name or name.startswith("aclnn")) and not host._OWN_NAMES.match(name))


def _link(target: str, path: str) -> None:
    if os.path.islink(path):
        os.unlink(path)
    os.symlink(target, path)


def _headers(made_for: Tree, sources: Iterable[str], out: str) -> List[str]:
    include = os.path.join(out, "include")
    os.makedirs(os.path.join(include, "aclnnop"), exist_ok=True)
    names: List[str] = []
    for folder in sorted({os.path.dirname(source) for source in sources}):
        for file in sorted(os.listdir(folder)):
            if file.startswith("aclnn") and file.endswith(".h"):
                path = os.path.join(folder, file)
                for target in (os.path.join(include, file), os.path.join(include, "aclnnop", file)):
                    shutil.copyfile(path, target)
                names += re.findall(r"\b(aclnn\w+)GetWorkspaceSize\s*\(", text_of(path))
    _link(os.path.join(made_for.opbase, "include", "nnopbase", "aclnn"), os.path.join(include, "aclnn"))
    for target in (include, os.path.join(include, "aclnnop")):
        shutil.copyfile(os.path.join(made_for.opbase, "include", "aclnnop", "aclnn_util.h"), os.path.join(target, "aclnn_util.h"))
    for name in ("acl", "hccl"):
        _link(os.path.join(tree.include_folder(), name), os.path.join(include, name))
    return [name for name in names if not name.startswith(generated.INNER)]
