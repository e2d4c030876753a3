// Producers of the tiles that an instruction reads, and readers of the tiles that it writes.
import type { Tile } from './data';
import { READ, WRITTEN } from './data';
import type { Model, Slot } from './model';

const farthest = 20000; // instructions of the core's program that are looked at
const mostReaders = 24;

export interface TileUse {
  tile: string; // "UB @0x400"
  slot: Slot;
}

function meet(a: Tile, b: Tile): boolean {
  return a[0] === b[0] && a[1] < b[1] + b[2] && b[1] < a[1] + a[2];
}
const text = (tile: Tile): string => `${tile[0]} @0x${tile[1].toString(16)}`;

export function tileUses(model: Model, slot: Slot): { producers: TileUse[]; consumers: TileUse[] } {
  const producers: TileUse[] = [];
  const consumers: TileUse[] = [];
  const own = model.what(slot).tiles ?? [];
  const program = own.length ? model.program(model.lanes[slot.lane].core) : [];
  const at = program.findIndex((other) => other.lane === slot.lane && other.slice === slot.slice);
  if (at < 0) return { producers, consumers };
  for (const tile of own) {
    if (tile[3] & READ)
      for (let i = at - 1; i >= 0 && at - i < farthest; --i) {
        const other = model.what(program[i]).tiles?.find((t) => t[3] & WRITTEN && meet(t, tile));
        if (!other) continue;
        producers.push({ tile: text(tile), slot: program[i] });
        break;
      }
    if (tile[3] & WRITTEN)
      for (let i = at + 1; i < program.length && i - at < farthest && consumers.length < mostReaders; ++i) {
        const others = (model.what(program[i]).tiles ?? []).filter((t) => meet(t, tile));
        if (others.some((t) => t[3] & READ)) consumers.push({ tile: text(tile), slot: program[i] });
        if (others.some((t) => t[3] & WRITTEN)) break; // anew
      }
  }
  return { producers, consumers };
}
