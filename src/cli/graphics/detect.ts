import { readFile } from 'node:fs/promises';
import type { Environment } from '../../profile/index.js';
import type { Io } from '../io.js';
import { type Graphics, graphicsByName } from './protocol.js';

/** Every terminal answers at once; what says nothing in this time, in milliseconds, is none. */
const ANSWER_MS = 1000;
/** Bytes of an answer that are looked at. */
const MOST = 1024;

/** Primary device attributes: every terminal answers, one with sixel graphics names a 4. */
const QUESTION = '\u001b[c';

/**
 * How the terminal shows pictures; undefined when it does not, or is none. What its variables leave
 * open the terminal is asked, if this process has it to itself; its mode is given back.
 */
export async function detectGraphics(
  io: Io,
  env: Environment,
  isForeground: () => Promise<boolean> = isInForeground,
): Promise<Graphics | undefined> {
  if (!io.stdout.isTTY) return undefined;
  const named = graphicsByName(env);
  if (named !== undefined) return named === 'none' ? undefined : named;
  const canAsk = io.stdin.isTTY === true && io.stdin.setRawMode !== undefined;
  return canAsk && (await isForeground()) && (await hasSixel(io)) ? 'sixel' : undefined;
}

/**
 * False for a background job, which the terminal would stop for a change of its mode, and where it
 * cannot be known. Fields 5 and 8 of /proc/self/stat are the own process group and the terminal's.
 */
async function isInForeground(): Promise<boolean> {
  const stat = await readFile('/proc/self/stat', 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[2] !== undefined && fields[2] === fields[5];
}

async function hasSixel({ stdin, stdout }: Io): Promise<boolean> {
  let answer = '';
  stdin.setRawMode?.(true);
  try {
    return await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => settle(false), ANSWER_MS);
      const onData = (chunk: Buffer | string) => {
        answer = (answer + chunk.toString()).slice(-MOST);
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
      stdout.write(QUESTION);
    });
  } finally {
    stdin.setRawMode?.(false);
  }
}

/** The numbers of an answer `ESC [ ? 64 ; 4 c`; undefined when there is none yet. */
export function parseAttributes(text: string): number[] | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
  const parameters = /\u001b\[\?([\d;]*)c/.exec(text)?.[1];
  return parameters?.split(';').map(Number);
}
