import type { Argument, Completes, Option } from '../framework/define.js';
import { flagNames, takesValue } from '../framework/flags.js';

type OptionWords = Pick<Option<unknown>, 'flags' | 'summary' | 'choices' | 'completes'>;
type ArgumentWords = Pick<Argument<unknown>, 'choices' | 'completes' | 'variadic'>;

interface CommandWords {
  readonly names: readonly string[];
  readonly summary: string;
  readonly options: readonly OptionWords[];
  readonly arguments: readonly ArgumentWords[];
}

interface GroupWords {
  readonly names: readonly string[];
  readonly summary: string;
  readonly commands: readonly CommandWords[];
}

/** `ls` for `computer ls`. */
interface ShortFormWords {
  readonly names: readonly string[];
  readonly summary: string;
  readonly shortFor: readonly [group: string, verb: string];
}

/** What completion knows of the command line. The build saves it, so that no command is loaded. */
export interface CommandLine {
  readonly shortForms: readonly ShortFormWords[];
  readonly groups: readonly GroupWords[];
  readonly singles: readonly CommandWords[];
  readonly globals: readonly OptionWords[];
  /** Topics of `vc help`. */
  readonly topics: readonly Candidate[];
}

export interface Candidate {
  readonly value: string;
  readonly summary?: string;
}

/** Candidates for the last word. */
export interface Offer {
  readonly candidates: readonly Candidate[];
  /** Names or files to offer besides. */
  readonly completes?: Completes;
  /** Stands before each of these names: `--owner=`. */
  readonly prefix?: string;
  /** Values of the options before the word, by long flag: `--project`. */
  readonly given: ReadonlyMap<string, string>;
  /** The arguments of the command before the word. */
  readonly args: readonly string[];
}

/** Kinds of names that only the service or the profile file knows. */
export type NameKind = Exclude<Completes, 'file' | 'command' | 'copy-path'> | 'remote-path';

/** Names to look up, and what of the command line they depend on. */
export interface Wanted extends Pick<Offer, 'given' | 'args'> {
  readonly kind: NameKind;
  /** What has been typed of the word. */
  readonly typed: string;
}

/** What an offer says of names and of the words before it. */
type Found = Omit<Offer, 'given' | 'args'>;

/** The words before the one to complete, as far as they are understood. */
interface Parsed {
  readonly group?: GroupWords;
  readonly command?: CommandWords;
  /** The arguments of the command. */
  readonly args: readonly string[];
  /** The option that the next word is the value of. */
  readonly pending?: OptionWords;
  readonly given: ReadonlyMap<string, string>;
  /** A word names no command, or `--` ends the options. */
  readonly end?: 'unknown' | 'dashes';
}

const HELP: OptionWords = { flags: '--help', summary: 'show help' };
const VERSION: OptionWords = { flags: '--version', summary: 'print the version' };

/** The candidates for the last of `words`, the words of a command line after `vc`. */
export function offer(line: CommandLine, words: readonly string[]): Offer {
  const typed = words.at(-1) ?? '';
  const parsed = parse(line, words.slice(0, -1));
  return { ...found(line, parsed, typed), given: parsed.given, args: parsed.args };
}

function found(line: CommandLine, parsed: Parsed, typed: string): Found {
  const { group, command, args, pending, end } = parsed;
  if (end === 'dashes') return { candidates: [], completes: 'file' };
  if (end === 'unknown') return { candidates: [] };
  if (pending !== undefined) return valuesOf(pending, '');
  if (typed.startsWith('-')) return optionsFor(line, parsed, typed);
  if (command === undefined) return { candidates: commandsOf(line, group) };
  const { completes, candidates } = argumentAt(command, args.length);
  if (completes === 'command') return { candidates: helpWords(line, args) };
  return { candidates, ...(completes === undefined ? {} : { completes }) };
}

function commandsOf(line: CommandLine, group: GroupWords | undefined): Candidate[] {
  const next =
    group === undefined ? [...line.shortForms, ...line.groups, ...line.singles] : group.commands;
  return next.map(({ names: [value = ''], summary }) => ({ value, summary }));
}

