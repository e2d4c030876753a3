"""Examples of operators that build a graph: calls of macros as ADD_INPUT(...), whose parameters tell what each argument is,
and set_attr_NAME(...)."""
import dataclasses
import math
import re

from ptosim.operators.template_keys import arguments_of
from ptosim.operators.types import NUMBERS

NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(ADD_\w+)\(([^)]*)\)", re.MULTILINE)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MOST_VALUES = 64  # of an input that has one value everywhere; larger ones are data


@dataclasses.dataclass
class Example:
    inputs: list  # of name, shape, type ("" if it is unknown) and values (None)
    unknown: set  # inputs whose shape is not a list of numbers
    attributes: dict  # texts by name; None if the value is unknown


class _Constants:
    """Lists, numbers, types and texts of an example by their names."""

    def __init__(self, text):
        self._lists = dict(re.findall(r"\bvector<[^;=<>]*>\s+(\w+)\s*=?\s*\{([^{};]*)\}", text))
        self._nested = {name: re.findall(r"\{([^{}]*)\}", body) for name, body in re.findall(
            r"\bvector<\s*(?:std::)?vector<[^;=]*?>\s*>\s+(\w+)\s*=?\s*\{((?:\s*\{[^{}]*\}\s*,?)+)\}", text)}
        self._numbers = dict(re.findall(
            r"\b(?:u?int\d*(?:_t)?|bool|float|double|size_t|auto)\s+(\w+)\s*=\s*([-\w.+]+)\s*;", text))
        self._types = dict(re.findall(r"\bDataType\s+(\w+)\s*=\s*(?:ge::)?(DT_\w+)", text))
        self._texts = dict(re.findall(r'(?:string|char\s*\*|AscendString)\s+(\w+)\s*(?:=|\()\s*"([^"]*)"', text))

    def numbers(self, word):
        """The numbers of a list; None if one of them is unknown."""
        element = re.fullmatch(r"(\w+)\[(\d+)\]", word)
        if word.endswith("}"):
            body = word[word.index("{") + 1:-1]
        elif element and int(element.group(2)) < len(self._nested.get(element.group(1), ())):
            body = self._nested[element.group(1)][int(element.group(2))]
        elif word in self._lists:
            body = self._lists[word]
        else:
            return None
        found = [self.scalar(part.strip()) for part in body.split(",") if part.strip()]
        found = [{"true": "1", "false": "0"}.get(one, one) for one in found]
        return [float(one) for one in found] if all(one and NUMBER.fullmatch(one) for one in found) else None

    def scalar(self, word):
        """A number or truth value as text; None if it is unknown."""
        word = self._numbers.get(word, word)
        if word in ("true", "false"):
            return word
        plain = word.rstrip("fFlLuU")
        return plain if NUMBER.fullmatch(plain) else None

    def type(self, word):
        word = word.split("::")[-1]
        word = self._types.get(word, word)
        return word if word in NUMBERS else ""

    def attribute(self, word):
        """The text of an attribute; None if it is unknown."""
        if word.startswith('"'):
            return word.strip('"')
        if word in self._texts:
            return self._texts[word]
        listed = self.numbers(word)
        if listed is None:
            return self.scalar(word)
        return ",".join(str(int(one)) if one == int(one) else str(one) for one in listed)

    def values(self, word, shape):
        """Numbers of an input: a list of them, or one for all elements; None if they are unknown."""
        count, listed = math.prod(shape), self.numbers(word)
        if listed is not None:
            return listed if len(listed) == count else None
        one = self.scalar(word)
        return [float(one)] * count if one and NUMBER.fullmatch(one) and count <= _MOST_VALUES else None


def _calls(text, name):
    for match in re.finditer(rf"\b{name}\s*\(", text):
        yield arguments_of(text, match.end() - 1)[0]


def _place(parameters, *words):
    """The position of the first parameter whose name contains one of the words."""
    return next((at for at, name in enumerate(parameters) if any(word in name.lower() for word in words)), None)


def read(text, names):
    """The example in a text, as far as its inputs are among `names`."""
    text = _COMMENT.sub("", text)
    macros = {name: [word.strip() for word in words.split(",")] for name, words in _MACRO.findall(text)}
    body = _DEFINE.sub("", text)
    constants = _Constants(body)
    found = Example([], set(), {})
    for macro, parameters in macros.items():
        name_at, shape_at = _place(parameters, "name"), _place(parameters, "shape")
        if "INPUT" not in macro or name_at is None or shape_at is None:
            continue
        type_at, values_at = _place(parameters, "dtype"), _place(parameters, "val", "data")
        for words in _calls(body, macro):
            name = words[name_at].strip('"') if len(words) == len(parameters) else ""
            if name not in names:
                continue
            shape = constants.numbers(words[shape_at])
            if shape is None:
                found.unknown.add(name)
                continue
            shape = tuple(map(int, shape))
            values = constants.values(words[values_at], shape) if values_at not in (None, name_at) else None
            found.inputs.append((name, shape, constants.type(words[type_at]) if type_at is not None else "", values))
    for match in re.finditer(r"\bset_attr_(\w+)\s*\(", body):
        if match.group(1) != "index":  # of an input's node
            found.attributes[match.group(1)] = constants.attribute(",".join(arguments_of(body, match.end() - 1)[0]))
    for macro in ("ADD_INPUT_ATTR", "ADD_ATTR"):
        for words in _calls(body, macro):
            if len(words) >= 2:
                found.attributes[words[-2].strip('"')] = constants.attribute(words[-1])
    return found
