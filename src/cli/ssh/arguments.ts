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
      const { takesNext, isLocal } = readOptions(word);
      needsNoHost ||= isLocal;
      if (takesNext && at + 1 < words.length) options.push(words[++at] ?? '');
    } else if (destination === undefined) destination = word;
    else break;
  }
  return { options, ...split(destination), command: words.slice(at), needsNoHost };
}

/** Reads letters that are written together, such as `-Av` or `-p22`. */
function readOptions(word: string): { takesNext: boolean; isLocal: boolean } {
  let isLocal = false;
  for (let i = 1; i < word.length; i += 1) {
    const letter = word[i] ?? '';
    isLocal ||= WITHOUT_HOST.includes(letter);
    if (WITH_VALUE.includes(letter)) return { takesNext: i === word.length - 1, isLocal };
  }
  return { takesNext: false, isLocal };
}

/** ssh splits at the last `@`. */
function split(destination: string | undefined): Pick<SshWords, 'user' | 'host'> {
  const end = destination?.lastIndexOf('@') ?? -1;
  if (destination === undefined || end < 0) return { user: undefined, host: destination };
  return { user: destination.slice(0, end), host: destination.slice(end + 1) };
}
