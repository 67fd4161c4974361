import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openIncus } from '../../../src/engines/incus/open.js';
import { readSettings } from '../../../src/engines/incus/settings.js';
import { writeSettings } from '../../../src/engines/incus/setup/certificate.js';
import { egressRules, withMembers } from '../../../src/engines/incus/setup/objects.js';

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'vc-cluster-'));
});
afterEach(() => rmSync(state, { recursive: true }));

const NEW = { urls: ['https://10.0.0.1:8443'], project: 'vc', serverCertificate: 'server' };

test('what set-up writes is read again, and its key is for its user only', async () => {
  const { fingerprint } = await writeSettings(state, NEW);
  expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(await readSettings(state)).toMatchObject({
    ...NEW,
    clientCertificate: expect.stringContaining('BEGIN CERTIFICATE'),
    clientKey: expect.stringContaining('PRIVATE KEY'),
  });
  expect(statSync(join(state, 'incus')).mode & 0o777).toBe(0o700);
  expect(statSync(join(state, 'incus', 'client.key')).mode & 0o777).toBe(0o600);
  // Running it again keeps the certificate, which the cluster knows.
  expect((await writeSettings(state, NEW)).fingerprint).toBe(fingerprint);
});

test('settings that are not valid are refused with their path', async () => {
  mkdirSync(join(state, 'incus'));
  for (const text of ['{', '{}', '{"urls":["http://10.0.0.1"],"project":"vc"}']) {
    writeFileSync(join(state, 'incus', 'cluster.json'), text);
    await expect(readSettings(state)).rejects.toThrow('cluster.json');
  }
});

test('without settings there is an engine that says how to set one up', async () => {
  const engine = await openIncus(state, undefined);
  expect(await engine.probe()).toEqual({
    ...{ usable: false, reason: 'no cluster of LXD or Incus is set up' },
    remedy: 'vc setup --engine incus',
  });
  expect(await engine.images()).toEqual([]);
  // Its computers are not lost: it does not know.
  await expect(engine.list()).rejects.toMatchObject({ code: 'engine_unavailable' });
});

test('a cluster that does not answer is unavailable', async () => {
  await writeSettings(state, { ...NEW, urls: ['https://127.0.0.1:1', 'https://127.0.0.1:2'] });
  const engine = await openIncus(state, undefined);
  expect(await engine.probe()).toMatchObject({
    usable: false,
    remedy: expect.stringContaining('incus cluster list'),
  });
  await expect(engine.list()).rejects.toMatchObject({ code: 'engine_unavailable' });
  await engine.close?.();
});

test("machines reach neither private networks nor the members' own addresses", () => {
  const rules = egressRules(['203.0.113.7']);
  expect(rules).toEqual([expect.objectContaining({ action: 'drop', state: 'enabled' })]);
  expect(rules[0]?.destination?.split(',')).toEqual(
    expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '203.0.113.7/32']),
  );
});

test('later set-ups add the members that joined meanwhile, and keep the rules of others', () => {
  const own = { action: 'allow', destination: '10.1.0.0/16', state: 'enabled' };
  const rules = [own, ...egressRules(['203.0.113.7'])];
  expect(withMembers(rules, ['203.0.113.7'])).toBeUndefined();
  expect(withMembers(rules, ['203.0.113.7', '203.0.113.8'])).toEqual([
    ...rules,
    { action: 'drop', destination: '203.0.113.8/32', state: 'enabled' },
  ]);
  const off = rules.map((rule) => ({ ...rule, state: 'disabled' }));
  expect(withMembers(off, ['203.0.113.7'])?.at(-1)).toEqual(rules[1]);
});
