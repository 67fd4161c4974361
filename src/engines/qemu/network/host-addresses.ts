import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';

/** Every IPv4 address that is this host's own, in order, however it came by it. */
export async function hostAddresses(): Promise<string[]> {
  const table = await readFile('/proc/net/fib_trie', 'utf8').catch(() => undefined);
  const found = table === undefined ? fromInterfaces() : localRoutes(table);
  return [...new Set(found)].sort();
}

/** Networks that lead to the host itself, of the kernel's routing table in its text form. */
export function localRoutes(table: string): string[] {
  const found: string[] = [];
  let address = '';
  for (const line of table.split('\n')) {
    address = /(?:\|--|\+--) (\d+\.\d+\.\d+\.\d+)/.exec(line)?.[1] ?? address;
    const bits = /\/(\d+) \S+ LOCAL\b/.exec(line)?.[1];
    if (bits !== undefined && Number(bits) > 0) found.push(`${address}/${bits}`);
  }
  return found;
}

function fromInterfaces(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ family }) => family === 'IPv4')
    .map(({ address }) => `${address}/32`);
}
