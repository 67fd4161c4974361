// @module-tag slow
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { openTestApp, type TestApp } from '../../support/app.js';

const VALUE = 'correct horse battery stäple';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  await app.send('POST', '/api/projects/shop/computers', { body: { name: 'desk' } });
  await set('PASSWORD', VALUE);
});
afterEach(() => app.close());

const set = (name: string, value: unknown, project = 'shop') =>
  app.send('PUT', `/api/projects/${project}/secrets/${name}`, { body: { value } });
const act = (action: string, body: object) =>
  app.send('POST', `/api/projects/shop/computers/desk/${action}`, { body });
const typed = () => app.world.connectors.screens.flatMap(({ inputs }) => inputs);

it('a secret is listed without its value, replaced and deleted', async () => {
  const { json } = await app.send('GET', '/api/projects/shop/secrets');
  const times = { created_at: expect.any(String), updated_at: expect.any(String) };
  expect(json).toEqual({ secrets: [{ name: 'PASSWORD', ...times }] });
  expect((await set('PASSWORD', 'another')).json).toEqual({ name: 'PASSWORD', ...times });
  await act('type', { text: '{{secret:PASSWORD}}', secrets: ['PASSWORD'] });
  expect(typed()).toEqual(['type another']);
  const path = '/api/projects/shop/secrets/PASSWORD';
  expect((await app.send('DELETE', path)).json).toEqual({ success: true });
  const again = await app.send('DELETE', path);
  expect([again.status, again.headers['x-error-code']]).toEqual([404, 'not_found']);
});

it('is typed where the request names it, also after a restart, and not read twice', async () => {
  await set('OUTER', 'x{{secret:PASSWORD}}');
  app = await app.restart();
  const secrets = ['OUTER', 'PASSWORD', 'NOT_THERE'];
  const text = 'a {{secret:PASSWORD}}{{secret:OUTER}}\n';
  expect((await act('type', { text, secrets })).json).toEqual({ success: true });
  expect(typed()).toEqual([`type a ${VALUE}x{{secret:PASSWORD}}\n`]);
});

it.each([
  ['not allowed', '{{secret:PASSWORD}}', undefined, 'The secret "PASSWORD" is not allowed'],
  ['not among the allowed', 'a{{secret:PASSWORD}}', ['OTHER'], 'The secret "PASSWORD" is not'],
  ['unknown', 'a{{secret:OTHER}}', ['OTHER'], 'There is no secret "OTHER" in the project "shop"'],
  ['no name', 'a{{secret:a b}}', [], 'The secret of that name is not allowed'],
  ['empty', 'a{{secret:}}', [], 'The secret of that name is not allowed'],
  ['too long in all', '{{secret:PASSWORD}}'.repeat(4000), ['PASSWORD'], 'at most 100000'],
])('a secret that is %s is an error, and nothing is typed', async (_, text, secrets, message) => {
  const alone = await act('type', { text, ...(secrets && { secrets }) });
  expect([alone.status, alone.headers['x-error-code']]).toEqual([400, 'invalid_request']);
  expect(alone.json.error).toContain(message);
  const actions = [
    { action: 'type', text: 'before' },
    { action: 'type', text, ...(secrets && { secrets }) },
  ];
  const batch = await act('batch', { actions });
  expect([batch.status, batch.json.error]).toEqual([
    400,
    expect.stringMatching(/^actions\.1\.text: /),
  ]);
  expect(batch.json.error).toContain(message);
  expect(typed()).toEqual([]);
});

it.each([
  ['', 'must not be empty'],
  [5, 'must be a string'],
  ['x'.repeat(10_001), 'must be at most 10000 characters'],
  ['a\u0003b', 'must have no control characters'],
  ['a\ud800', 'must be well-formed Unicode'],
])('%j is no value', async (value, message) => {
  const { status, json } = await set('OTHER', value);
  expect([status, json.error]).toEqual([400, expect.stringContaining(message)]);
});

it('a project has no more than 100 secrets, with names that are such', async () => {
  for (let i = 1; i < 100; i++) expect((await set(`S${i}`, 'x')).status).toBe(200);
  const refused = await set('ONE_MORE', 'x');
  expect([refused.status, refused.headers['x-error-code']]).toEqual([400, 'limit_reached']);
  expect((await set('S1', 'y')).status).toBe(200);
  expect((await set('a%20b', 'x')).json.error).toContain('must be 1 to 64 letters');
  expect((await set('x'.repeat(65), 'x')).status).toBe(400);
});

it('secrets belong to their project, and end with it', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'other' } });
  await set('ELSEWHERE', 'value', 'other');
  const refused = await act('type', { text: '{{secret:ELSEWHERE}}', secrets: ['ELSEWHERE'] });
  expect(refused.json.error).toContain('There is no secret "ELSEWHERE" in the project "shop"');
  await app.send('DELETE', '/api/projects/other');
  await app.send('POST', '/api/projects', { body: { name: 'other' } });
  expect((await app.send('GET', '/api/projects/other/secrets')).json).toEqual({ secrets: [] });
});

it('a model types a secret only if the request allows it', async () => {
  const call = (id: string) => ({
    ...{ type: 'tool_use', id, name: 'type', toolset_name: 'computer' },
    input: { text: '{{secret:PASSWORD}}' },
  });
  const refused = await act('computer-use', { items: [call('a')] });
  expect(refused.json).toMatchObject({ success: false, results: [{ is_error: true }] });
  expect(refused.text).toContain('is not allowed in this request');
  const done = await act('computer-use', { items: [call('b')], secrets: ['PASSWORD'] });
  expect(done.json).toMatchObject({ success: true });
  expect(typed()).toEqual([`type ${VALUE}`]);
});

