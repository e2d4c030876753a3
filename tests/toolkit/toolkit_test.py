#!/usr/bin/python3
"""The toolkit: its folder, and command lines as build scripts of public projects write them.

    toolkit_test.py --ptosim BIN

The output of fill_kernel.cpp's kernel follows from its text: worker n writes n + 1, and workers
are blocks where it is compiled for vector cores, sub-blocks where it is compiled for clusters.
"""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import command_line  # noqa: E402
import toolkit_folder  # noqa: E402

PTOSIM = "ptosim"
# Words of hw-native-sys/pto-isa's tests, as CMake hands them to the compiler.
KERNEL = ("-fPIC -D_FORTIFY_SOURCE=2 -O2 -std=c++17 -Wno-macro-redefined -Wno-ignored-attributes "
          "-fstack-protector-strong -xcce -Xhost-start -Xhost-end "
          "-mllvm -cce-aicore-stack-size=0x8000 -mllvm -cce-aicore-function-stack-size=0x8000 "
          "-mllvm -cce-aicore-record-overflow=true -mllvm -cce-aicore-addr-transform "
          "-mllvm -cce-aicore-dcci-insert-for-scalar=false").split()
VECTOR = ["--cce-aicore-arch=dav-c220-vec", "-DMEMORY_BASE", "-std=gnu++17"]
LIBRARIES = ("-lruntime -lstdc++ -lascendcl -lm -ltiling_api -lplatform -lc_sec -ldl -lnnopbase "
             "-lpthread").split()
# Words of huawei-csl/pto-dsl's compile scripts.
ONE_SHOT = "-fPIC -shared -xcce -O2 -std=c++17 --npu-arch=dav-2201 -DMEMORY_BASE".split()


