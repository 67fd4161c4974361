import type { CommandDefinition } from './define.js';

/** Imports a command's file. */
export type Load = () => Promise<{ readonly command: CommandDefinition }>;

/** A section of `vc --help`. */
type Heading =
  | 'Common commands'
  | 'Computer commands'
  | 'Management commands'
  | 'Access'
  | 'Hosting'
  | 'More';

/** A noun with its verbs: `vc computer click`. A verb's file is loaded when needed. */
export interface Group {
  readonly name: string;
  /** The section of `vc --help` that lists it. */
  readonly heading: Heading;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** More text for its help and its manual. */
  readonly details?: string;
  readonly verbs: Readonly<Record<string, Load>>;
}

/** A top-level command: `vc serve`. */
export interface Single {
  readonly name: string;
  /** Absent for a hidden command. */
  readonly heading?: Heading;
  readonly aliases?: readonly string[];
  readonly load: Load;
  /** Set for a short form: the group and verb that it stands for, such as `computer ls`. */
  readonly shortFor?: readonly [group: string, verb: string];
}

export type Node = Group | Single;

/** All commands of `vc`. */
export type CommandTree = readonly Node[];

/** The short form of a verb, if it has one. */
export function shortFormOf(tree: CommandTree, group: string, verb: string): Single | undefined {
  return tree.find((node): node is Single => {
    if (isGroup(node)) return false;
    const [ofGroup, ofVerb] = node.shortFor ?? [];
    return ofGroup === group && ofVerb === verb;
  });
}

export function isGroup(node: Node): node is Group {
  return 'verbs' in node;
}

/** True when `word` is the node's name or one of its aliases. */
export function isNamed(node: Node, word: string | undefined): boolean {
  return node.name === word || (node.aliases ?? []).includes(word ?? '');
}

/** The command that the first words of a command line name, and these words. */
export async function findCommand(
  tree: CommandTree,
  [first, verb = '']: readonly string[],
): Promise<{ definition: CommandDefinition; path: readonly string[] } | undefined> {
  const node = first === undefined ? undefined : tree.find((other) => isNamed(other, first));
  if (first === undefined || node === undefined) return undefined;
  if (!isGroup(node)) return { definition: (await node.load()).command, path: [first] };
  const load = Object.hasOwn(node.verbs, verb) ? node.verbs[verb] : undefined;
  if (load !== undefined) return { definition: (await load()).command, path: [first, verb] };
  const all = await Promise.all(Object.values(node.verbs).map((each) => each()));
  const definition = all.find(({ command }) => command.aliases?.includes(verb))?.command;
  return definition && { definition, path: [first, verb] };
}
