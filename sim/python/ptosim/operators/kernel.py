"""The kernel of an operator: the source that compiles the variant which a tiling key selects.

On a board, the operator's compiler writes this source: macros for element types and formats, structures of tiling data,
the key as a constant, and an entry that calls the function of op_kernel.
"""
from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..errors import misuse
from . import template_keys
from .includes import Includes, text_of
from .template_keys import arguments_of
from .tree import Tree
from .types import BY_NUMBER, FORMATS, FORMAT_NAMES, NUMBERS

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MACRO_OF_KERNELS = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+[^\n]*\b__global__\b", re.MULTILINE)
_STRUCTURE = r"\b(?:struct|class)\s+(?:alignas\s*\(\s*\d+\s*\)\s*|__attribute__\s*\(\([^()]*\)\)\s*)?{}\b\s*(?:final\s*)?[{{:]"

#: Definitions of the wrapper before and after the headers of Ascend C.
_PRELUDE = """
#define __tiling_data_ptr__ const __gm__
#define PTOSIM_CAT_(a, b) a##b
#define PTOSIM_COPY_TILING_(Struct_, to, from)                                                        \\
    {                                                                                                 \\
        const __gm__ uint8_t* ptosim_from_ = reinterpret_cast<const __gm__ uint8_t*>(from);           \\
        uint8_t* ptosim_to_ = reinterpret_cast<uint8_t*>(to);                                         \\
        uint32_t ptosim_at_ = 0;                                                                      \\
        for (; ptosim_at_ + 8 <= sizeof(Struct_); ptosim_at_ += 8)                                    \\
            *reinterpret_cast<uint64_t*>(ptosim_to_ + ptosim_at_) =                                   \\
                *reinterpret_cast<const __gm__ uint64_t*>(ptosim_from_ + ptosim_at_);                 \\
        for (; ptosim_at_ < sizeof(Struct_); ++ptosim_at_) ptosim_to_[ptosim_at_] = ptosim_from_[ptosim_at_]; \\
    }
#define GET_TILING_DATA_WITH_STRUCT(Struct_, name, from) \\
    Struct_ name;                                        \\
    PTOSIM_COPY_TILING_(Struct_, &name, from)
#define GET_TILING_DATA(name, from) GET_TILING_DATA_WITH_STRUCT(PTOSIM_TILING_STRUCT, name, from)
#define GET_TILING_DATA_MEMBER(Struct_, member, name, from)                                            \\
    auto name = reinterpret_cast<const __gm__ Struct_*>(from)->member;
#define GET_TILING_DATA_PTR_WITH_STRUCT(Struct_, name, from) \\
    __tiling_data_ptr__ Struct_* name = reinterpret_cast<__tiling_data_ptr__ Struct_*>(from);
#define COPY_TILING_WITH_STRUCT(Struct_, from, name)                \\
    Struct_ PTOSIM_CAT_(ptosim_copy_, name);                        \\
    PTOSIM_COPY_TILING_(Struct_, &PTOSIM_CAT_(ptosim_copy_, name), from) \\
    const Struct_* name = &PTOSIM_CAT_(ptosim_copy_, name);
#define COPY_TILING_WITH_ARRAY(Type_, count, from, name)            \\
    struct { Type_ values[count]; } PTOSIM_CAT_(ptosim_copy_, name); \\
    PTOSIM_COPY_TILING_(Type_[count], &PTOSIM_CAT_(ptosim_copy_, name), from) \\
    const Type_(*name)[count] = &PTOSIM_CAT_(ptosim_copy_, name).values;
template <class To_, class From_>
__aicore__ inline void copy_data_align64(To_* to, From_* from, uint64_t bytes) {
    uint8_t* const ptosim_to_ = reinterpret_cast<uint8_t*>(to);
    const __gm__ uint8_t* const ptosim_from_ = reinterpret_cast<const __gm__ uint8_t*>(from);
    uint64_t i = 0;
    for (; i + 8 <= bytes; i += 8)
        *reinterpret_cast<uint64_t*>(ptosim_to_ + i) = *reinterpret_cast<const __gm__ uint64_t*>(ptosim_from_ + i);
    for (; i < bytes; ++i) ptosim_to_[i] = ptosim_from_[i];
}
"""


