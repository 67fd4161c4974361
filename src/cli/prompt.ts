import { InterruptedError } from './errors.js';
import type { Interrupts } from './interrupts.js';
import { type Io, write } from './io.js';

/** Questions to the person at the terminal. */
export interface Prompt {
  /** True when a person can be asked. */
  readonly isInteractive: boolean;
  /** Yes or no; no by default. */
  confirm(question: string): Promise<boolean>;
  /** A line that is not echoed; without a terminal, the first line of stdin. */
  secret(question: string): Promise<string>;
}

export function createPrompt(io: Io, interrupts: Interrupts): Prompt {
  const isInteractive = io.stdin.isTTY === true && io.stderr.isTTY === true;
  return {
    isInteractive,
    async confirm(question) {
      await write(io.stderr, `${question} [y/N] `);
      return /^y(es)?$/i.test((await readLine(io, interrupts.signal)).trim());
    },
    async secret(question) {
      if (!isInteractive) return (await readLine(io, interrupts.signal)).trim();
      await write(io.stderr, `${question}: `);
      return (await readHidden(io, interrupts)).trim();
    },
  };
}

/** The next line of stdin, without its end; what is there when the input ends or we are stopped. */
function readLine({ stdin }: Io, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (settle: () => void) => {
      stdin.off('data', take).off('end', end);
      signal.removeEventListener('abort', stop);
      stdin.pause();
      settle();
    };
    const end = () => finish(() => resolve(text));
    const stop = () => finish(() => reject(new InterruptedError()));
    const take = (chunk: Buffer | string) => {
      text += chunk.toString();
      const newline = text.indexOf('\n');
      if (newline >= 0) finish(() => resolve(text.slice(0, newline).replace(/\r$/, '')));
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    stdin.on('data', take).on('end', end);
    stdin.resume();
  });
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ENTER = ['\r', '\n'];
const ERASE = ['\b', '\u007f'];

/** A line typed in raw mode, so that the terminal shows nothing of it. */
async function readHidden({ stdin, stderr }: Io, interrupts: Interrupts): Promise<string> {
  stdin.setRawMode?.(true);
  try {
    return await new Promise((resolve, reject) => {
      let line: string[] = [];
      const take = (chunk: Buffer | string) => {
        for (const character of chunk.toString()) {
          if (character === CTRL_C) {
            stdin.off('data', take);
            interrupts.trigger('SIGINT');
            return reject(new InterruptedError());
          }
          if (ENTER.includes(character) || character === CTRL_D) {
            stdin.off('data', take);
            return resolve(line.join(''));
          }
          if (ERASE.includes(character)) line = line.slice(0, -1);
          else line.push(character);
        }
      };
      stdin.on('data', take);
      stdin.resume();
    });
  } finally {
    stdin.setRawMode?.(false);
    stdin.pause();
    await write(stderr, '\n');
  }
}
