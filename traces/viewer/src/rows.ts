// The shown lanes, one under the other; clusters that did the same are folded into one.
import type { Lane, Model } from './model';
import { SCALAR, WORK } from './data';
import { processorsCore } from './tasks';

const pipes = ['S', 'MTE2', 'MTE1', 'M', 'V', 'FIX', 'MTE3'];

export interface Row {
  label: string;
  lane: number; // that is drawn: index into Model.lanes
  lanes: number[]; // that it stands for
}

export function clusterOf(core: string): number {
  const index = Number(core.match(/\d+$/)?.[0] ?? 0);
  return core.includes('AIC') ? index : Math.floor(index / 2);
}
// Lanes of warps are shown on their own, because a core has up to 64 of them.
export const isWarp = (lane: { pipe: string }): boolean => lane.pipe.startsWith('warp ');
const runOf = (core: string): string => core.slice(0, -5); // "A " of what was before

interface Cluster {
  lanes: number[];
  signature: string;
  end: number;
}

// Hash of the work of a lane, whatever the time it took.
function laneHash(model: Model, lane: Lane): number {
  let hash = 17;
  for (let i = 0; i < lane.what.length; ++i) {
    const { kind } = model.data.what[lane.what[i]];
    if (kind === WORK || kind === SCALAR) hash = (Math.imul(hash, 31) + lane.what[i]) | 0;
  }
  return hash;
}

function clusters(model: Model): Cluster[] {
  const found = new Map<string, Cluster>();
  model.lanes.forEach((lane, index) => {
    if (isWarp(lane)) return;
    const key = lane.core === processorsCore ? lane.core : `${runOf(lane.core)}${clusterOf(lane.core)}`;
    if (!found.has(key)) found.set(key, { lanes: [], signature: runOf(lane.core), end: 0 });
    const cluster = found.get(key)!;
    cluster.lanes.push(index);
    // An AIV is the first or the second of its cluster.
    const part = lane.core.includes('AIC') ? 'C' : Number(lane.core.slice(-2)) % 2;
    cluster.signature += ` ${part}${lane.pipe}${lane.pipe === 'S' ? '' : laneHash(model, lane)}`;
    cluster.end = Math.max(cluster.end, lane.end[lane.end.length - 1] ?? 0);
  });
  return [...found.values()];
}

export function foldedRows(model: Model): Row[] {
  const groups = new Map<string, Cluster[]>();
  for (const cluster of clusters(model)) groups.set(cluster.signature, [...(groups.get(cluster.signature) ?? []), cluster]);
  const rows: Row[] = [];
  for (const group of groups.values()) {
    const last = group.reduce((a, b) => (b.end > a.end ? b : a));
    last.lanes.forEach((lane, i) => {
      const { name } = model.lanes[lane];
      rows.push({ label: group.length > 1 ? `${name} \u00d7${group.length}` : name, lane, lanes: group.map((cluster) => cluster.lanes[i]) });
    });
  }
  return rows;
}

export function rowsOf(model: Model, cores: Set<string>, warps: boolean): Row[] {
  const rows: Row[] = [];
  model.lanes.forEach((lane, i) => cores.has(lane.core) && (warps || !isWarp(lane)) && rows.push({ label: lane.name, lane: i, lanes: [i] }));
  // Lanes of the earlier run come under the lanes of the new one.
  if (!model.data.comparison) return rows;
  const order = (row: Row): string => {
    const { core, pipe } = model.lanes[row.lane];
    return `${core.slice(-5)} ${pipes.indexOf(pipe)} ${core.startsWith('A ') ? 1 : 0}`;
  };
  return rows.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

// For a row of several lanes: the earliest begin and the latest end of its k-th work on any of
// them.
export interface Spread {
  ordinal: Uint32Array; // of each slice of the lane that is drawn, k
  begin: Float64Array;
  end: Float64Array;
}
export function spreadOf(model: Model, row: Row): Spread {
  const drawn = model.lanes[row.lane];
  const ordinal = new Uint32Array(drawn.what.length);
  let count = 0;
  for (let i = 0; i < ordinal.length; ++i) ordinal[i] = model.data.what[drawn.what[i]].kind === WORK ? count++ : count;
  const begin = new Float64Array(count).fill(Infinity);
  const end = new Float64Array(count);
  for (const index of row.lanes) {
    const lane = model.lanes[index];
    for (let i = 0, k = 0; i < lane.what.length && k < count; ++i) {
      if (model.data.what[lane.what[i]].kind !== WORK) continue;
      begin[k] = Math.min(begin[k], lane.begin[i]);
      end[k] = Math.max(end[k], lane.end[i]);
      ++k;
    }
  }
  return { ordinal, begin, end };
}