@dataclass
class Function:
    name: str
    template: bool
    parameters: int


def without_comments(text: str) -> str:
    return _COMMENT.sub(lambda match: " " + "\n" * match.group(0).count("\n"), text)


#: Macros of tests of kernels on a host; kernels have another entry under them.
_HOST_TEST = re.compile(r"(!\s*)?(?:defined\s*\(?\s*)?(?:__CCE_KT_TEST__|__CCE_UT_TEST__|ASCENDC_CPU_DEBUG)\b\s*\)?(\s*==\s*1)?")


def without_host_tests(text: str) -> str:
    """The text without branches that are compiled for tests on a host only; other lines keep their numbers."""
    kept: List[str] = []
    open_branches: List[Optional[bool]] = []  # True: the lines are kept; None: another condition
    for line in text.split("\n"):
        directive = re.match(r"\s*#\s*(ifdef|ifndef|if|else|elif|endif)\b\s*(.*)", line)
        kind, condition = directive.groups() if directive else ("", "")
        if kind in ("ifdef", "ifndef", "if"):
            test = _HOST_TEST.fullmatch(condition.strip())
            negated = kind == "ifndef" or bool(test and test.group(1))
            open_branches.append(negated if test else None)
        elif kind in ("else", "elif") and open_branches and open_branches[-1] is not None:
            open_branches[-1] = not open_branches[-1]
        elif kind == "endif" and open_branches:
            open_branches.pop()
        kept.append("" if False in open_branches else line)
    return "\n".join(kept)


def snake(name: str) -> str:
    """The name of an operator's function: AddRmsNorm is add_rms_norm."""
    spaced = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", spaced).lower()


def source_of(tree: Tree, definition: Dict[str, Any]) -> str:
    """The source in op_kernel that the definition names for the chip. Raises Error (I01)."""
    if definition["type"] in tree.kernels:
        return tree.kernels[definition["type"]]
    folder = tree.bases[0] if tree.bases else os.path.join(tree.operator, "op_kernel")
    given = definition["settings"].get("opFile.value", "")
    names = [given, snake(definition["type"]), os.path.basename(tree.operator)]
    arch35 = "950" in definition["soc"]
    for name in filter(None, names):
        found = [os.path.join(at, name + ".cpp") for at, _, files in sorted(os.walk(folder)) if name + ".cpp" in files]
        if found:  # folders named arch35 have the sources for this generation of chips
            return min(found, key=lambda path: ("arch35" in path[len(folder):]) != arch35)
    sources = [name for name in sorted(os.listdir(folder)) if name.endswith(".cpp")]
    if len(sources) == 1:
        return os.path.join(folder, sources[0])
    raise misuse(f"{folder} has no source {next(name for name in names if name)}.cpp", "", "I01")


def function_of(source: str, definition: Dict[str, Any], texts: Sequence[str] = ()) -> Function:
    """The kernel's function in a source. `texts`: of the files that it includes. Raises Error (H02)."""
    text = without_host_tests(without_comments(text_of(source)))
    found: List[Function] = []
    words = {"__global__"}.union(*(_MACRO_OF_KERNELS.findall(one) for one in texts))
    for match in re.finditer(rf"\b(?:{'|'.join(sorted(words))})\b", text):
        if re.search(r"#[ \t]*\w+[^\n]*\Z", text[:match.start()]):
            continue
        opening = text.find("(", match.end())
        while opening >= 0 and re.search(r"(__attribute__|__launch_bounds__|__mix__)\s*$", text[:opening]):
            _, after = arguments_of(text, opening)
            opening = text.find("(", after)
        if opening < 0:
            continue
        head = re.search(r"(\w+)\s*$", text[:opening])
        before = text[:match.start()].rstrip()
        if head:
            words, _ = arguments_of(text, opening)
            begin = max(before.rfind(";"), before.rfind("}"))
            template = bool(re.search(r"\btemplate\s*<", before[begin + 1:]))
            found.append(Function(head.group(1), template, len([word for word in words if word != "void"])))
    wanted = definition["settings"].get("opInterface.value", "") or snake(definition["type"])
    for function in found:
        if function.name == wanted:
            return function
    if not found:
        raise misuse(f"{source} has no __global__ function", "", "H02")
    return found[0] if len(found) == 1 else min(found, key=lambda f: (f.name not in os.path.basename(source), f.name))


