import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTerminal, type Terminal } from '../../support/cli/terminal.js';
import { promise } from '../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop } from '../../support/service/desktop.js';

let desktop: OwnDesktop;
let terminal: Terminal;
beforeAll(async () => {
  desktop = await openOwnDesktop();
  terminal = await openTerminal(desktop.service);
});
afterAll(async () => {
  await terminal?.close();
  await desktop.close();
});

const type = (...keys: string[]) => terminal.type(...keys);
const shows = (what: RegExp) => terminal.shows(what);

describe('vc shell in a terminal', () => {
  it('is a login shell with the size and keys of the terminal, which it restores', async () => {
    await terminal.vc('computer shell e2e/desktop');
    await shows(/user@.*\$$/m);
    await type('clear; shopt -q login_shell && echo login $TERM $(stty size) $(tty)', 'Enter');
    await shows(/^login (tmux|screen)(-256color)? 30 100 \/dev\/pts/m);
    await terminal.tmux('resize-window', '-x', '120', '-y', '40');
    await type('clear; sleep 1; stty size', 'Enter');
    await shows(/^40 120$/m);
    await type('clear; sleep 500', 'Enter');
    await desktop.until('pgrep -f "^sleep 500" >/dev/null');
    await type('C-c');
    await desktop.until('! pgrep -f "^sleep 500" >/dev/null');
    await type('clear; echo "Grüße 世界"; echo ~.', 'Enter');
    await shows(/^Grüße 世界$/m);
    await type('exit 42', 'Enter');
    await shows(/^ended 42$/m);
    await terminal.isAsBefore();
  });

  promise(
    24,
    'a shell that hangs, or loses its service, can be left, and the terminal is restored',
    async (report) => {
      for (const leave of [
        () => type('Enter', '~', '.'),
        async () => {
          await desktop.service.kill('SIGKILL');
          await desktop.service.start();
        },
      ]) {
        await terminal.vc('computer shell e2e/desktop');
        await shows(/user@.*\$$/m);
        await type('sleep 600', 'Enter');
        await desktop.until('pgrep -f "^sleep 600" >/dev/null');
        await leave();
        await shows(/^ended (130|125)$/m);
        await terminal.isAsBefore();
        await desktop.until('! pgrep -f "^sleep 600" >/dev/null');
      }
      report('left by ~. and by SIGKILL of the service, modes as before');
    },
  );
});

it('vc exec -t gives a program the terminal', async () => {
  await terminal.vc(
    'computer exec -it e2e/desktop bash -c \'tty; stty size; read -r x; exit "$x"\'',
  );
  await shows(/^\/dev\/pts\/\d+\n\d+ \d+$/m);
  await type('43', 'Enter');
  await shows(/^ended 43$/m);
  await terminal.isAsBefore();
  const pipe = await desktop.service.cli(['exec', '-t', 'e2e/desktop', 'true'], { input: '' });
  expect(pipe).toMatchObject({ code: 125, stdout: '' });
  expect(pipe.stderr).toContain('--tty: stdin is not a terminal');
});

describe('vc shell in a pipe', () => {
  it('runs stdin in a login shell without a terminal', async () => {
    const input = 'shopt -q login_shell && echo login; tty; echo err >&2; cat <<E\nà\nE\nexit 5\n';
    const result = await desktop.service.cli(['computer', 'shell', 'e2e/desktop'], { input });
    expect(result).toMatchObject({ code: 5, stdout: 'login\nnot a tty\nà\n', stderr: 'err\n' });
  });
});
