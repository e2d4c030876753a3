"""Compiles the backend (csrc/backend.cpp) against the PyTorch of this interpreter, once: the library
is kept in the compile cache (PTOSIM_CACHE) by everything that it is made from."""
import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch

from . import _acl

_HERE = pathlib.Path(__file__).resolve().parent
SOURCE = _HERE / "csrc" / "backend.cpp"


def _cache():
    for variable, below in (("PTOSIM_CACHE", ""), ("XDG_CACHE_HOME", "ptosim"),
                            ("HOME", ".cache/ptosim")):
        if os.environ.get(variable):
            return pathlib.Path(os.environ[variable]) / below / "torch"
    return pathlib.Path(tempfile.gettempdir()) / f"ptosim-{os.getuid()}" / "torch"


def _compiler():
    return os.environ.get("PTOSIM_CXX") or shutil.which("c++") or "c++"


def _command(output):
    home = pathlib.Path(torch.__file__).resolve().parent
    return [_compiler(), "-std=c++20", "-O1", "-fPIC", "-shared", "-w",
            f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
            f"-I{home}/include", f"-I{home}/include/torch/csrc/api/include",
            f"-I{_acl.toolkit()}/include", f"-I{_HERE}/include", str(SOURCE), "-o", str(output),
            f"-L{home}/lib", "-lc10", "-ltorch_cpu", "-ltorch",
            f"-L{_acl.toolkit()}/lib64", "-lascendcl"]


def _run(command):
    try:
        return subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise ImportError(f"torch_npu of ptosim needs a C++ compiler, and '{command[0]}' cannot be run "
                          f"({error.strerror}): install g++, or name a compiler with PTOSIM_CXX") from error


def _key():
    toolkit = pathlib.Path(_acl.toolkit())
    headers = sorted([*(toolkit / "include" / "acl").rglob("*.h"), *(_HERE / "include").rglob("*.h")])
    # Toolkits of one kind share the compiled library, wherever they are.
    command = " ".join(_command("")).replace(str(toolkit), "")
    made_from = [torch.__version__, torch.__file__, command, _run([_compiler(), "--version"]).stdout,
                 *(file.read_text() for file in [SOURCE, *headers])]
    return hashlib.sha256("\0".join(made_from).encode()).hexdigest()[:24]


def backend():
    """The loaded library."""
    library = _cache() / f"npu_{_key()}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        print(f"ptosim: compiling torch's device 'npu' for PyTorch {torch.__version__}, once",
              file=sys.stderr)
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            made = pathlib.Path(folder) / "npu.so"
            done = _run(_command(made))
            if done.returncode != 0:
                raise ImportError("torch_npu of ptosim could not be compiled against PyTorch "
                                  f"{torch.__version__}:\n{done.stderr[:4000]}\nPTOSIM_CXX names "
                                  "another C++ compiler")
            os.replace(made, library)
    return ctypes.CDLL(str(library))
