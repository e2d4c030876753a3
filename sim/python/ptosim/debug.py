"""A kernel in the debugger (docs/debugging.md)."""
from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import kernels, program
from .arrays import Out, dtype_name
from .device import is_array
from .errors import misuse
from .kernels import Kernel, Source

# Options of the command line that take NAME=VALUE words or are repeated.
_PAIRS = {"set": "--set", "params": "--param", "defines": "--define"}
_LISTS = {"includes": "--include", "bypass_l2": "--bypass-l2"}
_RENAMED = {"cores": "core"}


def _words_of(options: Mapping[str, Any]) -> List[str]:
    words: List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        if name in _PAIRS:
            for key, one in dict(value).items():
                words += [_PAIRS[name], f"{key}={one}"]
        elif name in _LISTS:
            for one in value:
                words += [_LISTS[name], os.fspath(one) if not isinstance(one, int) else str(one)]
        else:
            words.append("--" + _RENAMED.get(name, name).replace("_", "-"))
            if value is not True:
                words.append(os.fspath(value) if hasattr(value, "__fspath__") else str(value))
    return words


@dataclass
class Debugging:
    """A kernel that is called like a function, and stops in the debugger's console."""

    kernel: Kernel
    options: Dict[str, Any]
    goldens: Mapping[int, Any] = field(default_factory=dict)
    commands: Optional[Sequence[str]] = None

    def __call__(self, *arguments: Any) -> str:
        """Runs the kernel with copies of the arguments: arrays stay as they are. Without `commands`, those of the
        terminal are read, and the result is empty; else it is the text of the session."""
        folder = program.Folder()
        words = [program.path(), "debug", self._path(folder.name), "--console", *_words_of(self.options)]
        for number, value in enumerate(arguments):
            words += ["--arg", self._argument(folder.name, number, value)]
        for number, golden in self.goldens.items():
            words += ["--golden", f"{number}={self._saved(folder.name, f'golden{number}', golden)}"]
        text = None if self.commands is None else "".join(line + "\n" for line in self.commands)
        done = subprocess.run(words, input=text, stdout=None if text is None else subprocess.PIPE,
                              stderr=None if text is None else subprocess.PIPE, text=True, env=program.environment())
        if done.returncode != 0 and text is not None:
            raise program.failure(done.stderr)
        return done.stdout or ""

    def _path(self, folder: str) -> str:
        if os.path.exists(self.kernel.path):
            return self.kernel.path
        path = Path(folder) / os.path.basename(self.kernel.path)
        path.write_text(self.kernel.text())
        return str(path)

    @staticmethod
    def _saved(folder: str, name: str, value: Any) -> str:
        path = os.path.join(folder, name + ".npy")
        array = np.ascontiguousarray(value)
        # Types that NumPy lacks are unsigned integers in its files.
        np.save(path, array if array.dtype.kind in "biuf" else array.view(f"u{array.dtype.itemsize}"))
        return path

    def _argument(self, folder: str, number: int, value: Any) -> str:
        if isinstance(value, Out):
            if value.array is None:
                shape = "x".join(map(str, value.shape))
                return f"out={shape}x{dtype_name(value.dtype)}"
            value = value.array
        if value is None:
            return "null"
        if is_array(value):
            return "inout=" + self._saved(folder, f"argument{number}", value)
        if isinstance(value, (np.generic,)):
            return f"{dtype_name(value.dtype)}={value}"
        if isinstance(value, float):
            return f"f32={value!r}"
        if isinstance(value, int):
            return f"i32={int(value)}"
        raise misuse(f"argument {number} is a {type(value).__name__}", "arrays and numbers can be passed")


def debug(kernel: Union[Kernel, Source], *, goldens: Optional[Mapping[int, Any]] = None,
          commands: Optional[Sequence[str]] = None, **options: Any) -> Debugging:
    """A kernel in the debugger: debug("k.pto", blocks=1)(x, y, out) reads commands from the terminal.

    `goldens` are expected arrays by the number of their argument, `commands` the lines of a session, whose text is
    returned. Further options as in simulate(), if `ptosim debug` has them. A scalar of NumPy (np.int64(5)) passes
    its own type; int is i32, float is f32.
    """
    of_kernel = {key: options.pop(key) for key in ("entry", "name") if key in options}
    made = kernels.kernel_of(kernel, **of_kernel)
    if made.entry:
        options["entry"] = made.entry
    for key in ("params", "defines", "includes", "cores", "plan", "assembler"):
        value = getattr(made, key)
        if value and (key not in ("plan", "assembler") or not isinstance(kernel, (str, os.PathLike))):
            options.setdefault(key, value)
    return Debugging(made, options, goldens or {}, commands)
