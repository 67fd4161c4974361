// @module-tag slow
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openWorld, type World } from '../support/run.js';

const at = '/projects/demo/computers/desktop';
const name = 'demo/desktop';

/** A white screen of 640x480 with grey boxes. */
async function screen(
  boxes: readonly (readonly [x: number, y: number, width: number, height: number])[] = [],
  size = { width: 640, height: 480 },
): Promise<Buffer> {
  const layers = boxes.map(([left, top, width, height]) => ({
    ...{ left, top },
    input: { create: { width, height, channels: 3 as const, background: '#333' } },
  }));
  return sharp({ create: { ...size, channels: 3, background: '#fff' } })
    .composite(layers)
    .png()
    .toBuffer();
}

let empty: Buffer;
let world: World;
/** What the computer shows, one after the other; the last one stays. */
let shows: Buffer[];
beforeAll(async () => {
  empty = await screen();
});
beforeEach(async () => {
  world = await openWorld();
  shows = [empty];
  world.service.handle(`GET ${at}/screenshot`, (_, response) => {
    const png = shows.length > 1 ? shows.shift() : shows[0];
    response.writeHead(200, { 'content-type': 'image/png' }).end(png);
  });
  world.service.on(`POST ${at}/batch`, { success: true, results: [{ success: true }] });
});
afterEach(() => world.close());

const header = { type: 'trajectory', version: 1, screen: { width: 640, height: 480 } };
const click = { action: 'click', x: 100, y: 100, button: 'left' };
const [first, second] = ['pictures/0001.png', 'pictures/0002.png'];

interface Line {
  readonly [field: string]: unknown;
}

const step = (number: number, fields: Line = {}): Line => ({
  ...{ type: 'step', step: number, at: number / 100, took: 0.001, action: click, outcome: 'ok' },
  ...{ before: first, after: first, ...fields },
});

