// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServiceSilentError, VirtualComputers } from '../../../src/client/index.js';
import { type FakeService, startFakeService } from '../../cli/support/fake-service.js';

const CHECK_MS = 200;

/** Prints its port, and answers every request. */
const SERVER = `
  require('node:http')
    .createServer((request, response) => response.setHeader('x-api-version', '1').end('{"projects":[]}'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port); });
`;

let child: ChildProcess;
let baseUrl: string;
const open: VirtualComputers[] = [];
beforeEach(async () => {
  child = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout ?? child, 'data');
  baseUrl = `http://127.0.0.1:${Number(port)}/api`;
});
afterEach(async () => {
  child.kill('SIGKILL');
  await Promise.all(open.splice(0).map((vc) => vc.close()));
});

function client(at = baseUrl) {
  const vc = new VirtualComputers({
    ...{ baseUrl: at, apiKey: 'vc_key', checkAfterMs: CHECK_MS },
  });
  open.push(vc);
  return vc;
}

describe('requests', () => {
  test('a stopped process is reported as silent, and answers after it continues', async () => {
    const vc = client();
    await expect(vc.projects.list()).resolves.toEqual([]);
    child.kill('SIGSTOP');
    const failure = await vc.projects.list().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceSilentError);
    expect(failure).toMatchObject({ name: 'ServiceSilentError', baseUrl });
    child.kill('SIGCONT');
    await expect(vc.projects.list()).resolves.toEqual([]);
  });

  test('a long request is not aborted while the service answers others', async () => {
    const service: FakeService = await startFakeService();
    try {
      service.handle('POST /computers/cmp_1/wait', (_, response) => {
        setTimeout(() => response.end('{"success":true,"waited":1}'), 6 * CHECK_MS);
      });
      const vc = client(service.baseUrl);
      expect(await vc.computer({ id: 'cmp_1' }).wait({ seconds: 1 })).toMatchObject({ waited: 1 });
      // The checks, which carry no key, may overtake the request.
      const checks = service.received.filter(({ url }) => !url.endsWith('/wait'));
      expect(checks.length).toBeGreaterThan(0);
      expect(checks.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    } finally {
      await service.close();
    }
  });

  test('an abort ends a request to a stopped process at once', async () => {
    child.kill('SIGSTOP');
    const controller = new AbortController();
    const request = client().client.request('health', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(request).rejects.toThrow();
    await expect(request).rejects.not.toBeInstanceOf(ServiceSilentError);
  });
});

test('a command and a tunnel of a stopped process fail as well', async () => {
  child.kill('SIGSTOP');
  const desk = client().computer({ id: 'cmp_1' });
  await expect(desk.process({ argv: ['true'] })).rejects.toThrow(ServiceSilentError);
  await expect(desk.connect(80)).rejects.toThrow(ServiceSilentError);
});
