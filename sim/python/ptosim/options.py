"""Allowed values of the options of runs: one table, and errors that name them."""
from __future__ import annotations

import math
import operator
import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Sequence

from .chips import Chip
from .errors import misuse

MOST_BLOCKS = 1 << 20
MOST_OF_ANYTHING = 1 << 62
MOST_MIB = 1 << 40
MOST_SECONDS = 1e9
MOST_SEED = (1 << 64) - 1


@dataclass(frozen=True)
class Rule:
    """`read` gives the value as it goes on, or raises TypeError or ValueError."""

    allowed: str  #: as messages say it
    read: Callable[[Any], Any]
    none: bool = False  #: None stands for the default


def _require(condition: bool, value: Any) -> Any:
    if not condition:
        raise ValueError
    return value


def _number(value: Any) -> Any:
    if isinstance(value, bool) or type(value).__name__ == "bool_" or \
            not hasattr(value, "__float__"):
        raise TypeError
    return _require(math.isfinite(value), value if isinstance(value, int) else float(value))


def _integer(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError
    return operator.index(value)


def integers(least: int, most: int, none: bool = False, note: str = "") -> Rule:
    end = f"2^{most.bit_length() - 1}" if most > 1 << 32 and most & (most - 1) == 0 else \
        "2^64 - 1" if most == MOST_SEED else str(most)
    return Rule(f"a whole number from {least} to {end}{note}",
                lambda v: _require(least <= _integer(v) <= most, _integer(v)), none)


def words(*accepted: str, empty: str = "") -> Rule:
    said = ", ".join(accepted) + (f"; empty: {empty}" if empty else "")
    every = (*accepted, "") if empty else accepted
    return Rule("one of " + said, lambda v: _require(isinstance(v, str) and v in every, v))


def of_type(allowed: str, *types: Any, none: bool = False) -> Rule:
    return Rule(allowed, lambda v: _require(isinstance(v, types), v), none)


def _bool(value: Any) -> bool:
    return bool(_require(type(value).__name__ in ("bool_", "bool"), value))


def _paths(value: Any) -> Any:
    return _require(isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and
                    all(isinstance(path, (str, os.PathLike)) for path in value), value)


def _limits(value: Any) -> Dict[str, int]:
    _require(isinstance(value, Mapping) and set(value) <= set(LIMITS), value)
    read = {key: _integer(limit) for key, limit in value.items()}
    _require(all(0 <= limit <= MOST_MIB for limit in read.values()), value)
    return read


LIMITS = ("cpu_seconds", "file_mib", "open_files")
TEXT = of_type("text", str)
BOOL = Rule("True or False", _bool)
FILE = of_type("the name of a file or folder", str, os.PathLike, none=True)
SECONDS = Rule("a number of seconds above 0, or None",
               lambda v: _require(0 < _number(v) <= MOST_SECONDS, _number(v)), none=True)
COUNT = integers(1, MOST_OF_ANYTHING, none=True, note=", or None")
MAPPING = of_type("names with values, {name: value}", Mapping)

# Options of simulate(), Device(), launch() and Kernel(), and of requests of `ptosim serve`.
OPTIONS: Dict[str, Rule] = {
    "blocks": integers(0, MOST_BLOCKS), "warm": integers(0, 1000), "poison": BOOL,
    # the kernel
    "entry": TEXT, "params": MAPPING, "defines": MAPPING, "name": TEXT,
    "includes": Rule("a list of folders", _paths),
    "cores": words("aic", "aiv", "mix", empty="as the kernel declares"),
    "plan": words("legacy", "modern"), "assembler": words("v0.60", "v0.63"),
    # the run
    "chip": of_type("a chip's name, a chip file, or a Chip", str, Chip),
    "set": of_type("chip parameters with values, {path: value}", Mapping, none=True),
    "mode": words("full", "timing", "functional"),
    "numerics": words("ieee", "a2a3", "a5", "a5-templates", "chip"),
    "sync": words("explicit", "auto", "insert", empty="explicit if the kernel has flags"),
    "check": of_type('text: "all", "none", or names of checkers, "bounds,race"', str),
    "check_memory": integers(1, 1 << 20, note=" (MiB)"),
    "suppress": FILE, "trace": FILE,
    "keep_data": integers(0, 1024, note=" (MiB)"),
    "threads": integers(0, 1024, note="; 0: as many as the host has"),
    "timeout": SECONDS,
    "memory": words("device", "exact"),
    "max_instructions": COUNT, "max_cycles": COUNT,
    "schedules": integers(0, 100_000), "seed": integers(0, MOST_SEED),
    "advice": BOOL, "scope": BOOL, "sandbox": BOOL,
    "memory_mib": integers(0, MOST_MIB, note="; 0: no limit"),
    "limits": Rule("numbers from 0 by " + ", ".join(LIMITS), _limits),
}


def allowed(name: str, value: Any, table: Mapping[str, Rule] = OPTIONS, what: str = "") -> Any:
    """Returns the value of an option, as a plain number if it is one. Raises Error (I61) with the name, the value and
    the allowed values."""
    rule = table.get(name)
    if rule is None or (value is None and rule.none):
        return value
    try:
        return rule.read(value)
    except (TypeError, ValueError, OverflowError):
        given = repr(value)
        given = given if len(given) <= 60 else given[:57] + "..."
        raise misuse(f"{what}{name} is {given}, not {rule.allowed}") from None


def check_fields(owner: Any, names: Sequence[str]) -> None:
    """Attributes of an object, each by its rule."""
    for name in names:
        if name in OPTIONS:
            setattr(owner, name, allowed(name, getattr(owner, name)))
