// Search by name, operands, line, core and pipe together. Matches are counted by lane, so that
// stepping through them needs no list of all.
import type { Model, Slot } from './model';
import { lowerBound } from './model';

export class Search {
  private texts?: string[]; // of each `what`
  readonly before: Uint32Array[]; // by lane and slice: the matches before it
  readonly count: number;

  constructor(private model: Model, text: string, texts?: string[]) {
    this.texts = texts ?? Search.textsOf(model);
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    // Words that a lane's name has need not be in the slice's.
    const matching = new Map<string, Uint8Array>();
    this.before = model.lanes.map((lane) => {
      const name = lane.name.toLowerCase();
      const rest = words.filter((word) => !name.split(' ').some((part) => part.startsWith(word)));
      const key = rest.join(' ');
      if (!matching.has(key)) matching.set(key, Uint8Array.from(this.texts!, (t) => (rest.every((word) => t.includes(word)) ? 1 : 0)));
      const matches = matching.get(key)!;
      const before = new Uint32Array(lane.what.length + 1);
      for (let i = 0; i < lane.what.length; ++i) before[i + 1] = before[i] + matches[lane.what[i]];
      return before;
    });
    this.count = this.before.reduce((sum, list) => sum + list[list.length - 1], 0);
  }
  static textsOf(model: Model): string[] {
    return model.data.what.map((what) => `${what.name} ${what.operands ?? ''} ${what.line ?? ''}`.toLowerCase());
  }

  has(lane: number, first: number, end = first + 1): boolean {
    return this.before[lane][end] > this.before[lane][first];
  }

  // The next match after `from` in order of time, then of lanes; around at the end.
  step(from: Slot | null, by: 1 | -1): Slot | null {
    if (!this.count) return null;
    const at = from ? this.model.lanes[from.lane].begin[from.slice] : by > 0 ? -1 : Infinity;
    let best: Slot | null = null;
    const earlier = (a: Slot, b: Slot): boolean => {
      const x = this.model.lanes[a.lane].begin[a.slice];
      const y = this.model.lanes[b.lane].begin[b.slice];
      return x !== y ? x < y : a.lane !== b.lane ? a.lane < b.lane : a.slice < b.slice;
    };
    this.before.forEach((before, index) => {
      const lane = this.model.lanes[index];
      // Matches of this lane are numbered 1 to the last of `before`; slice i has before[i + 1].
      let rank: number;
      if (by > 0) {
        let first = lowerBound(lane.begin, at);
        while (from && first < lane.begin.length && lane.begin[first] === at && !earlier(from, { lane: index, slice: first })) ++first;
        rank = before[first] + 1;
      } else {
        let end = lowerBound(lane.begin, at);
        while (from && end < lane.begin.length && lane.begin[end] === at && earlier({ lane: index, slice: end }, from)) ++end;
        rank = before[end];
      }
      if (rank < 1 || rank > before[before.length - 1]) return;
      const slot = { lane: index, slice: lowerBound(before, rank) - 1 };
      if (!best || (by > 0 ? earlier(slot, best) : earlier(best, slot))) best = slot;
    });
    return best ?? (from ? this.step(null, by) : null);
  }

  // Number of results up to and including this one, in order of time and lanes.
  rank(of: Slot): number {
    const at = this.model.lanes[of.lane].begin[of.slice];
    return this.before.reduce((sum, before, index) => {
      const lane = this.model.lanes[index];
      const end = index === of.lane ? of.slice + 1 : lowerBound(lane.begin, index < of.lane ? at + 0.5 : at);
      return sum + before[end];
    }, 0);
  }
}
