import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { promise } from '../../../support/run/promise.js';
import { leaveOut, onDocker, thorough } from '../../../support/run/tiers.js';
import {
  freePort,
  openRtmpServer,
  openViewer,
  type Viewer,
} from '../../../support/screen/ingest.js';
import { followTarget } from '../../../support/screen/stream-target.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';

const SIZE = { width: 1280, height: 800 };
const SECRET = 'sk-very-secret-8472';

/** Tests of the stream's target, which need one engine only. */
const promiseOnDocker = promise.runIf(inject('engine') === 'docker');
const recovery = inject('engine') === 'docker' ? promise.thorough : leaveOut;

let desktop: OwnDesktop;
let directory: string;
const viewers: Viewer[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-rtmp-'));
  desktop = await openOwnDesktop(['--allow-private-targets']);
});
afterEach(async () => {
  await call('POST', '/stream/stop');
  await Promise.all(viewers.splice(0).map((viewer) => viewer.close()));
});
afterAll(async () => {
  await desktop.close();
  await rm(directory, { recursive: true });
});

const call = (method: string, path: string, body?: unknown) =>
  desktop.service.http(method, `/computers/${desktop.id}${path}`, body);
const status = async () => (await call('GET', '/stream/status')).json;

function watch(url: string, options: { readonly listen: boolean }): Viewer {
  const viewer = openViewer(url, SIZE, options);
  viewers.push(viewer);
  return viewer;
}

async function listening(): Promise<{ url: string; viewer: Viewer }> {
  const url = `rtmp://127.0.0.1:${await freePort()}/live/test`;
  const viewer = watch(url, { listen: true });
  await sleep(300);
  return { url, viewer };
}

/** Paints the middle of the screen and waits until the service sees it. */
async function paint(color: string): Promise<void> {
  await desktop.run(
    `pkill -x xterm; xterm -geometry 60x20+200+150 -b 0 -bg '${color}' -fg '${color}' -cr '${color}' +sb -T paint -e sleep 300 >/dev/null 2>&1 &
     for i in $(seq 100); do xdotool search --onlyvisible --name '^paint$' >/dev/null && break; sleep 0.02; done`,
  );
  await call('POST', '/wait', { until: 'stable' });
}

/** Mean difference between a frame and a screenshot, per channel, 0 to 255. */
async function difference(frame: Buffer): Promise<number> {
  const { json } = await call('GET', '/screenshot?cursor=1');
  const shot = await sharp(Buffer.from(json.image, 'base64')).removeAlpha().raw().toBuffer();
  let sum = 0;
  for (let i = 0; i < shot.length; i++) sum += Math.abs((shot[i] ?? 0) - (frame[i] ?? 0));
  return sum / shot.length;
}

/** Red, green and blue of a frame at a point, each rounded to light (true) or dark. */
function colorAt(frame: Buffer | undefined, x: number, y: number): string {
  const at = (y * SIZE.width + x) * 3;
  return [...(frame?.subarray(at, at + 3) ?? [])].map((part) => (part > 127 ? 'f' : '0')).join('');
}

const shows = (viewer: Viewer, color: string, ms?: number) =>
  eventually(async () => colorAt(viewer.last(), 400, 350) === color, ms);

it('the stream of a computer is idle by default; stopping it is not an error', async () => {
  expect(await status()).toEqual({ status: 'idle' });
  expect(await call('POST', '/stream/stop')).toMatchObject({
    status: 200,
    json: { success: true },
  });
});

it('a stream shows the screen and its changes', async () => {
  await paint('#ff0000');
  const { url, viewer } = await listening();
  const started = await call('POST', '/stream/start', { url, fps: 15 });
  expect(started).toMatchObject({ status: 200, json: { success: true, status: 'streaming' } });
  expect(await status()).toMatchObject({ status: 'streaming', pid: started.json.pid });
  await shows(viewer, 'f00');
  await eventually(async () => (await difference(viewer.last() ?? Buffer.alloc(0))) < 3);
  await paint('#0000ff');
  await shows(viewer, '00f');
  expect(viewer.log()).toBe('');

  const second = await call('POST', '/stream/start', { url });
  expect(second.status).toBe(400);
  expect(second.json.error).toContain('streaming already');
  expect(second.remedy).toContain('stream stop');

  expect((await call('POST', '/stream/stop')).status).toBe(200);
  expect(await status()).toEqual({ status: 'idle' });
  expect(() => process.kill(started.json.pid, 0)).toThrow();
});

