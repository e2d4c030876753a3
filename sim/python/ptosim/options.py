"""Options of runs and their allowed values, from the table of the program (`ptosim worker --options`), and errors that
name them."""
from __future__ import annotations

import functools
import json
import math
import operator
import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from . import program
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
FOLDERS = Rule("a list of folders", _paths)

# Of simulate() and of the process of a device: no options of a run.
OF_DEVICES: Dict[str, Rule] = {
    "blocks": integers(0, MOST_BLOCKS), "poison": BOOL, "name": TEXT,
    "timeout": SECONDS, "sandbox": BOOL,
    "memory_mib": integers(0, MOST_MIB, note="; 0: no limit"),
    "limits": Rule("numbers from 0 by " + ", ".join(LIMITS), _limits),
}


def _number_rule(row: Mapping[str, Any]) -> Rule:
    none = row["default"] is None
    note = f" ({row['unit']})" if row["unit"] == "MiB" else \
        f"; 0: {row['otherwise']}" if row["otherwise"] else ", or None" if none else ""
    return integers(row["least"], row["most"], none, note)


def _rule(row: Mapping[str, Any]) -> Rule:
    """The values that a row of the program's table allows."""
    form, none = row["form"], row["default"] is None
    if form == "number":
        return _number_rule(row)
    if form == "words":
        return words(*row["words"], empty=row["otherwise"])
    if form == "chip":
        return of_type(row["allowed"], str, Chip)
    if form == "mapping":
        return of_type(row["allowed"] or "names with values, {name: value}", Mapping, none=none)
    if form == "text":
        return of_type(row["allowed"] or "text", str)
    return {"flag": BOOL, "file": FILE, "folders": FOLDERS}[form]


@functools.lru_cache(maxsize=None)
def _table(_path: str) -> List[Dict[str, Any]]:
    rows: List[Dict[str, Any]] = json.loads(program.call(["worker", "--options"]).stdout)
    return rows


def table() -> List[Dict[str, Any]]:
    """Options of the program by which devices of this process run."""
    return _table(program.path())


@functools.lru_cache(maxsize=None)
def _rules(path: str) -> Dict[str, Rule]:
    return {**{row["name"]: _rule(row) for row in _table(path)}, **OF_DEVICES}


def allowed(name: str, value: Any, rules: Optional[Mapping[str, Rule]] = None, what: str = "") -> Any:
    """Returns the value of an option, as a plain number if it is one. Raises Error (I61) with the name, the value and
    the allowed values."""
    rule = (_rules(program.path()) if rules is None else rules).get(name)
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
        setattr(owner, name, allowed(name, getattr(owner, name)))
