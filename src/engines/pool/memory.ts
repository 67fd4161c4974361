import { readFile } from 'node:fs/promises';
import { freemem } from 'node:os';

/** Bytes of memory available to new programs. */
export async function availableMemory(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kib = /^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1];
  return kib === undefined ? freemem() : Number(kib) * 1024;
}