onDocker('a stream has the requested frame rate', async () => {
  const { url, viewer } = await listening();
  expect((await call('POST', '/stream/start', { url, fps: 30 })).status).toBe(200);
  await eventually(async () => viewer.count() > 0);
  const before = viewer.count();
  await sleep(2000);
  const fps = (viewer.count() - before) / 2;
  console.log(`frames a second of a still screen: ${fps}`);
  expect(fps).toBeGreaterThan(20);
  expect(fps).toBeLessThan(40);
});

promiseOnDocker(23, 'a stream continues when its server is back', async (report) => {
  report(await followTarget(call));
});

recovery(
  23,
  'a stream recovers when its server restarts or hangs, and never shows its key',
  async (report) => {
    const server = await openRtmpServer(directory);
    try {
      const url = `rtmp://127.0.0.1:${server.port}/live`;
      const created = await desktop.service.http('POST', '/connections', {
        name: 'show',
        url,
        stream_key: SECRET,
      });
      expect(created.json).toMatchObject({ name: 'show', url, has_stream_key: true });
      await paint('#00ff00');
      const started = await call('POST', '/stream/start', { connection_name: 'show', fps: 15 });
      expect(started.json).toMatchObject({ success: true });
      await shows(watch(`${url}/${SECRET}`, { listen: false }), '0f0');
      const own = viewers.map(({ pid }) => pid);
      const seen = processTexts(own).filter(([, text]) => text.includes(SECRET));
      expect(seen).toEqual([]);
      expect(processTexts(own).some(([pid]) => pid === started.json.pid)).toBe(true);

      await server.kill();
      await paint('#ff00ff');
      await eventually(async () => (await status()).message?.includes('reconnecting'));
      expect((await status()).status).toBe('streaming');
      await server.start();
      await eventually(async () => (await status()).message === undefined, 20_000);
      await shows(watch(`${url}/${SECRET}`, { listen: false }), 'f0f');

      // The server keeps its connections but does not read.
      process.kill(server.pid(), 'SIGSTOP');
      const message = await eventually(async () => (await status()).message, 20_000);
      expect(message).toMatch(/stopped answering|stopped reading/);
      process.kill(server.pid(), 'SIGCONT');
      await eventually(async () => (await status()).message === undefined, 30_000);
      await shows(watch(`${url}/${SECRET}`, { listen: false }), 'f0f');

      const everything = [
        desktop.service.log(),
        JSON.stringify(await desktop.service.http('GET', '/connections')),
        JSON.stringify(await status()),
        message,
      ].join('\n');
      expect(everything).not.toContain(SECRET);
      const { stdout } = await desktop.service.cli(['connection', 'ls']);
      expect(stdout).toContain('show');
      expect(stdout).not.toContain(SECRET);
      const state = join(desktop.service.directory, 'state');
      for (const file of readdirSync(state).filter((name) => name.startsWith('vc.db'))) {
        expect(readFileSync(join(state, file)).includes(SECRET), file).toBe(false);
      }
      report('reconnected after a restart and after SIGSTOP of the server');
    } finally {
      await server.kill();
      await desktop.service.http('DELETE', '/connections/show');
    }
  },
  180_000,
);

recovery(
  23,
  'a stream detects any target that stops reading',
  async (report) => {
    const { url, viewer } = await listening();
    expect((await call('POST', '/stream/start', { url })).status).toBe(200);
    await eventually(async () => viewer.count() > 0);
    await sleep(10_000);
    process.kill(viewer.pid, 'SIGSTOP');
    const stoppedAt = Date.now();
    const message = await eventually(async () => (await status()).message, 80_000);
    report(`standstill noticed after ${Math.round((Date.now() - stoppedAt) / 1000)} s`);
    expect(message).toContain('it has stopped');
  },
  120_000,
);

