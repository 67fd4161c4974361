import { writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';

let app: TestApp;
afterEach(() => app.close());

const ask = (method: string, path: string, key: string, body?: object) =>
  app.send(method, `/api${path}`, { authorization: `Bearer ${key}`, ...(body && { body }) });

test('an error about the host names no directory of it', async () => {
  app = await openTestApp();
  const member = app.world.addOwner('bob');
  await ask('POST', '/projects', member, { name: 'p' });
  writeFileSync(`${app.world.directory}/secret.key`, 'short');
  const answer = await ask('PUT', '/projects/p/secrets/A', member, { value: 'x' });
  expect(answer.status).toBe(500);
  expect(answer.json.error).toContain('…/secret.key, is unusable');
  expect(answer.text).not.toContain(app.world.directory);
});

test('only an administrator sees paths in the health of the service', async () => {
  const engine = new FakeSnapshottingEngine();
  const reason = 'connect ENOENT /root/.docker/secret.sock';
  Object.assign(engine, { probe: async () => ({ usable: false, reason }) });
  app = await openTestApp({ engine });
  const member = app.world.addOwner('bob');
  const limited = await ask('POST', '/keys', app.world.key, { name: 'look', rights: 'look' });
  expect((await ask('GET', '/health', app.world.key)).text).toContain('/root/.docker/secret.sock');
  for (const key of [member, String(limited.json.key)]) {
    const { json, text } = await ask('GET', '/health', key);
    expect(json.version).not.toBe('');
    expect(text).toContain('ENOENT …/secret.sock');
    expect(text).not.toContain('/root');
  }
});
