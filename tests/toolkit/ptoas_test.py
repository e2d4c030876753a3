#!/usr/bin/python3
"""The assembler of the toolkit: its command lines, and runs of its output.

    ptoas_test.py --ptosim BIN

Expected results are computed by numpy (scale_add.py); uses of the assembler's C++ are
written here as in public projects (huawei-csl/pto-dsl, hw-native-sys/pypto).
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import command_line  # noqa: E402
import toolkit_folder  # noqa: E402

PTOSIM = "ptosim"
KERNEL = "-fPIC -shared -xcce -O1 -std=gnu++17 --npu-arch=dav-2201 -DMEMORY_BASE".split()
# A launch as pto-dsl writes it: the assembler's C++ is included, and its function launched.
CALLER = """#include "scale_add.cpp"
#include <cstdint>
extern "C" void call_kernel(uint32_t blocks, void* stream, uint8_t* x, uint8_t* y, uint8_t* z,
                            int32_t n) {
    scale_add<<<blocks, nullptr, stream>>>((float*)x, (float*)y, (float*)z, n);
}
"""


class Assembler(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="ptoas é ")
        home = os.path.join(cls.folder, "tool kit")
        subprocess.run([PTOSIM, "toolkit", home], check=True, capture_output=True)
        cls.environment = toolkit_folder.environment(home, os.path.join(cls.folder, "cache"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.work = tempfile.mkdtemp(dir=self.folder)
        shutil.copy(os.path.join(HERE, "scale_add.pto"), self.work)

    def call(self, *words, code=0, text=None, **environment):
        done = subprocess.run(words, cwd=self.work, capture_output=True, text=True, timeout=120,
                              input=text, env={**self.environment, **environment})
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def write(self, name, text):
        with open(os.path.join(self.work, name), "w") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.work, name)) as file:
            return file.read()

    def assembled(self, *words):
        self.call("ptoas", *words, "scale_add.pto", "-o", "scale_add.cpp")

    def run_library(self, name="./kernel.so", **environment):
        return self.call(sys.executable, os.path.join(HERE, "scale_add.py"), name, **environment)

    def test_what_pto_dsl_does(self):
        self.assembled("--enable-insert-sync")
        self.write("caller.cpp", CALLER)
        self.call("bisheng", *KERNEL, "caller.cpp", "-o", "kernel.so")
        done = self.run_library(PTOSIM_CHECK="all", PTOSIM_TRACE="trace")
        self.assertEqual(done.stdout, "right\n")
        self.assertIn("no findings", done.stderr)
        # Line numbers refer to the text that the flags were put into.
        events = json.loads(self.read("trace/trace.json"))["traceEvents"]
        lines = {event["args"]["line"].rsplit("/", 1)[1] for event in events
                 if event.get("name") == "TSTORE"}
        self.assertEqual(lines, {"scale_add.pto:31"})

    def test_as_long_as_the_kernel_alone(self):
        shapes = ["--blocks", "4"] + sum((["--arg", a] for a in (
            "rand=8x64xf32", "rand=8x64xf32:1", "zeros=8x64xf32", "i32=8")), [])
        self.assembled("--enable-insert-sync")
        # Compiled scalar code costs what it executes, the text's what its operations cost.
        for file, more in (("scale_add.pto", ["--sync", "insert"]), ("scale_add.cpp", ["--set", "scalar.code=0"])):
            self.call(PTOSIM, "run", file, *shapes, *more, "--json", file + ".json")
        of_text, of_source = (json.loads(self.read(file + ".json"))["cycles"]
                              for file in ("scale_add.pto", "scale_add.cpp"))
        self.assertEqual(of_text, of_source)

    def test_without_flags_it_races(self):
        self.assembled()
        self.write("caller.cpp", CALLER)
        self.call("bisheng", *KERNEL, "caller.cpp", "-o", "kernel.so")
        done = self.call("sh", "-c", 'PTOSIM_CHECK=all "$0" "$1" ./kernel.so; true',
                         sys.executable, os.path.join(HERE, "scale_add.py"))
        self.assertRegex(done.stderr, r"scale_add\.pto:29:\d+: .*\[E01\]")
        self.assertIn("pto.tadd ins(%a, %b", done.stderr)

    def test_what_pypto_does(self):
        # hw-native-sys/pypto drops the includes, makes the function static, and calls it from a separate entry that
        # takes one list of arguments.
        self.assembled("--enable-insert-sync", "--pto-level=level2", "--pto-arch", "a3")
        kept = [line for line in self.read("scale_add.cpp").splitlines()
                if not (line.startswith("#include") and "pto-inst" in line)
                and line != "using namespace pto;"]
        body = re.sub(r'(?:extern\s*"C"\s*)?(?:__global__\s+)?AICORE\s+void',
                      "static __aicore__ void", "\n".join(kept))
        self.write("kernel.cpp", '#include <pto/pto-inst.hpp>\nusing namespace pto;\n' + body + """
