import { randomInt } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';

/** From `first` to the id before `end`. */
export interface IdRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Ids of the users on the host that machines run as: one per machine, so that the kernel shares no
 * limit per user between machines, or with a user of the host. No user is added to the host. The
 * engines' ranges do not overlap.
 *
 * All are above the ranges of distributions (0 to 65,535), of containers and subordinate ids
 * (100,000 to 1,879,048,191) and of dynamic directory mappings (200,000 to 2,000,200,000), and below
 * systemd's foreign ids (2,147,352,576).
 */
export const USER_IDS = {
  docker: { first: 2_010_000_000, end: 2_100_000_000 },
  qemu: { first: 2_100_000_000, end: 2_147_000_000 },
  /** Of the files in QEMU's volumes, and of the programs that serve them: the guest's ids follow the first. */
  volumes: { first: 2_147_000_000, end: 2_147_065_536 },
} as const satisfies Record<string, IdRange>;

/** Ids that this process has allocated, some of which are not recorded anywhere else yet. */
const recent = new Set<number>();
const MAX_RECENT = 4096;
const MAX_ATTEMPTS = 10_000;

export function isIn({ first, end }: IdRange, id: number): boolean {
  return id >= first && id < end;
}

/** An id that is not taken. It is random, so that two services on one host get different ones. */
export function allocateId(range: IdRange, isTaken: (id: number) => boolean): number {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const id = randomInt(range.first, range.end);
    if (isTaken(id) || recent.has(id)) continue;
    recent.add(id);
    const [oldest] = recent;
    if (oldest !== undefined && recent.size > MAX_RECENT) recent.delete(oldest);
    return id;
  }
  throw new Error(`no user id from ${range.first} to ${range.end - 1} is free`);
}

/** Whether a user or a process of this host has an id. */
export async function idsOfHost(): Promise<(id: number) => boolean> {
  const [users, processes] = await Promise.all([usersOfHost(), processOwners()]);
  const taken = new Set([...users, ...processes]);
  return (id) => taken.has(id);
}

async function usersOfHost(): Promise<number[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').map((line) => Number(line.split(':')[2]));
}

/** Empty where there is no /proc. */
async function processOwners(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const owners = names
    .filter((name) => /^\d+$/.test(name))
    // The process may have ended.
    .map((name) => stat(`/proc/${name}`).catch(() => undefined));
  return (await Promise.all(owners)).flatMap((stats) => (stats === undefined ? [] : [stats.uid]));
}
