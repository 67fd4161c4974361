// @module-tag slow
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ServiceEvent } from '../../../src/contract/events.js';
import { HEARTBEAT_MS } from '../../../src/server/http/event-stream.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

let app: TestApp;
let streams: Stream[];
beforeEach(async () => {
  streams = [];
  app = await openTestApp();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const { response } of streams) response.destroy();
  await app.close();
});

interface Stream {
  readonly response: IncomingMessage;
  /** What has come until now. */
  text(): string;
  events(): ServiceEvent[];
  /** The last id. */
  id(): string | undefined;
  /** Resolves once the last event is of this type. */
  until(type: string): Promise<ServiceEvent[]>;
}

async function open(
  query = '',
  { key = app.world.key, lastEventId }: { key?: string; lastEventId?: string | undefined } = {},
): Promise<Stream> {
  const sent = request({
    ...{ host: '127.0.0.1', port: app.port, path: `/api/events${query}`, agent: false },
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  response.on('error', () => undefined);
  const events = () =>
    [...text.matchAll(/^data: (.*)\n/gm)].map(([, data]) => JSON.parse(data ?? '') as ServiceEvent);
  const stream = {
    ...{ response, text: () => text, events },
    id: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1],
    until: (type: string) =>
      eventually(async () => events().at(-1)?.type === type && events(), 5_000),
  };
  streams.push(stream);
  if (response.statusCode === 200) await eventually(async () => text.includes('id: '), 5_000);
  else await once(response, 'end');
  return stream;
}

async function createDesk(name = 'desk') {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name } });
  return String(json.id);
}

const typesOf = (events: readonly ServiceEvent[]) => events.map(({ type }) => type);

