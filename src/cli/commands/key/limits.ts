import type { Key } from '../../../contract/index.js';
import { count } from '../../../lib/text/count.js';
import type { Context } from '../../framework/context.js';
import { ageAndTime } from '../../output/time/relative-time.js';

/** What an API key may do, where, and until when. */
export type KeyLimits = Pick<Key, 'rights' | 'project' | 'expires_at'>;

/** `look in shop`. */
export function rightsOf({ rights, project }: KeyLimits): string {
  return `${rights} in ${project?.name ?? 'all projects'}`;
}

/** `never expires`, or on a terminal `expires in 30 days (2027-01-31 11:03:07)`, else in RFC 3339. */
export function expiryOf(
  { io }: Pick<Context, 'io'>,
  { expires_at: time }: KeyLimits,
  { now, stream }: { readonly now: Date; readonly stream: 'stdout' | 'stderr' },
): string {
  if (!time) return 'never expires';
  if (!io[stream].isTTY) return `expires at ${time}`;
  return `${Date.parse(time) < now.getTime() ? 'expired' : 'expires'} ${ageAndTime(time, now)}`;
}

/** All of it in one line for a message: `act in shop, never expires, at most 5 computers`. */
export function limitsOf(context: Pick<Context, 'io'>, key: Key, now: Date): string {
  const { max_computers, max_hours, max_actions } = key;
  return [
    rightsOf(key),
    expiryOf(context, key, { now, stream: 'stderr' }),
    ...(max_computers === null ? [] : [`at most ${count(max_computers, 'computer')}`]),
    ...(max_hours === null ? [] : [`at most ${count(max_hours, 'hour')}`]),
    ...(max_actions === null ? [] : [`at most ${count(max_actions, 'action')}`]),
  ].join(', ');
}
