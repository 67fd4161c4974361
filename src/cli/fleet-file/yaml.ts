import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { substitute, VariableError, type Variables } from './variables.js';

export type Path = readonly PropertyKey[];

/** A document with variables replaced, aliases and merge keys resolved, and `x-` keys left out. */
export interface Source {
  readonly value: unknown;
  /** `LINE:COLUMN` of what is at the path, or of the nearest thing around it that is written. */
  position(path: Path, part: 'key' | 'value'): string;
}

/** What is wrong with a text, and its offset in it. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** `LINE:COLUMN`. */
  readonly position: string;

  constructor(message: string, position: string) {
    super(message);
    this.position = position;
  }
}

/** Aliases can make a document of gigabytes out of a few lines. */
const MOST_NODES = 10_000;
const MOST_DEPTH = 50;

/** Throws YamlError. */
export function readYaml(text: string, variables: Variables): Source {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const positionOf = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return `${line}:${col}`;
  };
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined) throw new YamlError(wrong.message, positionOf(wrong.pos[0]));
  const offsets = new Map<string, { readonly key: number; readonly value: number }>();
  let left = MOST_NODES;

  const fail = (message: string, node: unknown): never => {
    throw new YamlError(message, positionOf(offsetOf(node)));
  };
  /** The node itself, or what an alias stands for. */
  const resolved = (node: unknown, depth: number): unknown => {
    left -= 1;
    if (left < 0 || depth > MOST_DEPTH) fail('it is too large with all its aliases', node);
    return isAlias(node) ? node.resolve(document) : node;
  };

  /** The entries of a map by key; its own come before those of its merge keys. */
  const entriesOf = (map: YAMLMap, depth: number): Map<string, Pair> => {
    const own = new Map<string, Pair>();
    const merged = new Map<string, Pair>();
    for (const pair of map.items) {
      const { key } = pair;
      if (!isScalar(key)) return fail('a key must be a text', key);
      // Records of the schemas leave it out.
      if (key.value === '__proto__') return fail('a key must not be __proto__', key);
      if (key.value !== '<<' || key.type !== 'PLAIN') own.set(String(key.value), pair);
      else {
        const given = resolved(pair.value, depth);
        for (const item of isSeq(given) ? given.items : [given]) {
          const source = resolved(item, depth);
          if (!isMap(source)) return fail('"<<" must be a map, or a list of maps', pair.value);
          for (const [name, one] of entriesOf(source, depth + 1)) {
            if (!merged.has(name)) merged.set(name, one);
          }
        }
      }
    }
    return new Map([...merged, ...own]);
  };

  const convert = (given: unknown, path: Path, key: unknown): unknown => {
    const node = resolved(given, path.length);
    const value = offsetOf(given ?? key);
    offsets.set(pathKey(path), { key: key === undefined ? value : offsetOf(key), value });
    if (isMap(node)) {
      const entries = [...entriesOf(node, path.length)]
        .filter(([name]) => !isExtension(path, name))
        .map(([name, pair]) => [name, convert(pair.value, [...path, name], pair.key)]);
      return Object.fromEntries(entries);
    }
    if (isSeq(node)) return node.items.map((item, at) => convert(item, [...path, at], undefined));
    if (!isScalar(node)) return null;
    try {
      return scalarOf(node, path, variables);
    } catch (error) {
      if (!(error instanceof VariableError)) throw error;
      return fail(error.message, given);
    }
  };

  return {
    value: convert(document.contents, [], undefined),
    position: (path, part) => {
      for (let length = path.length; length > 0; length -= 1) {
        const found = offsets.get(pathKey(path.slice(0, length)));
        if (found !== undefined) return positionOf(length < path.length ? found.key : found[part]);
      }
      return positionOf(0);
    },
  };
}

/** Below these keys and for `mode`, `1.10` and `0644` are texts. */
const TEXTS: readonly PropertyKey[] = ['env', 'labels', 'args'];

function scalarOf(node: Scalar, path: Path, variables: Variables): unknown {
  const isText = TEXTS.includes(path.at(-2) ?? '') || path.at(-1) === 'mode';
  if (typeof node.value !== 'string') {
    return isText && node.value !== null ? node.source : node.value;
  }
  const text = substitute(node.value, variables);
  if (isText || node.type !== 'PLAIN' || text === node.value) return text;
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

/** `x-` keys of the file and of a computer or task. */
function isExtension(path: Path, name: string): boolean {
  const isAllowed =
    path.length === 0 || (path.length === 2 && (path[0] === 'computers' || path[0] === 'tasks'));
  return isAllowed && name.startsWith('x-');
}

function offsetOf(node: unknown): number {
  const { range } = (node ?? {}) as { readonly range?: readonly number[] | null };
  return range?.[0] ?? 0;
}

function pathKey(path: Path): string {
  return JSON.stringify(path.map(String));
}
