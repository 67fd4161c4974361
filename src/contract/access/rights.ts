import { RIGHTS } from '../constants.js';

/** What an API key may do; each right includes those before it. */
export type Right = (typeof RIGHTS)[number];

/** What a key needs for an operation or WebSocket. */
export interface Access {
  readonly right: Right;
  /** `owner`: a key for one project cannot do it, because it concerns all of the owner's projects. */
  readonly reach: 'project' | 'owner';
  /** It gives input to a computer, which is refused while someone else has control. */
  readonly input?: true;
  /** A field of the body whose values, or names of fields within it, may need a higher right. */
  readonly stricter?: { readonly field: string; readonly values: Readonly<Record<string, Right>> };
}

const needs = <const R extends Right>(right: R) => ({
  project: { right, reach: 'project' } as const,
  owner: { right, reach: 'owner' } as const,
});

/** Sees lists, states and screens. */
export const look = needs('look');
/** Also uses computers and reads what is in them. */
export const act = needs('act');
/** Also creates, changes and deletes. */
export const manage = needs('manage');
/** Gives input to a computer. */
export const input = { right: 'act', reach: 'project', input: true } as const;

/** Whether a right includes another. */
export function includesRight(given: Right, needed: Right): boolean {
  return RIGHTS.indexOf(given) >= RIGHTS.indexOf(needed);
}

/** The right that a request with this body needs. */
export function rightFor({ right, stricter }: Access, body: unknown): Right {
  if (stricter === undefined) return right;
  const value = (body as Readonly<Record<string, unknown>> | undefined)?.[stricter.field];
  const words = typeof value === 'object' ? fieldNames(value) : [String(value)];
  const needed = words.map((word) => stricter.values[word] ?? right);
  return needed.reduce((most, each) => (includesRight(each, most) ? each : most), right);
}

/** The names of the fields of a value, at all depths. */
function fieldNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...fieldNames(inner)]);
}
