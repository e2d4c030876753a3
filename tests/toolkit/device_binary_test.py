#!/usr/bin/python3
"""Device binaries: objects of bisheng --cce-aicore-only, joined and linked by the toolkit's ld.lld, registered and
launched by rt calls of a host in Python; tests/toolkit/device_executor.cpp is the kernel, and device_server.cpp the
scheduler of one test.

device_binary_test.py --ptosim BIN
"""
import argparse
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from toolkit_folder import environment

OPTIONS = None
HERE = Path(__file__).resolve().parent
LINK = ["ld.lld", "-m", "aicorelinux", "-Ttext=0", "-static"]
COLS, BLOCKS, KEY = 64, 3, 7
ROWS = 2 * BLOCKS  # one for each vector core of a block

HOST = f"""
import ctypes, struct, sys
lib = ctypes.CDLL(sys.argv[1] + "/lib64/libruntime.so")
content = open(sys.argv[2], "rb").read()

class Binary(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_uint32), ("version", ctypes.c_uint32), ("data", ctypes.c_char_p),
                ("bytes", ctypes.c_uint64)]

class Arguments(ctypes.Structure):
    _fields_ = [("words", ctypes.c_void_p), ("inputs", ctypes.c_void_p), ("bytes", ctypes.c_uint32)]

handle, memory = ctypes.c_void_p(), ctypes.c_void_p()
code = lib.rtRegisterAllKernel(ctypes.byref(Binary(0, 0, content, len(content))), ctypes.byref(handle))
if code != 0:
    sys.exit(3)
Row = ctypes.c_float * ({ROWS} * {COLS})
rows = Row(*range({ROWS} * {COLS}))
size = ctypes.c_uint64(ctypes.sizeof(rows))
assert lib.rtMalloc(ctypes.byref(memory), size, 2, 0) == 0
assert lib.rtMemcpy(memory, size, rows, size, 1) == 0
task = int(sys.argv[4])
if task != 0:
    registers, order = ctypes.c_uint64(), ctypes.c_uint64(0)
    assert lib.halMemCtl(0, ctypes.byref(order), ctypes.c_uint64(8), ctypes.byref(registers), None) == 0
    # runtime/kernel.h: arguments, two pointers, bytes, two counts, offsets of the names.
    arguments = ctypes.create_string_buffer(struct.pack("QQQ16s", registers.value, {BLOCKS}, task, b"Schedule"))
    server = struct.pack("QQQIHHII", ctypes.addressof(arguments), 0, 0, 40, 0, 0, 24, 24)
    assert lib.rtAicpuKernelLaunchExWithArgs(5, b"", 1, server, None, None, 0) == 0
exec(sys.argv[5])
words = (ctypes.c_uint64 * 2)(memory.value, task)
launch = Arguments(ctypes.cast(words, ctypes.c_void_p), None, ctypes.sizeof(words))
launched = lib.rtKernelLaunchWithHandleV2(handle, ctypes.c_uint64(int(sys.argv[3])), {BLOCKS}, ctypes.byref(launch),
                                          None, None, None)
if launched != 0:
    sys.exit(4)
assert lib.rtStreamSynchronize(None) == 0
assert lib.rtMemcpy(rows, size, memory, size, 2) == 0
print("right" if list(rows) == [2.0 * i for i in range(len(rows))] else "wrong")
if not sys.argv[5]:
    assert lib.rtFree(memory) == 0
assert lib.rtDevBinaryUnRegister(handle) == 0
"""


