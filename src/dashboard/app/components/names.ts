import type { WallComputer } from '../api/types.js';

/** Who made a computer. */
export function creatorOf({ created_by }: Pick<WallComputer, 'created_by'>): string {
  if (created_by === null) return 'unknown';
  return created_by.name ?? (created_by.prefix === null ? created_by.id : `${created_by.prefix}…`);
}

/** The keys of live views, each once. */
export function viewerNames(viewers: readonly (string | null)[]): string {
  return [...new Set(viewers.map((name) => name ?? 'a key'))].join(', ');
}
