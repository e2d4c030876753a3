// The run that the page shows: lanes of slices, flags between them, and everything that follows
// from both.
import type { Data, Flags, PackedLane, PathStep, What } from './data';
import { SCALAR, SYNC, WAIT, WORK } from './data';

export interface Lane extends PackedLane {
  name: string; // "AIC00 MTE2"
  // Made when first asked for: by slice, the cycles of work and of waiting before it.
  work?: Float64Array;
  waiting?: Float64Array;
}

export interface Slot {
  lane: number; // index into Model.lanes
  slice: number;
}

// The first index of `list` (ascending) that is not before `value`.
export function lowerBound(list: ArrayLike<number>, value: number, low = 0, high = list.length): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Model {
  readonly lanes: Lane[];
  readonly cores: string[];
  readonly begin: number;
  readonly end: number;
  private programs = new Map<string, Slot[]>();

  constructor(readonly data: Data, lanes: PackedLane[], readonly flags: Flags[]) {
    this.lanes = lanes.map((lane) => ({ ...lane, name: `${lane.core} ${lane.pipe}` }));
    this.cores = [...new Set(lanes.map((lane) => lane.core))];
    const cycles = data.comparison ? Math.max(data.comparison.cycles.a, data.report.cycles) : data.report.cycles;
    this.begin = data.report.begin;
    this.end = this.begin + cycles;
  }

  what(slot: Slot): What {
    return this.data.what[this.lanes[slot.lane].what[slot.slice]];
  }

  // The first slice of a lane that ends after `time`.
  firstAfter(lane: Lane, time: number): number {
    let low = 0;
    let high = lane.end.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lane.end[middle] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  sums(lane: Lane): { work: Float64Array; waiting: Float64Array } {
    if (!lane.work || !lane.waiting) {
      const n = lane.what.length;
      lane.work = new Float64Array(n + 1);
      lane.waiting = new Float64Array(n + 1);
      const { what } = this.data;
      for (let i = 0; i < n; ++i) {
        const length = lane.end[i] - lane.begin[i];
        const waits = what[lane.what[i]].kind === WAIT;
        lane.work[i + 1] = lane.work[i] + (waits ? 0 : length);
        lane.waiting[i + 1] = lane.waiting[i] + (waits ? length : 0);
      }
    }
    return { work: lane.work, waiting: lane.waiting };
  }

  // Waits that held the pipe since the previous work: its waits, and the waits of flags and
  // barriers.
  waitsBefore(slot: Slot): Slot[] {
    const lane = this.lanes[slot.lane];
    const found: Slot[] = [];
    for (let i = slot.slice - 1; i >= 0; --i) {
      const { kind } = this.data.what[lane.what[i]];
      if (kind === WORK || kind === SCALAR) break;
      if (kind === WAIT) found.push({ lane: slot.lane, slice: i });
    }
    return found.reverse();
  }

  // The instruction of a lane with this sequence number; its wait only if there is nothing else.
  bySequence(index: number, sequence: number, near: number): Slot | null {
    const lane = this.lanes[index];
    let wait = -1;
    const start = Math.min(this.firstAfter(lane, near - 1), lane.what.length - 1);
    for (let step = 0; step < 64; ++step)
      for (const i of step ? [start - step, start + step] : [start]) {
        if (i < 0 || i >= lane.what.length || lane.sequence[i] !== sequence) continue;
        const { kind } = this.data.what[lane.what[i]];
        if (kind === WORK || kind === SYNC) return { lane: index, slice: i };
        if (kind === WAIT) wait = i;
      }
    return wait < 0 ? null : { lane: index, slice: wait };
  }

  // The flags that an instruction or a wait sets and takes; for work, also the flags that were
  // taken since the previous work or are set before the next.
  flagsOf(slot: Slot): { flags: Flags; index: number }[] {
    const lane = this.lanes[slot.lane];
    const sequences = new Set<number>([lane.sequence[slot.slice]]);
    if (this.what(slot).kind === WORK)
      for (const by of [-1, 1])
        for (let i = slot.slice + by; i >= 0 && i < lane.what.length; i += by) {
          const what = this.data.what[lane.what[i]];
          if (what.kind === WORK || what.kind === SCALAR) break;
          sequences.add(lane.sequence[i]);
        }
    const after = lane.sequence[slot.slice];
    const works = this.what(slot).kind === WORK;
    const found: { flags: Flags; index: number }[] = [];
    for (const flags of this.flags)
      for (const [end, list] of [[flags.from, flags.setSequence], [flags.to, flags.waitSequence]] as const) {
        if (end !== slot.lane) continue;
        const sets = end === flags.from && list === flags.setSequence;
        list.forEach((sequence, index) => {
          if (flags.dependency ? sequence === after : sequences.has(sequence) && (!works || sets === sequence > after)) found.push({ flags, index });
        });
      }
    return found.filter((a, i) => found.findIndex((b) => b.flags === a.flags && b.index === a.index) === i);
  }

  // The work of a core with this sequence number.
  ofCore(core: string, sequence: number): Slot | null {
    return this.program(core).find((slot) => this.lanes[slot.lane].sequence[slot.slice] === sequence) ?? null;
  }

  setter(of: { flags: Flags; index: number }): Slot | null {
    return this.bySequence(of.flags.from, of.flags.setSequence[of.index], of.flags.set[of.index]);
  }
  waiter(of: { flags: Flags; index: number }): Slot | null {
    return this.bySequence(of.flags.to, of.flags.waitSequence[of.index], of.flags.taken[of.index]);
  }

  // The last slice of a line that begins before `time`, on any lane: the cause of a wait that does
  // not wait for a flag.
  lastOf(line: string, time: number): Slot | null {
    const of = new Set<number>();
    this.data.what.forEach((what, i) => what.line === line && what.kind !== WAIT && of.add(i));
    let found: Slot | null = null;
    let latest = -1;
    this.lanes.forEach((lane, index) => {
      for (let i = Math.min(this.firstAfter(lane, time), lane.begin.length - 1); i >= 0; --i) {
        if (lane.begin[i] > time || !of.has(lane.what[i])) continue;
        if (lane.begin[i] > latest) {
          latest = lane.begin[i];
          found = { lane: index, slice: i };
        }
        break;
      }
    });
    return found;
  }

  // The slice of a step of the critical path; null if it is on no lane.
  ofStep(step: PathStep): Slot | null {
    const index = this.lanes.findIndex((lane) => lane.core === step.lane && lane.pipe === step.pipe);
    if (index < 0) return null;
    const lane = this.lanes[index];
    const slice = Math.min(this.firstAfter(lane, step.begin), lane.begin.length - 1);
    return slice < 0 ? null : { lane: index, slice };
  }

  // The work of a core in program order.
  program(core: string): Slot[] {
    let slots = this.programs.get(core);
    if (!slots) {
      slots = [];
      this.lanes.forEach((lane, index) => {
        if (lane.core !== core) return;
        for (let i = 0; i < lane.what.length; ++i) if (this.data.what[lane.what[i]].kind === WORK) slots!.push({ lane: index, slice: i });
      });
      slots.sort((a, b) => this.lanes[a.lane].sequence[a.slice] - this.lanes[b.lane].sequence[b.slice]);
      this.programs.set(core, slots);
    }
    return slots;
  }

  micros(cycles: number): string {
    const hz = this.data.report.clock_hz || 1e9;
    return `${((cycles / hz) * 1e6).toFixed(3)} us`;
  }
}
