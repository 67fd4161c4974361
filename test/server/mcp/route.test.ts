// @module-tag slow
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  await app.send('POST', '/api/projects/demo/computers', { body: { name: 'desk' } });
});
afterAll(() => app.close());

const open = async (query = '', key = app.world.key) => {
  const url = new URL(`http://127.0.0.1:${app.port}/api/mcp${query}`);
  const headers = { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return client;
};

it('a client lists and calls the tools over HTTP', async () => {
  const client = await open();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('act');
  const said = (name: string, input: object) => client.callTool({ name, arguments: { ...input } });
  expect(await said('list_computers', {})).toMatchObject({
    content: [{ text: expect.stringMatching(/^demo\/desk\tcmp_\w+\tlinux\trunning$/) }],
  });
  const shown = await said('screenshot', { computer: 'demo/desk' });
  expect(shown.content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
  const actions = [{ action: 'type', text: 'hello' }];
  await said('act', { computer: 'desk', actions });
  expect(app.world.connectors.screens[0]?.inputs).toContain('type hello');
  const missing = await said('screenshot', { computer: 'demo/none' });
  expect(missing).toMatchObject({ isError: true });
  expect(JSON.stringify(missing)).toContain('none');
  await client.close();
});

it('the query leaves tools out', async () => {
  const client = await open('?toolset=screen&read_only=1');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['list_computers', 'screenshot']);
  await client.close();
  const wrong = await app.send('POST', '/api/mcp?toolset=none', { body: {} });
  const message = expect.stringContaining('screen');
  expect([wrong.status, wrong.json.error]).toEqual([400, { code: -32600, message }]);
});

it('a model types only the secrets that the address names, and is told of them', async () => {
  const body = { value: 'hidden-value' };
  await app.send('PUT', '/api/projects/demo/secrets/PIN', { body });
  const input = { computer: 'desk', actions: [{ action: 'type', text: '{{secret:PIN}}' }] };
  const without = await open();
  expect(without.getInstructions()).not.toContain('{{secret:');
  const refused = await without.callTool({ name: 'act', arguments: input });
  expect(refused).toMatchObject({ isError: true });
  expect(JSON.stringify(refused)).toContain('is not allowed in this request');
  const named = await open('?secret=OTHER,PIN');
  expect(named.getInstructions()).toContain('OTHER, PIN');
  const done = await named.callTool({ name: 'act', arguments: input });
  expect(done.isError).toBeFalsy();
  expect(JSON.stringify(done)).not.toContain('hidden-value');
  expect(app.world.connectors.screens[0]?.inputs).toContain('type hidden-value');
  await Promise.all([without.close(), named.close()]);
  expect((await app.send('POST', '/api/mcp?secret=a%20b', { body: {} })).status).toBe(400);
});

it('a key can do no more than its rights', async () => {
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'eye', rights: 'look' } });
  const client = await open('', String(json.key));
  const input = { computer: 'desk', actions: [{ action: 'type', text: 'forbidden' }] };
  const refused = await client.callTool({ name: 'act', arguments: input });
  expect(refused).toMatchObject({ isError: true });
  expect(JSON.stringify(refused)).toContain('needs an API key with the right');
  await client.close();
});

const rpc = (body: object, headers: Record<string, string> = {}) =>
  app.send('POST', '/api/mcp', {
    body,
    headers: { accept: 'application/json, text/event-stream', ...headers },
  });

it('a client of an earlier revision is served after initialize', async () => {
  const params = {
    ...{ protocolVersion: '2025-06-18', capabilities: {} },
    clientInfo: { name: 'old', version: '1' },
  };
  const { status, text } = await rpc({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  expect(status).toBe(200);
  expect(text).toContain('"protocolVersion":"2025-06-18"');
});

it('other methods are not possible', async () => {
  expect((await app.send('GET', '/api/mcp')).status).toBe(405);
  expect((await app.send('DELETE', '/api/mcp')).status).toBe(405);
});

/** Starts a tool that waits for a minute, with a key of its own. */
async function startTool(more: object = {}) {
  const { json } = await app.send('POST', '/api/keys', { body: { name: 'tool', ...more } });
  const { id, key } = json as { id: string; key: string };
  const client = await open('', key);
  const input = { computer: 'demo/desk', actions: [{ action: 'wait', seconds: 60 }] };
  const answered = client.callTool({ name: 'act', arguments: input }).catch(() => 'ended');
  const { fleet, store } = app.world;
  const [desk] = store.computers.listAll();
  if (desk === undefined) throw new Error('there is no computer');
  await eventually(() => fleet.actions.screen(desk, async (_, { length }) => length === 1));
  const outcome = async () => {
    const { json: log } = await app.send('GET', '/api/audit?limit=20');
    const entries = log.entries as { action: string; key_id: string; outcome: string }[];
    return entries.find((one) => one.action === 'batch' && one.key_id === id)?.outcome;
  };
  return { id, key, client, answered, outcome };
}

it('a tool ends when its client leaves', async () => {
  const { client, outcome } = await startTool();
  await client.close();
  await eventually(async () => (await outcome()) === 'cancelled');
});

it.each(['is deleted', 'expires'])(
  'a key that %s ends its tools and everything else that it has open',
  async (how) => {
    const expires_at = new Date(Date.now() + 5_000).toISOString();
    const { id, key, answered, outcome } = await startTool(how === 'expires' ? { expires_at } : {});
    const headers = { authorization: `Bearer ${key}` };
    const wall = new WebSocket(`ws://127.0.0.1:${app.port}/api/wall`, { headers });
    await once(wall, 'open');
    const closed = once(wall, 'close');
    if (how === 'is deleted') {
      expect((await app.send('DELETE', `/api/keys/${id}`)).json).toEqual({
        success: true,
        made: [],
      });
    }
    await closed;
    expect(await answered).toBe('ended');
    await eventually(async () => (await outcome()) === 'cancelled');
  },
);
