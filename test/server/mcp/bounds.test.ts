import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const MIB = 2 ** 20;
const ID = 7;

let app: TestApp;
let id: string;
beforeAll(async () => {
  app = await openTestApp({}, { answerLimits: { ownerBytes: MIB } });
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

it('what a tool has read counts as answers until the tool has ended', async () => {
  const [screen] = app.world.connectors.screens;
  if (screen === undefined) throw new Error('there is no screen');
  const data = Buffer.alloc((3 * MIB) / 4, 'x');
  let encoded = () => {};
  const encoding = new Promise<void>((resolve) => {
    encoded = resolve;
  });
  let isEncoding = false;
  const { screenshot } = screen;
  screen.screenshot = async ({ format }) => {
    if (format === 'png') return { data, format, width: 1280, height: 800 };
    isEncoding = true;
    await encoding;
    return { data: Buffer.from('small'), format, width: 1280, height: 800 };
  };
  const screenOf = () => app.send('GET', `/api/computers/${id}/screenshot`);
  // Too large for a model: the tool keeps it while a smaller one is made.
  const shown = post(toolCall('screenshot', { computer: id }));
  await eventually(async () => isEncoding);
  expect((await screenOf()).status).toBe(429);
  encoded();
  expect((await shown).answer.result.content[0]).toMatchObject({ mimeType: 'image/jpeg' });
  await eventually(async () => (await screenOf()).status === 200);
  screen.screenshot = screenshot;
});
