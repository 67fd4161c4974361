import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type Check,
  diagnose,
  isUsable,
  problemsOf,
  unusableEngines,
} from '../../../src/cli/doctor/check.js';
import { allChecks } from '../../../src/cli/doctor/checks.js';
import { describeMetrics, parseMetrics } from '../../../src/cli/serve/metrics.js';
import type { CheckResult } from '../../../src/engines/descriptor.js';

const surroundings = {
  env: {},
  baseUrl: 'http://127.0.0.1:4700/api',
  apiKey: undefined,
  stateDirectory: '/nowhere',
  user: { name: 'me', isRoot: false },
  signal: new AbortController().signal,
};
const missing: CheckResult = { status: 'missing', detail: 'not there', remedy: 'vc setup' };
const check = (finding: CheckResult, over: Partial<Check> = {}): Check => ({
  name: 'x',
  title: 'X',
  section: 'vc',
  needed: true,
  where: 'host',
  run: async () => finding,
  ...over,
});

test('a missing requirement makes vc unusable, a missing option does not', async () => {
  expect(isUsable(await diagnose([check(missing)], surroundings))).toBe(false);
  expect(isUsable(await diagnose([check(missing, { needed: false })], surroundings))).toBe(true);
});

test('problems are those of vc, and of engines that are set up', async () => {
  const ok: CheckResult = { status: 'ok', detail: '' };
  const diagnoses = await diagnose(
    [
      check(missing, { name: 'service' }),
      check(ok, { name: 'node' }),
      ...[check(missing, { name: 'docker', section: 'docker' })],
      ...[check(missing, { name: 'docker-images', section: 'docker' })],
      ...[check(ok, { name: 'qemu', section: 'qemu' })],
      ...[check(ok, { name: 'podman', section: 'podman' })],
      ...[check(missing, { name: 'podman-images', section: 'podman' })],
      ...[check({ ...missing, status: 'stale' }, { name: 'qemu-images', section: 'qemu' })],
    ],
    surroundings,
  );
  expect(problemsOf(diagnoses).map(({ name }) => name)).toEqual(['service', 'qemu-images']);
  expect(unusableEngines(diagnoses)).toEqual(['docker', 'podman']);
});

test("checks of the service's host are skipped for a remote service", async () => {
  const elsewhere = { ...surroundings, baseUrl: 'https://vc.example.com/api' };
  const [host, client] = await diagnose(
    [check(missing), check(missing, { where: 'client' })],
    elsewhere,
  );
  expect(host?.finding.status).toBe('skipped');
  expect(client?.finding.status).toBe('missing');
});

test('a check that throws is a problem, and the others continue', async () => {
  const broken = check(missing, { run: () => Promise.reject(new Error('broken')) });
  const [first, second] = await diagnose(
    [broken, check({ status: 'ok', detail: '' })],
    surroundings,
  );
  expect(first?.finding).toMatchObject({ status: 'missing', detail: 'broken' });
  expect(second?.finding.status).toBe('ok');
});

test('the counters of the service are shown in one line', () => {
  const samples = parseMetrics(`# HELP vc_computers Computers by status and engine.
vc_http_request_duration_seconds_bucket{le="0.1",method="GET",route="/api/health",status="200"} 9
vc_http_request_duration_seconds_count{method="GET",route="/api/health",status="200"} 9
vc_http_request_duration_seconds_count{method="POST",route="/api/a",status="503"} 2
vc_action_duration_seconds_count{action="click",outcome="ok"} 4
vc_engine_call_duration_seconds_count{engine="docker",call="start",outcome="error"} 1
vc_computers{status="running",engine="docker"} 3
vc_computers{status="stopped",engine="docker"} 5
process_resident_memory_bytes 104857600
process_open_fds 21
`);
  expect(describeMetrics(samples)).toBe(
    '11 requests, 2 failed, 4 actions, 1 engine calls failed, 3 computers run, 21 descriptors, 100 MiB',
  );
});

test.each(['ffmpeg', 'tesseract'])('a host without %s is usable, with a note', async (program) => {
  const check = (await allChecks()).find(({ name }) => name === program);
  expect(check?.needed).toBe(false);
  const directory = mkdtempSync(join(tmpdir(), 'vc-doctor-'));
  try {
    const found = () => check?.run({ ...surroundings, env: { PATH: directory } });
    expect(await found()).toMatchObject({ status: 'missing', remedy: 'vc setup' });
    writeFileSync(join(directory, program), '', { mode: 0o755 });
    expect(await found()).toEqual({ status: 'ok', detail: join(directory, program) });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('the remedy for a service that is stopped starts it at its own address', async () => {
  const service = (await allChecks()).find(({ name }) => name === 'service');
  const finding = await service?.run({ ...surroundings, baseUrl: 'http://127.0.0.1:1/api' });
  expect(finding).toMatchObject({
    ...{ status: 'missing', remedy: 'vc serve --detach --listen 127.0.0.1:1' },
  });
});

test('storage that is nearly full is named with what to remove', async () => {
  let stored = 50e9;
  const answers: Record<string, () => object> = {
    '/api/health': () => ({ status: 'ok', version: '0', engines: [] }),
    '/api/usage': () => ({
      days: [],
      limits: { max_running: 2, max_storage: 100 },
      now: { running: 0, storage_bytes: stored },
    }),
  };
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('x-api-version', '1');
    response.end(JSON.stringify(answers[url.replace(/\?.*/, '')]?.()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
    const storage = (await allChecks()).find(({ name }) => name === 'storage');
    const found = () => storage?.run({ ...surroundings, baseUrl, apiKey: 'vc_x' });
    expect(await found()).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/of 100 GB$/),
    });
    stored = 95e9;
    const remedy = expect.stringContaining('vc image ls');
    expect(await found()).toMatchObject({ status: 'missing', remedy });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