extern "C" __global__ AICORE void kernel_entry(__gm__ int64_t* args) {
    scale_add(reinterpret_cast<__gm__ float*>(args[0]), reinterpret_cast<__gm__ float*>(args[1]),
              reinterpret_cast<__gm__ float*>(args[2]), static_cast<int32_t>(args[3]));
}
extern "C" int aclrtMalloc(void**, size_t, int);
extern "C" int aclrtMemcpy(void*, size_t, const void*, size_t, int);
extern "C" void call_kernel(uint32_t blocks, void* stream, void* x, void* y, void* z, int n) {
    const int64_t list[] = {(int64_t)x, (int64_t)y, (int64_t)z, n};
    void* arguments = nullptr;
    aclrtMalloc(&arguments, sizeof list, 0);
    aclrtMemcpy(arguments, sizeof list, list, sizeof list, 1);
    kernel_entry<<<blocks, nullptr, stream>>>((int64_t*)arguments);
}
""")
        self.call("bisheng", *KERNEL, "kernel.cpp", "-o", "kernel.so")
        self.assertEqual(self.run_library().stdout, "right\n")

    def test_a_function_whose_body_is_cpp(self):
        # It reads the kernel's output, which flags put in order, and its result is stored.
        self.write("total.pto", """module {
  func.func @shifted_total(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %total: !pto.ptr<f32>, %n: i32)
      attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %xv = pto.make_tensor_view %x, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %yv = pto.make_tensor_view %y, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xf32>
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c1, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c1, %c64] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>
    pto.tload ins(%xp : !pto.partition_tensor_view<1x64xf32>) outs(%t : !pto.tile_buf<vec, 1x64xf32>)
    pto.tadds ins(%t, %one : !pto.tile_buf<vec, 1x64xf32>, f32) outs(%t : !pto.tile_buf<vec, 1x64xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x64xf32>) outs(%yp : !pto.partition_tensor_view<1x64xf32>)
    %sum = func.call @total_of(%y, %n) : (!pto.ptr<f32>, i32) -> f32
    pto.store_scalar %sum, %total[%c0] : !pto.ptr<f32>, f32
    return
  }
  func.func private @total_of(!pto.ptr<f32>, i32) -> f32
}
""")
        body = """AICORE float total_of(__gm__ float* values, int32_t count) {
    float sum = 0;
    for (int32_t i = 0; i < count; ++i) sum += values[i];
    return sum;
}
"""
        self.write("behind.cpp", '#include "total.cpp"\n' + body)
        self.write("before.cpp", "#include <pto/pto-inst.hpp>\nstatic " + body + '#include "total.cpp"\n')
        x = numpy.arange(64, dtype="f4").reshape(1, 64)
        numpy.save(os.path.join(self.work, "x.npy"), x)
        numpy.save(os.path.join(self.work, "total.npy"), numpy.array([(x + 1).sum()], "f4"))
        words = ["--entry", "shifted_total", "--core", "aiv", "--arg", "in=x.npy", "--arg", "out=1x64xf32",
                 "--arg", "out=1xf32", "--arg", "i32=64", "--golden", "2=total.npy"]
        self.call("ptoas", "--enable-insert-sync", "total.pto", "-o", "total.cpp")
        for source in ("behind.cpp", "before.cpp"):
            self.call(PTOSIM, "check", source, *words)
        for refused in (self.call(PTOSIM, "run", "total.pto", "--arg", "in=x.npy", code=2),
                        self.call("ptoas", "--enable-insert-sync", "total.pto", "-o", "total.o", code=1)):
            self.assertIn("total.pto:16:12: error: function 'total_of' has no body in this file [K08]", refused.stderr)
        for fault, code in (("throw 5;", "H15"), ("return *(volatile float*)nullptr;", "H10")):
            self.write("bad.cpp", '#include "total.cpp"\nAICORE float total_of(__gm__ float*, int32_t) { '
                       + fault + " }\n")
            found = self.call(PTOSIM, "run", "bad.cpp", *words, code=1)
            self.assertIn(f"[{code}]", found.stderr)
        # Without flags the function reads data that have not arrived yet.
        self.call("ptoas", "total.pto", "-o", "total.cpp")
        self.call(PTOSIM, "run", "behind.cpp", *words, code=1)

    def test_the_halves_of_a_kernel(self):
        # Each is a function for its type of core alone; they are one kernel, joined by a FIFO.
        kernel = os.path.join(ROOT, "tests", "kernels", "fifo_relu_f16.pto")
        self.call("ptoas", "--pto-level=level3", kernel, "-o", "fifo.cpp")
        parameters = "__gm__ half* a, __gm__ half* b, __gm__ float* y, __gm__ float* r, int32_t n"
        self.write("both.cpp", '#include "fifo.cpp"\n__global__ AICORE void both(' + parameters
                   + ") {\n    cube(a, b, y, r, n);\n    vector(a, b, y, r, n);\n}\n")
        rng = numpy.random.default_rng(7)
        a, b = (rng.integers(-4, 5, (rows, 32)).astype("f2") for rows in (32, 19 * 32))
        y = [numpy.maximum(a.astype("f4") @ one, 0) for one in b.astype("f4").reshape(19, 32, 32)]
        for name, array in (("a", a), ("b", b), ("y", numpy.concatenate(y))):
            numpy.save(os.path.join(self.work, name + ".npy"), array)
        words = sum((["--arg", word] for word in ("in=a.npy", "in=b.npy", "out=608x32xf32",
                                                  "zeros=8x4096xf32", "i32=19")), [])
        words += ["--blocks", "2", "--golden", "2=y.npy"]
        self.call(PTOSIM, "run", kernel, "--entry", "cube+vector", "--json", "text.json", *words)
        self.call(PTOSIM, "run", "both.cpp", "--entry", "both", "--core", "mix", "--set", "scalar.code=0", "--json",
                  "source.json", *words)
        of_text, of_source = (json.loads(self.read(name))["cycles"]
                              for name in ("text.json", "source.json"))
        self.assertEqual(of_text, of_source)

    def test_two_in_one_source(self):
        self.assembled("--enable-insert-sync")
        text = self.read("scale_add.pto").replace("@scale_add", "@other").replace(
            "pto.tadd ins(%sum, %a ", "pto.tsub ins(%sum, %a ")
        self.call("ptoas", "--enable-insert-sync", "-o", "other.cpp", text=text)
        self.write("caller.cpp", '#include "other.cpp"\n' + CALLER)
        self.call("bisheng", *KERNEL, "caller.cpp", "-o", "kernel.so")
        self.assertEqual(self.run_library().stdout, "right\n")

    def test_an_object(self):
        # The kernel is launched by another source, which declares it.
        self.call("ptoas", "--enable-insert-sync", "--pto-backend=vpto", "--enable-tile-op-expand",
                  "scale_add.pto", "-o", "scale_add.o")
        self.write("launch.cpp", "__global__ AICORE void scale_add(__gm__ float* x, "
                   "__gm__ float* y, __gm__ float* z, int32_t n);\n"
                   + CALLER.split("\n", 1)[1].replace("<cstdint>", "<stdint.h>"))
        self.call("bisheng", "-xcce", "-fPIC", "--cce-aicore-arch=dav-c220", "-c", "launch.cpp",
                  "-o", "launch.o")
        self.call("bisheng", "-shared", "--cce-fatobj-link", "-Wl,--no-undefined", "-o",
                  "kernel.so", "launch.o", "scale_add.o",
                  f"-L{self.environment['ASCEND_HOME_PATH']}/lib64", "-lruntime")
        self.assertEqual(self.run_library().stdout, "right\n")

    def test_the_explicit_form(self):
        self.call("ptoas", "--emit-pto-ir", "--enable-insert-sync", "scale_add.pto", "-o", "e.pto")
        text = self.read("e.pto")
        self.assertEqual(text.count("pto.alloc_tile addr = "), 3)
        self.assertIn("pto.set_flag", text)
        # It is complete: nothing is left to plan, and the given plan is taken unchanged.
        again = self.call("ptoas", "--emit-pto-ir", "--pto-level=level3", "--enable-insert-sync",
                          "e.pto")
        self.assertEqual(again.stdout, text)

    def test_standard_input_and_output(self):
        done = self.call("ptoas", "--enable-insert-sync", text=self.read("scale_add.pto"))
        self.assertIn("__global__ AICORE void scale_add(__gm__ float* v1, __gm__ float* v2, "
                      "__gm__ float* v3, int32_t v4)", done.stdout)
        self.assertRegex(self.call("ptoas", "--version").stdout, r"^ptoas \d+\.\d+\n$")

    def test_what_older_releases_accept_is_a_warning(self):
        # TQUANT without scratch, of scales in row-major tiles: v0.27 accepts it. Element (r, c) meets scale
        # 8 r + c mod 8 of the tile's elements (profile rule quantisation-scales-by-blocks); by numpy.
        tile = "!pto.tile_buf<vec, 8x32x{}, valid=?x?>"
        load = """    %{0}v = pto.make_tensor_view %{0}, shape = [%c8, %c32], strides = [%c32, %c1] : !pto.tensor_view<8x32x{1}>
    %{0}p = pto.partition_view %{0}v, offsets = [%c0, %c0], sizes = [%c8, %c32]
        : !pto.tensor_view<8x32x{1}> -> !pto.partition_tensor_view<8x32x{1}>
    %{0}t = pto.alloc_tile valid_row = %c8 valid_col = %c32 : {2}