# The same by handles of functions: of the binary's kernel, whose rows lie in device memory or next to its arguments, and of
# the scheduler as an operator of the AICPU.
HANDLES = HOST[:HOST.index("content =")] + f"""
class Option(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint32), ("value", ctypes.c_uint32 * 4)]

class Options(ctypes.Structure):
    _fields_ = [("options", ctypes.POINTER(Option)), ("count", ctypes.c_size_t)]

binary_file, operators, prefix, task = sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
if prefix == "rts":
    load, find, launch, unload = (lib.rtsBinaryLoadFromFile, lib.rtsFuncGetByName, lib.rtsLaunchKernelWithHostArgs,
                                  lib.rtsBinaryUnload)
else:
    load, find, launch, unload = (lib.aclrtBinaryLoadFromFile, lib.aclrtBinaryGetFunction,
                                  lib.aclrtLaunchKernelWithHostArgs, lib.aclrtBinaryUnLoad)

def function(file, name, options=None):
    binary, found = ctypes.c_void_p(), ctypes.c_void_p()
    for code in (load(file.encode(), options, ctypes.byref(binary)), find(binary, name.encode(), ctypes.byref(found))):
        if code != 0:
            sys.exit(3)
    return binary, found

memory, handles = ctypes.c_void_p(), []
Row = ctypes.c_float * ({ROWS} * {COLS})
rows = Row(*range({ROWS} * {COLS}))
size = ctypes.c_uint64(ctypes.sizeof(rows))
assert lib.rtMalloc(ctypes.byref(memory), size, 2, 0) == 0
assert lib.rtMemcpyAsync(memory, size, rows, size, 1, None) == 0
if task != 0:
    registers, order = ctypes.c_uint64(), ctypes.c_uint64(0)
    assert lib.halMemCtl(0, ctypes.byref(order), ctypes.c_uint64(8), ctypes.byref(registers), None) == 0
    cpu = Options(ctypes.pointer(Option(3, (0, 0, 0, 0))), 1)
    binary, schedule = function(operators, "Order", ctypes.byref(cpu))
    handles.append(binary)
    arguments = ctypes.create_string_buffer(struct.pack("QQQ", registers.value, {BLOCKS}, task))
    if prefix == "rts":
        # rtCpuKernelArgs_t: those of a server, with no names, and a reserve.
        base = struct.pack("QQQIHHIIIIQIIII", ctypes.addressof(arguments), 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        assert lib.rtsLaunchCpuKernel(schedule, 1, None, None, base) == 0
    else:
        assert launch(schedule, 1, None, None, arguments, 24, None, 0) == 0
binary, kernel = function(binary_file, "Rows_7")
assert find(binary, b"Rows_9", ctypes.byref(ctypes.c_void_p())) != 0  # streams go on
words = ctypes.create_string_buffer(struct.pack("QQ", memory.value, task))
assert launch(kernel, {BLOCKS}, None, None, words, 16, None, 0) == 0
if task == 0:  # in a copy of these arguments, whose result is not read
    beside = ctypes.create_string_buffer(struct.pack("QQ", 0, 0) + bytes(rows))
    pointer = (ctypes.c_uint32 * 2)(0, 16)
    assert launch(kernel, {BLOCKS}, None, None, beside, 16 + size.value, pointer, 1) == 0
assert lib.rtStreamSynchronize(None) == 0
assert lib.rtMemcpy(rows, size, memory, size, 2) == 0
print("right" if list(rows) == [2.0 * i for i in range(len(rows))] else "wrong")
assert lib.rtFree(memory) == 0
assert launch(kernel, {BLOCKS}, None, None, words, 16, (ctypes.c_uint32 * 2)(16, 0), 1) != 0
for handle in [binary, *handles]:
    assert unload(handle) == 0
assert unload(binary) != 0
assert launch(kernel, {BLOCKS}, None, None, words, 16, None, 0) != 0
"""

# By the address of a function of the host.
STUBS = HOST[:HOST.index("task = int")] + f"""
Entry = ctypes.CFUNCTYPE(None)
stub = Entry(lambda: None)
assert lib.rtFunctionRegister(handle, stub, b"rows", b"Rows_7", 0) == 0
words = (ctypes.c_uint64 * 2)(memory.value, 0)
assert lib.rtKernelLaunch(stub, {BLOCKS}, words, ctypes.sizeof(words), None, None) == 0
assert lib.rtStreamSynchronize(None) == 0
assert lib.rtMemcpy(rows, size, memory, size, 2) == 0
print("right" if list(rows) == [2.0 * i for i in range(len(rows))] else "wrong")
assert lib.rtFree(memory) == 0
assert lib.rtFunctionRegister(handle, stub, b"rows", b"Rows_8", 0) != 0
assert lib.rtKernelLaunch(ctypes.byref(memory), {BLOCKS}, None, 0, None, None) != 0
"""


