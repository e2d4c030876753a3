// Looks at a report in headless Chromium: opens it, zooms, searches, clicks, measures.
//
//   node test/viewer_test.mjs REPORT.html [--diff DIFF.html] [--kept KEPT.html] [--shots FOLDER] [--chromium BIN] [--measure]
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const words = process.argv.slice(2);
const option = (name, fallback) => {
  const at = words.indexOf(name);
  return at < 0 ? fallback : words[at + 1];
};
// Everything is waited for as a state; a host that is busy with other things takes its time.
const patience = 240000;
const page_file = path.resolve(words[0]);
const shots = option('--shots', '');

const browser = await chromium.launch({ executablePath: option('--chromium', '/usr/bin/chromium'), args: ['--no-sandbox', '--disable-gpu'] });

async function open({ colorScheme = 'light', width = 1440, height = 960, file = page_file } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || problems.push(`network: ${request.url()}`));
  const begin = Date.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('body[data-ready=yes]', { timeout: patience });
  await settle(page);
  return { page, problems, opened: Date.now() - begin };
}

const text = (page, id) => page.locator(id).innerText();
const view = async (page) => (await text(page, '#view')).match(/\d[\d,]*/g).map((n) => Number(n.replaceAll(',', '')));
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const shot = async (page, name, fullPage = true) => {
  if (!shots) return;
  // The bar of a whole page that was scrolled would lie over its middle.
  if (fullPage) await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage });
};
const plain = (value) => value.replaceAll(',', '');

let passed = 0;
async function test(name, body) {
  try {
    await body();
  } catch (error) {
    error.message = `${name}: ${error.message}`;
    throw error;
  }
  ++passed;
  console.log(`ok   ${name}`);
}

const { page, problems, opened } = await open();
const data = await page.evaluate(() => window.ptosim.model.data);
const canvas = page.locator('#swimlane');
const at = async (point) => {
  await page.evaluate(() => scrollTo(0, 0));
  const box = await canvas.boundingBox();
  return [box.x + point.x, box.y + point.y];
};
// The colour of a pixel of the canvas.
const pixel = (point) => page.evaluate(({ x, y }) => {
  const scale = window.devicePixelRatio || 1;
  return [...document.getElementById('swimlane').getContext('2d').getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1).data];
}, point);
// The first slice on a lane that is shown which `wanted` (source of a function) takes, chosen.
const choose = (wanted) => page.evaluate((source) => {
  const accept = eval(source);
  const { model, swimlane } = window.ptosim;
  for (const { lane } of swimlane.rows)
    for (let slice = 0; slice < model.lanes[lane].what.length; ++slice) {
      if (!accept(model, { lane, slice })) continue;
      swimlane.select({ lane, slice }, true);
      return { ...model.what({ lane, slice }), lane: model.lanes[lane].name, slice };
    }
  return null;
}, wanted.toString());

await test('the page names the kernel and its bottleneck', async () => {
  assert.equal(await text(page, '#title'), data.report.kernel);
  assert.equal(await text(page, '#bottleneck'), data.report.bottleneck);
  await shot(page, 'light');
});

await test('keys, buttons and Ctrl with the wheel zoom; the wheel alone scrolls', async () => {
  const whole = await view(page);
  await page.keyboard.press('w');
  await settle(page);
  const closer = await view(page);
  assert.ok(closer[1] - closer[0] < 0.6 * (whole[1] - whole[0]));
  await page.keyboard.press('d');
  await settle(page);
  assert.ok((await view(page))[0] > closer[0]);
  await page.keyboard.press('a');
  await settle(page);
  assert.equal((await view(page))[0], closer[0]);
  await page.click('#in');
  await settle(page);
  const twice = await view(page);
  assert.ok(twice[1] - twice[0] < 0.6 * (closer[1] - closer[0]));
  await page.mouse.move(...(await at({ x: 700, y: 120 })));
  await page.mouse.wheel(0, -300);
  await settle(page);
  assert.deepEqual(await view(page), twice, 'the wheel alone scrolls');
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  await settle(page);
  const wheeled = await view(page);
  assert.ok(wheeled[1] - wheeled[0] < twice[1] - twice[0]);
  await shot(page, 'zoomed');
  await page.keyboard.press('s');
  await settle(page);
  assert.ok((await view(page))[1] - (await view(page))[0] > wheeled[1] - wheeled[0]);
  await page.keyboard.press('f');
  await settle(page);
  assert.deepEqual(await view(page), whole);
});

