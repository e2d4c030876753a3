#!/usr/bin/python3
"""`ptosim serve` from outside: verdicts, refusals, and kernels that do harm.

serve_test.py --ptosim BIN
"""
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import frame
from frame import ARGS, VADD

PTOSIM = ""
INFINITE = float("inf")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "sim", "python"))
GOOD = {"kernel": VADD, "blocks": 1, "args": ARGS, "seeds": [1, 2], "reference": "add"}
# Harm that a compiled kernel does to the machine, by number.
HARM = """#include <pto/pto-inst.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
__global__ AICORE void k(__gm__ float* out, int32_t what) {
    if (what == 1) *reinterpret_cast<volatile int*>(8) = 1;
    if (what == 2) for (;;) asm volatile("");
    if (what == 3) for (int i = 0; i < 100; ++i) if (fork() == 0) for (;;) pause();
    if (what == 4) for (;;) { auto* p = static_cast<volatile char*>(malloc(64 << 20));
        for (size_t i = 0; i < (64 << 20); i += 4096) p[i] = 1; }
    if (what == 5) { int f = open("FOLDER/written", O_WRONLY | O_CREAT, 0644); if (f >= 0) close(f); }
    if (what == 6) kill(getppid(), SIGKILL);
    if (what == 7) { int f = open("FOLDER/golden.npy", O_RDONLY); if (f >= 0) { out[0] = 1; close(f); } }
    if (what == 8) out[0] = 1;
    if (what == 9) raise(SIGKILL);
    if (what == 10) { int f = socket(AF_UNIX, SOCK_STREAM, 0); if (f >= 0) out[0] = 1; }
    if (what == 11) execl("/bin/sh", "sh", "-c", "echo > FOLDER/written", nullptr);
    if (what == 12) for (int f = 0; f < 64; ++f) {  // of whatever else is open here
        char byte; msghdr m{}; iovec v{&byte, 1}; m.msg_iov = &v; m.msg_iovlen = 1;
        if (recvmsg(f, &m, MSG_DONTWAIT | MSG_PEEK) > 0) out[0] = 1; }
    if (what == 13) for (int n = 0; n < 60; ++n) {  // memory in files counts, too
        int f = memfd_create("m", 0); static char page[1 << 16];
        long size = 0; while (write(f, page, sizeof page) > 0 && size < 1L << 34) size += sizeof page;
        if (size > 8 << 20) out[0] = 1; }
    if (what == 14) exit(0);
}
"""


