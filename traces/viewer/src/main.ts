// The page: a swimlane with what was chosen beside it, and the views below.
import * as echarts from 'echarts/core';
import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
import type { CostLine, Data, Place } from './model';
import { Model, kinds } from './model';
import { Swimlane } from './swimlane';
import { dark, light } from './theme';

echarts.use([CustomChart, LineChart, ScatterChart, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, CanvasRenderer]);

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const number = (value: number): string => value.toLocaleString('en');

function element(tag: string, text = '', name = ''): HTMLElement {
  const e = document.createElement(tag);
  e.textContent = text;
  if (name) e.className = name;
  return e;
}

// Files are called by their last part where that tells them apart.
function shortened(data: Data): Data {
  const names = new Map(data.sources.map((source) => [source.name, source.name.replace(/.*[\\/]/, '')]));
  if (new Set(names.values()).size < names.size) return data;
  const all = [...names].filter(([name, short]) => name !== short);
  const short = <T>(value: T): T => (all.length ? (JSON.parse(all.reduce((text, [name, part]) => text.replaceAll(JSON.stringify(name).slice(1, -1), JSON.stringify(part).slice(1, -1)), JSON.stringify(value))) as T) : value);
  return { ...data, what: short(data.what), report: short(data.report), sources: data.sources.map((source) => ({ ...source, name: names.get(source.name)!, path: source.name })) };
}

const model = new Model(shortened(JSON.parse($('data').textContent!) as Data));
const report = model.data.report;
const percent = (cycles: number): string => `${((100 * cycles) / Math.max(report.cycles, 1)).toFixed(1)} %`;

let theme = matchMedia('(prefers-color-scheme: dark)').matches ? dark : light;
const swimlane = new Swimlane($('swimlane'), model, theme);
const series = echarts.init($('series'));
const roofline = echarts.init($('roofline'));

// ---- what was chosen

function rows(pairs: [string, string | undefined][]): HTMLElement {
  const list = document.createElement('dl');
  for (const [key, value] of pairs) {
    if (!value) continue;
    list.append(element('dt', key), element('dd', value));
  }
  return list;
}

function link(text: string, go: () => void): HTMLElement {
  const button = element('button', text, 'link') as HTMLButtonElement;
  button.type = 'button';
  button.onclick = go;
  return button;
}

function showDetails(place: Place): void {
  const lane = model.lanes[place.lane];
  const what = model.what(place);
  const { packed } = lane;
  const i = place.slice;
  const panel = $('details');
  const instruction = kinds[what.kind] === 'work' || kinds[what.kind] === 'sync';
  panel.replaceChildren(
    element('h2', what.name),
    rows([
      ['operands', what.operands],
      ['line', what.line],
      ['on', lane.name],
      ['start', number(lane.begin[i])],
      ['cycles', `${number(packed.length[i])} (${model.micros(packed.length[i])})`],
      ['issued', instruction ? number(lane.begin[i] - packed.issue[i]) : undefined],
      ['result at', instruction ? number(lane.begin[i] + packed.complete[i]) : undefined],
      ['number', instruction ? `${packed.sequence[i]} of its core` : undefined],
      ['waits for', what.for],
      ['set at', what.set],
    ]),
  );
  const setter = what.set ? model.lastOf(what.set, lane.end[i]) : null;
  if (setter) panel.append(link(`go to what set it: ${model.lanes[setter.lane].name}`, () => swimlane.select(setter, true)));
  if (instruction) {
    const waits = model.waitsBefore(place);
    panel.append(element('h3', waits.length ? 'It waited for' : 'It did not wait'));
    for (const wait of waits) {
      const cause = model.what(wait);
      panel.append(link(`${cause.for}${cause.set ? `, set at ${cause.set}` : ''}: ${number(packed.length[wait.slice])} cycles`, () => swimlane.select(wait, true)));
    }
  }
  if (what.line) showLine(what.line);
}

function showLine(name: string): void {
  document.querySelectorAll('#source tr.here').forEach((row) => row.classList.remove('here'));
  const row = document.querySelector<HTMLElement>(`#source tr[data-line="${CSS.escape(name)}"]`);
  if (!row) return;
  row.classList.add('here');
  const box = $('source');
  box.scrollTop = row.offsetTop - box.clientHeight / 3;
}

