import type { Environment } from '../../../profile/index.js';
import type { Io } from '../../framework/io.js';
import { jobState } from '../foreground.js';
import { type Graphics, graphicsByName } from './protocol.js';

/** Terminals answer at once. */
const ANSWER_TIMEOUT_MS = 1000;
/** Characters of the answer to keep. */
const ANSWER_LIMIT = 1024;

/** Primary device attributes: attribute 4 of the answer means sixel graphics. */
const QUERY = '\u001b[c';

/**
 * The graphics protocol of the terminal; undefined if it has none. Decided by environment variables,
 * else by a query to the terminal if this is the foreground process.
 */
export async function detectGraphics(
  io: Io,
  env: Environment,
  isForeground: () => Promise<boolean> = async () => jobState() === 'foreground',
): Promise<Graphics | undefined> {
  if (!io.stdout.isTTY) return undefined;
  const named = graphicsByName(env);
  if (named !== undefined) return named === 'none' ? undefined : named;
  const canAsk = io.stdin.isTTY === true && io.stdin.setRawMode !== undefined;
  return canAsk && (await isForeground()) && (await hasSixel(io)) ? 'sixel' : undefined;
}

async function hasSixel({ stdin, stdout }: Io): Promise<boolean> {
  let answer = '';
  stdin.setRawMode?.(true);
  try {
    return await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => settle(false), ANSWER_TIMEOUT_MS);
      const onData = (chunk: Buffer | string) => {
        answer = (answer + chunk.toString()).slice(-ANSWER_LIMIT);
        const parameters = parseAttributes(answer);
        if (parameters !== undefined) settle(parameters.includes(4));
      };
      const settle = (has: boolean) => {
        clearTimeout(timer);
        stdin.off('data', onData);
        stdin.pause();
        resolve(has);
      };
      stdin.on('data', onData);
      stdin.resume();
      stdout.write(QUERY);
    });
  } finally {
    stdin.setRawMode?.(false);
  }
}

/** The attributes of an answer `ESC [ ? 64 ; 4 c`; undefined if it is incomplete. */
export function parseAttributes(text: string): number[] | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
  const parameters = /\u001b\[\?([\d;]*)c/.exec(text)?.[1];
  return parameters?.split(';').map(Number);
}
