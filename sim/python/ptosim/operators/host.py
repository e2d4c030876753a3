"""The host functions of an operator: compiled into a library, asked for the definition, run for a tiling."""
from __future__ import annotations

import concurrent.futures
import fcntl
import functools
import glob
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from ..errors import misuse
from .includes import Includes, headers_below, text_of
from .tree import Tree, cache_folder, digest, include_folder, library_folder

_FLAGS = ["-std=c++17", "-fPIC", "-O0", "-w", "-DOS_TYPE=0", "-DNO_METADEF_ABI_COMPATIABLE",
          '-DOPS_UTILS_LOG_SUB_MOD_NAME="OP_TILING"', '-DOPS_UTILS_LOG_PACKAGE_TYPE=""']
#: Sources of metadef that hosts need: registries, contexts, definitions.
_METADEF = ("base/runtime/*.cc", "base/asc/opdef/*.cc", "base/asc/*.cc", "base/asc/opcheck/*.cc",
            "base/registry/op_impl_registry.cc", "base/registry/op_impl_register_v2_impl.cc", "base/type/*.cc",
            "base/utils/type_utils_impl.cc", "base/utils/aligned_ptr.cc", "base/context_builder/*.cc",
            "base/any_value.cc", "base/device_registry/*.cpp")
_OPBASE = ("src/op_common/**/*.cpp",)
_ASCENDC = ("impl/adv_api/tiling/**/*.cpp", "impl/adv_api/detail/host_log.cpp",
            "impl/utils/tiling/platform/platform_ascendc.cpp", "impl/utils/tiling/template_argument.cpp")
_LONGEST = 120  # seconds that a definition or a tiling may take
_OTHER_HOSTS = frozenset(("op_api", "tests", "test", "config", "op_graph", "fusion_pass", "graph_fusion"))
_REGISTERED = re.compile(r"\bREGISTER_TILING_DATA_CLASS\s*\(\s*(\w+)\s*,\s*([\w:]+)\s*\)")


def compiler() -> str:
    return os.environ.get("PTOSIM_HOST_CXX", "g++")


def _run(words: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, capture_output=True, text=True, **options)


def _state(path: str) -> str:
    info = os.stat(path)
    return f"{path} {info.st_mtime_ns} {info.st_size}"


def _is_current(record: str, words: Sequence[str]) -> bool:
    """True if a compiled file was made by these words from files that have not changed since."""
    try:
        with open(record, encoding="utf-8") as file:
            kept = json.load(file)
        return kept["words"] == list(words) and all(_state(state.rsplit(" ", 2)[0]) == state for state in kept["files"])
    except (OSError, ValueError, KeyError):
        return False


def _keep(record: str, words: Sequence[str], files: Iterable[str]) -> None:
    with open(record + ".new", "w", encoding="utf-8") as file:
        json.dump({"words": list(words), "files": [_state(path) for path in sorted(set(files))]}, file)
    os.replace(record + ".new", record)


def _dependencies(path: str) -> List[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read().replace("\\\n", " ")
    return [word for word in text.split(":", 1)[1].split() if os.path.isfile(word)] if ":" in text else []


def _object(source: str, flags: Sequence[str], folder: str) -> Tuple[str, str]:
    """Compiles a source, unless it is compiled already. Returns the object, and messages if it fails."""
    words = [compiler(), *_FLAGS, *flags, "-c", source]
    made = os.path.join(folder, digest([source, *words]) + ".o")
    record = made + ".json"
    if os.path.isfile(made) and _is_current(record, words):
        return made, ""
    done = _run([*words, "-MD", "-MF", made + ".d", "-o", made + ".new"])
    if done.returncode != 0:
        return "", done.stderr
    os.replace(made + ".new", made)
    _keep(record, words, [source, *_dependencies(made + ".d")])
    return made, ""


def _objects(sources: Sequence[str], flags: Sequence[str], folder: str) -> List[Tuple[str, str]]:
    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda source: _object(source, flags, folder), sources))


def _sources(root: str, patterns: Sequence[str]) -> List[str]:
    found: List[str] = []
    for pattern in patterns:
        found += glob.glob(os.path.join(root, pattern), recursive=True)
    return sorted(set(found))


