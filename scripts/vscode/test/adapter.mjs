// Sessions of the debug adapter by VS Code's own test client: the writer of a wrong element, a race, a deadlock.
//
//   node test/adapter.mjs PTOSIM
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { DebugClient } from "@vscode/debugadapter-testsupport";

const program = path.resolve(process.argv[2] ?? "../../build/ptosim");
const kernels = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../../tests/kernels");
const text = fs.readFileSync(path.join(kernels, "vadd_f32.pto"), "utf8");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ptosim-adapter-"));

const lineOf = (part, which = 0) =>
  text.split("\n").map((line, at) => [line, at + 1]).filter(([line]) => line.includes(part))[which][1];

/** The kernel with one line changed. */
function changed(name, old, by, which = 0) {
  const lines = text.split("\n");
  const at = lineOf(old, which) - 1;
  lines[at] = lines[at].replace(old, by);
  const file = path.join(folder, name);
  fs.writeFileSync(file, lines.join("\n"));
  return file;
}

const vadd = ["--blocks", "1", "--arg", "rand=32x256xf32:1", "--arg", "rand=32x256xf32:2", "--arg", "out=32x256xf32", "--arg", "i32=32"];

async function session(kernel, options, play) {
  return sessionOf(kernel, [...vadd, ...options], play);
}

// A kernel of tiles is not compiled as Ascend C.
const { PTOSIM_ASCENDC: ascendc, ...environment } = process.env;

async function sessionOf(kernel, options, play, env = environment) {
  const words = ["debug", kernel, "--port", "0", ...options];
  const server = spawn(program, words, { cwd: folder, env });
  const port = await new Promise((resolve, reject) => {
    let said = "";
    server.stderr.on("data", (data) => {
      said += data;
      const found = /listening on .*:(\d+)\n/.exec(said);
      if (found) resolve(Number(found[1]));
    });
    server.on("exit", (code) => reject(new Error(`ptosim has ended with ${code}`)));
  });
  const client = new DebugClient("node", "", "ptosim");
  client.defaultTimeout = 60000;
  await client.start(port);
  try {
    await client.initializeRequest();
    await client.launchRequest({ stopOnEntry: false });
    await play(client);
  } finally {
    await client.stop();
    server.kill();
  }
}

async function begin(client, filters = ["finding"]) {
  await client.setExceptionBreakpointsRequest({ filters });
  const [stop] = await Promise.all([client.waitForEvent("stopped"), client.configurationDoneRequest()]);
  return stop.body;
}

async function top(client, threadId) {
  return (await client.stackTraceRequest({ threadId })).body.stackFrames[0];
}

const results = [];
async function test(name, run) {
  await run();
  results.push(name);
  console.log(`ok: ${name}`);
}

await test("breakpoints, steps and steps back", () =>
  session(path.join(kernels, "vadd_f32.pto"), [], async (client) => {
    const line = lineOf("pto.tadd");
    const set = await client.setBreakpointsRequest({
      source: { path: path.join(kernels, "vadd_f32.pto") }, breakpoints: [{ line }],
    });
    assert.ok(set.body.breakpoints[0].verified);
    const stop = await begin(client);
    assert.equal(stop.reason, "breakpoint");
    assert.equal((await top(client, stop.threadId)).line, line);
    await Promise.all([client.waitForEvent("stopped"), client.nextRequest({ threadId: stop.threadId })]);
    assert.equal((await top(client, stop.threadId)).line, line + 1);
    await Promise.all([client.waitForEvent("stopped"), client.stepBackRequest({ threadId: stop.threadId })]);
    assert.equal((await top(client, stop.threadId)).line, line);
  }));

await test("the writer of a wrong element", async () => {
  const wrong = changed("wrong.pto", "pto.tadd", "pto.tsub", 1);
  await session(wrong, [], async (client) => {
    await begin(client);
    const info = await client.send("dataBreakpointInfo", { name: "z[20,3]" });
    await client.send("setDataBreakpoints", { breakpoints: [{ dataId: info.body.dataId, accessType: "write" }] });
    const [stop] = await Promise.all([client.waitForEvent("stopped"), client.reverseContinueRequest({ threadId: 1 })]);
    assert.equal(stop.body.reason, "data breakpoint");
    const answer = await client.evaluateRequest({ expression: "writer %z_pong[4,3]", context: "repl" });
    assert.match(answer.body.result, new RegExp(`wrong.pto:${lineOf("pto.tadd", 1)}  TSUB`));
  });
});

await test("a race", async () => {
  const racy = changed("racy.pto", "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]", "");
  await session(racy, [], async (client) => {
    const stop = await begin(client);
    assert.equal(stop.reason, "exception");
    const info = await client.send("exceptionInfo", { threadId: stop.threadId });
    assert.match(info.body.description, /RAW race in UB between pipes MTE2 and V.*TLOAD 'dst' at .*:58/s);
  });
});