thorough('a stream continues when the screen changes its size', async () => {
  const server = await openRtmpServer(directory);
  const resize = (size: string) => desktop.run(`xrandr -s ${size}`);
  try {
    await paint('#00ffff');
    const url = `rtmp://127.0.0.1:${server.port}/live/size`;
    const started = await call('POST', '/stream/start', { url, fps: 15 });
    await shows(watch(url, { listen: false }), '0ff');
    await resize('1024x768');
    await eventually(async () => (await status()).pid !== started.json.pid);
    const size = { width: 1024, height: 768 };
    const viewer = openViewer(url, size, { listen: false });
    viewers.push(viewer);
    await eventually(async () => viewer.count() > 15);
    const at = (350 * size.width + 400) * 3;
    expect([...(viewer.last()?.subarray(at, at + 3) ?? [])].map((part) => part > 127)).toEqual([
      false,
      true,
      true,
    ]);
  } finally {
    await resize('1280x800');
    await server.kill();
  }
});

recovery(
  23,
  'a stream is terminated with the reason if its server does not return',
  async (report) => {
    const server = await openRtmpServer(directory);
    await call('POST', '/stream/start', { url: `rtmp://127.0.0.1:${server.port}/live/${SECRET}` });
    const { pid } = await status();
    await server.kill();
    const end = await eventually(async () => {
      const now = await status();
      return now.status === 'terminated' && now;
    }, 100_000);
    expect(end.message).toContain('nothing listens there');
    expect(end.message).not.toContain(SECRET);
    expect(() => process.kill(pid, 0)).toThrow();
    report('a server that stays away: terminated, with a message');
  },
  150_000,
);

onDocker('a stream to a target without RTMP fails to start, with the reason', async () => {
  const port = await freePort();
  const refused = await call('POST', '/stream/start', { url: `rtmp://127.0.0.1:${port}/live/x` });
  expect(refused.status).toBe(400);
  expect(refused.json.error).toContain('nothing listens there');
  expect((await status()).status).toBe('terminated');

  const mute = createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const address = mute.address();
  const muted = typeof address === 'object' ? address?.port : 0;
  const silent = await call('POST', '/stream/start', { url: `rtmp://127.0.0.1:${muted}/live/x` });
  expect(silent.json.error).toContain('does not answer');
  mute.close();
});

it.each([
  ['http://example.com/live/x', 'rtmp or rtmps'],
  ['file:///etc/passwd', 'rtmp or rtmps'],
  ['rtmp://user:pass@example.com/live/x', 'user name'],
  ['rtmp://example.com/', 'stream name'],
  ['not a url', 'not valid'],
])('refuses %s', async (url, why) => {
  const { status, json } = await call('POST', '/stream/start', { url });
  expect(status).toBe(400);
  expect(json.error).toContain(why);
});

it('refuses an unknown connection, both targets and none', async () => {
  const unknown = await call('POST', '/stream/start', { connection_name: 'nobody' });
  expect(unknown).toMatchObject({ status: 404 });
  expect(unknown.json.error).toContain('nobody');
  for (const body of [{}, { connection_name: 'a', url: 'rtmp://example.com/a/b' }]) {
    expect((await call('POST', '/stream/start', body)).status).toBe(400);
  }
});

onDocker('no encoder is left when the service is killed or the computer stops', async () => {
  const first = await listening();
  const one = await call('POST', '/stream/start', { url: first.url });
  expect(one.status).toBe(200);
  await desktop.service.kill('SIGKILL');
  await eventually(async () => !isAlive(one.json.pid));
  await desktop.service.start();

  const second = await listening();
  const two = await call('POST', '/stream/start', { url: second.url });
  expect(two.status).toBe(200);
  await call('POST', '/stop');
  await eventually(async () => !isAlive(two.json.pid));
  expect(await status()).toMatchObject({ status: 'terminated' });
  expect((await call('POST', '/stream/start', { url: second.url })).remedy).toContain('start');
  expect((await call('POST', '/start')).json.status).toBe('running');
});

