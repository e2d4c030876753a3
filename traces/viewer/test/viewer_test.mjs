// Looks at a report in headless Chromium: opens it, zooms, searches, clicks.
//
//   node test/viewer_test.mjs REPORT.html [--shots FOLDER] [--chromium BIN] [--measure]
import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const words = process.argv.slice(2);
const option = (name, fallback) => {
  const at = words.indexOf(name);
  return at < 0 ? fallback : words[at + 1];
};
const page_file = path.resolve(words[0]);
const shots = option('--shots', '');
const measure = words.includes('--measure');

const browser = await chromium.launch({ executablePath: option('--chromium', '/usr/bin/chromium'), args: ['--no-sandbox', '--disable-gpu'] });

async function open(colorScheme) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 960 }, colorScheme });
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('request', (request) => request.url().startsWith('file:') || request.url().startsWith('data:') || problems.push(`network: ${request.url()}`));
  const begin = Date.now();
  await page.goto(pathToFileURL(page_file).href);
  await page.waitForFunction(() => document.querySelector('#swimlane canvas'));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return { page, problems, opened: Date.now() - begin };
}

const text = (page, id) => page.locator(id).innerText();
const view = async (page) => (await text(page, '#view')).match(/\d[\d,]*/g).map((n) => Number(n.replaceAll(',', '')));
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const shot = async (page, name) => shots && page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });

let passed = 0;
async function test(name, body) {
  await body();
  ++passed;
  console.log(`ok   ${name}`);
}

const { page, problems, opened } = await open('light');
const data = await page.evaluate(() => window.ptosim.model.data);

await test('the page names the kernel and its bottleneck', async () => {
  assert.equal(await text(page, '#title'), data.report.kernel);
  assert.equal(await text(page, '#bottleneck'), data.report.bottleneck);
  await shot(page, 'light');
});

await test('keys, buttons and the wheel zoom', async () => {
  const whole = await view(page);
  await page.keyboard.press('w');
  await settle(page);
  const closer = await view(page);
  assert.ok(closer[1] - closer[0] < 0.6 * (whole[1] - whole[0]));
  await page.keyboard.press('d');
  await settle(page);
  assert.ok((await view(page))[0] > closer[0]);
  await page.click('#in');
  await settle(page);
  const in_twice = await view(page);
  assert.ok(in_twice[1] - in_twice[0] < 0.6 * (closer[1] - closer[0]));
  const box = await page.locator('#swimlane canvas').first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.wheel(0, -300);
  await settle(page);
  assert.deepEqual(await view(page), in_twice, 'the wheel alone scrolls');
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  await settle(page);
  const wheeled = await view(page);
  assert.ok(wheeled[1] - wheeled[0] < in_twice[1] - in_twice[0]);
  await shot(page, 'zoomed');
  await page.keyboard.press('f');
  await settle(page);
  assert.deepEqual(await view(page), whole);
});

// The first instruction that waited, of the lanes that are shown.
const first = data.what.findIndex((what) => what.kind === 0 && what.line);
const what = data.what[first];

await test('search finds every instruction of a line and shows the first', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type(`${what.name} ${what.line}`);
  await settle(page);
  const found = Number((await text(page, '#found')).replaceAll(',', '').match(/\d+/)[0]);
  assert.ok(found > 0);
  await page.keyboard.press('Enter');
  await settle(page);
  const details = await text(page, '#details');
  assert.ok(details.includes(what.name), details);
  assert.ok(details.includes(what.line), details);
  assert.ok(details.includes(what.operands.split(',')[0]), details);
  assert.ok(/It waited for|It did not wait/.test(details), details);
  assert.equal(await page.locator('#source tr.here').getAttribute('data-line'), what.line);
  await shot(page, 'found');
});

await test('a click on a slice shows it', async () => {
  // Its lane and its middle, from what the page holds; the search has just shown it.
  await page.keyboard.press('Escape');
  await settle(page);
  const target = await page.evaluate(() => {
    const { model, swimlane } = window.ptosim;
    for (let lane = 0; lane < model.lanes.length; ++lane)
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
  const box = await page.locator('#swimlane canvas').first().boundingBox();
  await page.mouse.click(box.x + target.x, box.y + target.y);
  await settle(page);
  const details = await text(page, '#details');
  assert.ok(details.includes(target.name), `${details} has no ${target.name}`);
  assert.ok(details.replaceAll(',', '').includes(String(target.begin)), details);
  if (target.line) assert.ok(details.includes(target.line), details);
});

await test('roofline, buffers, critical path and pipes are there', async () => {
  assert.ok((await text(page, '#pipes')).includes(data.report.cores[0].lane));
  assert.ok((await page.locator('#series canvas').count()) > 0);
  if (data.report.roofline.peak_per_second > 0) assert.ok(await page.locator('#roofline-box').isVisible());
  const rows = await page.locator('#savings tbody tr').count();
  assert.equal(rows, data.report.savings.length);
});

await test('the first advice is shown, and leads to its line', async () => {
  const first = data.report.advice[0];
  assert.ok((await page.locator('#advice li').first().innerText()).includes(first.what));
  const linked = data.report.advice.findIndex((advice) => advice.file);
  if (linked < 0) return;
  await page.locator('#advice li').nth(linked).locator('button').click();
  await settle(page);
  const { file, line } = data.report.advice[linked];
  assert.equal(await page.locator('#source tr.here').first().getAttribute('data-line'), `${file}:${line}`);
});

await test('the critical path is stepped along, and its slices scroll into view', async () => {
  await page.keyboard.press('Escape');
  await page.locator('#path-next').click();
  await settle(page);
  assert.match(await text(page, '#found'), /critical path, step/);
  const before = await text(page, '#found');
  await page.locator('#path-next').click();
  await settle(page);
  assert.notEqual(await text(page, '#found'), before);
  await shot(page, 'path');
});

await test('a wait leads to what set its flag', async () => {
  const wait = await page.evaluate(() => {
    const { model, swimlane } = window.ptosim;
    for (let lane = 0; lane < model.lanes.length; ++lane)
      for (let slice = 0; slice < model.lanes[lane].begin.length; ++slice) {
        const what = model.what({ lane, slice });
        if (what.kind !== 1 || !what.set || !model.lastOf(what.set, model.lanes[lane].end[slice])) continue;
        swimlane.select({ lane, slice }, true);
        return what.set;
      }
    return null;
  });
  if (!wait) return;
  await page.locator('#details button', { hasText: 'go to what set it' }).click();
  await settle(page);
  assert.ok((await text(page, '#details')).includes(wait));
  await shot(page, 'setter');
});

await test('light and dark', async () => {
  const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.click('#theme');
  await settle(page);
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
  const second = await open('dark');
  assert.equal(await second.page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await shot(second.page, 'dark');
  problems.push(...second.problems);
});

if (measure) {
  const slices = data.lanes.reduce((sum, lane) => sum + lane.what.length, 0);
  await page.selectOption('#cores', 'all');
  await settle(page);
  const times = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const result = [];
    for (const key of [...'wwwwwwddddaaaassssssf', ...'wwwddd']) {
      const begin = performance.now();
      document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      await frame();
      await frame();
      result.push(performance.now() - begin);
    }
    return result;
  });
  times.sort((a, b) => a - b);
  console.log(`     ${slices} slices: opened in ${opened} ms; a zoom or move takes ${times[times.length >> 1].toFixed(0)} ms (median), ${times[times.length - 1].toFixed(0)} ms at most`);
}

assert.deepEqual(problems, [], 'no errors and no network');
console.log(`${passed} passed`);
await browser.close();
