import { createHash } from 'node:crypto';

/** The network of the machines: the same on every member, each with a bridge and a gateway. */
export interface Subnet {
  /** Address of the gateway as a number. */
  readonly gateway: number;
  /** Length of the prefix. */
  readonly prefix: number;
}

/** Reads `10.150.0.1/16`; undefined if it is none. */
export function parseSubnet(text: string): Subnet | undefined {
  const [, a, b, c, d, prefix] =
    /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  const bytes = [a, b, c, d].map((byte) => byte ?? 256);
  if (bytes.some((byte) => byte > 255) || prefix === undefined || prefix < 8 || prefix > 29) {
    return undefined;
  }
  return { gateway: bytes.reduce((sum, byte) => sum * 256 + byte, 0), prefix };
}

/** An address in the subnet for a machine, not in `taken`; the same one each time if it is free. */
export function chooseAddress(
  subnet: Subnet,
  id: string,
  taken: ReadonlySet<string>,
  attempt: number,
): string {
  const size = 2 ** (32 - subnet.prefix);
  const first = Math.floor(subnet.gateway / size) * size;
  const start = createHash('sha256').update(`${id} ${attempt}`).digest().readUInt32BE();
  for (let step = 0; step < size; step++) {
    const offset = (start + step) % size;
    const address = first + offset;
    // The first is the network's, the last is for broadcasts.
    if (offset === 0 || offset === size - 1 || address === subnet.gateway) continue;
    const text = formatAddress(address);
    if (!taken.has(text)) return text;
  }
  throw new Error('no address of the cluster network is free');
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}
