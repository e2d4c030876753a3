// The page: a swimlane with the chosen slice next to it, and the views below.
import { Charts } from './charts';
import type { Change, CostLine, Data } from './data';
import { Details } from './details';
import { $, element, link, number, table } from './dom';
import type { Slot } from './model';
import { Model } from './model';
import { clusterOf, foldedRows, isWarp } from './rows';
import { Search } from './search';
import { Source } from './source';
import { Swimlane } from './swimlane';
import { dark, light } from './theme';
import { TimeTable } from './time';
import { withTasks } from './tasks';
import { load } from './unpack';

const fewLanes = 24;
const fewAdvice = 3; // that are shown before a click

// Files are called by their last part where that is unambiguous.
function shortened(data: Data): Data {
  const names = new Map(data.sources.map((source) => [source.name, source.name.replace(/^(A )?.*[\\/]/, '$1')]));
  const all = [...names].filter(([name, short]) => name !== short);
  // Adds these names without the mark "A ", because texts that compare two runs have none.
  for (const [name, short] of [...all]) if (name.startsWith('A ')) all.push([name.slice(2), short.slice(2)]);
  if (new Set(names.values()).size < names.size || !all.length) return data;
  all.sort(([a], [b]) => b.length - a.length);
  const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
  const short = <T>(value: T): T => JSON.parse(all.reduce((text, [name, part]) => text.replaceAll(quoted(name), quoted(part)), JSON.stringify(value))) as T;
  return { ...data, what: short(data.what), report: short(data.report), comparison: data.comparison && short(data.comparison), sources: data.sources.map((source) => ({ ...source, name: names.get(source.name)!, path: source.name })) };
}

// "AIC00 MTE2 busy" and its like of other cores: their mean over the cores that each run has used,
// the greatest change first.
function byType(pipes: Change[]): Change[] {
  const core = (what: string): string => what.split(' ')[0];
  const usedByA = new Set(pipes.filter(({ a }) => a > 0).map(({ what }) => core(what)));
  const usedByB = new Set(pipes.filter(({ b }) => b > 0).map(({ what }) => core(what)));
  const sums = new Map<string, Change & { coresA: number; coresB: number }>();
  for (const { what, a, b } of pipes) {
    const name = what.replace(/^(AI[CV])\d+/, '$1');
    const sum = sums.get(name) ?? { what: name, a: 0, b: 0, coresA: 0, coresB: 0 };
    sum.a += a;
    sum.b += b;
    if (usedByA.has(core(what))) ++sum.coresA;
    if (usedByB.has(core(what))) ++sum.coresB;
    sums.set(name, sum);
  }
  const mean = (sum: number, cores: number): number => Math.round(sum / Math.max(1, cores));
  return [...sums.values()]
    .map(({ what, a, b, coresA, coresB }) => ({ what, a: mean(a, coresA), b: mean(b, coresB) }))
    .sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a));
}

class Page {
  private theme = matchMedia('(prefers-color-scheme: dark)').matches ? dark : light;
  private report = this.model.data.report;
  readonly swimlane = new Swimlane($('lanes'), $<HTMLCanvasElement>('swimlane'), $('room'), $('tip'), this.model, this.theme);
  private details = new Details(this.model, this.swimlane, this.theme);
  private charts = new Charts(this.model, this.theme);
  private source = new Source(this.model, (line) => this.find(line));
  private time = new TimeTable(this.model, (text) => this.find(text));
  private texts?: string[];
  private found: Search | null = null;
  private current: Slot | null = null;
  private onPath = -1;

  constructor(private model: Model) {
    this.header();
    this.advice();
    this.tables();
    this.comparison();
    this.swimlane.onSelect = (slot) => {
      this.details.slice(slot);
      const { line } = this.model.what(slot);
      if (line) this.source.show(line);
      this.charts.showCore(this.model.lanes[slot.lane].core);
    };
    this.swimlane.onRange = (from, to) => {
      $('view').textContent = `${number(from)} to ${number(to)}`;
      this.charts.show(from, to);
      this.time.show(this.swimlane.rows.map((row) => row.lane), from, to);
    };
    this.swimlane.onPins = () => this.time.show(this.swimlane.rows.map((row) => row.lane), this.swimlane.from, this.swimlane.to);
    this.swimlane.onMeasure = (from, to) => this.details.range(from, to);
    this.swimlane.onStep = (step) => this.toStep(step);
    this.coreChoices();
    this.controls();
    this.applyTheme();
    this.swimlane.onRange(this.model.begin, this.model.end);
    this.restore(location.hash);
    addEventListener('hashchange', () => this.restore(location.hash));
  }