"""
        self.write("quant.pto", "func.func @quant(%x: !pto.ptr<f32>, %s: !pto.ptr<f32>, %q: !pto.ptr<i8>) {\n"
                   + "".join(f"    %c{n} = arith.constant {n} : index\n" for n in (0, 1, 8, 32))
                   + "  pto.section.vector {\n"
                   + "".join(load.format(name, of, tile.format(of)) for name, of in (("x", "f32"), ("s", "f32"), ("q", "i8")))
                   + "".join(f"    pto.tload ins(%{name}p : !pto.partition_tensor_view<8x32xf32>) "
                             f"outs(%{name}t : {tile.format('f32')})\n" for name in "xs")
                   + f"    pto.tquant ins(%xt, %st {{quant_type = #pto<quant_type INT8_SYM>}} : {tile.format('f32')}, "
                     f"{tile.format('f32')}) outs(%qt : {tile.format('i8')})\n"
                     f"    pto.tstore ins(%qt : {tile.format('i8')}) outs(%qp : !pto.partition_tensor_view<8x32xi8>)\n"
                     "  }\n  return\n}\n")
        done = self.call("ptoas", "--enable-insert-sync", "quant.pto", "-o", "quant.cpp")
        self.assertRegex(done.stderr, r"quant\.pto:\d+:\d+: warning: 'pto\.tquant' needs a scratch tile .*\[S16\]")
        self.assertIn("releases of the assembler up to v0.27 accept this", done.stderr)
        rng = numpy.random.default_rng(5)
        x, s = (rng.integers(1, 12, (8, 32)).astype("f4") for _ in range(2))
        scales = s.ravel()[8 * numpy.arange(8)[:, None] + numpy.arange(32) % 8]
        for name, array in (("x", x), ("s", s), ("q", (x * scales).astype("i1"))):
            numpy.save(os.path.join(self.work, name + ".npy"), array)
        self.call(PTOSIM, "run", "quant.cpp", "--arg", "in=x.npy", "--arg", "in=s.npy", "--arg", "out=8x32xi8:y.npy",
                  "--golden", "2=q.npy", "--numerics", "chip", "--check", "all")
        done = self.call(PTOSIM, "run", "quant.pto", "--arg", "in=x.npy", "--arg", "in=s.npy", "--arg",
                         "out=8x32xi8:y.npy", "--strict", code=2)
        self.assertIn("[S16]", done.stderr)

    def test_a_scalar_is_added_to_a_column(self):
        # hw-native-sys/pto-isa include/pto/npu/a2a3/TBinSOp.hpp: to all rows if the type fixes the column as valid,
        # else to the first element. By hand.
        for valid, first, code in (("valid=?x?", "6 2 2 2 9", "[L02]"), ("valid=4x1", "6 6 6 6 9", "")):
            with self.subTest(valid):
                tile = f"!pto.tile_buf<vec, 16x1xf32, {valid}, blayout=col_major>"
                sizes = "valid_row = %c4 valid_col = %c1 " if "?" in valid else ""
                view = "!pto.partition_tensor_view<16x1xf32>"
                self.write("column.pto", f"""func.func @column(%y: !pto.ptr<f32>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %four = arith.constant 4.0 : f32
  pto.section.vector {{
    %v = pto.make_tensor_view %y, shape = [%c16, %c1], strides = [%c1, %c16] {{layout = #pto.layout<dn>}}
        : !pto.tensor_view<16x1xf32>
    %p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c4, %c1]
        : !pto.tensor_view<16x1xf32> -> !pto.partition_tensor_view<4x1xf32>
    %t = pto.alloc_tile {sizes}: {tile}
    pto.tload ins(%p : !pto.partition_tensor_view<4x1xf32>) outs(%t : {tile})
    pto.tadds ins(%t, %four : {tile}, f32) outs(%t : {tile})
    pto.tstore ins(%t : {tile}) outs(%p : !pto.partition_tensor_view<4x1xf32>)
  }}
  return
}}
""")
                done = self.call("ptoas", "--enable-insert-sync", "column.pto", "-o", "column.cpp")
                self.assertIn(code, done.stderr)
                if not code:
                    self.assertEqual(done.stderr, "")
                y = numpy.full(16, 2, "f4")
                y[4:] = 9
                numpy.save(os.path.join(self.work, "y.npy"), y)
                self.call(PTOSIM, "run", "column.cpp", "--arg", "inout=y.npy:z.npy", "--check", "all")
                z = numpy.load(os.path.join(self.work, "z.npy")).ravel()[:5]
                self.assertEqual(" ".join(f"{v:g}" for v in z), first)

    def test_what_is_wrong_is_named(self):
        self.write("bad.pto", self.read("scale_add.pto").replace("tadd ins(%sum", "tad ins(%sum"))
        self.write("addressed.pto", self.call("ptoas", "--emit-pto-ir", "scale_add.pto").stdout)
        self.write("named.pto", self.read("scale_add.pto").replace("@scale_add", "@scale.add"))
        self.write("keyword.pto", self.read("scale_add.pto").replace("@scale_add", "@double"))
        for words, named in (
                (["named.pto"], "'scale.add'"), (["keyword.pto"], "'double'"), (["bad.pto"], "bad.pto:30:7: error"), (["nothing.pto"], "nothing.pto"),
                (["--pto-level=level3", "scale_add.pto"], "scale_add.pto:20:10: error"),
                (["addressed.pto"], "--pto-level=level3 takes addresses"),
                (["--pto-arch=a9", "scale_add.pto"], "--pto-arch=a9"),
                (["--pto-level", "scale_add.pto", "-o"], "--pto-level=scale_add.pto"),
                (["--turbo", "scale_add.pto"], "--turbo"),
                (["--emit-vpto", "scale_add.pto"], "--emit-vpto"),
                (["scale_add.pto", "bad.pto"], "second input"),
                (["scale_add.pto", "-o"], "-o needs")):
            with self.subTest(words):
                done = self.call("ptoas", *words, code=1)
                self.assertIn(named, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_the_help_is_a_table_of_options(self):
        toolkit_folder.check_help(self, self.call("ptoas", "--help").stdout.split("\n\n", 2)[2])


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
