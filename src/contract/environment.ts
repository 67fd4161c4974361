import { z } from 'zod';
import { isRecord, upTo } from './primitives.js';

export const noNul = (value: string) => !value.includes('\0');

/** Variables of a command or a computer at most. */
export const MAX_VARIABLES = 256;

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be a variable name');
const value = upTo(32_768, z.string({ error: 'must be a string' })).refine(noNul, {
  error: 'must have no NUL',
  abort: true,
});

const problem = (otherwise: string) => (issue: { readonly code: string }) =>
  issue.code === 'invalid_key' ? 'must have the name of a variable: A-Z, a-z, 0-9, "_"' : otherwise;

/** Counts the variables before they are checked. */
function counted<T extends z.ZodType>(schema: T) {
  return z.preprocess((env: z.input<T>, { addIssue }) => {
    if (isRecord(env) && Object.keys(env).length > MAX_VARIABLES)
      addIssue({ code: 'custom', message: `must have at most ${MAX_VARIABLES} variables` });
    return env;
  }, schema);
}

/** Variables of a command. */
export const Environment = counted(
  z.record(name, value, { error: problem('must be an object of strings') }).meta({
    description: `Environment variables, up to ${MAX_VARIABLES}, in addition to those of the computer.`,
    examples: [{ LANG: 'C.UTF-8' }],
  }),
);

/** Characters of all variables of a computer, names and values. */
export const MAX_ENVIRONMENT = 65_536;
/** Bash refuses to set them. */
const READONLY = ['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID'];
const notReadonly = [
  (env: object) => !READONLY.some((each) => Object.hasOwn(env, each)),
  `must not set ${READONLY.slice(0, -1).join(', ')} or ${READONLY.at(-1)}, which are read-only in bash`,
] as const;

/** Characters that variables take. */
export function environmentLength(env: Readonly<Record<string, string>>): number {
  return Object.entries(env).reduce((sum, [key, text]) => sum + key.length + text.length, 0);
}

export const tooMuchEnvironment = `must have at most ${MAX_ENVIRONMENT} characters in all`;

/** Variables of a computer. */
export const ComputerEnvironment = counted(
  z
    .record(name, value, { error: problem('must be an object of strings') })
    .refine(...notReadonly)
    .refine((env) => environmentLength(env) <= MAX_ENVIRONMENT, tooMuchEnvironment)
    .meta({
      description: `Environment variables, up to ${MAX_VARIABLES}, of commands, of the setup, and of programs that are started from the desktop. The values are never shown again.`,
      examples: [{ API_URL: 'https://api.example.com' }],
    }),
);

/** Changes of the variables of a computer. */
export const EnvironmentChanges = counted(
  z
    .record(name, value.nullable(), { error: problem('must be an object of strings and nulls') })
    .refine(...notReadonly)
    .meta({
      description:
        'Environment variables to set, or with null to remove; the others stay. Commands have them at once, programs of the desktop after the next start.',
      examples: [{ API_URL: 'https://api.example.com', OLD: null }],
    }),
);
