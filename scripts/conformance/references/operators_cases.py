"""Inputs of operators, from the files of their folders: unit tests of tilings, examples of aclnn calls and of graphs,
definitions.

An operator's definition (rows with name, kind, dtypes) gives the order. Calls of an example name their arguments
otherwise than the definition: equal names are taken first, the other tensors in order.
"""
import dataclasses
import math
import re

from ptosim.operators.template_keys import arguments_of
from ptosim.operators.types import BY_NUMBER, NUMBERS
from references import operators_graphs

OPTIONAL, REQUIRED, DYNAMIC = 1, 2, 3
_SMALLEST = {"bool": "false", "str": "", "string": "", "float": "1.0"}  # of attributes by their types; others: 1
TENSOR = re.compile(r"\{\s*\{\s*\{([\d,\s]*)\}\s*,\s*\{[\d,\s]*\}\s*\}\s*,\s*(?:ge::)?(DT_\w+)"
                    r"(?:\s*,\s*(?:ge::)?FORMAT_\w+\s*,\s*true\s*,\s*&?(\w+)(?:\.data\(\))?\s*\})?")
ATTRIBUTE = re.compile(r'(?:\{|OpAttr\()\s*"(\w+)"\s*,\s*[\w:]*AnyValue::CreateFrom<([^()]*?)>\(\s*(.*?)\s*\)\s*[})]', re.DOTALL)
CREATED = re.compile(r"\bCreateAclTensor\w*(?:<[\w:]+>)?\s*\(")
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")


@dataclasses.dataclass
class Given:
    """A tensor of a case; its type is empty if nothing states it, its values are None if they are free."""
    shape: tuple
    dtype: str = ""
    values: list = None


@dataclasses.dataclass
class Case:
    origin: str
    inputs: dict  # lists of Given by name
    outputs: dict  # lists of shapes by name
    attributes: dict  # texts by name

    def elements(self):
        return (sum(math.prod(one.shape) for tensors in self.inputs.values() for one in tensors) +
                sum(math.prod(shape) for shapes in self.outputs.values() for shape in shapes))


def shape_of(text):
    return tuple(int(part) for part in re.findall(r"\d+", text))


def value_of(kind, text):
    """An attribute's value as `ptosim op` takes it; None if it is no literal."""
    if "string" in kind or "char" in kind:
        found = re.search(r'"([^"]*)"', text)
        return found.group(1) if found else None
    if text in ("true", "false"):
        return text
    numbers = NUMBER.findall(text)
    if "vector" in kind:
        words = re.findall(r"true|false", text) if "bool" in kind else numbers
        return ",".join(words)
    return numbers[0] if numbers and re.fullmatch(r"[-\d.eE+fFlLuU]*", text) else None


def constant(text, name):
    """Values of an array or a number that a test gives to the tiling, nearest before its use."""
    found = re.findall(rf"\b{name}(?:\[\d*\])?\s*=?\s*\{{([-\d,\s]*)\}}", text) if name else []
    found = found or re.findall(rf"\b{name}\s*=\s*(-?\d+)[uUlL]*\s*;", text) if name else []
    return [int(value) for value in found[-1].replace("\n", " ").split(",") if value.strip()] if found else None


# --- Unit tests of tilings


def by_position(tensors, counts, rows):
    """Tensors in the order of the definition by name. `counts`: instances of each parameter, if the test states them."""
    found = {}
    counts = counts if len(counts) == len(rows) else []
    if not counts and sum(row["kind"] == DYNAMIC for row in rows) == 1 and len(tensors) > len(rows):
        counts = [len(tensors) - len(rows) + 1 if row["kind"] == DYNAMIC else 1 for row in rows]
    left = list(tensors)
    for at, row in enumerate(rows):
        count = counts[at] if counts else 1
        taken, left = left[:count], left[count:]
        taken = [one for one in taken if one is not None]
        if taken:
            found[row["name"]] = taken
    return found


