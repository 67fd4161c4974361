import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../eventually.js';

const run = promisify(execFile);

export interface TerminalOptions {
  /** Program with its arguments. */
  readonly command: readonly string[];
  /** The program's complete environment, except TERM. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly columns?: number;
}

/** A program in a real terminal, in its own tmux server. */
export interface Terminal {
  /** Types the text unchanged. */
  type(text: string): Promise<void>;
  /** Presses keys by tmux's names: `Enter`, `Tab`, `C-c`. */
  press(...keys: string[]): Promise<void>;
  /** The text on the screen. */
  screen(): Promise<string>;
  /** Every byte that was written to the terminal. */
  written(): Promise<string>;
  /** Waits until the screen shows it; the deadline is generous, because the host may be busy. */
  shows(text: string | RegExp): Promise<string>;
  close(): Promise<void>;
}

export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const directory = await mkdtemp(join(tmpdir(), 'vc-tmux-'));
  const log = join(directory, 'log');
  const env = { ...options.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
  const tmux = async (...words: string[]) => {
    const socket = ['-S', join(directory, 'socket'), '-f', '/dev/null', '-u'];
    return (await run('tmux', [...socket, ...words], { env, cwd: options.cwd })).stdout;
  };
  // The program waits for the log file, so that no output is missed.
  const start = `until [ -e '${log}' ]; do sleep 0.02; done; exec "$@"`;
  const size = ['-x', String(options.columns ?? 100), '-y', '40'];
  await tmux('new-session', '-d', ...size, 'sh', '-c', start, 'sh', ...options.command);
  await tmux('set-option', '-g', 'remain-on-exit', 'on');
  await tmux('pipe-pane', '-o', `cat >> '${log}'`);
  const screen = () => tmux('capture-pane', '-p', '-J');
  return {
    type: async (text) => void (await tmux('send-keys', '-l', '--', text)),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    screen,
    written: () => readFile(log, 'utf8'),
    shows: async (text) => {
      let last = '';
      const isThere = async () => {
        last = await screen();
        return typeof text === 'string' ? last.includes(text) : text.test(last);
      };
      await eventually(isThere, 60_000).catch((cause) => {
        throw new Error(`the screen does not show ${text}:\n${last}`, { cause });
      });
      return last;
    },
    close: async () => {
      await tmux('kill-server').catch(() => {});
      await rm(directory, { recursive: true });
    },
  };
}
