import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Entry } from './entry.js';
import { TrajectoryFolder } from './folder.js';
import { Stored } from './stored.js';

/**
 * Passes every trajectory that an earlier process left to `onFound`: as an entry, or as the folder of
 * one that cannot be read or whose computer is gone.
 */
export function recoverAll(
  directory: string,
  isComputer: (id: string) => boolean,
  onFound: (id: string, found: Entry | TrajectoryFolder) => void,
): void {
  for (const id of namesIn(directory)) {
    const folder = new TrajectoryFolder(join(directory, id));
    onFound(id, (isComputer(id) ? recover(folder) : undefined) ?? folder);
  }
}

/** Names of the entries of a directory; none if it does not exist. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** The trajectory in a folder; what was being recorded has ended. Undefined if the files are not of one. */
function recover(folder: TrajectoryFolder): Entry | undefined {
  try {
    const stored = Stored.parse(folder.readState());
    if (stored.ended_at !== null) return new Entry(folder, stored);
    const ended = { ...stored, ended_at: new Date().toISOString(), end_reason: 'service' } as const;
    return new Entry(folder, { ...ended, ...folder.recover(ended) });
  } catch {
    return undefined;
  }
}
