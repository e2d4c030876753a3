"""Extensions in C++ that use PyTorch's device `npu`, for setuptools."""
import pathlib

import setuptools
import torch

_HERE = pathlib.Path(__file__).parents[1]


def NpuExtension(name, sources, **words):
    """An extension with the headers and libraries of PyTorch and of this package."""
    home = pathlib.Path(torch.__file__).resolve().parent

    def more(key, *values):
        words[key] = [*words.get(key, []), *map(str, values)]

    more("include_dirs", home / "include", home / "include/torch/csrc/api/include", _HERE / "include")
    more("library_dirs", home / "lib", _HERE / "lib")
    more("libraries", "c10", "torch", "torch_cpu", "torch_python", "torch_npu")
    words.setdefault("language", "c++")
    return setuptools.Extension(name, sources, **words)
