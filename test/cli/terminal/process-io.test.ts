import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FragmentBuffer } from '../../../src/cli/output/mp4-fragments.js';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const connection = {
  name: 'show',
  url: 'rtmp://live.example.com/app',
  has_stream_key: true,
  created_at: '2025-01-02T03:04:05.000Z',
};
const sent = () => world.service.received.at(-1)?.body;

test('vc connection add reads the key from stdin or from a prompt', async () => {
  world.service.on('POST /connections', connection);
  const add = ['connection', 'add', 'show', connection.url];
  expect((await world.run([...add, '--key-stdin'], { stdin: 'secret\n' })).code).toBe(0);
  expect(sent()).toEqual({ name: 'show', url: connection.url, stream_key: 'secret' });
  const asked = await world.run(add, { terminal: true, stdin: 'typed\r' });
  expect(asked.stderr).toContain('Stream key');
  expect(asked.stderr).not.toContain('typed');
  expect(sent()).toMatchObject({ stream_key: 'typed' });
  await world.run(add);
  expect(sent()).toEqual({ name: 'show', url: connection.url });
});

test('vc connection ls and rm', async () => {
  world.service.on('GET /connections', { connections: [connection] });
  const listed = await world.run(['connection', 'ls']);
  expect(listed.stdout).toBe(
    `NAME\tURL\tKEY\tCREATED\nshow\t${connection.url}\tkept\t${connection.created_at}\n`,
  );
  expect((await world.run(['connection', 'ls', '-q'])).stdout).toBe('show\n');
  world.service.on('DELETE /connections/show', { success: true });
  expect((await world.run(['connection', 'rm', 'show', '--yes'])).stderr).toContain(
    'removed connection show',
  );
});

test('vc computer stream start, status and stop', async () => {
  const base = '/projects/demo/computers/desktop/stream';
  const started = { success: true, status: 'streaming', pid: 7, start_time: connection.created_at };
  world.service.on(`POST ${base}/start`, started);
  const start = ['computer', 'stream', 'start', 'demo/desktop'];
  const options = ['--connection', 'show', '--fps', '60', '--bitrate', '6000'];
  expect((await world.run([...start, ...options])).stderr).toContain('streaming demo/desktop');
  expect(sent()).toEqual({ connection_name: 'show', fps: 60, bitrate: 6000 });
  for (const wrong of [[], ['--url', 'rtmp://a/b/c', '--connection', 'x'], ['--fps', '25']]) {
    expect((await world.run([...start, ...wrong])).code).toBe(2);
  }
  const message = 'reconnecting: the server is away';
  world.service.on(`GET ${base}/status`, { status: 'streaming', message });
  const withMessage = await world.run(['computer', 'stream', 'status', 'demo/desktop']);
  expect(withMessage).toMatchObject({ stdout: 'streaming\n', stderr: `${message}\n` });
  const misplaced = await world.run(['computer', 'stream', 'stop', 'demo/desktop', '--fps', '15']);
  expect(misplaced).toMatchObject({ code: 2 });
  world.service.on(`POST ${base}/stop`, { success: true });
  expect((await world.run(['computer', 'stream', 'stop', 'demo/desktop'])).code).toBe(0);
});

function box(type: string, length: number): Buffer {
  const bytes = Buffer.alloc(length, 1);
  bytes.writeUInt32BE(length);
  bytes.write(type, 4, 'latin1');
  return bytes;
}

const head = Buffer.concat([box('ftyp', 24), box('moov', 700)]);
const fragment = Buffer.concat([box('moof', 100), box('mdat', 5000)]);

test.each([1, 100, 4096, 100_000])(
  'of a video in pieces of %i bytes, whole fragments are kept',
  (size) => {
    const video = Buffer.concat([head, fragment, fragment, fragment.subarray(0, 4000)]);
    const fragments = new FragmentBuffer();
    const kept: Buffer[] = [];
    for (let at = 0; at < video.length; at += size) {
      kept.push(Buffer.from(fragments.push(video.subarray(at, at + size))));
    }
    expect(Buffer.concat(kept).equals(Buffer.concat([head, fragment, fragment]))).toBe(true);
  },
);

test('an interrupted recording fails and keeps the complete fragments', async () => {
  world.service.handle('GET /projects/demo/computers/desktop/record', (_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 50_000 });
    response.write(Buffer.concat([head, fragment, fragment.subarray(0, 200)]));
    setTimeout(() => response.destroy(), 50);
  });
  const record = ['computer', 'record', 'demo/desktop', '-o', 'clip.mp4', '--for', '1m'];
  const outcome = await world.run(record);
  expect(outcome).toMatchObject({ code: 1 });
  expect(outcome.stderr).toContain('connection to the service was lost');
  expect(world.service.received.at(-1)?.url).toContain('duration=60');
  const file = await readFile(join(world.directory, 'clip.mp4'));
  expect(file.equals(Buffer.concat([head, fragment]))).toBe(true);
  expect((await readdir(world.directory)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('an empty recording leaves no file', async () => {
  world.service.fail(
    'GET /projects/demo/computers/desktop/record',
    400,
    'not_running',
    'It is stopped.',
  );
  const record = ['computer', 'record', 'demo/desktop', '-o', 'clip.mp4'];
  expect(await world.run(record)).toMatchObject({ code: 6 });
  expect(await readdir(world.directory)).not.toContain('clip.mp4');
  expect(await world.run([...record, '--for', '2x'])).toMatchObject({ code: 2 });
});
