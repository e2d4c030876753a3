#!/usr/bin/python3
"""Recorded runs that are broken off, and places that take no more bytes.

    broken_off_test.py --ptosim BIN

The rest must be readable up to its end, with a note about it; under its final name a file is
complete or not there.
"""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PTOSIM = ""
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernels")


def gemm(n, blocks, *more):
    return ["run", f"{KERNELS}/gemm_f16.pto", "--mode", "timing", "--blocks", str(blocks), "--arg",
            f"rand={n}x{n}xf16", "--arg", f"rand={n}x{n}xf16", "--arg", f"out={n}x{n}xf32",
            *["--arg", f"i32={n}"] * 3, *more]


SMALL, LARGE = (256, 4), (4096, 24)


def execute(words, expect=0, most_bytes=None):
    def limit():
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    done = subprocess.run([PTOSIM, *words], capture_output=True, text=True, preexec_fn=limit,
                          timeout=120)
    assert done.returncode == expect, (words, done.returncode, done.stderr)
    return done


def content(folder):
    files = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    return files


def in_namespace(script, *words):
    """Runs a shell script where it may mount, or skips the test."""
    for flags in ("-m", "-rm"):
        if subprocess.run(["unshare", flags, "true"], capture_output=True).returncode == 0:
            return subprocess.run(["unshare", flags, "sh", "-c", script, "sh", *words],
                                  capture_output=True, text=True, timeout=120)
    raise unittest.SkipTest("no mount namespaces here")