def tiling_tests(folder, definition, arch35):
    """Cases of the tests of a tiling that are to succeed."""
    found = []
    for path in sorted((folder / "tests").rglob("*tiling*.cpp")):
        if ("arch35" in str(path)) != arch35:
            continue
        text = path.read_text(errors="replace")
        for match in re.finditer(r"TilingContextPara\s+\w+\s*\(", text):
            words, end = arguments_of(text, match.end() - 1)
            if len(words) < 3 or "GRAPH_FAILED" in text[end:end + 600].split("TEST_F")[0]:
                continue
            inputs = [Given(shape_of(shape), kind, constant(text[:match.start()], values))
                      for shape, kind, values in TENSOR.findall(words[1])]
            outputs = [shape_of(shape) for shape, _, _ in TENSOR.findall(words[2])]
            numbers = [shape_of(word) for word in words[3:] if re.fullmatch(r"\{[\d,\s]*\}", word)]
            attributes = {name: value_of(kind, value) for name, kind, value in ATTRIBUTE.findall(" ".join(words[3:]))}
            counts = next((row for row in numbers if sum(row) == len(inputs)), ())
            found.append(Case(path.name, by_position(inputs, counts, definition["inputs"]),
                              by_position(outputs, (), definition["outputs"]), attributes))
        found += [case for test in re.split(r"\bTEST_F\s*\(", text)[1:] for case in faked(test, path.name, definition)]
    return found


def faked(test, origin, definition):
    """The case of a test that fills a context itself."""
    if "InputShapes" not in test or "GRAPH_FAILED" in test:
        return
    shapes = {name: shape_of(shape) for name, shape in
              re.findall(r"StorageShape\s+(\w+)\s*=\s*\{\s*\{([\d,\s]*)\}", test)}
    names = re.search(r"InputShapes\(\s*\{(.*?)\}\s*\)", test, re.DOTALL)
    types = dict(re.findall(r"NodeInputTd\(\s*(\d+)\s*,\s*(?:ge::)?(DT_\w+)", test))
    counts = re.search(r"IrInstanceNum\(\s*\{([\d,\s]*)\}", test)
    listed = [name.strip().lstrip("&") for name in names.group(1).split(",")] if names else []
    inputs = [Given(shapes[name], types.get(str(at), "")) if name in shapes else None for at, name in enumerate(listed)]
    listed = re.search(r"OutputShapes\(\s*\{(.*?)\}\s*\)", test, re.DOTALL)
    outputs = [shapes[name.strip().lstrip("&")] for name in listed.group(1).split(",")
               if name.strip().lstrip("&") in shapes] if listed else []
    if inputs:
        yield Case(origin, by_position(inputs, shape_of(counts.group(1)) if counts else (), definition["inputs"]),
                   by_position(outputs, (), definition["outputs"]),
                   {name: value_of(kind, value) for name, kind, value in ATTRIBUTE.findall(test)})


# --- Examples of aclnn calls


def plain(name):
    """A name in the form that both interfaces share."""
    return re.sub(r"(optional|tensorlist|tensor|list|ref|_)", "", name.lower())


def evaluated(body, known):
    """The body of an array with the values of constants instead of their names, as far as they are known."""
    words = []
    for word in body.split(","):
        plain_word = re.sub(r"\b[A-Za-z_]\w*\b", lambda match: str(known.get(match.group(0), match.group(0))), word)
        if re.fullmatch(r"[\d\s*+/()-]*[*+/-][\d\s*+/()-]*", plain_word) and not NUMBER.fullmatch(plain_word.strip()):
            try:
                plain_word = str(eval(plain_word.replace("/", "//"), {"__builtins__": {}}))  # pylint: disable=eval-used
            except (SyntaxError, ArithmeticError):
                pass
        words.append(plain_word)
    return ",".join(words)


