/** A range of IPv4 addresses: the first as a number, and the length of its prefix in bits. */
export interface Cidr {
  readonly base: number;
  readonly bits: number;
}

/** Reads `a.b.c.d/n` or a single address. Throws a TypeError for anything else. */
export function parseCidr(text: string): Cidr {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/.exec(text);
  const octets = match?.slice(1, 5).map(Number) ?? [];
  const bits = Number(match?.[5] ?? 32);
  if (!match || octets.some((octet) => octet > 255) || bits > 32) {
    throw new TypeError(`${JSON.stringify(text)} is not an IPv4 network like 192.168.1.0/24.`);
  }
  const address = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  return { base: address - (address % size(bits)), bits };
}

export function formatCidr({ base, bits }: Cidr): string {
  const octets = [24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256);
  return `${octets.join('.')}/${bits}`;
}

/** The same networks without those that another one contains. */
export function withoutContained(networks: readonly string[]): string[] {
  const ranges = networks.map(parseCidr).sort((one, other) => one.bits - other.bits);
  return ranges
    .filter((range, index) => !ranges.slice(0, index).some((wider) => overlap(wider, range)))
    .map(formatCidr);
}

/** True when one of the networks is all of IPv4. */
export function includesEverything(networks: readonly string[]): boolean {
  return networks.some((network) => parseCidr(network).bits === 0);
}

/** Those that name a single address, or all of IPv4. */
export function hostNetworks(networks: readonly string[]): string[] {
  return networks.filter((network) => [0, 32].includes(parseCidr(network).bits));
}

export function overlap(one: Cidr, other: Cidr): boolean {
  return one.base < other.base + size(other.bits) && other.base < one.base + size(one.bits);
}

/** Number of addresses in a network with that prefix. */
export function size(bits: number): number {
  return 2 ** (32 - bits);
}
