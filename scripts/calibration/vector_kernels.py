"""Vector instructions, one at a time and in vector functions."""
from kernel_builder import Kernel, ir, pto, vec


def vector_instructions(arch, cases):
    """Each case alone, a barrier after it: the distance of two starts is its time; the last start belongs to one more
    instruction.

    A case: opcode (as in the assembly), operands: (role, type, rows, cols, valid_rows, valid_cols, address, layout)
    with role "in" or "out", or ("scalar", type, value); attributes by name, as text; and the number of its repetitions
    that follow each other without a barrier."""
    with Kernel(arch, "vector_instructions", "vector", [("x", "f32")]) as k:
        for opcode, operands, attributes, times in cases:
            values = [operand_of(k, *operand) for operand in operands]
            for _ in range(times):
                made = instruction(opcode, values)
                made.attributes.update((key, ir.Attribute.parse(text)) for key, text in attributes.items())
            k.barrier("V")
        # One more, whose start marks the end of the last one.
        end = k.tile(vec(1, 64, "f32"))
        pto.tadd(end, end, end)
    return k.text()


def operand_of(k, role, element, *rest):
    if role == "scalar":
        return k.constant(float(rest[0]) if "f" in element else int(rest[0]), element)
    rows, cols, valid_rows, valid_cols, address, layout = rest
    return k.tile(vec(rows, cols, element, blayout=layout, valid=[valid_rows, valid_cols]), address)


def instruction(opcode, values):
    if opcode == "tcolsum":  # the only one whose scratch tile is optional
        return pto.tcolsum(values[0], values[-1], tmp=values[1])
    return getattr(pto, opcode)(*values)


# ---- vector functions of several instructions ----------------------------------------------------

# Inputs, computed steps, and stored results of each function. A name may be computed anew.
VECTOR_FUNCTIONS = {
    "silu": (["x"], ["e = tmuls x", "e = texp e", "e = tadds e", "n = tmuls x", "n = tadds n", "q = tdiv n e",
                     "y = tmul x q"], ["y"]),
    "swiglu": (["x", "g"], ["e = tmuls x", "e = texp e", "e = tadds e", "n = tmuls x", "n = tadds n", "q = tdiv n e",
                            "q = tmul x q", "y = tmul q g"], ["y"]),
    "gelu": (["x"], ["a = tabs x", "b = tmuls a", "c = tmuls x", "c = texp c", "c = tmul x c", "d = tsub x a",
                     "d = tmul d c", "b = texp b", "b = tadds b", "y = tdiv d b"], ["y"]),
    "gelupoly": (["x"], ["h = tmuls x", "c = tmuls x", "c = tmins c", "c = tmaxs c", "sq = tmul c c", "p = tmuls sq",
                         "p = tadds p"] + ["p = tmul p sq", "p = tadds p"] * 4 + ["p = tmul p c", "q = tadds sq"] +
                 ["q = tmul q sq", "q = tadds q"] * 4 + ["q = tdiv p q", "q = tadds q", "y = tmul q h"], ["y"]),
    "onlineupdate": (["a", "b", "c", "d"], ["m = tmax a b", "e = tsub a m", "e = texp e", "f = tsub b m", "f = texp f",
                                            "g = tmul e c", "h = tmul d f", "h = tadd g h"], ["m", "e", "f", "h"]),
    "fanout": (["x"], [f"{t} = tadds x" for t in "abcd"] + ["a = tadd a b", "c = tadd c d", "y = tadd a c"], ["y"]),
    "branches": (["x", "z"], ["a = tadds x", "b = tadds x", "a = tadd a z", "b = tadd b z", "y = tadd a b"], ["y"]),
    "twochains": (["x", "z"], ["a = tadds x"] + ["a = tadds a"] * 3 + ["b = tadds z"] + ["b = tadds b"] * 3, ["a", "b"]),
    "gelusigmoid": (["x"], ["y = tmul x x", "y = tmul y x", "y = tmuls y", "y = tadd x y", "y = tmuls y", "y = texp y",
                            "y = tadds y", "y = tdiv x y"], ["y"]),
    "eltwise": (["y"], ["y = tadds y", "y = tmul y y", "y = tmuls y", "y = tadds y", "y = texp y"], ["y"]),
    "adds": (["x"], ["y = tadds x"], ["y"]),
    "exps": (["x"], ["y = texp x"], ["y"]),
}
WITH_SCALAR = ("tadds", "tmuls", "tmins", "tmaxs")


class VectorFunction:
    """The instructions of vector functions over tiles of one type: places of tiles by name."""

    def __init__(self, k, passes, inputs, steps):
        self.k, self.kind, self.bytes = k, vec(1, 64 * passes, "f32"), 256 * passes
        self.names = list(dict.fromkeys(inputs + [step.split()[0] for step in steps]))
        self.one = k.constant(1.0, "f32")

    def tile(self, name):
        return self.k.tile(self.kind, self.bytes * self.names.index(name))

    def compute(self, steps, now):
        """Issues the steps; `now`: the tiles that hold values, by name."""
        for step in steps:
            result, _, opcode, *sources = step.split()
            operands = [now[source] for source in sources] + [self.one] * (opcode in WITH_SCALAR)
            now[result] = self.tile(result)
            getattr(pto, opcode)(*operands, now[result])

    def region(self, steps, now, outputs):
        """The steps as one function; returns the stored values."""
        made = pto.FusionRegionOp([self.kind] * len(outputs))
        with ir.InsertionPoint(made.body):
            self.compute(steps, now)
            pto.YieldOp([now[name] for name in outputs])
        return dict(zip(outputs, made.results))


def vector_function(names, passes, times=1, functions=1):
    """Vector functions, one after the other, of `passes` passes over f32; the chain of "adds" and "exps" is `times`
    long; "a-b" is all of a and then all of b in one function, "a.b" in two; `functions` 0: each instruction alone. One
    more instruction follows, whose start is their end."""
    parts = [[VECTOR_FUNCTIONS[name] for name in part.split("-")] for part in names.split(".")]
    inputs, outputs = parts[0][0][0], parts[-1][-1][2]
    each = [[step for _, steps, _ in part for step in steps] for part in parts]
    each[-1] += [each[-1][-1][:-1] + "y"] * (times - 1)
    with Kernel("a5", "vector_function", "vector", [("unused", "f32")]) as k:
        made = VectorFunction(k, passes, inputs, [step for steps in each for step in steps])
        given, stored = {name: made.tile(name) for name in inputs}, {}
        for function, steps in enumerate(each * max(1, functions)):
            now = dict(given)
            if function % len(each):
                now.update(stored)
            if functions == 0:
                made.compute(steps, now)
            else:
                stored = made.region(steps, now, outputs)
        pto.tadd(given[inputs[0]], given[inputs[0]], given[inputs[0]])
    return k.text()