await test('time axis and lane names stay while lanes scroll', async () => {
  await page.selectOption('#cores', 'all');
  await settle(page);
  const before = await pixel({ x: 4, y: 4 });
  const scrolled = await page.evaluate(() => {
    const box = document.getElementById('lanes');
    box.scrollTop = 200;
    return [box.scrollTop, box.scrollHeight > box.clientHeight];
  });
  await settle(page);
  assert.deepEqual(await pixel({ x: 4, y: 4 }), before);
  if (scrolled[1]) assert.ok(scrolled[0] > 0);
  const box = await canvas.boundingBox();
  const lanes = await page.locator('#lanes').boundingBox();
  assert.ok(Math.abs(box.y - lanes.y) < 2, 'the canvas stays in its box');
  await shot(page, 'all-cores', false);
  await page.evaluate(() => (document.getElementById('lanes').scrollTop = 0));
});

const what = data.what.find((w) => w.kind === 0 && w.line);

await test('search finds by name, line, core and pipe, and steps both ways', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type(`${what.name} ${what.line}`);
  await page.keyboard.press('Enter');
  await settle(page);
  const [first, count] = plain(await text(page, '#found')).match(/\d+/g).map(Number);
  const expected = await page.evaluate(({ name, line }) => {
    const { model } = window.ptosim;
    return model.lanes.reduce((sum, lane) => sum + [...lane.what].filter((w) => {
      const text = `${model.data.what[w].name} ${model.data.what[w].operands ?? ''} ${model.data.what[w].line ?? ''}`.toLowerCase();
      return text.includes(name.toLowerCase()) && text.includes(line.toLowerCase());
    }).length, 0);
  }, what);
  assert.deepEqual([first, count], [1, expected]);
  const details = await text(page, '#details');
  for (const part of [what.name, what.line, what.operands.split(',')[0]]) assert.ok(details.includes(part), details);
  assert.equal(await page.locator('#source tr.here').first().getAttribute('data-line'), what.line);
  await shot(page, 'found');
  if (count > 1) {
    await page.click('#next');
    assert.match(await text(page, '#found'), /^2 of/);
    await page.click('#back');
    assert.match(await text(page, '#found'), /^1 of/);
    await page.click('#back');
    assert.equal(plain(await text(page, '#found')), `${count} of ${count}`, 'around');
  }
  const lane = await page.evaluate(() => window.ptosim.model.lanes.find((l) => l.pipe !== 'S'));
  await page.fill('#search', `${lane.core} ${lane.pipe}`);
  await page.keyboard.press('Enter');
  await settle(page);
  const [whole, elsewhere] = await page.evaluate(({ core, pipe }) => {
    const { model, page } = window.ptosim;
    const hits = page.found.before.map((before) => before[before.length - 1]);
    return [hits.every((n, i) => n === model.lanes[i].what.length || model.lanes[i].name !== `${core} ${pipe}`), hits.filter((n, i) => n && model.lanes[i].core !== core).length];
  }, lane);
  assert.ok(whole, 'all of this lane');
  assert.equal(elsewhere, 0, 'nothing on other cores');
  assert.ok((await text(page, '#details')).includes(`${lane.core} ${lane.pipe}`));
  await page.keyboard.press('Escape');
});

await test('a click on a slice shows it', async () => {
  await page.keyboard.press('f');
  await page.keyboard.press('w');
  await page.keyboard.press('w');
  await settle(page);
  const target = await page.evaluate(() => {
    const { model, swimlane } = window.ptosim;
    for (const { lane } of swimlane.rows.slice(0, 12))
      for (let slice = 0; slice < model.lanes[lane].begin.length; ++slice) {
        const begin = model.lanes[lane].begin[slice];
        if (begin <= swimlane.from || model.lanes[lane].end[slice] >= swimlane.to) continue;
        const what = model.what({ lane, slice });
        const at = swimlane.pixel({ lane, slice });
        if (what.kind === 0 && at && at.width > 8) return { ...at, begin, name: what.name, line: what.line };
      }
    return null;
  });
  assert.ok(target, 'something is drawn');
  await page.mouse.click(...(await at(target)));
  await settle(page);
  const details = await text(page, '#details');
  assert.ok(details.includes(target.name), `${details} has no ${target.name}`);
  assert.ok(plain(details).includes(String(target.begin)), details);
});