/** The words behind `vc help`: a command, or a topic. */
function helpWords(line: CommandLine, words: readonly string[]): Candidate[] {
  const [noun] = words;
  if (noun === undefined) return [...commandsOf(line, undefined), ...line.topics];
  const group = line.groups.find(({ names }) => names.includes(noun));
  return words.length > 1 || group === undefined ? [] : commandsOf(line, group);
}

function parse(line: CommandLine, words: readonly string[]): Parsed {
  const given = new Map<string, string>();
  let parsed: Parsed = { args: [], given };
  for (const word of words) {
    if (parsed.pending !== undefined) {
      given.set(longName(parsed.pending), word);
      parsed = { ...parsed, pending: undefined };
    } else if (word === '--') {
      return { ...parsed, end: 'dashes' };
    } else if (word.startsWith('-')) {
      const [name = '', ...rest] = word.split('=');
      const option = optionsOf(line, parsed).find((known) => flagNames(known).includes(name));
      if (option === undefined || !takesValue(option)) continue;
      if (word.includes('=')) given.set(longName(option), rest.join('='));
      else parsed = { ...parsed, pending: option };
    } else {
      parsed = withWord(line, parsed, word);
      if (parsed.end !== undefined) return parsed;
    }
  }
  return parsed;
}

/** The parsed words with one more that is no option: a group, a command or an argument. */
function withWord(line: CommandLine, parsed: Parsed, word: string): Parsed {
  if (parsed.command !== undefined) return { ...parsed, args: [...parsed.args, word] };
  const isNamed = ({ names }: { readonly names: readonly string[] }) => names.includes(word);
  const group = parsed.group === undefined ? line.groups.find(isNamed) : undefined;
  if (group !== undefined) return { ...parsed, group };
  const command =
    parsed.group === undefined
      ? (line.singles.find(isNamed) ?? commandOfShortForm(line, word))
      : parsed.group.commands.find(isNamed);
  return command === undefined ? { ...parsed, end: 'unknown' } : { ...parsed, command };
}

/** The command that the word is a short form of. */
function commandOfShortForm(line: CommandLine, word: string): CommandWords | undefined {
  const shortForm = line.shortForms.find(({ names }) => names.includes(word));
  if (shortForm === undefined) return undefined;
  const [group, verb] = shortForm.shortFor;
  const found = line.groups.find(({ names }) => names.includes(group));
  return found?.commands.find(({ names }) => names.includes(verb));
}

function optionsOf(line: CommandLine, { command, group }: Parsed): readonly OptionWords[] {
  if (command !== undefined) return [...command.options, ...line.globals, HELP];
  return group === undefined ? [...line.globals, HELP, VERSION] : [...line.globals, HELP];
}

/** Flags; after `--engine=` the values of that option. */
function optionsFor(line: CommandLine, parsed: Parsed, typed: string): Found {
  const options = optionsOf(line, parsed);
  const [name = ''] = typed.split('=');
  if (typed.includes('=')) {
    const option = options.find((known) => flagNames(known).includes(name) && takesValue(known));
    return option === undefined ? { candidates: [] } : valuesOf(option, `${name}=`);
  }
  const candidates = options.flatMap((option) =>
    flagNames(option).map((value) => ({ value, summary: option.summary })),
  );
  return { candidates };
}

function valuesOf(option: OptionWords, prefix: string): Found {
  const { flags, choices = [], completes } = option;
  const candidates = choices.map((choice) => ({ value: `${prefix}${choice}` }));
  if (completes !== undefined) return { candidates, completes, prefix };
  // The working directory of a command is in the computer.
  const isFile = /<(file|directory)>/.test(flags) && !flags.includes('cwd');
  return isFile ? { candidates, completes: 'file' } : { candidates };
}

function argumentAt(command: CommandWords, index: number): Found {
  const last = command.arguments.at(-1);
  const argument = command.arguments[index] ?? (last?.variadic ? last : undefined);
  const candidates = (argument?.choices ?? []).map((value) => ({ value }));
  return argument?.completes === undefined
    ? { candidates }
    : { candidates, completes: argument.completes };
}

function longName(option: OptionWords): string {
  return flagNames(option).at(-1) ?? option.flags;
}