// ---- search

let found: Place[] = [];
let current = -1;
let texts: string[];  // of each `what`, made when they are first searched

function search(text: string): void {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  found = [];
  current = -1;
  if (!words.length) {
    swimlane.mark(null);
    $('found').textContent = '';
    return;
  }
  const hits = new Uint8Array(model.data.what.length);
  texts ??= model.data.what.map((what) => `${what.name} ${what.operands ?? ''} ${what.line ?? ''}`.toLowerCase());
  texts.forEach((text, i) => (hits[i] = words.every((word) => text.includes(word)) ? 1 : 0));
  // Words that a lane's name has need not be in the slice's.
  const of = new Map<string, Uint8Array>();
  model.lanes.forEach((lane, index) => {
    if (!swimlane.isShown(lane.core)) return;
    const name = lane.name.toLowerCase();
    const rest = words.filter((word) => !name.includes(word));
    const key = rest.join(' ');
    if (rest.length < words.length && !of.has(key)) of.set(key, Uint8Array.from(texts, (text) => (rest.every((word) => text.includes(word)) ? 1 : 0)));
    const mine = rest.length < words.length ? of.get(key)! : hits;
    for (let i = 0; i < lane.packed.what.length; ++i) if (mine[lane.packed.what[i]]) found.push({ lane: index, slice: i });
  });
  found.sort((a, b) => model.lanes[a.lane].begin[a.slice] - model.lanes[b.lane].begin[b.slice]);
  swimlane.mark(hits);
  $('found').textContent = `${number(found.length)} found`;
}

function step(by: number): void {
  if (!found.length) return;
  current = (current + by + found.length) % found.length;
  $('found').textContent = `${current + 1} of ${number(found.length)}`;
  swimlane.select(found[current], true);
}

// ---- the critical path

const steps = report.critical_path.steps;
let onPath = -1;

function stepPath(by: number): void {
  for (let at = onPath + by; at >= 0 && at < steps.length; at += by) {
    const place = model.ofStep(steps[at]);
    if (!place) continue;
    onPath = at;
    $<HTMLInputElement>('search').value = '';
    search('');
    swimlane.select(place, true);
    $('found').textContent = `critical path, step ${number(at + 1)} of ${number(steps.length)}: ${steps[at].spent}, ${number(steps[at].end - steps[at].begin)} cycles`;
    return;
  }
}

// ---- advice

function adviceView(): void {
  const list = $('advice');
  for (const advice of report.advice) {
    const item = document.createElement('li');
    const saves = advice.saves_cycles ? `${number(advice.saves_cycles)} cycles, ${percent(advice.saves_cycles)} (${advice.estimate}): ` : '';
    item.append(element('b', saves), element('span', `${advice.what}. ${advice.why ?? ''} `));
    const name = advice.file ? `${advice.file}:${advice.line}` : '';
    if (name) {
      item.append(link(name, () => {
        showLine(name);
        $<HTMLInputElement>('search').value = name;
        search(name);
        step(1);
      }), element('code', ` ${advice.source ?? ''}`));
    }
    list.append(item);
  }
}

// ---- views

