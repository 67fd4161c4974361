import type { CommandDefinition } from './define.js';

/** Imports a command's file. */
export type Load = () => Promise<{ readonly command: CommandDefinition }>;

type Heading = 'Computers' | 'Access' | 'Hosting' | 'More';

/** A noun with its verbs: `vc computer click`. A verb's file is loaded when needed. */
export interface Group {
  readonly name: string;
  /** The section of `vc --help` that lists it. */
  readonly heading: Heading;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly verbs: Readonly<Record<string, Load>>;
}

/** A top-level command: `vc serve`. */
export interface Single {
  readonly name: string;
  /** Absent for a hidden command. */
  readonly heading?: Heading;
  readonly load: Load;
}

export type Node = Group | Single;

/** All commands of `vc`. */
export type CommandTree = readonly Node[];

export function isGroup(node: Node): node is Group {
  return 'verbs' in node;
}

/** True when `word` is the node's name or one of its aliases. */
export function isNamed(node: Node, word: string | undefined): boolean {
  return node.name === word || (isGroup(node) && (node.aliases ?? []).includes(word ?? ''));
}
