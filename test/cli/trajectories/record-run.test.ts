import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TAR_END, tarHeader, tarPadding } from '../../../src/lib/tar/write.js';
import { computer, openWorld, type World } from '../support/run.js';

const at = '/projects/demo/computers/desktop';
const name = 'demo/desktop';
const state = {
  ...{ id: 'trj_1', status: 'ended', started_at: computer.created_at, steps: 2, pictures: 1 },
  ...{ ended_at: computer.created_at, end_reason: 'request', bytes: 2048 },
};

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.on(`POST ${at}/trajectory`, { ...state, status: 'recording', ended_at: null });
  world.service.on(`POST ${at}/trajectory/end`, state);
  world.service.on(`DELETE ${at}/trajectory`, { success: true });
  archive({ 'trajectory.jsonl': '{}\n', 'pictures/0001.png': 'x'.repeat(700) });
});
afterEach(() => world.close());

/** What the service answers as the files. */
function archive(files: Readonly<Record<string, string>>, end: Buffer = TAR_END): void {
  const parts = Object.entries(files).flatMap(([path, text]) => [
    tarHeader(path, text.length, new Date(0)),
    Buffer.from(text),
    tarPadding(text.length),
  ]);
  world.service.handle(`GET ${at}/trajectory`, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-tar' });
    response.end(Buffer.concat([...parts, end]));
  });
}

const record = (...command: string[]) =>
  world.run(['computer', 'record-run', name, 'out/run', '--', ...command]);
const asked = () => world.service.received.map(({ method, url }) => `${method} ${url}`);
const left = () => readdirSync(world.directory, { recursive: true, encoding: 'utf8' }).sort();

test('runs the command, writes the files and returns its exit code', async () => {
  const recorded = await record('sh', '-c', 'echo "$0" > ran; exit 7', 'word');
  expect(recorded).toMatchObject({ code: 7, stderr: 'wrote out/run (2 steps)\n' });
  expect(readFileSync(join(world.directory, 'ran'), 'utf8')).toBe('word\n');
  expect(left()).toEqual([
    ...['out', 'out/run', 'out/run/pictures', 'out/run/pictures/0001.png'],
    ...['out/run/trajectory.jsonl', 'ran'],
  ]);
});

test('a program that is missing removes the recording', async () => {
  expect(await record('no-such-program')).toMatchObject({
    ...{ code: 125, stderr: /cannot run no-such-program: no such program/ },
  });
  expect(asked().at(-1)).toBe(`DELETE /api${at}/trajectory`);
  expect(left()).toEqual([]);
});

test('a directory that is not empty is refused before anything begins', async () => {
  mkdirSync(join(world.directory, 'out/run'), { recursive: true });
  writeFileSync(join(world.directory, 'out/run/mine'), '');
  expect(await record('true')).toMatchObject({ code: 125, stderr: /out\/run is not empty/ });
  expect(asked()).toEqual([]);
});

test('says that the recording ended before the command', async () => {
  world.service.on(`POST ${at}/trajectory/end`, {
    ...{ ...state, end_reason: 'limit', message: 'The trajectory is 1 s long.' },
  });
  expect(await record('true')).toMatchObject({
    ...{ code: 0, stderr: /^the recording ended early: The trajectory is 1 s long\.\n/ },
  });
});

test.each<[string, Readonly<Record<string, string>>, Buffer | undefined]>([
  ['ends early', { 'trajectory.jsonl': '{}\n' }, Buffer.alloc(0)],
  ['ends within a file', {}, tarHeader('trajectory.jsonl', 5, new Date(0))],
  ['is no archive', {}, Buffer.alloc(2048, 'a')],
  ['leaves the directory', { '../../escape': 'x' }, undefined],
  ['has an absolute path', { '/tmp/vc-escape': 'x' }, undefined],
  ['has another file', { 'pictures/0001.png/../x': 'x' }, undefined],
])('an archive that %s leaves no files behind', async (_, files, end) => {
  archive(files, end);
  const { code, stderr } = await record('true');
  expect(code).toBe(125);
  expect(stderr).toMatch(/did not arrive whole/);
  expect(stderr).toContain('vc computer trajectory demo/desktop -o out/run');
  expect(left()).toEqual(['out']);
  expect(existsSync(join(world.directory, '../escape'))).toBe(false);
});

test('--snapshot-every asks for snapshots, and says why one is missing', async () => {
  world.service.on(`POST ${at}/trajectory/end`, { ...state, snapshot_error: 'No room.' });
  const argv = ['computer', 'record-run', name, 'out/run', '--snapshot-every', '5', '--', 'true'];
  expect(await world.run(argv)).toMatchObject({
    code: 0,
    stderr: /a snapshot is missing: No room\./,
  });
  expect(world.service.received[0]?.body).toEqual({ snapshots: { every: 5 } });
});