  // ---- a link to the view

  // Its fields: the visible time, the shown cores, pinned lanes, the search, and the selected slice.
  hash(): string {
    const { swimlane, model } = this;
    const fields = new URLSearchParams({ from: String(Math.round(swimlane.from)), to: String(Math.round(swimlane.to)), cores: $<HTMLSelectElement>('cores').value });
    if (swimlane.pinned.size) fields.set('pins', [...swimlane.pinned].join('|'));
    const search = $<HTMLInputElement>('search').value;
    if (search) fields.set('search', search);
    const { selected } = swimlane;
    if (selected) fields.set('at', `${model.lanes[selected.lane].name}|${selected.slice}`);
    return `#${fields}`;
  }
  private restore(hash: string): void {
    const fields = new URLSearchParams(hash.slice(1));
    if (!fields.has('from')) return;
    const cores = $<HTMLSelectElement>('cores');
    if ([...cores.options].some((option) => option.value === fields.get('cores'))) {
      cores.value = fields.get('cores')!;
      cores.dispatchEvent(new Event('change'));
    }
    for (const name of (fields.get('pins') ?? '').split('|')) if (name && !this.swimlane.pinned.has(name)) this.swimlane.pin(name);
    $<HTMLInputElement>('search').value = fields.get('search') ?? '';
    this.search(fields.get('search') ?? '');
    const [name, slice] = (fields.get('at') ?? '').split('|');
    const lane = this.model.lanes.findIndex((l) => l.name === name);
    if (lane >= 0 && Number(slice) < this.model.lanes[lane].what.length) this.swimlane.select({ lane, slice: Number(slice) }, false);
    this.swimlane.range(Number(fields.get('from')), Number(fields.get('to')));
  }
  private share(): void {
    history.replaceState(null, '', this.hash());
    void navigator.clipboard?.writeText(location.href).catch(() => {});
    $('found').textContent = 'The address of this page now shows this view.';
  }

  private percent(cycles: number): string {
    return `${((100 * cycles) / Math.max(this.report.cycles, 1)).toFixed(1)} %`;
  }

  // ---- search

  search(text: string): void {
    this.current = null;
    if (!text.trim()) {
      this.found = null;
      $('found').textContent = '';
    } else {
      this.texts ??= Search.textsOf(this.model);
      this.found = new Search(this.model, text, this.texts);
      $('found').textContent = `${number(this.found.count)} found`;
    }
    this.swimlane.mark(this.found);
  }
  step(by: 1 | -1): void {
    const next = this.found?.step(this.current, by);
    if (!next) return;
    this.current = next;
    $('found').textContent = `${number(this.found!.rank(next))} of ${number(this.found!.count)}`;
    this.swimlane.select(next, true);
  }
  private find(text: string): void {
    $<HTMLInputElement>('search').value = text;
    this.search(text);
    this.step(1);
  }

  // ---- the critical path

  // Begins at the selection, if that has been chosen since the last step.
  stepPath(by: 1 | -1): void {
    const { steps } = this.report.critical_path;
    const { selected } = this.swimlane;
    const own = this.onPath >= 0 ? this.model.ofStep(steps[this.onPath]) : null;
    if (selected && !(own && own.lane === selected.lane && own.slice === selected.slice)) {
      const begin = this.model.lanes[selected.lane].begin[selected.slice];
      const after = steps.findIndex((step) => step.begin >= begin);
      this.onPath = (after < 0 ? steps.length : after) - (by > 0 ? 1 : 0);
    }
    for (let at = this.onPath + by; at >= 0 && at < steps.length; at += by) if (this.toStep(at)) return;
  }
  private toStep(at: number): boolean {
    const { steps } = this.report.critical_path;
    const slot = this.model.ofStep(steps[at]);
    if (!slot) return false;
    this.onPath = at;
    $<HTMLInputElement>('search').value = '';
    this.search('');
    this.swimlane.select(slot, true);
    $('found').textContent = `critical path, step ${number(at + 1)} of ${number(steps.length)}: ${steps[at].spent}, ${number(steps[at].end - steps[at].begin)} cycles`;
    return true;
  }

