import { join } from 'node:path';
import { execa } from 'execa';
import { eventually } from '../eventually.js';
import type { TestService } from '../service/service.js';

const VC = new URL('../../../bin/vc.js', import.meta.url).pathname;

/** A terminal of 100x30 with a shell whose environment is set up for the service. */
export interface Terminal {
  tmux(...args: string[]): Promise<string>;
  /** The text on the screen. */
  screen(): Promise<string>;
  /** Presses keys, as tmux names them; anything else is typed. */
  type(...keys: string[]): Promise<string>;
  shows(what: RegExp): Promise<true>;
  /** Runs `vc WORDS` on an empty screen and then prints `ended CODE`. */
  vc(words: string): Promise<string>;
  /** Fails unless modes and cursor are as they were when the terminal was opened. */
  isAsBefore(): Promise<void>;
  close(): Promise<void>;
}

/** Needs tmux. */
export async function openTerminal({ directory, env }: TestService): Promise<Terminal> {
  const socket = join(directory, 'tmux');
  const tmux = async (...args: string[]) => {
    const result = await execa('tmux', ['-S', socket, ...args], {
      env: { ...env, TERM: 'xterm-256color' },
      extendEnv: false,
    });
    return result.stdout;
  };
  await tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '30', 'bash --norc');
  const screen = () => tmux('capture-pane', '-p');
  const type = (...keys: string[]) => tmux('send-keys', ...keys);
  const shows = (what: RegExp) =>
    eventually<true>(async () => what.test(await screen()), 60_000).catch(async (cause) => {
      throw new Error(`${what} does not come; the terminal shows:\n${await screen()}`, { cause });
    });
  await type('modes=$(stty -g); clear; echo opened', 'Enter');
  await shows(/^opened$/m);
  return {
    tmux,
    screen,
    type,
    shows,
    vc: (words) => type(`clear; ${process.execPath} ${VC} ${words}; echo "ended $?"`, 'Enter'),
    isAsBefore: async () => {
      await type('clear; [ "$(stty -g)" = "$modes" ] && echo same || echo changed', 'Enter');
      await shows(/^(same|changed)$/m);
      if (!/^same$/m.test(await screen()))
        throw new Error('the modes of the terminal have changed');
      const cursor = await tmux('display-message', '-p', '#{cursor_flag}');
      if (cursor !== '1') throw new Error('the cursor is hidden');
    },
    close: async () => {
      await tmux('kill-server').catch(() => undefined);
    },
  };
}
