/** The page size of the guest, and of the host on the architectures that this works on. */
export const PAGE_BYTES = 4096;
/** An entry of /proc/PID/pagemap has two words, the lower half first. */
export const ENTRY_WORDS = 2;

/** Bits of an entry's upper half, see proc_pid_pagemap(5). */
const PRESENT = 1 << 31;
const SWAPPED = 1 << 30;
const OF_FILE = 1 << 29;

/** Pages `from` up to `to`. */
export interface PageRun {
  readonly from: number;
  readonly to: number;
}

/** Runs at most this many pages apart are joined: that is faster than one more call. */
const JOINED_PAGES = 8;

/**
 * The pages of a private mapping that the process has changed, so that they are no longer its
 * file's: present and not of a file, or swapped out. May contain other pages, too.
 *
 * @param entries from /proc/PID/pagemap, on a host with x86 or ARM processors
 */
export function changedPages(entries: Uint32Array): PageRun[] {
  const runs: PageRun[] = [];
  let from = -1;
  let to = -1;
  for (let word = 1; word < entries.length; word += ENTRY_WORDS) {
    const flags = entries[word] ?? 0;
    if (flags === 0 || !isChanged(flags)) continue;
    const page = (word - 1) / ENTRY_WORDS;
    if (from === -1) from = page;
    else if (page > to + JOINED_PAGES) {
      runs.push({ from, to });
      from = page;
    }
    to = page + 1;
  }
  if (from !== -1) runs.push({ from, to });
  return runs;
}

function isChanged(flags: number): boolean {
  if (flags & SWAPPED) return true;
  return (flags & PRESENT) !== 0 && (flags & OF_FILE) === 0;
}