  // ---- around the swimlane

  private header(): void {
    const { report } = this;
    document.title = `${report.kernel} on ${report.chip}`;
    $('title').textContent = report.kernel;
    $('run').textContent = `${report.chip} · ${number(report.cycles)} cycles · ${report.time_us.toFixed(3)} us${report.time_basis?.range_percent ? ` ±${report.time_basis.range_percent} %` : ''} · ${number(report.instructions)} instructions`;
    $('bottleneck').textContent = report.bottleneck;
    const note = (text: string): void => $('notes').append(element('p', text));
    for (const gap of report.gaps) note(`Incomplete: ${gap}.`);
    if (report.ended_early) note('The run ended early; times cover the part before the stop.');
    for (const f of report.findings) note(`${f.code} ${f.file ? `${f.file}:${f.line}: ` : ''}${f.message}`);
    this.deadlock();
    this.mismatches();
    this.basis();
    if (!report.assumed.length) return;
    // Folded: it is the same long list for every run on a chip.
    const box = document.createElement('details');
    box.append(element('summary', `The times rest on ${report.assumed.length} figures of the chip that are only assumed.`), element('p', `${report.assumed.join(', ')}.`));
    $('notes').append(box);
  }
  // Elements of outputs that differ from their goldens, and their writers.
  private mismatches(): void {
    for (const mismatch of this.report.mismatches ?? []) {
      const note = element('p', `${mismatch.text}. `);
      const { lane, sequence } = mismatch;
      if (lane !== undefined && sequence !== undefined)
        note.append(link('show it', () => {
          const slot = this.model.ofCore(lane, sequence);
          if (slot) this.swimlane.select(slot, true);
        }));
      $('notes').append(note);
    }
  }
  // Basis of the time, by the grade of the chip's figures.
  private basis(): void {
    const basis = this.report.time_basis;
    if (!basis) return;
    const shares = Object.entries(basis.shares).sort(([, a], [, b]) => b - a).map(([grade, share]) => `${(100 * share).toFixed(1)} % ${grade}`);
    $('basis').textContent = `The time rests on figures that are ${shares.join(', ')} of the ${basis.of}${basis.range_percent ? `; four of five such times are within ±${basis.range_percent} %` : ''}.`;
  }
  // Waiters and their releasers, the ones of the cycle first.
  private deadlock(): void {
    const edges = [...(this.report.deadlock ?? [])].sort((a, b) => Number(b.in_cycle) - Number(a.in_cycle));
    if (!edges.length) return;
    const box = document.createElement('details');
    box.open = edges.some((edge) => edge.in_cycle);
    box.append(element('summary', `Deadlock: ${edges.length} waits.`));
    for (const edge of edges.slice(0, 40)) {
      const at = edge.file ? `${edge.file}:${edge.line}` : '';
      box.append(link(`${edge.waiter} waits for ${edge.what}${edge.holder ? `, which ${edge.holder} holds up` : ''}${at ? ` (${at})` : ''}${edge.in_cycle ? ', in the cycle' : ''}`, () => this.find(`${edge.waiter.replace('/', ' ')} wait`)), element('br'));
    }
    $('notes').append(box);
  }

  private advice(): void {
    const all = [...this.report.advice].sort((a, b) => (b.saves_cycles ?? 0) - (a.saves_cycles ?? 0));
    all.forEach((advice, at) => {
      const item = document.createElement('li');
      const saves = advice.saves_cycles ? `${number(advice.saves_cycles)} cycles, ${this.percent(advice.saves_cycles)} (${advice.estimate}): ` : '';
      item.append(element('b', saves), element('span', `${advice.what}. ${advice.why ?? ''} `));
      const name = advice.file ? `${advice.file}:${advice.line}` : '';
      if (name) {
        item.append(link(name, () => {
          this.find(name);
          this.source.show(name);
        }), element('code', ` ${advice.source ?? ''}`));
      }
      if (at >= fewAdvice) item.className = 'more';
      $('advice').append(item);
    });
    if (all.length <= fewAdvice) return;
    const folded = `${all.length - fewAdvice} more`;
    const fold = link(folded, () => {
      const open = $('advice').classList.toggle('all');
      fold.textContent = open ? 'fewer' : folded;
      fold.setAttribute('aria-expanded', String(open));
      this.swimlane.resize();
    });
    fold.id = 'advice-fold';
    fold.setAttribute('aria-expanded', 'false');
    $('advice').after(fold);
  }

