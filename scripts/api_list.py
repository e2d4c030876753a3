#!/usr/bin/python3
"""Lists the functions of the C++ API as a page, from the headers themselves.

    scripts/api_list.py [--cxx g++] --out PAGE

The headers are preprocessed as for a kernel of each architecture, so that functions that macros make
are seen as the compiler sees them. For each function of the headers in namespace pto or outside
of all namespaces, its name, parameters and template parameters are listed; ptosim_detail and
classes are left out. The build makes the page, for `ptosim isa` and for build/docs.
"""
import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ARCHITECTURES = {
    "a2a3": ["-D__NPU_ARCH__=2201", "-DMEMORY_BASE", "-D__CCE_AICORE__=220"],
    "a5": ["-D__NPU_ARCH__=3101", "-DREGISTER_BASE", "-D__CCE_AICORE__=310"],
}
CORES = {"cube": ["-D__DAV_CUBE__", "-D__DAV_{}_CUBE__"], "vec": ["-D__DAV_VEC__", "-D__DAV_{}_VEC__"]}
GROUPS = [
    ("Flags, kernels and memory", ("pto/common/", "cce/")),
    ("Instructions", "pto/instructions/"),
    ("FIFOs between cores", "pto/fifo/"),
    ("Communication", "pto/comm/"),
    ("Other", ""),
]


