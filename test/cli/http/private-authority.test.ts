// @module-tag slow
import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { openPooledClient } from '../../../src/cli/http/pooled-client.js';
import { makeCertificate } from '../../support/tls/certificate.js';
import { openWorld, type World } from '../support/run.js';

const { key, cert } = makeCertificate('localhost');
let server: Server;
let sockets: WebSocketServer;
let baseUrl: string;
let world: World;
let file: string;

/** A service with TLS, whose certificate no usual authority has signed. */
beforeAll(async () => {
  server = createServer({ key, cert }, (request, response) => {
    response.setHeader('x-api-version', '1');
    response.setHeader('content-type', 'application/json');
    const me = { user_id: 'usr_1', name: 'owner', role: 'member', key: { rights: 'manage' } };
    response.end(JSON.stringify(request.url === '/api/me' ? me : { projects: [] }));
  });
  sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.once('message', () => {
      socket.send(Buffer.concat([Buffer.of(1), Buffer.from('over TLS\n')]));
      socket.send(JSON.stringify({ type: 'exit', code: 0, signal: null }));
      socket.close();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `https://localhost:${(server.address() as AddressInfo).port}/api`;
});
afterAll(() => {
  sockets.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  world = await openWorld();
  file = join(world.directory, 'ca.pem');
  writeFileSync(file, cert);
});
afterEach(() => world.close());

const vc = (words: string[], env: Record<string, string | undefined> = {}, stdin = '') =>
  world.run(words, { env: { VC_BASE_URL: baseUrl, ...env }, stdin });
const stored = async (name: string) =>
  JSON.parse(await readFile(join(world.directory, 'config/config.json'), 'utf8')).profiles[name];
const LIST = ['project', 'ls', '--json'];

test('without its authority, the service is not trusted, and the remedy is named', async () => {
  const { code, stderr } = await world.run(['project', 'ls'], { env: { VC_BASE_URL: baseUrl } });
  expect(stderr).toMatch(/its certificate is not trusted.*\n.*--cacert FILE/);
  expect(code).toBe(7);
});

test('--cacert and VC_CACERT name the authority, for requests and for programs', async () => {
  const trusted = { code: 0, stdout: '{"projects":[]}\n' };
  expect(await vc([...LIST, '--cacert', 'ca.pem'])).toMatchObject(trusted);
  expect(await vc(LIST, { VC_CACERT: file })).toMatchObject(trusted);
  const exec = ['exec', '--cacert', file, 'demo/desk', 'true'];
  expect(await vc(exec)).toMatchObject({ code: 0, stdout: 'over TLS\n' });
  const pooled = openPooledClient({ baseUrl, apiKey: 'vc_x', ca: cert.toString() });
  expect(await pooled.request('listProjects')).toEqual({ projects: [] });
  await pooled.close();
});

test('a login keeps it in the profile, for the service of that profile only', async () => {
  const none = { VC_BASE_URL: undefined, VC_API_KEY: undefined };
  const login = await vc(['login', baseUrl, '--cacert', 'ca.pem'], none, `vc_${'0'.repeat(32)}\n`);
  expect(login).toMatchObject({ code: 0, stderr: expect.stringContaining('logged in') });
  expect(await vc(LIST, none)).toMatchObject({ code: 0 });
  const shown = JSON.parse((await vc(['profile', 'get', '--json'], none)).stdout);
  expect(shown.cacert).toMatchObject({ value: file, source: 'profile' });
  const other = baseUrl.replace('localhost', '127.0.0.1');
  const elsewhere = await vc(['profile', 'get', '--json', '--base-url', `${other}/x`], none);
  expect(JSON.parse(elsewhere.stdout).cacert).toBeUndefined();
});

test('profile add keeps it as well', async () => {
  const words = ['profile', 'add', 'office', '--base-url', baseUrl, '--cacert', 'ca.pem'];
  const env = { VC_BASE_URL: undefined, VC_API_KEY: undefined };
  expect(await vc(words, env, `vc_${'0'.repeat(32)}\n`)).toMatchObject({ code: 0 });
  expect(await vc([...LIST, '--profile', 'office'], env)).toMatchObject({ code: 0 });
  await vc(words.slice(0, -2), env, `vc_${'0'.repeat(32)}\n`);
  expect(await stored('office')).not.toHaveProperty('cacert');
});

test('a stored file that is gone is named with a remedy, and a login removes it', async () => {
  const key = `vc_${'0'.repeat(32)}\n`;
  const none = { VC_BASE_URL: undefined, VC_API_KEY: undefined };
  await vc(['login', baseUrl, '--profile', 'office', '--cacert', 'ca.pem'], none, key);
  rmSync(file);
  const { code, stderr } = await vc(LIST, none);
  expect(code).toBe(1);
  expect(JSON.parse(stderr).error).toMatchObject({
    message: expect.stringContaining(`cannot use the certificates in ${file} (office): `),
    hint: expect.stringContaining('vc login --profile office --cacert FILE'),
  });
  const shown = await vc(['profile', 'get', '--json'], none);
  expect(JSON.parse(shown.stdout).cacert).toMatchObject({ value: file });
  const { checks } = JSON.parse((await vc(['doctor', '--json'], none)).stdout);
  expect(checks.find(({ name }: { name: string }) => name === 'service')).toMatchObject({
    ...{ status: 'missing', detail: expect.stringContaining(file) },
    remedy: expect.stringContaining('vc login --profile office'),
  });
  const refused = await vc(['login', '--profile', 'office'], none, key);
  expect(refused.stderr).toContain('certificate is not trusted');
  expect(await stored('office')).toHaveProperty('cacert', file);
  writeFileSync(file, cert);
  const elsewhere = { ...none, VC_CACERT: file };
  expect(await vc(['login', '--profile', 'office'], elsewhere, key)).toMatchObject({ code: 0 });
  expect(await stored('office')).not.toHaveProperty('cacert');
});

test('a file without a certificate is an error that names it', async () => {
  writeFileSync(file, 'nothing');
  for (const path of ['ca.pem', 'none.pem']) {
    const { code, stderr } = await vc([...LIST, '--cacert', path]);
    expect(stderr).toContain(`cannot use the certificates in ${join(world.directory, path)}`);
    expect(stderr).toContain('name a PEM file with --cacert');
    expect(code).toBe(1);
  }
});
