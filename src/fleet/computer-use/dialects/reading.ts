import { z } from 'zod';
import { FIRST_ISSUE, isRecord, upTo } from '../../../contract/primitives.js';
import type { UseAction } from '../actions.js';

/** Longest id of a call. */
const MOST_ID = 256;
/** Seconds that one call waits or holds keys at most. */
export const MOST_SECONDS = 300;

export const CallId = z.string().min(1).max(MOST_ID);
export const Seconds = z.number().min(0).max(MOST_SECONDS);
export const Text = upTo(100_000);
export const Combination = z.string().min(1).max(100);
export const Keys = listOf(Combination, 10);
export const SomeKeys = listOf(Combination, 10, 1);
const MOST_PIXELS = 100_000;
export const Pixel = z.number().min(-MOST_PIXELS).max(MOST_PIXELS);
/** Whether {@link Pixel} takes it. */
export function isPixel(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= MOST_PIXELS;
}
export const Pair = z.tuple([Pixel, Pixel]);

/** A list that counts its items before it checks them. */
export function listOf<T extends z.ZodType>(schema: T, most: number, least = 0) {
  return z.array(z.unknown()).min(least).max(most).pipe(z.array(schema));
}

/** What `schema` makes of a value; undefined if it refuses it. */
export function readAs<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | undefined {
  return schema.safeParse(value, FIRST_ISSUE).data;
}

/** The text of an item that has its calls in one. */
export function textOf(item: unknown): string | undefined {
  const text = isRecord(item) ? (item.text ?? item.content) : item;
  return typeof text === 'string' ? text : undefined;
}

/** Characters of an item that are read as a text: its calls, or the arguments of one. */
export function charactersOf(item: unknown): number {
  const called = isRecord(item) && isRecord(item.function) ? item.function : item;
  const args = isRecord(called) && typeof called.arguments === 'string' ? called.arguments : '';
  return args.length + (textOf(item)?.length ?? 0);
}

/** The point of a pair of coordinates. */
export function placeOf([x, y]: readonly [number, number]): { x: number; y: number } {
  return { x, y };
}

type Actions = readonly UseAction[] | { readonly error: string };

/** Members of a tool by name: the schema of their input, and their actions. */
export type Members = Readonly<Record<string, (input: unknown) => Actions>>;

/** A member of a tool. */
export function member<S extends z.ZodType>(
  schema: S,
  actions: (input: z.output<S>) => readonly UseAction[],
): (input: unknown) => Actions {
  return (input) => {
    const read = schema.safeParse(input, FIRST_ISSUE);
    if (read.success) return actions(read.data);
    const [issue] = read.error.issues;
    const where = issue?.path.join('.') || 'the input';
    return { error: `${where}: ${issue?.message ?? 'is wrong'}` };
  };
}

/** The actions of a call; an error for a member that does not exist. */
export function actionsOf(members: Members, name: string, input: unknown): Actions {
  const read = Object.hasOwn(members, name) ? members[name] : undefined;
  if (read !== undefined) return read(input);
  return { error: `There is no action ${JSON.stringify(name.slice(0, 100))}.` };
}

/** Names of keys joined as a combination. */
export function combine(keys: readonly string[]): string {
  return keys.join('+');
}