def example_variables(text):
    """Tensors, lists, arrays and numbers of an example, by their names."""
    arrays = {name: body for name, body in
              re.findall(r"std::vector<[^;=]*?>\s+(\w+)\s*=?\s*\{([^{};]*)\}", text)}
    filled = {name: (count, value) for name, count, value in
              re.findall(r"std::vector<[^;=]*?>\s+(\w+)\(\s*([^,()]*(?:\([^()]*\))?[^,()]*)\s*(?:,\s*([^,()]*))?\)", text)}
    found = {}
    for name, value in re.findall(r"\b(?:u?int\d*(?:_t)?|bool|float|double|size_t|auto)\s+(\w+)\s*=\s*([^;,{}]+);", text):
        if re.fullmatch(r"[-\w.+]+", value.strip()) and (value.strip() in ("true", "false") or NUMBER.match(value.strip())):
            found[name] = value.strip().rstrip("fFlLuU") if value.strip() not in ("true", "false") else value.strip()
    found.update(re.findall(r'\b(?:char\s*\*|std::string|string)\s*(\w+)(?:\[\])?\s*=\s*"([^"]*)"', text))
    arrays = {name: evaluated(body, found) for name, body in arrays.items()}
    for call in CREATED.finditer(text):
        words = [word.lstrip("&*") for word in arguments_of(text, call.end() - 1)[0]]
        shape = next((word for word in words[:2] if word in arrays and "Data" not in word), None)
        kind = next((word.split("::")[-1] for word in words if "ACL_" in word and "FORMAT" not in word), None)
        if shape is None or kind is None or re.search(r"[A-Za-z]", arrays[shape]):
            continue
        extents = shape_of(arrays[shape])
        host = words[0] if words[0] != shape else ""
        values = [float(value) for value in NUMBER.findall(arrays[host])] if host in arrays else None
        if values is not None and len(values) != math.prod(extents):
            values = None
        if values is None and host in filled and NUMBER.fullmatch(filled[host][1].strip().rstrip("fF") or "0"):
            values = [float(filled[host][1].strip().rstrip("fF") or 0)] * math.prod(extents)
        kind = {"FLOAT32": "FLOAT", "FLOAT8_E4M3": "FLOAT8_E4M3FN"}.get(kind[4:], kind[4:])
        found[words[-1].split(".")[0]] = Given(extents, "DT_" + kind, values)
        names = [word for word in words[2:] if re.fullmatch(r"\w+", word) and "ACL_" not in word and "Addr" not in word]
        if names:
            found[names[-1]] = Given(extents, "DT_" + kind, values)
    lists = {name: [word.strip() for word in body.split(",")] for name, body in
             re.findall(r"std::vector<(?:const\s+)?aclTensor\s*\*>\s+(\w+)\s*=?\s*\{([^{};]*)\}", text)}
    for name, of in re.findall(r"(\w+)\s*=\s*aclCreateTensorList\(\s*(\w+)", text):
        if of in lists and all(isinstance(found.get(one), Given) for one in lists[of]):
            found[name] = [found[one] for one in lists[of]]
    for name, of in re.findall(r"(\w+)\s*=\s*aclCreate(?:Int|Float|Bool)Array\(\s*(\w+)", text):
        if of in arrays:
            found[name] = "[" + ",".join(re.findall(r"true|false|" + NUMBER.pattern, arrays[of])) + "]"
    for name, of in re.findall(r"(\w+)\s*=\s*aclCreateScalar\(\s*&(\w+)", text):
        if isinstance(found.get(of), str):
            found[name] = found[of]
    return found


