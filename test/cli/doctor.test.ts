import { expect, test } from 'vitest';
import { type Check, diagnose, type Finding, isUsable } from '../../src/cli/doctor/check.js';

const surroundings = {
  env: {},
  baseUrl: 'http://127.0.0.1:4700/api',
  apiKey: undefined,
  stateDirectory: '/nowhere',
  user: { name: 'me', isRoot: false },
  signal: new AbortController().signal,
};
const missing: Finding = { status: 'missing', detail: 'not there', remedy: 'vc setup' };
const check = (finding: Finding, over: Partial<Check> = {}): Check => ({
  name: 'x',
  title: 'X',
  section: 'vc',
  needed: true,
  where: 'host',
  run: async () => finding,
  ...over,
});

test('what is needed and missing makes vc unusable, what is optional does not', async () => {
  expect(isUsable(await diagnose([check(missing)], surroundings))).toBe(false);
  expect(isUsable(await diagnose([check(missing, { needed: false })], surroundings))).toBe(true);
});

test('what only a host needs is not looked for where the service is elsewhere', async () => {
  const elsewhere = { ...surroundings, baseUrl: 'https://vc.example.com/api' };
  const [host, client] = await diagnose(
    [check(missing), check(missing, { where: 'client' })],
    elsewhere,
  );
  expect(host?.finding.status).toBe('skipped');
  expect(client?.finding.status).toBe('missing');
});

test('a check that throws has found something, and the others go on', async () => {
  const broken = check(missing, { run: () => Promise.reject(new Error('broken')) });
  const [first, second] = await diagnose(
    [broken, check({ status: 'ok', detail: '' })],
    surroundings,
  );
  expect(first?.finding).toMatchObject({ status: 'missing', detail: 'broken' });
  expect(second?.finding.status).toBe('ok');
});
