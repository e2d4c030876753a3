"""No two types, and no two functions, have one name in one namespace.

The linker merges such definitions silently (inline functions, constructors, vtables), and what runs
is one of the two. This reads the sources of the programs: definitions at namespace scope outside
unnamed namespaces, in different files. Types count by their qualified name, functions by name and
parameters.
"""

import collections
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = re.compile(r"""
    //[^\n]* | /\*.*?\*/                                  # comments
  | R"(?P<mark>[^(]*)\(.*?\)(?P=mark)"                    # raw strings
  | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+'             # strings and characters
  | ^[ \t]*\#(?:\\\n|[^\n])*                              # directives
  | [A-Za-z_]\w* | 0[xX][\da-fA-F']+ | \d[\w.']* | :: | \S
""", re.X | re.S | re.M)
TYPES = ("class", "struct", "union", "enum")
SKIPPED = ("//", "/*", "#")
# Separate programs: their definitions meet nothing else.
PROGRAMS = re.compile(r"(_main\.cpp|^tests/)")


def tokens(text):
    for match in TOKEN.finditer(text):
        token = match.group().lstrip()
        if not token.startswith(SKIPPED):
            yield token, match.start()


def without_angles(head):
    """The tokens before `<...>` of a template head, and without attributes."""
    result, depth, i = [], 0, 0
    if head and head[0] == "template":
        for i, token in enumerate(head):
            depth += (token == "<") - (token == ">")
            if token == ">" and depth == 0:
                return without_angles(head[i + 1:])
    while i < len(head):
        if head[i] == "[" and i + 1 < len(head) and head[i + 1] == "[":
            while head[i:i + 2] != ["]", "]"]:
                i += 1
            i += 2
            continue
        if head[i] in ("alignas", "__attribute__") and head[i + 1:i + 2] == ["("]:
            depth = 0
            while True:
                i += 1
                depth += (head[i] == "(") - (head[i] == ")")
                if depth == 0:
                    break
            i += 1
            continue
        result.append(head[i])
        i += 1
    return result


def classify(head):
    """Kind of a brace: ("namespace" | "type" | "function" | "other", name)."""
    words = without_angles(head)
    if not words or words[0] in (",", ":"):  # the rest of a constructor's list
        return "other", ""
    if words[0] == "extern" and len(words) == 2 and words[1].startswith('"'):
        return "namespace", "extern"
    if words[0] == "inline" and words[1:2] == ["namespace"]:
        words = words[1:]
    if words[0] == "namespace":
        return "namespace", "".join(words[1:])
    if words[0] in TYPES:
        rest = [w for w in words[1:] if w not in ("class", "struct", "final")]
        name = []
        for word in rest:
            if word == ":":
                break
            name.append(word)
        if "(" not in name:
            return "type", "".join(name)
    if "(" in words and "=" not in words[:words.index("(")]:
        at = words.index("(")
        name = words[at - 1]
        if name == "operator":
            at = words.index("(", at + 1) if "(" in words[at + 1:] else at
        elif "operator" in words[:at]:
            name = "".join(words[words.index("operator"):at])
        if at >= 2 and words[at - 2] in ("::", "~"):  # a member, defined outside of its class
            return "function", ""
        depth, end = 0, at
        for end in range(at, len(words)):
            depth += (words[end] == "(") - (words[end] == ")")
            if depth == 0:
                break
        return "function", name + parameters(words[at:end + 1]) + ("" if "const" not in words[end:] else " const")
    return "other", ""


def parameters(words):
    """Types of parameters: the words before the name and without defaults."""
    result, depth, one = [], 0, []
    for word in words[1:-1] + [","]:
        depth += (word in "(<{[") - (word in ")>}]")
        if word == "," and depth == 0:
            if "=" in one:
                one = one[:one.index("=")]
            if len(one) > 1 and re.match(r"[A-Za-z_]\w*$", one[-1]) and one[-2] != "::":
                one = one[:-1]
            result.append(" ".join(one))
            one = []
        else:
            one.append(word)
    return "(" + ", ".join(result) + ")"


def definitions(text):
    """(kind, qualified name, line) of the definitions at namespace scope."""
    scopes, head = [], []
    depth_parentheses = 0
    for token, at in tokens(text):
        if token == "(":
            depth_parentheses += 1
        elif token == ")":
            depth_parentheses -= 1
        if token == "{" and depth_parentheses == 0:
            kind, name = classify(head)
            at_namespace = all(k == "namespace" for k, _ in scopes)
            unnamed = any(k == "namespace" and n == "" for k, n in scopes)
            if at_namespace and not unnamed and kind in ("type", "function") and name and "static" not in head:
                space = "::".join(n for _, n in scopes if n != "extern")
                yield kind, f"{space}::{name}", text.count("\n", 0, at) + 1
            scopes.append((kind, name))
            head = []
        elif token == "}" and depth_parentheses == 0:
            if scopes:
                scopes.pop()
            head = []
        elif token == ";" and depth_parentheses == 0:
            head = []
        else:
            head.append(token)


def check(root):
    places = collections.defaultdict(list)
    for top in ("isa", "sim", "traces"):
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in (".h", ".cpp") and not PROGRAMS.search(name):
                for kind, qualified, line in definitions(path.read_text()):
                    places[kind, qualified].append(f"{name}:{line}")
    return {key: where for key, where in sorted(places.items())
            if len({w.split(":")[0] for w in where}) > 1}


def main():
    wrong = check(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
    for (kind, name), where in wrong.items():
        print(f"{kind} {name} is defined in {len(where)} places: {', '.join(where)}\n"
              f"    Give each a name of its own, or put what one file uses alone into an unnamed "
              f"namespace.")
    if wrong:
        sys.exit(f"{len(wrong)} names with several definitions")


if __name__ == "__main__":
    main()
