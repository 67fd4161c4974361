// @module-tag slow
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScreen, type PictureOptions, type Screen } from '../../src/screen/index.js';

const run = promisify(execFile);
const PNG: PictureOptions = { format: 'png', quality: 80, scale: 1, cursor: false };

const missing = ['Xvnc', 'xterm', 'xev', 'xclip', 'xdotool'].filter((tool) => !installed(tool));
if (missing.length > 0) {
  console.log(`No test against a real display server: ${missing.join(', ')} not installed.`);
}

function installed(tool: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

describe.skipIf(missing.length > 0)('a real display server', () => {
  const children: ChildProcess[] = [];
  let directory: string;
  let socket: string;
  let env: NodeJS.ProcessEnv;
  let screen: Screen;

  function start(command: string, args: readonly string[]): ChildProcess {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(child);
    return child;
  }

  /** Starts a terminal that writes its input to a file; resolves when it accepts input. */
  async function terminal(name: string): Promise<() => Promise<string>> {
    const file = join(directory, name);
    const script = `cat > '${file}'`;
    start('xterm', ['-geometry', '80x24+0+0', '-title', name, '-e', 'sh', '-c', script]);
    await until(() => stat(file).then(() => true));
    await until(async () => {
      const { stdout } = await run('xdotool', ['search', '--onlyvisible', '--name', name], { env });
      await run('xdotool', ['windowfocus', '--sync', stdout.trim()], { env });
      return true;
    });
    return () => readFile(file, 'utf8');
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vc-screen-'));
    socket = join(directory, 'rfb.sock');
    const options = ['-geometry', '800x600', '-depth', '24', '-FrameRate', '250'];
    const rfb = [
      '-rfbunixpath',
      socket,
      '-rfbport',
      '-1',
      '-SecurityTypes',
      'None',
      '-AlwaysShared',
    ];
    const server = spawn('Xvnc', ['-displayfd', '3', ...options, ...rfb], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    children.push(server);
    const number = await new Promise<string>((resolve, reject) => {
      server.once('exit', () => reject(new Error('Xvnc ended')));
      server.stdio[3]?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    });
    env = { ...process.env, DISPLAY: `:${number}`, LANG: 'C.UTF-8' };
    screen = await openScreen(net.connect(socket));
  }, 20_000);

  afterAll(async () => {
    screen?.close();
    for (const child of children.reverse()) child.kill();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });

  test('receives exactly the typed text, in any script, with Caps Lock on or off', async () => {
    const read = await terminal('typing');
    const lines = [
      'Hello, World! ~`@#$%^&*()_+{}|:"<>?',
      'HELLO again',
      'é e\u0301 ñandú Ж 中文 العربية',
      'mixed 👍🏽 and 👩‍👩‍👧‍👦 in one line',
      '\ttabs\tand é between\t',
    ];
    const typed = `${lines.join('\n')}\n`;
    await screen.type(typed);
    await until(async () => (await read()) === typed);
    await run('xdotool', ['key', 'Caps_Lock'], { env });
    await screen.type(typed);
    await until(async () => (await read()) === typed + typed);
    await run('xdotool', ['key', 'Caps_Lock'], { env });
    expect(await read()).toBe(typed + typed);
  });

  test('receives 500 characters of ASCII at once', async () => {
    const read = await terminal('speed');
    const typed = `${'The quick brown Fox. '.repeat(24).slice(0, 499)}\n`;
    const start = performance.now();
    await screen.type(typed);
    const taken = performance.now() - start;
    console.log(`500 ASCII characters: ${taken.toFixed(1)} ms`);
    await until(async () => (await read()) === typed);
  });

  test('types a text only once when a program hangs and resumes later', async () => {
    const read = await terminal('hung');
    const pid = children.at(-1)?.pid ?? 0;
    const stream = net.connect(socket);
    const other = await openScreen(stream);
    const write = stream.write.bind(stream);
    // The program resumes exactly when the text is typed as keys instead.
    const pressed = (data: Uint8Array) =>
      Buffer.from(data).includes(Buffer.from([4, 1, 0, 0, 0, 0, 0, 0xe9]));
    stream.write = (data: Uint8Array, ...more: never[]) => {
      if (pressed(data)) process.kill(pid, 'SIGCONT');
      return write(data, ...more);
    };
    process.kill(pid, 'SIGSTOP');
    try {
      await other.type('é\n');
      await until(async () => (await read()).endsWith('\n'));
      expect(await read()).toBe('é\n');
    } finally {
      process.kill(pid, 'SIGCONT');
      other.close();
    }
  }, 20_000);

  test('restores the clipboard', async () => {
    const read = await terminal('clipboard');
    const clip = spawn('xclip', ['-selection', 'clipboard'], {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    clip.stdin?.end('kept tëxt\nof two lines');
    await new Promise((resolve) => clip.once('exit', resolve));
    await sleep(200);
    await screen.type('ü\n');
    await until(async () => (await read()) === 'ü\n');
    const { stdout } = await run('xclip', ['-selection', 'clipboard', '-o'], { env });
    expect(stdout).toBe('kept tëxt\nof two lines');
  });

  test('receives clicks, held keys and wheel events', async () => {
    const events = start('xev', ['-geometry', '200x200+500+300']);
    const output = events.stdout === null ? Promise.resolve('') : text(events.stdout);
    await sleep(700);
    const keys = ['ctrl'];
    await screen.click({ x: 600, y: 400, button: 'right', clicks: 2, keys });
    await screen.scroll({ direction: 'down', amount: 1 });
    await sleep(300);
    events.kill();
    const buttons = [
      ...(await output).matchAll(
        /Button(Press|Release).*\n.*time (\d+).*\n?.*state (0x\w+), button (\d)/g,
      ),
    ];
    expect(buttons.map(([, what, , state, button]) => `${what} ${button} ${state}`)).toEqual([
      'Press 3 0x4',
      'Release 3 0x404',
      'Press 3 0x4',
      'Release 3 0x404',
      'Press 5 0x0',
      'Release 5 0x1000',
    ]);
    const [first, , second] = buttons.map(([, , time]) => Number(time));
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(0);
    expect((second ?? 0) - (first ?? 0)).toBeLessThan(250);
  });

  test('shows the effect of the preceding key in a screenshot', async () => {
    await terminal('fresh');
    await screen.waitStable({ timeoutMs: 3000 });
    let last = (await screen.screenshot(PNG)).data;
    // On a busy machine a terminal may occasionally paint late.
    let fresh = 0;
    for (let key = 0; key < 20; key++) {
      await screen.key('x');
      const { data } = await screen.screenshot(PNG);
      if (!data.equals(last)) fresh += 1;
      last = data;
    }
    console.log(`${fresh} of 20 screenshots showed the key before them`);
    expect(fresh).toBeGreaterThanOrEqual(10);
  });

  test('sends the same frames as tiles in fewer bytes, also after the first', async () => {
    await terminal('tiles');
    await screen.type('tiles, and more of them');
    const stream = net.connect(socket);
    const pointer = screen.pointer ?? { x: 0, y: 0 };
    const tiled = await openScreen(stream, { pixels: 'hextile', pointer });
    const compare = async () => {
      const [raw, packed] = [await screen.screenshot(PNG), await tiled.screenshot(PNG)];
      // The same pixels may have been compressed in two ways.
      return isDeepStrictEqual(await pixels(packed.data), await pixels(raw.data));
    };
    await until(compare);
    expect(stream.bytesRead).toBeLessThan((800 * 600 * 4) / 4);
    await screen.type(' changed');
    await until(compare);
    expect(new Set(await pixels((await tiled.screenshot(PNG)).data)).size).toBeGreaterThan(1);
    tiled.close();
  });

  test('omits the pointer from the frame when its position is known', async () => {
    await run('xdotool', ['mousemove', '700', '100'], { env });
    const region = { x: 680, y: 80, width: 40, height: 40 };
    const other = await openScreen(net.connect(socket), { pointer: { x: 700, y: 100 } });
    const without = await other.screenshot({ ...PNG, region });
    const drawn = await other.screenshot({ ...PNG, region, cursor: true });
    other.close();
    expect(new Set(await pixels(without.data)).size).toBe(1);
    expect(new Set(await pixels(drawn.data)).size).toBeGreaterThan(1);
    const { stdout } = await run('xdotool', ['getmouselocation'], { env });
    expect(stdout).toMatch(/x:700 y:100/);
  });
});

async function pixels(png: Buffer): Promise<number[]> {
  const { default: sharp } = await import('sharp');
  const data = await sharp(png).raw().toBuffer();
  return Array.from({ length: data.length / 3 }, (_, index) => data.readUIntBE(index * 3, 3));
}

/** Retries until the condition is true; fails after five seconds. */
async function until(ask: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 5000;
  for (;;) {
    const yes = await ask().catch((error: unknown) => error);
    if (yes === true) return;
    if (performance.now() > end) throw new Error('it never came true', { cause: yes });
    await sleep(20);
  }
}