await test('keys walk along a lane and across lanes', async () => {
  await choose((model, slot) => model.what(slot).kind === 0 && slot.slice > 1);
  const before = await text(page, '#details');
  await page.keyboard.press('.');
  await settle(page);
  const after = await text(page, '#details');
  assert.notEqual(after, before);
  await page.keyboard.press(',');
  await settle(page);
  assert.equal(await text(page, '#details'), before);
  await page.keyboard.press('j');
  await settle(page);
  assert.notEqual((await text(page, '#details')).match(/on\n(.*)/)[1], before.match(/on\n(.*)/)[1]);
});

await test('an instruction shows its flags as arrows, and who made and who reads its tiles', async () => {
  const chosen = await choose((model, slot) => {
    const what = model.what(slot);
    return what.kind === 0 && (what.tiles ?? []).some((t) => t[3] & 1) && model.flagsOf(slot).length > 0 && slot.slice > 2;
  });
  assert.ok(chosen, 'there is one');
  await settle(page);
  const details = await text(page, '#details');
  assert.match(details, /Producers of its tiles/);
  assert.match(details, /Flags it (waits for|sets)/);
  // The producer of a tile must have written these bytes before.
  const honest = await page.evaluate(() => {
    const { model, swimlane } = window.ptosim;
    const own = model.what(swimlane.selected).tiles;
    const { producers, consumers } = swimlane.related;
    const sequence = (slot) => model.lanes[slot.lane].sequence[slot.slice];
    const meets = (slot, role) => model.what(slot).tiles.some((t) => t[3] & role && own.some((o) => o[0] === t[0] && o[1] < t[1] + t[2] && t[1] < o[1] + o[2]));
    return producers.length > 0 && producers.every(({ slot }) => sequence(slot) < sequence(swimlane.selected) && meets(slot, 2)) &&
      consumers.every(({ slot }) => sequence(slot) > sequence(swimlane.selected) && meets(slot, 1));
  });
  assert.ok(honest);
  await shot(page, 'tiles', false);
  await page.locator('#details h3', { hasText: 'Producers of its tiles' }).locator('xpath=following-sibling::button[1]').click();
  await settle(page);
  assert.match(await text(page, '#details'), /Readers of its result/);
});

await test('all flags in view are drawn as arrows', async () => {
  await page.selectOption('#cores', await page.evaluate(() => window.ptosim.model.cores[0]));
  await choose((model, slot) => model.what(slot).kind === 0 && model.flagsOf(slot).length > 0);
  await page.keyboard.press('s');
  await page.keyboard.press('s');
  await settle(page);
  const drawn = () => page.evaluate(() => {
    const c = document.getElementById('swimlane');
    const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) count += data[i + 2] > data[i] + 40 && data[i] > data[i + 1] + 20;
    return count;
  });
  const few = await drawn();
  await page.keyboard.press('e');
  await settle(page);
  assert.equal(await page.getAttribute('#arrows', 'aria-pressed'), 'true');
  if ((await page.evaluate(() => window.ptosim.swimlane.arrowsInView())) > 2) assert.ok((await drawn()) > few);
  await shot(page, 'arrows', false);
  await page.keyboard.press('e');
  await page.selectOption('#cores', 'all');
});

await test('a range is measured: by dragging over the axis, and by key', async () => {
  await page.keyboard.press('f');
  await settle(page);
  const from = await at({ x: 400, y: 24 });
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(from[0] + 300, from[1], { steps: 4 });
  await page.mouse.up();
  await settle(page);
  assert.match(await text(page, '#details h2'), /cycles/);
  await shot(page, 'measured', false);
  await page.keyboard.press('m');
  await settle(page);
  // The whole run shows the totals.
  const shown = await text(page, '#details');
  assert.equal(plain(shown.match(/^([\d,]+) cycles/m)[1]), String(data.report.cycles));
  const sums = await page.evaluate(() => {
    const { model, swimlane } = window.ptosim;
    const cores = new Set(swimlane.rows.map((row) => model.lanes[row.lane].core));
    const type = [...cores][0].replace(/\d+$/, '');
    const of = model.data.report.cores.filter((core) => cores.has(core.lane) && core.lane.startsWith(type));
    const pipe = Object.keys(of[0].pipes).find((p) => p !== 'S' && of[0].pipes[p].busy > 0);
    return { name: `${type} ${pipe}`, share: (100 * of.reduce((sum, core) => sum + (core.pipes[pipe]?.busy ?? 0), 0)) / of.filter((core) => core.pipes[pipe]?.instructions).length / model.data.report.cycles };
  });
  const row = await page.locator('#details tr', { hasText: sums.name }).first().innerText();
  assert.ok(Math.abs(Number(row.match(/([\d.]+) %/)[1]) - sums.share) < 0.11, `${row} is not ${sums.share}`);
  await page.keyboard.press('Escape');
});

