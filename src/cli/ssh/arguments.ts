import { UsageError } from '../errors/cli-error.js';

/** Options of ssh(1) that take a value, which may be the next word. */
const WITH_VALUE = 'BbcDEeFIiJLlmOoPpQRSWw';
/** Options with which ssh needs no host: they print something about ssh itself. */
const WITHOUT_HOST = 'QV';

/** The words of a command line of ssh. */
export interface SshWords {
  /** Options before and after the host. */
  readonly options: readonly string[];
  /** The user in `USER@HOST`. */
  readonly user: string | undefined;
  /** The same, and those of `-l` and of `-o User`. */
  readonly users: readonly string[];
  /** Absent if none is given. */
  readonly host: string | undefined;
  readonly command: readonly string[];
  /** True if ssh does not connect, as with `-V`. */
  readonly needsNoHost: boolean;
}

/**
 * Splits the words as ssh does: options are possible before and after the host, and everything from
 * the first other word is the remote command.
 */
export function parseSshWords(words: readonly string[]): SshWords {
  const options: string[] = [];
  const users: string[] = [];
  let destination: string | undefined;
  let needsNoHost = false;
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') {
      at += 1;
      if (destination !== undefined) break;
      destination = words[at];
    } else if (word.startsWith('--') && destination === undefined) {
      throw new UsageError(
        `unknown option '${word}'`,
        'ssh has no long options; those of vc stand directly after vc ssh',
      );
    } else if (word.startsWith('-') && word !== '-') {
      options.push(word);
      const { letter, value, isLocal } = readOptions(word);
      needsNoHost ||= isLocal;
      const takesNext = letter !== undefined && value === '' && at + 1 < words.length;
      if (takesNext) options.push(words[++at] ?? '');
      const given = takesNext ? (words[at] ?? '') : value;
      if (letter === 'l') users.push(given);
      const [, named] = /^\s*user(?:\s*=\s*|\s+)(.*)$/is.exec(letter === 'o' ? given : '') ?? [];
      if (named !== undefined) users.push(named);
    } else if (destination === undefined) destination = word;
    else break;
  }
  const { user, host } = split(destination);
  if (user !== undefined) users.push(user);
  return { options, user, users, host, command: words.slice(at), needsNoHost };
}

/** Reads letters that are written together, such as `-Av` or `-p22`; `letter` takes a value. */
function readOptions(word: string): { letter?: string; value: string; isLocal: boolean } {
  let isLocal = false;
  for (let i = 1; i < word.length; i += 1) {
    const letter = word[i] ?? '';
    isLocal ||= WITHOUT_HOST.includes(letter);
    if (WITH_VALUE.includes(letter)) return { letter, value: word.slice(i + 1), isLocal };
  }
  return { value: '', isLocal };
}

/** ssh splits at the last `@`. */
function split(destination: string | undefined): Pick<SshWords, 'user' | 'host'> {
  const end = destination?.lastIndexOf('@') ?? -1;
  if (destination === undefined || end < 0) return { user: undefined, host: destination };
  return { user: destination.slice(0, end), host: destination.slice(end + 1) };
}
