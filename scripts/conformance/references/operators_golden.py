"""Reference functions of repositories (tests/assets/golden.py), each run in a separate process, as they are foreign code.

A file names its functions: __golden__ = {"kernel": {OPERATOR: FUNCTION}}. A function takes the inputs in the order of the
operator's definition, None for absent ones, a list for a list of tensors, and the attributes by name.

    operators_golden.py FILE FUNCTION REQUEST.npz RESULT.npz
"""
import importlib.util
import inspect
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

NAMES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "bool": "bool", "f64": "float64", "c64": "complex64",
         "e5m2": "float8_e5m2", "e4m3": "float8_e4m3fn", "e8m0": "float8_e8m0fnu", "e2m1": "float4_e2m1fn"}


def name_of(short):
    """NumPy's name of ptosim's type."""
    return NAMES.get(short) or {"i": "int", "u": "uint"}[short[0]] + short[1:]


def functions(checkouts):
    """(file, function) by the operator's name."""
    found = {}
    for path in sorted(checkouts.rglob("assets/*golden*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        table = re.search(r"__golden__\s*=\s*\{\s*[\"']kernel[\"']\s*:\s*\{(.*?)\}", text, re.DOTALL)
        for name, function in re.findall(r"[\"'](\w+)[\"']\s*:\s*[\"'](\w+)[\"']", table.group(1) if table else ""):
            found.setdefault(name, (path, function))
    return found


def expected(where, inputs, facts, folder, seconds, python=sys.executable):
    """Outputs of a reference function. `inputs`: (ptosim's type, arrays, is a list) or None, in order. `facts`: attributes and
    further keywords. Raises RuntimeError with the end of what the function printed."""
    arrays, rows = {}, []
    for one in inputs:
        if one is None:
            rows.append(None)
            continue
        short, values, many = one
        rows.append({"type": name_of(short), "count": len(values), "list": many})
        arrays.update({f"{len(rows) - 1}.{at}": array for at, array in enumerate(values)})
    request, answer = folder / "golden_in.npz", folder / "golden_out.npz"
    answer.unlink(missing_ok=True)
    np.savez(request, facts=json.dumps({"rows": rows, **facts}), **arrays)
    try:
        done = subprocess.run([python, __file__, *map(str, where), request, answer], capture_output=True, text=True,
                              errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"longer than {seconds} s") from None
    if not answer.exists():
        raise RuntimeError((done.stderr.strip().splitlines() or ["no result"])[-1][:160])
    with np.load(answer) as found:
        return [found[str(at)] for at in range(len(found.files))]


def typed(array, name):
    """Bits as the type of NumPy that ml_dtypes adds, if this Python has it."""
    if array.dtype.name == name or name in ("bool", "float64", "complex64"):
        return array
    try:
        import ml_dtypes
        return array.view(np.dtype(getattr(ml_dtypes, name)))
    except (ImportError, AttributeError, TypeError):
        if name == "bfloat16":
            return (array.astype(np.uint32) << 16).view(np.float32)
        raise


def flat(value):
    if value is None:
        return
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from flat(one)
        return
    if hasattr(value, "detach"):
        value = value.detach()
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    array = np.asarray(value)
    yield array.astype(np.float32) if array.dtype.kind == "V" or array.dtype.name.startswith(("bfloat", "float8")) else array


NAME_OF_NUMBER = {0: "float32", 1: "float16", 2: "int8", 3: "int32", 4: "uint8", 6: "int16", 9: "int64", 27: "bfloat16"}


def called(call, values, words, attributes):
    """The result of a function for tensors in order, and keywords of which it takes those that it names."""
    known = inspect.signature(call).parameters.values()
    if all(parameter.kind != parameter.VAR_KEYWORD for parameter in known):
        words = {name: value for name, value in words.items() if name in {parameter.name for parameter in known}}
    places = [parameter for parameter in known if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)]
    if any(parameter.kind == parameter.VAR_POSITIONAL for parameter in known):
        places = values
    taken = {parameter.name for parameter in places[:len(values)] if not isinstance(parameter, (np.ndarray, list, type(None)))}
    words = {name: value for name, value in words.items() if name not in taken}
    # Attributes under other names: the function's first parameters after the tensors, in order.
    asked = [parameter.name for parameter in places[len(values):] if isinstance(parameter, inspect.Parameter)
             and parameter.default is parameter.empty and parameter.name not in words]
    words.update(zip(asked, (value for name, value in attributes.items() if name not in {one.name for one in known})))
    return call(*values[:len(places)], **words)


def main(file, function, request, answer):
    with np.load(request) as stored:
        facts = json.loads(str(stored["facts"]))
        values = []
        for at, row in enumerate(facts["rows"]):
            arrays = [typed(stored[f"{at}.{i}"], row["type"]) for i in range(row["count"])] if row else None
            values.append(arrays if row is None or row["list"] else arrays[0])
    sys.path.insert(0, str(pathlib.Path(file).parent))
    spec = importlib.util.spec_from_file_location("golden", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    words = {**facts["attributes"], **facts["keywords"]}
    # Numbers of types become names, and lists single tensors, only for functions that cannot do with them.
    named = {name: NAME_OF_NUMBER.get(value, value) if "dtype" in name and isinstance(value, int) else value
             for name, value in words.items()}
    single = [one for value in values for one in (value if isinstance(value, list) else [value])]
    forms = [(values, words), (values, named), (single, words), (single, named)]
    for at, (given, facts_of_call) in enumerate(forms):
        try:
            made = called(getattr(module, function), given, facts_of_call, facts["attributes"])
            break
        except (TypeError, AttributeError):
            if at + 1 == len(forms):
                raise
    np.savez(answer, **{str(at): array for at, array in enumerate(flat(made))})


if __name__ == "__main__":
    main(*sys.argv[1:])
