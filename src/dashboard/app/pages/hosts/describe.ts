import type { Member } from '../../api/types.js';
import { formatBytes } from '../../state/paths.js';

type Counts = Pick<Member, 'computer_count' | 'running_count'>;

/** Milliseconds until the members are read again. */
export function pauseOf(members: readonly Pick<Member, 'status'>[] = []): number {
  return members.some(({ status }) => status === 'draining') ? 2_000 : 10_000;
}

/** What a drain does to the computers of a member, as sentences. */
export function drainConsequences(
  { name, computer_count: all, running_count: running }: Pick<Member, 'name'> & Counts,
  members: readonly Pick<Member, 'name' | 'status'>[],
): string[] {
  if (all === 0) return [NONE_NEW, 'It has no computers now.'];
  const moved =
    all === 1
      ? 'Its computer is moved to another member with its disk, which may take minutes.'
      : `Its ${all} computers are moved to other members with their disks, one at a time. Each may take minutes.`;
  const others = members.some((each) => each.name !== name && each.status === 'online');
  return [
    NONE_NEW,
    moved,
    restarts(all, running),
    'Files, names, ids and addresses stay.',
    ...(others
      ? []
      : ['No other member takes computers now: they stay, and run on, until one does.']),
  ];
}

function restarts(all: number, running: number): string {
  if (running === 0)
    return all === 1
      ? 'It does not run, and is not started.'
      : 'None of them runs, and none is started.';
  const which =
    all === 1
      ? 'It runs: it'
      : running === 1
        ? 'One of them runs: it'
        : `${running} of them run: each`;
  return `${which} is stopped before the move and started after it. Its programs end, and what they have not saved is lost.`;
}

const NONE_NEW = 'The member gets no new computers until you return it.';

/** What the return of a member does, as sentences. */
export function returnConsequences({ drain, computer_count: left }: Member): string[] {
  const moving = drain?.moving ? ['The computer that is being moved now is still moved.'] : [];
  const rest = left > 0 ? ['Computers that are still on it stay there.'] : [];
  return [
    'The member may have new computers again. Computers that were moved stay where they are.',
    ...moving,
    ...rest,
  ];
}

/** Space of a member, for people; undefined if it is not known. */
export function space(
  used: number | null,
  total: number | null,
): { readonly used: string; readonly free: string; readonly part: number } | undefined {
  if (used === null || total === null || total <= 0) return undefined;
  const free = formatBytes(Math.max(0, total - used));
  return { used: formatBytes(used), free, part: Math.min(1, used / total) };
}

/** The computers of a member on the page of all computers. */
export function wallOf({ name }: Pick<Member, 'name'>): string {
  return `/computers?${new URLSearchParams({ member: name })}`;
}