await test("a deadlock", async () => {
  const stuck = changed("stuck.pto", "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]", "");
  await session(stuck, ["--check", "sync"], async (client) => {
    const stop = await begin(client);
    assert.equal(stop.reason, "exception");
    const why = await client.evaluateRequest({ expression: "why V", context: "repl" });
    assert.match(why.body.result, new RegExp(`waits for flag MTE2->V #1; .*:${lineOf("<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>", 1)}`));
  });
});

const inText = (source, part) => source.split("\n").findIndex((line) => line.includes(part)) + 1;

async function variables(client, threadId) {
  const frame = await top(client, threadId);
  const scopes = (await client.scopesRequest({ frameId: frame.id })).body.scopes;
  const { variablesReference } = scopes.find((scope) => scope.name === "Variables");
  const list = (await client.variablesRequest({ variablesReference })).body.variables;
  return Object.fromEntries(list.map((one) => [one.name, one]));
}

await test("lines, variables and tiles of a C++ kernel, backwards", async () => {
  const file = path.resolve(kernels, "../../docs/examples/matmul_relu.cpp");
  const source = fs.readFileSync(file, "utf8");
  const options = ["--blocks", "1", "--arg", "rand=64x64xf16:1", "--arg", "rand=64x64xf16:2", "--arg", "zeros=64x64xf32", "--arg", "out=64x64xf32"];
  await sessionOf(file, options, async (client) => {
    const line = inText(source, "TSTORE(to, tile)");
    const set = await client.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line, condition: "row == 32" }] });
    assert.equal(set.body.breakpoints[0].line, line);
    const stop = await begin(client);
    assert.equal((await top(client, stop.threadId)).line, line);
    const { row, tile } = await variables(client, stop.threadId);
    assert.equal(row.value, "32");
    assert.match(tile.value, /^UB f32 32x64/);
    assert.equal(tile.indexedVariables, 32);
    const picture = await client.send("ptosim/picture", { expression: "tile" });
    assert.equal(Buffer.from(picture.body.data, "base64").toString("latin1", 1, 4), "PNG");
    await Promise.all([client.waitForEvent("stopped"), client.stepBackRequest({ threadId: stop.threadId })]);
    assert.ok((await top(client, stop.threadId)).line < line);
    await Promise.all([client.waitForEvent("stopped"), client.continueRequest({ threadId: stop.threadId })]);
    const answer = await client.evaluateRequest({ expression: "writer c[40,0]", context: "repl" });
    assert.match(answer.body.result, /nothing has written c\[40,0\] before/);
  });
});

if (ascendc) {
  const original = fs.readFileSync(path.resolve(kernels, "../../docs/examples/silu.asc"), "utf8");
  fs.copyFileSync(path.resolve(kernels, "../../docs/examples/host.h"), path.join(folder, "host.h"));
  const play = async (name, changes, play) => {
    const file = path.join(folder, name);
    assert.ok(changes.every(([old]) => original.includes(old)));
    fs.writeFileSync(file, changes.reduce((source, [old, by]) => source.replace(old, by), original));
    const options = ["--blocks", "1", "--arg", "rand=2048xf32:1", "--arg", "out=2048xf32", "--arg", "i32=2048"];
    await sessionOf(file, options, (client) => play(client, fs.readFileSync(file, "utf8")), process.env);
  };
  await test("the writer of a wrong element in Ascend C", () =>
    play("wrong.asc", [["Adds(b, b, 1.0f", "Adds(b, b, 2.0f"]], async (client, source) => {
      const file = path.join(folder, "wrong.asc");
      const line = inText(source, "out.FreeTensor(b)");
      await client.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line, condition: "at == 1024" }] });
      const stop = await begin(client);
      const { at, share, b } = await variables(client, stop.threadId);
      assert.deepEqual([at.value, share.value], ["1024", "2048"]);
      assert.match(b.value, /^UB f32 1x1024/);
      const store = await client.evaluateRequest({ expression: "writer y[5]", context: "repl" });
      assert.match(store.body.result, new RegExp(`wrong.asc:${inText(source, "DataCopy(to[at]")}`));
      const add = await client.evaluateRequest({ expression: "writer b[0,5]", context: "repl" });
      assert.match(add.body.result, new RegExp(`wrong.asc:${inText(source, "Div(b")}`));
    }));
  await test("a race in Ascend C", () =>
    play("racy.asc", [["out.EnQue(b);", ""], ["b = out.DeQue<float>();", ""]], async (client, source) => {
      const stop = await begin(client);
      assert.equal(stop.reason, "exception");
      const info = await client.send("exceptionInfo", { threadId: stop.threadId });
      assert.match(info.body.description, new RegExp(`race in UB between pipes V and MTE3.*racy.asc:${inText(source, "Div(b")}`, "s"));
    }));
  await test("a deadlock in Ascend C", () =>
    play("stuck.asc", [["AscendC::Muls(", "AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID5); AscendC::Muls("]], async (client, source) => {
      const stop = await begin(client);
      assert.equal(stop.reason, "exception");
      const why = await client.evaluateRequest({ expression: "why V", context: "repl" });
      assert.match(why.body.result, new RegExp(`waits for flag MTE2->V #5.*stuck.asc:${inText(source, "WaitFlag")}`));
    }));
} else {
  console.log("skipped: sessions in Ascend C need PTOSIM_ASCENDC");
}