  private tables(): void {
    const { report } = this;
    const put = (id: string, t: HTMLElement): void => $(id).replaceChildren(t);
    put('savings', report.savings.length
      ? table(['change', 'cycles', '%'], report.savings.map((s) => [s.change, s.cycles, this.percent(s.cycles)]))
      : element('p', report.ended_early ? 'Only a complete run can be replayed.' : 'No single change saves as much as one percent.', 'dim'));
    put('path', table(['spent on', 'cycles', '%'], Object.entries(report.critical_path.spent).map(([k, v]) => [k, v, this.percent(v)])));
    put('pipes', table(['core', 'pipe', 'busy', 'wait', 'idle', 'busy %', 'instructions'],
      report.cores.flatMap((core) => Object.entries(core.pipes).map(([pipe, p]) => [core.lane, pipe, p.busy, p.wait, p.idle, this.percent(p.busy), p.instructions]))));
    const costs = (first: string, list: CostLine[]): HTMLElement => table([first, 'pipe', 'count', 'busy', 'wait', 'critical', 'bytes'],
      list.map((c) => [link(c.name, () => this.find(c.pipe ? `${c.name} ${c.pipe}` : c.name)), c.pipe ?? '', c.instructions, c.busy, c.wait, c.critical, c.bytes]));
    $('instructions').replaceChildren(...(report.by_call ? [costs('call', report.by_call)] : []), costs('instruction', report.by_instruction));
    put('buffers', table(['memory', 'capacity', 'high-water mark', 'most live', 'on'], report.buffers.map((b) => [b.memory, b.capacity, b.high_water, b.live, b.lane])));
  }

  // Two runs: A before, B now.
  private comparison(): void {
    const c = this.model.data.comparison;
    if (!c) return;
    const relative = (a: number, b: number): string => (a ? `${b >= a ? '+' : ''}${((100 * (b - a)) / a).toFixed(1)} %` : '');
    const rows = (list: Change[]): (string | number)[][] =>
      list.filter((x) => x.a !== x.b).slice(0, 40).map((x) => [x.what, x.a, x.b, x.b - x.a, relative(x.a, x.b)]);
    const box = $('comparison');
    box.hidden = false;
    const side = (title: string, list: Change[]): HTMLElement => {
      const section = document.createElement('section');
      const cells = rows(list);
      section.append(element('h2', title), cells.length ? table(['', 'A: before', 'B: now', 'change', '%'], cells) : element('p', 'The same.', 'dim'));
      return section;
    };
    box.append(element('p', `Before (A) ${number(c.cycles.a)} cycles, now (B) ${number(c.cycles.b)}: ${relative(c.cycles.a, c.cycles.b) || 'no change'}. Everything below shows B; shaded lanes show A's.`, 'big'));
    for (const text of [...c.notes, ...c.outputs, ...c.findings]) box.append(element('p', text));
    const tables = element('div', '', 'pair');
    tables.append(side('Lines: busy cycles of all cores', c.lines), side('Pipes: cycles, mean of the cores of a type', byType(c.pipes)));
    box.append(element('p', `A: ${c.bottleneck.a}`), tables);
  }

  // ---- controls

  private coreChoices(): void {
    const { model } = this;
    const select = $<HTMLSelectElement>('cores');
    const steps = this.report.critical_path.steps.filter((s) => s.lane);
    const last = clusterOf(steps.length ? steps[steps.length - 1].lane! : (model.cores[0] ?? 'AIC00'));
    const folded = foldedRows(model);
    const folds = folded.some((row) => row.lanes.length > 1);
    if (folds) select.append(new Option('clusters that did the same, folded', 'folded'));
    select.append(new Option('cluster that ends the run', `cluster ${last}`), new Option(`all ${model.cores.length} cores`, 'all'));
    for (const core of model.cores) select.append(new Option(core, core));
    const withWarps = new Set(model.lanes.filter(isWarp).map((lane) => lane.core));
    for (const core of withWarps) select.append(new Option(`${core} with its warps`, `warps ${core}`));
    const apply = (): void => {
      const { value } = select;
      if (value === 'folded') this.swimlane.showFolded();
      else if (value.startsWith('warps ')) this.swimlane.showCores(new Set([value.slice(6)]), true);
      else this.swimlane.showCores(new Set(model.cores.filter((core) => value === 'all' || core === value || value === `cluster ${clusterOf(core)}`)));
    };
    select.value = model.lanes.filter((lane) => !isWarp(lane)).length <= fewLanes ? 'all' : folds && folded.length <= 2 * fewLanes && !model.data.comparison ? 'folded' : `cluster ${last}`;
    select.onchange = apply;
    apply();
  }