await test('clusters that did the same are one lane, with their spread', async () => {
  if (!(await page.locator('#cores option[value=folded]').count())) return;
  await page.selectOption('#cores', 'folded');
  await settle(page);
  const { rows, lanes } = await page.evaluate(() => ({ rows: window.ptosim.swimlane.rows.length, lanes: window.ptosim.model.lanes.length }));
  assert.ok(rows < lanes);
  const covered = await page.evaluate(() => window.ptosim.swimlane.rows.flatMap((row) => row.lanes).sort((a, b) => a - b));
  assert.deepEqual(covered, [...Array(lanes).keys()], 'each lane is in one row');
  await shot(page, 'folded', false);
  await page.selectOption('#cores', 'all');
});

await test('columns of narrow slices say for how much of their time the lane worked', async () => {
  await page.keyboard.press('f');
  await settle(page);
  const wrong = await page.evaluate(() => {
    const { model } = window.ptosim;
    for (const lane of model.lanes.slice(0, 30)) {
      const { work, waiting } = model.sums(lane);
      let busy = 0;
      let wait = 0;
      for (let i = 0; i < lane.what.length; ++i) {
        const length = lane.end[i] - lane.begin[i];
        if (model.data.what[lane.what[i]].kind === 1) wait += length;
        else busy += length;
      }
      if (work[lane.what.length] !== busy || waiting[lane.what.length] !== wait) return lane.name;
    }
    return '';
  });
  assert.equal(wrong, '');
});

await test('roofs of L2 and HBM are labelled, and the advice moves the point', async () => {
  assert.ok((await page.locator('#series canvas').count()) > 0);
  const { roofline, advice } = data.report;
  if (!roofline.peak_per_second) return;
  assert.ok(await page.locator('#roofline-box').isVisible());
  const said = await text(page, '#roofline-text');
  assert.match(said, /L2 roof \d+ GB\/s/);
  if (roofline.hbm_bytes) assert.match(said, /HBM roof \d+ GB\/s/);
  if (advice[0]?.saves_cycles) assert.match(said, /with the first advice/);
});

await test('pipes and savings are there', async () => {
  assert.ok((await text(page, '#pipes')).includes(data.report.cores[0].lane));
  assert.equal(await page.locator('#savings tbody tr').count(), data.report.savings.length);
});

await test('the first advice is shown, and leads to its line', async () => {
  // The page sorts them by what they save.
  const sorted = [...data.report.advice].sort((a, b) => (b.saves_cycles ?? 0) - (a.saves_cycles ?? 0));
  const first = sorted[0];
  if (!first) return;
  assert.ok((await page.locator('#advice li').first().innerText()).includes(first.what));
  const shown = () => page.locator('#advice li').evaluateAll((items) => items.filter((item) => item.offsetHeight).length);
  const { length } = data.report.advice;
  assert.equal(await shown(), Math.min(3, length));
  if (length > 3) {
    await page.click('#advice-fold');
    assert.equal(await shown(), length);
    await page.click('#advice-fold');
    assert.equal(await shown(), 3);
  }
  const linked = sorted.findIndex((advice) => advice.file);
  if (linked < 0) return;
  await page.locator('#advice li').nth(linked).locator('button').click();
  await settle(page);
  const { file, line } = sorted[linked];
  assert.equal(await page.locator('#source tr.here').first().getAttribute('data-line'), `${file}:${line}`);
});

await test('the source is coloured by the critical path, in order or by cost', async () => {
  await page.click('#source-order');
  const names = await page.locator('#source tr.hot').evaluateAll((rows) => rows.map((row) => row.dataset.line));
  const critical = new Map(data.report.lines.map((line) => [line.name, line.critical]));
  const shares = names.map((name) => critical.get(name) ?? 0);
  assert.deepEqual(shares, [...shares].sort((a, b) => b - a));
  await shot(page, 'by-cost');
  await page.click('#source-order');
  const most = data.report.lines.filter((line) => line.name !== 'unknown').sort((a, b) => b.critical - a.critical)[0];
  if (most) {
    const heat = await page.locator(`#source tr[data-line="${most.name}"]`).evaluate((row) => parseInt(row.style.getPropertyValue('--heat')));
    assert.ok(heat >= Math.min(100, (100 * most.critical) / data.report.cycles));
  }
});

