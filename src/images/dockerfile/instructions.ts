import { DockerfileParser } from 'dockerfile-ast';
import { ApiError } from '../../contract/errors.js';
import { cut } from '../../lib/text/printable.js';
import { mistake, type Place } from './errors.js';

/** Longest Dockerfile in characters (the parser's time grows with the square), and most instructions. */
export const LIMITS = { characters: 64 * 1024, instructions: 1000 } as const;

export interface Heredoc {
  readonly name: string;
  readonly content: string;
  /** Its name was quoted: variables in it are not replaced. */
  readonly isLiteral: boolean;
}

export interface Flag {
  readonly name: string;
  /** Empty without `=`. */
  readonly value: string;
}

export interface Instruction extends Place {
  /** In capitals. */
  readonly keyword: string;
  /** The instruction without its here-documents on one line, as it is shown. */
  readonly text: string;
  readonly flags: readonly Flag[];
  /** What follows the flags, continued lines joined. */
  readonly rest: string;
  readonly heredocs: readonly Heredoc[];
  /** The lines of all here-documents as they are in the file. */
  readonly heredocLines: string;
}

export interface Source {
  /** The escape character: a backslash or a backtick. */
  readonly escaping: string;
  readonly instructions: readonly Instruction[];
}

/** Reads the instructions of a Dockerfile. Throws ApiError `invalid_request` with file and line. */
export function readInstructions(text: string, file: string): Source {
  if (text.length > LIMITS.characters) {
    const most = `${LIMITS.characters / 1024} KiB`;
    const remedy = 'put long scripts into files, and copy them with COPY';
    throw new ApiError('invalid_request', `${file} is larger than ${most}, the limit.`, { remedy });
  }
  const normal = text.replaceAll('\r\n', '\n').replace(/^\ufeff/, '');
  const parsed = DockerfileParser.parse(normal);
  const escaping = parsed.getEscapeCharacter();
  const lines = normal.split('\n');
  const found = parsed.getInstructions();
  if (found.length > LIMITS.instructions) {
    const message = `${file} has more than ${LIMITS.instructions} instructions, the limit.`;
    throw new ApiError('invalid_request', message);
  }
  const instructions = found.map((each) => {
    const { start, end } = each.getRange();
    const own = lines.slice(start.line, end.line + 1);
    return instruction(own, escaping, { file, line: start.line + 1 });
  });
  return { escaping, instructions };
}

function instruction(lines: readonly string[], escaping: string, place: Place): Instruction {
  const { text, rest: others } = joinLines(lines, escaping);
  const [, word = '', args = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  const keyword = word.toUpperCase();
  const { flags, rest } = takeFlags(args);
  const mayHaveHeredocs = ['RUN', 'COPY', 'ADD'].includes(keyword) && jsonWords(rest) === undefined;
  const { heredocs, left } = mayHaveHeredocs
    ? takeHeredocs(rest, others, place)
    : { heredocs: [], left: others };
  if (left.some((line) => line.trim() !== '')) {
    throw mistake(place, `the lines that follow ${keyword} do not belong to it`);
  }
  const shown = cut(`${keyword} ${args}`.replaceAll(/\s+/g, ' ').trim(), 400);
  const heredocLines = others.join('\n');
  return { ...place, keyword, text: shown, flags, rest, heredocs, heredocLines };
}

/** Joins continued lines, without the comments and empty lines between them. */
function joinLines(lines: readonly string[], escaping: string) {
  const continued = escaping === '`' ? /`[ \t]*$/ : /\\[ \t]*$/;
  let text = '';
  for (const [index, line] of lines.entries()) {
    if (index > 0 && /^\s*(#|$)/.test(line)) continue;
    text += line.replace(continued, '');
    if (!continued.test(line)) return { text: text.trim(), rest: lines.slice(index + 1) };
  }
  return { text: text.trim(), rest: [] };
}

function takeFlags(args: string): { flags: Flag[]; rest: string } {
  const flags: Flag[] = [];
  let rest = args;
  for (let match = FLAG.exec(rest); match !== null; match = FLAG.exec(rest)) {
    const [whole, name = '', value = ''] = match;
    if (name !== '') flags.push({ name, value });
    rest = rest.slice(whole.length);
    if (name === '') break;
  }
  return { flags, rest };
}

const FLAG = /^--(?:([a-z-]+)(?:=(\S*))?)?(?:\s+|$)/;

function takeHeredocs(rest: string, lines: readonly string[], place: Place) {
  const heredocs: Heredoc[] = [];
  let left = [...lines];
  for (const [, dash, quote, name = ''] of rest.matchAll(HEREDOC)) {
    const withoutTabs = (line: string) => (dash ? line.replace(/^\t+/, '') : line);
    const end = left.findIndex((line) => withoutTabs(line) === name);
    if (end < 0) throw mistake(place, `the here-document <<${name} has no end`);
    const content = left.slice(0, end).map((line) => `${withoutTabs(line)}\n`);
    heredocs.push({ name, content: content.join(''), isLiteral: quote !== '' });
    left = left.slice(end + 1);
  }
  return { heredocs, left };
}

const HEREDOC = /(?<!\S)\d*<<(-?)(["']?)([^\s<"']+)\2(?!\S)/g;

/** The words that name here-documents; see {@link Heredoc}. */
export function isHeredocWord(word: string): boolean {
  return new RegExp(`^${HEREDOC.source}$`).test(word);
}

/** The words of the exec form, `["a", "b"]`; undefined for text in another form. */
export function jsonWords(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    const isList = Array.isArray(words) && words.every((word) => typeof word === 'string');
    return isList ? words : undefined;
  } catch {
    return undefined;
  }
}
