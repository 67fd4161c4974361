import { type FileHandle, open } from 'node:fs/promises';
import { execa } from 'execa';
import type { GuestMemory } from './guest-memory.js';
import { changedPages, ENTRY_BYTES, PAGE_BYTES, type PageRun } from './pagemap.js';

const COPY_MS = 300_000;
/** Pages whose entries are read at once. */
const SECTION_PAGES = 4096;
const MAX_CHUNK_BYTES = 1 << 20;
/** Sections that are copied at the same time; Node.js has four threads for files. */
const AT_ONCE = 4;

/**
 * Creates the file `path` with what the guest's memory was when QEMU mapped it. The file that QEMU
 * has mapped does not change, so this needs no pause.
 */
export async function copyBase(
  { base, mapping }: Pick<GuestMemory, 'base' | 'mapping'>,
  path: string,
  signal: AbortSignal | undefined,
): Promise<FileHandle> {
  // Empty and new: nobody else can have it open.
  const file = await open(path, 'wx+', 0o600);
  try {
    await file.truncate(mapping.end - mapping.start);
    if (base !== undefined) {
      const argv = ['--sparse=auto', '--reflink=auto', '--no-preserve=all', '--', base, path];
      await execa('cp', argv, { timeout: COPY_MS, ...(signal && { cancelSignal: signal }) });
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Copies the pages that the guest has changed into `target`, which holds the others. The guest must
 * be paused, and QEMU must not change its memory either. Returns the number of bytes.
 */
export async function copyChangedPages(memory: GuestMemory, target: FileHandle): Promise<number> {
  const { mapping } = memory;
  const pages = (mapping.end - mapping.start) / PAGE_BYTES;
  let next = 0;
  let copied = 0;
  const copySections = async () => {
    const buffer = Buffer.allocUnsafe(MAX_CHUNK_BYTES);
    const entries = Buffer.allocUnsafe(SECTION_PAGES * ENTRY_BYTES);
    while (next < pages) {
      const first = next;
      const count = Math.min(SECTION_PAGES, pages - first);
      next += count;
      const position = (mapping.start / PAGE_BYTES + first) * ENTRY_BYTES;
      const part = entries.subarray(0, count * ENTRY_BYTES);
      await readFully(memory.pagemap, part, position);
      for (const { from, to } of changedPages(part)) {
        copied += await copyRun(memory, target, { from: first + from, to: first + to }, buffer);
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, copySections));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  return copied;
}

async function copyRun(
  { content, mapping }: GuestMemory,
  target: FileHandle,
  { from, to }: PageRun,
  buffer: Buffer,
): Promise<number> {
  const end = to * PAGE_BYTES;
  for (let at = from * PAGE_BYTES; at < end; at += buffer.length) {
    const part = buffer.subarray(0, Math.min(buffer.length, end - at));
    await readFully(content, part, mapping.start + at);
    for (let done = 0; done < part.length; ) {
      const { bytesWritten } = await target.write(part, done, part.length - done, at + done);
      done += bytesWritten;
    }
  }
  return end - from * PAGE_BYTES;
}

async function readFully(file: FileHandle, part: Buffer, position: number): Promise<void> {
  for (let done = 0; done < part.length; ) {
    const { bytesRead } = await file.read(part, done, part.length - done, position + done);
    if (bytesRead === 0) throw new Error('QEMU has ended');
    done += bytesRead;
  }
}
