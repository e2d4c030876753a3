// The source as a heat map: coloured by the share of the run on the critical path, in order or by
// cost. Busy and wait are cycles of one core: the mean of the cores that have executed the line.
import { $, element, link, number } from './dom';
import type { Model } from './model';
import { SYNC, WAIT } from './data';

interface Cost {
  busy: number;
  wait: number; // of the line itself
  holds: number; // that others waited for what it sets
  cores: Set<string>;
}

function costs(model: Model): Map<string, Cost> {
  const of = new Map<string, Cost>();
  const cost = (line: string): Cost => {
    let found = of.get(line);
    if (!found) of.set(line, (found = { busy: 0, wait: 0, holds: 0, cores: new Set() }));
    return found;
  };
  for (const lane of model.lanes) {
    // By what, since texts are few.
    const cycles = new Map<number, number>();
    for (let i = 0; i < lane.what.length; ++i) cycles.set(lane.what[i], (cycles.get(lane.what[i]) ?? 0) + lane.end[i] - lane.begin[i]);
    for (const [index, sum] of cycles) {
      const what = model.data.what[index];
      if (what.line) {
        const line = cost(what.line);
        if (what.kind === WAIT) line.wait += sum;
        else line.busy += sum;
        if (what.kind !== SYNC || sum) line.cores.add(lane.core);
      }
      if (what.kind === WAIT && what.set && lane.pipe !== 'S') cost(what.set).holds += sum;
    }
  }
  return of;
}

// Of FILE:LINE.
const fileOf = (name: string): string => name.slice(0, name.lastIndexOf(':'));

export class Source {
  private all: Map<string, Cost>;
  private byCost = false;
  private here = '';
  private shown: Set<string>; // files; of others the name alone, until it is clicked
  constructor(private model: Model, private choose: (line: string) => void) {
    this.all = costs(model);
    // Headers that came with a kernel and cost nothing would be most of the page.
    const { report, sources } = model.data;
    const costly = new Set([...this.all.keys(), ...report.lines.map(({ origin }) => origin ?? '')].map(fileOf));
    this.shown = new Set(sources.filter(({ name }) => costly.has(name)).map(({ name }) => name));
    if (!this.shown.size) sources.slice(0, 1).forEach(({ name }) => this.shown.add(name));
    const order = $<HTMLButtonElement>('source-order');
    order.onclick = () => {
      this.byCost = !this.byCost;
      order.textContent = this.byCost ? 'in order' : 'by cost';
      this.draw();
    };
    this.draw();
    this.origins();
    const named = model.data.report.lines.filter((line) => line.name !== 'unknown');
    const costliest = named.reduce((worst, line) => (line.critical > (worst?.critical ?? -1) ? line : worst), named[0]);
    if (costliest) this.show(costliest.name);
  }

  show(name: string): void {
    this.here = name;
    const file = fileOf(name);
    if (!this.byCost && !this.shown.has(file) && this.model.data.sources.some((source) => source.name === file)) {
      this.shown.add(file);
      return this.draw(); // which shows it
    }
    document.querySelectorAll('#source tr.here').forEach((row) => row.classList.remove('here'));
    const row = document.querySelector<HTMLElement>(`#source tr[data-line="${CSS.escape(name)}"]`);
    if (!row) return;
    row.classList.add('here');
    const box = $('source');
    box.scrollTop = row.offsetTop - box.clientHeight / 3;
  }

  // The lines of the program that the text was made from, each with the sums of the lines made from
  // it.
  private origins(): void {
    const { report, sources } = this.model.data;
    const sums = new Map<string, { lines: string[]; busy: number; wait: number; critical: number }>();
    for (const line of report.lines) {
      if (!line.origin) continue;
      const sum = sums.get(line.origin) ?? { lines: [], busy: 0, wait: 0, critical: 0 };
      sum.lines.push(line.name);
      sum.busy += line.busy;
      sum.wait += line.wait;
      sum.critical += line.critical;
      sums.set(line.origin, sum);
    }
    $('origins').hidden = !sums.size;
    if (!sums.size) return;
    const texts = new Map(sources.map((file) => [file.name, file.text.split('\n')]));
    const split = (name: string): [string, number] => [fileOf(name), Number(name.slice(name.lastIndexOf(':') + 1))];
    const table = document.createElement('table');
    const head = table.createTHead().insertRow();
    for (const [title, about] of [['line', ''], ['busy', 'cycles of all cores'], ['wait', 'cycles of all cores that pipes wait for it'], ['path', 'share of the run on the critical path'], ['source', ''], ['made into', '']])
      head.append(Object.assign(element('th', title, ['busy', 'wait', 'path'].includes(title) ? 'n' : ''), { title: about }));
    const body = table.createTBody();
    const order = [...sums].sort(([a], [b]) => split(a)[0].localeCompare(split(b)[0]) || split(a)[1] - split(b)[1]);
    for (const [name, sum] of order) {
      const [file, at] = split(name);
      const share = sum.critical / Math.max(report.cycles, 1);
      const row = body.insertRow();
      row.className = 'hot';
      row.dataset.origin = name;
      row.style.setProperty('--heat', `${Math.min(100, Math.round(100 * share) + (share ? 6 : 0))}%`);
      const into = element('td');
      for (const line of sum.lines.slice(0, 12)) into.append(link(line, () => this.choose(line)), ' ');
      if (sum.lines.length > 12) into.append(`and ${sum.lines.length - 12} more`);
      row.append(element('td', name), element('td', number(sum.busy), 'n'), element('td', number(sum.wait), 'n'), element('td', share ? `${(100 * share).toFixed(1)} %` : '', 'n'),
        element('td', texts.get(file)?.[at - 1]?.trim() ?? '', 'code'), into);
    }
    $('origin-lines').replaceChildren(table);
  }

