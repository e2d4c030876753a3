"""The kernel that tests of the package send, x + y of 32 x 256 floats, and its arguments."""
import pathlib

VADD = (pathlib.Path(__file__).resolve().parents[1] / "kernels" / "vadd_f32.pto").read_text()
ARGS = [{"kind": "rand", "shape": [32, 256]}, {"kind": "rand", "shape": [32, 256]}, {"kind": "out", "shape": [32, 256]}, 32]
