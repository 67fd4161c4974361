import { ApiError } from '../../contract/errors.js';
import type { Entry } from './entry.js';
import type { TrajectoryLimits } from './limits.js';

interface State {
  /** Trajectories by computer. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Owners of those that are being started, by computer: each has room of its own. */
  readonly starting: ReadonlyMap<string, string>;
  /** Computers whose trajectory is being started or removed. */
  readonly changing: ReadonlySet<string>;
}

/**
 * The computer whose trajectory has to be removed first, so that the owner has room for one of another
 * computer: the one that ended first; undefined if there is room. One that is recorded, or is being
 * started, may become as large as the limit. Throws `limit_reached` if none can be removed.
 */
export function toRemove(
  { entries, starting, changing }: State,
  { owner_id, id }: { readonly owner_id: string; readonly id: string },
  { bytes, ofOwner }: TrajectoryLimits,
): string | undefined {
  const others = [...entries].filter(
    ([computer, { stored }]) =>
      computer !== id && stored.owner_id === owner_id && !starting.has(computer),
  );
  const started = [...starting.values()].filter((owner) => owner === owner_id).length;
  const sum = others.reduce(
    (total, [, { stored, recorder }]) => total + (recorder ? bytes : stored.bytes),
    started * bytes,
  );
  if (sum + bytes <= ofOwner) return undefined;
  const [oldest] = others
    .filter(([computer, { recorder }]) => !recorder && !changing.has(computer))
    .sort(([, a], [, b]) => (a.stored.ended_at ?? '').localeCompare(b.stored.ended_at ?? ''));
  if (oldest !== undefined) return oldest[0];
  throw new ApiError('limit_reached', 'Too many of your computers are being recorded.', {
    remedy: 'End one first: vc computer trajectory COMPUTER end',
  });
}
