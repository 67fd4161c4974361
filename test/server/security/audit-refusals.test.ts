// @module-tag slow
import { afterEach, beforeEach, expect, test } from 'vitest';
import { access } from '../../../src/contract/operations.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { fill, routes } from '../../support/routes.js';
import { exampleOf } from '../../support/shapes.js';

let app: TestApp;
let id: string;
let C: string;
const keys: Record<string, { id: string; key: string }> = {};

beforeEach(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  id = String(json.id);
  C = `/api/computers/${id}`;
  for (const rights of ['look', 'act']) {
    const made = await app.send('POST', '/api/keys', { body: { name: rights, rights } });
    keys[rights] = made.json as { id: string; key: string };
  }
});
afterEach(() => app.close());

const send = (rights: string, method: string, path: string, body?: object) =>
  app.send(method, path, { authorization: `Bearer ${keys[rights]?.key}`, ...(body && { body }) });
async function entries(limit = 1) {
  const { json } = await app.send('GET', `/api/audit?limit=${limit}`);
  return json.entries as { id: number; action: string; outcome: string; detail: object }[];
}

/** Operations that are in the log by the name of another form. */
const otherForms: Readonly<Record<string, string>> = {
  createComputerIn: 'createComputer',
  cdpVersion: 'openBrowser',
};
/** Operations that only read, which are not in the log. */
const READS = /^(list|get(Job|Entry|Usage|ImageLog|Webhook))/;

test('every change that a missing right refuses is in the audit log, of files and sockets too', async () => {
  const seen = new Set<string>();
  const refused: string[] = [];
  for (const route of routes) {
    const needed = access[route.name as keyof typeof access] ?? 'open';
    // What the key may do is not refused, and may have no end.
    const isAllowed = needed === 'open' || needed.right === 'look';
    if (seen.has(route.name) || route.upgrade || isAllowed) continue;
    seen.add(route.name);
    const path = fill(route.path, { id, project: 'p', computer: 'a' });
    const body = route.body && (exampleOf(route.body) as object);
    const [before] = await entries();
    const { status } = await send('look', route.method, path, body);
    if (status !== 403 || READS.test(route.name)) continue;
    refused.push(route.name);
    const [entry] = await entries();
    expect(entry?.id, route.name).not.toBe(before?.id);
    const action = otherForms[route.name] ?? route.name;
    expect(entry, route.name).toMatchObject({
      ...{ action, outcome: 'forbidden', key_id: keys.look?.id },
      computer_id: /:(id|computer)\b/.test(route.path) ? id : null,
    });
  }
  expect(refused.length).toBeGreaterThan(40);
});

test.each([
  ['GET', '/process', 'process'],
  ['GET', '/tunnel', 'tunnel'],
  ['GET', '/cdp', 'cdp'],
  ['GET', '/files?path=/etc/passwd', 'readFile'],
  ['PUT', '/files?path=/tmp/a', 'writeFile'],
])('%s C%s without the right for it is in the audit log', async (method, path, action) => {
  const upgrade = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  const answer = await app.send(method, `${C}${path}`, {
    authorization: `Bearer ${keys.look?.key}`,
    ...(['process', 'tunnel', 'cdp'].includes(action) ? { headers: upgrade } : {}),
  });
  expect(answer.status).toBe(403);
  expect(await entries()).toMatchObject([{ action, outcome: 'forbidden', computer_id: id }]);
});

test('a view that a key may only watch, and a key that is deleted, are in it with what was asked', async () => {
  await send('look', 'POST', `${C}/view`, { mode: 'control' });
  expect(await entries()).toMatchObject([
    { action: 'view', outcome: 'forbidden', computer_id: id, detail: { mode: 'control' } },
  ]);
  await send('act', 'DELETE', `/api/keys/${keys.look?.id}`);
  expect(await entries()).toMatchObject([
    { action: 'deleteKey', outcome: 'forbidden', detail: { key: keys.look?.id } },
  ]);
});

test('input that is refused because another has control is in it: alone, in a batch, for a model, over MCP', async () => {
  await app.send('POST', `${C}/control`, { body: {} });
  await send('act', 'POST', `${C}/click`, { x: 1, y: 2 });
  expect(await entries()).toMatchObject([
    { action: 'click', outcome: 'controlled', computer_id: id, detail: { x: 1, y: 2 } },
  ]);
  await send('act', 'POST', `${C}/batch`, { actions: [{ action: 'move', x: 1, y: 1 }] });
  expect(await entries()).toMatchObject([{ action: 'batch', outcome: 'controlled' }]);
  const items = [{ name: 'computer_use', arguments: { action: 'left_click', coordinate: [1, 1] } }];
  await send('act', 'POST', `${C}/computer-use`, { items, dialect: 'qwen' });
  expect(await entries()).toMatchObject([{ action: 'computerUse', outcome: 'controlled' }]);
  await send('act', 'DELETE', `${C}/control`);
  expect(await entries()).toMatchObject([{ action: 'releaseControl', outcome: 'controlled' }]);
  const before = (await entries())[0]?.id;
  const call = {
    name: 'act',
    arguments: { computer: id, actions: [{ action: 'click', x: 1, y: 1 }] },
  };
  const answer = await app.send('POST', '/api/mcp', {
    authorization: `Bearer ${keys.act?.key}`,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
  });
  expect(answer.text).toContain('has control of');
  const [last] = await entries();
  expect(last?.id).not.toBe(before);
  expect(last).toMatchObject({ outcome: 'controlled', computer_id: id });
});

test('a flood of refusals leaves most of them out, says how many, and other keys are written', async () => {
  for (let n = 0; n < 150; n++) await send('look', 'POST', `${C}/click`, { x: n, y: 0 });
  const refused = (await entries(1000)).filter(({ outcome }) => outcome === 'forbidden');
  expect(refused).toHaveLength(100);
  await send('act', 'DELETE', C);
  expect(await entries()).toMatchObject([{ action: 'deleteComputer', outcome: 'forbidden' }]);
});

test('an entry of a changed computer says what changed', async () => {
  await app.send('PATCH', C, {
    body: { protected: true, auto_stop_minutes: null, cpu: 4, resolution: '1920x1080' },
  });
  const detail = { cpu: 4, resolution: '1920x1080', protected: true, auto_stop_minutes: 'never' };
  expect(await entries()).toMatchObject([{ action: 'updateComputer', outcome: 'ok', detail }]);
});

test('a batch that another has interrupted is in it, however many refusals there were before', async () => {
  const by = { authorization: `Bearer ${keys.act?.key}` };
  for (let nth = 0; nth < 110; nth++) await send('act', 'DELETE', '/api/projects/p');
  const actions = [
    { action: 'bash', command: 'true' },
    { action: 'wait', seconds: 0.6 },
    { action: 'move', x: 1, y: 1 },
  ];
  const running = app.send('POST', `${C}/batch`, { ...by, body: { actions } });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await app.send('POST', `${C}/control`, { body: {} })).status).toBe(200);
  expect((await running).json.results).toMatchObject([{ success: true }, { code: 'controlled' }]);
  const batches = (await entries(200)).filter(({ action }) => action === 'batch');
  expect(batches).toMatchObject([
    { outcome: 'controlled', detail: { actions: 'bash 1, wait 1, move 1' } },
  ]);
});
