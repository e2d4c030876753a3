#!/usr/bin/python3
"""Bad input gets a clear error and exit code 2, and leaves no files.

    bad_input_test.py --ptosim BIN

Each case names text that the first lines of the error must contain. None of them may run the kernel.
"""
import fcntl
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np

import command_line

PTOSIM = "ptosim"

KERNEL = """module {
  func.func @copy(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: i32) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %at = arith.constant 0 : i64
    %xv = pto.make_tensor_view %x, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<16x64xf32>
    %yv = pto.make_tensor_view %y, shape = [%c16, %c64], strides = [%c64, %c1] : !pto.tensor_view<16x64xf32>
    %xp = pto.partition_view %xv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>
    %yp = pto.partition_view %yv, offsets = [%c0, %c0], sizes = [%c16, %c64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>
    %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 16x64xf32>
    pto.tload ins(%xp : !pto.partition_tensor_view<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
    pto.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.tstore ins(%t : !pto.tile_buf<vec, 16x64xf32>) outs(%yp : !pto.partition_tensor_view<16x64xf32>)
    return
  }
}
"""
ARGS = ["--arg", "in=x.npy", "--arg", "out=16x64xf32", "--arg", "i32=1"]


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("k.pto", KERNEL)
        np.save(self.path("x.npy"), np.arange(1024, dtype=np.float32).reshape(16, 64))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_ptosim(self, *words):
        return subprocess.run([PTOSIM, *words], cwd=self.folder.name, capture_output=True,
                              text=True, timeout=120)

    def refused(self, words, *fragments, code=2):
        before = sorted(os.listdir(self.folder.name))
        result = self.run_ptosim(*words)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for fragment in fragments:
            self.assertIn(fragment, result.stderr)
        self.assertIn("error", result.stderr.splitlines()[0])
        self.assertEqual(sorted(os.listdir(self.folder.name)), before, "left files behind")

    def test_two_documents_on_standard_output(self):
        for command in ("run", "check"):
            for form in ("json", "sarif", "junit"):
                self.refused([command, "k.pto", *ARGS, "--json", "-", "--format", form],
                             f"--format {form}: standard output is also written by --json - [I62]",
                             "--report FILE")
        self.write("k.pto", KERNEL.replace("pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]", ""))
        result = self.run_ptosim("check", "k.pto", *ARGS, "--json", "-", "--format", "json",
                                 "--report", "found.json", "--blocks", "1")
        with open(self.path("found.json")) as file:
            found = [finding["code"] for finding in json.load(file)]
        self.assertEqual(found, [finding["code"] for finding in json.loads(result.stdout)["diagnostics"]])
        self.assertIn("E01", found)

    def test_outputs_replace_nothing_that_the_run_uses(self):
        np.save(self.path("g.npy"), np.arange(1024, dtype=np.float32).reshape(16, 64))
        os.symlink("g.npy", self.path("link.npy"))
        os.mkdir(self.path("sub"))
        def words(out, *more):
            return ["run", "k.pto", "--arg", "in=x.npy", "--arg", "out=16x64xf32" + out, "--arg",
                    "i32=1", "--blocks", "1", *more]
        def contents():
            return [pathlib.Path(self.path(name)).read_bytes()
                    for name in ("k.pto", "x.npy", "g.npy")]
        golden = ["--golden", "1=g.npy"]
        for line, fragment in (
                (words(":k.pto"), "k.pto is read by this run: the kernel [I62]"),
                (words(":sub/../k.pto"), "is read by this run: the kernel [I62]"),
                (words(":x.npy"), "x.npy is read by this run: --arg in=x.npy [I62]"),
                (words(":g.npy", *golden), "g.npy is read by this run: --golden 1=g.npy [I62]"),
                (words(":link.npy", *golden), "link.npy is read by this run: --golden 1=g.npy"),
                (words("", "--json", "k.pto"), "--json: k.pto is read by this run: the kernel"),
                (words("", "--emit", "k.pto"), "--emit: k.pto is read by this run: the kernel"),
                (words("", "--report", "x.npy"), "--report: x.npy is read by this run"),
                (words(":r", "--json", "r"), "--json: r is also written by --arg out=16x64xf32:r"),
                (words("", "--json", "r", "--report", "./r"), "./r is also written by --json")):
            with self.subTest(line):
                kept = contents()
                self.refused(line, fragment)
                self.assertEqual(kept, contents())
        for line in (words(":y.npy", "--json", "/dev/null", "--report", "/dev/null"),
                     ["run", "k.pto", "--arg", "inout=x.npy:x.npy", "--arg", "out=16x64xf32:y.npy",
                      "--arg", "i32=1", "--blocks", "1"]):
            result = self.run_ptosim(*line)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_outputs_replace_no_source(self):
        def words(out, *more):
            return ["run", "k.pto", "--arg", "in=x.npy", "--arg", "out=16x64xf32" + out, "--arg",
                    "i32=1", "--blocks", "1", *more]
        for name in ("other.pto", "kernel.cpp", "test.py"):
            self.write(name, "precious")
            for line in (words(":" + name), words("", "--json", name), words("", "--report", name)):
                with self.subTest(line):
                    self.refused(line, f"{name} is a source file, which this output would replace [I62]")
                    self.assertEqual(self.read(name), b"precious")
        self.write("k.pto", "\n".join(line for line in KERNEL.splitlines() if "_flag[" not in line))
        result = self.run_ptosim(*words(":new.pto", "--sync", "insert", "--emit", "other.pto"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"pto.set_flag", self.read("other.pto"))

    def test_outputs_replace_nothing_that_other_commands_read(self):
        recorded = self.run_ptosim("run", "k.pto", *ARGS, "--trace", "t", "--trace-formats", "none")
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        self.write("chip.json", '{"extends": "ascend910b1"}')
        self.write("plan.json", "{}")
        recording = os.path.join("t", "recording.bin")
        for words, message in (
                (("report", "t", "--html", recording), "is read by this run: the recording [I62]"),
                (("report", "t", "--html", "a", "--svg", "a"), "--svg: a is also written by --html [I62]"),
                (("diff", "t", "t", "--json", recording), "is read by this run: the recording A [I62]"),
                (("diff", "t", "t", "--html", "a", "--svg", "a"), "--html: a is also written by --svg [I62]"),
                (("chips", "chip.json", "--json", "chip.json"), "is read by this run: the chip [I62]"),
                (("sweep", "plan.json", "--out", "plan.json"), "is read by this run: the plan [I62]"),
                (("sweep", "report", "plan.json", "--csv", "plan.json"), "is read by this run: the results [I62]")):
            files = {name: self.read(name) for name in (recording, "chip.json", "plan.json")}
            with self.subTest(words=words):
                self.refused(words, message)
                self.assertEqual(files, {name: self.read(name) for name in files})

    def test_a_name_with_colons(self):
        os.rename(os.path.join(self.folder.name, "x.npy"), os.path.join(self.folder.name, "x:1.npy"))
        result = self.run_ptosim(*self.args(x="in=x:1.npy", y="out=16x64xf32:y:2.npy"), "--blocks", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "y:2.npy")))

    def test_a_source_is_no_output_of_its_build(self):
        self.write("k.cpp", "int main() {}\n")
        self.refused(["build", "k.cpp", "-o", "./k.cpp"], "-o ./k.cpp is a source of this build [H04]")
        for jobs in ("-1", "2x", "0", ""):
            self.refused(["build", "k.cpp", "-o", "k", "--jobs", jobs], "is not a number above 0 [H04]")

    def test_standard_output_has_room_for_one_document(self):
        self.refused(["check", "k.pto", *ARGS, "--format", "sarif", "--json", "-"],
                     "--format sarif: standard output is also written by --json - [I62]")
        both = self.run_ptosim("check", "k.pto", *ARGS, "--format", "sarif", "--report", "r.sarif", "--json", "-")
        self.assertEqual(both.returncode, 0, both.stderr)
        self.assertIn("cycles", json.loads(both.stdout))

    def test_whole_numbers(self):
        for word in ("-1", "18446744073709551616", "", "1e3", "0x10", " 1"):
            with self.subTest(word=word):
                self.refused(["run", "k.pto", *ARGS, "--seed", word],
                             "is not a whole number from 0 to 2^64 - 1")

    def test_zeros_have_no_file(self):
        self.refused(["run", "k.pto", *ARGS[:2], "--arg", "zeros=16x64xf32:y.npy", *ARGS[4:]],
                     "zeros are not written to a file [I11]")

    def test_a_folder_of_recordings_is_one_runs(self):
        words = ["run", "k.pto", *ARGS, "--blocks", "1", "--trace", "t"]
        self.assertEqual(self.run_ptosim(*words, "--trace-formats", "all").returncode, 0)
        self.write("t/notes.txt", "mine")
        lock = os.open(self.path("t"), os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = sorted(os.listdir(self.path("t")))
        self.refused(words, "another run is recording into this folder [I63]")
        self.assertEqual(sorted(os.listdir(self.path("t"))), before)
        os.close(lock)
        # Files next to a recording belong to that recording.
        self.assertEqual(self.run_ptosim(*words, "--trace-formats", "summary").returncode, 0)
        self.assertEqual(sorted(os.listdir(self.path("t"))),
                         ["notes.txt", "recording.bin", "summary.txt"])

    def test_a_kernel_that_does_not_ask_for_its_block_runs_on_one(self):
        for more, blocks, told in (([], 1, True), (["--blocks", "3"], 3, False)):
            result = self.run_ptosim("run", "k.pto", *ARGS, "--json", "r.json", *more)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual("1 block: the kernel does not ask for its block index\n"
                             in result.stdout, told)
            with open(self.path("r.json")) as file:
                self.assertEqual(len(json.load(file)["cores"]), blocks)
        asks = KERNEL.replace("    %at =", "    %b = pto.get_block_idx\n    %at =")
        self.write("asks.pto", asks)
        result = self.run_ptosim("run", "asks.pto", *ARGS)
        self.assertNotIn("1 block:", result.stdout)
        self.assertIn("48 blocks", result.stdout)

    def refused_kernel(self, change, *fragments, code=2, args=ARGS):
        old, new = change
        self.assertIn(old, KERNEL)
        self.write("k.pto", KERNEL.replace(old, new))
        self.refused(["run", "k.pto", *args], *fragments, code=code)

    def test_a_name_that_is_no_utf_8(self):
        name = os.fsdecode(b"k\xff.pto")
        wait = "    pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]\n"
        self.write(name, KERNEL.replace(wait, ""))

        def printed(*words):
            result = subprocess.run([PTOSIM, *words], capture_output=True, cwd=self.folder.name)
            self.assertIn(result.returncode, (0, 1), result.stderr)
            return result.stdout
        shown = "k\ufffd.pto"
        plan = json.loads(printed("run", name, *ARGS, "--dry-run", "--json", "-"))
        self.assertIn(shown, str(plan))
        for kind in ("json", "sarif"):
            self.assertIn(shown, str(json.loads(printed("check", name, *ARGS, "--format", kind))))
        cases = xml.etree.ElementTree.fromstring(printed("check", name, *ARGS, "--format", "junit"))
        self.assertIn(shown, cases.find(".//testcase").get("name"))

    def test_the_kernel_itself_runs(self):
        result = self.run_ptosim("run", "k.pto", *ARGS, "--blocks", "1", "--golden", "1=x.npy")
        self.assertEqual(result.returncode, 0, result.stderr)

    # ---- the command line
    def test_no_command(self):
        self.refused([], "subcommand")

    def test_unknown_command(self):
        self.refused(["rnu", "k.pto"], "unknown command 'rnu'", "did you mean 'run'?")

    def test_unknown_option(self):
        self.refused(["run", "k.pto", "--chipp", "x"], "unknown option '--chipp'",
                     "did you mean '--chip'?", "ptosim run --help")
        self.refused(["run", "k.pto", "--seed", "abc"], "--seed: 'abc' is not a whole number from 0 to 2^64 - 1")
        self.refused(["--verion"], "unknown option '--verion'", "did you mean '--version'?")

    def test_option_without_value(self):
        self.refused(["run", "k.pto", "--chip"], "--chip")

    def test_bad_mode(self):
        self.refused(["run", "k.pto", *ARGS, "--mode", "fast"], "--mode", "timing")

    def test_bad_blocks(self):
        self.refused(["run", "k.pto", *ARGS, "--blocks", "0"], "--blocks", "range 1 to 2147483647")
        self.refused(["run", "k.pto", *ARGS, "--blocks", "-3"], "--blocks")
        self.refused(["run", "k.pto", *ARGS, "--blocks", "99999999"], "--blocks")

    # ---- chips
    def test_unknown_chip(self):
        self.refused(["run", "k.pto", *ARGS, "--chip", "ascend910b9"], "unknown chip 'ascend910b9'",
                     "ascend910b1")

    def test_unknown_set_path(self):
        self.refused(["run", "k.pto", *ARGS, "--set", "aiv.ub.byte=1KiB"],
                     "unknown parameter 'aiv.ub.byte'", "aiv.ub.bytes")

    def test_bad_set_value(self):
        self.refused(["run", "k.pto", *ARGS, "--set", "aiv.ub.bytes=large"], "not a number")
        self.refused(["run", "k.pto", *ARGS, "--set", "aiv.ub.bytes=-1"], "out of range")

    def test_chip_file_that_is_not_json(self):
        self.write("chip.json", "{")
        self.refused(["run", "k.pto", *ARGS, "--chip", "chip.json"], "is not JSON")

    def test_a_memory_smaller_than_a_tile(self):
        self.write("chip.json", """{"name": "small", "description": "little UB", "extends": "ascend910b1",
            "parameters": {"grade": "assumed", "source": "a question",
                           "aiv": {"ub": {"bytes": {"value": 64, "unit": "B"}}}}}""")
        self.refused(["run", "k.pto", *ARGS, "--chip", "chip.json"], "UB has 64 (aiv.ub.bytes of chip small)")
        self.refused(["run", "k.pto", *ARGS, "--set", "aiv.ub.bytes=64B"], "UB has 64 (aiv.ub.bytes of --set)")

    def test_chip_files_name_the_path_of_what_is_wrong(self):
        for number, text, words in (
                (1, '"bytes": {"value": -64, "unit": "KiB"}', ("aiv.ub.bytes", "out of range")),
                (2, '"bytes": {"value": 64, "unit": "GHz"}', ("aiv.ub.bytes", "unit 'GHz' does not fit")),
                (3, '"byte": {"value": 64, "unit": "KiB"}', ("aiv.ub.byte", "unknown parameter")),
                (4, '"bytes": {"value": "many", "unit": "KiB"}', ("aiv.ub.bytes", "must be a number"))):
            name = f"chip{number}.json"
            self.write(name, '{"name": "c", "description": "d", "extends": "ascend910b1", "parameters": {'
                             '"grade": "assumed", "source": "s", "aiv": {"ub": {' + text + "}}}}")
            self.refused(["run", "k.pto", *ARGS, "--chip", name], name, *words)
        self.write("bare.json", '{"name": "c", "description": "d", "arch": "a2a3", "parameters": {}}')
        self.refused(["run", "k.pto", *ARGS, "--chip", "bare.json"], "bare.json", "clock", "is missing")

    # ---- files that are none
    def test_what_is_no_file_is_refused_wherever_a_file_is_read(self):
        os.mkdir(self.path("folder"))
        os.mkfifo(self.path("pipe"))
        os.symlink("/dev/zero", self.path("endless"))
        with open(self.path("huge"), "w") as file:
            file.truncate(1 << 42)  # without data on the disk
        self.write("child.json", '{"name": "c", "description": "d", "extends": "./WHAT", "parameters": {}}')
        run = ["run", "k.pto"]
        for name, what in (("folder", "folder: is a folder"), ("pipe", "pipe: is a pipe"),
                           ("endless", "endless: is a device"), ("huge", "huge: ")):
            def linked(ending, name=name):
                link = self.path(name + ending)
                if not os.path.lexists(link):
                    os.symlink(name, link)
                return "./" + name + ending
            with open(self.path("child.json")) as file:
                child = file.read()
            self.write("child.json", child.replace("WHAT", name + ".json"))
            self.write("plan.json", '{"chips": ["ascend910b1"], "kernels": [{"file": "%s"}]}' % linked(".pto"))
            for words in (["run", linked(".pto")], ["run", linked(".cpp")], ["run", "./" + name],
                          [*run, *ARGS, "--chip", linked(".json")], [*run, *ARGS, "--chip", "child.json"],
                          self.args(x="in=" + linked(".npy")), [*self.args(), "--golden", "1=" + linked(".npy")],
                          ["check", "k.pto", *ARGS, "--suppress", "./" + name],
                          ["sweep", linked(".json")], ["sweep", "plan.json"]):
                with self.subTest(name, words=words):
                    array = name == "huge" and any(word.endswith(".npy") and name in word for word in words)
                    self.refused(words, "is not a .npy file" if array else what.split(": ")[1])
            self.write("child.json", child)
        for name in ("pipe", "endless", "huge"):
            self.refused(["report", name])

    def test_a_byte_order_mark_is_no_character(self):
        for name, text in (("k.pto", KERNEL), ("none.txt", "# nothing\n"), ("c.json", '{"name": "c", "description":'
                           ' "d", "extends": "ascend910b1", "parameters": {}}')):
            self.write(name, "\ufeff" + text)
        result = self.run_ptosim("check", "k.pto", *ARGS, "--blocks", "1", "--chip", "c.json", "--suppress", "none.txt")
        self.assertEqual(result.returncode, 0, result.stderr)

    # ---- kernel files
    def test_no_such_kernel(self):
        self.refused(["run", "nowhere.pto"], "nowhere.pto: no such file")

    def test_a_folder_as_kernel(self):
        os.mkdir(self.path("folder"))
        self.refused(["run", "folder"], "is a folder")

    def test_an_empty_kernel(self):
        self.write("k.pto", "")
        self.refused(["run", "k.pto", *ARGS], "k.pto")

    def test_a_truncated_kernel(self):
        for length in (len(KERNEL) // 3, len(KERNEL) // 2, len(KERNEL) - 5):
            self.write("k.pto", KERNEL[:length])
            self.refused(["run", "k.pto", *ARGS], "k.pto:")

    def test_binary_rubbish(self):
        with open(self.path("k.pto"), "wb") as file:
            file.write(bytes(range(256)) * 40)
        self.refused(["run", "k.pto", *ARGS], "k.pto:1:")

    def test_an_unknown_operation(self):
        self.refused_kernel(("pto.tload ins", "pto.tlaod ins"), "k.pto:13:5", "tlaod", "tload")

    def test_an_operation_of_registers(self):
        self.refused_kernel(("pto.set_flag[", "%v = pto.vlds %t[%c0] : !pto.vreg<64xf32>\n    pto.set_flag["),
                            "k.pto:14", "vlds")

    def test_an_undefined_value(self):
        self.refused_kernel(("sizes = [%c16, %c64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>\n    %yp",
                             "sizes = [%c17, %c64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>\n    %yp"),
                            "k.pto:10:", "%c17")

    def test_an_unknown_entry(self):
        self.refused(["run", "k.pto", *ARGS, "--entry", "cpoy"], "cpoy", "copy")

    # ---- refusals of the machine (the kernel is wrong, not its file)
    def test_a_tile_larger_than_its_buffer(self):
        self.refused(["run", "k.pto", *ARGS, "--set", "aiv.ub.bytes=2KiB"], "k.pto:", "UB",
                     "4096", "2048")

    def test_a_tile_beyond_the_end_of_its_buffer(self):
        self.refused_kernel(("%at = arith.constant 0", "%at = arith.constant 196576"), "k.pto:",
                            "ends at byte 200672", "196608")

    def test_a_misaligned_tile(self):
        self.refused_kernel(("%at = arith.constant 0", "%at = arith.constant 40"), "k.pto:",
                            "address 40", "not a multiple of 32")

    def test_a_view_beyond_its_argument(self):
        self.write("k.pto", KERNEL.replace("%yp = pto.partition_view %yv, offsets = [%c0, %c0]",
                                           "%yp = pto.partition_view %yv, offsets = [%c1, %c0]"))
        result = self.run_ptosim("run", "k.pto", *ARGS, "--memory", "exact")
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        for fragment in ("lie outside the view, which has 16 [A10]", "k.pto:16:5: error",
                         "argument 1 + 256", "4096"):
            self.assertIn(fragment, result.stderr)

    # ---- arguments
    def test_too_few_and_too_many_arguments(self):
        self.refused(["run", "k.pto", *ARGS[:-2]], "takes 3 arguments, 2 given")
        self.refused(["run", "k.pto", *ARGS, "--arg", "i32=1"], "takes 3 arguments, 4 given")

    def args(self, x="in=x.npy", y="out=16x64xf32", n="i32=1"):
        return ["run", "k.pto", "--arg", x, "--arg", y, "--arg", n]

    def test_an_argument_of_an_unknown_form(self):
        self.refused(self.args(x="from=x.npy"), "--arg from=x.npy", "in=FILE.npy")
        self.refused(self.args(x="x.npy"), "--arg x.npy")

    def test_no_such_argument_file(self):
        self.refused(self.args(x="in=y.npy"), "y.npy: no such file")

    def test_an_argument_file_that_is_not_npy(self):
        self.refused(self.args(x="in=k.pto"), "is not a .npy file")

    def test_a_truncated_argument_file(self):
        with open(self.path("x.npy"), "rb") as file:
            content = file.read()
        for length in (5, 9, 60, 1000):
            with open(self.path("short.npy"), "wb") as file:
                file.write(content[:length])
            self.refused(self.args(x="in=short.npy"), "short.npy")

    def test_an_argument_of_the_wrong_type(self):
        np.save(self.path("i.npy"), np.zeros((16, 64), np.int32))
        self.refused(self.args(x="in=i.npy"), "element type i32", "pointer to f32")
        np.save(self.path("d.npy"), np.zeros((16, 64), np.float64))
        self.refused(self.args(x="in=d.npy"), "<f8")
        self.refused(self.args(y="out=16x64xf16"), "element type f16", "pointer to f32")
        self.refused(self.args(n="f32=1"), "--arg f32=1", "i32")
        self.refused(self.args(n="in=x.npy"), "scalar of type i32")
        self.refused(self.args(x="i32=4"), "pointer to f32")

    def test_an_argument_of_the_wrong_shape(self):
        np.save(self.path("s.npy"), np.zeros((8, 64), np.float32))
        self.refused(self.args(x="in=s.npy"), "8x64 has 512 elements", "1024")
        self.refused(self.args(y="out=0x64xf32"), "extents must be positive")
        self.refused(self.args(y="out=f32"), "has no shape")
        self.refused(self.args(y="out=16x64"), "has no element type")
        self.refused(self.args(y="out=16x64xf99"), "f99")

    def test_an_argument_in_fortran_order(self):
        np.save(self.path("f.npy"), np.asfortranarray(np.zeros((16, 64), np.float32)))
        self.refused(self.args(x="in=f.npy"), "Fortran order")

    def test_a_scalar_that_does_not_fit(self):
        self.refused(self.args(n="i32=4294967296"), "does not fit i32")
        self.refused(self.args(n="i32=five"), "not a number")

    def test_an_output_that_cannot_be_written(self):
        self.refused(self.args(y="out=16x64xf32:no/such/folder/y.npy"), "no such folder")

    # ---- goldens, results, traces
    def test_bad_goldens(self):
        self.refused([*self.args(), "--golden", "x.npy"], "N=FILE.npy")
        self.refused([*self.args(), "--golden", "7=x.npy"], "parameter 7")
        self.refused([*self.args(), "--golden", "1=none.npy"], "none.npy: no such file")
        self.refused([*self.args(), "--golden", "1=x.npy:0.1"], "RTOL,ATOL")
        np.save(self.path("g.npy"), np.zeros((4, 4), np.float32))
        self.refused([*self.args(), "--golden", "1=g.npy"], "shape 4x4")

    def test_an_array_past_l2_that_is_none(self):
        self.refused([*self.args(), "--bypass-l2", "7"], "--bypass-l2 7: parameter 7 is not an array")

    def test_a_golden_without_data(self):
        self.refused([*self.args(), "--golden", "1=x.npy", "--mode", "timing"], "--mode timing computes none")

    def test_a_result_file_that_cannot_be_written(self):
        self.refused([*self.args(), "--json", "no/such/r.json"], "no such folder")

    def test_a_file_of_scopes_that_cannot_be_written(self):
        os.mkdir(self.path("sub"))
        self.refused([*self.args(y="out=16x64xf32:y.npy"), "--scope", "no/such/s.json"], "no such folder")
        self.refused([*self.args(), "--scope", "sub"], "sub: is a folder")

    def test_a_toolkit_without_a_name(self):
        self.refused(["toolkit", ""], "DIR is empty")

    def test_limits_that_are_none(self):
        for option in ("--max-instructions", "--max-cycles"):
            for value in ("0", "-5", "1.5", "1e3"):
                self.refused([*self.args(), option, value], option,
                             f"Value 0 not in range 1 to {2**62}" if value == "0" else
                             f"'{value}' is not a whole number from 0 to 2^64 - 1")

    def test_a_trace_folder_that_is_a_file(self):
        self.refused([*self.args(), "--trace", "x.npy"], "x.npy")


if __name__ == "__main__":
    PTOSIM = command_line.program()
    unittest.main()