function sourceView(): void {
  const costs = new Map(report.lines.map((line) => [line.name, line]));
  const most = Math.max(1, ...report.lines.map((line) => Math.max(line.busy, line.wait)));
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  for (const title of ['line', 'busy', 'wait', 'share', '', 'source']) head.append(element('th', title, title && title !== 'source' ? 'n' : ''));
  const body = table.createTBody();
  for (const file of model.data.sources) {
    body.insertRow().append(Object.assign(element('td', file.name, 'file'), { colSpan: 6, title: file.path ?? file.name }));
    file.text.replace(/\n$/, '').split('\n').forEach((text, i) => {
      const name = `${file.name}:${i + 1}`;
      const cost = costs.get(name);
      const row = body.insertRow();
      row.dataset.line = name;
      const bar = element('td', '', 'bar');
      if (cost) {
        row.style.setProperty('--heat', `${Math.min(100, Math.round((100 * cost.critical) / Math.max(report.cycles, 1)) + (cost.critical ? 6 : 0))}%`);
        for (const [share, kind] of [[cost.busy, 'busy'], [cost.wait, 'waiting']] as const) {
          const box = element('i', '', kind);
          box.style.width = `${(60 * share) / most}px`;
          bar.append(box);
        }
        row.classList.add('hot');
        row.onclick = () => {
          $<HTMLInputElement>('search').value = name;
          search(name);
          step(1);
        };
      }
      row.append(element('td', String(i + 1), 'n'), element('td', cost ? number(cost.busy) : '', 'n'), element('td', cost ? number(cost.wait) : '', 'n'),
        element('td', cost && cost.critical ? percent(cost.critical) : '', 'n'), bar, element('td', text, 'code'));
    });
  }
  $('source').replaceChildren(table);
  const named = report.lines.filter((line) => line.name !== 'unknown');
  const costliest = named.reduce((worst, line) => (line.critical > (worst?.critical ?? -1) ? line : worst), named[0]);
  if (costliest) showLine(costliest.name);
}

function table(id: string, titles: string[], cells: (string | number)[][]): void {
  const t = document.createElement('table');
  const head = t.createTHead().insertRow();
  titles.forEach((title, i) => head.append(element('th', title, typeof cells[0]?.[i] === 'number' ? 'n' : '')));
  const body = t.createTBody();
  for (const row of cells) {
    const r = body.insertRow();
    row.forEach((cell) => r.append(element('td', typeof cell === 'number' ? number(cell) : cell, typeof cell === 'number' ? 'n' : '')));
  }
  $(id).replaceChildren(t);
}

function tables(): void {
  table('savings', ['change', 'cycles', '%'], report.savings.map((s) => [s.change, s.cycles, percent(s.cycles)]));
  if (report.savings.length === 0)
    $('savings').replaceChildren(element('p', report.ended_early ? 'Only a run that went to its end can be replayed.' : 'No single change saves as much as one percent.', 'dim'));
  table('path', ['spent on', 'cycles', '%'], Object.entries(report.critical_path.spent).map(([k, v]) => [k, v, percent(v)]));
  table('pipes', ['core', 'pipe', 'busy', 'wait', 'idle', 'busy %', 'instructions'],
    report.cores.flatMap((core) => Object.entries(core.pipes).map(([pipe, p]) => [core.lane, pipe, p.busy, p.wait, p.idle, percent(p.busy), p.instructions])));
  table('instructions', ['instruction', 'pipe', 'count', 'busy', 'wait', 'critical', 'bytes'],
    report.by_instruction.map((c: CostLine) => [c.name, c.pipe ?? '', c.instructions, c.busy, c.wait, c.critical, c.bytes]));
  table('buffers', ['memory', 'capacity', 'high-water mark', 'most live', 'on'],
    report.buffers.map((b) => [b.memory, b.capacity, b.high_water, b.live, b.lane]));
}

const palette = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#D55E00', '#56B4E9'];
const dashes = ['solid', 'dashed', 'dotted'] as const;

function seriesChoices(): void {
  const select = $<HTMLSelectElement>('which');
  const units = [...new Set(model.data.series.map((s) => (s.core ? s.core : 'chip')))];
  for (const unit of units)
    for (const kind of ['bytes', 'MB/s', 'instructions'])
      if (model.data.series.some((s) => (s.core || 'chip') === unit && s.unit === kind))
        select.append(new Option(`${unit}: ${kind === 'bytes' ? 'buffer occupancy' : kind === 'MB/s' ? 'bandwidth' : 'queue depth'}`, `${unit}|${kind}`));
  const occupancy = [...select.options].findIndex((o) => o.value.endsWith('|bytes'));
  if (occupancy >= 0) select.selectedIndex = occupancy;
  select.onchange = drawSeries;
  $('series-box').hidden = select.options.length === 0;
}

