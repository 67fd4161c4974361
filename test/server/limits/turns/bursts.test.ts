import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';

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

it.each(['send', 'reset'] as const)(
  'few of 1,500 connections are handled in one turn: %s',
  async (what) => {
    const other = { authorization: `Bearer ${app.world.addOwner('other')}` };
    const accepted: Socket[] = [];
    app.server.on('connection', (socket) => accepted.push(socket));
    const burst = await crowd(1_500, POST.slice(0, 20), POST.slice(20), 10_900);
    const openOnes = () => accepted.filter(({ destroyed }) => !destroyed).length;
    await eventually(async () => openOnes() === 1_500);
    const mostAtOnce = watchConnections(accepted);
    const done = burst(what);
    // Meanwhile all of it arrives.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    // A client whose connection is new.
    expect((await app.send('GET', '/api/me', other)).status).toBe(200);
    await done;
    await eventually(async () => openOnes() < 100, 50_000);
    expect(mostAtOnce()).toBeLessThan(150);
  },
  60_000,
);

/** Until it is called: the most connections that were read, or ended, in one turn of the event loop. */
function watchConnections(sockets: readonly Socket[]): () => number {
  const stateOf = ({ bytesRead, destroyed }: Socket) => (destroyed ? -1 : bytesRead);
  let states = sockets.map(stateOf);
  let most = 0;
  let isEnded = false;
  const turn = () => {
    const now = sockets.map(stateOf);
    most = Math.max(most, states.filter((state, nth) => state !== now[nth]).length);
    states = now;
    if (!isEnded) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isEnded = true;
    return most;
  };
}
