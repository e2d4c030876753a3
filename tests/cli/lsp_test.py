#!/usr/bin/python3
"""The language server, with a client that speaks its protocol. Expected places are found in the kernel's text; other
commands of the program give the expected cycles and findings.

lsp_test.py --ptosim BIN
"""
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

import command_line
import protocol_client

PTOSIM = "ptosim"
VADD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels", "vadd_f32.pto")
ARGUMENTS = "--blocks 1 --arg rand=32x256xf32 --arg rand=32x256xf32 --arg out=32x256xf32 --arg i32=32"
with open(VADD) as kernel_file:
    TEXT = kernel_file.read()


def place(text, part, which=0, after=0):
    """Line and character of a part of the text, counted from 0."""
    at = -1
    for _ in range(which + 1):
        at = text.index(part, at + 1)
    return {"line": text.count("\n", 0, at), "character": at - (text.rfind("\n", 0, at) + 1) + after}


class Client(protocol_client.Stream):
    def __init__(self, reads, writes):
        super().__init__(reads, writes)
        self.number, self.diagnostics = 0, []

    def response(self, method, **parameters):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        while True:
            message = self.message()
            if message.get("id") == self.number:
                return message
            self.diagnostics.append(message["params"])

    def ask(self, method, **parameters):
        answer = self.response(method, **parameters)
        assert "error" not in answer, answer
        return answer["result"]

    def tell(self, method, **parameters):
        self.send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def published(self):
        if not self.diagnostics:
            self.diagnostics.append(self.message()["params"])
        return self.diagnostics.pop(0)["diagnostics"]


