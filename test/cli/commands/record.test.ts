import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

function box(type: string, length: number): Buffer {
  const bytes = Buffer.alloc(length, 1);
  bytes.writeUInt32BE(length);
  bytes.write(type, 4, 'latin1');
  return bytes;
}

const video = Buffer.concat([box('ftyp', 24), box('moov', 700), box('moof', 100), box('mdat', 50)]);
const record = ['computer', 'record', 'demo/desktop'];
const serveVideo = () =>
  world.service.handle('GET /projects/demo/computers/desktop/record', (_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4' });
    response.end(video);
  });

test.each(['c.gif', 'c.webm', 'c', 'clip.mp4.txt'])('record -o %s is refused', async (output) => {
  const { code, stderr } = await world.run([...record, '-o', output]);
  expect(stderr).toMatch(/^error: --output: \S+ has (no|the unknown) extension/);
  expect(stderr).toContain('use .mp4');
  expect(code).toBe(2);
  expect(world.service.received).toEqual([]);
});

test('record without -o writes a file named like a screenshot, or in a pipe to stdout', async () => {
  serveVideo();
  const { code, stderr } = await world.run(record, { terminal: true });
  expect(stderr).toContain('wrote demo-desktop-20250102-030405.mp4');
  expect(code).toBe(0);
  const file = await readFile(join(world.directory, 'demo-desktop-20250102-030405.mp4'));
  expect(file.equals(video)).toBe(true);
  const piped = await world.run(record);
  expect(piped.stdoutBytes.equals(video)).toBe(true);
  expect(await readdir(world.directory)).toHaveLength(1);
});

test('record -o - on a terminal is refused', async () => {
  const { code, stderr } = await world.run([...record, '-o', '-'], { terminal: true });
  expect(stderr).toContain('cannot print a video on a terminal');
  expect(code).toBe(2);
});
