import { onAbort } from '../../lib/async/abort.js';
import { InterruptedError, UsageError } from '../errors/cli-error.js';
import type { Interrupts } from '../framework/interrupts.js';
import { type Io, write } from '../framework/io.js';

/** Asks the user at the terminal. */
export interface Prompt {
  /** True if stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  /** Asks a yes/no question; the default is no. */
  confirm(question: string): Promise<boolean>;
  /** Waits until the user presses Enter. */
  pause(message: string): Promise<void>;
  /** Reads a line without echo; without a terminal, the first line of stdin. */
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
    async pause(message) {
      await write(io.stderr, message);
      await readLine(io, interrupts.signal);
    },
    async secret(question) {
      if (!isInteractive) return (await readLine(io, interrupts.signal)).trim();
      await write(io.stderr, `${question}: `);
      return (await readHidden(io, interrupts)).trim();
    },
  };
}

/** Longest line that is read, in characters. */
const MOST_LINE = 64 * 1024;

/** The next line of stdin, or what is left when the input ends. */
function readLine({ stdin }: Io, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    let dispose = () => {};
    const finish = (settle: () => void) => {
      stdin.off('data', take).off('end', end);
      dispose();
      stdin.pause();
      settle();
    };
    const end = () => finish(() => resolve(text));
    const take = (chunk: Buffer | string) => {
      text += chunk.toString();
      if (text.length > MOST_LINE) {
        return finish(() => reject(new UsageError('the first line of stdin is too long')));
      }
      const newline = text.indexOf('\n');
      if (newline >= 0) finish(() => resolve(text.slice(0, newline).replace(/\r$/, '')));
    };
    stdin.on('data', take).on('end', end);
    stdin.resume();
    dispose = onAbort(signal, () => finish(() => reject(new InterruptedError())));
  });
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ENTER = ['\r', '\n'];
const ERASE = ['\b', '\u007f'];

/** Reads a line in raw mode, so that the terminal does not echo it. */
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
