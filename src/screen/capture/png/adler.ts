/** The largest prime below 2^16. */
const BASE = 65_521;

/** Adler-32 of nothing. */
export const ADLER_START = 1;

/** Adler-32 of two pieces of data in a row, from that of each and the length of the second. */
export function combineAdler(first: number, second: number, secondBytes: number): number {
  const length = secondBytes % BASE;
  const low = first & 0xffff;
  const a = (low + (second & 0xffff) + BASE - 1) % BASE;
  const b = (length * low + (first >>> 16) + (second >>> 16) + BASE - length) % BASE;
  return b * 0x10000 + a;
}