class DeviceBinary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.home = os.path.join(cls.folder.name, "toolkit")
        subprocess.run([OPTIONS.ptosim, "toolkit", cls.home], check=True, stdout=subprocess.DEVNULL)
        cls.environment = environment(cls.home, os.path.join(cls.folder.name, "cache"))
        cls.compile("task.o", HERE / "device_task.cpp", "vec")
        cls.compile("vector.o", HERE / "device_executor.cpp", "vec")
        cls.compile("cube.o", HERE / "device_executor.cpp", "cube", "-DCUBE")
        cls.run_tool(*LINK, "-r", "-o", "aiv.o", "task.o", "vector.o")
        cls.run_tool(*LINK, "-o", "rows.bin", "cube.o", "aiv.o")

    @classmethod
    def run_tool(cls, *words, code=0, **variables):
        done = subprocess.run(words, cwd=cls.folder.name, env={**cls.environment, **variables}, text=True,
                              capture_output=True, check=False)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    @classmethod
    def compile(cls, output, source, core, *words, arch="c220"):
        cls.run_tool("bisheng", "-c", "-O2", "-xcce", "-std=c++17", "--cce-aicore-only",
                     f"--cce-aicore-arch=dav-{arch}-{core}", *words, "-o", output, str(source))

    def launch(self, binary, key=KEY, code=0, task=0, before="", **variables):
        return self.run_tool(sys.executable, "-c", HOST, self.home, binary, str(key), str(task), before, code=code,
                             **variables)

    def test_tasks_of_another_object(self):
        self.assertEqual(self.launch("rows.bin").stdout, "right\n")

    def test_pointers_to_ub(self):
        self.compile("pointers.o", HERE / "device_pointers.cpp", "vec")
        self.run_tool(*LINK, "-o", "pointers.bin", "cube.o", "pointers.o", "vector.o")
        self.assertEqual(self.launch("pointers.bin").stdout, "right\n")

    def test_memory_that_is_freed_later(self):
        free = "assert lib.ptosim_free_later(memory) == 0"
        self.assertEqual(self.launch("rows.bin", before=free).stdout, "right\n")
        now = "; assert lib.ptosim_free_delayed() == 0"
        self.assertIn("use after free", self.launch("rows.bin", before=free + now, code=1).stderr)

    def test_a5(self):
        self.compile("task5.o", HERE / "device_task.cpp", "vec", arch="c310")
        self.compile("vector5.o", HERE / "device_executor.cpp", "vec", arch="c310")
        self.compile("cube5.o", HERE / "device_executor.cpp", "cube", "-DCUBE", arch="c310")
        self.run_tool(*LINK, "-o", "rows5.bin", "cube5.o", "task5.o", "vector5.o")
        self.assertEqual(self.launch("rows5.bin", PTOSIM_CHIP="ascend950pr").stdout, "right\n")

    def test_a_scheduler_gives_the_tasks(self):
        self.run_tool("c++", "-shared", "-fPIC", "-O1", "-fsanitize-coverage=trace-pc", str(HERE / "device_server.cpp"),
                      "-o", "server.so")
        library = os.path.join(self.folder.name, "server.so")
        self.assertEqual(self.launch("rows.bin", task=5, PTOSIM_AICPU_SERVER=library).stdout, "right\n")

    def test_functions_by_handles(self):
        self.run_tool("c++", "-shared", "-fPIC", "-O1", "-fsanitize-coverage=trace-pc", str(HERE / "device_server.cpp"),
                      "-o", "server.so")
        operators = Path(self.folder.name, "operators.json")
        operators.write_text('{"Order": {"opInfo": {"functionName": "Schedule", "kernelSo": "libserver.so"}}}')
        library = os.path.join(self.folder.name, "server.so")
        for prefix in ("rts", "acl"):
            for task in (0, 5):
                done = self.run_tool(sys.executable, "-c", HANDLES, self.home, "rows.bin", str(operators), prefix,
                                     str(task), PTOSIM_AICPU_SERVER=library)
                self.assertEqual(done.stdout, "right\n", done.stderr)
        operators.write_text("[]")
        failed = self.run_tool(sys.executable, "-c", HANDLES, self.home, "rows.bin", str(operators), "rts", "5", code=3)
        self.assertIn("lists no operator of the AICPU", failed.stderr)
        failed = self.run_tool(sys.executable, "-c", HANDLES, self.home, "none.bin", str(operators), "rts", "0", code=3)
        self.assertIn("none.bin cannot be read", failed.stderr)

    def test_functions_by_stubs(self):
        done = self.run_tool(sys.executable, "-c", STUBS, self.home, "rows.bin", str(KEY), "0", "")
        self.assertEqual(done.stdout, "right\n", done.stderr)
        self.assertIn("no kernel Rows_8", done.stderr)

    def test_a_setup_needs_a_checkout(self):
        self.assertIn("[H32]", self.run_tool("pypto-setup", self.folder.name, code=2).stderr)

    def test_a_setup_names_the_files_and_symbols_that_a_checkout_lacks(self):
        machine = Path(self.folder.name, "checkout/framework/src/machine")
        for folder in ("device", "utils/dynamic"):
            (machine / folder).mkdir(parents=True)
        server = 'extern "C" int DynTileFwkBackendKernelServer(void*) { return 0; }\n'
        (machine / "device/server.cpp").write_text(server)
        failed = self.run_tool("pypto-setup", "checkout", code=2)
        self.assertIn("utils/dynamic/dev_encode_function.cpp is missing", failed.stderr)
        for file in ("dev_encode_function", "dev_encode_function_dupped_data", "dev_encode_program"):
            (machine / "utils/dynamic" / (file + ".cpp")).touch()
        failed = self.run_tool("pypto-setup", "checkout", code=2)
        self.assertIn("DynTileFwkBackendKernelServerInit", failed.stderr)
        entry = machine / "device/init.cpp"
        entry.write_text('int moved();\nextern "C" int DynTileFwkBackendKernelServerInit(void*) { return moved(); }\n')
        failed = self.run_tool("pypto-setup", "checkout", code=2)
        self.assertIn("moved()", failed.stderr)
        self.assertIn("[H32]", failed.stderr)
        entry.write_text('extern "C" int DynTileFwkBackendKernelServerInit(void*) { return 0; }\n')
        self.assertIn("libaicpu_server.so", self.run_tool("pypto-setup", "checkout").stdout)

    def test_another_key(self):
        self.assertIn("no kernel with tiling key 8", self.launch("rows.bin", key=8, code=4).stderr)

    def test_what_is_no_binary(self):
        self.assertIn("[H01]", self.launch(sys.executable, code=3).stderr)

    def test_links_that_fail(self):
        missing = self.run_tool(*LINK, "-o", "missing.bin", "cube.o", "vector.o", code=2)
        self.assertIn("'double_row', which is not defined", missing.stderr)
        Path(self.folder.name, "host.cpp").write_text("int main() {}\n")
        self.run_tool("c++", "-c", "host.cpp", "-o", "host.o")
        self.assertIn("host.o: not the code of a kernel", self.run_tool(*LINK, "-o", "x", "host.o", code=2).stderr)
        self.assertIn("--gc-sections", self.run_tool(*LINK, "--gc-sections", "cube.o", code=2).stderr)

    def test_other_targets(self):
        # The next linker in PATH, which is not the toolkit's script, gets all words; here a stand-in prints them.
        folder = Path(self.folder.name, "other")
        folder.mkdir()
        source = folder / "linker.cpp"
        source.write_text("#include <cstdio>\nint main(int, char** words) { while (*++words) std::puts(*words); }\n")
        self.run_tool("c++", str(source), "-o", str(folder / "ld.lld"))
        toolkit = self.environment["PATH"].split(":")[0]
        path = f"{toolkit}:{folder}:{self.environment['PATH']}"
        words = ["-m", "elf_x86_64", "--version"]
        self.assertEqual(self.run_tool("ld.lld", *words, PATH=path).stdout.split(), words)
        # Without one.
        failed = self.run_tool(os.path.join(self.home, "bin", "ld.lld"), *words, code=2, PATH=f"{self.home}/bin")
        self.assertIn("PATH has no linker", failed.stderr)
        self.assertIn("install lld", failed.stderr)

    def test_a_core_type_is_needed(self):
        done = self.run_tool("bisheng", "-c", "-xcce", "--cce-aicore-only", "--cce-aicore-arch=dav-c220",
                             str(HERE / "device_task.cpp"), code=2)
        self.assertIn("[H04]", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.ptosim = OPTIONS.ptosim.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
