import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { type GuestApp, openGuestApp } from '../../support/guest-app.js';
import { usedMib } from '../../support/run/memory.js';
import { promise } from '../../support/run/promise.js';
import { inTier } from '../../support/run/tiers.js';

const MIB = 2 ** 20;
const REQUESTS = inTier({ thorough: 16, quick: 8 });

let app: GuestApp;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  return app.close();
});

/** Sends a request on a connection of its own, and reads nothing of the answer. */
async function sendOnly(method: string, path: string, body: object): Promise<Socket> {
  const socket = connect(app.port, '127.0.0.1');
  sockets.push(socket);
  socket.pause().on('error', () => undefined);
  await once(socket, 'connect');
  const text = JSON.stringify(body);
  const head = [
    `${method} /api${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${app.key}`,
    'content-type: application/json',
    `content-length: ${text.length}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket.resume(), 'close');
  return text;
}

promise(
  29,
  'answers that are not read take limited memory',
  async (report) => {
    app = await openGuestApp({ answerLimits: { ownerBytes: 8 * MIB } });
    // Each NUL takes six characters of JSON, in stdout and in output.
    const directory = mkdtempSync(join(tmpdir(), 'vc-answers-'));
    const command = `head -c 500000 /dev/zero; touch ${directory}/$$`;
    const before = usedMib();
    const all = await Promise.all(
      Array.from({ length: REQUESTS }, () =>
        sendOnly('POST', '/projects/demo/computers/desktop/bash', { command }),
      ),
    );
    const growing = () => Math.round(usedMib() - before);
    await eventually(async () => readdirSync(directory).length === REQUESTS);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const growth = growing();
    expect(growth).toBeLessThan(50);
    // Commands had an effect, so their answers are not refused.
    const answers = await Promise.all(all.map(textOf));
    expect(answers.filter((text) => text.startsWith('HTTP/1.1 200'))).toHaveLength(REQUESTS);
    const files = await Promise.all(
      Array.from({ length: REQUESTS }, () =>
        app.send('POST', '/api/projects/demo/computers/desktop/bash', {
          body: { command: 'echo' },
        }),
      ),
    );
    expect(files.every(({ status }) => status === 200)).toBe(true);
    rmSync(directory, { recursive: true });
    report(`${REQUESTS} answers of 6 MB: +${growth} MiB, all answered once they were read`);
  },
  60_000,
);

promise(29, 'output beyond the memory of its owner is cut', async (report) => {
  app = await openGuestApp({ answerLimits: { ownerBytes: MIB } });
  const directory = mkdtempSync(join(tmpdir(), 'vc-outputs-'));
  // None ends before all have printed: they wait until the pipe has no writer.
  const pipe = `${directory}.pipe`;
  execFileSync('mkfifo', [pipe]);
  const writer = openSync(pipe, 'r+');
  const command = [
    'head -c 400000 /dev/zero | tr "\\0" x',
    `touch ${directory}/$$`,
    `[ -e ${directory}/end ] || read -rt 60 _ <${pipe}`,
  ].join('; ');
  const answering = Promise.all(
    Array.from({ length: REQUESTS }, () =>
      app.send('POST', '/api/projects/demo/computers/desktop/bash', { body: { command } }),
    ),
  );
  await eventually(async () => readdirSync(directory).length === REQUESTS);
  writeFileSync(join(directory, 'end'), '');
  closeSync(writer);
  const answers = await answering;
  const kept = answers.map(({ json }) => String(json.stdout).length);
  const total = kept.reduce((sum, length) => sum + length, 0);
  expect(total).toBeLessThan(MIB + REQUESTS * 64 * 1024);
  expect(Math.min(...kept)).toBeGreaterThanOrEqual(32 * 1024);
  const cut = answers.filter(({ json }) => json.truncated === true);
  expect(cut.length).toBeGreaterThanOrEqual(REQUESTS - 4);
  const alone = await app.send('POST', '/api/projects/demo/computers/desktop/bash', {
    body: { command },
  });
  expect(alone.json).toMatchObject({ truncated: false });
  rmSync(directory, { recursive: true });
  rmSync(pipe);
  report(`of ${REQUESTS} outputs of 400 kB ${cut.length} cut`);
});
