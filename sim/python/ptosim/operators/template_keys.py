"""Template keys: the arguments of a kernel's template that a tiling key encodes.

A header declares the parameters (ASCENDC_TPL_ARGS_DECL). The tiling packs a value for each, from the lowest bit: types
and formats in 8 bits, truth values in one, numbers as their position in the list of possible values in as many bits as
declared. Selections (ASCENDC_TPL_SEL) list combinations, with kernel types and structures of tiling data.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .types import BY_NUMBER, FORMATS, NUMBERS

_KERNEL_TYPES = {"ASCENDC_TPL_AIV_ONLY": "KERNEL_TYPE_AIV_ONLY", "ASCENDC_TPL_AIC_ONLY": "KERNEL_TYPE_AIC_ONLY",
                 "ASCENDC_TPL_MIX_AIV_1_0": "KERNEL_TYPE_MIX_AIV_1_0",
                 "ASCENDC_TPL_MIX_AIC_1_0": "KERNEL_TYPE_MIX_AIC_1_0",
                 "ASCENDC_TPL_MIX_AIC_1_1": "KERNEL_TYPE_MIX_AIC_1_1",
                 "ASCENDC_TPL_MIX_AIC_1_2": "KERNEL_TYPE_MIX_AIC_1_2"}
_WORDS = {"ASCENDC_TPL_UI_RANGE": 0, "ASCENDC_TPL_UI_LIST": 1, "ASCENDC_TPL_UI_MIX": 2, "ASCENDC_TPL_1_BW": 1,
          "ASCENDC_TPL_2_BW": 2, "ASCENDC_TPL_4_BW": 4, "ASCENDC_TPL_8_BW": 8, "true": 1, "false": 0,
          **NUMBERS, **{"C_" + name: number for name, number in NUMBERS.items()}, **FORMATS}
_CALL = re.compile(r"\bASCENDC_TPL_(\w+)\s*\(")


@dataclass
class Parameter:
    name: str
    kind: str  #: DTYPE, DATATYPE, FORMAT, UINT, BOOL, KERNEL_TYPE
    bits: int
    values: List[int] = field(default_factory=list)


@dataclass
class Chosen:
    """Template arguments that a key selects."""

    arguments: List[str]  #: of the template
    kernel_type: str = ""  #: KERNEL_TYPE_...; empty: not stated
    structure: str = ""  #: of tiling data; empty: not stated


def arguments_of(text: str, opening: int) -> Tuple[List[str], int]:
    """Arguments of a macro's call by commas outside of brackets, and the position after it."""
    depth, begin, found = 0, opening + 1, []
    for at in range(opening, len(text)):
        letter = text[at]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth == 0:
                found.append(text[begin:at].strip())
                return [word for word in found if word], at + 1
        elif letter == "," and depth == 1:
            found.append(text[begin:at].strip())
            begin = at + 1
    return [], len(text)


_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^()]*\))?((?:[^\n\\]|\\.|\\\n)*)$", re.MULTILINE)


def expanded(text: str) -> str:
    """The text with the macros replaced that stand for declarations and selections of parameters."""
    macros: Dict[str, Tuple[Optional[List[str]], str]] = {}
    for name, parameters, body in _DEFINE.findall(text):
        body = body.replace("\\\n", " ")
        names = [word.strip() for word in parameters[1:-1].split(",") if word.strip()] if parameters else None
        macros[name] = (names, body)
    own = {name for name, (_, body) in macros.items() if "ASCENDC_TPL_" in body}
    for _ in range(8):  # of macros by macros
        more = {name for name, (_, body) in macros.items() if name not in own and any(word in own for word in re.findall(r"\w+", body))}
        if not more:
            break
        own |= more
    if not own:
        return text
    words = re.compile(r"\b(" + "|".join(sorted(own)) + r")\b")

    def replaced(part: str, depth: int) -> str:
        made, at = "", 0
        for match in iter(lambda: words.search(part, at), None):
            made += part[at:match.start()]
            names, body = macros[match.group(1)]
            at = match.end()
            if names is not None:
                opening = re.compile(r"\s*\(").match(part, at)
                if not opening:
                    made += match.group(1)
                    continue
                given, at = arguments_of(part, opening.end() - 1)
                for name, value in zip(names, given):
                    body = re.sub(rf"\b{re.escape(name)}\b", lambda _, value=value: value, body)
            made += replaced(body, depth - 1) if depth else body
        return made + part[at:]
    return replaced(_DEFINE.sub("", text), 8) + "\n" + text