function drawSeries(): void {
  const [unit, kind] = ($<HTMLSelectElement>('which').value || '|').split('|');
  const chosen = model.data.series.filter((s) => (s.core || 'chip') === unit && s.unit === kind);
  series.setOption({
    animation: false,
    color: palette,
    grid: { left: 76, right: 16, top: 34, bottom: 28 },
    legend: { top: 2, left: 130, textStyle: { color: theme.text } },
    tooltip: { trigger: 'axis', backgroundColor: theme.background, borderColor: theme.grid, textStyle: { color: theme.text } },
    xAxis: { type: 'value', min: swimlane.from, max: swimlane.to, axisLabel: { color: theme.dim, formatter: (v: number) => number(Math.round(v)) }, splitLine: { lineStyle: { color: theme.grid } } },
    yAxis: { type: 'value', name: kind, nameTextStyle: { color: theme.dim }, axisLabel: { color: theme.dim }, splitLine: { lineStyle: { color: theme.grid } } },
    series: chosen.map((s, i) => ({
      name: s.limit ? `${s.name} (of ${number(s.limit)})` : s.name, type: 'line', step: 'end', symbol: 'none',
      data: [...s.points, [model.end, s.points.length ? s.points[s.points.length - 1][1] : 0]],
      lineStyle: { width: 1.6, type: dashes[Math.floor(i / palette.length) % 3] }, areaStyle: chosen.length < 3 ? { opacity: 0.15 } : undefined,
    })),
  }, { notMerge: true });
}

function drawRoofline(): void {
  const r = report.roofline;
  const operations = r.cube_operations || r.vector_elements;
  const bytes = r.read_bytes + r.written_bytes;
  const seconds = report.cycles / (report.clock_hz || 1e9);
  $('roofline-box').hidden = !operations || !bytes || !r.peak_per_second || !r.bandwidth_per_second || !seconds;
  if ($('roofline-box').hidden) return;
  const x = operations / bytes;
  const y = operations / seconds;
  const ridge = r.peak_per_second / r.bandwidth_per_second;
  const low = Math.min(x, ridge) / 8;
  const high = Math.max(x, ridge) * 8;
  const floor = 10 ** Math.floor(Math.log10(Math.min(y, low * r.bandwidth_per_second)) - 0.3);
  const axis = { type: 'log' as const, axisLabel: { color: theme.dim, formatter: (v: number) => v.toPrecision(1).replace('e+', 'e') }, nameTextStyle: { color: theme.dim }, splitLine: { lineStyle: { color: theme.grid } }, nameLocation: 'middle' as const };
  roofline.setOption({
    animation: false,
    grid: { left: 70, right: 24, top: 20, bottom: 46 },
    tooltip: { backgroundColor: theme.background, borderColor: theme.grid, textStyle: { color: theme.text } },
    xAxis: { ...axis, name: 'operations per byte', nameGap: 28, min: low, max: high },
    yAxis: { ...axis, name: 'operations per second', nameGap: 52, min: floor },
    series: [
      { type: 'line', symbol: 'none', lineStyle: { color: theme.text, width: 2 }, data: [[low, low * r.bandwidth_per_second], [ridge, r.peak_per_second], [high, r.peak_per_second]], tooltip: { show: false },
        endLabel: { show: true, offset: [-8, -10], align: 'right', color: theme.dim, formatter: `${(r.peak_per_second / 1e12).toFixed(1)} 10^12/s: ${r.peak_of}` } },
      {
        type: 'scatter', symbol: 'diamond', symbolSize: 16, itemStyle: { color: '#D55E00' }, data: [[x, y]],
        label: { show: true, position: 'right', color: theme.text, formatter: report.kernel },
        tooltip: { formatter: `${echarts.format.encodeHTML(report.kernel)}: ${x.toFixed(1)} operations per byte, ${(y / 1e12).toFixed(2)} 10^12/s of ${(r.peak_per_second / 1e12).toFixed(1)}` },
      },
    ],
  }, { notMerge: true });
}

// ---- the page