class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        references = os.path.join(cls.folder, "references.py")
        with open(references, "w") as file:
            file.write("import numpy as np\ndef add(x, y, rows):\n    return x + y\n")
        environment = dict(os.environ, PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
        cls.server = subprocess.Popen(
            [PTOSIM, "serve", "--references", references, "--timeout", "60", "--memory", "512",
             "--compile-timeout", "120", "--root", ROOT, "--results", os.path.join(cls.folder, "results")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=ROOT)

    @classmethod
    def tearDownClass(cls):
        cls.server.stdin.close()
        assert cls.server.wait(30) == 0
        cls.server.stdout.close()

    def ask(self, request):
        self.server.stdin.write(json.dumps(request).encode() + b"\n")
        self.server.stdin.flush()
        line = self.server.stdout.readline()
        verdict = json.loads(line)
        if isinstance(verdict, dict):
            self.assertLessEqual(len(line), 4096)
        return verdict

    def test_right(self):
        v = self.ask({"id": 7, **GOOD})
        self.assertEqual((v["id"], v["verdict"], v["compiles"], v["legal"]), (7, "pass", True, True), v)
        self.assertEqual([case["right"] for case in v["cases"]], [True, True])
        self.assertEqual((v["races"], v["findings"]), (0, []))
        self.assertGreater(v["cycles"], 0)
        self.assertTrue(0 < v["roofline"] < 1)
        self.assertIn("kernel.pto:", v["limit"])
        self.assertEqual((v["scope"]["chip"], v["scope"]["runs"]), ("ascend910b1", 2))
        self.assertAlmostEqual(sum(v["scope"]["grades"].values()), 1, delta=0.01)
        self.assertLessEqual({"silicon", "assumed"}, set(v["scope"]["grades"]))
        self.assertTrue(0 < v["range_percent"] < 100)
        functional = self.ask({**GOOD, "mode": "functional"})
        self.assertEqual(functional["verdict"], "pass")
        timed = ("cycles", "time_us", "range_percent", "roofline", "limit")
        self.assertEqual([key for key in timed if key in functional or key in functional["cases"][0]], [])
        self.assertEqual(v["scope"]["line"]["reached"], v["scope"]["line"]["all"])
        self.assertEqual(v["scope"]["not_reached"],
                         [f"kernel.pto:52 ({turns})" for turns in ("no iteration", "several iterations")])
        with open(v["whole"]) as file:
            self.assertEqual(json.load(file)[0]["cycles"], v["cases"][0]["cycles"])

    def test_the_page_of_the_server(self):
        with open(os.path.join(ROOT, "docs", "python.md")) as file:
            page = file.read()
        with open(os.path.join(ROOT, "docs", "examples", "request.json")) as file:
            request = json.load(file)
        v = self.ask({**request, "kernel": VADD, "reference": "add"})
        self.assertEqual((v["id"], v["verdict"]), (7, "pass"), v)
        broken = self.ask({**GOOD, "kernel": VADD.replace("pto.tadd", "pto.taddd", 1)})
        told = re.findall(r"`(\w+)`", page.partition("| field of a verdict |")[2].partition("### Limits")[0])
        for verdict in (v, broken, self.ask(5)):
            self.assertLessEqual(set(verdict), {*told, "id"})

    def test_a_batch_is_answered_in_its_order(self):
        verdicts = self.ask([{"id": i, **GOOD, "seeds": [i]} for i in range(4)])
        self.assertEqual([(v["id"], v["verdict"]) for v in verdicts],
                         [(i, "pass") for i in range(4)])

    def test_wrong(self):
        v = self.ask({**GOOD, "kernel": VADD.replace("pto.tadd ", "pto.tsub ", 1)})
        self.assertEqual((v["verdict"], v["cases"][0]["right"]), ("fail", False))
        self.assertEqual(v["cases"][0]["wrong"]["first"], [0, 0])
        self.assertEqual(v["cases"][0]["wrong"]["elements"], 16 * 256)

    def test_a_race_with_the_right_result_is_no_pass(self):
        v = self.ask({**GOOD, "kernel": VADD.replace(
            "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]", "", 1)})
        self.assertEqual(v["verdict"], "fail")
        self.assertGreater(v["races"], 0)
        self.assertIn("line", v["findings"][0])

    def test_the_reason_of_a_deadlock_is_the_deadlock(self):
        text = VADD.replace("pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n", "\n", 1)
        waits = [i for i, line in enumerate(text.splitlines(), 1)
                 if "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]" in line]
        v = self.ask({**GOOD, "kernel": text})
        self.assertEqual((v["verdict"], v["cases"][0]["right"]), ("fail", False))
        self.assertRegex(v["reason"], rf"^kernel.pto:{waits[0]}: deadlock: AIV00/V waits for flag MTE2->V #0")

    def test_the_reason_of_a_wrong_result_names_what_was_found(self):
        text = VADD.replace("pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]", "", 1).replace(
            "pto.tadd ", "pto.tsub ", 1)
        v = self.ask({**GOOD, "kernel": text})
        self.assertRegex(v["reason"], r"^case 0, seed 1, argument 2: .* differ; .*; found: kernel.pto:\d+: ")

    def test_what_does_not_compile_or_is_not_legal(self):
        v = self.ask({**GOOD, "kernel": VADD.replace("pto.tadd", "pto.taddd", 1)})
        self.assertEqual((v["verdict"], v["compiles"]), ("fail", False))
        self.assertEqual(v["findings"][0]["code"], "K02")
        v = self.ask({**GOOD, "set": {"aiv.ub.bytes": "16KiB"}})
        self.assertEqual((v["verdict"], v["compiles"], v["legal"]), ("fail", True, False))
        v = self.ask({"kernel": "#include <nothing.h>\n__global__ void k() {}\n", "args": []})
        self.assertEqual((v["compiles"], v["findings"][0]["code"]), (False, "H02"))
        self.assertIn("nothing.h", " ".join(v["findings"][0]["notes"]))

    def test_lines_that_did_not_run(self):
        v = self.ask({**GOOD, "kernel": VADD.replace("scf.for %row = %begin to %end",
                                                     "scf.for %row = %begin to %begin")})
        self.assertEqual(v["verdict"], "fail")
        self.assertEqual(v["cases"][0]["wrong"]["unwritten"], 32 * 256)
        adds = [i for i, line in enumerate(VADD.splitlines(), 1) if "pto.tadd" in line]
        missed = set()
        for text in v["scope"]["not_reached"]:
            first, last = re.match(r"kernel.pto:(\d+)(?:-(\d+))?", text).groups()
            missed |= set(range(int(first), int(last or first) + 1))
        self.assertLessEqual(set(adds), missed, v["scope"])
        self.assertLess(v["scope"]["line"]["reached"], v["scope"]["line"]["all"])

    def test_reading_what_it_should_compute_is_refused(self):
        # The y of the sum is taken from z, the output.
        text = VADD.replace("make_tensor_view %y,", "make_tensor_view %z,")
        v = self.ask({**GOOD, "kernel": text})
        self.assertEqual(v["verdict"], "refused")
        self.assertIn("reads an output", v["reason"])

    def test_less_work_than_the_task_needs_is_refused(self):
        v = self.ask({**GOOD, "work": {"bytes": 3 * 32 * 256 * 4}})
        self.assertEqual(v["verdict"], "pass")
        v = self.ask({**GOOD, "work": {"bytes": 3 * 32 * 256 * 4 + 1}})
        self.assertEqual(v["verdict"], "refused")

    def test_nothing_is_a_pass_without_a_golden(self):
        v = self.ask({key: value for key, value in GOOD.items() if key != "reference"})
        self.assertEqual(v["verdict"], "unjudged")

    def test_requests_that_are_none(self):
        for request, text in (
                (5, "an object with a kernel"), ({"kernel": 5}, "'kernel' of the request is 5, not a text"),
                ({"kernel": VADD, "args": [{"kind": "what"}]}, "unknown kind 'what'"),
                ({**GOOD, "sead": 1}, "unknown field 'sead'"),
                ({**GOOD, "chip": "ascend999"}, "ascend999"),
                ({**GOOD, "reference": "sub"}, "unknown reference 'sub'"),
                ({**GOOD, "args": ARGS[:3], "reference": None}, "takes 4 arguments"),
                ({**GOOD, "args": ARGS[:3]}, "reference 'add' failed: TypeError"),
                ({**GOOD, "reference": None, "goldens": {"0": {"values": [1]}}}, "is no output"),
                ({**GOOD, "cases": [7]}, "case 0 is not an object"),
                # JSON can write numbers that are none.
                ({**GOOD, "seeds": [INFINITE]}, "a seed is inf, not a whole number"),
                ({**GOOD, "seeds": [-1]}, "a seed is -1, not a whole number"),
                ({**GOOD, "seeds": 5}, "'seeds' of the request is 5, not a list"),
                ({**GOOD, "seeds": list(range(10**6))}, "at most 64 runs"),
                ({**GOOD, "work": {"flops": INFINITE}}, "flops of work is inf, not a whole number"),
                ({**GOOD, "work": {"type": "f61"}}, "no products of type 'f61'"),
                ({**GOOD, "blocks": 1e30}, "blocks is 1e+30, not a whole number"),
                ({**GOOD, "timeout": float("nan")}, "timeout is nan, not a finite number"),
                ({**GOOD, "rtol": INFINITE}, "rtol is inf, not a finite number"),
                ({**GOOD, "schedules": -1}, "schedules is -1, not a whole number"),
                ({**GOOD, "id": [INFINITE]}, "the id has a number that is not finite"),
                ({**GOOD, "args": [[]]}, "argument 0 is neither a number nor an object: []"),
                ({**GOOD, "args": [{"kind": "in"}]}, "argument 0 of kind in has no 'in'"),
                ({**GOOD, "args": [{"kind": "rand", "shape": [10**9, 10**9]}]}, "is larger than"),
                ({**GOOD, "args": [{"kind": "zeros", "shape": [1 << 27]}] * 3},
                 "the arrays of a case are larger"),
                ({**GOOD, "args": [{"kind": "rand", "shape": [4], "dtype": "i8", "low": -9,
                                    "high": 1e300}]}, "argument 0 from -9 to 1e+300"),
                ({**GOOD, "reference": None, "goldens": {"z": {"values": [1]}}}, "goldens are by the position"),
                ({**GOOD, "reference": None, "goldens": {"2": {"values": [[1], [1, 2]]}}}, "values of an array")):
            v = self.ask(request)
            self.assertEqual(v["verdict"], "error", v)
            self.assertIn(text, v["reason"])
            self.assertNotIn("compiles", v)
            self.assertIn("code", v)
        v = self.ask({**GOOD, "id": "x" * 10000, "kernel": VADD + "// " + "y" * 10000})
        self.assertEqual(v["id"], "x" * 37 + "...")
        self.server.stdin.write(b"{\n")
        self.assertEqual(self.ask(GOOD)["verdict"], "error")
        self.assertEqual(json.loads(self.server.stdout.readline())["verdict"], "pass")

    def test_arguments_and_goldens_that_say_two_things(self):
        def of_argument(**fields):
            return {"args": [{**ARGS[0], **fields}, *ARGS[1:]]}

        golden = {"goldens": {"2": {"values": [0] * 32 * 256, "shape": [32, 256]}}}
        for fields, text in (
                (of_argument(low=2), "low of argument 0 is 2, above high, 1"),
                (of_argument(low=1, high=0), "low of argument 0 is 1, above high, 0"),
                (of_argument(hihg=2), "argument 0 of kind rand has the unknown field 'hihg'"),
                (of_argument(kind="zeros", low=0), "kind zeros has the unknown field 'low'"),
                (golden, "case 0 has goldens and a reference"),
                ({"plan": "x"}, "plan is 'x', not one of legacy, modern"),
                ({"cases": [{**golden, "reference": "add"}]}, "case 0 has goldens and a ref")):
            v = self.ask({**GOOD, **fields})
            self.assertEqual(v["verdict"], "error", v)
            self.assertIn(text, v["reason"])
        # A case's own reference or goldens replace the request's.
        right = self.ask({**GOOD, "reference": None, **golden, "cases": [{"reference": "add"}]})
        self.assertEqual(right["verdict"], "pass", right)
        wrong = self.ask({**GOOD, "cases": [golden]})
        self.assertEqual(wrong["verdict"], "fail", wrong)

    def test_kernels_that_do_harm(self):
        np.save(os.path.join(self.folder, "golden.npy"), np.zeros(4))
        text = HARM.replace("FOLDER", self.folder)

        def harm(what, **more):
            v = self.ask({"kernel": text, "args": [{"kind": "out", "shape": [16]}, what],
                          "cores": "aiv", "blocks": 1, **more})
            self.assertNotEqual(v["verdict"], "error", v)
            return v

        self.assertNotIn("did", harm(0))
        self.assertEqual(harm(1)["findings"][0]["code"], "H10")
        self.assertEqual(harm(2, timeout=1)["findings"][0]["code"], "I65")
        self.assertEqual(harm(3)["did"], ["tried fork (100 times)"])
        v = harm(4)
        self.assertEqual((v["verdict"], v["findings"][0]["code"]), ("fail", "H10"), v)
        self.assertEqual(harm(5)["did"], [f"tried open {self.folder}/written"])
        self.assertEqual(harm(6)["did"], ["tried kill"])
        v = harm(7)
        self.assertEqual((v["did"], v["verdict"]),
                         ([f"tried open {self.folder}/golden.npy"], "unjudged"))
        v = harm(8)  # host code that takes no simulated time
        self.assertEqual(v["verdict"], "refused")
        self.assertIn("4 bytes of output %out were written by no instruction", v["reason"])
        v = harm(9)
        self.assertEqual((v["verdict"], v["findings"][0]["code"]), ("fail", "I66"))
        self.assertIn("SIGKILL", v["reason"])
        v = harm(10)
        self.assertEqual((v["did"], v["verdict"]), (["tried socket"], "unjudged"))
        self.assertEqual(harm(11)["did"], ["tried execve /bin/sh"])
        for what in (12, 13):
            v = harm(what)
            self.assertEqual(v["verdict"], "unjudged", v)
        self.assertEqual(harm(14)["verdict"], "fail")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "written")))
        self.assertEqual(self.ask(GOOD)["verdict"], "pass")

    def test_the_compiler_reads_no_other_files(self):
        secret = os.path.join(self.folder, "secret.h")
        with open(secret, "w") as file:
            file.write("constexpr int answer = 42;\n")
        plain = "#include <pto/pto-inst.hpp>\n__global__ AICORE void k() {}\n"
        v = self.ask({"kernel": plain, "cores": "aiv", "blocks": 1})
        self.assertEqual(v["verdict"], "unjudged", v)
        if "compiler" in v["scope"]:
            self.skipTest("this system has no Landlock")
        for line in (f'#include "{secret}"', f'asm(".incbin \\"{secret}\\"");'):
            v = self.ask({"kernel": plain + line + "\n", "cores": "aiv", "blocks": 1})
            self.assertEqual((v["verdict"], v["compiles"]), ("fail", False), v)
            self.assertNotIn("answer", json.dumps(v))
        v = self.ask({"kernel": f'{plain}#line 1 "{secret}"\n__global__ AICORE void j() '
                      "{ *reinterpret_cast<volatile int*>(8) = 1; }\n", "entry": "j",
                      "cores": "aiv", "blocks": 1})
        self.assertEqual(v["findings"][0]["code"], "H10")
        self.assertNotIn("answer", json.dumps(v))

    def test_time_below_the_roofline_is_refused(self):
        # 24 cubes of 16 x 16 x 64 products in a cycle: this many flops are a million cycles.
        v = self.ask({**GOOD, "work": {"flops": 24 * 16 * 16 * 64 * 2 * 10**6}})
        self.assertEqual(v["verdict"], "refused")
        self.assertTrue(any("beat the chip's roofline for the task, 1000000" in reason
                            for reason in v["refused"]), v)

    def test_shapes(self):
        def case(name, rows, wrong=0):
            return {"name": name, "args": [{"kind": "rand", "shape": [rows, 256]}] * 2 +
                    [{"kind": "out", "shape": [rows, 256]}, rows - wrong]}

        v = self.ask({"kernel": VADD, "blocks": 1, "reference": "add", "seeds": [1, 2],
                      "cases": [case("small", 32), case("large", 64), case("cut", 64, 32)]})
        self.assertEqual([c["right"] for c in v["cases"]], [True] * 4 + [False] * 2)
        self.assertEqual(v["cases"][4]["name"], "cut, seed 1")
        self.assertEqual(v["cases"][4]["wrong"]["unwritten"], 32 * 256)
        self.assertIn("case cut, seed 1, argument 2: 8192 of 16384 elements differ", v["reason"])


