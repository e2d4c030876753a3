// The panel next to the swimlane: the chosen slice, the cause of its wait, its flags and tiles; or
// the contents of a range.
import { $, element, link, number, rows, table } from './dom';
import type { Slot } from './model';
import { Model } from './model';
import { measure } from './measure';
import type { Sum } from './measure';
import { SYNC, WAIT, WORK } from './data';
import { showOperands } from './operands';
import type { Spot } from './operands';
import type { Swimlane } from './swimlane';
import type { Theme } from './theme';
import { taskName, taskPipe } from './tasks';
import type { TileUse } from './tiles';
import { tileUses } from './tiles';
import { Values } from './values';

const mostLinks = 8;
const mostRows = 12;

export class Details {
  private values: Values | null;
  theme: Theme;
  constructor(private model: Model, private swimlane: Swimlane, theme: Theme) {
    this.theme = theme;
    this.values = model.data.kept ? new Values(model.data.kept) : null;
  }

  slice(slot: Slot): void {
    const { model } = this;
    const lane = model.lanes[slot.lane];
    const what = model.what(slot);
    const i = slot.slice;
    const cycles = lane.end[i] - lane.begin[i];
    const isTask = lane.pipe === taskPipe;
    const instruction = !isTask && (what.kind === WORK || what.kind === SYNC);
    const panel = $('details');
    panel.replaceChildren(
      element('h2', what.name),
      rows([
        ['task', isTask ? taskName(model.data, lane.sequence[i]) : undefined],
        ['operands', what.operands],
        ['line', what.line],
        ['on', lane.name],
        ['start', number(lane.begin[i])],
        ['cycles', `${number(cycles)} (${model.micros(cycles)})`],
        ['issued', instruction ? number(lane.begin[i] - lane.issue[i]) : undefined],
        ['result at', instruction ? number(lane.begin[i] + lane.complete[i]) : undefined],
        ['number', instruction ? `${lane.sequence[i]} of its core` : undefined],
        ['waits for', what.for],
        ['set at', what.set],
      ]),
    );
    const flags = model.flagsOf(slot);
    const taken = flags.filter((of) => of.flags.to === slot.lane && model.waiter(of) !== null && (what.kind === WORK || of.flags.waitSequence[of.index] === lane.sequence[i]));
    const setter = taken.length && what.kind === WAIT ? model.setter(taken[taken.length - 1]) : what.set ? model.lastOf(what.set, lane.end[i]) : null;
    if (what.kind === WAIT && setter) panel.append(this.go(`go to what set it: ${this.model.lanes[setter.lane].name}`, setter, [lane.begin[i], lane.end[i]]));
    if (instruction) this.waits(slot);
    this.flags(isTask ? 'It depends on' : 'Flags it waits for', flags.filter((of) => of.flags.to === slot.lane), (of) => model.setter(of), 'from');
    this.flags(isTask ? 'Its dependents' : 'Flags it sets', flags.filter((of) => of.flags.from === slot.lane), (of) => model.waiter(of), 'for');
    const uses = tileUses(model, slot);
    this.tiles('Producers of its tiles', uses.producers, 'producer');
    this.tiles('Readers of its result', uses.consumers, 'consumer');
    this.swimlane.relate(uses);
    if (this.values && what.kind === WORK) void showOperands(panel, this.values, lane.core, lane.sequence[i], this.theme, this.spot(slot));
  }

  // Position at which the slice stored an element that differs from a golden.
  private spot(slot: Slot): Spot | null {
    const lane = this.model.lanes[slot.lane];
    const found = this.model.data.report.mismatches?.find((m) => m.lane === lane.core && m.sequence === lane.sequence[slot.slice] && m.row !== undefined);
    return found ? { row: found.row!, column: found.column!, expected: found.expected } : null;
  }
  // `and`: a range to show with it.
  private go(text: string, slot: Slot, and?: [number, number]): HTMLElement {
    return link(text, () => this.swimlane.select(slot, true, and));
  }
  private text(slot: Slot): string {
    const what = this.model.what(slot);
    return `${what.name}${what.line ? ` ${what.line}` : ''} on ${this.model.lanes[slot.lane].name}`;
  }
  private waits(slot: Slot): void {
    const waits = this.model.waitsBefore(slot);
    const panel = $('details');
    panel.append(element('h3', waits.length ? 'It waited for' : 'It did not wait'));
    for (const wait of waits) {
      const cause = this.model.what(wait);
      const lane = this.model.lanes[wait.lane];
      panel.append(this.go(`${cause.for}${cause.set && !cause.for?.includes(cause.set) ? `, set at ${cause.set}` : ''}: ${number(lane.end[wait.slice] - lane.begin[wait.slice])} cycles`, wait));
    }
  }
  private flags(title: string, list: ReturnType<Model['flagsOf']>, other: (of: ReturnType<Model['flagsOf']>[number]) => Slot | null, word: string): void {
    const panel = $('details');
    if (list.length) panel.append(element('h3', title));
    for (const of of list.slice(0, mostLinks)) {
      const slot = other(of);
      const { flags, index } = of;
      const lane = this.model.lanes[word === 'from' ? flags.from : flags.to];
      const task = flags.dependency ? (taskName(this.model.data, word === 'from' ? flags.setSequence[index] : flags.waitSequence[index]) ?? '') : undefined;
      const text = task !== undefined && slot ? `${task} ${this.text(slot)}`.trim() : `${flags.cross ? 'signal' : 'flag'} #${flags.id} ${word} ${lane.name}, set ${number(flags.set[index])}, taken ${number(flags.taken[index])}`;
      panel.append(slot ? this.go(text, slot, [flags.set[index], flags.taken[index]]) : element('p', text));
    }
    if (list.length > mostLinks) panel.append(element('p', `and ${list.length - mostLinks} more`, 'dim'));
  }
  private tiles(title: string, uses: TileUse[], name: string): void {
    const panel = $('details');
    if (uses.length) panel.append(element('h3', title, name));
    for (const { tile, slot } of uses.slice(0, mostLinks)) panel.append(this.go(`${tile}: ${this.text(slot)}`, slot));
    if (uses.length > mostLinks) panel.append(element('p', `and ${uses.length - mostLinks} more`, 'dim'));
  }

  range(from: number, to: number): void {
    const { model } = this;
    const measured = measure(model, this.swimlane.rows.map((row) => row.lane), from, to);
    const span = Math.max(to - from, 1e-9);
    const share = (cycles: number, lanes: number): string => `${((100 * cycles) / span / lanes).toFixed(1)} %`;
    const sums = (list: Sum[]): HTMLTableElement =>
      table(['what', 'times', 'cycles', 'mean', 'least', 'most'], list.slice(0, mostRows).map((s) => [s.name, s.count, s.cycles, s.cycles / s.count, s.least, s.most]));
    const close = link('end the measurement (Esc)', () => {
      this.swimlane.clearMeasured();
      $('details').replaceChildren(element('p', 'Choose a slice.'));
    });
    $('details').replaceChildren(
      element('h2', `${number(to - from)} cycles (${model.micros(to - from)})`),
      rows([['from', number(from)], ['to', number(to)], ['of', `${this.swimlane.rows.length} lanes that are shown`]]),
      close,
      element('h3', 'Pipes, mean of the lanes'),
      table(['pipe', 'busy', 'wait', 'instructions'], measured.pipes.map((p) => [p.pipe, share(p.busy, p.lanes), share(p.wait, p.lanes), p.instructions])),
      element('h3', 'Work'), sums(measured.work),
      element('h3', 'Waits'), sums(measured.waits),
    );
  }
}