it('a recording is playable even if it was interrupted', async () => {
  await paint('#ffff00');
  const clip = join(directory, 'clip.mp4');
  const computer = 'e2e/desktop';
  const timed = ['computer', 'record', computer, '-o', clip, '--for', '3s', '--fps', '15'];
  expect(await desktop.service.cli(timed)).toMatchObject({ code: 0 });
  const frames = await decode(clip);
  expect(frames.count()).toBeGreaterThan(30);
  expect(frames.count()).toBeLessThan(50);
  expect(colorAt(frames.last(), 400, 350)).toBe('ff0');
  expect(await difference(frames.last() ?? Buffer.alloc(0))).toBeLessThan(3);

  const vc = new URL('../../../../bin/vc.js', import.meta.url).pathname;
  const { execa } = await import('execa');
  const endless = ['computer', 'record', computer, '-o', clip, '--fps', '15'];
  const child = execa(process.execPath, [vc, ...endless], {
    env: desktop.service.env,
    extendEnv: false,
    reject: false,
  });
  // The file is larger than a header.
  const hasFrames = () =>
    readdirSync(directory)
      .filter((name) => name.startsWith('.vc-'))
      .some((name) => statSync(join(directory, name)).size > 4096);
  await eventually(async () => hasFrames(), 60_000);
  await sleep(2000);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(0);
  const interrupted = await decode(clip);
  expect(interrupted.log()).toBe('');
  expect(interrupted.count()).toBeGreaterThan(15);
  expect(colorAt(interrupted.last(), 400, 350)).toBe('ff0');
  const left = () => encoders(desktop.service.pid);
  await eventually(async () => left().length === 0);
});

promiseOnDocker(9, 'refuses private targets unless the host allows them', async () => {
  const strict = await openOwnDesktop();
  try {
    const start = (url: string) =>
      strict.service.http('POST', `/computers/${strict.id}/stream/start`, { url });
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '2130706433',
      '169.254.169.254',
    ]) {
      const { status, json } = await start(`rtmp://${host}/live/${SECRET}`);
      expect(status, host).toBe(400);
      expect(json.error, host).toContain('--allow-private-targets');
      expect(json.error).not.toContain(SECRET);
    }
    const stored = await strict.service.http('POST', '/connections', {
      name: 'inside',
      url: 'rtmp://10.0.0.1/live',
      stream_key: 'x',
    });
    expect(stored.json.error).toContain('--allow-private-targets');
    expect(strict.service.log()).not.toContain(SECRET);
  } finally {
    await strict.close();
  }
});

it('manages connections from the command line, with the key from stdin', async () => {
  const { cli } = desktop.service;
  const add = ['connection', 'add', 'cli', 'rtmp://live.example.com/app', '--key-stdin'];
  expect(await cli(add, { input: `${SECRET}\n` })).toMatchObject({ code: 0 });
  expect(await cli(add, { input: `${SECRET}\n` })).toMatchObject({ code: 6 });
  const listed = JSON.parse((await cli(['connection', 'ls', '--json'])).stdout);
  expect(listed.connections).toMatchObject([{ name: 'cli', has_stream_key: true }]);
  expect((await cli(['connection', 'rm', 'cli', '--yes'])).code).toBe(0);
  expect((await cli(['connection', 'rm', 'cli', '--yes'])).code).toBe(5);
});

it('streams from the command line', async () => {
  const { url, viewer } = await listening();
  const { cli } = desktop.service;
  const computer = 'e2e/desktop';
  expect((await cli(['computer', 'stream', 'status', computer])).stdout).toBe('idle\n');
  const start = ['computer', 'stream', 'start', computer, '--url', url, '--fps', '15'];
  expect(await cli(start)).toMatchObject({ code: 0 });
  await eventually(async () => viewer.count() > 5);
  expect((await cli(['computer', 'stream', 'status', computer])).stdout).toBe('streaming\n');
  expect((await cli(['computer', 'stream', 'stop', computer])).code).toBe(0);
});

/** Arguments and environment of every process on this host except these. */
function processTexts(except: readonly number[]): [number, string][] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).flatMap((pid): [number, string][] => {
    if (except.includes(pid)) return [];
    try {
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
      return [[pid, `${read('cmdline')}\n${read('environ')}`]];
    } catch {
      return [];
    }
  });
}

function encoders(parent: number): number[] {
  return processTexts([])
    .filter(([, text]) => text.startsWith('ffmpeg\0'))
    .map(([pid]) => pid)
    .filter((pid) => new RegExp(`^PPid:\\s+${parent}$`, 'm').test(statusOf(pid)));
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** False for a zombie, too. */
function isAlive(pid: number): boolean {
  const text = statusOf(pid);
  return text !== '' && !/^State:\s+Z/m.test(text);
}

async function decode(path: string): Promise<Viewer> {
  const viewer = watch(path, { listen: false });
  await eventually(async () => !isAlive(viewer.pid), 20_000);
  await sleep(100);
  return viewer;
}
