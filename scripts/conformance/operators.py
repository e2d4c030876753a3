"""Operators of public repositories, each from its folder: `ptosim op`.

CHECKOUTS is a folder with checkouts of operator repositories (ops-math, ops-nn, ops-transformer, vllm-ascend), and of
asc-devkit, metadef and opbase. Items are the operators whose definition names the chip. Shapes, element types and attributes
come from the operator's own unit tests of its tiling (tests/ut/op_host); an operator without any is tried with one shape for
all inputs. Values of operators that references/operators.py models are compared with NumPy. All runs are under all checkers.

    host      a source of op_host, or the definition, is unusable
    tiling    the tiling refuses all shapes that were tried
    kernel    the variant does not compile
    run       it compiles and does not run to its end
    finding   it runs to its end, and a checker reports something
    wrong     it differs from the reference
    ran       it runs without a finding and has no reference
    right     it runs without a finding and equals the reference
"""
import collections
import os
import re
import sys

import numpy as np

import suites
from suites import ROOT, Suite, flag, one, options

sys.path.insert(0, str(ROOT / "sim" / "python"))

from references import operators_numpy as references  # noqa: E402
from ptosim.operators.template_keys import arguments_of  # noqa: E402
from ptosim.operators.types import NUMBERS, BY_NUMBER  # noqa: E402

REPOSITORIES = ("ops-math", "ops-nn", "ops-transformer", "vllm-ascend")
COMPILED = ("run", "finding", "wrong", "ran", "right")
MOST = 1 << 20  # elements of a case that is worth its time
NUMPY = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16,
         "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "bf16": np.uint16, "bool": np.bool_}
TENSOR = re.compile(r"\{\s*\{\s*\{([\d,\s]*)\}\s*,\s*\{[\d,\s]*\}\s*\}\s*,\s*(?:ge::)?(DT_\w+)"
                    r"(?:\s*,\s*(?:ge::)?FORMAT_\w+\s*,\s*true\s*,\s*(\w+))?")
ATTRIBUTE = re.compile(r'(?:\{|OpAttr\()\s*"(\w+)"\s*,\s*[\w:]*AnyValue::CreateFrom<([^()]*?)>\(\s*(.*?)\s*\)\s*[})]', re.DOTALL)


def shape_of(text):
    return tuple(int(part) for part in text.replace(" ", "").replace("\n", "").split(",") if part)


