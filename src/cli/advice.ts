import type { ErrorCode } from '../contract/errors.js';
import { shellWord } from './shell-word.js';

/** What the service said, taken apart. */
export interface Advice {
  /** What is wrong and why. */
  readonly message: string;
  /** The command that mends it, on the machine of the engine. */
  readonly remedy?: string;
  /** What to do next. */
  readonly next?: string;
}

/**
 * The service says what is wrong in one line, and after `; ` or `Try: ` what mends it, in terms of
 * HTTP where that is how it is done. A person at a shell gets the command that does the same.
 * `computer` is what the user called the computer that the command is about.
 */
export function adviceOf(
  { code, message: said }: { readonly code: ErrorCode; readonly message: string },
  computer: string | undefined,
): Advice {
  // These quote what a guest has said: nothing of that is anybody's advice.
  if (code === 'guest_failed' || code === 'guest_timeout') return { message: said };
  const mending = outsideQuotes(said, '[.;]? (?:Try|mend it with): ');
  if (mending) return { message: said.slice(0, mending.at), remedy: said.slice(mending.end) };
  // Of several fields that are wrong each is said, separated in the same way.
  const next = code === 'invalid_request' ? undefined : outsideQuotes(said, '; ');
  if (next === undefined) return { message: said };
  const message = said.slice(0, next.at) + (said.endsWith('.') ? '.' : '');
  return { message, next: asCommands(said.slice(next.end).replace(/\.$/, ''), computer) };
}

/** Where an expression is first found, but for what is quoted: that is somebody's, whatever it says. */
function outsideQuotes(said: string, wanted: string): { at: number; end: number } | undefined {
  const quotedOrWanted = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${wanted}`, 'g');
  for (const { 0: found, index } of said.matchAll(quotedOrWanted)) {
    if (!found.startsWith('"')) return { at: index, end: index + found.length };
  }
  return undefined;
}

/** Requests that the service names, and the command that makes each. */
const requests: readonly (readonly [RegExp, (computer: string) => string])[] = [
  [/POST \/computers\/(\w+)\/start/, (computer) => `vc computer start ${computer}`],
  [/POST \/computers\/(\w+)\/stream\/stop/, (computer) => `vc computer stream stop ${computer}`],
];

/** Undefined when it names a request that no command is known for. */
function asCommands(text: string, computer: string | undefined): string | undefined {
  for (const [request, command] of requests) {
    const [found, id = ''] = request.exec(text) ?? [];
    if (found === undefined) continue;
    return text.replace(found, () => command(computer === undefined ? id : shellWord(computer)));
  }
  if (/\b(GET|POST|PUT|PATCH|DELETE) \//.test(text)) return undefined;
  if (computer === undefined) return text;
  const unprotect = `: vc computer update ${shellWord(computer)} --unprotect`;
  return text.replace(' ("vc computer update --unprotect")', () => unprotect);
}

/** Words of an error, and what helps with it whatever its code. */
const sayings: readonly (readonly [RegExp, (computer: string) => string])[] = [
  [/^This computer has no job /, (computer) => `see: vc job ls ${computer}`],
  [/ in the computer\.$/, (computer) => `see what is there: vc computer bash ${computer} 'ls -la'`],
  [/ is not a directory\.$/, () => 'choose another target'],
  [/^The screen .* for [\d.]+ s\.$/, () => 'wait longer with --timeout'],
  [/^It is not a whole backup/, () => 'give a file that vc backup wrote'],
];

/** What helps with an error of those words; undefined where they are nothing special. */
export function adviceOfWords(message: string, computer = 'COMPUTER'): string | undefined {
  return sayings.find(([words]) => words.test(message))?.[1](computer);
}

interface Case {
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly computer: string | undefined;
}

/** What helps with any error of that kind, where its message says nothing of that. */
export function adviceFor({ code, message, requestId, computer }: Case): string | undefined {
  const name = computer === undefined ? 'COMPUTER' : shellWord(computer);
  const said = adviceOfWords(message, name);
  if (said !== undefined) return said;
  const hints: Partial<Record<ErrorCode, string>> = {
    name_taken: 'choose another name, or remove that one first',
    not_running: `start it first: vc computer start ${name}`,
    conflict: `see how it is: vc computer get ${name}`,
    off_screen: `see where things are: vc computer screenshot ${name}`,
    unknown_key: 'see how keys are named: vc computer key --help',
    target_failed: 'check the URL, and that a server listens there',
    unauthorized: 'check VC_API_KEY, or give a new key: vc login',
    ...(requestId && { internal: `the service's log says more about request ${requestId}` }),
    guest_timeout: `see how it is: vc computer get ${name}`,
    guest_failed: `see how it is: vc computer get ${name}`,
    engine_unavailable: 'on the machine of the service: vc doctor',
  };
  return hints[code];
}
