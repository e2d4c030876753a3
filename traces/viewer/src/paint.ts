// Draws lanes. Slices of at least two pixels are drawn unchanged; narrower ones are counted into
// columns of one pixel, whose height is the share of time in which the lane worked (its colour) and
// waited (grey, above it).
import type { Lane, Model } from './model';
import { lowerBound } from './model';
import { SCALAR, SYNC, WAIT } from './data';
import type { Spread } from './rows';
import { isWarp } from './rows';
import type { Search } from './search';
import type { Theme } from './theme';
import { onColor } from './theme';

export const rowHeight = 20;
const wide = 2; // pixels
const letter = 6.1; // width of one of the labels' letters

export interface View {
  left: number; // pixels
  right: number;
  from: number; // cycles
  to: number;
}
export const xOf = (view: View, time: number): number => view.left + ((time - view.from) / (view.to - view.from)) * (view.right - view.left);
export const timeOf = (view: View, x: number): number => view.from + ((x - view.left) / (view.right - view.left)) * (view.to - view.from);

type Box = [number, number, number, number];

export class LanePainter {
  constructor(private context: CanvasRenderingContext2D, private model: Model, private theme: Theme, private view: View, private search: Search | null) {}

  // The lane at `top` pixels; `index` is its own in the model.
  draw(index: number, top: number, spread: Spread | null): void {
    const lane = this.model.lanes[index];
    const { begin, end, what } = lane;
    const boxes = new Map<string, { plain: Box[]; dim: Box[] }>();
    const labels: { box: Box; text: string; color: string }[] = [];
    const marks: Box[] = [];
    const color = this.theme.pipes[isWarp(lane) ? 'V' : lane.pipe] ?? this.theme.sync;
    const put = (fill: string, box: Box, matches: boolean): void => {
      let lists = boxes.get(fill);
      if (!lists) boxes.set(fill, (lists = { plain: [], dim: [] }));
      (matches ? lists.plain : lists.dim).push(box);
    };
    for (let i = this.model.firstAfter(lane, this.view.from); i < what.length && begin[i] < this.view.to; ) {
      const x0 = xOf(this.view, begin[i]);
      const x1 = xOf(this.view, end[i]);
      if (x1 - x0 < wide) {
        i = this.column(lane, index, i, x0, top, color, put, marks);
        continue;
      }
      const of = this.model.data.what[what[i]];
      const matches = !this.search || this.search.has(index, i);
      const { fill, high } = this.look(of.kind, of.open === true, color);
      const left = Math.max(x0, this.view.left);
      const box: Box = [left, top + (rowHeight - high) / 2, Math.min(x1, this.view.right) - left - (x1 - x0 > 4 ? 0.7 : 0), high];
      put(fill, box, matches);
      if (box[2] > 30 && matches && (of.kind !== WAIT || of.open)) labels.push({ box, text: of.open ? `never: ${of.name.replace('wait ', '')}` : of.name, color: onColor(fill) });
      if (this.search && matches) marks.push(box);
      if (spread && of.kind !== WAIT && of.kind !== SCALAR && of.kind !== SYNC) this.drawSpread(spread, i, top);
      ++i;
    }
    this.fill(boxes);
    this.context.strokeStyle = this.theme.selected;
    this.context.lineWidth = 1;
    for (const [x, y, w, h] of marks) this.context.strokeRect(x + 0.5, y + 0.5, Math.max(w - 1, 1), h - 1);
    this.label(labels);
  }

  // Slices from `i` on that begin in one column of pixels; returns the first that does not.
  private column(lane: Lane, index: number, i: number, x0: number, top: number, color: string, put: (fill: string, box: Box, matches: boolean) => void, marks: Box[]): number {
    const column = Math.max(Math.floor(x0), this.view.left);
    const from = timeOf(this.view, column);
    const until = timeOf(this.view, column + 1);
    let next = Math.max(i + 1, lowerBound(lane.begin, until, i, lane.begin.length));
    // One that is wide is drawn by itself.
    if (next - 1 > i && xOf(this.view, lane.end[next - 1]) - xOf(this.view, lane.begin[next - 1]) >= wide) --next;
    const { work, waiting } = this.model.sums(lane);
    const span = Math.max(until - from, 1e-9);
    const share = (list: Float64Array): number => Math.min(1, (list[next] - list[i]) / span);
    const all = rowHeight * 0.78;
    const bottom = top + (rowHeight + all) / 2;
    const worked = share(work);
    const waited = Math.min(1 - worked, share(waiting));
    const matches = !this.search || this.search.has(index, i, next);
    const isScalar = lane.pipe === 'S';
    if (worked > 0) put(isScalar ? this.theme.scalar : color, [column, bottom - Math.max(1, all * worked), 1, Math.max(1, all * worked)], matches);
    if (waited > 0) put(this.theme.wait, [column, bottom - all * worked - Math.max(1, all * waited), 1, Math.max(1, all * waited)], matches);
    if (worked + waited === 0) put(this.theme.sync, [column, top + rowHeight / 2 - 3, 1, 6], matches);
    if (this.search && matches) marks.push([column - 1, top + 1, 3, 4]);
    return next;
  }

  private look(kind: number, open: boolean, color: string): { fill: string; high: number } {
    const t = this.theme;
    if (kind === WAIT) return open ? { fill: t.never, high: rowHeight * 0.7 } : { fill: t.wait, high: rowHeight * 0.24 };
    if (kind === SYNC) return { fill: t.sync, high: rowHeight * 0.5 };
    if (kind === SCALAR) return { fill: t.scalar, high: rowHeight * 0.46 };
    return { fill: color, high: rowHeight * 0.78 };
  }

  // When the same work began and ended on the other clusters: a line with ends under it.
  private drawSpread(spread: Spread, i: number, top: number): void {
    const k = spread.ordinal[i];
    if (k >= spread.begin.length || spread.end[k] <= spread.begin[k]) return;
    const x0 = Math.max(this.view.left, xOf(this.view, spread.begin[k]));
    const x1 = Math.min(this.view.right, xOf(this.view, spread.end[k]));
    if (x1 - x0 < 1) return;
    const y = top + rowHeight - 1;
    this.context.fillStyle = this.theme.dim;
    this.context.fillRect(x0, y, x1 - x0, 1);
    this.context.fillRect(x0, y - 2, 1, 3);
    this.context.fillRect(x1 - 1, y - 2, 1, 3);
  }

  private fill(boxes: Map<string, { plain: Box[]; dim: Box[] }>): void {
    for (const [color, lists] of boxes) {
      this.context.fillStyle = color;
      for (const [list, alpha] of [[lists.plain, 1], [lists.dim, 0.25]] as const) {
        this.context.globalAlpha = alpha;
        for (const [x, y, w, h] of list) this.context.fillRect(x, y, w, h);
      }
    }
    this.context.globalAlpha = 1;
  }

  private label(labels: { box: Box; text: string; color: string }[]): void {
    this.context.font = '10px ui-monospace, "DejaVu Sans Mono", monospace';
    this.context.textBaseline = 'middle';
    this.context.textAlign = 'left';
    for (const { box, text, color } of labels) {
      const room = Math.floor((box[2] - 6) / letter);
      if (room < 3) continue;
      this.context.fillStyle = color;
      this.context.fillText(text.length > room ? `${text.slice(0, room - 1)}\u2026` : text, box[0] + 3, box[1] + box[3] / 2 + 0.5);
    }
  }
}
