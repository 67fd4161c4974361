import type { Key } from '../../api/types.js';
import { given } from '../../components/forms/given.js';

/** What a key may use in all, with the names of the fields. */
export const BUDGETS = [
  { name: 'max_computers', label: 'Computers', of: 'computers', unit: 'computers' },
  { name: 'max_hours', label: 'Hours', of: 'hours', unit: 'h' },
  { name: 'max_actions', label: 'Actions', of: 'actions', unit: 'actions' },
] as const;

/** The budgets of a form; null for no limit. */
export function budgetsOf(fields: FormData): Readonly<Record<string, number | null>> {
  const limits = BUDGETS.map(({ name }) => {
    const most = given(fields, name);
    return [name, most === undefined ? null : Number(most)] as const;
  });
  return Object.fromEntries(limits);
}

/** `3 computers, 0.5 h, 12 actions`. */
export function usedInAll({ used }: Pick<Key, 'used'>): string {
  return BUDGETS.map(({ of, unit }) => `${rounded(used[of])} ${unit}`).join(', ');
}

/** `3 of 5 computers, 0.5 of 10 h`; undefined for a key without a limit. */
export function usedOf(
  key: Pick<Key, 'used' | (typeof BUDGETS)[number]['name']>,
): string | undefined {
  const parts = BUDGETS.flatMap(({ name, of, unit }) => {
    const most = key[name];
    if (most === null) return [];
    return [`${rounded(key.used[of])} of ${most} ${unit}`];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
