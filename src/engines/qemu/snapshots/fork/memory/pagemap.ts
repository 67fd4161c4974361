/** The kernel's page size on the architectures that QEMU runs on here, and the guest's. */
export const PAGE_BYTES = 4096;
/** Bytes of an entry of /proc/PID/pagemap. */
export const ENTRY_BYTES = 8;

/** Bits of an entry's upper half, see proc_pid_pagemap(5). */
const PRESENT = 1 << 31;
const SWAPPED = 1 << 30;
const OF_FILE = 1 << 29;

/** Pages `from` up to `to`. */
export interface PageRun {
  readonly from: number;
  readonly to: number;
}

/** Runs at most this many pages apart are joined: reading a few pages more is faster than one more call. */
const JOINED_PAGES = 8;

/**
 * The pages of a private mapping that the process has changed, so that they are no longer its
 * file's: present and not of a file, or swapped out. May contain other pages, too.
 *
 * @param entries from /proc/PID/pagemap, in the byte order of x86 and ARM
 */
export function changedPages(entries: Uint8Array): PageRun[] {
  const runs: PageRun[] = [];
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
  let from = -1;
  let to = -1;
  for (let page = 0; page * ENTRY_BYTES < entries.byteLength; page++) {
    const flags = view.getUint32(page * ENTRY_BYTES + ENTRY_BYTES / 2, true);
    if (!isChanged(flags)) continue;
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
