// Looks at the page of a program of many kernels in headless Chromium: its tasks and their arrows.
//
//   node test/tasks_test.mjs REPORT.html [--chromium BIN]
//
// The page is that of a recorded program with dependencies (ptosim exec --trace).
import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const words = process.argv.slice(2);
const at = words.indexOf('--chromium');
const browser = await chromium.launch({ executablePath: at < 0 ? '/usr/bin/chromium' : words[at + 1], args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: 1440, height: 960 } });
const problems = [];
page.on('pageerror', (error) => problems.push(String(error)));
page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
await page.goto(pathToFileURL(path.resolve(words[0])).href);
await page.waitForSelector('body[data-ready=yes]', { timeout: 60000 });

const seen = await page.evaluate(() => {
  const tasks = JSON.parse(document.getElementById('tasks').textContent);
  const { model } = window.ptosim;
  const lanes = model.lanes.filter((lane) => lane.pipe === 'tasks');
  return {
    tasks,
    shown: lanes.map((lane) => ({ core: lane.core, begin: [...lane.begin], names: [...lane.what].map((what) => model.data.what[what].name) })),
    first: tasks.cores.map((core) => model.lanes.find((lane) => lane.core === core).pipe),
    arrows: model.flags.filter((flags) => flags.dependency).flatMap((flags) => [...flags.set].map((set, i) => [flags.from, set, flags.to, flags.taken[i]])),
    ascending: model.flags.filter((flags) => flags.dependency).every((flags) => [flags.set, flags.taken].every((times) => times.every((time, i) => i === 0 || times[i - 1] <= time))),
    lanes: model.lanes.map((lane) => lane.name),
    processors: model.lanes.filter((lane) => lane.core === 'AICPU').map((lane) => ({
      name: lane.pipe, slices: [...lane.what].map((what, i) => [model.data.what[what].name, lane.begin[i], lane.end[i] - lane.begin[i]]),
    })),
    // Cycles of each scalar unit that are drawn as work and not within a task of its core.
    outside: model.lanes.filter((lane) => lane.pipe === 'S').map((lane) => {
      const tasks = model.lanes.find((some) => some.core === lane.core && some.pipe === 'tasks');
      const within = (begin, end) => tasks && [...tasks.begin].some((from, i) => from <= begin && end <= tasks.end[i]);
      return [...lane.begin].filter((begin, i) => model.data.what[lane.what[i]].name === 'scalar' && !within(begin, lane.end[i])).length;
    }),
    idle: model.lanes.filter((lane) => lane.pipe === 'S').every((lane) => [...lane.what].some((what) => model.data.what[what].name === 'no task')),
  };
});
const { tasks } = seen;
assert.equal(seen.shown.reduce((sum, lane) => sum + lane.begin.length, 0), tasks.tasks.length);
for (const [core, kernel, begin] of tasks.tasks) {
  const lane = seen.shown.find((some) => some.core === tasks.cores[core]);
  assert.equal(lane.names[lane.begin.indexOf(begin)], tasks.kernels[kernel]);
}
assert.ok(seen.first.every((pipe) => pipe === 'tasks'), 'tasks stand above the pipes of each core');
console.log('ok   tasks are lanes, by the names of their kernels');

assert.deepEqual(seen.processors, tasks.processors.map(({ name, slices }) => ({ name, slices: slices.map(([phase, begin, cycles]) => [tasks.phases[phase], begin, cycles]) })));
assert.deepEqual([...new Set(seen.outside)], [0]);
assert.ok(seen.idle);
console.log('ok   orchestrator and schedulers are lanes, and a core without a task waits');

const lane = (task) => seen.lanes.indexOf(`${tasks.cores[tasks.tasks[task][0]]} tasks`);
const wanted = tasks.dependencies.map(([from, to]) => [lane(from), tasks.tasks[from][2] + tasks.tasks[from][3], lane(to), tasks.tasks[to][2]]);
const sorted = (list) => list.map((arrow) => arrow.join()).sort();
assert.deepEqual(sorted(seen.arrows), sorted(wanted));
assert.ok(seen.ascending);
assert.ok(wanted.length > 0);
console.log('ok   each dependency is an arrow from the end of a task to the begin of another');

// The first dependency: its later task names the earlier one, and a click goes there.
const [from, to] = tasks.dependencies[0];
await page.evaluate(({ index, begin }) => {
  const { model, swimlane } = window.ptosim;
  swimlane.select({ lane: index, slice: model.lanes[index].begin.indexOf(begin) }, true);
}, { index: lane(to), begin: tasks.tasks[to][2] });
const details = page.locator('#details');
const text = await details.innerText();
assert.match(text, new RegExp(`It depends on[^]*${tasks.tasks[from][4]} ${tasks.kernels[tasks.tasks[from][1]]} on ${tasks.cores[tasks.tasks[from][0]]} tasks`));
assert.ok(text.includes(tasks.tasks[to][4]));
assert.ok(!/It did not wait|of its core/.test(text), 'a task is no instruction');
await details.getByText(`${tasks.tasks[from][4]} ${tasks.kernels[tasks.tasks[from][1]]}`).first().click();
assert.match(await details.innerText(), /Its dependents/);
console.log('ok   a task names those that it depends on and those that depend on it');

assert.deepEqual(problems, []);
await browser.close();
