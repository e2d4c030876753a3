// Data that traces/write/html.cpp writes into the page.

export type Kind = 'work' | 'wait' | 'sync' | 'scalar';
export const kinds: Kind[] = ['work', 'wait', 'sync', 'scalar'];
export const WORK = 0, WAIT = 1, SYNC = 2, SCALAR = 3;

// memory, first byte, bytes, roles (1: read, 2: written)
export type Tile = [string, number, number, number];
export const READ = 1, WRITTEN = 2;

export interface What {
  name: string;
  kind: number; // index into kinds
  operands?: string;
  line?: string;
  for?: string; // of a wait
  set?: string; // of a wait: where that is set
  open?: boolean; // of a wait: it was never released
  tiles?: Tile[]; // on chip
}

// A lane, with one number per slice: `what` is an index into Data.what, `issue` the cycles from the
// issue to the begin, `complete` the cycles from the begin to the completion.
export interface PackedLane {
  core: string;
  pipe: string;
  begin: Float64Array;
  end: Float64Array;
  what: Uint32Array;
  sequence: Uint32Array;
  issue: Uint32Array;
  complete: Uint32Array;
}

// The flags from one lane to another with one number, in the order of their sets. `sequence` holds
// the sequence numbers of the set and of the wait.
export interface Flags {
  from: number; // lane
  to: number;
  id: number;
  cross: boolean;
  set: Float64Array;
  taken: Float64Array;
  setSequence: Uint32Array;
  waitSequence: Uint32Array;
  dependency?: boolean; // between tasks of a program (tasks.ts)
}

export interface CostLine {
  name: string;
  origin?: string; // the line of another program that this one was made from
  source?: string;
  pipe?: string;
  instructions: number;
  busy: number;
  wait: number;
  critical: number;
  bytes: number;
}

export interface Series {
  name: string;
  unit: string;
  core: string;
  limit: number;
  points: [number, number][];
}

export interface PathStep {
  begin: number;
  end: number;
  spent: string;
  lane?: string;
  pipe?: string;
  instruction?: string;
  line?: string;
}

export interface Advice {
  kind: string;
  what: string;
  file?: string;
  line?: number;
  source?: string;
  saves_cycles?: number;
  estimate?: string;
  why?: string;
}

export interface Roofline {
  cube_operations: number;
  vector_elements: number;
  read_bytes: number;
  written_bytes: number;
  hbm_bytes: number;
  peak_per_second: number;
  peak_of: string;
  bandwidth_per_second: number;
  hbm_per_second: number;
  bound: string;
}

export interface Change {
  what: string;
  a: number;
  b: number;
}

// Only in a page that compares two runs: `lanes` holds the lanes of the new run (B), then the lanes
// of the earlier one (A), whose cores are called "A AIC00".
export interface Comparison {
  cycles: { a: number; b: number };
  instructions: { a: number; b: number };
  bottleneck: { a: string; b: string };
  pipes: Change[];
  lines: Change[];
  outputs: string[];
  findings: string[];
  notes: string[];
}

// An output that differs from its golden: who wrote the first element that does.
export interface Mismatch {
  parameter: number;
  text: string;
  expected: string;
  lane?: string; // the core
  sequence?: number;
  row?: number; // in the tile that it stored
  column?: number;
}

// core, sequence number, operand, role (1: read, 2: written), memory, address, tile (-1: not kept),
// NaNs, infinities, least, most
export type KeptOperand = [number, number, number, number, number, number, number, number, number, number, number];
export interface Kept {
  cores: string[];
  spaces: string[];
  tiles: [string, number, number, boolean][]; // type, rows, columns, whether the page has the values
  decoded: Record<string, (number | string)[]>; // of the encodings of small floats
  operands: KeptOperand[];
}

export interface Report {
  bottleneck: string;
  assumed: string[];
  chip: string;
  kernel: string;
  clock_hz: number;
  begin: number;
  cycles: number;
  time_us: number;
  instructions: number;
  ended_early: boolean;
  gaps: string[];
  lines: CostLine[];
  by_instruction: CostLine[];
  by_call?: CostLine[];  // of kernels that call a library
  cores: { lane: string; util: number; pipes: Record<string, Record<string, number>> }[];
  roofline: Roofline;
  critical_path: { spent: Record<string, number>; steps: PathStep[] };
  advice: Advice[];
  savings: { change: string; cycles: number }[];
  buffers: { memory: string; capacity: number; high_water: number; live: number; lane: string }[];
  findings: { code: string; message: string; file: string; line: number }[];
  mismatches?: Mismatch[];
  time_basis?: { of: string; shares: Record<string, number>; range_percent?: number };
  deadlock?: { waiter: string; holder: string; what: string; file: string; line: number; in_cycle: boolean }[];
}

export interface Data {
  lanes: { core: string; pipe: string; slices: number }[];
  flags: { from: number; to: number; id: number; cross: boolean; count: number }[];
  what: What[];
  sources: { name: string; text: string; path?: string }[];
  series: Series[];
  report: Report;
  comparison?: Comparison;
  kept?: Kept;
  taskNames?: string[];
}