it('sends every change of a computer and its project, in order', async () => {
  const stream = await open(
    '?types=computer.created,computer.status,computer.deleted,project.deleted',
  );
  expect(stream.response.headers).toMatchObject({
    ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
  const id = await createDesk();
  await app.send('POST', `/api/computers/${id}/stop`);
  await app.send('DELETE', '/api/projects/p');
  const events = await stream.until('project.deleted');
  const of = { id, name: 'desk', project: 'p' };
  const change = { type: 'computer.status', ...of, reason: null };
  const reason = 'Key "default" stopped it.';
  expect(events).toMatchObject([
    { type: 'computer.created', ...of, status: 'starting' },
    { ...change, previous: 'starting', status: 'running' },
    { ...change, previous: 'running', status: 'stopping', reason },
    { ...change, previous: 'stopping', status: 'stopped', reason },
    { ...change, previous: 'stopped', status: 'deleting' },
    { type: 'computer.deleted', ...of },
    { type: 'project.deleted', name: 'p' },
  ]);
  expect(stream.text()).toMatch(/^event: computer\.created\nid: [0-9a-f]{8}-\d+\ndata: \{/m);
});

it('sends the entries of the audit log, with the names of computers that are gone', async () => {
  const stream = await open('?types=action');
  const id = await createDesk();
  await app.send('POST', `/api/computers/${id}/click`, { body: { x: 1, y: 2 } });
  await app.send('DELETE', `/api/computers/${id}`);
  const found = await eventually(async () => stream.events().length === 4 && stream.events());
  const { json } = await app.send('GET', '/api/audit');
  const entries = json.entries as { id: number; at: string }[];
  expect(found.map((event) => 'id' in event && event.id)).toEqual(
    entries.map((entry) => entry.id).reverse(),
  );
  const of = { computer_id: id, computer: 'desk', project: 'p' };
  expect(found).toMatchObject([
    { action: 'createProject', computer_id: null, computer: null },
    { action: 'createComputer', ...of },
    { action: 'click', detail: { x: 1, y: 2 }, outcome: 'ok', ...of },
    { action: 'deleteComputer', ...of, at: entries[0]?.at },
  ]);
});

it('tells of a renamed project those who follow its old name, its new one or its id', async () => {
  const { json } = await app.send('POST', '/api/projects', { body: { name: 'p' } });
  await app.send('POST', '/api/projects', { body: { name: 'q' } });
  const filters = ['p', 'new', json.id, 'q'].map((project) => `?project=${project}`);
  const streams = await Promise.all(filters.map((filter) => open(filter)));
  await app.send('PATCH', '/api/projects/p', { body: { name: 'new' } });
  await app.send('PATCH', '/api/projects/q', { body: { name: 'q' } });
  await app.send('DELETE', '/api/projects/q');
  const [first] = (await streams[1]?.until('project.renamed')) ?? [];
  expect(first).toEqual({
    ...{ type: 'project.renamed', at: expect.any(String), id: json.id },
    ...{ name: 'new', previous: 'p' },
  });
  await streams[3]?.until('project.deleted');
  const counts = () =>
    streams.map(
      (stream) => stream.events().filter(({ type }) => type === 'project.renamed').length,
    );
  await eventually(async () => counts().join() === '1,1,1,0', 5_000);
});

it('filters by project, computer and type, by name and by id', async () => {
  const id = await createDesk();
  await app.send('POST', '/api/projects', { body: { name: 'q' } });
  const filters = ['?project=p', '?computer=desk', `?computer=${id}`, '?project=q', '?computer=no'];
  const filtered = await Promise.all(
    filters.map((filter) => open(`${filter}&types=computer.status,project.deleted`)),
  );
  await app.send('POST', `/api/computers/${id}/stop`);
  await app.send('DELETE', '/api/projects/q');
  const counts = () => filtered.map((stream) => stream.events().length);
  await eventually(async () => counts().join() === '2,2,2,1,0', 5_000);
});

it('never sends an event of another owner', async () => {
  const other = app.world.addOwner('stranger');
  const stream = await open('', { key: other });
  const id = await createDesk();
  const foreign = await open(`?computer=${id}`, { key: other });
  await app.send('POST', '/api/projects', {
    ...{ body: { name: 'own' }, authorization: `Bearer ${other}` },
  });
  await eventually(async () => stream.events().length === 2);
  expect(typesOf(stream.events())).toEqual(['project.created', 'action']);
  expect(foreign.events()).toEqual([]);
});

it('continues after Last-Event-ID, with nothing missed or repeated, also after a restart', async () => {
  const stream = await open('?types=computer.status');
  const id = await createDesk();
  await stream.until('computer.status');
  const lastEventId = stream.id();
  stream.response.destroy();
  await app.send('POST', `/api/computers/${id}/stop`);
  app = await app.restart();
  const resumed = await open('?types=computer.status', { lastEventId });
  await eventually(async () => resumed.events().length === 2, 5_000);
  expect(resumed.events()).toMatchObject([{ status: 'stopping' }, { status: 'stopped' }]);
  const current = await open('?types=computer.status', { lastEventId: resumed.id() });
  await app.send('POST', `/api/computers/${id}/start`);
  await eventually(async () => current.events().length === 2, 5_000);
  expect(current.events()).toMatchObject([{ status: 'starting' }, { status: 'running' }]);
});

it('says so first when events were dropped, or are of another state', async () => {
  const start = (await open()).id() ?? '';
  createProjects(5_600);
  await eventually(async () => {
    app.world.store.events.tidy();
    return app.world.store.events.droppedUpTo(ownerId(), ['change']) > 0;
  });
  const late = await open('', { lastEventId: start });
  await eventually(async () => late.events().length > 0);
  expect(late.events()).toMatchObject([{ type: 'reset' }]);
  const next = await open('', { lastEventId: late.id() });
  const foreign = await open('', { lastEventId: '00000000-1' });
  const future = await open('', { lastEventId: `${start.split('-')[0]}-999999999` });
  app.world.store.projects.create(ownerId(), 'more');
  for (const [stream, types] of [
    [next, ['project.created']],
    [foreign, ['reset', 'project.created']],
    [future, ['reset', 'project.created']],
  ] as const) {
    expect(typesOf(await stream.until('project.created'))).toEqual(types);
  }
});

it.each([
  ['?types=computer.statsu', /^types must be one or more of computer\.created, .*between\.$/],
  ['?types=', /^types must be one or more of/],
  ['?project=', /^project /],
  [`?computer=${'x'.repeat(129)}`, /^computer /],
  ['?compter=desk', /no field "compter"/],
])('refuses %s', async (query, message) => {
  const { status, json } = await app.send('GET', `/api/events${query}`);
  expect([status, json.error]).toEqual([400, expect.stringMatching(message)]);
});

it('refuses a Last-Event-ID that is none, and counts no stream for it', async () => {
  for (let n = 0; n < 70; n += 1) {
    const { status, json } = await app.send('GET', '/api/events', {
      headers: { 'last-event-id': `garbage${n}` },
    });
    expect([status, json.error]).toEqual([400, 'Last-Event-ID is not the id of an event.']);
  }
  expect((await open()).response.statusCode).toBe(200);
});

it('limits the streams of an owner, and not those of others', async () => {
  const opened = await Promise.all(Array.from({ length: 64 }, () => open()));
  const { status, headers } = await app.send('GET', '/api/events');
  expect([status, headers['x-error-code']]).toEqual([429, 'rate_limited']);
  const other = await open('', { key: app.world.addOwner('stranger') });
  expect(other.response.statusCode).toBe(200);
  // They are no requests in progress: others are answered.
  expect((await app.send('GET', '/api/projects')).status).toBe(200);
  opened[0]?.response.destroy();
  await eventually(async () => (await open()).response.statusCode === 200);
});

it('ends a stream when its key is revoked', async () => {
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'agent' } });
  const stream = await open('', { key: String(json.key) });
  const closed = new Promise((resolve) => stream.response.once('close', resolve));
  await app.send('DELETE', `/api/keys/${json.id}`);
  await closed;
  expect(stream.response.complete).toBe(false);
});

