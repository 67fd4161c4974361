import { ApiError } from '../../contract/errors.js';

/** A range of IPv4 addresses: the first as a number, and the length of its prefix in bits. */
export interface Cidr {
  readonly base: number;
  readonly bits: number;
}

/** Reads `a.b.c.d/n` or a single address. Throws `invalid_request` for anything else. */
export function parseCidr(text: string): Cidr {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/.exec(text);
  const octets = match?.slice(1, 5).map(Number) ?? [];
  const bits = Number(match?.[5] ?? 32);
  if (!match || octets.some((octet) => octet > 255) || bits > 32) {
    const message = `${JSON.stringify(text)} is not an IPv4 network; write it like 192.168.1.0/24.`;
    throw new ApiError('invalid_request', message);
  }
  const address = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  return { base: address - (address % size(bits)), bits };
}

export function formatCidr({ base, bits }: Cidr): string {
  const octets = [24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256);
  return `${octets.join('.')}/${bits}`;
}

export function overlap(one: Cidr, other: Cidr): boolean {
  return one.base < other.base + size(other.bits) && other.base < one.base + size(one.bits);
}

/** Number of addresses in a network with that prefix. */
export function size(bits: number): number {
  return 2 ** (32 - bits);
}
