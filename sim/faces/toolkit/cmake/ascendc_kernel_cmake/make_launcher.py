"""make_launcher.py SOURCE LAUNCHER [DEFINITION...]: finds the kernels of a source, and writes a source that holds it and
the C functions that launch them, and next to it a header aclrtlaunch_KERNEL.h for each. Definitions, NAME=VALUE, may give
kernels their names."""
import pathlib
import re
import shutil
import subprocess
import sys

KERNEL = re.compile(r'(extern\s+"C"\s+(?:[\w\[\]]+\s+)*?)?(?:__global__|\[host\])[\w\s\[\]]*\bvoid\s+(\w+)\s*\(([^()]*)\)\s*\{')
TEMPLATE = re.compile(r'template\s*<[^;{}]*>\s*\Z')
NEITHER = re.compile(r'//[^\n]*|/\*.*?\*/', re.S)


def kernels(text, names):
    """{name: (linkage, [(type, name)])} of the kernels, in the order of the source. `names`: of kernels, by macro."""
    found = {}
    plain = NEITHER.sub(" ", text)
    for match in KERNEL.finditer(plain):
        linkage, name, words = match.groups()
        if linkage is None and TEMPLATE.search(plain[:match.start()]):
            continue
        parameters = []
        for parameter in filter(None, (" ".join(word.split()) for word in words.split(","))):
            split = re.fullmatch(r"(.*[\s*&])(\w+)", parameter)
            parameters.append((split.group(1).strip(), split.group(2)))
        found.setdefault(names.get(name, name), ('extern "C" ' if linkage else "", parameters))
    return found


def expanded(text, definitions):
    """The text with its own macros expanded, which may declare kernels; empty without a preprocessor. Headers are left out."""
    compiler = shutil.which("c++") or shutil.which("clang++")
    if compiler is None or not re.search(r"^[ \t]*#[ \t]*define\b.*\(", text, re.MULTILINE):
        return ""
    own = re.sub(r"^[ \t]*#[ \t]*(include|pragma)\b[^\n]*", "", text, flags=re.MULTILINE)
    done = subprocess.run([compiler, "-E", "-P", "-w", "-x", "c++", "-D__CCE_AICORE__=220", *("-D" + word for word in definitions), "-"],
                          input=own, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def for_host(kind):
    """A pointer to device memory is one without a type on the host."""
    return "void*" if "*" in kind or re.search(r"\bGM_ADDR\b", kind) else kind.replace("const ", "")


def declaration(name, parameters):
    words = "".join(f", {for_host(kind)} {of}" for kind, of in parameters)
    return f"uint32_t aclrtlaunch_{name}(uint32_t ptosim_blocks, void* ptosim_stream{words})"


def header(name, parameters):
    return f"""#pragma once
#include <stdint.h>
#ifndef ACLRT_LAUNCH_KERNEL
#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel
#endif
#ifdef __cplusplus
extern "C"
#endif
{declaration(name, parameters)};
"""


def launcher(source, found):
    text = f'#include "{source}"\n#if !defined(GM_ADDR) && __has_include("kernel_operator.h")\n#include "kernel_operator.h"\n#endif\n'
    for name, (linkage, parameters) in found.items():
        words = ", ".join(f"{kind} {of}" for kind, of in parameters)
        given = ", ".join(f"({kind}){of}" for kind, of in parameters)
        text += f"""
{linkage}__global__ __aicore__ void {name}({words});
extern "C" {declaration(name, parameters)} {{
    {name}<<<ptosim_blocks, nullptr, ptosim_stream>>>({given});
    return 0;
}}
"""
    return text


def write(path, text):
    """Nothing if it is there already: what depends on it is not made anew."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main():
    source, made = (pathlib.Path(word) for word in sys.argv[1:3])
    text, definitions = source.read_text(errors="replace"), [word.removeprefix("-D") for word in sys.argv[3:]]
    pairs = (word.partition("=") for word in definitions)
    found = kernels(text, {name: value for name, _, value in pairs if value.isidentifier()})
    found = {**kernels(expanded(text, definitions), {}), **found}
    write(made, launcher(source, found))
    for name, (_, parameters) in found.items():
        write(made.parent / f"aclrtlaunch_{name}.h", header(name, parameters))


if __name__ == "__main__":
    main()