it('answers HEAD and keeps no stream for it', async () => {
  for (let n = 0; n < 66; n += 1) expect((await app.send('HEAD', '/api/events')).status).toBe(200);
});

it('tells the position in a heartbeat, so that a filtered stream stays current', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const stream = await open('?computer=nothing');
  const before = stream.id();
  app.world.store.projects.create(ownerId(), 'more');
  // It is read in a later turn.
  await new Promise((resolve) => setTimeout(resolve, 50));
  vi.advanceTimersByTime(HEARTBEAT_MS);
  vi.useRealTimers();
  await eventually(async () => stream.text().includes(': heartbeat\n'), 5_000);
  expect(Number(stream.id()?.split('-')[1])).toBe(Number(before?.split('-')[1]) + 1);
  expect(stream.events()).toEqual([]);
});

it('reads no further while its client reads nothing', async () => {
  const stream = await open();
  stream.response.pause();
  const list = vi.spyOn(app.world.store.events, 'list');
  // Some 30 MB: more than the buffers of a connection hold.
  createProjects(1_500, 'x'.repeat(20_000));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const reads = list.mock.calls.length;
  expect(reads).toBeLessThan(12);
  stream.response.resume();
  // Parses the 30 MB only once.
  await eventually(async () => stream.text().split('\ndata: ').length > 1_500, 40_000);
  expect(stream.events()).toHaveLength(1_500);
}, 60_000);

function ownerId(): string {
  return app.world.fleet.apiKeys.authenticate(app.world.key)?.id ?? '';
}

function createProjects(count: number, suffix = ''): void {
  const { store } = app.world;
  const owner = ownerId();
  store.transaction(() => {
    for (let n = 0; n < count; n += 1) store.projects.create(owner, `p${n}${suffix}`);
  });
}