if (process.env.PTOSIM_SIMPLER) {
  const original = path.resolve(kernels, "../mpmd");
  /** Sessions of task r0t5 of a program, which runs add.cpp with a change. */
  const play = async (name, changes, play) => {
    const copy = path.join(folder, name);
    fs.cpSync(path.join(original, "simpler"), path.join(copy, "simpler"), { recursive: true });
    fs.copyFileSync(path.join(original, "task_kernel.h"), path.join(copy, "task_kernel.h"));
    const file = path.join(copy, "simpler/kernels/add.cpp");
    const source = fs.readFileSync(file, "utf8");
    assert.ok(changes.every(([old]) => source.includes(old)));
    const changed = changes.reduce((text, [old, by]) => text.replace(old, by), source);
    fs.writeFileSync(file, changed);
    const kept = path.join(copy, "kept");
    const words = ["exec", "--keep-task", `add:1=${kept}`, "--", "python3", path.join(copy, "simpler/test_layer.py"), "-p", "a2a3sim",
      "--case", "TestLayer::tiles8"];
    const run = spawnSync(program, words, { cwd: copy, env: environment, encoding: "utf8" });
    assert.ok(fs.existsSync(path.join(kept, "task.json")), run.stderr);
    await sessionOf(kept, [], (client) => play(client, file, changed));
  };
  const wait = "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);";
  await test("the writer of a wrong element in a task of simpler", () =>
    play("wrong", [["TADD(y, r, x)", "TSUB(y, r, x)"]], async (client, file, source) => {
      const line = inText(source, "TSTORE(out, y)");
      const set = await client.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line }] });
      assert.equal(set.body.breakpoints[0].line, line);
      const stop = await begin(client);
      assert.equal((await top(client, stop.threadId)).source.path, file);
      assert.match((await variables(client, stop.threadId)).y.value, /^UB f32 64x64/);
      await Promise.all([client.waitForEvent("stopped"), client.continueRequest({ threadId: stop.threadId })]);
      const info = await client.send("dataBreakpointInfo", { name: "arg2[77]" });
      await client.send("setDataBreakpoints", { breakpoints: [{ dataId: info.body.dataId, accessType: "write" }] });
      const [back] = await Promise.all([client.waitForEvent("stopped"), client.reverseContinueRequest({ threadId: 1 })]);
      assert.equal(back.body.reason, "data breakpoint");
      const answer = await client.evaluateRequest({ expression: "writer y[1,13]", context: "repl" });
      assert.match(answer.body.result, new RegExp(`add.cpp:${inText(source, "TSUB")}  TSUB`));
    }));
  await test("a race in a task of simpler", () =>
    play("racy", [[wait, ""]], async (client, file, source) => {
      const stop = await begin(client);
      assert.equal(stop.reason, "exception");
      const info = await client.send("exceptionInfo", { threadId: stop.threadId });
      assert.match(info.body.description, new RegExp(`race in UB between pipes MTE2 and V.*TLOAD 'dst' at .*add.cpp:${inText(source, "TLOAD(r")}`, "s"));
    }));
  await test("a deadlock in a task of simpler", () =>
    play("stuck", [["set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);", ""]], async (client, file, source) => {
      const stop = await begin(client);
      assert.equal(stop.reason, "exception");
      const why = await client.evaluateRequest({ expression: "why V", context: "repl" });
      assert.match(why.body.result, new RegExp(`waits for flag MTE2->V #0.*add.cpp:${inText(source, wait)}`));
      await assert.rejects(client.send("setBreakpoints", {}));
      await assert.rejects(client.send("dataBreakpointInfo", {}));
      await assert.rejects(client.send("scopes", { frameId: 99 }));
    }));
} else {
  console.log("skipped: sessions in tasks of simpler need PTOSIM_SIMPLER, after 'ptosim simpler-setup'");
}

await test("broken requests", () =>
  session(path.join(kernels, "vadd_f32.pto"), [], async (client) => {
    await assert.rejects(client.send("fly", {}));
    await assert.rejects(client.send("stackTrace", { threadId: 99 }));
    await assert.rejects(client.send("variables", {}));
  }));

fs.rmSync(folder, { recursive: true });
console.log(`${results.length} sessions`);
process.exit(0);
