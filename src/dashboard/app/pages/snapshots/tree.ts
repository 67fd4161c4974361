import type { Snapshot } from '../../api/types.js';

/** A line of the tree. */
export interface Row {
  readonly snapshot: Snapshot;
  /** How often the tree has branched above it. */
  readonly depth: number;
  /** The first of a branch. */
  readonly isBranch: boolean;
}

/**
 * The snapshots as lines, each below its parent. A line of descent stays at its depth however long it
 * is; only branches go deeper. The last branch of a snapshot is the newest.
 */
export function rowsOf(snapshots: readonly Snapshot[]): Row[] {
  const names = new Set(snapshots.map(({ name }) => name));
  const children = new Map<string | null, Snapshot[]>();
  for (const snapshot of snapshots) {
    const { parent } = snapshot;
    const above = parent !== null && names.has(parent) ? parent : null;
    children.set(above, [...(children.get(above) ?? []), snapshot]);
  }
  const rows: Row[] = [];
  // Without recursion: a computer that is saved every minute has a long line of snapshots.
  const waiting = linesBelow(children.get(null) ?? [], 0);
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row);
    waiting.push(...linesBelow(children.get(row.snapshot.name) ?? [], row.depth));
  }
  return rows;
}

/** The children of one snapshot, the one to show first at the end. */
function linesBelow(snapshots: readonly Snapshot[], depth: number): Row[] {
  const isBranch = snapshots.length > 1;
  return snapshots
    .map((snapshot) => ({ snapshot, isBranch, depth: isBranch ? depth + 1 : depth }))
    .reverse();
}