await test('of files without cost the names stand in the source, and open', async () => {
  // Several files, like a kernel in C++ with its headers.
  const text = readFileSync(page_file, 'utf8');
  const folder = mkdtempSync(path.join(tmpdir(), 'viewer-'));
  const file = path.join(folder, 'with_header.html');
  const header = { name: 'header.hpp', text: '// a header\nint unused;\n' };
  assert.ok(text.includes('"sources":['));
  writeFileSync(file, text.replace('"sources":[', `"sources":[${JSON.stringify(header)},`));
  const { page: its, problems: its_problems } = await open({ file });
  const lines = () => its.locator('#source tr[data-line^="header.hpp:"]').count();
  assert.equal(await lines(), 0);
  assert.equal(await its.locator('#source td.file').last().innerText(), 'header.hpp', 'after those that cost something');
  await its.locator('#source td.file button', { hasText: 'header.hpp' }).click();
  assert.equal(await lines(), 2);
  problems.push(...its_problems);
  rmSync(folder, { recursive: true });
});

await test('the critical path is drawn, clicked and stepped along', async () => {
  await page.keyboard.press('f');
  await page.keyboard.press('Escape');
  await settle(page);
  await page.mouse.click(...(await at({ x: 600, y: 43 })));
  await settle(page);
  assert.match(await text(page, '#found'), /critical path, step/);
  const clicked = await text(page, '#found');
  await page.click('#path-next');
  await settle(page);
  assert.notEqual(await text(page, '#found'), clicked);
  await page.keyboard.press('[');
  await settle(page);
  await shot(page, 'path', false);
});

await test('steps along the critical path begin at the selection', async () => {
  const chosen = await page.evaluate(() => {
    const { model, swimlane } = window.ptosim;
    const { steps } = model.data.report.critical_path;
    const at = steps.findIndex((step, i) => i > steps.length / 2 && model.ofStep(step));
    const slot = model.ofStep(steps[at]);
    swimlane.select(slot, true);
    return { at, begin: steps[at].begin };
  });
  await page.keyboard.press(']');
  await settle(page);
  const step = Number(plain((await text(page, '#found')).match(/step ([\d,]+) of/)[1]));
  const begin = await page.evaluate((n) => window.ptosim.model.data.report.critical_path.steps[n - 1].begin, step);
  assert.ok(begin >= chosen.begin && step <= chosen.at + 3, `step ${step} after step ${chosen.at + 1}`);
  await page.keyboard.press('Escape');
});

await test('time is a tree by instruction, line and core, sorted and folded', async () => {
  await page.keyboard.press('f');
  await page.waitForSelector('#time tbody tr');
  const column = (n) => page.locator(`#time tbody tr td:nth-child(${n})`).allInnerTexts();
  const busy = (await column(3)).map((cell) => Number(plain(cell)));
  assert.deepEqual(busy, [...busy].sort((a, b) => b - a));
  // The sum of the shown lanes, counted here from the slices.
  const expected = await page.evaluate(() => {
    const { model, swimlane } = window.ptosim;
    let sum = 0;
    for (const { lane } of swimlane.rows) {
      const { what, begin, end } = model.lanes[lane];
      for (let i = 0; i < what.length; ++i) if (model.data.what[what[i]].kind !== 1) sum += end[i] - begin[i];
    }
    return sum;
  });
  assert.ok(Math.abs(busy.reduce((a, b) => a + b, 0) - expected) <= busy.length, `${busy} and ${expected}`);
  const rows = busy.length;
  await page.locator('#time .fold').first().click();
  const open = (await column(1)).length;
  assert.ok(open > rows);
  const parts = (await column(3)).slice(1, 1 + open - rows).map((cell) => Number(plain(cell)));
  assert.ok(Math.abs(parts.reduce((a, b) => a + b, 0) - busy[0]) <= parts.length);
  await page.locator('#time .fold').first().click();
  assert.equal((await column(1)).length, rows);
  await page.locator('#time th button', { hasText: 'count' }).click();
  const counts = (await column(2)).map((cell) => Number(plain(cell)));
  assert.deepEqual(counts, [...counts].sort((a, b) => b - a));
  await page.selectOption('#time-by', 'core');
  assert.ok((await column(1)).some((cell) => cell.includes(data.report.cores[0].lane)));
});