def _condition(text: str, key: int) -> bool:
    """A condition on TILING_KEY_VAR in C++."""
    expression = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text.strip().strip('"'))
    expression = expression.replace("TILING_KEY_VAR", str(key)).replace("&&", " and ").replace("||", " or ")
    expression = re.sub(r"!(?!=)", " not ", expression).replace("/", "//")
    if not re.fullmatch(r"[\s\d()<>=!+\-*/%&|^~xXa-fA-Ftrunod]*", expression):
        return False
    try:
        return bool(eval(expression, {"__builtins__": {}}, {"true": True, "false": False}))
    except Exception:
        return False


def _calls_of(name: str, texts: Sequence[str]) -> List[List[str]]:
    found = []
    for text in texts:
        for match in re.finditer(rf"\b{name}\s*\(", text):
            line = text.rfind("\n", 0, match.start()) + 1
            if "#" not in text[line:match.start()]:
                found.append(arguments_of(text, match.end() - 1)[0])
    return found


def kernel_type(texts: Sequence[str], key: int) -> str:
    """KERNEL_TYPE_... that the sources state for the key; empty if they state none."""
    for words in _calls_of("KERNEL_TASK_TYPE", texts):
        if len(words) == 2 and _condition(f"TILING_KEY_VAR == {words[0]}", key):
            return words[1].split("::")[-1]
    for words in _calls_of("KERNEL_TASK_TYPE_DEFAULT", texts):
        if words:
            return words[0].split("::")[-1]
    return ""


_SERVER = re.compile(r"\bREGIST_(?:MATMUL|CUBE)_OBJ|\bKfcServer\b")  # products that vector cores ask cube cores for
#: AIVs wait for the cleared workspace where they register products; the others take the signal at the end.
_FORGET = ["#if !defined(__DAV_CUBE__) && __NPU_ARCH__ == 2201", "    AscendC::g_kfcClient = nullptr;", "#endif"]
_TAKE = ["#if !defined(__DAV_CUBE__) && __NPU_ARCH__ == 2201",
         "    if (AscendC::g_kfcClient == nullptr) AscendC::WaitEvent(AscendC::WORKSPACE_SYNC_ID);", "#endif"]
_CUBE = re.compile(r"\b(?:Mmad|MatmulImpl|Matmul|REGIST_MATMUL_OBJ|BlockMmad|Conv\w*Impl|LoadData\w*)\s*[<(]")


def inferred_type(texts: Sequence[str], soc: str) -> str:
    """The operator's compiler infers the type from instructions also on the 950, where `ptosim build` does not."""
    return "KERNEL_TYPE_AIV_ONLY" if "950" in soc and not any(_CUBE.search(text) for text in texts) else ""


def registered_structure(texts: Sequence[str], key: int) -> str:
    for words in _calls_of("REGISTER_TILING_FOR_TILINGKEY", texts):
        if len(words) >= 2 and _condition(words[0], key):
            return ",".join(words[1:])
    for words in _calls_of("REGISTER_TILING_DEFAULT", texts):
        if words:
            return ",".join(words)
    return ""


_BRANCH = re.compile(r"^[ \t]*#[ \t]*(ifdef|ifndef|if|else|elif|endif)\b[ \t]*([^\n]*)", re.MULTILINE)


