import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';

const VC = new URL('../../../../bin/vc.js', import.meta.url).pathname;

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

const open = async (...options: string[]) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [VC, 'mcp', ...options],
    env: desktop.service.env as Record<string, string>,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return client;
};

it('a client looks, acts and runs commands over stdio', async () => {
  const client = await open();
  const { tools } = await client.listTools();
  expect(tools.length).toBeLessThanOrEqual(10);
  const computer = desktop.name;
  const call = (name: string, input: object) =>
    client.callTool({ name, arguments: { computer, ...input } });
  const shown = await call('screenshot', {});
  const [picture] = shown.content as unknown as [{ type: string; data: string }];
  expect(picture.type).toBe('image');
  expect(Buffer.from(picture.data, 'base64').subarray(1, 4).toString()).toBe('PNG');
  const actions = [
    { action: 'move', x: 10, y: 20 },
    { action: 'key', key: 'Escape' },
  ];
  expect((await call('act', { actions })).isError).not.toBe(true);
  const said = await call('run_command', { command: 'echo hello; exit 3' });
  expect(said).toMatchObject({ isError: true, content: [{ text: 'hello\n\nExit code 3.' }] });
  const failed = await call('act', { actions: [{ action: 'key', key: 'Entr' }] });
  expect(JSON.stringify(failed)).toContain('Enter');
  await client.close();
});

it('a client looks over HTTP', async () => {
  const { baseUrl, apiKey } = desktop.service;
  const headers = { authorization: `Bearer ${apiKey}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
    requestInit: { headers },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  const input = { computer: desktop.name };
  const { content } = await client.callTool({ name: 'screenshot', arguments: input });
  expect(content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
  await client.close();
});

it('only what changes nothing with --read-only', async () => {
  const client = await open('--read-only');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['list_computers', 'screenshot']);
  await client.close();
});
