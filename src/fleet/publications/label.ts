import { generateHostSecret } from '../computers/ids.js';

/** Longest label of a host name (RFC 1035). */
const LONGEST = 63;

/**
 * The first label of a publication's host name: `8000-desk-` and a random part. The name of the computer
 * is shortened, and what a label cannot have is left out.
 */
export function newLabel(port: number, computer: string): string {
  const secret = generateHostSecret();
  const word = computer.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const start = `${port}-${word.replaceAll(/[^a-z0-9]+/g, '-')}`.replaceAll(/-+/g, '-');
  return `${start.slice(0, LONGEST - secret.length - 1).replace(/-$/, '')}-${secret}`;
}
