// @module-tag slow
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { MCP_REVISIONS, speaking } from '../../support/client/mcp.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  await app.send('POST', '/api/projects/demo/computers', { body: { name: 'desk' } });
});
afterAll(() => app.close());
afterEach(() => vi.useRealTimers());

it.each(MCP_REVISIONS)('a long call reports its progress to a client of %s', async (revision) => {
  const url = new URL(`http://127.0.0.1:${app.port}/api/mcp`);
  const headers = { authorization: `Bearer ${app.world.key}` };
  const client = new Client({ name: 'test', version: '1.0.0' }, speaking(revision));
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const told: number[] = [];
  const leaving = new AbortController();
  const input = { computer: 'desk', actions: [{ action: 'wait', seconds: 30 }] };
  const call = client.callTool(
    { name: 'act', arguments: input },
    { signal: leaving.signal, onprogress: ({ progress }) => told.push(progress) },
  );
  const ended = call.catch((error: unknown) => error);
  await vi.waitFor(
    () => {
      vi.advanceTimersByTime(10_000);
      expect(told.slice(0, 2)).toEqual([10, 20]);
    },
    { timeout: 30_000 },
  );
  leaving.abort();
  expect(await ended).toBeInstanceOf(Error);
  vi.useRealTimers();
  await client.close();
});
