import { call, query } from '../../api/http.js';
import type { AuditEntry, Lists } from '../../api/types.js';

/** Entries of one page. */
export const PAGE = 200;
/** Of the newest entries, so many are read again and again to follow them. */
export const FOLLOWED = 50;

const FILTERS = ['computer', 'action', 'key', 'outcome'] as const;
export type Filters = Readonly<Record<string, string>>;

interface Reading {
  /** Only entries before this id. */
  readonly before?: number | undefined;
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** The entries that match, newest first. */
export async function readEntries(
  filters: Filters,
  { before, limit = PAGE, signal }: Reading = {},
): Promise<AuditEntry[]> {
  const given = Object.fromEntries(FILTERS.map((name) => [name, filters[name]]));
  const path = `/audit${query({ limit, before, ...given })}`;
  return (await call<Lists['audit']>('GET', path, { signal })).entries;
}

/** Most entries of an answer. */
const MOST = 1_000;

/** All entries that match, in as many requests as it takes. */
export async function* readAll(filters: Filters): AsyncGenerator<AuditEntry[]> {
  let before: number | undefined;
  while (true) {
    const page = await readEntries(filters, { before, limit: MOST });
    yield page;
    if (page.length < MOST) return;
    before = page.at(-1)?.id;
  }
}

/** Who did it. */
export function keyOf({ key_name, key_id }: AuditEntry): string {
  return key_name ?? key_id;
}

/** When it ended, in milliseconds: the log is in this order. */
export function endMs({ at, ms }: AuditEntry): number {
  return Date.parse(at) + ms;
}

export function endOf(entry: AuditEntry): string {
  return new Date(endMs(entry)).toISOString();
}

/** The details in one line. */
export function detailOf({ detail }: AuditEntry): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/**
 * The known entries with the newest before them; undefined if there may be others in between. Both
 * begin with the newest.
 */
export function joined(
  newest: readonly AuditEntry[],
  known: readonly AuditEntry[],
): readonly AuditEntry[] | undefined {
  const last = known[0]?.id ?? 0;
  const fresh = newest.filter(({ id }) => id > last);
  if (fresh.length > 0 && fresh.length === newest.length && known.length > 0) return undefined;
  return [...fresh, ...known];
}

/** A time in milliseconds for people. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}
