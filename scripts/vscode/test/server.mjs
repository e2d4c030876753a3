// The language server by VS Code's own library of the protocol.
//
//   node test/server.mjs PTOSIM
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import protocol from "vscode-languageserver-protocol/node.js";

const program = path.resolve(process.argv[2] ?? "../../build/ptosim");
const kernel = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../../tests/kernels/vadd_f32.pto");
const text = fs.readFileSync(kernel, "utf8");
const lines = text.split("\n");
const uri = pathToFileURL(kernel).href;

const server = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
const connection = protocol.createProtocolConnection(
  new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin));
connection.listen();

const published = [];
let wake = () => {};
connection.onNotification(protocol.PublishDiagnosticsNotification.type, (sent) => {
  published.push(sent.diagnostics);
  wake();
});
const diagnostics = async () => {
  while (published.length === 0) await new Promise((resolve) => (wake = resolve));
  return published.shift();
};
const at = (part, which = 0, after = 0) => {
  const line = lines.map((row, number) => [row, number]).filter(([row]) => row.includes(part))[which][1];
  return { textDocument: { uri }, position: { line, character: lines[line].indexOf(part) + after } };
};

const started = await connection.sendRequest(protocol.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} });
assert.ok(started.capabilities.renameProvider);
await connection.sendNotification(protocol.InitializedNotification.type, {});
await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "pto", version: 1, text } });
assert.deepEqual(await diagnostics(), []);

const hover = await connection.sendRequest(protocol.HoverRequest.type, at("pto.tadd", 0, 5));
assert.match(hover.contents.value, /TADD/);
assert.match(hover.contents.value, /cost: \d+ cycles alone on ascend910b1/);
const definition = await connection.sendRequest(protocol.DefinitionRequest.type, at("%x_ping, %y_ping", 0, 3));
assert.equal(definition.range.start.line, lines.findIndex((row) => row.includes("%x_ping = ")));
const references = await connection.sendRequest(protocol.ReferencesRequest.type, { ...at("%x_ping = ", 0, 2), context: { includeDeclaration: true } });
assert.equal(references.length, 3);
const symbols = await connection.sendRequest(protocol.DocumentSymbolRequest.type, { textDocument: { uri } });
assert.equal(symbols[0].name, "@vadd_f32");
const completion = await connection.sendRequest(protocol.CompletionRequest.type, at("pto.tadd", 0, 6));
assert.ok(completion.some((item) => item.label === "pto.tadd"));

const wrong = text.replace("pto.tadd ins", "pto.tad ins");
await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, { textDocument: { uri, version: 2 }, contentChanges: [{ text: wrong }] });
const found = await diagnostics();
assert.equal(found[0].code, "K02");
const actions = await connection.sendRequest(protocol.CodeActionRequest.type, { textDocument: { uri }, range: found[0].range, context: { diagnostics: found } });
assert.match(actions[0].title, /Replace by/);
await assert.rejects(connection.sendRequest("textDocument/fly", {}));
await connection.sendRequest(protocol.ShutdownRequest.type);
await connection.sendNotification(protocol.ExitNotification.type);
await new Promise((resolve) => server.on("exit", resolve));
console.log("ok: the language server");
process.exit(0);
