"""The available chips, their parameters, and instructions."""
from __future__ import annotations

import functools
import json
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import program


class Chip:
    """A chip and its parameters. Immutable: set() returns another one.

    >>> Chip.load("ascend910b1").set("aiv.ub.bytes", "256KiB").clusters
    24
    """

    def __init__(self, file: str, overrides: Sequence[str] = ()):
        self.file = file
        self.overrides: Tuple[str, ...] = tuple(overrides)
        self.facts = _describe(program.path(), file, self.overrides)

    @classmethod
    def load(cls, name_or_file: str = "ascend910b1") -> "Chip":
        """A name of chips(), or a chip file. Raises Error (I20, I22)."""
        return cls(name_or_file)

    def set(self, path: str, value: Any) -> "Chip":
        """Returns a chip with another value of one parameter: set("aiv.ub.bytes", "256KiB"). Raises Error (I21) if the
        parameter does not exist, or a chip cannot have this value."""
        return Chip(self.file, (*self.overrides, f"{path}={value}"))

    @property
    def name(self) -> str:
        return str(self.facts.get("name", self.file))

    @property
    def parameters(self) -> Dict[str, Any]:
        """By path: value with unit, grade, source, description."""
        return dict(self.facts["parameters"])

    def __getitem__(self, path: str) -> str:
        """The value of a parameter, with its unit: "192 KiB"."""
        return str(self.facts["parameters"][path]["value"])

    @property
    def clusters(self) -> int:
        """Each of one AIC and its AIVs."""
        return int(self["clusters"])

    def __repr__(self) -> str:
        return f"Chip({self.name!r}{''.join(', ' + word for word in self.overrides)})"


def chip_words(chip: Union[str, Chip], overrides: Optional[Dict[str, Any]]) -> Tuple[str,
                                                                                    List[str]]:
    """For a worker: the chip's name or file, and PATH=VALUE words."""
    words = [f"{path}={value}" for path, value in (overrides or {}).items()]
    if isinstance(chip, Chip):
        return chip.file, [*chip.overrides, *words]
    return str(chip), words


@functools.lru_cache(maxsize=64)
def _describe(path: str, file: str, overrides: Tuple[str, ...]) -> Dict[str, Any]:
    command = ["chips", file, "--json", "-"]
    for word in overrides:
        command += ["--set", word]
    return dict(json.loads(program.call(command).stdout))


def chips() -> List[str]:
    """The names of the chips that there are."""
    return [line.split()[0] for line in program.call(["chips"]).stdout.splitlines() if line]


class Operation(Dict[str, Any]):
    """An instruction or another operation, as `ptosim isa NAME --json` tells it; str() is the
    page for people."""

    def __init__(self, name: str):
        super().__init__(json.loads(program.call(["isa", name, "--json", "-"]).stdout))
        self._name = name

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self:
            raise AttributeError(key)
        return self[key]

    def __str__(self) -> str:
        return program.call(["isa", self._name]).stdout


@functools.lru_cache(maxsize=None)
def isa(name: str) -> Operation:
    """An instruction or operation: "TADD", "pto.tadd", "alloc_tile". Raises Error if there is
    none of that name; its text names the nearest one."""
    return Operation(name)
