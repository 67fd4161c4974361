import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Entry } from './entry.js';
import { TrajectoryFolder } from './folder.js';
import { Stored } from './stored.js';

interface Listeners {
  onFound(computerId: string, entry: Entry): void;
  /** The computer is gone, or the files are not those of a trajectory. */
  onUseless(folder: TrajectoryFolder): void;
  /** A trajectory could not be read, so it stays on the disk, or its state not be written. */
  onFailed(error: unknown): void;
}

/** Finds every trajectory that an earlier process left. */
export function recoverAll(
  directory: string,
  isComputer: (id: string) => boolean,
  listeners: Listeners,
): void {
  const { onFound, onUseless, onFailed } = listeners;
  for (const id of namesIn(directory)) {
    const folder = new TrajectoryFolder(join(directory, id));
    try {
      const entry = isComputer(id) ? recover(folder, onFailed) : undefined;
      if (entry === undefined) onUseless(folder);
      else onFound(id, entry);
    } catch (error) {
      onFailed(error);
    }
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
function recover(folder: TrajectoryFolder, onFailed: (error: unknown) => void): Entry | undefined {
  const stored = parse(folder.readState());
  if (stored === undefined || stored.ended_at !== null) {
    return stored && new Entry(folder, stored);
  }
  const counted = folder.count();
  if (counted === undefined) return undefined;
  const { linesLength, ...counts } = counted;
  const ended: Stored = {
    ...stored,
    ...counts,
    ended_at: new Date().toISOString(),
    end_reason: 'service',
  };
  try {
    folder.truncateLines(linesLength);
    folder.saveStateSync(ended);
  } catch (error) {
    // The disk may be full. The next start recovers it again.
    onFailed(error);
  }
  return new Entry(folder, ended);
}

function parse(state: string | undefined): Stored | undefined {
  if (state === undefined) return undefined;
  try {
    return Stored.parse(JSON.parse(state));
  } catch {
    return undefined;
  }
}
