"""The kernels and programs of a corpus: files, folders, and lists of them."""
from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Sequence

from ..errors import misuse
from ..kernels import has_text_name

# A line of a kernel with the options of its run: `// run: --arg rand=64x64xf32 --blocks 4`
_WORDS = re.compile(r"^\s*//\s*run:\s*(--.*)$", re.M)
SOURCES = (".pto", ".cpp", ".cce")
KEYS = ("name", "kernel", "words", "command", "outputs", "inputs")


@dataclass
class Entry:
    """A kernel with the options of its run, or a program with its own command."""

    name: str
    path: str = ""  #: of a kernel
    words: List[str] = field(default_factory=list)  #: options of the run; empty: they are made up
    command: List[str] = field(default_factory=list)  #: of a program
    folder: str = ""  #: in which it runs
    outputs: List[str] = field(default_factory=list)  #: files that a program leaves
    inputs: List[str] = field(default_factory=list)  #: files that a program's result depends on

    @property
    def is_made_up(self) -> bool:
        return not self.words and has_text_name(self.path)


def entries_of(sources: Sequence[str]) -> List[Entry]:
    """Entries of kernels, of folders (all kernels in them and below), and of .json lists."""
    found: List[Entry] = []
    for source in sources:
        if os.path.isdir(source):
            prefix = os.path.basename(os.path.abspath(source)) if len(sources) > 1 else ""
            found += _of_folder(source, prefix)
        elif source.endswith(".json"):
            found += _of_list(source)
        elif os.path.isfile(source):
            found.append(_of_kernel(source, source))
        else:
            raise misuse(f"{source}: no such file or folder", code="I01")
    if not found:
        raise misuse(f"no kernels in {', '.join(sources)}",
                     f"kernels are files that end in {', '.join(SOURCES)}", "I01")
    names = [entry.name for entry in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise misuse(f"two kernels of the corpus are named {twice}")
    return found


def _of_folder(folder: str, prefix: str) -> List[Entry]:
    found = []
    for base, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(base, name)
            if has_text_name(name) or (name.endswith(SOURCES) and "__global__" in _text(path)):
                found.append(_of_kernel(path, os.path.join(prefix, os.path.relpath(path, folder))))
    return found


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _of_kernel(path: str, name: str) -> Entry:
    said = _WORDS.findall(_text(path)) if path.endswith(SOURCES) else []
    try:
        words = [word for line in said for word in shlex.split(line)]
    except ValueError as error:
        raise misuse(f"{path}: its line '// run:' cannot be read: {error}") from None
    return Entry(name, os.path.abspath(path), words, folder=os.path.dirname(os.path.abspath(path)))


def _of_list(path: str) -> List[Entry]:
    base = os.path.dirname(os.path.abspath(path))
    try:
        with open(path, encoding="utf-8") as file:
            listed = json.load(file)
    except ValueError as error:
        raise misuse(f"{path}: {error}", "a list of kernels and programs in JSON", "I01") from None
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise misuse(f"{path} is not a list of objects")
    return [_of_object(fields, base, f"{path}, entry {number}")
            for number, fields in enumerate(listed)]


def _of_object(fields: Mapping[str, Any], base: str, where: str) -> Entry:
    unknown = set(fields) - set(KEYS)
    if unknown or ("kernel" in fields) == ("command" in fields):
        raise misuse(f"{where} " + (f"has the unknown field '{min(unknown)}'" if unknown
                                    else "has neither or both of a kernel and a command"),
                     "there are " + ", ".join(KEYS))
    texts: Dict[str, List[str]] = {}
    for key in ("words", "command", "outputs", "inputs"):
        value = fields.get(key, [])
        if isinstance(value, str):
            value = shlex.split(value)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise misuse(f"{where}: {key} is not a list of texts")
        texts[key] = value
    if "command" in fields:
        return Entry(str(fields.get("name", texts["command"][-1])), command=texts["command"],
                     folder=base, outputs=texts["outputs"], inputs=texts["inputs"])
    path = os.path.join(base, str(fields["kernel"]))
    if not os.path.isfile(path):
        raise misuse(f"{where}: {path} is not a file", code="I01")
    entry = _of_kernel(path, str(fields.get("name", fields["kernel"])))
    entry.words = texts["words"] or entry.words
    entry.folder = base if texts["words"] else entry.folder
    return entry


def located(words: Sequence[str], folder: str) -> List[str]:
    """Returns the options with paths for a working directory other than `folder`, which contains their files."""
    def place(name: str) -> str:
        return os.path.join(folder, name)

    found: List[str] = []
    for word in words:
        option = found[-1] if found else ""
        kind, _, value = word.partition("=")
        if option == "--arg" and kind in ("in", "inout"):
            files = value.split(":")
            word = f"{kind}={':'.join(place(file) for file in files)}"
        elif option == "--arg" and kind == "out" and ":" in value:
            shape, _, file = value.partition(":")
            word = f"out={shape}:{place(file)}"
        elif option == "--golden":
            word = f"{kind}={place(value)}"
        elif option in ("-I", "--include", "--suppress"):
            word = place(word)
        found.append(word)
    return found