function coreChoices(): void {
  const select = $<HTMLSelectElement>('cores');
  const steps = report.critical_path.steps.filter((s) => s.lane);
  const cluster = (core: string): number => (core.startsWith('AIC') ? Number(core.slice(3)) : Math.floor(Number(core.slice(3)) / 2));
  const last = steps.length ? cluster(steps[steps.length - 1].lane!) : cluster(model.cores[0] ?? 'AIC00');
  select.append(new Option('cluster that ends the run', `cluster ${last}`), new Option(`all ${model.cores.length} cores`, 'all'));
  for (const core of model.cores) select.append(new Option(core, core));
  const apply = (): void => {
    const value = select.value;
    const chosen = model.cores.filter((core) => value === 'all' || core === value || value === `cluster ${cluster(core)}`);
    swimlane.showCores(new Set(chosen));
    search($<HTMLInputElement>('search').value);
  };
  select.value = model.lanes.length <= 24 ? 'all' : select.options[0].value;
  select.onchange = apply;
  apply();
}

function applyTheme(): void {
  document.documentElement.dataset.theme = theme === dark ? 'dark' : 'light';
  swimlane.setTheme(theme);
  drawSeries();
  drawRoofline();
}

function keyboard(event: KeyboardEvent): void {
  const input = $<HTMLInputElement>('search');
  if (event.target === input) {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') {
      input.value = '';
      search('');
      input.blur();
    }
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLSelectElement) return;
  const actions: Record<string, () => void> = {
    '+': () => swimlane.move(0.5, 0), '=': () => swimlane.move(0.5, 0), w: () => swimlane.move(0.5, 0),
    '-': () => swimlane.move(2, 0), s: () => swimlane.move(2, 0),
    ArrowLeft: () => swimlane.move(1, -0.25), a: () => swimlane.move(1, -0.25),
    ArrowRight: () => swimlane.move(1, 0.25), d: () => swimlane.move(1, 0.25),
    f: () => swimlane.range(model.begin, model.end), '0': () => swimlane.range(model.begin, model.end),
    n: () => step(1), p: () => step(-1), '/': () => input.focus(), ']': () => stepPath(1), '[': () => stepPath(-1),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

// Folded: it is the same long list for every run on a chip.
function assumptions(): HTMLElement {
  const box = document.createElement('details');
  box.append(element('summary', `The times rest on ${report.assumed.length} figures of the chip that are only assumed.`), element('p', `${report.assumed.join(', ')}.`));
  return box;
}

function start(): void {
  document.title = `${report.kernel} on ${report.chip}`;
  $('title').textContent = report.kernel;
  $('run').textContent = `${report.chip} · ${number(report.cycles)} cycles · ${report.time_us.toFixed(3)} us · ${number(report.instructions)} instructions`;
  $('bottleneck').textContent = report.bottleneck;
  for (const gap of report.gaps) $('notes').append(element('p', `Incomplete: ${gap}.`));
  if (report.ended_early) $('notes').append(element('p', 'The run ended early; all times are up to where it stopped.'));
  for (const f of report.findings) $('notes').append(element('p', `${f.code} ${f.file ? `${f.file}:${f.line}: ` : ''}${f.message}`));
  if (report.assumed.length > 0)
    $('notes').append(assumptions());
  adviceView();
  sourceView();
  tables();
  seriesChoices();
  swimlane.onSelect = showDetails;
  swimlane.onRange = (from, to) => {
    $('view').textContent = `${number(Math.round(from))} to ${number(Math.round(to))}`;
    series.setOption({ xAxis: { min: from, max: to } });
  };
  coreChoices();
  applyTheme();
  $('theme').onclick = () => {
    theme = theme === dark ? light : dark;
    applyTheme();
  };
  $('path-next').onclick = () => stepPath(1);
  $('path-back').onclick = () => stepPath(-1);
  $('in').onclick = () => swimlane.move(0.5, 0);
  $('out').onclick = () => swimlane.move(2, 0);
  $('fit').onclick = () => swimlane.range(model.begin, model.end);
  $('search').oninput = () => search($<HTMLInputElement>('search').value);
  document.addEventListener('keydown', keyboard);
  addEventListener('resize', () => {
    swimlane.resize();
    series.resize();
    roofline.resize();
  });
  swimlane.onRange(model.begin, model.end);
  document.body.dataset.ready = 'yes';
}

start();
// For tests and for people at the console.
Object.assign(window, { ptosim: { model, swimlane, search, step, stepPath } });