class Case(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.TemporaryDirectory()
        self.addCleanup(self.root.cleanup)
        self.folder = os.path.join(self.root.name, "trace")

    def report(self, *says):
        """Checks that the report of a partial recording gives one of these reasons."""
        done = execute(["report", self.folder, "--format", "json"])
        report = json.loads(done.stdout)
        self.assertTrue(report["ended_early"])
        told = report["gaps"] + [d["message"] for d in report["findings"]]
        self.assertTrue([text for text in told for way in says if way in text], (says, told))
        for gap in report["gaps"]:
            self.assertIn("note: " + gap, done.stderr)
        for core in report["cores"]:
            for pipe in core["pipes"].values():
                self.assertEqual(pipe["busy"] + pipe["wait"] + pipe["idle"], report["cycles"])
        return report


class NoRoom(Case):
    def test_a_limit_of_the_size_of_files_in_the_recording(self):
        done = execute(gemm(*SMALL, "--trace", self.folder), 2, 14 << 10)
        self.assertIn("recording.bin: File too large [I40]", done.stderr)
        self.assertEqual(list(content(self.folder)), ["recording.bin"])
        self.assertGreater(self.report("is cut off")["instructions"], 0)

    def test_a_limit_of_the_size_of_files_in_what_is_made_from_it(self):
        done = execute(gemm(*SMALL, "--trace", self.folder), 2, 24 << 10)
        self.assertIn("report.html: cannot be written: File too large [I40]", done.stderr)
        left = content(self.folder)
        self.assertEqual(list(left), ["recording.bin"])
        self.assertEqual(json.loads(execute(["report", self.folder, "--format", "json"]).stdout)
                         ["gaps"], [])

    def test_a_limit_of_results(self):
        out = os.path.join(self.root.name, "result.json")
        done = execute(gemm(*SMALL, "--json", out), 2, 512)
        self.assertIn("result.json: cannot be written: File too large [I02]", done.stderr)
        self.assertEqual(os.listdir(self.root.name), [])

    def test_a_full_disk_and_one_that_is_read_only(self):
        done = in_namespace(
            'mkdir "$2" && mount -t tmpfs -o size=64k none "$2" || exit 99\n'
            'trace="$2"; program="$1"; shift 2\n'
            '"$program" "$@" --trace "$trace" >/dev/null; echo "code $?"; ls -A "$trace"\n'
            '"$program" report "$trace" --format summary | head -2; rm -r "$trace"/*\n'
            'head -c 60K /dev/zero >"$trace/other"\n'
            '"$program" "$@" --trace "$trace" >/dev/null; echo "code $?"; ls -A "$trace"\n'
            '"$program" report "$trace" --format summary >/dev/null; echo "code $?"\n'
            'mount -o remount,ro "$trace"\n'
            '"$program" "$@" --trace "$trace" >/dev/null; echo "code $?"\n'
            '"$program" "$@" --trace "$trace/in" >/dev/null; echo "code $?"\n',
            PTOSIM, self.folder, *gemm(*SMALL))
        if done.returncode == 99:
            self.skipTest("nothing can be mounted here")
        said = done.stdout.split("\n")
        # No room for report.html next to the recording.
        self.assertEqual(said[:2], ["code 2", "recording.bin"])
        self.assertIn("report.html: cannot be written: No space left on device [I40]", done.stderr)
        self.assertTrue(said[2].startswith("chip"))
        # No room for the recording.
        self.assertEqual(said[4:8], ["code 2", "other", "recording.bin", "code 2"])
        self.assertIn("recording.bin: No space left on device [I40]", done.stderr)
        self.assertIn("the recording is cut off", done.stderr)
        self.assertEqual(said[8:10], ["code 2", "code 2"])
        self.assertIn("trace: cannot be written: Read-only file system [I02]", done.stderr)
        self.assertIn("in: cannot create this folder: Read-only file system [I02]", done.stderr)

    def test_standard_output_that_takes_no_more(self):
        execute(gemm(*SMALL, "--trace", self.folder))
        with open("/dev/full", "w") as full:
            done = subprocess.run([PTOSIM, "report", self.folder], stdout=full, text=True,
                                  stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output: cannot be written completely [I02]", done.stderr)

    def test_what_is_no_file_is_written_and_not_replaced(self):
        execute(gemm(*SMALL, "--trace", self.folder, "--trace-formats", "html"))
        self.assertIn("/dev/full: cannot be written: No space left on device [I40]",
                      execute(["report", self.folder, "--html", "/dev/full"], 2).stderr)
        pipe = os.path.join(self.root.name, "pipe")
        os.mkfifo(pipe)
        copy = os.path.join(self.root.name, "copy")
        reader = subprocess.Popen(["sh", "-c", 'cat "$0" >"$1"', pipe, copy])
        execute(["report", self.folder, "--html", pipe])
        self.assertEqual(reader.wait(60), 0)
        with open(copy, "rb") as file:
            page = file.read()
        self.assertEqual(page, content(self.folder)["report.html"])
        link, target = (os.path.join(self.root.name, name) for name in ("link", "target"))
        with open(target, "w") as file:
            file.write("before")
        os.symlink(target, link)
        execute(["report", self.folder, "--html", link])
        self.assertTrue(os.path.islink(link))
        with open(target, "rb") as file:
            self.assertEqual(file.read(), page)


class Signals(Case):
    def recording(self, number):
        """A run that gets a signal when a part of it has been recorded."""
        self.folder = os.path.join(self.root.name, str(number))
        path = os.path.join(self.folder, "recording.bin")
        process = subprocess.Popen([PTOSIM, *gemm(*LARGE, "--trace", self.folder)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(path) or os.path.getsize(path) < 200_000:
            self.assertIsNone(process.poll())
            time.sleep(0.001)
        process.send_signal(number)
        errors = process.communicate()[1]
        self.assertEqual(process.returncode, -number)
        self.assertEqual(list(content(self.folder)), ["recording.bin"])
        return errors

    def test_an_interrupted_run_closes_its_recording(self):
        for number, name in ((signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")):
            said = self.recording(number)
            self.assertIn(f"the run was interrupted ({name}) [I43]", said)
            report = self.report(f"the run was interrupted ({name})")
            self.assertEqual(report["gaps"], [])
            self.assertIn(f"cycle {report['begin'] + report['cycles']}", said)

    def test_a_killed_run_leaves_what_was_written(self):
        self.recording(signal.SIGKILL)
        # After a whole block of records, or within one that was being written.
        report = self.report("the run was broken off", "the recording is cut off")
        self.assertGreater(report["instructions"], 1000)

    def test_files_that_are_being_written(self):
        execute(gemm(1024, 24, "--trace", self.folder, "--trace-formats", "all"))
        whole = content(self.folder)
        del whole["recording.bin"]
        parted = 0
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL) * 2
        for number, files in zip(numbers, (0, 1, 2, 5, 10, 20)):
            into = os.path.join(self.root.name, f"into{files}")
            process = subprocess.Popen([PTOSIM, "report", self.folder, "--write", "all", "--into",
                                        into], stdout=subprocess.DEVNULL)
            while process.poll() is None and (
                    not os.path.isdir(into) or len(content(into)) < files):
                time.sleep(0.001)
            process.send_signal(number)
            process.wait()
            left = content(into)
            parted += 0 < len(left) < len(whole)
            for name, data in left.items():
                self.assertTrue(whole.get(name) == data, name)
        self.assertGreater(parted, 0)


if __name__ == "__main__":
    words = sys.argv[1:]
    at = words.index("--ptosim")
    PTOSIM = os.path.abspath(words[at + 1])
    unittest.main(argv=sys.argv[:1] + words[:at] + words[at + 2:])
