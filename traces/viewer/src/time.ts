// The time of the shown lanes as a tree: by instruction, line and core, in an order that the reader chooses.
import { WAIT } from './data';
import { $, element, number } from './dom';
import type { Model } from './model';

type Key = 'instruction' | 'line' | 'core';
type Figure = 'count' | 'busy' | 'wait';
const orders: Record<Key, Key[]> = {
  instruction: ['instruction', 'line', 'core'],
  line: ['line', 'instruction', 'core'],
  core: ['core', 'instruction', 'line'],
};
const mostRows = 400;

interface Node {
  name: string;
  count: number;
  busy: number;
  wait: number;
  parts: Map<string, Node>;
}
const node = (name: string): Node => ({ name, count: 0, busy: 0, wait: 0, parts: new Map() });

export class TimeTable {
  private sortBy: Figure | 'name' = 'busy';
  private falling = true;
  private open = new Set<string>();
  private pending = 0;
  private of: { lanes: number[]; from: number; to: number } = { lanes: [], from: 0, to: 0 };

  constructor(private model: Model, private find: (text: string) => void) {
    $<HTMLSelectElement>('time-by').onchange = () => {
      this.open.clear();
      this.draw();
    };
  }
  // Drawn after the view has come to rest: to sum up a large run takes longer than a frame.
  show(lanes: number[], from: number, to: number): void {
    this.of = { lanes, from, to };
    clearTimeout(this.pending);
    this.pending = window.setTimeout(() => this.draw(), 150);
  }

  private sums(): Node {
    const { lanes, from, to } = this.of;
    const order = orders[$<HTMLSelectElement>('time-by').value as Key];
    const whole = node('');
    for (const index of lanes) {
      const lane = this.model.lanes[index];
      for (let i = this.model.firstAfter(lane, from); i < lane.what.length && lane.begin[i] < to; ++i) {
        const what = this.model.data.what[lane.what[i]];
        const cycles = Math.min(lane.end[i], to) - Math.max(lane.begin[i], from);
        const names: Record<Key, string> = { instruction: what.name, line: what.line ?? '(no line)', core: lane.core };
        let at = whole;
        for (const part of [at, ...order.map((key) => {
          if (!at.parts.has(names[key])) at.parts.set(names[key], node(names[key]));
          return (at = at.parts.get(names[key])!);
        })]) {
          if (what.kind === WAIT) part.wait += cycles;
          else {
            part.busy += cycles;
            ++part.count;
          }
        }
      }
    }
    return whole;
  }

  private draw(): void {
    const whole = this.sums();
    const table = document.createElement('table');
    const head = table.createTHead().insertRow();
    const titles: [string, Figure | 'name' | null][] = [['what', 'name'], ['count', 'count'], ['busy', 'busy'], ['busy %', null], ['wait', 'wait']];
    for (const [title, by] of titles) {
      const cell = element('th', by ? '' : title, by === 'name' ? '' : 'n');
      if (by) {
        const button = element('button', title) as HTMLButtonElement;
        button.onclick = () => {
          this.falling = this.sortBy === by ? !this.falling : by !== 'name';
          this.sortBy = by;
          this.draw();
        };
        cell.setAttribute('aria-sort', this.sortBy === by ? (this.falling ? 'descending' : 'ascending') : 'none');
        cell.append(button);
      }
      head.append(cell);
    }
    const body = table.createTBody();
    this.put(body, whole, whole, 0, '');
    $('time').replaceChildren(table);
  }
  private put(body: HTMLTableSectionElement, of: Node, whole: Node, depth: number, path: string): void {
    const by = this.sortBy;
    const parts = [...of.parts.values()].sort((a, b) => (by === 'name' ? a.name.localeCompare(b.name) : a[by] - b[by]) * (this.falling ? -1 : 1));
    for (const part of parts) {
      if (body.rows.length >= mostRows) return;
      const key = `${path}\n${part.name}`;
      const row = body.insertRow();
      row.style.setProperty('--depth', String(depth));
      const cell = row.insertCell();
      const open = this.open.has(key);
      const fold = element('button', part.parts.size ? (open ? '\u25be' : '\u25b8') : '', 'fold') as HTMLButtonElement;
      fold.disabled = !part.parts.size;
      fold.setAttribute('aria-expanded', String(open));
      fold.setAttribute('aria-label', `parts of ${part.name}`);
      fold.onclick = () => {
        if (!this.open.delete(key)) this.open.add(key);
        this.draw();
      };
      const name = element('button', part.name, 'link') as HTMLButtonElement;
      name.onclick = () => this.find(part.name);
      cell.append(fold, name);
      const share = whole.busy ? `${((100 * part.busy) / whole.busy).toFixed(1)} %` : '';
      for (const text of [number(part.count), number(part.busy), share, number(part.wait)]) row.append(element('td', text, 'n'));
      if (open) this.put(body, part, whole, depth + 1, key);
    }
  }
}
