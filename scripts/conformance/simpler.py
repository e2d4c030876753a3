"""Compiles the kernel sources of a checkout of hw-native-sys/simpler, unmodified, with our headers.

Every *.cpp in a folder kernels/aic, kernels/aiv or kernels/mix below examples/ and tests/ is compiled (without code
generation) for its core, sources in mix for both, and for the architecture that its path names (a5, else a2a3), with the
include folders of that project's runtime.
"""
import os
import re

import suites
from suites import ROOT, Suite, one, options

CORES = {"aic": ["__DAV_CUBE__"], "aiv": ["__DAV_VEC__"], "mix": ["__DAV_CUBE__", "__DAV_VEC__"]}
ARCHES = {"a2a3": ["__NPU_ARCH__=2201", "MEMORY_BASE"], "a5": ["__NPU_ARCH__=3510", "REGISTER_BASE"]}
INCLUDES = ("src/{arch}/runtime/tensormap_and_ringbuffer/*", "src/{arch}/runtime/*/*", "src/{arch}/platform/include",
            "src/common/*", "src/common/*/include", "simpler_setup/incore", "src/common")


class Sources(Suite):
    repository = "hw-native-sys/simpler"
    options = options("only json resume", cxx=one("g++", "the compiler"), jobs=os.cpu_count())
    columns = ("source", "state", "reason")

    def items(self):
        return sorted(path.relative_to(self.given.checkout) for top in ("examples", "tests")
                      for path in (self.given.checkout / top).rglob("kernels/*/*.cpp") if path.parent.name in CORES)

    def run(self, item):
        arch, checkout = "a5" if "a5" in item.parts else "a2a3", self.given.checkout
        includes = dict.fromkeys(place for pattern in INCLUDES for place in sorted(checkout.glob(pattern.format(arch=arch)))
                                 if place.is_dir())
        for core in CORES[item.parent.name]:
            status, text = suites.run(
                [self.given.cxx, "-std=c++17", "-fsyntax-only", "-w", *(f"-D{word}" for word in [core, *ARCHES[arch]]), "-I",
                 ROOT / "include", *(f"-I{place}" for place in [(checkout / item).parent, *includes]), "-include", "stdint.h",
                 "-include", "stddef.h", "-include", "pto/common/device_language.hpp", checkout / item], None, None)
            if status != 0:
                error = re.search(r"^.*error: .*$", text, re.M)
                reason = (error.group(0) if error else text.strip()).replace(f"{checkout}/", "")[:300]
                return {"source": str(item), "state": "failed", "reason": reason}
        return {"source": str(item), "state": "passed", "reason": ""}

    def summary(self):
        return super().summary() + " kernel sources compile"