def preprocessed(cxx, arch, core):
    generation = {"a2a3": "C220", "a5": "C310"}[arch]
    words = [cxx, "-std=c++20", "-E", "-I", os.path.join(ROOT, "include"), "-x", "c++",
             "-DPTOSIM_DEVICE_PASS", '-DPTOSIM_MODULE=api', "-include", "pto/pto-inst.hpp",
             *ARCHITECTURES[arch], *(word.format(generation) for word in CORES[core]), "/dev/null"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def lines_of_ours(text):
    """(header, line) of the headers in include/pto and include/cce, in the order of the text."""
    header = ""
    for line in text.splitlines():
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            path = mark[1].replace("\\", "/")
            found = re.search(r"/include/((?:pto|cce)/.*)", path)
            header = found.group(1) if found else ""
        elif header:
            yield header, line


def enumerations(text):
    """The names of each enumeration of namespace pto, and its enumerators."""
    scopes, words = [], []
    found = {}
    for _, line in lines_of_ours(text):
        for token in TOKEN.findall(line):
            if token == "{":
                if words[:1] == ["namespace"]:
                    scopes.append("".join(words[1:]))
                elif words[:1] == ["enum"] and all(scope == "pto" for scope in scopes):
                    scopes.append("enum " + words[2 if words[1] == "class" else 1])
                    found[scopes[-1][5:]] = []
                else:
                    scopes.append("{")
                words = []
            elif token == "}":
                if scopes[-1].startswith("enum ") and words:
                    found[scopes[-1][5:]].append(words[0])
                scopes.pop()
                words = []
            elif token == ";":
                words = []
            elif token == "," and scopes and scopes[-1].startswith("enum "):
                found[scopes[-1][5:]].append(words[0])
                words = []
            else:
                words.append(token)
    return found


TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|::|\w+|\S')


def declarations(text):
    """(header, words) of the text before each body or ';' in namespace pto or outside of all."""
    scopes, words, round_depth = [], [], 0
    for header, line in lines_of_ours(text):
        for token in TOKEN.findall(line):
            if token == "(":
                round_depth += 1
            elif token == ")":
                round_depth -= 1
            if token == "{" and round_depth == 0:
                visible = all(scope == "pto" or scope == "C" for scope in scopes)
                if words[:1] == ["namespace"] or words[:2] == ["inline", "namespace"]:
                    name = "".join(words[words.index("namespace") + 1:])
                    scopes.append(name)
                elif words[:1] == ["extern"]:
                    scopes.append("C")
                else:
                    if visible:
                        yield header, words
                    scopes.append("{")
                words = []
            elif token == "}" and round_depth == 0:
                scopes.pop()
                words = []
            elif token == ";" and round_depth == 0:
                if all(scope == "pto" or scope == "C" for scope in scopes):
                    yield header, words
                words = []
            else:
                words.append(token)


def split(words):
    """The parts between the commas outside of all brackets."""
    parts, part, depth = [], [], 0
    for word in words:
        depth += word in "(<[{"
        depth -= word in ")>]}"
        if word == "," and depth == 0:
            parts.append(part)
            part = []
        else:
            part.append(word)
    return parts + [part] if part else parts


def without_default(words):
    return words[:words.index("=")] if "=" in words else words


def function_of(words):
    """(name, parameters, template parameters) of a function, or None."""
    template = []
    while words[:1] == ["template"]:
        depth = 0
        for i, word in enumerate(words[1:], 1):
            depth += (word == "<") - (word == ">")
            if depth == 0:
                break
        template = split(words[2:i])
        words = words[i + 1:]
    if "(" not in words or words[:1] in (["using"], ["typedef"], ["struct"], ["class"], ["enum"],
                                         ["static_assert"]):
        return None
    if "=" in words[:words.index("(")] or "operator" in words:
        return None
    at = words.index("(")
    while at > 0 and words[at - 1] in ("__attribute__", "alignas", "decltype"):
        return None
    name = words[at - 1]
    if not re.match(r"[A-Za-z]\w*$", name) or words[at - 2:at - 1] == ["::"]:
        return None
    depth = 0
    for end in range(at, len(words)):
        depth += (words[end] == "(") - (words[end] == ")")
        if depth == 0:
            break
    given = []
    for part in split(words[at + 1:end]):
        plain = without_default(part)
        if "EventRef" in plain or "ptosim_location" in plain or not plain or plain == ["void"]:
            continue
        label = plain[-1]
        if label in ("&", "*") or len(plain) == 1:
            label = plain[0].lower() if len(plain) > 1 else plain[0]
        given.append(label + ("?" if "=" in part else ""))
    chosen = []
    for part in template:
        text = " ".join(part)
        if "enable_if" in text or part[:1] in (["typename"], ["class"]) and "=" not in part:
            continue
        if part[:1] in (["typename"], ["class"]):
            continue
        plain = without_default(part)
        label = plain[-1].rstrip("_")
        default = "".join(part[part.index("=") + 1:]) if "=" in part else ""
        chosen.append(label + (f" = {default}" if default else ""))
    return name, tuple(given), tuple(chosen)


def is_listed(name, given, _):
    """False for functions that take anything and report that it is not supported, and for helpers of the headers."""
    return given not in ((".",), ("NoSuchType",)) and name != "ptosim_opcode"


def all_functions(cxx):
    found = {}  # (name, parameters, choices) -> [header, set of architectures]
    for arch in ARCHITECTURES:
        for core in CORES:
            for header, words in declarations(preprocessed(cxx, arch, core)):
                function = function_of(words)
                if function is None or not is_listed(*function):
                    continue
                found.setdefault(function, [header, set()])[1].add(arch)
    return found


def page(cxx):
    found = all_functions(cxx)
    text = ("# The C++ API\n\n"
            "Made by `scripts/api_list.py` from the headers; do not edit. A kernel includes "
            "`pto/pto-inst.hpp`.\nParameters in the order of the call; `?` marks those that may be "
            "left out. Every function of an instruction\nalso takes up to four events to wait for "
            "behind its parameters, and returns one. Template parameters that\nfollow from the "
            "arguments are not listed. `ptosim isa NAME` says what an instruction does.\n")
    left = dict(found)
    for title, prefix in GROUPS:
        rows = sorted(key for key, (header, _) in left.items() if header.startswith(prefix))
        for key in rows:
            found[key] = left.pop(key)
        if not rows:
            continue
        text += f"\n## {title}\n\n| function | call | template parameters | architectures |\n|---|---|---|---|\n"
        for name, given, chosen in rows:
            archs = found[(name, given, chosen)][1]
            text += (f"| {name} | `{name}({', '.join(given)})` | "
                     f"{', '.join(f'`{word}`' for word in chosen)} | "
                     f"{'' if len(archs) == 2 else ', '.join(sorted(archs))} |\n")
    named = {}
    for arch in ARCHITECTURES:
        named.update(enumerations(preprocessed(cxx, arch, "vec")))
    text += "\n## Enumerations\n\n| enumeration | values |\n|---|---|\n"
    for name in sorted(named):
        text += f"| {name} | {' '.join(named[name])} |\n"
    return text


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--cxx", default="g++")
    options.add_argument("--out", required=True, help="the page to write")
    given = options.parse_args()
    text = page(given.cxx)
    with open(given.out, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
