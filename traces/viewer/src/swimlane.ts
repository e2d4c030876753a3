// The swimlane: a canvas as large as its box, which scrolls under a head with the time axis and
// the critical path. Only lanes that can be seen are drawn.
import type { Model, Slot } from './model';
import { lowerBound } from './model';
import type { PathStep } from './data';
import { LanePainter, rowHeight, timeOf, xOf } from './paint';
import type { View } from './paint';
import type { Row, Spread } from './rows';
import { foldedRows, rowsOf, spreadOf } from './rows';
import type { Search } from './search';
import type { TileUse } from './tiles';
import type { Theme } from './theme';

const names = 112; // pixels, left of the lanes
const overview = 14; // heights in the head
const axis = 20;
const pathRow = 18;
const head = overview + axis + pathRow;
const leastSpan = 4; // cycles
const mostArrows = 300;

export interface Related {
  producers: TileUse[];
  consumers: TileUse[];
}
type Drag = { kind: 'pan' | 'measure' | 'overview'; x: number; y: number; time: number; from: number; to: number; scroll: number; moved: boolean };

const number = (value: number): string => Math.round(value).toLocaleString('en');

export class Swimlane {
  rows: Row[] = [];
  from: number;
  to: number;
  selected: Slot | null = null;
  measured: { from: number; to: number } | null = null;
  arrows = false;
  onSelect: (slot: Slot) => void = () => {};
  onRange: (from: number, to: number) => void = () => {};
  onMeasure: (from: number, to: number) => void = () => {};
  onStep: (step: number) => void = () => {};
  onPins: () => void = () => {};
  readonly pinned = new Set<string>(); // names of lanes that come first

  private context: CanvasRenderingContext2D;
  private rowOfLane: Int32Array;
  private shown: Row[] = []; // without the order of pins
  private related: Related = { producers: [], consumers: [] };
  private search: Search | null = null;
  private spreads = new Map<number, Spread>();
  private pending = 0;
  private drag: Drag | null = null;
  private pointer: { x: number; y: number } | null = null;
  private width = 0;
  private height = 0;
  private path: PathStep[];

  constructor(private box: HTMLElement, private canvas: HTMLCanvasElement, private room: HTMLElement, private tip: HTMLElement, private model: Model, private theme: Theme) {
    this.from = model.begin;
    this.to = model.end;
    this.path = model.data.report.critical_path.steps;
    this.rowOfLane = new Int32Array(model.lanes.length).fill(-1);
    this.context = canvas.getContext('2d')!;
    this.listen();
    new ResizeObserver(() => this.resize()).observe(box);
  }

