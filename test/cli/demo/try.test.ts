// @module-tag slow
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Received } from '../support/fake-service.js';
import { computer, openWorld, project, type World } from '../support/run.js';

let world: World;
let status: string | undefined;
beforeEach(async () => {
  status = undefined;
  world = await openWorld();
  world.service.onProcess((_, socket) => {
    socket.send(Buffer.from('\u0001Linux\n'));
    socket.send('{"type": "exit", "code": 0, "signal": null}');
  });
  world.service.handleOthers((request, response) => {
    const found = answer(request);
    const headers = { 'content-type': 'application/json', 'x-error-code': 'not_found' };
    response.writeHead(found === undefined ? 404 : 200, headers);
    return response.end(JSON.stringify(found ?? { error: 'There is none.' }));
  });
});
afterEach(() => world.close());

const at = '/api/projects/default/computers';
function answer({ method, url }: Received): unknown {
  if (url === '/api/me') return { running: 0, max_running: 2 };
  if (url === '/api/projects') return method === 'POST' ? project : { projects: [] };
  if (url === `${at}/try` && method === 'GET') return status && { ...computer, status };
  if (url.endsWith('/view')) return { url: 'http://h/api/view/cmp_1#vt_2', expires_at: 'x' };
  if (method === 'POST' && (url === at || url.endsWith('/start'))) {
    status = 'running';
    return computer;
  }
  return { success: true };
}

const said = (stderr: string) =>
  [...stderr.matchAll(/^ {2}\$ (vc .*)$/gm)].map(([, line]) => line ?? '');
const NEXT = 'try keeps running. Next:\n  vc screenshot try --show\n  vc shell try\n  vc rm try\n';

test('creates a computer, prints the link, types, and leaves it running', async () => {
  const { code, stdout, stderr } = await world.run(['try']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(said(stderr).slice(0, 2)).toEqual(['vc create try', 'vc view try']);
  expect(stderr).toContain('/api/view/cmp_1#vt_2');
  expect(said(stderr).join('\n')).toContain('vc type try');
  expect(stderr.endsWith(NEXT)).toBe(true);
  const methods = world.service.received.map(({ method }) => method);
  expect(methods).not.toContain('DELETE');
});

test('uses the computer of its last run, started if it is stopped', async () => {
  status = 'stopped';
  expect(said((await world.run(['try'])).stderr)[0]).toBe('vc start try');
  expect(said((await world.run(['try'])).stderr)[0]).toBe('vc view try');
});

test('waits at a terminal until the user has opened the link', async () => {
  status = 'running';
  const env = { CI: '' };
  const { code, stdout, stderr } = await world.run(['try'], { terminal: true, stdin: '\n', env });
  expect(code).toBe(0);
  expect(stdout).toContain('#vt_2');
  expect(stderr).toContain('Press Enter when you see it');
}, 60_000);

test('prints one document with --json, and the name with -q', async () => {
  expect(await world.run(['try', '--json'])).toMatchObject({
    ...{ stdout: '{"project":"default","computer":"try"}\n', stderr: '' },
  });
  expect(await world.run(['try', '-q'])).toMatchObject({ stdout: 'try\n', stderr: '' });
});

test('stops at the limit, without a service, for a bad name, and at a step that fails', async () => {
  world.service.on('GET /me', { running: 2, max_running: 2 });
  expect(await world.run(['try'])).toMatchObject({ code: 6 });
  const env = { VC_BASE_URL: 'http://127.0.0.1:1/api' };
  expect(await world.run(['try'], { env })).toMatchObject({ code: 7 });
  expect(await world.run(['try', '/'])).toMatchObject({ code: 2 });
  expect(await world.run(['try', 'a', 'b'])).toMatchObject({ code: 2 });
  status = 'running';
  world.service.fail('POST /projects/default/computers/try/view', 400, 'not_running', 'No.');
  const failed = await world.run(['try']);
  expect(failed).toMatchObject({ code: 6, stderr: expect.stringContaining('vc rm try\n') });
});
