"""Extensions that are linked with libtorch_npu alone rely on it for symbols of PyTorch's Python library and the
backend.

Both join the names that all libraries see when the first extension lacks one of them, not before: libraries that were
compiled for the older C++ ABI would find PyTorch's templates in place of their own.
"""
import ctypes
import importlib.machinery
import pathlib

import torch


def install(backend):
    """Makes imports and ctypes.CDLL() try again with the names of `backend` and PyTorch."""
    python = pathlib.Path(torch.__file__).resolve().parent / "lib" / "libtorch_python.so"
    published = []

    def trying_again(load):
        def loading(*arguments, **options):
            try:
                return load(*arguments, **options)
            except (ImportError, OSError) as error:
                if published or "undefined symbol" not in str(error):
                    raise
            for path in (python, backend):
                published.append(path)
                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
            return load(*arguments, **options)
        return loading

    loader = importlib.machinery.ExtensionFileLoader
    loader.create_module = trying_again(loader.create_module)
    ctypes.CDLL.__init__ = trying_again(ctypes.CDLL.__init__)
