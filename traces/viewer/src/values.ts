// Values that instructions read from tiles and wrote to them (--keep-data,
// traces/write/page_data.h).
import type { Kept, KeptOperand } from './data';
import { inflated } from './unpack';

// A value as it is shown: JSON has no word for values that are not numbers.
export type Value = number | bigint;

export interface Shown {
  operand: KeptOperand;
  space: string;
  type: string;
  rows: number;
  columns: number;
  there: boolean; // the page has its values
}

const bytesOf: Record<string, number> = { f32: 4, tf32: 4, hf32: 4, i32: 4, u32: 4, f16: 2, bf16: 2, i16: 2, u16: 2, i64: 8, u64: 8 };
const width = (type: string): number => bytesOf[type] ?? 1;

const scratch = new DataView(new ArrayBuffer(4));
function float32(bits: number): number {
  scratch.setUint32(0, bits);
  return scratch.getFloat32(0);
}
function float16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

export class Values {
  private offsets: number[] = [];
  private byInstruction = new Map<string, KeptOperand[]>();
  private bytes?: DataView;

  constructor(private kept: Kept) {
    let at = 0;
    for (const [type, rows, columns, there] of kept.tiles) {
      this.offsets.push(at);
      if (there) at += rows * columns * width(type);
    }
    for (const operand of kept.operands) {
      const key = `${kept.cores[operand[0]]} ${operand[1]}`;
      const list = this.byInstruction.get(key);
      if (list) list.push(operand);
      else this.byInstruction.set(key, [operand]);
    }
  }

  // The values are unpacked when they are first asked for.
  async load(): Promise<void> {
    const bytes = await inflated('values');
    this.bytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  of(core: string, sequence: number): Shown[] {
    return (this.byInstruction.get(`${core} ${sequence}`) ?? []).map((operand) => {
      const tile = this.kept.tiles[operand[6]];
      const [type, rows, columns, there] = tile ?? ['', 0, 0, false];
      return { operand, space: this.kept.spaces[operand[4]], type, rows, columns, there };
    });
  }

  value(shown: Shown, row: number, column: number): Value {
    const { type, columns, operand } = shown;
    const view = this.bytes!;
    const at = this.offsets[operand[6]] + (row * columns + column) * width(type);
    switch (type) {
      case 'f32': return view.getFloat32(at, true);
      case 'tf32': return float32(view.getUint32(at, true) & 0xffffe000);
      case 'hf32': return float32(view.getUint32(at, true) & 0xfffff000);
      case 'bf16': return float32(view.getUint16(at, true) << 16);
      case 'f16': return float16(view.getUint16(at, true));
      case 'i32': return view.getInt32(at, true);
      case 'u32': return view.getUint32(at, true);
      case 'i16': return view.getInt16(at, true);
      case 'u16': return view.getUint16(at, true);
      case 'i8': return view.getInt8(at);
      case 'i64': return view.getBigInt64(at, true);
      case 'u64': return view.getBigUint64(at, true);
      case 'i4': return (view.getUint8(at) << 28) >> 28;
      default: {
        const byte = view.getUint8(at);
        const table = this.kept.decoded[type];
        return table ? Number(String(table[byte]).replace('inf', 'Infinity')) : byte;
      }
    }
  }
}

export function valueText(value: Value): string {
  if (typeof value === 'bigint') return value.toString();
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value) : String(Number(value.toPrecision(6)));
}
