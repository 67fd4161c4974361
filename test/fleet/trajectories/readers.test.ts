// @module-tag slow
import { once } from 'node:events';
import { readdirSync, readlinkSync, truncateSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const PATH = '/api/projects/p/computers/a';
/** More than the connection keeps. */
const PICTURE_BYTES = 64 * 2 ** 20;

let app: TestApp;
let folder: string;
let answers: IncomingMessage[];
beforeEach(async () => {
  answers = [];
  app = await openTestApp();
  const { connectors } = app.world;
  const { openScreen } = connectors;
  const data = Buffer.from('picture');
  const opening: typeof openScreen = async (...given) =>
    Object.assign(await openScreen(...given), {
      screenshot: async () => ({ data, format: 'png', width: 1280, height: 800 }),
    });
  Object.assign(connectors, { openScreen: opening });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  folder = join(app.world.directory, 'trajectories', String(json.id));
  await app.send('POST', `${PATH}/trajectory`, { body: {} });
  await app.send('POST', `${PATH}/trajectory/end`);
  truncateSync(join(folder, 'files/pictures/0001.png'), PICTURE_BYTES);
});
afterEach(async () => {
  for (const answer of answers) answer.destroy();
  await app.close();
});

interface Paused {
  readonly answer: IncomingMessage;
  /** The error with which it ends; undefined if it is complete. */
  readonly error: Promise<string | undefined>;
}

/** Reads the head of an answer, and nothing of its body. */
async function openPaused(path: string): Promise<Paused> {
  const headers = { authorization: `Bearer ${app.world.key}`, accept: 'application/x-tar' };
  const sent = request({ host: '127.0.0.1', port: app.port, path: `${PATH}${path}`, headers });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answers.push(answer);
  const error = new Promise<string | undefined>((resolve) => {
    answer.on('error', ({ message }) => resolve(message));
    answer.on('end', () => resolve(undefined));
  });
  return { answer, error };
}

/** Files of the trajectory that this process has open, also removed ones. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(folder);
    } catch {
      return false;
    }
  });

const removals: [string, () => Promise<unknown>][] = [
  ['its removal', () => app.send('DELETE', `${PATH}/trajectory`)],
  ['the next recording', () => app.send('POST', `${PATH}/trajectory`, { body: {} })],
  ["the computer's removal", () => app.send('DELETE', PATH)],
];
for (const [end, remove] of removals) {
  it.each(['/trajectory', '/trajectory/pictures/0001.png'])(
    `%s: an answer that is not read ends with ${end}, and no file stays open`,
    async (path) => {
      const { answer, error } = await openPaused(path);
      await eventually(async () => openFiles().length > 0);
      await remove();
      const lines = join(folder, 'files/trajectory.jsonl');
      const isNew = (name: string) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`) === lines;
        } catch {
          // It was closed meanwhile.
          return true;
        }
      };
      await eventually(async () => openFiles().filter((name) => !isNew(name)).length === 0, 5000);
      answer.resume();
      expect(await error).toBe('aborted');
    },
  );
}

it('frees the files before the removal is answered', async () => {
  await openPaused('/trajectory');
  await openPaused('/trajectory/pictures/0001.png');
  await eventually(async () => openFiles().length === 2);
  await app.send('DELETE', `${PATH}/trajectory`);
  expect(openFiles()).toEqual([]);
});

it('an owner reads 8 archives at once, and another one when one of them has ended', async () => {
  const opened = await Promise.all(Array.from({ length: 8 }, () => openPaused('/trajectory')));
  const { statusCode, headers } = (await openPaused('/trajectory')).answer;
  expect([statusCode, headers['x-error-code']]).toEqual([429, 'rate_limited']);
  expect((await app.send('GET', `${PATH}/trajectory`)).status).toBe(200);
  opened[0]?.answer.destroy();
  const open = async () => (await openPaused('/trajectory')).answer.statusCode;
  await eventually(async () => (await open()) === 200);
});