  private applyTheme(): void {
    document.documentElement.dataset.theme = this.theme === dark ? 'dark' : 'light';
    this.swimlane.setTheme(this.theme);
    this.charts.setTheme(this.theme);
    this.details.theme = this.theme;
  }
  private toggleArrows(): void {
    this.swimlane.arrows = !this.swimlane.arrows;
    $('arrows').setAttribute('aria-pressed', String(this.swimlane.arrows));
    const count = this.swimlane.arrowsInView();
    $('found').textContent = this.swimlane.arrows && count > 300 ? `${number(count)} flags in view: zoom in to see them` : '';
    this.swimlane.draw();
  }
  private escape(): void {
    $<HTMLInputElement>('search').value = '';
    this.search('');
    this.swimlane.clearMeasured();
  }

  private controls(): void {
    const { swimlane, model } = this;
    const input = $<HTMLInputElement>('search');
    const fit = (): void => swimlane.range(model.begin, model.end);
    const measure = (): void => swimlane.setMeasured(swimlane.from, swimlane.to);
    const clicks: Record<string, () => void> = {
      'path-next': () => this.stepPath(1), 'path-back': () => this.stepPath(-1), in: () => swimlane.move(0.5, 0), out: () => swimlane.move(2, 0), fit,
      arrows: () => this.toggleArrows(), share: () => this.share(), measure, next: () => this.step(1), back: () => this.step(-1),
      theme: () => {
        this.theme = this.theme === dark ? light : dark;
        this.applyTheme();
      },
    };
    for (const [id, action] of Object.entries(clicks)) $(id).onclick = action;
    const keys: Record<string, () => void> = {
      '+': clicks.in, '=': clicks.in, w: clicks.in, '-': clicks.out, s: clicks.out,
      ArrowLeft: () => swimlane.move(1, -0.25), a: () => swimlane.move(1, -0.25), ArrowRight: () => swimlane.move(1, 0.25), d: () => swimlane.move(1, 0.25),
      f: fit, '0': fit, n: clicks.next, p: clicks.back, '/': () => input.focus(), ']': clicks['path-next'], '[': clicks['path-back'],
      '.': () => swimlane.walk(1, 0), ',': () => swimlane.walk(-1, 0), j: () => swimlane.walk(0, 1), k: () => swimlane.walk(0, -1),
      e: clicks.arrows, m: measure, l: clicks.share,
      x: () => swimlane.selected && swimlane.pin(model.lanes[swimlane.selected.lane].name), Escape: () => this.escape(),
    };
    let typed = 0; // a search that is to come
    const searchNow = (): void => {
      clearTimeout(typed);
      typed = 0;
      this.search(input.value);
    };
    input.oninput = () => {
      clearTimeout(typed);
      typed = window.setTimeout(searchNow, model.lanes.length > 200 ? 150 : 0);
    };
    document.addEventListener('keydown', (event) => {
      if (event.target === input) {
        if (event.key === 'Enter') {
          if (typed || !this.found) searchNow();
          this.step(event.shiftKey ? -1 : 1);
        }
        if (event.key === 'Escape') {
          this.escape();
          input.blur();
        }
        return;
      }
      if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLSelectElement) return;
      const action = keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
    addEventListener('resize', () => this.charts.resize());
  }
}

async function start(): Promise<void> {
  const { data, lanes, flags } = await withTasks(await load());
  const model = new Model(shortened(data), lanes, flags);
  const page = new Page(model);
  document.body.dataset.ready = 'yes';
  // For tests and for people at the console.
  Object.assign(window, { ptosim: { model, swimlane: page.swimlane, page } });
}

start().catch((error: unknown) => {
  $('title').textContent = 'This page could not be read';
  $('bottleneck').textContent = `${error}. A browser of 2023 or later is needed.`;
  throw error;
});
