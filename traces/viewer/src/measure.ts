// Contents of a range of time: shares by pipe, instructions by line, waits by cause.
import type { Model } from './model';
import { SYNC, WAIT } from './data';

export interface PipeShare {
  pipe: string; // "AIC MTE2"
  lanes: number;
  busy: number; // cycles, of all lanes
  wait: number;
  instructions: number; // that begin in the range
}
export interface Sum {
  name: string;
  count: number;
  cycles: number; // in the range
  least: number;
  most: number; // of one, whole
}
export interface Measured {
  pipes: PipeShare[];
  work: Sum[]; // most cycles first
  waits: Sum[];
}

export function measure(model: Model, lanes: number[], from: number, to: number): Measured {
  const pipes = new Map<string, PipeShare>();
  const sums = new Map<number, Sum>(); // by what
  for (const index of lanes) {
    const lane = model.lanes[index];
    const key = `${lane.core.replace(/\d+$/, '')} ${lane.pipe}`;
    if (!pipes.has(key)) pipes.set(key, { pipe: key, lanes: 0, busy: 0, wait: 0, instructions: 0 });
    const share = pipes.get(key)!;
    ++share.lanes;
    for (let i = model.firstAfter(lane, from); i < lane.what.length && lane.begin[i] < to; ++i) {
      const cycles = Math.min(lane.end[i], to) - Math.max(lane.begin[i], from);
      const whole = lane.end[i] - lane.begin[i];
      const what = model.data.what[lane.what[i]];
      if (what.kind === WAIT) share.wait += cycles;
      else share.busy += cycles;
      if (what.kind !== WAIT && lane.pipe !== 'S' && lane.begin[i] >= from) ++share.instructions;
      if (what.kind === SYNC && !whole) continue;
      let sum = sums.get(lane.what[i]);
      if (!sum) sums.set(lane.what[i], (sum = { name: '', count: 0, cycles: 0, least: Infinity, most: 0 }));
      ++sum.count;
      sum.cycles += cycles;
      sum.least = Math.min(sum.least, whole);
      sum.most = Math.max(sum.most, whole);
    }
  }
  // One row for each text, although operands differ.
  const named = (wanted: (kind: number) => boolean): Sum[] => {
    const rows = new Map<string, Sum>();
    for (const [of, sum] of sums) {
      const what = model.data.what[of];
      if (!wanted(what.kind)) continue;
      const name = what.kind === WAIT ? `${what.for ?? what.name}${what.line ? `, at ${what.line}` : ''}` : `${what.name}${what.line ? ` ${what.line}` : ''}`;
      const row = rows.get(name);
      if (!row) rows.set(name, { ...sum, name });
      else Object.assign(row, { count: row.count + sum.count, cycles: row.cycles + sum.cycles, least: Math.min(row.least, sum.least), most: Math.max(row.most, sum.most) });
    }
    return [...rows.values()].sort((a, b) => b.cycles - a.cycles);
  };
  return { pipes: [...pipes.values()], work: named((kind) => kind !== WAIT), waits: named((kind) => kind === WAIT) };
}
