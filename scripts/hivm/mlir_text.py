"""Statements of a module in MLIR's custom syntax, as far as kernels of the HIVM dialect use it after hivm-inject-sync."""
import re

OPERATION = re.compile(r"\s*((?:%[\w#]+(?::\d+)?\s*,\s*)*%[\w#]+(?::\d+)?\s*=\s*)?([a-z_]+\.[\w.]+|return)\b")
CHECK = re.compile(r"\s*//\s*CHECK(?:-NEXT|-SAME|-DAG)?:\s*(hivm\.hir\.(?:set_flag|wait_flag|pipe_barrier)\[.*\])\s*$")


class Refused(Exception):
    """Text that the translation does not cover: its line and the reason."""

    def __init__(self, line, reason):
        super().__init__(f"line {line}: {reason}")
        self.line = line


class Statement:
    """An operation: names of its results, its name, the text after it, its regions as lists of statements."""

    def __init__(self, line, results, name, text):
        self.line, self.results, self.name, self.text = line, results, name, text
        self.regions = []

    def refuse(self, reason):
        raise Refused(self.line, f"{self.name}: {reason}")


def modules(text):
    """The parts of a file of tests (`// -----` separates them) as (first line, text)."""
    line = 1
    for part in re.split(r"^// -----.*$", text, flags=re.M):
        yield line, part
        line += part.count("\n")


def statements(text, first_line=1, with_checks=False):
    """The functions of a module as statements. with_checks: synchronisation that a test expects in CHECK lines counts
    as part of the text."""
    joined = []  # (line, text) of an operation or a brace
    for number, line in enumerate(text.splitlines(), first_line):
        check = CHECK.match(line)
        if check and with_checks:
            line = check.group(1)
        line = re.sub(r"//.*", "", line).strip()
        if not line:
            continue
        starts = OPERATION.match(line) or line[0] == "}" or line.startswith("module")
        if starts or not joined:
            joined.append([number, line])
        else:
            joined[-1][1] += " " + line
    root, stack = [], []
    current = root
    for number, line in joined:
        while line.startswith("}"):
            line = line[1:].strip()
            if not stack:
                break
            owner, current = stack.pop()
            if line.startswith("else"):
                line = line[4:].strip().lstrip("{").strip()
                stack.append((owner, current))
                owner.regions.append([])
                current = owner.regions[-1]
            elif line.startswith(("attributes", "loc", "{", "->")):
                line = ""
        if not line or line.startswith("module"):
            continue
        match = OPERATION.match(line)
        if not match:
            raise Refused(number, f"cannot be read: {line[:60]}")
        results = [name.strip() for name in (match.group(1) or "").rstrip("= ").split(",") if name.strip()]
        rest = line[match.end():].strip()
        opens = rest.endswith("{")
        statement = Statement(number, results, match.group(2), rest[:-1].strip() if opens else rest)
        current.append(statement)
        if opens:
            stack.append((statement, current))
            statement.regions.append([])
            current = statement.regions[0]
    return [one for one in root if one.name == "func.func"]


def split(text):
    """Parts of a list that commas separate, where brackets of any kind protect commas."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}" or (letter == ">" and text[index - 1] != "-"):
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts


def bracketed(text, start):
    """The text within the bracket that opens at `start`, and the index after the one that closes it."""
    closing = {"(": ")", "[": "]", "{": "}", "<": ">"}[text[start]]
    depth = 0
    for index in range(start, len(text)):
        if text[index] == text[start]:
            depth += 1
        elif text[index] == closing and text[index - 1:index + 1] != "->":
            depth -= 1
            if depth == 0:
                return text[start + 1:index], index + 1
    raise ValueError(f"no {closing} in {text!r}")


def group(text, name):
    """Operands and types of `name(%a, %b : type, type)` in an operation's text: ([values], [types]) or None."""
    match = re.search(rf"\b{name}\s*\(", text)
    if not match:
        return None
    inside, _ = bracketed(text, match.end() - 1)
    values, _, types = inside.partition(":")
    return split(values), split(types)


class MemRef:
    """memref<16x?xf16, strided<[32, 1], offset: ?>, #hivm.address_space<ub>>"""

    def __init__(self, text):
        inside, _ = bracketed(text, text.index("<"))
        parts = split(inside)
        *shape, self.element = re.split(r"x(?=[?\d]|[a-z])", parts[0])
        self.shape = [None if size == "?" else int(size) for size in shape]
        self.strides = self.offset = self.space = None
        for part in parts[1:]:
            if part.startswith("strided"):
                strides = bracketed(part, part.index("["))[0]
                self.strides = [None if one == "?" else int(one) for one in split(strides)]
            elif "address_space" in part:
                self.space = bracketed(part, part.index("<"))[0]
            else:
                raise ValueError(f"the layout {part} of a memref")
        if self.strides is None:
            self.strides = [1] * len(self.shape)
            for axis in range(len(self.shape) - 2, -1, -1):
                inner = self.shape[axis + 1]
                below = self.strides[axis + 1]
                self.strides[axis] = None if inner is None or below is None else inner * below

    @property
    def rank(self):
        return len(self.shape)

    @property
    def contiguous(self):
        expected = 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides)):
            if size is None or stride != expected:
                return False
            expected *= size
        return True