def _is_compiled(text: str, at: int, texts: Sequence[str]) -> bool:
    """False if a place of a file is within #ifdef NAME, and no file defines the name."""
    names: List[str] = []
    for kind, condition in _BRANCH.findall(text[:at]):
        if kind in ("ifdef", "ifndef", "if"):
            names.append(condition.strip() if kind == "ifdef" else "")
        elif names:
            names.pop()
            if kind != "endif":
                names.append("")
    return all(any(re.search(rf"#[ \t]*define[ \t]+{re.escape(name)}\b", own) for own in texts) for name in names if name)


def structures(classes: Dict[str, Dict[str, Any]], texts: Sequence[str]) -> str:
    """Definitions of the registered structures that the kernel's own headers do not define."""
    by_class = {row["class"]: row["fields"] for row in classes.values()}
    done: List[str] = []
    text = ""

    def emit(name: str) -> str:
        if name in done or name not in by_class:
            return ""
        done.append(name)
        pattern = re.compile(_STRUCTURE.format(re.escape(name)))
        if any(_is_compiled(own, match.start(), texts) for own in texts for match in pattern.finditer(own)):
            return ""
        before, body = "", ""
        for kind, member, count in by_class[name]:
            if kind in by_class:
                before += emit(kind)
            body += f"    {kind} {member}{f'[{count}]' if count >= 0 else ''};\n"
        return f"{before}struct {name} {{\n{body}}};\n"

    for name in by_class:
        text += emit(name)
    return text


def _default_structure(classes: Dict[str, Dict[str, Any]], op: str, key: int) -> str:
    row = classes.get(f"{op}_{key}") or classes.get(op)
    if row is None and classes:
        own = [name for name in classes if name.startswith(op)]
        row = classes[own[0]] if own else None
    return row["class"] if row else ""


class Entry:
    """Parameters of the compiled kernel before workspace and tiling, statements before the call, and its arguments."""

    def __init__(self) -> None:
        self.parameters: List[str] = []
        self.setup: List[str] = []
        self.passed: List[str] = []
        self.contexts: List[str] = []  #: statements that set contexts of communicators
        self.shapes = ""  #: the parameter for shapes of outputs that the kernel computes


@dataclass
class Wrapper:
    """The source that is compiled, and what it needs."""

    text: str
    source: str  #: of op_kernel
    includes: Includes
    kernel_type: str  #: empty: inferred