await test('a lane is pinned to the top by a click on its name and by a key', async () => {
  const name = await page.evaluate(() => {
    const { model, swimlane } = window.ptosim;
    return model.lanes[swimlane.rows[3].lane].name;
  });
  const first = () => page.evaluate(() => window.ptosim.model.lanes[window.ptosim.swimlane.rows[0].lane].name);
  await page.evaluate(() => (document.getElementById('lanes').scrollTop = 0));
  const before = await first();
  // The fourth row, below a head of 52 pixels.
  const height = await page.evaluate(() => {
    const { swimlane } = window.ptosim;
    return swimlane.pixel({ lane: swimlane.rows[1].lane, slice: 0 }).y - swimlane.pixel({ lane: swimlane.rows[0].lane, slice: 0 }).y;
  });
  await page.mouse.click(...(await at({ x: 40, y: 52 + 3.5 * height })));
  assert.equal(await first(), name);
  await page.mouse.click(...(await at({ x: 40, y: 52 + 0.5 * height })));
  assert.equal(await first(), before);
});

await test('a link shows the same view', async () => {
  await choose((model, slot) => model.what(slot).kind === 0 && slot.slice > 1);
  await page.evaluate(() => window.ptosim.swimlane.pin(window.ptosim.model.lanes[window.ptosim.swimlane.rows[2].lane].name));
  const state = (of) => of.evaluate(() => {
    const { swimlane, model } = window.ptosim;
    return { from: Math.round(swimlane.from), to: Math.round(swimlane.to), selected: swimlane.selected, first: model.lanes[swimlane.rows[0].lane].name, cores: document.getElementById('cores').value };
  });
  const expected = await state(page);
  const hash = await page.evaluate(() => window.ptosim.page.hash());
  const context = await browser.newContext({ viewport: { width: 1440, height: 960 } });
  const other = await context.newPage();
  await other.goto(pathToFileURL(page_file).href + hash);
  await other.waitForSelector('body[data-ready=yes]', { timeout: patience });
  assert.deepEqual(await state(other), expected);
  await context.close();
  await page.evaluate(() => [...window.ptosim.swimlane.pinned].forEach((name) => window.ptosim.swimlane.pin(name)));
});

await test('keys show what they have reached, and heads of tables stay whole', async () => {
  await choose((model, slot) => model.what(slot).kind === 0 && slot.slice > 1);
  await page.keyboard.press('.');
  await settle(page);
  assert.ok(await page.locator('#tip').isVisible());
  const reached = await page.evaluate(() => window.ptosim.model.what(window.ptosim.swimlane.selected).name);
  assert.ok((await text(page, '#tip')).startsWith(reached));
  const broken = await page.locator('th').evaluateAll((heads) => heads.filter((head) => getComputedStyle(head).overflowWrap === 'anywhere').length);
  assert.equal(broken, 0);
});

await test('a wait leads to what set its flag, also on another core', async () => {
  for (const cross of [false, true]) {
    const wait = await choose(cross
      ? (model, slot) => model.what(slot).kind === 1 && model.flagsOf(slot).some(({ flags }) => flags.cross && flags.to === slot.lane)
      : (model, slot) => model.what(slot).kind === 1 && model.flagsOf(slot).some(({ flags }) => !flags.cross && flags.to === slot.lane));
    if (!wait) continue;
    await page.locator('#details button', { hasText: 'go to what set it' }).click();
    await settle(page);
    const details = await text(page, '#details');
    if (wait.set) assert.ok(details.includes(wait.set), `${details} is not ${wait.set}`);
    if (cross) assert.ok(!details.includes(`on\n${wait.lane}`), 'another lane');
    await shot(page, cross ? 'setter-on-another-core' : 'setter', false);
  }
});

