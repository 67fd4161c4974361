import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../../support/app.js';
import { watchTurns } from '../../../support/run/watch-turns.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
  const owner = app.world.fleet.apiKeys.authenticate(app.world.key);
  if (owner === undefined) throw new Error('the first key is not known');
  for (let nth = 0; nth < 990; nth++) app.world.fleet.projects.create(owner, nameOf(nth));
});
afterEach(() => app.close());

const nameOf = (nth: number) => `project-number-with-long-name-${nth}-abcdefghijklmnopqrst`;

/** Sends the start on so many connections, then the end on all of them at once. */
async function crowd(count: number, start: string, end: string) {
  const sockets = Array.from({ length: count }, () => connect(app.port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(start);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const longest = watchTurns();
  const answers = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets) socket.write(end);
  const statuses = new Set<string>();
  for (const [answer] of await Promise.all(answers)) statuses.add(String(answer).slice(9, 12));
  for (const socket of sockets) socket.destroy();
  return { ms: longest(), statuses: [...statuses] };
}

it.each([
  ['404', 'PATCH /api/projects/none HTTP/1.1', '{"name":"a"}'],
  ['400', `PATCH /api/projects/${nameOf(1)} HTTP/1.1`, `{"name":"${nameOf(2)}"}`],
  ['200', 'POST /api/mcp HTTP/1.1', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
])(
  'requests whose last bytes arrive together have their turns, %s: %s',
  async (status, line, body) => {
    const head = [
      line,
      `Authorization: Bearer ${app.world.key}`,
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
    ];
    const all = `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    // One alone first: what is loaded at the first use does not count.
    await crowd(1, all.slice(0, -1), all.slice(-1));
    const { ms, statuses } = await crowd(250, all.slice(0, -1), all.slice(-1));
    expect(statuses).toEqual([status]);
    expect(ms).toBeLessThan(200);
  },
);

it.each([
  ['404', `/api/projects/${nameOf(1)}0/computers/desk/process`],
  ['404', `/api/projects/${nameOf(1)}0/computers/desk/cdp`],
])('upgrades that arrive together have their turns, %s: %s', async (expected, path) => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const head = [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...upgrade];
  const key = `Sec-WebSocket-Key: ${'A'.repeat(22)}==`;
  const all = `${[...head, key, `Authorization: Bearer ${app.world.key}`].join('\r\n')}\r\n\r\n`;
  await crowd(1, all.slice(0, -1), all.slice(-1));
  const { ms, statuses } = await crowd(250, all.slice(0, -1), all.slice(-1));
  expect(statuses.sort().join()).toBe(expected);
  expect(ms).toBeLessThan(200);
});
