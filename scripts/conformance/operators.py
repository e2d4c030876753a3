"""Operators of public repositories, each from its folder: `ptosim op`.

CHECKOUTS is a folder with checkouts of operator repositories (ops-math, ops-nn, ops-transformer, vllm-ascend), and of
asc-devkit, metadef and opbase. Items are the operators whose definition names the chip. Inputs come from the operator's own
files (references/operators_cases.py). Values are compared with NumPy (references/operators_numpy.py), or with the reference
that the repository keeps beside the operator (references/operators_golden.py; --python has the packages that it imports, as
torch and ml_dtypes). All runs are under all checkers.

    host      a source of op_host, or the definition, is unusable
    tiling    the tiling refuses all inputs that were tried
    kernel    the variant does not compile
    run       it compiles and does not run to its end
    finding   it runs to its end, and a checker reports something
    wrong     it differs from the reference
    ran       it runs without a finding and has no reference
    right     it runs without a finding and equals the reference
"""
import collections
import json
import os
import re
import sys

import numpy as np

import suites
from suites import ROOT, Suite, flag, one, options

sys.path.insert(0, str(ROOT / "sim" / "python"))

from references import operators_cases, operators_golden as goldens, operators_numpy as references  # noqa: E402
from ptosim.errors import Error, misuse  # noqa: E402
from ptosim.operators.operator import DYNAMIC, Operator, Tensor  # noqa: E402
from ptosim.operators.types import BY_NUMBER, BY_SHORT  # noqa: E402

REPOSITORIES = ("ops-math", "ops-nn", "ops-transformer", "vllm-ascend")
COMPILED = ("run", "finding", "wrong", "ran", "right")
MOST = 1 << 18  # elements of a case that is worth its time
ATTEMPTS = 3  # cases of an operator that may not run to their end
FEW = 512  # elements of a case that shows little
NUMPY = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16,
         "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "bf16": np.uint16, "bool": np.bool_,
         "f64": np.float64, "c64": np.complex64, "hif8": np.uint8, "e5m2": np.uint8, "e4m3": np.uint8, "e8m0": np.uint8}
# Relative and absolute error of a repository's reference, which computes in float32.
ERRORS = {"f32": (1e-3, 1e-4), "f16": (4e-3, 4e-3), "bf16": (2e-2, 2e-2)}
INDEX = re.compile(r"ind(ex|ices)|idx|ids?$|rows?$|slot|table|expert|perm|axis|seq|offset|^pos(itions?)?$|location", re.IGNORECASE)


def to_bf16(values):
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def generated(rng, name, short, given, least):
    """Values of an input; None if NumPy has no arrays of its type. Indices are below `least`."""
    if short not in NUMPY:
        return None
    kind = np.dtype(NUMPY[short])
    if given.values is not None and len(given.values) == int(np.prod(given.shape)):
        values = np.array(given.values).reshape(given.shape)
        return to_bf16(values) if short == "bf16" else values.astype(kind)
    if short == "bool" or (short == "u8" and "mask" in name.lower()):
        return (rng.random(given.shape) < 0.5).astype(kind)
    if short in ("e5m2", "e4m3", "hif8", "e8m0"):
        return rng.integers(0x30, 0x40, given.shape).astype(kind)
    if kind.kind in "iu" and short != "bf16":
        low, high = (0, max(1, least)) if INDEX.search(name) or kind.itemsize == 8 else (0 if kind.kind == "u" else -8, 8)
        size = int(np.prod(given.shape))
        ordered = len(given.shape) == 1 and re.match(r"sorted|segment_ids$", name)
        if low == 0 and size <= high:  # rows that are written twice have no defined value
            values = rng.permutation(high)[:size].reshape(given.shape).astype(kind)
            return np.sort(values) if ordered else values
        values = rng.integers(low, high, given.shape).astype(kind)
        return np.sort(values) if ordered else values
    values = rng.standard_normal(given.shape)
    if re.search(r"var|rstd|std", name, re.IGNORECASE):
        values = np.abs(values) + 0.5
    return to_bf16(values) if short == "bf16" else np.asarray(values).astype(kind)


def typed(row, text):
    """The value of an attribute in Python; `row` is its definition."""
    kind = row["type"].lower().replace("_", "")
    if not isinstance(text, str):
        return text
    if kind.startswith("list"):
        text = text.strip()
        return json.loads(text if text.startswith("[") else f"[{text}]") if text else []
    if kind == "bool":
        return text.lower() in ("true", "1")
    if kind.startswith("int"):
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else int(float(text or 0))
    if kind.startswith("float"):
        return float(text or 0)
    return text.strip('"')


