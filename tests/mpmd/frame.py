"""What tests of programs of many kernels share: the installation that runs them, kernels, and programs of a host."""
import importlib
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "sim" / "faces" / "mpmd" / "python"))


def module(name):
    return importlib.import_module(f"ptosim_mpmd.{name}")


class Frame:
    """Compiles into a folder, with a ptosim as `ptosim exec` offers it."""

    def __init__(self, ptosim, folder):
        self.folder, self.library = folder, ptosim.resolve().parent
        os.environ["PTOSIM_PROGRAM"] = str(ptosim.resolve())
        os.environ["PTOSIM_PLATFORM"] = str(folder / "platform" / "here")

    def compiled(self, source, output, *flags):
        subprocess.run(["g++", "-std=c++17", "-O1", "-fPIC", f"-I{ROOT}/include", *flags, "-c", HERE / f"{source}.cpp",
                        "-o", self.folder / output], check=True)
        return self.folder / output

    def linked(self, output, *words):
        subprocess.run(["g++", *words, "-o", self.folder / output, f"-L{self.library}", "-lptosim",
                        f"-Wl,-rpath,{self.library}", "-lpthread", "-ldl"], check=True)
        return self.folder / output

    def kernel(self, name, source, arch="a2a3", core="aiv"):
        output = self.folder / f"{name}.so"
        output.write_bytes(module("kernels").compile_kernel(source, core, arch, []))
        return output


def environment(**variables):
    """Of a program: this one's without ptosim's variables."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PTOSIM_")} | variables
