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
  /** Id of the computer's project. */
  projectOf(computerId: string): string | undefined;
}

/**
 * The computer whose trajectory has to be removed first, so that the owner has room for one of another
 * computer: of the project that has the most the one that ended first, so no project removes those of
 * another with fewer; undefined if there is room. One that is recorded, or is being started, may become
 * as large as the limit. Throws `limit_reached` if none can be removed.
 */
export function toRemove(
  { entries, starting, changing, projectOf }: State,
  { owner_id, id }: { readonly owner_id: string; readonly id: string },
  { bytes, ofOwner }: TrajectoryLimits,
): string | undefined {
  const others = [...entries].filter(
    ([computer, { stored }]) =>
      computer !== id && stored.owner_id === owner_id && !starting.has(computer),
  );
  const started = [...starting].filter(([, owner]) => owner === owner_id);
  const sizes = [
    ...[id, ...started.map(([computer]) => computer)].map((computer) => [computer, bytes] as const),
    ...others.map(
      ([computer, { stored, recorder }]) => [computer, recorder ? bytes : stored.bytes] as const,
    ),
  ];
  const projects = new Map<string | undefined, number>();
  for (const [computer, size] of sizes) {
    const project = projectOf(computer);
    projects.set(project, (projects.get(project) ?? 0) + size);
  }
  if (sizes.reduce((sum, [, size]) => sum + size, 0) <= ofOwner) return undefined;
  const [busiest] = [...projects].sort(([, a], [, b]) => b - a);
  const [oldest] = others
    .filter(([computer, { recorder }]) => !recorder && !changing.has(computer))
    .filter(([computer]) => projectOf(computer) === busiest?.[0])
    .sort(([, a], [, b]) => (a.stored.ended_at ?? '').localeCompare(b.stored.ended_at ?? ''));
  if (oldest !== undefined) return oldest[0];
  throw new ApiError('limit_reached', 'Too many of your computers are being recorded.', {
    remedy: 'End one first: vc computer trajectory COMPUTER end',
  });
}
