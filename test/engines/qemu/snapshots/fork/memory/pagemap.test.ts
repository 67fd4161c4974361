import { describe, expect, it } from 'vitest';
import { changedPages } from '../../../../../../src/engines/qemu/snapshots/fork/memory/pagemap.js';

const PRESENT = 1n << 63n;
const SWAPPED = 1n << 62n;
const OF_FILE = 1n << 61n;

/** Entries of /proc/PID/pagemap: zero, but for the given pages. */
function pagemap(pages: number, entries: Readonly<Record<number, bigint>>): Uint32Array {
  const map = new BigUint64Array(pages);
  for (const [page, entry] of Object.entries(entries)) {
    // The lower bits are the frame's number and further flags.
    map[Number(page)] = entry | 0xffffn | (1n << 55n);
  }
  return new Uint32Array(map.buffer);
}

describe('the changed pages of a private mapping', () => {
  it('are those in memory that are no file page, and those that are swapped out', () => {
    const entries = { 1: PRESENT, 2: PRESENT | OF_FILE, 20: SWAPPED, 40: OF_FILE };
    expect(changedPages(pagemap(64, entries))).toEqual([
      { from: 1, to: 2 },
      { from: 20, to: 21 },
    ]);
  });

  it('are joined with neighbours, and over small gaps', () => {
    const entries = { 0: PRESENT, 1: PRESENT, 9: PRESENT, 30: PRESENT, 63: PRESENT };
    expect(changedPages(pagemap(64, entries))).toEqual([
      { from: 0, to: 10 },
      { from: 30, to: 31 },
      { from: 63, to: 64 },
    ]);
  });

  it('can be none or all', () => {
    expect(changedPages(pagemap(32, {}))).toEqual([]);
    const all = Object.fromEntries(Array.from({ length: 32 }, (_, page) => [page, PRESENT]));
    expect(changedPages(pagemap(32, all))).toEqual([{ from: 0, to: 32 }]);
  });
});
