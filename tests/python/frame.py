"""Frame of the tests of the package: the kernel that they send, x + y of 32 x 256 floats, its arguments, and the program."""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import command_line  # noqa: E402

VADD = (pathlib.Path(__file__).resolve().parents[1] / "kernels" / "vadd_f32.pto").read_text()
ARGS = [{"kind": "rand", "shape": [32, 256]}, {"kind": "rand", "shape": [32, 256]}, {"kind": "out", "shape": [32, 256]}, 32]


def program(cache=True):
    """The path of --ptosim BIN, which the package uses, too, or an empty one; compiled kernels are kept for one run of the test."""
    given = command_line.take("--ptosim")
    if given:
        os.environ["PTOSIM_PROGRAM"] = os.path.abspath(given)
    if cache:
        program.cache = tempfile.TemporaryDirectory()
        os.environ["PTOSIM_CACHE"] = program.cache.name
    return os.environ.get("PTOSIM_PROGRAM", "")
