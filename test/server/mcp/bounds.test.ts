import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';

const ID = 7;

let app: TestApp;
let id: string;
beforeAll(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  const { json } = await app.send('POST', '/api/projects/demo/computers', {
    body: { name: 'desk' },
  });
  id = String(json.id);
});
afterAll(() => app.close());

const toolCall = (name: string, input: object) => ({
  ...{ jsonrpc: '2.0', id: ID, method: 'tools/call' },
  params: { name, arguments: input },
});

async function post(body: object) {
  const response = await fetch(`http://127.0.0.1:${app.port}/api/mcp`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${app.world.key}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return { status: response.status, answer: JSON.parse(json) };
}

it('several messages in one request are refused: each could have a large answer', async () => {
  const calls = [toolCall('list_computers', {}), toolCall('list_computers', {})];
  const { status, answer } = await post(calls);
  expect([status, answer.error?.code]).toEqual([400, -32600]);
});

it('a message of more values than any tool takes is refused before they are checked', async () => {
  const keys = Array(20_000).fill(1);
  const input = { computer: id, actions: [{ action: 'click', x: 1, y: 1, keys }] };
  const { status, answer } = await post(toolCall('act', input));
  expect([status, answer.error?.code]).toEqual([400, -32600]);
  const icons = Array(20_000).fill(1);
  const params = { protocolVersion: '2025-06-18', clientInfo: { name: 'a', version: '1', icons } };
  const initialize = { jsonrpc: '2.0', id: ID, method: 'initialize', params };
  expect((await post(initialize)).status).toBe(400);
});
