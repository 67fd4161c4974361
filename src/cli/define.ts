import type { Context } from './context.js';
import { UsageError } from './errors.js';
import { nearest } from './nearest.js';

/** What the parser found for an option or argument: not there, there, its text or its texts. */
export type Raw = string | boolean | readonly string[] | undefined;

/** An option as data: help, parsing, completion and the manual follow from it. */
export interface Option<T> {
  /** As commander writes them: `-b, --button <name>`. */
  readonly flags: string;
  readonly summary: string;
  readonly repeatable: boolean;
  readonly choices?: readonly string[];
  /** What holds when it is not given, for help. */
  readonly otherwise?: string;
  readonly hidden?: boolean;
  /** The typed value, or UsageError. */
  read(raw: Raw): T;
}

/** What completes an argument. */
export type Completes =
  | 'computer'
  | 'running-computer'
  | 'stopped-computer'
  | 'project'
  | 'key'
  | 'connection'
  | 'profile'
  | 'file'
  /** A file here, or a running computer and a colon. */
  | 'place';

/** A positional argument as data. */
export interface Argument<T> {
  /** As usage shows it: `computer`. */
  readonly name: string;
  readonly summary: string;
  readonly required: boolean;
  readonly variadic: boolean;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  read(raw: Raw): T;
}

export interface Example {
  readonly does: string;
  readonly command: string;
}

type Options = Readonly<Record<string, Option<unknown>>>;
type Arguments = Readonly<Record<string, Argument<unknown>>>;
type Values<Specs extends Options | Arguments> = {
  readonly [Name in keyof Specs]: ReturnType<Specs[Name]['read']>;
};

interface Definition<A extends Arguments, O extends Options> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line, in the imperative. */
  readonly summary: string;
  /** Further lines for help and the manual. */
  readonly details?: string;
  readonly hidden?: boolean;
  readonly arguments: A;
  readonly options: O;
  readonly examples: readonly Example[];
  /** Fields of the thing, or of each in the list, that `--json` prints; absent: not to be chosen. */
  readonly fields?: readonly string[];
  /** Resolves to an exit code, 0 if undefined. */
  run(context: Context, args: Values<A>, options: Values<O>): Promise<number | undefined>;
}

/** A command: its data, and what runs it. */
export interface CommandDefinition
  extends Omit<Definition<Arguments, Options>, 'run' | 'arguments' | 'options'> {
  readonly arguments: Arguments;
  readonly options: Options;
  invoke(
    context: Context,
    args: Readonly<Record<string, Raw>>,
    options: Readonly<Record<string, Raw>>,
  ): Promise<number | undefined>;
}

/** Ties a command's data to a runner that receives typed values. */
export function defineCommand<A extends Arguments, O extends Options>(
  definition: Definition<A, O>,
): CommandDefinition {
  const { run, ...data } = definition;
  return {
    ...data,
    invoke: async (context, args, options) =>
      run.call(definition, context, readAll(data.arguments, args), readAll(data.options, options)),
  };
}

function readAll<Specs extends Options | Arguments>(
  specs: Specs,
  raw: Readonly<Record<string, Raw>>,
): Values<Specs> {
  const entries = Object.entries(specs).map(([key, spec]) => [key, readOne(spec, raw[key])]);
  return Object.fromEntries(entries) as Values<Specs>;
}

function readOne(spec: Option<unknown> | Argument<unknown>, raw: Raw): unknown {
  try {
    return spec.read(raw);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const name = 'flags' in spec ? longFlag(spec.flags) : spec.name.toUpperCase();
    throw new UsageError(`${name}: ${error.message}`, error.hint);
  }
}

/** `--button` of `-b, --button <name>`. */
export function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

/** An option in a line: what it does, what it can be, and what holds without it. */
export function describeOption({ summary, choices, otherwise }: Option<unknown>): string {
  const facts = [choices?.join(', '), otherwise && `default: ${otherwise}`].filter(Boolean);
  return facts.length === 0 ? summary : `${summary} (${facts.join('; ')})`;
}

type Parse<T> = (text: string) => T;
interface Extra {
  readonly otherwise?: string;
  readonly hidden?: boolean;
}

/** `--flag`, true when given; of `--no-flag`, false when given. */
export function flag(flags: string, summary: string, extra: Extra = {}): Option<boolean> {
  const otherwise = flags.includes('--no-');
  return {
    ...{ flags, summary, repeatable: false, ...extra },
    read: (raw) => (typeof raw === 'boolean' ? raw : otherwise),
  };
}

/** Of commands that destroy something. */
export const dryRun = flag('--dry-run', 'say what would be removed, and remove nothing');

/** An option with a value; undefined when not given. */
export function value<T = string>(
  flags: string,
  summary: string,
  parse: Parse<T>,
  extra: Extra = {},
): Option<T | undefined> {
  const read = (raw: Raw) => (typeof raw === 'string' ? parse(raw) : undefined);
  return { flags, summary, repeatable: false, ...extra, read };
}

/** `--flag [value]`: undefined when not given, the empty text when given without a value. */
export function optionalValue(flags: string, summary: string): Option<string | undefined> {
  const read = (raw: Raw) => (typeof raw === 'string' ? raw : raw === true ? '' : undefined);
  return { flags, summary, repeatable: false, read };
}

/** An option that may be given several times. */
export function list<T>(flags: string, summary: string, parse: Parse<T>): Option<T[]> {
  const read = (raw: Raw) => (Array.isArray(raw) ? raw.map((text: string) => parse(text)) : []);
  return { flags, summary, repeatable: true, read };
}

/** An option whose value is one of a closed set. */
export function choice<const V extends string>(
  flags: string,
  summary: string,
  choices: readonly V[],
  extra: Extra = {},
): Option<V | undefined> {
  return { ...value(flags, summary, oneOf(choices), extra), choices };
}

/** An argument that has to be given. */
export function argument<T = string>(
  name: string,
  summary: string,
  parse: Parse<T>,
  extra: { completes?: Completes; choices?: readonly string[] } = {},
): Argument<T> {
  const read = (raw: Raw) => parse(typeof raw === 'string' ? raw : '');
  return { name, summary, required: true, variadic: false, ...extra, read };
}

/** An argument that may be left out. */
export function optional<T = string>(
  name: string,
  summary: string,
  parse: Parse<T>,
  extra: { completes?: Completes } = {},
): Argument<T | undefined> {
  const read = (raw: Raw) => (typeof raw === 'string' ? parse(raw) : undefined);
  return { name, summary, required: false, variadic: false, ...extra, read };
}

/** The last argument, given once or more. */
export function many(
  name: string,
  summary: string,
  extra: { completes?: Completes; required?: boolean } = {},
): Argument<readonly string[]> {
  const read = (raw: Raw) => (Array.isArray(raw) ? (raw as readonly string[]) : []);
  return { name, summary, required: true, variadic: true, ...extra, read };
}

/** Parses one of `choices`; a near miss is named. */
export function oneOf<const V extends string>(choices: readonly V[]): Parse<V> {
  return (text) => {
    const found = choices.find((candidate) => candidate === text);
    if (found !== undefined) return found;
    const near = nearest(text, choices);
    const meant = near === undefined ? '' : `; did you mean ${near}?`;
    throw new UsageError(`must be ${enumerate(choices)}, not ${JSON.stringify(text)}${meant}`);
  };
}

/** `a, b or c`. */
export function enumerate(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