def value_of(kind, text):
    """An attribute's value as `ptosim op` takes it; None if it is no literal."""
    if "string" in kind:
        found = re.search(r'"([^"]*)"', text)
        return found.group(1) if found else None
    numbers = re.findall(r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?", text)
    if "vector" in kind:
        return ",".join(numbers)
    if text in ("true", "false"):
        return text
    return numbers[0] if numbers and re.fullmatch(r"[-\d.eE+fFlLuU]*", text) else None


def constant(text, name):
    """Values of an array that a test gives to the tiling, nearest before its use."""
    found = re.findall(rf"\b{name}(?:\[\d*\])?\s*=\s*\{{([-\d,\s]*)\}}", text) if name else []
    return [int(value) for value in found[-1].replace("\n", " ").split(",") if value.strip()] if found else None


def cases_of(folder):
    """(inputs, attributes) of the tests of a tiling that are to succeed; an input is a shape and a type, or None."""
    found = []
    for path in sorted((folder / "tests").rglob("test_*tiling*.cpp")):
        text = path.read_text(errors="replace")
        for match in re.finditer(r"TilingContextPara\s+\w+\s*\(", text):
            words, end = arguments_of(text, match.end() - 1)
            if len(words) < 3 or "GRAPH_FAILED" in text[end:end + 600].split("TEST_F")[0]:
                continue
            inputs = [(shape_of(shape), kind, constant(text[:match.start()], values))
                      for shape, kind, values in TENSOR.findall(words[1])]
            attributes = {name: value_of(kind, value) for name, kind, value in ATTRIBUTE.findall(" ".join(words[3:]))}
            outputs = [(shape_of(shape), kind) for shape, kind, _ in TENSOR.findall(words[2])]
            found.append((inputs, attributes, "arch35" in str(path), outputs))
        for test in re.split(r"\bTEST_F\s*\(", text)[1:]:
            if "InputShapes" not in test or "GRAPH_FAILED" in test:
                continue
            shapes = dict(re.findall(r"StorageShape\s+(\w+)\s*=\s*\{\s*\{([\d,\s]*)\}", test))
            names = re.search(r"InputShapes\(\s*\{(.*?)\}\s*\)", test, re.DOTALL)
            types = dict(re.findall(r"NodeInputTd\(\s*(\d+)\s*,\s*(?:ge::)?(DT_\w+)", test))
            listed = [name.strip().lstrip("&") for name in names.group(1).split(",")] if names else []
            inputs = [(shape_of(shapes[name]), types.get(str(at), "DT_FLOAT")) if name in shapes else None
                      for at, name in enumerate(listed)]
            attributes = {name: value_of(kind, value) for name, kind, value in ATTRIBUTE.findall(test)}
            listed = re.search(r"OutputShapes\(\s*\{(.*?)\}\s*\)", test, re.DOTALL)
            outputs = [(shape_of(shapes[name.strip().lstrip("&")]), "") for name in listed.group(1).split(",")
                       if name.strip().lstrip("&") in shapes] if listed else []
            found.append((inputs, attributes, "arch35" in str(path), outputs))
    return found


def small(inputs):
    sizes = [int(np.prod(one[0], dtype=np.int64)) for one in inputs if one]
    return sizes and 0 < min(sizes) and sum(sizes) <= MOST


def reason_of(output):
    """The first error without paths and numbers that differ between operators."""
    for line in output.splitlines():
        if "error:" in line:
            text = line.split("error:", 1)[1].strip()
            text = re.sub(r"(?:/[\w.+-]+)+/", "", text)
            return re.sub(r"/tmp/\S+", "", text)[:160]
    return (output.strip().splitlines() or ["nothing printed"])[-1][:160]


class Operators(Suite):
    repository = "the repositories"
    places = {"checkouts": {"type": suites.path}}
    options = options("ptosim only sample seed json csv resume retry minutes list limit work!", timeout=300,
                      chip=one("ascend910b1"), tries=one(4, "cases of an operator"), full=flag("only modelled operators"))
    columns = ("operator", "state", "key", "blocks", "cycles", "reason")
    key = "operator"
    good = None
    stays = sorts = True

    def prepare(self):
        self.soc = "ascend950" if "950" in self.given.chip else "ascend910b"

    def items(self):
        for repository in REPOSITORIES:
            root = self.given.checkouts / repository
            for kernels in sorted(root.rglob("op_kernel")):
                folder = kernels.parent
                if {"tests", "experimental", "examples"} & set(folder.relative_to(root).parts):
                    continue
                name = str(folder.relative_to(self.given.checkouts))
                if self.given.full and folder.name not in references.MODELS:
                    continue
                definitions = sorted((folder / "op_host").rglob("*.cpp")) if (folder / "op_host").is_dir() else []
                texts = [path.read_text(errors="replace") for path in definitions if "op_api" not in path.parts]
                if any("OP_ADD" in text and f'"{self.soc}"' in text for text in texts):
                    yield name, folder

    def command(self, *words):
        checkouts = self.given.checkouts
        environment = dict(os.environ, PTOSIM_ASCENDC=str(checkouts / "asc-devkit"), PTOSIM_METADEF=str(checkouts / "metadef"),
                           PTOSIM_OPBASE=str(checkouts / "opbase"))
        return suites.run([self.given.ptosim, "op", *words, "--chip", self.given.chip], self.given.work, self.given.timeout,
                          environment)

    def run(self, item):
        name, folder = item
        result = dict.fromkeys(self.columns, "") | {"operator": name, "state": "host"}
        model = references.MODELS.get(folder.name)
        tried = []
        if model:
            tried.append((None, dict(model.attributes), []))
        cases = [case for case in cases_of(folder) if small(case[0]) and case[2] == (self.soc == "ascend950")]
        cases.sort(key=lambda case: sum(int(np.prod(one[0])) for one in case[0] if one))
        step = max(1, len(cases) // self.given.tries)
        tried += [(case[0], case[1], case[3]) for case in cases[::step]][:self.given.tries]
        tried += [([((32, 256), "")], {}, []), ([((4, 8, 128), "")], {}, [])] if not tried else []
        for inputs, attributes, outputs in tried:
            words = [str(folder)]
            values = {}
            if inputs is None:
                values = model.inputs(np.random.default_rng(self.given.seed))
                for input_name, array in values.items():
                    path = self.given.work / f"{folder.name}_{input_name}.npy"
                    np.save(path, array)
                    words += ["--in", f"{input_name}={path}"]
                words += [part for one, kind in model.types.items() for part in ("--dtype", f"{one}={kind}")]
                words += [part for one, shape in model.shapes.items() for part in ("--shape", f"{one}={shape}")]
            elif len(inputs) == 1 and not inputs[0][1]:
                words += ["--shape", "x".join(map(str, inputs[0][0]))]
            else:
                words += ["--shape", "," + ",".join("x".join(map(str, one[0])) or "scalar" if one else "-" for one in inputs + outputs),
                          "--dtype", "," + ",".join(BY_NUMBER[NUMBERS[one[1]]].short if one and NUMBERS.get(one[1]) in BY_NUMBER
                                                    else "-" for one in inputs)]
            files = [self.written(folder, at, one) for at, one in enumerate(inputs or [])]
            if any(files):
                words += ["--in", "," + ",".join(file or "-" for file in files)]
            for attribute, value in attributes.items():
                if value is not None:
                    words += ["--attr", f"{attribute}={value}"]
            self.attempt(folder, words, values, attributes, model if inputs is None else None, result)
            if result["state"] in COMPILED + ("kernel",):
                break
        return result

    def written(self, folder, at, one):
        """A file with values that the tiling reads."""
        if not one or len(one) < 3 or not one[2] or len(one[2]) != int(np.prod(one[0])):
            return ""
        path = self.given.work / f"{folder.name}_{at}.npy"
        kind = NUMPY[BY_NUMBER[NUMBERS[one[1]]].short]
        np.save(path, np.array(one[2], kind).reshape(one[0]))
        return str(path)

    def attempt(self, folder, words, values, attributes, model, result):
        status, output = self.command(*words, "--dry-run")
        match = re.search(r"key (\d+), (\d+) blocks", output)
        if not match:
            refused = "tiling" in output or "shapes" in output or status < 0 or "[I1" in output or "combination" in output
            result.update(state="tiling" if refused else "host", reason=reason_of(output))
            return
        result.update(key=match.group(1), blocks=match.group(2))
        outputs = {one: self.given.work / f"{folder.name}_{one}_out.npy" for one in (model.expected(values, attributes) if model
                                                                                      else {})}
        for one, path in outputs.items():
            words = [*words, "--out", f"{one}={path}"]
        status, output = self.command(*words, "--check")
        cycles = re.search(r"(\d+) cycles", output)
        result["cycles"] = cycles.group(1) if cycles else ""
        if "[H02]" in output:
            result.update(state="kernel", reason=reason_of(output))
        elif status == suites.TIME_LIMIT:
            result.update(state="run", reason=f"longer than {self.given.timeout} s")
        elif status not in (0, 1):
            result.update(state="run", reason=reason_of(output))
        elif status == 1:
            codes = collections.Counter(re.findall(r"\[([A-Z]\d\d)\]", output))
            ended = not {"H10", "H11", "H12", "E20", "E21"} & set(codes)
            result.update(state="finding" if ended else "run",
                          reason=", ".join(f"{code} {count}" for code, count in codes.most_common()) + ": " + reason_of(output))
        else:
            result.update(state="ran", reason="")
        (self.given.work / f"{folder.name}.log").write_text(output)
        if model and result["state"] in ("ran", "finding"):
            self.compare(model, values, attributes, outputs, result)

    def compare(self, model, values, attributes, outputs, result):
        for one, wanted in model.expected(values, attributes).items():
            found = np.load(outputs[one])
            if found.size != wanted.size:
                result.update(state="wrong", reason=f"{one} has {found.size} elements instead of {wanted.size}")
                return
            found = found.reshape(wanted.shape)
            if model.types.get(one) == "bf16" or (found.dtype == np.uint16 and wanted.dtype == np.float32):
                found = (found.astype(np.uint32) << 16).view(np.float32)
            error = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
            if not (error <= model.atol + model.rtol * np.abs(wanted.astype(np.float64))).all():
                result.update(state="wrong", reason=f"{one}: largest error {np.nanmax(error):.3g}; {result['reason']}")
                return
        if result["state"] == "ran":
            result["state"] = "right"
        else:
            result["reason"] = "values right; " + result["reason"]

    def summary(self):
        found = self.reported(False)
        compiled = sum(result["state"] in COMPILED for result in found)
        right = sum(result["state"] == "right" or result["reason"].startswith("values right") for result in found)
        return f"{super().summary()}; {compiled} compile, {right} give the values of the reference"