  private draw(): void {
    const { report } = this.model.data;
    const critical = new Map(report.lines.map((line) => [line.name, line.critical]));
    const perCore = (cost: Cost, cycles: number): number => cycles / Math.max(1, cost.cores.size);
    const most = Math.max(1, ...[...this.all.values()].map((c) => Math.max(perCore(c, c.busy), perCore(c, c.wait))));
    const table = document.createElement('table');
    const widths = document.createElement('colgroup');
    table.append(widths);
    const head = table.createTHead().insertRow();
    let widest = 0; // text, in characters
    let label_width = 4;
    const titles = [['line', ''], ['busy', 'cycles a core, mean of those that execute the line'], ['waits', 'cycles a core that pipes stand at this line'], ['holds', 'cycles of all cores that pipes wait for what this line sets'],
      ['path', 'share of the run on the critical path'], ['', ''], ['source', '']];
    const classes = ['n', 'n', 'n minor', 'n minor', 'n', 'bar minor', ''];
    titles.forEach(([title, about], i) => {
      widths.append(element('col', '', ['label', 'figure', 'figure minor', 'figure minor', 'figure', 'bar minor', ''][i]));
      head.append(Object.assign(element('th', title, classes[i]), { title: about }));
    });
    const body = table.createTBody();
    const line = (name: string, label: string, text: string): HTMLTableRowElement => {
      const cost = this.all.get(name);
      const path = critical.get(name) ?? 0;
      const row = document.createElement('tr');
      row.dataset.line = name;
      widest = Math.max(widest, text.length);
      label_width = Math.max(label_width, label.length);
      if (!cost && !path) {
        row.append(element('td', label, 'n'), Object.assign(element('td'), { colSpan: titles.length - 2 }), element('td', text, 'code'));
        return row;
      }
      const bar = element('td', '', classes[5]);
      if (cost) {
        row.style.setProperty('--heat', `${Math.min(100, Math.round((100 * path) / Math.max(report.cycles, 1)) + (path ? 6 : 0))}%`);
        for (const [cycles, kind] of [[perCore(cost, cost.busy), 'busy'], [perCore(cost, cost.wait), 'waiting']] as const) {
          const box = element('i', '', kind);
          box.style.width = `${(60 * cycles) / most}px`;
          bar.append(box);
        }
        row.classList.add('hot');
        row.tabIndex = 0;
        row.onclick = () => this.choose(name);
        row.onkeydown = (event) => event.key === 'Enter' && this.choose(name);
      }
      const cell = (value: number, at: number): HTMLElement => element('td', value >= 0.5 ? number(value) : '', classes[at]);
      row.append(element('td', label, 'n'), cell(cost ? perCore(cost, cost.busy) : 0, 1), cell(cost ? perCore(cost, cost.wait) : 0, 2), cell(cost?.holds ?? 0, 3),
        element('td', path ? `${((100 * path) / Math.max(report.cycles, 1)).toFixed(1)} %` : '', 'n'), bar, element('td', text, 'code'));
      return row;
    };
    if (this.byCost) {
      const texts = new Map(this.model.data.sources.flatMap((file) => file.text.split('\n').map((text, i) => [`${file.name}:${i + 1}`, text.trim()] as [string, string])));
      const rank = (name: string, cost: Cost): number => (critical.get(name) ?? 0) * 1e6 + cost.busy + cost.wait + cost.holds;
      for (const [name] of [...this.all].sort((a, b) => rank(...b) - rank(...a))) body.append(line(name, name, texts.get(name) ?? ''));
    } else {
      // Files that are shown come first.
      const { sources } = this.model.data;
      for (const file of [...sources.filter(({ name }) => this.shown.has(name)), ...sources.filter(({ name }) => !this.shown.has(name))]) {
        const cell = Object.assign(element('td', '', 'file'), { colSpan: titles.length, title: file.path ?? file.name });
        body.insertRow().append(cell);
        if (!this.shown.has(file.name)) {
          cell.append(link(file.name, () => {
            this.shown.add(file.name);
            this.draw();
          }));
          continue;
        }
        cell.append(file.name);
        file.text.replace(/\n$/, '').split('\n').forEach((text, i) => body.append(line(`${file.name}:${i + 1}`, String(i + 1), text)));
      }
    }
    table.style.setProperty('--label', `${label_width + 3}ch`);
    table.style.setProperty('--text', `${widest + 3}ch`);
    $('source').replaceChildren(table);
    if (this.here) this.show(this.here);
  }
}
