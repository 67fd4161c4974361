// @module-tag slow
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { usedMib } from '../../support/run/memory.js';
import { promise } from '../../support/run/promise.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(() => app.close());

const head = (lines: readonly string[]) =>
  ['POST /api/projects HTTP/1.1', 'host: localhost', ...lines, '', ''].join('\r\n');
const json = 'content-type: application/json';
const key = () => `authorization: Bearer ${app.world.key}`;

promise(29, 'a body in chunks of one byte takes little memory', async (report) => {
  const socket = connect(app.port, '127.0.0.1');
  await once(socket, 'connect');
  const size = 200_000;
  const body = JSON.stringify({ name: 'demo', more: 'x'.repeat(size) });
  const before = usedMib();
  socket.write(head([json, key(), 'transfer-encoding: chunked']));
  for (let at = 0; at < body.length; at += 1000) {
    const part = [...body.slice(at, at + 1000)].map((byte) => `1\r\n${byte}\r\n`).join('');
    if (!socket.write(part)) await once(socket, 'drain');
  }
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
  const growth = usedMib() - before;
  report(`200 kB: +${Math.round(growth)} MiB`);
  expect(growth).toBeLessThan(6);
  socket.write('0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('HTTP/1.1 200');
  socket.destroy();
});

it.each([
  ['longer', 'HTTP/1.1 400', ['content-length: 2', json], '{"name": "demo"}'],
  ['of another type', 'HTTP/1.1 415', ['content-length: 1', 'content-type: text/plain'], 'x'],
  [
    'of another type, in chunks',
    'HTTP/1.1 415',
    ['transfer-encoding: chunked'],
    '1\r\nx\r\n0\r\n\r\n',
  ],
  ['of 9 MiB', 'HTTP/1.1 413', [`content-length: ${9 << 20}`, json], 'x'],
])('refuses a body that is %s', async (_, status, lines, body) => {
  expect(await app.raw(head([key(), ...lines]) + body)).toContain(status);
});

it('treats an empty body of any type as no body', async () => {
  const answer = await app.raw(head([key(), 'content-type: text/plain', 'content-length: 0']));
  expect(answer).toMatch(/400[\s\S]*name/);
});

promise(29, 'JSON of too many values is refused before it is parsed', async (report) => {
  const list = (item: string) => `[${`${item},`.repeat(2 ** 21 / (item.length + 1))}0]`;
  const values = 'The body has more than 400000 values.';
  const fields = 'The objects in the body have more than 50000 fields.';
  const parse = vi.spyOn(JSON, 'parse');
  const bodies = [
    ['[]', values],
    ['0', values],
    ['{"a":[]}', fields],
  ] as const;
  for (const [item, error] of bodies) {
    const answer = await app.send('POST', '/api/projects', { body: list(item) });
    expect(answer).toMatchObject({ status: 400, json: { error } });
  }
  expect(parse.mock.calls.filter(([text]) => text.length > 50_000)).toEqual([]);
  parse.mockRestore();
  report('3 bodies of 2 MiB refused, none parsed');
});