def examples(folder, definition):
    """Cases of the examples of aclnn calls."""
    found = []
    for path in sorted((folder / "examples").rglob("test_acl*.cpp")):
        text = re.sub(r"//[^\n]*", "", path.read_text(errors="replace"))
        call = re.search(r"\bacl\w+GetWorkspaceSize\s*\(", text)
        if not call:
            continue
        variables = example_variables(text)
        words = [word.strip() for word in arguments_of(text, call.end() - 1)[0]][:-2]
        values = []
        for word in words:
            word = re.sub(r"^\((?:const\s+)?\w+\s*\*?\)|\.data\(\)$|\.get\(\)$", "", word)
            if re.fullmatch(r"(?:aclDataType::)?ACL_\w+", word):
                word = str(NUMBERS.get("DT_" + word.split("ACL_")[1], 0))
            literal = word in ("true", "false") or re.fullmatch(r'-?[\d.]+(?:[eE][+-]?\d+)?[fFlLuU]*|"[^"]*"', word)
            values.append((word, word.strip('"').rstrip("fFlLuU") if literal and word not in ("true", "false") else
                           word if literal else variables.get(word)))
        made = of_call(path.name, values, definition)
        if made:
            found.append(made)
    return found


def fits(tensors, row):
    """True if an input may have the types of the tensors."""
    kinds = {BY_NUMBER[number].name for number in row["dtypes"] if number in BY_NUMBER}
    return not kinds or all(not one.dtype or one.dtype in kinds for one in tensors)


def of_call(origin, values, definition):
    """The case of a call with pairs of name and value; the last tensors are the outputs."""
    tensors = [(name, value if isinstance(value, list) else [value]) for name, value in values
               if isinstance(value, (Given, list)) and value]
    rows, outputs = definition["inputs"], definition["outputs"]
    case = Case(origin, {}, {}, {})
    taken = set()

    def take(row, at):
        case.inputs[row["name"]] = tensors[at][1]
        taken.add(at)

    for row in rows:
        for at, (name, value) in enumerate(tensors):
            if at not in taken and plain(name) == plain(row["name"]) and fits(value, row):
                take(row, at)
                break
    for row in outputs:
        for at, (name, value) in enumerate(tensors):
            if at not in taken and plain(name) == plain(row["name"]):
                taken.add(at)
                case.outputs[row["name"]] = [one.shape for one in value]
                break
    new = [row for row in outputs if row["name"] not in case.outputs and row["name"] not in [one["name"] for one in rows]]
    free = [at for at in range(len(tensors)) if at not in taken]
    for row, at in zip(reversed(new), reversed(free[-len(new):] if new else [])):
        needed = sum(one["kind"] == REQUIRED and one["name"] not in case.inputs for one in rows)
        if len(free) > needed:
            free.remove(at)
            case.outputs[row["name"]] = [one.shape for one in tensors[at][1]]
    for row in rows:
        at = next((at for at in free if fits(tensors[at][1], row)), None)
        if row["name"] not in case.inputs and row["kind"] != OPTIONAL and at is not None:
            take(row, at)
            free.remove(at)
    texts = [(name, value) for name, value in values if isinstance(value, str)]
    for row in rows:  # numbers that the definition takes as tensors
        if row["name"] not in case.inputs and row["kind"] != OPTIONAL:
            for name, value in texts:
                if plain(name).replace("value", "") == plain(row["name"]) and NUMBER.search(value):
                    numbers = [float(word) for word in NUMBER.findall(value)]
                    case.inputs[row["name"]] = [Given((len(numbers),), "", numbers)]
    left = list(texts)
    for row in definition["attrs"]:
        same = next((pair for pair in left if plain(pair[0]).replace("value", "") == plain(row["name"])), None)
        if same:
            case.attributes[row["name"]] = same[1].strip("[]")
            left.remove(same)
    for row in definition["attrs"]:
        if row["required"] and row["name"] not in case.attributes:
            at = next((pair for pair in left if suits(pair[1], row["type"])), None)
            if at:
                case.attributes[row["name"]] = at[1].strip("[]")
                left.remove(at)
    return case if case.inputs else None


def suits(value, kind):
    kind = kind.lower()
    if "list" in kind:
        return value.startswith("[")
    if kind in ("str", "string"):
        return not NUMBER.fullmatch(value) and value not in ("true", "false") and not value.startswith("[")
    if kind == "bool":
        return value in ("true", "false")
    return bool(NUMBER.fullmatch(value))


