// @module-tag slow
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { execa } from 'execa';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';
import { VC } from '../../support/service/service.js';

/** TigerVNC's viewer on an X server of its own, connected with a computer by `vc vnc`. */
let desktop: Desktop;
let xServer: ReturnType<typeof startXServer>;
let display: string;

beforeAll(async () => {
  xServer = startXServer();
  desktop = await openDesktop();
  await desktop.run(
    `printf 'stty -icanon -echo; exec cat > /tmp/keys\\n' > /tmp/keys.sh
    xterm -geometry 60x15+150+120 -T keys -e sh /tmp/keys.sh >/dev/null 2>&1 &`,
  );
  await desktop.until(
    'xdotool search --onlyvisible --name "^keys$" >/dev/null && test -e /tmp/keys',
  );
  await desktop.computer.wait({ until: 'stable' });
  display = await eventually(async () => /^\d+\n/.exec(xServer.number())?.[0].trim());
  display = `:${display}`;
});
afterAll(async () => {
  await desktop?.close();
  await xServer?.end();
});

function startXServer() {
  // The file descriptor 3 receives the number of the display.
  const server = execa(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      buffer: false,
      reject: false,
    },
  );
  let text = '';
  server.stdio[3]?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  return {
    number: () => text,
    end: async () => {
      server.kill();
      await server;
    },
  };
}

interface Access {
  readonly address: string;
  readonly port: number;
  readonly password: string;
  readonly mode: string;
}

/** Runs `vc vnc` during the work. */
async function during({ env = desktop.service.env }, work: (access: Access) => Promise<void>) {
  const argv = [VC, 'vnc', desktop.name, '--json'];
  const child = execa(process.execPath, argv, {
    ...{ env, extendEnv: false, stdin: 'ignore', reject: false },
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  try {
    await eventually(async () => stdout.includes('\n') || child.exitCode !== null, 20_000);
    await work(JSON.parse(stdout) as Access);
  } finally {
    child.kill('SIGINT');
  }
  return child;
}

/** Runs TigerVNC's viewer during the work. */
async function viewing({ port, password }: Access, work: () => Promise<unknown>) {
  const child = execa('xtigervncviewer', [`127.0.0.1::${port}`, '-AlertOnFatalError=0'], {
    env: { ...desktop.service.env, DISPLAY: display, VNC_PASSWORD: password },
    ...{ extendEnv: false, stdin: 'ignore', reject: false, all: true },
  });
  try {
    await work();
  } finally {
    child.kill();
  }
  return child;
}

const onDisplay = (program: string, ...args: string[]) =>
  execFileSync(program, args, { env: { PATH: process.env.PATH, DISPLAY: display } });

/** The id of the viewer's window. */
function viewerWindow(): string {
  const found = onDisplay('xdotool', 'search', '--onlyvisible', '--name', 'TigerVNC').toString();
  return found.trim().split('\n')[0] ?? '';
}

/** Clicks and types in the viewer; without a window manager, only a window with the focus gets keys. */
function clickAndType(text: string): void {
  onDisplay('xdotool', 'windowfocus', '--sync', viewerWindow());
  onDisplay('xdotool', 'mousemove', '300', '250', 'click', '1');
  onDisplay('xdotool', 'type', '--delay', '20', text);
}

/** Pixels of the viewer's window. */
async function shown(): Promise<Buffer> {
  const window = viewerWindow();
  const geometry = onDisplay('xdotool', 'getwindowgeometry', '--shell', window).toString();
  const of = (name: string) => Number(new RegExp(`^${name}=(-?\\d+)$`, 'm').exec(geometry)?.[1]);
  const grab = [
    '-f',
    'x11grab',
    '-draw_mouse',
    '0',
    '-video_size',
    `${of('WIDTH')}x${of('HEIGHT')}`,
  ];
  const png = onDisplay(
    ...(['ffmpeg', '-v', 'error', ...grab] as const),
    ...['-i', `${display}+${of('X')},${of('Y')}`, '-frames:v', '1', '-f', 'apng', '-'],
  );
  return sharp(png).removeAlpha().raw().toBuffer();
}

/** Of the computer, with its pointer, which the viewer gets as part of the picture. */
const pixels = async () =>
  sharp(await desktop.computer.screenshot({ cursor: true }))
    .removeAlpha()
    .raw()
    .toBuffer();

const showsDesktop = () =>
  eventually(async () => {
    const [there, here] = [await pixels(), await shown().catch(() => undefined)];
    return here?.equals(there);
  }, 20_000);

it('TigerVNC shows the exact pixels of the desktop, types, and may connect again', async () => {
  const ended = await during({}, async (access) => {
    expect(access).toMatchObject({ address: '127.0.0.1', mode: 'control' });
    await viewing(access, showsDesktop);
    await viewing(access, async () => {
      await showsDesktop();
      clickAndType('Hello, computer!');
      await desktop.until('tail -c 16 /tmp/keys | grep -q "^Hello, computer!"');
    });
  });
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
});

it('a key that may only look gets a view without input', async () => {
  // A test that is run again makes another one.
  const name = `look-${randomBytes(4).toString('hex')}`;
  const { key } = await desktop.service.vc.keys.create({ name, rights: 'look' });
  const env = { ...desktop.service.env, VC_API_KEY: key };
  const ended = await during({ env }, async (access) => {
    expect(access.mode).toBe('view');
    await viewing(access, async () => {
      await showsDesktop();
      clickAndType('not typed');
      // What was sent before is dropped when this has arrived.
      await desktop.computer.type('typed');
      await desktop.until('tail -c 5 /tmp/keys | grep -q ^typed');
    });
  });
  expect(await desktop.run('cat /tmp/keys')).not.toContain('not');
  expect(ended).toMatchObject({ exitCode: 0 });
});

it('TigerVNC passes texts of the clipboard on in both directions', async () => {
  const clipboard = ['-selection', 'clipboard'];
  await during({}, async (access) => {
    await viewing(access, async () => {
      await showsDesktop();
      clickAndType('focus');
      await desktop.until('tail -c 5 /tmp/keys | grep -q ^focus');
      // It stays in the background, as the owner of the text.
      execFileSync('xclip', [...clipboard, '-i'], {
        env: { PATH: process.env.PATH, DISPLAY: display },
        stdio: ['pipe', 'ignore', 'ignore'],
        input: 'from the viewer: é',
      });
      await eventually(async () => (await desktop.computer.clipboard()) === 'from the viewer: é');
      onDisplay('xdotool', 'key', 'shift+Insert');
      await desktop.until('tail -c 19 /tmp/keys | grep -q "^from the viewer: é"');

      await desktop.run("printf 'from the guest: é' | DISPLAY=:0 xclip -selection clipboard -i");
      await eventually(
        async () => onDisplay('xclip', ...clipboard, '-o').toString() === 'from the guest: é',
      );
    });
  });
});
