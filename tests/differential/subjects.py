"""Subjects of all ways to run: kernels of golden cases for vector cores, and products. One face for both."""
import os
from dataclasses import replace

import numpy as np

import products
from golden_cases import BITS
from kernels import Arrays, Group, Item, Kernel, iterations
from write_cpp import write_cpp
from write_pto import write_pto

NPY = {"f32": "<f4", "f16": "<f2", **{f"{s}{w}": f"<{s}{w // 8}" for s in "iu" for w in (8, 16, 32, 64)}}


class Vector:
    """A Kernel of golden cases."""

    core = "aiv"

    def __init__(self, kernel):
        self.kernel, self.arrays = kernel, Arrays(kernel)
        self.name, self.blocks, self.numerics = kernel.name, kernel.blocks, kernel.numerics

    def cases(self):
        return [item.case for item, _ in self.kernel.items()]

    def pto(self, instructions, explicit):
        return write_pto(self.kernel, self.arrays, instructions, explicit)

    def cpp(self, instructions):
        return write_cpp(self.kernel, self.arrays, instructions, True)

    def files(self, folder, seed):
        """Writes the inputs; the --arg words, seen from a folder below, and {output: its file}."""
        total, views = self.arrays.data(seed)
        np.save(os.path.join(folder, "in.npy"), total.view(np.int8))
        words = ["--arg", "in=../in.npy", "--arg", f"out={self.blocks * self.arrays.output_slice}xi8:out.npy"]
        outputs = {"out": "out.npy"}
        items = [item for item, _ in self.kernel.items()]
        for (number, index), data in views.items():
            name = f"view{number}_{index}.npy"
            dtype = items[number].case.operands[index].dtype
            np.save(os.path.join(folder, name), data.view(NPY.get(dtype, f"<u{BITS[dtype] // 8}")))
            words += ["--arg", f"inout=../{name}:{name}"]
            outputs[name] = name
        return words, outputs

    def wrong(self, outputs, _):
        """Differences from the golden case, or None."""
        for number, (item, group) in enumerate(self.kernel.items()):
            if (item.case.profile or "ieee") != self.numerics:
                continue
            places = [(outputs["out"], at, after) for at, after in self.arrays.expected(item, group, number)]
            if places:
                places += [(outputs[f"view{number}_{index}.npy"], 0, item.case.operands[index].after)
                           for index in item.views()]
            for found, at, expected in places:
                found = found[at:at + len(expected)]
                if found != expected:
                    first = next(i for i, (a, b) in enumerate(zip(found, expected)) if a != b)
                    return (f"golden: {item.case.name}: byte {first} is {found[first]:#04x}, the golden case has "
                            f"{expected[first]:#04x}")
        return None

    def smaller(self):
        """Kernels with something left out."""
        kernel = self.kernel
        for steps, blocks in self.fewer(kernel):
            if steps:
                yield Vector(Kernel(kernel.name, kernel.arch, blocks, steps, kernel.numerics))

    @staticmethod
    def fewer(kernel):
        for at, step in enumerate(kernel.steps):
            before, after = kernel.steps[:at], kernel.steps[at + 1:]
            yield before + after, kernel.blocks
            if isinstance(step, Group):
                yield before + step.items + after, kernel.blocks
                for inner in range(len(step.items)):
                    items = step.items[:inner] + step.items[inner + 1:]
                    if items:
                        yield before + [Group(step.kind, step.number, items)] + after, kernel.blocks
                if iterations(step) > 1:
                    yield before + [Group("for", 1, step.items)] + after, kernel.blocks
                continue
            if len(step.loaded) < len(step.tiles()):  # not chained any more
                yield before + [replace(step, loaded=step.tiles())] + after, kernel.blocks
            if step.dynamic:
                yield before + [replace(step, dynamic=False)] + after, kernel.blocks
        if kernel.blocks > 1:
            yield kernel.steps, kernel.blocks - 1


class Product:
    """A products.Product."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.name, self.blocks, self.numerics = kernel.name, kernel.blocks, kernel.numerics
        self.core = "mix" if kernel.stage else "aic"
        self.files, self.wrong = kernel.files, kernel.wrong

    def cases(self):
        return []

    def pto(self, _, explicit):
        return products.PtoProduct(self.kernel, explicit).function()

    def cpp(self, _):
        return products.CppProduct(self.kernel, True).function(), []

    def smaller(self):
        return map(Product, products.smaller(self.kernel))


def alone(case, name, arch):
    """A kernel of one case."""
    addresses, at = [], 0
    for operand in case.operands:
        tile = operand is not None and operand.kind == "tile"
        addresses.append(at if tile else None)
        at += -(-len(operand.before) // 32) * 32 if tile else 0
    item = Item(case, addresses, [i for i, address in enumerate(addresses) if address is not None])
    return Vector(Kernel(name, arch, 1, [item], case.profile or "ieee"))
