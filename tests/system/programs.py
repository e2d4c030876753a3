"""Programs of this folder for tests: a toolkit, its environment, and programs that its bisheng has compiled."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
sys.path.insert(0, str(HERE.parent / "toolkit"))
import command_line  # noqa: E402
import toolkit_folder  # noqa: E402


def line_of(source, mark):
    """The number of a source's line that ends with //@ and the mark."""
    lines = (HERE / source).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"//@ {mark}"))


class Programs(unittest.TestCase):
    ptosim = "ptosim"

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{cls.__name__.lower()} "))
        cls.home = cls.folder / "toolkit"
        subprocess.run([cls.ptosim, "toolkit", cls.home], check=True, capture_output=True)
        cls.environment = toolkit_folder.environment(str(cls.home), str(cls.folder / "cache"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def add_ranks(cls, megabytes, **variables):
        """For programs of several ranks: their library of MPI and the size of their windows."""
        cls.environment |= {"MPI_LIB": str(cls.home / "lib" / "libmpi.so"), "HCCL_BUFFSIZE": str(megabytes), **variables}

    @classmethod
    def compile(cls, source, *words, core="vec", output=None):
        """The program, or library, of a source of this folder."""
        made = cls.folder / (output or source.removesuffix(".cpp"))
        subprocess.run(["bisheng", "-xcce", "-O2", "-std=c++17", f"--cce-aicore-arch=dav-c220-{core}", HERE / source, "-o",
                        made, *words], check=True, env=cls.environment)
        return made


def main():
    Programs.ptosim = command_line.program()
    unittest.main(module="__main__")
