import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { untyped } from '../../../src/engines/containers/client.js';
import { connectDocker } from '../../../src/engines/docker/client.js';

it('a request does not format the open connections', async () => {
  const engine = createServer((request, response) => {
    if (request.url?.startsWith('/events')) response.flushHeaders();
    else response.end('OK');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void engine.close());
  await once(engine, 'listening');
  vi.stubEnv('DOCKER_HOST', `tcp://127.0.0.1:${(engine.address() as AddressInfo).port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const docker = connectDocker();
  const events = await docker.getEvents();
  onTestFinished(() => engine.closeAllConnections());
  events.on('error', () => undefined);

  const { agent } = untyped(docker).modem;
  expect(Object.keys(agent?.sockets ?? {})).toHaveLength(1);
  // As docker-modem does for every request.
  expect(inspect({ agent }, { showHidden: true, depth: null })).toBe('{ agent: Agent }');
  expect(String(await docker.ping())).toBe('OK');
});
