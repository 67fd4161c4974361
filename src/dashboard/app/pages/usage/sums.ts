import type { UsageReport } from '../../api/types.js';

export interface Sum {
  readonly id: string;
  readonly name: string;
  readonly computer_seconds: number;
  readonly actions: number;
  readonly bytes: number;
}

type Day = UsageReport['days'][number];

/** What was used by each key, project or day, the most computer time first. */
export function sumBy(
  days: readonly Day[],
  subject: (day: Day) => { readonly id: string; readonly name: string },
): Sum[] {
  const sums = new Map<string, Sum>();
  for (const day of days) {
    const { id, name } = subject(day);
    const { computer_seconds, actions, bytes } = sums.get(id) ?? NOTHING;
    sums.set(id, {
      id,
      name,
      computer_seconds: computer_seconds + day.computer_seconds,
      actions: actions + day.actions,
      bytes: bytes + day.bytes,
    });
  }
  return [...sums.values()].sort((a, b) => b.computer_seconds - a.computer_seconds);
}

const NOTHING = { computer_seconds: 0, actions: 0, bytes: 0 };

/** A key or project with its name, or the start of its id if its name is not known. */
export function named({ id, name, deleted }: Day['key']): { id: string; name: string } {
  const text = name ?? id.slice(0, ID_PREFIX);
  return { id, name: deleted && text !== '' ? `${text} (deleted)` : text || 'unknown' };
}

const ID_PREFIX = 10;

export function formatHours(seconds: number): string {
  const hours = seconds / 3600;
  if (hours < 1) return `${Math.round(seconds / 60)} min`;
  return `${hours >= 100 ? Math.round(hours).toLocaleString('en') : hours.toFixed(1)} h`;
}
