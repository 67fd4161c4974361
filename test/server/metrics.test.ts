import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { buildApp } from '../../src/server/app.js';
import { Metrics } from '../../src/server/metrics.js';
import { FakeEngine } from '../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../support/fleet.js';

let test: TestFleet;
let app: FastifyInstance;
let metrics: Metrics;

beforeEach(async () => {
  test = await openTestFleet();
  metrics = new Metrics();
  metrics.watch(test.fleet);
  const log = pino({ level: 'silent' });
  app = await buildApp({
    ...{ fleet: test.fleet, reachable: { hosts: [] }, version: '0.0.0', log, metrics },
  });
});
afterEach(async () => {
  await app.close();
  await test.close();
});

async function call(method: 'GET' | 'POST', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${test.key}`, host: '127.0.0.1' };
  return app.inject({ method, url, headers, payload });
}

it('counts requests, actions, refusals and computers', async () => {
  await call('POST', '/api/projects', { name: 'demo' });
  const { id } = (await call('POST', '/api/projects/demo/computers', { name: 'desk' })).json();
  await call('POST', `/api/computers/${id}/click`, { x: 1, y: 1 });
  await call('GET', '/api/computers/cmp_0123456789abcdefghjk');
  const { body, headers } = await call('GET', '/metrics');
  expect(headers['content-type']).toContain('text/plain');
  expect(body).toMatch(
    /vc_http_request_duration_seconds_count\{method="POST",route="\/api\/projects",status="200"\} 1/,
  );
  expect(body).toContain('vc_action_duration_seconds_count{action="click",outcome="ok"} 1');
  expect(body).toContain('vc_http_refused_total{code="not_found"} 1');
  expect(body).toContain('vc_computers{status="running",engine="docker"} 1');
  expect(body).toContain('vc_usable{part="docker"} 1');
  expect(body).toContain('vc_usable{part="store"} 1');
  expect(body).toContain('process_open_fds');
});

it('reports, like health, that the store cannot be written', async () => {
  const project = await call('POST', '/api/projects', { name: 'demo' });
  expect(project.statusCode).toBe(200);
  const { id } = (await call('POST', '/api/projects/demo/computers', { name: 'desk' })).json();
  expect((await call('GET', '/api/health')).json()).toMatchObject({
    status: 'ok',
    store: { usable: true, detail: expect.stringMatching(/^\d+(\.\d)? [MG]B free$/) },
  });
  const append = vi.spyOn(test.store.audit, 'append').mockImplementation(() => {
    throw new Error('database or disk is full');
  });
  await call('POST', `/api/computers/${id}/click`, { x: 1, y: 1 });
  await vi.waitFor(async () => {
    const { store, status } = (await call('GET', '/api/health')).json();
    expect(status).toBe('degraded');
    expect(store).toEqual({
      usable: false,
      detail: 'it cannot be written: database or disk is full',
    });
  }, 20_000);
  expect((await call('GET', '/metrics')).body).toContain('vc_usable{part="store"} 0');
  append.mockRestore();
  await call('GET', `/api/computers/${id}/actions`);
  expect((await call('GET', '/api/health')).json().status).toBe('ok');
});

it('needs a key', async () => {
  const response = await app.inject({ url: '/metrics', headers: { host: '127.0.0.1' } });
  expect(response.statusCode).toBe(401);
});

it('an engine with metrics behaves as without', async () => {
  const engine = new FakeEngine();
  const measured = metrics.measured(engine);
  expect(measured.name).toBe('docker');
  expect(await measured.list()).toEqual([]);
  await expect(measured.start('cmp_none')).rejects.toThrow('no such machine');
  const { body } = await call('GET', '/metrics');
  const line =
    'vc_engine_call_duration_seconds_count{engine="docker",call="start",outcome="error"} 1';
  expect(body).toContain(line);
});
