import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { watchTurns } from '../../../support/run/watch-turns.js';

/** Opens connections, sends `first` on each, and at each line of its input does what it names. */
const CROWD = `
  import { connect } from 'node:net';
  const [port, connections, first, text, count] = process.argv.slice(1);
  const data = Buffer.from(text + '1\\r\\n \\r\\n'.repeat(Number(count)));
  const sockets = Array.from({ length: Number(connections) }, () => connect(port, '127.0.0.1'));
  let open = 0;
  for (const socket of sockets) {
    socket.on('error', () => undefined).on('data', () => undefined);
    socket.once('connect', () => {
      socket.write(first);
      open += 1;
      if (open === sockets.length) console.log('open');
    });
  }
  process.stdin.on('data', (line) => {
    for (const socket of sockets) {
      if (String(line) === 'send\\n') socket.write(data);
      else socket.resetAndDestroy();
    }
    console.log('done');
  }).on('end', () => process.exit());
`;

let app: TestApp;
const children: ChildProcess[] = [];
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill();
  await app.close();
});

async function crowd(connections: number, first: string, text: string, count: number) {
  const args = [app.port, connections, first, text, count].map(String);
  const child = spawn(process.execPath, ['--input-type=module', '-e', CROWD, '--', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  return async (what: 'send' | 'reset') => {
    const done = once(lines, 'line');
    child.stdin.write(`${what}\n`);
    await done;
  };
}

const POST = 'POST /api/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n';

it.each([
  ['send 64 KiB', 'send', 200],
  ['are reset', 'reset', 60],
] as const)('2,500 connections that %s at once are handled in many turns', async (_, what, most) => {
  const other = { authorization: `Bearer ${app.world.addOwner('other')}` };
  const burst = await crowd(2_500, POST.slice(0, 20), POST.slice(20), 10_900);
  const count = promisify(app.server.getConnections.bind(app.server));
  await eventually(async () => (await count()) === 2_500);
  const longest = watchTurns();
  const done = burst(what);
  // Meanwhile all of it arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  // A client whose connection is new.
  expect((await app.send('GET', '/api/me', other)).status).toBe(200);
  await done;
  await eventually(async () => (await count()) < 100);
  const ms = longest();
  expect(ms).toBeLessThan(most);
});