def wrapper(tree: Tree, definition: Dict[str, Any], types: Dict[str, Tuple[int, int]], entry: Entry,
            plan: Dict[str, Any]) -> Wrapper:
    """`types`: element type and format of each parameter."""
    source = source_of(tree, definition)
    key = plan["key"]
    includes = Includes([source], [os.path.join(tree.operator, "op_kernel"), tree.operator, *tree.kernel_folders(),
                                   *(os.path.join(tree.ascendc, at) for at in
                                     ("", "include", "include/basic_api", "include/adv_api", "include/utils", "impl")),
                                   *_own_headers()], tree.repository, tree.operator)
    texts = [without_comments(text_of(path)) for path in includes.files if path.startswith(tree.repository)]
    shared = [without_comments(text_of(path)) for path in includes.files if tree.opbase and path.startswith(tree.opbase)]
    joined = "\n".join(texts + shared)
    function = function_of(source, definition, texts)

    def constant(word: str) -> Optional[int]:
        match = re.search(rf"(?:#\s*define\s+{re.escape(word)}\s+|\b{re.escape(word)}\s*=\s*)\(?\s*(0[xX][\da-fA-F]+|\d+)",
                          joined)
        return int(match.group(1), 0) if match else None

    chosen = template_keys.decode(template_keys.expanded(joined), key, constant) if function.template else None
    stated = ((chosen.kernel_type if chosen else "") or kernel_type(texts, key)
              or inferred_type(texts, definition["soc"]))
    structure = ((chosen.structure if chosen else "") or registered_structure(texts, key)
                 or _default_structure(plan["classes"], definition["type"], key))
    if function.template and chosen is None:
        raise misuse(f"{source}: {function.name} is a template, and no ASCENDC_TPL_ARGS_DECL declares its parameters",
                     "", "H02")

    lines = ["// The variant of an operator that its tiling selected; made by `ptosim op`."]
    lines += [f"#define TILING_KEY_VAR {key}UL", "#define ASCENDC_TPL_KERNEL", '#include "kernel_operator.h"']
    lines += [f"#define {name} {number}\n#define C_{name} {number}" for name, number in NUMBERS.items()]
    lines += [f"#define {name} {number}" for name, number in FORMATS.items()]
    for name, (dtype, layout) in types.items():
        row = BY_NUMBER.get(dtype)
        upper = name.upper()
        lines += [f"#define DTYPE_{upper} {row.kernel if row else 'uint8_t'}",
                  f"#define ORIG_DTYPE_{upper} {row.name if row else dtype}",
                  f"#define FORMAT_{upper} {FORMAT_NAMES.get(layout, layout)}"]
    lines += [_PRELUDE, structures(plan["classes"], texts)]
    if structure:
        lines.append(f"#define PTOSIM_TILING_STRUCT {structure}")
    call = passed(entry, function.parameters)
    template = f"<{', '.join(chosen.arguments)}>" if chosen else ""
    clear = ("    if constexpr (g_coreType == AscendC::AIC) matmul::clearWorkspace(ptosim_workspace);\n"
             if ("MIX_AIC" in stated or not stated and not re.search(r"#\s*define\s+ASCENDC_CUBE_ONLY\b", joined))
             and has_matmul(includes.files) and _SERVER.search(joined) else "")
    lines += ['#pragma push_macro("__global__")', "#undef __global__", "#define __global__ inline",
              f'#include "{source}"', '#pragma pop_macro("__global__")',
              f'extern "C" __global__ __aicore__ void ptosim_operator('
              + "".join(f"GM_ADDR {name}, " for name in entry.parameters) + "GM_ADDR ptosim_workspace, GM_ADDR ptosim_tiling) {",
              *([f"    KERNEL_TASK_TYPE_DEFAULT({stated});"] if stated else []),
              "    AscendC::SetSysWorkspaceForce(ptosim_workspace);", *(_FORGET if clear else []), *entry.contexts, *_cores(entry, plan["blocks"]), *entry.setup, clear +
              f"    {function.name}{template}({', '.join(call)});", *(_TAKE if clear and "MIX_AIC" in stated else []), "}"]
    return Wrapper("\n".join(lines) + "\n", source, includes, stated)


def passed(entry: Entry, parameters: int) -> List[str]:
    """Arguments of a function of op_kernel: those of the entry, memory for shapes if it has a parameter for them, workspace
    and tiling data. A function with fewer parameters has the last ones."""
    last = ["ptosim_workspace + AscendC::RESERVED_WORKSPACE", "ptosim_tiling"]
    extra = parameters - len(entry.passed)
    if 0 <= extra <= 2:
        return entry.passed + last[2 - extra:]
    between = [entry.shapes or "nullptr"] + ["nullptr"] * (extra - 3) if extra > 2 else []
    return (entry.passed + between + last)[-parameters:]


def _cores(entry: Entry, blocks: int) -> List[str]:
    """The number of this core among all, for lists of tensors."""
    if not entry.setup:
        return []
    return ["#ifdef __DAV_CUBE__", f"    const uint64_t ptosim_core = {2 * max(blocks, 1)} + AscendC::GetBlockIdx();", "#else",
            "    const uint64_t ptosim_core = AscendC::GetBlockIdx();", "#endif"]


def _own_headers() -> List[str]:
    from .tree import include_folder
    return [os.path.join(include_folder(), "asc_devkit"), include_folder()]


def has_matmul(files: Sequence[str]) -> bool:
    """True if files include Matmul, at its path of a checkout or of an installed toolkit. Its messages lie in the
    workspace, which the entry clears."""
    return any(os.path.basename(path) in ("matmul_intf.h", "kernel_kfc.h") for path in files)
