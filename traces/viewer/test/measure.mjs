// Measures a page in headless Chromium: opening, zoom steps, a search; on the clock, and as
// processor time of the page's main thread (which a busy host does not lengthen).
//
//   node test/measure.mjs REPORT.html [--chromium BIN]
import { statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const words = process.argv.slice(2);
const at = words.indexOf('--chromium');
const file = path.resolve(words[0]);
const browser = await chromium.launch({ executablePath: at < 0 ? '/usr/bin/chromium' : words[at + 1], args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: 1440, height: 960 } });
const session = await page.context().newCDPSession(page);
await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' }).catch(() => {});
await session.send('Performance.enable', { timeDomain: 'threadTicks' });
const processor = async () => {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * metrics.find((metric) => metric.name === 'TaskDuration').value;
};
const round = (value) => value.toFixed(0);

const before = Date.now();
await page.goto(pathToFileURL(file).href);
await page.waitForSelector('body[data-ready=yes]', { timeout: 120000 });
const opened = Date.now() - before;
const opening = await processor();

async function steps(keys) {
  const clock = [];
  const busy = [];
  for (const key of keys) {
    const from = await processor();
    clock.push(await page.evaluate(async (pressed) => {
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const begin = performance.now();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true }));
      await frame();
      const drawn = performance.now() - begin;
      await frame();
      return drawn;
    }, key));
    busy.push((await processor()) - from);
  }
  const middle = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
  return `${round(middle(clock))} (at most ${round(Math.max(...clock))}) ms, processor ${round(middle(busy))} (${round(Math.max(...busy))}) ms`;
}
await page.selectOption('#cores', 'all');
const zoom = await steps('wwwwwwddddaaaassssssfwwwddd');
const from = await processor();
const search = await page.evaluate(() => {
  const begin = performance.now();
  window.ptosim.page.search('tadd');
  window.ptosim.page.step(1);
  return performance.now() - begin;
});
const searching = (await processor()) - from;
const slices = await page.evaluate(() => window.ptosim.model.lanes.reduce((sum, lane) => sum + lane.what.length, 0));
console.log(`${path.basename(path.dirname(file))}: ${slices} slices, ${(statSync(file).size / 1e6).toFixed(1)} MB; opened in ${opened} ms, processor ${round(opening)} ms; zoom or move ${zoom}; search ${round(search)} ms, processor ${round(searching)} ms`);
await browser.close();
