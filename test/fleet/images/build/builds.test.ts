import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../../src/contract/errors.js';
import { CreateComputer } from '../../../../src/contract/resources.js';
import type { Owner } from '../../../../src/fleet/accounts/api-keys.js';
import type { BuildRequest } from '../../../../src/fleet/images/build/builds.js';
import { BuildLog } from '../../../../src/fleet/images/build/log.js';
import { type BuildEvent, formatEvent } from '../../../../src/images/dockerfile/progress.js';
import { writeTar } from '../../../../src/lib/tar/write.js';
import { FakeSnapshottingEngine } from '../../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../../support/fleet.js';
import { FakeGuest, type Files } from './fake-guest.js';

const TWO_STEPS = { Dockerfile: 'FROM linux\nCOPY a /a\nRUN echo hello\n', a: 'one' };

let guest: FakeGuest;
let test: TestFleet;
let engine: FakeSnapshottingEngine;
let owner: Owner;

beforeEach(async () => {
  guest = new FakeGuest();
  engine = new FakeSnapshottingEngine();
  test = await openTestFleet({ engine, connectors: guest.connectors });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
});
afterEach(() => test.close());

function context(files: Files): AsyncIterable<Uint8Array> {
  const entries = Object.entries(files).map(([name, text]) => ({
    ...({ name, kind: 'file', mode: 0o644, size: Buffer.byteLength(text) } as const),
    content: [Buffer.from(text)],
  }));
  return writeTar(entries);
}

async function build(files: Files, more: Partial<BuildRequest> = {}) {
  const events: BuildEvent[] = [];
  const image = await test.fleet.builds.build(owner, {
    ...{ name: 'mybox', context: context(files), args: {}, secrets: new Map(), noCache: false },
    ...{ signal: new AbortController().signal, onEvent: (event) => events.push(event), ...more },
  });
  return { image, lines: events.map(formatEvent) };
}
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => (error instanceof ApiError ? `${error.code}: ${error.message}` : String(error)),
  );
const left = () => ({
  machines: engine.machines.size,
  projects: test.fleet.projects.list(owner).map(({ name }) => name),
});
const NOTHING = { machines: 0, projects: [] };

