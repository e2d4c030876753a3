// What traces/write/html.cpp writes into the page, and the lanes unpacked from it.

export type Kind = 'work' | 'wait' | 'sync' | 'scalar';
export const kinds: Kind[] = ['work', 'wait', 'sync', 'scalar'];

export interface What {
  name: string;
  kind: number; // index into kinds
  operands?: string;
  line?: string;
  for?: string; // of a wait
  set?: string; // of a wait: where that is set
  open?: boolean; // of a wait: it was never released
}

export interface PackedLane {
  core: string;
  pipe: string;
  // One number per slice: begin since the last one's begin, length, index into what, sequence
  // number, cycles from issue to begin, cycles from begin to completion.
  begin: number[];
  length: number[];
  what: number[];
  sequence: number[];
  issue: number[];
  complete: number[];
}

export interface CostLine {
  name: string;
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

export interface Data {
  what: What[];
  lanes: PackedLane[];
  sources: { name: string; text: string; path?: string }[];
  series: Series[];
  report: {
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
    cores: { lane: string; util: number; pipes: Record<string, Record<string, number>> }[];
    roofline: {
      cube_operations: number;
      vector_elements: number;
      read_bytes: number;
      written_bytes: number;
      peak_per_second: number;
      peak_of: string;
      bandwidth_per_second: number;
      bound: string;
    };
    critical_path: { spent: Record<string, number>; steps: PathStep[] };
    advice: Advice[];
    savings: { change: string; cycles: number }[];
    buffers: { memory: string; capacity: number; high_water: number; live: number; lane: string }[];
    findings: { code: string; message: string; file: string; line: number }[];
  };
}

export interface Lane {
  core: string;
  pipe: string;
  name: string;
  begin: Float64Array;
  end: Float64Array;
  packed: PackedLane;
}

export interface Place {
  lane: number; // index into Model.lanes
  slice: number;
}

export class Model {
  readonly lanes: Lane[];
  readonly cores: string[];
  readonly begin: number;
  readonly end: number;

  constructor(readonly data: Data) {
    this.lanes = data.lanes.map((packed) => {
      const n = packed.begin.length;
      const begin = new Float64Array(n);
      const end = new Float64Array(n);
      let at = 0;
      for (let i = 0; i < n; ++i) {
        at += packed.begin[i];
        begin[i] = at;
        end[i] = at + packed.length[i];
      }
      return { core: packed.core, pipe: packed.pipe, name: `${packed.core} ${packed.pipe}`, begin, end, packed };
    });
    this.cores = [...new Set(this.lanes.map((lane) => lane.core))];
    this.begin = data.report.begin;
    this.end = data.report.begin + data.report.cycles;
  }

  what(place: Place): What {
    return this.data.what[this.lanes[place.lane].packed.what[place.slice]];
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

  // What held the pipe since the work before: its own waits and those of flags and barriers.
  waitsBefore(place: Place): Place[] {
    const lane = this.lanes[place.lane];
    const found: Place[] = [];
    for (let i = place.slice - 1; i >= 0; --i) {
      const kind = kinds[this.data.what[lane.packed.what[i]].kind];
      if (kind === 'work' || kind === 'scalar') break;
      if (kind === 'wait') found.push({ lane: place.lane, slice: i });
    }
    return found.reverse();
  }

  // The last slice of a line that begins before `time`, on any lane: of a wait, what set its flag.
  lastOf(line: string, time: number): Place | null {
    const of = new Set<number>();
    this.data.what.forEach((what, i) => what.line === line && kinds[what.kind] !== 'wait' && of.add(i));
    let found: Place | null = null;
    let latest = -1;
    this.lanes.forEach((lane, index) => {
      for (let i = Math.min(this.firstAfter(lane, time), lane.begin.length - 1); i >= 0; --i) {
        if (lane.begin[i] > time || !of.has(lane.packed.what[i])) continue;
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
  ofStep(step: PathStep): Place | null {
    const index = this.lanes.findIndex((lane) => lane.core === step.lane && lane.pipe === step.pipe);
    if (index < 0) return null;
    const lane = this.lanes[index];
    const slice = Math.min(this.firstAfter(lane, step.begin), lane.begin.length - 1);
    return slice < 0 ? null : { lane: index, slice };
  }

  micros(cycles: number): string {
    const hz = this.data.report.clock_hz || 1e9;
    return `${((cycles / hz) * 1e6).toFixed(3)} us`;
  }
}
