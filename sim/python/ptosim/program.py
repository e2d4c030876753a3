"""The program of this package: its path and its start."""
from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from .errors import Error, Finding, misuse


@functools.lru_cache(maxsize=None)
def find(chosen: Optional[str] = None) -> str:
    """The path of the `ptosim` program.

    PTOSIM_PROGRAM names one; else it is the one installed inside of this package, the one built in the checkout that
    contains this package, or the one in PATH. Raises Error (I01).
    """
    package = Path(__file__).resolve().parent
    candidates = [package / "install" / "bin" / "ptosim"]
    if package.parent.name == "python" and package.parent.parent.name == "sim":
        candidates.append(package.parents[2] / "build" / "ptosim")
    if chosen:
        candidates = [Path(chosen)]
    for candidate in candidates:
        if os.access(candidate, os.X_OK) and candidate.is_file():
            return str(candidate)
    found = None if chosen else shutil.which("ptosim")
    if found:
        return found
    raise misuse(f"there is no ptosim program ({', '.join(map(str, candidates))})",
                 "build it (scripts/build.sh), or name it in PTOSIM_PROGRAM", "I01")


def path() -> str:
    """The program of this process."""
    return find(os.environ.get("PTOSIM_PROGRAM"))


def environment() -> Dict[str, str]:
    """Environment of the program, without this package's own variable."""
    own = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
    own.pop("PTOSIM_PROGRAM", None)
    return own


class Folder:
    """A temporary folder that lives as long as this object."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="ptosim-")

    def __del__(self) -> None:
        shutil.rmtree(self.name, ignore_errors=True)


def call(words: Sequence[str], timeout: Optional[float] = None,
         accept: Sequence[int] = (0,)) -> "subprocess.CompletedProcess[str]":
    """Runs a command of it. Raises Error with its text if it ends with none of `accept`."""
    done = subprocess.run([path(), *words], capture_output=True, text=True, timeout=timeout,
                          env=environment())
    if done.returncode not in accept:
        raise failure(done.stderr)
    return done


def failure(text: str) -> Error:
    """The Error for a command's output on standard error."""
    first = text.strip().splitlines()[:1] or ["ptosim failed"]
    message, code = first[0], ""
    if message.endswith("]") and "[" in message:
        message, _, code = message[:-1].rpartition(" [")
    if message.startswith("error: "):
        message = message[len("error: "):]
    return Error([Finding(code=code, category="input", message=message, text=text.rstrip("\n"))])


def run(words: List[str]) -> int:
    """The command line: replaces nothing, returns the exit code."""
    return subprocess.call([path(), *words], env=environment())
