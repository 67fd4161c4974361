import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';

/** All local IPv4 addresses and networks of this host, sorted, in CIDR notation. */
export async function hostAddresses(): Promise<string[]> {
  const table = await readFile('/proc/net/fib_trie', 'utf8').catch(() => undefined);
  const found = table === undefined ? fromInterfaces() : localRoutes(table);
  return [...new Set(found)].sort();
}

/** The local routes in the text of /proc/net/fib_trie. */
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
