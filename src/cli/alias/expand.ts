import { splitWords } from '../../lib/text/split-words.js';
import { configDirectory, type Environment, ProfileStore } from '../../profile/index.js';
import { UsageError } from '../errors/cli-error.js';
import { commandPath, hasFlag } from '../framework/argv.js';
import { type CommandTree, isNamed } from '../framework/nodes.js';

/** The aliases of the profile file; none if it cannot be read, which other commands report. */
export async function readAliases(env: Environment): Promise<Aliases> {
  const file = await new ProfileStore(configDirectory(env)).read().catch(() => undefined);
  return file?.aliases ?? {};
}

/**
 * The command line with its alias expanded, if its first word is one. A command is never hidden by
 * an alias, and an alias is expanded once, so it cannot lead to another one.
 * @throws UsageError if it is given too few arguments
 */
export async function expandAlias(
  tree: CommandTree,
  argv: readonly string[],
  env: Environment,
): Promise<readonly string[]> {
  const [name] = commandPath(argv);
  if (name === undefined || tree.some((node) => isNamed(node, name))) return argv;
  const aliases = await readAliases(env);
  const line = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (line === undefined) return argv;
  const at = argv.indexOf(name);
  return [...argv.slice(0, at), ...expanded(name, line, argv.slice(at + 1))];
}

/** The words of an alias with its arguments: in place of `$1` and so on, the others at the end. */
function expanded(name: string, line: string, given: readonly string[]): string[] {
  const words = splitWords(line) ?? [];
  const count = argumentCount(line);
  if (hasFlag(given, '--help') || hasFlag(given, '-h')) return [...words, '--help'];
  if (given.length < count) {
    const wanted = `${count} argument${count === 1 ? '' : 's'}`;
    throw new UsageError(`the alias ${name} takes ${wanted}`, `it stands for: vc ${line}`);
  }
  const filled = words.map((word) =>
    word.replaceAll(ARGUMENT, (_, number: string) => given[Number(number) - 1] ?? ''),
  );
  return [...filled, ...given.slice(count)];
}

/** Aliases by name: the command line that each stands for. */
export type Aliases = Readonly<Record<string, string>>;

/** `$1` to `$9` in an alias. */
export const ARGUMENT = /\$([1-9])/g;

/** How many arguments an alias takes at least: 2 for `exec $1 -- cat $2`. */
export function argumentCount(line: string): number {
  return Math.max(0, ...[...line.matchAll(ARGUMENT)].map(([, number]) => Number(number)));
}
