import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, eventually, openBench } from '../support/e2e.js';

const VC = new URL('../../bin/vc.js', import.meta.url).pathname;

let bench: Bench;
let tmux: (...args: string[]) => Promise<string>;
beforeAll(async () => {
  bench = await openBench();
  const socket = join(bench.service.directory, 'tmux');
  tmux = async (...args) => {
    const result = await execa('tmux', ['-S', socket, ...args], {
      env: { ...bench.service.env, TERM: 'xterm-256color' },
      extendEnv: false,
    });
    return result.stdout;
  };
  await tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '30', 'bash --norc');
});
afterAll(async () => {
  await tmux('kill-server').catch(() => undefined);
  await bench.close();
});

const screen = () => tmux('capture-pane', '-p');
const type = (...keys: string[]) => tmux('send-keys', ...keys);
const shows = (what: RegExp) => eventually(async () => what.test(await screen()), 20_000);

describe('vc computer shell in a terminal', () => {
  it('is a login shell with this terminal, its size and its keys, and gives the terminal back', async () => {
    await type('modes=$(stty -g); clear', 'Enter');
    await type(`${process.execPath} ${VC} computer shell e2e/desktop; echo "ended $?"`, 'Enter');
    await shows(/user@.*\$$/m);
    await type('clear; shopt -q login_shell && echo login $TERM $(stty size) $(tty)', 'Enter');
    await shows(/^login (tmux|screen)(-256color)? 30 100 \/dev\/pts/m);
    await tmux('resize-window', '-x', '120', '-y', '40');
    await type('clear; sleep 1; stty size', 'Enter');
    await shows(/^40 120$/m);
    await type('clear; sleep 500', 'Enter');
    await bench.until('pgrep -f "^sleep 500" >/dev/null');
    await type('C-c');
    await bench.until('! pgrep -f "^sleep 500" >/dev/null');
    await type('clear; echo "Grüße 世界"; echo ~.', 'Enter');
    await shows(/^Grüße 世界$/m);
    await type('exit 42', 'Enter');
    await shows(/^ended 42$/m);
    await type('clear; [ "$(stty -g)" = "$modes" ] && echo same', 'Enter');
    await shows(/^same$/m);
  });

  it('can be left when it hangs, and when the service dies, with the terminal whole', async () => {
    for (const leave of [
      () => type('Enter', '~', '.'),
      async () => {
        await bench.service.kill('SIGKILL');
        await bench.service.start();
      },
    ]) {
      await type(
        `clear; ${process.execPath} ${VC} computer shell e2e/desktop; echo "ended $?"`,
        'Enter',
      );
      await shows(/user@.*\$$/m);
      await type('sleep 600', 'Enter');
      await bench.until('pgrep -f "^sleep 600" >/dev/null');
      await leave();
      await shows(/^ended (130|7)$/m);
      await type('clear; [ "$(stty -g)" = "$modes" ] && echo same', 'Enter');
      await shows(/^same$/m);
      await bench.until('! pgrep -f "^sleep 600" >/dev/null');
    }
  });
});

describe('vc computer shell in a pipe', () => {
  it('runs what stands on stdin, in a login shell, without a terminal', async () => {
    const input = 'shopt -q login_shell && echo login; tty; echo err >&2; cat <<E\nà\nE\nexit 5\n';
    const result = await bench.service.cli(['computer', 'shell', 'e2e/desktop'], { input });
    expect(result).toMatchObject({ code: 5, stdout: 'login\nnot a tty\nà\n', stderr: 'err\n' });
  });
});