it('an image is built, computers are made from it, and the next build takes the cache', async () => {
  const { image, lines } = await build(TWO_STEPS);
  expect(image).toMatchObject({ name: 'mybox', engine: 'docker', kind: 'saved', used_by: 0 });
  expect(lines).toContainEqual(expect.stringMatching(/^#3 \[.*3\/3\] RUN echo hello$/));
  expect(lines).toContainEqual(expect.stringMatching(/^#3 [\d.]+ hello$/));
  expect(left()).toEqual(NOTHING);
  const begun = engine.calls.length;
  const again = await build(TWO_STEPS);
  expect(again.lines).toContain('#3 CACHED');
  expect(again.image).toEqual(image);
  expect(engine.calls.slice(begun)).toEqual([]);
  test.fleet.projects.create(owner, 'demo');
  const input = CreateComputer.parse({ name: 'x', image: 'mybox' });
  const project = test.fleet.projects.find(owner, 'demo');
  expect(await test.fleet.computers.create(owner, project, input, 'ready')).toMatchObject({
    ...{ image: 'mybox', status: 'running' },
  });
});

it('an administrator builds images for all owners, from the cache of own ones', async () => {
  await build(TWO_STEPS);
  const { image, lines } = await build(TWO_STEPS, { shared: true });
  expect(image).toMatchObject({ name: 'mybox', kind: 'shared' });
  expect(lines).toContain('#3 CACHED');
  const kinds = (await test.fleet.images.list(owner)).images.map(({ kind }) => kind);
  expect(kinds.slice(0, 2)).toEqual(['saved', 'shared']);
  expect(await build(TWO_STEPS, { shared: true })).toMatchObject({ image: { kind: 'shared' } });
  const other = test.fleet.apiKeys.authenticate(test.addOwner('other'));
  if (other === undefined) throw new Error('there is no other owner');
  owner = other;
  expect(await refusal(build(TWO_STEPS, { shared: true }))).toContain('forbidden: ');
  const files = { Dockerfile: 'FROM mybox\nRUN echo more\n' };
  expect((await build(files, { name: 'next' })).image).toMatchObject({ kind: 'saved' });
});

it('a changed file repeats only what comes after it, and replaces the image', async () => {
  const files = { ...TWO_STEPS, Dockerfile: 'FROM linux\nRUN echo first\nCOPY a /a\n' };
  await build(files);
  guest.programs.length = 0;
  const { lines } = await build({ ...files, a: 'two' });
  expect(lines).toContain('#2 CACHED');
  expect(guest.programs.filter((each) => each.includes('echo first'))).toEqual([]);
  expect(test.store.savedDisks.images(owner.id)).toHaveLength(1);
  // The first version of the image is still in the cache.
  expect((await build(files)).lines).toContain('#3 CACHED');
  expect(engine.disks.size).toBe(3);
});

it('the same steps can have two names, and an image passes its variables on', async () => {
  await build({ Dockerfile: 'FROM linux\nENV GREETING=hi\n' });
  await build({ Dockerfile: 'FROM linux\nENV GREETING=hi\n' }, { name: 'other' });
  const names = test.store.savedDisks.images(owner.id).map(({ name }) => name);
  expect(names).toEqual(['mybox', 'other']);
  await build({ Dockerfile: 'FROM other\nRUN echo "$GREETING"\n' }, { name: 'third' });
  expect(guest.programs.some((each) => each.includes('GREETING=hi'))).toBe(true);
  expect(left()).toEqual(NOTHING);
});

describe('nothing is left', () => {
  it('of a step that fails', async () => {
    const failing = { Dockerfile: 'FROM linux\nRUN exit 3\n' };
    expect(await refusal(build(failing))).toBe(
      'invalid_request: Dockerfile:2: RUN exit 3: it ended with exit code 3',
    );
    expect(left()).toEqual(NOTHING);
    expect(test.store.savedDisks.images(owner.id)).toEqual([]);
  });

  it('of a build whose client leaves', async () => {
    const leave = new AbortController();
    const building = refusal(
      build({ Dockerfile: 'FROM linux\nRUN sleep infinity\n' }, { signal: leave.signal }),
    );
    await once(guest.hanging, 'data');
    expect(left().machines).toBe(1);
    expect(await refusal(build(TWO_STEPS))).toBe(
      'conflict: The image "mybox" is being built already.',
    );
    leave.abort(new ApiError('request_timeout', 'gone'));
    expect(await building).toBe('request_timeout: gone');
    expect(left()).toEqual(NOTHING);
  });

  it('of a build that the end of the service has interrupted', async () => {
    const building = refusal(build({ Dockerfile: 'FROM linux\nRUN sleep infinity\n' }));
    await once(guest.hanging, 'data');
    test = await test.restart();
    await building;
    await vi.waitFor(() => expect(engine.machines.size).toBe(0));
  });

  it('of a build in a service without sudo', async () => {
    guest.hasSudo = false;
    expect(await refusal(build(TWO_STEPS))).toMatch(/^unsupported: .*sudo/);
    expect(left()).toEqual(NOTHING);
  });
});

it('secrets and arguments are in no command line of the computer and in no row', async () => {
  const text = 'FROM linux\nARG TOKEN\nRUN --mount=type=secret,id=npm,env=NPM echo "$TOKEN"\n';
  await build(
    { Dockerfile: text },
    { args: { TOKEN: 'argument-4711' }, secrets: new Map([['npm', Buffer.from('secret-4711')]]) },
  );
  expect(guest.programs.join()).toContain('secret-4711');
  expect(guest.commandLines.join()).not.toMatch(/(argument|secret)-4711/);
  expect(JSON.stringify(test.store.savedDisks.images(owner.id))).not.toMatch(
    /(argument|secret)-4711/,
  );
});

describe('the log of an image', () => {
  const log = (name: string) => test.fleet.images.log(owner, name);
  const logs = () => readdirSync(join(test.directory, 'build-logs'));

  it('is that of its last build, and is removed with it', async () => {
    const { lines } = await build(TWO_STEPS);
    expect(await log('mybox')).toBe(`${lines.join('\n')}\n`);
    await refusal(build({ Dockerfile: 'FROM linux\nRUN exit 3\n' }));
    expect(await log('mybox')).toContain('RUN echo hello');
    await build({ ...TWO_STEPS, a: 'two' }, { noCache: true });
    expect(await log('mybox')).not.toContain('CACHED');
    await test.fleet.images.remove(owner, 'mybox');
    expect(await refusal(log('mybox'))).toMatch(/^not_found/);
    await build(TWO_STEPS, { noCache: true });
    await test.fleet.images.remove(owner, 'mybox');
    expect(logs()).toEqual([]);
  });

  it('is empty for images that were not built from a Dockerfile', async () => {
    expect(await log('linux')).toBe('');
  });

  it('has no values of secrets and build arguments, which the client may see', async () => {
    const { lines } = await build(TWO_STEPS, { args: { TOKEN: 'hello' } });
    expect(lines.join()).toMatch(/#3 [\d.]+ hello/);
    expect(await log('mybox')).toMatch(/^#3 [\d.]+ \*{4}$/m);
  });
});

it('keeps the last 256 KiB of a log, in whole lines', () => {
  const log = new BuildLog(['secret']);
  for (let step = 1; step <= 20_000; step += 1) {
    const output = {
      type: 'output',
      step,
      stream: 'stdout',
      seconds: 1,
      text: 'é secret',
    } as const;
    log.add(output);
  }
  const lines = log.text.split('\n');
  expect(lines[0]).toMatch(/^#\d+ 1\.000 é \*{4}$/);
  expect(lines.at(-2)).toBe('#20000 1.000 é ****');
  const bytes = Buffer.byteLength(log.text);
  expect([bytes <= 256 * 1024, bytes > 256 * 1024 - 100]).toEqual([true, true]);
});

it('a build counts against the limit of running computers', async () => {
  test.fleet.projects.create(owner, 'demo');
  const project = test.fleet.projects.find(owner, 'demo');
  for (const name of ['x', 'y']) {
    await test.fleet.computers.create(owner, project, CreateComputer.parse({ name }), 'ready');
  }
  expect(await refusal(build(TWO_STEPS))).toMatch(/^limit_reached/);
});

it('a prune removes the cache, but no image and no step of a running build', async () => {
  engine.bytes = 1e9;
  const cached = () => test.fleet.computers.storage(owner.id).build_cache_bytes;
  await build(TWO_STEPS);
  expect(cached()).toBe(1e9);
  const leave = new AbortController();
  const files = { Dockerfile: 'FROM linux\nRUN echo first\nRUN sleep infinity\n' };
  const running = refusal(build(files, { name: 'other', signal: leave.signal }));
  await once(guest.hanging, 'data');
  expect(await test.fleet.builds.prune(owner)).toBe(1e9);
  expect({ disks: engine.disks.size, cached: cached() }).toEqual({ disks: 2, cached: 1e9 });
  leave.abort(new ApiError('request_timeout', 'gone'));
  await running;
  expect(await test.fleet.builds.prune(owner)).toBe(1e9);
  expect(await test.fleet.builds.prune(owner)).toBe(0);
  expect({ disks: engine.disks.size, cached: cached() }).toEqual({ disks: 1, cached: 0 });
  expect((await build({ ...TWO_STEPS, a: 'two' })).lines).not.toContain('#2 CACHED');
});

it('the cache makes room for what is saved', async () => {
  engine.bytes = 20e9;
  await build(TWO_STEPS);
  await test.fleet.images.remove(owner, 'mybox');
  await build({ ...TWO_STEPS, a: 'two' });
  expect(test.store.savedDisks.bytes(owner.id)).toBe(40e9);
  expect(engine.disks.size).toBe(2);
});
