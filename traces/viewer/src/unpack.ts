// The slices and flags of the page: deflated columns of numbers of seven bits a byte, lowest first
// (Columns in traces/write/html.cpp), in base64.
import type { Data, Flags, PackedLane } from './data';

class Reader {
  private at = 0;
  constructor(private bytes: Uint8Array) {}

  // Multiplies where shifts would lose bits.
  private number(): number {
    let byte = this.bytes[this.at++];
    let value = byte & 127;
    let shift = 7;
    let scale = 128;
    while (byte & 128) {
      byte = this.bytes[this.at++];
      if (shift < 28) value |= (byte & 127) << shift;
      else value += (byte & 127) * scale;
      shift += 7;
      scale *= 128;
    }
    return value;
  }
  private signed(): number {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
  // Each is the one before and a step, which may go back.
  steps<T extends Float64Array | Uint32Array>(to: T): T {
    let last = 0;
    for (let i = 0; i < to.length; ++i) to[i] = last += this.signed();
    return to;
  }
  plain<T extends Float64Array | Uint32Array>(to: T): T {
    for (let i = 0; i < to.length; ++i) to[i] = this.number();
    return to;
  }
}

export async function inflated(id: string): Promise<Uint8Array> {
  const text = atob(document.getElementById(id)!.textContent!.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function lane(reader: Reader, of: Data['lanes'][number]): PackedLane {
  const n = of.slices;
  const begin = reader.steps(new Float64Array(n));
  const end = reader.plain(new Float64Array(n));
  for (let i = 0; i < n; ++i) end[i] += begin[i];
  return {
    core: of.core, pipe: of.pipe, begin, end,
    what: reader.plain(new Uint32Array(n)),
    sequence: reader.steps(new Uint32Array(n)),
    issue: reader.plain(new Uint32Array(n)),
    complete: reader.plain(new Uint32Array(n)),
  };
}

function flags(reader: Reader, of: Data['flags'][number]): Flags {
  const set = reader.steps(new Float64Array(of.count));
  const taken = reader.plain(new Float64Array(of.count));
  for (let i = 0; i < of.count; ++i) taken[i] += set[i];
  return {
    from: of.from, to: of.to, id: of.id, cross: of.cross, set, taken,
    setSequence: reader.steps(new Uint32Array(of.count)),
    waitSequence: reader.steps(new Uint32Array(of.count)),
  };
}

export async function load(): Promise<{ data: Data; lanes: PackedLane[]; flags: Flags[] }> {
  const columns = inflated('columns');
  const data = JSON.parse(document.getElementById('data')!.textContent!) as Data;
  const reader = new Reader(await columns);
  return { data, lanes: data.lanes.map((of) => lane(reader, of)), flags: data.flags.map((of) => flags(reader, of)) };
}
