import { nearest } from '../../../lib/text/nearest.js';
import { enumerate } from '../define.js';
import { type CommandTree, type Group, isGroup, isNamed } from '../nodes.js';
import { synonyms } from './synonyms.js';

/** A question that names what the unknown command was likely meant to be; undefined if nothing is. */
export function suggestCommand(
  tree: CommandTree,
  [first = '', second = '']: readonly string[],
): string | undefined {
  const named = tree.find((node) => isNamed(node, first));
  const commands =
    named !== undefined && isGroup(named) ? forVerb(tree, named, second) : forName(tree, first);
  return commands.length === 0
    ? undefined
    : `Did you mean ${enumerate(commands.map((words) => `vc ${words}`))}?`;
}

function forVerb(tree: CommandTree, group: Group, word: string): readonly string[] {
  const own = synonymsOf(word, (command) => Object.hasOwn(group.verbs, command));
  if (own.length > 0) return own.map((verb) => `${group.name} ${verb}`);
  const near = mistyped(word, Object.keys(group.verbs));
  return near === undefined ? forName(tree, word, []) : [`${group.name} ${near}`];
}

/** `names` are those that the word may be a mistyped form of. */
function forName(
  tree: CommandTree,
  word: string,
  names: readonly string[] = tree.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
): readonly string[] {
  if (tree.some((node) => isNamed(node, word))) return [word];
  const known = synonymsOf(word, (command) => exists(tree, command));
  if (known.length > 0) return known;
  const groups = tree.filter(isGroup).filter(({ verbs }) => Object.hasOwn(verbs, word));
  const group = groups.find(({ name }) => name === 'computer') ?? groups[0];
  if (group !== undefined) return [`${group.name} ${word}`];
  const near = mistyped(word, names);
  return near === undefined ? [] : [near];
}

function synonymsOf(word: string, isKnown: (command: string) => boolean): readonly string[] {
  const lower = word.toLowerCase();
  for (const [commands, words] of synonyms) {
    if (!words.split(' ').includes(lower)) continue;
    const known = commands.filter(isKnown);
    if (known.length > 0) return known;
  }
  return [];
}

function exists(tree: CommandTree, command: string): boolean {
  const [first = '', verb] = command.split(' ');
  if (first.startsWith('--')) return true;
  const node = tree.find((candidate) => isNamed(candidate, first));
  if (node === undefined) return false;
  return !isGroup(node) || verb === undefined || Object.hasOwn(node.verbs, verb);
}

/**
 * The name that the word is likely a mistyped form of. Names are short, so many words are near one:
 * only one edit is allowed in a short word, and the first letter has to be right or swapped.
 */
function mistyped(word: string, names: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const starts = (name: string) =>
    name[0] === lower[0] || (name[0] === lower[1] && name[1] === lower[0]);
  return nearest(lower, names.filter(starts), word.length < 8 ? 1 : 2);
}