/** Writes a trajectory `run` with these lines. */
function write(lines: readonly (Line | string)[], pictures: Record<string, Buffer> = {}): void {
  mkdirSync(join(world.directory, 'run/pictures'), { recursive: true });
  const text = lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`));
  writeFileSync(join(world.directory, 'run/trajectory.jsonl'), text.join(''));
  const all = { [first]: empty, ...pictures };
  for (const [path, png] of Object.entries(all))
    writeFileSync(join(world.directory, 'run', path), png);
}

const replay = (...options: string[]) =>
  world.run(['computer', 'replay', name, 'run', '--within', '0s', ...options]);
const sent = () =>
  world.service.received
    .filter(({ method }) => method !== 'GET')
    .map(({ body }) => (body as { actions: unknown[] }).actions[0]);

test('carries out what was done, in order, and leaves out what was refused', async () => {
  write([
    header,
    step(2, { action: { action: 'key', key: 'ctrl+s' } }),
    step(1),
    step(3, { outcome: 'off_screen' }),
    step(4, { before: null, after: null, action: { action: 'bash', command: 'ls' } }),
    { type: 'end', at: 1, reason: 'request' },
    { type: 'note of a later version' },
  ]);
  expect(await replay()).toMatchObject({ code: 0, stderr: `replayed 3 steps in ${name}\n` });
  expect(sent()).toEqual([
    ...[click, { action: 'key', key: 'ctrl+s' }, { action: 'bash', command: 'ls' }],
  ]);
});

test('waits for the screen', async () => {
  write([header, step(1), step(2, { at: 2, took: 0 })]);
  const busy = await screen([[0, 0, 300, 300]]);
  shows = [empty, busy, busy, empty];
  expect(await replay('--within', '1m', '--speed', '4')).toMatchObject({ code: 0 });
});

test('a clock elsewhere makes no difference', async () => {
  write([header, step(1)]);
  shows = [await screen([[560, 4, 60, 12]])];
  expect(await replay()).toMatchObject({ code: 0 });
});

test.each([
  ['much of the screen', [304, 208, 192, 192], /: 12 % of it\n/],
  ['what is around the pointer', [0, 0, 64, 64], /: 1\.3 % of it, 33 % around the pointer/],
] as const)('stops where %s differs', async (_, box, message) => {
  const action = { ...click, x: 20, y: 20 };
  write([header, step(1), step(2, { action, before: second, after: second })], {
    [second]: await screen([box]),
  });
  const stopped = await replay();
  expect(stopped).toMatchObject({ code: 3, stderr: expect.stringMatching(message) });
  expect(stopped.stderr).toContain(
    'before step 2 (click at 20, 20) the screen differs from the recording',
  );
  const [, recorded = '', actual = ''] =
    /recorded picture (\S+) with the screen (\S+)/.exec(stopped.stderr.replaceAll('\n', ' ')) ?? [];
  expect(recorded).toBe(join(world.directory, 'run', second));
  expect(existsSync(actual)).toBe(true);
  rmSync(actual);
  expect(sent()).toHaveLength(1);
  const json = await replay('--json');
  expect(json.code).toBe(3);
  expect(JSON.parse(json.stdout)).toMatchObject({ success: false, steps: 1, step: 2, recorded });
  expect(await replay('--tolerance', '100')).toMatchObject({ code: 0 });
});

test('the screen at the end has to be like the recorded one', async () => {
  write([header, step(1, { after: second })], { [second]: await screen([[0, 200, 300, 200]]) });
  expect(await replay()).toMatchObject({ code: 3, stderr: /^error: after step 1 / });
});

test('types only the secrets that are allowed, and asks for them first', async () => {
  const action = { action: 'type', text: '{{secret:PIN}}!', secrets: ['PIN', 'ALL'] };
  write([header, step(1), step(2, { action })]);
  const refused = await replay('--secret', 'OTHER');
  expect(refused).toMatchObject({ code: 2, stderr: /step 2 types the secret "PIN"/ });
  expect(world.service.received).toEqual([]);
  expect(await replay('--secret', 'PIN', '--secret', 'OTHER')).toMatchObject({ code: 0 });
  expect(sent()[1]).toEqual({ ...action, secrets: ['PIN'] });
});

test('an action that fails ends it, as does a computer that is gone', async () => {
  write([header, step(1), step(2)]);
  const failure = { success: false, error: 'No.', code: 'off_screen', remedy: 'Look.' };
  world.service.on(`POST ${at}/batch`, { success: false, results: [failure] });
  expect(await replay()).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('step 1 (click at 100, 100): No.') },
  });
  expect(sent()).toHaveLength(1);
  world.service.fail(`POST ${at}/batch`, 404, 'not_found', 'The computer "desktop" is deleted.');
  expect(await replay()).toMatchObject({ code: 5, stderr: /"desktop" is deleted/ });
});

test('a screen of another size is refused before anything is done', async () => {
  write([header, step(1)]);
  shows = [await screen([], { width: 800, height: 600 })];
  expect(await replay()).toMatchObject({
    ...{ code: 3, stderr: /screen of 640x480, but that of the computer is 800x600/ },
  });
  expect(sent()).toEqual([]);
});

test.each<[string, (Line | string)[], RegExp]>([
  ['is empty', [''], /line 1 of run\/trajectory\.jsonl is not complete/],
  ['is another file', ['hello\n'], /line 1 of run\/trajectory\.jsonl is not a JSON object/],
  ['is other JSON', [{ a: 1 }], /line 1 .* does not begin a trajectory/],
  ['is of a later version', [{ ...header, version: 2 }, step(1)], /has the version 2/],
  ['has no size', [{ ...header, screen: { width: -1 } }, step(1)], /names no size/],
  ['has no steps', [header, { type: 'end' }], /run has no steps/],
  ['is truncated', [header, step(1), '{"type":"step","st'], /line 3 .* is not complete/],
  ['has a broken line', [header, '{"type"\n', step(1)], /line 2 .* is not a JSON object/],
  ['has a wrong step', [header, step(1, { at: 'soon' })], /line 2 .* is not a step/],
  ['has a step without action', [header, step(1, { action: null })], /line 2 .* is not a step/],
  ['leaves its directory', [header, step(1, { before: '../../x.png' })], /names the picture "\.\./],
  [
    'names an absolute path',
    [header, step(1, { after: '/etc/passwd' })],
    /names the picture "\/etc/,
  ],
  [
    'has no picture',
    [header, step(1, { before: second })],
    /run\/pictures\/0002\.png of step 1 is missing/,
  ],
])('a trajectory that %s is refused', async (_, lines, message) => {
  write(lines);
  expect(await replay()).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  expect(world.service.received).toEqual([]);
});

test('neither a file, a missing directory, nor a directory in place of a picture is one', async () => {
  expect(await replay()).toMatchObject({ code: 2, stderr: /run is not a trajectory/ });
  writeFileSync(join(world.directory, 'run'), 'x');
  expect(await replay()).toMatchObject({ code: 2, stderr: /run is not a trajectory/ });
  rmSync(join(world.directory, 'run'));
  write([header, step(1, { before: second })]);
  mkdirSync(join(world.directory, 'run', second));
  expect(await replay()).toMatchObject({ code: 2, stderr: /0002\.png of step 1 is missing/ });
});

test('a picture that is none is named, and huge lines are not read', async () => {
  write([header, step(1)], { [first]: Buffer.from('no picture') });
  expect(await replay()).toMatchObject({ code: 2, stderr: /0001\.png is not a picture/ });
  expect(sent()).toEqual([]);
  const path = join(world.directory, 'run/trajectory.jsonl');
  writeFileSync(path, readFileSync(path));
  rmSync(path);
  symlinkSync('/dev/zero', path);
  expect(await replay()).toMatchObject({ code: 2 });
  rmSync(path);
  writeFileSync(path, Buffer.alloc(65 * 2 ** 20, ' '));
  expect(await replay()).toMatchObject({ code: 1, stderr: /larger than 64 MiB/ });
});

test.each([
  ['--speed', '0'],
  ['--speed', 'fast'],
  ['--tolerance', '101'],
  ['--within', '1d'],
])('%s %s is refused', async (...option) => {
  write([header, step(1)]);
  expect(await replay(...option)).toMatchObject({ code: 2 });
  expect(world.service.received).toEqual([]);
});

test.each(['saved', 'step-2', '2'])('--from %s begins after its step', async (from) => {
  const key = { action: 'key', key: 'a' };
  const saved = { type: 'snapshot', step: 2, at: 1, name: 'saved' };
  const failed = { type: 'snapshot', step: 1, at: 1, name: 'step-2', error: 'no room' };
  write([header, step(1), step(2), saved, failed, step(3, { action: key })]);
  expect(await replay('--from', from)).toMatchObject({ code: 0, stderr: /replayed 1 step / });
  expect(sent()).toEqual([key]);
});

test.each([
  ['other', /no snapshot "other"\n.*its snapshots are: saved/],
  ['3', /no step follows "3"; the last is 3/],
])('--from %s is refused', async (from, message) => {
  write([header, step(1), step(2), step(3), { type: 'snapshot', step: 2, name: 'saved' }]);
  expect(await replay('--from', from)).toMatchObject({ code: 2, stderr: message });
  expect(sent()).toEqual([]);
});

test('a damaged line of a snapshot is refused', async () => {
  write([header, step(1), { type: 'snapshot', step: 1, name: 7 }]);
  expect(await replay('--from', '1')).toMatchObject({
    code: 2,
    stderr: /line 3 of .* is not a snapshot/,
  });
});
