import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { MCP_REVISIONS } from '../../support/client/mcp.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

const CLIENT = { name: 'test', version: '1' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends a body as it is; resolves to the status and the JSON-RPC answer, of an event or alone. */
async function send(body: string, more: Record<string, string> = {}) {
  const headers = {
    ...{ authorization: `Bearer ${app.world.key}`, 'content-type': 'application/json' },
    ...{ accept: 'application/json, text/event-stream', ...more },
  };
  const url = `http://127.0.0.1:${app.port}/api/mcp`;
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return { status: response.status, answer: JSON.parse(json) };
}

const failed = (code: number, id: unknown = null) => ({
  ...{ jsonrpc: '2.0', id },
  error: { code, message: expect.stringMatching(/\w/) },
});

describe.each(MCP_REVISIONS)('in revision %s', (revision) => {
  const isModern = revision === '2026-07-28';
  const header = { 'mcp-protocol-version': revision };
  const request = (method: string, params: Record<string, unknown> = {}) => {
    const all = isModern ? { ...params, _meta: META } : params;
    const { name } = params;
    const more: Record<string, string> = { ...header };
    if (isModern) more['mcp-method'] = method;
    if (isModern && typeof name === 'string') more['mcp-name'] = name;
    return send(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: all }), more);
  };

  it.each([
    ['{"jsonrpc": "2.0",', 400, failed(-32700)],
    ['{"__proto__": {}}', 400, failed(-32700)],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 400, failed(-32600)],
    ['', 400, failed(-32600)],
    ['null', 400, failed(-32600)],
    ['"text"', 400, failed(-32600)],
    ['[]', 400, failed(-32600)],
    ['{}', 400, failed(-32600)],
    ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400, failed(-32600, 1)],
    ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', 400, failed(-32600)],
    ['{"jsonrpc":"2.0","id":2,"method":"tools/list","params":5}', 400, failed(-32600, 2)],
  ])('the body %s is refused with the error of the protocol', async (body, status, answer) => {
    expect(await send(body, header)).toMatchObject({ status, answer });
  });

  it('a body of another type or that is too large is refused in its form', async () => {
    const text = await send('{}', { ...header, 'content-type': 'text/plain' });
    expect(text).toMatchObject({ status: 415, answer: failed(-32600) });
    const large = await send(`"${'x'.repeat(9 * 1024 * 1024)}"`, header);
    expect(large).toMatchObject({ status: 413, answer: failed(-32600) });
  });

  it('an unknown method or tool is refused, and wrong arguments are told to the model', async () => {
    const method = await request('none');
    expect(method).toMatchObject({ status: isModern ? 404 : 200, answer: failed(-32601, 7) });
    const tool = await request('tools/call', { name: 'none', arguments: {} });
    expect(tool).toMatchObject({ status: 200, answer: failed(-32602, 7) });
    const nameless = await request('tools/call');
    expect(nameless.answer).toMatchObject(failed(-32602, 7));
    const wrong = await request('tools/call', { name: 'act', arguments: { computer: 5 } });
    expect(wrong.answer.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('computer: Invalid input') }],
    });
  });

  it('a correct request is answered', async () => {
    const { status, answer } = await request('tools/list');
    expect([status, answer.result.tools.length]).toEqual([200, expect.any(Number)]);
  });
});

it('a revision that is not known is refused with those that are', async () => {
  const version = '1999-01-01';
  const _meta = { ...META, 'io.modelcontextprotocol/protocolVersion': version };
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta } };
  const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' };
  const { status, answer } = await send(JSON.stringify(body), headers);
  expect(status).toBe(400);
  expect(answer).toMatchObject({ ...failed(-32022, 7), error: { data: { requested: version } } });
});

it('a header and a body of different revisions are refused', async () => {
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: META } };
  const { status, answer } = await send(JSON.stringify(body), {
    'mcp-protocol-version': '2025-06-18',
  });
  expect([status, answer.error.code]).toEqual([400, -32020]);
});

it('an earlier client that asks for an unknown revision is offered one that is known', async () => {
  const params = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: CLIENT };
  const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
  const { answer } = await send(JSON.stringify(body));
  expect(answer.result.protocolVersion).toMatch(/^2025-/);
});
