import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { TimeSlice } from '../../../../../lib/async/time-slice.js';
import type { GuestMemory } from './guest-memory.js';
import { changedPages, ENTRY_WORDS, PAGE_BYTES, type PageRun } from './pagemap.js';

/** Pages whose entries are read at once. */
const SECTION_PAGES = 8192;
const CHUNK_BYTES = 256 << 10;
/** Other work of the service waits at most about this long. */
const SLICE_MS = 4;
const ENTRY_BYTES = ENTRY_WORDS * Uint32Array.BYTES_PER_ELEMENT;

type Memory = Pick<GuestMemory, 'mapping' | 'content' | 'pagemap'>;

/**
 * Calls `write` with all memory that the guest has changed since QEMU mapped it: whole pages, from
 * the byte `at` of its memory on, valid until the promise settles. The guest must be paused, and QEMU
 * must not change its memory either.
 *
 * There are thousands of short runs. Each asynchronous read would take ten times as long.
 */
export async function readChanged(
  memory: Memory,
  write: (at: number, pages: Buffer) => Promise<void>,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const slice = new TimeSlice(SLICE_MS);
  for await (const run of changedRuns(memory, slice)) {
    const end = run.to * PAGE_BYTES;
    for (let at = run.from * PAGE_BYTES; at < end; at += buffer.length) {
      const part = buffer.subarray(0, Math.min(buffer.length, end - at));
      readFully(memory.content, part, memory.mapping.start + at);
      await write(at, part);
      if (slice.isOver) await slice.next();
    }
  }
}

/** How many bytes the guest has changed by now. */
export async function changedBytes(memory: Memory): Promise<number> {
  let bytes = 0;
  for await (const { from, to } of changedRuns(memory, new TimeSlice(SLICE_MS))) {
    bytes += (to - from) * PAGE_BYTES;
  }
  return bytes;
}

async function* changedRuns(
  { mapping, pagemap }: Memory,
  slice: TimeSlice,
): AsyncGenerator<PageRun> {
  const pages = (mapping.end - mapping.start) / PAGE_BYTES;
  const words = new Uint32Array(SECTION_PAGES * ENTRY_WORDS);
  for (let first = 0; first < pages; first += SECTION_PAGES) {
    const count = Math.min(SECTION_PAGES, pages - first);
    const entries = words.subarray(0, count * ENTRY_WORDS);
    const bytes = Buffer.from(entries.buffer, 0, count * ENTRY_BYTES);
    readFully(pagemap, bytes, (mapping.start / PAGE_BYTES + first) * ENTRY_BYTES);
    for (const { from, to } of changedPages(entries)) yield { from: first + from, to: first + to };
    if (slice.isOver) await slice.next();
  }
}

function readFully(file: FileHandle, part: Buffer, position: number): void {
  for (let done = 0; done < part.length; ) {
    const bytes = readSync(file.fd, part, done, part.length - done, position + done);
    if (bytes === 0) throw new Error('QEMU has ended');
    done += bytes;
  }
}
