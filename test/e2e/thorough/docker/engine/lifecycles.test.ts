import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { databaseFile } from '../../../../../src/fleet/store/database.js';
import { dockerTraces, type Traces } from '../../../../support/docker/traces.js';
import { eventually } from '../../../../support/eventually.js';
import { promise } from '../../../../support/run/promise.js';
import { inTier } from '../../../../support/run/tiers.js';
import {
  type Json,
  openTestService,
  type TestService,
} from '../../../../support/service/service.js';
import { rested, vitals } from '../../../../support/service/vitals.js';

/** The promise covers 100 lifecycles and 1,000 screenshots. */
const LIFECYCLES = inTier({ thorough: 100, quick: 2 });
const SCREENSHOTS = LIFECYCLES * 10;
const PARALLEL = 2;
const FORMATS = ['png', 'jpeg&quality=60', 'webp&scale=0.5', 'png&region=10,10,200,100'];

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterEach(async () => {
  for (const { name } of await service.vc.projects.list()) await service.vc.projects.delete(name);
});
afterAll(() => service.close());

const done = async (method: string, path: string, body?: object): Promise<Json> => {
  const { status, json } = await service.http(method, path, body);
  expect(status, `${method} ${path}: ${JSON.stringify(json).slice(0, 300)}`).toBe(200);
  return json;
};

interface Life {
  readonly screenshots: number;
  /** Whether to stop and start the computer before its deletion. */
  readonly restart: boolean;
}

/** A computer from its creation to its deletion. */
async function live(name: string, { screenshots, restart }: Life, traces: Traces): Promise<void> {
  const { id } = await done('POST', '/projects/many/computers', { name });
  const C = `/computers/${id}`;
  await traces.remember(id);
  const use = async () => {
    await done('POST', `${C}/click`, { x: 640, y: 400 });
    const { stdout } = await done('POST', `${C}/bash`, { command: 'echo here' });
    expect(stdout).toBe('here\n');
  };
  await use();
  for (let i = 0; i < screenshots; i++) {
    const { image } = await done('GET', `${C}/screenshot?format=${FORMATS[i % FORMATS.length]}`);
    expect(image.length).toBeGreaterThan(100);
  }
  if (restart) {
    await done('POST', `${C}/stop`);
    await done('POST', `${C}/start`);
    await use();
  }
  await done('DELETE', C);
}

promise(
  22,
  'a service uses no more resources after creating, using and deleting many computers',
  async (report) => {
    await done('POST', '/projects', { name: 'many' });
    // Warm-up: resources of the first use remain. The label is read while the container exists.
    const { id } = await done('POST', '/projects/many/computers', { name: 'first' });
    const traces = await dockerTraces(service, id);
    await done('DELETE', `/computers/${id}`);
    await Promise.all(
      Array.from({ length: PARALLEL }, (_, i) =>
        live(`warm-${i}`, { screenshots: 4, restart: true }, traces),
      ),
    );
    await nothingLeft(traces);
    const before = await rested(service.pid, vitals(service.pid).descriptors);
    const warm = traces.remembered;

    let started = 0;
    const lane = async () => {
      while (started < LIFECYCLES) {
        const nth = started++;
        const life = { screenshots: SCREENSHOTS / LIFECYCLES, restart: nth % 3 === 0 };
        await live(`c${nth}`, life, traces);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, lane));

    // All lifecycles were traced, so `nothingLeft` would find their leftovers.
    expect(traces.remembered - warm).toBe(LIFECYCLES);
    const after = await rested(service.pid, before.descriptors + 5);
    expect(after.children).toBe(before.children);
    await nothingLeft(traces);
    await done('DELETE', '/projects/many');
    await service.kill('SIGTERM');
    expect(rows()).toEqual({ computers: 0, projects: 0, strangers: 0 });
    await nothingLeft(traces);
    await service.start();
    report(
      `${LIFECYCLES} lifecycles, ${SCREENSHOTS} screenshots; descriptors ${before.descriptors}, ` +
        `${after.descriptors} after; ${before.mib}, ${after.mib} MiB; nothing left`,
    );
  },
  1_800_000,
);

/** The Engine may take a moment to clean up after a removed container. */
async function nothingLeft(traces: Traces): Promise<void> {
  await eventually(async () => (await traces.left()).length === 0, 30_000).catch(async () => {
    expect(await traces.left()).toEqual([]);
  });
}

/** Row counts in the database of a stopped service. */
function rows(): Record<string, number> {
  const database = new Database(databaseFile(join(service.directory, 'state')), { readonly: true });
  const count = (table: string): number =>
    (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
  const counts = ['computers', 'projects', 'strangers'].map((table) => [table, count(table)]);
  database.close();
  return Object.fromEntries(counts);
}
