#!/usr/bin/env python3
"""An installed package, with nothing of the checkout: run by scripts/test_wheel.sh in its environment.

Needs NumPy and, for the C++ kernel, a compiler.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import ptosim
import ptosim.program

KERNEL = """module {
  func.func @scale(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %two = arith.constant 2.0 : f32
    %xv = pto.make_tensor_view %x, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c1, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c1, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
    %a = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>
    %b = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>
    pto.tload ins(%xp : !pto.partition_tensor_view<1x64xf32>) outs(%a : !pto.tile_buf<vec, 1x64xf32>)
    pto.tmuls ins(%a, %two : !pto.tile_buf<vec, 1x64xf32>, f32) outs(%b : !pto.tile_buf<vec, 1x64xf32>)
    pto.tstore ins(%b : !pto.tile_buf<vec, 1x64xf32>) outs(%yp : !pto.partition_tensor_view<1x64xf32>)
    return
  }
}
"""
CPP = """#include <pto/pto-inst.hpp>
__global__ AICORE void k(__gm__ float* x, __gm__ float* out) { for (int i = 0; i < 64; ++i) out[i] = 2 * x[i]; }
"""


def main():
    program = ptosim.program.path()
    package = os.path.dirname(os.path.abspath(ptosim.__file__))
    assert program.startswith(package), (program, package)
    assert "site-packages" in package, package
    x = np.arange(64, dtype=np.float32)
    out = np.empty((1, 64), np.float32)
    r = ptosim.simulate(KERNEL, check="all")(x.reshape(1, 64), ptosim.out(out))
    np.testing.assert_array_equal(out[0], 2 * x)
    assert r.ok and r.cycles > 0, r
    assert "<svg" in r._repr_html_() and "<html" in r.report("html")  # the viewer is there
    assert "ascend950pr" in ptosim.chips() and ptosim.isa("TADD").example
    done = "and a kernel in C++"
    if shutil.which("c++"):
        with tempfile.TemporaryDirectory() as cache:
            os.environ["PTOSIM_CACHE"] = cache
            back = np.empty_like(x)
            ptosim.simulate(CPP, cores="aiv", sandbox=True)(x, ptosim.out(back))
            np.testing.assert_array_equal(back, 2 * x)
    else:
        done = "no c++: kernels in C++ were not tried"
    command = [sys.executable, "-m", "ptosim"]
    assert "ascend910b1" in subprocess.run([*command, "chips"], capture_output=True, text=True).stdout
    script = os.path.join(os.path.dirname(sys.executable), "ptosim")
    request = {"kernel": KERNEL, "goldens": {"1": {"values": (2 * x).tolist(), "shape": [1, 64]}},
               "args": [{"kind": "in", "in": {"values": x.tolist(), "shape": [1, 64]}},
                        {"kind": "out", "shape": [1, 64]}]}
    for serve in ([script, "serve"], [*command, "serve"], [program, "serve"]):
        path = os.path.dirname(sys.executable) + ":" + os.environ["PATH"]
        answer = subprocess.run(serve, input=json.dumps(request) + "\n", capture_output=True,
                                text=True, env=dict(os.environ, PATH=path))
        assert json.loads(answer.stdout)["verdict"] == "pass", answer
    print(f"{package}: Python {sys.version.split()[0]}, NumPy {np.__version__}: a kernel, its checks, "
          f"page and verdict; {done}")


if __name__ == "__main__":
    main()