  // ---- view

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.later();
  }
  showCores(cores: Set<string>, warps = false): void {
    this.setRows(rowsOf(this.model, cores, warps));
  }
  showFolded(): void {
    this.setRows(foldedRows(this.model));
  }
  private setRows(shown: Row[]): void {
    const isPinned = (row: Row): boolean => this.pinned.has(this.model.lanes[row.lane].name);
    const rows = [...shown.filter(isPinned), ...shown.filter((row) => !isPinned(row))];
    // A pinned lane stays, whatever cores are shown.
    for (const name of this.pinned) {
      const lane = this.model.lanes.findIndex((l) => l.name === name);
      if (lane >= 0 && !rows.some((row) => row.lanes.includes(lane))) rows.unshift({ label: name, lane, lanes: [lane] });
    }
    this.shown = shown;
    this.rows = rows;
    this.spreads.clear();
    this.rowOfLane.fill(-1);
    rows.forEach((row, i) => (this.rowOfLane[row.lane] = i));
    this.room.style.height = `${rows.length * rowHeight + head + 6}px`;
    this.resize();
  }
  // Pins a lane to the top, or lets it go.
  pin(name: string): void {
    if (!this.pinned.delete(name)) this.pinned.add(name);
    this.setRows(this.shown);
    this.onPins();
  }
  resize(): void {
    this.width = this.box.clientWidth;
    this.height = this.box.clientHeight;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.canvas.style.marginBottom = `${-this.height}px`;
    this.draw();
  }
  // Marks the results of a search; null for nothing.
  mark(search: Search | null): void {
    this.search = search;
    this.later();
  }
  isShown(lane: number): boolean {
    return this.rowOfLane[lane] >= 0;
  }

  // ---- moving

  range(from: number, to: number): void {
    const whole = this.model.end - this.model.begin;
    const span = Math.min(Math.max(to - from, leastSpan), whole);
    const middle = (from + to) / 2;
    const begin = to - from < leastSpan ? middle - span / 2 : from;
    this.from = Math.max(this.model.begin, Math.min(begin, this.model.end - span));
    this.to = this.from + span;
    this.later();
    this.onRange(this.from, this.to);
  }
  // factor < 1 zooms in, around `around`; shift in shares of the view.
  move(factor: number, shift: number, around = (this.from + this.to) / 2): void {
    const moved = shift * (this.to - this.from);
    this.range(around - (around - this.from) * factor + moved, around + (this.to - around) * factor + moved);
  }

  // `reveal` shows it with its surroundings; `and`, with this range, too (the other end of a flag).
  select(slot: Slot, reveal: boolean, and?: [number, number]): void {
    this.selected = slot;
    this.related = { producers: [], consumers: [] };
    if (reveal) {
      const { begin, end } = this.model.lanes[slot.lane];
      const first = Math.min(begin[slot.slice], and?.[0] ?? Infinity);
      const last = Math.max(end[slot.slice], and?.[1] ?? 0);
      const least = Math.min(400, (this.model.end - this.model.begin) / 10);
      const width = Math.max((last - first) * (and ? 1.5 : 12), least);
      this.range((first + last - width) / 2, (first + last + width) / 2);
      this.scrollTo(slot.lane);
    }
    this.later();
    this.onSelect(slot);
  }
  relate(related: Related): void {
    this.related = related;
    this.later();
  }
  // A lane that is not shown is shown now, and scrolled into view.
  private scrollTo(lane: number): void {
    if (!this.isShown(lane)) this.showCores(new Set([...this.rows.map((row) => this.model.lanes[row.lane].core), this.model.lanes[lane].core]));
    const y = this.rowOfLane[lane] * rowHeight;
    const visible = this.box.clientHeight - head;
    if (y < this.box.scrollTop || y + rowHeight > this.box.scrollTop + visible) this.box.scrollTop = Math.max(0, y - visible / 2);
  }

  // Selects the slice next to the selected one on its lane, or of the lane above or below at that
  // time.
  walk(along: number, across: number): void {
    const { selected } = this;
    if (!selected) return this.walkFirst();
    if (along) {
      const slice = selected.slice + along;
      if (slice >= 0 && slice < this.model.lanes[selected.lane].what.length) this.select({ lane: selected.lane, slice }, false);
    } else {
      const row = this.rows[this.rowOfLane[selected.lane] + across];
      if (!row) return;
      const lane = this.model.lanes[row.lane];
      const slice = Math.min(this.model.firstAfter(lane, this.model.lanes[selected.lane].begin[selected.slice]), lane.what.length - 1);
      this.select({ lane: row.lane, slice }, false);
    }
    this.keepInView();
    this.showTipOfSelected();
  }
  private walkFirst(): void {
    const row = this.rows.find((r) => this.model.firstAfter(this.model.lanes[r.lane], this.from) < this.model.lanes[r.lane].what.length);
    if (row) this.select({ lane: row.lane, slice: this.model.firstAfter(this.model.lanes[row.lane], this.from) }, false);
  }
  private keepInView(): void {
    const { lane, slice } = this.selected!;
    const { begin, end } = this.model.lanes[lane];
    const span = this.to - this.from;
    if (end[slice] > this.to || begin[slice] < this.from) this.range(begin[slice] - span / 3, begin[slice] + (2 * span) / 3);
    this.scrollTo(lane);
  }

  setMeasured(from: number, to: number): void {
    this.measured = { from: Math.min(from, to), to: Math.max(from, to) };
    this.later();
    this.onMeasure(this.measured.from, this.measured.to);
  }
  clearMeasured(): void {
    this.measured = null;
    this.later();
  }

  // The middle of a slice in pixels of the canvas, and its width; null if its lane is not shown.
  pixel(slot: Slot): { x: number; y: number; width: number } | null {
    const row = this.rowOfLane[slot.lane];
    if (row < 0) return null;
    const lane = this.model.lanes[slot.lane];
    const x0 = xOf(this.view(), lane.begin[slot.slice]);
    const x1 = xOf(this.view(), lane.end[slot.slice]);
    return { x: (x0 + x1) / 2, y: this.rowTop(row) + rowHeight / 2, width: x1 - x0 };
  }

  // ---- drawing

  private view(): View {
    return { left: names, right: Math.max(names + 50, this.width - 8), from: this.from, to: this.to };
  }
  private rowTop(row: number): number {
    return head + row * rowHeight - this.box.scrollTop;
  }
  private later(): void {
    this.pending ||= requestAnimationFrame(() => this.draw());
  }

  draw(): void {
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    const scale = window.devicePixelRatio || 1;
    const c = this.context;
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.fillStyle = this.theme.background;
    c.fillRect(0, 0, this.width, this.height);
    const view = this.view();
    const ticks = this.ticks(view);
    c.fillStyle = this.theme.grid;
    for (const tick of ticks) c.fillRect(Math.round(xOf(view, tick)), head, 1, this.height);
    const first = Math.max(0, Math.floor(this.box.scrollTop / rowHeight));
    const last = Math.min(this.rows.length, Math.ceil((this.box.scrollTop + this.height - head) / rowHeight));
    this.drawLanes(view, first, last);
    this.drawMeasured(view, head, this.height);
    this.drawRelated();
    this.drawArrows(view);
    this.drawNames(first, last);
    this.drawHead(view, ticks);
  }

  private drawLanes(view: View, first: number, last: number): void {
    const painter = new LanePainter(this.context, this.model, this.theme, view, this.search);
    for (let row = first; row < last; ++row) {
      const { lane, lanes } = this.rows[row];
      const top = this.rowTop(row);
      if (this.model.lanes[lane].core.startsWith('A ')) {
        this.context.fillStyle = this.theme.before;
        this.context.fillRect(0, top, this.width, rowHeight);
      }
      if (lanes.length > 1 && !this.spreads.has(row)) this.spreads.set(row, spreadOf(this.model, this.rows[row]));
      painter.draw(lane, top, this.spreads.get(row) ?? null);
    }
  }

  private drawNames(first: number, last: number): void {
    const c = this.context;
    c.font = '11px ui-monospace, "DejaVu Sans Mono", monospace';
    c.textBaseline = 'middle';
    c.textAlign = 'right';
    for (let row = first; row < last; ++row) {
      const { lane, label } = this.rows[row];
      const top = this.rowTop(row);
      c.fillStyle = this.model.lanes[lane].core.startsWith('A ') ? this.theme.before : this.theme.background;
      c.fillRect(0, top, names, rowHeight);
      c.fillStyle = this.theme.text;
      c.fillText(this.pinned.has(this.model.lanes[lane].name) ? `\u2605 ${label}` : label, names - 6, top + rowHeight / 2);
      // A line between cores.
      if (row > 0 && this.model.lanes[this.rows[row - 1].lane].core.slice(-5) !== this.model.lanes[lane].core.slice(-5)) {
        c.fillStyle = this.theme.grid;
        c.fillRect(0, top, this.width, 1);
      }
    }
    c.fillStyle = this.theme.grid;
    c.fillRect(names - 1, head, 1, this.height);
  }

  private ticks(view: View): number[] {
    const most = Math.max(2, (view.right - view.left) / 110);
    const rough = (view.to - view.from) / most;
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    const step = [1, 2, 5, 10].map((by) => by * power).find((by) => by >= rough) ?? 10 * power;
    const ticks: number[] = [];
    for (let tick = Math.ceil(view.from / step) * step; tick <= view.to; tick += step) ticks.push(tick);
    return ticks;
  }

  private drawHead(view: View, ticks: number[]): void {
    const c = this.context;
    const t = this.theme;
    c.fillStyle = t.panel;
    c.fillRect(0, 0, this.width, head);
    const whole: View = { ...view, from: this.model.begin, to: this.model.end };
    this.drawPath(whole, 2, overview - 4, false);
    c.fillStyle = t.text;
    c.globalAlpha = 0.12;
    c.fillRect(view.left, 0, xOf(whole, this.from) - view.left, overview);
    c.fillRect(xOf(whole, this.to), 0, view.right - xOf(whole, this.to), overview);
    c.globalAlpha = 1;
    c.strokeStyle = t.text;
    c.lineWidth = 1;
    c.strokeRect(xOf(whole, this.from) + 0.5, 0.5, Math.max(2, xOf(whole, this.to) - xOf(whole, this.from) - 1), overview - 1);
    c.font = '11px system-ui, "DejaVu Sans", sans-serif';
    c.textBaseline = 'middle';
    c.fillStyle = t.dim;
    c.textAlign = 'center';
    for (const tick of ticks) {
      const x = xOf(view, tick);
      c.fillRect(Math.round(x), overview + axis - 4, 1, 4);
      if (x > names + 10 && x < view.right - 24) c.fillText(number(tick), x, overview + axis / 2 - 1);
    }
    this.drawPath(view, overview + axis + 2, pathRow - 4, true);
    c.fillStyle = t.text;
    c.textAlign = 'right';
    c.fillText('whole run', names - 6, overview / 2);
    c.fillText('cycles', names - 6, overview + axis / 2);
    c.fillText('critical path', names - 6, overview + axis + pathRow / 2);
    this.drawMeasured(view, overview, overview + axis);
    c.fillStyle = t.grid;
    c.fillRect(0, head - 1, this.width, 1);
  }

  private pathColor(step: PathStep): string {
    const t = this.theme;
    if (step.spent === 'never released') return t.never;
    if (step.spent === 'block' || step.spent === 'scalar' || !step.pipe) return t.scalar;
    return t.pipes[step.pipe] ?? t.sync;
  }
  private drawPath(view: View, top: number, high: number, labels: boolean): void {
    const c = this.context;
    c.font = '10px ui-monospace, "DejaVu Sans Mono", monospace';
    c.textBaseline = 'middle';
    c.textAlign = 'left';
    let drawn = -1;
    for (let i = Math.max(0, this.stepAt(view.from)); i < this.path.length && this.path[i].begin < view.to; ++i) {
      const step = this.path[i];
      const x0 = Math.max(view.left, xOf(view, step.begin));
      const x1 = Math.min(view.right, xOf(view, step.end));
      if (x1 < drawn + 0.5) continue;
      drawn = x1;
      // A latency is hatched by being lower: its pipe is free again.
      const low = step.spent === 'work' ? 0 : high * 0.3;
      c.fillStyle = this.pathColor(step);
      c.fillRect(x0, top + low, Math.max(0.7, x1 - x0 - (x1 - x0 > 4 ? 0.7 : 0)), high - low);
      const text = `${step.lane ?? ''} ${step.instruction ?? step.spent}`;
      if (labels && !low && (x1 - x0) / 6.1 > text.length + 1) {
        c.fillStyle = '#000';
        if (this.pathColor(step) === '#0072B2') c.fillStyle = '#fff';
        c.fillText(text, x0 + 3, top + high / 2 + 0.5);
      }
    }
  }
  private stepAt(time: number): number {
    let low = 0;
    let high = this.path.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.path[middle].end > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private drawMeasured(view: View, top: number, bottom: number): void {
    if (!this.measured) return;
    const c = this.context;
    const x0 = Math.max(view.left, xOf(view, this.measured.from));
    const x1 = Math.min(view.right, xOf(view, this.measured.to));
    if (x1 < x0) return;
    c.fillStyle = this.theme.flag;
    c.globalAlpha = 0.13;
    c.fillRect(x0, top, x1 - x0, bottom - top);
    c.globalAlpha = 1;
    c.fillRect(x0, top, 1, bottom - top);
    c.fillRect(x1 - 1, top, 1, bottom - top);
  }

  private outline(slot: Slot, color: string, line: number): void {
    const at = this.pixel(slot);
    if (!at || at.y < head - rowHeight) return;
    const width = Math.max(at.width, 3);
    const left = Math.max(names, at.x - width / 2);
    const right = Math.min(this.width, at.x + width / 2);
    if (right < left) return;
    this.context.strokeStyle = color;
    this.context.lineWidth = line;
    this.context.strokeRect(left, at.y - rowHeight * 0.42, right - left, rowHeight * 0.84);
  }
  private drawRelated(): void {
    for (const { slot } of this.related.producers) this.outline(slot, this.theme.producer, 2);
    for (const { slot } of this.related.consumers) this.outline(slot, this.theme.consumer, 2);
    if (this.selected) this.outline(this.selected, this.theme.selected, 2.5);
  }

  // Draws all flags in view if there are not too many; always the flags of the selected slice.
  arrowsInView(): number {
    let count = 0;
    for (const flags of this.model.flags) {
      if (this.rowOfLane[flags.from] < 0 || this.rowOfLane[flags.to] < 0) continue;
      const first = lowerBound(flags.taken, this.from);
      count += Math.max(0, lowerBound(flags.set, this.to) - first);
    }
    return count;
  }
  private drawArrows(view: View): void {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(names, head, this.width - names, this.height - head);
    c.clip();
    if (this.arrows && this.arrowsInView() <= mostArrows)
      for (const flags of this.model.flags)
        for (let i = lowerBound(flags.taken, this.from); i < flags.set.length && flags.set[i] < this.to; ++i) this.arrow(view, flags.from, flags.set[i], flags.to, flags.taken[i], 1);
    if (this.selected) for (const { flags, index } of this.model.flagsOf(this.selected)) this.arrow(view, flags.from, flags.set[index], flags.to, flags.taken[index], 2);
    for (const { slot } of this.related.producers) this.tileArrow(view, slot, this.selected!, this.theme.producer);
    for (const { slot } of this.related.consumers) this.tileArrow(view, this.selected!, slot, this.theme.consumer);
    c.restore();
  }
  private tileArrow(view: View, from: Slot, to: Slot, color: string): void {
    const a = this.model.lanes[from.lane];
    const b = this.model.lanes[to.lane];
    this.arrow(view, from.lane, a.end[from.slice] + 0, to.lane, b.begin[to.slice], 1, color);
  }
  private arrow(view: View, from: number, begin: number, to: number, end: number, line: number, color = this.theme.flag): void {
    const a = this.rowOfLane[from];
    const b = this.rowOfLane[to];
    if (a < 0 || b < 0) return;
    const c = this.context;
    const x0 = xOf(view, begin);
    const x1 = xOf(view, end);
    const y0 = this.rowTop(a) + rowHeight / 2;
    const y1 = this.rowTop(b) + rowHeight / 2;
    const bend = Math.max(12, Math.min(60, Math.abs(x1 - x0) / 2));
    c.strokeStyle = color;
    c.fillStyle = color;
    c.lineWidth = line;
    c.beginPath();
    c.moveTo(x0, y0);
    c.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    c.stroke();
    c.beginPath();
    c.moveTo(x1, y1);
    c.lineTo(x1 - 6, y1 - 3.5);
    c.lineTo(x1 - 6, y1 + 3.5);
    c.fill();
  }

  // ---- the pointer

  private listen(): void {
    this.box.addEventListener('scroll', () => this.draw());
    this.canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener('pointerdown', (event) => this.down(event));
    this.canvas.addEventListener('pointermove', (event) => this.moved(event));
    this.canvas.addEventListener('pointerup', (event) => this.up(event));
    this.canvas.addEventListener('pointercancel', () => (this.drag = null));
    this.canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
    addEventListener('beforeprint', () => this.unrolled(true));
    addEventListener('afterprint', () => this.unrolled(false));
  }
  // Paper does not scroll: all lanes, as far as a canvas goes.
  private unrolled(all: boolean): void {
    this.box.style.maxHeight = all ? 'none' : '';
    this.box.style.height = all ? `${Math.min(8000, this.rows.length * rowHeight + head + 6)}px` : '';
    if (all) this.box.scrollTop = 0;
    this.resize();
  }
  private wheel(event: WheelEvent): void {
    const view = this.view();
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.move(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) / 250), 0, timeOf(view, Math.max(names, event.offsetX)));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.move(1, (event.deltaX || event.deltaY) / (view.right - view.left));
    }
  }
  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const y = event.offsetY;
    const kind = y < overview ? 'overview' : event.shiftKey || (y >= overview && y < overview + axis) ? 'measure' : 'pan';
    this.drag = { kind, x: event.offsetX, y, time: timeOf(this.view(), event.offsetX), from: this.from, to: this.to, scroll: this.box.scrollTop, moved: false };
    this.canvas.setPointerCapture(event.pointerId);
    if (kind === 'overview') this.toOverview(event.offsetX);
  }
  private toOverview(x: number): void {
    const whole: View = { ...this.view(), from: this.model.begin, to: this.model.end };
    const middle = timeOf(whole, x);
    const half = (this.to - this.from) / 2;
    this.range(middle - half, middle + half);
  }
  private moved(event: PointerEvent): void {
    this.pointer = { x: event.offsetX, y: event.offsetY };
    const { drag } = this;
    if (!drag) return this.showTip();
    this.tip.hidden = true;
    if (Math.abs(event.offsetX - drag.x) + Math.abs(event.offsetY - drag.y) > 4) drag.moved = true;
    if (!drag.moved) return;
    const view = this.view();
    if (drag.kind === 'overview') return this.toOverview(event.offsetX);
    if (drag.kind === 'measure') {
      this.measured = { from: Math.min(drag.time, timeOf(view, event.offsetX)), to: Math.max(drag.time, timeOf(view, event.offsetX)) };
      return this.later();
    }
    const shift = ((drag.x - event.offsetX) / (view.right - view.left)) * (drag.to - drag.from);
    this.range(drag.from + shift, drag.to + shift);
    this.box.scrollTop = drag.scroll + drag.y - event.offsetY;
  }
  private up(event: PointerEvent): void {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    if (drag.kind === 'measure' && drag.moved) return this.setMeasured(drag.time, timeOf(this.view(), event.offsetX));
    if (drag.moved || drag.kind === 'overview') return;
    const time = timeOf(this.view(), event.offsetX);
    if (event.offsetX < names && event.offsetY >= head) {
      const row = this.rows[Math.floor((event.offsetY - head + this.box.scrollTop) / rowHeight)];
      if (row) this.pin(this.model.lanes[row.lane].name);
      return;
    }
    if (event.offsetY < head) {
      const step = this.stepAt(time);
      if (event.offsetY >= overview + axis && step < this.path.length) this.onStep(step);
      return;
    }
    const hit = this.hit(event.offsetX, event.offsetY);
    if (hit === 'several') this.move(0.15, 0, time);
    else if (hit) this.select(hit, false);
  }
  private hit(x: number, y: number): Slot | 'several' | null {
    const row = this.rows[Math.floor((y - head + this.box.scrollTop) / rowHeight)];
    if (!row || x < names || y < head) return null;
    const view = this.view();
    const lane = this.model.lanes[row.lane];
    const first = this.model.firstAfter(lane, timeOf(view, x - 2));
    const after = lowerBound(lane.begin, timeOf(view, x + 2));
    if (after <= first) return null;
    // Takes the widest of several slices under the pointer; if all are narrow, the user has to zoom
    // in.
    const widest = (i: number): number => lane.end[i] - lane.begin[i];
    let best = first;
    for (let i = first; i < after && i < first + 64; ++i) if (widest(i) > widest(best)) best = i;
    const pixels = (widest(best) / (view.to - view.from)) * (view.right - view.left);
    return after - first > 1 && pixels < 2 && this.to - this.from > leastSpan * 2 ? 'several' : { lane: row.lane, slice: best };
  }
  private textOf(slot: Slot): string[] {
    const what = this.model.what(slot);
    const lane = this.model.lanes[slot.lane];
    return [what.name, what.operands ?? '', what.line ?? '', `${lane.name}, ${number(lane.end[slot.slice] - lane.begin[slot.slice])} cycles from ${number(lane.begin[slot.slice])}`];
  }
  // The keyboard's tip: next to the slice that it has reached.
  private showTipOfSelected(): void {
    const at = this.selected && this.pixel(this.selected);
    if (at) this.putTip(this.textOf(this.selected!), Math.max(names, at.x), at.y);
  }
  private showTip(): void {
    const { x, y } = this.pointer!;
    const hit = this.hit(x, y);
    const text: string[] = [];
    if (hit === 'several') {
      text.push('several: coloured part worked, grey part waited; click to zoom in');
    } else if (hit) {
      text.push(...this.textOf(hit));
    } else if (x < names && y >= head && this.rows[Math.floor((y - head + this.box.scrollTop) / rowHeight)]) {
      text.push('click: pin this lane to the top, or let it go (x pins that of the selection)');
    } else if (y >= overview + axis && y < head && x > names) {
      const step = this.path[this.stepAt(timeOf(this.view(), x))];
      if (step) text.push(`${step.lane ?? ''} ${step.pipe ?? ''} ${step.instruction ?? ''}`.trim(), `${step.spent}, ${number(step.end - step.begin)} cycles`, step.line ?? '');
    }
    this.putTip(text, x, y);
  }
  private putTip(text: string[], x: number, y: number): void {
    this.tip.hidden = text.filter(Boolean).length === 0;
    this.tip.textContent = text.filter(Boolean).join('\n');
    const box = this.box.getBoundingClientRect();
    this.tip.style.left = `${Math.min(box.left + x + 14, innerWidth - this.tip.offsetWidth - 8)}px`;
    this.tip.style.top = `${Math.min(box.top + y + 16, innerHeight - this.tip.offsetHeight - 8)}px`;
  }
}