const contrast = (page) => page.evaluate(() => {
  const channels = (color) => {
    const c = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    c.fillStyle = color;
    c.fillRect(0, 0, 1, 1);
    return [...c.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const worst = [];
  for (const e of document.querySelectorAll('body *')) {
    if (!e.offsetParent || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    let below = e;
    let back = [0, 0, 0, 0];
    while (below && back[3] < 255) {
      back = channels(getComputedStyle(below).backgroundColor);
      below = below.parentElement;
    }
    const a = luminance(channels(getComputedStyle(e).color));
    const b = luminance(back);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) worst.push(`${e.tagName} "${e.textContent.trim().slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return worst;
});

await test('light and dark, each with a contrast of 4.5', async () => {
  assert.deepEqual(await contrast(page), []);
  const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.click('#theme');
  await settle(page);
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
  const second = await open({ colorScheme: 'dark' });
  assert.equal(await second.page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.deepEqual(await contrast(second.page), []);
  await shot(second.page, 'dark');
  problems.push(...second.problems);
});

await test('narrow screens and paper: nothing sticks out, all lanes are printed', async () => {
  const narrow = await open({ width: 400, height: 800 });
  const wide = await narrow.page.evaluate(() => document.documentElement.scrollWidth);
  // The text of the source begins in view.
  const [edge, code] = await narrow.page.evaluate(() => [document.getElementById('source').getBoundingClientRect().right, document.querySelector('#source td.code').getBoundingClientRect().left]);
  assert.ok(code < 0.6 * edge, `the source begins at ${code} of ${edge}`);
  await shot(narrow.page, 'narrow');
  assert.ok(wide <= 400, `${wide} pixels wide`);
  problems.push(...narrow.problems);
  const paper = await open();
  await paper.page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await paper.page.emulateMedia({ media: 'print' });
  await settle(paper.page);
  const heights = await paper.page.evaluate(() => [document.getElementById('swimlane').clientHeight, window.ptosim.swimlane.rows.length * 20]);
  assert.ok(heights[0] >= Math.min(8000, heights[1]), `${heights}`);
  await shot(paper.page, 'print');
  problems.push(...paper.problems);
});

await test('keys alone reach everything: the tab key stops at controls, lanes and lists', async () => {
  const keyed = await open();
  const stops = new Set();
  for (let i = 0; i < 60; ++i) {
    await keyed.page.keyboard.press('Tab');
    stops.add(await keyed.page.evaluate(() => document.activeElement?.id || document.activeElement?.className));
  }
  for (const id of ['cores', 'in', 'path-next', 'arrows', 'share', 'measure', 'search', 'theme', 'lanes']) assert.ok(stops.has(id), `${id} is not reached`);
  problems.push(...keyed.problems);
});

const difference = option('--diff', '');
if (difference)
  await test('two runs: lanes under each other, differences by line and pipe', async () => {
    const two = await open({ file: path.resolve(difference) });
    const rows = await two.page.evaluate(() => window.ptosim.swimlane.rows.map((row) => row.label));
    assert.ok(rows.some((name) => name.startsWith('A ')) && rows.some((name) => !name.startsWith('A ')));
    const i = rows.findIndex((name) => name.startsWith('A '));
    assert.equal(rows[i].slice(2), rows[i - 1], 'aligned');
    assert.ok(await two.page.locator('#comparison').isVisible());
    assert.ok((await two.page.locator('#comparison table').count()) > 0);
    await shot(two.page, 'two-runs');
    assert.deepEqual(await contrast(two.page), []);
    problems.push(...two.problems);
  });

const kept = option('--kept', '');
if (kept) {
  const { page: data_page, problems: its_problems } = await open({ file: path.resolve(kept) });
  await test('a difference from the golden leads to the store and its element', async () => {
    const note = data_page.locator('#notes p', { hasText: 'elements differ from' });
    const { report } = await data_page.evaluate(() => window.ptosim.model.data);
    const [mismatch] = report.mismatches;
    assert.ok((await note.innerText()).includes(mismatch.text));
    await note.locator('button').click();
    await data_page.waitForSelector('#details .operands canvas');
    const details = await text(data_page, '#details');
    assert.match(details, /^TSTORE/);
    assert.match(details, /It read/);
    const spot = data_page.locator('#details td.differs');
    assert.equal(await spot.count(), 1);
    assert.equal(await spot.getAttribute('title'), `expected ${mismatch.expected}`);
    // The marked element is the mismatch that was found there.
    assert.ok(Math.abs(Number(await spot.innerText()) - Number(mismatch.found.split(' ')[0])) < 1e-4);
    await shot(data_page, 'differs', false);
  });
  await test('tiles are pictures and numbers; what is no number is marked and found', async () => {
    await data_page.evaluate(() => {
      const { model, swimlane } = window.ptosim;
      model.lanes.forEach((lane, index) => lane.core === 'AIV01' && lane.what.forEach((what, slice) => {
        if (model.data.what[what].name === 'TMUL') swimlane.select({ lane: index, slice }, true);
      }));
    });
    await data_page.waitForSelector('#details .operands canvas');
    assert.equal(await data_page.locator('#details .operands canvas').count(), 3, 'two that it read, one that it wrote');
    const marked = () => data_page.locator('#details .tile').nth(2).locator('td.odd').allInnerTexts();
    assert.deepEqual(await marked(), []);
    const next = data_page.locator('#details .tile').nth(2).locator('button', { hasText: 'next NaN or infinity' });
    await next.click();
    const first = await marked();
    assert.ok(first.length > 0 && first.every((value) => /^(NaN|-?inf)$/.test(value)), `${first}`);
    await next.click();
    assert.ok((await marked()).length > 0);
    const colours = await data_page.locator('#details .tile canvas').nth(2).evaluate((c) => {
      const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
      let nan = 0;
      let infinite = 0;
      for (let i = 0; i < data.length; i += 4) {
        nan += data[i] === 214 && data[i + 1] === 40 && data[i + 2] === 140;
        infinite += data[i] === 230 && data[i + 1] === 130 && data[i + 2] === 0;
      }
      return [nan > 0, infinite > 0];
    });
    assert.deepEqual(colours, [true, true]);
    // The numbers move by a click on the picture, and by keys.
    const heads = () => data_page.locator('#details .tile').nth(0).locator('tr').first().innerText();
    const before = await heads();
    const picture = data_page.locator('#details .tile canvas').nth(0);
    const box = await picture.boundingBox();
    await picture.click({ position: { x: box.width - 3, y: box.height - 3 } });
    assert.notEqual(await heads(), before);
    await picture.focus();
    for (let i = 0; i < 30; ++i) await data_page.keyboard.press('ArrowLeft');
    assert.equal(await heads(), before);
    await shot(data_page, 'operands', false);
    assert.deepEqual(await contrast(data_page), []);
  });
  await test('costs by the lines of the program that the kernel was made from', async () => {
    const row = data_page.locator('#origins tr[data-origin="roots.py:5"]');
    assert.ok((await row.innerText()).includes('dsl.sqrt(a) * b'));
    const { lines } = await data_page.evaluate(() => window.ptosim.model.data.report);
    const own = lines.filter((line) => line.origin === 'roots.py:5');
    assert.equal(own.length, 2);
    assert.equal(plain(await row.locator('td').nth(1).innerText()), String(own.reduce((sum, line) => sum + line.busy, 0)));
    await row.locator('button').first().click();
    await settle(data_page);
    assert.ok((await text(data_page, '#details')).includes(own[0].name));
    await shot(data_page, 'origins');
  });
  const black = await open({ file: path.resolve(kept), colorScheme: 'dark' });
  await black.page.locator('#notes p', { hasText: 'elements differ from' }).locator('button').click();
  await black.page.waitForSelector('#details .operands canvas');
  await test('so do they in the dark', async () => {
    assert.deepEqual(await contrast(black.page), []);
    await shot(black.page, 'differs-dark', false);
  });
  problems.push(...its_problems, ...black.problems);
}

if (words.includes('--measure')) {
  const slices = data.lanes.reduce((sum, lane) => sum + lane.slices, 0);
  const measured = await open();
  await measured.page.selectOption('#cores', 'all');
  await settle(measured.page);
  const { drawing, search } = await measured.page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const { swimlane, page } = window.ptosim;
    const drawing = [];
    const draw = swimlane.draw.bind(swimlane);
    let begin;
    swimlane.draw = () => {
      draw();
      drawing.push(performance.now() - begin);
    };
    for (const key of [...'wwwwwwddddaaaassssssf', ...'wwwddd']) {
      begin = performance.now();
      document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      await frame();
      await frame();
    }
    begin = performance.now();
    page.search('tload');
    return { drawing, search: performance.now() - begin };
  });
  drawing.sort((a, b) => a - b);
  console.log(`     ${slices} slices: opened in ${measured.opened} ms (again: ${opened}); from a key to the lanes drawn ${drawing[drawing.length >> 1].toFixed(0)} ms (median), ${drawing[drawing.length - 1].toFixed(0)} ms at most; a search ${search.toFixed(0)} ms`);
}

assert.deepEqual(problems, [], 'no errors and no network');
console.log(`${passed} passed`);
await browser.close();
