import { nearest } from '../../lib/text/nearest.js';
import type { UsageError } from '../errors/cli-error.js';
import { type Problem, problemOfIssue, readSource, usageError } from './problems.js';
import { FleetFile, KEYS } from './schema.js';
import type { Variables } from './variables.js';
import type { Path } from './yaml.js';

/** A checked file, and where its parts are. */
export interface Parsed {
  readonly file: FleetFile;
  /** The error for something of a computer that only its files show. */
  problemOf(computer: string, message: string): UsageError;
}

/** Parses a file called `name`. Throws UsageError with the line and column of the first problem. */
export function parseFleetFile(text: string, name: string, variables: Variables): Parsed {
  const source = readSource(text, name, variables);
  const value = withoutNulls(source.value);
  const problemAt = (problem: Problem) => usageError(name, source, problem, 'vc up');
  const result = FleetFile.safeParse(value, { reportInput: true });
  const [issue] = result.error?.issues ?? [];
  if (issue !== undefined) throw problemAt(problemOfIssue(issue, knownKeys));
  const { data } = result;
  if (data === undefined) throw new TypeError('neither a result nor an issue');
  const problem = problemOfNames(data);
  if (problem !== undefined) throw problemAt(problem);
  return {
    file: data,
    problemOf: (computer, message) =>
      problemAt({ path: ['computers', computer], message, part: 'key' }),
  };
}

/** `NAME:` without anything is a computer or volume with the default options. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const parts = (['computers', 'volumes'] as const).flatMap((key) => {
    const part = value[key];
    if (!isObject(part)) return [];
    return [
      [key, Object.fromEntries(Object.entries(part).map(([name, one]) => [name, one ?? {}]))],
    ];
  });
  return { ...value, ...Object.fromEntries(parts) };
}

/** The keys of the object at a path. */
function knownKeys(path: Path): readonly string[] {
  if (path.length === 0) return KEYS.file;
  if (path.length === 2) return path[0] === 'volumes' ? KEYS.volume : KEYS.computer;
  return path.at(-1) === 'build' ? KEYS.build : [];
}

/** Names that occur twice, unknown volumes, and dependencies that are unknown or form a cycle. */
function problemOfNames({ computers, volumes }: FleetFile): Problem | undefined {
  const seen = new Map<string, string>();
  for (const [name, { count, depends_on: needed, ...options }] of Object.entries(computers)) {
    const path = ['computers', name];
    for (const one of namesOf(name, count)) {
      const other = seen.get(one);
      const message = `makes a second computer ${one}, as ${other} does`;
      if (other !== undefined) return { path, message, part: 'key' };
      seen.set(one, name);
    }
    for (const [at, one] of needed.entries()) {
      const near = nearest(one, Object.keys(computers));
      const meant = near === undefined ? '' : `; did you mean ${near}?`;
      const message = `is not a computer of this file: ${one}${meant}`;
      if (!Object.hasOwn(computers, one)) return { path: [...path, 'depends_on', at], message };
    }
    for (const [at, { name: one }] of (options.volumes ?? []).entries()) {
      if (Object.hasOwn(volumes, one)) continue;
      const near = nearest(one, Object.keys(volumes));
      const meant = near === undefined ? '' : `; did you mean ${near}?`;
      const message = `is not in "volumes" of this file: ${one}${meant}`;
      return { path: [...path, 'volumes', at], message };
    }
    if (options.setup !== undefined && options.setup_file !== undefined) {
      return { path: [...path, 'setup_file'], message: 'cannot be combined with setup' };
    }
  }
  const cycle = findCycle(computers);
  if (cycle === undefined) return undefined;
  const message = `forms a cycle: ${cycle.join(' → ')}`;
  return { path: ['computers', cycle[0] ?? '', 'depends_on'], message, part: 'key' };
}

/** The computers of an entry. */
export function namesOf(name: string, count: number | undefined): readonly string[] {
  if (count === undefined) return [name];
  return Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);
}

/** Names that depend on each other, the first also as the last. */
function findCycle(computers: FleetFile['computers']): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(name)) return [...above.slice(above.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const needed of computers[name]?.depends_on ?? []) {
      const cycle = visit(needed, [...above, name]);
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of Object.keys(computers)) {
    const cycle = visit(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