class LanguageServer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = subprocess.Popen([PTOSIM, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.client = Client(self.server.stdout.fileno(), self.server.stdin.fileno())
        self.addCleanup(self.end)

    def end(self):
        for stream in (self.server.stdin, self.server.stdout, self.server.stderr):
            stream.close()
        self.server.wait(protocol_client.SECONDS)

    def open(self, text=TEXT, name="k.pto"):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        self.text = text
        self.document = {"uri": "file://" + path}
        self.client.ask("initialize", capabilities={})
        self.client.tell("initialized")
        self.client.tell("textDocument/didOpen", textDocument={**self.document, "languageId": "pto", "version": 1, "text": text})
        return self.client.published()

    def change(self, text):
        self.text = text
        self.client.tell("textDocument/didChange", textDocument=self.document, contentChanges=[{"text": text}])
        return self.client.published()

    def at(self, *part):
        return {"textDocument": self.document, "position": place(self.text, *part)}

    def applied(self, edits):
        """The text after edits."""
        lines = self.text.split("\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        offset = lambda at: starts[at["line"]] + at["character"]
        text = self.text
        for edit in sorted(edits, key=lambda edit: -offset(edit["range"]["start"])):
            text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
        return text

    def test_no_problem(self):
        self.assertEqual(self.open(), [])

    def test_problems_while_typing(self):
        self.open()
        wrong = TEXT.replace("pto.tadd ins(%x_ping", "pto.tad ins(%x_ping")
        found = self.change(wrong)
        self.assertEqual([(one["code"], one["severity"]) for one in found], [("K02", 1)])
        self.assertEqual(found[0]["range"]["start"], place(wrong, "pto.tad ins"))
        actions = self.client.ask("textDocument/codeAction", textDocument=self.document, range=found[0]["range"],
                                  context={"diagnostics": found})
        edits = actions[0]["edit"]["changes"][self.document["uri"]]
        self.assertEqual(self.applied(edits), TEXT)
        found = self.change(TEXT.replace("module attributes", "module atributes {"))
        self.assertTrue(found)
        self.assertEqual(self.change(TEXT), [])
        # A line that names a value that is not there.
        found = self.change(TEXT.replace("arith.addi %begin, %band", "arith.addi %begin, %bond"))
        self.assertEqual((found[0]["code"], found[0]["range"]["start"]["line"]), ("K05", place(TEXT, "arith.addi %begin")["line"]))

    def test_hover(self):
        self.open()
        text = self.client.ask("textDocument/hover", **self.at("pto.tadd", 0, 5))["contents"]["value"]
        page = subprocess.run([PTOSIM, "isa", "tadd"], capture_output=True, text=True, timeout=60).stdout
        self.assertIn(page.strip(), text)
        fragment = {"text": "pto.tadd ins(%a, %b : !pto.tile_buf<vec, 16x256xf32>, !pto.tile_buf<vec, 16x256xf32>) "
                                "outs(%c : !pto.tile_buf<vec, 16x256xf32>)",
                    "tiles": {name: "vec, 16x256xf32" for name in "abc"}}
        answer = subprocess.run([PTOSIM, "cost"], input=json.dumps(fragment) + "\n", capture_output=True, text=True, timeout=60).stdout
        cycles = re.search(r"cost: (\d+) cycles alone on ascend910b1", text)
        self.assertIsNotNone(cycles, text)
        self.assertIn(f'"cycles":{cycles[1]}', answer.replace(" ", ""))
        text = self.client.ask("textDocument/hover", **self.at("%x_ping, %y_ping", 0, 2))["contents"]["value"]
        self.assertIn("%x_ping", text)
        self.assertIn("pto.alloc_tile addr = %x_ping_addr", text)
        self.assertIsNone(self.client.ask("textDocument/hover", **self.at("// z = x + y", 0, 1)))

    def test_names(self):
        self.open()
        here = self.at("%x_ping, %y_ping", 0, 2)
        found = self.client.ask("textDocument/definition", **here)
        self.assertEqual(found["range"]["start"], place(TEXT, "%x_ping = "))
        found = self.client.ask("textDocument/references", **here, context={"includeDeclaration": True})
        exact = [m.start() for m in re.finditer(r"%x_ping\b(?!_)", TEXT)]
        self.assertEqual(len(found), len(exact))
        edits = self.client.ask("textDocument/rename", **here, newName="%left")["changes"][self.document["uri"]]
        self.assertEqual(self.applied(edits), re.sub(r"%x_ping\b(?!_)", "%left", TEXT))
        self.assertEqual(self.change(self.applied(edits)), [])
        for name in ("%y_ping", "%a b", "%"):
            self.assertIn("error", self.client.response("textDocument/rename", **here, newName=name))
        found = self.client.ask("textDocument/definition", **self.at(": !view -> !part", 0, 3))
        self.assertEqual(found["range"]["start"], place(self.text, "!view ="))

    def test_outline(self):
        self.open()
        found = self.client.ask("textDocument/documentSymbol", textDocument=self.document)
        self.assertEqual([one["name"] for one in found], ["@vadd_f32"])
        names = [one["name"] for one in found[0]["children"]]
        self.assertIn("%z_pong", names)
        self.assertIn("%x_view", names)
        lenses = self.client.ask("textDocument/codeLens", textDocument=self.document)
        self.assertEqual({lens["command"]["command"] for lens in lenses}, {"ptosim.debug", "ptosim.check", "ptosim.report"})

    def test_completion(self):
        self.open()
        labels = lambda *part: [one["label"] for one in self.client.ask("textDocument/completion", **self.at(*part))]
        self.assertIn("pto.tadds", labels("pto.tadd", 0, 8))
        self.assertIn("%x_ping", labels("%x_ping, %y_ping", 0, 1))
        self.assertNotIn("%next", labels("%x_ping, %y_ping", 0, 1))
        flags = labels("<PIPE_MTE2>, <PIPE_V>", 0, 1)
        self.assertIn("PIPE_MTE3", flags)
        self.assertIn("EVENT_ID7", flags)
        self.assertNotIn("EVENT_ID8", flags)
        self.assertIn("!tile", labels(": !tile, !tile", 0, 3))

    def test_cycles_of_a_recording(self):
        self.open()
        self.assertEqual(self.client.ask("textDocument/inlayHint", textDocument=self.document, range={}), [])
        subprocess.run([PTOSIM, "run", "k.pto", *ARGUMENTS.split(), "--trace", "recorded", "--trace-formats", "none"],
                       cwd=self.folder, check=True, capture_output=True, timeout=120)
        hints = self.client.ask("textDocument/inlayHint", textDocument=self.document, range={})
        lines = {hint["position"]["line"]: hint["label"] for hint in hints}
        self.assertRegex(lines[place(TEXT, "pto.tadd")["line"]], r"^\d+ cycles")
        self.assertNotIn(0, lines)
        self.assertNotIn(place(TEXT, "pto.set_flag")["line"], lines)

    def test_mends_of_a_check(self):
        broken = f"// run: {ARGUMENTS}\n" + TEXT.replace("      pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n", "", 1)
        self.assertEqual(self.open(broken), [])
        self.client.tell("textDocument/didSave", textDocument=self.document)
        found = self.client.published()
        self.assertTrue(found)
        self.assertEqual(found[0]["source"], "ptosim check")
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
        actions = self.client.ask("textDocument/codeAction", textDocument=self.document, range=whole, context={"diagnostics": []})
        text = self.applied(actions[0]["edit"]["changes"][self.document["uri"]])
        path = os.path.join(self.folder, "mended.pto")
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([PTOSIM, "check", path, *ARGUMENTS.split()], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_broken_requests(self):
        early = self.client.response("textDocument/hover")
        self.assertEqual(early["error"]["code"], -32002)
        self.open()
        self.assertEqual(self.client.response("textDocument/fly")["error"]["code"], -32601)
        for method in ("hover", "definition", "references", "rename", "documentSymbol", "codeAction", "inlayHint", "completion"):
            self.assertEqual(self.client.response("textDocument/" + method)["error"]["code"], -32602, method)
            absent = {"textDocument": {"uri": "file:///absent.pto"}, "position": {"line": 0, "character": 0}, "newName": "x",
                      "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}}
            self.assertEqual(self.client.response("textDocument/" + method, **absent)["error"]["code"], -32602, method)
        self.client.send(b"{")
        self.assertEqual(self.client.message()["error"]["code"], -32700)
        self.client.send({"id": 7})
        self.assertEqual(self.client.message()["error"]["code"], -32600)
        far = {"textDocument": self.document, "position": {"line": 10**6, "character": 10**6}}
        self.assertIsNone(self.client.ask("textDocument/hover", **far))
        self.client.ask("shutdown")
        self.client.tell("exit")
        self.assertEqual(self.server.wait(protocol_client.SECONDS), 0)

    def test_random_requests(self):
        self.open()
        source = random.Random(6)
        place_ = {"textDocument": self.document, "position": {"line": 40, "character": 8}}
        span = {"start": {"line": 0, "character": 0}, "end": {"line": 90, "character": 0}}
        methods = [("textDocument/" + name, place_) for name in ("hover", "definition", "references", "completion", "documentSymbol")]
        methods += [("textDocument/rename", {**place_, "newName": "z"}), ("textDocument/codeAction", {**place_, "range": span}),
                    ("textDocument/inlayHint", {**place_, "range": span}), ("textDocument/codeLens", place_), ("shutdown_", {"x": 1})]
        refused = 0
        for _ in range(600):
            method, parameters = source.choice(methods)
            answer = self.client.response(method, **protocol_client.broken(parameters, source))
            refused += "error" in answer
            self.assertIn(answer.get("error", {"code": -32602})["code"], (-32602, -32601))
        self.assertGreater(refused, 100)
        changes = {"textDocument": {**self.document, "languageId": "pto", "version": 1, "text": TEXT}, "contentChanges": [{"text": TEXT}]}
        for _ in range(200):
            method = source.choice(("didOpen", "didChange", "didSave", "didClose", "fly"))
            self.client.tell("textDocument/" + method, **protocol_client.broken(changes, source))
        self.client.response("textDocument/hover", **place_)

    def test_broken_streams(self):
        for begin in protocol_client.BROKEN_STREAMS + protocol_client.CUT_STREAMS:
            done = subprocess.run([PTOSIM, "lsp"], input=begin, capture_output=True, timeout=protocol_client.SECONDS)
            self.assertIn(done.returncode, (1, 2), begin)

    def test_every_cut_of_a_text(self):
        self.open()
        for at in range(0, len(TEXT), 211):
            self.change(TEXT[:at])
            self.client.ask("textDocument/documentSymbol", textDocument=self.document)


if __name__ == "__main__":
    PTOSIM = shutil.which(command_line.program())
    unittest.main()
