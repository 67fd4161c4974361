// @module-tag slow
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FleetOptions } from '../../../src/fleet/fleet.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const MIB = 2 ** 20;

let app: TestApp;
/** What the screens show: a picture of so many bytes, and another one each time. */
let pictureBytes: number;
let pictures: number;
/** Bytes that are free on the disk. */
let free: number;
beforeEach(() => {
  [pictureBytes, pictures, free] = [10, 0, 1024 * MIB];
});
afterEach(() => app.close());

async function open(limits: NonNullable<FleetOptions['recording']>['limits'], names = ['a']) {
  const recording = { limits, freeBytes: async () => free };
  app = await openTestApp({ maxRunning: 6, recording });
  const { connectors } = app.world;
  const { openScreen } = connectors;
  const opening: typeof openScreen = async (...given) =>
    Object.assign(await openScreen(...given), {
      screenshot: async () => {
        const data = Buffer.alloc(pictureBytes);
        pictures += 1;
        data.writeUInt32LE(pictures);
        return { data, format: 'png', width: 1280, height: 800 };
      },
    });
  Object.assign(connectors, { openScreen: opening });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  for (const name of names) {
    await app.send('POST', '/api/projects/p/computers', { body: { name } });
  }
}

const send = (method: string, path: string, body?: object, name = 'a') =>
  app.send(method, `/api/projects/p/computers/${name}${path}`, body && { body });
const click = async () => {
  expect((await send('POST', '/click', { x: 1, y: 1 })).json).toEqual({ success: true });
};
const ended = () =>
  eventually(async () => {
    const { json } = await send('GET', '/trajectory');
    return json.status === 'ended' && json;
  });

it('ends with the last step of the limit, while further actions are carried out', async () => {
  await open({ steps: 3 });
  await send('POST', '/trajectory', {});
  for (let step = 1; step <= 5; step += 1) await click();
  const { end_reason, message, steps } = (await ended()) as Record<string, unknown>;
  expect({ end_reason, message }).toEqual({
    end_reason: 'limit',
    message: 'The trajectory has 3 steps, which is the limit.',
  });
  expect(steps).toBe(3);
  const { id } = (await send('GET', '')).json;
  const folder = join(app.world.directory, 'trajectories', String(id));
  const lines = readFileSync(join(folder, 'files/trajectory.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).type)).toEqual([
    'trajectory',
    'step',
    'step',
    'step',
    'end',
  ]);
});

it('ends when its pictures have more bytes than the limit', async () => {
  await open({ bytes: MIB });
  pictureBytes = MIB / 4;
  await send('POST', '/trajectory', {});
  for (let step = 1; step <= 5; step += 1) await click();
  expect(await ended()).toMatchObject({
    end_reason: 'limit',
    message: 'The trajectory has 1 MiB, which is the limit.',
  });
});

it('ends when the disk has too little space, and none starts until it has more', async () => {
  await open({ freeDisk: 100 * MIB });
  await send('POST', '/trajectory', {});
  await click();
  expect((await send('GET', '/trajectory')).json.status).toBe('recording');
  free = 100 * MIB - 1;
  await click();
  expect(await ended()).toMatchObject({
    end_reason: 'limit',
    message: 'The disk of the service has less than 100 MiB free.',
  });
  const refused = await send('POST', '/trajectory', {});
  expect(refused).toMatchObject({ status: 400, headers: { 'x-error-code': 'limit_reached' } });
  expect(refused.json.error).toBe(
    'The disk of the service has less than 100 MiB free. No actions are recorded.',
  );
  expect(refused.headers['x-error-remedy']).toContain('Free space');
  expect((await send('GET', '/trajectory')).json).toMatchObject({ status: 'ended' });
  free = 100 * MIB;
  expect((await send('POST', '/trajectory', {})).json).toMatchObject({ status: 'recording' });
});

it('the oldest one of the owner gives way to a new one, and never one that is recorded', async () => {
  await open({ bytes: MIB, ofOwner: 2 * MIB }, ['a', 'b', 'c']);
  pictureBytes = (MIB * 2) / 3;
  for (const name of ['a', 'b']) {
    await send('POST', '/trajectory', {}, name);
    await send('POST', '/trajectory/end', undefined, name);
  }
  const statuses = async () =>
    Promise.all(
      ['a', 'b', 'c'].map(
        async (name) => (await send('GET', '/trajectory', undefined, name)).status,
      ),
    );
  expect(await statuses()).toEqual([200, 200, 404]);
  const { id } = (await send('GET', '')).json;
  const folder = join(app.world.directory, 'trajectories', String(id));
  expect(existsSync(folder)).toBe(true);
  await send('POST', '/trajectory', {}, 'c');
  expect(await statuses()).toEqual([404, 200, 200]);
  expect(existsSync(folder)).toBe(false);
  await send('POST', '/trajectory', {}, 'a');
  expect(await statuses()).toEqual([200, 404, 200]);
  const refused = await send('POST', '/trajectory', {}, 'b');
  expect(refused.headers['x-error-code']).toBe('limit_reached');
  expect(refused.json.error).toBe('Too many of your computers are being recorded.');
  expect(await statuses()).toEqual([200, 404, 200]);
});
