import { readdirSync } from 'node:fs';
import { Entry } from './entry.js';
import type { TrajectoryFolder } from './folder.js';
import { Stored } from './stored.js';

/** Names of the entries of a directory; none if it does not exist. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/**
 * The trajectory that an earlier process left in a folder; what it was recording has ended. Throws if
 * the files are not those of one.
 */
export function recover(folder: TrajectoryFolder): Entry {
  const stored = Stored.parse(folder.readState());
  if (stored.ended_at !== null) return new Entry(folder, stored);
  const ended = { ...stored, ended_at: new Date().toISOString(), end_reason: 'service' } as const;
  return new Entry(folder, { ...ended, ...folder.recover(ended) });
}
