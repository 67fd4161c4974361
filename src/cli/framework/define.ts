import { nearest } from '../../lib/text/nearest.js';
import { UsageError } from '../errors/cli-error.js';
import type { Context } from './context.js';
import { longFlag } from './flags.js';

/** What the parser found for an option or argument: nothing, a flag, one text or several. */
export type Raw = string | boolean | readonly string[] | undefined;

/** An option as data. Help, parsing, completion and the manual are generated from it. */
export interface Option<T> {
  /** In commander's syntax: `-b, --button <name>`. */
  readonly flags: string;
  readonly summary: string;
  readonly repeatable: boolean;
  readonly choices?: readonly string[];
  /** The default as help shows it. */
  readonly otherwise?: string;
  readonly hidden?: boolean;
  readonly completes?: Completes;
  /** Parses the value. Throws UsageError. */
  read(raw: Raw): T;
}

/** What shell completion suggests for an argument. */
export type Completes =
  | 'computer'
  | 'running-computer'
  | 'stopped-computer'
  | 'project'
  | 'key'
  | 'owner'
  | 'connection'
  | 'secret'
  | 'volume'
  | 'webhook'
  | 'profile'
  | 'alias'
  /** The id of a computer. */
  | 'computer-id'
  /** The id of a job of the computer that the first argument names. */
  | 'job'
  | 'running-job'
  /** A snapshot of the computer that the first argument names. */
  | 'snapshot'
  | 'image'
  | 'engine'
  | 'member'
  | 'member-group'
  /** A label of a computer: `NAME=VALUE`. */
  | 'label'
  /** The words of a command. */
  | 'command'
  | 'file'
  /** A local file, or a running computer followed by a colon. */
  | 'copy-path';

/** A positional argument as data. */
export interface Argument<T> {
  /** As shown in the usage line: `computer`. */
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
  /** More text for help and the manual. */
  readonly details?: string;
  readonly hidden?: boolean;
  readonly arguments: A;
  readonly options: O;
  readonly examples: readonly Example[];
  /** Fields that `--json=FIELDS` accepts; absent if there is nothing to select. */
  readonly fields?: readonly string[];
  /**
   * Its exit code is that of a program in the computer, so that of a failure of vc itself has to be
   * another: {@link ExitCode.notRun}.
   */
  readonly runsProgram?: true;
  /** All words after its name are those of another program, but long options of vc directly there. */
  readonly ownWords?: true;
  /** Resolves to an exit code, or to nothing for 0. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most runners return nothing
  run(context: Context, args: Values<A>, options: Values<O>): Promise<number | void>;
}

/** A command: its data and its runner. */
export interface CommandDefinition
  extends Omit<Definition<Arguments, Options>, 'run' | 'arguments' | 'options'> {
  readonly arguments: Arguments;
  readonly options: Options;
  invoke(
    context: Context,
    args: Readonly<Record<string, Raw>>,
    options: Readonly<Record<string, Raw>>,
  ): Promise<number>;
}

/** Creates a command whose runner gets parsed values. */
export function defineCommand<A extends Arguments, O extends Options>(
  definition: Definition<A, O>,
): CommandDefinition {
  const { run, ...data } = definition;
  return {
    ...data,
    invoke: async (context, args, options) =>
      (await run(context, readAll(data.arguments, args), readAll(data.options, options))) ?? 0,
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
    throw new UsageError(`${name}: ${error.message}`, error.remedy);
  }
}

/** The help line of an option: summary, choices and default. */
export function describeOption({ summary, choices, otherwise }: Option<unknown>): string {
  const facts = [choices?.join(', '), otherwise && `default: ${otherwise}`].filter(Boolean);
  return facts.length === 0 ? summary : `${summary} (${facts.join('; ')})`;
}

type Parse<T> = (text: string) => T;
interface Extra {
  readonly otherwise?: string;
  readonly hidden?: boolean;
  readonly completes?: Completes;
}

/** `--flag` is true if given; `--no-flag` is false if given. */
export function flag(flags: string, summary: string, extra: Extra = {}): Option<boolean> {
  const otherwise = flags.includes('--no-');
  return {
    flags,
    summary,
    repeatable: false,
    ...extra,
    read: (raw) => (typeof raw === 'boolean' ? raw : otherwise),
  };
}

/** For commands that remove something. */
export const dryRun = flag('--dry-run', 'show what would be removed, without removing it');

/** An option with a value; undefined if not given. */
export function value<T = string>(
  flags: string,
  summary: string,
  parse: Parse<T>,
  extra: Extra = {},
): Option<T | undefined> {
  const read = (raw: Raw) => (typeof raw === 'string' ? parse(raw) : undefined);
  return { flags, summary, repeatable: false, ...extra, read };
}

/** `--flag [value]`: undefined if not given, empty if given without a value. */
export function optionalValue(flags: string, summary: string): Option<string | undefined> {
  const read = (raw: Raw) => (typeof raw === 'string' ? raw : raw === true ? '' : undefined);
  return { flags, summary, repeatable: false, read };
}

/** A repeatable option. */
export function list<T>(
  flags: string,
  summary: string,
  parse: Parse<T>,
  extra: Extra & { readonly choices?: readonly string[] } = {},
): Option<T[]> {
  const read = (raw: Raw) => (Array.isArray(raw) ? raw.map((text: string) => parse(text)) : []);
  return { flags, summary, repeatable: true, ...extra, read };
}

/** An option with a fixed set of values; `also` maps other forms of them, in lower case. */
export function choice<const V extends string>(
  flags: string,
  summary: string,
  choices: readonly V[],
  { also = {}, ...extra }: Extra & { readonly also?: Readonly<Record<string, V>> } = {},
): Option<V | undefined> {
  const read = oneOf(choices);
  const parse = (text: string) => {
    const form = text.toLowerCase();
    return read(Object.hasOwn(also, form) ? (also[form] ?? text) : text);
  };
  return { ...value(flags, summary, parse, extra), choices };
}

/** A required argument. */
export function argument<T = string>(
  name: string,
  summary: string,
  parse: Parse<T>,
  extra: { completes?: Completes; choices?: readonly string[] } = {},
): Argument<T> {
  const read = (raw: Raw) => parse(typeof raw === 'string' ? raw : '');
  return { name, summary, required: true, variadic: false, ...extra, read };
}

/** An optional argument. */
export function optional<T = string>(
  name: string,
  summary: string,
  parse: Parse<T>,
  extra: { completes?: Completes } = {},
): Argument<T | undefined> {
  const read = (raw: Raw) => (typeof raw === 'string' ? parse(raw) : undefined);
  return { name, summary, required: false, variadic: false, ...extra, read };
}

/** The last argument, which takes one or more values. */
export function many(
  name: string,
  summary: string,
  extra: { completes?: Completes; required?: boolean } = {},
): Argument<readonly string[]> {
  const read = (raw: Raw) => (Array.isArray(raw) ? (raw as readonly string[]) : []);
  return { name, summary, required: true, variadic: true, ...extra, read };
}

/** Parses one of `choices`; the error suggests the nearest. */
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
export function enumerate(words: readonly string[], conjunction: 'or' | 'and' = 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}
