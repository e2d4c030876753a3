"""Builds and runs asc-devkit's examples with threads, kernels of threads and thread functions within Ascend C, on the
toolkit, by the commands of their READMEs, unmodified, with the states of the suite ascendc.
"""
from ascendc import Examples
from suites import flag, one, options

GROUPS = ("examples/03_simt_api", "examples/05_simd_simt_hybrid")


class Simt(Examples):
    """Examples whose code is, at least in part, that of a thread."""
    options = options("ptosim only commit json csv record resume retry sample seed work!", jobs=2, timeout=600,
                      arch=one("dav-3510", "architecture of the examples"), run_mode=one("npu", choices=("npu",)),
                      keep=flag("keep the folders of examples that pass"))

    def items(self):
        for group in GROUPS:
            for file in sorted((self.given.checkout / group).rglob("CMakeLists.txt")):
                if (file.parent / "README.md").exists():
                    yield file.parent.relative_to(self.given.checkout)
