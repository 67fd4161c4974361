import type { z } from 'zod';
import { nearest } from '../../lib/text/nearest.js';
import { UsageError } from '../errors/cli-error.js';
import type { Variables } from './variables.js';
import { type Path, readYaml, type Source, YamlError } from './yaml.js';

/** What is wrong with a file, and where. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  readonly part?: 'key';
}

/** The document in a file called `name`. Throws UsageError with a line and column. */
export function readSource(text: string, name: string, variables: Variables): Source {
  try {
    return readYaml(text, variables);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new UsageError(`${name}:${error.position}: ${error.message}`, `correct ${name}`);
  }
}

/** The error for a problem of a file called `name`, which `command` reads. */
export function usageError(
  name: string,
  source: Source,
  { path, message, part }: Problem,
  command: string,
): UsageError {
  const position = source.position(path, part ?? 'value');
  const where = path.length === 0 ? 'the file' : path.map(String).join('.');
  return new UsageError(
    `${name}:${position}: ${where} ${message}`,
    `correct ${name}; for its form: ${command} --help`,
  );
}

/** The keys that an object of a file may have. */
type KnownKeys = (path: Path) => readonly string[];

export function problemOfIssue(issue: z.core.$ZodIssue, known: KnownKeys): Problem {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const near = nearest(key, known(path));
    const meant = near === undefined ? '' : `; did you mean ${near}?`;
    return { path: [...path, key], message: `is not a known key${meant}`, part: 'key' };
  }
  // A union without a message of its own: what is wrong with the form that was meant.
  if (issue.code === 'invalid_union' && message === 'Invalid input') {
    const meant = issue.errors.find(([first]) => first?.code !== 'invalid_type');
    const [inner] = meant ?? issue.errors.at(-1) ?? [];
    if (inner !== undefined) {
      return problemOfIssue({ ...inner, path: [...path, ...inner.path] }, known);
    }
  }
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  const part = issue.code === 'invalid_key' ? ('key' as const) : undefined;
  return { path, message: isMissing ? 'is missing' : message, ...(part && { part }) };
}
