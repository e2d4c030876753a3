#!/usr/bin/python3
"""Symbols that runtimes find in libptosim when they are loaded: checked copies of C strings (by the names and results
of securec.h), profilers that drop their input, and launches on the AICPU that are refused with a reason.

loaded_runtimes_test.py --ptosim BIN
"""
import argparse
import ctypes
import errno
import importlib
import os
import subprocess
import sys
import types
import unittest
import unittest.mock
from pathlib import Path

OPTIONS = None
ROOT = Path(__file__).resolve().parents[2]


class LoadedRuntimes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = OPTIONS.ptosim.resolve().parent / "libptosim.so"
        cls.lib = ctypes.CDLL(str(cls.library))

    def formatted(self, function, room, *words):
        text = ctypes.create_string_buffer(b"?" * 15)
        length = getattr(self.lib, function)(text, ctypes.c_size_t(room), *words)
        return length, text.value

    def test_formats(self):
        self.assertEqual(self.formatted("sprintf_s", 6, b"%s-%d", b"ab", 12), (5, b"ab-12"))
        self.assertEqual(self.formatted("sprintf_s", 5, b"%s-%d", b"ab", 12), (-1, b""))
        self.assertEqual(self.formatted("snprintf_s", 15, ctypes.c_size_t(3), b"%s", b"abcd"), (-1, b"abc"))
        self.assertEqual(self.formatted("snprintf_s", 15, ctypes.c_size_t(4), b"%s", b"abcd"), (4, b"abcd"))
        self.assertEqual(self.formatted("snprintf_truncated_s", 4, b"%s", b"abcd"), (3, b"abc"))

    def test_copies(self):
        self.assertEqual(self.formatted("strcpy_s", 5, b"abcd"), (0, b"abcd"))
        self.assertEqual(self.formatted("strcpy_s", 4, b"abcd"), (errno.ERANGE, b""))
        self.assertEqual(self.formatted("strncpy_s", 4, b"abcd", ctypes.c_size_t(3)), (0, b"abc"))
        text = ctypes.create_string_buffer(b"ab", 5)
        self.assertEqual(self.lib.strcat_s(text, ctypes.c_size_t(5), b"cd"), 0)
        self.assertEqual(text.value, b"abcd")
        self.assertEqual(self.lib.strcat_s(text, ctypes.c_size_t(5), b"e"), errno.ERANGE)
        self.assertEqual(self.formatted("memcpy_s", 2, b"abc", ctypes.c_size_t(3))[0], errno.ERANGE)

    def test_figures_of_the_chip(self):
        value = ctypes.create_string_buffer(32)
        self.assertEqual(self.lib.rtGetSocSpec(b"AICoreSpec", b"ub_size", value, 32), 0)
        self.assertEqual(value.value, b"196608")  # 192 KiB, of a 910B
        self.assertNotEqual(self.lib.rtGetSocSpec(b"AICoreSpec", b"ub_size", value, 6), 0)
        self.assertNotEqual(self.lib.rtGetSocSpec(b"AICoreSpec", b"no_such_figure", value, 32), 0)

    def test_numbers_of_chips(self):
        """torch_npu.npu.get_soc_version, by which tests of PyPTO choose their cases; without torch."""
        package = types.ModuleType("torch_npu")
        package._acl, package._state = types.SimpleNamespace(), types.SimpleNamespace()
        package.__path__ = [str(ROOT / "sim" / "faces" / "toolkit" / "python" / "torch_npu")]
        # Graphs need more of torch than a module without anything.
        graphs = types.SimpleNamespace(NPUGraph=None, graph=None, graph_pool_handle=None, is_current_stream_capturing=None)
        with unittest.mock.patch.dict(sys.modules, {"torch": types.ModuleType("torch"), "torch_npu": package,
                                                    "torch_npu._graphs": graphs}):
            npu = importlib.import_module("torch_npu.npu")
            for name, number in (("Ascend910B1", 220), ("Ascend910B2C", 222), ("Ascend950PR_9599", 260),
                                 ("Ascend910_9599", 260), ("Ascend910_9392", 250)):
                package._acl.get_soc_name = lambda name=name: name
                self.assertEqual(npu.get_soc_version(), number, name)
            package._acl.get_soc_name = lambda: "Kirin9030"
            self.assertRaisesRegex(RuntimeError, "no number for Kirin9030", npu.get_soc_version)

    def test_profilers_take_and_drop(self):
        self.assertEqual(self.lib.MsprofReportApi(0, None), 0)
        self.assertEqual(self.lib.MsprofReportAdditionalInfo(0, b"info", 4), 0)

    def test_servers_without_a_library_are_refused(self):
        # runtime/kernel.h: arguments, two pointers, bytes, two counts, offsets of the names.
        program = ("import ctypes, struct, sys\n"
                   f"lib = ctypes.CDLL({str(self.library)!r})\n"
                   "text = ctypes.create_string_buffer(b'StartServer')\n"
                   "launch = struct.pack('QQQIHHII', ctypes.addressof(text), 0, 0, 12, 0, 0, 0, 0)\n"
                   "sys.exit(0 if lib.rtAicpuKernelLaunchExWithArgs(0, b'', 1, launch, None, None, 0) == 207000 else 1)\n")
        environment = {name: value for name, value in os.environ.items() if name != "PTOSIM_AICPU_SERVER"}
        environment["PTOSIM_CACHE"] = os.devnull  # it has no library
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                                env=environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("a launch of StartServer on the AICPU, whose code is for another machine", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptosim", type=Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
