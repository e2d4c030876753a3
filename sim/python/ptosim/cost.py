"""The time of fragments: operations on tiles, without a kernel around them. `ptosim cost` answers, a process a chip."""
from __future__ import annotations

import atexit
import json
import subprocess
import threading
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from . import program
from .chips import Chip, chip_words
from .errors import Error, Finding, InternalError

VERSION = 1  # of requests and answers


@dataclass(frozen=True)
class Cost:
    """Cost of a fragment."""

    cycles: int  #: from the issue of its first instruction until the last one has ended
    time_us: float
    instructions: int
    steady: Optional[float] = None  #: cycles of one repetition among many, if asked for


class _Oracle:
    """One `ptosim cost`. Used by one thread at a time."""

    def __init__(self, words: Tuple[str, ...]):
        command = [program.path(), "cost", "--chip", words[0]]
        for word in words[1:]:
            command += ["--set", word]
        self.lock = threading.Lock()
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, env=program.environment())

    def ask(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            text = process.stderr.read().decode(errors="replace")
            process.wait()
            if process.returncode == 2:
                raise program.failure(text)
            raise InternalError(text or f"ptosim cost ended with {process.returncode}")
        return dict(json.loads(line))

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()
        self._process.wait()


_oracles: Dict[Tuple[str, ...], _Oracle] = {}
_lock = threading.Lock()


@atexit.register
def _close() -> None:
    for oracle in _oracles.values():
        oracle.close()
    _oracles.clear()


def cost(text: str, *, tiles: Optional[Mapping[str, str]] = None,
         arrays: Optional[Mapping[str, str]] = None, values: Optional[Mapping[str, str]] = None,
         core: str = "vector", repeat: int = 1, memory: str = "l2", steady: bool = False,
         chip: Union[str, Chip] = "ascend910b1", set: Optional[Dict[str, Any]] = None) -> Cost:
    """The time of operations of .pto on an otherwise idle core (docs/running.md).

    >>> tile = "!pto.tile_buf<vec, 16x64xf32>"
    >>> cost(f"pto.texp ins(%a : {tile}) outs(%a : {tile})", tiles={"a": "vec, 16x64xf32"}).cycles > 0
    True

    Raises Error with the code, message and line of what is wrong.
    """
    name, overrides = chip_words(chip, set)
    words = (name, *overrides)
    with _lock:
        oracle = _oracles.get(words)
        if oracle is None or oracle.ended:
            oracle = _oracles[words] = _Oracle(words)
    request = {"version": VERSION, "text": text, "tiles": dict(tiles or {}),
               "arrays": dict(arrays or {}), "values": dict(values or {}), "core": core,
               "repeat": repeat, "memory": memory, "steady": steady}
    with oracle.lock:
        answer = oracle.ask(request)
    if "error" in answer:
        found = answer["error"]
        line = f"line {found['line']}: " if "line" in found else ""
        raise Error([Finding(code=found["code"], category="input", message=found["message"],
                             hint=found.get("hint", ""), line=found.get("line", 0),
                             column=found.get("column", 0),
                             text=f"error: {line}{found['message']} [{found['code']}]")])
    return Cost(answer["cycles"], answer["time_us"], answer["instructions"], answer.get("steady"))
