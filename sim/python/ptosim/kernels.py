"""Sources of a kernel: a file, .pto text, C++ text, or an output of `ptosim build`."""
from __future__ import annotations

import functools
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import misuse
from .options import check_fields
from .program import Folder

Source = Union[str, "os.PathLike[str]"]


@functools.lru_cache(maxsize=64)
def _written(text: str, name: str) -> Tuple[str, Folder]:
    """C++ text as a file, and its folder. The same text gets the same file, because the compile cache identifies a
    source by its path, too."""
    if os.path.basename(name) != name or name in ("", ".", "..") or "\0" in name:
        raise misuse(f"the name of a text, {name[:80]!r}, leads to another folder",
                     "a plain name, such as kernel.cpp")
    folder = Folder()
    path = os.path.join(folder.name, name)
    Path(path).write_text(text)
    return path, folder


_SOURCE_ENDINGS = (".cpp", ".cc", ".cxx", ".cce", ".asc")


def has_source_name(path: str) -> bool:
    """True for C++ source, as for the command line. Only this module looks at the ends of kernels' names."""
    return path.endswith(_SOURCE_ENDINGS)


def has_text_name(path: str) -> bool:
    """True if the name is the usual one of .pto text, for lists of a folder's files."""
    return path.endswith(".pto")


def is_cpp_text(text: str) -> bool:
    return "__global__" in text or "#include" in text


def is_text(source: str) -> bool:
    """True if it is a kernel's text, not the name of a file."""
    return "\n" in source or "{" in source or not source.strip()


@dataclass
class Kernel:
    """A kernel and how it is made. `source` with a line end or a brace in it is text, and
    so is empty text; else it is a path."""

    source: Source
    entry: str = ""  #: which function; may be empty if there is one
    params: Mapping[str, Any] = field(default_factory=dict)  #: that a .pto kernel declares
    defines: Mapping[str, Any] = field(default_factory=dict)  #: macros of a C++ source
    includes: Sequence[Source] = ()  #: folders with headers of a C++ source
    cores: str = ""  #: of a C++ source: aic, aiv, mix; empty: as it asks
    plan: str = "legacy"  #: how tiles without an address are placed: legacy, modern
    assembler: str = "v0.60"  #: whose defaults a .pto text has: v0.60, v0.63
    name: str = ""  #: of text, in messages; default kernel.pto or kernel.cpp
    _folder: Optional[Folder] = field(default=None, repr=False)

    #: That a kernel in the sandbox may read, so that findings show their lines.
    sources: Tuple[str, ...] = field(default=(), repr=False)
    #: The compiler of a kernel for the sandbox could not be confined.
    reads_all_files: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        check_fields(self, ("entry", "params", "defines", "includes", "cores", "plan", "assembler",
                            "name"))
        text = isinstance(self.source, str) and is_text(self.source)
        self.is_text = text
        if not text:
            given = os.fspath(self.source)
            self.path = os.path.abspath(given)
            if not has_source_name(given) and self._read(given):
                self.path = given  # as messages name it
            return
        assert isinstance(self.source, str)
        if not self.source.strip():
            raise misuse("the kernel's text is empty", "a kernel is a file's name, or its text")
        if is_cpp_text(self.source):
            self.path, self._folder = _written(self.source, self.name or "kernel.cpp")
            self.is_text = False
        else:
            self.path, self._text = self.name or "kernel.pto", self.source

    def _read(self, path: str) -> bool:
        """Takes the text of a .pto file, whatever its name; the simulator opens other files, and reports problems."""
        try:
            with open(path, "rb") as file:
                if file.peek(4).startswith(b"\x7fELF"):
                    return False
                self._text = io.TextIOWrapper(file, encoding="utf-8").read()
        except (OSError, UnicodeDecodeError):
            return False
        self.is_text = True
        return True

    @property
    def is_source(self) -> bool:
        """C++ that has to be compiled."""
        return not self.is_text and has_source_name(self.path)

    def request(self) -> Dict[str, Any]:
        """The `load` request for a worker."""
        line: Dict[str, Any] = {
            "op": "load", "path": self.path, "entry": self.entry, "cores": self.cores,
            "plan": self.plan, "assembler": self.assembler,
            "parameters": [f"{name}={value}" for name, value in self.params.items()],
            "defines": words(self.defines),
            "includes": [os.path.abspath(os.fspath(folder)) for folder in self.includes],
        }
        if self.is_text:
            line["text"] = self._text
        if self.sources:
            line["readable"] = list(self.sources)
        return line

    def text(self) -> str:
        """Its source, or nothing of a compiled one."""
        if self.is_text:
            return self._text
        try:
            return Path(self.path).read_text()
        except (OSError, UnicodeDecodeError):
            return ""


def words(defines: Mapping[str, Any]) -> List[str]:
    return [name if value is None or value is True else f"{name}={value}"
            for name, value in defines.items()]


def kernel_of(source: Union[Kernel, Source], **options: Any) -> Kernel:
    """`source` itself if it is a Kernel. Raises Error (I61) if it is neither file nor text."""
    if isinstance(source, Kernel):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise misuse(f"a kernel is a file's name or text, not {type(source).__name__}")
    return Kernel(source, **options)