def reason_of(output):
    """The first error without paths and numbers that differ between operators."""
    for line in output.splitlines():
        if "error:" in line:
            text = line.split("error:", 1)[1].strip()
            text = re.sub(r"(?:/[\w.+-]+)+/", "", text)
            return re.sub(r"/tmp/\S+", "", text)[:160]
    return (output.strip().splitlines() or ["nothing printed"])[-1][:160]


class Launch:
    """Inputs of an operator that its tiling accepts."""

    def __init__(self, operator, values, types, attributes, shapes, plan, output_types):
        self.operator, self.values, self.types, self.attributes, self.shapes = operator, values, types, attributes, shapes
        self.plan, self.output_types = plan, output_types

    def outputs(self):
        return [argument for argument in self.plan.arguments if argument.role in ("out", "inout")]


class Operators(Suite):
    repository = "the repositories"
    places = {"checkouts": {"type": suites.path}}
    options = options("ptosim only sample seed json csv resume retry minutes list limit record python work!", timeout=300,
                      chip=one("ascend910b1"), tries=one(12, "cases whose tiling is tried"), full=flag("only modelled operators"))
    columns = ("operator", "state", "case", "key", "blocks", "cycles", "reference", "reason")
    key = "operator"
    good = None
    stays = sorts = True

    def prepare(self):
        self.soc = "ascend950" if "950" in self.given.chip else "ascend910b"
        os.environ["PTOSIM_PROGRAM"] = str(self.given.ptosim)
        for name in ("ascendc", "metadef", "opbase"):
            os.environ["PTOSIM_" + name.upper()] = str(self.given.checkouts / {"ascendc": "asc-devkit"}.get(name, name))
        self.goldens = goldens.functions(self.given.checkouts)

    def items(self):
        for repository in REPOSITORIES:
            root = self.given.checkouts / repository
            for kernels in sorted(root.rglob("op_kernel")):
                folder = kernels.parent
                if {"tests", "experimental", "examples", "template"} & set(folder.relative_to(root).parts):
                    continue
                name = str(folder.relative_to(self.given.checkouts))
                model = references.MODELS.get(folder.name)
                if self.given.full and not (model and model.inputs):
                    continue
                definitions = sorted((folder / "op_host").rglob("*.cpp")) if (folder / "op_host").is_dir() else []
                texts = [path.read_text(errors="replace") for path in definitions if "op_api" not in path.parts]
                if any("OP_ADD" in text and f'"{self.soc}"' in text for text in texts):
                    yield name, folder

    def run(self, item):
        name, folder = item
        result = dict.fromkeys(self.columns, "") | {"operator": name, "state": "host"}
        try:
            operator = Operator(str(folder), self.given.chip)
        except Error as error:
            return result | {"reason": self.told_reason(error)}
        result["state"] = "tiling"
        model = references.MODELS.get(folder.name)
        attempts = []
        for case in self.cases(folder, operator, model):
            try:
                chosen = self.planned(folder, operator, case, model)
            except Error as error:
                # Guesses tell less than the operator's own cases.
                if not result["reason"] or case.origin != "definition":
                    result["reason"] = self.told_reason(error)
                continue
            made = result | {"case": case.origin, "key": str(chosen.plan.key), "blocks": chosen.plan.blocks, "reason": ""}
            self.attempt(folder, chosen, made)
            if made["state"] in ("ran", "finding"):
                self.compare(folder, chosen, model, made)
            attempts.append(made)
            # A case may leave out what the kernel needs.
            if made["state"] != "run" or made["reason"].startswith("longer") or len(attempts) == ATTEMPTS:
                break
        return next((made for made in attempts if made["state"] != "run"), attempts[0] if attempts else result)

    @staticmethod
    def told_reason(error):
        return reason_of("error: " + " ".join(str(error).replace("error:", "").split("\n  note: ")))

    def cases(self, folder, operator, model):
        if model and model.inputs:
            yield operators_cases.Case("reference", {}, {}, dict(model.attributes))
        cases = operators_cases.cases(folder, operator.definition, self.soc == "ascend950", MOST)
        own = [case for case in cases if case.origin != "definition"]
        own.sort(key=lambda case: (case.elements() < FEW, case.elements()))
        step = max(1, len(own) // self.given.tries)
        yield from own[::step]
        yield from cases[len(own):]

    def planned(self, folder, operator, case, model):
        """The launch of a case. Raises Error if its tiling refuses."""
        rng = np.random.default_rng(self.given.seed)
        values, types, output_types = {}, {}, {}
        if case.origin == "reference":
            values = model.inputs(rng)
            values = {name: array if isinstance(array, list) else [array] for name, array in values.items()}
            types = {name: model.types.get(name) or np.dtype(arrays[0].dtype).name for name, arrays in values.items()}
            types = {name: {"float32": "f32", "float16": "f16"}.get(kind) or kind.replace("uint", "u").replace("int", "i")
                     for name, kind in types.items()}
            output_types = {name: kind for name, kind in model.types.items() if name not in values}
            shapes = {name: [tuple(map(int, one.split("x"))) for one in text.split(";")] for name, text in model.shapes.items()}
        else:
            numbers = {row["name"]: operators_cases.NUMBERS[case.inputs[row["name"]][0].dtype] for row in operator.inputs
                       if row["name"] in case.inputs and case.inputs[row["name"]][0].dtype in operators_cases.NUMBERS}
            column = operator.column(numbers)
            extents = [extent for tensors in case.inputs.values() for one in tensors[:1] for extent in one.shape[:1]]
            for row in operator.inputs:
                for given in case.inputs.get(row["name"], ()):
                    number = operators_cases.number_of(given, row, column)
                    short = BY_NUMBER[number].short if number in BY_NUMBER else ""
                    types[row["name"]] = short
                    values.setdefault(row["name"], []).append(
                        generated(rng, row["name"], short, given, min(extents, default=1)))
            shapes = dict(case.outputs)
            if any(array is None for arrays in values.values() for array in arrays):
                names = ", ".join(sorted(types[name] or "unknown" for name, arrays in values.items() if arrays[0] is None))
                raise misuse(f"inputs of the types {names} are not made here", "", "H02")
        tensors = {}
        for name, arrays in values.items():
            for at, array in enumerate(arrays):
                file = self.given.work / f"{folder.name}.{name}.{at}.bin"
                array.tofile(file)
                tensors.setdefault(name, []).append(Tensor(BY_SHORT[types[name]].number, array.shape, file=str(file)))
        output_numbers = {name: BY_SHORT[kind].number for name, kind in output_types.items()}
        # An example's outputs have the right shapes. Tests of tilings state any, so that the inferred ones are better.
        stated = shapes if not case.inputs or case.origin.startswith("test_acl") else {}
        # Values decide how much of an output is written: it gets the room of the largest input, for each of its axes.
        room = max((array.size * max(array.ndim, 1) for arrays in values.values() for array in arrays), default=1)
        computed = {row["name"]: [(room,)] for row in operator.outputs if row.get("computed")}
        if computed:
            try:
                plan = operator.plan(tensors, case.attributes, {**stated, **computed}, output_numbers)
                return Launch(operator, values, types, case.attributes, {**stated, **computed}, plan, output_types)
            except Error:
                pass
        try:
            plan = operator.plan(tensors, case.attributes, stated, output_numbers)
        except Error:
            if not shapes:
                raise
            stated = {} if stated else shapes
            plan = operator.plan(tensors, case.attributes, stated, output_numbers)
        if plan.guessed and shapes and not stated:
            stated = shapes
            plan = operator.plan(tensors, case.attributes, stated, output_numbers)
        shapes = stated
        return Launch(operator, values, types, case.attributes, shapes, plan, output_types)

    def attempt(self, folder, launch, result):
        words = [str(folder)]
        for name, arrays in launch.values.items():
            files = []
            for at, array in enumerate(arrays):
                files.append(str(self.given.work / f"{folder.name}.{name}.{at}.npy"))
                np.save(files[-1], array)
            words += ["--in", f"{name}={';'.join(files)}", "--dtype", f"{name}={launch.types[name]}"]
        for name, shapes in launch.shapes.items():
            words += ["--shape", f"{name}={';'.join('x'.join(map(str, shape)) or 'scalar' for shape in shapes)}"]
        for name, kind in launch.output_types.items():
            words += ["--dtype", f"{name}={kind}"]
        for name, value in launch.attributes.items():
            words += ["--attr", f"{name}={value}"]
        for at, argument in enumerate(launch.outputs()):
            words += ["--out", f"{argument.name}={self.given.work / f'{folder.name}.out{at}.npy'}"]
        status, output = suites.run([self.given.ptosim, "op", *words, "--chip", self.given.chip, "--check"], self.given.work,
                                    self.given.timeout)
        (self.given.work / f"{folder.name}.log").write_text(" ".join(map(str, words)) + "\n" + output)
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

    def compare(self, folder, launch, model, result):
        outputs = launch.outputs()
        try:
            wanted, errors, result["reference"] = self.reference(folder, launch, model)
        except Exception as error:  # pylint: disable=broad-except
            result["reason"] = "; ".join(filter(None, (result["reason"], f"no reference: {type(error).__name__} {error}"[:120])))
            return
        for at, argument in enumerate(outputs):
            target = wanted.get(argument.name, wanted.get(argument.name.split("[")[0]))
            if target is None:
                continue
            found = np.load(self.given.work / f"{folder.name}.out{at}.npy")
            short = BY_NUMBER[argument.tensor.dtype].short if argument.tensor.dtype in BY_NUMBER else ""
            row = next((row for row in launch.operator.outputs if row["name"] == argument.name), {})
            if row.get("computed"):  # the rest has no defined values
                found = found.reshape(-1)[:np.asarray(target).size]
            coarse = max({short, *launch.types.values()} & {"f32", "f16", "bf16"}, key=list(ERRORS).index, default=short)
            different = difference(found, np.asarray(target), short, *errors(short if short not in ERRORS else coarse))
            if different:
                guessed = result["case"] == "definition"  # the reference may be for other inputs
                result.update(state=result["state"] if guessed else "wrong", reason="; ".join(filter(
                    None, ("guessed inputs" * guessed, f"{argument.name} {different}", result["reason"]))))
                return
        if result["state"] == "ran":
            result["state"] = "right"
        else:
            result["reason"] = "values right; " + result["reason"]

    def reference(self, folder, launch, model):
        """Expected outputs by name, a function of a type that gives the largest errors, and where they come from."""
        operator = launch.operator
        attributes = {row["name"]: typed(row, launch.attributes.get(row["name"], row["default"]))
                      for row in operator.definition["attrs"]}
        lists = {row["name"] for row in operator.inputs if row["kind"] == DYNAMIC}
        if model:
            real = {name: [from_bf16(array) if launch.types[name] == "bf16" else array for array in arrays]
                    for name, arrays in launch.values.items()}
            values = {name: arrays if name in lists else arrays[0] for name, arrays in real.items()}
            made = {}
            for name, value in model.expected(values, attributes).items():
                made.update({f"{name}[{at}]": one for at, one in enumerate(value)} if isinstance(value, list) else {name: value})

            def errors(short):
                return tuple(max(pair) for pair in zip((model.rtol, model.atol), ERRORS.get(short, (0, 0)))) \
                    if not model.inputs else (model.rtol, model.atol)
            return made, errors, "numpy"
        if folder.name not in self.goldens:
            raise LookupError(folder.name)
        inputs = [(launch.types[row["name"]], launch.values[row["name"]], row["name"] in lists)
                  if row["name"] in launch.values else None for row in operator.inputs]
        outputs = launch.outputs()
        keywords = {
            "input_dtypes": [goldens.name_of(one[0]) for one in inputs if one],
            "output_dtypes": [goldens.name_of(BY_NUMBER[one.tensor.dtype].short) for one in outputs],
            "input_ori_shapes": [list(one[1][0].shape) for one in inputs if one],
            "output_ori_shapes": [list(one.tensor.shape) for one in outputs],
            "output_shapes": [list(one.tensor.shape) for one in outputs],
            "input_formats": ["ND" for one in inputs if one], "output_formats": ["ND" for _ in outputs],
            "short_soc_version": {"ascend950": "Ascend950"}.get(self.soc, "Ascend910B")}
        made = goldens.expected(self.goldens[folder.name], inputs, {"attributes": attributes, "keywords": keywords},
                                self.given.work, self.given.timeout, self.given.python)
        names = [argument.name for row in operator.outputs for argument in outputs
                 if argument.name.split("[")[0] == row["name"]]
        return dict(zip(names, made)), lambda short: ERRORS.get(short, (0, 1 if short in ("i8", "u8") else 0)), "golden.py"

    def summary(self):
        found = self.reported(False)
        compiled = sum(result["state"] in COMPILED for result in found)
        right = sum(result["state"] == "right" or result["reason"].startswith("values right") for result in found)
        return f"{super().summary()}; {compiled} compile, {right} give the values of the reference"

    def page(self):
        """A row for each state and kind of reason."""
        rows = self.reported()
        counts = collections.Counter((row["state"], re.sub(r"\d+", "N", row["reason"])[:80]) for row in rows)
        return suites.markdown(("state", "operators", "reason"),
                               [(state, str(count), reason) for (state, reason), count in counts.most_common()])


def difference(found, wanted, short, rtol, atol):
    """The difference of an output in words; empty if there is none."""
    if found.size != wanted.size:
        return f"has {found.size} elements instead of {wanted.size}"
    if short == "bf16":
        found = from_bf16(found.view(np.uint16))
    if short in ("bool", "f64", "c64") and found.dtype.kind == "u":
        found = found.view(NUMPY[short])
    found, wanted = found.reshape(-1), wanted.reshape(-1)
    if found.dtype.kind == "c":
        found, wanted = found.view(np.float32), wanted.astype(np.complex64).view(np.float32)
    found, wanted = found.astype(np.float64), wanted.astype(np.float64)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0, np.abs(found - wanted))
        bad = ~same & ~(error <= atol + rtol * np.abs(wanted))
    if bad.any():
        return f"differs in {int(bad.sum())} of {bad.size} elements, by {np.nanmax(error):.3g} at most"
    return ""