@functools.lru_cache(maxsize=1)
def _own_state() -> str:
    """A digest of the text of ptosim's part: its headers and these modules. What did not compile with others is tried
    again. Copies of one version share what they compile."""
    own = os.path.dirname(os.path.abspath(__file__))
    files = [(os.path.relpath(path, root), path) for root, pattern in ((include_folder(), "**/*.h*"), (own, "*.*"))
             for path in glob.glob(os.path.join(root, pattern), recursive=True)]
    return digest([part for name, path in sorted(files) for part in (name, text_of(path))])


class _Lock:
    def __init__(self, path: str):
        self._path = path

    def __enter__(self) -> None:
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        self._file = open(self._path, "w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: Any) -> None:
        self._file.close()


@dataclass
class Platform:
    """Compiled parts of the toolkit that all operators use."""

    library: str
    driver: str


def platform(tree: Tree) -> Platform:
    """Made once for each state of the checkouts."""
    flags = tree.host_flags()
    folder = os.path.join(cache_folder(), "platform-" + digest([compiler(), *_FLAGS, *flags]))
    flags.insert(0, "-I" + folder)
    library = os.path.join(folder, "libhost.so")
    driver = os.path.join(folder, "driver-" + digest([library_folder()]))
    own, shape = (os.path.join(os.path.dirname(os.path.abspath(__file__)), name) for name in ("tiling_driver.cpp", "shape.cpp"))
    libptosim = os.path.join(library_folder(), "libptosim.so")
    words = [compiler(), *flags, library_folder(), _own_state()]
    with _Lock(folder + ".lock"):
        if os.path.isfile(driver) and _is_current(driver + ".json", words):
            return Platform(library, driver)
        os.makedirs(folder, exist_ok=True)
        print("note: compiling the host side of metadef, opbase and asc-devkit, once", file=sys.stderr)
        unit = os.path.join(folder, "metadef.cpp")  # headers are most of the work of its sources
        text = "".join(f'#include "{source}"\n' for source in _sources(tree.metadef, _METADEF))
        if not os.path.isfile(unit) or text_of(unit) != text:
            with open(unit, "w", encoding="utf-8") as file:
                file.write(text)
        _make_structures(tree, folder)
        sources = [unit, shape, *(_sources(tree.opbase, _OPBASE) if tree.opbase else []), *_sources(tree.ascendc, _ASCENDC)]
        made = _objects(sources, flags, folder)
        for source, (_, messages) in zip(sources, made):
            if messages:
                raise misuse(f"{source} does not compile:\n{messages.strip()}",
                             "the checkouts may be of other versions than ptosim was tried with", "H02")
        for target, command in (  # whole files at once: other processes may run the earlier ones
                (library, [compiler(), "-shared", "-Wl,-soname," + os.path.basename(library), *(made_object for made_object, _ in made), "-ldl"]),
                (driver, [compiler(), *_FLAGS, *flags, own, library, libptosim, "-rdynamic",
                 "-Wl,--allow-shlib-undefined",
                 f"-Wl,-rpath,{folder}:{library_folder()}", "-ldl"])):
            done = _run([*command, "-o", target + ".new"])
            if done.returncode != 0:
                raise misuse(f"{target} cannot be made:\n{done.stderr.strip()}", "", "H02")
            os.replace(target + ".new", target)
        _keep(driver + ".json", words, [own, *sources[1:], *_sources(tree.metadef, _METADEF)])
    return Platform(library, driver)


def made_once(what: str, target: str, sources: Sequence[str], flags: Sequence[str],
              link: Callable[[List[str]], List[str]]) -> str:
    """Compiles sources of checkouts and links them to a program or library, unless that has been done from their present
    state. `link`: the linker's words by the objects. Returns the target. Raises Error (H02)."""
    folder = os.path.dirname(target)
    words = [target, *flags, _own_state(), library_folder()]
    with _Lock(folder + ".lock"):
        if os.path.isfile(target) and _is_current(target + ".json", words):
            return target
        print(f"note: compiling {what}, once", file=sys.stderr)
        made = _objects(sources, flags, folder)
        for source, (_, messages) in zip(sources, made):
            if messages:
                raise misuse(f"{source} does not compile:\n{shortened(messages)}",
                             "the checkouts may be of other versions than ptosim was tried with", "H02")
        done = _run([compiler(), *link([path for path, _ in made]), "-o", target + ".new"])
        if done.returncode != 0:
            raise misuse(f"{target} cannot be made:\n{done.stderr.strip()}", "", "H02")
        os.replace(target + ".new", target)
        _keep(target + ".json", words, sources)
    return target


def _make_structures(tree: Tree, folder: str) -> None:
    """Structures of the tilings of Ascend C's library, which a script of the checkout writes."""
    target = os.path.join(folder, "kernel_tiling", "kernel_tiling.h")
    if os.path.isfile(target):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    script = os.path.join(tree.ascendc, "impl/adv_api/cmake/scripts/gen_kernel_tiling_data_def.py")
    done = _run([sys.executable, script, os.path.join(tree.ascendc, "include/adv_api"), target])
    if done.returncode != 0 or not os.path.isfile(target):
        raise misuse(f"{script} has not made {target}:\n{done.stderr.strip()}", "", "H02")


@dataclass
class Library:
    """The host functions of one operator."""

    path: str
    platform: Platform
    sources: List[str]
    failed: Dict[str, str] = field(default_factory=dict)  #: sources that do not compile, and the messages
    unresolved: List[str] = field(default_factory=list)  #: functions that nothing here defines
    classes: List[str] = field(default_factory=list)  #: registered names of structures of tiling data


def own_sources(operator: str) -> List[str]:
    found = []
    for folder in ("op_host", "op_tiling"):
        for at, folders, files in os.walk(os.path.join(operator, folder)):
            folders[:] = sorted(name for name in folders if name not in _OTHER_HOSTS)
            found += [os.path.join(at, name) for name in sorted(files) if name.endswith((".cpp", ".cc"))]
    return found


@functools.lru_cache(maxsize=4096)
def _symbols(file: str, *options: str) -> Set[str]:
    done = _run(["nm", "-C", *(word for word in options if word != "--no-weak"), file])
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    if "--no-weak" in options:
        lines = [line for line in lines if line.split(None, 2)[1] not in ("W", "V", "u")]
    return {line.split(None, 2)[-1] if line[0] != " " else line.split(None, 1)[-1] for line in lines}


_SETS_TILING = re.compile(r"\bSetTiling\s*\(")  # of a definition; not SetTilingKey()


def _registrars(sources: Sequence[str], tree: Tree) -> List[str]:
    """Sources of other folders that register functions for the operators that these sources define."""
    types = {name for source in sources for name in re.findall(r"\bOP_ADD\s*\(\s*(\w+)", text_of(source))}
    own = "\n".join(text_of(source) for source in sources)
    found: List[str] = []
    for kind in ("IMPL_OP_OPTILING", "IMPL_OP_INFERSHAPE", r"REGISTER_\w*TILING_TEMPLATE\w*"):
        for name in types:
            registered = re.compile(rf"\b{kind}\s*\(\s*\"?{name}\"?\s*[,)]")
            if registered.search(own) or (kind == "IMPL_OP_OPTILING" and _SETS_TILING.search(own)):
                continue
            found += [path for file, paths in headers_below(tree.repository).items() if file.endswith((".cpp", ".cc"))
                      for path in paths if name in text_of(path) and registered.search(text_of(path))]
    return sorted(set(found) - set(sources))


_OWN_NAMES = re.compile(r"^(?:vtable for |typeinfo for |VTT for )?(?:std::|__|_|operator|void std|typeinfo name)")


def _undefined(objects: Sequence[str], library: str) -> List[str]:
    wanted: Set[str] = set()
    defined: Set[str] = set()
    for path in objects:
        wanted |= {line for line in _symbols(path, "--undefined-only")}
        defined |= _symbols(path, "--defined-only")
    defined |= _symbols(library, "-D", "--defined-only")
    return sorted(name for name in wanted - defined if "::" in name and not _OWN_NAMES.match(name))


def _stand_ins(objects: Sequence[str], library: str, folder: str, further: Sequence[str] = ()) -> str:
    """An object with a function for each name that nothing here defines: it ends the process with the name. Tables of
    virtual functions need addresses at load. Functions of the closed library of tuned tilings do nothing, as if it had
    no record: their registries are filled at load. The closed cache of tilings says that it is prepared, and is empty."""
    wanted: Set[str] = set()
    defined: Set[str] = set()
    for path in objects:
        wanted |= _plain(path, "--undefined-only")
        defined |= _plain(path, "--defined-only")
    for path in (library, *further):
        defined |= _plain(path, "-D", "--defined-only")
    wanted |= _plain(library, "-D", "--undefined-only")
    names = sorted(name for name in wanted - defined if name.startswith(("_Z", "aclnn")) and not name.startswith(_STANDARD)
                   and not re.fullmatch("_ZTI[a-zDKP]*", name))
    source = os.path.join(folder, "missing.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <stdio.h>\n#include <stdlib.h>\n")
        for i, name in enumerate(names):
            if _TUNED.match(name) or _CACHE.match(name):
                file.write(f'__attribute__((weak)) void* missing{i}(void) __asm__("{name}");\n'
                           f"void* missing{i}(void) {{ return (void*){int(not _TUNED.match(name))}; }}\n")
                continue
            file.write(f'__attribute__((weak)) void missing{i}(void) __asm__("{name}");\n'
                       f'void missing{i}(void) {{ fputs("undefined symbol: {name}\\n", stderr); exit(1); }}\n')
    done = _run([compiler(), "-x", "c", "-fPIC", "-c", source, "-o", source + ".o"])
    if done.returncode != 0:
        raise misuse(f"{source} does not compile:\n{done.stderr.strip()}", "", "H02")
    return source + ".o"


_TUNED = re.compile(r"_ZNK?12tuningtiling")
_CACHE = re.compile(r"_ZN\w*23TilingPrepareForOpCacheE")


def _plain(file: str, *options: str) -> Set[str]:
    return {line.split()[-1].split("@")[0] for line in _run(["nm", *options, file]).stdout.splitlines() if line.split()}


#: Names of the C++ library: std, its runtime, operators new and delete, type information of fundamental types.
_STANDARD = ("_ZNSt", "_ZNKSt", "_ZSt", "_ZTVN10__cxxabiv", "_ZNSo", "_ZNSi", "_ZNSs", "_ZNKSs", "_Zn", "_Zd", "_ZTISt", "_ZTVSt", "_ZTTSt",
             "_ZNVSt", "_ZTSSt", "_ZGV", "_ZTVNSt", "_ZTTNSt", "_ZTINSt", "_ZTSNSt", "_ZNSa", "_ZNKSa", "_ZTH")


def _for_chip(objects: Dict[str, str], arch35: bool) -> Dict[str, str]:
    """Objects without those for another generation of chips that define the same functions: repositories build some
    sources for one generation only."""
    left: Dict[str, str] = {}
    owners: Dict[str, str] = {}
    for source in sorted(objects, key=lambda path: (_is_for_arch35(path) != arch35, path)):
        names = {name for name in _symbols(objects[source], "--defined-only", "--extern-only", "--no-weak")
                 if not name.startswith(("typeinfo", "vtable"))}
        if not any(name in owners for name in names):
            owners.update(dict.fromkeys(names, source))
            left[source] = objects[source]
    return left


def _is_for_arch35(path: str) -> bool:
    return any(word in path for word in ("arch35", "regbase", "_apt"))


def _definers(symbol: str, tree: Tree) -> List[str]:
    """Sources of the repository that may define a function, the nearest first."""
    name = re.sub(r"^(?:vtable|typeinfo|VTT) for ", "", symbol)
    table = name != symbol
    plain = re.sub(r"\[abi:\w+\]", "", name).split("(")[0].split("<")[0]
    parts = plain.split("::")
    pattern = re.compile(rf"\b{re.escape(parts[-1])}\s*::" if table else rf"\b{re.escape(parts[-1])}\s*\(")
    scope = parts[-2] if len(parts) > 2 and not table else ""
    # Definitions begin a line, calls are indented.
    defines = re.compile(rf"^[A-Za-z_][^\n;=()]*\b{re.escape(parts[-1])}\s*\(", re.MULTILINE)
    found = []
    for file, paths in headers_below(tree.repository).items():
        if not file.endswith((".cpp", ".cc")):
            continue
        for path in paths:
            if "op_kernel" in path or "op_api" in path or "op_graph" in path or "aicpu" in path:
                continue
            text = text_of(path)
            if parts[-1] in text and scope in text and pattern.search(text):
                found.append((not table and not defines.search(text), path))
    near = sorted(found, key=lambda one: (one[0], -len(os.path.commonpath((one[1], tree.operator))), one[1]))
    return [path for _, path in near[:4]]


def library(tree: Tree, chip: str) -> Library:
    """Compiles op_host, and the sources of the repository that define functions which it calls. A source that does not
    compile is left out, because most operators have files for several chips."""
    base = platform(tree)
    folder = os.path.join(cache_folder(), "host-" + digest([tree.operator, *tree.parts.values(), *tree.hosts, str(tree.new_strings)]))
    arch35 = "950" in chip
    path = os.path.join(folder, "libop_arch35.so" if arch35 else "libop.so")
    sources = list(tree.hosts) or own_sources(tree.operator)
    if not sources:
        raise misuse(f"{tree.operator}/op_host has no sources", "", "I01")
    with _Lock(folder + ".lock"):
        os.makedirs(folder, exist_ok=True)
        objects: Dict[str, str] = {}
        made = Library(path, base, sources)
        words = [path, *sources, base.library, _own_state()]
        known = _is_current(path + ".json", words)
        if known and os.path.isfile(path):
            with open(path + ".facts", encoding="utf-8") as file:
                made.failed, made.unresolved, made.classes = json.load(file)
            return made
        waiting = sources + _registrars(sources, tree)
        tried = set(waiting)
        includes = Includes([], [], tree.repository, tree.operator)
        for _ in range(5):
            includes = Includes(sorted(tried), [os.path.join(tree.operator, "op_host"), tree.operator,
                                                *tree.host_folders()], tree.repository, tree.operator)
            flags = [f"-I{at}" for at in (os.path.join(tree.operator, "op_host"), tree.operator)]
            flags += ["-I" + os.path.dirname(base.library)]
            flags += tree.host_flags() + [f"-I{at}" for at in includes.added]
            flags += farm(includes, folder)
            for source, (compiled, messages) in zip(waiting, _objects(waiting, flags, folder)):
                if compiled:
                    objects[source] = compiled
                else:
                    made.failed[source] = messages
            made.unresolved = _undefined(list(objects.values()), base.library)
            waiting = []
            for symbol in made.unresolved:
                waiting += [source for source in _definers(symbol, tree) if source not in tried and source not in waiting]
            tried |= set(waiting)
            if not waiting:
                break
        if not objects:
            first = next(iter(made.failed))
            raise misuse(f"{first} does not compile:\n{shortened(made.failed[first])}", "", "H02")
        objects = _for_chip(objects, arch35)
        objects["(missing)"] = _stand_ins(list(objects.values()), base.library, folder)
        done = _run([compiler(), "-shared", "-o", path + ".new", *objects.values(), base.library, "-Wl,-z,lazy",
                     "-Wl,-rpath," + os.path.dirname(base.library)])
        if done.returncode != 0:
            raise misuse(f"the host functions of {tree.operator} cannot be linked:\n{done.stderr.strip()}", "", "H02")
        os.replace(path + ".new", path)
        names: List[str] = []
        for file in includes.files:
            if file.startswith(tree.repository):
                names += [name for name, _ in _REGISTERED.findall(text_of(file))]
        made.classes = sorted(set(names))
        with open(path + ".facts", "w", encoding="utf-8") as file:
            json.dump([made.failed, made.unresolved, made.classes], file)
        _keep(path + ".json", words,
              [file for file in includes.files if os.path.isfile(file)] + list(objects.values()))
    return made


def farm(includes: Includes, folder: str) -> List[str]:
    """Flags for names that begin with "../" and are meant for an installed tree: a folder of links."""
    if not includes.links:
        return []
    root = os.path.join(folder, "installed")
    inner = os.path.join(root, *["x"] * includes.depth)
    os.makedirs(inner, exist_ok=True)
    for name, target in includes.links.items():
        link = os.path.join(root, name)
        if os.path.islink(link):
            if os.readlink(link) == target:
                continue
            os.unlink(link)
        os.symlink(target, link)
    return ["-I" + os.path.join(root, *["x"] * depth) for depth in range(1, includes.depth + 1)]


def _defines(text: str, symbol: str) -> bool:
    """True if a source's text has a definition of a demangled function."""
    *scopes, name = re.sub(r"\[abi:\w+\]", "", symbol).split("(")[0].split("<")[0].split("::")
    scope = scopes[-1] if scopes else ""
    plain = rf"\bnamespace\s+(?:\w+::)*{re.escape(scope)}\b" if scope else ""
    return bool(re.search(rf"^[A-Za-z_][^\n;=()]*\b{re.escape(scope)}\s*::\s*{re.escape(name)}\s*\(", text, re.MULTILINE) or
                re.search(rf"^[A-Za-z_][^\n;=():]*\b{re.escape(name)}\s*\([^;{{}}]*\)[\w\s]*\{{", text, re.MULTILINE)
                and re.search(plain, text))


def shortened(messages: str, lines: int = 8) -> str:
    errors = [line for line in messages.splitlines() if re.search(r"\berror: ", line)] or messages.splitlines()
    return "\n".join(errors[:lines])


def _ask(made: Library, what: str, text: str, chip: str) -> "subprocess.CompletedProcess[str]":
    environment = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
    if chip:
        environment["PTOSIM_CHIP"] = chip
    try:
        return _run([made.platform.driver, made.path, what], input=text, env=environment, timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        raise misuse(f"the host functions in {made.path} have not ended after {_LONGEST} s", "do they loop for these shapes?",
                     "H02") from None


def definitions(made: Library, chip: str) -> List[Dict[str, Any]]:
    """Operators that the library defines, for the chip."""
    done = _ask(made, "definition", "", chip)
    if done.returncode != 0:
        raise misuse(f"the definition cannot be read: {_end(done)}", closed_library(made), "H02")
    return json.loads(done.stdout)


def classes(made: Library, chip: str) -> Dict[str, Dict[str, Any]]:
    """The registered structures of tiling data, by their registered names."""
    done = _ask(made, "classes", "".join(f"class {name}\n" for name in made.classes), chip)
    if done.returncode != 0:
        raise misuse(f"the structures of tiling data cannot be read: {_end(done)}", closed_library(made), "H02")
    return json.loads(done.stdout[done.stdout.rindex('{"classes"'):])["classes"]


def _end(done: "subprocess.CompletedProcess[str]") -> str:
    if done.returncode < 0:
        return f"the host functions ended by signal {-done.returncode}"
    lines = [line for line in done.stderr.splitlines() if line.startswith("driver: ")]
    return lines[-1][len("driver: "):] if lines else done.stderr.strip()[-500:]


def closed_library(made: Library) -> str:
    if not made.unresolved:
        return ""
    names = ", ".join(made.unresolved[:3])
    return f"no public source here defines {names}"


def tiling(made: Library, request: str, chip: str, what: str = "tiling") -> Dict[str, Any]:
    """Choices of the tiling (`what` "shapes": outputs only). Raises Error (H02) with the operator's own message if it refuses the inputs."""
    done = _ask(made, what, request, chip)
    if done.returncode == 0:
        # Hosts may print, so the answer is the last line.
        return json.loads(done.stdout[done.stdout.rindex('{"outputs"'):])
    own = [line.strip() for line in done.stderr.splitlines() if line.strip() and not line.startswith("driver: ")]
    missing = re.search(r"undefined symbol: (\S+)", done.stderr)
    if missing:
        name = _run(["c++filt", missing.group(1)]).stdout.strip() or missing.group(1)
        for source, messages in made.failed.items():
            if _defines(text_of(source), name):
                raise misuse(f"the host functions need {name}, whose source does not compile: {shortened(messages, 1)}", "", "H02")
        raise misuse(f"the host functions need {name}, which no public source here defines",
                     "it belongs to a closed library", "H02")
    if "registers no tiling" in done.stderr:
        own = [f"{os.path.basename(source)} is left out: {shortened(text, 1)}" for source, text in made.failed.items()]
    raise misuse(_end(done) + "".join(f"\n  note: {line}" for line in own[-6:]), "", "H02")