# --- Definitions


# Inputs by their names: those of optimisers, and other numbers; vectors with an element for each channel.
_NUMBER_INPUTS = re.compile(r"(lr|rho|alpha|momentum|epsilon|beta[12]?(_power)?|l1|l2|lr_power|value|values|constant_values?|threshold|"
                            r"step|decay|min|max|found_inf|inv_scale)$")
_COUNT_INPUTS = re.compile(r"(num_segments|output_dim\w*|depth|num)$")
_CHANNEL_INPUTS = re.compile(r"(weight|gamma|bias|scale|offset|(running|save|batch)_\w+|mean|var|variance|rstd|invstd)$")
_COUNT_ATTRIBUTES = re.compile(r"(tiles|k|depth|num_groups|group_num)$")


def by_role(name, shape):
    """The tensor that an input with a telling name has beside one of a shape; None for other names."""
    rank = len(shape)
    if re.search(r"pad(ding)?s?$", name):
        return Given((rank, 2), "", [1] * 2 * rank)
    if re.search(r"perm(utation)?$", name):
        return Given((rank,), "", list(range(rank))[::-1])
    if re.search(r"ax[ei]s|dims?$", name):
        return Given((1,), "", [rank - 1])
    if re.search(r"shape$|^size$|^end$|^stop$", name):
        return Given((rank,), "", list(shape))
    if re.search(r"^(begin|start|offsets)$", name):
        return Given((rank,), "", [0] * rank)
    if re.search(r"^(strides|steps)$", name):
        return Given((rank,), "", [1] * rank)
    if re.search(r"segment_ids$", name):
        return Given(shape[:1], "", [at // 2 for at in range(shape[0])])
    if re.search(r"ind(ex|ices)$|_ids$", name):
        return Given(shape[:1])
    if _COUNT_INPUTS.match(name):
        return Given((1,), "", [shape[0]])
    if _NUMBER_INPUTS.match(name):
        return Given((1,), "", [0.5])
    if _CHANNEL_INPUTS.search(name):
        return Given((shape[1] if rank > 2 else shape[-1],))
    return None


def graphs(folder, definition):
    """Cases of the examples that build a graph. Constants whose values are not stated have those of their role."""
    rows = {row["name"]: row for row in definition["inputs"]}
    found = []
    for path in sorted((folder / "examples").rglob("test_geir*.cpp")):
        example = operators_graphs.read(path.read_text(errors="replace"), rows)
        if any(row["kind"] != OPTIONAL and name in example.unknown for name, row in rows.items()):
            continue
        inputs = {}
        for name, shape, kind, values in example.inputs:
            role = by_role(name.lower(), next(iter(inputs.values()))[0].shape) if inputs and values is None else None
            values = role.values if role and role.shape == shape else values
            if name not in inputs or rows[name]["kind"] == DYNAMIC:
                inputs.setdefault(name, []).append(Given(shape, kind, values))
        if inputs:
            found.append(Case(path.name, inputs, {}, example.attributes))
    return found


def guesses(definition):
    """One shape for all required inputs, and the same with the shapes that names tell; attributes have their smallest sensible
    values."""
    attributes = {row["name"]: _SMALLEST.get(row["type"].lower(), "1") for row in definition["attrs"] if row["required"]}
    attributes.update({row["name"]: "2" for row in definition["attrs"]
                       if _COUNT_ATTRIBUTES.match(row["name"]) and row["type"].lower() == "int"})
    needed = [row["name"] for row in definition["inputs"] if row["kind"] != OPTIONAL]
    lists = {row["name"] for row in definition["inputs"] if row["kind"] == DYNAMIC}
    switches = [row["name"] for row in definition["attrs"] if row["type"].lower() == "bool"]
    found = []
    for shape in ((32, 256), (4, 8, 128), (2, 4, 16, 64), (256,), (1, 2, 4, 16, 64)):
        told = {name: by_role(name.lower(), shape) for name in needed[1:]}
        if any(told.values()):
            found.append(Case("definition", {name: [told.get(name) or Given(shape)] for name in needed}, {}, dict(attributes)))
        inputs = {name: [Given(shape)] * (1 + (name in lists)) for name in needed}
        inputs = {name: given for name, given in inputs.items() if not re.search(r"ax[ei]s|dims?$", name)} or inputs
        found.append(completed(Case("definition", inputs, {}, dict(attributes)), definition))
    yield from found
    if switches:  # some operators of a chip support one value only, and not the usual one
        yield from (dataclasses.replace(case, attributes={**case.attributes, **dict.fromkeys(switches, "true")}) for case in found)


def with_attributes(case, definition):
    """The case with the attributes of the definition: required ones get values, unknown ones are dropped."""
    known = {row["name"]: row for row in definition["attrs"]}
    attributes = {name: value for name, value in case.attributes.items() if name in known and value is not None}
    for name, row in known.items():
        if row["required"] and name not in attributes:
            attributes[name] = _SMALLEST.get(row["type"].lower(), "1")
    inputs = dict(case.inputs)
    if re.fullmatch(r"\d+", attributes.get("N", "")):  # the length of lists, of which a test states one tensor
        for row in definition["inputs"]:
            if row["kind"] == DYNAMIC and len(inputs.get(row["name"], ())) == 1:
                inputs[row["name"]] = inputs[row["name"]] * int(attributes["N"])
    return dataclasses.replace(case, inputs=inputs, attributes=attributes)


def completed(case, definition):
    """The case with required inputs that its test does not state: an axis is the last one, others are shaped like the first."""
    if not case.inputs:
        return case
    first = next(iter(case.inputs.values()))[0]
    inputs = dict(case.inputs)
    for row in definition["inputs"]:
        if row["kind"] == REQUIRED and row["name"] not in inputs:
            axis = re.search(r"ax[ei]s|dims?$", row["name"])
            inputs[row["name"]] = [Given((1,), "", [len(first.shape) - 1]) if axis else Given(first.shape)]
    return dataclasses.replace(case, inputs=inputs)


def smaller(case, most):
    """The case with extents halved together until it has at most `most` elements; None if they cannot be halved."""
    for _ in range(16):
        if case.elements() <= most:
            return case
        largest = max((extent for tensors in case.inputs.values() for one in tensors for extent in one.shape), default=1)
        if largest % 2 or largest < 64:
            return None

        def halved(shape, largest=largest):
            return tuple(extent // 2 if extent == largest else extent for extent in shape)
        case = dataclasses.replace(
            case, inputs={name: [dataclasses.replace(one, shape=halved(one.shape), values=one.values if one.shape ==
                                                     halved(one.shape) else None) for one in tensors]
                          for name, tensors in case.inputs.items()},
            outputs={name: [halved(shape) for shape in shapes] for name, shapes in case.outputs.items()})
    return None


def cases(folder, definition, arch35, most):
    """Cases that are worth their time, the likeliest first: of tests by size, of examples, guesses."""
    tests = tiling_tests(folder, definition, arch35)
    tests += examples(folder, definition)
    tests += graphs(folder, definition)
    if not any(case for case in tests if case.inputs):
        tests += tiling_tests(folder, definition, not arch35)
    found = []
    for case in tests:
        if not case.inputs or any(min(one.shape, default=1) < 1 for tensors in case.inputs.values() for one in tensors):
            continue
        made = smaller(case, most)
        if made:
            found.append(completed(with_attributes(made, definition), definition))
    found.sort(key=lambda case: case.elements())
    return found + list(guesses(definition))


def number_of(given, row, column):
    """ge::DataType of a tensor: as the case or the definition's column states it."""
    if given.dtype in NUMBERS:
        return NUMBERS[given.dtype]
    return row["dtypes"][min(column, len(row["dtypes"]) - 1)]