class Command(unittest.TestCase):
    def run_it(self, *words, **environment):
        return subprocess.run([PTOSIM, "serve", *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env={**os.environ, **environment})

    def test_help_and_parser_have_the_same_options(self):
        environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "sim", "python"))
        of_python = subprocess.run([sys.executable, "-m", "ptosim", "serve", "--help"],
                                   capture_output=True, text=True, env=environment).stdout
        pattern = r"^  (--[a-z-]+) ?([A-Z]*)"
        options = re.findall(pattern, self.run_it("--help", PATH="/nowhere").stdout, re.M)
        self.assertGreater(len(options), 8)
        self.assertEqual(options, re.findall(pattern, of_python, re.M))

    def test_errors(self):
        own = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
        for words, path, text in (
                ([], "/nowhere", "error: python3 cannot be run: No such file or directory [I02]"),
                (["--sockets", "x"], own, "error: unrecognized arguments: --sockets x [I00]"),
                (["--jobs", "0"], own, "argument --jobs: invalid int above 0 value: '0' [I00]"),
                (["--references", "/none.py"], own, "error: /none.py: No such file or directory [I01]"),
                (["--socket", __file__], own, "exists, and is not a socket [I02]")):
            done = self.run_it(*words, PATH=path)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(text, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        self.assertTrue(os.path.exists(__file__))

    def test_a_python_without_numpy_is_passed_over(self):
        with tempfile.TemporaryDirectory() as folder:
            bare = os.path.join(folder, "python3")
            with open(bare, "w") as file:
                file.write(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
            os.chmod(bare, 0o755)
            alone = self.run_it(PATH=folder)
            self.assertEqual(alone.returncode, 2)
            self.assertRegex(alone.stderr, r"^error: ptosim needs NumPy, but \S+ has none .*\[I02\]\n$")
            done = self.run_it(PATH=f"{folder}:{os.path.dirname(sys.executable)}:/bin")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(any(shutil.which(f"clang++-{n}") for n in (19, 20, 21, 22)), "needs clang++ 19 or newer")
    def test_the_compiler_reads_the_checkout_of_ascend_c(self):
        """Its script makes headers outside the sandbox."""
        with tempfile.TemporaryDirectory(dir=os.path.expanduser("~")) as folder:
            for name, text in (("include/kernel_operator.h", ""), ("impl/basic_api/kernel_tpipe_impl.h", ""),
                               ("include/adv_api/own_tilingdata.h", ""),
                               ("impl/adv_api/cmake/scripts/gen_kernel_tiling_data_def.py",
                                "import sys\nopen(sys.argv[2], 'w').close()\n")):
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            kernel = "#include <pto/pto-inst.hpp>\n__global__ AICORE void k(__gm__ int32_t* out) { *out = 7; }\n"
            request = {"kernel": kernel, "args": [{"kind": "out", "shape": [1], "dtype": "int32"}], "blocks": 1}
            server = subprocess.run([PTOSIM, "serve"], input=json.dumps(request) + "\n", capture_output=True, text=True,
                                    env={**os.environ, "PTOSIM_ASCENDC": folder,
                                         "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"})
            verdict = json.loads(server.stdout)
            self.assertTrue(verdict.get("compiles"), verdict)


class Inside(unittest.TestCase):
    """Effects of a bug of the server on its callers."""

    def test_every_request_is_answered(self):
        from ptosim import serve, verdict

        def broken(*_):
            raise ZeroDivisionError("a bug")

        server = serve.Server(None, {}, 1)
        for module, name in ((verdict, "_judge"), (verdict, "fitted"), (serve, "judge")):
            written = io.BytesIO()
            kept = getattr(module, name)
            try:
                setattr(module, name, broken)
                server.answer(io.BytesIO(b'{"id": 1}\n[2]\n'), written)
            finally:
                setattr(module, name, kept)
            first, second = map(json.loads, written.getvalue().splitlines())
            self.assertIn("a bug", first["reason"])
            self.assertEqual((first["verdict"], second[0]["verdict"]), ("error", "error"))
        server.close()

    def test_a_reader_that_breaks_leaves_no_thread(self):
        from ptosim import serve

        class Reset(io.BytesIO):
            def readline(self, *_):
                raise ConnectionResetError

        class Wrong(io.BytesIO):
            def readline(self, *_):
                raise RuntimeError

        server = serve.Server(None, {}, 1)
        before = threading.active_count()
        server.answer(Reset(), io.BytesIO())
        with self.assertRaises(RuntimeError):
            server.answer(Wrong(), io.BytesIO())
        for _ in range(100):
            if threading.active_count() <= before:
                break
            time.sleep(0.05)
        self.assertEqual(threading.active_count(), before)


class Socket(unittest.TestCase):
    def test_a_socket_that_a_server_left_behind_goes(self):
        from ptosim import serve
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            with socket.socket(socket.AF_UNIX) as left:
                left.bind(path)
            serve._remove_stale(path)
            self.assertFalse(os.path.exists(path))

    def test_a_socket_that_may_be_anothers_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "sim", "python"))
            # Somebody listens there, and not for streams: connecting fails, and not as refused.
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
                other.bind(path)
                done = subprocess.run([sys.executable, "-m", "ptosim", "serve", "--socket", path],
                                      env=environment, capture_output=True, text=True, timeout=60)
                self.assertTrue(os.path.exists(path))
            self.assertEqual(done.returncode, 2)
            self.assertIn("[I02]", done.stderr)

    def test_a_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ptosim.sock")
            environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "sim", "python"))
            server = subprocess.Popen([sys.executable, "-m", "ptosim", "serve", "--socket", path],
                                      env=environment)
            try:
                for _ in range(300):
                    if os.path.exists(path):
                        break
                    time.sleep(0.1)
                self.assertEqual(os.stat(path).st_mode & 0o077, 0)
                for _ in range(2):
                    with socket.socket(socket.AF_UNIX) as s:
                        s.connect(path)
                        request = {key: v for key, v in GOOD.items() if key != "reference"}
                        s.sendall(json.dumps(request).encode() + b"\n")
                        self.assertEqual(json.loads(s.makefile().readline())["verdict"], "unjudged")
            finally:
                server.terminate()
                server.wait()


if __name__ == "__main__":
    PTOSIM = frame.program()
    unittest.main()
