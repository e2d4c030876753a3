"""The files that requests of `ptosim serve` may name: none, or those below one folder."""
from __future__ import annotations

import functools
import io
import json
import os
import re
import stat
from typing import Any, Callable, Optional

import numpy as np

from .chips import chips
from .errors import Error, misuse

MOST_ARRAY = 1 << 30  # bytes of a .npy file
MOST_TEXT = 4 << 20  # bytes of a kernel's or a chip's text
MOST_EXTENDS = 8  # chip files, each of which extends the next
CODE = "I68"
_NAME = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,99}")


def text_name(name: str) -> str:
    """The name that a request gives to a text: it becomes a file of that name in a separate folder. Raises Error (I68)
    for a name that leads elsewhere."""
    if not _NAME.fullmatch(name):
        raise misuse("the name of a kernel's text is not a plain file name",
                     "letters, digits and _ . + -, at most 100, such as kernel.cpp", CODE)
    return name


class Files:
    """Regular files and folders below `root`; None: nothing. Links are followed as long as they stay below it. Paths
    outside are refused in the same words whether they exist or not."""

    def __init__(self, root: Optional[str] = None):
        self.root = None if root is None else os.path.realpath(root)

    def path(self, name: str, what: str) -> str:
        """The real path of a regular file. Raises Error (I68, I01)."""
        return self._opened(name, what, stat.S_ISREG, lambda _, path: path)

    def folder(self, name: str, what: str) -> str:
        return self._opened(name, what, stat.S_ISDIR, lambda _, path: path)

    def read(self, name: str, what: str, most: int) -> bytes:
        """A file's bytes. The file that is read is the one that was looked at, whatever becomes of
        its name meanwhile."""
        def take(file: int, path: str) -> bytes:
            with open(f"/proc/self/fd/{file}", "rb") as opened:
                data = opened.read(most + 1)
            if len(data) > most:
                raise misuse(f"{what} has more than {most} bytes", code=CODE)
            return data

        try:
            return self._opened(name, what, stat.S_ISREG, take)
        except OSError as error:
            raise misuse(f"{what} cannot be read: {error.strerror}", code="I01") from None

    def array(self, name: str, what: str) -> np.ndarray:
        data = self.read(name, what, MOST_ARRAY)
        try:
            if not data.startswith(b"\x93NUMPY"):
                raise ValueError
            return np.load(io.BytesIO(data), allow_pickle=False)
        except (ValueError, TypeError, EOFError, MemoryError, OverflowError, SyntaxError,
                RecursionError):
            raise misuse(f"{what} is not a .npy file of numbers", code="I10") from None

    def chip(self, name: str) -> str:
        """One of ours, or a chip file whose `extends` leads to such alone."""
        if name in _our_chips():
            return name
        if not name.endswith(".json") and "/" not in name:
            return name if _NAME.fullmatch(name) else self.path(name, "the chip")  # unknown
        found = path = self.path(name, "the chip")
        for _ in range(MOST_EXTENDS):
            base = _extends(self.read(path, "the chip", MOST_TEXT))
            if base is None or ("/" not in base and not base.endswith(".json")):
                return found
            path = self.path(os.path.join(os.path.dirname(path), base), "what the chip extends")
        raise misuse(f"the chip extends more than {MOST_EXTENDS} files", code=CODE)

    def _opened(self, name: str, what: str, kind: Callable[[int], bool],
                use: Callable[[int, str], Any]) -> Any:
        if self.root is None:
            raise misuse(f"{what} is a file, but this server accepts none",
                         "send the text, or start the server with --root DIR", CODE)
        outside = misuse(f"{what} is not below the folder of this server",
                         "paths are relative to the folder that --root names", CODE)
        if not name or any(ord(letter) < 32 for letter in name):
            raise outside
        path = os.path.join(self.root, name)
        if not self._below(os.path.realpath(path)):
            raise outside
        try:
            file = os.open(path, os.O_PATH | os.O_CLOEXEC)  # opens nothing yet, devices neither
        except (OSError, ValueError):
            raise misuse(f"{what} is not there", code="I01") from None
        try:
            real = os.readlink(f"/proc/self/fd/{file}")
            if not self._below(real):
                raise outside
            if not kind(os.fstat(file).st_mode):
                raise misuse(f"{what} is not a regular file" if kind is stat.S_ISREG
                             else f"{what} is not a folder", code=CODE)
            return use(file, real)
        finally:
            os.close(file)

    def _below(self, real: str) -> bool:
        root = str(self.root)
        return real == root or real.startswith(root if root == "/" else root + "/")


def _extends(text: bytes) -> Optional[str]:
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        raise misuse("the chip is not JSON", code="I20") from None
    base = tree.get("extends") if isinstance(tree, dict) else None
    return base if isinstance(base, str) else None


@functools.lru_cache(maxsize=None)
def _our_chips() -> "frozenset[str]":
    try:
        return frozenset(chips())
    except Error:
        return frozenset()
