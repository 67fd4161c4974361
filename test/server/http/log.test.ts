import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { buildApp } from '../../../src/server/app.js';
import { Metrics } from '../../../src/server/metrics.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let world: TestFleet;
let app: FastifyInstance;
let base: string;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  world = await openTestFleet();
  lines = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const metrics = new Metrics();
  metrics.watch(world.fleet);
  app = await buildApp({
    ...{ fleet: world.fleet, reachable: { hosts: [] }, version: '0.0.0', metrics },
    log: pino({ level: 'info' }, { write }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  base = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterEach(async () => {
  await app.close();
  await world.close();
});

const authorization = () => ({ authorization: `Bearer ${world.key}` });
const post = (path: string, body: object) =>
  fetch(`http://${base}/api${path}`, {
    method: 'POST',
    headers: { ...authorization(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const requests = () => lines.filter(({ msg }) => msg === 'request');

it("writes one line per request, with the answer's request id and no client input", async () => {
  const answers = [
    await post('/projects', { name: 'secret-name' }),
    await post('/projects/secret-name/computers', { name: 'desk' }),
    await post('/computers/secret-id/type', { text: 'secret-text' }),
    await fetch(`http://${base}/api/secret-path`),
  ];
  await vi.waitFor(() => expect(requests()).toHaveLength(answers.length));
  expect(requests()).toMatchObject(
    answers.map(({ status, headers }) => ({ id: headers.get('x-request-id'), status })),
  );
  expect(requests().map(({ route }) => route)).toEqual([
    ...['/api/projects', '/api/projects/:project/computers', '/api/computers/:id/type', 'unknown'],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/secret/);
});

it('writes its request id into each further line of a request', async () => {
  vi.spyOn(world.fleet.projects, 'list').mockImplementation(() => {
    throw new Error('a defect');
  });
  const { status, headers } = await fetch(`http://${base}/api/projects`, {
    headers: authorization(),
  });
  expect(status).toBe(500);
  const id = headers.get('x-request-id');
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'failed', id, level: 50 }));
  await vi.waitFor(() => expect(requests()).toMatchObject([{ id, status: 500 }]));
});

it('writes one line per WebSocket when it has closed, and counts open ones', async () => {
  await post('/projects', { name: 'p' });
  const { id } = (await (await post('/projects/p/computers', { name: 'desk' })).json()) as {
    id: string;
  };
  const before = requests().length;
  const open = async () => {
    const response = await fetch(`http://${base}/metrics`, { headers: authorization() });
    return /^vc_open_sockets\{route="[^"]*\/process"\} (\d)$/m.exec(await response.text())?.[1];
  };
  const url = `ws://${base}/api/computers/${id}/process`;
  const socket = new WebSocket(url, { headers: authorization() });
  await once(socket, 'open');
  expect(await open()).toBe('1');
  const line = () => requests().filter(({ status }) => status === 101);
  expect(line()).toEqual([]);
  socket.close();
  await vi.waitFor(() => expect(line()).toHaveLength(1));
  expect(line()[0]).toMatchObject({ method: 'GET', route: '/api/computers/:id/process' });
  expect(line()[0]?.id).toMatch(/^req_/);
  expect(await open()).toBe('0');

  // A refused upgrade is an ordinary answer, which also has one line.
  const refused = new WebSocket(`ws://${base}/api/computers/none/process`, {
    headers: authorization(),
  });
  await expect(once(refused, 'open')).rejects.toThrow('404');
  await vi.waitFor(() => expect(requests().length).toBeGreaterThan(before + 3));
  expect(requests().filter(({ status }) => status === 404)).toHaveLength(1);
  expect(line()).toHaveLength(1);
});