def _calls(text: str) -> List[Tuple[str, List[str]]]:
    calls, at = [], 0
    while True:
        match = _CALL.search(text, at)
        if not match:
            return calls
        words, at = arguments_of(text, match.end() - 1)
        calls.append((match.group(1), words))


def _numbers(kind: str, words: Sequence[int]) -> List[int]:
    """The possible values of a number: a list, ranges, or both."""
    if kind != "UINT" or not words:
        return list(words)
    if words[0] == 1:
        return list(words[1:])
    count, values = words[1], []
    for i in range(count):
        values += range(words[2 + 2 * i], words[3 + 2 * i] + 1)
    return values + list(words[2 + 2 * count:]) if words[0] == 2 else values


def declared(text: str, value: Callable[[str], Optional[int]]) -> List[Parameter]:
    """Parameters of the first declaration in a text without comments. `value` gives the numbers of other names."""
    for name, words in _calls(text):
        if name == "ARGS_DECL" and "ASCENDC_TPL_" in ",".join(words[1:]):
            found = []
            for kind, arguments in _calls(",".join(words[1:])):
                kind = kind[:-len("_DECL")] if kind.endswith("_DECL") else kind
                numbers = [_number(word, value) for word in arguments[1:]]
                bits = numbers.pop(0) if kind == "UINT" else 1 if kind == "BOOL" else 8
                found.append(Parameter(arguments[0], kind, bits, _numbers(kind, numbers)))
            return found
    return []


def _number(word: str, value: Callable[[str], Optional[int]]) -> int:
    if word in _WORDS:
        return _WORDS[word]
    try:
        return int(word.rstrip("uUlL"), 0)
    except ValueError:
        found = value(word)
        return found if found is not None else -1


def decode(text: str, key: int, value: Callable[[str], Optional[int]]) -> Optional[Chosen]:
    """The template's arguments for a key; None if the text declares no parameters."""
    parameters = declared(text, value)
    if not parameters:
        return None
    arguments: List[str] = []
    given: Dict[str, int] = {}
    for parameter in parameters:
        number = key & ((1 << parameter.bits) - 1)
        key >>= parameter.bits
        if parameter.kind == "UINT":
            number = parameter.values[number] if number < len(parameter.values) else number
        given[parameter.name] = number
        if parameter.kind == "KERNEL_TYPE":
            continue
        if parameter.kind == "DATATYPE":
            arguments.append(BY_NUMBER[number].kernel if number in BY_NUMBER else "void")
        else:
            arguments.append(str(number) if parameter.kind != "BOOL" else "true" if number else "false")
    chosen = Chosen(arguments)
    for name, words in _calls(text):
        if name == "SEL":
            for _, combination in _calls(",".join(words)):
                _select(chosen, given, combination, value)
    return chosen


def _select(chosen: Chosen, given: Dict[str, int], words: Sequence[str],
            value: Callable[[str], Optional[int]]) -> None:
    """Takes the kernel type and the structure of a combination that contains the values."""
    kernel_type = structure = ""
    for kind, arguments in _calls(",".join(words)):
        if kind in ("KERNEL_TYPE_SEL", "SHARED_KERNEL_TYPE_SEL"):
            kernel_type = _KERNEL_TYPES.get(arguments[-1], "")
        elif kind == "TILING_STRUCT_SEL":
            structure = arguments[-1]
        elif kind.endswith("_SEL") and arguments and arguments[0] in given:
            numbers = _numbers(kind[:-len("_SEL")], [_number(word, value) for word in arguments[1:]])
            if numbers and -1 not in numbers and given[arguments[0]] not in numbers:
                return
    chosen.kernel_type = chosen.kernel_type or kernel_type
    chosen.structure = chosen.structure or structure