class Toolkit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tool kit é ")
        made = os.path.join(cls.folder, "first")
        subprocess.run([PTOSIM, "toolkit", made], check=True, capture_output=True)
        cls.home = os.path.join(cls.folder, "moved toolkit")
        os.rename(made, cls.home)
        cls.environment = toolkit_folder.environment(cls.home, os.path.join(cls.folder, "cache"))
        cls.source = os.path.join(cls.folder, "sources of ours")
        os.mkdir(cls.source)
        for name in ("fill_kernel.cpp", "fill_main.cpp"):
            shutil.copy(os.path.join(HERE, name), cls.source)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.work = tempfile.mkdtemp(dir=self.folder)

    def call(self, *words, code=0, **environment):
        done = subprocess.run(words, cwd=self.work, capture_output=True, text=True, timeout=120,
                              env={**self.environment, **environment})
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def file(self, name):
        return os.path.join(self.source, name)

    def library(self, name, *words):
        self.call("bisheng", *ONE_SHOT, *words, self.file("fill_kernel.cpp"), "-o", name)
        return os.path.join(self.work, name)

    def test_what_scripts_look_for(self):
        home = self.environment["ASCEND_HOME_PATH"]
        self.assertEqual(home, os.path.realpath(self.home))
        self.assertEqual(self.environment["ASCEND_TOOLKIT_HOME"], home)
        for name in ("include/acl/acl.h", "include/pto/pto-inst.hpp", "include/runtime/rt.h",
                     "lib64/libascendcl.so", "lib64/libruntime_camodel.so", "lib64/libnnopbase.so",
                     "bin/setenv.bash", "compiler/version.info", "opp/version.info",
                     "x86_64-linux/ascend_toolkit_install.info", "aarch64-linux/include/acl/acl.h",
                     "aarch64-linux/ascendc/include/basic_api/kernel_operator.h",
                     "tools/simulator/Ascend910B1/lib/libruntime_camodel.so",
                     "simulator/dav_3510/lib/libascendcl.so",
                     "aarch64-linux/data/platform_config/Ascend910B4.ini",
                     "python/site-packages/torch_npu/lib/libtorch_npu.so",
                     "python/site-packages/torch_npu/include/acl/acl.h",
                     "compiler/tikcpp/ascendc_kernel_cmake/ascendc.cmake"):
            self.assertTrue(os.path.exists(os.path.join(home, name)), name)
        for name in ("bisheng", "ccec"):
            self.assertEqual(shutil.which(name, path=self.environment["PATH"]),
                             os.path.join(home, "bin", name))
        again = self.call("bash", "-c", 'source "$1/bin/setenv.bash" && env', "bash", home)
        self.assertIn(f"ASCEND_HOME_PATH={home}\n", again.stdout)

    def test_copies_of_rectangles(self):
        script = """import ctypes, os
acl = ctypes.CDLL(os.environ["ASCEND_HOME_PATH"] + "/lib64/libascendcl.so")
size, pointer, to_device, to_host = ctypes.c_size_t, ctypes.c_void_p, 1, 2
acl.aclInit(None), acl.aclrtSetDevice(0)
device, stream = pointer(), pointer()
acl.aclrtMalloc(ctypes.byref(device), size(64), 0), acl.aclrtCreateStream(ctypes.byref(stream))
rows = ctypes.create_string_buffer(b"abc..def..ghi..", 15)
out = ctypes.create_string_buffer(b"-" * 12, 12)
print(acl.aclrtMemcpy2d(device, size(8), rows, size(5), size(3), size(3), to_device))
print(acl.aclrtMemcpy2dAsync(out, size(4), device, size(8), size(3), size(3), to_host, stream))
acl.aclrtSynchronizeStream(stream)
print(out.raw.decode(), acl.aclrtMemcpy2d(device, size(2), rows, size(5), size(3), size(3), to_device))
acl.aclrtFree(device)
"""
        self.assertEqual(self.call(sys.executable, "-c", script).stdout.splitlines(), ["0", "0", "abc-def-ghi- 107000"])

    def test_the_library_loads_late(self):
        """A library with static memory of threads cannot be loaded after PyTorch, which leaves no room for it."""
        library = os.path.join(self.home, "lib64", "libptosim.so")
        flags = subprocess.run(["readelf", "-dW", library], check=True, capture_output=True, text=True).stdout
        self.assertIn("NEEDED", flags)
        self.assertNotIn("STATIC_TLS", flags)

    def test_in_a_wheel_the_libraries_beside_the_package_are_found(self):
        with open(PTOSIM, "rb") as file:
            if file.read(2) == b"#!":
                self.skipTest("this ptosim is a launcher of an installed wheel")
        packages = os.path.join(self.work, "site-packages")
        prefix = os.path.join(packages, "ptosim", "install")
        shared = os.path.join(prefix, "share", "ptosim")
        for folder in (os.path.join(prefix, "bin"), os.path.join(prefix, "lib"), os.path.join(shared, "toolkit"),
                       os.path.join(packages, "ptosim.libs")):
            os.makedirs(folder)
        for name in ("models", "include", "toolkit/python", "toolkit/cmake"):
            os.symlink(os.path.join(ROOT, "sim", "faces", name) if "/" in name else os.path.join(ROOT, name),
                       os.path.join(shared, name))
        shutil.copy(PTOSIM, os.path.join(prefix, "bin", "ptosim"))
        for name in ("ptosim/__init__.py", "ptosim.libs/libsystemc-1a2b.so"):
            with open(os.path.join(packages, name), "w") as file:
                file.write(name)
        home = os.path.join(self.work, "of a wheel")
        command = [os.path.join(prefix, "bin", "ptosim"), "toolkit", home]
        without = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(without.returncode, 2)
        self.assertIn("[H02]", without.stderr)
        self.assertIn("no " + os.path.join(os.path.realpath(prefix), "lib", "libptosim.so"), without.stderr)
        self.assertFalse(os.path.exists(home))
        with open(os.path.join(prefix, "lib", "libptosim.so"), "w"):
            pass
        subprocess.run(command, check=True, capture_output=True)
        with open(os.path.join(home, "lib64", "libsystemc-1a2b.so")) as file:
            self.assertEqual(file.read(), "ptosim.libs/libsystemc-1a2b.so")
        self.assertEqual(os.readlink(os.path.join(home, "lib64", "libascendcl.so")),
                         os.path.join(os.path.realpath(prefix), "lib", "libptosim.so"))

    def test_python_finds_its_packages(self):
        self.call(sys.executable, "-c", "from mlir.dialects import pto; pto.TAddOp")
        said = self.call(sys.executable, "-c", "import acl; print(acl.get_soc_name())").stdout
        self.assertEqual(said, "Ascend910B1\n")

    def test_calls_of_acl_count_their_arguments(self):
        done = self.call(sys.executable, "-c", """import acl
print(acl.init(), acl.init(None) != 0, acl.rt.set_device(0), len(acl.rt.malloc(64, 0)))
for call, given in ((acl.init, (None, 1)), (acl.rt.set_device, ()), (acl.rt.malloc, (64,)),
                    (acl.rt.malloc, (64, 0, 0)), (acl.finalize, (0,))):
    try:
        call(*given)
    except TypeError as error:
        print(error)
""")
        self.assertEqual(done.stdout.splitlines(), [
            "0 True 0 2", "aclInit takes 0 to 1 arguments here, and has 2",
            "aclrtSetDevice takes 1 arguments here, and has 0",
            "aclrtMalloc takes 2 arguments here, and has 1",
            "aclrtMalloc takes 2 arguments here, and has 3",
            "aclFinalize takes 0 arguments here, and has 1"])

    def test_what_the_library_for_torch_is_kept_by(self):
        # With a module for torch that has the parts that the build needs, and a compiler that only reports its version.
        compiler, torch = os.path.join(self.work, "c++"), os.path.join(self.work, "torch.py")
        with open(torch, "w") as file:
            file.write("__version__ = '2.10.0'\n"
                       "class _C: _GLIBCXX_USE_CXX11_ABI = True\n")
        ask = ("import sys, types, os; package = types.ModuleType('torch_npu'); "
               "package.__path__ = [os.environ['ASCEND_HOME_PATH'] + "
               "'/python/site-packages/torch_npu']; sys.modules['torch_npu'] = package; "
               "from torch_npu import _build; ")

        def key(version, change=""):
            with open(compiler, "w") as file:
                file.write(f"#!/bin/sh\necho {version}\n")
            os.chmod(compiler, stat.S_IRWXU)
            return self.call(sys.executable, "-c", ask + change + "print(_build._key())",
                             PTOSIM_CXX=compiler).stdout

        first = key("12")
        self.assertEqual(key("12"), first)
        self.assertNotEqual(key("13"), first)
        flags = "command = _build._command; _build._command = lambda to: command(to) + ['-DNEW']; "
        self.assertNotEqual(key("12", flags), first)
        headers = os.path.join(self.work, "kit", "include", "acl")
        os.makedirs(headers)
        keys = set()
        for text in ("int a;", "int b;"):
            with open(os.path.join(headers, "acl.h"), "w") as file:
                file.write(text)
            keys.add(key("12", f"_build._acl.toolkit = lambda: '{self.work}/kit'; "))
        self.assertEqual(len(keys), 2)
        done = self.call(sys.executable, "-c", ask + "_build.backend()", code=1,
                         PTOSIM_CXX="/no/such/c++")
        self.assertIn("ImportError: torch_npu of ptosim needs a C++ compiler, and '/no/such/c++'",
                      done.stderr)
        self.assertIn("PTOSIM_CXX", done.stderr)

    def test_libraries_of_the_current_folder_are_found(self):
        # Loads its library like PTO-DSL's relu example.
        self.library("libfill_here.so")
        script = ('unset LD_LIBRARY_PATH; source "$1/set_env.sh"; '
                  '"$2" -c "import ctypes; ctypes.CDLL(\'libfill_here.so\')"')
        self.call("bash", "-c", script, "bash", self.home, sys.executable)

    def test_a_folder_of_others_is_left_alone(self):
        with open(os.path.join(self.work, "mine"), "w"):
            pass
        self.assertIn("[I02]", self.call(PTOSIM, "toolkit", self.work, code=2).stderr)
        self.assertEqual(os.listdir(self.work), ["mine"])
        self.call(PTOSIM, "toolkit", "new")
        self.call(PTOSIM, "toolkit", "new/")

    def test_objects_linked_later(self):
        # Kernel library and host program, from a source tree that nobody may write.
        rule = ["-MD", "-MT", "k.o", "-MF", "k.d", "-o", "k.o", "-c"]
        os.chmod(self.source, stat.S_IRUSR | stat.S_IXUSR)
        self.call("bisheng", "-Dfill_EXPORTS", "-I/nowhere/include", *KERNEL, *VECTOR, *rule,
                  self.file("fill_kernel.cpp"))
        os.chmod(self.source, stat.S_IRWXU)
        with open(os.path.join(self.work, "k.d")) as file:
            text = file.read()
        self.assertTrue(text.startswith("k.o:"), text)
        self.assertIn(self.file("fill_kernel.cpp").replace(" ", "\\ "), text)
        self.assertIn("pto-inst.hpp", text)
        self.call("bisheng", "-fPIC", "-s", "-Wl,-z,relro", "-Wl,-z,now", "--cce-fatobj-link",
                  "-shared", "-Wl,-soname,libfill.so", "-o", "libfill.so", "k.o")
        self.call("bisheng", "-fPIE", "-O2", "-std=c++17", "-xc++", "-include", "stdint.h", "-MD",
                  "-MT", "m.o", "-MF", "m.d", "-o", "m.o", "-c", self.file("fill_main.cpp"))
        home = self.environment["ASCEND_HOME_PATH"]
        self.call("bisheng", "-s", "-Wl,-z,relro", "-Wl,-z,now", "m.o", "-o", "app",
                  f"-L{home}/lib64", f"-L{home}/tools/simulator/Ascend910B1/lib",
                  f"-Wl,-rpath,{home}/lib64:{self.work}", "libfill.so", *LIBRARIES)
        done = self.call("./app", PTOSIM_TRACE="trace", PTOSIM_CHECK="all")
        self.assertEqual(done.stdout, "1 2 0 0 ")
        self.assertIn("no findings", done.stderr)
        with open(os.path.join(self.work, "trace", "trace.json")) as file:
            self.assertIn("fill_kernel.cpp", file.read())

    def test_sources_whose_kernels_have_the_same_parameters(self):
        # At -O0 both have functions for these parameters that a linker takes for the same.
        for name, words in (("other", ["-DSCALE=5", "-Dfill=other", "-Dcall_kernel=call_other"]), ("one", ["-DSCALE=3"])):
            self.call("bisheng", *ONE_SHOT, "-O0", *words, "-c", self.file("fill_kernel.cpp"), "-o", name + ".o")
        self.call("bisheng", "-shared", "other.o", "one.o", "-o", "both.so")
        done = self.call(sys.executable, os.path.join(HERE, "load.py"), "./both.so")
        self.assertEqual(done.stdout, "3 6 9 12\n")

    def test_libraries_loaded_at_run_time(self):
        # Without a core's name kernels are for clusters: 2 blocks are 4 sub-blocks. Two libraries
        # of one source, with another macro, keep to their own kernels.
        first = self.library("first.so")
        second = self.library("second.so", "-DSCALE=10", "-cce-enable-mix")
        vector = self.library("vector.so", "--cce-aicore-arch=dav-c220-vec")
        done = self.call(sys.executable, os.path.join(HERE, "load.py"), first, second, vector)
        self.assertEqual(done.stdout.split("\n"), ["1 2 3 4", "10 20 30 40", "1 2 0 0", ""])

    def test_types_of_cores_that_nobody_names(self):
        # Each core that runs a block adds 1 to the block's row. Of a source that is for vector cores
        # alone and asks for no sub-block a2a3's compiler makes a kernel for these; a5's infers
        # nothing.
        with open(os.path.join(self.work, "count.cpp"), "w") as file:
            file.write("""#include <pto/pto-inst.hpp>
#ifdef HEADER
#include HEADER
#endif
using namespace pto;
__global__ AICORE void count(__gm__ float* out) {
#ifdef __DAV_VEC__
    Tile<TileType::Vec, float, 1, 64> row;
    TASSIGN(row, 0);
    TEXPANDS(row, 1.0f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    using View = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
    View to(out + 64 * get_block_idx());
    set_atomic_f32();
    set_atomic_add();
    TSTORE(to, row);
    set_atomic_none();
#endif
}
extern "C" void call_kernel(uint32_t blocks, void* stream, void* out) {
    count<<<blocks, nullptr, stream>>>(static_cast<float*>(out));
}
""")
        with open(os.path.join(self.work, "cube_part.h"), "w") as file:
            file.write("#ifdef __DAV_CUBE__\n#endif\n")
        header = '-DHEADER="cube_part.h"'
        for words, chip, counts in (
                (["--npu-arch=dav-2201"], "ascend910b1", "1 1 0 0\n"),
                (["--npu-arch=dav-2201", header], "ascend910b1", "2 2 0 0\n"),
                (["--npu-arch=dav-3510"], "ascend950pr", "2 2 0 0\n")):
            with self.subTest(words):
                self.call("bisheng", "-fPIC", "-shared", "-xcce", "-O1", *words, "count.cpp", "-o",
                          "count.so")
                done = self.call(sys.executable, os.path.join(HERE, "load.py"), "./count.so",
                                 PTOSIM_CHIP=chip)
                self.assertEqual(done.stdout, counts)

    def test_sub_blocks_that_do_the_same(self):
        # The two AIVs of a cluster do the same store twice: the finding gives the reason.
        with open(os.path.join(self.work, "same.cpp"), "w") as file:
            with open(self.file("fill_kernel.cpp")) as fill:
                file.write(fill.read().replace(" + get_subblockid()", ""))
        self.call("bisheng", *ONE_SHOT, "same.cpp", "-o", "same.so")
        done = self.call(sys.executable, os.path.join(HERE, "load.py"), "./same.so", code=1,
                         PTOSIM_CHECK="all")
        self.assertIn("[G04]", done.stderr)
        self.assertRegex(done.stderr, "both cores run block [01]")
        self.assertIn("--cce-aicore-arch=dav-c220-vec", done.stderr)

    def test_a_caller_that_includes_its_kernel(self):
        # The source itself does not declare that its kernel is for vector cores alone.
        with open(os.path.join(self.work, "caller.cpp"), "w") as file:
            file.write("#include KERNEL_CPP\n")
        self.call("bisheng", *ONE_SHOT, f'-DKERNEL_CPP="{self.file("fill_kernel.cpp")}"',
                  "caller.cpp", "-o", "kernel.so")
        done = self.call(sys.executable, os.path.join(HERE, "load.py"), "./kernel.so")
        self.assertEqual(done.stdout, "1 2 3 4\n")

    def test_other_ways_to_name_the_architecture(self):
        self.call("ccec", "-x", "cce", "-fPIC", "--shared", "--cce-soc-version=Ascend910B4",
                  "--cce-soc-core-type=VecCore", self.file("fill_kernel.cpp"), "-o", "older.so")
        self.call("bisheng", "-xasc", "-fPIC", "-shared", "-O1", "--npu-arch=dav-3510",
                  "-DREGISTER_BASE", self.file("fill_kernel.cpp"), "-o", "a5.so")
        load = os.path.join(HERE, "load.py")
        self.assertEqual(self.call(sys.executable, load, "./older.so").stdout, "1 2 0 0\n")
        for chip in ("Ascend910_9391", "ascend910b2c", "Ascend950DT_9581", "dav_2201"):
            self.call("bisheng", "-xcce", "-fPIC", "-shared", f"--npu-soc={chip}",
                      "-DREGISTER_BASE" if "950" in chip else "-DMEMORY_BASE",
                      self.file("fill_kernel.cpp"), "-o", "named.so")
        done = self.call(sys.executable, load, "./a5.so", PTOSIM_CHIP="ascend950pr")
        self.assertEqual(done.stdout, "1 2 3 4\n")

    def test_one_command_for_everything(self):
        with open(os.path.join(self.work, "words"), "w") as file:
            file.write(f'-xcce --cce-aicore-arch=dav-c220-vec "{self.file("fill_kernel.cpp")}"\n'
                       f"-xc++ '{self.file('fill_main.cpp')}' -lascendcl")
        home = self.environment["ASCEND_HOME_PATH"]
        self.call("bisheng", "@words", f"-L{home}/lib64", "-o", "app")
        self.assertEqual(self.call("./app").stdout, "1 2 0 0 ")

    def test_kernels_that_name_the_headers_of_installed_toolkits(self):
        """A kernel with Ascend C's header and a call by a bare name with template arguments; a host with securec.h."""
        with open(os.path.join(self.work, "kernel.cpp"), "w") as file:
            file.write('''#include "kernel_operator.h"
using AscendC::GlobalTensor;
using View = pto::GlobalTensor<float, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<1, 1, 1, 64, 1>>;
using Row = pto::Tile<pto::TileType::Vec, float, 1, 64>;
extern "C" __global__ AICORE void fill(__gm__ float* out) {
    Row row;
    TASSIGN(row, 0x0);
    TEXPANDS(row, 3.0f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    View to(out);
    TSTORE_IMPL<Row, View, pto::AtomicType::AtomicNone>(to, row);
}
extern "C" void call_kernel(uint32_t blocks, void* stream, void* out) {
    fill<<<blocks, nullptr, stream>>>(static_cast<float*>(out));
}
''')
        with open(os.path.join(self.work, "host.c"), "w") as file:
            file.write('''#include "securec.h"
int main(void) {
    char to[4] = "abc";
    if (strncpy_s(to, 4, "xyz123", 3) != EOK || strcmp(to, "xyz") != 0) return 1;
    if (strncpy_s(to, 4, "x", 3) != EOK || strcmp(to, "x") != 0) return 2;
    return strncpy_s(to, 4, "xyz123", 4) == ERANGE && strncpy_s(to, 4, 0, 1) == EINVAL ? 0 : 3;
}
''')
        home = self.environment["ASCEND_HOME_PATH"]
        self.call("bisheng", *ONE_SHOT, f"-I{home}/aarch64-linux/ascendc/include/basic_api", "kernel.cpp", "-o",
                  "named.so")
        done = self.call(sys.executable, os.path.join(HERE, "load.py"), "./named.so")
        self.assertEqual(done.stdout, "3 0 0 0\n")
        self.call("gcc", f"-I{home}/include", "host.c", "-o", "host")
        self.call("./host")

    def test_several_at_once(self):
        words = ["bisheng", *ONE_SHOT, "-DSCALE=7", self.file("fill_kernel.cpp"), "-o", "same.so"]
        jobs = [subprocess.Popen(words, cwd=self.work, env=self.environment) for _ in range(3)]
        self.assertEqual([job.wait(120) for job in jobs], [0, 0, 0])
        done = self.call(sys.executable, os.path.join(HERE, "load.py"), "./same.so")
        self.assertEqual(done.stdout, "7 14 21 28\n")

    def test_a_source_tree_that_cannot_be_written_to(self):
        tree = os.path.join(self.work, "read only")
        shutil.copytree(self.source, tree)
        names = sorted(os.listdir(tree))
        for name in names:
            os.chmod(os.path.join(tree, name), 0o444)
        os.chmod(tree, 0o555)
        self.addCleanup(os.chmod, tree, 0o755)
        kernel = os.path.join(tree, "fill_kernel.cpp")
        self.call("bisheng", *ONE_SHOT, "-DSCALE=3", "-MD", kernel, "-o", "fill.so")
        done = self.call(sys.executable, os.path.join(HERE, "load.py"), "./fill.so")
        self.assertEqual(done.stdout, "3 6 9 12\n")
        self.assertEqual(sorted(os.listdir(tree)), names)  # permissions do not bind root

    def project(self, source):
        with open(os.path.join(self.work, "CMakeLists.txt"), "w") as file:
            file.write(f"""cmake_minimum_required(VERSION 3.16)
set(CMAKE_C_COMPILER bisheng)
set(CMAKE_CXX_COMPILER bisheng)
project(fill)
add_library(fill_kernel SHARED "{source}")
target_compile_options(fill_kernel PRIVATE {' '.join(KERNEL[-12:-10])}
    "SHELL:-mllvm -cce-aicore-addr-transform" -xcce --npu-arch=dav-2201 -std=c++17)
target_link_options(fill_kernel PRIVATE --cce-fatobj-link)
add_executable(fill "{self.file('fill_main.cpp')}")
target_compile_options(fill PRIVATE -xc++)
target_link_directories(fill PUBLIC $ENV{{ASCEND_HOME_PATH}}/lib64)
target_link_libraries(fill PRIVATE fill_kernel runtime stdc++ ascendcl m dl)
""")

    def test_cmake(self):
        # The compiler is named before project(), because CMake identifies it and links with it.
        self.project(self.file("fill_kernel.cpp"))
        self.call("cmake", "-B", "build", ".")
        self.call("cmake", "--build", "build", "-j", "2")
        self.assertEqual(self.call("build/fill").stdout, "1 2 3 4 ")

    def test_every_checker_watches(self):
        # A project's own build and program, as in CI: it fails, and the report names the line that races.
        source = os.path.join(self.work, "racing kernel.cpp")
        with open(self.file("fill_kernel.cpp")) as file:
            lines = [line for line in file.read().splitlines() if "_flag(" not in line]
        with open(source, "w") as file:
            file.write("\n".join(lines) + "\n")
        self.project(source)
        self.call("cmake", "-B", "build", ".")
        self.call("cmake", "--build", "build", "-j", "2")
        done = self.call("build/fill", code=1, PTOSIM_CHECK="all", PTOSIM_REPORT="found.sarif")
        self.assertEqual(done.stdout, "1 2 3 4 ")
        self.assertIn("[E01]", done.stderr)
        with open(os.path.join(self.work, "found.sarif")) as file:
            found = json.load(file)["runs"][0]["results"]
        self.assertEqual({result["ruleId"] for result in found}, {"E01"})
        place = found[0]["locations"][0]["physicalLocation"]
        self.assertTrue(place["artifactLocation"]["uri"].endswith("racing%20kernel.cpp"), place)
        self.assertEqual(lines[place["region"]["startLine"] - 1].strip(), "TSTORE(to, row);")

    def test_the_language_asc(self):
        # Builds kernels like pto-kernels: a library of the language ASC, and a host in C++.
        shutil.copy(self.file("fill_kernel.cpp"), os.path.join(self.work, "fill_kernel.cpp"))
        shutil.copy(self.file("fill_kernel.cpp"), os.path.join(self.work, "scaled.asc"))
        with open(os.path.join(self.work, "CMakeLists.txt"), "w") as file:
            file.write(f"""cmake_minimum_required(VERSION 3.16)
project(fill)
set(CMAKE_CXX_COMPILER bisheng)
add_compile_options(-O1 -std=c++17)
find_package(ASC REQUIRED)
enable_language(ASC)
ascendc_library(kernels SHARED fill_kernel.cpp)
target_compile_options(kernels PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=dav-2201>)
ascendc_compile_definitions(kernels PRIVATE -DMEMORY_BASE)
add_library(scaled SHARED scaled.asc)
target_compile_options(scaled PRIVATE --npu-arch=dav-2201)
target_compile_definitions(scaled PRIVATE SCALE=10)
set_target_properties(kernels scaled PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${{CMAKE_BINARY_DIR}}/lib)
add_executable(fill "{self.file('fill_main.cpp')}")
target_link_directories(fill PUBLIC $ENV{{ASCEND_HOME_PATH}}/lib64)
target_link_libraries(fill PRIVATE kernels ascendcl)
""")
        self.call("cmake", "-B", "build", ".")
        self.call("cmake", "--build", "build", "-j", "2")
        self.assertEqual(self.call("build/fill").stdout, "1 2 3 4 ")
        done = self.call(sys.executable, os.path.join(HERE, "load.py"), "build/lib/libscaled.so")
        self.assertEqual(done.stdout, "10 20 30 40\n")

    def test_common_cmake_code_of_cann(self):
        # The begin of PyPTO's checkout: an adapter that may have no headers of the vendor's driver, and a safe C
        # library.
        text = """cmake_minimum_required(VERSION 3.19)
include($ENV{PYPTO_THIRD_PARTY_PATH}/cann-cmake/function/prepare.cmake)
project(framework LANGUAGES C CXX)
init_cann_project(PREPEND_MODULE_PATH)
add_cann_target_options()
foreach(package acl_rt ascend_dump ascend_hal hcomm runtime securec)
  find_cann_package(${package} REQUIRED)
endforeach()
add_cann_third_party(json)
file(WRITE ${CMAKE_BINARY_DIR}/adapter.cpp "#ifdef BUILD_WITH_CANN\n#error driver\n#endif\n")
add_library(tile_fwk_adapter SHARED ${CMAKE_BINARY_DIR}/adapter.cpp)
target_compile_definitions(tile_fwk_adapter PUBLIC BUILD_WITH_CANN)
file(WRITE ${CMAKE_BINARY_DIR}/main.cpp "#include <securec.h>\n#include <acl/acl_rt.h>\n#include <nlohmann/json.hpp>\n"
  "int main() { char a[4] = {}; return strcpy_s(a, 4, \\"abc\\") != 0 || a[2] != 'c'; }\n")
add_executable(main ${CMAKE_BINARY_DIR}/main.cpp)
target_link_libraries(main PRIVATE intf_pub json c_sec acl_rt_headers tile_fwk_adapter)
"""
        source = os.path.join(self.work, "framework")
        os.mkdir(source)
        environment = {"PYPTO_THIRD_PARTY_PATH": self.environment["ASCEND_HOME_PATH"] + "/share/cmake"}
        for more, code in (("find_cann_package(atrace REQUIRED)\n", 1), ("", 0)):
            with open(os.path.join(source, "CMakeLists.txt"), "w") as file:
                file.write(text + more)
            done = self.call("cmake", "-S", source, "-B", "made", code=code, **environment)
            if more:
                self.assertIn("find_cann_package(atrace): the toolkit has", done.stderr)
        self.call("cmake", "--build", "made", **environment)
        self.call("made/main")

    def test_the_older_cmake_modules(self):
        # Kernels in an archive, launched by functions and headers that CMake makes; the first source has
        # nothing for the host's compiler to see. Row n of 3 is 5 (n + 1) * 2, whoever writes it.
        for name, text in (("lib/rows.cpp", """#if defined(__DAV_C220_VEC__)
#include "kernel_operator.h"
using namespace pto;
// extern "C" __global__ AICORE void gone(GM_ADDR out) {}
extern "C" __global__ AICORE void fill_rows(GM_ADDR out, uint32_t scale,
                                            /* of two */ const float factor) {
    using Row = Tile<TileType::Vec, float, 1, 64>;
    const int64_t row = AscendC::GetBlockIdx();
    SetFullVecMaskByDType<float>();
    Row tile;
    TASSIGN(tile, 0x0);
    TEXPANDS(tile, scale * factor * static_cast<float>(row + 1));
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>> to(
        reinterpret_cast<__gm__ float*>(out) + row * 64);
    TSTORE(to, tile);
}
#endif
"""), ("lib/none.cpp", """#include "lib/matmul_intf.h"
extern "C" __global__ AICORE void NAME() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); }
#define DECLARE(TYPE) \\
    extern "C" __global__ AICORE void empty_##TYPE(GM_ADDR out) {}
#if __CCE_AICORE__ >= 220
DECLARE(half)
#endif
template <class T>
__global__ AICORE void never(GM_ADDR out) {}
__global__ AICORE void mangled(GM_ADDR out) { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); }
"""), ("main.cpp", """#include <acl/acl.h>
#include <cstdio>
#include "aclrtlaunch_fill_rows.h"
#include "aclrtlaunch_empty_half.h"
#include "aclrtlaunch_mangled.h"
#include "aclrtlaunch_nothing.h"
#include "tiling/platform/platform_ascendc.h"
int main() {
    float rows[3][64] = {};
    void* out = nullptr;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtMalloc(&out, sizeof rows, ACL_MEM_MALLOC_HUGE_FIRST);
    ACLRT_LAUNCH_KERNEL(nothing)(1, nullptr);
    ACLRT_LAUNCH_KERNEL(empty_half)(1, nullptr, out);
    ACLRT_LAUNCH_KERNEL(mangled)(1, nullptr, out);
    ACLRT_LAUNCH_KERNEL(fill_rows)(3, nullptr, out, 5, 2.0f);
    if (aclrtSynchronizeStream(nullptr) != ACL_SUCCESS) return 1;
    aclrtMemcpy(rows, sizeof rows, out, sizeof rows, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtFree(out);
    const auto* chip = platform_ascendc::PlatformAscendCManager::GetInstance();
    std::printf("%g %g %g of %u %u", rows[0][0], rows[1][63], rows[2][1], chip->GetCoreNumAic(), chip->GetCoreNumAiv());
}
"""), ("CMakeLists.txt", """cmake_minimum_required(VERSION 3.16)
project(rows)
set(SOC_VERSION "ascend910b1" CACHE STRING "")
include($ENV{ASCEND_HOME_PATH}/tools/tikcpp/ascendc_kernel_cmake/ascendc.cmake)
ascendc_library(kernels STATIC lib/rows.cpp lib/none.cpp)
ascendc_compile_definitions(kernels PRIVATE -DNAME=nothing -DOTHER)
add_executable(rows main.cpp)
target_link_libraries(rows PRIVATE kernels ascendcl platform)
""")):
            os.makedirs(os.path.dirname(os.path.join(self.work, name)), exist_ok=True)
            with open(os.path.join(self.work, name), "w") as file:
                file.write(text)
        self.call("cmake", "-B", "build", ".")
        self.call("cmake", "--build", "build", "-j", "2")
        self.assertEqual(self.call("build/rows", PTOSIM_CHIP="ascend910b4").stdout, "10 20 30 of 20 40")
        self.assertFalse(os.path.exists(os.path.join(self.work, "build", "kernels_launch", "aclrtlaunch_gone.h")))

    @unittest.skipUnless(shutil.which("ninja") and shutil.which("ccache"), "ninja and ccache")
    def test_ninja_and_ccache(self):
        # A build follows its sources: by the depfiles, and though a compiler cache is in between.
        source = os.path.join(self.work, "own_kernel.cpp")
        shutil.copy(self.file("fill_kernel.cpp"), source)
        self.project(source)
        cache = {"CCACHE_DIR": os.path.join(self.work, "ccache")}
        self.call("cmake", "-G", "Ninja", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-B", "build",
                  ".", **cache)
        self.call("ninja", "-C", "build", **cache)
        self.assertEqual(self.call("build/fill").stdout, "1 2 3 4 ")
        self.assertIn("no work to do", self.call("ninja", "-C", "build", **cache).stdout)
        with open(source) as file:
            text = file.read()
        with open(source, "w") as file:
            file.write(text.replace("#define SCALE 1", "#define SCALE 3"))
        self.call("ninja", "-C", "build", **cache)
        self.assertEqual(self.call("build/fill").stdout, "3 6 9 12 ")

    def test_what_hosts_ask_the_device(self):
        # Sizes: models/ascend910b4.json has the sources. 207000 and 107001 are acl's own codes.
        done = self.call(sys.executable, os.path.join(HERE, "device_calls.py"),
                         PTOSIM_CHIP="ascend910b4")
        self.assertEqual(done.stdout.splitlines(), [
            "101 0 20", "102 0 20", "201 0 40", "204 0 196608", "302 0 100663296", "1 207000 -",
            "last 207000 207000 0", "other device 107001", "streams (0, 0, 0) (1, 0, 0) (2, 0, 0)",
            "memory 0 0", "limits (0, 6) (0, 4) (0, 20) 107000", "end 0 0"])

    def test_memory_that_is_mapped_to_reserved_addresses(self):
        done = self.call(sys.executable, os.path.join(HERE, "reserved_memory.py"), PTOSIM_CHIP="ascend910b4")
        self.assertEqual(done.stdout.splitlines(), [
            "cores [20, 40, 100663296]", "0 2097152", "sizes 107000 107000", "map 0 107000 107000 107000 107000",
            "unmap 0 107000", "two 0", "elsewhere 0 of one.. of two..", "exchange 0 0 0 0 of one.. of two..",
            "free 107000 0 0 107000", "release 0 0 0 0 107000", "end 0 0"])

    def test_tiling_data_and_figures_of_the_chip(self):
        # A structure of the same members, as a kernel declares it, reads the saved bytes. Figures:
        # models/ascend910b4.json and ascend950pr.json have the sources.
        headers = os.path.join(self.home, "include", "asc_devkit")
        self.call("bisheng", "-std=c++17", "-I", headers, os.path.join(HERE, "tiling_main.cpp"), "-o", "tiling")
        for chip, figures in (("ascend910b4", "Ascend910B4: 20 40 196608 524288 2201 Ascend910B 0 -"),
                              ("ascend950pr", "Ascend950PR: 32 64 253952 524288 3510 Ascend950 0 -")):
            done = self.call("./tiling", PTOSIM_CHIP=chip)
            self.assertEqual(done.stdout.splitlines(),
                             ["24 of 24", "11 6 7 8 9 -10", "5 1", "60 3", figures])

    def test_what_it_cannot_do_is_named(self):
        source = self.file("fill_kernel.cpp")
        for words, named in ((["--cce-aicore-only"], "--cce-aicore-only"),
                             (["--cce-pto-auto-enable"], "--cce-pto-auto-enable"),
                             (["--cce-aicore-arch=dav-l510"], "dav-l510"),
                             (["--cce-turbo"], "--cce-turbo"), (["-x", "ir"], "-x ir"),
                             (["-mllvm"], "-mllvm needs a value"), (["-E"], "-E")):
            with self.subTest(words):
                done = self.call("bisheng", "-xcce", "-c", source, "-o", "k.o", *words, code=2)
                self.assertIn(named, done.stderr)
                self.assertIn("[H04]", done.stderr)
        with open(os.path.join(self.work, "wrong.cpp"), "w") as file:
            file.write("__global__ AICORE void wrong() { nothing(); }\n")
        done = self.call("bisheng", "-xcce", "--npu-arch=dav-2201", "-c", "wrong.cpp", code=2)
        self.assertIn("wrong.cpp:1:", done.stderr)
        self.assertIn("nothing", done.stderr)
        for text, named in (("__simt_vf__ AICORE LAUNCH_BOUND(64) void f() {}", "__simt_vf__: vector cores of a2a3 run no threads"),):
            with open(os.path.join(self.work, "wrong.cpp"), "w") as file:
                file.write(f"#include <pto/pto-inst.hpp>\n__global__ AICORE void k() {{}}\n{text}\n")
            done = self.call("bisheng", "-xcce", "--npu-arch=dav-2201", "-c", "wrong.cpp", code=2)
            self.assertRegex(done.stderr, r"wrong\.cpp:3:\d+: error: " + named)
        self.assertEqual(os.listdir(self.work), ["wrong.cpp"])

    def test_the_help_is_a_table_of_options(self):
        toolkit_folder.check_help(self, self.call("bisheng", "--help").stdout.split("\n\n", 2)[2])


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
