/** Aliases by name: the command line that each stands for. */
export type Aliases = Readonly<Record<string, string>>;

/** `$1` to `$9` in an alias. */
export const ARGUMENT = /\$([1-9])/g;

/** How many arguments an alias takes at least: 2 for `exec $1 -- cat $2`. */
export function argumentCount(line: string): number {
  return Math.max(0, ...[...line.matchAll(ARGUMENT)].map(([, number]) => Number(number)));
}