it('an error about a text does not quote its secrets', async () => {
  const refuse = async (text: string) => {
    throw new ApiError('unsupported', `text: "${text}" was not typed.`);
  };
  for (const screen of app.world.connectors.screens) Object.assign(screen, { type: refuse });
  const secrets = ['PASSWORD'];
  const text = 'a{{secret:PASSWORD}}';
  const { status, text: answer } = await act('type', { text, secrets });
  expect([status, answer]).toEqual([400, expect.stringContaining('could not be typed')]);
  expect(answer).not.toContain('horse');
  const batch = await act('batch', { actions: [{ action: 'type', text, secrets }] });
  expect(batch.text).not.toContain('horse');
  // Without a secret the message is the usual one.
  expect((await act('type', { text: 'visible', secrets })).text).toContain('visible');
});

it('the audit log names the secrets, and has no value', async () => {
  await act('type', { text: '{{secret:PASSWORD}}', secrets: ['PASSWORD'] });
  const actions = [
    { action: 'type', text: 'a' },
    { action: 'type', text: '{{secret:PASSWORD}}', secrets: ['PASSWORD'] },
    { action: 'type', text: '{{secret:PASSWORD}}', secrets: ['PASSWORD', 'UNUSED'] },
  ];
  await act('batch', { actions });
  await app.send('DELETE', '/api/projects/shop/secrets/PASSWORD');
  const { text, json } = await app.send('GET', '/api/audit');
  const entries = json.entries as { action: string; detail: object }[];
  const detailOf = (name: string) => entries.find(({ action }) => action === name)?.detail;
  expect(detailOf('type')).toEqual({ text_length: 19, secrets: 'PASSWORD' });
  expect(detailOf('batch')).toEqual({ actions: 'type 3', secrets: 'PASSWORD' });
  expect(detailOf('setSecret')).toEqual({ project: 'shop', secret: 'PASSWORD' });
  expect(detailOf('deleteSecret')).toEqual({ project: 'shop', secret: 'PASSWORD' });
  expect(text).not.toContain('horse');
});

it('no file of the state has the value, and only the owner reads its key', async () => {
  await act('type', { text: '{{secret:PASSWORD}}', secrets: ['PASSWORD'] });
  const { directory } = app.world;
  const files = readdirSync(directory, { recursive: true }).map((name) =>
    join(directory, `${name}`),
  );
  for (const file of files.filter((name) => statSync(name).isFile())) {
    expect(readFileSync(file).includes('horse'), file).toBe(false);
  }
  expect(statSync(join(directory, 'secret.key')).mode & 0o777).toBe(0o600);
});

it('a key needs the right to manage for a secret, and one to act for using it', async () => {
  const keyOf = async (rights: string) => {
    const { json } = await app.send('POST', '/api/keys', { body: { name: rights, rights } });
    return `Bearer ${json.key}`;
  };
  const [look, act_] = [await keyOf('look'), await keyOf('act')];
  const path = '/api/projects/shop/secrets';
  expect((await app.send('GET', path, { authorization: look })).status).toBe(200);
  const body = { value: 'x' };
  for (const authorization of [look, act_]) {
    expect((await app.send('PUT', `${path}/NEW`, { authorization, body })).status).toBe(403);
    expect((await app.send('DELETE', `${path}/PASSWORD`, { authorization })).status).toBe(403);
  }
  const text = { text: '{{secret:PASSWORD}}', secrets: ['PASSWORD'] };
  const at = '/api/projects/shop/computers/desk/type';
  expect((await app.send('POST', at, { authorization: look, body: text })).status).toBe(403);
  expect((await app.send('POST', at, { authorization: act_, body: text })).status).toBe(200);
});

it('a secret that another key has encrypted is an error that says so', async () => {
  const { store } = app.world;
  const open = store.secrets.open.bind(store.secrets);
  Object.assign(store.secrets, { open: () => undefined });
  const refused = await act('type', { text: '{{secret:PASSWORD}}', secrets: ['PASSWORD'] });
  expect(refused.json.error).toContain('the key that encrypted it is gone');
  expect(typed()).toEqual([]);
  Object.assign(store.secrets, { open });
});

it('the error for a secret that is not named says how to name it, also with vc', async () => {
  const refused = await act('type', { text: '{{secret:PASSWORD}}' });
  expect(refused.status).toBe(400);
  expect(decodeURIComponent(String(refused.headers['x-error-remedy']))).toBe(
    'Name it in the list "secrets" of the request; with vc: --secret PASSWORD',
  );
});

it('the audit log names each secret that was typed, however many a request allows', async () => {
  const junk = Array.from({ length: 99 }, (_, index) => `A${index}`.padEnd(64, '_'));
  const secrets = [...junk, 'PASSWORD'];
  const text = '{{secret:PASSWORD}}';
  await act('type', { text, secrets });
  await act('batch', { actions: [{ action: 'type', text, secrets }] });
  const call = { type: 'tool_use', id: 'c', name: 'type', toolset_name: 'computer' };
  await act('computer-use', { items: [{ ...call, input: { text } }], secrets });
  // A name that does not exist is not typed, and takes no space.
  await act('type', { text: `{{secret:${junk[0]}}}`, secrets });
  const { json } = await app.send('GET', '/api/audit?limit=4');
  const entries = json.entries as { action: string; detail: object }[];
  expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
    ['type', { text_length: 75 }],
    ['computerUse', { actions: expect.stringMatching(/^type 1/), secrets: 'PASSWORD' }],
    ['batch', { actions: 'type 1', secrets: 'PASSWORD' }],
    ['type', { text_length: 19, secrets: 'PASSWORD' }],
  ]);
});
